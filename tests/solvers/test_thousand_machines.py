"""The thousand linear programmes of test_thousand.py, as machines: with weights, of many classes, of numbers, in few bits."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

import mcmteach as mt
from mcmteach.errors import InfeasibleError, MCMWarning, SolverError
from mcmteach.regression import solve_mcm_regression
from tests.solvers.exact import product, refuted, total
from tests.solvers.lps import case

SEEDS = [range(16), pytest.param(range(1000), marks=pytest.mark.soak)]
TIME_LIMIT = 2.0
ROUNDING = Fraction(1, 10**9)  # what a certificate of the regression machine may be off by, relative


def quietly(f, *arguments, **options):
    """The answer, or None where the solver says that it gives up. A warning that is not ours is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", MCMWarning)
        try:
            return f(*arguments, **options)
        except (InfeasibleError, SolverError):
            return None


@pytest.mark.parametrize("cap", [True, False])
@pytest.mark.parametrize("seeds", SEEDS, ids=len)
def test_many_classes_and_weights_have_a_certificate_each_that_exact_arithmetic_confirms(seeds, cap):
    false, proved, tried = [], 0, 0
    for seed in seeds:
        c = case(seed)
        if np.isinf(c.C):
            continue  # one class against the rest is rarely separable
        rng = np.random.default_rng(seed)
        y = np.where(rng.random(len(c.y)) < 0.3, 2.0, c.y)
        weights = rng.integers(0, 4, len(y)) / 2.0
        weights[[np.flatnonzero(y == label)[0] for label in np.unique(y)]] = 1.0
        # a machine on given columns: each feature is a kernel column, which kernel="linear" prices one by one
        machine = mt.MCMClassifier(kernel="linear", C=c.C, sparsity=c.sparsity, cap=cap, time_limit=TIME_LIMIT)
        fitted = quietly(machine.fit, c.K, y, sample_weight=weights)
        if fitted is None:
            continue
        several = len(fitted.classes_) > 2
        for label, one in zip(
            fitted.classes_[-1:] if not several else fitted.classes_,
            getattr(fitted, "estimators_", [fitted]),
            strict=True,
        ):
            here, sign = weights > 0, np.where(y == label, 1.0, -1.0)
            proof = one.certificate_
            solution = mt.MCMSolution(one.coef_[0], one.intercept_[0], one.h_, None, one.objective_, proof)
            proof = type(proof)(proof.primal, proof.dual, proof.gap, proof.violation, proof.z[here], proof.limit)
            costs = c.C * weights[here]
            false += [f"{c.name}, class {label}: {objection}" for objection in
                      refuted(c.K[here], sign[here], costs, c.sparsity, solution._replace(certificate=proof), cap)]  # fmt: skip
            proved, tried = proved + proof.proves_optimal(), tried + 1
    assert false == []
    assert proved > 0.8 * tried


@pytest.mark.parametrize("seeds", SEEDS, ids=len)
def test_the_regression_machines_certificate_holds_in_exact_arithmetic(seeds):
    false, proved, tried = [], 0, 0
    for seed in seeds:
        c = case(seed)
        rng = np.random.default_rng(seed)
        y = np.round(8 * rng.normal(size=len(c.y)) + 4 * c.y) / 8
        weights = rng.integers(1, 4, len(y)) / 2.0
        C = 1.0 if np.isinf(c.C) else c.C
        solution = quietly(solve_mcm_regression, c.K, y, C, 0.5, c.sparsity, "auto", TIME_LIMIT, weights)
        if solution is None:
            continue
        false += [f"{c.name}: {objection}" for objection in against(c.K, y, C * weights, 0.5, c.sparsity, solution)]
        proved, tried = proved + solution.certificate.proves_optimal(), tried + 1
    assert false == []
    assert tried > 0.9 * len(seeds) and proved > 0.7 * tried


def against(K, y, C, epsilon, sparsity, solution):
    """What exact arithmetic says against a certificate of the regression machine."""
    proof, p = solution.certificate, Fraction(solution.p)
    f = [value + Fraction(solution.b) for value in product(K, solution.coef)]
    up = [v + p * (Fraction(t) + Fraction(epsilon)) for v, t in zip(f, y.tolist(), strict=True)]
    down = [-v - p * (Fraction(t) - Fraction(epsilon)) for v, t in zip(f, y.tolist(), strict=True)]
    slack = sum(Fraction(c) * (max(0, 1 - a) + max(0, 1 - b)) for c, a, b in zip(C.tolist(), up, down, strict=True))
    found = max(*up, *down) + slack + Fraction(sparsity) * total(np.abs(solution.coef))
    unit = max(Fraction(1), abs(found))
    rounding = ROUNDING * unit + total(C) / 10**13  # of 1 - t, at the price C
    if abs(found - Fraction(proof.primal)) > rounding:
        yield f"the objective is {float(found)!r} and not {proof.primal!r}"
    # the dual: every feasible machine costs at least this
    z, label = proof.z, np.repeat([1.0, -1.0], len(y))
    d, both = label * z, np.concatenate([y + epsilon, y - epsilon])
    size = max(Fraction(1), total(np.abs(z)))
    broken = {
        "sum z": abs(total(z)), "d <= C": Fraction(float(np.max(d - np.tile(C, 2)))),
        "sum of negative d": total(np.maximum(0, -d)) - 1,
        "p": product(both[None, :], z)[0] / Fraction(float(np.abs(both).max())),
    }  # fmt: skip
    half = len(y)
    reached = max(abs(v) for v in product(np.vstack([K, K]).T, z)) if half else Fraction(0)
    if sparsity > 0:
        broken["price"] = (reached - Fraction(sparsity)) / max(Fraction(1), Fraction(float(np.abs(K).max())))
    for name, excess in broken.items():
        if excess > ROUNDING * size:
            yield f"z breaks '{name}' by {float(excess)!r}"
    value = min(1 + total(d), 2 * total(C)) - (0 if sparsity > 0 else reached * Fraction(proof.limit))
    if Fraction(proof.dual) - value > rounding:
        yield f"z proves {float(value)!r} and not {proof.dual!r}"


@pytest.mark.parametrize("seeds", SEEDS, ids=len)
def test_a_machine_in_few_bits_makes_the_errors_that_its_bound_was_computed_for(seeds):
    checked = 0
    for seed in seeds:
        rng = np.random.default_rng(seed)
        M = int(rng.integers(20, 60))
        y = np.where(rng.random(M) < 0.5, 1.0, -1.0)
        X = np.round(8 * rng.normal(size=(M, 2)) + 8 * rng.choice([0.5, 2.0]) * y[:, None]) / 8
        if len(np.unique(y)) < 2:
            continue
        machine = mt.MCMClassifier(gamma=0.25, sparsity=float(10.0 ** rng.uniform(-1, 0.5)))
        if (fitted := quietly(machine.fit, X, y)) is None:
            continue
        certificate = quietly(mt.risk_certificate, fitted, X, y)
        small = certificate.machine
        if small.kernel is None:
            continue
        assert np.array_equal(small.levels, small.levels.astype(int)) and np.abs(small.levels).max() <= 2**small.bits
        assert np.array_equal(small.samples, X[certificate.support])
        f = [
            v + Fraction(small.intercept)
            for v in product(mt.rbf_kernel(X, small.samples, 0.25), small.levels.astype(float))
        ]
        near = [abs(v) < Fraction(1, 10**12) for v in f]
        wrong = [(v > 0) != (label > 0) for v, label in zip(f, y, strict=True)]
        outside = np.setdiff1d(np.arange(M), certificate.support)
        errors = sum(wrong[i] for i in outside)
        assert abs(errors - certificate.errors) <= sum(near[i] for i in outside)
        bits = certificate.message_bits * math.log(2)
        assert certificate.bound == mt.compression_bound(certificate.errors, M, certificate.d, bits, certificate.delta)
        checked += 1
    assert checked > 0.4 * len(seeds)
