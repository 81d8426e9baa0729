"""The MCM and its peers with one RBF kernel: each has a knob that trades accuracy for size."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import MiniBatchKMeans
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

import mcmteach as mt
from mcmteach.solvers.constant_price import automatic_price
from mcmteach.solvers.kernel_columns import KernelColumns, as_columns

Floats = NDArray[np.float64]


class OnVectors:
    """A linear machine on the kernel's values at some vectors; those whose coefficient is 0 are forgotten."""

    def __init__(self, gamma: float, machine: Any, prototypes: int | None = None):
        self.gamma, self.machine, self.prototypes = gamma, machine, prototypes

    def fit(self, X: Floats, y: Floats) -> OnVectors:
        """Fit on the columns of all samples, or of the centres of k-means."""
        vectors = X
        if self.prototypes is not None:
            k = min(self.prototypes, len(X))
            vectors = MiniBatchKMeans(k, n_init=3, random_state=0, batch_size=1024).fit(X).cluster_centers_
        self.machine.fit(mt.rbf_kernel(X, vectors, self.gamma), y)
        kept = np.flatnonzero(self.machine.coef_[0])
        self.vectors, self.coef, self.b = vectors[kept], self.machine.coef_[0][kept], self.machine.intercept_
        return self

    def predict(self, X: Floats) -> Floats:
        """The sign of the decision function."""
        f = mt.rbf_kernel(X, self.vectors, self.gamma) @ self.coef if len(self.coef) else np.zeros(len(X))
        return np.where(f + self.b > 0, 1.0, -1.0)


def constant_at(X: Floats, y: Floats, gamma: float) -> float:
    """A price at which a machine certainly is constant."""
    some = X[np.linspace(0, len(X) - 1, min(len(X), 200)).astype(int)]
    z = np.where(y > 0, (y < 0).mean(), -(y > 0).mean())  # the same weight on either class
    return float(np.abs(z @ mt.rbf_kernel(X, some, gamma)).max())


def automatic(X: Floats, y: Floats, gamma: float) -> float:
    """The MCM's automatic price."""
    return automatic_price(as_columns(KernelColumns(mt.RBF(gamma), X)), y, 1.0)


class ByShare:
    """A machine whose price is a multiple of one that the data give, so that the knob means the same for all M."""

    def __init__(
        self,
        share: float,
        gamma: float,
        make: Callable[[float, float], Any],
        unit: Callable[[Floats, Floats, float], float] = constant_at,
    ):
        self.share, self.gamma, self.make, self.unit = share, gamma, make, unit

    def fit(self, X: Floats, y: Floats) -> Any:
        """The fitted machine itself."""
        return self.at_price(X, y).fit(X, y)

    def at_price(self, X: Floats, y: Floats) -> Any:
        """The machine with the price that the share stands for on these data, not yet fitted."""
        return self.make(self.share * self.unit(X, y, self.gamma), self.gamma)


class Peer(NamedTuple):
    """What a machine is called, its knob's values (of equally good ones the first is chosen), and the largest M to try."""

    name: str
    knobs: tuple[float, ...]
    make: Callable[[float, float], Any]
    most: int = 100_000
    needs: str = "sklearn"
    drawn: tuple[float, ...] | None = None  #: values for the picture of accuracy against size, where they are others

    def there(self) -> bool:
        """Whether its package is installed."""
        return importlib.util.find_spec(self.needs) is not None


SHARES = (0.3, 0.1, 0.03, 0.01)


def _mcm(price: float, gamma: float) -> Any:
    return mt.MCMClassifier(gamma=gamma, sparsity=price, solver="highs", time_limit=np.inf)


def _rvm(_: float, gamma: float) -> Any:
    from fastrvm import RVC

    return RVC(kernel="rbf", gamma=gamma, fit_intercept=True)


def _skglm(price: float, gamma: float) -> Any:
    from skglm import SparseLogisticRegression

    return _PerSample(gamma, lambda M: SparseLogisticRegression(alpha=max(price, 1e-12) / M))


class _PerSample:
    """skglm's loss is a mean, so its price is one per sample."""

    def __init__(self, gamma: float, make: Callable[[int], Any]):
        self.gamma, self.make = gamma, make

    def fit(self, X: Floats, y: Floats) -> OnVectors:
        return OnVectors(self.gamma, self.make(len(y))).fit(X, y)


def _nystroem(count: float, gamma: float) -> Any:
    return make_pipeline(
        Nystroem(gamma=gamma, n_components=int(count), random_state=0), SGDClassifier(alpha=1e-4, random_state=0)
    )


PEERS = [
    Peer(
        "mcm",
        (3.0, 1.0, 0.3, 0.1),
        lambda times, gamma: ByShare(times, gamma, _mcm, automatic),
        drawn=(30.0, 10.0, 3.0, 1.0),
    ),
    Peer("svc", (0.1, 1.0, 10.0, 100.0), lambda C, gamma: SVC(C=C, gamma=gamma)),
    Peer("l1-svm", SHARES, lambda share, gamma: ByShare(share, gamma, _l1), most=2000),
    Peer(
        "k-means + logistic",
        (5, 20, 80, 200),
        lambda k, gamma: OnVectors(gamma, LogisticRegression(C=100.0, max_iter=500), int(k)),
    ),
    Peer("rvm", (0.0,), _rvm, most=1000, needs="fastrvm"),
    Peer("skglm", SHARES, lambda share, gamma: ByShare(share, gamma, _skglm), most=1000, needs="skglm"),
    Peer("nystroem + sgd", (25, 100, 400), _nystroem),
]


def _l1(price: float, gamma: float) -> Any:
    return OnVectors(gamma, LinearSVC(penalty="l1", dual=False, C=1 / max(price, 1e-12), max_iter=2000))


def vectors(machine: Any) -> int:
    """How many vectors a fitted machine must keep to predict."""
    if isinstance(machine, OnVectors):
        return len(machine.vectors)
    if hasattr(machine, "steps"):
        return len(machine[0].components_)
    return len(machine.relevance_) if hasattr(machine, "relevance_") else int(np.sum(machine.n_support_))
