"""What choosing on the test data buys: the best of k settings looks better than it is, even where there is nothing to learn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from mcmteach.errors import InvalidInputError
from mcmteach.validation import is_number, whole


class Peeped(NamedTuple):
    """One entry per data set."""

    best: NDArray[np.float64]  #: the accuracy on the test fold of the setting that is best there
    fresh: NDArray[np.float64]  #: the accuracy of that same setting on as many new samples
    first: NDArray[np.float64]  #: the accuracy on the test fold of the first setting: nobody chose it


def expected_best(k: int, m: int, p: float = 0.5) -> float:
    r"""The accuracy that the best of k settings shows, on average, on the m samples by which it was chosen.

    Each setting is right about each sample with probability p, independently of all others, so its number of right answers
    is binomial. The best one has fewer than j right answers if all k have, hence

    \[E\Big[\max_{s \le k} \text{accuracy}_s\Big] = \frac1m \sum_{j=1}^m \big(1 - F(j - 1)^k\big),\]

    where F is the binomial distribution function. With p = 1/2 (labels by coin toss) everything above 1/2 is an illusion.
    Settings that resemble each other gain less.

    Parameters
    ----------
    k : number of settings tried, >= 1
    m : number of samples in the test fold, >= 1
    p : the probability of being right

    Examples
    --------
    >>> expected_best(1, 30)                # nothing to choose from
    0.5
    >>> expected_best(2, 1)                 # two guesses, one sample: only both being wrong is wrong
    0.75
    >>> round(expected_best(25, 30), 3)
    0.678
    """
    k, m = whole(k, "k", 1), whole(m, "m", 1)
    F = bdtr(np.arange(m), m, _probability(p))  # F(0), …, F(m - 1)
    return float(np.sum(1 - F**k) / m)


def peep_at_noise(k: int, m: int, n_sets: int = 27, p: float = 0.5, seed: int = 0) -> Peeped:
    """Choose the best of k settings by its test fold of m samples, on each of n_sets data sets; then try it on new samples.

    The settings are as in :func:`expected_best`. Note that no setting is better than another: all that is chosen is luck.

    Parameters
    ----------
    k : number of settings tried, >= 1
    m : number of samples in each test fold, >= 1
    n_sets : number of data sets
    p : the probability of being right

    Examples
    --------
    >>> found = peep_at_noise(k=25, m=30, n_sets=2000)
    >>> [round(float(accuracy.mean()), 2) for accuracy in found]    # best, fresh, first
    [0.68, 0.5, 0.5]
    """
    k, m, n_sets = whole(k, "k", 1), whole(m, "m", 1), whole(n_sets, "n_sets", 1)
    rng = np.random.default_rng(seed)
    accuracies = rng.binomial(m, _probability(p), size=(n_sets, k)) / m
    return Peeped(accuracies.max(axis=1), rng.binomial(m, p, size=n_sets) / m, accuracies[:, 0])


def _probability(p: float) -> float:
    if not is_number(p) or not 0 <= p <= 1:
        raise InvalidInputError(f"p is the probability of a right answer, from 0 to 1; got {p!r}.")
    return float(p)
