"""Filling gaps and scaling features with numbers from the training part alone."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.validation import FloatArray, as_matrix


def fill_gaps(train: ArrayLike, *others: ArrayLike) -> tuple[FloatArray, ...]:
    """The training part and any others, each gap (NaN) filled with the median of its column in the training part.

    A column without a number in the training part has no median and is filled with 0, so that no column is lost.

    Examples
    --------
    >>> train, test = fill_gaps([[1.0, np.nan], [3.0, np.nan], [np.nan, np.nan]], [[np.nan, 5.0]])
    >>> train.tolist(), test.tolist()
    ([[1.0, 0.0], [3.0, 0.0], [2.0, 0.0]], [[2.0, 5.0]])
    """
    parts = _parts(train, others, missing=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)  # numpy, of a column without a number
        medians = np.nan_to_num(np.nanmedian(parts[0], axis=0))
    return tuple(np.where(np.isnan(part), medians, part) for part in parts)


def standardised(train: ArrayLike, *others: ArrayLike) -> tuple[FloatArray, ...]:
    r"""The training part and any others, less the training part's means and divided by its standard deviations.

    A column that is constant in the training part is divided by 1. In floating point its deviation need not be 0: the mean
    of 176 times 0.48 differs from 0.48 in the last digits. So a deviation of less than \(10^{-12}\) of the mean counts as 0.

    Examples
    --------
    >>> train, test = standardised([[1.0, 7.0], [3.0, 7.0]], [[4.0, 9.0]])
    >>> train.tolist(), test.tolist()
    ([[-1.0, 0.0], [1.0, 0.0]], [[2.0, 2.0]])
    """
    parts = _parts(train, others)
    mean, sd = parts[0].mean(axis=0), parts[0].std(axis=0)
    sd = np.where(sd > 1e-12 * np.abs(mean), sd, 1.0)
    return tuple((part - mean) / sd for part in parts)


def _parts(train: ArrayLike, others: tuple[ArrayLike, ...], missing: bool = False) -> list[FloatArray]:
    parts = [as_matrix(part, missing=missing) for part in (train, *others)]
    if len(columns := {part.shape[1] for part in parts}) > 1:
        raise InvalidInputError(f"All parts need the same columns, but they have {sorted(columns)} of them.")
    return parts
