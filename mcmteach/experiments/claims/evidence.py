"""What the rules of the claims ask: the stored results by protocol, and the few numbers that verdicts depend on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mcmteach.datasets import PAPER_TABLES
from mcmteach.experiments import table4
from mcmteach.experiments.authors import AUTHORS, BY_NAME, PROGRAMME, WITHOUT_NUMBER, AuthorsRow, authors_rows
from mcmteach.experiments.rules import NESTED, TEST_CHOSEN, Protocol
from mcmteach.experiments.store import Store
from mcmteach.experiments.tables import SetSummary, complete_columns, ratio, results_by_fold, summarise
from mcmteach.paper.fold_arithmetic import fewest_dropped
from mcmteach.paper.printed import TABLE2, TABLE3, AccuracyRow
from mcmteach.paper.wilcoxon import SignedRank, printed_tests, signed_rank
from mcmteach.validation import FloatArray

FEWEST = 6  # sets: with fewer Wilcoxon's p cannot reach 0.05


class Evidence(NamedTuple):
    """The stored results, by protocol. Only sets with all folds are counted."""

    nested: list[SetSummary]
    test_chosen: list[SetSummary]
    authors: dict[str, list[AuthorsRow]]  #: by column, on the authors' own folds
    store: Store


def gather(store: Store | None = None) -> Evidence:
    """All that the store holds, of all protocols."""
    store = store or Store()
    nested, test_chosen = (
        [row for row in summarise(protocol, store) if row.complete] for protocol in (NESTED, TEST_CHOSEN)
    )
    columns = {AUTHORS: (*AUTHORS.columns, WITHOUT_NUMBER), PROGRAMME: PROGRAMME.columns}
    authors = {column: authors_rows(plan, column, store) for plan, names in columns.items() for column in names}
    return Evidence(nested, test_chosen, authors, store)


def column_test(rows: list[SetSummary], a: str, b: str) -> SignedRank | None:
    """Wilcoxon's test between two columns, in points; None where there are too few sets."""
    columns = complete_columns(rows)
    if len(rows) < FEWEST:
        return None
    return signed_rank(100 * np.array(columns[a]), 100 * np.array(columns[b]), (a, b))


def printed_test(a: str, b: str) -> SignedRank:
    """The same between two columns of P's Table 2."""
    return next(test for test in printed_tests() if (test.a, test.b) == (a, b))


def support_ratios(rows: list[SetSummary], column: str, what: Sequence[str] = ("n_support",)) -> list[float]:
    """SVC's support vectors over those (and whatever else is to be counted) of a column, set by set."""
    return [ratio(row.mean("svc", "n_support"), sum(row.mean(column, name) for name in what)) for row in rows]


def counts_over_printed(e: Evidence) -> list[float]:
    """The support vectors of our LP as a multiple of those that Table 3 prints, set by set."""
    printed = {p.dataset: TABLE3[p.row - 1].conformal.mean for p in PAPER_TABLES if p.table == 1}
    return [row.mean("lp0", "n_support") / printed[row.dataset] for row in e.test_chosen]


def table2_row(number: int) -> AccuracyRow:
    return next(row for row in TABLE2 if row.row == number)


def dropped_folds(e: Evidence) -> dict[int, int]:
    """Rows of Table 2 whose conformal MCM cannot have been averaged over five folds, and how many are missing at the least."""
    sizes = {BY_NAME[name].row: [fold["n_test"] for fold in e.store.folds(AUTHORS, name)] for name in BY_NAME}
    complete = {row: known for row, known in sizes.items() if len(known) == AUTHORS.n_folds}
    found = {row: fewest_dropped(table2_row(row).conformal, known) for row, known in complete.items()}
    return {row: n for row, n in found.items() if n}


def J_with_map(protocol: Protocol, store: Store) -> tuple[FloatArray, FloatArray]:
    """J before and after in the folds that have cores."""
    before, after, cores = (
        np.array(results_by_fold(protocol, "conformal", what, store)) for what in ("J_before", "J_after", "n_cores")
    )
    return before[cores > 0], after[cores > 0]


def stored_table4() -> list[table4.Table4Row]:
    return [row for row in table4.stored_rows() if np.isfinite(row.conformal)]
