"""A CSV file of one's own: what is in it comes out, and a bad one gets clear words."""

import numpy as np
import pytest

from mcmteach.datasets import load_dataset, raw_text, read_dataset
from mcmteach.errors import InvalidInputError


def write(tmp_path, text, name="mine.csv", **how):
    path = tmp_path / name
    path.write_text(text, **{"encoding": "utf-8"} | how)
    return path


def rows(n=24, between=","):
    return [
        between.join(map(str, (2 * i, "red" if i % 3 else "blue", "" if i == 4 else i / 2, "yes" if i % 2 else "no")))
        for i in range(n)
    ]


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_numbers_words_and_gaps_are_read(tmp_path, between):
    text = "\n".join([between.join(("age", "colour", "size", "ill")), *rows(between=between)])
    data = read_dataset(write(tmp_path, "\ufeff" + text))
    assert data.feature_names == ["age", "colour=red", "size"] and data.target_names.tolist() == ["no", "yes"]
    assert data.data.shape == (24, 3) and np.isnan(data.data[4, 2]) and data.data[3].tolist() == [6.0, 0.0, 1.5]
    assert data.target.tolist() == [i % 2 for i in range(24)]


def test_a_bundled_set_written_to_a_file_comes_back(tmp_path):
    bundled = load_dataset("haberman")
    data = read_dataset(write(tmp_path, raw_text("haberman")), label="label")
    np.testing.assert_array_equal(data.data, bundled.data)
    assert (data.target == bundled.target).all() or (data.target == 1 - bundled.target).all()


def test_the_label_may_be_any_column(tmp_path):
    data = read_dataset(write(tmp_path, "\n".join(["age,colour,size,ill", *rows()])), label="colour")
    assert data.feature_names == ["age", "size", "ill=yes"] and data.target_names.tolist() == ["blue", "red"]


HEADER = "age,colour,size,ill"


def with_column(values, between=","):
    """A file with a column of these values, a number and a class."""
    lines = [between.join((str(value), str(i * i), "yes" if i % 2 else "no")) for i, value in enumerate(values)]
    return "\n".join([between.join(("mine", "size", "ill")), *lines])


BAD = {
    "empty": ("", r"empty\.csv is empty\. Its first line should name the columns"),
    "empty lines only": ("\n \n\n", "is empty"),
    "one column": ("a\n1\n2", "no header with two columns"),
    "another separator": ("a|b\n1|2", "no header .* with a comma, a semicolon or a tab between them"),
    "no header": ("\n".join(rows()), "first line of .* looks like a row of data: 'no' stands in other rows, too"),
    "a header alone": (HEADER, "has 0 rows below its header"),
    "one row": ("\n".join([HEADER, *rows(1)]), "has 1 row below its header"),
    "two columns of one name": ("\n".join(["age,age,size,ill", *rows()]), "a name of its own"),
    "a column without a name": ("\n".join([",colour,size,ill", *rows()]), "a name of its own"),
    "a row too short": ("\n".join([HEADER, *rows(), "1,2"]), "Line 26 .* has 2 fields, but the header has 4"),
    "empty lines before a row too short": ("\n".join([HEADER, "", "", *rows(), "1"]), "Line 28 .* has 1 field, but"),
    "commas between fields and before decimals": (
        "\n".join([HEADER, *(f"{i},5,red,{i},no" for i in range(24))]),
        r"Line 2 .* has 5 fields, .* decimal comma, write them with a point",
    ),
    "an open quotation mark": (
        "\n".join([HEADER, *rows(), '"40,red,2,no', *rows()]),
        r"Line 26 .* It runs on to line 50: is a quotation mark left open\?",
    ),
    "a field without an end": (
        "\n".join([HEADER, *rows(), '"' + "x" * 200_000]),
        "Line 26 .* cannot be split .* Is a quotation",
    ),
    "few rows": ("\n".join([HEADER, *rows(5)]), "has 5 rows"),
    "one class": ("\n".join([HEADER, *rows(48)[::2]]), "Every row of .* has the same ill, 'no'"),
    "three classes": ("\n".join([HEADER, *rows(), "1,red,2,perhaps"]), "has 3 different values .* Is it the right column"),
    "a label is missing": ("\n".join([HEADER, *rows(), "1,red,2,"]), "1 of 25 rows .* have no ill"),
    "an infinite number": ("\n".join([HEADER, *rows(), "inf,red,2,no"]), "'age' holds an infinite number"),
    "an infinite number after one that is none": (
        with_column(["nan", "inf", *range(22)]),
        "'mine' holds an infinite number",
    ),
    "too large a number": (with_column(f"{i}e200" for i in range(24)), "'mine' holds numbers as large as 2e.201"),
    "identity numbers": (with_column(10**18 + 7 * i for i in range(24)), "'mine' .* more than 15 digits, such as 10{18}"),
    "a counter of rows": (with_column(range(1, 25)), "'mine' counts the rows. Leave it out"),
    "an empty column": (with_column([""] * 24), "No two values differ in the column 'mine'"),
    "one number throughout": (with_column([3] * 24), "No two values differ in the column 'mine'"),
    "one word throughout": (with_column(["red"] * 24), "No two values differ in the column 'mine'"),
    "six columns of one value": (
        "\n".join(["a,b,c,d,e,f,ill", *(f"1,1,1,1,1,1,{i % 2}" for i in range(24))]),
        "in the columns 'a', 'b', 'c', 'd', 'e', …: nothing",
    ),
    "commas for points": (with_column([f"{i},5" for i in range(24)], ";"), "such as 0,5. Write them with a point before"),
    "thousands": (with_column([f"1.23{i % 10},5" for i in range(24)], ";"), r"such as 1\.230,5\. Write .* nothing between"),
    "per cent": (with_column([f"{i}%" for i in range(24)]), r"such as 0%\. Write .* no unit"),
    "a long minus": (with_column([f"−{i + 1}" for i in range(24)]), r"such as −1\. Write .* a plain minus sign"),
    "dates": (with_column([f"2026-0{1 + i % 3}-11" for i in range(24)]), "'mine' holds dates, such as 2026-01-11"),
    "a word among numbers": ("\n".join([HEADER, *rows(), "n/a,red,2,no"]), "words among them, such as 'n/a'"),
    "names of people": ("\n".join(["name,ill", *(f"p{i}q,{i % 2}" for i in range(40))]), "'name' holds 40 different words"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_gets_clear_words(tmp_path, case):
    text, words = BAD[case]
    with pytest.raises(InvalidInputError, match=words):
        read_dataset(write(tmp_path, text, name=f"{case.replace(' ', '_')}.csv"))


@pytest.mark.parametrize("broken", ["two\u2028lines", '"two\nlines"', '"two, words"'])
def test_a_field_may_hold_what_separates_lines_and_fields_elsewhere(tmp_path, broken):
    data = read_dataset(write(tmp_path, with_column([broken, "one"] * 12)))
    assert data.data.shape == (24, 2) and sorted(np.unique(data.data[:, 0])) == [0, 1]


def test_lines_may_end_as_on_any_system(tmp_path):
    for end in ("\n", "\r\n", "\r"):
        (tmp_path / "mine.csv").write_bytes(with_column([2 * i for i in range(24)]).replace("\n", end).encode())
        assert read_dataset(tmp_path / "mine.csv").data[5].tolist() == [10, 25]


def test_grades_that_are_numbers_and_words_stay_words(tmp_path):
    data = read_dataset(
        write(tmp_path, "\n".join(["grade,ill", *(f"{('1', '2', '3a')[i % 3]},{i % 2}" for i in range(24))]))
    )
    assert data.feature_names == ["grade=1", "grade=2", "grade=3a"]


def test_what_is_no_file_no_text_or_no_column(tmp_path):
    for path in (tmp_path / "nowhere.csv", tmp_path):  # nothing, and a folder
        with pytest.raises(InvalidInputError, match="There is no file"):
            read_dataset(path)
    for content, words in {
        b"\x89PNG\xff\xfe": "cannot be read as a text",
        with_column(["Grün", "blau"] * 12).encode(
            "latin-1"
        ): r"cannot be read as a text in UTF-8 .* Save it as CSV, UTF-8",
        with_column([*"ab"] * 12).encode("utf-16"): "cannot be read as a text in UTF-8",
        with_column([*"ab"] * 12).encode("utf-16-le"): "holds zero bytes. If it is a workbook, save it as CSV",
    }.items():
        (tmp_path / "picture.csv").write_bytes(content)
        with pytest.raises(InvalidInputError, match=words):
            read_dataset(tmp_path / "picture.csv")
    with pytest.raises(InvalidInputError, match=r"no column 'outcome'\. Its columns are age, colour, size, ill"):
        read_dataset(write(tmp_path, "\n".join([HEADER, *rows()])), label="outcome")
