"""LinearSVM against SVC and L-BFGS, its history, its support vectors, its limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning as SklearnConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from mcmteach import LinearSVM, geometric_margin
from mcmteach.bounds import hinge_loss
from mcmteach.errors import ConvergenceWarning, InvalidInputError
from mcmteach.svm import smooth_svm_gradient, smooth_svm_objective, soft_margin_objective
from tests.svm.samples import INF, XOR, lbfgs, overlapping, separable


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


@pytest.mark.filterwarnings("error::RuntimeWarning")
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


@pytest.mark.parametrize("C", [0.1, 1.0, 20.0])
def test_the_smooth_plane_reaches_lbfgs(C):
    X, y = overlapping(0, M=100, n=4)

    def objective(v):
        g, g_b = smooth_svm_gradient(X, y, v[:-1], v[-1], C)
        return smooth_svm_objective(X, y, v[:-1], v[-1], C), np.append(g, g_b)

    machine = LinearSVM(C=C, loss="smooth").fit(X, y)
    assert machine.objective_ == pytest.approx(lbfgs(objective, 5), abs=1e-4, rel=1e-6)
    assert machine.gap_ <= 1e-6


@pytest.mark.parametrize("machine", [LinearSVM(max_iter=4), LinearSVM(loss="smooth", max_iter=2)])
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
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_parameters(machine, message):
    with pytest.raises(InvalidInputError, match=message):
        machine.fit(*XOR)


@pytest.mark.filterwarnings(
    "ignore::mcmteach.errors.ConvergenceWarning", "ignore::mcmteach.errors.DataConversionWarning"
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("machine", [LinearSVM(), LinearSVM(loss="smooth")], ids=repr)
def test_scikit_learns_checks(machine):
    check_estimator(machine)


@pytest.mark.parametrize("noise", [0.2, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_on_noisy_moons_it_is_as_good_as_svc(seed, noise):
    X, y = make_moons(200, noise=noise, random_state=seed)
    X_new, y_new = make_moons(2000, noise=noise, random_state=100 + seed)
    linear, peer = LinearSVM().fit(X, y), SVC(kernel="linear").fit(X, y)
    assert abs(linear.score(X_new, y_new) - peer.score(X_new, y_new)) <= 0.03
