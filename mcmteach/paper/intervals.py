r"""How far a mean, a median or a difference can be trusted: intervals, and what could have been found at all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.stats
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.validation import FloatArray, as_vector, is_number, whole


class Interval(NamedTuple):
    """An estimate, and the ends of its interval."""

    value: float
    low: float
    high: float


def mean_interval(d: ArrayLike, level: float = 0.95) -> Interval:
    r"""Mean of differences with Student's interval, mean ± t s / sqrt(n).

    Examples
    --------
    >>> [round(x, 2) for x in mean_interval([1.0, 2.0, 3.0])]       # t = 4.30 with two degrees of freedom
    [2.0, -0.48, 4.48]
    """
    d = _several(d, level)
    half = scipy.stats.t.ppf((1 + level) / 2, len(d) - 1) * d.std(ddof=1) / np.sqrt(len(d))
    return Interval(float(d.mean()), float(d.mean() - half), float(d.mean() + half))


def median_interval(d: ArrayLike, level: float = 0.95) -> Interval:
    r"""Median with an interval that holds for every distribution: from the k-th smallest to the k-th largest difference.

    Each sample lies below the true median with probability 1/2, so the interval misses it with probability at most
    2 P(Bin(n, 1/2) < k). k is the largest for which that is no more than 1 - level; with fewer than six samples there is none
    (at 95 %), and the interval is all numbers.

    Examples
    --------
    >>> median_interval([3.0, 1.0, 2.0, 5.0, 4.0, 6.0])             # all six on one side: 2 / 2^6 = 3 %
    Interval(value=3.5, low=1.0, high=6.0)
    """
    d = np.sort(_several(d, level))
    k = int(scipy.stats.binom.ppf((1 - level) / 2, len(d), 0.5))  # P(Bin <= k) reaches the half: so P(Bin < k) does not
    low, high = (float(d[k - 1]), float(d[-k])) if k > 0 else (-np.inf, np.inf)
    return Interval(float(np.median(d)), low, high)


def corrected_error(d: FloatArray, n_train: float, n_test: float) -> float:
    r"""Nadeau and Bengio's standard error of a mean over repeated folds; of one fold alone nothing is known (nan).

    Training parts of two folds share samples, so that their results are not independent and s / sqrt(J) is too small. The
    correction is

    \[\mathrm{se} = s \sqrt{\tfrac1J + \tfrac{n_\text{test}}{n_\text{train}}}.\]

    Source: C. Nadeau, Y. Bengio (2003), Inference for the generalization error.
    """
    return float(d.std(ddof=1) * np.sqrt(1 / len(d) + n_test / n_train)) if len(d) > 1 else float("nan")


def corrected_interval(d: ArrayLike, n_train: float, n_test: float, level: float = 0.95) -> Interval:
    """Mean difference on one data set over repeated folds, with Student's interval by the :func:`corrected_error`.

    Examples
    --------
    >>> found = corrected_interval([1.0, -1.0, 2.0, 0.0, 3.0], n_train=80, n_test=20)
    >>> round(found.value, 2), round(found.high - found.value, 2)   # half of it would be 1.96 without the correction
    (1.0, 2.94)
    """
    d = _several(d, level)
    if not all(is_number(n) and n > 0 for n in (n_train, n_test)):
        raise InvalidInputError(f"n_train and n_test are numbers of samples, more than 0; got {n_train!r}, {n_test!r}.")
    half = scipy.stats.t.ppf((1 + level) / 2, len(d) - 1) * corrected_error(d, n_train, n_test)
    return Interval(float(d.mean()), float(d.mean() - half), float(d.mean() + half))


def detectable_difference(d: ArrayLike, power: float = 0.8, level: float = 0.95) -> float:
    r"""The mean difference that a t-test on as many and as scattered differences would find with this probability.

    It is the size of effect that "no difference was found" does not speak against.

    Examples
    --------
    >>> round(detectable_difference([1.0, -1.0] * 8), 2)             # 16 differences with a standard deviation of 1.03
    0.77
    """
    d = _several(d, level)
    if not is_number(power) or not 0 < power < 1:
        raise InvalidInputError(f"power is a probability; got {power!r}.")
    n, critical = len(d), scipy.stats.t.ppf((1 + level) / 2, len(d) - 1)
    scale = d.std(ddof=1) / np.sqrt(n)
    if scale == 0:
        return 0.0
    low, high = 0.0, 20.0  # of the noncentrality; found is 1 - P(|T| <= critical)
    for _ in range(60):
        middle = (low + high) / 2
        found = scipy.stats.nct.sf(critical, n - 1, middle) + scipy.stats.nct.cdf(-critical, n - 1, middle)
        low, high = (middle, high) if found < power else (low, middle)
    return float(high * scale)


def _several(d: ArrayLike, level: float) -> np.ndarray:
    d = as_vector(d, "d")
    whole(len(d), "the number of differences", 2)
    if not is_number(level) or not 0 < level < 1:
        raise InvalidInputError(f"level is a probability such as 0.95; got {level!r}.")
    return d
