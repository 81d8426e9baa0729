"""The panels of the topic 'radius over margin': what they say is what the library says."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcmteach as mt
from mcmteach import widgets
from mcmteach.datasets.worlds import stretched_points


def unit(degrees):
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def number(text, before):
    return float(re.search(rf"{re.escape(before)} ?(-?[\d.]*\d)", text)[1])


@settings(deadline=None, max_examples=8)
@given(angle=st.integers(-90, 90), shift=st.integers(-150, 150), stretch=st.sampled_from([0.5, 1.0, 2.0]))
def test_panel_says_what_the_chain_says(angle, shift, stretch):
    X, y = stretched_points(stretch)
    chain = mt.capacity_chain(X, unit(angle), -shift / 50)
    text = widgets.draw_capacity(float(angle), shift / 50, stretch).text
    assert number(text, "h_MCM =") == pytest.approx(chain.h_mcm, abs=0.006)
    assert number(text, "R/Delta =") == pytest.approx(chain.ratio, abs=0.006)
    assert number(text, "a beta of") == pytest.approx(chain.beta, abs=0.006)
    assert number(text, "h_MCM =") <= number(text, "R/Delta =")
    wrong = int(np.sum(mt.functional_margins(X, y, unit(angle), -shift / 50) <= 0))
    assert ("The line separates." in text) == (wrong == 0)


def test_panel_does_what_the_lesson_asks_to_try():
    least = "the least of all lines that separate is 4.35"
    near = widgets.draw_capacity(32.5, -0.04, 1.0).text
    assert least in near and number(near, "h_MCM =") < 4.45
    far = widgets.draw_capacity(33.0, 3.0, 1.0).text
    assert number(far, "h_MCM =") < 4.35 and "wrong about 8 points, so what follows says nothing" in far
    texts = [widgets.draw_capacity(35.0, 0.0, stretch).text for stretch in (0.5, 1.0, 2.0)]
    assert all(least in text and "The line separates." in text for text in texts)
    assert len({number(text, "h_MCM =") for text in texts}) == 1
    assert number(texts[0], "R/Delta =") < number(texts[1], "R/Delta =") < number(texts[2], "R/Delta =")


def test_panel_survives_a_line_through_a_point():
    X, _ = stretched_points(1.0)
    text = widgets.draw_capacity(0.0, float(X[0, 0]), 1.0).text
    assert "goes through a point" in text and "infinite" in text


def test_panel_starts_at_a_line_that_separates_and_is_not_the_best():
    text = widgets.capacity_panel().picture.text
    assert text.startswith("The line separates.") and number(text, "h_MCM =") > 6
