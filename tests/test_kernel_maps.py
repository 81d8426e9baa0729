"""The slides' two feature maps that one can write down: the quadratic kernel's and XOR's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics.pairwise import polynomial_kernel as sklearn_polynomial_kernel

from mcmteach import MCMClassifier, polynomial_kernel
from mcmteach.errors import InvalidInputError
from mcmteach.kernels import quadratic_map, xor_features
from mcmteach.separability import is_separable

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
LABELS = np.array([-1, 1, 1, -1])
E = np.e


def test_quadratic_map_in_two_dimensions_is_the_slides():
    x1, x2 = 3.0, -5.0
    np.testing.assert_allclose(quadratic_map([[x1, x2]]), [[x1**2, x2**2, np.sqrt(2) * x1 * x2]])


@settings(deadline=None, max_examples=40)
@given(st.data(), st.integers(1, 6))
def test_quadratic_map_gives_the_quadratic_kernel(data, n):
    X, Z = (data.draw(arrays(float, (m, n), elements=st.floats(-50, 50))) for m in (4, 3))
    K = quadratic_map(X) @ quadratic_map(Z).T
    assert quadratic_map(X).shape == (4, n * (n + 1) // 2)
    np.testing.assert_allclose(K, polynomial_kernel(X, Z, degree=2, coef0=0), atol=1e-6)
    np.testing.assert_allclose(K, sklearn_polynomial_kernel(X, Z, degree=2, gamma=1, coef0=0), atol=1e-6)


def test_xor_features_as_printed_give_the_slides_table():
    np.testing.assert_allclose(xor_features(XOR, sign=+1), [[E**2, 1], [E, E], [E, E], [1, E**2]])


def test_xor_features_as_meant_are_bumps():
    np.testing.assert_allclose(xor_features(XOR), [[E**-2, 1], [1 / E, 1 / E], [1 / E, 1 / E], [1, E**-2]])


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_line_separates_xor_in_feature_space_only(sign):
    assert not is_separable(XOR, LABELS)
    assert is_separable(xor_features(XOR, sign), LABELS)
    Z = xor_features(XOR, sign)
    assert MCMClassifier(kernel="linear", C=10.0).fit(Z, LABELS).score(Z, LABELS) == 1.0


@pytest.mark.parametrize(
    ("X", "sign", "message"),
    [
        ([[1.0, 2.0, 3.0]], -1, "2 features"),
        (XOR, 0, "sign must be"),
        ([[100.0, 0.0]], 1, "overflows"),
        ([1.0, 2.0], -1, "2 are needed"),
    ],
)
def test_xor_features_refuse(X, sign, message):
    with pytest.raises(InvalidInputError, match=message):
        xor_features(X, sign)


def test_far_points_underflow_quietly_with_the_minus_sign():
    assert xor_features([[1e3, 0.0]]).tolist() == [[0.0, 0.0]]


def test_quadratic_map_refuses_what_is_no_matrix():
    with pytest.raises(InvalidInputError, match="NaN"):
        quadratic_map([[1.0, np.nan]])
