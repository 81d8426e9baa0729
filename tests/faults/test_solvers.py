"""Engines that are missing, raise, or have no time: what comes back is right, says its gap, or is an error of ours."""

import importlib
import sys
import warnings

import numpy as np
import pytest

import mcmteach as mt
from mcmteach.errors import CertificateWarning, SolverError
from mcmteach.solvers import solve
from tests.solvers.exact import refuted

highspy = pytest.importorskip("highspy")


@pytest.fixture
def programme(moons):
    X, y = moons
    return mt.rbf_kernel(X, gamma=1.0), y


def test_without_highspy_the_optimum_is_the_same(programme, monkeypatch):
    wanted = mt.solve_mcm(*programme, solver="highs")
    monkeypatch.setitem(sys.modules, "highspy", None)
    monkeypatch.setattr(solve, "find_spec", lambda name: None if name == "highspy" else importlib.util.find_spec(name))
    found = mt.solve_mcm(*programme)
    assert found.certificate.proves_optimal()
    assert found.objective == pytest.approx(wanted.objective, abs=2e-6)


@pytest.mark.parametrize("limit", [1e-9, 1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("solver", ["highs", "linprog"])
def test_a_solver_without_time_says_its_gap_or_gives_up_in_words(programme, solver, limit):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", CertificateWarning)
        try:
            found = mt.solve_mcm(*programme, solver=solver, time_limit=limit)
        except SolverError as problem:
            words = str(problem)
        else:
            words = ""
    if words:
        assert "time" in words
    else:
        assert np.isfinite(found.objective) and not refuted(*programme, 1.0, 0.1, found)


@pytest.mark.parametrize("problem", [RuntimeError("HiGHS is in a bad state"), MemoryError(), SolverError("gave up")])
def test_a_solver_that_raises_leaves_nothing_behind(programme, problem):
    """The error is the caller's to see; the next call, without the fault, gives what it always gave."""
    K, y = programme
    wanted = mt.solve_mcm(K, y, solver="highs")
    machine = mt.MCMClassifier(kernel="precomputed", sparsity=0.1, solver="highs").fit(K, y)
    before = machine.predict(K).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mcmteach.solvers.solve.FastSolver.solve", lambda *a, **k: (_ for _ in ()).throw(problem))
        with pytest.raises(type(problem)):
            mt.solve_mcm(K, y, solver="highs")
        with pytest.raises(type(problem)):
            machine.fit(K, -y)
    found = mt.solve_mcm(K, y, solver="highs")
    assert found.objective == wanted.objective and found.coef.tolist() == wanted.coef.tolist()
    assert machine.fit(K, y).predict(K).tolist() == before


def test_a_fit_that_fails_is_not_taken_for_a_fitted_machine(programme):
    K, y = programme
    machine = mt.MCMClassifier(kernel="precomputed", sparsity=0.1, solver="highs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "mcmteach.solvers.solve.FastSolver.solve", lambda *a, **k: (_ for _ in ()).throw(SolverError("no"))
        )
        with pytest.raises(SolverError):
            machine.fit(K, y)
    with pytest.raises(mt.MCMError, match="fit"):
        machine.predict(K)
