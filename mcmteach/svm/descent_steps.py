r"""Walking down the soft margin's objective with a step size that one chooses, as the slides write it, step by step.

:class:`mcmteach.LinearSVM` chooses its steps itself and stops when it can prove that it may. Here nothing is chosen and
nothing stops, so that one can see what a step that is too long or too short does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from mcmteach.bounds import hinge_loss
from mcmteach.errors import InvalidInputError
from mcmteach.svm.machines import History, Plane, _history, smooth_hinge_loss
from mcmteach.svm.smooth_losses import SmoothProblem, accelerated_steps, descend
from mcmteach.validation import as_labels, as_matrix, positive, whole

#: The roads of :func:`descent`
ROADS = ("constant", "falling", "smooth")


def descent(X: Any, y: Any, C: float = 1.0, eta: float = 0.01, n_steps: int = 100, road: str = "constant") -> History:
    r"""Every step of \(w \leftarrow w - \eta_k\,(w - C\sum_p I_p y_p x_p)\), \(b \leftarrow b + \eta_k\, C\sum_p I_p y_p\).

    It begins at w = 0, b = 0. The indicator \(I_p\) is 1 where \(y_p f_p < 1\), else 0.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : labels -1 and +1
    C : price of slack
    eta : the step size \(\eta\), > 0
    n_steps : how many steps to take
    road : "constant" keeps \(\eta_k = \eta\); "falling" takes \(\eta_k = \eta/(1 + k\eta)\), so \(1/(k + 1/\eta)\), on which
        subgradients arrive; "smooth" keeps \(\eta\) and has the soft indicator \(\sigma_p = 1/(1 + e^{y_p f_p - 1})\) for
        \(I_p\), which is gradient descent on the smooth objective

    Returns
    -------
    History with n_steps + 1 rows; its objective is the one that the road descends on

    Examples
    --------
    >>> way = descent([[2.0], [-1.0]], [1, -1], eta=0.5, n_steps=2)
    >>> way.objective.tolist(), way.w[:, 0].tolist()
    ([2.0, 1.125, 0.53125], [0.0, 1.5, 0.75])

    Source: S, "Solving the soft margin SVM" and "Remarks on the soft margin SVM".
    """
    X = as_matrix(X)
    y = as_labels(y, len(X))
    C, eta, n_steps = positive(C, "C"), positive(eta, "eta"), whole(n_steps, "n_steps", 1)
    if road not in ROADS:
        raise InvalidInputError(f"There is no road {road!r}. Choose from {', '.join(map(repr, ROADS))}.")
    w, b = np.zeros(X.shape[1]), 0.0
    planes = [(w, b)]
    for k in range(n_steps):
        t = y * (X @ w + b)
        pull = C * (expit(1 - t) if road == "smooth" else t < 1) * y
        step = eta / (1 + k * eta) if road == "falling" else eta
        w, b = w - step * (w - pull @ X), b + step * float(pull.sum())
        planes.append((w, b))
    loss = smooth_hinge_loss if road == "smooth" else hinge_loss
    return _history(X, y, planes, [float(w @ w / 2 + C * loss(y, X @ w + b).sum()) for w, b in planes])


def smooth_margin(
    X: Any, y: Any, C: float = 1.0, width: float = 1.0, tol: float = 1e-6, max_iter: int = 10_000
) -> Plane:
    r"""The plane of a sharper smooth SVM: \(\min_{w,b} \frac12\|w\|^2 + C\sum_p \tau\log(1 + e^{(1 - y_p f_p)/\tau})\).

    The slides round the hinge's corner over a width of about \(\tau = 1\). A smaller \(\tau\) rounds it less: the loss lies
    at most \(\tau\log 2\) above the hinge, so the soft margin's objective E at this plane lies at most \(CM\tau\log 2\)
    above its minimum, with M samples. Divided by \(\tau\), w and b solve the slides' problem with a margin of \(1/\tau\)
    and the price \(C/\tau\).

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : labels -1 and +1
    C : price of slack
    width : \(\tau\), > 0; 1 is the slides' form
    tol, max_iter : as in :class:`mcmteach.LinearSVM`; the descent is accelerated

    Examples
    --------
    >>> X, y = [[0.0], [2.0], [1.5]], [-1, 1, -1]
    >>> [smooth_margin(X, y, C=0.5, width=width).w.round(3).tolist() for width in (1.0, 0.1, 0.01)]
    [[0.467], [0.315], [0.25]]

    Source: S, "Recall that max{a, b} ≈ log(eᵃ + eᵇ)", with a width.
    """
    X = as_matrix(X)
    y = as_labels(y, len(X))
    C, tau = positive(C, "C"), positive(width, "width")
    origin = X.mean(axis=0)
    problem = SmoothProblem(X - origin, y, C / tau, m=1 / tau)
    found = descend(accelerated_steps(problem), problem.lower_bound, tol, max_iter, lambda step: None)
    w = tau * found.best.p
    return Plane(w, float(tau * found.best.b - w @ origin), tau * found.alpha, found.gap, found.n_iter)


def valley(X: Any, y: Any, W: Any, C: float = 1.0) -> np.ndarray:
    r"""\(\min_b E(w, b)\) for each row w of W: the soft margin's objective as a landscape over w alone.

    In b, E is made of straight pieces that meet where a sample has slack exactly 0, so its minimum is at one of these.

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
