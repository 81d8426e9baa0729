"""Is one column of a table better than another, or was it luck? Wilcoxon's signed-rank test. P section 6.1."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy.stats
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.paper.printed import TABLE2
from mcmteach.validation import as_vector

#: The p-value that P section 6.1 prints, without saying for which two columns. Conformal against plain comes close
PRINTED_P = 3.6869e-5

# Accuracies are means of a few digits. Differences that are equal on paper must be equal here too: a tie is no accident
# of the twelfth decimal.
DECIMALS = 9


class SignedRank(NamedTuple):
    """What the test says about column a against column b."""

    a: str
    b: str
    wins: int  #: rows in which a is larger
    losses: int  #: rows in which b is larger
    ties: int  #: rows in which they are equal: the test leaves them out
    median: float  #: of the differences a - b, all rows
    W: float  #: the smaller of the two sums of ranks
    p: float  #: two-sided
    method: str  #: "exact", or "normal approximation" where equal differences share a rank


def signed_rank(a: ArrayLike, b: ArrayLike, names: tuple[str, str] = ("a", "b")) -> SignedRank:
    r"""Wilcoxon's test of "neither column is better", for two columns over the same rows.

    The differences \(d_i = a_i - b_i\) that are not 0 are ranked by size. If neither is better, each rank belongs to a
    win or to a loss with probability 1/2, so

    \[W = \min\Big(\sum_{d_i > 0} r_i,\; \sum_{d_i < 0} r_i\Big)\]

    is rarely small, and p says how rarely a W like this or smaller would come about.

    Parameters
    ----------
    a, b : arrays of shape (n_rows,), for instance the accuracies of two machines on n_rows data sets
    names : what to call them in the answer

    Examples
    --------
    >>> test = signed_rank([90.0, 80.0, 70.0, 60.0], [89.0, 78.0, 67.0, 60.0])
    >>> test.wins, test.losses, test.ties, test.W, test.p    # three wins in a row happen by chance once in four
    (3, 0, 1, 0.0, 0.25)

    Source: P section 6.1; the test itself is scipy's.
    """
    a = as_vector(a, names[0])
    d = np.round(a - as_vector(b, names[1], len(a)), DECIMALS)
    counts = int(np.sum(d > 0)), int(np.sum(d < 0)), int(np.sum(d == 0))
    some = d[d != 0]
    if not len(some):
        return SignedRank(*names, *counts, median=0.0, W=0.0, p=1.0, method="exact")
    exact = len(some) <= 50 and len(np.unique(np.abs(some))) == len(some)
    W, p = scipy.stats.wilcoxon(some, method="exact" if exact else "asymptotic")
    method = "exact" if exact else "normal approximation"
    return SignedRank(*names, *counts, median=float(np.median(d)), W=float(W), p=float(p), method=method)


def compare_columns(columns: Mapping[str, ArrayLike]) -> list[SignedRank]:
    """:func:`signed_rank` for every two columns, in the order in which they are given.

    Parameters
    ----------
    columns : for each name an array of shape (n_rows,), the rows in the same order in all of them

    Examples
    --------
    >>> [(t.a, t.b, t.wins) for t in compare_columns({"new": [2.0, 3.0], "old": [1.0, 4.0], "chance": [0.0, 0.0]})]
    [('new', 'old', 1), ('new', 'chance', 2), ('old', 'chance', 2)]
    """
    if len(columns) < 2:
        raise InvalidInputError(f"A comparison needs two columns, and there are {len(columns)}.")
    return [signed_rank(columns[a], columns[b], (a, b)) for a, b in combinations(columns, 2)]


def printed_tests() -> list[SignedRank]:
    """The test on P's printed Table 2: conformal MCM against MCM, conformal MCM against SVM, MCM against SVM.

    Examples
    --------
    >>> [f"{t.a} - {t.b}: p = {t.p:.2g}" for t in printed_tests()]
    ['conformal - mcm: p = 3.8e-05', 'conformal - svm: p = 0.73', 'mcm - svm: p = 0.0076']

    Source: P section 6.1, which prints one p-value, 3.6869e-5.
    """
    return compare_columns(printed_columns())


def printed_columns() -> dict[str, list[float]]:
    """The accuracies of P's Table 2, in per cent."""
    return {name: [getattr(row, name).mean for row in TABLE2] for name in ("conformal", "mcm", "svm")}
