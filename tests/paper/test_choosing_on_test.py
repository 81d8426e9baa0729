"""What choosing on the test fold buys: by a formula, by hand and by simulation."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcmteach.errors import InvalidInputError
from mcmteach.paper import expected_best, peep_at_noise, signed_rank


@settings(deadline=None, max_examples=30)
@given(k=st.integers(1, 3), m=st.integers(1, 3))
def test_expected_best_is_the_mean_over_all_falls_of_the_coins(k, m):
    falls = np.array(list(product([0, 1], repeat=k * m))).reshape(-1, k, m)
    assert expected_best(k, m) == pytest.approx(falls.mean(axis=2).max(axis=1).mean())


@settings(deadline=None, max_examples=50)
@given(k=st.integers(1, 200), m=st.integers(1, 400), p=st.floats(0, 1))
def test_the_best_never_looks_worse_than_it_is_and_more_so_with_more_settings(k, m, p):
    assert expected_best(1, m, p) == pytest.approx(p, abs=1e-9)
    assert p - 1e-9 <= expected_best(k, m, p) <= expected_best(k + 1, m, p) + 1e-12 <= 1 + 1e-9


@settings(deadline=None, max_examples=30)
@given(k=st.integers(2, 100), m=st.integers(1, 300))
def test_a_larger_test_fold_protects(k, m):
    assert expected_best(k, 4 * m) < expected_best(k, m)


@pytest.mark.parametrize(("k", "m", "p"), [(22, 30, 0.5), (5, 100, 0.8)])
def test_simulated_sets_agree_with_the_formula(k, m, p):
    found = peep_at_noise(k, m, n_sets=20_000, p=p, seed=3)
    assert found.best.mean() == pytest.approx(expected_best(k, m, p), abs=0.002)
    assert found.fresh.mean() == pytest.approx(p, abs=0.002) == found.first.mean()
    assert (found.best >= found.first).all()
    assert abs(np.corrcoef(found.best, found.fresh)[0, 1]) < 0.03, "new samples know nothing of the choice"


def test_bad_numbers_are_refused():
    for arguments in ((0, 30), (3, 0), (2.5, 30), (3, 30, 1.2), (3, 30, "half")):
        with pytest.raises(InvalidInputError):
            expected_best(*arguments)
    with pytest.raises(InvalidInputError):
        peep_at_noise(3, 30, n_sets=0)


def test_pure_noise_becomes_significant():
    ps = [signed_rank(*peep_at_noise(22, 30, 27, seed=seed)[::2]).p for seed in range(20)]
    assert max(ps) < 1e-4
