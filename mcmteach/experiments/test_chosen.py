"""The paper's way: C and gamma by a part of the training data, gamma_c (and all of the SVM) by the test fold.

What that gains is the difference to the nested protocol. The programme without a price is here too, as P solved it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

from mcmteach.certificate import capped_hinge, relative_gap
from mcmteach.conformal import ConformalMap, conformal_matrix, optimal_map
from mcmteach.datasets import Part, make_parts, stratified_folds
from mcmteach.errors import InvalidInputError, SolverError
from mcmteach.experiments.rules import Protocol, load_svc, majority, number, numbers, solver
from mcmteach.fisher import kernel_fisher_scalar
from mcmteach.kernels import rbf_kernel
from mcmteach.lp import build_lp
from mcmteach.solvers.solve import solve_mcm
from mcmteach.validation import FloatArray

EPSILON = 1e-6  # P counts a coefficient as a support vector's if it is larger than this


class _LP(NamedTuple):
    """A solver's answer: coefficients and bias, or None; and the relative gap, as far as it can be proved."""

    coef: FloatArray
    b: float
    h: float
    gap: float


Solve = Callable[[FloatArray, FloatArray, float, float], "_LP | None"]


def columns_chosen_on_test(X: FloatArray, y: FloatArray, part: Part, p: Protocol, seed: int) -> dict[str, Any]:
    """C and gamma (and the price) by an 80:20 split of the training part; gamma_c by the accuracy on the test fold."""
    found: dict[str, Any] = {"majority": majority(part)}
    for name, kernel in (("svc", "rbf"), ("sigmoid", "sigmoid")):
        if name in p.columns:
            found[name] = _svc_on_test(kernel, part, p)
    (valid,) = make_parts(X, y, stratified_folds(y, 5, seed)[:1])
    if "mcm" in p.columns:
        found["mcm"], found["conformal"], _ = choose_map(valid, part, p, with_price=True)
    if "lp0" in p.columns:
        found["lp0"], found["lp0_conformal"], _ = choose_map(valid, part, p, with_price=False)
    return found


class MapChoices(NamedTuple):
    """The numbers of one fold: without a map, with the map whose width the test fold chose, and with that of the validation."""

    basic: dict[str, Any]
    by_test: dict[str, Any]
    by_validation: dict[str, Any]


def choose_map(valid: Part, part: Part, p: Protocol, with_price: bool, validated: bool = False) -> MapChoices:
    """Algorithm 1 with its answer on the test fold, and the inner loop of Algorithm 2 *by* its answers on the test fold.

    ``validated``: also by its answers on the validation part, which leaves the test fold for the end. Nothing else differs.
    """
    solve, prices = (_priced(p), p.sparsity) if with_price else (_plain(p), (0.0,))
    start, count = time.process_time(), _Counter(solve)
    params, validation = _search(valid, p, prices, count)
    basic, tried = _with_maps(part, params, p, count, _Counter(solve), start)
    basic |= {"validation": number(validation)}
    none = basic | {"chosen_on": "nothing: no map could be made"}
    by_test = max((one for one in tried if one), key=lambda one: one["accuracy"], default={})
    by_test = by_test | {"chosen_on": "the test fold"} if by_test else none
    if not validated:
        return MapChoices(basic, by_test, {})
    _, scores = _with_maps(valid, params, p, _Counter(solve), _Counter(solve), start)
    both = [(one, other) for one, other in zip(scores, tried, strict=True) if one and other]
    best = max(both, key=lambda pair: pair[0]["accuracy"], default=None)
    by_validation = best[1] | {"chosen_on": "the validation part"} if best else none
    return MapChoices(basic, by_test, by_validation)


def _with_maps(
    part: Part, params: dict[str, float], p: Protocol, count: _Counter, for_maps: _Counter, start: float
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The numbers of the machine without a map, and of those with a map of each width."""
    K, K_test = (rbf_kernel(X, part.X, params["gamma"]) for X in (part.X, part.X_test))
    basic = count(K, part.y, params["C"], params["sparsity"])
    mcm = _numbers(basic, K_test, part, params) | count.so_far(start)
    maps = _maps(basic, K, K_test, part, params, p, for_maps)
    return mcm, [one and one | for_maps.so_far(start) for one in maps]


def _search(valid: Part, p: Protocol, prices: tuple[float, ...], count: _Counter) -> tuple[dict[str, float], float]:
    """Algorithm 1: the first best of all C, gamma and prices, and its accuracy on the held-out part of the training data."""
    best, max_accuracy = {"C": p.C[-1], "gamma": p.gamma[0], "sparsity": prices[0]}, -1.0
    for C in p.C:
        for gamma in p.gamma:
            K, K_test = (rbf_kernel(X, valid.X, gamma) for X in (valid.X, valid.X_test))
            for s in prices:
                lp = count(K, valid.y, C, s)
                accuracy = 0.0 if lp is None else _accuracy(lp, K_test, valid)
                if accuracy > max_accuracy:
                    max_accuracy, best = accuracy, {"C": C, "gamma": gamma, "sparsity": s}
    return best, max_accuracy


def _maps(
    basic: _LP | None,
    K: FloatArray,
    K_test: FloatArray,
    part: Part,
    params: dict[str, float],
    p: Protocol,
    count: _Counter,
) -> list[dict[str, Any]]:
    """The numbers with the map of each width; empty ones if there are no cores, or J has no largest value."""
    cores = part.X[:0] if basic is None else part.X[np.abs(basic.coef) > EPSILON]
    if not len(cores):
        return [{}] * len(p.gamma_c)
    found: list[dict[str, Any]] = []
    for gamma_c in [factor * params["gamma"] for factor in p.gamma_c]:
        try:
            c = optimal_map(K, part.y, part.X, cores, gamma_c, p.D[0])
        except InvalidInputError:  # J has no largest value there
            count.failed += 1
            found.append({})
            continue
        lp = count(conformal_matrix(K, c(part.X)), part.y, params["C"], params["sparsity"])
        K_c_test = conformal_matrix(K_test, c(part.X_test), c(part.X))
        found.append(_numbers(lp, K_c_test, part, params | {"gamma_c": gamma_c}) | _separation(K, part, c))
    return found


def _separation(K: FloatArray, part: Part, c: ConformalMap) -> dict[str, Any]:
    before, after = kernel_fisher_scalar(K, part.y), kernel_fisher_scalar(K, part.y, c(part.X))
    return {"J_before": number(before), "J_after": number(after), "n_cores": len(c.cores)}


class _Counter:
    """A solver that counts its calls and its failures."""

    def __init__(self, solve: Solve):
        self.solve, self.asked, self.failed = solve, 0, 0

    def __call__(self, K: FloatArray, y: FloatArray, C: float, sparsity: float) -> _LP | None:
        found = self.solve(K, y, C, sparsity)
        self.asked, self.failed = self.asked + 1, self.failed + (found is None)
        return found

    def so_far(self, start: float) -> dict[str, Any]:
        return {"programmes": self.asked, "failed": self.failed, "seconds": round(time.process_time() - start, 2)}


def _priced(p: Protocol) -> Solve:
    """The well-posed machine, certified."""

    def solve(K: FloatArray, y: FloatArray, C: float, sparsity: float) -> _LP | None:
        try:
            s = solve_mcm(K, y, C, sparsity, solver(), p.time_limit)
        except SolverError:
            return None
        return _LP(s.coef, s.b, s.h, s.certificate.gap)

    return solve


def _plain(p: Protocol) -> Solve:
    """P's programme as printed, by linprog's dual simplex, uncertified. Beyond the limit of steps it counts as failed."""
    options = {"maxiter": p.max_iter, "time_limit": p.time_limit}

    def solve(K: FloatArray, y: FloatArray, C: float, sparsity: float) -> _LP | None:
        result = linprog(**build_lp(K, y, C)._asdict(), method="highs-ds", options=options)
        if result.x is None or result.status != 0:
            return None
        coef, b = result.x[: len(y)], float(result.x[len(y)])
        t = y * (K @ coef + b)  # its objective is computed from the data; 1 is the lower bound that z = 0 proves
        return _LP(coef, b, max(1.0, float(t.max())), relative_gap(capped_hinge(t, C), 1.0))

    return solve


def _accuracy(lp: _LP | None, K_test: FloatArray, part: Part) -> float:
    """Without a solution the answer is the larger class."""
    f = np.full(len(part.y_test), part.y.sum()) if lp is None else K_test @ lp.coef + lp.b
    return float(np.mean(np.where(f > 0, 1.0, -1.0) == part.y_test))


def _numbers(lp: _LP | None, K_test: FloatArray, part: Part, params: dict[str, float]) -> dict[str, Any]:
    found: dict[str, Any] = {"accuracy": number(_accuracy(lp, K_test, part)), "params": numbers(params)}
    if lp is None:
        return found | {"n_support": 0, "solved": False}
    return found | {"n_support": int(np.sum(np.abs(lp.coef) > EPSILON)), "h": number(lp.h), "gap": number(lp.gap)}


def _svc_on_test(kernel: str, part: Part, p: Protocol) -> dict[str, Any]:
    """An SVC whose C and gamma have the best accuracy on the test fold: the authors' code does this to its baseline."""
    SVC, start = load_svc(), time.process_time()
    best: dict[str, Any] = {"accuracy": -1.0}
    for C in p.svc_C:
        for gamma in p.svc_gamma:
            machine = SVC(kernel=kernel, C=C, gamma=gamma).fit(part.X, part.y)
            accuracy = number(machine.score(part.X_test, part.y_test))
            if accuracy > best["accuracy"]:
                n_support = int(machine.n_support_.sum())
                best = {"accuracy": accuracy, "n_support": n_support, "params": {"C": C, "gamma": gamma}}
    return best | {"chosen_on": "the test fold", "seconds": round(time.process_time() - start, 2)}
