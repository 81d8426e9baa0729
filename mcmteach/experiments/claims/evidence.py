"""The evidence that the rules of the claims use: stored results by protocol, and the few numbers that verdicts depend on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.stats

from mcmteach.datasets import PAPER_TABLES
from mcmteach.experiments import table4
from mcmteach.experiments.authors import (
    AUTHORS,
    BY_NAME,
    PRICED,
    PROGRAMME,
    UNPRICED,
    WITHOUT_NUMBER,
    AuthorsPlan,
    AuthorsRow,
    authors_rows,
    map_gains,
)
from mcmteach.experiments.comparisons import ROPES, Comparison, compare
from mcmteach.experiments.rules import LOGISTIC, ML1, NESTED, NO_PRICE, TEST_CHOSEN, WIDE, Plan, Protocol
from mcmteach.experiments.store import Record, Store
from mcmteach.experiments.tables import (
    SetSummary,
    independent,
    independent_columns,
    members,
    ratio,
    results_by_fold,
    summarise,
    whole_partitions,
)
from mcmteach.paper.fold_arithmetic import fewest_dropped
from mcmteach.paper.intervals import Interval, corrected_interval, mean_interval
from mcmteach.paper.printed import TABLE2, TABLE3, AccuracyRow
from mcmteach.paper.wilcoxon import SignedRank, printed_tests, signed_rank
from mcmteach.validation import FloatArray

H_IS_ONE = 1e-5  # of stored numbers, which have six digits
#: Machines of the ablation with a protocol of their own.
OWN_PROTOCOL = {"lp0": NO_PRICE, "ml1": ML1, "logistic": LOGISTIC}
ENOUGH_WIDE = 18  # sets, twins counted once: with so many the wide grids decide, with fewer the narrow ones
FEWEST_SETS = 6  # sets: with fewer Wilcoxon's p cannot reach 0.05


class Evidence(NamedTuple):
    """The stored results, by protocol. Only sets with all folds are counted, and twins as one."""

    narrow: list[SetSummary]  #: nested, on narrow grids
    wide: list[SetSummary]  #: nested, with wide grids and the LP-SVM
    further: dict[str, list[SetSummary]]  #: by column, what else ran on the first partition of these
    test_chosen: list[SetSummary]
    authors: dict[str, list[AuthorsRow]]  #: by column, on the authors' own folds
    store: Store
    decides: Protocol  #: the nested protocol that the verdicts rest on: NESTED or WIDE

    @property
    def nested(self) -> list[SetSummary]:
        """The sets of the protocol that decides."""
        return self.wide if self.decides == WIDE else self.narrow


def gather(store: Store | None = None) -> Evidence:
    """All that the store holds, of all protocols."""
    store = store or Store()
    narrow, wide, test_chosen = (independent(summarise(protocol, store)) for protocol in (NESTED, WIDE, TEST_CHOSEN))
    further = {column: independent(summarise(protocol, store)) for column, protocol in OWN_PROTOCOL.items()}
    columns = {AUTHORS: (*AUTHORS.columns, WITHOUT_NUMBER)} | {p: p.columns for p in (PROGRAMME, PRICED, UNPRICED)}
    authors = {
        f"{plan.name}.{column}" if plan in (PRICED, UNPRICED) else column: authors_rows(plan, column, store)
        for plan, names in columns.items()
        for column in names
    }
    decides = WIDE if len(wide) >= ENOUGH_WIDE else NESTED
    return Evidence(narrow, wide, further, test_chosen, authors, store, decides)


def first_partition(e: Evidence) -> list[SetSummary]:
    """Wide grids on the first partition alone: the folds that the further machines of the ablation ran on."""
    return independent(summarise(WIDE._replace(repeats=1), e.store))


def column_test(rows: list[SetSummary], a: str, b: str) -> SignedRank | None:
    """Wilcoxon's test between two columns, in points, twins counted once; None where there are too few sets."""
    columns = independent_columns(rows)
    if len(rows) < FEWEST_SETS:
        return None
    return signed_rank(columns[a], columns[b], (a, b))


def comparison(rows: list[SetSummary], a: str, b: str) -> Comparison | None:
    """One of the comparisons between all columns but the majority's (so that Holm counts them all), as a - b."""
    columns = {name: values for name, values in independent_columns(rows).items() if name != "majority"}
    if len(rows) < FEWEST_SETS:
        return None
    ordered = {a: columns[a], b: columns[b]} | columns
    return next(c for c in compare(ordered) if (c.a, c.b) == (a, b))


def gain_by_choice(e: Evidence, plan: AuthorsPlan) -> tuple[list[float], list[float]]:
    """The map's gain on the authors' folds, row by row, with gamma_c by the test fold and by the validation part."""
    by_test, by_validation = map_gains(*(e.authors[f"{plan.name}.{column}"] for column in plan.columns))
    return by_test, by_validation


class Ablation(NamedTuple):
    """A machine beside another one, over the sets that have both: what leaving something out, or putting it in, does."""

    sets: int
    accuracy: Interval  #: mean difference, in points
    smaller: int  #: sets on which it has fewer support vectors
    as_small: int  #: equally many
    ratio: float  #: median of its support vectors over the other's
    equal_sets: int  #: on which the accuracies differ by less than a point
    equal_ratio: float  #: the median ratio there
    seconds: float  #: median of CPU seconds over the other's, tuning included


def ablation(rows: list[SetSummary], column: str, other: str, others: list[SetSummary] | None = None) -> Ablation:
    """``column`` (of ``rows``) beside ``other`` (of ``others``, or of the same rows)."""
    by_name = {row.dataset: row for row in (rows if others is None else others)}
    pairs = [(row, by_name[row.dataset]) for row in rows if row.dataset in by_name]
    counts = [(a.mean(column, "n_support"), b.mean(other, "n_support")) for a, b in pairs]
    d = [100 * (a.mean(column) - b.mean(other)) for a, b in pairs]
    ratios = [a / b if b else 1.0 + a for a, b in counts]  # a machine without support vectors is the constant answer
    near = [r for r, one in zip(ratios, d, strict=True) if abs(one) < ROPES[-1]]
    times = [a.mean(column, "seconds") / max(b.mean(other, "seconds"), 0.01) for a, b in pairs if _timed(a, column)]
    return Ablation(
        len(pairs), mean_interval(d), sum(a < b for a, b in counts), sum(a == b for a, b in counts),
        float(np.median(ratios)), len(near), float(np.median(near)) if near else float("nan"),
        float(np.median(times)) if times else float("nan"),
    )  # fmt: skip


def _timed(row: SetSummary, column: str) -> bool:
    return "seconds" in row.columns[column]


class Signs(NamedTuple):
    """How often a difference is positive, zero and negative, and the two-sided sign test, zeros left out."""

    wins: int
    ties: int
    losses: int
    p: float


def signs(differences: Sequence[float]) -> Signs:
    """
    >>> signs([0.5, 0.2, 0.1, 0.0, -0.3])
    Signs(wins=3, ties=1, losses=1, p=0.625)
    """
    d = np.round(np.asarray(differences, dtype=float), 9)
    wins, losses = int(np.sum(d > 0)), int(np.sum(d < 0))
    p = float(scipy.stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0
    return Signs(wins, len(d) - wins - losses, losses, p)


def set_differences(e: Evidence, a: str, b: str) -> dict[str, Interval]:
    """The difference of two columns on each set, in points, with an interval by the corrected standard error."""
    found = {}
    for name in (name for row in e.nested for name in members(row.dataset)):
        partitions = whole_partitions(e.store.folds(e.decides, name), e.decides.n_folds)
        folds = [fold for fold in partitions if "columns" in fold]
        d = [100 * (fold["columns"][a]["accuracy"] - fold["columns"][b]["accuracy"]) for fold in folds]
        if not folds:  # a twin that was not run
            continue
        sizes = [np.mean([fold.get(n, 1) for fold in folds]) for n in ("n_train", "n_test")]
        found[name] = corrected_interval(d, float(sizes[0]), float(sizes[1]))
    return found


def edges(e: Evidence, column: str, protocol: Protocol = WIDE) -> dict[str, int]:
    """How often the choice was at an end of a parameter's grid, limits left out, and under "folds" how many folds there are."""
    found = Counter(name for fold in stored_folds(e, protocol) for name in at_grid_ends(protocol, column, fold))
    found["C"] -= limits(e, column, protocol) if protocol.same_kernel else 0
    return {"folds": len(stored_folds(e, protocol)), **{name: n for name, n in sorted(found.items()) if n}}


def limits(e: Evidence, column: str, protocol: Protocol = WIDE) -> int:
    """How often C was at an end that is a limit: h = 1 (a smaller C has the same solution), or the largest C (h is free)."""
    at_end = [
        fold["columns"][column] for fold in stored_folds(e, protocol) if "C" in at_grid_ends(protocol, column, fold)
    ]
    return sum(one["params"]["C"] == max(protocol.C) or one["h"] < 1 + H_IS_ONE for one in at_end if "h" in one)


def at_grid_ends(protocol: Protocol, column: str, fold: Record) -> dict[str, str]:
    """The parameters of a fold's machine that are at the "low" or the "high" end of their grid. Two values have no inside."""
    params = fold["columns"][column].get("params", {})
    units = {"gamma": 1 / fold.get("n_features", 1) if protocol.relative else 1.0, "gamma_c": params.get("gamma", 1.0)}
    units |= {"sparsity": params.get("C", 1.0) if protocol.same_kernel else 1.0, "C_h": params.get("C", 1.0)}
    found = {}
    for name, values in tuned(protocol, column).items():
        value = params.get(name, np.nan) / units.get(name, 1.0)
        for end, last in (("low", min(values)), ("high", max(values))):
            if len(values) > 2 and np.isclose(value, last, rtol=1e-4):
                found[name] = end
    return found


def tuned(protocol: Protocol, column: str) -> dict[str, tuple[float, ...]]:
    """The grids of a column, in their units."""
    of_svm = column in ("svc", "sigmoid", "ml1")
    grids = {"C": {"logistic": protocol.logistic_C}.get(column, protocol.svc_C if of_svm else protocol.C)}
    grids["gamma"] = protocol.svc_gamma if of_svm and protocol.svc_gamma else protocol.gamma
    if column in ("mcm", "conformal", "lpsvm"):
        grids["sparsity"] = protocol.sparsity
    if "conformal" in column:
        grids["gamma_c"] = protocol.gamma_c
    if column == "ml1":
        grids["C_h"] = tuple(1 / C for C in protocol.C)
    if column == "lpsvm":
        del grids["C"]  # only s / C matters
    return grids


def cpu_hours(e: Evidence, plan: Plan) -> float:
    """Processor hours of the stored folds: a conformal machine's seconds include those of the plain one."""
    return sum(map(_seconds, stored_folds(e, plan))) / 3600


def _seconds(fold: Record) -> float:
    if "seconds" in fold:
        return float(fold["seconds"])
    by_column = {name: column.get("seconds", 0.0) for name, column in fold["columns"].items()}
    twice = [plain for plain, of in (("mcm", "conformal"), ("lp0", "lp0_conformal")) if of in by_column]
    return sum(by_column.values()) - sum(by_column[plain] for plain in twice)


def stored_folds(e: Evidence, plan: Plan) -> list[Record]:
    """The folds of a protocol's complete sets."""
    by_set = [whole_partitions(e.store.folds(plan, name), plan.n_folds) for name in plan.choose_sets()]
    complete = [folds for folds in by_set if len(folds) % plan.n_folds == 0]
    return [fold for folds in complete for fold in folds if "columns" in fold]


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
