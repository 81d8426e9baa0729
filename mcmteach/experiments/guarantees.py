"""How tight the guarantees are: stored bounds on the bundled sets, and how often a bound failed where the risk is known.

``python -m tools.bench.guarantee`` computes the results; docs/GUARANTEE.md and the claims page are written from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mcmteach.experiments.edge import read_records
from mcmteach.experiments.store import STORED
from mcmteach.paper.intervals import Interval

SETS, WORLDS = STORED / "guarantee-sets.jsonl", STORED / "guarantee-worlds.jsonl"
TITLE = "Bound of the certified MCM minus that of the best constant machine"
LOW = 0.3  #: a bound below this says something about a task with two classes of about the same size

GuaranteeRow = dict[str, Any]


class Bounds(NamedTuple):
    """One data set: its rows, one for each split."""

    name: str
    rows: list[GuaranteeRow]

    def of(self, column: str, part: str = "bound") -> Interval:
        """Median and range over the splits: of a machine's bound (or another ``part``), or of a column with one number."""
        values = [row[column][part] if isinstance(row[column], dict) else row[column] for row in self.rows]
        return Interval(float(np.median(values)), min(values), max(values))

    def wins(self) -> bool:
        """Whether the certified MCM has a smaller bound than the best constant machine in every split."""
        return all(row["MCM"]["bound"] < row["constant"] for row in self.rows)

    def low(self) -> bool:
        """Whether it wins, and its bound is below LOW in every split."""
        return self.wins() and self.of("MCM").high < LOW


class Failures(NamedTuple):
    """How often a bound lay below the true risk."""

    world: str
    delta: float
    repetitions: int
    failed: int
    least_room: float  #: the smallest difference between bound and risk

    @property
    def share(self) -> float:
        return self.failed / self.repetitions


def bounds() -> list[Bounds]:
    """The stored sets, in the order of their names, with those splits that every set has."""
    rows = {(row["set"], row["seed"]): row for row in read_records(SETS)}
    names = sorted({name for name, _ in rows})
    seeds = [seed for seed in sorted({seed for _, seed in rows}) if all((name, seed) in rows for name in names)]
    return [Bounds(name, [rows[name, seed] for seed in seeds]) for name in names]


def failures() -> Iterator[Failures]:
    """The stored shares, in the order in which worlds and deltas were first run."""
    rows = read_records(WORLDS)
    for world, delta in sorted(
        {(row["world"], row["delta"]) for row in rows}, key=[(row["world"], row["delta"]) for row in rows].index
    ):
        mine = [row for row in rows if (row["world"], row["delta"]) == (world, delta)]
        failed, repetitions = sum(row["failed"] for row in mine), sum(row["of"] for row in mine)
        yield Failures(world, delta, repetitions, failed, min(row["least room"] for row in mine))


def bound_differences(sets: list[Bounds]) -> dict[str, Interval]:
    """For each set how far the bound lies above (or below) that of the best constant machine: median and range."""
    values = {one.name: [row["MCM"]["bound"] - row["constant"] for row in one.rows] for one in sets}
    return {name: Interval(float(np.median(some)), min(some), max(some)) for name, some in values.items()}


def medians(sets: list[Bounds]) -> list[GuaranteeRow]:
    """What a figure shows of each set: bound, test error, and the bounds of a constant machine and of a test set."""
    return [
        {"set": one.name, "bound": one.of("MCM").value, "test error": one.of("MCM", "test error").value}
        | {name: one.of(name).value for name in ("constant", "test set")}
        for one in sets
    ]


def section(place: str) -> str:
    """The section of the claims page; ``place`` is where its figure is."""
    sets = bounds()
    won, low = [one.name for one in sets if one.wins()], [one.name for one in sets if one.low()]
    tested = sum(one.of("test set").value < one.of("MCM").value for one in sets if one.wins())
    vacuous = {name: sum(one.of(name).value >= 1 for one in sets) for name in ("VC", "margin")}
    held = sum(row["MCM"]["test error"] <= row["MCM"]["bound"] for one in sets for row in one.rows)
    least = ", ".join(f"{max(group):.3f} at delta {delta:g}" for delta, group in _shares_by_delta().items())
    said = (
        "N and P promise generalisation from a small h. What is small about an MCM and does prove something is the number of "
        "its samples: a machine that is rebuilt from a few of them and a short message has the sample-compression bound "
        f"(delta = 0.05). `CertifiedMCM` has a smaller bound than the best constant machine on **{len(won)} of {len(sets)}** "
        f"sets, and one below {LOW:g} on **{len(low)}** of these (in every split; there are {len(sets[0].rows)}). The test "
        f"error lies below the bound in {held} of {sum(len(one.rows) for one in sets)} splits. On the same samples the VC "
        f"bound of planes is vacuous on {vacuous['VC']} sets and the margin bound on {vacuous['margin']}; half of them kept "
        f"for testing prove more on {tested} of the {len(won)}. h does not enter, and the LP-SVM gets much the same. All "
        f"columns are in [what the guarantees are worth](GUARANTEE.md). In worlds whose true risk is known a share of at most "
        f"delta of the bounds may fail; the largest share of {len(list(failures()))} trials: {least}."
    )
    return "\n\n".join(["## What does prove something", said, f"![{TITLE}]({place})"])


def _shares_by_delta() -> dict[float, list[float]]:
    shares: dict[float, list[float]] = {}
    for f in failures():
        shares.setdefault(f.delta, []).append(f.share)
    return shares
