"""The history, the bound, risks in a known world, and shattering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.bounds import vc_bound
from mcmteach.errors import InfeasibleError, InvalidInputError
from mcmteach.plots.canvas import (
    BLACK,
    CLASS_STYLES,
    CURVES,
    GREY,
    SUPERSCRIPT,
    VERMILION,
    Ax,
    axes_or_new,
    grid_over,
    new_figure,
    plane_data,
)
from mcmteach.plots.description import described
from mcmteach.plots.planes import plot_hyperplane, plot_points
from mcmteach.separability import is_separable
from mcmteach.solvers.solve import solve_mcm
from mcmteach.validation import as_labels, as_vector


@described
def plot_timeline(events: Mapping[int, str], ax: Ax = None) -> Any:
    """Years along a line, what happened then written above and below it in turn.

    Examples
    --------
    >>> ax = plot_timeline({1958: "perceptron", 1992: "support vector machine"})
    >>> [text.get_text() for text in ax.texts]
    ['1958\\nperceptron', '1992\\nsupport vector machine']
    """
    ax = axes_or_new(ax, figsize=(9, 3.4))
    years = sorted(events)
    heights = np.resize([0.8, -0.8, 2.9, -2.9], len(years))  # long and short, so that neighbours do not collide
    ax.axhline(0, color=BLACK, linewidth=1.8)
    ax.vlines(years, 0, heights, color=GREY, linewidth=1)
    ax.plot(years, np.zeros(len(years)), "o", color=VERMILION, markersize=8)
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1}  # a neighbour's stroke passes behind the words
    for year, height in zip(years, heights, strict=True):
        ax.text(year, height, f"{year}\n{events[year]}", ha="center", va="bottom" if height > 0 else "top", bbox=box)
    span = max(years[-1] - years[0], 1)
    ax.set(xlim=(years[0] - 0.12 * span, years[-1] + 0.12 * span), ylim=(-4.8, 4.8))
    ax.axis("off")
    return ax


@described
def plot_vc_bound(
    h: Sequence[float] = (3, 10, 30, 100),
    M: ArrayLike | None = None,
    risk: float = 0.0,
    eta: float = 0.05,
    ax: Ax = None,
) -> Any:
    """The bound N(3) on the risk against the number of samples, a curve per VC dimension, the vacuous region shaded.

    Parameters
    ----------
    h : VC dimensions
    M : numbers of samples; 10 to 1e5 where it is left out. Curves begin at M = h, where N(4) does.
    risk, eta : as in :func:`mcmteach.vc_bound`

    Examples
    --------
    >>> ax = plot_vc_bound(h=[3, 30])
    >>> [line.get_label() for line in ax.lines]
    ['h = 3', 'h = 30']
    """
    ax = axes_or_new(ax)
    M = np.unique(np.logspace(1, 5, 200).round()) if M is None else as_vector(M, "M")
    ax.set(xscale="log", xlim=(M.min(), M.max()), ylim=(0, 1.6))
    ax.set(xlabel="number of samples M", ylabel="bound on the risk R")
    powers = 10 ** np.arange(np.ceil(np.log10(M.min())), np.floor(np.log10(M.max())) + 1)
    # plain text and no small ticks: mathematical type would take longer than the rest of the picture
    ax.set_xticks(powers, ["10" + str(round(np.log10(power))).translate(SUPERSCRIPT) for power in powers])
    ax.minorticks_off()
    ax.axhspan(1, 1.6, color=GREY, alpha=0.18, linewidth=0)
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 2}
    note = {"va": "top", "ha": "right", "color": "#333333", "zorder": 5, "bbox": box}
    ax.text(0.98, 0.97, "vacuous:\na risk is\nnever above 1", transform=ax.transAxes, **note)
    for i, dimension in enumerate(h):
        color, line = CURVES[i % len(CURVES)]
        m = M[dimension <= M]
        ax.plot(
            m, vc_bound(risk, dimension, m, eta), color=color, linestyle=line, linewidth=2, label=f"h = {dimension:g}"
        )
    if risk > 0:
        ax.axhline(risk, color=BLACK, linewidth=1, linestyle=":", label="empirical risk")
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return ax


@described
def plot_risks(risks: Any, bound: float | None = None, ax: Ax = None) -> Any:
    """The empirical and the true risk of machines trained on many training sets, an arrow's length between them.

    Parameters
    ----------
    risks : with ``empirical`` and ``true``, as :func:`mcmteach.datasets.worlds.histogram_risks` gives them
    bound : where given, a line at the bound on the risk (at 1 where it is vacuous)

    Examples
    --------
    >>> from mcmteach.datasets.worlds import histogram_risks
    >>> ax = plot_risks(histogram_risks(h=5, M=100), bound=0.8)
    """
    ax = axes_or_new(ax)
    sets = np.arange(1, len(risks.true) + 1)
    ax.vlines(sets, risks.empirical, risks.true, color=GREY, linewidth=1, alpha=0.6)
    ax.plot(sets, risks.empirical, linestyle="none", markersize=5, label="on the training set", **CLASS_STYLES[0])
    ax.plot(sets, risks.true, linestyle="none", markersize=5, label="on new data (exact)", **CLASS_STYLES[1])
    if bound is not None:
        ax.axhline(
            min(bound, 1.0), color=BLACK, linewidth=1.8, label="the bound" if bound < 1 else "the bound (vacuous)"
        )
    ax.set(xlabel="training set", ylabel="risk", ylim=(-0.03, 1.06))
    return ax


@described
def plot_colouring(points: ArrayLike, y: ArrayLike, ax: Ax = None) -> Any:
    """Points in two colours, with a line that separates them; or, where none does, the meeting point of their hulls.

    Examples
    --------
    >>> ax = plot_colouring([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1])
    >>> ax.get_title()
    'no line'
    """
    ax = axes_or_new(ax)
    X, y = plane_data(points), as_labels(y, both=False)
    _, _, extent = grid_over(X, points=2)
    pad = 0.25 * max(extent[1] - extent[0], extent[3] - extent[2])
    plot_points(X, y, ax, size=110)
    ax.set(xlim=(extent[0] - pad, extent[1] + pad), ylim=(extent[2] - pad, extent[3] + pad), xticks=[], yticks=[])
    ax.set_aspect("equal", adjustable="box")
    if len(np.unique(y)) == 1:  # any line that passes them by, so none is drawn
        ax.set_title("a line beside them all")
        return ax
    ax.set_title("a line separates them" if is_separable(X, y) else "no line")
    try:
        solution = solve_mcm(X, y, C=np.inf, sparsity=0.0)
        return plot_hyperplane(solution.coef, solution.b, ax, margins=False)
    except InfeasibleError as error:
        for label, style in zip((-1, 1), CLASS_STYLES, strict=True):
            held = np.flatnonzero((y == label) & (error.weights > 1e-9))
            ax.plot(*X[held].T, color=style["color"], linewidth=2, linestyle="-" if label > 0 else "--", zorder=2)
        meeting = error.weights[y > 0] @ X[y > 0]
        ax.plot(*meeting, marker="X", color=BLACK, markersize=11, zorder=5)
        return ax


@described
def plot_shattering(points: ArrayLike, figure: Any = None) -> Any:
    """Every colouring of a few points (up to exchanging the colours), each with its line, or with the proof that none is.

    Examples
    --------
    >>> figure = plot_shattering([[0, 0], [1, 0], [0, 1]])
    >>> [ax.get_title() for ax in figure.axes]
    ['a line beside them all', 'a line separates them', 'a line separates them', 'a line separates them']
    """
    X = plane_data(points)
    if len(X) > 5:
        raise InvalidInputError(
            f"{len(X)} points have {2 ** (len(X) - 1)} colourings: too many to look at. Take at most 5."
        )
    colourings = [np.array([1.0, *rest]) for rest in product((1.0, -1.0), repeat=len(X) - 1)]
    rows = (len(colourings) + 3) // 4
    figure = new_figure((10, 2.7 * rows)) if figure is None else figure
    axes = figure.subplots(rows, min(4, len(colourings)), squeeze=False).ravel()
    for ax, y in zip(axes, colourings, strict=False):
        plot_colouring(X, y, ax)
    return figure
