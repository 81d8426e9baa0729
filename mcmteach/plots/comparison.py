"""Two columns of a table side by side: who wins where, by how much, and whether choosing on the test fold explains it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.stats
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.paper.choosing_on_test import expected_best
from mcmteach.paper.equivalence import MeanRanks
from mcmteach.plots.canvas import BLACK, BLUE, CURVES, GREY, VERMILION, Ax, axes_or_new
from mcmteach.plots.description import described
from mcmteach.validation import as_vector

WIN = {"color": VERMILION, "marker": "^"}
LOSS = {"color": BLUE, "marker": "o"}
TIE = {"color": GREY, "marker": "s"}
ON_WHITE = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1}


@described
def plot_differences(names: Sequence[str], a: Any, b: Any, ax: Ax = None, labels: tuple[str, str] = ("a", "b")) -> Any:
    """A line for each data set, as long as the difference of two columns, the largest first: a triangle up, a circle down.

    Parameters
    ----------
    names : of the data sets
    a, b : arrays of shape (n_sets,), in points
    labels : what a and b are called

    Examples
    --------
    >>> ax = plot_differences(["one", "two"], [90.0, 80.0], [85.0, 81.0], labels=("new", "old"))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['new better: 1', 'old better: 1']
    """
    d = as_vector(a, labels[0]) - as_vector(b, labels[1], len(a))
    if len(names) != len(d):
        raise InvalidInputError(f"There are {len(names)} names for {len(d)} data sets. Give one name to each.")
    ax = axes_or_new(ax, figsize=(10, 4.6))
    order = np.argsort(-d, kind="stable")
    d = np.round(d[order], 9)
    ax.vlines(np.arange(len(d)), 0, d, color=GREY, linewidth=1.4, zorder=1)
    kinds = ((d > 0, WIN, f"{labels[0]} better"), (d < 0, LOSS, f"{labels[1]} better"), (d == 0, TIE, "equal"))
    for which, style, says in kinds:
        if which.any():
            place = np.flatnonzero(which)
            ax.scatter(place, d[place], s=46, zorder=3, label=f"{says}: {len(place)}", **style)
    ax.axhline(0, color=BLACK, linewidth=1)
    ax.set(ylabel=f"{labels[0]} minus {labels[1]}\n(points)", xlim=(-0.7, len(d) - 0.3))
    ax.set_xticks(range(len(d)), [names[i] for i in order], rotation=45, ha="right", rotation_mode="anchor")
    ax.tick_params(axis="x", length=0)
    ax.legend(loc="upper right", frameon=False)
    return ax


@described
def plot_signed_ranks(d: Any, ax: Ax = None) -> Any:
    """Wilcoxon's test in a picture: the differences in the order of their size, each with its rank; wins up, losses down.

    Parameters
    ----------
    d : array of shape (n,), differences; zeros are left out, as the test does

    Examples
    --------
    >>> ax = plot_signed_ranks([3.0, -1.0, 2.0, 0.0])
    >>> ax.get_title()
    'ranks of wins: 2 + 3 = 5, of losses: 1'
    """
    d = as_vector(d, "d")
    d = d[np.round(d, 9) != 0]
    if not len(d):
        raise InvalidInputError("All differences are 0, so there is nothing to rank.")
    d = d[np.argsort(np.abs(d), kind="stable")]
    ranks = scipy.stats.rankdata(np.round(np.abs(d), 9))
    ax = axes_or_new(ax, figsize=(6.5, 3.4))
    ax.vlines(np.arange(len(d)), 0, d, color=GREY, linewidth=2, zorder=1)
    for which, style in ((d > 0, WIN), (d < 0, LOSS)):
        ax.scatter(np.flatnonzero(which), d[which], s=60, zorder=3, **style)
    for i, (value, rank) in enumerate(zip(d, ranks, strict=True)):
        ax.annotate(f"{rank:g}", (i, value), (0, 9 if value > 0 else -9), textcoords="offset points", ha="center",
                    va="bottom" if value > 0 else "top")  # fmt: skip
    ax.axhline(0, color=BLACK, linewidth=1)
    room = 0.22 * np.ptp([*d, 0])
    ax.set(xlim=(-0.7, len(d) - 0.3), ylim=(min(d.min(), 0) - room, max(d.max(), 0) + room), xticks=[])
    ax.set(xlabel="data sets, the smallest difference first", ylabel="difference (points)")
    ax.set_title(f"ranks of wins: {_sum(ranks[d > 0])}, of losses: {_sum(ranks[d < 0])}")
    return ax


def _sum(ranks: np.ndarray) -> str:
    if len(ranks) <= 1:
        return f"{ranks.sum():g}"
    shown = " + ".join(f"{rank:g}" for rank in ranks) if len(ranks) <= 6 else "…"
    return f"{shown} = {ranks.sum():g}"


@described
def plot_gains(gains: Mapping[str, tuple[Any, Any]], ax: Ax = None) -> Any:
    """What a map gains, twice for each data set: chosen on the test fold (triangle) and on a validation part (circle).

    Parameters
    ----------
    gains : for each machine, under its name, two arrays of shape (n_sets,), in points; a bar shows their median

    Examples
    --------
    >>> ax = plot_gains({"with a price": ([2.0, 5.0, 3.0], [-1.0, 1.0, 0.5])})
    >>> [text.get_text() for text in ax.texts]
    ['+3.00', '+0.50']
    """
    ax = axes_or_new(ax, figsize=(6.5, 3.8))
    says = ("chosen on the test fold", "chosen on a validation part")
    for i, pair in enumerate(gains.values()):
        ax.plot([3 * i, 3 * i + 1], np.array(pair), color=GREY, linewidth=0.9, alpha=0.6, zorder=1)
        for x, values, style, label in zip((3 * i, 3 * i + 1), pair, (WIN, LOSS), says, strict=True):
            ax.scatter([x] * len(values), values, s=36, zorder=3, label=label if i == 0 else None, **style)
            ax.hlines(np.median(values), x - 0.35, x + 0.35, color=BLACK, linewidth=2.5, zorder=4)
            ax.text(x + 0.4, np.median(values), f"{np.median(values):+.2f}", va="center", bbox=ON_WHITE, zorder=5)
    ax.axhline(0, color=BLACK, linewidth=1)
    ax.set_xticks([3 * i + 0.5 for i in range(len(gains))], list(gains))
    ax.set(xlim=(-0.7, 3 * len(gains) - 0.9), ylabel="gain of the map (points)")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False, handletextpad=0.2)
    return ax


@described
def plot_reshuffles(scores: Mapping[str, Any], ax: Ax = None) -> Any:
    """A box for each way of scoring, over many reshuffles: the middle half, the median, and every single score as a dot.

    Parameters
    ----------
    scores : for each way, under its name, an array of accuracies from 0 to 1

    Examples
    --------
    >>> ax = plot_reshuffles({"best score": [0.9, 0.8, 0.85], "nested": [0.8, 0.7, 0.75]})
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['best score', 'nested']
    """
    ax = axes_or_new(ax, figsize=(4, 3.2))
    values = [100 * as_vector(one, name) for name, one in scores.items()]
    place = np.arange(1, len(values) + 1)
    ax.boxplot(values, widths=0.5, showfliers=False, medianprops={"color": BLACK, "linewidth": 2})
    for x, one in zip(place, values, strict=True):
        beside = x + 0.12 * np.sin(np.arange(len(one)) * 2.4)  # spread, so that equal scores do not hide each other
        ax.scatter(beside, one, s=14, color=BLUE, alpha=0.7, zorder=3)
    ax.set_xticks(place, list(scores))
    ax.set(ylabel="accuracy (%)")
    return ax


@described
def plot_critical_difference(found: MeanRanks, ax: Ax = None) -> Any:
    """Demšar's diagram: columns by their mean rank, the best on the left; a bar joins those that are not told apart.

    Parameters
    ----------
    found : what :func:`mcmteach.paper.equivalence.critical_difference` gives

    Examples
    --------
    >>> from mcmteach.paper.equivalence import critical_difference
    >>> ax = plot_critical_difference(critical_difference({"new": [3.0, 3.0], "old": [2.0, 2.0], "chance": [1.0, 1.0]}))
    >>> [text.get_text() for text in ax.texts]
    ['new 1.00', 'old 2.00', 'chance 3.00', 'critical difference 2.34', 'mean rank,\\n1 is best']
    """
    names = sorted(found.ranks, key=lambda name: found.ranks[name])
    groups = [group for group in found.groups() if len(group) > 1]
    half, right = (len(names) + 1) // 2, max(len(names), 1 + found.critical_difference)
    ax = axes_or_new(ax, figsize=(6.5, 1.5 + 0.3 * half))
    for i, name in enumerate(names):  # the better half to the left, the others to the right: lines do not cross
        left = i < half
        end, low = (0.9, -1.3 - i) if left else (right + 0.1, i - len(names) - 0.3)
        ax.plot([found.ranks[name]] * 2 + [end], [0, low, low], color=GREY, linewidth=1)
        side = {"ha": "right" if left else "left", "va": "center"}
        ax.text(end + (-0.05 if left else 0.05), low, f"{name} {found.ranks[name]:.2f}", **side)
    for i, group in enumerate(groups):
        ends = [found.ranks[group[0]] - 0.04, found.ranks[group[-1]] + 0.04]
        ax.plot(ends, [-0.3 - 0.5 * i / len(groups)] * 2, color=VERMILION, linewidth=4, solid_capstyle="butt")
    ax.plot([1, 1 + found.critical_difference], [2.1, 2.1], color=BLACK, linewidth=2, marker="|")
    ax.text(1.1 + found.critical_difference, 2.1, f"critical difference {found.critical_difference:.2f}", va="center")
    wide = 0.35 * (right - 1)  # room for the names
    ax.set(xlim=(0.9 - wide, right + 0.1 + wide), ylim=(-0.8 - half, 2.6), yticks=[], xticks=range(1, len(names) + 1))
    ax.text(right + 0.15, 0.6, "mean rank,\n1 is best", va="center")
    ax.xaxis.tick_top()
    ax.spines["top"].set(position=("data", 0), bounds=(1, len(names)))
    ax.spines[["left", "right", "bottom"]].set_visible(False)
    return ax


@described
def plot_peeped(best: ArrayLike, fresh: ArrayLike, ax: Ax = None) -> Any:
    """For each data set the accuracy of the chosen setting where it was chosen (triangle) and on new samples (circle).

    Parameters
    ----------
    best, fresh : arrays of shape (n_sets,), accuracies from 0 to 1, as ``peep_at_noise`` gives them

    Examples
    --------
    >>> ax = plot_peeped([0.7, 0.6], [0.5, 0.4])
    >>> [round(float(line.get_ydata()[0]), 2) for line in ax.lines]    # both means
    [0.65, 0.45]
    """
    best = as_vector(best, "best")
    fresh = as_vector(fresh, "fresh", len(best))
    ax = axes_or_new(ax)
    place, rows = np.arange(1, len(best) + 1), np.argsort(-best, kind="stable")
    ax.vlines(place, fresh[rows], best[rows], color=GREY, linewidth=0.9, alpha=0.6, zorder=1)
    for values, style, says in ((best, WIN, "where it was chosen"), (fresh, LOSS, "on new samples")):
        ax.scatter(place, values[rows], s=30, zorder=3, label=says, **style)
        ax.axhline(values.mean(), color=style["color"], linewidth=1.4, linestyle="--", zorder=2)
    ax.set(xlabel="data set", ylabel="accuracy", ylim=(0, 1.03))
    return ax


@described
def plot_expected_best(ks: Any, ms: Sequence[int], ax: Ax = None) -> Any:
    """What the best of k settings shows on a coin's labels, against k: a curve for each size m of the test fold.

    Examples
    --------
    >>> ax = plot_expected_best([1, 10], [30])
    >>> [round(float(y), 2) for y in ax.lines[0].get_ydata()]
    [0.5, 0.64]
    """
    ax = axes_or_new(ax)
    for m, (color, style) in zip(ms, CURVES, strict=False):
        values = [expected_best(int(k), m) for k in ks]
        ax.plot(ks, values, color=color, linestyle=style, linewidth=2, label=f"{m} test samples")
    ax.axhline(0.5, color=BLACK, linewidth=1, linestyle=":")
    ax.set(xlabel="settings tried", ylabel="accuracy of the best", ylim=(0.45, 1.0))
    return ax


@described
def plot_pareto(
    names: Sequence[str],
    accuracy: ArrayLike,
    size: ArrayLike,
    error: ArrayLike | None = None,
    best: Sequence[str] = (),
    bound: ArrayLike | None = None,
    ax: Ax = None,
) -> Any:
    """Accuracy against size, a mark per machine with its error bar; those that no other beats are filled.

    Parameters
    ----------
    names : of the machines
    accuracy, size : arrays of shape (n_machines,), size in bytes, nan where it is not known (then there is no mark)
    error : of the accuracy, where known
    best : the names of those that no other machine beats
    bound : on the risk, where known; it stands beside the name

    Examples
    --------
    >>> ax = plot_pareto(["small", "large"], [0.9, 0.95], [100, 9000], best=["small", "large"], bound=[0.2, 0.1])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['small: risk ≤ 0.20', 'large: risk ≤ 0.10']
    """
    accuracy, size = as_vector(accuracy, "accuracy"), np.asarray(size, float)
    ax = axes_or_new(ax, figsize=(7.5, 4.0))
    bars = np.zeros(len(names)) if error is None else as_vector(error, "error", len(names))
    labels = (
        list(names)
        if bound is None
        else [f"{n}: risk ≤ {b:.2f}" for n, b in zip(names, np.asarray(bound, float), strict=True)]
    )
    marks = zip(_cycled(CURVES, len(names)), "o^sDvP*X" * 9, strict=False)
    for name, label, a, s, bar, ((color, _), marker) in zip(names, labels, accuracy, size, bars, marks, strict=True):
        face = color if name in best else "white"
        label = label if np.isfinite(s) else f"{label}, size not known"
        style = {"color": color, "marker": marker, "markersize": 9, "markerfacecolor": face, "capsize": 3}
        ax.errorbar(s, 100 * a, 100 * bar, label=label, linestyle="none", **style)
    ax.set(xscale="log", xlabel="bytes to store", ylabel="accuracy on held-out samples (%)")
    ax.margins(x=0.25)
    ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    return ax


def _cycled(styles: Sequence[Any], n: int) -> list[Any]:
    return [styles[i % len(styles)] for i in range(n)]
