"""The MCM's columns by the steps of the authors' code: each step, and the stored rows."""

import numpy as np
import pytest
import scipy.linalg

from mcmteach import experiments as ex
from mcmteach.__main__ import main
from mcmteach.conformal import core_matrix
from mcmteach.experiments.authors import AUTHORS, BY_NAME, PROGRAMME, authors_rows, programme
from mcmteach.experiments.authors.folds import z_scores
from mcmteach.experiments.authors.programme import ChosenFit, ProgrammeFit
from mcmteach.fisher import scatter_matrices
from mcmteach.kernels import rbf_kernel
from tests.experiments.authors.test_data import HERE, needs_files
from tests.experiments.authors.test_folds import made_up


def test_accuracies_below_one_half_are_turned_round():
    part = z_scores(made_up(), 0)
    K_test = rbf_kernel(part.X_test, part.X, 0.1)
    machine = programme._solve(rbf_kernel(part.X, part.X, 0.1), part.y, 1.0)
    right = programme._basic_right(part, machine, K_test)
    f = K_test @ machine.lam + machine.b
    assert machine.solved and right == max(np.sum((f > 0) == (part.y_test > 0)), np.sum((f > 0) != (part.y_test > 0)))
    turned = ProgrammeFit(-machine.lam, -machine.b, True)
    assert programme._basic_right(part, turned, K_test) == right
    unsolved = ProgrammeFit(np.zeros(len(part.y)), 3.0, False)
    assert programme._basic_right(part, unsolved, K_test) == max(np.sum(part.y_test < 0), np.sum(part.y_test > 0))


def test_the_last_of_the_eigenvalues_is_not_looked_at():
    part = z_scores(made_up(), 0)
    K, cores = rbf_kernel(part.X, part.X, 0.1), part.X[:3]
    K1 = core_matrix(part.X, cores, 0.5)
    B0, W0 = scatter_matrices(K, part.y)
    P, Q = (K1.T @ A @ K1 + 1e-6 * np.eye(4) for A in (B0, W0))
    alpha = programme._alpha(K, part.y, part.X, cores, 0.5)
    values = scipy.linalg.eig(P, Q)[0].real
    assert alpha @ P @ alpha / (alpha @ Q @ alpha) == pytest.approx(values[:-1].max())
    np.testing.assert_allclose(sorted(values), scipy.linalg.eigh((P + P.T) / 2, (Q + Q.T) / 2)[0], rtol=1e-6)


def test_without_cores_there_is_no_answer():
    part = z_scores(made_up(), 0)
    assert programme._conformal(
        part, ChosenFit(ProgrammeFit(np.zeros(len(part.y)), 0.0, False), 1.0, 0.1, 5, 12), 1.0
    ) == (0, 0)


def test_the_c_of_the_conformal_machine_is_that_of_the_best_test_fold_so_far(monkeypatch):
    nothing, asked = ProgrammeFit(np.zeros(48), 0.0, False), []
    basics = [ChosenFit(nothing, C, 0.1, right, 12) for C, right in ((1.0, 8), (2.0, 9), (4.0, 9), (8.0, 7))]
    monkeypatch.setattr(programme, "read_set", lambda name, folder: made_up())
    monkeypatch.setattr(programme, "_basic", lambda name, fold, folder: basics[fold])
    monkeypatch.setattr(programme, "_conformal", lambda part, basic, C: asked.append(C) or (0, 0))
    for fold in range(4):
        programme.run_programme("seed", fold, PROGRAMME)
    assert asked == [1.0, 2.0, 4.0, 4.0]


def test_stored_rows_are_whole_and_shown(capsys):
    store = ex.Store()
    rows = authors_rows(PROGRAMME, "lp0")
    assert [row.row for row in rows] == [BY_NAME[name].row for name in BY_NAME if name in store.sets(PROGRAMME)]
    for name in store.sets(PROGRAMME):
        for mine, other in zip(store.folds(PROGRAMME, name), store.folds(AUTHORS, name), strict=True):
            assert mine["n_test"] == other["n_test"] and 2 * mine["columns"]["lp0"]["right"] >= mine["n_test"]
            assert mine["columns"]["lp0"]["n_support"] <= mine["columns"]["lp0"]["both_signs"]
    assert main(["reproduce", "table3", "--protocol", "authors-mcm", "--stored", "--markdown"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n| ") == len(rows) + 2 and "without the y_j" in out


@needs_files
def test_a_stored_fold_can_be_computed_again():
    """Within two samples: another release of HiGHS may return another of the many solutions."""
    fresh = programme.run_programme("blogger", 0, PROGRAMME._replace(folder=HERE))["columns"]
    stored = ex.Store().read(PROGRAMME, "blogger", 0)["columns"]
    for column in PROGRAMME.columns:
        assert abs(fresh[column]["right"] - stored[column]["right"]) <= 2
