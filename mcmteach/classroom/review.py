"""``python -m mcmteach review``: five questions from the lessons done so far, repeated at growing intervals.

The questions are the quizzes of the lessons (``questions.py``). Each is in a box: a right answer moves it to the next box,
a wrong one back to the first, and it is asked again after the number of days that DAYS has for its box (Leitner's system).
The boxes are kept in ``review.json`` beside the record of done tasks, and written after every answer.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from mcmteach.checks import record
from mcmteach.checks.syllabus import TOPICS, number_of
from mcmteach.checks.words import without_tags
from mcmteach.classroom.lab import IN_THE_WHEEL
from mcmteach.classroom.questions import Question, questions_of
from mcmteach.classroom.working_copies import COURSE
from mcmteach.errors import InvalidInputError
from mcmteach.validation import whole

DAYS = (1, 3, 7, 21, 60)  # until a question of the first, second, … box comes again
AT_ONCE = 5
REVIEW = f"""\
Five questions from the lessons that you have done: quizzes, with a reason for every answer. What you know is asked again after
{", ".join(map(str, DAYS[:-1]))} and then {DAYS[-1]} days, what you did not know tomorrow. Nothing is sent anywhere: the
schedule is kept in review.json, beside your record of done tasks.
"""


class Place(NamedTuple):
    """Where a question lies: its box, counted from 0, and when it was put there."""

    box: int
    since: datetime

    @property
    def due(self) -> datetime:
        return self.since + timedelta(days=DAYS[self.box])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lesson", metavar="LESSON", help="only this lesson, by number or topic, such as kernels")
    parser.add_argument("--questions", type=int, default=AT_ONCE, metavar="N", help="how many (default: %(default)s)")


def run(asked: argparse.Namespace) -> int:
    if not sys.stdin.isatty():
        raise InvalidInputError("This asks questions and waits for your answers: run it in a terminal.")
    return review(asked.lesson, whole(asked.questions, "--questions", 1))


def review(lesson: str | None = None, at_once: int = AT_ONCE, answer: Callable[[str], str] = input) -> int:
    """Ask questions, explain the answers, and schedule the next time.

    Parameters
    ----------
    lesson : the number or topic of the only lesson to ask about; None for all that were begun
    at_once : how many questions
    answer : shows a prompt and gives what was typed
    """
    all_questions = questions_of(IN_THE_WHEEL if IN_THE_WHEEL.is_dir() else COURSE)
    done, note = record.load()
    boxes, more = load_boxes()
    for said in filter(None, (note, more)):
        print(said)
    topics = [topic_of(lesson)] if lesson else begun(all_questions, done)
    pool = {q.key: (topic, q) for topic in topics for q in all_questions.get(topic, []) if q.kind == "quiz"}
    if not pool:
        print(f"There are no quizzes in the lesson on {topics[0]}." if lesson else NOTHING_YET)
        return 0
    by_lesson = [[key for key, (topic, _) in pool.items() if topic == each] for each in topics]
    chosen = choose(by_lesson, boxes, datetime.now())[:at_once]
    known = _ask_all([pool[key] for key in chosen], boxes, answer)
    waiting = [boxes[key].due for key in pool if key in boxes]
    left = len(waiting) < len(pool)
    print(
        f"\n{known} known.",
        "There are new ones left." if left else f"The next question is due on {min(waiting):%d %B}.",
    )
    return 0


def _ask_all(chosen: list[tuple[str, Question]], boxes: dict[str, Place], answer: Callable[[str], str]) -> int:
    """Ask one question after another and move each to its box; how many were known."""
    known = 0
    for number, (topic, question) in enumerate(chosen, start=1):
        print(f"\n{number} of {len(chosen)}, from the lesson on {topic.replace('_', ' ')}\n")
        right = ask(question, answer)
        if right is None:
            break
        known += right
        boxes[question.key] = moved(boxes.get(question.key), right, datetime.now())
        save_boxes(boxes)  # saved after each answer, so that stopping here loses nothing
    return known


NOTHING_YET = """\
Nothing to review yet: your record of done tasks names no lesson. Answer a quiz or solve a task in one (`python -m mcmteach lab`
opens them), or name a lesson: `python -m mcmteach review --lesson kernels`.
"""


def topic_of(lesson: str) -> str:
    """A lesson by its number or topic.

    Examples
    --------
    >>> topic_of("6"), topic_of("kernels")
    ('kernels', 'kernels')
    """
    topic = TOPICS[int(lesson)] if lesson.isdecimal() and int(lesson) < len(TOPICS) else lesson
    if topic not in TOPICS:
        raise InvalidInputError(
            f"There is no lesson {lesson!r}. Name its number, 0 to {len(TOPICS) - 1}, or its topic."
        )
    return topic


def begun(questions: Mapping[str, list[Question]], done: Mapping[str, str]) -> list[str]:
    """The topics with an entry in the record: a quiz, a prediction, a gap or a task."""
    with_tasks = {key.rpartition(".")[0] for key in done}
    asked = {topic for topic, of_topic in questions.items() if any(question.key in done for question in of_topic)}
    return sorted((with_tasks | asked) & set(TOPICS), key=number_of)


def choose(by_lesson: list[list[str]], boxes: Mapping[str, Place], now: datetime) -> list[str]:
    """All questions in the order in which to ask them.

    First what is due, the longest waiting one first; then what was never asked, one of each lesson in turn; then the rest,
    by when it will be due.
    """
    turns = {key: (turn, place) for place, keys in enumerate(by_lesson) for turn, key in enumerate(keys)}
    placed = sorted((key for key in turns if key in boxes), key=lambda key: boxes[key].due)
    new = sorted((key for key in turns if key not in boxes), key=turns.__getitem__)
    due = [key for key in placed if boxes[key].due <= now]
    return due + new + placed[len(due) :]


def moved(place: Place | None, right: bool, now: datetime) -> Place:
    """The box after an answer. A right one that came before the question was due leaves it where it is."""
    if not right or place is None:
        return Place(0, now)
    return Place(min(place.box + 1, len(DAYS) - 1), now) if place.due <= now else place


def ask(question: Question, answer: Callable[[str], str]) -> bool | None:
    """Ask one question, its options in random order, and give the reason; None if the user wants to stop."""
    options = random.sample(question.options, len(question.options))
    letters = "ABCDEFGH"[: len(options)]
    print(
        without_tags(question.asked),
        *(f"  {a}  {without_tags(o.text)}" for a, o in zip(letters, options, strict=True)),
        sep="\n",
    )
    while True:
        try:
            said = answer(f"\nYour answer ({', '.join(letters)}; Q to stop): ").strip().upper()
        except EOFError:
            return None
        if said == "Q":
            return None
        if len(said) == 1 and said in letters:
            break
        print(f"Type one of {', '.join(letters)}, or Q.")
    mine = options[letters.index(said)]
    print(f"{'✓ Right' if mine.right else '✗ Not quite'}: {without_tags(mine.reason)}")
    if not mine.right:
        for letter, option in zip(letters, options, strict=True):
            if option.right:
                print(f"✓ {letter} is right: {without_tags(option.reason)}")
    return mine.right


# --- the file ----------------------------------------------------------------------------------------------------------


def path() -> Path:
    return record.folder() / "review.json"


def load_boxes() -> tuple[dict[str, Place], str]:
    """{key of a question: its box and date}, and a message about the file, if there is a problem."""
    try:
        content = json.loads(path().read_text(encoding="utf-8"))
        if content["version"] != 1:
            raise ValueError(f"it has the version {content['version']!r}, but this mcmteach reads version 1")
        places = {key: Place(int(box), datetime.fromisoformat(since)) for key, (box, since) in content["boxes"].items()}
        if not all(0 <= place.box < len(DAYS) for place in places.values()):
            raise ValueError("it names a box that does not exist")
        return places, ""
    except FileNotFoundError:
        return {}, ""
    except OSError as problem:
        raise InvalidInputError(f"The boxes of your questions cannot be opened ({problem}).") from None
    except (ValueError, TypeError, KeyError, AttributeError) as problem:  # not JSON, not UTF-8, or something else
        return {}, record.put_aside(path(), str(problem) or "it holds something else", "The boxes of your questions")


def save_boxes(boxes: Mapping[str, Place]) -> None:
    content = {key: [place.box, place.since.isoformat(timespec="seconds")] for key, place in boxes.items()}
    try:
        record.write(path(), {"version": 1, "boxes": content})
    except OSError as problem:
        raise InvalidInputError(
            f"Your answer could not be entered ({problem}). MCMTEACH_HOME may name another folder for it."
        ) from None
