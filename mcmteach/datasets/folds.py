"""Splits for cross-validation inside the library, which cannot ask scikit-learn for them."""

from __future__ import annotations

import numpy as np


def stratified_folds(y: np.ndarray, k: int, seed: int) -> list[np.ndarray]:
    """The rows of each of k parts, every class spread evenly over them (to one row).

    Examples
    --------
    >>> parts = stratified_folds(np.array([-1, -1, -1, 1, 1, 1]), k=3, seed=0)
    >>> [sorted(np.array([-1, -1, -1, 1, 1, 1])[rows].tolist()) for rows in parts]
    [[-1, 1], [-1, 1], [-1, 1]]
    """
    rng = np.random.default_rng(seed)
    place = np.empty(len(y), dtype=int)
    start = 0
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        place[rows] = (start + np.arange(len(rows))) % k
        start += len(rows)
    return [np.flatnonzero(place == part) for part in range(k)]


def others(rows: np.ndarray, M: int) -> np.ndarray:
    """The rows of 0 … M - 1 that are not among ``rows``."""
    return np.setdiff1d(np.arange(M), rows)


def prefers(hits: np.ndarray, plain_hits: np.ndarray) -> bool:
    """Whether validation prefers one machine to a plainer one, given which rows each gets right.

    Rows on which they agree say nothing. Of the rest, were both equally good, each would be right on half, give or take
    half of the square root of their number. So the plainer one stays unless the other wins more rows than it loses by
    more than that root.

    Examples
    --------
    >>> plain = np.array([True, True, False, False, False])
    >>> prefers(np.array([True, True, True, True, False]), plain), prefers(np.array([True, True, True, False, False]), plain)
    (True, False)
    """
    wins, losses = np.sum(hits & ~plain_hits), np.sum(~hits & plain_hits)
    return bool(wins - losses > np.sqrt(wins + losses))
