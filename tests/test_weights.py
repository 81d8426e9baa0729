"""Fuzzy memberships: by hand, as a property, and what they do to flipped labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcmteach import rbf_kernel, solve_mcm
from mcmteach.datasets.worlds import clouds
from mcmteach.errors import InvalidInputError
from mcmteach.weights import fuzzy_membership


def test_by_hand():
    # class a: mean (1, 0), distances 1, 1, 0 and 2, so r_max = 2; class b has one sample: r = 0
    X = [[0, 0], [2, 0], [1, 0], [1, 2], [1, -2], [7, 7]]
    found = fuzzy_membership(X, ["a"] * 5 + ["b"], delta=0.5)
    np.testing.assert_allclose(found, [1 - 1 / 2.5, 1 - 1 / 2.5, 1.0, 0.2, 0.2, 1.0])


@given(st.integers(0, 10**6), st.floats(0.0, 2.0), st.floats(0.01, 100.0))
@settings(max_examples=30)
def test_it_falls_with_the_distance_and_moves_with_the_data(seed, delta, unit):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, 3)), rng.integers(0, 3, size=20)
    s = fuzzy_membership(X, y, delta)
    assert ((s >= 0) & (s <= 1)).all()
    for label in np.unique(y):
        r = np.linalg.norm(X[y == label] - X[y == label].mean(axis=0), axis=1)
        assert (np.diff(s[y == label][np.argsort(r)]) <= 1e-12).all()
    np.testing.assert_allclose(fuzzy_membership(unit * X + 5, y, unit * delta), s, atol=1e-9)


def test_flipped_labels_weigh_less_and_the_fuzzy_machine_errs_less():
    weight, errors = [], []
    for seed in range(5):
        X, y = clouds(80, spread=0.5, seed=seed)
        X_new, y_new = clouds(2000, spread=0.5, seed=seed + 100)
        rows = np.random.default_rng(seed).choice(80, 16, replace=False)
        flipped = y.copy()
        flipped[rows] *= -1
        s = fuzzy_membership(X, flipped)
        weight.append(s[rows].mean() / np.delete(s, rows).mean())
        K, K_new = rbf_kernel(X, X, 1.0), rbf_kernel(X_new, X, 1.0)
        machines = (solve_mcm(K, flipped, 1.0, 0.1, sample_weight=w) for w in (None, s))
        errors.append([np.mean(np.sign(K_new @ m.coef + m.b) != y_new) for m in machines])
    equal, fuzzy = np.mean(errors, axis=0)
    assert max(weight) < 0.75 and fuzzy < equal - 0.02


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0.0], [1.0]], [1]), "one label per sample"),
        (([[0.0], [1.0]], [1.0, np.nan]), "NaN"),
        (([[0.0], [np.nan]], [1, 2]), "NaN"),
        (([[0.0], [1.0]], [1, 2], -0.1), "delta"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        fuzzy_membership(*arguments)
