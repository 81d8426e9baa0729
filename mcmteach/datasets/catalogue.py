"""The bundled sets. ``catalogue.toml``, beside this file, says what each is: names, size, source, citation, and pitfalls."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

UCI = "UCI Machine Learning Repository (Dua & Graff 2019, https://archive.ics.uci.edu)"
LICENCE = "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"


@dataclass(frozen=True)
class CatalogueEntry:
    """One bundled set.

    ``classes`` maps the label in the file to a readable name, in the order of the targets 0, 1, …; ``default`` names
    the classes that are loaded unless others are asked for (all of them where it is empty). ``shape`` is
    (samples, features) of that default, with a category counted as one feature. ``values`` maps a category's code
    in the file to a readable value, in the order of the columns.
    """

    title: str
    shape: tuple[int, int]
    features: tuple[str, ...]
    classes: dict[str, str]
    note: str
    citation: str
    sha256: str
    default: tuple[str, ...] = ()
    values: dict[str, str] = field(default_factory=dict)
    zeros_are_missing: tuple[str, ...] = ()
    file_type: str = "csv"
    source: str = UCI


def _entry(table: dict[str, Any]) -> CatalogueEntry:
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    return CatalogueEntry(**fields)


_TABLES = tomllib.loads(files("mcmteach.datasets").joinpath("catalogue.toml").read_text(encoding="utf-8"))
CATALOGUE: dict[str, CatalogueEntry] = {name: _entry(table) for name, table in _TABLES.items()}
