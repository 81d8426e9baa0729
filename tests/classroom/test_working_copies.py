"""A student's copies: no outputs, every link leads somewhere, and nothing is ever overwritten."""

import json
import re

import pytest

from mcmteach.classroom.working_copies import COURSE, working_copies
from mcmteach.errors import InvalidInputError


@pytest.fixture
def mine(tmp_path):
    """A folder of copies that was just made."""
    return working_copies(tmp_path / "mine").folder


def notebooks(folder):
    return {path.relative_to(folder): json.loads(path.read_text("utf-8")) for path in folder.rglob("*.ipynb")}


def test_every_lesson_and_exercise_is_copied_without_outputs_and_otherwise_unchanged(mine):
    copies = notebooks(mine)
    assert {path.name for path in copies if path.parent.name == "lessons"} == {
        path.name for path in COURSE.glob("lessons/*.ipynb")
    }
    for path, copy in copies.items():
        stored = json.loads((COURSE / path).read_text("utf-8"))
        assert [cell["source"] for cell in copy["cells"]] == [cell["source"] for cell in stored["cells"]]
        code = [cell for cell in copy["cells"] if cell["cell_type"] == "code"]
        assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
        assert copy["metadata"] == stored["metadata"] and copy["nbformat"] == stored["nbformat"]


def test_the_links_of_the_copies_stay_inside_the_folder(mine):
    for path, copy in notebooks(mine).items():
        for cell in copy["cells"]:
            for link in re.findall(r"\]\((?!http|#)([^)#]+)", "".join(cell["source"])):
                if cell["cell_type"] == "markdown":
                    target = (mine / path.parent / link).resolve()
                    assert target.exists() and target.is_relative_to(mine), f"{path} links to {link}"


def test_what_the_student_wrote_stays(mine):
    lesson = mine / "lessons" / "00_welcome.ipynb"
    lesson.write_text("my own notes", "utf-8")
    again = working_copies(mine)
    assert lesson.read_text("utf-8") == "my own notes" and again.new == 0 and str(mine) in str(again)
    lesson.unlink()
    assert working_copies(mine).new == 1


def test_a_page_of_somebodys_own_stays(tmp_path):
    (tmp_path / "README.md").write_text("what I keep here", "utf-8")
    assert working_copies(tmp_path).new > 30
    assert (tmp_path / "README.md").read_text("utf-8") == "what I keep here"
    assert (tmp_path / "lessons" / "GLOSSARY.md").read_bytes() == (COURSE / "lessons" / "GLOSSARY.md").read_bytes()


def test_afresh_puts_the_earlier_folder_aside(mine):
    lesson = mine / "lessons" / "00_welcome.ipynb"
    for n in (1, 2):
        lesson.write_text(f"scribble {n}", "utf-8")
        said = str(working_copies(mine, afresh=True))
        assert (mine.with_name(f"mine-{n}") / "lessons" / lesson.name).read_text("utf-8") == f"scribble {n}"
        assert f"mine-{n}" in said and "scribble" not in lesson.read_text("utf-8")


def test_the_course_itself_is_no_place_for_copies_and_a_folder_without_lessons_no_course(tmp_path):
    for folder in (COURSE, COURSE / "lessons"):
        with pytest.raises(InvalidInputError, match="course itself"):
            working_copies(folder)
    with pytest.raises(InvalidInputError, match="Clone the course"):
        working_copies(tmp_path / "mine", course=tmp_path)
