"""Pictures to look at without a browser.

python -m tools.picture                  the README's picture, lessons/welcome.png, out of the stored welcome lesson
python -m tools.picture kernel_panel     a panel as it opens, into shots/kernel_panel.png, and its text
"""

from __future__ import annotations

import base64
import json
import sys

from tools.ledger import ROOT, lesson_path


def welcome() -> None:
    """Store the first picture of the welcome lesson as a file."""
    cells = json.loads(lesson_path("welcome").read_text(encoding="utf-8"))["cells"]
    stored = (output.get("data", {}).get("image/png") for cell in cells for output in cell.get("outputs", []))
    (ROOT / "lessons" / "welcome.png").write_bytes(base64.b64decode(next(filter(None, stored))))


def panel(name: str) -> None:
    """Draw a panel of the lessons as it opens."""
    from mcmteach import widgets

    shown = getattr(widgets, name)()
    path = ROOT / "shots" / f"{name}.png"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(shown.picture.png)
    print(shown, path.relative_to(ROOT), sep="\n")


if __name__ == "__main__":
    panel(sys.argv[1]) if len(sys.argv) > 1 else welcome()
