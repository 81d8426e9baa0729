r"""Kernels on vectors, and their algebra: sums, products and maps of kernels are kernels (S, "Modularity of kernels").

As functions, ``rbf_kernel(X, Z, gamma)``, and as small objects that one can combine:

>>> k = 2 * RBF(gamma=0.5) + Polynomial(degree=2) * Linear()
>>> k([[0.0, 1.0]], [[0.0, 1.0]])
array([[6.]])

:func:`as_kernel` makes the object that a machine's parameters ``kernel``, ``gamma``, ``degree`` and ``coef0`` stand for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from mcmteach.errors import InvalidInputError
from mcmteach.gram import is_mercer
from mcmteach.validation import (
    HUGE,
    FloatArray,
    MatrixLike,
    as_matrix,
    as_numbers,
    dense,
    not_negative,
    positive,
    whole,
)

#: a function k(X, Z) that gives the matrix of kernel values of the rows of X and of Z
KernelFunction: TypeAlias = Callable[[Any, Any], Any]

DENSE_FEATURES = 5000  # sparse rows with at most this many features are made dense to measure distances

# Above this number of pairs and features, distances come from x·x - 2x·z + z·z, ten times faster (BLAS). Pairs nearer to each
# other than this fraction of the largest norms would lose digits: they are subtracted, or all are if there are many such pairs.
MANY_PAIRS, MANY_FEATURES, CLOSE = 1 << 16, 32, 1e-4


def linear_kernel(X: MatrixLike, Z: MatrixLike = None) -> FloatArray:
    r"""\(K_{ij} = x_i \cdot z_j\).

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    Z : array or sparse matrix of shape (m_samples, n_features); X itself where it is left out

    Examples
    --------
    >>> linear_kernel([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """
    return Linear()(X, Z)


def polynomial_kernel(X: MatrixLike, Z: MatrixLike = None, degree: int = 2, coef0: float = 1.0) -> FloatArray:
    r"""\(K_{ij} = (x_i \cdot z_j + c_0)^d\). With coef0 = 0 and degree = 2 it is the slides' quadratic kernel.

    Examples
    --------
    >>> polynomial_kernel([[1.0, 2.0]], [[3.0, 4.0]], degree=2, coef0=0)
    array([[121.]])

    Source: S, "Kernel induced feature space".
    """
    return Polynomial(degree, coef0)(X, Z)


def rbf_kernel(X: MatrixLike, Z: MatrixLike = None, gamma: float = 1.0) -> FloatArray:
    r"""\(K_{ij} = \exp(-\gamma \|x_i - z_j\|^2)\).

    Examples
    --------
    >>> rbf_kernel([[0.0], [1.0]], gamma=1.0).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])

    Source: N(34), P(17).
    """
    return RBF(gamma)(X, Z)


def squared_distances(X: MatrixLike, Z: MatrixLike = None) -> FloatArray:
    r"""\(\|x_i - z_j\|^2\), exactly 0 for equal rows.

    Rows are subtracted before they are squared: the expansion x·x - 2x·z + z·z is faster, but loses all digits for points
    that lie close together and far from the origin. Many distances in many features are expanded about the mean all the
    same, and those of close points are then computed anew.
    """
    return _squared_distances(*_pair(X, Z))


def _squared_distances(X: MatrixLike, Z: MatrixLike) -> FloatArray:
    if X.shape[1] > DENSE_FEATURES and (sp.issparse(X) or sp.issparse(Z)):
        norms = [
            np.asarray(A.multiply(A).sum(axis=1)).ravel() if sp.issparse(A) else (A**2).sum(axis=1) for A in (X, Z)
        ]
        return np.maximum(0.0, norms[0][:, None] - 2 * dense(X @ Z.T) + norms[1][None, :])
    X, Z = dense(X), dense(Z)
    if X.shape[1] < MANY_FEATURES or len(X) * len(Z) < MANY_PAIRS:
        return cdist(X, Z, "sqeuclidean")
    centre = Z.mean(axis=0)
    about_X, about_Z = X - centre, Z - centre
    x, z = ((A**2).sum(axis=1) for A in (about_X, about_Z))
    D = about_X @ (-2 * about_Z.T)
    D += x[:, None]
    D += z
    near = CLOSE * (x.max() + z.max())
    i, j = np.nonzero(~(near < D))
    if 16 * len(i) > D.size:
        return cdist(X, Z, "sqeuclidean")
    D[i, j] = ((X[i] - Z[j]) ** 2).sum(axis=1)
    return D


# --- feature maps that one can write down -----------------------------------------------------------------------------


def quadratic_map(X: ArrayLike) -> FloatArray:
    r"""\(\varphi(x) = (x_1^2, \dots, x_n^2, \sqrt2\,x_1x_2, \sqrt2\,x_1x_3, \dots)\), the map behind \((x \cdot z)^2\).

    The kernel spares the n(n + 1)/2 coordinates: \(\varphi(x) \cdot \varphi(z) = (x \cdot z)^2\), which is
    ``polynomial_kernel(X, Z, degree=2, coef0=0)``.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)

    Returns
    -------
    phi : array of shape (n_samples, n_features * (n_features + 1) / 2), the squares first

    Examples
    --------
    >>> phi = quadratic_map([[1.0, 2.0], [3.0, 4.0]])
    >>> phi.round(3)
    array([[ 1.   ,  4.   ,  2.828],
           [ 9.   , 16.   , 16.971]])
    >>> round(float(phi[0] @ phi[1]), 9)  # (1·3 + 2·4)^2
    121.0

    Source: S, "Kernel induced feature space".
    """
    X = as_matrix(X)
    i, j = np.triu_indices(X.shape[1], k=1)
    return np.hstack([X**2, np.sqrt(2) * X[:, i] * X[:, j]])


def xor_features(X: ArrayLike, sign: int = -1) -> FloatArray:
    r"""\(z_j = e^{\mp\|x - w_j\|^2}\) with \(w_1 = (1, 1)\) and \(w_2 = (0, 0)\): a plane in which a line separates XOR.

    Parameters
    ----------
    X : array of shape (n_samples, 2)
    sign : -1 for a bump that is highest at w_j (what is meant); +1 for the slide as printed, which lacks the minus.
        A line separates XOR either way

    Returns
    -------
    Z : array of shape (n_samples, 2)

    Examples
    --------
    >>> xor_features([[0, 0], [0, 1], [1, 0], [1, 1]]).round(3)
    array([[0.135, 1.   ],
           [0.368, 0.368],
           [0.368, 0.368],
           [1.   , 0.135]])

    Source: S, "Exclusive OR revisited", whose table is that of ``sign=+1``.
    """
    X = as_matrix(X)
    if X.shape[1] != 2:
        raise InvalidInputError(f"XOR takes 2 features, x_1 and x_2, and X has {X.shape[1]}.")
    if sign not in (-1, 1):
        raise InvalidInputError(f"sign must be -1 or +1; got {sign!r}.")
    exponent = sign * squared_distances(X, [[1.0, 1.0], [0.0, 0.0]])
    if exponent.max() > np.log(HUGE):
        raise InvalidInputError(
            "Without the minus sign e^||x - w||^2 overflows for points this far from w. Use sign=-1."
        )
    return np.exp(exponent)


# --- kernels as objects ----------------------------------------------------------------------------------------------


class Kernel:
    """A symmetric positive semi-definite function of two points, called as ``k(X, Z)`` for the matrix of its values.

    A custom kernel defines ``values(X, Z)``, for X and Z that have been checked.
    """

    mercer: ClassVar[bool] = True  #: whether its formula proves it positive semi-definite; else ask ``is_mercer``

    def __call__(self, X: MatrixLike, Z: MatrixLike = None) -> FloatArray:
        """k(x_i, z_j) for the rows of X and of Z (of X again, where Z is left out)."""
        with np.errstate(over="ignore", invalid="ignore"):  # overflow is reported below, with a message of ours
            K = self.values(*_pair(X, Z))
        if not (K.min() >= -HUGE and K.max() <= HUGE):  # NaN fails both
            raise InvalidInputError(
                f"The kernel's values overflow on these data: some are NaN, infinite or beyond {HUGE:g}. Standardise the data "
                "first."
            )
        return K

    def values(self, X: MatrixLike, Z: MatrixLike) -> FloatArray:
        """The matrix of k(x_i, z_j), of shape (n_samples, m_samples)."""
        raise NotImplementedError

    def __add__(self, other: Kernel) -> Kernel:
        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Kernel | float) -> Kernel:
        if isinstance(other, Kernel):
            return Product(self, other)
        return Scaled(self, positive(other, "the factor of a kernel")) if isinstance(other, Real) else NotImplemented

    __rmul__ = __mul__


@dataclass(frozen=True)
class Linear(Kernel):
    r"""\(x \cdot z\), as an object.

    Examples
    --------
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    def values(self, X: MatrixLike, Z: MatrixLike) -> FloatArray:
        return dense(X @ Z.T)


@dataclass(frozen=True)
class Polynomial(Kernel):
    r"""\((x \cdot z + c_0)^d\), as an object.

    Examples
    --------
    >>> Polynomial(degree=2, coef0=0)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[121.]])
    """

    degree: int = 2
    coef0: float = 1.0

    def __post_init__(self) -> None:
        whole(self.degree, "degree", 1)
        not_negative(self.coef0, "coef0")

    def values(self, X: MatrixLike, Z: MatrixLike) -> FloatArray:
        return (dense(X @ Z.T) + self.coef0) ** self.degree


@dataclass(frozen=True)
class RBF(Kernel):
    r"""\(\exp(-\gamma \|x - z\|^2)\), as an object.

    Examples
    --------
    >>> RBF(gamma=1.0)([[0.0], [1.0]]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        positive(self.gamma, "gamma")

    def values(self, X: MatrixLike, Z: MatrixLike) -> FloatArray:
        K = _squared_distances(X, Z)
        K *= -self.gamma
        return np.exp(K, out=K)


@dataclass(frozen=True)
class Sum(Kernel):
    r"""\(k_1(x, z) + k_2(x, z)\)."""

    left: Kernel
    right: Kernel

    def values(self, X: MatrixLike, Z: MatrixLike) -> FloatArray:
        return self.left(X, Z) + self.right(X, Z)


@dataclass(frozen=True)
class Product(Kernel):
    r"""\(k_1(x, z)\, k_2(x, z)\)."""

    left: Kernel
    right: Kernel

    def values(self, X: MatrixLike, Z: MatrixLike) -> FloatArray:
        return self.left(X, Z) * self.right(X, Z)


@dataclass(frozen=True)
class Scaled(Kernel):
    r"""\(a\, k(x, z)\) with a > 0: a negative multiple of a kernel is not a kernel."""

    kernel: Kernel
    a: float

    def __post_init__(self) -> None:
        positive(self.a, "the factor of a kernel")

    def values(self, X: MatrixLike, Z: MatrixLike) -> FloatArray:
        return self.a * self.kernel(X, Z)


@dataclass(frozen=True)
class Separable(Kernel):
    r"""\(f(x) f(z)\) for a function f that gives one number per row.

    ``Separable(c) * k`` is the conformal transformation \(c(x)\,c(z)\,k(x, z)\) of k.

    Examples
    --------
    >>> Separable(lambda X: X[:, 0])([[2.0, 9.0]], [[3.0, 9.0]])
    array([[6.]])
    """

    f: Callable[[Any], Any]

    def values(self, X: MatrixLike, Z: MatrixLike) -> FloatArray:
        return np.outer(row_values(self.f, X), row_values(self.f, Z))


def row_values(f: Callable[[Any], Any], X: MatrixLike) -> FloatArray:
    """f(X) as an array, which must hold one number per row of X."""
    values = np.asarray(f(X), dtype=float)
    if values.shape != (X.shape[0],):
        raise InvalidInputError(f"f must give one number per row: shape ({X.shape[0]},), and it gave {values.shape}.")
    return values


@dataclass(frozen=True)
class Mapped(Kernel):
    r"""\(k(\phi(x), \phi(z))\) for a map phi that takes a matrix of rows to a matrix of rows.

    Examples
    --------
    >>> Mapped(Linear(), quadratic_map)([[1.0, 2.0]], [[3.0, 4.0]]).round(9)  # (x·z)^2
    array([[121.]])
    """

    kernel: Kernel
    phi: Callable[[Any], Any]

    def values(self, X: MatrixLike, Z: MatrixLike) -> FloatArray:
        return self.kernel(self.phi(X), self.phi(Z))


class Bilinear(Kernel):
    r"""\(x^T B z\) for a symmetric positive semi-definite matrix B.

    Examples
    --------
    >>> Bilinear([[2.0, 0.0], [0.0, 1.0]])([[1.0, 1.0]], [[1.0, 1.0]])
    array([[3.]])
    """

    def __init__(self, B: ArrayLike):
        self.B = as_matrix(B, "B")
        if self.B.shape[0] != self.B.shape[1] or not is_mercer(self.B):
            raise InvalidInputError("B must be square, symmetric and positive semi-definite for x'Bz to be a kernel.")

    def values(self, X: MatrixLike, Z: MatrixLike) -> FloatArray:
        return dense(X @ self.B @ Z.T)

    def __repr__(self) -> str:
        return f"Bilinear({self.B.tolist()})"


# --- what a machine's parameters stand for ---------------------------------------------------------------------------


@dataclass(frozen=True)
class FunctionKernel(Kernel):
    """A user's function k(X, Z). Only its matrices show whether it is positive semi-definite."""

    function: KernelFunction
    mercer: ClassVar[bool] = False

    def values(self, X: MatrixLike, Z: MatrixLike) -> FloatArray:
        K = as_numbers(dense(self.function(X, Z)), "the kernel's matrix").astype(float)
        if K.shape != (X.shape[0], Z.shape[0]):
            raise InvalidInputError(
                f"The kernel function gave a matrix of shape {K.shape}, but {(X.shape[0], Z.shape[0])} is needed."
            )
        return K


@dataclass(frozen=True)
class Precomputed(Kernel):
    """Kernel values that the caller has computed: X holds them for each row with every training sample.

    There are no points to compare, so Z holds the column numbers of the training samples that are asked for.
    """

    mercer: ClassVar[bool] = False

    def __call__(self, X: MatrixLike, Z: MatrixLike = None) -> Any:
        if Z is not None:
            return X[:, Z]
        if X.shape[0] != X.shape[1]:
            raise InvalidInputError(
                f"A precomputed kernel matrix must be square for fit, and this has shape {X.shape}."
            )
        return X


def as_kernel(
    kernel: str | KernelFunction,
    gamma: float | str = "scale",
    degree: int = 3,
    coef0: float = 1.0,
    X: MatrixLike = None,
) -> Kernel:
    """The kernel that a machine's parameters stand for, with its numbers settled on the training data X.

    Parameters
    ----------
    kernel : "rbf", "linear", "poly", "precomputed", a Kernel, or a function k(X, Z) that gives the matrix of kernel values
    gamma : width of the RBF kernel, as in :func:`as_gamma`
    degree, coef0 : the polynomial kernel (x·z + coef0)^degree
    X : array or sparse matrix of shape (n_samples, n_features), which only gamma="scale" and "auto" look at

    Examples
    --------
    >>> as_kernel("rbf", gamma="auto", X=[[0.0, 1.0], [2.0, 3.0]])
    RBF(gamma=0.5)
    >>> as_kernel("poly", degree=2)
    Polynomial(degree=2, coef0=1.0)
    """
    if isinstance(kernel, Kernel):
        return kernel
    if callable(kernel):
        return FunctionKernel(kernel)
    if not isinstance(kernel, str) or kernel not in ("rbf", "linear", "poly", "precomputed"):
        raise InvalidInputError(
            f"There is no kernel {kernel!r}. Choose 'rbf', 'linear', 'poly', 'precomputed', or a function k(X, Z)."
        )
    if kernel == "rbf":
        return RBF(as_gamma(gamma, X))
    if kernel == "poly":
        return Polynomial(degree, coef0)
    return Linear() if kernel == "linear" else Precomputed()


def as_gamma(gamma: float | str, X: MatrixLike, sample_weight: FloatArray | None = None) -> float:
    """The number that a machine's ``gamma`` stands for.

    "scale" is 1 / (n_features * variance), with the variance of all entries of X, and 1 where X is constant; "auto" is
    1 / n_features. As in scikit-learn, but for data far from zero, where a difference of two means loses all digits.
    "wide" is "scale", and from more than four features on 2 / sqrt(n_features) of it: there all samples are about equally far
    from each other, and a kernel must be wider to see which are similar.
    With ``sample_weight`` a row of weight 2 counts as two rows.

    Examples
    --------
    >>> as_gamma("scale", [[0.0, 2.0], [2.0, 0.0]]), as_gamma("scale", [[1e9], [1e9 + 2]]), as_gamma(3, [[0.0]])
    (0.5, 1.0, 3.0)
    >>> X = np.tile([[0.0], [2.0]], 16)
    >>> as_gamma("scale", X), as_gamma("wide", X)
    (0.0625, 0.03125)
    """
    if not isinstance(gamma, str):
        return positive(gamma, "gamma")
    if gamma not in ("scale", "auto", "wide"):
        raise InvalidInputError(f"gamma must be a number > 0, 'scale', 'auto' or 'wide'; got {gamma!r}.")
    X = as_matrix(X, sparse=True)
    total = X.shape[1] * (_variance(X, sample_weight) if gamma != "auto" else 1.0)
    total *= max(1.0, X.shape[1] ** 0.5 / 2) if gamma == "wide" else 1.0
    return float(1.0 / total) if total >= np.finfo(float).tiny else 1.0


def _variance(X: MatrixLike, sample_weight: FloatArray | None = None) -> float:
    """The variance of all entries, each as often as its row's weight says. A sparse matrix's zeros are never stored."""
    if sample_weight is None and not sp.issparse(X):
        return float(X.var())
    weights = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    size = float(weights.sum()) * X.shape[1]
    if not sp.issparse(X):
        mean = float((weights @ X).sum()) / size
        return float((weights @ (X - mean) ** 2).sum() / size)
    each = np.repeat(weights, np.diff(X.indptr))  # the weight of each stored entry of a CSR matrix
    mean = float(each @ X.data) / size
    return float((each @ (X.data - mean) ** 2 + (size - each.sum()) * mean**2) / size)


def _pair(X: MatrixLike, Z: MatrixLike) -> tuple[Any, Any]:
    X = as_matrix(X, "X", sparse=True)
    Z = X if Z is None else as_matrix(Z, "Z", sparse=True)
    if X.shape[1] != Z.shape[1]:
        raise InvalidInputError(
            f"X has {X.shape[1]} features and Z has {Z.shape[1]}, but a kernel compares points with the same features."
        )
    return X, Z
