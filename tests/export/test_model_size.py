"""What a machine must store to predict: counted, and what is left of it after ``compact``."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_moons
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach.errors import InvalidInputError
from mcmteach.export.model_size import folded_plane, model_numbers
from mcmteach.large_scale import ConformalLargeScaleMCMClassifier

X, y = make_moons(1200, noise=0.2, random_state=0)


def test_a_linear_machine_is_its_plane():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(400, 50))
    labels = np.where(A @ rng.normal(size=50) > 0, 1, -1)
    machine = mt.MCMClassifier("linear", sparsity=5.0).fit(A, labels)
    assert not hasattr(machine, "support_vectors_")
    assert machine.n_support_ == len(machine.support_) > 50
    assert 0 < machine.n_nonzero_ == np.count_nonzero(machine.coef_) < 50
    assert model_numbers(machine) == machine.n_nonzero_ + 1
    assert len(pickle.dumps(machine.compact())) < 10_000  # its support vectors alone would have 100 kB
    assert model_numbers(SVC(kernel="linear").fit(A, labels)) == 51


def test_sparse_support_vectors_are_counted():
    machine = mt.MCMClassifier(gamma=1.0).fit(sp.csr_array(X), y)
    assert model_numbers(machine) == machine.n_support_ * 3 + 1


def test_a_kernel_machine_has_no_plane_to_fold():
    for machine in (mt.MCMClassifier(), mt.MCMClassifier().fit(X[:60], y[:60])):
        with pytest.raises(InvalidInputError, match="This MCMClassifier has no plane"):
            folded_plane(machine)


@pytest.mark.parametrize(
    ("machine", "share"),
    [
        (mt.MCMClassifier(gamma=1.0), 0.2),
        (mt.MCMClassifier("linear"), 0.8),  # support_, which tells the samples on the margin, stays
        (mt.ConformalMCMClassifier(gamma=1.0), 0.2),
        (mt.LargeScaleMCMClassifier(gamma=1.0, n_components=100, max_iter=5), 0.2),
        (ConformalLargeScaleMCMClassifier(gamma=1.0, n_components=100, n_cores=20, max_iter=5), 0.2),
    ],
)
def test_compact_drops_what_is_not_needed_to_predict(machine, share):
    machine.fit(X, y)
    before, numbers, size = machine.decision_function(X), model_numbers(machine), len(pickle.dumps(machine))
    assert machine.compact() is machine
    stored = pickle.dumps(machine)
    assert len(stored) < share * size
    np.testing.assert_allclose(pickle.loads(stored).decision_function(X), before, rtol=1e-9, atol=1e-9)
    assert model_numbers(machine) == numbers
    assert machine.compact() is machine  # again: nothing left to drop
    np.testing.assert_allclose(machine.fit(X, y).decision_function(X), before)  # a new fit is whole


def test_compact_keeps_what_a_certificate_says_and_drops_its_proof():
    machine = mt.MCMClassifier(gamma=1.0).fit(X, y)
    gap = machine.certificate_.gap
    certificate = machine.compact().certificate_
    assert certificate.proves_optimal() and certificate.gap == gap and not len(certificate.z)


def test_a_compact_machine_does_not_learn_on():
    machine = mt.LargeScaleMCMClassifier(n_components=20, max_iter=2).fit(X, y).compact()
    with pytest.raises(InvalidInputError, match="compact"):
        machine.partial_fit(X, y)


def test_compact_asks_for_a_fit():
    with pytest.raises(ValueError, match="not fitted"):
        mt.MCMClassifier().compact()
