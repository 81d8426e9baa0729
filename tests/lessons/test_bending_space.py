"""The lesson 'bending space': what it claims holds at any data, and its notebook says what the library says."""

import json
import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach.capacity import feature_margin, feature_radius
from mcmteach.conformal import induced_metric, magnification, two_rounds
from mcmteach.datasets.worlds import wave, wave_points
from mcmteach.errors import InvalidInputError
from mcmteach.gram import cosines, feature_distances
from mcmteach.plots.bending import stretched_circles
from tools.ledger import ROOT

numbers = st.floats(-5, 5, allow_subnormal=False).map(lambda value: round(value, 2))
seeds = st.integers(0, 10**6)
GAMMA = 2.0


HILL = mt.ConformalMap([[0.0, 0.0]], [1.0, 1.5], gamma=8.0)


# --- the world -------------------------------------------------------------------------------------------------------


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


# --- lengths in feature space ------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(arrays(float, (6, 3), elements=numbers))
def test_distances_are_those_of_the_features(Z):
    expected = np.linalg.norm(Z[:, None] - Z[None], axis=2)
    np.testing.assert_allclose(feature_distances(Z @ Z.T), expected, atol=1e-6)


def smallest_circle(P):
    """By brute force: the smallest circle is held by two points, or by three."""
    balls = [((a + b) / 2, np.linalg.norm(a - b) / 2) for a, b in combinations(P, 2)]
    for a, b, c in combinations(P, 3):
        A = 2 * np.array([b - a, c - a])
        if abs(np.linalg.det(A)) > 1e-9:
            centre = np.linalg.solve(A, [b @ b - a @ a, c @ c - a @ a])
            balls.append((centre, np.linalg.norm(a - centre)))
    return min((r for m, r in balls if (np.linalg.norm(P - m, axis=1) <= r + 1e-7).all()), default=0.0)


@settings(deadline=None, max_examples=40)
@given(arrays(float, (6, 2), elements=numbers))
def test_the_smallest_ball_is_the_smallest_and_moves_with_the_points(P):
    R = feature_radius(P @ P.T)
    assert pytest.approx(smallest_circle(P), rel=1e-4, abs=1e-4) == R
    assert feature_radius(P @ P.T, about_origin=True) + 1e-9 >= R
    moved = P + np.array([3.0, -2.0])
    assert feature_radius(moved @ moved.T) == pytest.approx(R, rel=1e-4, abs=1e-4)


def test_radius_of_points_that_are_one_or_none_apart():
    assert feature_radius([[5.0]]) == 0.0
    assert feature_radius(np.ones((4, 4))) == pytest.approx(0, abs=1e-7)
    assert feature_radius(np.eye(5)) == pytest.approx(np.sqrt(0.8))  # a simplex: by hand, R² = 1 - 1/5
    with pytest.raises(InvalidInputError, match="diagonal"):
        feature_radius([[-1.0, 0.0], [0.0, 1.0]])


@settings(deadline=None, max_examples=25)
@given(seeds)
def test_the_margin_in_feature_space_is_the_margin_of_the_features(seed):
    rng = np.random.default_rng(seed)
    Z, y = rng.normal(size=(7, 3)), np.array([1.0, -1, 1, -1, 1, -1, 1])
    coef, b = rng.normal(size=7), rng.normal()
    assert feature_margin(Z @ Z.T, y, coef, b) == pytest.approx(mt.geometric_margin(Z, y, coef @ Z, b))
    with pytest.raises(InvalidInputError, match="w is 0"):
        feature_margin(Z @ Z.T, y, np.zeros(7), b)


# --- a line ------------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-50, 50), min_size=3, max_size=8, unique=True), st.data())
def test_any_labels_of_a_threshold_reach_the_least_ratio_when_bent_in_their_gap(values, data):
    z = np.sort(np.array(values, float))
    k = data.draw(st.integers(1, len(z) - 1))
    bent = np.tanh(20 * (z - (z[k - 1] + z[k]) / 2))
    assert np.ptp(bent) / (bent[k] - bent[k - 1]) == pytest.approx(1, abs=1e-6)


# --- what c does ---------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(seeds)
def test_on_the_circle_c_is_a_radius(seed):
    rng = np.random.default_rng(seed)
    c = mt.ConformalMap(rng.uniform(-3, 3, (3, 1)), [0.5, *rng.uniform(0, 2, 3)], gamma=rng.uniform(0.2, 3))
    k = mt.ConformalKernel(c, lambda X, Z: np.cos(X - Z.T))
    place, dx = rng.uniform(-3, 3), 1e-4
    step = feature_distances(k(np.array([[place - dx / 2], [place + dx / 2]])))[0, 1] / dx
    assert step == pytest.approx(np.hypot(c([[place]])[0], c.gradient([[place]])[0, 0]), rel=1e-4)


@settings(deadline=None, max_examples=30)
@given(seeds)
def test_directions_from_the_origin_and_sides_of_planes_through_it_are_kept(seed):
    rng = np.random.default_rng(seed)
    X, cores, coef = rng.normal(size=(8, 2)), rng.normal(size=(3, 2)), rng.normal(size=8)
    c = mt.amari_wu_map(cores, GAMMA, rng.normal(size=3), floor=0.1)
    K0 = mt.RBF(GAMMA)(X)
    K = mt.ConformalKernel(c, mt.RBF(GAMMA))(X)
    np.testing.assert_allclose(cosines(K), cosines(K0), atol=1e-12)
    # the same w in feature space, w = Σ λ_j φ_0(x_j) = Σ (λ_j / c_j) c_j φ_0(x_j), has the same sign everywhere
    np.testing.assert_array_equal(np.sign(K @ (coef / c(X))), np.sign(K0 @ coef))


def test_the_gaussian_kernel_treats_all_places_alike():
    for place in ([0.0, 0.0], [10.0, -7.0]):
        pair = np.array([place, [place[0] + 0.01, place[1]]])
        assert feature_distances(mt.rbf_kernel(pair, gamma=GAMMA))[0, 1] == pytest.approx(0.02, rel=1e-3)


def angle(place, c=HILL):
    u, v, g = np.array([1.0, 1.0]), np.array([1.0, -1.0]), induced_metric([place], c, GAMMA)[0]
    return np.degrees(np.arccos(u @ g @ v / np.sqrt((u @ g @ u) * (v @ g @ v))))


def test_angles_are_kept_where_c_is_level_and_only_there():
    assert angle([0.0, 0.0]) == pytest.approx(90) and angle([5.0, 0.0]) == pytest.approx(90)
    assert angle([0.3, 0.0]) == pytest.approx(70.2, abs=0.05)
    wide = mt.ConformalMap([[0.0, 0.0]], [1.0, 1.5], gamma=0.1)
    assert angle([1.0, 0.0], wide) > 88
    longer, shorter, turn = stretched_circles(HILL, GAMMA, [[0.0, 0.0], [0.3, 0.0], [0.2, 0.2]])
    assert longer[0] == pytest.approx(2.5) == shorter[0], "on top a circle stays one"
    assert (longer[1:] > 1.2 * shorter[1:]).all()
    assert np.abs(np.cos(np.radians(turn[1:] - [0.0, 45.0]))) == pytest.approx([1, 1]), (
        "it is stretched along the slope"
    )
    assert longer * shorter == pytest.approx(magnification([[0.0, 0.0], [0.3, 0.0], [0.2, 0.2]], HILL, GAMMA) / 4)


# --- the map of Amari and Wu ----------------------------------------------------------------------------------------------


def test_floor_and_scale_of_a_map():
    X = np.random.default_rng(0).normal(size=(20, 2))
    c = mt.amari_wu_map(X[:3], GAMMA, weights=[1.0, -4.0, 2.0], floor=0.5)
    assert c.alpha.tolist() == [2.0, 1.0, 4.0, 2.0]
    assert np.mean(c.scaled(X)(X) ** 2) == pytest.approx(1)
    np.testing.assert_allclose(c.scaled(X)(X) / c(X), (c.scaled(X)(X) / c(X))[0])
    with pytest.raises(InvalidInputError, match="c is 0"):
        mt.amari_wu_map([[1e3, 1e3]], GAMMA).scaled(X)
    with pytest.raises(InvalidInputError, match="floor"):
        mt.amari_wu_map(X[:3], GAMMA, floor=-1.0)


def test_two_rounds_by_hand():
    X, y = wave_points(40, seed=2)
    rounds = two_rounds(lambda kernel: SVC(kernel=kernel, C=10), X, y, GAMMA, tau=0.5, floor=1.0)
    first = SVC(kernel="rbf", gamma=GAMMA, C=10).fit(X, y)
    np.testing.assert_array_equal(rounds.c.cores, X[first.support_])
    h = np.abs(first.dual_coef_[0])
    raw = h.max() + np.exp(-((X[:, None] - X[first.support_]) ** 2).sum(axis=2) / (2 * 0.5**2)) @ h
    c = raw / np.sqrt(np.mean(raw**2))
    np.testing.assert_allclose(rounds.c(X), c, rtol=1e-6)
    second = SVC(kernel="precomputed", C=10).fit(np.outer(c, c) * mt.rbf_kernel(X, gamma=GAMMA), y)
    np.testing.assert_allclose(rounds.second.dual_coef_, second.dual_coef_, rtol=1e-4, atol=1e-4)


def test_two_rounds_need_support_vectors():
    class Deaf:
        support_, dual_coef_ = np.array([], dtype=int), np.empty((1, 0))

        def fit(self, X, y):
            return self

    with pytest.raises(InvalidInputError, match="no support vectors"):
        two_rounds(lambda kernel: Deaf(), np.eye(3), [1, -1, 1], GAMMA)


def test_where_c_is_zero_a_machine_knows_nothing_but_its_bias():
    X, y = wave_points(60, seed=6)
    rounds = two_rounds(lambda kernel: SVC(kernel=kernel, C=1000), X, y, GAMMA, tau=0.05)
    far = np.array([[5.0, 5.0], [-4.0, 3.0]])
    assert rounds.c(far) == pytest.approx([0, 0])
    assert rounds.second.decision_function(far) == pytest.approx([rounds.second.intercept_[0]] * 2)


# --- the notebook ------------------------------------------------------------------------------------------------------------


def test_the_lessons_claims_follow_from_its_numbers():
    cells = json.loads(next(ROOT.glob("lessons/*_bending_space.ipynb")).read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    rows = {line.split()[0]: list(map(float, line.split()[1:])) for line in printed["margins"].splitlines()[-2:]}
    (margin, R, ratio, R0, ratio0), (margin_2, R_2, ratio_2, R0_2, ratio0_2) = rows["before"], rows["after"]
    assert margin_2 > 4 / 3 * margin and R_2 > R and R0_2 > R0, "margin and radius grow"
    assert ratio_2 < ratio and ratio0_2 > ratio0, "which ball decides whether the ratio does"
    everywhere, svm, mcm = (float(line.split()[-1]) for line in printed["whose-support"].splitlines())
    assert 3 * svm <= everywhere and mcm > 2 * svm
    for line in printed["held-out"].splitlines()[1:]:
        alone, error, floored, its_error = map(float, re.findall(r"[+-]?\d+\.\d", line)[1:])
        assert alone < -error and abs(floored) <= 2 * its_error + 0.05, "the floor does no harm, nor much good"
    for line in printed["real"].splitlines()[1:]:
        before, alone, floored, larger = map(float, re.findall(r"[\d.]+(?= %)", line))
        assert alone < larger + 3 and abs(floored - before) < 2
    assert "70.2" in printed["angles"] and printed["any-labels"].count("at most 2") == 2
