"""Small devices: error against the size of a machine, and what short numbers do to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.plots.canvas import BLACK, BLUE, CURVES, GREY, VERMILION, Ax, axes_or_new, log_axis
from mcmteach.plots.description import described
from mcmteach.validation import as_vector

MARKERS = ("o", "^", "s", "D", "v", "P", "X")


@described
def plot_sizes(machines: Mapping[str, tuple[Any, ...]], memories: Mapping[str, float], ax: Ax = None) -> Any:
    """Error on new points against the size of the model in bytes, and how much memory some devices have.

    Parameters
    ----------
    machines : {name: (bytes, error) or (bytes, error, half the width of its interval)}; several sizes of one kind of machine
        are joined by a line
    memories : {device: bytes}, drawn as upright lines
    """
    ax = axes_or_new(ax)
    sizes = np.concatenate([np.atleast_1d(values[0]) for values in machines.values()]).astype(float)
    log_axis(ax.xaxis, min(sizes.min(), *memories.values(), np.inf) / 3, max(sizes.max(), *memories.values(), 1) * 3)
    styles = zip(machines.items(), cycle(CURVES), cycle(MARKERS), strict=False)
    for (name, (size, error, *half)), (color, line), marker in styles:
        style = {"linestyle": line if np.size(size) > 1 else "none", "color": color, "marker": marker}
        ax.plot(np.atleast_1d(size), np.atleast_1d(error), markersize=8, label=name, **style)
        if half:
            ax.errorbar(size, error, yerr=half[0], fmt="none", ecolor=color, elinewidth=1, capsize=2)
    for device, room in memories.items():
        ax.axvline(room, color=GREY, linestyle=":", linewidth=1.3)
        ax.text(room, 0.98, f" {device}", transform=ax.get_xaxis_transform(), va="top", color="#333333", fontsize=9)
    ax.set(xlabel="size of the model (bytes)", ylabel="error on new points")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    ax.legend(loc="center right")
    return ax


@described
def plot_bits(
    bits: Sequence[int], wrong: ArrayLike, bound: ArrayLike, exact: float, constant: float, chosen: int, ax: Ax = None
) -> Any:
    """Error on new points and the bound on it, against the bits of a number; dashed: not rounded, and a constant's bound.

    Parameters
    ----------
    bits : numbers of bits
    wrong, bound : for each of them the share of errors on new points, and the bound on the risk
    exact : the share of errors of the machine as it was fitted
    constant : the bound of a machine that always gives one answer
    chosen : which number of bits is marked
    """
    ax = axes_or_new(ax)
    places = np.arange(len(bits))
    ax.plot(places, as_vector(bound, "bound", len(bits)), "^-", color=VERMILION, label="bound on the risk")
    ax.axhline(constant, color=VERMILION, linestyle="--", linewidth=1.1, label="bound of a constant answer")
    ax.plot(places, as_vector(wrong, "wrong", len(bits)), "o-", color=BLUE, label="wrong about new points")
    ax.axhline(exact, color=BLUE, linestyle="--", linewidth=1.1, label="not rounded")
    ax.axvline(list(bits).index(chosen), color=BLACK, linewidth=1, alpha=0.4)
    ax.set_xticks(places, [str(each) for each in bits])
    ax.set(xlabel="bits per number", ylabel="share of errors", ylim=(0, 1))
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    return ax
