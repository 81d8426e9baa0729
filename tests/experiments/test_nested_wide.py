"""The machines of the ablation against other programs, and the rule of choice."""

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach import experiments as ex
from mcmteach.datasets import make_parts
from mcmteach.experiments import nested_wide, rules
from mcmteach.experiments import protocol as folds

QUICK = ex.WIDE._replace(name="quick-wide")


@pytest.fixture(scope="module")
def part():
    X, y = folds.load_table("glass", QUICK)
    return make_parts(X, y, 3, seed=1)[0]


@pytest.fixture(scope="module")
def K(part):
    return mt.rbf_kernel(part.X, part.X, 0.1)


def test_an_edge_is_chosen_only_where_nothing_inside_does_as_well():
    grid = [{"C": C, "sparsity": C * s, "gamma": g} for g in (1, 2, 4) for C in (10.0, 1.0, 0.1) for s in (3, 1, 0.3)]
    inside = {"C": 1.0, "sparsity": 1.0, "gamma": 2}
    equal = nested_wide.choose(grid, [0.9] * len(grid))
    assert equal.params == inside and equal.edges == []
    best = nested_wide.choose(grid, [0.9 + 0.01 * (point["gamma"] == 4 and point["C"] == 0.1) for point in grid])
    assert best.params == {"C": 0.1, "sparsity": 0.1, "gamma": 4} and sorted(best.edges) == ["C", "gamma"]
    two = nested_wide.choose([{"D": 1e-3}, {"D": 1.0}], [0.5, 0.5])
    assert two.params == {"D": 1e-3} and two.edges == []  # two values have no inside


def test_without_the_cap_it_is_the_lp_svm_and_a_large_c_comes_near_it(part, K):
    """The LP-SVM by a programme written here: min sum q + s (u + v), y (K (u - v) + b) >= 1 - q."""
    s, M = 0.3, len(part.y)
    c = np.r_[np.full(2 * M, s), 0.0, np.ones(M)]
    A = -np.c_[part.y[:, None] * K, -part.y[:, None] * K, part.y, np.eye(M)]
    free = [(0, None)] * (2 * M) + [(None, None)] + [(0, None)] * M
    expected = linprog(c, A_ub=A, b_ub=-np.ones(M), bounds=free).fun

    def worth(fit):
        return float(np.maximum(0, 1 - part.y * (K @ fit.coef + fit.b)).sum() + s * np.abs(fit.coef).sum())

    (without,) = nested_wide.PATHS["lpsvm"](K, part.y, [{"sparsity": s}], QUICK)
    assert worth(without) == pytest.approx(expected, rel=1e-6)
    excess = []
    for C in (1.0, 100.0, 1e4):
        (capped,) = nested_wide.PATHS["mcm"](K, part.y, [{"C": C, "sparsity": C * s}], QUICK)
        excess.append(worth(capped) - expected)
    assert excess[0] > excess[1] >= excess[2] - 1e-6 and excess[2] < 1e-2


def test_the_mcm_with_a_price_is_abes_mlp_svm(part, K):
    """||lambda||_1 + C_h h + C' sum q with y f >= 1 - q and y f <= h, by linprog: the same optimum, divided by the price."""
    C, s, M = 0.5, 0.2, len(part.y)
    yK = part.y[:, None] * K
    c = np.r_[np.ones(2 * M), 0.0, 1 / s, np.full(M, C / s)]
    lower = -np.c_[yK, -yK, part.y, np.zeros(M), np.eye(M)]
    upper = np.c_[yK, -yK, part.y, -np.ones(M), np.zeros((M, M))]
    bounds = [(0, None)] * (2 * M) + [(None, None), (1, None)] + [(0, None)] * M
    theirs = linprog(c, A_ub=np.r_[lower, upper], b_ub=np.r_[-np.ones(M), np.zeros(M)], bounds=bounds)
    assert theirs.fun * s == pytest.approx(mt.solve_mcm(K, part.y, C, s).objective, rel=1e-6)


def test_svc_is_scikit_learns(part, K):
    (fit,) = nested_wide.PATHS["svc"](K, part.y, [{"C": 10.0}], QUICK)
    machine = SVC(C=10.0, gamma=0.1).fit(part.X, part.y)
    K_test = mt.rbf_kernel(part.X_test, part.X, 0.1)
    np.testing.assert_allclose(K_test @ fit.coef + fit.b, machine.decision_function(part.X_test), atol=1e-3)
    assert fit.n_support == machine.n_support_.sum()


@pytest.mark.parametrize("C", [0.5, 50.0])
def test_the_logistic_machine_is_optimal_by_its_gradient(part, K, C):
    """|C g_j| <= 1 for every column, with equality where its coefficient is not 0, and no slope along the bias."""
    (fit,) = nested_wide.PATHS["logistic"](K, part.y, [{"C": C}], QUICK)
    slope = C * part.y / (1 + np.exp(part.y * (K @ fit.coef + fit.b)))
    assert (
        abs(slope.sum()) <= 0.1 + 1e-3
    )  # liblinear charges for the bias, here a tenth of what it charges for a coefficient
    g = (K - K.mean(axis=0)).T @ slope
    used = fit.coef != 0
    assert 0 < fit.n_support < len(part.y) and np.abs(g).max() < 1 + 1e-3
    np.testing.assert_allclose(g[used], np.sign(fit.coef[used]), atol=1e-3)


def test_both_ends_of_c_are_limits(part, K):
    """Where h = 1 a smaller C has the same solution; at the largest one it is the LP-SVM, but for what h costs."""
    s = 0.08
    ends = [max(ex.WIDE.C), min(ex.WIDE.C), min(ex.WIDE.C) / 10]
    large, small, smaller = (mt.solve_mcm(K, part.y, C, C * s) for C in ends)
    assert small.h == pytest.approx(1.0, abs=1e-9) == smaller.h
    np.testing.assert_allclose(small.coef, smaller.coef, atol=1e-6)
    (free,) = nested_wide.PATHS["lpsvm"](K, part.y, [{"sparsity": s}], QUICK)
    np.testing.assert_allclose(K @ large.coef + large.b, K @ free.coef + free.b, atol=0.05)


def test_the_programme_without_a_price_interpolates(part, K):
    (fit,) = nested_wide.PATHS["lp0"](K, part.y, [{"C": 1.0}], ex.NO_PRICE)
    np.testing.assert_allclose(part.y * (K @ fit.coef + fit.b), 1.0, atol=1e-5)
    (failed,) = nested_wide.PATHS["lp0"](K, part.y, [{"C": 1.0}], ex.NO_PRICE._replace(max_iter=3))
    assert failed is None and nested_wide._accuracy(failed, K[:0], part) == max(
        np.mean(part.y_test > 0), np.mean(part.y_test < 0)
    )


def test_the_further_machines_run_on_the_first_partition_of_the_nested_protocol():
    wide = ex.LOGISTIC._replace(gamma=(0.1,), logistic_C=(1.0,), n_folds=2, inner_folds=2)
    fold = folds.run_fold("seeds", 1, wide)
    assert set(fold["columns"]) == {"logistic", "majority"} and fold["seed"] == ex.WIDE.seed
    again = folds.run_fold("seeds", 1, wide._replace(repeats=3))
    assert again["fingerprint"] == fold["fingerprint"]  # how often the data are divided is no rule of a fold
    other = folds.run_fold("seeds", 3, wide._replace(repeats=3))
    assert other["seed"] == ex.WIDE.seed + folds.STRIDE and other["columns"] != fold["columns"]


def test_older_results_keep_their_fingerprints():
    assert ex.Store().read(ex.TEST_CHOSEN, "glass", 0) is not None
    assert rules.fingerprint({"a": 1}) != rules.fingerprint({"a": 2})


def test_the_ml1_svm_is_an_arm_of_the_ablation():
    quick = ex.ML1._replace(gamma=(0.1, 1.0), svc_C=(1.0, 10.0), C=(10.0, 1.0, 0.1), n_folds=2, inner_folds=2)
    columns = folds.run_fold("promoters", 0, quick)["columns"]
    assert set(columns) == {"ml1", "majority"} and columns["ml1"]["points"] == 12
    assert columns["ml1"]["params"]["C_h"] in {C / c for C in quick.svc_C for c in quick.C}
    assert columns["ml1"]["accuracy"] > columns["majority"]["accuracy"] + 0.1
