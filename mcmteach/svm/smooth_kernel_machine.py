"""What KernelPerceptron and KernelSVM share: a smooth loss, minimised in the feature space of a kernel."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.base import Classifier, KernelMachine
from mcmteach.embedding import center_kernel
from mcmteach.svm.duality_gap import minimise
from mcmteach.svm.smooth_problem import KernelProblem, accelerated_steps
from mcmteach.validation import FloatArray, MatrixLike, as_labels, as_number, as_square, as_vector


class SmoothKernelMachine(KernelMachine, Classifier):
    """What KernelPerceptron and KernelSVM share: all but their names for m and C."""

    tol: float
    max_iter: int
    objective_: float
    objectives_: FloatArray
    gap_: float
    n_iter_: int

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """f(x) = sum over the training samples of z_i k(x_i, x) + b: its sign is the class."""
        return self._expansion(self._check_new_data(X))

    def _fit(self, X: MatrixLike, y: ArrayLike, C: float, m: float) -> Self:
        X, y = self._check_training_data(X, y)
        K = self._mercer_matrix(X)
        # b is not penalised, so moving the origin of the feature space to the mean changes b alone and not the machine;
        # but a step in b then no longer undoes a step in w, and the descent is much shorter
        problem = KernelProblem(center_kernel(K), y, C, m)
        path: list[float] = []
        found = minimise(
            accelerated_steps(problem),
            problem.lower_bound,
            self.tol,
            self.max_iter,
            lambda step: path.append(step.objective),
        )
        z = found.best.p - found.best.p.mean()  # the same w, combined from the samples instead of the centred ones
        self.dual_coef_, self.intercept_ = z[None, :], np.array([found.best.b - (K @ z).mean()])
        self._keep_support(X, np.arange(len(y)))
        self.objectives_, self.objective_ = np.array(path), found.best.objective
        self.gap_, self.n_iter_ = found.gap, found.n_iter
        return self


def kernel_arguments(
    K: ArrayLike, y: ArrayLike, z: ArrayLike, b: float
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """What the objectives and gradients of kernel machines ask of their arguments."""
    K = as_square(K)
    y = as_labels(y, len(K), both=False)
    return K, y, as_vector(z, "z", len(K)), as_number(b, "b")
