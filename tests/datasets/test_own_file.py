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
        between.join(map(str, (i, "red" if i % 3 else "blue", "" if i == 4 else i / 2, "yes" if i % 2 else "no")))
        for i in range(n)
    ]


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_numbers_words_and_gaps_are_read(tmp_path, between):
    text = "\n".join([between.join(("age", "colour", "size", "ill")), *rows(between=between)])
    data = read_dataset(write(tmp_path, "\ufeff" + text))
    assert data.feature_names == ["age", "colour=red", "size"] and data.target_names.tolist() == ["no", "yes"]
    assert data.data.shape == (24, 3) and np.isnan(data.data[4, 2]) and data.data[3].tolist() == [3.0, 0.0, 1.5]
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
BAD = {
    "no header": ("", "no header with two columns"),
    "one column": ("a\n1\n2", "no header with two columns"),
    "two columns of one name": ("\n".join(["age,age,size,ill", *rows()]), "a name of its own"),
    "a row too short": ("\n".join([HEADER, *rows(), "1,2"]), "Row 26 .* has 2 fields, but the header has 4"),
    "few rows": ("\n".join([HEADER, *rows(5)]), "has 5 rows"),
    "three classes": ("\n".join([HEADER, *rows(), "1,red,2,perhaps"]), "has 3 different values .* Is it the right column"),
    "a label is missing": ("\n".join([HEADER, *rows(), "1,red,2,"]), "1 of 25 rows .* have no ill"),
    "an infinite number": ("\n".join([HEADER, *rows(), "inf,red,2,no"]), "'age' holds an infinite number"),
    "commas for points": ("\n".join(["size;ill", *(f"{i},5;{i % 2}" for i in range(24))]), "such as 0,5. Write"),
    "a word among numbers": ("\n".join([HEADER, *rows(), "n/a,red,2,no"]), "words among them, such as 'n/a'"),
    "names of people": ("\n".join(["name,ill", *(f"p{i}q,{i % 2}" for i in range(40))]), "'name' holds 40 different words"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_gets_clear_words(tmp_path, case):
    text, words = BAD[case]
    with pytest.raises(InvalidInputError, match=words):
        read_dataset(write(tmp_path, text))


def test_grades_that_are_numbers_and_words_stay_words(tmp_path):
    data = read_dataset(
        write(tmp_path, "\n".join(["grade,ill", *(f"{('1', '2', '3a')[i % 3]},{i % 2}" for i in range(24))]))
    )
    assert data.feature_names == ["grade=1", "grade=2", "grade=3a"]


def test_what_is_no_file_no_text_or_no_column(tmp_path):
    with pytest.raises(InvalidInputError, match="There is no file"):
        read_dataset(tmp_path / "nowhere.csv")
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\xff\xfe")
    with pytest.raises(InvalidInputError, match="cannot be read as a text"):
        read_dataset(tmp_path / "picture.csv")
    with pytest.raises(InvalidInputError, match=r"no column 'outcome'\. Its columns are age, colour, size, ill"):
        read_dataset(write(tmp_path, "\n".join([HEADER, *rows()])), label="outcome")
