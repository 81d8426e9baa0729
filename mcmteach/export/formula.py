r"""What a fitted machine or pipeline computes, as plain numbers: the one description from which every format is written.

\[f(x) = c(z) \sum_i \lambda_i\, k(v_i, z) + b, \qquad z = (x - \text{mean}) / \text{scale},\]

with c = 1 unless the machine is conformal, one f for two classes and one per class for more. Missing values are filled
before anything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcmteach.conformal import ConformalKernel, ConformalMap
from mcmteach.conformal_mcm import ConformalMCMClassifier
from mcmteach.errors import InvalidInputError
from mcmteach.kernels import RBF, Linear, Polynomial
from mcmteach.validation import FloatArray, as_matrix, dense, is_number


class Bumps(NamedTuple):
    """A conformal factor c(z) = alpha_0 + sum_j alpha_j exp(-gamma |z - a_j|^2)."""

    cores: FloatArray
    alpha: FloatArray
    gamma: float


class Formula(NamedTuple):
    """The numbers that are needed to answer, and nothing else."""

    kernel: str  #: "rbf", "poly" or "linear"; a linear machine has coefficients for features instead of vectors
    gamma: float  #: of the RBF kernel, or of (gamma v·z + coef0)^degree
    degree: int
    coef0: float
    vectors: FloatArray  #: (n_vectors, n_features); (0, n_features) for a linear machine
    coef: FloatArray  #: (n_outputs, n_vectors), or (n_outputs, n_features) for a linear machine
    intercept: FloatArray  #: (n_outputs,)
    classes: tuple[Any, ...]
    mean: FloatArray
    scale: FloatArray
    fill: FloatArray  #: what stands for a missing value in each feature; NaN where none may be missing
    bumps: Bumps | None = None

    @property
    def n_features(self) -> int:
        return len(self.mean)

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """f for each row of X, in double precision: shape (n_samples,) for two classes, (n_samples, n_classes) for more."""
        z = self._standardised(X)
        f = self._factor(z)[:, None] * (self._kernel_values(z) @ self.coef.T) + self.intercept
        return f[:, 0] if f.shape[1] == 1 else f

    def sizes(self, X: ArrayLike) -> FloatArray:
        """The largest sum of absolute terms over the outputs, for each row of X: what rounding is measured by."""
        z = self._standardised(X)
        absolute = self._replace(coef=np.abs(self.coef))
        if self.bumps is not None:
            absolute = absolute._replace(bumps=self.bumps._replace(alpha=np.abs(self.bumps.alpha)))
        if self.kernel != "rbf":
            absolute, z = absolute._replace(vectors=np.abs(self.vectors)), np.abs(z)
        terms = absolute._kernel_values(z) @ absolute.coef.T
        return (absolute._factor(z)[:, None] * terms + np.abs(self.intercept)).max(axis=1)

    def _standardised(self, X: ArrayLike) -> FloatArray:
        rows: FloatArray = as_matrix(X, missing=True)
        return (np.where(np.isnan(rows), self.fill, rows) - self.mean) / self.scale

    def _factor(self, z: FloatArray) -> FloatArray:
        """c(z), or 1."""
        if self.bumps is None:
            return np.ones(len(z))
        return self.bumps.alpha[0] + RBF(self.bumps.gamma)(z, self.bumps.cores) @ self.bumps.alpha[1:]

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of each row of X."""
        f = self.decision_function(X)
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
    steps: Sequence[Any] = [step for _, step in machine.steps] if hasattr(machine, "steps") else [machine]
    machine = steps[-1]
    if not hasattr(machine, "intercept_"):
        raise InvalidInputError(
            f"This {type(machine).__name__} is not fitted, or is no machine with an intercept_. Fit it first."
        )
    formula = _machine(machine.machine_ if isinstance(machine, ConformalMCMClassifier) else machine)
    for step in reversed(steps[:-1]):
        formula = _with_step(formula, step)
    return formula


def _machine(machine: Any) -> Formula:
    n = int(machine.n_features_in_)
    kernel, gamma, degree, coef0 = _kernel(_unmapped(machine))
    linear = kernel == "linear"
    vectors = np.empty((0, n)) if linear else _rows(machine.support_vectors_).reshape(-1, n)
    formula = Formula(
        kernel, gamma, degree, coef0, vectors,
        coef=_rows(machine.coef_ if linear else machine.dual_coef_),
        intercept=np.atleast_1d(np.asarray(machine.intercept_, dtype=np.float64)),
        classes=tuple(np.asarray(machine.classes_).tolist()),
        mean=np.zeros(n), scale=np.ones(n), fill=np.full(n, np.nan),
    )  # fmt: skip
    if not linear and len(formula.classes) > 2:
        raise InvalidInputError(
            f"A kernel machine for {len(formula.classes)} classes is not exported yet: export one machine per class "
            "(OneVsRestClassifier(...).estimators_)."
        )
    if linear and formula.coef.shape[1] != n:
        raise InvalidInputError(
            f"{type(machine).__name__} is linear in features of its own making: it is not exported yet."
        )
    return _with_map(formula, machine)


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
    if kernel.beside or not isinstance(kernel.c, ConformalMap):
        raise InvalidInputError('Of the conformal machines only those with map="paper" are exported, not map="beside".')
    c = kernel.c
    coef = formula.coef * c(formula.vectors) if len(formula.vectors) else formula.coef
    return formula._replace(coef=coef, bumps=Bumps(_rows(c.cores), np.asarray(c.alpha), float(c.gamma)))


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
