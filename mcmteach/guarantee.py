r"""A bound on the risk of a machine that one holds: from the few samples it is made of, not from a class of functions.

A machine that can be rebuilt from d of the M training samples and a short message is one of at most
\(\binom{M}{d} \times\) (number of messages) machines that were there *before* the labels of the other M - d samples were
looked at. So those samples test it, as a test set would, and a union bound pays for the choice. With k errors on them

\[R \le \max\Big\{p : P\big(\mathrm{Bin}(M - d,\, p) \le k\big) \ge
    \delta\, \pi(d)\, \pi(\text{message}) \Big/ \tbinom{M}{d}\Big\}\]

holds with probability at least 1 - delta over the draw of the sample, whatever the distribution and however the machine was
found. The samples must be independent, and everything that the message is written in (the priors, the list of widths, the
units of the features) must be fixed before the sample is seen.

Sources: Littlestone & Warmuth 1986; Floyd & Warmuth 1995; Langford 2005 (the binomial tail inverted, and a prior
over messages); Marchand & Shawe-Taylor 2002 (messages for kernel-like machines); Campi & Garatti 2021, 2023 (scenarios).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import entr, expit, gammaln, logsumexp

from mcmteach.errors import InvalidInputError
from mcmteach.kernels import RBF, Kernel, Polynomial
from mcmteach.validation import FloatArray, as_matrix, is_number, not_negative, whole

#: Widths that a certificate may name. They were fixed before any data were seen, so each costs ln(number of widths) nats.
GAMMAS = tuple(2.0**k for k in range(-12, 5))
MOST_BITS = 8  # a coefficient has 1 to 8 bits, an offset too: which, costs ln 8 nats each


# --- bounds for a count of errors --------------------------------------------------------------------------------------


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
    k, n, nats = _counted(errors, M, d, message_nats, delta)
    if k >= n:
        return 1.0
    return _largest_risk(lambda log_p, log_q: _log_tail(k, n, log_p, log_q) + nats, k / n)


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
    k, n, nats = _counted(errors, M, d, message_nats, delta)
    return min(1.0, k / n + float(np.sqrt(nats / (2 * n)))) if n else 1.0


def relative_entropy_bound(errors: int, M: int, d: int = 0, message_nats: float = 0.0, delta: float = 0.05) -> float:
    r"""The largest p with \(n\,\mathrm{KL}(k/n \,\|\, p) \le \text{nats} + \ln(1/\delta)\): between the other two.

    Examples
    --------
    >>> round(relative_entropy_bound(errors=10, M=426, d=4, message_nats=20.0), 4)
    0.1627

    Source: Chernoff 1952; Langford 2005.
    """
    k, n, nats = _counted(errors, M, d, message_nats, delta)
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
        raise InvalidInputError(f"k = {k} of M = {M} samples cannot matter: there are not so many.")
    if k == M:
        return 1.0
    i = np.arange(k, M)
    log_rows = _log_binomial(i, k) - _log_binomial(M, k) + np.log(_probability(delta) / choices / M)

    def excess(log_t: float) -> float:  # ln of the right side over the left one, which falls as t grows
        return float(logsumexp(log_rows + (i - M) * log_t))

    low = -1.0
    while excess(low) < 0:
        low *= 2
    return float(-np.expm1(brentq(excess, low, -1e-16, xtol=1e-16, rtol=1e-14)))


def _counted(errors: int, M: int, d: int, message_nats: float, delta: float) -> tuple[int, int, float]:
    """k, n = M - d, and everything that is paid for: ln(1/delta) + message + ln(M choose d)."""
    k, M, d = whole(errors, "errors", 0), whole(M, "M", 1), whole(d, "d", 0)
    if d > M:
        raise InvalidInputError(f"A machine cannot be rebuilt from d = {d} of M = {M} samples.")
    if k > M - d:
        raise InvalidInputError(f"There are {M - d} samples to be wrong about, and errors = {k}.")
    message_nats = not_negative(message_nats, "message_nats")
    return k, M - d, message_nats + float(_log_binomial(M, d)) - float(np.log(_probability(delta)))


def _largest_risk(spare: Callable[[float, float], float], p: float) -> float:
    """Where ``spare``, a falling function of ln p and ln(1 - p), is 0: found in ln(p / (1 - p)), as p may be 1 - 1e-30."""

    def at(x: float) -> float:
        return spare(-float(np.logaddexp(0, -x)), -float(np.logaddexp(0, x)))

    low = float(np.log(p) - np.log1p(-p)) if p > 0 else -700.0
    step = 1.0
    while at(low + step) > 0:
        step *= 2
    return float(expit(brentq(at, low, low + step, xtol=1e-13, rtol=1e-14)))


def _log_tail(k: int, n: int, log_p: float, log_q: float) -> float:
    """ln P(Bin(n, p) <= k), also where it is far below the smallest float."""
    j = np.arange(k + 1)
    return float(logsumexp(_log_binomial(n, j) + j * log_p + (n - j) * log_q))


def _log_binomial(n: Any, k: Any) -> Any:
    return gammaln(np.asarray(n) + 1.0) - gammaln(np.asarray(k) + 1.0) - gammaln(np.asarray(n) - k + 1.0)


def _probability(delta: float) -> float:
    if not is_number(delta) or not 0 < delta < 1:
        raise InvalidInputError(f"delta is the probability that the bound fails, between 0 and 1, and is {delta!r}.")
    return float(delta)


# --- a machine as samples and a message --------------------------------------------------------------------------------


class CompressedMachine(NamedTuple):
    """sign(sum_i c_i k(x_i, x) + b) with coefficients of a few bits: it is all that the bound speaks of.

    ``levels`` are whole numbers from -2^(bits-1) to 2^(bits-1) without 0; they are the coefficients, since only the sign
    of f counts. ``offset`` counts steps of b, from 0 to 2^offset_bits - 1.
    """

    samples: FloatArray
    levels: NDArray[np.int64]
    bits: int
    offset: int
    offset_bits: int
    kernel: Kernel | None
    classes: NDArray[Any]

    @property
    def intercept(self) -> float:
        """b, from the message alone: |f - b| cannot exceed its range, so larger values would never be needed."""
        return float(_offsets(self.samples, self.levels, self.kernel, self.offset_bits)[self.offset])

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """f(x) for each row of X."""
        rows: FloatArray = as_matrix(X)
        if self.kernel is None or not len(self.levels):
            return np.full(rows.shape[0], self.intercept)
        return np.asarray(self.kernel(rows, self.samples) @ self.levels + self.intercept, dtype=np.float64)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of each row of X."""
        return self.classes[(self.decision_function(X) > 0).astype(int)]


@dataclass(frozen=True)
class RiskCertificate:
    """With probability 1 - delta over the draw of the training sample, ``machine`` errs with probability at most ``bound``."""

    bound: float
    delta: float
    errors: int  #: on the samples that the machine does not hold
    M: int
    d: int  #: samples that it holds
    message_bits: float  #: all that had to be said beside which d samples: coefficients, offset, width, number of bits
    constant_bound: float  #: the rival: the better of the two constant machines, by its own bound (one bit)
    machine: CompressedMachine = field(repr=False)

    def __str__(self) -> str:
        verdict = (
            f"the best constant machine has {self.constant_bound:.3f}"
            if self.bound < self.constant_bound
            else f"a constant machine is guaranteed as much ({self.constant_bound:.3f}), so this proves nothing"
        )
        return (
            f"With {1 - self.delta:.0%} confidence the risk is at most {self.bound:.3f} ({verdict}): rebuilt from {self.d} of "
            f"{self.M} samples and {self.message_bits:.0f} bits, it errs on {self.errors} of the other {self.M - self.d}. "
            "Assumed: independent samples, and units and widths that were fixed before they were seen."
        )


def message_nats(d: int, bits: int, offset_bits: int, kernel: Kernel | None, n_gammas: int) -> float:
    r"""\(-\ln\pi\) of everything that is said: d, the kernel, the number of bits, the coefficients and the offset.

    The priors are \(\pi(d) = 1/((d+1)(d+2))\), a half for each family of kernels, \(1/(g(g+1))\) for a degree g, and
    equal shares for the rest; they sum to 1. A machine that holds no sample (d = 0) has one bit: which class.

    Examples
    --------
    >>> round(message_nats(4, bits=2, offset_bits=3, kernel=RBF(0.5), n_gammas=16) / float(np.log(2)), 1)   # in bits
    26.9
    """
    prior_d = np.log((d + 1) * (d + 2))
    if d == 0 or kernel is None:
        return float(prior_d + np.log(2))
    named = np.log(2) + (np.log(n_gammas) if isinstance(kernel, RBF) else _polynomial_nats(kernel))
    return float(prior_d + named + 2 * np.log(MOST_BITS) + np.log(2) * (d * bits + offset_bits))


def _polynomial_nats(kernel: Kernel) -> float:
    """A degree by the prior 1 / g(g+1); coef0 is 0 or 1."""
    if not isinstance(kernel, Polynomial) or kernel.coef0 not in (0.0, 1.0):
        raise InvalidInputError(
            f"{kernel!r} has no place in the message. Use RBF with a width from the list, or Polynomial with coef0 0 or 1."
        )
    return float(np.log(kernel.degree * (kernel.degree + 1)) + np.log(2))


def constant_bound(y: ArrayLike, delta: float = 0.05) -> float:
    """The bound of the better constant machine: no sample, one bit.

    Examples
    --------
    >>> round(constant_bound([1] * 90 + [-1] * 10), 3)
    0.176
    """
    _, counts = np.unique(np.asarray(y), return_counts=True)
    return compression_bound(int(counts.sum() - counts.max()), int(counts.sum()), 0, float(np.log(2)), delta)


def risk_certificate(
    machine: Any, X: ArrayLike, y: ArrayLike, delta: float = 0.05, gammas: Sequence[float] = GAMMAS
) -> RiskCertificate:
    """Round a fitted machine's coefficients to a few bits, drop what that makes zero, and bound the risk of what is left.

    How many bits (1 to 8) and how many samples are kept is decided by the bound itself; the message pays for it. C, the
    price and the solver cost nothing, since they are not needed to rebuild the machine.

    Parameters
    ----------
    machine : a fitted machine that is an expansion over training samples: MCMClassifier or KernelSVM with kernel "rbf" or
        "poly", or scikit-learn's SVC with a number for gamma
    X, y : the sample that it was fitted on, all of it and nothing else
    delta : the bound may fail with this probability
    gammas : the list of widths from which gamma was taken, fixed before the sample was seen

    Returns
    -------
    RiskCertificate. It speaks of ``certificate.machine``, the rounded machine, and not of the one that was given.

    Examples
    --------
    >>> from mcmteach import MCMClassifier
    >>> from mcmteach.datasets.worlds import moons
    >>> X, y = moons(300, seed=0)
    >>> certificate = risk_certificate(MCMClassifier(gamma=1.0, sparsity=3.0).fit(X, y), X, y)
    >>> certificate.d, bool(certificate.bound < certificate.constant_bound)
    (3, True)
    """
    delta = _probability(delta)
    rows: FloatArray = as_matrix(X)
    labels = np.asarray(y)
    kernel = _kernel_of(machine, gammas)
    support, coef = _expansion_of(machine, rows, labels)
    signs = np.where(labels == machine.classes_[1], 1.0, -1.0)
    search = _Search(rows, signs, support, kernel, machine.classes_, len(gammas), delta)
    for bits in range(1, MOST_BITS + 1):
        for scale in (1.0, 1.25, 1.5, 2.0):  # the largest may be cut off so that the others are told apart
            search.round(coef, bits, scale)
    return search.certificate(constant_bound(labels, delta))


class _Search:
    """The machine with the smallest bound among those that rounding and dropping samples lead to."""

    def __init__(
        self,
        X: FloatArray,
        y: FloatArray,
        support: NDArray[np.int64],
        kernel: Kernel,
        classes: Any,
        n_gammas: int,
        delta: float,
    ):
        self.X, self.y, self.support, self.kernel = X, y, support, kernel
        self.classes, self.n_gammas, self.delta = classes, n_gammas, delta
        self.K = kernel(X, X[support]) if len(support) else np.zeros((len(y), 0))
        none = np.empty(0, dtype=np.int64)
        majority = CompressedMachine(X[:0], none, 1, int(y.sum() > 0), 1, None, classes)
        self.best, self.rows = majority, none
        self.bound = compression_bound(self.errors(), len(y), 0, self.nats(), delta)

    def nats(self) -> float:
        """The length of the best machine's message."""
        best = self.best
        return message_nats(len(best.levels), best.bits, best.offset_bits, best.kernel, self.n_gammas)

    def errors(self) -> int:
        """The best machine's errors on the samples that it does not hold."""
        wrong = np.where(self.best.decision_function(self.X) > 0, 1.0, -1.0) != self.y
        return int(wrong.sum() - wrong[self.rows].sum())

    def round(self, coef: FloatArray, bits: int, scale: float) -> None:
        """Coefficients of so many bits, the largest first; then every number of samples, every offset."""
        top = 1 << (bits - 1)
        size = np.minimum(top, np.rint(np.abs(coef) / np.abs(coef).max(initial=1e-300) * top * scale)).astype(np.int64)
        order = np.lexsort([-np.abs(coef), -size])
        order = order[size[order] > 0]
        levels = (np.sign(coef) * size).astype(np.int64)[order]
        f = np.zeros(len(self.y))
        other = np.ones(len(self.y), dtype=bool)
        for d in range(1, len(order) + 1):
            if not self.may_win(d, bits):
                return  # more samples cost more still
            f = f + self.K[:, order[d - 1]] * levels[d - 1]
            other[self.support[order[d - 1]]] = False
            self.offer(self.support[order[:d]], levels[:d], bits, f[other], self.y[other])

    def may_win(self, d: int, bits: int) -> bool:
        """Whether a machine of d samples would have a smaller bound if it made no error at all."""
        nats = message_nats(d, bits, 1, self.kernel, self.n_gammas)
        _, n, paid = _counted(0, len(self.y), d, nats, self.delta)
        return n > 0 and self.bound < 1 and n * np.log1p(-self.bound) + paid < 0

    def offer(
        self, rows: NDArray[np.int64], levels: NDArray[np.int64], bits: int, f: FloatArray, y: FloatArray
    ) -> None:
        """Take a machine with its best offset of each length, where its bound is smaller than the best so far."""
        order = np.argsort(f)
        # errors if the answer is -1 for the first j samples and +1 for the others
        wrong = np.concatenate([[0], np.cumsum(y[order] > 0)]) + np.concatenate(
            [np.cumsum((y[order] < 0)[::-1])[::-1], [0]]
        )
        for offset_bits in range(1, MOST_BITS + 1):
            b = _offsets(self.X[rows], levels, self.kernel, offset_bits)
            counts = wrong[np.searchsorted(f[order], -b, side="right")]
            k = int(counts.min())
            nats = message_nats(len(rows), bits, offset_bits, self.kernel, self.n_gammas)
            _, n, paid = _counted(k, len(self.y), len(rows), nats, self.delta)
            if (
                k < n and _log_tail(k, n, np.log(self.bound), np.log1p(-self.bound)) + paid < 0
            ):  # at the best bound so far the tail is too small already
                chosen = int(counts.argmin())
                self.best = CompressedMachine(
                    self.X[rows], levels, bits, chosen, offset_bits, self.kernel, self.classes
                )
                self.rows, self.bound = rows, compression_bound(k, len(self.y), len(rows), nats, self.delta)

    def certificate(self, constant: float) -> RiskCertificate:
        """What the best machine is worth, its errors counted anew by its own answers."""
        errors, nats, d, M = self.errors(), self.nats(), len(self.rows), len(self.y)
        bound = compression_bound(errors, M, d, nats, self.delta)
        return RiskCertificate(bound, self.delta, errors, M, d, nats / float(np.log(2)), constant, self.best)


def _offsets(samples: FloatArray, levels: NDArray[np.int64], kernel: Kernel | None, bits: int) -> FloatArray:
    """The values that b may have: 2^bits of them, evenly over the range that f - b can have at the samples held."""
    reach = 1.0
    if kernel is not None and len(levels):
        largest = 1.0 if isinstance(kernel, RBF) else float(np.abs(kernel(samples, samples)).max())
        reach = float(np.abs(levels).sum()) * largest
    count = 1 << bits
    return reach * (2 * np.arange(count) + 1 - count) / count


# --- what a fitted machine is made of ----------------------------------------------------------------------------------


def _kernel_of(machine: Any, gammas: Sequence[float]) -> Kernel:
    """The kernel as an object, if the message has a place for it."""
    if not hasattr(machine, "classes_"):
        raise InvalidInputError(f"This {type(machine).__name__} is not fitted yet. Call fit(X, y) first.")
    if len(machine.classes_) != 2:
        raise InvalidInputError(
            f"A certificate is for two classes, and this machine knows {len(machine.classes_)}: certify one against the rest."
        )
    if machine.kernel == "rbf" and not is_number(machine.gamma):
        raise InvalidInputError(
            f"gamma={machine.gamma!r} is computed from the sample, and the bound would not pay for that. Fit with a number "
            f"from the list gammas ({min(gammas):.3g} to {max(gammas):.3g} by default)."
        )
    kernel = getattr(machine, "kernel_", None if machine.kernel != "rbf" else RBF(float(machine.gamma)))
    if machine.kernel == "linear" or not isinstance(kernel, RBF | Polynomial):
        raise InvalidInputError(
            f"A certificate needs an expansion in kernel values of training samples, with kernel 'rbf' or 'poly'; this "
            f"{type(machine).__name__} has kernel={machine.kernel!r}. For a linear machine see scenario_bound."
        )
    if isinstance(kernel, RBF) and not np.any(np.isclose(kernel.gamma, gammas, rtol=1e-12, atol=0)):
        nearest = min(gammas, key=lambda gamma: abs(np.log(gamma / kernel.gamma)))
        raise InvalidInputError(
            f"gamma = {kernel.gamma:.6g} is not on the list of widths that was fixed beforehand. Fit again with "
            f"gamma={nearest:.6g}, the nearest one, or give your own list (made before you saw these data) as gammas."
        )
    return kernel


def _expansion_of(machine: Any, X: FloatArray, y: NDArray[Any]) -> tuple[NDArray[np.int64], FloatArray]:
    """Which samples the machine holds, and their coefficients."""
    if len(y) != X.shape[0]:
        raise InvalidInputError(
            f"X has {X.shape[0]} samples and y has {len(y)} entries: one label per sample is needed."
        )
    unknown = set(np.unique(y).tolist()) - set(machine.classes_.tolist())
    if unknown:
        raise InvalidInputError(f"y holds labels that the machine has never seen: {sorted(unknown)}.")
    support = np.asarray(machine.support_)
    same = X.shape[1] == machine.n_features_in_ and (not len(support) or support.max() < X.shape[0])
    if not same or not np.array_equal(X[support], np.asarray(machine.support_vectors_)):
        raise InvalidInputError(
            "The machine's support vectors are not the samples of X at its support_: it was fitted on other data. The bound "
            "holds for the very sample that it was fitted on, before any scaling done inside a pipeline."
        )
    return support, np.asarray(machine.dual_coef_, dtype=float).ravel()
