"""How long a lesson takes, computed from what is in it:  python -m tools.pace [lesson …]  writes the minutes into the lessons.

Words are read at 200 a minute. On top of that comes what one does: COSTS, and what a text asks for with "your part: 25
minutes". Each section says, below its heading, how many minutes it is to there; the first cell says how many in all. Folded
boxes (``<details>``) are read by choice and not counted.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import nbformat

from tools.ledger import ROOT

WORDS_A_MINUTE = 200
#: minutes for each cell of a kind: to run it, to read its code and what it shows, and to try what it asks for
COSTS = {"code": 1.5, "formula": 1.0, "question": 1.5, "gap": 3.0, "panel": 6.0}
OWN = re.compile(r"your part: (\d+) minutes")
NOTE = re.compile(r"\n\n<sub>about \d+ minutes? to here</sub>")
WHOLE = re.compile(r"(?<=bout )\d+(?= minutes)")


def kind_of(source: str) -> str:
    """What a code cell is to its reader."""
    for mark, kind in {"_panel(": "panel", "Quiz(": "question", "Predict(": "question", "mt.check(": "gap"}.items():
        if mark in source:
            return kind
    return "code"


def minutes(cell: Any) -> float:
    """How long one cell takes."""
    if cell.cell_type == "code":
        return COSTS[kind_of(cell.source)]
    text = re.sub(r"<details>.*?</details>", "", NOTE.sub("", cell.source), flags=re.S)
    return (
        len(text.split()) / WORDS_A_MINUTE + COSTS["formula"] * text.count("$$") / 2 + sum(map(int, OWN.findall(text)))
    )


def to_here(notebook: Any) -> dict[int, float]:
    """For each cell that begins a section, by its place: the minutes before it."""
    spent = [0.0]
    for cell in notebook.cells:
        spent.append(spent[-1] + minutes(cell))
    return {
        place: spent[place]
        for place, cell in enumerate(notebook.cells)
        if cell.cell_type == "markdown" and cell.source.startswith("## ")
    }


def whole(notebook: Any) -> float:
    """The minutes of a lesson."""
    return sum(map(minutes, notebook.cells))


def write(notebook: Any) -> None:
    """Write the minutes where the lesson says them: in all to the nearest five, to a section to the nearest one."""
    first = notebook.cells[0]
    first.source = WHOLE.sub(str(5 * round(whole(notebook) / 5)), first.source, count=1)
    for place, spent in to_here(notebook).items():
        cell = notebook.cells[place]
        heading, _, rest = NOTE.sub("", cell.source, count=1).partition("\n")
        minutes = round(spent)
        cell.source = f"{heading}\n\n<sub>about {minutes} minute{'s' * (minutes != 1)} to here</sub>\n{rest}"


def main(arguments: list[str]) -> None:
    paths = [ROOT / "lessons" / Path(name).name for name in arguments]
    for path in paths or sorted(ROOT.glob("lessons/*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        write(notebook)
        nbformat.write(notebook, path)
        print(f"{path.name:36} {whole(notebook):4.0f} minutes")


if __name__ == "__main__":
    main(sys.argv[1:])
