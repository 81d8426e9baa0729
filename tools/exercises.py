"""Make the students' notebooks and the solutions out of exercises/source: ``make exercises``.

Numbers come from the syllabus: when a lesson was inserted or moved, each source gets its new number first, in its name and in
its text.
"""

from __future__ import annotations

import re
from pathlib import Path

from mcmteach.checks.syllabus import notebook_name, number_of
from mcmteach.classroom.course import read_exercise, released, solved

FOLDER = Path(__file__).parents[1] / "exercises"


def student(source: Path) -> str:
    """The text of the notebook that a student gets."""
    return released(read_exercise(source)).replace("](../../", "](../")  # it lies one folder higher than its source


def solution(source: Path) -> str:
    """The text of the notebook with the answers."""
    return solved(read_exercise(source))


def renumbered(text: str, number: int) -> str:
    """A source in which the exercise and its tasks have this number, and links to lessons those of the syllabus."""
    text = re.sub(r'"(about|given|task|test)-\d+-(\d+)"', rf'"\1-{number}-\2"', text)  # names of cells
    text = re.sub(r'(## |(?:check|hint)\(\\")\d+\.(\d+)', rf"\g<1>{number}.\2", text)
    text = re.sub(r"# Exercise \d+:", f"# Exercise {number}:", text)
    named = re.compile(r"\b(?:tasks?|until) \d+\.\d(?:(?:,| and| to) \d+\.\d)*")  # "task 3.1", "tasks 4.1 and 4.2"
    text = named.sub(lambda found: re.sub(r"\d+\.", f"{number}.", found[0]), text)
    linked = re.compile(r"\[lesson \d+\]\(\.\./\.\./lessons/\d+_(\w+)\.ipynb")
    return linked.sub(lambda found: f"[lesson {number_of(found[1])}](../../lessons/{notebook_name(found[1])}", text)


def renumber(source: Path) -> Path:
    """Give a source the number that the syllabus has for its topic, and return its path."""
    topic = source.stem.partition("_")[2]
    text = renumbered(source.read_text(encoding="utf-8"), number_of(topic))
    source.write_text(text, encoding="utf-8")
    return source.rename(source.with_name(notebook_name(topic)))


def main() -> None:
    for source in sorted(map(renumber, list((FOLDER / "source").glob("*.ipynb")))):
        (FOLDER / source.name).write_text(student(source), encoding="utf-8")
        (FOLDER / "solutions" / source.name).write_text(solution(source), encoding="utf-8")
        print(f"exercises/{source.name} and its solution")


if __name__ == "__main__":
    main()
