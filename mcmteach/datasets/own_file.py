"""A user's CSV file as a Dataset: numbers stay numbers, words become 0/1 columns, empty fields are missing values."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from mcmteach.datasets.loader import Dataset, column_as_numbers
from mcmteach.errors import InvalidInputError

LEAST_ROWS = 20  #: rows. With fewer, folds of folds have nothing left to hold out
#: Different numbers in a column of words, as in the grades 1, 2, 3a; with more, it is a column of numbers.
MOST_GRADES = 10


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
    target_names, target = np.unique(classes, return_inverse=True)
    if "" in target_names:
        raise InvalidInputError(
            f"{classes.count('')} of {len(classes)} rows of {path} have no {label}. Leave these rows out, or fill them in."
        )
    if len(target_names) != 2:
        shown = ", ".join(map(repr, target_names[:5].tolist()))
        raise InvalidInputError(
            f"The column {label!r} has {len(target_names)} different values ({shown}), but two are needed. "
            "Is it the right column?"
        )
    blocks, names = [], []
    for name, column in columns.items():
        _refuse_unusable(name, column)
        block, block_names = column_as_numbers(name, column, {}, "one-hot")
        blocks += block
        names += block_names
    data = np.ascontiguousarray(np.array(blocks).T)
    said = f"{len(target)} rows of {Path(path).name}, classes by {label}"
    return Dataset(Path(path).stem, data, target, names, target_names, said, str(path), "your own", "")


def _table(path: Path) -> tuple[list[str], list[list[str]]]:
    """The header and the rows, all of one length."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InvalidInputError(f"There is no file {path}. Give the path of a CSV file with a header.") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise InvalidInputError(
            f"{path} cannot be read as a text in UTF-8 ({problem}). Save it as CSV, UTF-8."
        ) from None
    first = text.partition("\n")[0]
    between = max(",;\t", key=first.count)
    rows = [row for row in csv.reader(text.splitlines(), delimiter=between) if any(row)]
    header = [name.strip() for name in rows[0]] if rows else []
    if len(header) < 2:
        raise InvalidInputError(f"{path} has no header with two columns or more. Its first line is {first[:60]!r}.")
    if len(set(header)) < len(header) or "" in header:
        raise InvalidInputError(f"Each column of {path} needs a name of its own; the header is {', '.join(header)}.")
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise InvalidInputError(f"Row {number} of {path} has {len(row)} fields, but the header has {len(header)}.")
    if len(rows) - 1 < LEAST_ROWS:
        raise InvalidInputError(f"{path} has {len(rows) - 1} rows. Nested cross-validation needs {LEAST_ROWS} or more.")
    return header, [[field.strip() for field in row] for row in rows[1:]]


def _refuse_unusable(name: str, column: tuple[str, ...]) -> None:
    """Refuse what would be read as something else than it is, or learnt by heart."""
    words = [value for value in column if value and not _is_number(value)]
    numbers = set(column) - set(words) - {""}
    if any(np.isinf(float(value)) for value in numbers):
        raise InvalidInputError(
            f"The column {name!r} holds an infinite number. Leave the field empty where a value is missing."
        )
    if words and all(_is_number(value.replace(",", ".")) for value in words):
        raise InvalidInputError(
            f"The column {name!r} has numbers with a comma, such as {words[0]}. Write them with a point."
        )
    if words and len(numbers) > MOST_GRADES:
        raise InvalidInputError(
            f"The column {name!r} holds numbers, and words among them, such as {words[0]!r}. "
            "Leave the field empty where a value is missing."
        )
    # Words that hardly ever occur twice name the row: a 0/1 column for each would be learnt by heart.
    if len(words) > len(column) / 2 and len(set(words)) > max(30, len(words) / 2):
        raise InvalidInputError(
            f"The column {name!r} holds {len(set(words))} different words, as a name or a date would. Leave it out of the file."
        )


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
