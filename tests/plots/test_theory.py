"""The figures of mcmteach.plots.theory by what is in them: artists, levels, labels."""

import numpy as np
import pytest

import mcmteach as mt
from mcmteach import plots
from mcmteach.datasets.worlds import histogram_risks
from mcmteach.errors import InvalidInputError


def test_timeline_puts_each_event_at_its_year_without_collisions():
    events = {1992: "SVM", 1958: "perceptron", 1963: "margin", 1964: "kernel trick", 1965: "optimisation"}
    ax = plots.plot_timeline(events)
    assert list(ax.lines[1].get_xdata()) == sorted(events)
    assert [text.get_text() for text in ax.texts] == [f"{year}\n{events[year]}" for year in sorted(events)]
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_bound_curves_are_the_bound():
    ax = plots.plot_vc_bound(h=[3, 300], M=[10, 100, 1000], risk=0.1)
    few, many = ax.lines[:2]
    np.testing.assert_allclose(few.get_ydata(), mt.vc_bound(0.1, 3, [10, 100, 1000]))
    assert many.get_xdata().tolist() == [1000]  # a curve begins where h <= M
    assert ax.lines[2].get_label() == "empirical risk"


def test_risks_show_both_risks_of_every_training_set():
    risks = histogram_risks(h=5, M=50, n_sets=7)
    ax = plots.plot_risks(risks, bound=1.7)
    empirical, true, bound = ax.lines
    np.testing.assert_allclose(empirical.get_ydata(), risks.empirical)
    np.testing.assert_allclose(true.get_ydata(), risks.true)
    assert set(bound.get_ydata()) == {1.0} and bound.get_label() == "the bound (vacuous)"


def test_a_colouring_that_a_line_makes_shows_a_line_that_makes_it():
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [0.4, 0.9]]), np.array([1.0, -1.0, -1.0])
    ax = plots.plot_colouring(X, y)
    (line,) = ax.lines
    first, second = np.array(line.get_xy1()), np.array(line.get_xy2())
    normal = np.array([first[1] - second[1], second[0] - first[0]])
    side = np.sign((X - first) @ normal)
    assert ax.get_title() == "a line separates them" and (np.array_equal(side, y) or np.array_equal(side, -y))


def test_a_colouring_that_no_line_makes_shows_where_the_hulls_meet():
    ax = plots.plot_colouring([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1])
    assert ax.get_title() == "no line"
    assert [list(line.get_data()) for line in ax.lines if line.get_marker() == "X"] == [[[0.5], [0.5]]]


def test_shattering_shows_every_colouring_once():
    figure = plots.plot_shattering([[0, 0], [1, 0], [0, 1], [1, 1]])
    titles = [ax.get_title() for ax in figure.axes]
    assert len(titles) == 8 and titles.count("no line") == 1
    with pytest.raises(InvalidInputError, match="too many"):
        plots.plot_shattering(np.arange(12).reshape(6, 2))
