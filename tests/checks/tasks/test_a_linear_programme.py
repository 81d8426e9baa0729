"""The references of the tasks on the linear programme, against the library's programme and linprog."""

import numpy as np
import pytest
from scipy.optimize import linprog

from mcmteach.checks.tasks import a_linear_programme as tasks
from mcmteach.lp import build_lp
from mcmteach.solvers.solve import solve_mcm


def test_the_references_are_the_librarys_programme():
    for X, y in tasks.PROGRAMME_IN_BLOCKS.calls(7):
        lp = build_lp(X, y, np.inf)
        c, A, d = tasks.programme(X, y)
        assert np.array_equal(c, lp.c) and np.array_equal(A, lp.A_ub.toarray()) and np.array_equal(d, lp.b_ub)
    for X, y, w, b, C in (call for call in tasks.SOFT_OBJECTIVE.calls(7) if len(set(call[1])) == 2):
        fixed = build_lp(X, y, C)  # with w and b fixed, the programme finds h and q by itself
        bounds = [(value, value) for value in (*w, b)] + fixed.bounds[len(w) + 1 :]
        best = linprog(fixed.c, fixed.A_ub, fixed.b_ub, bounds=bounds)
        assert tasks.soft_objective(X, y, w, b, C) == pytest.approx(best.fun)


@pytest.mark.parametrize("points", [(1.0, 2.0, 1.0, 4.0), (3.0, 5.0, 1.0, 8.0), (0.5, 1.0, 1.5, 9.0)])
def test_a_proof_reaches_the_optimum_and_broken_ones_prove_nothing(points):
    first, shared, *broken = tasks.on_a_line(*points)
    best = solve_mcm(*first[:2], C=np.inf, sparsity=0.0).h
    assert best > 1 and tasks.proved_bound(*first) == tasks.proved_bound(*shared) == pytest.approx(best)
    assert [tasks.proved_bound(*case) for case in broken] == [1.0] * len(broken)


@pytest.mark.parametrize("seed", range(5))
def test_what_multipliers_prove_is_true(seed):
    for X, y, mu, nu in tasks.PROVED_BOUND.calls(seed):
        assert tasks.proved_bound(X, y, mu, nu) <= solve_mcm(X, y, C=np.inf, sparsity=0.0).h * (1 + 1e-9)
