"""Samples that tests of several rooms share."""

import numpy as np

import mcmteach as mt

FOUR, LABELS = np.array([[1.0], [2.0], [-1.0], [-4.0]]), np.array([1.0, 1.0, -1.0, -1.0])


def hard(X, y):
    """The MCM without slack and without a price."""
    return mt.solve_mcm(X, y, C=np.inf, sparsity=0)
