"""bandit over the package and the tools: each finding is mended, or judged here with a reason.

python -m tools.reliability.audit
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import NamedTuple

from tools.ledger import ROOT

#: kinds of findings that say nothing here
NOT_HERE = {
    "B101": "an assert states what the code relies on; no input is checked by one (tests/properties)",
    "B311": "random numbers choose samples and mutants, no secrets",
    "B404": "that subprocess is imported; how it is called is B602 to B607",
    "B603": "no shell, and a list of arguments: the safe form",
    "B615": "load_dataset is our own: it reads a file of the package and downloads nothing",
}
#: findings that were looked at, by kind and file
JUDGED = {
    ("B102", "mcmteach/classroom/worker.py"): "the teacher's own cells; a student's run in the sandbox",
    ("B102", "tools/replay.py"): "cells of the course's own lessons",
    ("B102", "tools/reliability/mutation.py"): "mutants of the package's own functions",
    ("B307", "tools/replay.py"): "the last expression of a cell of the course's own lessons",
    ("B105", "mcmteach/classroom/syscalls.py"): "names of system calls, no passwords",
    ("B108", "mcmteach/classroom/sandbox.py"): "folders inside the sandbox: empty, in memory, of this submission only",
    ("B110", "mcmteach/checks/judge.py"): "a function written in C tells no signature; its answer is judged all the same",
    ("B314", "mcmteach/classroom/feedback.py"): "MathML that latex2mathml made; expat since 2.4.1 limits expansion",
    ("B405", "mcmteach/classroom/feedback.py"): "see B314",
    ("B607", "tools/edge/board.py"): "the compiler's tools, wherever the developer has installed them",
    ("B607", "tools/house.py"): "git, wherever the developer has installed it",
}  # fmt: skip


class Finding(NamedTuple):
    kind: str
    file: str
    line: int
    words: str


def findings() -> list[Finding]:
    """What bandit says of mcmteach/ and tools/, kinds that say nothing here left out."""
    command = [sys.executable, "-m", "bandit", "-q", "-r", "mcmteach", "tools", "-f", "json", "-s", ",".join(NOT_HERE)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if said.returncode not in (0, 1):
        raise RuntimeError(f"bandit did not run: {said.stderr}")
    report = json.loads(said.stdout)
    if report["errors"]:
        raise RuntimeError(f"bandit could not read some files: {report['errors']}")
    return [
        Finding(r["test_id"], r["filename"].removeprefix("./"), r["line_number"], r["issue_text"])
        for r in report["results"]
    ]


def not_judged(found: list[Finding]) -> list[Finding]:
    return [finding for finding in found if (finding.kind, finding.file) not in JUDGED]


def main() -> int:
    found = findings()
    for finding in (open_ := not_judged(found)):
        print(f"{finding.file}:{finding.line}: {finding.kind} {finding.words}")
    print(f"bandit: {len(found)} findings, {len(found) - len(open_)} judged, {len(open_)} open")
    return 1 if open_ else 0


if __name__ == "__main__":
    sys.exit(main())
