"""P's Algorithms 1 and 2 choose what scikit-learn's grid search chooses, and look at nothing that is held out."""

import warnings

import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mcmteach as mt
from mcmteach import tune
from mcmteach.datasets import stratified_folds
from mcmteach.errors import InvalidInputError, SolverError


def grid_search(machine, trials, X, y, folds):
    """GridSearchCV over the same points in the same order."""
    prefix = type(machine).__name__.lower()
    grid = [{f"{prefix}__{name}": [value] for name, value in trial.params.items()} for trial in trials]
    pipeline = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler(), machine)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mt.MCMWarning)
        search = GridSearchCV(pipeline, grid, cv=folds, refit=False).fit(X, y)
    best = {name.removeprefix(f"{prefix}__"): value for name, value in search.best_params_.items()}
    return best, search.best_score_, search.cv_results_["mean_test_score"]


# --- the algorithms --------------------------------------------------------------------------------------------------


def test_algorithm_1_finds_what_gridsearchcv_finds(gappy):
    X, y = gappy
    folds = stratified_folds(y, 3, seed=5)
    found = mt.tune_mcm(X, y, [0.1, 1], [0.05, 0.5, 5], [0.3, 0.03], folds, solver="linprog")
    best, score, scores = grid_search(mt.MCMClassifier(solver="linprog"), found.trials, X, y, folds)
    assert len(found.trials) == 12
    assert [trial.accuracy for trial in found.trials] == pytest.approx(scores)
    assert (found.params, found.accuracy) == (best, pytest.approx(score))
    # C is the outer loop, as printed
    assert [trial.params["C"] for trial in found.trials[:7]] == [0.1] * 6 + [1]


def test_algorithm_2_finds_what_gridsearchcv_finds(gappy):
    X, y = gappy
    folds = stratified_folds(y, 3, seed=5)
    found = mt.tune_conformal(X, y, [1], [0.05, 0.5], 0.1, gamma_c=[1, 4], D=[1e-3, 1], folds=folds, solver="linprog")
    best, score, scores = grid_search(mt.ConformalMCMClassifier(solver="linprog"), found.trials, X, y, folds)
    assert len(found.trials) == 8
    assert [trial.accuracy for trial in found.trials] == pytest.approx(scores)
    assert (found.params, found.accuracy) == (best, pytest.approx(score))
    # and it has saved C and gamma of the machine without a map, as Algorithm 1 alone would
    alone = mt.tune_mcm(X, y, [1], [0.05, 0.5], 0.1, folds, solver="linprog")
    assert found.basic.params == alone.params and found.basic.accuracy == alone.accuracy
    # gamma_c is a multiple of gamma
    assert {trial.params["gamma_c"] / trial.params["gamma"] for trial in found.trials} == {1.0, 4.0}


def test_the_fast_solver_sees_the_same_accuracies(gappy):
    pytest.importorskip("highspy")
    X, y = gappy
    slow, fast = (mt.tune_mcm(X, y, [0.1, 1], [0.5, 2], [1, 0.1], folds=4, solver=s) for s in ("linprog", "highs"))
    # an optimum need not be the only one, so a sample near the boundary may change sides
    assert [t.accuracy for t in fast.trials] == pytest.approx([t.accuracy for t in slow.trials], abs=1.5 / 80)


def test_on_a_tie_the_first_one_stays():
    X, y = np.r_[np.full((6, 1), -1.0), np.full((6, 1), 1.0)], np.repeat([0, 1], 6)
    found = mt.tune_mcm(X, y, C=[4, 1], gamma=[0.5, 1], sparsity=[0.2, 0.1], folds=3)
    assert found.accuracy == 1.0 and found.params == {"C": 4.0, "gamma": 0.5, "sparsity": 0.2}
    assert repr(found) == "Tuning(C=4, gamma=0.5, sparsity=0.2; accuracy 1.0000, best of 8)"


def test_keep_searches_the_map_for_the_best_machines_only(gappy):
    X, y = gappy
    grid = {"C": [0.1, 1], "gamma": [0.05, 0.5], "sparsity": [0.3, 0.1], "folds": 3}
    basic = mt.tune_mcm(X, y, **grid)
    found = mt.tune_conformal(X, y, **grid, gamma_c=[1, 4], keep=2)
    tried = [t.params for t in found.trials[::2]]
    kept = sorted(basic.trials, key=lambda t: -t.accuracy)[:2]
    assert len(found.trials) == 4
    assert sorted(t.accuracy for t in kept) == sorted(
        t.accuracy for t in basic.trials if t.params in [{n: p[n] for n in ("C", "gamma", "sparsity")} for p in tried]
    )
    again = mt.tune_conformal(X, y, gamma_c=[1, 4], keep=2, folds=3, basic=basic)
    assert again.params == found.params and again.accuracy == found.accuracy


def test_a_programme_without_a_solution_is_never_chosen(moons, monkeypatch):
    X, y = moons
    real = tune.solve_mcm

    def moody(K, y, C, *rest):
        if C == 1:
            raise SolverError("not today")
        return real(K, y, C, *rest)

    monkeypatch.setattr(tune, "mcm_path", lambda K, y, *rest: moody(K, y, 1))  # a path fails as a whole
    monkeypatch.setattr(tune, "solve_mcm", moody)
    found = mt.tune_mcm(X, y, C=[1, 2], gamma=[1], sparsity=0.1, folds=3)
    assert [t.accuracy > 0 for t in found.trials] == [False, True]
    assert found.params["C"] == 2
    conformal = mt.tune_conformal(X, y, C=[1, 2], gamma=[1], sparsity=0.1, gamma_c=[1], folds=3)
    assert [t.accuracy > 0 for t in conformal.trials] == [False, True]


def test_no_time_at_all_is_accuracy_0_and_not_an_error(moons):
    found = mt.tune_mcm(*moons, C=[1], gamma=[1], folds=2, solver="linprog", time_limit=1e-9)
    assert found.accuracy == 0 and found.params["C"] == 1


def test_a_map_without_cores_is_no_map(moons):
    X, y = moons
    found = mt.tune_conformal(X, y, C=[1e-6], gamma=[1], sparsity=5.0, gamma_c=[1, 2], folds=2)
    assert {t.accuracy for t in found.trials} == {found.basic.accuracy}


def test_progress_is_a_bar(moons, capsys):
    mt.tune_mcm(*moons, C=[1], gamma=[1, 2], folds=2, progress=True)
    assert "tuning" in capsys.readouterr().err


# --- bad input -------------------------------------------------------------------------------------------------------


def test_a_fold_with_one_class_is_named(moons):
    X, y = moons
    folds = [(np.arange(40), np.arange(40, 80)), (np.flatnonzero(y > 0), np.flatnonzero(y < 0))]
    with pytest.raises(InvalidInputError, match="training part of fold 1 holds one class only"):
        mt.tune_mcm(X, y, folds=folds)
    with pytest.raises(InvalidInputError, match="Fold 0 has no test samples"):
        mt.tune_mcm(X, y, folds=[(np.arange(80), [])])
    with pytest.raises(InvalidInputError, match="no folds"):
        mt.tune_mcm(X, y, folds=[])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"C": 0}, "C must be"),
        ({"C": []}, "C is empty"),
        ({"C": ["a"]}, "C"),
        ({"gamma": [1, -1]}, "gamma must be"),
        ({"sparsity": -1}, "sparsity must be"),
        ({"gamma_c": 0}, "gamma_c must be"),
        ({"D": -1}, "D must be"),
        ({"keep": 0}, "keep must be"),
        ({"folds": 1}, "n_folds must be"),
        ({"folds": 41}, "40 samples, so 41 folds"),
        ({"folds": "x"}, "folds must be a whole number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"basic": 3}, "what tune_mcm gives"),
        ({"solver": "magic"}, "no solver"),
    ],
)
def test_bad_grids(moons, change, message):
    arguments = {"C": 1, "gamma": 1, "sparsity": 0.1, "gamma_c": 1, "D": 0.1, "folds": 2}
    with pytest.raises(InvalidInputError, match=message):
        mt.tune_conformal(*moons, **{**arguments, **change})


def test_bad_labels(moons):
    X, y = moons
    with pytest.raises(InvalidInputError, match="one class only"):
        mt.tune_mcm(X, np.ones(80))
    with pytest.raises(InvalidInputError, match="3 classes"):
        mt.tune_mcm(X, np.arange(80) % 3)
    with pytest.raises(InvalidInputError, match="one label per sample"):
        mt.tune_mcm(X, y[:-1])


@pytest.mark.parametrize("bad", [{"C": []}, {"C": "a"}, {"C": [1.0, 0.0]}, {"sparsity": [-1.0]}, {"sparsity": []}])
def test_a_path_says_what_is_wrong_with_its_prices(bad):
    with pytest.raises(InvalidInputError, match=next(iter(bad))):
        mt.mcm_path([[1.0], [-1.0]], [1, -1], **bad)
