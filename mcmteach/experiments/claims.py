"""What N and P claim, beside what our own runs show: ``python -m mcmteach.experiments.claims`` writes CLAIMS.md.

Every verdict is the outcome of a rule applied to stored numbers (or, for the theory and Figure 2, to a computation that takes
seconds). A function per claim; each returns a :class:`Claim`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mcmteach.capacity import capacity_chain
from mcmteach.datasets import PAPER_TABLES, load_dataset, stratified_folds
from mcmteach.errors import MCMError
from mcmteach.experiments import map_study as variant_study
from mcmteach.experiments import table4
from mcmteach.experiments.map_variants import VARIANTS
from mcmteach.experiments.protocol import compute, load_table
from mcmteach.experiments.rules import BASELINE, COLUMN_TITLES, HONEST, LEAKS, PAPER, Protocol
from mcmteach.experiments.store import Store
from mcmteach.experiments.tables import (
    SetSummary,
    command,
    complete_columns,
    mean_sd,
    ratio,
    render,
    results_by_fold,
    signed,
    summarise,
    table2,
    table3,
)
from mcmteach.kernels import rbf_kernel
from mcmteach.lp import solve_mcm
from mcmteach.paper.figure2 import PRINTED as FIGURE2
from mcmteach.paper.figure2 import figure2
from mcmteach.paper.printed import TABLE2, TABLE3, TABLE4, AccuracyRow, MeanSD
from mcmteach.paper.table3_counts import explain_table3, recover_svm_counts
from mcmteach.paper.wilcoxon import PRINTED_P, SignedRank, printed_tests, signed_rank

VERDICTS = ("reproduced", "partly", "not reproduced", "not testable here")
SIGNIFICANT = 0.05
COMPARABLE = 1.0  # points of accuracy
GLASS = 27  # its row in Tables 1 to 3


class Claim(NamedTuple):
    """One line of CLAIMS.md."""

    says: str  #: the claim, in our words
    source: str
    paper: str  #: what the paper reports
    honest: str  #: ours, everything chosen inside the training folds
    peeped: str  #: ours under the paper's protocol: gamma_c (and the SVC) chosen on the test fold
    rule: str  #: when the verdict is what, with its tolerance
    verdict: str  #: one of VERDICTS
    reason: str


class Evidence(NamedTuple):
    """The stored results, by protocol. Only sets with all folds are counted."""

    honest: list[SetSummary]
    peeped: list[SetSummary]
    baseline: list[SetSummary]  #: the SVMs of the paper's protocol alone
    store: Store

    def columns(self, peeped: bool, what: str = "accuracy") -> dict[str, list[float]]:
        return complete_columns(self.peeped if peeped else self.honest, what)


def gather(store: Store | None = None) -> Evidence:
    """All that the store holds, of both protocols."""
    store = store or Store()
    honest, peeped, baseline = (
        [row for row in summarise(protocol, store) if row.complete] for protocol in (HONEST, PAPER, BASELINE)
    )
    return Evidence(honest, peeped, baseline, store)


# --- sparsity --------------------------------------------------------------------------------------------------------


def claim_sparse(e: Evidence) -> Claim:
    """3 to 10 times fewer support vectors than an SVM, for the machine with a price."""
    ratios = {c: _support_ratios(e.honest, c) for c in ("mcm", "conformal")}
    median = float(np.median(ratios["mcm"])) if ratios["mcm"] else float("nan")
    with_cores = _support_ratios(e.honest, "conformal", ("n_support", "n_cores"))
    printed, largest = explain_table3(), max(row.ratio for row in recover_svm_counts())
    return Claim(
        says="MCM models are 3 to 10 times smaller than SVMs (machine with a price on its coefficients)",
        source="P sections 1 and 4; N section 2.2.3",
        paper="usually 3x to 10x, sometimes over 100x; from Tables 2 and 3 with the SVM's counts recovered (claim "
        f"{_number(claim_table3_svm)}): median "
        f"{printed.median_ratio:.1f}x, at least 3x in {printed.at_least_3} of {printed.rows} rows, at most {largest:.0f}x",
        honest=_ratios_say(ratios["mcm"], "MCM") + "; " + _ratios_say(ratios["conformal"], "conformal MCM"),
        peeped=_ratios_say(_support_ratios(e.peeped, "mcm"), "MCM"),
        rule="Median over the sets of SVC / MCM support vectors, honest: reproduced from 3 on, partly from 1.5 on",
        verdict=_untested(e.honest)
        or ("reproduced" if median >= 3 else "partly" if median >= 1.5 else "not reproduced"),
        reason=(
            "With a price on the coefficients it holds" if median >= 3 else "Even with a price it does not quite hold"
        )
        + f"; the programme as printed has none (claim {_number(claim_sparse_as_printed)}). "
        "To predict, a conformal machine needs its cores beside its support "
        f"vectors: with both counted, {_ratios_say(with_cores, 'conformal MCM')}.",
    )


def claim_sparse_as_printed(e: Evidence) -> Claim:
    """The same for P's own programme."""
    ratios = _support_ratios(e.peeped, "lp0")
    median = float(np.median(ratios)) if ratios else float("nan")
    failed, asked = (sum(results_by_fold(PAPER, "lp0", what, e.store)) for what in ("failed", "programmes"))
    gaps = results_by_fold(PAPER, "lp0", "gap", e.store)
    beyond = f" {failed} of {asked} programmes found no optimum in {PAPER.max_iter} simplex steps." if asked else ""
    beyond += f" Median relative gap to the optimum of those chosen: {np.median(gaps):.1g}." if gaps else ""
    return Claim(
        says="MCM models are 3 to 10 times smaller than SVMs (the programme as printed)",
        source="P(8)-(11); N(30)-(33)",
        paper="3x to 10x",
        honest="not run: on distinct points every C has the same optimum, so a choice of C would be one of solver tolerances",
        peeped=_ratios_say(ratios, "LP, sparsity 0"),
        rule="Median over the sets of SVC / LP support vectors: reproduced from 3 on, partly from 1.5 on",
        verdict=_untested(e.peeped)
        or ("reproduced" if median >= 3 else "partly" if median >= 1.5 else "not reproduced"),
        reason="With a positive definite kernel and distinct points the optimum is 1 for every C, interpolates and is dense; "
        "what a solver returns is decided by its tolerances." + beyond + _half_counted(e),
    )


def claim_table3_svm(e: Evidence) -> Claim:
    """Table 3's SVM column."""
    found = explain_table3()
    explained = found.whole == found.rows and found.sd_follow == found.rows
    counts = e.columns(False, "n_support").get("svc", [])
    return Claim(
        says="Table 3 prints the SVM's mean number of support vectors over five folds",
        source="P Table 3",
        paper=", ".join(f"{row.svm.mean:.2f} ± {row.svm.sd:.2f} ({row.name})" for row in TABLE3[:3]) + ", and so on",
        honest=f"SVC: median over {len(counts)} sets {np.median(counts):.0f}" if counts else "not run",
        peeped=_median_count(e, "svc"),
        rule="Not reproduced if 6 x printed - 5 x accuracy is whole, and the printed SD follows, in every row",
        verdict="not reproduced" if explained else "not testable here",
        reason=f"In {found.whole} of {found.rows} rows the printed mean is that of five accuracies and one count, and in "
        f"{found.sd_follow} the SD follows to the last digit. The authors' public code appends the last fold's count "
        "to the list of accuracies before it averages: a slip, which hides how many support vectors the SVM has.",
    )


# --- accuracy --------------------------------------------------------------------------------------------------------


def claim_conformal_beats_mcm(e: Evidence) -> Claim:
    return _beats(
        e,
        "Kernel optimisation improves the MCM's test accuracy",
        "P section 6.1, Table 2; N conclusion",
        ("conformal", "mcm"),
        ("lp0_conformal", "lp0"),
        "conformal",
        "mcm",
        f"Under the paper's protocol gamma_c is the best of {len(PAPER.gamma_c)} on the test fold, so part of the gain there "
        "is that of looking at it; another part may be that the programme without a price is a weak start, which the map "
        "mends. "
        'Other maps than the paper\'s: see below, "Can a map help, honestly?".',
    )


def claim_conformal_beats_svm(e: Evidence) -> Claim:
    printed = _printed("conformal", "svm")
    rows = printed.wins + printed.losses + printed.ties
    return _beats(
        e,
        "The conformal MCM is more accurate than an SVM on almost all sets",
        "N conclusion; P section 6.1 says 'consistent and demonstrable improvements'",
        ("conformal", "svc"),
        ("lp0_conformal", "svc"),
        "conformal",
        "svm",
        f"In P's own Table 2 the conformal MCM is better than the SVM in {printed.wins} of {rows} rows.",
    )


def claim_mcm_comparable(e: Evidence) -> Claim:
    """The abstract's claim: comparable or better than SVMs."""
    test = _test(e, False, "mcm", "svc")
    printed = _printed("mcm", "svm")
    verdict = _untested(e.honest)
    if test is not None:
        worse = test.median < -COMPARABLE or (test.p < SIGNIFICANT and test.median < 0)
        verdict = "reproduced" if not worse else "partly" if test.median >= -2 * COMPARABLE else "not reproduced"
    return Claim(
        says="The MCM's accuracy is comparable to an SVM's, or better",
        source="P abstract; N section 2.2.3",
        paper=_test_says(printed),
        honest=_test_says(test),
        peeped="without a price: " + _test_says(_test(e, True, "lp0", "svc")),
        rule=f"Median difference MCM - SVC, honest: reproduced if it is above -{COMPARABLE:g} point and not significantly "
        f"below 0 (p < {SIGNIFICANT:g}); partly down to -{2 * COMPARABLE:g} points",
        verdict=verdict,
        reason=_how_comparable(test),
    )


def _how_comparable(test: SignedRank | None) -> str:
    if test is None:
        return "There are too few sets to tell."
    inside = "within" if test.median >= -COMPARABLE else "beyond"
    sure = "it is too regular to be chance" if test.p < SIGNIFICANT else "it is no more than chance may bring"
    return (
        f"The median difference of {_points(test)} points is {inside} the tolerance of {COMPARABLE:g} point; {sure} "
        f"(p = {test.p:.2g}). The MCM had three parameters to tune (C, gamma, price), the SVC two."
    )


def _beats(
    e: Evidence, says: str, source: str, ours: tuple[str, str], plain: tuple[str, str], a: str, b: str, reason: str
) -> Claim:
    """A claim that one column beats another: honestly, or only where the test fold was looked at (without a price, as P)."""
    honest, peeped = _test(e, False, *ours), _test(e, True, *plain)
    verdict = _untested(e.honest)
    if honest is not None:
        verdict = (
            "reproduced" if _wins(honest) else "partly" if peeped is not None and _wins(peeped) else "not reproduced"
        )
    return Claim(
        says=says,
        source=source,
        paper=_test_says(_printed(a, b)),
        honest=_test_says(honest),
        peeped=f"without a price: {_test_says(peeped)}. With a price: {_test_says(_test(e, True, *ours))}",
        rule=f"Median difference > 0 with p < {SIGNIFICANT:g} (Wilcoxon): reproduced if honestly so, partly if only under the "
        "paper's protocol (without a price, as P has it)",
        verdict=verdict,
        reason=reason,
    )


def claim_wilcoxon(e: Evidence) -> Claim:
    """The p-value, from P's own Table 2."""
    printed = _printed("conformal", "mcm")
    off = abs(printed.p / PRINTED_P - 1)
    return Claim(
        says=f"Wilcoxon's signed-rank test between the columns of Table 2 gives p = {PRINTED_P:.3g}",
        source="P section 6.1",
        paper=f"p = {PRINTED_P:.4g}",
        honest=_p(_test(e, False, "conformal", "mcm")),
        peeped=_p(_test(e, True, "lp0_conformal", "lp0")),
        rule="The arithmetic alone: reproduced if the test on the printed Table 2 gives the printed p within 5 %. Whether the "
        f"improvement itself can be had again is claim {_number(claim_conformal_beats_mcm)}",
        verdict="reproduced" if off <= 0.05 else "partly" if printed.p < SIGNIFICANT else "not reproduced",
        reason=f"Conformal MCM against MCM on the printed table: p = {printed.p:.3g}, {100 * off:.0f} % off. The test takes "
        "rows for independent, and two pairs of them are not: 17 and 24 are one set, 19 and 20 the same applicants.",
    )


def claim_table2(e: Evidence) -> Claim:
    """The accuracies themselves, with the paper's programme and protocol."""
    near = {c: _near(e.peeped, c, name) for c, name in (("lp0", "mcm"), ("lp0_conformal", "conformal"), ("svc", "svm"))}
    shares = [np.mean([ok for ok, _ in rows]) for rows in near.values() if rows]
    share = float(np.mean(shares)) if shares else float("nan")
    said = [f"{COLUMN_TITLES[name]}: {sum(ok for ok, _ in rows)} of {len(rows)} (mean difference {_mean_off(rows):+.1f} points)"
            for name, rows in near.items()]  # fmt: skip
    return Claim(
        says="Table 2's accuracies",
        source="P Table 2",
        paper=f"means over {len(TABLE2)} rows: "
        + ", ".join(
            f"{title} {np.mean([getattr(row, name).mean for row in TABLE2]):.2f}"
            for name, title in (("mcm", "MCM"), ("conformal", "conformal MCM"), ("svm", "SVM"))
        ),
        honest=_means_say(e.columns(False)),
        peeped="rows within the tolerance: " + "; ".join(said) if shares else "not run",
        rule="Set by set, |ours - P's| <= the larger of 2 points and the sum of both SDs, under the paper's protocol: "
        "reproduced from 90 % of the sets on, partly from 50 % on",
        verdict=_untested(e.peeped)
        or ("reproduced" if share >= 0.9 else "partly" if share >= 0.5 else "not reproduced"),
        reason="P's folds, its coding of categories and its treatment of gaps are not known, so single sets may well differ. "
        "The standard deviations, and with them the tolerance, are large.",
    )


def claim_svm_kernel(e: Evidence) -> Claim:
    """Was the baseline an RBF SVM?"""
    off = {c: [abs(d) for _, d in _near(e.baseline, c, "svm")] for c in ("svc", "sigmoid")}
    told = bool(off["svc"])
    mean = {c: float(np.mean(values)) if told else float("nan") for c, values in off.items()}
    said = f"on {len(e.baseline)} sets, mean absolute difference: "
    said += ", ".join(f"{name} kernel {mean[c]:.1f} points" for c, name in (("svc", "RBF"), ("sigmoid", "sigmoid")))
    toe = next((row for row in e.baseline if row.dataset == "tic-tac-toe"), None)
    if toe is not None:
        printed = next(row.svm.mean for row in TABLE2 if row.name == "Tic Tac Toe")
        rbf, sigmoid = 100 * toe.mean("svc"), 100 * toe.mean("sigmoid")
        said += f"; tic-tac-toe (P: {printed:.1f} %): RBF {rbf:.1f} %, sigmoid {sigmoid:.1f} %"
    return Claim(
        says="The SVM baseline of Table 2 has an RBF kernel",
        source="P section 6.1",
        paper="'SVM with a RBF Kernel', by LIBSVM",
        honest="–",
        peeped=said if told else "not run",
        rule="Which kernel comes nearer to Table 2's SVM column, by mean absolute difference over the sets run",
        verdict=_untested(e.baseline) or ("reproduced" if mean["svc"] <= mean["sigmoid"] else "not reproduced"),
        reason="The authors' public code, as we read it, calls LIBSVM with the option -t 3, which is the sigmoid kernel (RBF "
        "is -t 2), and chooses C and gamma by the accuracy on the test fold. Whether Table 2 was made by that version of "
        "the code we cannot know; the numbers are the evidence that we have.",
    )


def claim_glass(e: Evidence) -> Claim:
    """Row 27, which Figure 2 uses too: P counts ten features where there are nine and an identity number."""
    X, y = load_table("glass", BASELINE)
    with_number = np.column_stack([np.arange(len(y)), X])  # UCI numbers its rows type by type
    ours = {name: _svm_folds(A, y) for name, A in (("without", X), ("with", with_number))}
    row, features = _table2_row(GLASS), next(p.features for p in PAPER_TABLES if (p.table, p.row) == (1, GLASS))
    printed, accuracies = row.svm, [column.mean for column in (row.mcm, row.conformal, row.svm)]
    near = {name: abs(m.mean - printed.mean) <= max(2.0, m.sd + printed.sd) for name, m in ours.items()}
    return Claim(
        says=f"The two kinds of window glass are told apart with {min(accuracies):.0f} to {max(accuracies):.0f} % accuracy",
        source=f"P Table 2, row {GLASS}",
        paper=f"MCM {row.mcm.mean:.2f}, conformal MCM {row.conformal.mean:.2f}, SVM {printed.mean:.2f} ± {printed.sd:.2f}, "
        f"with {features} features",
        honest=_glass_says(e.honest),
        peeped="SVC, C and gamma chosen on the test fold: "
        + ", ".join(f"{m.mean:.1f} ± {m.sd:.1f} {name} the identity number" for name, m in ours.items()),
        rule="The SVC under the paper's protocol against P's SVM, |difference| <= the larger of 2 points and the sum of both "
        "SDs: reproduced if so with the nine measurements, partly if only with the identity number as a tenth feature",
        verdict="reproduced" if near["without"] else "partly" if near["with"] else "not reproduced",
        reason=f"Table 1 counts {features} features for glass; UCI has {X.shape[1]} and an identity number, which numbers the "
        "samples type by type and so gives the label away. We cannot know that it was left in"
        + (", but it would explain the count and the accuracy." if near["with"] and not near["without"] else "."),
    )


def _svm_folds(X: np.ndarray, y: np.ndarray) -> MeanSD:
    """An RBF SVC whose C and gamma are chosen on the test fold, in per cent."""
    p = BASELINE._replace(columns=("svc",))
    found = [compute(X, y, *fold, p, p.seed) for fold in stratified_folds(y, p.n_folds, p.seed)]
    return mean_sd([100 * fold["columns"]["svc"]["accuracy"] for fold in found])


def _glass_says(rows: list[SetSummary]) -> str:
    glass = next((row for row in rows if row.dataset == "glass"), None)
    if glass is None:
        return "not run"
    columns = ("mcm", "conformal", "svc")
    return ", ".join(f"{COLUMN_TITLES[c]} {100 * glass.mean(c):.1f}" for c in columns) + ", without the identity number"


# --- the map ---------------------------------------------------------------------------------------------------------


def claim_J(e: Evidence) -> Claim:
    """The map raises the Fisher scalar of the training data."""
    J = {p.name: _with_map(p, e.store) for p in (HONEST, PAPER)}
    before, after = J["honest"]
    share = float(np.mean(after > before)) if len(before) else float("nan")
    without = len(results_by_fold(HONEST, "conformal", "J_before", e.store)) - len(before)
    return Claim(
        says="The conformal map raises the class separability J of the training data",
        source="N(40), N(41); P section 4",
        paper="by construction",
        honest=_rise(before, after),
        peeped=_rise(*J["paper"]),
        rule="Share of the folds with a map in which J after > J before, honest: reproduced from 95 % on, partly from 50 % on",
        verdict=_untested(e.honest)
        or ("reproduced" if share >= 0.95 else "partly" if share > 0.5 else "not reproduced"),
        reason="It is what is maximised; with D > 0, which holds c back, J itself may fall a little"
        f"{_worst_fall(before, after)}. In {without} folds the machine chosen has no support vectors, so there are no cores "
        "and no map. That a larger J on the training data means better predictions is another claim.",
    )


def _worst_fall(before: np.ndarray, after: np.ndarray) -> str:
    fall = 1 - float(np.min(after / before)) if len(before) else 0.0
    return f" (at worst by {100 * fall:.1f} %)" if fall > 0 else ""


def _with_map(protocol: Protocol, store: Store) -> tuple[np.ndarray, np.ndarray]:
    """J before and after in the folds that have cores."""
    before, after, cores = (
        np.array(results_by_fold(protocol, "conformal", what, store)) for what in ("J_before", "J_after", "n_cores")
    )
    return before[cores > 0], after[cores > 0]


def claim_figure2(e: Evidence) -> Claim:
    """Figure 2 shows it for the training data, and 'a similar trend' for the test data."""
    figures = [figure2(fold=fold) for fold in range(5)]
    J = np.array([[(f.embeddings[i].J_train, f.embeddings[i].J_test) for i in (1, 2)] for f in figures])
    train, test = ((J[:, 1, k] > J[:, 0, k]).sum() for k in (0, 1))
    gain = 100 * np.mean([f.accuracy[1] - f.accuracy[0] for f in figures])
    parameters = ", ".join(f"{name} = {value:g}" for name, value in FIGURE2.items())
    return Claim(
        says="On glass the optimised kernel separates the classes better, in the training and in the test part",
        source="P section 6.2, Figure 2",
        paper="'visual evidence'",
        honest=f"with P's {parameters}: J of the points along two kernel principal axes rises in {train} of 5 folds (training) "
        f"and {test} of 5 (test); test accuracy changes by {gain:+.1f} points (mean)",
        peeped="–",
        rule="Reproduced if J rises in at least 4 of 5 folds in both parts, partly if in one of them",
        verdict="reproduced" if min(train, test) >= 4 else "partly" if max(train, test) >= 4 else "not reproduced",
        reason="What lies further apart along two axes need not be told apart better by a machine that sees all of them.",
    )


def claim_table4(e: Evidence) -> Claim:
    """The large-scale machine, where its results are there."""
    better = sum(row.conformal >= row.mcm for row in TABLE4)
    gain = float(np.mean([row.conformal - row.mcm for row in TABLE4]))
    rows = _stored_table4()
    ours = [row.conformal - row.mcm for row in rows]
    verdict = "not testable here"
    if ours:
        share = np.mean([d >= 0 for d in ours])
        verdict = "reproduced" if share >= 12 / 14 else "partly" if share >= 0.5 else "not reproduced"
    return Claim(
        says=f"The large-scale conformal MCM is as good as the large-scale MCM, or better, on {better} of {len(TABLE4)} sets",
        source="P section 6.1, Table 4",
        paper=f"{better} of {len(TABLE4)}; mean gain {gain:+.2f} points",
        honest=f"{sum(d >= 0 for d in ours)} of {len(ours)}; mean gain {np.mean(ours):+.2f} points"
        if ours
        else "not run",
        peeped="–",
        rule="Share of sets on which it is not worse, honest: reproduced from 12/14 on, partly from one half on",
        verdict=verdict,
        reason=_table4_reason(rows),
    )


def _table4_reason(rows: list[table4.Row]) -> str:
    if not rows:
        return "Results for Table 4 are not stored in this version."
    worse = [f"{row.dataset} ({row.conformal - row.mcm:+.2f})" for row in rows if row.conformal < row.mcm]
    return (
        f"{len(rows)} of P's {len(TABLE4)} rows can be had here (of three cuts of the Adult data, whose rows are not recorded, "
        "we take the whole pool). " + (f"Worse on {', '.join(worse)}." if worse else "Worse on none.")
    )


# --- theory ----------------------------------------------------------------------------------------------------------


def claim_exact_bound(e: Evidence) -> Claim:
    """h_MCM^2 and the VC dimension."""
    rng = np.random.default_rng(HONEST.seed)
    chains = [capacity_chain(rng.normal(size=(20, 3)), rng.normal(size=3), rng.normal()) for _ in range(1000)]
    below = sum(c.h_mcm <= c.ratio * (1 + 1e-12) for c in chains)
    # two points (±1, 0), and one more at (1, t): the plane x_1 = 0 has h_MCM = 1 whatever t is
    stretched = [capacity_chain([[-1, 0], [1, 0], [1, t]], [1.0, 0.0], 0.0) for t in (1, 10, 100, 1000)]
    betas = [c.beta for c in stretched]
    grows = all(b > 50 * a for a, b in pairwise(betas[1:])) and all(c.h_mcm == 1 for c in stretched)
    return Claim(
        says="h_MCM^2 is an exact bound on the VC dimension",
        source="N(6)-(13); P section 3 calls h^2 an upper bound",
        paper="h <= beta h_MCM^2 for some beta",
        honest=f"h_MCM <= R/Delta for {below} of 1000 random planes; with h_MCM = 1 the factor beta that is needed grows as "
        + ", ".join(f"{b:.3g}" for b in betas)
        + " when one point moves away",
        peeped="–",
        rule="Reproduced if the inequality holds and one beta serves for all data; partly if only the inequality holds",
        verdict="not reproduced" if below < 1000 else "partly" if grows else "reproduced",
        reason="The inequality is right, and it bounds R/Delta from below: a small h_MCM does not prove a small VC dimension. "
        "As motivation for minimising h it stands.",
    )


def claim_controls_vc(e: Evidence) -> Claim:
    """Does a small h of the kernel machine limit what it can fit?"""
    X = load_dataset("seeds").data
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    K, rng = rbf_kernel(X[::4], X[::4], 1.0), np.random.default_rng(HONEST.seed)
    labels = [rng.permutation(np.repeat([-1.0, 1.0], [17, len(K) - 17])) for _ in range(20)]
    least = sum(solve_mcm(K, y, C=1.0, sparsity=0.0, solver="linprog").h < 1 + 1e-6 for y in labels)
    return Claim(
        says="Minimising h controls the VC dimension of the kernel machine",
        source="N section 2.2.3; P section 3",
        paper="'actual theoretical guarantees'",
        honest=f"with random labels for {len(K)} samples of seeds the programme reaches h = 1, its least value, in {least} of "
        "20 trials",
        peeped="–",
        rule="Not reproduced if h is least for at least 19 of 20 random labellings: then h does not say what can be fitted",
        verdict="not reproduced" if least >= 19 else "partly" if least else "reproduced",
        reason="An RBF kernel on distinct points fits any labels with h = 1, so the same h belongs to signal and to noise. For "
        "linear machines, and with a price on lambda, h is not free and the argument has more force.",
    )


CLAIMS: tuple[Callable[[Evidence], Claim], ...] = (
    claim_sparse,
    claim_sparse_as_printed,
    claim_mcm_comparable,
    claim_J,
    claim_conformal_beats_mcm,
    claim_conformal_beats_svm,
    claim_wilcoxon,
    claim_table2,
    claim_svm_kernel,
    claim_glass,
    claim_table3_svm,
    claim_table4,
    claim_figure2,
    claim_exact_bound,
    claim_controls_vc,
)


def _number(claim: Callable[[Evidence], Claim]) -> int:
    """The claim's number on the page."""
    return CLAIMS.index(claim) + 1


# --- what the rules ask ----------------------------------------------------------------------------------------------


def _untested(rows: list[SetSummary]) -> str:
    return "" if len(rows) >= 6 else "not testable here"  # with fewer than six sets Wilcoxon's p cannot reach 0.05


def _test(e: Evidence, peeped: bool, a: str, b: str) -> SignedRank | None:
    columns = e.columns(peeped)
    if not columns or len(columns[a]) < 6:
        return None
    return signed_rank(100 * np.array(columns[a]), 100 * np.array(columns[b]), (a, b))


def _printed(a: str, b: str) -> SignedRank:
    return next(test for test in printed_tests() if (test.a, test.b) == (a, b))


def _wins(test: SignedRank) -> bool:
    return test.median > 0 and test.p < SIGNIFICANT


def _support_ratios(rows: list[SetSummary], column: str, what: Sequence[str] = ("n_support",)) -> list[float]:
    """SVC's support vectors over those (and whatever else is to be counted) of a column, set by set."""
    return [ratio(row.mean("svc", "n_support"), sum(row.mean(column, name) for name in what)) for row in rows]


def _half_counted(e: Evidence) -> str:
    """A doubt about Table 3's other column: the counts of our LP beside those that are printed."""
    printed = {p.dataset: TABLE3[p.row - 1].conformal.mean for p in PAPER_TABLES if p.table == 1}
    ours = [row.mean("lp0", "n_support") / printed[row.dataset] for row in e.peeped]
    if not ours or np.median(ours) <= 1:
        return ""
    return (
        " P's text counts |lambda| > 1e-6; the authors' public code counts lambda > 1e-6, which leaves the negative ones out, "
        f"and in the machine before the map. Our counts, of both signs, are {np.median(ours):.1f} times the printed ones in "
        f"the median of {len(ours)} sets, so Table 3's machines may be larger than they look."
    )


def _near(rows: list[SetSummary], column: str, printed: str) -> list[tuple[bool, float]]:
    """(within the tolerance, ours - P's in points) for each row of Table 2 whose set was run."""
    by_name = {row.dataset: row for row in rows}
    pairs = [(by_name[p.dataset], _table2_row(p.row)) for p in PAPER_TABLES if p.table == 1 and p.dataset in by_name]
    found = []
    for ours, theirs in pairs:
        a, b = ours.columns[column]["accuracy"], getattr(theirs, printed)
        difference = 100 * a.mean - b.mean
        found.append((abs(difference) <= max(2.0, 100 * a.sd + b.sd), difference))
    return found


def _table2_row(number: int) -> AccuracyRow:
    return next(row for row in TABLE2 if row.row == number)


def _stored_table4() -> list[table4.Row]:
    return [row for row in table4.stored_rows() if np.isfinite(row.conformal)]


# --- words -----------------------------------------------------------------------------------------------------------


def _test_says(test: SignedRank | None) -> str:
    if test is None:
        return "not run on enough sets"
    ties = f", {test.ties} {'tie' if test.ties == 1 else 'ties'}" if test.ties else ""
    n = test.wins + test.losses + test.ties
    return (
        f"better on {test.wins}, worse on {test.losses} of {n}{ties}; median {_points(test)} points, p = {test.p:.2g}"
    )


def _points(test: SignedRank) -> str:
    return signed(test.median)


def _p(test: SignedRank | None) -> str:
    return "not run on enough sets" if test is None else f"p = {test.p:.2g} (median difference {_points(test)} points)"


def _ratios_say(ratios: list[float], name: str) -> str:
    if not ratios:
        return "not run"
    return (
        f"{name}: median {np.median(ratios):.1f}x, at least 3x on {sum(r >= 3 for r in ratios)} of {len(ratios)} sets"
    )


def _median_count(e: Evidence, column: str) -> str:
    counts = e.columns(True, "n_support").get(column, [])
    return f"SVC: median over {len(counts)} sets {np.median(counts):.0f}" if counts else "not run"


def _means_say(columns: dict[str, list[float]]) -> str:
    if not columns:
        return "not run"
    means = ", ".join(f"{COLUMN_TITLES[name]} {100 * np.mean(values):.2f}" for name, values in columns.items())
    return f"means over {len(next(iter(columns.values())))} sets: {means}"


def _mean_off(rows: list[tuple[bool, float]]) -> float:
    return float(np.mean([d for _, d in rows])) if rows else float("nan")


def _rise(before: np.ndarray, after: np.ndarray) -> str:
    if not len(before):
        return "not run"
    return f"higher in {np.sum(after > before)} of {len(before)} folds, median factor {np.median(after / before):.1f}"


# --- the page --------------------------------------------------------------------------------------------------------

HEAD = """\
# What the sources claim, and what we found

This page is generated by `python -m mcmteach.experiments.claims` from the results stored in the package, and tested to match
them; each verdict is the outcome of the rule beside it. P is Badge, Soman, Chandra and Jayadeva (2021), N the course notes.

Each claim is held against two protocols:

- **honest**: everything (gaps, scale, gamma, C, price, gamma_c, D) is chosen inside the training part of each of {folds} outer
  folds. Categories are columns of 0 and 1, and the columns of {leaks} that give the label away are left out.
- **paper's**: P's grids, C and gamma chosen on a part of the training data, and gamma_c (and all of the SVM) *by the accuracy
  on the test fold*, as the authors' public code does. Categories are whole numbers, and all columns are used. This shows what
  P's way gives, and is no estimate of how well a machine does on new data.

Of P's {rows} rows, {at_hand} can be had here ({sets} sets, one of them listed twice). {honest} sets have honest results and
{paper} have all folds under the paper's protocol, which is slow. The seed of all folds is {seed}; P's split for Table 4 has
its own, {split}. Each rule names its tolerance. Where numbers are missing, the command that computes them is at the tables.

A verdict is about a statement and not about people. We have the paper's text, the tables and the authors' public code,
which they took the trouble to publish: most of what we could explain we could explain because of that.
"""


def page(store: Store | None = None) -> str:
    """CLAIMS.md as text."""
    e = gather(store)
    claims = [claim(e) for claim in CLAIMS]
    rows = [row.dataset for row in PAPER_TABLES if row.table == 1]
    at_hand = [name for name in rows if name is not None]
    head = HEAD.format(
        folds=HONEST.n_folds, leaks=" and ".join(sorted(LEAKS)), rows=len(rows), at_hand=len(at_hand), sets=len(set(at_hand)),
        honest=len(e.honest), paper=len(e.peeped), seed=HONEST.seed, split=table4.SEED,
    )  # fmt: skip
    overview = render(
        ["claim", "verdict"], [[f"{i}. {c.says}", f"**{c.verdict}**"] for i, c in enumerate(claims, 1)], True
    )
    parts = [head.strip(), overview.replace("--:", "---"), *(_section(i, c) for i, c in enumerate(claims, 1))]
    parts += [_other_maps(), "## The tables", *(_tables(p, e.store) for p in (HONEST, PAPER))]
    parts.append(f"### {table4.table(table4.stored_rows(), markdown=True)}")
    return "\n\n".join(parts) + "\n"


def _section(number: int, c: Claim) -> str:
    lines = [f"## {number}. {c.says}", "", f"**{c.verdict[0].upper()}{c.verdict[1:]}.** {c.reason}", ""]
    fields = {"Source": c.source, "Paper": c.paper, "Honest": c.honest, "Paper's protocol": c.peeped, "Rule": c.rule}
    return "\n".join([*lines, *(f"- {name}: {value}" for name, value in fields.items() if value != "–")])


def _other_maps() -> str:
    """What the study of other maps found, in short."""
    results = variant_study.read_results()
    develop, score = len(results["develop"]), len(results["score"])
    chosen = variant_study.choose(results)
    scored = variant_study.outcome(results["score"], chosen.name, chosen.gated)
    test = signed_rank(scored.accuracy, scored.plain)
    said = (
        f"Claim {_number(claim_conformal_beats_mcm)} is about the paper's map. We looked for one that helps when everything is "
        f"chosen inside the training folds: {len(VARIANTS)} candidates on {develop} data sets named beforehand, "
        f"one of them chosen there by a rule, and that one scored once on the {score} sets that were left. The "
        f'chosen one, "{chosen.name}", gains {signed(chosen.gain.mean())} points over the plain MCM on the first, and on the '
        f"held-out sets {signed(scored.gain.mean())} (better on {test.wins}, worse on {test.losses} of {len(scored.gain)}; "
        f"p = {test.p:.2g}): {'' if _wins(test) else 'that it helps is not proved. '}Every candidate is in "
        '[the study\'s report](../mcmteach/experiments/results/variants.md). `ConformalMCMClassifier(map="beside", ridge=0.1)` '
        "offers the chosen one; the default is the paper's map."
    )
    return f"## Can a map help, honestly?\n\n{said}"


def _tables(protocol: Protocol, store: Store) -> str:
    """The tables of the sets that were run, and the command for the others."""
    rows = summarise(protocol, store)
    run, rest = ([row.dataset for row in rows if bool(row.folds) is there] for there in (True, False))
    texts = [f"### {table(protocol, store, run, markdown=True)}" for table in (table2, table3)] if run else []
    if rest:
        texts.append(f"Not run under the protocol '{protocol.name}': {', '.join(rest)}. To run them:")
        texts.append(f"    {command('table2', protocol, rest)}")
    return "\n\n".join(texts)


def main(arguments: list[str]) -> int:
    """Write the page to CLAIMS.md, or to the file that is named."""
    target = Path(arguments[0]) if arguments else Path("docs/CLAIMS.md")
    try:
        target.write_text(page(), encoding="utf-8")
    except (OSError, MCMError) as problem:
        print(f"{target} was not written: {problem}", file=sys.stderr)
        return 1
    print(f"{target} written.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
