r"""The MCM by the interior point method on a working set that changes as it goes.

Long before the method is near an optimum its z tells which columns are missing and which are not needed: those enter and leave
between its steps. Where K'z costs little beside Newton's matrix (K is small, or many columns are there), z obeys the
constraints \(|K_j^T z| \le s\) of the columns outside too, but for a fraction of the gap: a column that shortens a step
enters. If it did so only when its constraint was violated by far, most of what had been reached would be lost each time. With
few columns that loss costs less than all these products.

Near the end the method sees the optimal vertex, and ``crossover.py`` computes that from a system of linear equations. Where the
vertex cannot be told (columns that depend on each other, an optimum that is not unique) the simplex method goes the rest of
the way.
"""

from __future__ import annotations

from copy import copy
from typing import NamedTuple

import numpy as np

from mcmteach.certificate import GAP
from mcmteach.solvers.crossover import vertex
from mcmteach.solvers.interior_point import Iterate, Outside, interior_point
from mcmteach.solvers.kernel_columns import Indices
from mcmteach.solvers.problem import Partition, Problem, SolverPoint
from mcmteach.solvers.simplex import Simplex
from mcmteach.solvers.working_set import WorkingSet
from mcmteach.validation import FloatArray

BACK = 1.05  # the first dual vector is so much shorter than it could be


class Inside(NamedTuple):
    """A point inside and the columns that it was on: where a path may go on with other prices."""

    J: Indices
    iterate: Iterate


class ExchangeResult(NamedTuple):
    """The answer, and from what the next point of a path may start."""

    point: SolverPoint
    work: WorkingSet | None = None  #: the columns it was found on
    wide: bool = False  #: whether it uses many columns
    simplex: Simplex | None = None  #: the method that ended at a vertex, with its basis
    guess: Partition | None = None  #: what holds the vertex, where the equations of ``crossover.py`` gave it
    inside: Inside | None = None


def approach(
    work: WorkingSet, problem: Problem, tol: float, it: Iterate | None = None, outside: Outside | None = None
) -> tuple[Iterate, SolverPoint]:
    """Interior point on the working columns to a gap of ``tol``. On the way coefficients that tend to 0 are left out."""
    price = work.price(problem)
    it = it or Iterate(problem.y, problem.C, price, problem.cap)
    it = interior_point(
        it, work.A, problem.y, problem.C, price, tol, work.scratch, work.settings, problem.deadline, outside
    )
    lam = it.coefficients()
    if tol > work.settings.target:
        lam = np.where(it.partition().used, lam, 0.0)
    return it, work.point(lam, it.b, it.g, it.d)


class ColumnExchange:
    """From a first point inside to the optimum; for a start (not ``exact``) to a rough one."""

    def __init__(self, work: WorkingSet, problem: Problem, exact: bool):
        self.work, self.problem, self.exact, self.settings = work, problem, exact, work.settings
        self.last = self.settings.target if exact else self.settings.outline  # the smallest gap that is aimed at
        self.tol = self.settings.opening
        self.inside: Inside | None = None
        self.left_once = np.zeros(work.K.shape[1], dtype=bool)  # columns that stay if they enter again

    @property
    def watching(self) -> bool:
        """Whether K'z is asked for in each step: K can be kept, and that costs little beside Newton's matrix."""
        (M, columns), n, settings = self.work.K.shape, len(self.work.J), self.settings
        return M * columns <= settings.kept and (self.work.small() or n**2 > settings.watched * columns)

    def run(self, it: Iterate, point: SolverPoint) -> ExchangeResult:
        """Exchange columns and tighten the gap until the optimum is seen, or the time is up."""
        for _ in range(self.settings.rounds):
            if self.problem.left() <= 0:
                break
            ratios = self.work.ratios(self.problem, point.d, 0.0 if self.watching else self.settings.negligible)
            new = self._wanted(it, ratios)
            proved = self.settings.proof if self.exact else self.settings.outline
            if point.gap(self.problem, float(ratios.max())) <= proved:
                new, self.tol = new[:0], self.last  # proved; but a point inside is not sparse: on to a vertex
            if len(new):
                self._exchange(it, new, ratios)
            elif it.gap <= self.tol and (found := self._at_vertex(it)) is not None:
                return found
            elif self.tol <= self.last:
                return self._polished(it, point)
            else:
                self._tighten(it, ratios)
            it, point = self._approach(it)
        return ExchangeResult(point, self.work, inside=self.inside)

    def solve(self, it: Iterate | None = None) -> ExchangeResult:
        """From a point inside; without one, from a dual vector that no column objects to."""
        p, price = self.problem, self.work.price(self.problem)
        if it is None:
            it = Iterate(p.y, p.C, price, p.cap)
            if self.watching:
                it.shrink(self.work.A, p.C, price, BACK * max(1.0, float(self.work.ratios(p, it.d).max())))
        return self.run(*self._approach(it))

    def _approach(self, it: Iterate) -> tuple[Iterate, SolverPoint]:
        return approach(self.work, self.problem, self.tol, it, self._step if self.watching else None)

    def _step(self, it: Iterate, step: FloatArray, longest: float) -> float:
        """How far columns outside let the dual vector go."""
        return self.work.reach(self.problem, it.d, step, longest, self._objection(it.gap))

    def _objection(self, gap: float) -> float:
        """By how much a column outside may violate its constraint."""
        return max(self.settings.objection * min(1.0, gap), self.settings.noise)

    def _wanted(self, it: Iterate, ratios: FloatArray) -> Indices:
        """The columns that object; on the way those, too, that are near to it or would object after a whole step."""
        if not self.watching:
            return self.work.objecting(ratios, self._objection(self.tol))
        if it.gap <= self.tol:
            return self.work.objecting(ratios, self._objection(it.gap) / 2)
        early = it.gap > self.settings.central
        tol = self.settings.near - 1 if early else self._objection(it.gap) / 2
        return self.work.objecting(np.maximum(ratios, self.work.ahead), tol)

    def _exchange(self, it: Iterate, new: Indices, ratios: FloatArray) -> None:
        """Columns whose constraint is violated enter, those that are far from being needed leave."""
        new = self.work.entering(new)
        self._leave(it, ratios)
        self.work.take(new)
        it.enter(self.work.A, self.problem.C, self.work.price(self.problem), self.settings.step_back)

    def _leave(self, it: Iterate, ratios: FloatArray) -> None:
        """Drop columns that are far from being needed, as long as much is still to come (later this might never end)."""
        kept = it.partition().used | (ratios[self.work.J] > self.settings.unneeded) | self.left_once[self.work.J]
        if it.gap > self.settings.late and np.count_nonzero(kept) < (1 - self.settings.leaving) * len(kept):
            self.left_once[self.work.J[~kept]] = True
            self.work.keep(kept)
            it.keep(kept)

    def _tighten(self, it: Iterate, ratios: FloatArray) -> None:
        """Aim at a tenth of the gap; a point that is still central is remembered."""
        if self.tol >= self.settings.central:
            self.inside = Inside(self.work.J, copy(it))
        self.tol = max(self.settings.target, min(self.tol, it.gap) / 10)
        self._leave(it, ratios)

    def _at_vertex(self, it: Iterate) -> ExchangeResult | None:
        """The vertex that the iterate points at, if it is the optimum."""
        if not self.exact or self.tol >= self.settings.central:
            return None
        work, p, guess = self.work, self.problem, it.partition()
        found = vertex(it, guess, work.A, p.y, p.C, work.price(p), p.cap, self.settings)
        if found is None:
            return None
        point = work.point(*found)
        if len(work.objecting(work.ratios(p, point.d), self.settings.exact)):
            return None
        return ExchangeResult(point, work, guess=guess, inside=self.inside)

    def _polished(self, it: Iterate, point: SolverPoint) -> ExchangeResult:
        """From the interior to a vertex by the simplex method; the point itself if that does not succeed."""
        guess = it.partition()
        if self.exact:
            work = self.work.only(guess.used)
            simplex = Simplex(work, self.problem, point, guess.on_columns(guess.used))
            found = simplex.solve(exact=True, most=np.inf)
            if found is not None:
                reach = float(work.ratios(self.problem, found.d).max())
                if found.gap(self.problem, reach) <= GAP / 10:
                    return ExchangeResult(found, work, simplex=simplex, inside=self.inside)
        return ExchangeResult(point, self.work, inside=self.inside)
