"""The tables in lessons/README.md, from the lessons and the ledger:  python -m tools.course_map  prints them."""

from __future__ import annotations

import json
import re
from itertools import groupby

from tools.ledger import LEDGER, ROOT, read_ledger


def equations(number: str) -> str:
    """What a lesson teaches of the sources: numbered equations as ranges, the rest counted."""
    ids = [entry.id for entry in read_ledger(LEDGER.read_text(encoding="utf-8")) if number in entry.lesson]
    parts = []
    for source in "NPS":
        numbers = sorted(int(m[1]) for i in ids if (m := re.fullmatch(rf"{source}\((\d+)\)", i)))
        named = sum(i.startswith(f"{source}-") for i in ids)
        if numbers:
            parts.append(f"{source}({_ranges(numbers)})" + (f" and {named} more" if named else ""))
        elif named:
            parts.append(f"{named} of {source}")
    return "; ".join(parts) or "–"


def _ranges(numbers: list[int]) -> str:
    runs: list[list[int]] = []
    for n in numbers:
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def needs(first_cell: str) -> str:
    """The lessons that a lesson's "You need" names, by link or by number."""
    said = [part for part in first_cell.split("\n\n") if part.startswith("You need")]
    text = re.sub(r"\[[^]]*\]\((\d\d)_[^)]*\)", r"lesson \1", said[-1]) if said else ""
    found = re.findall(r"[Ll]essons? (\d+)(?: and (\d+))?", text)
    return ", ".join(str(n) for n in sorted({int(n) for pair in found for n in pair if n})) or "–"


def index() -> list[str]:
    """Where each equation is taught: neighbours with the same lessons in one line, then the unnumbered by their lessons."""
    entries = read_ledger(LEDGER.read_text(encoding="utf-8"))
    lines = []
    for source in "NPS":
        numbered = [(int(m[1]), e.lesson) for e in entries if (m := re.fullmatch(rf"{source}\((\d+)\)", e.id))]
        for lessons, group in groupby(sorted(numbered), key=lambda pair: pair[1]):
            lines.append(f"| {source}({_ranges([number for number, _ in group])}) | {_lessons(lessons)} |")
        named = sorted((e.lesson, e.id.removeprefix(f"{source}-")) for e in entries if e.id.startswith(f"{source}-"))
        for lessons, group in groupby(named, key=lambda pair: pair[0]):
            lines.append(f"| {source}: {', '.join(name for _, name in group)} | {_lessons(lessons)} |")
    return lines


def _lessons(numbers: str) -> str:
    return ", ".join(str(int(number)) for number in numbers.split())


def rows() -> list[str]:
    """One line of the table for each lesson."""
    lines = []
    for path in sorted(ROOT.glob("lessons/[0-9][0-9]_*.ipynb")):
        cells = ["".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
        title = re.search(r"^# (?:\d+ · )?(.+)$", cells[0], re.M)
        minutes = re.search(r"[Aa]bout (\d+) minutes", cells[0])
        exercise = ROOT / "exercises" / path.name
        link = f"[{int(path.name[:2])}](../exercises/{path.name})" if exercise.exists() else "–"
        about = minutes[1] if minutes else "10"
        name = title[1] if title else path.stem
        lines.append(
            f"| [{int(path.name[:2])} {name}]({path.name}) | {about} | {needs(cells[0])} | {link} "
            f"| {equations(path.name[:2])} |"
        )
    return lines


if __name__ == "__main__":
    print("\n".join([*rows(), "", *index()]))
