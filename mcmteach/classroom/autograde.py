"""The worker: nbgrader's autograde, with the submission's own code kept out of it.

nbgrader puts the teacher's locked cells and hidden tests back into the submission, counts points, and writes feedback. Its step
``Execute`` is exchanged for ``judge``, which sends the submission's cells to the sandbox and runs the *teacher's* cells here.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import resource
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import bleach
import nbformat
from nbconvert.filters import markdown2html_mistune
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, GenerateAssignment, GenerateFeedback
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import Execute
from traitlets.config import Config

from mcmteach.checks import find_task
from mcmteach.checks.judge import judge_function, judge_text
from mcmteach.checks.run import TimeUp
from mcmteach.checks.task import Explanation, Task
from mcmteach.checks.words import Verdict
from mcmteach.classroom.remote import Remote, Submission
from mcmteach.classroom.sandbox import LARGEST, MB, Limits

STUDENT = "student"  # each submission has a gradebook of its own, so its name there does not matter
# A stub that runs: the whole notebook does, from the first minute on, and each check says kindly what is still to do.
STUB = {"ClearSolutions": {"code_stub": {"python": "..."}}}
MOST_CELLS = 1000
LONGEST = 5000  # characters of what a student is told about a task: part of it is the student's own
OWN_MEMORY = 2 << 30  # bytes of addresses that the worker may take itself
# A notebook may hold scripts and pictures from elsewhere, and a teacher opens its feedback: the browser is told to run none.
NO_SCRIPTS = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'\">"
)
TAGS = bleach.ALLOWED_TAGS | {"h1", "h2", "h3", "h4", "h5", "h6", "p", "pre", "br", "hr", "details", "summary"}
TAGS |= {"table", "thead", "tbody", "tr", "th", "td"}


@dataclass
class TaskMark:
    """What became of one task."""

    points: float | None  #: None: a person has to read it
    out_of: float
    kind: str = ""
    mistake: str = ""
    words: str = ""


@dataclass
class Marks:
    """What became of a submission."""

    tasks: dict[str, TaskMark] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    feedback: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class NotGradable(Exception):
    """The submission is not what it should be; the message says in what way."""


# --- the course, once ------------------------------------------------------------------------------------------------


def prepare_course(source: Path, folder: Path) -> None:
    """``nbgrader generate_assignment`` for one exercise, in a course of its own with its gradebook."""
    target = folder / "source" / source.stem
    target.mkdir(parents=True)
    shutil.copy(source, target)
    with _quiet():
        GenerateAssignment(coursedir=_course(folder, source.stem), config=_config()).start()


def _course(folder: Path, assignment: str) -> CourseDirectory:
    settings = {"root": str(folder), "assignment_id": assignment, "db_url": f"sqlite:///{folder / 'gradebook.db'}"}
    return CourseDirectory(**settings, student_id=STUDENT if (folder / "submitted").exists() else "*")


def _config() -> Config:
    return Config({
        **STUB,
        "OverwriteCells": {"add_missing_cells": True},
        "HTMLExporter": {"filters": {"markdown2html": _as_html}},
    })  # fmt: skip


def _as_html(text: str) -> str:
    """A text for a feedback page, without what could ask its reader for a password, send him elsewhere, or hide the rest."""
    html: str = bleach.clean(markdown2html_mistune(text), tags=TAGS)
    return html


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without nbgrader's log; with its helper programs on the path."""
    path = os.environ.get("PATH", "")
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{path}"
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        os.environ["PATH"] = path


# --- one submission --------------------------------------------------------------------------------------------------


def grade(submission: Path, source: Path, course: Path, limits: Limits, walled: bool) -> Marks:
    """Grade one notebook in a temporary folder. ``course`` comes from ``prepare_course`` and is not touched."""
    marks = Marks()
    with tempfile.TemporaryDirectory(prefix="mcmteach-grade-") as name:
        folder = Path(name) / "course"
        shutil.copytree(course, folder)
        place = folder / "submitted" / STUDENT / source.stem / source.name
        place.parent.mkdir(parents=True)
        original = nbformat.read(source, as_version=4)
        nbformat.write(readable(submission, original), place)
        coursedir = _course(folder, source.stem)

        def elsewhere(notebook: Any, resources: Any) -> tuple[Any, Any]:
            judge(notebook, original, marks, Path(name), limits, walled)
            return notebook, resources

        with _quiet():
            autograde = Autograde(coursedir=coursedir, config=_config())
            steps = autograde.autograde_preprocessors
            autograde.autograde_preprocessors = [elsewhere if step is Execute else step for step in steps]
            autograde.start()
            GenerateFeedback(coursedir=coursedir, config=_config()).start()
        _read_points(coursedir, source.stem, marks)
        page = folder / "feedback" / STUDENT / source.stem / f"{source.stem}.html"
        marks.feedback = re.sub(
            "<head[^>]*>", lambda head: head[0] + NO_SCRIPTS, page.read_text(encoding="utf-8"), count=1
        )
    return marks


def readable(path: Path, original: Any) -> Any:
    """The submission as a notebook, with nothing in it that would trouble nbgrader. NotGradable if it is none."""
    if path.is_symlink() or not path.is_file():
        raise NotGradable("It is not a file.")
    if path.stat().st_size > LARGEST:
        raise NotGradable(f"The file is larger than {LARGEST // MB} MB. Clear its outputs and hand it in again.")
    try:
        notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(notebook)
        json.dumps(notebook, ensure_ascii=False).encode()  # half a character cannot be written again
    except Exception as problem:  # nbformat raises whatever came up
        raise NotGradable(f"It is not a notebook ({type(problem).__name__}).") from None
    if len(notebook.cells) > MOST_CELLS:
        raise NotGradable(f"It has more than {MOST_CELLS} cells.")
    about = {c.metadata.nbgrader.grade_id: c.metadata.nbgrader for c in original.cells if "nbgrader" in c.metadata}
    seen = set()
    for cell in notebook.cells:
        claimed, cell.metadata = cell.metadata.get("nbgrader"), nbformat.from_dict({})
        grade_id = claimed.get("grade_id") if isinstance(claimed, dict) else None
        if isinstance(grade_id, str) and grade_id in about and grade_id not in seen:
            cell.metadata = nbformat.from_dict({"nbgrader": dict(about[grade_id])})
            seen.add(grade_id)
    if not seen & about.keys():
        raise NotGradable("None of the exercise's cells is in it. Is it another notebook?")
    notebook.metadata = nbformat.from_dict({"kernelspec": original.metadata.kernelspec})
    return notebook


def judge(notebook: Any, original: Any, marks: Marks, folder: Path, limits: Limits, walled: bool) -> None:
    """Run the submission over there and the teacher's cells here; leave in each test cell what nbgrader looks for."""
    names = {grade_id: _handed_in(cell) for grade_id, cell in _graded(original).items()}
    steps, cells = [], []
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        if cell.cell_type == "code" and grade_id not in _tests(original):
            steps.append({"code": cell.source})
            cells.append(cell)
        if grade_id in names:
            steps.append(dict(zip(("keep", "name"), names[grade_id], strict=True)))
            cells.append(None)
    with Submission(steps, folder, limits, walled) as submission:
        bench = Bench(submission)
        tests = {c.metadata.nbgrader.grade_id: c for c in notebook.cells if "nbgrader" in c.metadata}
        for cell in needed_cells(original):
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
            if grade_id in names:
                task, name = names[grade_id]
                verdict = bench.test(task, name, cell.source if grade_id in _tests(original) else "")
                marks.tasks[task] = TaskMark(
                    0.0, float(cell.metadata.nbgrader.points), verdict.kind, verdict.mistake, str(verdict)[:LONGEST]
                )
                if grade_id in _tests(original):
                    tests[grade_id].outputs = [] if verdict.passed else [_failure(verdict)]
            elif problem := bench.run(cell.source):
                marks.notes.append(f"a cell of the teacher's, on which tests build, stopped with {problem}")
    for i, error in submission.errors.items():
        if cells[i] is not None:
            cells[i].outputs = [
                nbformat.v4.new_output("error", ename=error["type"], evalue=error["message"], traceback=[])
            ]
    marks.notes += submission.notes


class Bench:
    """Where the teacher's cells run, with the submission's functions under their names."""

    def __init__(self, submission: Submission):
        self.submission, self.names = submission, {"__name__": "__main__"}

    def run(self, code: str) -> str:
        """A cell of the teacher's that is no test: what went wrong, as it may where an answer is missing."""
        try:
            exec(compile(_without_checks(code), "<cell>", "exec"), self.names)
        except Exception as problem:
            return f"{type(problem).__name__}: {problem}"[:200]
        return ""

    def test(self, task: str, name: str, code: str) -> Verdict:
        """The verdict on a task: ``check`` first, then the hidden tests."""
        chosen, answer = find_task(task), self.submission.answer(task)
        self.names[name] = answer
        if isinstance(chosen, Explanation):
            return judge_text(chosen, answer)
        verdict = self.checked(chosen, answer)
        if verdict.passed:
            try:
                exec(compile(_without_checks(code), "<hidden tests>", "exec"), self.names)
            except (Exception, TimeUp) as problem:
                what = type(problem).__name__
                text = "It agrees with ours on the inputs of the check, and fails on others that the teacher tried"
                return Verdict(f"Task {task}: not yet", f"{text} ({what}).", "✗", verdict.colour, "hidden", False)
        return verdict

    def checked(self, task: Task, answer: Any) -> Verdict:
        if isinstance(answer, Remote):
            answer.begin(task)
        verdict = judge_function(task, answer)
        if isinstance(answer, Remote):
            answer.go_on_strictly(task)
        return verdict


def needed_cells(original: Any) -> list[Any]:
    """The cells with points, and of the teacher's other code what they build on: imports and data, but not demonstrations."""
    chosen: list[Any] = []
    needed: set[str] = set()
    for cell in reversed([c for c in original.cells if c.cell_type == "code"]):
        about = cell.metadata.get("nbgrader", {})
        if about.get("solution") and not about.get("grade"):
            continue
        code = ast.parse(_without_checks(cell.source))
        bound = {node.id for node in ast.walk(code) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        bound |= {node.name for node in ast.walk(code) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        bound |= {
            (n.asname or n.name).split(".")[0]
            for node in ast.walk(code)
            for n in getattr(node, "names", [])
            if isinstance(n, ast.alias)
        }
        if about or bound & needed:
            chosen.append(cell)
            needed |= {
                node.id for node in ast.walk(code) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            }
    return chosen[::-1]


def _graded(notebook: Any) -> dict[str, Any]:
    """The cells that carry points, by their names."""
    cells = (cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade"))
    return {cell.metadata.nbgrader.grade_id: cell for cell in cells}


def _tests(notebook: Any) -> set[str]:
    return {grade_id for grade_id, cell in _graded(notebook).items() if not cell.metadata.nbgrader.solution}


def _handed_in(cell: Any) -> tuple[str, str]:
    """(task, name of what is handed in) of a cell with points: its call of ``check``, or for a text the name it is given."""
    if found := re.search(r'^check\("([\d.]+)", (\w+)\)', cell.source, re.M):
        return found[1], found[2]
    name = re.search(r"^(\w+) = ", cell.source, re.M)
    if name is None:
        raise NotGradable(f"The source's cell {cell.metadata.nbgrader.grade_id} neither checks nor names an answer.")
    return cell.metadata.nbgrader.grade_id.removeprefix("task-").replace("-", "."), name[1]


def _without_checks(code: str) -> str:
    return re.sub(r"^(check|hint|progress)\(.*\)$", "", code, flags=re.M)


def _failure(verdict: Verdict) -> Any:
    words = str(verdict)[:LONGEST]
    return nbformat.v4.new_output("error", ename="AssertionError", evalue=words, traceback=words.split("\n"))


def _read_points(coursedir: Any, assignment: str, marks: Marks) -> None:
    """The points as nbgrader's gradebook has them."""
    with Gradebook(coursedir.db_url) as gradebook:
        notebook = gradebook.find_submission_notebook(assignment, assignment, STUDENT)
        for grade in notebook.grades:
            task = grade.name.removeprefix("test-").removeprefix("task-").replace("-", ".")
            mark = marks.tasks.setdefault(task, TaskMark(0.0, grade.max_score))
            mark.points = None if grade.needs_manual_grade else float(grade.score)


def main() -> None:
    """Grade as a file says, and write what came of it: the process that ``grade.py`` starts."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    # what a submission sends may be long, but it shall not take the teacher's machine down
    resource.setrlimit(resource.RLIMIT_AS, (OWN_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    if job["cores"]:
        os.sched_setaffinity(0, job["cores"])
    paths = {name: Path(job[name]) for name in ("submission", "source", "course")}
    try:
        result = grade(**paths, limits=Limits(**job["limits"]), walled=job["walled"]).as_json()
    except NotGradable as problem:
        result = {"not_gradable": str(problem)}
    Path(job["result"]).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
