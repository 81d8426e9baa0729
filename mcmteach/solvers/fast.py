r"""The MCM solved fast and exactly: columns of K and samples enter the linear programme only where they matter.

The dual of the MCM (see ``certificate.py``) has two bounded variables per sample, \(d_i^+ \in [0, C]\) and
\(d_i^- \in [0, 1]\), and one row per column of K:

\[\max\; 1 + \sum_i (d_i^+ - d_i^-) \quad\text{s.t.}\quad |K_j^T z| \le s,\quad z = y(d^+ - d^-),\quad \sum_i z_i = 0,\quad
  \sum_i d_i^- \le 1.\]

A sparse machine needs few of these rows, and there are two ways to find them.

*From inside*, where K is small (up to 1024 samples; it is then kept) or many columns are needed: the interior point method of
``interior.py`` begins with some columns. Long before it is near an optimum its z tells which columns are missing
(\(|K_j^T z| > s\)) and which are not needed: those enter and leave as it goes. Near the end it sees the optimal vertex, and
``vertex.py`` computes that from a system of linear equations. Where the vertex cannot be told (columns that depend on each
other, an optimum that is not unique) HiGHS's dual simplex method goes the rest of the way.

*By the simplex method*, where K is large and few columns are needed. Then few variables are needed too: of a sample with
\(y f < 1\) one knows \(d^+ = C\), of one between margin and cap that both are 0. HiGHS solves it for some columns and for the
samples near margin and cap; then samples that turned out to be on the wrong side become variables, columns with
\(|K_j^T z| > s\) become rows, and it goes on from where it was. The start comes from a quarter of the samples, theirs from a
quarter of those, and so on.

Either way it ends when *no* sample and *no* column of the full problem objects. Wide solutions (hundreds of columns: a small
price, a large gamma) remain the slow case: each step of the interior point method costs n²M operations for n columns.
"""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.linalg

from mcmteach.certificate import infeasible
from mcmteach.lp import GAP, MCMSolution, certified
from mcmteach.solvers.crossover import PROOF, vertex
from mcmteach.solvers.interior_point import Iterate, Scratch, coefficients, interior_point
from mcmteach.solvers.kernel_columns import BLOCK, Columns, MatrixColumns, as_columns

FEW = 120  # so many columns or fewer all enter at once
FIRST = 50  # of more, so many are the first ones
SMALL = 200  # a part of the samples that gives a start has about so many, or more
WIDE = 120  # with more columns than this the interior point method is faster than the simplex method
POLISH = 500  # up to so many support vectors the simplex method may take its solution to a vertex
FAR = 0.8  # a column with |K_j'z| < 0.8 s will hardly be needed
ALIKE = 0.99  # columns with a larger cosine do not enter in the same round
EXACT, ROUGH = 1e-9, 1e-3  # tolerance on t = y f, for the answer and for a start
START = 3e-3  # relative gap at which one sees which samples and columns matter
SPARSE = 20  # up to so many columns the simplex method is good at the end and along a path, as long as it needs
PIVOTS = 400  # no more pivots than these from one point of a path to the next
MANY = 300  # with so many samples or fewer a solution from inside is not worth a change of method
CENTRAL = 0.01  # relative gap at which a point is still far enough inside to start from it again
OPENING = 0.1  # relative gap at which one sees which columns are missing
TARGET = 1e-8  # relative gap that the interior point method goes for where there is no vertex to be seen


class FastSolver:
    """Solves one MCM after another on the same K and y; each starts where the last one ended."""

    def __init__(self, K: Any, y: np.ndarray):
        import highspy  # ``choose_solver`` has seen to it that it is there

        self.highspy = highspy
        self.K, self.y = as_columns(K), y
        self.level = _Level(self.highspy, self.K, y)

    def solve(self, C: float, sparsity: float, time_limit: float) -> MCMSolution | None:
        """The certified solution; None if nothing was found.

        A hard margin is a soft one whose C is large enough: it grows until no sample needs slack. Without a price there
        is nothing to leave out, and a kernel matrix of full rank interpolates (objective 1, its lower bound); where it
        does not, this gives None, and linprog has to solve the whole programme.
        """
        if sparsity == 0:
            return self.interpolate(C)
        if np.isfinite(C):
            return certified(self.K, self.y, C, sparsity, *self.optimum(C, sparsity, time_limit))
        for finite in 10.0 ** np.arange(1, 9):
            solution = certified(self.K, self.y, C, sparsity, *self.optimum(finite, sparsity, time_limit))
            if solution is not None and solution.certificate.gap <= GAP:
                return solution
        raise infeasible(self.whole(), self.y)

    def optimum(self, C: float, sparsity: float, time_limit: float) -> tuple[np.ndarray, float, np.ndarray]:
        """(coef, b, z) for finite C and sparsity > 0; the best so far where the time limit ends it."""
        deadline = time.perf_counter() + time_limit
        with _one_thread():
            last, wide = self.level.needed(), self.level.wide
            self.level.set(C, sparsity, deadline)
            if not self.level.resume() and not self.level.restart():
                self.level.forget()
                J, wide = (last, wide) if len(last) else self.level.start()
                self.level.solve(J, wide, exact=True)
        coef = np.zeros(self.K.shape[1])
        lam = self.level.lam  # shorter than J where time ran out after columns had been added
        coef[self.level.J[: len(lam)]] = lam / self.level.size[: len(lam)]
        return coef, self.level.b, self.y * self.level.d

    def interpolate(self, C: float) -> MCMSolution | None:
        """f = y at every sample, if K allows it: that has h = 1 and no slack, whatever C is."""
        A = np.column_stack([self.whole(), np.ones(len(self.y))])
        x = scipy.linalg.lstsq(A, self.y, check_finite=False)[0]
        found = certified(self.K, self.y, C, 0.0, x[:-1], float(x[-1]), np.zeros_like(self.y))
        return found if found is not None and found.certificate.gap <= GAP else None

    def whole(self) -> np.ndarray:
        return self.K.block(*map(np.arange, self.K.shape))


class _Level:
    """The MCM of some rows of K (samples) and some of its columns."""

    def __init__(self, highspy: Any, K: Columns, y: np.ndarray):
        self.highspy, self.K, self.y = highspy, K, y
        self.C = self.sparsity = self.deadline = np.inf
        self.scratch = Scratch()
        self.inside = False  # whether a path goes on from a point inside and no longer from a vertex
        self.forget()

    def forget(self) -> None:
        """Start with no columns."""
        M, p = self.K.shape
        self.J = np.empty(0, dtype=int)
        self.A, self.price, self.size = np.empty((M, 0)), np.empty(0), np.empty(0)
        self.lam, self.b, self.g, self.d = np.empty(0), 0.0, 0.0, np.zeros(M)
        self.z_known, self.Kz, self.ratio = np.zeros(M), np.zeros(p), np.zeros(p)
        self.wide = False
        self.lp: _Sifted | None = None
        self.central: tuple[np.ndarray, Iterate] | None = None
        self.last: Iterate | None = None

    def set(self, C: float, sparsity: float, deadline: float) -> _Level:
        self.C, self.sparsity, self.deadline = C, sparsity, deadline
        self.price = sparsity / self.size
        return self

    # --- from few samples to many ------------------------------------------------------------------------------------

    def start(self) -> tuple[np.ndarray, bool]:
        """The columns to begin with, and whether many will be needed.

        All of them if they are few, some if the matrix is small; else those that a quarter of the samples needs.
        """
        M, p = self.K.shape
        if p <= FEW or self.small():
            return self.unlike(_spread(p, p if p <= FEW else FIRST), FEW), False
        step = min(4, -(-M // SMALL))
        part = np.sort(np.concatenate([np.flatnonzero(self.y > 0)[::step], np.flatnonzero(self.y < 0)[::step]]))
        # a kernel's columns are the samples: there the part has its own columns only
        choice = part if p == M else np.arange(p)
        smaller = _Level(self.highspy, self.K.part(part, choice), self.y[part])
        smaller.set(self.C * M / len(part), self.sparsity, self.deadline).solve(*smaller.start(), exact=False)
        return choice[smaller.needed()], smaller.wide

    def small(self) -> bool:
        """Whether K' z is had so cheaply that the interior point method may ask for it again and again."""
        return isinstance(self.K, MatrixColumns) and self.K.shape[0] * self.K.shape[1] <= BLOCK

    def needed(self) -> np.ndarray:
        """The working columns that are used, or nearly so. (Those that came after lambda was computed are not known to be.)"""
        return self.J[: len(self.lam)][np.abs(self.lam) > 1e-4 * np.abs(self.lam).max(initial=0)]

    def solve(self, J: np.ndarray, wide: bool, exact: bool) -> None:
        """By interior point if K is small or many columns are needed; else by the simplex method, from a rough start."""
        self.take(J)
        it = self.interior_point(OPENING if wide or self.small() else START)
        self.wide = wide or it.count() > min(WIDE, 0.4 * len(self.y))
        if not exact and not self.wide and len(J) == self.K.shape[1]:
            return  # a start from all columns is good enough as it is
        if self.small() or self.wide or not self.simplex(it, exact):
            self.interior(it, exact)

    def interior_point(self, tol: float, it: Iterate | None = None) -> Iterate:
        it = it or Iterate(self.y, self.C, self.price)
        it = interior_point(it, self.A, self.y, self.C, self.price, tol, self.scratch)
        self.lam, self.b, self.d = coefficients(it)
        self.lam, self.g = np.where(it.used(), self.lam, 0.0) if tol > TARGET else self.lam, float(it.x[-1])
        return it

    # --- columns -----------------------------------------------------------------------------------------------------

    def take(self, J: np.ndarray) -> np.ndarray:
        """Put columns into the working set, all of size 1: their prices grow as they shrink. Returns the new part of A."""
        M, n, k = len(self.y), len(self.J), len(J)
        self.A = self.scratch.matrix("A", M, n + k)
        A = self.A[:, n:]
        np.multiply(self.y[:, None], self.K.block(np.arange(M), J), out=A)
        size = np.maximum(A.max(axis=0, initial=0.0), -A.min(axis=0, initial=0.0))
        size[size == 0] = 1.0
        A /= size
        self.J, self.size = np.concatenate([self.J, J]), np.concatenate([self.size, size])
        self.price = self.sparsity / self.size
        return A

    def keep(self, kept: np.ndarray) -> None:
        """Drop the other columns from the working set."""
        A = self.A[:, kept]
        self.A = self.scratch.matrix("A", *A.shape)
        self.A[:] = A
        self.J, self.size, self.price, self.lam = self.J[kept], self.size[kept], self.price[kept], self.lam[kept]

    def violated(self, dust: float, tol: float = EXACT) -> np.ndarray:
        """Columns that object to d, the most violated first. Only what changed since the last time is computed anew."""
        z = np.where(np.abs(self.d) > dust * self.C, self.y * self.d, 0.0)
        change = z - self.z_known
        if 2 * np.count_nonzero(change) < np.count_nonzero(z):
            self.Kz = self.Kz + self.K.T @ change
        else:
            self.Kz = self.K.T @ z
        self.z_known = z
        self.ratio = np.abs(self.Kz) / self.sparsity
        objects = self.ratio > 1 + tol
        objects[self.J] = False
        new = np.flatnonzero(objects)
        return new[np.argsort(-self.ratio[new], kind="stable")]

    def unlike(self, J: np.ndarray, count: int) -> np.ndarray:
        """Up to ``count`` of the columns J that are not too much alike: neighbours do the same work twice."""
        J = J[: 6 * count]
        if len(J) <= 8:
            return J
        B = self.K.block(_spread(len(self.y), 100), J)
        B = B - B.mean(axis=0)  # b is free, so a constant tells no difference
        B = B / np.maximum(np.linalg.norm(B, axis=0), np.finfo(float).tiny)
        cosines, free = np.abs(B.T @ B), np.ones(len(J), dtype=bool)
        chosen: list[int] = []
        for j in range(len(J)):
            if free[j] and len(chosen) < count:
                chosen.append(j)
                free &= cosines[j] < ALIKE
        return J[chosen]

    def margins(self) -> np.ndarray:
        """t = y f; columns that came after lambda was computed (the time was up) have no part in it."""
        return self.A[:, : len(self.lam)] @ self.lam + self.y * self.b

    def full_gap(self) -> float:
        """The relative gap on this level: d is shrunk until no column objects."""
        t = self.margins()
        objective = (
            max(1.0, t.max()) + self.C * np.maximum(0, 1 - t).sum() + self.price[: len(self.lam)] @ np.abs(self.lam)
        )
        return float((objective - 1 - max(0.0, self.d.sum()) / max(1.0, self.ratio.max())) / objective)

    # --- the simplex method ------------------------------------------------------------------------------------------

    def simplex(self, it: Iterate, exact: bool, limit: float = WIDE) -> bool:
        self.lp = _Sifted(self, it)
        return self.generate(exact, limit)

    def generate(self, exact: bool, limit: float = WIDE) -> bool:
        """Add samples and columns until none is missing. False if HiGHS gives up, or needs so many that it would be slow."""
        assert self.lp is not None
        while time.perf_counter() < self.deadline:
            if not self.lp.solve(EXACT if exact else ROUGH):
                return False
            new = self.violated(1e-14)
            if not len(new) or (not exact and self.ratio.max() < 1.05):
                return True
            if np.count_nonzero(self.lam) > limit or len(self.J) > 3 * limit:
                return False
            new = self.unlike(new, max(20, len(self.J) // 2))
            self.lp.add_columns(self.take(new), self.price[-len(new) :])
        return True

    def resume(self) -> bool:
        """Go on with other prices from the last vertex. False where there is none, or where another way is faster."""
        if self.central is not None and np.count_nonzero(self.lam) > SPARSE:
            self.inside = True
        if self.lp is None and self.last is not None and not self.inside:
            self.lp = _Sifted(self, self.last)
        if self.lp is None or self.wide or self.inside:
            return False
        self.lp.set_C()
        self.lp.pivots = 0
        found = self.generate(exact=True)
        self.inside = self.central is not None and self.lp.pivots > PIVOTS
        return found

    # --- the interior point method -----------------------------------------------------------------------------------

    def interior(self, it: Iterate, exact: bool) -> None:
        """Interior point on a working set that changes as it goes; from its last point to the vertex, if that can be seen."""
        self.lp = None
        tol = OPENING
        simplex = exact and len(self.y) > MANY  # for few columns and many samples it gets there sooner
        if len(it.used()) != len(self.J):
            it = self.interior_point(tol)
        while time.perf_counter() < self.deadline:
            new = self.violated(1e-10 if exact else 1e-6, max(0.2 * tol, 2e-7))
            proved = self.full_gap() <= (PROOF if exact else 0.05)  # but a point inside is not sparse
            if proved and not exact:
                return
            if proved:
                new, tol = new[:0], TARGET
            if len(new) and simplex and tol < CENTRAL and it.count() <= SPARSE:
                if self.simplex(it, exact):
                    return
                self.lp, simplex, it = None, False, self.interior_point(OPENING)
                continue
            if len(new):
                self.exchange(it, new)
            elif exact and tol < 1e-2 and self.at_vertex(it):
                return
            elif tol > (TARGET if exact else 0.05):
                if tol >= CENTRAL:
                    self.central = self.J, copy(it)
                tol = max(TARGET, tol / 10)
                self.leave(it)
            else:
                if exact and it.count() <= POLISH:
                    self.polish(it)
                return
            it = self.interior_point(tol, it)

    def restart(self) -> bool:
        """Go on with other prices from a point inside that the last ones passed. False if there is none, or it led nowhere."""
        if self.central is None:
            return False
        (J, it), now = self.central, self.J
        kept = np.isin(J, now)
        it.keep(kept)
        self.forget()
        self.take(np.concatenate([J[kept], now[~np.isin(now, J)]]))
        it.enter(self.A, self.C, self.price)
        self.interior(self.interior_point(OPENING, it), exact=True)
        return self.full_gap() <= GAP / 10

    def exchange(self, it: Iterate, new: np.ndarray) -> None:
        """Columns that object enter, those that are far from being needed leave."""
        new = self.unlike(new, max(20, len(self.J) // 2))
        self.leave(it)
        self.take(new)
        it.enter(self.A, self.C, self.price)

    def leave(self, it: Iterate) -> None:
        """Drop columns that are far from being needed, as long as much is still to come (later this might go on for ever)."""
        kept = it.used() | (self.ratio[self.J] > FAR)
        if it.gap > 1e-4 and np.count_nonzero(kept) < 0.8 * len(kept):
            self.keep(kept)
            it.keep(kept)

    def at_vertex(self, it: Iterate) -> bool:
        """Whether the iterate tells which vertex is the optimum; then that is the solution."""
        found = vertex(it, self.A, self.y, self.C, self.price)
        if found is None:
            return False
        before = self.lam, self.b, self.g, self.d
        self.lam, self.b, self.g, self.d = found
        if not len(self.violated(0.0)):
            self.last = it
            return True
        self.lam, self.b, self.g, self.d = before
        return False

    def polish(self, it: Iterate) -> None:
        """From the interior to a vertex by the simplex method; nothing changes if that does not succeed."""
        J, before = self.J, (self.lam, self.b, self.g, self.d)
        self.keep(it.used())
        if not self.simplex(it, exact=True, limit=np.inf) or self.full_gap() >= 10 * TARGET:
            self.forget()
            self.take(J)
            self.lam, self.b, self.g, self.d = before


class _Sifted:
    """The dual of a level's MCM for its working columns, with variables for some samples, inside HiGHS."""

    def __init__(self, level: _Level, it: Iterate):
        self.level, M = level, len(level.y)
        self.sample, self.sign = np.empty(0, dtype=int), np.empty(0)
        self.has_plus, self.has_minus = np.zeros(M, dtype=bool), np.zeros(M, dtype=bool)
        self.t = level.margins()
        self.fixed = self.t < 1  # d⁺ is no variable, and is C
        self.h = _quiet(level.highspy)
        self.inf = level.highspy.kHighsInf
        self.columns = self.pivots = 0
        no_entries = np.zeros(2, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros(0)
        self.h.addRows(2, np.array([0.0, -self.inf]), np.array([0.0, 1.0]), 0, *no_entries)
        self.add_columns(level.A, level.price)
        count = 2 * it.count() + 20
        on_margin, on_cap = it.held()
        plus = np.union1d(_nearest(self.t, 1.0, count), np.flatnonzero(on_margin))
        minus = np.union1d(_nearest(self.t, 1 + level.g, count // 2), np.flatnonzero(on_cap))
        self.add_samples(plus, minus)
        self.start_from(it, plus, minus)

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

    def set_C(self) -> None:
        """Another C for the level: the variables d⁺ get another bound."""
        k = np.flatnonzero(self.sign > 0)
        bounds = np.zeros(len(k)), np.full(len(k), self.level.C)
        self.h.changeColsBounds(len(k), k.astype(np.int32), *bounds)

    def start_from(self, it: Iterate, plus: np.ndarray, minus: np.ndarray) -> None:
        """Tell HiGHS which variables the interior point holds between their bounds."""
        status = self.level.highspy.HighsBasisStatus
        lower, basic, upper = status.kLower, status.kBasic, status.kUpper
        on_margin, on_cap = it.held()
        beyond = it.beyond()
        up, down = (each[it.used()] if len(each) > self.columns else each for each in it.priced_out())
        basis = self.level.highspy.HighsBasis()
        basis.col_status = [basic if on_margin[i] else upper if beyond[i] else lower for i in plus] + [
            basic if on_cap[i] else lower for i in minus
        ]
        basis.row_status = [lower, upper if it.capped() else basic] + [
            upper if u else lower if d else basic for u, d in zip(up, down, strict=True)
        ]
        basis.valid = True
        self.h.setBasis(basis)

    def solve(self, tol: float) -> bool:
        """Solve, and go on until no sample of the level objects. False if HiGHS has all samples and still finds nothing."""
        level = self.level
        while time.perf_counter() < level.deadline:
            if not self.run():  # too much is fixed for anything to be feasible
                if self.has_plus.all() and self.has_minus.all():
                    return False
                self.admit(~self.has_plus, ~self.has_minus, farthest=False)
                continue
            level.lam, level.b, level.g, level.d = self.read()
            self.t = level.margins()
            off_margin = np.where(self.fixed, self.t > 1 + tol, self.t < 1 - tol) & ~self.has_plus
            off_cap = (self.t > 1 + level.g + tol) & ~self.has_minus
            if not off_margin.any() and not off_cap.any():
                return True
            self.admit(off_margin, off_cap, farthest=True)
        return True

    def admit(self, plus: np.ndarray, minus: np.ndarray, farthest: bool) -> None:
        """Make variables of samples, the farthest from margin and cap first or last, at most half as many as there are."""
        most = max(50, len(self.sample) // 2)
        i, k = np.flatnonzero(plus), np.flatnonzero(minus)
        order = -1.0 if farthest else 1.0
        i = i[np.argsort(order * np.abs(self.t[i] - 1), kind="stable")[:most]]
        k = k[np.argsort(order * np.abs(self.t[k] - 1 - self.level.g), kind="stable")[:most]]
        self.add_samples(i, k)

    def run(self) -> bool:
        level = self.level
        fixed = level.C * level.A[self.fixed, : self.columns].sum(axis=0)
        balance = -level.C * level.y[self.fixed].sum()
        price = level.price[: self.columns]
        lower = np.concatenate([[balance, -self.inf], -price - fixed])
        upper = np.concatenate([[balance, 1.0], price - fixed])
        self.h.changeRowsBounds(len(lower), np.arange(len(lower), dtype=np.int32), lower, upper)
        self.h.setOptionValue("time_limit", max(0.0, level.deadline - time.perf_counter()) + self.h.getRunTime())
        self.h.setOptionValue("simplex_iteration_limit", 1000 + 20 * (len(lower) + len(self.sample)))
        status = level.highspy.HighsModelStatus
        self.h.run()
        self.pivots += self.h.getInfo().simplex_iteration_count
        if self.h.getModelStatus() == status.kIterationLimit:  # from some starts it goes round in circles: start afresh
            self.h.clearSolver()
            self.h.run()
        return bool(self.h.getModelStatus() == status.kOptimal)

    def read(self) -> tuple[np.ndarray, float, float, np.ndarray]:
        """lambda, b, g and d: the multipliers of the rows are minus the MCM's variables."""
        solution = self.h.getSolution()
        row = np.array(solution.row_dual)
        d = np.where(self.fixed, self.level.C, 0.0)
        np.add.at(d, self.sample, self.sign * np.array(solution.col_value))
        return -row[2:], float(-row[0]), float(max(0.0, -row[1])), d


def _one_thread() -> AbstractContextManager[Any]:
    """BLAS with one thread, where threadpoolctl (it comes with scikit-learn) can arrange that.

    The matrices are small: threads that wait for each other on a busy machine made this twenty times slower.
    """
    if find_spec("threadpoolctl") is None or all(lib.num_threads == 1 for lib in _controller().lib_controllers):
        return nullcontext()
    limits: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limits


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


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
