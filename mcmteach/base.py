"""What all machines share: scikit-learn's protocol, without needing scikit-learn.

A machine takes its parameters in ``__init__`` and stores them as they are; ``fit`` checks everything and sets the
attributes that end in an underscore. Labels may be any two values: inside, the larger one is +1.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from mcmteach.errors import DataConversionWarning, InvalidInputError, InvalidTypeError, NotFittedError, like_sklearn
from mcmteach.validation import as_matrix


class Estimator:
    """Parameters by name, as scikit-learn's BaseEstimator keeps them."""

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return sorted(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters as they were given."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name; they take effect at the next fit."""
        unknown = set(params) - set(self._parameter_names())
        if unknown:
            raise InvalidInputError(
                f"Invalid parameter {sorted(unknown)[0]!r} for estimator {self}. "
                f"Valid parameters are: {self._parameter_names()}."
            )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        parameters = inspect.signature(type(self)).parameters.values()
        values = [(p.name, repr(getattr(self, p.name)), repr(p.default)) for p in parameters]
        changed = [f"{name}={value}" for name, value, default in values if value != default]
        return f"{type(self).__name__}({', '.join(changed)})"


class BinaryClassifier(Estimator):
    """A machine that tells two classes apart by the sign of its ``decision_function``."""

    classes_: np.ndarray
    n_features_in_: int
    feature_names_in_: np.ndarray

    def decision_function(self, X: Any) -> np.ndarray:
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row of X: ``classes_[1]`` where the decision function is positive."""
        f = self.decision_function(X)
        return self.classes_[(f > 0).astype(int)]

    def score(self, X: Any, y: Any) -> float:
        """The share of rows of X whose predicted class is y."""
        return float(np.mean(self.predict(X) == np.asarray(y)))

    # --- for subclasses ----------------------------------------------------------------------------------------------

    def _check_training_data(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """X as a matrix and y as labels -1/+1, with ``classes_``, ``n_features_in_`` and ``feature_names_in_`` set."""
        if y is None:
            raise InvalidInputError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        names = _feature_names(X)
        X = as_matrix(X, sparse=True)
        y = _as_classes(y)
        if len(y) != X.shape[0]:
            raise InvalidInputError(f"X has {X.shape[0]} samples and y has {len(y)}: one label per sample is needed.")
        classes = np.unique(y)
        if len(classes) == 1:
            raise InvalidInputError(
                f"y holds one class only ({classes[0]!r}), and two are needed to learn a difference."
            )
        if len(classes) > 2:
            raise InvalidInputError(
                f"Only binary classification is supported. The type of the target is multiclass: y holds {len(classes)} "
                "classes. Choose two of them, or use sklearn.multiclass.OneVsRestClassifier."
            )
        self.classes_, self.n_features_in_ = classes, X.shape[1]
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return X, np.where(y == classes[1], 1.0, -1.0)

    def _check_new_data(self, X: Any) -> Any:
        """X as a matrix that fits what the machine was trained on."""
        name = type(self).__name__
        if not hasattr(self, "classes_"):
            raise like_sklearn(NotFittedError, "NotFittedError")(
                f"This {name} instance is not fitted yet. Call fit(X, y) before asking it for an answer."
            )
        _compare_names(_feature_names(X), getattr(self, "feature_names_in_", None), name)
        X = as_matrix(X, sparse=True)
        if X.shape[1] != self.n_features_in_:
            raise InvalidInputError(
                f"X has {X.shape[1]} features, but {name} is expecting {self.n_features_in_} features as input."
            )
        return X

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(multi_class=False),
            input_tags=InputTags(sparse=True, pairwise=getattr(self, "kernel", None) == "precomputed"),
        )


def _as_classes(y: Any) -> np.ndarray:
    if sp.issparse(y):
        raise InvalidInputError("y is a sparse matrix, and a one-dimensional array of classes is needed.")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. It was flattened; pass y.ravel() to avoid this.",
            like_sklearn(DataConversionWarning, "DataConversionWarning"),
            stacklevel=4,
        )
        y = y.ravel()
    if y.ndim != 1:
        raise InvalidInputError(f"y has shape {y.shape}, and a one-dimensional array of classes is needed.")
    if y.dtype.kind == "f":
        if not np.isfinite(y).all():
            raise InvalidInputError("y contains NaN or infinity: every sample needs a class.")
        if np.any(y != np.round(y)):
            raise InvalidInputError("Unknown label type: continuous. y must hold two classes, not real numbers.")
    return y


def _feature_names(X: Any) -> np.ndarray | None:
    """The column names of a data frame, if all of them are strings."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return None
    text = [isinstance(name, str) for name in columns]
    if any(text) and not all(text):
        raise InvalidTypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            "a mix of strings and other types. Convert them with X.columns = X.columns.astype(str)."
        )
    return np.asarray(list(columns), dtype=object) if all(text) and len(text) else None


def _compare_names(new: np.ndarray | None, fitted: np.ndarray | None, machine: str) -> None:
    if new is None and fitted is None:
        return
    if new is None or fitted is None:
        warnings.warn(
            f"X has feature names, but {machine} was fitted without feature names"
            if fitted is None
            else f"X does not have valid feature names, but {machine} was fitted with feature names",
            UserWarning,
            stacklevel=4,
        )
        return
    if list(new) == list(fitted):
        return
    message = "The feature names should match those that were passed during fit.\n"
    unseen, missing = sorted(set(new) - set(fitted)), sorted(set(fitted) - set(new))
    for what, names in (("unseen at fit time", unseen), ("seen at fit time, yet now missing", missing)):
        if names:
            message += f"Feature names {what}:\n" + "".join(f"- {name}\n" for name in names[:5])
            message += "- ...\n" if len(names) > 5 else ""
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise InvalidInputError(message)
