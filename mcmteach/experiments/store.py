"""Results on disk: a run writes one small file per fold, at once and whole; a finished run is packed into one file of lines."""

from __future__ import annotations

import json
import math
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mcmteach.errors import InvalidInputError, MCMError
from mcmteach.experiments.rules import SOLVERS, Plan
from mcmteach.validation import printable

#: The results that come with the package.
STORED = Path(__file__).parent / "results"

#: What reading a broken file may raise (JSONDecodeError and UnicodeDecodeError are ValueErrors). A folder of results may come
#: from anybody, so nested brackets and numbers too large for a float are among it.
BROKEN = (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError)
LARGEST_RESULT = 64 << 20  # bytes: a larger file is no result of ours

Record = dict[str, Any]


class NotKeptError(MCMError, OSError):
    """A result was computed but cannot be written: the disk is full, or the folder is not writable."""


class Store:
    """A folder of results: ``<protocol>/<set>.<fold>.json`` as a run writes them, ``<protocol>.jsonl`` when they are packed.

    Where a fold has both, its own file counts. A file or a line that cannot be read, or that lacks a column, is reported and
    computed again; the file is moved aside (``.corrupt``). One whose fingerprint is not that of today's protocol and data is
    stale: it is left alone until its fold has been computed again, and never shown. Which solver is installed today does not
    matter for what is shown (every fit has its certificate); but a run that goes on asks for its own solver's folds, so that
    nothing is mixed.
    """

    def __init__(self, folder: str | Path = STORED):
        self.folder = Path(folder)
        self._packed: dict[str, dict[tuple[str, int], Record]] = {}  # by protocol; read when first asked for
        if self.folder.exists() and not self.folder.is_dir():
            raise InvalidInputError(f"{self.folder} is a file, but results need a folder. Choose another --results.")

    def path(self, protocol: Plan, dataset: str, fold: int) -> Path:
        return self.folder / protocol.name / f"{dataset}.{fold}.json"

    def packed_path(self, protocol: Plan) -> Path:
        return self.folder / f"{protocol.name}.jsonl"

    def read(self, protocol: Plan, dataset: str, fold: int, by: str | None = None) -> Record | None:
        """The stored fold, by any solver or by the one that is named; None if there is none, or a stale or a broken one."""
        return self._read_file(protocol, dataset, fold, by) or self._read_line(protocol, dataset, fold, by)

    def _read_file(self, protocol: Plan, dataset: str, fold: int, by: str | None = None) -> Record | None:
        path = self.path(protocol, dataset, fold)
        try:
            return _fresh(json.loads(read_plain(path)), protocol, dataset, fold, by)
        except FileNotFoundError:
            return None
        except BROKEN as problem:
            move_aside(path, problem)
            return None

    def _read_line(self, protocol: Plan, dataset: str, fold: int, by: str | None) -> Record | None:
        lines = self._lines(protocol)
        try:
            return _fresh(lines[dataset, fold], protocol, dataset, fold, by) if (dataset, fold) in lines else None
        except BROKEN as problem:
            del lines[dataset, fold]
            _report_line(self.packed_path(protocol), f"of {dataset}, fold {fold},", problem)
            return None

    def _lines(self, protocol: Plan) -> dict[tuple[str, int], Record]:
        if protocol.name not in self._packed:
            self._packed[protocol.name] = _read_packed(self.packed_path(protocol))
        return self._packed[protocol.name]

    def write(self, protocol: Plan, record: Record) -> None:
        write_whole(self.path(protocol, record["set"], record["fold"]), _line(record))

    def pack(self, protocol: Plan) -> int:
        """Move the protocol's files per fold into its one file, sorted by set and fold; stale ones stay. How many moved."""
        keys = [path.stem.rsplit(".", 1) for path in (self.folder / protocol.name).glob("*.[0-9]*.json")]
        found = {(name, int(fold)): self._read_file(protocol, name, int(fold)) for name, fold in keys}
        moved = {key: record for key, record in found.items() if record is not None}
        if moved:
            self._packed[protocol.name] = self._lines(protocol) | moved
            lines = self._packed[protocol.name]
            write_lines(self.packed_path(protocol), (lines[key] for key in sorted(lines)))
            for key in moved:
                self.path(protocol, *key).unlink()
            if not any((self.folder / protocol.name).iterdir()):
                (self.folder / protocol.name).rmdir()
        return len(moved)

    def prepare(self, name: str) -> None:
        """Make the folder for a protocol's results now, so that a failure is not found only when the first fold is done."""
        make_folder(self.folder / name)

    def folds(self, protocol: Plan, dataset: str) -> list[Record]:
        """The folds of a set that are there, in order."""
        found = [self.read(protocol, dataset, fold) for fold in range(protocol.repeats * protocol.n_folds)]
        return [record for record in found if record is not None]

    def sets(self, protocol: Plan) -> list[str]:
        """The sets of which at least one fold is stored (stale ones too)."""
        files = {path.name.split(".")[0] for path in (self.folder / protocol.name).glob("*.json")}
        return sorted(files | {name for name, _ in self._lines(protocol)})


def _fresh(record: Record, protocol: Plan, dataset: str, fold: int, by: str | None) -> Record | None:
    """The record, or None if other rules made it. An invalid record raises."""
    if (record["set"], record["fold"], record["protocol"]) != (dataset, fold, protocol.name):
        raise ValueError("it does not hold what its name says")
    if record["fingerprint"] not in [protocol.fingerprint(dataset, solver) for solver in ([by] if by else SOLVERS)]:
        return None
    for column in protocol.columns if "error" not in record else ():
        if column not in record["columns"]:
            raise ValueError(f"it lacks the column '{column}'")
        for what in ("accuracy", "n_support"):
            number = record["columns"][column].get(what)
            if not isinstance(number, int | float) or not math.isfinite(number):
                raise ValueError(f"its column '{column}' lacks the number '{what}'")
    return record


def _read_packed(path: Path) -> dict[tuple[str, int], Record]:
    """The lines of a packed file by set and fold; none where there is no file."""
    lines = {}
    for number, text in enumerate(read_plain(path).splitlines() if path.exists() else (), 1):
        try:
            record = json.loads(text)
            lines[record["set"], record["fold"]] = record
        except BROKEN as problem:
            _report_line(path, str(number), problem)
    return lines


def _report_line(path: Path, which: str, problem: Exception) -> None:
    _say(f"Line {which} in {path.name} cannot be read ({_in_words(problem)}), and does not count.")


# --- files -----------------------------------------------------------------------------------------------------------


def read_lines(path: Path) -> list[Record]:
    """The records of a file with one in each line."""
    return [json.loads(line) for line in read_plain(path).splitlines()]


def read_plain(path: Path) -> bytes:
    """The content of a plain file. Anything else (reading a pipe would block), or a file too large, raises ValueError."""
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise ValueError("it is no plain file")
        if about.st_size > LARGEST_RESULT:
            raise ValueError(f"it has more than {LARGEST_RESULT >> 20} MB")
        return file.read()


def write_lines(path: Path, records: Iterable[Record]) -> None:
    write_whole(path, "".join(map(_line, records)))


def _line(record: Record) -> str:
    return json.dumps(record, separators=(",", ":")) + "\n"


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
    """Write a temporary file, then move it into place: a reader sees the old file or the new one, never half of one."""
    beside = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)
    except OSError as problem:
        raise NotKeptError(
            f"{path} cannot be written ({problem.strerror}). What was stored before is still there. Make room, or say "
            "--results DIR for another folder; the same command goes on from there."
        ) from None
    finally:
        beside.unlink(missing_ok=True)


def move_aside(path: Path, problem: Exception) -> None:
    """Rename a file that cannot be used, and report it."""
    aside = path.with_suffix(".corrupt")
    try:
        os.replace(path, aside)
        done = f"It was moved aside to {aside.name}, to be computed again."
    except OSError as refusal:  # of a package that belongs to someone else
        done = f"It could not be moved aside ({refusal.strerror}), and does not count."
    _say(f"The stored result {path.name} cannot be read ({_in_words(problem)}). {done}")


def _say(text: str) -> None:
    """Print to the terminal without control characters: names and messages may come from an untrusted file."""
    print(printable(text), file=sys.stderr)


def _in_words(problem: Exception) -> object:
    return f"'{problem.args[0]}' is missing" if isinstance(problem, KeyError) else problem
