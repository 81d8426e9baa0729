r"""The Minimal Complexity Machine for numbers instead of classes, as a linear programme.

A number y becomes two samples of a classification problem in one dimension more: \((x, y + \varepsilon)\) of class +1 and
\((x, y - \varepsilon)\) of class -1. The machine that tells them apart, with a weight \(p \ge 0\) for the new dimension,

\[\min_{\lambda, b, p, h, q}\; h + C\sum_i (q_i^+ + q_i^-) + s\|\lambda\|_1\]
\[h \ge f_i + p\,(y_i + \varepsilon) \ge 1 - q_i^+, \qquad h \ge -f_i - p\,(y_i - \varepsilon) \ge 1 - q_i^-, \qquad q \ge 0\]

with \(f = K\lambda + b\), answers \(g(x) = -f(x)/p\). In terms of the residuals r = y - g a sample costs nothing while |r| is
at most \(\delta = \varepsilon - 1/p\), and C p per unit beyond; h charges for the largest residual,
\(h = p(\varepsilon + \max_i |r_i|)\). So y and epsilon have one unit, and nothing changes if both are multiplied by a number.

**When there is an answer.** Near p = 0 every sample needs slack, and the objective is \(2CM + p\,(\max_i |r_i| + \varepsilon +
s\|\mu\|_1 - 2CM\varepsilon)\) with \(\lambda = -p\mu\). It is convex, so p = 0 is optimal exactly where no g has
\(\max_i |r_i| + s\|\mu\|_1 < (2CM - 1)\,\varepsilon\): an epsilon that is small beside y leaves no answer. With
\(\varepsilon\,(2CM - 1)\) above half the range of y a constant is one already.

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

import time
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from mcmteach.base import KernelMachine, Regressor
from mcmteach.certificate import GAP, LIMIT, SUPPORT_EPS, Certificate, relative_gap
from mcmteach.errors import CertificateWarning, InvalidInputError, MCMWarning, SolverError, warn
from mcmteach.kernels import KernelFunction, Precomputed
from mcmteach.lp import LP
from mcmteach.solvers.kernel_columns import Columns, KernelColumns, RowsOfColumns, as_columns
from mcmteach.solvers.regression_columns import RegressionColumns, RegressionPoint
from mcmteach.solvers.solve import choose_solver
from mcmteach.validation import (
    FloatArray,
    MatrixLike,
    as_matrix,
    as_vector,
    as_weights,
    dense,
    not_negative,
    positive,
    several,
)


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

    def answers(self, K: MatrixLike) -> FloatArray:
        """The answer for each row of a kernel matrix between new samples and the training samples.

        Raises InvalidInputError where p = 0.
        """
        if self.p == 0:
            raise InvalidInputError(
                "This regression machine has p = 0, so it has no answer. Take a larger C (above 1 / (2 M)) or a smaller price."
            )
        return -(np.asarray(K @ self.coef).ravel() + self.b) / self.p


def build_regression_lp(K: MatrixLike, y: FloatArray, C: FloatArray, epsilon: float, sparsity: Any = 0.0) -> LP:
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
    K: MatrixLike,
    y: ArrayLike,
    C: float = 1.0,
    epsilon: float = 0.1,
    sparsity: float = 0.1,
    solver: str = "auto",
    time_limit: float = 60.0,
    sample_weight: ArrayLike | None = None,
) -> RegressionSolution:
    r"""Solve the MCM for regression and certify the solution.

    Parameters
    ----------
    K : array or sparse matrix of shape (n_samples, n_columns): a Gram matrix, or the data for a linear machine
    y : array of shape (n_samples,), numbers
    C : price of slack, > 0 and finite. Below 1 / (2 n_samples), with weights 1 / (2 sum w), there is no answer
    epsilon : half the distance between the two samples that a number becomes, > 0, in the units of y
    sparsity : price on ||lambda||_1. 0 is the published programme, which a positive definite kernel solves by interpolation
    solver : "linprog", "highs" or "auto", as in ``solve_mcm``
    time_limit : seconds, about, for all attempts together
    sample_weight : array of shape (n_samples,), not negative: a weight of 2 is the sample twice; of 0, the sample left out

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
    return _warned(_Programme(K, y, epsilon, solver, sample_weight).solve(C, sparsity, time_limit))


def mcm_regression_path(
    K: MatrixLike,
    y: ArrayLike,
    C: float = 1.0,
    epsilon: float = 0.1,
    sparsity: ArrayLike = 0.1,
    solver: str = "auto",
    time_limit: float = 60.0,
    sample_weight: ArrayLike | None = None,
) -> list[RegressionSolution]:
    """Solve the MCM for regression for many prices; "highs" starts each solution from the last. No warnings.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 9)[:, None]
    >>> [round(s.p, 2) for s in mcm_regression_path(X, 2 * X[:, 0] + 1, sparsity=[0.01, 0.5, 50.0])]
    [10.0, 10.0, 0.0]
    """
    programme = _Programme(K, y, epsilon, solver, sample_weight)
    return [programme.solve(C, s, time_limit) for s in several(sparsity, "sparsity", not_negative)]


class MCMRegressor(KernelMachine, Regressor):
    r"""A sparse, certified regression machine: \(\min\; h + C\sum_i (q_i^+ + q_i^-) + s\|\lambda\|_1\), a linear programme.

    Parameters
    ----------
    kernel : "rbf", "linear", "poly", "precomputed", or a function k(X, Z) that gives the matrix of kernel values
    C : price of slack, > 0
    epsilon : half the distance between the two samples that a number becomes, > 0, in the units of y; about the size of the
        noise. "scale" is half the standard deviation of y
    gamma : width of the RBF kernel, > 0; "scale" is 1 / (n_features * X.var()), "auto" is 1 / n_features
    sparsity : price on ||lambda||_1 (on ||w||_1 for the linear kernel). It needs no unit: lambda is p times the coefficients
        of the answer, and p is about 1 / epsilon. 0 is the published programme, with which any positive definite kernel
        interpolates y
    solver, time_limit : as in MCMClassifier
    degree, coef0 : the polynomial kernel (x·z + coef0)^degree

    Attributes
    ----------
    support_, support_vectors_, n_support_ : the samples with lambda != 0 (no vectors for a precomputed kernel; for the linear
        one, which predicts from w, the samples on or outside the tube)
    dual_coef_ : -lambda / p of the support vectors, shape (1, n_support_) (not for the linear kernel)
    coef_, n_nonzero_ : -w / p, shape (1, n_features), and how many of its entries are not 0 (linear kernel only)
    intercept_ : -b / p, shape (1,)
    p_ : the weight of y in the programme; 0: it has no answer, and the machine predicts the median
    tube_ : epsilon - 1/p, or 0 where that is negative: residuals up to this size cost nothing but through h
    epsilon_ : the number that epsilon stood for
    h_, objective_, certificate_ : as in MCMClassifier
    kernel_ : the Kernel that kernel, gamma, degree and coef0 stood for
    gamma_ : the number that gamma stood for (RBF kernel)
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> X = np.linspace(0, 6, 30)[:, None]
    >>> machine = MCMRegressor(gamma=0.5, epsilon=0.1, sparsity=0.01).fit(X, np.sin(X[:, 0]))
    >>> machine.predict([[np.pi / 2]]).round(1), machine.n_support_, machine.certificate_.proves_optimal()
    (array([1.]), 6, True)

    Notes
    -----
    Where p = 0 a NoAnswerWarning says so. A constant y is predicted as it is.

    Source: Jayadeva et al. 2016; the price on lambda is that of the LP-SVM.
    """

    p_: float
    tube_: float
    epsilon_: float
    h_: float
    objective_: float
    certificate_: Certificate

    def __init__(
        self,
        kernel: str | KernelFunction = "rbf",
        C: float = 1.0,
        epsilon: float | str = "scale",
        gamma: float | str = "scale",
        sparsity: float = 0.1,
        solver: str = "auto",
        degree: int = 3,
        coef0: float = 1.0,
        time_limit: float = 60.0,
    ):
        self.kernel = kernel
        self.C = C
        self.epsilon = epsilon
        self.gamma = gamma
        self.sparsity = sparsity
        self.solver = solver
        self.degree = degree
        self.coef0 = coef0
        self.time_limit = time_limit

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from X, of shape (n_samples, n_features) or (n_samples, n_samples) if precomputed, and numbers y.

        A sample of weight 0 is left out, its column of the kernel matrix too.
        """
        X, y = self._check_training_data(X, y)
        weights = np.ones(len(y)) if sample_weight is None else as_weights(sample_weight, len(y))
        rows = np.flatnonzero(weights)
        self._resolve_kernel(X[rows], weights[rows])
        linear = isinstance(self.kernel, str) and self.kernel == "linear"
        K = X[rows] if linear else self._matrix(X[rows], rows)
        self.epsilon_ = as_epsilon(self.epsilon, y[rows], weights[rows])
        programme = _Programme(K, y[rows], self.epsilon_, self.solver, weights[rows])
        solution = _warned(programme.solve(self.C, self.sparsity, self.time_limit))
        self._keep(solution, X, y, rows, linear)
        return self

    def predict(self, X: MatrixLike) -> FloatArray:
        """The answer for each row of X."""
        X = self._check_new_data(X)
        return X @ self.coef_[0] + self.intercept_[0] if hasattr(self, "coef_") else self._expansion(X)

    def _matrix(self, X: MatrixLike, rows: Any) -> Any:
        """The kernel matrix of X; for the fast solver one whose entries are evaluated when they are asked for."""
        if isinstance(self.kernel_, Precomputed):
            return self.kernel_(X, rows)
        lazy = choose_solver(self.solver, X.shape[0], self.sparsity) == "highs"
        return KernelColumns(self.kernel_, X) if lazy else self.kernel_(X)

    def _keep(self, solution: RegressionSolution, X: MatrixLike, y: FloatArray, rows: Any, linear: bool) -> None:
        """Set what a fitted machine has; without an answer, a machine that answers the median."""
        self.p_, self.h_, self.objective_ = solution.p, solution.h, solution.objective
        self.certificate_ = solution.certificate
        self.tube_ = max(0.0, self.epsilon_ - 1 / solution.p) if solution.p else 0.0
        coef = -solution.coef / solution.p if solution.p else np.zeros_like(solution.coef)
        self.intercept_ = np.array([-solution.b / solution.p if solution.p else np.median(y[rows])])
        if linear:
            self.coef_, self.n_nonzero_ = coef[None, :], int(np.count_nonzero(coef))
            off = np.abs(y[rows] - X[rows] @ coef - self.intercept_[0])
            self.support_ = rows[off >= self.tube_ - 1e-6 * self.epsilon_]
            self.n_support_ = len(self.support_)
        else:
            used = np.flatnonzero(coef)
            self._keep_support(X, rows[used])
            self.dual_coef_ = coef[None, used]

    def _drop_what_training_needed(self) -> None:
        self.certificate_ = replace(self.certificate_, z=np.empty(0))


def as_epsilon(epsilon: float | str, y: FloatArray, weights: FloatArray) -> float:
    """The number that a regression machine's ``epsilon`` stands for: "scale" is half the standard deviation of y.

    Where y is constant, to rounding, any epsilon will do.

    Examples
    --------
    >>> as_epsilon("scale", np.array([0.0, 2.0]), np.ones(2)), as_epsilon("scale", np.ones(2), np.ones(2))
    (0.5, 1.0)
    """
    if not isinstance(epsilon, str):
        return positive(epsilon, "epsilon")
    if epsilon != "scale":
        raise InvalidInputError(f"epsilon must be a number > 0 or 'scale'; got {epsilon!r}.")
    mean = np.average(y, weights=weights)
    spread = float(np.sqrt(np.average((y - mean) ** 2, weights=weights)))
    return spread / 2 if spread > 1e-12 * float(np.abs(y).max()) else max(1.0, float(np.abs(y).max()))


class _Programme:
    """K, y, epsilon and weights: one solution after another, each of which may start from the last."""

    def __init__(self, K: MatrixLike, y: ArrayLike, epsilon: float, solver: str, sample_weight: ArrayLike | None):
        self.K = K if isinstance(K, Columns) else as_matrix(K, "K", sparse=True)
        self.y, self.epsilon, self.solver = as_vector(y, "y", self.K.shape[0]), positive(epsilon, "epsilon"), solver
        M = len(self.y)
        self.weights = np.ones(M) if sample_weight is None else as_weights(sample_weight, M)
        rows = np.flatnonzero(self.weights)
        if len(rows) < len(self.y):
            self.K = RowsOfColumns(self.K, rows) if isinstance(self.K, Columns) else self.K[rows]
            self.y, self.weights = self.y[rows], self.weights[rows]
        # b makes up for a shift of y, p for its unit: the solver sees numbers of size 1
        self.centre = float(self.y.max() + self.y.min()) / 2
        self.unit = max(float(np.ptp(self.y)) / 2, self.epsilon)
        self._fast: RegressionColumns | None = None

    def solve(self, C: float, sparsity: float, time_limit: float) -> RegressionSolution:
        """The solution for one C and one price, proved optimal or not."""
        costs, sparsity = positive(C, "C") * self.weights, not_negative(sparsity, "sparsity")
        deadline = time.perf_counter() + positive(time_limit, "time_limit", finite=False)
        best: RegressionSolution | None = None
        if choose_solver(self.solver, len(self.y), sparsity) == "highs" and sparsity > 0:
            best = self._by_fast_solver(costs, sparsity, deadline)
            if best is not None and best.certificate.gap <= GAP:
                return best
        return self._by_linprog(costs, sparsity, deadline, best)

    def _by_fast_solver(self, costs: FloatArray, sparsity: float, deadline: float) -> RegressionSolution | None:
        """The solution, started from where the last one ended; None if HiGHS fails."""
        if self._fast is None:
            self._fast = RegressionColumns(self.K, self._y(), self.epsilon / self.unit)
        point = self._fast.solve(costs, sparsity, deadline)
        return None if point is None else self._certified(costs, sparsity, point)

    def _by_linprog(
        self, costs: FloatArray, sparsity: float, deadline: float, best: RegressionSolution | None
    ) -> RegressionSolution:
        """The first solution from linprog that is proved optimal; otherwise the best of all attempts and ``best``."""
        K = self.K.block(*map(np.arange, self.K.shape)) if isinstance(self.K, Columns) else self.K
        size = dense(abs(K).max(axis=0)).ravel()
        size = np.where(size > 0, size, 1.0)
        lp = build_regression_lp(
            K @ sp.diags_array(1 / size), self._y(), costs, self.epsilon / self.unit, sparsity / size
        )
        said = []
        for method in ("highs-ds", "highs-ipm"):
            left = max(0.0, deadline - time.perf_counter())
            result = linprog(**lp._asdict(), method=method, options={"time_limit": left})
            said.append(f"{method}: {result.message}")
            if result.x is None:
                continue
            point = _read(result, K.shape[1])
            found = self._certified(costs, sparsity, point._replace(coef=point.coef / size))
            if best is None or found.certificate.gap < best.certificate.gap:
                best = found
            if best.certificate.gap <= GAP:
                return best
        if best is None:
            raise SolverError(
                f"No solution of the regression machine was found ({'; '.join(said)}). If it ran out of time, allow more with "
                "time_limit; else standardise the data."
            )
        return best

    def _y(self) -> FloatArray:
        """The targets as a solver sees them."""
        return (self.y - self.centre) / self.unit

    def _certified(self, costs: FloatArray, sparsity: float, point: RegressionPoint) -> RegressionSolution:
        """The best h and q for a machine, computed from the data, without its negligible coefficients; and the proof."""
        K, y, epsilon = as_columns(self.K), self.y, self.epsilon
        coef, p = _without_dust(K, point.coef), point.p / self.unit
        p = p if p * self.unit > 1e-9 else 0.0
        b = point.b - p * self.centre
        both, label = np.concatenate([y + epsilon, y - epsilon]), np.repeat([1.0, -1.0], len(y))
        t = label * (np.tile(K @ coef + b, 2) + p * both)
        h, total, costs = float(t.max()), float(np.abs(coef).sum()), np.tile(costs, 2)
        objective = h + float(costs @ np.maximum(0.0, 1 - t)) + sparsity * total
        limit = LIMIT * max(1.0, total)
        dual, z = _dual_bound(K, both, label, costs, sparsity, point.z, limit)
        proof = Certificate(objective, dual, relative_gap(objective, dual), 0.0, z, np.inf if sparsity > 0 else limit)
        return RegressionSolution(coef, b, p, h, objective, proof)


def _without_dust(K: Columns, coef: FloatArray) -> FloatArray:
    """The coefficients without those that are negligible beside the largest one, each measured by its column's size."""
    J = np.flatnonzero(coef)
    if not len(J):
        return coef
    low, high = K.ranges(J)
    weight = np.abs(coef[J]) * np.maximum(np.abs(low), np.abs(high))
    clean = coef.copy()
    clean[J[weight <= SUPPORT_EPS * weight.max()]] = 0.0
    return clean


def _read(result: Any, n: int) -> RegressionPoint:
    """lambda, b, p and the dual vector z of the 2M samples from linprog's answer."""
    x = result.x
    alpha_up, alpha_down, beta_up, beta_down = np.split(-result.ineqlin.marginals, 4)
    z = np.concatenate([beta_up - alpha_up, alpha_down - beta_down])
    return RegressionPoint(x[:n] - x[n : 2 * n], float(x[2 * n]), float(x[2 * n + 1]), z)


def _dual_bound(
    K: Columns, both: FloatArray, label: FloatArray, C: FloatArray, sparsity: float, z: FloatArray, limit: float
) -> tuple[float, FloatArray]:
    """The lower bound that a solver's z gives once it is repaired to obey the dual's constraints, and the repaired z.

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


def _largest_product(K: Columns, z: FloatArray) -> float:
    """The largest |K_j'(z⁺ + z⁻)|: a column is the same for the two samples that a number becomes."""
    M = K.shape[0]
    return float(np.abs(K.T @ (z[:M] + z[M:])).max(initial=0.0))


def _warned(solution: RegressionSolution) -> RegressionSolution:
    if solution.p == 0:
        warn(
            "The regression machine has p = 0, so it has no answer: slack is cheaper than any surface. Take a larger epsilon, "
            "a larger C (above 1 / (2 M)) or a smaller price.",
            NoAnswerWarning,
        )
    elif solution.certificate.gap > GAP:
        warn(
            f"The solution is not proved optimal: its objective is {solution.objective:.6g} and the proved lower bound "
            f"{solution.certificate.dual:.6g}.",
            CertificateWarning,
        )
    return solution
