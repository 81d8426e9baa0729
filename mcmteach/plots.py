"""Pictures. Every function draws into ``ax`` (a new one where it is None) and returns it.

A class has its own colour and its own marker, blue circles for -1 and vermilion triangles for +1, so that nobody needs
to tell the colours apart; margins are dashed, the boundary is solid, support vectors are ringed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mcmteach.bounds import vc_bound
from mcmteach.errors import InvalidInputError, MissingExtraError
from mcmteach.validation import as_matrix, as_vector

# Okabe and Ito's palette, which the colour-blind can tell apart
BLUE, VERMILION, BLACK, GREY = "#0072B2", "#D55E00", "#000000", "#777777"
CLASS_STYLES = ({"color": BLUE, "marker": "o"}, {"color": VERMILION, "marker": "^"})
CURVES = ((BLUE, "-"), (VERMILION, "--"), ("#009E73", "-."), ("#CC79A7", ":"), ("#56B4E9", (0, (5, 1, 1, 1, 1, 1))))


def plot_points(X: Any, y: Any, ax: Any = None, names: Sequence[str] | None = None) -> Any:
    """Scatter two-dimensional points, each class with its own colour and marker.

    Parameters
    ----------
    X : array of shape (n_samples, 2)
    y : array of shape (n_samples,) with two labels, the smaller one drawn as blue circles
    names : what the legend calls the classes, in the order of the sorted labels

    Examples
    --------
    >>> ax = plot_points([[0, 0], [1, 1]], [-1, 1])
    >>> [c.get_label() for c in ax.collections]
    ['class -1', 'class 1']
    """
    ax = _axes(ax)
    X = _plane_data(X)
    y = np.asarray(y)
    if y.shape != (len(X),):
        raise InvalidInputError(f"y has shape {y.shape}, and one label per point is needed: shape ({len(X)},).")
    labels = np.unique(y)
    if len(labels) > 2:
        raise InvalidInputError(f"y holds {len(labels)} labels, and this picture shows two classes.")
    styles = CLASS_STYLES if len(labels) == 2 or labels[0] <= 0 else CLASS_STYLES[1:]
    for i, (label, style) in enumerate(zip(labels, styles, strict=False)):
        name = names[i] if names is not None else f"class {label}"
        ax.scatter(*X[y == label].T, s=32, edgecolors="white", linewidths=0.6, label=name, zorder=3, **style)
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
            linestyle=line,
            linewidth=width,
            label=label if level == 0 else None,
            **style,
        )
    ax.axis(limits)
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
    ax.axhspan(1, 1.6, color=GREY, alpha=0.18, linewidth=0)
    ax.text(0.02, 0.97, "vacuous: a risk is never above 1", transform=ax.transAxes, va="top", color="#333333")
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


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtraError('Drawing needs matplotlib. Install it with: pip install "mcmteach[lessons]"') from None
    return plt.subplots(figsize=(6, 4.2), layout="constrained")[1]


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
