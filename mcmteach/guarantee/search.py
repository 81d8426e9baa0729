"""The machine with the smallest bound: looked for along the MCM's path, and certified with whatever prepares its data."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcmteach.base import BinaryClassifier, KernelMachine
from mcmteach.errors import InvalidInputError
from mcmteach.guarantee.compress import (
    GAMMAS,
    CompressedMachine,
    RiskCertificate,
    Search,
    risk_certificate,
    tell_what_the_proof_needs,
)
from mcmteach.guarantee.counts import failure_probability
from mcmteach.kernels import RBF, Kernel, Polynomial
from mcmteach.solvers.constant_price import constant_price
from mcmteach.solvers.path import mcm_path
from mcmteach.validation import FloatArray, MatrixLike, dense, positive, several, switch, whole

PRICES = (0.9, 0.5, 0.25, 0.1)  # as shares of the price from which on the machine is constant


class CertifiedMCM(KernelMachine, BinaryClassifier):
    r"""A machine of a few samples and short coefficients, the one with the smallest bound on its risk.

    It looks along the MCM's path for each kernel of a fixed list, rounds what it finds, and then exchanges samples and
    coefficients while that lowers the bound. Searching is free: with probability 1 - delta the bound holds for *all*
    machines that the message can describe at once, so it holds for whichever of them a search ends with, however it got
    there. C, the prices, the cap and the solver are not needed to rebuild the machine, so nothing is paid for them.

    Parameters
    ----------
    gammas : widths of the RBF kernel, fixed before the sample was seen; each costs ln(number of widths) nats
    degrees : degrees of polynomial kernels that are tried too; degree 1 is a plane
    C : prices of slack that are tried, each divided by the number of samples
    delta : the bound may fail with this probability
    cap : False leaves h out of the programmes that are solved: the LP-SVM
    solver, time_limit : as in ``solve_mcm``, for each programme

    Attributes
    ----------
    risk_certificate_ : the bound, what it was computed from, and the machine that it speaks of
    bound_ : with probability 1 - delta the risk of this machine is at most this
    support_, support_vectors_, n_support_ : the samples that the machine holds
    dual_coef_ : their coefficients, whole numbers, shape (1, n_support_)
    intercept_, kernel_, gamma_, classes_, n_features_in_ : as in MCMClassifier

    Examples
    --------
    >>> from mcmteach.datasets.worlds import moons
    >>> X, y = moons(300, seed=0)
    >>> machine = CertifiedMCM(gammas=[0.5, 1.0, 2.0]).fit(X, y)
    >>> machine.n_support_, round(machine.bound_, 2), machine.dual_coef_[0].tolist()
    (4, 0.11, [2.0, 2.0, -2.0, -1.0])
    """

    risk_certificate_: RiskCertificate
    bound_: float

    def __init__(
        self,
        gammas: Sequence[float] = GAMMAS,
        degrees: Sequence[int] = (1,),
        C: Sequence[float] = (3.0, 30.0),
        delta: float = 0.05,
        cap: bool = True,
        solver: str = "auto",
        time_limit: float = 60.0,
    ):
        self.gammas = gammas
        self.degrees = degrees
        self.C = C
        self.delta = delta
        self.cap = cap
        self.solver = solver
        self.time_limit = time_limit

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Learn from X, of shape (n_samples, n_features), and two classes y."""
        delta, gammas = failure_probability(self.delta), several(self.gammas, "gammas", positive)
        degrees = [whole(degree, "degrees", 1) for degree in self.degrees]
        X, signs = self._check_training_data(X, y)
        X = dense(X)
        tell_what_the_proof_needs(X)
        kernels: list[Kernel] = [*map(RBF, gammas), *(Polynomial(g, float(g > 1)) for g in degrees)]
        searches = [self._search(X, signs, kernel, len(gammas), delta) for kernel in kernels]
        best = min(searches, key=lambda search: search.bound)
        found = best.certificate()
        self.risk_certificate_, self.bound_ = _with_classes(found, self.classes_), found.bound
        self._keep(best, found.machine)
        return self

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """f(x): its sign is the class."""
        return self._expansion(self._check_new_data(X))

    def _search(self, X: FloatArray, y: FloatArray, kernel: Kernel, n_gammas: int, delta: float) -> Search:
        K = kernel(X)
        coefs = []
        for C in several(self.C, "C", positive):
            price = constant_price(K, y, C / len(y), self.time_limit)
            path = mcm_path(
                K, y, C / len(y), price * np.array(PRICES), self.solver, self.time_limit, cap=switch(self.cap, "cap")
            )
            coefs += [solution.coef for solution in path.solutions]
        search = Search(X, y, kernel, np.arange(len(y)), n_gammas, delta)
        for coef in coefs:
            search.round(coef)
        search.exchange()
        return search

    def _keep(self, search: Search, machine: CompressedMachine) -> None:
        self.kernel_ = search.kernel
        if isinstance(search.kernel, RBF):
            self.gamma_ = search.kernel.gamma
        self.support_ = search.held[search.chosen]
        self.support_vectors_, self.n_support_ = machine.samples, len(machine.levels)
        self.dual_coef_ = machine.levels[None, :].astype(float)
        self.intercept_ = np.array([machine.intercept])

    def _input_tags(self) -> Any:
        from sklearn.utils import InputTags

        return InputTags()


def _with_classes(found: RiskCertificate, classes: NDArray[Any]) -> RiskCertificate:
    from dataclasses import replace

    return replace(found, machine=found.machine._replace(classes=classes))
