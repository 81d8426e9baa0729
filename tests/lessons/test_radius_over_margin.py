"""The lesson 'radius over margin': what it claims holds at any data, and its notebook says what the library says."""

import json
import re
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import mcmteach as mt
from mcmteach.capacity import middle_of_gap
from mcmteach.datasets.worlds import separable_points, stretched_points
from mcmteach.separability import is_separable
from mcmteach.svm import hard_margin
from tools.ledger import ROOT

numbers = st.floats(-10, 10, allow_subnormal=False).map(lambda value: round(value, 3))
X6, Y6 = np.array([[-3.0], [-2.0], [-1.5], [-0.5], [1.5], [2.5]]), np.array([-1.0, -1, -1, -1, 1, 1])


def unit(degrees):
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


# --- Theorem 2.2 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", range(2, 9))
def test_equidistant_points_reach_the_bound_and_the_odd_ones_pass_it(k):
    # by hand: the widest plane between j corners and the rest halves the way between the two centres of gravity, whose
    # distance squared is 1/j + 1/(k-j); it is smallest for j = k/2, or next to it
    corners = np.eye(k) - 1 / k
    margins = [
        1 / np.linalg.norm(hard_margin(corners, np.repeat([1, -1], [j, k - j])).w) for j in range(1, k)
    ]  # every colouring is one of these, up to the names of the corners; those of one colour have any margin
    assert margins == pytest.approx([np.sqrt(1 / j + 1 / (k - j)) / 2 for j in range(1, k)], rel=1e-6)
    square = (mt.radius(corners) / min(margins)) ** 2
    assert square == pytest.approx(k - 1 if k % 2 == 0 else (k - 1) * (1 - 1 / k**2), rel=1e-6)
    allowed = mt.margin_vc_dim(mt.radius(corners), min(margins) * (1 - 1e-9), n=100)
    assert allowed == (k if k % 2 == 0 else k - 1), "the lesson says: one too low in the odd rows"
    assert np.ceil(round(square, 6)) + 1 == k


@settings(deadline=None, max_examples=30)
@given(points=arrays(float, (3, 2), elements=numbers))
def test_rounded_up_the_theorem_holds_for_any_three_points(points):
    sides = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1)
    assume(sides.min() > 0.1)
    colourings = [y for y in product([1, -1], repeat=3) if len(set(y)) == 2]
    assume(all(is_separable(points, y) for y in colourings))
    Delta = min(1 / np.linalg.norm(hard_margin(points, y).w) for y in colourings)
    middle = points.mean(axis=0)  # any ball that holds the points will do
    assert np.ceil((mt.radius(points - middle) / Delta) ** 2 * (1 - 1e-6)) + 1 >= 3


# --- the chain ---------------------------------------------------------------------------------------------------------


def test_n10_is_broken_by_the_lessons_six_points_unless_they_are_augmented():
    v = middle_of_gap(X6, Y6, [1.0])
    assert v == -0.5
    Delta = mt.geometric_margin(X6, Y6, [1.0], v)
    assert mt.h_mcm(X6, [1.0], v) == 3.5 > mt.radius(X6) / Delta == 3.0 > np.ptp(X6) / 2 / Delta == 2.75
    # by hand: R² = 3² + 1, and the nearest |x - 1/2| = 1 is divided by the length of (1, -1/2)
    assert mt.capacity_chain(X6, [1.0], v).ratio == pytest.approx(np.sqrt(10 * 1.25))


@settings(deadline=None, max_examples=30)
@given(M=st.integers(4, 12), seed=st.integers(0, 10**6), matrix=arrays(float, (2, 2), elements=numbers), shift=numbers)
def test_the_least_h_mcm_does_not_notice_a_change_of_coordinates(M, seed, matrix, shift):
    assume(np.linalg.cond(matrix) < 50)
    X, y = separable_points(M, gap=0.3, seed=seed)
    least, changed = (mt.solve_mcm(Z, y, C=np.inf, sparsity=0.0).h for Z in (X, X @ matrix + shift))
    assert changed == pytest.approx(least, rel=1e-4)


def test_moving_everything_changes_the_ratio_and_not_h_mcm():
    X, _ = stretched_points()
    u, v = unit(35), 0.1
    moved = X + np.array([50.0, 0.0])
    assert mt.h_mcm(moved, u, v - 50 * u[0]) == pytest.approx(mt.h_mcm(X, u, v))
    assert mt.capacity_chain(moved, u, v - 50 * u[0]).ratio > 10 * mt.capacity_chain(X, u, v).ratio


# --- the notebook ------------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads(next(ROOT.glob("lessons/*_radius_over_margin.ipynb")).read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    table = np.array([line.split() for line in printed["simplex"].splitlines()[1:]], float)
    k, _, down, up = table.T
    assert (down == np.where(k % 2, k - 1, k)).all() and (up == k).all()
    assert re.search(r"augmented 0 times, unaugmented [1-9]", printed["random"])
    beta = np.array([line.split() for line in printed["beta"].splitlines()[1:]], float)
    assert (beta[:, 1] == 1).all() and (np.diff(beta[:, 4]) > 0).all()
    stretch = np.array([line.split() for line in printed["stretch"].splitlines()[1:]], float)
    assert (stretch[:, 1] == 4.35).all() and (np.diff(stretch[:, 2]) > 0).all()
    sweep, programme = (float(line.split()[-1]) for line in printed["sweep"].splitlines())
    assert programme <= sweep <= programme + 0.002
