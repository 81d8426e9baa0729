"""The held-out half: the MCM, its peers and the code of before on cases on which nothing was tuned:  make bench HELD_OUT=1

For each case gamma is chosen for the MCM and the SVC together, and each machine's knob by three folds of 400 training samples.
Each machine runs in a process of its own with one thread; times are processor time. Results are stored case by case and are
not computed twice. ``--before DIR`` fits the MCM with the code in that folder too, same data, same parameters, same run;
``--data DIR`` adds the sets that are not bundled, reported apart; ``--report`` only prints what is stored.
"""

# ruff: noqa: E402
from __future__ import annotations

import os

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"  # before numpy is imported: all machines get one thread

import argparse
import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

import mcmteach as mt
from tools.bench.cases import EXTRA, HELD_OUT, Case, checksum, load
from tools.bench.peers import PEERS, ByShare, Peer, vectors

HERE = Path(__file__).parent
TUNE_ON = 400  # training samples on which knobs are chosen
SWEEP = 2000  # up to so many training samples every value of a knob is tried on the test part, for the picture
REPEAT = 0.5  # a fit that takes less than so many seconds is measured three times

BEFORE = """
import json, sys, time, warnings
import numpy as np
import mcmteach as mt
warnings.simplefilter("ignore")
data, gamma, price = np.load(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
seconds = []
while len(seconds) < 3 and (not seconds or seconds[-1] < 0.5):
    machine = mt.MCMClassifier(gamma=gamma, sparsity=price, C=1.0, solver="highs")
    start = time.process_time()
    machine.fit(data["X"], data["y"])
    seconds.append(time.process_time() - start)
print(json.dumps({"fit": min(seconds), "gap": machine.certificate_.gap}))
"""


def _accuracy(machine: Any, X: Any, y: Any) -> float:
    return float(np.mean(machine.predict(X) == y))


def tune(case: Case, peers: list[Peer]) -> tuple[float, dict[str, float]]:
    """gamma and the knob of each peer, by three folds of a part of the training samples."""
    part = np.random.default_rng(0).permutation(len(case.y))[:TUNE_ON]
    X, y = case.X[part], case.y[part]
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))

    def scores(peer: Peer, gamma: float) -> list[float]:
        return [
            float(np.mean([_accuracy(peer.make(k, gamma).fit(X[i], y[i]), X[j], y[j]) for i, j in folds]))
            for k in peer.knobs
        ]

    both = [p for p in PEERS if p.name in ("mcm", "svc")]
    gammas = [1 / X.shape[1] / 4**k for k in range(3)]
    gamma = max(gammas, key=lambda g: sum(max(scores(p, g)) for p in both))
    chosen = {}
    for peer in peers:
        if peer.there() and len(case.y) <= peer.most:
            found = scores(peer, gamma) if len(peer.knobs) > 1 else [1.0]
            # the fewest vectors within half a point of the best
            chosen[peer.name] = next(k for k, s in zip(peer.knobs, found, strict=True) if s >= max(found) - 0.005)
    return gamma, chosen


def measure(peer: Peer, knob: float, gamma: float, case: Case) -> dict[str, Any]:
    """One fit in a process of its own."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(_measured, (peer.name, knob, gamma, case))


def _measured(name: str, knob: float, gamma: float, case: Case) -> dict[str, Any]:
    warnings.simplefilter("ignore")
    make = _DEFAULTS.get(name) or next(p.make for p in PEERS if p.name == name)
    try:
        return {"knob": knob, **_fitted(make, knob, gamma, case)}
    except Exception as problem:  # a machine that fails on a case has a row that says so
        return {"knob": knob, "error": f"{type(problem).__name__}: {problem}"[:100]}


def _fitted(make: Any, knob: float, gamma: float, case: Case) -> dict[str, Any]:
    seconds: list[float] = []
    while len(seconds) < 3 and (not seconds or seconds[-1] < REPEAT):
        machine = make(knob, gamma)
        if isinstance(machine, ByShare):  # what its knob stands for is part of the benchmark and not of the fit
            machine = machine.at_price(case.X, case.y)
        start = time.process_time()
        machine = machine.fit(case.X, case.y)
        seconds.append(time.process_time() - start)
    start = time.process_time()
    right = _accuracy(machine, case.X_test, case.y_test)
    predict = (time.process_time() - start) / len(case.y_test)
    row = {"fit": min(seconds), "predict": predict, "accuracy": right, "vectors": vectors(machine)}
    if hasattr(machine, "certificate_"):
        row |= {"gap": machine.certificate_.gap, "price": machine.sparsity}
    return row


_DEFAULTS = {"mcm default": lambda *_: mt.MCMClassifier(solver="highs"), "svc default": lambda *_: SVC()}


def measure_before(folder: Path, case: Case, gamma: float, price: float) -> dict[str, Any]:
    """The fit of the MCM with other code."""
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "data.npz"
        np.savez(data, X=case.X, y=case.y)
        command = [sys.executable, "-c", BEFORE, str(data), repr(gamma), repr(price)]
        done = subprocess.run(
            command, env=os.environ | {"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False
        )
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1][:100]}
    return dict(json.loads(done.stdout))


def run(name: str, folder: Path | None, before: Path | None, peers: list[Peer], sweep: bool) -> dict[str, Any]:
    """Everything about one case."""
    case = load(name, folder)
    gamma, chosen = tune(case, peers)
    row: dict[str, Any] = {"case": name, "M": len(case.y), "features": case.X.shape[1], "gamma": gamma}
    row["chosen"], row["sweep"] = {}, []
    for peer in peers:
        if peer.name not in chosen:
            continue
        for knob in peer.knobs if sweep and len(case.y) <= SWEEP else (chosen[peer.name],):
            found = measure(peer, knob, gamma, case)
            row["sweep"].append({"machine": peer.name, **found})
            if knob == chosen[peer.name]:
                row["chosen"][peer.name] = found
    for name_ in _DEFAULTS:
        row["chosen"][name_] = measure(Peer(name_, (), _DEFAULTS[name_]), 0.0, gamma, case)
    if before is not None and "price" in row["chosen"]["mcm"]:
        row["before"] = measure_before(before, case, gamma, row["chosen"]["mcm"]["price"])
    return row


# --- what it says ------------------------------------------------------------------------------------------------------------


def geometric(ratios: list[float]) -> float:
    """The geometric mean."""
    return float(np.exp(np.mean(np.log(ratios)))) if ratios else float("nan")


def ratios(rows: list[dict[str, Any]], one: str, other: str, what: str) -> list[tuple[float, str]]:
    """one / other on all cases that have both, with the case's name."""
    pairs = [(r["chosen"].get(one, {}), r["chosen"].get(other, {}), r["case"]) for r in rows]
    return [(max(a[what], 1e-9) / max(b[what], 1e-9), case) for a, b, case in pairs if what in a and what in b]


def front(row: dict[str, Any]) -> list[dict[str, Any]]:
    """The points of a case that no other beats in accuracy with as few vectors, or in vectors with as much accuracy."""
    points = sorted((p for p in row["sweep"] if "vectors" in p), key=lambda p: (p["vectors"], -p["accuracy"]))
    best, found = -1.0, []
    for p in points:
        if p["accuracy"] > best:
            best = p["accuracy"]
            found.append(p)
    return found


def summary(rows: list[dict[str, Any]]) -> list[str]:
    """The figures that README quotes."""
    lines = []
    for ours, theirs in (("mcm", "svc"), ("mcm default", "svc default")):
        fit = ratios(rows, ours, theirs, "fit")
        fewer, quicker = ratios(rows, theirs, ours, "vectors"), ratios(rows, theirs, ours, "predict")
        points = [
            100 * (r["chosen"][ours]["accuracy"] - r["chosen"][theirs]["accuracy"])
            for r in rows
            if "accuracy" in r["chosen"][ours]
        ]
        means = [geometric([value for value, _ in pairs]) for pairs in (fit, quicker)]
        lines.append(
            f"{ours} against {theirs}, {len(fit)} cases: fit {means[0]:.1f}x (worst {max(fit)[0]:.0f}x on {max(fit)[1]}); "
            f"predictions {means[1]:.1f}x faster; vectors, median {np.median([value for value, _ in fewer]):.1f}x fewer; "
            f"accuracy {np.mean(points):+.2f} points (median {np.median(points):+.2f}, worst {min(points):+.1f})"
        )
    gaps = [(r["chosen"][k]["gap"], r["case"]) for r in rows for k in ("mcm", "mcm default") if "gap" in r["chosen"][k]]
    lines.append(f"largest relative gap {max(gaps)[0]:.0e} on {max(gaps)[1]}")
    both = [
        (r["before"]["fit"] / r["chosen"]["mcm"]["fit"], r["case"], r["before"]["fit"] / r["chosen"]["svc"]["fit"])
        for r in rows
        if "fit" in r.get("before", {})
    ]
    if both:
        lines.append(
            f"the code of before took {geometric([b for b, _, _ in both]):.2f}x the time ({len(both)} cases; "
            f"best {max(both)[0]:.1f}x on {max(both)[1]}, worst {min(both)[0]:.1f}x on {min(both)[1]}); against SVC it had "
            f"{geometric([b for _, _, b in both]):.1f}x, worst {max(b for _, _, b in both):.0f}x"
        )
    swept = [r for r in rows if len(r["sweep"]) > len(r["chosen"])]
    counts = {p.name: sum(q["machine"] == p.name for r in swept for q in front(r)) for p in PEERS}
    total = sum(counts.values())
    lines.append(f"on the front of accuracy against vectors, {total} points of {len(swept)} cases: {counts}")
    return lines


def table(rows: list[dict[str, Any]]) -> list[str]:
    """One line per case and machine."""
    lines = [f"{'case':26}{'M':>6} {'machine':20}{'fit s':>9}{'vectors':>8}{'acc %':>7}{'gap':>8}"]
    for r in rows:
        every = r["chosen"] | ({"mcm before": r["before"]} if "before" in r else {})
        for name, m in every.items():
            label = f"{r['case']:26}{r['M']:>6} {name:20}"
            if "error" in m:
                lines.append(f"{label} {m['error']}")
                continue
            size = f"{m['vectors']:>8}{100 * m['accuracy']:7.1f}" if "vectors" in m else " " * 15
            lines.append(f"{label}{m['fit']:9.4f}{size}" + (f"{m['gap']:8.0e}" if "gap" in m else ""))
    return lines


def picture(rows: list[dict[str, Any]], path: Path) -> None:
    """Accuracy against vectors: each machine's mean over the cases, at each value of its knob."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    swept = [r for r in rows if len(r["sweep"]) > len(r["chosen"])]
    best = {r["case"]: max(p["accuracy"] for p in r["sweep"] if "accuracy" in p) for r in swept}
    fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for peer, marker in zip(PEERS, "os^DvPX", strict=True):
        points = []
        for knob in peer.knobs:
            found = [
                (q["vectors"] / r["M"], 100 * (q["accuracy"] - best[r["case"]]))
                for r in swept
                for q in r["sweep"]
                if q["machine"] == peer.name and q["knob"] == knob and "vectors" in q
            ]
            if found:
                share, short = np.array(found).T
                points.append((geometric(np.maximum(share, 1e-3).tolist()), short.mean()))
        if points:
            ax.plot(*np.array(points).T, marker=marker, label=peer.name)
    ax.set_xscale("log")
    ax.set_xlabel("vectors kept, share of the training samples (geometric mean)")
    ax.set_ylabel("accuracy below the case's best (mean, points)")
    ax.set_title(f"Accuracy against size on {len(swept)} held-out cases")
    ax.legend(fontsize=8)
    fig.savefig(path, dpi=120)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with the sets that are not bundled; reported apart")
    parser.add_argument("--before", type=Path, help="folder of other code to compare with")
    parser.add_argument("--cases", nargs="*", help="only these")
    parser.add_argument("--svc", action="store_true", help="the MCM and the SVC alone, each with its chosen knob only")
    parser.add_argument("--report", action="store_true", help="only print what is stored")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    store = options.out / "held_out.jsonl"
    stored = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    warnings.simplefilter(
        "ignore"
    )  # of machines that did not converge, ours among them: the table shows their accuracy
    names = [*HELD_OUT, *(EXTRA if options.data else [])]
    for name in names if not options.report else []:
        if name in {r["case"] for r in stored} or (options.cases and name not in options.cases):
            continue
        row = run(name, options.data, options.before, PEERS[: 2 if options.svc else None], not options.svc)
        if name in EXTRA:
            row["sha256"] = checksum(options.data / EXTRA[name][0])
        stored.append(row)
        with store.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(*table([row])[1:], sep="\n", flush=True)
    for title, chosen in (("held out", HELD_OUT), ("sets that are not bundled", list(EXTRA))):
        rows = [r for r in stored if r["case"] in chosen]
        if rows:
            text = [*table(rows), "", f"{title}:", *summary(rows)]
            print("", *text[text.index("") :], sep="\n")
            (options.out / f"{title.replace(' ', '_')}.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
            if any(len(r["sweep"]) > len(r["chosen"]) for r in rows):
                picture(rows, options.out / f"{title.replace(' ', '_')}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
