"""Which machines fit on a microcontroller, and how accurate are they there?

    python -m tools.edge.study             what is missing of the stored results, then docs/EDGE.md and its picture
    python -m tools.edge.study --sets sonar --splits 1 --results FILE
    python -m tools.edge.study --page      only the page and the picture, from the stored results

Each split of each set is stored as soon as it is measured; an interrupted run goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit

from mcmteach import load_dataset
from mcmteach.errors import MCMWarning
from mcmteach.experiments.edge import EDGE_RESULTS, TEST_SHARE, read_records, settings_of
from tools.edge import report
from tools.edge.board import BOARDS, INSTALL, Board, Source, measure, missing_tools
from tools.edge.rivals import SETTINGS, Rival, rivals

SETS = ("pima-indians", "heart-statlog", "mammographic-masses", "breast-cancer-wdbc", "sonar")
SPLITS = 10
ON_A_BOARD = 3  # splits of each set that are run in the emulator too
MOST_ROWS = 40  # test samples that the emulator is asked about


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--splits", type=int, default=SPLITS, help="how many of each set")
    parser.add_argument("--results", type=Path, default=EDGE_RESULTS)
    parser.add_argument("--page", action="store_true", help="only write the page and the picture anew")
    asked = parser.parse_args(arguments)
    if not asked.page:
        if missing := missing_tools():
            print(
                f"make edge is skipped: it needs {', '.join(missing)}. On Debian or Ubuntu: {INSTALL}", file=sys.stderr
            )
            return 0
        run(asked.sets, asked.splits, asked.results)
    if asked.results == EDGE_RESULTS:
        report.write()
    return 0


def run(sets: Any, splits: int, results: Path) -> None:
    """Measure and store every split that is not stored yet."""
    for split in range(splits):
        for name in sets:
            stored = [record for record in read_records(results) if settings_of(record) == SETTINGS]
            done = {(record["set"], record["split"]) for record in stored}
            if (name, split) not in done:
                records = one_split(name, split)
                with results.open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(record) + "\n" for record in records)
                print(f"{name}, split {split}: {len(records)} programs", flush=True)


def one_split(name: str, split: int) -> list[dict[str, Any]]:
    """A record for each machine and exporter, on one split."""
    data = load_dataset(name)
    X, y = np.asarray(data.data, dtype=np.float32).astype(np.float64), data.target
    splitter = StratifiedShuffleSplit(SPLITS, test_size=TEST_SHARE, random_state=0)
    train, test = list(splitter.split(X, y))[split]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCMWarning)  # some settings of a grid are constant machines
        machines = rivals(X[train], y[train], seed=split)
    records = []
    for machine, rival in machines.items():
        accuracy = float(np.mean(rival.machine.predict(X[test]) == y[test]))
        for exporter, source in rival.sources.items():
            record: dict[str, Any] = {"set": name, "split": split, "machine": machine, "exporter": exporter}
            record["settings"] = SETTINGS
            record |= {"accuracy": round(accuracy, 6), **rival.note}
            if split < ON_A_BOARD:
                record |= {core: on_board(source(), rival, X[test][:MOST_ROWS], BOARDS[core]) for core in BOARDS}
            records.append(record)
    return records


def on_board(source: Source, rival: Rival, X: NDArray[np.float64], board: Board) -> dict[str, float] | None:
    """Flash bytes, instructions per answer, and the share of labels that are Python's; None where it does not fit."""
    with tempfile.TemporaryDirectory() as folder:
        found = measure(source, X, board, Path(folder))
    if found is None:
        return None
    agree = float(np.mean(found.labels == rival.machine.predict(X)))
    return {"flash": found.flash, "instructions": round(found.instructions), "agree": round(agree, 4)}


if __name__ == "__main__":
    sys.exit(main())
