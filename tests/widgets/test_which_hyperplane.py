"""The panels of the topic 'which hyperplane': what they say is what the library says."""

import re

import numpy as np
import pytest

import mcmteach as mt
from mcmteach import widgets
from mcmteach.datasets.worlds import separable_points
from mcmteach.perceptron import perceptron_steps
from mcmteach.svm import hard_margin


@pytest.fixture
def sample():
    X, y = separable_points(16, gap=0.3, seed=26)
    return X, y, perceptron_steps(X, y)


def test_perceptron_panel_never_allows_more_mistakes_than_its_slider_and_the_bound():
    slider = widgets.perceptron_panel().controls["mistakes"]
    for order in range(10):
        text = widgets.draw_perceptron(slider.max, 0.2, order).text  # the narrowest gap takes the most mistakes
        made, most = map(int, re.search(r"so far: (\d+); Novikoff allows at most (\d+)", text).groups())
        assert made <= most
        assert "0 of 16 points. The rule is at rest" in text, "the slider reaches the end"


def test_perceptron_panel_follows_the_diary(sample):
    _, y, steps = sample
    text = widgets.draw_perceptron(6, 0.3, 0).text
    assert f"point {steps[5].p + 1} of 16, of class {y[steps[5].p]:+.0f}" in text
    assert f"w = ({steps[5].w[0]:.2f}, {steps[5].w[1]:.2f})" in text and "goes on" in text
    assert "16 of 16 points. The rule goes on" in widgets.draw_perceptron(0, 0.3, 0).text
    assert widgets.draw_perceptron(3, 0.3, 1).text != widgets.draw_perceptron(3, 0.3, 0).text


def test_hyperplane_panel_reaches_the_largest_margin(sample):
    X, y, _ = sample
    plane = hard_margin(X, y)
    norm = float(np.linalg.norm(plane.w))
    angle = float(np.degrees(np.arctan2(plane.w[1], plane.w[0])))
    text = widgets.draw_hyperplane(angle, -plane.b / norm, norm).text
    best = f"{1 / norm:.3f}"
    assert "Functional margin 1.000" in text
    assert f"geometric margin is {best}. The largest of all lines is {best}" in text
    chain = mt.capacity_chain(X, plane.w, plane.b)
    assert f"R/Delta = {chain.ratio:.1f}, h_MCM = {chain.h_mcm:.2f}." in text


def test_hyperplane_panel_tells_length_from_distance_and_warns_of_a_far_line():
    one, two = (widgets.draw_hyperplane(35.0, 1.1, length).text for length in (1.0, 2.0))
    margin = [re.search(r"geometric margin is (\S+)\. ", text).group(1) for text in (one, two)]
    functional = [float(re.search(r"Functional margin (\S+);", text).group(1)) for text in (one, two)]
    assert margin[0] == margin[1] and functional[1] == pytest.approx(2 * functional[0], abs=2e-3)
    far = widgets.draw_hyperplane(35.0, 3.0, 1.0).text
    assert "wrong about 8 of 16" in far and "does not separate" in far
    options = widgets.hyperplane_panel().controls["shift"].options
    texts = [widgets.draw_hyperplane(35.0, max(options) / k, 1.0).text for k in (20, 5, 1)]
    h = [float(re.search(r"h_MCM = (\d+\.\d+)\.", text)[1]) for text in texts]
    assert h == sorted(h, reverse=True) and h[-1] < 1.05, "far away h_MCM comes down to 1, as the lesson asks to watch"
