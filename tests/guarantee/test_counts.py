"""Bounds for a count of errors, against exact fractions and by theorems at any counts."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from mcmteach import guarantee
from mcmteach.errors import InvalidInputError


def tail(k: int, n: int, p: Fraction) -> Fraction:
    """P(Bin(n, p) <= k), exactly."""
    return sum((comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k + 1)), Fraction(0))


@pytest.mark.parametrize(
    ("k", "M", "d", "exponent"), [(0, 40, 0, 1), (3, 60, 2, 3), (10, 120, 5, 20), (7, 400, 30, 200), (0, 150, 9, 60)]
)
def test_the_compression_bound_is_exact_to_a_billionth_also_for_tails_of_1e_200(k, M, d, exponent):
    delta, step = Fraction(1, 20), Fraction(1, 10**9)
    bound = guarantee.compression_bound(k, M, d, exponent * np.log(10.0), float(delta))
    wanted = delta / 10**exponent / comb(M, d)
    p = Fraction(bound)
    assert tail(k, M - d, max(p - step, Fraction(0))) > wanted
    assert p + step >= 1 or tail(k, M - d, p + step) < wanted


@given(st.integers(1, 500), st.data())
def test_without_a_message_it_is_clopper_and_pearsons_limit(n, data):
    k = data.draw(st.integers(0, n - 1))
    delta = data.draw(st.floats(1e-6, 0.5))
    assert guarantee.test_set_bound(k, n, delta) == pytest.approx(beta.ppf(1 - delta, k + 1, n - k), rel=1e-7)


@given(st.integers(2, 400), st.floats(0, 300), st.data())
def test_the_exact_bound_is_below_the_relative_entropy_below_hoeffding(M, nats, data):
    d = data.draw(st.integers(0, M - 1))
    k = data.draw(st.integers(0, M - d))
    exact, entropy, hoeffding = (
        bound(k, M, d, nats)
        for bound in (guarantee.compression_bound, guarantee.relative_entropy_bound, guarantee.hoeffding_bound)
    )
    assert k / (M - d) <= exact <= entropy + 1e-12 <= hoeffding + 2e-12


@given(st.integers(5, 200), st.data())
def test_more_errors_samples_words_or_confidence_cost(M, data):
    d = data.draw(st.integers(0, M // 2))
    k = data.draw(st.integers(0, M // 3))
    here = guarantee.compression_bound(k, M, d, 5.0, 0.05)
    assert guarantee.compression_bound(k + 1, M, d, 5.0, 0.05) >= here
    assert guarantee.compression_bound(k, M, d, 6.0, 0.05) >= here
    assert guarantee.compression_bound(k, M, d, 5.0, 0.01) >= here
    assert guarantee.compression_bound(k, M + 1, d, 5.0, 0.05) <= here or d > 0


@pytest.mark.parametrize(("k", "M", "choices"), [(0, 30, 1), (3, 50, 1), (12, 80, 6), (40, 60, 1), (58, 60, 1)])
def test_the_scenario_bound_solves_its_polynomial_exactly(k, M, choices):
    delta = Fraction(1, 20) / choices

    def excess(t: Fraction) -> Fraction:
        right = delta / M * sum((comb(i, k) * t ** (i - k) for i in range(k, M)), Fraction(0))
        return comb(M, k) * t ** (M - k) - right

    t, step = 1 - Fraction(guarantee.scenario_bound(k, M, 0.05, choices)), Fraction(1, 10**9)
    assert excess(t - step) < 0 < excess(t + step)


def test_when_all_samples_matter_nothing_is_proved():
    assert guarantee.scenario_bound(20, 20) == guarantee.compression_bound(5, 20, 15, 1.0) == 1.0
    assert guarantee.compression_bound(0, 20, 20, 1.0) == guarantee.hoeffding_bound(0, 20, 20) == 1.0
    assert guarantee.hoeffding_bound(19, 20) == 1.0, "no risk is above 1"


def test_a_probability_of_single_precision_is_the_number_that_it_is():
    delta = np.float32(0.05)
    assert guarantee.test_set_bound(6, 143, delta) == guarantee.test_set_bound(6, 143, float(delta))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: guarantee.compression_bound(1, 5, 6, 0.0), "cannot be rebuilt"),
        (lambda: guarantee.compression_bound(5, 6, 2, 0.0), "errors = 5"),
        (lambda: guarantee.compression_bound(1, 6, 2, 0.0, 0.0), "delta"),
        (lambda: guarantee.compression_bound(1, 6, 2, 0.0, 1.0), "delta"),
        (lambda: guarantee.compression_bound(1, 6, 2, -1.0), "message_nats"),
        (lambda: guarantee.scenario_bound(7, 6), "cannot matter"),
        (lambda: guarantee.scenario_bound(-1, 6), "k "),
        (lambda: guarantee.scenario_bound(0, 0), "M "),
        (lambda: guarantee.scenario_bound(1, 6, choices=0), "choices "),
        (lambda: guarantee.test_set_bound(1, 6, "5 %"), "delta"),
    ],
)
def test_bad_counts_are_refused(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()
