"""Many tasks at once: in this process, through joblib on this machine's cores, or on a Dask cluster.

A task is any small thing that can be sent to another process; the work is a function of it. An answer comes with its task,
in the order in which answers arrive. A task that fails does not stop the others: its answer is the exception.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mcmteach.errors import MCMError
from mcmteach.experiments.rules import missing_package

Answers = Iterator[tuple[Any, Any]]
Work = Callable[[Any], Any]


class WorkerDiedError(MCMError, RuntimeError):
    """A worker process ended without an answer: killed, out of memory, or a crash in a library."""


class NoClusterError(MCMError, OSError):
    """There is no Dask scheduler at the address that was given."""


def answers(tasks: Sequence[Any], work: Work, jobs: int = 1, dask: str | None = None) -> Answers:
    """(task, work(task) or the exception that it raised) for each task, as they are done.

    Examples
    --------
    >>> [(task, str(answer)) for task, answer in answers([1, 0], lambda task: 6 / task)]
    [(1, '6.0'), (0, 'division by zero')]
    """
    if not tasks:
        return iter(())
    if dask is not None:
        return _on_dask(tasks, work, dask)
    return _here(tasks, work) if jobs == 1 else _on_cores(tasks, work, jobs)


def _here(tasks: Sequence[Any], work: Work) -> Answers:
    for task in tasks:
        yield _attempt(work, task)


def _attempt(work: Work, task: Any) -> tuple[Any, Any]:
    try:
        return task, work(task)
    except Exception as problem:
        return task, problem


def _on_cores(tasks: Sequence[Any], work: Work, jobs: int) -> Answers:
    """joblib's processes. When one dies, joblib abandons all running tasks: those are tried again, one by one."""
    try:
        import joblib
        from joblib.externals.loky.process_executor import BrokenProcessPool
    except ImportError:
        raise missing_package("joblib") from None

    def parallel(some: Sequence[Any], n_jobs: int) -> Any:
        pool = joblib.Parallel(n_jobs=n_jobs, backend="loky", return_as="generator_unordered", pre_dispatch=n_jobs)
        return pool(joblib.delayed(_attempt)(work, task) for task in some)

    left = list(tasks)
    try:
        for task, answer in parallel(tasks, jobs):
            left.remove(task)
            yield task, answer
        return
    except BrokenProcessPool:
        print(f"\nA worker process died. The {len(left)} remaining tasks are done one at a time.", file=sys.stderr)
    for task in left:
        try:
            # two places for one task: with n_jobs=1 joblib would run it in this very process
            yield from parallel([task], 2)
        except BrokenProcessPool:
            yield task, WorkerDiedError("its worker process died twice (out of memory?)")


def _on_dask(tasks: Sequence[Any], work: Work, address: str) -> Answers:
    try:
        from distributed import Client, KilledWorker, as_completed
    except ImportError:
        raise missing_package("distributed") from None
    try:
        _knock(address)
        client = Client(address)
    except (OSError, ValueError) as problem:  # no scheduler answers, or this is not an address
        raise NoClusterError(
            f"There is no Dask scheduler at {address} ({problem}). Start one with `dask scheduler`, and `dask worker ADDRESS` "
            "for each worker; it prints its address, such as tcp://192.168.0.7:8786. Or leave --dask out, and say --jobs N "
            "to use this machine's cores."
        ) from None
    with client:
        futures = {client.submit(_attempt, work, task, pure=False): task for task in tasks}
        for future in as_completed(list(futures)):
            task = futures.pop(future)
            try:
                yield future.result()
            except KilledWorker:
                yield task, WorkerDiedError("its worker died again and again (out of memory?)")
            except Exception as problem:
                yield task, problem


def _knock(address: str) -> None:
    """OSError or ValueError at once where nobody can answer: a Client would first start a thread, and wait half a minute."""
    from distributed.comm.addressing import parse_address, parse_host_port
    from distributed.comm.registry import get_backend

    scheme, place = parse_address(address)
    get_backend(scheme)
    if scheme in ("tcp", "tls"):
        host, port = parse_host_port(place)
        socket.create_connection((host, port), timeout=30).close()


class ProgressBar:
    """tqdm's bar with the time left. Large tasks count for more, so that the estimate is not that of the small ones.

    Parameters
    ----------
    title : what stands before the bar
    costs : for each task about how long it takes, in whatever unit
    done : those of the tasks that are done already
    """

    def __init__(self, title: str, costs: dict[Any, float], done: Sequence[Any], shown: bool = True):
        self.costs, self.count = costs, len(done)
        self.bar: Any = None
        if not shown:
            return
        try:
            from tqdm import auto  # in a notebook a widget
        except ImportError:
            raise missing_package("tqdm") from None
        self.bar = auto.tqdm(
            desc=title, total=sum(costs.values()), initial=sum(costs[task] for task in done), smoothing=0.1,
            bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed} gone, {remaining} left{postfix}",
        )  # fmt: skip
        self._say("")

    def step(self, task: Any) -> None:
        self.count += 1
        if self.bar is not None:
            self._say(f", {task}")
            self.bar.update(self.costs[task])

    def _say(self, last: str) -> None:
        self.bar.set_postfix_str(f"{self.count} of {len(self.costs)}{last}", refresh=not last)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
