"""The figures of mcmteach.plots.large_scale by what is in them: artists, levels, labels."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from mcmteach import plots
from mcmteach.datasets.worlds import spiral_points
from mcmteach.errors import InvalidInputError
from mcmteach.large_scale import RandomFourierMap


@pytest.fixture(scope="module")
def spirals():
    return spiral_points(80, seed=0)


def test_approximation_has_a_dot_for_each_pair_and_the_kernel_as_a_curve(spirals):
    X = spirals[0][:7]
    Z = RandomFourierMap(3.0, 30, 0).fit(X).transform(X)
    dots, curve = plots.plot_approximation(X, Z, 3.0).lines
    r, value = dots.get_data()
    assert len(r) == 7 * 8 / 2
    i, j = 2, 5
    place = np.argmin(np.abs(r - np.linalg.norm(X[i] - X[j])))
    assert value[place] == pytest.approx(Z[i] @ Z[j])
    np.testing.assert_allclose(curve.get_ydata(), np.exp(-3 * curve.get_xdata() ** 2))
    with pytest.raises(InvalidInputError, match="same samples"):
        plots.plot_approximation(X, Z[:3], 3.0)


def test_map_errors_stand_beside_one_over_root_D():
    ax = plots.plot_map_errors([10, 40], {"one": [0.3, 0.2], "two": [0.1, 0.05]})
    guide, one, two = ax.lines
    np.testing.assert_allclose(guide.get_ydata(), [10**-0.5, 40**-0.5])
    assert list(one.get_ydata()) == [0.3, 0.2] and two.get_label() == "two"
    assert one.get_marker() != two.get_marker() and one.get_linestyle() != two.get_linestyle()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["10", "40"]


@pytest.mark.parametrize("top", [12.0, 400.0])
def test_convergence_counts_passes_and_shows_the_optimum(top):
    ax = plots.plot_convergence({"loop": [top, 11.0, 10.5], "other": [11.0]}, 10.0)
    loop, other, optimum = ax.lines
    assert list(loop.get_xdata()) == [1, 2, 3] and list(loop.get_ydata()) == [top, 11.0, 10.5]
    assert len(other.get_xdata()) == 1
    assert set(optimum.get_ydata()) == {10.0} and optimum.get_linestyle() == "--" and "10" in optimum.get_label()
    low, high = ax.get_ylim()
    assert low < 10 and high > top
    assert ax.get_yticks()[0] == pytest.approx(10) and len(ax.get_yticks()) <= 7
    with pytest.raises(InvalidInputError, match="optimum"):
        plots.plot_convergence({"loop": [1.0]}, 0.0)


def test_ticks_above_the_optimum_are_round_numbers():
    ax = plots.plot_convergence({"loop": [92.0, 60.0]}, 48.2)
    optimum, *others = ax.get_yticks()
    assert optimum == 48.2 and others == [70, 100]


def test_learning_shows_the_goal_and_a_single_pass_as_a_point():
    ax = plots.plot_learning({"loop": [0.5, 0.3, 0.25], "one": [0.4]}, 0.2)
    loop, one, goal = ax.lines
    assert list(loop.get_ydata()) == [0.5, 0.3, 0.25] and list(loop.get_xdata()) == [1, 2, 3]
    assert loop.get_marker() == "None" and one.get_marker() == "o", "a line of one point would not be seen"
    assert set(goal.get_ydata()) == {0.2} and "20.0%" in goal.get_label()


def test_figures_draw_into_the_axes_they_are_given(spirals):
    X = spirals[0][:5]
    for draw in (
        lambda ax: plots.plot_approximation(X, X, 1.0, ax),
        lambda ax: plots.plot_map_errors([1, 2], {"a": [1, 1]}, ax),
        lambda ax: plots.plot_convergence({"a": [2.0]}, 1.0, ax),
        lambda ax: plots.plot_learning({"a": [0.3]}, 0.1, ax),
    ):
        _, ax = plt.subplots()
        assert draw(ax) is ax
