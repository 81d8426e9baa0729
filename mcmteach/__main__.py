"""The command line: ``python -m mcmteach --help``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import mcmteach
from mcmteach.classroom import grade, release
from mcmteach.doctor import doctor
from mcmteach.errors import InvalidInputError, MCMError

DESCRIPTION = """\
mcmteach: statistical learning theory one can play with.

The course is in lessons/ and exercises/ (open them with `make lab`, or `jupyter lab`).
The library is `import mcmteach`. The commands below help with both.
"""

REPRODUCE = """\
Run the paper's experiments again (Badge et al. 2021), on the sets of its Table 1 that can be had.

  table2    test accuracy of the MCM, the conformal MCM and an SVC, with Wilcoxon's test between them
  table3    their numbers of support vectors, h, the Fisher scalar before and after, and time
  table4    the large-scale MCM with and without a conformal map
  figure2   the glass data along two principal axes, before and after the map: its numbers, and with --picture the picture

Each fold (of table4: each set) is stored as soon as it is computed. Interrupt the run whenever you like: the same command
goes on where it was. table2 and table3 show the same folds, so whichever comes second has nothing left to compute.
"""

EXAMPLES = """\
examples:
  python -m mcmteach reproduce table2 --stored              the results that come with the package, at once
  python -m mcmteach reproduce table2 --jobs 2              all 23 sets, honestly: some ten minutes on two cores
  python -m mcmteach reproduce table3 --sets glass sonar    two sets
  python -m mcmteach reproduce table2 --protocol paper      the paper's grids, and gamma_c chosen on the test fold: hours
  python -m mcmteach reproduce table2 --dask tcp://ADDRESS:8786       on a Dask cluster
  python -m mcmteach reproduce figure2 --picture figure2.png
"""


SLOW = """\
highspy is not installed, so the linear programmes are solved by linprog: the same optima, much more slowly.
To have it: pip install "mcmteach[fast]"
"""


def main(arguments: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    if asked.command == "doctor":
        return doctor()
    if asked.command is None:
        _parser().print_help()
        return 0
    try:
        return {"reproduce": _reproduce, "grade": grade.run, "release": release.run}[asked.command](asked)
    except MCMError as problem:
        print(f"python -m mcmteach {asked.command}: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nStopped. What was done is stored: the same command goes on from there.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m mcmteach", description=DESCRIPTION, formatter_class=raw)
    parser.add_argument("--version", action="version", version=f"mcmteach {mcmteach.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    commands.add_parser(
        "doctor",
        help="look whether everything is installed and works, and say what to do if not",
        description="Check Python, the core, the solver, the lessons' tools and the optional extras. "
        "The exit status is 0 if all that is installed will work, 1 if something is broken or too old.",
    )
    grade.add_arguments(
        commands.add_parser(
            "grade",
            help="grade a class's notebooks, each in a sandbox, with a table of marks and feedback",
            description="Grade notebooks without running strangers' code in your own Python: each "
            "submission runs in a sandbox (bubblewrap) with limits on time, memory, processes and output, and is judged by its "
            'answers, from outside. Needs the extra: pip install "mcmteach[classroom]". An interrupted run goes on where it '
            "stopped. The exit status is 0 if every submission could be graded or is no notebook, 1 if grading one failed, "
            "2 if there is no sandbox.",
        )
    )
    release.add_arguments(
        commands.add_parser("release", help="make the students' notebooks of your own copy of the exercises")
    )
    reproduce = commands.add_parser(
        "reproduce",
        help="run the paper's tables and its Figure 2 again",
        description=REPRODUCE,
        epilog=EXAMPLES,
        formatter_class=raw,
    )
    add = reproduce.add_argument
    add(
        "what",
        choices=["table2", "table3", "table4", "figure2"],
        metavar="WHAT",
        help="table2, table3, table4 or figure2",
    )
    add(
        "--protocol",
        choices=["honest", "paper", "baseline"],
        default="honest",
        help="honest (default): everything is chosen inside the training folds. paper: the paper's grids, and gamma_c chosen "
        "on the test fold as the authors' code does; also the paper's programme without a price on the coefficients. baseline: "
        "only the SVMs of that, in minutes",
    )
    add("--sets", nargs="+", metavar="NAME", help="data sets (default: all of the table's; glass for figure2)")
    add("--jobs", type=int, default=1, metavar="N", help="processes (default: 1). The numbers do not depend on it")
    add(
        "--results",
        metavar="DIR",
        default="mcmteach-results",
        help="folder where results are stored, and looked for (default: %(default)s)",
    )
    add("--dask", metavar="ADDRESS", help="a Dask scheduler to run on, instead of --jobs")
    add("--stored", action="store_true", help="compute nothing: show the results that come with the package")
    add("--markdown", action="store_true", help="print tables as Markdown")
    add("--picture", metavar="FILE", help="figure2 only: draw it into this file (.png, .svg or .pdf)")
    return parser


def _reproduce(asked: argparse.Namespace) -> int:
    if asked.picture and asked.what != "figure2":
        raise InvalidInputError(f"--picture belongs to figure2, and {asked.what} is numbers only.")
    return {"figure2": _figure2, "table4": _table4}.get(asked.what, _table2_or_3)(asked)


def _table2_or_3(asked: argparse.Namespace) -> int:
    from mcmteach import experiments
    from mcmteach.experiments.rules import solver

    protocol = experiments.PROTOCOLS[asked.protocol]
    store = experiments.Store(experiments.STORED if asked.stored else asked.results)
    sets = experiments.choose_sets(asked.sets)
    if not asked.stored and solver() == "linprog":
        print(SLOW, file=sys.stderr)
    summary = None if asked.stored else experiments.reproduce(protocol, sets, store, asked.jobs, asked.dask)
    what = (protocol, store, sets, asked.markdown)
    if asked.what == "table2":
        return _show(summary, experiments.table2(*what), experiments.printed_table(asked.markdown))
    return _show(summary, experiments.table3(*what), experiments.details(*what))


def _table4(asked: argparse.Namespace) -> int:
    from mcmteach.experiments import table4

    if asked.protocol != "honest":
        raise InvalidInputError(f"Table 4 has one protocol, honest; '{asked.protocol}' is for tables 2 and 3.")
    if asked.stored:
        numbers = table4.rows_of(asked.sets)
        rows, summary = [row for row in table4.stored_rows() if row.row in numbers], None
    else:
        rows, summary = table4.run(asked.sets, asked.results, asked.jobs, asked.dask)
    return _show(summary, table4.table(rows, asked.markdown))


def _show(summary: Any, *tables: str) -> int:
    """Tables on the output; how it went beside it. The exit status is 1 where something was lost."""
    if summary is not None:
        print(summary, end="\n\n", file=sys.stderr)
    print(*tables, sep="\n\n")
    return 1 if summary is not None and summary.lost else 0


def _figure2(asked: argparse.Namespace) -> int:
    from mcmteach.paper.figure2 import figure2, save_picture

    sets = asked.sets or ["glass"]
    if asked.picture and len(sets) > 1:
        raise InvalidInputError(f"--picture takes one data set, and there are {len(sets)}.")
    for name in sets:
        figure = figure2(name)
        print(figure)
        if asked.picture:
            print(f"The picture is in {save_picture(figure, asked.picture)}.")
        else:
            print(f"For the picture: python -m mcmteach reproduce figure2 --sets {name} --picture figure2.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
