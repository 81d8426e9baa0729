"""The table in lessons/README.md, from the lessons and the ledger:  python -m tests.course_map  prints it."""

from __future__ import annotations

import json
import re

from tests.ledger import LEDGER, ROOT, read_ledger


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
        lines.append(f"| [{int(path.name[:2])} {name}]({path.name}) | {about} | {link} | {equations(path.name[:2])} |")
    return lines


if __name__ == "__main__":
    print("\n".join(rows()))
