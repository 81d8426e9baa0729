"""The conformal MCM seen at work: its factor at the samples, and its boundary over the map of the factor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.plots.canvas import BLACK, CLASS_STYLES, Ax, axes_or_new, grid_over, plane_data
from mcmteach.plots.description import described
from mcmteach.plots.planes import plot_points, plot_support
from mcmteach.validation import as_labels, as_vector


@described
def plot_factor_values(c: ArrayLike, y: ArrayLike, ax: Ax = None, names: Sequence[str] | None = None) -> Any:
    """The factor at each sample: class -1 on the left, class +1 on the right, each class from its lowest to its highest c.

    Where c is positive in one class and negative in the other, the factor alone tells the classes apart.

    Parameters
    ----------
    c : array of shape (n_samples,), the factor at the samples: a machine's ``c_``
    y : array of shape (n_samples,), labels -1 and +1
    names : what the legend calls the classes, -1 first

    Examples
    --------
    >>> ax = plot_factor_values([0.5, -1.0, 2.0], [1, 1, -1])
    >>> [points.get_offsets().data.tolist() for points in ax.collections]
    [[[1.0, 2.0]], [[2.0, -1.0], [3.0, 0.5]]]

    Source: N(34), step 5 of N section 3.
    """
    c = as_vector(c, "c")
    y = as_labels(y, len(c))
    ax = axes_or_new(ax, figsize=(7, 3.2))
    ax.axhline(0, color=BLACK, linewidth=1.2)
    place = 1
    for i, (label, style) in enumerate(zip((-1, 1), CLASS_STYLES, strict=True)):
        values = np.sort(c[y == label])
        where = np.arange(place, place + len(values))
        name = names[i] if names is not None else f"class {label:+d}"
        ax.scatter(where, values, s=26, edgecolors="white", linewidths=0.4, label=name, zorder=3, **style)
        place += len(values)
    ax.axvline(np.sum(y < 0) + 0.5, color=BLACK, linewidth=0.8, linestyle=":")
    ax.set(xlim=(0, len(c) + 1), xlabel="sample, class by class", ylabel="c(x)")
    return ax


@described
def plot_conformal_machine(
    machine: Any, X: ArrayLike, y: ArrayLike, ax: Ax = None, names: Sequence[str] | None = None, points: int = 150
) -> Any:
    """A fitted conformal MCM over its own factor: green where c > 0, brown where c < 0, white with a dotted line at c = 0.

    Its boundary is solid, its margins f = -1 and +1 are dashed, its support vectors ringed.

    Parameters
    ----------
    machine : a fitted ConformalMCMClassifier on two features
    X, y : the points to show, as in :func:`mcmteach.plots.plot_points`
    points : c and f are computed on a grid of so many points in each direction

    Examples
    --------
    >>> from mcmteach import ConformalMCMClassifier
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1]
    >>> ax = plot_conformal_machine(ConformalMCMClassifier(gamma=2.0).fit(X, y), X, y, points=20)
    >>> ax.images[0].get_array().shape
    (20, 20)

    Source: N section 3.
    """
    if not hasattr(machine, "conformal_map_"):
        raise InvalidInputError("This picture shows a fitted ConformalMCMClassifier: call its fit first.")
    ax, X = axes_or_new(ax), plane_data(X)
    grid, shape, extent = grid_over(X, points)
    c, f = (np.asarray(values(grid)).reshape(shape) for values in (machine.conformal_map_, machine.decision_function))
    top = max(2.0, float(np.abs(c).max()))  # c is about 1 where there is no map, which should look pale
    look = {"cmap": "BrBG", "vmin": -top, "vmax": top, "alpha": 0.75}
    ax.imshow(c, origin="lower", extent=extent, aspect="auto", interpolation="bilinear", **look)
    gx, gy = grid[:, 0].reshape(shape), grid[:, 1].reshape(shape)
    _lines(ax, gx, gy, c, {0: (":", 1.6)})
    _lines(ax, gx, gy, f, {-1: ("--", 1.0), 0: ("-", 1.8), 1: ("--", 1.0)})
    plot_points(X, y, ax, names)
    if len(machine.support_vectors_):
        plot_support(machine.support_vectors_, ax)
    ax.set(xlim=extent[:2], ylim=extent[2:])
    return ax


def _lines(ax: Ax, gx: np.ndarray, gy: np.ndarray, values: np.ndarray, looks: dict[int, tuple[str, float]]) -> None:
    """The lines at those levels that occur; matplotlib warns about others."""
    levels = [level for level in looks if values.min() < level < values.max()]
    if levels:
        styles, widths = zip(*(looks[level] for level in levels), strict=True)
        ax.contour(gx, gy, values, levels=levels, colors=BLACK, linestyles=styles, linewidths=widths)
