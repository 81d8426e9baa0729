"""``python -m mcmteach release``: the students' notebooks of a private copy of the sources."""

import shutil

import nbformat
import pytest

from mcmteach.__main__ import main
from tools.exercises import FOLDER

NAMES = ("01_why_learning_works.ipynb", "02_which_hyperplane.ipynb")


@pytest.fixture
def course(tmp_path):
    folder = tmp_path / "my-course"
    folder.mkdir()
    for name in NAMES:
        shutil.copy(FOLDER / "source" / name, folder)
    return folder


def test_a_private_copy_is_released_as_our_own_exercises_are(course, capsys):
    assert main(["release", str(course)]) == 0
    assert "2 notebooks" in capsys.readouterr().out
    for name in NAMES:
        made = nbformat.read(course / "release" / name, as_version=4)
        ours = nbformat.read(FOLDER / name, as_version=4)
        assert [cell.source for cell in made.cells if cell.cell_type == "code"] == [
            cell.source for cell in ours.cells if cell.cell_type == "code"
        ]


def test_each_student_of_a_class_list_gets_a_folder(course, tmp_path):
    roster = tmp_path / "class.csv"
    roster.write_text("name\nAda Lovelace\nCarl Gauss\n", encoding="utf-8")
    assert main(["release", str(course), "--roster", str(roster), "--key", "secret", "-o", str(tmp_path / "out")]) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["Ada Lovelace", "Carl Gauss"]
    assert main(["release", str(course), "--roster", str(roster)]) == 2, "a class list needs a secret"


def test_a_fault_in_a_source_is_named_and_nothing_is_written(course, capsys):
    path = course / NAMES[1]
    broken = nbformat.read(path, as_version=4)
    cell = next(cell for cell in broken.cells if cell.cell_type == "code" and "### BEGIN SOLUTION" in cell.source)
    cell.source += "\ndef ("
    nbformat.write(broken, path)
    assert main(["release", str(course), "-o", str(course / "out")]) == 2
    said = capsys.readouterr().err
    assert NAMES[1] in said and "line" in said and not (course / "out").exists()
