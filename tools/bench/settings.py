"""What each setting of the fast solver does: the time with half and with twice its value, on cases of the tuning half.

python -m tools.bench.settings [names]. Times are processor time against the default's, measured alternately, geometric means.
"""

# ruff: noqa: E402
from __future__ import annotations

import os

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"  # before numpy is imported

import sys
import time
from dataclasses import asdict, replace

import numpy as np

import mcmteach as mt
from mcmteach.certificate import GAP
from mcmteach.solvers.fast import FastSolver
from mcmteach.solvers.kernel_columns import KernelColumns
from mcmteach.solvers.settings import DEFAULT, Settings
from tools.bench.cases import load

#: (case, gamma times the number of features, price)
CASES = [
    ("sonar", 0.25, 1.0),
    ("pima-indians", 0.25, 0.01),
    ("pima-indians", 0.0625, 0.1),
    ("classification-500", 0.25, 0.1),
    ("quantiles-2000", 0.25, 0.3),
    ("moons-2000", 2.0, 1.0),
    ("binary-500", 0.25, 0.3),
]
FIXED = ("block", "kept", "steps", "rounds")  # memory, and limits that nothing should reach


def seconds(data: list[tuple[KernelColumns, np.ndarray, float]], settings: Settings) -> tuple[np.ndarray, int]:
    """The time for each case, and how many answers are not proved."""
    times, open_ = [], 0
    for K, y, price in data:
        start = time.process_time()
        found = FastSolver(KernelColumns(K.kernel, K.X), y, settings).solve(1.0, price, 60.0)
        times.append(time.process_time() - start)
        open_ += found is None or found.certificate.gap > GAP
    return np.array(times), open_


def main() -> int:
    data = []
    for name, width, price in CASES:
        case = load(name)
        data.append((KernelColumns(mt.RBF(width / case.X.shape[1]), case.X), case.y, price))
    seconds(data, DEFAULT)  # whatever is done once only
    for name, value in asdict(DEFAULT).items():
        if name in FIXED or (len(sys.argv) > 1 and name not in sys.argv[1:]):
            continue
        near_one = 0.5 < value < 2  # such a number is halved and doubled in its distance from 1
        others = [1 - (1 - value) * f for f in (2, 0.5)] if near_one else [type(value)(value * f) for f in (0.5, 2)]
        text = []
        for other in others:
            base, _ = seconds(data, DEFAULT)
            new, open_ = seconds(data, replace(DEFAULT, **{name: other}))
            ratio = float(np.exp(np.mean(np.log(new / base))))
            text.append(
                f"{other:g}: {ratio:.2f}x (worst {max(new / base):.1f}x)" + (f", {open_} not proved" if open_ else "")
            )
        print(f"{name:12} {value:<8g} " + "; ".join(text), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
