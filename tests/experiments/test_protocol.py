"""What a fold computes: the numbers of a pipeline, with no look at the test fold."""

import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach import experiments as ex
from mcmteach.datasets import stratified_folds
from mcmteach.experiments import protocol as folds
from mcmteach.experiments import rules
from tests.experiments.quick import QUICK, QUICK_ON_TEST, SETS


@pytest.mark.parametrize("name", SETS)
def test_the_numbers_are_those_of_a_pipeline_fitted_to_the_training_part(reference, name):
    (fold, *_) = ex.Store(reference).folds(QUICK, name)
    loaded = mt.load_dataset(name)
    X, y = loaded.data, loaded.target
    train, test = stratified_folds(y, 2, QUICK.seed)[0]
    solver = rules.solver()
    for column, kind in (("mcm", mt.MCMClassifier), ("conformal", mt.ConformalMCMClassifier)):
        numbers = fold["columns"][column]
        machine = make_pipeline(
            SimpleImputer(strategy="median"), StandardScaler(), kind(solver=solver, **numbers["params"])
        )
        machine.fit(X[train], y[train])
        assert machine.score(X[test], y[test]) == pytest.approx(numbers["accuracy"], abs=1.5 / len(test))
        assert machine[-1].n_support_ == pytest.approx(numbers["n_support"], abs=2)  # parameters have six digits
        assert numbers["gap"] < 1e-6 and numbers["h"] >= 1
    assert fold["columns"]["conformal"]["J_after"] > fold["columns"]["conformal"]["J_before"]
    larger = int(np.mean(y[train]) > 0.5)
    assert fold["columns"]["majority"]["accuracy"] == pytest.approx(np.mean(y[test] == larger), abs=1e-5)

    inner = stratified_folds(y[train], 2, QUICK.seed + 1)
    gamma = 1 / X.shape[1]
    search = GridSearchCV(
        make_pipeline(StandardScaler(), SVC(gamma=gamma)), [{"svc__C": [1.0]}, {"svc__C": [10.0]}], cv=inner
    ).fit(X[train], y[train])
    svc = fold["columns"]["svc"]
    assert svc["params"]["C"] == search.best_params_["svc__C"]
    assert svc["accuracy"] == pytest.approx(search.score(X[test], y[test]), abs=1e-5)
    assert svc["n_support"] == search.best_estimator_[-1].n_support_.sum()


def test_nested_choices_do_not_see_the_test_labels_and_the_papers_do():
    X, y = folds.load_table("sonar", QUICK)
    train, test = stratified_folds(y, 2, 0)[0]
    other = y.copy()
    other[test] = -y[test]  # whoever chose by these would now choose what was worst
    wide = QUICK._replace(sparsity=(3.0, 1.0, 0.3, 0.1), gamma_c=(0.5, 10.0, 100.0), svc_C=(0.1, 1.0, 10.0))
    nested = [folds.compute(X, labels, train, test, wide, 0)["columns"] for labels in (y, other)]
    for column in ("mcm", "conformal", "svc"):
        one, two = (columns[column] for columns in nested)
        assert (one["params"], one["n_support"]) == (two["params"], two["n_support"])
        assert one["accuracy"] != two["accuracy"]
    paper = [folds.compute(X, labels, train, test, QUICK_ON_TEST, 0)["columns"] for labels in (y, other)]
    one, two = (columns["mcm"] for columns in paper)  # C and gamma are chosen on a part of the training part
    assert one["params"] == two["params"]
    peeped = [c for c in ("conformal", "lp0_conformal", "svc") if paper[0][c]["params"] != paper[1][c]["params"]]
    assert peeped
    assert all(paper[0][c]["chosen_on"] == "the test fold" for c in ("conformal", "lp0_conformal", "svc", "sigmoid"))


def test_the_nested_protocol_leaves_out_columns_that_leak():
    for name, leaks in rules.LEAKS.items():
        names = mt.load_dataset(name).feature_names
        assert set(leaks) <= set(names)
        assert folds.load_table(name, ex.NESTED)[0].shape[1] == len(names) - len(leaks)
        assert (
            folds.load_table(name, ex.TEST_CHOSEN)[0].shape[1] == mt.load_dataset(name, encode="ordinal").data.shape[1]
        )
