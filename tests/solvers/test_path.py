"""Paths of solutions: the same as separate ones, wherever the last one ended."""

import itertools

import numpy as np
import pytest

import mcmteach as mt
from mcmteach.errors import (
    CertificateWarning,
    InvalidInputError,
)
from mcmteach.solvers.fast import FastSolver
from tests.solvers.samples import many, moons


def test_a_path_is_what_separate_fits_give():
    X, y = moons(350)
    K = mt.rbf_kernel(X, gamma=1.0)
    for C, sparsity in (
        (np.geomspace(0.1, 10, 8), 0.5),
        (1.0, np.geomspace(0.05, 50, 8)),
        ([0.1, 1, 3], [1, 0.5, 0.1]),
    ):
        path = mt.mcm_path(K, y, C, sparsity, solver="highs")
        assert len(path.solutions) == len(path.C) == len(path.sparsity) and path.gap.max() <= 1e-6
        for c, s, solution, n, h, error in zip(*path[:6], strict=True):
            alone = mt.solve_mcm(K, y, c, s, "linprog")
            assert solution.objective == pytest.approx(alone.objective, rel=1e-6)
            assert n == np.count_nonzero(solution.coef) and h == solution.h
            assert error == np.mean(np.sign(K @ solution.coef + solution.b) != y)


def test_a_wide_path_and_one_without_highs():
    X, y = many(200)
    K = mt.rbf_kernel(X, gamma=0.05)
    wide = mt.mcm_path(K, y, [1.0, 10.0], 0.1, solver="highs")
    assert wide.n_support.min() > 60 and wide.gap.max() <= 1e-6
    slow = mt.mcm_path(K, y, [1.0, 10.0], 0.1, solver="linprog")
    np.testing.assert_allclose([s.objective for s in wide.solutions], [s.objective for s in slow.solutions], rtol=1e-6)
    assert "points=2" in repr(wide)


def test_a_path_refuses_what_it_cannot_pair_and_counts_what_it_cannot_prove():
    X, y = moons(150)
    with pytest.raises(InvalidInputError, match="equally many"):
        mt.mcm_path(X, y, [1, 2, 3], [0.1, 0.2])
    with pytest.raises(InvalidInputError, match="C must be"):
        mt.mcm_path(X, y, [1, -2])
    with pytest.warns(CertificateWarning, match="1 of the 2"):
        mt.mcm_path(mt.rbf_kernel(X, gamma=2.0**-10), y, 1.0, [0.0, 0.1])


def test_a_path_goes_on_from_inside_where_solutions_are_not_sparse():
    X, y = many(300)
    K = mt.rbf_kernel(X, gamma=0.05)
    path = mt.mcm_path(K, y, np.geomspace(0.1, 10, 6), 0.3, solver="highs")
    assert path.n_support.min() > 20
    for C, solution in zip(path.C, path.solutions, strict=True):
        alone = mt.solve_mcm(K, y, C, 0.3, "highs")
        assert np.array_equal(np.flatnonzero(solution.coef), np.flatnonzero(alone.coef))
        np.testing.assert_allclose(solution.coef, alone.coef, rtol=1e-6)


@pytest.mark.parametrize("samples", [150, 1200])
def test_a_path_goes_on_wherever_the_last_solution_ran_out_of_time(samples, monkeypatch):
    X, y = moons(samples)
    K = mt.rbf_kernel(X, gamma=2.0)
    for ticks in range(1, 40, 3):
        clock = itertools.count()
        fast = FastSolver(K, y)
        monkeypatch.setattr("mcmteach.solvers.fast.time.perf_counter", lambda clock=clock: next(clock))
        fast.solve(C=0.5, sparsity=0.02, time_limit=ticks)
        monkeypatch.undo()
        assert fast.solve(C=1.0, sparsity=0.02, time_limit=60.0).certificate.proves_optimal()
