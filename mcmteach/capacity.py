r"""Margins, radius and h_MCM: from the geometry of a hyperplane to a capacity, N(6-13) and the slides' margins.

Throughout, \(\hat x = (x; 1)\) and \(\hat u = (u; v)\) are the augmented vectors of N: the plane
\(u^T x + v = 0\) passes through the origin of the augmented space.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import ConvergenceWarning, InvalidInputError, like_sklearn, warn
from mcmteach.validation import FloatArray, as_labels, as_matrix, as_number, as_plane, as_square, as_vector


def functional_margins(X: ArrayLike, y: ArrayLike, w: ArrayLike, b: float) -> FloatArray:
    r"""\(\gamma_i = y_i (w \cdot x_i + b)\), one per sample: positive where it is classified correctly.

    Examples
    --------
    >>> functional_margins([[1, 1], [0, 0]], [1, -1], w=[1, 1], b=-1)
    array([1., 1.])

    Source: S, "Margin" (with d for y).
    """
    X, w, b = as_plane(X, w, b)
    return as_labels(y, len(X), both=False) * (X @ w + b)


def geometric_margins(X: ArrayLike, y: ArrayLike, w: ArrayLike, b: float) -> FloatArray:
    r"""\(\bar\gamma_i = \gamma_i / \|w\|\), one per sample: the signed distance from the plane.

    Examples
    --------
    >>> geometric_margins([[1, 1], [0, 0]], [1, -1], w=[1, 1], b=-1).round(4)
    array([0.7071, 0.7071])

    Source: S, "Margin".
    """
    gamma, norm = functional_margins(X, y, w, b), np.linalg.norm(w)
    if norm == 0:
        raise InvalidInputError("w = 0 is not a plane, so no distance from it can be measured.")
    return gamma / norm


def geometric_margin(X: ArrayLike, y: ArrayLike, w: ArrayLike, b: float) -> float:
    r"""The margin of a data set: \(\bar\gamma = \min_i y_i (w \cdot x_i + b)/\|w\|\).

    Examples
    --------
    >>> round(geometric_margin([[1, 1]], [1], w=[1, 1], b=-1), 4)   # 1/√2
    0.7071

    Source: S, "Margin of a hyperplane with respect to a data set".
    """
    return float(geometric_margins(X, y, w, b).min())


def radius(X: ArrayLike, augmented: bool = False) -> float:
    r"""\(R = \max_i \|x_i\|\), or \(\max_i \|\hat x_i\|\) with the constant feature of N appended.

    Examples
    --------
    >>> radius([[3, 4], [1, 0]])
    5.0

    Source: S calls it L; N(8) uses the augmented one.
    """
    X = as_matrix(X)
    return float(np.linalg.norm(augment(X) if augmented else X, axis=1).max())


def h_mcm(X: ArrayLike, w: ArrayLike, b: float) -> float:
    r"""\(h_{MCM} = \frac{\max_i |w^T x_i + b|}{\min_i |w^T x_i + b|}\), at least 1, and inf if a point lies on the plane.

    It does not depend on labels, so a far-away plane that separates nothing has h_MCM near 1: compare separating planes only.

    Examples
    --------
    >>> h_mcm([[1.0], [2.0], [-4.0]], w=[1.0], b=0.0)
    4.0

    Source: N(6), with (w, b) for (u, v): the ratio does not depend on the scale.
    """
    X, w, b = as_plane(X, w, b)
    distance = np.abs(X @ w + b)
    if distance.max() == 0:
        raise InvalidInputError("Every point lies on the plane (or w and b are 0), so h_MCM = 0/0 has no value.")
    with np.errstate(divide="ignore"):
        return float(distance.max() / distance.min())


class CapacityChain(NamedTuple):
    """Every term of the chain N(7-13) for one plane. R and Delta are both measured in the augmented space."""

    R: float  #: radius, max ||x̂||
    Delta: float  #: margin N(7), min |û·x̂| / ||û||
    ratio: float  #: R/Delta N(8)
    h_mcm: float  #: N(6), (9)
    h_mcm_squared: float
    ratio_squared: float
    vapnik: float  #: 1 + (R/Delta)², which bounds the VC dimension from above N(12)
    beta: float  #: the factor that N(13) needs for this plane: vapnik / h_mcm². It depends on the data and the plane.


def capacity_chain(X: ArrayLike, u: ArrayLike, v: float) -> CapacityChain:
    r"""The chain \(h_{MCM}^2 \le (R/\Delta)^2 < 1 + (R/\Delta)^2\) with all its terms.

    It follows from Cauchy and Schwarz, \(|\hat u^T \hat x| \le \|\hat u\| \|\hat x\|\). Note the direction:
    h_MCM bounds R/Δ from *below*, while \(h \le 1 + (R/\Delta)^2\) bounds the VC dimension from above. A small
    h_MCM therefore does not prove a small h. ``beta`` is the factor between them, and no constant is large enough for all data.

    Examples
    --------
    >>> chain = capacity_chain([[1.0], [2.0], [-4.0]], u=[1.0], v=0.0)
    >>> chain.h_mcm, round(chain.ratio, 4)
    (4.0, 4.1231)

    Source: N(7-13).
    """
    X, u, v = as_plane(X, u, v)
    R = radius(X, augmented=True)
    Delta = float(np.abs(augment(X) @ np.append(u, v)).min() / np.linalg.norm(np.append(u, v)))
    h = h_mcm(X, u, v)
    ratio = R / Delta if Delta > 0 else float("inf")
    vapnik = 1 + ratio**2
    return CapacityChain(R, Delta, ratio, h, h**2, ratio**2, vapnik, vapnik / h**2 if np.isfinite(h) else float("nan"))


def middle_of_gap(X: ArrayLike, y: ArrayLike, u: ArrayLike) -> float:
    r"""The v that puts the plane \(u^T x + v = 0\) midway between the nearest points of the two classes.

    \[v = -\tfrac12 \left(\min_{y_i = 1} u^T x_i + \max_{y_i = -1} u^T x_i\right)\]

    Of all planes with the normal u it has the largest margin and, if it separates the classes, the smallest h_MCM of those
    that do. For shifting the plane by s reduces its smallest distance b by s, and its largest distance a by at most
    s; and where \(a \ge b > s\), always \((a - s)/(b - s) \ge a/b\).

    Examples
    --------
    >>> middle_of_gap([[0.0], [1.0], [3.0]], [-1, -1, 1], u=[1.0])
    -2.0
    """
    X, u, _ = as_plane(X, u, 0.0)
    y, along = as_labels(y, len(X)), X @ u
    return float(-(along[y > 0].min() + along[y < 0].max()) / 2)


def feature_radius(K: ArrayLike, about_origin: bool = False, tol: float = 1e-9) -> float:
    r"""The radius of the smallest ball that holds all samples in the feature space of a kernel.

    Its square is the largest \(\sum_i \beta_i k_{ii} - \beta^T K \beta\) with \(\beta \ge 0\) and \(\sum_i \beta_i = 1\). Its
    centre is \(\sum_i \beta_i \varphi(x_i)\). Two weights are moved at a time, until the duality gap proves that the
    ball is the smallest.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
    about_origin : the ball about the origin instead, \(\max_i \|\varphi(x_i)\| = \max_i \sqrt{k_{ii}}\), which is never smaller
    tol : the relative duality gap of R² at which to stop

    Examples
    --------
    >>> K = [[0.0, 0.0], [0.0, 16.0]]    # the points 0 and 4 of a line
    >>> feature_radius(K), feature_radius(K, about_origin=True)
    (2.0, 4.0)

    Source: R of N(5) and N(8), in feature space.
    """
    K = as_square(K, "K")
    k = np.diag(K)
    if k.min() < 0:
        raise InvalidInputError(
            "K has a negative number on its diagonal, and no squared length is negative: it is not a kernel matrix."
        )
    if about_origin:
        return float(np.sqrt(k.max()))
    beta = np.full(len(K), 1 / len(K))
    for _ in range(100 * len(K)):
        slope = k - 2 * K @ beta
        far2 = slope + beta @ K @ beta  # squared distances from the centre
        i, j = int(far2.argmax()), int(np.where(beta > 0, far2, np.inf).argmin())
        bend = k[i] + k[j] - 2 * K[i, j]
        gap = far2[i] - beta @ far2  # beta @ far2 is the dual value: R² is at least that
        if gap <= tol * far2[i] or bend <= 0:
            break
        move = min((far2[i] - far2[j]) / (2 * bend), beta[j])
        beta[i], beta[j] = beta[i] + move, beta[j] - move
    else:
        warn(
            f"The ball is not proved to be the smallest: R² may be a fraction of {gap / far2[i]:.2g} too large.",
            like_sklearn(ConvergenceWarning, "ConvergenceWarning"),
        )
    return float(np.sqrt(max(far2.max(), 0.0)))


def feature_margin(K: ArrayLike, y: ArrayLike, coef: ArrayLike, b: float) -> float:
    r"""The margin in the feature space of a kernel, \(\min_i y_i f(x_i) / \|w\|\) with \(f = K\lambda + b\).

    There \(w = \sum_j \lambda_j \varphi(x_j)\) has the length \(\sqrt{\lambda^T K \lambda}\).

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
    y : labels -1 and +1
    coef : array of shape (n_samples,): lambda of every sample, 0 where it is not a support vector
    b : the bias

    Examples
    --------
    >>> round(feature_margin([[1.0, 0.0], [0.0, 1.0]], [1, -1], coef=[1.0, -1.0], b=0.0), 4)    # half of the way, √2
    0.7071

    Source: :func:`geometric_margin` with N's w (unnumbered, after N(29)).
    """
    K = as_square(K, "K")
    y, coef = as_labels(y, len(K), both=False), as_vector(coef, "coef", len(K))
    length2 = float(coef @ K @ coef)
    if length2 <= 0:
        raise InvalidInputError(
            "w is 0, so there is no plane to measure a distance from. Some coefficient must not be 0."
        )
    return float((y * (K @ coef + as_number(b, "b"))).min() / np.sqrt(length2))


def augment(X: FloatArray) -> FloatArray:
    r"""\(\hat x_i = (x_i; 1)\)."""
    return np.column_stack([X, np.ones(len(X))])
