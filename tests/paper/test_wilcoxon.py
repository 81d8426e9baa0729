"""Wilcoxon's signed-rank test, against a count of signs."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from mcmteach.errors import InvalidInputError
from mcmteach.paper import (
    PRINTED_P,
    compare_columns,
    printed_tests,
    signed_rank,
)


def test_wilcoxon_of_the_printed_table_2():
    mcm, svm, between = printed_tests()
    assert (mcm.a, mcm.b, svm.b, between.a) == ("conformal", "mcm", "svm", "mcm")
    assert (mcm.wins, mcm.losses, mcm.ties) == (22, 4, 1)
    assert mcm.p == pytest.approx(3.76e-5, abs=5e-8) and mcm.method == "exact"
    assert mcm.p == pytest.approx(PRINTED_P, rel=0.02)
    assert (svm.wins, svm.losses, svm.ties) == (10, 17, 0) and round(svm.p, 2) == 0.73


def exact_p(d):
    """By hand: of all 2^n ways to give the ranks signs, how many have a W as small as ours?"""
    ranks = scipy.stats.rankdata(np.abs(d))
    W = min(ranks[d > 0].sum(), ranks[d < 0].sum())
    sums = np.array([np.dot(signs, ranks) for signs in itertools.product((0, 1), repeat=len(d))])
    return np.mean((sums <= W) | (sums >= ranks.sum() - W))


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(-50, 50), min_size=1, max_size=9, unique_by=abs))
def test_the_exact_p_is_a_count_of_signs(differences):
    d = np.array(differences, dtype=float)
    test = signed_rank(70 + d, np.full(len(d), 70.0))
    some = d[d != 0]
    assert test.ties == len(d) - len(some)
    assert test.p == pytest.approx(exact_p(some) if len(some) else 1.0)
    back = signed_rank(np.full(len(d), 70.0), 70 + d)
    assert (back.p, back.wins, back.median) == (test.p, test.losses, -test.median)


def test_differences_that_are_equal_on_paper_share_a_rank():
    a, b = np.array([0.3, 80.3, 90.1]), np.array([0.1, 80.1, 90.2])  # 0.2 twice, but not in binary fractions
    assert a[0] - b[0] != a[1] - b[1]
    test = signed_rank(a, b)
    assert test.W == 1.0 and test.method == "normal approximation"


def test_equal_columns_prove_nothing():
    test = signed_rank([1.0, 2.0], [1.0, 2.0])
    assert (test.p, test.ties, test.median) == (1.0, 2, 0.0)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: signed_rank([1.0, 2.0], [1.0], ("new", "old")), "old has 1 entries, but 2"),
        (lambda: signed_rank([1.0, np.nan], [1.0, 2.0], ("new", "old")), "new contains NaN"),
        (lambda: compare_columns({"only": [1.0]}), "needs two columns"),
    ],
)
def test_bad_columns(call, says):
    with pytest.raises(InvalidInputError, match=says):
        call()
