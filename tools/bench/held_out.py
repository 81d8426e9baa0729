"""The held-out half: the MCM, its peers and the code of before on cases on which nothing was tuned:  make bench

For each case gamma is chosen for the MCM and the SVC together, and each machine's knob by three folds of 400 training samples.
Each machine runs in a process of its own with one thread; times are processor time. Results are stored case by case and are
not computed twice; after ``--svc`` a run with all machines adds the others. ``--before DIR`` fits the MCM with the code in
that folder too, same data, same parameters, same run; ``--data DIR`` adds the sets that are not bundled, reported apart;
``--report`` only prints what is stored; with ``--write`` it goes into the README, where a test compares it with the rows.
"""

# ruff: noqa: E402
from __future__ import annotations

import os

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"  # before numpy is imported: all machines get one thread

import argparse
import json
import multiprocessing
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

import mcmteach as mt
from tools.bench.cases import EXTRA, HELD_OUT, Case, checksum, load
from tools.bench.held_out_report import comparison, table, write
from tools.bench.peers import PEERS, ByShare, Peer, vectors

HERE = Path(__file__).parent
TUNE_ON = 400  # training samples on which knobs are chosen
SWEEP = 2000  # up to so many training samples every value of a knob is tried on the test part, for the picture
REPEAT = (
    0.2  # seconds of processor time that fits and predictions are repeated for: one of a millisecond cannot be measured
)
LIMIT = 300  # seconds of processor time that a machine may take for one case (the MCM's own limit goes by the clock)

BEFORE = """
import json, signal, sys, time, warnings
import numpy as np
import mcmteach as mt
def too_long(*_):
    raise TimeoutError("more processor time than " + sys.argv[4] + " s")
warnings.simplefilter("ignore")
signal.signal(signal.SIGPROF, too_long)
signal.setitimer(signal.ITIMER_PROF, float(sys.argv[4]))
data, gamma, price = np.load(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
machine = mt.MCMClassifier(gamma=gamma, sparsity=price, C=1.0, solver="highs", time_limit=float("inf"))
count, start = 0, time.process_time()
while not count or time.process_time() - start < float(sys.argv[5]):
    machine.fit(data["X"], data["y"])
    count += 1
print(json.dumps({"fit": (time.process_time() - start) / count, "gap": machine.certificate_.gap}))
"""


def _accuracy(machine: Any, X: Any, y: Any) -> float:
    return float(np.mean(machine.predict(X) == y))


def tune(case: Case, peers: list[Peer], gamma: float | None = None) -> tuple[float, dict[str, float]]:
    """gamma, if it is not given, and the knob of each peer, by three folds of a part of the training samples."""
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
    gamma = gamma or max(gammas, key=lambda g: sum(max(scores(p, g)) for p in both))
    chosen = {}
    for peer in peers:
        if peer.there() and len(case.y) <= peer.most:
            found = scores(peer, gamma) if len(peer.knobs) > 1 else [1.0]
            chosen[peer.name] = peer.knobs[int(np.argmax(found))]  # of equals the first
    return gamma, chosen


def measure(peer: Peer, knob: float, gamma: float, case: Case) -> dict[str, Any]:
    """One fit in a process of its own."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(_measured, (peer.name, knob, gamma, case))


def _measured(name: str, knob: float, gamma: float, case: Case) -> dict[str, Any]:
    warnings.simplefilter("ignore")
    make = _DEFAULTS.get(name) or next(p.make for p in PEERS if p.name == name)
    signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        return {"knob": knob, **_fitted(make, knob, gamma, case)}
    except Exception as problem:  # a machine that fails on a case has a row that says so
        return {"knob": knob, "error": f"{type(problem).__name__}: {problem}"[:100]}


def _too_long(*_: Any) -> None:
    raise TimeoutError(f"more processor time than {LIMIT} s")


def _fitted(make: Any, knob: float, gamma: float, case: Case) -> dict[str, Any]:
    machine = make(knob, gamma)
    if isinstance(machine, ByShare):  # what its knob stands for is part of the benchmark and not of the fit
        machine = machine.at_price(case.X, case.y)
    fit, machine = _seconds(lambda: machine.fit(case.X, case.y))
    predict, right = _seconds(lambda: _accuracy(machine, case.X_test, case.y_test))
    row = {"fit": fit, "predict": predict / len(case.y_test), "accuracy": right, "vectors": vectors(machine)}
    if hasattr(machine, "certificate_"):
        row |= {"gap": machine.certificate_.gap, "price": machine.sparsity}
    return row


def _seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    """The processor time of a run, the mean of many if it is short, and what it gave."""
    count, start = 0, time.process_time()
    while not count or time.process_time() - start < REPEAT:
        found = run()
        count += 1
    return (time.process_time() - start) / count, found


_DEFAULTS = {
    "mcm default": lambda *_: mt.MCMClassifier(solver="highs", time_limit=np.inf),
    "svc default": lambda *_: SVC(),
}


def measure_before(folder: Path, case: Case, gamma: float, price: float) -> dict[str, Any]:
    """The fit of the MCM with other code."""
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "data.npz"
        np.savez(data, X=case.X, y=case.y)
        command = [sys.executable, "-c", BEFORE, str(data), repr(gamma), repr(price), str(LIMIT), str(REPEAT)]
        done = subprocess.run(
            command, env=os.environ | {"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False
        )
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1][:100]}
    return dict(json.loads(done.stdout))


def run(
    name: str,
    folder: Path | None,
    before: Path | None,
    peers: list[Peer],
    sweep: bool,
    known: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Everything about one case. Of what is ``known`` already gamma and the other machines are kept."""
    case = load(name, folder)
    gamma, chosen = tune(case, peers, known["gamma"] if known else None)
    if known is None:
        row = {"case": name, "M": len(case.y), "features": case.X.shape[1], "gamma": gamma, "chosen": {}, "sweep": []}
    else:
        sweep = sweep or len(known["sweep"]) > len(known["chosen"])  # as it was before
        row = known | {"sweep": [p for p in known["sweep"] if p["machine"] not in {peer.name for peer in peers}]}
        row.pop("before", None)  # that was for another price
    for peer in peers:
        if peer.name not in chosen:
            continue
        drawn = (peer.drawn or peer.knobs) if sweep and len(case.y) <= SWEEP else ()
        for knob in dict.fromkeys([*drawn, chosen[peer.name]]):
            found = measure(peer, knob, gamma, case)
            others = [p for p in row["sweep"] if (p["machine"], p["knob"]) != (peer.name, knob)]
            row["sweep"] = [*others, {"machine": peer.name, **found}]
            if knob == chosen[peer.name]:
                row["chosen"][peer.name] = found
    for name_ in _DEFAULTS:
        row["chosen"][name_] = measure(Peer(name_, (), _DEFAULTS[name_]), 0.0, gamma, case)
    if before is not None and "price" in row["chosen"]["mcm"]:
        row["before"] = measure_before(before, case, gamma, row["chosen"]["mcm"]["price"])
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with the sets that are not bundled; reported apart")
    parser.add_argument("--before", type=Path, help="folder of other code to compare with")
    parser.add_argument("--cases", nargs="*", help="only these")
    parser.add_argument("--svc", action="store_true", help="the MCM and the SVC alone, each with its chosen knob only")
    parser.add_argument(
        "--again", action="store_true", help="tune and measure stored cases anew, with the gamma that was chosen"
    )
    parser.add_argument("--report", action="store_true", help="only print what is stored")
    parser.add_argument("--write", action="store_true", help="what is stored into the README, the page and the picture")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    store = options.out / "held_out.jsonl"
    lines = store.read_text().splitlines() if store.exists() else []
    stored = {
        row["case"]: row for row in map(json.loads, lines)
    }  # of two rows the later one, with all machines, counts
    warnings.simplefilter(
        "ignore"
    )  # of machines that did not converge, ours among them: the table shows their accuracy
    names = [*HELD_OUT, *(EXTRA if options.data else [])]
    for name in names if not options.report else []:
        enough = name in stored and (options.svc or len(stored[name]["chosen"]) > len(_DEFAULTS) + 2)
        if enough != options.again or (options.cases and name not in options.cases):
            continue
        peers, known = PEERS[: 2 if options.svc else None], stored.get(name) if options.again else None
        row = run(name, options.data, options.before, peers, not options.svc, known)
        if name in EXTRA:
            row["sha256"] = checksum(options.data / EXTRA[name][0])
        stored[name] = row
        with store.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(*table([row])[1:], sep="\n", flush=True)
    for title, chosen in (("held out", HELD_OUT), ("sets that are not bundled", list(EXTRA))):
        rows = [stored[name] for name in chosen if name in stored]
        if rows:
            print("", f"{title}, {len(rows)} of {len(chosen)} cases", *table(rows), "", *comparison(rows), sep="\n")
    if options.write:
        write(*([stored[name] for name in names if name in stored] for names in (HELD_OUT, EXTRA)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
