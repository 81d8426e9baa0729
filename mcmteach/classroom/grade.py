"""``python -m mcmteach grade SUBMISSIONS/ -o marks.csv``: a table of marks, a page for each student, a word about the class."""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import mcmteach
from mcmteach.checks import find_task
from mcmteach.checks.task import Explanation
from mcmteach.classroom.sandbox import CONTAINER, LARGEST, MB, NOT_ENFORCED, Limits, is_visible, why_no_walls
from mcmteach.errors import InvalidInputError, MCMError, MissingExtraError

ROOT = Path(mcmteach.__file__).parent.parent
KINDS = {
    "right": "right",
    "written": "to read",
    "mistake": "a known slip",
    "wrong": "wrong",
    "form": "not in the form asked for",
    "changed": "changes its argument",
    "error": "stops with an error",
    "slow": "too slow",
    "borrowed": "the library's own function",
    "blank": "not begun",
    "hidden": "fails the hidden tests",
}


@dataclass(frozen=True)
class Entry:
    """One notebook to grade."""

    student: str
    path: Path
    source: Path | None  #: the exercise that it answers; None if that cannot be told

    @property
    def exercise(self) -> str:
        return self.source.stem if self.source else "?"


# --- finding ---------------------------------------------------------------------------------------------------------


def find_submissions(folder: Path, sources: list[Path], output: Path | None = None) -> list[Entry]:
    """Every file below ``folder``: STUDENT/…/01_name.ipynb, or STUDENT.ipynb, or STUDENT_01_name.ipynb.

    ``output`` is the table; what an earlier run has written to and beside it is not handed in by anybody.
    """
    if not folder.is_dir():
        raise InvalidInputError(f"There is no folder {folder}. Give the one that holds the submissions.")
    found = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file() or p.is_symlink()):
        inside = path.relative_to(folder)
        if any(part.startswith(".") for part in inside.parts) or (len(inside.parts) > 1 and path.suffix != ".ipynb"):
            continue  # hidden copies of JupyterLab, and data beside a notebook
        if output and path.parent.resolve() == output.parent.resolve() and path.name in _written(output):
            continue
        source = next((s for s in sources if path.stem.endswith(s.stem)), None) or _by_its_cells(path, sources)
        name = inside.parts[0] if len(inside.parts) > 1 else path.stem
        if source is not None and len(inside.parts) == 1:
            name = name.removesuffix(source.stem).rstrip("_- ") or name
        name = name.encode("utf-8", "replace").decode()  # a name in another coding must not lose the whole table
        found.append(Entry(name, path, source))
    if not found:
        raise InvalidInputError(f"There is nothing to grade in {folder}.")
    return found


def _written(output: Path) -> set[str]:
    """The files that a run leaves."""
    return {
        output.name,
        *(output.with_suffix(suffix).name for suffix in (".json", ".damaged.json", ".csv.tmp")),
    }


def _by_its_cells(path: Path, sources: list[Path]) -> Path | None:
    """The exercise whose tasks are named in the file."""
    text = _content(path).decode(errors="replace")
    lessons = Counter(int(n) for n in re.findall(r'"grade_id":\s*"test-(\d\d?)-\d+"', text))
    if not lessons:
        return None
    number = lessons.most_common(1)[0][0]
    return next((s for s in sources if int(s.name[:2]) == number), None)


# --- grading ---------------------------------------------------------------------------------------------------------


def fingerprint(entry: Entry, limits: Limits, walled: bool) -> str:
    """What a mark depends on: if any of it changes, the submission is graded again."""
    parts = [mcmteach.__version__.encode(), repr((limits, walled)).encode()]
    parts += [_content(path) for path in (entry.path, entry.source) if path is not None]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _content(path: Path) -> bytes:
    """What is in a file, unless it is a link, too large or cannot be read: that must not stop the others."""
    try:
        if path.is_symlink() or path.stat().st_size > LARGEST:
            return b"not read"
        return path.read_bytes()
    except OSError as problem:
        return repr(problem).encode()


def grade_one(
    entry: Entry, courses: dict[Path, Path], limits: Limits, walled: bool, cores: SimpleQueue[set[int]]
) -> dict[str, Any]:
    """What became of a submission, from a worker process of its own. Never raises: a problem is a result."""
    if entry.source is None:
        return {"not_gradable": "It is not a notebook of this course: no exercise's cells are in it."}
    core = cores.get()
    try:
        paths = {
            "submission": entry.path.absolute(),
            "source": entry.source.absolute(),
            "course": courses[entry.source],
        }
        return _from_a_worker(paths, limits, walled, core)
    finally:
        cores.put(core)


def _from_a_worker(paths: dict[str, Path], limits: Limits, walled: bool, core: set[int]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="mcmteach-worker-") as folder:
        job, result = Path(folder) / "job.json", Path(folder) / "result.json"
        job.write_text(json.dumps({
            **{name: str(path) for name, path in paths.items()}, "limits": asdict(limits), "walled": walled,
            "cores": sorted(core), "result": str(result),
        }), encoding="utf-8")  # fmt: skip
        command = [sys.executable, "-m", "mcmteach.classroom.autograde", str(job)]
        patience = limits.total + 120  # a worker stops the submission itself; this is for what nobody thought of
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=patience, stdin=subprocess.DEVNULL,
                env=os.environ | {"TMPDIR": folder},  # so that nothing of it stays, however it ends
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"not_gradable": f"Grading it took more than {patience:.0f} seconds and was stopped."}
        if result.exists():
            found: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
            return found
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        return {"failed": f"Grading it failed: {last[:300]}"}


class Ledger:
    """What is graded already, in a file beside the table: a line for every submission, so that nothing is done twice."""

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
    """The submission and what became of it, as a line of the ledger has them; None if the line is damaged."""
    try:
        key, result = json.loads(line)
        return (key, result) if isinstance(key, str) and isinstance(result, dict) else None
    except (ValueError, TypeError):
        return None


# --- telling ---------------------------------------------------------------------------------------------------------


def write_table(rows: list[tuple[Entry, dict[str, Any]]], path: Path) -> None:
    """One row per submission: marks, what they are out of, what is left to read, what happened, and each task with its hint."""
    tasks = sorted({t for _, r in rows for t in r.get("tasks", {})}, key=lambda t: [int(n) for n in t.split(".")])
    head = ["student", "exercise", "marks", "out of", "to read", "what happened"]
    head += [column for t in tasks for column in (t, f"{t} said")]
    temporary = path.with_suffix(".csv.tmp")
    with temporary.open("w", newline="", encoding="utf-8-sig") as file:  # with a mark that lets Excel see UTF-8
        table = csv.writer(file)
        table.writerow(head)
        for entry, result in rows:
            marks = result.get("tasks", {})
            scored = [m for m in marks.values() if m["points"] is not None]
            unread = [t for t, m in marks.items() if m["points"] is None]
            row: list[Any] = [entry.student, entry.exercise, _number(sum(m["points"] for m in scored))]
            row += [_number(sum(m["out_of"] for m in scored)), " ".join(unread), what_happened(result)]
            for t in tasks:
                m = marks.get(t)
                row += ["", ""] if m is None else ["" if m["points"] is None else _number(m["points"]), _hint(m)]
            table.writerow([_harmless(cell) for cell in row])
    os.replace(temporary, path)


def what_happened(result: dict[str, Any]) -> str:
    said: str = result.get("not_gradable") or result.get("failed") or "; ".join(result.get("notes", []))
    return said if len(said) <= 1000 else said[:1000] + " …"


def _hint(mark: dict[str, Any]) -> str:
    """What the student was told: without the heading, the backquotes and the pointer to hints."""
    lines = [line.strip() for line in mark["words"].split("\n")[1:] if not line.startswith("`hint(")]
    return _printable(" ".join(lines)).replace("`", "")[:500] if mark["kind"] not in ("right", "") else ""


def _number(value: float) -> str:
    return f"{value:g}"


def _harmless(cell: str) -> str:
    """A spreadsheet takes a text that begins with = + - @ for a formula; names and messages are the students' own."""
    cell = _printable(cell)
    return f"'{cell}" if cell.lstrip()[:1] in tuple("=+-@＝＋－＠") else cell


def _printable(text: str) -> str:
    """Without what a terminal or a spreadsheet would act upon."""
    return "".join(c if c.isprintable() else " " for c in text)


def summary(rows: list[tuple[Entry, dict[str, Any]]]) -> str:
    """The class, task by task: how many have it right, and which mistakes are common."""
    lines = []
    for exercise in sorted({entry.exercise for entry, _ in rows}):
        group = [r for entry, r in rows if entry.exercise == exercise]
        lines += ["", f"{exercise}: {len(group)} submission{'s' * (len(group) != 1)}"]
        for task in dict.fromkeys(t for r in group for t in r.get("tasks", {})):
            marks = [r["tasks"][task] for r in group if task in r.get("tasks", {})]
            right = sum(m["kind"] == "right" for m in marks)
            kinds = Counter(m["mistake"] or KINDS.get(m["kind"], m["kind"]) for m in marks if m["kind"] != "right")
            said = ", ".join(f"{name} {n}" for name, n in sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0])))
            share = " " * 14 if isinstance(find_task(task), Explanation) else f"{right:>3} of {len(marks)} right"
            lines.append(f"  {task:<5} {find_task(task).title[:44]:<45}{share}   {said}".rstrip())
        odd = [
            f"  {entry.student}: {what}"
            for entry, r in rows
            if entry.exercise == exercise and (what := what_happened(r))
        ]
        lines += ["  What happened:", *odd] if odd else []
    return "\n".join(map(_printable, lines)).strip()


# --- the command -----------------------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    limits = Limits()
    parser.add_argument(
        "submissions", type=Path, help="folder with STUDENT/01_….ipynb, STUDENT.ipynb or STUDENT_01_….ipynb"
    )
    parser.add_argument("-o", "--output", type=Path, default=Path("marks.csv"), help="the table (default: marks.csv)")
    parser.add_argument(
        "--source", type=Path, help="folder of the exercises' sources (default: exercises/source of the course)"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=1,
        help="submissions at a time (default: 1; never more than there are cores, since tasks are timed)",
    )
    parser.add_argument(
        "--time",
        type=float,
        default=limits.total,
        metavar="SECONDS",
        help=f"for one submission (default: {limits.total:g})",
    )
    parser.add_argument(
        "--memory",
        type=int,
        default=limits.memory // MB,
        metavar="MB",
        help=f"for one submission (default: {limits.memory // MB})",
    )
    parser.add_argument("--again", action="store_true", help="grade what is graded already, too")
    parser.add_argument(
        "--no-sandbox", action="store_true", help="go on where no sandbox can be had. Only for notebooks that you trust"
    )  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """The command, with the options that ``add_arguments`` describes."""
    try:
        import nbgrader  # noqa: F401
    except ImportError:
        raise MissingExtraError('Grading needs nbgrader. Install it with: pip install "mcmteach[classroom]"') from None
    walled = _walls(options.no_sandbox)
    if walled is None:
        return 2
    limits = replace(Limits(), total=options.time, cell=options.time / 4, memory=options.memory * MB)
    sources = find_sources(options.source)
    entries = find_submissions(options.submissions, sources, options.output)
    for place in (options.submissions, sources[0].parent, options.output.parent):
        if walled and is_visible(place):
            raise InvalidInputError(
                f"{place} lies where Python is installed, and that every submission can read. Move it to another folder."
            )
    options.output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mcmteach-courses-") as folder:
        results = _grade_all(entries, Path(folder), limits, walled, options)
    rows = list(zip(entries, results, strict=True))
    write_table(rows, options.output)
    pages = options.output.with_name(f"{options.output.stem}-feedback")
    for entry, result in rows:
        if "feedback" in result:
            pages.mkdir(exist_ok=True)
            place = hashlib.sha256(str(entry.path.relative_to(options.submissions)).encode("utf-8", "replace"))
            name = re.sub(r"[^\w.-]", "_", f"{entry.student}-{entry.exercise}")
            name = (
                name.encode()[:80].decode(errors="ignore") + f"-{place.hexdigest()[:8]}"
            )  # a name has 255 bytes at most
            (pages / f"{name}.html").write_text(result["feedback"], encoding="utf-8")
    print(summary(rows))
    print(f"\nThe table is {options.output}, the students' feedback is in {pages}.")
    return 1 if any("failed" in result for result in results) else 0


def _walls(without: bool) -> bool | None:
    """True with a sandbox, False without one if that is wanted, None if it is not."""
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


def find_sources(folder: Path | None) -> list[Path]:
    """The exercises' sources."""
    places = [folder] if folder else [Path("exercises/source"), ROOT / "exercises" / "source"]
    for place in places:
        if found := sorted(place.glob("[0-9][0-9]_*.ipynb")):
            return found
    raise InvalidInputError(
        f"There are no exercise sources in {' or '.join(map(str, places))}. Name their folder with --source; they are in the "
        "course's exercises/source, or in your private copy of it."
    )


def _grade_all(
    entries: list[Entry], folder: Path, limits: Limits, walled: bool, options: argparse.Namespace
) -> list[dict[str, Any]]:
    ledger = Ledger(options.output)
    keys = [fingerprint(entry, limits, walled) for entry in entries]
    todo = {key: entry for key, entry in zip(keys, entries, strict=True) if options.again or key not in ledger.known}
    cores = _cores(options.jobs)
    jobs = cores.qsize()
    courses: dict[Path, Path] = {}

    def work_off(some: dict[str, Entry], what: str, begun: int = 0) -> None:
        for key, result in _in_a_pool(grade_one, some, (courses, limits, walled, cores), jobs, what, begun):
            if "failed" in result:
                ledger.known[key] = result  # told, but tried again the next time
            else:
                ledger.add(key, result)

    sources = sorted({entry.source for entry in todo.values() if entry.source})
    courses.update(_in_a_pool(_course, {s: s for s in sources}, (folder,), 1, "preparing the exercises"))
    solutions = {fingerprint(e, limits, walled): e for e in (Entry("the solutions", s, s) for s in sources)}
    work_off({k: e for k, e in solutions.items() if k not in ledger.known}, "checking their solutions")
    for key, entry in solutions.items():
        _must_be_full(entry, ledger.known[key])
    work_off(todo, "grading", len(entries) - len(todo))
    return [ledger.known[key] for key in keys]


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
    function: Callable[..., Any], some: dict[Any, Any], rest: tuple, jobs: int, what: str, begun: int = 0
) -> Iterator[tuple[Any, Any]]:
    """(key, ``function(value, *rest)``) of each, as they come, with a progress bar."""
    from tqdm.auto import tqdm

    if not some and not begun:
        return
    with (
        ThreadPoolExecutor(max_workers=jobs) as pool,
        tqdm(total=len(some) + begun, initial=begun, desc=what, unit="notebook") as bar,
    ):
        futures = {pool.submit(function, value, *rest): key for key, value in some.items()}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
                bar.update(1)
        except BaseException:  # Ctrl-C: what is under way ends, the rest is left for later
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _course(source: Path, folder: Path) -> Path:
    """nbgrader's gradebook for an exercise, made once."""
    from mcmteach.classroom.autograde import prepare_course

    try:
        prepare_course(source, folder / source.stem)
    except MCMError:
        raise
    except Exception as problem:  # nbgrader raises whatever came up
        raise InvalidInputError(f"nbgrader cannot use {source}: {problem}") from problem
    return folder / source.stem


def _must_be_full(entry: Entry, result: dict[str, Any]) -> None:
    """A source whose own solutions do not earn all points would cost the whole class marks, and nobody would know why."""
    lost = [f"task {t}: {m['words']}" for t, m in result.get("tasks", {}).items() if (m["points"] or 0) < m["out_of"]
            and m["kind"] != "written"]  # fmt: skip
    if lost or "tasks" not in result:
        raise InvalidInputError(
            f"The solutions in {entry.path} do not earn full marks themselves, so nobody could. Nothing was graded. Mend the "
            + "\n".join(["source first:", *lost, what_happened(result)]).rstrip()
        )
