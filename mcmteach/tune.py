r"""Choosing C, gamma, the price and gamma_c by held-out accuracy: P's Algorithms 1 and 2.

Both are a grid search. P writes "accuracy" without saying on which samples; here it is always that of samples which the
fit has not seen, the mean over the folds that are given or made. What is learnt from data (the medians that fill gaps,
the scale, the cores of the map) is learnt inside each fold's training part.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.certificate import MCMSolution
from mcmteach.conformal import conformal_matrix, optimal_map
from mcmteach.datasets.folds import Folds, Part, as_folds, make_parts
from mcmteach.errors import CertificateWarning, InvalidInputError, SolverError
from mcmteach.kernels import rbf_kernel
from mcmteach.solvers.path import mcm_path
from mcmteach.solvers.solve import solve_mcm
from mcmteach.validation import FloatArray, not_negative, positive, several, whole

#: P's grids: C from 2^-19 by factors of 4 (2^1 is the last below 2^2), gamma in P's order, gamma_c as multiples of gamma
PAPER_C = tuple(2.0**k for k in range(-19, 3, 2))
PAPER_GAMMA = tuple(2.0**k for k in (-10, -11, -12, -8, -9))
PAPER_GAMMA_C = (
    2, 2.2, 2.4, 2.6, 2.8, 3, 4, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 100, 500, 800, 1000, 5000,
)  # fmt: skip

#: The solutions of the MCM with kernel matrix K, labels y and C, one for each price; None where there is none
SolvePath = Callable[[FloatArray, FloatArray, float, Sequence[float]], "list[MCMSolution | None]"]


class Trial(NamedTuple):
    """One point of the grid."""

    params: dict[str, float]
    accuracy: float  #: mean over the folds; 0 where a linear programme had no solution


class Tuning(NamedTuple):
    """What a search found: ``MCMClassifier(**tuning.params)`` is the machine."""

    params: dict[str, float]
    accuracy: float  #: held-out accuracy of ``params``: the largest of many, so biased upwards
    trials: list[Trial]  #: every point of the grid in the order in which it was tried
    basic: Tuning | None = None  #: tune_conformal only: the search for the machine without a map, saved by Algorithm 2

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value:.4g}" for name, value in self.params.items())
        return f"Tuning({shown}; accuracy {self.accuracy:.4f}, best of {len(self.trials)})"


def tune_mcm(
    X: ArrayLike,
    y: ArrayLike,
    C: ArrayLike = PAPER_C,
    gamma: ArrayLike = PAPER_GAMMA,
    sparsity: ArrayLike = 0.1,
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
    C, gamma, sparsity : a number or several, in the order in which they are tried: on a tie the first one stays, so
        high prices first prefers sparse machines
    folds : how many stratified folds to make, or a list of (train, test) pairs of indices
    seed : shuffles the samples before folds are made
    standardise : scale to mean 0 and variance 1, learnt from each training part. P's step 1
    solver, time_limit : as in ``solve_mcm``. A programme without a solution counts as accuracy 0
    progress : show a bar (where tqdm is installed)

    Returns
    -------
    Tuning. ``GridSearchCV`` over a pipeline of SimpleImputer(strategy="median"), StandardScaler and MCMClassifier
    finds the same.

    Examples
    --------
    >>> from mcmteach import load_dataset
    >>> seeds = load_dataset("seeds")
    >>> tune_mcm(seeds.data, seeds.target, C=[0.25, 1], gamma=[2**-8, 2**-5], folds=3)
    Tuning(C=1, gamma=0.03125, sparsity=0.1; accuracy 0.9570, best of 4)

    Source: P Algorithm 1.
    """
    parts = make_parts(X, y, folds, seed, standardise)
    outer = [{"C": c, "gamma": g} for c, g in product(several(C, "C", positive), several(gamma, "gamma", positive))]
    prices = several(sparsity, "sparsity", not_negative)
    accuracies = partial(_accuracies, prices=prices, solve=partial(_solutions, solver=solver, limit=time_limit))
    return _search(parts, outer, lambda point: [{**point, "sparsity": s} for s in prices], accuracies, progress)


def tune_conformal(
    X: ArrayLike,
    y: ArrayLike,
    C: ArrayLike = PAPER_C,
    gamma: ArrayLike = PAPER_GAMMA,
    sparsity: ArrayLike = 0.1,
    gamma_c: ArrayLike = PAPER_GAMMA_C,
    D: ArrayLike = 1e-3,
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
    folds = as_folds(y, folds, seed)
    parts = make_parts(X, y, folds, seed, standardise)
    if basic is None:
        basic = tune_mcm(X, y, C, gamma, sparsity, folds, seed, standardise, solver, time_limit, progress)
    elif not isinstance(basic, Tuning):
        raise InvalidInputError(f"basic must be what tune_mcm gives; got {basic!r}.")
    inner = list(product(several(gamma_c, "gamma_c", positive), several(D, "D", not_negative)))
    accuracies = partial(_conformal_accuracies, inner=inner, solve=partial(_solutions, solver=solver, limit=time_limit))
    maps = partial(_maps_at, inner=inner)
    return _search(parts, _the_best(basic.trials, keep), maps, accuracies, progress)._replace(basic=basic)


def _maps_at(point: dict[str, float], inner: list[tuple[float, float]]) -> list[dict[str, float]]:
    """The points of the inner loop at one of the outer loop, gamma_c in units of its gamma."""
    return [{**point, "gamma_c": multiple * point["gamma"], "D": D} for multiple, D in inner]


def _search(
    parts: list[Part],
    outer: list[dict[str, float]],
    inner: Callable[[dict[str, float]], list[dict[str, float]]],
    accuracies: Callable[[Part, dict[str, float]], list[float]],
    progress: bool,
) -> Tuning:
    """The mean accuracies over the parts at all points: those of the inner loop for each of the outer one."""
    trials = []
    for point in _bar(outer, progress):
        means = np.mean([accuracies(part, point) for part in parts], axis=0)
        trials += [Trial(params, a) for params, a in zip(inner(point), means.tolist(), strict=True)]
    best = max(trials, key=lambda trial: trial.accuracy)  # of equals, max returns the first
    return Tuning(best.params, best.accuracy, trials)


# --- one fold --------------------------------------------------------------------------------------------------------


def _accuracies(part: Part, point: dict[str, float], prices: Sequence[float], solve: SolvePath) -> list[float]:
    """Held-out accuracy for each price."""
    K, K_test = rbf_kernel(part.X, part.X, point["gamma"]), rbf_kernel(part.X_test, part.X, point["gamma"])
    return [_accuracy(K_test, solution, part.y_test) for solution in solve(K, part.y, point["C"], prices)]


def _conformal_accuracies(
    part: Part, point: dict[str, float], inner: list[tuple[float, float]], solve: SolvePath
) -> list[float]:
    """Held-out accuracy for each (multiple of gamma, D), with the cores that C, gamma and the price give."""
    C, gamma, price = point["C"], point["gamma"], [point["sparsity"]]
    K, K_test = rbf_kernel(part.X, part.X, gamma), rbf_kernel(part.X_test, part.X, gamma)
    (basic,) = solve(K, part.y, C, price)
    cores = part.X[:0] if basic is None else part.X[np.flatnonzero(basic.coef)]
    if not len(cores):  # without support vectors there is no map: c = 1
        return [_accuracy(K_test, basic, part.y_test)] * len(inner)
    found = []
    for multiple, D in inner:
        c = optimal_map(K, part.y, part.X, cores, multiple * gamma, D)
        (solution,) = solve(conformal_matrix(K, c(part.X)), part.y, C, price)
        found.append(_accuracy(conformal_matrix(K_test, c(part.X_test), c(part.X)), solution, part.y_test))
    return found


def _solutions(
    K: FloatArray, y: FloatArray, C: float, prices: Sequence[float], solver: str, limit: float
) -> list[MCMSolution | None]:
    """A SolvePath that follows the path of prices. Certificates are not asked for: only the chosen machine needs one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        try:
            return list(mcm_path(K, y, C, list(prices), solver, limit).solutions)
        except SolverError:  # failed at one of the prices: solve each by itself
            return [_solution(K, y, C, s, solver, limit) for s in prices]


def _solution(K: FloatArray, y: FloatArray, C: float, price: float, solver: str, limit: float) -> MCMSolution | None:
    try:
        return solve_mcm(K, y, C, price, solver, limit)
    except SolverError:
        return None


def _accuracy(K_test: FloatArray, solution: MCMSolution | None, y_test: FloatArray) -> float:
    if solution is None:
        return 0.0
    return float(np.mean(np.where(K_test @ solution.coef + solution.b > 0, 1.0, -1.0) == y_test))


# --- helpers ---------------------------------------------------------------------------------------------------------


def _the_best(trials: list[Trial], keep: int | None) -> list[dict[str, float]]:
    """The parameters of all trials, or of the ``keep`` best, in the order in which they were tried."""
    if keep is None:
        return [trial.params for trial in trials]
    order = sorted(range(len(trials)), key=lambda i: -trials[i].accuracy)[: whole(keep, "keep", 1)]
    return [trials[i].params for i in sorted(order)]


def _bar(steps: list[Any], progress: bool) -> Iterable[Any]:
    if progress and find_spec("tqdm") is not None:
        from tqdm.auto import tqdm

        return tqdm(steps, desc="tuning", unit="fit")
    return steps
