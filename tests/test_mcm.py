"""The classifier inside scikit-learn's world, and what it promises beyond that."""

import pickle
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import mcmteach as mt
from mcmteach import MCMClassifier
from mcmteach.errors import (
    ConstantClassifierWarning,
    DataConversionWarning,
    InfeasibleError,
    InvalidInputError,
    ManySupportVectorsWarning,
    MCMError,
    MCMWarning,
    NotFittedError,
    NotMercerWarning,
)
from mcmteach.solvers.constant_price import price_unit


@pytest.mark.filterwarnings("ignore::mcmteach.errors.MCMWarning")  # the checks fit noise, and say so
@parametrize_with_checks([MCMClassifier(), MCMClassifier(kernel="linear"), MCMClassifier(kernel="poly", sparsity=0.5)])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_pipeline_grid_search_clone_and_pickle(moons):
    X, y = moons
    pipeline = make_pipeline(StandardScaler(), MCMClassifier())
    grid = {"mcmclassifier__C": [0.1, 1.0], "mcmclassifier__gamma": [0.5, 2.0]}
    search = GridSearchCV(pipeline, grid, cv=StratifiedKFold(3)).fit(X, y)
    assert search.best_score_ > 0.85
    machine = search.best_estimator_[-1]
    assert is_classifier(machine)
    assert np.array_equal(pickle.loads(pickle.dumps(search)).predict(X), search.predict(X))
    copy = clone(machine)
    assert copy.get_params() == machine.get_params() and not hasattr(copy, "classes_")


def test_precomputed_kernels_are_cut_right_in_cross_validation(moons):
    X, y = moons
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    from_points = cross_val_score(MCMClassifier(gamma=1.0), X, y, cv=cv)
    from_matrix = cross_val_score(MCMClassifier(kernel="precomputed"), mt.rbf_kernel(X, gamma=1.0), y, cv=cv)
    assert np.array_equal(from_points, from_matrix)


def test_every_way_to_name_a_kernel_is_the_same_machine(moons):
    X, y = moons
    new = X + 0.1
    reference = MCMClassifier(gamma=1.0).fit(X, y)
    f = reference.decision_function(new)
    K, K_new = mt.rbf_kernel(X, gamma=1.0), mt.rbf_kernel(new, X, 1.0)
    for kernel in (mt.RBF(1.0), lambda A, B: mt.rbf_kernel(A, B, 1.0)):
        machine = MCMClassifier(kernel=kernel).fit(X, y)
        np.testing.assert_allclose(machine.decision_function(new), f)
    np.testing.assert_allclose(MCMClassifier(kernel="precomputed").fit(K, y).decision_function(K_new), f)
    np.testing.assert_allclose(MCMClassifier(gamma=1.0).fit(sp.csr_array(X), y).decision_function(sp.csr_array(new)), f)
    poly = MCMClassifier(kernel="poly", degree=2, coef0=1.0).fit(X, y).decision_function(new)
    np.testing.assert_allclose(MCMClassifier(kernel=mt.Polynomial(2, 1.0)).fit(X, y).decision_function(new), poly)


def test_prediction_is_the_solution_and_needs_the_support_vectors_only(moons):
    X, y = moons
    machine = MCMClassifier(gamma=1.0, C=0.5, sparsity=0.1).fit(X, y)
    solution = mt.solve_mcm(mt.rbf_kernel(X, gamma=1.0), y, C=0.5, sparsity=0.1)
    assert np.array_equal(machine.support_, np.flatnonzero(solution.coef))
    assert machine.n_support_ == len(machine.support_) == len(machine.support_vectors_) < 30
    assert np.array_equal(machine.support_vectors_, X[machine.support_])
    np.testing.assert_allclose(machine.decision_function(X), mt.rbf_kernel(X, gamma=1.0) @ solution.coef + solution.b)
    np.testing.assert_allclose(machine.predict(X), np.sign(machine.decision_function(X)))
    # P(18) divides by ||lambda|| first: the classes are the same
    np.testing.assert_allclose(
        np.sign(machine.decision_function(X) / np.linalg.norm(machine.dual_coef_)), machine.predict(X)
    )
    assert (machine.h_, machine.objective_) == (solution.h, solution.objective)
    assert machine.certificate_.proves_optimal()


def test_gamma_is_scikit_learns(moons):
    X, y = moons
    assert MCMClassifier(gamma="scale").fit(X, y).gamma_ == pytest.approx(SVC().fit(X, y)._gamma)
    many = np.tile(X, 8)  # sixteen features: "wide" is half of "scale"
    assert MCMClassifier().fit(many, y).gamma_ == pytest.approx(SVC().fit(many, y)._gamma / 2)
    assert MCMClassifier(gamma="auto").fit(X, y).gamma_ == SVC(gamma="auto").fit(X, y)._gamma == 0.5


def test_any_two_labels(moons):
    X, y = moons
    reference = MCMClassifier().fit(X, y).predict(X)
    for low, high in ((0, 1), ("ham", "spam"), (False, True), (7.0, 3e5)):
        named = np.where(y > 0, high, low)
        machine = MCMClassifier().fit(X, named)
        assert machine.classes_.tolist() == [low, high]
        assert np.array_equal(machine.predict(X) == machine.classes_[1], reference > 0)
        assert machine.score(X, named) == np.mean(reference == y)


def test_linear_machine_solves_for_w_and_rings_what_holds_it(blobs):
    X, y = blobs
    machine = MCMClassifier(kernel="linear", C=float("inf"), sparsity=0).fit(X, y)
    w, b = machine.coef_[0], machine.intercept_[0]
    assert machine.h_ == pytest.approx(mt.h_mcm(X, w, b))
    t = y * machine.decision_function(X)
    held = t[machine.support_]
    assert np.all(np.isclose(held, 1) | np.isclose(held, machine.h_))
    assert t.min() == pytest.approx(1) and 1 <= machine.n_support_ < len(y)


def test_a_price_on_w_selects_features():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 10))
    y = np.sign(X[:, 3])
    assert np.flatnonzero(MCMClassifier(kernel="linear", sparsity=15.0).fit(X, y).coef_[0]).tolist() == [3]


def test_vc_bound_is_theorem_2_2_with_what_was_measured():
    rng = np.random.default_rng(0)
    y = np.repeat([-1.0, 1.0], 500)
    X = rng.normal(size=(1000, 2)) * 0.5 + 4.0 * y[:, None]
    machine = MCMClassifier(kernel="linear", C=float("inf"), sparsity=0).fit(X, y)
    Delta = mt.geometric_margin(X, y, machine.coef_[0], machine.intercept_[0])
    h = mt.margin_vc_dim(np.linalg.norm(X - X.mean(axis=0), axis=1).max(), Delta, 2)
    assert machine.vc_bound_ == mt.vc_bound(0.0, h, 1000) < 0.2


def test_vc_bound_is_there_only_where_the_theorem_speaks(moons, blobs):
    assert not hasattr(MCMClassifier(), "vc_bound_")
    assert not hasattr(MCMClassifier(gamma=5.0).fit(*blobs), "vc_bound_")  # a kernel
    unseparated = MCMClassifier(kernel="linear").fit(*moons)
    assert not hasattr(unseparated, "vc_bound_")
    with pytest.raises(AttributeError, match="separates the training data"):
        _ = unseparated.vc_bound_
    few = MCMClassifier(kernel="linear").fit([[0.0, 0.0], [1.0, 1.0]], [0, 1])
    assert few.vc_bound_ == float("inf")  # a VC dimension of 3 and two samples


def test_sparse_machine_on_wdbc():
    # An early trial: gamma 2^-8, C 1/4, price 0.1 gave 97.1 % with 10 support vectors where SVC has 58 to 118
    X, y = load_breast_cancer(return_X_y=True)
    scores, counts, svc_counts = [], [], []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        scaler = StandardScaler().fit(X[train])
        machine = MCMClassifier(gamma=2**-8, C=0.25, sparsity=0.1).fit(scaler.transform(X[train]), y[train])
        assert machine.certificate_.proves_optimal()
        scores.append(machine.score(scaler.transform(X[test]), y[test]))
        counts.append(machine.n_support_)
        svc_counts.append(SVC(gamma=2**-8, C=10).fit(scaler.transform(X[train]), y[train]).n_support_.sum())
    assert np.mean(scores) > 0.955
    assert max(counts) <= 15 and min(svc_counts) > 3 * max(counts)


# --- what goes wrong -------------------------------------------------------------------------------------------------------


def test_a_price_too_high_warns_and_says_who_knows_where_that_starts(moons):
    X, y = moons
    X, y = X[:70], y[:70]  # unbalanced, so that the constant answer has a side
    with pytest.warns(ConstantClassifierWarning, match="constant_price finds where that starts") as caught:
        machine = MCMClassifier(gamma=1.0, C=0.01, sparsity=5.0).fit(X, y)
    assert machine.n_support_ == 0 and len(set(machine.predict(X))) == 1
    named = float(re.search(r"from ([0-9.e+-]+) on", str(caught[0].message))[1])
    start = mt.constant_price(machine.kernel_(X), np.where(y == machine.classes_[1], 1.0, -1.0), 0.01)
    assert start <= named < 5
    assert MCMClassifier(gamma=1.0, C=0.01, sparsity=0.99 * start).fit(X, y).n_support_ > 0
    for price in (1.01 * start, 1.01 * named):
        with pytest.warns(ConstantClassifierWarning):
            MCMClassifier(gamma=1.0, C=0.01, sparsity=price).fit(X, y)


@pytest.mark.parametrize("price", [0.3, 3.0])  # below and above the unit of prices, 0.56
def test_what_the_warning_says_needs_no_linear_programme(price, monkeypatch):
    monkeypatch.setattr("mcmteach.solvers.constant_price.linprog", None)  # it may take twenty times as long as the fit
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), np.arange(200) < 10
    unit = price_unit(mt.rbf_kernel(X, gamma=0.05), np.where(y, 1.0, -1.0), 1.0)
    with pytest.warns(ConstantClassifierWarning, match=re.escape(f"every sparsity from {min(price, unit):.4g} on")):
        MCMClassifier(gamma=0.05, sparsity=price).fit(X, y)


def test_a_kernel_that_is_none_is_used_with_a_warning(moons):
    X, y = moons
    K = mt.rbf_kernel(X, gamma=1.0)
    asymmetric = K + np.triu(0.1 * np.ones_like(K), 1)
    indefinite = K - 0.5 * np.eye(len(K))
    for bad in (asymmetric, indefinite, sp.csr_array(indefinite)):
        with pytest.warns(NotMercerWarning, match="Mercer"):
            machine = MCMClassifier(kernel="precomputed").fit(bad, y)
        assert machine.certificate_.proves_optimal()
    with pytest.warns(NotMercerWarning):
        MCMClassifier(kernel=lambda A, B: np.tanh(A @ B.T - 1)).fit(X, y)


def test_hard_margin_on_data_that_no_line_separates(moons):
    X, y = moons
    with pytest.raises(InfeasibleError, match="Allow slack") as error:
        MCMClassifier(kernel="linear", C=float("inf")).fit(X, y)
    assert error.value.weights.shape == y.shape
    assert MCMClassifier(gamma=5.0, C=float("inf")).fit(X, y).score(X, y) == 1.0  # the RBF kernel separates them


def test_not_fitted_is_caught_by_either_name():
    for kind in (NotFittedError, SklearnNotFittedError, MCMError, ValueError, AttributeError):
        with pytest.raises(kind, match="not fitted yet"):
            MCMClassifier().predict([[1.0]])


def test_a_failed_fit_leaves_the_old_machine_alone(moons):
    X, y = moons
    machine = MCMClassifier(gamma=1.0).fit(X, y)
    before = machine.decision_function(X)
    with pytest.raises(InvalidInputError):
        machine.fit(X[:, :1], np.where(y > 0, "a", "a"))
    np.testing.assert_array_equal(machine.decision_function(X), before)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"kernel": "cubic"}, "no kernel 'cubic'"),
        ({"kernel": 3}, "no kernel 3"),
        ({"kernel": "precomputed"}, "square"),
        ({"kernel": lambda A, B: np.ones((2, 2))}, "shape"),
        ({"gamma": 0}, "gamma must be"),
        ({"gamma": -1.0}, "gamma must be"),
        ({"gamma": "thin"}, "gamma must be"),
        ({"sparsity": "none"}, "sparsity must be a number >= 0, 'auto' or 'high'"),
        ({"C": 0}, "C must be"),
        ({"sparsity": -1}, "sparsity must be"),
        ({"solver": "magic"}, "no solver"),
        ({"kernel": "poly", "degree": 0}, "degree must be"),
    ],
)
def test_bad_parameters_are_refused_at_fit(moons, parameters, says):
    machine = MCMClassifier(**parameters)  # never in the constructor: scikit-learn's rule
    with pytest.raises(InvalidInputError, match=says):
        machine.fit(*moons)


@pytest.mark.parametrize(
    ("X", "y", "says"),
    [
        ([[1.0], [2.0]], [1, 1], "one class only"),
        ([[1.0], [2.0]], [1, 2, 1], "one label per sample"),
        ([[1.0], [2.0]], None, "target y is None"),
        ([[1.0], [2.0]], [0.5, 1.5], "Unknown label type"),
        ([[1.0], [2.0]], [1.0, np.nan], "NaN"),
        ([[1.0], [2.0]], [[1, 2], [2, 1]], "one-dimensional"),
        ([[1.0], [np.nan]], [0, 1], "NaN"),
        ([[1.0], [1e150]], [0, 1], "Standardise"),
    ],
)
def test_bad_data_are_refused_with_a_reason(X, y, says):
    with pytest.raises(InvalidInputError, match=says):
        MCMClassifier().fit(X, y)


def test_unknown_parameters_are_refused():
    with pytest.raises(InvalidInputError, match="Valid parameters are"):
        MCMClassifier().set_params(gama=1.0)


def test_repr_shows_what_was_changed():
    assert repr(MCMClassifier()) == "MCMClassifier()"
    assert repr(MCMClassifier(C=2.0, kernel="linear")) == "MCMClassifier(kernel='linear', C=2.0)"


# --- found by a reader with fresh eyes -------------------------------------------------------------------------------------


def test_parameters_come_in_the_order_of_the_contract(moons):
    machine = MCMClassifier("linear", 2.0, "auto", 0.5, "linprog")
    assert (machine.kernel, machine.C, machine.gamma) == ("linear", 2.0, "auto")
    assert (machine.sparsity, machine.solver) == (0.5, "linprog")
    conformal = mt.ConformalMCMClassifier("rbf", 2.0, 1.0, 0.5, "linprog", 0.7, 0.1)
    assert (conformal.sparsity, conformal.gamma_c, conformal.D) == (0.5, 0.7, 0.1)


def test_score_takes_one_label_per_sample(moons):
    X, y = moons
    machine = MCMClassifier(gamma=1.0).fit(X, y)
    with pytest.warns(DataConversionWarning):
        assert machine.score(X, y[:, None]) == machine.score(X, y)
    for wrong in (y[:5], [1.0], np.array(1.0)):
        with pytest.raises(InvalidInputError):
            machine.score(X, wrong)
    right = machine.predict(X) == y
    assert machine.score(X, y, sample_weight=np.where(right, 1.0, 0.0)) == 1.0


def test_errors_survive_the_way_back_from_another_process(moons):
    X, y = moons
    with pytest.raises(InfeasibleError) as infeasible:
        MCMClassifier("linear", C=float("inf")).fit(X, y)
    copy = pickle.loads(pickle.dumps(infeasible.value))
    assert str(copy) == str(infeasible.value) and np.array_equal(copy.weights, infeasible.value.weights)
    with pytest.raises(NotFittedError) as unfitted:
        MCMClassifier().predict(X)
    copy = pickle.loads(pickle.dumps(unfitted.value))
    assert (
        isinstance(copy, NotFittedError)
        and isinstance(copy, SklearnNotFittedError)
        and str(copy) == str(unfitted.value)
    )


def test_a_new_fit_forgets_the_last(moons):
    X, y = moons
    machine = MCMClassifier("linear").fit(X, y)
    machine.set_params(kernel="rbf").fit(X, y)
    assert not hasattr(machine, "coef_")
    machine.set_params(kernel="precomputed").fit(mt.rbf_kernel(X), y)
    assert not hasattr(machine, "support_vectors_") and not hasattr(machine, "gamma_")


def test_labels_that_cannot_be_compared_are_refused(moons):
    X, y = moons
    with pytest.raises(InvalidInputError, match="cannot be compared"):
        MCMClassifier().fit(X, np.where(y > 0, "a", None))


def test_a_machine_is_at_home_in_the_margin_functions(blobs):
    X, y = blobs
    machine = MCMClassifier("linear", C=float("inf"), sparsity=0).fit(X, y)
    assert mt.h_mcm(X, machine.coef_, machine.intercept_[0]) == pytest.approx(machine.h_)


# --- a machine that knows its samples by heart ----------------------------------------------------------------------------


def wide_data(M=100, n=2000):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(M + 400, n))
    y = np.where(X[:, :10].sum(axis=1) > 0, 1, -1)
    return X[:M], y[:M], X[M:], y[M:]


def test_nearly_all_samples_as_support_vectors_come_with_a_warning_and_a_remedy():
    X, y, X_new, y_new = wide_data()
    with pytest.warns(
        ManySupportVectorsWarning, match=r"99 of 100 samples .* wider kernel .* kernel='linear'"
    ) as caught:
        machine = MCMClassifier().fit(X, y)
    assert caught[0].filename == __file__
    # what the warning is about: nothing else shows that the machine is worthless
    assert machine.score(X, y) == 1 and machine.certificate_.proves_optimal() and machine.score(X_new, y_new) < 0.56
    assert MCMClassifier("linear", sparsity=5.0).fit(X, y).score(X_new, y_new) > 0.6  # which does not warn


def test_no_warning_for_few_samples_without_a_price_and_for_a_wide_kernel():
    X, y, _, _ = wide_data()
    MCMClassifier(gamma="scale", sparsity=0.1).fit(X[:99], y[:99])  # a warning would be an error here
    MCMClassifier(gamma=1 / 32_000, sparsity=0.1).fit(X, y)  # a sixteenth of "scale", as the warning says
    MCMClassifier(sparsity=0).fit(X, y)


def test_the_vc_bound_of_sparse_rows_is_that_of_the_same_rows_dense(monkeypatch):
    monkeypatch.setattr("mcmteach.mcm.DENSE_ROWS", 7)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += 3 * y
    order = np.argsort(y)  # blocks of one class
    bounds = [MCMClassifier("linear").fit(A, y[order]).vc_bound_ for A in (X[order], sp.csr_array(X[order]))]
    assert bounds[0] == pytest.approx(bounds[1]) and 0 < bounds[0] < np.inf


@pytest.mark.parametrize("size", [1e30, 1e60, 1e-30, 1e-160, 5e-315])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_data_of_any_size_raise_no_runtime_warning(size, kernel):
    X = np.random.default_rng(0).normal(size=(80, 3)) * size
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCMWarning)
        warnings.simplefilter("error", RuntimeWarning)
        machine = MCMClassifier(kernel).fit(X, np.where(X[:, 0] > 0, 1, -1))
        assert np.isfinite(machine.decision_function(X)).all()


# --- weights ---------------------------------------------------------------------------------------------------------------

KINDS = [{}, {"kernel": "linear"}, {"cap": False}, {"kernel": "linear", "cap": False}, {"C": np.inf}]


@pytest.mark.parametrize("parameters", KINDS)
@pytest.mark.parametrize("solver", ["linprog", "highs"])
def test_a_weight_is_a_count(blobs, moons, parameters, solver):
    X, y = blobs if parameters.get("C") == np.inf else moons
    count = np.random.default_rng(3).integers(0, 4, len(y))
    machine = MCMClassifier(**parameters, solver=solver)
    weighted = clone(machine).fit(X, y, count)
    repeated = clone(machine).fit(X.repeat(count, axis=0), y.repeat(count))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-6)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-6)
    assert weighted.h_ == pytest.approx(repeated.h_, rel=1e-6)
    for name in ("primal", "dual"):
        found, wanted = (getattr(fitted.certificate_, name) for fitted in (weighted, repeated))
        assert found == pytest.approx(wanted, rel=1e-6)
    assert weighted.certificate_.proves_optimal() and len(weighted.certificate_.z) == len(y)
    # the dual of a weight: 0 <= d+ <= C w, and nothing at all of a sample that weighs nothing
    d = y * weighted.certificate_.z
    assert (d <= weighted.C * np.where(count > 0, count, 0 if np.isfinite(weighted.C) else np.inf) + 1e-9).all()
    assert count[weighted.support_].all() and not d[count == 0].any()


def test_gamma_scale_counts_weights(moons):
    X, y = moons
    count = np.arange(len(y)) % 3
    wanted = SVC().fit(X.repeat(count, axis=0), y.repeat(count))._gamma
    for rows in (X, sp.csr_array(X)):
        assert MCMClassifier().fit(rows, y, count).gamma_ == pytest.approx(wanted)


def test_a_sample_without_weight_does_not_raise_the_cap():
    X, y = np.array([[1.0], [-1.0], [50.0]]), [1, -1, 1]
    machine = MCMClassifier("linear", C=np.inf, sparsity=0.0)
    assert machine.fit(X, y).h_ == pytest.approx(50) and machine.fit(X, y, [1, 1, 0]).h_ == pytest.approx(1)


def test_a_precomputed_matrix_keeps_its_columns(moons):
    X, y = moons
    weights = (np.arange(len(y)) % 4 > 0).astype(float)
    K = mt.rbf_kernel(X, gamma=1.0)
    given = MCMClassifier("precomputed").fit(K, y, weights)
    own = MCMClassifier(gamma=1.0).fit(X, y, weights)
    np.testing.assert_allclose(given.decision_function(K), own.decision_function(X))
    assert given.support_.tolist() == own.support_.tolist()


def test_class_weights(moons):
    X, y = moons[0][:55], moons[1][:55]
    few, many = np.sum(y > 0), np.sum(y < 0)
    given = MCMClassifier(class_weight={1.0: 3.0}).fit(X, y)
    assert given.objective_ == pytest.approx(MCMClassifier().fit(X, y, np.where(y > 0, 3.0, 1.0)).objective_)
    balanced = MCMClassifier(class_weight="balanced").fit(X, y)
    weights = np.where(y > 0, len(y) / (2 * few), len(y) / (2 * many))
    assert balanced.objective_ == pytest.approx(MCMClassifier().fit(X, y, weights).objective_)
    counted = np.where(y > 0, 2, 1)  # weights are counted before they are balanced
    twice = MCMClassifier(class_weight="balanced").fit(X.repeat(counted, axis=0), y.repeat(counted))
    again = MCMClassifier(class_weight="balanced").fit(X, y, counted)
    assert again.objective_ == pytest.approx(twice.objective_) and again.gamma_ == pytest.approx(twice.gamma_)
    with pytest.raises(InvalidInputError, match="names the class 7"):
        MCMClassifier(class_weight={7: 1.0}).fit(X, y)
    with pytest.raises(InvalidInputError, match="must be None, 'balanced' or a dictionary"):
        MCMClassifier(class_weight=[1, 2]).fit(X, y)
    with pytest.raises(InvalidInputError, match=r"class 1\.0 must be a finite number >= 0; got -1"):
        MCMClassifier(class_weight={1.0: -1}).fit(X, y)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (np.zeros(80), "are zero: there is no sample to learn from"),
        (-np.ones(80), "negative weight"),
        (np.r_[np.nan, np.ones(79)], "sample_weight contains NaN"),
        (np.ones(79), "sample_weight has 79 entries, but 80 are needed"),
        ("first class", "samples of class 1.0 have a total weight of 0"),
    ],
)
def test_bad_weights_are_refused_with_a_reason(moons, weights, says):
    X, y = moons
    with pytest.raises(InvalidInputError, match=says):
        MCMClassifier().fit(X, y, (y < 0).astype(float) if isinstance(weights, str) else weights)


def test_without_a_cap_it_is_the_lp_svm(moons):
    X, y = moons
    machine = MCMClassifier(gamma=1.0, sparsity=0.1, cap=False).fit(X, y)
    solution = mt.solve_mcm(mt.rbf_kernel(X, gamma=1.0), y, sparsity=0.1, cap=False)
    assert machine.objective_ == pytest.approx(solution.objective) and machine.certificate_.proves_optimal()
    slack = np.maximum(0, 1 - y * machine.decision_function(X)).sum()
    assert machine.objective_ == pytest.approx(slack + 0.1 * np.abs(machine.dual_coef_).sum())


# --- the relative price -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_the_high_price_does_not_change_the_machine_when_C_and_the_data_grow(moons, kernel):
    """Without a cap C is a common factor of the objective, and copies of all samples are another."""
    X, y = moons
    plain = MCMClassifier(kernel, cap=False, sparsity="high").fit(X, y)
    dear = MCMClassifier(kernel, cap=False, sparsity="high", C=50.0).fit(X, y)
    copies = MCMClassifier(kernel, cap=False, sparsity="high").fit(np.tile(X, (3, 1)), np.tile(y, 3))
    assert dear.sparsity_ == pytest.approx(50 * plain.sparsity_) and copies.sparsity_ == pytest.approx(
        3 * plain.sparsity_
    )
    for other in (dear, copies):
        np.testing.assert_allclose(other.decision_function(X), plain.decision_function(X), atol=1e-6)


def test_the_automatic_price_falls_behind_the_high_one_as_samples_are_added(moons):
    X, y = moons
    prices = {s: MCMClassifier(cap=False, sparsity=s).fit(X, y).sparsity_ for s in ("auto", "high")}
    copies = MCMClassifier(cap=False).fit(np.tile(X, (30, 1)), np.tile(y, 30))
    assert prices["auto"] <= prices["high"] and copies.sparsity_ < 10 * prices["high"]
    again = MCMClassifier(cap=False).fit(np.tile(X, (60, 1)), np.tile(y, 60))
    assert again.sparsity_ == pytest.approx(copies.sparsity_)  # it has stopped growing
    weighted = MCMClassifier(cap=False).fit(X, y, np.full(len(y), 30.0))
    assert weighted.sparsity_ == pytest.approx(copies.sparsity_)
    dear = MCMClassifier(cap=False, C=50.0).fit(X, y)
    assert dear.sparsity_ == pytest.approx(50 * prices["auto"])  # C is a common factor of the objective
    linear = {s: MCMClassifier("linear", sparsity=s).fit(X, y).sparsity_ for s in ("auto", "high")}
    assert linear["auto"] == linear["high"]


def test_the_automatic_price_of_a_hard_margin_and_of_classes_with_the_same_mean(blobs):
    X, y = blobs
    hard = MCMClassifier(C=np.inf).fit(X, y)
    assert hard.score(X, y) == 1 and hard.n_support_ < 10 and hard.certificate_.proves_optimal()
    cross, sides = [[1.0, 1], [-1, -1], [1, -1], [-1, 1]], [1, 1, -1, -1]
    with pytest.warns(ConstantClassifierWarning, match="class_weight='balanced' if"):
        machine = MCMClassifier("linear").fit(cross, sides)  # no plane is better than none, whatever the price
    assert machine.sparsity_ > 0 and not machine.coef_.any()


def test_the_number_of_steps_is_counted(moons):
    X, y = moons
    for parameters in ({"solver": "linprog"}, {"solver": "highs"}, {"solver": "highs", "kernel": "linear"}):
        assert 0 < MCMClassifier(**parameters).fit(X, y).n_iter_ < 1000
    again = MCMClassifier(solver="highs").fit(X, y)
    assert again.n_iter_ == again.fit(X, y).n_iter_  # and not the sum of all fits


# --- more than two classes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed"])
def test_many_classes_are_one_against_the_rest_each(kernel):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    data = mt.rbf_kernel(X, gamma=0.5) if kernel == "precomputed" else X
    weights = 1.0 + np.arange(len(y)) % 2
    machine = MCMClassifier(kernel, gamma=0.5, C=10.0).fit(data, names, weights)
    f = machine.decision_function(data)
    assert f.shape == (150, 3) and machine.score(data, names) > 0.9
    for k, one in enumerate(machine.estimators_):
        alone = clone(machine).fit(data, (y == k).astype(int), weights)
        np.testing.assert_allclose(f[:, k], alone.decision_function(data), atol=1e-8)
        np.testing.assert_allclose(one.decision_function(data), f[:, k], atol=1e-8)
        assert one.objective_ == pytest.approx(alone.objective_) and one.certificate_.proves_optimal()
    assert machine.predict(data).tolist() == machine.classes_[f.argmax(axis=1)].tolist()
    everyone = set().union(*(one.support_.tolist() for one in machine.estimators_))
    assert set(machine.support_.tolist()) == everyone and machine.n_support_ == len(everyone)
    if kernel == "linear":
        assert machine.coef_.shape == (3, 4) and machine.n_nonzero_ == np.count_nonzero(machine.coef_)
    else:
        assert machine.dual_coef_.shape == (3, machine.n_support_)
    small = pickle.loads(pickle.dumps(machine)).compact()
    assert np.array_equal(small.predict(data), machine.predict(data)) and not len(small.estimators_[0].certificate_.z)


def test_a_class_that_cannot_be_told_from_the_rest_is_named():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [0.0], [5.0]])
    with pytest.warns(ConstantClassifierWarning, match="Class c against the rest: All coefficients are zero"):
        MCMClassifier(sparsity=0.5, gamma=1.0).fit(X, list("aabbcc"))


def test_a_data_frame_goes_through_a_pipeline_that_hands_on_frames():
    frame = load_iris(as_frame=True)
    pipeline = make_pipeline(StandardScaler(), MCMClassifier()).set_output(transform="pandas")
    pipeline.fit(frame.data, frame.target)
    assert pipeline[-1].feature_names_in_.tolist() == frame.data.columns.tolist()
    assert pipeline.score(frame.data, frame.target) > 0.9
