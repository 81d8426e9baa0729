"""The perceptron at work, and why its mistakes are bounded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.capacity import functional_margins, radius
from mcmteach.perceptron import Update
from mcmteach.plots.canvas import (
    BLACK,
    BLUE,
    GREY,
    VERMILION,
    Ax,
    axes_or_new,
    cross,
    frame,
    log_axis,
    plane_data,
    ring,
    tint_sides,
)
from mcmteach.plots.description import described
from mcmteach.plots.planes import arrow, plot_hyperplane, plot_points
from mcmteach.svm import hard_margin
from mcmteach.validation import whole


@described
def plot_perceptron(X: ArrayLike, y: ArrayLike, steps: Sequence[Update], k: int, ax: Ax = None) -> Any:
    """Rosenblatt's line after k mistakes (solid) and before the last of them (dotted), with the point it was made on.

    That point is ringed; points on the wrong side of the line are crossed.

    Parameters
    ----------
    X, y : the points
    steps : as :func:`mcmteach.perceptron.perceptron_steps` gives them
    k : how many mistakes were made, from 0 (no line yet) to all

    Examples
    --------
    >>> from mcmteach.perceptron import perceptron_steps
    >>> X, y = [[2.0, 1.0], [1.0, 2.0], [-1.0, 0.0], [0.0, -1.0]], [1, 1, -1, -1]
    >>> ax = plot_perceptron(X, y, perceptron_steps(X, y), k=2)
    """
    X, k = plane_data(X), min(whole(k, "k", 0), len(steps))
    ax = frame(X, axes_or_new(ax))
    plot_points(X, y, ax, size=48)
    if k > 1 and steps[k - 2].w.any():
        before = steps[k - 2]
        plot_hyperplane(before.w, before.b, ax, margins=False, color=GREY, linestyle=":", label="before")
    if k > 0:
        now = steps[k - 1]
        ring(ax, X[now.p])
        cross(ax, X[functional_margins(X, y, now.w, now.b) <= 0])
        if now.w.any():
            plot_hyperplane(now.w, now.b, ax, margins=False, label="the line now")
            tint_sides(ax, now.w, now.b)
            arrow(ax, X, now.w, now.b)
    return ax


@described
def plot_novikoff(X: ArrayLike, y: ArrayLike, steps: Sequence[Update], k: int | None = None, ax: Ax = None) -> Any:
    r"""Novikoff's proof as a picture: the length of (w; b) after each mistake, caught between k Δ and √k R.

    The two lines cross at (R/Δ)², where the room between them ends: there can be no more mistakes than that. R and Δ are
    those of the augmented space.

    Parameters
    ----------
    X, y : samples that a plane separates
    steps : as :func:`mcmteach.perceptron.perceptron_steps` gives them
    k : how many of them to show; all where it is left out

    Examples
    --------
    >>> from mcmteach.perceptron import perceptron_steps
    >>> X, y = [[3.0], [1.0]], [1, -1]
    >>> ax = plot_novikoff(X, y, perceptron_steps(X, y))
    >>> [line.get_label() for line in ax.lines]
    ['at most √k R', 'at least k Δ', 'length of (w; b)', 'the bound: 50 mistakes']
    """
    ax = axes_or_new(ax)
    plane, R = hard_margin(X, y, penalise_b=True), radius(X, augmented=True)
    margin = 1 / np.hypot(np.linalg.norm(plane.w), plane.b)
    bound = (R / margin) ** 2
    ends = np.array([1.0, 1.6 * bound])
    ax.plot(ends, np.sqrt(ends) * R, color=BLUE, linewidth=2, label="at most √k R")
    ax.plot(ends, ends * margin, color=VERMILION, linestyle="--", linewidth=2, label="at least k Δ")
    lengths = [np.hypot(np.linalg.norm(step.w), step.b) for step in steps[:k]]
    ax.plot(
        np.arange(1, len(lengths) + 1),
        lengths,
        "o",
        color=BLACK,
        markersize=4.5,
        clip_on=False,
        label="length of (w; b)",
    )
    ax.axvline(
        bound, color=BLACK, linestyle=":", linewidth=1.5, label=f"the bound: {np.floor(bound + 1e-9):.0f} mistakes"
    )
    log_axis(ax.xaxis, *ends)
    log_axis(ax.yaxis, margin, ends[1] * margin)
    ax.set(xlabel="mistakes k", ylabel="length")
    return ax
