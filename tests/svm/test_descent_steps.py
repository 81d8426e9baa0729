"""Descent with a chosen step size: each step is the formula, and where each rule leads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcmteach.errors import InvalidInputError
from mcmteach.svm import (
    descent,
    smooth_svm_gradient,
    smooth_svm_objective,
    soft_margin,
    soft_margin_objective,
    soft_margin_subgradient,
    valley,
)
from mcmteach.svm.descent_steps import DESCENTS
from tests.svm.samples import any_sample, cost


@pytest.mark.parametrize("method", DESCENTS)
def test_each_step_is_the_formula(sample, method):
    X, y = sample
    C, eta = 0.7, 0.02
    way = descent(X, y, C, eta, 20, method)
    slope = smooth_svm_gradient if method == "smooth" else soft_margin_subgradient
    height = smooth_svm_objective if method == "smooth" else soft_margin_objective
    assert not way.w[0].any() and way.b[0] == 0 and len(way.objective) == 21
    for k in range(20):
        g, g_b = slope(X, y, way.w[k], way.b[k], C)
        step = 1 / (k + 1 / eta) if method == "falling" else eta
        np.testing.assert_allclose(way.w[k + 1], way.w[k] - step * g)
        assert way.b[k + 1] == pytest.approx(way.b[k] - step * g_b)
        assert way.objective[k] == pytest.approx(height(X, y, way.w[k], way.b[k], C))


def test_a_falling_step_arrives_and_a_constant_one_does_not(sample):
    X, y = sample
    lowest = cost(X, y, soft_margin(X, y))
    falling, constant = (descent(X, y, 1.0, 0.1, 3000, method).objective for method in ("falling", "constant"))
    assert falling[-300:].max() < 1.002 * lowest < 1.02 * lowest < constant[-300:].max()
    assert np.mean(np.diff(falling) > 0) > 0.2, "and yet it goes uphill again and again"


@settings(deadline=None, max_examples=30)
@given(data=any_sample, C=st.floats(0.01, 10), share=st.floats(0.01, 1.9))
def test_smooth_descent_never_climbs_below_two_over_the_curvature(data, C, share):
    X, y = data
    hat = np.column_stack([X, np.ones(len(y))])
    curvature = 1 + C * np.linalg.norm(hat, 2) ** 2 / 4
    way = descent(X, y, C, share / curvature, 100, "smooth").objective
    assert (np.diff(way) <= 1e-9 * way[:-1]).all()


def test_the_valley_is_the_objective_at_the_best_bias(sample):
    X, y = sample
    W = np.random.default_rng(0).normal(size=(20, 2))
    b = np.linspace(-8, 8, 1601)[:, None]
    tried = [w @ w / 2 + 0.5 * np.maximum(0, 1 - y * (X @ w + b)).sum(axis=1).min() for w in W]
    found = valley(X, y, W, 0.5)
    assert (found <= np.array(tried) + 1e-9).all()
    np.testing.assert_allclose(found, tried, rtol=0.02)
    best = soft_margin(X, y)
    assert valley(X, y, [best.w])[0] == pytest.approx(cost(X, y, best), rel=1e-6)


def test_bad_arguments(sample):
    X, y = sample
    for wrong, words in (
        ({"method": "up"}, "no method 'up'"),
        ({"rho": 0}, "rho must be"),
        ({"n_steps": 0}, "n_steps must"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            descent(X, y, **wrong)
    with pytest.raises(InvalidInputError, match="one weight per feature"):
        valley(X, y, [[1.0, 2.0, 3.0]])
