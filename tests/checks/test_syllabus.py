"""The one table with numbers in it: it fits the files' names, and old numbers keep their meaning."""

import pytest

from mcmteach.checks import syllabus
from tools.ledger import ROOT


def test_the_table_is_the_order_of_the_notebooks():
    for folder, first in (("lessons", 0), ("exercises/source", 1)):
        names = sorted(path.stem for path in (ROOT / folder).glob("[0-9]*.ipynb"))
        left_out = syllabus.PLANNED | ({syllabus.CAPSTONE} if first else set())
        expected = [f"{number:02d}_{topic}" for number, topic in enumerate(syllabus.TOPICS) if topic not in left_out]
        assert names == expected[first:]


def test_a_number_follows_the_table(monkeypatch):
    assert syllabus.task_number("kernels.2") == "6.2"
    monkeypatch.setattr(syllabus, "TOPICS", ("welcome", "kernels"))
    assert syllabus.task_number("kernels.2") == "1.2" and syllabus.number_of("kernels") == 1


@pytest.mark.parametrize(
    ("number", "key"),
    [("1.1", "why_learning_works.1"), ("6.2", "kernels.2"), ("10.5", "conformal_mcm.5"), ("12.4", "large_scale.4")],
)
def test_numbers_of_the_first_edition_keep_their_meaning(monkeypatch, number, key):
    monkeypatch.setattr(syllabus, "TOPICS", tuple(reversed(syllabus.TOPICS)))
    assert syllabus.key_of_first_edition(number) == key


@pytest.mark.parametrize("other", ["0.1", "13.1", "6", "six.two", "", "6.2.1x", "quiz"])
def test_what_is_no_number_of_a_task_stays_as_it_is(other):
    assert syllabus.key_of_first_edition(other) == other
