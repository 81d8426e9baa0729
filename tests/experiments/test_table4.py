"""P's Table 4, re-run: the split, the choice on the training part alone, what is kept."""

import os
import sys

import numpy as np
import pytest
import threadpoolctl
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from mcmteach import list_datasets, load_dataset
from mcmteach.__main__ import main
from mcmteach.datasets import standardised
from mcmteach.errors import InvalidInputError
from mcmteach.experiments import table4

SET = "breast-cancer-wisconsin"


@pytest.fixture
def small(monkeypatch):
    grid = {"gamma": (1.0,), "C": (100.0, 1000.0), "n_components": (30,), "whiten": (1e-3,)}
    monkeypatch.setattr(table4, "GRIDS", {"small": grid, "large": grid})
    monkeypatch.setattr(table4, "GAMMA_C_GRID", (1.0,))
    monkeypatch.setattr("mcmteach.large_scale.descent.AUTO_STEPS", 300)


def test_the_split_and_the_scaling_are_the_papers():
    d = load_dataset(SET)
    X, X_test, y, y_test = table4.split(SET)
    expected = train_test_split(d.data, d.target, test_size=0.2, random_state=42)
    for ours, theirs in zip((X, X_test, y, y_test), expected, strict=True):
        assert np.array_equal(ours, theirs)
    scaler = StandardScaler().fit(X)
    for ours, theirs in zip(standardised(X, X_test), (X, X_test), strict=True):
        np.testing.assert_allclose(ours, scaler.transform(theirs), atol=1e-12)


def test_every_set_at_hand_has_its_row():
    assert {r.dataset for r in map(row_of, table4.rows_of())} == set(list_datasets(table=4))
    assert table4.rows_of(["magic-gamma"]) == [12]
    with pytest.raises(InvalidInputError, match="no set 'iris'"):
        table4.rows_of(["iris"])


def row_of(number):
    return next(r for r in table4.PAPER_TABLES if r.table == 4 and r.row == number)


def test_a_row_is_computed_kept_and_shown(small, tmp_path, capsys):
    command = ["reproduce", "table4", "--sets", SET, "--results", str(tmp_path)]
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert "96.35" in out and "1 sets computed, 0 taken" in err and "Table 4: 100%" in err
    (row,) = table4.stored_rows(tmp_path / "table4.jsonl")
    assert row.dataset == SET and (row.samples, row.features) == (683, 9)
    assert row.mcm > 93 and row.conformal > 90 and row.J_after > row.J_before
    assert main([*command, "--markdown"]) == 0
    out, err = capsys.readouterr()
    assert f"| {SET} (breast-cancer) | 683 | 96.35 | {row.mcm:.2f} |" in out and "0 sets computed, 1 taken" in err
    other = fake(5)
    table4.save([other, row._replace(mcm=1.0)], tmp_path / "table4.jsonl")
    assert [(r.row, r.mcm) for r in table4.stored_rows(tmp_path / "table4.jsonl")] == [(3, 1.0), (5, other.mcm)]


def fake(number):
    """A row that costs nothing."""
    name = str(row_of(number).dataset)
    return table4.Table4Row(
        number, "x", name, 10, 2, *table4.PRINTED[number], 90.0, 91.0, 0.1, 0.2, {}, 0.0, table4.rules(name)
    )


def test_an_interrupted_table_goes_on_where_it_was(tmp_path):
    asked = []

    def interrupted(number):
        if len(asked) == 3:
            raise KeyboardInterrupt
        asked.append(number)
        return fake(number)

    with pytest.raises(KeyboardInterrupt):
        table4.run(None, tmp_path, progress=False, work=interrupted)
    assert len(table4.stored_rows(tmp_path / "table4.jsonl")) == 3
    rows, summary = table4.run(None, tmp_path, progress=False, work=lambda n: asked.append(n) or fake(n))
    assert (summary.computed, summary.reused) == (4, 3)
    assert sorted(asked) == table4.rows_of() == [row.row for row in rows]


def test_several_cores_and_a_cluster_give_the_same_rows(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    expected, _ = table4.run(None, tmp_path / "one", progress=False, work=fake)
    assert table4.run(None, tmp_path / "two", jobs=2, progress=False, work=fake)[0] == expected
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    with distributed.LocalCluster(n_workers=1, processes=True, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        assert table4.run(None, tmp_path / "three", dask=address, progress=False, work=fake)[0] == expected


def test_a_row_is_computed_on_one_thread(small, monkeypatch):
    """However many a machine has: sums of many threads differ in their last digits, and a choice may follow them."""
    seen, plain = [], table4.split

    def spying(*arguments):
        seen.extend(pool["num_threads"] for pool in threadpoolctl.threadpool_info())
        return plain(*arguments)

    monkeypatch.setattr(table4, "split", spying)
    with threadpoolctl.threadpool_limits(2):
        table4.run_set(3, conformal=False)
    assert set(seen) == {1}


def test_a_lost_row_is_said_and_the_others_are_kept(tmp_path, monkeypatch, capsys):
    rows, summary = table4.run(None, tmp_path, progress=False, work=lambda n: fake(n) if n != 9 else 1 / 0)
    assert len(rows) == 6 and "lost: adult-a1a-pool: ZeroDivisionError" in str(summary)


@pytest.mark.parametrize("broken", ["{", '{"row": 3}', "[]", '{"row": []}'])
def test_a_broken_file_is_said_moved_aside_and_computed_again(tmp_path, capsys, broken):
    (tmp_path / "table4.jsonl").write_text(broken)
    rows, summary = table4.run([SET], tmp_path, progress=False, work=fake)
    assert summary.computed == 1 and rows == [fake(3)]
    assert "table4.jsonl cannot be read" in capsys.readouterr().err and (tmp_path / "table4.corrupt").exists()


def test_rows_of_other_rules_are_stale(tmp_path, monkeypatch):
    table4.run([SET], tmp_path, progress=False, work=fake)
    monkeypatch.setattr(table4, "FINAL", 3)
    assert table4.stored_rows(tmp_path / "table4.jsonl") == []
    assert table4.run([SET], tmp_path, progress=False, work=fake)[1].computed == 1


def test_of_equals_the_first_is_chosen_whatever_the_last_digit_says(monkeypatch):
    """Means of the same right answers differ in their last digit by the order in which they were added up."""

    class Machine:
        def __init__(self, C, **more):
            self.scores = {1.0: [0.1, 0.2, 0.3], 2.0: [0.3, 0.2, 0.1]}[C]

        def fit(self, Z, y):
            return self

        def score(self, Z, y):
            return self.scores[int(y[0])]

    assert np.mean([0.1, 0.2, 0.3]) != np.mean([0.3, 0.2, 0.1])
    monkeypatch.setattr(table4, "_validation_parts", lambda X, y, seed: [([0, 1, 2], [k]) for k in range(3)])
    for order in ((1.0, 2.0), (2.0, 1.0)):
        grid = [({"C": C}, True) for C in order]
        assert table4._best(Machine, grid, np.arange(3.0)[:, None], np.arange(3), 0).parameters["C"] == order[0]


def test_tuning_never_sees_the_test_part(small, monkeypatch):
    """Other test data, the same choice: whatever stands in the test part."""
    X, _, y, _ = table4.split(SET)
    choice = table4.tune(X, y)
    seen = []
    plain = table4.split

    def spoilt(dataset, seed):
        X, X_test, y, y_test = plain(dataset, seed)
        return [X, np.zeros_like(X_test), y, 1 - y_test]

    monkeypatch.setattr(table4, "split", spoilt)
    row = table4.run_set(3, conformal=False)
    seen = {k: row.chosen[k] for k in choice.parameters}
    assert seen == choice.parameters and row.chosen["validation"] == choice.accuracy
    assert np.isnan(row.conformal)


def test_binary_data_may_stay_as_they_are(small):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (150, 5)).astype(float)
    y = (X.sum(axis=1) > 2).astype(int)
    assert table4.tune(X, y).scaled in (True, False)
    assert table4.tune(X + 0.5, y).scaled is True


def test_bad_options(tmp_path, capsys):
    assert main(["reproduce", "table4", "--protocol", "test-chosen", "--results", str(tmp_path)]) == 2
    assert "Table 4 has one protocol, nested" in capsys.readouterr().err
    with pytest.raises(InvalidInputError, match="jobs must be"):
        table4.run([SET], tmp_path, jobs=0)


def test_what_is_stored_is_complete_and_fresh(capsys):
    assert main(["reproduce", "table4", "--stored"]) == 0
    rows = table4.stored_rows()
    assert set(table4.rows_of()) < {r.row for r in rows}  # those that come with the package, and some that do not
    out = capsys.readouterr().out
    for row in rows:
        assert 50 < row.mcm < 100 and 50 < row.conformal <= 100 and f"{row.dataset} ({row.name})" in out
        assert (row.paper_mcm, row.paper_conformal) == table4.PRINTED[row.row]
