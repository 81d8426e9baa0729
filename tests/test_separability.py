"""Separability and shattering, against geometry that needs no linear programme."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import mcmteach as mt
from mcmteach.errors import InvalidInputError, SolverError
from mcmteach.separability import is_separable, separate, unseparable_labels


def test_shatters_the_textbook_cases():
    assert mt.shatters([[0, 0], [1, 0], [0, 1]])
    assert not mt.shatters([[0, 0], [1, 0], [0, 1], [1, 1]])
    assert not mt.shatters([[0, 0], [1, 1], [2, 2]])
    assert mt.shatters(np.vstack([np.zeros(3), np.eye(3)]))  # n + 1 points of space
    assert not mt.shatters([[1, 2], [1, 2]])  # the same point twice cannot have two labels


@given(
    st.integers(1, 3).flatmap(
        lambda n: arrays(float, st.tuples(st.integers(1, 5), st.just(n)), elements=st.integers(-3, 3))
    )
)
def test_hyperplanes_shatter_exactly_the_affinely_independent_points(points):
    independent = np.linalg.matrix_rank(points[1:] - points[0]) == len(points) - 1 if len(points) > 1 else True
    assert mt.shatters(points) == independent


@given(
    arrays(float, (6, 2), elements=st.integers(-3, 3)), st.lists(st.sampled_from([-1.0, 1.0]), min_size=6, max_size=6)
)
def test_separable_agrees_with_trying_every_direction(points, y):
    # a direction stops separating only where it is at right angles to a difference of two points: try one in between
    y = np.array(y)
    differences = (points[:, None] - points[None, :]).reshape(-1, 2)
    critical = np.unique(np.round(np.arctan2(differences[:, 1], differences[:, 0]) + np.pi / 2, 12))
    between = (critical + np.append(critical[1:], critical[0] + 2 * np.pi)) / 2
    f = points @ np.array([np.cos(between), np.sin(between)])
    ordered = f[y > 0].min(axis=0, initial=np.inf) > f[y < 0].max(axis=0, initial=-np.inf) + 1e-9
    assert is_separable(points, y) == bool(ordered.any())


def test_unseparable_labels_are_a_witness():
    points = [[0, 0], [1, 0], [0, 1], [1, 1], [5, 5]]
    y = unseparable_labels(points)
    assert len(y) == 5 and not is_separable(points, y)


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-8])
def test_narrow_gaps_are_seen(gap):
    rng = np.random.default_rng(0)
    for _ in range(10):
        X = rng.normal(size=(20, 3))
        w = rng.normal(size=3)
        w /= np.linalg.norm(w)
        y = np.where(X @ w > 0, 1.0, -1.0)
        X = X - np.outer(X @ w, w) + np.outer(y * (gap / 2 + np.abs(X @ w) * (np.arange(20) > 3)), w)
        assert is_separable(X, y)


@given(arrays(float, (8, 2), elements=st.integers(-3, 3)), st.integers(1, 254))
def test_a_separation_is_a_plane_or_a_point_of_both_hulls(X, bits):
    y = np.where([bits >> i & 1 for i in range(8)], 1.0, -1.0)
    found = separate(X, y)
    if found.w is not None:
        assert found.weights is None and (y * (X @ found.w + found.b)).min() > 0
    else:
        a = found.weights
        assert a.min() >= 0 and a[y > 0].sum() == pytest.approx(1) and a[y < 0].sum() == pytest.approx(1)
        np.testing.assert_allclose((y * a) @ X, 0, atol=1e-9)


def test_what_cannot_be_shattered_or_decided_is_refused():
    with pytest.raises(InvalidInputError, match="dimension"):
        mt.shatters([])
    with pytest.raises(InvalidInputError, match="too many"):
        mt.shatters(np.eye(30))
    rng = np.random.default_rng(0)
    with pytest.raises(SolverError, match="could not be decided"):
        separate(rng.normal(size=(300, 100)), np.repeat([1.0, -1.0], 150), time_limit=1e-9)
