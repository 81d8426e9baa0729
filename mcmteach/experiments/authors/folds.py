"""The SVM columns of Tables 2 and 3 on the authors' own folds: as their public code makes them, and as the paper's text says.

What the code does (``svmbaseline.m`` of the GitHub repository skylerbadge/MCM, which has no licence): z-scores from the
training part (divisor n - 1, a constant column is only centred), LIBSVM with ``-t 3``, which is the sigmoid kernel
tanh(gamma x'z), and C and gamma *by the accuracy on the test fold*, the last of equals. The paper's text says RBF.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from mcmteach.datasets import Part
from mcmteach.errors import InvalidInputError
from mcmteach.experiments.authors.data import BY_NAME, NUMBERED, SHA256, AuthorsData, read_set
from mcmteach.experiments.rules import fingerprint, load_svc, majority, number

WITHOUT_NUMBER = "sigmoid_without_number"  # a column for the rows whose first feature numbers the samples


class AuthorsPlan(NamedTuple):
    """The rules of the run on the authors' folds."""

    folder: str = ""  #: where the files are: no part of the rules
    name: str = "authors"
    columns: tuple[str, ...] = ("sigmoid", "svc", "majority")
    grid: tuple[float, ...] = (1e-3, 1e-2, 1e-1, 1.0, 10.0)  #: of C and of gamma
    n_folds: int = 5
    version: int = 1  #: to be raised with any change of code that changes numbers

    def fingerprint(self, dataset: str, by: str | None = None) -> str:
        """A short name for these rules and the bytes of the files. It does not depend on the solver of linear programmes."""
        rules = self._replace(folder="")._asdict()
        return fingerprint([rules, [SHA256[file] for file in BY_NAME[dataset].files]])

    @property
    def repeats(self) -> int:
        return 1

    @property
    def how(self) -> str:
        return (
            f"the authors' own {self.n_folds} folds, by the steps of their code, which chooses parameters ON THE TEST FOLD: "
            "these are not estimates of how well a machine does on new data"
        )

    def choose_sets(self, names: Sequence[str] | None = None) -> list[str]:
        """The named rows, or all 27, in the paper's order. An unknown name is refused with the nearest ones."""
        for name in names or ():
            if name not in BY_NAME:
                nearest = ", ".join(get_close_matches(name, BY_NAME, cutoff=0.4) or BY_NAME)
                raise InvalidInputError(f"The paper's Table 1 has no row '{name}'. The nearest: {nearest}.")
        return [name for name in BY_NAME if name in (names or BY_NAME)]

    def cost(self, dataset: str) -> float:
        return float(BY_NAME[dataset].samples) ** 2


AUTHORS = AuthorsPlan()


def with_right(numbers: dict[str, Any], n_test: int) -> dict[str, Any]:
    """The numbers, and how many test samples were classified correctly."""
    return numbers | {"right": round(numbers["accuracy"] * n_test)}


def run_fold(dataset: str, fold: int, plan: AuthorsPlan) -> dict[str, Any]:
    """The numbers of one fold, ready to be stored."""
    data = read_set(dataset, plan.folder)
    part = z_scores(data, fold)
    columns = {
        "sigmoid": svm_chosen_on_test("sigmoid", part, plan.grid),
        "svc": svm_chosen_on_test("rbf", part, plan.grid),
        "majority": with_right(majority(part), len(part.y_test)),
    }
    if BY_NAME[dataset].row in NUMBERED:
        measured = part._replace(X=part.X[:, 1:], X_test=part.X_test[:, 1:])
        columns[WITHOUT_NUMBER] = svm_chosen_on_test("sigmoid", measured, plan.grid)
    return {
        "set": dataset,
        "fold": fold,
        "protocol": plan.name,
        "fingerprint": plan.fingerprint(dataset),
        "n_train": len(part.y),
        "n_test": len(part.y_test),
        "n_features": part.X.shape[1],
        "columns": columns,
    }


def z_scores(data: AuthorsData, fold: int) -> Part:
    """Both parts of a fold, scaled by the training part as the authors' code does it."""
    train, test = data.fold != fold, data.fold == fold
    sd = data.X[train].std(axis=0, ddof=1)
    scale = np.where(sd > 0, sd, 1.0)
    X = (data.X - data.X[train].mean(axis=0)) / scale
    return Part(X[train], data.y[train], X[test], data.y[test])


def last_fifth(part: Part) -> Part:
    """The training part, its last fifth held out: on it the authors' code chooses C and gamma."""
    cut = int(np.floor(0.8 * len(part.y) + 0.5))
    return Part(part.X[:cut], part.y[:cut], part.X[cut:], part.y[cut:])


def svm_chosen_on_test(kernel: str, part: Part, grid: Sequence[float]) -> dict[str, Any]:
    """The SVM with the best accuracy on the test fold, the last of equals.

    LIBSVM puts the class +1 first and scikit-learn the smaller label, hence the sign: the sigmoid kernel is indefinite, so that
    the order matters.
    """
    SVC = load_svc()
    best: dict[str, Any] = {"right": -1}
    for C, gamma in product(grid, grid):
        machine = SVC(kernel=kernel, C=C, gamma=gamma, coef0=0.0).fit(part.X, -part.y)
        right = int(np.sum(machine.predict(part.X_test) == -part.y_test))
        if right >= best["right"]:
            best = {"right": right, "n_support": int(machine.n_support_.sum()), "params": {"C": C, "gamma": gamma}}
    return {"accuracy": number(best["right"] / len(part.y_test)), **best}
