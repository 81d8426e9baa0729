r"""Rosenblatt's perceptron in its two forms, Novikoff's bound on its mistakes, and the kernel perceptron of the slides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from mcmteach.base import Classifier
from mcmteach.capacity import radius
from mcmteach.errors import ConvergenceWarning, InvalidInputError, like_sklearn, warn
from mcmteach.kernels import linear_kernel
from mcmteach.svm import hard_margin
from mcmteach.svm.smooth_kernel_machine import SmoothKernelMachine, kernel_arguments
from mcmteach.svm.smooth_problem import smooth_loss
from mcmteach.validation import (
    FloatArray,
    MatrixLike,
    as_labels,
    as_matrix,
    as_square,
    as_vector,
    dense,
    not_negative,
    positive,
    whole,
)


class PerceptronRun(NamedTuple):
    """The result of Rosenblatt's rule."""

    alpha: FloatArray  #: how often each sample was misclassified and changed the machine
    b: float
    errors: list[int]  #: mistakes in each pass over the data; the last is 0 if the rule has converged


def perceptron_primal(X: ArrayLike, y: ArrayLike, max_iter: int = 1000) -> tuple[FloatArray, PerceptronRun]:
    r"""Rosenblatt's rule: where \(y_p(w\cdot x_p + b) \le 0\), \(w \leftarrow w + y_p x_p\) and \(b \leftarrow b + y_p\).

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : labels -1 and +1
    max_iter : limit on the passes over the data. The rule converges only if a plane separates the classes

    Returns
    -------
    w, and the run that led to it

    Examples
    --------
    >>> w, run = perceptron_primal([[2.0, 1.0], [1.0, 2.0], [-1.0, 0.0], [0.0, -1.0]], [1, 1, -1, -1])
    >>> w, run.b, run.errors
    (array([2., 2.]), 0.0, [2, 0])

    Source: S, "Linear classifiers revisited" and "Kernel trick".
    """
    X = as_matrix(X)
    y = as_labels(y, len(X))
    w = np.zeros(X.shape[1])

    def learn(p: int) -> None:
        w[:] += y[p] * X[p]

    return w, _run(y, lambda: X @ w, learn, max_iter)


class Update(NamedTuple):
    """One mistake of Rosenblatt's rule, and the plane after it."""

    p: int  #: the sample that was misclassified
    w: FloatArray  #: w after it was added
    b: float


def perceptron_steps(X: ArrayLike, y: ArrayLike, max_iter: int = 1000) -> list[Update]:
    r"""Every mistake of :func:`perceptron_primal`, in order, with the plane after each.

    The machine is the sum of its mistakes: after those at \(p_1, \dots, p_k\) it is
    \(w = \sum_j y_{p_j} x_{p_j}\), \(b = \sum_j y_{p_j}\).

    Examples
    --------
    >>> for step in perceptron_steps([[3.0], [1.0]], [1, -1])[:3]:
    ...     print(step.p, step.w, step.b)
    0 [3.] 1.0
    1 [2.] 0.0
    1 [1.] -1.0

    Source: S, "Linear classifiers revisited".
    """
    X = as_matrix(X)
    y = as_labels(y, len(X))
    w, steps = np.zeros(X.shape[1]), []

    def learn(p: int) -> None:
        w[:] += y[p] * X[p]
        steps.append(p)

    _run(y, lambda: X @ w, learn, max_iter)
    W, b = np.cumsum(y[steps, None] * X[steps], axis=0), np.cumsum(y[steps])
    return [Update(p, W[k], float(b[k])) for k, p in enumerate(steps)]


def perceptron_dual(K: ArrayLike, y: ArrayLike, max_iter: int = 1000) -> PerceptronRun:
    r"""The same rule in counts: where \(y_p(\sum_q \alpha_q y_q K_{qp} + b) \le 0\), \(\alpha_p \leftarrow \alpha_p + 1\).

    It uses products of samples only, so K may be any kernel matrix (Aizerman 1964).

    Examples
    --------
    >>> xor, y = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]]), [1, 1, -1, -1]
    >>> perceptron_dual((xor @ xor.T) ** 2, y).errors    # the quadratic kernel separates XOR
    [2, 0]

    Source: S, "Kernel trick".
    """
    K = as_square(K)
    y = as_labels(y, len(K))
    f = np.zeros(len(y))  # sum_q alpha_q y_q K_qp for each p, kept up to date

    def learn(p: int) -> None:
        f[:] += y[p] * K[p]

    return _run(y, lambda: f, learn, max_iter)


def _run(
    y: FloatArray, answers: Callable[[], FloatArray], learn: Callable[[int], None], max_iter: int
) -> PerceptronRun:
    """Pass over the samples until none is misclassified, and learn from each that is."""
    alpha, b, errors = np.zeros(len(y)), 0.0, []
    for _ in range(whole(max_iter, "max_iter", 1)):
        before, p = alpha.sum(), -1
        # nothing changes between two mistakes, so the next one is found among all remaining samples at once
        while len(wrong := np.flatnonzero(y[p + 1 :] * (answers()[p + 1 :] + b) <= 0)):
            p += 1 + int(wrong[0])
            learn(p)
            alpha[p], b = alpha[p] + 1, b + float(y[p])
        errors.append(int(alpha.sum() - before))
        if errors[-1] == 0:
            break
    return PerceptronRun(alpha, b, errors)


def combination(X: ArrayLike, y: ArrayLike, alpha: ArrayLike) -> FloatArray:
    r"""\(w = \sum_p \alpha_p y_p x_p\): the plane of any of these machines lies in the span of the samples.

    Examples
    --------
    >>> combination([[1, 0, 0], [0, 0, 1]], [1, 1], alpha=[1, 1])    # the slides' example
    array([1., 0., 1.])

    Source: S, "Kernel trick", with d for y.
    """
    X = as_matrix(X)
    return (as_vector(alpha, "alpha", len(X)) * as_labels(y, len(X), both=False)) @ X


def novikoff_bound(X: ArrayLike, y: ArrayLike) -> float:
    r"""The most mistakes that Rosenblatt's rule can make on separable data, in any order: \((R/\Delta)^2\).

    The rule treats b as the weight of a constant feature, so R is the largest \(\|\hat x_p\|\) with
    \(\hat x = (x; 1)\), and \(\Delta\) the largest margin \(\min_p y_p\,\hat u\cdot\hat x_p\) that a unit vector
    \(\hat u\) reaches in that augmented space. (Margins of the space without it would break the theorem.)

    Examples
    --------
    >>> round(novikoff_bound([[1.0], [-1.0]], [1, -1]), 6)    # R² = 2, Δ = 1
    2.0

    Source: Novikoff 1962; S names the algorithm. Data that no plane separates raise an InfeasibleError.
    """
    X = as_matrix(X)
    plane = hard_margin(X, y, penalise_b=True)
    return float(radius(X, augmented=True) ** 2 * (plane.w @ plane.w + plane.b**2))


class Perceptron(Classifier):
    r"""Rosenblatt's perceptron: it adds every sample that it misclassifies, \(w \leftarrow w + y_p x_p\), until there is none.

    Parameters
    ----------
    form : "primal" keeps w; "dual" keeps the counts alpha_p. They make the same mistakes and find the same plane
    max_iter : limit on the passes over the data; a ConvergenceWarning says when it still makes mistakes then

    Attributes
    ----------
    classes_ : the two labels; a positive ``decision_function`` means ``classes_[1]``
    coef_, intercept_ : w, of shape (1, n_features), and b, of shape (1,)
    alpha_ : how often each sample was added: w = sum_p alpha_p y_p x_p
    n_mistakes_ : their sum, which :func:`novikoff_bound` bounds if a plane separates the classes
    errors_ : mistakes in each pass
    n_iter_ : passes over the data
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> X, y = [[2.0, 1.0], [1.0, 2.0], [-1.0, 0.0], [0.0, -1.0]], ["yes", "yes", "no", "no"]
    >>> machine = Perceptron().fit(X, y)
    >>> machine.predict(X).tolist(), machine.n_mistakes_
    (['yes', 'yes', 'no', 'no'], 2)

    Source: S, "Linear classifiers revisited" and "Kernel trick".
    """

    alpha_: FloatArray
    n_mistakes_: int
    errors_: list[int]
    n_iter_: int

    def __init__(self, form: str = "primal", max_iter: int = 1000):
        self.form = form
        self.max_iter = max_iter

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Learn from X, of shape (n_samples, n_features), and two classes y, in the given order of the samples."""
        X, y = self._check_training_data(X, y)
        X = dense(X)
        if self.form == "primal":
            w, run = perceptron_primal(X, y, self.max_iter)
        elif self.form == "dual":
            run = perceptron_dual(linear_kernel(X), y, self.max_iter)
            w = combination(X, y, run.alpha)
        else:
            raise InvalidInputError(f"There is no form {self.form!r}. Choose 'primal' or 'dual'.")
        alpha, b, errors = run
        if errors[-1]:
            warn(
                f"After {len(errors)} passes the perceptron still makes {errors[-1]} mistakes in a pass. If no plane separates "
                "the classes (see is_separable) it never converges: take LinearSVM or a kernel. Otherwise allow more passes "
                "(max_iter), or standardise the data.",
                like_sklearn(ConvergenceWarning, "ConvergenceWarning"),
            )
        self.coef_, self.intercept_ = w[None, :], np.array([b])
        self.alpha_, self.n_mistakes_ = alpha, int(alpha.sum())
        self.errors_, self.n_iter_ = errors, len(errors)
        return self


# --- the smooth perceptron, and its kernel form ----------------------------------------------------------------------


def smooth_perceptron_loss(y: ArrayLike, f: ArrayLike) -> FloatArray:
    r"""\(\log(1 + e^{-y f})\), the softmax version of \(\max(0, -y f)\): also known as the logistic loss.

    Examples
    --------
    >>> smooth_perceptron_loss([1, -1], [0.0, -3.0]).round(4)
    array([0.6931, 0.0486])

    Source: S, "Kernelizing two-class perceptron with softmax loss".
    """
    return smooth_loss(y, f, m=0.0)


def kernel_perceptron_objective(K: ArrayLike, y: ArrayLike, z: ArrayLike, b: float, lam: float = 0.0) -> float:
    r"""\(E(z, b) = \sum_p \log(1 + e^{-y_p(k_p\cdot z + b)}) + \frac\lambda2 z^T K z\).

    Parameters
    ----------
    K : kernel matrix, (n_samples, n_samples), with columns k_p
    y : labels -1 and +1
    z, b : the machine, f = K z + b
    lam : price on \(\|w\|^2 = z^T K z\); 0 gives the bare sum

    Examples
    --------
    >>> round(kernel_perceptron_objective([[1.0, 0.0], [0.0, 1.0]], [1, -1], z=[0.0, 0.0], b=0.0), 4)    # 2 log 2
    1.3863

    Source: S, "Kernelizing two-class perceptron with softmax loss", without the stray nabla in front of its sum.
    """
    K, y, z, b = kernel_arguments(K, y, z, b)
    lam = not_negative(lam, "lam")
    return float(smooth_perceptron_loss(y, K @ z + b).sum() + lam / 2 * z @ K @ z)


def kernel_perceptron_gradient(
    K: ArrayLike, y: ArrayLike, z: ArrayLike, b: float, lam: float = 0.0
) -> tuple[FloatArray, float]:
    r"""\(\nabla_z E = -\sum_p \sigma_p y_p k_p + \lambda K z\) and \(\nabla_b E = -\sum_p \sigma_p y_p\), with
    \(\sigma_p = \frac{e^{-y_p f_p}}{1 + e^{-y_p f_p}}\).

    Examples
    --------
    >>> kernel_perceptron_gradient([[1.0, 0.0], [0.0, 1.0]], [1, -1], z=[0.0, 0.0], b=0.0)
    (array([-0.5,  0.5]), 0.0)

    Source: S, "Minimizing the kernelized two-class perceptron with softmax loss".
    """
    K, y, z, b = kernel_arguments(K, y, z, b)
    lam = not_negative(lam, "lam")
    sigma = expit(-y * (K @ z + b))
    return K @ (lam * z - sigma * y), float(sigma @ -y)


class KernelPerceptron(SmoothKernelMachine):
    r"""The perceptron in feature space: \(\min\; \sum_p \log(1 + e^{-y_p(k_p\cdot z + b)}) + \frac\lambda2 z^T K z\).

    Parameters
    ----------
    kernel : "rbf", "linear", "poly", "precomputed", or a function k(X, Z) that gives the matrix of kernel values
    lam : lambda, the price on the length of w in feature space, > 0
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
    >>> KernelPerceptron(gamma=2.0).fit(X, y).predict(X).tolist()
    ['same', 'same', 'different', 'different']

    Source: S, "Kernelizing two-class perceptron with softmax loss". It is logistic regression in feature space.
    """

    def __init__(
        self,
        kernel: str | Callable[[Any, Any], Any] = "rbf",
        lam: float = 0.1,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        tol: float = 1e-6,
        max_iter: int = 1000,
    ):
        self.kernel = kernel
        self.lam = lam
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Learn from X, of shape (n_samples, n_features) or (n_samples, n_samples) if precomputed, and two classes y."""
        lam = positive(self.lam, "lam")
        self._fit(X, y, C=1 / lam, m=0.0)  # E / lambda = ½||w||² + C sum of losses
        self.objective_, self.objectives_ = lam * self.objective_, lam * self.objectives_
        return self
