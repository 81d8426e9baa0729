"""The self-test: which questions come when, and that no answer is ever lost."""

import json
import re
from datetime import datetime, timedelta

import pytest

from mcmteach import MCMError
from mcmteach.__main__ import main
from mcmteach.checks import record
from mcmteach.checks.words import without_tags
from mcmteach.classroom import review
from mcmteach.classroom.questions import questions_of
from mcmteach.classroom.review import DAYS, Place, begun, choose, moved
from tools.ledger import ROOT

NOW = datetime(2026, 3, 1, 12)
QUIZZES = {topic: [q for q in asked if q.kind == "quiz"] for topic, asked in questions_of(ROOT).items()}


def ago(days, box=0):
    return Place(box, NOW - timedelta(days=days))


def answers(right=True, stop_after=None):
    """Somebody who reads the last question on the screen and knows, or does not know, the answer."""
    questions = [question for asked in QUIZZES.values() for question in asked]
    given = []

    def answer(prompt):
        if len(given) == stop_after:
            raise KeyboardInterrupt
        screen = answer.screen()
        question = max(questions, key=lambda question: screen.rfind(without_tags(question.asked)))
        meant = {without_tags(option.text) for option in question.options if option.right is right}
        given.append(question.key)
        options = re.findall(r"^  ([A-H])  (.+)$", screen, re.M)[-len(question.options) :]
        return next(letter for letter, text in options if text in meant)

    return answer


@pytest.fixture
def own_record(tmp_path, monkeypatch):
    monkeypatch.setenv("MCMTEACH_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def ask(capsys):
    def ask(answer, **options):
        shown = []

        def screen():
            shown.append(capsys.readouterr().out)
            return "".join(shown)

        answer.screen = screen
        status = review.review(answer=answer, **options)
        return status, screen()

    return ask


# --- which questions, and when -----------------------------------------------------------------------------------------


def test_what_is_due_comes_first_then_new_ones_of_every_lesson_then_what_can_wait():
    boxes = {"a1": ago(2), "b1": ago(9), "b2": ago(0.5), "a3": ago(8, box=3)}
    assert choose([["a1", "a2", "a3"], ["b1", "b2", "b3"]], boxes, NOW) == ["b1", "a1", "a2", "b3", "b2", "a3"]
    assert choose([["a1", "a2"], ["b1", "b2"], ["c1"]], {}, NOW) == ["a1", "b1", "c1", "a2", "b2"]


def test_knowing_it_each_time_when_due_lengthens_the_pause_and_a_slip_starts_again():
    place, day = None, NOW
    for days in (*DAYS, DAYS[-1]):
        place = moved(place, True, day)
        assert place.due - day == timedelta(days=days)
        day = place.due
    assert moved(place, False, day) == Place(0, day)


def test_a_right_answer_before_its_time_leaves_the_box_as_it_is_and_a_wrong_one_does_not():
    early = Place(3, NOW - timedelta(days=1))
    assert moved(early, True, NOW) == early and moved(early, False, NOW) == Place(0, NOW)


def test_a_lesson_counts_from_its_first_task_quiz_or_prediction():
    questions = questions_of(ROOT)
    quiz, prediction = questions["soft_margin"][-1].key, questions["kernels"][0].key
    done = dict.fromkeys([quiz, prediction, "bending_space.2", "welcome.9", "nonsense", "my_course.1"], "2026-01-01")
    assert begun(questions, done) == ["welcome", "soft_margin", "kernels", "bending_space"]
    assert begun(questions, {}) == []


# --- the conversation --------------------------------------------------------------------------------------------------


def test_five_questions_from_lessons_done_with_reasons_and_other_ones_the_next_time(own_record, ask):
    for topic in ("soft_margin", "kernels", "bending_space"):
        record.mark_done(f"{topic}.1")
    asked = {}
    for time in (1, 2):
        status, shown = ask(answers())
        stored = json.loads((own_record / "review.json").read_text())["boxes"]
        assert status == 0 and shown.count("✓ Right: ") == 5 and len(stored) == 5 * time
        asked[time] = set(stored)
    theirs = {q.key for topic in ("soft_margin", "kernels", "bending_space") for q in QUIZZES[topic]}
    assert asked[1] < asked[2] <= theirs
    first = {topic for topic in QUIZZES for q in QUIZZES[topic] if q.key in asked[1]}
    assert first == {"soft_margin", "kernels", "bending_space"}, "of every lesson in turn"


def test_a_wrong_answer_is_told_why_it_is_wrong_and_which_is_right(own_record, ask):
    _, shown = ask(answers(right=False), lesson="6", at_once=1)
    (question,) = [q for q in QUIZZES["kernels"] if q.asked in shown]
    assert any(f"✗ Not quite: {o.reason}" in shown for o in question.options if not o.right)
    assert all(f" is right: {o.reason}" in shown for o in question.options if o.right)
    assert "0 known" in shown


def test_whoever_is_interrupted_keeps_what_was_answered(own_record, ask):
    with pytest.raises(KeyboardInterrupt):
        ask(answers(stop_after=2), lesson="kernels")
    assert len(json.loads((own_record / "review.json").read_text())["boxes"]) == 2


@pytest.mark.parametrize("typed", ["q", EOFError])
def test_one_may_stop_and_odd_answers_are_asked_again(own_record, capsys, typed):
    said = iter(["", "z", "AB", typed])

    def answer(prompt):
        word = next(said)
        if word is EOFError:
            raise EOFError
        return word

    assert review.review("kernels", answer=answer) == 0
    shown = capsys.readouterr().out
    assert shown.count("Type one of A, B, C, D, or Q.") == 3 and not (own_record / "review.json").exists()


def test_without_any_progress_it_says_what_to_do(own_record, capsys):
    assert review.review() == 0 and "Nothing to review yet" in capsys.readouterr().out
    assert review.review("welcome") == 0 and "no quizzes" in capsys.readouterr().out


def test_on_the_command_line(own_record, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert main(["review"]) == 2 and "run it in a terminal" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert main(["review"]) == 0 and "Nothing to review yet" in capsys.readouterr().out
    assert main(["review", "--lesson", "99"]) == 2 and "no lesson '99'" in capsys.readouterr().err
    assert main(["review", "--questions", "0"]) == 2 and "--questions" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["review", "--help"])
    assert "Five questions" in capsys.readouterr().out


# --- the file ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "{}", '{"version": 2, "boxes": {}}', '{"version": 1, "boxes": {"a": [9, "2026-01-01"]}}',
     '{"version": 1, "boxes": {"a": [0, "soon"]}}', '{"version": 1, "boxes": {"a": 1}}', '{"version": 1, "boxes": []}'],
)  # fmt: skip
def test_a_damaged_file_is_kept_aside_and_spoken_of(own_record, ask, content):
    own_record.mkdir(exist_ok=True)
    (own_record / "review.json").write_text(content)
    _, shown = ask(answers(), lesson="kernels", at_once=1)
    (aside,) = own_record.glob("review-damaged-*.json")
    assert aside.read_text() == content and str(aside) in shown
    assert len(json.loads((own_record / "review.json").read_text())["boxes"]) == 1


def test_a_folder_that_cannot_be_used_is_named(tmp_path, monkeypatch, ask):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MCMTEACH_HOME", str(tmp_path / "file"))
    with pytest.raises(MCMError, match="cannot be opened"):
        ask(answers(), lesson="kernels")
