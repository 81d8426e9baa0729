"""The price on lambda from which on a machine learns nothing."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from mcmteach.certificate import Costs
from mcmteach.solvers.kernel_columns import Columns, as_columns
from mcmteach.validation import FloatArray, MatrixLike, as_labels, as_matrix, as_weights, positive

# The largest share of price_unit that automatic_price takes. It and the rule below it were chosen on some sets and scored on
# others (tools/bench/defaults.py; docs/IN_EARNEST.md has the figures).
RELATIVE_PRICE = 0.03

TOLERANCE = 1e-6  # relative to the smaller class's |K'z|: a price of 0 would otherwise be approached for ever


class ConstantPrice(NamedTuple):
    """A price from which on lambda = 0 is certainly optimal, and whether it is the smallest such price."""

    price: float
    exact: bool


def constant_price(
    K: MatrixLike,
    y: ArrayLike,
    C: float,
    time_limit: float = 60.0,
    sample_weight: ArrayLike | None = None,
    cap: bool = True,
) -> float:
    r"""The price on \(\|\lambda\|_1\) from which on lambda = 0 is optimal: a machine that always answers one class.

    With lambda = 0 the best objective is 1 + 2 C m for m samples in the smaller class. That stays optimal as long as
    some dual vector of this value obeys |K'z| <= price. Such a vector has z = C y on the smaller class, so the
    programme  min t,  |K'z| <= t  runs over the larger class alone. Its rows are added as they are needed. If the time is
    up first (seconds, ``time_limit``), a price comes back that may be higher than needed, but never one that is too low.

    Examples
    --------
    >>> constant_price([[1.0], [2.0], [-1.0], [-4.0]], [1, 1, -1, -1], C=1.0)
    8.0
    """
    K = K if isinstance(K, Columns) else as_matrix(K, "K", sparse=True)
    y = as_labels(y, K.shape[0])
    costs = positive(C, "C") * (1.0 if sample_weight is None else as_weights(sample_weight, len(y)))
    return bounded_constant_price(as_columns(K), y, costs, positive(time_limit, "time_limit", False), cap).price


def price_unit(K: MatrixLike, y: FloatArray, C: float, sample_weight: FloatArray | None = None) -> float:
    r"""A price at which the machine is constant, from one product with K: \(\sum_i c_i \max_j |\bar K^+_j - \bar K^-_j|\).

    The c_i = C w_i are summed over the class where that is less, and the means of column j over each class are weighted by w:
    this is |K'z| of the dual vector that is spread evenly over the larger class. So it is an upper bound on
    :func:`constant_price`, and that itself (but for what the cap adds) where both classes weigh the same. Where they do not
    and overlap, the smallest price may be close to 0, and is no measure for prices.

    A hard margin (C = inf) is never constant; its unit is that of the C with which all slack of the lighter class together
    costs 1, as the cap does. Where the class means coincide in every column that would be 0, and the sum of a column takes
    its place: the machine is constant at any price.

    Examples
    --------
    >>> price_unit(np.array([[1.0], [2.0], [-1.0], [-4.0]]), np.array([1.0, 1, -1, -1]), 1.0)
    8.0
    """
    return _unit(_class_sums(K, y, sample_weight), C)


def automatic_price(K: MatrixLike, y: FloatArray, C: float, sample_weight: FloatArray | None = None) -> float:
    r"""A price for a kernel matrix from the same product: :func:`price_unit` times \(\min(0.03,\, 1 / (2 m \bar k^2))\).

    m is the weight of the lighter class, and \(\bar k\) the mean entry of K over its largest. The price is against columns that
    fit noise. The more samples there are, the less noise is in what they say together; the more alike they are to the
    kernel, the fewer different things its columns can fit. So from some number of samples on the price no longer grows.

    Examples
    --------
    >>> K, y = np.eye(1000) / 2 + 0.5, np.repeat([1.0, -1.0], 500)
    >>> round(automatic_price(K, y, 1.0) / price_unit(K, y, 1.0), 5)
    0.00399
    """
    sums = _class_sums(K, y, sample_weight)
    alike = float(sums.weights @ (sums.plus + sums.minus)) / sum(sums.totals) ** 2 / (sums.largest or 1.0)
    return _unit(sums, C) * min(RELATIVE_PRICE, 1 / max(2 * sums.lighter * alike**2, np.finfo(float).tiny))


class _ClassSums(NamedTuple):
    """What one product with K says: its rows summed over each class with their weights, and its largest entry."""

    plus: FloatArray
    minus: FloatArray
    largest: float
    weights: FloatArray
    totals: tuple[float, float]

    @property
    def lighter(self) -> float:
        """The weight of the class that has less."""
        return min(self.totals)


def _class_sums(K: MatrixLike, y: FloatArray, sample_weight: FloatArray | None) -> _ClassSums:
    weights = np.ones_like(y) if sample_weight is None else sample_weight
    columns = as_columns(K)
    (plus, _), (minus, sizes) = (columns.products(weights * (y == sign)) for sign in (1.0, -1.0))
    return _ClassSums(plus, minus, float(sizes.max()), weights, (float(weights @ (y > 0)), float(weights @ (y < 0))))


def _unit(sums: _ClassSums, C: float) -> float:
    C = 1 / sums.lighter if np.isinf(C) else C
    largest = float(np.abs(sums.plus / sums.totals[0] - sums.minus / sums.totals[1]).max())
    return C * (sums.lighter * largest or float(np.abs(sums.plus + sums.minus).max())) or 1.0


def _spread(y: FloatArray, C: FloatArray) -> FloatArray:
    """The dual vector with z = C y on the smaller class, and the same total in proportion to C on the other."""
    plus, minus = float(C @ (y > 0)), float(C @ (y < 0))
    return C * y * np.where(y > 0, min(1.0, minus / plus), min(1.0, plus / minus))


def bounded_constant_price(K: Columns, y: FloatArray, C: Costs, time_limit: float, cap: bool = True) -> ConstantPrice:
    """The price for C as one number or one per sample, and whether it is exact."""
    deadline = time.perf_counter() + time_limit
    C = np.broadcast_to(C, y.shape).astype(float)
    few = y == (1.0 if C @ (y > 0) <= C @ (y < 0) else -1.0)
    where = np.flatnonzero(~few)
    fixed = np.asarray(K.T @ (C * y * few)).ravel()
    reached = np.asarray(K.T @ _spread(y, C)).ravel()
    price, t = float(np.abs(reached).max()), -1.0
    enough = TOLERANCE * float(np.abs(fixed).max())
    rows: dict[tuple[int, float], FloatArray] = {}
    while price - t > enough and (new := _most_violated(reached, t, rows)):
        for j, sign in new:  # sign * (fixed + K'z) <= t
            rows[j, sign] = sign * K.block(where, np.array([j])).ravel() * y[where]
        found = _smallest(rows, fixed, C[where], float(C[few].sum()), cap, deadline)
        if found is None:
            return ConstantPrice(price, exact=False)
        d, t = found
        z = np.zeros_like(y)
        z[where] = y[where] * d
        reached = fixed + K.T @ z
        price = min(price, float(np.abs(reached).max()))
    return ConstantPrice(price, exact=True)


def _smallest(
    rows: dict[tuple[int, float], FloatArray],
    fixed: FloatArray,
    C: FloatArray,
    total: float,
    cap: bool,
    deadline: float,
) -> tuple[FloatArray, float] | None:
    """d on the larger class with the smallest t for the rows so far; None if linprog does not find it in time.

    Everything is measured in units of ``total``, and the unknowns are d⁺ / C, d⁻ and t.
    """
    k, A = len(C), np.array(list(rows.values()))
    unit = max(np.abs(A).max(), np.finfo(float).tiny)
    offset = np.array([sign * fixed[j] for j, sign in rows])
    A_ub = np.c_[A * (C / total), -A / total, -np.full(len(A), unit)] / unit
    A_ub = np.vstack([A_ub, np.r_[np.zeros(k), np.ones(k), 0.0]])  # sum d⁻ <= 1
    b_ub = np.r_[-offset / total / unit, float(cap)]
    bounds = np.r_[np.tile([0.0, 1.0], (k, 1)), np.tile([0.0, float(cap)], (k, 1)), [[0.0, np.inf]]]
    A_eq = np.r_[C / total, -np.full(k, 1 / total), 0.0][None, :]
    cost = np.r_[np.zeros(2 * k), 1.0]
    for method in ("highs-ds", "highs-ipm"):  # the simplex method cycles on some: it needs far fewer steps than these
        options = {"presolve": False, "time_limit": deadline - time.perf_counter(), "maxiter": 1000 + 10 * (k + len(A))}
        if options["time_limit"] <= 0:
            return None
        result = linprog(cost, A_ub, b_ub, A_eq, [1.0], bounds, method=method, options=options)
        if result.status == 0:
            return np.clip(result.x[:k], 0, 1) * C - result.x[k : 2 * k], float(result.x[-1]) * unit * total
    return None


def _most_violated(reached: FloatArray, t: float, known: Collection[tuple[int, float]]) -> list[tuple[int, float]]:
    """Up to ten columns that go beyond t, each with its sign, without those that are known."""
    worst = [int(j) for j in np.argsort(np.abs(reached))[::-1][:10] if abs(reached[j]) > t * (1 + 1e-9)]
    found = [(j, 1.0 if reached[j] > 0 else -1.0) for j in worst]
    return [row for row in found if row not in known]
