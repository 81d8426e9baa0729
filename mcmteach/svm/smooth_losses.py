r"""Descending on smooth losses: the slides' \(\max\{0, m - t\} \approx \log(1 + e^{m - t})\), for planes and for kernels.

With m = 1 it stands in for the hinge loss of the SVM, with m = 0 for the perceptron's loss. Both machines solve

\[\min_{w, b}\; E = \tfrac12\|w\|^2 + C\sum_i \log\bigl(1 + e^{m - y_i(w\cdot\varphi_i + b)}\bigr),\]

and both know how far they are from its end: with \(H(u) = u\ln u + (1-u)\ln(1-u)\), any \(0 \le \alpha_i \le C\) with
\(\sum_i \alpha_i y_i = 0\) gives a lower bound on the minimum (Fenchel's dual),

\[D(\alpha) = \sum_i \bigl(m\,\alpha_i - C\,H(\alpha_i/C)\bigr) - \tfrac12\Bigl\|\sum_i \alpha_i y_i \varphi_i\Bigr\|^2 .\]
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import entr, expit

from mcmteach.base import BinaryClassifier, KernelMachine
from mcmteach.embedding import center_kernel
from mcmteach.errors import ConvergenceWarning, SolverError, like_sklearn
from mcmteach.validation import as_labels, as_number, as_square, as_vector, positive, whole


def smooth_loss(y: Any, f: Any, m: float) -> np.ndarray:
    r"""\(\log(1 + e^{m - y f}) \ge \max(0, m - y f)\), one number per sample; the two differ by at most log 2.

    Examples
    --------
    >>> smooth_loss([1, 1], [-5.0, 5.0], m=0).round(4)
    array([5.0067, 0.0067])

    Source: S, "Recall that max{a, b} ≈ log(eᵃ + eᵇ)".
    """
    return np.logaddexp(0.0, m - np.multiply(y, f))


def balanced(alpha: np.ndarray, y: np.ndarray) -> np.ndarray:
    """alpha with the heavier class scaled down until sum_i alpha_i y_i = 0: what the dual asks for."""
    plus, minus = alpha[y > 0].sum(), alpha[y < 0].sum()
    if min(plus, minus) == 0:
        return np.zeros_like(alpha)
    return alpha * np.where(y > 0, min(1.0, minus / plus), min(1.0, plus / minus))


class Step(NamedTuple):
    """One point of a descent."""

    p: np.ndarray  #: the parameters: w of a plane, z of a kernel machine
    b: float
    f: np.ndarray  #: the answers on the training data
    objective: float
    alpha: np.ndarray  #: where to look for a lower bound


class SmoothProblem:
    r"""The objective E above and its gradient for a plane: \(\varphi_i = x_i\), rows of X, and the parameters are w."""

    def __init__(self, X: np.ndarray, y: np.ndarray, C: float, m: float):
        self.X, self.y, self.C, self.m = X, y, C, m

    def answers(self, p: np.ndarray) -> np.ndarray:
        return self.X @ p

    def combination(self, v: np.ndarray) -> np.ndarray:
        r"""The parameters of \(\sum_i v_i \varphi_i\)."""
        return self.X.T @ v

    def square(self, p: np.ndarray, answers: np.ndarray) -> float:
        r"""\(\|w\|^2\), from the parameters and the answers."""
        return float(p @ p)

    def start(self) -> Step:
        M = len(self.y)
        return self.step(np.zeros_like(self.combination(np.zeros(M))), 0.0, np.zeros(M))

    def step(self, p: np.ndarray, b: float, f: np.ndarray) -> Step:
        E = self.square(p, f - b) / 2 + self.C * float(smooth_loss(self.y, f, self.m).sum())
        return Step(p, b, f, E, self.C * expit(self.m - self.y * f))

    def gradient(self, step: Step) -> tuple[np.ndarray, float, np.ndarray, float]:
        r"""\(g = w - \sum_i \alpha_i y_i \varphi_i\) with \(\alpha_i = C\sigma(m - y_i f_i)\), \(g_b = -\sum_i \alpha_i y_i\).

        Returned with the answers of the direction (g, g_b) and its squared length.
        """
        g, g_b = step.p - self.combination(step.alpha * self.y), float(step.alpha @ -self.y)
        answers = self.answers(g)
        return g, g_b, answers + g_b, max(0.0, self.square(g, answers)) + g_b**2

    def lower_bound(self, alpha: np.ndarray) -> tuple[float, np.ndarray]:
        """D(alpha) for alpha once it is balanced, and that alpha."""
        alpha = balanced(alpha, self.y)
        u, v = alpha / self.C, self.combination(alpha * self.y)
        minus_H = entr(u) + entr(1 - u)
        return float(self.m * alpha.sum() + self.C * minus_H.sum() - self.square(v, self.answers(v)) / 2), alpha


class KernelProblem(SmoothProblem):
    r"""The same in the feature space of a kernel: \(w = \sum_i z_i \varphi_i\), and the parameters are z.

    The slides' gradient is \(\nabla_z E = K g\) with the g above. We step along g itself, the gradient with respect
    to w written in z: along K g the descent would be as slow as K² is ill-conditioned, along g only as K is.
    """

    def __init__(self, K: np.ndarray, y: np.ndarray, C: float, m: float):
        super().__init__(K, y, C, m)

    def combination(self, v: np.ndarray) -> np.ndarray:
        return v

    def square(self, p: np.ndarray, answers: np.ndarray) -> float:
        return float(p @ answers)


def accelerated_steps(problem: SmoothProblem) -> Iterator[Step]:
    """Nesterov's accelerated gradient descent, without end: whoever iterates decides when to stop.

    The step length is found by backtracking. Momentum that leads uphill is dropped (O'Donoghue and Candès 2015).
    """
    x = ahead = problem.start()
    steepness, momentum = 1.0, 1.0
    while True:
        yield x
        g, g_b, g_f, length = problem.gradient(ahead)
        steepness /= 1.25  # the curvature changes on the way: try a longer step than last time
        while True:
            eta = 1 / steepness
            new = problem.step(ahead.p - eta * g, ahead.b - eta * g_b, ahead.f - eta * g_f)
            if new.objective <= ahead.objective - eta / 2 * length + 1e-14 * ahead.objective:
                break
            if not np.isfinite(steepness):
                raise SolverError("The descent met values that are not finite. Standardise the data first.")
            steepness *= 2
        if new.objective > x.objective and momentum > 1:
            ahead, momentum = x, 1.0
            continue
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        beta = (momentum - 1) / following
        ahead = problem.step(new.p + beta * (new.p - x.p), new.b + beta * (new.b - x.b), new.f + beta * (new.f - x.f))
        x, momentum = new, following


class Descent(NamedTuple):
    """Where a descent ended, and what proves that this is (nearly) the minimum."""

    best: Step
    gap: float  #: (E - D) / E: the objective lies at most this share above its minimum
    alpha: np.ndarray  #: the dual vector that proves it
    n_iter: int


def descend(
    steps: Iterable[Step],
    lower_bound: Callable[[np.ndarray], tuple[float, np.ndarray]],
    tol: float,
    max_iter: int,
    record: Callable[[Step], None],
) -> Descent:
    """Follow the steps until the best one is proved to lie within ``tol`` of the minimum, or ``max_iter`` are done."""
    tol, max_iter = positive(tol, "tol"), whole(max_iter, "max_iter", 1)
    followed = islice(steps, max_iter + 1)
    best = next(followed)
    record(best)
    n_iter, lower, alpha = 0, 0.0, np.zeros_like(best.alpha)  # alpha = 0 proves that E >= 0
    for n_iter, step in enumerate(followed, 1):  # noqa: B007
        record(step)
        best = min(best, step, key=lambda s: s.objective)
        lower, alpha = max((lower, alpha), lower_bound(step.alpha), key=lambda bound: bound[0])
        if best.objective - lower <= tol * best.objective:
            break
    gap = max(0.0, (best.objective - lower) / best.objective)
    if gap > tol:
        warnings.warn(
            f"After {n_iter} iterations the objective is {best.objective:.6g}, and proved to be within a share of "
            f"{gap:.2g} of its minimum, where tol = {tol:g} was asked for. Standardise the data, allow more iterations "
            "(max_iter), or ask for less (tol).",
            like_sklearn(ConvergenceWarning, "ConvergenceWarning"),
            stacklevel=4,
        )
    return Descent(best, gap, alpha, n_iter)


class SmoothKernelMachine(KernelMachine, BinaryClassifier):
    """What KernelPerceptron and KernelSVM share: all but their names for m and C."""

    tol: float
    max_iter: int
    objective_: float
    objectives_: np.ndarray
    gap_: float
    n_iter_: int

    def decision_function(self, X: Any) -> np.ndarray:
        """f(x) = sum over the training samples of z_i k(x_i, x) + b: its sign is the class."""
        return self._expansion(self._check_new_data(X))

    def _fit(self, X: Any, y: Any, C: float, m: float) -> Self:
        X, y = self._check_training_data(X, y)
        K = self._mercer_matrix(X)
        # b is not penalised, so moving the origin of the feature space to the mean changes b alone and not the machine;
        # but a step in b then no longer undoes a step in w, and the descent is much shorter
        problem = KernelProblem(center_kernel(K), y, C, m)
        path: list[float] = []
        found = descend(
            accelerated_steps(problem),
            problem.lower_bound,
            self.tol,
            self.max_iter,
            lambda step: path.append(step.objective),
        )
        z = found.best.p - found.best.p.mean()  # the same w, combined from the samples instead of the centred ones
        self.dual_coef_, self.intercept_ = z[None, :], np.array([found.best.b - (K @ z).mean()])
        self._keep_support(X, np.arange(len(y)))
        self.objectives_, self.objective_ = np.array(path), found.best.objective
        self.gap_, self.n_iter_ = found.gap, found.n_iter
        return self


def kernel_arguments(K: Any, y: Any, z: Any, b: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """What the objectives and gradients of kernel machines ask of their arguments."""
    K = as_square(K)
    y = as_labels(y, len(K), both=False)
    return K, y, as_vector(z, "z", len(K)), as_number(b, "b")
