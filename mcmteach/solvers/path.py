"""The MCM's solutions along a path of prices: one fit tells the next which columns of K it may need."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.certificate import GAP, MCMSolution
from mcmteach.errors import CertificateWarning, InvalidInputError, warn
from mcmteach.solvers.solve import Programme
from mcmteach.validation import MatrixLike, not_negative, positive, several


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
    K: MatrixLike,
    y: ArrayLike,
    C: ArrayLike = 1.0,
    sparsity: ArrayLike = 0.1,
    solver: str = "auto",
    time_limit: float = 60.0,
    sample_weight: ArrayLike | None = None,
    cap: bool = True,
) -> MCMPath:
    """Solve the MCM for many values of C, of sparsity, or of both.

    Parameters
    ----------
    K : array, sparse matrix or ``KernelColumns``, with one row per sample; y : labels -1 and +1
    C : one price of slack, or an array of them
    sparsity : one price on ||lambda||_1, or an array; two arrays must have the same length and are taken in pairs
    solver, time_limit, sample_weight, cap : as in ``solve_mcm``, for each point. Only "highs" starts each fit from the last,
        from the largest values to the smallest: that way a path took a quarter less time

    Returns
    -------
    MCMPath, each solution with its certificate. One CertificateWarning says how many could not be proved optimal.

    Examples
    --------
    >>> path = mcm_path([[1.0], [2.0], [-1.0], [-4.0]], [1, 1, -1, -1], sparsity=[0.1, 1.0, 100.0])
    >>> path.n_support.tolist(), bool(path.gap.max() < 1e-6)
    ([1, 1, 0], True)
    """
    Cs, ss = _in_pairs(C, sparsity)
    programme = Programme(K, y, solver, sample_weight, cap)
    solved = {k: programme.solve(float(Cs[k]), float(ss[k]), time_limit) for k in np.lexsort((-ss, -Cs))}
    solutions = [solved[k] for k in range(len(Cs))]
    gap = np.array([s.certificate.gap for s in solutions])
    if (gap > GAP).any():
        message = f"{np.sum(gap > GAP)} of the {len(gap)} solutions are not proved optimal: see the field gap."
        warn(message, CertificateWarning)
    return MCMPath(
        Cs, ss, solutions,
        n_support=np.array([np.count_nonzero(s.coef) for s in solutions]),
        h=np.array([s.h for s in solutions]),
        error=np.array([np.mean(np.where(programme.K @ s.coef + s.b > 0, 1.0, -1.0) != programme.y) for s in solutions]),
        gap=gap,
    )  # fmt: skip


def _in_pairs(C: ArrayLike, sparsity: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """C and sparsity of each point of the path."""
    prices = several(C, "C", partial(positive, finite=False))
    sparsities = several(sparsity, "sparsity", not_negative)
    if len(prices) != len(sparsities) and 1 not in (len(prices), len(sparsities)):
        raise InvalidInputError(
            f"C has {len(prices)} values and sparsity {len(sparsities)}: give equally many, or one of either."
        )
    Cs, ss = np.broadcast_arrays(prices, sparsities)
    return np.array(Cs), np.array(ss)
