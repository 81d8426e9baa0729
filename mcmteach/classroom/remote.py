"""The worker's side: a submission that runs elsewhere, and its functions as if they were here."""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import re
import select
import subprocess
import threading
import time
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mcmteach.checks.run import RemoteAnswer, RemoteError, TimeUp
from mcmteach.checks.task import Task
from mcmteach.checks.values import plain, wrong_form
from mcmteach.classroom.sandbox import Limits, Sandboxed
from mcmteach.classroom.student import pack, time_limit, unpack
from mcmteach.errors import MCMError

LONGEST = 4 << 20  # bytes in one message: read as JSON, it may take 25 times as many
RESTARTS = 5
CALL = 5.0  # seconds for one call
START = 60.0  # seconds that a sandbox may take to start on a busy machine
GRACE = 2.0  # seconds more than the sandbox's own alarm has
MOST_QUESTIONS = 50_000  # questions that a submission may ask about a function that it has wrong
KINDS = {kind.name: kind for kind in (
    inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD,
)}  # fmt: skip


class SandboxError(MCMError):
    """The sandbox does not work; the submission was not started."""


class WrongForm(Exception):
    """An answer that no test of the teacher's should have to compare."""


class Gone(Exception):
    """The submission's process has ended, or sent an invalid message."""


class ProcessEnded(RemoteError):
    """The student's code ended its own process."""


@dataclass
class Submission:
    """Runs a submission's steps, again if it ended, and calls what it kept."""

    steps: list[dict[str, str]]
    folder: Path
    limits: Limits
    walled: bool
    errors: dict[int, dict[str, str]] = field(default_factory=dict)  #: what went wrong, by step
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.waited = 0.0  # seconds, by its earlier processes
        self.process: Sandboxed | None = None
        self.deadline = self.now() + self.limits.total
        self.left_out: set[int] = set()
        self.kept: dict[str, dict[str, Any]] = {}
        self.buffer = b""
        self.peak = 0  # bytes of memory
        self.references: dict[str, Task] = {}  # what it may ask us, and what it has asked
        self.asked: set[str] = set()
        self.questions = 0

    def __enter__(self) -> Submission:
        return self

    def __exit__(self, *_: Any) -> None:
        self._end()

    def answer(self, task: str) -> Any:
        """What is handed in for a task: a function that calls the one over there, or a value; None if there is nothing."""
        self._start()
        kept = self.kept.get(task, {})
        if "function" in kept:
            return Remote(self, task, kept["function"], str(kept.get("begins", ""))[:300])
        try:
            return unpack(kept["kept"]) if "kept" in kept else None
        except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
            return None

    def answer_with(self, task: str, names: dict[str, str], references: dict[str, Task]) -> Any:
        """The same in a fresh process, where ``names`` stand for the references of other tasks, which we compute when asked."""
        self._end()
        self._start()
        self.references, self.asked, self.questions = references, set(), 0
        if self.process is not None:
            with contextlib.suppress(RemoteError, TimeUp):  # then its calls say that its process has ended
                self.call({"instead": names}, CALL)
        return self.answer(task) if self.process is not None else None

    def error_of(self, name: str) -> dict[str, str]:
        """What stopped the last cell that was to give a name its value, if something did."""
        defines = re.compile(rf"^\s*(?:async\s+)?(?:def|class)\s+{name}\b|^{name}\s*=", re.MULTILINE)
        cells = [i for i, step in enumerate(self.steps) if "code" in step and defines.search(step["code"])]
        return self.errors.get(cells[-1], {}) if cells else {}

    def call(self, ask: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Ask, and wait for the answer; meanwhile it may ask us."""
        if self.process is None:
            raise ProcessEnded("its process has ended")
        try:
            self._send(ask)
            end = self.now() + seconds + GRACE
            while "ask" in (message := self._read(end - self.now())):
                self._send(self._told(message))
            return message
        except TimeoutError:
            self._end()
            raise TimeUp from None
        except Gone as problem:
            self._end()
            raise ProcessEnded(f"it ended its own process ({problem})") from None

    def _told(self, question: dict[str, Any]) -> dict[str, Any]:
        """The reference's answer, if it has one for these arguments, which are the student's."""
        self.questions += 1
        try:
            task = self.references[question["ask"]]
            args = tuple(unpack(a) for a in question["args"])
            kwargs = {str(name): unpack(a) for name, a in question["kwargs"].items()}
            call = tuple(inspect.signature(task.reference).bind(*args, **kwargs).args)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
            return {"none": True}
        if self.questions > MOST_QUESTIONS:
            raise Gone("it asked too often")
        self.asked.add(question["ask"])
        try:
            with limited_to(CALL), np.errstate(all="ignore"):
                return {"result": pack(task.reference(*call))}
        except Exception:  # the reference may raise any error for arguments that make no sense
            return {"none": True}

    def now(self) -> float:
        """The submission's clock: it stands still while its process waits for a processor."""
        process = self.process
        return time.monotonic() - self.waited - (0.0 if process is None else process.waited())

    # --- the process -------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        """Run the steps in a fresh process, unless one is waiting. A step that ends the process is left out the next time."""
        while self.process is None and self.now() < self.deadline and len(self.left_out) < RESTARTS:
            step = -1
            try:
                self.process = Sandboxed(self.folder, self.limits, self.walled)
                steps = [{"code": ""} if i in self.left_out else s for i, s in enumerate(self.steps)]
                self._send({"steps": steps, "limits": asdict(self.limits)})
                patience = self.limits.cell + GRACE
                while "ready" not in (message := self._read(max(START, patience) if step < 0 else patience)):
                    step = self._note(message)
                return
            except TimeoutError:
                self._leave_out(step, f"ran longer than {self.limits.cell:g} seconds")
            except Gone as problem:
                self._leave_out(step, f"ended the process ({problem})")

    def _note(self, message: dict[str, Any]) -> int:
        try:
            step = message["step"]
            if type(step) is not int or not 0 <= step < len(self.steps):
                raise ValueError
            if "kept" in message or "function" in message:
                self.kept[self.steps[step]["keep"]] = message
            elif "error" in message:
                self.errors[step] = {key: str(message["error"][key])[:2000] for key in ("type", "message", "line")}
                if self.errors[step]["type"] == "TimeUp":
                    self._say(
                        f"code cell {self._cell(step)} ran longer than {self.limits.cell:g} seconds, and was stopped"
                    )
            return step
        except (KeyError, IndexError, TypeError, ValueError, RecursionError):
            raise Gone("it sent nonsense") from None

    def _leave_out(self, step: int, why: str) -> None:
        if step < 0 and self.now() < self.deadline:  # no cell was begun: our fault, which must not cost a mark
            begins = self.process.begins.decode(errors="replace") if self.process else ""
            raise SandboxError(f"The sandbox did not start: {why}. {begins}")
        self._end()
        if step < 0:
            return self._say("its time was up before all of its answers were tried")
        self.left_out.add(step)
        self.errors[step] = {"type": "no result", "message": f"it {why}, and was left out", "line": ""}
        self._say(f"code cell {self._cell(step)} {why}, and was left out")

    def _say(self, note: str) -> None:
        """Each note once: a submission could cause the same one a million times."""
        if note not in self.notes:
            self.notes.append(note)

    def _cell(self, step: int) -> int:
        """The number of a step among the submission's code cells, from 1."""
        return sum("code" in s for s in self.steps[: step + 1])

    def _end(self) -> None:
        if self.process is not None:
            self.process.close()
            self.waited += self.process.waited()
            self.peak = max(self.peak, self.process.peak)
            if self.process.printed > self.limits.output:
                self._say(f"it printed more than {self.limits.output >> 20} MB")
        self.process, self.buffer = None, b""

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process is not None
        data = json.dumps(message).encode() + b"\n"
        end = self.now() + self.limits.cell
        while data:
            left = end - self.now()
            if not select.select([], [self.process.to], [], max(0, left))[1]:
                if left <= 0:
                    raise TimeoutError
                continue
            try:
                data = data[os.write(self.process.to, data) :]
            except BrokenPipeError:
                raise Gone(self._reason()) from None

    def _read(self, seconds: float) -> dict[str, Any]:
        """The next message. TimeoutError if none comes in time."""
        assert self.process is not None
        end = min(self.now() + seconds, self.deadline + GRACE)
        while b"\n" not in self.buffer:
            left = end - self.now()
            if not select.select([self.process.back], [], [], max(0, left))[0]:
                if left <= 0:
                    raise TimeoutError
                continue
            piece = os.read(self.process.back, 1 << 20)
            if not piece:
                raise Gone(self._reason())
            if len(self.buffer) > LONGEST:
                raise Gone(f"it sent more than {LONGEST >> 20} MB at once")
            self.buffer += piece
        line, _, self.buffer = self.buffer.partition(b"\n")
        try:
            message = json.loads(line)
            if not isinstance(message, dict):
                raise ValueError
            return message
        except (ValueError, RecursionError, MemoryError):
            raise Gone("it sent nonsense") from None

    def _reason(self) -> str:
        assert self.process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.process.wait(timeout=1)  # so that its own exit status is known, not that of being stopped
        self.process.stop()
        return self.process.stopped_for or f"exit status {self.process.process.returncode}"


class Remote(RemoteAnswer):
    """A student's function. Calling it calls the one over there, and whatever that does to its arguments happens here too."""

    patience = GRACE + 1  # the sandbox is asked to stop before it is stopped

    def __init__(self, submission: Submission, task: str, parameters: Any, begins: str = ""):
        self.submission, self.task, self.begins = submission, task, begins
        self.library: list[str] = []
        self.deadline, self.call_limit, self.borrowed = float("inf"), CALL, ""
        self.strictly: Task | None = None
        if isinstance(parameters, list):
            self.__signature__ = _signature(parameters)

    def begin(self, task: Task, slower: float = 1.0) -> None:
        """From now on there are ``task.seconds`` for all calls, and we look out for the library's own answers."""
        self.deadline, self.call_limit = self.now() + task.seconds, slower * CALL
        self.library = [f"{function.__module__}.{function.__qualname__}" for function in task.library]

    def now(self) -> float:
        return self.submission.now()

    def go_on_strictly(self, task: Task) -> None:
        """From now on the teacher's own tests call it, and compare as they like: an empty array is equal to anything, and so is
        a result to data that were changed to fit. Either is an error here."""
        self.deadline, self.strictly = float("inf"), task

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        seconds = max(0.05, min(self.call_limit, self.deadline - self.now()))
        packed = {"args": [pack(a) for a in args], "kwargs": {name: pack(a) for name, a in kwargs.items()}}
        ask = {"call": self.task, **packed, "library": self.library, "seconds": seconds}
        try:
            answer = self.submission.call(ask, seconds)
        except RemoteError as problem:
            problem.where = (
                f"in the function that begins with\n    {self.begins}" if self.begins else "in your function"
            )
            raise
        try:
            if self.strictly and answer["changed"]:
                raise WrongForm("it changes its arguments")
            for i, changed in answer["changed"]:
                if isinstance(args[i], np.ndarray):
                    args[i][...] = unpack(changed)
            self.borrowed = self.borrowed or "".join(map(str, answer["borrowed"]))[:60]
            if "result" in answer:
                return self._in_form(unpack(answer["result"]), args, kwargs)
            error = {key: str(answer["error"][key])[:2000] for key in ("type", "message", "line")}
        except (ValueError, KeyError, IndexError, TypeError, RecursionError, OverflowError):
            raise RemoteError("it answered with something that is not a value") from None
        raise _as_exception(**error)

    def _in_form(self, result: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """The result, if it has the form of the reference's: a number, so many values, an array of this shape."""
        if self.strictly:
            try:
                expected = plain(self.strictly.reference(*deepcopy(args), **deepcopy(kwargs)))
            except Exception:  # the teacher's test tries an input that has no answer
                return result
            same_kind = tuple(result) if isinstance(expected, tuple) and isinstance(result, list) else result
            if complaint := wrong_form(expected, plain(same_kind)):
                raise WrongForm(complaint)
        return result


def limited_to(seconds: float) -> contextlib.AbstractContextManager[None]:
    """TimeUp after so many seconds. Only the main thread has an alarm; in another, whoever started it watches the time."""
    main = threading.current_thread() is threading.main_thread()
    return time_limit(seconds, TimeUp) if main else contextlib.nullcontext()


def _as_exception(type: str, message: str, line: str) -> BaseException:
    """An exception that looks like the one over there."""
    if type == "TimeUp":
        return TimeUp()
    made = _class(type)(message)
    made.where = line
    return made


def _class(name: str) -> type[RemoteError]:
    also = (NotImplementedError,) if name == "NotImplementedError" else ()
    return type(name if name.isidentifier() else "Exception", (RemoteError, *also), {})


def _signature(parameters: list[Any]) -> inspect.Signature | None:
    try:
        return inspect.Signature([
            inspect.Parameter(str(name), KINDS[kind], default=None if optional else inspect.Parameter.empty)
            for name, kind, optional in parameters
        ])  # fmt: skip
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
