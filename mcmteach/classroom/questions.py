"""The questions of the lessons, read where they are written: in the calls of ``Quiz`` and ``Predict`` in the notebooks."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import NamedTuple

from mcmteach.checks.record import question_key
from mcmteach.checks.syllabus import TOPICS, notebook_name


class Option(NamedTuple):
    """One answer of a question, and why it is right or wrong."""

    text: str
    right: bool
    reason: str


class Question(NamedTuple):
    """A question of a lesson. A prediction has no reasons (its lesson computes the answer), and may have no options."""

    kind: str  #: "quiz" or "predict"
    asked: str
    options: list[Option]

    @property
    def key(self) -> str:
        """What the record of done tasks calls it."""
        return question_key(self.kind, self.asked)


def question_in(source: str) -> Question | None:
    """The question that a code cell asks, if it asks one.

    Examples
    --------
    >>> question_in('Quiz("2 + 2?", [("3", False, "One short."), ("4", True, "Yes.")])').options[1].text
    '4'
    >>> question_in("print(2 + 2)")
    """
    if "Quiz(" not in source and "Predict(" not in source:
        return None
    for node in ast.parse(source).body:
        match node:
            case ast.Expr(ast.Call(ast.Name("Quiz"), [asked, listed])):
                return Question("quiz", ast.literal_eval(asked), [Option(*each) for each in ast.literal_eval(listed)])
            case ast.Expr(ast.Call(ast.Name("Predict"), [asked, *_], keywords)):
                given = {each.arg: each.value for each in keywords if each.arg in ("options", "right")}
                said = {name: ast.literal_eval(value) for name, value in given.items()}
                options = [Option(text, text == said.get("right"), "") for text in said.get("options", [])]
                return Question("predict", ast.literal_eval(asked), options)
    return None


def questions_of(course: Path) -> dict[str, list[Question]]:
    """The questions of every lesson in a folder that holds ``lessons/``, by topic, in the order of the course."""
    found: dict[str, list[Question]] = {}
    for topic in TOPICS:
        path = course / "lessons" / notebook_name(topic)
        if path.exists():
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            code = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
            found[topic] = [question for source in code if (question := question_in(source))]
    return found
