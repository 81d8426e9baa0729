"""KernelSVM against SVC, L-BFGS in explicit features, and finite differences."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning as SklearnConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

import mcmteach as mt
from mcmteach import RBF, KernelSVM, LinearSVM, rbf_kernel
from mcmteach.errors import ConvergenceWarning, InvalidInputError
from mcmteach.svm import KernelLeastSquares, kernel_svm_gradient, kernel_svm_objective
from tests.svm.samples import INF, XOR, lbfgs, overlapping


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


@pytest.mark.parametrize("noise", [0.2, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_on_noisy_moons_it_is_as_good_as_svc(seed, noise):
    X, y = make_moons(200, noise=noise, random_state=seed)
    X_new, y_new = make_moons(2000, noise=noise, random_state=100 + seed)
    ours = KernelSVM().fit(X, y)
    theirs = SVC().fit(X, y)
    assert abs(ours.score(X_new, y_new) - theirs.score(X_new, y_new)) <= 0.03
    assert ours.gamma_ == pytest.approx(theirs._gamma)


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


def test_a_kernel_that_overflows_is_refused_and_does_not_loop():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2)) * 1e60
    for machine in (KernelSVM("poly"), mt.KernelPerceptron("poly"), KernelLeastSquares("poly")):
        with pytest.raises(InvalidInputError, match="overflow"), np.errstate(over="ignore"):
            machine.fit(X, np.arange(20) % 2)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.1, 1.0, 5.0]))
def test_gradient_against_finite_differences(seed, C):
    rng = np.random.default_rng(seed)
    X, y = overlapping(seed, M=10)
    z, b, K = rng.normal(size=10), rng.normal(), rbf_kernel(X, gamma=0.5)
    numeric = approx_fprime(np.append(z, b), lambda v: kernel_svm_objective(K, y, v[:-1], v[-1], C), 1e-7)
    np.testing.assert_allclose(np.append(*kernel_svm_gradient(K, y, z, b, C)), numeric, atol=1e-4)


def test_iteration_limit():
    X, y = overlapping(0)
    machine = KernelSVM(max_iter=2)
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
        (KernelSVM(C=INF), "C must be a finite number > 0"),
        (KernelSVM(C=float("nan")), "C must be a finite number > 0"),
        (KernelSVM(gamma=0), "gamma must be a finite number > 0"),
        (KernelSVM(kernel="spline"), "no kernel 'spline'"),
        (KernelSVM(kernel="poly", degree=0), "degree must be a whole number >= 1"),
        (KernelSVM(kernel=lambda X, Z: X), r"gave a matrix of shape \(4, 2\), but \(4, 4\) is needed"),
        (KernelSVM(kernel=lambda X, Z: -(X @ Z.T)), "not symmetric positive semi-definite"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_parameters(machine, message):
    with pytest.raises(InvalidInputError, match=message):
        machine.fit(*XOR)


def test_bad_arguments():
    with pytest.raises(InvalidInputError, match="A kernel matrix is square"):
        kernel_svm_objective(*XOR, [0.0] * 4, 0.0)


@pytest.mark.filterwarnings(
    "ignore::mcmteach.errors.ConvergenceWarning", "ignore::mcmteach.errors.DataConversionWarning"
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_checks():
    check_estimator(KernelSVM())
