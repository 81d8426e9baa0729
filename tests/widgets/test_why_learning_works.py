"""The panels of the topic 'why learning works': what they say is what the library says."""

import re

import pytest

import mcmteach as mt
from mcmteach import widgets


@pytest.mark.parametrize("M", [10, 30, 44, 45, 250, 260, 1_000_000])
def test_the_bound_panel_calls_vacuous_what_is(M):
    text = widgets.draw_bound(M, 10, 0.05, 0.1).text
    said = re.search(r"N's bound is (\S+)( \(vacuous\))?, S's is (\S+?)( \(vacuous\))?\.\n", text)
    for number, vacuous, bound in ((said[1], said[2], mt.vc_bound), (said[3], said[4], mt.vapnik_bound)):
        value = bound(0.1, 10, M, 0.05)
        assert float(number) == pytest.approx(value, abs=6e-4) and bool(vacuous) == mt.is_vacuous(value)


def test_the_bound_panel_can_be_set_to_the_smallest_sample_that_is_not_vacuous():
    least = next(M for M in range(10, 1000) if not mt.is_vacuous(mt.vc_bound(0.1, 10, M, 0.05)))
    panel = widgets.bound_panel()
    panel.controls["M"].value = least
    assert "(vacuous)" not in panel.picture.text and f"M = {least}," in panel.picture.text


def test_the_shattering_panel_says_what_the_linear_programme_says():
    for name, points in widgets.POINTS.items():
        texts = [widgets.draw_shattering(name, colouring).text for colouring in range(1, 2 ** len(points) + 1)]
        assert mt.shatters(points) == all("a line separates them" in text for text in texts)


def test_a_number_beyond_the_last_colouring_says_which_one_is_shown():
    panel = widgets.shattering_panel()
    panel.controls["colouring"].value = 11
    assert "Colouring 3 of 8 (number 11 is the same again): - + -." in panel.picture.text
    panel.controls["points"].value = "four points (a square)"
    assert "Colouring 11 of 16: - + - +." in panel.picture.text
