"""mcmteach: statistical learning theory one can play with, from the VC bound to the Minimal Complexity Machine.

The core needs numpy and scipy only. ``mcmteach.plots`` draws (matplotlib); ``python -m mcmteach doctor`` looks
whether everything is installed.
"""

try:
    import numpy as _numpy  # noqa: F401
    import scipy as _scipy  # noqa: F401
except ImportError as _problem:
    raise ImportError(f"mcmteach needs numpy and scipy ({_problem}). Install them with: pip install mcmteach") from None

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
from mcmteach.columns import KernelColumns
from mcmteach.datasets import Dataset, MedianImputer, list_datasets, load_dataset, paper_disagreements
from mcmteach.errors import (
    CertificateWarning,
    ConstantClassifierWarning,
    InfeasibleError,
    InvalidInputError,
    MCMError,
    MCMWarning,
    MissingExtraError,
    NotFittedError,
    NotMercerWarning,
    SolverError,
)
from mcmteach.gram import (
    KernelVerdict,
    block_score,
    cosines,
    diagonality,
    good_bad_ugly,
    is_mercer,
    is_symmetric,
    judge_kernel,
    kernel_alignment,
    numerical_rank,
)
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
    quadratic_map,
    rbf_kernel,
    xor_features,
)
from mcmteach.lp import MCMSolution, charnes_cooper, charnes_cooper_inverse, solve_mcm
from mcmteach.mcm import MCMClassifier
from mcmteach.path import MCMPath, mcm_path
from mcmteach.structured import (
    GRAPHLETS,
    diffusion_kernel,
    document_kernel,
    gram_matrix,
    graphlet_counts,
    graphlet_histogram,
    graphlet_kernel,
    multiset_kernel,
    set_kernel,
    spectrum,
    spectrum_kernel,
    word_counts,
)

__version__ = "0.1.0"

__all__ = [
    "GRAPHLETS",
    "RBF",
    "Bilinear",
    "Certificate",
    "CertificateWarning",
    "ConstantClassifierWarning",
    "Dataset",
    "InfeasibleError",
    "InvalidInputError",
    "Kernel",
    "KernelColumns",
    "KernelVerdict",
    "Linear",
    "MCMClassifier",
    "MCMError",
    "MCMPath",
    "MCMSolution",
    "MCMWarning",
    "Mapped",
    "MedianImputer",
    "MissingExtraError",
    "NotFittedError",
    "NotMercerWarning",
    "Polynomial",
    "Separable",
    "SolverError",
    "block_score",
    "capacity_chain",
    "charnes_cooper",
    "charnes_cooper_inverse",
    "constant_price",
    "cosines",
    "diagonality",
    "diffusion_kernel",
    "document_kernel",
    "empirical_risk",
    "functional_margins",
    "geometric_margin",
    "geometric_margins",
    "good_bad_ugly",
    "gram_matrix",
    "graphlet_counts",
    "graphlet_histogram",
    "graphlet_kernel",
    "h_mcm",
    "is_mercer",
    "is_separable",
    "is_symmetric",
    "is_vacuous",
    "judge_kernel",
    "kernel_alignment",
    "linear_kernel",
    "list_datasets",
    "load_dataset",
    "margin_error_scale",
    "margin_vc_dim",
    "mcm_path",
    "multiset_kernel",
    "numerical_rank",
    "paper_disagreements",
    "polynomial_kernel",
    "quadratic_map",
    "radius",
    "rbf_kernel",
    "sample_size",
    "set_kernel",
    "shatters",
    "solve_mcm",
    "spectrum",
    "spectrum_kernel",
    "structural_risk",
    "unseparable_labels",
    "vapnik_bound",
    "vc_bound",
    "vc_epsilon",
    "word_counts",
    "xor_features",
]
