"""The planes that a descent passes, with their margins computed by hand."""

import numpy as np
import pytest

from mcmteach.errors import InvalidInputError
from mcmteach.svm.plane import History, labelled_plane


def test_the_margin_of_each_plane_is_a_distance_and_none_without_a_direction():
    X, y = np.array([[3.0, 4.0], [-3.0, -4.0]]), np.array([1.0, -1.0])
    planes = [(np.zeros(2), 1.0), (np.array([0.6, 0.8]), 0.0), (np.array([6.0, 8.0]), 10.0)]
    history = History.of(X, y, planes, [3.0, 2.0, 1.0])
    np.testing.assert_allclose(history.margin, [np.nan, 5.0, 4.0])  # the last: (50 - 10) / 10, of the second sample
    assert history.w.shape == (3, 2) and history.b.tolist() == [1, 0, 10] and history.objective.tolist() == [3, 2, 1]


def test_a_plane_of_another_dimension_and_labels_other_than_plus_and_minus_one_are_refused():
    X, y, w, b = labelled_plane([[1, 2]], [1], [3, 4], 5)
    assert (X.tolist(), y.tolist(), w.tolist(), b) == ([[1.0, 2.0]], [1.0], [3.0, 4.0], 5.0)
    for y, w in (([1], [3, 4, 5]), ([2], [3, 4])):
        with pytest.raises(InvalidInputError):
            labelled_plane([[1, 2]], y, w, 5)
