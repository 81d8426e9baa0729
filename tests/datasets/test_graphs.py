"""The bundled graph against networkx."""

import networkx as nx
import numpy as np

from mcmteach.datasets import karate_club


def test_the_karate_club_is_zacharys():
    A, y = karate_club()
    club = nx.karate_club_graph()
    np.testing.assert_array_equal(A, nx.to_numpy_array(club, weight=None))
    assert [club.nodes[i]["club"] == "Officer" for i in range(34)] == (y > 0).tolist()
    friends = np.flatnonzero(A[8])
    assert len(friends) == 5 and (y[friends] > 0).sum() == 3 and y[8] < 0, "what the lesson says of member 9"
