"""The definition of a task. A topic's tasks are data: a reference, inputs, common mistakes, and three hints."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcmteach.checks.syllabus import task_number
from mcmteach.checks.values import show

PUBLIC_SEED = 0  # of the inputs that ``check`` tries
HIDDEN_ROUNDS = 3  # draws that are tried when another seed is asked for


#: A common mistake: a function that computes what the mistaken answer computes, and the explanation to give
Slip = tuple[Callable[..., Any], str]


@dataclass(frozen=True)
class Task:
    """A function to write. An answer is right if it agrees with ``reference`` on all inputs.

    ``inputs`` draws the tuples of arguments to try, in any order: a few that are the same for every generator, and others of
    every kind that tells a mistake from the right answer. ``library`` names the functions of mcmteach that are the answer
    already, so that handing them in (or wrapping them) earns nothing. A gap inside a lesson is a task whose key ends in a word.
    """

    key: str  #: topic and place: "kernels.2"; of a gap: "kernels.lift"
    title: str
    reference: Callable[..., Any]
    inputs: Callable[[np.random.Generator], Sequence[tuple]]
    mistakes: Mapping[str, Slip]  #: by their names
    hints: tuple[str, ...]  #: three for a task, from a nudge to nearly the answer; a gap may have fewer
    library: tuple[Callable[..., Any], ...] = ()
    seconds: float = 5.0  #: for all inputs together
    called: str = ""  #: the function's name in the exercise, where it is not that of the reference

    @property
    def number(self) -> str:
        """The number that students see: "6.2"."""
        return task_number(self.key)

    @property
    def function(self) -> str:
        """What the exercise calls the function."""
        return self.called or self.reference.__name__

    @property
    def arguments(self) -> list[str]:
        """The names of the arguments, as the reference has them."""
        return list(inspect.signature(self.reference).parameters)

    def calls(self, seed: int | None = None) -> list[tuple]:
        """The inputs, shortest first, so that the first one that fails is the smallest counterexample found.

        Without a seed they are the public ones, which ``check`` tries and shows. With one they are drawn anew for grading, and
        none of them is public: an answer that looks up the public ones has nothing to look up.
        """
        public = {self.show_call(call): call for call in self.inputs(np.random.default_rng(PUBLIC_SEED))}
        if seed is None:
            return [public[text] for text in sorted(public, key=_length)]
        drawn = {
            self.show_call(call): call
            for i in range(HIDDEN_ROUNDS)
            for call in self.inputs(np.random.default_rng([seed, i]))
        }
        return [drawn[text] for text in sorted(drawn.keys() - public.keys(), key=_length)]

    def show_call(self, call: tuple) -> str:
        """A call as one would type it."""
        pairs = (f"{name}={show(value, 15)}" for name, value in zip(self.arguments, call, strict=True))
        return f"{self.function}({', '.join(pairs)})"


def gap(
    key: str,
    reference: Callable[..., Any],
    inputs: Sequence[tuple] | Callable[[np.random.Generator], Sequence[tuple]],
    mistakes: Mapping[str, Slip],
    *hints: str,
    called: str = "",
) -> Task:
    """A line to write inside a lesson: a task without a title of its own, whose inputs may simply be listed."""
    draw = inputs if callable(inputs) else lambda rng: inputs
    return Task(key, called or reference.__name__, reference, draw, mistakes, hints, called=called)


@dataclass(frozen=True)
class Explanation:
    """A question to answer in prose. Only a reader can grade it; we ask about the points it leaves out.

    ``points`` names what a good answer covers: each with beginnings of words, any of which suggests that it does, as one text
    with commas between them, and with the question to ask if none of them occurs.
    """

    key: str
    title: str
    points: Mapping[str, tuple[str, str]]
    hints: tuple[str, str, str]
    model: str  #: one good answer, to compare with afterwards
    least: int = 25  #: different words

    @property
    def number(self) -> str:
        """The number that students see: "6.6"."""
        return task_number(self.key)


def _length(text: str) -> tuple[int, str]:
    return len(text), text
