"""A thousand hard linear programmes through every way of solving them: no surprise, no delay, and no false certificate."""

import time
import warnings
from collections import Counter

import numpy as np
import pytest

import mcmteach as mt
from mcmteach.errors import CertificateWarning, InfeasibleError, SolverError
from tests.solvers.exact import refuted
from tests.solvers.lps import case

TIME_LIMIT = 2.0


def by_linprog(c):
    return [(c.C, mt.solve_mcm(c.K, c.y, c.C, c.sparsity, "linprog", TIME_LIMIT), True)]


def by_fast_solver(c):
    return [(c.C, mt.solve_mcm(c.K, c.y, c.C, c.sparsity, "highs", TIME_LIMIT), True)]


def along_a_path(c):
    Cs = [c.C / 3, c.C]
    path = mt.mcm_path(c.K, c.y, Cs, c.sparsity, solver="highs", time_limit=TIME_LIMIT / 2)
    return [(C, s, True) for C, s in zip(Cs, path.solutions, strict=True)]


def with_weights_and_without_a_cap(c):
    weights = np.random.default_rng(len(c.y)).integers(1, 4, len(c.y)) / 2.0
    s = mt.solve_mcm(c.K, c.y, c.C, c.sparsity, "auto", TIME_LIMIT, weights, cap=False)
    return [(c.C * weights, s, False)]


WAYS = [by_linprog, by_fast_solver, along_a_path, with_weights_and_without_a_cap]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seeds", [range(100), pytest.param(range(1000), marks=pytest.mark.soak)], ids=len)
def test_every_programme_ends_in_time_with_an_answer_that_exact_arithmetic_confirms(way, seeds, capsys):
    counts, late, false = Counter(), [], []
    for seed in seeds:
        c = case(seed)
        start, began = time.process_time(), time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # a RuntimeWarning of numpy's is a surprise too
                warnings.simplefilter("ignore", CertificateWarning)
                solutions = way(c)
        except (InfeasibleError, SolverError) as problem:  # anything else is a surprise
            # the limit goes by the clock: on a busy machine it may be over before the solver had a turn
            starved = time.perf_counter() - began > TIME_LIMIT / 2 > 2 * (time.process_time() - start)
            counts["starved" if starved else type(problem).__name__] += 1
            solutions = []
        if time.process_time() - start > 1.5 * TIME_LIMIT + 1:
            late.append(c.name)
        for C, s, cap in solutions:
            counts["proved" if s.certificate.proves_optimal() else "with a gap"] += 1
            false += [f"{c.name}: {objection}" for objection in refuted(c.K, c.y, C, c.sparsity, s, cap)]
    with capsys.disabled():
        print(f"\n{way.__name__}, {len(seeds)} programmes: {dict(counts)}, {len(late)} late, {len(false)} refuted")
    assert not late and not false
    assert counts["proved"] + counts["starved"] > 0.8 * len(seeds) and counts["SolverError"] < 0.03 * len(seeds)
