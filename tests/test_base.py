"""What all machines share: parameters, the kernel that is kept, and new data that must be like the old."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone, is_classifier, is_regressor
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import mcmteach as mt
from mcmteach.base import Estimator
from mcmteach.errors import ConstantClassifierWarning, InvalidInputError, MCMWarning
from mcmteach.svm.kernel_least_squares import KernelLeastSquares
from tests.processes import python

X = np.random.default_rng(0).normal(size=(40, 3))
y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)


@pytest.mark.parametrize("machine", [mt.MCMClassifier(), mt.KernelSVM(), mt.KernelPerceptron()])
def test_a_machine_keeps_the_kernel_of_its_fit(machine):
    before = machine.fit(X, y).decision_function(X)
    assert machine.kernel_ == mt.RBF(machine.gamma_) and machine.gamma_ == pytest.approx(1 / (3 * X.var()))
    machine.set_params(kernel="linear", gamma=7.0)  # takes effect at the next fit
    assert np.array_equal(machine.decision_function(X), before)
    assert np.array_equal(pickle.loads(pickle.dumps(machine)).decision_function(X), before)
    assert machine.fit(X, y).kernel_ == mt.Linear() and not hasattr(machine, "gamma_")


def test_precomputed_values_are_looked_up_by_the_support_vectors_columns():
    K = mt.rbf_kernel(X, gamma=0.5)
    given, own = mt.MCMClassifier("precomputed").fit(K, y), mt.MCMClassifier(gamma=0.5).fit(X, y)
    np.testing.assert_allclose(given.decision_function(K[:7]), own.decision_function(X[:7]))
    assert not hasattr(given, "support_vectors_")
    with pytest.raises(InvalidInputError, match=r"must be square for fit, and this has shape \(40, 3\)"):
        mt.MCMClassifier("precomputed").fit(X, y)


def test_a_warning_points_at_the_line_that_called_fit():
    with pytest.warns(ConstantClassifierWarning) as caught:
        mt.MCMClassifier(sparsity=1e6).fit(X, y)
    assert caught[0].filename == __file__


def test_a_kernel_function_must_give_a_matrix_of_the_right_shape():
    with pytest.raises(InvalidInputError, match=r"gave a matrix of shape \(40,\), but \(40, 40\) is needed"):
        mt.MCMClassifier(lambda A, B: A[:, 0]).fit(X, y)
    with pytest.raises(InvalidInputError, match="the kernel's matrix is not made of numbers"):
        mt.MCMClassifier(lambda A, B: "none").fit(X, y)


# --- a citizen of scikit-learn ---------------------------------------------------------------------------------------------


def test_importing_the_package_imports_no_scikit_learn_and_old_estimators_join_it_later():
    code = """
import sys, pickle, mcmteach as mt
old = mt.MCMClassifier(gamma=2.0).fit([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1])
assert not any(name.split(".")[0] == "sklearn" for name in sys.modules)
assert old.get_params()["gamma"] == 2.0 and repr(old) == "MCMClassifier(gamma=2.0)"
stored = pickle.dumps(old)
from sklearn.base import BaseEstimator, ClassifierMixin
mt.Perceptron()
assert isinstance(old, BaseEstimator) and isinstance(old, ClassifierMixin)
assert old.predict([[0, 0], [0, 1]]).tolist() == pickle.loads(stored).predict([[0, 0], [0, 1]]).tolist() == [1, -1]
assert pickle.loads(pickle.dumps(old)).gamma_ == 2.0 and repr(old) == "MCMClassifier(gamma=2.0)"
"""
    python("-W", "error", "-c", code, check=True)


def test_machines_inherit_from_scikit_learn_the_mixin_first():
    machine, regressor = mt.MCMClassifier(), KernelLeastSquares()
    assert isinstance(machine, BaseEstimator) and isinstance(machine, ClassifierMixin) and is_classifier(machine)
    assert isinstance(regressor, RegressorMixin) and is_regressor(regressor) and not is_classifier(regressor)
    for cls, mixin in ((mt.MCMClassifier, ClassifierMixin), (KernelLeastSquares, RegressorMixin)):
        assert cls.__mro__.index(mixin) < cls.__mro__.index(Estimator) < cls.__mro__.index(BaseEstimator)
    assert clone(machine).get_params() == machine.get_params()


def test_a_notebook_shows_a_machine_as_scikit_learn_does():
    page = mt.MCMClassifier(C=3.0).fit(X, y)._repr_html_()
    assert "MCMClassifier" in page and "sk-estimator" in page
    assert "MCMClassifier" in make_pipeline(StandardScaler(), mt.MCMClassifier())._repr_html_()


def test_metadata_routing_in_a_pipeline():
    machine = make_pipeline(StandardScaler(), mt.MCMClassifier(gamma=0.5))
    with sklearn.config_context(enable_metadata_routing=True):
        assert machine.fit(X, y).score(X, y) > 0.9
        assert np.isfinite(cross_val_score(machine, X, y, error_score="raise")).all()
        search = GridSearchCV(machine, {"mcmclassifier__C": [0.1, 1.0]}, error_score="raise").fit(X, y)
        assert 0.5 < search.best_score_ <= 1
        weighted = mt.MCMClassifier(gamma=0.5).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        found = cross_val_score(weighted, X, y, params={"sample_weight": np.ones(len(y))}, error_score="raise")
        assert np.array_equal(found, cross_val_score(mt.MCMClassifier(gamma=0.5), X, y))
        late = np.where(np.arange(len(y)) < 20, 0.0, 1.0)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), weighted)
        assert pipeline.fit(X, y, sample_weight=late)[-1].support_.min() >= 20


def test_scores_take_weights_and_are_those_of_scikit_learn():
    w, targets = np.arange(len(y)) % 3.0, X[:, 0] + X[:, 1] ** 2
    machine, regressor = mt.MCMClassifier(C=0.01).fit(X, y), mt.MCMRegressor(C=0.1).fit(X, targets)
    assert machine.score(X, y, w) == pytest.approx(accuracy_score(y, machine.predict(X), sample_weight=w))
    assert regressor.score(X, targets, w) == pytest.approx(r2_score(targets, regressor.predict(X), sample_weight=w))
    assert regressor.score(X, targets) == pytest.approx(r2_score(targets, regressor.predict(X)))
    for scored, known in ((machine, y), (regressor, targets)):
        for bad in (w[1:], -w, 0 * w, np.where(w == 0, np.nan, w)):
            with pytest.raises(InvalidInputError, match="sample_weight"):
                scored.score(X, known, bad)
    with sklearn.config_context(enable_metadata_routing=True):
        weighted = mt.MCMRegressor(C=0.1).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        found = cross_val_score(weighted, X, targets, params={"sample_weight": np.ones(len(y))}, error_score="raise")
        assert np.allclose(found, cross_val_score(mt.MCMRegressor(C=0.1), X, targets))


def test_check_estimator_has_nothing_to_warn_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=MCMWarning)  # the checks fit noise, and say so
        warnings.filterwarnings("ignore", message="Skipping check check_array_api_input")
        check_estimator(mt.MCMClassifier("linear"), on_skip=None)
