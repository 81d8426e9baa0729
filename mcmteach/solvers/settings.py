"""The numbers that steer the fast solver, in one place. Only speed and memory depend on them: every answer is certified."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Tolerances on t = y f are absolute (a margin is 1), all others are relative gaps or fractions.

    In brackets: the time with half the value and with twice the value, as a multiple (for a number near 1: with twice and half
    its distance from 1), the geometric mean over seven cases of the tuning half, by ``python -m tools.bench.settings``.
    One run on a busy machine: a setting that none of these cases uses gave [1.00, 0.99] there, single cases 1.2. What has no
    brackets is a limit, a matter of memory, or not measured yet.
    """

    # which columns and samples are looked at
    #: entries of K evaluated at once (8 MB); a kernel matrix of one block is kept
    block: int = 1 << 20
    #: entries of rows of K that are kept for the next K'z (200 MB, as LIBSVM's cache)
    kept: int = 25_000_000
    #: a sparse K with a larger share of entries is worked on as a dense one (0.5 % of 5000 x 10 000: half the time)
    filled: float = 0.1
    #: a column with |K_j'z| above this fraction of the price enters while the gap is large, before it objects
    near: float = 0.9
    #: K'z is asked for in each step where the square of the working columns is above so many times the columns of K
    watched: int = 16
    #: columns in the first working set, of those that are not too similar [1.11, 1.14]
    first: int = 50
    #: columns that may enter together, at least, … [1.19, 1.24]
    least: int = 20
    #: … or this fraction of those that are there [1.00, 1.07]
    growth: float = 0.5
    #: a start is computed from a part of the samples only if that part has so many [0.95, 1.03]
    smallest: int = 200
    #: each part has a quarter of the samples of the next larger one [0.96, 1.19]
    shrink: int = 4
    #: columns with a larger cosine do not enter together: they would do the same work twice [1.00, 1.17]
    similar: float = 0.99
    #: a column with |K_j'z| below this fraction of the price leaves the working set, … [1.03, 0.90]
    unneeded: float = 0.8
    #: … if at least this fraction of the columns does: the others move to new places [1.41, 0.96]
    leaving: float = 0.2
    #: an interior d_i below this fraction of C is left out of K'z: each would cost a row of K [1.05, 1.01]
    negligible: float = 1e-10

    # the simplex method
    #: tolerance on t for the answer [1.03, 0.96]
    exact: float = 1e-9
    #: tolerance on t for a start [1.02, 0.98]
    rough: float = 1e-3
    #: with up to so many columns used simplex is the faster one; with twice as many it gives up [1.26, 1.02]
    sparse: int = 40
    #: regression: simplex steps of one run at most, per sample. Where every vertex is degenerate a dense machine may need
    #: thousands; linprog, which perturbs and presolves, then takes over
    pivots: int = 10

    # the interior point method
    #: gap at which one sees which columns are missing [1.15, 1.03]
    opening: float = 0.1
    #: gap of a start, with all columns: one sees which columns a larger problem may need [0.91, 1.29]
    outline: float = 0.05
    #: gap at which one sees which samples and columns matter: where simplex takes over [1.00, 0.98]
    start: float = 3e-3
    #: above this gap a point is far enough inside to start from it again; below, a vertex is tried [0.93, 1.01]
    central: float = 0.01
    #: below this gap no column leaves (it might never end), and Newton's equations are refined [1.02, 0.98]
    late: float = 1e-4
    #: gap that is aimed at where there is no vertex to be seen [0.95, 1.01]
    target: float = 1e-8
    #: gap, on the working columns, below which a vertex counts as the optimum [1.10, 0.92]
    proof: float = 1e-10
    #: a column enters if |K_j'z| is above the price by this fraction of the gap, … [1.04, 1.10]
    objection: float = 0.2
    #: … and by no less than this [1.06, 1.01]
    noise: float = 2e-7
    #: pivots below this fraction of the largest: the equations of a vertex are dependent [0.96, 1.03]
    rank: float = 1e-11
    #: Newton steps at most, per call
    steps: int = 80
    #: of the way to the nearest bound
    stay_inside: float = 0.99
    #: d is so much shorter than it could be when columns enter while the gap is 1; it shrinks by less as the gap closes
    step_back: float = 1.02
    #: column exchanges at most, so that nothing can go on for ever
    rounds: int = 1000


DEFAULT = Settings()
