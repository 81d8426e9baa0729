"""Run a lesson's cells in this Python, in any order, and keep what each one prints and shows as text.

It is cheaper than a kernel, draws no figure to a file, and is enough to compare numbers.
"""

from __future__ import annotations

import ast
import contextlib
import io
from collections.abc import Iterable
from typing import Any


def endless(source: str) -> list[str]:
    """The loops of a cell that could run for ever: every ``while``."""
    return [ast.unparse(node.test) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.While)]


class Replay:
    """The names that the cells have bound so far.

    Examples
    --------
    >>> replay = Replay()
    >>> replay.run("x = 2"), replay.run("print(x)"), replay.run("x * 3")
    ('', '2\\n', '6')
    """

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}

    def run(self, source: str) -> str:
        """What the cell prints, and the text of its last expression."""
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(tree, "cell", "exec"), self.names)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), self.names) if last else None
        return printed.getvalue() + (repr(value) if value is not None else "")

    def run_all(self, cells: Iterable[str]) -> list[str]:
        return [self.run(source) for source in cells]
