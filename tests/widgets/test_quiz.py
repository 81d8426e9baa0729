"""Quizzes and predictions without a browser."""

import pytest

from mcmteach.errors import InvalidInputError
from mcmteach.widgets.quiz import Predict, Quiz

OPTIONS = [("two", False, "That is <b>too few</b>."), ("three", True, "Three, in general position.")]


def test_quiz_gives_the_reason_of_the_option_that_was_chosen():
    quiz = Quiz("How many?", OPTIONS)
    assert quiz.text() == "Quiz: How many?\n  A  two\n  B  three"
    quiz.buttons["A"].click()
    assert "Not quite: That is <b>too few</b>." in quiz._reason.value
    quiz.buttons["B"].click()
    assert quiz.text().endswith("You chose B. Right: Three, in general position.")
    assert "mcm-quiz" in quiz._dom_classes


def test_quiz_without_widgets_folds_its_reasons_away():
    page = Quiz("How many?", OPTIONS)._repr_mimebundle_()[0]["text/html"]
    assert page.count("<details>") == 2 and "Three, in general position." in page


def test_quiz_refuses_questions_that_teach_nothing():
    for options in ([("a", True, "r"), ("b", True, "r")], [("a", False, "r")], [("a", True, ""), ("b", False, "r")]):
        with pytest.raises(InvalidInputError):
            Quiz("?", options)
    with pytest.raises(InvalidInputError, match="no option 'Z'"):
        Quiz("?", OPTIONS).choose("Z")


def test_predict_asks_before_it_reveals():
    asked = []
    box = Predict("How many?", lambda: asked.append(1) or "three")
    assert box.button.disabled and not asked
    with pytest.raises(InvalidInputError, match="guess first"):
        box.reveal()
    assert box.text() == "Predict: How many?"
    box.entry.value = "<four>"
    assert not box.button.disabled
    box.button.click()
    assert asked and "&lt;four&gt;" in box._shown.value and "three" in box._shown.value
    assert box.text() == "Predict: How many?\nYou said: <four>\nthree"


def test_predict_can_offer_options():
    box = Predict("How many?", "three", options=["2", "3"])
    box.guess("2")
    assert box.revealed == "three"
