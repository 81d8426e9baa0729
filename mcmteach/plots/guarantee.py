"""The parts of a bound, and the bound beside other bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mcmteach.errors import InvalidInputError
from mcmteach.guarantee import compression_bound, hoeffding_bound, message_nats
from mcmteach.kernels import RBF
from mcmteach.plots.canvas import BLACK, BLUE, CURVES, GREY, VERMILION, Ax, axes_or_new
from mcmteach.plots.description import described


@described
def plot_message(bits: Mapping[str, float], ax: Ax = None) -> Any:
    """How many bits each part of the message costs, as bars.

    Examples
    --------
    >>> ax = plot_message({"which samples": 30.0, "coefficients": 8.0})
    >>> [float(bar.get_width()) for bar in ax.patches]
    [30.0, 8.0]
    """
    ax = axes_or_new(ax, figsize=(6, 3))
    names, costs = list(bits), list(bits.values())
    ax.barh(range(len(names)), costs, color=BLUE)
    ax.set_yticks(range(len(names)), names)  # not names as positions: matplotlib would remember them on a kept axes
    for i, cost in enumerate(costs):
        ax.text(cost, i, f" {cost:.0f}", va="center")
    ax.set(xlabel="bits", xlim=(0, 1.15 * max(*costs, 1.0)))
    ax.invert_yaxis()
    return ax


@described
def plot_bound_by_size(
    M: int, errors: int, bits: int, delta: float = 0.05, most: int = 60, rival: float | None = None, ax: Ax = None
) -> Any:
    """The compression bound against the number d of samples that a machine holds, the errors staying the same.

    Parameters
    ----------
    M, errors, bits, delta : samples, errors on those not held, bits of a coefficient, probability of failure
    most : the largest d
    rival : the bound of a constant machine, as a line

    Examples
    --------
    >>> ax = plot_bound_by_size(426, errors=10, bits=2)
    >>> [line.get_label() for line in ax.lines]
    ['binomial tail', 'Hoeffding']
    """
    ax = axes_or_new(ax)
    sizes = np.unique(np.linspace(1, min(most, M - errors - 1), 30).astype(int))
    nats = [message_nats(int(d), bits, 3, RBF(1.0), 17) for d in sizes]
    for (name, bound), (color, line) in zip(
        (("binomial tail", compression_bound), ("Hoeffding", hoeffding_bound)), CURVES, strict=False
    ):
        values = [bound(errors, M, int(d), cost, delta) for d, cost in zip(sizes, nats, strict=True)]
        ax.plot(sizes, values, color=color, linestyle=line, linewidth=2, label=name)
    if rival is not None:
        ax.axhline(rival, color=GREY, linewidth=1.5, linestyle=":", label="a constant machine")
    ax.set(xlabel="samples that the machine holds, d", ylabel="bound on the risk", ylim=(0, 1), xlim=(0, most))
    return ax


@described
def plot_guarantees(rows: Sequence[Mapping[str, Any]], ax: Ax = None) -> Any:
    """For each data set the bound of the machine with the smallest one, its test error, and the bound of a constant machine.

    Parameters
    ----------
    rows : each with "set", "bound", "test error", "constant" and "test set" (the bound from a half that is kept for testing)

    Examples
    --------
    >>> ax = plot_guarantees([{"set": "seeds", "bound": 0.2, "test error": 0.1, "constant": 0.6, "test set": 0.16}])
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['seeds']
    """
    if not rows:
        raise InvalidInputError("There are no rows to draw.")
    rows = sorted(rows, key=lambda row: row["bound"])
    ax = axes_or_new(ax, figsize=(8, 0.8 + 0.26 * len(rows)))
    at = np.arange(len(rows))
    ax.hlines(at, [row["test error"] for row in rows], [row["bound"] for row in rows], color=BLUE, linewidth=2)
    marks = {
        "bound": ("o", BLUE, "compression bound"), "test error": ("x", BLACK, "test error"),
        "constant": ("|", VERMILION, "bound of a constant machine"), "test set": ("s", GREY, "test-set bound, half the data"),
    }  # fmt: skip
    for key, (marker, color, name) in marks.items():
        hollow = {"markerfacecolor": "none"} if marker == "s" else {}
        size = 11 if marker == "|" else 7
        values = [row[key] for row in rows]
        ax.plot(values, at, marker, color=color, label=name, markersize=size, markeredgewidth=1.8, **hollow)
    ax.set_yticks(at, [row["set"] for row in rows])
    ax.set(xlabel="risk", xlim=(0, None))
    ax.invert_yaxis()
    ax.grid(axis="x", color=GREY, alpha=0.3)
    ax.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=2, frameon=False)
    return ax
