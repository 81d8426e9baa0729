"""PCA and kernel PCA equal scikit-learn's up to the sign of an axis; the empirical feature space reproduces the kernel."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA, KernelPCA
from sklearn.preprocessing import KernelCenterer

from mcmteach import empirical_feature_map, kernel_pca, pca, rbf_kernel
from mcmteach.embedding import center_kernel
from mcmteach.errors import InvalidInputError


def data(seed, M=20, n=5, m=7):
    """Training and new data with well separated principal axes, far from the origin."""
    rng = np.random.default_rng(seed)
    spread = 3.0 ** -np.arange(n)
    return rng.normal(size=(M, n)) * spread + 5, rng.normal(size=(m, n)) * spread + 5


def assert_equal_up_to_sign(A, B, **tolerance):
    signs = np.sign(np.sum(A * B, axis=0))
    np.testing.assert_allclose(A, B * signs, **tolerance)
    return signs


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6))
def test_pca_is_scikit_learns(seed):
    X, new = data(seed)
    theirs = PCA(n_components=3).fit(X)
    signs = assert_equal_up_to_sign(pca(X, 3), theirs.transform(X), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(pca(X, 3, new=new), theirs.transform(new) * signs, rtol=1e-6, atol=1e-8)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.1, 1.0]))
def test_kernel_pca_is_scikit_learns(seed, gamma):
    X, new = data(seed)
    theirs = KernelPCA(n_components=3, kernel="rbf", gamma=gamma, eigen_solver="dense").fit(X)
    K, K_new = rbf_kernel(X, gamma=gamma), rbf_kernel(new, X, gamma)
    gaps = -np.diff(theirs.eigenvalues_, append=0) / theirs.eigenvalues_[0]
    keep = 3 if gaps.min() > 1e-4 else 1  # axes with nearly equal eigenvalues are free to turn
    signs = assert_equal_up_to_sign(kernel_pca(K, keep), theirs.transform(X)[:, :keep], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(
        kernel_pca(K, keep, new=K_new), theirs.transform(new)[:, :keep] * signs, rtol=1e-6, atol=1e-8
    )


def test_kernel_pca_with_the_linear_kernel_is_pca():
    X, new = data(3)
    signs = assert_equal_up_to_sign(kernel_pca(X @ X.T), pca(X), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(kernel_pca(X @ X.T, new=new @ X.T), pca(X, new=new) * signs, rtol=1e-6, atol=1e-9)


def test_the_papers_scaling():
    """A.1 ends with columns of norm 1; A.2 with sqrt(M) times what scikit-learn gives. They do not agree with each other."""
    X, new = data(4)
    Z, P = pca(X), pca(X, scaling="paper")
    np.testing.assert_allclose(np.linalg.norm(P, axis=0), 1)
    np.testing.assert_allclose(P, Z / np.linalg.norm(Z, axis=0))
    np.testing.assert_allclose(pca(X, new=new, scaling="paper"), pca(X, new=new) / np.linalg.norm(Z, axis=0))
    K, K_new = rbf_kernel(X, gamma=0.1), rbf_kernel(new, X, gamma=0.1)
    np.testing.assert_allclose(kernel_pca(K, scaling="paper"), np.sqrt(len(X)) * kernel_pca(K))
    np.testing.assert_allclose(kernel_pca(K, new=K_new, scaling="paper"), np.sqrt(len(X)) * kernel_pca(K, new=K_new))
    # and by the steps as they are printed, for the first axis
    mu, A = np.linalg.eigh(center_kernel(K))
    alpha = A[:, -1] / np.sqrt(mu[-1] / len(K))
    assert_equal_up_to_sign(kernel_pca(K, 1, scaling="paper"), center_kernel(K) @ alpha[:, None], rtol=1e-8)


def test_centring_is_scikit_learns():
    X, new = data(5)
    K, K_new = rbf_kernel(X, gamma=0.3), rbf_kernel(new, X, gamma=0.3)
    theirs = KernelCenterer().fit(K)
    np.testing.assert_allclose(center_kernel(K), theirs.transform(K.copy()), atol=1e-14)
    np.testing.assert_allclose(center_kernel(K, K_new), theirs.transform(K_new.copy()), atol=1e-14)


def test_the_training_data_as_new_points_land_where_they_were():
    X, _ = data(6)
    K = rbf_kernel(X, gamma=0.3)
    np.testing.assert_allclose(pca(X, new=X[3:5]), pca(X)[3:5])
    np.testing.assert_allclose(kernel_pca(K, new=K[3:5]), kernel_pca(K)[3:5])
    np.testing.assert_allclose(empirical_feature_map(K, new=K[3:5]), empirical_feature_map(K)[3:5])


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 25), st.integers(1, 10))
def test_the_empirical_feature_space_has_the_kernel_as_its_dot_product(seed, M, n):
    X = np.random.default_rng(seed).normal(size=(M, n))
    for K in (X @ X.T, rbf_kernel(X, gamma=0.5)):
        Z = empirical_feature_map(K)
        np.testing.assert_allclose(Z @ Z.T, K, atol=1e-8 * np.abs(K).max())
    assert empirical_feature_map(X @ X.T).shape == (M, min(M, n))


def test_new_points_keep_their_dot_products_with_the_training_data():
    """z(x)·z_j = k(x, x_j), also for x outside the training set, since K is invertible here."""
    X, new = data(7)
    K, K_new = rbf_kernel(X, gamma=1.0), rbf_kernel(new, X, gamma=1.0)
    np.testing.assert_allclose(empirical_feature_map(K, new=K_new) @ empirical_feature_map(K).T, K_new, atol=1e-8)


def test_directions_without_variance_are_columns_of_zeros():
    X = np.array([[0.0, 1.0], [1.0, 1.0], [3.0, 1.0]])
    for Z in (pca(X, 4), pca(X, 4, scaling="paper"), kernel_pca(X @ X.T, 4), pca(X, 4, new=[[5.0, 9.0]])):
        assert Z.shape[1] == 4
        assert not Z[:, 1:].any()
        assert Z[:, 0].any()
    assert not kernel_pca(np.ones((3, 3))).any()
    assert not pca(np.ones((3, 2))).any()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: pca([1.0, 2.0]), "Reshape"),
        (lambda: pca(np.eye(3), 0), "n_components must be a whole number >= 1"),
        (lambda: pca(np.eye(3), new=np.ones((1, 2))), "new has 2 features"),
        (lambda: pca(np.eye(3), scaling="whiten"), "There is no scaling 'whiten'"),
        (lambda: kernel_pca(np.eye(3), scaling=None), "There is no scaling"),
        (lambda: kernel_pca(np.ones((2, 3))), "square"),
        (lambda: kernel_pca([[0.0, 1.0], [1.0, 0.0]]), "no feature space"),
        (lambda: kernel_pca(np.eye(3), new=np.ones((1, 2))), "3 are needed"),
        (lambda: empirical_feature_map([[1.0, 2.0], [0.0, 1.0]]), "no feature space"),
        (lambda: empirical_feature_map(np.eye(3), new=np.ones((1, 2))), "3 are needed"),
        (lambda: center_kernel([[np.inf]]), "infinity"),
    ],
)
def test_bad_input(call, says):
    with pytest.raises(InvalidInputError, match=says):
        call()


def test_center_kernel_is_the_kernel_about_the_mean():
    X = np.random.default_rng(0).normal(size=(10, 2))
    Z = X - X.mean(axis=0)
    np.testing.assert_allclose(center_kernel(X @ X.T), Z @ Z.T, atol=1e-12)
