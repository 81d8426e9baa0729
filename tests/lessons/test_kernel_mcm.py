"""The lesson 'kernel mcm': what it claims holds at any data, and its notebook says what the library says."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import mcmteach as mt
from mcmteach.checks.tasks import kernel_mcm
from mcmteach.datasets.worlds import moons
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
    lines = printed["wdbc-run"].splitlines()
    assert [line.split(":")[0].strip() for line in lines] == ["mcm", "lp-svm", "svc"]
    *accuracy, svc = (float(re.search(r"([\d.]+)% right", line)[1]) for line in lines)
    *sizes, svc_size = (sum(map(int, re.search(r"vectors (\d+) to (\d+)", line).groups())) for line in lines)
    assert max(abs(share - svc) for share in accuracy) < 1, "both are as accurate as the SVM"
    assert all(3.5 < svc_size / size < 5 for size in sizes), "about a quarter of its support vectors"
    for line in printed["lpsvm-run"].splitlines()[1:]:
        mcm_error, lp_error, mcm_size, lp_size = (float(word.rstrip("%")) for word in line.split()[1:])
        assert lp_size < mcm_size and 1 < lp_error - mcm_error < 2.1, "fewer, and one or two errors in a hundred more"
