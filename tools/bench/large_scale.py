"""The large-scale MCM against what it must show:  python tools/bench/large_scale.py  (--quick: two minutes).

Everything, defaults included, was chosen on training parts; the test parts are scored once, here. The split is P's
(random_state=42, 20 % for testing). The tuned SVCs to compare with take minutes, so their accuracies are kept in
``svc_reference.json``; ``--reference`` computes them anew. Times are the best of three and belong to the machine they were
taken on: what is compared are ratios within a run.
"""

# ruff: noqa: E402
from __future__ import annotations

import os

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"  # before numpy is imported: all machines get one thread

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn.datasets import make_circles, make_moons
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach.datasets import standardised
from mcmteach.experiments import table4
from mcmteach.large_scale import RandomFourierMap, Whitening

HERE = Path(__file__).parent
REFERENCE = HERE / "svc_reference.json"
TUNED = {"magic-gamma": 12, "credit-default": 14, "adult-a1a-pool": 9}  # set: row of Table 4
GIB = 2**30


# --- accuracy ---------------------------------------------------------------------------------------------------------


def default_accuracy() -> dict[str, Any]:
    """The default constructor on magic-gamma, standardised: 0.870 is asked for."""
    X, X_test, y, y_test = table4.split("magic-gamma")
    Z, Z_test = standardised(X, X_test)
    start = time.perf_counter()
    machine = mt.LargeScaleMCMClassifier().fit(Z, y)
    seconds = time.perf_counter() - start
    return {"accuracy": machine.score(Z_test, y_test), "seconds": seconds, "n_iter": machine.n_iter_}


def tuned_accuracy(dataset: str, stored: bool) -> dict[str, Any]:
    """Tuned on the training part, against a tuned SVC or P's Table 4, whichever is higher."""
    kept = {row.row: row for row in table4.stored_rows()} if stored else {}
    row = kept.get(TUNED[dataset]) or table4.run_set(TUNED[dataset], conformal=False)
    reference = json.loads(REFERENCE.read_text(encoding="utf-8"))["sets"][dataset]
    bar = max(100 * reference["accuracy"], row.paper_mcm, row.paper_conformal)
    return {
        "set": dataset,
        "accuracy": row.mcm,
        "svc": 100 * reference["accuracy"],
        "paper": max(row.paper_mcm, row.paper_conformal),
        "below_the_higher": bar - row.mcm,
        "chosen": row.chosen,
        "seconds": row.seconds,
    }


def make_reference() -> None:
    """SVC with the RBF kernel: gamma and C by three folds of 5000 training samples, then one fit to all of them."""
    found = {}
    for dataset in TUNED:
        X, X_test, y, y_test = table4.split(dataset)
        rows = np.random.default_rng(0).permutation(len(y))[:5000]
        folds = StratifiedKFold(3, shuffle=True, random_state=0)
        tried = []
        for scaled in (True, False) if np.isin(X, (0.0, 1.0)).all() else (True,):
            Z = standardised(X)[0] if scaled else X
            scale = 1 / (Z.shape[1] * Z.var())
            for g, C in product((1 / 16, 1 / 4, 1, 2, 4), (0.25, 1, 4, 16, 64)):
                accuracy = cross_val_score(SVC(gamma=g * scale, C=C), Z[rows], y[rows], cv=folds).mean()
                tried.append((float(accuracy), scaled, g * scale, C))
        cv, scaled, gamma, C = max(tried)
        Z, Z_test = standardised(X, X_test) if scaled else (X, X_test)
        start = time.perf_counter()
        machine = SVC(gamma=gamma, C=C, cache_size=1000).fit(Z, y)
        seconds = time.perf_counter() - start
        found[dataset] = {
            "accuracy": float(machine.score(Z_test, y_test)), "scaled": scaled, "gamma": float(gamma), "C": C, "cv": cv,
            "n_support": int(machine.n_support_.sum()), "seconds": seconds,
        }  # fmt: skip
        print(dataset, found[dataset], flush=True)
    write_reference(found)


def write_reference(found: dict[str, Any]) -> None:
    how = " ".join(str(make_reference.__doc__).split())
    how += (
        " The grid: gamma 1/16, 1/4, 1, 2, 4 times 1/(n_features * variance), C 1/4, 1, 4, 16, 64; adult also unscaled."
    )
    REFERENCE.write_text(json.dumps({"how": how, "sets": found}, indent=1) + "\n", encoding="utf-8")


# --- time -------------------------------------------------------------------------------------------------------------


def best_of(run: Any, times: int = 3) -> float:
    seconds = []
    for _ in range(times):
        start = time.process_time()  # processor time: one thread, and other programs do not count
        run()
        seconds.append(time.process_time() - start)
    return min(seconds)


def per_pass(fits: dict[str, Any], passes: int = 30, times: int = 3) -> dict[str, float]:
    """Seconds per pass over the data, without what is done once. All take turns, so that a busy minute is everyone's."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in fits}
    for _ in range(times):
        for name, fit in fits.items():
            one, many = (best_of(lambda n=n, fit=fit: fit(n), 1) for n in (1, passes + 1))
            seconds[name].append((one, many))
    return {name: (min(many for _, many in s) - min(one for one, _ in s)) / passes for name, s in seconds.items()}


def epoch_ratio() -> dict[str, Any]:
    """Time per pass on the default features of magic-gamma, against scikit-learn's SGDClassifier on the same."""
    X, _, y, _ = table4.split("magic-gamma")
    Z = standardised(X)[0]
    machine = mt.LargeScaleMCMClassifier(max_iter=1).fit(Z, y)
    Z = machine._features(Z)
    large, priced = partial(mt.LargeScaleMCMClassifier, feature_map=None), {"sparsity": 0.1, "ridge": 0.1}
    sgd = partial(SGDClassifier, tol=None)
    seconds = per_pass({
        "ours": lambda n: large(max_iter=n).fit(Z, y),
        "ours_elastic_net": lambda n: large(max_iter=n, **priced).fit(Z, y),
        "sgd_default": lambda n: sgd(max_iter=n).fit(Z, y),
        "sgd_elastic_net_average": lambda n: sgd(max_iter=n, penalty="elasticnet", average=True).fit(Z, y),
    })  # fmt: skip
    return {
        "features": Z.shape[1],
        **{f"{name}_ms": 1e3 * value for name, value in seconds.items()},
        "ratio_to_default": seconds["ours"] / seconds["sgd_default"],
        "ratio_alike": seconds["ours_elastic_net"] / seconds["sgd_elastic_net_average"],
    }


def growth(sizes: list[int]) -> dict[str, Any]:
    """Time of a whole fit, feature map and three passes, as M grows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(max(sizes), 20))
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * X[:, 2] + 0.3 * rng.normal(size=len(X)) > 0, 1, -1)
    machine = mt.LargeScaleMCMClassifier(n_components=100, max_iter=3)
    seconds = [best_of(lambda M=M: machine.fit(X[:M], y[:M])) for M in sizes]
    slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    return {"M": sizes, "seconds": seconds, "slope": slope, "accuracy": machine.score(X[:5000], y[:5000])}


# --- memory -----------------------------------------------------------------------------------------------------------

# Linux keeps the peak of this program alone in /proc; ru_maxrss would begin with that of the program that started it.
TRAIN = """
import re, sys, time
from pathlib import Path
import numpy as np, mcmteach as mt
X, y = sys.argv[1:]
start = time.perf_counter()
stream = ArrayStream(X, y)
machine = mt.LargeScaleMCMClassifier(n_components=100, max_iter=1).fit_stream(stream, classes=[-1, 1])
block, labels = next(iter(stream))
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024
print(peak, machine.score(block, labels), time.perf_counter() - start)
"""


def memory(size: int) -> dict[str, Any]:
    """Train from a file of ``size`` bytes in a process of its own, and see how much memory that takes at most."""
    n, block = 64, 2**16
    rows = size // (8 * n)
    with tempfile.TemporaryDirectory() as folder:
        X = np.lib.format.open_memmap(Path(folder) / "X.npy", "w+", np.float64, (rows, n))
        y = np.empty(rows, dtype=np.int8)
        rng = np.random.default_rng(0)
        for i in range(0, rows, block):
            part = rng.normal(size=(min(block, rows - i), n))
            X[i : i + block] = part
            y[i : i + block] = np.where(part[:, :8].sum(axis=1) > 0, 1, -1)
        X.flush()
        del X
        np.save(Path(folder) / "y.npy", y)
        bytes_ = (Path(folder) / "X.npy").stat().st_size
        command = [sys.executable, "-c", TRAIN, f"{folder}/X.npy", f"{folder}/y.npy"]
        paths = os.pathsep.join([str(HERE.parents[1]), os.environ.get("PYTHONPATH", "")])
        ran = subprocess.run(
            command, check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths}
        )
    peak, accuracy, seconds = map(float, ran.stdout.split())
    return {"file_mib": bytes_ / 2**20, "rows": rows, "peak_mib": peak, "accuracy": accuracy, "seconds": seconds}


# --- the optimum ------------------------------------------------------------------------------------------------------


def small_problems() -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Features of small sets: as they are, and Fourier features, whitened as the machine does it by default."""
    cases = []
    for name in ("pima-indians", "heart-statlog"):
        d = mt.load_dataset(name)
        X = standardised(d.data)[0]
        cases.append((f"{name}, as it is", X, 2.0 * d.target - 1))
    for name, (X, y) in {
        "moons": make_moons(300, noise=0.25, random_state=0),
        "circles": make_circles(300, noise=0.15, factor=0.5, random_state=0),
    }.items():
        Z = RandomFourierMap(1.0, 50, random_state=0).fit(X).transform(X)
        cases.append((f"{name}, Fourier", Whitening().fit(Z).transform(Z), 2.0 * y - 1))
    return cases


def optimum_gaps(efforts: list[tuple[int, float]]) -> list[dict[str, Any]]:
    """E of the descent against the linear programme's optimum on the same features, cap="max", no ridge.

    Each effort is a number of passes and a first step; the next one is tried where the last did not come within 1 %.
    """
    found = []
    for (name, Z, y), (C, s) in product(small_problems(), ((10.0, 0.0), (10.0, 0.1), (100.0, 0.1), (100.0, 0.0))):
        best = mt.solve_mcm(Z, y, C / len(y), s)
        for passes, eta0 in efforts:
            machine = mt.LargeScaleMCMClassifier(
                C, feature_map=None, sparsity=s, max_iter=passes, batch_size=32, eta0=eta0
            )
            gap = machine.fit(Z, y).objective_ / best.objective - 1
            if gap <= 0.01:
                break
        found.append({
            "problem": name, "C": C, "sparsity": s, "optimum": best.objective, "reached": machine.objective_, "gap": gap,
            "passes": passes, "nonzero": machine.n_nonzero_, "nonzero_optimum": int(np.count_nonzero(best.coef)),
        })  # fmt: skip
    return found


# --- what it says -----------------------------------------------------------------------------------------------------


def verdict(holds: bool) -> str:
    return "holds" if holds else "MISSED"


def report(r: dict[str, Any]) -> list[str]:
    """A line for each figure that the machine is judged by."""
    a, e, g, m = r["default"], r["epoch"], r["growth"], r["memory"]
    lines = [
        f"default constructor on magic-gamma: {a['accuracy']:.4f} (0.870 asked for) in {a['seconds']:.1f} s: "
        + verdict(a["accuracy"] >= 0.87)
    ]
    for t in r["tuned"]:
        lines.append(
            f"tuned on {t['set']}: {t['accuracy']:.2f} %, SVC {t['svc']:.2f}, P {t['paper']:.2f}; "
            f"{t['below_the_higher']:+.2f} points below the higher (0.5 allowed): {verdict(t['below_the_higher'] <= 0.5)}"
        )
    lines += [
        f"time per pass, {e['features']} features: {e['ours_ms']:.1f} ms, SGDClassifier {e['sgd_default_ms']:.1f} ms: "
        f"{e['ratio_to_default']:.2f}x (1.5x allowed): {verdict(0 < e['ratio_to_default'] <= 1.5)}",
        f"  with elastic net (and averaging) on both sides: {e['ours_elastic_net_ms']:.1f} against "
        f"{e['sgd_elastic_net_average_ms']:.1f} ms: {e['ratio_alike']:.2f}x: {verdict(0 < e['ratio_alike'] <= 1.5)}",
        f"time from M = {g['M'][0]:.0e} to {g['M'][-1]:.0e}: grows like M^{g['slope']:.2f}, "
        + ", ".join(f"{s:.2f} s" for s in g["seconds"])
        + f": {verdict(g['slope'] <= 1.1)}",
        f"a file of {m['file_mib']:.0f} MiB ({m['rows']} rows) trains in {m['peak_mib']:.0f} MiB, {m['seconds']:.0f} s, "
        f"accuracy {m['accuracy']:.3f}: {verdict(m['peak_mib'] < 500)}",
    ]
    for sparsity in (False, True):
        gaps = [x for x in r["optimum"] if bool(x["sparsity"]) == sparsity]
        worst = max(gaps, key=lambda x: x["gap"])
        within = sum(x["gap"] <= 0.01 for x in gaps)
        most = max(x["passes"] for x in gaps)
        lines.append(
            f"objective above the linear programme's, {'with' if sparsity else 'without'} a price on w: median "
            f"{100 * np.median([x['gap'] for x in gaps]):.2f} %, {within} of {len(gaps)} within 1 %, worst "
            f"{100 * worst['gap']:.2f} % ({worst['problem']}, C = {worst['C']:g}), at most {most} passes: "
            + verdict(within == len(gaps))
        )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument(
        "--quick", action="store_true", help="stored rows of Table 4, a smaller file, about two minutes"
    )
    parser.add_argument("--stored", action="store_true", help="tuned accuracies from the stored rows of Table 4")
    parser.add_argument("--reference", action="store_true", help="compute svc_reference.json anew (half an hour)")
    parser.add_argument("--out", type=Path, help="folder for large_scale.json and large_scale.txt")
    options = parser.parse_args()
    if options.reference:
        make_reference()
        return 0
    quick = options.quick
    r: dict[str, Any] = {
        "default": default_accuracy(),
        "tuned": [tuned_accuracy(name, quick or options.stored) for name in TUNED],
        "epoch": epoch_ratio(),
        "growth": growth([10**4, 10**5] if quick else [10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6]),
        "memory": memory(GIB // 8 if quick else 2 * GIB),
        "optimum": optimum_gaps([(1000, 10.0), (8000, 80.0)]),
    }
    lines = report(r)
    print(*lines, sep="\n")
    out = options.out or HERE / ("quick" if quick else "results")
    out.mkdir(parents=True, exist_ok=True)
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__}
    versions |= {"scikit-learn": sklearn.__version__, "processor": platform.machine()}
    record = {"versions": versions, **r, "summary": lines}
    (out / "large_scale.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    (out / "large_scale.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
