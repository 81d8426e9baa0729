r"""The MCM by HiGHS's dual simplex method, where K is large and few of its columns are needed.

Then few variables of the dual are needed too: of a sample with \(y f < 1\) one knows \(d^+ = C\), of one between margin and
cap that both \(d^+\) and \(d^-\) are 0. HiGHS solves the dual for some columns and for the samples near margin and cap; then
samples that turned out to be on the wrong side become variables, columns with \(|K_j^T z| > s\) become rows, and it goes on
from where it was, until no sample and no column of the full problem objects.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mcmteach.solvers.kernel_columns import Indices
from mcmteach.solvers.problem import Mask, Partition, Problem, SolverPoint
from mcmteach.solvers.working_set import WorkingSet
from mcmteach.validation import FloatArray, MatrixLike, dense

TOLERANCE = 1e-10  # the least that HiGHS accepts
CROWD = 3  # columns in the working set for each that may be used
CYCLING = 40  # pivots per row and variable after which HiGHS is taken to cycle


class Simplex:
    """Column generation around a dual inside HiGHS that keeps its basis from one solution to the next."""

    def __init__(self, work: WorkingSet, problem: Problem, point: SolverPoint, guess: Partition):
        self.work, self.problem, self.point = work, problem, point
        self.dual = _SiftedDual(work, problem, point, guess)

    def solve(self, exact: bool, most: float) -> SolverPoint | None:
        """Add samples and columns until none is missing. None if HiGHS gives up, or needs more than ``most`` columns.

        The best point so far where the time is up.
        """
        work, settings = self.work, self.work.settings
        while self.problem.left() > 0:
            found = self.dual.solve(self.problem, self.point, settings.exact if exact else settings.rough)
            if found is None:
                return None
            self.point = found
            ratios = work.ratios(self.problem, found.d)
            new = work.objecting(ratios, settings.exact)
            if not len(new) or (not exact and ratios.max() < 1 + settings.outline):
                break
            if np.count_nonzero(found.coef) > most or len(work.J) > CROWD * most:
                return None
            new = work.entering(new)
            self.dual.add_columns(work.take(new), work.price(self.problem)[-len(new) :])
        return self.point

    def resume(self, problem: Problem, most: float) -> SolverPoint | None:
        """The same with another C and another price, from the last vertex."""
        self.problem = problem
        self.dual.set_C(problem.C)
        return self.solve(exact=True, most=most)


class _SiftedDual:
    """The dual for the working columns, with variables d⁺ and d⁻ for some samples, inside HiGHS."""

    def __init__(self, work: WorkingSet, problem: Problem, point: SolverPoint, guess: Partition):
        import highspy  # ``choose_solver`` has made sure that it is there

        self.highspy, self.inf = highspy, highspy.kHighsInf
        self.work, self.h = work, _quiet(highspy)
        M = len(problem.y)
        self.sample, self.sign = np.empty(0, dtype=int), np.empty(0)
        self.has_plus, self.has_minus = np.zeros(M, dtype=bool), np.full(M, not problem.cap)
        self.fixed = point.t < 1  # d⁺ is no variable, and is C
        self.columns = 0
        no_entries = np.zeros(2, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros(0)
        self.h.addRows(2, np.array([0.0, -self.inf]), np.array([0.0, 1.0]), 0, *no_entries)  # sum z = 0, sum d⁻ <= 1
        self.add_columns(work.A, work.price(problem))
        count = 2 * guess.n_used() + work.settings.least
        plus = np.union1d(_nearest(point.t, 1.0, count), np.flatnonzero(guess.on_margin))
        minus = np.union1d(_nearest(point.t, 1 + point.g, count // 2), np.flatnonzero(guess.on_cap))
        minus = minus[~self.has_minus[minus]]
        self.add_samples(problem, plus, minus)
        self.start_from(guess, plus, minus)

    def add_columns(self, A: MatrixLike, price: FloatArray) -> None:
        k, n = A.shape[1], len(self.sample)
        values = (self.sign[:, None] * dense(A[self.sample])).T
        self.h.addRows(k, -price, price, k * n, *_dense(values))
        self.columns += k

    def add_samples(self, problem: Problem, plus: Indices, minus: Indices) -> None:
        new, sign = np.concatenate([plus, minus]), np.repeat([1.0, -1.0], [len(plus), len(minus)])
        A = dense(self.work.A[new, : self.columns])
        values = np.column_stack([sign * problem.y[new], sign < 0, sign[:, None] * A])
        upper = np.where(sign > 0, problem.C[new], 1.0)
        self.h.addCols(len(new), -sign, np.zeros(len(new)), upper, values.size, *_dense(values))
        self.sample, self.sign = np.concatenate([self.sample, new]), np.concatenate([self.sign, sign])
        self.has_plus[plus], self.has_minus[minus], self.fixed[plus] = True, True, False

    def set_C(self, C: FloatArray) -> None:
        """Another C: the variables d⁺ get other bounds."""
        k = np.flatnonzero(self.sign > 0)
        self.h.changeColsBounds(len(k), k.astype(np.int32), np.zeros(len(k)), C[self.sample[k]])

    def start_from(self, guess: Partition, plus: Indices, minus: Indices) -> None:
        """Tell HiGHS which variables the interior point holds between their bounds."""
        status = self.highspy.HighsBasisStatus
        lower, basic, upper = status.kLower, status.kBasic, status.kUpper
        basis = self.highspy.HighsBasis()
        basis.col_status = [basic if guess.on_margin[i] else upper if guess.beyond[i] else lower for i in plus] + [
            basic if guess.on_cap[i] else lower for i in minus
        ]
        basis.row_status = [lower, upper if guess.capped else basic] + [
            upper if up else lower if down else basic for up, down in zip(guess.up, guess.down, strict=True)
        ]
        basis.valid = True
        self.h.setBasis(basis)

    def solve(self, problem: Problem, point: SolverPoint, tol: float) -> SolverPoint | None:
        """Solve, and go on until no sample objects. None if HiGHS has all samples and still finds nothing."""
        while problem.left() > 0:
            if not self.run(problem):  # too much is fixed for anything to be feasible
                if self.has_plus.all() and self.has_minus.all():
                    return None
                self.admit(problem, point, ~self.has_plus, ~self.has_minus, farthest=False)
                continue
            point = self.read(problem)
            t = point.t
            off_margin = np.where(self.fixed, t > 1 + tol, t < 1 - tol) & ~self.has_plus
            off_cap = (t > 1 + point.g + tol) & ~self.has_minus
            if not off_margin.any() and not off_cap.any():
                break
            self.admit(problem, point, off_margin, off_cap, farthest=True)
        return point

    def admit(self, problem: Problem, point: SolverPoint, plus: Mask, minus: Mask, farthest: bool) -> None:
        """Make variables of samples, the farthest from margin and cap first or last, a limited number at once."""
        most = max(self.work.settings.first, int(self.work.settings.growth * len(self.sample)))
        i, k = np.flatnonzero(plus), np.flatnonzero(minus)
        order = -1.0 if farthest else 1.0
        i = i[np.argsort(order * np.abs(point.t[i] - 1), kind="stable")[:most]]
        k = k[np.argsort(order * np.abs(point.t[k] - 1 - point.g), kind="stable")[:most]]
        self.add_samples(problem, i, k)

    def run(self, problem: Problem) -> bool:
        A, C = self.work.A[self.fixed, : self.columns], problem.C[self.fixed]
        fixed, balance = C @ A, -float(C @ problem.y[self.fixed])
        price = self.work.price(problem)[: self.columns]
        lower = np.concatenate([[balance, -self.inf], -price - fixed])
        upper = np.concatenate([[balance, 1.0], price - fixed])
        self.h.changeRowsBounds(len(lower), np.arange(len(lower), dtype=np.int32), lower, upper)
        self.h.setOptionValue("time_limit", max(0.0, problem.left()) + self.h.getRunTime())
        self.h.setOptionValue("simplex_iteration_limit", CYCLING * (len(lower) + len(self.sample)))
        status = self.highspy.HighsModelStatus
        self.h.run()
        self.work.scratch.steps += self.h.getInfo().simplex_iteration_count
        if self.h.getModelStatus() == status.kIterationLimit:  # from some starts it cycles: start afresh
            self.h.clearSolver()
            self.h.run()
        return bool(self.h.getModelStatus() == status.kOptimal)

    def read(self, problem: Problem) -> SolverPoint:
        """The multipliers of the rows are minus the MCM's variables."""
        solution = self.h.getSolution()
        row = np.array(solution.row_dual)
        d = np.where(self.fixed, problem.C, 0.0)
        np.add.at(d, self.sample, self.sign * np.array(solution.col_value))
        return self.work.point(-row[2:], float(-row[0]), float(max(0.0, -row[1])), d)


def _quiet(highspy: Any) -> Any:
    h = highspy.Highs()
    options = {"output_flag": False, "presolve": "off", "threads": 1, "solver": "simplex"}
    # A's columns have length 1 already; with HiGHS's own scaling, too, it factorised anew in every step of a dense machine
    options["simplex_scale_strategy"] = 0
    options |= {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}
    for name, value in options.items():
        h.setOptionValue(name, value)
    return h


def _dense(values: FloatArray) -> tuple[Any, Any, FloatArray]:
    """A dense matrix row by row as (starts, indices, values)."""
    k, n = values.shape
    starts = n * np.arange(k, dtype=np.int32)
    return starts, np.tile(np.arange(n, dtype=np.int32), k), np.ascontiguousarray(values, dtype=float).ravel()


def _nearest(t: FloatArray, value: float, count: int) -> Indices:
    """The indices of the ``count`` entries of t that are nearest to a value, in order."""
    distance = np.abs(t - value)
    if count >= len(t):
        return np.arange(len(t))
    return np.sort(np.argpartition(distance, count)[:count])
