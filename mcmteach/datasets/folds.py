"""Splits for cross-validation, and the training and test data of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcmteach.datasets.standardise import fill_gaps, standardised
from mcmteach.errors import InvalidInputError
from mcmteach.validation import FloatArray, as_classes, as_matrix, one_per_row, whole

#: Indices of rows
Rows = NDArray[np.intp]
#: How many stratified folds to make, or the (train, test) indices of each
Folds = int | Iterable[tuple[Any, Any]]


def stratified_folds(y: ArrayLike, n_folds: int = 5, seed: int = 0) -> list[tuple[Rows, Rows]]:
    """(train, test) indices, such that each fold has its share of every class, give or take one sample.

    Examples
    --------
    >>> [test.tolist() for train, test in stratified_folds([0, 0, 0, 1, 1, 1], n_folds=3)]
    [[2, 5], [0, 4], [1, 3]]
    """
    y, n_folds, seed = as_classes(y), whole(n_folds, "n_folds", 2), whole(seed, "seed", 0)
    classes, counts = np.unique(y, return_counts=True)
    if not len(classes):
        raise InvalidInputError("y is empty: there are no samples to make folds of.")
    if len(classes) < 2:
        raise InvalidInputError(f"y holds one class only ({classes[0]}), but two are needed to learn a difference.")
    if counts.min() < n_folds:
        raise InvalidInputError(
            f"Class {classes[counts.argmin()]} has {counts.min()} samples, so {n_folds} folds would leave one without it. "
            f"Take at most {counts.min()} folds, or collect more of that class."
        )
    return [(others(test, len(y)), test) for test in stratified_parts(y, n_folds, seed)]


def stratified_parts(y: NDArray[Any], k: int, seed: int) -> list[Rows]:
    """The rows of each of k parts, every class spread evenly over them (to one row), however few it has.

    Examples
    --------
    >>> parts = stratified_parts(np.array([-1, -1, -1, 1, 1, 1]), k=3, seed=0)
    >>> [sorted(np.array([-1, -1, -1, 1, 1, 1])[rows].tolist()) for rows in parts]
    [[-1, 1], [-1, 1], [-1, 1]]
    """
    rng = np.random.default_rng(seed)
    part_of = np.empty(len(y), dtype=int)
    start = 0
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        part_of[rows] = (start + np.arange(len(rows))) % k
        start += len(rows)
    return [np.flatnonzero(part_of == part) for part in range(k)]


def others(rows: Rows, M: int) -> Rows:
    """The rows of 0 … M - 1 that are not among ``rows``."""
    return np.setdiff1d(np.arange(M), rows)


class Part(NamedTuple):
    """The data of a fold, with gaps filled and features scaled by its training part; labels are -1 and +1."""

    X: FloatArray
    y: FloatArray
    X_test: FloatArray
    y_test: FloatArray


def make_parts(X: ArrayLike, y: ArrayLike, folds: Folds = 5, seed: int = 0, standardise: bool = True) -> list[Part]:
    """The folds with gaps filled and features scaled, each by its own training part; the larger label becomes +1.

    Parameters
    ----------
    X : array of shape (n_samples, n_features), NaN where a value is missing
    y : array of shape (n_samples,), any two labels
    folds : how many stratified folds to make, or a list of (train, test) pairs of indices
    seed : shuffles the samples before folds are made
    standardise : scale to mean 0 and variance 1
    """
    X = as_matrix(X, missing=True)
    y = one_per_row(as_classes(y), X, "label")
    classes = np.unique(y)
    if len(classes) > 2:
        raise InvalidInputError(f"Only binary classification is supported, but y holds {len(classes)} classes.")
    signs = np.where(y == classes[-1], 1.0, -1.0)
    return [_part(X, signs, train, test, k, standardise) for k, (train, test) in enumerate(as_folds(y, folds, seed))]


def _part(X: FloatArray, y: FloatArray, train: np.ndarray, test: np.ndarray, k: int, standardise: bool) -> Part:
    if len(np.unique(y[train])) < 2:
        raise InvalidInputError(
            f"The training part of fold {k} holds one class only, but two are needed to learn a difference. "
            "Use stratified folds (folds=5), fewer of them, or other samples."
        )
    if not len(test):
        raise InvalidInputError(f"Fold {k} has no test samples. Each fold is a pair (train, test) of index arrays.")
    A, Z = fill_gaps(X[train], X[test])
    if standardise:
        A, Z = standardised(A, Z)
    return Part(A, y[train], Z, y[test])


def as_folds(y: ArrayLike, folds: Folds, seed: int) -> list[tuple[Any, Any]]:
    """``folds`` as a list of (train, test) index arrays."""
    if isinstance(folds, int | np.integer):
        return list(stratified_folds(y, int(folds), seed))
    try:
        pairs = [(np.asarray(train), np.asarray(test)) for train, test in folds]
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"folds must be a whole number, or a list of (train, test) index arrays; got {folds!r}."
        ) from None
    if not pairs:
        raise InvalidInputError("There are no folds. Give a number of them, or a list of (train, test) index arrays.")
    return pairs


def prefers(hits: NDArray[np.bool_], plain_hits: NDArray[np.bool_]) -> bool:
    """Whether validation prefers one machine to a simpler one, given which rows each classifies correctly.

    Rows on which they agree carry no information. On the others, if both machines were equally good, wins minus losses
    would have mean 0 and the square root of their number as its standard deviation. The simpler machine stays unless the
    difference is larger than that.

    Examples
    --------
    >>> plain = np.array([True, True, False, False, False])
    >>> prefers(np.array([True, True, True, True, False]), plain), prefers(np.array([True, True, True, False, False]), plain)
    (True, False)
    """
    wins, losses = int(np.sum(hits & ~plain_hits)), int(np.sum(~hits & plain_hits))
    return bool(wins - losses > np.sqrt(wins + losses))
