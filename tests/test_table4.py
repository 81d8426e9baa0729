"""P's Table 4, re-run: the split, the choice on the training part alone, what is kept."""

import numpy as np
import pytest
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from mcmteach import InvalidInputError, list_datasets, load_dataset
from mcmteach.experiments import table4

SET = "breast-cancer-wisconsin"


@pytest.fixture
def small(monkeypatch):
    grid = {"gamma": (1.0,), "C": (100.0, 1000.0), "n_components": (30,), "whiten": (1e-3,)}
    monkeypatch.setattr(table4, "GRIDS", {"small": grid, "large": grid})
    monkeypatch.setattr(table4, "GAMMA_C_GRID", (1.0,))
    monkeypatch.setattr("mcmteach.large_scale.STEPS", 300)


def test_the_split_and_the_scaling_are_the_papers():
    d = load_dataset(SET)
    X, X_test, y, y_test = table4.split(SET)
    expected = train_test_split(d.data, d.target, test_size=0.2, random_state=42)
    for ours, theirs in zip((X, X_test, y, y_test), expected, strict=True):
        assert np.array_equal(ours, theirs)
    scaler = StandardScaler().fit(X)
    for ours, theirs in zip(table4.standardised(X, X_test), (X, X_test), strict=True):
        np.testing.assert_allclose(ours, scaler.transform(theirs), atol=1e-12)
    assert table4.standardised(X, X_test, scaled=False)[0] is X


def test_every_set_at_hand_has_its_row():
    assert {r.dataset for r in map(row_of, table4.rows_of())} == set(list_datasets(table=4))
    assert table4.rows_of(["magic-gamma"]) == [12]
    with pytest.raises(InvalidInputError, match="no set 'iris' at hand"):
        table4.rows_of(["iris"])


def row_of(number):
    return next(r for r in table4.PAPER_TABLES if r.table == 4 and r.row == number)


def test_a_row_is_computed_kept_and_shown(small, tmp_path, capsys):
    (row,) = table4.run([SET], results=tmp_path)
    assert row.dataset == SET and (row.samples, row.features) == (683, 9)
    assert row.mcm > 93 and row.conformal > 90 and row.J_after > row.J_before
    assert "| 96.35 |" in capsys.readouterr().out
    assert table4.stored_rows(tmp_path / "table4.json") == [row]
    table4.save([row._replace(row=1), row._replace(mcm=1.0)], tmp_path / "table4.json")
    assert [(r.row, r.mcm) for r in table4.stored_rows(tmp_path / "table4.json")] == [(1, row.mcm), (3, 1.0)]


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


def test_bad_options():
    for options in ({"protocol": "paper"}, {"dask": "tcp://somewhere"}):
        with pytest.raises(InvalidInputError, match="honest protocol"):
            table4.run([SET], **options)


def test_what_is_stored_is_complete(capsys):
    rows = table4.run(stored=True)
    assert [r.row for r in rows] == table4.rows_of()
    for row in rows:
        assert 50 < row.mcm < 100 and 50 < row.conformal < 100
        assert (row.paper_mcm, row.paper_conformal) == table4.PRINTED[row.row]
    assert capsys.readouterr().out.count("\n") == len(rows) + 2
