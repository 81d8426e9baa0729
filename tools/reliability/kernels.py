"""A class at work: many Jupyter kernels each run the lesson on kernels at once.

    python -m tools.reliability.kernels [--kernels 30]

Kernels start one after another, as students come in. Each runs all cells of the lesson; an error in a cell is an error here.
The memory of a kernel is the most that its process held (VmHWM), which counts what processes share once for each of them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from tools.ledger import ROOT
from tools.reliability import store

LESSON = "kernels"


def lesson() -> Path:
    (path,) = (ROOT / "lessons").glob(f"*_{LESSON}.ipynb")
    return path


def memory(pid: int) -> dict[str, float]:
    """The most memory that a process has held, and what it holds now and shares with nobody, in MB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    private = [
        line for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines() if "Private" in line
    ]
    most = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    return {"most": most / 1024, "own": sum(int(line.split()[1]) for line in private) / 1024}


def one_student(number: int, stagger: float) -> dict[str, Any]:
    """Run the lesson in a kernel of its own."""
    time.sleep(number * stagger)
    start = time.monotonic()
    client = NotebookClient(
        nbformat.read(lesson(), as_version=4), timeout=None, resources={"metadata": {"path": lesson().parent}}
    )
    with client.setup_kernel():
        for index, cell in enumerate(client.nb.cells):
            client.execute_cell(cell, index)
        used = memory(client.km.provisioner.pid)
    return {"seconds": time.monotonic() - start, **used}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.reliability.kernels", description=__doc__.split("\n")[0])
    parser.add_argument("--kernels", type=int, default=30)
    parser.add_argument("--stagger", type=float, default=2.0, help="seconds between two starts (default: %(default)s)")
    asked = parser.parse_args(arguments)
    start = time.monotonic()
    with ThreadPoolExecutor(asked.kernels) as pool:
        found = list(pool.map(lambda number: one_student(number, asked.stagger), range(asked.kernels)))
    took = [one["seconds"] for one in found]
    result = {
        "cores": len(os.sched_getaffinity(0)), "load": round(os.getloadavg()[1]),
        "seconds": round(time.monotonic() - start), "median_seconds": round(statistics.median(took)),
        "most_mb": round(max(one["most"] for one in found)), "own_mb": round(statistics.median(one["own"] for one in found)),
    }  # fmt: skip
    store("kernels", f"{asked.kernels} kernels", result)
    print(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
