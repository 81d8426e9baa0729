"""The regression machine on one feature: its answers with their tube, and the switch that C is without a price."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.plots.canvas import BLACK, BLUE, CLASS_STYLES, GREY, VERMILION, Ax, axes_or_new, log_axis, ring
from mcmteach.plots.description import described
from mcmteach.validation import as_vector


@described
def plot_tube(machine: Any, x: ArrayLike, y: ArrayLike, ax: Ax = None, truth: Any = None) -> Any:
    """Numbers as points, the machine's answer as a line with its tube in grey, support vectors ringed.

    Parameters
    ----------
    machine : a fitted MCMRegressor of one feature
    x, y : the sample
    truth : a function to draw dotted, where it is known
    """
    ax = axes_or_new(ax)
    x, y = as_vector(x, "x"), as_vector(y, "y", len(np.atleast_1d(x)))
    along = np.linspace(x.min(), x.max(), 400)
    answer, half = machine.predict(along[:, None]), machine.tube_
    ax.fill_between(along, answer - half, answer + half, color=GREY, alpha=0.25, linewidth=0, label="tube")
    if truth is not None:
        ax.plot(along, truth(along), color=GREY, linestyle=":", linewidth=2, label="truth")
    ax.plot(along, answer, color=VERMILION, linewidth=2, label="answer")
    ax.plot(x, y, linestyle="none", marker="o", markersize=6, color=BLUE, label="sample", zorder=3)
    if machine.n_support_:
        ring(ax, np.column_stack([x, y])[machine.support_])
    ax.set(xlabel="x", ylabel="y")
    return ax


@described
def plot_two_classes(x: ArrayLike, y: ArrayLike, epsilon: float, ax: Ax = None) -> Any:
    """Each number as two samples of a classification problem: y + epsilon of class +1, y - epsilon of class −1."""
    ax = axes_or_new(ax)
    x, y = as_vector(x, "x"), as_vector(y, "y")
    ax.vlines(x, y - epsilon, y + epsilon, color=GREY, linewidth=1)
    for side, name, style in zip((-1, 1), ("class −1", "class +1"), CLASS_STYLES, strict=True):
        ax.plot(x, y + side * epsilon, linestyle="none", markersize=7, label=name, **style)
    ax.set(xlabel="x", ylabel="y")
    return ax


@described
def plot_switch(shares: ArrayLike, weights: ArrayLike, now: tuple[float, float], ax: Ax = None) -> Any:
    """p times epsilon for many C, in units of the threshold 1/(2M); the present C is marked."""
    ax = axes_or_new(ax)
    shares, weights = as_vector(shares, "shares"), as_vector(weights, "weights")
    ax.axvline(1, color=GREY, linestyle="--", linewidth=1.2, label="C = 1/(2M)")
    ax.plot(shares, weights, color=BLUE, marker="o", markersize=4, linewidth=1.2, label="p ε")
    ax.plot(*now, marker="D", markersize=10, color=BLACK, linestyle="none", label="now")
    log_axis(ax.xaxis, shares.min() / 1.3, shares.max() * 1.3)
    ax.set(xlabel="C in units of 1/(2M)", ylabel="p ε", ylim=(-0.1, 1.15 * max(1.0, weights.max())))
    return ax
