"""What a task is. A lesson's tasks are data: a reference, inputs, the slips that people make, and three hints."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Mistake:
    """A slip that is known by what it computes: ``wrong`` gives what the mistaken answer gives."""

    name: str
    wrong: Callable[..., Any]
    explanation: str


@dataclass(frozen=True)
class Task:
    """A function to write. An answer is right if it agrees with ``reference`` on all ``inputs``.

    ``inputs`` makes the tuples of arguments to try, in any order: the smallest are tried first. ``library`` names the
    functions of mcmteach that are the answer already, so that handing them in (or wrapping them) earns nothing.
    """

    id: str
    title: str
    function: str  #: what the exercise calls it
    reference: Callable[..., Any]
    inputs: Callable[[], Sequence[tuple]]
    mistakes: tuple[Mistake, ...]
    hints: tuple[str, str, str]
    library: tuple[Callable[..., Any], ...] = ()
    seconds: float = 5.0  #: for all inputs together

    @property
    def arguments(self) -> list[str]:
        """The names of the arguments, as the reference has them."""
        return list(inspect.signature(self.reference).parameters)

    def calls(self) -> list[tuple]:
        """The inputs, smallest first, so that the first one that fails is the smallest counterexample found."""
        return sorted(self.inputs(), key=size)


@dataclass(frozen=True)
class Point:
    """Something that a good explanation speaks of: any of ``words`` (beginnings of words) hints that it does."""

    name: str
    words: tuple[str, ...]
    ask: str  #: the question to put to whoever left it out


@dataclass(frozen=True)
class Explanation:
    """A question to answer in prose. Nobody but a reader can grade it; we ask about the points it leaves out."""

    id: str
    title: str
    points: tuple[Point, ...]
    hints: tuple[str, str, str]
    least: int = 25  #: words


def size(arguments: tuple) -> tuple[int, float]:
    """How much there is to read in an input: how many numbers, and then how large they are."""
    numbers = np.concatenate([np.ravel(np.asarray(a, dtype=float)) for a in arguments])
    return len(numbers), float(np.abs(numbers).sum())
