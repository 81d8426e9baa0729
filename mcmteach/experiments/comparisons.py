"""Every two columns of a table, compared over data sets: how large a difference is, how sure, and whether it matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.experiments.rules import COLUMN_TITLES
from mcmteach.experiments.text import render, signed
from mcmteach.paper.equivalence import RopeTest, critical_difference, holm, signed_rank_rope
from mcmteach.paper.intervals import Interval, detectable_difference, mean_interval, median_interval
from mcmteach.paper.wilcoxon import compare_columns

ROPES = (0.5, 1.0)  # points: half the widths of the regions of practical equivalence
SURE = 0.95
SIGNIFICANT = 0.05


class Comparison(NamedTuple):
    """Column a against column b, in points; differences are a - b."""

    a: str
    b: str
    rows: int
    wins: int
    losses: int
    ties: int
    mean: Interval
    median: Interval
    p: float  #: Wilcoxon's signed-rank test
    p_holm: float  #: corrected for the number of comparisons
    ropes: dict[float, RopeTest]  #: by half the width of the region
    detectable: float  #: the mean difference that would have been found four times in five

    @property
    def verdict(self) -> str:
        """Equivalent, if they almost surely differ by less than a point; better or worse, if significant; else undecided."""
        if self.ropes[max(ROPES)].equivalent >= SURE:
            return "equivalent"
        if self.p_holm < SIGNIFICANT:
            return "better" if self.median.value > 0 else "worse"
        return "undecided"


def compare(columns: Mapping[str, Sequence[float]]) -> list[Comparison]:
    """Every two columns of accuracies in per cent, row by row of the same data set.

    Examples
    --------
    >>> (one,) = compare({"a": [80.0, 71.0, 90.0, 85.0, 60.0, 75.5], "b": [80.1, 70.8, 90.1, 84.9, 60.3, 75.4]})
    >>> one.rows, round(one.mean.value, 3), one.verdict
    (6, -0.017, 'equivalent')
    """
    tests = compare_columns(columns)
    found = []
    for t, corrected in zip(tests, holm([t.p for t in tests]), strict=True):
        a, b = np.asarray(columns[t.a], dtype=float), np.asarray(columns[t.b], dtype=float)
        ropes = {rope: signed_rank_rope(a, b, rope) for rope in ROPES}
        mean, median, least = mean_interval(a - b), median_interval(a - b), detectable_difference(a - b)
        found.append(
            Comparison(t.a, t.b, len(a), t.wins, t.losses, t.ties, mean, median, t.p, float(corrected), ropes, least)
        )
    return found


def undominated(scores: ArrayLike) -> np.ndarray:
    """Which rows no other dominates, as booleans: one that is nowhere smaller and somewhere larger. NaN is not comparable.

    Examples
    --------
    >>> undominated([[0.9, -10], [0.9, -20], [0.8, -5]]).tolist()
    [True, False, True]
    """
    one, other = np.asarray(scores, dtype=float)[:, None], np.asarray(scores, dtype=float)[None, :]
    dominates = np.all(other >= one, axis=-1) & np.any(other > one, axis=-1)
    return ~np.asarray(np.any(dominates, axis=1))


def comparison_table(columns: Mapping[str, Sequence[float]], markdown: bool = False) -> str:
    """The comparisons as a table, and the mean ranks with their critical difference."""
    titles = COLUMN_TITLES | {"svm": "SVM"}
    head = ["a - b", "wins", "losses", "ties", "mean (95 %)", "median (95 %)", "p", "p (Holm)"]
    head += [f"P(within {rope:g})" for rope in ROPES] + ["could have found", "verdict"]
    cells = []
    for c in compare(columns):
        same = [f"{c.ropes[rope].equivalent:.3f}" for rope in ROPES]
        counts = [str(c.wins), str(c.losses), str(c.ties), _interval(c.mean), _interval(c.median)]
        p = [f"{c.p:.2g}", f"{c.p_holm:.2g}"]
        cells.append([f"{titles[c.a]} - {titles[c.b]}", *counts, *p, *same, f"{c.detectable:.2f}", c.verdict])
    ranks = critical_difference(columns)
    order = sorted(ranks.ranks, key=lambda name: ranks.ranks[name])
    said = "Mean ranks (1 is best): " + ", ".join(f"{titles[name]} {ranks.ranks[name]:.2f}" for name in order)
    groups = "; ".join(", ".join(titles[name] for name in group) for group in ranks.groups() if len(group) > 1)
    said += (
        f". Critical difference (Nemenyi, 5 %): {ranks.critical_difference:.2f}. Not told apart: {groups or 'none'}."
    )
    rows = len(next(iter(columns.values())))
    title = f"Every two columns over {rows} sets (twins count once), differences in points:"
    return "\n\n".join([title, render(head, cells, markdown), said])


def _interval(value: Interval) -> str:
    return f"{signed(value.value)} ({signed(value.low)} to {signed(value.high)})"
