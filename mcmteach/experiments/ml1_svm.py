"""Abe's ML1-SVM (2020): the ordinary SVM with the MCM's h, a quadratic programme that HiGHS solves.

Minimise ||w||^2 / 2 + C sum q_i + C_h h under y_i f_i >= 1 - q_i, y_i f_i <= h, q_i >= 0 and h >= 1. In the dual, alpha belongs
to the margin and beta to the cap, f = sum_j (alpha_j - beta_j) y_j k(x, x_j) + b:

    minimise |sum_j (alpha_j - beta_j) y_j phi_j|^2 / 2 - sum alpha + sum beta
    under sum_j (alpha_j - beta_j) y_j = 0, 0 <= alpha <= C, beta >= 0, sum beta <= C_h.

With C_h = 0 it is the SVM. Source: Abe (2020), whose optimality conditions name the margin, the cap and C_h; that h >= 1 is the
MCM's.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mcmteach.experiments.rules import missing_package, solver
from mcmteach.validation import FloatArray

SMALL = 1e-7  # of the largest coefficient: what is below it is a solver's rounding
STEPS = 50  # of HiGHS's active-set method, for each variable: beyond this it cycles


class ML1Solution(NamedTuple):
    """f = K coef + b, what it costs, and the relative gap between that and the dual's bound."""

    coef: FloatArray
    b: float
    objective: float
    gap: float


def solve_ml1(K: FloatArray, y: FloatArray, C: float, C_h: float) -> ML1Solution | None:
    """The machine, or None where HiGHS finds no optimum.

    Parameters
    ----------
    K : (M, M) kernel matrix
    y : (M,) labels -1 and +1
    C, C_h : weights of the errors and of h

    Examples
    --------
    >>> found = solve_ml1(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([1.0, -1.0]), C=10.0, C_h=1.0)
    >>> found.coef.round(6).tolist()
    [0.5, -0.5]
    """
    if solver() != "highs":
        raise missing_package("highspy")
    import highspy

    M, h = len(y), highspy.Highs()
    h.setOptionValue("output_flag", False)
    h.setOptionValue("qp_iteration_limit", STEPS * 2 * M)
    h.passModel(_dual(highspy, K, y, C, C_h))
    h.run()
    if h.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    alpha, beta = np.split(np.asarray(h.getSolution().col_value), [M])
    coef = C * (alpha - beta) * y
    if not np.all(np.isfinite(coef)):
        return None
    coef[np.abs(coef) <= SMALL * np.abs(coef).max(initial=0.0)] = 0.0
    g = K @ coef
    b, cost = best_bias(g, y, C, C_h)
    objective = float(coef @ g / 2) + cost
    bound = C_h - C * float(h.getInfo().objective_function_value)
    return ML1Solution(coef, b, objective, (objective - bound) / max(1.0, abs(objective)))


def best_bias(g: FloatArray, y: FloatArray, C: float, C_h: float) -> tuple[float, float]:
    """The b for which C sum q + C_h h is least with f = g + b (the middle, where several are), and that least value.

    Examples
    --------
    >>> best_bias(np.array([0.5, -0.25]), np.array([1.0, -1.0]), C=1.0, C_h=0.0)  # by hand: any b in [-0.75, 0.5]
    (-0.125, 1.25)
    """
    top, bottom = (np.max(side * g[y == side], initial=-np.inf) for side in (1.0, -1.0))
    kinks = np.r_[y - g, 1 - top, bottom - 1, (bottom - top) / 2]  # where an error or the cap begins, and two caps meet
    kinks = kinks[np.isfinite(kinks)]
    t = y * (g + kinks[:, None])
    costs = C * np.maximum(0, 1 - t).sum(axis=1) + C_h * np.maximum(1, t.max(axis=1))
    least = costs.min()
    flat = kinks[costs <= least + 1e-9 * max(1.0, least)]
    return float(flat.min() + flat.max()) / 2, float(least)


def _dual(highspy: Any, K: FloatArray, y: FloatArray, C: float, C_h: float) -> Any:
    """The dual in units of C, divided by C."""
    M, inf = len(y), highspy.kHighsInf
    signed = np.r_[y, -y]
    model = highspy.HighsModel()
    lp, hessian = model.lp_, model.hessian_
    lp.num_col_, lp.num_row_ = 2 * M, 2
    lp.col_cost_ = np.repeat([-1.0, 1.0], M)
    lp.col_lower_, lp.col_upper_ = np.zeros(2 * M), np.repeat([1.0, inf], M)
    lp.row_lower_, lp.row_upper_ = np.array([0.0, -inf]), np.array([0.0, C_h / C])
    rows = lp.a_matrix_
    rows.format_ = highspy.MatrixFormat.kRowwise
    rows.start_, rows.index_ = np.array([0, 2 * M, 3 * M]), np.r_[np.arange(2 * M), np.arange(M, 2 * M)]
    rows.value_ = np.r_[signed, np.ones(M)]
    column, row = np.triu_indices(2 * M)  # HiGHS wants the lower triangle, column by column
    hessian.dim_, hessian.format_ = 2 * M, highspy.HessianFormat.kTriangular
    hessian.start_, hessian.index_ = np.r_[0, np.cumsum(np.arange(2 * M, 0, -1))], row
    hessian.value_ = C * (np.tile(K, (2, 2)) * np.outer(signed, signed))[row, column]
    return model
