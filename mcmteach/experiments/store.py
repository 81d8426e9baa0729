"""Results on disk: one small JSON file per fold, written at once and whole, so that an interrupted run loses nothing."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from mcmteach.errors import InvalidInputError
from mcmteach.experiments.rules import Protocol

#: The results that come with the package.
STORED = Path(__file__).parent / "results"


class Store:
    """A folder of results: ``<folder>/<protocol>/<set>.<fold>.json``.

    A file that cannot be read is said, moved aside (``.corrupt``) and computed anew. A file whose fingerprint is not that of
    today's protocol and data is stale: it is left alone until its fold has been computed again, and never shown.
    """

    def __init__(self, folder: str | Path = STORED):
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise InvalidInputError(f"{self.folder} is a file, and results need a folder. Choose another --results.")

    def path(self, protocol: Protocol, dataset: str, fold: int) -> Path:
        return self.folder / protocol.name / f"{dataset}.{fold}.json"

    def read(self, protocol: Protocol, dataset: str, fold: int) -> dict[str, Any] | None:
        """The stored fold, or None if there is none, or a stale or a broken one."""
        path = self.path(protocol, dataset, fold)
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            fresh = record["fingerprint"] == protocol.fingerprint(dataset)
            named = (record["set"], record["fold"], record["protocol"]) == (dataset, fold, protocol.name)
            if not named or not ({"columns", "error"} & set(record)):
                raise ValueError("it does not hold what its name says")
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError) as problem:  # JSONDecodeError and UnicodeDecodeError are ValueErrors
            _move_aside(path, problem)
            return None
        return record if fresh else None

    def write(self, protocol: Protocol, record: dict[str, Any]) -> None:
        """Beside it first, then into place: a reader sees the old file or the new one, never half of one."""
        path = self.path(protocol, record["set"], record["fold"])
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(f".{os.getpid()}.part")
        beside.write_text(json.dumps(record, separators=(",", ":")) + "\n", encoding="utf-8")
        os.replace(beside, path)

    def folds(self, protocol: Protocol, dataset: str) -> list[dict[str, Any]]:
        """The folds of a set that are there, in order."""
        found = [self.read(protocol, dataset, fold) for fold in range(protocol.n_folds)]
        return [record for record in found if record is not None]

    def sets(self, protocol: Protocol) -> list[str]:
        """The sets of which at least one fold is stored (stale ones too)."""
        return sorted({path.name.split(".")[0] for path in (self.folder / protocol.name).glob("*.json")})


def _move_aside(path: Path, problem: Exception) -> None:
    aside = path.with_suffix(".corrupt")
    os.replace(path, aside)
    print(
        f"The stored result {path.name} cannot be read ({problem}). It was moved aside to {aside.name}; "
        "its fold will be computed again.",
        file=sys.stderr,
    )
