"""Errors in an answer: the student's own line, the shapes there, and a remark on common ones."""

import numpy as np
import pytest

import mcmteach as mt
from mcmteach.checks import judge
from tests.checks.catalogue import ALL


def test_an_error_is_shown_with_its_line():
    def vc_epsilon(h, M, eta):
        nothing = 0
        return 4 * h / nothing  # here

    verdict = mt.check("1.2", vc_epsilon)
    assert verdict.kind == "error" and "ZeroDivisionError" in verdict.text
    assert f"line {vc_epsilon.__code__.co_firstlineno + 2}" in verdict.text and "/ nothing  # here" in verdict.text
    assert "vc_epsilon(h=1, M=1, eta=0.5)" in verdict.text


def test_an_error_inside_the_library_is_shown_at_the_students_line():
    def first_useful_M(h, eta):
        return mt.vc_epsilon(h, 0, eta)  # M = 0

    verdict = mt.check("1.4", first_useful_M)
    assert verdict.kind == "error" and "InvalidInputError" in verdict.text and "# M = 0" in verdict.text


REMARKS = [
    ("soft_margin.1", lambda X, y, w, b: max(0, 1 - y * (X @ w + b)), "np.maximum(0, a)", "Python's `max`"),
    ("soft_margin.1", lambda X, y, w, b: np.max(0, 1 - y * (X @ w + b)), "np.maximum(0, a)", "an axis"),
    ("soft_margin.1", lambda X, y, w, b: np.max(b, 1 - y * (X @ w)), "np.maximum(0, a)", "A number is needed"),
    ("soft_margin.1", lambda X, y, w, b: np.max([0, 1 - y * (X @ w + b)]), "np.maximum(0, a)", "no array"),
    ("soft_margin.1", lambda X, y, w, b: 1 - y if y * (X @ w + b) < 1 else 0 * y, "(a > 0).all()", "whole array"),
    (
        "which_hyperplane.1",
        lambda X, y, w, b: y * (w @ X + b),
        "`X` has the shape (1, 2), `y` the shape (1,), `w` the shape (2,)",
        "as many columns",
    ),
    ("which_hyperplane.1", lambda X, y, w, b: y * X @ w + b, "`y * (X @ w + b)`", "read from the left"),
    ("which_hyperplane.1", lambda X, y, w, b: y * (w @ X + b), "`X @ w`", "rows of X"),
    ("radius_over_margin.4", lambda R, Delta, n: np.min(np.floor((R / Delta) ** 2), n) + 1, "`min(a, b)`", "an axis"),
    (
        "kernel_mcm.1",
        lambda K, y, lam, b, C, s: max(0, 1 - y * (K @ lam + b)).sum(),
        "np.maximum(0, a)",
        "gives an array",
    ),
    ("kernels.2", lambda X, Z, gamma: np.exp(-gamma * (X - Z) ** 2), "`X` has the shape (2,", "a[:, None]"),
]


@pytest.mark.parametrize(("key", "answer", "words", "more"), REMARKS, ids=[row[0] + row[3] for row in REMARKS])
def test_common_errors_are_explained(key, answer, words, more):
    verdict = mt.check(key, answer)
    # Without the line of code, which is a line of the list above and may hold the words.
    _, _, remark = verdict.text.partition(" of its cell:\n")[2].partition("\n")
    assert verdict.kind == "error" and words in remark and more in remark, verdict


def test_a_function_that_calls_itself_without_end():
    def slack(X, y, w, b):
        return slack(X, y, w, b)

    assert "named like yours" in mt.check("soft_margin.1", slack).text


def test_without_its_source_an_error_has_its_line_only():
    exec("def slack(X, y, w, b):\n    return 1 / 0", names := {})
    assert "in line 2 of its cell\n`hint" in mt.check("soft_margin.1", names["slack"]).text


def test_a_syntax_error_is_shown_as_such():
    def vc_epsilon(h, M, eta):
        return eval("4 * (h * (np.log(2 * M / h) + 1")

    verdict = mt.check("1.2", vc_epsilon)
    assert verdict.kind == "error" and "SyntaxError: '(' was never closed" in verdict.text and "^" in verdict.text


def test_an_exception_that_cannot_even_be_printed():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    def answer(h, M, eta):
        raise Mute

    assert "with Mute\n" in judge.judge_function(ALL["why_learning_works.2"], answer).text


def test_an_object_with_a_call_method_has_lines_too():
    class Answer:
        def __call__(self, h, M, eta):
            return h / (M - M)

    assert "return h / (M - M)" in mt.check("1.2", Answer()).text
