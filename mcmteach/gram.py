r"""Properties of a kernel matrix: whether it is one (Mercer), its rank, its alignment with the labels, and whether it is
good, bad or ugly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.validation import FloatArray, as_labels, as_matrix, as_square


def is_symmetric(K: ArrayLike, tol: float = 1e-8) -> bool:
    """Whether K equals its transpose up to ``tol`` times its largest entry.

    Examples
    --------
    >>> is_symmetric([[1.0, 0.5], [0.5, 1.0]]), is_symmetric([[1.0, 0.5], [0.4, 1.0]])
    (True, False)
    """
    K = as_square(K)
    return bool(np.abs(K - K.T).max() <= tol * np.abs(K).max())


def is_mercer(K: ArrayLike, tol: float = 1e-8) -> bool:
    r"""Whether K is symmetric and positive semi-definite, up to ``tol`` times its largest absolute row sum.

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


def numerical_rank(K: ArrayLike, tol: float | None = None) -> int:
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


def kernel_alignment(K: ArrayLike, y: ArrayLike) -> float:
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


# --- the good, the bad, and the ugly -----------------------------------------------------------------------------------


def cosines(K: ArrayLike) -> FloatArray:
    r"""\(C_{ij} = K_{ij} / \sqrt{K_{ii} K_{jj}}\), the cosine between two samples in feature space.

    A sample with \(K_{ii} = 0\) is the zero vector: it is similar to nothing, and its row is 0. Where K is not positive
    semi-definite the quotient may leave [-1, 1], and is cut off there.

    Examples
    --------
    >>> cosines([[4.0, 3.0], [3.0, 9.0]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    K = as_square(K)
    if (K.diagonal() < 0).any():
        raise InvalidInputError(
            "K has a negative entry on its diagonal, so it is not a kernel matrix: K_ii = ||phi(x_i)||^2."
        )
    length = np.sqrt(np.where(K.diagonal() > 0, K.diagonal(), np.inf))
    return np.clip(K / length[:, None] / length[None, :], -1.0, 1.0)


def feature_distances(K: ArrayLike) -> FloatArray:
    r"""\(\|\varphi(x_i) - \varphi(x_j)\| = \sqrt{k_{ii} + k_{jj} - 2 k_{ij}}\): how far apart a kernel puts each two samples.

    Examples
    --------
    >>> feature_distances([[1.0, 2.0], [2.0, 4.0]]).tolist()    # the points 1 and 2 of a line
    [[0.0, 1.0], [1.0, 0.0]]

    Source: the squared length of a difference, from S's \(K(x_p, x_q) = \varphi(x_p)\cdot\varphi(x_q)\).
    """
    K = as_square(K, "K")
    k = np.diag(K)
    return np.sqrt(np.maximum(k[:, None] + k - 2 * K, 0.0))  # rounding may leave a little less than 0


def diagonality(K: ArrayLike) -> float:
    r"""\(1 - \frac1M \sum_i \max_{j \ne i} |C_{ij}|\): is the matrix mostly diagonal?

    C holds the cosines in feature space. The score lies between 0 (every sample has a twin) and 1 (no sample is similar
    to any other: the matrix is diagonal, and a machine can do no more than learn the samples by heart).

    Examples
    --------
    >>> diagonality([[1.0, 0.0], [0.0, 1.0]]), diagonality([[1.0, 1.0], [1.0, 1.0]])
    (1.0, 0.0)

    Source: S, "How to design good kernels?" asks the question; the score is ours.
    """
    similar = np.abs(cosines(K))
    if len(similar) < 2:
        raise InvalidInputError("With one sample there is nothing beside the diagonal. Give at least two.")
    np.fill_diagonal(similar, 0.0)
    return float(1.0 - similar.max(axis=1).mean())


def block_score(K: ArrayLike, y: ArrayLike) -> float:
    r"""\(\frac{s - d}{s + d}\): are samples of one class more similar than samples of two?

    Here s is the mean similarity \(\max(0, C_{ij})\), \(i \ne j\), of two samples of the same class, d that of two samples of
    different classes, and C holds the cosines in feature space. The score lies between -1 and 1: 1 where only samples of
    the same class are similar, -1 where only samples of different classes are, 0 where the class makes no difference (so
    for the identity and for the matrix of ones). Read it beside :func:`diagonality`: in a nearly diagonal matrix it
    compares similarities that are all close to 0.

    Examples
    --------
    >>> K = [[2, 2, 0, 0], [2, 2, 0, 0], [0, 0, 5, 5], [0, 0, 5, 5]]
    >>> block_score(K, [1, 1, -1, -1]), block_score(K, [1, -1, 1, -1])
    (1.0, -1.0)

    Source: S, "How to craft good kernel functions for specific applications?" asks the question; the score is ours.
    """
    similar = np.maximum(0.0, cosines(K))
    y = as_labels(y, len(similar))
    if len(y) == 2:
        raise InvalidInputError("One sample per class makes no blocks. Give at least three samples.")
    same = np.equal.outer(y, y)
    s, d = similar[same & ~np.eye(len(y), dtype=bool)].mean(), similar[~same].mean()
    return float((s - d) / (s + d)) if s + d > 0 else 0.0


class KernelVerdict(NamedTuple):
    """What :func:`judge_kernel` found: "good", "bad" or "ugly", and the two scores that say why."""

    verdict: str
    diagonality: float
    blocks: float


def judge_kernel(K: ArrayLike, y: ArrayLike) -> KernelVerdict:
    """Is a kernel good, bad or ugly for these labels?

    "bad" is mostly diagonal (diagonality >= 0.75: even the most similar other sample is hardly similar); "good" has
    blocks by class (block score >= 0.1); "ugly" finds samples similar, but not by their class.

    The two limits are rules of thumb. A kernel so wide that it finds everything similar counts as ugly, and yet a
    machine with a bias may do well with it: a look at the matrix (``plot_gram``) and at held-out samples beats any score.

    Examples
    --------
    >>> for name, (K, y) in good_bad_ugly().items():
    ...     verdict, d, blocks = judge_kernel(K, y)
    ...     print(f"{name}: {verdict}, diagonality {d:.2f}, blocks {blocks:+.2f}")
    good: good, diagonality 0.28, blocks +1.00
    bad: bad, diagonality 1.00, blocks +0.00
    ugly: ugly, diagonality 0.28, blocks -0.49

    Source: S, "Kernels: the good, the bad, and the ugly"; it names no ugly one, so that meaning is ours.
    """
    d, blocks = diagonality(K), block_score(K, y)
    verdict = "bad" if d >= 0.75 else "good" if blocks >= 0.1 else "ugly"
    return KernelVerdict(verdict, d, blocks)


def good_bad_ugly() -> dict[str, tuple[FloatArray, FloatArray]]:
    """Three kernel matrices of five samples, each with the labels -1 (two samples) and +1 (three).

    good : the slides' numbers, one block per class
    bad : the identity, where no sample is similar to any other
    ugly : the good matrix with its samples in another order under the same labels. The same blocks and the same
        eigenvalues, but the blocks cut across the classes: whether a kernel is good depends on the labels too

    Examples
    --------
    >>> K, y = good_bad_ugly()["good"]
    >>> K.astype(int)
    array([[3, 2, 0, 0, 0],
           [2, 3, 0, 0, 0],
           [0, 0, 4, 3, 3],
           [0, 0, 3, 4, 2],
           [0, 0, 3, 2, 4]])

    Source: S, "Kernels: the good, the bad, and the ugly". It prints the good and the bad one; the ugly one is ours.
    """
    good = np.array([[3, 2, 0, 0, 0], [2, 3, 0, 0, 0], [0, 0, 4, 3, 3], [0, 0, 3, 4, 2], [0, 0, 3, 2, 4]], dtype=float)
    y = np.array([-1.0, -1.0, 1.0, 1.0, 1.0])
    mixed = [0, 2, 1, 3, 4]
    return {"good": (good, y), "bad": (np.eye(5), y.copy()), "ugly": (good[np.ix_(mixed, mixed)], y.copy())}
