"""The verdict on an answer: the outcome of running it, and the most helpful explanation."""

from __future__ import annotations

import dis
import inspect
import re
import warnings
from collections.abc import Callable
from copy import deepcopy
from types import FunctionType
from typing import Any

import numpy as np

from mcmteach.checks.remarks import describe
from mcmteach.checks.run import Run, TimeUp, try_out
from mcmteach.checks.task import Explanation, Task
from mcmteach.checks.values import common_factor, kind_of, plain, same, show, wrong_form
from mcmteach.checks.words import BLUE, GREEN, VERMILION, Verdict

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
# the statements of a stub: `...`, `pass`, `return None`
NOTHING = {"RESUME", "LOAD_CONST", "NOP", "POP_TOP", "RETURN_VALUE", "RETURN_CONST"}


# --- a function ------------------------------------------------------------------------------------------------------


def judge_function(task: Task, answer: Any, seed: int | None = None) -> Verdict:
    """The verdict on a function, whatever it does. With a ``seed``, on hidden inputs (``Task.calls``).

    The text shows the input on which an answer fails. If the same seed will be used for other students, pass on ``kind`` and
    ``mistake`` only.
    """
    if answer is None or answer is ...:
        return _say(
            task, "blank", "Nothing is handed in yet. Write the function in the cell above, and run that first."
        )
    if complaint := _cannot_be_called(task, answer):
        return _say(task, "form", complaint)
    calls = task.calls(seed)
    run = try_out(task, answer, calls)
    return _first_of(task, answer, calls, run).noting(_about_threads(run))


def _first_of(task: Task, answer: Any, calls: list[tuple], run: Run) -> Verdict:
    """The most helpful explanation, and only that one."""
    here = task.show_call(calls[min(len(run.results), len(calls) - 1)])
    if isinstance(run.problem, TimeUp):
        limit = task.seconds * run.slower
        return _say(
            task, "slow", f"After {limit:g} seconds it was still busy with\n    {here}\nOurs needs far less than a "
            "second for all inputs together. Is there a loop that never ends, or one that numpy could do?",
        )  # fmt: skip
    if run.borrowed:
        return _say(
            task, "borrowed", f"It calls `{run.borrowed}`, which is the library's own answer to this task. "
            "The point is to have written it once yourself, so this one does not count.",
        )  # fmt: skip
    if isinstance(run.problem, NotImplementedError) or (
        run.results and all(r is None or r is ... for r in run.results)
    ):
        return _returns_nothing(task, answer, run)
    if run.problem is not None:
        return _say(task, "error", f"Your code stopped at\n    {here}\n{describe(run.problem, answer)}")
    if run.changed:
        return _say(
            task, "changed", f"It changes its argument `{run.changed}` in place, so whoever called it finds other data "
            f"than before. Work on a new array: `a = a + c`, not `a += c`; or begin with `{run.changed}.copy()`.",
        )  # fmt: skip
    return _compare(task, calls, run.results)


def _returns_nothing(task: Task, answer: Any, run: Run) -> Verdict:
    if run.printed:
        return _say(
            task, "form", f"`{task.function}` prints something and returns nothing. `print` shows a value to whoever looks "
            "on; `return` gives it to the code that called the function, and only that can be checked.",
        )  # fmt: skip
    if run.problem is None and _has_a_body(answer):
        return _say(
            task, "form", f"`{task.function}` computes something, but returns nothing: let it end with `return`."
        )
    return _say(
        task, "blank", f"`{task.function}` returns nothing yet. If you have not begun: replace the dots by your own "
        "line. If you have: does it end with `return`? And did you run its cell?",
    )  # fmt: skip


def _has_a_body(answer: Any) -> bool:
    steps = dis.get_instructions(answer) if isinstance(answer, FunctionType) else ()
    return any(step.opname not in NOTHING for step in steps)


def _compare(task: Task, calls: list[tuple], results: list[Any]) -> Verdict:
    expected = [plain(task.reference(*deepcopy(call))) for call in calls]
    wrong = [i for i, (e, r) in enumerate(zip(expected, results, strict=True)) if not same(e, r)]
    if not wrong:
        return _say(task, "right", f"It agrees with ours on all {len(calls)} inputs.")
    for name, (mistaken, explanation) in task.mistakes.items():
        if all(_slips(mistaken, call, r) for call, r in zip(calls, results, strict=True)):
            return _say(task, "mistake", explanation, name)
    i = wrong[0]
    if complaint := wrong_form(expected[i], results[i]):
        return _say(task, "form", f"For\n    {task.show_call(calls[i])}\n{complaint}")
    share = f"all {len(calls)}" if len(wrong) == len(calls) else f"{len(wrong)} of {len(calls)}"
    factor = common_factor(expected, results)
    return _say(
        task, "wrong", f"It is wrong on {share} inputs. The smallest one we found is\n    {task.show_call(calls[i])}\n"
        f"which should give\n    {show(expected[i])}\nand yours gives\n    {show(results[i])}"
        + (f"\nYours is {factor:.6g} times ours, on every input." if factor is not None else ""),
    )  # fmt: skip


def _slips(mistaken: Callable[..., Any], call: tuple, result: Any) -> bool:
    """Whether a mistaken answer gives this result. Where its formula breaks down, it gives none."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return same(plain(mistaken(*deepcopy(call))), result)
        except (ArithmeticError, ValueError):
            return False


def _cannot_be_called(task: Task, answer: Any) -> str:
    wanted = f"{task.function}({', '.join(task.arguments)})"
    if not callable(answer):
        return (
            f"Hand in the function itself, not what it returns: `check(\"{task.number}\", {task.function})`, without brackets "
            f"after its name. This is {kind_of(plain(answer))}."
        )  # fmt: skip
    try:
        inspect.signature(answer).bind(*task.arguments)
    except TypeError as problem:
        return f"It is called as `{wanted}`, and yours cannot be: {problem}."
    except Exception:  # functions written in C, and some unusual objects, have no signature
        pass
    return ""


_said_about_threads = False


def _about_threads(run: Run) -> str:
    global _said_about_threads
    if run.in_thread or _said_about_threads:
        return ""
    _said_about_threads = True
    return "(This Python cannot start threads, so a check has no time limit inside numpy: if one hangs, restart the kernel.)"


# --- a text ----------------------------------------------------------------------------------------------------------


def judge_text(task: Explanation, answer: Any) -> Verdict:
    """What can be said about a text without pretending to understand it. It never counts as solved."""
    if answer is None or answer is ...:
        answer = ""
    if not isinstance(answer, str):
        return _say(task, "form", 'This one is answered in prose: hand in a text, between `"""` and `"""`.')
    words = set(re.findall(r"\w+", answer.lower()))
    if len(words) < task.least:
        some = f"{len(words)} different word{'s' * (len(words) != 1)} so far; " if words else "There is no text yet; "
        return _say(
            task, "blank", f"{some}write at least {task.least}, in sentences, as if to a friend who missed the lesson."
        )  # fmt: skip
    missing = tuple(
        name
        for name, (words_for_it, _) in task.points.items()
        if not any(_begins(word, answer.lower()) for word in words_for_it.split(", "))
    )
    found = len(task.points) - len(missing)
    return _say(
        task, "written", "\n".join([
            f"Words found for {found} of {len(task.points)} points. Words are all that a machine can look for: only a reader "
            "can tell whether the text is right, so read it once more yourself, with these questions.",
            *(f"{'?' if name in missing else '•'} {question}" for name, (_, question) in task.points.items()),
        ]), missing=missing, model=" ".join(task.model.split()),
    )  # fmt: skip


def _begins(word: str, text: str) -> bool:
    """Whether a word of the text begins so; a sign such as ≤ may stand anywhere."""
    return re.search((r"\b" if word[0].isalnum() else "") + re.escape(word), text) is not None


# --- words -----------------------------------------------------------------------------------------------------------


def _say(
    task: Task | Explanation, kind: str, text: str, mistake: str = "", missing: tuple[str, ...] = (), model: str = ""
) -> Verdict:
    marks = {"right": ("✓", GREEN), "written": ("✎", BLUE), "blank": ("…", BLUE)}
    mark, colour = marks.get(kind, ("✗", VERMILION))
    if kind not in ("right", "written"):
        text += f'\n`hint("{task.number}")` gives a hint.'
    title, passed = f"Task {task.number}: {HEADINGS[kind]}", kind == "right"
    return Verdict(title, text, mark, colour, kind, passed, mistake, missing, model)
