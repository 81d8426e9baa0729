"""What all machines share: scikit-learn's protocol, without needing scikit-learn.

A machine takes its parameters in ``__init__`` and stores them as they are; ``fit`` checks everything and sets the
attributes that end in an underscore. Labels may be any two values: inside, the larger one is +1.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from mcmteach.errors import InvalidInputError, NotFittedError, like_sklearn
from mcmteach.gram import is_mercer
from mcmteach.kernels import Kernel, KernelFunction, Precomputed, as_gamma, as_kernel
from mcmteach.validation import (
    FloatArray,
    MatrixLike,
    as_classes,
    as_matrix,
    as_targets,
    as_vector,
    as_weights,
    compare_feature_names,
    compare_n_features,
    dense,
    feature_names,
    flat,
    not_negative,
    one_per_row,
)


class Root:
    """Takes the place of scikit-learn's BaseEstimator until :func:`join_sklearn` finds that loaded."""


class Estimator(Root):
    """Parameters by name, as scikit-learn's BaseEstimator keeps them."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        join_sklearn()
        return super().__new__(cls)

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """The parameters of ``__init__`` in their order, with their default values."""
        found = list(inspect.signature(cls.__init__).parameters.values())[1:]
        return {p.name: p.default for p in found if p.kind is p.POSITIONAL_OR_KEYWORD}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters as they were given."""
        return {name: getattr(self, name) for name in sorted(self._defaults())}

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name; they take effect at the next fit."""
        known = sorted(self._defaults())
        if unknown := sorted(set(params) - set(known)):
            raise InvalidInputError(
                f"Invalid parameter {unknown[0]!r} for estimator {self}. Valid parameters are: {known}."
            )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        values = [(name, repr(getattr(self, name)), repr(default)) for name, default in self._defaults().items()]
        changed = [f"{name}={value}" for name, value, default in values if value != default]
        return f"{type(self).__name__}({', '.join(changed)})"


def join_sklearn() -> None:
    """Let our estimators inherit from scikit-learn's once that is loaded, for its HTML display and its metadata routing.

    Importing scikit-learn takes more than twice as long as importing all of this package, which works without it. So no
    class is derived from scikit-learn's when it is defined; theirs become bases of ours when the first estimator is made
    after scikit-learn was imported, and from then on for all estimators, old ones too.
    """
    if sys.modules.get("sklearn.base") is None or Estimator.__bases__ != (Root,):
        return
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

    Estimator.__bases__ = (BaseEstimator,)
    Classifier.__bases__ = (ClassifierMixin, Machine)
    Regressor.__bases__ = (RegressorMixin, Machine)
    family: list[Any] = [Estimator]
    for cls in family:  # the list grows in the loop: each class adds its subclasses
        family += cls.__subclasses__()
        BaseEstimator.__init_subclass__.__func__(cls)  # adds set_score_request and the like


class Machine(Estimator):
    """An estimator that is fitted to rows of numbers, and expects the same columns of new rows."""

    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def _check_training_rows(self, X: MatrixLike, y: Any) -> tuple[MatrixLike, NDArray[Any] | None]:
        """X as a matrix, and the names of its columns if it has any."""
        if y is None:
            raise InvalidInputError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        names = feature_names(X)
        X = as_matrix(X, sparse=True)
        values = X.data if sp.issparse(X) else X
        # subnormal numbers have lost their digits, and the inverse of most of them overflows
        values[np.abs(values) < np.finfo(float).tiny] = 0.0
        return X, names

    def _remember(self, X: MatrixLike, names: NDArray[Any] | None) -> None:
        """Delete what the last fit set, and store the shape and the column names of this one's data."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)
        self.n_features_in_ = X.shape[1]
        if names is not None:
            self.feature_names_in_ = names

    def _check_new_data(self, X: MatrixLike) -> MatrixLike:
        """X as a matrix with the columns that the machine was trained on."""
        self._check_is_fitted()
        name = type(self).__name__
        compare_feature_names(X, getattr(self, "feature_names_in_", None), name)
        X = as_matrix(X, sparse=True)
        compare_n_features(X, self.n_features_in_, name)
        return X

    def compact(self) -> Self:
        """Drop, in place, what is not needed to predict. Another fit restores it."""
        self._check_is_fitted()
        self._drop_what_training_needed()
        return self

    def _drop_what_training_needed(self) -> None:
        """Most machines keep nothing else."""

    def _check_is_fitted(self) -> None:
        if not hasattr(self, "intercept_"):
            raise like_sklearn(NotFittedError, "NotFittedError")(
                f"This {type(self).__name__} instance is not fitted yet. Call fit(X, y) before asking it for an answer."
            )

    def _input_tags(self) -> Any:
        from sklearn.utils import InputTags

        return InputTags(sparse=True)


class Classifier(Machine):
    """A machine that tells two classes apart by the sign of its ``decision_function``, or more by the largest of several."""

    many_classes = False  #: whether it takes more than two

    classes_: NDArray[Any]
    coef_: FloatArray
    intercept_: FloatArray

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """f(x) = w·x + b for each row of X: its sign is the class."""
        return affine_values(self._check_new_data(X), self.coef_, self.intercept_)

    def predict(self, X: MatrixLike) -> NDArray[Any]:
        """The class of each row of X: ``classes_[1]`` where the decision function is positive, or that of the largest."""
        f = self.decision_function(X)
        return self.classes_[(f > 0).astype(int) if f.ndim == 1 else f.argmax(axis=1)]

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The share of rows of X whose predicted class is y (weighted, where weights are given)."""
        right = self.predict(X) == one_per_row(flat(y, "classes"), X, "label")
        return float(
            np.average(right, weights=None if sample_weight is None else as_weights(sample_weight, len(right)))
        )

    def _check_training_data(self, X: MatrixLike, y: ArrayLike) -> tuple[MatrixLike, FloatArray]:
        """X as a matrix and y as labels -1/+1, with ``classes_``, ``n_features_in_`` and ``feature_names_in_`` set."""
        X, which = self._check_classes(X, y)
        return X, np.where(which == 1, 1.0, -1.0)

    def _check_classes(self, X: MatrixLike, y: ArrayLike) -> tuple[MatrixLike, NDArray[np.intp]]:
        """The same, with the number of its class in ``classes_`` for each sample."""
        X, names = self._check_training_rows(X, y)
        y = one_per_row(as_classes(y), X, "label")
        try:
            classes, which = np.unique(y, return_inverse=True)
        except TypeError:  # None, NaN or numbers among strings cannot be put in order
            raise InvalidInputError(
                "y mixes labels that cannot be compared (None? NaN?): use one type for all."
            ) from None
        if len(classes) == 1:
            raise InvalidInputError(f"y holds one class only ({classes[0]}), but two are needed to learn a difference.")
        if len(classes) > 2 and not self.many_classes:
            raise InvalidInputError(
                f"Only binary classification is supported. The type of the target is multiclass: y holds {len(classes)} "
                "classes. Choose two of them, or use sklearn.multiclass.OneVsRestClassifier."
            )
        self._remember(X, names)
        self.classes_ = classes
        return X, which

    def _sample_weights(
        self, which: NDArray[np.intp], sample_weight: ArrayLike | None, class_weight: Mapping[Any, float] | str | None
    ) -> FloatArray | None:
        """The weight of each sample times that of its class; None where all are 1.

        "balanced" gives all classes the same total. A dictionary need not name every class: the others have weight 1.
        """
        if sample_weight is None and class_weight is None:
            return None
        weights = np.ones(len(which)) if sample_weight is None else as_weights(sample_weight, len(which))
        if class_weight is not None:
            totals = np.asarray(np.bincount(which, weights, len(self.classes_)), dtype=float)
            weights = weights * self._class_factors(class_weight, totals)[which]
        for label, total in zip(self.classes_, np.bincount(which, weights, len(self.classes_)), strict=True):
            if not total > 0:
                raise InvalidInputError(
                    f"The samples of class {label} have a total weight of 0, so nothing can be learnt about it. Give some "
                    "of them a positive weight, or leave them out."
                )
        return weights

    def _class_factors(self, class_weight: Mapping[Any, float] | str | None, totals: FloatArray) -> FloatArray:
        """What the weights of each class are multiplied by, from the total of each class."""
        if isinstance(class_weight, str) and class_weight == "balanced":
            return totals.sum() / (len(totals) * np.maximum(totals, np.finfo(float).tiny))
        if not isinstance(class_weight, Mapping):
            raise InvalidInputError(
                f"class_weight must be None, 'balanced' or a dictionary {{label: weight}}; got {class_weight!r}."
            )
        labels = self.classes_.tolist()
        if unknown := [label for label in class_weight if label not in labels]:
            raise InvalidInputError(f"class_weight names the class {unknown[0]!r}, and the classes are {labels}.")
        return np.array(
            [not_negative(class_weight.get(label, 1.0), f"The weight of class {label}") for label in labels]
        )

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(multi_class=self.many_classes),
            input_tags=self._input_tags(),
        )


class Regressor(Machine):
    """A machine whose answer is a real number."""

    def predict(self, X: MatrixLike) -> FloatArray:
        raise NotImplementedError

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        r"""\(R^2 = 1 - \sum_i (y_i - f_i)^2 / \sum_i (y_i - \bar y)^2\): 1 is perfect, 0 as good as the mean of y.

        Weights, where they are given, multiply the terms of both sums and of the mean.
        """
        f = self.predict(X)
        y = as_vector(y, "y", len(f))
        weights = np.ones(len(f)) if sample_weight is None else as_weights(sample_weight, len(f))
        spread = weights @ (y - np.average(y, weights=weights)) ** 2
        if spread == 0:
            raise InvalidInputError("y is constant, so R² = 1 - 0/0 has no value. Score on more than one value of y.")
        return float(1 - weights @ (y - f) ** 2 / spread)

    def _check_training_data(self, X: MatrixLike, y: ArrayLike) -> tuple[MatrixLike, FloatArray]:
        """X as a matrix and y as real numbers, with ``n_features_in_`` and ``feature_names_in_`` set."""
        X, names = self._check_training_rows(X, y)
        y = one_per_row(as_targets(y), X, "target")
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
    """A machine with a parameter ``kernel``: the kernel that it stands for, its matrix, and the expansion in it."""

    kernel: str | KernelFunction
    gamma: float | str
    degree: int
    coef0: float
    kernel_: Kernel
    gamma_: float
    support_: NDArray[np.intp]
    support_vectors_: MatrixLike
    n_support_: int
    dual_coef_: FloatArray
    intercept_: FloatArray

    def _resolve_kernel(self, X: MatrixLike, sample_weight: FloatArray | None = None) -> None:
        """Set ``kernel_``, and ``gamma_`` where the kernel is "rbf"."""
        gamma = self.gamma
        if isinstance(self.kernel, str) and self.kernel == "rbf":
            gamma = self.gamma_ = as_gamma(self.gamma, X, sample_weight)
        self.kernel_ = as_kernel(self.kernel, gamma, self.degree, self.coef0)

    def _training_matrix(self, X: MatrixLike) -> MatrixLike:
        """The kernel matrix of the training data, with ``kernel_`` set."""
        self._resolve_kernel(X)
        return self.kernel_(X)

    def _mercer_matrix(self, X: MatrixLike) -> FloatArray:
        """The same, dense, for machines that minimise z'Kz and so need a kernel in Mercer's sense."""
        K = dense(self._training_matrix(X))
        if not self.kernel_.mercer and not is_mercer(K):
            raise InvalidInputError(
                "The kernel matrix is not symmetric positive semi-definite (Mercer), so z'Kz can fall without end and "
                f"{type(self).__name__} has no minimum to find. Use another kernel, or MCMClassifier, which accepts it."
            )
        return K

    def _keep_support(self, X: MatrixLike, support: NDArray[np.intp]) -> None:
        self.support_, self.n_support_ = support, len(support)
        if not isinstance(self.kernel_, Precomputed):
            self.support_vectors_ = X[support]

    def _expansion(self, X: MatrixLike) -> FloatArray:
        """f(x) = sum over the support vectors of their coefficients times k(x_i, x), plus b."""
        if not self.n_support_:
            return affine_values(np.zeros((X.shape[0], 0)), self.dual_coef_, self.intercept_)
        K = self.kernel_(X, self.support_ if isinstance(self.kernel_, Precomputed) else self.support_vectors_)
        return affine_values(K, self.dual_coef_, self.intercept_)

    def _input_tags(self) -> Any:
        tags = super()._input_tags()
        tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags


def affine_values(A: MatrixLike, coef: FloatArray, intercept: FloatArray) -> FloatArray:
    """A w + b for each row w of ``coef``: shape (n_samples, n_classes), or (n_samples,) where there is one row only."""
    if len(coef) == 1:
        return np.asarray(A @ coef[0]).ravel() + intercept[0]
    return np.asarray(A @ coef.T) + intercept
