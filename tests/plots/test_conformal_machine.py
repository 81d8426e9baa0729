"""The figures of mcmteach.plots.conformal_machine by what is in them: artists, levels, labels."""

import numpy as np
import pytest

import mcmteach as mt
from mcmteach import plots
from mcmteach.errors import InvalidInputError
from mcmteach.widgets import conformal_mcm


@pytest.fixture(scope="module")
def machine():
    part = conformal_mcm._parts()[0]
    return mt.ConformalMCMClassifier(gamma=1.0, gamma_c=1.0).fit(part.X, part.y)


def test_factor_values_show_every_sample_once_class_by_class(machine):
    y = conformal_mcm._parts()[0].y
    ax = plots.plot_factor_values(machine.c_, y, names=["Kama", "Rosa"])
    minus, plus = ax.collections
    np.testing.assert_array_equal(np.vstack([minus.get_offsets(), plus.get_offsets()])[:, 0], np.arange(1, len(y) + 1))
    np.testing.assert_array_equal(minus.get_offsets()[:, 1], np.sort(machine.c_[y < 0]))
    np.testing.assert_array_equal(plus.get_offsets()[:, 1], np.sort(machine.c_[y > 0]))
    assert (minus.get_label(), plus.get_label()) == ("Kama", "Rosa")
    assert not np.array_equal(minus.get_paths()[0].vertices, plus.get_paths()[0].vertices), "a marker for each class"


def test_factor_values_refuse_what_does_not_fit():
    with pytest.raises(InvalidInputError):
        plots.plot_factor_values([1.0, 2.0], [1, -1, 1])


def test_conformal_machine_shows_c_its_boundary_and_its_support_vectors(machine):
    part = conformal_mcm._parts()[0]
    ax = plots.plot_conformal_machine(machine, part.X, part.y, points=30)
    (image,) = ax.images
    left, right, low, high = image.get_extent()
    corners = [[left, low], [right, low], [left, high], [right, high]]
    c = np.asarray(image.get_array())
    np.testing.assert_allclose(c[[0, 0, -1, -1], [0, -1, 0, -1]], machine.conformal_map_(corners))
    assert image.norm.vmin == -image.norm.vmax <= -2, "0 is white"
    zero, f = ax.collections[:2]
    np.testing.assert_allclose(machine.conformal_map_(np.vstack([p.vertices for p in zero.get_paths()])), 0, atol=0.05)
    boundary = f.get_paths()[list(f.levels).index(0)].vertices
    np.testing.assert_allclose(machine.decision_function(boundary), 0, atol=0.1)
    np.testing.assert_array_equal(ax.collections[-1].get_offsets(), machine.support_vectors_)


def test_conformal_machine_survives_a_map_and_a_machine_without_any_line():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), np.array([1, 1, -1])
    with pytest.warns(mt.errors.MCMWarning):
        flat = mt.ConformalMCMClassifier(sparsity=100.0).fit(X, y)
    ax = plots.plot_conformal_machine(flat, X, y, points=5)
    assert len(ax.collections) == 2, "the points of both classes and no line"
    with pytest.raises(InvalidInputError, match="fit first"):
        plots.plot_conformal_machine(mt.ConformalMCMClassifier(), X, y)
