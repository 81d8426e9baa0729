"""A simple imputer, so that sets with gaps can go through a pipeline."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np

from mcmteach.base import Estimator
from mcmteach.errors import InvalidInputError, NotFittedError, like_sklearn
from mcmteach.validation import as_matrix, compare_feature_names, feature_names


class MedianImputer(Estimator):
    r"""Fill each gap (NaN) with the median of its column in the training data.

    Put it first in a pipeline, so that the medians are learnt inside each training fold: imputing before
    splitting lets the test data speak. A column that is NaN throughout the training data has no median and is
    filled with 0, so the number of columns never changes.

    Attributes
    ----------
    medians_ : array of shape (n_features,)

    Examples
    --------
    >>> import numpy as np
    >>> MedianImputer().fit_transform([[1.0, np.nan], [3.0, np.nan], [np.nan, np.nan]])
    array([[1., 0.],
           [3., 0.],
           [2., 0.]])
    """

    medians_: np.ndarray
    n_features_in_: int
    feature_names_in_: np.ndarray

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the median of each column of X, which may hold NaN; y is ignored."""
        names = feature_names(X)
        X = as_matrix(X, missing=True)
        with warnings.catch_warnings():
            # numpy warns of a column without a number; it gets its 0 in the next line
            warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
            medians = np.nanmedian(X, axis=0)
        self.medians_ = np.where(np.isnan(medians), 0.0, medians)
        self.n_features_in_ = X.shape[1]
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def transform(self, X: Any) -> np.ndarray:
        """A copy of X whose gaps are filled."""
        self._check_is_fitted()
        compare_feature_names(X, getattr(self, "feature_names_in_", None), "MedianImputer")
        X = as_matrix(X, missing=True)
        if X.shape[1] != self.n_features_in_:
            raise InvalidInputError(
                f"X has {X.shape[1]} features, but MedianImputer is expecting {self.n_features_in_} features as input."
            )
        return np.where(np.isnan(X), self.medians_, X)

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """``fit(X).transform(X)``."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns, which stay what they were."""
        self._check_is_fitted()
        names = getattr(self, "feature_names_in_", None)
        if input_features is None:
            default = [f"x{i}" for i in range(self.n_features_in_)]
            return np.array(default, dtype=object) if names is None else names
        given = np.asarray(input_features, dtype=object)
        if len(given) != self.n_features_in_:
            raise InvalidInputError(
                f"input_features should have length equal to number of features ({self.n_features_in_}), got {len(given)}."
            )
        if names is not None and list(given) != list(names):
            raise InvalidInputError("input_features is not equal to feature_names_in_.")
        return given

    def _check_is_fitted(self) -> None:
        if not hasattr(self, "medians_"):
            raise like_sklearn(NotFittedError, "NotFittedError")(
                "This MedianImputer instance is not fitted yet. Call fit(X) before asking it to fill gaps."
            )

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(allow_nan=True),
        )
