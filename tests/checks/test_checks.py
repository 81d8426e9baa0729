"""``check``, ``hint`` and ``progress``: how a task is named, what is counted, and what nbgrader sees."""

import numpy as np
import pytest

import mcmteach as mt
from mcmteach import checks
from mcmteach.checks import find_task, record, syllabus
from mcmteach.errors import InvalidInputError
from tests.checks.catalogue import ALL, EXPLANATIONS, TASKS
from tests.checks.exercises import solutions


@pytest.mark.parametrize("name", ["6.2", 6.2, np.float64(6.2), "kernels.2"])
def test_a_task_is_known_by_number_and_by_key(name):
    assert find_task(name) is ALL["kernels.2"]
    assert mt.check(name, None).title == "Task 6.2: not begun yet" and mt.hint(name).title == "Task 6.2: hint 1 of 3"


@pytest.mark.parametrize("key", ALL)
def test_every_number_finds_its_task_as_a_text_and_as_a_float(key):
    assert find_task(ALL[key].number) is find_task(float(ALL[key].number)) is ALL[key]


@pytest.mark.parametrize("name", ["9.9", 99, None, "kernels", "6.2 ", [6.2], ""])
def test_an_unknown_task_names_those_that_there_are(name):
    for ask in (lambda: mt.check(name, None), lambda: mt.hint(name)):
        with pytest.raises(InvalidInputError, match=r"The tasks are 1\.1, 1\.2"):
            ask()


def test_numbers_follow_the_syllabus(monkeypatch):
    monkeypatch.setattr(syllabus, "TOPICS", ("welcome", "kernels", *(t for t in syllabus.TOPICS[1:] if t != "kernels")))
    assert mt.check("1.2", None).title == mt.check("kernels.2", None).title == "Task 1.2: not begun yet"
    assert find_task("1.2") is ALL["kernels.2"]


@pytest.mark.parametrize("key", ALL)
def test_hints_come_one_by_one(key):
    hints = ALL[key].hints
    for given_so_far in (1, 2, 3, 3):
        said = mt.hint(key)
        assert [h in said.text for h in hints] == [i < given_so_far for i in range(3)]
        assert f"hint {given_so_far} of 3" in said.title
    assert "exercises/solutions" in said.text


def test_under_nbgrader_a_failure_is_an_error_and_nothing_is_recorded(monkeypatch, own_record):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    with pytest.raises(AssertionError, match="natural logarithm"):
        mt.check("1.2", next(iter(ALL["why_learning_works.2"].mistakes.values()))[0])
    with pytest.raises(AssertionError, match="no text yet"):
        mt.check("1.6", "")
    assert mt.check("1.2", solutions()["why_learning_works.2"]).passed
    assert mt.check("1.6", solutions()["why_learning_works.6"]).kind == "written"
    assert not own_record.exists()


def test_while_a_submission_is_graded_nothing_is_judged(monkeypatch):
    monkeypatch.setenv("MCMTEACH_GRADING", "1")
    checks.lessons_with_tasks.cache_clear()
    try:
        assert mt.check("1.2", None).kind == "handed in" and "no hints" in mt.hint(1.2).text
    finally:
        checks.lessons_with_tasks.cache_clear()


def test_progress_counts_what_is_solved_and_apart_from_it_what_is_written():
    nothing = f"0 of {len(TASKS)} tasks solved, 0 of {len(EXPLANATIONS)} texts written"
    assert mt.progress().title == nothing
    for key in ("why_learning_works.1", "why_learning_works.1", "which_hyperplane.6"):
        mt.check(key, solutions()[key])
    mt.check("1.6", 26 * "blah ")
    said = mt.progress()
    assert said.title == f"1 of {len(TASKS)} tasks solved, 1 of {len(EXPLANATIONS)} texts written"
    assert "1 solved  ✓1.1 ·1.2" in str(said) and "0 solved  ·2.1" in str(said) and "·2.5 ✎2.6" in str(said)
    assert "Which hyperplane?" in str(said) and "✎2.6" in said._repr_html_()


def test_a_later_failure_takes_nothing_away():
    mt.check("1.1", solutions()["why_learning_works.1"])
    mt.check("1.1", lambda y, f: 0.0)
    assert "✓1.1" in str(mt.progress()) and list(record.load()[0]) == ["why_learning_works.1"]
