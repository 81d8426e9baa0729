"""MedianImputer against scikit-learn's SimpleImputer, and in a pipeline."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from mcmteach import MCMClassifier, load_dataset
from mcmteach.datasets import MedianImputer
from mcmteach.errors import InvalidInputError

VALUES = st.one_of(st.just(float("nan")), st.floats(-1e6, 1e6))


@given(arrays(float, (7, 3), elements=VALUES), arrays(float, (4, 3), elements=VALUES))
@settings(deadline=None, max_examples=50)
def test_equals_scikit_learns_imputer(train: np.ndarray, new: np.ndarray) -> None:
    ours = MedianImputer().fit(train)
    theirs = SimpleImputer(strategy="median", keep_empty_features=True).fit(train)
    np.testing.assert_array_equal(ours.transform(new), theirs.transform(new))
    np.testing.assert_array_equal(ours.fit_transform(train), theirs.transform(train))


def test_by_hand_and_without_touching_its_argument() -> None:
    X = np.array([[1.0, np.nan], [np.nan, np.nan], [4.0, np.nan], [5.0, np.nan]])
    kept = X.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a column without a number is no reason for numpy to complain
        imputer = MedianImputer().fit(X)
    assert imputer.medians_.tolist() == [4.0, 0.0]
    assert imputer.transform(X).tolist() == [[1.0, 0.0], [4.0, 0.0], [4.0, 0.0], [5.0, 0.0]]
    assert imputer.transform([[np.nan, 7.0]]).tolist() == [[4.0, 7.0]]
    np.testing.assert_array_equal(X, kept)


def test_check_estimator() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        warnings.filterwarnings("ignore", "Estimator MedianImputer does not inherit", UserWarning)
        check_estimator(MedianImputer())


def test_names_of_columns() -> None:
    X = pd.DataFrame({"a": [1.0, np.nan], "b": [2.0, 3.0]})
    imputer = MedianImputer().fit(X)
    assert imputer.get_feature_names_out().tolist() == ["a", "b"]
    with pytest.raises(InvalidInputError, match="feature names"):
        imputer.transform(X[["b", "a"]])
    with pytest.raises(InvalidInputError, match="not equal to feature_names_in_"):
        imputer.get_feature_names_out(["b", "a"])
    imputer.fit(X.to_numpy())
    assert imputer.get_feature_names_out().tolist() == ["x0", "x1"]
    assert imputer.get_feature_names_out(["u", "v"]).tolist() == ["u", "v"]
    with pytest.raises(InvalidInputError, match="length equal to number of features"):
        imputer.get_feature_names_out(["u"])


def test_bad_input() -> None:
    with pytest.raises(NotFittedError, match=r"fit\(X\)"):
        MedianImputer().transform([[1.0]])
    with pytest.raises(InvalidInputError, match="infinity"):
        MedianImputer().fit([[1.0], [np.inf]])
    with pytest.raises(InvalidInputError, match="sparse"):
        MedianImputer().fit(load_dataset("adult-a1a-pool").data[:5])
    with pytest.raises(InvalidInputError, match="2 features, but MedianImputer is expecting 1"):
        MedianImputer().fit([[1.0]]).transform([[1.0, 2.0]])
    with pytest.raises(InvalidInputError, match="2 are needed"):
        MedianImputer().fit([1.0, np.nan])


def test_in_a_pipeline_on_a_set_with_gaps() -> None:
    hepatitis = load_dataset("hepatitis")
    machine = make_pipeline(MedianImputer(), StandardScaler(), MCMClassifier(kernel="linear", C=1.0))
    scores = cross_val_score(clone(machine), hepatitis.data, hepatitis.target, cv=3)
    assert scores.mean() > 0.7  # and so the gaps reached no machine: it refuses NaN
    with pytest.raises(InvalidInputError, match="NaN"):
        MCMClassifier().fit(hepatitis.data, hepatitis.target)
