"""docs/RELIABILITY.md: what is promised, how each promise is tested, and the figures of the last run.

python -m tools.reliability.page
"""

from __future__ import annotations

import sys
from typing import NamedTuple

from tools.ledger import ROOT
from tools.reliability import audit, stored
from tools.reliability.judged import EQUIVALENT

PAGE = ROOT / "docs" / "RELIABILITY.md"


class Promise(NamedTuple):
    says: str
    how: str
    tests: tuple[str, ...]  #: files or folders
    when: str = "`make test`"


PROMISES = [
    Promise(
        "An input is answered rightly or refused in words, and never modified",
        "every public name with lists, single precision, whole numbers, bools, objects, strided and read-only arrays, pandas, "
        "polars, sparse matrices of both kinds of indices, duplicates, constant columns, 1 to 9 samples, scales 1e-150 to "
        "1e150, NaN; no warning but ours",
        ("tests/properties", "tests/test_contract.py"),
    ),
    Promise(
        "A certificate never claims too much",
        "hard linear programmes by every way of solving them, with weights, without the cap, of many classes, of numbers "
        "instead of classes and of coefficients in few bits, checked in exact arithmetic",
        ("tests/solvers/test_thousand.py", "tests/solvers/test_thousand_machines.py"),
        "`make test`: a part; `make soak`: a thousand",
    ),
    Promise(
        "A run that is disturbed ends, when repeated, with the numbers of an undisturbed one",
        "an engine that raises or has no time, highspy missing, a killed worker, a full or read-only disk, results cut off or "
        "foreign, Ctrl-C at any line",
        (
            "tests/faults",
            "tests/experiments/test_parallel.py",
            "tests/experiments/test_run.py",
            "tests/experiments/test_store.py",
        ),
    ),
    Promise(
        "The same seed gives the same bits",
        "twice, in eight threads, by one job and two; objectives to 1e-9 for 1, 2 and 4 threads of BLAS",
        ("tests/test_determinism.py",),
    ),
    Promise(
        "It works with the oldest packages that are admitted and with the newest",
        "the library's tests in two environments, each with its lock",
        ("tests/test_project.py",),
        "`make test-oldest`, `make test`",
    ),
    Promise(
        "The tests of the core would notice a slip",
        "one slip in one place of a function, for many places: a test must fail",
        ("tests/test_reliability.py",),
        "`make soak`",
    ),
    Promise(
        "A class can work at once",
        "thirty kernels run the lesson on kernels on two cores",
        ("tests/test_reliability.py",),
        "`make soak`",
    ),
    Promise(
        "The gate does not depend on how busy the machine is",
        "`make test` three times beside eight busy processes, started and ended by the check",
        ("tests/test_reliability.py",),
        "`make soak`",
    ),
    Promise(
        "No file that one may receive can run code",
        "no pickle is read anywhere; model files with any value in any place; bandit; the sandbox's hostile submissions",
        ("tests/test_audit.py", "tests/properties/test_single_things.py", "tests/classroom/hostile.py"),
    ),
]  # fmt: skip


def table(head: list[str], rows: list[list[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def promises() -> str:
    rows = [[p.says, p.how, " ".join(f"`{test}`" for test in p.tests), p.when] for p in PROMISES]
    return table(["promise", "how it is tested", "where", "when"], rows)


def versions() -> str:
    rows: list[list[object]] = []
    for name, run in stored("versions").items():
        others = ", ".join(f"{package} {number}" for package, number in run["packages"].items() if package != "numpy")
        rows.append([name, others, run.get("passed", 0), run.get("failed", 0) + run.get("errors", 0), run["day"]])
    return table(["environment", "with", "passed", "failed", "day"], rows) if rows else NOT_RUN


def mutation() -> str:
    found = stored("mutation")
    if not found:
        return NOT_RUN
    survivors = [
        (name, s["function"], s["change"], EQUIVALENT.get((name.split(",")[0], s["function"], s["change"]), ""))
        for name, run in found.items()
        for s in run["survivors"]
    ]
    rows: list[list[object]] = []
    for name, run in found.items():
        same = sum(bool(why) for module, _, _, why in survivors if module == name)
        share = f"{100 * run['noticed'] / (run['tried'] - same):.0f} %"
        missed = len(run["survivors"]) - same
        rows.append([f"`{name}`", run["mutants"], run["tried"], same, run["noticed"], missed, share, run["day"]])
    head = ["module", "mutants", "tried", "compute the same", "noticed", "missed", "noticed of the others", "day"]
    text = table(head, rows)
    listed = [[f"`{m.split(',')[0]}.{f}`", f"`{change}`", why or "**missed**"] for m, f, change, why in survivors]
    return text + (
        "\n\nThose that no test noticed:\n\n" + table(["function", "slip", "judged"], listed) if listed else ""
    )


def kernels() -> str:
    rows = [
        [name, run["cores"], run.get("load", "–"), run["seconds"], run["most_mb"], run["own_mb"], run["day"]]
        for name, run in stored("kernels").items()
    ]
    head = [
        "at once",
        "cores",
        "load average",
        "seconds in all",
        "most MB of a kernel",
        "MB that it shares with none (median)",
        "day",
    ]
    return table(head, rows) if rows else NOT_RUN


def load() -> str:
    rows: list[list[object]] = []
    for name, found in stored("load").items():
        for run in found["runs"]:
            tests = "; ".join(line.split(" in ")[0] for line in run["pytest"])
            state = "green" if run["status"] == 0 else "RED"
            minutes = round(run["seconds"] / 60)
            rows.append([name, found["cores"], run["load"], state, tests, minutes, found["day"]])
    return (
        table(["what, beside what", "cores", "load average", "state", "tests", "minutes", "day"], rows)
        if rows
        else NOT_RUN
    )


def gate() -> str:
    rows: list[list[object]] = [
        [part, run["tests"], f"{run['seconds'] / 60:.1f}", run["load"], run["day"]]
        for part, run in stored("gate").items()
    ]
    return table(["part", "tests", "minutes", "load average", "day"], rows) if rows else NOT_RUN


def site() -> str:
    rows: list[list[object]] = [
        [name, run["median"], run["worst"], run["visits"], run["load"], run["day"]]
        for name, run in stored("site").items()
    ]
    return table(["first visit", "median s", "worst s", "visits", "load average", "day"], rows) if rows else NOT_RUN


NOT_RUN = "Not run yet with stored results."


def page() -> str:
    judged = table(
        ["finding", "file", "why it may stay"], [[kind, f"`{file}`", why] for (kind, file), why in audit.JUDGED.items()]
    )
    left_out = table(["kind", "why it says nothing here"], [[kind, why] for kind, why in audit.NOT_HERE.items()])
    return f"""\
# Reliability

Written by `python -m tools.reliability.page` from the results in `tools/reliability/results`; never edited. A figure is that of
the day beside it.

## What is promised

{promises()}

## Versions

{versions()}

`make test` itself runs with the newest packages, as `requirements/dev.txt` pins them.

## Slips in the core

Where a sample showed a slip that no test noticed, a test was written, and its figures flatter from then on. The last sample of
a module was drawn after that: nothing was written for it.

{mutation()}

## A class at once

{kernels()}

## The gate

{gate()}

## The site

`python -m tools.reliability.site` after `make site OFFLINE=1`: a new browser profile each time, everything over loopback.

{site()}

## Under load

{load()}

## Security

bandit reads `mcmteach/` and `tools/` in every `make test`. What it finds is mended or judged:

{judged}

Kinds of findings that are left out:

{left_out}

`make sbom` writes the bill of materials of what students install (CycloneDX) from the lock. [SECURITY](SECURITY.md) says
what is promised against strangers' code.
"""


def main() -> int:
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
