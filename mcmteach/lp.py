r"""The Minimal Complexity Machine as a linear programme, N(14-33), solved by ``scipy.optimize.linprog``.

\[\min_{\lambda, b, h, q}\; h + C \sum_i q_i + s \|\lambda\|_1\]
\[h \ge y_i\Big(\sum_j \lambda_j K_{ij} + b\Big) + q_i, \qquad 1 \le y_i\Big(\sum_j \lambda_j K_{ij} + b\Big) + q_i,
  \qquad q_i \ge 0\]

With price s = ``sparsity`` = 0 this is N(30-33). K may be any matrix with one row per sample: the Gram matrix for the
kernel machine, the data themselves for the linear one (then lambda is w); without slack (C = inf) that is N(23-25).
"""

from __future__ import annotations

import re
import warnings
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from mcmteach.certificate import Certificate, dual_bound, infeasible, meeting_hulls
from mcmteach.errors import CertificateWarning, InvalidInputError, MissingExtraError, SolverError
from mcmteach.solvers.kernel_columns import Columns
from mcmteach.validation import as_labels, as_matrix, dense, not_negative, positive

SUPPORT_EPS = 1e-6  # P's epsilon: a coefficient below this share of the largest counts as zero
GAP = 1e-6  # a solution with a larger relative gap is not called optimal
WHOLE = 2000  # with so many samples or fewer the whole programme is tried where the fast solver proves nothing
HIGHSPY = (1, 13)  # the first that can change the bounds of many rows at once
AUTO = 50  # with so many samples or fewer, solver="auto" is linprog


class MCMSolution(NamedTuple):
    """A solved MCM: f = K @ coef + b."""

    coef: np.ndarray  #: lambda (or w), one per column of K
    b: float
    h: float  #: the largest y_i f_i + q_i: h_MCM of the plane where no sample needs slack
    q: np.ndarray  #: slack, one per sample
    objective: float  #: h + C sum(q) + sparsity ||coef||_1
    certificate: Certificate


class LP(NamedTuple):
    """min c'x  subject to  A_ub x <= b_ub  and bounds, for x = (lambda, b, h, q)."""

    c: np.ndarray
    A_ub: Any
    b_ub: np.ndarray
    bounds: list[tuple[float | None, float | None]]


def charnes_cooper(u: Any, v: float, l: float, g: float) -> tuple[np.ndarray, float, float]:
    r"""From the ratio g/l to the linear programme: with p = 1/l,  w = p u,  b = p v,  h = p g.

    Examples
    --------
    >>> charnes_cooper(u=[2.0, 4.0], v=-2.0, l=2.0, g=6.0)
    (array([1., 2.]), -1.0, 3.0)

    Source: N(15-25).
    """
    p = 1 / positive(l, "l")
    return p * np.asarray(u, dtype=float), p * v, p * g


def charnes_cooper_inverse(w: Any, b: float, h: float, l: float = 1.0) -> tuple[np.ndarray, float, float]:
    """The way back: (u, v, g) = l (w, b, h), for any scale l > 0 that one likes.

    Examples
    --------
    >>> charnes_cooper_inverse(w=[1.0, 2.0], b=-1.0, h=3.0, l=2.0)
    (array([2., 4.]), -2.0, 6.0)
    """
    l = positive(l, "l")
    return l * np.asarray(w, dtype=float), l * b, l * h


def build_lp(K: Any, y: Any, C: float, sparsity: Any = 0.0) -> LP:
    """The programme in blocks. A price splits lambda into lambda⁺ - lambda⁻; without slack (C = inf) q has no columns."""
    K = as_matrix(K, "K", sparse=True)
    y = as_labels(y, K.shape[0])
    M, p = K.shape
    lam, price = sp.csr_array(sp.diags_array(y) @ K), np.broadcast_to(sparsity, p)
    lam_bounds: list[tuple[float | None, float | None]] = [(None, None)] * p
    if price.any():
        lam, price, lam_bounds = sp.hstack([lam, -lam]), np.tile(price, 2), [(0, None)] * (2 * p)
    hard = np.isinf(C)
    y, one, zero = y[:, None], np.ones((M, 1)), np.zeros((M, 1))
    I = sp.eye_array(M, 0 if hard else M)
    A_ub = sp.block_array([
        # lambda   b     h      q
        [   lam,   y,  -one,    I ],  # N(31):  y_i f_i + q_i - h <= 0
        [  -lam,  -y,  zero,   -I ],  # N(32): -y_i f_i - q_i     <= -1
    ], format="csc")  # fmt: skip
    b_ub = np.r_[np.zeros(M), -np.ones(M)]
    c = np.r_[price, 0.0, 1.0, [] if hard else np.full(M, C)]  # N(30)
    bounds = [*lam_bounds, (None, None), (None, None)] + ([] if hard else [(0, None)] * M)  # N(33)
    return LP(c, A_ub, b_ub, bounds)


def solve_mcm(
    K: Any, y: Any, C: float = 1.0, sparsity: float = 0.1, solver: str = "auto", time_limit: float = 60.0
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
        (up to 2000 samples), and the better answer counts
    time_limit : seconds, about, that each attempt may take

    Returns
    -------
    MCMSolution, with a certificate computed from the data. A gap above 1e-6 comes with a CertificateWarning.

    Examples
    --------
    >>> solution = solve_mcm([[1.0], [2.0], [-1.0], [-4.0]], [1, 1, -1, -1], C=float("inf"), sparsity=0)
    >>> round(solution.h, 4), solution.certificate.proves_optimal()
    (4.0, True)

    Source: N(23-25) with C = inf, the unnumbered soft margin, and N(30-33).
    """
    K = K if isinstance(K, Columns) else as_matrix(K, "K", sparse=True)
    y = as_labels(y, K.shape[0])
    C, sparsity = positive(C, "C", finite=False), not_negative(sparsity, "sparsity")
    time_limit = positive(time_limit, "time_limit", finite=False)
    best: MCMSolution | None = None
    if choose_solver(solver, K.shape[0], sparsity) == "highs":
        from mcmteach.solvers.fast import FastSolver

        best = FastSolver(K, y).solve(C, sparsity, time_limit)
        if best is not None and (best.certificate.gap <= GAP or K.shape[0] > WHOLE):
            return _warned(best, sparsity)
    K = K.block(np.arange(K.shape[0]), np.arange(K.shape[1])) if isinstance(K, Columns) else K
    return _warned(_by_linprog(K, y, C, sparsity, time_limit, best), sparsity)


def _by_linprog(
    K: Any, y: np.ndarray, C: float, sparsity: float, time_limit: float, best: MCMSolution | None
) -> MCMSolution:
    """The first solution of linprog's that is proved optimal; else the one, ``best`` among them, nearest to a proof."""
    K, middle, size = _levelled(K)
    lp = build_lp(K @ sp.diags_array(1 / size), y, C, sparsity / size)
    said = []
    for method in ("highs-ds", "highs-ipm"):  # simplex first; interior point where it fails or cannot be certified
        result = linprog(**lp._asdict(), method=method, options={"time_limit": time_limit})
        if result.status == 2 and np.isinf(C) and meeting_hulls(K, y) is not None:
            raise infeasible(K, y)
        said.append(f"{method}: {result.message}")
        if result.x is None:
            continue
        lam, b, z = _read(result, K.shape[1], y, sparsity)
        solution = certified(K, y, C, sparsity, lam / size, b, z, size)
        if solution is not None and (best is None or solution.certificate.gap < best.certificate.gap):
            best = solution._replace(b=float(solution.b - middle @ solution.coef))
        if best is not None and best.certificate.gap <= GAP:
            return best
    if best is None and np.isinf(C) and meeting_hulls(K, y) is not None:
        raise infeasible(K, y)
    if best is None:
        raise SolverError(
            f"linprog found no solution of the MCM ({'; '.join(said)}). If it ran out of time, allow more with time_limit. "
            "If not: standardise the data, or take a larger gamma or a price sparsity > 0, which condition it better."
        )
    return best


def _levelled(K: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    """K with its columns about their means (but for a sparse one), the means, and the largest value of each column then.

    b makes up for any constant in a column, so the solver may see differences instead of offsets; and lambda_j K_j does
    not change if K_j shrinks to size 1 while lambda_j and its price grow.
    """
    middle = np.zeros(K.shape[1]) if sp.issparse(K) else K.mean(axis=0)
    K = K if sp.issparse(K) else K - middle
    size = dense(abs(K).max(axis=0)).ravel()
    return K, middle, np.where(size > 0, size, 1.0)


def _read(result: Any, p: int, y: np.ndarray, sparsity: float) -> tuple[np.ndarray, float, np.ndarray]:
    """lambda, b and the dual vector z = y (beta - alpha) out of linprog's answer to ``build_lp``."""
    lam = result.x[:p] - (result.x[p : 2 * p] if sparsity > 0 else 0.0)
    alpha, beta = np.split(-result.ineqlin.marginals, 2)
    return lam, float(result.x[2 * p if sparsity > 0 else p]), y * (beta - alpha)


def choose_solver(solver: str, samples: int, sparsity: float) -> str:
    """What "auto" stands for: the fast solver where it pays and is installed."""
    if solver not in ("auto", "highs", "linprog"):
        raise InvalidInputError(f"There is no solver {solver!r}. Choose 'auto', 'highs' or 'linprog'.")
    if solver == "auto":
        fast = samples > AUTO and not_negative(sparsity, "sparsity") > 0 and highspy_will_do()
        return "highs" if fast else "linprog"
    if solver == "highs" and not highspy_will_do():
        raise MissingExtraError(
            "solver='highs' needs highspy {}.{} or newer. Install it with: ".format(*HIGHSPY)
            + "pip install \"mcmteach[fast]\", or take solver='linprog'."
        )
    return solver


def highspy_will_do() -> bool:
    """Whether highspy is there and new enough: another package may have brought an older one."""
    if find_spec("highspy") is None:
        return False
    return tuple(int(number) for number in re.findall(r"\d+", version("highspy"))[:2]) >= HIGHSPY


def _warned(solution: MCMSolution, sparsity: float) -> MCMSolution:
    """The solution, with a warning if it is not proved optimal."""
    if solution.certificate.gap <= GAP:
        return solution
    remedy = "Standardise the data or take a larger gamma."
    if sparsity == 0:
        remedy = "Without a price (sparsity=0) an ill-conditioned kernel matrix makes this the rule; try sparsity=0.1."
    warnings.warn(
        f"The MCM's solution is not proved optimal: its objective is {solution.objective:.6g} and the proved lower bound "
        f"{solution.certificate.dual:.6g}. {remedy}",
        CertificateWarning,
        stacklevel=3,
    )
    return solution


def certified(
    K: Any, y: np.ndarray, C: float, sparsity: float, coef: np.ndarray, b: float, z: np.ndarray, size: Any = 1.0
) -> MCMSolution | None:
    """From what a solver said to a solution that obeys the constraints exactly, and its certificate."""
    solution = _complete(K, y, C, sparsity, coef, b)
    # what is dust beside the largest coefficient (or beside a margin of 1) goes, unless the machine notices
    weight = np.abs(coef * size)
    dust = weight <= max(SUPPORT_EPS * weight.max(), 1e-9)
    if coef[dust].any():
        clean = _complete(K, y, C, sparsity, np.where(dust, 0.0, coef), b)
        if clean is not None and (solution is None or clean[-1] <= solution[-1] * (1 + GAP / 10)):
            solution = clean
    if solution is None:
        return None
    coef, b, h, q, objective = solution
    dual, z = dual_bound(K, y, C, sparsity, z)
    t = y * (K @ coef + b) + q
    violation = max(0.0, float((t - h).max()), float((1 - t).max()), float(-q.min()))
    return MCMSolution(*solution, Certificate(objective, dual, max(0.0, objective - dual) / objective, violation, z))


def _complete(
    K: Any, y: np.ndarray, C: float, sparsity: float, coef: np.ndarray, b: float
) -> tuple[np.ndarray, float, float, np.ndarray, float] | None:
    """The best h and q for given (coef, b), read off the data: the MCM is a hinge loss with a cap.

    Without slack the plane is scaled so that its smallest y f is 1, as Charnes and Cooper do; None if it separates nothing.
    """
    t = y * (K @ coef + b)
    if np.isinf(C):
        if t.min() <= 0:
            return None
        coef, b, t = coef / t.min(), float(b / t.min()), t / t.min()
        q = np.zeros_like(t)
    else:
        q = np.maximum(0.0, 1 - t)
    h = max(1.0, float(t.max()))
    return coef, b, h, q, float(h + (C * q.sum() if q.any() else 0.0) + sparsity * np.abs(coef).sum())
