"""The regression MCM beside its rivals, and the fuzzy MCM beside equal weights:  python -m tools.bench.regression

Five outer folds; in each the features and y are standardised, and gamma and all other parameters chosen by three inner
folds of the training part. The rivals: the SVR, kernel ridge, and the LP-SVR (the price on lambda without the MCM's h and p,
Smola, Schoelkopf & Raetsch 1999), which linprog solves here. ``error`` is the root mean square on the outer folds over the
standard deviation of y: 1 is as good as the mean. ``time`` is CPU time of one fit with the chosen parameters; ``edge`` counts
chosen parameters on the edge of their grid (of three values or more). Results are stored as they come; a set that is stored is
not run again unless ``--again`` says so.
"""

# ruff: noqa: E402
from __future__ import annotations

import os

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"  # before numpy is imported: all machines get one thread

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

import mcmteach as mt
from mcmteach.weights import fuzzy_membership

RESULTS = Path(__file__).with_name("regression_results.json")
FLIPPED = (0.0, 0.1, 0.2, 0.3)
PRICES = (0.03, 0.1, 0.3, 1.0, 3.0)


class LPSVR(RegressorMixin, BaseEstimator):
    """min ||mu||_1 + C sum(xi)  subject to  |y - K mu - b| <= epsilon + xi."""

    def __init__(self, C: float = 1.0, epsilon: float = 0.1, gamma: float = 1.0):
        self.C, self.epsilon, self.gamma = C, epsilon, gamma

    def fit(self, X: Any, y: Any) -> Self:
        M = len(y)
        K, one, I = sp.csr_array(mt.rbf_kernel(X, X, self.gamma)), np.ones((M, 1)), sp.eye_array(M)
        #                      mu⁺  mu⁻    b   xi
        A = sp.block_array([[   K,  -K,  one, -I],     #  f - xi <= y + eps
                            [  -K,   K, -one, -I]])  # -f - xi <= eps - y    # fmt: skip
        c = np.concatenate([np.ones(2 * M), [0.0], np.full(M, self.C)])
        bounds = [(0, None)] * (2 * M) + [(None, None)] + [(0, None)] * M
        x = linprog(c, A, np.concatenate([y + self.epsilon, self.epsilon - y]), bounds=bounds).x
        mu, self.b_, self.X_ = x[:M] - x[M : 2 * M], x[2 * M], X
        self.mu_ = np.where(np.abs(mu) > 1e-6 * np.abs(mu).max(), mu, 0.0)
        self.n_support_ = int(np.count_nonzero(self.mu_))
        return self

    def predict(self, X: Any) -> Any:
        return mt.rbf_kernel(X, self.X_, self.gamma) @ self.mu_ + self.b_


def rivals(features: int) -> dict[str, tuple[Any, dict[str, tuple[float, ...]]]]:
    """Each machine and its grid; y is standardised, so epsilon is in standard deviations."""
    gamma = tuple(share / features for share in (1 / 64, 1 / 16, 1 / 4, 1.0, 4.0))
    return {
        "MCM": (
            mt.MCMRegressor(),
            {"C": (0.1, 1.0), "epsilon": (0.25, 0.75), "sparsity": PRICES, "gamma": gamma},
        ),
        "LP-SVR": (LPSVR(), {"C": (0.1, 0.3, 1.0, 3.0, 10.0), "epsilon": (0.05, 0.3), "gamma": gamma}),
        "SVR": (SVR(), {"C": (0.1, 1.0, 10.0, 100.0), "epsilon": (0.05, 0.1, 0.3), "gamma": gamma}),
        "kernel ridge": (KernelRidge(kernel="rbf"), {"alpha": (1e-4, 1e-3, 1e-2, 0.1, 1.0), "gamma": gamma}),
    }


def sets() -> dict[str, tuple[Any, Any]]:
    """Measured data (two of them ask for one measurement from the others), and worlds whose noise is known."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, size=(150, 1))
    sine = np.sin(2 * x[:, 0])
    outliers = rng.random(150) < 0.1
    glass, seeds = mt.load_dataset("glass").data, mt.load_dataset("seeds").data
    return {
        "seeds: groove length": (seeds[:, :6], seeds[:, 6]),
        "diabetes": load_diabetes(return_X_y=True),
        "glass: refractive index": (glass[:, 1:], glass[:, 0]),
        "world: noisy sine": (x, sine + 0.2 * rng.normal(size=150)),
        "world: sine, 10 % outliers": (x, sine + 0.1 * rng.normal(size=150) + 3 * outliers),
        "world: Friedman 1": make_friedman1(200, noise=1.0, random_state=0),
    }


def compared(X: Any, y: Any) -> dict[str, dict[str, float]]:
    """Each machine's nested error, support vectors, seconds and chosen edges."""
    found: dict[str, dict[str, float]] = {}
    for name, (machine, grid) in rivals(X.shape[1]).items():
        squares, vectors, seconds, edges = [], [], [], 0
        whole = make_pipeline(StandardScaler(), TransformedTargetRegressor(machine, transformer=StandardScaler()))
        prefix = "transformedtargetregressor__regressor__"
        for train, test in KFold(5, shuffle=True, random_state=0).split(X):
            search = GridSearchCV(
                whole,
                {prefix + key: values for key, values in grid.items()},
                cv=KFold(3, shuffle=True, random_state=1),
                scoring="neg_mean_squared_error",
                refit=False,
            ).fit(X[train], y[train])
            best = clone(whole).set_params(**search.best_params_)
            start = time.process_time()
            best.fit(X[train], y[train])
            seconds.append(time.process_time() - start)
            squares.append(np.mean((best.predict(X[test]) - y[test]) ** 2))
            fitted = best[-1].regressor_
            vectors.append(int(np.sum(getattr(fitted, "n_support_", len(train)))))
            edges += sum(search.best_params_[prefix + key] in (v[0], v[-1]) for key, v in grid.items() if len(v) > 2)
        found[name] = {
            "error": float(np.sqrt(np.mean(squares)) / np.std(y)),
            "spread": float(np.std(np.sqrt(squares)) / np.std(y)),
            "support vectors": float(np.mean(vectors)),
            "samples": 0.8 * len(y),
            "seconds": float(np.median(seconds)),
            "edge": edges,
            "chosen": 5 * sum(len(values) > 2 for values in grid.values()),
        }
    return found


def flipped(name: str, repeats: int) -> dict[str, list[float]]:
    """Test error with equal and with fuzzy weights, a share of the training labels flipped; the price by inner folds."""
    data = mt.load_dataset(name)
    X, y = data.data, np.where(data.target == np.unique(data.target)[1], 1.0, -1.0)
    found: dict[str, list[float]] = {}
    for share in FLIPPED:
        errors = []
        for seed in range(repeats):
            for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
                scale = StandardScaler().fit(X[train])
                A, B, labels = scale.transform(X[train]), scale.transform(X[test]), y[train].copy()
                wrong = np.random.default_rng(seed).random(len(labels)) < share
                labels[wrong] *= -1
                errors.append([_error(A, labels, B, y[test], fuzzy) for fuzzy in (False, True)])
        found[f"{share:.0%}"] = [*np.mean(errors, axis=0), float(np.std(np.diff(errors)) / np.sqrt(len(errors)))]
    return found


def _error(X: Any, y: Any, X_new: Any, y_new: Any, fuzzy: bool) -> float:
    """The error on new data at the price that three folds prefer; membership is computed from each training part alone."""
    gamma = 0.25 / X.shape[1]

    def wrong(train: Any, test: Any, truth: Any, K_train: Any, K_test: Any) -> Any:
        weights = fuzzy_membership(train[0], train[1]) if fuzzy else None
        path = mt.mcm_path(K_train, train[1], 1.0, PRICES, sample_weight=weights)
        return [np.mean(np.sign(K_test @ s.coef + s.b) != truth) for s in path.solutions]

    inner = []
    for a, b in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        K = mt.rbf_kernel(X, X[a], gamma)
        inner.append(wrong((X[a], y[a]), X[b], y[b], K[a], K[b]))
    best = int(np.argmin(np.mean(inner, axis=0)))
    K, K_new = mt.rbf_kernel(X, X, gamma), mt.rbf_kernel(X_new, X, gamma)
    return float(wrong((X, y), X_new, y_new, K, K_new)[best])


def show(results: dict[str, Any]) -> None:
    for name, found in results["regression"].items():
        print(f"\n{name}\n{'':14}{'error':>8}{'±':>7}{'sup. vectors':>14}{'time':>9}{'edge':>8}")
        for machine, r in found.items():
            print(
                f"{machine:14}{r['error']:8.3f}{r['spread']:7.3f}{r['support vectors']:8.1f} of {r['samples']:3.0f}"
                f"{r['seconds'] * 1000:6.0f} ms{r['edge']:4.0f} of {r['chosen']:.0f}"
            )
    print("\nerror of the MCM with equal -> fuzzy weights (± one standard error of the difference), labels flipped:")
    for name, shares in results["fuzzy"].items():
        print(f"{name:20}" + "".join(f"{s:>6}: {a:.3f} -> {b:.3f} ±{e:.3f}" for s, (a, b, e) in shares.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the smallest set only, nothing stored")
    parser.add_argument("--again", action="store_true", help="run stored sets again too")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", mt.MCMWarning)  # a grid has machines without an answer: they lose
    if arguments.quick:
        name, (X, y) = next(iter(sets().items()))
        show({"regression": {name: compared(X, y)}, "fuzzy": {"sonar": flipped("sonar", 1)}})
        return
    results: dict[str, Any] = {"regression": {}, "fuzzy": {}}
    if RESULTS.exists() and not arguments.again:
        results = json.loads(RESULTS.read_text(encoding="utf-8"))
    jobs = [
        ("fuzzy", name, lambda name=name: flipped(name, 2)) for name in ("sonar", "heart-statlog", "breast-cancer-wdbc")
    ]
    jobs += [("regression", name, lambda data=data: compared(*data)) for name, data in sets().items()]
    for kind, name, job in jobs:
        if name not in results[kind]:
            results[kind][name] = job()
            RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    show(results)


if __name__ == "__main__":
    main()
