"""The figures of mcmteach.plots.network by what is in them: artists, levels, labels."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

from mcmteach import plots
from mcmteach.datasets import karate_club
from mcmteach.errors import InvalidInputError
from mcmteach.plots.network import layout


def test_layout_keeps_steps_as_distances():
    A = np.zeros((5, 5))
    for i in range(4):
        A[i, i + 1] = A[i + 1, i] = 1.0
    X = layout(A)  # a path fits exactly, on a line
    apart = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.testing.assert_allclose(apart, np.abs(np.subtract.outer(np.arange(5), np.arange(5))), atol=0.02)


def test_layout_of_the_club_parts_twins_and_has_little_stress():
    A, _ = karate_club()
    X, d = layout(A), shortest_path(A, unweighted=True)
    apart = np.linalg.norm(X[:, None] - X[None], axis=2)
    i, j = np.triu_indices(34, 1)

    def stress(places):
        gaps = np.linalg.norm(places[:, None] - places[None], axis=2)
        return np.sum(((gaps - d)[i, j] / d[i, j]) ** 2)

    assert apart[i, j].min() > 0.1, "members with the same friends do not lie on top of each other"
    other = np.array(list(nx.kamada_kawai_layout(nx.from_numpy_array(A), scale=2.5).values()))
    assert stress(X) < 1.1 * stress(other)
    with pytest.raises(InvalidInputError, match="not connected"):
        layout(np.zeros((3, 3)))


def test_network_shows_every_edge_once_and_crosses_the_wrong():
    A, y = karate_club()
    ax = plots.plot_network(A, y, names=["Hi", "officer"], wrong=[8], labels={8: "9"})
    assert len(ax.lines) == 78
    (crosses,) = [c for c in ax.collections if list(c.get_sizes()) == [170]]
    X = layout(A)
    np.testing.assert_allclose(crosses.get_offsets(), X[[8]])
    assert [text.get_text() for text in ax.texts] == ["9"]
    np.testing.assert_allclose(next(c for c in ax.collections if c.get_label() == "Hi").get_offsets(), X[y < 0])
