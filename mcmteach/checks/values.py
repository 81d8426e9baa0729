"""Arguments and results of answers: converted to plain values, compared up to rounding, and shown as one would type them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

DEEPEST, LONGEST = 4, 10_000  # of nested lists that are still read


@dataclass(frozen=True)
class Odd:
    """A result that holds no numbers; of it, only the name of its type is kept."""

    type: str


def plain(value: Any, depth: int = 0) -> Any:
    """A result as None, a number, True or False, an array of numbers (a copy), a tuple or a list of these; else ``Odd``.

    Converting an unknown object may run its own code, so this is called while the answer is being run.
    """
    if value is None or value is ... or isinstance(value, bool | int | float):
        return value
    if isinstance(value, tuple | list):
        if depth == DEEPEST or len(value) > LONGEST:
            return Odd(f"{type(value).__name__}, too deep or too long to read")
        parts = [plain(part, depth + 1) for part in value]
        return tuple(parts) if isinstance(value, tuple) else parts
    try:
        array = np.array(value)
        if callable(value) or array.dtype.kind not in "iufbO":
            return Odd(type(value).__name__)
        array = array.astype(float) if array.dtype.kind == "O" else array
    except Exception:  # whatever the object's own conversion raises
        return Odd(type(value).__name__)
    return array if array.ndim else array.item()


def _numbers(value: Any) -> np.ndarray | None:
    """A plain value as an array of floats, or None if it holds something else."""
    try:
        return None if value is None or isinstance(value, Odd) else np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):  # the last: an integer too large for a float
        return None


def kind_of(value: Any) -> str:
    """The kind and the shape of a plain value, in words."""
    if value is None or isinstance(value, Odd):
        return "nothing (None)" if value is None else f"something of the type {value.type}"
    if isinstance(value, tuple):
        return f"{len(value)} values"
    if isinstance(value, bool):
        return "True or False"
    array = _numbers(value)
    if array is None:
        return f"something of the type {type(value).__name__}"
    return "a number" if array.ndim == 0 else f"an array of shape {array.shape}"


def wrong_form(expected: Any, got: Any) -> str:
    """What is wrong with the kind or the shape of a plain value, in words, or nothing."""
    wanted, found = kind_of(expected), kind_of(got)
    if wanted == found:
        if not isinstance(expected, tuple):
            return ""
        return next((words for e, g in zip(expected, got, strict=True) if (words := wrong_form(e, g))), "")
    return f"{wanted} {'were' if isinstance(expected, tuple) else 'was'} expected, but yours gives {found}."


def same(expected: Any, got: Any) -> bool:
    """Whether two plain values are equal up to rounding, in the same form; a list may stand for a tuple."""
    if isinstance(expected, tuple):
        fits = isinstance(got, tuple | list) and len(got) == len(expected)
        return fits and all(same(e, g) for e, g in zip(expected, got, strict=True))
    if wrong_form(expected, got):
        return False
    return np.allclose(_numbers(got), _numbers(expected), rtol=1e-6, atol=1e-9, equal_nan=True)  # type: ignore[arg-type]


def common_factor(expected: list[Any], got: list[Any]) -> float | None:
    """The one factor by which all numbers are too large, if there is one."""
    try:
        ours, theirs = (np.concatenate([np.ravel(v) for v in values]).astype(float) for values in (expected, got))
    except (TypeError, ValueError, OverflowError):  # not numbers, or too large for one
        return None
    if ours.shape != theirs.shape:
        return None
    with np.errstate(all="ignore"):
        ratios = theirs / ours
    close = np.isfinite(ratios).all() and np.ptp(ratios) <= 1e-6 * abs(ratios[0])
    return float(ratios[0]) if close else None


def show(value: Any, digits: int = 6) -> str:
    """A plain value as one would type it.

    Examples
    --------
    >>> show([[1.0, -0.0], [1 / 3, 2.5]])
    '[[1, 0], [0.333333, 2.5]]'
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list):
        return f"[{', '.join(show(part, digits) for part in value)}]"
    if isinstance(value, tuple):
        return ", ".join(show(part, digits) for part in value)
    if isinstance(value, Odd):
        return kind_of(value)
    if isinstance(value, str):
        return repr(value[:1000])
    return f"{value + 0.0:.{digits}g}" if isinstance(value, float) else str(value)[:1000]
