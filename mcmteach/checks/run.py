"""Runs an answer: in a thread of its own, for a limited time, on copies of the inputs, watching which functions it calls."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from types import FrameType, FunctionType
from typing import Any

import numpy as np

from mcmteach.checks.task import Task
from mcmteach.checks.values import plain

#: In a browser Python is slower, the more so in a class on old laptops: a right answer must not be called slow there.
IN_A_BROWSER = 6
#: What counts is the time in which an answer computes: on a busy machine it waits for its turn. One that does not return
#: to Python is left behind after so many times its limit.
WAITING = 4


class TimeUp(BaseException):
    """Raised in an answer that takes too long. Not an Exception, so that the answer does not catch it by chance."""


class RemoteAnswer:
    """An answer that runs in another process, which limits the time and watches the calls there."""

    patience: float = 0.0  #: seconds to wait for that process beyond the task's own time
    borrowed: str = ""  #: the library's own function, if that was called over there

    def now(self) -> float:
        """The clock by which its time is counted."""
        return time.monotonic()

    def __call__(self, *arguments: Any) -> Any:
        raise NotImplementedError


class RemoteError(Exception):
    """An error of an answer in another process. Its traceback stayed there; ``where`` says in which line it occurred."""

    where: str = ""


@dataclass
class Run:
    """What happened while the answer ran."""

    results: list[Any] = field(default_factory=list)  #: made plain, one per input, up to the first that failed
    changed: str = ""  #: the argument that was changed in place, if one was
    borrowed: str = ""  #: the library's own function, if that was called
    printed: bool = False
    problem: BaseException | None = None
    in_thread: bool = True  #: False where Python cannot start threads: a call that never returns cannot be left behind
    slower: int = 1  #: by which ``task.seconds`` was multiplied


def try_out(task: Task, answer: Any, calls: list[tuple]) -> Run:
    """Call the answer with every input, for ``task.seconds`` of processor time at most.

    Two clocks run. The answer's own thread looks at its time at every call and, in the answer's own code, at every line; so an
    endless loop ends itself. A call that does not return to Python (sleep, a huge matrix) is left behind after ``WAITING``
    times as long, and ends when it returns. (``PyThreadState_SetAsyncExc`` would be simpler. But while its exception waits for
    such a call to return, CPython 3.11 begins no function in another thread that is traced, and the next answer would be called
    slow.)
    """
    run = Run()
    remote = isinstance(answer, RemoteAnswer)  # and its time passes elsewhere
    seconds, slower = (task.seconds + answer.patience, 1) if remote else (task.seconds, WAITING)
    around = answer.now if remote else time.monotonic
    # a browser's Python has no clock of a thread
    clock = answer.now if remote else getattr(time, "thread_time", time.monotonic)
    work = threading.Thread(target=_work, args=(task, answer, calls, run, seconds, clock), daemon=True)
    with warnings.catch_warnings(), _noticing_prints(run):
        warnings.simplefilter("ignore")
        try:
            work.start()
        except RuntimeError:  # a browser's Python has no threads
            run.in_thread, run.slower = False, IN_A_BROWSER
            _work(task, answer, calls, run, seconds * IN_A_BROWSER, time.monotonic)
            return run
        end = around() + seconds * slower
        while work.is_alive() and (left := end - around()) > 0:
            work.join(left)
    return Run(list(run.results), problem=TimeUp(), slower=slower) if work.is_alive() else run


def _work(task: Task, answer: Any, calls: list[tuple], run: Run, seconds: float, clock: Callable[[], float]) -> None:
    ours = {function.__code__: function.__name__ for function in task.library}
    own_names = answer.__globals__ if isinstance(answer, FunctionType) else vars(sys.modules["__main__"])
    end = clock() + seconds

    def look(frame: FrameType, event: str, _: Any) -> Any:
        if clock() > end:
            raise TimeUp
        if event == "call" and frame.f_code in ours:
            run.borrowed = run.borrowed or ours[frame.f_code]
        return look if frame.f_globals is own_names else None

    before = sys.gettrace()
    sys.settrace(look)  # for this thread only
    try:
        with np.errstate(all="ignore"):
            for call in calls:
                given = deepcopy(call)
                run.results.append(plain(answer(*given)))
                changed = [n for n, a, b in zip(task.arguments, call, given, strict=True) if not np.array_equal(a, b)]
                run.changed = run.changed or "".join(changed[:1])
    except BaseException as problem:
        run.problem = problem
    finally:
        sys.settrace(before)
        if isinstance(answer, RemoteAnswer):
            run.borrowed = answer.borrowed


@contextlib.contextmanager
def _noticing_prints(run: Run) -> Iterator[None]:
    """Whatever is printed appears as always; we only note that something was."""
    shown = sys.stdout

    class Noted(io.TextIOBase):
        def write(self, text: str) -> int:
            run.printed = True
            return shown.write(text) if shown else len(text)  # a program without a console has no stdout

        def flush(self) -> None:
            if shown:
                shown.flush()

    with contextlib.redirect_stdout(Noted()):
        yield
