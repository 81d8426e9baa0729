"""Folds at the same time: the same numbers however they are run, and nothing lost when a worker dies."""

import os
import sys
from functools import partial

import pytest

from mcmteach import experiments as ex
from mcmteach.__main__ import main
from mcmteach.errors import MissingExtraError
from mcmteach.experiments.parallel import ProgressBar
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
    ex.reproduce(QUICK, SETS, ex.Store(tmp_path / "c"), progress=False, work=fake)
    assert stored(tmp_path / "b") == stored(tmp_path / "c"), "the numbers of a run in which nobody died"


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


@pytest.mark.parametrize(
    ("module", "arguments", "package"),
    [("joblib", {"jobs": 2}, "joblib"), ("distributed", {"dask": "tcp://x:1"}, "distributed"), ("tqdm", {}, "tqdm")],
)
def test_a_missing_package_is_named_with_its_extra(tmp_path, monkeypatch, module, arguments, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf'need {package}.*pip install -e ".*\[experiments\]"'):
        ex.reproduce(QUICK, SETS, ex.Store(tmp_path), work=fake, **{"progress": module == "tqdm", **arguments})
