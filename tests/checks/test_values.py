"""Values: whatever an answer returns is made plain, compared and shown without an exception."""

import fractions

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from mcmteach.checks.values import Odd, common_factor, kind_of, plain, same, show, wrong_form


class Nasty:
    """An object that raises wherever it can."""

    def _raise(self, *_, **__):
        raise RuntimeError("no")

    __array__ = __float__ = __len__ = __iter__ = __eq__ = __repr__ = __str__ = __bool__ = _raise
    __hash__ = None


endless = []
endless.append(endless)
VALUES = [
    None, ..., True, np.bool_(False), 3, 10**400, 1.5, -0.0, float("nan"), 1j, "text", b"bytes", {}, {1, 2}, max, Nasty(),
    np.array(2.0), np.array(3), np.array(True), np.array("x"), np.array(None), np.array([None, 1]), np.float32(1), np.int8(3),
    np.zeros(0), np.zeros((0, 3)), np.zeros((2, 0)), np.ma.masked_array([1.0, 2.0], [True, False]),
    np.array([1 + 1j]), np.datetime64("2026-01-01"), scipy.sparse.eye(2), fractions.Fraction(1, 3), [1, [2, 3]], [[1], [2]], [],
    (), (1, "x"), ([1, 2], 3.0), endless, [10**400], range(3), iter([1]), (i for i in range(3)), type, NotImplemented,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("expected", [1.0, True, 3, np.zeros(2), np.zeros((2, 2)), (np.zeros(1), 2.0)])
def test_whatever_it_is_it_can_be_compared_and_shown(value, expected):
    made = plain(value)
    assert isinstance(kind_of(made), str) and isinstance(show(made), str) and len(show(made)) < 1100
    assert same(expected, made) in (True, False) and isinstance(wrong_form(expected, made), str)
    assert common_factor([expected], [made]) is None or isinstance(common_factor([expected], [made]), float)


def test_numbers_in_any_dress_are_numbers():
    for value in (np.array(2.0), np.float32(2), 2, np.int8(2), fractions.Fraction(2)):
        assert same(2.0, plain(value)) and kind_of(plain(value)) == "a number"
    assert same(np.array([1.0, 2.0]), plain(np.ma.masked_array([1.0, 2.0])))
    assert same((np.ones(2), 1.0), plain([np.ones(2), np.array(1.0)])), "a list may stand for a tuple"
    assert plain({}) == Odd("dict") and plain(1j) == Odd("complex")


def test_a_result_is_a_copy():
    buffer = np.ones(2)
    made = plain(buffer)
    buffer[:] = 7
    assert made.tolist() == [1, 1]


def test_forms_are_told_apart():
    assert not same(np.ones(2), np.ones((2, 1))) and "shape (2, 1)" in wrong_form(np.ones(2), np.ones((2, 1)))
    assert not same(1.0, True) and not same(True, 1.0) and not same(1.0, [1.0])
    assert wrong_form((1.0, 2.0), (1.0, None)) == "a number was expected, but yours gives nothing (None)."


@given(st.floats(-1e6, 1e6), st.floats(-1e-8, 1e-8))
def test_rounding_is_forgiven_and_nothing_else(x, e):
    assert same(x, x * (1 + e))
    assert not same(x, x + 1e-5 * (1 + abs(x)))


def test_what_is_shown():
    assert show(np.array([[1.0, -0.0], [1 / 3, np.nan]])) == "[[1, 0], [0.333333, nan]]"
    assert show(-0.0) == "0" and show(np.array(-0.0)) == "0" and show((1.0, np.array([2]))) == "1, [2]"
    assert (
        show(1 / 3, 15) == "0.333333333333333"
        and show(True) == "True"
        and show(Odd("str")) == "something of the type str"
    )


def test_a_common_factor():
    assert common_factor([1.0, np.array([2.0, 4.0])], [3.0, np.array([6.0, 12.0])]) == 3
    assert common_factor([1.0, 0.0], [3.0, 0.0]) is None and common_factor([1.0, 2.0], [3.0, 5.0]) is None
