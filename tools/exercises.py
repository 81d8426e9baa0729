"""Make the students' notebooks and the solutions out of exercises/source: ``make exercises``."""

from __future__ import annotations

from pathlib import Path

from mcmteach.classroom.course import read_exercise, released, solved

FOLDER = Path(__file__).parents[1] / "exercises"


def student(source: Path) -> str:
    """The text of the notebook that a student gets."""
    return released(read_exercise(source)).replace("](../../", "](../")  # it lies one folder higher than its source


def solution(source: Path) -> str:
    """The text of the notebook with the answers."""
    return solved(read_exercise(source))


def main() -> None:
    for source in sorted((FOLDER / "source").glob("*.ipynb")):
        (FOLDER / source.name).write_text(student(source), encoding="utf-8")
        (FOLDER / "solutions" / source.name).write_text(solution(source), encoding="utf-8")
        print(f"exercises/{source.name} and its solution")


if __name__ == "__main__":
    main()
