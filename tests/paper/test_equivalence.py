"""Bayesian signed-rank, Holm, critical difference: by hand, by printed tables, and by theorems at any seed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcmteach.errors import InvalidInputError
from mcmteach.experiments import NESTED, summarise
from mcmteach.paper.equivalence import critical_difference, holm, signed_rank_rope


@pytest.mark.parametrize(
    ("d", "better", "equivalent"),
    [(3.0, np.sqrt(0.5), 1 - np.sqrt(0.5)), (1.5, 1 - np.sqrt(0.5), np.sqrt(0.5)), (0.9, 0.0, 1.0)],
)
def test_one_row_by_hand(d, better, equivalent):
    """w_0 is uniform. Beyond 2r all but w_0² is "better", which wins where w_0² < 1/2; from r to 2r only w_1² is."""
    test = signed_rank_rope([d], [0.0], rope=1.0, samples=200_000)
    assert test.better == pytest.approx(better, abs=0.004) and test.equivalent == pytest.approx(equivalent, abs=0.004)
    assert test.worse == 0.0
    assert signed_rank_rope([0.0], [d], rope=1.0, samples=200_000).worse == pytest.approx(better, abs=0.004)


def test_two_rows_by_another_integration():
    """A grid over the triangle of weights instead of draws from it."""
    steps = (np.arange(1200) + 0.5) / 1200
    w1, w2 = (grid.ravel() for grid in np.meshgrid(steps, steps))
    inside = w1 + w2 < 1
    w = np.array([1 - w1 - w2, w1, w2])[:, inside]
    z = np.array([0.0, 2.5, -1.5])
    sums = z[:, None] + z
    better, worse = (np.einsum("is,ij,js->s", w, matrix.astype(float), w) for matrix in (sums > 2, sums < -2))
    largest = np.argmax([better, 1 - better - worse, worse], axis=0)
    expected = np.bincount(largest, minlength=3) / len(largest)
    assert signed_rank_rope([2.5, -1.5], [0.0, 0.0], rope=1.0, samples=200_000) == pytest.approx(expected, abs=0.005)


@settings(deadline=None, max_examples=20)
@given(st.lists(st.floats(-5, 5), min_size=1, max_size=12), st.floats(0, 2))
def test_the_columns_may_change_places_and_a_wider_region_holds_more(d, rope):
    d = np.array(d)
    one, other = signed_rank_rope(d, 0 * d, rope, samples=4000), signed_rank_rope(0 * d, d, rope, samples=4000)
    assert sum(one) == pytest.approx(1.0) and one == pytest.approx(other[::-1], abs=1e-12)
    assert signed_rank_rope(d, 0 * d, rope + 1, samples=4000).equivalent >= one.equivalent


def test_the_map_changes_nothing_that_anyone_would_mind():
    """On 23 sets, nested, conformal and plain MCM are equivalent within a point, P = 0.999; half: 0.97."""
    rows = summarise(NESTED)
    a, b = ([100 * row.mean(column) for row in rows] for column in ("conformal", "mcm"))
    assert signed_rank_rope(a, b, 1.0).equivalent == pytest.approx(0.999, abs=0.002)
    assert signed_rank_rope(a, b, 0.5).equivalent == pytest.approx(0.97, abs=0.02)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.001, 0.2))
def test_holm_rejects_what_the_step_down_procedure_rejects(p, level):
    """The procedure itself: from the smallest on, compare with level / (number left), and stop at the first that fails."""
    rejected = set()
    for k, i in enumerate(np.argsort(p, kind="stable")):
        if not p[i] * (len(p) - k) <= level:
            break
        rejected.add(int(i))
    assert set(np.flatnonzero(holm(p) <= level).tolist()) == rejected
    assert np.all(holm(p) >= np.array(p) - 1e-15) and np.all(holm(p) <= 1)


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_the_critical_values_are_those_of_demsars_table(k, q):
    columns = {str(i): np.arange(24.0) + i for i in range(k)}
    found = critical_difference(columns)
    assert found.critical_difference == pytest.approx(q * np.sqrt(k * (k + 1) / (6 * 24)), rel=3e-4)
    assert list(found.ranks.values()) == list(range(k, 0, -1))


def test_groups_overlap_where_neighbours_are_near():
    found = critical_difference({"a": [1.0] * 3, "b": [2.0] * 3})._replace(
        ranks={"a": 1.0, "b": 2.0, "c": 3.0, "d": 5.0}, critical_difference=1.5
    )
    assert found.groups() == [("a", "b"), ("b", "c"), ("d",)]
    ties = critical_difference({"a": [1.0, 2.0], "b": [1.0, 2.0]})
    assert ties.ranks == {"a": 1.5, "b": 1.5}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: signed_rank_rope([1.0], [1.0, 2.0]), "b has 2 entries"),
        (lambda: signed_rank_rope([1.0], [1.0], rope=-1), "half the width"),
        (lambda: signed_rank_rope([1.0], [1.0], samples=0), "samples must be"),
        (lambda: holm([0.5, 1.5]), "between 0 and 1"),
        (lambda: critical_difference({"only": [1.0]}), "needs two columns"),
    ],
)
def test_bad_input(call, says):
    with pytest.raises(InvalidInputError, match=says):
        call()
