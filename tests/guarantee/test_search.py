"""The search for the smallest bound: it finds what is small, it is a citizen of scikit-learn, and its bounds hold."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from mcmteach import ConformalMCMClassifier, MCMClassifier, load_dataset, to_c
from mcmteach.datasets.worlds import moons
from mcmteach.errors import InvalidInputError
from mcmteach.guarantee import CertifiedMCM, certify, compression_bound, risk_certificate, search
from mcmteach.kernels import Polynomial
from tools.bench.guarantee import CHANCES, one_world


@pytest.fixture(scope="module")
def fitted():
    X, y = moons(150, seed=0)
    return X, y, CertifiedMCM((0.5, 1.0), C=(10.0,)).fit(X, y)


def test_it_predicts_as_the_machine_of_its_certificate(fitted):
    X, _, machine = fitted
    found = machine.risk_certificate_
    new = moons(400, seed=1)[0]
    np.testing.assert_allclose(machine.decision_function(new), found.machine.decision_function(new), atol=1e-12)
    assert set(machine.support_) <= set(range(len(X)))
    np.testing.assert_array_equal(machine.support_vectors_, X[machine.support_])
    assert machine.bound_ == found.bound < found.constant_bound and machine.n_support_ == found.d > 0
    assert (machine.dual_coef_ == np.rint(machine.dual_coef_)).all()
    again = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(again.predict(new), machine.predict(new))


def test_its_errors_are_those_on_the_samples_that_it_does_not_hold(fitted):
    X, y, machine = fitted
    found = machine.risk_certificate_
    others = np.setdiff1d(np.arange(len(y)), machine.support_)
    assert (machine.predict(X[others]) != y[others]).sum() == found.errors
    nats = found.message_bits * np.log(2)
    assert compression_bound(found.errors, found.M, found.d, nats) == pytest.approx(found.bound, rel=1e-12)


def test_a_search_finds_no_larger_bound_than_rounding_one_machine_of_its_path(fitted):
    X, y, machine = fitted
    for gamma in (0.5, 1.0):
        one = risk_certificate(MCMClassifier(gamma=gamma, C=1.0, sparsity=3.0).fit(X, y), X, y, gammas=(0.5, 1.0))
        assert machine.bound_ <= one.bound


def test_a_coarse_scan_ends_beside_the_best_width_and_tells_what_it_tries(capsys):
    X, y = moons(120, seed=1)
    widths = tuple(2.0**k for k in range(-9, 8))
    machine = CertifiedMCM(widths, degrees=(), verbose=True).fit(X, y)
    told = [line.split(":") for line in capsys.readouterr().out.splitlines()]
    tried = {float(name[10:-1]): float(rest.split()[0]) for name, rest in told}
    scanned = {width: tried[width] for width in widths[::2]}
    best = widths.index(min(scanned, key=scanned.get))
    assert len(tried) < len(widths) and set(tried) == {*widths[::2], *widths[max(0, best - 1) : best + 2]}
    assert told[0][1].endswith("(1 of at most 11 kernels)") and len(told) <= 11, "nine scanned, two beside the best"
    assert machine.bound_ == pytest.approx(min(tried.values()), abs=1e-4)


def test_no_programme_is_solved_for_a_width_at_which_no_sample_helps(monkeypatch):
    X, y = moons(60, seed=1)
    monkeypatch.setattr(CertifiedMCM, "_path", lambda *_: pytest.fail("the path was walked"))
    assert CertifiedMCM((2.0**14,), degrees=()).fit(X, y).n_support_ == 0
    with pytest.raises(pytest.fail.Exception, match="walked"):
        CertifiedMCM((1.0,), degrees=()).fit(X, y)


def test_of_a_polynomial_the_path_is_walked_also_where_no_sample_helps_at_first(monkeypatch):
    X, y = moons(60, seed=1)
    walked = []
    monkeypatch.setattr(search.Search, "exchange", lambda _: None)
    monkeypatch.setattr(CertifiedMCM, "_path", lambda _, tried: walked.append(tried.kernel) or iter(()))
    assert CertifiedMCM((1.0,), degrees=(1, 2)).fit(X, y).n_support_ == 0
    assert walked == [Polynomial(1, 0.0), Polynomial(2, 1.0)], "and not of the RBF kernel, which is too narrow then"


@pytest.mark.parametrize("larger", [3, 7])
def test_a_constant_machine_answers_the_larger_class_and_needs_no_kernel(larger):
    X = moons(60, seed=1)[0]
    y = np.where(np.arange(60) % 5, larger, 10 - larger)  # not to be told from X
    machine = CertifiedMCM((2.0**14,), degrees=()).fit(X, y)
    assert machine.n_support_ == 0 and machine.kernel_ == Polynomial(1, 0.0) and not hasattr(machine, "gamma_")
    assert set(machine.predict(X)) == {larger} and "machine_predict" in to_c(machine)


def test_of_many_samples_some_of_each_class_may_be_held_and_the_bound_counts_all(monkeypatch):
    monkeypatch.setattr(search, "CANDIDATES", 20)
    monkeypatch.setattr(search, "SOLVED", 12)
    X, y = moons(150, seed=4)
    y[:120], y[120:] = -1, 1  # the smaller class comes last
    X[y > 0] += 5
    found = CertifiedMCM((0.5,), degrees=()).fit(X, y).risk_certificate_
    assert found.M == 150 and 0 < found.d <= 20 and found.bound < found.constant_bound
    wrong = found.machine.predict(X) != y
    assert np.delete(wrong, found.support).sum() == found.errors


@pytest.mark.filterwarnings("ignore::mcmteach.errors.MCMWarning")  # their data have copies, or were scaled as a whole
def test_it_is_a_citizen_of_scikit_learn():
    check_estimator(CertifiedMCM((1.0,), degrees=(), C=(10.0,)))


def test_without_the_cap_it_walks_the_path_of_the_lp_svm():
    X, y = moons(80, seed=2)
    machine = CertifiedMCM((1.0,), C=(10.0,), cap=False).fit(X, y)
    assert clone(machine).cap is False and machine.bound_ < 0.5


def test_it_leaves_python_as_c(fitted):
    assert "machine_predict" in to_c(fitted[2])


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        (CertifiedMCM(delta=1.0), "delta is the probability"),
        (CertifiedMCM(gammas=()), "gammas is empty"),
        (CertifiedMCM(degrees=(0,)), "degrees"),
        (CertifiedMCM((1.0,), C=(-1.0,)), "C must be"),
        (CertifiedMCM((1.0,), cap="no"), "cap"),
        (CertifiedMCM((1.0,), verbose="much"), "verbose"),
    ],
)
def test_bad_settings_are_refused(machine, message):
    with pytest.raises(InvalidInputError, match=message):
        machine.fit(*moons(30, seed=0))


# --- pipelines -----------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:1 of 124 samples")  # few values are left after the selection
def test_certify_fits_what_prepares_the_data_on_other_samples_than_the_bound_speaks_of():
    data = load_dataset("hepatitis")
    pipeline = make_pipeline(
        SimpleImputer(strategy="median"), StandardScaler(), SelectKBest(k=12), CertifiedMCM((0.125,), C=(10.0,))
    )
    made, found = certify(pipeline, data.data, data.target, aside=0.2)
    assert len(data.target) - 31 == found.M and made.n_features_in_ == data.data.shape[1]
    assert made[1].n_samples_seen_ == 31  # the scaler saw the part that was set aside, and nothing else
    assert not hasattr(pipeline[1], "mean_")  # and the given pipeline is as it was
    assert made.predict(data.data).shape == data.target.shape and made[-1].risk_certificate_ is found
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(made)).predict(data.data), made.predict(data.data))


def test_certify_takes_other_machines_and_data_frames_and_sets_nothing_aside_in_vain():
    X, y = moons(100, seed=0)
    for last in (MCMClassifier(gamma=1.0, sparsity=3.0), SVC(gamma=1.0)):
        made, found = certify(make_pipeline(StandardScaler(), last), pd.DataFrame(X, columns=["a", "b"]), y)
        assert found.M == 90 and made.predict(pd.DataFrame(X, columns=["a", "b"])).shape == (100,)
    assert certify(make_pipeline(MCMClassifier(gamma=1.0, sparsity=3.0)), X, y).certificate.M == 100


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: certify(SVC(), X, y), "takes a Pipeline"),
        (lambda X, y: certify(make_pipeline(StandardScaler(), SVC()), X, y, aside=1.0), "aside is the share"),
        (lambda X, y: certify(make_pipeline(StandardScaler(), SVC()), X, y), "computed from the sample"),
        (
            lambda X, y: certify(make_pipeline(StandardScaler(), CertifiedMCM()), X, y, delta=2.0),
            "delta is the probability",
        ),
        (lambda X, y: certify(make_pipeline(StandardScaler(), SVC(gamma=1.0)), X, y[:-1]), "one label per sample"),
        (
            lambda X, y: certify(make_pipeline(StandardScaler(), ConformalMCMClassifier()), X, y),
            "ConformalMCMClassifier has no",
        ),
        (lambda X, y: certify(make_pipeline(SVC(gamma=1.0)), X, np.arange(60) % 3), "two classes"),
        (lambda X, y: certify(make_pipeline(CertifiedMCM()), X, np.arange(60) % 3), "y holds 3 classes"),
    ],
)
def test_what_certify_cannot_do_is_refused(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call(*moons(60, seed=0))


# --- worlds of known risk ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_the_bound_holds_on_worlds_of_known_risk(delta):
    room = np.array([one_world(world, delta, 5000 + i) for world in CHANCES for i in range(8)])
    print(f"delta {delta}: {np.sum(room < 0)} of {len(room)} bounds failed, least room {room.min():.3f}")
    assert np.sum(room < 0) <= delta * len(room)
