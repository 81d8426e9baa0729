"""Try an answer out on a task's inputs, and find the words for what came of it.

The answer runs in a thread of its own, so that one that never ends can be stopped, under a profiler that notices when
it calls the very function it is meant to replace. It gets copies of the inputs, so that we see whether it changes them.
"""

from __future__ import annotations

import ctypes
import inspect
import re
import sys
import threading
import traceback
import warnings
from copy import deepcopy
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from mcmteach.checks.task import Explanation, Task
from mcmteach.checks.words import BLUE, GREEN, VERMILION, Verdict


class TimeUp(BaseException):
    """Thrown into an answer that takes too long. Not an Exception, so that the answer does not catch it by chance."""


@dataclass
class Run:
    """What happened while the answer ran."""

    results: list[Any] = field(default_factory=list)  #: one per input, up to the first that failed
    changed: str = ""  #: the argument that was changed in place, if one was
    borrowed: str = ""  #: the library's own function, if that was called
    problem: BaseException | None = None


# --- the verdict -----------------------------------------------------------------------------------------------------


def judge_function(task: Task, answer: Any) -> Verdict:
    """The verdict on a function."""
    if answer is None or answer is ...:
        return _say(
            task, "blank", "Nothing is handed in yet. Write the function in the cell above, and run that first."
        )
    if complaint := _cannot_be_called(task, answer):
        return _say(task, "form", complaint)
    calls = task.calls()
    run = try_out(task, answer, calls)
    return _first_of(task, answer, calls, run)


def _first_of(task: Task, answer: Any, calls: list[tuple], run: Run) -> Verdict:
    """The most helpful thing there is to say, and only that."""
    here = show_call(task, calls[min(len(run.results), len(calls) - 1)])
    if isinstance(run.problem, TimeUp):
        return _say(
            task, "slow", f"After {task.seconds:g} seconds it was still busy with\n    {here}\nour own needs far less than "
            "a second for all inputs together. Is there a loop that never ends, or one that numpy could do?",
        )  # fmt: skip
    if run.borrowed:
        return _say(
            task, "borrowed", f"It calls `{run.borrowed}`, which is the library's own answer to this task. "
            "The point is to have written it once yourself, so this one does not count.",
        )  # fmt: skip
    if isinstance(run.problem, NotImplementedError) or (
        run.results and all(r is None or r is ... for r in run.results)
    ):
        return _say(
            task, "blank", f"`{task.function}` gives nothing back yet. If you have not begun: replace the dots by your own "
            "line. If you have: does it end with `return`? And did you run its cell?",
        )  # fmt: skip
    if run.problem is not None:
        return _say(task, "error", f"Your code stopped at\n    {here}\n{_where(run.problem, answer)}")
    if run.changed:
        return _say(
            task, "changed", f"It changes its argument `{run.changed}` in place, so whoever called it finds other data "
            f"than before. Work on a new array: `a = a + c`, not `a += c`; or begin with `{run.changed}.copy()`.",
        )  # fmt: skip
    return _compare(task, calls, run.results)


def _compare(task: Task, calls: list[tuple], results: list[Any]) -> Verdict:
    expected = [task.reference(*deepcopy(call)) for call in calls]
    wrong = [i for i, (e, r) in enumerate(zip(expected, results, strict=True)) if not same(e, r)]
    if not wrong:
        return _say(task, "right", f"It agrees with ours on all {len(calls)} inputs.")
    for mistake in task.mistakes:
        if all(same(_quietly(mistake.wrong, call), r) for call, r in zip(calls, results, strict=True)):
            return _say(task, "mistake", mistake.explanation, mistake.name)
    i = wrong[0]
    if complaint := wrong_form(expected[i], results[i]):
        return _say(task, "form", f"For\n    {show_call(task, calls[i])}\n{complaint}")
    return _say(
        task, "wrong", f"{_share(len(wrong), len(calls))} The smallest one we found is\n    {show_call(task, calls[i])}\n"
        f"which should give\n    {show(expected[i])}\nand yours gives\n    {show(results[i])}{_factor(expected, results)}",
    )  # fmt: skip


def judge_text(task: Explanation, answer: Any) -> Verdict:
    """What can be said about a text without pretending to understand it."""
    if answer is None or answer is ...:
        answer = ""
    if not isinstance(answer, str):
        return _say(task, "form", 'This one is answered in prose: hand in a text, between `"""` and `"""`.')
    words = re.findall(r"\w+", answer)
    if len(words) < task.least:
        some = f"{len(words)} words so far; " if words else "There is no text yet; "
        return _say(
            task, "blank", f"{some}write at least {task.least} words, in sentences, as if to a friend who missed the lesson."
        )  # fmt: skip
    text = answer.lower()
    missing = tuple(p for p in task.points if not any(re.search(rf"\b{word}", text) for word in p.words))
    asks = [f"{'?' if p in missing else '✓'} {p.ask}" for p in task.points]
    found = (
        "All of these seem to be in your text"
        if not missing
        else "We looked for words only: ? marks what we did not find"
    )
    return _say(
        task, "written", "\n".join([f"A machine cannot grade this, so read it once more yourself. {found}.", *asks]),
        missing=tuple(p.name for p in missing),
    )  # fmt: skip


HEADINGS = {
    "right": "right",
    "written": "written",
    "mistake": "almost",
    "changed": "it changes what it was given",
    "wrong": "not yet",
    "form": "not in the form that was asked for",
    "error": "your code stopped with an error",
    "slow": "too slow",
    "borrowed": "that one is ours",
    "blank": "not begun yet",
}


def _say(task: Task | Explanation, kind: str, text: str, mistake: str = "", missing: tuple[str, ...] = ()) -> Verdict:
    passed = kind in ("right", "written")
    mark, colour = ("✓", GREEN) if passed else ("…", BLUE) if kind == "blank" else ("✗", VERMILION)
    if not passed:
        text += f'\n`hint("{task.id}")` gives a hint.'
    return Verdict(f"Task {task.id}: {HEADINGS[kind]}", text, mark, colour, kind, passed, mistake, missing)


# --- running it ------------------------------------------------------------------------------------------------------


def try_out(task: Task, answer: Any, calls: list[tuple]) -> Run:
    """Call the answer with every input, for ``task.seconds`` at most."""
    run = Run()
    thread = threading.Thread(target=_work, args=(task, answer, calls, run), daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        thread.start()
        try:
            thread.join(task.seconds + getattr(answer, "patience", 0.0))  # a Remote keeps the time itself
        finally:  # also when the user presses stop
            if thread.is_alive():
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(TimeUp))
                run = Run(list(run.results), problem=TimeUp())
    return run


def _work(task: Task, answer: Any, calls: list[tuple], run: Run) -> None:
    ours = {function.__code__: function.__name__ for function in task.library}

    def notice(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code in ours:
            run.borrowed = run.borrowed or ours[frame.f_code]

    sys.setprofile(notice)  # for this thread only
    try:
        with np.errstate(all="ignore"):
            for call in calls:
                given = deepcopy(call)
                run.results.append(answer(*given))
                changed = [n for n, a, b in zip(task.arguments, call, given, strict=True) if not np.array_equal(a, b)]
                run.changed = run.changed or "".join(changed[:1])
    except BaseException as problem:
        run.problem = problem
    finally:
        sys.setprofile(None)
        run.borrowed = run.borrowed or getattr(answer, "borrowed", "")  # a Remote was watched where it ran


def _quietly(function: Any, call: tuple) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*deepcopy(call))


def _cannot_be_called(task: Task, answer: Any) -> str:
    wanted = f"{task.function}({', '.join(task.arguments)})"
    if not callable(answer):
        return (
            f"Hand in the function itself, not what it returns: `check(\"{task.id}\", {task.function})`, without brackets "
            f"after its name. This is {_kind_of(answer)}."
        )  # fmt: skip
    try:
        inspect.signature(answer).bind(*task.arguments)
    except TypeError as problem:
        return f"It is called as `{wanted}`, and yours cannot be: {problem}."
    except ValueError:  # some functions written in C do not tell their signature
        pass
    return ""


def _where(problem: BaseException, answer: Any) -> str:
    """The error, and the line of the student's own code in which it came up."""
    code = getattr(answer, "__code__", None)
    frames = traceback.extract_tb(problem.__traceback__)[1:]  # the first is ours
    if where := getattr(problem, "where", ""):  # it came up elsewhere
        return f"with {type(problem).__name__}: {problem}".rstrip(": ") + f"\n{where}"
    mine = [frame for frame in frames if code is None or frame.filename == code.co_filename]
    message = f"with {type(problem).__name__}: {problem}".rstrip(": ")
    return message + (f"\nin line {mine[-1].lineno} of its cell:\n    {mine[-1].line}" if mine else "")


# --- comparing and showing -------------------------------------------------------------------------------------------


def same(expected: Any, got: Any) -> bool:
    """Equal up to rounding, in the same form."""
    if isinstance(expected, tuple):
        fits = isinstance(got, tuple | list) and len(got) == len(expected)
        return fits and all(same(e, g) for e, g in zip(expected, got, strict=True))
    if wrong_form(expected, got):
        return False
    return np.allclose(np.asarray(got, float), np.asarray(expected, float), rtol=1e-6, atol=1e-9, equal_nan=True)


def wrong_form(expected: Any, got: Any) -> str:
    """What is wrong with the kind or the shape of a result, in words, or nothing."""
    wanted, found = _kind_of(expected), _kind_of(got)
    if wanted == found:
        if not isinstance(expected, tuple):
            return ""
        return next((words for e, g in zip(expected, got, strict=True) if (words := wrong_form(e, g))), "")
    return f"{wanted} was expected, and yours gives {found}."


def _kind_of(value: Any) -> str:
    if value is None:
        return "nothing (None)"
    if isinstance(value, tuple):
        return f"{len(value)} values"
    if isinstance(value, bool | np.bool_):
        return "True or False"
    try:
        array = np.asarray(value)
        if callable(value) or array.dtype.kind not in "iufbO":
            raise TypeError
        array = array.astype(float)
    except (TypeError, ValueError, OverflowError):  # the last: an integer too large for a float
        return f"something of the type {type(value).__name__}"
    return "a number" if array.ndim == 0 else f"an array of shape {array.shape}"


def show(value: Any) -> str:
    """A value as one would type it, with six digits at most."""
    if isinstance(value, tuple):
        return ", ".join(show(v) for v in value)
    if isinstance(value, np.ndarray | list):
        return f"[{', '.join(show(v) for v in value)}]"
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


def show_call(task: Task, call: tuple) -> str:
    """The call as one would type it."""
    pairs = ", ".join(f"{name}={show(value)}" for name, value in zip(task.arguments, call, strict=True))
    return f"{task.function}({pairs})"


def _share(wrong: int, total: int) -> str:
    return f"It is wrong on all {total} inputs." if wrong == total else f"It is wrong on {wrong} of {total} inputs."


def _factor(expected: list[Any], results: list[Any]) -> str:
    """A remark where the answer is wrong by the same factor everywhere."""
    try:
        with np.errstate(all="ignore"):
            ratios = np.concatenate([np.ravel(r) for r in results]) / np.concatenate([np.ravel(e) for e in expected])
    except (TypeError, ValueError):  # not numbers, or not as many
        return ""
    if not np.isfinite(ratios).all() or np.ptp(ratios) > 1e-6 * abs(ratios[0]):
        return ""
    return f"\nYours is {ratios[0]:.6g} times ours, on every input."
