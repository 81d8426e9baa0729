"""The cases that the solver was tuned on, side by side in one run:  make bench  (or  make bench QUICK=1, a minute).

For each case the data are split, standardised and handed to every machine with the same RBF kernel. gamma, C of the
SVC and the price of the MCM (C = 1) are chosen by three folds of the training part. The row "default" is the MCM with
sparsity 0.1, often a wide solution. Each machine runs in a process of its own, with one thread. Times are CPU time (what
else runs on the machine then matters little), the best of five (of one, if it takes more than two seconds). What is
compared are ratios within a run: the numbers themselves belong to the machine they were taken on.
"""

# ruff: noqa: E402
from __future__ import annotations

import os

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"  # before numpy is imported: all machines get one thread

import argparse
import importlib.util
import json
import multiprocessing
import platform
import resource
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import scipy.optimize
import scipy.sparse as sp
import sklearn
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC, LinearSVC

import mcmteach as mt
from mcmteach.lp import build_lp
from mcmteach.solvers.interior_point import Iterate, interior_point
from mcmteach.solvers.kernel_columns import KernelColumns
from tools.bench.cases import QUICK, TUNING, load

HERE = Path(__file__).parent
PRICES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
SVC_C = (0.1, 1.0, 10.0, 100.0)
LINPROG_SECONDS = 120.0


def tune(X: np.ndarray, y: np.ndarray, gammas: list[float]) -> tuple[float, float, float]:
    """(gamma, price of the MCM, C of the SVC), by three folds of at most 1000 training samples.

    gamma is the one that suits both machines: the sum of their best accuracies decides. The price is the highest within
    half a point of the MCM's best.
    """
    part = np.random.default_rng(0).permutation(len(y))[:1000]
    X, y = X[part], y[part]
    folds = StratifiedKFold(3, shuffle=True, random_state=0)

    def score(m: Any) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", mt.MCMWarning)
            return float(cross_val_score(m, X, y, cv=folds).mean())

    found = []
    for gamma in gammas:
        ours = [score(mt.MCMClassifier(gamma=gamma, sparsity=p, solver="highs")) for p in PRICES]
        theirs = [score(SVC(C=C, gamma=gamma)) for C in SVC_C]
        price = max(p for p, s in zip(PRICES, ours, strict=True) if s >= max(ours) - 0.005)
        found.append((max(ours) + max(theirs), gamma, price, SVC_C[int(np.argmax(theirs))]))
    return max(found)[1:]


# --- machines --------------------------------------------------------------------------------------------------------------


class PaperForm:
    """linprog on N(30-33) as it stands, with the price that the other rows have: the reference."""

    def __init__(self, gamma: float, sparsity: float):
        self.gamma, self.sparsity = gamma, sparsity

    def fit(self, X: np.ndarray, y: np.ndarray) -> PaperForm:
        K = mt.rbf_kernel(X, gamma=self.gamma)
        lp = build_lp(K, y, 1.0, self.sparsity)
        result = scipy.optimize.linprog(**lp._asdict(), method="highs", options={"time_limit": LINPROG_SECONDS})
        if result.x is None or result.status != 0:
            raise RuntimeError(f"linprog: {result.message[:60]}")
        M = len(y)
        self.coef, self.b, self.objective_ = result.x[:M] - result.x[M : 2 * M], result.x[2 * M], result.fun
        alpha, beta = np.split(-result.ineqlin.marginals, 2)
        dual = mt.certificate.dual_bound(K, y, 1.0, self.sparsity, y * (beta - alpha))[0]
        self.gap = (result.fun - dual) / result.fun
        self.support = np.flatnonzero(np.abs(self.coef) > 1e-6 * np.abs(self.coef).max())
        self.vectors = X[self.support]
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        if not len(self.support):
            return np.full(len(X), np.sign(self.b))
        return np.sign(mt.rbf_kernel(X, self.vectors, self.gamma) @ self.coef[self.support] + self.b)


class GramL1:
    """LinearSVC with an L1 penalty on the columns of the Gram matrix: the sparse machine one gets from scikit-learn."""

    def __init__(self, gamma: float, C: float):
        self.gamma, self.machine = gamma, LinearSVC(penalty="l1", dual=False, C=C, max_iter=5000)

    def fit(self, X: np.ndarray, y: np.ndarray) -> GramL1:
        self.machine.fit(mt.rbf_kernel(X, gamma=self.gamma), y)
        self.support = np.flatnonzero(self.machine.coef_[0])
        self.vectors = X[self.support]
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        if not len(self.support):
            return np.full(len(X), np.sign(self.machine.intercept_[0]))
        f = mt.rbf_kernel(X, self.vectors, self.gamma) @ self.machine.coef_[0, self.support]
        return np.sign(f + self.machine.intercept_[0])


def machine(kind: str, gamma: float, price: float, C: float) -> Any:
    if kind == "rvm":
        from fastrvm import RVC

        return RVC(kernel="rbf", gamma=gamma, fit_intercept=True)
    return {
        "mcm": lambda: mt.MCMClassifier(gamma=gamma, sparsity=price, solver="highs", time_limit=600.0),
        "default": lambda: mt.MCMClassifier(gamma=gamma, solver="highs", time_limit=600.0),
        "linprog": lambda: PaperForm(gamma, price),
        "svc": lambda: SVC(C=C, gamma=gamma),
        "l1": lambda: GramL1(gamma, 1.0 / price),
    }[kind]()


def wanted(kind: str, M: int, quick: bool) -> bool:
    if kind == "rvm" and importlib.util.find_spec("fastrvm") is None:
        return False
    most = {"linprog": 600 if quick else 2000, "l1": 5000, "rvm": 1000}
    return most.get(kind, M) >= M and not (kind == "default" and M > 2000 and quick)


def measure(kind: str, data: Any, gamma: float, price: float, C: float) -> dict[str, Any]:
    """One machine on one case, in a process of its own."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(_measure, (kind, data, gamma, price, C))


def _measure(kind: str, data: Any, gamma: float, price: float, C: float) -> dict[str, Any]:
    warnings.simplefilter("ignore")
    try:
        return _run(machine(kind, gamma, price, C), *data)
    except Exception as problem:  # a machine that fails on a case has a row that says so
        return {"error": f"{type(problem).__name__}: {problem}"[:100]}


def _run(m: Any, X: np.ndarray, X_test: np.ndarray, y: np.ndarray, y_test: np.ndarray) -> dict[str, Any]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fit = best_of(lambda: m.fit(X, y))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    many = np.tile(X_test, (-(-4000 // len(X_test)), 1))
    row = {
        "fit": fit,
        "predict": best_of(lambda: m.predict(many)) / len(many),
        "memory_mb": peak / 1024,
        "support": support(m),
        "accuracy": float(np.mean(m.predict(X_test) == y_test)),
    }
    if hasattr(m, "objective_"):
        row |= {"objective": m.objective_, "gap": m.gap if isinstance(m, PaperForm) else m.certificate_.gap}
    return row


def support(m: Any) -> int:
    for name in ("n_support_", "support", "relevance_"):
        if hasattr(m, name):
            value = getattr(m, name)
            return int(np.sum(value)) if name == "n_support_" else len(value)
    return -1


def best_of(run: Any, times: int = 5) -> float:
    seconds = []
    for _ in range(times):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
        if seconds[-1] > 2:
            break
    return min(seconds)


def measure_path(name: str, gamma: float, price: float) -> dict[str, Any]:
    """Twenty values of C in one path, against twenty fits."""
    X, _, y, _ = load(name)
    gamma = gamma or 1 / X.shape[1]
    Cs = np.geomspace(0.1, 10, 20)
    start = time.process_time()
    path = mt.mcm_path(KernelColumns(mt.RBF(gamma), X), y, Cs, price, solver="highs")
    middle = time.process_time()
    for C in Cs:
        mt.solve_mcm(KernelColumns(mt.RBF(gamma), X), y, C, price, solver="highs")
    end = time.process_time()
    times = {"path": middle - start, "separate": end - middle, "ratio": (middle - start) / (end - middle)}
    return {"case": name, **times, "largest_gap": float(path.gap.max()), "support": path.n_support.tolist()}


def measure_interior(name: str, columns: int) -> dict[str, Any]:
    """Our interior point method against HiGHS's, on the same compact programme of a wide case, to a gap of 1e-8."""
    X, _, y, _ = load(name)
    chosen = np.linspace(0, len(y) - 1, columns).astype(int)
    A = np.asfortranarray(y[:, None] * mt.rbf_kernel(X, X[chosen], 1 / X.shape[1]))
    price = np.full(columns, 0.1)
    start = time.process_time()
    C = np.ones(len(y))
    interior_point(Iterate(y, C, price), A, y, C, price, 1e-8)
    middle = time.process_time()
    # x = (lambda+, lambda-, b, g, q, r):  y f + q - r = 1  and  r <= g
    M, I = len(y), sp.eye_array(len(y))
    equal = sp.hstack([A, -A, y[:, None], np.zeros((M, 1)), I, -I])
    less = sp.hstack([sp.csr_array((M, 2 * columns + 1)), -np.ones((M, 1)), sp.csr_array((M, M)), I])
    cost = np.r_[price, price, 0.0, 1.0, np.ones(M), np.zeros(M)]
    bounds = [(0, None)] * (2 * columns) + [(None, None)] + [(0, None)] * (2 * M + 1)
    scipy.optimize.linprog(cost, less, np.zeros(M), equal, np.ones(M), bounds, method="highs-ipm")
    end = time.process_time()
    return {"case": name, "columns": columns, "ours": middle - start, "highs": end - middle}


# --- what it says ------------------------------------------------------------------------------------------------------------


def mean(ratios: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios)))) if ratios else float("nan")


def summary(rows: list[dict[str, Any]], paths: list[dict[str, Any]], inner: dict[str, Any]) -> list[str]:
    """The figures that the fast solver is judged by, the worst ones beside the means."""
    has = [r for r in rows if "fit" in r["mcm"]]
    both = [r for r in has if "fit" in r.get("linprog", {})]
    large = [r for r in both if r["M"] >= 500]
    svc = [(r["mcm"]["fit"] / r["svc"]["fit"], r["case"]) for r in has]
    wide = [(r["default"]["fit"] / r["svc"]["fit"], r["case"]) for r in has if "fit" in r.get("default", {})]
    equal = [r for r in has if abs(r["mcm"]["accuracy"] - r["svc"]["accuracy"]) <= 0.01]
    gaps = [(r[k]["gap"], f"{r['case']} ({k})") for r in has for k in ("mcm", "default") if "gap" in r.get(k, {})]
    differ = [abs(r["mcm"]["objective"] / r["linprog"]["objective"] - 1) for r in both if r["linprog"]["gap"] <= 1e-6]
    fewer = [r["svc"]["support"] / max(1, r["mcm"]["support"]) for r in has]
    moons = sorted((r["M"], r["mcm"]["fit"], r["mcm"]["memory_mb"]) for r in has if r["case"].startswith("moons"))
    moons = [m for m in moons if m[0] >= 1000]
    lines = [
        f"largest relative gap: {max(gaps)[0]:.1e} on {max(gaps)[1]}, {len(gaps)} fits with sparsity > 0",
        f"largest relative difference from linprog's certified objective: {max(differ, default=0):.1e} ({len(differ)} cases)",
        f"linprog (paper's form) / ours, M 500 to 2000: {mean([r['linprog']['fit'] / r['mcm']['fit'] for r in large]):.1f}x "
        f"(all M: {mean([r['linprog']['fit'] / r['mcm']['fit'] for r in both]):.1f}x)",
        f"fit, ours / SVC: {mean([s for s, _ in svc]):.2f}x; worst {max(svc)[0]:.1f}x on {max(svc)[1]}",
        f"fit with default prices, ours / SVC: {mean([s for s, _ in wide]):.2f}x; worst {max(wide)[0]:.1f}x on {max(wide)[1]}",
        f"predict, SVC / ours, accuracies within a point ({len(equal)} of {len(has)}): "
        f"{mean([r['svc']['predict'] / r['mcm']['predict'] for r in equal]):.1f}x; all cases "
        f"{mean([r['svc']['predict'] / r['mcm']['predict'] for r in has]):.1f}x",
        f"support vectors, SVC / ours, median: {np.median(fewer):.1f}x; least {min(fewer):.1f}x",
        f"accuracy, ours - SVC: mean {100 * np.mean([r['mcm']['accuracy'] - r['svc']['accuracy'] for r in has]):+.2f} points",
    ]
    if len(moons) > 1:
        M, seconds, _ = np.array(moons).T
        slope = np.polyfit(np.log(M), np.log(seconds), 1)[0]
        lines.append(
            f"moons from {M[0]:.0f} to {M[-1]:.0f}: time grows like M^{slope:.2f}; {moons[-1][2]:.0f} MB at the end"
        )
    lines += [f"path of 20 C / 20 fits, {p['case']}: {p['ratio']:.2f}" for p in paths]
    lines.append(
        f"interior point, HiGHS's / ours, {inner['columns']} columns of {inner['case']}: {inner['highs'] / inner['ours']:.0f}x"
    )
    return lines


def table(rows: list[dict[str, Any]], kinds: list[str]) -> list[str]:
    head = f"{'case':24}{'M':>6} {'kind':8}{'fit s':>9}{'µs/pred':>9}{'MB':>7}{'SV':>6}{'acc %':>7}{'gap':>9}"
    lines = [head, "-" * len(head)]
    for r in rows:
        for kind in kinds:
            m = r.get(kind)
            if m is None:
                continue
            label = f"{r['case']:24}{r['M']:>6} {kind:8}"
            if "error" in m:
                lines.append(f"{label} {m['error']}")
                continue
            gap = f"{m['gap']:9.0e}" if "gap" in m else " " * 9
            lines.append(
                f"{label}{m['fit']:9.4f}{1e6 * m['predict']:9.2f}{m['memory_mb']:7.0f}{m['support']:>6}"
                f"{100 * m['accuracy']:7.1f}{gap}"
            )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few small cases, about a minute")
    parser.add_argument("--out", type=Path, help="folder for bench.json and bench.txt")
    options = parser.parse_args()
    kinds = ["mcm", "default", "linprog", "svc", "l1", "rvm"]
    if importlib.util.find_spec("fastrvm") is None:
        print(
            "fastrvm is not installed, so its rows are missing: pip install -r requirements/bench.txt", file=sys.stderr
        )
    rows = []
    for name in QUICK if options.quick else TUNING:
        data = load(name)
        widths = [1.0] if name.startswith("moons") else [1 / data[0].shape[1] / 4**k for k in range(3)]
        gamma, price, C = tune(data[0], data[2], widths)
        row: dict[str, Any] = {"case": name, "M": len(data[2]), "features": data[0].shape[1], "gamma": gamma}
        row |= {"price": price, "svc_C": C}
        for kind in kinds:
            if wanted(kind, row["M"], options.quick):
                row[kind] = measure(kind, data, gamma, price, C)
        rows.append(row)
        print(*table([row], kinds)[2:], sep="\n", flush=True)
    chosen = [("pima-indians", 0.0, 2.0), ("moons-1000", 1.0, 1.0)]
    chosen += [] if options.quick else [("breast-cancer-wdbc", 0.0, 1.0), ("classification-1000", 0.0, 3.0)]
    paths = [measure_path(*p) for p in chosen]
    inner = measure_interior("classification-500" if options.quick else "classification-1000", 250)
    lines = summary(rows, paths, inner)
    report = "\n".join([*table(rows, kinds), "", *lines])
    print("", *lines, sep="\n")
    out = options.out or HERE / ("quick" if options.quick else "results")
    out.mkdir(parents=True, exist_ok=True)
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}
    versions |= {"scikit-learn": sklearn.__version__, "processor": platform.machine()}
    record = {"versions": versions, "rows": rows, "paths": paths, "interior": inner, "summary": lines}
    (out / "bench.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    (out / "bench.txt").write_text(report + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
