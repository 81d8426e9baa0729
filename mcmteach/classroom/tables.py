"""Tables: marks as a spreadsheet reads them, marks by hand, and what Canvas and Moodle take back."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcmteach.classroom.course import Exercise
from mcmteach.classroom.feedback import number, total_in_words
from mcmteach.classroom.submissions import Entry, Person, read_table
from mcmteach.errors import InvalidInputError
from mcmteach.validation import printable

MANUAL = ["student", "task", "points", "comment"]
FORMULA = tuple("=+-@＝＋－＠")


@dataclass
class Row:
    """One submission, and its result."""

    entry: Entry
    result: dict[str, Any]

    @property
    def tasks(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = self.result.get("tasks", {})
        return found

    @property
    def unread(self) -> list[str]:
        return [task for task, mark in self.tasks.items() if mark["points"] is None]

    @property
    def points(self) -> float:
        """The points so far: what is not yet read has none."""
        return sum(mark["points"] or 0.0 for mark in self.tasks.values())

    @property
    def out_of(self) -> float:
        """What the points so far are out of."""
        return sum(mark["out_of"] for mark in self.tasks.values() if mark["points"] is not None)

    @property
    def what_happened(self) -> str:
        said = self.entry.problem or self.result.get("not_gradable") or self.result.get("failed") or ""
        text = "; ".join(filter(None, [said, *self.entry.notes, *self.result.get("notes", [])]))
        return text if len(text) <= 1000 else text[:1000] + " …"


# --- the table of marks --------------------------------------------------------------------------------------------------


def write_table(rows: list[Row], path: Path) -> None:
    """A row per submission: marks, what they are out of, what is left to read, what happened, and each task with its hint."""
    tasks = sorted({task for row in rows for task in row.tasks}, key=_by_number)
    head = ["student", "exercise", "marks", "out of", "to read", "what happened", "file"]
    lines = [head + [column for task in tasks for column in (task, f"{task} said")]]
    for row in rows:
        line = [row.entry.student, row.entry.exercise, number(row.points), number(row.out_of), " ".join(row.unread)]
        line += [row.what_happened, row.entry.place]
        for task in tasks:
            mark = row.tasks.get(task)
            if mark is None:
                line += ["", ""]
            else:
                line += ["" if mark["points"] is None else number(mark["points"]), hint_of(mark)]
        lines.append(line)
    _write(lines, path)


def _by_number(task: str) -> list[tuple[int, str]]:
    return [(int(part) if part.isdecimal() else 0, part) for part in task.split(".")]


def hint_of(mark: dict[str, Any]) -> str:
    """What the student was told: without the heading, the backquotes and the pointer to hints."""
    lines = [line.strip() for line in mark["words"].split("\n")[1:] if not line.startswith("`hint(")]
    told = printable(" ".join(lines)).replace("`", "")[:500] if mark["kind"] not in ("right", "") else ""
    return " ".join(filter(None, [told, mark.get("comment", "")]))


def _write(lines: Iterable[list[str]], path: Path) -> None:
    """Written completely or not at all, readable by its owner only."""
    temporary = path.with_suffix(".tmp")
    with temporary.open("w", newline="", encoding="utf-8-sig") as file:  # with a mark that lets Excel see UTF-8
        csv.writer(file).writerows([harmless(cell) for cell in line] for line in lines)
    os.replace(temporary, path)


def harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: names and messages come from the students.

    A text that begins with one of = + - @ would be one, and in countries with a decimal comma so would one after a semicolon,
    which separates cells there.

    Examples
    --------
    >>> harmless("=1+1"), harmless("a;=1+1"), harmless("-1.5")
    ("'=1+1", 'a,=1+1', '-1.5')
    """
    cell = printable(cell).replace(";", ",")
    is_number = cell.strip().lstrip("+-").replace(".", "", 1).isdecimal()
    return f"'{cell}" if cell.lstrip(" '\"")[:1] in FORMULA and not is_number else cell


# --- marks by hand -------------------------------------------------------------------------------------------------------


def merge_manual(path: Path, rows: list[Row], exercises: dict[Path, Exercise]) -> None:
    """Points and comments by hand, over those of the machine; then a line at the end of the file for each that is to read.

    Lines that are there are never changed. InvalidInputError names a line that fits nobody, or no task.
    """
    lines = read_table(path) if path.exists() else []
    wrong = [
        f"{path}, line {n}: {fault}" for n, line in enumerate(lines, 2) if (fault := _merge(line, rows, exercises))
    ]
    if wrong:
        raise InvalidInputError("\n".join(["Marks by hand could not be entered; nothing was written.", *wrong]))
    there = {(line.get("student", ""), line.get("task", "")) for line in lines}
    new = [[row.entry.student, task, "", ""] for row in rows for task in row.unread]
    new = [line for line in new if (harmless(line[0]), line[1]) not in there and (line[0], line[1]) not in there]
    if not path.exists():
        _write([MANUAL, *new], path)
    elif new:
        text = path.read_text(encoding="utf-8-sig")
        separator = max(",;\t", key=text.partition("\n")[0].count)
        with path.open("a", newline="", encoding="utf-8") as file:
            file.write("" if text.endswith("\n") or not text else "\n")
            csv.writer(file, delimiter=separator).writerows([harmless(cell) for cell in line] for line in new)


def _merge(line: dict[str, str], rows: list[Row], exercises: dict[Path, Exercise]) -> str:
    """Enter a line; what is wrong with it, or nothing."""
    student, task, points, comment = (line.get(name, "") for name in MANUAL)
    if not (points or comment):
        return ""
    theirs = [row for row in rows if student in (row.entry.student, harmless(row.entry.student))]
    if not theirs:
        return f"there is no student {student!r} in the table."
    row = next((row for row in theirs if task in row.tasks), None)
    if row is None:
        row = next(
            (r for r in theirs if r.entry.source in exercises and _enter_tasks(r, exercises[r.entry.source], task)),
            None,
        )
    if row is None:
        return f"there is no task {task!r} in what {student} handed in."
    mark = row.tasks[task]
    if points:
        try:
            value = float(points.replace(",", "."))
        except ValueError:
            return f"{points!r} is not a number of points."
        if not 0 <= value <= mark["out_of"]:
            return f"task {task} has {number(mark['out_of'])} points; {points} is not between 0 and that."
        mark["points"] = value
    mark["comment"] = comment
    return ""


def _enter_tasks(row: Row, exercise: Exercise, task: str) -> bool:
    """A place for a mark entered by hand where nothing could be graded (it came by mail, or on paper)."""
    if task not in {graded.task for graded in exercise.graded.values()} or row.tasks:
        return False
    row.result["tasks"] = {
        g.task: {"points": 0.0, "out_of": g.points, "kind": "blank", "mistake": "", "words": "", "text": ""}
        for g in exercise.graded.values()
    }
    return True


# --- back to the platform ------------------------------------------------------------------------------------------------


def write_gradebook(platform: str, rows: list[Row], people: dict[str, Person], path: Path) -> list[str]:
    """The totals as Canvas or Moodle imports them; the students left out because something is not yet read.

    Their cells stay empty: both platforms then keep what they have.
    """
    exercises = sorted({row.entry.exercise for row in rows if row.tasks})
    of = {(row.entry.student, row.entry.exercise): row for row in rows if row.tasks}
    students = list(dict.fromkeys([*people, *(row.entry.student for row in rows if row.tasks)]))
    ids = {row.entry.student: row.entry.id for row in rows if row.entry.id}
    fixed = {
        "canvas": ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"],
        "moodle": ["Identifier", "Full name", "Email address", "ID number"],
    }[platform]
    lines = [fixed + [c for e in exercises for c in ([e] if platform == "canvas" else [e, f"{e} feedback"])]]
    waiting = []
    for student in students:
        known = people[student].line if student in people else {}
        own = {"Student": student, "Full name": student, "ID": ids.get(student, "")}
        own["Identifier"] = f"Participant {ids[student]}" if student in ids else ""
        line = [known.get(column) or own.get(column, "") for column in fixed]
        for exercise in exercises:
            row = of.get((student, exercise))
            done = row is not None and not row.unread
            line.append(number(row.points) if row and done else "")
            if platform == "moodle":
                line.append(total_in_words(row.tasks) if row else "")
            waiting += [f"{student} ({exercise})"] if row and not done else []
        lines.append(line)
    _write(lines, path)
    return waiting
