"""Questions are read out of the lessons: as many as there are, each as its widget knows it."""

import ast
import json

import pytest

from mcmteach.checks.syllabus import TOPICS
from mcmteach.classroom.questions import question_in, questions_of
from mcmteach.widgets.quiz import Predict, Quiz
from tools.ledger import ROOT, lesson_path

QUESTIONS = questions_of(ROOT)


@pytest.mark.parametrize("topic", TOPICS)
def test_no_question_of_a_lesson_is_missed(topic):
    cells = json.loads(lesson_path(topic).read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    calls = [node.func.id for source in code if not source.startswith("%") for node in ast.walk(ast.parse(source))
             if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]  # fmt: skip
    kinds = [question.kind for question in QUESTIONS[topic]]
    assert kinds == [name.lower() for name in calls if name in ("Quiz", "Predict")]


def test_a_question_is_what_its_widget_shows():
    for question in (question for of_topic in QUESTIONS.values() for question in of_topic):
        if question.kind == "quiz":
            quiz = Quiz(question.asked, question.options)
            assert quiz.question == question.asked and list(quiz.options.values()) == question.options
        else:
            assert len(question.options) != 1 and sum(option.right for option in question.options) <= 1


def test_a_question_has_the_key_under_which_its_widget_enters_it(tmp_path, monkeypatch):
    monkeypatch.setenv("MCMTEACH_HOME", str(tmp_path))
    source = 'Predict("How many?", "Two.", options=["1", "2"], right="2")'
    Predict("How many?", "Two.", options=["1", "2"], right="2").guess("1")
    assert list(json.loads((tmp_path / "progress.json").read_text())["done"]) == [question_in(source).key]


def test_other_cells_ask_nothing():
    assert question_in("from mcmteach.widgets.quiz import Predict, Quiz") is None
    assert question_in("x = 1") is None
