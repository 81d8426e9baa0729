"""Which tests ``make quick`` leaves out because they take long:  python -m tools.long_tests [TEST …]

It runs the tests (all that ``make quick`` could run, or those that are named) and writes into ``tests/long.txt`` each one that
takes more than a second of processor time, all its cases and the processes that it starts together. A test of the list that
has become short leaves it; one that was not run stays.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from tools.ledger import ROOT

LIST = ROOT / "tests" / "long.txt"
SECONDS = 1.0
#: left out anyway, whatever time they take
ELSEWHERE = "not browser and not sandbox and not notebook and not site and not slow and not soak"


def chosen(took: dict[str, float], before: list[str]) -> list[str]:
    """The new list, from the seconds of the tests that were run and the list as it was."""
    return sorted({test for test, seconds in took.items() if seconds > SECONDS} | set(before) - set(took))


# --- a plugin of pytest: a worker notes the time of each of its tests in the report that it sends -----------------------

took: Counter[str] = Counter()


def _processor_time() -> float:
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    yield from _noted(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    yield from _noted(item)


def _noted(item: pytest.Item) -> Iterator[None]:
    before = _processor_time()
    try:
        return (yield)
    finally:
        item.user_properties.append(("processor time", _processor_time() - before))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown":
        seconds = [value for name, value in report.user_properties if name == "processor time"]
        took[report.nodeid.split("[")[0]] += sum(seconds)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        before = LIST.read_text(encoding="utf-8").split()
        LIST.write_text("".join(f"{test}\n" for test in chosen(took, before)), encoding="utf-8")


if __name__ == "__main__":
    run = ["-p", "tools.long_tests", "-q", "-n", "auto", "--dist", "loadfile", "-m", ELSEWHERE]
    sys.exit(pytest.main(run + sys.argv[1:]))
