"""The figures of mcmteach.plots.planes by what is in them: artists, levels, labels."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import mcmteach as mt
from mcmteach import plots
from mcmteach.capacity import geometric_margins
from mcmteach.datasets.worlds import separable_points
from mcmteach.errors import InvalidInputError
from mcmteach.perceptron import perceptron_steps
from mcmteach.svm import hard_margin


@pytest.fixture
def sample():
    X, y = separable_points(16, gap=0.3, seed=26)
    return X, y, perceptron_steps(X, y)


def offsets(ax, size):
    """Where the markers of a given size sit: rings have 230, crosses 170."""
    return np.vstack([np.asarray(c.get_offsets()) for c in ax.collections if list(c.get_sizes()) == [size]])


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
