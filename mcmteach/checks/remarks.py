"""Explains an error in an answer: the line in which it occurred, the shapes there, and a remark on common errors."""

from __future__ import annotations

import re
import traceback
from types import FunctionType, TracebackType
from typing import Any

from mcmteach.checks.run import RemoteError

#: (what the line of code looks like, what the message says, what to tell): the first that fits.
REMARKS = (
    (
        r"\bnp\.a?(max|min)\(\s*[\d.]+\s*,",
        "",
        "`np.max(a)` is the largest entry of one array, and its second argument is an axis. To compare two things entry by "
        "entry, take `np.maximum(0, a)` (or `np.minimum`).",
    ),
    (
        "",
        "only integer scalar arrays can be converted to a scalar index",
        "A number is needed here, and an array stands there. Where it is `np.max(0, a)`: its second argument is an axis; "
        "`np.maximum(0, a)` compares entry by entry.",
    ),
    (
        r"\bnp\.a?(max|min)\(",
        "inhomogeneous",
        "A number and an array in brackets are no array. To compare a number with each entry, take `np.maximum(0, a)`.",
    ),
    (
        r"\bnp\.a?(max|min)\(",
        "AxisError",
        "The second argument of `np.min` and `np.max` is an axis of one array. The smaller of two numbers is `min(a, b)`; "
        "entry by entry it is `np.minimum(a, b)`.",
    ),
    (
        r"(?<![.\w])(max|min)\(",
        "truth value of an array",
        "Python's `max` and `min` choose between single numbers. `np.maximum(0, a)` compares entry by entry, and `a.max()` is "
        "the largest entry.",
    ),
    (
        "",
        "'int' object has no attribute",
        "A single number stands where an array is needed. For a single sample Python's `max(0, a)` may give just 0; "
        "`np.maximum(0, a)` always gives an array.",
    ),
    (
        "",
        "truth value of an array",
        "A whole array stands where one True or False is needed. Do you mean all of its entries, `(a > 0).all()`, any of them, "
        "or one of them, `a[i] > 0`?",
    ),
    (
        r"\by\w* *\* *[XK]\w* *@",
        "matmul|not aligned|mismatch in its core dimension",
        "`y * X @ w` is read from the left, as `(y * X) @ w`. Brackets say what comes first: `y * (X @ w + b)`.",
    ),
    (
        r"\b[uw]\w* *@ *[XZ]\b",
        "matmul|not aligned|mismatch in its core dimension",
        "`A @ B` needs as many columns in A as there are rows in B. The samples are the rows of X, so write `X @ w`.",
    ),
    (
        "",
        "matmul|not aligned|mismatch in its core dimension",
        "`A @ B` needs as many columns in A as there are rows in B; to multiply entry by entry, write `A * B`.",
    ),
    (
        "",
        "RecursionError",
        "It calls itself, again and again. Is the function that you meant to call named like yours?",
    ),
    (
        "",
        "could not be broadcast",
        "Entry by entry needs equal shapes, or a 1 where they differ: `a[:, None]` makes a column of a vector.",
    ),
)


def describe(problem: BaseException, answer: Any) -> str:
    """The error, the line of the student's own code in which it occurred, and a remark if we have one."""
    if isinstance(
        problem, SyntaxError
    ):  # of code that the answer reads or imports: Python's own words point at the place
        return "".join(traceback.format_exception_only(problem)).rstrip()
    message = f"with {type(problem).__name__}: {_words_of(problem)}".rstrip(": ")
    if isinstance(problem, RemoteError):
        return "\n".join(filter(None, [message, problem.where, _remark(problem.where, message)]))
    lines = [message]
    frame = _own_frame(problem.__traceback__, answer)
    code = ""
    if frame is not None:
        code = traceback.extract_tb(frame, limit=1)[0].line or ""
        lines.append(f"in line {frame.tb_lineno} of its cell" + (f":\n    {code}" if code else ""))
        if "shape" in message or "dimension" in message or "not aligned" in message:
            lines += _shapes(code, frame.tb_frame.f_locals)
    return "\n".join(filter(None, [*lines, _remark(code, message)]))


def _words_of(problem: BaseException) -> str:
    try:
        return str(problem)
    except Exception:  # an exception class defined by the student
        return ""


def _own_frame(step: TracebackType | None, answer: Any) -> TracebackType | None:
    """The innermost step of the traceback that lies in the answer's own file or cell."""
    found, step = None, step.tb_next if step else None  # the first is ours
    while step is not None:
        code = step.tb_frame.f_code
        if not isinstance(answer, FunctionType) or code.co_filename == answer.__code__.co_filename:
            found = step
        step = step.tb_next
    return found


def _shapes(code: str, values: dict[str, Any]) -> list[str]:
    """The shapes of the arrays that a line of code names."""
    names = dict.fromkeys(re.findall(r"[^\W\d]\w*", code))
    shapes = [f"`{name}` the shape {values[name].shape}" for name in names if hasattr(values.get(name), "shape")]
    return [f"There {', '.join(shapes).replace(' the', ' has the', 1)}."] if shapes else []


def _remark(code: str, message: str) -> str:
    return next((words for line, says, words in REMARKS if re.search(line, code) and re.search(says, message)), "")
