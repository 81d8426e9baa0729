"""The MCM as a linear programme: its matrix, its feasible region, its spread of margins, and the hinge with a cap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from mcmteach.capacity import functional_margins
from mcmteach.errors import InvalidInputError
from mcmteach.lp import build_lp, charnes_cooper
from mcmteach.plots.canvas import (
    BLACK,
    BLUE,
    CLASS_STYLES,
    CURVES,
    GREEN,
    GREY,
    PURPLE,
    VERMILION,
    Ax,
    axes_or_new,
    frame,
    plane_data,
)
from mcmteach.plots.description import described
from mcmteach.plots.planes import plot_hyperplane, plot_points
from mcmteach.solvers.solve import solve_mcm
from mcmteach.validation import as_labels, as_matrix, as_vector, dense, positive

#: The look of rival machines, in the order in which they are given: none is a class's colour
RIVALS: tuple[dict[str, Any], ...] = (
    {"color": GREEN, "linestyle": "-", "linewidth": 2.4},
    {"color": PURPLE, "linestyle": (0, (6, 2.5)), "linewidth": 2.2},
    {"color": BLACK, "linestyle": (0, (1, 1.6)), "linewidth": 2.4},
)
MOST_CELLS = 16  # rows (or columns) of a matrix that one can still read


@described
def plot_programme(X: ArrayLike, y: ArrayLike, C: float = np.inf, ax: Ax = None) -> Any:
    """The linear programme of the MCM, number by number: c on top, then A_ub with b_ub beside it.

    Its blocks are set apart, a column for each variable and a row for each constraint, and each block of rows has its
    constraint written beside it. Positive numbers are on orange, negative ones on blue, zeros on white.

    Parameters
    ----------
    X : array of shape (n_samples, n_features), for a few samples
    y : labels -1 and +1
    C : price of slack; without it (inf) q has no columns

    Examples
    --------
    >>> ax = plot_programme([[1.0], [-1.0]], [1, -1])
    >>> [text.get_text() for text in ax.texts[:4]]
    ['w', 'b', 'h', 'bound']
    """
    X = as_matrix(X)
    lp = build_lp(X, y, C)
    A = dense(lp.A_ub)
    if max(A.shape) > MOST_CELLS:
        raise InvalidInputError(f"A matrix of {A.shape[0]} rows and {A.shape[1]} columns cannot be read as a picture.")
    M, n = X.shape
    widths = [n, 1, 1] + ([M] if np.isfinite(C) else []) + [1]  # the last block is b_ub
    ax = axes_or_new(ax, figsize=(9.4, 0.36 * (2 * M + 4) + 0.3))
    left = np.concatenate([np.arange(width) for width in widths]) + np.repeat(_starts(widths), widths)
    top = np.concatenate([[0], np.arange(2 * M) + 1.9 + 0.5 * (np.arange(2 * M) >= M)])
    heads = [*_names("w", n), "b", "h", *(_names("q", M) if np.isfinite(C) else []), "bound"]
    for name, place in zip(heads, left, strict=True):
        ax.text(place + 0.5, 1.8, name, ha="center", va="bottom", style="italic" if name != "bound" else "normal")
    for row, height in zip(np.vstack([np.append(lp.c, np.nan), np.column_stack([A, lp.b_ub])]), top, strict=True):
        for value, place in zip(row, left, strict=True):
            if not np.isnan(value):
                _cell(ax, place, height, value)
    _constraints(ax, left[-1] + 1.3, M, np.isfinite(C))
    for i, height in enumerate(top[1:]):
        ax.text(-0.25, height + 0.53, f"i = {i % M + 1}", ha="right", va="center", color=GREY, fontsize=9)
    ax.set(xlim=(-1.5, left[-1] + 8.2), ylim=(top[-1] + 1.1, -0.1), xticks=[], yticks=[])
    ax.set_aspect("equal", adjustable="box", anchor="W")
    ax.axis("off")
    return ax


def _starts(widths: list[int]) -> np.ndarray:
    """Where each block begins, with a gap before it."""
    return np.concatenate([[0.0], np.cumsum([width + 0.35 for width in widths])[:-1]])


def _names(letter: str, count: int) -> list[str]:
    subscripts = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    return [letter + str(i + 1).translate(subscripts) * (count > 1) for i in range(count)]


def _cell(ax: Ax, left: float, top: float, value: float) -> None:
    colour = "white" if value == 0 else VERMILION if value > 0 else BLUE
    ax.fill([left, left + 1, left + 1, left], [top, top, top + 1, top + 1], facecolor=colour, alpha=0.3, linewidth=0)
    ax.plot([left, left + 1, left + 1, left, left], [top, top, top + 1, top + 1, top], color="#BBBBBB", linewidth=0.8)
    shade = "#999999" if value == 0 else BLACK
    ax.text(left + 0.5, top + 0.53, f"{value:g}".replace("-", "−"), ha="center", va="center", color=shade, fontsize=9)


def _constraints(ax: Ax, left: float, M: int, soft: bool) -> None:
    """Each block's meaning beside it."""
    slack, price = (" + qᵢ", " + C Σ qᵢ,  with qᵢ ≥ 0") if soft else ("", "")
    numbers = ("P(4)", "P(6)", "P(5)") if soft else ("N(23)", "N(24)", "N(25)")  # N prints the soft one without numbers
    blocks = ((0.5, f"minimise h{price}"), (1.9 + M / 2, f"yᵢ(w·xᵢ + b){slack} − h ≤ 0,  the cap"),
              (2.4 + 1.5 * M, f"−yᵢ(w·xᵢ + b){' − qᵢ' if soft else ''} ≤ −1,  the margin"))  # fmt: skip
    for (height, words), number in zip(blocks, numbers, strict=True):
        ax.text(left, height, f"{number}:  {words}", ha="left", va="center", fontsize=10.5)


@described
def plot_two_variables(c: ArrayLike, A: ArrayLike, d: ArrayLike, ax: Ax = None) -> Any:
    r"""A linear programme in two variables: the region that its constraints leave, level lines and the optimum.

    It is \(\min c\cdot z\) with \(Az \le d\), \(z \ge 0\).

    Parameters
    ----------
    c : array of shape (2,)
    A, d : arrays of shape (n_constraints, 2) and (n_constraints,), all positive, so that the region is bounded

    Examples
    --------
    >>> ax = plot_two_variables([-3, -4], [[1, 2], [2, 1]], [8, 10])
    >>> [line.get_label() for line in ax.lines]
    ['1 z₁ + 2 z₂ = 8', '2 z₁ + 1 z₂ = 10', 'the optimum, (4, 2)']
    """
    c, A, d = as_vector(c, "c"), as_matrix(A), as_vector(d, "d")
    best = linprog(c, A, d)
    ax = axes_or_new(ax, figsize=(7.6, 4.6))
    reach = 1.15 * (d[:, None] / A).min(axis=0)
    z1, z2 = np.meshgrid(np.linspace(0, reach[0], 241), np.linspace(0, reach[1], 241))
    room = (d[:, None, None] - A[:, :1, None] * z1 - A[:, 1:, None] * z2).min(axis=0)
    ax.contourf(z1, z2, room, levels=[0, np.inf], colors=[GREY], alpha=0.22)
    levels = np.sort(best.fun * np.array([0.4, 0.7, 1.0, 1.3]))
    lines = ax.contour(z1, z2, c[0] * z1 + c[1] * z2, levels=levels, colors=BLACK, linewidths=0.9, linestyles="-")
    ax.clabel(lines, fmt=lambda level: f"{level:g}", fontsize=9.5)
    for row, bound, (color, stroke) in zip(A, d, CURVES, strict=False):
        label = f"{row[0]:g} z₁ + {row[1]:g} z₂ = {bound:g}"
        ax.plot(z1[0], (bound - row[0] * z1[0]) / row[1], color=color, linestyle=stroke, linewidth=2, label=label)
    ax.plot(
        *best.x, "*", color=BLACK, markersize=17, label=f"the optimum, ({best.x[0]:g}, {best.x[1]:g})", clip_on=False
    )
    ax.set(xlim=(0, reach[0]), ylim=(0, reach[1]), xlabel="z₁", ylabel="z₂")
    return ax


@described
def plot_feasible_region(x: Any, y: ArrayLike, ax: Ax = None) -> Any:
    r"""The hard MCM of samples on a line, which has two variables, w and b, and a cap h that one reads off the level lines.

    A straight line for each constraint N(25), \(y_i(w x_i + b) = 1\), in the colour of its class; the feasible region
    behind all of them, shaded; level lines of \(h = \max_i y_i(w x_i + b)\), N(24); and the optimum.

    Parameters
    ----------
    x : array of shape (n_samples,) or (n_samples, 1)
    y : labels -1 and +1

    Examples
    --------
    >>> ax = plot_feasible_region([1.0, 2.0, -1.0, -4.0], [1, 1, -1, -1])
    >>> [line.get_label() for line in ax.lines]
    ['x = 1', 'x = 2', 'x = −1', 'x = −4', 'the optimum, h = 4']
    """
    x = as_vector(np.ravel(x), "x")
    y = as_labels(y, len(x))
    best = solve_mcm(x[:, None], y, C=np.inf, sparsity=0.0)
    ax = axes_or_new(ax, figsize=(7.6, 4.6))
    w, b = best.coef[0], best.b
    reach = 1.8 * max(abs(w), abs(b))
    wlim, blim = np.sort([-0.15 * w, 2.6 * w]), (b - reach, b + reach)
    gw, gb = np.meshgrid(np.linspace(wlim[0], wlim[1], 121), np.linspace(blim[0], blim[1], 121))
    margins = y[:, None, None] * (gw * x[:, None, None] + gb)
    ax.contourf(gw, gb, margins.min(axis=0), levels=[1, np.inf], colors=[GREY], alpha=0.22)
    h = margins.max(axis=0)
    ax.contour(gw, gb, h, levels=[best.h], colors=BLACK, linewidths=1.8)
    multiples = np.array([1.5, 2.0])  # (w, b) twice as large has twice the h: there the level line is labelled
    lines = ax.contour(gw, gb, h, levels=best.h * multiples, colors=BLACK, linewidths=0.9)
    places = [(k * w, k * b) for k in multiples]
    ax.clabel(lines, fmt=lambda level: f"h = {level:.3g}", fontsize=9.5, manual=places)
    styles = ["-", "--", "-.", ":"]
    for i, (each, label) in enumerate(zip(x, y, strict=True)):
        ax.plot(
            wlim,
            label - each * wlim,
            color=CLASS_STYLES[int(label > 0)]["color"],
            linestyle=styles[int(np.sum(y[:i] == label)) % len(styles)],
            linewidth=1.8,
            label=f"x = {each:g}".replace("-", "−"),
        )
    ax.plot(w, b, "*", color=BLACK, markersize=17, zorder=5, label=f"the optimum, h = {best.h:.4g}")
    ax.set(xlim=wlim, ylim=blim, xlabel="w", ylabel="b")
    return ax


@described
def plot_rivals(X: ArrayLike, y: ArrayLike, planes: Mapping[str, tuple[Any, float]], ax: Ax = None) -> Any:
    """The lines of up to three machines on the same points, each in its own colour and stroke, margins thin.

    The margins lie where the nearest point has y f = 1, whatever the scale in which a plane comes.

    Parameters
    ----------
    X, y : the points
    planes : {name: (w, b)}, each of which separates the classes

    Examples
    --------
    >>> ax = plot_rivals([[0, 0], [2, 1]], [-1, 1], {"one": ([1.0, 1.0], -1.0), "other": ([1.0, 0.0], -1.0)})
    >>> [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]
    ['one', 'other']
    """
    X = plane_data(X)
    ax = frame(X, axes_or_new(ax))
    for (name, (w, b)), style in zip(_scaled(X, y, planes).items(), RIVALS, strict=False):
        plot_hyperplane(w, b, ax, margins=False, label=name, **style)
        for level in (-1, 1):
            plot_hyperplane(w, b - level, ax, margins=False, **{**style, "linewidth": 0.9, "alpha": 0.75})
    names = [f"class {label:+.0f}".replace("-", "−") for label in np.unique(as_labels(y, len(X), both=False))]
    return plot_points(X, y, ax, names, size=62)


@described
def plot_spread(X: ArrayLike, y: ArrayLike, planes: Mapping[str, tuple[Any, float]], ax: Ax = None) -> Any:
    """A row for each plane: how far every point is from it, the nearest being 1. A bar goes from 1 to h.

    Examples
    --------
    >>> ax = plot_spread([[0, 0], [2, 1]], [-1, 1], {"one": ([1.0, 1.0], -1.0)})
    >>> [text.get_text() for text in ax.texts]
    ['h = 2.00']
    """
    X = as_matrix(X)
    y = as_labels(y, len(X))
    ax = axes_or_new(ax, figsize=(6, 2.6))
    scaled = _scaled(X, y, planes)
    for i, ((w, b), style) in enumerate(zip(scaled.values(), RIVALS, strict=False)):
        row = len(scaled) - 1 - i  # the first on top
        t = functional_margins(X, y, w, b)
        ax.fill_between([1, t.max()], row - 0.3, row + 0.3, color=style["color"], alpha=0.25, linewidth=0)
        for label, marker in zip((-1, 1), CLASS_STYLES, strict=True):
            height = row + 0.13 * label  # so that points of both classes at the same distance are both seen
            at = t[y == label]
            ax.scatter(at, np.full(len(at), height), s=48, edgecolors="white", linewidths=0.6, zorder=3, **marker)
        ax.annotate(f"h = {t.max():.2f}", (t.max(), row), (9, 0), textcoords="offset points", va="center")
    widest = max(functional_margins(X, y, *plane).max() for plane in scaled.values())
    ax.axvline(1, color=BLACK, linewidth=1.2, linestyle="--")
    ax.set(ylim=(-0.6, len(scaled) - 0.2), xlim=(0, 1.3 * max(widest, 2.0)), yticks=range(len(scaled)))
    ax.set_yticklabels(list(scaled)[::-1])
    ax.set_xlabel("y f(x), the nearest point's being 1")
    return ax


def _scaled(
    X: np.ndarray, y: ArrayLike, planes: Mapping[str, tuple[Any, float]]
) -> dict[str, tuple[np.ndarray, float]]:
    """The planes as Charnes and Cooper scale them."""
    if not 1 <= len(planes) <= len(RIVALS):
        raise InvalidInputError(f"This picture compares one to {len(RIVALS)} planes; got {len(planes)}.")
    scaled = {}
    for name, (w, b) in planes.items():
        t = functional_margins(X, y, w, b)
        if t.min() <= 0:
            raise InvalidInputError(
                f"The plane {name!r} does not separate the classes, so its nearest point has no margin."
            )
        scaled[name] = charnes_cooper(w, b, float(t.min()), float(t.max()))[:2]
    return scaled


@described
def plot_capped_hinge(t: ArrayLike, y: ArrayLike, C: float = 1.0, ax: Ax = None) -> Any:
    r"""What the soft MCM charges for a margin t = y f: each sample pays the hinge, and the largest alone pays the cap.

    The objective is \(\max(1, \max_i t_i) + C\sum_i\max(0, 1 - t_i)\); between 1 and h a sample is free of charge.

    Parameters
    ----------
    t : the samples' margins y f
    y : their labels -1 and +1
    C : price of slack

    Examples
    --------
    >>> ax = plot_capped_hinge([0.5, 1.0, 3.0], [1, -1, 1], C=2.0)
    >>> [line.get_label() for line in ax.lines[:2]]
    ['the hinge: every sample pays', 'the cap: the largest pays']
    """
    t, C = as_vector(t, "t"), positive(C, "C")
    y = as_labels(y, len(t), both=False)
    ax = axes_or_new(ax, figsize=(7.6, 3.4))
    h = max(1.0, float(t.max()))
    low, high = min(-0.5, float(t.min()) - 0.4), h + 0.9
    hinge, cap = np.array([low, 1.0, high]), np.array([low, 1.0, high])
    ax.plot(hinge, C * np.maximum(0, 1 - hinge), color=BLACK, linewidth=2.2, label="the hinge: every sample pays")
    ax.plot(cap, np.maximum(1, cap), **RIVALS[1], label="the cap: the largest pays")
    ax.axvspan(1, h, color=GREY, alpha=0.18, linewidth=0, label="free of charge")
    for label, size, style in zip((-1, 1), (130, 55), CLASS_STYLES, strict=True):  # where they meet, both are seen
        at = t[y == label]
        ax.scatter(at, C * np.maximum(0, 1 - at), s=size, edgecolors="white", linewidths=0.6, zorder=4, **style)
    ring: dict[str, Any] = {
        "markerfacecolor": "none",
        "markeredgecolor": BLACK,
        "markersize": 13,
        "markeredgewidth": 1.8,
    }
    ax.plot(h, h, "o", linestyle="none", zorder=4, label="h, what the cap costs", **ring)
    ax.set(xlabel="t = y f(x)", ylabel="what it costs", xlim=(low, high))
    return ax
