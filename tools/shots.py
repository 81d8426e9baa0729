"""``make shots``: every lesson as a student sees it, run in JupyterLab, in pictures of at most 2000 pixels' height.

``shots/NN_name/laptop-01.png``, ... is a window 1280 pixels wide; ``projector-01.png``, ... is the same width at a browser's
zoom of 150 %, with the side bar closed, as one would stand before a class.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser

from tests.browser.lab import ROOT, Lab, Server, chromium, find_chromium, jupyterlab

FOLDER = ROOT / "shots"
OVERLAP = 60  # pixels that a picture repeats from the one before, so that no line is only seen cut in two


class Screen(NamedTuple):
    """A window in pixels, and the browser's zoom."""

    name: str
    width: int
    height: int
    zoom: float
    side_bar: bool


SCREENS = (Screen("laptop", 1280, 1900, 1.0, True), Screen("projector", 1280, 1900, 1.5, False))


def photograph(browser: Browser, server: Server, lesson: Path, screen: Screen) -> int:
    """Run a lesson on a screen and scroll through it. Gives the number of pictures."""
    # A browser that zooms makes the page think that its window is smaller and its pixels are bigger.
    size = {"width": round(screen.width / screen.zoom), "height": round(screen.height / screen.zoom)}
    context = browser.new_context(viewport=size, device_scale_factor=screen.zoom)
    lab = Lab(context.new_page(), server, seconds=180)
    lab.open(f"lessons/{lesson.name}")
    if not screen.side_bar:
        lab.ask("app.shell.collapseLeft(); return true;", "the side bar closes")
    lab.run_all()
    top, number = 0, 0
    while top is not None:
        number += 1
        top = scroll(lab, top)
        lab.page.screenshot(path=FOLDER / lesson.stem / f"{screen.name}-{number:02}.png")
    context.close()
    server.end_kernels()
    return number


def scroll(lab: Lab, top: int) -> int | None:
    """Show the notebook from ``top`` on; gives where the next picture begins, None if this one shows the end."""
    script = f"""
        const box = panel.node.querySelector('.jp-WindowedPanel-outer');
        box.scrollTop = {top};
        await new Promise(wait => setTimeout(wait, 400));  // cells out of view are laid out only now
        const end = box.scrollTop + box.clientHeight;
        const cells = panel.node.querySelectorAll('.jp-Cell'), last = cells[cells.length - 1];
        if (last.dataset.windowedListIndex == panel.content.widgets.length - 1 &&
            last.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom) return [null];
        return [end + 2 >= box.scrollHeight || box.scrollTop + 2 < {top} ? null : end - {OVERLAP}];"""
    return lab.ask(script, "the notebook scrolls")[0]


def main(names: list[str]) -> None:
    executable = find_chromium()
    if executable is None:
        sys.exit(
            "No Chromium found. Install your system's package (Debian: apt-get install chromium) or name one in CHROMIUM."
        )
    lessons = [ROOT / "lessons" / Path(name).name for name in names] or sorted(ROOT.glob("lessons/*.ipynb"))
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        chromium(executable) as browser,
        jupyterlab(Path(folder)) as server,
    ):
        for lesson in lessons:
            shutil.rmtree(FOLDER / lesson.stem, ignore_errors=True)
            for screen in SCREENS:
                number = photograph(browser, server, lesson, screen)
                print(f"{(FOLDER / lesson.stem).relative_to(ROOT)}: {number} pictures, {screen.name}")


if __name__ == "__main__":
    main(sys.argv[1:])
