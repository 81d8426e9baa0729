"""Every task: the solution passes, a blank stub fails kindly, each known slip gets its own words, nothing can be looked up."""

import re
from functools import partial

import numpy as np
import pytest

import mcmteach as mt
from mcmteach import guarantee
from mcmteach.bounds import structural_risk
from mcmteach.capacity import geometric_margins, middle_of_gap
from mcmteach.checks import judge, lessons_with_tasks, record
from mcmteach.checks.task import Explanation, Task
from mcmteach.checks.values import plain, same
from mcmteach.gram import feature_distances
from mcmteach.guarantee import hoeffding_bound
from mcmteach.kernels import quadratic_map
from mcmteach.paper import intervals, recover_svm_counts, signed_rank, table3_counts
from mcmteach.paper.choosing_on_test import expected_best
from mcmteach.separability import unseparable_labels
from mcmteach.structured import diffusion_kernel, spectrum
from mcmteach.svm import descent
from mcmteach.weights import fuzzy_membership
from tests.checks.catalogue import ALL, TASKS, each_explanation, each_task, taking
from tests.checks.exercises import solutions


def test_lessons_have_four_to_six_tasks_each_named_by_topic_and_place():
    for lesson in lessons_with_tasks():
        assert list(lesson.tasks) == [f"{lesson.topic}.{i}" for i in range(1, len(lesson.tasks) + 1)]
        assert 4 <= len(lesson.tasks) <= 6 and lesson.title
        assert isinstance(list(lesson.tasks.values())[-1], Explanation), "the last task is to explain"


@pytest.mark.parametrize("task", ALL.values(), ids=lambda task: task.key)
def test_every_task_has_three_hints_and_three_ways_to_miss(task):
    assert len(task.hints) == len(set(task.hints)) == 3
    ways = task.mistakes if isinstance(task, Task) else task.points
    assert len({words for _, words in ways.values()}) == len(ways) >= 3


def words_of(task):
    """All that a student may read about a task."""
    yield from task.hints
    yield from (words for _, words in (task.mistakes if isinstance(task, Task) else task.points).values())


@pytest.mark.parametrize("task", ALL.values(), ids=lambda task: task.key)
def test_no_text_names_a_lesson_or_a_task_by_its_number(task):
    for words in words_of(task):
        assert not re.search(r"(lesson|task) \d", words), words


@each_task
def test_the_solution_passes(task):
    verdict = mt.check(task.key, solutions()[task.key])
    assert verdict.kind == "right" and verdict.passed, verdict
    assert task.key in record.load()[0]


STUBS = ["...", "pass", "return None", "return ...", '"""What it should do."""\n    ...', "raise NotImplementedError"]


@each_task
@pytest.mark.parametrize("stub", [*STUBS, None, ...])
def test_a_blank_stub_fails_kindly(task, stub):
    if isinstance(stub, str):
        exec(f"def answer({', '.join(task.arguments)}):\n    {stub}", names := {})
        stub = names["answer"]
    verdict = mt.check(task.key, stub)
    assert verdict.kind == "blank" and not verdict.passed
    assert f'hint("{task.number}")' in verdict.text and "rror" not in verdict.text
    assert record.load() == ({}, "")


MISTAKES = [(task, name) for task in TASKS for name in task.mistakes]


@pytest.mark.parametrize(("task", "name"), MISTAKES, ids=[f"{task.key} {name}" for task, name in MISTAKES])
def test_each_mistake_gets_its_own_words_and_no_others(task, name):
    verdict = mt.check(task.key, task.mistakes[name][0])
    assert (verdict.kind, verdict.mistake, verdict.passed) == ("mistake", name, False), verdict
    assert [other for other, (_, words) in task.mistakes.items() if words in verdict.text] == [name]


# --- hidden inputs ---------------------------------------------------------------------------------------------------

SEEDS = (1, 20261117)


@each_task
@pytest.mark.parametrize("seed", SEEDS)
def test_on_hidden_inputs_the_solution_passes_and_no_mistake_does(task, seed):
    verdict = judge.judge_function(task, solutions()[task.key], seed)
    assert verdict.passed, verdict
    calls = task.calls(seed)
    expected = [plain(task.reference(*call)) for call in calls]
    with np.errstate(all="ignore"):
        for name, (mistaken, _) in task.mistakes.items():
            assert not all(same(e, plain(mistaken(*call))) for e, call in zip(expected, calls, strict=True)), name


def distance(one, other):
    """How far two inputs of the same shapes are apart; infinite for others. Strings are lists of letters."""
    one, other = ([list(map(ord, a)) if isinstance(a, str) else a for a in call] for call in (one, other))
    if [np.shape(a) for a in one] != [np.shape(a) for a in other]:
        return np.inf
    return sum(float(np.abs(np.subtract(a, b)).sum()) for a, b in zip(one, other, strict=True))


@each_task
@pytest.mark.parametrize("seed", SEEDS)
def test_a_table_of_the_public_inputs_fails_on_the_hidden_ones(task, seed):
    """The attack: answer with what is right for the nearest public input, which ``check`` shows to everybody."""
    table = [(call, task.reference(*call)) for call in task.calls()]

    def look_up(*arguments):
        return min(table, key=lambda row: distance(row[0], arguments))[1]

    assert judge.judge_function(task, taking(task, look_up)).passed
    hidden = task.calls(seed)
    assert not {task.show_call(call) for call in hidden} & {task.show_call(call) for call, _ in table}
    verdict = judge.judge_function(task, taking(task, look_up), seed)
    assert not verdict.passed, verdict
    right = [same(plain(task.reference(*call)), plain(look_up(*call))) for call in hidden]
    assert right.count(False) >= 2, "not by one input alone"


# --- the library's own functions -------------------------------------------------------------------------------------

BORROWED = [
    ("why_learning_works.1", "empirical_risk", mt.empirical_risk),
    ("why_learning_works.1", "zero_one_loss", lambda y, f: mt.bounds.zero_one_loss(y, f).mean()),
    ("why_learning_works.2", "vc_epsilon", mt.vc_epsilon),
    ("why_learning_works.3", "vc_bound", partial(mt.vc_bound)),
    ("why_learning_works.3", "structural_risk", lambda risk, h, M, eta, B: risk + structural_risk(risk, h, M, eta, B)),
    ("why_learning_works.4", "sample_size", lambda h, eta: mt.sample_size(1.0, h, eta)),
    ("why_learning_works.5", "shatters", mt.shatters),
    ("why_learning_works.5", "unseparable_labels", lambda points: 8 if unseparable_labels(points) is None else 6),
    ("which_hyperplane.1", "functional_margins", mt.functional_margins),
    ("which_hyperplane.2", "geometric_margin", mt.geometric_margin),
    ("which_hyperplane.2", "geometric_margins", lambda X, y, w, b: min(geometric_margins(X, y, w, b))),
    ("which_hyperplane.4", "fit", lambda X, y: mt.Perceptron().fit(X, y).n_mistakes_),
    (
        "which_hyperplane.4",
        "perceptron_primal",
        lambda X, y: mt.perceptron.perceptron_primal(X[::-1], y[::-1])[1].alpha.sum(),
    ),
    ("which_hyperplane.4", "perceptron_dual", lambda X, y: mt.perceptron.perceptron_dual(X @ X.T, y).alpha.sum()),
    ("which_hyperplane.5", "capacity_chain", lambda X, w, b: mt.capacity_chain(X, w, b).ratio),
    ("radius_over_margin.1", "h_mcm", mt.h_mcm),
    ("radius_over_margin.2", "middle_of_gap", middle_of_gap),
    ("radius_over_margin.3", "capacity_chain", lambda X, u, v: mt.capacity_chain(X, u, v).ratio / mt.h_mcm(X, u, v)),
    ("radius_over_margin.4", "margin_vc_dim", mt.margin_vc_dim),
    ("kernels.1", "quadratic_map", quadratic_map),
    ("kernels.2", "rbf_kernel", mt.rbf_kernel),
    ("kernels.2", "squared_distances", lambda X, Z, gamma: np.exp(-gamma * mt.kernels.squared_distances(X, Z))),
    ("kernels.4", "is_mercer", mt.is_mercer),
    ("kernels.5", "perceptron_dual", lambda K, y, alpha, b: mt.perceptron.perceptron_dual(K, y, max_iter=1)[:2]),
    ("soft_margin.1", "slack", mt.svm.slack),
    ("soft_margin.1", "hinge_loss", lambda X, y, w, b: mt.bounds.hinge_loss(y, X @ w + b)),
    ("soft_margin.2", "soft_margin_objective", mt.svm.soft_margin_objective),
    ("soft_margin.3", "soft_margin_subgradient", mt.svm.soft_margin_subgradient),
    ("soft_margin.4", "descent", lambda X, y, C, eta, steps: descent(X, y, C, eta, steps, "falling").w[-1]),
    ("soft_margin.5", "smooth_svm_gradient", mt.svm.smooth_svm_gradient),
    (
        "a_linear_programme.1",
        "charnes_cooper",
        lambda X, y, u, v: mt.charnes_cooper(u, v, (y * (X @ u + v)).min(), (y * (X @ u + v)).max()),
    ),
    ("a_linear_programme.2", "build_lp", lambda X, y: mt.lp.build_lp(X, y, np.inf)[:3]),
    ("a_linear_programme.3", "solve_mcm", lambda X, y: mt.solve_mcm(X, y, C=np.inf, sparsity=0).h),
    ("a_linear_programme.3", "fit", lambda X, y: mt.MCMClassifier(kernel="linear", C=np.inf, sparsity=0).fit(X, y).h_),
    ("kernel_mcm.4", "dual_bound", lambda K, y, C, s, z: mt.certificate.dual_bound(K, y, C, s, z)[0]),
    ("not_vectors.1", "gram_matrix", lambda A: mt.gram_matrix(mt.set_kernel, map(np.flatnonzero, A), normalise=True)),
    ("does_it_work.1", "recover_svm_counts", lambda m, a, k: float(recover_svm_counts()[10].n_sv)),
    ("does_it_work.2", "joint_sd", lambda n, a, s, k: table3_counts.joint_sd(n, a, s)),
    ("does_it_work.3", "expected_best", expected_best),
    ("does_it_work.4", "signed_rank", lambda a, b: signed_rank(a, b).W),
    ("does_it_work.5", "median_interval", lambda d: intervals.median_interval(d)[1:]),
    (
        "not_vectors.1",
        "set_kernel",
        lambda A: np.array([[mt.set_kernel(a.nonzero()[0], b.nonzero()[0]) for b in A] for a in A]),
    ),
    ("not_vectors.2", "spectrum_kernel", lambda s, t, p: mt.spectrum_kernel(s, t, p)),
    ("not_vectors.2", "spectrum", lambda s, t, p: sum(n * spectrum(t, p)[u] for u, n in spectrum(s, p).items())),
    ("not_vectors.3", "diffusion_kernel", lambda A, beta: diffusion_kernel(A, beta)),
    ("not_vectors.4", "kernel_alignment", lambda K, y: mt.kernel_alignment(K, y)),
    (
        "small_proves_something.1",
        "hoeffding_bound",
        lambda errors, M, N, delta: hoeffding_bound(errors, M, message_nats=np.log(N), delta=delta),
    ),
    (
        "small_proves_something.4",
        "compression_bound",
        lambda errors, n, nats: mt.compression_bound(errors, n, 0, nats - 0.1, np.exp(-0.1)),
    ),
    (
        "small_proves_something.4",
        "test_set_bound",
        lambda errors, n, nats: guarantee.test_set_bound(errors, n, np.exp(-nats)),
    ),
    ("numbers_instead_of_classes.4", "fuzzy_membership", lambda X, y, delta: fuzzy_membership(X, y, delta)),
    ("bending_space.1", "feature_distances", feature_distances),
    (
        "bending_space.2",
        "core_matrix",
        lambda X, cores, alpha, gamma: mt.conformal.core_matrix(X, cores, gamma) @ alpha,
    ),
    ("bending_space.2", "__call__", lambda X, cores, alpha, gamma: mt.ConformalMap(cores, alpha, gamma)(X)),
    ("bending_space.3", "conformal_matrix", lambda K0, c: mt.conformal.conformal_matrix(K0, c)),
    ("bending_space.4", "induced_metric", lambda c, slope, gamma: mt.conformal.induced_metric(c, slope, gamma)),
    ("bending_space.5", "amari_wu_map", lambda X, support, coef, gamma: mt.amari_wu_map(support, coef, gamma)),
    ("measuring_separability.1", "fisher_scalar", mt.fisher_scalar),
    ("measuring_separability.1", "feature_scatter", lambda Z, y: mt.fisher.feature_scatter(Z, y)),
    ("measuring_separability.1", "kernel_fisher_scalar", lambda Z, y: mt.kernel_fisher_scalar(Z @ Z.T, y)),
    ("measuring_separability.2", "scatter_matrices", mt.scatter_matrices),
    ("measuring_separability.3", "kernel_fisher_scalar", mt.kernel_fisher_scalar),
    (
        "measuring_separability.3",
        "fisher_scalar",
        lambda K0, y, c: mt.fisher_scalar(c[:, None] * mt.empirical_feature_map(K0), y),
    ),
    (
        "measuring_separability.4",
        "xiong_ascent",
        lambda alpha, M0, N0, eta: mt.conformal.xiong_ascent(M0, alpha, N0, 1),
    ),
    ("measuring_separability.5", "optimal_alpha", lambda P, Q: mt.conformal.optimal_alpha(P, P[0], Q)),
    ("small_devices.1", "model_bytes", lambda lam, n, size: mt.export.model_size.model_bytes(lam)),
    ("small_devices.1", "model_numbers", lambda lam, n, size: mt.export.model_size.model_numbers(lam)),
]


@pytest.mark.parametrize(("task", "name", "answer"), BORROWED, ids=[f"{task} {name}" for task, name, _ in BORROWED])
def test_the_librarys_own_function_earns_nothing_nor_does_a_wrapper(task, name, answer):
    verdict = mt.check(task, answer)
    assert verdict.kind == "borrowed" and f"`{name}`" in verdict.text, verdict
    assert record.load() == ({}, "")


def test_every_function_that_is_an_answer_is_tried_above():
    assert {(t, n) for t, n, _ in BORROWED} == {(task.key, f.__name__) for task in TASKS for f in task.library}


# --- explanations ----------------------------------------------------------------------------------------------------


@each_explanation
def test_the_model_answer_is_that_of_the_exercise_and_speaks_of_every_point(task):
    _, *lines, _ = solutions()[task.key].strip().splitlines()
    assert " ".join(lines).split() == task.model.split()  # lines of the exercise are shorter: they fit a projector
    verdict = mt.check(task.key, task.model)
    assert verdict.kind == "written" and verdict.missing == ()


@each_explanation
def test_each_point_left_out_is_asked_about(task):
    filler = " ".join(
        f"{a}{b}" for a in ("lorem", "ipsum", "dolor", "amet", "elit") for b in ("us", "um", "o", "is", "i")
    )
    words_for = {name: words.split(", ") for name, (words, _) in task.points.items()}
    for name, (_, question) in task.points.items():
        others = [words for other, words in words_for.items() if other != name]
        words = " ".join(next(w for w in o if not any(w.startswith(x) for x in words_for[name])) for o in others)
        verdict = mt.check(task.key, f"{filler} {words}")
        assert verdict.missing == (name,) and f"? {question}" in verdict.text
        assert f"Words found for {len(task.points) - 1} of {len(task.points)} points" in verdict.text
