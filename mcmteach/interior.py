r"""A primal-dual interior point method for the MCM with few columns and many samples.

In the form of a hinge loss with a cap, with \(t_i = y_i(\sum_j \lambda_j K_{ij} + b)\) and \(g = h - 1\), every constraint is
a product that must vanish at the optimum:

    u = t + q - 1 >= 0     beta            N(32)            v = 1 + g - t >= 0     alpha            N(31)
    q >= 0                 C - beta        N(33)            g >= 0                 1 - sum(alpha)
    lambda⁺, lambda⁻ >= 0  price -+ A'd                     b free                 y'd = 0

with A = diag(y) K and d = beta - alpha = y z. Newton's method on these products, all equal to a shrinking mu, needs one
symmetric matrix per step, with a row per column of A and two more: n²M operations for n columns, in one call of BLAS.
Steps are Mehrotra's (predict, then correct). The method gives points near the optimum; it never gives a vertex.

Why not HiGHS's? Its interior point method is made for sparse matrices, and this one is dense: it needed more than ten times
as long (``make bench`` prints how many), and its first-order method (PDLP) had not converged after eighty times as long.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

STEPS = 80
STAY_INSIDE = 0.99  # of the way to the nearest bound


class Iterate:
    """A point strictly inside: ``x`` = (u, v, q, lambda⁺, lambda⁻, g), its multipliers ``s`` in the same order, and b."""

    def __init__(self, y: np.ndarray, C: float, price: np.ndarray):
        M, n = len(y), len(price)
        share = np.where(y > 0, np.sum(y < 0), np.sum(y > 0)) / M  # so that y'beta = 0
        beta = C * share
        self.cuts = [0, M, 2 * M, 3 * M, 3 * M + n, 3 * M + 2 * n, 3 * M + 2 * n + 1]
        self.x = np.concatenate([np.ones(M), np.full(M, 2.0), np.full(M, 2.0), np.tile(C / 2 / price, 2), [1.0]])
        self.s = np.concatenate([beta, np.full(M, 0.5 / M), C - beta, np.tile(price, 2), [0.5]])
        self.b = 0.0
        self.steps = 0
        self.gap = np.inf

    def primal(self) -> list[np.ndarray]:
        """u, v, q, lambda⁺, lambda⁻, (g,)."""
        return _split(self.x, self.cuts)

    def multipliers(self) -> list[np.ndarray]:
        """beta, alpha, C - beta, the reduced costs of lambda⁺ and lambda⁻, and (1 - sum alpha,)."""
        return _split(self.s, self.cuts)

    def held(self) -> tuple[np.ndarray, np.ndarray]:
        """Which samples lie on the margin (0 < beta < C) and which at the cap (alpha > 0), as far as one can tell."""
        u, v, q, *_ = self.primal()
        beta, alpha, room, *_ = self.multipliers()
        return (beta > u) & (room > q), alpha > v

    def beyond(self) -> np.ndarray:
        """Which samples have slack (beta = C)."""
        return self.primal()[2] > self.multipliers()[2]

    def priced_out(self) -> tuple[np.ndarray, np.ndarray]:
        """For which columns the price is just paid, with lambda > 0 and with lambda < 0."""
        (*_, plus, minus, _), (*_, low, high, _) = self.primal(), self.multipliers()
        return plus > low, minus > high

    def used(self) -> np.ndarray:
        """Which columns have a coefficient other than 0."""
        up, down = self.priced_out()
        return up | down

    def count(self) -> int:
        return int(np.count_nonzero(self.used()))

    def capped(self) -> bool:
        """Whether h > 1."""
        return bool(self.x[-1] > self.s[-1])


def interior_point(it: Iterate, A: np.ndarray, y: np.ndarray, C: float, price: np.ndarray, tol: float) -> Iterate:
    """Move ``it`` on until the relative gap, computed from A, is at most ``tol``, or rounding stops it. A is M x n."""
    for _ in range(STEPS):
        newton = _Newton(it, A, y, C, price)
        it.gap = newton.gap()
        if it.gap <= tol or not newton.factorise():
            break
        x, s = it.x, it.s
        xs = x * s
        dx, ds, _ = newton.direction(-xs)  # predict …
        a_x, a_s = min(1.0, _reach(x, dx)), min(1.0, _reach(s, ds))
        centring = (((x + a_x * dx) @ (s + a_s * ds)) / xs.sum()) ** 3
        dx, ds, db = newton.direction(centring * xs.mean() - xs - dx * ds)  # … and correct
        a_x, a_s = min(1.0, STAY_INSIDE * _reach(x, dx)), min(1.0, STAY_INSIDE * _reach(s, ds))
        if not min(a_x, a_s) > 1e-8:
            break
        it.x, it.s, it.b = x + a_x * dx, s + a_s * ds, it.b + a_x * db
        it.steps += 1
    return it


class _Newton:
    """Newton's equations at a point, reduced to (lambda, b, g)."""

    def __init__(self, it: Iterate, A: np.ndarray, y: np.ndarray, C: float, price: np.ndarray):
        self.it, self.A, self.y, self.C, self.price = it, A, y, C, price
        u, v, q, plus, minus, g = self.x = it.primal()
        beta, alpha, room, low, high, spare = self.s = it.multipliers()
        self.d, self.lam = beta - alpha, plus - minus
        self.t, self.Ad = A @ self.lam + y * it.b, A.T @ self.d
        # what the point lacks in feasibility
        self.r_x = self.t + q - 1 - u, 1 + g - self.t - v
        self.r_s = C - beta - room, price - self.Ad - low, price + self.Ad - high, 1 - alpha.sum() - spare

    def gap(self) -> float:
        """The relative gap between the objective of (lambda, b) and the bound that d, shrunk to feasibility, proves."""
        t, d, price = self.t, self.d, self.price
        objective = max(1.0, t.max()) + self.C * np.maximum(0, 1 - t).sum() + price @ np.abs(self.lam)
        reach = np.max(np.abs(self.Ad) / price, initial=0.0)
        shrink = max(1.0, reach, d.max() / self.C, np.maximum(0, -d).sum())
        return float((objective - 1 - max(0.0, d.sum()) / shrink) / objective)

    def factorise(self) -> bool:
        """Cholesky's factor of the matrix, scaled so that lambda's part is I + something; False if rounding forbids it."""
        (u, v, q, plus, minus, g), (beta, alpha, room, low, high, spare) = self.x, self.s
        M, n = self.A.shape
        self.stiff = u + beta * q / room
        self.D_beta, self.D_alpha = beta / self.stiff, alpha / v
        root_D, self.root = np.sqrt(self.D_beta + self.D_alpha), np.sqrt(plus / low + minus / high)
        B = np.empty((M, n + 1), order="F")
        np.multiply(self.A, root_D[:, None], out=B[:, :n])
        B[:, :n] *= self.root
        B[:, n] = root_D * self.y
        H = np.empty((n + 2, n + 2), order="F")
        H[: n + 1, : n + 1] = B.T @ B
        H[n + 1, : n + 1] = H[: n + 1, n + 1] = -(B.T @ (self.D_alpha / root_D))
        H[n + 1, n + 1] = spare[0] / g[0] + self.D_alpha.sum()
        diagonal = np.arange(n + 2)
        H[diagonal[:n], diagonal[:n]] += 1.0
        self.size = np.ones(n + 2)
        self.size[n:] = 1 / np.sqrt(H[diagonal[n:], diagonal[n:]])
        H[n:] *= self.size[n:, None]
        H[:, n:] *= self.size[n:]
        for shift in (0.0, 1e-10):
            H[diagonal, diagonal] += shift
            self.L, failed = dpotrf(H, lower=1)
            if not failed:
                return True
        return False

    def back(self, rhs: np.ndarray) -> np.ndarray:
        return dpotrs(self.L, rhs * self.size, lower=1)[0] * self.size

    def refined(self, rhs: np.ndarray) -> np.ndarray:
        """The solution of the system, and once more for what rounding left of it, if that makes it better."""
        step = self.back(rhs)
        if self.it.gap > 1e-4:  # rounding troubles the end only
            return step
        left = rhs - self.times(step)
        if np.abs(left * self.size).max() <= 1e-12 * np.abs(rhs * self.size).max():
            return step
        better = step + self.back(left)
        gained = np.abs((rhs - self.times(better)) * self.size).max() < np.abs(left * self.size).max()
        return better if gained else step

    def times(self, step: np.ndarray) -> np.ndarray:
        """The matrix times a vector, from A itself."""
        n = len(self.price)
        t = self.A @ (self.root * step[:n]) + self.y * step[n]
        at_cap = self.D_alpha * (t - step[n + 1])
        w = self.D_beta * t + at_cap
        spare = self.s[5][0] / self.x[5][0] * step[n + 1]
        return np.concatenate([step[:n] + self.root * (self.A.T @ w), [self.y @ w, spare - at_cap.sum()]])

    def direction(self, c: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """The direction (dx, ds, db) that makes the products change by c and mends what is lacking."""
        (_, v, q, plus, minus, g), (beta, alpha, room, low, high, _) = self.x, self.s
        (r_u, r_v), (r_room, r_low, r_high, r_spare) = self.r_x, self.r_s
        n, A, y = len(self.price), self.A, self.y
        c_u, c_v, c_q, c_plus, c_minus, c_g = _split(c, self.it.cuts)
        c_u, c_v, c_q = c_u - beta * r_u, c_v - alpha * r_v, c_q - q * r_room
        c_plus, c_minus, c_g = c_plus - plus * r_low, c_minus - minus * r_high, c_g - g * r_spare
        to_beta, to_alpha = (c_u - beta * c_q / room) / self.stiff, c_v / v
        to_d = to_beta - to_alpha
        rhs = np.empty(n + 2)
        rhs[:n] = (c_plus / low - c_minus / high) / self.root + self.root * (A.T @ to_d)
        rhs[n] = y @ to_d + y @ self.d
        rhs[n + 1] = c_g[0] / g[0] + to_alpha.sum()
        step = self.refined(rhs)
        d_lam, d_b, d_g = self.root * step[:n], step[n], step[n + 1]
        d_t = A @ d_lam + y * d_b
        d_beta, d_alpha = to_beta - self.D_beta * d_t, to_alpha - self.D_alpha * (d_g - d_t)
        d_q = (c_q + q * d_beta) / room
        d_Ad = A.T @ (d_beta - d_alpha)
        # the larger part of lambda takes what the smaller leaves: their difference must be d_lam to the last digit
        d_plus, d_minus = (c_plus + plus * d_Ad) / low, (c_minus - minus * d_Ad) / high
        larger = plus * high > minus * low
        d_plus, d_minus = np.where(larger, d_lam + d_minus, d_plus), np.where(larger, d_minus, d_plus - d_lam)
        dx = np.concatenate([d_t + d_q + r_u, d_g - d_t + r_v, d_q, d_plus, d_minus, [d_g]])
        ds = np.concatenate([d_beta, d_alpha, r_room - d_beta, r_low - d_Ad, r_high + d_Ad, r_spare - d_alpha.sum()])
        return dx, ds, float(d_b)


def _split(values: np.ndarray, cuts: list[int]) -> list[np.ndarray]:
    return [values[a:b] for a, b in pairwise(cuts)]  # np.split, without its overhead


def _reach(value: np.ndarray, change: np.ndarray) -> float:
    """How far one may go until a value is zero."""
    return 1 / max(1e-30, float(np.max(-change / value)))


def coefficients(it: Iterate) -> tuple[np.ndarray, float, np.ndarray]:
    """(lambda, b, d)."""
    (*_, plus, minus, _), (beta, alpha, *_) = it.primal(), it.multipliers()
    return plus - minus, it.b, beta - alpha
