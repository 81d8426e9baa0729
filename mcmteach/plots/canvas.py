"""Shared by all pictures: colours, a canvas to draw on, a frame around the points, small marks."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError, missing
from mcmteach.validation import MatrixLike, as_matrix

#: matplotlib's Axes, in public functions also None for new ones. Its own type refuses styles that come as a dictionary.
Ax: TypeAlias = Any

# Okabe and Ito's palette, which the colour-blind can tell apart
BLUE, VERMILION, BLACK, GREY = "#0072B2", "#D55E00", "#000000", "#777777"
#: Two more for machines and their numbers (an MCM and its h_MCM, an SVM and its R/Δ): neither is a class's colour
GREEN, PURPLE = "#009E73", "#7A3E9D"
CLASS_STYLES = ({"color": BLUE, "marker": "o"}, {"color": VERMILION, "marker": "^"})
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
CURVES = ((BLUE, "-"), (VERMILION, "--"), (GREEN, "-."), ("#CC79A7", ":"), ("#56B4E9", (0, (5, 1, 1, 1, 1, 1))))


def new_figure(figsize: tuple[float, float]) -> Any:
    """A pyplot figure of this width and height in inches, with automatic layout."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise missing("Drawing needs matplotlib.", "lessons") from None
    return plt.figure(figsize=figsize, layout="constrained")


def axes_or_new(ax: Ax, figsize: tuple[float, float] = (6, 4.2)) -> Ax:
    return new_figure(figsize).subplots() if ax is None else ax


def frame(X: np.ndarray, ax: Ax) -> Ax:
    """Room around the points, and equal units on both axes, so that right angles look right."""
    _, _, extent = grid_over(X, points=2)
    if ax.get_autoscale_on():  # limits that were set before are kept: a panel's picture must not jump
        ax.set(xlim=extent[:2], ylim=extent[2:])
    ax.set_aspect("equal", adjustable="box")
    return ax


def tint_sides(ax: Ax, w: np.ndarray, b: float) -> None:
    """Each side of the line in the colour of the class that the line gives it."""
    limits = ax.axis()
    unit, far = w / np.linalg.norm(w), 4 * np.abs(limits).max() + abs(b) / np.linalg.norm(w)
    foot, along = -b * w / (w @ w), far * np.array([-unit[1], unit[0]])
    for side, style in zip((-far, far), CLASS_STYLES, strict=True):
        corners = [foot - along, foot + along, foot + along + side * unit, foot - along + side * unit]
        ax.fill(*np.array(corners).T, color=style["color"], alpha=0.1, linewidth=0, zorder=0)
    ax.axis(limits)


def ring(ax: Ax, points: np.ndarray) -> None:
    ax.scatter(*np.atleast_2d(points).T, s=230, facecolors="none", edgecolors=BLACK, linewidths=1.8, zorder=4)


def cross(ax: Ax, points: np.ndarray) -> None:
    ax.scatter(*points.T, s=170, marker="x", color=BLACK, linewidths=1.5, zorder=2.5)


def log_axis(axis: Any, low: float, high: float) -> None:
    """A logarithmic axis with powers of ten in plain text: mathematical type would take longer than the picture."""
    exponents = np.arange(np.ceil(np.log10(low) - 1e-9), np.floor(np.log10(high)) + 1) + 0.0  # no minus zero
    axis.axes.set(**{f"{axis.axis_name}scale": "log", f"{axis.axis_name}lim": (low, high)})
    plain = ((exponents > -5) & (exponents < 6)).all()  # one form for all of them
    names = [f"{10**e:g}" if plain else "10" + f"{e:.0f}".translate(SUPERSCRIPT) for e in exponents]
    axis.set_ticks(10**exponents, names)
    axis.set_ticks([], minor=True)


def plane_data(X: MatrixLike) -> np.ndarray:
    X = as_matrix(X)
    if X.shape[1] != 2:
        raise InvalidInputError(
            f"A picture in the plane needs 2 features, but X has {X.shape[1]}. Take two of them, or PCA."
        )
    return X


def grid_over(
    X: np.ndarray, points: int = 200
) -> tuple[np.ndarray, tuple[int, int], tuple[float, float, float, float]]:
    low, high = X.min(axis=0), X.max(axis=0)
    border = 0.12 * np.where(high > low, high - low, 1.0)
    extent = (low[0] - border[0], high[0] + border[0], low[1] - border[1], high[1] + border[1])
    gx, gy = np.meshgrid(np.linspace(*extent[:2], points), np.linspace(*extent[2:], points))
    return np.column_stack([gx.ravel(), gy.ravel()]), gx.shape, extent


def one_label_per_row(y: ArrayLike, size: int) -> np.ndarray:
    y = np.asarray(y)
    if y.shape != (size,):
        raise InvalidInputError(f"y has shape {y.shape}, but ({size},) is needed: one label per row.")
    return y
