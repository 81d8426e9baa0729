"""The library's own tests in whatever environment this runs in: the oldest packages, another Python.

.venv-oldest/bin/python -m tools.reliability.versions [--store] [arguments of pytest]
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import time
from importlib.metadata import version

from tools.ledger import ROOT
from tools.reliability import store

#: the library, its engines, its pictures and the examples in its docstrings
ROOMS = ["solvers", "svm", "guarantee", "datasets", "export", "plots", "properties"]
#: tests of the files around the package, or of what is heavy and is tried in the other environment
NOT_HERE = ["audit", "doctor", "edge", "house", "in_earnest", "ledger", "main", "names", "project", "reliability"]
SHOWN = ["numpy", "scipy", "scikit-learn", "highspy", "matplotlib", "pandas"]


def tests() -> list[str]:
    """The files and folders of tests of the library."""
    flat = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").glob("test_*.py"))
    core = [path for path in flat if path not in [f"tests/test_{name}.py" for name in NOT_HERE]]
    return [*core, *(f"tests/{room}" for room in ROOMS), "mcmteach", "--ignore=mcmteach/classroom"]


def main(arguments: list[str]) -> int:
    keep = "--store" in arguments
    given = [argument for argument in arguments if argument != "--store"] or ["-n", "auto", "--dist", "loadfile"]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
        "not slow and not soak",
        *given,
        *tests(),
    ]
    print(f"Python {platform.python_version()}:", ", ".join(f"{name} {version(name)}" for name in SHOWN), flush=True)
    start, said = time.monotonic(), ""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout or ():
            print(line, end="", flush=True)
            said = line if re.search(r"\d (passed|failed|error)", line) else said
    counts = {what: int(number) for number, what in re.findall(r"(\d+) (passed|failed|skipped|errors?)", said)}
    if keep:
        packages = {name: version(name) for name in SHOWN}
        name = f"Python {platform.python_version()}, numpy {packages['numpy']}"
        store("versions", name, {"packages": packages, "seconds": round(time.monotonic() - start), **counts})
    return run.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
