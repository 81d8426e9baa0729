"""Kernelised least squares against scikit-learn's ridge regressions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.utils.estimator_checks import check_estimator

from mcmteach import rbf_kernel
from mcmteach.errors import InvalidInputError
from mcmteach.svm import KernelLeastSquares


def wave(seed=0, M=40):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(M, 2))
    return X, 5 + np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=M)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), lam=st.sampled_from([1e-3, 0.1, 10.0]))
def test_with_the_linear_kernel_it_is_ridge_regression(seed, lam):
    X, y = wave(seed)
    ours, theirs = KernelLeastSquares("linear", lam=lam).fit(X, y), Ridge(alpha=lam).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6)
    np.testing.assert_allclose(ours.dual_coef_[0] @ X, theirs.coef_, rtol=1e-4, atol=1e-8)  # w = sum z_p x_p
    assert ours.score(X, y) == pytest.approx(r2_score(y, theirs.predict(X)))


def test_without_the_mean_it_is_kernel_ridge():
    X, y = wave()
    K = rbf_kernel(X, gamma=0.4)
    H = np.eye(len(y)) - 1 / len(y)
    theirs = KernelRidge(kernel="precomputed", alpha=0.2).fit(H @ K @ H, y - y.mean())
    ours = KernelLeastSquares(gamma=0.4, lam=0.2).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(H @ K @ H) + y.mean(), rtol=1e-8)


def test_no_direction_lowers_its_objective():
    X, y = wave(M=12)
    K, lam = rbf_kernel(X, gamma=0.4), 0.2

    def objective(v):
        z, b = v[:-1], v[-1]
        return np.sum((y - K @ z - b) ** 2) / 2 + lam / 2 * z @ K @ z

    machine = KernelLeastSquares(kernel="precomputed", lam=lam).fit(K, y)
    found = np.append(machine.dual_coef_[0], machine.intercept_[0])
    np.testing.assert_allclose(approx_fprime(found, objective, 1e-7), 0, atol=1e-5)
    assert objective(found) < objective(np.append(np.zeros(12), y.mean()))


def test_bad_input():
    X, y = wave()
    with pytest.raises(InvalidInputError, match="lam must be a finite number > 0"):
        KernelLeastSquares(lam=0).fit(X, y)
    with pytest.raises(InvalidInputError, match="one target per sample"):
        KernelLeastSquares().fit(X, y[1:])
    with pytest.raises(InvalidInputError, match="y contains NaN"):
        KernelLeastSquares().fit(X, np.full(len(y), np.nan))
    with pytest.raises(InvalidInputError, match="y is constant"):
        KernelLeastSquares().fit(X, y).score(X, np.ones(len(y)))
    with pytest.raises(InvalidInputError, match="not symmetric positive semi-definite"):
        KernelLeastSquares(kernel="precomputed").fit(-np.eye(3), [1.0, 2.0, 3.0])


@pytest.mark.filterwarnings("ignore::mcmteach.errors.DataConversionWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks():
    check_estimator(KernelLeastSquares())
