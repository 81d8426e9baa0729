"""Folds are partitions with every class spread evenly, and each part learns from its training rows alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import StandardScaler

from mcmteach.datasets.folds import make_parts, others, prefers, stratified_folds, stratified_parts
from mcmteach.errors import InvalidInputError


@given(st.integers(2, 40), st.integers(2, 40), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_folds_share_out_every_sample_and_either_class(minus, plus, n_folds, seed):
    n_folds = min(n_folds, minus, plus)
    y = np.random.default_rng(0).permutation(np.repeat([-1, 1], [minus, plus]))
    folds = stratified_folds(y, n_folds, seed)
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(len(y)))
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(len(y)))
        for c, count in ((-1, minus), (1, plus)):
            assert count // n_folds <= np.sum(y[test] == c) <= -(-count // n_folds)
    sizes = [len(test) for _, test in folds]
    assert max(sizes) - min(sizes) <= 1
    again = stratified_folds(y, n_folds, seed)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(folds, again, strict=True))


def test_parts_are_standardised_by_their_training_part(gappy):
    X, y = gappy
    train, test = stratified_folds(y, 3)[0]
    (part,) = make_parts(X, y, [(train, test)])
    imputer = SimpleImputer(strategy="median", keep_empty_features=True).fit(X[train])
    scaler = StandardScaler().fit(imputer.transform(X[train]))
    np.testing.assert_allclose(part.X, scaler.transform(imputer.transform(X[train])), atol=1e-12)
    np.testing.assert_allclose(part.X_test, scaler.transform(imputer.transform(X[test])), atol=1e-12)
    assert part.y.tolist() == np.where(y[train] == "up", 1, -1).tolist()
    (raw,) = make_parts(X, y, [(train, test)], standardise=False)
    np.testing.assert_allclose(raw.X, imputer.transform(X[train]))


@settings(deadline=None, max_examples=30)
@given(st.integers(4, 60), st.integers(4, 60), st.integers(2, 5), st.integers(0, 10**6))
def test_folds_are_a_partition_with_every_class_spread_evenly(minus, plus, k, seed):
    y = np.random.default_rng(seed).permutation(np.r_[-np.ones(minus), np.ones(plus)])
    parts = stratified_parts(y, k, seed)
    assert sorted(np.concatenate(parts)) == list(range(minus + plus))
    for label in (-1, 1):
        counts = [np.sum(y[rows] == label) for rows in parts]
        assert max(counts) - min(counts) <= 1
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert all(np.array_equal(a, b) for a, b in zip(parts, stratified_parts(y, k, seed), strict=True))


def test_validation_prefers_what_wins_by_more_than_chance():
    plain = np.array([True] * 10 + [False] * 10)
    better = lambda n: np.r_[plain[:10], np.arange(10) < n]  # noqa: E731
    assert [prefers(better(n), plain) for n in (0, 1, 2, 4)] == [False, False, True, True]
    assert not prefers(~plain, plain)  # ten wins, ten losses
    assert not prefers(plain, better(3))


def test_a_class_of_one_row_may_be_spread_but_not_folded():
    y = np.array([0, 1, 1, 1])
    parts = stratified_parts(y, 3, seed=0)
    assert sorted(np.concatenate(parts).tolist()) == [0, 1, 2, 3]
    with pytest.raises(InvalidInputError, match="Class 0 has 1 samples, so 3 folds would leave one without it"):
        stratified_folds(y, 3)


def test_others_are_the_rest():
    assert others(np.array([3, 0]), 5).tolist() == [1, 2, 4]


def test_no_samples_make_no_folds():
    with pytest.raises(InvalidInputError, match="y is empty"):
        stratified_folds([])
