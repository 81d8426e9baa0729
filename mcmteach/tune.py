r"""Choosing C, gamma, the price and gamma_c by held-out accuracy: P's Algorithms 1 and 2.

Both are a grid search. P writes "accuracy" without saying on which samples; here it is always that of samples which the
fit has not seen, the mean over the folds that are given or made. What is learnt from data (the medians that fill gaps,
the scale, the cores of the map) is learnt inside each fold's training part.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from mcmteach.base import _as_classes, _one_each
from mcmteach.certificate import MCMSolution
from mcmteach.conformal import conformal_matrix, optimal_map
from mcmteach.datasets import folds as splitting
from mcmteach.datasets.impute import MedianImputer
from mcmteach.errors import CertificateWarning, InvalidInputError, SolverError
from mcmteach.kernels import rbf_kernel
from mcmteach.solvers.path import mcm_path
from mcmteach.solvers.solve import solve_mcm
from mcmteach.validation import as_matrix, not_negative, positive, several, whole

#: P's grids: C from 2^-19 by factors of 4 (2^1 is the last below 2^2), gamma in P's order, gamma_c as multiples of gamma
PAPER_C = tuple(2.0**k for k in range(-19, 3, 2))
PAPER_GAMMA = tuple(2.0**k for k in (-10, -11, -12, -8, -9))
PAPER_GAMMA_C = (
    2, 2.2, 2.4, 2.6, 2.8, 3, 4, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 100, 500, 800, 1000, 5000,
)  # fmt: skip

Folds = int | Iterable[tuple[Any, Any]]


class Trial(NamedTuple):
    """One point of the grid."""

    params: dict[str, float]
    accuracy: float  #: mean over the folds; 0 where a linear programme had no solution


class Tuning(NamedTuple):
    """What a search found: ``MCMClassifier(**tuning.params)`` is the machine."""

    params: dict[str, float]
    accuracy: float  #: held-out accuracy of ``params``: the best of many, so a little too good to be true
    trials: list[Trial]  #: every point of the grid in the order in which it was tried
    basic: Tuning | None = (
        None  #: tune_conformal only: the search for the machine without a map, as Algorithm 2 saves it
    )

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value:.4g}" for name, value in self.params.items())
        return f"Tuning({shown}; accuracy {self.accuracy:.4f}, best of {len(self.trials)})"


class Part(NamedTuple):
    """A fold, standardised by its training part; labels are -1 and +1."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def tune_mcm(
    X: Any,
    y: Any,
    C: Any = PAPER_C,
    gamma: Any = PAPER_GAMMA,
    sparsity: Any = 0.1,
    folds: Folds = 5,
    seed: int = 0,
    standardise: bool = True,
    solver: str = "auto",
    time_limit: float = 60.0,
    progress: bool = False,
) -> Tuning:
    r"""P's Algorithm 1: of all C and gamma (and prices) take those with the highest held-out accuracy.

    Parameters
    ----------
    X : array of shape (n_samples, n_features); NaN is filled with the median of the training part
    y : array of shape (n_samples,), any two labels
    C, gamma, sparsity : a number or several, in the order in which they are tried: on a tie the first one stays. So put
        high prices first if you like sparse machines
    folds : how many stratified folds to make, or a list of (train, test) pairs of indices
    seed : shuffles the samples before folds are made
    standardise : scale to mean 0 and variance 1, learnt from each training part. P's step 1
    solver, time_limit : as in ``solve_mcm``. A programme without a solution counts as accuracy 0
    progress : show a bar (where tqdm is installed)

    Returns
    -------
    Tuning. ``GridSearchCV`` over a pipeline of MedianImputer, StandardScaler and MCMClassifier finds the same.

    Examples
    --------
    >>> from mcmteach import load_dataset
    >>> seeds = load_dataset("seeds")
    >>> tune_mcm(seeds.data, seeds.target, C=[0.25, 1], gamma=[2**-8, 2**-5], folds=3)
    Tuning(C=1, gamma=0.03125, sparsity=0.1; accuracy 0.9570, best of 4)

    Source: P Algorithm 1.
    """
    parts = make_parts(X, y, folds, seed, standardise)
    Cs, gammas, prices = (
        several(C, "C", positive),
        several(gamma, "gamma", positive),
        several(sparsity, "sparsity", not_negative),
    )
    best, max_accuracy, trials = {}, -1.0, []
    for c, g in _bar(list(product(Cs, gammas)), progress):
        accuracies = np.mean([_accuracies(part, c, g, prices, solver, time_limit) for part in parts], axis=0)
        for s, accuracy in zip(prices, accuracies.tolist(), strict=True):
            trials.append(Trial({"C": c, "gamma": g, "sparsity": s}, accuracy))
            if accuracy > max_accuracy:
                max_accuracy, best = accuracy, trials[-1].params
    return Tuning(best, max_accuracy, trials)


def tune_conformal(
    X: Any,
    y: Any,
    C: Any = PAPER_C,
    gamma: Any = PAPER_GAMMA,
    sparsity: Any = 0.1,
    gamma_c: Any = PAPER_GAMMA_C,
    D: Any = 1e-3,
    keep: int | None = None,
    folds: Folds = 5,
    seed: int = 0,
    standardise: bool = True,
    solver: str = "auto",
    time_limit: float = 60.0,
    progress: bool = False,
    basic: Tuning | None = None,
) -> Tuning:
    r"""P's Algorithm 2: the same search with an inner loop over the width of the conformal map's bumps.

    Parameters
    ----------
    X, y, C, gamma, sparsity, folds, seed, standardise, solver, time_limit, progress : as in :func:`tune_mcm`
    gamma_c : *multiples of gamma*, as P has them, for the width of the bumps
    D : a number or several, added to W_0's diagonal in N(41)
    keep : None is Algorithm 2: the inner loop runs for every C, gamma and price. ``keep=k`` runs it for the k of them
        with the highest accuracy without a map, which costs a fraction (the authors' own code does so with k = 1)
    basic : what ``tune_mcm`` found on the same folds, if that was done already; its grid is then the outer loop

    Returns
    -------
    Tuning, with ``params`` for ConformalMCMClassifier and, in ``basic``, those for the machine without a map.

    Examples
    --------
    >>> from mcmteach import load_dataset
    >>> glass = load_dataset("glass")
    >>> found = tune_conformal(glass.data, glass.target, C=1, gamma=[0.02, 0.1], gamma_c=[1, 10], folds=3)
    >>> found.basic, sorted(found.params)
    (Tuning(C=1, gamma=0.02, sparsity=0.1; accuracy 0.7878, best of 2), ['C', 'D', 'gamma', 'gamma_c', 'sparsity'])

    Source: P Algorithm 2.
    """
    folds = _indices(y, folds, seed)
    parts = make_parts(X, y, folds, seed, standardise)
    if basic is not None and not isinstance(basic, Tuning):
        raise InvalidInputError(f"basic must be what tune_mcm gives, and is {basic!r}.")
    if basic is None:
        basic = tune_mcm(X, y, C, gamma, sparsity, folds, seed, standardise, solver, time_limit, progress)
    inner = list(product(several(gamma_c, "gamma_c", positive), several(D, "D", not_negative)))
    best, max_accuracy, trials = {}, -1.0, []
    for params in _bar(_the_best(basic.trials, keep), progress):
        c, g, s = params["C"], params["gamma"], params["sparsity"]
        accuracies = np.mean([_conformal_accuracies(p, c, g, s, inner, solver, time_limit) for p in parts], axis=0)
        for (factor, d), accuracy in zip(inner, accuracies.tolist(), strict=True):
            trials.append(Trial({**params, "gamma_c": factor * g, "D": d}, accuracy))
            if accuracy > max_accuracy:
                max_accuracy, best = accuracy, trials[-1].params
    return Tuning(best, max_accuracy, trials, basic)


# --- folds -----------------------------------------------------------------------------------------------------------


def stratified_folds(y: Any, n_folds: int = 5, seed: int = 0) -> list[tuple[np.ndarray, np.ndarray]]:
    """(train, test) indices, such that each fold has its share of either class, give or take one sample.

    Examples
    --------
    >>> [test.tolist() for train, test in stratified_folds([0, 0, 0, 1, 1, 1], n_folds=3)]
    [[2, 5], [0, 4], [1, 3]]
    """
    y, n_folds, seed = _as_classes(y), whole(n_folds, "n_folds", 2), whole(seed, "seed", 0)
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise InvalidInputError(f"y holds one class only ({classes[0]}), and two are needed to learn a difference.")
    if counts.min() < n_folds:
        raise InvalidInputError(
            f"Class {classes[counts.argmin()]} has {counts.min()} samples, so {n_folds} folds would leave one without it. "
            f"Take at most {counts.min()} folds, or collect more of that class."
        )
    return [(splitting.others(test, len(y)), test) for test in splitting.stratified_folds(y, n_folds, seed)]


def make_parts(X: Any, y: Any, folds: Folds = 5, seed: int = 0, standardise: bool = True) -> list[Part]:
    """The folds with gaps filled and features scaled, each by its own training part; the larger label becomes +1."""
    X, y = as_matrix(X, missing=True), _as_classes(y)
    _one_each(y, X, "label")
    classes = np.unique(y)
    if len(classes) > 2:
        raise InvalidInputError(f"Only binary classification is supported, and y holds {len(classes)} classes.")
    signs = np.where(y == classes[-1], 1.0, -1.0)
    return [_part(X, signs, train, test, k, standardise) for k, (train, test) in enumerate(_indices(y, folds, seed))]


def _part(X: np.ndarray, y: np.ndarray, train: Any, test: Any, k: int, standardise: bool) -> Part:
    if len(np.unique(y[train])) < 2:
        raise InvalidInputError(
            f"The training part of fold {k} holds one class only, and two are needed to learn a difference. "
            "Use stratified folds (folds=5), fewer of them, or other samples."
        )
    if not len(test):
        raise InvalidInputError(f"Fold {k} has no test samples. Each fold is a pair (train, test) of index arrays.")
    imputer = MedianImputer().fit(X[train])
    X_train, X_test = imputer.transform(X[train]), imputer.transform(X[test])
    if standardise:
        mean, sd = X_train.mean(axis=0), X_train.std(axis=0)
        sd = np.where(sd > 1e-12 * np.maximum(1, np.abs(mean)), sd, 1.0)  # a constant column stays what it is
        X_train, X_test = (X_train - mean) / sd, (X_test - mean) / sd
    return Part(X_train, y[train], X_test, y[test])


def _indices(y: Any, folds: Folds, seed: int) -> list[tuple[Any, Any]]:
    if isinstance(folds, int | np.integer):
        return stratified_folds(y, int(folds), seed)
    try:
        pairs = [(np.asarray(train), np.asarray(test)) for train, test in folds]
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"folds must be a whole number, or a list of (train, test) index arrays, and is {folds!r}."
        ) from None
    if not pairs:
        raise InvalidInputError("There are no folds. Give a number of them, or a list of (train, test) index arrays.")
    return pairs


# --- one fold --------------------------------------------------------------------------------------------------------


def _accuracies(part: Part, C: float, gamma: float, prices: Sequence[float], solver: str, limit: float) -> list[float]:
    """Held-out accuracy for each price; each fit tells the next which columns it may need."""
    K, K_test = rbf_kernel(part.X, part.X, gamma), rbf_kernel(part.X_test, part.X, gamma)
    return [_accuracy(K_test, s, part.y_test) for s in _path(K, part.y, C, prices, solver, limit)]


def _conformal_accuracies(
    part: Part, C: float, gamma: float, sparsity: float, inner: list[tuple[float, float]], solver: str, limit: float
) -> list[float]:
    """Held-out accuracy for each (multiple of gamma, D), with the cores that C, gamma and the price give."""
    K, K_test = rbf_kernel(part.X, part.X, gamma), rbf_kernel(part.X_test, part.X, gamma)
    (basic,) = _path(K, part.y, C, [sparsity], solver, limit)
    cores = part.X[:0] if basic is None else part.X[np.flatnonzero(basic.coef)]
    if not len(cores):  # nothing to stretch: c = 1
        return [_accuracy(K_test, basic, part.y_test)] * len(inner)
    found = []
    for factor, D in inner:
        c = optimal_map(K, part.y, part.X, cores, factor * gamma, D)
        (solution,) = _path(conformal_matrix(K, c(part.X)), part.y, C, [sparsity], solver, limit)
        found.append(_accuracy(conformal_matrix(K_test, c(part.X_test), c(part.X)), solution, part.y_test))
    return found


def _path(
    K: np.ndarray, y: np.ndarray, C: float, prices: Sequence[float], solver: str, limit: float
) -> list[MCMSolution | None]:
    """The solutions for each price; None where there is none. Whether they are proved optimal matters at the end only."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        try:
            return list(mcm_path(K, y, C, list(prices), solver, limit).solutions)
        except SolverError:  # find out which
            return [_solution(K, y, C, s, solver, limit) for s in prices]


def _solution(K: np.ndarray, y: np.ndarray, C: float, price: float, solver: str, limit: float) -> MCMSolution | None:
    try:
        return solve_mcm(K, y, C, price, solver, limit)
    except SolverError:
        return None


def _accuracy(K_test: np.ndarray, solution: MCMSolution | None, y_test: np.ndarray) -> float:
    if solution is None:
        return 0.0
    return float(np.mean(np.where(K_test @ solution.coef + solution.b > 0, 1.0, -1.0) == y_test))


# --- small things ----------------------------------------------------------------------------------------------------


def _the_best(trials: list[Trial], keep: int | None) -> list[dict[str, float]]:
    """The parameters of all trials, or of the ``keep`` best, in the order in which they were tried."""
    if keep is None:
        return [trial.params for trial in trials]
    order = sorted(range(len(trials)), key=lambda i: -trials[i].accuracy)[: whole(keep, "keep", 1)]
    return [trials[i].params for i in sorted(order)]


def _bar(steps: list[Any], progress: bool) -> Iterator[Any] | list[Any]:
    if progress and find_spec("tqdm") is not None:
        from tqdm.auto import tqdm

        return iter(tqdm(steps, desc="tuning", unit="fit"))
    return steps
