"""What the parts of the fast solver hand to each other: a problem, a point, and a guess at what holds the optimum in place."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcmteach.certificate import capped_hinge, relative_gap
from mcmteach.solvers.kernel_columns import Indices
from mcmteach.validation import FloatArray

Mask = NDArray[np.bool_]

NEEDED = (
    1e-4  # a coefficient below this fraction of the largest is left out when another programme starts from this one
)


class Problem(NamedTuple):
    """One MCM with a price: everything but K."""

    y: FloatArray
    C: FloatArray  #: the price of slack, one per sample
    sparsity: float
    cap: bool  #: whether h is part of the objective
    deadline: float  #: in seconds of time.perf_counter

    def left(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - time.perf_counter()

    def part(self, rows: Indices) -> Problem:
        """The MCM of some of the samples, with C scaled up in proportion to the samples left out."""
        return self._replace(y=self.y[rows], C=self.C[rows] * (self.C.sum() / self.C[rows].sum()))


class SolverPoint(NamedTuple):
    """A machine on some columns of K, and a dual vector."""

    J: Indices  #: the columns
    coef: FloatArray  #: their coefficients
    b: float
    g: float  #: h - 1
    d: FloatArray  #: the dual vector, d = y z
    t: FloatArray  #: the margins y f

    def needed(self) -> Indices:
        """The columns that are used, or nearly so."""
        return self.J[np.abs(self.coef) > NEEDED * np.abs(self.coef).max(initial=0)]

    def gap(self, problem: Problem, reach: float) -> float:
        """The relative gap, where d is shrunk by what the largest |K_j'z| / s, ``reach``, does not allow."""
        primal = capped_hinge(self.t, problem.C, problem.cap) + problem.sparsity * float(np.abs(self.coef).sum())
        dual = max(0.0, float(self.d.sum())) / max(1.0, reach)
        return relative_gap(primal, dual + problem.cap)


class Partition(NamedTuple):
    """Which constraints hold the optimum in place, as far as one can tell."""

    on_margin: Mask  #: samples with t = 1 (0 < d < C)
    on_cap: Mask  #: samples with t = h
    beyond: Mask  #: samples with slack (d = C)
    up: Mask  #: columns with a coefficient > 0
    down: Mask  #: columns with a coefficient < 0
    capped: bool  #: whether h > 1

    @property
    def used(self) -> Mask:
        """Which columns have a coefficient other than 0."""
        return self.up | self.down

    def n_used(self) -> int:
        """How many columns have a coefficient other than 0."""
        return int(np.count_nonzero(self.used))

    def on_columns(self, kept: Mask) -> Partition:
        """The same for some of the columns."""
        return self._replace(up=self.up[kept], down=self.down[kept])
