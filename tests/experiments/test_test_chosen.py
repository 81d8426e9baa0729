"""The paper's way: gamma_c by the test fold, and its programme as it stands."""

import numpy as np
import pytest

import mcmteach as mt
from mcmteach import experiments as ex
from mcmteach.datasets import stratified_folds
from mcmteach.experiments import protocol as folds
from mcmteach.experiments import test_chosen
from tests.experiments.quick import QUICK_ON_TEST


def test_the_papers_gamma_c_is_the_best_of_all_on_the_test_fold():
    X, y = folds.load_table("glass", QUICK_ON_TEST)
    train, test = stratified_folds(y, 2, 0)[0]
    whole = folds.compute(X, y, train, test, QUICK_ON_TEST, 0)["columns"]
    one_each = [
        folds.compute(X, y, train, test, QUICK_ON_TEST._replace(gamma_c=(factor,)), 0)["columns"]
        for factor in QUICK_ON_TEST.gamma_c
    ]
    for column in ("conformal", "lp0_conformal"):
        assert whole[column]["accuracy"] == max(columns[column]["accuracy"] for columns in one_each)
        assert whole[column]["programmes"] == len(QUICK_ON_TEST.gamma_c)


def test_the_plain_programme_is_solved_as_solve_mcm_solves_it(moons):
    X, y = np.r_[moons[0], moons[0][:5]], np.r_[moons[1], -moons[1][:5]]  # five contradictions: the optimum is above 1
    K = mt.rbf_kernel(X, X, 100.0)
    reference = mt.solve_mcm(K, y, C=0.1, sparsity=0, solver="linprog")
    lp = test_chosen._plain(ex.TEST_CHOSEN)(K, y, 0.1, 0.0)
    assert reference.objective > 1.5 and reference.certificate.proves_optimal()
    assert 1 / (1 - lp.gap) == pytest.approx(reference.objective)


def test_a_programme_that_needs_too_many_steps_has_failed_and_is_counted():
    X, y = folds.load_table("glass", QUICK_ON_TEST)
    train, test = stratified_folds(y, 2, 0)[0]
    columns = folds.compute(X, y, train, test, QUICK_ON_TEST._replace(max_iter=3), 0)["columns"]
    assert columns["lp0"]["failed"] == columns["lp0"]["programmes"] == 3 and columns["lp0"]["solved"] is False
    assert columns["lp0"]["accuracy"] == columns["majority"]["accuracy"]
    assert columns["mcm"]["failed"] == 0
