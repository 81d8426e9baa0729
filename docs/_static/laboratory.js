// Beside JupyterLite: a bar while Python is loading, and a sentence for browsers in which it cannot run.
(() => {
  const files = Number(document.currentScript.dataset.files);
  const box = document.createElement("div");
  box.id = "loading";
  box.setAttribute("role", "status");
  box.style.cssText = "position:fixed;z-index:10000;right:1rem;bottom:2.5rem;padding:.5rem 1rem;background:#fff;color:#000;" +
    "border:2px solid #0072b2;border-radius:4px;font:14px sans-serif;max-width:24rem";
  const lacks = [
    [typeof WebAssembly === "object", "WebAssembly"],
    ["serviceWorker" in navigator, "service workers (a private window often has none; they need https or localhost)"],
    ["indexedDB" in window, "a store for files"],
  ].filter(([there]) => !there).map(([, name]) => name);
  if (lacks.length) {
    box.textContent = `Python cannot run in this browser: it lacks ${lacks.join(" and ")}. A current Chromium, Firefox or Safari can; ` +
      "the pages of the book can be read in any.";
    addEventListener("DOMContentLoaded", () => document.body.append(box));
    return;
  }
  const label = document.createElement("label"), bar = document.createElement("progress");
  bar.max = files;
  bar.style.width = "100%";
  label.append("Python is loading (the first visit takes longest) ", bar);
  box.append(label);
  addEventListener("DOMContentLoaded", () => document.body.append(box));
  const seen = new Set();
  new BroadcastChannel("mcmteach-loading").onmessage = ({data}) => bar.value = seen.add(data).size;
  const timer = setInterval(() => {
    const status = window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status;
    if (status === "idle" || status === "busy") { box.remove(); clearInterval(timer); }
  }, 300);
})();
