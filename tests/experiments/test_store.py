"""Results on disk: what is broken, stale or another solver's; files and lines."""

import json
import os

import pytest

from mcmteach import experiments as ex
from mcmteach.errors import InvalidInputError
from mcmteach.experiments import rules, run
from tests.experiments.quick import QUICK, SETS, fake, stored


@pytest.mark.parametrize("broken", ['{"set": "seeds", "fo', b"\xff\xfe\x00", "[1, 2]", "", '{"fingerprint": 3}'])
def test_a_corrupt_file_is_said_moved_aside_and_computed_again(tmp_path, capsys, broken):
    store = ex.Store(tmp_path)
    ex.reproduce(QUICK, SETS, store, progress=False, work=fake)
    path = store.path(QUICK, "seeds", 1)
    before = path.read_text()
    path.write_bytes(broken if isinstance(broken, bytes) else broken.encode())
    summary = ex.reproduce(QUICK, SETS, store, progress=False, work=fake)
    assert (summary.computed, summary.reused) == (1, 3)
    assert "seeds.1.json cannot be read" in capsys.readouterr().err
    assert path.read_text() == before and path.with_suffix(".corrupt").exists()


@pytest.mark.parametrize("way", ["deep", "huge number", "pipe", "escape", "large"])
def test_a_folder_from_a_stranger_is_read_without_harm(tmp_path, capsys, monkeypatch, way):
    store = ex.Store(tmp_path)
    ex.reproduce(QUICK, SETS, store, progress=False, work=fake)
    path = store.path(QUICK, "seeds", 1)
    record = json.loads(path.read_text())
    if way == "deep":
        path.write_text("[" * 200_000)
    elif way == "huge number":
        record["columns"]["mcm"]["accuracy"] = 10**400
        path.write_text(json.dumps(record))
    elif way == "pipe":
        path.unlink()
        os.mkfifo(path)
    elif way == "escape":
        path.write_text('{"set": "seeds", "fold": 1, "protocol": "\\u001b[2J"} \x1b[2J')
    else:
        monkeypatch.setattr("mcmteach.experiments.store.LARGEST_RESULT", 10)
    assert store.read(QUICK, "seeds", 1) is None
    said = capsys.readouterr().err
    assert "seeds.1.json cannot be read" in said and "\x1b" not in said


def test_a_file_under_the_wrong_name_is_not_believed(tmp_path, capsys):
    store = ex.Store(tmp_path)
    ex.reproduce(QUICK, SETS, store, progress=False, work=fake)
    store.path(QUICK, "seeds", 0).replace(store.path(QUICK, "seeds", 1))
    assert store.read(QUICK, "seeds", 1) is None
    assert "does not hold what its name says" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda columns: columns.pop("svc"), "lacks the column 'svc'"),
        (lambda columns: columns["mcm"].pop("accuracy"), "'mcm' lacks the number 'accuracy'"),
        (lambda columns: columns["mcm"].update(n_support="many"), "'mcm' lacks the number 'n_support'"),
        (lambda columns: columns.update(mcm=3), "no attribute 'get'"),
    ],
)
def test_a_record_that_lacks_a_number_is_computed_again_and_no_table_falls_over_it(tmp_path, capsys, spoil, message):
    store = ex.Store(tmp_path)
    ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake)
    record = store.read(QUICK, "seeds", 1)
    spoil(record["columns"])
    store.write(QUICK, record)
    assert "Some folds are missing: seeds" in ex.table2(QUICK, store, ["seeds"])
    assert message in capsys.readouterr().err and store.path(QUICK, "seeds", 1).with_suffix(".corrupt").exists()
    assert ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake).computed == 1
    assert "missing" not in ex.table3(QUICK, store, ["seeds"])


def test_a_broken_file_that_cannot_be_moved_does_not_count(tmp_path, capsys, monkeypatch):
    """As in a package that belongs to the administrator."""
    store = ex.Store(tmp_path)
    ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake)
    store.path(QUICK, "seeds", 1).write_text("{")

    def refused(*paths):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refused)
    assert store.read(QUICK, "seeds", 1) is None
    assert "could not be moved aside (Permission denied)" in capsys.readouterr().err


def test_what_another_solver_found_is_shown_but_not_mixed_into_a_run(tmp_path, monkeypatch):
    store = ex.Store(tmp_path)
    ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake)
    other = "linprog" if rules.solver() == "highs" else "highs"
    monkeypatch.setattr(rules, "solver", lambda: other)
    monkeypatch.setattr(run, "solver", lambda: other)
    assert len(store.folds(QUICK, "seeds")) == 2 and "not run" not in ex.table2(QUICK, store, ["seeds"])
    assert ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake).computed == 2
    assert all(row.complete for row in ex.summarise(ex.NESTED)), "the package's own results are shown with either"


@pytest.mark.parametrize("change", [{"C": (2.0,)}, {"version": 99}, {"seed": 1}])
def test_results_of_other_rules_are_stale(tmp_path, change):
    store, other = ex.Store(tmp_path), QUICK._replace(**change)
    ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake)
    assert store.folds(other, "seeds") == [] and len(store.folds(QUICK, "seeds")) == 2
    assert "not run" in ex.table2(other, store, ["seeds"])
    assert ex.reproduce(other, ["seeds"], store, progress=False, work=fake).computed == 2


def test_a_folder_that_cannot_be_is_refused_before_anything_is_computed(tmp_path):
    (tmp_path / "here").touch()
    with pytest.raises(InvalidInputError, match="is a file"):
        ex.Store(tmp_path / "here")
    with pytest.raises(InvalidInputError, match=r"cannot be kept in .* Choose a folder"):
        ex.reproduce(QUICK, SETS, ex.Store(tmp_path / "here" / "below"), progress=False, work=None)


# --- packed ----------------------------------------------------------------------------------------------------------


def test_a_run_is_packed_into_one_file_of_sorted_lines_and_reads_the_same(tmp_path):
    store = ex.Store(tmp_path)
    ex.reproduce(QUICK, SETS, store, progress=False, work=fake)
    before, table = stored(tmp_path), ex.table2(QUICK, store, SETS)
    assert store.pack(QUICK) == 4 and not list(tmp_path.rglob("*.json"))
    lines = [json.loads(line) for line in (tmp_path / "quick.jsonl").read_text().splitlines()]
    assert [(line["set"], line["fold"]) for line in lines] == [(n, f) for n in ("promoters", "seeds") for f in (0, 1)]
    for again in (store, ex.Store(tmp_path)):
        assert stored(tmp_path) == before and ex.table2(QUICK, again, SETS) == table
    assert ex.reproduce(QUICK, SETS, store, progress=False, work=None).reused == 4
    assert store.pack(QUICK) == 0


def test_a_folds_own_file_is_newer_than_its_line_and_takes_its_place(tmp_path):
    store = ex.Store(tmp_path)
    ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake)
    store.pack(QUICK)
    record = fake("seeds", 1, QUICK)
    record["columns"]["mcm"]["n_support"] = 77
    store.write(QUICK, record)
    assert store.read(QUICK, "seeds", 1)["columns"]["mcm"]["n_support"] == 77
    assert store.pack(QUICK) == 1 and len(ex.Store(tmp_path).folds(QUICK, "seeds")) == 2
    assert ex.Store(tmp_path).read(QUICK, "seeds", 1)["columns"]["mcm"]["n_support"] == 77


def test_stale_files_are_not_packed_and_do_not_hide_a_fresh_line(tmp_path):
    store, other = ex.Store(tmp_path), QUICK._replace(version=99)
    ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake)
    store.pack(QUICK)
    store.write(other, fake("seeds", 0, other))
    assert store.pack(QUICK) == 0 and store.path(QUICK, "seeds", 0).exists()
    assert store.read(QUICK, "seeds", 0)["fingerprint"] == QUICK.fingerprint("seeds")


@pytest.mark.parametrize("broken", ['{"set": "seeds", "fo', "[1, 2]", "", '{"set": "seeds", "fold": 1}', "\xff"])
def test_a_broken_line_is_said_and_computed_again_and_the_others_count(tmp_path, capsys, broken):
    store = ex.Store(tmp_path)
    ex.reproduce(QUICK, ["seeds"], store, progress=False, work=fake)
    store.pack(QUICK)
    path = store.packed_path(QUICK)
    first, second = path.read_text().splitlines()
    path.write_bytes("\n".join([first, broken, ""]).encode("latin-1"))
    summary = ex.reproduce(QUICK, ["seeds"], ex.Store(tmp_path), progress=False, work=fake)
    assert (summary.computed, summary.reused) == (1, 1)
    assert "in quick.jsonl cannot be read" in capsys.readouterr().err
    again = ex.Store(tmp_path)
    assert again.pack(QUICK) == 1 and path.read_text().splitlines() == [first, second]
