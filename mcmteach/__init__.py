"""mcmteach: statistical learning theory one can play with, from the VC bound to the Minimal Complexity Machine.

The core needs numpy and scipy only. ``mcmteach.plots`` draws (matplotlib); ``python -m mcmteach doctor`` checks
that everything is installed. ``mcmteach.checks`` checks the exercises.
"""

try:
    import numpy as _numpy  # noqa: F401
    import scipy as _scipy  # noqa: F401
except ImportError as _problem:
    raise ImportError(
        f"mcmteach needs numpy and scipy ({_problem}). Install them with: pip install numpy scipy"
    ) from None

from mcmteach.bounds import empirical_risk, is_vacuous, margin_vc_dim, sample_size, vapnik_bound, vc_bound, vc_epsilon
from mcmteach.capacity import capacity_chain, functional_margins, geometric_margin, h_mcm, radius
from mcmteach.certificate import Certificate, MCMSolution
from mcmteach.checks import check, hint, progress
from mcmteach.conformal import ConformalKernel, ConformalMap, amari_wu_map, optimal_map, xiong_map
from mcmteach.conformal_mcm import ConformalMCMClassifier
from mcmteach.datasets import list_datasets, load_dataset
from mcmteach.embedding import empirical_feature_map, kernel_pca, pca
from mcmteach.errors import MCMError, MCMWarning
from mcmteach.export.c_code import to_c
from mcmteach.export.model_file import load_model, save_model
from mcmteach.export.onnx_graph import to_onnx
from mcmteach.fisher import fisher_scalar, kernel_fisher_scalar, scatter_matrices
from mcmteach.gram import is_mercer, kernel_alignment, numerical_rank
from mcmteach.guarantee import compression_bound, risk_certificate
from mcmteach.kernels import RBF, Kernel, Linear, Polynomial, linear_kernel, polynomial_kernel, rbf_kernel
from mcmteach.large_scale import LargeScaleMCMClassifier
from mcmteach.lp import charnes_cooper
from mcmteach.mcm import MCMClassifier
from mcmteach.perceptron import KernelPerceptron, Perceptron
from mcmteach.regression import MCMRegressor
from mcmteach.separability import shatters
from mcmteach.solvers.constant_price import constant_price
from mcmteach.solvers.path import mcm_path
from mcmteach.solvers.solve import solve_mcm
from mcmteach.structured import gram_matrix, graphlet_kernel, set_kernel, spectrum_kernel
from mcmteach.svm import KernelSVM, LinearSVM
from mcmteach.tune import tune_conformal, tune_mcm

__version__ = "0.1.0"

__all__ = [
    "RBF",
    "Certificate",
    "ConformalKernel",
    "ConformalMCMClassifier",
    "ConformalMap",
    "Kernel",
    "KernelPerceptron",
    "KernelSVM",
    "LargeScaleMCMClassifier",
    "Linear",
    "LinearSVM",
    "MCMClassifier",
    "MCMError",
    "MCMRegressor",
    "MCMSolution",
    "MCMWarning",
    "Perceptron",
    "Polynomial",
    "amari_wu_map",
    "capacity_chain",
    "charnes_cooper",
    "check",
    "compression_bound",
    "constant_price",
    "empirical_feature_map",
    "empirical_risk",
    "fisher_scalar",
    "functional_margins",
    "geometric_margin",
    "gram_matrix",
    "graphlet_kernel",
    "h_mcm",
    "hint",
    "is_mercer",
    "is_vacuous",
    "kernel_alignment",
    "kernel_fisher_scalar",
    "kernel_pca",
    "linear_kernel",
    "list_datasets",
    "load_dataset",
    "load_model",
    "margin_vc_dim",
    "mcm_path",
    "numerical_rank",
    "optimal_map",
    "pca",
    "polynomial_kernel",
    "progress",
    "radius",
    "rbf_kernel",
    "risk_certificate",
    "sample_size",
    "save_model",
    "scatter_matrices",
    "set_kernel",
    "shatters",
    "solve_mcm",
    "spectrum_kernel",
    "to_c",
    "to_onnx",
    "tune_conformal",
    "tune_mcm",
    "vapnik_bound",
    "vc_bound",
    "vc_epsilon",
    "xiong_map",
]
