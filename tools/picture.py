"""Pictures to look at without a browser.

python -m tools.picture                  what the README shows: lessons/welcome.png, out of the stored lesson, and its badges
python -m tools.picture kernel_panel     a panel as it opens, into shots/kernel_panel.png, and its text
"""

from __future__ import annotations

import base64
import json
import sys
import tomllib
from pathlib import Path

from tools.ledger import ROOT, lesson_path

BADGE = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{name}: {value}">
<rect width="{width}" height="20" rx="3" fill="#444"/><path d="M{middle} 0h{right}v20h-{right}z" fill="#0072b2"/>
<g fill="#fff" font-family="DejaVu Sans, Verdana, sans-serif" font-size="11"><text x="6" y="14">{name}</text>\
<text x="{start}" y="14">{value}</text></g>
</svg>
"""


def welcome() -> bytes:
    """The first picture of the welcome lesson."""
    cells = json.loads(lesson_path("welcome").read_text(encoding="utf-8"))["cells"]
    stored = (output.get("data", {}).get("image/png") for cell in cells for output in cell.get("outputs", []))
    return base64.b64decode(next(filter(None, stored)))


def badges() -> dict[str, str]:
    """{name: what it says}, from the files that decide it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "python": project["requires-python"].removeprefix(">=") + "+",
        "licence": project["license"],
        "lessons": str(len(list(ROOT.glob("lessons/[0-9]*.ipynb")))),
    }


def files() -> dict[Path, bytes]:
    """What the README shows."""
    shown = {ROOT / "lessons" / "welcome.png": welcome()}
    for name, value in badges().items():
        middle, right = 7 * len(name) + 10, 7 * len(value) + 10
        svg = BADGE.format(name=name, value=value, width=middle + right, middle=middle, right=right, start=middle + 6)
        shown[ROOT / "docs" / "badges" / f"{name}.svg"] = svg.encode()
    return shown


def write() -> None:
    for path, content in files().items():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)


def panel(name: str) -> None:
    """Draw a panel of the lessons as it opens."""
    from mcmteach import widgets

    shown = getattr(widgets, name)()
    path = ROOT / "shots" / f"{name}.png"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(shown.picture.png)
    print(shown, path.relative_to(ROOT), sep="\n")


if __name__ == "__main__":
    panel(sys.argv[1]) if len(sys.argv) > 1 else write()
