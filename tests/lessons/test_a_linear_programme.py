"""The lesson 'a linear programme': what it claims holds at any data, and its notebook says what the library says."""

import json
import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach.datasets.worlds import separable_points
from mcmteach.lp import build_lp
from mcmteach.svm import hard_margin
from tests.samples import FOUR, LABELS, hard
from tools.ledger import ROOT

INF = np.inf
FAN = np.array([[1, 0], [4, 0], [2, 1], [2, -1], [-1, 0], [-2, 1], [-2, -1.0]])
FAN_LABELS = np.array([1.0, 1, 1, 1, -1, -1, -1])


# --- what the lesson claims ----------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(
    plus=st.lists(st.integers(1, 60), min_size=1, max_size=5),
    minus=st.lists(st.integers(-60, -1), min_size=1, max_size=5),
    shift=st.integers(-30, 30),
)
def test_on_a_line_the_mcm_and_the_largest_margin_agree(plus, minus, shift):
    X = np.array(plus + minus, float)[:, None] + shift
    y = np.repeat([1.0, -1.0], [len(plus), len(minus)])
    mcm = hard(X, y)
    middle = (min(plus) + max(minus)) / 2 + shift
    assert -mcm.b / mcm.coef[0] == pytest.approx(middle, abs=1e-6)


@settings(deadline=None, max_examples=30)
@given(M=st.integers(3, 14), gap=st.floats(0.1, 1), seed=st.integers(0, 10**6))
def test_each_machine_is_the_best_by_its_own_yardstick(M, gap, seed):
    X, y = separable_points(M, gap, seed)
    mcm, svm, augmented = hard(X, y), hard_margin(X, y), hard_margin(X, y, penalise_b=True)
    planes = [(mcm.coef, mcm.b), (svm.w, svm.b), (augmented.w, augmented.b)]
    h = [mt.h_mcm(X, w, b) for w, b in planes]
    margin = [mt.geometric_margin(X, y, w, b) for w, b in planes]
    ratio = [mt.capacity_chain(X, w, b).ratio for w, b in planes]
    assert h[0] <= min(h) * (1 + 1e-6)
    assert margin[1] >= max(margin) * (1 - 1e-5)
    assert ratio[2] <= min(ratio) * (1 + 1e-5)


def test_each_yardstick_of_the_table_has_another_winner(eight_points):
    X, y, planes = eight_points
    augmented = hard_margin(X, y, penalise_b=True)
    planes["augmented"] = augmented.w, augmented.b
    h = [mt.h_mcm(X, w, b) for w, b in planes.values()]
    margin = [mt.geometric_margin(X, y, w, b) for w, b in planes.values()]
    ratio = [mt.capacity_chain(X, w, b).ratio for w, b in planes.values()]
    assert (np.argmin(h), np.argmax(margin), np.argmin(ratio), np.argmax(ratio)) == (0, 1, 2, 0)
    svc = SVC(kernel="linear", C=1e6).fit(X, y)
    np.testing.assert_allclose(svc.coef_[0], planes["SVM"][0], atol=1e-4)


def test_every_line_of_the_fan_is_optimal_and_none_beside_it():
    best = hard(FAN, FAN_LABELS).h
    for w2 in np.linspace(-1, 1, 9):
        assert mt.h_mcm(FAN, [1.0, w2], 0.0) == pytest.approx(best) == pytest.approx(4)
    for w2 in (-1.05, 1.05):
        assert mt.h_mcm(FAN, [1.0, w2], 0.0) > best + 0.01
    priced = mt.solve_mcm(FAN, FAN_LABELS, C=INF, sparsity=0.01)
    np.testing.assert_allclose(priced.coef, [1, 0], atol=1e-7)
    assert hard(FAN, FAN_LABELS).certificate.proves_optimal()


@settings(deadline=None, max_examples=25)
@given(s=st.floats(-1000, 1000))
def test_two_points_leave_every_line_between_them_optimal(s):
    two = [[1.0, 0.0], [-1.0, 0.0]]
    assert mt.h_mcm(two, [1.0, s], 0.0) == 1
    assert mt.geometric_margin(two, [1, -1], [1.0, s], 0.0) == pytest.approx(1 / np.hypot(1, s))


def test_without_the_margins_the_programme_is_unbounded():
    lp = build_lp(FOUR, LABELS, INF)
    assert linprog(lp.c, lp.A_ub[:4], lp.b_ub[:4], bounds=lp.bounds).status == 3


@settings(deadline=None, max_examples=25)
@given(M=st.integers(3, 10), seed=st.integers(0, 10**6))
def test_slack_is_not_bought_from_the_largest_multiplier_on(M, seed):
    X, y = separable_points(M, 0.3, seed)
    best = hard(X, y)
    largest = (y * best.certificate.z).max()
    assume(best.h > 1.01 and largest > 0.1)
    above = mt.solve_mcm(X, y, C=1.001 * largest, sparsity=0)
    assert above.objective == pytest.approx(best.h, rel=1e-6) and above.q.sum() < 1e-6
    # below it, the programme may still tie only if other multipliers prove as much with smaller weights: never more than h
    assert mt.solve_mcm(X, y, C=0.9 * largest, sparsity=0).objective <= best.h * (1 + 1e-9)


def test_the_lessons_price_is_two_and_a_half():
    assert mt.solve_mcm(FOUR, LABELS, C=2.51, sparsity=0).objective == pytest.approx(4)
    cheaper = mt.solve_mcm(FOUR, LABELS, C=2.49, sparsity=0)
    assert cheaper.objective < 4 - 1e-3 and cheaper.q.sum() > 0.5


def test_a_hairs_breadth_turns_the_mcm_and_not_the_svm():
    lifted = np.array([[1, 0], [2, 0], [-1, 0], [-4, 0.1]])
    mcm, svm = hard(lifted, LABELS), hard_margin(lifted, LABELS)
    assert mcm.h == pytest.approx(2) and mt.geometric_margin(lifted, LABELS, mcm.coef, mcm.b) < 0.06
    assert mt.geometric_margin(lifted, LABELS, svm.w, svm.b) == pytest.approx(1)


# --- the notebook --------------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads(next(ROOT.glob("lessons/*_a_linear_programme.ipynb")).read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    assert "same matrix: True" in printed["linprog"] and "so h is at least 4.00" in printed["multipliers"]
    rows = [list(map(float, line.split()[-3:])) for line in printed["table"].splitlines()[1:]]
    margin, ratio, h = np.transpose(rows)
    assert margin.argmax() == 1 and ratio.argmin() == 2 and h.argmin() == 0 and ratio.argmax() == 0
    early, late = map(float, re.findall(r"R/Delta = ([\d.]+)", printed["linear-svc"]))
    assert late == ratio[2] and early not in ratio, "LinearSVC stops early unless it is told not to"
    mcm, svm = map(float, re.findall(r"([\d.]+)%", printed["new-data-run"]))
    assert svm <= mcm, "the lesson says: if anything, the margin wins"
    table = [list(map(float, line.split())) for line in printed["soft-check"].splitlines()[-4:]]
    assert [row[1] for row in table] == [-1, -1, -1, 0] and table[-1][2] == 4
    linprog_value, highs_value = re.findall(r"objective ([\d.]+), lower bound \1", printed["solvers-run"])
    assert linprog_value == highs_value
