"""The smooth hinge loss, its objective and gradient, and the plane that minimises it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

import mcmteach as mt
from mcmteach.bounds import hinge_loss
from mcmteach.errors import InvalidInputError
from mcmteach.svm import smooth_hinge_loss, smooth_margin, smooth_svm_gradient, smooth_svm_objective, soft_margin
from tests.svm.samples import XOR, any_sample, cost, overlapping


@given(f=st.floats(-500, 500), y=st.sampled_from([-1, 1]))
def test_the_smooth_hinge_lies_at_most_log_2_above_the_hinge(f, y):
    excess = float(smooth_hinge_loss(y, f) - hinge_loss(y, f))
    assert 0 <= excess <= np.log(2) + 1e-12
    assert float(smooth_hinge_loss(y, y)) == pytest.approx(np.log(2))  # on the margin they differ most


@settings(deadline=None, max_examples=25)
@given(data=any_sample, C=st.sampled_from([0.1, 1.0, 5.0]), width=st.sampled_from([1.0, 0.3, 0.1]))
def test_the_smooth_line_costs_at_most_its_width_more(data, C, width):
    X, y = data
    plane, exact = smooth_margin(X, y, C, width), soft_margin(X, y, C)
    lowest = cost(X, y, exact, C)
    assert lowest * (1 - 1e-6) <= cost(X, y, plane, C) <= (lowest + C * len(y) * width * np.log(2)) * (1 + 1e-5)


def test_width_one_is_the_slides_machine_and_alpha_combines_to_w(sample):
    X, y = sample
    machine = mt.LinearSVM(C=2.0, loss="smooth").fit(X, y)
    plane = smooth_margin(X, y, 2.0)
    np.testing.assert_allclose(plane.w, machine.coef_[0])
    assert plane.b == pytest.approx(machine.intercept_[0])
    sharp = smooth_margin(X, y, 2.0, width=0.1, tol=1e-10)
    np.testing.assert_allclose((sharp.alpha * y) @ X, sharp.w, atol=1e-3)
    assert sharp.alpha.min() >= 0 and sharp.alpha.max() <= 2


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), C=st.sampled_from([0.1, 1.0, 5.0]))
def test_gradient_against_finite_differences(seed, C):
    rng = np.random.default_rng(seed)
    X, y = overlapping(seed, M=10)
    w, b = rng.normal(size=2), rng.normal()
    numeric = approx_fprime(np.append(w, b), lambda v: smooth_svm_objective(X, y, v[:-1], v[-1], C), 1e-7)
    np.testing.assert_allclose(np.append(*smooth_svm_gradient(X, y, w, b, C)), numeric, atol=1e-4)


def test_bad_arguments(sample):
    with pytest.raises(InvalidInputError, match="this function needs -1 and \\+1"):
        smooth_svm_gradient(XOR[0], [0, 1, 0, 1], [1.0, 2.0], 0.0)
    with pytest.raises(InvalidInputError, match="width must be"):
        smooth_margin(*sample, width=0)
