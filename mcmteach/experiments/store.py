"""Results on disk: one small JSON file per fold, written at once and whole, so that an interrupted run loses nothing."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from mcmteach.errors import InvalidInputError
from mcmteach.experiments.rules import SOLVERS, Protocol

#: The results that come with the package.
STORED = Path(__file__).parent / "results"

#: What reading a broken file may raise (JSONDecodeError and UnicodeDecodeError are ValueErrors).
BROKEN = (ValueError, TypeError, KeyError, AttributeError)


class Store:
    """A folder of results: ``<folder>/<protocol>/<set>.<fold>.json``.

    A file that cannot be read, or that lacks a column, is said, moved aside (``.corrupt``) and computed anew. A file whose
    fingerprint is not that of today's protocol and data is stale: it is left alone until its fold has been computed again,
    and never shown. Which solver is installed today does not matter for what is shown (every fit has its certificate); but a
    run that goes on asks for its own solver's folds, so that nothing is mixed.
    """

    def __init__(self, folder: str | Path = STORED):
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise InvalidInputError(f"{self.folder} is a file, and results need a folder. Choose another --results.")

    def path(self, protocol: Protocol, dataset: str, fold: int) -> Path:
        return self.folder / protocol.name / f"{dataset}.{fold}.json"

    def read(self, protocol: Protocol, dataset: str, fold: int, by: str | None = None) -> dict[str, Any] | None:
        """The stored fold, by any solver or by the one that is named; None if there is none, or a stale or a broken one."""
        path = self.path(protocol, dataset, fold)
        wanted = [protocol.fingerprint(dataset, solver) for solver in ([by] if by else SOLVERS)]
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            if (record["set"], record["fold"], record["protocol"]) != (dataset, fold, protocol.name):
                raise ValueError("it does not hold what its name says")
            fresh = record["fingerprint"] in wanted
            if fresh and "error" not in record:
                _look_through(record["columns"], protocol)
        except FileNotFoundError:
            return None
        except BROKEN as problem:
            move_aside(path, problem)
            return None
        return record if fresh else None

    def write(self, protocol: Protocol, record: dict[str, Any]) -> None:
        path = self.path(protocol, record["set"], record["fold"])
        write_whole(path, json.dumps(record, separators=(",", ":")) + "\n")

    def prepare(self, name: str) -> None:
        """Make the folder for a protocol's results: better now than when the first fold is done and cannot be kept."""
        make_folder(self.folder / name)

    def folds(self, protocol: Protocol, dataset: str) -> list[dict[str, Any]]:
        """The folds of a set that are there, in order."""
        found = [self.read(protocol, dataset, fold) for fold in range(protocol.n_folds)]
        return [record for record in found if record is not None]

    def sets(self, protocol: Protocol) -> list[str]:
        """The sets of which at least one fold is stored (stale ones too)."""
        return sorted({path.name.split(".")[0] for path in (self.folder / protocol.name).glob("*.json")})


def _look_through(columns: dict[str, dict[str, Any]], protocol: Protocol) -> None:
    """Every column of the protocol must be there with the two numbers that the tables show."""
    for column in protocol.columns:
        if column not in columns:
            raise ValueError(f"it lacks the column '{column}'")
        for what in ("accuracy", "n_support"):
            if not isinstance(columns[column].get(what), int | float):
                raise ValueError(f"its column '{column}' lacks the number '{what}'")


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        beside = folder / f"{os.getpid()}.part"
        beside.touch()
        beside.unlink()
    except OSError as problem:
        raise InvalidInputError(
            f"Results cannot be kept in {folder} ({problem.strerror}). Choose a folder that you may write to: --results DIR."
        ) from None


def write_whole(path: Path, text: str) -> None:
    """Beside it first, then into place: a reader sees the old file or the new one, never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(f".{os.getpid()}.part")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)


def move_aside(path: Path, problem: Exception) -> None:
    """Keep what cannot be used under another name, and say so."""
    aside = path.with_suffix(".corrupt")
    try:
        os.replace(path, aside)
        done = f"It was moved aside to {aside.name}, to be computed again."
    except OSError as refusal:  # of a package that belongs to someone else
        done = f"It could not be moved aside ({refusal.strerror}), and does not count."
    missing = f"'{problem.args[0]}' is missing" if isinstance(problem, KeyError) else problem
    print(f"The stored result {path.name} cannot be read ({missing}). {done}", file=sys.stderr)
