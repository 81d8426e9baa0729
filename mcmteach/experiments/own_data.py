"""A study on your own data: plan and data are sealed before results are seen; then nested cross-validation and a control."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import ConstantClassifierWarning, InvalidInputError, ManySupportVectorsWarning, MCMError
from mcmteach.experiments.comparisons import undominated
from mcmteach.experiments.parallel import ProgressBar
from mcmteach.export.model_size import model_bytes
from mcmteach.guarantee import test_set_bound
from mcmteach.paper.intervals import Interval, corrected_error, corrected_interval


class PlanChangedError(MCMError, ValueError):
    """The plan or the data are not those that were sealed."""


@dataclass(frozen=True)
class StudyPlan:
    """The question of a study and how it will be answered, written down before any result is seen.

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

    def seal(self, X: ArrayLike, y: ArrayLike) -> str:
        """Twelve letters for the plan and twelve for the data. They change with every word and every number.

        Examples
        --------
        >>> StudyPlan("Is A better?", "A wins on every fold", {}).seal([[1.0], [2.0]], [0, 1])
        '8cda7e7cd823-f4c0dba3ff4e'
        """
        for name, text in (("question", self.question), ("rule", self.rule)):
            if not text.strip(" .…"):
                raise InvalidInputError(f"The plan has no {name} yet. Write it in a sentence, then seal the plan.")
        machines = {name: [repr(machine), sorted(grid.items())] for name, (machine, grid) in self.machines.items()}
        numbers = [self.folds, self.repeats, self.inner, self.seed]
        text = json.dumps([self.question, self.rule, machines, numbers], sort_keys=True, default=repr)
        return f"{_letters(text.encode())}-{_data_letters(X, y)}"


def _data_letters(X: ArrayLike, y: ArrayLike) -> str:
    """The same on all computers (little-endian, one NaN, no minus zero). The order of the rows counts: it decides the folds."""
    values = np.asarray(X, float)
    values = np.where(np.isnan(values), np.nan, values) + 0.0
    labels = json.dumps([list(values.shape), np.asarray(y).tolist()], default=str)
    return _letters(labels.encode() + values.astype("<f8").tobytes())


def _letters(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def _check_seal(plan: StudyPlan, sealed: str, X: ArrayLike, y: ArrayLike) -> None:
    now = plan.seal(X, y)
    if now == sealed:
        return
    of_plan, _, of_data = sealed.strip().partition("-")
    changed = [
        what
        for what, noted, found in zip(("plan", "data"), (of_plan, of_data), now.split("-"), strict=True)
        if noted != found
    ]
    raise PlanChangedError(
        f"The seal is {now}, but {sealed} was noted: {' and '.join(changed)} changed since. Go back to what was sealed, or "
        "seal anew and say in the report what was changed, when and why."
    )


class StudyRow(NamedTuple):
    """A machine on an outer fold."""

    machine: str
    repeat: int
    fold: int
    accuracy: float
    bytes: float  #: what a device must store to predict; nan where that is not known
    bound: float  #: on the risk, from the errors on this test fold alone (95 %)
    chosen: dict[str, Any]  #: by the inner folds


def nested_study(
    plan: StudyPlan, sealed: str, X: ArrayLike, y: ArrayLike, control: int | None = None, progress: bool = True
) -> list[StudyRow]:
    """Every machine of the plan on every outer fold; gaps are filled and features scaled inside each training part.

    Parameters
    ----------
    plan : the plan
    sealed : what ``plan.seal(X, y)`` gave when it was written. Another plan is refused, and so are other data
    X, y : the data, NaN where a value is missing, and two classes
    control : a seed; the labels are tossed by it (:func:`tossed`) after the seal was checked, so that there is nothing to learn
    """
    from sklearn.model_selection import StratifiedKFold

    _check_seal(plan, sealed, X, y)
    X, y = np.asarray(X, float), np.asarray(y) if control is None else tossed(y, control)
    _check_classes(plan, y)
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


def _check_classes(plan: StudyPlan, y: Any) -> None:
    """Both classes in every outer test fold, and in every inner one."""
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) != 2:
        raise InvalidInputError(f"A study compares machines on two classes, but the labels have {len(classes)}.")
    fewest = int(counts.min())
    if plan.folds < 2 or plan.inner < 2:
        raise InvalidInputError("The plan needs at least 2 outer folds and 2 inner ones.")
    if fewest < plan.folds or fewest - -(-fewest // plan.folds) < plan.inner:
        raise InvalidInputError(
            f"The class {classes[counts.argmin()].item()!r} has {fewest} of {len(y)} rows, too few for {plan.folds} outer folds"
            f" and {plan.inner} inner ones with both classes in each. Take fewer folds, or add rows of this class."
        )


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
    with warnings.catch_warnings():  # a constant machine, or one that keeps every sample: its accuracy and size show it
        warnings.simplefilter("ignore", ConstantClassifierWarning)
        warnings.simplefilter("ignore", ManySupportVectorsWarning)
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
    except MCMError:  # the library cannot count what this machine stores
        return float("nan")


def tossed(y: ArrayLike, seed: int) -> Any:
    """The labels, randomly permuted: as many of each class, unrelated to the features. For a control."""
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


def study_difference(rows: Sequence[StudyRow], plan: StudyPlan, a: str, b: str) -> Interval:
    """Mean accuracy of a minus that of b on the same outer folds, with the corrected interval (95 %)."""
    by_machine = {name: np.array([row.accuracy for row in rows if row.machine == name]) for name in (a, b)}
    return corrected_interval(by_machine[a] - by_machine[b], n_train=plan.folds - 1, n_test=1)


class GridEnds(NamedTuple):
    """How often a parameter was chosen at an end of its grid. If often, a wider grid might do better."""

    machine: str
    parameter: str
    lowest: int  #: times that the smallest value was chosen
    highest: int
    folds: int


def grid_ends(rows: Sequence[StudyRow], plan: StudyPlan) -> list[GridEnds]:
    """For each parameter with two numbers or more to choose from: how often the smallest and the largest were chosen."""
    found = []
    for name, (_, grid) in plan.machines.items():
        for parameter, values in grid.items():
            if all(isinstance(v, Real) and not isinstance(v, bool) for v in values) and len(set(values)) > 1:
                chosen = [row.chosen[parameter] for row in rows if row.machine == name]
                ends = (chosen.count(min(values)), chosen.count(max(values)))
                found.append(GridEnds(name, parameter, *ends, len(chosen)))
    return found


def pareto(summaries: Sequence[StudySummary]) -> list[str]:
    """The machines that no other beats in accuracy, size and bound at once. One of unknown size neither beats nor is beaten."""
    best = undominated([(s.accuracy, -s.bytes, -s.bound) for s in summaries])
    return [s.machine for s, is_best in zip(summaries, best, strict=True) if is_best]
