"""The Fisher scalar: its two faces agree (Theorem 2.3), cases by hand, and the slip in P(13) and P(14)."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from mcmteach import (
    Polynomial,
    empirical_feature_map,
    fisher_scalar,
    kernel_fisher_scalar,
    rbf_kernel,
    scatter_matrices,
)
from mcmteach.conformal import conformal_matrix
from mcmteach.errors import InvalidInputError
from mcmteach.fisher import feature_scatter


@st.composite
def labelled_kernels(draw):
    """Any positive semi-definite K with labels in any order: a Gram matrix of any rank, or a kernel of random points."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    M, n = draw(st.integers(3, 25)), draw(st.integers(1, 30))
    X = rng.normal(size=(M, n)) * 10.0 ** draw(st.integers(-3, 3)) + draw(st.sampled_from([0.0, 1.0, 10.0]))
    kind = draw(st.sampled_from(["gram", "rbf", "poly"]))
    K = {"gram": X @ X.T, "rbf": rbf_kernel(X, gamma=1 / n), "poly": Polynomial(2)(X)}[kind]
    y = np.where(np.arange(M) < draw(st.integers(1, M - 1)), -1.0, 1.0)
    return K, rng.permutation(y), rng


def m_tr_sw(K, y):
    """M tr S_w by pairs: half the mean squared distance within a class, times its size. No scatter matrix involved."""
    d = np.diag(K)[:, None] + np.diag(K) - 2 * K
    return sum(d[np.ix_(y == k, y == k)].sum() / (2 * np.sum(y == k)) for k in (-1, 1))


@settings(deadline=None, max_examples=50)
@given(labelled_kernels())
def test_theorem_2_3_from_the_kernel_matrix_to_distances(case):
    K, y, _ = case
    within = m_tr_sw(K, y)
    assume(within > 1e-6 * np.trace(K))
    d = np.diag(K)[:, None] + np.diag(K) - 2 * K
    between = d.sum() / (2 * len(y)) - within  # the total scatter is the sum of the two
    # rounding in K leaves between with an error in units of tr K, whatever its own size
    assert kernel_fisher_scalar(K, y) == pytest.approx(between / within, rel=1e-8, abs=2e-14 * np.trace(K) / within)


@settings(deadline=None, max_examples=50)
@given(labelled_kernels())
def test_theorem_2_3_through_the_feature_map(case):
    K, y, _ = case
    assume(m_tr_sw(K, y) > 1e-6 * np.trace(K))
    assert kernel_fisher_scalar(K, y) == pytest.approx(fisher_scalar(empirical_feature_map(K), y), rel=1e-6, abs=1e-8)


@settings(deadline=None, max_examples=50)
@given(labelled_kernels())
def test_theorem_2_3_with_explicit_features(case):
    _, y, rng = case
    Z = rng.normal(size=(len(y), 7)) + y[:, None]
    assume(m_tr_sw(Z @ Z.T, y) > 1e-6 * np.sum(Z**2))
    assert kernel_fisher_scalar(Z @ Z.T, y) == pytest.approx(fisher_scalar(Z, y), rel=1e-8)


@settings(deadline=None, max_examples=50)
@given(labelled_kernels())
def test_a_conformal_factor_may_go_into_the_kernel_or_into_the_quotient(case):
    """The second equality of N(40)."""
    K, y, rng = case
    c = rng.normal(size=len(y))
    transformed = conformal_matrix(K, c)
    within = m_tr_sw(transformed, y)
    assume(within > 1e-6 * np.trace(transformed))
    J = kernel_fisher_scalar(transformed, y)
    assert kernel_fisher_scalar(K, y, c) == pytest.approx(J, rel=1e-8, abs=2e-14 * np.trace(transformed) / within)


@settings(deadline=None, max_examples=25)
@given(labelled_kernels())
def test_blocks_of_sorted_samples_as_printed(case):
    """N(38), N(39) and P(12) write the samples class by class; scatter_matrices gives the same in any order."""
    K, y, _ = case
    order = np.argsort(y, kind="stable")
    K0, M, M1 = K[np.ix_(order, order)], len(y), int(np.sum(y < 0))
    blocks = np.zeros_like(K0)
    blocks[:M1, :M1], blocks[M1:, M1:] = K0[:M1, :M1] / M1, K0[M1:, M1:] / (M - M1)
    B, W = scatter_matrices(K, y)
    np.testing.assert_allclose(B[np.ix_(order, order)], blocks - K0 / M, rtol=1e-12, atol=1e-12 * np.abs(K).max())
    np.testing.assert_allclose(
        W[np.ix_(order, order)], np.diag(np.diag(K0)) - blocks, rtol=1e-12, atol=1e-12 * np.abs(K).max()
    )


def test_with_the_papers_1_over_M_the_scalar_is_wrong():
    """P(13), P(14) print 1/M for 1/M_1 and 1/M_2. Then B's diagonal blocks vanish, and J is no Fisher scalar."""
    Z = np.array([[0.0], [2.0], [5.0], [7.0], [9.0]])
    y, M = np.array([-1, -1, 1, 1, 1]), 5
    K = Z @ Z.T
    same = np.equal.outer(y, y)
    B_printed = np.where(same, K / M, 0) - K / M
    W_printed = np.diag(np.diag(K)) - np.where(same, K / M, 0)
    assert np.all(B_printed[same] == 0)
    # by hand: centres 1, 7 and 4.6; M tr S_b = 2·3.6² + 3·2.4² = 43.2, M tr S_w = 2·1 + (4 + 0 + 4) = 10
    assert fisher_scalar(Z, y) == pytest.approx(4.32)
    assert kernel_fisher_scalar(K, y) == pytest.approx(4.32)
    # B as printed keeps the mixed blocks only: -2 (0 + 2)(5 + 7 + 9)/5 = -16.8, and W becomes 159 - (4 + 441)/5 = 70
    assert B_printed.sum() / W_printed.sum() == pytest.approx(-16.8 / 70)  # even the sign is wrong


def test_scatter_matrices_add_up_to_M_times_the_traces():
    rng = np.random.default_rng(0)
    Z, y = rng.normal(size=(12, 3)), np.array([1, -1, 1] * 4)
    B, W = scatter_matrices(Z @ Z.T, y)
    S_b, S_w = feature_scatter(Z, y)
    assert B.sum() == pytest.approx(12 * np.trace(S_b))
    assert W.sum() == pytest.approx(12 * np.trace(S_w))


def test_feature_scatter_is_what_others_compute():
    """numpy's covariance is the sum of the two; scikit-learn's LDA keeps the within-class scatter as covariance_."""
    rng = np.random.default_rng(1)
    Z, y = rng.normal(size=(30, 4)), np.where(np.arange(30) % 3, 1, -1)
    S_b, S_w = feature_scatter(Z, y)
    np.testing.assert_allclose(S_b + S_w, np.cov(Z.T, bias=True), rtol=1e-12, atol=1e-12)
    lda = LinearDiscriminantAnalysis(solver="lsqr", store_covariance=True).fit(Z, y)
    np.testing.assert_allclose(S_w, lda.covariance_, rtol=1e-12, atol=1e-12)


def test_far_from_the_origin_the_features_still_tell():
    Z, y = np.array([[0.0], [2.0], [5.0], [7.0]]), [-1, -1, 1, 1]
    assert fisher_scalar(Z + 2.0**40, y) == fisher_scalar(Z, y) == 6.25


def test_collapsed_classes():
    Z, y = np.array([[1.0], [1.0], [3.0]]), np.array([-1, -1, 1])
    assert fisher_scalar(Z, y) == kernel_fisher_scalar(Z @ Z.T, y) == float("inf")
    assert np.isnan(fisher_scalar(np.ones((3, 1)), y))
    assert np.isnan(kernel_fisher_scalar(np.ones((3, 3)), y))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: scatter_matrices(np.ones((2, 3)), [1, -1]), "square"),
        (lambda: scatter_matrices(np.eye(3), [1, -1]), "3 are needed"),
        (lambda: scatter_matrices(np.eye(2), [0, 1]), "2 \\* y - 1"),
        (lambda: kernel_fisher_scalar(np.eye(2), [1, 1]), "one class"),
        (lambda: kernel_fisher_scalar(np.eye(3), [1, 1, -1], c=[1.0]), "c has 1 entries"),
        (lambda: kernel_fisher_scalar([[1, 9, 0], [9, 1, 0], [0, 0, 1]], [1, 1, -1]), "positive semi-definite"),
        (lambda: fisher_scalar([[np.nan], [1.0]], [1, -1]), "NaN"),
        (lambda: feature_scatter([1.0, 2.0], [1, -1]), "Reshape"),
    ],
)
def test_bad_input(call, says):
    with pytest.raises(InvalidInputError, match=says):
        call()


@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e20])
def test_what_counts_as_zero_goes_with_the_scale_of_the_data(scale):
    Z, y = scale * np.array([[0.0], [2.0], [5.0], [7.0]]), [-1, -1, 1, 1]
    assert fisher_scalar(Z, y) == pytest.approx(6.25) == kernel_fisher_scalar(Z @ Z.T, y)
    with pytest.raises(InvalidInputError, match="positive semi-definite"):
        kernel_fisher_scalar(scale * np.array([[1.0, 9, 0], [9, 1, 0], [0, 0, 1]]), [1, 1, -1])


def test_samples_that_coincide_have_no_fisher_scalar_whatever_the_sign_of_the_kernel():
    for sign in (1, -1):
        with np.errstate(all="raise"):
            assert np.isnan(kernel_fisher_scalar(sign * np.full((3, 3), 0.1), [-1, 1, 1]))
