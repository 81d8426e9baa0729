"""The stochastic descent, step by step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcmteach.large_scale.descent import HIGHEST, Objective, StochasticDescent


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(["max", "mean"]))
def test_a_step_goes_along_the_subgradient_of_the_batch(seed, cap):
    rng = np.random.default_rng(seed)
    C, rho = float(rng.uniform(0.5, 20)), float(rng.uniform(0, 1))
    Z, y = rng.normal(size=(12, 3)), rng.choice([-1.0, 1.0], 12)
    d = StochasticDescent(Objective(C, cap, 0.0, rho), Z, eta0=1e-6, average=False)
    d.w, d.b = rng.normal(size=3) * 2, float(rng.normal())

    def E(w, b):
        t = y * (Z @ w + b)
        h = max(1.0, t.max()) if cap == "max" else np.abs(t).mean()
        return (h + C * np.maximum(0, 1 - t).mean() + rho / 2 * (w @ w)) / C

    before = np.r_[d.w, d.b]
    slope = [(E(*np.split(before + e, [3])) - E(*np.split(before - e, [3]))).item() / 2e-7 for e in 1e-7 * np.eye(4)]
    d.step(Z, y)
    np.testing.assert_allclose((before - np.r_[d.w, d.b]) / d.longest, slope, atol=1e-4)


def test_the_highest_samples_are_remembered_beyond_their_batch():
    d = StochasticDescent(Objective(10.0), np.ones((4, 1)), eta0=1e-9, average=False)
    d.w[:] = 1.0
    heights = np.arange(1.5, 1.5 + 3 * HIGHEST)
    for z in heights:
        d.step(np.array([[z], [0.1]]), np.array([1.0, 1.0]))
    assert sorted(d.high_Z.ravel()) == pytest.approx(heights[-HIGHEST:])
    before = d.high_Z.copy()
    d.step(np.array([[heights[-1]]]), np.array([1.0]))  # met again, and not stored twice
    assert np.array_equal(d.high_Z, before)
    w, b = d.w[0], d.b
    d.longest = 1e-3
    d.step(np.array([[2.0]]), np.array([1.0]))  # this batch is far below the highest, which alone pulls
    eta = d.longest / np.sqrt(1 + (d.t - 1) / 500)
    assert (w - d.w[0], b - d.b) == (pytest.approx(eta / 10 * heights[-1]), pytest.approx(eta / 10))
