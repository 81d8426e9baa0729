"""Points in the plane, the lines and curves that divide them, and their margins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.capacity import functional_margins
from mcmteach.errors import InvalidInputError
from mcmteach.plots.canvas import (
    BLACK,
    BLUE,
    CLASS_STYLES,
    VERMILION,
    Ax,
    axes_or_new,
    cross,
    frame,
    grid_over,
    one_label_per_row,
    plane_data,
    ring,
    tint_sides,
)
from mcmteach.plots.description import described
from mcmteach.validation import as_vector


@described
def plot_points(X: ArrayLike, y: ArrayLike, ax: Ax = None, names: Sequence[str] | None = None, size: float = 32) -> Any:
    """Two-dimensional points, each class with its own colour and marker.

    Parameters
    ----------
    X : array of shape (n_samples, 2)
    y : array of shape (n_samples,) with two labels, the smaller one drawn as blue circles
    names : what the legend calls the classes, in the order of the sorted labels
    size : area of a marker, in points²

    Examples
    --------
    >>> ax = plot_points([[0, 0], [1, 1]], [-1, 1])
    >>> [c.get_label() for c in ax.collections]
    ['class -1', 'class 1']
    """
    ax = axes_or_new(ax)
    X = plane_data(X)
    y = one_label_per_row(y, len(X))
    labels = np.unique(y)
    if len(labels) > 2:
        raise InvalidInputError(f"y holds {len(labels)} labels, but this picture shows two classes.")
    styles = CLASS_STYLES if len(labels) == 2 or labels[0] <= 0 else CLASS_STYLES[1:]
    for i, (label, style) in enumerate(zip(labels, styles, strict=False)):
        name = names[i] if names is not None else f"class {label}"
        ax.scatter(*X[y == label].T, s=size, edgecolors="white", linewidths=0.6, label=name, zorder=3, **style)
    return ax


@described
def plot_decision(
    machine: Any,
    X: ArrayLike,
    y: ArrayLike,
    ax: Ax = None,
    names: Sequence[str] | None = None,
    support: bool = True,
    points: int = 200,
) -> Any:
    """A fitted machine's regions, boundary (solid), margins f = -1 and +1 (dashed), and support vectors (ringed).

    Parameters
    ----------
    machine : any fitted two-class estimator with a ``decision_function`` on two features
    X, y : the points to show, as in :func:`plot_points`
    support : whether to ring the support vectors. In a smooth machine every sample is one, so there it says nothing
    points : the decision function is computed on a grid of so many points in each direction

    Examples
    --------
    >>> from mcmteach import MCMClassifier
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1]
    >>> ax = plot_decision(MCMClassifier(gamma=2.0).fit(X, y), X, y)
    """
    ax = axes_or_new(ax)
    X = plane_data(X)
    grid, shape, extent = grid_over(X, points)
    f = np.asarray(machine.decision_function(grid)).reshape(shape)
    gx, gy = grid[:, 0].reshape(shape), grid[:, 1].reshape(shape)
    ax.contourf(gx, gy, f, levels=[-np.inf, 0, np.inf], colors=[BLUE, VERMILION], alpha=0.13)
    ax.contour(gx, gy, f, levels=[-1, 0, 1], colors=BLACK, linestyles=["--", "-", "--"], linewidths=[1, 1.8, 1])
    plot_points(X, y, ax, names)
    vectors = getattr(machine, "support_vectors_", None) if support else None
    if vectors is not None and len(vectors):
        plot_support(vectors, ax)
    ax.set(xlim=extent[:2], ylim=extent[2:])
    return ax


@described
def plot_support(support_vectors: ArrayLike, ax: Ax = None, label: str | None = None) -> Any:
    """Rings around the support vectors, or around the points that the legend names."""
    ax, places = axes_or_new(ax), plane_data(support_vectors)
    if label is None:
        label = f"{len(places)} support vectors" if len(places) != 1 else "1 support vector"
    ax.scatter(*places.T, s=130, facecolors="none", edgecolors=BLACK, linewidths=1.5, label=label, zorder=4)
    return ax


@described
def plot_hyperplane(
    w: ArrayLike, b: float, ax: Ax = None, margins: bool = True, label: str | None = None, **style: Any
) -> Any:
    """The line w·x + b = 0 across the picture, with dashed margins at w·x + b = -1 and +1.

    Examples
    --------
    >>> ax = plot_hyperplane([1.0, 1.0], -1.0)
    >>> len(ax.lines)
    3
    """
    ax = axes_or_new(ax)
    w = as_vector(w, "w", 2)
    norm2 = w @ w
    if norm2 == 0:
        raise InvalidInputError("w = 0 has no line to draw.")
    style = {"color": BLACK, **style}
    limits = ax.axis()
    for level, line, width in ((0, "-", 1.8), (-1, "--", 1.0), (1, "--", 1.0))[: 3 if margins else 1]:
        foot = w * (level - b) / norm2  # the point of the line that is nearest to the origin
        ax.axline(
            foot,
            foot + np.array([-w[1], w[0]]),
            label=label if level == 0 else None,
            **{"linestyle": line, "linewidth": width, **style},
        )
    ax.axis(limits)
    return ax


@described
def plot_margin(X: ArrayLike, y: ArrayLike, w: ArrayLike, b: float, ax: Ax = None) -> Any:
    """A line and its margins: the point of smallest margin ringed and joined to the line, points on the wrong side crossed.

    The two sides are tinted in the colours of the classes that the line gives them; the arrow shows the direction of w,
    and the dashed lines are w·x + b = -1 and +1.

    Examples
    --------
    >>> ax = plot_margin([[0, 0], [2, 1]], [-1, 1], w=[1.0, 1.0], b=-1.0)
    >>> [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]
    ['w·x + b = 0', 'smallest margin']
    """
    X, w = plane_data(X), as_vector(w, "w", 2)
    ax = frame(X, axes_or_new(ax))
    margins = functional_margins(X, y, w, b)
    plot_hyperplane(w, b, ax, label="w·x + b = 0")
    tint_sides(ax, w, b)
    arrow(ax, X, w, b)
    plot_points(X, y, ax, size=48)
    nearest = X[margins <= margins.min() + 1e-6 * np.abs(margins).max()]  # several, where they are equally near
    feet = nearest - np.outer(nearest @ w + b, w) / (w @ w)
    for i, ends in enumerate(zip(nearest, feet, strict=True)):
        ax.plot(*np.array(ends).T, color=BLACK, linewidth=2.2, label="_" * (i > 0) + "smallest margin", zorder=2)
    ring(ax, nearest)
    cross(ax, X[margins <= 0])
    return ax


def arrow(ax: Ax, X: np.ndarray, w: np.ndarray, b: float) -> None:
    """The direction of w, at right angles to the line, beside the middle of the points."""
    left, right, low, high = ax.axis()
    middle = X.mean(axis=0)
    start = middle - w * (w @ middle + b) / (w @ w)
    tip = start + 0.16 * min(right - left, high - low) * w / np.linalg.norm(w)
    ax.annotate(
        "", tip, start, arrowprops={"arrowstyle": "-|>", "color": BLACK, "linewidth": 1.6}, annotation_clip=True
    )
