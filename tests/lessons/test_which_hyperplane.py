"""Lesson 2: its world, the perceptron's diary, its figures by what is in them, and what its two panels say."""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

import mcmteach as mt
from mcmteach import plots
from mcmteach import widgets as panels
from mcmteach.capacity import geometric_margins
from mcmteach.datasets.worlds import separable_points
from mcmteach.errors import InvalidInputError
from mcmteach.perceptron import novikoff_bound, perceptron_steps
from mcmteach.svm import hard_margin
from tools.ledger import ROOT

TWO, LABELS = np.array([[3.0], [1.0]]), np.array([1.0, -1.0])


@pytest.fixture
def sample():
    X, y = separable_points(16, gap=0.3, seed=26)
    return X, y, perceptron_steps(X, y)


def line_through(line):
    """Two points of an axline."""
    return np.array([line.get_xy1(), line.get_xy2()])


def offsets(ax, size):
    """Where the markers of a given size sit: rings have 230, crosses 170."""
    return np.vstack([np.asarray(c.get_offsets()) for c in ax.collections if list(c.get_sizes()) == [size]])


# --- figures ---------------------------------------------------------------------------------------------------------


def test_margin_picture_rings_the_nearest_point_and_joins_it_to_the_line(sample):
    X, y, steps = sample
    w, b = steps[-1].w, steps[-1].b
    ax = plots.plot_margin(X, y, w, b)
    margins = geometric_margins(X, y, w, b)
    (joint,) = [line for line in ax.lines if line.get_label() == "smallest margin"]
    start, end = np.transpose(joint.get_data())
    np.testing.assert_allclose(start, X[margins.argmin()])
    assert w @ end + b == pytest.approx(0, abs=1e-12)
    assert np.linalg.norm(start - end) == pytest.approx(margins.min())
    np.testing.assert_allclose(offsets(ax, 230), [X[margins.argmin()]])
    assert len(offsets(ax, 170)) == 0
    assert ax.get_aspect() == 1


def test_margin_picture_of_the_widest_line_rings_all_its_support_vectors(sample):
    X, y, _ = sample
    plane = hard_margin(X, y)
    ax = plots.plot_margin(X, y, plane.w, plane.b)
    np.testing.assert_allclose(offsets(ax, 230), X[plane.alpha > 1e-6])


def test_margin_picture_crosses_what_is_wrong_and_tints_the_sides(sample):
    X, y, _ = sample
    w, b = np.array([1.0, 0.0]), -1.0
    ax = plots.plot_margin(X, y, w, b)
    np.testing.assert_allclose(offsets(ax, 170), X[y * (X @ w + b) <= 0])
    assert len(offsets(ax, 170)) == 4
    minus, plus = (patch.get_xy() @ w + b for patch in ax.patches)
    assert minus.max() < 1e-9 < plus.max() and plus.min() > -1e-9
    left, right, low, high = ax.axis()
    corners = np.array([[x1, x2] for x1 in (left, right) for x2 in (low, high)])
    inside = sum(patch.get_path().contains_points(corners) for patch in ax.patches)
    assert (inside == 1).all(), "every corner lies in exactly one of the two tinted sides"


def test_perceptron_picture_shows_two_lines_and_the_point_between_them(sample):
    X, y, steps = sample
    ax = plots.plot_perceptron(X, y, steps, k=6)
    before, now = ax.lines
    assert before.get_linestyle() == ":" and now.get_linestyle() == "-"
    for line, step in ((before, steps[4]), (now, steps[5])):
        np.testing.assert_allclose(line_through(line) @ step.w + step.b, 0, atol=1e-12)
    np.testing.assert_allclose(offsets(ax, 230), [X[steps[5].p]])
    assert len(offsets(ax, 170)) == np.sum(y * (X @ steps[5].w + steps[5].b) <= 0) > 0


def test_perceptron_picture_without_a_line(sample):
    X, y, steps = sample
    assert len(plots.plot_perceptron(X, y, steps, k=0).lines) == 0
    back = [[1.0, 1.0], [1.0, 1.0], [-2.0, -2.0]]  # the second mistake takes w back to 0
    diary = perceptron_steps(back, [1, -1, -1], max_iter=1)
    assert not diary[1].w.any()
    assert len(plots.plot_perceptron(back, [1, -1, -1], diary, k=2).lines) == 1


def test_novikoffs_squeeze_holds_and_closes_at_the_bound(sample):
    X, y, steps = sample
    ax = plots.plot_novikoff(X, y, steps)
    most, least, lengths, bound = ax.lines
    ks = lengths.get_xdata()
    np.testing.assert_allclose(lengths.get_ydata(), [np.linalg.norm([*step.w, step.b]) for step in steps])
    R, gamma = most.get_ydata()[0], least.get_ydata()[0]  # both curves begin at k = 1
    assert (ks * gamma <= lengths.get_ydata()).all() and (lengths.get_ydata() <= np.sqrt(ks) * R).all()
    assert most.get_ydata()[0] == pytest.approx(mt.radius(X, augmented=True))
    assert bound.get_xdata()[0] == pytest.approx(novikoff_bound(X, y)) == pytest.approx((R / gamma) ** 2)
    assert len(plots.plot_novikoff(X, y, steps, k=4).lines[2].get_xdata()) == 4
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "10", "100"]


def test_timeline_puts_each_event_at_its_year_without_collisions():
    events = {1992: "SVM", 1958: "perceptron", 1963: "margin", 1964: "kernel trick", 1965: "optimisation"}
    ax = plots.plot_timeline(events)
    assert list(ax.lines[1].get_xdata()) == sorted(events)
    assert [text.get_text() for text in ax.texts] == [f"{year}\n{events[year]}" for year in sorted(events)]
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_figures_draw_into_the_axes_they_are_given(sample):
    X, y, steps = sample
    _, ax = plt.subplots()
    assert plots.plot_margin(X, y, [1.0, 1.0], -1.0, ax=ax) is ax
    assert plots.plot_perceptron(X, y, steps, 3, ax=ax) is ax
    assert plots.plot_novikoff(X, y, steps, ax=ax) is ax
    _, ax = plt.subplots()
    assert plots.plot_timeline({1958: "perceptron"}, ax=ax) is ax
    assert len(plt.get_fignums()) == 2


def test_figures_refuse_what_they_cannot_draw(sample):
    X, y, steps = sample
    with pytest.raises(InvalidInputError, match="w = 0"):
        plots.plot_margin(X, y, [0.0, 0.0], 1.0)
    with pytest.raises(InvalidInputError, match="2 features"):
        plots.plot_perceptron(np.c_[X, X], y, steps, 1)
    with pytest.raises(InvalidInputError, match="k"):
        plots.plot_perceptron(X, y, steps, -1)


# --- panels ----------------------------------------------------------------------------------------------------------


def test_perceptron_panel_never_allows_more_mistakes_than_its_slider_and_the_bound():
    slider = panels.perceptron_panel().controls["mistakes"]
    for order in range(10):
        text = panels.draw_perceptron(slider.max, 0.2, order).text  # the narrowest gap takes the most mistakes
        made, most = map(int, re.search(r"so far: (\d+); Novikoff allows at most (\d+)", text).groups())
        assert made <= most
        assert "0 of 16 points. The rule is at rest" in text, "the slider reaches the end"


def test_perceptron_panel_follows_the_diary(sample):
    _, y, steps = sample
    text = panels.draw_perceptron(6, 0.3, 0).text
    assert f"point {steps[5].p + 1} of 16, of class {y[steps[5].p]:+.0f}" in text
    assert f"w = ({steps[5].w[0]:.2f}, {steps[5].w[1]:.2f})" in text and "goes on" in text
    assert "16 of 16 points. The rule goes on" in panels.draw_perceptron(0, 0.3, 0).text
    assert panels.draw_perceptron(3, 0.3, 1).text != panels.draw_perceptron(3, 0.3, 0).text


def test_hyperplane_panel_reaches_the_largest_margin(sample):
    X, y, _ = sample
    plane = hard_margin(X, y)
    norm = float(np.linalg.norm(plane.w))
    angle = float(np.degrees(np.arctan2(plane.w[1], plane.w[0])))
    text = panels.draw_hyperplane(angle, -plane.b / norm, norm).text
    best = f"{1 / norm:.3f}"
    assert "Functional margin 1.000" in text
    assert f"geometric margin is {best}. The largest of all lines is {best}" in text
    chain = mt.capacity_chain(X, plane.w, plane.b)
    assert f"R/Delta = {chain.ratio:.1f}, h_MCM = {chain.h_mcm:.2f}." in text


def test_hyperplane_panel_tells_length_from_distance_and_warns_of_a_far_line():
    one, two = (panels.draw_hyperplane(35.0, 1.1, length).text for length in (1.0, 2.0))
    margin = [re.search(r"geometric margin is (\S+)\. ", text).group(1) for text in (one, two)]
    functional = [float(re.search(r"Functional margin (\S+);", text).group(1)) for text in (one, two)]
    assert margin[0] == margin[1] and functional[1] == pytest.approx(2 * functional[0], abs=2e-3)
    far = panels.draw_hyperplane(35.0, 3.0, 1.0).text
    assert "wrong about 8 of 16" in far and "does not separate" in far


# --- the notebook ----------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads((ROOT / "lessons" / "02_which_hyperplane.ipynb").read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    assert "functional  1.00,  geometric 0.71" in printed["worked"] and "geometric 1.34" in printed["worked"]
    assert printed["novikoff-wrong"].split()[-1] == "10" and "9.0" in printed["novikoff-wrong"]
    assert re.search(r"bound: +50\n", printed["novikoff-right"])
    error = [float(share) for share in re.findall(r"([\d.]+)%", printed["worth"])]
    assert error[1] < error[0] / 3, "the lesson says: far fewer errors"
    rows = [list(map(float, line.split()[-3:])) for line in printed["table"].splitlines()[1:]]
    margin, ratio, h = np.transpose(rows)
    assert margin.argmax() == 1 and h.argmin() == 2 and (h <= ratio).all()
