r"""The MCM solved fast and exactly: columns of K and samples enter the linear programme only where they matter.

The dual of the MCM (see ``certificate.py``) has two bounded variables per sample, \(d_i^+ \in [0, C]\) and
\(d_i^- \in [0, 1]\), and one row per column of K:

\[\max\; 1 + \sum_i (d_i^+ - d_i^-) \quad\text{s.t.}\quad |K_j^T z| \le s,\quad z = y(d^+ - d^-),\quad \sum_i z_i = 0,\quad
  \sum_i d_i^- \le 1.\]

A sparse machine needs few of these rows, and few of these variables: of a sample with \(y f < 1\) one knows \(d^+ = C\), of one
between margin and cap that both are 0. So HiGHS's dual simplex solves it for some columns and for the samples near margin and
cap; then samples that turned out to be on the wrong side become variables, columns with \(|K_j^T z| > s\) become rows, and it
goes on from where it was. It ends when *no* sample and *no* column of the full problem objects. The start comes from a
quarter of the samples, theirs from a quarter of those, and so on.

A simplex method is slow where hundreds of columns are needed (a small price, a large gamma). There the interior point method
of ``interior.py`` takes over, on as many columns as it needs. Those wide solutions remain the slow case: each of its steps
costs n²M operations for n columns.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from mcmteach.columns import Columns
from mcmteach.errors import MissingExtraError
from mcmteach.interior import Iterate, coefficients, interior_point

SMALL = 160  # so many samples are solved with all their columns at once, by interior point
WIDE = 120  # with more columns than this the interior point method is faster than the simplex method
POLISH = 250  # up to so many support vectors its solution is taken to a vertex
NEAR = 0.9  # a column with |K_j'z| > 0.9 s may be needed on the next level
ALIKE = 0.97  # columns with a larger cosine do not enter in the same round
EXACT, ROUGH = 1e-9, 1e-3  # tolerance on t = y f, for the answer and for a start
TARGET = 1e-8  # relative gap that the interior point method goes for


class Found(NamedTuple):
    """A solution of the full problem, and where it came from."""

    coef: np.ndarray
    b: float
    z: np.ndarray
    columns: np.ndarray  #: the columns that were looked at: a start for a similar problem


def load_highspy() -> Any:
    """The module highspy, or an error that says how to get it."""
    try:
        import highspy
    except ImportError:
        raise MissingExtraError(
            "solver='highs' needs highspy. Install it with: pip install \"mcmteach[fast]\", or take solver='linprog'."
        ) from None
    return highspy


def solve_fast(
    K: Columns, y: np.ndarray, C: float, sparsity: float, time_limit: float, columns: np.ndarray | None = None
) -> Found:
    """The optimum for finite C and sparsity > 0, if need be from given starting ``columns``; the best so far at the limit."""
    task = _Task(load_highspy(), K, y, sparsity, time.perf_counter() + time_limit)
    M, p = K.shape
    level = _Level(task, np.arange(M), np.arange(p), C)
    guess = level.start() if columns is None or not len(columns) else _Guess(columns, None, 0.0, 0.0, False)
    level.solve(guess, exact=True)
    coef, z = np.zeros(p), y * level.d
    coef[level.J] = level.lam / level.size
    return Found(coef, level.b, z, level.needed())


class _Task(NamedTuple):
    """What is the same on every level."""

    highspy: Any
    K: Columns
    y: np.ndarray
    sparsity: float
    deadline: float


class _Guess(NamedTuple):
    """What a smaller problem says about a larger one."""

    J: np.ndarray  #: columns that it needs
    coef: np.ndarray | None  #: their coefficients
    b: float
    g: float
    wide: bool


class _Level:
    """The MCM of some rows of K (samples), with some of its columns to choose from."""

    def __init__(self, task: _Task, rows: np.ndarray, choice: np.ndarray, C: float):
        self.task, self.rows, self.choice, self.C = task, rows, choice, C
        self.y = task.y[rows]
        self.J = np.empty(0, dtype=int)
        self.A, self.price, self.size = np.empty((len(rows), 0)), np.empty(0), np.empty(0)
        self.lam, self.b, self.g, self.d = np.empty(0), 0.0, 0.0, np.zeros(len(rows))
        self.z_known, self.Kz = np.zeros(task.K.shape[0]), np.zeros(len(choice))
        self.ratio = np.zeros(len(choice))
        self.wide = False

    # --- from few samples to many ------------------------------------------------------------------------------------

    def start(self) -> _Guess:
        """What a quarter of the samples says; nothing where they are few."""
        M = len(self.rows)
        if M <= SMALL:
            return _Guess(self.choice, None, 0.0, 0.0, True)
        part = np.sort(np.concatenate([self.rows[self.y > 0][::4], self.rows[self.y < 0][::4]]))
        # a kernel's columns are the samples: there the part has its own columns only
        choice = part if self.task.K.shape[0] == self.task.K.shape[1] else self.choice
        smaller = _Level(self.task, part, choice, self.C * M / len(part))
        smaller.solve(smaller.start(), exact=False)
        kept = np.isin(smaller.J, smaller.needed())
        coef = (smaller.lam / smaller.size)[kept]
        return _Guess(smaller.J[kept], coef, smaller.b, smaller.g, smaller.wide)

    def needed(self) -> np.ndarray:
        """The working columns that are used, or nearly so."""
        return self.J[np.abs(self.lam) > 1e-4 * np.abs(self.lam).max(initial=0)]

    def solve(self, guess: _Guess, exact: bool) -> None:
        self.take(guess.J)
        self.wide = guess.wide or len(self.J) > WIDE
        if not self.wide:
            self.wide = not self.simplex(guess, exact)
        if self.wide:
            self.interior(exact)

    # --- columns -----------------------------------------------------------------------------------------------------

    def take(self, J: np.ndarray) -> np.ndarray:
        """Put columns into the working set, all of size 1: their prices grow as they shrink. Returns the new part of A."""
        A = self.y[:, None] * self.task.K.block(self.rows, J)
        size = np.abs(A).max(axis=0, initial=0.0)
        size = np.where(size > 0, size, 1.0)
        A /= size
        self.A = np.asfortranarray(np.hstack([self.A, A]))
        self.J, self.size = np.concatenate([self.J, J]), np.concatenate([self.size, size])
        self.price = self.task.sparsity / self.size
        return A

    def keep(self, kept: np.ndarray) -> None:
        self.A, self.J, self.size, self.price = self.A[:, kept], self.J[kept], self.size[kept], self.price[kept]
        self.lam = self.lam[kept]

    def violated(self, dust: float) -> np.ndarray:
        """Columns that object to d, the most violated first. Only what changed since the last time is computed anew."""
        z = np.zeros_like(self.z_known)
        z[self.rows] = np.where(np.abs(self.d) > dust * self.C, self.y * self.d, 0.0)
        change = z - self.z_known
        if 2 * np.count_nonzero(change) < np.count_nonzero(z):
            self.Kz = self.Kz + self.task.K.correlate(change, self.choice)
        else:
            self.Kz = self.task.K.correlate(z, self.choice)
        self.z_known = z
        self.ratio = np.abs(self.Kz) / self.task.sparsity
        new = np.flatnonzero((self.ratio > 1 + EXACT) & ~np.isin(self.choice, self.J))
        return self.choice[new[np.argsort(-self.ratio[new], kind="stable")]]

    def unlike(self, J: np.ndarray, count: int) -> np.ndarray:
        """Up to ``count`` of the columns J that are not too much alike: neighbours do the same work twice."""
        J = J[: 6 * count]
        if len(J) <= 8:
            return J
        B = self.task.K.block(self.rows[_spread(len(self.rows), 100)], J)
        B = B / np.maximum(np.linalg.norm(B, axis=0), np.finfo(float).tiny)
        cosines, free, chosen = np.abs(B.T @ B), np.ones(len(J), dtype=bool), []
        for j in range(len(J)):
            if free[j] and len(chosen) < count:
                chosen.append(j)
                free &= cosines[j] < ALIKE
        return J[chosen]

    def margins(self) -> np.ndarray:
        return self.A @ self.lam + self.y * self.b

    def full_gap(self) -> float:
        """The relative gap on this level: d is shrunk until no column objects."""
        t = self.margins()
        objective = max(1.0, t.max()) + self.C * np.maximum(0, 1 - t).sum() + self.price @ np.abs(self.lam)
        return float((objective - 1 - max(0.0, self.d.sum()) / max(1.0, self.ratio.max())) / objective)

    # --- the two methods ---------------------------------------------------------------------------------------------

    def simplex(self, guess: _Guess | None, exact: bool, iterate: Iterate | None = None) -> bool:
        """Add samples and columns until none is missing. False if so many columns are needed that it would be slow."""
        tol = EXACT if exact else ROUGH
        known = guess is not None and guess.coef is not None
        if known:
            self.lam, self.b, self.g = guess.coef * self.size, guess.b, guess.g
        lp = _Sifted(self, everything=not known and iterate is None, iterate=iterate)
        while time.perf_counter() < self.task.deadline:
            lp.solve(tol)
            new = self.violated(1e-14)
            if not len(new) or self.full_gap() < 1e-12 or (not exact and self.ratio.max() < 1.05):
                return True
            if len(self.J) > WIDE and iterate is None:
                return False
            new = self.unlike(new, max(20, len(self.J) // 2))
            self.lam = np.concatenate([self.lam, np.zeros(len(new))])
            lp.add_columns(self.take(new), self.price[-len(new) :])
            if len(lp.sample) > 4 * (len(self.J) + 100):
                lp = _Sifted(self)
        return True

    def interior(self, exact: bool) -> None:
        """Interior point on a growing working set; then, if the solution is not too wide, the simplex method from there."""
        tol = 1e-3
        it = Iterate(self.y, self.C, self.price)
        while True:
            interior_point(it, self.A, self.y, self.C, self.price, tol)
            self.lam, self.b, self.d = coefficients(it)
            if not exact:
                self.lam = np.where(it.used(), self.lam, 0.0)
            self.g = float(it.x[-1])
            new = self.violated(1e-10 if exact else 1e-6)
            gap = self.full_gap()
            if time.perf_counter() > self.task.deadline or gap <= (2 * TARGET if exact else 0.05):
                break
            if not len(new):
                if tol <= TARGET or not exact:
                    break
                support = np.count_nonzero(it.used())
                if support <= POLISH and self.polish(it):
                    return
                tol = TARGET
                continue
            tol = min(tol, max(TARGET, (self.ratio.max() - 1) / 10)) if exact else tol
            near = self.ratio[np.searchsorted(self.choice, self.J)] > NEAR
            self.keep(near | np.isin(self.J, self.needed()))
            self.take(new[: max(50, len(self.J))])
            it = Iterate(self.y, self.C, self.price)
        self.wide = np.count_nonzero(it.used()) > min(WIDE, 0.4 * len(self.rows))

    def polish(self, it: Iterate) -> bool:
        """From the interior to a vertex; False (and nothing changed) if that does not succeed."""
        before = self.J, self.A, self.size, self.price, self.lam, self.b, self.g, self.d
        if self.simplex(None, exact=True, iterate=it) and self.full_gap() < 10 * TARGET:
            return True
        self.J, self.A, self.size, self.price, self.lam, self.b, self.g, self.d = before
        return False


class _Sifted:
    """The dual of a level's MCM for its working columns, with variables for some samples, inside HiGHS."""

    def __init__(self, level: _Level, everything: bool = False, iterate: Iterate | None = None):
        self.level, M = level, len(level.y)
        self.sample, self.sign = np.empty(0, dtype=int), np.empty(0)
        self.fixed = np.zeros(M, dtype=bool)  # d⁺ is no variable, and is C
        self.has_plus, self.has_minus = np.zeros(M, dtype=bool), np.zeros(M, dtype=bool)
        self.h = _quiet(level.task.highspy)
        self.inf = level.task.highspy.kHighsInf
        self.columns = 0
        no_entries = np.zeros(2, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros(0)
        self.h.addRows(2, np.array([0.0, -self.inf]), np.array([0.0, 1.0]), 0, *no_entries)
        self.add_columns(level.A, level.price)
        if everything:
            self.t = np.ones(M)
            self.add_samples(np.arange(M), np.arange(M))
            return
        self.t = level.margins()
        self.fixed = self.t < 1
        count = 2 * len(level.J) + 20
        plus, minus = _nearest(self.t, 1.0, count), _nearest(self.t, 1 + level.g, count // 2)
        if iterate is not None:
            on_margin, on_cap = iterate.held()
            plus, minus = np.union1d(plus, np.flatnonzero(on_margin)), np.union1d(minus, np.flatnonzero(on_cap))
        self.add_samples(plus, minus)
        if iterate is not None:
            self.start_from(iterate, plus, minus)

    def add_columns(self, A: np.ndarray, price: np.ndarray) -> None:
        k, n = A.shape[1], len(self.sample)
        values = (self.sign[:, None] * A[self.sample]).T
        self.h.addRows(k, -price, price, k * n, *_dense(values))
        self.columns += k

    def add_samples(self, plus: np.ndarray, minus: np.ndarray) -> None:
        level = self.level
        new, sign = np.concatenate([plus, minus]), np.repeat([1.0, -1.0], [len(plus), len(minus)])
        A = level.A[new, : self.columns]
        values = np.column_stack([sign * level.y[new], sign < 0, sign[:, None] * A])
        upper = np.where(sign > 0, level.C, 1.0)
        self.h.addCols(len(new), -sign, np.zeros(len(new)), upper, values.size, *_dense(values))
        self.sample, self.sign = np.concatenate([self.sample, new]), np.concatenate([self.sign, sign])
        self.has_plus[plus], self.has_minus[minus], self.fixed[plus] = True, True, False

    def start_from(self, it: Iterate, plus: np.ndarray, minus: np.ndarray) -> None:
        """Tell HiGHS which variables the interior point holds between their bounds."""
        status = self.level.task.highspy.HighsBasisStatus
        lower, basic, upper = status.kLower, status.kBasic, status.kUpper
        on_margin, on_cap = it.held()
        beyond = it.beyond()
        up, down = it.priced_out()
        basis = self.level.task.highspy.HighsBasis()
        basis.col_status = [basic if on_margin[i] else upper if beyond[i] else lower for i in plus] + [
            basic if on_cap[i] else lower for i in minus
        ]
        basis.row_status = [lower, upper if it.capped() else basic] + [
            upper if u else lower if d else basic for u, d in zip(up, down, strict=True)
        ]
        basis.valid = True
        self.h.setBasis(basis)

    def solve(self, tol: float) -> None:
        """Solve, and go on until no sample of the level objects."""
        level = self.level
        refixed = 0
        while time.perf_counter() < level.task.deadline:
            if not self.run():
                self.admit(*self.outside())
                continue
            level.lam, level.b, level.g, level.d = self.read()
            self.t = level.margins()
            off_margin = np.where(self.fixed, self.t > 1 + tol, self.t < 1 - tol) & ~self.has_plus
            off_cap = (self.t > 1 + level.g + tol) & ~self.has_minus
            if not off_margin.any() and not off_cap.any():
                return
            if np.sum(off_margin) > len(self.sample) and refixed < 3:  # a poor guess: take the better one
                refixed += 1
                self.fixed = (self.t < 1) & ~self.has_plus
                off_margin &= np.isin(np.arange(len(self.t)), _nearest(self.t, 1.0, 2 * len(self.sample)))
            self.admit(off_margin, off_cap)

    def outside(self) -> tuple[np.ndarray, np.ndarray]:
        return ~self.has_plus, ~self.has_minus

    def admit(self, plus: np.ndarray, minus: np.ndarray) -> None:
        """Make variables of the samples that are farthest on the wrong side, at most half as many as there are already."""
        most = max(50, len(self.sample) // 2)
        far_plus, far_minus = np.flatnonzero(plus), np.flatnonzero(minus)
        far_plus = far_plus[np.argsort(-np.abs(self.t[far_plus] - 1), kind="stable")[:most]]
        far_minus = far_minus[np.argsort(-self.t[far_minus], kind="stable")[:most]]
        self.add_samples(far_plus, far_minus)

    def run(self) -> bool:
        level = self.level
        fixed = level.C * level.A[self.fixed, : self.columns].sum(axis=0)
        balance = -level.C * level.y[self.fixed].sum()
        price = level.price[: self.columns]
        lower = np.concatenate([[balance, -self.inf], -price - fixed])
        upper = np.concatenate([[balance, 1.0], price - fixed])
        self.h.changeRowsBounds(len(lower), np.arange(len(lower), dtype=np.int32), lower, upper)
        self.h.setOptionValue("time_limit", max(0.0, level.task.deadline - time.perf_counter()) + self.h.getRunTime())
        self.h.run()
        return bool(self.h.getModelStatus() == level.task.highspy.HighsModelStatus.kOptimal)

    def read(self) -> tuple[np.ndarray, float, float, np.ndarray]:
        """lambda, b, g and d: the multipliers of the rows are minus the MCM's variables."""
        solution = self.h.getSolution()
        row = np.array(solution.row_dual)
        d = np.where(self.fixed, self.level.C, 0.0)
        np.add.at(d, self.sample, self.sign * np.array(solution.col_value))
        return -row[2:], float(-row[0]), float(max(0.0, -row[1])), d


def _quiet(highspy: Any) -> Any:
    h = highspy.Highs()
    options = {"output_flag": False, "presolve": "off", "threads": 1, "solver": "simplex"}
    options |= {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    for name, value in options.items():
        h.setOptionValue(name, value)
    return h


def _dense(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A dense matrix row by row as (starts, indices, values)."""
    k, n = values.shape
    starts = n * np.arange(k, dtype=np.int32)
    return starts, np.tile(np.arange(n, dtype=np.int32), k), np.ascontiguousarray(values, dtype=float).ravel()


def _nearest(t: np.ndarray, value: float, count: int) -> np.ndarray:
    """The indices of the ``count`` entries of t that are nearest to a value, in order."""
    distance = np.abs(t - value)
    if count >= len(t):
        return np.arange(len(t))
    return np.sort(np.argpartition(distance, count)[:count])


def _spread(n: int, k: int) -> np.ndarray:
    return np.linspace(0, n - 1, min(n, k)).astype(int)
