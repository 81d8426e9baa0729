"""A study of one's own: a plan that is sealed before the results are seen, nested cross-validation by it, and a control."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import ConstantClassifierWarning, InvalidInputError, MCMError
from mcmteach.experiments.parallel import ProgressBar
from mcmteach.export.model_size import model_bytes
from mcmteach.guarantee import test_set_bound
from mcmteach.paper.intervals import corrected_error


class PlanChangedError(MCMError, ValueError):
    """The plan is not the one that was sealed."""


@dataclass(frozen=True)
class StudyPlan:
    """What is to be found out, and how, written down before the data have answered.

    Parameters
    ----------
    question : what the study asks, in a sentence
    rule : which outcome will be called a yes, in a sentence
    machines : {name: (estimator, grid)}: each grid names the parameters of the estimator that are chosen inside
    folds, repeats : outer folds, and how often the samples are shuffled and folded again
    inner : folds of the training part, by which the grids choose
    seed : of all shuffles
    """

    question: str
    rule: str
    machines: Mapping[str, tuple[Any, Mapping[str, Sequence[Any]]]]
    folds: int = 5
    repeats: int = 2
    inner: int = 3
    seed: int = 0

    def seal(self) -> str:
        """Twelve letters that change with every word and every number of the plan.

        Examples
        --------
        >>> StudyPlan("Is A better?", "A wins on every fold", {}).seal()
        '8cda7e7cd823'
        """
        for name, text in (("question", self.question), ("rule", self.rule)):
            if not text.strip(" .…"):
                raise InvalidInputError(f"The plan has no {name} yet. Write it in a sentence, then seal the plan.")
        machines = {name: [repr(machine), sorted(grid.items())] for name, (machine, grid) in self.machines.items()}
        numbers = [self.folds, self.repeats, self.inner, self.seed]
        text = json.dumps([self.question, self.rule, machines, numbers], sort_keys=True, default=repr)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


class StudyRow(NamedTuple):
    """A machine on an outer fold."""

    machine: str
    repeat: int
    fold: int
    accuracy: float
    bytes: float  #: what a device must store to predict; nan where that is not known
    bound: float  #: on the risk, from the errors on this test fold alone (95 %)
    chosen: dict[str, Any]  #: by the inner folds


def nested_study(plan: StudyPlan, sealed: str, X: ArrayLike, y: ArrayLike, progress: bool = True) -> list[StudyRow]:
    """Every machine of the plan on every outer fold; gaps are filled and features scaled inside each training part.

    Parameters
    ----------
    plan : the plan
    sealed : what ``plan.seal()`` gave when it was written. Another plan is refused
    X, y : the data, NaN where a value is missing, and two classes
    """
    from sklearn.model_selection import StratifiedKFold

    if plan.seal() != sealed:
        raise PlanChangedError(
            f"The plan's seal is {plan.seal()}, and {sealed} was noted: it has been changed since. Go back to the sealed plan, "
            "or seal the new one and say in the report that the plan was changed, and when."
        )
    X, y = np.asarray(X, float), np.asarray(y)
    tasks = [
        (repeat, fold, train, test)
        for repeat in range(plan.repeats)
        for fold, (train, test) in enumerate(
            StratifiedKFold(plan.folds, shuffle=True, random_state=plan.seed + repeat).split(X, y)
        )
    ]
    names = [(name, repeat, fold) for repeat, fold, *_ in tasks for name in plan.machines]
    bar = ProgressBar("nested", dict.fromkeys(names, 1.0), done=[], shown=progress)
    rows = []
    for repeat, fold, train, test in tasks:
        for name, (machine, grid) in plan.machines.items():
            rows.append(_row(plan, name, machine, grid, repeat, fold, (X[train], y[train]), (X[test], y[test])))
            bar.step((name, repeat, fold))
    bar.close()
    return rows


def _row(
    plan: StudyPlan,
    name: str,
    machine: Any,
    grid: Mapping[str, Sequence[Any]],
    repeat: int,
    fold: int,
    train: Any,
    test: Any,
) -> StudyRow:
    from sklearn.base import clone
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    last = type(machine).__name__.lower()
    steps = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler(), clone(machine))
    inner = StratifiedKFold(plan.inner, shuffle=True, random_state=plan.seed)
    settings = {f"{last}__{key}": list(values) for key, values in grid.items()}
    search = GridSearchCV(steps, settings, cv=inner) if settings else None  # nothing to choose, nothing to try
    with warnings.catch_warnings():  # on noise a constant machine is the right answer, and its accuracy says so
        warnings.simplefilter("ignore", ConstantClassifierWarning)
        fitted = search.fit(*train).best_estimator_ if search else steps.fit(*train)
    chosen = {key.partition("__")[2]: value for key, value in search.best_params_.items()} if search else {}
    errors, size = int(np.sum(fitted.predict(test[0]) != test[1])), _bytes(fitted[-1])
    return StudyRow(name, repeat, fold, 1 - errors / len(test[1]), size, test_set_bound(errors, len(test[1])), chosen)


def _bytes(machine: Any) -> float:
    """A linear machine is its weights; of others the library counts what prediction needs."""
    if hasattr(machine, "coef_") and not hasattr(machine, "support_"):
        return 4 * (np.size(machine.coef_) + np.size(machine.intercept_))
    try:
        return model_bytes(machine)
    except MCMError:  # a machine that the library does not know how to count
        return float("nan")


def tossed(y: ArrayLike, seed: int) -> Any:
    """The labels, dealt out anew: the same number of each class, and no meaning. For a control."""
    return np.random.default_rng(seed).permutation(np.asarray(y))


class StudySummary(NamedTuple):
    """A machine over all outer folds."""

    machine: str
    accuracy: float
    error: float  #: corrected standard error of the accuracy
    bytes: float  #: median
    bound: float  #: median


def study_summary(rows: Sequence[StudyRow], plan: StudyPlan) -> list[StudySummary]:
    """Mean accuracy with its corrected standard error, and medians of size and bound, for each machine."""
    found = []
    for name in plan.machines:
        mine = [row for row in rows if row.machine == name]
        accuracy = np.array([row.accuracy for row in mine])
        found.append(
            StudySummary(
                name,
                float(accuracy.mean()),
                corrected_error(accuracy, n_train=plan.folds - 1, n_test=1),
                float(np.median([row.bytes for row in mine])),
                float(np.median([row.bound for row in mine])),
            )
        )
    return found


def pareto(summaries: Sequence[StudySummary]) -> list[str]:
    """The machines that no other beats in accuracy, size and bound at once. One of unknown size neither beats nor is beaten."""

    def beats(a: StudySummary, b: StudySummary) -> bool:
        no_worse = a.accuracy >= b.accuracy and a.bytes <= b.bytes and a.bound <= b.bound
        return no_worse and (a.accuracy > b.accuracy or a.bytes < b.bytes or a.bound < b.bound)

    return [b.machine for b in summaries if not any(beats(a, b) for a in summaries)]
