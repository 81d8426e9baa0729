"""The figures of mcmteach.plots.path by what is in them: artists, levels, labels."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import mcmteach as mt
from mcmteach import plots
from mcmteach.datasets import karate_club
from mcmteach.datasets.worlds import moons
from mcmteach.errors import InvalidInputError
from mcmteach.widgets.kernel_mcm import SAMPLE

GAMMA = 4.0


@pytest.fixture(scope="module")
def sample():
    X, y = moons(**SAMPLE)
    return X, y, mt.rbf_kernel(X, gamma=GAMMA)


@pytest.fixture(scope="module")
def path(sample):
    _, y, K = sample
    return mt.mcm_path(K, y, C=1.0, sparsity=np.logspace(-2, 1, 7))


def test_path_of_coefficients_has_a_line_for_each_that_ever_wakes(path):
    ax = plots.plot_path(path)
    coef = np.array([solution.coef for solution in path.solutions])
    lines = ax.lines[1:]  # the first is the axis
    awake = np.flatnonzero(np.abs(coef).max(axis=0))
    assert len(lines) == len(awake) > 10
    for line, j in zip(lines, awake, strict=True):
        np.testing.assert_allclose(line.get_ydata(), coef[:, j])
    assert ax.get_xscale() == "log" and len({line.get_linestyle() for line in lines}) > 1


def test_path_of_support_vectors_and_of_errors(path):
    (line,) = plots.plot_path(path, "support").lines
    np.testing.assert_array_equal(line.get_ydata(), path.n_support)
    assert line.get_ydata()[-1] == 0, "beyond the constant price nothing is left"
    new = np.linspace(0.1, 0.5, 7)
    ax = plots.plot_path(path, "error", new)
    np.testing.assert_allclose([line.get_ydata() for line in ax.lines], [path.error, new])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["training sample", "new points"]
    assert len(plots.plot_path(path, "error").lines) == 1


def test_figures_draw_into_the_axes_they_are_given_and_refuse_what_they_cannot(path):
    _, ax = plt.subplots()
    assert plots.plot_path(path, ax=ax) is ax
    assert plots.plot_cap([1.0, -1.0], [1, -1], 1.0, ax=ax) is ax
    assert plots.plot_network(*karate_club(), ax=ax) is ax
    assert len(plt.get_fignums()) == 1
    with pytest.raises(InvalidInputError, match="show must be"):
        plots.plot_path(path, "everything")
    with pytest.raises(InvalidInputError, match="increasing"):
        plots.plot_path(path._replace(sparsity=path.sparsity[::-1]))
    with pytest.raises(InvalidInputError, match="new_error"):
        plots.plot_path(path, "error", [0.1])
