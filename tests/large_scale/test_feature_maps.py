"""Random Fourier features, kernel columns at prototypes, whitening: against the kernel, scikit-learn, and by hand."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.kernel_approximation import RBFSampler
from sklearn.metrics.pairwise import rbf_kernel as sklearn_rbf_kernel

from mcmteach import LargeScaleMCMClassifier
from mcmteach.errors import InvalidInputError, MissingExtraError, NotFittedError
from mcmteach.large_scale import PrototypeMap, RandomFourierMap, Whitening
from mcmteach.large_scale.feature_maps import as_generator, make_feature_map
from tests.processes import python


def test_products_of_fourier_features_tend_to_the_kernel():
    X = np.random.default_rng(0).normal(size=(30, 5))
    K = sklearn_rbf_kernel(X, gamma=0.3)
    error = []
    for D in (100, 10_000):
        Z = RandomFourierMap(0.3, D, random_state=1).fit(X).transform(X)
        error.append(np.sqrt(np.mean((Z @ Z.T - K) ** 2)))
    assert error[1] < 0.015
    assert 5 < error[0] / error[1] < 20, "a hundred times the frequencies, a tenth of the error"


def test_the_same_frequencies_give_rbf_samplers_features():
    X = np.random.default_rng(0).normal(size=(10, 4))
    theirs = RBFSampler(gamma=0.7, n_components=50, random_state=0).fit(X)
    ours = RandomFourierMap(0.7, 50).fit(X)
    assert np.std(ours.frequencies_) == pytest.approx(np.std(theirs.random_weights_), rel=0.2)
    ours.frequencies_, ours.phases_ = theirs.random_weights_, theirs.random_offset_
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X))
    np.testing.assert_allclose(ours.transform(sp.csr_array(X)), theirs.transform(X))


def test_prototypes_are_balanced_and_their_columns_are_kernel_values():
    rng = np.random.default_rng(0)
    X, y = np.vstack([rng.normal(size=(300, 2)), rng.normal(size=(40, 2)) + 20]), np.repeat([0, 1], [300, 40])
    m = PrototypeMap(0.5, 20, random_state=0).fit(X, y)
    assert np.sum(m.prototypes_.mean(axis=1) > 10) == 10 == np.sum(m.prototypes_.mean(axis=1) < 10)
    np.testing.assert_allclose(m.transform(X), sklearn_rbf_kernel(X, m.prototypes_, gamma=0.5))
    few = PrototypeMap(0.5, 200).fit(X, y)
    assert len(few.prototypes_) == 140, "a class of 40 has 40 prototypes at most"
    assert len(PrototypeMap(0.5, 7).fit(X).prototypes_) == 7


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 12))
def test_whitened_features_are_uncorrelated_and_of_mean_square_one(seed, M, D):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(M, D)) @ rng.normal(size=(D, D)) + 5
    white = Whitening(1e-12).fit(Z)
    W = white.transform(Z)
    r = W.shape[1]
    assert r <= min(M, D)
    np.testing.assert_allclose(W.mean(axis=0), 0, atol=1e-8)
    np.testing.assert_allclose(W.T @ W / M, np.eye(r) / r, atol=1e-3)


def test_small_variances_stay_small_or_go():
    Z = np.random.default_rng(0).normal(size=(5000, 3)) * np.sqrt([1.0, 1e-3, 1e-8])
    W = Whitening(1e-3).fit(Z).transform(Z)
    assert W.shape == (5000, 2)
    ratio = W.var(axis=0)[1] / W.var(axis=0)[0]
    assert ratio == pytest.approx(0.5, rel=0.1), "variance/(variance + epsilon): 1/2 where the two are equal"
    same = Whitening().fit(np.ones((4, 3))).transform(np.ones((4, 3)))
    assert same.shape == (4, 1) and not same.any(), "samples that coincide have no axes, and nothing is divided by 0"


def test_maps_are_cloned_by_their_parameters():
    for m in (RandomFourierMap(0.3, 5), PrototypeMap(2.0, 9), Whitening(0.1)):
        assert clone(m).get_params() == m.get_params()


def test_generators_of_every_kind():
    for state in (0, None, np.random.default_rng(0), np.random.RandomState(0)):
        assert 0 <= as_generator(state).random() < 1
    assert as_generator(5).random() == as_generator(5).random()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda X: RandomFourierMap(0.0).fit(X), "gamma must be"),
        (lambda X: RandomFourierMap(1.0, 2.5).fit(X), "n_components must be"),
        (lambda X: PrototypeMap(-1.0).fit(X), "gamma must be"),
        (lambda X: RandomFourierMap(random_state="x").fit(X), "random_state must be"),
        (lambda X: RandomFourierMap().fit(X).transform(X[:, :1]), "1 features, but RandomFourierMap is expecting 2"),
        (lambda X: PrototypeMap(1.0, 2).fit(X).transform(X[:, :1]), "1 features, but PrototypeMap is expecting 2"),
        (lambda X: Whitening(0.0).fit(X), "epsilon must be"),
        (lambda X: make_feature_map("sine", 1.0, 5, 3, 0), "no feature map 'sine'"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(InvalidInputError, match=message):
        make(np.arange(6.0).reshape(3, 2))


def test_not_fitted_yet():
    for m in (RandomFourierMap(), PrototypeMap()):
        with pytest.raises(NotFittedError, match="Call fit"):
            m.transform([[1.0]])


@pytest.mark.parametrize("feature_map", ["nystroem", "prototypes"])
def test_without_scikit_learn_the_extra_is_named(feature_map, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    monkeypatch.setitem(sys.modules, "sklearn.kernel_approximation", None)
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.tile([0, 1], 20)
    with pytest.raises(MissingExtraError, match=r"\[lessons\]"):
        LargeScaleMCMClassifier(feature_map=feature_map, n_components=4).fit(X, y)
    LargeScaleMCMClassifier(n_components=4, max_iter=2).fit(X, y)


def test_the_large_scale_machine_needs_no_scikit_learn():
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import numpy as np, mcmteach.large_scale as ls\n"
        "X = np.random.default_rng(0).normal(size=(60, 2)); y = X[:, 0] > 0\n"
        "m = ls.ConformalLargeScaleMCMClassifier(n_components=20, max_iter=20, n_cores=6).fit(X, y)\n"
        "assert m.score(X, y) > 0.8\n"
        "m.machine_.fit_stream(ls.ArrayStream(X, y, 20))\n"
    )
    python("-c", code, check=True)
