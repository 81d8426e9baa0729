"""The soft margin in the feature space of a kernel, with the smooth loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from numpy.typing import ArrayLike
from scipy.special import expit

from mcmteach.svm.smooth_hinge import smooth_hinge_loss
from mcmteach.svm.smooth_kernel_machine import SmoothKernelMachine, kernel_arguments
from mcmteach.validation import FloatArray, MatrixLike, positive


def kernel_svm_objective(K: ArrayLike, y: ArrayLike, z: ArrayLike, b: float, C: float = 1.0) -> float:
    r"""\(E(z, b) = \frac12 z^T K z + C\sum_p \log(1 + e^{1 - y_p(k_p\cdot z + b)})\).

    Parameters
    ----------
    K : kernel matrix, (n_samples, n_samples), with columns k_p
    y : labels -1 and +1
    z, b : the machine, f = K z + b
    C : price of slack

    Examples
    --------
    >>> round(kernel_svm_objective([[1.0, 0.0], [0.0, 1.0]], [1, -1], z=[1.0, -1.0], b=0.0), 4)    # 1 + 2 log 2
    2.3863

    Source: S, "Soft margin kernel SVM".
    """
    K, y, z, b = kernel_arguments(K, y, z, b)
    return float(z @ K @ z / 2 + positive(C, "C") * smooth_hinge_loss(y, K @ z + b).sum())


def kernel_svm_gradient(K: ArrayLike, y: ArrayLike, z: ArrayLike, b: float, C: float = 1.0) -> tuple[FloatArray, float]:
    r"""\(\nabla_z E = K z - C\sum_p \sigma_p y_p k_p\) and \(\nabla_b E = -C\sum_p \sigma_p y_p\), with
    \(\sigma_p = \frac{e^{1 - y_p f_p}}{1 + e^{1 - y_p f_p}}\).

    Examples
    --------
    >>> kernel_svm_gradient([[1.0, 0.0], [0.0, 1.0]], [1, -1], z=[1.0, -1.0], b=0.0)
    (array([ 0.5, -0.5]), 0.0)

    Source: S, "Soft margin kernel SVM"; its update \(z \leftarrow z - \nabla_z E\) has lost the step size.
    """
    K, y, z, b = kernel_arguments(K, y, z, b)
    C = positive(C, "C")
    sigma = expit(1 - y * (K @ z + b))
    return K @ (z - C * sigma * y), C * float(sigma @ -y)


class KernelSVM(SmoothKernelMachine):
    r"""The SVM in a kernel's feature space, smooth: \(\min\; \frac12 z^T K z + C\sum_p \log(1 + e^{1 - y_p(k_p\cdot z + b)})\).

    Parameters
    ----------
    kernel : "rbf", "linear", "poly", "precomputed", or a function k(X, Z) that gives the matrix of kernel values
    C : price of slack, > 0 and finite
    gamma : width of the RBF kernel, > 0; "scale" is 1 / (n_features * X.var()), "auto" is 1 / n_features
    degree, coef0 : the polynomial kernel (x·z + coef0)^degree
    tol : the fraction of the objective by which it may exceed its minimum: the relative duality gap at which to stop
    max_iter : limit on the number of steps; a ConvergenceWarning says when it is reached first

    Attributes
    ----------
    classes_ : the two labels; a positive ``decision_function`` means ``classes_[1]``
    dual_coef_ : z, shape (1, n_samples). No entry is 0, as a smooth loss is nowhere flat
    support_, support_vectors_, n_support_ : therefore all samples (no vectors for a precomputed kernel)
    intercept_ : b, shape (1,)
    objective_ : the minimum that was found
    objectives_ : the objective after each step
    gap_ : the relative duality gap: the objective exceeds its minimum by at most this fraction of its value
    n_iter_ : number of steps
    gamma_ : the number that gamma stood for (RBF kernel)
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "different", "different"]
    >>> machine = KernelSVM(gamma=2.0).fit(X, y)
    >>> machine.predict(X).tolist(), machine.gap_ <= 1e-6
    (['same', 'same', 'different', 'different'], True)

    Source: S, "Soft margin kernel SVM". The smooth loss bends over a width of about 2 around the margin, which
    regularises the machine as a smaller C would: on clean data, C = 5 here compares with SVC's C = 1.
    """

    def __init__(
        self,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        C: float = 1.0,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        tol: float = 1e-6,
        max_iter: int = 1000,
    ):
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Learn from X, of shape (n_samples, n_features) or (n_samples, n_samples) if precomputed, and two classes y."""
        return self._fit(X, y, positive(self.C, "C"), m=1.0)
