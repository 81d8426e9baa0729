"""What all machines share: parameters, the kernel that is kept, and new data that must be like the old."""

import pickle

import numpy as np
import pytest

import mcmteach as mt
from mcmteach.errors import ConstantClassifierWarning, InvalidInputError

X = np.random.default_rng(0).normal(size=(40, 3))
y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)


@pytest.mark.parametrize("machine", [mt.MCMClassifier(), mt.KernelSVM(), mt.KernelPerceptron()])
def test_a_machine_keeps_the_kernel_of_its_fit(machine):
    before = machine.fit(X, y).decision_function(X)
    assert machine.kernel_ == mt.RBF(machine.gamma_) and machine.gamma_ == pytest.approx(1 / (3 * X.var()))
    machine.set_params(kernel="linear", gamma=7.0)  # takes effect at the next fit
    assert np.array_equal(machine.decision_function(X), before)
    assert np.array_equal(pickle.loads(pickle.dumps(machine)).decision_function(X), before)
    assert machine.fit(X, y).kernel_ == mt.Linear() and not hasattr(machine, "gamma_")


def test_precomputed_values_are_looked_up_by_the_support_vectors_columns():
    K = mt.rbf_kernel(X, gamma=0.5)
    given, own = mt.MCMClassifier("precomputed").fit(K, y), mt.MCMClassifier(gamma=0.5).fit(X, y)
    np.testing.assert_allclose(given.decision_function(K[:7]), own.decision_function(X[:7]))
    assert not hasattr(given, "support_vectors_")
    with pytest.raises(InvalidInputError, match=r"must be square for fit, and this has shape \(40, 3\)"):
        mt.MCMClassifier("precomputed").fit(X, y)


def test_a_warning_points_at_the_line_that_called_fit():
    with pytest.warns(ConstantClassifierWarning) as caught:
        mt.MCMClassifier(sparsity=1e6).fit(X, y)
    assert caught[0].filename == __file__


def test_a_kernel_function_must_give_a_matrix_of_the_right_shape():
    with pytest.raises(InvalidInputError, match=r"gave a matrix of shape \(40,\), and \(40, 40\) is needed"):
        mt.MCMClassifier(lambda A, B: A[:, 0]).fit(X, y)
    with pytest.raises(InvalidInputError, match="the kernel's matrix is not made of numbers"):
        mt.MCMClassifier(lambda A, B: "none").fit(X, y)
