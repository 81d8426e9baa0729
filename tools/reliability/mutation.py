"""Mutation testing of the core: a slip in one place of one function, and whether the module's own tests see it.

    python -m tools.reliability.mutation bounds fisher         # a sample of the mutants of each module
    python -m tools.reliability.mutation bounds --all
    python -m tools.reliability.mutation bounds --again        # the survivors of the last run, after tests were added

A slip is one of those that tests/checks/mutants.py makes of a student's answer, without those that hardly any test could
miss (one argument taken for another, a part for 0 or 1). A mutant is a fork of this process, in which a function's
code is exchanged; the module's tests then run in it until one fails. What is not mutated: words (f-strings), annotations,
docstrings and constants of the module. What a module's mutants came to is stored when the last was tried.
"""

from __future__ import annotations
import __future__

import argparse
import ast
import importlib
import inspect
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
from _pytest.main import pytest_runtestloop as run_tests

from tests.checks.mutants import changed_once
from tools.ledger import ROOT
from tools.reliability import store, stored

#: The modules, and the tests that should notice. A slip in checking arguments is the contract's to notice.
CONTRACT = "tests/test_contract.py"
MODULES = {
    "bounds": ["tests/test_bounds.py", "mcmteach/bounds.py", "tests/properties/test_single_things.py"],
    "capacity": ["tests/test_capacity.py", "mcmteach/capacity.py", CONTRACT],
    "fisher": ["tests/test_fisher.py", "mcmteach/fisher.py"],
    "lp": ["tests/test_lp.py", "mcmteach/lp.py", "tests/solvers/test_solve.py"],
    "certificate": ["tests/test_certificate.py", "mcmteach/certificate.py", "tests/solvers/test_solve.py"],
    "conformal": ["tests/test_conformal.py", "mcmteach/conformal.py", CONTRACT],
    "guarantee.counts": ["tests/guarantee/test_counts.py", "mcmteach/guarantee/counts.py"],
    "guarantee.compress": ["tests/guarantee/test_compress.py", "mcmteach/guarantee/compress.py"],
    "guarantee.search": ["tests/guarantee/test_search.py", "mcmteach/guarantee/search.py"],
}
SAMPLE = 150


def functions(module: ModuleType) -> Iterator[tuple[str, FunctionType, ast.FunctionDef]]:
    """Each function and method that the module defines: its name, its object, its source without annotations."""
    tree = ast.parse(inspect.getsource(module))
    places: list[tuple[str, Any, list[ast.stmt]]] = [("", module, tree.body)]
    for prefix, owner, body in places:  # which grows: a class brings its methods
        for node in body:
            if isinstance(node, ast.ClassDef):
                places.append((f"{prefix}{node.name}.", getattr(owner, node.name), node.body))
            elif isinstance(node, ast.FunctionDef):
                found = inspect.getattr_static(owner, node.name)
                found = getattr(found, "fget", None) or getattr(found, "__func__", found)
                if (found := inspect.unwrap(found)).__code__.co_firstlineno <= node.body[0].lineno:  # and no overload
                    yield prefix + node.name, found, _bare(node)


def _bare(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function without decorators, annotations and docstring."""
    node.decorator_list, node.returns = [], None
    for part in ast.walk(node):
        if isinstance(part, ast.arg):
            part.annotation = None
    if ast.get_docstring(node) is not None and len(node.body) > 1:
        del node.body[0]
    return node


def sources(module: ModuleType) -> Iterator[tuple[str, ast.Module]]:
    """(name, source without defaults, which stay with the function's object) of every function that is mutated."""
    for name, function, node in functions(module):
        if function.__code__.co_name == "__repr__" or (len(node.body) == 1 and isinstance(node.body[0], ast.Expr)):
            continue  # words, or a docstring and nothing else
        node.args.defaults, node.args.kw_defaults = [], [None] * len(node.args.kwonlyargs)
        yield name, ast.Module([node], [])


def mutants(module: ModuleType) -> list[tuple[str, str]]:
    """(name of the function, its changed source) of every mutant of a module."""
    kept = (ast.JoinedStr, ast.Raise)
    return [(name, text) for name, tree in sources(module) for text in changed_once(tree, [], parts=False, kept=kept)]


def exchange(module: ModuleType, name: str, source: str) -> None:
    """Put the mutant's code into the function: whoever imported it has the mutant too."""
    (function,) = [f for n, f, _ in functions(module) if n == name]
    inside = "\n".join("    " + line for line in source.splitlines())
    names: dict[str, Any] = {}
    text = f"def outer(__class__):\n{inside}\n    return {function.__name__}"  # __class__ is what super() asks for
    flags = __future__.annotations.compiler_flag
    where = str(module.__file__)  # a warning that skips the package's own frames skips the mutant's
    exec(compile(text, where, "exec", flags, dont_inherit=True), function.__globals__, names)
    function.__code__ = names["outer"](None).__code__


class Trial:
    """A plugin of pytest: the module's tests are collected once, and run in a fork for every mutant until one fails."""

    def __init__(self, module: ModuleType, chosen: list[tuple[str, str]], jobs: int):
        self.module, self.chosen, self.jobs = module, chosen, jobs
        self.took: Counter[str] = Counter()
        self.survivors: list[dict[str, str]] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Of the contract, which is everybody's, only what names something of this module."""
        own = {name.split(".")[0] for name, _, _ in functions(self.module)}
        items[:] = [item for item in items if CONTRACT not in item.nodeid or any(name in item.nodeid for name in own)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.took[report.nodeid] += report.duration

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """First without a mutant, but with every function exchanged for itself: that must go unnoticed."""
        with tempfile.NamedTemporaryFile("w+") as note:
            itself = [(name, ast.unparse(tree)) for name, tree in sources(self.module)]
            _, status, used = os.wait4(self._fork(session, itself, resource.RLIM_INFINITY, note.name), 0)
            if status:
                raise SystemExit("The tests fail without any mutant.")
            took = json.load(note)
        session.items.sort(key=lambda item: took[item.nodeid])  # the quick ones first: most mutants meet one of them
        for function, source in self._survived(session, 5 + 3 * round(used.ru_utime + used.ru_stime)):
            self.survivors.append({"function": function, "change": difference(self.module, function, source)})
            print("  survived:", *self.survivors[-1].values(), sep="  ", flush=True)
        return True

    def _survived(self, session: pytest.Session, seconds: int) -> Iterator[tuple[str, str]]:
        """The mutants with which every test passes. One that makes a test fail, or take so long, is noticed."""
        waiting, running, begun = self.chosen[::-1], {}, time.monotonic()
        while waiting or running:
            while waiting and len(running) < self.jobs:
                mutant = waiting.pop()
                running[self._fork(session, [mutant], seconds)] = mutant
            child, status = os.wait()
            mutant = running.pop(child)
            if status == 0:
                yield mutant
            if (done := len(self.chosen) - len(waiting) - len(running)) % 25 == 0:
                print(f"  {done} of {len(self.chosen)}, {time.monotonic() - begun:.0f} s", flush=True)

    def _fork(self, session: pytest.Session, changes: list[tuple[str, str]], seconds: int, note: str = "") -> int:
        """The tests in a process of their own; what each took is written into a file if one is named."""
        if (child := os.fork()) == 0:
            status = 1
            try:
                resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))  # an endless loop
                silence = os.open(os.devnull, os.O_WRONLY)
                os.dup2(silence, 1), os.dup2(silence, 2)
                for name, source in changes:
                    exchange(self.module, name, source)
                run_tests(session)
                status = int(session.testsfailed > 0)
                if note:
                    Path(note).write_text(json.dumps(self.took), encoding="utf-8")
            finally:
                os._exit(status)
        return child


def run(name: str, sample: int | None, jobs: int, again: bool = False, draw: int = 0) -> dict[str, Any]:
    """The mutants of a module: how many there are, how many were tried and noticed, and which were not.

    Again: only those that the last run did not notice are tried; the others are taken to be noticed still.
    """
    module = importlib.import_module(f"mcmteach.{name}")
    every = mutants(module)
    chosen = every if sample is None or sample >= len(every) else random.Random(draw).sample(every, sample)
    tried = len(chosen)
    if again:
        last = stored("mutation")[entry(name, draw)]
        known = [(s["function"], s["change"]) for s in last["survivors"]]
        chosen = [
            (function, text) for function, text in every if (function, difference(module, function, text)) in known
        ]
        tried = last["tried"] - len(known) + len(chosen)  # a line that was rewritten has other mutants
    trial = Trial(module, chosen, jobs)
    status = pytest.main(["-x", "-q", "-s", "-p", "no:cacheprovider", "-m", "not soak", *MODULES[name]], [trial])
    if status:
        raise SystemExit(int(status))
    return {
        "mutants": len(every),
        "tried": tried,
        "noticed": tried - len(trial.survivors),
        "survivors": sorted(trial.survivors, key=str),
    }


def entry(name: str, draw: int) -> str:
    """Under which name a sample's results are stored. Tests are written for what the first sample shows; another one tells
    how many slips they notice that nobody had seen."""
    return f"{name}, sample {draw + 1}" if draw else name


def difference(module: ModuleType, name: str, source: str) -> str:
    """The line that was changed, before and after."""
    before, after = ast.unparse(dict(sources(module))[name]).splitlines(), source.splitlines()
    was, became = [x for x in before if x not in after], [x for x in after if x not in before]
    return " | ".join(x.strip() for x in was) + "  ->  " + (" | ".join(x.strip() for x in became) or "(left out)")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.reliability.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"of {', '.join(MODULES)}; by default all")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="mutants per module (default: %(default)s)")
    parser.add_argument("--all", action="store_true", help="every mutant")
    parser.add_argument("--draw", type=int, default=0, help="another sample of mutants for each number")
    parser.add_argument("--again", action="store_true", help="the survivors of the last run only")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="at once (default: %(default)s)")
    asked = parser.parse_args(arguments)
    os.chdir(ROOT)
    for name in asked.modules or MODULES:
        found = run(name, None if asked.all else asked.sample, asked.jobs, asked.again, asked.draw)
        store("mutation", entry(name, asked.draw), found)
        print(f"{name}: {found['noticed']} of {found['tried']} noticed ({found['mutants']} there are)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
