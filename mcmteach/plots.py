"""Pictures. Every function draws into ``ax`` (a new one where it is None) and returns it.

A class has its own colour and its own marker, blue circles for -1 and vermilion triangles for +1, so that nobody needs
to tell the colours apart; margins are dashed, the boundary is solid, support vectors are ringed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from mcmteach.bounds import is_separable, vc_bound
from mcmteach.capacity import functional_margins, radius
from mcmteach.errors import InfeasibleError, InvalidInputError, MissingExtraError
from mcmteach.lp import solve_mcm
from mcmteach.perceptron import Mistake
from mcmteach.svm import hard_margin
from mcmteach.validation import as_labels, as_matrix, as_square, as_vector, whole

# Okabe and Ito's palette, which the colour-blind can tell apart
BLUE, VERMILION, BLACK, GREY = "#0072B2", "#D55E00", "#000000", "#777777"
CLASS_STYLES = ({"color": BLUE, "marker": "o"}, {"color": VERMILION, "marker": "^"})
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
CURVES = ((BLUE, "-"), (VERMILION, "--"), ("#009E73", "-."), ("#CC79A7", ":"), ("#56B4E9", (0, (5, 1, 1, 1, 1, 1))))


def plot_points(X: Any, y: Any, ax: Any = None, names: Sequence[str] | None = None, size: float = 32) -> Any:
    """Scatter two-dimensional points, each class with its own colour and marker.

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
    ax = _axes(ax)
    X = _plane_data(X)
    y = _one_per_row(y, len(X))
    labels = np.unique(y)
    if len(labels) > 2:
        raise InvalidInputError(f"y holds {len(labels)} labels, and this picture shows two classes.")
    styles = CLASS_STYLES if len(labels) == 2 or labels[0] <= 0 else CLASS_STYLES[1:]
    for i, (label, style) in enumerate(zip(labels, styles, strict=False)):
        name = names[i] if names is not None else f"class {label}"
        ax.scatter(*X[y == label].T, s=size, edgecolors="white", linewidths=0.6, label=name, zorder=3, **style)
    return ax


def plot_decision(machine: Any, X: Any, y: Any, ax: Any = None, names: Sequence[str] | None = None) -> Any:
    """A fitted machine's regions, boundary (solid), margins f = -1 and +1 (dashed), and support vectors (ringed).

    Parameters
    ----------
    machine : any fitted two-class estimator with a ``decision_function`` on two features
    X, y : the points to show, as in :func:`plot_points`

    Examples
    --------
    >>> from mcmteach import MCMClassifier
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1]
    >>> ax = plot_decision(MCMClassifier(gamma=2.0).fit(X, y), X, y)
    """
    ax = _axes(ax)
    X = _plane_data(X)
    grid, shape, extent = _grid(X)
    f = np.asarray(machine.decision_function(grid)).reshape(shape)
    gx, gy = grid[:, 0].reshape(shape), grid[:, 1].reshape(shape)
    ax.contourf(gx, gy, f, levels=[-np.inf, 0, np.inf], colors=[BLUE, VERMILION], alpha=0.13)
    ax.contour(gx, gy, f, levels=[-1, 0, 1], colors=BLACK, linestyles=["--", "-", "--"], linewidths=[1, 1.8, 1])
    plot_points(X, y, ax, names)
    support = getattr(machine, "support_vectors_", None)
    if support is not None and len(support):
        plot_support(support, ax)
    ax.set(xlim=extent[:2], ylim=extent[2:])
    return ax


def plot_support(support_vectors: Any, ax: Any = None) -> Any:
    """Ring the support vectors."""
    ax = _axes(ax)
    label = f"{len(support_vectors)} support vectors" if len(support_vectors) != 1 else "1 support vector"
    ax.scatter(
        *_plane_data(support_vectors).T,
        s=130,
        facecolors="none",
        edgecolors=BLACK,
        linewidths=1.5,
        label=label,
        zorder=4,
    )
    return ax


def plot_hyperplane(
    w: Any, b: float, ax: Any = None, margins: bool = True, label: str | None = None, **style: Any
) -> Any:
    """The line w·x + b = 0 across the picture, with dashed margins at w·x + b = -1 and +1.

    Examples
    --------
    >>> ax = plot_hyperplane([1.0, 1.0], -1.0)
    >>> len(ax.lines)
    3
    """
    ax = _axes(ax)
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


def plot_margin(X: Any, y: Any, w: Any, b: float, ax: Any = None) -> Any:
    """A line and its margins: the point of smallest margin ringed and joined to the line, points on the wrong side crossed.

    The two sides are tinted in the colours of the classes that the line gives them; the arrow shows the direction of w,
    and the dashed lines are w·x + b = -1 and +1.

    Examples
    --------
    >>> ax = plot_margin([[0, 0], [2, 1]], [-1, 1], w=[1.0, 1.0], b=-1.0)
    >>> [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]
    ['w·x + b = 0', 'smallest margin']
    """
    X, w = _plane_data(X), as_vector(w, "w", 2)
    ax = _frame(X, _axes(ax))
    margins = functional_margins(X, y, w, b)
    plot_hyperplane(w, b, ax, label="w·x + b = 0")
    _tint_sides(ax, w, b)
    _arrow(ax, X, w, b)
    plot_points(X, y, ax, size=48)
    nearest = X[margins <= margins.min() + 1e-6 * np.abs(margins).max()]  # several, where they are equally near
    feet = nearest - np.outer(nearest @ w + b, w) / (w @ w)
    for i, ends in enumerate(zip(nearest, feet, strict=True)):
        ax.plot(*np.array(ends).T, color=BLACK, linewidth=2.2, label="_" * (i > 0) + "smallest margin", zorder=2)
    _ring(ax, nearest)
    _cross(ax, X[margins <= 0])
    return ax


def plot_perceptron(X: Any, y: Any, steps: Sequence[Mistake], k: int, ax: Any = None) -> Any:
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
    X, k = _plane_data(X), min(whole(k, "k", 0), len(steps))
    ax = _frame(X, _axes(ax))
    plot_points(X, y, ax, size=48)
    if k > 1 and steps[k - 2].w.any():
        before = steps[k - 2]
        plot_hyperplane(before.w, before.b, ax, margins=False, color=GREY, linestyle=":", label="before")
    if k > 0:
        now = steps[k - 1]
        _ring(ax, X[now.p])
        _cross(ax, X[functional_margins(X, y, now.w, now.b) <= 0])
        if now.w.any():
            plot_hyperplane(now.w, now.b, ax, margins=False, label="the line now")
            _tint_sides(ax, now.w, now.b)
            _arrow(ax, X, now.w, now.b)
    return ax


def plot_novikoff(X: Any, y: Any, steps: Sequence[Mistake], k: int | None = None, ax: Any = None) -> Any:
    r"""Novikoff's proof as a picture: the length of (w; b) after each mistake, caught between k γ and √k R.

    The two lines cross at (R/γ)², where the room between them ends: there can be no more mistakes than that. R and γ are
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
    ['at most √k R', 'at least k γ', 'length of (w; b)', 'the bound: 50 mistakes']
    """
    ax = _axes(ax)
    plane, R = hard_margin(X, y, penalise_b=True), radius(X, augmented=True)
    gamma = 1 / np.hypot(np.linalg.norm(plane.w), plane.b)
    bound = (R / gamma) ** 2
    ends = np.array([1.0, 1.6 * bound])
    ax.plot(ends, np.sqrt(ends) * R, color=BLUE, linewidth=2, label="at most √k R")
    ax.plot(ends, ends * gamma, color=VERMILION, linestyle="--", linewidth=2, label="at least k γ")
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
    _log_axis(ax.xaxis, *ends)
    _log_axis(ax.yaxis, gamma, ends[1] * gamma)
    ax.set(xlabel="mistakes k", ylabel="length")
    return ax


def plot_timeline(events: Mapping[int, str], ax: Any = None) -> Any:
    """Years along a line, what happened then written above and below it in turn.

    Examples
    --------
    >>> ax = plot_timeline({1958: "perceptron", 1992: "support vector machine"})
    >>> [text.get_text() for text in ax.texts]
    ['1958\\nperceptron', '1992\\nsupport vector machine']
    """
    ax = _axes(ax, figsize=(9, 3.4))
    years = sorted(events)
    heights = np.resize([0.8, -0.8, 2.9, -2.9], len(years))  # long and short, so that neighbours do not collide
    ax.axhline(0, color=BLACK, linewidth=1.8)
    ax.vlines(years, 0, heights, color=GREY, linewidth=1)
    ax.plot(years, np.zeros(len(years)), "o", color=VERMILION, markersize=8)
    for year, height in zip(years, heights, strict=True):
        ax.text(year, height, f"{year}\n{events[year]}", ha="center", va="bottom" if height > 0 else "top")
    span = max(years[-1] - years[0], 1)
    ax.set(xlim=(years[0] - 0.12 * span, years[-1] + 0.12 * span), ylim=(-4.8, 4.8))
    ax.axis("off")
    return ax


def plot_vc_bound(
    h: Sequence[float] = (3, 10, 30, 100), M: Any = None, risk: float = 0.0, eta: float = 0.05, ax: Any = None
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
    ax = _axes(ax)
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
    ax.text(0.98, 0.97, "vacuous: a risk is never above 1", transform=ax.transAxes, **note)
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


def plot_gram(K: Any, y: Any = None, ax: Any = None) -> Any:
    """Draw a kernel matrix with the samples ordered by class: dark where two samples are similar.

    A good kernel shows one dark block per class, a bad one a bare diagonal (S, "Kernels: the good, the bad, and the
    ugly"). Where K has negative entries the colours run from brown (unlike) over white (0) to blue-green (alike). Up to
    12 samples get their numbers written in.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
    y : the classes, of shape (n_samples,), any labels; the samples keep their order where it is left out
    ax : matplotlib axes to draw on; a new figure where it is left out

    Returns
    -------
    ax : the axes. Their image holds the matrix in the order drawn
    """
    K = as_square(K)
    ax = _axes(ax, figsize=(5, 4))
    classes, sizes = np.array([]), np.array([len(K)])
    if y is not None:
        y = _one_per_row(y, len(K))
        classes, sizes = np.unique(y, return_counts=True)
        order = np.argsort(y, kind="stable")
        K = K[np.ix_(order, order)]
    image = ax.imshow(K, **_colours(K))
    ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.04)
    _mark_classes(ax, classes, sizes)
    if len(K) <= 12:
        _write_numbers(ax, K, image)
    return ax


def plot_risks(risks: Any, bound: float | None = None, ax: Any = None) -> Any:
    """The empirical and the true risk of machines trained on many training sets, an arrow's length between them.

    Parameters
    ----------
    risks : with ``empirical`` and ``true``, as :func:`mcmteach.simulate.histogram_risks` gives them
    bound : where given, a line at the bound on the risk (at 1 where it is vacuous)

    Examples
    --------
    >>> from mcmteach.simulate import histogram_risks
    >>> ax = plot_risks(histogram_risks(h=5, M=100), bound=0.8)
    """
    ax = _axes(ax)
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


def plot_colouring(points: Any, y: Any, ax: Any = None) -> Any:
    """Points in two colours, with a line that separates them; or, where none does, the meeting point of their hulls.

    Examples
    --------
    >>> ax = plot_colouring([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1])
    >>> ax.get_title()
    'no line'
    """
    ax = _axes(ax)
    X, y = _plane_data(points), as_labels(y, both=False)
    _, _, extent = _grid(X, points=2)
    pad = 0.25 * max(extent[1] - extent[0], extent[3] - extent[2])
    plot_points(X, y, ax, size=110)
    ax.set(xlim=(extent[0] - pad, extent[1] + pad), ylim=(extent[2] - pad, extent[3] + pad), xticks=[], yticks=[])
    ax.set_aspect("equal", adjustable="box")
    ax.set_title("a line separates them" if is_separable(X, y) else "no line")
    if len(np.unique(y)) == 1:
        return ax
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


def plot_shattering(points: Any, figure: Any = None) -> Any:
    """Every colouring of a few points (up to exchanging the colours), each with its line, or with the proof that none is.

    Examples
    --------
    >>> figure = plot_shattering([[0, 0], [1, 0], [0, 1]])
    >>> [ax.get_title() for ax in figure.axes]
    ['a line separates them', 'a line separates them', 'a line separates them', 'a line separates them']
    """
    X = _plane_data(points)
    if len(X) > 5:
        raise InvalidInputError(
            f"{len(X)} points have {2 ** (len(X) - 1)} colourings: too many to look at. Take at most 5."
        )
    colourings = [np.array([1.0, *rest]) for rest in product((1.0, -1.0), repeat=len(X) - 1)]
    rows = (len(colourings) + 3) // 4
    figure = _new_figure((10, 2.7 * rows)) if figure is None else figure
    axes = figure.subplots(rows, min(4, len(colourings)), squeeze=False).ravel()
    for ax, y in zip(axes, colourings, strict=False):
        plot_colouring(X, y, ax)
    return figure


def _new_figure(figsize: tuple[float, float]) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtraError('Drawing needs matplotlib. Install it with: pip install "mcmteach[lessons]"') from None
    return plt.figure(figsize=figsize, layout="constrained")


def _axes(ax: Any, figsize: tuple[float, float] = (6, 4.2)) -> Any:
    return _new_figure(figsize).subplots() if ax is None else ax


def _frame(X: np.ndarray, ax: Any) -> Any:
    """Room around the points, and a unit as long to the right as upwards, so that right angles look right."""
    _, _, extent = _grid(X, points=2)
    if ax.get_autoscale_on():  # limits that were set before are kept: a panel's picture must not jump
        ax.set(xlim=extent[:2], ylim=extent[2:])
    ax.set_aspect("equal", adjustable="box")
    return ax


def _tint_sides(ax: Any, w: np.ndarray, b: float) -> None:
    """Each side of the line in the colour of the class that the line gives it."""
    limits = ax.axis()
    unit, far = w / np.linalg.norm(w), 4 * np.abs(limits).max() + abs(b) / np.linalg.norm(w)
    foot, along = -b * w / (w @ w), far * np.array([-unit[1], unit[0]])
    for side, style in zip((-far, far), CLASS_STYLES, strict=True):
        corners = [foot - along, foot + along, foot + along + side * unit, foot - along + side * unit]
        ax.fill(*np.array(corners).T, color=style["color"], alpha=0.1, linewidth=0, zorder=0)
    ax.axis(limits)


def _arrow(ax: Any, X: np.ndarray, w: np.ndarray, b: float) -> None:
    """The direction of w, at right angles to the line, beside the middle of the points."""
    left, right, low, high = ax.axis()
    middle = X.mean(axis=0)
    start = middle - w * (w @ middle + b) / (w @ w)
    tip = start + 0.16 * min(right - left, high - low) * w / np.linalg.norm(w)
    ax.annotate(
        "", tip, start, arrowprops={"arrowstyle": "-|>", "color": BLACK, "linewidth": 1.6}, annotation_clip=True
    )


def _ring(ax: Any, points: np.ndarray) -> None:
    ax.scatter(*np.atleast_2d(points).T, s=230, facecolors="none", edgecolors=BLACK, linewidths=1.8, zorder=4)


def _cross(ax: Any, points: np.ndarray) -> None:
    ax.scatter(*points.T, s=170, marker="x", color=BLACK, linewidths=1.5, zorder=2.5)


def _log_axis(axis: Any, low: float, high: float) -> None:
    """A logarithmic axis with powers of ten in plain text: mathematical type would take longer than the picture."""
    exponents = np.arange(np.ceil(np.log10(low) - 1e-9), np.floor(np.log10(high)) + 1)
    axis.axes.set(**{f"{axis.axis_name}scale": "log", f"{axis.axis_name}lim": (low, high)})
    axis.set_ticks(10**exponents, [f"{10**e:g}" for e in exponents])
    axis.set_ticks([], minor=True)


def _plane_data(X: Any) -> np.ndarray:
    X = as_matrix(X)
    if X.shape[1] != 2:
        raise InvalidInputError(
            f"A picture in the plane needs 2 features, and X has {X.shape[1]}. Take two of them, or PCA."
        )
    return X


def _grid(X: np.ndarray, points: int = 200) -> tuple[np.ndarray, tuple[int, int], tuple[float, float, float, float]]:
    low, high = X.min(axis=0), X.max(axis=0)
    border = 0.12 * np.where(high > low, high - low, 1.0)
    extent = (low[0] - border[0], high[0] + border[0], low[1] - border[1], high[1] + border[1])
    gx, gy = np.meshgrid(np.linspace(*extent[:2], points), np.linspace(*extent[2:], points))
    return np.column_stack([gx.ravel(), gy.ravel()]), gx.shape, extent


def _one_per_row(y: Any, size: int) -> np.ndarray:
    y = np.asarray(y)
    if y.shape != (size,):
        raise InvalidInputError(f"y has shape {y.shape}, and ({size},) is needed: one label per row.")
    return y


def _colours(K: np.ndarray) -> dict[str, Any]:
    """Zero is white in both maps, and both can be told apart without colour vision."""
    top = float(np.abs(K).max()) or 1.0
    return {"cmap": "BrBG", "vmin": -top, "vmax": top} if (K < 0).any() else {"cmap": "Blues", "vmin": 0.0, "vmax": top}


def _mark_classes(ax: Any, classes: np.ndarray, sizes: np.ndarray) -> None:
    """A line between the classes, and the class in the middle of its samples."""
    ends = np.cumsum(sizes)
    for end in ends[:-1]:
        ax.axhline(end - 0.5, color=BLACK, linewidth=1.2)
        ax.axvline(end - 0.5, color=BLACK, linewidth=1.2)
    middles = (ends - sizes / 2 - 0.5)[: len(classes)]
    names = [f"{c:+g}" if isinstance(c, np.number) and (classes < 0).any() else str(c) for c in classes]
    ax.set_xticks(middles, names)
    ax.set_yticks(middles, names, rotation=90, va="center")
    ax.tick_params(length=0)
    if len(classes):
        ax.set(xlabel="class", ylabel="class")


def _write_numbers(ax: Any, K: np.ndarray, image: Any) -> None:
    for (i, j), value in np.ndenumerate(K):
        dark = abs(value) > 0.6 * image.norm.vmax
        ax.text(j, i, f"{value:.3g}", ha="center", va="center", color="white" if dark else "black")
