"""Tables: nothing in them is a formula, marks by hand survive, and platforms get their totals back."""

import csv

import pytest

from mcmteach.classroom.course import read_exercise
from mcmteach.classroom.feedback import total_in_words
from mcmteach.classroom.submissions import Entry, Person
from mcmteach.classroom.tables import Row, harmless, merge_manual, write_gradebook, write_table
from mcmteach.errors import InvalidInputError
from tests.checks.exercises import SOURCES

SOURCE = SOURCES[0]
EXERCISES = {SOURCE: read_exercise(SOURCE)}


def row(student, **points):
    """A row with five points and a text of three that nobody has read, but for the points given here."""
    marks = {"1.1": 1.0, "1.2": 1.0, "1.3": 2.0, "1.4": 0.0, "1.6": None} | {
        k.replace("_", "."): v for k, v in points.items()
    }
    out_of = {"1.1": 1.0, "1.2": 1.0, "1.3": 2.0, "1.4": 2.0, "1.6": 3.0}
    tasks = {
        t: {
            "points": p,
            "out_of": out_of[t],
            "kind": "right" if p else "wrong",
            "mistake": "",
            "words": "Task\nsaid;=1+1",
            "text": "t",
        }
        for t, p in marks.items()
    }
    return Row(Entry(student, f"{student}/x.ipynb", SOURCE, SOURCE), {"tasks": tasks, "notes": []})


def lines(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("text", ["=1+1", "  =1+1", "@SUM(1)", "a;=1+1", 'a;"=1+1', "＝1", "\t=1", "'=1", "x\n=1"])
def test_no_cell_begins_a_formula_whichever_separator_a_spreadsheet_takes(text):
    for piece in harmless(text).replace("\n", ";").split(";"):
        assert piece.lstrip(' "')[:1] not in "=+-@＝", piece
    assert harmless("-1.5") == "-1.5"


def test_totals_on_page_and_table_are_the_same_and_say_what_is_not_yet_read(tmp_path):
    rows = [row("ada"), row("ben", **{"1_6": 2.5})]
    write_table(rows, tmp_path / "marks.csv")
    ada, ben = lines(tmp_path / "marks.csv")
    assert (ada["marks"], ada["out of"], ada["to read"]) == ("4", "6", "1.6")
    assert (ben["marks"], ben["out of"], ben["to read"]) == ("6.5", "9", "")
    assert total_in_words(rows[0].tasks) == "4 of 6 points; not yet read: 1.6 (3 points)"
    assert total_in_words(rows[1].tasks) == "6.5 of 9 points"


def test_marks_by_hand_are_asked_for_merged_and_never_overwritten(tmp_path):
    path = tmp_path / "manual.csv"
    merge_manual(path, [row("ada"), row("ben")], EXERCISES)
    assert [(line["student"], line["task"], line["points"]) for line in lines(path)] == [
        ("ada", "1.6", ""),
        ("ben", "1.6", ""),
    ]
    path.write_text(
        "student;task;points;comment\nada;1.6;2,5;well seen\nben;1.4;1;half of it\n"
    )  # as Excel writes it in Europe
    rows = [row("ada"), row("ben"), row("cem")]
    merge_manual(path, rows, EXERCISES)
    assert rows[0].tasks["1.6"]["points"] == 2.5 and rows[0].tasks["1.6"]["comment"] == "well seen"
    assert rows[1].tasks["1.4"]["points"] == 1 and rows[1].unread == ["1.6"]
    text = path.read_text()
    assert text.startswith("student;task;points;comment\nada;1.6;2,5;well seen\n") and text.count("\n") == 5
    merge_manual(path, [row("ada"), row("ben"), row("cem")], EXERCISES)
    assert path.read_text() == text, "asked for once"


def test_a_mark_by_hand_reaches_whoever_handed_in_on_paper(tmp_path):
    (tmp_path / "manual.csv").write_text("student,task,points,comment\ndora,1.5,2,on paper\n")
    dora = Row(Entry("dora", "", None, SOURCE, problem="Nothing was handed in."), {})
    merge_manual(tmp_path / "manual.csv", [dora], EXERCISES)
    assert dora.points == 2 and dora.tasks["1.5"]["comment"] == "on paper"


@pytest.mark.parametrize(
    ("line", "words"),
    [("ada,1.6,4,", "not between 0 and that"), ("zoe,1.6,1,", "no student 'zoe'"), ("ada,9.9,1,", "no task '9.9'"),
     ("ada,1.6,good,", "is not a number of points")],
)  # fmt: skip
def test_a_line_that_fits_nobody_is_named(tmp_path, line, words):
    (tmp_path / "manual.csv").write_text(f"student,task,points,comment\nada,1.6,1,\n{line}\n")
    with pytest.raises(InvalidInputError, match=f"line 3: .*{words}"):
        merge_manual(tmp_path / "manual.csv", [row("ada")], EXERCISES)


def test_canvas_and_moodle_get_their_totals(tmp_path):
    people = {
        "Lovelace, Ada": Person("Lovelace, Ada", ("98",), {"Student": "Lovelace, Ada", "ID": "98", "Section": "A"}),
        "ben": Person("ben", (), {"Student": "ben", "ID": "7"}),
    }
    rows = [row("Lovelace, Ada", **{"1_6": 3.0}), row("ben")]
    assert write_gradebook("canvas", rows, people, tmp_path / "canvas.csv") == [f"ben ({SOURCE.stem})"]
    ada, ben = lines(tmp_path / "canvas.csv")
    assert (ada["ID"], ada["Section"], ada[SOURCE.stem]) == ("98", "A", "7")
    assert (ben["ID"], ben[SOURCE.stem]) == ("7", ""), "no total before all is read"
    write_gradebook("moodle", rows, {}, tmp_path / "moodle.csv")
    assert lines(tmp_path / "moodle.csv")[0][f"{SOURCE.stem} feedback"] == "7 of 9 points"
