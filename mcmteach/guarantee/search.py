"""The machine with the smallest bound: looked for along the MCM's path, and certified with whatever prepares its data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcmteach.base import Classifier, KernelMachine
from mcmteach.errors import InvalidInputError
from mcmteach.guarantee.compress import (
    GAMMA_LIST,
    RiskCertificate,
    Search,
    risk_certificate,
    tell_what_the_proof_needs,
)
from mcmteach.guarantee.counts import failure_probability
from mcmteach.kernels import RBF, Kernel, Polynomial
from mcmteach.solvers.constant_price import constant_price
from mcmteach.solvers.solve import Programme
from mcmteach.validation import (
    FloatArray,
    MatrixLike,
    as_classes,
    dense,
    is_number,
    one_per_row,
    positive,
    several,
    switch,
    whole,
)

PRICES = (0.9, 0.5, 0.25, 0.1)  # as shares of the price from which on the machine is constant
# The search may be coarse where it takes long: its outcome is certified all the same.
SCANNED = 8  # widths that are tried first, about; of a longer list then those beside the best
SOLVED = 400  # samples that the programmes are solved for, at most
CANDIDATES = 1000  # samples that the machine may hold, at most


class CertifiedMCM(KernelMachine, Classifier):
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
    verbose : print the smallest bound of each kernel as it is found, and how many kernels are left

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
    >>> machine = CertifiedMCM(gammas=[0.5, 1.0], C=[10.0]).fit(X, y)
    >>> machine.n_support_, round(machine.bound_, 2), sorted(machine.dual_coef_[0].tolist())
    (3, 0.22, [-1.0, -1.0, 1.0])
    """

    risk_certificate_: RiskCertificate
    bound_: float

    def __init__(
        self,
        gammas: Sequence[float] = GAMMA_LIST,
        degrees: Sequence[int] = (1,),
        C: Sequence[float] = (10.0,),
        delta: float = 0.05,
        cap: bool = True,
        solver: str = "auto",
        time_limit: float = 60.0,
        verbose: bool = False,
    ):
        self.gammas = gammas
        self.degrees = degrees
        self.C = C
        self.delta = delta
        self.cap = cap
        self.solver = solver
        self.time_limit = time_limit
        self.verbose = verbose

    def fit(self, X: MatrixLike, y: ArrayLike) -> Self:
        """Learn from X, of shape (n_samples, n_features), and two classes y."""
        delta, gammas = failure_probability(self.delta), sorted(several(self.gammas, "gammas", positive))
        others: list[Kernel] = [Polynomial(whole(g, "degrees", 1), float(g > 1)) for g in self.degrees]
        X, signs = self._check_training_data(X, y)
        X = dense(X)
        tell_what_the_proof_needs(X)
        labels, held = self.classes_[(signs > 0).astype(int)], _spread(signs, CANDIDATES)

        step = max(1, len(gammas) // SCANNED)
        ended: list[Search] = []

        def search(kernel: Kernel) -> Search:
            ended.append(self._best_of(Search(X, labels, kernel, held, len(gammas), delta)))
            if switch(self.verbose, "verbose"):
                most = len(gammas[::step]) + len(others) + 2 * (step - 1)
                found = f"{ended[-1].bound:.4f} with {len(ended[-1].chosen)} samples"
                print(f"{kernel!r}: {found} ({len(ended)} of at most {most} kernels)", flush=True)
            return ended[-1]

        widths = [search(RBF(gamma)).bound for gamma in gammas[::step]]
        at = step * int(np.argmin(widths))
        for kernel in (*map(RBF, gammas[max(0, at - step + 1) : at] + gammas[at + 1 : at + step]), *others):
            search(kernel)
        return self._hold(min(ended, key=lambda found: found.bound).certificate())

    def decision_function(self, X: MatrixLike) -> FloatArray:
        """f(x): its sign is the class."""
        return self._expansion(dense(self._check_new_data(X)))

    def _best_of(self, search: Search) -> Search:
        """Exchange from nothing, and from what the path of the MCM gives; the one that ends with the smaller bound."""
        walked = search.anew()
        search.exchange()
        # An RBF kernel at which no sample helps is so narrow that the path is long and useless.
        if len(search.chosen) or not isinstance(search.kernel, RBF):
            for coef in self._path(walked):
                walked.round(coef)
            walked.exchange()
        return min(search, walked, key=lambda found: found.bound)

    def _path(self, search: Search) -> Iterator[FloatArray]:
        """Coefficients of the samples that may be held, along the MCM's path for a part of these."""
        part = _spread(search.y[search.held], SOLVED)
        rows = search.held[part]
        K, y = search.K[np.ix_(part, rows)].T, search.y[rows]
        programme = Programme(K, y, self.solver, cap=switch(self.cap, "cap"))
        for C in several(self.C, "C", positive):
            constant = constant_price(K, y, C / len(y), self.time_limit)
            for price in PRICES:
                coef = np.zeros(len(search.held))
                coef[part] = programme.solve(C / len(y), constant * price, self.time_limit).coef
                yield coef
                too_narrow = isinstance(search.kernel, RBF) and not len(search.chosen)
                if too_narrow or np.count_nonzero(coef) > search.most(0):
                    break  # lower prices give more samples still, and take longer

    def _hold(self, found: RiskCertificate) -> Self:
        """Take over the machine of a certificate."""
        machine = found.machine
        self.risk_certificate_, self.bound_ = found, found.bound
        self.classes_, self.n_features_in_ = machine.classes, machine.samples.shape[1]
        self.kernel_ = machine.kernel or Polynomial(1, 0.0)  # a constant machine has none and needs none
        if isinstance(self.kernel_, RBF):
            self.gamma_ = self.kernel_.gamma
        self.support_, self.support_vectors_, self.n_support_ = found.support, machine.samples, found.d
        self.dual_coef_ = machine.levels[None, :].astype(float)
        self.intercept_ = np.array([machine.intercept])
        return self

    def _input_tags(self) -> Any:
        from sklearn.utils import InputTags

        return InputTags(sparse=True)


class Certified(NamedTuple):
    """A pipeline whose last step is the machine that the certificate speaks of."""

    pipeline: Any
    certificate: RiskCertificate


def certify(
    pipeline: Any,
    X: ArrayLike,
    y: ArrayLike,
    delta: float = 0.05,
    aside: float = 0.1,
    seed: int = 0,
    gammas: Sequence[float] = GAMMA_LIST,
) -> Certified:
    """Fit a pipeline so that its risk has a bound: the steps that prepare the data on a part set aside, the last on the rest.

    A scaler, an imputer or a selection of features that has seen the sample is not covered by the proof. One that was
    fitted on other samples was fixed beforehand, even if it looked at their labels. The part is drawn without regard to
    the labels, so that the others stay independent.

    Parameters
    ----------
    pipeline : scikit-learn's Pipeline, fitted or not; it is copied. Its last step is a CertifiedMCM, or a machine that
        risk_certificate takes
    X, y : the sample
    delta : the bound may fail with this probability (a CertifiedMCM has its own)
    aside : the share of the sample that is set aside, in (0, 1); nothing is set aside where there is nothing to prepare
    seed : chooses the part
    gammas : as in risk_certificate

    Returns
    -------
    Certified(pipeline, certificate). The pipeline is fitted; its last step is a CertifiedMCM.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from mcmteach import load_dataset
    >>> data = load_dataset("breast-cancer-wdbc")
    >>> made = certify(make_pipeline(StandardScaler(), CertifiedMCM([2**-6], C=[10.0])), data.data, data.target)
    >>> made.certificate.M, made.certificate.d, round(made.certificate.bound, 2)
    (512, 2, 0.09)
    """
    if not hasattr(pipeline, "steps"):
        raise InvalidInputError(
            f"certify takes a Pipeline, but this is a {type(pipeline).__name__}: see risk_certificate."
        )
    if not is_number(aside) or not 0 < aside < 1:
        raise InvalidInputError(f"aside is the share that is set aside, between 0 and 1; got {aside!r}.")
    delta, labels = failure_probability(delta), one_per_row(as_classes(y), X, "label")
    first, rest = _set_aside(len(labels), aside if len(pipeline.steps) > 1 else 0.0, seed)
    prepared, front = _rows(X, rest), []
    if len(first):
        before = deepcopy(pipeline[:-1]).fit(_rows(X, first), labels[first])
        prepared, front = before.transform(prepared), before.steps
    name, machine = pipeline.steps[-1]
    machine = deepcopy(machine).fit(prepared, labels[rest])
    if not isinstance(machine, CertifiedMCM):
        found = risk_certificate(machine, prepared, labels[rest], delta, gammas)
        machine = CertifiedMCM(gammas=gammas, delta=delta)._hold(found)
    return Certified(type(pipeline)([*front, (name, machine)]), machine.risk_certificate_)


def _set_aside(samples: int, share: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The indices of a random share of the samples, and those of the others."""
    order = np.random.default_rng(seed).permutation(samples)
    cut = int(np.ceil(share * samples))
    return order[:cut], order[cut:]


def _spread(y: FloatArray, most: int) -> NDArray[np.int64]:
    """At most so many indices, spread evenly over each class, with samples of both."""
    order = np.argsort(y, kind="stable")
    return np.sort(order[np.unique(np.linspace(0, len(y) - 1, min(most, len(y))).astype(int))])


def _rows(X: Any, rows: NDArray[Any]) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]
