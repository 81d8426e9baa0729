"""From inside to a vertex: exact, or not at all."""

import numpy as np
import pytest

import mcmteach as mt
from mcmteach.datasets import make_parts, stratified_folds
from mcmteach.solvers.crossover import vertex
from mcmteach.solvers.interior_point import Iterate, interior_point, working_gap
from tests.solvers.samples import agree, many, small_problem


def test_a_vertex_is_exact_or_not_given():
    A, y, C, price = small_problem()
    far = interior_point(Iterate(y, C, price), A, y, C, price, 0.5)
    assert vertex(far, far.partition(), A, y, C, price) is None
    near = interior_point(Iterate(y, C, price), A, y, C, price, 1e-6)
    lam, b, g, d = vertex(near, near.partition(), A, y, C, price)
    t = A @ lam + y * b
    assert working_gap(t, lam, d, d @ A, C, price, True) < 1e-12 < near.gap
    held = np.sum(np.isclose(t, 1, atol=1e-12) | np.isclose(t, 1 + g, atol=1e-12))
    assert held >= np.count_nonzero(lam) + 1 + (g > 0)
    assert 1 + d.sum() == pytest.approx(mt.solve_mcm(y[:, None] * A, y, 1.0, 0.1, "linprog").objective, rel=1e-9)


def test_columns_that_depend_on_each_other_have_no_vertex_to_be_seen_and_are_solved_all_the_same():
    A, y, C, price = small_problem()
    twice, prices = np.asfortranarray(np.hstack([A, A])), np.tile(price, 2)
    near = interior_point(Iterate(y, C, prices), twice, y, C, prices, 1e-6)
    assert vertex(near, near.partition(), twice, y, C, prices) is None
    agree(y[:, None] * twice, y, 1.0, 0.1)


def test_what_is_proved_from_inside_is_taken_to_a_vertex_all_the_same():
    """At a vertex, samples on the margin or at the cap hold every coefficient; inside, twice as many are not quite 0."""
    loaded = mt.load_dataset("tic-tac-toe")
    y = 2.0 * loaded.target - 1
    train, _ = stratified_folds(y, 5, 2021)[2]
    (part,) = make_parts(loaded.data, y, [(train, train)])
    K = mt.rbf_kernel(part.X, gamma=0.0625 / 27)
    s = mt.solve_mcm(K, part.y, C=1.0, sparsity=0.1, solver="highs")
    t = part.y * (K @ s.coef + s.b)
    held = np.isclose(t, 1, atol=1e-7) | np.isclose(t, s.h, atol=1e-7)
    assert np.count_nonzero(s.coef) + 1 <= np.count_nonzero(held) and s.certificate.gap < 1e-10


def test_a_wide_solution_goes_through_the_interior_point_method_and_ends_at_a_vertex():
    X, y = many(400)
    K = mt.rbf_kernel(X, gamma=0.05)
    s = mt.solve_mcm(K, y, 1.0, 0.1, "highs")
    assert s.certificate.gap < 1e-9
    assert np.count_nonzero(s.coef) > 140
    # a vertex: as many samples exactly on margin or cap as there are coefficients, b and (if h > 1) h
    t = y * (K @ s.coef + s.b)
    held = np.sum(np.isclose(t, 1, atol=1e-7) | np.isclose(t, s.h, atol=1e-7))
    assert held >= np.count_nonzero(s.coef) + 1
