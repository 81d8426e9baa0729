"""The lesson 'which hyperplane': what it claims holds at any data, and its notebook says what the library says."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcmteach as mt
from mcmteach.datasets.worlds import ACROSS, CENTRE, HALF, separable_points
from mcmteach.errors import InvalidInputError
from mcmteach.perceptron import novikoff_bound, perceptron_primal, perceptron_steps
from mcmteach.svm.machines import hard_margin
from tools.ledger import ROOT

TWO, LABELS = np.array([[3.0], [1.0]]), np.array([1.0, -1.0])


@pytest.fixture
def sample():
    X, y = separable_points(16, gap=0.3, seed=26)
    return X, y, perceptron_steps(X, y)


# --- the world -------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(M=st.integers(2, 60), gap=st.floats(0, 2), seed=st.integers(0, 10**6))
def test_the_cut_separates_with_the_gap_and_the_halves_come_from_the_square(M, gap, seed):
    X, y = separable_points(M, gap, seed)
    along = (X - CENTRE) @ ACROSS
    assert (y * along >= gap - 1e-12).all()
    assert abs(y.sum()) == M % 2
    assert np.abs(X - gap * y[:, None] * ACROSS - CENTRE).max() <= HALF + 1e-12


def test_points_fill_each_half_evenly():
    X, _ = separable_points(40_000, gap=0.0, seed=3)
    # uniform on the whole square, as the two halves are equally large and get equally many points
    counts, _, _ = np.histogram2d(*(X - CENTRE).T, bins=4, range=[(-HALF, HALF)] * 2)
    np.testing.assert_allclose(counts, 2500, rtol=0.08)
    assert not np.array_equal(separable_points(9, seed=1)[0], separable_points(9, seed=2)[0])


def test_the_world_refuses_what_it_cannot_make():
    for arguments in ({"M": 1}, {"M": 2.5}, {"gap": -0.1}):
        with pytest.raises(InvalidInputError):
            separable_points(**arguments)


# --- the perceptron's diary ------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(M=st.integers(2, 30), gap=st.floats(0.1, 1.0), seed=st.integers(0, 10**6))
def test_each_step_is_a_mistake_that_the_rule_then_adds(M, gap, seed):
    X, y = separable_points(M, gap, seed)
    w, b = np.zeros(2), 0.0
    for step in perceptron_steps(X, y):
        assert y[step.p] * (w @ X[step.p] + b) <= 1e-9
        w, b = w + y[step.p] * X[step.p], b + y[step.p]
        np.testing.assert_allclose(step.w, w, atol=1e-9)
        assert step.b == b
    assert (y * (X @ w + b) > 0).all()


def test_the_diary_ends_where_the_rule_does(sample):
    X, y, steps = sample
    w, rounds = perceptron_primal(X, y)
    np.testing.assert_allclose(steps[-1].w, w)
    assert steps[-1].b == rounds.b
    np.testing.assert_array_equal(np.bincount([step.p for step in steps], minlength=16), rounds.alpha)


def test_two_points_break_the_bound_that_forgets_the_bias():
    steps = perceptron_steps(TWO, LABELS)
    wrong_bound = (mt.radius(TWO) * np.linalg.norm(hard_margin(TWO, LABELS).w)) ** 2
    assert wrong_bound == pytest.approx(9) and len(steps) == 10
    assert novikoff_bound(TWO, LABELS) == pytest.approx(50)


# --- the notebook ----------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads(next(ROOT.glob("lessons/*_which_hyperplane.ipynb")).read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    assert "functional  1.00,  geometric 0.71" in printed["worked"] and "geometric 1.34" in printed["worked"]
    assert printed["novikoff-wrong"].split()[-1] == "10" and "9.0" in printed["novikoff-wrong"]
    assert re.search(r"bound: +50\n", printed["novikoff-right"])
    error = [float(share) for share in re.findall(r"([\d.]+)%", printed["worth"])]
    assert error[1] < error[0] / 3, "the lesson says: far fewer errors"
    rows = [list(map(float, line.split()[-3:])) for line in printed["table"].splitlines()[1:]]
    margin, ratio, h = np.transpose(rows)
    assert margin.argmax() == 1 and h.argmin() == 2 and (h <= ratio).all()
