"""The margins of all samples, between the 1 that they should reach and the cap h that none may exceed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.plots.canvas import BLACK, CLASS_STYLES, GREY, Ax, axes_or_new
from mcmteach.plots.description import described
from mcmteach.validation import as_labels, as_vector


@described
def plot_cap(f: ArrayLike, y: ArrayLike, h: float, ax: Ax = None) -> Any:
    """Each y f from the smallest to the largest, with the band from 1 to h; slack is drawn down from 1 as a line.

    Parameters
    ----------
    f : decision values of shape (n_samples,)
    y : labels -1 and +1
    h : the cap of the machine

    Examples
    --------
    >>> ax = plot_cap([2.0, 0.5, -1.0], [1, 1, -1], h=2.0)
    >>> [line.get_label() for line in ax.lines]
    ['cap h', 'margin 1', 'class −1', 'class +1']
    """
    f = as_vector(f, "f")
    y = as_labels(y, len(f))
    ax = axes_or_new(ax)
    order = np.argsort(y * f, kind="stable")
    t, y, place = (y * f)[order], y[order], np.arange(1, len(f) + 1)
    ax.axhspan(1, h, color=GREY, alpha=0.2, linewidth=0)
    ax.axhline(h, color=BLACK, linewidth=1.6, label="cap h")
    ax.axhline(1, color=BLACK, linewidth=1, linestyle="--", label="margin 1")
    ax.vlines(place, np.minimum(t, 1), 1, color=GREY, linewidth=2)
    for side, name, style in zip((-1, 1), ("class −1", "class +1"), CLASS_STYLES, strict=True):
        ax.plot(place[y == side], t[y == side], linestyle="none", markersize=6, label=name, zorder=3, **style)
    ax.set(xlabel="samples, sorted", ylabel="y f(x)")
    return ax
