"""The panels of the topic 'soft margin': what they say is what the library says."""

import re

import numpy as np
import pytest

from mcmteach import widgets
from mcmteach.datasets.worlds import noisy_points
from mcmteach.svm import (
    descent,
    slack,
    smooth_margin,
    smooth_svm_objective,
    soft_margin,
    soft_margin_objective,
)
from mcmteach.svm.descent_steps import DESCENTS
from mcmteach.widgets.soft_margin import CS, STEP_SIZES, STEPS

FALLING = "subgradient, falling step"


@pytest.fixture(scope="module")
def sample():
    return noisy_points(40, noise=0.6, seed=26)


def cost(X, y, plane, C=1.0):
    return soft_margin_objective(X, y, plane.w, plane.b, C)


def test_the_panel_says_what_the_library_says(sample):
    X, y = sample
    way, best = descent(X, y, 1.0, 0.1, STEPS, "falling"), soft_margin(X, y)
    text = widgets.draw_soft_margin(1.0, 0.6, 0.1, FALLING, 40).text
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
    ways = [
        descent(X, y, 1.0, eta, STEPS, method).objective / lowest[method] for method in DESCENTS for eta in STEP_SIZES
    ]
    assert min(int(np.argmax(way <= 1.01)) for way in ways if way.min() <= 1.01) == 8
    assert "not reached" in widgets.draw_soft_margin(100.0, 0.6, 0.1, FALLING, 0).text
    assert "reached at step" in widgets.draw_soft_margin(100.0, 0.6, 0.0003, FALLING, 0).text


@pytest.mark.parametrize("method", ["subgradient, constant step", FALLING, "smooth"])
@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_no_corner_of_the_panel_lies_below_the_minimum(method, noise):
    for C in (CS[0], CS[-1]):
        for eta in (STEP_SIZES[0], STEP_SIZES[-1]):
            text = widgets.draw_soft_margin(C, noise, eta, method, STEPS).text
            above = float(re.search(r"(-?[\d.]+)% above", text)[1])
            assert above >= 0 and len(text) < 600


def test_the_panel_without_a_line_yet():
    assert "Margin infinite, as w = 0" in widgets.draw_soft_margin(1.0, 0.6, 0.01, FALLING, 0).text
