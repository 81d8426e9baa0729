"""Radius, margin and h_MCM as lengths: a ball, an empty slab and a full strip; and both ratios over all angles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.capacity import CapacityChain, middle_of_gap, radius
from mcmteach.errors import InvalidInputError
from mcmteach.plots.canvas import (
    BLACK,
    CLASS_STYLES,
    GREEN,
    GREY,
    PURPLE,
    Ax,
    axes_or_new,
    log_axis,
    plane_data,
    ring,
)
from mcmteach.plots.description import described
from mcmteach.plots.planes import plot_hyperplane, plot_points
from mcmteach.validation import as_labels, as_vector

ANGLES = np.arange(-90, 90.25, 0.5)  #: degrees; with shifts of either sign this is every line of the plane
TOP = 1000.0  #: where the curves over the angles end: they rise to infinity wherever the line meets a point


@described
def plot_number_line(x: ArrayLike, y: ArrayLike, v: float | None = None, ax: Ax = None) -> Any:
    """Points on a line, the threshold between two classes, the margin Δ and the radius R of the interval that holds them.

    Parameters
    ----------
    x : array of shape (n_samples,) or (n_samples, 1)
    y : labels -1 or +1
    v : the threshold is at x = -v; in the middle of the gap where it is left out

    Examples
    --------
    >>> ax = plot_number_line([0.0, 1.0, 3.0, 4.0], [-1, -1, 1, 1])
    >>> [text.get_text() for text in ax.texts if text.get_text()]
    ['Δ = 1', 'R = 2']

    Source: N, figure 1.
    """
    x = as_vector(np.ravel(x), "x")
    y = as_labels(y, len(x))
    v = middle_of_gap(x[:, None], y, [1.0]) if v is None else float(v)
    ax = axes_or_new(ax, figsize=(8, 2.6))
    low, high = x.min(), x.max()
    middle, pad = (low + high) / 2, 0.08 * (high - low)
    ax.axhline(0, color=BLACK, linewidth=1.2, zorder=1)
    for label, name, style in zip((-1, 1), ("class −1", "class +1"), CLASS_STYLES, strict=True):
        here = x[y == label]
        ax.scatter(here, 0 * here, s=75, edgecolors="white", linewidths=0.6, zorder=3, label=name, **style)
    ax.scatter([-v], [0], s=100, marker="D", color=BLACK, zorder=4, label="threshold")
    # On the radius's own bar: on the line it would hide behind a threshold that is close to it.
    ax.scatter([middle], [-0.45], s=130, marker="+", color=BLACK, linewidths=2, zorder=4, label="middle of the ball")
    _measure(ax, -v, x[np.abs(x + v).argmin()], 0.45, "Δ", BLACK)
    _measure(ax, middle, high, -0.45, "R", GREY)
    ax.set(xlim=(low - pad, high + pad), ylim=(-1.05, 1.05), yticks=[])
    ax.spines[["left", "right", "top"]].set_visible(False)
    return ax


@described
def plot_radius_margin(X: ArrayLike, y: ArrayLike, u: ArrayLike, v: float, ax: Ax = None, strip: bool = True) -> Any:
    """A line in its ball: the empty slab around the line, and the strip that just holds all points.

    The nearest point (ringed) makes the slab, the farthest (in a square) the strip, and the longest the ball about the
    origin (a plus sign). h_MCM is the width of the strip over that of the slab. Points on the wrong side are not marked:
    none of these lengths asks for a label.

    Parameters
    ----------
    X, y : the points; for points on a line, their augmented vectors make a picture of the augmented space
    u, v : the line u·x + v = 0
    strip : whether to show the strip and the farthest point too

    Examples
    --------
    >>> ax = plot_radius_margin([[-2, 0], [-1, 1], [1, 0], [3, 0]], [-1, -1, 1, 1], u=[1.0, 0.0], v=0.0)
    >>> [item.get_text() for item in ax.legend().get_texts()]
    ['ball, R = 3', 'slab, nearest 1', 'strip, farthest 3']
    """
    X, u = plane_data(X), as_vector(u, "u", 2)
    norm = np.linalg.norm(u)
    if norm == 0:
        raise InvalidInputError("u = 0 has no line to draw.")
    unit, v, R = u / norm, float(v / norm), radius(X)
    distance = np.abs(X @ unit + v)
    ax = _around(R, axes_or_new(ax, figsize=(7.6, 4.8)))
    _ball(ax, R)
    _slab(ax, unit, v, distance.min())
    plot_hyperplane(unit, v, ax, margins=False)
    plot_points(X, y, ax, names=["_", "_"], size=48)
    ring(ax, _join(ax, X, unit, v, _alike(distance, distance.min()), "-"))
    if strip:
        _strip(ax, unit, v, distance.max())
        square = _join(ax, X, unit, v, _alike(distance, distance.max()), "-.")
        ax.scatter(*square.T, s=170, marker="s", facecolors="none", edgecolors=BLACK, linewidths=1.8, zorder=4)
    return ax


@described
def plot_two_ways(X: ArrayLike, y: ArrayLike, u: ArrayLike, v: float, ax: Ax = None) -> Any:
    """The two ways to make R/Δ small: push the margin outwards (solid), pull the ball inwards (dashed).

    Examples
    --------
    >>> ax = plot_two_ways([[-2, 0], [-1, 1], [1, 0], [3, 0]], [-1, -1, 1, 1], u=[1.0, 0.0], v=0.0)
    >>> [item.get_text() for item in ax.legend().get_texts()]
    ['ball, R = 3', 'slab, nearest 1', 'push the margin out', 'pull the ball in']

    Source: N, figure 2.
    """
    ax = plot_radius_margin(X, y, u, v, ax, strip=False)
    X, u = plane_data(X), as_vector(u, "u", 2)
    R, norm = radius(X), np.linalg.norm(u)
    unit, near = u / norm, np.abs(X @ u + v).min() / norm
    for side in (-1, 1):
        for place in (-0.6, 0.0):  # along the line
            start = unit * (side * near - v / norm) + place * R * np.array([-unit[1], unit[0]])
            _arrow(ax, start, start + 0.28 * R * side * unit, BLACK, "-")
    for angle in np.radians(np.arange(22.5, 360, 45)):
        ray = np.array([np.cos(angle), np.sin(angle)])
        _arrow(ax, R * ray, 0.78 * R * ray, GREY, "--")
    ax.plot([], [], color=BLACK, linewidth=2, label="push the margin out")
    ax.plot([], [], color=GREY, linewidth=2, linestyle="--", label="pull the ball in")
    return ax


# --- all angles --------------------------------------------------------------------------------------------------------


def over_angles(
    X: np.ndarray, y: np.ndarray, degrees: np.ndarray, shift: float | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """h_MCM, R/Δ (augmented) and whether the classes are separated, for the line at each angle: N(6), N(8).

    The line is cos·x1 + sin·x2 = shift; without a shift, each line runs in the middle of its own gap.
    """
    units = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    f = X @ units
    v = -(f[y > 0].min(axis=0) + f[y < 0].max(axis=0)) / 2 if shift is None else np.full(len(degrees), -float(shift))
    f = f + v
    near, far = np.abs(f).min(axis=0), np.abs(f).max(axis=0)
    with np.errstate(divide="ignore"):
        return far / near, radius(X, augmented=True) * np.hypot(1, v) / near, (y[:, None] * f > 0).all(axis=0)


@described
def plot_capacity_angles(X: ArrayLike, y: ArrayLike, shift: float, angle: float | None = None, ax: Ax = None) -> Any:
    """h_MCM and R/Δ of the lines of every angle with one shift; the angles that separate the classes are shaded.

    Parameters
    ----------
    X, y : the points
    shift : the line at an angle is cos·x1 + sin·x2 = shift
    angle : in degrees, to be marked on both curves

    Examples
    --------
    >>> ax = plot_capacity_angles([[-2, 0], [-1, 1], [1, 0], [3, 0]], [-1, -1, 1, 1], shift=0.0, angle=0.0)
    >>> [line.get_label() for line in ax.lines]
    ['h_MCM', 'R/Δ', '_this angle', '_h_MCM here', '_R/Δ here']
    """
    X, ax = plane_data(X), axes_or_new(ax)
    y = as_labels(y, len(X))
    h, ratio, separates = over_angles(X, y, ANGLES, shift)
    ax.fill_between(ANGLES, 1, TOP, where=separates, color=GREY, alpha=0.25, linewidth=0, label="separates")
    ax.plot(ANGLES, np.minimum(h, 2 * TOP), color=GREEN, linewidth=2, label="h_MCM")
    ax.plot(ANGLES, np.minimum(ratio, 2 * TOP), color=PURPLE, linestyle="--", linewidth=1.6, label="R/Δ")
    if angle is not None:
        here = [min(curve[0], TOP) for curve in over_angles(X, y, np.array([angle]), shift)[:2]]
        ax.axvline(angle, color=BLACK, linestyle=":", linewidth=1.5, label="_this angle")
        _dot(ax, angle, here[0], GREEN, "o", "_h_MCM here")
        _dot(ax, angle, here[1], PURPLE, "s", "_R/Δ here")
    ax.set(xlim=(-90, 90), xticks=[-90, -45, 0, 45, 90], xlabel="angle of u (degrees)")
    log_axis(ax.yaxis, 1.0, TOP)
    return ax


@described
def plot_best_angles(X: ArrayLike, y: ArrayLike, ax: Ax = None, top: float = 20.0) -> Any:
    """h_MCM and R/Δ of the lines that separate, for every angle in the middle of its gap; the lowest of each marked.

    Parameters
    ----------
    X, y : points that a line separates
    top : where the axis ends

    Examples
    --------
    >>> ax = plot_best_angles([[-2, -1], [-1, 0], [1, 0], [2, 1]], [-1, -1, 1, 1])
    >>> [line.get_label() for line in ax.lines]
    ['h_MCM', 'R/Δ', 'lowest h_MCM, at -45°', 'lowest R/Δ, at 0°']
    """
    X, ax = plane_data(X), axes_or_new(ax)
    y = as_labels(y, len(X))
    angles = np.arange(-180, 180, 0.5)
    h, ratio, separates = over_angles(X, y, angles)
    if not separates.any():
        raise InvalidInputError("No line at a half or whole degree separates these classes: there is nothing to show.")
    h, ratio = (np.where(separates, curve, np.nan) for curve in (h, ratio))
    ax.plot(angles, h, color=GREEN, linewidth=2, label="h_MCM")
    ax.plot(angles, ratio, color=PURPLE, linestyle="--", linewidth=1.8, label="R/Δ")
    for curve, color, marker, name in ((h, GREEN, "o", "h_MCM"), (ratio, PURPLE, "s", "R/Δ")):
        i = np.nanargmin(curve)
        _dot(ax, angles[i], curve[i], color, marker, f"lowest {name}, at {angles[i]:g}°")
    shown = angles[separates & (h < top)]
    ax.set(xlim=(shown.min() - 2, shown.max() + 2), ylim=(0, top), xlabel="angle of u (degrees)")
    return ax


@described
def plot_chain(chains: Mapping[Any, CapacityChain], ax: Ax = None) -> Any:
    """The chain h_MCM² ≤ (R/Δ)² < 1 + (R/Δ)² of several planes side by side, on a logarithmic axis.

    Under the ceiling 1 + (R/Δ)² the VC dimension h may lie anywhere (shaded). An arrow leads from h_MCM² up to it: the β
    that N(13) needs, there and nowhere else.

    Parameters
    ----------
    chains : what to write below each plane, and its :func:`mcmteach.capacity_chain`, all finite

    Source: N(11-13).
    """
    if not chains or not all(np.isfinite(chain.vapnik) for chain in chains.values()):
        raise InvalidInputError("The chain of at least one plane is needed, and no plane may go through a point.")
    ax, places = axes_or_new(ax), np.arange(len(chains))
    squares, ratios, ceiling = np.array([[c.h_mcm_squared, c.ratio_squared, c.vapnik] for c in chains.values()]).T
    ax.fill_between(places, 1, ceiling, color=GREY, alpha=0.2, linewidth=0, label="here lies h, N(12)")
    ax.plot(places, ceiling, color=BLACK, linewidth=2, label="1 + (R/Δ)²")
    ax.plot(places, ratios, color=PURPLE, linestyle="--", marker="s", linewidth=1.6, label="(R/Δ)²")
    ax.plot(places, squares, color=GREEN, linestyle="-.", marker="o", linewidth=2, label="h_MCM²", clip_on=False)
    for place, low, high in zip(places, squares, ceiling, strict=True):
        ax.annotate("", (place, high), (place, low), arrowprops={"arrowstyle": "->", "linewidth": 1.2})
        if high > 8 * low:  # else there is no room for the letter
            ax.annotate("β", (place, np.sqrt(low * high)), (4, 0), textcoords="offset points", va="center")
    ax.set_xlim(-0.25, len(chains) - 0.75)
    ax.set_xticks(places, [str(name) for name in chains])
    log_axis(ax.yaxis, 1, 10 ** np.ceil(np.log10(ceiling.max())))
    return ax


# --- parts -------------------------------------------------------------------------------------------------------------


def _measure(ax: Ax, start: float, end: float, height: float, name: str, color: str) -> None:
    """A length, as a dimension line with its value."""
    bar = {"arrowstyle": "|-|,widthA=0.35,widthB=0.35", "color": color, "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (end, height), (start, height), arrowprops=bar)
    place = {"ha": "center", "va": "bottom" if height > 0 else "top"}
    ax.text((start + end) / 2, 1.35 * height, f"{name} = {abs(end - start):.3g}", **place)


def _around(R: float, ax: Ax) -> Any:
    if ax.get_autoscale_on():  # limits that were set before are kept: a panel's picture must not jump
        ax.set(xlim=(-1.15 * R, 1.15 * R), ylim=(-1.15 * R, 1.15 * R))
    ax.set_aspect("equal", adjustable="box")
    return ax


def _ball(ax: Ax, R: float) -> None:
    angles = np.linspace(0, 2 * np.pi, 181)
    ax.plot(
        R * np.cos(angles), R * np.sin(angles), color=GREY, linewidth=1.8, linestyle=":", label=f"ball, R = {R:.3g}"
    )
    ax.plot([0], [0], marker="+", color=BLACK, markersize=10, zorder=1, label="_origin")


def _slab(ax: Ax, unit: np.ndarray, v: float, near: float) -> None:
    """The points that are nearer to the line than the nearest of the data."""
    limits = ax.axis()
    along, across = (4 * np.abs(limits).max() + abs(v)) * np.array([-unit[1], unit[0]]), near * unit
    corners = -v * unit + np.array([-along - across, along - across, along + across, across - along])
    ax.fill(*corners.T, color=GREY, alpha=0.35, linewidth=0, zorder=0.5, label=f"slab, nearest {near:.3g}")
    ax.axis(limits)


def _strip(ax: Ax, unit: np.ndarray, v: float, far: float) -> None:
    for side, label in ((-1, f"strip, farthest {far:.3g}"), (1, None)):
        foot = (side * far - v) * unit
        ax.axline(foot, foot + np.array([-unit[1], unit[0]]), color=BLACK, linestyle="--", linewidth=1.2, label=label)


def _join(ax: Ax, X: np.ndarray, unit: np.ndarray, v: float, which: np.ndarray, line: str) -> np.ndarray:
    """Join points to the line, and return them."""
    points = X[which]
    for point in points:
        foot = point - (point @ unit + v) * unit
        ax.plot(*np.array([point, foot]).T, color=BLACK, linewidth=2, linestyle=line, zorder=2)
    return points


def _alike(distance: np.ndarray, value: float) -> np.ndarray:
    """All that are equally near (or far), up to rounding."""
    return np.abs(distance - value) <= 1e-6 * distance.max()


def _arrow(ax: Ax, start: np.ndarray, end: np.ndarray, color: str, line: str) -> None:
    style = {"arrowstyle": "-|>", "color": color, "linewidth": 2, "linestyle": line, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", end, start, arrowprops=style, annotation_clip=True)


def _dot(ax: Ax, x: float, y: float, color: str, marker: str, label: str) -> None:
    style = {"color": color, "marker": marker, "markeredgecolor": "white", "markersize": 8, "linestyle": "none"}
    ax.plot([x], [y], label=label, clip_on=False, zorder=5, **style)
