r"""The Minimal Complexity Machine for numbers instead of classes, as a linear programme.

A number y becomes two samples of a classification problem in one dimension more: \((x, y + \varepsilon)\) of class +1 and
\((x, y - \varepsilon)\) of class -1. The machine that tells them apart, with a weight \(p \ge 0\) for the new dimension,

\[\min_{\lambda, b, p, h, q}\; h + C\sum_i (q_i^+ + q_i^-) + s\|\lambda\|_1\]
\[h \ge f_i + p\,(y_i + \varepsilon) \ge 1 - q_i^+, \qquad h \ge -f_i - p\,(y_i - \varepsilon) \ge 1 - q_i^-, \qquad q \ge 0\]

with \(f = K\lambda + b\), answers \(g(x) = -f(x)/p\). In terms of the answers a sample costs nothing while g is within
\(\varepsilon - 1/p\) of y, and C p per unit beyond; h charges for the largest residual,
\(h = p(\varepsilon + \max_i |y_i - g_i|)\).

**The switch.** Without a price (s = 0), and with a kernel matrix that can interpolate, only the 2M slacks matter beside h.
No margin exceeds h, so every slack is at least 1 - h, and the objective at least
\(h + 2CM \max(0, 1 - h) \ge \min(2CM, 1)\). For
C < 1/(2M) that is reached by p = 0, f = 0: *no answer*. For C > 1/(2M) it is reached by h = 1, no slack, p = 1/epsilon and
g = y: *any* y is interpolated. C does nothing else. A price on lambda mends it, as it does for classes.

**The dual**, from which the certificate is computed: with d = beta - alpha on the 2M samples, labels c = +1, -1 and z = c d,

\[\max\; 1 + \sum d \;\le\; \sum C \quad\text{s.t.}\quad d \le C,\;\; \sum \max(0, -d) \le 1,\;\; \sum z = 0,\;\;
  \big|K_j^T(z^+ + z^-)\big| \le s,\;\; (y + \varepsilon)^Tz^+ + (y - \varepsilon)^Tz^- \le 0.\]

Source: Jayadeva et al. 2016 (the MCM for regression), with p >= 0, without which it is unbounded below for small C; the price
is that of the LP-SVM (Bradley & Mangasarian 1998).
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from mcmteach.certificate import GAP, LIMIT, SUPPORT_EPS, Certificate, relative_gap
from mcmteach.errors import CertificateWarning, InvalidInputError, MCMWarning, SolverError
from mcmteach.lp import LP
from mcmteach.validation import FloatArray, as_matrix, as_vector, dense, not_negative, positive


class NoAnswerWarning(MCMWarning):
    """The regression machine has p = 0: its surface is vertical, and -f/p is no number."""


class RegressionSolution(NamedTuple):
    """A solved regression machine: the answer is -(K @ coef + b) / p."""

    coef: FloatArray  #: lambda (or w), one per column of K
    b: float
    p: float  #: 0: there is no answer
    h: float
    objective: float  #: h + C sum(q) + sparsity ||coef||_1
    certificate: Certificate

    def answers(self, K: Any) -> FloatArray:
        """The answer for each row of a kernel matrix between new samples and the training samples.

        Raises InvalidInputError where p = 0.
        """
        if self.p == 0:
            raise InvalidInputError(
                "This regression machine has p = 0, so it has no answer. Take a larger C (above 1 / (2 M)) or a smaller price."
            )
        return -(np.asarray(K @ self.coef).ravel() + self.b) / self.p


def build_regression_lp(K: Any, y: FloatArray, C: FloatArray, epsilon: float, sparsity: Any = 0.0) -> LP:
    """The programme in blocks, for x = (lambda⁺, lambda⁻, b, p, h, q⁺, q⁻). C has an entry per sample."""
    K = as_matrix(K, "K", sparse=True)
    (M, n), y = K.shape, y[:, None]
    lam = sp.hstack([sp.csr_array(K), -sp.csr_array(K)])
    one, zero, I, O = np.ones((M, 1)), np.zeros((M, 1)), sp.eye_array(M), sp.csr_array((M, M))
    up, down = y + epsilon, y - epsilon
    A_ub = sp.block_array([
        # lambda   b      p      h     q⁺  q⁻
        [   lam,  one,    up,  -one,   O,  O ],  #  f + p (y + eps)      <= h
        [  -lam, -one, -down,  -one,   O,  O ],  # -f - p (y - eps)      <= h
        [  -lam, -one,   -up,  zero,  -I,  O ],  #  f + p (y + eps) + q⁺ >= 1
        [   lam,  one,  down,  zero,   O, -I ],  # -f - p (y - eps) + q⁻ >= 1
    ], format="csc")  # fmt: skip
    b_ub = np.r_[np.zeros(2 * M), -np.ones(2 * M)]
    c = np.r_[np.tile(np.broadcast_to(sparsity, n), 2), 0.0, 0.0, 1.0, C, C]
    free: tuple[float | None, float | None] = (None, None)
    not_below_0: tuple[float | None, float | None] = (0, None)
    bounds = [not_below_0] * (2 * n) + [free, not_below_0, free] + [not_below_0] * (2 * M)
    return LP(c, A_ub, b_ub, bounds)


def solve_mcm_regression(
    K: Any,
    y: ArrayLike,
    C: float = 1.0,
    epsilon: float = 0.1,
    sparsity: float = 0.1,
    sample_weight: ArrayLike | None = None,
    time_limit: float = 60.0,
) -> RegressionSolution:
    r"""Solve the MCM for regression and certify the solution.

    Parameters
    ----------
    K : array or sparse matrix of shape (n_samples, n_columns): a Gram matrix, or the data for a linear machine
    y : array of shape (n_samples,), numbers
    C : price of slack, > 0 and finite. Below 1 / (2 n_samples), with weights 1 / (2 sum w), there is no answer
    epsilon : half the distance between the two samples that a number becomes, > 0, in the units of y
    sparsity : price on ||lambda||_1. 0 is the published programme, which a positive definite kernel solves by interpolation
    sample_weight : array of shape (n_samples,), not negative: a weight of 2 is the sample twice; of 0, the sample left out
    time_limit : seconds, about

    Returns
    -------
    RegressionSolution, with a certificate computed from the data. A gap above 1e-6 comes with a CertificateWarning, p = 0
    with a NoAnswerWarning.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 9)[:, None]
    >>> solution = solve_mcm_regression(X, 2 * X[:, 0] + 1, epsilon=0.1, sparsity=0.01)
    >>> solution.answers([[0.0], [0.5]]).round(3), solution.certificate.proves_optimal()
    (array([1., 2.]), True)
    """
    K = as_matrix(K, "K", sparse=True)
    y, C, epsilon = as_vector(y, "y", K.shape[0]), positive(C, "C"), positive(epsilon, "epsilon")
    sparsity, time_limit = not_negative(sparsity, "sparsity"), positive(time_limit, "time_limit", finite=False)
    costs = C * _weights(sample_weight, len(y))
    kept = costs > 0
    K, y, costs = K[kept], y[kept], costs[kept]
    # b makes up for a shift of y, p for its unit: the solver sees numbers of size 1
    centre, unit = (y.max() + y.min()) / 2, max(float(np.ptp(y)) / 2, epsilon)
    size = dense(abs(K).max(axis=0)).ravel()
    size = np.where(size > 0, size, 1.0)
    lp = build_regression_lp(K @ sp.diags_array(1 / size), (y - centre) / unit, costs, epsilon / unit, sparsity / size)
    best, said = None, []
    for method in ("highs-ds", "highs-ipm"):
        result = linprog(**lp._asdict(), method=method, options={"time_limit": time_limit})
        said.append(f"{method}: {result.message}")
        if result.x is None:
            continue
        lam, b, p, z = _read(result, K.shape[1], len(y))
        p = p / unit
        found = _certified(K, y, costs, epsilon, sparsity, lam / size, b - p * centre, p, z, size)
        if best is None or found.certificate.gap < best.certificate.gap:
            best = found
        if best.certificate.gap <= GAP:
            break
    if best is None:
        raise SolverError(
            f"linprog found no solution of the regression machine ({'; '.join(said)}). Standardise the data."
        )
    return _warned(best)


def _weights(sample_weight: ArrayLike | None, M: int) -> FloatArray:
    if sample_weight is None:
        return np.ones(M)
    weights: FloatArray = as_vector(sample_weight, "sample_weight", M)
    if (weights < 0).any() or not weights.any():
        raise InvalidInputError("sample_weight must not be negative, and some of it must be positive.")
    return weights


def _read(result: Any, n: int, M: int) -> tuple[FloatArray, float, float, FloatArray]:
    """lambda, b, p and the dual vector z of the 2M samples out of linprog's answer."""
    x = result.x
    alpha_up, alpha_down, beta_up, beta_down = np.split(-result.ineqlin.marginals, 4)
    return x[:n] - x[n : 2 * n], float(x[2 * n]), float(x[2 * n + 1]), np.r_[beta_up - alpha_up, alpha_down - beta_down]


def _certified(
    K: Any,
    y: FloatArray,
    C: FloatArray,
    epsilon: float,
    sparsity: float,
    coef: FloatArray,
    b: float,
    p: float,
    z: FloatArray,
    size: FloatArray,
) -> RegressionSolution:
    """The best h and q for given (coef, b, p), read off the data; negligible coefficients go; and the proof."""
    weight = np.abs(coef) * size
    coef = np.where(weight > SUPPORT_EPS * weight.max(initial=0.0), coef, 0.0)
    p = p if p * max(float(np.ptp(y)), epsilon) > 1e-9 else 0.0
    both, costs = np.r_[y + epsilon, y - epsilon], np.r_[C, C]
    label = np.repeat([1.0, -1.0], len(y))
    f = np.tile(np.asarray(K @ coef).ravel() + b, 2)
    t = label * (f + p * both)
    h = float(t.max())
    objective = h + float(costs @ np.maximum(0.0, 1 - t)) + sparsity * float(np.abs(coef).sum())
    limit = LIMIT * max(1.0, float(np.abs(coef).sum()))
    dual, z = _dual_bound(K, both, label, costs, sparsity, z, limit)
    proof = Certificate(objective, dual, relative_gap(objective, dual), 0.0, z, np.inf if sparsity > 0 else limit)
    return RegressionSolution(coef, float(b), float(p), h, objective, proof)


def _dual_bound(
    K: Any, both: FloatArray, label: FloatArray, C: FloatArray, sparsity: float, z: FloatArray, limit: float
) -> tuple[float, FloatArray]:
    """The lower bound that a solver's z is worth once it obeys the dual's constraints, and the vector that it became.

    ``rest``, where each sample's two halves cancel, obeys all of them with room to spare in the last one: a little of it is
    mixed in until z does. It has the value 0, or sum C where that is less than 1. Without a price K'z cannot be 0 to the last
    digit: the bound is then for machines with ||lambda||_1 <= ``limit``.
    """
    z = np.nan_to_num(z) - np.nan_to_num(z).mean()
    d = label * z
    limits = [(float((d / C).max()), 1.0), (float(np.maximum(0, -d).sum()), 1.0)]
    if sparsity > 0:
        limits.append((_largest_product(K, z), sparsity))
    z = z * min([1.0] + [most / value for value, most in limits if value > most])
    rest = -label / len(label)
    excess, spare = float(both @ z), float(-(both @ rest))  # spare is epsilon
    share = excess / (excess + spare) if excess > 0 else 0.0
    z = (1 - share) * z + share * rest
    total = float(C.sum())
    value = min(1 + float(label @ z), total) - (limit * _largest_product(K, z) if sparsity == 0 else 0.0)
    floor = min(1.0, total)
    return (value, z) if value > floor else (floor, (1 - floor) * rest)


def _largest_product(K: Any, z: FloatArray) -> float:
    """The largest |K_j'(z⁺ + z⁻)|: a column is the same for the two samples that a number becomes."""
    M = K.shape[0]
    return float(np.abs(K.T @ (z[:M] + z[M:])).max(initial=0.0))


def _warned(solution: RegressionSolution) -> RegressionSolution:
    if solution.p == 0:
        warnings.warn(
            "The regression machine has p = 0, so it has no answer: slack is cheaper than any surface. Take a larger C (above "
            "1 / (2 M)) or a smaller price.",
            NoAnswerWarning,
            stacklevel=3,
        )
    elif solution.certificate.gap > GAP:
        warnings.warn(
            f"The solution is not proved optimal: its objective is {solution.objective:.6g} and the proved lower bound "
            f"{solution.certificate.dual:.6g}.",
            CertificateWarning,
            stacklevel=3,
        )
    return solution
