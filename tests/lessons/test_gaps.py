"""Lines that a student writes inside a lesson: unsolved as stored, solved by the answer that is folded below."""

import re

import nbformat
import numpy as np
import pytest

from mcmteach.checks import find_task, judge, lessons_with_tasks
from tests.lessons.gaps import CHECK, in_lesson
from tests.lessons.owed import each_course_lesson, owed

GAPS = [gap for lesson in lessons_with_tasks() for gap in lesson.gaps.values()]


def written(code, name):
    """The function of that name that a cell's code defines; what follows it is not run."""
    names = {"np": np}
    exec(CHECK.sub("", code), names)
    return names[name]


@each_course_lesson
def test_a_lesson_has_two_or_three_gaps_and_the_folded_answers_fill_them(path, request):
    owed(request, path, "gaps")
    found = in_lesson(path)
    topic = path.stem.partition("_")[2]
    assert 2 <= len(found) <= 3
    cells = nbformat.read(path, as_version=4).cells
    assert any(re.search(r"^from mcmteach import .*\bhint\b", c.source, re.M) for c in cells), "a verdict says hint(…)"
    assert [check[1] for check, _, _ in found] == [gap.key for gap in GAPS if gap.key.startswith(f"{topic}.")]
    for check, code, answer in found:
        gap = find_task(check[1])
        assert judge.judge_function(gap, written(code, check[2])).kind == "blank"
        assert answer, f"the cell after {check[1]} should fold its answer away"
        assert judge.judge_function(gap, written(answer[1], check[2])).kind == "right"


@pytest.mark.parametrize("gap", GAPS, ids=lambda gap: gap.key)
def test_a_gap_knows_its_slips_and_has_a_hint(gap):
    assert gap.mistakes and gap.hints
    for name, (mistaken, _) in gap.mistakes.items():
        verdict = judge.judge_function(gap, mistaken)
        assert (verdict.kind, verdict.mistake) == ("mistake", name)
