"""The sandbox's side: run a submission's cells, then call its functions with whatever the worker asks for.

This file is run as a script, alone: it imports numpy and IPython, and nothing of ours. It cannot be trusted, since the
submission can change anything in this process; all it can falsify are the numbers that its own functions return.

Messages are lines of JSON. The worker sends ``{"steps": [...], "limits": {...}}`` first. A step is a cell's code, or a name to
remember as it stands at that point: ``{"keep": "1.2", "name": "vc_epsilon"}``. Then it asks:
``{"call": "1.2", "args": [...], "kwargs": {...}, "library": [...], "seconds": 5}``. After
``{"instead": {"vc_epsilon": "1.2"}}`` that name stands for a function that asks the worker: ``{"ask": "1.2", "args": [...]}``.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import json
import linecache
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np

LARGEST_MESSAGE = 100_000  # numbers in one answer
DEEPEST = 12
OPEN_FILES = 128  # each may be a socket, whose buffer counts for no process


class TimeUp(BaseException):
    """Not an Exception, so that the answer does not catch it by chance."""


# --- time ------------------------------------------------------------------------------------------------------------


def waited(process: int | str = "self") -> float:
    """Seconds in which a process could have gone on and had no processor; 0 where the system does not say."""
    try:
        with open(f"/proc/{process}/schedstat", encoding="ascii") as numbers:
            return int(numbers.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


@contextlib.contextmanager
def time_limit(seconds: float, raised: type[BaseException] = TimeUp) -> Iterator[None]:
    """Stop what takes more than so many seconds, not counting those in which it waited for a processor."""

    def own_time() -> float:
        return time.monotonic() - waited()

    def ring(*_: Any) -> None:
        if (left := end - own_time()) <= 0:
            raise raised
        signal.setitimer(signal.ITIMER_REAL, max(left, 0.01))

    end = own_time() + seconds
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- values as JSON --------------------------------------------------------------------------------------------------


class Unknown:
    """Something that is no number, array, text, tuple or list. Its class has the name of its type over there."""


def pack(value: Any, depth: int = 0) -> dict[str, Any]:
    """A value as JSON; of what cannot be sent, the name of its type."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is ... or depth > DEEPEST:
        return {"dots": True} if value is ... else {"other": "something deeply nested"}
    if value is None or isinstance(value, bool | int | float | str):
        text = isinstance(value, str) and len(value) > LARGEST_MESSAGE
        return {"other": "a very long text"} if text else {"value": value}
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return (
            {kind: [pack(v, depth + 1) for v in value]}
            if len(value) <= LARGEST_MESSAGE
            else {"other": "a very long list"}
        )
    if isinstance(value, np.ndarray) and value.dtype.kind in "iufb" and value.size <= LARGEST_MESSAGE:
        return {"array": value.ravel().tolist(), "shape": list(value.shape), "dtype": value.dtype.str}
    return {"other": type(value).__name__}


def unpack(message: Any) -> Any:
    """The value again. Raises ValueError, KeyError, TypeError or RecursionError if it is not what ``pack`` makes."""
    if "value" in message:
        value = message["value"]
        if not (value is None or isinstance(value, bool | int | float | str)):
            raise ValueError("not a plain value")
        return value
    if "dots" in message:
        return ...
    if "tuple" in message or "list" in message:
        return (tuple if "tuple" in message else list)(unpack(m) for m in message.get("tuple", message.get("list")))
    if "array" in message:
        dtype = np.dtype(str(message["dtype"]))
        if dtype.kind not in "iufb":
            raise ValueError("not an array of numbers")
        return np.array(message["array"], dtype=dtype).reshape([int(n) for n in message["shape"]])
    return type(str(message["other"])[:60], (Unknown,), {})()


# --- running and answering -------------------------------------------------------------------------------------------


class Student:
    """The submission's names, as IPython has them after its cells."""

    def __init__(self, limits: dict[str, float], ask: Callable[[dict[str, Any]], dict[str, Any]]):
        from IPython.core.interactiveshell import InteractiveShell

        class Shell(InteractiveShell):
            """As a notebook has it: `%matplotlib inline` and `exit()` are not errors there."""

            def enable_gui(self, gui: str | None = None) -> None:
                """There is no display."""

            def ask_exit(self) -> None:
                """The other cells are run all the same."""

        self.limits, self.ask = limits, ask
        self.shell = Shell.instance(colors="nocolor")
        self.kept: dict[str, Any] = {}

    def run(self, code: str) -> dict[str, str]:
        """Run a cell; what went wrong, if anything."""
        try:
            with time_limit(self.limits["cell"]):
                result = self.shell.run_cell(code, store_history=False)
            problem = result.error_before_exec or result.error_in_exec
        except BaseException as late:  # the alarm may ring between two cells' parts
            problem = late
        if problem is None:
            return {}
        return {"type": type(problem).__name__, **_place(problem, "of this cell")}

    def keep(self, task: str, name: str) -> dict[str, Any]:
        """Remember what a name stands for now; describe it."""
        value = self.kept[task] = self.shell.user_ns.get(name)
        if not callable(value):
            return {"kept": pack(value)}
        try:
            found = inspect.signature(value).parameters.values()
            parameters = [[p.name, p.kind.name, p.default is not p.empty] for p in found]
        except (TypeError, ValueError):  # some functions written in C have no signature
            return {"function": None}
        return {"function": parameters, "begins": _first_line(value)}

    def put_instead(self, names: dict[str, str]) -> dict[str, Any]:
        """Let names stand for functions that the worker computes, with the defaults of those that they replace."""
        for name, task in names.items():
            self.shell.user_ns[name] = self._asking(task, self.shell.user_ns.get(name))
        return {"done": True}

    def _asking(self, task: str, replaced: Any) -> Callable[..., Any]:
        def function(*args: Any, **kwargs: Any) -> Any:
            try:
                bound = inspect.signature(replaced).bind(*args, **kwargs)
                bound.apply_defaults()
                args, kwargs = bound.args, bound.kwargs
            except (TypeError, ValueError):  # it was no function, or not called as one
                pass
            answer = self.ask(
                {"ask": task, "args": [pack(a) for a in args], "kwargs": {k: pack(v) for k, v in kwargs.items()}}
            )
            if "result" not in answer:
                raise ValueError(f"there is no answer for these arguments: {answer}")
            return unpack(answer["result"])

        return function

    def call(self, ask: dict[str, Any]) -> dict[str, Any]:
        """Call a function, with a look at which functions of the library it calls and what it does to its arguments."""
        args, before = ([unpack(a) for a in ask["args"]] for _ in range(2))
        kwargs = {name: unpack(a) for name, a in ask["kwargs"].items()}
        ours = {code: name for name in ask["library"] if (code := _code(name)) is not None}
        borrowed: list[str] = []

        def notice(frame: FrameType, event: str, _: Any) -> None:
            if event == "call" and frame.f_code in ours:
                borrowed.append(ours[frame.f_code].rpartition(".")[2])

        answer: dict[str, Any] = {}
        try:
            with time_limit(ask["seconds"]), np.errstate(all="ignore"):
                sys.setprofile(notice)
                answer["result"] = pack(self.kept[ask["call"]](*args, **kwargs))
        except BaseException as problem:
            answer = {"error": {"type": type(problem).__name__, **_place(problem, "of its cell")}}
        finally:
            sys.setprofile(None)
        changed = [[i, pack(a)] for i, (a, b) in enumerate(zip(args, before, strict=True)) if not np.array_equal(a, b)]
        return answer | {"changed": changed, "borrowed": borrowed[:1]}


def _place(problem: BaseException, whose: str) -> dict[str, str]:
    """The message of an error, and the line of the student's own code in which it occurred."""
    if isinstance(problem, SyntaxError):
        line, text = problem.lineno, (problem.text or "").strip()
        return {
            "message": str(problem.msg)[:2000],
            "line": f"in line {line} {whose}:\n    {text}"[:300] if line else "",
        }
    frames = [f for f in traceback.extract_tb(problem.__traceback__)[1:] if f.filename != __file__]
    own = [
        f for f in frames if f.filename.startswith("<") or "ipykernel" in f.filename or "ipython-input" in f.filename
    ] or frames
    line_of = f"in line {own[-1].lineno} {whose}:\n    {own[-1].line}" if own else ""
    return {"message": _message(problem), "line": line_of[:300]}


def _message(problem: BaseException) -> str:
    try:
        return str(problem)[:2000]
    except BaseException:  # an exception class defined by the student
        return ""


def _first_line(function: Any) -> str:
    """The first line of a function, for when nothing else is known about where it ended its process."""
    code = inspect.unwrap(function).__code__ if inspect.isfunction(inspect.unwrap(function)) else None
    return linecache.getline(code.co_filename, code.co_firstlineno).rstrip()[:300] if code else ""


def _code(name: str) -> Any:
    module, _, function = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), function).__code__
    except (ImportError, AttributeError):  # the submission may have changed the library
        return None


def resource_limits(limits: dict[str, float]) -> list[tuple[int, int]]:
    """Limits that the operating system keeps, as pairs of what and how much."""
    return [
        (resource.RLIMIT_AS, int(limits["memory"])),
        (resource.RLIMIT_FSIZE, int(limits["disk"])),
        (resource.RLIMIT_CPU, int(limits["total"]) + 5),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, int(limits["processes"])),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
    ]


def main() -> None:
    channel_in, channel_out = (
        os.fdopen(int(fd), mode, encoding="utf-8") for fd, mode in zip(sys.argv[1:3], "rw", strict=True)
    )
    sys.argv = [""]

    def send(message: dict[str, Any]) -> None:
        channel_out.write(json.dumps(message) + "\n")
        channel_out.flush()

    def ask(question: dict[str, Any]) -> dict[str, Any]:
        send(question)
        answer: dict[str, Any] = json.loads(channel_in.readline())
        return answer

    first = json.loads(channel_in.readline())
    student = Student(first["limits"], ask)
    for what, value in resource_limits(first["limits"]):
        resource.setrlimit(what, (value, value))  # hard limits, which an ordinary process cannot raise again
    for i, step in enumerate(first["steps"]):
        send({"step": i})
        if "keep" in step:
            send({"step": i, **student.keep(step["keep"], step["name"])})
        elif error := student.run(step["code"]):
            send({"step": i, "error": error})
    send({"ready": True})
    while line := channel_in.readline():
        asked = json.loads(line)
        send(student.put_instead(asked["instead"]) if "instead" in asked else student.call(asked))


if __name__ == "__main__":
    main()
