"""The hard margin: the plane with the largest margin, by quadratic programming."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize, nnls

from mcmteach.capacity import radius
from mcmteach.certificate import infeasible, meeting_hulls
from mcmteach.errors import ConvergenceWarning, SolverError, like_sklearn, warn
from mcmteach.svm.duality_gap import balanced
from mcmteach.svm.plane import Plane
from mcmteach.validation import FloatArray, as_labels, as_matrix, whole


def hard_margin(
    X: ArrayLike,
    y: ArrayLike,
    penalise_b: bool = False,
    max_iter: int = 1000,
    record: Callable[[FloatArray, float], None] | None = None,
) -> Plane:
    r"""The plane with the largest margin: \(\min_{w,b} \frac12\|w\|^2\) subject to \(y_p(w\cdot x_p + b) \ge 1\) for all p.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : labels -1 and +1
    penalise_b : minimise \(\frac12(\|w\|^2 + b^2)\) instead: the largest margin in the augmented space of (x; 1)
    max_iter : limit on the iterations of the quadratic programme
    record : called with (w, b) after each iteration

    Returns
    -------
    Plane, scaled so that the nearest sample has y f = 1. If none exists, an InfeasibleError says which samples prevent it.

    Examples
    --------
    >>> plane = hard_margin([[0.0, 0.0], [2.0, 2.0], [3.0, 0.0]], [-1, 1, 1])
    >>> plane.w.round(4), round(plane.b, 4)
    (array([0.6667, 0.3333]), -1.0)

    Source: S, "Maximum margin classifier", P(1-2) without slack. A quadratic programme, by SLSQP of scipy.optimize.
    """
    X = as_matrix(X)
    y = as_labels(y, len(X))
    if meeting_hulls(X, y) is not None:
        raise infeasible(X, y)
    programme = _programme(X, y, penalise_b)
    result = programme.solve(whole(max_iter, "max_iter", 1), record)
    v = _touching(programme.G, result)
    alpha = _multipliers(programme, v, y)
    gap = programme.gap(v, alpha)
    if gap > 1e-6:
        warn(
            f"The margin is not proved to be the largest: the relative duality gap of ||w||²/2 is {gap:.2g} "
            f"({result.message}). Standardise the data, or allow more iterations (max_iter).",
            like_sklearn(ConvergenceWarning, "ConvergenceWarning"),
        )
    return Plane(*programme.plane(v), alpha / programme.unit**2, gap, int(result.nit))


class _Programme(NamedTuple):
    r"""\(\min_v \frac12\sum_j p_j v_j^2\) subject to \(Gv \ge 1\): the hard margin in units in which the data are of size 1."""

    G: FloatArray  # rows y_p (x_p - origin; 1) in these units
    price: FloatArray  # p
    origin: FloatArray
    unit: float  # the unit of x
    unit_b: float  # and of the constant feature 1

    def plane(self, v: FloatArray) -> tuple[FloatArray, float]:
        w = v[:-1] / self.unit
        return w, float(v[-1] / self.unit_b - w @ self.origin)

    def solve(self, max_iter: int, record: Callable[[FloatArray, float], None] | None) -> Any:
        return minimize(
            lambda v: v @ (self.price * v) / 2,
            np.zeros(len(self.price)),
            jac=lambda v: self.price * v,
            constraints={"type": "ineq", "fun": lambda v: self.G @ v - 1, "jac": lambda v: self.G},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": max_iter},
            callback=None if record is None else lambda v: record(*self.plane(v)),
        )

    def gap(self, v: FloatArray, alpha: FloatArray) -> float:
        """The relative duality gap, with alpha scaled to its best multiple."""
        combined = self.price * (self.G.T @ alpha)
        dual = alpha.sum() ** 2 / (2 * combined @ combined) if combined.any() else 0.0
        primal = v @ (self.price * v) / 2
        return max(0.0, float((primal - dual) / primal))


def _programme(X: FloatArray, y: FloatArray, penalise_b: bool) -> _Programme:
    n = X.shape[1]
    if penalise_b:  # b is a weight like any other
        origin, unit, price = np.zeros(n), radius(X, augmented=True), np.ones(n + 1)
        unit_b = unit
    else:  # b is free, so the origin is too, and the mean is a good one
        origin, price, unit_b = X.mean(axis=0), np.append(np.ones(n), 0.0), 1.0
        unit = radius(X - origin)
    A = np.column_stack([(X - origin) / unit, np.full(len(X), 1 / unit_b)])
    return _Programme(y[:, None] * A, price, origin, unit, unit_b)


def _touching(G: FloatArray, result: Any) -> FloatArray:
    """The solver's v, scaled until its nearest sample has y f = 1."""
    nearest = (G @ result.x).min()
    if not nearest > 0:
        raise SolverError(
            f"The quadratic programme ended at a plane that does not separate the classes ({result.message}), although "
            "one does. Standardise the data, or allow more iterations (max_iter)."
        )
    return result.x / nearest


def _multipliers(programme: _Programme, v: FloatArray, y: FloatArray) -> FloatArray:
    """alpha >= 0 from stationarity: the gradient of the objective is a combination of the active constraints'."""
    G, price = programme.G, programme.price
    active = G @ v <= 1 + 1e-6
    alpha = np.zeros(len(y))
    alpha[active] = nnls(G[active].T, price * v)[0]
    return balanced(alpha, y) if price[-1] == 0 else alpha
