"""Linear programmes that are hard on a solver: ties, duplicates, contradictions, bad scales, extreme prices."""

from typing import NamedTuple

import numpy as np

import mcmteach as mt


class Case(NamedTuple):
    K: np.ndarray
    y: np.ndarray
    C: float
    sparsity: float
    name: str


def case(seed):
    """The case of a seed. M up to 220; every tenth has a hard margin, every sixth no price."""
    rng = np.random.default_rng(seed)
    M, n = int(np.exp(rng.uniform(np.log(4), np.log(220)))), int(rng.integers(1, 6))
    X = rng.normal(size=(M, n))
    y = np.where(rng.random(M) < rng.choice([0.5, 0.3, 0.05]), 1.0, -1.0)
    y[:2] = 1.0, -1.0
    if rng.random() < 0.5:
        X[:, 0] += rng.choice([0.5, 2.0, 4.0]) * y
    kinds = {
        "plain": lambda X: X,
        "ties": lambda X: np.round(X),
        "duplicates": lambda X: X[rng.integers(0, max(2, M // 3), M)],
        "collinear": lambda X: np.outer(X[:, 0], np.arange(1.0, n + 2)) + 1,
        "constant columns": lambda X: np.column_stack([X, np.full(M, 3.0)]),
        "scales": lambda X: X * 10.0 ** rng.integers(-8, 9, n),
        "offset": lambda X: X + 10.0 ** rng.integers(2, 8),
        "near twins": lambda X: np.vstack([X[: M - M // 4], X[: M // 4] + 10.0 ** -rng.integers(3, 10)]),
    }
    kind = list(kinds)[seed % len(kinds)]
    X = kinds[kind](X)
    kernel = rng.choice(["linear", "rbf", "rbf", "poly"])
    if kernel == "rbf":
        K = mt.rbf_kernel(X, gamma=float(10.0 ** rng.uniform(-3, 2)))
    else:
        K = X if kernel == "linear" else mt.polynomial_kernel(X / max(1.0, np.abs(X).max()), degree=3, coef0=1.0)
    C = (
        np.inf
        if rng.random() < 0.1
        else float(10.0 ** rng.uniform(-9, 9) if rng.random() < 0.5 else 10.0 ** rng.uniform(-2, 2))
    )
    sparsity = 0.0 if rng.random() < 1 / 6 else float(10.0 ** rng.uniform(-6, 1))
    return Case(
        K, y, C, sparsity, f"{seed}: {kind}, {kernel}, {K.shape[0]} x {K.shape[1]}, C {C:.2g}, price {sparsity:.2g}"
    )
