"""The lesson 'does it work': what it claims holds at any data, and its notebook says what the library says."""

import json
import re
from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from mcmteach.checks.tasks.does_it_work import joint_sd, recover_count, signed_rank_W
from mcmteach.errors import InvalidInputError
from mcmteach.experiments import NESTED, TEST_CHOSEN, summarise
from mcmteach.paper import TABLE3, expected_best, peep_at_noise, signed_rank
from tools.ledger import ROOT

EIGHT = ["promoters", "echocardiogram", "seeds", "glass", "hepatitis", "sonar", "ecoli", "heart-statlog"]


# --- what choosing buys ----------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(k=st.integers(1, 3), m=st.integers(1, 3))
def test_expected_best_is_the_mean_over_all_falls_of_the_coins(k, m):
    falls = np.array(list(product([0, 1], repeat=k * m))).reshape(-1, k, m)
    assert expected_best(k, m) == pytest.approx(falls.mean(axis=2).max(axis=1).mean())


@settings(deadline=None, max_examples=50)
@given(k=st.integers(1, 200), m=st.integers(1, 400), p=st.floats(0, 1))
def test_the_best_never_looks_worse_than_it_is_and_more_so_with_more_settings(k, m, p):
    assert expected_best(1, m, p) == pytest.approx(p, abs=1e-9)
    assert p - 1e-9 <= expected_best(k, m, p) <= expected_best(k + 1, m, p) + 1e-12 <= 1 + 1e-9


@settings(deadline=None, max_examples=30)
@given(k=st.integers(2, 100), m=st.integers(1, 300))
def test_a_larger_test_fold_protects(k, m):
    assert expected_best(k, 4 * m) < expected_best(k, m)


@pytest.mark.parametrize(("k", "m", "p"), [(22, 30, 0.5), (5, 100, 0.8)])
def test_simulated_sets_agree_with_the_formula(k, m, p):
    found = peep_at_noise(k, m, n_sets=20_000, p=p, seed=3)
    assert found.best.mean() == pytest.approx(expected_best(k, m, p), abs=0.002)
    assert found.fresh.mean() == pytest.approx(p, abs=0.002) == found.first.mean()
    assert (found.best >= found.first).all()
    assert abs(np.corrcoef(found.best, found.fresh)[0, 1]) < 0.03, "new samples know nothing of the choice"


def test_bad_numbers_are_refused():
    for arguments in ((0, 30), (3, 0), (2.5, 30), (3, 30, 1.2), (3, 30, "half")):
        with pytest.raises(InvalidInputError):
            expected_best(*arguments)
    with pytest.raises(InvalidInputError):
        peep_at_noise(3, 30, n_sets=0)


def test_pure_noise_becomes_significant():
    ps = [signed_rank(*peep_at_noise(22, 30, 27, seed=seed)[::2]).p for seed in range(20)]
    assert max(ps) < 1e-4


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


# --- the notebook ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def printed():
    cells = json.loads(next(ROOT.glob("lessons/*_does_it_work.ipynb")).read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}


def test_the_live_fold_of_the_lesson_agrees_with_the_stored_one(printed):
    for line in printed["rerun"].splitlines()[1:]:
        _, now, stored, count_now, count_stored = line.split()
        assert now == stored and count_now == count_stored


def test_peeping_at_tossed_labels_gains_points_that_new_samples_do_not_have(printed):
    best, fresh = (float(share) for share in re.findall(r"([\d.]+)%", printed["tosses"]))
    assert best > 55 > fresh > 45


def test_the_sets_that_the_lesson_names_are_complete_under_both_protocols():
    assert all(row.complete for protocol in (NESTED, TEST_CHOSEN) for row in summarise(protocol, sets=EIGHT))


def test_the_lesson_says_what_the_stored_results_say(printed):
    nested = summarise(NESTED)
    assert len(nested) == 23 and all(row.complete for row in nested)
    means = [100 * np.mean([row.mean(c) for row in nested]) for c in ("mcm", "conformal", "svc")]
    assert "MCM {:.2f}, conformal MCM {:.2f}, SVC {:.2f}".format(*means) in printed["honest"]
    priced = ("conformal", "mcm")
    for protocol, a, b in ((TEST_CHOSEN, "lp0_conformal", "lp0"), (TEST_CHOSEN, *priced), (NESTED, *priced)):
        gain = np.median([100 * (row.mean(a) - row.mean(b)) for row in summarise(protocol, sets=EIGHT)])
        assert f"{gain:+.2f} points" in printed["seven"]


def test_five_times_a_mean_of_counts_is_whole_for_the_mcm_and_not_for_the_svm():
    five = [[5 * getattr(row, c).mean for row in TABLE3] for c in ("conformal", "svm")]
    off = np.abs(np.array(five) - np.round(five)) > 0.03  # what rounding to two decimals can do
    assert not off[0].any() and off[1].sum() > 20


def test_noise_has_a_smaller_p_than_the_paper(printed):
    p = {line.split()[0]: float(line.split("p = ")[1]) for line in printed["tests"].splitlines()[1:]}
    assert p["COIN"] < 3.6869e-5
