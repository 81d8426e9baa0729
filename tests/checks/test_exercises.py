"""The exercises: generated from their sources and not stale, free of answers, and running from the first cell to the last."""

import re

import nbformat
import pytest
from nbclient import NotebookClient
from nbgrader.preprocessors import CheckCellMetadata
from nbgrader.utils import determine_grade

from mcmteach.checks import lessons_with_tasks
from mcmteach.checks.syllabus import number_of
from mcmteach.checks.task import Task
from tests.checks.exercises import SOURCES, cells, text
from tools.exercises import renumbered, solution, student
from tools.ledger import ROOT

EXERCISES = ROOT / "exercises"
each_source = pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Execute a notebook's text as JupyterLab would, going on after errors; with a record of its own."""
    monkeypatch.setenv("MCMTEACH_HOME", str(tmp_path / "home"))

    def executed(notebook_text, **variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        notebook = nbformat.reads(notebook_text, as_version=4)
        NotebookClient(notebook, timeout=600, kernel_name="python3", allow_errors=True).execute(cwd=ROOT / "exercises")
        return {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}

    return executed


def shown(cell):
    """What a cell printed or displayed, as text."""
    return "".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in cell.outputs)


def errors(executed):
    return [output["evalue"] for cell in executed.values() for output in cell.outputs if output.output_type == "error"]


# --- the files -------------------------------------------------------------------------------------------------------


def test_there_is_an_exercise_for_every_lesson_with_tasks():
    assert [int(path.name[:2]) for path in SOURCES] == [lesson.number for lesson in lessons_with_tasks()]
    for folder in (EXERCISES, EXERCISES / "solutions"):
        assert sorted(path.name for path in folder.glob("*.ipynb")) == [path.name for path in SOURCES]


@each_source
def test_generated_notebooks_are_not_stale(source):
    assert (EXERCISES / source.name).read_text(encoding="utf-8") == student(source), "run make exercises"
    assert (EXERCISES / "solutions" / source.name).read_text(encoding="utf-8") == solution(source), "run make exercises"


def solution_lines(source):
    """The lines between BEGIN and END that say something."""
    for cell in cells(source):
        for region in re.findall(r"### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)### END", text(cell), re.S):
            yield from (line.strip() for line in region.splitlines() if len(line.strip()) > 8)


@each_source
def test_the_students_version_holds_no_answer(source):
    theirs = (EXERCISES / source.name).read_text(encoding="utf-8")
    code = "\n".join(text(cell) for cell in cells(EXERCISES / source.name) if cell["cell_type"] == "code")
    lines = list(solution_lines(source))
    assert len(lines) > 20
    assert not [line for line in lines if line in code]
    assert not re.search("BEGIN|END SOLUTION|HIDDEN", theirs)
    assert "nbgrader" not in code, "a student does not need it"
    assert not re.search("BEGIN HIDDEN", (EXERCISES / "solutions" / source.name).read_text(encoding="utf-8"))


@each_source
def test_sources_are_valid_for_nbgrader_and_hold_every_task_once(source):
    notebook = nbformat.read(source, as_version=4)
    nbformat.validate(notebook)
    CheckCellMetadata().preprocess(notebook, {})  # complains about a grade_id that is missing or not unique
    about = {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells if "nbgrader" in cell.metadata}
    (lesson,) = (lesson for lesson in lessons_with_tasks() if lesson.number == int(source.name[:2]))
    for task in lesson.tasks.values():
        name = task.number.replace(".", "-")
        answer = about.pop(f"task-{name}")
        assert answer.metadata.nbgrader.solution and "### BEGIN SOLUTION" in answer.source
        if isinstance(task, Task):
            test = about.pop(f"test-{name}")
            visible, hidden = test.source.split("\n### BEGIN HIDDEN TESTS\n")
            assert visible == f'check("{task.number}", {task.function})' and "assert" in hidden
            assert test.metadata.nbgrader.grade and test.metadata.nbgrader.locked and test.metadata.nbgrader.points > 0
        else:
            assert answer.metadata.nbgrader.grade and answer.metadata.nbgrader.points > 0, "graded by hand"
        heading = f"## {task.number} {task.title}"
        assert sum(cell.source.startswith(heading) for cell in notebook.cells) == 1, heading
    assert not about


@each_source
def test_the_numbers_of_a_source_come_from_the_syllabus(source):
    stored, number = source.read_text(encoding="utf-8"), number_of(source.stem[3:])
    assert renumbered(stored, number) == stored, "python -m tools.exercises"
    moved = renumbered(stored, 77)
    assert renumbered(moved, number) == stored != moved
    assert not re.search(rf"(tasks?|until|##|check\(.|hint\(..) ?{number}\.\d|(task|test|about)-{number}-", moved)


@each_source
def test_lines_of_code_fit_on_the_page(source):
    for folder in (EXERCISES, EXERCISES / "solutions"):
        code = [text(cell) for cell in cells(folder / source.name) if cell["cell_type"] == "code"]
        assert [line for each in code for line in each.splitlines() if len(line) > 84] == []  # as in the lessons


@each_source
def test_an_exercise_links_to_its_lesson_says_how_long_it_takes_and_ends_with_progress(source):
    first, *_, last = cells(EXERCISES / source.name)
    assert re.search(r"About \d+ minutes", text(first))
    assert f"](../lessons/{source.name})" in text(first)
    assert f"](../../lessons/{source.name})" in text(cells(EXERCISES / "solutions" / source.name)[0])
    lessons = [path.name for path in ROOT.glob("lessons/*.ipynb")]
    number = source.name[:3]
    assert source.name in lessons or not any(name.startswith(number) for name in lessons), "the lesson has another name"
    assert text(last) == "progress()"


# --- running them ----------------------------------------------------------------------------------------------------


@each_source
def test_the_blank_exercise_runs_through_and_every_check_is_kind(source, run):
    executed = run((EXERCISES / source.name).read_text(encoding="utf-8"))
    assert errors(executed) == []
    checks = [cell for cell in executed.values() if cell.source.startswith("check(")]
    assert len(checks) >= 4
    assert all("not begun yet" in shown(cell) for cell in checks)
    assert shown(executed["progress"]).startswith("■ 0 of")


@each_source
def test_the_solutions_pass_every_check(source, run):
    executed = run((EXERCISES / "solutions" / source.name).read_text(encoding="utf-8"))
    assert errors(executed) == []
    checks = [cell for cell in executed.values() if cell.source.startswith("check(")]
    assert [shown(cell)[:6] for cell in checks] == (len(checks) - 1) * ["✓ Task"] + ["✎ Task"], "the last is a text"
    assert all("text/html" in cell.outputs[0].data for cell in checks)
    number = int(source.name[:2])
    assert re.search(rf"Lesson {number} +{len(checks) - 1} solved  ✓.*✎", shown(executed["progress"]))


@each_source
def test_nbgrader_gives_the_solution_all_points(source, run):
    executed = run(source.read_text(encoding="utf-8"), NBGRADER_EXECUTION="autograde")
    assert errors(executed) == []
    for cell in executed.values():
        if cell.metadata.get("nbgrader", {}).get("grade"):
            score, points = determine_grade(cell)
            assert score == points or (score is None and cell.id.startswith("task-"))  # None: a reader decides


def test_nbgrader_gives_a_blank_answer_no_points_and_a_wrong_one_none_either(run):
    notebook = nbformat.reads(student(SOURCES[0]), as_version=4)
    for cell in notebook.cells:
        if cell.id == "task-1-2":
            cell.source = (
                "def vc_epsilon(h, M, eta):\n    return 4 * (h * (np.log10(2 * M / h) + 1) - np.log10(eta)) / M"
            )
        if cell.id == "task-1-1":
            cell.source = "def empirical_risk(y, f):\n    return np.mean(y * f <= 0)"
    executed = run(nbformat.writes(notebook), NBGRADER_EXECUTION="autograde")
    scores = {
        id_: determine_grade(cell)[0]
        for id_, cell in executed.items()
        if cell.metadata.get("nbgrader", {}).get("grade")
    }
    assert scores == {"test-1-1": 1, "test-1-2": 0, "test-1-3": 0, "test-1-4": 0, "test-1-5": 0, "task-1-6": 0}
    assert "np.log" in executed["test-1-2"].outputs[0].evalue, "the words reach the student's feedback"
