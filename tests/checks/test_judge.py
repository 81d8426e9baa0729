"""The verdict: the smallest counterexample, the wrong form, nothing returned; and texts, which nobody but a reader grades."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcmteach as mt
from mcmteach.checks import judge
from tests.checks.catalogue import ALL, each_explanation, each_task, taking
from tests.checks.exercises import solutions
from tests.checks.test_values import VALUES

EPSILON = solutions()["why_learning_works.2"]


# --- never an exception ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", VALUES, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("key", ["why_learning_works.2", "which_hyperplane.1", "which_hyperplane.3", "kernels.4"])
def test_check_never_raises_whatever_is_returned_or_handed_in(key, value):
    returned = mt.check(key, taking(ALL[key], lambda *_: value))
    assert not returned.passed and isinstance(returned._repr_html_(), str)
    handed_in = mt.check(key, value)
    assert not handed_in.passed and str(handed_in)


def test_a_signature_that_cannot_be_read():
    class Strange:
        __signature__ = property(lambda self: 1 / 0)

        def __call__(self, h, M, eta):
            return EPSILON(h, M, eta)

    assert mt.check("1.2", Strange()).passed


@given(st.integers(-3, 3), st.floats(-10, 10))
def test_no_number_is_right_by_accident_everywhere(a, c):
    assert not judge.judge_function(ALL["which_hyperplane.2"], lambda X, y, w, b: a * b + c).passed


# --- an answer that is not right -------------------------------------------------------------------------------------


def test_an_unforeseen_answer_gets_the_smallest_counterexample():
    verdict = mt.check("1.1", lambda y, f: np.mean(y * f <= 0) if len(y) != 3 else 0.9)
    assert verdict.kind == "wrong" and "empirical_risk(y=[-1, -1, 1], f=[-2, 3, 0.5])" in verdict.text
    assert "wrong on 2 of 13" in verdict.text and "0.333333" in verdict.text and "0.9" in verdict.text


@each_task
def test_the_counterexample_is_the_smallest_that_fails(task):
    solution = solutions()[task.key]
    calls = task.calls()
    for first_wrong in (0, len(calls) // 2, len(calls) - 1):
        answers = iter([solution(*call) if i < first_wrong else "nonsense" for i, call in enumerate(calls)])
        verdict = mt.check(task.key, taking(task, lambda *_, answers=answers: next(answers)))
        assert task.show_call(calls[first_wrong]) in verdict.text


def test_a_constant_factor_is_remarked():
    solution = solutions()["which_hyperplane.5"]
    verdict = mt.check("2.5", lambda X, w, b: 3 * solution(X, w, b))
    assert verdict.kind == "wrong" and "3 times ours, on every input" in verdict.text
    assert "times ours" not in mt.check("2.5", lambda X, w, b: X[0, 0]).text


@pytest.mark.parametrize(
    ("task", "answer", "words"),
    [
        ("1.2", lambda h, M, eta: "0.1", "a number was expected, but yours gives something of the type str"),
        ("1.2", lambda h, M, eta: [0.1], "yours gives an array of shape (1,)"),
        ("1.2", lambda h, M, eta: 1j, "something of the type complex"),
        ("1.2", lambda h, M, eta: max, "something of the type builtin_function_or_method"),
        ("1.2", lambda h, M, eta: None if M > 1 else EPSILON(h, M, eta), "nothing (None)"),
        ("2.1", lambda X, y, w, b: 1.0, "an array of shape (1,) was expected, but yours gives a number"),
        ("2.1", lambda X, y, w, b: y[:, None] * X, "an array of shape (1, 1)"),
        ("2.3", lambda w, b, x, y: w + y * x, "2 values were expected"),
        ("2.3", lambda w, b, x, y: (b, w), "a number"),
        ("1.5", lambda points: len(points) > 2, "True or False"),
        ("1.2", 0.102, "Hand in the function itself"),
        ("1.2", lambda h, M: 1.0, "called as `vc_epsilon(h, M, eta)`, and yours cannot be: too many"),
        ("1.2", lambda h, M, eta, B: 1.0, "missing a required argument: 'B'"),
        ("1.6", 7, "in prose"),
    ],
)
def test_the_wrong_form_is_said(task, answer, words):
    verdict = mt.check(task, answer)
    assert verdict.kind == "form" and words in verdict.text, verdict


def test_lists_and_numpy_numbers_are_as_good_as_arrays_and_floats():
    step, count = solutions()["which_hyperplane.3"], solutions()["why_learning_works.5"]
    assert mt.check("2.1", lambda X, y, w, b: [float(v) for v in y * (X @ w + b)]).passed
    assert mt.check("2.3", lambda w, b, x, y: list(step(w, b, x, y))).passed
    assert mt.check("1.5", lambda points: np.int64(count(points))).passed
    assert mt.check("1.2", lambda h, M, eta: np.array(EPSILON(h, M, eta))).passed, (
        "an array without a dimension is a number"
    )


def test_a_function_that_prints_or_forgets_to_return_is_told_so(capsys):
    def prints(h, M, eta):
        print(EPSILON(h, M, eta))

    def forgets(h, M, eta):
        epsilon = 4 * h / M  # noqa: F841

    for answer, words in [(prints, "prints something and returns nothing"), (forgets, "let it end with `return`")]:
        verdict = mt.check("1.2", answer)
        assert verdict.kind == "form" and words in verdict.text


@pytest.mark.parametrize("key", [key for key, task in ALL.items() if hasattr(task, "inputs")])
def test_an_input_changed_in_place_is_noticed(key):
    task = ALL[key]
    arrays = [i for i, a in enumerate(task.calls()[0]) if isinstance(a, np.ndarray)]
    if not arrays:
        return  # only numbers, which cannot be changed

    def spoil(*arguments):
        result = solutions()[key](*arguments)
        arguments[arrays[0]][...] = 7.0
        return result

    verdict = mt.check(key, taking(task, spoil))
    assert verdict.kind == "changed" and f"`{task.arguments[arrays[0]]}`" in verdict.text


def test_the_usual_way_of_changing_w_in_place():
    def perceptron_step(w, b, x, y):
        if y * (w @ x + b) <= 0:
            w += y * x
            b += y
        return w, b

    assert mt.check("2.3", perceptron_step).kind == "changed"


def test_other_functions_of_the_library_may_be_used():
    def vc_bound(risk, h, M, eta=0.05, B=1.0):
        Be = B * mt.vc_epsilon(h, M, eta)
        return risk + Be / 2 * (1 + np.sqrt(1 + 4 * risk / Be))

    assert mt.check("1.3", vc_bound).passed


def test_with_a_seed_the_inputs_are_others():
    task = ALL["why_learning_works.2"]
    shown = [judge.judge_function(task, lambda h, M, eta: 0.0, seed).text for seed in (None, 1, 2)]
    assert len(set(shown)) == 3 and all("wrong on all" in text for text in shown)


# --- texts -----------------------------------------------------------------------------------------------------------


@each_explanation
def test_a_text_is_written_and_never_solved(task):
    verdict = mt.check(task.key, solutions()[task.key])
    assert verdict.kind == "written" and not verdict.passed and verdict.mark == "✎"
    assert "only a reader can" in verdict.text and verdict.missing == ()
    assert f"Words found for {len(task.points)} of {len(task.points)} points" in verdict.text
    assert " ".join(task.model.split()) == verdict.model and task.model.split("\n")[0] not in verdict.text


@each_explanation
@pytest.mark.parametrize(
    "text",
    [
        None,
        ...,
        "",
        "\n...\n",
        "# YOUR CODE HERE\nraise NotImplementedError()",
        "Because.",
        26 * "blah ",
        30 * "the bound ",
    ],
)
def test_a_missing_text_is_asked_for_kindly(task, text):
    verdict = mt.check(task.key, text)
    assert verdict.kind == "blank" and not verdict.passed and f"at least {task.least}" in verdict.text
    assert not verdict.model, "no model answer before there is one to compare"


def test_words_are_counted_in_english():
    assert "1 different word so far" in mt.check("1.6", 26 * "blah ").text
    assert "2 different words so far" in mt.check("1.6", 26 * "blah bleh ").text


def test_signs_count_as_words():
    text = " ".join(solutions()["which_hyperplane.6"].split())
    text = text.replace("lower bound", "thing").replace("proves nothing", "is small")
    assert "direction" in mt.check("2.6", text).missing and "direction" not in mt.check("2.6", text + " h≤R/Δ").missing
