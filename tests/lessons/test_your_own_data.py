"""The project is a template: it runs on other data as a student would enter them, and notices when the seal is not theirs."""

import matplotlib.pyplot as plt
import nbformat
import pytest

from mcmteach.datasets import raw_text
from mcmteach.errors import InvalidInputError
from mcmteach.experiments.own_data import PlanChangedError
from tests.lessons.owed import PROJECT

CELLS = {cell.id: cell.source for cell in nbformat.read(PROJECT, as_version=4).cells if cell.cell_type == "code"}
SMALLER = {  # what a student may change in the plan; here, so that the test is quick
    "[1 / 16, 1 / 4, 1, 4]": "[1 / 4, 1]",
    "[1 / 256, 1 / 64, 1 / 16]": "[1 / 64]",
    "folds=5, repeats=2, inner=3": "folds=3, repeats=1, inner=2",
}


@pytest.fixture
def run(monkeypatch, capsys):
    """Run cells by their names, with changes; gives what they printed."""
    monkeypatch.setattr(plt, "show", lambda: plt.close("all"))
    names = {}

    def run(*cells, **changes):
        for cell in cells:
            source = CELLS[cell]
            for found, new in changes.get(cell.replace("-", "_"), {}).items():
                assert found in source, f"the cell {cell} has no {found!r} any more"
                source = source.replace(found, new)
            exec(compile(source, cell, "exec"), names)
        return capsys.readouterr().out

    return run


@pytest.mark.parametrize("name", ["hepatitis", "seeds"])
def test_the_project_runs_on_a_file_and_on_a_bundled_set(run, name, tmp_path):
    source = name
    if name == "hepatitis":  # a file with empty fields
        source = str(tmp_path / "my.csv")
        (tmp_path / "my.csv").write_text(raw_text(name), encoding="utf-8")
    data = {'"heart-statlog"': repr(source)}
    seal = run("imports", "data-run", "plan-run", data_run=data, plan_run=SMALLER).rpartition("sealed: ")[2].strip()
    stored = CELLS["run"].partition('"')[2].partition('"')[0]
    with pytest.raises(PlanChangedError, match="plan and data changed"):
        run("run")
    table = run("run", run={stored: seal})
    assert [line.split()[0] for line in table.splitlines()] == ["machine", "MCM", "LP-SVM", "SVM", "logistic"]
    ends = run("ends-run")
    assert [line.split()[:2] for line in ends.splitlines()[1:]] == [
        [machine, "C"] for machine in ("MCM", "LP-SVM", "SVM", "logistic")
    ], "a single gamma has no ends"
    assert "the larger class" in run("control-run") and "95 % between" in run("verdict-run")
    assert "the risk is at most" in run("certificate-run")
    assert "words so far: 0" in run("report-text") and "0 of 14 points" in run("referee-text")


def test_the_stored_seal_is_that_of_the_stored_plan_and_data(run):
    assert run("imports", "data-run", "plan-run").strip().endswith(CELLS["run"].partition('"')[2].partition('"')[0])


def test_a_bad_file_stops_the_project_with_clear_words(run, tmp_path):
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n3\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"Line 3 .* has 1 field, but the header has 2"):
        run("imports", "data-run", data_run={'"heart-statlog"': repr(str(tmp_path / "bad.csv"))})
