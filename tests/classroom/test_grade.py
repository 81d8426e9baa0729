"""Grading a class: right, partly right, wrong and blank notebooks get their marks, whatever the hostile ones beside them do."""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import psutil
import pytest

from mcmteach.__main__ import main
from mcmteach.classroom import grade as command
from mcmteach.classroom import sandbox
from mcmteach.classroom.course import needed_cells, read_exercise
from mcmteach.classroom.ledger import Ledger
from mcmteach.classroom.submissions import find_submissions
from tests.checks.exercises import SOURCES
from tests.classroom.hostile import CELLS, FILES, TEXT, WRONG
from tools.exercises import student

SOURCE = SOURCES[0]
LONG_NAME = "\x1b[2J" + "𠀀" * 60  # 244 of the 255 bytes that a name may have
CONSTANT = "def count_labellings(points):\n    return 7"
FULL = {"1.1": "1", "1.2": "1", "1.3": "2", "1.4": "2", "1.5": "2"}


def notebook(first="", **answers):
    """The student's exercise 1 with the solutions, but for the answers given here; ``first`` is a cell before all others."""
    made, solved = nbformat.reads(student(SOURCE), as_version=4), nbformat.read(SOURCE, as_version=4)
    sources = {cell.id: cell.source for cell in solved.cells}
    for cell in made.cells:
        if cell.id.startswith("task-"):
            text = re.sub(r" *### (BEGIN|END) SOLUTION\n?", "", sources[cell.id])
            cell.source = answers.get(cell.id.replace("-", "_"), text)
    if first:
        made.cells.insert(2, nbformat.v4.new_code_cell(first))
    return made


def tampered():
    """Points raised, tests rewritten, a test missing, a cell twice."""
    made = notebook(task_1_1=WRONG)
    cells = {cell.id: cell for cell in made.cells}
    cells["test-1-1"].source, cells["test-1-1"].metadata.nbgrader.points = "pass", 1000
    cells["test-1-2"].metadata.nbgrader.points = 1000
    made.cells.remove(cells["test-1-3"])
    twin = nbformat.from_dict(json.loads(json.dumps(cells["test-1-1"])))
    twin.id = "twin"
    made.cells.append(twin)
    return made


@pytest.fixture(scope="module")
def class_of(tmp_path_factory):
    """Every notebook of the class graded in one run: {student: row of the table}, and the folder."""
    if (why := sandbox.why_no_walls()) and not os.environ.get("CI"):
        pytest.skip(f"no sandbox: {why}")
    folder = tmp_path_factory.mktemp("class")
    work = folder / "submissions"
    good = {
        "right": notebook(),
        "partly right": notebook(task_1_1=WRONG, task_1_5="..."),
        "wrong": notebook(task_1_1="def empirical_risk(y, f):\n    return np.sum(y * f <= 0)", task_1_5=CONSTANT),
        "blank": nbformat.reads(student(SOURCE), as_version=4),
        " =HYPERLINK(1)": notebook("1 / 0", task_1_1="def empirical_risk(y, f):\n    raise ValueError('=1+1')"),
        "tampered": tampered(),
    }
    good["wrong"].cells.insert(1, nbformat.v4.new_markdown_cell(TEXT))
    hostile = {LONG_NAME: notebook(CELLS["deletes files"] + "\n" + CELLS["forks"])}
    for name, made in (good | hostile).items():
        (work / name).mkdir(parents=True)
        nbformat.write(made, work / name / SOURCE.name)
    for name, content in FILES.items():
        (work / name).write_bytes(content)
    (work / "a link.ipynb").symlink_to("/etc/passwd")
    kept = folder / "kept.txt"
    kept.write_text("mine")
    status = run(work, "-o", folder / "marks.csv", "--jobs", "2")
    assert kept.read_text() == "mine"
    return table(folder / "marks.csv"), folder, status


def command_line(*arguments):
    """The command as a teacher types it, with limits that a test has time for."""
    return [sys.executable, "-m", "mcmteach", "grade", "--time", "60", "--memory", "1500", *map(str, arguments)]


def run(*arguments, timeout=900):
    return subprocess.run(
        command_line(*arguments), capture_output=True, text=True, timeout=timeout, cwd=SOURCE.parents[2]
    )


def table(path, leave_out="nothing"):
    """The table by student, without rows in which something happened that begins so."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if not row["what happened"].startswith(leave_out)]
        return {row["student"]: row for row in rows}


def solutions_record(folder):
    """The record of a class as it is after its first line: the solutions are checked, which need not be done again."""
    return (folder / "marks.json").read_text().partition("\n")[0] + "\n"


def points(row):
    return {task: row[task] for task in FULL}


# --- the class -------------------------------------------------------------------------------------------------------


def test_right_partly_right_wrong_and_blank_get_their_marks(class_of):
    rows, _, _ = class_of
    assert points(rows["right"]) == FULL and rows["right"]["marks"] == rows["right"]["out of"] == "8"
    assert points(rows["partly right"]) == FULL | {"1.1": "0", "1.5": "0"}
    assert points(rows["wrong"]) == FULL | {"1.1": "0", "1.5": "0"}
    assert set(points(rows["blank"]).values()) == {"0"}
    assert rows["right"]["to read"] == "1.6" and rows["blank"]["1.6"] == "0", (
        "a person reads a text, unless there is none"
    )


def test_each_student_is_told_what_check_would_have_said(class_of):
    rows, _, _ = class_of
    assert "divide by the number of samples M" in rows["wrong"]["1.1 said"]
    assert "should give" in rows["wrong"]["1.5 said"]
    assert rows["right"]["1.1 said"] == ""
    assert "ValueError: =1+1" in rows["'=HYPERLINK(1)"]["1.1 said"]


def test_hostile_ones_cost_nobody_a_mark_and_what_happened_is_said(class_of):
    rows, _, _ = class_of
    row = rows[LONG_NAME.replace("\x1b", " ")]
    assert points(row) == FULL
    assert "code cell 2 ended the process (it " in row["what happened"]


def test_a_name_cannot_steer_the_terminal(class_of):
    _, _, status = class_of
    assert "\x1b" not in status.stdout and LONG_NAME[-9:] in status.stdout


def test_a_tampered_notebook_is_graded_by_the_teachers_cells(class_of):
    rows, _, _ = class_of
    assert points(rows["tampered"]) == FULL | {"1.1": "0"}


@pytest.mark.parametrize("name", [*FILES, "a link.ipynb"])
def test_what_is_no_notebook_gets_a_line_that_says_so(class_of, name):
    rows, _, _ = class_of
    row = rows[Path(name).stem]
    assert row["marks"] == "0" and row["what happened"].startswith(
        ("It is not a", "The file is larger", "None of the", "It has more")
    )


def test_the_class_is_summed_up(class_of):
    _, _, status = class_of
    assert status.returncode == 0, status.stderr
    assert "sum for mean 1" in status.stdout
    assert "1.1   The empirical risk, in one line" in status.stdout


def test_feedback_is_a_page_with_the_words_and_asks_for_nothing(class_of):
    _, folder, _ = class_of
    assert len(list((folder / "marks-feedback").iterdir())) == 7, "all got one"
    (path,) = (folder / "marks-feedback").glob("wrong-*.html")
    page = path.read_text(encoding="utf-8")
    assert "divide by the number of samples M" in page
    assert "Content-Security-Policy" in page and "<script" not in page
    assert "<strong>bold</strong>" in page
    assert not re.search("<form|<meta[^>]*refresh|<input|<style>body {", page)
    assert "<math" in page and "$$" not in page, "formulas are drawn by the browser itself"
    assert (
        "The empirical risk, in one line" in page
        and "<b>wrong</b>: 5 of 8 points; not yet read: 1.6 (3 points)" in page
    )


def test_no_page_shows_a_hidden_test(class_of):
    _, folder, _ = class_of
    pages = [path.read_text(encoding="utf-8") for path in (folder / "marks-feedback").iterdir()]
    assert pages and not any("HIDDEN" in page or "4321" in page for page in pages)


def test_what_was_written_is_for_its_owner_only(class_of):
    _, folder, _ = class_of
    made = [*folder.glob("marks*"), folder / "manual.csv", *(folder / "marks-feedback").iterdir()]
    assert len(made) > 12 and not [path for path in made if path.stat().st_mode & 0o077]


def test_a_mark_does_not_depend_on_the_others_and_an_interrupted_run_goes_on(class_of, tmp_path):
    rows, folder, _ = class_of
    for name in ("partly right", "wrong"):
        shutil.copytree(folder / "submissions" / name, tmp_path / "two" / name)
    record = tmp_path / "marks.json"
    record.write_text(solutions_record(folder))
    first = run(tmp_path / "two", "-o", tmp_path / "marks.csv")
    again = table(tmp_path / "marks.csv")
    assert all(again[name] == {key: rows[name][key] for key in again[name]} for name in again) and len(again) == 2
    assert "2/2" in first.stderr
    *lines, last = record.read_text().splitlines()
    last = json.dumps([json.loads(last)[0], json.loads(last)[1] | {"notes": ["taken from the record"]}])
    record.write_text("\n".join([*lines, last, '["half a li']))  # as after a power cut
    run(tmp_path / "two", "-o", tmp_path / "marks.csv")
    assert "taken from the record" in {row["what happened"] for row in table(tmp_path / "marks.csv").values()}
    assert len(record.read_text().splitlines()) == 3, "nothing was graded again, and what was damaged is gone"


def test_of_the_teachers_cells_only_those_run_that_a_test_builds_on():
    chosen = [cell.id for cell in needed_cells(read_exercise(SOURCE))]
    assert chosen[0] == "setup" and "given-1-6" not in chosen and "test-1-5" in chosen and "task-1-1" not in chosen


# --- what the teacher must know before, and when it is interrupted ----------------------------------------------------


def test_a_source_whose_solutions_fail_is_refused_before_anything_is_graded(class_of, tmp_path):
    _, folder, _ = class_of
    mine = nbformat.read(SOURCE, as_version=4)
    cell = next(cell for cell in mine.cells if cell.id == "test-1-2")
    cell.source = cell.source.replace("0.1020", "0.2020")
    (tmp_path / "mine").mkdir()
    nbformat.write(mine, tmp_path / "mine" / SOURCE.name)
    status = run(folder / "submissions" / "right", "--source", tmp_path / "mine", "-o", tmp_path / "marks.csv")
    assert status.returncode == 2 and "do not earn full marks themselves" in status.stderr
    assert "task 1.2" in status.stderr and "task 1.1" not in status.stderr
    assert not (tmp_path / "marks.csv").exists()


def test_what_a_run_wrote_among_the_submissions_is_not_graded_the_next_time(tmp_path):
    nbformat.write(notebook(), tmp_path / f"ada_{SOURCE.name}")
    for name in ("marks.csv", "marks.json", "report.pdf"):
        (tmp_path / name).write_text("{}")
    found = find_submissions(tmp_path, SOURCES, tmp_path, command.written_by(tmp_path / "marks.csv"))
    assert [entry.student for entry in found] == ["ada", "report"]


def test_ctrl_c_loses_nothing_that_is_graded_and_leaves_nothing_behind(class_of, tmp_path):
    for name, seconds in (
        ("first", 0),
        ("second", 6),
    ):  # both at once, and one is long under way when the other is done
        (tmp_path / "in" / name).mkdir(parents=True)
        source = f"name = {name!r}\nimport time\ntime.sleep({seconds})"
        nbformat.write(notebook(source), tmp_path / "in" / name / SOURCE.name)
    record = tmp_path / "marks.json"
    record.write_text(solutions_record(class_of[1]))
    line = command_line(tmp_path / "in", "-o", tmp_path / "marks.csv")
    process = subprocess.Popen(
        line, stderr=subprocess.PIPE, text=True, cwd=SOURCE.parents[2], start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    )  # fmt: skip
    end = time.monotonic() + 300
    while record.read_text().count("\n") < 2:  # the solutions, and the first
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the command and its workers
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130 and "goes on from there" in said and "Traceback" not in said
    assert not [p for p in psutil.process_iter(["cmdline"]) if str(tmp_path) in " ".join(p.info["cmdline"] or [])]
    before = record.read_text()
    assert before.count("\n") == 2, "what was under way is not half graded"
    done = run(tmp_path / "in", "-o", tmp_path / "marks.csv")
    assert "1/2" in done.stderr and {row["marks"] for row in table(tmp_path / "marks.csv").values()} == {"8"}
    assert record.read_text().startswith(before)


# --- without grading -------------------------------------------------------------------------------------------------


def test_without_a_sandbox_it_says_so_and_stops(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(command, "why_no_walls", lambda: "bubblewrap is not installed")
    assert main(["grade", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "deleting any file" in said and "container" in said and "--no-sandbox" in said


@pytest.mark.parametrize(
    ("arguments", "words"), [(["nowhere"], "no folder nowhere"), ([".", "--source", "nowhere"], "no exercise sources")]
)
def test_a_wrong_folder_is_said(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["grade", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_damaged_record_is_kept_aside(tmp_path, capsys):
    (tmp_path / "marks.json").write_text('["a", {}]\n{')
    assert Ledger(tmp_path / "marks.csv").known == {"a": {}}
    assert (tmp_path / "marks.damaged.json").read_text() == '["a", {}]\n{'
    assert "graded again" in capsys.readouterr().err
    assert Ledger(tmp_path / "marks.csv").known == {"a": {}}
    assert capsys.readouterr().err == "", "said once"


def test_what_every_submission_could_read_is_not_a_place_for_submissions(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "why_no_walls", lambda: "")
    nbformat.write(notebook(), tmp_path / f"ada_{SOURCE.name}")
    monkeypatch.setattr(sandbox, "SYSTEM", (str(tmp_path),))
    assert main(["grade", str(tmp_path), "-o", str(tmp_path / "marks.csv")]) == 2
    assert "every submission can read" in capsys.readouterr().err


def test_another_copy_of_the_package_shows_no_answers_either(tmp_path, monkeypatch):
    other = tmp_path / "mcmteach"
    other.mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setattr(sandbox, "SYSTEM", (str(tmp_path),))
    words = sandbox.walls()
    place = words.index(str(other))
    assert words[place - 1 : place + 3] == ["--tmpfs", str(other), "--remount-ro", str(other)]
    places = [words[i + 1] for i, word in enumerate(words) if word == "--tmpfs"]
    read_only = [words[i + 1] for i, word in enumerate(words) if word == "--remount-ro"]
    assert set(places) - set(read_only) == {"/tmp", "/dev/shm"}, "what can be written to is counted"


def test_an_unknown_processor_is_refused(monkeypatch):
    monkeypatch.setattr(sandbox.platform, "machine", lambda: "riscv64")
    assert "riscv64" in sandbox.why_no_walls.__wrapped__()


def test_a_trial_of_the_sandbox_that_does_not_end_is_said_and_stops_nobody(monkeypatch):
    def slow(command, timeout, **_):
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(sandbox.shutil, "which", lambda program: f"/usr/bin/{program}")
    monkeypatch.setattr(sandbox.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(sandbox.subprocess, "run", slow)
    assert sandbox.why_no_walls.__wrapped__() == f"a trial of bubblewrap did not end in {sandbox.TRIAL} seconds"


def test_several_jobs_get_a_core_each_and_one_job_is_free():
    every = os.sched_getaffinity(0)
    assert command._cores(1).get() == set()
    several = command._cores(1000)
    assert several.qsize() == len(every)
    if len(every) > 1:
        assert {several.get().pop() for _ in every} == every


def test_names_of_students_and_exercises_are_found(tmp_path):
    for name in (
        f"ada/{SOURCE.name}",
        f"ada/deep/{SOURCES[1].name}",
        f"bob_{SOURCE.name}",
        "carl.ipynb",
        "ada/.ipynb_checkpoints/x.ipynb",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(nbformat.read(SOURCES[1] if "carl" in name else SOURCE, as_version=4), tmp_path / name)
    found = [(e.student, e.exercise) for e in find_submissions(tmp_path, SOURCES, tmp_path)]
    assert found == [("ada", SOURCE.stem), ("ada", SOURCES[1].stem), ("bob", SOURCE.stem), ("carl", SOURCES[1].stem)]
