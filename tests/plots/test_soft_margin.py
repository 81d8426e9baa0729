"""The figures of mcmteach.plots.soft_margin by what is in them: artists, levels, labels."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from mcmteach import plots
from mcmteach.datasets.worlds import noisy_points
from mcmteach.errors import InvalidInputError
from mcmteach.svm import (
    descent,
    slack,
    soft_margin,
)


@pytest.fixture(scope="module")
def sample():
    return noisy_points(40, noise=0.6, seed=26)


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
