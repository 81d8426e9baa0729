"""The lesson 'kernel mcm': what it claims holds at any data, and its notebook says what the library says."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse.csgraph import shortest_path

import mcmteach as mt
from mcmteach.checks.tasks import kernel_mcm
from mcmteach.datasets import karate_club
from mcmteach.datasets.worlds import moons
from mcmteach.errors import NotMercerWarning
from mcmteach.widgets.kernel_mcm import SAMPLE
from tools.ledger import ROOT

GAMMA = 4.0


@pytest.fixture(scope="module")
def sample():
    X, y = moons(**SAMPLE)
    return X, y, mt.rbf_kernel(X, gamma=GAMMA)


@st.composite
def problems(draw, most=9):
    """A well-conditioned kernel matrix of distinct points, with labels of both kinds."""
    M = draw(st.integers(2, most))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.permutation(np.arange(2.0 * M))[:M, None] + rng.uniform(-0.2, 0.2, (M, 1))
    y = rng.choice([-1.0, 1.0], M)
    y[:2] = 1.0, -1.0
    return mt.rbf_kernel(X, gamma=1.0), y


# --- the surprise --------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(problem=problems(), log2_C=st.integers(-10, 10), seed=st.integers(0, 10**6))
def test_as_printed_the_optimum_is_one_and_interpolates_any_labels(problem, log2_C, seed):
    K, y = problem
    y = np.random.default_rng(seed).permutation(y)
    solution = mt.solve_mcm(K, y, C=2.0**log2_C, sparsity=0)
    assert solution.objective == pytest.approx(1, abs=1e-6) and solution.certificate.proves_optimal()
    np.testing.assert_allclose(K @ solution.coef + solution.b, y, atol=1e-4)


@settings(deadline=None, max_examples=40)
@given(problem=problems(), b=st.floats(-20, 20), log2_C=st.integers(-10, 10))
def test_there_is_an_optimum_for_every_bias(problem, b, log2_C):
    K, y = problem
    lam = kernel_mcm.interpolate(K, y, b)
    assert kernel_mcm.mcm_objective(K, y, lam, b, 2.0**log2_C, 0.0) == pytest.approx(1, abs=1e-6)


@settings(deadline=None, max_examples=25)
@given(problem=problems(), C=st.floats(0.01, 10))
def test_a_twin_with_the_opposite_label_costs_two_C(problem, C):
    K, y = problem
    twice = np.append(np.arange(len(y)), 0)
    solution = mt.solve_mcm(K[np.ix_(twice, twice)], np.append(y, -y[0]), C, sparsity=0)
    assert solution.objective == pytest.approx(1 + 2 * C, rel=1e-6)
    np.testing.assert_allclose((y * (K @ np.bincount(twice, solution.coef) + solution.b))[1:], 1, atol=1e-4)


# --- the price -----------------------------------------------------------------------------------------------------------


def cheapest_interpolant(K, y):
    """min ||lambda||_1 with K lambda + b = y: a programme of its own."""
    M = len(y)
    A = np.hstack([K, -K, np.ones((M, 1))])
    result = linprog(np.r_[np.ones(2 * M), 0], A_eq=A, b_eq=y, bounds=[(0, None)] * (2 * M) + [(None, None)])
    return result.fun


@settings(deadline=None, max_examples=25)
@given(problem=problems())
def test_a_vanishing_price_leads_to_the_cheapest_interpolant(problem):
    K, y = problem
    solution = mt.solve_mcm(K, y, C=1.0, sparsity=1e-4)
    np.testing.assert_allclose(K @ solution.coef + solution.b, y, atol=1e-5)
    assert np.abs(solution.coef).sum() == pytest.approx(cheapest_interpolant(K, y), rel=1e-5)


def test_with_a_price_C_has_an_effect(sample):
    _, y, K = sample
    slack = [mt.solve_mcm(K, y, C, sparsity=0.1).q.sum() for C in (2**-4, 2**-2, 1, 2**4)]
    assert np.all(np.diff(slack) < -0.5) and slack[-1] < 1e-6


@settings(deadline=None, max_examples=25)
@given(problem=problems(), C=st.floats(0.05, 5))
def test_the_best_constant_machine(problem, C):
    K, y = problem
    tried = [kernel_mcm.mcm_objective(K, y, np.zeros(len(y)), b, C, 1.0) for b in np.linspace(-3, 3, 121)]
    assert kernel_mcm.constant_objective(y, C) == pytest.approx(min(tried))
    price = mt.constant_price(K, y, C)
    dear, fair = (mt.solve_mcm(K, y, C, s) for s in (1.01 * price, 0.99 * price))
    assert not dear.coef.any() and dear.objective == pytest.approx(min(tried))
    assert fair.coef.any() and fair.objective < min(tried)


@settings(deadline=None, max_examples=40)
@given(problem=problems(), C=st.floats(0.05, 5), s=st.floats(0.01, 2), seed=st.integers(0, 10**6))
def test_the_exercises_certificate_is_below_every_machine_and_reaches_the_best(problem, C, s, seed):
    K, y = problem
    rng = np.random.default_rng(seed)
    z, lam, b = rng.normal(size=len(y)) + y, 3 * rng.normal(size=len(y)), rng.normal()
    bound = kernel_mcm.lower_bound(K, y, C, s, z - z.mean())
    assert bound <= kernel_mcm.mcm_objective(K, y, lam, b, C, s) + 1e-9
    solution = mt.solve_mcm(K, y, C, s)
    assert bound <= solution.objective + 1e-9
    assert kernel_mcm.lower_bound(K, y, C, s, 5 * solution.certificate.z) == pytest.approx(solution.objective, rel=1e-5)


# --- sets, and a similarity that is no kernel ------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(M=st.integers(1, 8), V=st.integers(1, 9), seed=st.integers(0, 10**6))
def test_the_cosine_of_sets_is_an_rbf_kernel(M, V, seed):
    A = np.random.default_rng(seed).integers(0, 2, (M, V)).astype(float)
    K = mt.gram_matrix(mt.set_kernel, [set(np.flatnonzero(row)) for row in A], normalise=True)
    np.testing.assert_allclose(K, mt.rbf_kernel(A, gamma=np.log(2) / 2))
    np.testing.assert_allclose(K, kernel_mcm.set_gram(A))


def test_the_sigmoid_is_indefinite_and_can_be_fitted_and_certified(sample):
    X, y, _ = sample
    K = np.tanh(X @ X.T - 1)
    assert np.linalg.eigvalsh(K)[0] < -1
    with pytest.warns(NotMercerWarning):
        machine = mt.MCMClassifier(kernel="precomputed").fit(K, y)
    assert machine.certificate_.proves_optimal()


# --- the notebook ----------------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_it_computes():
    cells = json.loads(next(ROOT.glob("lessons/*_kernel_mcm.ipynb")).read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    rows = [line.split()[1:] for line in printed["c-table"].splitlines()[1:]]
    assert len(rows) == 5 and all(row == rows[0] for row in rows), "the same row five times"
    assert rows[0][0] == "1.000" and rows[0][3] == "39"
    assert len({line.split()[-1] for line in printed["cured"].splitlines()[1:]}) >= 4, "with a price C matters"
    free, priced = map(float, re.findall(r"([\d.]+)%", printed["twenty"]))
    assert priced < free / 2
    mcm, svc = printed["wdbc-run"].splitlines()
    accuracy = [float(re.search(r"([\d.]+)% right", line)[1]) for line in (mcm, svc)]
    sizes = [list(map(int, re.search(r"vectors (\d+) to (\d+)", line).groups())) for line in (mcm, svc)]
    assert abs(accuracy[0] - accuracy[1]) < 1, "as accurate as the SVM"
    assert 3.5 < sum(sizes[1]) / sum(sizes[0]) < 5, "a quarter of its support vectors"
    *table, same = printed["strings-run"].splitlines()[1:]
    score = {line[:16].strip(): list(map(float, re.findall(r"([\d.]+)%", line))) for line in table}
    assert all(svc >= mcm for mcm, svc in score.values()), "the SVM is as good or better in every row"
    one_hot, ordinal, counted = (score[name] for name in ("RBF, one-hot", "RBF, ordinal", "letters counted"))
    by_parts = [score[f"spectrum, p = {p}"] for p in (4, 5)]
    for k in (0, 1):
        assert min(part[k] for part in by_parts) > one_hot[k] > ordinal[k] > counted[k], "less well, least, worst"
    assert "looks good" in next(line for line in table if line.startswith("letters")) and same.endswith("True")
    assert printed["karate"].count("member 9: wrong") == 4
    shapes = [int(share) for share in re.findall(r"(\d+)% right", printed["graphlets"])]
    nodes = [int(share) for share in re.findall(r"C = 10: (\d+)% right", printed["karate"])]
    assert min(shapes) > 65 and max(shapes) < min(nodes), "a circle's shape tells something, friendships tell more"


def test_graphs_of_friends_keep_no_names_and_no_labels():
    A, _ = karate_club()
    near = np.linalg.matrix_power(A + np.eye(34), 2) > 0
    np.testing.assert_array_equal(near, shortest_path(A, unweighted=True) <= 2)
    rows = [np.flatnonzero(row) for row in near[:4]]
    mixed = [np.random.default_rng(0).permutation(row) for row in rows]
    K, again = (mt.gram_matrix(mt.graphlet_kernel, [A[np.ix_(r, r)] for r in which], k=4) for which in (rows, mixed))
    np.testing.assert_allclose(K, again)
