"""Balanced dual vectors, and warnings that name the line of the caller."""

import numpy as np
import pytest

from mcmteach.errors import ConvergenceWarning
from mcmteach.svm.duality_gap import Step, balanced, minimise


def test_balanced():
    np.testing.assert_allclose(balanced(np.array([1.0, 3.0, 2.0]), np.array([1, 1, -1])), [0.5, 1.5, 2.0])
    np.testing.assert_array_equal(balanced(np.array([1.0, 0.0]), np.array([1, -1])), [0, 0])


def test_minimise_stops_at_the_gap_or_at_the_limit():
    """Steps 4, 3, 2, … and the lower bound 1: at tol = 1/2 the second proof suffices."""
    steps = [Step(np.zeros(1), 0.0, np.zeros(1), E, np.full(1, E)) for E in (4.0, 3.0, 2.0, 1.5, 1.0)]
    found = minimise(steps, lambda alpha: (1.0, alpha), 0.5, 10, lambda step: None)
    assert found.best.objective == 2.0 and found.gap == 0.5 and found.n_iter == 2
    seen = []
    with pytest.warns(ConvergenceWarning, match=r"After 1 iterations the objective is 3") as caught:
        found = minimise(steps, lambda alpha: (1.0, alpha), 0.5, 1, seen.append)
    assert found.gap == pytest.approx(2 / 3) and len(seen) == 2 and caught[0].filename == __file__
