"""The printed tables, and what can be computed from them alone."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from mcmteach.datasets.paper_tables import PAPER_TABLES
from mcmteach.errors import InvalidInputError
from mcmteach.paper.printed import TABLE2, TABLE3, TABLE4, AccuracyRow, MeanSD, SupportRow
from mcmteach.paper.table3_counts import explain_table3, recover_svm_counts
from mcmteach.paper.wilcoxon import PRINTED_P, compare_columns, printed_tests, signed_rank


def column(name):
    return np.array([getattr(row, name).mean for row in TABLE2])


# --- the tables ------------------------------------------------------------------------------------------------------


def test_the_means_of_table_2():
    assert [round(column(name).mean(), 2) for name in ("mcm", "conformal", "svm")] == [82.03, 85.45, 83.98]
    assert np.sum(column("conformal") > column("mcm")) == 22
    assert np.sum(column("conformal") > column("svm")) == 10


def test_the_rows_are_those_of_tables_1_and_4():
    first = [(row.row, row.name) for row in PAPER_TABLES if row.table == 1]
    assert [row[:2] for row in TABLE2] == [row[:2] for row in TABLE3] == first
    assert [row[:2] for row in TABLE4] == [(row.row, row.name) for row in PAPER_TABLES if row.table == 4]


def test_the_mcms_support_vectors_are_means_of_five_whole_numbers_and_the_svms_are_not():
    fifths = lambda name: [abs(5 * getattr(row, name).mean % 1 - 0.5) > 0.499 for row in TABLE3]  # noqa: E731
    assert all(fifths("conformal"))
    assert sum(fifths("svm")) < 5


def test_table_4_improves_or_stays_in_12_of_14_rows_as_the_paper_counts():
    gains = [row.conformal - row.mcm for row in TABLE4]
    assert sum(g >= 0 for g in gains) == 12 and sum(g > 0 for g in gains) == 8
    assert max(gains) == pytest.approx(2.17)


# --- the puzzle of Table 3 -------------------------------------------------------------------------------------------


def printed_rows(accuracies, svm_numbers):
    """What the tables would print: two decimals, standard deviations with the divisor n - 1."""
    mean_sd = lambda v: MeanSD(round(float(np.mean(v)), 2), round(float(np.std(v, ddof=1)), 2))  # noqa: E731
    zero = MeanSD(10.0, 0.0)
    return AccuracyRow(1, "a set", zero, zero, mean_sd(accuracies)), SupportRow(1, "a set", zero, mean_sd(svm_numbers))


def test_all_27_rows_are_explained():
    rows = recover_svm_counts()
    assert all(row.is_count and row.sd_follows for row in rows)
    counts = {row.name: row.n_sv for row in rows}
    assert counts["Tic Tac Toe"] == 539 and counts["Pima Indians"] == 385 and counts["Seed"] == 12
    sizes = {row.name: row.samples for row in PAPER_TABLES if row.table == 1}
    assert all(
        0 < n <= 0.8 * sizes[name] + 1 for name, n in counts.items()
    )  # a training part has four fifths of the rows
    assert max(abs(row.value - row.n_sv) for row in rows) <= 0.0500001


def test_the_verdict():
    verdict = explain_table3()
    assert (verdict.rows, verdict.whole, verdict.sd_follow, verdict.at_least_3) == (27, 27, 27, 10)
    assert verdict.chance_whole == pytest.approx(0.11**27)
    assert verdict.largest_sd_error < 1
    assert verdict.wrong_pairs < 0.01
    assert verdict.median_ratio == pytest.approx(2.1, abs=0.05)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(5000, 10000), min_size=5, max_size=5), st.integers(1, 1000))
def test_a_count_hidden_among_five_accuracies_is_found(hundredths, n):
    accuracies = np.array(hundredths) / 100
    (found,) = recover_svm_counts(*[[row] for row in printed_rows(accuracies, [*accuracies, n])])
    assert found.n_sv == n and found.is_count and found.sd_follows
    assert found.sd == pytest.approx(np.std([*accuracies, n], ddof=1), abs=0.02)


def test_honest_means_of_counts_are_not_explained_away():
    """Had Table 3 printed what it says, the explanation would fail: it is one that can be wrong."""
    rng = np.random.default_rng(0)
    rows = [printed_rows(70 + 25 * rng.random(5), rng.integers(80, 160, size=5)) for _ in range(27)]
    rows = [[row._replace(row=i) for row in pair] for i, pair in enumerate(rows)]
    verdict = explain_table3(*zip(*rows, strict=True))
    assert verdict.whole < 15 and verdict.sd_follow < 5 and verdict.chance_whole > 1e-8


# --- Wilcoxon --------------------------------------------------------------------------------------------------------


def test_wilcoxon_of_the_printed_table_2():
    mcm, svm, between = printed_tests()
    assert (mcm.a, mcm.b, svm.b, between.a) == ("conformal", "mcm", "svm", "mcm")
    assert (mcm.wins, mcm.losses, mcm.ties) == (22, 4, 1)
    assert mcm.p == pytest.approx(3.76e-5, abs=5e-8) and mcm.method == "exact"
    assert mcm.p == pytest.approx(PRINTED_P, rel=0.02)
    assert (svm.wins, svm.losses, svm.ties) == (10, 17, 0) and round(svm.p, 2) == 0.73


def exact_p(d):
    """By hand: of all 2^n ways to give the ranks signs, how many have a W as small as ours?"""
    ranks = scipy.stats.rankdata(np.abs(d))
    W = min(ranks[d > 0].sum(), ranks[d < 0].sum())
    sums = np.array([np.dot(signs, ranks) for signs in itertools.product((0, 1), repeat=len(d))])
    return np.mean((sums <= W) | (sums >= ranks.sum() - W))


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(-50, 50), min_size=1, max_size=9, unique_by=abs))
def test_the_exact_p_is_a_count_of_signs(differences):
    d = np.array(differences, dtype=float)
    test = signed_rank(70 + d, np.full(len(d), 70.0))
    some = d[d != 0]
    assert test.ties == len(d) - len(some)
    assert test.p == pytest.approx(exact_p(some) if len(some) else 1.0)
    back = signed_rank(np.full(len(d), 70.0), 70 + d)
    assert (back.p, back.wins, back.median) == (test.p, test.losses, -test.median)


def test_differences_that_are_equal_on_paper_share_a_rank():
    a, b = np.array([0.3, 80.3, 90.1]), np.array([0.1, 80.1, 90.2])  # 0.2 twice, but not in binary fractions
    assert a[0] - b[0] != a[1] - b[1]
    test = signed_rank(a, b)
    assert test.W == 1.0 and test.method == "normal approximation"


def test_equal_columns_prove_nothing():
    test = signed_rank([1.0, 2.0], [1.0, 2.0])
    assert (test.p, test.ties, test.median) == (1.0, 2, 0.0)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: signed_rank([1.0, 2.0], [1.0], ("new", "old")), "old has 1 entries, and 2"),
        (lambda: signed_rank([1.0, np.nan], [1.0, 2.0], ("new", "old")), "new contains NaN"),
        (lambda: compare_columns({"only": [1.0]}), "needs two columns"),
    ],
)
def test_bad_columns(call, says):
    with pytest.raises(InvalidInputError, match=says):
        call()
