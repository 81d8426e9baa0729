"""mcmteach: statistical learning theory one can play with, from the VC bound to the Minimal Complexity Machine.

The core needs numpy and scipy only. ``mcmteach.plots`` draws (matplotlib); ``python -m mcmteach doctor`` looks
whether everything is installed.
"""

from mcmteach.bounds import (
    empirical_risk,
    is_separable,
    is_vacuous,
    margin_error_scale,
    margin_vc_dim,
    sample_size,
    shatters,
    structural_risk,
    unseparable_labels,
    vapnik_bound,
    vc_bound,
    vc_epsilon,
)
from mcmteach.capacity import capacity_chain, functional_margins, geometric_margin, geometric_margins, h_mcm, radius
from mcmteach.certificate import Certificate, constant_price
from mcmteach.errors import (
    CertificateWarning,
    ConstantClassifierWarning,
    ConvergenceWarning,
    InfeasibleError,
    InvalidInputError,
    MCMError,
    MCMWarning,
    MissingExtraError,
    NotFittedError,
    NotMercerWarning,
    SolverError,
)
from mcmteach.gram import is_mercer, is_symmetric, kernel_alignment, numerical_rank
from mcmteach.kernels import (
    RBF,
    Bilinear,
    Kernel,
    Linear,
    Mapped,
    Polynomial,
    Separable,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
)
from mcmteach.least_squares import KernelLeastSquares
from mcmteach.lp import MCMSolution, charnes_cooper, charnes_cooper_inverse, solve_mcm
from mcmteach.mcm import MCMClassifier
from mcmteach.perceptron import KernelPerceptron, Perceptron, novikoff_bound
from mcmteach.svm import KernelSVM, LinearSVM, hard_margin

__version__ = "0.1.0"

__all__ = [
    "RBF",
    "Bilinear",
    "Certificate",
    "CertificateWarning",
    "ConstantClassifierWarning",
    "ConvergenceWarning",
    "InfeasibleError",
    "InvalidInputError",
    "Kernel",
    "KernelLeastSquares",
    "KernelPerceptron",
    "KernelSVM",
    "Linear",
    "LinearSVM",
    "MCMClassifier",
    "MCMError",
    "MCMSolution",
    "MCMWarning",
    "Mapped",
    "MissingExtraError",
    "NotFittedError",
    "NotMercerWarning",
    "Perceptron",
    "Polynomial",
    "Separable",
    "SolverError",
    "capacity_chain",
    "charnes_cooper",
    "charnes_cooper_inverse",
    "constant_price",
    "empirical_risk",
    "functional_margins",
    "geometric_margin",
    "geometric_margins",
    "h_mcm",
    "hard_margin",
    "is_mercer",
    "is_separable",
    "is_symmetric",
    "is_vacuous",
    "kernel_alignment",
    "linear_kernel",
    "margin_error_scale",
    "margin_vc_dim",
    "novikoff_bound",
    "numerical_rank",
    "polynomial_kernel",
    "radius",
    "rbf_kernel",
    "sample_size",
    "shatters",
    "solve_mcm",
    "structural_risk",
    "unseparable_labels",
    "vapnik_bound",
    "vc_bound",
    "vc_epsilon",
]
