"""Figures by what is in them: artists, levels, labels."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import mcmteach as mt
from mcmteach import plots
from mcmteach.datasets.worlds import histogram_risks
from mcmteach.errors import InvalidInputError


def test_points_have_a_colour_and_a_marker_per_class(moons):
    X, y = moons
    ax = plots.plot_points(X, y)
    minus, plus = ax.collections
    assert np.array_equal(np.asarray(minus.get_offsets()), X[y < 0])
    assert np.array_equal(np.asarray(plus.get_offsets()), X[y > 0])
    assert not np.allclose(minus.get_facecolor()[0], plus.get_facecolor()[0])
    assert minus.get_paths()[0].vertices.shape != plus.get_paths()[0].vertices.shape  # circle, triangle


def test_decision_shows_boundary_margins_and_support_vectors(moons):
    X, y = moons
    machine = mt.MCMClassifier(gamma=1.0).fit(X, y)
    ax = plots.plot_decision(machine, X, y, names=["left", "right"])
    lines = [c for c in ax.collections if list(getattr(c, "levels", [])) == [-1, 0, 1]]
    assert len(lines) == 1
    boundary = np.vstack([p.vertices for p in lines[0].get_paths()[1:2]])
    assert np.abs(machine.decision_function(boundary)).max() < 0.05
    rings = [c for c in ax.collections if c.get_label() == f"{machine.n_support_} support vectors"]
    assert np.array_equal(np.asarray(rings[0].get_offsets()), machine.support_vectors_)
    assert {"left", "right"} <= {c.get_label() for c in ax.collections}


def test_hyperplane_lies_where_it_should():
    w, b = np.array([1.0, 2.0]), -3.0
    ax = plots.plot_hyperplane(w, b, label="plane")
    for line, level in zip(ax.lines, (0, -1, 1), strict=True):
        first, second = line.get_xy1(), line.get_xy2()
        assert np.dot(w, first) + b == pytest.approx(level) and np.dot(w, second) + b == pytest.approx(level)
    assert ax.lines[0].get_linestyle() == "-" and ax.lines[1].get_linestyle() == "--"
    assert len(plots.plot_hyperplane(w, b, margins=False).lines) == 1


def test_bound_curves_are_the_bound():
    ax = plots.plot_vc_bound(h=[3, 300], M=[10, 100, 1000], risk=0.1)
    few, many = ax.lines[:2]
    np.testing.assert_allclose(few.get_ydata(), mt.vc_bound(0.1, 3, [10, 100, 1000]))
    assert many.get_xdata().tolist() == [1000]  # a curve begins where h <= M
    assert ax.lines[2].get_label() == "empirical risk"


def test_every_function_draws_into_the_axes_it_is_given(moons):
    X, y = moons
    machine = mt.MCMClassifier(gamma=1.0).fit(X, y)
    _, ax = plt.subplots()
    assert plots.plot_points(X, y, ax=ax) is ax
    assert plots.plot_decision(machine, X, y, ax=ax) is ax
    assert plots.plot_support(machine.support_vectors_, ax=ax) is ax
    assert plots.plot_hyperplane([1.0, 0.0], 0.0, ax=ax) is ax
    assert plots.plot_vc_bound(ax=ax) is ax
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: plots.plot_points([[1.0, 2.0, 3.0]], [1]), "2 features"),
        (lambda: plots.plot_points([[1.0, 2.0]], [1, 2]), "one label per row"),
        (lambda: plots.plot_points(np.eye(3)[:, :2], [1, 2, 3]), "two classes"),
        (lambda: plots.plot_hyperplane([0.0, 0.0], 1.0), "w = 0"),
    ],
)
def test_bad_input_is_refused_with_a_reason(call, says):
    with pytest.raises(InvalidInputError, match=says):
        call()


# --- lesson 1 ----------------------------------------------------------------------------------------------------------


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
