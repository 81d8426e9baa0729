"""The MCM's solutions along a path of prices: one fit tells the next which columns of K it may need."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from mcmteach.errors import CertificateWarning, InvalidInputError
from mcmteach.lp import GAP, MCMSolution, choose_solver, solve_mcm
from mcmteach.solvers.kernel_columns import Columns
from mcmteach.validation import as_labels, as_matrix, not_negative, positive, several


class MCMPath(NamedTuple):
    """One entry per point of the path, in the order in which the points were given."""

    C: np.ndarray
    sparsity: np.ndarray
    solutions: list[MCMSolution]
    n_support: np.ndarray  #: number of coefficients other than 0
    h: np.ndarray
    error: np.ndarray  #: share of the training samples on the wrong side
    gap: np.ndarray  #: relative gap of each certificate

    def __repr__(self) -> str:
        return f"MCMPath(points={len(self.C)}, n_support={self.n_support.tolist()}, largest gap={self.gap.max():.2g})"


def mcm_path(
    K: Any, y: Any, C: Any = 1.0, sparsity: Any = 0.1, solver: str = "auto", time_limit: float = 60.0
) -> MCMPath:
    """Solve the MCM for many values of C, of sparsity, or of both.

    Parameters
    ----------
    K : array, sparse matrix or ``KernelColumns``, with one row per sample; y : labels -1 and +1
    C : one price of slack, or an array of them
    sparsity : one price on ||lambda||_1, or an array; two arrays must have the same length and are taken in pairs
    solver, time_limit : as in ``solve_mcm``, for each point. Only "highs" starts each fit from the last one

    Returns
    -------
    MCMPath, each solution with its certificate. One CertificateWarning says how many could not be proved optimal.

    Examples
    --------
    >>> path = mcm_path([[1.0], [2.0], [-1.0], [-4.0]], [1, 1, -1, -1], sparsity=[0.1, 1.0, 100.0])
    >>> path.n_support.tolist(), bool(path.gap.max() < 1e-6)
    ([1, 1, 0], True)
    """
    K = K if isinstance(K, Columns) else as_matrix(K, "K", sparse=True)
    y = as_labels(y, K.shape[0])
    prices = several(C, "C", partial(positive, finite=False))
    sparsities = several(sparsity, "sparsity", not_negative)
    if len(prices) != len(sparsities) and 1 not in (len(prices), len(sparsities)):
        raise InvalidInputError(
            f"C has {len(prices)} values and sparsity {len(sparsities)}: give equally many, or one of either."
        )
    Cs, ss = np.broadcast_arrays(prices, sparsities)
    walk = _Walk(K, y, solver, positive(time_limit, "time_limit", finite=False))
    solutions = [walk.to(c, s) for c, s in zip(Cs.tolist(), ss.tolist(), strict=True)]
    gap = np.array([s.certificate.gap for s in solutions])
    if (gap > GAP).any():
        warnings.warn(
            f"{np.sum(gap > GAP)} of the {len(gap)} solutions are not proved optimal: see the field gap.",
            CertificateWarning,
            stacklevel=2,
        )
    return MCMPath(
        np.array(Cs), np.array(ss), solutions,
        n_support=np.array([np.count_nonzero(s.coef) for s in solutions]),
        h=np.array([s.h for s in solutions]),
        error=np.array([np.mean(np.where(K @ s.coef + s.b > 0, 1.0, -1.0) != y) for s in solutions]),
        gap=gap,
    )  # fmt: skip


class _Walk:
    """One solution after another; with "highs" each starts from the last."""

    def __init__(self, K: Any, y: np.ndarray, solver: str, time_limit: float):
        self.K, self.y, self.solver, self.time_limit = K, y, solver, time_limit
        self.fast: Any = None

    def to(self, C: float, sparsity: float) -> MCMSolution:
        if choose_solver(self.solver, self.K.shape[0], sparsity) == "highs" and sparsity > 0:
            from mcmteach.solvers.fast import FastSolver

            self.fast = self.fast or FastSolver(self.K, self.y)
            solution: MCMSolution | None = self.fast.solve(C, sparsity, self.time_limit)
            if solution is not None and solution.certificate.gap <= GAP:
                return solution
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CertificateWarning)
            return solve_mcm(self.K, self.y, C, sparsity, self.solver, self.time_limit)
