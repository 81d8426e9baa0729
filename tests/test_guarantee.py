"""Bounds on the risk of a machine that one holds: in exact fractions, by theorems at any data, and on worlds of known risk."""

import pickle
import warnings
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta
from sklearn.svm import SVC

from mcmteach import MCMClassifier, guarantee
from mcmteach.datasets.worlds import moons
from mcmteach.errors import ConstantClassifierWarning, InvalidInputError
from mcmteach.kernels import RBF, Linear, Polynomial


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


@pytest.mark.parametrize(("k", "M", "choices"), [(0, 30, 1), (3, 50, 1), (12, 80, 6), (40, 60, 1)])
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


def test_the_priors_of_all_messages_sum_to_one_at_most():
    total = 0.0
    for d in range(2000):
        if d == 0:
            total += 2 * np.exp(-guarantee.message_nats(0, 1, 1, None, 3))
            continue
        kernels = [(RBF(1.0), 3), (Polynomial(2, 0.0), 1), (Polynomial(2, 1.0), 1)]
        for kernel, named in kernels:
            for bits in range(1, 9):
                for offset_bits in range(1, 9):  # 2^(d bits) coefficients and 2^offset_bits offsets share what is left
                    words = np.log(2) * (d * bits + offset_bits)
                    total += named * np.exp(words - guarantee.message_nats(d, bits, offset_bits, kernel, 3))
    degrees = sum(1 / (g * (g + 1)) for g in range(1, 100_000))
    assert degrees == pytest.approx(1.0, abs=1e-4)
    share = 1 / 2 + 1 / 2 / (2 * 3)  # all widths, and one degree of all
    assert total == pytest.approx(1 / 2 + share / 2, abs=1e-3)


@pytest.fixture(scope="module")
def fitted():
    X, y = moons(300, seed=0)
    return X, y, MCMClassifier(gamma=1.0, sparsity=3.0).fit(X, y)


def test_the_certificate_counts_what_its_own_machine_does(fitted):
    X, y, machine = fitted
    found = guarantee.risk_certificate(machine, X, y)
    small = found.machine
    held = [int(np.flatnonzero((sample == X).all(axis=1))[0]) for sample in small.samples]
    others = np.setdiff1d(np.arange(len(y)), held)
    assert (small.predict(X[others]) != y[others]).sum() == found.errors
    assert found.d == len(held) == len(small.levels) and np.abs(small.levels).max() <= 2 ** (small.bits - 1)
    nats = guarantee.message_nats(found.d, small.bits, small.offset_bits, RBF(1.0), len(guarantee.GAMMAS))
    assert found.bound == pytest.approx(guarantee.compression_bound(found.errors, 300, found.d, nats), rel=1e-12)
    assert found.bound < found.constant_bound and "at most" in str(found)
    again = pickle.loads(pickle.dumps(found)).machine
    np.testing.assert_array_equal(again.decision_function(X), small.decision_function(X))


def test_the_machine_is_rebuilt_from_its_samples_and_its_message(fitted):
    X, y, machine = fitted
    small = guarantee.risk_certificate(machine, X, y).machine
    f = np.exp(-((X[:, None] - small.samples[None]) ** 2).sum(axis=-1)) @ small.levels
    steps = 2**small.offset_bits
    b = np.abs(small.levels).sum() * (2 * small.offset + 1 - steps) / steps
    np.testing.assert_allclose(small.decision_function(X), f + b, atol=1e-12)


@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_the_bound_holds_on_a_world_of_known_risk(delta):
    """Labels are tossed, P(y = +1) = 0.6 inside a disc and 0.4 outside: the risk of any machine can be computed."""
    rng = np.random.default_rng(0)
    inside_of = lambda X: (X**2).sum(axis=1) < 1.0  # noqa: E731
    grid = rng.normal(size=(20_000, 2))
    failures = 0
    for _ in range(60):
        X = rng.normal(size=(80, 2))
        y = np.where(rng.random(80) < np.where(inside_of(X), 0.6, 0.4), 1, -1)
        machine = MCMClassifier(gamma=1.0, C=1.0, sparsity=4.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstantClassifierWarning)
            found = guarantee.risk_certificate(machine.fit(X, y), X, y, delta)
        says_plus = found.machine.predict(grid) == 1
        risk = np.where(inside_of(grid) == says_plus, 0.4, 0.6).mean()
        failures += risk > found.bound
    print(f"delta {delta}: {failures} of 60 bounds failed")
    assert failures <= 60 * delta


def test_an_svc_of_many_support_vectors_proves_nothing_and_says_so(fitted):
    X, y, _ = fitted
    machine = SVC(gamma=1.0).fit(X, y)
    found = guarantee.risk_certificate(machine, X, y)
    assert len(machine.support_) > 60 and found.d == 0 and found.bound >= found.constant_bound
    assert "proves nothing" in str(found)


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        (lambda X, y: MCMClassifier(gamma=1.0), "not fitted"),
        (lambda X, y: MCMClassifier(sparsity=3.0).fit(X, y), "computed from the sample"),
        (lambda X, y: MCMClassifier(gamma=0.7, sparsity=3.0).fit(X, y), "gamma=0.5, the nearest"),
        (lambda X, y: MCMClassifier(kernel="linear").fit(X, y), "scenario_bound"),
        (lambda X, y: MCMClassifier(kernel=Linear()).fit(X, y), "kernel='rbf' or 'poly'|expansion"),
        (lambda X, y: MCMClassifier(gamma=1.0, sparsity=3.0).fit(X + 1, y), "fitted on other data"),
        (lambda X, y: MCMClassifier(gamma=1.0, sparsity=3.0).fit(X, y + 5), "never seen"),
        (lambda X, y: SVC(gamma=1.0).fit(X, np.arange(len(y)) % 3), "two classes"),
    ],
)
def test_what_the_proof_does_not_cover_is_refused(machine, message):
    X, y = moons(60, seed=0)
    with pytest.raises(InvalidInputError, match=message):
        guarantee.risk_certificate(machine(X, y), X, y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: guarantee.compression_bound(1, 5, 6, 0.0), "cannot be rebuilt"),
        (lambda: guarantee.compression_bound(5, 6, 2, 0.0), "errors = 5"),
        (lambda: guarantee.compression_bound(1, 6, 2, 0.0, 0.0), "delta"),
        (lambda: guarantee.compression_bound(1, 6, 2, 0.0, 1.0), "delta"),
        (lambda: guarantee.compression_bound(1, 6, 2, -1.0), "message_nats"),
        (lambda: guarantee.scenario_bound(7, 6), "cannot matter"),
    ],
)
def test_bad_counts_are_refused(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()
