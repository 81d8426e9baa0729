"""A machine as samples and a message: its parts add up, its errors are its own, what is not covered is refused."""

import pickle
import warnings
from itertools import product
from types import SimpleNamespace

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


def test_a_machine_without_a_sample_or_without_a_kernel_says_which_class_and_nothing_else():
    for parts in (guarantee.message_parts(0, 2, 3, RBF(1.0), 5), guarantee.message_parts(0, 2, 3, None, 5)):
        assert parts == {"how many samples": pytest.approx(np.log(2)), "which class": pytest.approx(np.log(2))}
    parts = guarantee.message_parts(3, 2, 3, None, 5)
    assert parts == {"how many samples": pytest.approx(np.log(20)), "which class": pytest.approx(np.log(2))}


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


def test_a_machine_of_another_library_may_keep_lists(fitted):
    X, y, machine = fitted
    theirs = SimpleNamespace(
        kernel="rbf",
        gamma=1.0,
        classes_=machine.classes_,
        n_features_in_=2,
        support_=machine.support_.tolist(),
        support_vectors_=machine.support_vectors_.tolist(),
        dual_coef_=[np.ravel(machine.dual_coef_).tolist()],
    )
    found, ours = guarantee.risk_certificate(theirs, X, y), guarantee.risk_certificate(machine, X, y)
    assert str(found) == str(ours) and found.support.tolist() == ours.support.tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: {"delta": 0.0}, "delta is the probability"),
        (lambda X, y: {"delta": 1.0}, "delta is the probability"),
        (lambda X, y: {"gammas": ()}, "gammas is empty"),
        (lambda X, y: {"gammas": (1.0, -1.0)}, "gammas"),
        (lambda X, y: {"y": y[:-1]}, "one label per sample"),
        (lambda X, y: {"y": np.append(y, y[0])}, "one label per sample"),
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
    Z = np.column_stack([Z, np.full(60, 7.0)])  # a feature that never varies has no unit
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


def test_no_coefficient_that_is_tried_is_0_and_no_sample_is_held_twice(fitted):
    X, y, _ = fitted
    rounded, exchanged = (Search(X, y, RBF(1.0), np.arange(300), 17, 0.05) for _ in range(2))
    rounded.round(np.where(np.arange(300) % 60 == 0, y, 0.0))
    exchanged.exchange()
    for search in (rounded, exchanged):
        tried = [[np.frombuffer(part, dtype=np.int64) for part in name[:2]] for name in search.tried]
        assert tried and all(levels.all() for _, levels in tried), "the message has no word for it"
        assert all(len(set(chosen)) == len(chosen) == len(levels) for chosen, levels in tried)


def test_a_polynomial_machine_is_certified_too():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (200, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0.02, 1, -1)
    machine = MCMClassifier(kernel="poly", degree=2, coef0=0.0, sparsity=0.5).fit(X, y)
    found = guarantee.risk_certificate(machine, X, y)
    assert found.machine.kernel == Polynomial(2, 0.0) and 0 < found.d < 20 and found.bound < found.constant_bound
    f = (X @ found.machine.samples.T) ** 2 @ found.machine.levels + found.machine.intercept
    np.testing.assert_allclose(found.machine.decision_function(X), f)


def test_a_width_is_on_the_list_up_to_rounding_and_no_further():
    X, y = moons(60, seed=0)
    for gamma, gammas in ((0.1 + 0.2, (1.0, 0.3)), (1e-9 * (1 + 1e-13), (1e-9, 2.0))):
        assert guarantee.risk_certificate(SVC(gamma=gamma).fit(X, y), X, y, gammas=gammas).machine is not None
    for gamma, gammas in ((2**-12 + 1e-9, guarantee.GAMMA_LIST), (0.3 + 1e-9, (1.0, 0.3))):
        with pytest.raises(InvalidInputError, match="is not on the list of widths"):
            guarantee.risk_certificate(SVC(gamma=gamma).fit(X, y), X, y, gammas=gammas)


def test_a_search_begins_anew_over_the_same_samples():
    X, y = moons(80, seed=3)
    search = Search(X, y, RBF(0.5), np.arange(80), 17, 0.05)
    search.exchange()
    ended, bound = search.certificate(), search.bound
    other = search.anew()
    assert other.bound == guarantee.constant_bound(y) > bound and not other.tried and other.K is search.K
    other.exchange()
    assert other.certificate().support.tolist() == ended.support.tolist() and other.bound == bound == search.bound


# --- the search against a plain one: no pruning, no sorting, every number counted ---------------------------------------


def plain_bound(X, y, kernel, n_gammas, delta, rows, levels, bits, own_signs):
    """The smallest bound of the machine of some samples and levels, over every offset that a message can say."""
    g = kernel(X, X[rows]) @ levels  # f without its offset
    others, best = np.setdiff1d(np.arange(len(y)), rows), 1.0
    at = [*g[rows], 0.0] if len(set(np.sign(levels))) == 1 else g[rows]
    for offset_bits in range(8):
        n = 2**offset_bits
        b = [-(min(at) + (max(at) - min(at)) * (i + 0.5) / n) for i in range(n)]
        errors = min(int(((g + one > 0) != (y == np.unique(y)[-1]))[others].sum()) for one in b)
        nats = guarantee.message_nats(len(rows), bits, offset_bits, kernel, n_gammas)
        best = min(best, guarantee.compression_bound(errors, len(y), len(rows), nats, delta))
    return best


def plain_rounding(X, y, kernel, held, n_gammas, delta, coef):
    """The smallest bound of all machines that rounding can give, prefix by prefix; the constant one's where none is smaller."""
    best, signs = guarantee.constant_bound(y, delta), np.where(y == np.unique(y)[-1], 1, -1)[held]
    for own_signs, bits, scale in product((True, False), range(9), (1, 2)):
        if (bits == 8) if own_signs else (bits == 0):
            continue
        top = 2**bits if own_signs else 2 ** (bits - 1)
        kept = [max(c * s, 0.0) if own_signs else abs(c) for c, s in zip(coef, signs, strict=True)]
        sizes = [min(top, round(k / max(kept) * top * scale)) if max(kept) > 0 else 0 for k in kept]
        order = sorted((i for i in range(len(coef)) if sizes[i]), key=lambda i: (-sizes[i], -kept[i]))
        levels = [int(np.sign(coef[i])) * sizes[i] for i in order]
        for d in range(1, len(order) + 1):
            found = plain_bound(X, y, kernel, n_gammas, delta, held[order[:d]], levels[:d], bits, own_signs)
            best = min(best, found)
    return best


def case(seed):
    """Samples whose classes a machine of few bits tells apart, but for some noise; which may be held, and coefficients."""
    rng = np.random.default_rng(seed)
    kernel = (RBF(1.0), Polynomial(2, 1.0), RBF(0.25), Polynomial(1, 0.0))[seed % 4]
    X = rng.normal(size=(150 + 10 * (seed % 3), 2)) + np.array([1.0, 0.0])
    held = rng.permutation(len(X))[:5]
    coef = np.array([4.0, -3.0, 2.0, -1.0, 0.3])[rng.permutation(5)] * rng.uniform(0.9, 1.1, 5)
    f = kernel(X, X[held]) @ coef
    y = np.where(f > np.quantile(f, rng.uniform(0.3, 0.6)), "yes", "no")
    y = np.where(rng.random(len(X)) < 0.03, np.where(y == "yes", "no", "yes"), y)
    return X, y, kernel, held, 1 + seed % 4, (0.05, 0.3)[seed % 2], coef


@pytest.mark.parametrize("seed", [0, 2, 3, 5, 8, 10, 12, 15])
def test_rounding_finds_the_smallest_bound_that_a_plain_search_finds(seed):
    X, y, kernel, held, n_gammas, delta, coef = case(seed)
    search = Search(X, y, kernel, held, n_gammas, delta)
    search.round(coef)
    assert search.bound == pytest.approx(plain_rounding(X, y, kernel, held, n_gammas, delta, coef), rel=1e-9)
    assert search.certificate().bound == pytest.approx(search.bound, rel=1e-9)


def neighbours(X, y, kernel, held, chosen, levels, bits, own_signs):
    """What an exchange may try: a sample less, or one more or another one, where b chosen freely would leave fewest errors."""
    signs, d = np.where(y == np.unique(y)[-1], 1, -1), len(chosen)
    top = 2**bits if own_signs else 2 ** (bits - 1)
    sizes = sorted({max(1, int(top * share)) for share in (0.25, 0.5, 0.75, 1.0)})

    def errors_at_best(f):
        up = np.cumsum(signs[np.argsort(f, kind="stable")])  # below the cut the answer is -1
        return int((signs < 0).sum()) + min(0, int(up.min()))

    for i in range(d + 1):
        rest = [j for j in range(d) if j != i]
        if d > 1 and i < d:
            yield chosen[rest], levels[rest]
        f = kernel(X, X[held[chosen[rest]]]) @ levels[rest] if rest else np.zeros(len(y))
        free = [j for j in range(len(held)) if j not in chosen[rest]]
        for size in sizes if own_signs else [*sizes, *(-size for size in sizes)]:
            said = {j: size * (signs[held[j]] if own_signs else 1) for j in free}
            ranked = sorted(free, key=lambda j: errors_at_best(f + said[j] * kernel(X, X[held[[j]]])[:, 0]))
            for j in ranked[:3]:
                yield np.append(chosen[rest], j), np.append(levels[rest], said[j])


@pytest.mark.parametrize("seed", [0, 2, 4, 5, 6, 12, 15])
def test_no_exchange_of_one_sample_is_left_that_a_plain_search_finds_better(seed):
    X, y, kernel, held, n_gammas, delta, coef = case(seed)
    held = np.append(held, np.setdiff1d(np.arange(40), held)[:9])
    coef = np.append(coef[::-1], np.zeros(len(held) - 5))  # not the right ones
    search = Search(X, y, kernel, held, n_gammas, delta)
    search.round(coef)
    before = search.bound
    search.exchange()
    best, chosen = search.best, search.chosen
    assert search.bound < before and len(chosen) and X[held[chosen]] == pytest.approx(best.samples)
    tried = list(neighbours(X, y, kernel, held, chosen, best.levels, best.bits, best.own_signs))
    assert len(tried) > 5
    for some, levels in tried:
        found = plain_bound(X, y, kernel, n_gammas, delta, held[some], levels, best.bits, best.own_signs)
        assert found >= search.bound * (1 - 1e-9), (some, levels)
