"""Made-up samples that the tests of this room share."""

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import minimize

from mcmteach.datasets.worlds import noisy_points
from mcmteach.svm import soft_margin_objective

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([1, 1, -1, -1])
INF = float("inf")
any_sample = st.builds(
    noisy_points, M=st.integers(2, 30), noise=st.floats(0, 1.5), gap=st.floats(0, 1), seed=st.integers(0, 10**6)
)
any_price = st.floats(-3, 2).map(lambda e: 10.0**e)


def separable(seed, M=40, n=2, margin=0.2):
    rng = np.random.default_rng(seed)
    u = rng.normal(size=n)
    u /= np.linalg.norm(u)
    X = rng.normal(size=(M, n))
    y = np.where(np.arange(M) % 2, 1, -1)
    return X + np.outer(y * (margin + rng.exponential(0.5, M)) - X @ u, u) + rng.normal(size=n), y


def overlapping(seed, M=60, n=2):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(M) % 3, 1, -1)  # twice as many of one class
    return rng.normal(size=(M, n)) + 0.7 * y[:, None], y


def lbfgs(objective, size):
    options = {"maxiter": 20_000, "maxfun": 10**6, "ftol": 1e-15, "gtol": 1e-9}
    return minimize(objective, np.zeros(size), jac=True, method="L-BFGS-B", options=options).fun


def cost(X, y, plane, C=1.0):
    return soft_margin_objective(X, y, plane.w, plane.b, C)
