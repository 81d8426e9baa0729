"""What one fold of one data set computes, under the nested protocol and under the test-chosen one.

A fold is a function of (data set, number of the fold, protocol) and of nothing else: every seed is fixed, and it runs on one
thread. So it gives the same numbers wherever it runs, and however many others run beside it.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

from mcmteach.conformal_mcm import ConformalMCMClassifier
from mcmteach.datasets import Part, load_dataset, make_parts, stratified_folds
from mcmteach.datasets.folds import Rows
from mcmteach.errors import InvalidInputError, MCMWarning
from mcmteach.experiments.nested_wide import wide_columns
from mcmteach.experiments.rules import LEAKS, Protocol, load_svc, majority, number, numbers, one_thread, solver
from mcmteach.experiments.test_chosen import columns_chosen_on_test
from mcmteach.mcm import MCMClassifier
from mcmteach.tune import Tuning, tune_conformal, tune_mcm
from mcmteach.validation import FloatArray

STRIDE = 1000  # between the seeds of two repeats


def run_fold(dataset: str, fold: int, protocol: Protocol) -> dict[str, Any]:
    """The numbers of one fold, ready to be stored. A fold that cannot be learnt from says why in "error"."""
    repeat, place = divmod(fold, protocol.n_folds)
    seed = protocol.seed + STRIDE * repeat
    head = {
        "set": dataset,
        "fold": fold,
        "protocol": protocol.name,
        "fingerprint": protocol.fingerprint(dataset),
        "seed": seed,
    }
    try:
        X, y = load_table(dataset, protocol)
        train, test = stratified_folds(y, protocol.n_folds, seed)[place]
        return head | compute(X, y, train, test, protocol, seed + 1 + place)
    except InvalidInputError as problem:  # of the data, as a fold with one class: another try would end the same way
        return head | {"error": f"{type(problem).__name__}: {problem}"}


def load_table(dataset: str, protocol: Protocol) -> tuple[FloatArray, FloatArray]:
    """The features and labels -1, +1 that the protocol uses."""
    loaded = load_dataset(dataset, encode=protocol.encode)
    leaks = LEAKS.get(dataset, ()) if protocol.drop_leaks else ()
    kept = [j for j, name in enumerate(loaded.feature_names) if name not in leaks]
    return loaded.data[:, kept], 2.0 * loaded.target - 1


def compute(X: FloatArray, y: FloatArray, train: Rows, test: Rows, protocol: Protocol, seed: int) -> dict[str, Any]:
    """All columns of one fold: {"n_train", "n_test", "n_features", "columns": {column: numbers}}."""
    if len(np.unique(y[test])) < 2:
        raise InvalidInputError(
            "The test part holds one class only, so its accuracy is meaningless. Use stratified folds."
        )
    columns = columns_chosen_on_test if protocol.on_test else wide_columns if protocol.same_kernel else _nested_columns
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", MCMWarning)  # duality gaps and constant machines are in the numbers
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        (part,) = make_parts(X, y, [(train, test)])
        found = columns(X[train], y[train], part, protocol, seed)
    sizes = {"n_train": len(part.y), "n_test": len(part.y_test), "n_features": part.X.shape[1]}
    return sizes | {"columns": {name: found[name] for name in protocol.columns}}


# --- nested ----------------------------------------------------------------------------------------------------------


def _nested_columns(X: FloatArray, y: FloatArray, part: Part, p: Protocol, seed: int) -> dict[str, Any]:
    """``X``, ``y`` is the training part as it came, ``part`` the same standardised, with its test part."""
    inner = stratified_folds(y, p.inner_folds, seed)
    gamma = [g / X.shape[1] if p.relative else g for g in p.gamma]
    start = time.process_time()
    basic = tune_mcm(X, y, p.C, gamma, p.sparsity, inner, solver=solver(), time_limit=p.time_limit)
    mcm = _machine(MCMClassifier, basic, p).fit(part.X, part.y)
    mcm_seconds = time.process_time() - start
    found = _tune_map(X, y, basic, inner, p)
    conformal = _machine(ConformalMCMClassifier, found, p).fit(part.X, part.y)
    seconds = time.process_time() - start
    J = {"J_before": number(conformal.J_before_), "J_after": number(conformal.J_after_)}
    J |= {"n_cores": len(conformal.core_indices_)}
    return {
        "mcm": _fitted(mcm, part, mcm_seconds) | _chosen(basic),
        "conformal": _fitted(conformal, part, seconds) | J | _chosen(found),
        "svc": _svc(X, y, part, inner, p),
        "majority": majority(part),
    }


def _machine(kind: type, tuning: Tuning, p: Protocol) -> Any:
    return kind(**tuning.params, solver=solver(), time_limit=p.time_limit)


def _tune_map(X: FloatArray, y: FloatArray, basic: Tuning, inner: list[tuple[Rows, Rows]], p: Protocol) -> Tuning:
    """Algorithm 2 for the best machines that Algorithm 1 has already found."""
    return tune_conformal(
        X, y, gamma_c=p.gamma_c, D=p.D, keep=p.keep, folds=inner, solver=solver(), time_limit=p.time_limit, basic=basic
    )


def _svc(X: FloatArray, y: FloatArray, part: Part, inner: list[tuple[Rows, Rows]], p: Protocol) -> dict[str, Any]:
    """scikit-learn's SVC, its C and gamma chosen on the same inner folds."""
    SVC, start = load_svc(), time.process_time()
    parts, n = make_parts(X, y, inner), X.shape[1]
    best, max_accuracy = {}, -1.0
    for C in p.svc_C:
        for g in p.svc_gamma:
            gamma = g / n if p.relative else g
            scores = [SVC(C=C, gamma=gamma).fit(q.X, q.y).score(q.X_test, q.y_test) for q in parts]
            if np.mean(scores) > max_accuracy:
                max_accuracy, best = float(np.mean(scores)), {"C": C, "gamma": gamma}
    machine = SVC(**best).fit(part.X, part.y)
    return {
        "accuracy": number(machine.score(part.X_test, part.y_test)),
        "n_support": int(machine.n_support_.sum()),
        "params": numbers(best),
        "validation": number(max_accuracy),
        "seconds": round(time.process_time() - start, 2),
    }


def _fitted(machine: Any, part: Part, seconds: float) -> dict[str, Any]:
    return {
        "accuracy": number(machine.score(part.X_test, part.y_test)),
        "n_support": int(machine.n_support_),
        "h": number(machine.h_),
        "gap": number(machine.certificate_.gap),
        "seconds": round(seconds, 2),
    }


def _chosen(tuning: Tuning) -> dict[str, Any]:
    return {"params": numbers(tuning.params), "validation": number(tuning.accuracy), "trials": len(tuning.trials)}
