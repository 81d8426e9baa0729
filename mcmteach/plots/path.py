"""The MCM along a path of prices: its coefficients, its support vectors, its errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.plots.canvas import BLACK, BLUE, CURVES, VERMILION, Ax, axes_or_new, log_axis
from mcmteach.plots.description import described
from mcmteach.solvers.path import MCMPath
from mcmteach.validation import as_vector

SHOWS = {"coefficients": "coefficients λ", "support": "support vectors", "error": "share of errors"}


@described
def plot_path(path: MCMPath, show: str = "coefficients", new_error: ArrayLike | None = None, ax: Ax = None) -> Any:
    """The coefficients against their price (on a logarithmic axis), or how many of them are not 0, or the errors.

    Parameters
    ----------
    path : as ``mcm_path`` gives it for increasing prices > 0
    show : "coefficients" (a line for each sample), "support" (how many support vectors), or "error" (on the training
        samples)
    new_error : with "error", the share of errors on new samples, one per price

    Examples
    --------
    >>> from mcmteach import mcm_path
    >>> path = mcm_path([[1.0], [2.0], [-1.0], [-4.0]], [1, 1, -1, -1], sparsity=[0.1, 1.0, 100.0])
    >>> ax = plot_path(path, "support")
    >>> ax.lines[0].get_ydata().tolist()
    [1, 1, 0]
    """
    s = as_vector(path.sparsity, "the prices")
    if show not in SHOWS:
        raise InvalidInputError(f"show must be one of {', '.join(SHOWS)}; got {show!r}.")
    if len(s) < 2 or s[0] <= 0 or (np.diff(s) <= 0).any():
        raise InvalidInputError("A path is drawn against at least two prices, all above 0 and in increasing order.")
    ax = axes_or_new(ax)
    if show == "coefficients":
        _coefficients(ax, s, np.array([solution.coef for solution in path.solutions]))
    elif show == "support":
        ax.step(s, path.n_support, where="post", color=BLACK, linewidth=2)
    else:
        ax.plot(s, path.error, "o-", color=BLUE, markersize=4, label="training sample")
        if new_error is not None:
            ax.plot(
                s, as_vector(new_error, "new_error", len(s)), "^--", color=VERMILION, markersize=5, label="new points"
            )
        ax.legend(frameon=False)
    log_axis(ax.xaxis, s[0], s[-1])
    if show != "coefficients":
        ax.set_ylim(bottom=0)
    ax.set(xlabel="price on λ", ylabel=SHOWS[show])
    return ax


def _coefficients(ax: Ax, s: np.ndarray, coef: np.ndarray) -> None:
    """A line for each sample that is a support vector somewhere on the path."""
    ax.axhline(0, color=BLACK, linewidth=0.8)
    for i, values in enumerate(coef.T[np.abs(coef).max(axis=0) > 0]):
        color, style = CURVES[i % len(CURVES)]
        ax.plot(s, values, color=color, linestyle=style, linewidth=1.4)
