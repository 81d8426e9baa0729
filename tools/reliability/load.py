"""`make test` three times in a row on a busy machine, or some tests once.

    python -m tools.reliability.load [--runs 3] [--busy 8]
    python -m tools.reliability.load --sensitive                 # those that depend on time most, once: the affordable form
    python -m tools.reliability.load tests/faults --runs 2

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
from pathlib import Path

from tools.ledger import ROOT
from tools.reliability import store

#: tests that wait for a browser, a kernel, a sandbox or a clock
SENSITIVE = [
    "tests/browser/test_panel_state.py",
    "tests/browser/test_machinery.py",
    "tests/browser/test_exercises.py",
    "tests/checks/test_run.py",
    "tests/classroom/test_sandbox.py",
    "tests/faults",
    "tests/solvers/test_thousand.py",
    "tests/solvers/test_threads.py",
    "tests/widgets/test_panel.py",
]
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


def one_run(command: list[str], log: Path) -> dict[str, object]:
    """The command once: its status, its seconds, pytest's last lines, and the load average of the last five minutes."""
    start = time.monotonic()
    with log.open("w", encoding="utf-8") as file:
        status = subprocess.run(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, check=False).returncode
    counts = re.findall(r"^=+ (.*\d+ passed.*) =+$", log.read_text(encoding="utf-8"), re.M)
    average = round(os.getloadavg()[1])
    return {"status": status, "seconds": round(time.monotonic() - start), "pytest": counts, "load": average}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.reliability.load", description=__doc__.split("\n")[0])
    parser.add_argument("tests", nargs="*", metavar="TEST", help="files, folders or single tests; by default make test")
    parser.add_argument("--sensitive", action="store_true", help=f"these: {', '.join(SENSITIVE)}")
    parser.add_argument("--runs", type=int, help="by default 3 of make test, 1 of single tests")
    parser.add_argument("--busy", type=int, default=8, help="busy processes beside the run; 0 for a quiet machine")
    asked = parser.parse_args(arguments)
    tests = SENSITIVE if asked.sensitive else asked.tests
    command = [sys.executable, "-m", "pytest", "-v", "-n", "2", "--dist", "loadfile", "-m", "not soak", *tests]
    what = "time-sensitive tests" if asked.sensitive else " ".join(tests) or "make test"
    (ROOT / "build").mkdir(exist_ok=True)
    with busy(asked.busy):
        runs = [
            one_run(command if tests else ["make", "test"], ROOT / "build" / f"load-{number}.log")
            for number in range(asked.runs or (1 if tests else 3))
        ]
    cores = len(os.sched_getaffinity(0))
    store("load", f"{what}, {asked.busy} busy processes", {"cores": cores, "runs": runs})
    print(f"{what} beside {asked.busy} busy processes on {cores} cores:", runs)
    return max(int(str(run["status"])) for run in runs)


if __name__ == "__main__":
    sys.exit(main())
