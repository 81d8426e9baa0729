r"""The regression MCM solved fast: the dual inside HiGHS, which takes in a row for a column of K only where that is needed.

The dual (see ``regression.py``) has variables \(\beta \in [0, C]\) and \(\alpha \in [0, 1]\) for each of the 2M samples that M
numbers become, three rows, and one row \(|K_j^T(z^+ + z^-)| \le s\) per column of K. A sparse machine needs few of these. HiGHS
solves the dual for some columns; those that object enter as rows, and the dual simplex method goes on from its last basis until
no column of the full problem objects. The multipliers of the rows are minus the machine's variables.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mcmteach.solvers.kernel_columns import as_columns
from mcmteach.solvers.problem import Problem
from mcmteach.solvers.settings import DEFAULT, Settings
from mcmteach.solvers.threads import one_blas_thread
from mcmteach.solvers.working_set import WorkingSet, spread, unlike
from mcmteach.validation import FloatArray, MatrixLike, dense

OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "presolve": "off",
    "threads": 1,
    "solver": "simplex",
    "primal_feasibility_tolerance": 1e-10,
    "dual_feasibility_tolerance": 1e-10,
}


class RegressionPoint(NamedTuple):
    """A solver's answer: a machine and a dual vector, not yet certified."""

    coef: FloatArray
    b: float
    p: float
    z: FloatArray  #: one entry for each (x, y + epsilon), then one for each (x, y - epsilon)


class RegressionColumns:
    """Solves one regression MCM after another on the same K, y and epsilon; each starts from the last one's vertex."""

    def __init__(self, K: MatrixLike, y: FloatArray, epsilon: float, settings: Settings = DEFAULT):
        import highspy  # ``choose_solver`` has made sure that it is there

        K, M = as_columns(K), len(y)
        first = unlike(K, spread(K.shape[1], settings.first), settings.first, settings)
        self.work = WorkingSet(K, np.ones(M), settings, first)
        self.optimal = highspy.HighsModelStatus.kOptimal
        self.highs: Any = highspy.Highs()
        for name, value in OPTIONS.items():
            self.highs.setOptionValue(name, value)
        # the variables are beta⁺, beta⁻, alpha⁺, alpha⁻; z⁺ = beta⁺ - alpha⁺ and z⁻ = alpha⁻ - beta⁻
        self.sign = np.repeat([1.0, -1.0, -1.0, 1.0], M)
        both = np.concatenate([y + epsilon, y - epsilon])
        cost = np.repeat([-1.0, 0.0], 2 * M)
        no_entries = np.zeros(4 * M, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros(0)
        self.highs.addCols(4 * M, cost, np.zeros(4 * M), np.ones(4 * M), 0, *no_entries)
        three = [
            self.sign,
            np.repeat([0.0, 1.0], 2 * M),
            self.sign * np.tile(both, 2),
        ]  # sum z = 0, sum alpha = 1, Y'z <= 0
        self._add_rows(np.array(three), np.array([0.0, 1.0, -highspy.kHighsInf]), np.array([0.0, 1.0, 0.0]))
        self._add_columns(self.work.A)

    def solve(self, C: FloatArray, sparsity: float, deadline: float) -> RegressionPoint | None:
        """The machine for slack at C (one per number) and a price > 0; None if HiGHS gives up or time or pivots run out."""
        M = len(C)
        problem = Problem(np.ones(M), C, sparsity, True, deadline)
        beta = np.arange(2 * M, dtype=np.int32)
        self.highs.changeColsBounds(2 * M, beta, np.zeros(2 * M), np.tile(C, 2))
        with one_blas_thread():
            while problem.left() > 0:
                d = self._run(problem)
                if d is None:
                    return None
                ratios = self.work.ratios(problem, d[:M] + d[M:], 0.0)
                new = self.work.objecting(ratios, self.work.settings.exact)
                if not len(new):
                    return self._read(d)
                self._add_columns(self.work.take(self.work.entering(new)))
        return None

    def _add_rows(self, rows: FloatArray, lower: FloatArray, upper: FloatArray) -> None:
        sparse = sp.csr_array(rows)
        starts, indices = sparse.indptr[:-1].astype(np.int32), sparse.indices.astype(np.int32)
        self.highs.addRows(len(rows), lower, upper, sparse.nnz, starts, indices, sparse.data)

    def _add_columns(self, A: MatrixLike) -> None:
        """A row for each column of K, whose bounds are set before the next run."""
        self._add_rows(self.sign * np.tile(dense(A).T, 4), np.zeros(A.shape[1]), np.zeros(A.shape[1]))

    def _run(self, problem: Problem) -> FloatArray | None:
        """The dual vector z for the columns in the working set."""
        price = self.work.price(problem)
        rows = np.arange(3, 3 + len(price), dtype=np.int32)
        self.highs.changeRowsBounds(len(price), rows, -price, price)
        self.highs.setOptionValue("simplex_iteration_limit", self.work.settings.pivots * self.work.K.shape[0])
        self.highs.setOptionValue("time_limit", max(0.0, problem.left()) + self.highs.getRunTime())
        self.highs.run()
        if self.highs.getModelStatus() != self.optimal:
            return None
        value = self.sign * np.array(self.highs.getSolution().col_value)
        return value[: len(value) // 2] + value[len(value) // 2 :]

    def _read(self, z: FloatArray) -> RegressionPoint:
        row = -np.array(self.highs.getSolution().row_dual)
        coef = np.zeros(self.work.K.shape[1])
        coef[self.work.J] = row[3:] / self.work.size
        b = float(row[0]) - float(self.work.mean @ coef[self.work.J])
        return RegressionPoint(coef, b, float(max(0.0, row[2])), z)
