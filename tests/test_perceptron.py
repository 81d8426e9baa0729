"""Rosenblatt's perceptron against scikit-learn's and Novikoff's bound; the kernel perceptron against other solvers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning as SklearnConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from mcmteach import KernelPerceptron, Perceptron, radius, rbf_kernel
from mcmteach.bounds import perceptron_loss
from mcmteach.datasets.worlds import separable_points
from mcmteach.errors import ConvergenceWarning, InfeasibleError, InvalidInputError, NotFittedError
from mcmteach.perceptron import (
    combination,
    kernel_perceptron_gradient,
    kernel_perceptron_objective,
    novikoff_bound,
    perceptron_dual,
    perceptron_primal,
    perceptron_steps,
    smooth_perceptron_loss,
)
from mcmteach.svm import hard_margin

XOR = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]), np.array([1, 1, -1, -1])


def separable(seed, M=30, n=3, margin=0.1):
    """Points whose distance from a random plane is at least ``margin``, on both sides of it."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=n)
    u, b = u / np.linalg.norm(u), rng.normal()
    X = rng.normal(size=(M, n)) * rng.choice([0.3, 1.0, 3.0])
    y = np.where(np.arange(M) % 2, 1.0, -1.0)
    return X + np.outer(y * (margin + rng.exponential(0.5, M)) - b - X @ u, u), y


# --- Rosenblatt's rule -----------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), margin=st.sampled_from([0.05, 0.3, 1.0]), n=st.integers(1, 5))
def test_mistakes_stay_below_novikoffs_bound(seed, margin, n):
    X, y = separable(seed, n=n, margin=margin)
    bound = novikoff_bound(X, y)
    rng = np.random.default_rng(seed)
    for order in (np.arange(len(y)), np.argsort(y, kind="stable"), rng.permutation(len(y))):
        machine = Perceptron(max_iter=100_000).fit(X[order], y[order])
        assert 1 <= machine.n_mistakes_ <= bound
        assert machine.score(X, y) == 1.0


def test_novikoffs_bound_solved_by_hand():
    # y x̂ is (3, 1) and (-1, -1); the nearest point of their segment to 0 is (0.2, -0.4), so γ² = 0.2, and R² = 10
    assert novikoff_bound([[3.0], [1.0]], [1, -1]) == pytest.approx(50.0, rel=1e-9)


def test_margins_without_the_constant_feature_would_break_the_theorem():
    X, y = np.array([[3.0], [1.0]]), np.array([1, -1])
    without = (3.0 / 1.0) ** 2  # R = 3, and the plane x = 2 has a margin of 1
    assert without < Perceptron().fit(X, y).n_mistakes_ <= novikoff_bound(X, y)


def test_novikoffs_bound_needs_a_plane():
    with pytest.raises(InfeasibleError, match="No hyperplane separates"):
        novikoff_bound(*XOR)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), M=st.integers(4, 25), n=st.integers(1, 4))
def test_both_forms_make_the_same_mistakes(seed, M, n):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(M, n)).astype(float)  # whole numbers: both forms compute exactly
    y = np.where(np.arange(M) % 2, 1, -1)
    w, primal = perceptron_primal(X, y, max_iter=20)
    dual = perceptron_dual(X @ X.T, y, max_iter=20)
    assert primal.errors == dual.errors and primal.b == dual.b
    np.testing.assert_array_equal(primal.alpha, dual.alpha)
    np.testing.assert_array_equal(w, combination(X, y, dual.alpha))


def test_a_round_is_rosenblatts_loop():
    """Against the textbook's loop, sample by sample."""
    X, y = make_blobs(60, centers=2, cluster_std=3, random_state=1)
    y = 2 * y - 1
    w, b, errors = np.zeros(2), 0.0, []
    for _ in range(15):
        errors.append(0)
        for x, d in zip(X, y, strict=True):
            if d * (x @ w + b) <= 0:
                w, b = w + d * x, b + d
                errors[-1] += 1
        if errors[-1] == 0:
            break
    ours, rounds = perceptron_primal(X, y, max_iter=15)
    assert rounds.errors == errors and rounds.b == b
    np.testing.assert_allclose(ours, w)


@pytest.mark.parametrize("form", ["primal", "dual"])
def test_it_is_scikit_learns_perceptron(form):
    X, y = separable(5, M=80, n=4)
    ours = Perceptron(form=form, max_iter=10_000).fit(X, y)
    theirs = SklearnPerceptron(shuffle=False, tol=None, max_iter=ours.n_iter_).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-9)


def test_w_is_the_counted_combination_of_samples():
    X, y = separable(3)
    machine = Perceptron().fit(X, y)
    np.testing.assert_allclose(combination(X, y, machine.alpha_), machine.coef_[0])
    assert machine.alpha_ @ y == machine.intercept_[0]
    assert machine.n_mistakes_ == machine.alpha_.sum() == sum(machine.errors_) and machine.errors_[-1] == 0
    np.testing.assert_array_equal(combination([[1, 0, 0], [0, 0, 1]], [1, 1], [1, 1]), [1, 0, 1])  # the slides' example


def test_the_dual_form_learns_xor_with_the_quadratic_kernel():
    X, y = XOR
    K = (X @ X.T) ** 2
    alpha, b, errors = perceptron_dual(K, y)
    assert errors[-1] == 0
    assert (y * (K @ (alpha * y) + b) > 0).all()


def test_without_a_separating_plane_it_stops_and_says_so():
    with pytest.warns(ConvergenceWarning, match="After 25 passes the perceptron still makes 4 mistakes") as caught:
        machine = Perceptron(max_iter=25).fit(*XOR)
    assert machine.n_iter_ == 25 and len(machine.errors_) == 25
    assert issubclass(caught[0].category, SklearnConvergenceWarning)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"form": "triple"}, "no form 'triple'. Choose 'primal' or 'dual'"),
        ({"max_iter": 0}, "max_iter must be a whole number >= 1"),
        ({"max_iter": 1.5}, "max_iter must be a whole number >= 1"),
    ],
)
def test_bad_parameters_of_the_perceptron(parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        Perceptron(**parameters).fit(*XOR)


def test_bad_data():
    with pytest.raises(InvalidInputError, match="one class only"):
        Perceptron().fit([[1.0], [2.0]], [1, 1])
    with pytest.raises(InvalidInputError, match="contains NaN"):
        Perceptron().fit([[1.0], [np.nan]], [1, -1])
    with pytest.raises(NotFittedError, match="not fitted"):
        Perceptron().predict([[1.0]])
    with pytest.raises(InvalidInputError, match="A kernel matrix is square"):
        perceptron_dual([[1.0, 2.0]], [1])
    with pytest.raises(InvalidInputError, match="alpha has 1 entries, but 2 are needed"):
        combination([[1.0], [2.0]], [1, -1], [1.0])


# --- the kernel perceptron -------------------------------------------------------------------------------------------


@given(f=st.floats(-500, 500), y=st.sampled_from([-1, 1]))
def test_the_smooth_loss_lies_at_most_log_2_above_the_perceptron_loss(f, y):
    excess = float(smooth_perceptron_loss(y, f) - perceptron_loss(y, f))
    assert 0 <= excess <= np.log(2) + 1e-12
    assert float(smooth_perceptron_loss(y, 0.0)) == pytest.approx(np.log(2))


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), lam=st.sampled_from([0.0, 0.1, 2.0]))
def test_gradients_against_finite_differences(seed, lam):
    rng = np.random.default_rng(seed)
    K = rbf_kernel(rng.normal(size=(8, 2)), gamma=0.5)
    y, z, b = np.where(np.arange(8) % 2, 1, -1), rng.normal(size=8), rng.normal()
    numeric = approx_fprime(np.append(z, b), lambda v: kernel_perceptron_objective(K, y, v[:-1], v[-1], lam), 1e-7)
    g, g_b = kernel_perceptron_gradient(K, y, z, b, lam)
    np.testing.assert_allclose(np.append(g, g_b), numeric, atol=1e-5)


@pytest.mark.parametrize("lam", [0.01, 0.1, 1.0])
def test_it_is_logistic_regression_in_feature_space(lam):
    X, y = make_moons(120, noise=0.25, random_state=0)
    y = 2 * y - 1
    machine = KernelPerceptron(lam=lam, gamma=1.0).fit(X, y)
    K = rbf_kernel(X, gamma=1.0)
    values, vectors = np.linalg.eigh(K)
    features = vectors * np.sqrt(np.maximum(values, 0))  # features @ features.T = K
    peer = LogisticRegression(C=1 / lam, tol=1e-10, max_iter=20_000).fit(features, y)
    w = peer.coef_[0]
    theirs = np.logaddexp(0, -y * peer.decision_function(features)).sum() + lam / 2 * w @ w
    assert machine.objective_ == pytest.approx(theirs, rel=1e-5)
    assert machine.objective_ == pytest.approx(
        kernel_perceptron_objective(K, y, machine.dual_coef_[0], machine.intercept_[0], lam), rel=1e-9
    )
    np.testing.assert_allclose(machine.decision_function(X), peer.decision_function(features), atol=0.02)


def test_its_gradient_vanishes_and_its_objective_falls():
    X, y = make_moons(100, noise=0.2, random_state=1)
    machine = KernelPerceptron(tol=1e-10).fit(X, y)
    K = rbf_kernel(X, gamma=machine.gamma_)
    g, g_b = kernel_perceptron_gradient(K, 2 * y - 1, machine.dual_coef_[0], machine.intercept_[0], machine.lam)
    assert np.abs(g).max() < 1e-3 and abs(g_b) < 1e-3
    assert (np.diff(machine.objectives_) <= 1e-12 * machine.objectives_[:-1]).all()
    assert len(machine.objectives_) == machine.n_iter_ + 1
    assert machine.objectives_[0] == pytest.approx(100 * np.log(2))  # z = 0, b = 0


@pytest.mark.parametrize("seed", range(4))
def test_on_noisy_moons_it_is_as_good_as_svc(seed):
    X, y = make_moons(200, noise=0.3, random_state=seed)
    X_new, y_new = make_moons(2000, noise=0.3, random_state=100 + seed)
    ours = KernelPerceptron().fit(X, y).score(X_new, y_new)
    assert abs(ours - SVC().fit(X, y).score(X_new, y_new)) <= 0.03


def test_the_iteration_limit():
    X, y = make_moons(60, noise=0.2, random_state=0)
    with pytest.warns(ConvergenceWarning, match="After 3 iterations") as caught:
        machine = KernelPerceptron(max_iter=3).fit(X, y)
    assert machine.n_iter_ == 3 and machine.gap_ > 1e-6
    assert issubclass(caught[0].category, SklearnConvergenceWarning)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"lam": 0}, "lam must be a finite number > 0"),
        ({"lam": float("inf")}, "lam must be a finite number > 0"),
        ({"tol": 0}, "tol must be a finite number > 0"),
        ({"max_iter": -1}, "max_iter must be a whole number >= 1"),
        ({"gamma": "narrow"}, "gamma must be a number > 0, 'scale', 'auto' or 'wide'"),
        ({"kernel": "sigmoid"}, "no kernel 'sigmoid'"),
        ({"kernel": lambda X, Z: -(X @ Z.T)}, "not symmetric positive semi-definite"),
        ({"kernel": "precomputed"}, "must be square for fit"),
    ],
)
def test_bad_parameters_of_the_kernel_perceptron(parameters, message):
    with pytest.raises(InvalidInputError, match=message):
        KernelPerceptron(**parameters).fit(*XOR)


@pytest.mark.filterwarnings(
    "ignore::mcmteach.errors.ConvergenceWarning", "ignore::mcmteach.errors.DataConversionWarning"
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize(
    "machine", [Perceptron(max_iter=50), Perceptron(form="dual", max_iter=50), KernelPerceptron()], ids=repr
)
def test_scikit_learns_checks(machine):
    check_estimator(machine)


# --- every mistake of the rule ---------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(M=st.integers(2, 30), gap=st.floats(0.1, 1.0), seed=st.integers(0, 10**6))
def test_each_step_is_a_mistake_that_the_rule_then_adds(M, gap, seed):
    X, y = separable_points(M, gap, seed)
    w, b = np.zeros(2), 0.0
    for step in perceptron_steps(X, y):
        assert y[step.p] * (w @ X[step.p] + b) <= 1e-9
        w, b = w + y[step.p] * X[step.p], b + y[step.p]
        np.testing.assert_allclose(step.w, w, atol=1e-9)
        assert step.b == b
    assert (y * (X @ w + b) > 0).all()


def test_two_points_break_the_bound_that_forgets_the_bias():
    X, y = np.array([[3.0], [1.0]]), np.array([1.0, -1.0])
    steps = perceptron_steps(X, y)
    wrong_bound = (radius(X) * np.linalg.norm(hard_margin(X, y).w)) ** 2
    assert wrong_bound == pytest.approx(9) and len(steps) == 10
    assert novikoff_bound(X, y) == pytest.approx(50)


def test_the_steps_end_where_the_rule_does():
    X, y = separable_points(16, gap=0.3, seed=26)
    steps = perceptron_steps(X, y)
    w, rounds = perceptron_primal(X, y)
    np.testing.assert_allclose(steps[-1].w, w)
    assert steps[-1].b == rounds.b
    np.testing.assert_array_equal(np.bincount([step.p for step in steps], minlength=16), rounds.alpha)
