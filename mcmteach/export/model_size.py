r"""What a fitted machine costs the device that runs it: numbers to store, bytes, and time for a prediction.

A kernel machine \(f(x) = \sum_j \lambda_j k(x_j, x) + b\) keeps its support vectors, a weight for each, and b. A linear
machine keeps w and b. A machine on explicit features keeps the parameters of each feature (a frequency and a phase, or a
prototype), a weight for each, and b. What only training needed, such as the principal axes of
:class:`mcmteach.large_scale.Whitening`, can be folded into the weights. A conformal machine keeps its map as well,
\(c(x) = \alpha_0 + \sum_j \alpha_j k_1(a_j, x)\): its cores and their weights.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.conformal_mcm import ConformalMCMClassifier
from mcmteach.errors import InvalidInputError
from mcmteach.large_scale.conformal import ConformalFeatures, ConformalLargeScaleMCMClassifier
from mcmteach.large_scale.machine import LargeScaleMCMClassifier
from mcmteach.validation import FloatArray, as_matrix, whole

#: the array that a feature map keeps, by its name: (its axis that counts features, numbers beside the row)
MAP_ARRAYS = {"frequencies_": (1, 1), "prototypes_": (0, 0), "components_": (0, 0)}


def folded_plane(machine: Any) -> tuple[FloatArray, float]:
    r"""(v, b) such that \(f(x) = v\cdot u(x) + b\), with u the cosines or kernel values themselves.

    A :class:`mcmteach.LargeScaleMCMClassifier` learns a plane in whitened features, z' = (u N - m) A. To predict, the
    matrices are not needed: v = N A w, and b becomes b - m·Aw. With a conformal map, \(f(x) = c(x)\,v\cdot u(x) + b\).

    Returns
    -------
    v : array of shape (n_components,), a weight for each cosine or prototype (for each feature, without a map)
    b : the new bias

    Examples
    --------
    >>> X, y = np.random.default_rng(0).normal(size=(50, 2)), np.tile([-1, 1], 25)
    >>> machine = LargeScaleMCMClassifier(n_components=20, max_iter=5).fit(X, y)
    >>> v, b = folded_plane(machine)
    >>> bool(np.allclose(machine.feature_map_.transform(X) @ v + b, machine.decision_function(X)))
    True
    """
    if not hasattr(machine, "coef_"):
        raise InvalidInputError(
            f"This {type(machine).__name__} has no plane (coef_): it is not fitted, or it is an expansion in kernel values. "
            "Give a fitted linear or large-scale machine."
        )
    v, b, large = machine.coef_[0], float(machine.intercept_[0]), _large_scale(machine)
    if large is None:
        return v, b
    v, b = large.features_.fold(v, b)
    normalization = getattr(_explicit_map(large), "normalization_", None)  # of scikit-learn's Nystroem
    return (v if normalization is None else normalization.T @ v), b


def model_numbers(machine: Any) -> int:
    r"""How many numbers a fitted machine must keep to predict: \(S(n + 1) + 1\) with S support vectors of n features.

    A random Fourier feature is n frequencies, a phase and a weight; a prototype n coordinates and a weight; a plain
    feature a weight. Features whose weight is exactly 0 are left out, and the kernel's gamma is not counted. A conformal map
    adds its cores, where they are not support vectors anyway, and its alpha.

    Parameters
    ----------
    machine : a fitted linear machine (with ``coef_``), kernel machine (with ``support_vectors_``), from here or from
        scikit-learn, or large-scale machine

    Examples
    --------
    >>> from mcmteach import MCMClassifier
    >>> machine = MCMClassifier(gamma=2.0).fit([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1])
    >>> model_numbers(machine) == machine.n_support_ * (2 + 1) + 1
    True
    """
    if hasattr(machine, "coef_"):
        numbers = np.count_nonzero(folded_plane(machine)[0]) * _numbers_per_feature(machine)
    else:
        vectors = getattr(machine, "support_vectors_", None)
        if vectors is None or (not vectors.shape[0] and np.any(machine.dual_coef_)):
            raise InvalidInputError(
                f"{type(machine).__name__} has neither support vectors nor coef_ to count. Fit it first, and not to a "
                "precomputed kernel."
            )
        numbers = vectors.shape[0] * (vectors.shape[1] + 1)
    return int(numbers + 1 + _numbers_of_map(machine))


def _numbers_of_map(machine: Any) -> int:
    """alpha_0, and for each core its alpha and, unless it is a support vector anyway, its coordinates. 0 without a map."""
    shared = 0
    if isinstance(machine, ConformalMCMClassifier):
        if not machine.map_used_:
            return 0
        shared = int(np.isin(machine.core_indices_, machine.support_).sum())
    elif not isinstance(machine, ConformalLargeScaleMCMClassifier):
        return 0
    cores, n = machine.cores_.shape
    return int(1 + cores + (cores - shared) * n)


def _large_scale(machine: Any) -> LargeScaleMCMClassifier | None:
    """The large-scale machine that predicts: of a conformal one, that on the mapped features. None for other machines."""
    if isinstance(machine, ConformalLargeScaleMCMClassifier):
        return machine.machine_
    return machine if isinstance(machine, LargeScaleMCMClassifier) else None


def _explicit_map(large: LargeScaleMCMClassifier) -> Any:
    """The fitted feature map, without the conformal factor."""
    fitted = large.feature_map_
    return fitted.phi if isinstance(fitted, ConformalFeatures) else fitted


def _numbers_per_feature(machine: Any) -> int:
    """The parameters of a feature, and its weight."""
    large = _large_scale(machine)
    feature_map = None if large is None else _explicit_map(large)
    for name, (axis, besides) in MAP_ARRAYS.items():
        if hasattr(feature_map, name):
            return int(getattr(feature_map, name).shape[1 - axis]) + besides + 1
    if feature_map is not None:
        raise InvalidInputError(f"It is not known what a {type(feature_map).__name__} keeps for each of its features.")
    return 1


def model_bytes(machine: Any, bytes_per_number: int = 4) -> int:
    """The size of a fitted machine: ``model_numbers`` times the bytes of a number (4 in single precision)."""
    return model_numbers(machine) * whole(bytes_per_number, "bytes_per_number", 1)


def prediction_seconds(machine: Any, X: ArrayLike, repeats: int = 3) -> float:
    """Processor time for one prediction: the best of some runs over all rows of X, divided by their number."""
    X, best = as_matrix(X), np.inf
    for _ in range(whole(repeats, "repeats", 1)):
        start = time.process_time()
        machine.predict(X)
        best = min(best, time.process_time() - start)
    return float(best) / len(X)
