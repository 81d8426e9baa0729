"""Small protocols, and folds that cost nothing, for the tests of the runner, the store and the tables."""

import os

from mcmteach import experiments as ex

QUICK = ex.NESTED._replace(
    name="quick", C=(1.0,), gamma=(0.25,), sparsity=(1.0, 0.3), gamma_c=(2.0,), D=(1.0,), keep=1,
    svc_C=(1.0, 10.0), svc_gamma=(1.0,), n_folds=2, inner_folds=2,
)  # fmt: skip
QUICK_ON_TEST = ex.TEST_CHOSEN._replace(
    name="quick-on-test", C=(2.0**-7, 2.0), gamma=(2.0**-8,), sparsity=(0.01,), gamma_c=(2, 10, 100, 1000),
    svc_C=(0.1, 10.0), svc_gamma=(0.01, 0.1, 1.0), n_folds=2,
)  # fmt: skip
SETS = ["seeds", "promoters"]


def without_times(record):
    if isinstance(record, dict):
        return {name: without_times(value) for name, value in record.items() if name != "seconds"}
    return record


def stored(folder, protocol=QUICK):
    store = ex.Store(folder)
    return {
        (name, fold["fold"]): without_times(fold)
        for name in store.sets(protocol)
        for fold in store.folds(protocol, name)
    }


def fake(dataset, fold, protocol):
    """A fold that costs nothing."""
    return {
        "set": dataset, "fold": fold, "protocol": protocol.name, "fingerprint": protocol.fingerprint(dataset),
        "columns": {c: {"accuracy": 0.5 + fold / 10, "n_support": 3} for c in protocol.columns},
    }  # fmt: skip


def dies_once(marker, dataset, fold, protocol):
    if dataset == "seeds" and fold == 1 and not marker.exists():
        marker.touch()
        os._exit(1)
    return fake(dataset, fold, protocol)


def dies_always(dataset, fold, protocol):
    if dataset == "seeds" and fold == 1:
        os._exit(1)
    return fake(dataset, fold, protocol)
