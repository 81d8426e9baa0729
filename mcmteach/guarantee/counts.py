"""Bounds for a count of errors: binomial tails inverted, their simpler forms, and the scenario bound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import entr, expit, gammaln, logsumexp

from mcmteach.errors import InvalidInputError
from mcmteach.validation import FloatArray, is_number, not_negative, whole


def compression_bound(errors: int, M: int, d: int, message_nats: float, delta: float = 0.05) -> float:
    r"""The largest risk that is compatible with k errors on the M - d samples that a machine does not hold.

    Parameters
    ----------
    errors : k, the number of errors on the other M - d samples
    M : number of training samples
    d : number of them that the machine is rebuilt from
    message_nats : length of the message, \(-\ln \pi(d) - \ln \pi(\text{message})\), in nats. The choice of the d samples,
        \(\ln\binom{M}{d}\), is added here
    delta : the bound fails with probability at most delta

    Returns
    -------
    The bound: 1 where k = M - d, or where nothing is left to test the machine.

    Examples
    --------
    >>> round(compression_bound(errors=10, M=426, d=4, message_nats=20.0), 4)    # 4 support vectors
    0.1582
    >>> round(compression_bound(errors=10, M=426, d=40, message_nats=150.0), 4)  # forty
    0.5751

    Source: Littlestone & Warmuth 1986; Langford 2005, the sample compression bound.
    """
    k, n, nats = counted(errors, M, d, message_nats, delta)
    if k >= n:
        return 1.0
    return _largest_risk(lambda log_p, log_q: float(log_tails(n, log_p, log_q, k)[-1]) + nats, k / n)


def test_set_bound(errors: int, n: int, delta: float = 0.05) -> float:  # noqa: PT028
    """The same for a test set of n samples that had no part in the making of the machine (Clopper and Pearson's limit).

    Examples
    --------
    >>> round(test_set_bound(errors=6, n=143), 4)
    0.0811

    Source: Langford 2005, the test set bound.
    """
    return compression_bound(errors, n, 0, 0.0, delta)


test_set_bound.__test__ = False  # type: ignore[attr-defined]  # pytest would take it for a test


def hoeffding_bound(errors: int, M: int, d: int = 0, message_nats: float = 0.0, delta: float = 0.05) -> float:
    r"""\(k/n + \sqrt{(\text{nats} + \ln(1/\delta)) / 2n}\), n = M - d: easier to compute by hand, and never smaller.

    Examples
    --------
    >>> round(hoeffding_bound(errors=10, M=426, d=4, message_nats=20.0), 4)
    0.2521

    Source: Hoeffding 1963; Langford 2005.
    """
    k, n, nats = counted(errors, M, d, message_nats, delta)
    return min(1.0, k / n + float(np.sqrt(nats / (2 * n)))) if n else 1.0


def relative_entropy_bound(errors: int, M: int, d: int = 0, message_nats: float = 0.0, delta: float = 0.05) -> float:
    r"""The largest p with \(n\,\mathrm{KL}(k/n \,\|\, p) \le \text{nats} + \ln(1/\delta)\): between the other two.

    Examples
    --------
    >>> round(relative_entropy_bound(errors=10, M=426, d=4, message_nats=20.0), 4)
    0.1627

    Source: Chernoff 1952; Langford 2005.
    """
    k, n, nats = counted(errors, M, d, message_nats, delta)
    if k >= n:
        return 1.0

    def spare(log_p: float, log_q: float) -> float:
        return nats + float(entr(k / n) + entr(1 - k / n)) * n + k * log_p + (n - k) * log_q

    return _largest_risk(spare, k / n)


def scenario_bound(k: int, M: int, delta: float = 0.05, choices: int = 1) -> float:
    r"""Risk of the unique optimum of a convex programme with one constraint per sample, from how many of them matter.

    With k samples that support the solution (it would change without them) or violate their constraint, the bound is
    1 - t for the one t in (0, 1) with

    \[\binom{M}{k} t^{M-k} = \frac{\delta}{M} \sum_{i=k}^{M-1} \binom{i}{k} t^{i-k}.\]

    Parameters
    ----------
    k : number of support constraints plus violated ones: for an MCM with kernel="linear", the samples with y f <= 1 or at
        the cap
    M : number of training samples
    choices : number of settings (C and price) that were tried on the sample, from a list fixed beforehand. Unlike the
        compression bound this one holds for one programme, so each of them costs: delta is divided by their number

    Notes
    -----
    It needs a unique solution, or a rule that breaks ties and does not look at the order of the samples.

    Examples
    --------
    >>> round(scenario_bound(k=30, M=426), 4)
    0.1125

    Source: Campi & Garatti 2023, the bound under the property of preference; Campi & Garatti 2021 for machines with slack.
    """
    k, M, choices = whole(k, "k", 0), whole(M, "M", 1), whole(choices, "choices", 1)
    if k > M:
        raise InvalidInputError(f"k = {k} samples of M = {M} cannot matter: k is at most M.")
    if k == M:
        return 1.0
    i = np.arange(k, M)
    log_rows = log_choices(i, k) - log_choices(M, k) + np.log(failure_probability(delta) / choices / M)

    def excess(log_t: float) -> float:  # ln of the right side over the left one, which falls as t grows
        return float(logsumexp(log_rows + (i - M) * log_t))

    low = -1.0
    while excess(low) < 0:
        low *= 2
    return float(-np.expm1(brentq(excess, low, -1e-16, xtol=1e-16, rtol=1e-14)))


def counted(errors: int, M: int, d: int, message_nats: float, delta: float) -> tuple[int, int, float]:
    """k, n = M - d, and everything that is paid for: ln(1/delta) + message + ln(M choose d)."""
    k, M, d = whole(errors, "errors", 0), whole(M, "M", 1), whole(d, "d", 0)
    if d > M:
        raise InvalidInputError(f"A machine cannot be rebuilt from d = {d} of M = {M} samples.")
    if k > M - d:
        raise InvalidInputError(f"There are {M - d} samples to be wrong about, and errors = {k}.")
    message_nats = not_negative(message_nats, "message_nats")
    return k, M - d, message_nats + float(log_choices(M, d)) - float(np.log(failure_probability(delta)))


def _largest_risk(spare: Callable[[float, float], float], p: float) -> float:
    """Where ``spare``, a falling function of ln p and ln(1 - p), is 0: found in ln(p / (1 - p)), as p may be 1 - 1e-30."""

    def at(x: float) -> float:
        return spare(-float(np.logaddexp(0, -x)), -float(np.logaddexp(0, x)))

    low = float(np.log(p) - np.log1p(-p)) if p > 0 else -700.0
    step = 1.0
    while at(low + step) > 0:
        step *= 2
    return float(expit(brentq(at, low, low + step, xtol=1e-13, rtol=1e-14)))


def log_tails(n: int, log_p: float, log_q: float, most: int | None = None) -> FloatArray:
    """ln P(Bin(n, p) <= k) for k = 0 to ``most`` (n if None), also where it is far below the smallest float."""
    j = np.arange((n if most is None else most) + 1)
    return np.asarray(np.logaddexp.accumulate(log_choices(n, j) + j * log_p + (n - j) * log_q))


def log_choices(n: Any, k: Any) -> Any:
    """ln(n choose k)."""
    return gammaln(np.asarray(n) + 1.0) - gammaln(np.asarray(k) + 1.0) - gammaln(np.asarray(n) - k + 1.0)


def failure_probability(delta: float) -> float:
    if not is_number(delta) or not 0 < delta < 1:
        raise InvalidInputError(f"delta is the probability that the bound fails, between 0 and 1; got {delta!r}.")
    return float(delta)
