"""The exercises' sources, and the solutions in them as functions that a test can call."""

import json
from functools import cache

from mcmteach.checks import find_task
from tools.ledger import ROOT

SOURCES = sorted(ROOT.glob("exercises/source/*.ipynb"))


def cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def text(cell):
    return "".join(cell["source"])


def sources():
    """{key of a task: the source of its solution}, for the functions."""
    found = {}
    for path in SOURCES:
        for cell in cells(path):
            name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
            if name.startswith("task-") and text(cell).startswith("def "):
                found[find_task(name.removeprefix("task-").replace("-", ".")).key] = text(cell)
    return found


@cache
def solutions():
    """{key of a task: the solution of the source notebooks}: a function, or for an explanation its text."""
    found = {}
    for path in SOURCES:
        names = {}
        for cell in cells(path):
            about = cell["metadata"].get("nbgrader", {})
            if cell["id"] == "setup" or about.get("solution"):
                before = set(names)
                exec(compile(text(cell), path.name, "exec"), names)
                if about:
                    (new,) = set(names) - before
                    found[find_task(about["grade_id"].removeprefix("task-").replace("-", ".")).key] = names[new]
    return found
