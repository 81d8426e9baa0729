"""Tables 2 and 3 on the authors' own folds, the printed numbers beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mcmteach.experiments.authors.data import BY_NAME, RELABELLED, SAME_ROWS
from mcmteach.experiments.authors.folds import AuthorsPlan
from mcmteach.experiments.store import Store
from mcmteach.experiments.tables import heading, mean_sd
from mcmteach.experiments.text import render, signed
from mcmteach.paper.printed import TABLE2, TABLE3, MeanSD
from mcmteach.validation import FloatArray


class AuthorsRow(NamedTuple):
    """A column of one row: its accuracies in per cent, without rounding, and its counts of support vectors, fold by fold."""

    row: int
    accuracies: FloatArray
    counts: list[int]

    @property
    def accuracy(self) -> MeanSD:
        """What Table 2 prints."""
        return mean_sd([*self.accuracies])

    @property
    def answered(self) -> MeanSD:
        """The same without the folds that end with 0, as the code has it for the conformal MCM."""
        return mean_sd([a for a in self.accuracies if a])

    @property
    def mixed(self) -> MeanSD:
        """What Table 3 prints for the SVM: five accuracies and the last fold's count, averaged as if they were alike."""
        return mean_sd([*self.accuracies, self.counts[-1]])

    @property
    def support(self) -> MeanSD:
        """What Table 3's heading says: the number of support vectors."""
        return mean_sd(self.counts)


def authors_rows(
    plan: AuthorsPlan, column: str, store: Store | None = None, sets: Sequence[str] | None = None
) -> list[AuthorsRow]:
    """The rows all of whose folds are stored with that column, in the paper's order."""
    store, rows = store or Store(), []
    for name in plan.choose_sets(sets):
        folds = [fold for fold in store.folds(plan, name) if column in fold["columns"]]
        if len(folds) == plan.n_folds:
            numbers = [fold["columns"][column] for fold in folds]
            accuracies = [100 * one["right"] / fold["n_test"] for one, fold in zip(numbers, folds, strict=True)]
            rows.append(AuthorsRow(BY_NAME[name].row, np.array(accuracies), [one["n_support"] for one in numbers]))
    return rows


def as_printed(value: MeanSD) -> str:
    """Two decimals, as the paper has them."""
    return f"{value.mean:.2f} ± {value.sd:.2f}"


def equal_numbers(rows: Sequence[AuthorsRow], what: str) -> int:
    """How many of the means and standard deviations that P prints for the SVM of these rows come out to the last digit.

    ``what`` is "accuracy" (Table 2) or "mixed" (Table 3).
    """
    if what == "accuracy":
        pairs = [(row.accuracy, TABLE2[row.row - 1].svm) for row in rows]
    else:
        pairs = [(row.mixed, TABLE3[row.row - 1].svm) for row in rows]
    return sum(f"{a:.2f}" == f"{b:.2f}" for ours, theirs in pairs for a, b in zip(ours, theirs, strict=True))


def authors_table2(
    plan: AuthorsPlan, store: Store | None = None, sets: Sequence[str] | None = None, markdown: bool = False
) -> str:
    """Accuracy in per cent: P's three columns, the SVM with either kernel, and the majority."""
    head = ["row", "P: MCM", "P: conformal MCM", "P: SVM", "SVM, sigmoid", "SVM, RBF", "majority"]
    ours = [authors_rows(plan, column, store, sets) for column in ("sigmoid", "svc", "majority")]
    lines = []
    for row in zip(*ours, strict=True):
        printed = TABLE2[row[0].row - 1]
        lines.append([printed.mcm, printed.conformal, printed.svm, *(one.accuracy for one in row)])
    cells = [[_label(row.row), *map(as_printed, line)] for row, line in zip(ours[0], lines, strict=True)]
    if lines:
        cells.append(
            ["mean", *(f"{np.mean([value.mean for value in column]):.2f}" for column in zip(*lines, strict=True))]
        )
    return "\n\n".join([heading(2, "Accuracy (%)", plan), render(head, cells, markdown), *_notes(ours[0])])


def authors_table3(
    plan: AuthorsPlan,
    store: Store | None = None,
    sets: Sequence[str] | None = None,
    markdown: bool = False,
    notes: bool = True,
) -> str:
    """Support vectors: what P prints, five accuracies and a count averaged, and the means of five counts."""
    head = ["row", "P: conformal MCM", "P: SVM", "accuracies and last count", "SVM, sigmoid", "SVM, RBF"]
    sigmoid, rbf = (authors_rows(plan, column, store, sets) for column in ("sigmoid", "svc"))
    cells = []
    for ours, other in zip(sigmoid, rbf, strict=True):
        printed = TABLE3[ours.row - 1]
        values = (printed.conformal, printed.svm, ours.mixed, ours.support, other.support)
        cells.append([_label(ours.row), *map(as_printed, values)])
    said = _notes(sigmoid) if notes else []
    return "\n\n".join([heading(3, "Support vectors", plan), render(head, cells, markdown), *said])


def programme_table(
    plan: AuthorsPlan, store: Store | None = None, sets: Sequence[str] | None = None, markdown: bool = False
) -> str:
    """The MCM columns of Tables 2 and 3 by the steps of the authors' code, as far as they do not depend on chance."""
    head = ["row", "P: MCM", "ours", "P: conformal MCM", "as the code predicts", "as the text does", "folds"]
    head += ["P: support vectors", "ours"]
    columns = [authors_rows(plan, column, store, sets) for column in plan.columns]
    cells = []
    for basic, coded, written in zip(*columns, strict=True):
        printed = TABLE2[basic.row - 1]
        values = (printed.mcm, basic.accuracy, printed.conformal, coded.answered, written.answered)
        counts = (TABLE3[basic.row - 1].conformal, basic.support)
        answers = str(np.count_nonzero(coded.accuracies))
        cells.append([_label(basic.row), *map(as_printed, values), answers, *map(as_printed, counts)])
    said = (
        "The programme has many solutions, and theirs came from MATLAB: agreement to the digit cannot be expected. The code "
        "predicts with sum_j y_j lambda_j k(x, x_j) + b, the text without the y_j. Folds without an answer are left out."
    )
    return "\n\n".join([heading(2, "Accuracy (%) and support vectors", plan), render(head, cells, markdown), said])


def two_by_two_table(
    plan: AuthorsPlan, store: Store | None = None, sets: Sequence[str] | None = None, markdown: bool = False
) -> str:
    """The machine without a map, and with the map whose width either choice gives."""
    head = ["row", "without a map", "gamma_c by the test fold", "by the validation part"]
    head += ["gain by the test fold", "gain by validation"]
    columns = [authors_rows(plan, column, store, sets) for column in plan.columns]
    cells = []
    for basic, by_test, by_validation in zip(*columns, strict=True):
        gains = [signed(one.accuracy.mean - basic.accuracy.mean) for one in (by_test, by_validation)]
        values = [as_printed(one.accuracy) for one in (basic, by_test, by_validation)]
        cells.append([_label(basic.row), *values, *gains])
    if cells:
        medians = [signed(float(np.median(gains))) for gains in map_gains(*columns)]
        cells.append(["median (rows 17 and 24, the same votes, count once)", "", "", "", *medians])
    title = (
        f"P's Table 2, protocol '{plan.name}'. Accuracy (%), 2 x 2; the authors' own {plan.n_folds} folds; the columns say "
        "what chose gamma_c, and all else is chosen on the validation part."
    )
    return "\n\n".join([title, render(head, cells, markdown)])


def map_gains(basic: Sequence[AuthorsRow], *mapped: Sequence[AuthorsRow]) -> list[list[float]]:
    """What each column with a map gains over the one without, in points; rows with the same samples count once."""
    found = []
    for rows in mapped:
        gains: dict[int, list[float]] = {}
        for one, b in zip(rows, basic, strict=True):
            gains.setdefault(SAME_ROWS.get(b.row, b.row), []).append(one.accuracy.mean - b.accuracy.mean)
        found.append([float(np.mean(of_row)) for of_row in gains.values()])
    return found


def _label(row: int) -> str:
    return f"{row} {TABLE2[row - 1].name}{'*' if row in RELABELLED else ''}"


def _notes(rows: Sequence[AuthorsRow]) -> list[str]:
    """How many printed numbers come out, and which rows are not what their names say."""
    if not rows:
        return ["No row is complete. The files that this needs: see --data in `python -m mcmteach reproduce --help`."]
    equal = sum(equal_numbers(rows, what) for what in ("accuracy", "mixed"))
    found = f"Of the {4 * len(rows)} numbers that P prints for the SVM of these rows in Tables 2 and 3, {equal} "
    tasks = [f"* {_label(row.row)[:-1]}: {RELABELLED[row.row]}." for row in rows if row.row in RELABELLED]
    return [f"{found}come out to the last digit with the sigmoid kernel.", *(["\n".join(tasks)] if tasks else [])]
