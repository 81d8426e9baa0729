r"""The Fisher scalar: how far apart the classes lie, measured by how wide they are. N(35-40).

It has two forms. In a feature space it is \(J = \mathrm{tr}\,S_b / \mathrm{tr}\,S_w\); from the kernel matrix alone it is
\(J = \mathbf 1^T B\,\mathbf 1 / \mathbf 1^T W\,\mathbf 1\). Theorem 2.3 says that they are the same number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.validation import FloatArray, as_labels, as_matrix, as_square, as_vector

# --- in a feature space ----------------------------------------------------------------------------------------------


def feature_scatter(Z: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    r"""The scatter of the class centres, and the scatter around them.

    \[S_b = \frac1M \sum_{i=1}^2 M_i (\bar z_i - \bar z)(\bar z_i - \bar z)^T, \qquad
      S_w = \frac1M \sum_{i=1}^2 \sum_{j=1}^{M_i} (z^i_j - \bar z_i)(z^i_j - \bar z_i)^T\]

    Parameters
    ----------
    Z : array of shape (n_samples, n_features), the images of the samples
    y : array of shape (n_samples,), labels -1 and +1, in any order

    Returns
    -------
    S_b, S_w : arrays of shape (n_features, n_features). They add up to the covariance matrix of Z

    Examples
    --------
    >>> S_b, S_w = feature_scatter([[0.0], [2.0], [5.0], [7.0]], [-1, -1, 1, 1])
    >>> float(S_b[0, 0]), float(S_w[0, 0])
    (6.25, 1.0)

    Source: N(36), N(37).
    """
    between, within = _deviations(Z, y)
    M = len(between)
    return between.T @ between / M, within.T @ within / M


def fisher_scalar(Z: ArrayLike, y: ArrayLike) -> float:
    r"""\(J = \mathrm{tr}\,S_b / \mathrm{tr}\,S_w\). The larger it is, the better the classes are told apart.

    It is inf where each class is a single point, and nan (0/0) where all samples coincide.

    Examples
    --------
    >>> fisher_scalar([[0.0], [2.0], [5.0], [7.0]], [-1, -1, 1, 1])
    6.25

    Source: N(35-37).
    """
    Z = as_matrix(Z, "Z")
    between, within = _deviations(Z, y)
    # the trace of z z' is z'z, so the matrices themselves are not needed
    return _ratio(np.sum(between**2), np.sum(within**2), 1e-28 * np.sum(np.square(Z)))


def _deviations(Z: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """For every sample: its class centre minus the centre of all, and the sample minus its class centre."""
    Z = as_matrix(Z, "Z")
    y = as_labels(y, len(Z))
    centre = np.where(y[:, None] < 0, Z[y < 0].mean(axis=0), Z[y > 0].mean(axis=0))
    return centre - Z.mean(axis=0), Z - centre


# --- from the kernel matrix ------------------------------------------------------------------------------------------


def scatter_matrices(K: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    r"""The between-class and within-class kernel scatter matrices. For samples sorted by class,

    \[B = \begin{pmatrix} \frac{1}{M_1}K_{11} & 0 \\ 0 & \frac{1}{M_2}K_{22} \end{pmatrix} - \frac1M K, \qquad
      W = \mathrm{diag}(k_{11}, \dots, k_{MM})
        - \begin{pmatrix} \frac{1}{M_1}K_{11} & 0 \\ 0 & \frac{1}{M_2}K_{22} \end{pmatrix}.\]

    Parameters
    ----------
    K : array of shape (n_samples, n_samples), the kernel matrix
    y : array of shape (n_samples,), labels -1 and +1. The samples need not be sorted: the result keeps their order

    Returns
    -------
    B, W : arrays of shape (n_samples, n_samples), whose entries add up to M tr S_b and M tr S_w

    Examples
    --------
    >>> B, W = scatter_matrices([[1.0, 0.0], [0.0, 1.0]], [1, -1])
    >>> B.tolist(), W.tolist()
    ([[0.5, 0.0], [0.0, 0.5]], [[0.0, 0.0], [0.0, 0.0]])

    Source: N(38), N(39). P(13) and P(14) print 1/M where 1/M_1 and 1/M_2 are meant: a slip, which would leave nothing
    of B's diagonal blocks.
    """
    K = as_square(K)
    y = as_labels(y, len(K))
    M, M_own = len(y), np.where(y < 0, np.sum(y < 0), np.sum(y > 0))
    blocks = np.where(np.equal.outer(y, y), K / M_own[:, None], 0.0)
    return blocks - K / M, np.diag(np.diag(K)) - blocks


def kernel_fisher_scalar(K: ArrayLike, y: ArrayLike, c: ArrayLike | None = None) -> float:
    r"""The Fisher scalar of the feature space behind a kernel, without going there.

    \[J = \frac{\mathbf 1^T B\,\mathbf 1}{\mathbf 1^T W\,\mathbf 1}, \qquad\text{and}\qquad
      J = \frac{\mathbf c^T B_0\,\mathbf c}{\mathbf c^T W_0\,\mathbf c}\]

    for the conformal kernel \(c(x)\,c(x')\,k_0(x, x')\), where B_0 and W_0 belong to k_0.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples), the matrix of the kernel (of k_0, if c is given)
    y : array of shape (n_samples,), labels -1 and +1
    c : array of shape (n_samples,), the conformal factor at the samples; all 1 where it is left out

    Examples
    --------
    >>> Z = np.array([[0.0], [2.0], [5.0], [7.0]])
    >>> kernel_fisher_scalar(Z @ Z.T, [-1, -1, 1, 1])
    6.25

    Source: N(40), Theorem 2.3.
    """
    K = as_square(K)
    B, W = scatter_matrices(K, y)
    c = np.ones(len(B)) if c is None else as_vector(c, "c", len(B))
    between, within, size = c @ B @ c, c @ W @ c, c**2 @ np.abs(np.diag(K))
    if min(between, within) < -1e-8 * size:
        raise InvalidInputError(
            "K gives a negative scatter, so it is not positive semi-definite and no feature space stands behind it. "
            "Look at is_mercer(K)."
        )
    return _ratio(between, within, 1e-14 * size)


def _ratio(between: Any, within: Any, zero: Any) -> float:
    """between / within, of numbers that count as zero up to the rounding error ``zero``."""
    if within > zero:
        return float(between / within)
    return float("inf") if between > zero else float("nan")
