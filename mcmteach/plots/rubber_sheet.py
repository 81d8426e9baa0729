r"""A rubber sheet: the plane as a conformal map stretches it, laid out flat again so that one can look at it.

In feature space the plane becomes a curved surface with the lengths of :func:`mcmteach.conformal.induced_metric`. No flat
picture shows all of them truly, as no flat map shows the Earth. The sheet is the picture that comes nearest: a grid of
springs, each as long as the map makes it, in equilibrium.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from mcmteach.conformal import ConformalMap, induced_metric
from mcmteach.errors import InvalidInputError
from mcmteach.validation import MatrixLike, as_matrix, as_vector, positive, whole


class Sheet(NamedTuple):
    """A grid before and after, both of shape (points, points, 2); [i, j] is row i from below, column j from the left."""

    before: np.ndarray
    after: np.ndarray
    stress: float  #: how far the springs are from their lengths: 0 for a true picture, about 1 for none

    def carry(self, X: MatrixLike) -> np.ndarray:
        """Where the sheet takes the points X, of shape (n_samples, 2); outside the grid, where its nearest edge goes."""
        X = as_matrix(X)
        x, y = self.before[0, :, 0], self.before[:, 0, 1]
        column, right = _cell(X[:, 0], x)
        row, up = _cell(X[:, 1], y)
        lower = self.after[row, column] * (1 - right) + self.after[row, column + 1] * right
        upper = self.after[row + 1, column] * (1 - right) + self.after[row + 1, column + 1] * right
        return lower * (1 - up) + upper * up


def _cell(value: np.ndarray, ticks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which cell a coordinate lies in, and the share of the way through it."""
    place = np.clip((value - ticks[0]) / (ticks[1] - ticks[0]), 0, len(ticks) - 1)
    cell = np.minimum(place.astype(int), len(ticks) - 2)
    return cell, (place - cell)[:, None]


def bent_sheet(
    c: ConformalMap, gamma: float, xlim: Any = (-1.0, 1.0), ylim: Any = (-1.0, 1.0), points: int = 25, steps: int = 60
) -> Sheet:
    r"""The grid of a rectangle as the kernel \(c(x)\,c(x')\exp(-\gamma\|x - x'\|^2)\) bends it.

    Neighbours, diagonal ones too, are joined by springs of length \(\sqrt{dx^T g\,dx / 2\gamma}\), with g in the middle of
    each. So where c = 1 the grid keeps its shape. Their rest is found by majorisation (de Leeuw 1977): give every spring
    its length in its present direction, find the points that fit best by least squares, and repeat; the stress never rises.

    Parameters
    ----------
    c : ConformalMap of two features
    gamma : width of the basic RBF kernel, > 0
    xlim, ylim : the rectangle
    points : how many points a side of the grid has, >= 2
    steps : how often to repeat

    Examples
    --------
    >>> twice = ConformalMap(np.empty((0, 2)), [2.0], gamma=1.0)
    >>> sheet = bent_sheet(twice, gamma=1.0, points=3)
    >>> sheet.after[0, 0].round(6).tolist(), round(sheet.stress, 6)
    ([-2.0, -2.0], 0.0)
    """
    gamma, points, steps = positive(gamma, "gamma"), whole(points, "points", 2), whole(steps, "steps", 1)
    x, y = _limits(xlim, "xlim", points), _limits(ylim, "ylim", points)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    start, end, weights, solve = _net(points, x[1] - x[0], y[1] - y[0])
    dx, middle = grid[end] - grid[start], (grid[start] + grid[end]) / 2
    length = np.sqrt(np.einsum("ei,eij,ej->e", dx, induced_metric(middle, c, gamma) / (2 * gamma), dx))
    sheet = grid
    for _ in range(steps):
        way = sheet[end] - sheet[start]
        pull = (weights * length / np.maximum(np.linalg.norm(way, axis=1), 1e-12))[:, None] * way
        sheet = solve(_gathered(pull, start, end, len(grid)))
    off = np.linalg.norm(sheet[end] - sheet[start], axis=1) - length
    stress = float(np.sqrt(weights @ off**2 / max(weights @ length**2, 1e-300)))
    shape = (points, points, 2)
    return Sheet(grid.reshape(shape), (sheet + grid.mean(axis=0)).reshape(shape), stress)


def _limits(limits: Any, name: str, points: int) -> np.ndarray:
    low, high = as_vector(limits, name, 2)
    if not low < high:
        raise InvalidInputError(f"{name} goes from {low:g} to {high:g}, but must increase.")
    return np.linspace(low, high, points)


def _gathered(pull: np.ndarray, start: np.ndarray, end: np.ndarray, size: int) -> np.ndarray:
    """What all springs together do to each point: each pulls at its two ends, in opposite directions."""
    return np.column_stack([np.bincount(end, p, size) - np.bincount(start, p, size) for p in pull.T])


@lru_cache(maxsize=8)
def _net(points: int, width: float, height: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, Callable]:
    """Starts and ends of the springs, their weights, and what solves the least squares. It depends on the grid only."""
    i = np.arange(points**2).reshape(points, points)
    pairs = [(i[:, :-1], i[:, 1:]), (i[:-1], i[1:]), (i[:-1, :-1], i[1:, 1:]), (i[1:, :-1], i[:-1, 1:])]
    start, end = (np.concatenate([pair[k].ravel() for pair in pairs]) for k in (0, 1))
    sides = [width**2, height**2, width**2 + height**2, width**2 + height**2]
    weights = np.concatenate([np.full(pair[0].size, 1 / side) for pair, side in zip(pairs, sides, strict=True)])
    W = sp.coo_array((np.r_[weights, weights], (np.r_[start, end], np.r_[end, start]))).tocsc()
    L = sp.diags_array(W.sum(axis=0)).tocsc() - W
    held = splu(
        L[1:, 1:]
    )  # the whole sheet may be moved, so one point is held in place, and the middle set right later

    def solve(pulls: np.ndarray) -> np.ndarray:
        place = np.vstack([np.zeros((1, 2)), held.solve(pulls[1:])])
        return place - place.mean(axis=0)

    return start, end, weights, solve
