r"""Stochastic subgradient descent on the objective of the large-scale machine: steps, passes, and when to stop.

On features z(x), shape (D,), the machine is the plane f(x) = w·z(x) + b that minimises

\[E(w, b) = \mathrm{cap}(w, b) + \frac CM \sum_{i=1}^M q_i + s\|w\|_1 + \frac\rho2\|w\|^2,
  \qquad q_i = \max(0,\, 1 - y_i f_i).\]

The cap takes the place of h of N(30-33). **"max"** is the paper's: \(\max(1, \max_i y_i f_i)\). At an optimum of N(30-33)
the slack is q_i as above, and then the least h that N(31) and N(32) allow is just this maximum. So with rho = 0 the minimum
of E is the linear programme's, with C/M for its C: ``solve_mcm(Z, y, C / M, sparsity)``. (A mean can be estimated from a
few samples and a sum cannot, so here C is the price of the *mean* slack.) **"mean"** is that of Sharma et al.'s public
code: \(\frac1M\sum_i |f_i|\), which every sample pushes down and not the farthest one alone. It is no more than
\(\max_i |f_i|\), and h counts only samples on the right side, so the two are different machines.

A batch knows its own maximum and not that of all data. So the descent keeps the few samples with the largest y f of the
steps so far and evaluates them too, at each step: the subgradient of the cap is y_i z_i at the largest of them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from mcmteach.certificate import SUPPORT_EPS
from mcmteach.errors import InvalidInputError
from mcmteach.large_scale.streams import Block
from mcmteach.validation import FloatArray, MatrixLike, dense, whole

AUTO_STEPS = 6000  # max_iter="auto": as many passes as make this many steps …
AUTO_PASSES = 3  # … and no fewer than these
HALVING = 500  # after this many steps the step is 1/sqrt(2) of the first one
HIGHEST = 16  # samples that are kept for the cap
SETTLING = 8  # after this many steps the plane is truncated and enters the average …
SETTLING_FROM = 100  # … and after each of these first steps
RECENT = 8.0  # the n-th plane enters the average with a weight that grows like n^(RECENT - 1)


class Objective(NamedTuple):
    """E, by its prices; :class:`mcmteach.LargeScaleMCMClassifier` says what they mean."""

    C: float
    cap: str = "max"
    sparsity: float = 0.0
    ridge: float = 0.0

    def value(self, h: float, mean_slack: float, w: FloatArray) -> float:
        """E from the cap, the mean of the slack, and the plane."""
        return float(h + self.C * mean_slack + self.sparsity * np.abs(w).sum() + self.ridge / 2 * (w @ w))

    def on(self, t: FloatArray, w: FloatArray, weights: FloatArray | None = None) -> tuple[float, float]:
        """The cap and E, from t_i = y_i f_i of all samples and their weights (None: 1 each)."""
        h = float(np.average(np.abs(t), weights=weights) if self.cap == "mean" else max(1.0, t.max()))
        return h, self.value(h, float(np.average(np.maximum(0.0, 1 - t), weights=weights)), w)


class StochasticDescent:
    """The state of a descent: the plane, its average, what truncation has taken so far, the samples kept for the cap."""

    def __init__(self, objective: Objective, Z: MatrixLike, eta0: float, average: bool = True):
        n = Z.shape[1]
        self.objective, self.average, self.t, self.size = objective, average, 0, 1
        self.horizon = np.inf  # the step at which the step length reaches 0; known after the first pass
        self.w, self.b = np.zeros(n), 0.0
        self.n, self.mean_w, self.mean_b = 0, np.zeros(n), 0.0
        self.owed, self.paid = 0.0, np.zeros(n)
        self.high_Z, self.high_y = np.zeros((HIGHEST, n)), np.zeros(HIGHEST)
        squares = (Z.multiply(Z) if sp.issparse(Z) else Z**2).sum() / Z.shape[0]
        self.longest = eta0 / ((1 + squares) * max(1.0, 1 / objective.C))
        self.slack, self.samples, self.top = 0.0, 0.0, 0.0  # sums over a pass

    def run(self, Z: MatrixLike, y: FloatArray, batch_size: int, rng: np.random.Generator) -> None:
        """One pass over the rows of Z in batches: cut at a new place each time, visited in a new order."""
        self.size = max(self.size, min(batch_size, len(y)))
        first = int(rng.integers(batch_size)) if len(y) > batch_size else 0
        starts = np.r_[0, np.arange(first, len(y), batch_size)] if first else np.arange(0, len(y), batch_size)
        stops = np.r_[starts[1:], len(y)]
        for i in rng.permutation(len(starts)).tolist():
            self.step(Z[starts[i] : stops[i]], y[starts[i] : stops[i]])

    def step(self, Z: MatrixLike, y: FloatArray) -> None:
        """One step against the subgradient of E/C on a batch. y holds labels -1 and +1, each times its sample's weight."""
        C, cap, sparsity, ridge = self.objective
        eta = self.longest / math.sqrt(1 + self.t / HALVING) * max(0.0, 1 - self.t / self.horizon)
        eta *= min(1.0, len(y) / self.size)  # in a short batch each sample counts as much as in a full one
        self.t += 1
        y, weights = np.sign(y), np.abs(y)
        t = y * (Z @ self.w + self.b)
        q = np.maximum(0.0, 1.0 - t)
        v = np.where(q > 0, y, 0.0)  # minus the subgradient with respect to each f_i, times the size of the batch
        if cap == "mean":
            self.top += float(np.abs(t) @ weights)
            v -= np.sign(t) * y / C
        v *= weights
        self.slack += float(q @ weights)
        self.samples += float(weights.sum())
        if cap == "max":
            self._lower_the_cap(Z, y, t, eta / C)
        self.w += (eta / len(y)) * (v @ Z)
        self.b += eta / len(y) * float(v.sum())
        if ridge:
            self.w /= 1 + eta * ridge / C
        self.owed += eta * sparsity / C
        if self.t % SETTLING == 0 or self.t < SETTLING_FROM:
            self._settle()

    def _lower_the_cap(self, Z: MatrixLike, y: FloatArray, t: FloatArray, step: float) -> None:
        """Step against the cap's subgradient: y_i (z_i, 1) at the highest sample known, or 0 if it lies below 1."""
        known = self.high_y * (self.high_Z @ self.w + self.b)
        i, j = int(t.argmax()), int(known.argmax())
        here, there = float(t[i]), float(known[j])
        self.top = max(self.top, here, there)
        if self.top <= 1 or max(here, there) <= 1:
            return
        z, label = (self.high_Z[j], self.high_y[j]) if there >= here else (dense(Z[i : i + 1])[0], y[i])
        self.w -= (step * label) * z
        self.b -= step * float(label)
        lowest = int(known.argmin())
        # a sample with the same y f, to the last digits, is one that is kept already
        if here > max(1.0, float(known[lowest])) and float(np.abs(known - here).min()) > 1e-9 * here:
            self.high_Z[lowest], self.high_y[lowest] = dense(Z[i : i + 1])[0], y[i]

    def _settle(self) -> None:
        """Truncate, and let the plane enter the average."""
        if self.objective.sparsity:
            self._truncate()
        self.n += 1
        share = RECENT / (self.n + RECENT - 1)
        self.mean_w += share * (self.w - self.mean_w)
        self.mean_b += share * (self.b - self.mean_b)

    def _truncate(self) -> None:
        """Pull w towards 0 by what it owes, and stop there: coordinates that the loss does not hold become exactly 0.

        Each owes the sum of eta times sparsity so far, less what it has paid already (Tsuruoka et al. 2009). To take eta
        times sparsity at each step instead would leave the last batch's noise in every coordinate.
        """
        before = self.w.copy()
        self.w = np.where(
            self.w > 0,
            np.maximum(0.0, self.w - (self.owed + self.paid)),
            np.minimum(0.0, self.w + (self.owed - self.paid)),
        )
        self.paid += self.w - before

    def plane(self) -> tuple[FloatArray, float]:
        """The average of the planes so far (or the last one).

        Coordinates that truncation holds at 0 are 0, and so are those that are negligible in the average: what is left of
        the time before truncation reached them.
        """
        w, b = (self.mean_w, self.mean_b) if self.average else (self.w, self.b)
        if not (np.isfinite(w).all() and np.isfinite(b)):
            raise InvalidInputError("The descent met features that are not finite. Look at what feature_map gives.")
        if self.objective.sparsity:
            size = np.abs(w)
            return np.where((self.w == 0) | (size <= SUPPORT_EPS * size.max()), 0.0, w), b
        return w.copy(), b

    def end_pass(self) -> tuple[float, float]:
        """The cap and E as they were met in the course of this pass."""
        h = self.top / self.samples if self.objective.cap == "mean" else max(1.0, self.top)
        E = self.objective.value(h, self.slack / self.samples, self.w)
        self.slack, self.samples, self.top = 0.0, 0.0, 0.0
        return float(h), E


class DescentResult(NamedTuple):
    """Where :func:`descend` ended."""

    descent: StochasticDescent
    w: FloatArray
    b: float
    n_iter: int  #: passes
    h: float  #: the cap as it was met in the course of the last pass
    objectives: FloatArray  #: E as it was met in the course of each pass
    scores: FloatArray  #: what ``score`` gave after each pass


def descend(
    blocks: Iterable[Block],
    start: Callable[[Any], StochasticDescent],
    batch_size: int,
    max_iter: int | str,
    rng: np.random.Generator,
    score: Callable[[FloatArray, float], float] | None = None,
    patience: int = 5,
    verbose: bool = False,
) -> DescentResult:
    """Passes over blocks of features until ``max_iter``, or until the score has not risen for ``patience`` passes.

    Parameters
    ----------
    blocks : pairs (Z, y) of features and labels -1 and +1, which can be iterated once for each pass; a label may be
        multiplied by its sample's weight
    start : makes a descent from the first block of features
    max_iter : passes; "auto" is as many as make 6000 steps, and at least 3
    score : function (w, b) -> accuracy on held-out data. The plane with the highest score is kept
    """
    descent: Any = None  # until the first block shows how many features there are
    objectives: list[float] = []
    scores: list[float] = []
    last = 1 if max_iter == "auto" else whole(max_iter, "max_iter", 1)
    n, best = 0, (-1.0, np.empty(0), 0.0)
    with _progress_bar(verbose) as show:
        while n < last and not _stalled(scores, patience):
            n += 1
            for Z, y in blocks:
                descent = start(Z) if descent is None else descent
                descent.run(Z, y, batch_size, rng)
            h, E = descent.end_pass()
            objectives.append(E)
            w, b = descent.plane()
            if score is not None:
                scores.append(score(w, b))
                best = (scores[-1], w, b) if scores[-1] > best[0] else best
            if n == 1:  # now the number of steps in a pass is known
                last = max(AUTO_PASSES, -(-AUTO_STEPS // descent.t)) if max_iter == "auto" else last
                descent.horizon = last * descent.t + 1.0
            show(n, last)
    w, b = (w, b) if score is None else best[1:]
    return DescentResult(descent, w, b, n, h, np.array(objectives), np.array(scores))


def _stalled(scores: list[float], patience: int) -> bool:
    """Whether the last ``patience`` passes did not raise the score."""
    return len(scores) > patience and max(scores[-patience:]) <= max(scores[:-patience])


@contextmanager
def _progress_bar(verbose: bool) -> Iterator[Callable[[int, int], None]]:
    """A function (pass, passes) -> None that shows how far the descent is. An early stop ends the bar where it is."""
    if not verbose:
        yield lambda n, last: None
    elif find_spec("tqdm") is None:
        yield lambda n, last: print(f"pass {n} of at most {last}")
    else:
        from tqdm.auto import tqdm

        with tqdm(unit="pass") as bar:

            def show(n: int, last: int) -> None:
                bar.total = last
                bar.update()

            yield show
