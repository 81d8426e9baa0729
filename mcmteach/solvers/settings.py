"""The numbers that steer the fast solver, in one place. Only speed and memory depend on them: every answer is certified."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """Tolerances on t = y f are absolute (a margin is 1), all others are relative gaps or fractions.

    ``python -m tools.bench.settings`` prints what halving and doubling each of them does to the time.
    """

    # which columns and samples are looked at
    block: int = 1 << 20  # entries of K evaluated at once (8 MB); a kernel matrix of one block is kept
    kept: int = 25_000_000  # entries of rows of K that are kept for the next K'z (200 MB, as LIBSVM's cache)
    first: int = 50  # columns in the first working set, of those that are not too similar
    few: int = 120  # up to so many columns all are taken at once
    least: int = 20  # columns that may enter together, at least, …
    growth: float = 0.5  # … or this fraction of those that are there
    smallest: int = 200  # a start is computed from a part of the samples only if that part has so many
    shrink: int = 4  # each part has a quarter of the samples of the next larger one
    similar: float = 0.99  # columns with a larger cosine do not enter together: they would do the same work twice
    unneeded: float = 0.8  # a column with |K_j'z| below this fraction of the price leaves the working set, …
    leaving: float = 0.2  # … if at least this fraction of the columns does: the others move to new places
    negligible: float = 1e-10  # an interior d_i below this fraction of C is left out of K'z: each would cost a row of K

    # the simplex method
    exact: float = 1e-9  # tolerance on t for the answer
    rough: float = 1e-3  # tolerance on t for a start
    sparse: int = 40  # with up to so many columns used simplex is the faster one; with twice as many it gives up
    pivots: int = 400  # a step along a path that takes more pivots: the next one starts from a point inside

    # the interior point method
    opening: float = 0.1  # gap at which one sees which columns are missing
    outline: float = 0.05  # gap of a start, with all columns: one sees which columns a larger problem may need
    start: float = 3e-3  # gap at which one sees which samples and columns matter: where simplex takes over
    central: float = (
        0.01  # above this gap a point is far enough inside to start from it again; below, a vertex is tried
    )
    late: float = 1e-4  # below this gap no column leaves (it might never end), and Newton's equations are refined
    target: float = 1e-8  # gap that is aimed at where there is no vertex to be seen
    proof: float = 1e-10  # gap, on the working columns, below which a vertex counts as the optimum
    objection: float = 0.2  # a column enters if |K_j'z| is above the price by this fraction of the gap, …
    noise: float = 2e-7  # … and by no less than this
    rank: float = 1e-11  # pivots below this fraction of the largest: the equations of a vertex are dependent
    steps: int = 80  # Newton steps at most, per call
    stay_inside: float = 0.99  # of the way to the nearest bound
    step_back: float = 1.02  # d is so much shorter than it could be when columns enter
    rounds: int = 1000  # column exchanges at most, so that nothing can go on for ever


DEFAULT = Settings()
