"""A student runs cells in any order: from the last to the first, each cell shows the numbers that it showed at first."""

import re

import matplotlib.pyplot as plt
import nbformat

from tests.lessons.owed import each_lesson, owed
from tools.ledger import ROOT
from tools.replay import Replay, endless

#: a printed object's address, and seconds on the clock
CHANGING = re.compile(r"0x[0-9a-f]+| *\d+(\.\d+)? (m?s|µs|seconds)\b")


def code_of(path):
    return [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def differences(cells):
    """The cells that show something else when all cells run again, last first: their first lines."""
    replay = Replay()
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


def test_a_name_that_is_bound_again_later_is_found():
    cells = ["x = 1", "print(x)", "x = 2", "x + 1"]
    assert differences(cells) == ["print(x)"]
    assert differences(["x = 1", "print(x)", "z = 2", "z + 1"]) == []
    assert endless("for i in range(3):\n    while x:\n        pass") == ["x"]
