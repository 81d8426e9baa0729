"""The figures of mcmteach.plots.tube by what is in them: artists, levels, labels."""

import numpy as np
import pytest

import mcmteach as mt
from mcmteach import plots
from mcmteach.datasets.worlds import wave, wave_numbers


@pytest.fixture(scope="module")
def fitted():
    X, y = wave_numbers(24, 0.15, seed=3)
    return mt.MCMRegressor(epsilon=0.3, gamma=10.0).fit(X, y), X[:, 0], y


def test_the_tube_lies_about_the_answer_and_support_vectors_are_ringed(fitted):
    machine, x, y = fitted
    ax = plots.plot_tube(machine, x, y, truth=wave)
    truth, answer, sample = ax.lines
    along, values = answer.get_data()
    np.testing.assert_allclose(values, machine.predict(np.array(along)[:, None]))
    np.testing.assert_allclose(truth.get_ydata(), wave(along))
    np.testing.assert_array_equal(np.transpose(sample.get_data()), np.column_stack([x, y]))
    band, rings = ax.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx(values.max() + machine.tube_) and machine.tube_ > 0
    np.testing.assert_allclose(rings.get_offsets(), np.column_stack([x, y])[machine.support_])


def test_each_number_is_two_samples_of_two_classes():
    ax = plots.plot_two_classes([0.0, 1.0], [2.0, 5.0], 0.5)
    minus, plus = ax.lines
    assert minus.get_ydata().tolist() == [1.5, 4.5] and plus.get_ydata().tolist() == [2.5, 5.5]
    assert minus.get_marker() != plus.get_marker()


def test_the_switch_shows_every_c_and_marks_the_present_one():
    ax = plots.plot_switch([0.5, 1.5, 10.0], [0.0, 1.0, 1.0], (1.5, 1.0))
    threshold, curve, now = ax.lines
    assert set(threshold.get_xdata()) == {1} and curve.get_ydata().tolist() == [0, 1, 1]
    assert (now.get_xdata()[0], now.get_ydata()[0]) == (1.5, 1.0) and ax.get_xscale() == "log"
