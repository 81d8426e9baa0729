"""A graph in the plane, its nodes placed so that steps along edges look like distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import shortest_path

from mcmteach.errors import InvalidInputError
from mcmteach.plots.canvas import BLACK, CLASS_STYLES, GREY, Ax, axes_or_new, cross, one_label_per_row, ring
from mcmteach.plots.description import described
from mcmteach.plots.planes import plot_points
from mcmteach.structured import GRAPHLETS
from mcmteach.validation import as_square, as_vector


def layout(A: ArrayLike, rounds: int = 200) -> np.ndarray:
    r"""Places for the nodes: \(\min \sum_{i<j} d_{ij}^{-2} (\|x_i - x_j\| - d_{ij})^2\), d being steps along edges.

    Begins with classical scaling of the distances and improves it by majorisation, so the same graph always looks alike.

    Parameters
    ----------
    A : symmetric adjacency matrix of shape (n_nodes, n_nodes) of a connected graph

    Examples
    --------
    >>> square = layout([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
    >>> side = np.linalg.norm(square[0] - square[1])
    >>> bool(np.isclose(np.linalg.norm(square[1] - square[2]), side))
    True
    """
    A = as_square(A)
    d = shortest_path(A, directed=False, unweighted=True)
    if not np.isfinite(d).all():
        raise InvalidInputError(
            "The graph is not connected, so some nodes have no distance. Draw its parts one by one."
        )
    n = len(d)
    centre = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-centre @ d**2 @ centre / 2)
    X = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0))
    X += 0.1 * np.column_stack([np.cos(np.arange(n)), np.sin(np.arange(n))])  # twins begin in the same place: part them
    W = np.where(d > 0, 1 / np.maximum(d, 1) ** 2, 0.0)
    inverse = np.linalg.pinv(np.diag(W.sum(axis=1)) - W)
    for _ in range(rounds):  # each round solves for the minimum of a parabola that touches the sum from above
        apart = np.linalg.norm(X[:, None] - X[None], axis=2)
        L = -W * d / np.where(apart > 1e-12, apart, np.inf)
        X = inverse @ ((L - np.diag(L.sum(axis=1))) @ X)
    return X


@described
def plot_network(
    A: ArrayLike, y: ArrayLike, ax: Ax = None, names: Any = None, wrong: Any = (), labels: Any = None
) -> Any:
    """A graph with a colour and a marker per class; nodes that are wrong are crossed, labels are written beside theirs.

    Parameters
    ----------
    A : symmetric adjacency matrix of a connected graph; y : two labels, one per node
    names : what the legend calls the classes
    wrong : indices of nodes to cross
    labels : {index of a node: text}

    Examples
    --------
    >>> from mcmteach.datasets import karate_club
    >>> ax = plot_network(*karate_club(), labels={8: "9"})
    """
    X = layout(A)
    ax = axes_or_new(ax, figsize=(7.5, 4.6))
    _edges(ax, X, as_square(A))
    plot_points(X, y, ax, names, size=70)
    if len(wrong):
        cross(ax, X[np.asarray(wrong)])
    for node, text in (labels or {}).items():
        ax.annotate(text, X[node], textcoords="offset points", xytext=(8, 7), zorder=5)
    ax.set_aspect("equal")
    ax.axis("off")
    return ax


def _edges(ax: Ax, X: np.ndarray, A: np.ndarray) -> None:
    for i, j in np.argwhere(np.triu(A, 1) > 0):
        ax.plot(*X[[i, j]].T, color=GREY, linewidth=0.8, alpha=0.6, zorder=1)


@described
def plot_heat(
    A: ArrayLike, heat: ArrayLike, ax: Ax = None, y: ArrayLike | None = None, start: int | None = None
) -> Any:
    """A graph with warm nodes dark and cold ones pale; a node's marker tells its class, and the one that was lit is ringed.

    Parameters
    ----------
    A : symmetric adjacency matrix of a connected graph
    heat : array of shape (n_nodes,), >= 0: a row of the diffusion kernel
    y : two labels, one per node: circles and triangles; circles only where it is left out
    start : index of the node that the heat comes from

    Examples
    --------
    >>> from mcmteach.datasets import karate_club
    >>> from mcmteach.structured import diffusion_kernel
    >>> A, y = karate_club()
    >>> ax = plot_heat(A, diffusion_kernel(A)[8], y=y, start=8)
    """
    X, heat = layout(A), as_vector(heat, "heat")
    ax = axes_or_new(ax, figsize=(6, 4.6))
    _edges(ax, X, as_square(A))
    classes = np.zeros(len(X)) if y is None else one_label_per_row(y, len(X))
    colours: dict[str, Any] = {"cmap": "OrRd", "vmin": 0.0, "vmax": heat.max() or 1.0}
    for label, style in zip(np.unique(classes), CLASS_STYLES, strict=False):
        mine = classes == label
        ax.scatter(*X[mine].T, s=90, marker=style["marker"], edgecolors=GREY, zorder=3, c=heat[mine], **colours)
    if start is not None:
        ring(ax, X[start])
    ax.set_aspect("equal")
    ax.axis("off")
    return ax


@described
def plot_graphlets(
    shares: ArrayLike, k: int = 4, ax: Ax = None, label: str = "", offset: float = 0.0, **bar: Any
) -> Any:
    """Bars: the share of each graphlet among all sets of k nodes. Under each bar its graphlet is drawn.

    Parameters
    ----------
    shares : the histogram of a graph, in the order of ``GRAPHLETS[k]``
    label : for the legend
    offset, bar : where the bar stands beside its middle, and what else matplotlib's ``bar`` takes: to compare two graphs

    Examples
    --------
    >>> from mcmteach.structured import graphlet_histogram
    >>> ring = np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1)
    >>> ax = plot_graphlets(graphlet_histogram(ring), label="a ring of six")
    """
    ax = axes_or_new(ax, figsize=(9, 3.2))
    shapes = GRAPHLETS[k]
    ax.bar(np.arange(len(shapes)) + offset, as_vector(shares, "shares"), label=label, **{"width": 0.4} | bar)
    ax.set(ylabel=f"share of all sets of {k} nodes", xlim=(-0.6, len(shapes) - 0.4))
    ax.set_xticks(range(len(shapes)), shapes, fontsize=9)
    ax.tick_params(axis="x", length=0, pad=40)
    angles = 2 * np.pi * (np.arange(k) + 0.5) / k
    corners = np.column_stack([np.cos(angles), np.sin(angles)])
    for place, edges in enumerate(shapes.values()):
        small = ax.inset_axes((place - 0.35, -0.27, 0.7, 0.25), transform=ax.get_xaxis_transform())
        for i, j in edges:
            small.plot(*corners[[i, j]].T, color=BLACK, linewidth=1.2)
        small.scatter(*corners.T, s=14, color=BLACK, zorder=3)
        small.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal")
        small.axis("off")
    return ax
