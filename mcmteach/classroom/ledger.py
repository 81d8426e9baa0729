"""What is graded already, in a file beside the table: a line for every submission, so that nothing is done twice."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import mcmteach
from mcmteach.classroom.course import OWN_TASKS
from mcmteach.classroom.submissions import Entry


def fingerprint(entry: Entry, *decided: object) -> str:
    """What a mark depends on: if any of it changes, the submission is graded again."""
    parts = [mcmteach.__version__.encode(), repr(decided).encode()]
    paths = [entry.path, entry.source, entry.source.with_name(OWN_TASKS) if entry.source else None]
    parts += [path.read_bytes() for path in paths if path is not None and path.is_file()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


class Ledger:
    """{fingerprint: result}, written as it grows."""

    def __init__(self, table: Path):
        self.path = table.with_suffix(".json")
        self.known: dict[str, dict[str, Any]] = {}
        if self.path.exists():
            lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
            pairs = [_pair(line) for line in lines]
            self.known = dict(filter(None, pairs))
            if None in pairs:
                self._keep_aside()

    def _keep_aside(self) -> None:
        aside = self.path.with_suffix(".damaged.json")
        os.replace(self.path, aside)
        for key, result in self.known.items():
            self.add(key, result)
        print(f"Part of {self.path} could not be read, and is graded again. It is kept as {aside}.", file=sys.stderr)

    def add(self, key: str, result: dict[str, Any]) -> None:
        self.known[key] = result
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([key, result]) + "\n")


def _pair(line: str) -> tuple[str, dict[str, Any]] | None:
    """The submission and its result, as a line of the ledger has them; None if the line is damaged."""
    try:
        key, result = json.loads(line)
        return (key, result) if isinstance(key, str) and isinstance(result, dict) else None
    except (ValueError, TypeError):
        return None
