"""What one fold of one data set computes, under the nested protocol and under the test-chosen one.

A fold is a function of (data set, number of the fold, protocol) and of nothing else: every seed is fixed, and it runs on one
thread. So it gives the same numbers wherever it runs, and however many others run beside it.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from mcmteach.datasets import load_dataset, make_parts, stratified_folds
from mcmteach.datasets.folds import Rows
from mcmteach.errors import InvalidInputError, MCMWarning
from mcmteach.experiments.nested import nested_columns
from mcmteach.experiments.rules import LEAKS, Protocol, one_thread
from mcmteach.experiments.test_chosen import columns_chosen_on_test
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
            "The test part holds one class only, so its accuracy says nothing. Use stratified folds."
        )
    columns = columns_chosen_on_test if protocol.on_test else nested_columns
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", MCMWarning)  # duality gaps and constant machines are in the numbers
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        (part,) = make_parts(X, y, [(train, test)])
        found = columns(X[train], y[train], part, protocol, seed)
    sizes = {"n_train": len(part.y), "n_test": len(part.y_test), "n_features": part.X.shape[1]}
    return sizes | {"columns": {name: found[name] for name in protocol.columns}}
