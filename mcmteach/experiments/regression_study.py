"""The regression MCM beside its rivals, and fuzzy beside equal weights: what ``tools.bench.regression`` stored, summarised.

A record is one training part of a set: a fold of measured data, whose folds share samples (Nadeau and Bengio's correction), or
a fresh sample of a made-up world (Student's interval).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mcmteach.experiments.edge import read_records
from mcmteach.experiments.store import Record
from mcmteach.paper.intervals import Interval, corrected_interval, mean_interval

REGRESSION_RESULTS = Path(__file__).parent / "results" / "regression.jsonl"
FOLDS, SAMPLES = 5, 30  # training parts of a measured set, and of a made-up world
FUZZY_REPEATS = 2  # of the folds of a set with flipped labels


class RivalRow(NamedTuple):
    """A machine on a set: means over the training parts, and intervals of its differences from the MCM."""

    dataset: str
    machine: str
    parts: int
    error: float  #: root mean square over the standard deviation of y: 1 is as good as the mean
    vectors: float  #: support vectors
    samples: float  #: of a training part
    seconds: float  #: median CPU time of one fit
    edges: float  #: share of chosen parameters that lie at an end of their grid
    more_error: Interval  #: its error minus the MCM's
    more_vectors: Interval  #: its support vectors minus the MCM's


class FuzzyRow(NamedTuple):
    """A set with a share of the training labels flipped."""

    dataset: str
    share: float
    equal: float  #: test error with equal weights
    difference: Interval  #: fuzzy minus equal


def read_regression_records(study: str, path: Path = REGRESSION_RESULTS) -> list[Record]:
    """The records of a study, "rivals" or "fuzzy"; none if there is no such file."""
    return [record for record in read_records(path) if record["study"] == study]


def rival_rows(records: list[Record] | None = None) -> list[RivalRow]:
    """A row for each set and machine, in the order of the records; by default the complete sets of the package."""
    rows = []
    for name, group in (_complete("rivals") if records is None else _by_set(records)).items():
        for machine in group[0]["machines"]:
            own, mcm = ([record["machines"][which] for record in group] for which in (machine, "MCM"))
            error, vectors = (_values(own, what) for what in ("error", "vectors"))
            rows.append(RivalRow(
                name, machine, len(group), float(error.mean()), float(vectors.mean()),
                float(np.mean([record["samples"] for record in group])), float(np.median(_values(own, "seconds"))),
                float(_values(own, "edges").mean()),
                _interval(name, error - _values(mcm, "error")), _interval(name, vectors - _values(mcm, "vectors")),
            ))  # fmt: skip
    return rows


def fuzzy_rows(records: list[Record] | None = None) -> list[FuzzyRow]:
    """A row for each set and share of flipped labels, likewise."""
    rows = []
    for name, group in (_complete("fuzzy") if records is None else _by_set(records)).items():
        for share in group[0]["errors"]:
            equal, fuzzy = np.array([record["errors"][share] for record in group]).T
            rows.append(FuzzyRow(name, float(share), float(equal.mean()), _interval(name, fuzzy - equal)))
    return rows


def _by_set(records: Iterable[Record]) -> dict[str, list[Record]]:
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record["set"], []).append(record)
    return groups


def _complete(study: str) -> dict[str, list[Record]]:
    """The sets of the package that have all their parts."""
    folds = FOLDS * (FUZZY_REPEATS if study == "fuzzy" else 1)
    groups = _by_set(read_regression_records(study))
    return {name: group for name, group in groups.items() if len(group) >= (SAMPLES if _is_world(name) else folds)}


def _values(of_machine: list[Record], what: str) -> Any:
    return np.array([each[what] for each in of_machine], dtype=float)


def _interval(name: str, d: Any) -> Interval:
    return mean_interval(d) if _is_world(name) else corrected_interval(d, FOLDS - 1, 1)


def _is_world(name: str) -> bool:
    return name.startswith("world")
