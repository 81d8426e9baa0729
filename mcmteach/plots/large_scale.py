"""Much data: a kernel rebuilt from random features, and a descent on its way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.kernels import squared_distances
from mcmteach.plots.canvas import BLACK, BLUE, CURVES, GREY, Ax, axes_or_new, log_axis
from mcmteach.plots.description import described
from mcmteach.validation import as_matrix, as_vector, positive

MARKERS = ("o", "^", "s", "D", "v")


@described
def plot_approximation(X: ArrayLike, Z: ArrayLike, gamma: float, ax: Ax = None) -> Any:
    r"""The RBF kernel exp(-γ r²) as a curve over the distance r, and what features make of it as dots.

    There is a dot at \((\|x_i - x_j\|,\; z_i \cdot z_j)\) for each pair of samples. Were the features perfect, all dots would
    lie on the curve.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    Z : their features, of shape (n_samples, n_components)
    gamma : width of the kernel

    Source: P section 5 (Sharma et al. 2017); Rahimi and Recht 2007.
    """
    X, gamma = as_matrix(X), positive(gamma, "gamma")
    Z = as_matrix(Z, "Z")
    if len(Z) != len(X):
        raise InvalidInputError(f"Z has {len(Z)} rows and X has {len(X)}: the features of the same samples are needed.")
    ax = axes_or_new(ax)
    pair = np.triu_indices(len(X))
    r = np.sqrt(squared_distances(X, X)[pair])
    ax.plot(r, (Z @ Z.T)[pair], "o", color=BLUE, markersize=2.5, alpha=0.35, label="z·z′ of the features")
    grid = np.linspace(0, r.max() or 1.0, 200)
    ax.plot(grid, np.exp(-gamma * grid**2), color=BLACK, linewidth=1.8, label="the kernel")
    ax.set(xlim=(0, grid[-1]), ylim=(-1.1, 2.1), xlabel="distance of two points", ylabel="kernel value")
    return ax


@described
def plot_map_errors(sizes: Sequence[int], errors: Mapping[str, Any], ax: Ax = None) -> Any:
    r"""How far features are from the kernel, against their number, both axes logarithmic; 1/√D dotted.

    Parameters
    ----------
    sizes : numbers of features D
    errors : {name of a map: its error at each of the sizes}
    """
    D = as_vector(sizes, "sizes")
    ax = axes_or_new(ax)
    low = min(float(np.min(error)) for error in errors.values())
    log_axis(ax.xaxis, D.min() / 1.3, D.max() * 1.3)
    log_axis(ax.yaxis, max(low, 1e-12) / 2, 1.0)
    ax.set_xticks(D, [f"{d:g}" for d in D])
    ax.plot(D, 1 / np.sqrt(D), ":", color=GREY, label="$1/\\sqrt{D}$")
    for (name, error), (color, line), marker in zip(errors.items(), CURVES, MARKERS, strict=False):
        ax.plot(D, as_vector(error, name, len(D)), line, color=color, marker=marker, label=name)
    ax.set(xlabel="number of features D", ylabel="error (root mean square)")
    ax.legend()
    return ax


@described
def plot_convergence(objectives: Mapping[str, Any], optimum: float, ax: Ax = None) -> Any:
    """The objective E after each pass over the data, both axes logarithmic, and the optimum as a dashed line.

    Parameters
    ----------
    objectives : {name of a descent: E after passes 1, 2, …}
    optimum : the least that E can be, such as a linear programme's
    """
    optimum = positive(optimum, "optimum")
    ax = _passes(objectives, optimum, f"the linear programme: {optimum:.3g}", axes_or_new(ax))
    top = max(optimum, *(float(np.max(values)) for values in objectives.values()))
    ax.set(yscale="log", ylim=(0.93 * optimum, 1.2 * top), ylabel="objective E")
    ticks = [optimum, *_round_numbers(1.1 * optimum, 1.2 * top)]
    ax.set_yticks(ticks, [f"{tick:.3g}" for tick in ticks])
    ax.minorticks_off()
    return ax


@described
def plot_learning(errors: Mapping[str, Any], goal: float, ax: Ax = None) -> Any:
    """The share of errors after each pass over the data, and that of the linear programme's machine as a dashed line.

    Parameters
    ----------
    errors : {name of a descent: share of samples that it is wrong about after passes 1, 2, …}
    goal : the same share for the optimum
    """
    ax = _passes(errors, goal, f"the linear programme: {goal:.1%}", axes_or_new(ax))
    ax.set(ylabel="share of errors")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    return ax


def _passes(curves: Mapping[str, Any], goal: float, name: str, ax: Ax) -> Any:
    """Curves over passes 1, 2, … on a logarithmic axis, and what they are on the way to."""
    for (label, values), (color, line) in zip(curves.items(), CURVES, strict=False):
        values = as_vector(values, label)
        marker = "o" if len(values) == 1 else None  # one point is no line
        ax.plot(np.arange(1, len(values) + 1), values, line, marker=marker, color=color, label=label)
    ax.axhline(goal, color=BLACK, linestyle="--", linewidth=1.3, label=name)
    log_axis(ax.xaxis, 1, max(2, *(len(np.atleast_1d(values)) for values in curves.values())))
    ax.set(xlabel="passes over the data")
    ax.legend()
    return ax


def _round_numbers(low: float, high: float) -> list[float]:
    """Round numbers from low to high, six at most."""
    for digits in ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1,)):
        tens = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
        found = [digit * ten for ten in tens for digit in digits if low <= digit * ten <= high]
        if len(found) <= 6:
            break
    return found
