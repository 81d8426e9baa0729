"""Many folds: a run goes on where it was interrupted, the smallest set first, and a fold that fails leaves the others alone."""

import numpy as np
import pytest

from mcmteach import experiments as ex
from mcmteach.errors import InvalidInputError
from mcmteach.experiments import protocol as folds
from mcmteach.experiments.authors import AUTHORS
from mcmteach.experiments.run import FoldKey
from tests.experiments.quick import QUICK, SETS, fake, stored


def test_an_interrupted_run_goes_on_where_it_was(tmp_path):
    store, asked = ex.Store(tmp_path), []

    def interrupted(dataset, fold, protocol):
        if len(asked) == 3:
            raise KeyboardInterrupt
        asked.append(FoldKey(dataset, fold))
        return fake(dataset, fold, protocol)

    with pytest.raises(KeyboardInterrupt):
        ex.reproduce(QUICK, SETS, store, progress=False, work=interrupted)
    assert len(stored(tmp_path)) == 3
    later = []
    summary = ex.reproduce(QUICK, SETS, store, progress=False, work=lambda *a: later.append(a[:2]) or fake(*a))
    assert (summary.computed, summary.reused) == (1, 3)
    assert {*asked, *later} == {(name, fold) for name in SETS for fold in (0, 1)} and len(later) == 1


def test_the_smallest_set_comes_first_whatever_the_order_of_the_table(tmp_path):
    asked = []

    def work(dataset, fold, plan):
        asked.append(dataset)
        raise InvalidInputError("enough")

    ex.reproduce(AUTHORS, ["ionosphere", "seed", "blogger"], ex.Store(tmp_path), progress=False, work=work)
    assert list(dict.fromkeys(asked)) == ["blogger", "seed", "ionosphere"]


def test_an_exception_in_one_fold_leaves_the_others_alone(tmp_path):
    def broken(dataset, fold, protocol):
        return fake(dataset, fold, protocol) if fold else 1 / 0

    summary = ex.reproduce(QUICK, SETS, ex.Store(tmp_path), progress=False, work=broken)
    assert summary.computed == 2 and "ZeroDivisionError" in str(summary)


def test_a_fold_with_one_class_is_an_answer_that_says_so(tmp_path, monkeypatch):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.repeat([-1.0, 1.0], 10)
    with pytest.raises(InvalidInputError, match="training part of fold 0 holds one class"):
        folds.compute(X, y, np.arange(10), np.arange(8, 20), QUICK, seed=0)
    with pytest.raises(InvalidInputError, match="test part holds one class"):
        folds.compute(X, y, np.arange(20), np.arange(10), QUICK, seed=0)
    monkeypatch.setattr(folds, "load_table", lambda *a: (X, np.ones(20)))
    summary = ex.reproduce(QUICK, ["seeds"], ex.Store(tmp_path), progress=False)
    assert summary.computed == 2
    assert "seeds, fold 0: InvalidInputError: y holds one class only" in ex.table2(QUICK, ex.Store(tmp_path), ["seeds"])
