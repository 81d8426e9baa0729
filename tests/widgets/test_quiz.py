"""Quizzes and predictions without a browser."""

import pytest

import mcmteach as mt
from mcmteach.checks import record
from mcmteach.errors import InvalidInputError
from mcmteach.widgets.quiz import Predict, Quiz

OPTIONS = [("two", False, "That is <b>too few</b>."), ("three", True, "Three, in general position.")]


@pytest.fixture(autouse=True)
def _own_record(monkeypatch, tmp_path):
    monkeypatch.setenv("MCMTEACH_HOME", str(tmp_path))


def test_quiz_gives_the_reason_of_the_option_that_was_chosen():
    quiz = Quiz("How many?", OPTIONS)
    assert quiz.text() == "Quiz: How many?\n  A  two\n  B  three" and quiz.chosen is None
    assert quiz.entry.options == ("A. two", "B. three")
    quiz.entry.index = 0  # as a click does
    assert "Not quite</b>: That is <b>too few</b>." in quiz.reason.value
    quiz.choose("B")
    assert quiz.entry.index == 1, "the chosen option stays marked"
    assert quiz.text().endswith("You chose B. ✓ Right: Three, in general position.")
    assert "mcm-quiz" in quiz._dom_classes


def test_right_and_wrong_differ_by_more_than_colour():
    quiz, looks = Quiz("How many?", OPTIONS), []
    for letter in "AB":
        quiz.choose(letter)
        looks.append(quiz.reason.value)
    wrong, right = looks
    assert "✗ Not quite" in wrong and "dotted" in wrong and "✓" not in wrong
    assert "✓ Right" in right and "solid" in right and "✗" not in right


def test_a_quiz_counts_once_the_right_option_is_found():
    quiz = Quiz("How many?", OPTIONS)
    quiz.choose("A")
    assert record.load() == ({}, "")
    quiz.choose("B")
    Quiz("How many?", OPTIONS).choose("B")
    Quiz("How few?", OPTIONS).choose("B")
    done, note = record.load()
    assert len(done) == 2 and all(key.startswith("quiz:") for key in done) and not note


def test_a_record_that_cannot_be_written_is_spoken_of(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("MCMTEACH_HOME", str(tmp_path / "file"))
    quiz = Quiz("How many?", OPTIONS)
    quiz.choose("B")
    assert "record" in quiz.reason.value and "✓ Right" in quiz.reason.value


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
    assert box.text() == "Predict: How many?" and record.load() == ({}, "")
    box.entry.value = "<four>"
    assert not box.button.disabled
    box.button.click()
    assert asked and "&lt;four&gt;" in box.shown.value and "three" in box.shown.value
    assert box.text() == "Predict: How many?\nYou said: <four>.\nthree"
    (key,) = record.load()[0]
    assert key.startswith("predict:"), "a prediction counts when it is made"


@pytest.mark.parametrize(("guess", "said"), [("2", "✗ Not quite"), ("3", "✓ Right")])
def test_predict_says_whether_the_chosen_option_was_right(guess, said):
    box = Predict("How many?", "three", options=["2", "3"], right="3")
    box.guess(guess)
    assert box.revealed == "three" and said in box.shown.value
    assert box.text() == f"Predict: How many?\nYou said: {guess}. {said}.\nthree"
    with pytest.raises(InvalidInputError, match="none of the options"):
        Predict("How many?", "three", options=["2", "4"], right="3")


@pytest.mark.parametrize(
    ("guess", "right"),
    [("89", True), ("about 88", True), ("60", False), ("no idea", False), ("between 80 and 89.1", True)],
)
def test_predict_reads_a_number_out_of_a_guess(guess, right):
    box = Predict("How many?", "89", right=89)
    box.guess(guess)
    assert box.is_right() is right


def test_predict_says_that_it_computes_until_the_answer_is_there():
    seen = []

    def answer():
        seen.append((box.shown.value, "mcm-computing" in box._dom_classes))
        return str(10 // int(box.entry.value))

    box = Predict("How many?", answer)
    box.guess("5")
    assert seen == [("Computing the answer …", True)]
    assert box.revealed == "2" in box.shown.value and "mcm-computing" not in box._dom_classes
    with pytest.raises(ZeroDivisionError):
        box.guess("0")
    assert box.shown.value == "" and "mcm-computing" not in box._dom_classes


def test_predict_leaves_to_the_reader_what_only_the_reader_can_judge():
    box = Predict("Why?", "Because.")
    box.guess("who knows")
    assert box.is_right() is None and "✓" not in box.shown.value and "✗" not in box.shown.value


def test_both_count_in_the_progress():
    for question in ("How many?", "How few?"):
        Quiz(question, OPTIONS).choose("B")
    Predict("How many?", "three").guess("3")
    assert mt.progress().title.endswith(" texts written, 2 quizzes answered, 1 prediction made")
