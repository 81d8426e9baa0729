"""The fast solver against linprog, at any data, in bad condition, along paths, and with its eye on what it evaluates."""

import itertools
import sys
import time
import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import make_classification, make_moons
from sklearn.preprocessing import StandardScaler

import mcmteach as mt
from mcmteach.datasets import make_parts, stratified_folds
from mcmteach.errors import (
    CertificateWarning,
    ConstantClassifierWarning,
    InfeasibleError,
    InvalidInputError,
    MissingExtraError,
)
from mcmteach.solvers.crossover import vertex
from mcmteach.solvers.fast import FastSolver
from mcmteach.solvers.interior_point import Iterate, Scratch, interior_point, working_gap
from mcmteach.solvers.kernel_columns import KernelColumns, MatrixColumns, as_columns
from mcmteach.solvers.settings import DEFAULT
from mcmteach.solvers.solve import choose_solver
from mcmteach.solvers.working_set import WorkingSet

INF = float("inf")


def moons(M, noise=0.3):
    X, y = make_moons(M, noise=noise, random_state=0)
    return X, 2.0 * y - 1


def many(M):
    X, y = make_classification(M, n_features=20, n_informative=5, random_state=0)
    return StandardScaler().fit_transform(X), 2.0 * y - 1


def prepared(name):
    d = mt.load_dataset(name)
    X = np.where(np.isnan(d.data), np.nanmedian(d.data, axis=0), d.data)
    return StandardScaler().fit_transform(X), 2.0 * d.target - 1


def agree(K, y, C, sparsity):
    """Both solvers, their certificates, and the same optimum. Returns the fast solution."""
    fast, slow = mt.solve_mcm(K, y, C, sparsity, "highs"), mt.solve_mcm(K, y, C, sparsity, "linprog")
    assert slow.certificate.proves_optimal() and fast.certificate.proves_optimal()
    assert fast.objective == pytest.approx(slow.objective, rel=1e-6)
    return fast


class CountingKernel:
    """An RBF kernel that remembers how many entries it was asked for, and the largest block of them."""

    def __init__(self, gamma):
        self.gamma, self.entries, self.largest = gamma, 0, 0

    def __call__(self, X, Z):
        self.entries += len(X) * len(Z)
        self.largest = max(self.largest, len(X) * len(Z))
        return mt.rbf_kernel(X, Z, self.gamma)


# --- the same optimum ----------------------------------------------------------------------------------------------------


@given(
    arrays(float, (12, 2), elements=st.floats(-2, 2, allow_subnormal=False)),
    st.lists(st.sampled_from([-1.0, 1.0]), min_size=12, max_size=12).filter(lambda y: len(set(y)) == 2).map(np.array),
    st.sampled_from([0.05, 0.5, 2.0, 20.0]),
    st.sampled_from([0.01, 0.1, 0.5]),
    st.sampled_from([0.01, 0.5, 5.0]),
)
@settings(max_examples=50)
def test_equals_linprog_at_any_data(X, y, C, sparsity, gamma):
    agree(mt.rbf_kernel(X, gamma=gamma), y, C, sparsity)


@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 10.0]), st.sampled_from([0.1, 1.0]))
@settings(max_examples=6)
def test_equals_linprog_at_any_seed_where_samples_and_columns_are_left_out(seed, C, sparsity):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(250) < 0.4, 1.0, -1.0)
    X = rng.normal(size=(250, 3)) + 0.7 * y[:, None]
    agree(mt.rbf_kernel(X, gamma=0.5), y, C, sparsity)


@pytest.mark.parametrize("name", ["sonar", "haberman", "heart-statlog", "promoters"])
@pytest.mark.parametrize("sparsity", [0.1, 2.0])
def test_equals_linprog_on_bundled_sets(name, sparsity):
    X, y = prepared(name)
    agree(mt.rbf_kernel(X, gamma=1 / X.shape[1]), y, 1.0, sparsity)


def test_a_wide_solution_goes_through_the_interior_point_method_and_ends_at_a_vertex():
    X, y = many(400)
    K = mt.rbf_kernel(X, gamma=0.05)
    s = mt.solve_mcm(K, y, 1.0, 0.1, "highs")
    assert s.certificate.gap < 1e-9
    assert np.count_nonzero(s.coef) > 140
    # a vertex: as many samples exactly on margin or cap as there are coefficients, b and (if h > 1) h
    t = y * (K @ s.coef + s.b)
    held = np.sum(np.isclose(t, 1, atol=1e-7) | np.isclose(t, s.h, atol=1e-7))
    assert held >= np.count_nonzero(s.coef) + 1


def test_other_matrices_than_kernels():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(300) % 2, 1.0, -1.0)
    agree(rng.normal(size=(300, 5)) + 0.5 * y[:, None], y, 1.0, 0.1)  # few columns
    agree(rng.normal(size=(100, 400)), y[:100], 1.0, 0.1)  # many columns
    agree(sp.random_array((200, 150), density=0.05, rng=rng, format="csr"), y[:200], 1.0, 0.1)
    agree(rng.normal(size=(150, 150)), y[:150], 1.0, 1.0)  # square, and no kernel
    agree(np.eye(200), y[:200], 1.0, 0.1)


def test_an_unbalanced_pair_and_a_constant_machine():
    X, y = moons(200)
    y = np.where(np.arange(200) < 1, 1.0, -1.0)
    assert not agree(mt.rbf_kernel(X, gamma=1.0), y, 1.0, 50.0).coef.any()
    s = mt.solve_mcm(np.zeros((200, 200)), y, 1.0, 0.1, "highs")
    assert s.objective == pytest.approx(3.0) and s.b < 0  # 1 + 2 C for the one sample that is given up


def test_hard_margin():
    X, y = moons(200, noise=0.15)
    K = mt.rbf_kernel(X, gamma=5.0)
    assert not agree(K, y, INF, 0.1).q.any()
    with pytest.raises(InfeasibleError, match="Allow slack"):
        mt.solve_mcm(X, y, INF, 0.1, "highs")


# --- bad condition ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gamma", [2.0**-12, 2.0**-8, 2.0**-4, 4.0])
def test_ill_conditioned_kernels_are_certified(gamma):
    X, y = prepared("glass")
    agree(mt.rbf_kernel(X, gamma=gamma), y, 2.0, 0.1)


def test_duplicates_and_contradictions():
    X, y = moons(120)
    agree(mt.rbf_kernel(np.vstack([X, X, X]), gamma=1.0), np.concatenate([y, y, y]), 1.0, 0.1)
    K = mt.rbf_kernel(np.vstack([X, X]), gamma=1.0)
    s = agree(K, np.concatenate([y, -y]), 1.0, 0.1)
    assert s.objective == pytest.approx(1 + 240)  # every sample contradicts its twin: f = 0, all slack


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3, 1e6])
def test_any_scale_ends_in_a_certificate_a_warning_or_an_error(scale):
    X, y = moons(200)
    agree(scale * X, y, 1.0, 0.1)
    s = mt.solve_mcm(scale * mt.rbf_kernel(X, gamma=1.0), y, 1.0, 0.1, "highs")
    assert s.certificate.proves_optimal()


def test_a_price_too_small_for_double_precision_is_reported():
    X, y = prepared("haberman")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        s = mt.solve_mcm(mt.rbf_kernel(X, gamma=1 / 3), y, 1.0, 1e-6, "highs", time_limit=1.0)
    # how far it gets in a second depends on the machine; what is not proved is said
    assert (s.certificate.gap > 1e-6) == any(w.category is CertificateWarning for w in caught)


def test_without_a_price_it_interpolates_or_reports_its_gap():
    X, y = moons(150)
    s = mt.solve_mcm(mt.rbf_kernel(X, gamma=50.0), y, 1.0, 0, "highs")
    assert s.objective == pytest.approx(1, abs=1e-6) and s.certificate.proves_optimal()
    linear = mt.solve_mcm(X, y, 1.0, 0, "highs")  # a line cannot interpolate, and need not
    assert linear.objective == pytest.approx(mt.solve_mcm(X, y, 1.0, 0, "linprog").objective)
    with pytest.warns(CertificateWarning, match="sparsity=0"):
        mt.solve_mcm(mt.rbf_kernel(X, gamma=2.0**-10), y, 1.0, 0, "highs")


def test_repeated_fits_are_identical():
    for X, y, gamma, sparsity in ((*moons(700), 1.0, 0.1), (*many(300), 0.05, 0.1)):
        one, two = (mt.MCMClassifier(gamma=gamma, sparsity=sparsity, solver="highs").fit(X, y) for _ in range(2))
        assert np.array_equal(one.support_, two.support_) and np.array_equal(one.dual_coef_, two.dual_coef_)
        assert one.intercept_ == two.intercept_


def test_the_time_limit_gives_the_best_so_far():
    X, y = many(600)
    with pytest.warns(CertificateWarning):
        s = mt.solve_mcm(KernelColumns(mt.RBF(0.05), X[:601]), y, 1.0, 0.01, "highs", time_limit=1e-3)
    assert s.certificate.violation < 1e-9 and s.certificate.dual >= 1


# --- lazy columns ----------------------------------------------------------------------------------------------------------


def test_the_kernel_matrix_is_never_formed():
    X, y = moons(4000)
    kernel = CountingKernel(1.0)
    machine = mt.MCMClassifier(kernel=kernel, solver="highs", sparsity=0.5).fit(X, y)
    assert machine.certificate_.proves_optimal()
    assert kernel.largest <= 1 << 20 < 4000**2 / 10
    assert kernel.entries < 2 * 4000**2  # all rounds and the certificate together
    kernel.entries = 0
    machine.predict(X[:100])
    assert kernel.entries == 100 * machine.n_support_  # prediction touches the support vectors only


def test_memory_stays_far_below_the_matrix():
    X, y = moons(6000)
    tracemalloc.start()
    machine = mt.MCMClassifier(gamma=1.0, solver="highs", sparsity=1.0).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert machine.certificate_.proves_optimal()
    assert peak < 6000**2 * 8 / 3


def test_lazy_and_whole_matrices_give_the_same_machine():
    X, y = moons(500)
    K = mt.rbf_kernel(X, gamma=1.0)
    lazy = mt.MCMClassifier(gamma=1.0, solver="highs").fit(X, y)
    whole = mt.MCMClassifier(kernel="precomputed", solver="highs").fit(K, y)
    assert lazy.objective_ == pytest.approx(whole.objective_, rel=1e-9)
    np.testing.assert_allclose(lazy.decision_function(X), whole.decision_function(K), atol=1e-6)
    sparse_X = mt.MCMClassifier(gamma=1.0, solver="highs").fit(sp.csr_array(X), y)
    assert sparse_X.objective_ == pytest.approx(lazy.objective_, rel=1e-6)


def test_columns_multiply_like_the_matrix():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    K = mt.rbf_kernel(X, gamma=1.0)
    coef, z = rng.normal(size=30) * (np.arange(30) % 3 == 0), rng.normal(size=30) * (np.arange(30) % 2)
    for columns in (KernelColumns(mt.RBF(1.0), X), MatrixColumns(K), MatrixColumns(sp.csr_array(K))):
        np.testing.assert_allclose(columns @ coef, K @ coef)
        np.testing.assert_allclose(columns.T @ z, K.T @ z)
        np.testing.assert_allclose(columns.block(np.arange(3), np.array([5, 7])), K[:3, [5, 7]])
        assert not (columns @ np.zeros(30)).any()


@pytest.mark.parametrize("kept", [0, 1000, 10**6])
def test_rows_that_were_evaluated_are_kept_while_there_is_room(kept, monkeypatch):
    monkeypatch.setattr("mcmteach.solvers.kernel_columns.DEFAULT", replace(DEFAULT, block=400, kept=kept))
    rng = np.random.default_rng(0)
    X, kernel = rng.normal(size=(60, 2)), CountingKernel(1.0)
    K, columns = mt.rbf_kernel(X, gamma=1.0), KernelColumns(kernel, X)
    for _ in range(3):
        z = rng.normal(size=60) * (rng.random(60) < 0.5)
        np.testing.assert_allclose(columns.T @ z, K.T @ z)
    products, sizes = columns.products(np.ones(60))
    np.testing.assert_allclose(products, K.sum(axis=0))
    np.testing.assert_allclose(sizes, K.max(axis=0))
    kernel.entries = 0
    assert columns.T @ z == pytest.approx(K.T @ z)
    assert kernel.entries == (0 if kept == 10**6 else pytest.approx(60 * np.count_nonzero(z), abs=kept))


def test_a_sparse_matrix_with_many_columns_is_never_dense():
    rng = np.random.default_rng(0)
    X = sp.random_array((400, 20_000), density=0.003, rng=rng, format="csr")
    y = np.where(X[:, [3]].toarray().ravel() - X[:, [5]].toarray().ravel() + 0.1 * rng.normal(size=400) > 0, 1.0, -1.0)
    tracemalloc.start()
    s = mt.solve_mcm(X, y, 1.0, 1.0, "highs")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert s.certificate.proves_optimal() and s.coef.any()
    assert peak < 400 * 20_000 * 8 / 3


def test_sparse_columns_are_worked_on_as_they_are_and_lead_where_dense_ones_lead():
    rng = np.random.default_rng(0)
    X = sp.random_array((300, 500), density=0.05, rng=rng, format="csr")
    y = np.where(X @ rng.normal(size=500) + 0.1 * rng.normal(size=300) > 0, 1.0, -1.0)
    work = WorkingSet(as_columns(X), y, DEFAULT, np.arange(40))
    work.take(np.arange(40, 60))
    work.keep(np.arange(60) % 2 == 0)
    assert sp.issparse(work.A)
    np.testing.assert_allclose((work.A @ sp.diags_array(work.size)).toarray(), y[:, None] * X.toarray()[:, :60:2])
    one, other = (FastSolver(K, y).solve(1.0, 0.3, 60.0) for K in (X, X.toarray()))
    assert one.certificate.proves_optimal() and np.count_nonzero(one.coef) > 100
    assert one.objective == pytest.approx(other.objective, rel=1e-9)
    np.testing.assert_allclose(one.coef, other.coef, atol=1e-6)


def test_the_constant_machine_warns_with_lazy_columns_too():
    X, y = moons(400)
    with pytest.warns(ConstantClassifierWarning, match="from"):
        mt.MCMClassifier(gamma=1.0, C=0.01, sparsity=20.0, solver="highs").fit(X[:310], y[:310])


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


# --- paths -----------------------------------------------------------------------------------------------------------------


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


# --- the interior point method by itself -----------------------------------------------------------------------------------


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


# --- columns that come and go, and the way to the vertex ------------------------------------------------------------------


def small_problem(M=120, n=40):
    X, y = moons(M)
    A = np.asfortranarray(y[:, None] * mt.rbf_kernel(X, X[:n], gamma=1.0))
    return A, y, np.ones(M), np.full(n, 0.1)


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


def test_a_vertex_is_exact_or_not_given():
    A, y, C, price = small_problem()
    far = interior_point(Iterate(y, C, price), A, y, C, price, 0.5)
    assert vertex(far, far.partition(), A, y, C, price) is None
    near = interior_point(Iterate(y, C, price), A, y, C, price, 1e-6)
    lam, b, g, d = vertex(near, near.partition(), A, y, C, price)
    t = A @ lam + y * b
    assert working_gap(t, lam, d, d @ A, C, price, True) < 1e-12 < near.gap
    held = np.sum(np.isclose(t, 1, atol=1e-12) | np.isclose(t, 1 + g, atol=1e-12))
    assert held >= np.count_nonzero(lam) + 1 + (g > 0)
    assert 1 + d.sum() == pytest.approx(mt.solve_mcm(y[:, None] * A, y, 1.0, 0.1, "linprog").objective, rel=1e-9)


def test_columns_that_depend_on_each_other_have_no_vertex_to_be_seen_and_are_solved_all_the_same():
    A, y, C, price = small_problem()
    twice, prices = np.asfortranarray(np.hstack([A, A])), np.tile(price, 2)
    near = interior_point(Iterate(y, C, prices), twice, y, C, prices, 1e-6)
    assert vertex(near, near.partition(), twice, y, C, prices) is None
    agree(y[:, None] * twice, y, 1.0, 0.1)


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


def test_a_kernel_matrix_of_one_block_is_evaluated_once():
    X, y = moons(400)
    kernel = CountingKernel(1.0)
    solution = FastSolver(KernelColumns(kernel, X), y).solve(1.0, 0.1, 60.0)
    assert solution.certificate.proves_optimal() and kernel.entries == 400**2


def test_a_path_goes_on_from_inside_where_solutions_are_not_sparse():
    X, y = many(300)
    K = mt.rbf_kernel(X, gamma=0.05)
    path = mt.mcm_path(K, y, np.geomspace(0.1, 10, 6), 0.3, solver="highs")
    assert path.n_support.min() > 20
    for C, solution in zip(path.C, path.solutions, strict=True):
        alone = mt.solve_mcm(K, y, C, 0.3, "highs")
        assert np.array_equal(np.flatnonzero(solution.coef), np.flatnonzero(alone.coef))
        np.testing.assert_allclose(solution.coef, alone.coef, rtol=1e-6)


# --- where HiGHS gives up --------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("seconds", [1e-6, 0.1, 0.3])
def test_out_of_time_is_an_answer_with_a_gap_and_not_an_error(circling, seconds):
    solution = FastSolver(*circling).solve(C=1.0, sparsity=0.3, time_limit=seconds)
    assert solution.coef.shape == (308,) and solution.certificate.primal >= solution.certificate.dual


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


def test_what_is_proved_from_inside_is_taken_to_a_vertex_all_the_same():
    """At a vertex, samples on the margin or at the cap hold every coefficient; inside, twice as many are not quite 0."""
    loaded = mt.load_dataset("tic-tac-toe")
    y = 2.0 * loaded.target - 1
    train, _ = stratified_folds(y, 5, 2021)[2]
    (part,) = make_parts(loaded.data, y, [(train, train)])
    K = mt.rbf_kernel(part.X, gamma=0.0625 / 27)
    s = mt.solve_mcm(K, part.y, C=1.0, sparsity=0.1, solver="highs")
    t = part.y * (K @ s.coef + s.b)
    held = np.isclose(t, 1, atol=1e-7) | np.isclose(t, s.h, atol=1e-7)
    assert np.count_nonzero(s.coef) + 1 <= np.count_nonzero(held) and s.certificate.gap < 1e-10
