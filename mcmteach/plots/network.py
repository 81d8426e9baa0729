"""A graph in the plane, its nodes placed so that steps along edges look like distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.csgraph import shortest_path

from mcmteach.errors import InvalidInputError
from mcmteach.plots.canvas import GREY, axes_or_new, cross
from mcmteach.plots.description import described
from mcmteach.plots.planes import plot_points
from mcmteach.validation import as_square


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
    A: ArrayLike, y: ArrayLike, ax: Any = None, names: Any = None, wrong: Any = (), labels: Any = None
) -> Any:
    """A graph with a colour and a marker per class; nodes in ``wrong`` are crossed, ``labels`` are written beside theirs.

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
    A = as_square(A)
    X = layout(A)
    ax = axes_or_new(ax, figsize=(7.5, 4.6))
    for i, j in np.argwhere(np.triu(A, 1) > 0):
        ax.plot(*X[[i, j]].T, color=GREY, linewidth=0.8, alpha=0.6, zorder=1)
    plot_points(X, y, ax, names, size=70)
    if len(wrong):
        cross(ax, X[np.asarray(wrong)])
    for node, text in (labels or {}).items():
        ax.annotate(text, X[node], textcoords="offset points", xytext=(8, 7), zorder=5)
    ax.set_aspect("equal")
    ax.axis("off")
    return ax
