r"""Descent on the soft margin's objective with a step size that one chooses, as the slides write it, step by step.

:class:`mcmteach.LinearSVM` chooses its steps itself and stops when its duality gap allows. Here neither happens, so that
one can see what a step that is too long or too short does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from mcmteach.bounds import hinge_loss
from mcmteach.errors import InvalidInputError
from mcmteach.svm.plane import History
from mcmteach.svm.smooth_hinge import smooth_hinge_loss
from mcmteach.validation import FloatArray, as_labels, as_matrix, positive, whole

#: How :func:`descent` chooses its steps
DESCENTS = ("constant", "falling", "smooth")


def descent(
    X: ArrayLike, y: ArrayLike, C: float = 1.0, rho: float = 0.01, n_steps: int = 100, method: str = "constant"
) -> History:
    r"""Every step of \(w \leftarrow w - \rho_k\,(w - C\sum_p I_p y_p x_p)\), \(b \leftarrow b + \rho_k\, C\sum_p I_p y_p\).

    It begins at w = 0, b = 0. The indicator \(I_p\) is 1 where \(y_p f_p < 1\), else 0.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : labels -1 and +1
    C : price of slack
    rho : the step size \(\rho\), > 0
    n_steps : how many steps to take
    method : "constant" keeps \(\rho_k = \rho\); "falling" takes \(\rho_k = \rho/(1 + k\rho)\), so \(1/(k + 1/\rho)\), with
        which subgradient descent converges; "smooth" keeps \(\rho\) and has the soft indicator
        \(\sigma_p = 1/(1 + e^{y_p f_p - 1})\) for \(I_p\), which is gradient descent on the smooth objective

    Returns
    -------
    History with n_steps + 1 rows; its objective is the smooth one for "smooth", else the soft margin's

    Examples
    --------
    >>> way = descent([[2.0], [-1.0]], [1, -1], rho=0.5, n_steps=2)
    >>> way.objective.tolist(), way.w[:, 0].tolist()
    ([2.0, 1.125, 0.53125], [0.0, 1.5, 0.75])

    Source: S, "Solving the soft margin SVM" and "Remarks on the soft margin SVM".
    """
    X = as_matrix(X)
    y = as_labels(y, len(X))
    C, rho, n_steps = positive(C, "C"), positive(rho, "rho"), whole(n_steps, "n_steps", 1)
    if method not in DESCENTS:
        raise InvalidInputError(f"There is no method {method!r}. Choose from {', '.join(map(repr, DESCENTS))}.")
    w, b = np.zeros(X.shape[1]), 0.0
    planes = [(w, b)]
    for k in range(n_steps):
        t = y * (X @ w + b)
        pull = C * (expit(1 - t) if method == "smooth" else t < 1) * y
        step = rho / (1 + k * rho) if method == "falling" else rho
        w, b = w - step * (w - pull @ X), b + step * float(pull.sum())
        planes.append((w, b))
    loss = smooth_hinge_loss if method == "smooth" else hinge_loss
    return History.of(X, y, planes, [float(w @ w / 2 + C * loss(y, X @ w + b).sum()) for w, b in planes])


def valley(X: ArrayLike, y: ArrayLike, W: ArrayLike, C: float = 1.0) -> FloatArray:
    r"""\(\min_b E(w, b)\) for each row w of W: the soft margin's objective as a function of w alone.

    In b, E is piecewise linear with breaks where a sample has slack exactly 0, so its minimum is at one of these.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : labels -1 and +1
    W : array of shape (n_planes, n_features)
    C : price of slack

    Examples
    --------
    >>> valley([[2.0], [-2.0]], [1, -1], [[0.0], [0.25], [0.5]]).tolist()
    [2.0, 1.03125, 0.125]
    """
    X, W = as_matrix(X), as_matrix(W, "W")
    y, C = as_labels(y, len(X)), positive(C, "C")
    if W.shape[1] != X.shape[1]:
        raise InvalidInputError(f"W has {W.shape[1]} columns and X has {X.shape[1]}: one weight per feature is needed.")
    slacks = [np.maximum(0.0, 1 - y * (f + (y - f)[:, None])).sum(axis=1).min() for f in W @ X.T]
    return (W**2).sum(axis=1) / 2 + C * np.array(slacks)
