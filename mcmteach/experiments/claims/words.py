"""Numbers as the phrases in which the claims page tells them."""

from __future__ import annotations

import numpy as np

from mcmteach.experiments.claims.evidence import FEWEST
from mcmteach.experiments.rules import COLUMN_TITLES
from mcmteach.experiments.tables import SAME, SetSummary, complete_columns, signed
from mcmteach.paper.equivalence import signed_rank_rope
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


def same_in_words(rows: list[SetSummary], a: str, b: str) -> str:
    """How sure one can be that two columns are as good as equal."""
    columns = complete_columns(rows)
    if len(rows) < FEWEST:
        return ""
    test = signed_rank_rope(100 * np.array(columns[a]), 100 * np.array(columns[b]), SAME)
    return f"; the same within {SAME:g} point with probability {test.equivalent:.3f} (Bayesian signed-rank)"


def p_in_words(test: SignedRank | None) -> str:
    return TOO_FEW if test is None else f"p = {test.p:.2g} (median difference {signed(test.median)} points)"


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
