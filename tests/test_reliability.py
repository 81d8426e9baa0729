"""The page of promises is what the stored results say and names tests that exist; and the machinery behind it works."""

import importlib
import subprocess

from tools.ledger import ROOT
from tools.reliability import gate, load, mutation, page


def test_the_page_is_fresh_and_names_tests_that_are_there():
    assert page.PAGE.read_text(encoding="utf-8") == page.page(), "run python -m tools.reliability.page"
    for promise in page.PROMISES:
        assert all((ROOT / test).exists() for test in promise.tests), promise.tests


def test_mutants_are_made_of_every_function_and_take_its_place():
    from mcmteach import fisher

    names = {name for name, _ in mutation.mutants(fisher)}
    assert {"fisher_scalar", "kernel_fisher_scalar", "scatter_matrices"} <= names


def test_a_mutant_takes_the_functions_place_for_whoever_has_imported_it(tmp_path, monkeypatch):
    (tmp_path / "made_for_mutation.py").write_text("def area(a, b=2.0):\n    'The area.'\n    return a * b\n")
    monkeypatch.syspath_prepend(tmp_path)
    made = importlib.import_module("made_for_mutation")
    area = made.area
    sources = [source for name, source in mutation.mutants(made)]
    assert "def area(a, b):\n    return a / b" in sources
    mutation.exchange(made, "area", "def area(a, b):\n    return a / b")
    assert area(3.0) == 1.5, "and keeps its defaults"


def test_the_load_ends_with_the_check_even_if_it_fails(monkeypatch):
    started = []
    honest = subprocess.Popen

    def popen(*args, **kwargs):
        started.append(honest(*args, **kwargs))
        return started[-1]

    monkeypatch.setattr(load.subprocess, "Popen", popen)
    monkeypatch.setattr(load, "BUSY", "import time; time.sleep(600)")
    try:
        with load.busy(2):
            assert all(process.poll() is None for process in started)
            raise ZeroDivisionError
    except ZeroDivisionError:
        pass
    assert len(started) == 2 and all(process.poll() is not None for process in started)


def test_the_minutes_of_the_gate_are_read_out_of_its_logs():
    quiet = "1 failed, 8399 passed, 4 xfailed, 1 warning in 1265.80s (0:21:05)\n"
    framed = "===== 358 passed in 403.37s (0:06:43) =====\n"
    assert gate.parts("unit", quiet) == {
        "unit": {"tests": "1 failed, 8399 passed, 4 xfailed, 1 warning", "seconds": 1266}
    }
    found = gate.parts("log", quiet + framed + ".ci/run: make test took 1700 s\n")
    assert {part: run["seconds"] for part, run in found.items()} == {"log 1": 1266, "log 2": 403, "make test": 1700}
