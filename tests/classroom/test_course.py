"""The sources: faults are named with file, cell and line; a release holds no answers; tasks of the teacher's own."""

import json

import nbformat
import pytest

from mcmteach.checks.judge import judge_function
from mcmteach.classroom.course import read_exercise, released, solved
from mcmteach.errors import InvalidInputError
from tests.checks.exercises import SOURCES
from tools.exercises import student

SOURCE = SOURCES[0]


def changed(tmp_path, **sources):
    """A copy of the first exercise with other sources for some cells, by their ids."""
    mine = nbformat.read(SOURCE, as_version=4)
    for cell in mine.cells:
        cell.source = sources.get(cell.id.replace("-", "_"), cell.source)
    nbformat.write(mine, tmp_path / SOURCE.name)
    return tmp_path / SOURCE.name


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: s.stem)
def test_our_own_sources_have_no_faults_and_a_release_has_no_answers(source):
    exercise = read_exercise(source)
    text = released(exercise)
    assert "SOLUTION" not in text and "HIDDEN" not in text
    assert text.replace("](../../", "](../") == student(source), "the same notebook as in exercises/"
    assert "HIDDEN" not in solved(exercise)


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        ({"given_1_6": "x = 1\ny = (2\n"}, r"cell 19 \(given-1-6\), line 2: '\(' was never closed"),
        ({"test_1_2": 'check("1.99", vc_epsilon)'}, r"\(test-1-2\): There is no task '1.99'.*tasks.py"),
        ({"test_1_2": "pass"}, r"\(test-1-2\): it has points, but no line check"),
        ({"task_1_1": "def f():\n    ### BEGIN SOLUTION\n    pass"}, r"there are 1 of '### BEGIN SOLUTION' and 0 of"),
        ({"about_1_2": "{{n}}"}, "No values are listed for {{n}}"),
    ],
    ids=["syntax", "unknown task", "no check", "half a solution", "no values"],
)  # fmt: skip
def test_a_fault_is_named_with_file_cell_and_line(tmp_path, sources, words):
    with pytest.raises(InvalidInputError, match=words) as problem:
        read_exercise(changed(tmp_path, **sources))
    assert str(tmp_path) in str(problem.value) or "{{" in words


def test_a_name_that_stands_twice_is_a_fault(tmp_path):
    mine = nbformat.read(SOURCE, as_version=4)
    twin = nbformat.from_dict(json.loads(json.dumps(next(c for c in mine.cells if c.id == "test-1-1"))))
    twin.id = "twin"
    mine.cells.append(twin)
    nbformat.write(mine, tmp_path / SOURCE.name)
    with pytest.raises(InvalidInputError, match="another cell has the same name 'test-1-1'"):
        read_exercise(tmp_path / SOURCE.name)


OWN = """
import numpy as np
from mcmteach.checks.task import Task

def double(x):
    return 2 * x

TASKS = [
    Task(
        key="my_course.1", title="Twice as much", reference=double,
        inputs=lambda rng: [(float(x),) for x in rng.integers(1, 9, 5)],
        mistakes={"square": (lambda x: x * x, "That is the square.")},
        hints=("Think.", "Of two.", "2 * x"),
    )
]
"""


def test_a_task_of_the_teachers_own_lies_beside_the_source_and_is_judged(tmp_path):
    path = changed(tmp_path, test_1_2='check("my_course.1", vc_epsilon)')
    with pytest.raises(InvalidInputError, match=r"belongs in tasks\.py"):
        read_exercise(path)
    (tmp_path / "tasks.py").write_text(OWN, encoding="utf-8")
    exercise = read_exercise(path)
    assert exercise.graded["test-1-2"].task == "my_course.1"
    task = exercise.task("my_course.1")
    assert judge_function(task, lambda x: x + x, seed=3).kind == "right"
    assert judge_function(task, lambda x: x * x, seed=3).mistake == "square"
    (tmp_path / "tasks.py").write_text("TASKS = [", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"tasks\.py, line 1"):
        read_exercise(path)
