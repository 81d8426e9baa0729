"""Slack, the losses that stand for it, and the ways down to the soft margin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.bounds import hinge_loss, zero_one_loss
from mcmteach.capacity import functional_margins
from mcmteach.plots.canvas import (
    BLACK,
    BLUE,
    CLASS_STYLES,
    CURVES,
    GREY,
    VERMILION,
    Ax,
    axes_or_new,
    cross,
    frame,
    plane_data,
    tint_sides,
)
from mcmteach.plots.description import described
from mcmteach.plots.planes import plot_hyperplane, plot_points
from mcmteach.svm import History, slack, valley
from mcmteach.validation import as_vector, positive

START = 0.5  # where a logarithmic axis shows step 0


@described
def plot_slack(X: ArrayLike, y: ArrayLike, w: ArrayLike, b: float, ax: Ax = None) -> Any:
    """A line with its margins, and a stroke from each point that pays slack to the dashed line where it would pay none.

    The stroke's length is the slack over the length of w. Points on the wrong side of the solid line are crossed.

    Parameters
    ----------
    X : array of shape (n_samples, 2)
    y : labels -1 and +1
    w, b : the line; where w = 0 there is none, and only the points are drawn

    Examples
    --------
    >>> ax = plot_slack([[0, 0], [2, 0], [0.5, 1]], [-1, 1, 1], w=[1.0, 0.0], b=-1.0)
    >>> [float(x) for x in ax.lines[-1].get_xdata()]    # from the third point to w·x + b = 1
    [0.5, 2.0]
    """
    X, w = plane_data(X), as_vector(w, "w", 2)
    ax = frame(X, axes_or_new(ax))
    plot_points(X, y, ax, size=48)
    if not w.any():
        return ax
    plot_hyperplane(w, b, ax)
    tint_sides(ax, w, b)
    y, q, limits = np.asarray(y, dtype=float), slack(X, y, w, b), ax.axis()
    feet = X + np.outer(y * q, w) / (w @ w)
    for p in np.flatnonzero(q > 1e-6):
        ax.plot(*np.array([X[p], feet[p]]).T, color=CLASS_STYLES[int(y[p] > 0)]["color"], linewidth=1.6, zorder=2)
    cross(ax, X[functional_margins(X, y, w, b) <= 0])
    ax.axis(limits)
    return ax


@described
def plot_losses(widths: Sequence[float] = (1.0,), ax: Ax = None) -> Any:
    """What a point pays against y f: the errors that one would count, the hinge, and its smooth versions.

    Parameters
    ----------
    widths : over how much of y f the smooth versions round the hinge's corner

    Examples
    --------
    >>> ax = plot_losses(widths=[1.0, 0.2])
    >>> [line.get_label() for line in ax.lines]
    ['error (zero-one)', 'hinge', 'smooth, τ = 1', 'smooth, τ = 0.2', '_the margin']
    """
    ax = axes_or_new(ax)
    t = np.linspace(-2, 3, 401)
    ax.plot(t, zero_one_loss(np.ones_like(t), t), color=GREY, linewidth=2, linestyle=":", label="error (zero-one)")
    ax.plot(t, hinge_loss(np.ones_like(t), t), color=BLACK, linewidth=2.4, label="hinge")
    for width, (color, line) in zip(widths, CURVES, strict=False):
        tau = positive(width, "width")
        smooth = tau * np.logaddexp(0.0, (1 - t) / tau)
        ax.plot(t, smooth, color=color, linestyle=line, linewidth=2, label=f"smooth, τ = {tau:g}")
    ax.axvline(1, color=BLACK, linewidth=0.8, linestyle="--", label="_the margin")
    ax.set(xlabel="y f(x)", ylabel="loss", xlim=(-2, 3), ylim=(-0.1, 3.3))
    ax.legend(frameon=False)
    return ax


@described
def plot_descent(
    ways: Mapping[str, Any], minimum: float, ax: Ax = None, at: int | None = None, floor: float = 1e-5
) -> Any:
    """How far above its minimum the objective is after each step, as a share of the minimum, on logarithmic axes.

    Parameters
    ----------
    ways : {name: the objective at each step, the start included}
    minimum : what the objective cannot go below, > 0
    at : where given, a dot on each way at this step
    floor : shares below this are drawn at the lower edge, as those above 100 are at the upper one

    Examples
    --------
    >>> ax = plot_descent({"down": [4.0, 3.0, 2.2]}, minimum=2.0)
    >>> ax.lines[0].get_ydata().round(3).tolist()
    [1.0, 0.5, 0.1]
    """
    ax = axes_or_new(ax)
    minimum, longest = positive(minimum, "minimum"), 1
    for (name, objective), (color, line) in zip(ways.items(), CURVES, strict=False):
        share = np.clip(as_vector(objective, "objective") / minimum - 1, floor, 100.0)
        steps = np.maximum(np.arange(len(share)), START)
        ax.plot(steps, share, color=color, linestyle=line, linewidth=1.6, label=name)
        if at is not None:
            ax.plot(steps[at], share[at], marker="o", color=BLACK, markersize=9, label="_now")
        longest = max(longest, len(share) - 1)
    ax.axhline(0.01, color=BLACK, linewidth=0.8, linestyle=":", label="_one per cent")
    ax.set(xscale="log", yscale="log", xlim=(START, longest), ylim=(floor, 100))
    ax.minorticks_off()
    powers = 10.0 ** np.arange(round(np.log10(floor)), 3)
    ax.set_yticks(powers, [f"{100 * power:g} %" for power in powers])
    ends = 10 ** np.arange(int(np.log10(longest)) + 1)
    ax.set_xticks([START, *ends], ["0", *map(str, ends)])
    ax.set(xlabel="step", ylabel="E above its minimum")
    return ax


@described
def plot_valley(
    X: ArrayLike,
    y: ArrayLike,
    ways: Mapping[str, History],
    C: float = 1.0,
    ax: Ax = None,
    span: tuple[float, float] = (-1.0, 4.0),
) -> Any:
    """The objective as a landscape over w (b at its best for each w), its lowest point starred, and the ways down into it.

    Parameters
    ----------
    X, y : the points
    ways : {name: a History}, as :func:`mcmteach.svm.descent` gives it
    C : price of slack
    span : the smallest and the largest w_1 and w_2 that are shown

    Examples
    --------
    >>> from mcmteach.svm import descent
    >>> X, y = [[2.0, 1.0], [1.0, 2.0], [-1.0, 0.0], [0.0, -1.0]], [1, 1, -1, -1]
    >>> ax = plot_valley(X, y, {"down": descent(X, y, rho=0.1)}, span=(-1, 2))
    >>> [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]
    ['down']
    """
    ax = axes_or_new(ax)
    side = np.linspace(span[0], span[1], 61)
    grid = np.array([(u, v) for v in side for u in side])
    E = valley(plane_data(X), y, grid, C).reshape(61, 61)
    levels = E.min() + (E.max() - E.min()) * np.linspace(0, 1, 15) ** 2.5
    ax.contourf(side, side, E, levels=levels, cmap="Blues_r", alpha=0.75)
    ax.contour(side, side, E, levels=levels, colors="white", linewidths=0.6)
    for (name, way), color in zip(ways.items(), (VERMILION, BLACK, BLUE), strict=False):
        ax.plot(*way.w.T, color=color, marker="o", markersize=3.2, linewidth=1.2, label=name)
    ax.plot(*grid[E.argmin()], marker="*", color="#F0E442", markeredgecolor=BLACK, markersize=15, label="_lowest")
    ax.set(xlim=span, ylim=span, xlabel="$w_1$", ylabel="$w_2$")
    ax.set_aspect("equal", adjustable="box")
    return ax
