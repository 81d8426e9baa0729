"""A bundled graph: the friendships in a karate club that later split."""

from __future__ import annotations

import numpy as np

from mcmteach.validation import FloatArray

# Member: the friends with a higher number. 1 is Mr. Hi, the instructor; 34 is the club's officer.
_FRIENDS = (
    "1: 2 3 4 5 6 7 8 9 11 12 13 14 18 20 22 32; 2: 3 4 8 14 18 20 22 31; 3: 4 8 9 10 14 28 29 33; 4: 8 13 14; "
    "5: 7 11; 6: 7 11 17; 7: 17; 9: 31 33 34; 10: 34; 14: 34; 15: 33 34; 16: 33 34; 19: 33 34; 20: 34; 21: 33 "
    "34; 23: 33 34; 24: 26 28 30 33 34; 25: 26 28 32; 26: 32; 27: 30 34; 28: 34; 29: 32 34; 30: 33 34; 31: 33 "
    "34; 32: 33 34; 33: 34"
)
_WITH_THE_OFFICER = (10, 15, 16, 19, 21, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34)


def karate_club() -> tuple[FloatArray, FloatArray]:
    """The 34 members of Zachary's karate club: who met whom outside the club, and whom each followed at the split.

    Returns
    -------
    A : adjacency matrix of shape (34, 34), 1 for the two of each of the 78 pairs of friends
    y : array of shape (34,), -1 for those who went with the instructor (member 1, row 0), +1 for those who stayed with
        the officer (member 34, row 33)

    Examples
    --------
    >>> A, y = karate_club()
    >>> int(A.sum()) // 2, int((y < 0).sum()), int((y > 0).sum())
    (78, 17, 17)

    Source: W. W. Zachary, An information flow model for conflict and fission in small groups, Journal of Anthropological
    Research 33, 1977. y is the club that each member joined, which for member 9 is not that of most friends.
    """
    A = np.zeros((34, 34))
    for member, friends in (row.split(": ") for row in _FRIENDS.split("; ")):
        A[int(member) - 1, np.array(friends.split(), int) - 1] = 1.0
    y = -np.ones(34)
    y[np.array(_WITH_THE_OFFICER) - 1] = 1.0
    return A + A.T, y
