"""Hints for a teacher that answers may have been copied. Hints, not proofs: see ``FAIRNESS``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

from mcmteach.classroom.feedback import html_page

FAIRNESS = (
    "These are hints, not verdicts. Short answers to the same question look alike, students may have been allowed to work "
    "together, and public solutions may be read. Ask the students to explain the lines before you draw a conclusion."
)
LEAST = 40  # parts of the syntax tree: shorter answers are alike by chance
ALIKE = 0.9
ODD = re.compile(
    r"\b(setprofile|settrace|__code__|__globals__|get_objects|ctypes|currentframe|_getframe|NBGRADER|MCMTEACH)\b"
)


@dataclass(frozen=True)
class Hint:
    """Something to look at."""

    task: str
    students: tuple[str, ...]
    what: str


def find_hints(code: Mapping[str, Mapping[str, str]], known: Mapping[str, Mapping[str, str]]) -> list[Hint]:
    """Alike answers of different students, answers like known ones, and odd words.

    ``code`` is {student: {task: code}}; ``known`` is {what it is: {task: code}}: the solutions, the library.
    """
    hints = []
    for task in sorted({task for answers in code.values() for task in answers}):
        shapes = {s: shape for s, answers in code.items() if len(shape := pieces(answers.get(task, ""))) >= LEAST}
        for what, answers in known.items():
            model = pieces(answers.get(task, ""))
            alike = [s for s, shape in shapes.items() if len(model) >= LEAST and likeness(shape, model) >= ALIKE]
            hints += [Hint(task, (s,), f"like {what}") for s in alike]
            for s in alike:
                del shapes[s]  # two answers that equal a known one need not be copies of each other
        for group in _groups(shapes):
            hints.append(Hint(task, tuple(group), "alike but for names and spaces"))
        hints += [
            Hint(task, (s,), f"mentions {', '.join(sorted(set(odd)))}")
            for s, answers in code.items()
            if (odd := ODD.findall(answers.get(task, "")))
        ]
    return hints


def pieces(code: str) -> list[str]:
    """The parts of the syntax tree in order, without names, docstrings and the form of the text."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = []
    for node in _depth_first(tree):
        if isinstance(node, ast.Constant):
            found.append(repr(node.value)[:40] if not isinstance(node.value, str) else "text")
        elif isinstance(node, ast.Attribute):
            found.append(node.attr)
        elif not isinstance(node, ast.Load | ast.Store | ast.Module):
            found.append(type(node).__name__)
    return found


def _depth_first(tree: ast.AST) -> Iterable[ast.AST]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):  # a docstring, or dots
            yield node
            waiting += reversed(list(ast.iter_child_nodes(node)))


def likeness(a: list[str], b: list[str], width: int = 4) -> float:
    """The share of runs of ``width`` parts that two answers have in common (Jaccard)."""
    one, other = ({tuple(x[i : i + width]) for i in range(len(x) - width + 1)} for x in (a, b))
    return len(one & other) / len(one | other) if one | other else 0.0


def _groups(shapes: Mapping[str, list[str]]) -> list[list[str]]:
    """Groups of similar answers, directly or through others."""
    groups: list[list[str]] = []
    for student, shape in shapes.items():
        near = [group for group in groups if any(likeness(shape, shapes[other]) >= ALIKE for other in group)]
        groups = [group for group in groups if group not in near] + [[student, *(s for group in near for s in group)]]
    return [sorted(group) for group in groups if len(group) > 1]


def hints_page(hints: list[Hint]) -> str:
    rows = "".join(
        f"<tr><td>{escape(hint.task)}</td><td>{escape(', '.join(hint.students))}</td><td>{escape(hint.what)}</td></tr>"
        for hint in hints
    )
    table = (
        f"<table><tr><th>task</th><th>students</th><th>what</th></tr>{rows}</table>"
        if hints
        else "<p>Nothing was found.</p>"
    )
    return html_page("Hints", f"<h1>Hints</h1><p>{escape(FAIRNESS)}</p>{table}")
