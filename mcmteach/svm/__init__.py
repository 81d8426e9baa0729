"""Support vector machines, and other machines that minimise a smooth or hinge loss plus a norm."""

from mcmteach.svm.kernel_least_squares import KernelLeastSquares
from mcmteach.svm.machines import (
    KernelSVM,
    LinearSVM,
    Plane,
    hard_margin,
    kernel_svm_gradient,
    kernel_svm_objective,
    slack,
    smooth_hinge_loss,
    smooth_svm_gradient,
    smooth_svm_objective,
    soft_margin_objective,
    soft_margin_subgradient,
)
from mcmteach.svm.pairwise_dual import soft_margin

__all__ = [
    "KernelLeastSquares",
    "KernelSVM",
    "LinearSVM",
    "Plane",
    "hard_margin",
    "kernel_svm_gradient",
    "kernel_svm_objective",
    "slack",
    "smooth_hinge_loss",
    "smooth_svm_gradient",
    "smooth_svm_objective",
    "soft_margin",
    "soft_margin_objective",
    "soft_margin_subgradient",
]
