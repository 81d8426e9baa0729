"""The interior point method by itself: the optimum, columns that come and go, memory that is used again."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcmteach as mt
from mcmteach.solvers.interior_point import Iterate, Scratch, interior_point
from tests.solvers.samples import small_problem


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_interior_point_finds_the_optimum(seed):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(60) % 3 == 0, 1.0, -1.0)
    K = mt.rbf_kernel(rng.normal(size=(60, 2)), gamma=1.0)
    price = np.full(60, 0.1)
    one = np.ones(60)
    it = interior_point(Iterate(y, one, price), y[:, None] * K, y, one, price, 1e-9)
    lam, b, d = it.coefficients(), it.b, it.d
    t = y * (K @ lam + b)
    objective = max(1, t.max()) + np.maximum(0, 1 - t).sum() + 0.1 * np.abs(lam).sum()
    assert objective == pytest.approx(mt.solve_mcm(K, y, 1.0, 0.1, "linprog").objective, rel=1e-7)
    assert 1 + d.sum() == pytest.approx(objective, rel=1e-7) and abs(y @ d) < 1e-6


def test_columns_that_enter_late_and_leave_early_lead_to_the_same_optimum():
    A, y, C, price = small_problem()
    whole = interior_point(Iterate(y, C, price), A, y, C, price, 1e-9)
    it = interior_point(Iterate(y, C, price[:10]), A[:, :10], y, C, price[:10], 0.1)
    it.enter(A, C, price)
    assert np.abs(it.d @ A).max() < 0.1  # strictly feasible for the new columns too
    it = interior_point(it, A, y, C, price, 1e-3)
    kept = it.partition().used | (np.arange(40) < 5)
    it.keep(kept)
    it = interior_point(it, A[:, kept], y, C, price[kept], 1e-9)
    np.testing.assert_allclose(it.coefficients(), whole.coefficients()[kept], atol=1e-6)


def test_memory_that_is_used_again_keeps_what_was_in_it_and_changes_no_answer():
    scratch = Scratch()
    first = scratch.matrix("A", 3, 2)
    first[:] = np.arange(6).reshape(3, 2)
    np.testing.assert_array_equal(scratch.matrix("A", 3, 50)[:, :2], np.arange(6).reshape(3, 2))
    A, y, C, price = small_problem()
    fresh = interior_point(Iterate(y, C, price), A, y, C, price, 1e-8)
    scratch.matrix("H", 100, 100)[:] = np.nan
    used = interior_point(Iterate(y, C, price), A, y, C, price, 1e-8, scratch)
    assert np.array_equal(fresh.x, used.x) and np.array_equal(fresh.s, used.s)
