"""Read a bundled set and make a numeric matrix of it."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp

from mcmteach.datasets.catalogue import CATALOGUE, LICENCE, CatalogueEntry
from mcmteach.datasets.paper_tables import PAPER_TABLES
from mcmteach.errors import InvalidInputError
from mcmteach.validation import whole


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A data set as ``load_dataset`` returns it.

    Attributes
    ----------
    name : the name it was loaded by
    data : float array of shape (n_samples, n_features), NaN where a value is missing (adult-a1a-pool: a CSR array)
    target : int array of shape (n_samples,), 0 … k - 1. Estimators take it as it is; functions that need labels -1 and
        +1 take ``2 * target - 1`` where there are two classes.
    feature_names : list of n_features names; "colour=red" is 1 where the category colour is red
    target_names : array of k names, so that ``target_names[target]`` is the class of each sample
    description, source, licence, citation : text
    """

    name: str
    data: Any
    target: np.ndarray
    feature_names: list[str]
    target_names: np.ndarray
    description: str
    source: str
    licence: str
    citation: str

    def __repr__(self) -> str:
        counts = np.bincount(self.target, minlength=len(self.target_names))
        classes = ", ".join(f"{str(name)!r} {n}" for name, n in zip(self.target_names, counts, strict=True))
        missing = 0 if sp.issparse(self.data) else int(np.isnan(self.data).sum())
        gaps = f", {missing} entries missing" if missing else ""
        return f"<Dataset {self.name}: {self.data.shape[0]} samples x {self.data.shape[1]} features, {classes}{gaps}>"


def list_datasets(table: int | None = None) -> list[str]:
    """The names that ``load_dataset`` knows, or only those that are in P's Table 1 or 4.

    Examples
    --------
    >>> len(list_datasets()), len(list_datasets(table=1)), len(list_datasets(table=4))
    (28, 23, 7)
    """
    if table is None:
        return sorted(CATALOGUE)
    if whole(table, "table", 1) not in (1, 4):
        raise InvalidInputError(f"P describes its data in Table 1 and Table 4; got table={table}.")
    return sorted({row.dataset for row in PAPER_TABLES if row.table == table and row.dataset})


def load_dataset(
    name: str,
    classes: str | Sequence[Any] | None = None,
    encode: str = "one-hot",
    zeros_as_missing: bool = False,
) -> Dataset:
    """A bundled set, as numbers.

    Parameters
    ----------
    name : one of ``list_datasets()``
    classes : None for the two classes that P uses, "all" for every class, or a list of two or more classes (their
        names, or their labels in the file). The order of the list is the order of the targets 0, 1, …
    encode : how categories (columns of words) become numbers. "one-hot": one 0/1 column per value, and a single
        column where there are two values; "ordinal": one column, the number of the value, which has as many columns
        as P counts features. A missing value is NaN in all of its columns.
    zeros_as_missing : NaN for the zeros that stand for a missing value (pima-indians only)

    Returns
    -------
    Dataset

    Examples
    --------
    >>> seeds = load_dataset("seeds")
    >>> seeds
    <Dataset seeds: 140 samples x 7 features, 'Kama' 70, 'Rosa' 70>
    >>> load_dataset("seeds", classes=["Rosa", "Canadian"]).target_names.tolist()
    ['Rosa', 'Canadian']
    >>> seeds.feature_names[0], str(seeds.target_names[seeds.target][0])
    ('area', 'Kama')

    Source: P Tables 1 and 4.
    """
    entry = _entry(name)
    if encode not in ("one-hot", "ordinal"):
        raise InvalidInputError(f'encode must be "one-hot" or "ordinal"; got {encode!r}.')
    chosen = _chosen_classes(name, entry, classes)
    data, feature_names, labels = _read_svm(name, entry) if entry.file_type == "svm" else _read_csv(name, entry, encode)
    if zeros_as_missing:
        _blank_zeros(data, name, entry)
    place = {label: i for i, label in enumerate(chosen)}
    target = np.array([place.get(label, -1) for label in labels])
    data, target, names = data[target >= 0], target[target >= 0], np.array([entry.classes[label] for label in chosen])
    text = _describe(entry, data, feature_names)
    return Dataset(name, data, target, feature_names, names, text, entry.source, LICENCE, entry.citation)


def raw_text(name: str) -> str:
    """The bundled file itself, uncompressed: values as the donors wrote them, features x1 … xn, the label last.

    Examples
    --------
    >>> print(raw_text("haberman")[:29])
    x1,x2,x3,label
    38,59,2,negati
    """
    path = files("mcmteach.datasets") / "data" / f"{name}.{_entry(name).file_type}.gz"
    return gzip.decompress(path.read_bytes()).decode("ascii")


# --- reading ---------------------------------------------------------------------------------------------------------


def _read_csv(name: str, entry: CatalogueEntry, encode: str) -> tuple[np.ndarray, list[str], list[str]]:
    """The matrix, its feature names and the labels of the file."""
    rows = csv.reader(io.StringIO(raw_text(name)))
    next(rows)
    *columns, labels = zip(*rows, strict=True)
    blocks, feature_names = [], []
    for feature, column in zip(entry.features, columns, strict=True):
        block, names = column_as_numbers(feature, column, entry.values, encode)
        blocks += block
        feature_names += names
    # they were read one row per feature; a C-ordered array of samples is what users expect
    return np.ascontiguousarray(np.array(blocks).T), feature_names, list(labels)


def column_as_numbers(
    feature: str, column: Sequence[str], readable: dict[str, str], encode: str
) -> tuple[list[np.ndarray], list[str]]:
    """A column of the file as one numeric column, or as several for a category, with their names."""
    try:
        filled = column if all(column) else [v or "nan" for v in column]
        return [np.array(list(map(float, filled)))], [feature]
    except ValueError:
        pass  # it holds words, not numbers
    found = set(column) - {""}
    values = [v for v in readable if v in found] if readable else sorted(found)
    position = {v: float(i) for i, v in enumerate(values)} | {"": np.nan}
    codes = np.array([position[v] for v in column])
    if encode == "ordinal":
        return [codes], [feature]
    shown = range(len(values)) if len(values) > 2 else [1]
    columns = [np.where(np.isnan(codes), np.nan, codes == i) for i in shown]
    return columns, [f"{feature}={readable.get(values[i], values[i])}" for i in shown]


def _read_svm(name: str, entry: CatalogueEntry) -> tuple[sp.csr_array, list[str], list[str]]:
    """The same of a file in LIBSVM's format whose values are all 1: "-1 3:1 11:1"."""
    rows = [line.replace(":1", "").split() for line in raw_text(name).splitlines()]
    columns = np.array(list(map(int, chain.from_iterable(row[1:] for row in rows))), dtype=np.int32) - 1
    starts = np.cumsum([0] + [len(row) - 1 for row in rows], dtype=np.int32)
    data = sp.csr_array((np.ones(len(columns)), columns, starts), shape=(len(rows), len(entry.features)))
    return data, list(entry.features), [row[0] for row in rows]


def _blank_zeros(data: Any, name: str, entry: CatalogueEntry) -> None:
    if not entry.zeros_are_missing:
        raise InvalidInputError(
            f"zeros_as_missing is for pima-indians: in {name} a zero is a zero. Leave it out, or set it to False."
        )
    for feature in entry.zeros_are_missing:
        column = data[:, entry.features.index(feature)]
        column[column == 0] = np.nan


def _chosen_classes(name: str, entry: CatalogueEntry, classes: str | Sequence[Any] | None) -> list[str]:
    """The chosen labels of the file, in the order of their targets."""
    label_of = {readable: label for label, readable in entry.classes.items()} | {
        label: label for label in entry.classes
    }
    if classes is None:
        return [label_of[readable] for readable in entry.default] or list(entry.classes)
    if isinstance(classes, str):
        if classes == "all":
            return list(entry.classes)
        raise InvalidInputError(f'classes must be "all" or a list such as {_examples(entry)}; got {classes!r}.')
    wanted = [str(c) for c in np.atleast_1d(np.asarray(classes, dtype=object))]
    unknown = [c for c in wanted if c not in label_of]
    if unknown:
        raise InvalidInputError(
            f"{name} has no class {unknown[0]!r}. Its classes are {list(entry.classes.values())} "
            f"(in the file: {list(entry.classes)})."
        )
    labels = [label_of[c] for c in wanted]
    if len(labels) < 2 or len(set(labels)) < len(labels):
        raise InvalidInputError(f"classes must name two or more different classes of {name}; got {wanted}.")
    return labels


# --- words -----------------------------------------------------------------------------------------------------------


def _examples(entry: CatalogueEntry) -> list[str]:
    return list(entry.classes.values())[:2]


def _describe(entry: CatalogueEntry, data: Any, feature_names: list[str]) -> str:
    coded = "" if len(feature_names) == len(entry.features) else f" ({len(entry.features)} features before coding)"
    missing = 0 if sp.issparse(data) else int(np.isnan(data).sum())
    return (
        f"{entry.title}\n\n{data.shape[0]} samples, {data.shape[1]} columns{coded}, {missing} of the entries missing.\n"
        f"{entry.note}\n\nSource: {entry.source}\nCitation: {entry.citation}\nLicence: {LICENCE}\n"
    )


def _entry(name: Any) -> CatalogueEntry:
    if isinstance(name, str) and name in CATALOGUE:
        return CATALOGUE[name]
    raise InvalidInputError(f"There is no data set {name!r}. {_nearest(str(name))} list_datasets() names them all.")


def _nearest(name: str) -> str:
    """The sets with a similar name, or with a similar name in P."""
    name = name.strip().lower().replace("_", "-").replace(" ", "-")
    called: dict[str, str | None] = {key: key for key in CATALOGUE}
    called |= {
        row.name.lower().replace(" ", "-"): row.dataset for row in PAPER_TABLES if row.name.lower() not in called
    }
    alike = get_close_matches(name, called, n=4, cutoff=0.55)
    parts = [key for key in called if len(name) > 2 and name in key]
    if alike and alike[0] == name and called[name] is None:
        return "The paper uses it, but it is not bundled."
    nearest = list(dict.fromkeys(called[key] for key in parts + alike if called[key]))[:4]
    return f"The nearest: {', '.join(map(str, nearest))}." if nearest else f"There are {', '.join(CATALOGUE)}."
