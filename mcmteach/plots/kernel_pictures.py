"""What a kernel does, drawn: the lift to three dimensions, and the similarity to one point as a landscape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.kernels import quadratic_map
from mcmteach.plots.canvas import BLACK, CLASS_STYLES, GREY, Ax, axes_or_new, grid_over, new_figure, plane_data, ring
from mcmteach.plots.description import described
from mcmteach.validation import as_labels


@described
def plot_lift(X: ArrayLike, y: ArrayLike, height: float, ax: Any = None) -> Any:
    r"""Points of the plane lifted to three dimensions, and a plane that cuts between the classes.

    The new coordinates are \((x_1^2, x_2^2, \sqrt2 x_1 x_2)\).

    Parameters
    ----------
    X, y : points of the plane and their labels, -1 and +1
    height : the plane is where the first two new coordinates add up to this: a circle of that squared radius down there
    ax : axes with ``projection="3d"``

    Examples
    --------
    >>> from mcmteach.datasets.worlds import ring_points
    >>> ax = plot_lift(*ring_points(60, seed=0), height=0.85**2)
    """
    X, y = plane_data(X), as_labels(y)
    ax = new_figure((5.5, 4.5)).add_subplot(projection="3d") if ax is None else ax
    Z = quadratic_map(X)
    edge, up = np.meshgrid(np.linspace(0, height, 2), np.array([Z[:, 2].min(), Z[:, 2].max()]))
    ax.plot_surface(edge, height - edge, up, color=GREY, alpha=0.35, linewidth=0)
    for label, style in zip((-1, 1), CLASS_STYLES, strict=True):
        ax.scatter(*Z[y == label].T, s=30, depthshade=False, edgecolors="white", linewidths=0.5, **style)
    ax.set(xlabel="$x_1^2$", ylabel="$x_2^2$", zlabel=r"$\sqrt{2}\,x_1 x_2$")
    ax.set(xticks=[0, 1], yticks=[0, 1], zticks=[-1, 0, 1])
    ax.view_init(elev=20, azim=-62)  # nearly along the plane: one sees what lies on either side
    return ax


@described
def plot_similarity(kernel: Callable[..., Any], at: ArrayLike, X: ArrayLike, ax: Ax = None) -> Any:
    """How similar every point of the plane is to one of them, k(x, z): dark where more, with contour lines; brown below zero.

    Parameters
    ----------
    kernel : takes two arrays of points and gives the matrix of their similarities
    at : the one point x, ringed; X : points that say which part of the plane is drawn

    Examples
    --------
    >>> from mcmteach.kernels import RBF
    >>> ax = plot_similarity(RBF(gamma=2.0), [0.5, 0.5], [[-1, -1], [1, 1]])
    """
    ax = axes_or_new(ax, figsize=(4, 3.6))
    at = plane_data([at])
    grid, shape, extent = grid_over(plane_data(X), points=80)
    values = np.asarray(kernel(grid, at), float).reshape(shape)
    top = np.abs(values).max() or 1.0
    low = {"cmap": "BrBG", "vmin": -top} if (values < 0).any() else {"cmap": "Blues", "vmin": 0.0}
    ax.imshow(values, extent=extent, origin="lower", vmax=top, **low)
    ax.contour(values, extent=extent, colors=BLACK, linewidths=0.6, levels=6)
    ring(ax, at[0])
    ax.scatter(*at.T, s=25, color=BLACK, zorder=5)
    ax.set_aspect("equal")
    return ax
