"""nbgrader's own way with the sources as they are: generate, autograde and feedback, for five students of one exercise."""

import shutil
import sys
from pathlib import Path

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from tests.classroom.test_grade import CONSTANT, SOURCE, notebook

STUDENTS = ("right", "partly", "wrong", "blank", "hostile")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course after all three steps: its folder, and what autograde said about each student."""
    root = tmp_path_factory.mktemp("course")
    (root / "source" / SOURCE.stem).mkdir(parents=True)
    shutil.copy(SOURCE, root / "source" / SOURCE.stem)
    config = Config()
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.db_url = f"sqlite:///{root / 'gradebook.db'}"
    config.Execute.timeout = 60
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NBGRADER_EXECUTION", "")  # nbgrader leaves it set where a submission fails
        patch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")  # nbgrader calls alembic by its name
        api = NbGraderAPI(config=config)
        assert api.generate_assignment(SOURCE.stem)["success"]
        released = root / "release" / SOURCE.stem / SOURCE.name
        slip = "def empirical_risk(y, f):\n    return np.sum(y * f <= 0)"
        made = {
            "right": notebook(),
            "partly": notebook(task_1_5=CONSTANT),
            "wrong": notebook(task_1_1=slip, task_1_5=CONSTANT),
            "blank": nbformat.read(released, as_version=4),
            "hostile": notebook("import os\nos._exit(1)"),
        }
        for name in STUDENTS:
            place = root / "submitted" / name / SOURCE.stem / SOURCE.name
            place.parent.mkdir(parents=True)
            nbformat.write(made[name], place)
        graded = {name: api.autograde(SOURCE.stem, name)["success"] for name in STUDENTS}
        for name in (n for n in STUDENTS if graded[n]):
            assert api.generate_feedback(SOURCE.stem, name)["success"]
    return root, graded


def points(root, name):
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as gradebook:
        grades = gradebook.find_submission_notebook(SOURCE.stem, SOURCE.stem, name).grades
        return {g.name: g.auto_score for g in grades if g.name.startswith("test-")}


def test_the_released_notebook_is_the_one_that_students_have(course):
    root, _ = course
    released = nbformat.read(root / "release" / SOURCE.stem / SOURCE.name, as_version=4)
    assert not any("HIDDEN" in cell.source or "SOLUTION" in cell.source for cell in released.cells)


def test_autograde_gives_everybody_their_points(course):
    root, graded = course
    full = {"test-1-1": 1, "test-1-2": 1, "test-1-3": 2, "test-1-4": 2, "test-1-5": 2}
    assert [graded[name] for name in ("right", "partly", "wrong", "blank")] == [True] * 4
    assert points(root, "right") == full
    assert points(root, "partly") == full | {"test-1-5": 0}
    assert points(root, "wrong") == full | {"test-1-1": 0, "test-1-5": 0}
    assert set(points(root, "blank").values()) == {0}


def test_a_submission_that_kills_its_kernel_earns_nothing_and_stops_nobody(course):
    root, graded = course
    assert not graded["hostile"] or not sum(points(root, "hostile").values())


def test_feedback_says_what_went_wrong(course):
    root, _ = course
    page = (root / "feedback" / "wrong" / SOURCE.stem / f"{SOURCE.stem}.html").read_text(encoding="utf-8")
    assert "divide by the number of samples M" in page
