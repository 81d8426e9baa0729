"""The conformal large-scale MCM: its blocks against the whole matrices, its steps by hand, scikit-learn's checks."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_moons
from sklearn.utils.estimator_checks import parametrize_with_checks

import mcmteach as mt
from mcmteach import LargeScaleMCMClassifier
from mcmteach.conformal import core_matrix
from mcmteach.errors import InvalidInputError
from mcmteach.large_scale import ArrayStream, ConformalLargeScaleMCMClassifier, RandomFourierMap
from mcmteach.large_scale.conformal import ConformalFeatures, optimal_alpha_from_forms, scatter_forms


@pytest.fixture(scope="module")
def noisy_moons():
    X, y = make_moons(500, noise=0.3, random_state=0)
    return X[:300], y[:300], X[300:], y[300:]


@parametrize_with_checks([ConformalLargeScaleMCMClassifier(n_components=40, n_cores=10, max_iter=60)])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_the_parameters_that_both_machines_have_are_the_same():
    plain, conformal = LargeScaleMCMClassifier().get_params(), ConformalLargeScaleMCMClassifier().get_params()
    assert {name: value for name, value in conformal.items() if name in plain} == plain
    assert set(conformal) - set(plain) == {"gamma_c", "D", "cores", "n_cores"}
    assert not hasattr(ConformalLargeScaleMCMClassifier, "partial_fit")
    odd = {name: object() for name in conformal}  # each is stored under its own name
    assert ConformalLargeScaleMCMClassifier(**odd).get_params() == odd


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 6))
def test_blocks_add_up_to_the_matrices(seed, P):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)), np.r_[-np.ones(12), np.ones(18)][rng.permutation(30)]
    cores = X[:P]
    phi = RandomFourierMap(0.5, 8, random_state=seed).fit(X)
    forms = scatter_forms(ArrayStream(X, y, block_size=7), phi, cores, 0.8)
    K0, K1 = phi.transform(X) @ phi.transform(X).T, core_matrix(X, cores, 0.8)
    B, W = mt.scatter_matrices(K0, y)
    for ours, theirs in zip(forms, (B, W, np.eye(30), np.diag(np.diag(K0))), strict=True):
        np.testing.assert_allclose(ours, K1.T @ theirs @ K1, atol=1e-9)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([1e-3, 0.1, 1.0]))
def test_alpha_is_that_of_the_whole_matrices(seed, D):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 2)), np.tile([-1.0, 1.0], 20)
    phi = RandomFourierMap(0.5, 30, random_state=0).fit(X)
    K0, cores = phi.transform(X) @ phi.transform(X).T, X[:5]
    c = mt.optimal_map(K0, y, X, cores, 1.0, D)(X)
    alpha = optimal_alpha_from_forms(scatter_forms([(X, y)], phi, cores, 1.0), D)
    ours = core_matrix(X, cores, 1.0) @ alpha
    np.testing.assert_allclose(ours, c, rtol=1e-4, atol=1e-5)


def test_the_same_core_twice_does_no_harm():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.tile([-1.0, 1.0], 20)
    once, twice = (scatter_forms([(X, y)], None, X[rows], 1.0) for rows in ([0, 1], [0, 1, 1]))
    c = [
        core_matrix(X, X[rows], 1.0) @ optimal_alpha_from_forms(forms, 0.1)
        for rows, forms in (([0, 1], once), ([0, 1, 1], twice))
    ]
    np.testing.assert_allclose(c[0], c[1], rtol=1e-5)


def test_the_steps_by_hand(noisy_moons):
    X, y, X_test, y_test = noisy_moons
    m = ConformalLargeScaleMCMClassifier(gamma=1.0, n_components=100, n_cores=20, max_iter=60).fit(X, y)
    signs = 2.0 * y - 1
    # 2. cores: on or inside the basic machine's margin, equally many of each class
    assert m.basic_.get_params() == LargeScaleMCMClassifier(gamma=1.0, n_components=100, max_iter=60).get_params()
    rows = [int(np.flatnonzero((core == X).all(axis=1))[0]) for core in m.cores_]
    assert signs[rows].tolist() == [-1.0] * 10 + [1.0] * 10
    t = signs * m.basic_.decision_function(X)
    if min(np.sum(t[signs == s] <= 1) for s in (-1, 1)) >= 10:
        assert (t[rows] <= 1).all()
    # 3.-5. the map: the one that the whole matrices give
    phi = m.basic_.feature_map_
    K0 = phi.transform(X) @ phi.transform(X).T
    c = mt.optimal_map(K0, signs, X, m.cores_, m.gamma_c_, m.D)
    np.testing.assert_allclose(m.conformal_map_(X), c(X), rtol=1e-3, atol=1e-4)
    assert m.J_before_ == pytest.approx(mt.kernel_fisher_scalar(K0, signs))
    assert m.J_after_ == pytest.approx(mt.kernel_fisher_scalar(K0, signs, m.conformal_map_(X)), rel=1e-6)
    assert m.J_after_ > m.J_before_
    # 6.-8. a machine on c(x) z(x)
    again = LargeScaleMCMClassifier(
        gamma=1.0, n_components=100, max_iter=60, feature_map=ConformalFeatures(phi, m.conformal_map_)
    ).fit(X, y)
    np.testing.assert_allclose(m.decision_function(X_test), again.decision_function(X_test))
    assert m.score(X_test, y_test) > 0.8


def test_cores_on_data_that_leave_no_slack():
    X = np.r_[np.random.default_rng(0).normal(size=(30, 2)), np.random.default_rng(1).normal(size=(30, 2)) + 9]
    y = np.repeat([0, 1], 30)
    m = ConformalLargeScaleMCMClassifier(n_components=30, n_cores=8, max_iter=40).fit(X, y)
    assert m.cores_.shape == (8, 2) and m.score(X, y) == 1.0
    t = (2 * y - 1) * m.basic_.decision_function(X)
    taken = [bool((m.cores_ == x).all(axis=1).any()) for x in X]
    assert t[taken].mean() < t.mean(), "then those nearest to the margin serve"


@pytest.mark.parametrize("cores", ["support", "prototypes"])
def test_from_a_stream_and_from_sparse_rows(noisy_moons, cores):
    X, y, X_test, y_test = noisy_moons
    m = ConformalLargeScaleMCMClassifier(gamma=1.0, n_components=80, n_cores=10, cores=cores, max_iter=60)
    memory = m.fit(X, y).score(X_test, y_test)
    assert m.fit(sp.csr_array(X), y).score(X_test, y_test) == pytest.approx(memory, abs=0.03)
    stream = ArrayStream(X, np.array(["no", "yes"])[y], block_size=100)
    assert m.fit_stream(stream).score(X_test, np.array(["no", "yes"])[y_test]) == pytest.approx(memory, abs=0.05)
    assert m.cores_.shape == (10, 2) and m.classes_.tolist() == ["no", "yes"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"cores": "apples"}, "cores must be"),
        ({"n_cores": 1}, "n_cores must be"),
        ({"D": -1}, "D must be"),
        ({"gamma_c": "wide"}, "gamma_c must be"),
        ({"gamma_c": 0.0}, "gamma_c must be"),
        ({"C": -1}, "C must be"),
    ],
)
def test_bad_parameters(noisy_moons, parameters, message):
    X, y, _, _ = noisy_moons
    with pytest.raises(InvalidInputError, match=message):
        ConformalLargeScaleMCMClassifier(n_components=10, max_iter=2, **parameters).fit(X, y)


def test_bad_blocks():
    with pytest.raises(InvalidInputError, match="one class only"):
        scatter_forms([(np.ones((3, 1)), np.ones(3))], None, [[0.0]], 1.0)
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([-1.0, 1.0, 1.0])
    with pytest.raises(InvalidInputError, match="larger D"):
        optimal_alpha_from_forms(scatter_forms([(X, y)], None, X[:2], 1.0), 0.0)
