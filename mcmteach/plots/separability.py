"""How far apart two classes lie: their scatter, their images in a feature space, the Fisher scalar, the factor c(x)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.embedding import kernel_pca
from mcmteach.errors import InvalidInputError
from mcmteach.fisher import fisher_scalar, kernel_fisher_scalar
from mcmteach.kernels import rbf_kernel
from mcmteach.plots.canvas import (
    BLACK,
    BLUE,
    CLASS_STYLES,
    CURVES,
    GREY,
    VERMILION,
    Ax,
    axes_or_new,
    frame,
    log_axis,
    plane_data,
)
from mcmteach.plots.description import described
from mcmteach.plots.planes import plot_points
from mcmteach.validation import FloatArray, as_labels, as_square, as_vector

GAMMAS = np.logspace(-3, 3, 49)  #: the widths of the kernels that :func:`plot_fisher_gamma` tries
CELLS = 90  #: the map of c(x) is computed at so many points a side


@described
def plot_class_scatter(Z: ArrayLike, y: ArrayLike, ax: Ax = None) -> Any:
    """What the two scatters add up: thin spokes within the classes, thick arms from their centres to the centre of all.

    Parameters
    ----------
    Z : array of shape (n_samples, 2)
    y : labels -1 and +1

    Examples
    --------
    >>> ax = plot_class_scatter([[0, 0], [2, 0], [5, 0], [7, 0]], [-1, -1, 1, 1])
    >>> [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]
    ['centre of class −1', 'centre of class +1', 'centre of all']

    Source: N(36), N(37).
    """
    Z = plane_data(Z)
    y = as_labels(y, len(Z))
    ax = frame(Z, axes_or_new(ax))
    middle = Z.mean(axis=0)
    for label, name, style in zip((-1, 1), ("−1", "+1"), CLASS_STYLES, strict=True):
        own, centre = Z[y == label], Z[y == label].mean(axis=0)
        for point in own:
            ax.plot(*np.transpose([point, centre]), color=style["color"], linewidth=0.8, alpha=0.55, zorder=1)
        ax.plot(*np.transpose([centre, middle]), color=BLACK, linewidth=3, zorder=2)
        marks = {"markersize": 15, "markeredgecolor": BLACK, "markeredgewidth": 1.5, "linestyle": "none", "zorder": 5}
        ax.plot(*centre, label=f"centre of class {name}", **style, **marks)
    ax.plot(*middle, marker="D", color=BLACK, markersize=9, linestyle="none", zorder=5, label="centre of all")
    return plot_points(Z, y, ax, names=["_", "_"])


@described
def plot_feature_plane(
    K: ArrayLike, y: ArrayLike, ax: Ax = None, names: Sequence[str] | None = None, origin: bool = False
) -> Any:
    """The images in the feature space behind K, seen along the two directions in which they vary most.

    The picture is a projection; the Fisher scalar belongs to the whole space.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples), a kernel matrix
    y : labels -1 and +1
    names : what the legend calls the classes
    origin : whether the origin of the feature space is marked by a plus sign

    Examples
    --------
    >>> Z = np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 4.0]])
    >>> ax = plot_feature_plane(Z @ Z.T, [-1, -1, 1])
    >>> ax.collections[1].get_offsets()[0].round(3).tolist()
    [3.333, 0.0]

    Source: N, figure 7.
    """
    Z = kernel_pca(K, n_components=2)
    ax = axes_or_new(ax, figsize=(4.4, 4.2))
    side = 1.12 * np.abs(Z).max()
    if origin:
        zero = _origin(as_square(K), Z)
        side = max(side, 1.12 * np.abs(zero).max())
        ax.scatter(*zero, s=130, marker="+", color=BLACK, linewidths=2, zorder=5, label="the origin")
    ax.set(xlim=(-side, side), ylim=(-side, side), xticks=[], yticks=[], aspect="equal")
    return plot_points(Z, as_labels(y, len(Z)), ax, names)


def _origin(K: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Where the zero vector of the feature space lies in the plane of its two principal components."""
    to_centre = K.mean(axis=1) - K.mean()  # (φ_i - m)·m, with m the mean of all images
    return -(to_centre @ Z) / np.maximum((Z**2).sum(axis=0), np.finfo(float).tiny)


@described
def plot_fisher_gamma(worlds: Mapping[str, tuple[Any, Any]], ax: Ax = None) -> Any:
    """J of the Gaussian kernel against its width gamma, and (dotted) J of the points as they are; one colour per world.

    Parameters
    ----------
    worlds : {name: (X, y)}

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [5.0], [6.0]], [-1, -1, 1, 1]
    >>> ax = plot_fisher_gamma({"four points": (X, y)})
    >>> [line.get_label() for line in ax.lines]
    ['four points', '_as they are']
    """
    ax = axes_or_new(ax, figsize=(7, 4.2))
    for (name, (X, y)), (color, line) in zip(worlds.items(), CURVES, strict=False):
        J = [kernel_fisher_scalar(rbf_kernel(X, gamma=gamma), y) for gamma in GAMMAS]
        ax.plot(GAMMAS, J, color=color, linestyle=line, linewidth=2.2, label=name)
        ax.axhline(fisher_scalar(X, y), color=color, linestyle=":", linewidth=1.5, label="_as they are")
    log_axis(ax.xaxis, GAMMAS[0], GAMMAS[-1])
    log_axis(ax.yaxis, 1e-4, 10.0)
    ax.set(xlabel="γ", ylabel="Fisher scalar J")
    return ax


@described
def plot_ascent(paths: Mapping[str, Any], top: float, ax: Ax = None) -> Any:
    """J after every step of some ascents, on a logarithmic axis, and the largest J there is as a line.

    Parameters
    ----------
    paths : {name: J at the start and after each step}, as :func:`mcmteach.xiong_ascent` gives them
    top : the largest J, by N(41)

    Examples
    --------
    >>> ax = plot_ascent({"printed schedule": [0.1, 0.11, 0.12]}, top=0.5)
    >>> [line.get_label() for line in ax.lines]
    ['printed schedule', 'N(41), in one step']
    """
    ax = axes_or_new(ax, figsize=(7, 4.2))
    curves = {name: as_vector(J, "J") for name, J in paths.items()}
    for (name, J), (color, line) in zip(curves.items(), CURVES, strict=False):
        ax.plot(np.arange(1, len(J)), J[1:], color=color, linestyle=line, linewidth=2.2, label=name)
    ax.axhline(top, color=BLACK, linewidth=1.8, label="N(41), in one step")
    log_axis(ax.xaxis, 1.0, max(10, *(len(J) - 1 for J in curves.values())))
    ax.set(xlabel="steps", ylabel="Fisher scalar J", ylim=(0, 1.08 * top))
    return ax


@described
def plot_factor(
    c: Callable[[FloatArray], ArrayLike],
    X: ArrayLike,
    y: ArrayLike,
    ax: Ax = None,
    cores: ArrayLike | None = None,
    names: Sequence[str] | None = None,
) -> Any:
    """The factor c(x) as a map: green where it is positive, brown where it is negative, a black line where it is 0.

    Parameters
    ----------
    c : a ConformalMap, or any function that gives one number per row of a matrix with two columns
    X, y : points to show on the map
    cores : where given, these are ringed
    names : what the legend calls the classes

    Examples
    --------
    >>> from mcmteach import ConformalMap
    >>> ax = plot_factor(ConformalMap([[0.0, 0.0]], [-0.5, 1.0], 1.0), [[0, 0], [2, 2]], [1, -1])
    >>> round(float(ax.images[0].norm.vmax), 2)  # the largest |c| of the points has the darkest colour
    0.5

    Source: N(34).
    """
    X = plane_data(X)
    ax = frame(X, axes_or_new(ax))
    _shade_by_factor(
        c, float(np.abs(c(X)).max()) or 1.0, ax
    )  # far from all points c may be huge, and says nothing there
    plot_points(X, y, ax, names)
    if cores is not None and np.size(cores):
        ring = {"s": 110, "facecolors": "none", "edgecolors": BLACK, "linewidths": 1.1, "zorder": 4}
        ax.scatter(*plane_data(cores).T, **ring, label="cores")
    return ax


def _shade_by_factor(c: Callable[[FloatArray], ArrayLike], largest: float, ax: Ax) -> None:
    """Colours for c(x) from -largest to largest, and a line where c is 0."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    gx, gy = np.meshgrid(np.linspace(left, right, CELLS), np.linspace(low, high, CELLS))
    values = np.asarray(c(np.column_stack([gx.ravel(), gy.ravel()])))
    if values.shape != (CELLS**2,):
        raise InvalidInputError("c must give one number per row.")
    values = values.reshape(gx.shape)
    shades = {"cmap": "BrBG", "vmin": -largest, "vmax": largest}
    ax.imshow(values, **shades, extent=(left, right, low, high), origin="lower", interpolation="bilinear")
    if values.min() < 0 < values.max():
        ax.contour(gx, gy, values, levels=[0], colors=BLACK, linewidths=2)


@described
def plot_fisher_widths(
    gammas: ArrayLike,
    training: ArrayLike,
    new: ArrayLike,
    before: tuple[float, float],
    here: int | None = None,
    ax: Ax = None,
) -> Any:
    """J after the best map, on the training data and on new data, against the width of the bumps; dotted without a map.

    Parameters
    ----------
    gammas : the widths gamma_c, ascending
    training, new : J with the map of each width
    before : J on the training and on the new data with c = 1
    here : the place of the width to mark

    Examples
    --------
    >>> ax = plot_fisher_widths([0.1, 1.0, 10.0], [0.3, 0.4, 0.5], [0.2, 0.3, 0.1], before=(0.1, 0.1), here=1)
    >>> [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]
    ['training data', 'new data']
    """
    ax, gammas = axes_or_new(ax), as_vector(gammas, "gammas")
    for J, start, name, color, marker, line in (
        (as_vector(training, "training", len(gammas)), before[0], "training data", BLUE, "o", "-"),
        (as_vector(new, "new", len(gammas)), before[1], "new data", VERMILION, "s", "--"),
    ):
        ax.plot(gammas, J, color=color, linestyle=line, linewidth=2.2, label=name)
        ax.axhline(start, color=color, linestyle=":", linewidth=1.5, label=f"_{name}, c = 1")
        if here is not None:
            ax.plot(
                gammas[here], J[here], marker=marker, color=color, markersize=9, markeredgecolor="white", label="_here"
            )
    if here is not None:
        ax.axvline(gammas[here], color=GREY, linewidth=1, zorder=0, label="_width")
    log_axis(ax.xaxis, gammas[0], gammas[-1])
    ax.set(xlabel="$γ_c$", ylabel="Fisher scalar J")
    ax.set_ylim(bottom=0)
    return ax
