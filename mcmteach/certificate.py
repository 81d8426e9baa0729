r"""Proofs computed from the data: that a solution is optimal, that no hyperplane separates, that a price is too high.

A solver's word is not enough for the MCM: on ill-conditioned kernel matrices even the status "optimal" can be wrong.
So we check by duality. The dual of N(30-33), with a price s on \(\|\lambda\|_1\), can be written in one vector
\(z_i = y_i(\beta_i - \alpha_i)\), where alpha and beta are the multipliers of N(31) and N(32):

\[\max_z\; 1 + \sum_i y_i z_i \quad\text{s.t.}\quad \sum_i z_i = 0,\quad |K^T z| \le s,\quad y_i z_i \le C,\quad
  \sum_i \max(0, -y_i z_i) \le 1.\]

Any z that obeys these gives a lower bound on the optimum, whoever computed it. z = 0 obeys them: the bound 1.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg
from scipy.optimize import linprog

from mcmteach.errors import InfeasibleError, SolverError
from mcmteach.solvers.kernel_columns import Columns, as_columns
from mcmteach.validation import as_labels, as_matrix, dense, positive


@dataclass(frozen=True)
class Certificate:
    """A two-sided proof: the optimum of the linear programme lies between ``dual`` and ``primal``."""

    primal: float  #: the objective of the solution, recomputed from the data: an upper bound on the optimum
    dual: float  #: a lower bound on the optimum, from the feasible dual vector ``z``
    gap: float  #: (primal - dual) / primal; the objective is never below 1, so this is a relative gap
    violation: float  #: the most by which the solution violates a constraint
    z: np.ndarray = field(repr=False, compare=False)  #: the dual vector: check it against the data yourself

    def proves_optimal(self, tol: float = 1e-6) -> bool:
        """Whether gap and violation are both at most ``tol``."""
        return self.gap <= tol and self.violation <= tol


def dual_bound(K: Any, y: np.ndarray, C: float, sparsity: float, z: np.ndarray) -> tuple[float, np.ndarray]:
    """The lower bound that a solver's dual vector is worth once it is repaired, and the repaired vector.

    The solver's z obeys the constraints up to its tolerances only. So it is first moved onto the equalities, then
    shrunk until it obeys the inequalities; z = 0 always remains as the last resort.
    """
    z = np.nan_to_num(z)
    if not z.any():
        return 1.0, z
    on = z != 0  # only these are moved: a lazy K then need not evaluate the rows of the others
    z = z - on * (z.sum() / max(1, on.sum())) if sparsity > 0 else _onto_null_space(K, z)
    d = y * z
    limits = [(d.max(), C), (np.maximum(0, -d).sum(), 1.0)]
    if sparsity > 0:
        limits.append((np.abs(K.T @ z).max(), sparsity))
    shrink = min([1.0] + [limit / value for value, limit in limits if value > limit])
    z = shrink * z
    return (1 + float(y @ z), z) if y @ z > 0 else (1.0, np.zeros_like(z))


def _onto_null_space(K: Any, z: np.ndarray) -> np.ndarray:
    """z projected onto {z: K'z = 0, sum z = 0}, or 0 where rounding does not let us say what that space is.

    Without a price the dual asks K'z = 0 exactly. A direction belongs to the range of K if its singular value is
    clearly there, and to the null space if it is clearly not; a value in between (as small gamma gives) proves nothing.
    """
    A = np.column_stack([dense(K), np.ones(len(z))])
    A = A / np.maximum(np.abs(A).max(axis=0), np.finfo(float).tiny)
    U, s, _ = scipy.linalg.svd(A, full_matrices=False)
    relative = s / s[0]
    if np.any((relative > 1e-13) & (relative < 1e-8)):
        return np.zeros_like(z)
    U = U[:, relative >= 1e-8]
    for _ in range(2):  # a second time, for what rounding left of the first
        z = z - U @ (U.T @ z)
    return z


def meeting_hulls(X: Any, y: np.ndarray) -> np.ndarray | None:
    r"""Weights that show that the convex hulls of two classes meet, or None if a hyperplane separates them.

    Solves  \(\min_{a \ge 0} \|\sum_{+} a_i x_i - \sum_{-} a_i x_i\|_1\)  with the weights of each class summing to 1.
    Its dual vector is a direction w: if that separates the data, the proof is complete; if not, the weights are one,
    provided that the two points they name really are the same. Hulls that lie less than about 1e-9 of the data's size
    apart can be neither separated nor joined in floating point: then there is a SolverError.
    """
    X = dense(X)
    X = X - X.mean(axis=0)  # separability is blind to shifts and units, linear programming solvers are not
    X = X / np.where(np.abs(X).max(axis=0) > 0, np.abs(X).max(axis=0), 1)
    M, n = X.shape
    plus = (y > 0).astype(float)
    A = np.zeros((n + 2, M + 2 * n))
    A[:n, :M] = (y[:, None] * X).T  # sum_i y_i a_i x_i + r = 0, with r = r⁺ - r⁻
    A[:n, M : M + n], A[:n, M + n :] = np.eye(n), -np.eye(n)
    A[n, :M], A[n + 1, :M] = plus, 1 - plus  # each class's weights sum to 1
    cost = np.r_[np.zeros(M), np.ones(2 * n)]
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    result = linprog(cost, A_eq=A, b_eq=np.r_[np.zeros(n), 1.0, 1.0], method="highs-ds", options=tight)
    if result.x is None:
        raise SolverError(
            f"The separability of the classes could not be decided ({result.message}). Standardise the data."
        )
    f = X @ result.eqlin.marginals[:n]
    lowest, highest = (
        (f[plus == 1].min(), f[plus == 0].max()) if f @ y > 0 else (f[plus == 0].min(), f[plus == 1].max())
    )
    if lowest - highest > 1e-12 * max(np.abs(f).max(), np.finfo(float).tiny):
        return None
    a = np.maximum(0.0, result.x[:M])
    a = a / np.where(plus == 1, a @ plus, a @ (1 - plus))
    if np.abs((y * a) @ X).max() > 1e-8:
        raise SolverError("The classes lie too close together to say whether a hyperplane separates them.")
    return a


def infeasible(K: Any, y: np.ndarray) -> Exception:
    """The error for a hard margin that does not exist, with its proof, named after the samples that are to blame."""
    weights = meeting_hulls(K, y)
    if weights is None:
        return SolverError(
            "The solver calls the data unseparable, but a hyperplane separates them. Standardise the data."
        )
    pair = _contradiction(K, y)
    if pair is not None:
        cause = f"Samples {pair[0]} and {pair[1]} are identical and have opposite labels"
        weights = np.isin(np.arange(len(y)), pair).astype(float)
    else:
        shown = ", ".join(f"{i} ({weights[i]:.3g})" for i in np.argsort(-weights)[:6] if weights[i] > 0)
        cause = f"The convex hulls of the classes meet, as these samples (and weights) show: {shown}"
    return InfeasibleError(
        f"No hyperplane separates the classes, so there is no hard margin (C = inf). {cause}. "
        "Allow slack with a finite C, or look for a wrong label.",
        weights,
    )


def _contradiction(K: Any, y: np.ndarray) -> tuple[int, int] | None:
    """The first two samples with the same row and opposite labels."""
    _, group = np.unique(dense(K), axis=0, return_inverse=True)
    group = group.ravel()
    for i in range(len(y)):
        others = np.flatnonzero((group == group[i]) & (y != y[i]))
        if len(others):
            return i, int(others[0])
    return None


def constant_price(K: Any, y: Any, C: float) -> float:
    r"""The price on \(\|\lambda\|_1\) from which on lambda = 0 is optimal: a machine that always answers one class.

    With lambda = 0 the best objective is 1 + 2 C m for m samples in the smaller class. That stays optimal as long as
    some dual vector of this value obeys |K'z| <= price. Such a vector has z = C y on the smaller class, so the
    programme  min t,  |K'z| <= t  runs over the larger class alone. Its rows are added as they are needed.

    Examples
    --------
    >>> constant_price([[1.0], [2.0], [-1.0], [-4.0]], [1, 1, -1, -1], C=1.0)
    8.0
    """
    K = K if isinstance(K, Columns) else as_columns(as_matrix(K, "K", sparse=True))
    y, C = as_labels(y, K.shape[0]), positive(C, "C")
    few = y == (1.0 if np.sum(y > 0) <= np.sum(y < 0) else -1.0)
    many = ~few
    m, k = int(few.sum()), int(many.sum())
    fixed = np.asarray(K.T @ (C * y * few)).ravel()
    where = np.flatnonzero(many)
    # unknowns d⁺, d⁻ >= 0 (d = d⁺ - d⁻ = y z on the larger class) and t
    bounds = np.r_[np.tile([0.0, C], (k, 1)), np.tile([0.0, 1.0], (k, 1)), [[0.0, np.inf]]]
    A_eq = np.r_[np.ones(k), -np.ones(k), 0.0][None, :]
    reached, t = fixed, -1.0
    rows: dict[tuple[int, float], np.ndarray] = {}
    while new := _most_violated(reached, t, rows):
        for j, sign in new:  # sign * (fixed + K'z) <= t
            rows[j, sign] = sign * K.block(where, np.array([j])).ravel() * y[many]
        A = np.array(list(rows.values()))
        A_ub = np.vstack([np.c_[A, -A, -np.ones(len(A))], np.r_[np.zeros(k), np.ones(k), 0.0]])  # and sum d⁻ <= 1
        b_ub = np.r_[[-sign * fixed[j] for j, sign in rows], 1.0]
        result = linprog(
            np.r_[np.zeros(2 * k), 1.0], A_ub=A_ub, b_ub=b_ub, A_eq=A_eq, b_eq=[C * m], bounds=bounds,
            method="highs-ds", options={"presolve": False},  # which took longer than the rest
        )  # fmt: skip
        if result.x is None:
            raise SolverError(
                f"The price from which on the machine is constant could not be computed: {result.message}."
            )
        z = np.zeros_like(y)
        z[where] = y[many] * (result.x[:k] - result.x[k : 2 * k])
        reached, t = fixed + K.T @ z, float(result.x[-1])
    return float(np.abs(reached).max())


def _most_violated(reached: np.ndarray, t: float, known: Collection[tuple[int, float]]) -> list[tuple[int, float]]:
    """Up to ten columns that go beyond t, each with its sign, without those that are known."""
    worst = [int(j) for j in np.argsort(np.abs(reached))[::-1][:10] if abs(reached[j]) > t * (1 + 1e-9) + 1e-12]
    found = [(j, 1.0 if reached[j] > 0 else -1.0) for j in worst]
    return [row for row in found if row not in known]
