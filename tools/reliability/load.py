"""`make test` three times in a row on a busy machine.  python -m tools.reliability.load [--runs 3] [--busy 8]

The load is started and ended here: processes that compute without end, at the priority of everything else.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator

from tools.ledger import ROOT
from tools.reliability import store

BUSY = "while True: sum(range(10**6))"


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many processes that take all the time they are given; none is left afterwards, whatever happens inside."""
    started = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def one_run(log: str) -> dict[str, object]:
    """`make test` once: its status, its seconds, and pytest's last line."""
    start = time.monotonic()
    with open(ROOT / "build" / log, "w", encoding="utf-8") as file:
        status = subprocess.run(
            ["make", "test"], cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, check=False
        ).returncode
    text = (ROOT / "build" / log).read_text(encoding="utf-8")
    counts = re.findall(r"^=+ (.*\d+ passed.*) =+$", text, re.M)
    return {"status": status, "seconds": round(time.monotonic() - start), "pytest": counts}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.reliability.load", description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--busy", type=int, default=8, help="busy processes beside the run; 0 for a quiet machine")
    asked = parser.parse_args(arguments)
    (ROOT / "build").mkdir(exist_ok=True)
    with busy(asked.busy):
        runs = [one_run(f"load-{number}.log") for number in range(asked.runs)]
    cores = len(os.sched_getaffinity(0))
    store("load", f"{asked.busy} busy processes", {"cores": cores, "runs": runs})
    print(f"make test beside {asked.busy} busy processes on {cores} cores:", runs)
    return max(int(str(run["status"])) for run in runs)


if __name__ == "__main__":
    sys.exit(main())
