"""Lesson 8: lengths in feature space, the sheet, its figures by what is in them, and what its panel and its cells say."""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matplotlib.collections import PathCollection
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach import plots
from mcmteach import widgets as panels
from mcmteach.capacity import feature_radius
from mcmteach.conformal import induced_metric, magnification, two_rounds
from mcmteach.datasets.worlds import wave_points
from mcmteach.errors import InvalidInputError
from mcmteach.gram import cosines, feature_distances
from mcmteach.plots.bending import shades, stretched_circles
from mcmteach.plots.rubber_sheet import bent_sheet
from mcmteach.svm import hard_margin
from mcmteach.widgets import bending_space as lesson08
from tools.ledger import ROOT

numbers = st.floats(-5, 5, allow_subnormal=False).map(lambda value: round(value, 2))
seeds = st.integers(0, 10**6)
X6, Y6 = np.array([-3.0, -2.0, -1.5, -0.5, 1.5, 2.5]), np.array([-1.0, -1, -1, -1, 1, 1])
GAMMA = 2.0


def flat(times=1.0, n=2):
    return mt.ConformalMap(np.empty((0, n)), [times], gamma=1.0)


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


# --- the sheet ------------------------------------------------------------------------------------------------------------


def test_a_constant_factor_is_shown_truly():
    sheet = bent_sheet(flat(1.7), GAMMA, (0.0, 2.0), (-1.0, 0.0), points=7)
    middle = np.array([1.0, -0.5])
    np.testing.assert_allclose(sheet.after - middle, 1.7 * (sheet.before - middle), atol=1e-6)
    assert sheet.stress < 1e-6


def test_the_stress_never_rises_and_the_hill_gets_the_room():
    stress = [bent_sheet(HILL, GAMMA, points=15, steps=steps).stress for steps in (1, 2, 4, 8, 16, 32, 64)]
    assert (np.diff(stress) <= 1e-12).all() and stress[-1] < stress[0]
    sheet = bent_sheet(HILL, GAMMA, points=21)
    dx, dy = sheet.after[10, 11] - sheet.after[10, 9], sheet.after[11, 10] - sheet.after[9, 10]
    middle = dx[0] * dy[1] - dx[1] * dy[0]
    dx, dy = sheet.after[1, 2] - sheet.after[1, 0], sheet.after[2, 1] - sheet.after[0, 1]
    corner = dx[0] * dy[1] - dx[1] * dy[0]
    assert middle > 2.5 * corner, "by the metric 6.25 times; a flat sheet cannot do it all"


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 8), st.integers(0, 8))
def test_a_point_of_the_grid_is_carried_to_its_place(i, j):
    sheet = bent_sheet(HILL, GAMMA, points=9)
    np.testing.assert_allclose(sheet.carry([sheet.before[i, j]]), [sheet.after[i, j]], atol=1e-12)
    between = (sheet.before[i, 3] + sheet.before[i, 4]) / 2
    np.testing.assert_allclose(sheet.carry([between]), [(sheet.after[i, 3] + sheet.after[i, 4]) / 2], atol=1e-12)
    np.testing.assert_allclose(sheet.carry([[9.0, 9.0]]), [sheet.after[-1, -1]])


def test_a_sheet_refuses_what_it_cannot_lay_out():
    for arguments in ({"xlim": (1.0, 0.0)}, {"points": 1}, {"steps": 0}):
        with pytest.raises(InvalidInputError):
            bent_sheet(HILL, GAMMA, **arguments)


# --- figures ---------------------------------------------------------------------------------------------------------------


def test_line_map_shows_points_images_and_curve():
    ax = plots.plot_line_map(X6, Y6, np.tanh)
    x, phi = ax.lines[0].get_data()
    np.testing.assert_allclose(phi, np.tanh(x))
    left, bottom = ax.get_xlim()[0], ax.get_ylim()[0]
    scatters = [c for c in ax.collections if isinstance(c, PathCollection)]
    for label, scatter in zip((-1, 1), scatters, strict=True):
        here = X6[label == Y6]
        expected = np.vstack([np.c_[here, 0 * here + bottom], np.c_[0 * here + left, np.tanh(here)]])
        np.testing.assert_allclose(scatter.get_offsets(), expected)
    markers = [scatter.get_paths()[0].vertices.shape for scatter in scatters]
    assert markers[0] != markers[1]


def test_polar_map_keeps_the_angle_and_moves_to_the_radius_c():
    c = mt.ConformalMap([[0.5]], [1.0, 1.0], gamma=1.0)
    ax = plots.plot_polar_map(c, X6, Y6)
    after = np.vstack([s.get_offsets() for s in ax.collections if s.get_sizes().tolist() == [75]])
    order = np.r_[X6[Y6 < 0], X6[Y6 > 0]]
    np.testing.assert_allclose(np.hypot(*after.T), c(order[:, None]))
    np.testing.assert_allclose(np.arctan2(after[:, 1], after[:, 0]), order)
    circle, curve = (np.transpose(line.get_data()) for line in ax.lines[:2])
    np.testing.assert_allclose(np.hypot(*circle.T), 1)
    assert np.hypot(*curve.T).max() == pytest.approx(2, abs=1e-3)


def test_magnification_is_shown_in_multiples_of_no_map():
    ax = plots.plot_magnification(HILL, GAMMA, xlim=(-1, 1), ylim=(-1, 1))
    (image,) = ax.images
    times = np.asarray(image.get_array())
    assert times[30, 30] == pytest.approx(6.25), "2.5 times as long in both directions, on the top"
    assert 6.25 < times.max() < 6.4, "and a little more beside it, where it climbs"
    assert times[0, 0] == pytest.approx(1, abs=1e-4)
    assert image.get_extent() == [-1, 1, -1, 1] and image.origin == "lower"
    assert sum(shades()(1.0)[:3]) > 0.6, "a black line is seen on the darkest shade"


def test_small_circles_stand_at_their_places():
    ax = plots.plot_small_circles(HILL, GAMMA, [[0.0, 0.0], [0.3, 0.0]], size=0.1)
    rim, line = ax.collections
    np.testing.assert_allclose(line.get_offsets(), [[0.0, 0.0], [0.3, 0.0]])
    assert rim.get_linewidth()[0] > line.get_linewidth()[0]
    with pytest.raises(InvalidInputError, match="2 features"):
        plots.plot_small_circles(HILL, GAMMA, [[0.0]])


class Half:
    """A machine that says which side of x1 = 0.3 a point is on."""

    def decision_function(self, X):
        return X[:, 0] - 0.3


def test_boundary_is_where_f_is_zero_and_goes_where_the_sheet_takes_it():
    _, (left, right) = plt.subplots(1, 2)
    plots.plot_boundary(Half(), left, label="before", linestyle="--")
    assert [line.get_label() for line in left.lines] == ["before"]
    np.testing.assert_allclose(left.collections[0].get_paths()[0].vertices[:, 0], 0.3, atol=1e-9)
    sheet = bent_sheet(flat(2.0), GAMMA, plots.SQUARE, plots.SQUARE, points=5)
    plots.plot_boundary(Half(), right, sheet=sheet)
    np.testing.assert_allclose(right.collections[0].get_paths()[0].vertices[:, 0], 0.6, atol=1e-6)
    _, ax = plt.subplots()
    plots.plot_boundary(Half(), ax, xlim=(1.0, 2.0))
    assert not ax.collections, "no boundary in sight, none drawn"


def test_sheet_draws_every_other_line_and_its_shades():
    sheet = bent_sheet(HILL, GAMMA, points=9)
    ax = plots.plot_sheet(sheet, np.ones((9, 9)))
    mesh, grid = ax.collections
    assert len(grid.get_segments()) == 10
    np.testing.assert_allclose(grid.get_segments()[0], sheet.after[0])
    np.testing.assert_allclose(grid.get_segments()[-1], sheet.after[:, -1])
    assert ax.get_aspect() == 1 and mesh.get_clim() == (0, 1)
    low, high = np.transpose([ax.get_xlim(), ax.get_ylim()])
    assert (low < sheet.after).all() and (sheet.after < high).all(), "all of it is in the picture"
    with pytest.raises(InvalidInputError, match="one number per point"):
        plots.plot_sheet(sheet, np.ones(9))


# --- the panel ---------------------------------------------------------------------------------------------------------------


def read(text, row):
    """margin, R and the share of new points that are right, from a line of the readout."""
    found = re.search(rf"{row}: +margin (-?[\d.]+), R ([\d.]+), .*right on new points ([\d.]+)%", text)
    return tuple(map(float, found.groups()))


def test_the_panel_says_what_the_library_says():
    text = panels.draw_magnification(0.35, 1.0, "SVM's support vectors").text
    X, y = wave_points(60, seed=6)
    rounds = two_rounds(lambda kernel: SVC(kernel=kernel, C=1000), X, y, GAMMA, tau=0.35, floor=1.0)
    Z = mt.empirical_feature_map(mt.ConformalKernel(rounds.c, mt.RBF(GAMMA))(X))
    margin, R, right = read(text, "After")
    assert margin == pytest.approx(1 / np.linalg.norm(hard_margin(Z, y).w), abs=1e-3)
    assert pytest.approx(feature_radius(Z @ Z.T), abs=6e-3) == R
    assert right == pytest.approx(100 * rounds.second.score(*wave_points(2000, seed=1000)), abs=0.06)
    before = read(text, "Before")
    assert margin > 1.3 * before[0] and 1.2 * before[1] < R


def test_the_panel_answers_the_lessons_three_questions():
    cores = lesson08.CORES
    wide = panels.draw_magnification(2.0, 1.0, cores[0]).text
    assert read(wide, "After")[:2] == pytest.approx(read(wide, "Before")[:2], rel=0.05)
    blind = panels.draw_magnification(0.1, 0.0, cores[0]).text
    assert read(blind, "After")[2] < 70 and "no separation" in blind
    wrong = panels.draw_magnification(0.35, 1.0, cores[3]).text
    before, after = read(wrong, "Before"), read(wrong, "After")
    assert after[1] / after[0] > 2 * before[1] / before[0] and after[2] >= before[2] - 0.5


def test_the_panel_puts_its_cores_where_it_says():
    X, y = wave_points(**lesson08.SAMPLE)
    where = {name: lesson08.cores_and_weights(name)[0] for name in lesson08.CORES}
    first = SVC(kernel="rbf", gamma=GAMMA, C=1000).fit(X, y)
    np.testing.assert_array_equal(where["SVM's support vectors"], X[first.support_])
    assert len(where["all points alike"]) == 60
    f = np.abs(first.decision_function(where["the 5 farthest from the boundary"]))
    assert len(f) == 5 and f.min() >= np.sort(np.abs(first.decision_function(X)))[-5] - 1e-3
    mcm = mt.MCMClassifier(gamma=GAMMA, C=10, sparsity=0.1).fit(X, y)
    np.testing.assert_array_equal(where["MCM's support vectors"], X[mcm.support_])


# --- the notebook ------------------------------------------------------------------------------------------------------------


def test_the_lessons_claims_follow_from_its_numbers():
    cells = json.loads((ROOT / "lessons" / "08_bending_space.ipynb").read_text(encoding="utf-8"))["cells"]
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
