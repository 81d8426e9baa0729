"""Which tasks are done: a small JSON file in the user's own data folder (or in MCMTEACH_HOME).

Tasks are entered by their keys ("kernels.2"), which do not change when lessons are put in another order. Version 1 of the
file named them by number, and in earlier versions some tasks had other keys (``syllabus.MOVED``); such a record is translated
when it is read, and saved in the new form when the next task is done.

It is written to a temporary file that then replaces it, so a crash leaves the old record or the new one, never half of one.
A record that cannot be read is renamed and reported, never overwritten.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

from mcmteach.checks.syllabus import MOVED, key_of_first_edition

VERSION = 4


def folder() -> Path:
    """Where the record is kept: MCMTEACH_HOME if that is set, else where the system keeps a user's data."""
    if chosen := os.environ.get("MCMTEACH_HOME"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "mcmteach"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "mcmteach"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "mcmteach"


def load() -> tuple[dict[str, str], str]:
    """{key of a task: when it was done}, and a message about the file, if there is a problem."""
    try:
        return _read(folder() / "progress.json"), ""
    except FileNotFoundError:
        return {}, ""
    except OSError as problem:
        return {}, f"Your record of done tasks cannot be opened ({problem})."
    except ValueError as problem:  # not JSON, not UTF-8, or not a record
        return {}, put_aside(folder() / "progress.json", str(problem), "Your record of done tasks")


def mark_done(key: str) -> str:
    """Enter a task as done today. Returns a message if that failed, otherwise an empty one."""
    done, note = load()  # read again each time: another notebook may have changed it
    if note and (folder() / "progress.json").exists():
        return note  # it is still there and cannot be read: writing would lose it
    done.setdefault(key, datetime.now().isoformat(timespec="seconds"))
    try:
        write(folder() / "progress.json", {"version": VERSION, "done": done})
    except OSError as problem:
        return f"It could not be entered in your record ({problem}). MCMTEACH_HOME may name another folder for it."
    return note


def _read(path: Path) -> dict[str, str]:
    record = json.loads(path.read_text(encoding="utf-8"))
    done, version = (record.get("done"), record.get("version", 1)) if isinstance(record, dict) else (None, 1)
    if not isinstance(done, dict) or not all(isinstance(when, str) for when in done.values()):
        raise ValueError("it holds something else")
    if version == 1:
        done = {key_of_first_edition(number): when for number, when in done.items()}
    if version not in range(1, VERSION + 1):
        raise ValueError(f"it has the version {version!r}, and this mcmteach reads up to {VERSION}")
    for last, moved in MOVED.items():
        if version <= last:
            done = {moved.get(key, key): when for key, when in done.items()}
    return done


def question_key(kind: str, question: str) -> str:
    """What the record calls a question of a lesson.

    Examples
    --------
    >>> question_key("quiz", "What is 2 + 2?")
    'quiz:38d46ad36188'
    """
    return f"{kind}:{hashlib.sha256(question.encode()).hexdigest()[:12]}"


def write(path: Path, content: Any) -> None:
    """Write JSON beside the file and put it in place in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".json")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1)
            file.flush()
            os.fsync(file.fileno())  # flushed to disk before the name points at it
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def put_aside(path: Path, why: str, what: str) -> str:
    """Rename a file that cannot be read, and return a message about it; ``what`` describes the file."""
    try:
        handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f"{path.stem}-damaged-", suffix=".json")
        os.close(handle)
        os.replace(path, aside)
    except OSError as problem:
        return f"{what} cannot be read ({why}), nor moved aside ({problem})."
    return f"{what} could not be read ({why}). It is kept as {aside}, and a new one begins."
