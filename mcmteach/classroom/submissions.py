"""The submissions: every file and folder of a download, under the name of its student, with nothing left out.

Names are read as Moodle, Canvas, nbgrader and people write them. A zip archive counts as a folder. Nothing is opened that is
not an ordinary file, and nothing of an archive is unpacked under a name of its own.
"""

from __future__ import annotations

import csv
import json
import os
import re
import stat
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

from mcmteach.classroom.sandbox import LARGEST, MB
from mcmteach.errors import InvalidInputError

LARGEST_ARCHIVE = 40 * LARGEST
MOST_MEMBERS = 2000  # of an archive
# what zipfile raises for an archive that is damaged, encrypted, or packed in a way that it cannot read; and what we refuse
DAMAGED = (InvalidInputError, OSError, zipfile.BadZipFile, zlib.error, ValueError, RuntimeError, NotImplementedError)
DEEPEST_ARCHIVE = 2  # a class's archive may hold the students' archives
NOT_A_FILE = "It is not a file."
TOO_LARGE = f"The file is larger than {LARGEST // MB} MB. Clear its outputs and hand it in again."

# Ada Lovelace_1234567_assignsubmission_file_/01_….ipynb, or without the slash
MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_[a-z]+_?(?P<rest>.*)", re.DOTALL)
# lovelaceada_LATE_1234_567890_01_…-2.ipynb: user, late, the user's id, the upload's id, the file, and which upload of that name
CANVAS = re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<id>\d+)_(?P<upload>\d+)_(?P<rest>.+)", re.DOTALL)
NOTEBOOK = re.compile(r"\.ipynb(\.txt|\.json)?$", re.IGNORECASE)
AGAIN = re.compile(r"[-_ ]?\((\d+)\)$|-(\d{1,2})$")  # "… (1)" by a browser, "…-1" by Canvas
COPY = re.compile(r"[-_ ]+copy[-_ ]?\d*$", re.IGNORECASE)  # "…-Copy1" by JupyterLab
SAVED_COPIES = ".ipynb_checkpoints"
CLUTTER = re.compile(r"__MACOSX|\.DS_Store|Thumbs\.db|desktop\.ini|\._.*|\.git.*", re.IGNORECASE)


@dataclass(frozen=True)
class Entry:
    """One submission, handed in or missing."""

    student: str
    place: str  #: where it is, in words for the teacher
    path: Path | None = None  #: an ordinary file to read; None if there is nothing to grade
    source: Path | None = None  #: the exercise that it answers; None if that cannot be told
    id: str = ""  #: the platform's number of the student
    problem: str = ""  #: why it is not graded
    notes: tuple[str, ...] = ()
    order: tuple[float, ...] = ()  #: larger is newer, among those of one student and exercise

    @property
    def exercise(self) -> str:
        return self.source.stem if self.source else "?"


@dataclass(frozen=True)
class Found:
    """A file, wherever it lies: the names that lead to it, and its content in an ordinary file."""

    parts: tuple[str, ...]
    path: Path | None
    time: float = 0.0
    problem: str = ""
    folder: bool = False  #: a folder with nothing in it


# --- looking through folders and archives ----------------------------------------------------------------------------


def find_submissions(folder: Path, sources: list[Path], unpacked: Path, own: Iterable[Path] = ()) -> list[Entry]:
    """Everything below ``folder`` (or in that archive), by student. ``unpacked`` is an empty folder for what archives hold.

    ``own`` are files that earlier runs have written: nobody handed them in.
    """
    if folder.is_file() and zipfile.is_zipfile(folder):
        found = list(_in_archive(folder, (), unpacked, 1))
    elif folder.is_dir():
        ours = {path.resolve() for path in own}
        found = [f for f in _in_folder(folder, (), unpacked) if f.path is None or f.path.resolve() not in ours]
    else:
        raise InvalidInputError(f"There is no folder {folder}. Give the one that holds the submissions.")
    found = [f for f in found if not any(CLUTTER.fullmatch(part) for part in f.parts)]
    if not found:
        raise InvalidInputError(f"There is nothing to grade in {folder}.")
    wrapper = _wrapper(found, sources)
    entries = [_entry(f, sources, wrapper) for f in found]
    return sorted(_newest_first_of_each(_without_companions(entries)), key=lambda e: (e.student, e.exercise, e.place))


def _in_folder(folder: Path, parts: tuple[str, ...], unpacked: Path) -> Iterator[Found]:
    try:
        inside = sorted(os.scandir(folder), key=lambda item: item.name)
    except OSError as problem:
        yield Found(parts, None, problem=f"The folder cannot be read ({problem.strerror}).")
        return
    if not inside and parts:
        yield Found(parts, None, problem="The folder is empty.", folder=True)
    for item in inside:
        place, about = (*parts, _readable_name(item.name)), item.stat(follow_symlinks=False)
        if stat.S_ISDIR(about.st_mode):
            yield from _in_folder(Path(item.path), place, unpacked)
        elif not stat.S_ISREG(about.st_mode):  # a link, a pipe, a device: opening it could hang, or read another's file
            yield Found(place, None, about.st_mtime, NOT_A_FILE)
        elif item.name.lower().endswith(".zip"):
            yield from _in_archive(Path(item.path), (*parts, _readable_name(item.name)[:-4]), unpacked, 1)
        elif about.st_size > LARGEST:
            yield Found(place, None, about.st_mtime, TOO_LARGE)
        else:
            yield Found(place, Path(item.path), about.st_mtime)


def _in_archive(path: Path, parts: tuple[str, ...], unpacked: Path, depth: int) -> Iterator[Found]:
    """The files of an archive. Of each, as much is read as a notebook may have, whatever the archive says about it."""
    try:
        if path.stat().st_size > LARGEST_ARCHIVE:
            raise InvalidInputError(f"it is larger than {LARGEST_ARCHIVE // MB} MB")
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > MOST_MEMBERS:
                raise InvalidInputError(f"it holds more than {MOST_MEMBERS} files")
            if not members:
                raise InvalidInputError("it is empty")
            for member in members:
                yield from _member(archive, member, parts, unpacked, depth)
    except DAMAGED as why:
        yield Found((*parts, path.name), None, problem=f"The archive cannot be read ({why}).")


def _member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, parts: tuple[str, ...], unpacked: Path, depth: int
) -> Iterator[Found]:
    names = [name for name in re.split(r"[/\\]", member.filename) if name not in ("", ".", "..")]
    place = (*parts, *map(_readable_name, names))
    nested = bool(names) and names[-1].lower().endswith(".zip")
    most = LARGEST_ARCHIVE if nested and depth < DEEPEST_ARCHIVE else LARGEST
    with archive.open(member) as file:
        content = file.read(most + 1)
    year, month, day, hour, minute, second = member.date_time
    time = ((((year * 12 + month) * 31 + day) * 24 + hour) * 60 + minute) * 60.0 + second  # for comparing only
    if len(content) > most:
        yield Found(place, None, time, TOO_LARGE)
        return
    kept = unpacked / f"{sum(1 for _ in unpacked.iterdir())}"
    kept.write_bytes(content)
    if nested and depth < DEEPEST_ARCHIVE:
        yield from _in_archive(kept, (*place[:-1], place[-1][:-4]), unpacked, depth + 1)
    else:
        yield Found(place, kept, time)


def _readable_name(name: str) -> str:
    """A name that is not valid UTF-8 must not make the whole table fail."""
    return unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode())


# --- whose it is, and what ---------------------------------------------------------------------------------------------


def _entry(found: Found, sources: list[Path], wrapper: tuple[str, ...]) -> Entry:
    parts = found.parts
    if len(parts) > len(wrapper) and parts[: len(wrapper)] == wrapper:
        parts = parts[len(wrapper) :]
    stem, times = _stem(found.parts[-1])
    source = None if found.folder else _exercise(stem, found.path, sources)
    late, upload, number = "", 0, ""
    name = parts[0] if len(parts) > 1 or found.folder else stem
    if known := MOODLE.fullmatch(name) or CANVAS.fullmatch(name):
        name, number = known["name"], known["id"]
        late, upload = known.groupdict().get("late") or "", int(known.groupdict().get("upload") or 0)
        if len(parts) == 1 and source is None:
            source = _exercise(_stem(known["rest"])[0], found.path, sources)
    elif len(parts) == 1 and source is not None:
        name = name.removesuffix(source.stem).rstrip("_- ") or name
    hidden = next((part for part in parts if part.startswith(".")), "")
    problem = found.problem or (f"It is hidden in {hidden}, and was not read." if hidden else "")
    if not problem and not NOTEBOOK.search(found.parts[-1]):
        problem = "It is not a notebook of this course."
    elif not problem and source is None:
        problem = "It is not a notebook of this course: no exercise's cells are in it."
    return Entry(
        name.strip() or "?", "/".join(found.parts), None if problem else found.path, source, number, problem,
        ("Canvas marks it as late",) if late else (), (upload, times, found.time, -len(parts)),
    )  # fmt: skip


def _stem(name: str) -> tuple[str, int]:
    """A file's name without its ending and what programs append to copies, and the number that they append."""
    stem = NOTEBOOK.sub("", name)
    stem = COPY.sub("", stem if stem != name else os.path.splitext(name)[0])
    again = AGAIN.search(stem)
    return (stem[: again.start()], int(again[1] or again[2])) if again else (stem, 0)


def _exercise(stem: str, path: Path | None, sources: list[Path]) -> Path | None:
    """By the name of the file, or by the tasks that its cells name."""
    by_name = next((s for s in sources if stem.lower().endswith(s.stem.lower())), None)
    return by_name or (_by_its_cells(path, sources) if path else None)


def _by_its_cells(path: Path, sources: list[Path]) -> Path | None:
    lessons = Counter(int(n) for n in re.findall(r'"grade_id":\s*"test-(\d\d?)-\d+"', text_of(path)))
    if not lessons:
        return None
    number = lessons.most_common(1)[0][0]
    return next((s for s in sources if int(s.name[:2]) == number), None)


def text_of(path: Path) -> str:
    """A file as text, with or without a byte order mark."""
    raw = path.read_bytes()
    return raw.decode(json.detect_encoding(raw), errors="replace")


def _wrapper(found: list[Found], sources: list[Path]) -> tuple[str, ...]:
    """The folder that holds a class and not a student: the one that all is in, if students can be told apart inside."""
    folders = [f.parts if f.folder else f.parts[:-1] for f in found]
    common = tuple(level[0] for level in takewhile(lambda level: len(set(level)) == 1, zip(*folders, strict=False)))
    exercises = {s.stem.lower() for s in sources}
    while common and common[-1].lower() in exercises:
        common = common[:-1]
    inside = [f.parts[len(common) :] for f in found if NOTEBOOK.search(f.parts[-1]) and SAVED_COPIES not in f.parts]
    owners = {parts[0] for parts in inside if len(parts) > 1 and parts[0].lower() not in exercises}
    owners |= {
        name
        for (name, *rest) in inside
        if not rest and not any(_stem(name)[0].lower() == exercise for exercise in exercises)
    }
    return common if len(owners) > 1 else ()


def _without_companions(entries: list[Entry]) -> list[Entry]:
    """Each student's notebooks; other files are only mentioned, but get a row if the student has no notebook."""
    kept = []
    graded = {entry.student for entry in entries if entry.path}
    for entry in entries:
        companion = "/" in entry.place and entry.student in graded and entry.path is None
        saved_copy = f"/{SAVED_COPIES}/" in f"/{entry.place}"
        harmless = saved_copy or entry.problem.startswith(("It is not a notebook of", "The folder is empty"))
        if not (companion and harmless):
            kept.append(entry)
    return kept


def _newest_first_of_each(entries: list[Entry]) -> list[Entry]:
    """Of several notebooks of one student for one exercise the newest is graded, and each says so."""
    groups: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in entries:
        # one that cannot be graded replaces none
        key = entry.exercise if entry.path else f"{entry.exercise} {entry.place}"
        groups.setdefault((entry.student, entry.id, key), []).append(entry)
    result = []
    for group in groups.values():
        *older, newest = sorted(group, key=lambda entry: (entry.order, entry.place))
        if older:
            note = f"the newest of {len(group)}, {newest.place}, was graded"
            newest = replace(newest, notes=(*newest.notes, note))
        result += [newest, *(replace(o, path=None, problem=f"Not graded: {newest.place} is newer.") for o in older)]
    return result


# --- the class ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Person:
    """A line of the class list."""

    name: str
    ids: tuple[str, ...]
    line: dict[str, str]  #: the line itself, for the platform's own table


NAMES = ("student", "name", "full name", "display name")
FIRST, LAST = ("first name", "firstname", "given name"), ("last name", "lastname", "surname", "family name")
IDS = (
    "id",
    "id number",
    "student id",
    "sis user id",
    "sis login id",
    "identifier",
    "username",
    "email address",
    "email",
)


def read_table(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file by column name, whatever separator and encoding a spreadsheet gave it."""
    try:
        text = text_of(path)
    except OSError as problem:
        raise InvalidInputError(f"{path} cannot be read: {problem.strerror}.") from None
    head = text.partition("\n")[0]
    separator = max(",;\t", key=head.count)
    rows = csv.DictReader(text.splitlines(), delimiter=separator, restkey="", restval="")
    return [{str(k).strip().lstrip("\ufeff"): str(v or "").strip() for k, v in row.items() if k} for row in rows]


def read_roster(path: Path) -> list[Person]:
    """The class list: a column with names (or first and last names), and any with the platform's ids."""
    people = []
    for line in read_table(path):
        low = {key.lower(): value for key, value in line.items()}
        name = next((low[key] for key in NAMES if low.get(key)), "")
        name = name or " ".join(next((low[k] for k in keys if low.get(k)), "") for keys in (FIRST, LAST)).strip()
        ids = tuple(value.removeprefix("Participant ") for key in IDS if (value := low.get(key, "")))
        if name and name.strip(" ,") and "points possible" not in name.lower():  # Canvas has a line of these
            people.append(Person(name, ids, line))
    if not people:
        raise InvalidInputError(f"{path} names nobody. It needs a header with a column 'student' or 'name'.")
    return people


def match_roster(entries: list[Entry], roster: list[Person]) -> tuple[list[Entry], dict[str, Person]]:
    """The entries under the names of the class list, with a row for everyone who handed in nothing; and the matching.

    An entry that fits nobody, or several, keeps its name and says so.
    """
    matched, who = [], {}
    for entry in entries:
        fits = [p for p in roster if entry.id and entry.id in p.ids]
        fits = fits or [p for p in roster if _keys(entry.student) & (_keys(p.name) | {_letters(i) for i in p.ids})]
        if len(fits) == 1:
            who[fits[0].name] = fits[0]
            matched.append(replace(entry, student=fits[0].name))
        else:
            why = "is not on the class list" if not fits else "fits several people on the class list"
            matched.append(replace(entry, notes=(*entry.notes, f"the name {why}")))
    matched = _newest_first_of_each([e for e in matched if e.path]) + [e for e in matched if not e.path]
    exercises = {e.source for e in matched if e.path} or {None}
    there = {(e.student, e.source) for e in matched if e.source} | {(e.student, None) for e in matched if not e.source}
    for person in roster:
        for source in sorted(exercises, key=str):
            if (person.name, source) not in there and (person.name, None) not in there:
                matched.append(Entry(person.name, "", None, source, problem="Nothing was handed in."))
    return matched, {person.name: person for person in roster}


def _keys(name: str) -> set[str]:
    """The ways in which platforms write a name: 'Lovelace, Ada', 'Ada Lovelace', 'lovelaceada'."""
    words = re.split(r"[\s,]+", name.strip())
    last_first = name.partition(",")
    turned = last_first[2] + last_first[0] if last_first[1] else "".join([words[-1], *words[:-1]])
    return {_letters(name), _letters(turned)} - {""}


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in plain if c.isalnum())
