"""The command line: ``python -m mcmteach --help``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import mcmteach
from mcmteach.classroom import grade, lab, release, review, serve
from mcmteach.doctor import doctor
from mcmteach.errors import InvalidInputError, MCMError, install_command
from mcmteach.export import command as export
from mcmteach.validation import whole

if TYPE_CHECKING:
    from mcmteach.experiments.rules import Plan
    from mcmteach.experiments.store import Store
    from mcmteach.paper.figure2 import Figure2

DESCRIPTION = """\
mcmteach: statistical learning theory one can play with.

The course is in lessons/ and exercises/ (open them with `make lab`, or the command lab).
The library is `import mcmteach`. The commands below help with both.
"""

REPRODUCE = """\
Run the paper's experiments again (Badge et al. 2021), on the sets of its Table 1 that are available.

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
  python -m mcmteach reproduce table2 --jobs 2              all 23 sets, nested: some ten minutes on two cores
  python -m mcmteach reproduce table2 --protocol nested-wide --repeats 10   wide grids, the LP-SVM, ten partitions: hours
  python -m mcmteach reproduce table3 --sets glass sonar    two sets
  python -m mcmteach reproduce table2 --protocol test-chosen          the paper's grids, gamma_c chosen on the test fold: hours
  python -m mcmteach reproduce table2 --protocol authors --data DIR   the authors' own folds, from their repository
  python -m mcmteach reproduce table2 --dask tcp://ADDRESS:8786       on a Dask cluster
  python -m mcmteach reproduce figure2 --picture figure2.png
"""


DOCTOR = """\
Check Python, the core, the solver, the lessons' tools and the optional extras. The exit status is 0 if everything
installed works, 1 if something is broken or too old.
"""

GRADE = """\
Grade notebooks without running strangers' code in your own Python: each submission runs in a sandbox (bubblewrap) with limits
on time, memory, processes and output, and is judged by its answers, from outside. Needs the extra `classroom`: `python -m
mcmteach doctor` says how to install it. An interrupted run goes on where it stopped. The exit status is 0 if every submission
could be graded or is no notebook, 1 if grading one failed, 2 if there is no sandbox.
"""

SLOW = """\
highspy is not installed, so the linear programmes are solved by linprog: the same optima, much more slowly.
To install it: {install}
"""


class Command(NamedTuple):
    """What a command runs, what the list of commands says about it, its arguments, and what its own help says besides."""

    run: Callable[[argparse.Namespace], int]
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None] = lambda parser: None
    description: str | None = None
    examples: str | None = None


def main(arguments: Sequence[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    if asked.command is None:
        _parser().print_help()
        return 0
    try:
        return COMMANDS[asked.command].run(asked)
    except MCMError as problem:
        print(f"python -m mcmteach {asked.command}: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nStopped. What was done is stored: the same command goes on from there.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m mcmteach", description=DESCRIPTION, formatter_class=as_written)
    parser.add_argument("--version", action="version", version=f"mcmteach {mcmteach.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, command in COMMANDS.items():
        layout = as_written if command.examples else argparse.HelpFormatter
        about = command.description or f"{command.help[0].upper()}{command.help[1:]}."
        words: dict[str, Any] = {"help": command.help, "description": about, "epilog": command.examples}
        command.add_arguments(commands.add_parser(name, **words, formatter_class=layout))
    return parser


def _protocol_name(text: str) -> str:
    """A protocol by its name, or by the name that it had in earlier versions."""
    if text in OLD_NAMES:
        print(f"The protocol '{text}' is now called '{OLD_NAMES[text]}'.", file=sys.stderr)
    return OLD_NAMES.get(text, text)


FROM_A_FOLDER = ("authors", "authors-mcm", "authors-price", "authors-no-price")
OLD_NAMES = {"honest": "nested", "paper": "test-chosen"}
REPRODUCE_OPTIONS: dict[str, dict[str, Any]] = {
    "what": {
        "choices": ["table2", "table3", "table4", "figure2"],
        "metavar": "WHAT",
        "help": "table2, table3, table4 or figure2",
    },
    "--protocol": {
        "type": _protocol_name,
        "choices": [
            "nested",
            "nested-wide",
            "logistic",
            "ml1-svm",
            "no-price",
            "test-chosen",
            "baseline",
            *FROM_A_FOLDER,
        ],
        "default": "nested",
        "help": "nested (default): everything is chosen inside the training folds. nested-wide: on wide grids, with the "
        "LP-SVM; takes hours. test-chosen: the paper's grids, and gamma_c chosen on the test fold as the authors' code "
        "does; also the paper's programme without a price on the coefficients. "
        "baseline: only the SVMs of test-chosen, minutes. authors: the SVMs on the authors' own folds (--data), minutes. "
        "authors-mcm: the MCM by the steps of their code, in hours for the large sets. authors-price, authors-no-price: "
        "gamma_c chosen on their test folds and on a validation part, with and without a price (hours). logistic, "
        "ml1-svm, no-price: further machines on the folds of nested-wide, for the ablation",
    },
    "--data": {
        "metavar": "DIR",
        "help": "protocols authors...: folder with the authors' files N.mat and Nfold.mat, such as a clone of the GitHub "
        "repository macsharma/MCM_LINPROG at commit 53fa95d. table4: folder with the sets that do not come with the package",
    },
    "--sets": {
        "nargs": "+",
        "metavar": "NAME",
        "help": "data sets (default: all of the table's; glass for figure2)",
    },
    "--repeats": {
        "type": int,
        "default": 1,
        "metavar": "N",
        "help": "protocol nested-wide: how many times the data are divided into folds anew, up to 10 (default: 1)",
    },
    "--jobs": {
        "type": int,
        "default": 1,
        "metavar": "N",
        "help": "processes (default: 1). The numbers do not depend on it",
    },
    "--results": {
        "default": "mcmteach-results",
        "metavar": "DIR",
        "help": "folder where results are stored, and looked for (default: %(default)s)",
    },
    "--dask": {
        "metavar": "ADDRESS",
        "help": "a Dask scheduler to run on, instead of --jobs. Whoever reaches a scheduler can run code on its workers",
    },
    "--stored": {"action": "store_true", "help": "compute nothing: show the results that come with the package"},
    "--pack": {
        "action": "store_true",
        "help": "tables 2 and 3: afterwards move the files of all folds into one file, a line for each",
    },
    "--markdown": {"action": "store_true", "help": "print tables as Markdown"},
    "--picture": {"metavar": "FILE", "help": "figure2 only: draw it into this file (.png, .svg or .pdf)"},
}


def _reproduce_arguments(parser: argparse.ArgumentParser) -> None:
    for name, option in REPRODUCE_OPTIONS.items():
        parser.add_argument(name, **option)


def _reproduce(asked: argparse.Namespace) -> int:
    if asked.picture and asked.what != "figure2":
        raise InvalidInputError(f"--picture belongs to figure2, and {asked.what} is numbers only.")
    if asked.data and asked.protocol not in FROM_A_FOLDER and asked.what != "table4":
        raise InvalidInputError(
            f"--data belongs to --protocol authors; '{asked.protocol}' has its data in the package."
        )
    if asked.protocol in FROM_A_FOLDER and asked.what in ("table2", "table3"):
        return _authors(asked)
    return {"figure2": _figure2, "table4": _table4}.get(asked.what, _table2_or_3)(asked)


def _authors(asked: argparse.Namespace) -> int:
    from mcmteach.experiments import authors

    by_table = {"table2": authors.authors_table2, "table3": authors.authors_table3}
    plan, work, table = {
        "authors": (authors.AUTHORS, authors.run_fold, by_table[asked.what]),
        "authors-mcm": (authors.PROGRAMME, authors.run_programme, authors.programme_table),
        "authors-price": (authors.PRICED, authors.run_two_by_two, authors.two_by_two_table),
        "authors-no-price": (authors.UNPRICED, authors.run_two_by_two, authors.two_by_two_table),
    }[asked.protocol]
    plan = plan._replace(folder=asked.data or "")
    sets = plan.choose_sets(asked.sets)
    if not asked.stored:
        if not asked.data:
            raise InvalidInputError(
                f"--protocol {asked.protocol} needs --data DIR, a folder with the authors' files: {authors.SOURCE}."
            )
        for name in sets:
            authors.read_files(name, asked.data)  # report a missing file now rather than in the middle of a run
    store, summary = _stored_folds(asked, plan, sets, work)
    return _show(summary, table(plan, store, sets, asked.markdown))


def _table2_or_3(asked: argparse.Namespace) -> int:
    from mcmteach import experiments
    from mcmteach.experiments.rules import solver

    protocol = experiments.PROTOCOLS[asked.protocol]
    if not asked.stored:
        protocol = protocol._replace(repeats=min(whole(asked.repeats, "--repeats", 1), protocol.repeats))
    sets = experiments.choose_sets(asked.sets)
    if not asked.stored and solver() == "linprog":
        print(SLOW.format(install=install_command("fast")), file=sys.stderr)
    store, summary = _stored_folds(asked, protocol, sets, experiments.run_fold)
    what = (protocol, store, sets, asked.markdown)
    if asked.what == "table2":
        return _show(summary, experiments.table2(*what), experiments.printed_table(asked.markdown))
    return _show(summary, experiments.table3(*what), experiments.details(*what))


def _stored_folds(asked: argparse.Namespace, plan: Plan, sets: Sequence[str], work: Any) -> tuple[Store, Any]:
    """The store with all folds, missing ones computed first, and the summary of that run (None with --stored)."""
    from mcmteach import experiments

    if asked.stored:
        return experiments.Store(experiments.STORED), None
    store = experiments.Store(asked.results)
    summary = experiments.reproduce(plan, sets, store, asked.jobs, asked.dask, work=work)
    if asked.pack:
        print(f"{store.pack(plan)} folds moved into {store.packed_path(plan)}.", file=sys.stderr)
    return store, summary


def _table4(asked: argparse.Namespace) -> int:
    from mcmteach.experiments import table4

    if asked.protocol != "nested":
        raise InvalidInputError(f"Table 4 has one protocol, nested; '{asked.protocol}' is for tables 2 and 3.")
    if asked.stored:
        wanted = table4.rows_of(asked.sets) if asked.sets else range(1, 15)
        rows, summary = [row for row in table4.stored_rows() if row.row in wanted], None
    else:
        rows, summary = table4.run(asked.sets, asked.results, asked.jobs, asked.dask, folder=asked.data)
    return _show(summary, table4.table(rows, asked.markdown))


def _show(summary: Any, *tables: str) -> int:
    """Print the tables, and the summary of the run to standard error. The exit status is 1 if a result was lost."""
    if summary is not None:
        print(summary, end="\n\n", file=sys.stderr)
    print(*tables, sep="\n\n")
    return 1 if summary is not None and summary.lost else 0


def _figure2(asked: argparse.Namespace) -> int:
    from mcmteach.paper.figure2 import figure2

    sets = asked.sets or ["glass"]
    if asked.picture and len(sets) > 1:
        raise InvalidInputError(f"--picture takes one data set, and there are {len(sets)}.")
    for name in sets:
        figure = figure2(name)
        print(figure)
        if asked.picture:
            _draw(figure, asked.picture)
            print(f"The picture is in {asked.picture}.")
        else:
            print(f"For the picture: python -m mcmteach reproduce figure2 --sets {name} --picture figure2.png")
    return 0


def _draw(figure: Figure2, path: str) -> None:
    """Draw the figure into a file; its ending says in which format."""
    from mcmteach.plots import plot_embeddings  # here, since pictures need matplotlib

    picture = plot_embeddings(figure)
    try:
        picture.savefig(path, dpi=150)
    except ValueError as problem:  # an ending that matplotlib does not know; it lists those that it does
        raise InvalidInputError(f"The picture cannot be drawn into {path}: {problem}") from None
    except OSError as problem:
        raise InvalidInputError(f"The picture cannot be written to {path} ({problem.strerror}).") from None


COMMANDS = {
    "doctor": Command(
        lambda asked: doctor(),
        "check that everything is installed and works, and say what to do if not",
        description=DOCTOR,
    ),
    "grade": Command(
        grade.run,
        "grade a class's notebooks, each in a sandbox, with a table of marks and feedback",
        grade.add_arguments,
        GRADE,
    ),
    "release": Command(
        release.run, "make the students' notebooks of your own copy of the exercises", release.add_arguments
    ),
    "lab": Command(lab.run, "open the course in JupyterLab, in a folder of your own copies", lab.add_arguments),
    "review": Command(
        review.run, "five questions from the lessons you have done, with reasons", review.add_arguments, review.REVIEW
    ),
    "serve": Command(serve.run, "show the built site (make site) on this computer", serve.add_arguments),
    "export": Command(
        export.run, "write a saved machine as a C header or as ONNX", export.add_arguments, export.EXPORT
    ),
    "reproduce": Command(
        _reproduce, "run the paper's tables and its Figure 2 again", _reproduce_arguments, REPRODUCE, EXAMPLES
    ),
}


if __name__ == "__main__":
    sys.exit(main())
