"""Margins, radius and h_MCM against the slides' worked numbers and the chain of the notes."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

import mcmteach as mt
from mcmteach.capacity import feature_margin, feature_radius, geometric_margins, middle_of_gap
from mcmteach.datasets.worlds import separable_points
from mcmteach.errors import ConvergenceWarning, InvalidInputError

numbers = st.floats(-10, 10, allow_subnormal=False)
rounded = st.floats(-5, 5, allow_subnormal=False).map(lambda value: round(value, 2))


def test_margins_of_the_slides_worked_example():
    # w = (1, 1), b = -1, x = (1, 1), d = 1: functional margin 1, geometric margin 1/sqrt 2
    assert mt.functional_margins([[1, 1]], [1], [1, 1], -1).tolist() == [1.0]
    assert geometric_margins([[1, 1]], [1], [1, 1], -1) == pytest.approx([1 / math.sqrt(2)])
    assert mt.geometric_margin([[1, 1]], [1], [1, 1], -1) == pytest.approx(1 / math.sqrt(2))


def test_distance_of_the_slides_worked_example():
    # the point (1, 1) and the plane x1 + 2 x2 = 0: 3/sqrt 5 = 1.34, whatever the length of w
    assert round(mt.geometric_margin([[1, 1]], [1], [1, 2], 0), 2) == 1.34
    assert mt.geometric_margin([[1, 1]], [1], [10, 20], 0) == pytest.approx(3 / math.sqrt(5))


def test_the_margin_of_a_data_set_is_its_smallest():
    X, y = [[2, 0], [1, 0], [-3, 0]], [1, 1, 1]
    assert mt.functional_margins(X, y, [2, 0], 0).tolist() == [4, 2, -6]
    assert mt.geometric_margin(X, y, [2, 0], 0) == -3.0
    assert type(mt.geometric_margin(X, y, [2, 0], 0)) is float


def test_radius_by_hand():
    assert mt.radius([[3, 4], [1, 0]]) == 5.0
    assert mt.radius([[3, 4], [1, 0]], augmented=True) == pytest.approx(math.sqrt(26))


def test_h_mcm_by_hand():
    assert mt.h_mcm([[1.0], [2.0], [-4.0]], [1.0], 0.0) == 4.0
    assert mt.h_mcm([[1.0], [2.0], [-4.0]], [-3.0], 0.0) == 4.0  # the scale and the side do not matter
    assert mt.h_mcm([[1.0], [0.0]], [1.0], 0.0) == math.inf  # a point on the plane


def test_h_mcm_of_a_far_away_plane_is_near_one_although_it_separates_nothing(blobs):
    X, _ = blobs
    assert 1 < mt.h_mcm(X, [1.0, 0.0], 1e6) < 1.0001


@given(X=arrays(float, (7, 3), elements=numbers), u=arrays(float, 3, elements=numbers), v=numbers)
def test_chain_holds_at_any_plane(X, u, v):
    f = X @ u + v
    assume(np.abs(f).min() > 1e-6)
    chain = mt.capacity_chain(X, u, v)
    augmented = np.column_stack([X, np.ones(7)])
    norm = math.hypot(*u, v)
    assert pytest.approx(np.sqrt((augmented**2).sum(axis=1)).max()) == chain.R
    assert chain.Delta == pytest.approx(np.abs(f).min() / norm)  # N(7)
    assert chain.ratio == pytest.approx(chain.R / chain.Delta)  # N(8)
    assert chain.h_mcm == pytest.approx(np.abs(f).max() / np.abs(f).min())  # N(9)
    assert chain.h_mcm <= chain.ratio * (1 + 1e-12)  # N(10)
    assert chain.h_mcm_squared <= chain.ratio_squared * (1 + 1e-12) < chain.vapnik * (1 + 1e-11)  # N(11)
    assert chain.vapnik == pytest.approx(1 + chain.ratio**2)  # N(12)
    assert chain.vapnik == pytest.approx(chain.beta * chain.h_mcm_squared)  # N(13), with this plane's own beta


def test_chain_breaks_with_unaugmented_norms():
    # all points near the origin, a plane with a bias: max|f| / min|f| = 3, but max||x|| / (min|f| / ||u||) = 0.5
    X, u, v = np.array([[-0.5], [0.5]]), np.array([1.0]), 1.0
    unaugmented = mt.radius(X) / (np.abs(X @ u + v).min() / np.linalg.norm(u))
    assert mt.h_mcm(X, u, v) == 3.0 > unaugmented == 1.0
    assert mt.h_mcm(X, u, v) <= mt.capacity_chain(X, u, v).ratio


def test_no_constant_beta_serves_for_all_data():
    # two points far out along the plane: h_MCM stays 1 while R/Delta, and with it beta, grows without bound
    betas = [mt.capacity_chain([[s, 1.0], [s, -1.0]], [0.0, 1.0], 0.0).beta for s in (1, 10, 100)]
    assert betas[0] < 10 and betas[2] > 1e4


def test_with_a_point_on_the_plane_the_chain_has_no_end():
    chain = mt.capacity_chain([[1.0], [0.0], [-4.0]], [1.0], 0.0)
    assert pytest.approx(math.sqrt(17)) == chain.R and chain.Delta == 0
    assert chain.ratio == chain.h_mcm == chain.vapnik == math.inf and math.isnan(chain.beta)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: mt.geometric_margin([[1, 1]], [1], [0, 0], 1), "w = 0"),
        (lambda: mt.functional_margins([[1, 1]], [1], [1, 1, 1], 0), "w has 3 entries"),
        (lambda: mt.functional_margins([[1, 1]], [2], [1, 1], 0), "labels 2"),
        (lambda: mt.functional_margins([[1, np.nan]], [1], [1, 1], 0), "NaN"),
        (lambda: mt.h_mcm([[1, 1]], [0, 0], 0), "no value"),
        (lambda: mt.radius([1, 2]), "Reshape"),
    ],
)
def test_bad_input_is_refused_with_a_reason(call, says):
    with pytest.raises(InvalidInputError, match=says):
        call()


@settings(deadline=None, max_examples=50)
@given(X=arrays(float, (6, 2), elements=rounded), u=arrays(float, 2, elements=rounded), v=rounded)
def test_n10_holds_in_the_augmented_space_at_any_data(X, u, v):
    f = np.abs(X @ u + v)
    assume(f.min() > 1e-3)
    length = np.sqrt((X**2).sum(axis=1) + 1)
    distance = f / np.sqrt(u @ u + v**2)
    assert (distance <= length * (1 + 1e-12)).all(), (
        "no point is farther from a plane through the origin than it is long"
    )
    chain = mt.capacity_chain(X, u, v)
    assert chain.h_mcm <= chain.ratio * (1 + 1e-12)
    assert chain.ratio / chain.h_mcm == pytest.approx(length.max() / distance.max()), "ball over strip is what is lost"


def test_middle_of_the_gap_by_hand():
    assert middle_of_gap([[0.0], [1.0], [3.0], [7.0]], [-1, -1, 1, 1], [1.0]) == -2.0
    assert middle_of_gap([[0.0], [1.0], [3.0], [7.0]], [-1, -1, 1, 1], [2.0]) == -4.0
    # the other way round nothing separates, and the least bad plane lies between the points that overlap most
    assert middle_of_gap([[0.0], [1.0], [3.0], [7.0]], [-1, -1, 1, 1], [-1.0]) == 3.5


@settings(deadline=None, max_examples=50)
@given(M=st.integers(2, 20), seed=st.integers(0, 10**6), degrees=st.floats(0, 360), shift=st.floats(-3, 3))
def test_no_other_shift_has_a_wider_margin_or_separates_with_a_smaller_h_mcm(M, seed, degrees, shift):
    X, y = separable_points(M, gap=0.3, seed=seed)
    u = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    v = middle_of_gap(X, y, u)
    assert mt.geometric_margin(X, y, u, v) >= mt.geometric_margin(X, y, u, v + shift) - 1e-12
    if mt.geometric_margin(X, y, u, v + shift) > 1e-9:
        assert mt.h_mcm(X, u, v) <= mt.h_mcm(X, u, v + shift) * (1 + 1e-9)


def test_middle_of_the_gap_refuses_one_class_and_a_plane_of_another_dimension():
    with pytest.raises(InvalidInputError, match="one class"):
        middle_of_gap([[0.0], [1.0]], [1, 1], [1.0])
    with pytest.raises(InvalidInputError, match="w has 2"):
        middle_of_gap([[0.0], [1.0]], [1, -1], [1.0, 2.0])
    with pytest.raises(InvalidInputError, match="y has 3"):
        middle_of_gap([[0.0], [1.0]], [1, -1, 1], [1.0])


# --- in feature space ------------------------------------------------------------------------------------------------


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
@given(arrays(float, (6, 2), elements=rounded))
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


def test_of_a_matrix_that_is_no_kernel_the_ball_about_the_mean_is_given():
    # two samples have the squared distance 0 + 0 - 2 = -2, so that no step between them leads anywhere. About the mean,
    # (K beta) = (-1, -1, 2)/3 and beta'K beta = 0: the squared distances are 2/3, 2/3 and -4/3
    K = [[0.0, -2.0, 1.0], [-2.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    assert feature_radius(K) == pytest.approx(math.sqrt(2 / 3))


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6))
def test_the_margin_in_feature_space_is_the_margin_of_the_features(seed):
    rng = np.random.default_rng(seed)
    Z, y = rng.normal(size=(7, 3)), np.array([1.0, -1, 1, -1, 1, -1, 1])
    coef, b = rng.normal(size=7), rng.normal()
    assert feature_margin(Z @ Z.T, y, coef, b) == pytest.approx(mt.geometric_margin(Z, y, coef @ Z, b))
    with pytest.raises(InvalidInputError, match="w is 0"):
        feature_margin(Z @ Z.T, y, np.zeros(7), b)
    with pytest.raises(InvalidInputError, match="labels -2, 2"):
        feature_margin(Z @ Z.T, 2 * y, coef, b)


def test_a_ball_that_is_not_proved_to_be_the_smallest_says_so():
    P = np.random.default_rng(0).normal(size=(12, 4)) * [1.0, 0.1, 0.01, 0.03]
    P /= np.linalg.norm(P, axis=1, keepdims=True)  # on a sphere, and near a line: pairwise moves converge slowly
    with pytest.warns(ConvergenceWarning, match="R² may be a fraction of .* too large") as caught:
        R = feature_radius(P @ P.T)
    assert caught[0].filename == __file__
    gap = float(str(caught[0].message).split("fraction of ")[1].split()[0])
    # the least distance to the farthest point, by a solver that is not ours
    ball = minimize(
        lambda v: v[-1],
        np.r_[P.mean(axis=0), 2.0],
        constraints={"type": "ineq", "fun": lambda v: v[-1] - ((P - v[:-1]) ** 2).sum(axis=1)},
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    assert ball.fun * (1 - 1e-9) <= R**2 <= ball.fun / (1 - 1.1 * gap)
