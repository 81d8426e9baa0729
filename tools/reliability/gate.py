"""The gate's minutes by part, out of its logs:  python -m tools.reliability.gate LOG …  (a log is named for its part)."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from tools.reliability import store

SUMMARY = re.compile(r"^=* ?((?:\d+ \w+, )*\d+ \w+) in ([\d.]+)s\b", re.M)  # pytest's last line, with or without -q
PART = re.compile(r"^\.ci/run: (.+) took (\d+) s$", re.M)


def parts(name: str, log: str) -> dict[str, dict[str, object]]:
    """The parts that a log tells of: what pytest says in the end, and how long .ci/run says that a target took."""
    runs = SUMMARY.findall(log)
    numbered = [name if len(runs) == 1 else f"{name} {number}" for number in range(1, len(runs) + 1)]
    found = {
        part: {"tests": tests, "seconds": round(float(s))} for part, (tests, s) in zip(numbered, runs, strict=True)
    }
    return found | {part: {"tests": "", "seconds": int(s)} for part, s in PART.findall(log)}


def main(arguments: list[str]) -> int:
    for path in map(Path, arguments):
        for part, found in parts(path.stem, path.read_text(encoding="utf-8")).items():
            store("gate", part, found | {"load": round(os.getloadavg()[2])})
            print(part, found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
