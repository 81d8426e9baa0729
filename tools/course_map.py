"""The tables in lessons/README.md, from the lessons and the ledger:  python -m tools.course_map  writes them there."""

from __future__ import annotations

import json
import re
from itertools import groupby

from mcmteach.checks.syllabus import PLANNED, TOPICS, number_of
from tools.ledger import LEDGER, ROOT, Entry, lesson_path, read_ledger

HEAD = "| lesson | minutes | builds on | exercise | equations taught |\n|---|---|---|---|---|\n"
INDEX_HEAD = "| equations | lessons |\n|---|---|\n"


def equations(topic: str) -> str:
    """What a lesson teaches of the sources: numbered equations as ranges, the rest counted."""
    ids = [entry.id for entry in read_ledger(LEDGER.read_text(encoding="utf-8")) if topic in entry.lesson.split()]
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
        numbered = [(int(m[1]), _numbers(e)) for e in entries if (m := re.fullmatch(rf"{source}\((\d+)\)", e.id))]
        for lessons, group in groupby(sorted(numbered), key=lambda pair: pair[1]):
            lines.append(f"| {source}({_ranges([number for number, _ in group])}) | {', '.join(map(str, lessons))} |")
        named = sorted((_numbers(e), e.id.removeprefix(f"{source}-")) for e in entries if e.id.startswith(f"{source}-"))
        for lessons, group in groupby(named, key=lambda pair: pair[0]):
            lines.append(f"| {source}: {', '.join(name for _, name in group)} | {', '.join(map(str, lessons))} |")
    return lines


def _numbers(entry: Entry) -> list[int]:
    return [number_of(topic) for topic in entry.lesson.split()]


def rows() -> list[str]:
    """One line of the table for each lesson."""
    lines = []
    for number, topic in enumerate(TOPICS):
        if topic in PLANNED:
            continue
        path = lesson_path(topic)
        cells = ["".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
        title = re.search(r"^# (?:\d+ · )?(.+)$", cells[0], re.M)
        minutes = re.search(r"[Aa]bout (\d+) minutes", cells[0])
        exercise = ROOT / "exercises" / path.name
        link = f"[{number}](../exercises/{path.name})" if exercise.exists() else "–"
        assert minutes, f"{path.name} does not say how long it takes: python -m tools.pace"
        name = title[1] if title else path.stem
        lines.append(
            f"| [{number} {name}]({path.name}) | {minutes[1]} | {needs(cells[0])} | {link} | {equations(topic)} |"
        )
    return lines


def written(text: str) -> str:
    """The map's text with both tables made anew."""
    for head, lines in ((HEAD, rows()), (INDEX_HEAD, index())):
        before, table = text.split(head)
        after = table.lstrip("|").partition("\n\n")[2] if "\n\n" in table else ""
        text = before + head + "\n".join(lines) + "\n" + (f"\n{after}" if after else "")
    return text


if __name__ == "__main__":
    (ROOT / "lessons" / "README.md").write_text(written((ROOT / "lessons" / "README.md").read_text("utf-8")), "utf-8")
