"""How long a panel takes from a move of a control to the bytes of a new picture:  python tools/bench/panels.py

Each panel is measured where it starts and with every control at its largest setting. The limits are what a hand on a
slider does not notice: 100 ms for a picture with one axes, 250 ms for more, for 95 moves out of 100. On a busy machine look at
the processor's time too: it is what the picture costs, without the waiting.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from mcmteach import widgets as panels

LIMITS = {1: 0.100, 2: 0.250}  # seconds, by number of axes


def largest(control: Any) -> Any:
    """The largest value that a control can have; the last option of a list."""
    if hasattr(control, "options"):
        last = control.options[-1]
        return last[1] if isinstance(last, tuple) else last
    if hasattr(control, "base"):
        return control.base**control.max
    return getattr(control, "max", True)


def count_axes(name: str) -> int:
    """How many axes a panel draws."""
    seen = []
    module = sys.modules[getattr(panels, name).__module__]
    real = module.kept_figure
    module.kept_figure = lambda *args, columns=1, **rest: (seen.append(columns), real(*args, columns=columns, **rest))[
        1
    ]
    try:
        getattr(panels, name)()
    finally:
        module.kept_figure = real
    return max(seen)


def measure(name: str, moves: int) -> dict[str, Any]:
    """The 95th percentile of the time to a new picture, and of the processor's time, at the panel's worse setting."""
    panel = getattr(panels, name)()
    settings = [panel.state, {key: largest(control) for key, control in panel.controls.items()}]
    worst = np.zeros(2)
    for state in settings:
        panel.draw(**state)
        times = []
        for _ in range(moves):
            start = time.perf_counter(), time.process_time()
            panel.draw(**state)
            times.append(np.array([time.perf_counter(), time.process_time()]) - start)
        worst = np.maximum(worst, np.percentile(times, 95, axis=0))
    axes, (p95, cpu) = count_axes(name), (1000 * worst).round(1).tolist()
    return {"panel": name, "axes": axes, "p95_ms": p95, "cpu_ms": cpu, "limit_ms": 1000 * LIMITS[min(axes, 2)]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="20 moves for each panel instead of 100")
    parser.add_argument("--json", type=Path, help="write the results here too")
    arguments = parser.parse_args()
    names = sorted(name for name in dir(panels) if name.endswith("_panel"))
    rows = [measure(name, 20 if arguments.quick else 100) for name in names]
    print(f"{'panel':22} {'axes':>4} {'95 % within':>12} {'processor':>12} {'limit':>8}")
    for row in rows:
        verdict = "" if row["p95_ms"] <= row["limit_ms"] else "  too slow"
        times = f"{row['p95_ms']:9.1f} ms {row['cpu_ms']:9.1f} ms {row['limit_ms']:5.0f} ms"
        print(f"{row['panel']:22} {row['axes']:4d} {times}{verdict}")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return int(any(row["p95_ms"] > row["limit_ms"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
