r"""Comparing machines over many data sets, with answers that can be "the same": what a p-value alone cannot say.

A large p-value does not prove that two machines are equally good. The Bayesian signed-rank test (Benavoli, Corani, Demšar and
Zaffalon 2017) gives the probabilities that the first is better, that the second is, and that they differ by less than a
margin that matters: the region of practical equivalence. Holm's correction keeps many p-values from finding something by
chance, and the critical difference (Nemenyi's test, as in Demšar 2006) says how far mean ranks must be apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import scipy.stats
from numpy.typing import ArrayLike, NDArray

from mcmteach.errors import InvalidInputError
from mcmteach.validation import as_vector, is_number, whole

SAMPLES = 50_000
BLOCK = 1000  # Dirichlet draws at a time, so that memory does not grow with the number of rows
PRIOR = 1.0  # weight of one pseudo-observation, "no difference"


class RopeTest(NamedTuple):
    """Probabilities about column a against column b; they add up to 1."""

    better: float  #: a is better by more than the region
    equivalent: float  #: they differ by less
    worse: float  #: b is better by more than the region


def signed_rank_rope(a: ArrayLike, b: ArrayLike, rope: float = 1.0, samples: int = SAMPLES, seed: int = 0) -> RopeTest:
    r"""The Bayesian signed-rank test with a region of practical equivalence, for two columns over the same rows.

    With the differences \(z_1, \dots, z_n\), a pseudo-observation \(z_0 = 0\), and weights \(w\) drawn from the Dirichlet
    distribution with parameters (1, …, 1), the three cases have the shares

    \[\theta_{\text{better}} = \sum_{i,j} w_i w_j\,[z_i + z_j > 2r], \qquad
      \theta_{\text{worse}} = \sum_{i,j} w_i w_j\,[z_i + z_j < -2r], \qquad
      \theta_{\text{equivalent}} = 1 - \theta_{\text{better}} - \theta_{\text{worse}},\]

    and the probability of a case is how often its share is the largest.

    Parameters
    ----------
    a, b : arrays of shape (n_rows,), for instance the accuracies of two machines on n_rows data sets, in points
    rope : r >= 0, half the width of the region, in the same unit
    samples : number of draws; the answer's standard error is below 0.5 / sqrt(samples)

    Examples
    --------
    >>> test = signed_rank_rope([80.0, 70.2, 90.1, 85.0], [80.1, 70.0, 90.0, 84.9], rope=1.0)
    >>> test.equivalent
    1.0

    Source: A. Benavoli, G. Corani, J. Demšar, M. Zaffalon (2017), Time for a change, section 4.
    """
    a = as_vector(a, "a")
    z = np.r_[0.0, a - as_vector(b, "b", len(a))]
    if not is_number(rope) or not rope >= 0:
        raise InvalidInputError(
            f"rope is half the width of the region of practical equivalence, 0 or more; got {rope!r}."
        )
    sums = z[:, None] + z
    wins, losses = (sums > 2 * rope).astype(float), (sums < -2 * rope).astype(float)
    rng, counts, left = np.random.default_rng(seed), np.zeros(3), whole(samples, "samples", 1)
    while left > 0:
        w = rng.dirichlet(np.r_[PRIOR, np.ones(len(a))], size=min(BLOCK, left))
        better, worse = (np.einsum("si,si->s", w @ matrix, w) for matrix in (wins, losses))
        largest = np.argmax([better, 1 - better - worse, worse], axis=0)
        counts += np.bincount(largest, minlength=3)
        left -= len(w)
    return RopeTest(*(float(share) for share in counts / counts.sum()))


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Holm's correction of several p-values: reject where the corrected one is below the level, and the chance of any false
    rejection stays below it.

    Examples
    --------
    >>> [round(float(p), 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    p = as_vector(p, "p")
    if np.any((p < 0) | (p > 1)):
        raise InvalidInputError("p-values lie between 0 and 1.")
    order = np.argsort(p, kind="stable")
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return corrected


class MeanRanks(NamedTuple):
    """Mean ranks of columns, 1 for the best, and how far two of them must be apart."""

    ranks: dict[str, float]
    critical_difference: float

    def groups(self) -> list[tuple[str, ...]]:
        """The largest groups of columns, best first, within which no two are further apart than the critical difference."""
        names = sorted(self.ranks, key=lambda name: self.ranks[name])
        found: list[tuple[str, ...]] = []
        for i, first in enumerate(names):
            group = tuple(
                name for name in names[i:] if self.ranks[name] - self.ranks[first] <= self.critical_difference
            )
            if not any(set(group) <= set(earlier) for earlier in found):
                found.append(group)
        return found


def critical_difference(columns: Mapping[str, Sequence[float]], level: float = 0.05) -> MeanRanks:
    r"""Mean ranks over the rows (the largest number has rank 1, equal ones share), and Nemenyi's critical difference

    \[\mathrm{CD} = q \sqrt{\frac{k (k + 1)}{6 N}},\]

    for k columns and N rows, with q from the studentised range divided by \(\sqrt 2\).

    Examples
    --------
    >>> found = critical_difference({"new": [3.0, 3.0], "old": [2.0, 2.0], "chance": [1.0, 1.0]})
    >>> found.ranks, found.groups()                     # two rows prove nothing
    ({'new': 1.0, 'old': 2.0, 'chance': 3.0}, [('new', 'old', 'chance')])

    Source: J. Demšar (2006), Statistical comparisons of classifiers over multiple data sets, section 3.2.2.
    """
    if len(columns) < 2:
        raise InvalidInputError(f"A comparison needs two columns; got {len(columns)}.")
    rows = len(next(iter(columns.values())))
    values = np.array([as_vector(column, name, rows) for name, column in columns.items()])
    ranks = scipy.stats.rankdata(-np.round(values, 9), axis=0).mean(axis=1)
    k, N = values.shape
    q = scipy.stats.studentized_range.ppf(1 - level, k, np.inf) / np.sqrt(2)
    return MeanRanks(dict(zip(columns, ranks.tolist(), strict=True)), float(q * np.sqrt(k * (k + 1) / (6 * N))))
