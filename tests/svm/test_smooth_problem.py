"""The smooth problems: their gradients, and the lower bounds that no machine lies below."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcmteach import rbf_kernel
from mcmteach.svm import kernel_svm_gradient, kernel_svm_objective, smooth_svm_gradient
from mcmteach.svm.smooth_problem import KernelProblem, SmoothProblem
from tests.svm.samples import overlapping


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
