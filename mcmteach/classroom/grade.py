"""``python -m mcmteach grade SUBMISSIONS/ -o marks.csv``: a table of marks, a page for each student, a report on the class."""

from __future__ import annotations

import argparse
import contextlib
import copy
import hashlib
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from mcmteach.checks.task import Explanation, Task
from mcmteach.classroom.course import Exercise, find_sources, read_exercise
from mcmteach.classroom.ledger import Ledger, fingerprint
from mcmteach.classroom.sandbox import CONTAINER, MB, NOT_ENFORCED, Limits, is_visible, why_no_walls
from mcmteach.classroom.submissions import Entry, Person, find_submissions, match_roster, read_roster
from mcmteach.classroom.variants import draw
from mcmteach.errors import InvalidInputError, missing

if TYPE_CHECKING:
    from mcmteach.classroom.similarity import Hint
    from mcmteach.classroom.tables import Row

SEEDS = 2**32
BUSIEST = 10  # times as long as on an idle machine
FOR_THE_OWNER = 0o077  # marks are private: only the owner may read them


def add_arguments(parser: argparse.ArgumentParser) -> None:
    limits = Limits()
    add = parser.add_argument
    add("submissions", type=Path, help="folder (or zip) with STUDENT/01_….ipynb, STUDENT_01_….ipynb, or as Moodle and Canvas "
        "name them")  # fmt: skip
    add("-o", "--output", type=Path, default=Path("marks.csv"), help="the table (default: marks.csv)")
    add("--source", type=Path, help="folder of the exercises' sources (default: exercises/source of the course)")
    add("--roster", type=Path, metavar="CSV", help="the class list: students who handed in nothing get a row too")
    add("--manual", type=Path, metavar="CSV", help="marks and comments by hand (default: manual.csv beside the table)")
    add("--slips", type=float, default=0.0, metavar="SHARE", help="share of a task's points for a recognised mistake "
        "(default: 0)")  # fmt: skip
    add("--key", default="", help="the secret from which `release` drew the students' own numbers")
    add("--lms", choices=["canvas", "moodle"], help="also write the totals in the format that this platform imports")
    add("--jobs", type=int, default=1, help="submissions at a time (default: 1; never more than there are cores, since tasks "
        "are timed)")  # fmt: skip
    add(
        "--time",
        type=float,
        default=limits.total,
        metavar="SECONDS",
        help=f"for one submission (default: {limits.total:g})",
    )
    add(
        "--memory",
        type=int,
        default=limits.memory // MB,
        metavar="MB",
        help=f"for one submission (default: {limits.memory // MB})",
    )
    add("--again", action="store_true", help="grade again what is graded already")
    add("--no-sandbox", action="store_true", help="grade where there is no sandbox. Only for notebooks that you trust")


def run(options: argparse.Namespace) -> int:
    """The command, with the options that ``add_arguments`` describes."""
    before = os.umask(FOR_THE_OWNER)
    try:
        return _run(options)
    finally:
        os.umask(before)


def _run(options: argparse.Namespace) -> int:
    try:
        import nbformat  # noqa: F401
        import psutil  # noqa: F401
    except ImportError:
        raise missing("Grading needs nbformat and psutil.", "classroom") from None
    if not 0 <= options.slips <= 1:
        raise InvalidInputError(f"--slips is a share from 0 to 1; got {options.slips:g}.")
    walled = _walls(options.no_sandbox)
    if walled is None:
        return 2
    sources = find_sources(options.source)
    for place in (options.submissions, sources[0].parent, options.output.parent):
        if walled and is_visible(place):
            raise InvalidInputError(
                f"{place} is in a folder of Python's installation, which every submission can read. Move it elsewhere."
            )
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.manual = options.manual or options.output.with_name("manual.csv")
    limits = replace(Limits(), total=options.time, cell=options.time / 4, memory=options.memory * MB)
    with tempfile.TemporaryDirectory(prefix="mcmteach-archives-") as unpacked:
        own = [options.manual, *([options.roster] if options.roster else []), *written_by(options.output)]
        entries = find_submissions(options.submissions, sources, Path(unpacked), own)
        people: dict[str, Person] = {}
        if options.roster:
            entries, people = match_roster(entries, read_roster(options.roster))
        grading = Grading(limits, walled, options.slips, options.key, _cores(options.jobs))
        results = _grade_all(entries, grading, Ledger(options.output), options.again)
    return _tell(entries, results, people, options)


def beside_table(output: Path, name: str) -> Path:
    """A file that lies beside the table and is named after it."""
    return output.with_name(f"{output.stem}-{name}")


def written_by(output: Path) -> list[Path]:
    """What a run writes, apart from the marks entered by hand."""
    made = [output.with_suffix(suffix) for suffix in (".json", ".damaged.json", ".tmp")]
    pages = feedback_folder(output)
    names = ("class.html", "hints.html", "to-read.html", "canvas.csv", "moodle.csv", "return.zip")
    made += [beside_table(output, name) for name in names]
    return [output, *made, *(pages.glob("*.html") if pages.is_dir() else ())]


def feedback_folder(output: Path) -> Path:
    return output.with_name(f"{output.stem}-feedback")


def _walls(without: bool) -> bool | None:
    """True with a sandbox, False without one if the user asked for that, otherwise None."""
    if not (why := why_no_walls()):
        return True
    missing = "\n".join(f"  - {what}" for what in NOT_ENFORCED)
    print(f"There is no sandbox: {why}. Nothing keeps a submission from\n{missing}\n{CONTAINER}", file=sys.stderr)
    if without:
        print(
            "Going on without one, as you asked (--no-sandbox). Time, memory and output are limited.", file=sys.stderr
        )
        return False
    print("If you trust these notebooks as you trust your own, --no-sandbox goes on without it.", file=sys.stderr)
    return None


# --- grading, each in a worker -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Grading:
    """What holds for all submissions of a run."""

    limits: Limits
    walled: bool
    slips: float
    key: str
    cores: SimpleQueue[set[int]]

    def rules(self, entry: Entry) -> dict[str, Any]:
        """Of one: its hidden inputs are drawn by the key and the student, or without a key by the source alone."""
        assert entry.source is not None
        source = hashlib.sha256(entry.source.read_bytes()).hexdigest()
        seed = draw(self.key or source, entry.student if self.key else "", "inputs", SEEDS)
        return {"limits": asdict(self.limits), "walled": self.walled, "seed": seed, "slips": self.slips}


def _grade_all(entries: list[Entry], grading: Grading, ledger: Ledger, again: bool) -> list[dict[str, Any]]:
    gradable = [entry for entry in entries if entry.path is not None and entry.source is not None]
    keys = {entry: fingerprint(entry, grading.rules(entry), _variant(entry, grading)) for entry in gradable}
    todo = {key: entry for entry, key in keys.items() if again or key not in ledger.known}

    def work_off(some: dict[str, Entry], what: str, begun: int = 0) -> None:
        for key, result in _in_a_pool(grade_one, some, grading, what, begun):
            if "failed" in result:
                ledger.known[key] = result  # reported, but tried again the next time
            else:
                ledger.add(key, result)

    sources = sorted({entry.source for entry in todo.values() if entry.source})
    solutions = [Entry("the solutions", str(source), source, source) for source in sources]
    for source in sources:
        read_exercise(source)  # names its faults
    checked = {fingerprint(e, grading.rules(e), _variant(e, grading)): e for e in solutions}
    work_off({key: e for key, e in checked.items() if key not in ledger.known}, "checking the solutions")
    for key, entry in checked.items():
        _must_be_full(entry, ledger.known[key])
    work_off(todo, "grading", len(gradable) - len(todo))
    return [ledger.known[keys[entry]] if entry in keys else {} for entry in entries]


def _variant(entry: Entry, grading: Grading) -> str:
    return f"{grading.key} {entry.student}" if grading.key else ""


def grade_one(entry: Entry, grading: Grading) -> dict[str, Any]:
    """The result of a submission, from a worker process of its own. Never raises: a problem is a result."""
    core = grading.cores.get()
    try:
        return _from_a_worker(entry, grading, core)
    finally:
        grading.cores.put(core)


def _from_a_worker(entry: Entry, grading: Grading, core: set[int]) -> dict[str, Any]:
    assert entry.path is not None and entry.source is not None
    with tempfile.TemporaryDirectory(prefix="mcmteach-worker-") as folder:
        job, result = Path(folder) / "job.json", Path(folder) / "result.json"
        job.write_text(json.dumps({
            "submission": str(entry.path.absolute()), "source": str(entry.source.absolute()), "rules": grading.rules(entry),
            "key": grading.key, "student": entry.student, "cores": sorted(core), "result": str(result),
        }), encoding="utf-8")  # fmt: skip
        command = [sys.executable, "-m", "mcmteach.classroom.worker", str(job)]
        # A worker stops the submission itself; this stops whatever the worker could not, on a busy machine too.
        patience = BUSIEST * (grading.limits.total + 120)
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=patience, stdin=subprocess.DEVNULL,
                env=os.environ | {"TMPDIR": folder},  # temporary files are removed with the folder, however it ends
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"not_gradable": f"Grading it took more than {patience:.0f} seconds and was stopped."}
        if result.exists():
            found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
            return found
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return {"failed": f"Grading it failed: {last[:300]}"}


def _cores(jobs: int) -> SimpleQueue[set[int]]:
    """The cores that each job may use: one each if there are several jobs, since tasks are timed and a submission may keep
    many processes busy. (macOS cannot tie a process to a core.)"""
    able = hasattr(os, "sched_getaffinity")
    every = os.sched_getaffinity(0) if able else set(range(os.cpu_count() or 1))
    jobs = min(max(1, jobs), len(every))
    queue: SimpleQueue[set[int]] = SimpleQueue()
    for core in sorted(every)[:jobs]:
        queue.put({core} if able and jobs > 1 else set())
    return queue


def _in_a_pool(
    function: Callable[[Entry, Grading], dict[str, Any]],
    some: dict[str, Entry],
    grading: Grading,
    what: str,
    begun: int = 0,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """(key, result) of each, as soon as it is done, with a progress bar."""
    from tqdm.auto import tqdm

    if not some and not begun:
        return
    with (
        ThreadPoolExecutor(max_workers=grading.cores.qsize()) as pool,
        tqdm(total=len(some) + begun, initial=begun, desc=what, unit="notebook") as bar,
    ):
        futures = {pool.submit(function, value, grading): key for key, value in some.items()}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
                bar.update(1)
        except BaseException:  # Ctrl-C: no further worker is started, the rest is left for the next run
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _must_be_full(entry: Entry, result: dict[str, Any]) -> None:
    """A source whose own solutions do not earn all points would cost the whole class marks, and nobody would know why."""
    lost = [f"task {t}: {m['words']}" for t, m in result.get("tasks", {}).items() if m["points"] is not None
            and m["points"] < m["out_of"]]  # fmt: skip
    if lost or "tasks" not in result:
        said = "; ".join([result.get("not_gradable") or result.get("failed") or "", *result.get("notes", [])])
        raise InvalidInputError(
            f"The solutions in {entry.path} do not earn full marks themselves, so nobody could. Nothing was graded. Fix the "
            + "\n".join(["source first:", *lost, said]).rstrip()
        )


# --- reporting -----------------------------------------------------------------------------------------------------------


def _tell(
    entries: list[Entry], results: list[dict[str, Any]], people: dict[str, Person], options: argparse.Namespace
) -> int:
    """Write the table and the pages, and print a summary."""
    from mcmteach.classroom.report import summary
    from mcmteach.classroom.tables import Row, merge_manual, write_gradebook, write_table

    rows = [Row(entry, copy.deepcopy(result)) for entry, result in zip(entries, results, strict=True)]
    sources = sorted({row.entry.source for row in rows if row.entry.source})
    exercises = {source: read_exercise(source) for source in sources}
    merge_manual(options.manual, rows, exercises)
    write_table(rows, options.output)
    _write_pages(rows, exercises, options)
    by_task = {g.task: exercise for exercise in exercises.values() for g in exercise.graded.values()}
    print(summary(rows, lambda task: by_task[task].task(task)))
    if options.lms:
        book = beside_table(options.output, f"{options.lms}.csv")
        waiting = write_gradebook(options.lms, rows, people, book)
        print(f"\n{book} is for {options.lms.title()}.", end="")
        print(f" {len(waiting)} totals are left out: something in them is not yet read." if waiting else "")
    pages, returned = feedback_folder(options.output), beside_table(options.output, "return.zip")
    print(f"\nThe table is {options.output}, the students' pages are in {pages}, and in {returned} under the names with which "
          "the notebooks came.")  # fmt: skip
    print(*_write_class_pages(rows, exercises, by_task, options), sep="\n")
    return 1 if any("failed" in result for result in results) else 0


def _write_class_pages(
    rows: list[Row], exercises: dict[Path, Exercise], by_task: dict[str, Exercise], options: argparse.Namespace
) -> Iterator[str]:
    """The pages about all submissions together, and a sentence on each page that is not empty."""
    from mcmteach.classroom.feedback import reading_page
    from mcmteach.classroom.report import class_page
    from mcmteach.classroom.similarity import hints_page

    to_read, about, alike = (beside_table(options.output, f"{name}.html") for name in ("to-read", "class", "hints"))
    unread = [(row.entry.student, task, row.tasks[task]) for row in rows for task in row.unread]
    to_read.write_text(reading_page(unread, by_task), encoding="utf-8")
    about.write_text(class_page(rows, list(exercises.values())), encoding="utf-8")
    hints = _hints(rows, exercises)
    alike.write_text(hints_page(hints), encoding="utf-8")
    if unread:
        yield f"To read: {len(unread)} texts, in {to_read}. Enter their points in {options.manual}."
    yield f"The class is in {about}" + (f", {len(hints)} hints are in {alike}." if hints else ".")


def _write_pages(rows: list[Row], exercises: dict[Path, Exercise], options: argparse.Namespace) -> None:
    """A page per graded notebook, and all of them in an archive under the names with which they came."""
    from mcmteach.classroom.feedback import feedback_page

    pages = feedback_folder(options.output)
    pages.mkdir(exist_ok=True)
    with zipfile.ZipFile(beside_table(options.output, "return.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        for row in rows:
            entry = row.entry
            if "cells" not in row.result or entry.source is None:
                continue
            page = feedback_page(entry.student, exercises[entry.source], row.result)
            place = hashlib.sha256(entry.place.encode("utf-8", "replace")).hexdigest()[:8]
            name = re.sub(r"[^\w.-]", "_", f"{entry.student}-{entry.exercise}").encode()[:80].decode(errors="ignore")
            (pages / f"{name}-{place}.html").write_text(page, encoding="utf-8")  # a name has 255 bytes at most
            archive.writestr(re.sub(r"\.ipynb.*$", "", entry.place, flags=re.IGNORECASE) + ".html", page)


def _hints(rows: list[Row], exercises: dict[Path, Exercise]) -> list[Hint]:
    from mcmteach.classroom.similarity import find_hints

    code: dict[str, dict[str, str]] = {}
    for row in rows:
        code.setdefault(row.entry.student, {}).update(row.result.get("code", {}))
    solutions: dict[str, str] = {}
    library: dict[str, str] = {}
    for exercise in exercises.values():
        for cell in exercise.notebook.cells:
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
            solutions[grade_id.removeprefix("task-").replace("-", ".")] = re.sub(
                r" *### (BEGIN|END) SOLUTION", "", cell.source
            )
        for graded in exercise.graded.values():
            library[graded.task] = _library_code(exercise.task(graded.task))
    return find_hints(code, {"the solution": solutions, "the library": library})


def _library_code(task: Task | Explanation) -> str:
    """The library's own answer to a task."""
    if isinstance(task, Explanation) or not task.library:
        return ""
    with contextlib.suppress(OSError):  # its source may not be installed
        return textwrap.dedent(inspect.getsource(task.library[0]))
    return ""
