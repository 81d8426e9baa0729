r"""What a kernel matrix tells: whether it is one (Mercer), its rank, and how well it agrees with the labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from mcmteach.errors import InvalidInputError
from mcmteach.validation import as_labels, as_matrix, as_square


def is_symmetric(K: Any, tol: float = 1e-8) -> bool:
    """Whether K equals its transpose up to ``tol`` times its largest entry."""
    K = as_square(K)
    return bool(np.abs(K - K.T).max() <= tol * np.abs(K).max())


def is_mercer(K: Any, tol: float = 1e-8) -> bool:
    r"""Whether K is symmetric and positive semi-definite, up to ``tol`` times its largest absolute eigenvalue.

    Decided by Cholesky's factorisation of \(K + tol\,\|K\| I\), which exists where no eigenvalue lies below
    \(-tol\,\|K\|\): a tenth of the work of the eigenvalues.

    Examples
    --------
    >>> is_mercer([[2.0, 1.0], [1.0, 2.0]]), is_mercer([[1.0, 2.0], [2.0, 1.0]])
    (True, False)

    Source: S, "Mercer's theorem" and "Properties of kernel matrices".
    """
    K = as_square(K)
    if not is_symmetric(K, tol):
        return False
    # the largest row sum bounds the largest absolute eigenvalue, and is at most sqrt(M) times it
    shift = tol * max(np.abs(K).sum(axis=1).max(), np.finfo(float).tiny)
    try:
        scipy.linalg.cholesky(K + shift * np.eye(len(K)), overwrite_a=True, check_finite=False)
    except scipy.linalg.LinAlgError:
        return False
    return True


def numerical_rank(K: Any, tol: float | None = None) -> int:
    """The number of singular values above ``tol`` times the largest (as numpy.linalg.matrix_rank by default).

    Examples
    --------
    >>> numerical_rank([[1.0, 1.0], [1.0, 1.0]])
    1
    """
    K = as_matrix(K, "K")
    s = scipy.linalg.svdvals(K)
    relative = max(K.shape) * np.finfo(float).eps if tol is None else tol
    return int(np.sum(s > relative * s[0]))


def kernel_alignment(K: Any, y: Any) -> float:
    r"""\(\frac{\langle K, yy^T\rangle}{M \|K\|_F}\): 1 for the kernel that knows the labels, near 0 for a useless one.

    Examples
    --------
    >>> kernel_alignment([[1.0, -1.0], [-1.0, 1.0]], [1, -1])
    1.0

    Source: Cristianini et al. 2002, cited by P.
    """
    K = as_square(K)
    y = as_labels(y, len(K))
    norm = np.linalg.norm(K)
    if norm == 0:
        raise InvalidInputError("K is zero everywhere, so it has no alignment with anything.")
    return float(y @ K @ y / (len(y) * norm))
