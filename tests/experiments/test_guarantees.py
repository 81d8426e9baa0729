"""The page on what the guarantees are worth says what is kept, and what is kept is what the code computes."""

import numpy as np
import pytest

from mcmteach.datasets import list_datasets
from mcmteach.experiments import guarantees
from mcmteach.experiments.edge import read_records
from tools.bench import guarantee as bench


def test_the_page_is_written_from_what_is_kept():
    assert bench.PAGE.read_text(encoding="utf-8") == bench.page(), "python -m tools.bench.guarantee --write"


def test_every_set_is_there_and_the_goals_are_met():
    sets = guarantees.bounds()
    assert [one.name for one in sets] == sorted(list_datasets(table=1))
    assert all(one.rows and {row["seed"] for row in one.rows} <= set(bench.SEEDS) for one in sets)
    assert sum(one.wins() for one in sets) >= 8 and sum(one.low() for one in sets) >= 6
    assert all(row["MCM"]["bound"] <= row["constant"] + 1e-9 for one in sets for row in one.rows)


def test_no_world_breaks_more_bounds_than_it_may():
    found = list(guarantees.failures())
    assert [(one.world, one.delta) for one in found] == [(w, d) for w in bench.CHANCES for d in bench.DELTAS]
    assert all(one.repetitions == bench.REPETITIONS and one.share <= one.delta for one in found)


@pytest.mark.filterwarnings("ignore::mcmteach.errors.MCMWarning")
def test_a_set_and_a_world_come_out_as_they_are_kept():
    (kept,) = (one.rows[0] for one in guarantees.bounds() if one.name == "seeds")
    now = bench.one_set("seeds", 0)
    for name in bench.MACHINES:
        assert now[name]["bound"] == pytest.approx(kept[name]["bound"], abs=1e-3)
    for name in ("VC", "margin", "scenario", "test set", "constant"):
        assert now[name] == pytest.approx(kept[name], abs=1e-3)
    first = next(row for row in read_records(guarantees.WORLDS) if (row["world"], row["delta"]) == ("clear disc", 0.5))
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
