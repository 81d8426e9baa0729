"""The stored comparison of regression machines: its summary by hand, and what the stored results hold."""

import numpy as np
import pytest
from scipy import stats

from mcmteach.experiments import regression_study
from mcmteach.experiments.regression_study import fuzzy_rows, read_regression_records, rival_rows


def part(name, i, **machines):
    found = {
        machine: {"error": error, "vectors": vectors, "seconds": 0.1 * (i + 1), "edges": 0.5 * i}
        for machine, (error, vectors) in machines.items()
    }
    return {"study": "rivals", "set": name, "part": i, "samples": 80, "machines": found}


def test_a_summary_by_hand():
    records = [
        part(name, i, MCM=(0.5, 4), SVR=(0.4 + 0.1 * i, 20 + 2 * i)) for name in ("a", "world: b") for i in (0, 1, 2)
    ]
    mcm, svr, _, in_world = rival_rows(records)
    assert (svr.dataset, svr.machine, svr.parts, svr.samples) == ("a", "SVR", 3, 80)
    assert (
        svr.error == pytest.approx(0.5) and svr.vectors == 22 and svr.edges == 0.5 and svr.seconds == pytest.approx(0.2)
    )
    assert mcm.more_error == (0.0, 0.0, 0.0) and svr.more_vectors.value == 18
    # differences -0.1, 0, 0.1: s = 0.1, and folds share samples: Nadeau & Bengio's 1/3 + 1/4 for 1/3
    t = stats.t.ppf(0.975, 2)
    assert svr.more_error.high == pytest.approx(t * 0.1 * np.sqrt(1 / 3 + 1 / 4))
    assert in_world.more_error.high == pytest.approx(t * 0.1 * np.sqrt(1 / 3)), "samples of a world share nothing"


def test_fuzzy_minus_equal_by_hand():
    records = [
        {"study": "fuzzy", "set": "world: c", "part": i, "errors": {"0.2": [0.3, fuzzy]}}
        for i, fuzzy in enumerate((0.1, 0.2))
    ]
    (row,) = fuzzy_rows(records)
    assert (row.dataset, row.share) == ("world: c", 0.2) and row.equal == pytest.approx(0.3)
    assert row.difference.value == pytest.approx(-0.15)


@pytest.mark.parametrize("study", ["rivals", "fuzzy"])
def test_no_part_is_stored_twice(study):
    keys = [(record["set"], record["part"]) for record in read_regression_records(study)]
    assert len(set(keys)) == len(keys)


def test_every_set_has_the_four_machines_and_a_world_thirty_samples():
    rows = rival_rows()
    for name in {row.dataset for row in rows}:
        own = [row for row in rows if row.dataset == name]
        assert [row.machine for row in own] == ["MCM", "LP-SVR", "SVR", "kernel ridge"]
        assert own[0].parts == (30 if name.startswith("world") else 5)


def test_sets_that_have_only_some_of_their_parts_are_not_shown(monkeypatch):
    stored = {
        "rivals": [part(name, i, MCM=(0.5, 4)) for name, n in (("a", 5), ("b", 4), ("world: c", 29)) for i in range(n)],
        "fuzzy": [
            {"study": "fuzzy", "set": name, "part": i, "errors": {"0.2": [0.3, 0.2]}}
            for name, n in (("a", 10), ("b", 9), ("c", 1))
            for i in range(n)
        ],
    }
    monkeypatch.setattr(regression_study, "read_regression_records", stored.get)
    assert [row.dataset for row in rival_rows()] == [row.dataset for row in fuzzy_rows()] == ["a"]


def test_without_a_file_there_are_no_records(tmp_path):
    assert read_regression_records("rivals", tmp_path / "none.jsonl") == []
