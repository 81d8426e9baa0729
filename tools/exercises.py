"""Make the students' notebooks and the solutions out of exercises/source, by nbgrader's own steps: ``make exercises``.

The steps are those of ``nbgrader generate_assignment`` and ``generate_solution`` without their database. The solutions
leave out the hidden tests too, so that what a student may read is the answer and not the examiner's notes.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbgrader import preprocessors as step
from traitlets.config import Config

from mcmteach.classroom.course import STUB

FOLDER = Path(__file__).parents[1] / "exercises"
CONFIG = Config(STUB)

STUDENT = [
    step.LockCells,
    step.ClearSolutions,
    step.ClearOutput,
    step.CheckCellMetadata,
    step.ComputeChecksums,
    step.ClearHiddenTests,
    step.ClearMarkScheme,
    step.ComputeChecksums,
    step.CheckCellMetadata,
]
SOLUTION = [step.LockCells, step.ClearOutput, step.CheckCellMetadata, step.ClearHiddenTests, step.ClearMarkScheme]


def student(source: Path) -> str:
    """The text of the notebook that a student gets."""
    return _made(source, STUDENT).replace("](../../", "](../")  # it lies one folder higher than its source


def solution(source: Path) -> str:
    """The text of the notebook with the answers."""
    return _made(source, SOLUTION)


def _made(source: Path, steps: list) -> str:
    notebook, resources = nbformat.read(source, as_version=4), {}
    notebook.metadata.pop("language_info", None)  # it names whichever Python was used last
    for preprocessor in steps:
        notebook, resources = preprocessor(config=CONFIG).preprocess(notebook, resources)
    return nbformat.writes(notebook) + "\n"


def main() -> None:
    for source in sorted((FOLDER / "source").glob("*.ipynb")):
        (FOLDER / source.name).write_text(student(source), encoding="utf-8")
        (FOLDER / "solutions" / source.name).write_text(solution(source), encoding="utf-8")
        print(f"exercises/{source.name} and its solution")


if __name__ == "__main__":
    main()
