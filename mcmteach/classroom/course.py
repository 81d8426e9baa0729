"""The teacher's sources: what is graded in them, the faults in them, and the students' notebooks that are made of them."""

from __future__ import annotations

import ast
import re
import runpy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mcmteach
from mcmteach.checks import find_task
from mcmteach.checks.task import Explanation, Task
from mcmteach.classroom.variants import choose
from mcmteach.errors import InvalidInputError

ROOT = Path(mcmteach.__file__).parent.parent
# A stub that runs, so that the whole notebook runs from the start and each check says what is still to do.
STUB = {"ClearSolutions": {"code_stub": {"python": "..."}}}
OWN_TASKS = "tasks.py"  # a teacher's own tasks, beside the sources
MARKERS = ("SOLUTION", "HIDDEN TESTS")
UPWARD = ("](../../", "](../")  # the beginning of a link in a source, and in the notebook that is made of it
CHECK = re.compile(r'^check\("([\w.]+)", (\w+)\)', re.MULTILINE)


@dataclass(frozen=True)
class Graded:
    """A cell with points: a test, or a text that a person reads."""

    grade_id: str
    task: str  #: its number, as students know it
    name: str  #: what the answer is called in the notebook
    points: float
    code: str
    is_text: bool


@dataclass(frozen=True)
class Exercise:
    """A source, read and found to be without faults."""

    path: Path
    notebook: Any
    graded: Mapping[str, Graded]
    own_tasks: Mapping[str, Task | Explanation]

    def task(self, number: str) -> Task | Explanation:
        return self.own_tasks[number] if number in self.own_tasks else find_task(number)

    def has_text(self, text: str) -> bool:
        """Whether a cell's text is the teacher's: as it stands, or with its links as they are one folder higher."""
        return text.strip() in {
            cell.source.replace("](../../", up).strip() for cell in self.notebook.cells for up in UPWARD
        }

    @property
    def title(self) -> str:
        first = next((c.source for c in self.notebook.cells if c.cell_type == "markdown"), "")
        return first.partition("\n")[0].lstrip("# ") or self.path.stem


def find_sources(folder: Path | None) -> list[Path]:
    """The exercises' sources."""
    places = [folder] if folder else [Path("exercises/source"), ROOT / "exercises" / "source"]
    for place in places:
        if found := sorted(place.glob("[0-9][0-9]_*.ipynb")):
            return found
    raise InvalidInputError(
        f"There are no exercise sources in {' or '.join(map(str, places))}. Name their folder with --source; they are in the "
        "course's exercises/source, or in your private copy of it."
    )


def read_exercise(path: Path, key: str = "", student: str = "") -> Exercise:
    """A source, with a student's own numbers if there is a ``key``. InvalidInputError names every fault with its place."""
    import nbformat

    try:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except Exception as problem:  # nbformat passes on errors of any type
        raise InvalidInputError(f"{path} is not a notebook: {str(problem)[:300]}") from None
    own = _own_tasks(path.with_name(OWN_TASKS))
    choose(notebook, key, student)
    graded: dict[str, Graded] = {}
    faults = []
    for number, cell in enumerate(notebook.cells, start=1):
        name = cell.get("id", "")
        faults += [f"{path}, cell {number} ({name}){fault}" for fault in _faults(cell, graded, own)]
    if not graded and not faults:
        faults.append(f"{path}: no cell has points.")
    if faults:
        raise InvalidInputError("\n".join(["The source has faults; nothing was done with it.", *faults]))
    return Exercise(path, notebook, graded, own)


def _faults(cell: Any, graded: dict[str, Graded], own: Mapping[str, Task | Explanation]) -> list[str]:
    """What is wrong with a cell. One that is right and has points is entered in ``graded``."""
    faults = _faults_of_form(cell)
    about = cell.metadata.get("nbgrader", {})
    if faults or not about.get("grade"):
        return faults
    grade_id, points = about.get("grade_id", ""), about.get("points")
    if grade_id in graded:
        faults.append(f": another cell has the same name {grade_id!r}.")
    if not isinstance(points, int | float) or points < 0:
        faults.append(f": {points!r} is not a number of points.")
    is_text = bool(about.get("solution"))
    found = CHECK.search(cell.source)
    name = re.search(r"^(\w+) = ", cell.source, re.MULTILINE)
    if found is None and (name is None or not is_text):
        return [*faults, ': it has points, but no line check("NUMBER", NAME), and it is not a text either.']
    task, answer = (
        (found[1], found[2]) if found else (grade_id.removeprefix("task-").replace("-", "."), str(name and name[1]))
    )
    if task not in own:
        try:
            find_task(task)
        except InvalidInputError as problem:
            faults.append(f": {problem} A task of your own belongs in {OWN_TASKS} beside the source.")
    if not faults:
        graded[grade_id] = Graded(grade_id, task, answer, float(points), cell.source, is_text)
    return faults


def _faults_of_form(cell: Any) -> list[str]:
    """Markers without a partner, and code that is not valid Python."""
    faults = [
        f": there are {cell.source.count(begin)} of {begin!r} and {cell.source.count(end)} of {end!r}."
        for what in MARKERS
        if cell.source.count(begin := f"### BEGIN {what}") != cell.source.count(end := f"### END {what}")
    ]
    if cell.cell_type == "code":
        try:
            ast.parse(as_python(cell.source))
        except SyntaxError as problem:
            faults.append(f", line {problem.lineno}: {problem.msg}: {(problem.text or '').strip()}")
    return faults


def _own_tasks(path: Path) -> dict[str, Task | Explanation]:
    """A teacher's own tasks: the list ``TASKS`` in a file beside the sources, as ``mcmteach/checks/tasks`` has them."""
    if not path.exists():
        return {}
    try:
        tasks = runpy.run_path(str(path))["TASKS"]
    except SyntaxError as problem:
        raise InvalidInputError(f"{path}, line {problem.lineno}: {problem.msg}.") from None
    except KeyError:
        raise InvalidInputError(f"{path} has no list TASKS.") from None
    return {task.number: task for task in tasks}


def as_python(code: str) -> str:
    """A cell's code without magic commands, which only a notebook understands."""
    return re.sub(r"^(\s*)[%!].*$", r"\1pass", code, flags=re.MULTILINE)


def without_checks(code: str) -> str:
    return re.sub(r"^(check|hint|progress)\(.*\)$", "", code, flags=re.MULTILINE)


def needed_cells(exercise: Exercise) -> list[Any]:
    """The cells with points, and of the teacher's other code what they build on: imports and data, but not demonstrations."""
    chosen: list[Any] = []
    needed: set[str] = set()
    for cell in reversed([c for c in exercise.notebook.cells if c.cell_type == "code"]):
        about = cell.metadata.get("nbgrader", {})
        if about.get("solution") and not about.get("grade"):
            continue
        code = ast.parse(as_python(without_checks(cell.source)))
        if about or _bound(code) & needed:
            chosen.append(cell)
            needed |= {n.id for n in ast.walk(code) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return chosen[::-1]


def _bound(code: ast.AST) -> set[str]:
    """The names that a piece of code gives a value to."""
    names = set()
    for node in ast.walk(code):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return names


# --- the students' notebooks -------------------------------------------------------------------------------------------


def released(exercise: Exercise) -> str:
    """The text of the notebook that a student gets, by nbgrader's own steps without its database."""
    from nbgrader import preprocessors as step

    cleared = (step.LockCells, step.ClearSolutions, step.ClearOutput, step.CheckCellMetadata, step.ComputeChecksums)
    return _made(exercise, [*cleared, step.ClearHiddenTests, step.ClearMarkScheme, step.ComputeChecksums])


def solved(exercise: Exercise) -> str:
    """The text of the notebook with the answers, without the hidden tests: what a student may read afterwards."""
    from nbgrader import preprocessors as step

    return _made(
        exercise,
        [step.LockCells, step.ClearOutput, step.CheckCellMetadata, step.ClearHiddenTests, step.ClearMarkScheme],
    )


def _made(exercise: Exercise, steps: list) -> str:
    import nbformat
    from traitlets.config import Config

    notebook = nbformat.from_dict(exercise.notebook)
    resources: dict[str, Any] = {}
    notebook.metadata.language_info = {"name": "python"}  # and not whichever version was used last
    for cell in notebook.cells:  # a student's mcmteach does not know the teacher's own tasks
        if (found := CHECK.search(cell.source)) and found[1] in exercise.own_tasks:
            cell.source = cell.source.replace(found[0], "# this one is checked when it is graded")
    for preprocessor in steps:
        notebook, resources = preprocessor(config=Config(STUB)).preprocess(notebook, resources)
    return nbformat.writes(notebook) + "\n"
