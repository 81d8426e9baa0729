r"""What a fitted machine or pipeline computes, as plain numbers: the one description from which every format is written.

\[f(x) = c(z) \sum_i \lambda_i\, k(v_i, z) + b, \qquad z = (x - \text{mean}) / \text{scale},\]

with c = 1 unless the machine is conformal. Two classes have one f, more have one per class or, where pairs of classes vote,
one per pair; a regression machine has no classes, and f is its answer. Missing values are filled before anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcmteach.conformal import ConformalKernel, ConformalMap
from mcmteach.conformal_mcm import ConformalMCMClassifier
from mcmteach.errors import InvalidInputError
from mcmteach.kernels import RBF, Linear, Polynomial
from mcmteach.validation import FloatArray, as_matrix, dense, is_number

LARGEST_SINGLE = 1e18


class Bumps(NamedTuple):
    """A conformal factor c(z) = alpha_0 + sum_j alpha_j exp(-gamma |z - a_j|^2).

    ``beside`` is the factor at each vector where the basic kernel stays beside the mapped one: the term of vector i is then
    multiplied by 1 + c(z) beside_i. Else it is None, the factor is part of the coefficients, and f is multiplied by c(z).
    """

    cores: FloatArray
    alpha: FloatArray
    gamma: float
    beside: FloatArray | None = None

    def __call__(self, z: FloatArray) -> FloatArray:
        return self.alpha[0] + RBF(self.gamma)(z, self.cores) @ self.alpha[1:]


class Formula(NamedTuple):
    """The numbers that are needed to answer, and nothing else."""

    kernel: str  #: "rbf", "poly" or "linear"; a linear machine has coefficients for features instead of vectors
    gamma: float  #: of the RBF kernel, or of (gamma v·z + coef0)^degree
    degree: int
    coef0: float
    vectors: FloatArray  #: (n_vectors, n_features); (0, n_features) for a linear machine
    coef: FloatArray  #: (n_outputs, n_vectors), or (n_outputs, n_features) for a linear machine
    intercept: FloatArray  #: (n_outputs,)
    classes: tuple[Any, ...]  #: none for a regression machine
    mean: FloatArray
    scale: FloatArray
    fill: FloatArray  #: what stands for a missing value in each feature; NaN where none may be missing
    bumps: Bumps | None = None
    votes: bool = (
        False  #: whether an output is the first class of a pair (> 0) against its second, in the order of ``pairs``
    )

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of classes that vote: (0, 1), (0, 2), …, (1, 2), …"""
        return list(combinations(range(len(self.classes)), 2)) if self.votes else []

    @property
    def n_features(self) -> int:
        return len(self.mean)

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """f for each row of X, in double precision: shape (n_samples,) for one output, (n_samples, n_outputs) for more."""
        f = self._sums(self._standardised(X)) + self.intercept
        return f[:, 0] if f.shape[1] == 1 else f

    def sizes(self, X: ArrayLike) -> FloatArray:
        """The largest sum of absolute terms over the outputs, for each row of X: what rounding is measured by."""
        z = self._standardised(X)
        absolute = self._replace(coef=np.abs(self.coef))
        if self.bumps is not None:
            beside = None if self.bumps.beside is None else np.abs(self.bumps.beside)
            absolute = absolute._replace(bumps=self.bumps._replace(alpha=np.abs(self.bumps.alpha), beside=beside))
        if self.kernel != "rbf":
            absolute, z = absolute._replace(vectors=np.abs(self.vectors)), np.abs(z)
        return (absolute._sums(z) + np.abs(self.intercept)).max(axis=1)

    def _standardised(self, X: ArrayLike) -> FloatArray:
        rows: FloatArray = as_matrix(X, missing=True)
        return (np.where(np.isnan(rows), self.fill, rows) - self.mean) / self.scale

    def _sums(self, z: FloatArray) -> FloatArray:
        """f - b."""
        values, bumps = self._kernel_values(z), self.bumps
        if bumps is None:
            return values @ self.coef.T
        c = bumps(z)[:, None]
        return c * (values @ self.coef.T) if bumps.beside is None else ((1 + c * bumps.beside) * values) @ self.coef.T

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of each row of X; of a regression machine, its answer."""
        f = self.decision_function(X)
        if not self.classes:
            return f
        if self.votes:
            ballots = [np.where(f[:, k] > 0, i, j) for k, (i, j) in enumerate(self.pairs)]
            f = np.stack([np.sum(np.array(ballots) == i, axis=0) for i in range(len(self.classes))], axis=1)
        return np.array(self.classes)[(f > 0).astype(int) if f.ndim == 1 else f.argmax(axis=1)]

    def _kernel_values(self, z: FloatArray) -> FloatArray:
        if self.kernel == "linear":
            return z
        if not len(self.vectors):
            return np.zeros((len(z), 0))
        if self.kernel == "rbf":
            return RBF(self.gamma)(z, self.vectors)
        return np.asarray((self.gamma * z @ self.vectors.T + self.coef0) ** self.degree, dtype=np.float64)


def formula_of(machine: Any) -> Formula:
    """The formula of a fitted machine, of a saved one, or of a scikit-learn Pipeline of imputer, scaler and machine.

    Examples
    --------
    >>> from mcmteach import MCMClassifier
    >>> machine = MCMClassifier(gamma=2.0).fit([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1])
    >>> formula = formula_of(machine)
    >>> formula.kernel, formula.vectors.shape, formula.classes
    ('rbf', (2, 2), (-1, 1))
    """
    if isinstance(machine, Formula):
        return machine
    machine = getattr(machine, "best_estimator_", machine)  # of a search for parameters
    steps: Sequence[Any] = [step for _, step in machine.steps] if hasattr(machine, "steps") else [machine]
    machine = steps[-1]
    if hasattr(machine, "levels"):
        formula = _certified(machine)
    elif hasattr(machine, "estimators_") and not hasattr(machine, "intercept_"):
        formula = _one_against_the_rest(machine)
    else:
        formula = _machine(machine.machine_ if isinstance(machine, ConformalMCMClassifier) else machine)
    for step in reversed(steps[:-1]):
        formula = _with_step(formula, step)
    return formula


def in_single_precision(formula: Formula) -> Formula:
    """The formula, if C and ONNX can compute it: they do so in single precision, where squares of large numbers overflow."""
    numbers = [part for part in (*formula, *(formula.bumps or ())) if isinstance(part, np.ndarray | float)]
    if any(np.nanmax(np.abs(part), initial=0.0) > LARGEST_SINGLE for part in numbers):
        raise InvalidInputError(
            f"The machine holds numbers beyond {LARGEST_SINGLE:g}, whose squares overflow in single precision. Fit it in a "
            "pipeline after a StandardScaler: both are exported together."
        )
    return formula


def _machine(machine: Any) -> Formula:
    if not hasattr(machine, "intercept_"):
        raise InvalidInputError(f"This {type(machine).__name__} is not fitted, or has no intercept_. Fit it first.")
    n = int(machine.n_features_in_)
    kernel, gamma, degree, coef0 = _kernel(_unmapped(machine))
    linear = kernel == "linear"
    vectors = np.empty((0, n)) if linear else _rows(machine.support_vectors_).reshape(-1, n)
    formula = Formula(
        kernel, gamma, degree, coef0, vectors,
        coef=_rows(machine.coef_ if linear else machine.dual_coef_),
        intercept=np.atleast_1d(np.asarray(machine.intercept_, dtype=np.float64)),
        classes=tuple(np.asarray(getattr(machine, "classes_", ())).tolist()),
        mean=np.zeros(n), scale=np.ones(n), fill=np.full(n, np.nan),
    )  # fmt: skip
    if len(formula.classes) > 2 and type(machine).__name__ in ("SVC", "NuSVC"):
        return formula._replace(coef=_rows(machine.coef_) if linear else _pairwise(machine), votes=True)
    if linear and formula.coef.shape[1] != n:
        raise InvalidInputError(
            f"{type(machine).__name__} is linear in features of its own making: it is not exported yet."
        )
    return _with_map(formula, machine)


def _pairwise(machine: Any) -> FloatArray:
    """The coefficients of LIBSVM's machines for pairs of classes: row j - 1 of a vector of class i is its part against j."""
    owner = np.repeat(np.arange(len(machine.classes_)), machine.n_support_)
    dual, at = _rows(machine.dual_coef_), np.arange(len(owner))
    pairs = combinations(range(len(machine.classes_)), 2)
    return np.array([np.where(owner == i, dual[j - 1, at], np.where(owner == j, dual[i, at], 0.0)) for i, j in pairs])


def _one_against_the_rest(machine: Any) -> Formula:
    """The machines of a OneVsRestClassifier as one, each vector stored once."""
    classes = tuple(np.asarray(machine.classes_).tolist())
    parts = [formula_of(part) for part in machine.estimators_]
    count = 1 if len(classes) == 2 else len(classes)
    if len(parts) != count or hasattr(machine, "pairwise_indices_") or any(len(part.coef) > 1 for part in parts):
        raise InvalidInputError(
            f"A {type(machine).__name__} cannot be exported: of several machines only those with one estimator per class can."
        )
    if count == 1:
        return parts[0]._replace(classes=classes)
    first = parts[0]
    same = all(_setting(part) == _setting(first) for part in parts)
    if not same or any(part.bumps is not None for part in parts):
        raise InvalidInputError(
            "The machines of the classes differ in kernel or scale, or have conformal maps: export each of them (estimators_)."
        )
    intercept = np.concatenate([part.intercept for part in parts])
    if first.kernel == "linear":
        return first._replace(coef=np.vstack([part.coef for part in parts]), intercept=intercept, classes=classes)
    vectors, where = np.unique(np.vstack([part.vectors for part in parts]), axis=0, return_inverse=True)
    coef = np.zeros((count, len(vectors)))
    owner = np.repeat(np.arange(count), [len(part.vectors) for part in parts])
    np.add.at(coef, (owner, where.ravel()), np.concatenate([part.coef[0] for part in parts]))
    return first._replace(vectors=vectors, coef=coef, intercept=intercept, classes=classes)


def _setting(formula: Formula) -> tuple[Any, ...]:
    """What the machines of several classes must have in common."""
    shared = (formula.mean, formula.scale, formula.fill)
    return formula.kernel, formula.gamma, formula.degree, formula.coef0, *(array.tobytes() for array in shared)


def _certified(machine: Any) -> Formula:
    """The machine of a risk certificate: whole coefficients, and b out of the message."""
    kernel, n = machine.kernel or Linear(), machine.samples.shape[1]
    return Formula(
        *_kernel(kernel), _rows(machine.samples).reshape(-1, n),
        coef=np.asarray(machine.levels, dtype=np.float64)[None, :],
        intercept=np.array([machine.intercept]),
        classes=tuple(np.asarray(machine.classes).tolist()),
        mean=np.zeros(n), scale=np.ones(n), fill=np.full(n, np.nan),
    )  # fmt: skip


def _unmapped(machine: Any) -> Any:
    """The kernel without a conformal factor: an object of ours, or the machine itself where it only has a name for it."""
    kernel = machine if hasattr(machine, "coef_") else getattr(machine, "kernel_", machine)
    return kernel.k0 if isinstance(kernel, ConformalKernel) else kernel


def _kernel(kernel: Any) -> tuple[str, float, int, float]:
    """(name, gamma, degree, coef0) of a kernel of ours, or of the one that a scikit-learn machine names."""
    if isinstance(kernel, RBF):
        return "rbf", float(kernel.gamma), 1, 0.0
    if isinstance(kernel, Polynomial):
        return "poly", 1.0, kernel.degree, float(kernel.coef0)
    if isinstance(kernel, Linear):
        return "poly", 1.0, 1, 0.0
    name, gamma = getattr(kernel, "kernel", "linear"), getattr(kernel, "gamma", 1.0)
    if name == "linear" and hasattr(kernel, "coef_"):
        return "linear", 1.0, 1, 0.0
    if name in ("rbf", "poly") and not is_number(gamma):
        raise InvalidInputError(
            f"gamma={gamma!r} was computed inside {type(kernel).__name__}: fit with a number for gamma."
        )
    if name == "rbf":
        return "rbf", float(gamma), 1, 0.0
    if name == "poly":
        return "poly", float(gamma), int(kernel.degree), float(kernel.coef0)
    raise InvalidInputError(
        f"kernel={name!r} cannot be expressed outside Python. Kernels that can: 'linear', 'poly', 'rbf'."
    )


def _with_map(formula: Formula, machine: Any) -> Formula:
    """k = c c' k_0: c at the support vectors goes into the coefficients, c at a new point is computed there."""
    kernel = getattr(machine, "kernel_", None)
    if not isinstance(kernel, ConformalKernel):
        return formula
    if not isinstance(kernel.c, ConformalMap):
        raise InvalidInputError(
            "The factor c of this conformal machine is a function of Python, and cannot be exported."
        )
    c = kernel.c
    at_vectors = c(formula.vectors) if len(formula.vectors) else np.empty(0)
    bumps = Bumps(_rows(c.cores).reshape(-1, formula.n_features), np.asarray(c.alpha), float(c.gamma))
    if kernel.beside:  # (1 + c c') k_0 / 2
        return formula._replace(coef=formula.coef / 2, bumps=bumps._replace(beside=at_vectors))
    return formula._replace(coef=formula.coef * at_vectors, bumps=bumps)


def _rows(values: Any) -> FloatArray:
    """A matrix, dense, in double precision."""
    return np.atleast_2d(np.asarray(dense(values), dtype=np.float64))


def _with_step(formula: Formula, step: Any) -> Formula:
    """The formula with one more step before it: a scaler or an imputer."""
    if step in (None, "passthrough"):
        return formula
    if hasattr(step, "scale_") and hasattr(step, "mean_"):  # StandardScaler: z = (x - mean) / scale
        mean = np.zeros(formula.n_features) if step.mean_ is None else np.asarray(step.mean_, dtype=np.float64)
        scale = np.ones(formula.n_features) if step.scale_ is None else np.asarray(step.scale_, dtype=np.float64)
        return formula._replace(
            mean=mean + scale * formula.mean, scale=scale * formula.scale, fill=mean + scale * formula.fill
        )
    if hasattr(step, "statistics_") and getattr(step, "missing_values", None) is np.nan and not step.add_indicator:
        return formula._replace(fill=np.asarray(step.statistics_, dtype=np.float64))
    raise InvalidInputError(
        f"A {type(step).__name__} before the machine cannot be exported. Steps that can: StandardScaler, and SimpleImputer for "
        "NaN without an indicator."
    )
