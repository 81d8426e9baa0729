// Beside JupyterLite: a bar while Python is loading, a sentence for browsers in which it cannot run, files for a visit without
// a network, and progress as a file.
(() => {
  const {files} = document.currentScript.dataset;
  const box = document.createElement("div");
  box.id = "loading";
  box.setAttribute("role", "status");
  box.style.cssText = "position:fixed;z-index:10000;right:1rem;bottom:2.5rem;padding:.5rem 1rem;background:#fff;color:#000;" +
    "border:2px solid #0072b2;border-radius:4px;font:14px sans-serif;max-width:24rem";
  addEventListener("DOMContentLoaded", () => document.body.append(box));
  const lacks = [
    [typeof WebAssembly === "object", "WebAssembly"],
    ["serviceWorker" in navigator, "service workers (a private window often has none; they need https or localhost)"],
    ["indexedDB" in window, "a store for files"],
  ].filter(([there]) => !there).map(([, name]) => name);
  if (lacks.length) {
    box.textContent = `Python cannot run in this browser: it lacks ${lacks.join(" and ")}. A current Chromium, Firefox or Safari can; ` +
      "the pages of the book can be read in any.";
    return;
  }
  const label = document.createElement("label"), bar = document.createElement("progress");
  bar.max = Number(files);
  bar.value = 0;  // without a value it moves, and drawing that takes time from Python
  bar.style.width = "100%";
  label.append("Python is loading (the first visit takes longest) ", bar);
  box.append(label);
  const seen = new Set(), hint = document.createElement("div");
  let quiet = 0;  // rounds of the timer below
  new BroadcastChannel("mcmteach-loading").onmessage = ({data}) => { bar.value = seen.add(data).size; quiet = 0; };
  box.append(hint);
  // A link to a notebook opens that one alone: every other one that was open on the last visit would start a Python of its own.
  const path = new URLSearchParams(location.search).get("path");
  if (path) history.replaceState(null, "", "?reset");
  let asked = !path;
  const timer = setInterval(() => {
    if (window.jupyterapp && !asked) {
      asked = true;
      window.jupyterapp.restored.then(() => window.jupyterapp.commands.execute("docmanager:open", {path}));
    }
    const status = window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status;
    if (++quiet > 200) hint.textContent = "Nothing has come for a minute. Wait if this computer is slow or busy; otherwise load the page again.";
    if (status !== "idle" && status !== "busy") return;
    clearInterval(timer);
    box.remove();
    addProgress(window.jupyterapp.serviceManager.contents);
    keepEverything();
  }, 300);

  // The service worker keeps what passes through it: here everything that was loaded before it was there, or not needed yet.
  async function keepEverything() {
    await navigator.serviceWorker.ready;
    const root = new URL("..", location.href), {dataset} = document.documentElement;
    for (const name of await (await fetch(new URL("files.json", root))).json()) {
      await (await fetch(new URL(name, root), {priority: "low"})).blob();
      dataset.last = name;
    }
    dataset.kept = "all";
  }

  function addProgress(contents) {
    const path = "progress/progress.json";
    const save = async () => {
      const record = await contents.get(path, {content: true}).catch(() => null);
      if (!record) return alert("There is nothing to save yet: no task is done.");
      const {format, content} = record, text = format === "base64" ? atob(content) : format === "json" ? JSON.stringify(content) : content;
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], {type: "application/json"}));
      link.download = "progress.json";
      link.click();
      URL.revokeObjectURL(link.href);
    };
    const load = async () => {
      const text = await chooser.files[0].text();
      chooser.value = "";
      let done;
      try { done = Object.keys(JSON.parse(text).done).length; } catch { return alert("This file is no record of progress."); }
      const old = await contents.get(path).catch(() => null);
      if (old) await contents.rename(path, `progress/before-${Date.now()}.json`);
      await contents.save(path, {type: "file", format: "text", content: text});
      alert(`Loaded: ${done} tasks are done.` + (old ? " The record that was here is kept beside it, in the folder progress." : ""));
    };
    const chooser = document.createElement("input");
    Object.assign(chooser, {type: "file", accept: ".json", hidden: true, onchange: load});
    const button = (text, onclick) => Object.assign(document.createElement("button"), {textContent: text, onclick});
    document.querySelector(".jp-StatusBar-Middle").append(
      button("Save progress to a file", save), button("Load progress from a file", () => chooser.click()), chooser);
  }
})();
