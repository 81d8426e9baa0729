"""Trying out: the time is limited, whatever the answer does; nothing of the caller's is touched."""

import io
import sys
import threading
import time
from contextlib import redirect_stdout
from dataclasses import replace

import numpy as np
import pytest

from mcmteach.checks import judge
from mcmteach.checks.run import RemoteAnswer, RemoteError, TimeUp, try_out
from mcmteach.checks.task import Task
from tests.checks.catalogue import ALL
from tests.checks.exercises import solutions

TASK = replace(ALL["why_learning_works.2"], seconds=0.3)
RIGHT = solutions()["why_learning_works.2"]


@pytest.fixture(autouse=True)
def nothing_goes_on_after_the_test():
    """An answer that was left behind in C code keeps its thread, and the process, until it returns: the test waits for it."""
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        thread.join(600)
        assert not thread.is_alive(), f"{thread.name} never ends"


@pytest.fixture
def without_threads(monkeypatch):
    """As in a browser."""

    def start(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    monkeypatch.delattr(time, "thread_time")
    monkeypatch.setattr(judge, "_said_about_threads", False)


rounds = 0


def counts_for_ever(h, M, eta):
    global rounds
    while h > 0:
        rounds += 1


def counts_in_a_generator(h, M, eta):
    global rounds
    return sum(1 for rounds in iter(int, 1))


def helper():
    global rounds
    while True:
        rounds += 1


def counts_in_a_helper(h, M, eta):
    helper()


@pytest.mark.parametrize("answer", [counts_for_ever, counts_in_a_generator, counts_in_a_helper])
@pytest.mark.parametrize("threads", [True, False])
def test_an_answer_that_never_ends_is_stopped(answer, threads, request, monkeypatch):
    monkeypatch.setattr("mcmteach.checks.run.WAITING", 1000)  # it stops by itself, however late its turn comes
    if not threads:
        request.getfixturevalue("without_threads")
    start = time.process_time()
    verdict = judge.judge_function(TASK, answer)
    limit = "0.3 seconds" if threads else "1.8 seconds"  # in a browser Python is slower
    assert verdict.kind == "slow" and limit in verdict.text
    seen = -1
    while seen != rounds and time.process_time() - start < 5:
        seen = rounds
        time.sleep(0.2)
    assert rounds == seen, "it has ended"


def test_what_counts_is_the_time_in_which_an_answer_computes(monkeypatch):
    """On a busy machine an answer waits for its turn; here it sleeps."""
    monkeypatch.setattr("mcmteach.checks.run.WAITING", 1000)
    task = replace(TASK, seconds=1.0)
    run = try_out(task, lambda h, M, eta: time.sleep(0.6) or RIGHT(h, M, eta), TASK.calls()[:2])
    assert run.problem is None and len(run.results) == 2


def test_while_an_answer_is_stuck_in_C_code_a_right_one_is_right():
    door = threading.Lock()

    def waits_at_the_door(h, M, eta):
        with door:
            return h

    with door:
        assert judge.judge_function(TASK, waits_at_the_door).kind == "slow"
        assert judge.judge_function(replace(TASK, seconds=60.0), RIGHT).kind == "right"


def test_after_an_answer_that_computes_in_C_code_for_long_a_right_one_is_right():
    assert judge.judge_function(TASK, lambda h, M, eta: np.linalg.svd(np.ones((1500, 1500)))[1][0]).kind == "slow"
    assert judge.judge_function(replace(TASK, seconds=60.0), RIGHT).kind == "right"


def test_without_threads_the_verdicts_are_the_same_and_it_is_said_once(without_threads):
    answers = [
        RIGHT,
        lambda h, M, eta: 1 / 0,
        lambda h, M, eta: None,
        lambda h, M, eta: h,
        next(iter(TASK.mistakes.values()))[0],
        None,
        3,
    ]
    before = sys.gettrace(), sys.stdout
    verdicts = [judge.judge_function(TASK, answer) for answer in answers]
    assert [v.kind for v in verdicts] == ["right", "error", "blank", "wrong", "mistake", "blank", "form"]
    assert ["cannot start threads" in v.text for v in verdicts] == [True] + 6 * [False]
    assert (sys.gettrace(), sys.stdout) == before


@pytest.mark.parametrize("threads", [True, False])
def test_what_an_answer_raises_is_kept(threads, request):
    if not threads:
        request.getfixturevalue("without_threads")

    def answer(h, M, eta):
        raise error

    for error in (SystemExit(3), KeyboardInterrupt(), RecursionError("deep"), ValueError()):
        assert try_out(TASK, answer, TASK.calls()).problem is error


def test_warnings_and_tracers_of_the_caller_are_left_alone(recwarn):
    before = sys.gettrace()
    assert judge.judge_function(TASK, lambda h, M, eta: np.log(-1.0) * h).kind == "wrong"
    assert not recwarn.list and sys.gettrace() is before


def test_what_is_printed_is_shown_and_noted():
    def answer(h, M, eta):
        print("hello")

    shown = io.StringIO()
    with redirect_stdout(shown):
        run = try_out(TASK, answer, TASK.calls()[:2])
    assert run.printed and shown.getvalue() == "hello\nhello\n" and run.results == [None, None]
    assert not try_out(TASK, RIGHT, TASK.calls()).printed


@pytest.mark.parametrize("key", [key for key, task in ALL.items() if isinstance(task, Task)])
def test_a_right_answer_has_four_times_the_time_that_it_needs(key):
    task, answer = ALL[key], solutions()[key]
    start = time.process_time()
    run = try_out(task, answer, task.calls())
    assert run.problem is None
    assert time.process_time() - start < task.seconds / 4, "on an old laptop it would be called slow"


class Elsewhere(RemoteAnswer):
    patience = 60.0

    def __init__(self, error=None):
        self.error = error

    def __call__(self, h, M, eta):
        if self.error:
            raise self.error
        self.borrowed = "vc_epsilon"
        time.sleep(0.05)
        return RIGHT(h, M, eta)


def test_a_remote_answer_keeps_the_time_itself_and_tells_what_it_borrowed():
    start = time.monotonic()
    assert judge.judge_function(TASK, Elsewhere()).kind == "borrowed"
    assert time.monotonic() - start > TASK.seconds, "an answer of this process would have been stopped"
    assert judge.judge_function(TASK, Elsewhere(TimeUp())).kind == "slow"


def test_a_remote_error_is_shown_with_its_line():
    error = type("ZeroDivisionError", (RemoteError,), {"where": "in line 3 of its cell:\n    x / 0"})(
        "division by zero"
    )
    verdict = judge.judge_function(TASK, Elsewhere(error))
    assert (
        verdict.kind == "error"
        and "with ZeroDivisionError: division by zero\nin line 3 of its cell:\n    x / 0" in verdict.text
    )
    blank = type("NotImplementedError", (RemoteError, NotImplementedError), {})()
    assert judge.judge_function(TASK, Elsewhere(blank)).kind == "blank"
