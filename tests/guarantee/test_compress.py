"""A machine as samples and a message: its parts add up, its errors are its own, what is not covered is refused."""

import pickle
import warnings
from itertools import product

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from mcmteach import ConformalMCMClassifier, LargeScaleMCMClassifier, MCMClassifier, MCMRegressor, guarantee
from mcmteach.datasets.worlds import moons
from mcmteach.errors import InvalidInputError, MCMWarning
from mcmteach.guarantee.compress import CompressedMachine, Search
from mcmteach.kernels import RBF, Linear, Polynomial


def test_the_priors_of_all_messages_sum_to_one_at_most():
    total = 0.0
    for d in range(100):
        if d == 0:
            total += 2 * np.exp(-guarantee.message_nats(0, 0, 0, None, 3))
            continue
        kernels = [(RBF(1.0), 3), (Polynomial(2, 0.0), 1), (Polynomial(2, 1.0), 1)]
        for kernel, named in kernels:
            for own_signs in (True, False):  # 2^(d bits) coefficients and 2^offset_bits offsets share what is left
                for bits, offset_bits in product(range(8) if own_signs else range(1, 9), range(8)):
                    words = np.log(2) * (d * bits + offset_bits)
                    total += named * np.exp(words - guarantee.message_nats(d, bits, offset_bits, kernel, 3))
    degrees = sum(1 / (g * (g + 1)) for g in range(1, 100_000))
    assert degrees == pytest.approx(1.0, abs=1e-4)
    share = 1 / 2 + 1 / 2 / (2 * 3)  # all widths, and one degree of all
    assert total == pytest.approx(1 / 2 + share * (1 / 2 - 1 / 101), abs=1e-9)


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
    np.testing.assert_array_equal(found.support, held)
    sizes = 2**small.bits if small.own_signs else 2 ** (small.bits - 1)
    assert (
        found.d == len(held) == len(small.levels)
        and 1 <= np.abs(small.levels).min() <= np.abs(small.levels).max() <= sizes
    )
    assert not small.own_signs or (np.sign(small.levels) == y[held]).all()
    nats = guarantee.message_nats(found.d, small.bits, small.offset_bits, RBF(1.0), len(guarantee.GAMMA_LIST))
    assert found.bound == pytest.approx(guarantee.compression_bound(found.errors, 300, found.d, nats), rel=1e-12)
    assert found.message_bits == pytest.approx(nats / np.log(2))
    assert found.bound < found.constant_bound and "at most" in str(found)
    again = pickle.loads(pickle.dumps(found)).machine
    np.testing.assert_array_equal(again.decision_function(X), small.decision_function(X))


def test_the_machine_is_rebuilt_from_its_samples_and_its_message(fitted):
    X, y, machine = fitted
    small = guarantee.risk_certificate(machine, X, y).machine
    f = np.exp(-((X[:, None] - small.samples[None]) ** 2).sum(axis=-1)) @ small.levels
    at = np.exp(-((small.samples[:, None] - small.samples[None]) ** 2).sum(axis=-1)) @ small.levels
    assert len(set(np.sign(small.levels))) == 2
    b = -(at.min() + (at.max() - at.min()) * (small.offset + 0.5) / 2**small.offset_bits)
    np.testing.assert_allclose(small.decision_function(X), f + b, atol=1e-12)


def test_a_machine_that_holds_many_samples_has_hardly_a_better_bound_than_a_constant(fitted):
    X, y, _ = fitted
    found = guarantee.risk_certificate(SVC(gamma=16.0).fit(X, y), X, y)
    tossed = np.random.default_rng(0).choice([-1, 1], 60)
    small = guarantee.risk_certificate(SVC(gamma=16.0).fit(X[:60], tossed), X[:60], tossed)
    assert found.d > 30 and found.constant_bound - 0.1 < found.bound < found.constant_bound
    assert small.d == 0 and small.bound == small.constant_bound and "proves nothing" in str(small)


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
        (lambda X, y: SVC(gamma=1.0).fit(X, np.arange(len(y)) % 3), "two classes, but this machine has 3"),
        (lambda X, y: SVC(kernel="poly").fit(X, y), "only 'rbf'"),
        (lambda X, y: ConformalMCMClassifier().fit(X, y), "cores and alpha"),
        (lambda X, y: make_pipeline(StandardScaler(), SVC()).fit(X, y), r"certify\(pipeline"),
        (lambda X, y: LargeScaleMCMClassifier().fit(X, y), "expansion"),
        (lambda X, y: MCMRegressor(gamma=1.0).fit(X, X[:, 0]), "no classifier"),
    ],
)
def test_what_the_proof_does_not_cover_is_refused(machine, message):
    X, y = moons(60, seed=0)
    with pytest.raises(InvalidInputError, match=message):
        guarantee.risk_certificate(machine(X, y), X, y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: {"delta": 0.0}, "delta is the probability"),
        (lambda X, y: {"delta": 1.0}, "delta is the probability"),
        (lambda X, y: {"gammas": ()}, "gammas is empty"),
        (lambda X, y: {"gammas": (1.0, -1.0)}, "gammas"),
        (lambda X, y: {"y": y[:-1]}, "one label per sample"),
        (lambda X, y: {"y": np.where(np.arange(60) == 7, 5, y)}, "never seen: .5"),
        (lambda X, y: {"y": np.ones(60, dtype=int)}, "lacks labels that the machine has learnt"),
        (lambda X, y: {"X": X[:30], "y": y[:30]}, "fitted on other data"),
        (lambda X, y: {"X": np.c_[X, X]}, "fitted on other data"),
        (lambda X, y: {"X": X * np.nan}, "NaN"),
    ],
)
def test_other_data_and_bad_settings_are_refused(change, message):
    X, y = moons(60, seed=0)
    machine = SVC(gamma=1.0).fit(X, y)
    with pytest.raises(InvalidInputError, match=message):
        guarantee.risk_certificate(machine, **{"X": X, "y": y, **change(X, y)})


def test_copied_samples_and_a_scaler_of_the_same_sample_are_told():
    X, y = moons(60, seed=0)
    twice, labels = np.vstack([X, X[:7]]), np.append(y, y[:7])
    with pytest.warns(MCMWarning, match="7 of 67 samples are equal"):
        guarantee.risk_certificate(MCMClassifier(gamma=1.0, sparsity=3.0).fit(twice, labels), twice, labels)
    Z = StandardScaler().fit_transform(X)
    with pytest.warns(MCMWarning, match="a scaler was fitted on this very sample"):
        guarantee.risk_certificate(MCMClassifier(gamma=1.0, sparsity=3.0).fit(Z, y), Z, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        guarantee.risk_certificate(MCMClassifier(gamma=1.0, sparsity=3.0).fit(X, y), X, y)


@pytest.mark.parametrize("kernel", [RBF(0.5), Polynomial(1, 0.0), Polynomial(2, 1.0)])
def test_an_exchange_never_raises_the_bound_and_its_count_is_what_the_machine_does(kernel):
    X, y = moons(80, seed=3)
    search = Search(X, y, kernel, np.arange(80), 17, 0.05)
    search.round(y * np.linspace(1, 2, 80))
    before = search.bound
    search.exchange()
    found = search.certificate()
    assert found.bound == pytest.approx(search.bound, rel=1e-9) and search.bound <= before
    assert search.bound < before or found.d == 0


@pytest.mark.parametrize("larger", ["no", "yes"])
def test_a_constant_machine_answers_the_larger_class_and_is_its_own_rival(larger):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.where(rng.random(40) < 0.8, larger, {"no": "yes", "yes": "no"}[larger])
    search = Search(X, y, RBF(1.0), np.arange(40), 1, 0.05)
    found = search.certificate()
    assert found.d == 0 and found.bound == found.constant_bound == guarantee.constant_bound(y)
    assert set(found.machine.predict(X)) == {larger}
    assert set(found.machine.decision_function(X)) == {1.0 if larger == "yes" else -1.0}


@pytest.mark.parametrize(
    ("levels", "offset", "offset_bits", "b"),
    [  # two samples far apart: at them f - b is their coefficient
        ([2, -2], 0, 0, 0.0),
        ([2, -2], 1, 1, -1.0),  # the boundary at a quarter and at three quarters of the way from -2 to 2
        ([3, 1], 0, 0, -1.5),  # coefficients of one sign: from 0, far away, to 3
        ([-3, -1], 0, 0, 1.5),
        ([-3, -1], 3, 2, 0.375),  # seven eighths of the way from -3 to 0
    ],
)
def test_the_offset_by_hand(levels, offset, offset_bits, b):
    samples = np.array([[0.0], [100.0]])
    machine = CompressedMachine(samples, np.array(levels), 2, False, offset, offset_bits, RBF(1.0), np.array([-1, 1]))
    assert machine.intercept == pytest.approx(b, abs=1e-12)


def clusters(*places):
    """Twenty samples about each place (x, label) of a line: the samples, their labels, and one index in each cluster."""
    X = np.concatenate([x + np.linspace(-0.1, 0.1, 20) for x, _ in places])[:, None]
    return X, np.repeat([label for _, label in places], 20), 10 + 20 * np.arange(len(places))


def test_an_exchange_adds_the_sample_that_is_missing():
    X, y, centres = clusters((0.0, 1), (5.0, -1), (5.1, -1), (5.2, -1), (10.0, 1))
    search = Search(X, y, RBF(1.0), centres[[0, 4]], 1, 0.05)
    search.round(np.array([1.0, 0.0]))
    assert search.chosen.tolist() == [0] and search.certificate().errors == 20
    search.exchange()
    assert sorted(search.chosen) == [0, 1] and search.certificate().errors == 0


def test_an_exchange_drops_the_sample_that_is_not_needed():
    X, y, centres = clusters((0.0, 1), (5.0, -1), (10.0, -1))
    search = Search(X, y, RBF(1.0), centres[[2, 0]], 1, 0.05)
    search.round(
        np.array([-2.0, 1.0])
    )  # the larger coefficient, which is kept first, is at the sample that is not needed
    assert search.chosen.tolist() == [0, 1] and search.certificate().errors == 0
    before = search.bound
    search.exchange()
    assert search.chosen.tolist() == [1] and search.certificate().errors == 0 and search.bound < before


@pytest.mark.parametrize(("side", "bits"), [(-1.0, 7), (1.0, 8)])
def test_a_plane_that_only_the_longest_coefficients_can_say(side, bits):
    # 128 x_1 + x_2 = 64, held by (1, 0) and by (0, -1) or (0, 1), the second of the class -1: the coefficients are 128 and -1,
    # which are their labels' signs, or 128 and 1, where the sign takes a bit more
    X = np.random.default_rng(0).uniform([-0.5, -128.0], [1.5, 128.0], (400, 2))
    X[:2] = [1.0, 0.0], [0.0, side]
    y = np.where(128 * X[:, 0] + X[:, 1] > 64, 1, -1)
    search = Search(X, y, Polynomial(1, 0.0), np.array([0, 1]), 1, 0.05)
    search.round(np.array([128.0, side]))
    found = search.certificate()
    assert found.machine.levels.tolist() == [128, side] and found.machine.bits == bits and found.errors <= 2
    assert found.machine.own_signs == (side < 0)


def test_no_coefficient_that_is_tried_is_0(fitted):
    X, y, _ = fitted
    search = Search(X, y, RBF(1.0), np.arange(300), 17, 0.05)
    search.exchange()
    tried = [np.frombuffer(levels, dtype=np.int64) for _, levels, _ in search.tried]
    assert tried and all(levels.all() for levels in tried), "the message has no word for it"


def test_a_search_begins_anew_over_the_same_samples():
    X, y = moons(80, seed=3)
    search = Search(X, y, RBF(0.5), np.arange(80), 17, 0.05)
    search.exchange()
    ended, bound = search.certificate(), search.bound
    other = search.anew()
    assert other.bound == guarantee.constant_bound(y) > bound and not other.tried and other.K is search.K
    other.exchange()
    assert other.certificate().support.tolist() == ended.support.tolist() and other.bound == bound == search.bound
