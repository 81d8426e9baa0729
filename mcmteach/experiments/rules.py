"""The rules of the experiments: the parameter grids, the columns (machines), and the limits of time and steps."""

from __future__ import annotations

import hashlib
import json
import typing
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mcmteach.datasets import Part, list_datasets, load_dataset
from mcmteach.datasets.catalogue import CATALOGUE
from mcmteach.errors import InvalidInputError, MissingExtraError, install_command
from mcmteach.solvers.solve import highspy_will_do
from mcmteach.tune import PAPER_C, PAPER_GAMMA, PAPER_GAMMA_C

#: Columns that the nested protocol leaves out, as the catalogue's notes advise: they come after the label, or name the case.
LEAKS = {
    "horse-colic": ("hospital number", "lesion 1", "lesion 2", "lesion 3"),
    "echocardiogram": ("survival", "alive-at-1"),
}

COLUMN_TITLES = {
    "mcm": "MCM",
    "conformal": "conformal MCM",
    "lpsvm": "LP-SVM",
    "svc": "SVC",
    "logistic": "L1 logistic",
    "ml1": "ML1-SVM",
    "majority": "majority",
    "lp0": "LP, sparsity 0",
    "lp0_conformal": "conformal LP, sparsity 0",
    "sigmoid": "SVC, sigmoid",
}


LARGEST_SET = 5000  # samples of which a kernel matrix is made


class Plan(typing.Protocol):
    """What the store, the runner and the tables need from the rules of an experiment, whatever its data are."""

    @property
    def name(self) -> str: ...
    @property
    def n_folds(self) -> int: ...
    @property
    def repeats(self) -> int: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def how(self) -> str: ...
    def fingerprint(self, dataset: str, by: str | None = None) -> str: ...
    def choose_sets(self, names: Sequence[str] | None = None) -> list[str]: ...
    def cost(self, dataset: str) -> float: ...


#: What does not change a fold's numbers where it is empty, or at all: how many partitions there are is 0 for the fingerprint.
UNTOLD = ("repeats", "logistic_C", "same_kernel")


class Protocol(NamedTuple):
    """The rules of an experiment on bundled data."""

    name: str
    C: tuple[float, ...]
    gamma: tuple[float, ...]
    relative: bool  #: the numbers in gamma and svc_gamma are multiples of 1/n_features
    sparsity: tuple[float, ...]
    gamma_c: tuple[float, ...]  #: multiples of gamma
    D: tuple[float, ...]
    keep: int  #: the width of the map is searched for this many of the best (C, gamma, sparsity)
    svc_C: tuple[float, ...]
    svc_gamma: tuple[float, ...]
    columns: tuple[str, ...]
    on_test: bool  #: gamma_c, and all of the SVC, are chosen on the test fold: to show what that gains
    encode: str  #: of categories, as in load_dataset
    drop_leaks: bool
    time_limit: float  #: seconds by the clock for one programme: a last resort, which a slow machine may reach
    max_iter: int  #: simplex steps for one programme without a price: beyond this it has failed, on every machine alike
    n_folds: int = 5  #: of one partition of the data
    inner_folds: int = 3
    seed: int = 2021  #: of the first partition
    repeats: int = 1  #: partitions
    logistic_C: tuple[float, ...] = ()
    same_kernel: bool = False  #: wide grids, machines share kernel matrices; prices are multiples of C
    version: int = 1  #: to be raised with any change of code that changes numbers: stored results then count as stale

    def fingerprint(self, dataset: str, by: str | None = None) -> str:
        """A short name for these rules, this version of them, the data's own bytes, and the solver (today's, or ``by``)."""
        rules = {
            name: value for name, value in self._replace(repeats=0)._asdict().items() if name not in UNTOLD or value
        }
        return fingerprint([rules, CATALOGUE[dataset].sha256, by or solver()])

    @property
    def how(self) -> str:
        """What was chosen on which data, in words."""
        choice = (
            "gamma_c, and all of the SVC, chosen ON THE TEST FOLD, as the authors' code does: these are not estimates of "
            "how well a machine does on new data"
            if self.on_test
            else "everything chosen inside the training part of each fold"
        )
        often = f"up to {self.repeats} times {self.n_folds}" if self.repeats > 1 else str(self.n_folds)
        return f"{often} folds, seed {self.seed}; {choice}"

    def choose_sets(self, names: Sequence[str] | None = None) -> list[str]:
        return choose_sets(names)

    def cost(self, dataset: str) -> float:
        return cost(dataset)


#: Everything is chosen inside the training part of each fold.
NESTED = Protocol(
    name="nested",
    C=(0.1, 1.0),
    gamma=(1 / 16, 1 / 4, 1.0),
    relative=True,
    sparsity=(3.0, 1.0, 0.3, 0.1),
    gamma_c=(0.5, 2.0, 10.0, 100.0),
    D=(1e-3, 1.0),
    keep=3,
    svc_C=(0.1, 1.0, 10.0, 100.0),
    svc_gamma=(1 / 16, 1 / 4, 1.0),
    columns=("mcm", "conformal", "svc", "majority"),
    on_test=False,
    encode="one-hot",
    drop_leaks=True,
    time_limit=60.0,
    max_iter=0,
)

#: The same with wide grids, the LP-SVM, and the data divided ten times. Prices are multiples of C, so that C leads from one
#: limit to another: at its small end h = 1, and no smaller C changes the solution; at its large end h costs next to nothing,
#: and the machine is the LP-SVM with the same multiple. Slow on large and noisy sets.
WIDE = NESTED._replace(
    name="nested-wide",
    C=(1000.0, 10.0, 1.0, 0.1, 0.005),
    gamma=(0.002, 0.01, 0.05, 0.25, 1.2, 6.0),
    sparsity=(10.0, 2.0, 0.4, 0.08, 0.016, 0.0032, 0.00064, 0.000128),
    gamma_c=(1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5),
    time_limit=600.0,
    keep=1,
    svc_C=(0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0),
    svc_gamma=(0.0004, 0.002, 0.01, 0.05, 0.25, 1.2, 6.0, 30.0),  # two more: it costs next to nothing
    columns=("mcm", "conformal", "lpsvm", "svc", "majority"),
    repeats=10,
    same_kernel=True,
)

#: What the machines below do not use, as it was when their folds were computed: a fingerprint holds all rules.
_UNUSED: dict[str, Any] = {
    "sparsity": (2.0, 0.4, 0.08, 0.016, 0.0032, 0.00064),
    "gamma_c": (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1e3, 1e4),
    "svc_gamma": (),
    "repeats": 1,
}
#: Further machines for the ablation, on the folds of the first partition: logistic regression, Abe's ML1-SVM, and P's programme
#: without a price, which is slow (C is not tuned: for a positive definite kernel every C has the same optimum).
LOGISTIC = WIDE._replace(
    name="logistic", columns=("logistic", "majority"), **_UNUSED, logistic_C=(0.3, 3.0, 30.0, 300.0)
)
ML1 = WIDE._replace(name="ml1-svm", columns=("ml1", "majority"), **_UNUSED)
NO_PRICE = WIDE._replace(name="no-price", columns=("lp0", "majority"), **_UNUSED, C=(1.0,), max_iter=10_000)

#: P's grids, and gamma_c (and all of the SVC) chosen on the test fold, as the authors' public code does.
TEST_CHOSEN = Protocol(
    name="test-chosen",
    C=PAPER_C,
    gamma=PAPER_GAMMA,
    relative=False,
    sparsity=(0.1, 0.01, 0.001),
    gamma_c=PAPER_GAMMA_C,
    D=(1e-6,),
    keep=1,
    svc_C=(1e-3, 1e-2, 1e-1, 1.0, 10.0),
    svc_gamma=(1e-3, 1e-2, 1e-1, 1.0, 10.0),
    columns=("mcm", "conformal", "lp0", "lp0_conformal", "svc", "sigmoid", "majority"),
    on_test=True,
    encode="ordinal",
    drop_leaks=False,
    time_limit=60.0,
    max_iter=10_000,
)

#: The SVMs of the test-chosen protocol alone, which take minutes and so are run on every set.
BASELINE = TEST_CHOSEN._replace(name="baseline", columns=("svc", "sigmoid", "majority"))

PROTOCOLS = {protocol.name: protocol for protocol in (NESTED, WIDE, LOGISTIC, ML1, NO_PRICE, TEST_CHOSEN, BASELINE)}


# --- sets ------------------------------------------------------------------------------------------------------------


def choose_sets(names: Sequence[str] | None = None) -> list[str]:
    """The named sets, or all of Table 1, the smallest first. An unknown name is refused with the nearest ones."""
    for name in names or ():
        if name not in CATALOGUE:
            load_dataset(name)  # raises, and names the nearest
        if CATALOGUE[name].shape[0] > LARGEST_SET:
            raise InvalidInputError(
                f"{name} has {CATALOGUE[name].shape[0]} samples, but these machines need a kernel matrix of all of them. It "
                "is one of Table 4's sets: python -m mcmteach reproduce table4"
            )
    wanted = dict.fromkeys(names or list_datasets(table=1))
    return sorted(wanted, key=lambda name: (CATALOGUE[name].shape[0], name))


def cost(dataset: str) -> float:
    """About how long a set takes: like the square of its number of samples, the size of a kernel matrix."""
    return float(CATALOGUE[dataset].shape[0]) ** 2


# --- what all protocols use ------------------------------------------------------------------------------------------

SOLVERS = ("highs", "linprog")


def fingerprint(rules: Any) -> str:
    """Sixteen hexadecimal digits that change with every field of the rules."""
    return hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:16]


def majority(part: Part) -> dict[str, Any]:
    answer = 1.0 if np.sum(part.y > 0) > np.sum(part.y < 0) else -1.0
    return {"accuracy": number(np.mean(part.y_test == answer)), "n_support": 0}


def solver() -> str:
    return "highs" if highspy_will_do() else "linprog"


def load_svc() -> Any:
    try:
        from sklearn.svm import SVC
    except ImportError:
        raise missing_package("scikit-learn") from None
    return SVC


def missing_package(package: str) -> MissingExtraError:
    """The error for a package of the extra that is not there."""
    return MissingExtraError(f"The experiments need {package}. Install it with: {install_command('experiments')}")


def one_thread() -> Any:
    """One thread: small matrices on many are slow, and their last digits depend on how many there are."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        raise missing_package("scikit-learn") from None
    return threadpool_limits(1)


def number(value: Any) -> float:
    """Six digits: what a table shows, and what two machines agree on."""
    return float(f"{float(value):.6g}")


def numbers(params: dict[str, float]) -> dict[str, float]:
    return {name: number(value) for name, value in params.items()}
