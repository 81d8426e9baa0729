"""Price or none, gamma_c by the test fold or by a validation part."""

import numpy as np
import pytest

from mcmteach import experiments as ex
from mcmteach.__main__ import main
from mcmteach.experiments.authors import PRICED, UNPRICED, AuthorsRow, authors_rows, map_gains, two_by_two
from mcmteach.experiments.authors.folds import last_fifth, z_scores
from mcmteach.experiments.test_chosen import choose_map
from tests.experiments.authors.test_folds import made_up

FEW = ex.TEST_CHOSEN._replace(C=(0.1, 1.0), gamma=(0.05,), sparsity=(0.05,), gamma_c=(2, 10, 100))


@pytest.mark.parametrize("with_price", [True, False])
def test_one_choice_sees_the_test_fold_and_the_other_does_not(with_price):
    part = z_scores(made_up(), 0)
    turned = part._replace(y_test=-part.y_test)  # whoever chose by these would now choose what was worst
    one, other = (choose_map(last_fifth(p), p, FEW, with_price, validated=True) for p in (part, turned))
    assert one.basic["params"] == other.basic["params"]
    assert one.by_validation["params"] == other.by_validation["params"]
    assert one.by_test["accuracy"] >= one.by_validation["accuracy"]
    assert other.by_test["accuracy"] >= other.by_validation["accuracy"]
    assert one.by_validation["accuracy"] == pytest.approx(1 - other.by_validation["accuracy"], abs=1e-5)


def test_the_last_fifth_is_held_out():
    part = z_scores(made_up(), 0)
    valid = last_fifth(part)
    assert len(valid.y) == round(0.8 * len(part.y))
    assert np.array_equal(np.r_[valid.X, valid.X_test], part.X) and np.array_equal(np.r_[valid.y, valid.y_test], part.y)


def test_a_fold_is_ready_to_be_stored(monkeypatch, tmp_path):
    monkeypatch.setattr(two_by_two, "read_set", lambda name, folder: made_up())
    monkeypatch.setattr(two_by_two, "RULES", FEW)
    store = ex.Store(tmp_path)
    for fold in range(5):
        store.write(PRICED, two_by_two.run_two_by_two("seed", fold, PRICED))
    (row,) = authors_rows(PRICED, "mcm_by_test", store)
    assert row.row == 7 and row.accuracies.shape == (5,)


def test_two_rows_with_the_same_votes_count_once():
    basic, mapped = (
        [AuthorsRow(row, np.array([accuracy]), [1]) for row, accuracy in zip((3, 17, 24), column, strict=True)]
        for column in ((80.0, 90.0, 90.0), (81.0, 92.0, 94.0))
    )
    assert map_gains(basic, mapped) == [[1.0, 3.0]]


@pytest.mark.parametrize("plan", [PRICED, UNPRICED])
def test_stored_rows_are_shown(plan, capsys):
    rows = authors_rows(plan, plan.columns[0])
    assert main(["reproduce", "table2", "--protocol", plan.name, "--stored", "--markdown"]) == 0
    assert capsys.readouterr().out.count("\n| ") == (len(rows) + 3 if rows else 2)
