"""Bent space: maps of a line, a circle that c(x) pushes outwards, magnification as a heat map, and the grid as a sheet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.conformal import ConformalMap, induced_metric, magnification
from mcmteach.errors import InvalidInputError
from mcmteach.plots.canvas import BLACK, CLASS_STYLES, GREY, Ax, axes_or_new, plane_data
from mcmteach.plots.description import described
from mcmteach.plots.rubber_sheet import Sheet
from mcmteach.validation import as_labels, as_vector, positive

SQUARE = (-1.15, 1.15)  #: the frame of wave_points


def shades() -> Any:
    """The colours of magnification: light is little, and even the darkest leaves room for a black line."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["Purples"](np.linspace(0, 0.8, 256)))


@described
def plot_line_map(x: ArrayLike, y: ArrayLike, phi: Callable[[np.ndarray], Any], ax: Ax = None) -> Any:
    """A map of the line: points below, their images on the left, and the curve that takes one to the other.

    Parameters
    ----------
    x : array of shape (n_samples,)
    y : labels -1 or +1
    phi : function of an array of numbers

    Examples
    --------
    >>> ax = plot_line_map([-1.0, 1.0], [-1, 1], np.tanh)
    >>> ax.collections[-1].get_offsets().data.round(3).tolist()    # class +1: the point below, its image on the left
    [[1.0, -0.944], [-1.24, 0.762]]

    Source: N, figures 4 and 5.
    """
    x = as_vector(x, "x")
    y, image = as_labels(y, len(x)), as_vector(phi(x), "phi(x)", len(x))
    ax = axes_or_new(ax, figsize=(4.6, 4.2))
    pad, lift = 0.12 * np.ptp(x), 0.12 * np.ptp(image)
    low, bottom = x.min() - pad, image.min() - lift
    curve = np.linspace(low, x.max() + pad, 200)
    ax.plot(curve, phi(curve), color=BLACK, linewidth=1.8, zorder=2)
    for label, style in zip((-1, 1), CLASS_STYLES, strict=True):
        here, there = x[y == label], image[y == label]
        ax.vlines(here, bottom, there, color=style["color"], linewidth=0.9, linestyle=":")
        ax.hlines(there, low, here, color=style["color"], linewidth=0.9, linestyle=":")
        ends = (np.r_[here, 0 * here + low], np.r_[0 * there + bottom, there])
        ax.scatter(*ends, s=70, edgecolors="white", linewidths=0.6, clip_on=False, zorder=4, **style)
    ax.set(xlim=(low, x.max() + pad), ylim=(bottom, image.max() + lift))
    ax.spines[["right", "top"]].set_visible(False)
    return ax


@described
def plot_polar_map(c: ConformalMap, x: ArrayLike, y: ArrayLike, ax: Ax = None) -> Any:
    """The feature space of k(x, x') = c(x) c(x') cos(x - x'): x is the angle, c(x) the radius.

    Hollow markers on the dashed circle are the images for c = 1; each moves along its ray to the curve.

    Parameters
    ----------
    c : ConformalMap of one feature
    x : array of shape (n_samples,), angles in radians
    y : labels -1 or +1

    Examples
    --------
    >>> flat = ConformalMap(np.empty((0, 1)), [2.0], gamma=1.0)
    >>> ax = plot_polar_map(flat, [0.0, 2.0], [-1, 1])
    >>> [line.get_label() for line in ax.lines][:2]
    ['c = 1', 'after']
    """
    x = as_vector(x, "x")
    y, angle = as_labels(y, len(x)), np.linspace(-np.pi, np.pi, 400)
    ax = axes_or_new(ax, figsize=(4.6, 4.6))
    ax.plot(*_on_rays(angle, 1.0), color=GREY, linewidth=1.2, linestyle="--", label="c = 1")
    ax.plot(*_on_rays(angle, c(angle[:, None])), color=BLACK, linewidth=1.8, label="after")
    ax.plot(
        *np.stack([0 * np.array(_on_rays(x, 1.0)), _on_rays(x, c(x[:, None]))]).transpose(1, 0, 2),
        color=GREY,
        linewidth=0.6,
    )
    ax.scatter([0], [0], s=60, marker="+", color=BLACK, zorder=3, label="the origin")
    for label, style in zip((-1, 1), CLASS_STYLES, strict=True):
        here = x[y == label]
        hollow = {"facecolors": "white", "edgecolors": style["color"], "marker": style["marker"]}
        ax.scatter(*_on_rays(here, 1.0), s=45, zorder=3, **hollow)
        after = _on_rays(here, c(here[:, None]))
        ax.scatter(*after, s=75, edgecolors="white", linewidths=0.6, zorder=4, **style)
    ax.set_aspect("equal")
    return ax


@described
def plot_magnification(
    c: ConformalMap, gamma: float, ax: Ax = None, xlim: Any = SQUARE, ylim: Any = SQUARE, colorbar: bool = True
) -> Any:
    r"""How many times a map magnifies a small area, as a heat map: √(det g) over what it is without a map.

    Examples
    --------
    >>> flat = ConformalMap(np.empty((0, 2)), [3.0], gamma=1.0)
    >>> ax = plot_magnification(flat, gamma=0.5, colorbar=False)
    >>> float(ax.images[0].get_array().max().round(9))    # 3 times as long, 9 times as large
    9.0
    """
    ax = axes_or_new(ax, figsize=(5.4, 4.4))
    grid, shape = _grid(xlim, ylim, 61)
    times = (magnification(grid, c, gamma) / (2 * gamma)).reshape(shape)
    image = ax.imshow(
        times, extent=(*xlim, *ylim), origin="lower", cmap=shades(), vmin=0, vmax=times.max(), interpolation="bilinear"
    )
    ax.set(xlim=xlim, ylim=ylim)
    if colorbar:
        ax.figure.colorbar(image, ax=ax, shrink=0.85, label="magnified (times)")
    return ax


@described
def plot_small_circles(c: ConformalMap, gamma: float, at: ArrayLike, ax: Ax = None, size: float = 0.08) -> Any:
    """What a map makes of small circles around some points: ellipses, drawn where the circles were.

    A map that keeps angles makes circles of circles. Cartographers draw the Earth's maps so (Tissot's indicatrix).

    Parameters
    ----------
    c, gamma : the map and the width of the Gaussian kernel that it multiplies
    at : the centres of the circles, shape (n_circles, 2)
    size : their radius

    Examples
    --------
    >>> flat = ConformalMap(np.empty((0, 2)), [1.5], gamma=1.0)
    >>> ax = plot_small_circles(flat, gamma=1.0, at=[[0.0, 0.0], [1.0, 2.0]])
    >>> ax.collections[0].get_offsets().data.tolist()
    [[0.0, 0.0], [1.0, 2.0]]
    """
    from matplotlib.collections import EllipseCollection

    ax = axes_or_new(ax, figsize=(4.6, 4.4))
    at, size = plane_data(at), positive(size, "size")
    longer, shorter, turn = stretched_circles(c, gamma, at)
    width, height = 2 * size * longer, 2 * size * shorter
    for colour, thickness in (("white", 2.8), (BLACK, 1.2)):  # with an outline, visible on any shade
        ellipses = EllipseCollection(
            width, height, turn, units="xy", offsets=at, transOffset=ax.transData, facecolors="none"
        )
        ellipses.set(edgecolor=colour, linewidth=thickness, zorder=3)
        ax.add_collection(ellipses)
    return ax


def stretched_circles(c: ConformalMap, gamma: float, at: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How much longer a step becomes at best and at worst, and the direction of the best, in degrees, at each point.

    Examples
    --------
    >>> hill = ConformalMap([[0.0, 0.0]], [1.0, 1.0], gamma=1.0)
    >>> longer, shorter, turn = stretched_circles(hill, gamma=0.5, at=[[0.0, 1.0]])    # north of the top
    >>> longer.round(4).tolist(), shorter.round(4).tolist(), abs(turn).round(4).tolist()
    ([1.5532], [1.3679], [90.0])
    """
    stretch, directions = np.linalg.eigh(induced_metric(at, c, gamma) / (2 * gamma))  # in rising order
    shorter, longer = np.sqrt(np.maximum(stretch, 0)).T
    return longer, shorter, np.degrees(np.arctan2(directions[:, 1, 1], directions[:, 0, 1]))


@described
def plot_boundary(
    machine: Any,
    ax: Ax,
    xlim: Any = SQUARE,
    ylim: Any = SQUARE,
    sheet: Sheet | None = None,
    label: str = "",
    **style: Any,
) -> Any:
    """The line f = 0 of a machine, where a sheet has carried it if there is one.

    Examples
    --------
    >>> from mcmteach import MCMClassifier
    >>> machine = MCMClassifier(gamma=2.0).fit([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1])
    >>> ax = plot_boundary(machine, axes_or_new(None), label="before")
    >>> [line.get_label() for line in ax.lines]
    ['before']
    """
    grid, shape = _grid(xlim, ylim, 51)
    f = np.asarray(machine.decision_function(grid)).reshape(shape)
    x, y = (grid if sheet is None else sheet.carry(grid)).T.reshape(2, *shape)
    style = {"color": BLACK, "linewidth": 2.0, "linestyle": "-", **style}
    if f.min() < 0 < f.max():
        look = {"colors": [style["color"]], "linewidths": style["linewidth"], "linestyles": [style["linestyle"]]}
        ax.contour(x, y, f, levels=[0], zorder=2.5, **look)
    if label:
        ax.plot([], [], label=label, **style)
    return ax


@described
def plot_sheet(sheet: Sheet, times: Any = None, ax: Ax = None, most: float | None = None) -> Any:
    """The grid of a sheet after it was bent, with every other line drawn.

    Parameters
    ----------
    sheet : from :func:`mcmteach.plots.rubber_sheet.bent_sheet`
    times : array of shape (points, points), what to shade it with, as a rule the magnification
    most : the value of the darkest shade; the largest one where it is left out

    Examples
    --------
    >>> from mcmteach.plots.rubber_sheet import bent_sheet
    >>> sheet = bent_sheet(ConformalMap(np.empty((0, 2)), [1.0], gamma=1.0), gamma=1.0, points=5)
    >>> len(plot_sheet(sheet).collections[0].get_segments())    # three lines of five, in each direction
    6
    """
    from matplotlib.collections import LineCollection

    ax = axes_or_new(ax, figsize=(4.6, 4.4))
    x, y = sheet.after.transpose(2, 0, 1)
    if times is not None:
        times = np.asarray(times, dtype=float)
        if times.shape != x.shape:
            raise InvalidInputError(
                f"times has shape {times.shape}, but {x.shape} is needed: one number per point of the grid."
            )
        ax.pcolormesh(x, y, times, shading="gouraud", cmap=shades(), vmin=0, vmax=times.max() if most is None else most)
    lines = [*sheet.after[::2], *sheet.after[:, ::2].transpose(1, 0, 2)]
    ax.add_collection(LineCollection(lines, colors=GREY, linewidths=0.6, zorder=2))
    low, high = sheet.after.min(axis=(0, 1)), sheet.after.max(axis=(0, 1))
    border = 0.05 * np.max(high - low)
    ax.set(xlim=(low[0] - border, high[0] + border), ylim=(low[1] - border, high[1] + border))
    ax.set_aspect("equal")
    return ax


def _on_rays(angle: np.ndarray, r: Any) -> tuple[np.ndarray, np.ndarray]:
    return r * np.cos(angle), r * np.sin(angle)


def _grid(xlim: Any, ylim: Any, points: int) -> tuple[np.ndarray, tuple[int, int]]:
    gx, gy = np.meshgrid(np.linspace(xlim[0], xlim[1], points), np.linspace(ylim[0], ylim[1], points))
    return np.column_stack([gx.ravel(), gy.ravel()]), gx.shape
