r"""Minimising smooth losses: the slides' \(\max\{0, m - t\} \approx \log(1 + e^{m - t})\), for planes and for kernels.

With m = 1 it stands in for the hinge loss of the SVM, with m = 0 for the perceptron's loss. Both machines solve

\[\min_{w, b}\; E = \tfrac12\|w\|^2 + C\sum_i \log\bigl(1 + e^{m - y_i(w\cdot\varphi_i + b)}\bigr),\]

and a lower bound tells how far they are from the minimum: with \(H(u) = u\ln u + (1-u)\ln(1-u)\), any
\(0 \le \alpha_i \le C\) with \(\sum_i \alpha_i y_i = 0\) gives one (Fenchel's dual),

\[D(\alpha) = \sum_i \bigl(m\,\alpha_i - C\,H(\alpha_i/C)\bigr) - \tfrac12\Bigl\|\sum_i \alpha_i y_i \varphi_i\Bigr\|^2 .\]
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr, expit

from mcmteach.errors import SolverError
from mcmteach.svm.duality_gap import Step, balanced
from mcmteach.validation import FloatArray


def smooth_loss(y: ArrayLike, f: ArrayLike, m: float) -> FloatArray:
    r"""\(\log(1 + e^{m - y f}) \ge \max(0, m - y f)\), one number per sample; the two differ by at most log 2.

    Examples
    --------
    >>> smooth_loss([1, 1], [-5.0, 5.0], m=0).round(4)
    array([5.0067, 0.0067])

    Source: S, "Recall that max{a, b} ≈ log(eᵃ + eᵇ)".
    """
    return np.logaddexp(0.0, m - np.multiply(y, f))


class SmoothProblem:
    r"""The objective E above and its gradient for a plane: \(\varphi_i = x_i\), rows of X, and the parameters are w."""

    def __init__(self, X: FloatArray, y: FloatArray, C: float, m: float):
        self.X, self.y, self.C, self.m = X, y, C, m

    def products(self, p: FloatArray) -> FloatArray:
        r"""\(w\cdot\varphi_i\) for every sample."""
        return self.X @ p

    def combination(self, v: FloatArray) -> FloatArray:
        r"""The parameters of \(\sum_i v_i \varphi_i\)."""
        return self.X.T @ v

    def square(self, p: FloatArray, products: FloatArray) -> float:
        r"""\(\|w\|^2\), from the parameters and the products w·phi_i."""
        return float(p @ p)

    def start(self) -> Step:
        M = len(self.y)
        return self.step(np.zeros_like(self.combination(np.zeros(M))), 0.0, np.zeros(M))

    def step(self, p: FloatArray, b: float, f: FloatArray) -> Step:
        E = self.square(p, f - b) / 2 + self.C * float(smooth_loss(self.y, f, self.m).sum())
        return Step(p, b, f, E, self.C * expit(self.m - self.y * f))

    def gradient(self, step: Step) -> tuple[FloatArray, float, FloatArray, float]:
        r"""\(g = w - \sum_i \alpha_i y_i \varphi_i\) with \(\alpha_i = C\sigma(m - y_i f_i)\), \(g_b = -\sum_i \alpha_i y_i\).

        Returned with the products of the direction (g, g_b) with the samples, and its squared length.
        """
        g, g_b = step.p - self.combination(step.alpha * self.y), float(step.alpha @ -self.y)
        products = self.products(g)
        return g, g_b, products + g_b, max(0.0, self.square(g, products)) + g_b**2

    def lower_bound(self, alpha: FloatArray) -> tuple[float, FloatArray]:
        """D(alpha) at the balanced alpha, and that alpha."""
        alpha = balanced(alpha, self.y)
        u, v = alpha / self.C, self.combination(alpha * self.y)
        minus_H = entr(u) + entr(1 - u)
        return float(self.m * alpha.sum() + self.C * minus_H.sum() - self.square(v, self.products(v)) / 2), alpha


class KernelProblem(SmoothProblem):
    r"""The same in the feature space of a kernel: \(w = \sum_i z_i \varphi_i\), and the parameters are z.

    The slides' gradient is \(\nabla_z E = K g\) with the g above. We step along g itself, the gradient with respect
    to w written in z: along K g the rate of convergence would depend on the condition of K², along g on that of K.
    X is the kernel matrix K.
    """

    def combination(self, v: FloatArray) -> FloatArray:
        return v

    def square(self, p: FloatArray, products: FloatArray) -> float:
        return float(p @ products)


def accelerated_steps(problem: SmoothProblem) -> Iterator[Step]:
    """Nesterov's accelerated gradient descent, without end: the caller decides when to stop.

    The step length is found by backtracking. Momentum that leads uphill is dropped (O'Donoghue and Candès 2015).
    """
    x = ahead = problem.start()
    steepness, momentum = 1.0, 1.0
    while True:
        yield x
        g, g_b, g_f, length = problem.gradient(ahead)
        steepness /= 1.25  # the curvature changes from step to step, so try a longer step than the last
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
