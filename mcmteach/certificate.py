r"""Proofs computed from the data: how good a solution is, and that no other can be better.

A solver's status is not enough for the MCM: on ill-conditioned kernel matrices even "optimal" can be wrong.
So we check by duality. Take any vector z with \(\sum_i z_i = 0\), and \(d_i = y_i z_i\) with \(d_i \le C_i\) and
\(\sum_i \max(0, -d_i) \le 1\). Then every machine (lambda, b) with margins t = y f has

\[\max(1, \max_i t_i) + \sum_i C_i \max(0, 1 - t_i) + s\|\lambda\|_1
  \;\ge\; 1 + \sum_i d_i (1 - t_i) + s\|\lambda\|_1
  \;=\; 1 + y^Tz + \sum_j \big(s |\lambda_j| - \lambda_j K_j^Tz\big).\]

With a price s > 0 and \(\|K^Tz\|_\infty \le s\) the last sum is never negative: \(1 + y^Tz\) bounds the optimum from below,
however z was computed. Without a price one would need \(K^Tz = 0\) to the last digit; what remains in floating point bounds the
machines whose coefficients stay below a limit, and the certificate names that limit.

Rounding is accounted for. The sum of z is exactly 0; products with K carry a bound on their rounding
error, and are computed again in extended precision where that bound matters. What is proved holds for K as it is stored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.linalg

from mcmteach.solvers.kernel_columns import Columns, as_columns
from mcmteach.validation import FloatArray, MatrixLike

Costs: TypeAlias = float | FloatArray  #: C: one number, or one per sample

SUPPORT_EPS = 1e-6  # P's epsilon: a coefficient below this fraction of the largest counts as zero
GAP = 1e-6  # a solution with a larger relative gap is not called optimal
LIMIT = 1e3  # without a price: the lower bound holds for coefficients up to this many times those of the solution
EPS = float(np.finfo(float).eps)
NEGLIGIBLE = GAP / 1000  # rounding errors below this fraction of the objective need no extended precision


# --- the objective and the gap ---------------------------------------------------------------------------------------


def capped_hinge(t: FloatArray, C: Costs, cap: bool = True) -> float:
    r"""\(\max(1, \max_i t_i) + \sum_i C_i \max(0, 1 - t_i)\): the MCM's loss of the margins t = y f, without its price.

    C is one number or one per sample; without the cap the first term is left out, as in the LP-SVM.

    Examples
    --------
    >>> capped_hinge(np.array([3.0, 1.0, 0.5]), C=2.0), capped_hinge(np.array([3.0, 1.0, 0.5]), C=2.0, cap=False)
    (4.0, 1.0)
    """
    q = np.maximum(0.0, 1 - t)
    slack = float(C * q.sum() if np.ndim(C) == 0 else C @ q) if q.any() else 0.0
    return slack + (max(1.0, float(t.max())) if cap else 0.0)


def relative_gap(primal: float, dual: float, unit: float = 0.0) -> float:
    """(primal - dual) / primal, or / unit where primal is less than that; 0 where the lower bound reaches the upper one."""
    return (primal - dual) / max(primal, unit) if primal > dual else 0.0


def gap_unit(y: FloatArray, C: Costs, cap: bool) -> float:
    """What a gap is relative to where the objective is smaller: 1 (with a cap it never is), or what lambda = 0 costs."""
    costs = np.broadcast_to(C, y.shape)
    return 1.0 if cap else min(1.0, 2 * float(min(costs[y > 0].sum(), costs[y < 0].sum())))


@dataclass(frozen=True)
class Certificate:
    """A two-sided proof: the optimum of the linear programme lies between ``dual`` and ``primal``.

    Both bounds include what rounding can do. With a price they hold for all machines. At sparsity 0 the lower bound holds
    for the machines with sum_j r_j |lambda_j| <= ``limit``, where r_j is half the range of column j of K (at most 1/2 for an
    RBF kernel, so that ||lambda||_1 <= 2 ``limit`` is enough), and for any b, because the sum of z is exactly 0.
    """

    primal: float  #: an upper bound on the optimum: the objective of the solution, rounding included
    dual: float  #: a lower bound on the optimum, from the dual vector ``z``
    gap: float  #: (primal - dual) / primal; without a cap relative to min(1, cost of lambda = 0) where primal is less
    violation: float  #: the most by which the solution violates a constraint
    z: FloatArray = field(repr=False, compare=False)  #: the dual vector: check it against the data yourself
    limit: float = np.inf  #: the lower bound holds for coefficients up to this size; inf: for all

    def proves_optimal(self, tol: float = GAP) -> bool:
        """Whether gap and violation are both at most ``tol``, among the machines within ``limit``.

        Without a price the limit is at least a hundred times the size of the solution's own coefficients.
        """
        return self.gap <= tol and self.violation <= tol


class MCMSolution(NamedTuple):
    """A solved MCM: f = K @ coef + b."""

    coef: FloatArray  #: lambda (or w), one per column of K
    b: float
    h: float  #: the largest y_i f_i + q_i: h_MCM of the plane where no sample needs slack
    q: FloatArray  #: slack, one per sample
    objective: float  #: h + C sum(q) + sparsity ||coef||_1
    certificate: Certificate
    n_iter: int = 0  #: steps of the interior point method and pivots of the simplex method, on all samples


# --- from a solver's answer to a certified solution --------------------------------------------------------------------


def certified(
    K: MatrixLike,
    y: FloatArray,
    C: Costs,
    sparsity: float,
    coef: FloatArray,
    b: float,
    z: FloatArray,
    size: float | FloatArray = 1.0,
    cap: bool = True,
) -> MCMSolution | None:
    """A solution that obeys the constraints, and its certificate; None where a hard margin is not reached.

    ``size`` is what a coefficient of 1 is worth in each column. Coefficients that are negligible beside the largest one
    (or beside a margin of 1) are set to 0 unless that costs something, and the constant machine replaces a worse one.
    """
    K = as_columns(K)
    weight = np.abs(coef * size)
    dust = weight <= max(SUPPORT_EPS * weight.max(initial=0.0), 1e-9)
    found = _machine(K, y, C, sparsity, coef, b, cap)
    if coef[dust].any():
        clean = _machine(K, y, C, sparsity, np.where(dust, 0.0, coef), b, cap)
        if clean is not None and (found is None or clean.primal <= found.primal * (1 + GAP / 10)):
            found = clean
    if np.isfinite(C).all():
        costs = np.broadcast_to(C, y.shape)
        constant = _machine(K, y, C, sparsity, np.zeros_like(coef), 1.0 if costs @ y >= 0 else -1.0, cap)
        if found is None or (constant is not None and constant.primal < found.primal):
            found = constant
    if found is None:
        return None
    bound = dual_bound(K, y, C, sparsity, z, cap, LIMIT * max(1.0, found.reach))
    gap = relative_gap(found.primal, bound.value, gap_unit(y, C, cap))
    proof = Certificate(found.primal, bound.value, gap, found.violation, bound.z, bound.limit)
    return MCMSolution(found.coef, found.b, found.h, found.q, found.objective, proof)


def better(one: MCMSolution | None, other: MCMSolution | None, unit: float) -> MCMSolution | None:
    """The better machine of two, with the better proof of the two; ``unit`` as in ``gap_unit``."""
    if one is None or other is None:
        return one or other
    low, high = sorted((one, other), key=lambda s: s.certificate.primal)
    within = np.isinf(high.certificate.limit) or np.abs(low.coef).sum() <= 10 * np.abs(high.coef).sum()
    if high.certificate.dual <= low.certificate.dual or not within:
        return low
    p, d = low.certificate, high.certificate
    proof = Certificate(p.primal, d.dual, relative_gap(p.primal, d.dual, unit), p.violation, d.z, d.limit)
    return low._replace(certificate=proof)


class _Machine(NamedTuple):
    """A machine, what it costs, and a bound on what it costs in exact arithmetic."""

    coef: FloatArray
    b: float
    h: float
    q: FloatArray
    objective: float
    primal: float
    violation: float
    reach: float  # sum_j r_j |lambda_j|, r_j half the range of column j


def _machine(K: Columns, y: FloatArray, C: Costs, s: float, coef: FloatArray, b: float, cap: bool) -> _Machine | None:
    """The best h and q for given (coef, b), read off the data: the MCM is a hinge loss with a cap.

    A hard margin scales the plane so that its smallest y f is 1, as Charnes and Cooper do; None if it separates nothing.
    """
    if np.isinf(C).any():
        least = float((y * _values(K, coef, b)[0]).min())
        if not least > 0:
            return None
        coef, b, C = coef / least, b / least, np.inf
    price = s * float(np.abs(coef).sum())
    f, error, reach = _values(K, coef, b)
    t = y * f
    if error * _sensitivity(t - error, C) > NEGLIGIBLE * (price + _loss(t, C, cap)):
        f, error, reach = _values(K, coef, b, np.longdouble)
        t = y * f
    if np.isinf(C).any() and not t.min() > error:
        return None
    primal = (price + _loss(t, C, cap, error)) * (1 + (len(y) + len(coef) + 10) * EPS)
    if np.isinf(C).any():  # the plane that is scaled exactly
        primal /= float(t.min() - error)
    t = t.astype(float)
    q = np.zeros_like(t) if np.isinf(C).any() else np.maximum(0.0, 1 - t)
    objective = price + _loss(t, C, cap)
    violation = max(0.0, float((1 - t - q).max()))
    h = max(1.0, float((t + q).max()))
    return _Machine(coef, float(b), h, q, objective, float(max(primal, objective)), violation, reach)


def _loss(t: FloatArray, C: Costs, cap: bool, error: float = 0.0) -> float:
    """The loss of margins that are known up to an error, at its worst; without slack only the cap is left of it."""
    if np.isinf(C).any():
        return max(1.0, float(t.max() + error)) if cap else 0.0
    return float((max(1.0, t.max() + error) if cap else 0.0) + capped_hinge(t - error, C, cap=False))


def _sensitivity(t: FloatArray, C: Costs) -> float:
    """How much the objective can change per unit of change in all margins; for a hard margin, relative to the smallest."""
    if np.isinf(C).any():
        return float(np.abs(t).max() / max(abs(t.min()), np.finfo(float).tiny)) + 1
    return 1 + float(np.broadcast_to(C, t.shape)[t < 1].sum())


def _values(K: Columns, coef: FloatArray, b: float, dtype: Any = np.float64) -> tuple[Any, float, float]:
    """f = K @ coef + b, a bound on its rounding error, and sum_j r_j |lambda_j|."""
    J = np.flatnonzero(coef)
    unit = float(np.finfo(dtype).eps)
    if not len(J):
        return np.full(K.shape[0], b, dtype=dtype), 0.0, 0.0
    f, low, high = [], [], []
    for block in K.row_blocks(J):
        f.append(block.astype(dtype, copy=False) @ coef[J].astype(dtype))
        low.append(block.min(axis=0))
        high.append(block.max(axis=0))
    least, most = np.min(low, axis=0), np.max(high, axis=0)
    size = float(np.maximum(np.abs(least), np.abs(most)) @ np.abs(coef[J])) + abs(b)
    return np.concatenate(f) + dtype(b), (len(J) + 4) * unit * size, float((most - least) @ np.abs(coef[J])) / 2


# --- the lower bound ---------------------------------------------------------------------------------------------------


class DualBound(NamedTuple):
    """A lower bound on the optimum, the vector that proves it, and the size of coefficients up to which it holds."""

    value: float
    z: FloatArray
    limit: float


def dual_bound(
    K: MatrixLike, y: FloatArray, C: Costs, sparsity: float, z: FloatArray, cap: bool = True, limit: float = LIMIT
) -> DualBound:
    """The lower bound that a solver's dual vector gives once it is repaired, and the repaired vector.

    The solver's z obeys the constraints up to its tolerances only. It is moved until it obeys those on z itself exactly,
    and then scaled by what ||K'z|| allows. Without a price there is no such scale: the bound is for coefficients up to
    ``limit`` (see :class:`Certificate`). z = 0 always remains as the last resort.
    """
    K = as_columns(K)
    floor = 1.0 if cap else 0.0
    nothing = DualBound(floor, np.zeros_like(y), np.inf)
    z = np.nan_to_num(z, posinf=0.0, neginf=0.0)
    if sparsity == 0 and z.any():
        z = _onto_null_space(K, z)
    z = _obeying(y, C, z, cap)
    gain = math.fsum(y * z)
    if not gain > 0:
        return nothing
    if sparsity == 0:
        value = float(gain - limit * _largest_product(K, z, 0.0, relative=True))
        return DualBound(_below(floor, value), z, limit) if value > 0 else nothing
    reach = _largest_product(K, z, sparsity)
    if reach > sparsity * (1 + 1e-9):
        z = _obeying(y, C, z * (sparsity / reach), cap)
        gain, reach = math.fsum(y * z), _largest_product(K, z, sparsity)
    value = float(gain / max(1.0, reach / sparsity))
    return DualBound(_below(floor, value), z, np.inf) if value > 0 else nothing


def _below(floor: float, value: float) -> float:
    """floor + value, rounded down, but not below the floor."""
    return max(floor, (floor + value) * (1 - 4 * EPS))


def _obeying(y: FloatArray, C: Costs, z: FloatArray, cap: bool) -> FloatArray:
    """A vector near z with d = y z <= C, sum max(0, -d) <= 1 (0 without a cap) and sum z = 0, all of them exactly."""
    on = z != 0  # only these are moved: a lazy K then need not evaluate the rows of the others
    z = z - on * (z.sum() / max(1, np.count_nonzero(on)))
    d = np.minimum(y * z, C) if cap else np.clip(y * z, 0.0, C)
    below = math.fsum(np.maximum(0.0, -d))
    return _balanced(y * d * ((1 - 4 * EPS) / below if below > 1 - 2 * EPS else 1.0))


def _balanced(z: FloatArray) -> FloatArray:
    """A vector whose sum is exactly 0: an entry with the sign of the sum moves towards 0 by the amount of the sum.

    The smallest entry that can take it is likely to do so without rounding, because its last digit is worth the least.
    """
    rest = math.fsum(z)
    able = np.flatnonzero(z * np.sign(rest) > 2 * abs(rest))
    for k in able[np.argsort(np.abs(z[able]))][:5]:
        moved = z.copy()
        moved[k] = 0.0
        moved[k] = -math.fsum(moved)
        if math.fsum(moved) == 0:
            return moved
    return z if rest == 0 else _on_grid(z)


def _on_grid(z: FloatArray) -> FloatArray:
    """The same at the cost of some digits: all entries become multiples of a power of two so large that sums are exact."""
    plus, minus = float(np.maximum(0.0, z).sum()), float(np.maximum(0.0, -z).sum())
    if min(plus, minus) < 1e-290:
        return np.zeros_like(z)
    z = z * np.where(z > 0, min(1.0, minus / plus), min(1.0, plus / minus))
    grid = 2.0 ** (np.ceil(np.log2(plus + minus)) - 51)
    z = np.trunc(z / grid) * grid
    rest = z.sum()
    k = np.argmax(z * np.sign(rest))
    z[k] -= rest
    return z if z[k] * rest >= 0 else np.zeros_like(z)


def _largest_product(K: Columns, z: FloatArray, enough: float, relative: bool = False) -> float:
    r"""An upper bound on \(\max_j |K_j^Tz|\), rounding included, or on \(\max_j |K_j^Tz| / r_j\); ``enough`` at the least.

    Columns whose product may exceed ``enough`` are computed in extended precision. As z sums to exactly 0, a constant may
    be taken off a column: rounding then is relative to its range and not to its size.
    """
    J, below = np.arange(K.shape[1]), enough
    if not relative:
        Kz, size = K.products(z)
        Kz, error = np.abs(Kz), (np.count_nonzero(z) + 4) * EPS * float(np.abs(z).sum()) * size
        J = np.flatnonzero(~(Kz + error <= enough))
    rows, unit, total = np.flatnonzero(z), float(np.finfo(np.longdouble).eps), float(np.abs(z).sum())
    weights = z[rows].astype(np.longdouble)
    for columns, block in K.column_blocks(rows, J):
        low, high = block.min(axis=0), block.max(axis=0)
        centre, half = (low + high) / 2, (high - low) / 2
        product = np.abs(weights @ (block.astype(np.longdouble) - centre)).astype(float) * (1 + 2 * EPS)
        product += (len(rows) + 4) * unit * total * half * 2.02  # half is rounded too
        if relative:  # the whole column's range: rows with z = 0 count in t too
            low, high = K.ranges(columns)
            product, half = product[high > low], ((high - low) / 2)[high > low]
            product = product / half
        below = max(below, float(product.max(initial=0.0)))
    return below


def _onto_null_space(K: Columns, z: FloatArray) -> FloatArray:
    """z projected onto the vectors orthogonal to the columns of K and to 1, as far as floating point tells which they are.

    Nothing is claimed about the directions of small singular values: the bound is computed from K'z afterwards.
    """
    A = K.block(np.arange(K.shape[0]), np.arange(K.shape[1]))
    A = A - (A.max(axis=0) + A.min(axis=0)) / 2
    A = np.column_stack([A / np.maximum(np.abs(A).max(axis=0), np.finfo(float).tiny), np.ones(len(z))])
    U, s, _ = scipy.linalg.svd(A, full_matrices=False)
    U = U[:, s >= 1e-13 * s[0]]
    for _ in range(2):  # a second time, for what rounding left of the first
        z = z - U @ (U.T @ z)
    return z
