"""The made-up worlds: points where they are said to be, and risks that agree with sampled ones and with the bound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import mcmteach as mt
from mcmteach.datasets.worlds import (
    ACROSS,
    CENTRE,
    HALF_SIDE,
    clouds,
    histogram_risks,
    moons,
    noisy_points,
    ring_points,
    separable_points,
    spiral_points,
    stretched_points,
    wave,
    wave_numbers,
    wave_points,
    xor_points,
)
from mcmteach.errors import InvalidInputError
from mcmteach.separability import is_separable

seeds = st.integers(0, 10**6)

# --- a world whose risk is known -------------------------------------------------------------------------------------


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


# --- a line and a gap -------------------------------------------------------------------------------------------------


def test_noise_moves_the_same_points_along_the_same_way():
    clean, y = separable_points(30, gap=0.2, seed=4)
    a, b = (noisy_points(30, noise, gap=0.2, seed=4) for noise in (0.5, 1.0))
    np.testing.assert_allclose(b[0] - clean, 2 * (a[0] - clean))
    np.testing.assert_array_equal(a[1], y)
    strayed = noisy_points(20_000, noise=0.7, seed=1)[0] - separable_points(20_000, seed=1)[0]
    np.testing.assert_allclose(np.cov(strayed.T), 0.49 * np.eye(2), atol=0.02)
    with pytest.raises(InvalidInputError, match="noise must be a finite number >= 0"):
        noisy_points(noise=-0.1)


@settings(deadline=None, max_examples=40)
@given(M=st.integers(2, 60), gap=st.floats(0, 2), seed=st.integers(0, 10**6))
def test_the_cut_separates_with_the_gap_and_the_halves_come_from_the_square(M, gap, seed):
    X, y = separable_points(M, gap, seed)
    along = (X - CENTRE) @ ACROSS
    assert (y * along >= gap - 1e-12).all()
    assert abs(y.sum()) == M % 2
    assert np.abs(X - gap * y[:, None] * ACROSS - CENTRE).max() <= HALF_SIDE + 1e-12


def test_points_fill_each_half_evenly():
    X, _ = separable_points(40_000, gap=0.0, seed=3)
    # uniform on the whole square, as the two halves are equally large and get equally many points
    counts, _, _ = np.histogram2d(*(X - CENTRE).T, bins=4, range=[(-HALF_SIDE, HALF_SIDE)] * 2)
    np.testing.assert_allclose(counts, 2500, rtol=0.08)
    assert not np.array_equal(separable_points(9, seed=1)[0], separable_points(9, seed=2)[0])


def test_the_world_refuses_what_it_cannot_make():
    for arguments in ({"M": 1}, {"M": 2.5}, {"gap": -0.1}):
        with pytest.raises(InvalidInputError):
            separable_points(**arguments)


@pytest.mark.parametrize("stretch", [0.5, 1.0, 3.0])
def test_stretching_keeps_the_distances_from_the_cut_and_scales_those_along_it(stretch):
    (X, y), (Z, t) = stretched_points(1.0, M=30, seed=2), stretched_points(stretch, M=30, seed=2)
    along = [-ACROSS[1], ACROSS[0]]
    np.testing.assert_allclose(Z @ ACROSS, X @ ACROSS, atol=1e-12)
    np.testing.assert_allclose(Z @ along, stretch * (X @ along), atol=1e-12)
    np.testing.assert_array_equal(y, t)
    with pytest.raises(InvalidInputError, match="stretch"):
        stretched_points(0.0)


@settings(deadline=None, max_examples=25)
@given(M=st.integers(2, 60), seed=seeds)
def test_a_circle_divides_disc_and_ring(M, seed):
    X, y = ring_points(M, seed)
    r = np.linalg.norm(X, axis=1)
    assert (r[y > 0] <= 0.7).all() and (r[y < 0] >= 1.0).all() and (r <= 1.4).all()
    assert abs(y.sum()) == M % 2


@settings(deadline=None, max_examples=25)
@given(M=st.integers(2, 60), seed=seeds)
def test_the_sign_of_the_product_divides_xor(M, seed):
    X, y = xor_points(M, seed)
    np.testing.assert_array_equal(y, -np.sign(X[:, 0] * X[:, 1]))
    assert np.abs(X).min() >= 0.1 and np.abs(X).max() <= 1.2


def test_the_worlds_fill_their_parts_evenly():
    X, y = ring_points(40_000, seed=1)
    inner = np.linalg.norm(X[y > 0], axis=1)
    assert np.mean(inner < 0.35) == pytest.approx(0.25, abs=0.01)  # half the radius, a quarter of the area
    X, y = xor_points(40_000, seed=1)
    for label in (-1, 1):
        assert np.mean(X[y == label, 0] > 0) == pytest.approx(0.5, abs=0.02), "both squares of a class are used"


def test_the_arms_of_the_spiral_keep_apart_and_half_a_turn_exchanges_them():
    X, y = spiral_points(4000, seed=1)
    plus, minus = X[y > 0], X[y < 0]
    assert cdist(plus, minus).min() > 0.08
    # turned by half a turn, each arm fills the other: every turned point has a neighbour there
    assert cdist(-plus, minus).min(axis=1).max() < 0.1
    assert not is_separable(X[:60], y[:60])


@pytest.mark.parametrize("world", [ring_points, xor_points, spiral_points])
def test_the_worlds_repeat_themselves_by_seed_and_refuse_one_point(world):
    assert np.array_equal(world(9, seed=1)[0], world(9, seed=1)[0])
    assert not np.array_equal(world(9, seed=1)[0], world(9, seed=2)[0])
    with pytest.raises(InvalidInputError, match="M must be"):
        world(1)


@settings(deadline=None, max_examples=30)
@given(M=st.integers(2, 50), seed=st.integers(0, 10**6))
def test_moons_without_noise_are_half_circles(M, seed):
    X, y = moons(M, noise=0.0, seed=seed)
    upper, lower = X[y > 0], X[y < 0] - [1.0, 0.5]
    np.testing.assert_allclose(np.linalg.norm(np.vstack([upper, lower]), axis=1), 1)
    assert (upper[:, 1] >= 0).all() and (lower[:, 1] <= 0).all()
    assert abs(y.sum()) == M % 2


def test_moons_have_the_noise_they_were_asked_for():
    quiet, _ = moons(20_000, noise=0.0, seed=5)
    loud, _ = moons(20_000, noise=0.3, seed=5)
    np.testing.assert_allclose((loud - quiet).std(axis=0), 0.3, rtol=0.03)
    assert abs((loud - quiet).mean()) < 0.01
    for arguments in ({"M": 1}, {"noise": -0.1}):
        with pytest.raises(InvalidInputError):
            moons(**arguments)


@settings(deadline=None, max_examples=40)
@given(M=st.integers(2, 60), gap=st.floats(0, 1), seed=seeds)
def test_the_wave_divides_its_points_with_the_gap_and_both_classes_are_there(M, gap, seed):
    X, y = wave_points(M, gap, seed)
    assert (y * (X[:, 1] - wave(X[:, 0])) >= gap - 1e-12).all()
    assert set(y) == {-1.0, 1.0}
    assert np.abs(X - gap * y[:, None] * [0, 1]).max() <= 1


def test_the_wave_refuses_what_it_cannot_make_and_halves_its_square():
    for arguments in ({"M": 1}, {"gap": -0.1}):
        with pytest.raises(InvalidInputError):
            wave_points(**arguments)
    assert wave([0.0, 0.5, 1.0, 1.5]) == pytest.approx([0, 0.5, 0, -0.5])
    assert abs(wave_points(20_000, seed=1)[1].mean()) < 0.03


@pytest.mark.parametrize("arrangement", ["pair", "cross"])
def test_clouds_lie_around_their_corners_with_their_spread(arrangement):
    X, y = clouds(4000, spread=0.3, arrangement=arrangement, seed=1)
    corners = np.where(X > 0, 1.0, -1.0)  # 3.3 standard deviations away from an axis: next to none is lost
    np.testing.assert_allclose(np.std(X - corners, axis=0), 0.3, rtol=0.05)
    assert np.mean(y == (corners[:, 0] if arrangement == "pair" else corners.prod(axis=1))) > 0.99
    assert abs(y.sum()) < 1e-9 and len(np.unique(corners, axis=0)) >= (2 if arrangement == "pair" else 4)
    assert not np.array_equal(X, clouds(4000, spread=0.3, arrangement=arrangement, seed=2)[0])


@pytest.mark.parametrize("arguments", [{"M": 1}, {"spread": -1.0}, {"arrangement": "ring"}])
def test_clouds_refuse_what_they_cannot_make(arguments):
    with pytest.raises(InvalidInputError):
        clouds(**arguments)


@given(M=st.integers(1, 60), seed=st.integers(0, 10**6))
def test_the_numbers_of_the_wave_lie_one_in_each_cell(M, seed):
    X, y = wave_numbers(M, 0.0, seed)
    assert np.floor((X[:, 0] + 1) * M / 2).tolist() == list(range(M)) and np.array_equal(y, wave(X[:, 0]))


def test_the_noise_of_the_wave_is_as_large_as_it_says():
    X, y = wave_numbers(20_000, 0.3, seed=1)
    assert np.std(y - wave(X[:, 0])) == pytest.approx(0.3, rel=0.03)
