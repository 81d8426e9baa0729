"""The lesson 'bending space': what it claims holds at any data, and its notebook says what the library says."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach.conformal import induced_metric, magnification, two_rounds
from mcmteach.datasets.worlds import wave_points
from mcmteach.errors import InvalidInputError
from mcmteach.gram import cosines, feature_distances
from mcmteach.plots.bending import stretched_circles
from tools.ledger import ROOT

numbers = st.floats(-5, 5, allow_subnormal=False).map(lambda value: round(value, 2))
seeds = st.integers(0, 10**6)
GAMMA = 2.0


HILL = mt.ConformalMap([[0.0, 0.0]], [1.0, 1.5], gamma=8.0)


# --- lengths in feature space ------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(arrays(float, (6, 3), elements=numbers))
def test_distances_are_those_of_the_features(Z):
    expected = np.linalg.norm(Z[:, None] - Z[None], axis=2)
    np.testing.assert_allclose(feature_distances(Z @ Z.T), expected, atol=1e-6)


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
