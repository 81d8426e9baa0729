"""Run a lesson's cells in this Python, in any order, and keep what each one prints and shows as text.

It is cheaper than a kernel, draws no figure to a file, and is enough to compare numbers.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
import marshal
import pickle
import random
import time
from collections.abc import Iterable
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

LONG = 2.0  # seconds from which on a cell is not run again on the same inputs


def endless(source: str) -> list[str]:
    """The loops of a cell that could run for ever: every ``while``."""
    return [ast.unparse(node.test) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.While)]


class Replay:
    """The names that the cells have bound so far.

    A cell that took long is not run again while everything it reads is as it was: its text, the values of its names, those
    that its functions read, and the state of the random numbers. What cannot be pickled counts as changed.

    Examples
    --------
    >>> replay = Replay()
    >>> replay.run("x = 2"), replay.run("print(x)"), replay.run("x * 3")
    ('', '2\\n', '6')
    """

    def __init__(self, long: float = LONG) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.long = long
        self.shown: dict[bytes, str] = {}  #: by the digest of what a long cell reads

    def run(self, source: str) -> str:
        """What the cell prints, and the text of its last expression."""
        read = self._digest(source)
        if read in self.shown:
            return self.shown[read]
        begun = time.perf_counter()
        text = self._run(source)
        if read and time.perf_counter() - begun > self.long:
            self.shown[read] = text
        return text

    def run_all(self, cells: Iterable[str]) -> list[str]:
        return [self.run(source) for source in cells]

    def _run(self, source: str) -> str:
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(tree, "cell", "exec"), self.names)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), self.names) if last else None
        return printed.getvalue() + (repr(value) if value is not None else "")

    def _digest(self, source: str) -> bytes:
        """Of all that the cell can read; empty where that cannot be told."""
        state = random.getstate(), np.random.get_state()  # noqa: NPY002
        try:
            return hashlib.sha256(pickle.dumps((source, state, self._values(_names_read(source), {})))).digest()
        except Exception:  # an object that does not let itself be pickled may raise anything
            return b""

    def _values(self, names: Iterable[str], found: dict[str, Any]) -> dict[str, Any]:
        """The values of these names, and of those that the lesson's own functions among them read."""
        for name in sorted(self.names.keys() & names - found.keys()):
            value = found[name] = self.names[name]
            if isinstance(value, ModuleType):
                found[name] = value.__name__
            elif isinstance(value, FunctionType) and value.__globals__ is self.names:
                found[name] = marshal.dumps(value.__code__), value.__defaults__, value.__kwdefaults__, value.__closure__
                self._values(_names_in(value.__code__), found)
        return found


def _names_in(code: CodeType) -> set[str]:
    inner = [part for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*map(_names_in, inner))


def _names_read(source: str) -> set[str]:
    """The names that a cell may read before it has bound them itself.

    Examples
    --------
    >>> sorted(_names_read("a = b + f(c)\\nfor i in a:\\n    total += i"))
    ['b', 'c', 'f', 'total']
    >>> sorted(_names_read("def f(x):\\n    y = x + k\\n    return y\\n[f(i) for i in range(3)]"))
    ['k', 'range']
    """
    read: set[str] = set()
    bound: set[str] = set()

    def look(body: Iterable[ast.stmt]) -> None:
        for statement in body:
            before: ast.AST = statement
            targets: list[ast.expr] = []
            inside: list[ast.stmt] = []
            defined: set[str] = set()
            match statement:
                case ast.Assign():
                    before, targets = statement.value, statement.targets
                case ast.For():
                    before, targets, inside = statement.iter, [statement.target], statement.body + statement.orelse
                case ast.FunctionDef():
                    defined = {statement.name}
                case ast.Import() | ast.ImportFrom():
                    defined = {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
            parts = [node for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]
            read.update((_outer_names(before) | {n.id for n in parts if isinstance(n.ctx, ast.Load)}) - bound)
            bound.update((defined | {node.id for node in parts}) - read)
            look(inside)

    look(ast.parse(source).body)
    return read


def _outer_names(part: ast.AST) -> set[str]:
    """The names in a statement or an expression that are not local to a function or a comprehension in it."""
    tree = ast.Expression(part) if isinstance(part, ast.expr) else ast.Module([part], [])
    named = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}
    return named & _names_in(compile(tree, "cell", "eval" if isinstance(part, ast.expr) else "exec"))
