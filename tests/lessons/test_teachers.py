"""The teachers' pages: minutes and hours are those of the lessons, and a mistake that is named is in the catalogue."""

import re

import pytest

from mcmteach.checks import lessons_with_tasks
from mcmteach.checks.syllabus import CAPSTONE, TOPICS
from mcmteach.checks.task import Task
from tools import pace
from tools.teachers import FOLDER, PAGES, SYLLABUS, exercise_minutes, lesson, parts, section_minutes, table

NOTES = parts((FOLDER / "NOTES.md").read_text(encoding="utf-8"))
SLIPS = {
    task.key: set(task.mistakes)
    for each in lessons_with_tasks()
    for task in [*each.gaps.values(), *each.tasks.values()]
    if isinstance(task, Task)
}
NAMED = re.compile(r'(?:task|gap) (\w+): ("[^"]+"(?:, "[^"]+")*)')


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_numbers_are_those_of_the_lessons(path):
    text = path.read_text(encoding="utf-8")
    assert PAGES[path](text) == text, "python -m tools.teachers"


@pytest.mark.parametrize("topic", TOPICS)
def test_every_lesson_has_notes_and_their_slips_are_in_the_catalogue(topic):
    note = NOTES[topic]
    assert all(f"- **{part}.** " in note for part in ("They get wrong", "Ask", "Short of time"))
    named = [
        (f"{topic}.{place}", name) for place, names in NAMED.findall(note) for name in re.findall('"([^"]+)"', names)
    ]
    assert all(name in SLIPS[key] for key, name in named)
    assert len(named) >= 3 or topic in ("welcome", CAPSTONE)


def test_the_notes_follow_the_course():
    assert list(NOTES) == list(TOPICS)


@pytest.mark.parametrize("name", SYLLABUS)
def test_a_syllabus_has_its_weeks_and_keeps_the_order_in_which_lessons_build_on_each_other(name):
    weeks = SYLLABUS[name]
    topics = [topic for week in weeks for topic in week.topics.split()]
    assert len(weeks) == {"six": 6, "twelve": 12}[name]
    assert len(topics) == len(set(topics)) == {"six": 13, "twelve": 16}[name], "the page says how many are left out"
    moved = {"not_vectors"}  # it stands by itself
    assert [t for t in topics if t not in moved] == [t for t in TOPICS if t in topics and t not in moved]
    assert all(set(week.exercises.split()) <= set(week.topics.split()) for week in weeks)


def test_the_hours_of_a_week_by_hand():
    third = table(SYLLABUS["twelve"]).splitlines()[4]
    lesson_hours, exercise_hours = (float(cell) for cell in third.split("|")[-3:-1])
    assert lesson_hours == round(pace.whole(lesson("soft_margin")) / 60, 1)
    assert exercise_hours == round(exercise_minutes("soft_margin") / 60, 1) > 0
    assert exercise_minutes("welcome") == 0


@pytest.mark.parametrize("topic", TOPICS)
def test_sections_add_up_to_the_lesson(topic):
    before = pace.minutes(lesson(topic).cells[0])
    assert sum(section_minutes(topic).values()) == pytest.approx(pace.whole(lesson(topic)) - before, abs=7)


def test_the_project_takes_two_hours_most_of_them_the_students_own():
    own = sum(int(found) for cell in lesson(CAPSTONE).cells for found in pace.OWN.findall(cell.source))
    assert own > 0.75 * pace.whole(lesson(CAPSTONE)) and pace.whole(lesson(CAPSTONE)) == pytest.approx(120, abs=12)


@pytest.mark.parametrize("topic", [topic for topic in TOPICS if topic not in ("welcome", CAPSTONE)])
def test_the_page_of_exercises_has_each_with_its_minutes(topic):
    page = (FOLDER.parents[1] / "exercises" / "README.md").read_text(encoding="utf-8")
    number = TOPICS.index(topic)
    row = re.search(rf"^\| \[{number} [^]]+\]\({number:02}_{topic}\.ipynb\) \| (\d+) \|", page, re.M)
    assert row and int(row[1]) == exercise_minutes(topic)
