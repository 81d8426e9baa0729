"""The MCM for regression: by hand, against an independent programme, and the switch theorem at any data."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from mcmteach import rbf_kernel
from mcmteach.errors import InvalidInputError
from mcmteach.regression import NoAnswerWarning, solve_mcm_regression


def loss(K, y, C, epsilon, sparsity, coef, b, p):
    """The objective as a function of the machine, written once more from its definition."""
    f = K @ coef + b
    t = np.concatenate([f + p * (y + epsilon), -f - p * (y - epsilon)])
    return t.max() + C * np.maximum(0, 1 - t).sum() + sparsity * np.abs(coef).sum()


def sines(M=40, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(M, 1))
    return X, np.sin(X[:, 0]) + noise * rng.normal(size=M)


def test_two_points_on_a_line_by_hand():
    # g = w x with w = 1 fits y = x exactly: p = 1/eps, h = 1, and |lambda| = p |w| = 2 costs 0.1 * 2
    solution = solve_mcm_regression([[-1.0], [1.0]], [-1.0, 1.0], C=10.0, epsilon=0.5, sparsity=0.1)
    assert solution.p == pytest.approx(2.0) and solution.h == pytest.approx(1.0)
    assert solution.objective == pytest.approx(1.2) and solution.certificate.proves_optimal()
    np.testing.assert_allclose(solution.answers([[-1.0], [0.0], [3.0]]), [-1.0, 0.0, 3.0], atol=1e-9)


@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.1, 1.0]), st.sampled_from([0.05, 0.3, 2.0]))
@settings(max_examples=25)
def test_no_machine_nearby_is_better_and_the_certificate_says_so(seed, sparsity, epsilon):
    X, y = sines(15, seed)
    K = rbf_kernel(X, X, 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoAnswerWarning)
        found = solve_mcm_regression(K, y, 1.0, epsilon, sparsity)
    at = loss(K, y, 1.0, epsilon, sparsity, found.coef, found.b, found.p)
    assert found.objective == pytest.approx(at, rel=1e-9) and found.certificate.proves_optimal()
    rng = np.random.default_rng(seed)
    x = np.r_[found.coef, found.b, found.p]
    for size in (1e-3, 0.1, 3.0):
        other = x + size * rng.normal(size=len(x))
        other[-1] = abs(other[-1])
        assert loss(K, y, 1.0, epsilon, sparsity, other[:-2], other[-2], other[-1]) >= at * (1 - 1e-9)


def test_descent_from_anywhere_finds_nothing_better():
    X, y = sines(12)
    K = rbf_kernel(X, X, 0.5)
    found = solve_mcm_regression(K, y, 1.0, 0.3, 0.1)

    def objective(x):
        return loss(K, y, 1.0, 0.3, 0.1, x[:-2], x[-2], abs(x[-1]))

    for seed in range(3):
        start = np.random.default_rng(seed).normal(size=14)
        assert minimize(objective, start, method="Powell").fun >= found.objective * (1 - 1e-9)


@given(st.integers(2, 12), st.integers(0, 10**6), st.floats(0.05, 0.95), st.floats(0.01, 10.0))
@settings(max_examples=30)
def test_the_switch_below_there_is_no_answer_above_any_y_is_interpolated(M, seed, share, epsilon):
    rng = np.random.default_rng(seed)
    K = np.eye(M) + 0.1  # strictly positive definite, and well conditioned
    y = rng.normal(size=M) * 10.0 ** rng.integers(-2, 3)
    below, above = share / (2 * M), (1 + share) / (2 * M)
    with pytest.warns(NoAnswerWarning):
        nothing = solve_mcm_regression(K, y, below, epsilon, sparsity=0)
    assert nothing.p == 0 and nothing.objective == pytest.approx(2 * M * below)
    np.testing.assert_allclose(K @ nothing.coef + nothing.b, 0.0, atol=1e-7)
    found = solve_mcm_regression(K, y, above, epsilon, sparsity=0)
    assert found.objective == pytest.approx(1.0) and found.p == pytest.approx(1 / epsilon, rel=1e-5)
    np.testing.assert_allclose(found.answers(K), y, atol=1e-5 * (np.abs(y).max() + epsilon))


@pytest.mark.parametrize("sparsity", [0.02, 0.3])
def test_a_weight_of_two_is_the_sample_twice_and_of_zero_the_sample_left_out(sparsity):
    X, y = sines(20)
    K, weights = rbf_kernel(X, X, 0.5), np.tile([1.0, 2.0, 0.0, 1.0], 5)
    rows = np.repeat(np.arange(20), weights.astype(int))
    weighted = solve_mcm_regression(K, y, 0.5, 0.2, sparsity, sample_weight=weights)
    copied = solve_mcm_regression(K[rows], y[rows], 0.5, 0.2, sparsity)
    assert weighted.objective == pytest.approx(copied.objective, rel=1e-9)
    assert weighted.certificate.proves_optimal() and copied.certificate.proves_optimal()


def test_shift_and_unit_of_y_change_nothing_else():
    X, y = sines(30)
    K = rbf_kernel(X, X, 0.5)
    one = solve_mcm_regression(K, y, 1.0, 0.2, 0.1)
    other = solve_mcm_regression(K, 1e4 * y + 1e6, 1.0, 0.2e4, 0.1)
    assert other.objective == pytest.approx(one.objective, rel=1e-6)
    np.testing.assert_allclose(other.answers(K), 1e4 * one.answers(K) + 1e6, rtol=1e-6)


def test_without_an_answer_asking_for_one_says_why():
    with pytest.warns(NoAnswerWarning, match="larger C"):
        nothing = solve_mcm_regression(np.eye(3), [1.0, 2.0, 3.0], C=0.01)
    with pytest.raises(InvalidInputError, match="p = 0"):
        nothing.answers(np.eye(3))


@pytest.mark.parametrize("y", [[1.0, 1.0, 1.0], [1.0, 1.0 + 1e-9, 1.0]])
def test_a_constant_y_is_answered(y):
    found = solve_mcm_regression(np.eye(3), y, C=1.0, epsilon=0.1)
    np.testing.assert_allclose(found.answers(np.zeros((2, 3))), 1.0, atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"C": 0.0}, "C"),
        ({"C": float("inf")}, "C"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"sparsity": -1.0}, "sparsity"),
        ({"sample_weight": [1.0, -1.0, 1.0]}, "sample_weight"),
        ({"sample_weight": [0.0, 0.0, 0.0]}, "sample_weight"),
        ({"sample_weight": [1.0]}, "sample_weight"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        solve_mcm_regression(np.eye(3), [1.0, 2.0, 3.0], **arguments)
