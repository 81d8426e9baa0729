"""Stored folds as tables: P's Table 2 (accuracy), Table 3 (support vectors), and further columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mcmteach.errors import InvalidInputError
from mcmteach.experiments.comparisons import comparison_table
from mcmteach.experiments.rules import COLUMN_TITLES, Plan
from mcmteach.experiments.store import Store
from mcmteach.experiments.text import render
from mcmteach.paper.printed import TABLE2, MeanSD
from mcmteach.paper.wilcoxon import printed_columns

#: Sets that hold the same samples as another one: the two count as one row, their mean.
TWINS = {"credit-approval": "australian"}


class SetSummary(NamedTuple):
    """One data set: mean and standard deviation over its folds, by column and by what was measured."""

    dataset: str
    folds: int  #: folds with numbers
    of: int  #: folds of one partition: a set is complete with one, or with several whole ones
    columns: dict[str, dict[str, MeanSD]]
    errors: list[str]  #: why a fold has none

    @property
    def complete(self) -> bool:
        return self.folds > 0 and self.folds % self.of == 0

    def mean(self, column: str, what: str = "accuracy") -> float:
        return self.columns[column][what].mean


def summarise(protocol: Plan, store: Store | None = None, sets: Sequence[str] | None = None) -> list[SetSummary]:
    """The stored folds of each set (all of Table 1's where none is named), the smallest set first.

    Examples
    --------
    >>> from mcmteach.experiments import NESTED
    >>> (glass,) = summarise(NESTED, sets=["glass"])
    >>> glass.complete, sorted(glass.columns)
    (True, ['conformal', 'majority', 'mcm', 'svc'])
    """
    store = store or Store()
    return [_summary(protocol, store, name) for name in protocol.choose_sets(sets)]


def _summary(protocol: Plan, store: Store, name: str) -> SetSummary:
    records = whole_partitions(store.folds(protocol, name), protocol.n_folds)
    good = [record["columns"] for record in records if "columns" in record]
    columns = {}
    for column in protocol.columns if good else ():
        found = {what: value for fold in good for what, value in fold[column].items()}
        measured = [what for what, value in found.items() if isinstance(value, int | float)]
        columns[column] = {what: mean_sd([fold[column].get(what, np.nan) for fold in good]) for what in measured}
    errors = [f"fold {record['fold']}: {record['error']}" for record in records if "error" in record]
    return SetSummary(name, len(good), protocol.n_folds, columns, errors)


def whole_partitions(records: list[dict[str, Any]], n_folds: int) -> list[dict[str, Any]]:
    """The folds of the partitions that are whole; all that are there, where none is."""
    counts = Counter(record["fold"] // n_folds for record in records)
    return [record for record in records if counts[record["fold"] // n_folds] == n_folds] or records


def mean_sd(values: Sequence[float]) -> MeanSD:
    """Mean and standard deviation (divisor n - 1, as P's program has it) of the values that are there.

    Examples
    --------
    >>> mean_sd([1.0, 2.0, 3.0])
    MeanSD(mean=2.0, sd=1.0)
    """
    known = np.array([v for v in values if np.isfinite(v)], dtype=float)
    if not len(known):
        return MeanSD(float("nan"), float("nan"))
    return MeanSD(float(known.mean()), float(known.std(ddof=1)) if len(known) > 1 else 0.0)


def complete_columns(rows: Sequence[SetSummary], what: str = "accuracy") -> dict[str, list[float]]:
    """{column: one mean per complete set}: what a test between columns takes."""
    done = [row for row in rows if row.complete]
    names = list(done[0].columns) if done else []
    return {name: [row.mean(name, what) for row in done] for name in names if what in done[0].columns[name]}


def independent(rows: Sequence[SetSummary]) -> list[SetSummary]:
    """The complete sets, twins as one row: the means of both."""
    groups: dict[str, list[SetSummary]] = {}
    for row in rows:
        if row.complete:
            groups.setdefault(TWINS.get(row.dataset, row.dataset), []).append(row)
    return [_merged(name, group) if len(group) > 1 else group[0] for name, group in groups.items()]


def _merged(name: str, group: Sequence[SetSummary]) -> SetSummary:
    def mean(column: str, what: str) -> MeanSD:
        return MeanSD(*np.mean([row.columns[column][what] for row in group], axis=0).tolist())

    first = group[0]
    columns = {column: {what: mean(column, what) for what in found} for column, found in first.columns.items()}
    return first._replace(dataset=name, columns=columns)


def members(dataset: str) -> list[str]:
    """The set and its twins."""
    return [dataset, *(twin for twin, of in TWINS.items() if of == dataset)]


def independent_columns(rows: Sequence[SetSummary]) -> dict[str, list[float]]:
    """{column: one mean accuracy per complete set}, in per cent, with twins counted once."""
    columns = complete_columns(independent(rows))
    return {column: [100 * value for value in values] for column, values in columns.items()}


# --- the tables ------------------------------------------------------------------------------------------------------


def table2(
    protocol: Plan, store: Store | None = None, sets: Sequence[str] | None = None, markdown: bool = False
) -> str:
    """Accuracy in per cent, mean ± standard deviation over the folds, and the comparison of every two columns."""
    rows = summarise(protocol, store, sets)
    cells = [[row.dataset, *_accuracies(row, protocol)] for row in rows]
    head = ["data set", *(COLUMN_TITLES[c] for c in protocol.columns)]
    columns = complete_columns(rows)
    if columns:
        cells.append(["mean", *(f"{100 * np.mean(columns[c]):.2f}" for c in protocol.columns)])
    text = [heading(2, "Accuracy (%)", protocol), render(head, cells, markdown)]
    return "\n\n".join([*text, *_tests(rows, markdown), *_notes(rows, protocol)])


def printed_table(markdown: bool = False) -> str:
    """The same test between the columns of P's Table 2 as it is printed."""
    return "\n\n".join(
        [
            f"The same on P's own Table 2, as printed ({len(TABLE2)} rows):",
            comparison_table(printed_columns(), markdown),
        ]
    )


def table3(
    protocol: Plan, store: Store | None = None, sets: Sequence[str] | None = None, markdown: bool = False
) -> str:
    """Support vectors, mean ± standard deviation over the folds, and how many times as many the SVC has."""
    rows, names = summarise(protocol, store, sets), [c for c in protocol.columns if c != "majority"]
    compared = [c for c in ("mcm", "conformal") if c in names]
    head = ["data set", *(COLUMN_TITLES[c] for c in names), *(f"SVC / {COLUMN_TITLES[c]}" for c in compared)]
    cells = []
    for row in rows:
        if row.folds:
            counts = [_pair(row.columns[c]["n_support"], 1) for c in names]
            ratios = [ratio(row.mean("svc", "n_support"), row.mean(c, "n_support")) for c in compared]
            cells.append([row.dataset, *counts, *(f"{r:.1f}" for r in ratios)])
        else:
            cells.append([row.dataset, *["not run"] * (len(head) - 1)])
    text = [heading(3, "Support vectors", protocol), render(head, cells, markdown)]
    return "\n\n".join([*text, *_notes(rows, protocol)])


def details(
    protocol: Plan, store: Store | None = None, sets: Sequence[str] | None = None, markdown: bool = False
) -> str:
    """h, the Fisher scalar before and after, the number of cores and the CPU time of a fold, tuning included."""
    rows = summarise(protocol, store, sets)
    head = ["data set", "h, MCM", "h, conformal", "J before", "J after", "cores", "s, MCM", "s, conformal", "s, SVC"]
    wanted: list[tuple[str, str, int]] = [
        ("mcm", "h", 2), ("conformal", "h", 2), ("conformal", "J_before", 3), ("conformal", "J_after", 3),
        ("conformal", "n_cores", 1), ("mcm", "seconds", 1), ("conformal", "seconds", 1), ("svc", "seconds", 1),
    ]  # fmt: skip
    cells = []
    for row in rows:
        shown = [_mean(row, c, what, digits) if row.folds else "not run" for c, what, digits in wanted]
        cells.append([row.dataset, *shown])
    return "\n\n".join([heading(2, "h, J and time, means over folds", protocol), render(head, cells, markdown)])


def _mean(row: SetSummary, column: str, what: str, digits: int) -> str:
    return f"{row.mean(column, what):.{digits}f}" if what in row.columns.get(column, {}) else "–"


def ratio(many: float, few: float) -> float:
    """many / few; inf where there are none of the few."""
    return many / few if few > 0 else float("inf")


# --- words and lines -------------------------------------------------------------------------------------------------


def heading(number: int, what: str, protocol: Plan) -> str:
    return f"P's Table {number}, protocol '{protocol.name}'. {what}; {protocol.how}."


def _accuracies(row: SetSummary, protocol: Plan) -> list[str]:
    if not row.folds:
        return ["not run"] * len(protocol.columns)
    marked = "" if row.complete else "*"
    return [_pair(row.columns[c]["accuracy"], 2, 100) + marked for c in protocol.columns]


def _pair(value: MeanSD, digits: int, times: float = 1) -> str:
    return f"{times * value.mean:.{digits}f} ± {times * value.sd:.{digits}f}"


def _tests(rows: Sequence[SetSummary], markdown: bool) -> list[str]:
    shown = {name: values for name, values in independent_columns(rows).items() if name != "majority"}
    if len(shown) < 2 or len(next(iter(shown.values()))) < 2:
        return []
    return [comparison_table(shown, markdown)]


def _notes(rows: Sequence[SetSummary], protocol: Plan) -> list[str]:
    """What is missing, and the command that makes it."""
    notes = [f"{row.dataset}, {error}" for row in rows for error in row.errors]
    partly = [row.dataset for row in rows if row.folds and not row.complete]
    if partly:
        notes.append(f"* Some folds are missing: {', '.join(partly)}.")
    unrun = [row.dataset for row in rows if not row.complete and not row.errors]
    if unrun:
        notes.append(f"To compute what is missing: {command('table2', protocol, unrun)}")
    return ["\n".join(notes)] if notes else []


def command(table: str, protocol: Plan, sets: Sequence[str]) -> str:
    """The shell command that computes these sets."""
    if not sets:
        raise InvalidInputError("There is no set to compute.")
    return f"python -m mcmteach reproduce {table} --protocol {protocol.name} --sets {' '.join(sets)}"


def results_by_fold(protocol: Plan, column: str, what: str, store: Store | None = None) -> list[Any]:
    """One number per stored fold of a column, for all sets in a row."""
    store = store or Store()
    records = [record for name in protocol.choose_sets(None) for record in store.folds(protocol, name)]
    return [record["columns"][column][what] for record in records if what in record.get("columns", {}).get(column, {})]
