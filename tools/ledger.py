"""The equation ledger, lessons/EQUATIONS.md, as data, and the tracer that verifies it.

A row of the ledger says: this equation is that function, and this test shows it. The tracer runs beside every test that
the ledger names and fails it unless the named function was really executed.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import pytest

from mcmteach.checks.syllabus import notebook_name

ROOT = Path(__file__).parent.parent
LEDGER = ROOT / "lessons" / "EQUATIONS.md"
KINDS = ("function", "step", "definition", "open")


class Entry(NamedTuple):
    """A row: ``as_`` is one of KINDS; function, test and lesson (topics) are '' where there is none yet."""

    id: str
    says: str
    as_: str
    function: str
    test: str
    lesson: str


def read_ledger(text: str) -> list[Entry]:
    """The rows of every table whose first cell looks like an equation's id."""
    rows = [[cell.strip().strip("`") for cell in line.strip().strip("|").split(" | ")] for line in text.splitlines()]
    found = [row for row in rows if re.fullmatch(r"[NPS][\w().-]*", row[0]) and len(row) > 1]
    wrong = [row for row in found if len(row) != len(Entry._fields)]
    if wrong:
        raise ValueError(f"A row of the ledger has {len(wrong[0])} cells and not {len(Entry._fields)}: {wrong[0]}")
    return [Entry(*("" if cell == "–" else cell for cell in row)) for row in found]


def lesson_path(topic: str) -> Path:
    """The notebook of a topic: its file name is the lesson's number and the topic."""
    return ROOT / "lessons" / notebook_name(topic)


def resolve(dotted: str) -> Any:
    """The object that ``mcmteach.bounds.vc_bound`` or ``mcmteach.mcm.MCMClassifier.fit`` names."""
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            thing: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for name in parts[cut:]:
            thing = getattr(thing, name)
        return thing
    raise ModuleNotFoundError(dotted)


def codes(thing: Any) -> set[CodeType]:
    """The code that runs when the thing is used: a function's own, a property's getter, any method of a class."""
    if isinstance(thing, property):
        thing = thing.fget
    if isinstance(thing, type):
        return set().union(*(codes(member) for member in vars(thing).values() if hasattr(member, "__code__")), set())
    return {thing.__code__}


class LedgerTracer:
    """A pytest plugin: a test that the ledger names must execute the functions that the ledger names with it."""

    def __init__(self, entries: Iterable[Entry]):
        self.wanted: dict[str, set[str]] = {}
        for entry in entries:
            if entry.test and entry.function:
                self.wanted.setdefault(entry.test, set()).add(entry.function)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        wanted = self.wanted.get(item.nodeid.split("[")[0], set())
        if not wanted:
            return (yield)
        idle = {function: codes(resolve(function)) for function in wanted}

        def note(frame: FrameType, event: str, _: Any) -> None:
            if event == "call":
                for function in [name for name, code in idle.items() if frame.f_code in code]:
                    del idle[function]
                if not idle:
                    sys.setprofile(None)  # a profiled test takes several times as long

        sys.setprofile(note)
        try:
            result = yield
        finally:
            sys.setprofile(None)
        if idle:
            pytest.fail(
                f"The ledger says that this test shows {', '.join(sorted(idle))}, but it never executes it.",
                pytrace=False,
            )
        return result
