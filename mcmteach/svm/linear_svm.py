"""The support vector machine in input space, as a classifier."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcmteach.base import Classifier
from mcmteach.errors import InvalidInputError
from mcmteach.svm.duality_gap import minimise
from mcmteach.svm.hinge import soft_margin_lower_bound, subgradient_steps
from mcmteach.svm.largest_margin import hard_margin
from mcmteach.svm.plane import History
from mcmteach.svm.smooth_problem import SmoothProblem, accelerated_steps
from mcmteach.validation import FloatArray, MatrixLike, dense, positive


class LinearSVM(Classifier):
    r"""The support vector machine in input space: \(\min\; \frac12\|w\|^2 + C\sum_p \max\{0, 1 - y_p(w\cdot x_p + b)\}\).

    Three ways to solve it, as the slides develop them: with C = inf the hard margin as a quadratic programme; with
    ``loss="hinge"`` the soft margin by subgradient descent; with ``loss="smooth"`` its smooth version by (accelerated)
    gradient descent. It is made for small data and for study: ``history_`` keeps every step.

    Parameters
    ----------
    C : price of slack, > 0, the same as SVC's and half of the slides' first C; ``inf`` asks for a hard margin
    loss : "hinge" or "smooth"; not used for the hard margin
    tol : the fraction of the objective by which it may exceed its minimum: the relative duality gap at which to stop. None
        is 5e-3 for the hinge loss, as subgradients are slow, and 1e-6 for the smooth one
    max_iter : limit on the number of steps; a ConvergenceWarning says when it is reached first

    Attributes
    ----------
    classes_ : the two labels; a positive ``decision_function`` means ``classes_[1]``
    coef_, intercept_ : w, of shape (1, n_features), and b, of shape (1,)
    alpha_ : the dual vector: w = sum_p alpha_p y_p x_p, up to the gap
    support_ : indices of the support vectors, those with alpha_p > max alpha / 1000
    support_vectors_, n_support_ : the support vectors, and how many there are
    objective_ : the minimum that was found
    gap_ : the relative duality gap: the objective exceeds its minimum by at most this fraction of its value
    history_ : objective, margin, w and b at each step
    n_iter_ : number of steps
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> X, y = [[0.0, 0.0], [2.0, 2.0], [3.0, 0.0]], [-1, 1, 1]
    >>> machine = LinearSVM(C=float("inf")).fit(X, y)
    >>> machine.coef_.round(4), machine.support_
    (array([[0.6667, 0.3333]]), array([0, 1, 2]))

    Source: S, "Maximum margin classifier" to "Remarks on the soft margin SVM"; P(1-3).
    """

    alpha_: FloatArray
    support_: NDArray[np.intp]
    support_vectors_: FloatArray
    n_support_: int
    objective_: float
    gap_: float
    history_: History
    n_iter_: int

    def __init__(self, C: float = 1.0, loss: str = "hinge", tol: float | None = None, max_iter: int = 10_000):
        self.C = C
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Learn from X, of shape (n_samples, n_features), and two classes y."""
        X, y = self._check_training_data(X, y)
        X, C = dense(X), positive(self.C, "C", finite=False)
        if self.loss not in ("hinge", "smooth"):
            raise InvalidInputError(f"There is no loss {self.loss!r}. Choose 'hinge' or 'smooth'.")
        w, b = self._hard_fit(X, y) if np.isinf(C) else self._soft_fit(X, y, C)
        self.coef_, self.intercept_ = w[None, :], np.array([b])
        self.support_ = np.flatnonzero(self.alpha_ > 1e-3 * self.alpha_.max())
        self.support_vectors_, self.n_support_ = X[self.support_], len(self.support_)
        return self

    def _hard_fit(self, X: FloatArray, y: FloatArray) -> tuple[FloatArray, float]:
        path = [(np.zeros(X.shape[1]), 0.0)]
        plane = hard_margin(X, y, max_iter=self.max_iter, record=lambda w, b: path.append((w, b)))
        path.append((plane.w, plane.b))
        self.history_ = History.of(X, y, path, [float(w @ w / 2) for w, _ in path])
        self.alpha_, self.gap_, self.n_iter_ = plane.alpha, plane.gap, plane.n_iter
        self.objective_ = float(self.history_.objective[-1])
        return plane.w, plane.b

    def _soft_fit(self, X: FloatArray, y: FloatArray, C: float) -> tuple[FloatArray, float]:
        # b is not penalised, so the origin is free; at the mean, w and b do not disturb each other
        origin = X.mean(axis=0)
        Z = X - origin
        path: list[tuple[FloatArray, float, float]] = []
        bound: Callable[[FloatArray], tuple[float, FloatArray]]
        if self.loss == "hinge":
            steps, bound, tol = subgradient_steps(Z, y, C), partial(soft_margin_lower_bound, Z, y, C), 5e-3
        else:
            problem = SmoothProblem(Z, y, C, m=1.0)
            steps, bound, tol = accelerated_steps(problem), problem.lower_bound, 1e-6
        tol = tol if self.tol is None else self.tol
        found = minimise(steps, bound, tol, self.max_iter, lambda step: path.append((step.p, step.b, step.objective)))
        planes = [(w, b - float(w @ origin)) for w, b, _ in path]
        self.history_ = History.of(X, y, planes, [objective for *_, objective in path])
        self.alpha_, self.gap_, self.n_iter_ = found.alpha, found.gap, found.n_iter
        self.objective_ = found.best.objective
        return found.best.p, found.best.b - float(found.best.p @ origin)
