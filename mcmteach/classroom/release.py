"""``python -m mcmteach release my-exercises``: the students' notebooks of a private copy of the sources."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from mcmteach.classroom.course import find_sources, read_exercise, released
from mcmteach.classroom.submissions import read_roster
from mcmteach.errors import InvalidInputError, MCMError, missing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", type=Path, help="folder of your sources: a copy of exercises/source")
    parser.add_argument(
        "-o", "--output", type=Path, help="folder for the notebooks (default: release beside the sources)"
    )
    parser.add_argument(
        "--roster", type=Path, metavar="CSV", help="a notebook for each student, with individual numbers"
    )
    parser.add_argument(
        "--key", default="", help="the secret from which those numbers are drawn; `grade` needs it again"
    )


def run(options: argparse.Namespace) -> int:
    """Read every source, report every fault in them, and write the notebooks only if there is none."""
    try:
        import nbgrader  # noqa: F401
    except ImportError:
        raise missing("This needs nbgrader.", "classroom") from None
    if bool(options.roster) != bool(options.key):
        raise InvalidInputError(
            "Individual numbers for students need both a class list (--roster) and a secret (--key)."
        )
    output = options.output or options.source / "release"
    students = [person.name for person in read_roster(options.roster)] if options.roster else [""]
    texts, faults = {}, []
    for source in find_sources(options.source):
        for student in students:
            try:
                exercise = read_exercise(source, options.key, student)
            except MCMError as problem:
                faults.append(str(problem))
                break
            texts[Path(re.sub(r"[^\w .,-]", "_", student)) / source.name] = released(exercise)
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 2
    for place, text in texts.items():
        (output / place).parent.mkdir(parents=True, exist_ok=True)
        (output / place).write_text(text, encoding="utf-8")
    print(f"{len(texts)} notebooks are in {output}. They hold neither solutions nor hidden tests.")
    return 0
