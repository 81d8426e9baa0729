"""The folds of many data sets: computed where they are not stored yet, and stored as soon as they are done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from mcmteach.experiments.parallel import ProgressBar, answers
from mcmteach.experiments.protocol import run_fold
from mcmteach.experiments.rules import Plan, solver
from mcmteach.experiments.store import Store
from mcmteach.validation import whole

ComputeFold = Callable[[str, int, Any], dict[str, Any]]


class FoldKey(NamedTuple):
    """Which fold of which set."""

    dataset: str
    fold: int

    def __str__(self) -> str:
        return f"{self.dataset}, fold {self.fold}"


class Summary(NamedTuple):
    """What a run did."""

    computed: int
    reused: int  #: those that were stored already
    lost: list[tuple[Any, str]]  #: tasks without a result, and why: run the same command again to try them once more
    unit: str = "folds"

    def __str__(self) -> str:
        text = f"{self.computed} {self.unit} computed, {self.reused} taken from an earlier run."
        for task, why in self.lost:
            text += f"\n  lost: {task}: {why}"
        return text + (f"\nRun the same command again to try the lost {self.unit} once more." if self.lost else "")


def reproduce(
    protocol: Plan,
    sets: Sequence[str] | None = None,
    store: Store | None = None,
    jobs: int = 1,
    dask: str | None = None,
    progress: bool = True,
    work: ComputeFold = run_fold,
) -> Summary:
    """Compute what is not stored yet, and store each fold as soon as it is done.

    Parameters
    ----------
    protocol : NESTED or TEST_CHOSEN (or your own rules, under another name)
    sets : names of data sets; by default all of the protocol's
    store : where results are kept; by default the package's own folder
    jobs : processes; 1 computes in this one
    dask : address of a Dask scheduler, such as "tcp://10.0.0.1:8786", instead of ``jobs``
    progress : show a bar with the time left
    work : what computes a fold
    """
    store, jobs = store or Store(), whole(jobs, "jobs", 1)
    names, n = sorted(protocol.choose_sets(sets), key=protocol.cost), protocol.n_folds
    tasks = [FoldKey(name, r * n + k) for r in range(protocol.repeats) for name in names for k in range(n)]
    store.prepare(protocol.name)
    done = [task for task in tasks if store.read(protocol, *task, by=solver()) is not None]
    costs = {task: protocol.cost(task.dataset) for task in tasks}
    fold, keep = partial(_fold, work, protocol), partial(store.write, protocol)
    return compute(f"{protocol.name} protocol", costs, done, fold, keep, jobs, dask, progress)


def compute(
    title: str,
    costs: dict[Any, float],
    done: Sequence[Any],
    work: Callable[[Any], Any],
    keep: Callable[[Any], None],
    jobs: int = 1,
    dask: str | None = None,
    progress: bool = True,
    unit: str = "folds",
) -> Summary:
    """Do the tasks (the keys of ``costs``) that are not done, with a bar, and keep each answer at once."""
    todo, lost = [task for task in costs if task not in done], []
    bar = ProgressBar(title, costs, done, progress)
    try:
        for task, answer in answers(todo, work, jobs, dask):
            if isinstance(answer, Exception):
                lost.append((task, f"{type(answer).__name__}: {answer}"))
            else:
                keep(answer)
            bar.step(task)
    finally:
        bar.close()
    return Summary(len(todo) - len(lost), len(done), lost, unit)


def _fold(work: ComputeFold, protocol: Plan, task: FoldKey) -> dict[str, Any]:
    return work(task.dataset, task.fold, protocol)
