"""The lesson 'kernels': what it claims holds at any data, and its notebook says what the library says."""

import json
import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import sigmoid_kernel
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach.datasets.worlds import ring_points, spiral_points, xor_points
from mcmteach.kernels import Separable, quadratic_map
from mcmteach.perceptron import perceptron_dual, perceptron_primal
from tools.ledger import ROOT

NEAR = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
seeds = st.integers(0, 10**6)


# --- what the lesson claims ------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=25)
@given(M=st.integers(4, 40), seed=seeds)
def test_the_kernel_perceptron_makes_the_mistakes_of_the_lifted_one(M, seed):
    X, y = ring_points(M, seed)
    counts = perceptron_dual(mt.polynomial_kernel(X, degree=2, coef0=0), y)
    w, lifted = perceptron_primal(quadratic_map(X), y)
    np.testing.assert_array_equal(counts.alpha, lifted.alpha)
    assert counts.b == lifted.b and counts.errors[-1] == 0
    np.testing.assert_allclose((counts.alpha * y) @ quadratic_map(X), w, atol=1e-9)


def test_three_points_in_a_row_have_no_feature_map():
    np.testing.assert_allclose(np.linalg.eigvalsh(NEAR), [1 - np.sqrt(2), 1, 1 + np.sqrt(2)])
    assert not mt.is_mercer(NEAR)


@settings(deadline=None, max_examples=25)
@given(seed=seeds)
def test_neither_the_sigmoid_nor_a_difference_is_a_kernel_and_the_rbf_is(seed):
    X, _ = ring_points(60, seed)
    assert not mt.is_mercer(sigmoid_kernel(X, gamma=1.0, coef0=1.0))
    assert not mt.is_mercer(mt.rbf_kernel(X, gamma=1.0) - 0.5 * mt.rbf_kernel(X, gamma=4.0))
    assert mt.is_mercer(mt.rbf_kernel(X, gamma=1.0))


@settings(deadline=None, max_examples=25)
@given(gamma=st.floats(0.1, 1.5), seed=seeds)
def test_the_rbf_is_built_of_allowed_bricks(gamma, seed):
    X, _ = xor_points(12, seed)
    one = Separable(lambda X: np.ones(len(X)))
    f = Separable(lambda X: np.exp(-gamma * np.sum(X**2, axis=1)))
    term = series = one
    for n in range(1, 41):
        term = (2 * gamma / n) * (term * mt.Linear())
        series = series + term
        if n < 6:
            assert mt.is_mercer((f * series)(X))
            assert mt.numerical_rank((f * series)(X), tol=1e-12) <= (n + 1) * (n + 2) // 2
    np.testing.assert_allclose((f * series)(X), mt.rbf_kernel(X, gamma=gamma), atol=1e-10)


@settings(deadline=None, max_examples=10)
@given(seed=seeds)
def test_the_rbf_learns_any_labels_by_heart(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(size=(30, 2)), np.append([1.0, -1.0], rng.choice([-1.0, 1.0], 28))
    K = mt.rbf_kernel(X, gamma=1000.0)
    z = np.linalg.solve(K, y)
    np.testing.assert_allclose(K @ z, y, atol=1e-6)


def test_a_smooth_loss_wants_a_larger_C_than_svc():
    X, y = spiral_points(60, seed=0)
    X_new, _ = spiral_points(2000, seed=1000)
    theirs = SVC(gamma=1.0, C=1.0).fit(X, y).predict(X_new)
    agree = {C: np.mean(mt.KernelSVM(gamma=1.0, C=C).fit(X, y).predict(X_new) == theirs) for C in (0.2, 1.0, 5.0, 25.0)}
    assert max(agree, key=agree.get) == 5.0 and agree[5.0] > 0.98


# --- the notebook ----------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads(next(ROOT.glob("lessons/*_kernels.ipynb")).read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    assert "12 with the kernel, 12 with lifted" in printed["perceptron-run"] and "True" in printed["perceptron-run"]
    rows = {line.split()[0]: list(map(float, line.split()[1:])) for line in printed["candidates"].splitlines()[1:]}
    assert min(rows["RBF"]) >= 0, "the RBF holds"
    assert rows["sigmoid"][1] > 0 > rows["sigmoid"][2], "passes on three points and fails on ten"
    assert rows["difference"][0] > 0 > rows["difference"][1], "fails on three"
    assert int(re.search(r"(\d+)% of its own", printed["refuse"])[1]) > 50, "worse than a coin"
    assert [int(line.split()[-1]) for line in printed["rbf-run"].splitlines()[1:]] == [3, 6, 15, 45, 60]
    agree = [float(share) for share in re.findall(r"SVC on ([\d.]+)%", printed["svc"])]
    assert agree.index(max(agree)) == 2 and max(agree) == 99.1, "C = 5 agrees best"
    assert "errors at the end 0" in printed["coin-run"] and "new points 50%" in printed["coin-run"]
