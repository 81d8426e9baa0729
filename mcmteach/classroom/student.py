"""The sandbox's side: run a submission's cells, then call its functions with whatever the worker asks for.

This file is run as a script, alone: it imports numpy and IPython, and nothing of ours. It may lie, since the submission can
change anything in this process; all it can lie about are the numbers that the submission's own functions return.

Messages are lines of JSON. The worker sends ``{"steps": [...], "limits": {...}}`` first. A step is a cell's code, or a name to
remember as it stands at that point: ``{"keep": "1.2", "name": "vc_epsilon"}``. Then it asks:
``{"call": "1.2", "args": [...], "kwargs": {...}, "library": [...], "seconds": 5}``.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import resource
import signal
import sys
import traceback
from types import FrameType
from typing import Any

import numpy as np

LARGEST = 100_000  # numbers in one answer
DEEPEST = 12
OPEN_FILES = 128  # each may be a socket, whose buffer counts for no process


class TimeUp(BaseException):
    """Not an Exception, so that the answer does not catch it by chance."""


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
        text = isinstance(value, str) and len(value) > LARGEST
        return {"other": "a very long text"} if text else {"value": value}
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return {kind: [pack(v, depth + 1) for v in value]} if len(value) <= LARGEST else {"other": "a very long list"}
    if isinstance(value, np.ndarray) and value.dtype.kind in "iufb" and value.size <= LARGEST:
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

    def __init__(self, limits: dict[str, float]):
        from IPython.core.interactiveshell import InteractiveShell

        class Shell(InteractiveShell):
            """As a notebook has it: `%matplotlib inline` and `exit()` are no errors there."""

            def enable_gui(self, gui: str | None = None) -> None:
                """There is no window to show."""

            def ask_exit(self) -> None:
                """The other cells are run all the same."""

        self.limits = limits
        self.shell = Shell.instance(colors="nocolor")
        self.kept: dict[str, Any] = {}

    def run(self, code: str) -> dict[str, str]:
        """Run a cell; what went wrong, if anything."""
        with_limit(self.limits["cell"])
        try:
            result = self.shell.run_cell(code, store_history=False)
            problem = result.error_before_exec or result.error_in_exec
        except BaseException as late:  # the alarm may ring between two cells' parts
            problem = late
        finally:
            with_limit(0)
        if problem is None:
            return {}
        return {"type": type(problem).__name__, "message": str(problem)[:2000], "line": ""}

    def keep(self, task: str, name: str) -> dict[str, Any]:
        """Remember what a name stands for now; describe it."""
        value = self.kept[task] = self.shell.user_ns.get(name)
        if not callable(value):
            return {"kept": pack(value)}
        try:
            found = inspect.signature(value).parameters.values()
            parameters = [[p.name, int(p.kind), p.default is not p.empty] for p in found]
        except (TypeError, ValueError):  # some functions written in C do not tell
            return {"function": None}
        return {"function": parameters}

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
        with_limit(ask["seconds"])
        try:
            sys.setprofile(notice)
            with np.errstate(all="ignore"):
                answer["result"] = pack(self.kept[ask["call"]](*args, **kwargs))
        except BaseException as problem:
            frames = [f for f in traceback.extract_tb(problem.__traceback__)[1:] if f.filename != __file__]
            line = f"in line {frames[-1].lineno} of its cell:\n    {frames[-1].line}" if frames else ""
            answer = {"error": {"type": type(problem).__name__, "message": str(problem)[:2000], "line": line[:300]}}
        finally:
            sys.setprofile(None)
            with_limit(0)
        changed = [[i, pack(a)] for i, (a, b) in enumerate(zip(args, before, strict=True)) if not np.array_equal(a, b)]
        return answer | {"changed": changed, "borrowed": borrowed[:1]}


def _code(name: str) -> Any:
    module, _, function = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), function).__code__
    except (ImportError, AttributeError):  # the submission may have changed the library
        return None


def with_limit(seconds: float) -> None:
    """Ring after so many seconds; 0 turns the alarm off."""
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _ring(*_: Any) -> None:
    raise TimeUp


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

    first = json.loads(channel_in.readline())
    signal.signal(signal.SIGALRM, _ring)
    student = Student(first["limits"])
    for what, value in resource_limits(first["limits"]):
        resource.setrlimit(what, (value, value))  # for good: nobody can raise them again
    for i, step in enumerate(first["steps"]):
        send({"step": i})
        if "keep" in step:
            send({"step": i, **student.keep(step["keep"], step["name"])})
        elif error := student.run(step["code"]):
            send({"step": i, "error": error})
    send({"ready": True})
    for line in channel_in:
        send(student.call(json.loads(line)))


if __name__ == "__main__":
    main()
