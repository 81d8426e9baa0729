"""Kernels against scikit-learn's, and the closure properties of Mercer kernels at any data."""

import pickle
import tracemalloc
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach.errors import InvalidInputError
from mcmteach.kernels import (
    RBF,
    Bilinear,
    Linear,
    Mapped,
    Polynomial,
    Separable,
    as_gamma,
    as_kernel,
    squared_distances,
)

points = arrays(float, st.tuples(st.integers(1, 12), st.just(2)), elements=st.floats(-3, 3, allow_subnormal=False))
base_kernels = st.one_of(
    st.just(mt.Linear()),
    st.builds(mt.Polynomial, st.integers(1, 3), st.floats(0, 2)),
    st.builds(mt.RBF, st.floats(0.01, 10)),
)


def c(X):
    """A function that changes sign, as a conformal factor may."""
    return 0.3 + np.sin(X[:, 0]) * X[:, 1]


@pytest.fixture
def XZ():
    rng = np.random.default_rng(0)
    return rng.normal(size=(9, 4)), rng.normal(size=(5, 4))


def test_linear_kernel_is_scikit_learns(XZ):
    np.testing.assert_allclose(mt.linear_kernel(*XZ), pairwise.linear_kernel(*XZ))


def test_polynomial_kernel_is_scikit_learns(XZ):
    ours = mt.polynomial_kernel(*XZ, degree=3, coef0=0.5)
    np.testing.assert_allclose(ours, pairwise.polynomial_kernel(*XZ, degree=3, gamma=1, coef0=0.5))


def test_rbf_kernel_is_scikit_learns(XZ):
    np.testing.assert_allclose(mt.rbf_kernel(*XZ, gamma=0.3), pairwise.rbf_kernel(*XZ, gamma=0.3))


def test_objects_are_the_functions(XZ):
    np.testing.assert_array_equal(mt.Linear()(*XZ), mt.linear_kernel(*XZ))
    np.testing.assert_array_equal(mt.Polynomial(3, 0.5)(*XZ), mt.polynomial_kernel(*XZ, 3, 0.5))
    np.testing.assert_array_equal(mt.RBF(0.3)(*XZ), mt.rbf_kernel(*XZ, 0.3))


@pytest.mark.parametrize("kernel", [mt.linear_kernel, mt.polynomial_kernel, mt.rbf_kernel])
def test_sparse_input_gives_the_dense_answer(kernel, XZ):
    X, Z = (np.where(np.abs(A) > 0.7, A, 0.0) for A in XZ)
    np.testing.assert_allclose(kernel(sp.csr_array(X), sp.csr_array(Z)), kernel(X, Z))
    np.testing.assert_allclose(kernel(sp.csr_matrix(X)), kernel(X))


def test_distances_keep_their_digits_far_from_the_origin():
    X = np.array([[1e8], [1e8 + 1]])
    assert squared_distances(X)[0, 1] == 1.0
    assert squared_distances(X)[0, 0] == 0.0


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_many_distances_in_many_features_are_those_of_scipy(offset):
    rng = np.random.default_rng(0)
    X = offset + rng.normal(size=(300, 40))
    X[1], X[2] = X[0], X[0] + 1e-7  # equal rows, and rows so near that the expansion would lose every digit
    D = squared_distances(X)
    np.testing.assert_allclose(D, cdist(X, X, "sqeuclidean"), rtol=1e-10, atol=0)
    assert (D.diagonal() == 0).all() and D[0, 1] == 0 < D[0, 2]
    np.testing.assert_array_equal(squared_distances(X[:1].repeat(300, axis=0)), 0)  # all pairs are close


def test_the_algebra_computes_what_it_says(XZ):
    A, B = mt.RBF(0.3), mt.Linear()
    Ka, Kb = A(*XZ), B(*XZ)
    np.testing.assert_allclose((A + B)(*XZ), Ka + Kb)
    np.testing.assert_allclose((A * B)(*XZ), Ka * Kb)
    np.testing.assert_allclose((2.5 * A)(*XZ), 2.5 * Ka)
    np.testing.assert_allclose((A * 2)(*XZ), 2 * Ka)
    np.testing.assert_allclose(Separable(c)(*XZ), np.outer(c(XZ[0]), c(XZ[1])))
    np.testing.assert_allclose(Mapped(B, np.square)(*XZ), (XZ[0] ** 2) @ (XZ[1] ** 2).T)
    np.testing.assert_allclose(Bilinear(np.diag([1, 2, 3, 4]))(*XZ), XZ[0] @ np.diag([1, 2, 3, 4]) @ XZ[1].T)


@given(points, base_kernels, base_kernels)
def test_a_sum_of_kernels_is_a_kernel(X, k1, k2):
    assert mt.is_mercer((k1 + k2)(X))


@given(points, base_kernels, base_kernels)
def test_a_product_of_kernels_is_a_kernel(X, k1, k2):
    assert mt.is_mercer((k1 * k2)(X))


@given(points, base_kernels, st.floats(1e-3, 1e3))
def test_a_multiple_of_a_kernel_is_a_kernel(X, k, a):
    assert mt.is_mercer((a * k)(X))


@given(points)
def test_f_of_x_times_f_of_z_is_a_kernel(X):
    assert mt.is_mercer(Separable(c)(X))


@given(points, base_kernels)
def test_a_conformal_transformation_of_a_kernel_is_a_kernel(X, k):
    K = (Separable(c) * k)(X)
    C = np.diag(c(X))
    np.testing.assert_allclose(K, C @ k(X) @ C, atol=1e-9 * max(1, np.abs(K).max()))
    assert mt.is_mercer(K)


@given(points, base_kernels)
def test_a_kernel_of_a_map_is_a_kernel(X, k):
    assert mt.is_mercer(Mapped(k, lambda Z: np.column_stack([np.sin(Z), Z**2]))(X))


@given(points, arrays(float, (2, 2), elements=st.floats(-3, 3, allow_subnormal=False)))
def test_x_b_z_is_a_kernel(X, A):
    assert mt.is_mercer(Bilinear(A @ A.T)(X))


def test_kernels_are_small_values_that_print_compare_and_pickle():
    k = 2 * mt.RBF(0.5) + mt.Linear()
    assert repr(k) == "Sum(left=Scaled(kernel=RBF(gamma=0.5), a=2.0), right=Linear())"
    assert k == 2 * mt.RBF(0.5) + mt.Linear()
    assert pickle.loads(pickle.dumps(k)) == k


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: mt.rbf_kernel([[1.0]], gamma=0), "gamma must be"),
        (lambda: mt.rbf_kernel([[1.0]], gamma=-1), "gamma must be"),
        (lambda: mt.rbf_kernel([[1.0]], gamma="wide"), "gamma must be"),
        (lambda: mt.rbf_kernel([[1.0]], [[1.0, 2.0]], 1.0), "the same features"),
        (lambda: mt.rbf_kernel([[np.inf]]), "infinity"),
        (lambda: mt.rbf_kernel([[1e200]]), "overflow"),
        (lambda: mt.rbf_kernel([["a"]]), "not made of numbers"),
        (lambda: mt.polynomial_kernel([[1.0]], degree=0), "degree must be"),
        (lambda: mt.polynomial_kernel([[1.0]], degree=1.5), "degree must be"),
        (lambda: mt.polynomial_kernel([[1.0]], coef0=-1), "coef0 must be"),
        (lambda: -1 * mt.RBF(1.0), "must be"),
        (lambda: Bilinear([[1.0, 2.0], [2.0, 1.0]]), "positive semi-definite"),
        (lambda: Separable(lambda X: X)([[1.0, 2.0]]), "one number per row"),
    ],
)
def test_bad_input_is_refused_with_a_reason(call, says):
    with pytest.raises(InvalidInputError, match=says):
        call()


def test_only_kernels_and_numbers_combine():
    with pytest.raises(TypeError):
        mt.RBF(1.0) + 1
    with pytest.raises(TypeError):
        mt.RBF(1.0) * "2"


def test_sparse_points_far_from_the_origin_keep_their_digits():
    A = np.array([[1e8, 1.0], [1e8, 2.0], [1e8 + 1, 1.0]])
    np.testing.assert_allclose(mt.rbf_kernel(sp.csr_array(A), sp.csr_array(A), 1.0), mt.rbf_kernel(A, A, 1.0))


def test_kernels_refuse_bad_parameters_at_once():
    for build in (lambda: mt.RBF(-1.0), lambda: mt.Polynomial(0), lambda: mt.Polynomial(2, -1.0)):
        with pytest.raises(InvalidInputError):
            build()


# --- what a machine's parameters stand for -----------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0, 1, 10**6, 10**9])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.coo_array])
def test_gamma_scale_is_exact_far_from_zero_too(offset, form):
    X = offset + np.random.default_rng(0).integers(0, 50, size=(30, 4)).astype(float)
    values = [Fraction(v) for v in X.ravel().tolist()]
    mean = sum(values) / len(values)
    variance = sum((v - mean) ** 2 for v in values) / len(values)
    assert as_gamma("scale", form(X)) == pytest.approx(float(1 / (4 * variance)), rel=1e-12)


def test_gamma_scale_counts_the_zeros_of_a_sparse_matrix_and_its_duplicates_once():
    X = sp.csr_array((np.array([1.0, 2.0, 5.0]), np.array([1, 1, 0]), np.array([0, 2, 3, 3])), shape=(3, 3))
    assert not X.has_canonical_format
    assert as_gamma("scale", X) == pytest.approx(SVC().fit(X.toarray(), [0, 1, 1])._gamma)


def test_gamma_scale_never_fills_a_sparse_matrix():
    X = sp.random_array((3000, 20_000), density=1e-3, rng=np.random.default_rng(0), format="csr")
    tracemalloc.start()
    try:
        gamma = as_gamma("scale", X)
        assert tracemalloc.get_traced_memory()[1] < 20e6  # dense, it has 480 MB
    finally:
        tracemalloc.stop()
    assert gamma == pytest.approx(1 / (20_000 * (X.multiply(X).mean() - X.mean() ** 2)))


def test_a_constant_matrix_and_a_spread_too_small_to_invert_give_gamma_one():
    assert as_gamma("scale", np.ones((4, 3))) == as_gamma("scale", [[0.0], [1e-160]]) == 1.0


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [("rbf", RBF(0.5)), ("linear", Linear()), ("poly", Polynomial(4, 2.0)), (RBF(3.0), RBF(3.0))],
)
def test_as_kernel_gives_the_kernel_that_the_parameters_name(kernel, expected):
    assert as_kernel(kernel, 0.5, 4, 2.0, np.eye(2)) == expected


@pytest.mark.parametrize("kernel", ["sigmoid", 3, None, np.eye(2)])
def test_as_kernel_names_the_choice(kernel):
    with pytest.raises(
        InvalidInputError, match=r"(?s)There is no kernel .* Choose 'rbf', 'linear', 'poly', 'precomputed'"
    ):
        as_kernel(kernel, X=np.eye(2))


@pytest.mark.parametrize(
    "kernel", [Polynomial(3), Linear() * Linear(), 1e99 * Linear(), lambda X, Z: np.full((len(X), len(Z)), np.nan)]
)
def test_what_overflows_is_refused_with_one_message(kernel):
    X = np.array([[1e40], [-1e60], [2e50]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InvalidInputError, match="The kernel's values overflow on these data"):
            as_kernel(kernel)(X)


@pytest.mark.parametrize("solver", ["linprog", "highs"])
@pytest.mark.parametrize("samples", [4, 60, 1100])
def test_a_machine_says_the_same_of_an_overflow_whoever_solves_and_evaluates(solver, samples):
    X = np.random.default_rng(0).normal(size=(samples, 2)) * 1e40
    with pytest.raises(InvalidInputError, match="The kernel's values overflow on these data"):
        mt.MCMClassifier("poly", solver=solver).fit(X, np.tile([0, 1], samples // 2))
