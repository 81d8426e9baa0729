r"""Support vector machines as the slides derive them: hard margin, soft margin by subgradients, smooth, and with kernels.

The slides write \(\|w\|^2 + C\sum_p \zeta_p\) at first and \(\frac12\|w\|^2 + C\sum_p \zeta_p\) later. We use the half
throughout, as P(1) and scikit-learn's ``SVC`` do. So our C is SVC's, and it is half the C of the slides' first form:
dividing \(\|w\|^2 + C_S\sum_p\zeta_p\) by 2 leaves \(\frac12\|w\|^2 + \frac{C_S}2\sum_p\zeta_p\).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.optimize import minimize, nnls
from scipy.special import expit

from mcmteach.base import BinaryClassifier
from mcmteach.bounds import hinge_loss
from mcmteach.capacity import augment
from mcmteach.errors import ConvergenceWarning, InvalidInputError, SolverError, like_sklearn
from mcmteach.separability import infeasible, meeting_hulls
from mcmteach.svm.smooth_losses import (
    SmoothKernelMachine,
    SmoothProblem,
    Step,
    accelerated_steps,
    balanced,
    descend,
    kernel_arguments,
    smooth_loss,
)
from mcmteach.validation import as_labels, as_matrix, as_plane, as_vector, dense, positive, whole

# --- hard margin -----------------------------------------------------------------------------------------------------


class Plane(NamedTuple):
    """The hyperplane w·x + b = 0, scaled so that the nearest sample has y f = 1."""

    w: np.ndarray
    b: float
    alpha: np.ndarray  #: multipliers of the constraints: w = sum_p alpha_p y_p x_p
    gap: float  #: the proved share by which ||w||²/2 lies above its minimum at most
    n_iter: int


def hard_margin(
    X: Any,
    y: Any,
    penalise_b: bool = False,
    max_iter: int = 1000,
    record: Callable[[np.ndarray, float], None] | None = None,
) -> Plane:
    r"""The plane with the largest margin: \(\min_{w,b} \frac12\|w\|^2\) subject to \(y_p(w\cdot x_p + b) \ge 1\) for all p.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : labels -1 and +1
    penalise_b : minimise \(\frac12(\|w\|^2 + b^2)\) instead: the largest margin in the augmented space of (x; 1)
    max_iter : limit on the iterations of the quadratic programme
    record : called with (w, b) after each of them

    Returns
    -------
    Plane. If none exists, an InfeasibleError says which samples are to blame.

    Examples
    --------
    >>> plane = hard_margin([[0.0, 0.0], [2.0, 2.0], [3.0, 0.0]], [-1, 1, 1])
    >>> plane.w.round(4), round(plane.b, 4)
    (array([0.6667, 0.3333]), -1.0)

    Source: S, "Maximum margin classifier", P(1-2) without slack. A quadratic programme, by SLSQP of scipy.optimize.
    """
    X = as_matrix(X)
    y = as_labels(y, len(X))
    weights = meeting_hulls(X, y)
    if weights is not None:
        raise infeasible(X, y, weights)
    if penalise_b:  # then b is a weight like any other
        origin, A = np.zeros(X.shape[1]), augment(X)
        unit = np.linalg.norm(A, axis=1).max()
        A, price = A / unit, np.ones(A.shape[1])
    else:  # then b makes up for any choice of origin
        origin = X.mean(axis=0)
        unit = np.linalg.norm(X - origin, axis=1).max()
        A, price = augment((X - origin) / unit), np.append(np.ones(X.shape[1]), 0.0)

    def plane(v: np.ndarray) -> tuple[np.ndarray, float]:
        w = v[:-1] / unit
        return w, float(v[-1] / unit if penalise_b else v[-1] - w @ origin)

    G = y[:, None] * A
    result = minimize(
        lambda v: v @ (price * v) / 2,
        np.zeros(A.shape[1]),
        jac=lambda v: price * v,
        constraints={"type": "ineq", "fun": lambda v: G @ v - 1, "jac": lambda v: G},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": whole(max_iter, "max_iter", 1)},
        callback=None if record is None else lambda v: record(*plane(v)),
    )
    v, alpha, gap = _certified(result, G, price, y)
    if gap > 1e-6:
        warnings.warn(
            f"The hard margin is not proved to be the largest: ||w||²/2 may be a share of {gap:.2g} above its minimum "
            f"({result.message}). Standardise the data, or allow more iterations (max_iter).",
            like_sklearn(ConvergenceWarning, "ConvergenceWarning"),
            stacklevel=2 if record is None else 3,
        )
    return Plane(*plane(v), alpha / unit**2, gap, int(result.nit))


def _certified(result: Any, G: np.ndarray, price: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """The solver's plane, scaled until its nearest sample has y f = 1, its multipliers, and the gap they prove."""
    nearest = (G @ result.x).min()
    if not nearest > 0:
        raise SolverError(
            f"The quadratic programme ended at a plane that does not separate the classes ({result.message}), although "
            "one does. Standardise the data, or allow more iterations (max_iter)."
        )
    v = result.x / nearest
    active = G @ v <= 1 + 1e-6
    alpha = np.zeros(len(y))
    alpha[active] = nnls(G[active].T, price * v)[0]  # stationarity: the gradient is a combination of active constraints
    if price[-1] == 0:
        alpha = balanced(alpha, y)
    combined = price * (G.T @ alpha)
    dual = alpha.sum() ** 2 / (2 * combined @ combined) if combined.any() else 0.0
    primal = v @ (price * v) / 2
    return v, alpha, max(0.0, (primal - dual) / primal)


# --- soft margin -----------------------------------------------------------------------------------------------------


def slack(X: Any, y: Any, w: Any, b: float) -> np.ndarray:
    r"""\(\zeta_p = \max\{0, 1 - y_p(w\cdot x_p + b)\}\): the smallest slack that the constraints allow is the hinge loss.

    Examples
    --------
    >>> slack([[2.0], [0.5], [1.0]], [1, 1, -1], w=[1.0], b=0.0)
    array([0. , 0.5, 2. ])

    Source: S, "Understanding the soft margin SVM"; it solves P(2-3) for q.
    """
    X, y, w, b = _plane_arguments(X, y, w, b)
    return hinge_loss(y, X @ w + b)


def soft_margin_objective(X: Any, y: Any, w: Any, b: float, C: float = 1.0) -> float:
    r"""\(E(w, b) = \frac12\|w\|^2 + C\sum_p \max\{0, 1 - y_p(w\cdot x_p + b)\}\).

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : labels -1 and +1
    w, b : the plane
    C : price of slack, half of what the slides call C where they write \(\|w\|^2\)

    Examples
    --------
    >>> soft_margin_objective([[2.0], [0.5], [1.0]], [1, 1, -1], w=[1.0], b=0.0, C=2.0)    # 1/2 + 2 · 2.5
    5.5

    Source: S, "Solving the soft margin SVM", with the half; P(1) with the slack of :func:`slack` for q.
    """
    zeta = slack(X, y, w, b)
    w = as_vector(w, "w")
    return float(w @ w / 2 + positive(C, "C") * zeta.sum())


def soft_margin_subgradient(X: Any, y: Any, w: Any, b: float, C: float = 1.0) -> tuple[np.ndarray, float]:
    r"""\(w - C\sum_p I_p\, y_p x_p\) and \(-C\sum_p I_p\, y_p\), with \(I_p = 1\) where \(y_p(w\cdot x_p + b) < 1\), else 0.

    Each sample has its own indicator, which therefore stands inside the sum (the slides print it outside, where it
    has no p to refer to).

    Examples
    --------
    >>> soft_margin_subgradient([[2.0], [0.5], [1.0]], [1, 1, -1], w=[1.0], b=0.0)    # samples 1 and 2 are inside
    (array([1.5]), 0.0)

    Source: S, "Solving the soft margin SVM"; its update is \(w \leftarrow w - \eta\) times this.
    """
    X, y, w, b = _plane_arguments(X, y, w, b)
    return _subgradient(X, y, w, y * (X @ w + b), positive(C, "C"))


def _subgradient(X: np.ndarray, y: np.ndarray, w: np.ndarray, t: np.ndarray, C: float) -> tuple[np.ndarray, float]:
    inside = t < 1
    return w - C * ((inside * y) @ X), C * float(inside @ -y)


def _subgradient_steps(X: np.ndarray, y: np.ndarray, C: float) -> Iterator[Step]:
    r"""The slides' updates with the step \(\eta_k = 1/(k + k_0)\), without end.

    \(k_0\) is the curvature that the smooth loss would have in w, so the first steps are as long as a gradient step may
    be. In b that curvature is CM/4, so b has a step of its own, longer by \(k_0\) over this. The indicators, averaged
    with weights that grow like k³, tend to \(\alpha/C\): a sample's multiplier is the price C times the share of rounds
    that it spends inside the margin.
    """
    k0 = max(C * float(np.linalg.norm(X, 2)) ** 2 / 4, 1.0)
    longer = k0 / (C * len(y) / 4)
    w, b, alpha = np.zeros(X.shape[1]), 0.0, np.zeros(len(y))
    for k in count(1):
        f = X @ w + b
        t = y * f
        alpha = alpha + 4 / (k + 3) * (C * (t < 1) - alpha)
        yield Step(w, b, f, float(w @ w / 2 + C * hinge_loss(y, f).sum()), alpha)
        g, g_b = _subgradient(X, y, w, t, C)
        w, b = w - g / (k + k0), b - longer * g_b / (k + k0)


def _hinge_bound(X: np.ndarray, y: np.ndarray, C: float, alpha: np.ndarray) -> tuple[float, np.ndarray]:
    r"""The dual of P(1-3), \(\sum_p \alpha_p - \frac12\|\sum_p \alpha_p y_p x_p\|^2\), at the best multiple of alpha."""
    alpha = balanced(alpha, y)
    v = (alpha * y) @ X
    if alpha.any():
        multiple = min(C / alpha.max(), float(alpha.sum() / (v @ v)) if v.any() else np.inf)
        alpha, v = multiple * alpha, multiple * v
    return float(alpha.sum() - v @ v / 2), alpha


# --- the smooth version ----------------------------------------------------------------------------------------------


def smooth_hinge_loss(y: Any, f: Any) -> np.ndarray:
    r"""\(\log(1 + e^{1 - y f})\), the softmax version of \(\max(0, 1 - y f)\).

    Examples
    --------
    >>> smooth_hinge_loss([1, -1], [1.0, -5.0]).round(4)
    array([0.6931, 0.0181])

    Source: S, "Recall the SVM in the input space".
    """
    return smooth_loss(y, f, m=1.0)


def smooth_svm_objective(X: Any, y: Any, w: Any, b: float, C: float = 1.0) -> float:
    r"""\(E(w, b) = \frac12\|w\|^2 + C\sum_p \log(1 + e^{1 - y_p(w\cdot x_p + b)})\).

    Examples
    --------
    >>> round(smooth_svm_objective([[1.0], [-1.0]], [1, -1], w=[1.0], b=0.0), 4)    # 1/2 + 2 log 2
    1.8863

    Source: S, "Recall the SVM in the input space".
    """
    X, y, w, b = _plane_arguments(X, y, w, b)
    return float(w @ w / 2 + positive(C, "C") * smooth_hinge_loss(y, X @ w + b).sum())


def smooth_svm_gradient(X: Any, y: Any, w: Any, b: float, C: float = 1.0) -> tuple[np.ndarray, float]:
    r"""\(w - C\sum_p \sigma_p y_p x_p\) and \(-C\sum_p \sigma_p y_p\), with \(\sigma_p = 1 / (1 + e^{y_p f_p - 1})\).

    It is the subgradient of the soft margin with a soft indicator.

    Examples
    --------
    >>> smooth_svm_gradient([[1.0], [-1.0]], [1, -1], w=[1.0], b=0.0)
    (array([0.]), 0.0)

    Source: S, "Remarks on the soft margin SVM", which leaves it to the reader.
    """
    X, y, w, b = _plane_arguments(X, y, w, b)
    sigma = expit(1 - y * (X @ w + b))
    C = positive(C, "C")
    return w - C * ((sigma * y) @ X), C * float(sigma @ -y)


class History(NamedTuple):
    """The way of a linear machine to its plane: one row per step, the start included."""

    objective: np.ndarray
    margin: np.ndarray  #: the geometric margin of the training data, nan where w = 0
    w: np.ndarray  #: shape (n_steps, n_features)
    b: np.ndarray


class LinearSVM(BinaryClassifier):
    r"""The support vector machine in input space: \(\min\; \frac12\|w\|^2 + C\sum_p \max\{0, 1 - y_p(w\cdot x_p + b)\}\).

    Three ways to solve it, as the slides develop them: with C = inf the hard margin as a quadratic programme; with
    ``loss="hinge"`` the soft margin by subgradient descent; with ``loss="smooth"`` its smooth version by (accelerated)
    gradient descent. It is made for small data and for looking at: ``history_`` keeps every step.

    Parameters
    ----------
    C : price of slack, > 0, the same as SVC's and half of the slides' first C; ``inf`` asks for a hard margin
    loss : "hinge" or "smooth"; the hard margin knows no loss
    tol : the share of the objective by which it may lie above its minimum, by proof. None is 5e-3 for the hinge loss,
        as subgradients are slow, and 1e-6 for the smooth one
    max_iter : steps after which the descent stops, with a ConvergenceWarning, if that is not proved by then

    Attributes
    ----------
    classes_ : the two labels; a positive ``decision_function`` means ``classes_[1]``
    coef_, intercept_ : w, of shape (1, n_features), and b, of shape (1,)
    alpha_ : the dual vector: w = sum_p alpha_p y_p x_p, up to the gap
    support_ : indices of the support vectors, those with alpha_p > max alpha / 1000
    support_vectors_, n_support_ : the support vectors, and how many there are
    objective_ : the minimum that was found
    gap_ : the proved share of the objective by which it lies above the minimum at most
    history_ : objective, margin, w and b at each step
    n_iter_ : number of steps
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> X, y = [[0.0, 0.0], [2.0, 2.0], [3.0, 0.0]], [-1, 1, 1]
    >>> machine = LinearSVM(C=float("inf")).fit(X, y)
    >>> machine.coef_.round(4), machine.support_
    (array([[0.6667, 0.3333]]), array([0, 1, 2]))

    Source: S, "Maximum margin classifier" to "Remarks on the soft margin SVM"; P(1-3).
    """

    alpha_: np.ndarray
    support_: np.ndarray
    support_vectors_: np.ndarray
    n_support_: int
    objective_: float
    gap_: float
    history_: History
    n_iter_: int

    def __init__(self, C: float = 1.0, loss: str = "hinge", tol: float | None = None, max_iter: int = 10_000):
        self.C = C
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from X, of shape (n_samples, n_features), and two classes y."""
        X, y = self._check_training_data(X, y)
        X, C = dense(X), positive(self.C, "C", finite=False)
        if self.loss not in ("hinge", "smooth"):
            raise InvalidInputError(f"There is no loss {self.loss!r}. Choose 'hinge' or 'smooth'.")
        w, b = self._hard_fit(X, y) if np.isinf(C) else self._soft_fit(X, y, C)
        self.coef_, self.intercept_ = w[None, :], np.array([b])
        self.support_ = np.flatnonzero(self.alpha_ > 1e-3 * self.alpha_.max())
        self.support_vectors_, self.n_support_ = X[self.support_], len(self.support_)
        return self

    def _hard_fit(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
        path = [(np.zeros(X.shape[1]), 0.0)]
        plane = hard_margin(X, y, max_iter=self.max_iter, record=lambda w, b: path.append((w, b)))
        path.append((plane.w, plane.b))
        self.history_ = _history(X, y, path, [float(w @ w / 2) for w, _ in path])
        self.alpha_, self.gap_, self.n_iter_ = plane.alpha, plane.gap, plane.n_iter
        self.objective_ = float(self.history_.objective[-1])
        return plane.w, plane.b

    def _soft_fit(self, X: np.ndarray, y: np.ndarray, C: float) -> tuple[np.ndarray, float]:
        # b is not penalised, so the origin is free; at the mean, w and b do not disturb each other
        origin = X.mean(axis=0)
        Z = X - origin
        path: list[tuple[np.ndarray, float, float]] = []
        bound: Callable[[np.ndarray], tuple[float, np.ndarray]]
        if self.loss == "hinge":
            steps, bound, tol = _subgradient_steps(Z, y, C), partial(_hinge_bound, Z, y, C), 5e-3
        else:
            problem = SmoothProblem(Z, y, C, m=1.0)
            steps, bound, tol = accelerated_steps(problem), problem.lower_bound, 1e-6
        tol = tol if self.tol is None else self.tol
        found = descend(steps, bound, tol, self.max_iter, lambda step: path.append((step.p, step.b, step.objective)))
        planes = [(w, b - float(w @ origin)) for w, b, _ in path]
        self.history_ = _history(X, y, planes, [objective for *_, objective in path])
        self.alpha_, self.gap_, self.n_iter_ = found.alpha, found.gap, found.n_iter
        self.objective_ = found.best.objective
        return found.best.p, found.best.b - float(found.best.p @ origin)


def _history(X: np.ndarray, y: np.ndarray, planes: list[tuple[np.ndarray, float]], objective: list[float]) -> History:
    w, b = np.array([w for w, _ in planes]), np.array([b for _, b in planes])
    margin = np.array([(y * (X @ v + c)).min() for v, c in planes])
    norm = np.linalg.norm(w, axis=1)
    margin = np.divide(margin, norm, out=np.full(len(norm), np.nan), where=norm > 0)
    return History(np.array(objective), margin, w, b)


# --- with a kernel ---------------------------------------------------------------------------------------------------


def kernel_svm_objective(K: Any, y: Any, z: Any, b: float, C: float = 1.0) -> float:
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


def kernel_svm_gradient(K: Any, y: Any, z: Any, b: float, C: float = 1.0) -> tuple[np.ndarray, float]:
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
    tol : the share of the objective by which it may lie above its minimum, by proof
    max_iter : steps after which the descent stops, with a ConvergenceWarning, if that is not proved by then

    Attributes
    ----------
    classes_ : the two labels; a positive ``decision_function`` means ``classes_[1]``
    dual_coef_ : z, shape (1, n_samples). Every sample has its share: a smooth loss is nowhere zero
    support_, support_vectors_, n_support_ : all samples, therefore (no vectors for a precomputed kernel)
    intercept_ : b, shape (1,)
    objective_ : the minimum that was found
    objectives_ : the objective after each step
    gap_ : the proved share of the objective by which it lies above the minimum at most
    n_iter_ : number of steps
    gamma_ : the number that gamma stood for (RBF kernel)
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "different", "different"]
    >>> machine = KernelSVM(gamma=2.0).fit(X, y)
    >>> machine.predict(X).tolist(), machine.gap_ <= 1e-6
    (['same', 'same', 'different', 'different'], True)

    Source: S, "Soft margin kernel SVM". The smooth loss bends over a width of about 2 around the margin, which smooths
    the machine like a smaller C would: on clean data, C = 5 here compares with SVC's C = 1.
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

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from X, of shape (n_samples, n_features) or (n_samples, n_samples) if precomputed, and two classes y."""
        return self._fit(X, y, positive(self.C, "C"), m=1.0)


def _plane_arguments(X: Any, y: Any, w: Any, b: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    X, w, b = as_plane(X, w, b)
    return X, as_labels(y, len(X), both=False), w, b
