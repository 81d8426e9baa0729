"""The figures of mcmteach.plots.bending by what is in them: artists, levels, labels."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PathCollection

import mcmteach as mt
from mcmteach import plots
from mcmteach.errors import InvalidInputError
from mcmteach.plots.bending import shades
from mcmteach.plots.rubber_sheet import bent_sheet

X6, Y6 = np.array([-3.0, -2.0, -1.5, -0.5, 1.5, 2.5]), np.array([-1.0, -1, -1, -1, 1, 1])

GAMMA = 2.0


def flat(times=1.0, n=2):
    return mt.ConformalMap(np.empty((0, n)), [times], gamma=1.0)


HILL = mt.ConformalMap([[0.0, 0.0]], [1.0, 1.5], gamma=8.0)


class Half:
    """A machine that says which side of x1 = 0.3 a point is on."""

    def decision_function(self, X):
        return X[:, 0] - 0.3


def test_line_map_shows_points_images_and_curve():
    ax = plots.plot_line_map(X6, Y6, np.tanh)
    x, phi = ax.lines[0].get_data()
    np.testing.assert_allclose(phi, np.tanh(x))
    left, bottom = ax.get_xlim()[0], ax.get_ylim()[0]
    scatters = [c for c in ax.collections if isinstance(c, PathCollection)]
    for label, scatter in zip((-1, 1), scatters, strict=True):
        here = X6[label == Y6]
        expected = np.vstack([np.c_[here, 0 * here + bottom], np.c_[0 * here + left, np.tanh(here)]])
        np.testing.assert_allclose(scatter.get_offsets(), expected)
    markers = [scatter.get_paths()[0].vertices.shape for scatter in scatters]
    assert markers[0] != markers[1]


def test_polar_map_keeps_the_angle_and_moves_to_the_radius_c():
    c = mt.ConformalMap([[0.5]], [1.0, 1.0], gamma=1.0)
    ax = plots.plot_polar_map(c, X6, Y6)
    after = np.vstack([s.get_offsets() for s in ax.collections if s.get_sizes().tolist() == [75]])
    order = np.r_[X6[Y6 < 0], X6[Y6 > 0]]
    np.testing.assert_allclose(np.hypot(*after.T), c(order[:, None]))
    np.testing.assert_allclose(np.arctan2(after[:, 1], after[:, 0]), order)
    circle, curve = (np.transpose(line.get_data()) for line in ax.lines[:2])
    np.testing.assert_allclose(np.hypot(*circle.T), 1)
    assert np.hypot(*curve.T).max() == pytest.approx(2, abs=1e-3)


def test_magnification_is_shown_in_multiples_of_no_map():
    ax = plots.plot_magnification(HILL, GAMMA, xlim=(-1, 1), ylim=(-1, 1))
    (image,) = ax.images
    times = np.asarray(image.get_array())
    assert times[30, 30] == pytest.approx(6.25), "2.5 times as long in both directions, on the top"
    assert 6.25 < times.max() < 6.4, "and a little more beside it, where it climbs"
    assert times[0, 0] == pytest.approx(1, abs=1e-4)
    assert image.get_extent() == [-1, 1, -1, 1] and image.origin == "lower"
    assert sum(shades()(1.0)[:3]) > 0.6, "a black line is seen on the darkest shade"


def test_small_circles_stand_at_their_places():
    ax = plots.plot_small_circles(HILL, GAMMA, [[0.0, 0.0], [0.3, 0.0]], size=0.1)
    rim, line = ax.collections
    np.testing.assert_allclose(line.get_offsets(), [[0.0, 0.0], [0.3, 0.0]])
    assert rim.get_linewidth()[0] > line.get_linewidth()[0]
    with pytest.raises(InvalidInputError, match="2 features"):
        plots.plot_small_circles(HILL, GAMMA, [[0.0]])


def test_boundary_is_where_f_is_zero_and_goes_where_the_sheet_takes_it():
    _, (left, right) = plt.subplots(1, 2)
    plots.plot_boundary(Half(), left, label="before", linestyle="--")
    assert [line.get_label() for line in left.lines] == ["before"]
    np.testing.assert_allclose(left.collections[0].get_paths()[0].vertices[:, 0], 0.3, atol=1e-9)
    sheet = bent_sheet(flat(2.0), GAMMA, plots.SQUARE, plots.SQUARE, points=5)
    plots.plot_boundary(Half(), right, sheet=sheet)
    np.testing.assert_allclose(right.collections[0].get_paths()[0].vertices[:, 0], 0.6, atol=1e-6)
    _, ax = plt.subplots()
    plots.plot_boundary(Half(), ax, xlim=(1.0, 2.0))
    assert not ax.collections, "no boundary in sight, none drawn"


def test_sheet_draws_every_other_line_and_its_shades():
    sheet = bent_sheet(HILL, GAMMA, points=9)
    ax = plots.plot_sheet(sheet, np.ones((9, 9)))
    mesh, grid = ax.collections
    assert len(grid.get_segments()) == 10
    np.testing.assert_allclose(grid.get_segments()[0], sheet.after[0])
    np.testing.assert_allclose(grid.get_segments()[-1], sheet.after[:, -1])
    assert ax.get_aspect() == 1 and mesh.get_clim() == (0, 1)
    low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
    assert (low < sheet.after).all() and (sheet.after < high).all(), "all of it is in the picture"
    with pytest.raises(InvalidInputError, match="one number per point"):
        plots.plot_sheet(sheet, np.ones(9))
