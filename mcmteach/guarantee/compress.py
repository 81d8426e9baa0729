r"""A machine as a few samples and a message of bits, the bound that this gives it, and the best machine of that kind."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcmteach.conformal_mcm import ConformalMCMClassifier
from mcmteach.errors import InvalidInputError, MCMWarning, warn
from mcmteach.guarantee.counts import compression_bound, failure_probability, log_choices, log_tails
from mcmteach.kernels import RBF, Kernel, Polynomial
from mcmteach.validation import FloatArray, as_matrix, is_number, positive, several

#: Widths that a certificate may name. They were fixed before any data were seen, so each costs ln(number of widths) nats.
GAMMA_LIST = tuple(2.0**k for k in range(-12, 5))
LENGTHS = 8  # so many lengths a coefficient can have in bits, and so many an offset: which, costs ln 8 nats each
#: The largest coefficients may be cut off, so that the smaller ones are told apart
SCALES = (1.0, 2.0)

WholeNumbers = NDArray[np.int64]


class CompressedMachine(NamedTuple):
    """sign(sum_i c_i k(x_i, x) + b) with coefficients of a few bits: it is all that the bound speaks of.

    ``levels`` are whole numbers other than 0; they are the coefficients, since only the sign of f counts. A sample comes with
    its label, so where all signs are those of the labels (``own_signs``) only sizes are said, 1 to 2^bits; otherwise the
    sign takes one of the bits. ``offset`` counts steps of b, from 0 to 2^offset_bits - 1.
    """

    samples: FloatArray
    levels: WholeNumbers
    bits: int
    own_signs: bool
    offset: int
    offset_bits: int
    kernel: Kernel | None
    classes: NDArray[Any]

    @property
    def intercept(self) -> float:
        """b, from the samples and the message alone."""
        if self.kernel is None:
            return float(2 * self.offset - 1)
        values = self.kernel(self.samples, self.samples) @ self.levels
        return float(_offsets_between(values, self.levels, self.offset_bits)[self.offset])

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """f(x) for each row of X."""
        rows: FloatArray = as_matrix(X)
        if self.kernel is None:
            return np.full(rows.shape[0], self.intercept)
        return np.asarray(self.kernel(rows, self.samples) @ self.levels + self.intercept, dtype=np.float64)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of each row of X."""
        return self.classes[(self.decision_function(X) > 0).astype(int)]

    def nats(self, n_gammas: int) -> float:
        """The length of the message that it was rebuilt from."""
        return message_nats(len(self.levels), self.bits, self.offset_bits, self.kernel, n_gammas)


def _offsets_between(values: FloatArray, levels: WholeNumbers, bits: int) -> FloatArray:
    """The 2^bits values that b may have: they put the boundary evenly between the values of f - b at the samples held.

    Where all coefficients have one sign, the value 0 far from all samples counts too. No bits: half-way.
    """
    if (levels > 0).all() or (levels < 0).all():
        values = np.append(values, 0.0)
    count = 1 << bits
    low, high = float(values.min()), float(values.max())
    return -(low + (high - low) * (2 * np.arange(count) + 1) / (2 * count))


# --- the message -------------------------------------------------------------------------------------------------------


def message_nats(d: int, bits: int, offset_bits: int, kernel: Kernel | None, n_gammas: int) -> float:
    r"""\(-\ln\pi\) of everything that is said beside which d samples: the sum of :func:`message_parts`.

    Examples
    --------
    >>> round(message_nats(4, bits=2, offset_bits=3, kernel=RBF(0.5), n_gammas=16) / float(np.log(2)), 1)   # in bits
    27.9
    """
    return sum(message_parts(d, bits, offset_bits, kernel, n_gammas).values())


def message_parts(d: int, bits: int, offset_bits: int, kernel: Kernel | None, n_gammas: int) -> dict[str, float]:
    r"""What is said, and how many nats it costs: d, the kernel, how many bits, the coefficients and the offset.

    The priors are \(\pi(d) = 1/((d+1)(d+2))\), a half for each family of kernels, \(1/(g(g+1))\) for a degree g, a half
    for either coef0, a half for whether signs are said, and equal shares for the rest; they sum to 1. A machine that holds
    no sample (d = 0) has one bit: which class.

    Examples
    --------
    >>> {name: round(nats, 2) for name, nats in message_parts(4, 2, 3, RBF(0.5), n_gammas=16).items()}
    {'how many samples': 3.4, 'kernel': 3.47, 'how many bits': 4.85, 'coefficients': 5.55, 'offset': 2.08}
    """
    how_many = {"how many samples": float(np.log((d + 1) * (d + 2)))}
    if d == 0 or kernel is None:
        return {**how_many, "which class": float(np.log(2))}
    return {
        **how_many,
        "kernel": float(np.log(2) + (np.log(n_gammas) if isinstance(kernel, RBF) else _polynomial_nats(kernel))),
        "how many bits": float(np.log(2) + 2 * np.log(LENGTHS)),
        "coefficients": float(np.log(2) * d * bits),
        "offset": float(np.log(2) * offset_bits),
    }


def _polynomial_nats(kernel: Kernel) -> float:
    """A degree by the prior 1 / g(g+1); coef0 is 0 or 1."""
    if not isinstance(kernel, Polynomial) or kernel.coef0 not in (0.0, 1.0):
        raise InvalidInputError(
            f"{kernel!r} has no place in the message. Use RBF with a width from the list, or Polynomial with coef0 0 or 1."
        )
    return float(np.log(kernel.degree * (kernel.degree + 1)) + np.log(2))


# --- the certificate ---------------------------------------------------------------------------------------------------


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
    support: WholeNumbers = field(repr=False)  #: which d samples it holds

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


def constant_bound(y: ArrayLike, delta: float = 0.05) -> float:
    """The bound of the better constant machine: no sample, one bit.

    Examples
    --------
    >>> round(constant_bound([1] * 90 + [-1] * 10), 3)
    0.188
    """
    _, counts = np.unique(np.asarray(y), return_counts=True)
    nats = message_nats(0, 0, 0, None, 1)
    return compression_bound(int(counts.sum() - counts.max()), int(counts.sum()), 0, nats, delta)


def risk_certificate(
    machine: Any, X: ArrayLike, y: ArrayLike, delta: float = 0.05, gammas: Sequence[float] = GAMMA_LIST
) -> RiskCertificate:
    """Round a fitted machine's coefficients to a few bits, drop what that makes zero, and bound the risk of what is left.

    How many bits and how many samples are kept is decided by the bound itself; the message pays for it. C, the price and
    the solver cost nothing, since they are not needed to rebuild the machine.

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
    delta, gammas = failure_probability(delta), several(gammas, "gammas", positive)
    rows: FloatArray = as_matrix(X)
    labels = np.asarray(y)
    kernel = _kernel_of(machine, gammas)
    support, coef = _expansion_of(machine, rows, labels)
    tell_what_the_proof_needs(rows)
    search = Search(rows, labels, kernel, support, len(gammas), delta)
    search.round(coef)
    return search.certificate()


def tell_what_the_proof_needs(X: FloatArray) -> None:
    """Warn where the sample looks as if it were not independent, or as if it had made its own units."""
    copies = len(X) - len(np.unique(X, axis=0))
    if copies:
        warn(
            f"{copies} of {len(X)} samples are equal to another one. If they are copies (by oversampling, or a wrong join) "
            "the samples are not independent and the bound does not hold: remove them. If features take few values, so that "
            "independent samples can be equal, ignore this warning.",
            MCMWarning,
        )
    varied = X[:, X.std(axis=0) > 0]
    if varied.size and max(np.abs(varied.mean(axis=0)).max(), np.abs(varied.var(axis=0) - 1).max()) < 1e-9:
        warn(
            "Every feature has mean 0 and variance 1: a scaler was fitted on this very sample, and the proof does not cover "
            "that. Use certify(pipeline, X, y), which fits the scaler on a part that it sets aside, or fixed units.",
            MCMWarning,
        )


# --- the best machine by its bound -------------------------------------------------------------------------------------


class Search:
    """The machine with the smallest bound among those that are tried with one kernel; at first the better constant.

    Parameters
    ----------
    X, y : the training sample, y of two classes
    kernel : an RBF or Polynomial
    held : indices of the samples that a machine may hold
    n_gammas : length of the list of widths
    delta : the bound may fail with this probability
    """

    def __init__(self, X: FloatArray, y: NDArray[Any], kernel: Kernel, held: NDArray[Any], n_gammas: int, delta: float):
        classes = np.unique(y)
        self.X, self.labels, self.kernel, self.n_gammas, self.delta = X, y, kernel, n_gammas, delta
        self.y = np.where(y == classes[-1], 1.0, -1.0)
        self.held = np.asarray(held, dtype=np.int64)
        self.K = kernel(X[self.held], X) if len(self.held) else np.zeros((0, len(y)))  # a row for each that may be held
        none = np.empty(0, dtype=np.int64)
        self.constant = CompressedMachine(X[:0], none, 0, True, int(self.y.sum() > 0), 1, None, classes)
        self.nats = cache(lambda d, bits: message_nats(d, bits, 0, kernel, n_gammas))  # without an offset
        self._begin()

    def _begin(self) -> None:
        self.best = self.constant
        self.chosen = self.constant.levels  # which of ``held`` the best machine holds
        self.bound = constant_bound(self.labels, self.delta)
        self.tried: dict[Any, int] = {}  # in how many bits coefficients were tried
        self.tails: dict[int, FloatArray] = {}  # for _affordable: by d, as long as the bound stays
        self.sizes: dict[int, int] = {}  # what most gives: by bits, as long as the bound stays

    def anew(self) -> Search:
        """A search over the same samples that has not begun."""
        other = copy(self)
        other._begin()
        return other

    def certificate(self) -> RiskCertificate:
        """The certificate of the best machine, its errors counted by its own answers."""
        wrong = np.where(self.best.decision_function(self.X) > 0, 1.0, -1.0) != self.y
        support = self.held[self.chosen]
        wrong[support] = False
        errors, nats, d, M = int(wrong.sum()), self.best.nats(self.n_gammas), len(self.chosen), len(self.y)
        bound = compression_bound(errors, M, d, nats, self.delta)
        rival = constant_bound(self.labels, self.delta)
        return RiskCertificate(bound, self.delta, errors, M, d, nats / float(np.log(2)), rival, self.best, support)

    def round(self, coef: FloatArray) -> None:
        """Try coefficients rounded to every number of bits, with signs said or not, the largest ones only or all."""
        for own_signs in (True, False):
            for bits in range(LENGTHS) if own_signs else range(1, LENGTHS + 1):
                for scale in SCALES:
                    self._prefixes(coef, bits, own_signs, scale)

    def _prefixes(self, coef: FloatArray, bits: int, own_signs: bool, scale: float) -> None:
        top = _largest_level(bits, own_signs)
        kept = np.maximum(coef * self.y[self.held], 0.0) if own_signs else np.abs(coef)
        size = np.minimum(top, np.rint(kept / max(kept.max(initial=0.0), 1e-300) * top * scale)).astype(np.int64)
        order = np.lexsort([-kept, -size])
        order = order[size[order] > 0][: self.most(bits)]
        levels = (np.sign(coef) * size).astype(np.int64)[order]
        F = np.cumsum(self.K[order] * levels[:, None], axis=0)
        labels = np.repeat(self.y[None, :], len(order), axis=0)
        for d, row in enumerate(self.held[order]):
            labels[d:, row] = 0.0  # a sample that is held tests nothing
        errors = _errors_by_cut(labels, F).min(axis=1, initial=len(self.y))
        for d in range(1, len(order) + 1):
            self._try(order[:d], levels[:d], bits, own_signs, F[d - 1], int(errors[d - 1]))

    def exchange(self) -> None:
        """Change one coefficient of the best machine, one of its samples, or add one, until nothing lowers the bound."""
        before = np.inf
        while self.bound < before:
            before = self.bound
            best, chosen = self.best, self.chosen
            f = best.levels @ self.K[chosen]
            for i in range(len(chosen) + 1):
                rest = np.arange(len(chosen)) != i
                without = f - (best.levels[i] * self.K[chosen[i]] if i < len(chosen) else 0.0)
                if i < len(chosen) > 1:
                    self._try(chosen[rest], best.levels[rest], best.bits, best.own_signs, without)
                if int(rest.sum()) < self.most(best.bits):
                    self._replace(without, chosen[rest], best.levels[rest], best.bits, best.own_signs)

    def _replace(
        self, without: FloatArray, chosen: WholeNumbers, levels: WholeNumbers, bits: int, own_signs: bool
    ) -> None:
        """Try one more sample, any with any coefficient: those with the fewest errors if b were free."""
        columns = np.setdiff1d(np.arange(len(self.held)), chosen)
        for level in _possible_levels(bits, own_signs):
            signed = level * self.y[self.held[columns]] if own_signs else np.full(len(columns), float(level))
            errors = _errors_by_cut(self.y[None, :], without + self.K[columns] * signed[:, None]).min(axis=1)
            for j in np.argsort(errors, kind="stable")[:3]:
                more = np.append(chosen, columns[j]), np.append(levels, int(signed[j]))
                self._try(*more, bits, own_signs, without + self.K[columns[j]] * signed[j])

    def most(self, bits: int) -> int:
        """The largest d for which a machine without any error would have a smaller bound than the best so far."""
        if bits not in self.sizes:
            sizes = range(1, len(self.y))
            self.sizes[bits] = next((d for d in sizes if self._affordable(d, self.nats(d, bits)) < 0), len(self.y)) - 1
        return self.sizes[bits]

    def _try(
        self, chosen: WholeNumbers, levels: WholeNumbers, bits: int, own_signs: bool, f: FloatArray, least: int = 0
    ) -> None:
        """Take a machine with its best offset of each length, where its bound is smaller than the best so far.

        ``least`` is a number of errors that it certainly makes.
        """
        d = len(levels)
        nats = self.nats(d, bits)
        name = chosen.tobytes(), levels.tobytes(), own_signs
        if least > self._affordable(d, nats) or self.tried.get(name, LENGTHS + 1) <= bits:
            return  # the same coefficients in fewer bits were better
        self.tried[name] = bits
        rows = self.held[chosen]
        others = np.ones(len(self.y), dtype=bool)
        others[rows] = False
        values = np.sort(f[others])
        wrong = _errors_by_cut(self.y[others][None, :], f[others][None, :])[0]
        for offset_bits in range(LENGTHS):
            said = nats + offset_bits * float(np.log(2))
            if wrong.min() > self._affordable(d, said):
                return  # not even with the best b, which more bits may say
            counts = wrong[np.searchsorted(values, -_offsets_between(f[rows], levels, offset_bits), side="right")]
            k, offset = int(counts.min()), int(counts.argmin())
            if k <= self._affordable(d, said):
                self.best = CompressedMachine(
                    self.X[rows], levels, bits, own_signs, offset, offset_bits, self.kernel, self.best.classes
                )
                self.chosen, self.bound = chosen, compression_bound(k, len(self.y), d, said, self.delta)
                self.tails.clear()
                self.sizes.clear()

    def _affordable(self, d: int, nats: float) -> int:
        """The most errors with which a machine of d samples has a smaller bound than the best so far; -1 if none has."""
        if self.bound >= 1:
            return -1
        if d not in self.tails:
            tails = log_tails(len(self.y) - d, np.log(self.bound), np.log1p(-self.bound))[:-1]
            self.tails[d] = tails + log_choices(len(self.y), d) - np.log(self.delta)
        return int(np.searchsorted(self.tails[d], -nats)) - 1


def _largest_level(bits: int, own_signs: bool) -> int:
    return 1 << (bits if own_signs else bits - 1)


def _possible_levels(bits: int, own_signs: bool) -> list[int]:
    """Sizes to try for one coefficient, at most four of them, and both signs where signs are said."""
    top = _largest_level(bits, own_signs)
    sizes = sorted({max(1, top * k // 4) for k in (1, 2, 3, 4)})
    return sizes if own_signs else [*sizes, *(-size for size in sizes)]


def _errors_by_cut(y: FloatArray, F: FloatArray) -> NDArray[np.int32]:
    """Errors of each row of F if the answer is -1 for its j smallest values and +1 for the others, j = 0 to n.

    ``y`` has a row for each row of F, or one for all; where it is 0, no answer is wrong.
    """
    order = np.argsort(F, axis=1, kind="stable")  # the same on every machine, also where values are equal
    steps = y.astype(np.int32)[0][order] if len(y) == 1 else np.take_along_axis(y.astype(np.int32), order, axis=1)
    cuts = np.zeros((len(F), F.shape[1] + 1), dtype=np.int32)
    np.cumsum(steps, axis=1, out=cuts[:, 1:])  # a +1 below the cut is one error more, a -1 one less
    return cuts + np.sum(y < 0, axis=1)[:, None]


# --- what a fitted machine is made of ----------------------------------------------------------------------------------


def _kernel_of(machine: Any, gammas: Sequence[float]) -> Kernel:
    """The kernel as an object, if the message has a place for it."""
    _can_be_certified(machine)
    kernel_name = getattr(machine, "kernel", None)
    if kernel_name == "rbf" and not is_number(machine.gamma):
        raise InvalidInputError(
            f"gamma={machine.gamma!r} is computed from the sample, and the bound would not pay for that. Fit with a number "
            f"from the list gammas ({min(gammas):.3g} to {max(gammas):.3g} by default)."
        )
    kernel = getattr(machine, "kernel_", None if kernel_name != "rbf" else RBF(float(machine.gamma)))
    if kernel_name == "linear" or not isinstance(kernel, RBF | Polynomial):
        raise InvalidInputError(
            f"A certificate needs an expansion in kernel values of training samples, with kernel 'rbf' or 'poly' (of "
            f"scikit-learn's SVC only 'rbf'); this {type(machine).__name__} has kernel={kernel_name!r}. For a linear machine "
            "see scenario_bound."
        )
    if isinstance(kernel, RBF) and not np.any(np.isclose(kernel.gamma, gammas, rtol=1e-12, atol=0)):
        nearest = min(gammas, key=lambda gamma: abs(np.log(gamma / kernel.gamma)))
        raise InvalidInputError(
            f"gamma = {kernel.gamma:.6g} is not on the list of widths that was fixed beforehand. Fit again with "
            f"gamma={nearest:.6g}, the nearest one, or give your own list (made before you saw these data) as gammas."
        )
    return kernel


def _can_be_certified(machine: Any) -> None:
    """Refuse anything but a fitted machine for two classes."""
    if hasattr(machine, "steps"):
        raise InvalidInputError(
            "This is a pipeline, and its steps were fitted on the same sample, which the proof does not cover. Use "
            "certify(pipeline, X, y): it fits them on a part that it sets aside."
        )
    if isinstance(machine, ConformalMCMClassifier):
        raise InvalidInputError(
            "A ConformalMCMClassifier has no certificate: its cores and alpha were learnt from the sample, and the message has "
            "no place for them. Certify an MCMClassifier."
        )
    if not hasattr(machine, "classes_"):
        fitted = hasattr(machine, "n_features_in_")
        problem = (
            "is no classifier: a certificate counts wrong labels"
            if fitted
            else "is not fitted yet. Call fit(X, y) first"
        )
        raise InvalidInputError(f"This {type(machine).__name__} {problem}.")
    if len(machine.classes_) != 2:
        raise InvalidInputError(
            f"A certificate is for two classes, but this machine has {len(machine.classes_)}: certify one against the rest."
        )


def _expansion_of(machine: Any, X: FloatArray, y: NDArray[Any]) -> tuple[NDArray[np.int64], FloatArray]:
    """Which samples the machine holds, and their coefficients."""
    if len(y) != X.shape[0]:
        raise InvalidInputError(
            f"X has {X.shape[0]} samples and y has {len(y)} entries: one label per sample is needed."
        )
    given, learnt = set(np.unique(y).tolist()), set(machine.classes_.tolist())
    if given - learnt:
        raise InvalidInputError(f"y holds labels that the machine has never seen: {sorted(given - learnt)}.")
    if learnt - given:
        raise InvalidInputError(
            f"y lacks labels that the machine has learnt, so it is not its sample: {sorted(learnt - given)}."
        )
    support = np.asarray(machine.support_)
    same = X.shape[1] == machine.n_features_in_ and (not len(support) or support.max() < X.shape[0])
    if not same or not np.array_equal(X[support], np.asarray(machine.support_vectors_)):
        raise InvalidInputError(
            "The machine's support vectors are not the samples of X at its support_: it was fitted on other data. The bound "
            "holds for the very sample that it was fitted on, before any scaling done inside a pipeline."
        )
    return support, np.asarray(machine.dual_coef_, dtype=float).ravel()
