"""Faults in the middle of a run of experiments: after each, the same command ends with the numbers of an undisturbed run."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from mcmteach import experiments as ex
from mcmteach.__main__ import main
from mcmteach.errors import MCMError, SolverError
from mcmteach.experiments.store import NotKeptError
from tests.experiments.quick import QUICK, SETS, fake, stored


def undisturbed(folder):
    ex.reproduce(QUICK, SETS, ex.Store(folder), progress=False, work=fake)
    return stored(folder)


def again(folder):
    """What the same command ends with; nothing half-written is left beside it."""
    summary = ex.reproduce(QUICK, SETS, ex.Store(folder), progress=False, work=fake)
    assert not summary.lost and not list(Path(folder).rglob("*.part"))
    return stored(folder)


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    return undisturbed(tmp_path_factory.mktemp("undisturbed"))


# --- the machine's faults ------------------------------------------------------------------------------------------------


def raises_once(marker, problem, dataset, fold, protocol):
    if dataset == "promoters" and fold == 0 and not marker.exists():
        marker.touch()
        raise problem
    return fake(dataset, fold, protocol)


@pytest.mark.parametrize(
    "problem", [SolverError("gave up"), MemoryError(), ZeroDivisionError(), OSError(5, "I/O error")]
)
def test_an_engine_that_raises_costs_its_fold_only(tmp_path, wanted, problem):
    work = partial(raises_once, tmp_path / "raised", problem)
    summary = ex.reproduce(QUICK, SETS, ex.Store(tmp_path / "r"), progress=False, work=work)
    assert summary.computed == 3 and type(problem).__name__ in str(summary)
    assert again(tmp_path / "r") == wanted


def killed_once(marker, dataset, fold, protocol):
    if dataset == "promoters" and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)  # as the kernel does when memory runs out
    return fake(dataset, fold, protocol)


def test_a_killed_worker_of_joblib_costs_nothing(tmp_path, wanted, capsys):
    work = partial(killed_once, tmp_path / "killed")
    summary = ex.reproduce(QUICK, SETS, ex.Store(tmp_path / "r"), jobs=2, progress=False, work=work)
    assert (tmp_path / "killed").exists() and "worker process died" in capsys.readouterr().err
    assert not summary.lost and stored(tmp_path / "r") == wanted == again(tmp_path / "r")


# --- the disk's ------------------------------------------------------------------------------------------------------------


def full_disk(monkeypatch, from_write, number=errno.ENOSPC):
    """From a certain write on half of the text is written, and then the disk is full."""
    honest, writes = Path.write_text, []

    def write_text(self, text, *args, **kwargs):
        writes.append(self)
        if len(writes) < from_write:
            return honest(self, text, *args, **kwargs)
        honest(self, text[: len(text) // 2], *args, **kwargs)
        raise OSError(number, os.strerror(number), str(self))

    monkeypatch.setattr(Path, "write_text", write_text)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT])
@pytest.mark.parametrize("from_write", [1, 3, 4])
def test_a_full_disk_is_said_in_words_and_costs_what_was_not_yet_stored(tmp_path, wanted, number, from_write):
    with pytest.MonkeyPatch.context() as patch:
        full_disk(patch, from_write, number)
        with pytest.raises(NotKeptError, match=rf"{os.strerror(number)}.*same command"):
            ex.reproduce(QUICK, SETS, ex.Store(tmp_path), progress=False, work=fake)
    assert len(stored(tmp_path)) == from_write - 1
    assert again(tmp_path) == wanted


def test_the_command_line_says_so_without_a_traceback(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("mcmteach.experiments.protocol.compute", lambda *a: {"error": "not computed"})
    full_disk(monkeypatch, 1)
    assert main(["reproduce", "table2", "--sets", "seeds", "--results", str(tmp_path)]) == 2
    assert "No space left" in capsys.readouterr().err


def test_a_disk_that_fills_up_while_a_run_is_packed_loses_no_fold(tmp_path, wanted):
    undisturbed(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        full_disk(patch, 1)
        with pytest.raises(NotKeptError):
            ex.Store(tmp_path).pack(QUICK)
    assert stored(tmp_path) == wanted
    assert ex.Store(tmp_path).pack(QUICK) == 4 and stored(tmp_path) == wanted


def test_a_folder_that_may_not_be_written_to_is_refused_before_anything_is_computed(tmp_path, monkeypatch):
    def refused(self, *args, **kwargs):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))

    monkeypatch.setattr(Path, "touch", refused)
    with pytest.raises(MCMError, match=r"Permission denied.*--results DIR"):
        ex.reproduce(QUICK, SETS, ex.Store(tmp_path), progress=False, work=None)


def test_results_cut_off_anywhere_are_computed_again(tmp_path, wanted, capsys):
    rng = random.Random(0)
    for _ in range(25):
        undisturbed(tmp_path)
        for path in rng.sample(sorted(tmp_path.rglob("*.json")), 2):
            whole = path.read_bytes()
            path.write_bytes(whole[: rng.randrange(len(whole) - 1)])
        assert again(tmp_path) == wanted
    assert "cannot be read" in capsys.readouterr().err


def test_a_packed_file_cut_off_anywhere_is_completed(tmp_path, wanted):
    undisturbed(tmp_path)
    ex.Store(tmp_path).pack(QUICK)
    path = ex.Store(tmp_path).packed_path(QUICK)
    whole = path.read_bytes()
    for length in random.Random(1).sample(range(len(whole)), 25):
        path.write_bytes(whole[:length])
        assert again(tmp_path) == wanted


def test_results_of_other_rules_and_of_no_rules_are_not_taken_for_ours(tmp_path, wanted):
    other = QUICK._replace(seed=QUICK.seed + 1)
    for name in SETS:
        for fold in (0, 1):
            ex.Store(tmp_path).write(QUICK, fake(name, fold, other))
    ex.Store(tmp_path).path(QUICK, "seeds", 0).write_text(json.dumps({"made": "elsewhere"}))
    (tmp_path / "quick" / "notes.txt").write_text("mine")
    assert stored(tmp_path) == {} and again(tmp_path) == wanted
    assert (tmp_path / "quick" / "notes.txt").read_text() == "mine"


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------------

WATCHED = ("mcmteach/experiments/run.py", "mcmteach/experiments/store.py", "mcmteach/experiments/parallel.py")


def lines_of_a_run(folder, interrupt_at=None, pack=False):
    """Run, and interrupt at a certain line of the runner's and the store's. How many lines were run."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if not frame.f_code.co_filename.endswith(WATCHED):
            return None
        if event == "line":
            count += 1
            if count == interrupt_at:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        ex.reproduce(QUICK, SETS, ex.Store(folder), progress=False, work=fake)
        if pack:
            ex.Store(folder).pack(QUICK)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("share", [12, pytest.param(1, marks=pytest.mark.soak)])
@pytest.mark.parametrize("pack", [False, True])
def test_ctrl_c_at_any_line_costs_nothing_that_was_stored(tmp_path, wanted, pack, share):
    lines = lines_of_a_run(tmp_path / "counted", pack=pack)
    for line in random.Random(2).sample(range(1, lines + 1), lines // share):
        folder = tmp_path / f"{line}"
        with pytest.raises(KeyboardInterrupt):
            lines_of_a_run(folder, line, pack)
        assert again(folder) == wanted


@pytest.mark.slow
def test_ctrl_c_from_outside_in_the_middle_of_real_folds(tmp_path):
    """A process of its own with real folds, interrupted as soon as it has stored one; the rerun has the same numbers."""
    code = (
        "import sys; from mcmteach import experiments as ex; from tests.experiments.quick import QUICK\n"
        "ex.reproduce(QUICK, ['seeds'], ex.Store(sys.argv[1]), progress=False)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "a")], stderr=subprocess.PIPE) as run:
        while run.poll() is None and not list((tmp_path / "a").rglob("*.json")):
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        said = run.communicate()[1]
    first = stored(tmp_path / "a")
    assert first and (len(first) == 2 or b"KeyboardInterrupt" in said)
    for folder in ("a", "b"):
        assert not ex.reproduce(QUICK, ["seeds"], ex.Store(tmp_path / folder), progress=False).lost
    assert stored(tmp_path / "a") == stored(tmp_path / "b") and len(stored(tmp_path / "b")) == 2
