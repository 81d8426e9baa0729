"""The panels of the topic 'bending space': what they say is what the library says."""

import re

import numpy as np
import pytest
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach import widgets
from mcmteach.capacity import feature_radius
from mcmteach.conformal import two_rounds
from mcmteach.datasets.worlds import wave_points
from mcmteach.svm import hard_margin
from mcmteach.widgets import bending_space

GAMMA = 2.0


def read(text, row):
    """margin, R and the share of new points that are right, from a line of the readout."""
    found = re.search(rf"{row}: +margin (-?[\d.]+), R ([\d.]+), .*right on new points ([\d.]+)%", text)
    return tuple(map(float, found.groups()))


def test_the_panel_says_what_the_library_says():
    text = widgets.draw_magnification(0.35, 1.0, "SVM's support vectors").text
    X, y = wave_points(60, seed=6)
    rounds = two_rounds(lambda kernel: SVC(kernel=kernel, C=1000), X, y, GAMMA, tau=0.35, floor=1.0)
    Z = mt.empirical_feature_map(mt.ConformalKernel(rounds.c, mt.RBF(GAMMA))(X))
    margin, R, right = read(text, "After")
    assert margin == pytest.approx(1 / np.linalg.norm(hard_margin(Z, y).w), abs=1e-3)
    assert pytest.approx(feature_radius(Z @ Z.T), abs=6e-3) == R
    assert right == pytest.approx(100 * rounds.second.score(*wave_points(2000, seed=1000)), abs=0.06)
    before = read(text, "Before")
    assert margin > 1.3 * before[0] and 1.2 * before[1] < R


def test_the_panel_answers_the_lessons_three_questions():
    cores = bending_space.CORES
    wide = widgets.draw_magnification(2.0, 1.0, cores[0]).text
    assert read(wide, "After")[:2] == pytest.approx(read(wide, "Before")[:2], rel=0.05)
    blind = widgets.draw_magnification(0.1, 0.0, cores[0]).text
    assert read(blind, "After")[2] < 70 and "no separation" in blind
    wrong = widgets.draw_magnification(0.35, 1.0, cores[3]).text
    before, after = read(wrong, "Before"), read(wrong, "After")
    assert after[1] / after[0] > 2 * before[1] / before[0] and after[2] >= before[2] - 0.5


def test_the_panel_puts_its_cores_where_it_says():
    X, y = wave_points(**bending_space.SAMPLE)
    where = {name: bending_space.cores_and_weights(name)[0] for name in bending_space.CORES}
    first = SVC(kernel="rbf", gamma=GAMMA, C=1000).fit(X, y)
    np.testing.assert_array_equal(where["SVM's support vectors"], X[first.support_])
    assert len(where["all points alike"]) == 60
    f = np.abs(first.decision_function(where["the 5 farthest from the boundary"]))
    assert len(f) == 5 and f.min() >= np.sort(np.abs(first.decision_function(X)))[-5] - 1e-3
    mcm = mt.MCMClassifier(gamma=GAMMA, C=10, sparsity=0.1).fit(X, y)
    np.testing.assert_array_equal(where["MCM's support vectors"], X[mcm.support_])
