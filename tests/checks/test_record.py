"""The record: kept by key, whole after any crash; an old one keeps its meaning, a damaged one is kept aside."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest

import mcmteach as mt
from mcmteach.checks import record, syllabus
from tests.checks.catalogue import ALL
from tests.checks.exercises import solutions
from tools.ledger import ROOT

SOLUTION = solutions()["why_learning_works.1"]


def write(folder, content):
    folder.mkdir()
    (folder / "progress.json").write_text(json.dumps(content))


def test_the_file_names_tasks_by_key(own_record):
    mt.check("6.2", solutions()["kernels.2"])
    content = json.loads((own_record / "progress.json").read_text())
    assert content["version"] == record.VERSION and list(content["done"]) == ["kernels.2"]


# the first edition had six tasks in most lessons, from the first to the twelfth
FIRST = [f"{lesson}.{place}" for lesson in range(1, 13) for place in range(1, 6 if lesson in (10, 11, 12) else 7)]
OLD = {number: f"2026-01-{1 + i % 28:02d}T12:00:00" for i, number in enumerate(FIRST)} | {"99.9": "2026-01-01"}


def test_an_old_record_is_read_without_loss_and_written_anew(own_record):
    write(own_record, {"done": OLD})
    done, note = record.load()
    assert sorted(done.values()) == sorted(OLD.values()) and note == "", "none is lost, and no two become one"
    assert set(done) <= {*ALL, "99.9"} and done["bending_space.1"] == OLD["8.1"]
    assert json.loads((own_record / "progress.json").read_text()) == {"done": OLD}, "reading changes nothing"
    record.mark_done("kernels.2")
    assert json.loads((own_record / "progress.json").read_text()) == {"version": record.VERSION, "done": done}
    assert record.load() == (done, "")


@pytest.mark.parametrize(
    "content", [{"done": {"6.2": "2026-01-01"}}, {"version": 2, "done": {"kernels.2": "2026-01-01"}}]
)
def test_a_new_order_of_lessons_does_not_change_what_is_stored(own_record, monkeypatch, content):
    write(own_record, content)
    assert "✓6.2" in str(mt.progress())
    monkeypatch.setattr(syllabus, "TOPICS", ("welcome", "kernels", *(t for t in syllabus.TOPICS[1:] if t != "kernels")))
    assert "✓1.2" in str(mt.progress()) and "·7.2" in str(mt.progress())
    mt.check("1.1", solutions()["kernels.1"])
    assert list(record.load()[0]) == ["kernels.2", "kernels.1"]


@pytest.mark.parametrize(
    "content",
    [
        {"done": {"12.4": "2026-01-01", "7.5": "b", "7.6": "c"}},
        {"version": 2, "done": {"large_scale.4": "2026-01-01", "kernel_mcm.5": "b", "kernel_mcm.6": "c"}},
    ],
)
def test_a_task_that_moved_to_another_topic_stays_done_and_the_new_one_in_its_place_is_not(own_record, content):
    write(own_record, content)
    moved = {"small_devices.1": "2026-01-01", "not_vectors.1": "b", "kernel_mcm.5": "c"}
    assert record.load() == (moved, "")
    record.mark_done("large_scale.4")
    assert list(record.load()[0]) == [*moved, "large_scale.4"], "written anew, they move no more"


@pytest.mark.parametrize(
    "content",
    [{"done": {"11.5": "a"}}, *({"version": v, "done": {"does_it_work.5": "a"}} for v in (2, 3))],
)
def test_a_report_that_became_the_last_task_stays_done_in_records_of_every_version(own_record, content):
    write(own_record, content)
    assert record.load() == ({"does_it_work.6": "a"}, "")
    record.mark_done("does_it_work.5")
    assert list(record.load()[0]) == ["does_it_work.6", "does_it_work.5"]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b'{"done": 3}', b'{"done": {"why_learning_works.1": 5}}', b"\xff\xfe"]
)
def test_a_damaged_record_is_kept_aside_and_spoken_of(own_record, content):
    own_record.mkdir()
    (own_record / "progress.json").write_bytes(content)
    verdict = mt.check("why_learning_works.1", SOLUTION)
    (aside,) = own_record.glob("progress-damaged-*.json")
    assert verdict.passed and str(aside) in verdict.text and aside.read_bytes() == content
    assert list(record.load()[0]) == ["why_learning_works.1"] and record.load()[1] == ""


def test_a_damaged_record_is_spoken_of_by_progress_too(own_record):
    own_record.mkdir()
    (own_record / "progress.json").write_text("{")
    said = mt.progress()
    assert "could not be read" in said.text and "could not be read" in said._repr_html_()


def test_a_crash_while_writing_leaves_the_old_record(own_record, monkeypatch):
    record.mark_done("why_learning_works.1")
    before = (own_record / "progress.json").read_bytes()
    for step in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, lambda *_: (_ for _ in ()).throw(OSError("no space left")))
            assert "no space left" in record.mark_done("why_learning_works.2")
        assert (own_record / "progress.json").read_bytes() == before
    assert [path.name for path in own_record.iterdir()] == ["progress.json"]


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_killed_process_leaves_a_whole_record(own_record):
    code = "from mcmteach.checks import record\nfor i in range(10**6):\n record.mark_done(f'kernels.{i}')\n if i == 5: print()"
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-uc", code], cwd=ROOT, stdout=subprocess.PIPE)
        process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        process.communicate()
        done = json.loads((own_record / "progress.json").read_text())["done"]
        assert len(done) >= 6


def test_a_folder_that_cannot_be_used_costs_the_record_and_not_the_verdict(own_record):
    own_record.write_text("a file where the folder should be")
    verdict = mt.check("why_learning_works.1", SOLUTION)
    assert verdict.passed and "MCMTEACH_HOME" in verdict.text
    assert mt.progress().title.startswith("0 of")
    assert own_record.read_text() == "a file where the folder should be"


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {"XDG_DATA_HOME": "/data"}, r"^/data/mcmteach$"),
        ("linux", {}, r"/\.local/share/mcmteach$"),
        ("darwin", {}, r"/Library/Application Support/mcmteach$"),
        ("win32", {"LOCALAPPDATA": "/Users/me/Local"}, r"^/Users/me/Local/mcmteach$"),
    ],
)
def test_the_record_is_kept_where_the_system_keeps_such_things(monkeypatch, platform, variables, expected):
    for name in ("MCMTEACH_HOME", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert re.search(expected, record.folder().as_posix())
