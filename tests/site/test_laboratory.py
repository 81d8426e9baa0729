"""The laboratory in a real browser: lessons run, panels move, answers are judged, progress is kept, also without network."""

import json
import re
import subprocess
import sys

import pytest

from tests.browser import test_exercises as first
from tests.browser.lab import ROOT, Server
from tests.site.conftest import SITE

LESSONS = sorted(path.name for path in ROOT.glob("lessons/[0-9]*.ipynb"))
(SAMPLE,) = (name for name in LESSONS if name[3:-6] == "a_linear_programme")
#: They compute for more than a minute in a browser: with ALL=1 only.
LONG = ("small_devices", "your_own_data")
DONE = "sorted(__import__('mcmteach.checks.record', fromlist=['load']).load()[0])"
#: exercise: (the cell of the answer, the cell of the check, a wrong answer, a right one, what is said of it, the task's key)
ANSWERS = {
    "01": (first.ANSWER_CELL, first.CHECK_CELL, first.WRONG, first.RIGHT, first.PASSES, "why_learning_works.1"),
    "03": (
        r"^def slack\(",
        r'^check\("3\.1"',
        "def slack(X, y, w, b):\n    return 1 - y * (X @ w + b)",
        "def slack(X, y, w, b):\n    return np.maximum(0, 1 - y * (X @ w + b))",
        "✓ Task 3.1: right",
        "soft_margin.1",
    ),
}


@pytest.fixture
def mortal(page, lab):
    """A server of its own, in the place of the one that all tests share: the test may end it, with every open connection."""
    command = [sys.executable, "-m", "mcmteach", "serve", str(SITE), "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        address = re.search(r"http://\S+", process.stdout.readline())[0]
        page.site = lab.server = Server(address, "", SITE)
        yield process
        process.kill()


def answer(lab, number):
    """Answer a task wrongly, then rightly. Its key in the record."""
    answer_cell, check_cell, wrong, right, passes, key = ANSWERS[number]
    (path,) = ROOT.glob(f"exercises/{number}_*.ipynb")
    lab.open(f"exercises/{path.name}")
    cell, check = lab.cell_with(answer_cell), lab.cell_with(check_cell)
    for before in range(cell):
        lab.run_cell(before)
    said = []
    for source in (wrong, right):
        lab.type_into_cell(cell, source)
        lab.run_cell(cell)
        said.append(lab.run_cell(check))
    assert passes not in said[0] and passes in said[1]
    return key


def run_and_play(lab, name):
    lab.open(f"lessons/{name}")
    lab.run_all()
    for panel in lab.panels()[:1]:
        lab.play(panel)


def test_a_second_visit_goes_on_without_a_network(lab, page, mortal, tmp_path):
    key = answer(lab, "03")
    with page.page.expect_download() as saved:
        page.page.get_by_role("button", name="Save progress to a file").click()
    saved.value.save_as(tmp_path / "progress.json")
    assert list(json.loads((tmp_path / "progress.json").read_text())["done"]) == [key]
    lab.ask("return document.documentElement.dataset.kept;", "everything is kept for a visit without a network")
    assert not page.wrong

    mortal.kill()
    mortal.wait()
    run_and_play(lab, SAMPLE)
    assert lab.run(DONE) == [key]
    assert not page.wrong

    another = {"version": 3, "done": {"kernels.1": "2026-01-01T12:00:00"}}
    (tmp_path / "another.json").write_text(json.dumps(another))
    told = []
    page.page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.accept()))
    with page.page.expect_file_chooser() as chooser:
        page.page.get_by_role("button", name="Load progress from a file").click()
    chooser.value.set_files(tmp_path / "another.json")
    lab.until(lambda: told, "the page says what was loaded")
    assert told[0].startswith("Loaded: 1 tasks") and lab.run(DONE) == ["kernels.1"]


def marked(name):
    return pytest.param(name, marks=pytest.mark.soak if name[3:-6] in LONG else ())


@pytest.mark.parametrize("name", [marked(name) for name in LESSONS if name != SAMPLE])
def test_a_lesson_runs_and_a_panel_moves_and_resets(lab, page, name):
    run_and_play(lab, name)
    assert not page.wrong


def test_another_exercise_is_judged(lab, page):
    assert answer(lab, "01") in lab.run(DONE)
    assert not page.wrong


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(path.name for path in ROOT.glob("exercises/[0-9]*.ipynb")))
def test_an_exercise_can_be_solved_to_the_end(lab, page, name):
    solved = json.loads((ROOT / "exercises" / "solutions" / name).read_text(encoding="utf-8"))
    lab.open(f"exercises/{name}")
    lab.put({cell["id"]: "".join(cell["source"]) for cell in solved["cells"]})
    lab.run_all()
    said = lab.results_of("check(")
    assert [text[:6] for text in said] == (len(said) - 1) * ["✓ Task"] + ["✎ Task"], "the last is a text"
    assert not page.wrong
