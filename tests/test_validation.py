"""What is asked of arguments: what is let through, and what the messages say."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mcmteach.errors import DataConversionWarning, InvalidInputError, InvalidTypeError
from mcmteach.validation import as_classes, as_matrix, compare_feature_names, feature_names, one_per_row


def test_dates_are_no_numbers():
    days = np.array([["2020-01-01"], ["2020-01-02"]], dtype="datetime64[D]")
    for X in (days, days - days[0], pd.DataFrame({"when": pd.to_datetime(["2020-01-01", "2020-01-02"])})):
        with pytest.raises(InvalidTypeError, match=r"X holds dates or times .* Take the days since a fixed date"):
            as_matrix(X)


def test_sparse_matrices_come_out_canonical_with_small_indices():
    X = sp.csr_array((np.array([1.0, 2.0, 5.0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 3))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    before = X.indices.copy()
    found = as_matrix(X, sparse=True)
    assert found.has_canonical_format and found.indices.dtype == found.indptr.dtype == np.int32
    assert found.toarray().tolist() == [[0, 3, 0], [5, 0, 0]]
    assert X.indices.dtype == np.int64 and np.array_equal(X.indices, before)  # the caller's own is as it was


def test_a_column_of_labels_is_flattened_with_a_warning_at_the_callers_line():
    with pytest.warns(DataConversionWarning, match="column-vector") as caught:
        assert as_classes([[1], [2]]).tolist() == [1, 2]
    assert caught[0].filename == __file__


@pytest.mark.parametrize(("y", "words"), [([0.5, 1.0], "continuous"), ([np.nan, 1.0], "NaN"), ([[1, 2]], "shape")])
def test_what_is_no_label(y, words):
    with pytest.raises(InvalidInputError, match=words):
        as_classes(y)


def test_one_label_per_row():
    with pytest.raises(InvalidInputError, match="X has 3 samples and y has 2 entries: one label per sample"):
        one_per_row(np.zeros(2), np.zeros((3, 1)), "label")


def test_names_of_columns():
    frame = pd.DataFrame({"a": [1.0], "b": [2.0]})
    fitted = feature_names(frame)
    assert fitted.tolist() == ["a", "b"] and feature_names(frame.to_numpy()) is None
    compare_feature_names(frame, fitted, "M")
    with pytest.raises(InvalidInputError, match="must be in the same order"):
        compare_feature_names(frame[["b", "a"]], fitted, "M")
    with pytest.raises(InvalidInputError, match=r"unseen at fit time:\n- c\n.*missing:\n- b"):
        compare_feature_names(frame.rename(columns={"b": "c"}), fitted, "M")
    with pytest.warns(UserWarning, match="does not have valid feature names, but M was fitted with") as caught:
        compare_feature_names(frame.to_numpy(), fitted, "M")
    assert caught[0].filename == __file__
