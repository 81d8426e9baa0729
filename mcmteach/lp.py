r"""The Minimal Complexity Machine as a linear programme, N(14-33), solved by ``scipy.optimize.linprog``.

\[\min_{\lambda, b, h, q}\; h + \sum_i C_i q_i + s \|\lambda\|_1\]
\[h \ge y_i\Big(\sum_j \lambda_j K_{ij} + b\Big) + q_i, \qquad 1 \le y_i\Big(\sum_j \lambda_j K_{ij} + b\Big) + q_i,
  \qquad q_i \ge 0\]

With price s = ``sparsity`` = 0 and one C for all samples this is N(30-33). K may be any matrix with one row per sample: the
Gram matrix for the kernel machine, the data themselves for the linear one (then lambda is w); without slack (C = inf) that
is N(23-25). Without its first constraint and h, the cap, it is the LP-SVM.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from mcmteach.certificate import GAP, Costs, MCMSolution, better, certified, gap_unit
from mcmteach.errors import SolverError
from mcmteach.separability import infeasible, separate, undecided
from mcmteach.validation import FloatArray, MatrixLike, as_labels, as_matrix, as_number, as_vector, dense, positive

INTERIOR = (
    1 << 18
)  # with more entries of K one step of linprog's interior point method takes seconds: no time limit holds


# A price below HiGHS's usual tolerance of 1e-7 counts as none, and the programme as unbounded: then the tight one is needed.
TIGHT = {"presolve": False, "primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
ATTEMPTS: list[tuple[str, dict[str, Any]]] = [("highs-ds", {}), ("highs-ds", TIGHT), ("highs-ipm", {})]


class LP(NamedTuple):
    """min c'x  subject to  A_ub x <= b_ub  and bounds, for x = (lambda, b, h, q)."""

    c: FloatArray
    A_ub: MatrixLike
    b_ub: FloatArray
    bounds: list[tuple[float | None, float | None]]


def charnes_cooper(u: ArrayLike, v: float, l: float, g: float) -> tuple[FloatArray, float, float]:
    r"""From the ratio g/l to the linear programme: with p = 1/l,  w = p u,  b = p v,  h = p g.

    Examples
    --------
    >>> charnes_cooper(u=[2.0, 4.0], v=-2.0, l=2.0, g=6.0)
    (array([1., 2.]), -1.0, 3.0)

    Source: N(15-25).
    """
    l = positive(l, "l")
    with np.errstate(over="ignore"):  # to inf
        return as_vector(u, "u") / l, as_number(v, "v") / l, as_number(g, "g") / l


def charnes_cooper_inverse(w: ArrayLike, b: float, h: float, l: float = 1.0) -> tuple[FloatArray, float, float]:
    """The inverse: (u, v, g) = l (w, b, h), for any scale l > 0.

    Examples
    --------
    >>> charnes_cooper_inverse(w=[1.0, 2.0], b=-1.0, h=3.0, l=2.0)
    (array([2., 4.]), -2.0, 6.0)
    """
    l = positive(l, "l")
    return l * as_vector(w, "w"), l * b, l * h


def build_lp(K: MatrixLike, y: ArrayLike, C: Costs, sparsity: float | FloatArray = 0.0, cap: bool = True) -> LP:
    """The programme in blocks. C and sparsity are one number, or one per sample and one per column.

    A price splits lambda into lambda⁺ - lambda⁻; without slack (C = inf) q has no columns, without a cap h has no use.
    """
    K = as_matrix(K, "K", sparse=True)
    y = as_labels(y, K.shape[0])
    M, p = K.shape
    lam, price = sp.csr_array(sp.diags_array(y) @ K), np.broadcast_to(sparsity, p)
    lam_bounds: list[tuple[float | None, float | None]] = [(None, None)] * p
    if price.any():
        lam, price, lam_bounds = sp.hstack([lam, -lam]), np.tile(price, 2), [(0, None)] * (2 * p)
    hard = bool(np.isinf(C).any())
    y, one, zero = y[:, None], np.ones((M, 1)), np.zeros((M, 1))
    I = sp.eye_array(M, 0 if hard else M)
    blocks = [
        # lambda   b     h      q
        [   lam,   y,  -one,    I ],  # N(31):  y_i f_i + q_i - h <= 0
        [  -lam,  -y,  zero,   -I ],  # N(32): -y_i f_i - q_i     <= -1
    ]  # fmt: skip
    A_ub = sp.block_array(blocks if cap else blocks[1:], format="csc")
    b_ub = np.r_[np.zeros(M if cap else 0), -np.ones(M)]
    c = np.r_[price, 0.0, float(cap), [] if hard else np.broadcast_to(C, M)]  # N(30)
    bounds = [*lam_bounds, (None, None), (None, None)] + ([] if hard else [(0, None)] * M)  # N(33)
    return LP(c, A_ub, b_ub, bounds)


def solve_by_linprog(
    K: MatrixLike,
    y: FloatArray,
    C: Costs,
    sparsity: float,
    deadline: float,
    cap: bool = True,
    best: MCMSolution | None = None,
) -> MCMSolution:
    """The first solution from linprog that is proved optimal; otherwise the best of all attempts and ``best``.

    The simplex method first, then with tighter tolerances, then the interior point method. ``deadline`` is in
    seconds of ``time.perf_counter``.
    """
    about, middle, size = _scaled(K)
    lp = build_lp(about @ sp.diags_array(1 / size), y, C, sparsity / size, cap)
    said = []
    for method, options in ATTEMPTS:
        left = deadline - time.perf_counter()
        if left <= 0 or (method == "highs-ipm" and K.shape[0] * K.shape[1] > INTERIOR):
            break
        result = linprog(**lp._asdict(), method=method, options=options | {"time_limit": left})
        said.append(f"{method}: {result.message}")
        if result.status == 2:  # infeasible: ``_any_plane`` proves it, or finds a plane that linprog missed
            break
        if result.x is None:
            continue
        lam, b, z = _read(result, K.shape[1], y, sparsity)
        coef = lam / size
        found = certified(K, y, C, sparsity, coef, float(b - middle @ coef), z, size, cap)
        found = None if found is None else found._replace(n_iter=int(result.nit))
        best = better(best, found, gap_unit(y, C, cap))
        if best is not None and best.certificate.gap <= GAP:
            return best
    if best is None and np.isinf(C).any():
        best = _any_plane(K, y, sparsity, deadline, cap, "; ".join(said))
    if best is None:
        raise SolverError(_gave_up("; ".join(said)))
    return best


def _any_plane(K: MatrixLike, y: FloatArray, sparsity: float, deadline: float, cap: bool, said: str) -> MCMSolution:
    """Where no solver found a hard margin: any hyperplane that separates, or the proof that there is none."""
    left = deadline - time.perf_counter()
    if left <= 0:
        raise SolverError(_gave_up(said))
    found = separate(K, y, left)
    if found.w is None:
        assert found.weights is not None
        raise infeasible(K, y, found.weights)
    solution = certified(K, y, np.inf, sparsity, found.w, found.b, np.zeros_like(y), cap=cap)
    if solution is None:  # the margin of this plane is smaller than the rounding error of its values
        raise undecided()
    return solution


def _gave_up(said: str) -> str:
    return (
        f"No solution of the MCM was found ({said or 'the time was up'}). If it ran out of time (Time limit reached), allow "
        "more with time_limit. If not: standardise the data, or take a larger gamma or a price sparsity > 0, which condition "
        "it better."
    )


def _scaled(K: MatrixLike) -> tuple[MatrixLike, FloatArray, FloatArray]:
    """K with its columns about their means (but for a sparse one), the means, and the largest value of each column then.

    b makes up for any constant in a column, so the solver may see differences instead of offsets; and lambda_j K_j does
    not change if K_j shrinks to size 1 while lambda_j and its price grow.
    """
    middle = np.zeros(K.shape[1]) if sp.issparse(K) else K.mean(axis=0)
    K = K if sp.issparse(K) else K - middle
    size = dense(abs(K).max(axis=0)).ravel()
    return K, middle, np.where(size > 0, size, 1.0)


def _read(result: Any, p: int, y: FloatArray, sparsity: float) -> tuple[FloatArray, float, FloatArray]:
    """lambda, b and the dual vector z = y (beta - alpha) from linprog's answer to ``build_lp``."""
    lam = result.x[:p] - (result.x[p : 2 * p] if sparsity > 0 else 0.0)
    *alpha, beta = np.split(-result.ineqlin.marginals, len(result.ineqlin.marginals) // len(y))
    return lam, float(result.x[2 * p if sparsity > 0 else p]), y * (beta - sum(alpha))
