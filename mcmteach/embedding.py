r"""Pictures of high-dimensional data: PCA, kernel PCA and the empirical feature space (P's appendix, Xiong et al.).

Each function gives the images of the training data or, with ``new``, of other points under the same map. The sign of a
principal axis is arbitrary; here each is turned so that its largest loading is positive, so a picture stays the same.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.gram import is_mercer
from mcmteach.validation import FloatArray, as_matrix, as_square, whole


def pca(X: ArrayLike, n_components: int = 2, new: ArrayLike | None = None, scaling: str = "variance") -> FloatArray:
    r"""Project onto the directions in which the data vary most: the leading eigenvectors of \(X^T X\), X centred.

    Parameters
    ----------
    X : array of shape (n_samples, n_features); it is centred here
    n_components : how many directions. Those in which the data do not vary at all give columns of zeros
    new : array of shape (m_samples, n_features), points to project instead of X
    scaling : "variance" keeps the data's own scale, as scikit-learn does; "paper" divides by \(\sqrt{\lambda_i}\), as
        step 4 of A.1 has it, so that each column of the projected X has norm 1

    Returns
    -------
    array of shape (n_samples or m_samples, n_components)

    Examples
    --------
    >>> pca([[0.0, 0.0], [3.0, 4.0]], n_components=1).tolist()
    [[-2.5], [2.5]]

    Source: P, A.1.
    """
    X = as_matrix(X)
    mean = X.mean(axis=0)
    _, s, Vt = scipy.linalg.svd(X - mean, full_matrices=False)
    alpha, lam = _leading(Vt.T, s**2, n_components, rounding=(np.finfo(float).eps * max(X.shape)) ** 2)
    rows = X if new is None else as_matrix(new, "new")
    if rows.shape[1] != X.shape[1]:
        raise InvalidInputError(f"new has {rows.shape[1]} features and X has {X.shape[1]}.")
    factor = 1 / np.sqrt(lam) if _is_paper(scaling) else 1.0
    return _padded((rows - mean) @ alpha * factor, n_components)


def kernel_pca(
    K: ArrayLike, n_components: int = 2, new: ArrayLike | None = None, scaling: str = "variance"
) -> FloatArray:
    r"""PCA in the feature space behind a kernel: the projection of x is \(\sum_j \alpha_j \tilde k(x, x_j)\).

    Parameters
    ----------
    K : array of shape (n_samples, n_samples), the kernel matrix of the training data; it is centred here
    n_components : how many directions. Those in which the data do not vary at all give columns of zeros
    new : array of shape (m_samples, n_samples), kernel values of new points with the training data, also centred here
    scaling : "variance" normalises alpha so that the axes have length 1 in feature space, as scikit-learn does.
        "paper" follows A.2 to the letter: there \(K\alpha = M\lambda\alpha\) and alpha is divided by
        \(\sqrt{\lambda}\), not by \(\sqrt{M\lambda}\), which makes the picture \(\sqrt M\) times as large

    Returns
    -------
    array of shape (n_samples or m_samples, n_components)

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 4.0]])
    >>> kernel_pca(X @ X.T, n_components=1).round(4).tolist()
    [[-1.6667], [-1.6667], [3.3333]]

    Source: P, A.2.
    """
    K = _mercer(K)
    mu, A = scipy.linalg.eigh(center_kernel(K))
    alpha, mu = _leading(A, mu, n_components)
    rows = center_kernel(K) if new is None else center_kernel(K, new)
    lam = mu / len(K) if _is_paper(scaling) else mu
    return _padded(rows @ alpha / np.sqrt(lam), n_components)


def empirical_feature_map(K: ArrayLike, new: ArrayLike | None = None) -> FloatArray:
    r"""The images of the samples in a space of r = rank K dimensions whose dot products are K: \(Z Z^T = K\).

    With \(K = P \Lambda P^T\), where Lambda holds the r positive eigenvalues, a point x goes to

    \[z(x) = \Lambda^{-1/2} P^T \big(k(x, x_1), \dots, k(x, x_M)\big)^T.\]

    Parameters
    ----------
    K : array of shape (n_samples, n_samples), symmetric and positive semi-definite
    new : array of shape (m_samples, n_samples), kernel values of new points with the training data

    Returns
    -------
    array of shape (n_samples or m_samples, r)

    Examples
    --------
    >>> Z = empirical_feature_map([[2.0, 2.0], [2.0, 2.0]])
    >>> Z.shape, (Z @ Z.T).round(6).tolist()
    ((2, 1), [[2.0, 2.0], [2.0, 2.0]])

    Source: Xiong et al. 2005; the space in which N(36) and N(37) are defined.
    """
    K = _mercer(K)
    lam, P = scipy.linalg.eigh(K)
    P, lam = _leading(P, lam, len(K))
    return (K if new is None else _new_rows(new, len(K))) @ P / np.sqrt(lam)


def center_kernel(K: ArrayLike, new: ArrayLike | None = None) -> FloatArray:
    r"""Kernel values of feature vectors from which the mean of the training data has been taken.

    \[\tilde k(x, x_j) = k(x, x_j) - \frac1M\sum_m k(x, x_m) - \frac1M\sum_m k(x_m, x_j) + \frac1{M^2}\sum_{l,m} k(x_l, x_m)\]

    New points are centred by the training data's mean, not by their own.

    Examples
    --------
    >>> center_kernel([[1.0, 0.0], [0.0, 1.0]]).tolist()
    [[0.5, -0.5], [-0.5, 0.5]]

    Source: P, A.2 step 1 (Schölkopf et al. 1998, appendix B).
    """
    K = as_square(K)
    rows = K if new is None else _new_rows(new, len(K))
    return rows - rows.mean(axis=1, keepdims=True) - K.mean(axis=0) + K.mean()


# --- helpers ---------------------------------------------------------------------------------------------------------


def _leading(
    vectors: FloatArray, values: FloatArray, n: int, rounding: float | None = None
) -> tuple[FloatArray, FloatArray]:
    """The eigenvectors of the (at most n) largest eigenvalues that are not zero, turned, and those eigenvalues."""
    rounding = 10 * len(values) * np.finfo(float).eps if rounding is None else rounding
    order = np.argsort(values)[::-1][: whole(n, "n_components", 1)]
    order = order[values[order] > rounding * values.max()]
    vectors = vectors[:, order]
    largest = np.abs(vectors).argmax(axis=0)
    return vectors * np.sign(vectors[largest, np.arange(len(order))]), values[order]


def _padded(Z: FloatArray, n: int) -> FloatArray:
    return np.pad(Z, ((0, 0), (0, n - Z.shape[1])))


def _is_paper(scaling: str) -> bool:
    if scaling not in ("variance", "paper"):
        raise InvalidInputError(f"There is no scaling {scaling!r}. Choose 'variance' (as scikit-learn) or 'paper'.")
    return scaling == "paper"


def _mercer(K: ArrayLike) -> FloatArray:
    K = as_square(K)
    if not is_mercer(K):
        raise InvalidInputError(
            "K is not symmetric positive semi-definite (is_mercer(K) is False), so there is no feature space to show."
        )
    return K


def _new_rows(new: ArrayLike, M: int) -> FloatArray:
    new = as_matrix(new, "new")
    if new.shape[1] != M:
        raise InvalidInputError(
            f"new has {new.shape[1]} columns, but {M} are needed: the kernel values with every training sample."
        )
    return new
