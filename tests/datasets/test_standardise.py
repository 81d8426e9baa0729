"""Gaps and scales against scikit-learn's SimpleImputer and StandardScaler, and constant columns whatever their unit."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import StandardScaler

from mcmteach import MCMClassifier, load_dataset
from mcmteach.datasets import fill_gaps, standardised
from mcmteach.errors import InvalidInputError

NUMBERS = st.floats(-1e6, 1e6)
VALUES = st.one_of(st.just(float("nan")), NUMBERS)


# --- gaps ------------------------------------------------------------------------------------------------------------


@given(arrays(float, (7, 3), elements=VALUES), arrays(float, (4, 3), elements=VALUES))
def test_gaps_are_filled_as_scikit_learn_fills_them(train, new):
    theirs = SimpleImputer(strategy="median", keep_empty_features=True).fit(train)
    for ours, part in zip(fill_gaps(train, new), (train, new), strict=True):
        np.testing.assert_array_equal(ours, theirs.transform(part))


def test_by_hand_and_without_touching_its_argument():
    X = np.array([[1.0, np.nan], [np.nan, np.nan], [4.0, np.nan], [5.0, np.nan]])
    kept = X.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a column without a number is no reason for numpy to complain
        train, new = fill_gaps(X, [[np.nan, 7.0]])
    assert train.tolist() == [[1.0, 0.0], [4.0, 0.0], [4.0, 0.0], [5.0, 0.0]]
    assert new.tolist() == [[4.0, 7.0]]
    np.testing.assert_array_equal(X, kept)


def test_a_set_with_gaps_reaches_a_machine():
    hepatitis = load_dataset("hepatitis")
    (X,) = standardised(*fill_gaps(hepatitis.data))
    assert MCMClassifier(kernel="linear", C=1.0).fit(X, hepatitis.target).score(X, hepatitis.target) > 0.7
    with pytest.raises(InvalidInputError, match="NaN"):
        MCMClassifier().fit(hepatitis.data, hepatitis.target)


# --- scale -----------------------------------------------------------------------------------------------------------


@given(arrays(float, (7, 3), elements=st.integers(-1000, 1000)), arrays(float, (4, 3), elements=NUMBERS))
def test_scaled_as_scikit_learn_scales(train, new):
    theirs = StandardScaler().fit(train)
    for ours, part in zip(standardised(train, new), (train, new), strict=True):
        np.testing.assert_allclose(ours, theirs.transform(part), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("unit", [1e-30, 1e-13, 1.0, 1e20])
def test_the_unit_of_a_column_does_not_matter(unit):
    X = np.random.default_rng(0).normal(size=(20, 2)) + 3
    np.testing.assert_allclose(standardised(unit * X)[0], standardised(X)[0], rtol=1e-9)


@given(st.floats(1e-6, 1e6), st.integers(2, 400))
def test_a_constant_column_is_divided_by_one(value, M):
    """Its mean is off by rounding, and a deviation of 1e-16 would send any other value of a test row to infinity."""
    train, new = standardised(np.full((M, 1), value), [[value], [value + 1]])
    np.testing.assert_allclose(train, 0, atol=1e-9 * value)
    np.testing.assert_allclose(new, [[0], [1]], atol=1e-9 * max(1, value))


def test_the_constant_column_of_ecoli():
    """The case that two rules treated differently: 'lip' is 0.48 in most rows, 1 in a few."""
    ecoli = load_dataset("ecoli")
    lip = ecoli.data[:, [ecoli.feature_names.index("lip")]]
    usual = np.isclose(lip[:, 0], 0.48)
    assert 0 < lip[usual].std() < 1e-12, "constant, and yet its deviation is not 0"
    _, rare = standardised(lip[usual], lip[~usual])
    np.testing.assert_allclose(rare, 0.52)


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [fill_gaps, standardised])
def test_bad_input(function):
    with pytest.raises(InvalidInputError, match="infinity"):
        function([[1.0], [np.inf]])
    with pytest.raises(InvalidInputError, match="sparse"):
        function(load_dataset("adult-a1a-pool").data[:5])
    with pytest.raises(InvalidInputError, match=r"the same columns, but they have \[1, 2\]"):
        function([[1.0]], [[1.0, 2.0]])
    with pytest.raises(InvalidInputError, match="2 are needed"):
        function([1.0, 2.0])
    with pytest.raises(InvalidInputError, match="NaN"):
        standardised([[1.0], [np.nan]])
