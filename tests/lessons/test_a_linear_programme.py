"""Lesson 5: its figures by what is in them, its panel, its exercise's references, and what it claims about the MCM."""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach import plots
from mcmteach import widgets as panels
from mcmteach.datasets.worlds import separable_points
from mcmteach.errors import InfeasibleError, InvalidInputError
from mcmteach.lp import build_lp
from mcmteach.svm import hard_margin
from mcmteach.widgets import a_linear_programme as lesson05
from tools.ledger import ROOT

INF = np.inf
FOUR, LABELS = np.array([[1.0], [2.0], [-1.0], [-4.0]]), np.array([1.0, 1.0, -1.0, -1.0])
FAN = np.array([[1, 0], [4, 0], [2, 1], [2, -1], [-1, 0], [-2, 1], [-2, -1.0]])
FAN_LABELS = np.array([1.0, 1, 1, 1, -1, -1, -1])


@pytest.fixture
def sample():
    X, y = separable_points(8, gap=0.3, seed=25)
    X = X.round(1)
    mcm, svm = mt.solve_mcm(X, y, C=INF, sparsity=0), hard_margin(X, y)
    return X, y, {"MCM": (mcm.coef, mcm.b), "SVM": (svm.w, svm.b)}


def hard(X, y):
    return mt.solve_mcm(X, y, C=INF, sparsity=0)


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


def test_each_yardstick_of_the_table_has_another_winner(sample):
    X, y, planes = sample
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


# --- figures -------------------------------------------------------------------------------------------------------------


def numbers(ax):
    """The cells of the picture of a programme, row by row."""
    cells = [(t.get_position(), t.get_text().replace("−", "-")) for t in ax.texts]
    cells = [(round(y, 3), round(x, 3), float(text)) for (x, y), text in cells if re.fullmatch(r"-?[\d.]+", text)]
    rows = sorted({y for y, _, _ in cells})
    return [[value for y, _, value in sorted(cells) if y == row] for row in rows]


@pytest.mark.parametrize("C", [INF, 0.5])
def test_programme_picture_shows_the_programme(C):
    X, y = np.array([[1.0, 0.25], [2.0, 1.0], [-1.0, 0.5]]), np.array([1.0, 1.0, -1.0])
    ax = plots.plot_programme(X, y, C)
    lp = build_lp(X, y, C)
    costs, *rows = numbers(ax)
    assert costs == lp.c.tolist()
    np.testing.assert_array_equal(rows, np.column_stack([lp.A_ub.toarray(), lp.b_ub]))
    words = "\n".join(text.get_text() for text in ax.texts)
    for number in ("N(23)", "N(24)", "N(25)") if C == INF else ("P(4)", "P(6)", "P(5)"):
        assert number in words
    assert ("q₂" in words) == ("qᵢ" in words) == np.isfinite(C)
    # colours: positive and negative numbers on different grounds
    shades = {tuple(patch.get_facecolor()[:3]) for patch in ax.patches}
    assert len(shades) == 3


def test_programme_picture_refuses_what_cannot_be_read():
    with pytest.raises(InvalidInputError, match="cannot be read"):
        plots.plot_programme(np.ones((9, 1)), [1, -1] * 4 + [1])


def test_region_picture_puts_the_optimum_in_a_corner():
    ax = plots.plot_feasible_region(FOUR, LABELS)
    *constraints, star = ax.lines
    for line, x, y in zip(constraints, FOUR[:, 0], LABELS, strict=True):
        w, b = line.get_data()
        np.testing.assert_allclose(y * (w * x + b), 1)
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (pytest.approx(1), pytest.approx(0, abs=1e-9))
    (levels,) = [c for c in ax.collections if list(np.atleast_1d(getattr(c, "levels", [])))[:1] == [pytest.approx(4)]]
    np.testing.assert_allclose(levels.levels, [4, 6, 8])
    for level, path in zip(levels.levels, levels.get_paths(), strict=True):
        h = (LABELS * (path.vertices[:, :1] * FOUR.T + path.vertices[:, 1:])).max(axis=1)
        np.testing.assert_allclose(h, level, atol=0.05)
    assert ax.get_xlabel() == "w" and ax.get_ylabel() == "b"
    labels = [text.get_text() for text in ax.texts]
    assert labels == ["h = 6", "h = 8"]
    assert {line.get_linestyle() for line in constraints} == {"-", "--"}


def test_region_picture_when_class_minus_lies_on_the_right():
    ax = plots.plot_feasible_region([5.0, 3.0, -1.0], [-1, -1, 1])
    star = ax.lines[-1]
    mcm = hard([[5.0], [3.0], [-1.0]], [-1, -1, 1])
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (pytest.approx(mcm.coef[0]), pytest.approx(mcm.b))
    low, high = ax.get_xlim()
    assert low < star.get_xdata()[0] < high


def test_rivals_picture_draws_lines_and_margins_whatever_the_scale(sample):
    X, y, planes = sample
    planes["SVM"] = 7 * planes["SVM"][0], 7 * planes["SVM"][1]
    ax = plots.plot_rivals(X, y, planes)
    assert len(ax.lines) == 6
    for i, (w, b) in enumerate(planes.values()):
        unit = (y * (X @ w + b)).min()
        for line, level in zip(ax.lines[3 * i : 3 * i + 3], (0, -1, 1), strict=True):
            for point in (line.get_xy1(), line.get_xy2()):
                assert (w @ point + b) / unit == pytest.approx(level, abs=1e-9)
    first, second = ax.lines[0], ax.lines[3]
    assert first.get_color() != second.get_color() and first.get_linestyle() != second.get_linestyle()


def test_spread_picture_has_every_distance_and_a_bar_to_h(sample):
    X, y, planes = sample
    ax = plots.plot_spread(X, y, planes)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["SVM", "MCM"]
    assert [text.get_text() for text in ax.texts] == [f"h = {mt.h_mcm(X, w, b):.2f}" for w, b in planes.values()]
    dots = [np.asarray(c.get_offsets()) for c in ax.collections if len(c.get_offsets()) > 1]
    w, b = planes["MCM"]
    t = y * (X @ w + b)
    np.testing.assert_allclose(np.sort(np.vstack(dots[:2])[:, 0]), np.sort(t / t.min()))
    assert np.vstack(dots)[:, 0].min() == pytest.approx(1)


def test_capped_hinge_picture_charges_the_objective():
    t, y, C = np.array([-0.5, 0.5, 1.0, 3.0]), np.array([1.0, -1.0, 1.0, -1.0]), 2.0
    ax = plots.plot_capped_hinge(t, y, C)
    hinge, cap, largest = ax.lines
    paid = np.vstack([c.get_offsets() for c in ax.collections if len(c.get_offsets())])
    assert paid[:, 1].sum() + largest.get_ydata()[0] == pytest.approx(3 + C * 2)
    np.testing.assert_allclose(np.interp(t, *hinge.get_data()), C * np.maximum(0, 1 - t))
    np.testing.assert_allclose(np.interp(t, *cap.get_data()), np.maximum(1, t))
    assert plots.plot_capped_hinge([0.2, 0.4], [1, -1]).lines[2].get_xdata()[0] == 1  # the cap never falls below 1


def test_figures_draw_into_the_axes_they_are_given(sample):
    X, y, planes = sample
    _, ax = plt.subplots()
    assert plots.plot_programme(FOUR, LABELS, ax=ax) is ax
    assert plots.plot_feasible_region(FOUR, LABELS, ax=ax) is ax
    assert plots.plot_rivals(X, y, planes, ax=ax) is ax
    assert plots.plot_spread(X, y, planes, ax=ax) is ax
    assert plots.plot_capped_hinge([1.0, 2.0], [1, -1], ax=ax) is ax
    assert len(plt.get_fignums()) == 1


def test_figures_refuse_what_they_cannot_compare(sample):
    X, y, _ = sample
    for draw in (plots.plot_rivals, plots.plot_spread):
        with pytest.raises(InvalidInputError, match="'wrong' does not separate"):
            draw(X, y, {"wrong": ([1.0, 0.0], 50.0)})
        with pytest.raises(InvalidInputError, match="compares one to 3"):
            draw(X, y, {})
    with pytest.raises(InfeasibleError):
        plots.plot_feasible_region([1.0, 2.0, 3.0], [1, -1, 1])


# --- the panel -----------------------------------------------------------------------------------------------------------


def test_panel_tells_both_machines_and_the_certificate(sample):
    X, y, planes = sample
    text = panels.draw_programme("eight points", 1, 0.0, 0.0).text
    for name, (w, b) in planes.items():
        chain = mt.capacity_chain(X, w, b)
        margin = mt.geometric_margin(X, y, w, b)
        assert f"{name}: h = {chain.h_mcm:.3f}, margin {margin:.3f}, R/Delta = {chain.ratio:.2f}." in text
    h = mt.h_mcm(X, *planes["MCM"])
    assert f"prove h ≥ {h:.6f} for all separating lines, and the MCM has {h:.6f}: optimal." in text


def test_panel_moves_the_point_it_says():
    text = panels.draw_programme("four on a line", 4, 0.0, 0.1).text
    assert "point 4 of 4, of class -1, now at (-4.0, 0.1)" in text
    assert "MCM: h = 2.000, margin 0.050" in text and "SVM: h = 4.000, margin 1.000" in text
    assert "point 4 of 4" in panels.draw_programme("four on a line", 8, 0.0, 0.0).text  # there is no eighth
    before, after = (panels.draw_programme("eight points", 1, d, d).text for d in (0.0, 1.0))
    svm = [re.search(r"SVM: h = \S+, margin (\S+),", text)[1] for text in (before, after)]
    mcm = [re.search(r"MCM: h = \S+, margin (\S+),", text)[1] for text in (before, after)]
    assert svm[0] == svm[1] and mcm[0] != mcm[1], "the far point turns the MCM's line only"


def test_panel_says_why_there_is_no_line():
    inside = panels.draw_programme("eight points", 8, 2.0, 1.2).text  # among the points of the other class
    assert "now at (1.7, 1.7).\nInfeasible: no line separates the classes" in inside and "MCM" not in inside
    held = re.search(r"points ([\d, ]+) prove", inside)[1].split(", ")
    assert "8" in held and len(held) >= 3
    same = panels.draw_programme("four on a line", 1, -2.0, 0.0).text  # on top of a point of the other class
    assert "as points 1, 3 prove" in same


@settings(deadline=None, max_examples=30)
@given(
    preset=st.sampled_from(list(lesson05.PRESETS)),
    point=st.integers(0, 7),
    right=st.integers(-20, 20).map(lambda i: i / 10),
    up=st.integers(-20, 20).map(lambda i: i / 10),
)
def test_wherever_a_point_is_moved_there_is_a_proof(preset, point, right, up):
    moved = min(point, sum(map(len, lesson05.PRESETS[preset])) - 1)
    X, y = lesson05._points(preset, moved, right, up)
    try:
        mcm, svm = lesson05._machines(preset, moved, right, up)
    except InfeasibleError as error:
        a = error.weights
        np.testing.assert_allclose(a[y > 0] @ X[y > 0], a[y < 0] @ X[y < 0], atol=1e-7)
        return
    assert mcm.certificate.proves_optimal() and svm.gap < 1e-6
    assert mcm.h == pytest.approx(mt.h_mcm(X, mcm.coef, mcm.b))


def test_panel_of_points_that_can_be_met_exactly_needs_no_multipliers():
    assert (
        "Certificate: h ≥ 1 always, and the MCM has 1.000000: optimal."
        in panels.draw_programme("three points", 1, 0.0, 0.0).text
    )


# --- the notebook --------------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads((ROOT / "lessons" / "05_a_linear_programme.ipynb").read_text(encoding="utf-8"))["cells"]
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
