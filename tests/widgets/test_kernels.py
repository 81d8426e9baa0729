"""The panels of the topic 'kernels': what they say is what the library says."""

import re

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import sigmoid_kernel

from mcmteach import plots, widgets
from mcmteach.datasets.worlds import ring_points
from mcmteach.widgets import kernels


def numbers(text):
    """The shares of wrong answers on the sample and on new points."""
    return [float(share) for share in re.findall(r"(\d+\.\d)%", text)]


def test_the_panels_kernels_are_what_they_are_called():
    X, Z = ring_points(7, seed=1)[0], ring_points(5, seed=2)[0]
    K = {name: k(X, Z, 2.0, 3) for name, (_, k) in kernels.KERNELS.items()}
    np.testing.assert_allclose(K["RBF"], np.exp(-2 * cdist(X, Z) ** 2))
    np.testing.assert_allclose(K["polynomial"], (X @ Z.T + 1) ** 3)
    np.testing.assert_allclose(K["RBF × polynomial"], K["RBF"] * K["polynomial"])
    np.testing.assert_allclose(K["linear"], X @ Z.T)
    np.testing.assert_allclose(K["sigmoid"], sigmoid_kernel(X, Z, gamma=2.0, coef0=1.0))
    np.testing.assert_allclose(K["difference"], np.exp(-2 * cdist(X, Z) ** 2) - 0.5 * np.exp(-8 * cdist(X, Z) ** 2))


@pytest.mark.parametrize("name", kernels.KERNELS)
def test_a_kernel_uses_the_parameters_it_says(name):
    uses, k = kernels.KERNELS[name]
    X, _ = ring_points(6, seed=1)
    assert np.array_equal(k(X, X, 1.0, 2), k(X, X, 3.0, 2)) == ("gamma" not in uses)
    assert np.array_equal(k(X, X, 1.0, 2), k(X, X, 1.0, 3)) == ("degree" not in uses)


def test_the_panel_goes_from_ugly_over_good_to_bad():
    texts = [widgets.draw_kernel(gamma, 2, "RBF", "spirals").text for gamma in (0.01, 3.0, 1000.0)]
    assert [re.search(r"looks (\w+)", text)[1] for text in texts] == ["ugly", "good", "bad"]
    wide, middle, narrow = map(numbers, texts)
    assert wide[0] > 10 and middle == [0.0, 0.0] and narrow[0] == 0.0 and narrow[1] > 30
    assert "It does not use degree (2)" in texts[0]


def test_the_panel_counts_the_dimensions_of_a_polynomial():
    for degree, rank in ((1, 3), (2, 6), (3, 10)):
        text = widgets.draw_kernel(1.0, degree, "polynomial", "disc and ring").text
        assert f"numerical rank {rank} of 60" in text and "It does not use gamma (1)" in text
    linear = widgets.draw_kernel(1.0, 1, "linear", "XOR").text
    assert "numerical rank 2 of 60" in linear and "gamma (1) and degree (1)" in linear and numbers(linear)[1] > 30


@pytest.mark.parametrize("kernel", ["sigmoid", "difference"])
def test_the_panel_shows_the_negative_eigenvalues_of_what_is_no_kernel(kernel):
    X, _ = ring_points(60, seed=0)
    eigenvalues = np.linalg.eigvalsh(kernels.KERNELS[kernel][1](X, X, 1.0, 2))
    text = widgets.draw_kernel(1.0, 2, kernel, "disc and ring").text
    count, smallest = re.search(
        r"Not a kernel: (\d+) eigenvalues are negative, the smallest is (\S+)\.$", text
    ).groups()
    drawn = [line.get_label() for line in plots.plot_spectrum(kernels.KERNELS[kernel][1](X, X, 1.0, 2)).lines]
    assert f"{count} negative" in drawn and int(count) > 20, "the panel says what the picture shows"
    assert float(smallest) == pytest.approx(eigenvalues[0], rel=0.01)


def test_the_panel_can_be_set_anywhere():
    for data in kernels.WORLDS:
        for kernel in kernels.KERNELS:
            for gamma in (min(kernels.GAMMAS), max(kernels.GAMMAS)):
                look = kernels.kernel_on_sample(gamma, 5, kernel, data)  # a warning would be an error here
                assert (look.machine is None) == np.isnan(look.new_error)
