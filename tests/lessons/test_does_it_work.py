"""Lesson 11: what choosing on the test fold buys, its figures by what is in them, its panel, and what the lesson says."""

import json
import re
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from mcmteach import plots
from mcmteach import widgets as panels
from mcmteach.checks.tasks.does_it_work import joint_sd, recover_count, signed_rank_W
from mcmteach.errors import InvalidInputError
from mcmteach.experiments import NESTED, TEST_CHOSEN, summarise
from mcmteach.paper import TABLE2, TABLE3, expected_best, peep_at_noise, signed_rank
from mcmteach.widgets.does_it_work import FOLDS, SETTINGS
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


# --- figures ---------------------------------------------------------------------------------------------------------


def test_differences_are_sorted_and_marked_by_who_wins():
    ax = plots.plot_differences(["a", "b", "c", "d"], [70, 80, 90, 60], [71, 78, 90, 55], labels=("new", "old"))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "c", "b", "d"]  # the top row is the last
    wins, losses, ties = (np.asarray(c.get_offsets()) for c in ax.collections[1:])
    np.testing.assert_allclose(wins, [[2, 2], [5, 3]])
    np.testing.assert_allclose(losses, [[-1, 0]])
    np.testing.assert_allclose(ties, [[0, 1]])
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["new better: 2", "old better: 1", "equal: 1"]
    assert len({tuple(c.get_facecolor()[0]) for c in ax.collections[1:]}) == 3
    assert len({c.get_paths()[0].vertices.shape for c in ax.collections[1:]}) == 3, "markers differ too"


def test_differences_in_the_given_order_begin_at_the_top():
    ax = plots.plot_differences(["a", "b"], [1.0, 5.0], [0.0, 0.0], order=False)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "a"]
    with pytest.raises(InvalidInputError, match="one name per row"):
        plots.plot_differences(["a"], [1.0, 5.0], [0.0, 0.0])


def test_signed_ranks_show_the_sums_of_the_test():
    d = np.array([row.conformal.mean - row.mcm.mean for row in TABLE2[6:14]])
    ax = plots.plot_signed_ranks(d)
    test = signed_rank(d, 0 * d)
    assert ax.get_title() == f"ranks of wins: 2 + 3 + 4 + 6 + 7 = 22, of losses: 1 + 5 = {test.W:g}"
    assert [text.get_text() for text in ax.texts] == list("1234567")
    wins, losses = (np.asarray(c.get_offsets()) for c in ax.collections[1:])
    assert sorted([*wins[:, 1], *losses[:, 1]]) == pytest.approx(sorted(d[d != 0]))
    assert [text.get_text() for text in plots.plot_signed_ranks([2.0, -2.0, 5.0]).texts] == ["1.5", "1.5", "3"]
    with pytest.raises(InvalidInputError, match="nothing to rank"):
        plots.plot_signed_ranks([0.0, 0.0])


def test_peeped_shows_both_accuracies_and_their_means():
    found = peep_at_noise(22, 30, 27)
    ax = plots.plot_peeped(found.best, found.fresh)
    best, fresh = (np.asarray(c.get_offsets())[:, 1] for c in ax.collections[1:])
    order = np.argsort(-found.best, kind="stable")
    np.testing.assert_allclose(best, found.best[order])
    np.testing.assert_allclose(fresh, found.fresh[order])
    assert [line.get_ydata()[0] for line in ax.lines] == pytest.approx([found.best.mean(), found.fresh.mean()])


def test_figures_draw_into_the_axes_they_are_given():
    _, ax = plt.subplots()
    assert plots.plot_differences(["a"], [1.0], [0.0], ax=ax) is ax
    assert plots.plot_signed_ranks([1.0, -2.0], ax=ax) is ax
    assert plots.plot_peeped([0.6], [0.5], ax=ax) is ax
    assert plots.plot_expected_best([1, 2], [30], ax=ax) is ax
    assert len(plt.get_fignums()) == 1


# --- the panel -------------------------------------------------------------------------------------------------------


def test_peeping_panel_says_what_the_functions_compute():
    found = peep_at_noise(22, 30, 27, seed=4)
    text = panels.draw_peeping(22, 30, 27, 4).text
    assert f"the best of 22 settings shows {100 * found.best.mean():.1f} %" in text
    assert f"to be expected: {100 * expected_best(22, 30):.1f} %" in text
    assert f"the same setting shows {100 * found.fresh.mean():.1f} %" in text
    test = signed_rank(found.best, found.first)
    assert f"better on {test.wins} of 27 sets" in text and f"p = {test.p:.2g}, significant" in text


def test_peeping_panel_with_nothing_to_choose_gains_nothing():
    text = panels.draw_peeping(1, 30, 27, 0).text
    assert "the only setting" in text and "expected: 50.0 %" in text
    assert "nothing was chosen" in text and "peeping" not in text, "where nobody peeped, nobody is accused of it"
    assert "better on" not in text and "significant" not in text


def test_peeping_panel_starts_where_the_paper_is():
    state = panels.peeping_panel().state
    assert state == {"settings": len(TEST_CHOSEN.gamma_c), "samples": 30, "sets": len(TABLE2), "seed": 0}
    assert state["settings"] in SETTINGS and state["samples"] in FOLDS


# --- the notebook ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def printed():
    cells = json.loads((ROOT / "lessons" / "11_does_it_work.ipynb").read_text(encoding="utf-8"))["cells"]
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
