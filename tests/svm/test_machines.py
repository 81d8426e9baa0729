"""The slides' support vector machines against SVC, L-BFGS, finite differences and cases solved by hand."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning as SklearnConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

import mcmteach as mt
from mcmteach import RBF, KernelSVM, LinearSVM, geometric_margin, rbf_kernel
from mcmteach.bounds import hinge_loss
from mcmteach.embedding import center_kernel
from mcmteach.errors import ConvergenceWarning, InfeasibleError, InvalidInputError
from mcmteach.svm import KernelLeastSquares, hard_margin
from mcmteach.svm.machines import (
    kernel_svm_gradient,
    kernel_svm_objective,
    slack,
    smooth_hinge_loss,
    smooth_svm_gradient,
    smooth_svm_objective,
    soft_margin_objective,
    soft_margin_subgradient,
)
from mcmteach.svm.smooth_losses import KernelProblem, SmoothProblem, balanced

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([1, 1, -1, -1])
INF = float("inf")


def separable(seed, M=40, n=2, margin=0.2):
    rng = np.random.default_rng(seed)
    u = rng.normal(size=n)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(M, n))
    y = np.where(np.arange(M) % 2, 1, -1)
    return X + np.outer(y * (margin + rng.exponential(0.5, M)) - X @ u, u) + rng.normal(size=n), y


def overlapping(seed, M=60, n=2):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(M) % 3, 1, -1)  # twice as many of one class
    return rng.normal(size=(M, n)) + 0.7 * y[:, None], y


def lbfgs(objective, size):
    options = {"maxiter": 20_000, "maxfun": 10**6, "ftol": 1e-15, "gtol": 1e-9}
    return minimize(objective, np.zeros(size), jac=True, method="L-BFGS-B", options=options).fun


# --- hard margin -----------------------------------------------------------------------------------------------------


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


# --- soft margin -----------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_slack_is_the_least_that_the_constraints_allow(seed):
    X, y = overlapping(seed, M=12)
    rng = np.random.default_rng(seed)
    w, b = rng.normal(size=2), rng.normal()
    zeta = slack(X, y, w, b)
    t = y * (X @ w + b)
    assert (zeta >= 0).all() and (t + zeta >= 1 - 1e-12).all()  # P(2), P(3)
    less = zeta - 1e-6
    assert ((less < 0) | (t + less < 1)).all()


def test_soft_margin_objective_solved_by_hand():
    # w = (1, 0), b = 0: the margins y f are 2, 1/2 and -1, so the slacks are 0, 1/2 and 2
    X, y = [[2.0, 5.0], [0.5, 0.0], [1.0, -3.0]], [1, 1, -1]
    assert soft_margin_objective(X, y, [1.0, 0.0], 0.0, C=3.0) == pytest.approx(0.5 + 3 * 2.5)


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.1, 1.0, 10.0]))
def test_subgradient_inequality_at_any_two_planes(seed, C):
    X, y = overlapping(seed, M=15)
    rng = np.random.default_rng(seed)
    w, b, v, c = rng.normal(size=2), rng.normal(), 3 * rng.normal(size=2), rng.normal()
    g, g_b = soft_margin_subgradient(X, y, w, b, C)
    below = soft_margin_objective(X, y, w, b, C) + g @ (v - w) + g_b * (c - b)
    assert soft_margin_objective(X, y, v, c, C) >= below - 1e-9


def test_subgradient_against_finite_differences():
    X, y = overlapping(1, M=20)
    w, b = np.array([0.4, -0.3]), 0.2  # no sample lies on the margin here, so E is differentiable
    assert np.abs(y * (X @ w + b) - 1).min() > 1e-3
    numeric = approx_fprime(np.append(w, b), lambda v: soft_margin_objective(X, y, v[:-1], v[-1], 2.0), 1e-7)
    np.testing.assert_allclose(np.append(*soft_margin_subgradient(X, y, w, b, 2.0)), numeric, atol=1e-4)


def test_the_indicator_belongs_inside_the_sum():
    """The slides' line, read as printed, adds every sample as soon as one is inside the margin. That is no subgradient."""
    X, y = np.array([[2.0], [1.0], [-0.2], [-4.0]]), np.array([1, 1, -1, -1])
    w, b, C = np.array([1.0]), 0.0, 1.0
    g, _ = soft_margin_subgradient(X, y, w, b, C)
    assert g == pytest.approx(1.0 - 0.2)  # only -0.2 is inside
    printed = w - C * (y @ X)
    v = w - 0.3 * printed  # a step as printed goes the wrong way
    assert printed * g < 0
    assert soft_margin_objective(X, y, v, b, C) > soft_margin_objective(X, y, w, b, C)
    linear_bound = soft_margin_objective(X, y, w, b, C) + float(printed @ (np.zeros(1) - w))
    assert soft_margin_objective(X, y, np.zeros(1), b, C) < linear_bound


@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_subgradient_descent_reaches_svcs_objective(C, seed):
    X, y = overlapping(seed, M=80)
    ours = LinearSVM(C=C, tol=1e-3, max_iter=50_000).fit(X, y)
    theirs = SVC(C=C, kernel="linear", tol=1e-8).fit(X, y)
    optimum = soft_margin_objective(X, y, theirs.coef_[0], theirs.intercept_[0], C)
    assert optimum * (1 - 1e-6) <= ours.objective_ <= optimum * (1 + 1e-3)
    assert ours.objective_ == pytest.approx(soft_margin_objective(X, y, ours.coef_[0], ours.intercept_[0], C))
    assert ours.objective_ * (1 - ours.gap_) <= optimum * (1 + 1e-6)  # the proof proves what it says
    assert np.mean(ours.predict(X) == theirs.predict(X)) >= 0.95


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10_000), loss=st.sampled_from(["hinge", "smooth"]))
def test_w_is_a_combination_of_samples_up_to_the_gap(seed, loss):
    X, y = overlapping(seed)
    machine = LinearSVM(loss=loss, tol=0.02, max_iter=50_000).fit(X, y)
    alpha = machine.alpha_
    assert alpha.min() >= 0 and alpha.max() <= 1 + 1e-12 and abs(alpha @ y) < 1e-9
    distance = np.linalg.norm((alpha * y) @ X - machine.coef_[0])
    assert distance**2 / 2 <= machine.gap_ * machine.objective_ + 1e-12  # 1-strong convexity in w
    assert machine.gap_ <= 0.02


def test_the_slides_C_is_twice_svcs():
    X, y = overlapping(3)
    C_S = 0.1

    def slides(v):  # ||w||² + C_S sum of slacks, as the slides first write it
        w, b = v[:-1], v[-1]
        return w @ w + C_S * hinge_loss(y, X @ w + b).sum()

    ours = LinearSVM(C=C_S / 2, tol=1e-3, max_iter=50_000).fit(X, y)
    found = slides(np.append(ours.coef_[0], ours.intercept_[0]))
    assert found == pytest.approx(2 * soft_margin_objective(X, y, ours.coef_[0], ours.intercept_[0], C_S / 2))
    theirs = SVC(C=C_S / 2, kernel="linear", tol=1e-8).fit(X, y)
    assert found == pytest.approx(slides(np.append(theirs.coef_[0], theirs.intercept_[0])), rel=1e-3)
    other = SVC(C=C_S, kernel="linear", tol=1e-8).fit(X, y)
    assert slides(np.append(other.coef_[0], other.intercept_[0])) > found * (1 + 1e-3)


@pytest.mark.parametrize("loss", ["hinge", "smooth"])
def test_the_origin_does_not_matter(loss):
    X, y = overlapping(2)
    here, there = LinearSVM(loss=loss).fit(X, y), LinearSVM(loss=loss).fit(X + 100, y)
    np.testing.assert_allclose(here.coef_, there.coef_, rtol=1e-6)
    np.testing.assert_allclose(here.decision_function(X), there.decision_function(X + 100), atol=1e-6)


@pytest.mark.parametrize(("C", "loss"), [(1.0, "hinge"), (1.0, "smooth"), (INF, "hinge")])
def test_history(C, loss):
    X, y = separable(2)
    machine = LinearSVM(C=C, loss=loss).fit(X, y)
    objective, margin, w, b = machine.history_
    n = len(objective)
    assert margin.shape == b.shape == (n,) and w.shape == (n, 2)
    assert n == machine.n_iter_ + 1 or np.isinf(C)
    assert (w[0] == 0).all() and np.isnan(margin[0]) and np.isfinite(margin[1:]).all()
    k = n // 2
    assert margin[k] == pytest.approx(geometric_margin(X, y, w[k], b[k]))
    if np.isinf(C):
        expected = w[k] @ w[k] / 2
    else:
        expected = (soft_margin_objective if loss == "hinge" else smooth_svm_objective)(X, y, w[k], b[k], C)
    assert objective[k] == pytest.approx(expected)
    last = n - 1 if np.isinf(C) else int(np.argmin(objective))
    assert machine.objective_ == objective[last]
    np.testing.assert_array_equal(machine.coef_[0], w[last])
    assert machine.intercept_[0] == b[last]


def test_a_support_vector_machine_rests_on_few_samples():
    X, y = make_blobs(100, centers=2, cluster_std=1.0, random_state=3)
    hard, theirs = LinearSVM(C=INF).fit(X, y), SVC(C=1e6, kernel="linear", tol=1e-8).fit(X, y)
    np.testing.assert_array_equal(hard.support_, np.sort(theirs.support_))
    np.testing.assert_array_equal(hard.support_vectors_, X[hard.support_])
    assert hard.n_support_ == len(hard.support_)
    assert LinearSVM(loss="smooth").fit(X, y).n_support_ > 3 * hard.n_support_  # a smooth loss lets go of nobody


# --- the smooth versions ---------------------------------------------------------------------------------------------


@given(f=st.floats(-500, 500), y=st.sampled_from([-1, 1]))
def test_the_smooth_hinge_lies_at_most_log_2_above_the_hinge(f, y):
    excess = float(smooth_hinge_loss(y, f) - hinge_loss(y, f))
    assert 0 <= excess <= np.log(2) + 1e-12
    assert float(smooth_hinge_loss(y, y)) == pytest.approx(np.log(2))  # on the margin they differ most


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.1, 1.0, 5.0]))
def test_gradients_against_finite_differences(seed, C):
    rng = np.random.default_rng(seed)
    X, y = overlapping(seed, M=10)
    w, b, z = rng.normal(size=2), rng.normal(), rng.normal(size=10)
    K = rbf_kernel(X, gamma=0.5)
    numeric = approx_fprime(np.append(w, b), lambda v: smooth_svm_objective(X, y, v[:-1], v[-1], C), 1e-7)
    np.testing.assert_allclose(np.append(*smooth_svm_gradient(X, y, w, b, C)), numeric, atol=1e-4)
    numeric = approx_fprime(np.append(z, b), lambda v: kernel_svm_objective(K, y, v[:-1], v[-1], C), 1e-7)
    np.testing.assert_allclose(np.append(*kernel_svm_gradient(K, y, z, b, C)), numeric, atol=1e-4)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_the_descent_follows_these_gradients(seed):
    """Along w itself for a plane; for a kernel along g, where the slides' gradient is K g."""
    rng = np.random.default_rng(seed)
    X, y = overlapping(seed, M=10)
    w, b, z, C = rng.normal(size=2), rng.normal(), rng.normal(size=10), 2.0
    plane = SmoothProblem(X, y, C, m=1.0)
    g, g_b, answers, square = plane.gradient(plane.step(w, b, X @ w + b))
    np.testing.assert_allclose(np.append(g, g_b), np.append(*smooth_svm_gradient(X, y, w, b, C)))
    np.testing.assert_allclose(answers, X @ g + g_b)
    assert square == pytest.approx(g @ g + g_b**2)
    K = rbf_kernel(X, gamma=0.5)
    kernel = KernelProblem(K, y, C, m=1.0)
    step = kernel.step(z, b, K @ z + b)
    assert step.objective == pytest.approx(kernel_svm_objective(K, y, z, b, C))
    g, g_b, answers, square = kernel.gradient(step)
    np.testing.assert_allclose(np.append(K @ g, g_b), np.append(*kernel_svm_gradient(K, y, z, b, C)), atol=1e-12)
    assert square == pytest.approx(g @ K @ g + g_b**2)


@pytest.mark.parametrize("C", [0.1, 1.0, 20.0])
def test_the_smooth_plane_reaches_lbfgs(C):
    X, y = overlapping(0, M=100, n=4)

    def objective(v):
        g, g_b = smooth_svm_gradient(X, y, v[:-1], v[-1], C)
        return smooth_svm_objective(X, y, v[:-1], v[-1], C), np.append(g, g_b)

    machine = LinearSVM(C=C, loss="smooth").fit(X, y)
    assert machine.objective_ == pytest.approx(lbfgs(objective, 5), abs=1e-4, rel=1e-6)
    assert machine.gap_ <= 1e-6


@pytest.mark.parametrize("C", [0.1, 1.0, 20.0])
@pytest.mark.parametrize("kernel", [RBF(2.0), "poly"], ids=["rbf", "poly"])
def test_the_smooth_kernel_machine_reaches_lbfgs(C, kernel):
    X, y = make_moons(60, noise=0.25, random_state=0)
    y = 2 * y - 1
    machine = KernelSVM(kernel, C=C, degree=2, max_iter=5000).fit(X, y)
    K = kernel(X, X) if callable(kernel) else (X @ X.T + 1) ** 2
    values, vectors = np.linalg.eigh(K)
    A = vectors * np.sqrt(np.maximum(values, 0))  # explicit features: L-BFGS is slow in z, as K is ill-conditioned

    def objective(v):
        w, b = v[:-1], v[-1]
        f = A @ w + b
        s = C / (1 + np.exp(np.clip(y * f - 1, -500, 500)))
        return w @ w / 2 + C * np.logaddexp(0, 1 - y * f).sum(), np.append(w - A.T @ (s * y), -s @ y)

    optimum = lbfgs(objective, 61)
    assert machine.objective_ == pytest.approx(optimum, abs=1e-4, rel=2e-6)
    assert machine.objective_ == pytest.approx(
        kernel_svm_objective(K, y, machine.dual_coef_[0], machine.intercept_[0], C), rel=1e-9
    )


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.1, 1.0, 10.0]), m=st.sampled_from([0.0, 1.0]))
def test_no_machine_lies_below_the_lower_bound(seed, C, m):
    rng = np.random.default_rng(seed)
    X, y = overlapping(seed, M=20)
    problem = KernelProblem(rbf_kernel(X, gamma=1.0), y, C, m)
    lower, alpha = problem.lower_bound(rng.uniform(0, C, 20))
    assert abs(alpha @ y) < 1e-9 and alpha.min() >= 0 and alpha.max() <= C
    for scale in (0.1, 1.0, 5.0):
        z, b = scale * rng.normal(size=20), rng.normal()
        assert problem.step(z, b, problem.X @ z + b).objective >= lower


def test_balanced():
    np.testing.assert_allclose(balanced(np.array([1.0, 3.0, 2.0]), np.array([1, 1, -1])), [0.5, 1.5, 2.0])
    np.testing.assert_array_equal(balanced(np.array([1.0, 0.0]), np.array([1, -1])), [0, 0])


def test_centred_is_the_kernel_about_the_mean():
    X, _ = overlapping(0, M=10)
    Z = X - X.mean(axis=0)
    np.testing.assert_allclose(center_kernel(X @ X.T), Z @ Z.T, atol=1e-12)


@pytest.mark.parametrize("noise", [0.2, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_on_noisy_moons_it_is_as_good_as_svc(seed, noise):
    X, y = make_moons(200, noise=noise, random_state=seed)
    X_new, y_new = make_moons(2000, noise=noise, random_state=100 + seed)
    ours = KernelSVM().fit(X, y)
    theirs = SVC().fit(X, y)
    assert abs(ours.score(X_new, y_new) - theirs.score(X_new, y_new)) <= 0.03
    assert ours.gamma_ == pytest.approx(theirs._gamma)
    linear, peer = LinearSVM().fit(X, y), SVC(kernel="linear").fit(X, y)
    assert abs(linear.score(X_new, y_new) - peer.score(X_new, y_new)) <= 0.03


def test_on_clean_moons_the_smooth_loss_costs_some_points_and_a_larger_C_brings_them_back():
    X, y = make_moons(100, noise=0.1, random_state=0)
    X_new, y_new = make_moons(2000, noise=0.1, random_state=99)
    theirs = SVC().fit(X, y).score(X_new, y_new)
    assert theirs - KernelSVM().fit(X, y).score(X_new, y_new) > 0.02
    assert theirs - KernelSVM(C=5.0).fit(X, y).score(X_new, y_new) < 0.01


def test_ways_to_name_a_kernel():
    X, y = make_moons(60, noise=0.2, random_state=0)
    f = KernelSVM(gamma=2.0).fit(X, y).decision_function(X)
    K = rbf_kernel(X, gamma=2.0)
    np.testing.assert_allclose(KernelSVM(RBF(2.0)).fit(X, y).decision_function(X), f)
    np.testing.assert_allclose(KernelSVM(lambda A, B: rbf_kernel(A, B, 2.0)).fit(X, y).decision_function(X), f)
    np.testing.assert_allclose(KernelSVM("precomputed").fit(K, y).decision_function(K[:5]), f[:5])
    np.testing.assert_allclose(KernelSVM(gamma=2.0).fit(sp.csr_array(X), y).decision_function(X), f, atol=1e-8)
    np.testing.assert_allclose(KernelSVM("precomputed").fit(sp.csr_array(K), y).decision_function(K), f)
    assert KernelSVM(gamma="auto").fit(X, y).gamma_ == 0.5
    linear, plane = KernelSVM("linear").fit(X, y), LinearSVM(loss="smooth").fit(X, y)
    np.testing.assert_allclose(linear.decision_function(X), plane.decision_function(X), atol=1e-3)
    np.testing.assert_allclose(linear.dual_coef_[0] @ X, plane.coef_[0], atol=1e-3)


# --- limits and bad input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "machine", [LinearSVM(max_iter=4), LinearSVM(loss="smooth", max_iter=2), KernelSVM(max_iter=2)]
)
def test_iteration_limits(machine):
    X, y = overlapping(0)
    with pytest.warns(
        ConvergenceWarning, match=r"After \d iterations the objective is .* allow more iterations"
    ) as caught:
        machine.fit(X, y)
    assert machine.n_iter_ == machine.max_iter and 1e-6 < machine.gap_ <= 1
    assert issubclass(caught[0].category, SklearnConvergenceWarning)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        (LinearSVM(C=0), "C must be a number > 0"),
        (LinearSVM(C=-INF), "C must be a number > 0"),
        (LinearSVM(C="1"), "C must be a number > 0"),
        (LinearSVM(loss="logistic"), "no loss 'logistic'. Choose 'hinge' or 'smooth'"),
        (LinearSVM(tol=0), "tol must be a finite number > 0"),
        (LinearSVM(max_iter=0), "max_iter must be a whole number >= 1"),
        (KernelSVM(C=INF), "C must be a finite number > 0"),
        (KernelSVM(C=float("nan")), "C must be a finite number > 0"),
        (KernelSVM(gamma=0), "gamma must be a finite number > 0"),
        (KernelSVM(kernel="spline"), "no kernel 'spline'"),
        (KernelSVM(kernel="poly", degree=0), "degree must be a whole number >= 1"),
        (KernelSVM(kernel=lambda X, Z: X), r"gave a matrix of shape \(4, 2\), and \(4, 4\) is needed"),
        (KernelSVM(kernel=lambda X, Z: -(X @ Z.T)), "not symmetric positive semi-definite"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_parameters(machine, message):
    with pytest.raises(InvalidInputError, match=message):
        machine.fit(*XOR)


def test_bad_arguments_of_the_formulas():
    X, y = XOR
    with pytest.raises(InvalidInputError, match="w has 3 entries, and 2 are needed"):
        soft_margin_objective(X, y, [1.0, 2.0, 3.0], 0.0)
    with pytest.raises(InvalidInputError, match="C must be a finite number > 0"):
        soft_margin_subgradient(X, y, [1.0, 2.0], 0.0, C=0)
    with pytest.raises(InvalidInputError, match="A kernel matrix is square"):
        kernel_svm_objective(X, y, [0.0] * 4, 0.0)
    with pytest.raises(InvalidInputError, match="this function needs -1 and \\+1"):
        smooth_svm_gradient(X, [0, 1, 0, 1], [1.0, 2.0], 0.0)
    with pytest.raises(InvalidInputError, match="one class only"):
        hard_margin([[1.0], [2.0]], [1, 1])


@pytest.mark.filterwarnings(
    "ignore::mcmteach.errors.ConvergenceWarning", "ignore::mcmteach.errors.DataConversionWarning"
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("machine", [LinearSVM(), LinearSVM(loss="smooth"), KernelSVM()], ids=repr)
def test_scikit_learns_checks(machine):
    check_estimator(machine)


def test_a_kernel_that_overflows_is_refused_and_does_not_loop():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2)) * 1e60
    for machine in (KernelSVM("poly"), mt.KernelPerceptron("poly"), KernelLeastSquares("poly")):
        with pytest.raises(InvalidInputError, match="overflow"), np.errstate(over="ignore"):
            machine.fit(X, np.arange(20) % 2)
