"""Who handed in what: names as platforms write them, odd files, archives, duplicates, and the class list."""

import io
import os
import zipfile

import nbformat
import pytest

from mcmteach.classroom.submissions import find_submissions, match_roster, read_roster, text_of
from mcmteach.errors import InvalidInputError
from tests.checks.exercises import SOURCES

ONE, TWO = SOURCES[0], SOURCES[1]
TEXT = ONE.read_text(encoding="utf-8")


@pytest.fixture
def found(tmp_path):
    """Put files into a folder and look who handed in what: {name of the file: text, bytes or a time} -> entries."""

    def found(files):
        work, unpacked = tmp_path / "in", tmp_path / "unpacked"
        work.mkdir()
        unpacked.mkdir()
        for order, (name, content) in enumerate(files.items()):
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            os.utime(path, (order, order))
        return find_submissions(work, SOURCES, unpacked)

    return found


def archive(**files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name.replace("__", "/"), content)
    return made.getvalue()


@pytest.mark.parametrize(
    ("name", "student", "number"),
    [
        (f"ada/{ONE.name}", "ada", ""),
        (f"ada/{ONE.stem}/{ONE.name}", "ada", ""),
        (f"ada_{ONE.name}", "ada", ""),
        (f"ada {ONE.stem} (2).ipynb", "ada", ""),
        (f"ada/{ONE.stem}-Copy1.ipynb", "ada", ""),
        (f"ada/{ONE.stem}.IPYNB", "ada", ""),
        (f"ada/{ONE.stem}.ipynb.txt", "ada", ""),
        ("ada.ipynb", "ada", ""),
        (f"Ada Lovelace_1234567_assignsubmission_file_/{ONE.name}", "Ada Lovelace", "1234567"),
        (f"Ada Lovelace_1234567_assignsubmission_file_{ONE.name}", "Ada Lovelace", "1234567"),
        ("Ada Lovelace_1234567_assignsubmission_file_my work.ipynb", "Ada Lovelace", "1234567"),
        (f"lovelaceada_98_7654_{ONE.name}", "lovelaceada", "98"),
        (f"lovelaceada_LATE_98_7654_{ONE.stem}-2.ipynb", "lovelaceada", "98"),
    ],
)
def test_names_as_people_and_platforms_write_them(found, name, student, number):
    (entry,) = found({name: TEXT})
    assert (entry.student, entry.id, entry.exercise, entry.problem) == (student, number, ONE.stem, "")
    assert ("late" in " ".join(entry.notes)) == ("LATE" in name)


@pytest.mark.parametrize("coding", ["utf-8-sig", "utf-16"])
def test_a_mark_of_its_coding_does_no_harm(found, coding):
    (entry,) = found({"ada.ipynb": TEXT.encode(coding)})
    assert nbformat.reads(text_of(entry.path), as_version=4).cells and entry.exercise == ONE.stem


def test_every_folder_and_every_odd_file_has_a_row(found, tmp_path):
    os.makedirs(tmp_path / "in")
    os.mkfifo(tmp_path / "in" / "pipe.ipynb")
    os.mkdir(tmp_path / "in" / "empty")
    (tmp_path / "in" / "link.ipynb").symlink_to("/etc/passwd")
    if os.geteuid() == 0:
        os.mknod(tmp_path / "in" / "device.ipynb", 0o600 | 0o020000, os.makedev(1, 5))  # /dev/zero has no end
    os.rmdir(tmp_path / "in" / "empty")
    os.mkdir(tmp_path / "in" / "empty")
    entries = {e.student: e for e in _found_in(tmp_path, {
        ".hidden/01_x.ipynb": TEXT, "ben/report.pdf": b"%PDF", "cem/large.ipynb": b" " * (6 << 20),
        f"dora/{ONE.name}": TEXT, "dora/data.csv": b"1,2", "dora/.ipynb_checkpoints/x.ipynb": TEXT, "eve.pdf": b"%PDF",
    })}  # fmt: skip
    assert entries["pipe"].problem == entries["link"].problem == "It is not a file."
    assert "device" not in entries or entries["device"].problem == "It is not a file."
    assert entries["empty"].problem == "The folder is empty."
    assert "hidden in .hidden" in entries[".hidden"].problem
    assert entries["ben"].problem.startswith("It is not a notebook") and entries["eve"].problem
    assert "larger than 5 MB" in entries["cem"].problem
    assert entries["dora"].problem == "" and entries["dora"].path.name == ONE.name
    assert len(entries) == 8 + (os.geteuid() == 0), "and nothing of dora's but her notebook"


def _found_in(folder, files):
    for name, content in files.items():
        path = folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    (folder / "unpacked").mkdir()
    return find_submissions(folder / "in", SOURCES, folder / "unpacked")


def test_of_several_the_newest_is_graded_and_each_is_said(found):
    entries = found({
        f"ada/{ONE.name}": TEXT, f"ada/final/{ONE.name}": TEXT, f"ben_1_22_{ONE.stem}-1.ipynb": TEXT,
        f"ben_1_33_{ONE.name}": TEXT,
        f"cem/{ONE.stem} (1).ipynb": TEXT, f"cem/{ONE.name}": TEXT, f"dora/{ONE.name}": TEXT, f"dora/{TWO.name}": TEXT,
    })  # fmt: skip
    graded = [e.place for e in entries if e.path]
    newest = [f"ada/final/{ONE.name}", f"ben_1_33_{ONE.name}", f"cem/{ONE.stem} (1).ipynb"]
    assert graded == [*newest, f"dora/{ONE.name}", f"dora/{TWO.name}"]
    assert (
        sum("is newer" in e.problem for e in entries) == 3
        and "the newest of 2" in entries[1].notes[0] + entries[0].problem
    )


def test_a_wrapper_folder_does_not_make_one_student_of_all(found):
    entries = found({f"Exercise 1/{name}/{ONE.name}": TEXT for name in ("ada", "ben")} | {"Exercise 1/cem.ipynb": TEXT})
    assert [e.student for e in entries] == ["ada", "ben", "cem"] and all(e.path for e in entries)


def test_one_student_with_a_folder_for_each_exercise_is_one_student(found):
    entries = found({f"ada/{s.stem}/{s.name}": TEXT for s in (ONE, TWO)})
    assert [e.student for e in entries] == ["ada", "ada"]


# --- archives ------------------------------------------------------------------------------------------------------------


def test_archives_are_folders(found):
    inner = archive(**{f"work__{ONE.name}": TEXT})
    entries = found({
        "ada.zip": archive(**{ONE.name: TEXT, "__MACOSX__._x": b"x"}),
        "class.zip": archive(**{"ben.zip": inner, "Cem Kaya_12_assignsubmission_file___a.ipynb": TEXT}),
        "dora/hand in.zip": inner,
    })  # fmt: skip
    assert {e.student for e in entries if e.path} >= {"ada", "dora"}
    assert all(ONE.stem == e.exercise for e in entries), entries


def test_an_archive_of_the_whole_class(tmp_path):
    path = tmp_path / "download.zip"
    path.write_bytes(archive(**{f"{name}__{ONE.name}": TEXT for name in ("ada", "ben")}))
    (tmp_path / "unpacked").mkdir()
    assert [e.student for e in find_submissions(path, SOURCES, tmp_path / "unpacked")] == ["ada", "ben"]


def test_hostile_archives_cost_nothing_and_write_nowhere_else(found, tmp_path):
    bomb = archive(**{"a.ipynb": bytes(200 << 20)})
    assert len(bomb) < 1 << 20
    entries = {e.student: e for e in found({
        "bomb.zip": bomb, "broken.zip": b"PK\x03\x04 nothing", "empty.zip": archive(), f"x_{ONE.name}": TEXT,
        "many.zip": archive(**{f"{n}.txt": b"" for n in range(3000)}),
        "up.zip": archive(**{f"..__..__..__{ONE.name}": TEXT}),
    })}  # fmt: skip
    assert "larger than 5 MB" in entries["bomb"].problem
    assert all("cannot be read" in entries[name].problem for name in ("broken", "empty", "many"))
    assert entries["up"].path.parent == tmp_path / "unpacked"
    assert sum(p.stat().st_size for p in (tmp_path / "unpacked").iterdir()) < 1 << 20


# --- the class list ------------------------------------------------------------------------------------------------------


def test_whoever_handed_in_nothing_has_a_row_and_names_are_matched(found, tmp_path):
    (tmp_path / "class.csv").write_text(
        "\ufeffStudent;ID;SIS User ID\nPoints Possible;;\nLovelace, Ada;98;a1\nÉmile Noether;7;e1\nCem Kaya;5;c1\n",
        encoding="utf-8",
    )
    entries, people = match_roster(
        found({f"lovelaceada_98_1_{ONE.name}": TEXT, f"emilenoether_{ONE.name}": TEXT, f"who_{ONE.name}": TEXT}),
        read_roster(tmp_path / "class.csv"),
    )
    by_name = {e.student: e for e in entries}
    assert set(by_name) == {"Lovelace, Ada", "Émile Noether", "Cem Kaya", "who"} and len(people) == 3
    assert by_name["Cem Kaya"].problem == "Nothing was handed in." and by_name["Cem Kaya"].exercise == ONE.stem
    assert "not on the class list" in by_name["who"].notes[0]


def test_a_class_list_without_names_is_refused(tmp_path):
    (tmp_path / "class.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InvalidInputError, match="names nobody"):
        read_roster(tmp_path / "class.csv")
