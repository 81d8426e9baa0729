"""``solve_mcm`` as a whole: one deadline, weights, no cap, and the faults that a fuzzer found in it."""

import sys
import time
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification, make_moons

import mcmteach as mt
from mcmteach.errors import (
    CertificateWarning,
    ConstantClassifierWarning,
    InfeasibleError,
    InvalidInputError,
    MissingExtraError,
    SolverError,
)
from mcmteach.separability import Separation
from mcmteach.solvers.kernel_columns import KernelColumns
from mcmteach.solvers.solve import choose_solver
from tests.solvers.exact import refuted
from tests.solvers.lps import case

INF = float("inf")
SOLVERS = ["linprog", "highs"]


def moons(M, noise=0.3, seed=0):
    X, y = make_moons(M, noise=noise, random_state=seed)
    return X, 2.0 * y - 1


# --- one deadline ------------------------------------------------------------------------------------------------------


def test_one_time_limit_holds_for_all_attempts_together():
    X, y = make_classification(1500, n_features=20, n_informative=5, random_state=0)
    start = time.process_time()
    with pytest.warns(CertificateWarning, match="time_limit"):
        mt.solve_mcm(KernelColumns(mt.RBF(0.05), X), 2.0 * y - 1, 1.0, 0.01, "highs", time_limit=0.5)
    assert (
        time.process_time() - start < 1.5 * 0.5 + 1
    )  # it was 108 s: linprog got the whole matrix and a limit of its own


# --- shapes and prices that broke it -------------------------------------------------------------------------------------


def test_many_more_columns_than_samples_need_no_recursion():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 11000))
    y = np.where(X[:, 0] + X[:, 1] > 0, 1.0, -1.0)
    assert mt.solve_mcm(X, y, 1.0, 0.1, "highs").certificate.proves_optimal()


def test_a_wide_sparse_matrix_stays_sparse():
    rng = np.random.default_rng(0)
    X = sp.random_array((2000, 20000), density=0.001, rng=rng, format="csr")
    y = np.where(X @ rng.normal(size=20000) > 0, 1.0, -1.0)
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        mt.solve_mcm(X, y, 1.0, 0.1, "highs", time_limit=2.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300e6 < 2000 * 20000 * 8  # most of it Cholesky's factor for the working columns; it took 7.8 GB


def test_a_constant_machine_of_many_samples_is_found():
    X, y = moons(2000)
    with pytest.warns(ConstantClassifierWarning):
        machine = mt.MCMClassifier(gamma="scale", sparsity=0.1, C=1e-4, solver="highs").fit(X, y)  # KeyError: 'A'
    assert machine.certificate_.proves_optimal() and machine.n_support_ == 0


@pytest.mark.parametrize("solver", SOLVERS)
def test_hard_margins_that_do_not_exist_are_called_that(solver):
    X, y = moons(40)
    contradictory = mt.rbf_kernel(np.vstack([X, X]), gamma=1.0), np.concatenate([y, -y])
    constant = np.ones((60, 3)), np.where(np.arange(60) % 2, 1.0, -1.0)
    for K, labels in (contradictory, constant):
        with pytest.raises(InfeasibleError, match="identical"):
            mt.solve_mcm(K, labels, INF, 0.1, solver)


def hard_margin(c):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        s = mt.solve_mcm(c.K, c.y, INF, c.sparsity, "highs")  # "calls the data unseparable, but a hyperplane does it"
    return (c.y * (c.K @ s.coef + s.b)).min() > 0 and not refuted(c.K, c.y, INF, c.sparsity, s)


@pytest.mark.parametrize("seed", [142, 703, 771, 839])
def test_hard_margins_that_exist_are_found_by_one_solver_or_the_other(seed):
    assert hard_margin(case(seed))


def test_classes_that_nearly_meet_are_never_called_inseparable():
    """Their hulls are 5e-10 apart: some versions of HiGHS find a plane between them, others cannot say."""
    try:
        found = hard_margin(case(110))
    except SolverError as undecided:
        found = "too close together" in str(undecided)
    assert found


def test_a_plane_whose_margin_is_lost_in_rounding_decides_nothing(monkeypatch):
    X, y = moons(40)
    K = mt.rbf_kernel(np.vstack([X, X]), gamma=1.0)  # each sample with both labels: no engine finds a plane
    nearly = Separation(np.zeros(80), 0.0, None)
    monkeypatch.setattr("mcmteach.lp.separate", lambda *_: nearly)
    with pytest.raises(SolverError, match="too close together to say"):
        mt.solve_mcm(K, np.concatenate([y, -y]), INF, 0.1, "linprog")


@pytest.mark.parametrize(("noise", "seed"), [(0.25, 1), (0.2, 0), (0.3, 3)])
@pytest.mark.parametrize("solver", SOLVERS)
def test_no_answer_is_worse_than_a_constant_machine(noise, seed, solver):
    X, y = moons(90, noise, seed)
    K = mt.polynomial_kernel(X, degree=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        s = mt.solve_mcm(K, y, 1.0, 1e-6, solver)
    assert s.objective < 30  # it was 3.7e9 where lambda = 0 costs 91: a price below HiGHS's tolerance looked like none
    assert not refuted(K, y, 1.0, 1e-6, s)


# --- weights -------------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.sampled_from(SOLVERS), st.booleans(), st.sampled_from([0.3, 3.0, INF]))
@settings(max_examples=30)
def test_a_weight_is_so_many_copies_of_the_sample(seed, solver, cap, C):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(60) % 2, 1.0, -1.0)
    X = rng.normal(size=(60, 2)) + (3.0 if np.isinf(C) else 0.7) * y[:, None]
    weights = rng.integers(0, 4, 60)
    weights[:2] = 1
    K, rows = mt.rbf_kernel(X, gamma=1.0), np.repeat(np.arange(60), weights)
    weighted = mt.solve_mcm(K, y, C, 0.1, solver, sample_weight=weights, cap=cap)
    repeated = mt.solve_mcm(K[rows], y[rows], C, 0.1, solver, cap=cap)
    # a hard margin is a soft one with a large C to the solver: proved to 1e-6, and no nearer
    assert weighted.objective == pytest.approx(repeated.objective, rel=1e-6 if np.isinf(C) else 1e-8)
    assert weighted.certificate.proves_optimal() and repeated.certificate.proves_optimal()
    present = weights > 0
    assert not weighted.q[~present].any() and not weighted.certificate.z[~present].any()
    some = weighted._replace(certificate=weighted.certificate.__class__(
        **{**vars(weighted.certificate), "z": weighted.certificate.z[present]}
    ))  # fmt: skip
    costs = C if np.isinf(C) else (C * weights)[present]
    assert not refuted(K[present], y[present], costs, 0.1, some, cap)


def test_weights_of_a_lazy_kernel_and_along_a_path():
    X, y = moons(300)
    weights = np.where(np.arange(300) % 5, 1.5, 0.0)
    K = mt.rbf_kernel(X, gamma=1.0)
    lazy = mt.solve_mcm(KernelColumns(mt.RBF(1.0), X), y, 1.0, 0.3, "highs", sample_weight=weights)
    path = mt.mcm_path(K, y, [0.5, 1.0], 0.3, solver="highs", sample_weight=weights)
    assert lazy.objective == pytest.approx(path.solutions[1].objective, rel=1e-8) and path.gap.max() < 1e-6
    some = weights > 0
    same = mt.solve_mcm(K[some], y[some], 1.5, 0.3)
    assert lazy.objective == pytest.approx(same.objective, rel=1e-8)


@pytest.mark.parametrize(("weights", "says"), [([1, 1, 1], "3 entries"), ([1, -1], "negative"), ([0, 1], "one class")])
def test_bad_weights_are_refused(weights, says):
    with pytest.raises(InvalidInputError, match=says):
        mt.solve_mcm(np.eye(2), [1, -1], sample_weight=weights)


# --- without the cap: the LP-SVM -------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 10.0]), st.sampled_from([0.05, 0.5]))
@settings(max_examples=20)
def test_without_a_cap_it_is_the_lp_svm(seed, C, price):
    rng = np.random.default_rng(seed)
    M = 70
    y = np.where(rng.random(M) < 0.4, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    K = mt.rbf_kernel(rng.normal(size=(M, 2)) + 0.7 * y[:, None], gamma=0.7)
    # min C sum q + price sum (a + c),  y (K (a - c) + b) + q >= 1, written down anew
    Y = y[:, None]
    other = scipy.optimize.linprog(
        np.r_[np.full(2 * M, price), 0.0, np.full(M, C)],
        A_ub=-np.hstack([Y * K, -Y * K, Y, np.eye(M)]), b_ub=-np.ones(M),
        bounds=[(0, None)] * (2 * M) + [(None, None)] + [(0, None)] * M,
    )  # fmt: skip
    for solver in SOLVERS:
        s = mt.solve_mcm(K, y, C, price, solver, cap=False)
        assert s.objective == pytest.approx(other.fun, rel=1e-7) and s.certificate.proves_optimal()
        assert not refuted(K, y, C, price, s, cap=False)


def test_a_large_problem_without_a_cap_takes_the_simplex_method():
    X, y = moons(1500)
    lazy = mt.solve_mcm(KernelColumns(mt.RBF(1.0), X), y, 1.0, 2.0, "highs", cap=False)
    whole = mt.solve_mcm(mt.rbf_kernel(X, gamma=1.0), y, 1.0, 2.0, "highs", cap=True)
    assert lazy.certificate.proves_optimal() and lazy.objective < whole.objective - 1 + 1e-6


# --- which solver ----------------------------------------------------------------------------------------------------------


def test_auto_takes_the_fast_solver_where_it_pays(monkeypatch):
    assert choose_solver("auto", 1000, 0.1) == "highs"
    assert choose_solver("auto", 50, 0.1) == choose_solver("auto", 1000, 0) == "linprog"
    monkeypatch.setattr("mcmteach.solvers.solve.find_spec", lambda name: None)
    assert choose_solver("auto", 1000, 0.1) == "linprog"
    with pytest.raises(InvalidInputError, match="no solver 'simplex'"):
        choose_solver("simplex", 10, 0.1)


def test_a_missing_highspy_is_named_with_its_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(MissingExtraError, match=r'pip install -e ".*\[fast\]"'):
        mt.solve_mcm(np.eye(4), [1, 1, -1, -1], solver="highs")
    with pytest.raises(MissingExtraError):
        mt.MCMClassifier(solver="highs").fit(np.eye(4), [1, 1, 0, 0])
