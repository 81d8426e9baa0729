"""What every function asks of its arguments, in one place. Bad input gets a message that says what to do."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, overload

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mcmteach.errors import InvalidInputError, InvalidTypeError

#: An array of real numbers, of any shape
Floats = NDArray[np.float64]

# Squares and products of larger numbers overflow to inf, and an LP solver calls anything above about 1e20 infinite.
HUGE = 1e100


def as_numbers(X: Any, name: str) -> np.ndarray:
    """``X`` as an array of real numbers of any shape, NaN and inf among them."""
    if X is None:
        raise InvalidTypeError(f"{name} is None, and numbers are needed.")
    if np.ma.is_masked(X):
        raise InvalidInputError(f"{name} hides some of its values behind a mask. Fill them in, or drop them first.")
    try:
        X = np.asarray(X)
        if X.dtype.kind == "c":
            raise InvalidInputError(f"{name} holds complex numbers. Complex data not supported: take real features.")
        return X if X.dtype.kind in "fiub" else X.astype(float)
    except InvalidInputError:
        raise
    except (TypeError, ValueError) as problem:
        kind = InvalidTypeError if isinstance(problem, TypeError) else InvalidInputError
        raise kind(f"{name} is not made of numbers ({problem}). Encode categories as numbers first.") from None


@overload
def as_matrix(X: Any, name: str = "X", sparse: Literal[False] = False, missing: bool = False) -> Floats: ...


@overload
def as_matrix(X: Any, name: str = "X", sparse: bool = False, missing: bool = False) -> Any: ...


def as_matrix(X: Any, name: str = "X", sparse: bool = False, missing: bool = False) -> Any:
    """``X`` as a finite two-dimensional float array (or CSR matrix where ``sparse`` allows it; NaN where ``missing``)."""
    if sp.issparse(X):
        if not sparse:
            raise InvalidInputError(
                f"{name} is a sparse matrix and a dense array is needed here. Use {name}.toarray()."
            )
        X = sp.csr_array(X)
        values = X.data
    else:
        X = values = as_numbers(X, name)
    if X.ndim != 2:
        remedy = {
            0: f"Reshape your data: a single number becomes a matrix by np.reshape({name}, (1, 1)).",
            1: f"Reshape your data: {name}.reshape(-1, 1) if it is one feature, {name}.reshape(1, -1) if it is one sample.",
        }.get(X.ndim, "Reshape your data to (n_samples, n_features).")
        raise InvalidInputError(f"{name} has {X.ndim} dimension(s), and 2 are needed. {remedy}")
    if X.shape[0] == 0:
        raise InvalidInputError(f"{name} has 0 samples (shape={X.shape}), and at least one is needed.")
    if X.shape[1] == 0:
        raise InvalidInputError(f"{name} has 0 feature(s) (shape={X.shape}) while a minimum of 1 is required.")
    _refuse_not_finite(values[~np.isnan(values)] if missing and values.dtype.kind == "f" else values, name)
    return X.astype(float)


def as_plane(X: Any, w: Any, b: Any) -> tuple[Floats, Floats, float]:
    """Data and the plane w·x + b = 0 that is to meet them; w may be a row, as a machine's ``coef_`` is."""
    X = as_matrix(X)
    w = as_numbers(w, "w")
    return X, as_vector(w[0] if w.shape == (1, X.shape[1]) else w, "w", X.shape[1]), as_number(b, "b")


def as_square(K: Any, name: str = "K") -> Floats:
    """``K`` as a finite square float array, as a kernel matrix is."""
    K = as_matrix(K, name)
    if K.shape[0] != K.shape[1]:
        raise InvalidInputError(f"A kernel matrix is square, and this one has shape {K.shape}.")
    return K


def dense(X: Any) -> np.ndarray:
    """X as an ordinary array, whether it is sparse or not."""
    return X.toarray() if sp.issparse(X) else X


def as_vector(v: Any, name: str, size: int | None = None) -> Floats:
    """``v`` as a finite one-dimensional float array, of length ``size`` where that is given."""
    v = np.atleast_1d(as_numbers(v, name)).astype(float)
    if v.ndim != 1:
        raise InvalidInputError(
            f"{name} has shape {v.shape}, and a one-dimensional array is needed. Try {name}.ravel()."
        )
    if size is not None and len(v) != size:
        raise InvalidInputError(
            f"{name} has {len(v)} entries, and {size} are needed: one per row (or column) of the data."
        )
    _refuse_not_finite(v, name)
    return v


def as_number(value: Any, name: str) -> float:
    """``value`` as a finite float."""
    return float(as_vector(value, name, 1)[0])


def as_labels(y: Any, size: int | None = None, both: bool = True) -> Floats:
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
    if both and len(found) < 2:
        raise InvalidInputError(f"y holds one class only ({found[0]:+g}), and two are needed to learn a difference.")
    return y


def positive(value: Any, name: str, finite: bool = True) -> float:
    """``value`` as a float > 0."""
    if not is_number(value) or not value > 0 or (finite and np.isinf(value)):
        raise InvalidInputError(f"{name} must be {'a finite' if finite else 'a'} number > 0, and is {value!r}.")
    return float(value)


def not_negative(value: Any, name: str) -> float:
    """``value`` as a finite float >= 0."""
    if not is_number(value) or not value >= 0 or np.isinf(value):
        raise InvalidInputError(f"{name} must be a finite number >= 0, and is {value!r}.")
    return float(value)


def is_number(value: Any) -> bool:
    """A real number that is neither a bool nor NaN."""
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_) and not np.isnan(float(value))


def several(values: Any, name: str, each: Callable[[Any, str], float]) -> list[float]:
    """One number or many, at least one; ``each`` is what every one of them must be, as ``positive``."""
    found = np.atleast_1d(as_numbers(values, name)).ravel().tolist()
    if not found:
        raise InvalidInputError(f"{name} is empty. Give at least one value.")
    return [each(value, name) for value in found]


def whole(value: Any, name: str, least: int) -> int:
    """``value`` as an int >= ``least``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InvalidInputError(f"{name} must be a whole number >= {least}, and is {value!r}.")
    return int(value)


def switch(value: Any, name: str) -> bool:
    """``value`` if it is True or False: a word such as "no" would count as true."""
    if not isinstance(value, bool | np.bool_):
        raise InvalidInputError(f"{name} must be True or False, and is {value!r}.")
    return bool(value)


def scalar_or_array(value: Any) -> Any:
    """A Python float where the arguments were numbers, an array where one of them was an array."""
    return float(value) if np.ndim(value) == 0 else np.asarray(value)


def _refuse_not_finite(values: np.ndarray, name: str) -> None:
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
