"""The price from which on nothing is learnt: where it is, and that it is found in time."""

import time

import numpy as np
import pytest
from hypothesis import assume, given

import mcmteach as mt
from mcmteach.errors import ConstantClassifierWarning, InvalidInputError
from mcmteach.solvers.constant_price import price_unit
from tests.test_lp import costs, data, labels

INF = float("inf")


@given(data, labels, costs)
def test_constant_price_is_where_the_machine_becomes_constant(X, y, C):
    K = mt.rbf_kernel(X, gamma=0.5)
    price = mt.constant_price(K, y, C)
    few = min(np.sum(y > 0), np.sum(y < 0))
    assert mt.solve_mcm(K, y, C, price * 1.001 + 1e-6).objective == pytest.approx(1 + 2 * C * few)
    assume(price > 1e-3)
    below = mt.solve_mcm(K, y, C, price * 0.99)
    assert below.coef.any() and below.objective < 1 + 2 * C * few


def test_constant_price_asks_for_what_it_needs():
    assert mt.constant_price([[1.0], [-1.0]], [1, -1], 1.0) == pytest.approx(2)
    with pytest.raises(InvalidInputError, match="C must be"):
        mt.constant_price([[1.0], [-1.0]], [1, -1], INF)


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_one_sample_against_many_is_fitted_at_once(seed):
    # the fit is constant from a price next to 0 on: on the way there linprog cycled, for ever
    X, y = np.random.default_rng(seed).normal(size=(100, 2)), np.arange(100) == 0
    start = time.process_time()
    with pytest.warns(ConstantClassifierWarning, match="every sparsity from"):
        machine = mt.MCMClassifier(gamma="scale", sparsity=0.1).fit(X, y)
    assert 0 <= mt.constant_price(machine.kernel_(X), np.where(y, 1.0, -1.0), 1.0, time_limit=600.0) <= 0.1
    assert time.process_time() - start < 10


def test_out_of_time_the_price_is_too_high_and_never_too_low():
    X, y = np.random.default_rng(0).normal(size=(400, 2)), np.where(np.arange(400) % 3, 1.0, -1.0)
    K = mt.rbf_kernel(X, gamma=1.0)
    exact, bound = mt.constant_price(K, y, 1.0), mt.constant_price(K, y, 1.0, time_limit=1e-6)
    assert exact <= bound * (1 + 1e-9) and bound < np.abs(K.T @ y).max() + 400
    assert not mt.solve_mcm(K, y, 1.0, 1.001 * bound).coef.any()


@pytest.mark.parametrize("seed", range(5))
def test_the_unit_of_prices_is_a_price_at_which_the_machine_is_constant(seed):
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(40, 2)), rng.integers(1, 4, 40).astype(float)
    y = np.where(X[:, 0] + rng.normal(size=40) > 0.5, 1.0, -1.0)
    K = mt.rbf_kernel(X, gamma=0.5)
    unit = price_unit(K, y, 2.0, weights)
    assert unit >= mt.constant_price(K, y, 2.0, sample_weight=weights) * (1 - 1e-9)
    assert not mt.solve_mcm(K, y, 2.0, unit * (1 + 1e-9), sample_weight=weights).coef.any()
    copies = np.arange(40).repeat(weights.astype(int))
    assert price_unit(K[np.ix_(copies, copies)], y[copies], 2.0) == pytest.approx(unit)


@pytest.mark.parametrize("cap", [True, False])
def test_with_classes_of_equal_weight_the_unit_is_the_smallest_such_price(cap):
    rng = np.random.default_rng(0)
    y = np.repeat([-1.0, 1.0], 30)
    K = mt.rbf_kernel(rng.normal(size=(60, 2)) + y[:, None], gamma=0.5)
    assert price_unit(K, y, 1.0) == pytest.approx(mt.constant_price(K, y, 1.0, cap=cap), rel=0.05 if cap else 1e-9)
