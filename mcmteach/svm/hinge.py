r"""The soft margin without constraints: slack is a hinge loss, and its objective has subgradients.

The slides write \(\|w\|^2 + C\sum_p q_p\) at first and \(\frac12\|w\|^2 + C\sum_p q_p\) later. We use the half
throughout, as P(1) and scikit-learn's ``SVC`` do. So our C is SVC's, and it is half the C of the slides' first form:
dividing \(\|w\|^2 + C_S\sum_pq_p\) by 2 leaves \(\frac12\|w\|^2 + \frac{C_S}2\sum_pq_p\).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.bounds import hinge_loss
from mcmteach.svm.duality_gap import Step, balanced
from mcmteach.svm.plane import labelled_plane
from mcmteach.validation import FloatArray, as_vector, positive


def slack(X: ArrayLike, y: ArrayLike, w: ArrayLike, b: float) -> FloatArray:
    r"""\(q_p = \max\{0, 1 - y_p(w\cdot x_p + b)\}\): the smallest slack that the constraints allow is the hinge loss.

    Examples
    --------
    >>> slack([[2.0], [0.5], [1.0]], [1, 1, -1], w=[1.0], b=0.0)
    array([0. , 0.5, 2. ])

    Source: S, "Understanding the soft margin SVM"; it solves P(2-3) for q.
    """
    X, y, w, b = labelled_plane(X, y, w, b)
    return hinge_loss(y, X @ w + b)


def soft_margin_objective(X: ArrayLike, y: ArrayLike, w: ArrayLike, b: float, C: float = 1.0) -> float:
    r"""\(E(w, b) = \frac12\|w\|^2 + C\sum_p \max\{0, 1 - y_p(w\cdot x_p + b)\}\).

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : labels -1 and +1
    w, b : the plane
    C : price of slack, half of what the slides call C where they write \(\|w\|^2\)

    Examples
    --------
    >>> soft_margin_objective([[2.0], [0.5], [1.0]], [1, 1, -1], w=[1.0], b=0.0, C=2.0)    # 1/2 + 2 · 2.5
    5.5

    Source: S, "Solving the soft margin SVM", with the half; P(1) with the slack of :func:`slack` for q.
    """
    q = slack(X, y, w, b)
    w = as_vector(w, "w")
    return float(w @ w / 2 + positive(C, "C") * q.sum())


def soft_margin_subgradient(
    X: ArrayLike, y: ArrayLike, w: ArrayLike, b: float, C: float = 1.0
) -> tuple[FloatArray, float]:
    r"""\(w - C\sum_p I_p\, y_p x_p\) and \(-C\sum_p I_p\, y_p\), with \(I_p = 1\) where \(y_p(w\cdot x_p + b) < 1\), else 0.

    Each sample has its own indicator, which therefore stands inside the sum (the slides print it outside, where it
    has no p to refer to).

    Examples
    --------
    >>> soft_margin_subgradient([[2.0], [0.5], [1.0]], [1, 1, -1], w=[1.0], b=0.0)    # samples 1 and 2 are inside
    (array([1.5]), 0.0)

    Source: S, "Solving the soft margin SVM"; its update is \(w \leftarrow w - \rho\) times this.
    """
    X, y, w, b = labelled_plane(X, y, w, b)
    return _subgradient(X, y, w, y * (X @ w + b), positive(C, "C"))


def _subgradient(X: FloatArray, y: FloatArray, w: FloatArray, t: FloatArray, C: float) -> tuple[FloatArray, float]:
    inside = t < 1
    return w - C * ((inside * y) @ X), C * float(inside @ -y)


def subgradient_steps(X: FloatArray, y: FloatArray, C: float) -> Iterator[Step]:
    r"""The slides' updates with the step \(\rho_k = 1/(k + k_0)\), without end: the caller decides when to stop.

    \(k_0\) is the curvature that the smooth loss would have in w, so the first steps are as long as a gradient step may
    be. In b that curvature is CM/4, so b has a step of its own, longer by \(k_0\) over this. The indicators, averaged
    with weights that grow like k³, tend to \(\alpha/C\): a sample's multiplier is the price C times the fraction of steps
    at which it lies inside the margin.
    """
    k0 = max(C * float(np.linalg.norm(X, 2)) ** 2 / 4, 1.0)
    longer = k0 / (C * len(y) / 4)
    w, b, alpha = np.zeros(X.shape[1]), 0.0, np.zeros(len(y))
    for k in count(1):
        f = X @ w + b
        t = y * f
        alpha = alpha + 4 / (k + 3) * (C * (t < 1) - alpha)
        yield Step(w, b, f, float(w @ w / 2 + C * hinge_loss(y, f).sum()), alpha)
        g, g_b = _subgradient(X, y, w, t, C)
        w, b = w - g / (k + k0), b - longer * g_b / (k + k0)


def soft_margin_lower_bound(X: FloatArray, y: FloatArray, C: float, alpha: FloatArray) -> tuple[float, FloatArray]:
    r"""The dual of P(1-3), \(\sum_p \alpha_p - \frac12\|\sum_p \alpha_p y_p x_p\|^2\), at the best multiple of alpha."""
    alpha = balanced(alpha, y)
    v = (alpha * y) @ X
    if alpha.any():
        multiple = min(C / alpha.max(), float(alpha.sum() / (v @ v)) if v.any() else np.inf)
        alpha, v = multiple * alpha, multiple * v
    return float(alpha.sum() - v @ v / 2), alpha
