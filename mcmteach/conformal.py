r"""Conformal maps: kernels that stretch space where it matters, \(k(x, x') = c(x)\,c(x')\,k_0(x, x')\). N section 2.3.

The factor is \(c(x) = \alpha_0 + \sum_i \alpha_i \exp(-\gamma_c\|x - a_i\|^2)\), with a bump at each "empirical core" a_i.
There are three ways to choose alpha: by hand where the boundary is thought to be (Amari and Wu), by gradient ascent on
the Fisher scalar J (Xiong et al.), and by the generalized eigenvalue problem that finds the largest J at once (N(41)).

J does not change if c is multiplied by a number, but a machine with a price on its coefficients does. So the maps that
are fitted to data come scaled such that the kernel matrix keeps its trace, and turned such that c is positive on average.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError, InvalidTypeError
from mcmteach.fisher import scatter_matrices
from mcmteach.kernels import RBF, Kernel, KernelFunction, rbf_kernel, row_values
from mcmteach.validation import (
    FloatArray,
    MatrixLike,
    as_matrix,
    as_numbers,
    as_square,
    as_vector,
    dense,
    not_negative,
    positive,
    whole,
)

# Singular values of K_1 below this share of the largest count as zero. To reach c along a weaker direction alpha would have
# to be so large that c(x), a sum of huge terms that cancel, has fewer than eight digits left.
RANGE = 1e-8


def core_matrix(X: MatrixLike, cores: MatrixLike, gamma: float) -> FloatArray:
    r"""\(K_1\): a column of ones, then one column \(k_1(x, a_j) = \exp(-\gamma\|x - a_j\|^2)\) for each core.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    cores : array or sparse matrix of shape (n_cores, n_features); it may have no rows
    gamma : width gamma_c of the bumps, > 0

    Returns
    -------
    array of shape (n_samples, n_cores + 1)

    Examples
    --------
    >>> core_matrix([[0.0], [1.0]], cores=[[0.0]], gamma=1.0).round(4).tolist()
    [[1.0, 1.0], [1.0, 0.3679]]

    Source: N(34), P(17). (N prints k_2 and k_M where k_1 is meant: there is one kernel k_1.)
    """
    X, gamma = as_matrix(X, sparse=True), positive(gamma, "gamma")
    cores, ones = _as_cores(cores), np.ones((X.shape[0], 1))
    return np.hstack([ones, rbf_kernel(X, cores, gamma)]) if cores.shape[0] else ones


def _as_cores(cores: MatrixLike) -> Any:
    """Cores as a matrix, which may be one without rows."""
    cores = cores if sp.issparse(cores) else as_numbers(cores, "cores")
    return cores if cores.ndim == 2 and not cores.shape[0] else as_matrix(cores, "cores", sparse=True)


def conformal_matrix(K: ArrayLike, c: ArrayLike, d: ArrayLike | None = None, beside: bool = False) -> FloatArray:
    r"""\(C K_0 C\): the kernel matrix after the map, \(K_{ij} = c_i\, K_{0,ij}\, d_j\).

    Parameters
    ----------
    K : array of shape (n_samples, m_samples), values of the basic kernel k_0
    c : array of shape (n_samples,), the factor at the points of the rows
    d : array of shape (m_samples,), the factor at the points of the columns; c itself where it is left out
    beside : give \((K_0 + C K_0 C) / 2\) instead, as :class:`ConformalKernel` does

    Examples
    --------
    >>> conformal_matrix([[1.0, 0.5], [0.5, 1.0]], c=[2.0, 3.0]).tolist()
    [[4.0, 3.0], [3.0, 9.0]]

    Source: N section 2.3 (unnumbered), P(16). On points: :class:`ConformalKernel`.
    """
    K = as_matrix(K, "K")
    c = as_vector(c, "c", K.shape[0])
    d = as_vector(c if d is None else d, "c" if d is None else "d", K.shape[1])
    mapped = c[:, None] * K * d
    return (K + mapped) / 2 if beside else mapped


class ConformalKernel(Kernel):
    r"""The kernel \(c(x)\,c(x')\,k_0(x, x')\), for a factor c(X) and a kernel function k_0(X, Z).

    With ``beside`` it is the mean of the basic and the mapped kernel, \(\frac12\,(1 + c(x)\,c(x'))\,k_0(x, x')\): where c is
    0 the machine still has k_0.

    Examples
    --------
    >>> k = ConformalKernel(lambda X: 1 + np.abs(X[:, 0]), rbf_kernel)
    >>> k(np.array([[0.0], [1.0]])).round(4).tolist()
    [[1.0, 0.7358], [0.7358, 4.0]]

    Source: N section 2.3 (unnumbered).
    """

    def __init__(self, c: Callable[[Any], Any], k0: KernelFunction, beside: bool = False):
        self.c, self.k0, self.beside = c, k0, beside

    def values(self, X: MatrixLike, Z: MatrixLike) -> FloatArray:
        return conformal_matrix(self.k0(X, Z), row_values(self.c, X), row_values(self.c, Z), self.beside)

    def __repr__(self) -> str:
        return f"ConformalKernel({self.c!r}, {self.k0!r}{', beside=True' if self.beside else ''})"


@dataclass(frozen=True, eq=False)
class ConformalMap:
    r"""The factor \(c(x) = \alpha_0 + \sum_{i=1}^{P} \alpha_i \exp(-\gamma\|x - a_i\|^2)\), at any point.

    Parameters
    ----------
    cores : array or sparse matrix of shape (P, n_features), the empirical cores a_i; without rows, c is constant
    alpha : array of shape (P + 1,), first the constant alpha_0
    gamma : width gamma_c of the bumps, > 0

    Examples
    --------
    >>> c = ConformalMap(cores=[[0.0], [4.0]], alpha=[1.0, 2.0, -1.0], gamma=1.0)
    >>> c([[0.0], [2.0], [4.0]]).round(3).tolist()
    [3.0, 1.018, 0.0]

    Source: N(34) and the formula before it. c may change sign, and where it is 0 the kernel is 0.
    """

    cores: Any
    alpha: Any
    gamma: float

    def __post_init__(self) -> None:
        cores, alpha = _as_cores(self.cores), as_vector(self.alpha, "alpha")
        if len(alpha) != cores.shape[0] + 1:
            raise InvalidInputError(
                f"alpha has {len(alpha)} entries, but {cores.shape[0] + 1} are needed: the constant alpha_0, and one "
                "for each core. (P(15) gives an M-vector, one entry per sample, which is not alpha: see N(41).)"
            )
        for name, value in {"cores": cores, "alpha": alpha, "gamma": positive(self.gamma, "gamma")}.items():
            object.__setattr__(self, name, value)  # the dataclass is frozen: this is how it sets its own fields

    def __call__(self, X: MatrixLike) -> FloatArray:
        """c at the rows of X, shape (n_samples,)."""
        return core_matrix(X, self.cores, self.gamma) @ self.alpha

    def gradient(self, X: ArrayLike) -> FloatArray:
        r"""\(\nabla c(x) = -2\gamma \sum_i \alpha_i\, (x - a_i)\, k_1(x, a_i)\), shape (n_samples, n_features)."""
        X, cores = as_matrix(X), dense(self.cores)
        bumps = core_matrix(X, cores, self.gamma)[:, 1:] * self.alpha[1:]
        return -2 * self.gamma * (X * bumps.sum(axis=1, keepdims=True) - bumps @ cores)

    def scaled(self, X: MatrixLike) -> ConformalMap:
        r"""The same map times a number, such that \(c^2\) is 1 on average over the rows of X.

        Twice c is twice every distance in feature space: margin and radius double and nothing is gained. So scale a map
        before you compare it with no map. For an RBF kernel the kernel matrix of X then keeps its trace.
        """
        size = float(np.sqrt(np.mean(self(X) ** 2)))
        if size == 0:
            raise InvalidInputError(
                "c is 0 at every row of X, and no number makes that 1. Widen the bumps, or raise alpha_0."
            )
        return ConformalMap(self.cores, self.alpha / size, self.gamma)


# --- three ways to choose alpha --------------------------------------------------------------------------------------


def amari_wu_map(
    cores: MatrixLike, gamma: float, weights: ArrayLike | None = None, tau: float | None = None, floor: float = 0.0
) -> ConformalMap:
    r"""Stretch space around the support vectors: \(c(x) = \sum_i h_i \exp(-\|x - a_i\|^2 / 2\tau^2)\).

    Parameters
    ----------
    cores : array or sparse matrix of shape (P, n_features): a machine's ``support_vectors_``
    gamma : width of the basic RBF kernel (the machine's ``gamma_``), whose sigma is \(1/\sqrt{2\gamma}\)
    weights : array of shape (P,): a machine's ``dual_coef_[0]``, of which the absolute values are taken, since the sign
        tells the class and not the importance. All 1 where it is left out
    tau : width of the bumps; by Amari and Wu's rule \(\tau = \sigma/\sqrt n\) where it is left out. In terms of gamma
        the rule is \(\gamma_c = n\gamma\): in many dimensions the bumps are narrow
    floor : \(\alpha_0\), which N(34) has and Amari and Wu do not, in units of the largest h_i, >= 0. Without it c falls to 0
        away from the cores, and where c is 0 a machine returns only its bias

    Examples
    --------
    >>> c = amari_wu_map([[0.0, 0.0], [1.0, 0.0]], gamma=0.5, weights=[1.0, -3.0])
    >>> c.alpha.tolist(), c.gamma
    ([0.0, 1.0, 3.0], 1.0)

    Source: Amari and Wu 1999, the first method of N section 2.3.
    """
    cores, gamma = as_matrix(cores, "cores", sparse=True), positive(gamma, "gamma")
    P, n = cores.shape
    h = np.ones(P) if weights is None else np.abs(as_vector(weights, "weights", P))
    gamma_c = n * gamma if tau is None else 1 / (2 * positive(tau, "tau") ** 2)
    return ConformalMap(cores, np.r_[not_negative(floor, "floor") * h.max(), h], gamma_c)


class Rounds(NamedTuple):
    """A machine, the map made from its support vectors, and the machine trained with that map."""

    first: Any
    c: ConformalMap
    second: Any


def two_rounds(
    make: Callable[[Kernel], Any],
    X: MatrixLike,
    y: ArrayLike,
    gamma: float,
    tau: float | None = None,
    floor: float = 0.0,
) -> Rounds:
    """Amari and Wu's method: train a machine, stretch space around its support vectors, and train again.

    Parameters
    ----------
    make : function that takes a kernel and gives an untrained machine with it, such as MCMClassifier or scikit-learn's SVC
    X, y : the training data, of two classes
    gamma : width of the basic RBF kernel, > 0
    tau, floor : as in :func:`amari_wu_map`. The map is scaled such that c² is 1 on average over X

    Examples
    --------
    >>> from mcmteach import MCMClassifier
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [-1, -1, 1, 1]
    >>> rounds = two_rounds(lambda kernel: MCMClassifier(kernel), X, y, gamma=1.0, floor=1.0)
    >>> rounds.second.predict(X).tolist(), round(float(np.mean(rounds.c(X) ** 2)), 6)
    ([-1, -1, 1, 1], 1.0)

    Source: Amari and Wu 1999, the first method of N section 2.3.
    """
    k0 = RBF(gamma)
    first = make(k0).fit(X, y)
    cores = as_matrix(X, sparse=True)[first.support_]
    if not cores.shape[0]:
        raise InvalidInputError(
            "The first machine has no support vectors, so there is nowhere to put a bump. Lower its price."
        )
    c = amari_wu_map(cores, gamma, first.dual_coef_[0], tau, floor).scaled(X)
    return Rounds(first, c, make(ConformalKernel(c, k0)).fit(X, y))


def xiong_ascent(
    K0: ArrayLike, y: ArrayLike, K1: ArrayLike, n_steps: int = 200, eta0: float = 0.01, line_search: bool = False
) -> tuple[FloatArray, FloatArray]:
    r"""Climb the Fisher scalar: with \(M_0 = K_1^T B_0 K_1\), \(N_0 = K_1^T W_0 K_1\), \(J_1 = \alpha^T M_0 \alpha\) and
    \(J_2 = \alpha^T N_0 \alpha\),

    \[\alpha \leftarrow \alpha + \eta(t)\Big(\frac{1}{J_2} M_0 - \frac{J_1}{J_2^2} N_0\Big)\alpha, \qquad
      \alpha \leftarrow \frac{\alpha}{\|\alpha\|}, \qquad \eta(t) = \eta_0\Big(1 - \frac tN\Big),\]

    starting from \(\alpha = (1, 0, \dots, 0)\), which is c = 1.

    Parameters
    ----------
    K0 : array of shape (n_samples, n_samples), the basic kernel's matrix
    y : array of shape (n_samples,), labels -1 and +1
    K1 : array of shape (n_samples, P + 1), from :func:`core_matrix`
    n_steps, eta0 : N and eta_0; Xiong et al. take 200, and 0.01 for the Gaussian or 0.5 for the polynomial kernel
    line_search : take the best step along each gradient instead of eta(t); then J never falls

    Returns
    -------
    alpha : array of shape (P + 1,), with norm 1
    J : array of shape (n_steps + 1,), the Fisher scalar at the start and after each step

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [1, -1, -1, 1]
    >>> alpha, J = xiong_ascent(rbf_kernel(X, gamma=0.5), y, core_matrix(X, X[1:3], gamma=1.0), line_search=True)
    >>> round(float(J[0]), 3), bool(np.all(np.diff(J) > -1e-12))
    (0.41, True)

    Source: Xiong et al. 2005, the second method of N section 2.3.
    """
    n_steps, eta0 = whole(n_steps, "n_steps", 1), positive(eta0, "eta0")
    M0, N0 = _quadratic_forms(K0, y, K1)
    alpha = np.eye(len(M0))[0]
    J = np.full(n_steps + 1, np.nan)
    for t in range(n_steps + 1):
        J1, J2 = alpha @ M0 @ alpha, alpha @ N0 @ alpha
        if 1e-14 * np.trace(N0) >= J2:
            raise InvalidInputError(UNBOUNDED)
        J[t] = J1 / J2
        if t < n_steps:
            slope = (M0 @ alpha - J[t] * (N0 @ alpha)) / J2
            alpha = _best_step(M0, N0, alpha, slope) if line_search else alpha + eta0 * (1 - t / n_steps) * slope
            alpha = alpha / np.linalg.norm(alpha)
    return alpha, J


def _best_step(M0: FloatArray, N0: FloatArray, alpha: FloatArray, slope: FloatArray) -> FloatArray:
    """The point of the plane of alpha and slope with the largest J: a generalized eigenvalue problem of size 2."""
    length = np.linalg.norm(slope)
    if length * (alpha @ N0 @ alpha) <= 1e-12 * np.linalg.norm(M0):  # alpha is a maximum already
        return alpha
    plane = np.column_stack([alpha, slope / length])
    try:
        return plane @ scipy.linalg.eigh(plane.T @ M0 @ plane, plane.T @ N0 @ plane)[1][:, -1]
    except scipy.linalg.LinAlgError:  # rounding has made N_0 singular there: stay
        return alpha


def xiong_map(
    K0: ArrayLike,
    y: ArrayLike,
    X: MatrixLike,
    cores: MatrixLike,
    gamma: float,
    n_steps: int = 200,
    eta0: float = 0.01,
    line_search: bool = False,
) -> ConformalMap:
    """The map that :func:`xiong_ascent` ends at; ``gamma`` is gamma_c, X the training data behind K0.

    With the printed schedule it stops well short of the largest J, which :func:`optimal_map` finds.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [1, -1, -1, 1]
    >>> K0 = rbf_kernel(X, gamma=0.5)
    >>> from mcmteach import kernel_fisher_scalar
    >>> c, best = xiong_map(K0, y, X, X[1:3], gamma=1.0), optimal_map(K0, y, X, X[1:3], gamma=1.0)
    >>> kernel_fisher_scalar(K0, y) < kernel_fisher_scalar(K0, y, c(X)) < kernel_fisher_scalar(K0, y, best(X))
    True

    Source: Xiong et al. 2005. Their cores are a third of the training data, drawn at random.
    """
    K1 = core_matrix(X, cores, gamma)
    alpha, _ = xiong_ascent(K0, y, K1, n_steps, eta0, line_search)
    return ConformalMap(cores, _scaled(alpha, K1, K0), gamma)


def optimal_alpha(
    K0: ArrayLike, y: ArrayLike, K1: ArrayLike, D: float = 0.0, ridge: float = 0.0
) -> tuple[FloatArray, float]:
    r"""The alpha with the largest Fisher scalar: the top of \(P\alpha = \gamma Q\alpha\), where

    \[P = K_1^T B_0 K_1, \qquad Q = K_1^T (W_0 + D I) K_1.\]

    Parameters
    ----------
    K0 : array of shape (n_samples, n_samples), the basic kernel's matrix
    y : array of shape (n_samples,), labels -1 and +1
    K1 : array of shape (n_samples, P + 1), from :func:`core_matrix`. The identity gives \(B_0 c = \gamma W_0 c\)
    D : added to W_0's diagonal, >= 0. It keeps c from adapting to only a few samples
    ridge : a price on the bumps, >= 0 (ours): ridge M (alpha_1² + … + alpha_P²) is added to alpha'Q alpha. alpha_0 is free,
        so a high price leads to c = 1. D cannot do that: for the RBF kernel W_0 is nearly the identity already

    Returns
    -------
    alpha : array of shape (P + 1,)
    eigenvalue : the largest one. With D = 0 it is J of c = K_1 alpha; with D > 0 that J is larger than it

    Examples
    --------
    >>> K0, y = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]), [1, 1, -1]
    >>> alpha, J = optimal_alpha(K0, y, np.ones((3, 1)), D=0)  # constant c only
    >>> round(J, 4)
    2.3333

    Source: N(41). P(15) prints the problem for the M-vector c and calls its solution alpha. Q is singular, whatever D
    is, where K_1 has dependent columns (as many cores as samples, or the same core twice) and nearly so for small
    gamma_c. With \(K_1 = U S V^T\) cut to its numerical range the problem for \(U^T c\) is regular in both cases.
    """
    K1, D, ridge = as_matrix(K1, "K1"), not_negative(D, "D"), not_negative(ridge, "ridge")
    if ridge > 0:  # then Q is regular
        P, Q = _quadratic_forms(K0, y, K1, D)
        return largest_ratio(P, Q + np.diag([0.0, *np.full(len(Q) - 1, ridge * len(K1))]))
    U, s, Vt = scipy.linalg.svd(K1, full_matrices=False)
    r = int(np.sum(s > RANGE * s[0]))
    U, s, Vt = U[:, :r], s[:r], Vt[:r]
    vector, eigenvalue = largest_ratio(*_quadratic_forms(K0, y, U, D))
    return Vt.T @ (vector / s), eigenvalue


def largest_ratio(P: FloatArray, Q: FloatArray) -> tuple[FloatArray, float]:
    r"""N(41): the v with the largest \(v^T P v / v^T Q v\), which is the top of \(P v = \gamma Q v\), and that gamma.

    Examples
    --------
    >>> v, ratio = largest_ratio(np.diag([6.0, 1.0]), np.diag([2.0, 1.0]))
    >>> round(ratio, 9), bool(v[1] == 0)
    (3.0, True)

    Source: N(41).
    """
    r, spread = len(Q), scipy.linalg.eigvalsh(Q)
    if spread[0] <= 1e-14 * r * np.abs(spread).max():
        raise InvalidInputError(UNBOUNDED)
    eigenvalues, vectors = scipy.linalg.eigh(P, Q, subset_by_index=[r - 1, r - 1])
    return vectors[:, 0], float(eigenvalues[0])


def optimal_map(
    K0: ArrayLike,
    y: ArrayLike,
    X: MatrixLike,
    cores: MatrixLike,
    gamma: float,
    D: float = 1e-3,
    ridge: float = 0.0,
) -> ConformalMap:
    r"""The conformal map with the largest Fisher scalar that these cores allow.

    Look at its sign: nothing asks c to be positive, and J grows most if c takes one sign in each class, since then the
    factor alone pushes the classes apart. So the best c is often a classifier itself, and passes through 0 at the very
    boundary that Amari and Wu want to magnify.

    Parameters
    ----------
    K0 : array of shape (n_samples, n_samples), the basic kernel's matrix
    y : array of shape (n_samples,), labels -1 and +1
    X : array or sparse matrix of shape (n_samples, n_features), the training data behind K0
    cores : array or sparse matrix of shape (P, n_features)
    gamma : width gamma_c of the bumps, > 0
    D : added to W_0's diagonal, >= 0
    ridge : a price on the bumps, >= 0, as in :func:`optimal_alpha`

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [1, -1, -1, 1]
    >>> K0 = rbf_kernel(X, gamma=0.5)
    >>> c = optimal_map(K0, y, X, cores=X[1:3], gamma=1.0)
    >>> from mcmteach import kernel_fisher_scalar
    >>> round(kernel_fisher_scalar(K0, y), 3), round(kernel_fisher_scalar(K0, y, c(X)), 3)
    (0.41, 2.245)

    Source: N(41), N section 3 steps 3 to 5.
    """
    K1 = core_matrix(X, cores, gamma)
    alpha, _ = optimal_alpha(K0, y, K1, D, ridge)
    return ConformalMap(cores, _scaled(alpha, K1, K0), gamma)


UNBOUNDED = (
    "Some c maps each class to a single point, so J has no largest value. There is such a c where a class has only one "
    "sample, or the kernel matrix has a low rank and there are many cores; a kernel that is not positive semi-definite "
    "has the same effect. Take a larger D, say 1e-3 times the mean of the kernel matrix's diagonal."
)


def _quadratic_forms(K0: ArrayLike, y: ArrayLike, K1: ArrayLike, D: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """K_1' B_0 K_1 and K_1' (W_0 + D I) K_1."""
    B0, W0 = scatter_matrices(K0, y)
    K1 = as_matrix(K1, "K1")
    if len(K1) != len(B0):
        raise InvalidInputError(f"K_1 has {len(K1)} rows and K_0 has {len(B0)}: one row per sample is needed in each.")
    return K1.T @ B0 @ K1, K1.T @ (W0 + D * np.eye(len(W0))) @ K1


def _scaled(alpha: FloatArray, K1: FloatArray, K0: ArrayLike) -> FloatArray:
    """alpha such that the kernel matrix keeps its trace and c is positive on average: see the head of this module."""
    c, k = K1 @ alpha, np.diag(as_square(K0, "K0"))
    return alpha * np.sqrt(k.sum() / (c**2 @ k)) * (1.0 if c.sum() >= 0 else -1.0)


# --- what a map does to space ----------------------------------------------------------------------------------------


def as_map(c: Any) -> ConformalMap:
    """``c``, if it is a ConformalMap, of which the value and the gradient are known at every point."""
    if not isinstance(c, ConformalMap):
        raise InvalidTypeError(
            f"c must be a ConformalMap, such as optimal_map or amari_wu_map gives; got {type(c).__name__}."
        )
    return c


def induced_metric(X: ArrayLike, c: ConformalMap, gamma: float) -> FloatArray:
    r"""The Riemannian metric that the kernel \(c(x)\,c(x')\exp(-\gamma\|x - x'\|^2)\) induces on the input space.

    A small step dx moves the image of x by \(\sqrt{dx^T g\, dx}\), where

    \[g_{ij}(x) = \frac{\partial^2 k(x, x')}{\partial x_i\, \partial x'_j}\Big|_{x' = x}
      = \partial_i c\, \partial_j c + 2\gamma\, c^2\, \delta_{ij}.\]

    Without a map it is \(2\gamma I\), the same everywhere. The first term makes the map only nearly conformal: it
    stretches along the gradient of c more than across it.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    c : ConformalMap
    gamma : width of the basic RBF kernel, > 0

    Returns
    -------
    array of shape (n_samples, n_features, n_features)

    Examples
    --------
    >>> flat = ConformalMap(np.empty((0, 2)), [1.0], gamma=1.0)
    >>> induced_metric([[5.0, 7.0]], flat, gamma=0.5).tolist()
    [[[1.0, 0.0], [0.0, 1.0]]]

    Source: Amari and Wu 1999, to which N section 2.3 refers.
    """
    gamma, slope = positive(gamma, "gamma"), as_map(c).gradient(X)
    stretch = 2 * gamma * c(X) ** 2
    return slope[:, :, None] * slope[:, None, :] + stretch[:, None, None] * np.eye(slope.shape[1])


def magnification(X: ArrayLike, c: ConformalMap, gamma: float) -> FloatArray:
    r"""How much the map magnifies a small volume around x: \(\sqrt{\det g(x)}\), with g as in :func:`induced_metric`.

    \[\det g = (2\gamma c^2)^{n-1} \big(2\gamma c^2 + \|\nabla c\|^2\big)\]

    Examples
    --------
    >>> flat = ConformalMap(np.empty((0, 2)), [3.0], gamma=1.0)
    >>> magnification([[5.0, 7.0]], flat, gamma=0.5).tolist()
    [9.0]

    Source: Amari and Wu 1999, to which N section 2.3 refers.
    """
    gamma, slope = positive(gamma, "gamma"), as_map(c).gradient(X)
    stretch = 2 * gamma * c(X) ** 2
    return np.sqrt(stretch ** (slope.shape[1] - 1) * (stretch + np.sum(slope**2, axis=1)))
