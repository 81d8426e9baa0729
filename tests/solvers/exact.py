"""Certificates checked in exact arithmetic: every double is a whole number times a power of two."""

from fractions import Fraction

import numpy as np


def whole_numbers(values):
    """The values as Python's whole numbers, and the k by which they are too large: values = whole / 2^k, exactly."""
    values = np.asarray(values, dtype=float)
    mantissa, exponent = np.frexp(values)
    mantissa, exponent = (mantissa * 2.0**53).astype(np.int64).astype(object), exponent.astype(int) - 53
    least = int(exponent[values != 0].min(initial=0))
    shift = np.where(values != 0, exponent - least, 0).astype(object)
    return mantissa * 2**shift, -least


def product(A, x):
    """A x as Fractions."""
    (A, i), (x, k) = whole_numbers(A), whole_numbers(x)
    return [Fraction(int(value)) / Fraction(2) ** (i + k) for value in A @ x]


def total(values):
    """The sum as a Fraction."""
    values, k = whole_numbers(values)
    return Fraction(int(sum(values, 0))) / Fraction(2) ** k


def objective(K, y, C, sparsity, coef, b, cap=True):
    """The MCM's objective of (coef, b); of its scaled version where C is inf. None if it does not separate."""
    t = [Fraction(sign) * (f + Fraction(b)) for sign, f in zip(y.tolist(), product(K, coef), strict=True)]
    price = Fraction(sparsity) * total(np.abs(coef))
    C = np.broadcast_to(C, y.shape).tolist()
    if np.isinf(C[0]):
        return None if min(t) <= 0 else (max(t) * cap + price) / min(t)
    slack = sum(Fraction(c) * max(Fraction(0), 1 - m) for c, m in zip(C, t, strict=True))
    return max(Fraction(1), *t) * cap + slack + price


def lower_bound(K, y, C, sparsity, z, limit, cap=True):
    """What z proves, for coefficients up to the limit. An AssertionError if it proves nothing."""
    d = y * z  # exact: y is a sign
    assert total(z) == 0
    assert (d <= C).all() and total(np.maximum(0, -d)) <= cap
    reached, value = [abs(v) for v in product(K.T, z)], total(d)
    if sparsity > 0:
        return cap + value / max(Fraction(1), max(reached) / Fraction(sparsity))
    low, high = K.min(axis=0).tolist(), K.max(axis=0).tolist()
    ranges = [(Fraction(b) - Fraction(a)) / 2 for a, b in zip(low, high, strict=True)]
    worst = max((r / size for r, size in zip(reached, ranges, strict=True) if size > 0), default=Fraction(0))
    return cap + value - (worst * Fraction(limit) if worst else 0)


def refuted(K, y, C, sparsity, solution, cap=True):
    """What exact arithmetic says against a certificate: a list of sentences, empty if it holds."""
    proof, objections = solution.certificate, []
    found = objective(K, y, C, sparsity, solution.coef, solution.b, cap)
    if found is None or found > Fraction(proof.primal):
        objections.append(f"the objective is {found and float(found)!r} and not below {proof.primal!r}")
    bound = lower_bound(K, y, C, sparsity, proof.z, proof.limit, cap) if proof.z.any() else Fraction(cap)
    if bound < Fraction(proof.dual):
        objections.append(f"z proves {float(bound)!r} and not {proof.dual!r}")
    return objections
