"""The panels of the topic 'a linear programme': what they say is what the library says."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcmteach as mt
from mcmteach import widgets
from mcmteach.errors import InfeasibleError
from mcmteach.widgets import a_linear_programme

INF = np.inf


def test_panel_tells_both_machines_and_the_certificate(eight_points):
    X, y, planes = eight_points
    text = widgets.draw_programme("eight points", 1, 0.0, 0.0).text
    for name, (w, b) in planes.items():
        chain = mt.capacity_chain(X, w, b)
        margin = mt.geometric_margin(X, y, w, b)
        assert f"{name}: h = {chain.h_mcm:.3f}, margin {margin:.3f}, R/Delta = {chain.ratio:.2f}." in text
    h = mt.h_mcm(X, *planes["MCM"])
    assert f"prove h ≥ {h:.6f} for all separating lines, and the MCM has {h:.6f}: optimal." in text


def test_panel_moves_the_point_it_says():
    text = widgets.draw_programme("four on a line", 4, 0.0, 0.1).text
    assert "point 4 of 4, of class -1, now at (-4.0, 0.1)" in text
    assert "MCM: h = 2.000, margin 0.050" in text and "SVM: h = 4.000, margin 1.000" in text
    assert "point 4 of 4" in widgets.draw_programme("four on a line", 8, 0.0, 0.0).text  # there is no eighth
    before, after = (widgets.draw_programme("eight points", 1, d, d).text for d in (0.0, 1.0))
    svm = [re.search(r"SVM: h = \S+, margin (\S+),", text)[1] for text in (before, after)]
    mcm = [re.search(r"MCM: h = \S+, margin (\S+),", text)[1] for text in (before, after)]
    assert svm[0] == svm[1] and mcm[0] != mcm[1], "the far point turns the MCM's line only"


def test_panel_says_why_there_is_no_line():
    inside = widgets.draw_programme("eight points", 8, 2.0, 1.2).text  # among the points of the other class
    assert "now at (1.7, 1.7).\nInfeasible: no line separates the classes" in inside and "MCM" not in inside
    held = re.search(r"points ([\d, ]+) prove", inside)[1].split(", ")
    assert "8" in held and len(held) >= 3
    same = widgets.draw_programme("four on a line", 1, -2.0, 0.0).text  # on top of a point of the other class
    assert "as points 1, 3 prove" in same


@settings(deadline=None, max_examples=30)
@given(
    preset=st.sampled_from(list(a_linear_programme.PRESETS)),
    point=st.integers(0, 7),
    right=st.integers(-20, 20).map(lambda i: i / 10),
    up=st.integers(-20, 20).map(lambda i: i / 10),
)
def test_wherever_a_point_is_moved_there_is_a_proof(preset, point, right, up):
    moved = min(point, sum(map(len, a_linear_programme.PRESETS[preset])) - 1)
    X, y = a_linear_programme._points(preset, moved, right, up)
    try:
        mcm, svm = a_linear_programme._machines(preset, moved, right, up)
    except InfeasibleError as error:
        a = error.weights
        np.testing.assert_allclose(a[y > 0] @ X[y > 0], a[y < 0] @ X[y < 0], atol=1e-7)
        return
    assert mcm.certificate.proves_optimal() and svm.gap < 1e-6
    assert mcm.h == pytest.approx(mt.h_mcm(X, mcm.coef, mcm.b))


def test_panel_of_points_that_can_be_met_exactly_needs_no_multipliers():
    assert (
        "Certificate: h ≥ 1 always, and the MCM has 1.000000: optimal."
        in widgets.draw_programme("three points", 1, 0.0, 0.0).text
    )
