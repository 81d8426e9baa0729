"""Slips as students write them, each told apart by its own words."""

import numpy as np
import pytest

import mcmteach as mt
from tests.checks.catalogue import ALL
from tests.checks.exercises import solutions

SLIPS = [
    ("why_learning_works.2", "return 4 * (h * np.log(2 * M / h + 1) - np.log(eta)) / M", "1 inside the logarithm"),
    (
        "radius_over_margin.5",
        """least = np.inf
    for degree in range(360):
        u = np.array([np.cos(degree), np.sin(degree)])
        v = middle_of_gap(X, y, u)
        if (y * (X @ u + v) > 0).all():
            least = min(least, h_mcm(X, u, v))
    return least""",
        "degrees for radians",
    ),
    (
        "kernel_mcm.1",
        """t = y * (K @ (lam * y) + b)
    return max(1, t.max()) + C * np.maximum(0, 1 - t).sum() + s * np.abs(lam).sum()""",
        "labels in the coefficients",
    ),
    (
        "bending_space.1",
        """k = np.diag(K)
    return np.sqrt(k[:, None] + k[None, :] - 2 * K)""",
        "not cut off at 0",
    ),
    ("bending_space.3", "return c * K0 * c", "squared on the columns"),
    ("bending_space.4", "return slope @ slope + 2 * gamma * c**2 * np.eye(len(slope))", "one number for outer"),
    (
        "bending_space.5",
        """tau = np.sqrt(1 / (2 * gamma) / X.shape[1])
    d2 = ((X[:, None, :] - support[None, :, :]) ** 2).sum(axis=2)
    return np.exp(-d2 / 2 * tau**2) @ np.abs(coef)""",
        "multiplied by tau squared",
    ),
]


def written(key, body):
    task = ALL[key]
    names = dict(solutions()[key].__globals__)
    exec(f"def {task.function}({', '.join(task.arguments)}):\n    {body}", names)
    return names[task.function]


@pytest.mark.parametrize(("key", "body", "name"), SLIPS, ids=[f"{key} {name}" for key, _, name in SLIPS])
def test_a_slip_is_known_by_its_name(key, body, name):
    verdict = mt.check(key, written(key, body))
    assert (verdict.kind, verdict.mistake) == ("mistake", name), verdict


def test_a_cap_that_forgets_its_label_is_wrong():
    body = """t = y * (Z @ w + b)
    pull = C * y * (t < 1) / len(y)
    if t.max() > 1:
        pull[t.argmax()] -= 1
    return w + rho * pull @ Z, b + rho * pull.sum()"""
    verdict = mt.check("large_scale.3", written("large_scale.3", body))
    assert verdict.kind == "wrong" and "batch_step(Z=[[-2]], y=[-1], w=[1], b=0.5, C=3, rho=0.5)" in verdict.text, (
        verdict
    )


def test_the_counterexample_of_a_wrong_scatter_is_two_by_two():
    verdict = mt.check("measuring_separability.2", lambda K, y: (np.zeros_like(K), K + 1))
    assert "scatter_matrices(K=[[2, 1], [1, 3]], y=[-1, 1])" in verdict.text
