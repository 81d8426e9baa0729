r"""The puzzle of P's Table 3: what are the SVM's "numbers of support vectors"?

An SVM has a whole number of support vectors in each fold, so a mean over five folds ends in .0, .2, .4, .6 or .8. The
MCM's column does; the SVM's (89.62, 79.89, …) does not, and it looks much like the SVM's accuracies. The explanation
tested here: six numbers were averaged, the accuracies of the five folds (Table 2) and one count of support vectors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.stats

from mcmteach.paper.printed import ROUNDING, SLIVER, TABLE2, TABLE3, AccuracyRow, SupportRow

CHANCE = 0.11  # a random multiple of 0.01 is within 11 ROUNDING of a whole number: -0.05, …, +0.05 of 100 values


class Recovered(NamedTuple):
    """One row of Table 3, explained."""

    row: int
    name: str
    value: float  #: 6 * printed - 5 * accuracy, from the printed numbers
    n_sv: int  #: the nearest whole number: the SVM's support vectors
    is_count: bool  #: whether rounding can account for the distance between the two
    sd: float  #: the standard deviation that the five accuracies and n_sv have together
    printed_sd: float
    sd_follows: bool  #: whether rounding can account for the difference between the two
    ratio: float  #: n_sv / support vectors of the conformal MCM


class Table3Evidence(NamedTuple):
    """What :func:`explain_table3` found."""

    rows: int
    whole: int  #: rows in which n_sv comes out whole
    sd_follow: int  #: rows in which the printed standard deviation follows
    chance_whole: float  #: the probability of that many whole numbers if the printed digits were random
    wrong_pairs: float  #: the share of pairs of unlike rows, one from each table, that pass both tests
    largest_sd_error: float  #: over all rows, in units of the last printed digit
    median_ratio: float  #: of SVM to conformal MCM support vectors
    at_least_3: int  #: rows in which that ratio is 3 or more


def recover_svm_counts(
    table2: Sequence[AccuracyRow] = TABLE2, table3: Sequence[SupportRow] = TABLE3
) -> list[Recovered]:
    r"""The SVM's support vectors in each row, from Tables 2 and 3 (as printed, unless others are given).

    If six numbers were averaged, five accuracies with mean a and one count n, the printed mean m and standard deviation s
    (with s_a that of the accuracies, all of them with the divisor "number minus one") are

    \[m = \frac{5a + n}{6} \;\Rightarrow\; n = 6m - 5a, \qquad
      s^2 = \frac15\Big(4 s_a^2 + \frac56 (n - a)^2\Big).\]

    The first gives n; the second is then a prediction without anything left to choose.

    Examples
    --------
    >>> row = recover_svm_counts()[10]
    >>> row.name, round(row.value, 2), row.n_sv, round(row.sd, 2), row.printed_sd
    ('Tic Tac Toe', 539.04, 539, 193.37, 193.37)

    Source: P Tables 2 and 3.
    """
    return [_recover(accuracy, support) for accuracy, support in zip(table2, table3, strict=True)]


def _recover(accuracy: AccuracyRow, support: SupportRow) -> Recovered:
    a, m = accuracy.svm.mean, support.svm.mean
    value = 6 * m - 5 * a
    n = round(value)
    sds = [
        joint_sd(n, a + da, accuracy.svm.sd + ds)
        for da in (-ROUNDING, 0.0, ROUNDING)
        for ds in (-min(ROUNDING, accuracy.svm.sd), 0.0, ROUNDING)
    ]
    s = support.svm.sd
    return Recovered(
        accuracy.row, accuracy.name, value, n,
        is_count=abs(value - n) <= 11 * ROUNDING + SLIVER,
        sd=joint_sd(n, a, accuracy.svm.sd),
        printed_sd=s,
        sd_follows=min(sds) - ROUNDING - SLIVER <= s <= max(sds) + ROUNDING + SLIVER,
        ratio=n / support.conformal.mean,
    )  # fmt: skip


def joint_sd(n: float, a: float, s_a: float) -> float:
    """The standard deviation of five numbers with mean a and standard deviation s_a, and a sixth number n.

    Examples
    --------
    >>> round(joint_sd(539, 65.34, 0.23), 2)
    193.37
    """
    return math.sqrt((4 * s_a**2 + 5 / 6 * (n - a) ** 2) / 5)


def explain_table3(table2: Sequence[AccuracyRow] = TABLE2, table3: Sequence[SupportRow] = TABLE3) -> Table3Evidence:
    """Test the explanation on all 27 rows.

    A value 6m - 5a is a multiple of 0.01 and, by rounding, up to 0.055 off. Were the digits random, 11 of 100 values would
    lie that close to a whole number; ``chance_whole`` is the probability that so many of 27 do. The standard deviations
    are a second test: they are predicted to the last printed digit. ``wrong_pairs`` says how easy the two tests are to
    pass, by comparing each row of Table 3 with the wrong rows of Table 2.

    Examples
    --------
    >>> found = explain_table3()
    >>> found.whole, found.sd_follow, found.chance_whole < 1e-25
    (27, 27, True)
    >>> round(found.median_ratio, 1), found.at_least_3
    (2.1, 10)

    Source: P Tables 2 and 3.
    """
    rows = recover_svm_counts(table2, table3)
    wrong = [_recover(a, s) for a in table2 for s in table3 if a.row != s.row]
    ratios = np.array([r.ratio for r in rows])
    whole = sum(r.is_count for r in rows)
    return Table3Evidence(
        rows=len(rows),
        whole=whole,
        sd_follow=sum(r.sd_follows for r in rows),
        chance_whole=float(scipy.stats.binom.sf(whole - 1, len(rows), CHANCE)),
        wrong_pairs=float(np.mean([r.is_count and r.sd_follows for r in wrong])),
        largest_sd_error=max(abs(r.sd - r.printed_sd) for r in rows) / 0.01,
        median_ratio=float(np.median(ratios)),
        at_least_3=int(np.sum(ratios >= 3)),
    )
