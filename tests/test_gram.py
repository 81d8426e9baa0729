"""What a kernel matrix tells, against eigenvalues and hand-made matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import mcmteach as mt
from mcmteach.errors import InvalidInputError
from mcmteach.gram import is_symmetric

square = arrays(float, (5, 5), elements=st.floats(-2, 2, allow_subnormal=False))


def test_is_mercer_by_hand():
    assert mt.is_mercer([[2.0, 1.0], [1.0, 2.0]])
    assert not mt.is_mercer([[1.0, 2.0], [2.0, 1.0]])  # eigenvalues 3 and -1
    assert not mt.is_mercer([[1.0, 0.5], [0.0, 1.0]])  # not symmetric
    assert mt.is_mercer(np.zeros((3, 3)))


@given(square)
def test_is_mercer_agrees_with_the_eigenvalues(A):
    S = A + A.T
    lowest, size = np.linalg.eigvalsh(S)[0], np.abs(S).sum(axis=1).max()
    if lowest > 0 or lowest < -1e-7 * size:  # in between the tolerance decides
        assert mt.is_mercer(S) == (lowest > 0)
    assert mt.is_mercer(A @ A.T)


def test_is_symmetric_has_a_relative_tolerance():
    K = 1e6 * np.eye(3)
    K[0, 1] = 1e-3
    assert is_symmetric(K) and not is_symmetric(K, tol=1e-12)


@given(square)
def test_numerical_rank_is_numpys(A):
    assert mt.numerical_rank(A) == np.linalg.matrix_rank(A)
    assert mt.numerical_rank(np.outer(A[0], A[0])) <= 1


def test_numerical_rank_has_a_tolerance():
    assert mt.numerical_rank(np.diag([1.0, 1e-3, 1e-9]), tol=1e-6) == 2


def test_kernel_alignment_by_hand():
    y = np.array([1.0, 1.0, -1.0])
    assert mt.kernel_alignment(np.outer(y, y), y) == pytest.approx(1.0)
    assert mt.kernel_alignment(np.eye(3), y) == pytest.approx(3 / (3 * np.sqrt(3)))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: mt.is_mercer([[1.0, 2.0]]), "square"),
        (lambda: mt.kernel_alignment(np.zeros((2, 2)), [1, -1]), "zero everywhere"),
        (lambda: mt.kernel_alignment(np.eye(2), [1, 1]), "one class"),
        (lambda: mt.kernel_alignment(np.eye(2), [1, -1, 1]), "3 entries"),
    ],
)
def test_bad_input_is_refused_with_a_reason(call, says):
    with pytest.raises(InvalidInputError, match=says):
        call()
