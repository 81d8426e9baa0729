"""The sandbox: every hostile submission judged by itself, and every exercise's own solutions."""

import os
import socket
import tempfile

import nbformat
import psutil
import pytest

from mcmteach.classroom import sandbox
from mcmteach.classroom.course import read_exercise
from mcmteach.classroom.remote import Submission
from mcmteach.classroom.worker import Marks, Rules, judge
from tests.checks.exercises import SOURCES
from tests.classroom.hostile import ANSWERS, CELLS, LEAKS
from tests.classroom.test_grade import FULL, SOURCE, notebook
from tests.classroom.users import python_as_user
from tools.reliability.load import busy


@pytest.fixture
def judged(tmp_path):
    """Judge a notebook as the command does, without nbgrader's part: {task: its verdict in one word}, and the notes."""
    if (why := sandbox.why_no_walls()) and not os.environ.get("CI"):
        pytest.skip(f"no sandbox: {why}")

    def all_marks(made, source=SOURCE, cell=15, **rules):
        marks = Marks()
        limits = sandbox.Limits(total=120, cell=cell, memory=1500 * sandbox.MB)
        judge(made, read_exercise(source), marks, tmp_path, Rules(limits, **rules))
        return marks

    def judged(*arguments, **named):
        marks = all_marks(*arguments, **named)
        return {task: mark.kind for task, mark in marks.tasks.items()}, "; ".join(marks.notes)

    judged.marks = all_marks
    return judged


RIGHT = {**dict.fromkeys(FULL, "right"), "1.6": "written"}
HARMS_ITSELF = ("kills everybody", "writes into the channel", "eats memory by the slice")
# by the kernel, at once: had it got what it asked for, it would have ended its process
REFUSED = (
    "eats memory that is nobody's",
    "leaves its core",
    "is root outside too",
    "writes into the first process",
    "makes files where the answers were",
    "talks to the machine that it runs on",
    "finds the answers on the disk",
)
SAID = {
    "loops": "code cell 2 ran longer than 10 seconds, and was stopped",
    "loops and catches everything": "code cell 2 ran longer than 10 seconds, and was left out",
    "makes a million files": "it made more than 20000 files",
    "makes a million files in shared memory": "it made more than 20000 files",
    "sends a message without end": "it sent more than 4 MB at once",
    "sends deep and odd messages": "it sent nonsense",
    "forks": "code cell 2 ended the process (it ",
    "eats memory in many processes": "MB of memory",
    "prints a gigabyte": "it printed more than 1 MB",
    "ends its process": "code cell 2 ended the process (exit status 0), and was left out",
}


@pytest.mark.parametrize("name", CELLS)
def test_a_hostile_cell_is_left_out_and_the_rest_is_judged(judged, name, tmp_path):
    kinds, notes = judged(notebook(CELLS[name]), cell=10 if "loops" in name else 30)
    assert SAID.get(name, "") in notes and len(notes) < 300
    assert not notes or name not in REFUSED
    assert kinds == RIGHT or (name in HARMS_ITSELF and kinds.keys() == RIGHT.keys()), notes
    running = (" ".join(p.info["cmdline"] or []) for p in psutil.process_iter(["cmdline"]))
    assert not [line for line in running if str(tmp_path) in line], "nothing stays behind"


def test_an_ordinary_users_sandbox_refuses_the_same():
    """Root's is another one: it mounts as root, and gives up its rights afterwards. CI is root, most teachers are not."""
    chosen = " or ".join(f"({name})".replace("'s", "").replace(" ", " and ") for name in (*REFUSED, "million"))
    options = ["-q", "-p", "no:cacheprovider", "-k", f"hostile_cell and ({chosen})"]
    with (
        tempfile.TemporaryDirectory() as home
    ):  # pytest's own folders are root's: any session that begins closes them again
        options += ["--basetemp", f"{home}/t"]
        done = python_as_user("-m", "pytest", __file__, *options, home=home, timeout=1200)
    assert f"{len(REFUSED) + 2} passed" in done.stdout and "skipped" not in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("name", ANSWERS)
def test_a_hostile_answer_earns_nothing_and_the_other_tasks_are_judged(judged, name):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        answer = ANSWERS[name].replace("PORT", str(listener.getsockname()[1]))
        kinds, notes = judged(notebook(task_1_1=answer))
    assert kinds.pop("1.1") not in ("right", "handed in"), notes
    assert kinds == {task: kind for task, kind in RIGHT.items() if task != "1.1"}, notes


@pytest.mark.parametrize("way", LEAKS)
def test_nothing_that_a_hidden_test_tried_reaches_the_student(judged, way):
    marks = judged.marks(notebook(**LEAKS[way]))
    words = str([mark.words for mark in marks.tasks.values()])
    assert "saw" not in words and "4321" not in words
    assert (marks.tasks["1.2"].kind == "hidden") == ("exception" in way)


def test_what_depends_on_a_wrong_answer_is_judged_with_ours_in_its_place(judged):
    """1.2 has a slip, 1.3 and 1.4 are right but call it; 1.3 passes the argument eta by its default."""
    slip = "def vc_epsilon(h, M, eta=0.05):\n    return (h * (np.log(2 * M / h) + 1) - np.log(eta)) / M\n"
    marks = judged.marks(notebook(task_1_2=slip), slips=0.5).tasks
    assert {t: m.points for t, m in marks.items()} == {"1.1": 1, "1.2": 0.5, "1.3": 2, "1.4": 2, "1.5": 2, "1.6": None}
    assert marks["1.3"].kind == marks["1.4"].kind == "consequence" and marks["1.3"].instead == ["1.2"]
    assert marks["1.2"].mistake == "factor 4 forgotten" and "calls your answer to task 1.2" in marks["1.3"].words


def test_a_wrong_function_does_not_excuse_one_that_is_wrong_itself(judged):
    wrong = "def vc_epsilon(h, M, eta):\n    return 0.5\n"
    bound = "def vc_bound(risk, h, M, eta=0.05, B=1.0):\n    return risk + 2 * vc_epsilon(h, M, eta)\n"
    alone = "def first_useful_M(h, eta):\n    return h\n"  # wrong by itself: it asks nobody
    marks = judged.marks(notebook(task_1_2=wrong, task_1_3=bound, task_1_4=alone)).tasks
    assert [marks[t].points for t in ("1.2", "1.3", "1.4", "1.5")] == [0, 0, 0, 2]
    assert not marks["1.3"].instead and not marks["1.4"].instead


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (
            "def empirical_risk(y, f:\n    return 0",
            "error",
            ["SyntaxError: '(' was never closed", "def empirical_risk(y, f:"],
        ),
        (
            "1 / 0\ndef empirical_risk(y, f):\n    return 0",
            "error",
            ["ZeroDivisionError", "in line 1 of this cell", "1 / 0"],
        ),
        (
            "def empirical_risk(y, f):\n    import os\n    os._exit(3)",
            "error",
            ["exit status 3", "def empirical_risk(y, f):"],
        ),
        ("def empirical_risk(y, f):\n    return np.array(0.5)", "wrong", ["0.5"]),
        ("def empirical_risk(y, f):\n    return np.array(np.mean(y * f <= 0))", "right", []),
    ],
    ids=["syntax", "error in its cell", "ends its process", "0-d array", "right 0-d array"],
)
def test_the_student_is_told_of_their_own_lines_and_no_task_costs_another(judged, answer, kind, words):
    marks = judged.marks(notebook(task_1_1=answer)).tasks
    assert marks["1.1"].kind == kind, marks["1.1"].words
    assert all(word in marks["1.1"].words for word in words), marks["1.1"].words
    assert "remote" not in marks["1.1"].words and "self." not in marks["1.1"].words, "not a line of ours"
    assert {task: mark.kind for task, mark in marks.items() if task != "1.1"} == {
        t: k for t, k in RIGHT.items() if t != "1.1"
    }


def test_an_explanation_in_a_cell_of_its_own_is_read_all_the_same(judged):
    made = notebook(task_1_6="...")
    made.cells.append(nbformat.v4.new_markdown_cell("My explanation: " + "the bound is far above the truth " * 9))
    mark = judged.marks(made).tasks["1.6"]
    assert mark.points is None and mark.text.startswith("My explanation")


def test_what_an_ordinary_notebook_does_is_no_error(judged):
    first = "import asyncio\nfrom concurrent.futures import ProcessPoolExecutor as Pool\nawait asyncio.sleep(0)\n"
    first += "with Pool(2) as pool:\n    two = sum(pool.map(abs, [-1, 1]))\n"
    first += "%matplotlib inline\n!true\nimport matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()\nexit()\n"
    kinds, notes = judged(
        notebook(task_1_1=first + "def empirical_risk(y, f):\n    return np.mean(y * f <= 0) * two / 2")
    )
    assert kinds == RIGHT and notes == ""


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_every_exercises_own_solutions_earn_all_points(source, judged):
    kinds, notes = judged(nbformat.read(source, as_version=4), source)
    assert len(kinds) >= 4 and set(kinds.values()) == {"right", "written"} and notes == ""


def test_time_in_which_it_waits_for_a_processor_does_not_count(judged, tmp_path):
    """Six others on its core: what takes a second there takes seven on the clock."""
    long = "def f(x):\n    end = time.process_time() + 0.8\n    while time.process_time() < end: pass\n    return x"
    cells = [f"import time\n{long}\nf(1)", "time.sleep(60)", "while True: pass"]
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(every)})  # what is started below inherits it
    try:
        steps = [*({"code": cell} for cell in cells), {"keep": "1.1", "name": "f"}]
        with busy(6), Submission(steps, tmp_path, sandbox.Limits(cell=1.5), walled=True) as submission:
            assert submission.answer("1.1")(2) == 2
            assert {step: error["type"] for step, error in submission.errors.items()} == {1: "TimeUp", 2: "TimeUp"}
    finally:
        os.sched_setaffinity(0, every)
