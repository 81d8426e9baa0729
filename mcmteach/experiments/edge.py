"""Machines on two microcontrollers, measured by ``make edge``: what was stored, and its summary.

A record is a split of a set, a machine and the exporter that wrote it as C: its test accuracy, and for the first splits flash
bytes, instructions per answer and the share of labels that are Python's, on a Cortex-M0 and a Cortex-M4 (with its
single-precision unit). ``settings`` says how many settings a machine was chosen from (12, where it is not said): records of
different lists are never mixed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mcmteach.paper.intervals import corrected_interval

EDGE_RESULTS = Path(__file__).parent / "results" / "edge.jsonl"
TEST_SHARE = 0.25  # of the samples
FEWEST_SPLITS = 6  # of every set: with fewer, longer lists do not yet replace shorter ones
CORES = ("M0", "M4")


class OnChip(NamedTuple):
    """A program on a core: means over the splits that were run there."""

    flash: float
    instructions: float
    agree: float


class EdgeRow(NamedTuple):
    """A machine by an exporter on a set."""

    dataset: str
    machine: str
    exporter: str
    accuracy: float  #: mean over the splits
    half_width: float  #: of its 95 % interval
    splits: int
    vectors: float  #: nan for machines that have none
    bound: float  #: on the risk, of a certified machine; else nan
    chips: dict[str, OnChip | None]  #: by core; None where the program does not fit
    settings: int  #: that its machine was chosen from


def read_records(path: Path = EDGE_RESULTS) -> list[dict[str, Any]]:
    """The records of a file, none if there is no such file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def settings_of(record: dict[str, Any]) -> int:
    """How many settings its machine was chosen from."""
    return int(record.get("settings", 12))


def of_one_version(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The splits that every set has, with the longest lists that have enough of them; if none has, with the shortest lists."""
    names = {record["set"] for record in records}
    found: list[dict[str, Any]] = []
    for settings in sorted({settings_of(record) for record in records}, reverse=True):
        mine = [record for record in records if settings_of(record) == settings]
        common = set.intersection(*({r["split"] for r in mine if r["set"] == name} for name in names))
        found = [record for record in mine if record["split"] in common]
        if len(common) >= FEWEST_SPLITS:
            break
    return found


def edge_rows(records: list[dict[str, Any]] | None = None) -> list[EdgeRow]:
    """A row for each set, machine and exporter, in the order of the records; those that come with the package by default."""
    records = of_one_version(read_records() if records is None else records)
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for record in records:
        groups.setdefault((record["set"], record["machine"], record["exporter"]), []).append(record)
    order = list(dict.fromkeys(record["set"] for record in records))
    rows = [_row(*key, group) for key, group in groups.items()]
    return sorted(rows, key=lambda row: order.index(row.dataset))


def _row(dataset: str, machine: str, exporter: str, group: list[dict[str, Any]]) -> EdgeRow:
    accuracy = np.array([record["accuracy"] for record in group])
    chips = {}
    for core in CORES:
        ran = [record[core] for record in group if core in record]
        chips[core] = None if None in ran or not ran else OnChip(*(
            float(np.mean([each[what] for each in ran])) for what in OnChip._fields
        ))  # fmt: skip
    return EdgeRow(
        dataset, machine, exporter, float(accuracy.mean()), half_width(accuracy), len(group),
        float(np.mean([record.get("vectors", np.nan) for record in group])),
        float(np.mean([record.get("bound", np.nan) for record in group])),
        chips, settings_of(group[0]),
    )  # fmt: skip


def half_width(accuracy: Any) -> float:
    """Half of the 95 % interval of a mean over repeated splits, which share samples: Nadeau & Bengio's correction.

    Examples
    --------
    >>> round(half_width([0.7, 0.8, 0.75]), 3)
    0.176
    """
    if len(accuracy) < 2:
        return float("inf")
    found = corrected_interval(accuracy, 1 - TEST_SHARE, TEST_SHARE)
    return found.high - found.value


class Duel(NamedTuple):
    """The MCM, as we export it in single precision, against a rival: on how many sets …"""

    sets: int
    more_accurate: int  #: … its mean accuracy is higher
    apart: int  #: … the two intervals do not touch
    fewer_bytes: int  #: … its program is smaller on the Cortex-M4
    bytes_ratio: float  #: the rival's bytes over the MCM's there, median


def duel(rows: list[EdgeRow], machine: str, exporter: str) -> Duel:
    """Compare on all sets."""
    by_set = {(row.machine, row.exporter, row.dataset): row for row in rows}
    sets = list(dict.fromkeys(row.dataset for row in rows))
    pairs = [(by_set["MCM", "ours", name], by_set[machine, exporter, name]) for name in sets]
    ratios = np.array([_m4_bytes(rival) / _m4_bytes(mcm) for mcm, rival in pairs])
    return Duel(
        len(sets),
        sum(mcm.accuracy > rival.accuracy for mcm, rival in pairs),
        sum(abs(mcm.accuracy - rival.accuracy) > mcm.half_width + rival.half_width for mcm, rival in pairs),
        int((ratios > 1).sum()),
        float(np.median(ratios)),
    )


def _m4_bytes(row: EdgeRow) -> float:
    chip = row.chips["M4"]
    return np.inf if chip is None else chip.flash


class Choices(NamedTuple):
    """How a machine was tuned, over the splits for which that was stored."""

    splits: int
    at_edge: float  #: share of the chosen parameters that lie at an end of their grid
    unfinished: float  #: share of the chosen machines whose training stopped at its limit of iterations


def choices(records: list[dict[str, Any]] | None = None) -> dict[str, Choices]:
    """How each machine was tuned, in the order of the records."""
    found: dict[str, dict[tuple[str, int], dict[str, Any]]] = {}
    for record in of_one_version(read_records() if records is None else records):
        if "edges" in record:
            found.setdefault(record["machine"], {})[record["set"], record["split"]] = record
    return {
        machine: Choices(
            len(of_split),
            float(np.mean([record["edges"] for record in of_split.values()])),
            float(np.mean([record.get("unfinished", 0) for record in of_split.values()])),
        )
        for machine, of_split in found.items()
    }
