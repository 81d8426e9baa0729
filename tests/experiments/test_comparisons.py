"""Every two columns compared: the verdicts, and the numbers behind them."""

import numpy as np
import pytest

from mcmteach.experiments.comparisons import compare, comparison_table
from mcmteach.experiments.tables import SetSummary, independent, independent_columns, members
from mcmteach.paper.printed import MeanSD
from mcmteach.paper.wilcoxon import signed_rank

BASE = np.linspace(60, 95, 22)
NOISE = np.random.default_rng(3).normal(0, 0.3, 22)
WIDE = np.random.default_rng(4).normal(0, 6, 22)


@pytest.mark.parametrize(
    ("other", "verdict"),
    [
        (BASE + NOISE, "equivalent"),
        (BASE - 3 + NOISE, "better"),
        (BASE + 3 + NOISE, "worse"),
        (BASE + WIDE, "undecided"),
    ],
)
def test_verdicts(other, verdict):
    (found,) = compare({"a": BASE, "b": other})
    assert found.verdict == verdict and found.rows == 22 == found.wins + found.losses + found.ties
    assert found.p == signed_rank(BASE, other).p == found.p_holm
    assert found.mean.low <= found.mean.value <= found.mean.high and found.median.low <= found.median.value


def test_holm_counts_all_comparisons_and_a_small_difference_can_be_regular_and_equivalent():
    found = compare({"a": BASE, "b": BASE - 0.4, "c": BASE + WIDE})
    assert [(c.a, c.b) for c in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    regular = found[0]
    assert regular.p < regular.p_holm < 0.05 and regular.verdict == "equivalent"
    text = comparison_table({"mcm": BASE, "svc": BASE - 0.4, "lpsvm": BASE + WIDE}, markdown=True)
    assert (
        "| MCM - SVC | 22 | 0 | 0 | +0.40 (+0.40 to +0.40) |" in text
        and "Critical difference (Nemenyi, 5 %): 0.71" in text
    )


def test_twins_count_once_with_their_mean():
    def row(name, accuracy):
        return SetSummary(name, 5, 5, {"mcm": {"accuracy": MeanSD(accuracy, 0.0)}}, [])

    rows = [row("australian", 0.8), row("sonar", 0.7), row("credit-approval", 0.9), row("glass", 0.6)]
    assert independent_columns(rows) == {"mcm": pytest.approx([85.0, 70.0, 60.0])}
    assert [one.dataset for one in independent(rows)] == ["australian", "sonar", "glass"]
    assert [one.dataset for one in independent(rows[2:])] == ["credit-approval", "glass"]  # one of the two alone
    assert members("australian") == ["australian", "credit-approval"] and members("sonar") == ["sonar"]
