"""Hyperplanes: the one that a machine finds, and those that it passes on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.validation import FloatArray, as_labels, as_plane


class Plane(NamedTuple):
    """The hyperplane w·x + b = 0 of a machine, and the dual vector that proves how good it is."""

    w: FloatArray
    b: float
    alpha: FloatArray  #: multipliers of the constraints: w = sum_p alpha_p y_p x_p
    gap: float  #: relative duality gap: the objective exceeds its minimum by at most this fraction of its value
    n_iter: int


class History(NamedTuple):
    """The planes that a linear machine passes: one row per step, the start included."""

    objective: FloatArray
    margin: FloatArray  #: the geometric margin of the training data, nan where w = 0
    w: FloatArray  #: shape (n_steps, n_features)
    b: FloatArray

    @classmethod
    def of(
        cls, X: FloatArray, y: FloatArray, planes: Sequence[tuple[FloatArray, float]], objective: Sequence[float]
    ) -> Self:
        """The history of these planes (w, b), with the margin that each has on X, y."""
        w, b = np.array([w for w, _ in planes]), np.array([b for _, b in planes])
        margin = np.array([(y * (X @ v + c)).min() for v, c in planes])
        norm = np.linalg.norm(w, axis=1)
        margin = np.divide(margin, norm, out=np.full(len(norm), np.nan), where=norm > 0)
        return cls(np.array(objective), margin, w, b)


def labelled_plane(
    X: ArrayLike, y: ArrayLike, w: ArrayLike, b: float
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """The checked arguments of a function of samples, labels -1 and +1, and a plane."""
    X, w, b = as_plane(X, w, b)
    return X, as_labels(y, len(X), both=False), w, b
