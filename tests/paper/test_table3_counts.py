"""The puzzle of Table 3: a count hidden among five accuracies."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcmteach.datasets.paper_tables import PAPER_TABLES
from mcmteach.paper import (
    MeanSD,
    explain_table3,
    recover_svm_counts,
)
from mcmteach.paper.printed import AccuracyRow, SupportRow


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


def test_what_speaks_for_it():
    found = explain_table3()
    assert (found.rows, found.whole, found.sd_follow, found.at_least_3) == (27, 27, 27, 10)
    assert found.chance_whole == pytest.approx(0.11**27)
    assert found.largest_sd_error < 1
    assert found.wrong_pairs < 0.01
    assert found.median_ratio == pytest.approx(2.1, abs=0.05)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(5000, 10000), min_size=5, max_size=5), st.integers(1, 1000))
def test_a_count_hidden_among_five_accuracies_is_found(hundredths, n):
    accuracies = np.array(hundredths) / 100
    (found,) = recover_svm_counts(*[[row] for row in printed_rows(accuracies, [*accuracies, n])])
    assert found.n_sv == n and found.is_count and found.sd_follows
    assert found.sd == pytest.approx(np.std([*accuracies, n], ddof=1), abs=0.02)


def test_true_means_of_counts_are_not_explained_away():
    """Had Table 3 printed what it says, the explanation would fail: it is one that can be wrong."""
    rng = np.random.default_rng(0)
    rows = [printed_rows(70 + 25 * rng.random(5), rng.integers(80, 160, size=5)) for _ in range(27)]
    rows = [[row._replace(row=i) for row in pair] for i, pair in enumerate(rows)]
    found = explain_table3(*zip(*rows, strict=True))
    assert found.whole < 15 and found.sd_follow < 5 and found.chance_whole > 1e-8
