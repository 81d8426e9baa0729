"""The figures of mcmteach.plots.perceptron by what is in them: artists, levels, labels."""

import numpy as np
import pytest

import mcmteach as mt
from mcmteach import plots
from mcmteach.datasets.worlds import separable_points
from mcmteach.perceptron import novikoff_bound, perceptron_steps


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
