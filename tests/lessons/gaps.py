"""The lines that a student writes inside a lesson: where they are, and the answers that are folded below."""

import re

import nbformat

from tests.lessons.owed import PATHS

CHECK = re.compile(r'^mt\.check\("(\w+\.[a-z_]+)", (\w+)\)$', re.M)
FOLDED = re.compile(r"<details>\s*<summary>Answer</summary>\s*```python\n(.*?)```.*?</details>", re.S)


def in_lesson(path):
    """For each gap the match of its check (key, function), the code of its cell, and the match of the answer below."""
    cells = nbformat.read(path, as_version=4).cells
    found = [(place, m) for place, c in enumerate(cells) if c.cell_type == "code" and (m := CHECK.search(c.source))]
    return [(m, cells[place].source, FOLDED.search(cells[place + 1].source)) for place, m in found]


def sources():
    """{key of a gap: the source of its folded answer}."""
    return {check[1]: answer[1] for path in PATHS for check, _, answer in in_lesson(path)}
