"""The lesson 'does it work': what it claims holds at any data, and its notebook says what the library says."""

import json
import os
import re

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from mcmteach.checks.tasks.does_it_work import holm_step, joint_sd, mean_of_folds, recover_count, signed_rank_W
from mcmteach.checks.tasks.does_it_work import median_interval as exercise_interval
from mcmteach.experiments import Store
from mcmteach.experiments.authors import AUTHORS, PRICED, UNPRICED, authors_rows, equal_numbers
from mcmteach.experiments.claims import gather, rules
from mcmteach.experiments.claims.evidence import gain_by_choice
from mcmteach.experiments.claims.page import by_other_protocol
from mcmteach.paper import PRINTED_P, TABLE2, TABLE3, intervals
from mcmteach.paper.equivalence import holm
from tools.ledger import ROOT

# --- the exercise's references, against something else -----------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(values=st.lists(st.integers(0, 100), min_size=2, max_size=9), n=st.integers(0, 500))
def test_the_count_and_the_sd_come_back_from_any_list(values, n):
    a, s, k = float(np.mean(values)), float(np.std(values, ddof=1)), len(values)
    assert recover_count(float(np.mean([*values, n])), a, k) == pytest.approx(n, abs=1e-8)
    assert joint_sd(n, a, s, k) == pytest.approx(np.std([*values, n], ddof=1), abs=1e-6)


@settings(deadline=None, max_examples=30)
@given(d=st.lists(st.integers(-9, 9), min_size=1, max_size=20).filter(any))
def test_W_is_scipys(d):
    d = np.array(d, float)
    assert signed_rank_W(d, 0 * d) == scipy.stats.wilcoxon(d[d != 0], method="asymptotic").statistic


@settings(deadline=None, max_examples=60)
@given(d=st.lists(st.integers(-99, 99), min_size=6, max_size=60, unique=True))
def test_the_interval_of_the_median_is_the_librarys_and_misses_as_rarely_as_said(d):
    d = np.array(d, float)
    low, high = exercise_interval(d)
    assert (low, high) == intervals.median_interval(d)[1:]
    below = int(np.sum(d < low))  # so many coins at most may fall on one side, and one more would be too many
    assert 2 * scipy.stats.binom.cdf(below, len(d), 0.5) <= 0.05 < 2 * scipy.stats.binom.cdf(below + 1, len(d), 0.5)


@settings(deadline=None, max_examples=40)
@given(p=st.lists(st.floats(0.001, 0.2), min_size=1, max_size=9))
def test_holms_step_is_the_first_half_of_the_librarys_correction(p):
    p = np.sort(p)
    np.testing.assert_allclose(np.minimum(1, np.maximum.accumulate(holm_step(p))), holm(p))


# --- the notebook ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cells():
    return json.loads(next(ROOT.glob("lessons/*_does_it_work.ipynb")).read_text(encoding="utf-8"))["cells"]


@pytest.fixture(scope="module")
def printed(cells):
    return {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}


def test_a_printed_number_comes_out_to_the_last_digit_and_tells_its_kernel(printed):
    assert TABLE2[4].name == "SONAR" and "54 of 54 printed numbers" in printed["all-rows"].splitlines()[1]
    rows = {column: authors_rows(AUTHORS, column, sets=["sonar"]) for column in ("sigmoid", "svc")}
    assert equal_numbers(rows["sigmoid"], "accuracy") == 2 and equal_numbers(rows["svc"], "accuracy") == 0
    folds = Store().folds(AUTHORS, "sonar")
    right, size = np.array([(fold["columns"]["sigmoid"]["right"], fold["n_test"]) for fold in folds]).T
    assert f"{mean_of_folds(right, size):.2f}" == f"{TABLE2[4].svm.mean:.2f}"
    assert f"{100 * right.sum() / size.sum():.2f}" != f"{TABLE2[4].svm.mean:.2f}", "pooled, the last digit is another"


@pytest.mark.skipif("MCMTEACH_AUTHORS" not in os.environ, reason="needs the authors' files")
def test_with_the_authors_files_the_lesson_computes_the_same_numbers(cells, printed, capsys):
    names: dict = {}
    for cell in cells:
        if cell["id"] in ("imports", "sonar"):
            exec("".join(cell["source"]), names)
    now, stored = capsys.readouterr().out.splitlines(), printed["sonar"].splitlines()
    assert "computed now" in now[0] and "stored results" in stored[0] and now[1:] == stored[1:]


def test_no_choice_gains_more_on_the_test_fold_than_the_one_made_there():
    for plan in (PRICED, UNPRICED):
        by_test, by_validation = gain_by_choice(gather(), plan)
        assert by_test and all(a >= b - 1e-9 for a, b in zip(by_test, by_validation, strict=True))


def test_nested_scores_of_shuffled_labels_are_about_one_half_and_best_scores_are_higher(printed):
    true, shuffled = (list(map(float, re.findall(r"([\d.]+)%", line))) for line in printed["reshuffles"].splitlines())
    assert true[0] > true[1] > 85 and shuffled[0] > shuffled[1] and abs(shuffled[1] - 50) < 5


def test_the_lessons_verdict_on_the_map_is_the_claims_pages(cells, printed):
    """Nothing is said of stored results but what the claims say: more rows may move both, and they move together."""
    claim = rules.claim_conformal_beats_mcm(gather())
    listed = next(line for line in printed["claims"].splitlines() if line.endswith(claim.says))
    assert listed.startswith(claim.verdict.partition(":")[0])
    assert claim.nested in " ".join(printed["claims"].split())
    row = next(line for line in printed["equivalence"].splitlines() if line.startswith("conformal MCM - MCM"))
    assert ("equivalent" in row) == ("equivalent" in claim.verdict)
    (text,) = (
        " ".join("".join(cell["source"]).split()) for cell in cells if "CLAIMS.md) has all" in "".join(cell["source"])
    )
    assert "it holds in part" in text and claim.verdict == "partly"
    narrow = rules.claim_conformal_beats_mcm(by_other_protocol(gather()))
    assert "On narrower grids" in text and "the verdict was *equivalent*" in text and "equivalent" in narrow.verdict


def test_five_times_a_mean_of_counts_is_whole_for_the_mcm_and_not_for_the_svm():
    five = [[5 * getattr(row, c).mean for row in TABLE3] for c in ("conformal", "svm")]
    off = np.abs(np.array(five) - np.round(five)) > 0.03  # what rounding to two decimals can do
    assert not off[0].any() and off[1].sum() > 20


def test_noise_has_a_smaller_p_than_the_paper(printed):
    p = {line.split()[0]: float(line.split("p = ")[1]) for line in printed["tests"].splitlines()[1:]}
    assert p["COIN"] < PRINTED_P


@pytest.mark.parametrize(("v", "points", "m"), [(0.09, 1, 3457), (0.1, 5, 154)])
def test_a_test_set_of_the_size_that_the_lesson_prints_is_as_sharp_as_it_says(printed, v, points, m):
    assert str(m) in printed["test-size"]
    half = 1.96 * np.sqrt(v / m)
    assert half == pytest.approx(points / 100, rel=0.005)
