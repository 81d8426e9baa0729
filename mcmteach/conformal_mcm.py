r"""The Minimal Complexity Machine on a kernel that was fitted to the data: the algorithm of N section 3."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcmteach.base import Classifier
from mcmteach.certificate import Certificate
from mcmteach.conformal import ConformalKernel, ConformalMap, conformal_matrix, optimal_map
from mcmteach.datasets.folds import others, prefers, stratified_parts
from mcmteach.errors import InvalidInputError, MCMWarning, NoCoresWarning, warn
from mcmteach.fisher import kernel_fisher_scalar
from mcmteach.kernels import KernelFunction, Linear, as_gamma
from mcmteach.mcm import MCMClassifier
from mcmteach.validation import FloatArray, MatrixLike, not_negative, positive, switch

FOLDS = 3  # of the validation that validate=True asks for
# the attributes of the second machine that are this machine's own
TAKEN_OVER = (
    "support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_", "h_", "objective_", "certificate_",
)  # fmt: skip


class ConformalMCMClassifier(Classifier):
    r"""Fit an MCM, stretch space around its support vectors so that the Fisher scalar is largest, and fit it again.

    The eight steps of N section 3. The first, scaling the data to zero mean and unit variance, is left to a pipeline,
    ``make_pipeline(StandardScaler(), ConformalMCMClassifier())``: there it is learnt from the training part alone
    whenever the data are split, and it stays visible. Without it gamma and gamma_c mean little.

    Parameters
    ----------
    kernel : the basic kernel k_0: "rbf", "poly", "linear", or a function k(X, Z). A "precomputed" matrix is not enough,
        since c(x) needs the points themselves. "linear" is solved for lambda here, like any other kernel
    C, gamma, degree, coef0, sparsity, solver, time_limit, class_weight, cap : as in MCMClassifier, for both machines; the map
        between them gives all samples the same weight
    gamma_c : width of the bumps of c(x), > 0; "scale" is gamma itself (for a polynomial or other kernel: the number that
        gamma would stand for). Then c varies over the same distances as k_0. Much wider bumps are nearly constant, and
        much narrower ones (n_features times gamma by Amari and Wu's rule) hold little but their own core, so that new
        points see c = alpha_0. In between J, as a function of gamma_c, is flat, so this is a fair start; tune from there
    D : added to W_0's diagonal in N(41), >= 0. For the RBF kernel that diagonal is close to 1, so the default only guards
        against a singular problem (a class of one sample); from about 1 on it outweighs W_0, and c hardly changes any more
    balance : drop cores of the class that has more, those with the smallest |lambda|, until both have as many
    map : "paper" puts the mapped kernel in the place of the basic one, k = c c' k_0. "beside" keeps both,
        k = (k_0 + c c' k_0) / 2, so that the machine still sees where c is 0
    ridge : a price on the bumps of c, >= 0 (see :func:`mcmteach.optimal_alpha`). 0 is the paper's map
    validate : use the map only if it improves held-out accuracy. Plain and conformal machine are compared by three-fold
        cross-validation of the training data, and c = 1 unless the map wins more rows than it loses by more than chance
        (:func:`mcmteach.datasets.folds.prefers`). That takes three times as long again

    Attributes
    ----------
    basic_ : step 2, the MCMClassifier on the basic kernel
    core_indices_, cores_ : its support vectors, the empirical cores: their rows in the training data, and themselves
    gamma_c_ : the number that gamma_c stood for
    alpha_ : step 4, shape (n_cores + 1,), scaled such that the kernel matrix keeps its trace
    conformal_map_ : c as a function of any points
    c_ : step 5, c at the training samples
    map_used_ : False where c = 1: without cores, or where validation did not prefer the map
    J_before_, J_after_ : the Fisher scalar of the training set under k_0 and under k, computed from c_ by N(40)
    machine_ : step 7, the MCMClassifier on the conformal kernel
    support_, support_vectors_, n_support_, dual_coef_, intercept_, h_, objective_, certificate_ : those of ``machine_``
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "different", "different"]
    >>> machine = ConformalMCMClassifier(gamma=2.0).fit(X, y)
    >>> machine.predict(X).tolist()
    ['same', 'same', 'different', 'different']
    >>> machine.J_after_ > machine.J_before_
    True

    Notes
    -----
    Does a map help? In a study with everything chosen inside the training folds (``mcmteach.experiments.map_study``, all of
    it in ``mcmteach/experiments/results/map_study.md``) the paper's map raised J about sixfold on ten development sets and
    lost 0.7 points of test accuracy against the plain MCM (better on 1 set, worse on 8). Of 15 maps tried, "beside"
    with ridge 0.1 or 0.01 and gamma_c gamma or gamma / 4 did best there (+0.3). On the 13 sets that had been held back it
    gained 0.55 points (better on 7, worse on 3; Wilcoxon p = 0.18): no harm on the whole, but that it helps is not proved.

    Source: N section 3, P section 4; balanced cores P section 5. Where the basic machine has no support vectors, there is
    nothing to stretch: c = 1, with a NoCoresWarning.
    """

    support_: NDArray[np.intp]
    support_vectors_: MatrixLike
    n_support_: int
    dual_coef_: FloatArray
    intercept_: FloatArray
    h_: float
    objective_: float
    certificate_: Certificate

    def __init__(
        self,
        kernel: str | KernelFunction = "rbf",
        C: float = 1.0,
        gamma: float | str = "scale",
        sparsity: float = 0.1,
        solver: str = "auto",
        gamma_c: float | str = "scale",
        D: float = 1e-3,
        balance: bool = False,
        map: str = "paper",
        ridge: float = 0.0,
        validate: bool = False,
        degree: int = 3,
        coef0: float = 1.0,
        time_limit: float = 60.0,
        class_weight: Mapping[Any, float] | str | None = None,
        cap: bool = True,
    ):
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.sparsity = sparsity
        self.solver = solver
        self.gamma_c = gamma_c
        self.D = D
        self.balance = balance
        self.map = map
        self.ridge = ridge
        self.validate = validate
        self.degree = degree
        self.coef0 = coef0
        self.time_limit = time_limit
        self.class_weight = class_weight
        self.cap = cap

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Learn from X, of shape (n_samples, n_features), and two classes y. Step 1, standardising, is the caller's."""
        X, y = self._check_training_data(X, y)
        labels = self.classes_[(y > 0).astype(int)]
        kernel, beside = self._basic_kernel(), self._is_beside()
        not_negative(self.D, "D"), not_negative(self.ridge, "ridge")
        validate = switch(self.validate, "validate")
        self.gamma_c_ = self._gamma_c(X)

        # 2. an MCM on the basic kernel, whose support vectors are the cores
        self.basic_ = self._mcm(kernel).fit(X, labels)
        self.core_indices_ = self._choose_cores(y)
        self.cores_ = X[self.core_indices_]
        # 3-5. the scatter matrices, the eigenvalue problem for alpha, and c from it
        k0 = self.basic_.kernel_
        K0 = k0(X)
        self.map_used_ = len(self.core_indices_) > 0 and (not validate or self._map_is_preferred(X, y))
        self.conformal_map_ = self._fit_map(K0, y, X)
        self.alpha_, self.c_ = self.conformal_map_.alpha, self.conformal_map_(X)
        self.J_before_, self.J_after_ = kernel_fisher_scalar(K0, y), self._J_after(K0, y)
        # 6-7. an MCM on the kernel c(x) c(x') k_0(x, x'), which is k_0 itself where there is no map
        k = ConformalKernel(self.conformal_map_, k0, beside)
        self.machine_ = self._mcm(k).fit(X, labels) if self.map_used_ else self.basic_
        for name in TAKEN_OVER:
            setattr(self, name, getattr(self.machine_, name))
        return self

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """Step 8: f(x) = sum over the support vectors of lambda_i c(x_i) c(x) k_0(x_i, x) + b; its sign is the class."""
        X = self._check_new_data(X)
        return self.machine_.decision_function(X)

    def _drop_what_training_needed(self) -> None:
        """The first machine, c at the training samples, and what the second machine does not need to predict."""
        for name in ("basic_", "c_"):
            vars(self).pop(name, None)
        self.certificate_ = self.machine_.compact().certificate_

    # --- helpers -----------------------------------------------------------------------------------------------------

    def _mcm(self, kernel: Any) -> MCMClassifier:
        shared = {name: getattr(self, name) for name in MCMClassifier().get_params()}
        return MCMClassifier(**{**shared, "kernel": kernel})

    def _basic_kernel(self) -> Any:
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise InvalidInputError(
                "A conformal map needs the points themselves, to know how far they are from its cores. Give "
                "kernel='rbf', 'poly', 'linear' or a function k(X, Z) instead of a precomputed matrix."
            )
        return Linear() if isinstance(self.kernel, str) and self.kernel == "linear" else self.kernel

    def _choose_cores(self, y: FloatArray) -> NDArray[np.intp]:
        cores = self.basic_.support_
        if switch(self.balance, "balance"):
            strongest = cores[np.argsort(-np.abs(self.basic_.dual_coef_[0]), kind="stable")]
            minus, plus = strongest[y[strongest] < 0], strongest[y[strongest] > 0]
            P = min(len(minus), len(plus))
            cores = np.sort(np.r_[minus[:P], plus[:P]])
        return cores

    def _gamma_c(self, X: MatrixLike) -> float:
        if isinstance(self.gamma_c, str):
            if self.gamma_c != "scale":
                raise InvalidInputError(f"gamma_c must be a number > 0 or 'scale'; got {self.gamma_c!r}.")
            return as_gamma(self.gamma, X)
        return positive(self.gamma_c, "gamma_c")

    def _map_is_preferred(self, X: MatrixLike, y: FloatArray) -> bool:
        """Whether the map gets more rows right than no map, on rows that neither has seen."""
        if min(np.sum(y < 0), np.sum(y > 0)) < 2:  # a fold would be left with one class
            return False
        hits, plain_hits = [], []
        for rows in stratified_parts(y, FOLDS, seed=0):
            rest = others(rows, len(y))
            machine = type(self)(**{**self.get_params(), "validate": False})
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MCMWarning)  # only the fit to all rows should warn
                machine.fit(X[rest], y[rest])
            hits.append(machine.predict(X[rows]) == y[rows])
            plain_hits.append(machine.basic_.predict(X[rows]) == y[rows])
        return prefers(np.concatenate(hits), np.concatenate(plain_hits))

    def _is_beside(self) -> bool:
        if self.map not in ("paper", "beside"):
            raise InvalidInputError(f"map must be 'paper' or 'beside'; got {self.map!r}.")
        return self.map == "beside"

    def _J_after(self, K0: FloatArray, y: FloatArray) -> float:
        if self._is_beside():
            return kernel_fisher_scalar(conformal_matrix(K0, self.c_, beside=True), y)
        return kernel_fisher_scalar(K0, y, self.c_)

    def _fit_map(self, K0: FloatArray, y: FloatArray, X: MatrixLike) -> ConformalMap:
        if self.map_used_:
            return optimal_map(K0, y, X, self.cores_, self.gamma_c_, self.D, self.ridge)
        if len(self.core_indices_):
            return ConformalMap(self.cores_, np.eye(len(self.core_indices_) + 1)[0], self.gamma_c_)
        one_sided = self.basic_.n_support_ > 0
        warn(
            ("All support vectors belong to one class, so balanced cores leave none" if one_sided else
             "The basic machine has no support vectors, so there are no cores")
            + ": c = 1, and the kernel stays as it is. Take "
            + ("balance=False." if one_sided else "a smaller sparsity or a larger C."),
            NoCoresWarning,
        )  # fmt: skip
        return ConformalMap(self.cores_, [1.0], self.gamma_c_)
