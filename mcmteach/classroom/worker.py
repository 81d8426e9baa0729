"""The worker: judges one notebook, in a process of its own that never runs a line of it.

The submission's cells run in the sandbox; the teacher's cells run here, and where they call a student's function, the call is
passed on. First every task is checked on the public inputs, with words for the student. Only then are hidden inputs and hidden
tests tried, and from then on nothing that the submission says is shown any more: it could be what it has just seen. Last, a
task that failed is judged once more with the reference in the place of an earlier function that is wrong.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import sys
import tempfile
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import nbformat

from mcmteach.checks.judge import judge_function, judge_text
from mcmteach.checks.run import TimeUp
from mcmteach.checks.task import HIDDEN_ROUNDS, Explanation, Task
from mcmteach.checks.words import GREEN, VERMILION, Verdict
from mcmteach.classroom.course import Exercise, Graded, needed_cells, read_exercise, without_checks
from mcmteach.classroom.feedback import page_cells
from mcmteach.classroom.remote import Remote, Submission
from mcmteach.classroom.sandbox import Limits
from mcmteach.classroom.submissions import text_of

MOST_CELLS = 1000
LONGEST = 5000  # characters of what a student is told about a task: part of it is the student's own
OWN_MEMORY = 2 << 30  # bytes of addresses that the worker may take itself
SLOWER = (
    12.0  # times as long as usual for a task in which ours stands for an earlier function: each call crosses processes
)
LONG_TEXT = 25  # words from which on a student's own markdown may be the answer to a question


@dataclass
class TaskMark:
    """The result of one task."""

    points: float | None  #: None: a person has to read it
    out_of: float
    kind: str = ""
    mistake: str = ""
    words: str = ""
    instead: list[str] = field(default_factory=list)  #: tasks whose wrong functions were replaced by the reference
    text: str = ""  #: an explanation, for whoever reads it


@dataclass
class Marks:
    """The result of a submission."""

    tasks: dict[str, TaskMark] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    cells: list[dict[str, str]] = field(default_factory=list)  #: the notebook as its page shows it
    code: dict[str, str] = field(default_factory=dict)  #: the student's own code, for each task
    used: dict[str, float] = field(default_factory=dict)  #: seconds of CPU, and MB at the most


class NotGradable(Exception):
    """The submission is invalid; the message says why."""


@dataclass(frozen=True)
class Rules:
    """What the teacher has decided about a submission's marks."""

    limits: Limits = field(default_factory=Limits)
    walled: bool = True
    seed: int = 1  #: of the hidden inputs
    slips: float = 0.0  #: share of a task's points for an answer with a slip that has a name


def grade(submission: Path, exercise: Exercise, folder: Path, rules: Rules) -> Marks:
    """Grade one notebook. ``folder`` is a temporary one."""
    notebook = readable(submission, exercise)
    marks = Marks()
    errors = judge(notebook, exercise, marks, folder, rules)
    marks.cells = page_cells(notebook, exercise, errors)
    marks.code = {
        task: cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and (task := _task_of(cell)) in {g.task for g in exercise.graded.values()}
    }
    return marks


def _task_of(cell: Any) -> str:
    grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
    return grade_id.removeprefix("task-").replace("-", ".") if grade_id.startswith("task-") else ""


def readable(path: Path, exercise: Exercise) -> Any:
    """The submission as a notebook, with nothing in its metadata but which of the teacher's cells it is."""
    try:
        notebook = nbformat.reads(text_of(path), as_version=4)
        nbformat.validate(notebook)
        json.dumps(notebook, ensure_ascii=False).encode()  # half a surrogate pair cannot be encoded
    except Exception as problem:  # nbformat passes on errors of any type
        raise NotGradable(f"It is not a notebook ({type(problem).__name__}).") from None
    if len(notebook.cells) > MOST_CELLS:
        raise NotGradable(f"It has more than {MOST_CELLS} cells.")
    about = {c.metadata.nbgrader.grade_id for c in exercise.notebook.cells if "nbgrader" in c.metadata}
    seen: set[str] = set()
    for cell in notebook.cells:
        claimed, cell.metadata = cell.metadata.get("nbgrader"), nbformat.from_dict({})
        grade_id = claimed.get("grade_id") if isinstance(claimed, dict) else None
        if isinstance(grade_id, str) and grade_id in about - seen:
            cell.metadata = nbformat.from_dict({"nbgrader": {"grade_id": grade_id}})
            seen.add(grade_id)
    if not seen:
        raise NotGradable("None of the exercise's cells is in it. Is it another notebook?")
    return notebook


# --- judging -----------------------------------------------------------------------------------------------------------


def judge(notebook: Any, exercise: Exercise, marks: Marks, folder: Path, rules: Rules) -> dict[str, dict[str, str]]:
    """Run the submission over there and the teacher's cells here; the errors of its cells, by their ids."""
    tests = {grade_id for grade_id, graded in exercise.graded.items() if not graded.is_text}
    steps: list[dict[str, str]] = []
    cells: dict[int, str] = {}
    names = dict(exercise.graded)
    for number, cell in enumerate(notebook.cells):
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if cell.cell_type == "code" and grade_id not in tests:
            cells[len(steps)] = str(number)
            steps.append({"code": cell.source})
        if graded := names.pop(grade_id, None):
            steps.append({"keep": graded.task, "name": graded.name})
    steps += [{"keep": graded.task, "name": graded.name} for graded in names.values()]  # tests that are missing
    with Submission(steps, folder, rules.limits, rules.walled) as submission:
        bench = Bench(exercise, submission, marks, rules)
        bench.check_all()
        bench.explain_missing(notebook)
        bench.try_hidden()
        bench.judge_consequences()
    bench.give_points()
    marks.notes += submission.notes
    marks.used = {"memory": round(submission.peak / 2**20)}
    return {cells[i]: error for i, error in submission.errors.items() if i in cells}


class Bench:
    """Where the teacher's cells run, with the submission's functions under their names."""

    def __init__(self, exercise: Exercise, submission: Submission, marks: Marks, rules: Rules):
        self.exercise, self.submission, self.marks, self.rules = exercise, submission, marks, rules
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.verdicts: dict[str, Verdict] = {}

    def check_all(self) -> None:
        """Every task on the public inputs, as the student's own ``check`` does."""
        for graded in self.exercise.graded.values():
            task, answer = self.exercise.task(graded.task), self.submission.answer(graded.task)
            mark = self.marks.tasks[graded.task] = TaskMark(0.0, graded.points)
            if isinstance(task, Explanation):
                mark.text = answer if isinstance(answer, str) else ""
                verdict = judge_text(task, answer)
            else:
                verdict = self.checked(task, answer)
            self.verdicts[graded.task] = verdict

    def explain_missing(self, notebook: Any) -> None:
        """Where nothing is handed in because a cell stopped, say that instead; where a text stands elsewhere, have it read."""
        texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
        own = [text for text in texts if not self.exercise.has_text(text)]
        for graded in self.exercise.graded.values():
            mark, verdict = self.marks.tasks[graded.task], self.verdicts[graded.task]
            error = self.submission.error_of(graded.name)
            if verdict.kind == "blank" and error and self.submission.answer(graded.task) is None:
                words = f"Its cell stopped with {error['type']}: {error['message']}".rstrip(": ")
                self.verdicts[graded.task] = _verdict(graded.task, "error", f"{words}\n{error['line']}".rstrip())
            elif graded.is_text and not _words(mark.text):
                mark.text = "\n\n".join(text for text in own if len(_words(text)) >= LONG_TEXT)

    def checked(self, task: Task, answer: Any, seed: int | None = None, slower: float = 1.0) -> Verdict:
        """``check``'s verdict. A fault of ours costs nobody a mark: a person has to look."""
        rounds = 1 if seed is None else HIDDEN_ROUNDS  # so many times as many inputs
        task = replace(task, seconds=slower * rounds * task.seconds)
        if isinstance(answer, Remote):
            answer.begin(task, slower)
        try:
            return judge_function(task, answer, seed)
        except Exception as fault:
            self.marks.notes.append(f"our own check of {task.function} failed: {type(fault).__name__}: {fault}"[:300])
            return Verdict("A person has to look at this one", "Our own check failed.", "?", VERMILION, "unclear")

    def try_hidden(self) -> None:
        """Hidden inputs and hidden tests, for what has passed so far. Nothing that the submission prints is shown."""
        tests = {graded.code: graded for graded in self.exercise.graded.values()}
        for cell in needed_cells(self.exercise):
            graded = tests.get(cell.source)
            if graded is None:
                if problem := self.run(cell.source):
                    self.marks.notes.append(f"a cell of the teacher's, on which tests build, stopped with {problem}")
            elif not graded.is_text:
                self.names[graded.name] = self.submission.answer(graded.task)
                if self.verdicts[graded.task].passed and (why := self.hidden_failure(graded)):
                    text = (
                        f"It agrees with ours on the inputs of the check. On others, which the teacher tried, it {why}."
                    )
                    self.verdicts[graded.task] = _verdict(graded.task, "hidden", text)

    def hidden_failure(self, graded: Graded, slower: float = 1.0) -> str:
        """How a function fails on hidden inputs, in words that reveal nothing about them; empty if it does not."""
        task, answer = self.exercise.task(graded.task), self.names[graded.name]
        assert isinstance(task, Task)
        verdict = self.checked(task, answer, self.rules.seed, slower)
        if not verdict.passed:
            ways = {"error": "stops with an error", "slow": "takes too long", "form": "answers in another form"}
            return ways.get(verdict.kind, "gives another result")
        if isinstance(answer, Remote):
            answer.go_on_strictly(task)
        try:
            exec(compile(without_checks(graded.code), "<hidden tests>", "exec"), self.names)
        except AssertionError as problem:
            return "gives another result" if type(problem) is AssertionError else "stops with an error"
        except TimeUp:
            return "takes too long"
        except Exception:
            return "stops with an error"
        return ""

    def run(self, code: str) -> str:
        """A cell of the teacher's that is no test: what went wrong, as it may where an answer is missing."""
        try:
            exec(compile(without_checks(code), "<cell>", "exec"), self.names)
        except Exception as problem:
            return type(problem).__name__ if type(problem).__module__ == "builtins" else "an error"
        return ""

    def judge_consequences(self) -> None:
        """Judge what failed once more, with the reference in the place of every earlier function that is wrong."""
        wrong: dict[str, Graded] = {}
        for graded in self.exercise.graded.values():
            task, verdict = self.exercise.task(graded.task), self.verdicts[graded.task]
            if isinstance(task, Explanation) or verdict.passed or verdict.kind == "unclear":
                continue
            if wrong and verdict.kind not in ("blank", "borrowed"):
                self.judge_again(graded, task, wrong)
            wrong[graded.task] = graded

    def judge_again(self, graded: Graded, task: Task, wrong: dict[str, Graded]) -> None:
        references = {number: found for number in wrong if isinstance(found := self.exercise.task(number), Task)}
        answer = self.submission.answer_with(graded.task, {w.name: number for number, w in wrong.items()}, references)
        if not isinstance(answer, Remote):
            return
        self.names[graded.name] = answer
        verdict = self.checked(task, answer, slower=SLOWER)
        if not self.submission.asked:
            return
        failure = self.hidden_failure(graded, SLOWER) if verdict.passed else ""
        # calls between the processes are slow, which must not cost a mark
        if verdict.kind == "slow" or failure == "takes too long":
            text = "It calls an earlier answer of yours that is wrong, and to judge it with ours in its place took too long."
            self.verdicts[graded.task] = Verdict("A person has to look at this one", text, "?", VERMILION, "unclear")
        elif verdict.passed and not failure:
            instead = sorted(self.submission.asked)
            self.marks.tasks[graded.task].instead = instead
            text = (
                f"It is right: it fails only because it calls your answer to task {' and '.join(instead)}, which is wrong. "
                "With ours in its place it agrees with ours, so it has its points."
            )
            self.verdicts[graded.task] = Verdict(
                f"Task {graded.task}: right, as a consequence", text, "✓", GREEN, kind="consequence"
            )

    def give_points(self) -> None:
        for graded in self.exercise.graded.values():
            mark, verdict = self.marks.tasks[graded.task], self.verdicts[graded.task]
            mark.kind, mark.mistake, mark.words = verdict.kind, verdict.mistake, str(verdict)[:LONGEST]
            if graded.is_text:
                mark.points = None if _words(mark.text) else 0.0
            elif verdict.kind == "unclear":
                mark.points = None
            elif verdict.passed or verdict.kind == "consequence":
                mark.points = graded.points
            elif verdict.kind == "mistake":
                mark.points = self.rules.slips * graded.points


def _verdict(task: str, kind: str, text: str) -> Verdict:
    title = {"error": "your code stopped with an error", "hidden": "not yet"}[kind]
    return Verdict(f"Task {task}: {title}", text, "✗", VERMILION, kind)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def main() -> None:
    """Grade as described in a file, and write the result: the process that ``grade.py`` starts."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    # a long message from a submission must not exhaust the teacher's machine
    resource.setrlimit(resource.RLIMIT_AS, (OWN_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    if job["cores"]:
        os.sched_setaffinity(0, job["cores"])
    rules = Rules(**job["rules"] | {"limits": Limits(**job["rules"]["limits"])})
    with tempfile.TemporaryDirectory(prefix="mcmteach-grade-") as folder:
        try:
            exercise = read_exercise(Path(job["source"]), job["key"], job["student"])
            with contextlib.redirect_stdout(sys.stderr):
                result = asdict(grade(Path(job["submission"]), exercise, Path(folder), rules))
            used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
            result["used"]["cpu"] = round(sum(u.ru_utime + u.ru_stime for u in used), 2)
        except NotGradable as problem:
            result = {"not_gradable": str(problem)}
    Path(job["result"]).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
