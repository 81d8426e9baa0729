r"""A primal-dual interior point method for the MCM with few columns and many samples.

In the form of a hinge loss with a cap, with \(t_i = y_i(\sum_j \lambda_j K_{ij} + b)\) and \(g = h - 1\), every constraint is
a product that must vanish at the optimum:

    u = t + q - 1 >= 0     beta            N(32)            v = 1 + g - t >= 0     alpha            N(31)
    q >= 0                 C - beta        N(33)            g >= 0                 1 - sum(alpha)
    lambda⁺, lambda⁻ >= 0  price -+ A'd                     b free                 y'd = 0

with A = diag(y) K and d = beta - alpha = y z. Newton's method on these products, all equal to a shrinking mu, needs one
symmetric matrix per step, with a row per column of A and two more: n²M operations for n columns, in one call of BLAS;
where A is sparse, the square of the entries of a row for each sample, and n³/3 for Cholesky's factor.
Steps are Mehrotra's (predict, then correct). Columns may enter and leave between steps. The method gives points near the
optimum; ``crossover.py`` goes from there to a vertex. C is one number per sample. Without the cap v, alpha and g have no
part in the programme: they keep the values v = 1, alpha = 0, g = 1.

Why not HiGHS's? Its interior point method is made for sparse matrices, and this one is dense: it needed more than ten times
as long (``make bench`` prints how many), and its first-order method (PDLP) had not converged after eighty times as long.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

from mcmteach.certificate import capped_hinge, relative_gap
from mcmteach.solvers.problem import Mask, Partition
from mcmteach.solvers.settings import DEFAULT, Settings
from mcmteach.validation import FloatArray, MatrixLike

SHIFT = 1e-10  # added to the diagonal where rounding made the matrix indefinite
SHORTEST = 1e-8  # with a shorter step than this there is no more progress: rounding dominates
ACCURATE = 1e-12  # residual of Newton's equations that needs no refinement
INSIDE = 1e-3  # columns that enter at a smaller gap than this find d as far inside as at this gap
TINY = 1e-30  # in the place of 0 in a denominator

BLOCKED = 0.9  # a dual step that columns outside shorten to less than this part is the last one: they have to enter

#: (iterate, direction of its dual vector, longest step) -> the step that columns outside allow
Outside: TypeAlias = "Callable[[Iterate, FloatArray, float], float]"


class Iterate:
    """A point strictly inside: ``x`` = (u, v, q, lambda⁺, lambda⁻, g), its multipliers ``s`` in the same order, and b."""

    def __init__(self, y: FloatArray, C: FloatArray, price: FloatArray, cap: bool = True):
        M, n = len(y), len(price)
        beta = C * np.where(y > 0, C @ (y < 0), C @ (y > 0)) / C.sum()  # so that y'beta = 0
        alpha = cap * 0.25 / np.where(y > 0, np.sum(y > 0), np.sum(y < 0))  # so that y'alpha = 0, too
        lam, v, spare = C.mean() / 2 / price, 1.0 + cap, 0.5 if cap else 1.0
        self.cuts, self.cap = _cuts(M, n), cap
        self.x = np.concatenate([np.ones(M), np.full(M, v), np.full(M, 2.0), np.tile(lam, 2), [1.0]])
        self.s = np.concatenate([beta, alpha, C - beta, np.tile(price, 2), [spare]])
        self.b = 0.0
        self.steps = 0
        self.gap = np.inf

    def primal(self) -> list[FloatArray]:
        """u, v, q, lambda⁺, lambda⁻, (g,)."""
        return _split(self.x, self.cuts)

    def multipliers(self) -> list[FloatArray]:
        """beta, alpha, C - beta, the reduced costs of lambda⁺ and lambda⁻, and (1 - sum alpha,)."""
        return _split(self.s, self.cuts)

    def products(self) -> FloatArray:
        """x times s, which must vanish at the optimum; 0 where something is left out."""
        xs = self.x * self.s
        return xs if self.cap else self.inert(xs)

    def inert(self, values: FloatArray) -> FloatArray:
        """0 in the place of v and g, which do not move where there is no cap."""
        if not self.cap:
            values[self.cuts[1] : self.cuts[2]] = values[-1] = 0.0
        return values

    def positive(self, s: FloatArray) -> FloatArray:
        """s, with 1 in the place of an alpha that is left out."""
        return s if self.cap else np.where(s == 0, 1.0, s)

    def mean(self, xs: FloatArray) -> float:
        """The mean of the products that are there."""
        return float(xs.sum()) / (len(xs) if self.cap else len(xs) - 1 - self.cuts[1])

    def coefficients(self) -> FloatArray:
        """lambda."""
        (*_, plus, minus, _) = self.primal()
        return plus - minus

    @property
    def d(self) -> FloatArray:
        """The dual vector, beta - alpha."""
        beta, alpha, *_ = self.multipliers()
        return beta - alpha

    @property
    def g(self) -> float:
        """h - 1; 0 where there is no cap."""
        return float(self.x[-1]) * self.cap

    def keep(self, kept: Mask) -> None:
        """Go on without some of the columns."""
        (u, v, q, plus, minus, g), (beta, alpha, room, low, high, spare) = self.primal(), self.multipliers()
        self.x = np.concatenate([u, v, q, plus[kept], minus[kept], g])
        self.s = np.concatenate([beta, alpha, room, low[kept], high[kept], spare])
        self.cuts = _cuts(len(u), int(np.count_nonzero(kept)))

    def enter(self, A: MatrixLike, C: FloatArray, price: FloatArray, step_back: float = DEFAULT.step_back) -> None:
        """Go on with more columns, the last ones of A, or with other prices.

        d shrinks until it is strictly feasible for all of them; new coefficients are as near to their bounds as the others.
        """
        mu = self.mean(self.products())
        (u, v, q, plus, minus, g), (beta, alpha, room, *_) = self.primal(), self.multipliers()
        beta, new = beta * (C / (beta + room)), len(plus)
        Ad = (beta - alpha) @ A
        step_back = 1 + (step_back - 1) * min(1.0, max(self.gap, INSIDE))
        shrink = 1 / (step_back * max(1.0, float((np.abs(Ad) / price).max(initial=0.0))))
        beta, alpha, Ad = shrink * beta, shrink * alpha, shrink * Ad
        low, high = price - Ad, price + Ad
        plus, minus = np.concatenate([plus, mu / low[new:]]), np.concatenate([minus, mu / high[new:]])
        self.x = np.concatenate([u, v, q, plus, minus, g])
        self.s = np.concatenate([beta, alpha, C - beta, low, high, [1 - alpha.sum()]])
        self.cuts = _cuts(*A.shape)

    def shrink(self, A: MatrixLike, C: FloatArray, price: FloatArray, factor: float) -> None:
        """Divide the dual vector by a factor > 1 that makes it strictly feasible, and go on from there."""
        beta, alpha = (part / factor for part in self.multipliers()[:2])
        Ad, spare = (beta - alpha) @ A, [1 - alpha.sum()]
        self.s = np.concatenate([beta, alpha, C - beta, price - Ad, price + Ad, spare])

    def partition(self) -> Partition:
        """What holds the optimum in place, as far as one can tell: of each product the larger factor stays."""
        u, v, q, plus, minus, _ = self.primal()
        beta, alpha, room, low, high, _ = self.multipliers()
        capped = bool(self.x[-1] > self.s[-1])
        return Partition((beta > u) & (room > q), alpha > v, q > room, plus > low, minus > high, capped)


class Scratch:
    """Matrices that are written anew in every step: asking the system for their memory would cost as much as filling them."""

    def __init__(self) -> None:
        self.memory: dict[str, FloatArray] = {}
        self.steps = 0  # that were taken with them, pivots included

    def matrix(self, name: str, rows: int, columns: int) -> FloatArray:
        """A matrix, column by column, that begins with what was in it before."""
        memory = self.memory.setdefault(name, np.empty(0))
        if len(memory) < rows * columns:
            self.memory[name] = np.empty(rows * columns * 3 // 2)
            self.memory[name][: len(memory)] = memory
        return self.memory[name][: rows * columns].reshape(rows, columns, order="F")


def interior_point(
    it: Iterate,
    A: MatrixLike,
    y: FloatArray,
    C: FloatArray,
    price: FloatArray,
    tol: float,
    scratch: Scratch | None = None,
    settings: Settings = DEFAULT,
    deadline: float = np.inf,
    outside: Outside | None = None,
) -> Iterate:
    """Move ``it`` on until the relative gap, computed from A, is at most ``tol``, or rounding or time stops it. A is M x n.

    Columns ``outside`` of A may shorten the steps of its dual vector; where they do, it stops so that they can enter.
    """
    scratch = scratch or Scratch()
    for _ in range(settings.steps):
        newton = _Newton(it, A, y, C, price, scratch, settings.late)
        it.gap = newton.gap()
        if it.gap <= tol or time.perf_counter() > deadline or not newton.factorise():
            break
        x, s, xs = it.x, it.s, it.products()
        share = newton.predict(-xs) / x  # predict: dx = share x, and ds = -(1 + share) s …
        a_x, a_s = min(1.0, _reach(share)), min(1.0, 1 / max(TINY, 1 + float(share.max())))
        centring = ((xs @ ((1 + a_x * share) * (1 - a_s - a_s * share))) / xs.sum()) ** 3
        dx, ds, db = newton.correct(it.inert(centring * it.mean(xs) - xs + xs * share * (1 + share)))  # … and correct
        a_x, a_s = (min(1.0, settings.stay_inside * _reach(step / of)) for step, of in ((dx, x), (ds, it.positive(s))))
        if not np.isfinite(db) or not min(a_x, a_s) > SHORTEST:
            break
        longest, M = a_s, len(y)
        a_s = a_s if outside is None else outside(it, ds[:M] - ds[M : 2 * M], longest)
        it.x, it.s, it.b = x + a_x * dx, s + a_s * ds, it.b + a_x * db
        it.steps += 1
        scratch.steps += 1
        if a_s < BLOCKED * longest:
            break
    return it


class _Newton:
    """Newton's equations at a point, reduced to (lambda, b, g)."""

    def __init__(
        self,
        it: Iterate,
        A: MatrixLike,
        y: FloatArray,
        C: FloatArray,
        price: FloatArray,
        scratch: Scratch,
        late: float,
    ):
        self.late = late
        self.it, self.A, self.y, self.C, self.price, self.scratch = it, A, y, C, price, scratch
        u, v, q, plus, minus, g = self.x = it.primal()
        beta, alpha, room, low, high, spare = self.s = it.multipliers()
        self.d, self.lam = beta - alpha, plus - minus
        self.t, self.Ad = A @ self.lam + y * it.b, self.d @ A
        # what the point lacks in feasibility
        self.r_x = self.t + q - (1 + u), 1 + g - self.t - v
        self.r_s = C - beta - room, price - self.Ad - low, price + self.Ad - high, 1 - alpha.sum() - spare

    def gap(self) -> float:
        return working_gap(self.t, self.lam, self.d, self.Ad, self.C, self.price, self.it.cap)

    def factorise(self) -> bool:
        """Cholesky's factor of the matrix, scaled so that lambda's part is I + something; False if rounding forbids it."""
        (u, v, q, plus, minus, g), (beta, alpha, room, low, high, spare) = self.x, self.s
        self.stiff = u + beta * q / room
        self.D_beta, self.D_alpha = beta / self.stiff, alpha / v
        self.D, self.root = self.D_beta + self.D_alpha, np.sqrt(plus / low + minus / high)
        self.corner = spare[0] / g[0] + self.D_alpha.sum()
        self.size = np.concatenate([self.root, 1 / np.sqrt([self.D.sum(), self.corner])])
        return self.cholesky(0.0) or self.cholesky(SHIFT)

    def normal(self) -> FloatArray:
        """The lower half of B'B for B = (A, y, -D_alpha / D) sqrt(D), but for its corner; the upper one is 0."""
        M, n = self.A.shape
        H = self.scratch.matrix("H", n + 2, n + 2)
        H[:] = 0.0  # numbers left in the upper half would grow until they overflow
        if sp.issparse(self.A):
            H[:n, :n] = (self.A.T @ (sp.diags_array(self.D) @ self.A)).toarray()
            H[n, :n], H[n + 1, :n] = (self.D * self.y) @ self.A, -self.D_alpha @ self.A
            H[n, n], H[n + 1, n] = self.D.sum(), -self.D_alpha @ self.y
            return H
        root_D, B = np.sqrt(self.D), self.scratch.matrix("B", M, n + 2)
        np.multiply(self.A, root_D[:, None], out=B[:, :n])
        np.multiply(root_D, self.y, out=B[:, n])
        np.divide(-self.D_alpha, root_D, out=B[:, n + 1])
        return dsyrk(1.0, B, beta=0.0, c=H, trans=1, lower=1, overwrite_c=1)

    def cholesky(self, shift: float) -> bool:
        """L with L L' = I + size B'B size (the last two rows without the I), plus a shift; False if there is none."""
        H, k = self.normal(), len(self.size)
        H[-1, -1] = self.corner
        H *= self.size
        H *= self.size[:, None]
        diagonal = H.reshape(-1, order="F")[:: k + 1]
        diagonal[:-2] += 1.0
        diagonal += shift
        self.L, failed = dpotrf(H, lower=1, clean=0, overwrite_a=1)
        return not failed

    def back(self, rhs: FloatArray) -> FloatArray:
        return dpotrs(self.L, rhs * self.size, lower=1)[0] * self.size

    def reduced(self, c: FloatArray) -> tuple[list[FloatArray], FloatArray]:
        """What the products shall change by, once what is lacking is counted in, and the right-hand side for (lambda, b, g)."""
        (_, v, q, plus, minus, g), (beta, alpha, room, low, high, _) = self.x, self.s
        (r_u, r_v), (r_room, r_low, r_high, r_spare) = self.r_x, self.r_s
        c_u, c_v, c_q, c_plus, c_minus, c_g = _split(c, self.it.cuts)
        c_q, c_plus, c_minus = c_q - q * r_room, c_plus - plus * r_low, c_minus - minus * r_high
        to_beta, to_alpha = (c_u - beta * (r_u + c_q / room)) / self.stiff, (c_v - alpha * r_v) / v
        to_lam, to_d = c_plus / low - c_minus / high, to_beta - to_alpha
        rest = self.y @ (to_d + self.d), c_g[0] / g[0] - r_spare[0] + to_alpha.sum()
        rhs = np.concatenate([to_lam / self.root**2 + to_d @ self.A, rest])
        return [to_beta, to_alpha, c_q, c_plus, c_minus, to_lam], rhs

    def refined(self, rhs: FloatArray) -> FloatArray:
        """The solution of the system, and once more for what rounding left of it, if that makes it better."""
        step = self.back(rhs)
        if self.it.gap > self.late:  # rounding troubles the end only
            return step
        left = rhs - self.times(step)
        if np.abs(left * self.size).max() <= ACCURATE * np.abs(rhs * self.size).max():
            return step
        better = step + self.back(left)
        gained = np.abs((rhs - self.times(better)) * self.size).max() < np.abs(left * self.size).max()
        return better if gained else step

    def times(self, step: FloatArray) -> FloatArray:
        """The matrix times a vector, from A itself."""
        n = len(self.price)
        t = self.A @ step[:n] + self.y * step[n]
        at_cap = self.D_alpha * (t - step[n + 1])
        w = self.D_beta * t + at_cap
        spare = self.s[5][0] / self.x[5][0] * step[n + 1]
        return np.concatenate([step[:n] / self.root**2 + w @ self.A, [self.y @ w, spare - at_cap.sum()]])

    def predict(self, c: FloatArray) -> FloatArray:
        """dx alone, without refinement."""
        (_, _, q, plus, minus, _), (_, _, room, low, high, _) = self.x, self.s
        (to_beta, _, c_q, c_plus, c_minus, to_lam), rhs = self.reduced(c)
        step, n = self.back(rhs), len(self.price)
        d_lam, d_g = step[:n], step[n + 1]
        d_t = self.A @ d_lam + self.y * step[n]
        d_q = (c_q + q * (to_beta - self.D_beta * d_t)) / room
        d_Ad = (d_lam - to_lam) / self.root**2
        d_plus, d_minus = (c_plus + plus * d_Ad) / low, (c_minus - minus * d_Ad) / high
        return self.it.inert(
            np.concatenate([d_t + d_q + self.r_x[0], d_g - d_t + self.r_x[1], d_q, d_plus, d_minus, [d_g]])
        )

    def correct(self, c: FloatArray) -> tuple[FloatArray, FloatArray, float]:
        """The direction (dx, ds, db) that makes the products change by c and mends what is lacking."""
        (_, _, q, plus, minus, _), (_, _, room, low, high, _) = self.x, self.s
        (r_u, r_v), (r_room, r_low, r_high, r_spare) = self.r_x, self.r_s
        (to_beta, to_alpha, c_q, c_plus, c_minus, _), rhs = self.reduced(c)
        step, n = self.refined(rhs), len(self.price)
        d_lam, d_b, d_g = step[:n], step[n], step[n + 1]
        d_t = self.A @ d_lam + self.y * d_b
        d_beta, d_alpha = to_beta - self.D_beta * d_t, to_alpha - self.D_alpha * (d_g - d_t)
        d_q = (c_q + q * d_beta) / room
        d_Ad = (d_beta - d_alpha) @ self.A
        # the larger part of lambda takes what the smaller leaves: their difference must be d_lam to the last digit
        d_plus, d_minus = (c_plus + plus * d_Ad) / low, (c_minus - minus * d_Ad) / high
        larger = plus * high > minus * low
        d_plus, d_minus = np.where(larger, d_lam + d_minus, d_plus), np.where(larger, d_minus, d_plus - d_lam)
        dx = self.it.inert(np.concatenate([d_t + d_q + r_u, d_g - d_t + r_v, d_q, d_plus, d_minus, [d_g]]))
        ds = np.concatenate([d_beta, d_alpha, r_room - d_beta, r_low - d_Ad, r_high + d_Ad, r_spare - d_alpha.sum()])
        return dx, ds, float(d_b)


def _cuts(M: int, n: int) -> list[int]:
    return [0, M, 2 * M, 3 * M, 3 * M + n, 3 * M + 2 * n, 3 * M + 2 * n + 1]


def _split(values: FloatArray, cuts: list[int]) -> list[FloatArray]:
    return [values[a:b] for a, b in pairwise(cuts)]  # np.split, without its overhead


def _reach(share: FloatArray) -> float:
    """How far one may go until a value is zero, if each changes by this share of itself."""
    return 1 / max(TINY, -float(share.min()))


def working_gap(
    t: FloatArray, lam: FloatArray, d: FloatArray, Ad: FloatArray, C: FloatArray, price: FloatArray, cap: bool
) -> float:
    """The relative gap between the objective of lambda, with margins t, and the bound that d, shrunk to feasibility, proves."""
    primal = capped_hinge(t, C, cap) + float(price @ np.abs(lam))
    reach = (np.abs(Ad) / price).max(initial=0.0)
    below = -np.minimum(0, d).sum() if cap else 0.0
    shrink = max(1.0, float(reach), float((d / C).max()), float(below))
    return relative_gap(primal, cap + max(0.0, float(d.sum())) / shrink)
