r"""Margins, radius and h_MCM: from the geometry of a hyperplane to a capacity, N(6-13) and the slides' margins.

Throughout, \(\hat x = (x; 1)\) and \(\hat u = (u; v)\) are the augmented vectors of N: the plane
\(u^T x + v = 0\) passes through the origin of the augmented space.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mcmteach.errors import InvalidInputError
from mcmteach.validation import as_labels, as_matrix, as_vector


def functional_margins(X: Any, y: Any, w: Any, b: float) -> np.ndarray:
    r"""\(\gamma_i = y_i (w \cdot x_i + b)\), one per sample: positive where the plane is right.

    Examples
    --------
    >>> functional_margins([[1, 1], [0, 0]], [1, -1], w=[1, 1], b=-1)
    array([1., 1.])

    Source: S, "Margin" (with d for y).
    """
    X, w, b = _plane(X, w, b)
    return as_labels(y, len(X), both=False) * (X @ w + b)


def geometric_margins(X: Any, y: Any, w: Any, b: float) -> np.ndarray:
    r"""\(\bar\gamma_i = \gamma_i / \|w\|\), one per sample: the signed distance from the plane.

    Source: S, "Margin".
    """
    norm = np.linalg.norm(w)
    if norm == 0:
        raise InvalidInputError("w = 0 is not a plane, so no distance from it can be measured.")
    return functional_margins(X, y, w, b) / norm


def geometric_margin(X: Any, y: Any, w: Any, b: float) -> float:
    r"""The margin of a data set: \(\bar\gamma = \min_i y_i (w \cdot x_i + b)/\|w\|\).

    Examples
    --------
    >>> round(geometric_margin([[1, 1]], [1], w=[1, 1], b=-1), 4)   # 1/√2
    0.7071

    Source: S, "Margin of a hyperplane with respect to a data set".
    """
    return float(geometric_margins(X, y, w, b).min())


def radius(X: Any, augmented: bool = False) -> float:
    r"""\(R = \max_i \|x_i\|\), or \(\max_i \|\hat x_i\|\) with the constant feature of N appended.

    Examples
    --------
    >>> radius([[3, 4], [1, 0]])
    5.0

    Source: S calls it L; N(8) uses the augmented one.
    """
    X = as_matrix(X)
    return float(np.linalg.norm(augment(X) if augmented else X, axis=1).max())


def h_mcm(X: Any, w: Any, b: float) -> float:
    r"""\(h_{MCM} = \frac{\max_i |w^T x_i + b|}{\min_i |w^T x_i + b|}\), at least 1, and inf if a point lies on the plane.

    It asks no labels, so a far-away plane that separates nothing scores near 1: compare separating planes only.

    Examples
    --------
    >>> h_mcm([[1.0], [2.0], [-4.0]], w=[1.0], b=0.0)
    4.0

    Source: N(6), with (w, b) for (u, v): the ratio does not depend on the scale.
    """
    X, w, b = _plane(X, w, b)
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


def capacity_chain(X: Any, u: Any, v: float) -> CapacityChain:
    r"""The chain \(h_{MCM}^2 \le (R/\Delta)^2 < 1 + (R/\Delta)^2\) with all its terms.

    It follows from Cauchy and Schwarz, \(|\hat u^T \hat x| \le \|\hat u\| \|\hat x\|\). Mind the direction:
    h_MCM bounds R/Δ from *below*, while \(h \le 1 + (R/\Delta)^2\) bounds the VC dimension from above. A small
    h_MCM therefore does not prove a small h. ``beta`` is what stands between them, and no constant serves for all data.

    Examples
    --------
    >>> chain = capacity_chain([[1.0], [2.0], [-4.0]], u=[1.0], v=0.0)
    >>> chain.h_mcm, round(chain.ratio, 4)
    (4.0, 4.1231)

    Source: N(7-13).
    """
    X, u, v = _plane(X, u, v)
    R = radius(X, augmented=True)
    Delta = float(np.abs(augment(X) @ np.append(u, v)).min() / np.linalg.norm(np.append(u, v)))
    h = h_mcm(X, u, v)
    ratio = R / Delta if Delta > 0 else float("inf")
    vapnik = 1 + ratio**2
    return CapacityChain(R, Delta, ratio, h, h**2, ratio**2, vapnik, vapnik / h**2 if np.isfinite(h) else float("nan"))


def augment(X: np.ndarray) -> np.ndarray:
    r"""\(\hat x_i = (x_i; 1)\)."""
    return np.column_stack([X, np.ones(len(X))])


def _plane(X: Any, w: Any, b: Any) -> tuple[np.ndarray, np.ndarray, float]:
    X = as_matrix(X)
    w = np.ravel(w) if np.shape(w) == (1, X.shape[1]) else w  # a machine's coef_ is such a row
    return X, as_vector(w, "w", X.shape[1]), float(as_vector(b, "b", 1)[0])
