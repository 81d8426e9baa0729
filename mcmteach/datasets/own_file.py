"""A user's CSV file as a Dataset: numbers stay numbers, words become 0/1 columns, empty fields are missing values."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from mcmteach.datasets.loader import Dataset, column_as_numbers
from mcmteach.errors import InvalidInputError

LEAST_ROWS = 20  #: rows. With fewer, folds of folds have nothing left to hold out
#: Different numbers in a column of words, as in the grades 1, 2, 3a; with more, it is a column of numbers.
MOST_GRADES = 10
LARGEST_NUMBER = 1e100  #: beyond it, squares summed over the rows leave the range of floating-point numbers
DIGITS = 15  #: that a floating-point number keeps of a whole number
#: A number with a unit, a decimal comma, something between its thousands, or a minus sign from a text.
NOT_PLAIN = re.compile(r"[-+−–]?\s*[€$£]?\s*\d[\d.,'’\s]*[%€$£]?")
DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(\D.*)?")


def read_dataset(path: str | Path, label: str | None = None) -> Dataset:
    """Read a CSV file with a header and two classes.

    Parameters
    ----------
    path : the file, in UTF-8, with a comma, a semicolon or a tab between fields; an empty field is a missing value
    label : the name of the column that holds the class; the last column where it is left out

    Examples
    --------
    >>> read_dataset("no-such-file.csv")
    Traceback (most recent call last):
    ...
    mcmteach.errors.InvalidInputError: There is no file no-such-file.csv. Give the path of a CSV file with a header.
    """
    header, rows = _table(Path(path))
    label = header[-1] if label is None else label
    if label not in header:
        raise InvalidInputError(f"{path} has no column {label!r}. Its columns are {', '.join(header)}.")
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    classes = columns.pop(label)
    if label in classes:
        raise InvalidInputError(
            f"The first line of {path} looks like a row of data: {label!r} stands in other rows, too. "
            "Write a line with the names of the columns above it."
        )
    target_names, target = np.unique(classes, return_inverse=True)
    if "" in target_names:
        raise InvalidInputError(
            f"{classes.count('')} of {len(classes)} rows of {path} have no {label}. Leave these rows out, or fill them in."
        )
    if len(target_names) == 1:
        raise InvalidInputError(
            f"Every row of {path} has the same {label}, {target_names[0].item()!r}: there is nothing to tell apart. "
            "Add rows of the other class, or name another column as the label."
        )
    if len(target_names) != 2:
        shown = ", ".join(map(repr, target_names[:5].tolist()))
        raise InvalidInputError(
            f"The column {label!r} has {len(target_names)} different values ({shown}), but two are needed. "
            "Is it the right column?"
        )
    _refuse_constant(columns)
    blocks, names = [], []
    for name, column in columns.items():
        _refuse_unusable(name, column)
        block, block_names = column_as_numbers(name, column, {}, "one-hot")
        blocks += block
        names += block_names
    data = np.ascontiguousarray(np.array(blocks).T)
    said = f"{len(target)} rows of {Path(path).name}, classes by {label}"
    return Dataset(Path(path).stem, data, target, names, target_names, said, str(path), "your own", "")


def _text_of(path: Path) -> str:
    if not path.is_file():
        raise InvalidInputError(f"There is no file {path}. Give the path of a CSV file with a header.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise InvalidInputError(
            f"{path} cannot be read as a text in UTF-8 ({problem}). Save it as CSV, UTF-8."
        ) from None
    if "\0" in text:
        raise InvalidInputError(
            f"{path} is no text in UTF-8: it holds zero bytes. If it is a workbook, save it as CSV, UTF-8."
        )
    return text


def _table(path: Path) -> tuple[list[str], list[list[str]]]:
    """The header and the rows, all of one length."""
    text = _text_of(path)
    first = next((line for line in text.splitlines() if line.strip()), "")
    if not first:
        raise InvalidInputError(f"{path} is empty. Its first line should name the columns, the others hold a row each.")
    between = max(",;\t", key=first.count)
    (_, _, header), *rows = _fields(text, between, path)
    if len(header) < 2:
        raise InvalidInputError(
            f"{path} has no header with two columns or more, with a comma, a semicolon or a tab between them. "
            f"Its first line is {first[:60]!r}."
        )
    if len(set(header)) < len(header) or "" in header:
        raise InvalidInputError(f"Each column of {path} needs a name of its own; the header is {', '.join(header)}.")
    for begin, end, row in rows:
        if len(row) != len(header):
            said = f"Line {begin} of {path} has {_count(len(row), 'field')}, but the header has {len(header)}."
            if end > begin:
                said += f" It runs on to line {end}: is a quotation mark left open?"
            elif between == "," and len(row) > len(header):
                said += " If its numbers have a decimal comma, write them with a point."
            raise InvalidInputError(said)
    if len(rows) < LEAST_ROWS:
        raise InvalidInputError(
            f"{path} has {_count(len(rows), 'row')} below its header. Nested cross-validation needs {LEAST_ROWS} or more."
        )
    return header, [row for _, _, row in rows]


def _fields(text: str, between: str, path: Path) -> list[tuple[int, int, list[str]]]:
    """Each row with the numbers of its first and its last line; empty rows are left out."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=between)
    found, begin = [], 1
    try:
        for row in reader:
            fields = [field.strip() for field in row]
            if any(fields):
                found.append((begin, reader.line_num, fields))
            begin = reader.line_num + 1
    except csv.Error as problem:
        raise InvalidInputError(
            f"Line {begin} of {path} cannot be split into fields ({problem}). Is a quotation mark left open?"
        ) from None
    return found


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _refuse_constant(columns: Mapping[str, Sequence[str]]) -> None:
    constant = [name for name, column in columns.items() if len(set(column) - {""}) < 2]
    if constant:
        shown = ", ".join(map(repr, constant[:5])) + ", …" * (len(constant) > 5)
        raise InvalidInputError(
            f"No two values differ in the column{'s' * (len(constant) > 1)} {shown}: nothing can be learnt there. Leave out of "
            "the file what is empty or the same in every row; where an empty field means something, write a word."
        )


def _refuse_unusable(name: str, column: tuple[str, ...]) -> None:
    """Refuse what would be read as something else than it is, or learnt by heart."""
    words = [value for value in column if value and not _is_number(value)]
    numbers = set(column) - set(words) - {""}
    fault = _fault_of_numbers(numbers) or _fault_of_words(words, len(column), len(numbers))
    if not words and "" not in column and set(np.diff(np.array(column, float))) == {1.0}:
        fault = fault or "counts the rows. Leave it out of the file: where a row stands must not tell its class."
    if fault:
        raise InvalidInputError(f"The column {name!r} {fault}")


def _fault_of_numbers(numbers: set[str]) -> str:
    largest = max((size for size in map(abs, map(float, numbers)) if not np.isnan(size)), default=0.0)
    if largest == np.inf:
        return "holds an infinite number. Leave the field empty where a value is missing."
    if largest > LARGEST_NUMBER:
        return f"holds numbers as large as {largest:.0e}. Write it in a larger unit, or take logarithms."
    if long := [value for value in numbers if value.isdecimal() and len(value) > DIGITS]:
        return (
            f"holds whole numbers of more than {DIGITS} digits, such as {min(long)}, as identity numbers are. "
            "Leave it out of the file."
        )
    return ""


def _fault_of_words(words: list[str], rows: int, different_numbers: int) -> str:
    if not words:
        return ""
    if all(map(DATE.fullmatch, words)):
        return f"holds dates, such as {words[0]}. Leave it out of the file, or write a number (days, years)."
    if all(map(NOT_PLAIN.fullmatch, words)):
        return (
            f"has numbers such as {words[0]}. Write them with a point before the decimals, nothing between thousands, a "
            "plain minus sign and no unit: -1234.5."
        )
    if different_numbers > MOST_GRADES:
        return f"holds numbers, and words among them, such as {words[0]!r}. Leave the field empty where a value is missing."
    # Words that hardly ever occur twice name the row: a 0/1 column for each would be learnt by heart.
    if len(words) > rows / 2 and len(set(words)) > max(30, len(words) / 2):
        return f"holds {len(set(words))} different words, as a name would. Leave it out of the file."
    return ""


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
