"""Many folds: the same numbers however they are run, nothing lost when a worker dies."""

import os
import sys
from functools import partial

import numpy as np
import pytest

from mcmteach import experiments as ex
from mcmteach.__main__ import main
from mcmteach.errors import InvalidInputError, MissingExtraError
from mcmteach.experiments import protocol as folds
from mcmteach.experiments.authors import AUTHORS
from mcmteach.experiments.parallel import ProgressBar
from mcmteach.experiments.run import FoldKey
from tests.experiments.quick import QUICK, SETS, dies_always, dies_once, fake, stored


def test_two_jobs_give_the_numbers_of_one(reference, tmp_path):
    ex.reproduce(QUICK, SETS, ex.Store(tmp_path), jobs=2, progress=False)
    assert stored(tmp_path) == stored(reference)
    assert len(stored(tmp_path)) == 4


def test_a_dask_cluster_gives_them_too(reference, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:  # fmt: skip
        summary = ex.reproduce(QUICK, SETS, ex.Store(tmp_path / "a"), dask=cluster.scheduler_address, progress=False)
        assert summary.computed == 4 and stored(tmp_path / "a") == stored(reference)
        # and a worker that dies hands its fold to another
        address = cluster.scheduler_address
        work = partial(dies_once, tmp_path / "died")
        again = ex.reproduce(QUICK, SETS, ex.Store(tmp_path / "b"), dask=address, progress=False, work=work)
        assert (tmp_path / "died").exists() and again.computed == 4 and not again.lost


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


def test_progress_says_how_far_it_is_and_counts_large_sets_for_more(tmp_path, capsys):
    ex.reproduce(QUICK, SETS, ex.Store(tmp_path), work=fake)
    err = capsys.readouterr().err
    assert "quick protocol: 100%" in err and "4 of 4, seeds, fold 1" in err and " left" in err
    bar = ProgressBar("work", {"small": 1.0, "large": 8.0, "first": 1.0}, done=["first"])
    assert (bar.bar.n, bar.bar.total) == (1.0, 10.0)
    bar.step("small")
    assert bar.bar.n == 2.0 and "2 of 3, small" in str(bar.bar)
    bar.close()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "carrier-pigeon://somewhere:1"])
def test_an_address_without_a_scheduler_is_one_clear_sentence(tmp_path, capsys, address):
    pytest.importorskip("distributed")
    assert main(["reproduce", "table2", "--sets", "seeds", "--results", str(tmp_path), "--dask", address]) == 2
    err = capsys.readouterr().err
    assert f"There is no Dask scheduler at {address}" in err and "--jobs N" in err and "Traceback" not in err


def test_a_worker_that_dies_is_said_and_its_fold_tried_again(tmp_path, capsys):
    work = partial(dies_once, tmp_path / "died")
    summary = ex.reproduce(QUICK, SETS, ex.Store(tmp_path / "r"), jobs=2, progress=False, work=work)
    assert (tmp_path / "died").exists()
    assert summary.computed == 4 and not summary.lost and len(stored(tmp_path / "r")) == 4
    assert "worker process died" in capsys.readouterr().err


def test_a_fold_that_kills_every_worker_is_lost_and_the_others_are_not(tmp_path):
    summary = ex.reproduce(QUICK, SETS, ex.Store(tmp_path), jobs=2, progress=False, work=dies_always)
    assert [task for task, _ in summary.lost] == [("seeds", 1)]
    assert summary.computed == 3 and len(stored(tmp_path)) == 3
    assert "seeds, fold 1" in str(summary) and "died twice" in str(summary) and "same command" in str(summary)
    # the next run tries it once more
    assert ex.reproduce(QUICK, SETS, ex.Store(tmp_path), progress=False, work=fake).computed == 1


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


@pytest.mark.parametrize(
    ("module", "arguments", "package"),
    [("joblib", {"jobs": 2}, "joblib"), ("distributed", {"dask": "tcp://x:1"}, "distributed"), ("tqdm", {}, "tqdm")],
)
def test_a_missing_package_is_named_with_its_extra(tmp_path, monkeypatch, module, arguments, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf'need {package}.*pip install -e ".*\[experiments\]"'):
        ex.reproduce(QUICK, SETS, ex.Store(tmp_path), work=fake, **{"progress": module == "tqdm", **arguments})
