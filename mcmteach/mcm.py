r"""The Minimal Complexity Machine as a classifier with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcmteach.base import Classifier, KernelMachine, affine_values
from mcmteach.bounds import margin_vc_dim, vc_bound
from mcmteach.capacity import geometric_margin, radius
from mcmteach.certificate import Certificate
from mcmteach.errors import (
    ConstantClassifierWarning,
    InvalidInputError,
    ManySupportVectorsWarning,
    NotMercerWarning,
    warn,
)
from mcmteach.gram import is_mercer
from mcmteach.kernels import KernelFunction, Precomputed
from mcmteach.solvers.constant_price import RELATIVE_PRICE, automatic_price, price_unit
from mcmteach.solvers.kernel_columns import KernelColumns, as_columns
from mcmteach.solvers.solve import choose_solver, solve_mcm
from mcmteach.validation import FloatArray, MatrixLike, dense, not_negative, positive

# A kernel function is evaluated on at most this many samples to see whether it is positive semi-definite: if the matrix of
# some samples is not, that of all samples is not.
MERCER_SAMPLES = 1000

# A warning says so where at least this share of at least so many samples are support vectors in spite of a price. With
# fewer samples it tells little: of 84 DNA strings (promoters) 80 are support vectors, and 78 % of new ones are classified
# correctly.
MANY_SHARE = 0.95
MANY_SAMPLES = 100

DENSE_ROWS = 4096  # rows of a sparse matrix that are made dense at a time


class MCMClassifier(KernelMachine, Classifier):
    r"""A sparse, certified classifier: \(\min\; h + C\sum_i q_i + s\|\lambda\|_1\), a linear programme.

    Parameters
    ----------
    kernel : "rbf", "linear", "poly", "precomputed", or a function k(X, Z) that gives the matrix of kernel values
    C : price of slack, > 0; ``inf`` asks for a hard margin. The objective adds C times the sum of all slacks to one h, so
        with hundreds of samples and C = 1 the cap hardly matters; C of about 1 / n_samples makes it count. A numeric sparsity
        is a price beside C; "auto" and "high" grow with C, so that C then weighs the cap alone
    gamma : width of the RBF kernel, > 0; "scale" is 1 / (n_features * X.var()), "auto" is 1 / n_features, "wide" is "scale"
        times 2 / sqrt(n_features) where there are more than four features
    degree, coef0 : the polynomial kernel (x·z + coef0)^degree
    sparsity : price on ||lambda||_1 (on ||w||_1 for the linear kernel). A number is the price itself. "high" is 0.03 times a
        price at which the machine would be constant (:func:`mcmteach.solvers.constant_price.price_unit`). "auto" is less
        where there are many samples (:func:`mcmteach.solvers.constant_price.automatic_price`; as "high" for the linear
        kernel): more support vectors, and more accurate where the border is intricate. 0 is the paper's programme:
        with it any positive definite kernel interpolates the training data, whatever C is
    class_weight : {label: weight}, by which the weights of a class's samples are multiplied, or "balanced": all classes
        have the same total weight
    cap : False leaves h out of the objective: the LP-SVM
    solver : "linprog" (scipy); "highs" (exact too, much faster; keeps at most 200 MB of the kernel matrix, which is all of
        it up to 5000 samples; needs the extra ``fast``); "auto" is "highs" where it is installed, sparsity > 0 and there are
        more than 50 samples
    time_limit : seconds, about, that the solver may take, all its attempts together (for each class, if there are many)

    Attributes
    ----------
    classes_ : the labels. Of two, a positive ``decision_function`` means ``classes_[1]``
    support_ : indices of the support vectors: the samples with lambda != 0, where |lambda| <= 1e-6 max|lambda| counts
        as 0 (unless dropping it would change the machine). For the linear kernel, which has no lambda: the samples
        that hold the plane in place, on or inside a margin (y f <= 1) or at the cap (y f = h)
    support_vectors_ : the support vectors themselves (not for a precomputed kernel, nor for the linear one, which predicts
        from w)
    n_support_ : how many there are
    dual_coef_ : lambda of the support vectors, shape (1, n_support_) (not for the linear kernel)
    coef_, n_nonzero_ : w, shape (1, n_features), and how many of its entries are not 0 (linear kernel only)
    intercept_ : b, shape (1,)
    estimators_ : with more than two classes only: for each class a machine that tells it, 1, from all others, 0. ``support_``
        is then that of any of them; dual_coef_, coef_ and intercept_ have a row for each; h_, objective_ and
        certificate_ are theirs alone
    h_ : the cap, max y f + q: the plane's h_MCM where no sample needs slack (all y f >= 1)
    objective_ : h + C sum q + sparsity ||lambda||_1, without h where cap is False
    n_iter_ : how many steps the solver took (of many classes the most)
    certificate_ : primal and dual value, relative gap, largest violation, computed from the data
    kernel_ : the Kernel that kernel, gamma, degree and coef0 stood for
    gamma_ : the number that gamma stood for (RBF kernel)
    sparsity_ : the price that sparsity stood for
    vc_bound_ : only for linear fits that separate the training data; see there
    n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "different", "different"]
    >>> machine = MCMClassifier(gamma=2.0).fit(X, y)
    >>> machine.predict(X).tolist()
    ['same', 'same', 'different', 'different']
    >>> machine.n_support_, machine.certificate_.proves_optimal()
    (2, True)

    Notes
    -----
    With a price, a machine that has 95 % of at least 100 samples as support vectors comes with a
    ManySupportVectorsWarning. There no sample is similar to another, as in a space of many dimensions or with too narrow a
    kernel; then training accuracy is 1 and the solution certified optimal, and yet the machine may do no better than chance
    on new samples. ``compact()`` drops the certificate's dual vector z, which has one number per training sample.

    Source: N(23-33); the price on lambda is that of the LP-SVM (Bradley and Mangasarian 1998; Mangasarian 2000; Zhu et al.
    2003); Abe (Computers 9, 2020) describes the MCM joined with it. The lesson on the kernel MCM shows why it is needed.
    """

    h_: float
    sparsity_: float
    n_iter_: int
    objective_: float
    certificate_: Certificate

    many_classes = True

    def __init__(
        self,
        kernel: str | KernelFunction = "rbf",
        C: float = 1.0,
        gamma: float | str = "wide",
        sparsity: float | str = "auto",
        solver: str = "auto",
        class_weight: Mapping[Any, float] | str | None = None,
        cap: bool = True,
        degree: int = 3,
        coef0: float = 1.0,
        time_limit: float = 60.0,
    ):
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.sparsity = sparsity
        self.solver = solver
        self.class_weight = class_weight
        self.cap = cap
        self.degree = degree
        self.coef0 = coef0
        self.time_limit = time_limit

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from X and the classes y.

        Parameters
        ----------
        X : shape (n_samples, n_features), or (n_samples, n_samples) if precomputed
        y : shape (n_samples,), labels of two or more classes
        sample_weight : shape (n_samples,), >= 0, or None for 1 each. A weight of 2 is the sample twice, a weight of 0 no
            sample: it has no part in the cap, and cannot be a support vector
        """
        X, which = self._check_classes(X, y)
        weights = self._sample_weights(which, sample_weight, self.class_weight)
        rows = np.arange(len(which)) if weights is None else np.flatnonzero(weights)
        sample = X if len(rows) == len(which) else X[rows]
        weights = None if weights is None else weights[rows]
        self._resolve_kernel(sample, weights)
        if isinstance(self.kernel_, Precomputed) and len(rows) < len(which):
            sample = self.kernel_(X)[rows][:, rows]
        K = sample if self._is_linear() else self._training_matrix(sample)
        task = _Task(X, rows, K, weights)
        if len(self.classes_) == 2:
            return self._learn(task, np.where(which[rows] == 1, 1.0, -1.0))
        self.estimators_ = [self._against_the_rest(task, which[rows], k) for k in range(len(self.classes_))]
        return self._join(X, self.estimators_)

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """f(x) = sum over the support vectors of lambda_i k(x_i, x) + b (or w·x + b).

        For two classes, shape (n_samples,): its sign is the class. For more, shape (n_samples, n_classes): the largest is.
        """
        X = self._check_new_data(X)
        return affine_values(X, self.coef_, self.intercept_) if hasattr(self, "coef_") else self._expansion(X)

    @property
    def vc_bound_(self) -> float:
        """With probability 0.95 the risk is below this, for a linear fit that separates its training data.

        It is N(3) with the VC dimension of N(5) for the measured radius R (about the mean) and margin Delta; it is
        never computed from h_MCM, which bounds R/Delta from below only. A caveat: the theorem wants Delta to be fixed
        before the data are seen, and here it was measured on them, so take the number as a guide. It is inf where the
        VC dimension exceeds the number of samples.
        """
        bound: float | None = getattr(self, "_vc_bound", None)
        if bound is None:
            raise AttributeError(
                "vc_bound_ exists only after a fit with kernel='linear' that separates the training data."
            )
        return bound

    # --- helpers -----------------------------------------------------------------------------------------------------

    def _learn(self, task: _Task, y: FloatArray, what: str = "") -> Self:
        """Solve the programme for labels -1 and +1, and store its solution."""
        K, rows, linear = task.K, task.rows, self._is_linear()
        self.sparsity_ = self._price(task, y)
        solution = solve_mcm(K, y, self.C, self.sparsity_, self.solver, self.time_limit, task.weights, self.cap)
        if not solution.coef.any():
            self._warn_constant(task, y, solution.b, what)
        z = np.zeros(task.X.shape[0])
        z[rows] = solution.certificate.z
        self.certificate_ = replace(solution.certificate, z=z)
        self.h_, self.objective_, self.n_iter_ = solution.h, solution.objective, solution.n_iter
        self.intercept_ = np.array([solution.b])
        if linear:
            self.coef_, self.n_nonzero_ = solution.coef[None, :], int(np.count_nonzero(solution.coef))
            t = y * (K @ solution.coef + solution.b)
            self.support_ = rows[(t <= 1 + 1e-6) | (self.cap & (t >= solution.h - 1e-6))]
            self.n_support_ = len(self.support_)
        else:
            used = np.flatnonzero(solution.coef)
            self._keep_support(task.X, rows[used])
            self.dual_coef_ = solution.coef[None, used]
            self._warn_many(len(rows), what)
        self._vc_bound = self._linear_vc_bound(K, y) if linear else None
        return self

    def _against_the_rest(self, task: _Task, which: NDArray[np.intp], k: int) -> MCMClassifier:
        """A machine of two classes, 0 and 1, for class k against all others, on the same kernel columns."""
        machine = type(self)(**self.get_params())
        machine.n_features_in_, machine.classes_, machine.kernel_ = self.n_features_in_, np.array([0, 1]), self.kernel_
        if hasattr(self, "gamma_"):
            machine.gamma_ = self.gamma_
        return machine._learn(task, np.where(which == k, 1.0, -1.0), f"Class {self.classes_[k]} against the rest: ")

    def _join(self, X: MatrixLike, machines: list[MCMClassifier]) -> Self:
        """One expansion for all classes: the support vectors of any of them, and a row of coefficients for each."""
        self.intercept_ = np.concatenate([machine.intercept_ for machine in machines])
        support = np.unique(np.concatenate([machine.support_ for machine in machines]))
        self._vc_bound, self.n_iter_ = None, max(machine.n_iter_ for machine in machines)
        if self._is_linear():
            self.support_, self.n_support_ = support, len(support)
            self.coef_ = np.vstack([machine.coef_ for machine in machines])
            self.n_nonzero_ = int(np.count_nonzero(self.coef_))
            return self
        self._keep_support(X, support)
        self.dual_coef_ = np.zeros((len(machines), len(support)))
        for row, machine in zip(self.dual_coef_, machines, strict=True):
            row[np.searchsorted(support, machine.support_)] = machine.dual_coef_[0]
        return self

    def _training_matrix(self, X: MatrixLike) -> MatrixLike:
        """The kernel matrix of X; for the fast solver one whose entries are evaluated when they are asked for."""
        precomputed = isinstance(self.kernel_, Precomputed)
        if not self.kernel_.mercer:
            some = X if precomputed else X[:: -(-X.shape[0] // MERCER_SAMPLES)]
            _warn_unless_mercer(self.kernel_(some))
        priced = 1.0 if isinstance(self.sparsity, str) else self.sparsity
        lazy = choose_solver(self.solver, X.shape[0], priced) == "highs" and not precomputed
        return as_columns(KernelColumns(self.kernel_, X)) if lazy else self.kernel_(X)

    def _is_linear(self) -> bool:
        """Whether the programme is solved for w: kernel="linear", as a word. A ``Linear()`` is solved for lambda."""
        return isinstance(self.kernel, str) and self.kernel == "linear"

    def _drop_what_training_needed(self) -> None:
        for machine in getattr(self, "estimators_", [self]):
            machine.certificate_ = replace(machine.certificate_, z=np.empty(0))

    def _linear_vc_bound(self, X: MatrixLike, y: FloatArray) -> float | None:
        w, b = self.coef_[0], self.intercept_[0]
        if not w.any() or not (y * (X @ w + b) > 0).all():
            return None
        M, n = X.shape
        mean, R, Delta = np.asarray(X.mean(axis=0)), 0.0, np.inf
        for i in range(0, M, DENSE_ROWS):  # a sparse X is never dense as a whole
            rows = dense(X[i : i + DENSE_ROWS])
            R = max(R, radius(rows - mean))
            Delta = min(Delta, geometric_margin(rows, y[i : i + DENSE_ROWS], w, b))
        h = margin_vc_dim(R, Delta, n)
        return float(vc_bound(0.0, h, M)) if h <= M else float("inf")

    def _warn_many(self, M: int, what: str) -> None:
        if self.sparsity_ > 0 and M >= MANY_SAMPLES and self.n_support_ >= MANY_SHARE * M:
            wider = f" (gamma is {self.gamma_:.3g}; try {self.gamma_ / 16:.3g})" if hasattr(self, "gamma_") else ""
            warn(
                f"{what}{self.n_support_} of {M} samples are support vectors: hardly any sample is similar to another, so the "
                "machine may know the training samples by heart and do no better than chance on new ones, whatever its "
                f"training accuracy and its certificate say. Take a wider kernel{wider} or a larger sparsity (it is "
                f"{self.sparsity_:.4g}), or kernel='linear' where there are more features than samples.",
                ManySupportVectorsWarning,
            )

    def _price(self, task: _Task, y: FloatArray) -> float:
        """The price that ``sparsity`` stands for."""
        if not isinstance(self.sparsity, str):
            return not_negative(self.sparsity, "sparsity")
        if self.sparsity not in ("auto", "high"):
            raise InvalidInputError(f"sparsity must be a number >= 0, 'auto' or 'high'; got {self.sparsity!r}.")
        C = positive(self.C, "C", finite=False)
        if self.sparsity == "auto" and not self._is_linear():
            return automatic_price(task.K, y, C, task.weights)
        return RELATIVE_PRICE * price_unit(task.K, y, C, task.weights)

    def _warn_constant(self, task: _Task, y: FloatArray, b: float, what: str) -> None:
        from_here, other = self.sparsity_, "a larger C"
        if isinstance(self.sparsity, str):
            other = "class_weight='balanced' if the classes are not of equal size"
        else:  # one product with K; the smallest such price may take twenty times as long as the fit
            from_here = min(self.sparsity_, price_unit(task.K, y, self.C, task.weights))
        warn(
            f"{what}All coefficients are zero: the machine answers {self.classes_[int(b > 0)]} whatever it is asked. For this "
            f"kernel and C = {self.C:g} that is so for every sparsity from {from_here:.4g} on, if not sooner (constant_price "
            f"finds where that starts). Take a smaller sparsity (it is {self.sparsity_:.4g}) or {other}.",
            ConstantClassifierWarning,
        )


class _Task(NamedTuple):
    """What a programme is solved on: the samples that have a weight, and their kernel matrix."""

    X: MatrixLike  #: all samples
    rows: NDArray[np.intp]  #: those that have a weight
    K: MatrixLike  #: the kernel matrix of these, or themselves for the linear machine
    weights: FloatArray | None  #: their weights, None where all are 1


def _warn_unless_mercer(K: MatrixLike) -> None:
    if not is_mercer(dense(K)):
        warn(
            "The kernel matrix is not symmetric positive semi-definite. The linear programme allows that, so the machine "
            "is fitted, but no feature space stands behind such a kernel (Mercer), and the theory says nothing about it.",
            NotMercerWarning,
        )
