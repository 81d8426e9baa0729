"""The known world: its computed risks against sampled ones, and the bound that must hold in it."""

import numpy as np
import pytest

import mcmteach as mt
from mcmteach.datasets.worlds import histogram_risks, noisy_points, separable_points
from mcmteach.errors import InvalidInputError


def test_the_machine_of_one_cell_by_hand():
    # one cell holds as many of each class, so whatever it answers is wrong half of the time
    risks = histogram_risks(h=1, M=100, noise=0.2, n_sets=5)
    np.testing.assert_allclose(risks.true, 0.5)


def test_with_much_data_nothing_but_the_noise_remains():
    risks = histogram_risks(h=10, M=200_000, noise=0.15, n_sets=10)
    np.testing.assert_allclose(risks.true, 0.15)
    np.testing.assert_allclose(risks.empirical, 0.15, atol=0.005)


def test_risks_are_those_of_sampled_points():
    # the same world with real points and scikit-learn's histogram: bins, then the majority in each
    h, M, noise = 6, 60, 0.2
    rng = np.random.default_rng(1)
    empirical, true = [], []
    x_new = rng.random(40_000)
    y_new = (x_new < 0.5) != (rng.random(40_000) < noise)
    for _ in range(300):
        x = rng.random(M)
        y = (x < 0.5) != (rng.random(M) < noise)
        cell, cell_new = (x * h).astype(int), (x_new * h).astype(int)
        says = np.array([2 * y[cell == c].sum() > (cell == c).sum() for c in range(h)])
        empirical.append(np.mean(says[cell] != y))
        true.append(np.mean(says[cell_new] != y_new))
    ours = histogram_risks(h, M, noise, n_sets=3000)
    assert ours.empirical.mean() == pytest.approx(np.mean(empirical), abs=0.012)
    assert ours.true.mean() == pytest.approx(np.mean(true), abs=0.012)


def test_the_bound_holds_in_this_world():
    for h, M in ((2, 50), (10, 300), (40, 1000)):
        risks = histogram_risks(h, M, noise=0.1, n_sets=200)
        assert np.mean(risks.true > mt.vc_bound(risks.empirical, h, M, 0.05)) <= 0.05


def test_bad_input_is_refused():
    for arguments in ({"h": 0, "M": 5}, {"h": 2, "M": 0}, {"h": 2, "M": 5, "noise": 0.6}, {"h": 2.5, "M": 5}):
        with pytest.raises(InvalidInputError):
            histogram_risks(**arguments)


def test_noise_moves_the_same_points_along_the_same_way():
    clean, y = separable_points(30, gap=0.2, seed=4)
    a, b = (noisy_points(30, noise, gap=0.2, seed=4) for noise in (0.5, 1.0))
    np.testing.assert_allclose(b[0] - clean, 2 * (a[0] - clean))
    np.testing.assert_array_equal(a[1], y)
    strayed = noisy_points(20_000, noise=0.7, seed=1)[0] - separable_points(20_000, seed=1)[0]
    np.testing.assert_allclose(np.cov(strayed.T), 0.49 * np.eye(2), atol=0.02)
    with pytest.raises(InvalidInputError, match="noise must be a finite number >= 0"):
        noisy_points(noise=-0.1)
