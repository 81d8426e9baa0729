"""What all machines share: scikit-learn's protocol, without needing scikit-learn.

A machine takes its parameters in ``__init__`` and stores them as they are; ``fit`` checks everything and sets the
attributes that end in an underscore. Labels may be any two values: inside, the larger one is +1.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from mcmteach.errors import DataConversionWarning, InvalidInputError, InvalidTypeError, NotFittedError, like_sklearn
from mcmteach.gram import is_mercer
from mcmteach.kernels import Kernel, linear_kernel, polynomial_kernel, rbf_kernel
from mcmteach.validation import as_matrix, as_vector, dense, positive


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


class Machine(Estimator):
    """What is fitted to rows of numbers, remembers their shape and names, and asks the same of new rows."""

    n_features_in_: int
    feature_names_in_: np.ndarray

    def _check_training_rows(self, X: Any, y: Any) -> tuple[Any, np.ndarray | None]:
        """X as a matrix, and the names of its columns if it has any."""
        if y is None:
            raise InvalidInputError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        names = _feature_names(X)
        return as_matrix(X, sparse=True), names

    def _remember(self, X: Any, names: np.ndarray | None) -> None:
        """Forget the last fit, and take note of the data of this one."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)
        self.n_features_in_ = X.shape[1]
        if names is not None:
            self.feature_names_in_ = names

    def _check_new_data(self, X: Any) -> Any:
        """X as a matrix that fits what the machine was trained on."""
        name = type(self).__name__
        if not hasattr(self, "intercept_"):
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

    def _input_tags(self) -> Any:
        from sklearn.utils import InputTags

        return InputTags(sparse=True, pairwise=getattr(self, "kernel", None) == "precomputed")


class BinaryClassifier(Machine):
    """A machine that tells two classes apart by the sign of its ``decision_function``."""

    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: np.ndarray

    def decision_function(self, X: Any) -> np.ndarray:
        """f(x) = w·x + b for each row of X: its sign is the class."""
        return self._check_new_data(X) @ self.coef_[0] + self.intercept_[0]

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row of X: ``classes_[1]`` where the decision function is positive."""
        f = self.decision_function(X)
        return self.classes_[(f > 0).astype(int)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows of X whose predicted class is y (weighted, where weights are given)."""
        right = self.predict(X) == _one_each(_flat(y, "classes"), X, "label")
        return float(np.average(right, weights=sample_weight))

    def _check_training_data(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """X as a matrix and y as labels -1/+1, with ``classes_``, ``n_features_in_`` and ``feature_names_in_`` set."""
        X, names = self._check_training_rows(X, y)
        y = _as_classes(y)
        _one_each(y, X, "label")
        try:
            classes = np.unique(y)
        except TypeError:  # None, NaN or numbers among strings cannot be put in order
            raise InvalidInputError(
                "y mixes labels that cannot be compared (None? NaN?): use one type for all."
            ) from None
        if len(classes) == 1:
            raise InvalidInputError(f"y holds one class only ({classes[0]}), and two are needed to learn a difference.")
        if len(classes) > 2:
            raise InvalidInputError(
                f"Only binary classification is supported. The type of the target is multiclass: y holds {len(classes)} "
                "classes. Choose two of them, or use sklearn.multiclass.OneVsRestClassifier."
            )
        self._remember(X, names)
        self.classes_ = classes
        return X, np.where(y == classes[1], 1.0, -1.0)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(multi_class=False),
            input_tags=self._input_tags(),
        )


class Regressor(Machine):
    """A machine whose answer is a real number."""

    def predict(self, X: Any) -> np.ndarray:
        raise NotImplementedError

    def score(self, X: Any, y: Any) -> float:
        r"""\(R^2 = 1 - \sum_i (y_i - f_i)^2 / \sum_i (y_i - \bar y)^2\): 1 is perfect, 0 as good as the mean of y."""
        f = self.predict(X)
        y = as_vector(y, "y", len(f))
        spread = np.sum((y - y.mean()) ** 2)
        if spread == 0:
            raise InvalidInputError("y is constant, so R² = 1 - 0/0 has no value. Score on more than one value of y.")
        return float(1 - np.sum((y - f) ** 2) / spread)

    def _check_training_data(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """X as a matrix and y as real numbers, with ``n_features_in_`` and ``feature_names_in_`` set."""
        X, names = self._check_training_rows(X, y)
        y = _as_numbers(y)
        _one_each(y, X, "target")
        self._remember(X, names)
        return X, y

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import RegressorTags, Tags, TargetTags

        return Tags(
            estimator_type="regressor",
            target_tags=TargetTags(required=True),
            regressor_tags=RegressorTags(),
            input_tags=self._input_tags(),
        )


class KernelMachine(Machine):
    """What every machine with a ``kernel`` shares: the matrix that its name stands for, and the expansion in it."""

    kernel: str | Callable[[Any, Any], Any]
    gamma: float | str
    degree: int
    coef0: float
    gamma_: float
    support_: np.ndarray
    support_vectors_: np.ndarray
    n_support_: int
    dual_coef_: np.ndarray
    intercept_: np.ndarray

    def _training_matrix(self, X: Any) -> Any:
        """The kernel matrix of the training data, with ``gamma_`` set for the RBF kernel."""
        if self.kernel == "rbf":
            self.gamma_ = self._gamma(X)
        K = self._kernel_matrix(X, X)
        if not np.isfinite(K.data if sp.issparse(K) else K).all():
            raise InvalidInputError("The kernel's values overflow on these data. Standardise the data first.")
        return K

    def _mercer_matrix(self, X: Any) -> np.ndarray:
        """The same, dense, for machines that minimise z'Kz and so need a kernel in Mercer's sense."""
        K = dense(self._training_matrix(X))
        if self._kernel_unproved() and not is_mercer(K):
            raise InvalidInputError(
                "The kernel matrix is not symmetric positive semi-definite (Mercer), so z'Kz can fall without end and "
                f"{type(self).__name__} has no minimum to find. Use another kernel, or MCMClassifier, which can live with it."
            )
        return K

    def _kernel_unproved(self) -> bool:
        """Whether nothing but its matrix can tell if this is a kernel in Mercer's sense."""
        return self.kernel == "precomputed" or (callable(self.kernel) and not isinstance(self.kernel, Kernel))

    def _keep_support(self, X: Any, support: np.ndarray) -> None:
        self.support_, self.n_support_ = support, len(support)
        if self.kernel != "precomputed":
            self.support_vectors_ = X[support]

    def _expansion(self, X: Any) -> np.ndarray:
        """f(x) = sum over the support vectors of their coefficients times k(x_i, x), plus b."""
        if not self.n_support_:
            return np.full(X.shape[0], self.intercept_[0])
        K = X[:, self.support_] if self.kernel == "precomputed" else self._kernel_matrix(X, self.support_vectors_)
        return np.asarray(K @ self.dual_coef_[0]).ravel() + self.intercept_[0]

    def _gamma(self, X: Any) -> float:
        if self.gamma == "scale":
            variance = dense(X).var()
            return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
        if self.gamma == "auto":
            return 1.0 / X.shape[1]
        if isinstance(self.gamma, str):
            raise InvalidInputError(f"gamma must be a number > 0, 'scale' or 'auto', and is {self.gamma!r}.")
        return positive(self.gamma, "gamma")

    def _kernel_matrix(self, X: Any, Z: Any) -> Any:
        if self.kernel == "rbf":
            return rbf_kernel(X, Z, self.gamma_)
        if self.kernel == "linear":
            return linear_kernel(X, Z)
        if self.kernel == "poly":
            return polynomial_kernel(X, Z, self.degree, self.coef0)
        if self.kernel == "precomputed":
            if X.shape[0] != X.shape[1]:
                raise InvalidInputError(
                    f"A precomputed kernel matrix must be square for fit, and this has shape {X.shape}."
                )
            return X
        if not callable(self.kernel):
            raise InvalidInputError(
                f"There is no kernel {self.kernel!r}. Choose 'rbf', 'linear', 'poly', 'precomputed', or a function k(X, Z)."
            )
        K = as_matrix(self.kernel(X, Z), "the kernel's matrix")
        if K.shape != (X.shape[0], Z.shape[0]):
            raise InvalidInputError(
                f"The kernel function gave a matrix of shape {K.shape}, and {(X.shape[0], Z.shape[0])} is needed."
            )
        return K


def _as_classes(y: Any) -> np.ndarray:
    y = _flat(y, "classes")
    if y.dtype.kind == "f":
        if not np.isfinite(y).all():
            raise InvalidInputError("y contains NaN or infinity: every sample needs a class.")
        if np.any(y != np.round(y)):
            raise InvalidInputError("Unknown label type: continuous. y must hold two classes, not real numbers.")
    return y


def _one_each(y: np.ndarray, X: Any, what: str) -> np.ndarray:
    """y, if it has an entry for each row of X."""
    rows = np.shape(X)[0]
    if len(y) != rows:
        raise InvalidInputError(f"X has {rows} samples and y has {len(y)} entries: one {what} per sample is needed.")
    return y


def _as_numbers(y: Any) -> np.ndarray:
    return as_vector(_flat(y, "numbers"), "y")


def _flat(y: Any, what: str) -> np.ndarray:
    """y as a one-dimensional array; a single column becomes one, with a warning."""
    if sp.issparse(y):
        raise InvalidInputError(f"y is a sparse matrix, and a one-dimensional array of {what} is needed.")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. It was flattened; pass y.ravel() to avoid this.",
            like_sklearn(DataConversionWarning, "DataConversionWarning"),
            stacklevel=5,
        )
        y = y.ravel()
    if y.ndim != 1:
        raise InvalidInputError(f"y has shape {y.shape}, and a one-dimensional array of {what} is needed.")
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
