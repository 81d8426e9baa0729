r"""Kernelised least squares: the kernel trick serves regression as it serves classification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from mcmteach.base import KernelMachine, Regressor
from mcmteach.embedding import center_kernel
from mcmteach.validation import FloatArray, MatrixLike, positive


class KernelLeastSquares(KernelMachine, Regressor):
    r"""Regression in a kernel's feature space: \(\min\; \frac12\sum_p (y_p - k_p\cdot z - b)^2 + \frac\lambda2 z^T K z\).

    The loss is a function of \(w\cdot\varphi_p\), so the same trick applies: \(w = \sum_p z_p\varphi_p\). Its gradient
    is linear in z, and vanishes where \((\tilde K + \lambda I)\,z = y - \bar y\), with \(\tilde K\) the kernel matrix
    about the mean: no descent is needed.

    Parameters
    ----------
    kernel : "rbf", "linear", "poly", "precomputed", or a function k(X, Z) that gives the matrix of kernel values
    lam : lambda, the price on the length of w in feature space, > 0
    gamma : width of the RBF kernel, > 0; "scale" is 1 / (n_features * X.var()), "auto" is 1 / n_features
    degree, coef0 : the polynomial kernel (x·z + coef0)^degree

    Attributes
    ----------
    dual_coef_, intercept_ : z, of shape (1, n_samples), and b, of shape (1,)
    support_, support_vectors_, n_support_ : all samples (no vectors for a precomputed kernel)
    gamma_ : the number that gamma stood for (RBF kernel)
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> X = np.linspace(0, 6, 30)[:, None]
    >>> machine = KernelLeastSquares(gamma=0.5, lam=0.01).fit(X, np.sin(X[:, 0]))
    >>> machine.predict([[np.pi / 2]]).round(2)    # the sine's top
    array([1.])

    Source: S, "Kernelizing a broad class of loss functions", which names linear regression.
    """

    def __init__(
        self,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        lam: float = 0.1,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
    ):
        self.kernel = kernel
        self.lam = lam
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Learn from X, of shape (n_samples, n_features) or (n_samples, n_samples) if precomputed, and numbers y."""
        X, y = self._check_training_data(X, y)
        lam, K = positive(self.lam, "lam"), self._mercer_matrix(X)
        z = scipy.linalg.solve(center_kernel(K) + lam * np.eye(len(y)), y - y.mean(), assume_a="pos")
        self.dual_coef_, self.intercept_ = z[None, :], np.array([y.mean() - (K @ z).mean()])
        self._keep_support(X, np.arange(len(y)))
        return self

    def predict(self, X: MatrixLike) -> FloatArray:
        """f(x) = sum over the training samples of z_i k(x_i, x) + b for each row of X."""
        return self._expansion(self._check_new_data(X))
