"""Support vector machines as the slides derive them, and other machines that minimise a loss plus a squared norm.

==================  ==========================================================================================
plane               a hyperplane with its proof, and the history of those that a descent passes
largest_margin      the hard margin, by quadratic programming
hinge               slack, the soft margin's objective and subgradients
pairwise_dual       the soft margin exactly, by sequential minimal optimisation
smooth_hinge        the soft margin with a smooth loss
descent_steps       gradient descent with a step size that one chooses, step by step
linear_svm          LinearSVM: these as a classifier
kernel_svm          KernelSVM: the smooth one with a kernel
kernel_least_squares  KernelLeastSquares: regression with a kernel
==================  ==========================================================================================

Underneath: ``smooth_problem`` (accelerated gradients), ``duality_gap`` (when to stop), ``smooth_kernel_machine`` (what
KernelSVM shares with KernelPerceptron).
"""

from mcmteach.svm.descent_steps import descent, valley
from mcmteach.svm.hinge import slack, soft_margin_objective, soft_margin_subgradient
from mcmteach.svm.kernel_least_squares import KernelLeastSquares
from mcmteach.svm.kernel_svm import KernelSVM, kernel_svm_gradient, kernel_svm_objective
from mcmteach.svm.largest_margin import hard_margin
from mcmteach.svm.linear_svm import LinearSVM
from mcmteach.svm.pairwise_dual import soft_margin
from mcmteach.svm.plane import History, Plane
from mcmteach.svm.smooth_hinge import smooth_hinge_loss, smooth_margin, smooth_svm_gradient, smooth_svm_objective
