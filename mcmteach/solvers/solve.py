"""``solve_mcm``: the MCM by whichever solver suits it, within one time limit, and with a certificate."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcmteach.certificate import GAP, Costs, MCMSolution, better, gap_unit
from mcmteach.errors import CertificateWarning, InvalidInputError, missing, warn
from mcmteach.lp import solve_by_linprog
from mcmteach.solvers.fast import FastSolver
from mcmteach.solvers.kernel_columns import Columns, RowsOfColumns, as_columns
from mcmteach.validation import FloatArray, MatrixLike, as_labels, as_matrix, as_weights, not_negative, positive, switch

WHOLE = 2000  # with so many samples or fewer the whole programme is tried where the fast solver proves nothing
HIGHSPY = (1, 13)  # the first that can change the bounds of many rows at once
AUTO = 50  # with so many samples or fewer, solver="auto" is linprog


def solve_mcm(
    K: MatrixLike,
    y: ArrayLike,
    C: float = 1.0,
    sparsity: float = 0.1,
    solver: str = "auto",
    time_limit: float = 60.0,
    sample_weight: ArrayLike | None = None,
    cap: bool = True,
) -> MCMSolution:
    r"""Solve the MCM and certify the solution.

    Parameters
    ----------
    K : array or sparse matrix of shape (n_samples, n_columns): a Gram matrix, or the data for a linear machine
    y : array of shape (n_samples,), labels -1 and +1
    C : price of slack, > 0; ``inf`` is the hard margin
    sparsity : price on ||lambda||_1. 0 is the paper's programme, which any positive definite kernel solves with
        objective 1 by interpolation, whatever C is; a price makes it well posed and the solution sparse.
    solver : "linprog" (scipy), "highs" (much faster, needs the extra ``fast``), or "auto": "highs" where it is installed,
        there are more than 50 samples and a price. Should the certificate of "highs" fail, linprog is asked too
        (up to 2000 samples, if time is left), and the better answer counts
    time_limit : seconds, about, for all attempts together
    sample_weight : array of shape (n_samples,), >= 0, or None for 1 each: the slack of sample i costs C times its weight.
        A weight of 2 is the sample twice; a sample of weight 0 has no constraint (its column of K stays)
    cap : False leaves h out: the LP-SVM

    Returns
    -------
    MCMSolution, with a certificate computed from the data. A gap above 1e-6 comes with a CertificateWarning; where the solver
    finds nothing at all (as it may without a price, on an ill-conditioned K) a SolverError says so.

    Examples
    --------
    >>> solution = solve_mcm([[1.0], [2.0], [-1.0], [-4.0]], [1, 1, -1, -1], C=float("inf"), sparsity=0)
    >>> round(solution.h, 4), solution.certificate.proves_optimal()
    (4.0, True)

    Source: N(23-25) with C = inf, the unnumbered soft margin, and N(30-33).
    """
    programme = Programme(K, y, solver, sample_weight, cap)
    return _warned(programme.solve(C, sparsity, time_limit), sparsity)


class Programme:
    """K, y, weights and solver: one solution after another, each of which may start from the last."""

    def __init__(
        self, K: MatrixLike, y: ArrayLike, solver: str, sample_weight: ArrayLike | None = None, cap: bool = True
    ):
        self.K = as_columns(K) if isinstance(K, Columns) else as_matrix(K, "K", sparse=True)
        self.y = as_labels(y, self.K.shape[0])
        self.solver, self.cap = solver, switch(cap, "cap")
        self._rows, self._weights = _present(self.y, sample_weight)
        self._some_K = self.K if self._rows is None else _rows_of(self.K, self._rows)
        self._some_y = self.y if self._rows is None else as_labels(self.y[self._rows])
        self._fast: FastSolver | None = None

    def solve(self, C: float, sparsity: float, time_limit: float) -> MCMSolution:
        """The solution for one C and one price, proved optimal or not."""
        C, sparsity = positive(C, "C", finite=False), not_negative(sparsity, "sparsity")
        deadline = time.perf_counter() + positive(time_limit, "time_limit", finite=False)
        costs = C if self._weights is None or np.isinf(C) else C * self._weights
        best: MCMSolution | None = None
        if choose_solver(self.solver, len(self.y), sparsity) == "highs":
            best = self._by_fast_solver(costs, sparsity, deadline)
            if best is not None and (_proved(best) or len(self.y) > WHOLE or time.perf_counter() > deadline):
                return self._for_all_samples(best)
        K = _whole(self._some_K)
        found = solve_by_linprog(K, self._some_y, costs, sparsity, deadline, self.cap, best)
        return self._for_all_samples(found)

    def _by_fast_solver(self, C: Costs, sparsity: float, deadline: float) -> MCMSolution | None:
        """From where the last solution ended; once more from the beginning if that proves nothing."""
        best: MCMSolution | None = None
        for last in (self._fast, None) if self._fast else (None,):
            if best is None or not _proved(best):
                self._fast = last or FastSolver(self._some_K, self._some_y)
                left = deadline - time.perf_counter()  # that a hard margin does not exist, linprog has to prove
                found = self._fast.solve(C, sparsity, left / 2 if np.isinf(C).any() else left, self.cap)
                best = better(best, found, gap_unit(self._some_y, C, self.cap))
        return best

    def _for_all_samples(self, solution: MCMSolution) -> MCMSolution:
        """The solution with zeros for the samples of weight 0."""
        if self._rows is None:
            return solution
        q, z = np.zeros_like(self.y), np.zeros_like(self.y)
        q[self._rows], z[self._rows] = solution.q, solution.certificate.z
        return solution._replace(q=q, certificate=replace(solution.certificate, z=z))


def _proved(solution: MCMSolution) -> bool:
    return solution.certificate.gap <= GAP


def _present(y: FloatArray, sample_weight: ArrayLike | None) -> tuple[NDArray[np.intp] | None, FloatArray | None]:
    """The samples of a weight other than 0 (None: all) and their weights (None: all 1)."""
    if sample_weight is None:
        return None, None
    weights = as_weights(sample_weight, len(y))
    return (np.flatnonzero(weights), weights[weights > 0]) if not weights.all() else (None, weights)


def _rows_of(K: MatrixLike, rows: NDArray[np.intp]) -> MatrixLike:
    return RowsOfColumns(K, rows) if isinstance(K, Columns) else K[rows]


def _whole(K: MatrixLike) -> MatrixLike:
    """K as the matrix that linprog needs."""
    return K.block(*map(np.arange, K.shape)) if isinstance(K, Columns) else K


def choose_solver(solver: str, samples: int, sparsity: float) -> str:
    """What "auto" stands for: the fast solver where it pays and is installed."""
    if solver not in ("auto", "highs", "linprog"):
        raise InvalidInputError(f"There is no solver {solver!r}. Choose 'auto', 'highs' or 'linprog'.")
    if solver == "auto":
        fast = samples > AUTO and not_negative(sparsity, "sparsity") > 0 and highspy_will_do()
        return "highs" if fast else "linprog"
    if solver == "highs" and not highspy_will_do():
        need = "solver='highs' needs highspy {}.{} or newer.".format(*HIGHSPY)
        raise missing(need, "fast", "solver='linprog' does without it.")
    return solver


def highspy_will_do() -> bool:
    """Whether highspy is there and new enough: another package may have brought an older one."""
    return find_spec("highspy") is not None and _highspy_version() >= HIGHSPY


@cache
def _highspy_version() -> tuple[int, ...]:
    return version_numbers(version("highspy"))


def version_numbers(text: str) -> tuple[int, ...]:
    """The first two numbers of a version.

    Examples
    --------
    >>> version_numbers("1.13.0rc1")
    (1, 13)
    """
    return tuple(int(number) for number in re.findall(r"\d+", text)[:2])


def _warned(solution: MCMSolution, sparsity: float) -> MCMSolution:
    """The solution, with a warning if it is not proved optimal."""
    if _proved(solution):
        return solution
    remedy = "Standardise the data or take a larger gamma."
    if sparsity == 0:
        remedy = "Without a price (sparsity=0) an ill-conditioned kernel matrix makes this the rule; try sparsity=0.1."
    warn(
        f"The MCM's solution is not proved optimal: its objective is {solution.objective:.6g} and the proved lower bound "
        f"{solution.certificate.dual:.6g}. {remedy} If the time limit was reached, allow more with time_limit.",
        CertificateWarning,
    )
    return solution
