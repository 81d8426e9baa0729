"""Slack, the soft margin's objective and its subgradients, by hand, by finite differences and by their inequalities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from mcmteach.errors import InvalidInputError
from mcmteach.svm import slack, soft_margin_objective, soft_margin_subgradient
from tests.svm.samples import XOR, overlapping


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_slack_is_the_least_that_the_constraints_allow(seed):
    X, y = overlapping(seed, M=12)
    rng = np.random.default_rng(seed)
    w, b = rng.normal(size=2), rng.normal()
    zeta = slack(X, y, w, b)
    t = y * (X @ w + b)
    assert (zeta >= 0).all() and (t + zeta >= 1 - 1e-12).all()  # P(2), P(3)
    less = zeta - 1e-6
    assert ((less < 0) | (t + less < 1)).all()


def test_soft_margin_objective_solved_by_hand():
    # w = (1, 0), b = 0: the margins y f are 2, 1/2 and -1, so the slacks are 0, 1/2 and 2
    X, y = [[2.0, 5.0], [0.5, 0.0], [1.0, -3.0]], [1, 1, -1]
    assert soft_margin_objective(X, y, [1.0, 0.0], 0.0, C=3.0) == pytest.approx(0.5 + 3 * 2.5)


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.1, 1.0, 10.0]))
def test_subgradient_inequality_at_any_two_planes(seed, C):
    X, y = overlapping(seed, M=15)
    rng = np.random.default_rng(seed)
    w, b, v, c = rng.normal(size=2), rng.normal(), 3 * rng.normal(size=2), rng.normal()
    g, g_b = soft_margin_subgradient(X, y, w, b, C)
    below = soft_margin_objective(X, y, w, b, C) + g @ (v - w) + g_b * (c - b)
    assert soft_margin_objective(X, y, v, c, C) >= below - 1e-9


def test_subgradient_against_finite_differences():
    X, y = overlapping(1, M=20)
    w, b = np.array([0.4, -0.3]), 0.2  # no sample lies on the margin here, so E is differentiable
    assert np.abs(y * (X @ w + b) - 1).min() > 1e-3
    numeric = approx_fprime(np.append(w, b), lambda v: soft_margin_objective(X, y, v[:-1], v[-1], 2.0), 1e-7)
    np.testing.assert_allclose(np.append(*soft_margin_subgradient(X, y, w, b, 2.0)), numeric, atol=1e-4)


def test_the_indicator_belongs_inside_the_sum():
    """The slides' line, read as printed, adds every sample as soon as one is inside the margin. That is no subgradient."""
    X, y = np.array([[2.0], [1.0], [-0.2], [-4.0]]), np.array([1, 1, -1, -1])
    w, b, C = np.array([1.0]), 0.0, 1.0
    g, _ = soft_margin_subgradient(X, y, w, b, C)
    assert g == pytest.approx(1.0 - 0.2)  # only -0.2 is inside
    printed = w - C * (y @ X)
    v = w - 0.3 * printed  # a step as printed goes the wrong way
    assert printed * g < 0
    assert soft_margin_objective(X, y, v, b, C) > soft_margin_objective(X, y, w, b, C)
    linear_bound = soft_margin_objective(X, y, w, b, C) + float(printed @ (np.zeros(1) - w))
    assert soft_margin_objective(X, y, np.zeros(1), b, C) < linear_bound


def test_bad_arguments():
    X, y = XOR
    with pytest.raises(InvalidInputError, match="w has 3 entries, but 2 are needed"):
        soft_margin_objective(X, y, [1.0, 2.0, 3.0], 0.0)
    with pytest.raises(InvalidInputError, match="C must be a finite number > 0"):
        soft_margin_subgradient(X, y, [1.0, 2.0], 0.0, C=0)
