r"""The conformal MCM for data of any size: P section 5.

With explicit features z(x) the basic kernel is \(k_0(x, x') = z(x) \cdot z(x')\), and the conformal kernel
\(c(x)\,c(x')\,k_0(x, x')\) has the features \(c(x)\,z(x)\). So what is M x M in N(38) and N(39) is never needed. With
\(A_i = K_1^T Z\) summed over class i, \(k_{ii} = \|z(x_i)\|^2\) and \(A = A_1 + A_2\),

\[K_1^T B_0 K_1 = \sum_i \tfrac{1}{M_i} A_i A_i^T - \tfrac1M A A^T, \qquad
  K_1^T W_0 K_1 = K_1^T \mathrm{diag}(k_{11}, \dots, k_{MM})\, K_1 - \sum_i \tfrac{1}{M_i} A_i A_i^T,\]

and each term is a sum over samples, which blocks of rows add up to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.linalg
from numpy.typing import ArrayLike

from mcmteach.base import Estimator
from mcmteach.conformal import ConformalMap, core_matrix, largest_ratio
from mcmteach.errors import InvalidInputError
from mcmteach.large_scale.feature_maps import as_generator, class_centres
from mcmteach.large_scale.machine import BLOCK_ROWS, LargeScaleMachine, LargeScaleMCMClassifier, class_signs
from mcmteach.large_scale.streams import ArrayStream, Block
from mcmteach.validation import FloatArray, MatrixLike, dense, not_negative, positive, whole

# Eigenvalues of K_1' K_1, the squares of K_1's singular values, count as zero below this share of the largest.
GRAM_RANGE = 1e-12
POOL_ROWS = 20_000  # samples of each class, at most, among which prototypes are sought


class ScatterForms(NamedTuple):
    """The quadratic forms of N(41), each of shape (P + 1, P + 1)."""

    between: FloatArray  #: K_1' B_0 K_1
    within: FloatArray  #: K_1' W_0 K_1
    gram: FloatArray  #: K_1' K_1
    trace: FloatArray  #: K_1' diag(k_11, …, k_MM) K_1


def scatter_forms(blocks: Iterable[Block], phi: Any, cores: MatrixLike, gamma: float) -> ScatterForms:
    """The quadratic forms of N(41), added up block by block; the head of this module has the formulas.

    Parameters
    ----------
    blocks : pairs (X, y), with labels y of -1 and +1
    phi : a fitted feature map, phi.transform(X) -> Z with k_0(x, x') = z(x)·z(x'); None for X itself
    cores : array of shape (P, n_features)
    gamma : width gamma_c of the bumps

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0])
    >>> forms = scatter_forms([(X[:2], y[:2]), (X[2:], y[2:])], None, cores=[[1.0]], gamma=1.0)
    >>> from mcmteach import scatter_matrices
    >>> from mcmteach.conformal import core_matrix
    >>> B, W = scatter_matrices(X @ X.T, y)
    >>> K1 = core_matrix(X, [[1.0]], 1.0)
    >>> np.allclose(forms.between, K1.T @ B @ K1), np.allclose(forms.within, K1.T @ W @ K1)
    (True, True)

    Source: N(38), N(39), N(41).
    """
    A: dict[float, Any] = {-1.0: 0.0, 1.0: 0.0}
    M = {-1.0: 0, 1.0: 0}
    gram: Any = 0.0
    trace: Any = 0.0
    for X, y in blocks:
        K1, Z = core_matrix(X, cores, gamma), _mapped(phi, X)
        for label in A:
            mine = y == label
            A[label] = A[label] + K1[mine].T @ Z[mine]
            M[label] += int(mine.sum())
        gram = gram + K1.T @ K1
        trace = trace + K1.T @ (K1 * np.sum(Z**2, axis=1, keepdims=True))
    if not min(M.values()):
        raise InvalidInputError("The blocks hold one class only, but two are needed to tell them apart.")
    own = sum(A[label] @ A[label].T / M[label] for label in A)
    whole_set = A[-1.0] + A[1.0]
    return ScatterForms(own - whole_set @ whole_set.T / sum(M.values()), trace - own, gram, trace)


def optimal_alpha_from_forms(forms: ScatterForms, D: float = 0.0) -> FloatArray:
    r"""The alpha with the largest \(\alpha^T K_1^T B_0 K_1\alpha \,/\, \alpha^T K_1^T (W_0 + D I) K_1\alpha\).

    As :func:`mcmteach.optimal_alpha`, on the numerical range of K_1, here found from its Gram matrix. Scaled such that
    the kernel matrix keeps its trace.

    Source: N(41).
    """
    s2, V = scipy.linalg.eigh(forms.gram)
    kept = s2 > GRAM_RANGE * s2[-1]
    T = V[:, kept] / np.sqrt(s2[kept])  # c = K_1 alpha has orthonormal coordinates u for alpha = T u
    P, Q = T.T @ forms.between @ T, T.T @ (forms.within + not_negative(D, "D") * forms.gram) @ T
    alpha = T @ largest_ratio(P, Q)[0]
    sign = 1.0 if forms.gram[0] @ alpha >= 0 else -1.0  # the first row of K_1' K_1 holds the sums of its columns
    return alpha * sign * np.sqrt(forms.trace[0, 0] / (alpha @ forms.trace @ alpha))


class ConformalFeatures(Estimator):
    r"""The features \(c(x)\,z(x)\) of a conformal kernel, from a fitted map z (None: x itself) and a factor c."""

    def __init__(self, phi: Any, c: ConformalMap):
        self.phi = phi
        self.c = c

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Both parts are fitted already."""
        return self

    def transform(self, X: MatrixLike) -> FloatArray:
        """c(x) z(x) at the rows of X."""
        return self.c(X)[:, None] * _mapped(self.phi, X)


class ConformalLargeScaleMCMClassifier(LargeScaleMachine):
    r"""Fit a large-scale MCM, stretch space around its support vectors, and fit it again on the features \(c(x)\,z(x)\).

    Parameters
    ----------
    C, gamma, feature_map, n_components, whiten, cap, sparsity, ridge, batch_size, max_iter, eta0, early_stopping,
    validation_fraction, n_iter_no_change, average, random_state, verbose, class_weight : as in LargeScaleMCMClassifier, for
        both machines; the map between them gives all samples the same weight
    gamma_c : width of the bumps of c(x), > 0; "scale" is gamma itself
    D : added to W_0's diagonal in N(41), >= 0
    cores : "support": samples on or inside the basic machine's margin (y f <= 1), drawn at random, and the nearest of
        the others where there are too few; "prototypes": the centres of each class (MiniBatchKMeans, needs scikit-learn)
    n_cores : how many cores at most. Both classes have equally many, as P says: some of the larger class's are left out

    Attributes
    ----------
    basic_ : the LargeScaleMCMClassifier on the basic features
    cores_ : shape (n_cores, n_features), those of the first class, then those of the second
    gamma_c_ : the number that gamma_c stood for
    conformal_map_, alpha_ : c, and its coefficients
    J_before_, J_after_ : the Fisher scalar of the training data without and with c, by N(40)
    machine_ : the LargeScaleMCMClassifier on c(x) z(x)
    coef_, intercept_, h_, objective_, n_iter_ : those of ``machine_``
    classes_, n_features_in_, feature_names_in_ : as in scikit-learn

    Examples
    --------
    >>> from mcmteach import load_dataset
    >>> d = load_dataset("breast-cancer-wisconsin")
    >>> X = (d.data - d.data.mean(axis=0)) / d.data.std(axis=0)
    >>> machine = ConformalLargeScaleMCMClassifier(n_components=100, n_cores=20).fit(X, d.target)
    >>> machine.J_after_ > machine.J_before_
    True

    Source: P section 5 and Fig. 1. There is no ``partial_fit``: the map c needs passes of its own (see ``fit_stream``).
    """

    h_: float
    objective_: float
    n_iter_: int
    machine_: LargeScaleMCMClassifier

    def __init__(
        self,
        C: float = 10_000.0,
        gamma: float | str = "scale",
        gamma_c: float | str = "scale",
        D: float = 1e-3,
        cores: str = "support",
        n_cores: int = 100,
        feature_map: Any = "fourier",
        n_components: int = 1000,
        whiten: float = 1e-3,
        cap: str = "max",
        sparsity: float = 0.0,
        ridge: float = 0.0,
        batch_size: int = 64,
        max_iter: int | str = "auto",
        eta0: float = 80.0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        average: bool = True,
        random_state: Any = 0,
        verbose: int = 0,
        class_weight: Mapping[Any, float] | str | None = None,
    ):
        super().__init__(
            C=C, gamma=gamma, feature_map=feature_map, n_components=n_components, whiten=whiten, cap=cap, sparsity=sparsity,
            ridge=ridge, batch_size=batch_size, max_iter=max_iter, eta0=eta0, early_stopping=early_stopping,
            validation_fraction=validation_fraction, n_iter_no_change=n_iter_no_change, average=average,
            random_state=random_state, verbose=verbose, class_weight=class_weight,
        )  # fmt: skip
        self.gamma_c = gamma_c
        self.D = D
        self.cores = cores
        self.n_cores = n_cores

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Learn from X, of shape (n_samples, n_features), dense or sparse, and two classes y."""
        X, y = self._check_training_data(X, y)
        self._check_parameters()
        labels = self.classes_[(y > 0).astype(int)]
        self.basic_ = self._large_scale(self.feature_map).fit(X, labels)
        self._fit_map(ArrayStream(X, labels, BLOCK_ROWS))
        self.machine_ = self._second().fit(X, labels)
        return self._take_over()

    def fit_stream(self, stream: Iterable[Block], classes: ArrayLike | None = None) -> Self:
        """Learn from blocks (X, y): ``LargeScaleMCMClassifier.fit_stream`` twice, and two passes between for the map."""
        self._check_parameters()
        basic = self._large_scale(self.feature_map).fit_stream(stream, classes)
        self._remember(np.empty((0, basic.n_features_in_)), getattr(basic, "feature_names_in_", None))
        self.basic_, self.classes_ = basic, basic.classes_
        self._fit_map(stream)
        self.machine_ = self._second().fit_stream(stream, self.classes_)
        return self._take_over()

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """f(x) = w·(c(x) z(x)) + b; its sign is the class."""
        X = self._check_new_data(X)
        return self.machine_.decision_function(X)

    # --- helpers -------------------------------------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        if self.cores not in ("support", "prototypes"):
            raise InvalidInputError(f"cores must be 'support' or 'prototypes'; got {self.cores!r}.")
        whole(self.n_cores, "n_cores", 2)
        not_negative(self.D, "D")
        if isinstance(self.gamma_c, str) and self.gamma_c != "scale":
            raise InvalidInputError(f"gamma_c must be a number > 0 or 'scale'; got {self.gamma_c!r}.")

    def _large_scale(self, feature_map: Any) -> LargeScaleMCMClassifier:
        shared = {name: getattr(self, name) for name in LargeScaleMCMClassifier().get_params()}
        return LargeScaleMCMClassifier(**{**shared, "feature_map": feature_map})

    def _second(self) -> LargeScaleMCMClassifier:
        return self._large_scale(ConformalFeatures(self.basic_.feature_map_, self.conformal_map_))

    def _drop_what_training_needed(self) -> None:
        vars(self).pop("basic_", None)
        self.machine_.compact()
        self._take_over()

    def _take_over(self) -> Self:
        for name in ("coef_", "intercept_", "h_", "objective_", "n_iter_"):
            setattr(self, name, getattr(self.machine_, name))
        return self

    def _fit_map(self, stream: Iterable[Block]) -> None:
        """Steps 3 to 5 of N section 3: cores, forms, alpha and c."""
        self.gamma_c_ = self.basic_.gamma_ if isinstance(self.gamma_c, str) else positive(self.gamma_c, "gamma_c")
        minus, plus = self._choose_cores(stream)
        P = min(len(minus), len(plus), self.n_cores // 2)
        self.cores_ = np.vstack([minus[:P], plus[:P]])
        signed = ((X, class_signs(y, self.classes_)) for X, y in stream)
        forms = scatter_forms(signed, self.basic_.feature_map_, self.cores_, self.gamma_c_)
        self.alpha_ = optimal_alpha_from_forms(forms, self.D)
        self.conformal_map_ = ConformalMap(self.cores_, self.alpha_, self.gamma_c_)
        one = np.eye(len(self.alpha_))[0]
        self.J_before_, self.J_after_ = (
            float(a @ forms.between @ a / max(a @ forms.within @ a, np.finfo(float).tiny)) for a in (one, self.alpha_)
        )

    def _choose_cores(self, stream: Iterable[Block]) -> list[FloatArray]:
        """For each class: support vectors of the basic machine in random order, or the class's centres."""
        rng, support = as_generator(self.random_state), self.cores == "support"
        most = self.n_cores // 2 if support else POOL_ROWS
        pools = [(np.empty((0, self.n_features_in_)), np.empty(0))] * 2
        for X, y in stream:
            y = class_signs(y, self.classes_)
            keys = rng.random(len(y))
            if support:  # those with y f <= 1 in random order, then the nearest of the others
                t = y * self.basic_.decision_function(X)
                keys = np.where(t <= 1, keys, t)
            for k, label in enumerate((-1.0, 1.0)):
                mine = np.flatnonzero(y == label)
                mine = mine[np.argsort(keys[mine])[:most]]
                pools[k] = _lowest(pools[k], dense(X[mine]), keys[mine], most)
        if support:
            return [rows for rows, _ in pools]
        return [class_centres(rows, self.n_cores // 2, int(rng.integers(2**31))) for rows, _ in pools]


def _lowest(
    pool: tuple[FloatArray, FloatArray], X: MatrixLike, keys: FloatArray, most: int
) -> tuple[FloatArray, FloatArray]:
    """The rows with the ``most`` lowest keys so far. With random keys that is a fair draw from a stream of any length."""
    rows, keys = np.vstack([pool[0], X]), np.r_[pool[1], keys]
    order = np.argsort(keys, kind="stable")[:most]
    return rows[order], keys[order]


def _mapped(phi: Any, X: MatrixLike) -> FloatArray:
    return dense(X if phi is None else phi.transform(X))
