"""Many folds at once: through joblib on this machine's cores, or on a Dask cluster. The numbers are the same."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from mcmteach.datasets import list_datasets, load_dataset
from mcmteach.datasets.catalogue import CATALOGUE
from mcmteach.errors import MCMError
from mcmteach.experiments.protocol import run_fold
from mcmteach.experiments.rules import Protocol, missing
from mcmteach.experiments.store import Store
from mcmteach.validation import whole

Work = Callable[[str, int, Protocol], dict[str, Any]]


class Task(NamedTuple):
    """One fold to compute."""

    dataset: str
    fold: int


class WorkerDiedError(MCMError, RuntimeError):
    """A worker process ended without an answer: killed, out of memory, or a crash in a library."""


class Summary(NamedTuple):
    """What a run did."""

    computed: int
    reused: int  #: folds that were stored already
    lost: list[tuple[Task, str]]  #: folds without a result, and why: run the same command again to try them once more

    def __str__(self) -> str:
        text = f"{self.computed} folds computed, {self.reused} taken from an earlier run."
        for task, why in self.lost:
            text += f"\n  lost: {task.dataset}, fold {task.fold}: {why}"
        return text + ("\nRun the same command again to try the lost folds once more." if self.lost else "")


def choose_sets(names: Sequence[str] | None = None) -> list[str]:
    """The named sets, or all of Table 1, the smallest first. An unknown name is refused with the nearest ones."""
    for name in names or ():
        if name not in CATALOGUE:
            load_dataset(name)  # raises, and names the nearest
    wanted = dict.fromkeys(names or list_datasets(table=1))
    return sorted(wanted, key=lambda name: (CATALOGUE[name].shape[0], name))


def reproduce(
    protocol: Protocol,
    sets: Sequence[str] | None = None,
    store: Store | None = None,
    jobs: int = 1,
    dask: str | None = None,
    progress: bool = True,
    work: Work = run_fold,
) -> Summary:
    """Compute what is not stored yet, and store each fold as soon as it is there.

    Parameters
    ----------
    protocol : HONEST or PAPER (or rules of your own, under a name of their own)
    sets : names of data sets; all of P's Table 1 that can be had where it is left out
    store : where results are kept; the package's own folder where it is left out
    jobs : processes; 1 computes in this one
    dask : address of a Dask scheduler, such as "tcp://10.0.0.1:8786", instead of ``jobs``
    progress : show a bar with the time left
    work : what computes a fold
    """
    store, jobs = store or Store(), whole(jobs, "jobs", 1)
    tasks = [Task(name, fold) for name in choose_sets(sets) for fold in range(protocol.n_folds)]
    todo = [task for task in tasks if store.read(protocol, *task) is None]
    lost = []
    bar = _Bar(len(tasks), len(tasks) - len(todo), f"{protocol.name} protocol", progress)
    for task, answer in _answers(todo, protocol, jobs, dask, work):
        if isinstance(answer, Exception):
            lost.append((task, f"{type(answer).__name__}: {answer}"))
        else:
            store.write(protocol, answer)
        bar.step(task.dataset)
    bar.close()
    return Summary(len(todo) - len(lost), len(tasks) - len(todo), lost)


Answers = Iterator[tuple[Task, "dict[str, Any] | Exception"]]


def _answers(todo: list[Task], protocol: Protocol, jobs: int, dask: str | None, work: Work) -> Answers:
    if not todo:
        return iter(())
    if dask is not None:
        return _on_dask(todo, protocol, dask, work)
    return _here(todo, protocol, work) if jobs == 1 else _on_cores(todo, protocol, jobs, work)


def _here(todo: list[Task], protocol: Protocol, work: Work) -> Answers:
    for task in todo:
        yield task, _attempt(work, task, protocol)


def _attempt(work: Work, task: Task, protocol: Protocol) -> dict[str, Any] | Exception:
    """An answer or the exception itself: one bad fold shall not take the others with it."""
    try:
        return work(task.dataset, task.fold, protocol)
    except Exception as problem:
        return problem


def _labelled(work: Work, task: Task, protocol: Protocol) -> tuple[Task, Any]:
    return task, _attempt(work, task, protocol)


def _on_cores(todo: list[Task], protocol: Protocol, jobs: int, work: Work) -> Answers:
    """joblib's processes. When one dies, joblib gives up all that was under way: those folds are tried again, one by one."""
    try:
        import joblib
        from joblib.externals.loky.process_executor import BrokenProcessPool
    except ImportError:
        raise missing("joblib") from None

    def parallel(tasks: list[Task], n_jobs: int) -> Any:
        pool = joblib.Parallel(n_jobs=n_jobs, backend="loky", return_as="generator_unordered", pre_dispatch=n_jobs)
        return pool(joblib.delayed(_labelled)(work, task, protocol) for task in tasks)

    left = list(todo)
    try:
        for task, answer in parallel(todo, jobs):
            left.remove(task)
            yield task, answer
        return
    except BrokenProcessPool:
        print(
            f"\nA worker process died. The {len(left)} folds that are left are computed one at a time.", file=sys.stderr
        )
    for task in left:
        try:
            # two places for one task: with n_jobs=1 joblib would run it in this very process
            yield from parallel([task], 2)
        except BrokenProcessPool:
            yield task, WorkerDiedError("its worker process died twice (out of memory?)")


def _on_dask(todo: list[Task], protocol: Protocol, address: str, work: Work) -> Answers:
    """A Dask cluster, whose scheduler gives a dead worker's folds to another one and gives up after some attempts."""
    try:
        from distributed import Client, KilledWorker, as_completed
    except ImportError:
        raise missing("distributed") from None
    with Client(address) as client:
        futures = {client.submit(_attempt, work, task, protocol, pure=False): task for task in todo}
        for future in as_completed(list(futures)):
            task = futures.pop(future)
            try:
                yield task, future.result()
            except KilledWorker:
                yield task, WorkerDiedError("its worker died again and again (out of memory?)")
            except Exception as problem:
                yield task, problem


class _Bar:
    """tqdm's bar, or a line per fold where it is not installed."""

    def __init__(self, total: int, done: int, title: str, shown: bool):
        self.bar: Any = None
        if not shown:
            return
        try:
            from tqdm import tqdm
        except ImportError:
            raise missing("tqdm") from None
        self.bar = tqdm(total=total, initial=done, desc=title, unit="fold", smoothing=0.05)

    def step(self, what: str) -> None:
        if self.bar is not None:
            self.bar.set_postfix_str(what, refresh=False)
            self.bar.update()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
