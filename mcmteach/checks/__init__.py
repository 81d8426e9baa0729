"""Exercises that check themselves: ``check`` an answer, ask for a ``hint``, look at your ``progress``.

The tasks of a topic are in ``tasks/``, in a module that holds a ``TITLE``, a list ``TASKS`` for the exercise and a list
``GAPS`` for the lines that a student writes inside the lesson; ``syllabus.py`` puts the topics in order. ``task.py`` defines
a task, ``run.py`` runs an answer on its inputs, ``judge.py`` turns the outcome into a verdict, ``record.py`` stores progress.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, NamedTuple

from mcmteach.checks import record
from mcmteach.checks.judge import judge_function, judge_text
from mcmteach.checks.syllabus import TOPICS
from mcmteach.checks.task import Explanation, Task
from mcmteach.checks.words import Progress, Verdict, Words
from mcmteach.errors import InvalidInputError


class Lesson(NamedTuple):
    """The tasks of one lesson."""

    number: int
    topic: str
    title: str
    tasks: Mapping[str, Task | Explanation]  #: of its exercise, by their keys
    gaps: Mapping[str, Task] = MappingProxyType({})  #: lines to write inside the lesson, by their keys


def check(task: str | float, answer: Any) -> Verdict:
    """Run an answer on the task's inputs, and explain the outcome.

    A function is called with several inputs and compared with ours. The verdict recognises common mistakes, shows the
    smallest input it found where an unforeseen answer is wrong, and never raises because of what the answer does. A
    text is not graded: you are asked about the points a good one covers, and can compare it with one of ours.

    Parameters
    ----------
    task : its number, such as "1.2" or 1.2, or its key, such as "kernels.2"
    answer : your function (not what it returns), or your text

    Returns
    -------
    a Verdict: it shows itself in a notebook; ``passed`` is True or False, ``kind`` one word. Under nbgrader (autograde
    and validate), what is neither right nor written is raised as an AssertionError, since that is what nbgrader counts.

    Examples
    --------
    >>> check("2.1", lambda X, y, w, b: y * (X @ w))
    ✗ Task 2.1: almost
    The bias is missing: the plane is w·x + b = 0, and without b every plane goes through the origin.
    `hint("2.1")` gives a hint.
    """
    if os.environ.get("MCMTEACH_GRADING"):
        return Verdict(f"Task {task}: handed in", "It is judged elsewhere.", kind="handed in")
    chosen = find_task(task)
    verdict = judge_text(chosen, answer) if isinstance(chosen, Explanation) else judge_function(chosen, answer)
    done = verdict.kind in ("right", "written")
    if os.environ.get("NBGRADER_EXECUTION"):
        if not done:
            raise AssertionError(str(verdict))
        return verdict
    return verdict.noting(record.mark_done(chosen.key)) if done else verdict


def hint(task: str | float) -> Words:
    """The next hint of a task, below those given before: three of them, from a nudge to nearly the answer.

    Examples
    --------
    >>> hint("2.1")
    → Task 2.1: hint 1 of 3
    1. The plane's answer for all points at once is a matrix times a vector, plus a number.
    """
    if os.environ.get("MCMTEACH_GRADING"):
        return Words(f"Task {task}", "There are no hints while it is graded.")
    chosen = find_task(task)
    given = _given[chosen.key] = min(_given.get(chosen.key, 0) + 1, len(chosen.hints))
    text = "\n".join(f"{i}. {words}" for i, words in enumerate(chosen.hints[:given], start=1))
    if given == len(chosen.hints):
        place = "in exercises/solutions" if chosen.key.rpartition(".")[2].isdecimal() else "folded below the cell"
        text += f"\nThat is the last one. Still stuck? A full answer is {place}."
    return Words(f"Task {chosen.number}: hint {given} of {len(chosen.hints)}", text, mark="→")


def progress() -> Progress:
    """Which tasks are solved and which texts are written, lesson by lesson.

    The record is a small file of yours; nothing is sent anywhere.
    """
    done, note = record.load()
    tasks = [task for lesson in lessons_with_tasks() for task in lesson.tasks.values()]
    counts = [
        f"{sum(task.key in done for task in of_kind)} of {len(of_kind)}"
        for of_kind in ([t for t in tasks if isinstance(t, kind)] for kind in (Task, Explanation))
    ]
    rows = [
        (lesson.number, lesson.title, [(t.number, _mark(t) if t.key in done else "") for t in lesson.tasks.values()])
        for lesson in lessons_with_tasks()
    ]
    totals = ["{} tasks solved, {} texts written".format(*counts)]
    # what mcmteach.widgets.quiz enters
    for kind, one, more in (
        ("quiz", "quiz answered", "quizzes answered"),
        ("predict", "prediction made", "predictions made"),
    ):
        number = sum(key.startswith(f"{kind}:") for key in done)
        totals += [f"{number} {one if number == 1 else more}"] if number else []
    return Progress(rows, ", ".join(totals), note)


def _mark(task: Task | Explanation) -> str:
    return "✎" if isinstance(task, Explanation) else "✓"


@cache
def lessons_with_tasks() -> tuple[Lesson, ...]:
    """Every lesson that has tasks, in order."""
    if os.environ.get("MCMTEACH_GRADING"):
        return ()  # a submission that is being graded cannot see the answers
    lessons = []
    for number, topic in enumerate(TOPICS):
        if find_spec(f"{__name__}.tasks.{topic}") is None:
            continue
        module = import_module(f"{__name__}.tasks.{topic}")
        tasks = MappingProxyType({task.key: task for task in module.TASKS})
        gaps = MappingProxyType({gap.key: gap for gap in getattr(module, "GAPS", ())})
        lessons.append(Lesson(number, topic, module.TITLE, tasks, gaps))
    return tuple(lessons)


_given: dict[str, int] = {}  # how many hints of each task this session has asked for


def find_task(task: str | float) -> Task | Explanation:
    """The task of that number or key; an error that lists them if there is none."""
    lessons = lessons_with_tasks()
    for found in (task for lesson in lessons for task in (*lesson.tasks.values(), *lesson.gaps.values())):
        if str(task) in (found.number, found.key):
            return found
    numbers = ", ".join(found.number for lesson in lessons for found in lesson.tasks.values())
    raise InvalidInputError(f"There is no task {task!r}. The tasks are {numbers}.")
