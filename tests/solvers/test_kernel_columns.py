"""Kernel columns that are evaluated when they are asked for: what is computed, and what is kept."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import mcmteach as mt
from mcmteach.errors import (
    ConstantClassifierWarning,
)
from mcmteach.solvers.fast import FastSolver
from mcmteach.solvers.kernel_columns import KernelColumns, MatrixColumns
from mcmteach.solvers.settings import DEFAULT
from tests.solvers.samples import CountingKernel, moons


def test_the_kernel_matrix_is_never_formed():
    X, y = moons(4000)
    kernel = CountingKernel(1.0)
    machine = mt.MCMClassifier(kernel=kernel, solver="highs", sparsity=0.5).fit(X, y)
    assert machine.certificate_.proves_optimal()
    assert kernel.largest <= 1 << 20 < 4000**2 / 10
    assert kernel.entries < 2 * 4000**2  # all rounds and the certificate together
    kernel.entries = 0
    machine.predict(X[:100])
    assert kernel.entries == 100 * machine.n_support_  # prediction touches the support vectors only


def test_memory_stays_far_below_the_matrix():
    X, y = moons(6000)
    tracemalloc.start()
    machine = mt.MCMClassifier(gamma=1.0, solver="highs", sparsity=1.0).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert machine.certificate_.proves_optimal()
    assert peak < 6000**2 * 8 / 3


def test_lazy_and_whole_matrices_give_the_same_machine():
    X, y = moons(500)
    K = mt.rbf_kernel(X, gamma=1.0)
    lazy = mt.MCMClassifier(gamma=1.0, solver="highs").fit(X, y)
    whole = mt.MCMClassifier(kernel="precomputed", solver="highs").fit(K, y)
    assert lazy.objective_ == pytest.approx(whole.objective_, rel=1e-9)
    np.testing.assert_allclose(lazy.decision_function(X), whole.decision_function(K), atol=1e-6)
    sparse_X = mt.MCMClassifier(gamma=1.0, solver="highs").fit(sp.csr_array(X), y)
    assert sparse_X.objective_ == pytest.approx(lazy.objective_, rel=1e-6)


def test_columns_multiply_like_the_matrix():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    K = mt.rbf_kernel(X, gamma=1.0)
    coef, z = rng.normal(size=30) * (np.arange(30) % 3 == 0), rng.normal(size=30) * (np.arange(30) % 2)
    for columns in (KernelColumns(mt.RBF(1.0), X), MatrixColumns(K), MatrixColumns(sp.csr_array(K))):
        np.testing.assert_allclose(columns @ coef, K @ coef)
        np.testing.assert_allclose(columns.T @ z, K.T @ z)
        np.testing.assert_allclose(columns.block(np.arange(3), np.array([5, 7])), K[:3, [5, 7]])
        assert not (columns @ np.zeros(30)).any()


@pytest.mark.parametrize("kept", [0, 1000, 10**6])
def test_rows_that_were_evaluated_are_kept_while_there_is_room(kept, monkeypatch):
    monkeypatch.setattr("mcmteach.solvers.kernel_columns.DEFAULT", replace(DEFAULT, block=400, kept=kept))
    rng = np.random.default_rng(0)
    X, kernel = rng.normal(size=(60, 2)), CountingKernel(1.0)
    K, columns = mt.rbf_kernel(X, gamma=1.0), KernelColumns(kernel, X)
    for _ in range(3):
        z = rng.normal(size=60) * (rng.random(60) < 0.5)
        np.testing.assert_allclose(columns.T @ z, K.T @ z)
    products, sizes = columns.products(np.ones(60))
    np.testing.assert_allclose(products, K.sum(axis=0))
    np.testing.assert_allclose(sizes, K.max(axis=0))
    kernel.entries = 0
    assert columns.T @ z == pytest.approx(K.T @ z)
    assert kernel.entries == (0 if kept == 10**6 else pytest.approx(60 * np.count_nonzero(z), abs=kept))


def test_a_sparse_matrix_with_many_columns_is_never_dense():
    rng = np.random.default_rng(0)
    X = sp.random_array((400, 20_000), density=0.003, rng=rng, format="csr")
    y = np.where(X[:, [3]].toarray().ravel() - X[:, [5]].toarray().ravel() + 0.1 * rng.normal(size=400) > 0, 1.0, -1.0)
    tracemalloc.start()
    s = mt.solve_mcm(X, y, 1.0, 1.0, "highs")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert s.certificate.proves_optimal() and s.coef.any()
    assert peak < 400 * 20_000 * 8 / 3


def test_the_constant_machine_warns_with_lazy_columns_too():
    X, y = moons(400)
    with pytest.warns(ConstantClassifierWarning, match="from"):
        mt.MCMClassifier(gamma=1.0, C=0.01, sparsity=20.0, solver="highs").fit(X[:310], y[:310])


def test_a_kernel_matrix_of_one_block_is_evaluated_once():
    X, y = moons(400)
    kernel = CountingKernel(1.0)
    solution = FastSolver(KernelColumns(kernel, X), y).solve(1.0, 0.1, 60.0)
    assert solution.certificate.proves_optimal() and kernel.entries == 400**2
