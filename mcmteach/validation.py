"""The checks of arguments, in one place. Bad input gets a message that says what to do."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias, overload

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from mcmteach.errors import DataConversionWarning, InvalidInputError, InvalidTypeError, like_sklearn, warn

FloatArray: TypeAlias = NDArray[np.float64]
#: an array-like of two dimensions, or one of scipy's sparse matrices, which have no common type to name
MatrixLike: TypeAlias = Any

# Squares and products of larger numbers overflow to inf, and an LP solver calls anything above about 1e20 infinite.
HUGE = 1e100


def as_numbers(X: ArrayLike | None, name: str) -> NDArray[Any]:
    """``X`` as an array of real numbers of any shape; NaN and inf are let through."""
    if X is None:
        raise InvalidTypeError(f"{name} is None, but numbers are needed.")
    if np.ma.is_masked(X):
        raise InvalidInputError(f"{name} is a masked array with masked values. Fill them in, or drop them first.")
    try:
        X = np.asarray(X)
        if X.dtype.kind == "c":
            raise InvalidInputError(f"{name} holds complex numbers. Complex data not supported: take real features.")
        if X.dtype.kind in "mM":
            raise InvalidTypeError(
                f"{name} holds dates or times ({X.dtype}), but numbers are needed. Take the days since a fixed date, the "
                "hour, the weekday, …"
            )
        return X if X.dtype.kind in "fiub" else X.astype(float)
    except InvalidInputError:
        raise
    except (TypeError, ValueError) as problem:
        kind = InvalidTypeError if isinstance(problem, TypeError) else InvalidInputError
        raise kind(f"{name} is not made of numbers ({problem}). Encode categories as numbers first.") from None


@overload
def as_matrix(X: MatrixLike, name: str = ..., sparse: Literal[False] = ..., missing: bool = ...) -> FloatArray: ...
@overload
def as_matrix(X: MatrixLike, name: str = ..., *, sparse: Literal[True], missing: bool = ...) -> Any: ...
@overload
def as_matrix(X: MatrixLike, name: str, sparse: Literal[True], missing: bool = ...) -> Any: ...


def as_matrix(X: MatrixLike, name: str = "X", sparse: bool = False, missing: bool = False) -> Any:
    """``X`` as a finite two-dimensional float array (or CSR matrix where ``sparse`` allows it; NaN where ``missing``)."""
    if sp.issparse(X):
        if not sparse:
            raise InvalidInputError(
                f"{name} is a sparse matrix and a dense array is needed here. Use {name}.toarray()."
            )
        X = _canonical(sp.csr_array(X))
        values = X.data
    else:
        X = values = as_numbers(X, name)
    if X.ndim != 2:
        remedy = {
            0: f"Reshape your data: a single number becomes a matrix by np.reshape({name}, (1, 1)).",
            1: f"Reshape your data: {name}.reshape(-1, 1) if it is one feature, {name}.reshape(1, -1) if it is one sample.",
        }.get(X.ndim, "Reshape your data to (n_samples, n_features).")
        raise InvalidInputError(f"{name} has {X.ndim} dimension(s), but 2 are needed. {remedy}")
    if X.shape[0] == 0:
        raise InvalidInputError(f"{name} has 0 samples (shape={X.shape}), but at least one is needed.")
    if X.shape[1] == 0:
        raise InvalidInputError(f"{name} has 0 feature(s) (shape={X.shape}) while a minimum of 1 is required.")
    _refuse_not_finite(values[~np.isnan(values)] if missing and values.dtype.kind == "f" else values, name)
    return X.astype(float)


def _canonical(X: MatrixLike) -> Any:
    """A CSR matrix with each entry stored once, and with 32-bit indices where they suffice: not every library takes more."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.indices.dtype != np.int32 and max(X.nnz, *X.shape) <= np.iinfo(np.int32).max:
        X = sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    return X


def as_plane(X: ArrayLike, w: ArrayLike, b: float) -> tuple[FloatArray, FloatArray, float]:
    """Data and a plane w·x + b = 0 in the same space; w may be a row, as a machine's ``coef_`` is."""
    X = as_matrix(X)
    w = as_numbers(w, "w")
    return X, as_vector(w[0] if w.shape == (1, X.shape[1]) else w, "w", X.shape[1]), as_number(b, "b")


def as_square(K: ArrayLike, name: str = "K") -> FloatArray:
    """``K`` as a finite square float array, as a kernel matrix is."""
    K = as_matrix(K, name)
    if K.shape[0] != K.shape[1]:
        raise InvalidInputError(f"A kernel matrix is square, and this one has shape {K.shape}.")
    return K


def dense(X: MatrixLike) -> FloatArray:
    """X as an ordinary array, whether it is sparse or not."""
    return X.toarray() if sp.issparse(X) else X


def as_vector(v: ArrayLike | None, name: str, size: int | None = None) -> FloatArray:
    """``v`` as a finite one-dimensional float array, of length ``size`` where that is given."""
    v = np.atleast_1d(as_numbers(v, name)).astype(float)
    if v.ndim != 1:
        raise InvalidInputError(
            f"{name} has shape {v.shape}, but a one-dimensional array is needed. Try {name}.ravel()."
        )
    if size is not None and len(v) != size:
        raise InvalidInputError(
            f"{name} has {len(v)} entries, but {size} are needed: one per row (or column) of the data."
        )
    _refuse_not_finite(v, name)
    return v


def as_weights(sample_weight: ArrayLike, size: int) -> FloatArray:
    """``sample_weight`` as a float array of one weight >= 0 per sample, not all of them 0."""
    weights = as_vector(sample_weight, "sample_weight", size)
    if weights.min() < 0:
        raise InvalidInputError("sample_weight holds a negative weight. Use 0 to leave a sample out.")
    if not weights.any():
        raise InvalidInputError("All entries of sample_weight are zero: there is no sample to learn from.")
    return weights


def as_number(value: ArrayLike | None, name: str) -> float:
    """``value`` as a finite float."""
    return float(as_vector(value, name, 1)[0])


def as_labels(y: ArrayLike, size: int | None = None, both: bool = True) -> FloatArray:
    """``y`` as a float array of labels -1 and +1, with ``both`` present unless said otherwise."""
    y = as_vector(y, "y", size)
    found = np.unique(y)
    if not np.isin(found, (-1.0, 1.0)).all():
        shown = ", ".join(f"{v:g}" for v in found[:4]) + (", …" if len(found) > 4 else "")
        remedy = (
            "For labels 0 and 1 use 2 * y - 1."
            if np.isin(found, (0.0, 1.0)).all()
            else "Estimators take any two labels."
        )
        raise InvalidInputError(f"y holds the labels {shown}, and this function needs -1 and +1. {remedy}")
    if not len(found):
        raise InvalidInputError("y is empty, but at least one label is needed.")
    if both and len(found) < 2:
        raise InvalidInputError(f"y holds one class only ({found[0]:+g}), but two are needed to learn a difference.")
    return y


def positive(value: Any, name: str, finite: bool = True) -> float:
    """``value`` as a float > 0."""
    if not is_number(value) or not value > 0 or (finite and np.isinf(value)):
        raise InvalidInputError(f"{name} must be {'a finite' if finite else 'a'} number > 0; got {value!r}.")
    return float(value)


def not_negative(value: Any, name: str) -> float:
    """``value`` as a finite float >= 0."""
    if not is_number(value) or not value >= 0 or np.isinf(value):
        raise InvalidInputError(f"{name} must be a finite number >= 0; got {value!r}.")
    return float(value)


def is_number(value: Any) -> bool:
    """A real number that is neither a bool nor NaN."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_) and not np.isnan(float(value))


def several(values: ArrayLike, name: str, each: Callable[[Any, str], float]) -> list[float]:
    """One number or many, at least one; ``each`` is what every one of them must be, as ``positive``."""
    found = np.atleast_1d(as_numbers(values, name)).ravel().tolist()
    if not found:
        raise InvalidInputError(f"{name} is empty. Give at least one value.")
    return [each(value, name) for value in found]


def whole(value: Any, name: str, least: int) -> int:
    """``value`` as an int >= ``least``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InvalidInputError(f"{name} must be a whole number >= {least}; got {value!r}.")
    return int(value)


def switch(value: Any, name: str) -> bool:
    """``value`` if it is True or False: a word such as "no" would count as true."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidInputError(f"{name} must be True or False; got {value!r}.")
    return bool(value)


def scalar_or_array(value: Any) -> Any:
    """A Python float where the arguments were numbers, an array where one of them was an array."""
    return float(value) if np.ndim(value) == 0 else np.asarray(value)


# --- what estimators ask of X and y ----------------------------------------------------------------------------------


def as_classes(y: ArrayLike) -> NDArray[Any]:
    """``y`` as a one-dimensional array of labels of any kind; real numbers that are not whole are no labels."""
    y = flat(y, "classes")
    if y.dtype.kind == "f":
        if not np.isfinite(y).all():
            raise InvalidInputError("y contains NaN or infinity: every sample needs a class.")
        if np.any(y != np.round(y)):
            raise InvalidInputError("Unknown label type: continuous. y must hold two classes, not real numbers.")
    return y


def as_targets(y: ArrayLike) -> FloatArray:
    """``y`` as a one-dimensional array of real numbers."""
    return as_vector(flat(y, "numbers"), "y")


def one_per_row(y: NDArray[Any], X: MatrixLike, what: str) -> NDArray[Any]:
    """``y``, if it has one entry for each row of X."""
    rows = np.shape(X)[0]
    if len(y) != rows:
        raise InvalidInputError(f"X has {rows} samples and y has {len(y)} entries: one {what} per sample is needed.")
    return y


def flat(y: ArrayLike, what: str) -> NDArray[Any]:
    """``y`` as a one-dimensional array; a single column is flattened, with a warning."""
    if sp.issparse(y):
        raise InvalidInputError(f"y is a sparse matrix, and a one-dimensional array of {what} is needed.")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        warn(
            "A column-vector y was passed when a 1d array was expected. It was flattened; pass y.ravel() to avoid this.",
            like_sklearn(DataConversionWarning, "DataConversionWarning"),
        )
        y = y.ravel()
    if y.ndim != 1:
        raise InvalidInputError(f"y has shape {y.shape}, and a one-dimensional array of {what} is needed.")
    return y


def feature_names(X: MatrixLike) -> NDArray[Any] | None:
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


def compare_feature_names(X: MatrixLike, fitted: NDArray[Any] | None, estimator: str) -> None:
    """Refuse columns of other names than those of the fit; warn where only one of the two has names."""
    new = feature_names(X)
    if new is None and fitted is None:
        return
    if new is None or fitted is None:
        warn(
            f"X has feature names, but {estimator} was fitted without feature names"
            if fitted is None
            else f"X does not have valid feature names, but {estimator} was fitted with feature names",
            UserWarning,
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


def compare_n_features(X: MatrixLike, fitted: int, estimator: str) -> None:
    """Raise an error unless X has as many columns as the estimator was fitted with. The wording is scikit-learn's."""
    if X.shape[1] != fitted:
        raise InvalidInputError(
            f"X has {X.shape[1]} features, but {estimator} is expecting {fitted} features as input."
        )


def _refuse_not_finite(values: NDArray[Any], name: str) -> None:
    if values.dtype.kind != "f":
        return
    if np.isnan(values).any():
        raise InvalidInputError(f"{name} contains NaN. Impute or drop the missing values first.")
    if np.isinf(values).any():
        raise InvalidInputError(f"{name} contains infinity (inf). Replace it by a finite number.")
    if values.size and float(np.abs(values).max()) > HUGE:  # as a Python float: a float32 cannot hold HUGE
        raise InvalidInputError(
            f"{name} holds values beyond {HUGE:g}: their squares overflow. Standardise the data first."
        )


def printable(text: str) -> str:
    """Untrusted text without characters that a terminal or a spreadsheet would act upon.

    Examples
    --------
    >>> printable("a\\x1b[2Jb")
    'a [2Jb'
    """
    return "".join(c if c.isprintable() else " " for c in text)
