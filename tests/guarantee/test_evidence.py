"""The page on what the guarantees are worth says what is kept, and what is kept is what the code computes."""

import numpy as np
import pytest

from mcmteach.datasets import list_datasets
from tools.bench import guarantee as bench


def test_the_page_is_written_from_what_is_kept():
    assert bench.PAGE.read_text(encoding="utf-8") == bench.page(), "python -m tools.bench.guarantee --write"


def test_every_set_is_there_and_the_goals_are_met():
    rows = bench.of_seed()
    assert [row["set"] for row in rows] == sorted(list_datasets(table=1))
    won = [row for row in rows if bench.beats_constant(row)]
    assert len(won) >= 8 and sum(row["MCM"]["bound"] < 0.3 for row in won) >= 6
    assert all(row["MCM"]["bound"] <= row["constant"] + 1e-9 for row in rows)


def test_no_world_breaks_more_bounds_than_it_may():
    rows = bench.kept(bench.WORLDS)
    for world in bench.CHANCES:
        for delta in bench.DELTAS:
            mine = [row for row in rows if (row["world"], row["delta"]) == (world, delta)]
            assert sum(row["of"] for row in mine) == bench.REPETITIONS
            assert sum(row["failed"] for row in mine) <= delta * bench.REPETITIONS


@pytest.mark.filterwarnings("ignore::mcmteach.errors.MCMWarning")
def test_a_set_and_a_world_come_out_as_they_are_kept():
    (kept,) = (row for row in bench.of_seed() if row["set"] == "seeds")
    now = bench.one_set("seeds", 0)
    for name in bench.MACHINES:
        assert now[name]["bound"] == pytest.approx(kept[name]["bound"], abs=1e-3)
    assert now["VC"] == pytest.approx(kept["VC"], abs=1e-3) and now["margin"] == pytest.approx(kept["margin"], abs=1e-3)
    first = next(row for row in bench.kept(bench.WORLDS) if (row["world"], row["delta"]) == ("clear disc", 0.5))
    room = [bench.one_world("clear disc", 0.5, first["first"] + i) for i in range(first["of"])]
    assert sum(value < 0 for value in room) == first["failed"]


def test_medoids_are_samples_and_no_single_exchange_within_a_group_helps():
    X = np.random.default_rng(0).normal(size=(30, 2)) + np.repeat([[0, 0], [6, 0], [0, 6]], 10, axis=0)
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=-1))
    found = bench.medoids(D, 3)
    assert sorted(i // 10 for i in found) == [0, 1, 2]
    owner = D[:, found].argmin(axis=1)
    for j, medoid in enumerate(found):
        rows = np.flatnonzero(owner == j)
        assert D[np.ix_(rows, [medoid])].sum() == D[np.ix_(rows, rows)].sum(axis=0).min()
