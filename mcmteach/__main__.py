"""The command line: ``python -m mcmteach --help``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import mcmteach
from mcmteach.doctor import doctor

DESCRIPTION = """\
mcmteach: statistical learning theory one can play with.

The course is in lessons/ and exercises/ (open them with `make lab`, or `jupyter lab`).
The library is `import mcmteach`. The commands below help with both.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m mcmteach", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--version", action="version", version=f"mcmteach {mcmteach.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    commands.add_parser(
        "doctor",
        help="look whether everything is installed and works, and say what to do if not",
        description="Check Python, the core, the solver, the lessons' tools and the optional extras. "
        "The exit status is 0 if the library and the lessons will work, 1 if not.",
    )
    if parser.parse_args(arguments).command == "doctor":
        return doctor()
    parser.print_help()
    return 0


if __name__ == "__main__":
    sys.exit(main())
