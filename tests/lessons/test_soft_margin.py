"""The lesson 'soft margin': what it claims holds at any data, and its notebook says what the library says."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach.datasets.worlds import noisy_points, separable_points
from mcmteach.errors import ConvergenceWarning, InfeasibleError, InvalidInputError
from mcmteach.svm import soft_margin
from mcmteach.svm.descent_steps import ROADS, descent, smooth_margin, valley
from mcmteach.svm.machines import (
    hard_margin,
    slack,
    smooth_svm_gradient,
    smooth_svm_objective,
    soft_margin_objective,
    soft_margin_subgradient,
)
from tools.ledger import ROOT


@pytest.fixture(scope="module")
def sample():
    return noisy_points(40, noise=0.6, seed=26)


def cost(X, y, plane, C=1.0):
    return soft_margin_objective(X, y, plane.w, plane.b, C)


any_sample = st.builds(
    noisy_points, M=st.integers(2, 30), noise=st.floats(0, 1.5), gap=st.floats(0, 1), seed=st.integers(0, 10**6)
)
any_price = st.floats(-3, 2).map(lambda e: 10.0**e)


# --- the world -------------------------------------------------------------------------------------------------------


def test_noise_moves_the_same_points_along_the_same_way():
    clean, y = separable_points(30, gap=0.2, seed=4)
    a, b = (noisy_points(30, noise, gap=0.2, seed=4) for noise in (0.5, 1.0))
    np.testing.assert_allclose(b[0] - clean, 2 * (a[0] - clean))
    np.testing.assert_array_equal(a[1], y)
    strayed = noisy_points(20_000, noise=0.7, seed=1)[0] - separable_points(20_000, seed=1)[0]
    np.testing.assert_allclose(np.cov(strayed.T), 0.49 * np.eye(2), atol=0.02)
    with pytest.raises(InvalidInputError, match="noise must be a finite number >= 0"):
        noisy_points(noise=-0.1)


# --- the soft margin, exactly ------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(data=any_sample, C=any_price)
def test_the_soft_margin_is_svcs_and_proves_it(data, C):
    X, y = data
    plane = soft_margin(X, y, C)
    theirs = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
    E, E_theirs = cost(X, y, plane, C), soft_margin_objective(X, y, theirs.coef_[0], theirs.intercept_[0], C)
    assert E / E_theirs <= 1 + 2e-7
    alpha = plane.alpha
    assert alpha.min() >= 0 and alpha.max() <= C and abs(alpha @ y) <= 1e-9 * alpha.sum()
    dual = alpha.sum() - np.sum(((alpha * y) @ X) ** 2) / 2
    assert E - dual <= 1.1e-7 * E + 1e-12 and plane.gap <= 1e-7
    np.testing.assert_allclose(plane.w, (alpha * y) @ X, atol=1e-9 * C)


def test_the_soft_margin_by_hand():
    # between -1 and +1 the hard margin is w = 1 with both multipliers 1/2; below that price both pay, and w = 2C
    for C, w in ((2.0, 1.0), (0.5, 1.0), (0.2, 0.4)):
        plane = soft_margin([[-1.0], [1.0]], [-1, 1], C)
        assert plane.w[0] == pytest.approx(w) and plane.b == pytest.approx(0, abs=1e-9)
        assert plane.alpha == pytest.approx([min(C, 0.5)] * 2)


def test_a_soft_margin_without_end_is_hard_and_equal_points_of_both_classes_do_no_harm(sample):
    X, y = separable_points(16, seed=26)
    np.testing.assert_allclose(soft_margin(X, y, np.inf).w, hard_margin(X, y).w)
    with pytest.raises(InfeasibleError):
        soft_margin(*sample, np.inf)
    plane = soft_margin([[1.0], [1.0], [3.0]], [1, -1, 1], 1.0)
    assert cost(np.array([[1.0], [1.0], [3.0]]), np.array([1, -1, 1]), plane) == pytest.approx(2.0)


def test_the_soft_margin_says_when_it_was_stopped_and_what_it_cannot_use(sample):
    X, y = sample
    with pytest.warns(ConvergenceWarning, match="After 3 pairs .* allow more pairs") as caught:
        plane = soft_margin(X, y, max_iter=3)
    assert plane.n_iter == 3 and plane.gap > 1e-7 and caught[0].filename == __file__
    for wrong, words in (({"C": 0}, "C must be"), ({"tol": 0}, "tol must be"), ({"max_iter": 0}, "max_iter must be")):
        with pytest.raises(InvalidInputError, match=words):
            soft_margin(X, y, **wrong)
    with pytest.raises(InvalidInputError, match="one class only"):
        soft_margin([[1.0], [2.0]], [1, 1])


# --- what C buys -------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(data=any_sample, C=any_price, factor=st.floats(1.1, 30))
def test_a_higher_price_never_buys_more_slack_nor_a_wider_margin(data, C, factor):
    X, y = data
    cheap, dear = (soft_margin(X, y, price) for price in (C, factor * C))
    slacks = [slack(X, y, plane.w, plane.b).sum() for plane in (cheap, dear)]
    # each plane is proved to 1e-7 of its own objective, and so are the differences
    room = 3e-7 * (cost(X, y, cheap, C) + cost(X, y, dear, factor * C)) / (C * (factor - 1))
    assert slacks[1] <= slacks[0] + room + 1e-9
    assert dear.w @ dear.w / 2 >= cheap.w @ cheap.w / 2 - factor * C * room - 1e-9


@settings(deadline=None, max_examples=30)
@given(data=st.builds(separable_points, M=st.integers(2, 30), gap=st.floats(0.1, 1), seed=st.integers(0, 10**6)))
def test_on_separable_data_the_soft_margin_is_hard_from_the_largest_alpha_on(data):
    X, y = data
    hard = hard_margin(X, y)
    above, below = (soft_margin(X, y, share * hard.alpha.max(), tol=1e-9) for share in (1.01, 0.9))
    np.testing.assert_allclose(above.w, hard.w, rtol=1e-3, atol=1e-4 * np.linalg.norm(hard.w))
    assert slack(X, y, below.w, below.b).sum() > 1e-4


def test_cheap_slack_points_from_mean_to_mean(sample):
    X, y = sample
    planes = [soft_margin(X, y, C) for C in (0.001, 0.01)]
    np.testing.assert_allclose(planes[1].w, 10 * planes[0].w)
    np.testing.assert_allclose(planes[0].w, 0.001 * 20 * (X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)))


def test_dear_slack_is_down_to_the_least_that_any_line_has(sample):
    X, y = sample
    M = len(y)
    rows = np.column_stack([-y[:, None] * X, -y, -np.eye(M)])  # y (w·x + b) + zeta >= 1
    least = linprog([0, 0, 0, *np.ones(M)], rows, -np.ones(M), bounds=[(None, None)] * 3 + [(0, None)] * M)
    for C in (10, 100):
        plane = soft_margin(X, y, C)
        assert slack(X, y, plane.w, plane.b).sum() == pytest.approx(least.fun, rel=1e-4)


# --- the ways down -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("road", ROADS)
def test_each_step_is_the_formula(sample, road):
    X, y = sample
    C, eta = 0.7, 0.02
    way = descent(X, y, C, eta, 20, road)
    slope = smooth_svm_gradient if road == "smooth" else soft_margin_subgradient
    height = smooth_svm_objective if road == "smooth" else soft_margin_objective
    assert not way.w[0].any() and way.b[0] == 0 and len(way.objective) == 21
    for k in range(20):
        g, g_b = slope(X, y, way.w[k], way.b[k], C)
        step = 1 / (k + 1 / eta) if road == "falling" else eta
        np.testing.assert_allclose(way.w[k + 1], way.w[k] - step * g)
        assert way.b[k + 1] == pytest.approx(way.b[k] - step * g_b)
        assert way.objective[k] == pytest.approx(height(X, y, way.w[k], way.b[k], C))


def test_a_falling_step_arrives_and_a_constant_one_does_not(sample):
    X, y = sample
    lowest = cost(X, y, soft_margin(X, y))
    falling, constant = (descent(X, y, 1.0, 0.1, 3000, road).objective for road in ("falling", "constant"))
    assert falling[-300:].max() < 1.002 * lowest < 1.02 * lowest < constant[-300:].max()
    assert np.mean(np.diff(falling) > 0) > 0.2, "and yet it goes uphill again and again"


@settings(deadline=None, max_examples=30)
@given(data=any_sample, C=st.floats(0.01, 10), share=st.floats(0.01, 1.9))
def test_smooth_descent_never_climbs_below_two_over_the_curvature(data, C, share):
    X, y = data
    hat = np.column_stack([X, np.ones(len(y))])
    curvature = 1 + C * np.linalg.norm(hat, 2) ** 2 / 4
    way = descent(X, y, C, share / curvature, 100, "smooth").objective
    assert (np.diff(way) <= 1e-9 * way[:-1]).all()


@settings(deadline=None, max_examples=25)
@given(data=any_sample, C=st.sampled_from([0.1, 1.0, 5.0]), width=st.sampled_from([1.0, 0.3, 0.1]))
def test_the_smooth_line_costs_at_most_its_width_more(data, C, width):
    X, y = data
    plane, exact = smooth_margin(X, y, C, width), soft_margin(X, y, C)
    lowest = cost(X, y, exact, C)
    assert lowest * (1 - 1e-6) <= cost(X, y, plane, C) <= (lowest + C * len(y) * width * np.log(2)) * (1 + 1e-5)


def test_width_one_is_the_slides_machine_and_alpha_combines_to_w(sample):
    X, y = sample
    machine = mt.LinearSVM(C=2.0, loss="smooth").fit(X, y)
    plane = smooth_margin(X, y, 2.0)
    np.testing.assert_allclose(plane.w, machine.coef_[0])
    assert plane.b == pytest.approx(machine.intercept_[0])
    sharp = smooth_margin(X, y, 2.0, width=0.1, tol=1e-10)
    np.testing.assert_allclose((sharp.alpha * y) @ X, sharp.w, atol=1e-3)
    assert sharp.alpha.min() >= 0 and sharp.alpha.max() <= 2


def test_the_valley_is_the_objective_at_the_best_bias(sample):
    X, y = sample
    W = np.random.default_rng(0).normal(size=(20, 2))
    b = np.linspace(-8, 8, 1601)[:, None]
    tried = [w @ w / 2 + 0.5 * np.maximum(0, 1 - y * (X @ w + b)).sum(axis=1).min() for w in W]
    found = valley(X, y, W, 0.5)
    assert (found <= np.array(tried) + 1e-9).all()
    np.testing.assert_allclose(found, tried, rtol=0.02)
    best = soft_margin(X, y)
    assert valley(X, y, [best.w])[0] == pytest.approx(cost(X, y, best), rel=1e-6)


def test_descents_refuse_what_they_cannot_walk(sample):
    X, y = sample
    for wrong, words in (
        ({"road": "up"}, "no road 'up'"),
        ({"eta": 0}, "eta must be"),
        ({"n_steps": 0}, "n_steps must"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            descent(X, y, **wrong)
    with pytest.raises(InvalidInputError, match="width must be"):
        smooth_margin(X, y, width=0)
    with pytest.raises(InvalidInputError, match="one weight per feature"):
        valley(X, y, [[1.0, 2.0, 3.0]])


# --- the notebook ------------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads(next(ROOT.glob("lessons/*_soft_margin.ipynb")).read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    before, after = map(float, re.findall(r"margin ([\d.]+)", printed["ruin-figure"]))
    assert after < before / 10, "the last option of the prediction"
    rows = [line.replace("°", "").replace("%", "").split() for line in printed["price-table"].splitlines()[1:7]]
    C, margin, direction, slacks, pay, wrong, new = np.array(rows, dtype=float).T
    assert (np.diff(margin) <= 0).all() and (np.diff(slacks) <= 0).all()
    assert wrong[0] < wrong[-1] and pay[1] == 40 and direction[0] == direction[1]
    assert new.argmin() == 3 and C[3] == 1
    hard, *soft = map(float, re.findall(r"margin ([\d.]+)", printed["threshold"]))
    assert soft[0] > soft[1] > soft[2] == soft[3] == hard
    assert float(printed["slip-run"].split()[-1]) > 40, "far worse than doing nothing"
    angles = [float(a) for a in re.findall(r"average ([\d.]+)", printed["five"])]
    assert angles[1] < 0.6 * angles[0] and abs(angles[2] - angles[1]) < 0.2
    assert len(set(re.findall(r"E = ([\d.]+)", printed["agree"]))) == 1 and printed["agree"].rstrip().endswith("True")
    slow, fast = map(int, re.findall(r"about +(\d+) steps", printed["race-run"]))
    assert slow > 5 * fast and printed["race-run"].rstrip().endswith("True")
