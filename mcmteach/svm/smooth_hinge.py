"""The smooth soft margin: the hinge's corner rounded, so that its objective has gradients."""

from __future__ import annotations

from numpy.typing import ArrayLike
from scipy.special import expit

from mcmteach.svm.duality_gap import minimise
from mcmteach.svm.plane import Plane, labelled_plane
from mcmteach.svm.smooth_problem import SmoothProblem, accelerated_steps, smooth_loss
from mcmteach.validation import FloatArray, as_labels, as_matrix, positive


def smooth_hinge_loss(y: ArrayLike, f: ArrayLike) -> FloatArray:
    r"""\(\log(1 + e^{1 - y f})\), the softmax version of \(\max(0, 1 - y f)\).

    Examples
    --------
    >>> smooth_hinge_loss([1, -1], [1.0, -5.0]).round(4)
    array([0.6931, 0.0181])

    Source: S, "Recall the SVM in the input space".
    """
    return smooth_loss(y, f, m=1.0)


def smooth_svm_objective(X: ArrayLike, y: ArrayLike, w: ArrayLike, b: float, C: float = 1.0) -> float:
    r"""\(E(w, b) = \frac12\|w\|^2 + C\sum_p \log(1 + e^{1 - y_p(w\cdot x_p + b)})\).

    Examples
    --------
    >>> round(smooth_svm_objective([[1.0], [-1.0]], [1, -1], w=[1.0], b=0.0), 4)    # 1/2 + 2 log 2
    1.8863

    Source: S, "Recall the SVM in the input space".
    """
    X, y, w, b = labelled_plane(X, y, w, b)
    return float(w @ w / 2 + positive(C, "C") * smooth_hinge_loss(y, X @ w + b).sum())


def smooth_svm_gradient(X: ArrayLike, y: ArrayLike, w: ArrayLike, b: float, C: float = 1.0) -> tuple[FloatArray, float]:
    r"""\(w - C\sum_p \sigma_p y_p x_p\) and \(-C\sum_p \sigma_p y_p\), with \(\sigma_p = 1 / (1 + e^{y_p f_p - 1})\).

    It is the subgradient of the soft margin with a soft indicator.

    Examples
    --------
    >>> smooth_svm_gradient([[1.0], [-1.0]], [1, -1], w=[1.0], b=0.0)
    (array([0.]), 0.0)

    Source: S, "Remarks on the soft margin SVM", which leaves it to the reader.
    """
    X, y, w, b = labelled_plane(X, y, w, b)
    sigma = expit(1 - y * (X @ w + b))
    C = positive(C, "C")
    return w - C * ((sigma * y) @ X), C * float(sigma @ -y)


def smooth_margin(
    X: ArrayLike, y: ArrayLike, C: float = 1.0, width: float = 1.0, tol: float = 1e-6, max_iter: int = 10_000
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
    found = minimise(accelerated_steps(problem), problem.lower_bound, tol, max_iter, lambda step: None)
    w = tau * found.best.p
    return Plane(w, float(tau * found.best.b - w @ origin), tau * found.alpha, found.gap, found.n_iter)
