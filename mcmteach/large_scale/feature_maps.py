r"""Explicit feature maps: a kernel becomes a plain product, \(k(x, x') \approx z(x) \cdot z(x')\).

With them a kernel machine is a plane in z, and needs neither the M x M kernel matrix nor all samples at once. There are
three: cosines with random frequencies (:class:`RandomFourierMap`), kernel columns at prototypes, and Nyström's, which is
those columns turned so that their products are kernel values again. The last two come from scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import ArrayLike

from mcmteach.base import Estimator
from mcmteach.errors import InvalidInputError, NotFittedError, missing
from mcmteach.kernels import DENSE_FEATURES, rbf_kernel
from mcmteach.validation import (
    FloatArray,
    MatrixLike,
    as_matrix,
    compare_n_features,
    dense,
    not_negative,
    positive,
    whole,
)

NO_VARIANCE = 1e-10  # an axis whose variance is below this share of the largest is a zero, up to rounding


class RandomFourierMap(Estimator):
    r"""\(z(x) = \sqrt{2/D}\,\cos(\Omega^T x + \tau)\) with \(\Omega_{ij} \sim N(0, 2\gamma)\) and \(\tau_j \sim U(0, 2\pi)\).

    The mean of \(z(x) \cdot z(x')\) over \(\Omega\) and \(\tau\) is \(\exp(-\gamma\|x - x'\|^2)\): by Bochner's theorem a
    kernel that depends on x - x' alone is the Fourier transform of a probability distribution, and the Gaussian's is
    Gaussian. With D frequencies the product is off by about \(1/\sqrt D\), whatever the number of features.

    Parameters
    ----------
    gamma : width of the RBF kernel, > 0
    n_components : D, the number of frequencies
    random_state : seed, or one of numpy's generators

    Attributes
    ----------
    frequencies_ : Omega, shape (n_features, D)
    phases_ : tau, shape (D,)

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> Z = RandomFourierMap(gamma=0.5, n_components=20000, random_state=0).fit(X).transform(X)
    >>> (Z @ Z.T).round(2).tolist(), round(float(np.exp(-0.5)), 2)
    ([[1.0, 0.61], [0.61, 1.0]], 0.61)

    Source: Rahimi and Recht 2007, to which Sharma et al. 2017 (P section 5) refer. scikit-learn's RBFSampler is the same.
    """

    frequencies_: FloatArray
    phases_: FloatArray

    def __init__(self, gamma: float = 1.0, n_components: int = 500, random_state: Any = 0):
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Draw the frequencies. Of X only the number of features matters."""
        n, D = as_matrix(X, sparse=True).shape[1], whole(self.n_components, "n_components", 1)
        rng = as_generator(self.random_state)
        self.frequencies_ = rng.normal(scale=np.sqrt(2 * positive(self.gamma, "gamma")), size=(n, D))
        self.phases_ = rng.uniform(0, 2 * np.pi, D)
        return self

    def transform(self, X: MatrixLike) -> FloatArray:
        """z at the rows of X, shape (n_samples, D)."""
        X = _fitting(X, getattr(self, "frequencies_", None), 0, type(self).__name__)
        Z = X @ self.frequencies_
        Z += self.phases_
        np.cos(Z, out=Z)
        Z *= np.sqrt(2 / len(self.phases_))
        return Z


class PrototypeMap(Estimator):
    r"""Kernel columns at prototypes: \(z_j(x) = \exp(-\gamma\|x - p_j\|^2)\). The machine on them is
    \(f(x) = \sum_j w_j k(x, p_j) + b\), the expansion of N(31) with the prototypes in place of the samples.

    The prototypes are the centres that MiniBatchKMeans finds, in each class as many as in the other where y is given.

    Parameters
    ----------
    gamma : width of the RBF kernel, > 0
    n_components : how many prototypes; a class with fewer samples gives all of them
    random_state : seed

    Attributes
    ----------
    prototypes_ : p_j, shape (n_prototypes, n_features)

    Source: Sharma et al. 2017 (P section 5). Needs scikit-learn.
    """

    prototypes_: FloatArray

    def __init__(self, gamma: float = 1.0, n_components: int = 500, random_state: Any = 0):
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Find the prototypes among the rows of X."""
        X, D = as_matrix(X, sparse=True), whole(self.n_components, "n_components", 1)
        positive(self.gamma, "gamma")
        parts = [X] if y is None else [X[np.asarray(y) == label] for label in np.unique(y)]
        found = [class_centres(part, -(-D // len(parts)), _seed(self.random_state)) for part in parts]
        self.prototypes_ = np.vstack(found)[:D]
        return self

    def transform(self, X: MatrixLike) -> FloatArray:
        """The kernel columns at the rows of X, shape (n_samples, n_prototypes)."""
        return rbf_kernel(
            _fitting(X, getattr(self, "prototypes_", None), 1, "PrototypeMap"), self.prototypes_, self.gamma
        )


class Whitening(Estimator):
    r"""Features turned to their principal axes, variances levelled: \(z' = s\,(z - \bar z)\,V (\Lambda + \epsilon I)^{-1/2}\).

    A machine on z' can be the same machine as on z, but a descent finds it much sooner. The variances \(\Lambda\) of
    kernel features fall off steeply, and a step that suits the first axis takes forever along the hundredth. Axes with a
    variance far below \(\epsilon\) stay small, and those below \(\epsilon/1000\) are dropped.

    Parameters
    ----------
    epsilon : share of the total variance, > 0

    Attributes
    ----------
    mean_ : the mean of z, shape (n_features,)
    axes_ : \(s\,V(\Lambda + \epsilon I)^{-1/2}\), shape (n_features, n_axes); with s the mean of \(\|z'\|^2\) is 1

    Examples
    --------
    >>> Z = np.random.default_rng(0).normal(size=(1000, 2)) * [1.0, 0.1]
    >>> Whitening(1e-6).fit(Z).transform(Z).var(axis=0).round(3).tolist()
    [0.5, 0.5]
    """

    mean_: FloatArray
    axes_: FloatArray

    def __init__(self, epsilon: float = 1e-3):
        self.epsilon = epsilon

    def fit(self, Z: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Find the axes in Z. With fewer samples than features there are at most as many axes as samples."""
        Z, epsilon = as_matrix(Z, "Z"), positive(self.epsilon, "epsilon")
        self.mean_ = Z.mean(axis=0)
        variance, V = _principal_axes(Z - self.mean_)
        total = variance.sum() if variance.sum() > 0 else 1.0
        keep = variance > max(epsilon / 1000 * total, NO_VARIANCE * variance.max())
        keep[0] = True  # a machine needs at least one axis, even without variance
        variance, V = variance[keep], V[:, keep]
        level = variance / (variance + epsilon * total)
        size = level.sum() if level.sum() > 0 else 1.0
        self.axes_ = V / np.sqrt((variance + epsilon * total) * size)
        return self

    def transform(self, Z: FloatArray) -> FloatArray:
        """z' at the rows of Z, shape (n_samples, n_axes)."""
        return (Z - self.mean_) @ self.axes_


class Features(NamedTuple):
    """The features z(x) of a machine: a fitted feature map (None: x itself), and its whitening (None: none)."""

    feature_map: Any
    whitening: Whitening | None

    def transform(self, X: MatrixLike) -> Any:
        """z at the rows of X: dense, unless they are the given features, sparse and very many."""
        if self.feature_map is None:
            return X if sp.issparse(X) and X.shape[1] > DENSE_FEATURES else dense(X)
        Z = dense(self.feature_map.transform(X))
        return Z if self.whitening is None else self.whitening.transform(Z)

    def fold(self, w: FloatArray, b: float) -> tuple[FloatArray, float]:
        """The plane w·z + b as a plane in the features before they are whitened: to predict, the axes are not needed."""
        if self.whitening is None:
            return w, b
        v = self.whitening.axes_ @ w
        return v, b - float(self.whitening.mean_ @ v)


def fit_features(feature_map: Any, X: MatrixLike, y: FloatArray, whiten: float) -> Features:
    """A feature map and, with ``whiten`` > 0, the whitening of what it gives, both fitted to the rows of X."""
    whiten = not_negative(whiten, "whiten")
    if feature_map is None:
        return Features(None, None)
    feature_map.fit(X, y)
    return Features(feature_map, Whitening(whiten).fit(dense(feature_map.transform(X))) if whiten > 0 else None)


def _principal_axes(Z: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Variances along the principal axes of centred data, largest first, and the axes as columns."""
    M, D = Z.shape
    if M < D:
        _, s, Vt = scipy.linalg.svd(Z, full_matrices=False)
        return s**2 / M, Vt.T
    variance, V = scipy.linalg.eigh(Z.T @ Z / M)
    return np.maximum(variance[::-1], 0.0), V[:, ::-1]


def class_centres(X: MatrixLike, k: int, seed: int) -> FloatArray:
    """k centres of the rows of X by MiniBatchKMeans; the rows themselves where there are no more than k."""
    if X.shape[0] <= k:
        return dense(X)
    MiniBatchKMeans = _from_sklearn("cluster", "MiniBatchKMeans")
    return MiniBatchKMeans(k, n_init=1, batch_size=max(1024, 3 * k), random_state=seed).fit(X).cluster_centers_


def make_feature_map(feature_map: Any, gamma: float, n_components: int, rows: int, random_state: Any) -> Any:
    """The map that ``feature_map`` names, not fitted yet; None, or a copy of a transformer that was given."""
    if feature_map is None:
        return None
    if not isinstance(feature_map, str):
        return _copy(feature_map)
    if feature_map == "fourier":
        return RandomFourierMap(gamma, n_components, random_state)
    if feature_map == "prototypes":
        return PrototypeMap(gamma, n_components, random_state)
    if feature_map == "nystroem":
        Nystroem = _from_sklearn("kernel_approximation", "Nystroem")
        return Nystroem(gamma=gamma, n_components=min(n_components, rows), random_state=_seed(random_state))
    raise InvalidInputError(
        f"There is no feature map {feature_map!r}. Choose 'fourier', 'nystroem', 'prototypes', None for the features as "
        "they are, or an object with fit and transform."
    )


def _copy(transformer: Any) -> Any:
    if not (hasattr(transformer, "fit") and hasattr(transformer, "transform")):
        raise InvalidInputError(
            f"feature_map is {transformer!r}, but an object with fit(X) and transform(X) is needed (or a name, or None)."
        )
    if hasattr(transformer, "get_params"):
        return type(transformer)(**transformer.get_params(deep=False))
    from copy import deepcopy

    return deepcopy(transformer)


def _from_sklearn(module: str, name: str) -> Any:
    try:
        return getattr(import_module(f"sklearn.{module}"), name)
    except ImportError:
        need, instead = (
            f"{name} comes from scikit-learn, which is not installed.",
            "feature_map='fourier' does without it.",
        )
        raise missing(need, "lessons", instead) from None


def as_generator(random_state: Any) -> np.random.Generator:
    """A numpy Generator from a seed, None, a Generator, or a RandomState (which gives the seed)."""
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**31)
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"random_state must be a whole number >= 0, None or one of numpy's generators; got {random_state!r}."
        ) from None


def _seed(random_state: Any) -> Any:
    """A seed for scikit-learn, which does not accept a Generator, drawn from one."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    return random_state


def _fitting(X: MatrixLike, fitted: FloatArray | None, axis: int, name: str) -> Any:
    """X, if the map is fitted, and to as many features as X has."""
    if fitted is None:
        raise NotFittedError(f"This {name} is not fitted yet. Call fit(X) first.")
    X = as_matrix(X, sparse=True)
    compare_n_features(X, fitted.shape[axis], name)
    return X
