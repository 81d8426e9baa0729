"""The hard margin against SVC with a huge C, another quadratic programme, and cases solved by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning as SklearnConvergenceWarning
from sklearn.svm import SVC

from mcmteach import LinearSVM, geometric_margin
from mcmteach.errors import ConvergenceWarning, InfeasibleError, InvalidInputError
from mcmteach.svm import hard_margin, largest_margin
from tests.svm.samples import INF, XOR, separable


def test_hard_margin_solved_by_hand():
    machine = LinearSVM(C=INF).fit([[1.0, 1.0], [-1.0, -1.0]], [1, -1])
    np.testing.assert_allclose(machine.coef_, [[0.5, 0.5]], atol=1e-9)
    np.testing.assert_allclose(machine.intercept_, [0.0], atol=1e-9)
    np.testing.assert_allclose(machine.alpha_, [0.25, 0.25], atol=1e-9)  # as in scikit-learn's own tests of SVC
    assert machine.objective_ == pytest.approx(0.25) and machine.gap_ <= 1e-9


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 6), margin=st.sampled_from([0.05, 0.3, 1.0]))
def test_hard_margin_is_svc_with_a_huge_C(seed, n, margin):
    X, y = separable(seed, n=n, margin=margin)
    ours = LinearSVM(C=INF).fit(X, y)
    theirs = SVC(C=1e6, kernel="linear", tol=1e-8).fit(X, y)
    scale = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3 * scale)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-3 * scale)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.gap_ <= 1e-6


def test_hard_margin_is_feasible_and_stationary():
    X, y = separable(4, n=3)
    w, b, alpha, gap, _ = hard_margin(X, y)
    t = y * (X @ w + b)
    assert t.min() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose((alpha * y) @ X, w, rtol=1e-6)
    assert abs(alpha @ y) < 1e-9 * alpha.sum() and gap <= 1e-9
    assert alpha[t > 1 + 1e-5].max() == 0  # what does not touch the margin does not hold the plane
    assert geometric_margin(X, y, w, b) == pytest.approx(1 / np.linalg.norm(w))


def test_far_from_the_origin_it_finds_the_same_plane():
    X, y = separable(0)
    here, there = hard_margin(X, y), hard_margin(X + np.array([1e4, -1e4]), y)
    np.testing.assert_allclose(here.w, there.w, rtol=1e-5)
    assert here.b == pytest.approx(there.b + there.w @ [1e4, -1e4], abs=1e-4)


def test_penalised_b_against_a_machine_without_b():
    X, y = separable(7)
    plane = hard_margin(X, y, penalise_b=True)
    augmented = np.column_stack([X, np.ones(len(y))])

    def constraint(v):
        return y * (augmented @ v) - 1

    start = np.append(*hard_margin(X, y)[:2])
    peer = minimize(
        lambda v: v @ v / 2,
        start,
        jac=lambda v: v,
        constraints={"type": "ineq", "fun": constraint},
        method="trust-constr",
    )
    assert (plane.w @ plane.w + plane.b**2) / 2 == pytest.approx(peer.fun, rel=1e-4)
    assert constraint(np.append(plane.w, plane.b)).min() >= -1e-9


def test_hard_margin_that_does_not_exist():
    X, y = XOR
    with pytest.raises(InfeasibleError, match=r"No hyperplane separates.*Allow slack with a finite C") as caught:
        LinearSVM(C=INF).fit(X, y)
    a = caught.value.weights
    np.testing.assert_allclose(a[y > 0] @ X[y > 0], a[y < 0] @ X[y < 0])  # the hulls meet here
    with pytest.raises(InfeasibleError, match="Samples 0 and 2 are identical and have opposite labels"):
        LinearSVM(C=INF).fit([[1.0], [2.0], [1.0]], [1, 1, -1])


def test_a_plane_that_is_not_the_best_is_not_proved_and_the_warning_names_the_callers_line(monkeypatch):
    X, y = separable(3)
    best = hard_margin(X, y)

    def inexact(*arguments, **options):
        result = minimize(*arguments, **options)
        result.x = result.x + 0.05 * np.linalg.norm(result.x) * np.array([1.0, -1.0, 0.0])
        return result

    monkeypatch.setattr(largest_margin, "minimize", inexact)
    for solve in (lambda: hard_margin(X, y), lambda: LinearSVM(C=INF).fit(X, y)):
        with pytest.warns(ConvergenceWarning, match=r"relative duality gap .* allow more iterations") as caught:
            solve()
        assert caught[0].filename == __file__ and issubclass(caught[0].category, SklearnConvergenceWarning)
    with pytest.warns(ConvergenceWarning):
        worse = hard_margin(X, y)
    assert worse.w @ worse.w * (1 - worse.gap) <= best.w @ best.w < worse.w @ worse.w


def test_one_class_has_no_margin():
    with pytest.raises(InvalidInputError, match="one class only"):
        hard_margin([[1.0], [2.0]], [1, 1])
