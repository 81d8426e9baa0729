"""The lesson 'not vectors': what it claims holds at any data, and its notebook says what the library says."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path

import mcmteach as mt
from mcmteach.checks.tasks import not_vectors
from mcmteach.datasets import karate_club
from mcmteach.datasets.worlds import moons
from mcmteach.errors import NotMercerWarning
from tools.ledger import ROOT


@settings(deadline=None, max_examples=30)
@given(M=st.integers(1, 8), V=st.integers(1, 9), seed=st.integers(0, 10**6))
def test_the_cosine_of_sets_is_an_rbf_kernel(M, V, seed):
    A = np.random.default_rng(seed).integers(0, 2, (M, V)).astype(float)
    K = mt.gram_matrix(mt.set_kernel, [set(np.flatnonzero(row)) for row in A], normalise=True)
    np.testing.assert_allclose(K, mt.rbf_kernel(A, gamma=np.log(2) / 2))
    np.testing.assert_allclose(K, not_vectors.set_gram(A))


def test_the_sigmoid_is_indefinite_and_can_be_fitted_and_certified():
    X, y = moons(40, noise=0.25, seed=3)
    K = np.tanh(X @ X.T - 1)
    assert np.linalg.eigvalsh(K)[0] < -1
    with pytest.warns(NotMercerWarning):
        machine = mt.MCMClassifier(kernel="precomputed", C=1.0, sparsity=0.1).fit(K, y)
    assert machine.certificate_.proves_optimal()


@settings(deadline=None, max_examples=30)
@given(M=st.integers(1, 6), seed=st.integers(0, 10**6))
def test_every_similarity_is_a_difference_of_two_kernels(M, seed):
    A = np.random.default_rng(seed).normal(size=(M, M))
    plus, minus = not_vectors.two_kernels(A + A.T)
    assert mt.is_mercer(plus) and mt.is_mercer(minus)
    np.testing.assert_allclose(plus - minus, A + A.T, atol=1e-9)


def test_the_lesson_says_what_it_computes():
    cells = json.loads(next(ROOT.glob("lessons/*_not_vectors.ipynb")).read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    table = printed["strings-run"].splitlines()[1:]
    score = {line[:16].strip(): list(map(float, re.findall(r"([\d.]+)%", line))) for line in table}
    assert all(svc >= mcm for mcm, svc in score.values()), "the SVM is as good or better in every row"
    one_hot, ordinal, counted = (score[name] for name in ("RBF, one-hot", "RBF, ordinal", "letters counted"))
    by_parts = [score[f"spectrum, p = {p}"] for p in (4, 5)]
    for k in (0, 1):
        assert min(part[k] for part in by_parts) > one_hot[k] > ordinal[k] > counted[k], "less well, least, worst"
    assert printed["documents"].strip().endswith("True")
    assert " good " in next(line for line in printed["scores"].splitlines() if line.startswith("letters"))
    assert printed["karate"].count("member 9: wrong") == 4
    shapes = [int(share) for share in re.findall(r"(\d+)% right", printed["graphlets-run"])]
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
