"""Every task: the solution passes, a blank stub fails kindly, each known slip gets its own words; and the record holds."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcmteach as mt
from mcmteach import checks
from mcmteach.bounds import structural_risk, unseparable_labels
from mcmteach.capacity import geometric_margins, middle_of_gap
from mcmteach.checks import judge, lessons_with_tasks, record
from mcmteach.checks.task import Explanation, Task
from mcmteach.checks.tasks import which_hyperplane as lesson02
from mcmteach.checks.tasks import why_learning_works as lesson01
from mcmteach.checks.words import Words
from mcmteach.errors import InvalidInputError
from mcmteach.experiments import recover_svm_counts, signed_rank
from mcmteach.gram import feature_distances
from mcmteach.kernels import quadratic_map
from mcmteach.paper import table3_counts as puzzle
from mcmteach.paper.choosing_on_test import expected_best
from mcmteach.svm import descent
from tests.checks.exercises import solutions
from tools.ledger import ROOT

ALL = {task.id: task for lesson in lessons_with_tasks() for task in lesson.tasks.values()}
TASKS = [task for task in ALL.values() if isinstance(task, Task)]
EXPLANATIONS = [task for task in ALL.values() if isinstance(task, Explanation)]
each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
each_explanation = pytest.mark.parametrize("task", EXPLANATIONS, ids=lambda task: task.id)


@pytest.fixture(autouse=True)
def own_record(tmp_path, monkeypatch):
    """No test touches the record of whoever runs it, and every test begins at the foot of the ladders."""
    monkeypatch.setenv("MCMTEACH_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setattr(checks, "_given", {})
    return tmp_path / "home"


def taking(task, body):
    """A function with the task's own arguments."""
    names = {"body": body}
    exec(f"def answer({', '.join(task.arguments)}): return body({', '.join(task.arguments)})", names)
    return names["answer"]


# --- the catalogue ---------------------------------------------------------------------------------------------------


def test_lessons_are_numbered_and_have_four_to_six_tasks_each():
    lessons = lessons_with_tasks()
    assert [lesson.number for lesson in lessons] == list(range(1, len(lessons) + 1))
    for lesson in lessons:
        assert list(lesson.tasks) == [f"{lesson.number}.{i}" for i in range(1, len(lesson.tasks) + 1)]
        assert 4 <= len(lesson.tasks) <= 6 and lesson.title
        assert isinstance(list(lesson.tasks.values())[-1], Explanation), "the last task is to explain"


@pytest.mark.parametrize("task", ALL.values(), ids=lambda task: task.id)
def test_every_task_has_three_hints_and_three_ways_to_miss(task):
    assert len(task.hints) == len(set(task.hints)) == 3
    ways = task.mistakes if isinstance(task, Task) else task.points
    assert len({way.name for way in ways}) == len(ways) >= 3
    if isinstance(task, Task):
        assert len({m.explanation for m in task.mistakes}) == len(task.mistakes)


@each_task
def test_the_solution_passes(task):
    verdict = mt.check(task.id, solutions()[task.id])
    assert verdict.kind == "right" and verdict.passed, verdict
    assert task.id in record.load()[0]


def not_implemented(*_):
    raise NotImplementedError


@each_task
@pytest.mark.parametrize("stub", [not_implemented, lambda *_: None, lambda *_: ..., None, ...])
def test_a_blank_stub_fails_kindly(task, stub):
    verdict = mt.check(task.id, taking(task, stub) if callable(stub) else stub)
    assert verdict.kind == "blank" and not verdict.passed
    assert f'hint("{task.id}")' in verdict.text and "rror" not in verdict.text
    assert record.load() == ({}, "")


MISTAKES = [(task, mistake) for task in TASKS for mistake in task.mistakes]


@pytest.mark.parametrize(("task", "mistake"), MISTAKES, ids=[f"{t.id} {m.name}" for t, m in MISTAKES])
def test_each_mistake_gets_its_own_words_and_no_others(task, mistake):
    verdict = mt.check(task.id, mistake.wrong)
    assert (verdict.kind, verdict.mistake, verdict.passed) == ("mistake", mistake.name, False), verdict
    assert [m.name for m in task.mistakes if m.explanation in verdict.text] == [mistake.name]


BORROWED = [
    ("1.1", "empirical_risk", mt.empirical_risk),
    ("1.1", "zero_one_loss", lambda y, f: mt.bounds.zero_one_loss(y, f).mean()),
    ("1.2", "vc_epsilon", mt.vc_epsilon),
    ("1.3", "vc_bound", partial(mt.vc_bound)),
    ("1.3", "structural_risk", lambda risk, h, M, eta, B: risk + structural_risk(risk, h, M, eta, B)),
    ("1.4", "sample_size", lambda h, eta: mt.sample_size(1.0, h, eta)),
    ("1.5", "shatters", mt.shatters),
    ("1.5", "unseparable_labels", lambda points: 8 if unseparable_labels(points) is None else 6),
    ("2.1", "functional_margins", mt.functional_margins),
    ("2.2", "geometric_margin", mt.geometric_margin),
    ("2.2", "geometric_margins", lambda X, y, w, b: min(geometric_margins(X, y, w, b))),
    ("2.4", "fit", lambda X, y: mt.Perceptron().fit(X, y).n_mistakes_),
    ("2.4", "perceptron_primal", lambda X, y: mt.perceptron.perceptron_primal(X[::-1], y[::-1])[1].alpha.sum()),
    ("2.4", "perceptron_dual", lambda X, y: mt.perceptron.perceptron_dual(X @ X.T, y).alpha.sum()),
    ("2.5", "capacity_chain", lambda X, w, b: mt.capacity_chain(X, w, b).ratio),
    ("4.1", "h_mcm", mt.h_mcm),
    ("4.2", "middle_of_gap", middle_of_gap),
    ("4.3", "capacity_chain", lambda X, u, v: mt.capacity_chain(X, u, v).ratio / mt.h_mcm(X, u, v)),
    ("4.4", "margin_vc_dim", mt.margin_vc_dim),
    ("6.1", "quadratic_map", quadratic_map),
    ("6.2", "rbf_kernel", mt.rbf_kernel),
    ("6.2", "squared_distances", lambda X, Z, gamma: np.exp(-gamma * mt.kernels.squared_distances(X, Z))),
    ("6.4", "is_mercer", mt.is_mercer),
    ("6.5", "perceptron_dual", lambda K, y, alpha, b: mt.perceptron.perceptron_dual(K, y, max_iter=1)[:2]),
    ("3.1", "slack", mt.svm.slack),
    ("3.1", "hinge_loss", lambda X, y, w, b: mt.bounds.hinge_loss(y, X @ w + b)),
    ("3.2", "soft_margin_objective", mt.svm.soft_margin_objective),
    ("3.3", "soft_margin_subgradient", mt.svm.soft_margin_subgradient),
    ("3.4", "descent", lambda X, y, C, eta, steps: descent(X, y, C, eta, steps, "falling").w[-1]),
    ("3.5", "smooth_svm_gradient", mt.svm.smooth_svm_gradient),
    (
        "5.1",
        "charnes_cooper",
        lambda X, y, u, v: mt.charnes_cooper(u, v, (y * (X @ u + v)).min(), (y * (X @ u + v)).max()),
    ),
    ("5.2", "build_lp", lambda X, y: mt.lp.build_lp(X, y, np.inf)[:3]),
    ("5.3", "solve_mcm", lambda X, y: mt.solve_mcm(X, y, C=np.inf, sparsity=0).h),
    ("5.3", "fit", lambda X, y: mt.MCMClassifier(kernel="linear", C=np.inf, sparsity=0).fit(X, y).h_),
    ("7.4", "dual_bound", lambda K, y, C, s, z: mt.certificate.dual_bound(K, y, C, s, z)[0]),
    ("7.5", "gram_matrix", lambda A: mt.gram_matrix(mt.set_kernel, map(np.flatnonzero, A), normalise=True)),
    ("11.1", "recover_svm_counts", lambda m, a, k: float(recover_svm_counts()[10].n_sv)),
    ("11.2", "_joint_sd", lambda n, a, s, k: puzzle._joint_sd(n, a, s)),
    ("11.3", "expected_best", expected_best),
    ("11.4", "signed_rank", lambda a, b: signed_rank(a, b).W),
    ("7.5", "set_kernel", lambda A: np.array([[mt.set_kernel(a.nonzero()[0], b.nonzero()[0]) for b in A] for a in A])),
    ("8.1", "feature_distances", feature_distances),
    ("8.2", "core_matrix", lambda X, cores, alpha, gamma: mt.conformal.core_matrix(X, cores, gamma) @ alpha),
    ("8.2", "__call__", lambda X, cores, alpha, gamma: mt.ConformalMap(cores, alpha, gamma)(X)),
    ("8.3", "conformal_matrix", lambda K0, c: mt.conformal.conformal_matrix(K0, c)),
    ("8.4", "induced_metric", lambda c, slope, gamma: mt.conformal.induced_metric(c, slope, gamma)),
    ("8.5", "amari_wu_map", lambda X, support, coef, gamma: mt.amari_wu_map(support, coef, gamma)),
    ("9.1", "fisher_scalar", mt.fisher_scalar),
    ("9.1", "feature_scatter", lambda Z, y: mt.fisher.feature_scatter(Z, y)),
    ("9.1", "kernel_fisher_scalar", lambda Z, y: mt.kernel_fisher_scalar(Z @ Z.T, y)),
    ("9.2", "scatter_matrices", mt.scatter_matrices),
    ("9.3", "kernel_fisher_scalar", mt.kernel_fisher_scalar),
    ("9.3", "fisher_scalar", lambda K0, y, c: mt.fisher_scalar(c[:, None] * mt.empirical_feature_map(K0), y)),
    ("9.4", "xiong_ascent", lambda alpha, M0, N0, eta: mt.conformal.xiong_ascent(M0, alpha, N0, 1)),
    ("9.5", "optimal_alpha", lambda P, Q: mt.conformal.optimal_alpha(P, P[0], Q)),
    ("12.4", "model_bytes", lambda lam, n, size: mt.export.model_size.model_bytes(lam)),
    ("12.4", "model_numbers", lambda lam, n, size: mt.export.model_size.model_numbers(lam)),
]


@pytest.mark.parametrize(("task", "name", "answer"), BORROWED, ids=[f"{task} {name}" for task, name, _ in BORROWED])
def test_the_librarys_own_function_earns_nothing_nor_does_a_wrapper(task, name, answer):
    verdict = mt.check(task, answer)
    assert verdict.kind == "borrowed" and f"`{name}`" in verdict.text, verdict
    assert record.load() == ({}, "")


def test_every_function_that_is_an_answer_is_tried_above():
    assert {(t, n) for t, n, _ in BORROWED} == {(task.id, f.__name__) for task in TASKS for f in task.library}


def test_other_functions_of_the_library_may_be_used():
    def vc_bound(risk, h, M, eta=0.05, B=1.0):
        Be = B * mt.vc_epsilon(h, M, eta)
        return risk + Be / 2 * (1 + np.sqrt(1 + 4 * risk / Be))

    assert mt.check("1.3", vc_bound).passed


WITH_ARRAYS = [task for task in TASKS if any(isinstance(a, np.ndarray) for a in task.calls()[0])]


@pytest.mark.parametrize("task", WITH_ARRAYS, ids=lambda task: task.id)
def test_an_input_changed_in_place_is_noticed(task):
    which = next(i for i, a in enumerate(task.calls()[0]) if isinstance(a, np.ndarray))

    def spoil(*arguments):
        result = solutions()[task.id](*arguments)
        arguments[which][...] = 7.0
        return result

    verdict = mt.check(task.id, taking(task, spoil))
    assert verdict.kind == "changed" and f"`{task.arguments[which]}`" in verdict.text


def test_the_usual_way_of_changing_w_in_place():
    def perceptron_step(w, b, x, y):
        if y * (w @ x + b) <= 0:
            w += y * x
            b += y
        return w, b

    assert mt.check("2.3", perceptron_step).kind == "changed"


# --- what no catalogue foresees --------------------------------------------------------------------------------------


def test_an_unforeseen_answer_gets_the_smallest_counterexample():
    verdict = mt.check("1.1", lambda y, f: np.mean(y * f <= 0) if len(y) != 3 else 0.9)
    assert verdict.kind == "wrong"
    assert "empirical_risk(y=[-1, -1, 1], f=[-2, 3, 0.5])" in verdict.text
    assert "wrong on 1 of 11" in verdict.text and "0.333333" in verdict.text and "0.9" in verdict.text


@each_task
def test_the_counterexample_is_the_smallest_that_fails(task):
    solution = solutions()[task.id]
    calls = task.calls()
    for first_wrong in (0, len(calls) // 2, len(calls) - 1):
        answers = iter([solution(*call) if i < first_wrong else "nonsense" for i, call in enumerate(calls)])
        verdict = mt.check(task.id, taking(task, lambda *_, answers=answers: next(answers)))
        assert judge.show_call(task, calls[first_wrong]) in verdict.text
    sizes = [sum(np.size(a) for a in call) for call in calls]
    assert sizes == sorted(sizes)


def test_a_constant_factor_is_remarked():
    verdict = mt.check("2.5", lambda X, w, b: 3 * solutions()["2.5"](X, w, b))
    assert verdict.kind == "wrong" and "3 times ours, on every input" in verdict.text
    assert "times ours" not in mt.check("2.5", lambda X, w, b: X[0, 0]).text


def test_an_error_in_the_answer_is_shown_with_its_line():
    def vc_epsilon(h, M, eta):
        nothing = 0
        return 4 * h / nothing  # here

    verdict = mt.check("1.2", vc_epsilon)
    assert verdict.kind == "error" and "ZeroDivisionError" in verdict.text
    assert f"line {vc_epsilon.__code__.co_firstlineno + 2}" in verdict.text and "/ nothing  # here" in verdict.text
    assert "vc_epsilon(h=1, M=1, eta=0.5)" in verdict.text


def test_an_error_inside_the_library_is_shown_at_the_students_line():
    def first_useful_M(h, eta):
        return mt.vc_epsilon(h, 0, eta)  # M = 0

    verdict = mt.check("1.4", first_useful_M)
    assert verdict.kind == "error" and "InvalidInputError" in verdict.text and "# M = 0" in verdict.text


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), RecursionError("deep"), ValueError()])
def test_whatever_an_answer_raises_stays_inside(error):
    def answer(h, M, eta):
        raise error

    assert mt.check("1.2", answer).kind == "error"


@pytest.mark.parametrize(
    ("task", "answer", "words"),
    [
        ("1.2", lambda h, M, eta: "0.1", "a number was expected, and yours gives something of the type str"),
        ("1.2", lambda h, M, eta: [0.1], "yours gives an array of shape (1,)"),
        ("1.2", lambda h, M, eta: 1j, "something of the type complex"),
        ("1.2", lambda h, M, eta: max, "something of the type builtin_function_or_method"),
        ("1.2", lambda h, M, eta: None if M > 1 else solutions()["1.2"](h, M, eta), "nothing (None)"),
        ("2.1", lambda X, y, w, b: 1.0, "an array of shape (1,) was expected, and yours gives a number"),
        ("2.1", lambda X, y, w, b: y[:, None] * X, "an array of shape (1, 1)"),
        ("2.3", lambda w, b, x, y: w + y * x, "2 values were expected"),
        ("2.3", lambda w, b, x, y: (b, w), "a number"),
        ("1.5", lambda points: len(points) > 2, "True or False"),
        ("1.2", 0.102, "Hand in the function itself"),
        ("1.2", lambda h, M: 1.0, "called as `vc_epsilon(h, M, eta)`, and yours cannot be: too many"),
        ("1.2", lambda h, M, eta, B: 1.0, "missing a required argument: 'B'"),
        ("1.6", 7, "in prose"),
    ],
)
def test_the_wrong_form_is_said(task, answer, words):
    verdict = mt.check(task, answer)
    assert verdict.kind == "form" and words in verdict.text, verdict


def test_lists_and_numpy_numbers_are_as_good_as_arrays_and_floats():
    assert mt.check("2.1", lambda X, y, w, b: [float(v) for v in y * (X @ w + b)]).passed
    assert mt.check("2.3", lambda w, b, x, y: list(solutions()["2.3"](w, b, x, y))).passed
    assert mt.check("1.5", lambda points: np.int64(solutions()["1.5"](points))).passed


def test_an_answer_that_never_ends_is_stopped(monkeypatch):
    quick = {**ALL, "1.2": Task(**{**vars(ALL["1.2"]), "seconds": 0.3})}
    monkeypatch.setattr(checks, "find_task", quick.__getitem__)
    rounds = 0

    def vc_epsilon(h, M, eta):
        nonlocal rounds
        while h > 0:
            rounds += 1

    start = time.perf_counter()
    verdict = mt.check("1.2", vc_epsilon)
    assert verdict.kind == "slow" and "0.3 seconds" in verdict.text and time.perf_counter() - start < 3
    time.sleep(0.3)
    seen = rounds
    time.sleep(0.2)
    assert rounds == seen > 0, "its thread is gone"


def test_warnings_and_profilers_of_the_caller_are_left_alone(recwarn):
    before = sys.getprofile()
    assert mt.check("1.2", lambda h, M, eta: np.log(-1.0) * h).kind == "wrong"
    assert not recwarn.list and sys.getprofile() is before


@given(st.integers(-3, 3), st.floats(-10, 10))
def test_no_number_is_right_by_accident_everywhere(a, c):
    assert not judge.judge_function(ALL["2.2"], lambda X, y, w, b: a * b + c).passed


def test_an_unknown_task_names_those_that_there_are():
    for ask in (lambda: mt.check("9.9", None), lambda: mt.hint(1.2)):
        with pytest.raises(InvalidInputError, match=r"The tasks are 1\.1, 1\.2"):
            ask()


# --- explanations ----------------------------------------------------------------------------------------------------


@each_explanation
def test_a_full_explanation_is_accepted_and_not_graded(task):
    verdict = mt.check(task.id, solutions()[task.id])
    assert verdict.kind == "written" and verdict.passed and verdict.missing == ()
    assert "cannot grade" in verdict.text


@each_explanation
def test_each_point_left_out_is_asked_about(task):
    filler = "Lorem ipsum dolor sit amet consectetur " * 6
    for point in task.points:
        others = [other for other in task.points if other is not point]
        words = " ".join(next(w for w in o.words if not any(w.startswith(x) for x in point.words)) for o in others)
        verdict = mt.check(task.id, f"{filler} {words}")
        assert verdict.missing == (point.name,) and f"? {point.ask}" in verdict.text
        assert verdict.passed, "a word that we did not find fails nobody"


@each_explanation
@pytest.mark.parametrize(
    "text", [None, ..., "", "\n...\n", "# YOUR CODE HERE\nraise NotImplementedError()", "Because."]
)
def test_a_missing_text_is_asked_for_kindly(task, text):
    verdict = mt.check(task.id, text)
    assert verdict.kind == "blank" and not verdict.passed and f"at least {task.least}" in verdict.text


# --- what one sees ---------------------------------------------------------------------------------------------------


class Balanced(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.open = []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def shown():
    yield mt.check("1.2", lambda h, M, eta: 1 / 0)
    yield mt.check("1.2", lambda h, M, eta: h < M)
    yield mt.check("1.1", solutions()["1.1"])
    yield mt.hint("1.2")
    yield mt.progress()


def test_everything_shows_itself_as_text_and_as_html():
    for words in shown():
        html = words._repr_html_()
        Balanced(html)
        assert 'role="status"' in html and words.title in html
        assert str(words).startswith(f"{words.mark} {words.title}\n")


def test_html_is_escaped_and_code_is_set_as_code():
    html = Words("a < b", "see `x < 1`\n    y <b>")._repr_html_()
    assert "a &lt; b" in html and "<code>x &lt; 1</code>" in html and "y &lt;b&gt;</pre>" in html and "<b>" not in html


@pytest.mark.parametrize("task", ALL)
def test_hints_come_one_by_one(task):
    hints = ALL[task].hints
    for given_so_far in (1, 2, 3, 3):
        said = mt.hint(task)
        assert [h in said.text for h in hints] == [i < given_so_far for i in range(3)]
        assert f"hint {given_so_far} of 3" in said.title
    assert "exercises/solutions" in said.text


def test_under_nbgrader_a_failure_is_an_error_and_nothing_is_recorded(monkeypatch, own_record):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    with pytest.raises(AssertionError, match="natural logarithm"):
        mt.check("1.2", ALL["1.2"].mistakes[0].wrong)
    assert mt.check("1.2", solutions()["1.2"]).passed
    assert not own_record.exists()


# --- the record ------------------------------------------------------------------------------------------------------


def test_progress_counts_what_is_done():
    assert mt.progress().title == f"0 of {len(ALL)} tasks done"
    for task in ("1.1", "1.1", "2.6"):
        mt.check(task, solutions()[task])
    said = mt.progress()
    assert said.title == f"2 of {len(ALL)} tasks done"
    assert "1 of 6  ✓1.1 ·1.2" in str(said) and "·2.5 ✓2.6" in str(said) and lesson01.TITLE in str(said)
    assert lesson02.TITLE in said._repr_html_() and "✓2.6" in said._repr_html_()


def test_a_later_failure_takes_nothing_away():
    mt.check("1.1", solutions()["1.1"])
    mt.check("1.1", lambda y, f: 0.0)
    assert "✓1.1" in str(mt.progress())


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"done": 3}', b'{"done": {"1.1": 5}}', b"\xff\xfe"])
def test_a_damaged_record_is_kept_aside_and_spoken_of(own_record, content):
    own_record.mkdir()
    (own_record / "progress.json").write_bytes(content)
    verdict = mt.check("1.1", solutions()["1.1"])
    (aside,) = own_record.glob("progress-damaged-*.json")
    assert verdict.passed and str(aside) in verdict.text and aside.read_bytes() == content
    assert list(record.load()[0]) == ["1.1"] and record.load()[1] == ""


def test_a_damaged_record_is_spoken_of_by_progress_too(own_record):
    own_record.mkdir()
    (own_record / "progress.json").write_text("{")
    said = mt.progress()
    assert "could not be read" in said.text and "could not be read" in said._repr_html_()


def test_a_crash_while_writing_leaves_the_old_record(own_record, monkeypatch):
    record.mark_done("1.1")
    before = (own_record / "progress.json").read_bytes()
    for step in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, lambda *_: (_ for _ in ()).throw(OSError("no space left")))
            assert "no space left" in record.mark_done("1.2")
        assert (own_record / "progress.json").read_bytes() == before
    assert [path.name for path in own_record.iterdir()] == ["progress.json"]


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_killed_process_leaves_a_whole_record(own_record):
    code = (
        "from mcmteach.checks import record\nfor i in range(10**6):\n record.mark_done(f'9.{i}')\n if i == 5: print()"
    )
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-uc", code], cwd=ROOT, stdout=subprocess.PIPE)
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.communicate()
        done = json.loads((own_record / "progress.json").read_text())["done"]
        assert len(done) >= 6


def test_a_folder_that_cannot_be_used_costs_the_record_and_not_the_verdict(own_record):
    own_record.write_text("a file where the folder should be")
    verdict = mt.check("1.1", solutions()["1.1"])
    assert verdict.passed and "MCMTEACH_HOME" in verdict.text
    assert mt.progress().title.startswith("0 of")
    assert own_record.read_text() == "a file where the folder should be"


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_DATA_HOME": "/data"}, r"^/data/mcmteach$"),
        ("linux", {}, r"/\.local/share/mcmteach$"),
        ("darwin", {}, r"/Library/Application Support/mcmteach$"),
        ("win32", {"LOCALAPPDATA": "/Users/me/Local"}, r"^/Users/me/Local/mcmteach$"),
    ],
)
def test_the_record_is_kept_where_the_system_keeps_such_things(monkeypatch, platform, variables, expected):
    for name in ("MCMTEACH_HOME", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert re.search(expected, record.folder().as_posix())
