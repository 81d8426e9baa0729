"""The working set: columns that enter and leave it."""

import numpy as np
import pytest
import scipy.sparse as sp

from mcmteach.solvers.fast import FastSolver
from mcmteach.solvers.kernel_columns import as_columns
from mcmteach.solvers.settings import DEFAULT
from mcmteach.solvers.working_set import WorkingSet


def test_sparse_columns_are_worked_on_as_they_are_and_lead_where_dense_ones_lead():
    rng = np.random.default_rng(0)
    X = sp.random_array((300, 500), density=0.05, rng=rng, format="csr")
    y = np.where(X @ rng.normal(size=500) + 0.1 * rng.normal(size=300) > 0, 1.0, -1.0)
    work = WorkingSet(as_columns(X), y, DEFAULT, np.arange(40))
    work.take(np.arange(40, 60))
    work.keep(np.arange(60) % 2 == 0)
    assert sp.issparse(work.A)
    np.testing.assert_allclose((work.A @ sp.diags_array(work.size)).toarray(), y[:, None] * X.toarray()[:, :60:2])
    one, other = (FastSolver(K, y).solve(1.0, 0.3, 60.0) for K in (X, X.toarray()))
    assert one.certificate.proves_optimal() and np.count_nonzero(one.coef) > 100
    assert one.objective == pytest.approx(other.objective, rel=1e-9)
    np.testing.assert_allclose(one.coef, other.coef, atol=1e-6)
