"""The lesson 'numbers instead of classes': what it claims holds at any data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import mcmteach as mt
from mcmteach.checks.tasks.numbers_instead_of_classes import learn_by_heart, regression_objective
from mcmteach.regression import NoAnswerWarning, solve_mcm_regression

seeds = st.integers(0, 10**6)


def world(seed, M=8):
    rng = np.random.default_rng(seed)
    X = 2.0 * np.arange(M)[:, None] + rng.uniform(-0.3, 0.3, (M, 1))
    return mt.rbf_kernel(X, gamma=0.5), rng.normal(size=M), rng


@settings(max_examples=15)
@given(seed=seeds, C=st.floats(0.01, 2.0), epsilon=st.floats(0.1, 2.0))
def test_no_machine_is_below_the_proofs_bound_and_the_two_sides_reach_it(seed, C, epsilon):
    K, y, rng = world(seed)
    bound = min(2 * C * len(y), 1.0)
    for size in (0.1, 1.0, 10.0):
        lam, b, p = size * rng.normal(size=len(y)), size * rng.normal(), size * abs(rng.normal())
        assert regression_objective(K, y, lam, b, p, C, epsilon, 0.0) >= bound - 1e-9
    nothing = regression_objective(K, y, np.zeros(len(y)), 0.0, 0.0, C, epsilon, 0.0)
    heart = regression_objective(K, y, learn_by_heart(K, y, epsilon), 0.0, 1 / epsilon, C, epsilon, 0.0)
    assert min(nothing, heart) == pytest.approx(bound)


@settings(max_examples=15)
@given(seed=seeds, C=st.floats(0.1, 2.0), s=st.floats(0.0, 1.0))
def test_the_objective_is_a_tube_a_cap_and_a_price_times_p(seed, C, s):
    K, y, rng = world(seed)
    epsilon, p, mu = 1.0, rng.uniform(1.0, 4.0), rng.normal(size=len(y))
    r, delta = y - K @ mu, epsilon - 1 / p
    tube = np.abs(r).max() + C * np.maximum(0, np.abs(r) - delta).sum() + s * np.abs(mu).sum() + epsilon
    assert regression_objective(K, y, -p * mu, 0.0, p, C, epsilon, s) == pytest.approx(p * tube)


@settings(max_examples=10)
@given(seed=seeds, C=st.floats(0.1, 2.0), s=st.floats(0.05, 2.0))
def test_there_is_an_answer_exactly_where_some_curve_is_cheap_enough(seed, C, s):
    K, y, _ = world(seed, M=6)
    # the smallest max |r| + s ||mu||_1, as a programme of its own in (mu⁺, mu⁻, b, largest residual)
    one, price = np.ones((6, 1)), np.full(12, s)
    A = np.block([[K, -K, one, -one], [-K, K, -one, -one]])
    bounds = [(0, None)] * 12 + [(None, None)] * 2
    least = linprog(np.concatenate([price, [0, 1]]), A, np.concatenate([y, -y]), bounds=bounds).fun
    threshold = least / (2 * C * len(y) - 1)
    with pytest.warns(NoAnswerWarning):
        assert solve_mcm_regression(K, y, C, 0.99 * threshold, s).p == 0
    assert solve_mcm_regression(K, y, C, 1.01 * threshold, s).p > 0


@settings(max_examples=20)
@given(seed=seeds, C=st.floats(0.0, 10.0), D=st.floats(0.01, 10.0))
def test_the_least_squares_mcm_is_a_least_squares_svm(seed, C, D):
    K, y, _ = world(seed)
    y = np.where(y > 0, 1.0, -1.0)
    lam = np.linalg.solve(K + D / (1 + C) * np.eye(len(y)), y) / (1 + C)  # the LS-SVM with D / (1 + C), over 1 + C

    def objective(v):
        f = K @ v
        return ((1 - y * f) ** 2).sum() / 2 + C / 2 * (f**2).sum() + D / 2 * v @ K @ v

    rng = np.random.default_rng(seed)
    assert all(objective(lam + size * rng.normal(size=len(y))) > objective(lam) for size in (1e-3, 0.1, 3.0))
