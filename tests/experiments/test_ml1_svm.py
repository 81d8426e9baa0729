"""The ML1-SVM against scikit-learn's SVM and a solver for any smooth problem."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach import experiments as ex
from mcmteach.datasets import make_parts
from mcmteach.experiments import ml1_svm
from mcmteach.experiments import protocol as folds


@pytest.fixture(scope="module")
def part():
    return make_parts(*folds.load_table("glass", ex.ML1), 3, seed=1)[0]


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_the_ml1_svm_is_the_svm_where_h_is_free(part, C):
    K = mt.rbf_kernel(part.X, part.X, 0.1)
    machine = SVC(C=C, kernel="precomputed", tol=1e-6).fit(K, part.y)
    found = ml1_svm.solve_ml1(K, part.y, C, C_h=0.0)
    np.testing.assert_allclose(K @ found.coef + found.b, machine.decision_function(K), atol=1e-3)
    assert np.array_equal(np.flatnonzero(found.coef), np.sort(machine.support_)) and abs(found.gap) < 1e-6


def test_the_ml1_svm_by_a_solver_for_any_smooth_problem(part):
    """The primal, with w = sum u_j phi_j, by scipy's SLSQP."""
    X, y = part.X[::6], part.y[::6]
    K, M, C, C_h = mt.rbf_kernel(X, X, 0.02), len(y), 5.0, 1.0
    f = np.c_[K, np.ones(M), np.zeros((M, 1 + M))]  # of the variables u, b, h, q
    margin = {"type": "ineq", "fun": lambda v: y * (f @ v) - 1 + v[M + 2 :]}
    cap = {"type": "ineq", "fun": lambda v: v[M + 1] - y * (f @ v)}
    bounds = [(None, None)] * (M + 1) + [(1, None)] + [(0, None)] * M
    cost = lambda v: v[:M] @ K @ v[:M] / 2 + C * v[M + 2 :].sum() + C_h * v[M + 1]  # noqa: E731
    start = np.r_[np.zeros(M + 1), np.ones(1 + M)]
    options = {"maxiter": 500, "ftol": 1e-12}
    theirs = minimize(cost, start, method="SLSQP", bounds=bounds, constraints=[margin, cap], options=options)
    ours = ml1_svm.solve_ml1(K, y, C, C_h)
    assert theirs.success and ours.objective == pytest.approx(theirs.fun, rel=1e-5) and abs(ours.gap) < 1e-6
    free, dear = (ml1_svm.solve_ml1(K, y, C, weight) for weight in (0.0, 1e4))
    h = [(y * (K @ one.coef + one.b)).max() for one in (free, ours, dear)]
    assert h[0] > h[1] > h[2] == pytest.approx(1.0, abs=1e-4)  # what h costs lowers it
