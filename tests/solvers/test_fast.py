"""The fast solver against linprog, at any data and in bad condition."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import mcmteach as mt
from mcmteach.errors import (
    CertificateWarning,
    InfeasibleError,
)
from mcmteach.solvers.kernel_columns import KernelColumns
from tests.solvers.samples import agree, many, moons, prepared

INF = float("inf")


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


@pytest.mark.parametrize(("M", "seed"), [(300, 0), (500, 0), (500, 2)])
def test_a_column_that_left_once_stays_when_it_enters_again(M, seed):
    # With C = 10 columns left and entered again and again: 561, 807 and 842 steps. A column that stays needs about 30.
    from sklearn.datasets import make_classification

    X, t = make_classification(M, n_features=10, n_informative=5, flip_y=0.1, random_state=seed)
    K = mt.rbf_kernel((X - X.mean(axis=0)) / X.std(axis=0), gamma=0.1)
    s = mt.solve_mcm(K, 2.0 * t - 1, C=10.0, sparsity=3.0, solver="highs")
    assert s.certificate.proves_optimal() and s.n_iter < 100
