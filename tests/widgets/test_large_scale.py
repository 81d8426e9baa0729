"""The panels of the topic 'large scale': what they say is what the library says."""

import re

import numpy as np
import pytest

import mcmteach as mt
from mcmteach import widgets
from mcmteach.datasets.worlds import spiral_points
from mcmteach.large_scale import RandomFourierMap
from mcmteach.widgets import large_scale


def read(text):
    """Error of the kernel, share of new points wrong, bytes."""
    found = re.search(r"off by ([\d.]+).*about ([\d.]+)% of new points.* (\d+) bytes", text, re.S)
    return [float(number) for number in found.groups()]


def test_the_panel_says_what_the_linear_programme_says():
    X, y = spiral_points(large_scale.M, large_scale.SEED)
    Z = RandomFourierMap(3.0, 32, 0).fit(X).transform(X)
    best = mt.solve_mcm(Z, y, large_scale.C, 0.1)
    kept = np.count_nonzero(best.coef)
    text = widgets.draw_large_scale(32, 3.0, 0.1, "random Fourier").text
    assert f"not zero: {kept} of 32" in text and f"{4 * (4 * kept + 1)} bytes" in text
    error = np.sqrt(np.mean((Z @ Z.T - mt.rbf_kernel(X, X, 3.0)) ** 2))
    assert f"off by {error:.3f} " in text
    X_new, y_new = spiral_points(2000, large_scale.SEED + 1000)
    wrong = np.mean(y_new * (RandomFourierMap(3.0, 32, 0).fit(X).transform(X_new) @ best.coef + best.b) <= 0)
    assert f"about {wrong:.1%} of new points" in text


def test_more_features_rebuild_the_kernel_and_a_price_drops_most_of_them():
    few, many = (read(widgets.draw_large_scale(D, 3.0, 0.1, "random Fourier").text) for D in (4, 128))
    assert many[0] < few[0] / 3 and many[1] < few[1] and many[1] < 5
    kept = [read(widgets.draw_large_scale(128, 3.0, s, "random Fourier").text)[2] for s in (0.03, 3.0)]
    assert kept[1] < kept[0] < 4 * (4 * 128 + 1) / 2


def test_nystroem_keeps_all_its_landmarks_and_has_at_most_one_per_sample():
    text = widgets.draw_large_scale(16, 3.0, 0.1, "Nyström").text
    assert "all 16 must be kept" in text and read(text)[2] == 4 * (16 * 3 + 1)
    assert "Nyström, 120 features" in widgets.draw_large_scale(128, 3.0, 0.1, "Nyström").text
    # each feature mixes the kernel values of all landmarks
    turn = large_scale.small_machine(16, 3.0, 0.1, "Nyström").feature_map.normalization_
    assert (np.abs(turn) > 1e-9).all()


def test_too_high_a_price_is_told():
    text = widgets.draw_large_scale(8, 3.0, 100.0, "random Fourier").text
    assert "all weights are zero" in text
    assert "Wrong about 50.0% of the 120 points, and about 50.0% of new points." in text, (
        "one answer for two equal classes"
    )


@pytest.mark.parametrize("feature_map", list(large_scale.MAPS))
def test_the_descent_comes_down_to_the_linear_programme_and_never_below(feature_map):
    path = large_scale.descent_path(10.0, 32, feature_map)
    assert path.E.min() >= path.optimum - 1e-6 and (path.E[-1] < 1.02 * path.optimum).all()
    assert abs(path.wrong[-1, 1] - path.wrong_there) < 0.01


def test_the_descents_curve_is_the_objective_of_its_planes():
    Z, y, Z_new, y_new = large_scale._flashes("random Fourier")
    best = mt.solve_mcm(Z, y, large_scale.C_MEAN / len(y), sparsity=0.0)
    path = large_scale.descent_path(1.0, 125, "random Fourier")
    assert path.optimum == pytest.approx(best.objective)
    assert path.wrong_there == pytest.approx(np.mean(y_new * (Z_new @ best.coef + best.b) <= 0))
    plane = np.append(best.coef, best.b)
    np.testing.assert_allclose(large_scale._margins(Z, y, [[plane, 2 * plane]])[0, 1], 2 * y * (Z @ best.coef + best.b))


def test_what_the_lesson_asks_of_the_descent_can_be_seen():
    good, long, short = (large_scale.descent_path(step, 32, "random Fourier") for step in (10.0, 100.0, 0.1))
    early = [path.E[9, 1] / path.optimum for path in (good, long, short)]
    assert early[0] < 1.1 and min(early[1:]) > 1.3, "a step too long jumps about, one too short is not there yet"
    assert np.std(good.E[5:50, 0]) > 2 * np.std(good.E[5:50, 1]), "the average shakes less"
    full = large_scale.descent_path(10.0, large_scale.FLASHES, "random Fourier")
    assert full.E[4, 1] > 1.2 * good.E[4, 1], "in as many passes small batches get farther"
    assert abs(good.wrong[9, 1] - good.wrong_there) < 0.02, "for new flashes ten passes are enough"


def test_the_descents_readout_says_what_the_path_says():
    path = large_scale.descent_path(10.0, 500, "random Fourier")
    text = widgets.draw_descent(1, 10.0, 500, "random Fourier").text
    assert "After about 1 step of 500 samples" in text and f"{path.E[0, 0] / path.optimum - 1:.0%} above" in text
    assert f"{path.wrong_there:.1%}." in text
