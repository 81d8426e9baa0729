r"""What a fitted machine costs the device that has to carry it: numbers to store, bytes, and time for a prediction.

A kernel machine \(f(x) = \sum_j \lambda_j k(x_j, x) + b\) keeps its support vectors, a weight for each, and b. A machine on
explicit features keeps what makes each feature (a frequency and a phase, or a prototype), a weight for each, and b. What
training needed besides, such as the principal axes of :class:`mcmteach.Whitening`, can be folded into the weights. A
conformal machine keeps its map as well, \(c(x) = \alpha_0 + \sum_j \alpha_j k_1(a_j, x)\): its cores and their weights.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from mcmteach.errors import InvalidInputError
from mcmteach.large_scale.conformal import ConformalFeatures
from mcmteach.validation import as_matrix, whole

#: what makes a feature, by the name of the array that a map keeps: (its axis that counts features, numbers beside the row)
MAPS = {"frequencies_": (1, 1), "prototypes_": (0, 0), "components_": (0, 0)}


def folded_plane(machine: Any) -> tuple[np.ndarray, float]:
    r"""(v, b) such that \(f(x) = v\cdot u(x) + b\), with u the cosines or kernel values themselves.

    A :class:`mcmteach.LargeScaleMCMClassifier` learns a plane in whitened features, z' = (u N - m) A. The matrices are
    needed no longer once it has learnt: v = N A w, and b loses m·Aw. With a conformal map, \(f(x) = c(x)\,v\cdot u(x) + b\).

    Returns
    -------
    v : array of shape (n_components,), a weight for each cosine or prototype (for each feature, without a map)
    b : the new bias

    Examples
    --------
    >>> from mcmteach import LargeScaleMCMClassifier
    >>> X, y = np.random.default_rng(0).normal(size=(50, 2)), np.tile([-1, 1], 25)
    >>> machine = LargeScaleMCMClassifier(n_components=20, max_iter=5).fit(X, y)
    >>> v, b = folded_plane(machine)
    >>> bool(np.allclose(machine.feature_map_.transform(X) @ v + b, machine.decision_function(X)))
    True
    """
    v, b, whitening = machine.coef_[0], float(machine.intercept_[0]), getattr(_last(machine), "whitening_", None)
    if whitening is not None:
        v = whitening.axes_ @ v
        b -= float(whitening.mean_ @ v)
    turn = getattr(_basic_map(machine), "normalization_", None)  # of scikit-learn's Nystroem
    return (v if turn is None else turn.T @ v), b


def model_numbers(machine: Any) -> int:
    r"""How many numbers a fitted machine must keep to answer: \(S(n + 1) + 1\) with S support vectors of n features.

    A random Fourier feature is n frequencies, a phase and a weight; a prototype n coordinates and a weight; a plain
    feature a weight. Features whose weight is exactly 0 are left out, and the kernel's gamma is not counted. A conformal map
    adds its cores, where they are not support vectors anyway, and its alpha.

    Parameters
    ----------
    machine : a fitted kernel machine (with ``support_vectors_``, from here or from scikit-learn), large-scale machine, or
        linear machine (with ``coef_``)

    Examples
    --------
    >>> from mcmteach import MCMClassifier
    >>> machine = MCMClassifier(gamma=2.0).fit([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1])
    >>> model_numbers(machine) == machine.n_support_ * (2 + 1) + 1
    True
    """
    vectors = getattr(machine, "support_vectors_", None)
    if vectors is not None and (len(vectors) or not np.any(machine.dual_coef_)):
        return int(len(vectors) * (vectors.shape[1] + 1) + 1 + _numbers_of_map(machine))
    if vectors is not None or not hasattr(machine, "coef_"):
        raise InvalidInputError(
            f"{type(machine).__name__} has neither support vectors nor coef_ to weigh. Fit it first, and not to a precomputed "
            "kernel."
        )
    return int(
        np.count_nonzero(folded_plane(machine)[0]) * _numbers_per_feature(machine) + 1 + _numbers_of_map(machine)
    )


def _numbers_of_map(machine: Any) -> int:
    """alpha_0, and for each core its alpha and, unless it is a support vector anyway, its coordinates. 0 without a map."""
    if not getattr(machine, "map_used_", hasattr(machine, "alpha_")):
        return 0
    cores = machine.cores_.shape[0]
    shared = np.isin(machine.core_indices_, machine.support_).sum() if hasattr(machine, "core_indices_") else 0
    return int(1 + cores + (cores - shared) * machine.cores_.shape[1])


def _last(machine: Any) -> Any:
    """The machine that answers: of a conformal one, that on the mapped features."""
    return getattr(machine, "machine_", machine)


def _basic_map(machine: Any) -> Any:
    """What makes the features, without the conformal factor."""
    feature_map = getattr(_last(machine), "feature_map_", None)
    return feature_map.phi if isinstance(feature_map, ConformalFeatures) else feature_map


def _numbers_per_feature(machine: Any) -> int:
    """What makes a feature, and its weight."""
    feature_map = _basic_map(machine)
    for name, (axis, besides) in MAPS.items():
        if hasattr(feature_map, name):
            return int(getattr(feature_map, name).shape[1 - axis]) + besides + 1
    if feature_map is not None:
        raise InvalidInputError(f"It is not known what a {type(feature_map).__name__} keeps for each of its features.")
    return 1


def model_bytes(machine: Any, bytes_per_number: int = 4) -> int:
    """The size of a fitted machine: ``model_numbers`` times the bytes of a number (4 in single precision)."""
    return model_numbers(machine) * whole(bytes_per_number, "bytes_per_number", 1)


def prediction_seconds(machine: Any, X: Any, repeats: int = 3) -> float:
    """Processor time for one answer: the best of some runs over all rows of X, divided by their number."""
    X, best = as_matrix(X), np.inf
    for _ in range(whole(repeats, "repeats", 1)):
        start = time.process_time()
        machine.predict(X)
        best = min(best, time.process_time() - start)
    return float(best) / len(X)
