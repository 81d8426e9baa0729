"""The exact soft margin against SVC and linprog, by hand, and what its price C buys."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.svm import SVC

from mcmteach.datasets.worlds import separable_points
from mcmteach.errors import ConvergenceWarning, InfeasibleError, InvalidInputError
from mcmteach.svm import hard_margin, slack, soft_margin, soft_margin_objective
from tests.svm.samples import any_price, any_sample, cost


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
