r"""The soft margin as the quadratic programme that it is, solved exactly, two multipliers at a time.

The dual of P(1-3) asks for \(0 \le \alpha_p \le C\) with \(\sum_p \alpha_p y_p = 0\) that maximise
\(\sum_p \alpha_p - \frac12\|\sum_p \alpha_p y_p x_p\|^2\). One multiplier alone cannot move, because of the sum; two can, and
the best move of two is a division. That is sequential minimal optimisation (Platt 1998), the method inside ``SVC``; the
pair is chosen as there (Fan, Chen and Lin 2005).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import ConvergenceWarning, like_sklearn, warn
from mcmteach.svm.largest_margin import hard_margin
from mcmteach.svm.plane import Plane
from mcmteach.validation import FloatArray, as_labels, as_matrix, positive, whole


def soft_margin(X: ArrayLike, y: ArrayLike, C: float = 1.0, tol: float = 1e-7, max_iter: int = 100_000) -> Plane:
    r"""The plane of the soft margin: \(\min_{w,b} \frac12\|w\|^2 + C\sum_p \max\{0, 1 - y_p(w\cdot x_p + b)\}\), exactly.

    The descents of the slides converge to it. ``gap`` is the relative duality gap: E exceeds
    its minimum by at most this fraction, by the dual value of ``alpha``.

    Parameters
    ----------
    X : array of shape (n_samples, n_features); meant for small data, as the Gram matrix is stored
    y : labels -1 and +1
    C : price of slack, > 0, the same as SVC's; ``inf`` asks for the hard margin
    tol : the relative duality gap at which to stop
    max_iter : limit on the number of pairs that are moved

    Examples
    --------
    >>> X, y = [[0.0], [2.0], [1.5]], [-1, 1, -1]    # the third sample is in the way: the hard margin has w = 4
    >>> plane = soft_margin(X, y, C=0.5)
    >>> plane.w, plane.alpha, plane.gap < 1e-6
    (array([0.25]), array([0. , 0.5, 0.5]), True)

    Source: P(1-3); S, "Understanding the soft margin SVM", with the half.
    """
    X = as_matrix(X)
    y = as_labels(y, len(X))
    C, tol, max_iter = positive(C, "C", finite=False), positive(tol, "tol"), whole(max_iter, "max_iter", 1)
    if np.isinf(C):
        return hard_margin(X, y)
    origin = X.mean(axis=0)  # b is free, so the origin is too; near the data, fewer digits are lost
    Z = X - origin
    alpha, b, gap, n_iter = _move_pairs(Z @ Z.T, y, C, tol, max_iter)
    w = (alpha * y) @ Z
    if gap > tol:
        warn(
            f"After {n_iter} pairs the relative duality gap of the soft margin is {gap:.2g}, above tol = {tol:g}. "
            "Standardise the data, take a smaller C, or allow more pairs (max_iter).",
            like_sklearn(ConvergenceWarning, "ConvergenceWarning"),
        )
    return Plane(w, float(b - w @ origin), alpha, gap, n_iter)


def _move_pairs(
    K: FloatArray, y: FloatArray, C: float, tol: float, max_iter: int
) -> tuple[FloatArray, float, float, int]:
    """Multipliers, b, gap and count. Sample p asks for b = y_p - w·x_p; in the end those on the margin ask for the same."""
    alpha, asks, diagonal = np.zeros(len(y)), y.copy(), K.diagonal()
    for n_iter in range(max_iter + 1):
        may_rise, may_fall = np.where(y > 0, alpha < C, alpha > 0), np.where(y > 0, alpha > 0, alpha < C)
        i = int(np.where(may_rise, asks, -np.inf).argmax())
        b = float(asks[i] + asks[may_fall].min()) / 2
        gap = _gap(alpha, asks, y, b, C)
        if gap <= tol or n_iter == max_iter:
            break
        ahead = np.where(may_fall, np.maximum(asks[i] - asks, 0.0), 0.0)
        distance2 = np.maximum(diagonal[i] + diagonal - 2 * K[i], 1e-12)
        j = int((ahead**2 / distance2).argmax())  # the partner with which the objective gains most
        room_i, room_j = (C - alpha[i] if y[i] > 0 else alpha[i]), (alpha[j] if y[j] > 0 else C - alpha[j])
        move = min(ahead[j] / distance2[j], room_i, room_j)
        for p, change, room in ((i, y[i] * move, room_i), (j, -y[j] * move, room_j)):
            # at the end of its room exactly 0 or C: a rounding error away from it, the pair would be chosen for ever
            alpha[p] = (C if change > 0 else 0.0) if move == room else alpha[p] + change
        asks = asks - move * (K[:, i] - K[:, j])
    return alpha, b, gap, n_iter


def _gap(alpha: FloatArray, asks: FloatArray, y: FloatArray, b: float, C: float) -> float:
    """(E - D) / E from what the samples ask for: w·x_p = y_p - asks_p, so 1 - y_p f_p = y_p (asks_p - b)."""
    norm2 = float((alpha * y) @ (y - asks))
    E = norm2 / 2 + C * float(np.maximum(0.0, y * (asks - b)).sum())
    return max(0.0, (E - float(alpha.sum()) + norm2 / 2) / E)
