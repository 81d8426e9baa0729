"""Samples, kernels that count what they are asked for, and small programmes, for the tests of the solvers."""

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_moons
from sklearn.preprocessing import StandardScaler

import mcmteach as mt


def moons(M, noise=0.3):
    X, y = make_moons(M, noise=noise, random_state=0)
    return X, 2.0 * y - 1


def many(M):
    X, y = make_classification(M, n_features=20, n_informative=5, random_state=0)
    return StandardScaler().fit_transform(X), 2.0 * y - 1


def prepared(name):
    d = mt.load_dataset(name)
    X = np.where(np.isnan(d.data), np.nanmedian(d.data, axis=0), d.data)
    return StandardScaler().fit_transform(X), 2.0 * d.target - 1


def agree(K, y, C, sparsity):
    """Both solvers, their certificates, and the same optimum. Returns the fast solution."""
    fast, slow = mt.solve_mcm(K, y, C, sparsity, "highs"), mt.solve_mcm(K, y, C, sparsity, "linprog")
    assert slow.certificate.proves_optimal() and fast.certificate.proves_optimal()
    assert fast.objective == pytest.approx(slow.objective, rel=1e-6)
    return fast


class CountingKernel:
    """An RBF kernel that remembers how many entries it was asked for, and the largest block of them."""

    def __init__(self, gamma):
        self.gamma, self.entries, self.largest = gamma, 0, 0

    def __call__(self, X, Z):
        self.entries += len(X) * len(Z)
        self.largest = max(self.largest, len(X) * len(Z))
        return mt.rbf_kernel(X, Z, self.gamma)


def small_problem(M=120, n=40):
    X, y = moons(M)
    A = np.asfortranarray(y[:, None] * mt.rbf_kernel(X, X[:n], gamma=1.0))
    return A, y, np.ones(M), np.full(n, 0.1)
