"""Lesson 3: figures by what is in them, the panel, and what the lesson claims."""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

from mcmteach import plots
from mcmteach import widgets as panels
from mcmteach.datasets.worlds import noisy_points
from mcmteach.errors import InvalidInputError
from mcmteach.svm import descent, slack, smooth_margin, smooth_svm_objective, soft_margin, soft_margin_objective
from mcmteach.svm.descent_steps import STEP_RULES
from mcmteach.widgets.soft_margin import ETAS, PRICES, STEPS
from tools.ledger import ROOT

FALLING = "subgradient, falling step"


@pytest.fixture(scope="module")
def sample():
    return noisy_points(40, noise=0.6, seed=26)


def cost(X, y, plane, C=1.0):
    return soft_margin_objective(X, y, plane.w, plane.b, C)


# --- figures -----------------------------------------------------------------------------------------------------------


def test_slack_is_drawn_from_each_point_that_pays_to_its_dashed_line(sample):
    X, y = sample
    plane = soft_margin(X, y)
    ax = plots.plot_slack(X, y, plane.w, plane.b)
    zeta = slack(X, y, plane.w, plane.b)
    strokes = [np.transpose(line.get_data()) for line in ax.lines[3:]]  # after the line and its two margins
    payers = np.flatnonzero(zeta > 1e-6)
    np.testing.assert_allclose([stroke[0] for stroke in strokes], X[payers])
    ends = np.array([stroke[1] for stroke in strokes])
    np.testing.assert_allclose(ends @ plane.w + plane.b, y[payers], atol=1e-6)
    lengths = [np.linalg.norm(stroke[1] - stroke[0]) for stroke in strokes]
    np.testing.assert_allclose(lengths, zeta[payers] / np.linalg.norm(plane.w))
    crosses = [c for c in ax.collections if list(c.get_sizes()) == [170]]
    np.testing.assert_allclose(crosses[0].get_offsets(), X[zeta >= 1])
    assert len(plots.plot_slack(X, y, [0.0, 0.0], 0.0).lines) == 0


def test_losses_are_in_order():
    ax = plots.plot_losses(widths=[1.0, 0.3])
    error, hinge, wide, narrow = (line.get_ydata() for line in ax.lines[:4])
    t = ax.lines[0].get_xdata()
    assert (error <= hinge + 1e-12).all() and (hinge <= narrow).all() and (narrow <= wide).all()
    assert (wide - hinge).max() == pytest.approx(np.log(2), abs=1e-4)
    np.testing.assert_allclose(hinge, np.maximum(0, 1 - t))
    assert len({line.get_linestyle() for line in ax.lines[:4]}) >= 3


def test_descent_curves_are_shares_above_the_minimum():
    ax = plots.plot_descent({"a": [4.0, 3.0, 2.0], "b": [900.0, 2.2, 2.02]}, minimum=2.0, at=1)
    curves = {line.get_label(): line for line in ax.lines}
    np.testing.assert_allclose(curves["a"].get_ydata(), [1, 0.5, 1e-5])
    np.testing.assert_allclose(curves["b"].get_ydata(), [100, 0.1, 0.01])
    np.testing.assert_allclose(curves["a"].get_xdata(), [0.5, 1, 2])
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert [(float(d.get_xdata()[0]), float(d.get_ydata()[0])) for d in dots] == [(1, 0.5), (1, pytest.approx(0.1))]
    assert [label.get_text() for label in ax.get_yticklabels()][-3:] == ["100 %", "1000 %", "10000 %"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0", "1"]
    with pytest.raises(InvalidInputError, match="minimum"):
        plots.plot_descent({"a": [1.0]}, minimum=0.0)


def test_the_valley_shows_the_walk_and_its_star_is_near_the_minimum(sample):
    X, y = sample
    way = descent(X, y, 1.0, 0.05, 50)
    ax = plots.plot_valley(X, y, {"a walk": way})
    walk, star = ax.lines
    np.testing.assert_array_equal(np.transpose(walk.get_data()), way.w)
    np.testing.assert_allclose([star.get_xdata()[0], star.get_ydata()[0]], soft_margin(X, y).w, atol=0.06)


def test_figures_draw_into_the_axes_they_are_given(sample):
    X, y = sample
    _, ax = plt.subplots()
    assert plots.plot_slack(X, y, [1.0, 1.0], -1.0, ax=ax) is ax
    assert plots.plot_losses(ax=ax) is ax
    assert plots.plot_descent({"a": [2.0, 1.5]}, 1.0, ax=ax) is ax
    _, ax = plt.subplots()
    assert plots.plot_valley(X, y, {}, ax=ax) is ax
    assert len(plt.get_fignums()) == 2


# --- the panel ---------------------------------------------------------------------------------------------------------


def test_the_panel_says_what_the_library_says(sample):
    X, y = sample
    way, best = descent(X, y, 1.0, 0.1, STEPS, "falling"), soft_margin(X, y)
    text = panels.draw_soft_margin(1.0, 0.6, 0.1, FALLING, 40).text
    lowest = cost(X, y, best)
    assert f"After step 40: E = {way.objective[40]:.3f}" in text and f"above its minimum {lowest:.3f}" in text
    assert f"(in the end {1 / np.linalg.norm(best.w):.3f})" in text
    zeta = slack(X, y, way.w[40], way.b[40])
    assert f"sum of slacks {zeta.sum():.2f}; {(zeta > 1e-6).sum()} of 40 points pay slack" in text
    assert "reached at step 8." in text, "the lesson's game: we know of 8"


def test_the_game_has_no_better_move_than_eight(sample):
    X, y = sample
    hinge = cost(X, y, soft_margin(X, y))
    plane = smooth_margin(X, y)
    lowest = {"smooth": smooth_svm_objective(X, y, plane.w, plane.b), "constant": hinge, "falling": hinge}
    ways = [descent(X, y, 1.0, eta, STEPS, road).objective / lowest[road] for road in STEP_RULES for eta in ETAS]
    assert min(int(np.argmax(way <= 1.01)) for way in ways if way.min() <= 1.01) == 8
    assert "not reached" in panels.draw_soft_margin(100.0, 0.6, 0.1, FALLING, 0).text
    assert "reached at step" in panels.draw_soft_margin(100.0, 0.6, 0.0003, FALLING, 0).text


@pytest.mark.parametrize("road", ["subgradient, constant step", FALLING, "smooth"])
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_no_corner_of_the_panel_lies_below_the_minimum(road, noise):
    for C in (PRICES[0], PRICES[-1]):
        for eta in (ETAS[0], ETAS[-1]):
            text = panels.draw_soft_margin(C, noise, eta, road, STEPS).text
            above = float(re.search(r"(-?[\d.]+)% above", text)[1])
            assert above >= 0 and len(text) < 600


def test_the_panel_without_a_line_yet():
    assert "Margin endless, as w = 0" in panels.draw_soft_margin(1.0, 0.6, 0.01, FALLING, 0).text


# --- the notebook ------------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads((ROOT / "lessons" / "03_soft_margin.ipynb").read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    before, after = map(float, re.findall(r"margin ([\d.]+)", printed["ruin-figure"]))
    assert after < before / 10, "the last option of the prediction"
    rows = [line.replace("°", "").replace("%", "").split() for line in printed["price-table"].splitlines()[1:7]]
    C, margin, direction, slacks, pay, wrong, new = np.array(rows, dtype=float).T
    assert (np.diff(margin) <= 0).all() and (np.diff(slacks) <= 0).all()
    assert wrong[0] < wrong[-1] and pay[1] == 40 and direction[0] == direction[1]
    assert new.argmin() == 3 and C[3] == 1
    hard, *soft = map(float, re.findall(r"margin ([\d.]+)", printed["threshold"]))
    assert soft[0] > soft[1] > soft[2] == soft[3] == hard
    assert float(printed["slip-run"].split()[-1]) > 40, "far worse than doing nothing"
    angles = [float(a) for a in re.findall(r"average ([\d.]+)", printed["five"])]
    assert angles[1] < 0.6 * angles[0] and abs(angles[2] - angles[1]) < 0.2
    assert len(set(re.findall(r"E = ([\d.]+)", printed["agree"]))) == 1 and printed["agree"].rstrip().endswith("True")
    slow, fast = map(int, re.findall(r"about +(\d+) steps", printed["race-run"]))
    assert slow > 5 * fast and printed["race-run"].rstrip().endswith("True")
