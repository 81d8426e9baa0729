"""The large-scale MCM: against the linear programme, inside scikit-learn's world, in pieces, and on bad input."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_moons
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import mcmteach as mt
from mcmteach import LargeScaleMCMClassifier, solve_mcm
from mcmteach.errors import ConstantClassifierWarning, InvalidInputError, NotFittedError
from mcmteach.large_scale import ArrayStream, RandomFourierMap, Whitening


@pytest.fixture(scope="module")
def two_moons():
    X, y = make_moons(600, noise=0.25, random_state=0)
    return X[:400], y[:400], X[400:], y[400:]


@pytest.fixture(scope="module")
def pima():
    d = mt.load_dataset("pima-indians")
    return StandardScaler().fit_transform(d.data), 2.0 * d.target - 1


def whitened_moons(M=150, D=30):
    X, y = make_moons(M, noise=0.25, random_state=1)
    Z = RandomFourierMap(1.0, D, random_state=0).fit(X).transform(X)
    return Whitening(1e-3).fit(Z).transform(Z), 2.0 * y - 1


# --- inside scikit-learn's world ---------------------------------------------------------------------------------------


@parametrize_with_checks(
    [LargeScaleMCMClassifier(n_components=50, max_iter=100), LargeScaleMCMClassifier(feature_map=None, max_iter=100)],
    # as for scikit-learn's SGDClassifier: the objective is the same, and the steps are others
    expected_failed_checks=lambda machine: {
        f"check_sample_weight_equivalence_on_{kind}_data": "a stochastic descent meets weights and copies in another order"
        for kind in ("dense", "sparse")
    },
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_pipeline_cross_validation_clone_and_pickle(two_moons):
    X, y, X_test, _ = two_moons
    machine = make_pipeline(StandardScaler(), LargeScaleMCMClassifier(gamma=1.0, n_components=80, max_iter=50))
    assert cross_val_score(machine, X, y, cv=3).mean() > 0.9
    machine.fit(X, y)
    assert is_classifier(machine[-1])
    assert np.array_equal(pickle.loads(pickle.dumps(machine)).predict(X_test), machine.predict(X_test))
    assert not hasattr(clone(machine[-1]), "classes_")


def test_it_is_about_as_good_as_an_svm(two_moons):
    X, y, X_test, y_test = two_moons
    ours = LargeScaleMCMClassifier(gamma=1.0, n_components=200).fit(X, y).score(X_test, y_test)
    assert ours >= SVC(gamma=1.0, C=10.0).fit(X, y).score(X_test, y_test) - 0.02


def test_any_two_labels_and_the_same_seed_the_same_machine(two_moons):
    X, y, X_test, _ = two_moons
    words = np.array(["no", "yes"])[y]
    a, b, other = (
        LargeScaleMCMClassifier(n_components=40, max_iter=5, random_state=seed).fit(X, words) for seed in (3, 3, 4)
    )
    assert np.array_equal(a.decision_function(X_test), b.decision_function(X_test))
    assert not np.array_equal(a.decision_function(X_test), other.decision_function(X_test))
    assert set(a.predict(X_test)) == {"no", "yes"}


# --- what it minimises -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("C", "sparsity"), [(10.0, 0.05), (50.0, 0.1), (10.0, 0.0)])
def test_the_objective_comes_within_a_percent_of_the_programmes(C, sparsity):
    Z, y = whitened_moons()
    best = solve_mcm(Z, y, C / len(y), sparsity).objective
    machine = LargeScaleMCMClassifier(C=C, feature_map=None, sparsity=sparsity, max_iter=1000, batch_size=32, eta0=10.0)
    reached = machine.fit(Z, y).objective_
    assert best * (1 - 1e-9) <= reached <= 1.01 * best


def test_the_objective_is_the_formula(pima):
    X, y = pima
    for cap in ("max", "mean"):
        m = LargeScaleMCMClassifier(C=20.0, feature_map=None, cap=cap, sparsity=0.3, ridge=0.7, max_iter=3).fit(X, y)
        f = X @ m.coef_[0] + m.intercept_[0]
        h = max(1.0, (y * f).max()) if cap == "max" else np.abs(f).mean()
        w = m.coef_[0]
        E = h + 20.0 * np.maximum(0, 1 - y * f).mean() + 0.3 * np.abs(w).sum() + 0.35 * (w @ w)
        assert m.h_ == pytest.approx(h) and m.objective_ == pytest.approx(E)
        assert m.objective(X, y) == pytest.approx(E)


def test_the_cap_holds_the_machine_down(pima):
    X, y = pima
    loose, tight = (
        LargeScaleMCMClassifier(C=C, feature_map=None, max_iter=100, eta0=10.0).fit(X, y).h_ for C in (1e4, 20.0)
    )
    assert tight < 0.8 * loose


def test_truncation_gives_exact_zeros_where_the_programme_has_them():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(300, 20))
    y = np.where(Z[:, 0] - Z[:, 1] + 0.1 * rng.normal(size=300) > 0, 1.0, -1.0)
    machine = LargeScaleMCMClassifier(C=20.0, feature_map=None, sparsity=4.0, max_iter=300, eta0=5.0).fit(Z, y)
    exact = solve_mcm(Z, y, 20.0 / 300, 4.0).coef
    assert set(np.flatnonzero(exact)) == {0, 1} == set(np.flatnonzero(machine.coef_[0]))
    assert machine.n_nonzero_ == 2
    dense = LargeScaleMCMClassifier(C=20.0, feature_map=None, max_iter=50).fit(Z, y)
    assert dense.n_nonzero_ == 20


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6))
def test_an_overwhelming_price_leaves_nothing_and_says_so(seed):
    rng = np.random.default_rng(seed)
    Z, y = rng.normal(size=(40, 6)), np.r_[np.ones(20), -np.ones(20)]
    with pytest.warns(ConstantClassifierWarning, match="smaller sparsity"):
        machine = LargeScaleMCMClassifier(C=1.0, feature_map=None, sparsity=50.0, max_iter=5).fit(Z, y)
    assert machine.n_nonzero_ == 0 and len(set(machine.predict(Z))) == 1


def test_averaging_calms_the_answer(pima):
    X, y = pima
    E = {
        average: [
            LargeScaleMCMClassifier(C=100.0, feature_map=None, average=average, max_iter=1, random_state=s)
            .fit(X, y)
            .objective_
            for s in range(8)
        ]
        for average in (True, False)
    }
    assert np.mean(E[True]) < np.mean(E[False])


def test_whitening_shortens_the_descent(two_moons):
    X, y, _, _ = two_moons
    slack = []
    for whiten in (1e-3, 0.0):
        f = LargeScaleMCMClassifier(gamma=0.05, whiten=whiten, max_iter=30).fit(X, y).decision_function(X)
        slack.append(np.maximum(0, 1 - (2 * y - 1) * f).mean())
    assert slack[0] < slack[1]


# --- early stopping and passes ------------------------------------------------------------------------------------------


def test_early_stopping_keeps_the_best_plane(two_moons):
    X, y, X_test, y_test = two_moons
    m = LargeScaleMCMClassifier(gamma=1.0, early_stopping=True, validation_fraction=0.25, max_iter=300).fit(X, y)
    assert m.n_iter_ == len(m.validation_scores_) == len(m.objectives_) < 300
    best = int(np.argmax(m.validation_scores_))
    assert m.n_iter_ == best + 1 + m.n_iter_no_change
    assert m.score(X_test, y_test) > 0.88


def test_auto_means_enough_steps(two_moons):
    X, y, _, _ = two_moons
    m = LargeScaleMCMClassifier(n_components=20).fit(X, y)
    assert 6000 <= m.t_ <= 6000 * 1.1 and m.n_iter_ > 700
    assert LargeScaleMCMClassifier(n_components=20, max_iter=4).fit(X, y).n_iter_ == 4


def test_features_too_many_to_keep_are_mapped_again(two_moons, monkeypatch):
    X, y, X_test, y_test = two_moons
    machine = LargeScaleMCMClassifier(gamma=1.0, n_components=100, max_iter=60)
    kept = machine.fit(X, y).score(X_test, y_test)
    monkeypatch.setattr("mcmteach.large_scale.machine.CACHE_BYTES", 0)
    assert machine.fit(X, y).score(X_test, y_test) == pytest.approx(kept, abs=0.03)


def test_progress_is_shown_with_and_without_tqdm(two_moons, capsys, monkeypatch):
    X, y, _, _ = two_moons
    LargeScaleMCMClassifier(n_components=10, max_iter=3, verbose=1).fit(X, y)
    assert "3/3" in capsys.readouterr().err
    LargeScaleMCMClassifier(n_components=10, max_iter=99, verbose=1, early_stopping=True).fit(X, y)
    assert capsys.readouterr().err.endswith("\n"), "an early stop ends the bar"
    monkeypatch.setattr("mcmteach.large_scale.descent.find_spec", lambda name: None)
    LargeScaleMCMClassifier(n_components=10, max_iter=2, verbose=1).fit(X, y)
    assert capsys.readouterr().out == "pass 1 of at most 2\npass 2 of at most 2\n"


# --- sparse input, feature maps -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("feature_map", ["fourier", "nystroem", "prototypes", None])
@pytest.mark.parametrize("wide", [False, True])
def test_sparse_rows_are_the_same_rows(feature_map, wide, monkeypatch):
    if wide:  # sparse features that stay sparse
        monkeypatch.setattr("mcmteach.large_scale.feature_maps.DENSE_FEATURES", 1)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8)) * (rng.random((200, 8)) < 0.4)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    machine = LargeScaleMCMClassifier(feature_map=feature_map, n_components=30, max_iter=20, C=100.0)
    f = machine.fit(X, y).decision_function(X)
    for matrix in (sp.csr_array(X), sp.csc_matrix(X)):
        np.testing.assert_allclose(machine.fit(matrix, y).decision_function(matrix), f, rtol=1e-6, atol=1e-8)


def test_a_map_of_ones_own(two_moons):
    from sklearn.kernel_approximation import RBFSampler

    X, y, X_test, y_test = two_moons
    sampler = RBFSampler(gamma=1.0, n_components=150, random_state=0)
    machine = LargeScaleMCMClassifier(feature_map=sampler).fit(X, y)
    assert machine.score(X_test, y_test) > 0.88
    assert not hasattr(sampler, "random_weights_"), "the one that was given stays as it was"


# --- piece by piece ----------------------------------------------------------------------------------------------------------


def test_partial_fit_learns_from_pieces(two_moons):
    X, y, X_test, y_test = two_moons
    machine = LargeScaleMCMClassifier(gamma=1.0, n_components=100)
    for _ in range(40):
        for i in range(0, 400, 100):
            machine.partial_fit(X[i : i + 100], y[i : i + 100], classes=[0, 1])
    assert machine.n_iter_ == 160
    assert machine.score(X_test, y_test) > 0.88
    assert machine.fit(X, y).n_iter_ != 160, "fit starts anew"
    before = machine.coef_.copy()
    assert not np.allclose(machine.partial_fit(X, 1 - y).coef_, before, rtol=1e-3), (
        "and what comes after it still counts"
    )


@pytest.mark.parametrize("rows", [1, 10, 64, 500])
def test_blocks_of_any_size_teach_as_well_as_all_rows_at_once(rows):
    X, y = make_moons(3000, noise=0.25, random_state=0)
    X, y, X_test, y_test = X[:1500], y[:1500], X[1500:], y[1500:]
    machine = LargeScaleMCMClassifier(n_components=100)
    for i in range(0, 1500, rows):
        machine.partial_fit(X[i : i + rows], y[i : i + rows], classes=[0, 1])
    assert machine.n_iter_ == -(-1500 // rows)
    assert machine.score(X_test, y_test) > 0.93  # fit reaches 0.945
    assert machine._first_rows is None, "the first rows are let go once there are enough of them"


def test_single_sparse_rows_are_the_same_rows(two_moons):
    X, y, X_test, _ = two_moons
    dense_rows, sparse_rows = (LargeScaleMCMClassifier(gamma=1.0, n_components=30) for _ in range(2))
    for i in range(40):
        dense_rows.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
        sparse_rows.partial_fit(sp.csr_array(X[i : i + 1]), y[i : i + 1], classes=[0, 1])
    np.testing.assert_allclose(sparse_rows.decision_function(X_test), dense_rows.decision_function(X_test))


def test_a_block_may_hold_one_class_if_both_are_named(two_moons):
    X, y, _, _ = two_moons
    machine = LargeScaleMCMClassifier(n_components=20)
    machine.partial_fit(X[y == 0], y[y == 0], classes=[0, 1]).partial_fit(X[y == 1], y[y == 1])
    assert machine.classes_.tolist() == [0, 1]


def test_a_stream_gives_what_memory_gives(two_moons):
    X, y, X_test, y_test = two_moons
    words = np.array(["no", "yes"])[y]
    machine = LargeScaleMCMClassifier(gamma=1.0, n_components=100, max_iter=60)
    score = machine.fit(X, words).score(X_test, np.array(["no", "yes"])[y_test])
    streamed = machine.fit_stream(ArrayStream(X, words, block_size=150))
    assert streamed.classes_.tolist() == ["no", "yes"]
    assert streamed.score(X_test, np.array(["no", "yes"])[y_test]) == pytest.approx(score, abs=0.03)


def test_early_stopping_in_a_stream_validates_on_its_first_block(two_moons):
    X, y, X_test, y_test = two_moons
    machine = LargeScaleMCMClassifier(gamma=1.0, n_components=100, early_stopping=True, max_iter=200)
    machine.fit_stream(ArrayStream(X, y, block_size=100))
    assert machine.n_iter_ < 200 and machine.score(X_test, y_test) > 0.85
    spoilt = [(X[:100], 1 - y[:100]), (X[100:], y[100:])]  # were it trained on, it would show
    assert machine.fit_stream(spoilt).validation_scores_[-1] < 0.3


# --- bad input ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must be"),
        ({"C": np.inf}, "C must be a finite"),
        ({"cap": "median"}, "cap must be 'max' or 'mean'"),
        ({"sparsity": -1}, "sparsity must be"),
        ({"ridge": np.nan}, "ridge must be"),
        ({"gamma": "narrow"}, "gamma must be"),
        ({"gamma": -1.0}, "gamma must be"),
        ({"feature_map": "wavelets"}, "no feature map 'wavelets'"),
        ({"feature_map": 3}, "fit\\(X\\) and transform"),
        ({"n_components": 0}, "n_components must be"),
        ({"whiten": -1}, "whiten must be"),
        ({"batch_size": 0}, "batch_size must be"),
        ({"max_iter": "many"}, "max_iter must be"),
        ({"eta0": 0}, "eta0 must be"),
        ({"validation_fraction": 1.0}, "between 0 and 1"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be"),
        ({"random_state": "dice"}, "random_state must be"),
        ({"random_state": -1}, "random_state must be"),
    ],
)
def test_bad_parameters(two_moons, parameters, message):
    X, y, _, _ = two_moons
    with pytest.raises(InvalidInputError, match=message):
        LargeScaleMCMClassifier(**parameters).fit(X, y)


class Logarithm:
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        with np.errstate(invalid="ignore"):
            return np.log(X)


def test_a_map_whose_features_are_not_finite(two_moons):
    X, y, _, _ = two_moons
    with pytest.raises(InvalidInputError, match="Z contains NaN"):
        LargeScaleMCMClassifier(feature_map=Logarithm()).fit(X, y)
    with pytest.raises(InvalidInputError, match="not finite"):
        LargeScaleMCMClassifier(feature_map=Logarithm(), whiten=0).fit(X, y)


def test_too_few_to_validate_on():
    with pytest.raises(InvalidInputError, match="too few samples"):
        LargeScaleMCMClassifier(early_stopping=True).fit([[0.0], [1.0]], [0, 1])


def test_bad_pieces(two_moons):
    X, y, _, _ = two_moons
    with pytest.raises(InvalidInputError, match="classes must be passed on the first call"):
        LargeScaleMCMClassifier().partial_fit(X, y)
    with pytest.raises(InvalidInputError, match="classes must be passed on the first call"):
        LargeScaleMCMClassifier().partial_fit(X[y == 0], y[y == 0])
    with pytest.raises(InvalidInputError, match="there are 3 classes"):
        LargeScaleMCMClassifier().partial_fit(X, y, classes=[0, 1, 2])
    machine = LargeScaleMCMClassifier(n_components=10).partial_fit(X, y, classes=[0, 1])
    for bad, message in (
        ((X[:, :1], y), "X has 1 features, but LargeScaleMCMClassifier is expecting 2"),
        ((X, y + 1), r"label 2, but the classes are \[0, 1\]"),
        ((np.where(X > 1, np.nan, X), y), "NaN"),
        ((X, y[:-1]), "399 entries"),
        ((X, y, [0, 5]), "the first call to partial_fit said"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            machine.partial_fit(*bad)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        LargeScaleMCMClassifier().predict(X)


def test_bad_streams(two_moons):
    X, y, _, _ = two_moons
    machine = LargeScaleMCMClassifier(n_components=10, max_iter=2)
    gap = X.copy()
    gap[300, 0] = np.nan
    for stream, message in (
        ([], "stream is empty"),
        (iter([(X, y)]), "can be read once only"),
        (3, "The stream is 3"),
        ([X], "A block is a pair"),
        ([(X,)], "A block is a pair"),
        ([(X, y), (X[:, :1], y)], "expecting 2 features"),
        ([(X, y), (gap, y)], "NaN"),
        ([(X, np.zeros(400))], "one class only"),
        ([(X, y), (X, y + 5)], "4 classes"),
    ):
        with pytest.raises(InvalidInputError, match=message):
            machine.fit_stream(stream)
    with pytest.raises(InvalidInputError, match="one block only"):
        LargeScaleMCMClassifier(early_stopping=True, n_components=10).fit_stream([(X, y)])
    with pytest.raises(InvalidInputError, match="the classes are"):
        machine.fit_stream([(X, y), (X, y + 5)], classes=[0, 1])


# --- weights ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cap", ["max", "mean"])
def test_weights_count_in_the_objective_and_in_the_machine(two_moons, cap):
    X, y, X_test, y_test = two_moons
    count = np.random.default_rng(0).integers(0, 4, len(y))
    machine = LargeScaleMCMClassifier(gamma=1.0, n_components=80, cap=cap)
    weighted = clone(machine).fit(X, y, count)
    repeated = clone(machine).fit(X.repeat(count, axis=0), y.repeat(count))
    assert weighted.objective(X, y, count) == pytest.approx(weighted.objective_)
    assert weighted.objective(X, y, count) == pytest.approx(
        weighted.objective(X.repeat(count, axis=0), y.repeat(count)), rel=1e-12
    )
    assert weighted.objective_ == pytest.approx(
        repeated.objective_, rel=0.05
    )  # another order of steps, the same minimum
    assert abs(weighted.score(X_test, y_test) - repeated.score(X_test, y_test)) < 0.02


def test_class_weights_move_the_plane_towards_the_lighter_class(two_moons):
    X, y, X_test, _ = two_moons
    high = LargeScaleMCMClassifier(gamma=1.0, n_components=80, class_weight={y.max(): 20.0}).fit(X, y)
    low = LargeScaleMCMClassifier(gamma=1.0, n_components=80, class_weight={y.max(): 0.05}).fit(X, y)
    assert np.mean(high.predict(X_test) == y.max()) > np.mean(low.predict(X_test) == y.max()) + 0.02
    streamed = LargeScaleMCMClassifier(gamma=1.0, n_components=80, class_weight={y.max(): 20.0})
    streamed.partial_fit(X, y, np.unique(y))
    plain = LargeScaleMCMClassifier(gamma=1.0, n_components=80).partial_fit(X, y, np.unique(y))
    by_weight = LargeScaleMCMClassifier(gamma=1.0, n_components=80)
    by_weight.partial_fit(X, y, np.unique(y), np.where(y == y.max(), 20.0, 1.0))
    np.testing.assert_allclose(streamed.coef_, by_weight.coef_)
    assert not np.allclose(streamed.coef_, plain.coef_)
    with pytest.raises(InvalidInputError, match="needs all samples at once"):
        LargeScaleMCMClassifier(class_weight="balanced").partial_fit(X, y, np.unique(y))
