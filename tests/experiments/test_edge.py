"""Stored measurements on two chips: their summary by hand, and what the stored ones hold."""

import numpy as np
import pytest
from scipy import stats

from mcmteach.experiments.edge import CORES, choices, duel, edge_rows, half_width, of_one_version, read_records


def record(split, accuracy, **more):
    return {"set": "a", "split": split, "machine": "MCM", "exporter": "ours", "accuracy": accuracy, **more}


def test_a_summary_by_hand():
    chip = {"flash": 100, "instructions": 10, "agree": 1.0}
    rows = edge_rows([
        record(0, 0.7, M0=chip, M4=None, vectors=4), record(1, 0.9, M0={**chip, "flash": 200}, vectors=6)
    ])  # fmt: skip
    (row,) = rows
    assert row.accuracy == pytest.approx(0.8) and row.vectors == 5 and row.splits == 2 and np.isnan(row.bound)
    assert row.chips["M0"].flash == 150 and row.chips["M4"] is None, "it does not fit"
    # Nadeau & Bengio: variance times 1/k + test/train
    wanted = np.sqrt(0.02 * (1 / 2 + 1 / 3)) * stats.t.ppf(0.975, 1)
    assert row.half_width == pytest.approx(wanted) and half_width([0.5]) == float("inf")


def test_what_is_stored_is_complete_and_says_what_the_page_says():
    records = of_one_version(read_records())
    rows = edge_rows()
    names = {(row.machine, row.exporter) for row in rows}
    sets = {row.dataset for row in rows}
    assert len(rows) == len(names) * len(sets) and len(sets) == 5
    assert len({row.splits for row in rows}) == 1, "every machine has seen the same splits"
    assert len(records) == sum(row.splits for row in rows), "no split is stored twice"
    for row in rows:
        assert all(core in row.chips for core in CORES) and row.chips["M4"] is not None
        if row.exporter in ("ours", "ours, expf", "m2cgen", "emlearn"):
            assert row.chips["M4"].agree >= 0.975, row


def test_longer_lists_count_once_they_have_six_splits_of_every_set_and_are_never_mixed_with_shorter_ones():
    old = [record(split, 0.5) | {"set": name} for split in range(7) for name in "ab"]
    new = [one | {"settings": 30, "accuracy": 0.9} for one in old]
    assert of_one_version(old + new[:11]) == old, "b has five splits with the longer lists"
    assert of_one_version(old + new[:13]) == new[:12], "the seventh split of b is missing, so that of a does not count"
    assert {(round(row.accuracy, 9), row.settings, row.splits) for row in edge_rows(old + new)} == {(0.9, 30, 7)}
    assert of_one_version([]) == []


def test_a_duel_by_hand():
    def rows(machine, accuracies, flash):
        chip = {"flash": flash, "instructions": 1, "agree": 1.0}
        return [record(i, a, M4=chip) | {"machine": machine} for i, a in enumerate(accuracies)]

    found = duel(edge_rows(rows("MCM", (0.9, 0.91), 100) + rows("SVC", (0.5, 0.51), 250)), "SVC", "ours")
    assert found == (1, 1, 1, 1, 2.5), "half an interval is 0.082 wide, the difference 0.4"


def test_choices_count_a_split_once_however_many_exporters_it_has():
    both = [record(0, 0.5, edges=0.5, unfinished=1.0) | {"exporter": by} for by in ("ours", "emlearn")]
    found = choices([*both, record(1, 0.5, edges=0.0), record(2, 0.5)])
    assert found == {"MCM": (2, 0.25, 0.5)}, "what was not counted is left out"


def test_without_a_file_there_are_no_records(tmp_path):
    assert read_records(tmp_path / "none.jsonl") == []
