"""The minutes that a lesson and its sections promise are those that its words, cells, panels and questions take."""

import re

import nbformat
import pytest

from tests.lessons.owed import PATHS, PROJECT, each_lesson, owed
from tools import pace
from tools.ledger import ROOT
from tools.teachers import exercise_minutes


@each_lesson
def test_the_minutes_are_honest_within_a_fifth_and_only_the_project_takes_longer_than_75(path, request):
    owed(request, path, "pace")
    notebook = nbformat.read(path, as_version=4)
    said = int(pace.WHOLE.search(notebook.cells[0].source)[0])
    assert abs(said - pace.whole(notebook)) <= 0.2 * pace.whole(notebook)
    assert pace.whole(notebook) <= 75 or path == PROJECT
    for place, spent in pace.to_here(notebook).items():
        here = re.search(r"about (\d+) minutes? to here", notebook.cells[place].source)
        assert here and abs(int(here[1]) - spent) <= max(1, 0.2 * spent), "python -m tools.pace, or make lessons"


def test_the_readme_says_how_many_hours_the_course_takes():
    readme = (ROOT / "README.md").read_text("utf-8")
    said = re.search(r"about (\d+) hours of lessons .*? and (\d+) for the exercises", readme).groups()
    lessons = sum(pace.whole(nbformat.read(path, as_version=4)) for path in PATHS)
    exercises = sum(exercise_minutes(path.stem[3:]) for path in ROOT.glob("exercises/[0-9]*.ipynb"))
    assert [int(hours) for hours in said] == pytest.approx([lessons / 60, exercises / 60], abs=0.75)


def lesson(*cells):
    kinds = {"markdown": nbformat.v4.new_markdown_cell, "code": nbformat.v4.new_code_cell}
    return nbformat.v4.new_notebook(cells=[kinds[kind](source) for kind, source in cells])


def test_minutes_by_hand():
    notebook = lesson(
        ("markdown", "# T\n\nabout 45 minutes " + "word " * 395),  # 400 words
        ("code", "x = 1"),
        (
            "markdown",
            "## One\n" + "word " * 98 + "<details> " + "folded " * 500 + "</details>",
        ),  # 100 words, 500 by choice
        ("code", "widgets.risk_panel()"),
        (
            "markdown",
            "## Two\n\n$$a = b$$ your part: 20 minutes",
        ),  # nine words, a formula, and twenty minutes of writing
        ("code", 'def f(x):\n    return ...\n\nmt.check("topic.f", f)'),
        ("code", "Quiz('?', [])"),
    )
    assert pace.to_here(notebook) == {2: 2 + 1.5, 4: 2 + 1.5 + 0.5 + 6}
    assert pace.whole(notebook) == pytest.approx(10 + 9 / 200 + 1 + 20 + 3 + 1.5)
    pace.write(notebook)
    once = [cell.source for cell in notebook.cells]
    assert "about 35 minutes " in once[0] and once[4].startswith("## Two\n\n<sub>about 10 minutes to here</sub>\n\n$$")
    pace.write(notebook)
    assert [cell.source for cell in notebook.cells] == once
