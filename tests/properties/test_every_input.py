"""Every public function and machine, with every kind of input: the same answer for the same data, or an error of ours.

The data of an example are whole numbers divided by 8, so that each of their dresses (single precision, lists, data frames,
sparse matrices) holds exactly the same numbers. Inputs stay as they were, and nothing but warnings of ours comes out.
"""

import copy
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import mcmteach as mt
from mcmteach.errors import MCMError, MCMWarning
from tests.properties.calls import (
    DENSE_ONLY,
    ELSEWHERE,
    FILLS_GAPS,
    OF_DATA,
    OF_KERNEL_MATRIX,
    POWER_OF_SCALE,
    SINGLE,
    SLOW,
    UNDECIDED,
    WAYS,
    WITH_WEIGHTS,
    kernel,
)

OF_TABLES = OF_DATA | WAYS
CALLS = OF_TABLES | OF_KERNEL_MATRIX
EXAMPLES = [8, pytest.param(400, marks=pytest.mark.soak)]


def test_every_public_name_is_called_or_has_a_reason():
    tables = [OF_DATA, OF_KERNEL_MATRIX, SINGLE, ELSEWHERE]
    names = [name for table in tables for name in table]
    assert sorted(names) == sorted(set(names)) == sorted(mt.__all__)


# --- tables ------------------------------------------------------------------------------------------------------------


@st.composite
def tables(draw):
    """(X, y): up to nine rows, with duplicates, ties, constant columns, few labels or one."""
    M, n = draw(st.sampled_from([1, 2, 3, 4, 6, 9])), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    X = rng.integers(-16, 17, size=(M, n)) / 8.0
    kind = draw(st.sampled_from(["plain", "duplicates", "constant column", "whole", "binary", "zero"]))
    if kind == "duplicates":
        X = X[rng.integers(0, max(1, M // 2), M)]
    elif kind == "constant column":
        X[:, 0] = 1.5
    elif kind == "whole":
        X = np.round(X)
    elif kind == "binary":
        X = (X > 0).astype(float)
    elif kind == "zero":
        X[:] = 0.0
    y = np.where(rng.random(M) < 0.5, 1.0, -1.0)
    if draw(st.booleans()) and M > 1:
        y[:2] = 1.0, -1.0
    return X, y


def strided(X):
    """The same numbers, every second row and column of a larger array."""
    wide = np.full((2 * X.shape[0], 2 * X.shape[1]), np.nan)
    wide[::2, ::2] = X
    return wide[::2, ::2]


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def wide_indices(X):
    X = sp.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def frame(kind, X):
    return kind({f"column {j}": X[:, j].copy() for j in range(X.shape[1])})


DRESSES = {
    "list": np.ndarray.tolist,
    "single precision": lambda X: X.astype(np.float32),
    "objects": lambda X: X.astype(object),
    "by columns": np.asfortranarray,
    "strided": strided,
    "backwards in memory": lambda X: X[::-1].copy()[::-1],
    "read only": read_only,
    "big-endian": lambda X: X.astype(">f8"),
    "pandas": lambda X: frame(pd.DataFrame, X),
    "polars": lambda X: frame(pl.DataFrame, X),
    "sparse": lambda X: sp.csr_matrix(X),
    "sparse, by columns": lambda X: sp.csc_array(X),
    "sparse, 64-bit indices": wide_indices,
}
WHOLE = {"int8": np.int8, "int64": np.int64, "uint16": np.uint16, "bool": bool}


def attempt(f, X, y):
    """The answer, or the error of ours. Inputs stay as they were; any warning but ours is an error."""
    before = copy.deepcopy((X, y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", MCMWarning)
        try:
            found = f(X, y)
        except MCMError as problem:
            found = problem
    for now, was in zip((X, y), before, strict=True):
        assert same_input(now, was), "the input was modified"
    return found


def same_input(now, was):
    if isinstance(now, tuple):
        return all(map(same_input, now, was))
    if sp.issparse(now):
        parts = ("data", "indices", "indptr")
        return all(same_input(getattr(now, part), getattr(was, part)) for part in parts)
    if isinstance(now, pd.DataFrame | pl.DataFrame | pd.Series | pl.Series):
        return now.equals(was)
    if isinstance(now, list):
        return now == was
    return now.dtype == was.dtype and np.array_equal(now, was, equal_nan=now.dtype.kind == "f")


def assert_same(found, wanted, tolerance=1e-7):
    if isinstance(wanted, MCMError):
        assert isinstance(found, MCMError), f"an answer where plain data get: {wanted}"
        assert str(found), "an error without words"
        return
    if isinstance(found, MCMError):
        raise found
    for a, b in zip(parts(found), parts(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def parts(answer):
    return (
        [np.asarray(part, dtype=float) for part in answer] if isinstance(answer, tuple) else [np.asarray(answer, float)]
    )


def argument(name, X):
    return kernel(X) if name in OF_KERNEL_MATRIX else X


def several(name, examples):
    return max(2, examples // 4) if name in SLOW else examples


@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("name", CALLS)
def test_the_same_numbers_in_another_dress_give_the_same_answer(name, examples):
    @settings(max_examples=several(name, examples))
    @given(tables(), st.lists(st.sampled_from(sorted(DRESSES)), min_size=3, max_size=3, unique=True))
    def check(table, dresses):
        X, y = table
        A = argument(name, X).astype(np.float32).astype(float)
        wanted = attempt(CALLS[name], A, y)
        for dress in dresses:
            found = attempt(CALLS[name], DRESSES[dress](A), y)
            if dress.startswith("sparse") and name in DENSE_ONLY:
                assert isinstance(found, MCMError) and ("sparse" in str(found) or isinstance(wanted, MCMError))
            else:
                assert_same(found, wanted)

    check()


@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("name", OF_TABLES)
def test_whole_numbers_and_bools_are_numbers(name, examples):
    @settings(max_examples=max(2, several(name, examples) // 2))
    @given(tables(), st.sampled_from(sorted(WHOLE)))
    def check(table, dtype):
        X, y = table
        X = np.abs(np.round(X)) > 0 if dtype == "bool" else np.abs(np.round(X))
        y = y.astype(np.int8)
        wanted = attempt(OF_TABLES[name], X.astype(float), y)
        assert_same(attempt(OF_TABLES[name], X.astype(WHOLE[dtype]), y), wanted)

    check()


@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("name", CALLS)
def test_at_any_scale_the_answer_is_finite_and_scales_or_is_refused(name, examples):
    @settings(max_examples=several(name, examples))
    @given(tables(), st.integers(-500, 500), st.booleans())  # powers of two, 1e-150 to 1e150: no number is rounded
    def check(table, exponent, one_column):
        X, y = table
        A = argument(name, X)
        scale = 2.0**exponent
        B = A * scale
        if one_column and name in OF_TABLES:
            B = A.copy()
            B[:, 0] *= scale
        found = attempt(CALLS[name], B, y)
        if isinstance(found, MCMError):
            return
        for part in parts(found):
            assert not np.isnan(part).any() or name in UNDECIDED
        if (
            name in POWER_OF_SCALE
            and not (one_column and name in OF_TABLES)
            and not isinstance(wanted := attempt(CALLS[name], A, y), MCMError)
        ):
            for a, b in zip(parts(found), parts(wanted), strict=True):
                np.testing.assert_allclose(a, b * scale ** POWER_OF_SCALE[name], rtol=1e-6)

    check()


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_no_number_is_refused_wherever_it_stands(name, bad):
    @settings(max_examples=4)
    @given(tables(), st.integers(0, 100))
    def check(table, place):
        X, y = table
        A = argument(name, X).copy()
        A.flat[place % A.size] = bad
        found = attempt(CALLS[name], A, y)
        if name in FILLS_GAPS and np.isnan(bad):
            assert isinstance(found, MCMError) or 0 <= found <= 1, "with gaps filled, an accuracy"
        else:
            assert isinstance(found, MCMError)

    check()


# --- weights -----------------------------------------------------------------------------------------------------------

OF_WEIGHTS = {
    "list": np.ndarray.tolist,
    "single precision": lambda w: w.astype(np.float32),
    "objects": lambda w: w.astype(object),
    "whole numbers": lambda w: w.astype(np.uint8),
    "strided": lambda w: np.repeat(w, 2)[::2],
    "backwards in memory": lambda w: w[::-1].copy()[::-1],
    "read only": read_only,
    "big-endian": lambda w: w.astype(">f8"),
    "pandas": pd.Series,
    "polars": pl.Series,
}


def weighted(name):
    """The call as a function of X and (y, weights), so that all three are seen to stay as they were."""
    return lambda X, both: WITH_WEIGHTS[name](X, *both)


@st.composite
def weighted_tables(draw):
    X, y = draw(tables())
    return X, y, np.random.default_rng(draw(st.integers(0, 2**16))).integers(0, 4, len(y)).astype(float)


@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_weights_in_another_dress_are_the_same_weights(name, examples):
    @settings(max_examples=several(name, examples))
    @given(weighted_tables(), st.lists(st.sampled_from(sorted(OF_WEIGHTS)), min_size=3, max_size=3, unique=True))
    def check(table, dresses):
        X, y, w = table
        wanted = attempt(weighted(name), X, (y, w))
        for dress in dresses:
            assert_same(attempt(weighted(name), X, (y, OF_WEIGHTS[dress](w))), wanted)

    check()


@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_weights_of_any_scale_give_finite_numbers_or_are_refused(name, examples):
    @settings(max_examples=several(name, examples))
    @given(weighted_tables(), st.integers(-500, 500), st.booleans())
    def check(table, exponent, only_one):
        X, y, w = table
        w[: 1 if only_one else None] *= 2.0**exponent
        found = attempt(weighted(name), X, (y, w))
        assert isinstance(found, MCMError) or all(np.isfinite(part).all() for part in parts(found))

    check()


@pytest.mark.parametrize("name", WITH_WEIGHTS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0, "many", "none"])
def test_weights_that_are_none_are_refused(name, bad):
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(6, 2)), np.repeat([1.0, -1.0], 3), np.ones(6)
    if isinstance(bad, str):
        w = np.ones(7) if bad == "many" else np.zeros(6)
    else:
        w[3] = bad
    assert isinstance(attempt(weighted(name), X, (y, w)), MCMError)
