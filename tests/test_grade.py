"""Grading a class: right, partly right, wrong and blank notebooks get their marks, whatever the hostile ones beside them do."""

import csv
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import numpy as np
import psutil
import pytest

from exercises.generate import student
from mcmteach.__main__ import main
from mcmteach.checks import find_task
from mcmteach.classroom import grade as command
from mcmteach.classroom import sandbox
from mcmteach.classroom.autograde import Bench, Marks, judge, needed_cells
from mcmteach.classroom.remote import Remote, WrongForm
from mcmteach.classroom.student import pack, unpack
from tests.exercises import SOURCES
from tests.hostile import ANSWERS, CELLS, FILES, WRONG

SOURCE = SOURCES[0]
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
        "=HYPERLINK(1)": notebook("1 / 0", task_1_1="def empirical_risk(y, f):\n    raise ValueError('=1+1')"),
        "tampered": tampered(),
    }
    hostile = {name: notebook(CELLS[name]) for name in ("deletes files", "forks")}
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


def run(*arguments):
    """The command as a teacher types it, with limits that a test has time for."""
    line = [sys.executable, "-m", "mcmteach", "grade", "--time", "60", "--memory", "1500", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, timeout=900, cwd=Path(__file__).parent.parent)


def table(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


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
    assert points(rows["deletes files"]) == points(rows["forks"]) == FULL
    assert "code cell 2 ended the process (it " in rows["forks"]["what happened"]


def test_a_tampered_notebook_is_graded_by_the_teachers_cells(class_of):
    rows, _, _ = class_of
    assert points(rows["tampered"]) == FULL | {"1.1": "0"}


@pytest.mark.parametrize("name", [*FILES, "a link.ipynb"])
def test_what_is_no_notebook_gets_a_line_that_says_so(class_of, name):
    rows, _, _ = class_of
    row = rows[Path(name).stem]
    assert row["marks"] == "0" and row["what happened"].startswith(("It is not a", "The file is larger", "None of the"))


def test_the_class_is_summed_up(class_of):
    _, _, status = class_of
    assert status.returncode == 0, status.stderr
    assert "sum for mean 1" in status.stdout
    assert "1.1   The empirical risk, in one line" in status.stdout


def test_feedback_is_a_page_with_the_words_and_without_scripts(class_of):
    _, folder, _ = class_of
    (path,) = (folder / "marks-feedback").glob("wrong-*.html")
    page = path.read_text(encoding="utf-8")
    assert "divide by the number of samples M" in page
    assert page.index("Content-Security-Policy") < page.index("<script"), "before anything that could run"


def test_a_mark_does_not_depend_on_the_others_and_an_interrupted_run_goes_on(class_of, tmp_path):
    rows, folder, _ = class_of
    for name in ("partly right", "wrong"):
        shutil.copytree(folder / "submissions" / name, tmp_path / "two" / name)
    first = run(tmp_path / "two", "-o", tmp_path / "marks.csv")
    again = table(tmp_path / "marks.csv")
    assert all(again[name] == {key: rows[name][key] for key in again[name]} for name in again) and len(again) == 2
    assert "2/2" in first.stderr
    record = tmp_path / "marks.json"
    known = json.loads(record.read_text())
    key = list(known)[-1]  # the first is the solutions
    known[key]["notes"] = ["taken from the record"]
    record.write_text(json.dumps(known))
    run(tmp_path / "two", "-o", tmp_path / "marks.csv")
    assert "taken from the record" in {row["what happened"] for row in table(tmp_path / "marks.csv").values()}


def test_of_the_teachers_cells_only_those_run_that_a_test_builds_on():
    chosen = [cell.id for cell in needed_cells(nbformat.read(SOURCE, as_version=4))]
    assert chosen[0] == "setup" and "given-1-6" not in chosen and "test-1-5" in chosen and "task-1-1" not in chosen


# --- every hostile submission, judged by itself -----------------------------------------------------------------------


@pytest.fixture
def judged(tmp_path):
    """Judge a notebook as the command does, without nbgrader's part: {task: its verdict in one word}, and the notes."""
    if (why := sandbox.why_no_walls()) and not os.environ.get("CI"):
        pytest.skip(f"no sandbox: {why}")

    def judged(made, source=SOURCE):
        marks, original = Marks(), nbformat.read(source, as_version=4)
        judge(made, original, marks, tmp_path, sandbox.Limits(total=60, cell=15, memory=1500 * sandbox.MB), walled=True)
        return {task: mark.kind for task, mark in marks.tasks.items()}, "; ".join(marks.notes)

    return judged


RIGHT = {**dict.fromkeys(FULL, "right"), "1.6": "written"}
HARMS_ITSELF = ("kills everybody", "writes into the channel", "eats memory by the slice")
REFUSED = ("eats memory that is nobody's",)  # by the kernel, at once: had it got any, it would have ended its process
SAID = {
    "loops": "code cell 2 ran longer than 15 seconds, and was stopped",
    "loops and catches everything": "code cell 2 ran longer than 15 seconds, and was left out",
    "forks": "code cell 2 ended the process (it ",
    "eats memory in many processes": "MB of memory",
    "prints a gigabyte": "it printed more than 1 MB",
    "ends its process": "code cell 2 ended the process (exit status 0), and was left out",
}


@pytest.mark.parametrize("name", CELLS)
def test_a_hostile_cell_is_left_out_and_the_rest_is_judged(judged, name, tmp_path):
    kinds, notes = judged(notebook(CELLS[name]))
    assert SAID.get(name, "") in notes
    assert not notes or name not in REFUSED
    assert kinds == RIGHT or (name in HARMS_ITSELF and kinds.keys() == RIGHT.keys())
    running = (" ".join(p.info["cmdline"] or []) for p in psutil.process_iter(["cmdline"]))
    assert not [line for line in running if str(tmp_path) in line], "nothing stays behind"


@pytest.mark.parametrize("name", ANSWERS)
def test_a_hostile_answer_earns_nothing_and_the_other_tasks_are_judged(judged, name):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        answer = ANSWERS[name].replace("PORT", str(listener.getsockname()[1]))
        kinds, notes = judged(notebook(task_1_1=answer))
    assert kinds.pop("1.1") not in ("right", "handed in"), notes
    assert kinds == {task: kind for task, kind in RIGHT.items() if task != "1.1"}, notes


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_every_exercises_own_solutions_earn_all_points(source, judged):
    kinds, notes = judged(nbformat.read(source, as_version=4), source)
    assert len(kinds) >= 4 and set(kinds.values()) == {"right", "written"} and notes == ""


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
    found = command.find_submissions(tmp_path, SOURCES, tmp_path / "marks.csv")
    assert [entry.student for entry in found] == ["ada", "report"]


def test_ctrl_c_loses_nothing_that_is_graded_and_leaves_nothing_behind(class_of, tmp_path):
    for name in ("first", "second", "third"):
        (tmp_path / "in" / name).mkdir(parents=True)
        nbformat.write(notebook(f"name = {name!r}\nimport time\ntime.sleep(2)"), tmp_path / "in" / name / SOURCE.name)
    line = [sys.executable, "-m", "mcmteach", "grade", str(tmp_path / "in"), "-o", str(tmp_path / "marks.csv")]
    record = tmp_path / "marks.json"
    process = subprocess.Popen(line, stderr=subprocess.PIPE, text=True, cwd=SOURCE.parents[2], start_new_session=True)
    end = time.monotonic() + 300
    while not (record.exists() and len(json.loads(record.read_text())) == 2):  # the solutions, and the first
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the command and its workers
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130 and "goes on from there" in said and "Traceback" not in said
    assert not [p for p in psutil.process_iter(["cmdline"]) if str(tmp_path) in " ".join(p.info["cmdline"] or [])]
    before = json.loads(record.read_text())
    assert len(before) == 2, "what was under way is not half graded"
    done = run(tmp_path / "in", "-o", tmp_path / "marks.csv", "--time", "120", "--memory", "2048")
    assert "1/3" in done.stderr and {row["marks"] for row in table(tmp_path / "marks.csv").values()} == {"8"}
    assert before.items() <= json.loads(record.read_text()).items()


class Elsewhere:
    """A submission that gives the same answer to everything."""

    def __init__(self, result, changed=()):
        self.answer = {"result": pack(result), "changed": list(changed), "borrowed": []}

    def call(self, ask, seconds):
        return self.answer


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (Elsewhere(np.zeros((0, 1))), "an array of shape"),
        (Elsewhere(0.5, [[0, pack(np.zeros(2))]]), "changes its arguments"),
        (Elsewhere(0.5), ""),
        (Elsewhere(None), "nothing"),
    ],
)
def test_a_teachers_test_is_not_fooled_by_an_empty_array_or_by_changed_data(answer, complaint):
    function, y, f = Remote(answer, "1.1", None), np.array([1.0, -1.0]), np.array([2.0, 3.0])
    function.go_on_strictly(find_task("1.1"))
    if not complaint:
        assert function(y, f) == 0.5
    else:
        with pytest.raises(WrongForm, match=complaint):
            function(y, f)
        assert y.tolist() == [1, -1]


def test_two_values_may_come_as_a_list():
    function = Remote(Elsewhere([np.zeros(1), 0.0]), "3.3", None)
    function.go_on_strictly(find_task("3.3"))
    assert len(function(np.ones((2, 1)), np.array([1.0, -1.0]), np.ones(1), 0.0, 1.0)) == 2


def test_a_cell_of_the_teachers_that_stops_is_said():
    bench = Bench(None)
    assert bench.run("import numpy as np") == "" and bench.run("missing + 1").startswith("NameError")


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
    (tmp_path / "marks.json").write_text("{")
    assert command.Ledger(tmp_path / "marks.csv").known == {}
    assert (tmp_path / "marks.damaged.json").read_text() == "{"
    assert "graded again" in capsys.readouterr().err


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
    found = [(e.student, e.exercise) for e in command.find_submissions(tmp_path, SOURCES)]
    assert found == [("ada", SOURCE.stem), ("ada", SOURCES[1].stem), ("bob", SOURCE.stem), ("carl", SOURCES[1].stem)]


@pytest.mark.parametrize(
    "message",
    [{"array": [1, 2], "shape": [3], "dtype": "<f8"}, {"array": ["a"], "shape": [1], "dtype": "<f8"}, {"value": {}}, {},
     {"tuple": 3}, {"array": [1], "shape": [1], "dtype": "O"}],
)  # fmt: skip
def test_what_is_no_packed_value_is_refused(message):
    with pytest.raises((ValueError, KeyError, TypeError)):
        unpack(message)


def test_values_arrive_as_they_were():
    for value in (1, 2.5, True, None, "text", (1.0, [2, "x"]), ..., float("nan")):
        assert repr(unpack(json.loads(json.dumps(pack(value))))) == repr(value)
    for array in (np.zeros((0, 3)), np.arange(6).reshape(2, 3), np.array([True, False]), np.array(3.0)):
        back = unpack(json.loads(json.dumps(pack(array))))
        assert back.shape == array.shape and back.dtype == array.dtype and np.array_equal(back, array)
    assert type(unpack(pack({1, 2}))).__name__ == "set"
