"""JupyterLab in a real browser, driven as a student would: open a notebook, run it, move a slider, press a button.

Two machines: :func:`jupyterlab` serves a copy of the course, :func:`chromium` starts the system's browser. :class:`Lab` is one
browser page. What it is asked to do happens, or fails and says what was missing. It waits as long as there is progress,
however slow the machine is: while the kernel is busy, a progress bar moves or cells get their outputs, and for a panel until
the kernel has answered so many requests that were sent after the move.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
from playwright.sync_api import Browser, Locator, Page, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from mcmteach.classroom.lab import SETTINGS

ROOT = Path(__file__).parents[2]
FAILURES = Path(__file__).parent / "failures"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # a lesson that needs the internet fails here
]
# One step of a fine slider may move a curve by less than a pixel.
PRESSES = 3
# So often the kernel answers before a panel that does not is given up. A burst of moves is drawn after one or two.
ROUNDS = 60
# A wait with progress ends, too, after so many times the limit of a wait without.
PATIENCE = 10
# A drop-down is opened first: while it is closed, JupyterLab takes the arrows up and down and goes to another cell.
NEXT = ("Space", "ArrowDown", "Enter")
PREVIOUS = ("Space", "ArrowUp", "Enter")


# --- what has to run ---------------------------------------------------------------------------------------------------


def find_chromium() -> str | None:
    """The system's Chromium or Chrome: what the environment's CHROMIUM names, or the first one on the path."""
    if named := os.environ.get("CHROMIUM"):
        return shutil.which(named)
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def chromium(executable: str) -> Iterator[Browser]:
    """The browser, without a window. Chromium's sandbox does not work for root, so root goes without."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS, chromium_sandbox=not root)
        yield browser
        browser.close()


class Server(NamedTuple):
    """A running JupyterLab: where it answers, the word that opens it, and the folder that it serves."""

    url: str
    token: str
    folder: Path

    def end_kernels(self) -> None:
        """End every running notebook, so that the next one has the machine to itself."""
        for session in json.loads(self._ask("GET", "api/sessions")):
            self._ask("DELETE", f"api/sessions/{session['id']}")

    def _ask(self, method: str, path: str) -> bytes:
        request = urllib.request.Request(
            self.url + path, method=method, headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.read()


@contextlib.contextmanager
def jupyterlab(folder: Path) -> Iterator[Server]:
    """JupyterLab over a copy of the course in ``folder``. It reads and writes nothing of the user's own settings."""
    course, home = folder / "course", folder / "home"
    for part in ("lessons", "exercises"):
        shutil.copytree(ROOT / part, course / part, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    write_settings(home / "settings")
    environment = {
        **os.environ,
        "HOME": str(home),
        "MCMTEACH_HOME": str(home / "progress"),
        "PYTHONPATH": str(ROOT),
        "IPYTHONDIR": str(home / "ipython"),
        "MPLCONFIGDIR": matplotlib.get_configdir(),  # the font cache, which takes seconds to build
        "JUPYTER_CONFIG_PATH": str(SETTINGS),  # as `python -m mcmteach lab` has it
        **{f"JUPYTER_{kind}_DIR": str(home / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")},
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
    }
    options = [
        "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", f"--ServerApp.root_dir={course}",
        "--ServerApp.terminals_enabled=False", "--LabApp.expose_app_in_browser=True", "--log-level=WARN",
    ]  # fmt: skip
    log = home / "jupyterlab.log"
    with log.open("w") as sink:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options], env=environment, cwd=course, stdout=sink, stderr=sink
        )
    try:
        yield Server(*wait_for_address(process, home / "runtime", log), course)
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


def write_settings(folder: Path) -> None:
    """JupyterLab as it comes, but it does not ask whether to fetch news."""
    notifications = folder / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    notifications.parent.mkdir(parents=True)
    notifications.write_text('{"fetchNews": "false", "checkForUpdates": false}')


def wait_for_address(process: subprocess.Popen, runtime: Path, log: Path, seconds: float = 300) -> tuple[str, str]:
    """The server's own note of its address and token, once it has written it and answers."""
    note = runtime / f"jpserver-{process.pid}.json"
    limit = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < limit:
        with contextlib.suppress(OSError, ValueError):
            server = json.loads(note.read_text())
            urllib.request.urlopen(f"{server['url']}api?token={server['token']}", timeout=5).close()
            return server["url"], server["token"]
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start in {seconds:g} s. It said:\n{log.read_text()[-3000:]}")


@contextlib.contextmanager
def picture_of_failure(page: Page, name: str, folder: Path = FAILURES) -> Iterator[None]:
    """If something fails within, keep what the browser shows, and say in the message where."""
    try:
        yield
    except BaseException as failure:
        folder.mkdir(exist_ok=True)
        path = folder / (re.sub(r"[^\w.-]+", "_", name) + ".png")
        try:
            page.screenshot(path=path, timeout=60_000)
            failure.add_note(f"What the browser showed: {path}")
        except Exception as problem:
            failure.add_note(f"No picture of the browser could be taken: {problem}")
        raise


# --- a page ------------------------------------------------------------------------------------------------------------

# How the page's scripts below name things: the notebook, its cells of code that are not empty, and whether one has failed.
WORDS = """
const app = window.jupyterapp, panel = app?.shell.currentWidget;
const code = () => panel.content.widgets.filter(c => c.model.type === 'code' && c.model.sharedModel.source.trim());
const outputs = cell => cell.model.outputs.toJSON();
const allowed = cell => (cell.model.getMetadata('tags') || []).includes('raises-exception');
const failed = cell => !allowed(cell) && outputs(cell).some(o => o.output_type === 'error');
const kernel = panel?.sessionContext?.session?.kernel;
const idle = () => panel.sessionContext.session?.kernel?.status === 'idle';
const progress = () => kernel?.status === 'busy' ? performance.now() : JSON.stringify(
    [kernel?.status,
     document.querySelector('#loading progress')?.value, document.documentElement.dataset.last,  // in the laboratory only
     panel?.content?.widgets?.map(c => [c.model.executionCount, c.model.outputs?.length]),
     // While a progress bar moves, its messages let the kernel look idle.
     panel?.content?.widgets?.map(c => c.outputArea?.node.querySelector('.progress-bar')?.style.width),
     panel?.node?.querySelectorAll('.jupyter-widgets').length]);
"""

SEEN = "image => image.complete && image.naturalWidth > 0"


def name_of(widget: Locator) -> str:
    """What a panel, a quiz or a box is called: the words it begins with."""
    return " ".join((widget.locator(".jupyter-widgets").first.text_content() or "").split())[:60]


class Lab:
    """A browser page on JupyterLab. It gives up a wait after ``seconds`` without progress."""

    def __init__(self, page: Page, server: Server, seconds: float):
        self.page, self.server, self.seconds = page, server, seconds
        page.set_default_timeout(1000 * PATIENCE * seconds)

    def ask(self, script: str, goal: str, patience: int = 1) -> Any:
        """What the script gives as soon as that is neither false nor null. ``goal`` says what is waited for.

        ``patience`` multiplies the time without progress, where none can be seen.
        """
        quiet = 1000 * self.seconds * patience
        # The page asks itself, and Playwright keeps the time: it gives up even on a page that has hung.
        body = f"""async quiet => {{
            let seen, end = performance.now() + quiet;
            while (performance.now() < end) {{
                const [value, now] = await (async () => {{
                    {WORDS}
                    return [await (async () => {{ {script} }})(), progress()]; }})();
                if (value) return {{value}};
                if (now !== seen) {{ seen = now; end = performance.now() + quiet; }}
                await new Promise(wait => setTimeout(wait, 50));
            }}
            return {{vain: true}};
        }}"""
        try:
            answer = self.page.wait_for_function(body, arg=quiet, timeout=PATIENCE * quiet).json_value()
        except PlaywrightTimeout:
            answer = {"vain": True}
        assert "value" in answer, f"Waited in vain: {goal}"
        return answer["value"]

    def run(self, code: str) -> Any:
        """What a Python expression is worth in the kernel, by way of JSON, once everything before it is done."""
        script = f"""
            const request = {{code: 'import json', user_expressions: {{value: {json.dumps(f"json.dumps({code})")}}},
                              store_history: false}};
            const reply = await kernel.requestExecute(request).done;
            const {{value}} = reply.content.user_expressions;
            return [value.status === 'ok' ? value.data['text/plain'] : value.ename + ': ' + value.evalue, value.status];"""
        answer, status = self.ask(script, f"the kernel says {code}")
        assert status == "ok", f"{code}: {answer}"
        return json.loads(ast.literal_eval(answer))

    def open(self, path: str) -> None:
        """Open a notebook of the served folder and wait until its kernel is ready."""
        self.page.goto(f"{self.server.url}lab/tree/{path}?token={self.server.token}&reset")
        script = f"""
            if (panel?.context?.path !== {json.dumps(path)}) return false;
            await panel.context.ready; await panel.revealed; await panel.sessionContext.ready;
            return idle();"""
        self.ask(script, f"{path} opens and its kernel is ready")

    def run_all(self) -> None:
        """Run all cells from a clean page; an error in a cell, or a widget that is not shown, is a failure."""
        self.start_all()
        self.wait_for_the_last_cell()
        self.check_no_error()
        self.check_every_widget_is_shown()

    def start_all(self) -> None:
        self.ask("await app.commands.execute('notebook:clear-all-cell-outputs'); return true;", "the outputs go away")
        # Not awaited: the command's promise ends early in some versions. The prompts are what a student sees.
        self.ask("app.commands.execute('notebook:run-all-cells'); return true;", "the notebook starts to run")

    def wait_for_the_last_cell(self) -> None:
        done = "const last = code().at(-1); return code().some(failed) || (last.model.executionCount && idle());"
        self.ask(done, "the last cell of code gets its number")

    def check_no_error(self) -> None:
        errors = self.ask(
            """return code().filter(failed).map(cell => {
                const error = outputs(cell).find(o => o.output_type === 'error');
                return cell.model.sharedModel.source + '\\n-> ' + error.ename + ': ' + error.evalue; });""",
            "the cells' outputs",
        )
        assert not errors, "A cell ends with an error:\n\n" + "\n\n".join(errors)

    def check_every_widget_is_shown(self) -> None:
        """Otherwise a lesson whose panels do not appear would pass for one that has none."""
        kind = "application/vnd.jupyter.widget-view+json"
        script = f"""
            const views = cell => outputs(cell).filter(o => o.data && '{kind}' in o.data).length;
            const shown = cell => cell.node.querySelectorAll('.jp-OutputArea-output .jupyter-widgets:not(.jupyter-widgets *)');
            return code().every(cell => shown(cell).length >= views(cell));"""
        self.ask(script, "every widget is shown (is jupyterlab_widgets installed?)")
        broken = self.page.locator(".jp-Notebook .jupyter-widgets-error-widget")
        assert not broken.count(), f"{broken.count()} widgets, or parts of one, could not be drawn by the browser"

    # --- panels and questions --------------------------------------------------------------------------------------------

    def panels(self) -> list[Locator]:
        return self.page.locator(".jp-Notebook .mcm-panel").all()

    def quizzes(self) -> list[Locator]:
        return self.page.locator(".jp-Notebook .mcm-quiz").all()

    def predictions(self) -> list[Locator]:
        return self.page.locator(".jp-Notebook .mcm-predict").all()

    def answer(self, quiz: Locator) -> None:
        """Choose each option of a quiz by keyboard: each gives another reason."""
        reason, seen = quiz.locator(".mcm-reason"), {""}
        for option in quiz.get_by_role("radio").all():
            self._press(option, "Space")
            name = f"{option.get_attribute('value')} of {name_of(quiz)!r}"
            self.until(lambda: reason.inner_text().strip() not in seen, f"a reason for option {name}")
            seen.add(reason.inner_text().strip())

    def predict(self, box: Locator) -> None:
        """Make a guess by keyboard and ask for the answer; before there is a guess, there is no asking."""
        answer, name = box.locator(".mcm-reason"), name_of(box)
        show = box.get_by_role("button", name="Show")
        assert show.is_disabled() and not answer.inner_text().strip(), f"{name!r} tells before it asks"
        if box.locator("select").count():
            self._press(box.locator("select"), *NEXT)
        else:
            self._press(box.locator("input"), "3")
        self.until(show.is_enabled, f"after a guess, {name!r} can be asked")
        self._press(show, "Space")
        self.until(lambda: answer.inner_text().strip() and not self._computing(), f"{name!r} shows its answer")

    def play(self, panel: Locator, rounds: int = ROUNDS) -> None:
        """Move the panel's first control by keyboard: picture and readout change. Press Reset: the readout returns."""
        picture, readout = panel.locator("img.mcm-picture"), panel.locator(".mcm-readout")
        panel.scroll_into_view_if_needed()
        name = name_of(panel)
        image, text = picture.get_attribute("src"), readout.text_content()
        self._move(panel, name)
        self.until(lambda: readout.text_content() != text, f"the readout of {name!r} changes; it says {text!r}", rounds)
        self.until(lambda: picture.get_attribute("src") != image, f"the picture of {name!r} changes", rounds)
        self.until(lambda: picture.evaluate(SEEN), f"the picture of {name!r} can be seen", rounds)
        assert not panel.locator(".mcm-error").count(), f"{name!r} shows an error:\n{readout.text_content()}"
        self._press(panel.get_by_role("button", name="Reset"), "Space")
        self.until(
            lambda: readout.text_content() == text, f"Reset brings back the readout of {name!r}, {text!r}", rounds
        )

    def _move(self, panel: Locator, name: str) -> None:
        """The first slider; in a panel without one, the first drop-down; without one, the first button."""
        slider, menu = panel.locator(".noUi-handle").first, panel.locator("select").first
        button = panel.get_by_role("button").filter(has_not_text="Reset").first
        if slider.count():
            at_end = slider.get_attribute("aria-valuenow") == slider.get_attribute("aria-valuemax")
            self._press(slider, *["ArrowLeft" if at_end else "ArrowRight"] * PRESSES)
        elif menu.count():
            at_end = menu.evaluate("menu => menu.selectedIndex === menu.length - 1")
            self._press(menu, *(PREVIOUS if at_end else NEXT))
        else:
            assert button.count(), f"{name!r} has nothing to move"
            self._press(button, "Space")

    def _press(self, control: Locator, *keys: str) -> None:
        control.focus()
        for key in keys:
            self.page.keyboard.press(key)

    def until(self, happened: Any, goal: str, rounds: int = ROUNDS) -> None:
        """Wait until it has happened, while the kernel answers so many requests one after the other.

        What happens in a subshell does not keep the kernel from answering: if the page says that it computes, more are sent.
        """
        for asked in range(rounds * PATIENCE):
            if happened():
                return
            if asked >= rounds and not self._computing():
                break
            self.run("0")
            self.page.wait_for_timeout(50)
        raise AssertionError(f"The kernel answered {asked} times, and in vain: {goal}")

    def _computing(self) -> bool:
        return self.page.locator(".mcm-computing").count() > 0

    # --- cells -----------------------------------------------------------------------------------------------------------

    def cell_with(self, pattern: str) -> int:
        """The number, among the cells of code, of the first one whose source matches."""
        sources = self.ask("return code().map(cell => cell.model.sharedModel.source);", "the cells' sources")
        found = [number for number, source in enumerate(sources) if re.search(pattern, source, re.M)]
        assert found, f"No cell of code matches {pattern!r}"
        return found[0]

    def run_cell(self, number: int) -> str:
        """Run a cell of code with Shift+Enter, as one does, and give what it shows as text."""
        self._enter(number)
        self.ask(f"code()[{number}].model.clearExecution(); return true;", "the cell's old output goes away")
        self.page.keyboard.press("Shift+Enter")
        self.ask(f"return code()[{number}].model.executionCount && idle();", "the cell gets a number")
        return self.ask(f"return [code()[{number}].outputArea.node.innerText];", "the cell's output")[0]

    def type_into_cell(self, number: int, source: str) -> None:
        """Replace what stands in a cell of code by typing over it."""
        self._enter(number)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(source)
        typed = f"return code()[{number}].model.sharedModel.source === {json.dumps(source)};"
        self.ask(typed, "the cell holds what was typed")

    def _enter(self, number: int) -> None:
        """Click into a cell's editor."""
        script = f"""
            const cell = code()[{number}];
            await panel.content.scrollToCell(cell);
            return [panel.content.widgets.indexOf(cell)];"""
        (index,) = self.ask(script, "the cell comes into view")
        self.page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{index}"] .cm-content').click()
