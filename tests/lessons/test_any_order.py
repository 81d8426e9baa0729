"""A student runs cells in any order: from the last to the first, each cell shows the numbers that it showed at first."""

import re

import matplotlib.pyplot as plt
import nbformat
import pytest

from tests.lessons.owed import each_lesson, owed
from tools.ledger import ROOT
from tools.replay import LONG, Replay, endless

#: a printed object's address, and seconds on the clock
CHANGING = re.compile(r"0x[0-9a-f]+| *\d+(\.\d+)? (m?s|µs|seconds)\b")


def code_of(path):
    return [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def differences(cells, long=LONG):
    """The cells that show something else when all cells run again, last first: their first lines."""
    replay = Replay(long)
    first = replay.run_all(cells)
    plt.close("all")
    again = replay.run_all(cells[::-1])[::-1]
    plt.close("all")
    return [
        cell.splitlines()[0]
        for cell, one, two in zip(cells, first, again, strict=True)
        if CHANGING.sub("", one) != CHANGING.sub("", two)
    ]


@each_lesson
def test_cells_can_be_run_again_in_any_order(path, request, monkeypatch, tmp_path):
    owed(request, path, "any order")
    monkeypatch.setattr(plt, "show", lambda: plt.close("all"))
    monkeypatch.setenv("MCMTEACH_HOME", str(tmp_path))
    monkeypatch.chdir(ROOT / "lessons")
    cells = code_of(path)
    assert [loop for cell in cells for loop in endless(cell)] == [], "write a for loop with a last round"
    assert differences(cells) == []


EACH_TIME, NEVER = float("inf"), -1.0  # how long a cell must take to be spared


@pytest.mark.parametrize("long", [EACH_TIME, NEVER])
def test_what_later_cells_change_is_found(long):
    assert differences(["x = 1", "print(x)", "x = 2", "x + 1"], long) == ["print(x)"]
    assert differences(["x = 1", "print(x)", "z = 2", "z + 1"], long) == []
    assert differences(["x = [1]", "print(x)", "x.append(2)"], long) == ["print(x)"]
    assert differences(["x = (i for i in (1, 2))", "next(x)"], long) == ["next(x)"]
    assert differences(["k = 1\ndef f(): return k", "f()", "k = 2"], long) == ["f()"]
    assert differences(["k = 1", "for i in range(2):\n    k += i\nprint(k)"], long) == ["for i in range(2):"]
    assert differences(["import numpy as np\nnp.random.seed(0)", "np.random.rand()"], long) == ["np.random.rand()"]


def test_a_long_cell_is_not_run_again_unless_something_that_it_reads_has_changed(capsys):
    cells = ["import sys\nx = 1", "for line in [x]:\n    print(line, file=sys.stderr)", "line = 3"]
    assert differences(cells, NEVER) == differences(cells, EACH_TIME) == []
    assert capsys.readouterr().err == "1\n" + "1\n1\n"


def test_a_loop_without_a_last_round_is_found():
    assert endless("for i in range(3):\n    while x:\n        pass") == ["x"]
