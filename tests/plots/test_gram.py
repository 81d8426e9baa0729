"""The figures of mcmteach.plots.gram by what is in them: artists, levels, labels."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import mcmteach as mt
from mcmteach import plots
from mcmteach.datasets.worlds import ring_points
from mcmteach.errors import InvalidInputError

NEAR = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]])


def test_spectrum_shows_every_eigenvalue_once_with_its_sign():
    ax = plots.plot_spectrum(NEAR)
    positive, negative = ax.lines
    assert positive.get_label() == "2 positive" and negative.get_label() == "1 negative"
    assert positive.get_marker() == "o" and negative.get_marker() == "^"
    largest = 1 + np.sqrt(2)
    np.testing.assert_allclose(positive.get_data(), [[1, 2], [1, 1 / largest]])
    np.testing.assert_allclose(negative.get_data(), [[3], [(np.sqrt(2) - 1) / largest]])
    assert ax.get_yscale() == "log"


def test_spectrum_calls_rounding_zero():
    X, _ = ring_points(20, seed=0)
    ax = plots.plot_spectrum(mt.polynomial_kernel(X, degree=2))
    positive, zero = ax.lines
    assert positive.get_label() == "6 positive" and zero.get_label() == "14 zero (rounding)"
    assert (zero.get_ydata() >= 1e-16).all(), "nothing falls off a logarithmic axis"
    assert [line.get_label() for line in plots.plot_spectrum(np.zeros((2, 2))).lines] == ["2 zero (rounding)"]


def test_spectrum_refuses_what_has_none():
    with pytest.raises(InvalidInputError, match="not symmetric"):
        plots.plot_spectrum([[1.0, 2.0], [0.0, 1.0]])
    with pytest.raises(InvalidInputError, match="square"):
        plots.plot_spectrum(np.ones((2, 3)))


def test_pictures_leave_out_what_they_are_asked_to(moons):
    X, y = moons
    assert len(plots.plot_gram(np.eye(3), colorbar=False).figure.axes) == 1
    assert len(plots.plot_gram(np.eye(3)).figure.axes) == 2
    machine = mt.KernelSVM(gamma=1.0).fit(X, y)
    with_rings, without = (plots.plot_decision(machine, X, y, support=ring, points=30) for ring in (True, False))
    assert any("support" in c.get_label() for c in with_rings.collections)
    assert not any("support" in c.get_label() for c in without.collections)


def test_figures_draw_into_the_axes_they_are_given():
    _, ax = plt.subplots()
    assert plots.plot_spectrum(np.eye(4), ax=ax) is ax
    assert len(plt.get_fignums()) == 1
