"""Numbers as the phrases in which the claims page tells them."""

from __future__ import annotations

import numpy as np

from mcmteach.experiments.claims.evidence import Signs
from mcmteach.experiments.comparisons import Comparison
from mcmteach.experiments.rules import COLUMN_TITLES
from mcmteach.experiments.tables import SetSummary, complete_columns
from mcmteach.experiments.text import signed
from mcmteach.paper.intervals import Interval
from mcmteach.paper.wilcoxon import SignedRank
from mcmteach.validation import FloatArray

NOT_RUN, TOO_FEW = "not run", "not run on enough sets"


def wilcoxon_in_words(test: SignedRank | None) -> str:
    if test is None:
        return TOO_FEW
    ties = f", {test.ties} {'tie' if test.ties == 1 else 'ties'}" if test.ties else ""
    n = test.wins + test.losses + test.ties
    median = signed(test.median)
    return f"better on {test.wins}, worse on {test.losses} of {n}{ties}; median {median} points, p = {test.p:.2g}"


def comparison_in_words(c: Comparison | None) -> str:
    """Wins and losses, the differences with their intervals, and how sure one can be that the two are as good as equal."""
    if c is None:
        return TOO_FEW
    ties = f", {c.ties} {'tie' if c.ties == 1 else 'ties'}" if c.ties else ""
    same = ", ".join(f"{test.equivalent:.3f} within {rope:g}" for rope, test in c.ropes.items())
    return (
        f"better on {c.wins}, worse on {c.losses} of {c.rows}{ties}; mean {interval_in_words(c.mean)}, median "
        f"{interval_in_words(c.median)} points; p = {c.p:.2g} ({c.p_holm:.2g} by Holm); probability of being equivalent "
        f"{same} point; a difference of {c.detectable:.1f} would have been found four times in five"
    )


def signs_in_words(s: Signs) -> str:
    return f"{s.wins} better, {s.ties} equal, {s.losses} worse (sign test p = {s.p:.2g})"


def interval_in_words(value: Interval) -> str:
    return f"{signed(value.value)} ({signed(value.low)} to {signed(value.high)})"


def ratios_in_words(ratios: list[float], name: str) -> str:
    if not ratios:
        return NOT_RUN
    return (
        f"{name}: median {np.median(ratios):.1f}x, at least 3x on {sum(r >= 3 for r in ratios)} of {len(ratios)} sets"
    )


def median_count(rows: list[SetSummary], column: str) -> str:
    counts = complete_columns(rows, "n_support").get(column, [])
    return f"SVC: median over {len(counts)} sets {np.median(counts):.0f}" if counts else NOT_RUN


def means_in_words(rows: list[SetSummary]) -> str:
    columns = complete_columns(rows)
    means = ", ".join(f"{COLUMN_TITLES[name]} {100 * np.mean(values):.2f}" for name, values in columns.items())
    return f"means over {len(rows)} sets: {means}" if rows else NOT_RUN


def rise_in_words(before: FloatArray, after: FloatArray) -> str:
    if not len(before):
        return NOT_RUN
    return f"higher in {np.sum(after > before)} of {len(before)} folds, median factor {np.median(after / before):.1f}"


def worst_fall(before: FloatArray, after: FloatArray) -> str:
    fall = 1 - float(np.min(after / before)) if len(before) else 0.0
    return f" (at worst by {100 * fall:.1f} %)" if fall > 0 else ""
