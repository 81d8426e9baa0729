r"""The MCM solved fast and exactly: columns of K and samples enter the linear programme only where they matter.

The dual of the MCM (see ``certificate.py``) has two bounded variables per sample, \(d_i^+ \in [0, C_i]\) and
\(d_i^- \in [0, 1]\), and one row per column of K:

\[\max\; 1 + \sum_i (d_i^+ - d_i^-) \quad\text{s.t.}\quad |K_j^T z| \le s,\quad z = y(d^+ - d^-),\quad \sum_i z_i = 0,\quad
  \sum_i d_i^- \le 1.\]

A sparse machine needs few of these rows, and there are two ways to find them: from inside (``column_exchange.py``), where K is
small (up to 1024 samples; it is then kept) or many columns are needed, and by the simplex method (``simplex.py``), where K is
large and few are needed. The gap of a tenth tells which: by then one sees how many columns are used. A large problem starts
with the columns that a quarter of its samples needs, those with what a quarter of them needs, and so on.

Either way it ends when *no* sample and *no* column of the full problem objects. Wide solutions (hundreds of columns: a small
price, a large gamma) remain the slow case: each step of the interior point method costs n²M operations for n columns.
"""

from __future__ import annotations

import time
from copy import copy
from typing import NamedTuple

import numpy as np
import scipy.linalg

from mcmteach.certificate import GAP, Costs, MCMSolution, better, certified, gap_unit
from mcmteach.solvers.column_exchange import ColumnExchange, ExchangeResult, approach
from mcmteach.solvers.interior_point import Iterate, Scratch
from mcmteach.solvers.kernel_columns import Columns, Indices, as_columns
from mcmteach.solvers.problem import Problem, SolverPoint
from mcmteach.solvers.settings import DEFAULT, Settings
from mcmteach.solvers.simplex import Simplex
from mcmteach.solvers.threads import one_blas_thread
from mcmteach.solvers.working_set import WorkingSet, spread, unlike
from mcmteach.validation import FloatArray, MatrixLike


class FastSolver:
    """Solves one MCM after another on the same K and y; each starts where the last one ended."""

    def __init__(self, K: MatrixLike, y: FloatArray, settings: Settings = DEFAULT):
        self.K, self.y, self.settings = as_columns(K), y, settings
        self._scratch = Scratch()
        self._last: ExchangeResult | None = None

    def solve(self, C: Costs, sparsity: float, time_limit: float, cap: bool = True) -> MCMSolution | None:
        """The certified solution; None if nothing was found. C is one number or one per sample.

        A hard margin is a soft one whose C is large enough: it grows until no sample needs slack. Without a price there
        is nothing to leave out, and a kernel matrix of full rank interpolates (objective 1, its lower bound); where it
        does not, this gives None, and linprog has to solve the whole programme.
        """
        deadline, before = time.perf_counter() + time_limit, self._scratch.steps
        with one_blas_thread():
            found = self._interpolated(C, cap) if sparsity == 0 else self._priced(C, sparsity, deadline, cap)
        return None if found is None else found._replace(n_iter=self._scratch.steps - before)

    def _priced(self, C: Costs, sparsity: float, deadline: float, cap: bool) -> MCMSolution | None:
        best: MCMSolution | None = None
        hard = bool(np.isinf(C).any())
        for cost in 10.0 ** np.arange(1, 9) if hard else [C]:
            problem = Problem(self.y, np.broadcast_to(cost, self.y.shape).astype(float), sparsity, cap, deadline)
            point = self._optimum(problem)
            coef = np.zeros(self.K.shape[1])
            coef[point.J] = point.coef
            found = certified(self.K, self.y, C, sparsity, coef, point.b, self.y * point.d, cap=cap)
            best = better(best, found, gap_unit(self.y, C, cap))
            if problem.left() <= 0 or (best is not None and best.certificate.gap <= GAP):
                break
        return best

    def _optimum(self, problem: Problem) -> SolverPoint:
        """The solution for finite C and sparsity > 0; the best so far where the deadline ends it."""
        self._last = self._resume(problem) or self._restart(problem) or self._afresh(problem)
        return self._last.point

    def _resume(self, problem: Problem) -> ExchangeResult | None:
        """Go on with other prices from the last vertex. None where there is none, or where another way is faster."""
        last, settings = self._last, self.settings
        if last is None or last.work is None or last.wide:
            return None
        if last.inside is not None and np.count_nonzero(last.point.coef) > settings.sparse:
            return None
        simplex = last.simplex
        if simplex is None and last.guess is not None:
            simplex = Simplex(last.work, problem, last.point, last.guess)
        point = None if simplex is None else simplex.resume(problem, 2 * settings.sparse)
        if simplex is None or point is None:
            return None
        return last._replace(point=point, simplex=simplex, work=simplex.work, guess=None)

    def _restart(self, problem: Problem) -> ExchangeResult | None:
        """Go on with other prices from a point inside that the last ones passed. None if there is none, or it led nowhere."""
        last = self._last
        if last is None or last.inside is None or last.work is None:
            return None
        J, it, now = last.inside.J, copy(last.inside.iterate), last.work.J
        kept = np.isin(J, now)
        it.keep(kept)
        work = self._working_set(np.concatenate([J[kept], now[~np.isin(now, J)]]))
        it.enter(work.A, problem.C, work.price(problem), self.settings.step_back)
        found = ColumnExchange(work, problem, exact=True).solve(it)
        reach = float(work.ratios(problem, found.point.d).max())
        return found if found.point.gap(problem, reach) <= GAP / 10 else None

    def _afresh(self, problem: Problem) -> ExchangeResult:
        """Start with the columns that the last solution needed, if there is one, and with no other memory of it."""
        J, wide = (self._last.point.needed(), self._last.wide) if self._last else (np.empty(0, dtype=int), False)
        if not len(J):
            J, wide = _first_columns(self.K, problem, self.settings)
        return _solved(self._working_set(J), problem, wide, exact=True)

    def _working_set(self, J: Indices) -> WorkingSet:
        return WorkingSet(self.K, self.y, self.settings, J, self._scratch)

    def _interpolated(self, C: Costs, cap: bool) -> MCMSolution | None:
        """f = y at every sample, if K allows it: that has h = 1 and no slack, whatever C is."""
        A = np.column_stack([self.K.block(*map(np.arange, self.K.shape)), np.ones(len(self.y))])
        x = scipy.linalg.lstsq(A, self.y, check_finite=False)[0]
        found = certified(self.K, self.y, C, 0.0, x[:-1], float(x[-1]), np.zeros_like(self.y), cap=cap)
        return found if found is not None and found.certificate.gap <= GAP else None


def _solved(work: WorkingSet, problem: Problem, wide: bool, exact: bool) -> ExchangeResult:
    """By column exchange if K is small or many columns are needed; else by the simplex method, from a rough start."""
    settings, exchange = work.settings, ColumnExchange(work, problem, exact)
    it: Iterate | None = None
    if not work.small() and not wide:
        it, point = approach(work, problem, settings.opening)
        wide = it.partition().n_used() > settings.sparse
        if not exact and not wide and len(work.J) == work.K.shape[1]:
            return ExchangeResult(point, work)  # a start from all columns is good enough as it is
        if not wide:
            it, point = approach(work, problem, settings.start, it)
            simplex = Simplex(work, problem, point, it.partition())
            found = simplex.solve(exact, 2 * settings.sparse)
            if found is not None:
                return ExchangeResult(found, work, simplex=simplex)
        it = None if exchange.watching or not wide else it
    result = exchange.solve(it)
    return result._replace(wide=wide or len(result.point.needed()) > settings.sparse)


# --- from few samples to many ----------------------------------------------------------------------------------------


class _Level(NamedTuple):
    """A part of the samples, and to which columns of the next larger part its own belong."""

    K: Columns
    problem: Problem
    columns: Indices


def _first_columns(K: Columns, problem: Problem, settings: Settings) -> tuple[Indices, bool]:
    """The columns to begin with, and whether many will be needed: those that a part of the samples needs, level by level."""
    levels = _levels(K, problem, settings)
    smallest = levels[-1].K if levels else K
    J, wide = _spread_out(smallest, settings), False
    for level in reversed(levels):
        work = WorkingSet(level.K, level.problem.y, settings, J)
        found = _solved(work, level.problem, wide, exact=False)
        J, wide = level.columns[found.point.needed()], found.wide
    return (J if len(J) else _spread_out(K, settings)), wide


def _levels(K: Columns, problem: Problem, settings: Settings) -> list[_Level]:
    """Smaller and smaller parts of the samples, until there are few columns or few samples, or the matrix is small."""
    levels: list[_Level] = []
    while K.shape[1] > settings.first and not K.cheap(settings.block) and K.shape[0] >= 2 * settings.smallest:
        step = min(settings.shrink, K.shape[0] // settings.smallest)
        y = problem.y
        rows = np.sort(np.concatenate([np.flatnonzero(y > 0)[::step], np.flatnonzero(y < 0)[::step]]))
        # a kernel's columns are the samples: there the part has its own columns only
        columns = rows if K.shape[0] == K.shape[1] else np.arange(K.shape[1])
        K, problem = K.part(rows, columns), problem.part(rows)
        levels.append(_Level(K, problem, columns))
    return levels


def _spread_out(K: Columns, settings: Settings) -> Indices:
    """Some columns, without those that are too similar."""
    return unlike(K, spread(K.shape[1], settings.first), settings.first, settings)
