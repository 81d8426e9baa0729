"""Where the simplex method gives up."""

import time

import numpy as np
import pytest

import mcmteach as mt
from mcmteach.datasets import make_parts, stratified_folds
from mcmteach.solvers.fast import FastSolver


@pytest.fixture(scope="module")
def circling():
    """A kernel matrix (indian-liver-patient, an inner fold) on which the warm dual simplex method goes round in circles."""
    loaded = mt.load_dataset("indian-liver-patient")
    y = 2.0 * loaded.target - 1
    train, _ = stratified_folds(y, 5, 2021)[1]
    part = make_parts(loaded.data[train], y[train], stratified_folds(y[train], 3, 2023))[0]
    return mt.rbf_kernel(part.X, part.X, 0.1), part.y


def test_a_start_from_which_the_simplex_method_circles_is_given_up(circling):
    start = time.process_time()
    solution = FastSolver(*circling).solve(C=1.0, sparsity=0.3, time_limit=60.0)
    assert solution.certificate.proves_optimal()
    assert time.process_time() - start < 20  # it took the whole minute
    reference = mt.solve_mcm(*circling, C=1.0, sparsity=0.3, solver="linprog")
    assert solution.objective == pytest.approx(reference.objective)


def test_a_machine_of_all_samples_takes_few_pivots():
    """balance-scale, an inner fold, narrow kernel, low price: with HiGHS's own scaling this ran into any time limit."""
    loaded = mt.load_dataset("balance-scale")
    y = 2.0 * loaded.target - 1
    train, _ = stratified_folds(y, 5, 2021)[1]
    part = make_parts(loaded.data[train], y[train], stratified_folds(y[train], 3, 2023))[0]
    solver = FastSolver(mt.rbf_kernel(part.X, part.X, 1.5), part.y)
    for price in (0.2, 0.04, 0.008, 0.0016, 0.00032, 0.000064):
        solution = solver.solve(C=0.1, sparsity=price, time_limit=60.0)
        assert solution.certificate.proves_optimal() and solution.n_iter < 2 * len(part.y)
    assert np.count_nonzero(solution.coef) == len(part.y) - 1  # a vertex


@pytest.mark.parametrize("seconds", [1e-6, 0.1, 0.3])
def test_out_of_time_is_an_answer_with_a_gap_and_not_an_error(circling, seconds):
    solution = FastSolver(*circling).solve(C=1.0, sparsity=0.3, time_limit=seconds)
    assert solution.coef.shape == (308,) and solution.certificate.primal >= solution.certificate.dual
