"""The panels of the topic 'measuring separability': what they say is what the library says."""

import re

import numpy as np
import pytest

import mcmteach as mt
from mcmteach import widgets
from mcmteach.widgets.measuring_separability import WIDTHS, X_NEW, Y_NEW, X, Y, best_maps


def numbers(text):
    return [float(number) for number in re.findall(r"\d+\.\d+", text)]


@pytest.mark.parametrize(("gamma", "gamma_c", "cores", "D"), [(0.25, 0.5, 10, 0.001), (1.0, 8.0, 60, 0.0)])
def test_panel_says_what_the_library_says(gamma, gamma_c, cores, D):
    K, K_new = mt.rbf_kernel(X, gamma=gamma), mt.rbf_kernel(X_NEW, gamma=gamma)
    c = mt.optimal_map(K, Y, X, X[:cores], gamma_c, D)
    expected = [mt.kernel_fisher_scalar(K, Y), mt.kernel_fisher_scalar(K, Y, c(X))]
    expected += [mt.kernel_fisher_scalar(K_new, Y_NEW), mt.kernel_fisher_scalar(K_new, Y_NEW, c(X_NEW))]
    text = widgets.draw_separability(gamma, gamma_c, cores, D).text
    assert numbers(text) == pytest.approx(expected, abs=6e-4)
    share = max(np.mean(c(X) * Y > 0), np.mean(c(X) * Y < 0))
    assert f"the class of {share:.0%} of the training data" in text


def test_panel_does_what_the_lesson_asks_to_try():
    few, many = best_maps(0.25, 10, 0.001), best_maps(0.25, 60, 0.001)
    assert np.argmax(few.training) == np.argmax(few.new), "with few cores both curves rise and fall together"
    assert np.corrcoef(few.training, few.new)[0, 1] > 0.95
    assert np.all(np.array(many.training) >= np.array(few.training) - 1e-6)
    valley = np.argmin(many.new)
    assert many.new[valley] < many.before[1], "a map that makes new data worse than no map"
    assert many.training[valley] > 0.99 * max(many.training)
    assert "less than without a map" in widgets.draw_separability(0.25, WIDTHS[valley], 60, 0.001).text
    with_D = best_maps(0.25, 60, 100.0)
    np.testing.assert_allclose(with_D.training, many.training, rtol=0.02)  # D hardly holds anything back
    np.testing.assert_allclose(with_D.new, many.new, atol=0.03)
