"""Iterative minimisation that stops when the duality gap proves that it may, and says so when it cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple

import numpy as np

from mcmteach.errors import ConvergenceWarning, like_sklearn, warn
from mcmteach.validation import FloatArray, positive, whole


class Step(NamedTuple):
    """One point of a descent."""

    p: FloatArray  #: the parameters: w of a plane, z of a kernel machine
    b: float
    f: FloatArray  #: the decision values of the training data
    objective: float
    alpha: FloatArray  #: a dual vector from which to compute a lower bound


class Optimum(NamedTuple):
    """Where a minimisation ended, and what proves that this is (nearly) the minimum."""

    best: Step
    gap: float  #: (E - D) / E: the objective exceeds its minimum by at most this fraction of its value
    alpha: FloatArray  #: the dual vector that proves it
    n_iter: int


def minimise(
    steps: Iterable[Step],
    lower_bound: Callable[[FloatArray], tuple[float, FloatArray]],
    tol: float,
    max_iter: int,
    record: Callable[[Step], None],
) -> Optimum:
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
        warn(
            f"After {n_iter} iterations the objective is {best.objective:.6g}. Its relative duality gap is {gap:.2g}, "
            f"above tol = {tol:g}. Standardise the data, allow more iterations (max_iter), or ask for less (tol).",
            like_sklearn(ConvergenceWarning, "ConvergenceWarning"),
        )
    return Optimum(best, gap, alpha, n_iter)


def balanced(alpha: FloatArray, y: FloatArray) -> FloatArray:
    """alpha with the heavier class scaled down until sum_i alpha_i y_i = 0, a constraint of every dual here."""
    plus, minus = alpha[y > 0].sum(), alpha[y < 0].sum()
    if min(plus, minus) == 0:
        return np.zeros_like(alpha)
    return alpha * np.where(y > 0, min(1.0, minus / plus), min(1.0, plus / minus))
