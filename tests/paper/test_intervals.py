"""Intervals and what could have been found: against scipy, by hand, and by repeated sampling."""

import numpy as np
import pytest
import scipy.stats

from mcmteach.errors import InvalidInputError
from mcmteach.paper.intervals import corrected_interval, detectable_difference, mean_interval, median_interval


def test_the_mean_s_interval_is_students():
    d = np.random.default_rng(1).normal(size=17)
    low, high = scipy.stats.t.interval(0.9, 16, d.mean(), scipy.stats.sem(d))
    assert mean_interval(d, 0.9) == pytest.approx((d.mean(), low, high))


@pytest.mark.parametrize(("n", "level"), [(23, 0.95), (12, 0.95), (40, 0.8), (6, 0.95)])
def test_the_median_s_interval_has_the_order_statistics_of_the_binomial(n, level):
    """The covered probability is sum of Bin(n, 1/2) from k to n - k: at least the level, and one step further in it is not."""
    found = median_interval(np.arange(1.0, n + 1), level)
    k = int(found.low)
    assert found.high == n + 1 - k and found.value == (n + 1) / 2

    def covers(k):
        return scipy.stats.binom.cdf(n - k, n, 0.5) - scipy.stats.binom.cdf(k - 1, n, 0.5)

    assert covers(k) >= level > covers(k + 1)


def test_the_median_s_interval_holds_for_a_skew_distribution():
    rng = np.random.default_rng(0)
    found = [median_interval(rng.exponential(size=23)) for _ in range(2000)]
    assert np.mean([one.low <= np.log(2) <= one.high for one in found]) > 0.945
    assert median_interval([1.0, 2.0, 3.0]).low == -np.inf  # three samples prove nothing at 95 %


def test_the_corrected_interval_is_wider_by_nadeau_and_bengios_factor():
    d = np.array([1.0, -2.0, 3.0, 0.5, 1.5, -1.0, 2.0, 0.0, 1.0, 2.5])
    plain, corrected = mean_interval(d), corrected_interval(d, n_train=80, n_test=20)
    widths = [one.high - one.low for one in (plain, corrected)]
    assert corrected.value == plain.value and widths[1] / widths[0] == pytest.approx(np.sqrt(1 + 10 * 20 / 80))


def test_the_detectable_difference_is_found_four_times_in_five():
    rng = np.random.default_rng(2)
    d = rng.normal(size=22)
    d = (d - d.mean()) / d.std(ddof=1)  # standard deviation exactly 1
    effect = detectable_difference(d)
    samples = rng.normal(effect, 1.0, size=(4000, 22))
    assert np.mean(scipy.stats.ttest_1samp(samples, 0.0, axis=1).pvalue < 0.05) == pytest.approx(0.8, abs=0.02)
    assert detectable_difference([1.0, 1.0, 1.0]) == 0.0 and detectable_difference(d, power=0.95) > effect


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: mean_interval([1.0]), "number of differences"),
        (lambda: median_interval([1.0, 2.0], level=2), "probability such as 0.95"),
        (lambda: corrected_interval([1.0, 2.0], 0, 5), "numbers of samples"),
        (lambda: detectable_difference([1.0, 2.0], power=1), "power is a probability"),
    ],
)
def test_bad_input(call, says):
    with pytest.raises(InvalidInputError, match=says):
        call()
