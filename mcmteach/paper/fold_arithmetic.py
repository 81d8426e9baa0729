r"""Can a printed "mean ± SD" be that of five folds? Arithmetic alone tells, where the sizes of the test folds are known.

A fold with n test samples has an accuracy of 100 r/n per cent with a whole number r. Only some pairs of mean and standard
deviation can come of that, and when a fold was left out of a mean without saying so, the pair gives it away.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np

from mcmteach.errors import InvalidInputError
from mcmteach.paper.printed import ROUNDING, SLIVER, MeanSD

REACH = ROUNDING + SLIVER  # how far a number may be from what is printed


def right_answers(printed: MeanSD, sizes: Sequence[int]) -> tuple[int, ...] | None:
    r"""Numbers of right answers in folds of these sizes that give a printed mean and standard deviation; None if none do.

    With k folds and the divisor k - 1 no accuracy can be further than \(s (k - 1)/\sqrt k\) from the mean, which leaves few
    candidates for each fold. The sums and the sums of squares of the first folds and of the others are then compared.

    Examples
    --------
    >>> right_answers(MeanSD(75.0, 0.0), [4, 8])
    (3, 6)
    >>> right_answers(MeanSD(71.55, 0.0), [116, 117]) is None           # no r/117 is near 71.55 %
    True
    """
    if not sizes:
        raise InvalidInputError("There is no fold.")
    k, (mean, sd) = len(sizes), printed
    reach = (sd + REACH) * (k - 1) / np.sqrt(k) + REACH
    candidates = [[r for r in range(n + 1) if abs(100 * r / n - mean) <= reach] for n in sizes]
    half = k // 2
    left, right = _sums(candidates[:half], sizes[:half], mean), _sums(candidates[half:], sizes[half:], mean)
    if not len(left[0]) or not len(right[0]):
        return None
    order = np.argsort(right[1], kind="stable")
    sums, squares = right[1][order], right[2][order]
    low = max(0.0, sd - REACH) ** 2 * (k - 1)
    high = (sd + REACH) ** 2 * (k - 1)
    first = np.searchsorted(sums, -k * REACH - left[1])
    last = np.searchsorted(sums, k * REACH - left[1], side="right")
    for i in np.flatnonzero(last > first):
        total = left[1][i] + sums[first[i] : last[i]]
        spread = left[2][i] + squares[first[i] : last[i]] - total**2 / k
        fits = np.flatnonzero((spread >= low - 1e-9) & (spread <= high + 1e-9))
        if len(fits):
            return (*left[0][i].tolist(), *right[0][order[first[i] + fits[0]]].tolist())
    return None


def _sums(candidates: list[list[int]], sizes: Sequence[int], mean: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All combinations, and for each the sum and the sum of squares of its accuracies' distances from the mean."""
    found = list(product(*candidates))
    combos = np.array(found, dtype=int).reshape(
        len(found), len(sizes)
    )  # of no folds there is one combination, the empty one
    away = 100 * combos / np.array(sizes, dtype=float) - mean
    return combos, away.sum(axis=1), (away**2).sum(axis=1)


def fewest_dropped(printed: MeanSD, sizes: Sequence[int]) -> int:
    """How many folds must have been left out of a printed mean and standard deviation, at the least; -1 if none will do."""
    for dropped in range(len(sizes)):
        if any(right_answers(printed, kept) is not None for kept in set(combinations(sizes, len(sizes) - dropped))):
            return dropped
    return -1
