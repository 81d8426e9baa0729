"""The command line: ``python -m mcmteach reproduce``."""

import json
import re
import sys

import matplotlib.pyplot as plt
import pytest

import mcmteach as mt
from mcmteach import experiments as ex
from mcmteach.__main__ import COMMANDS, main
from mcmteach.errors import InvalidInputError
from mcmteach.experiments import rules
from mcmteach.experiments.run import FoldKey
from tests.experiments.quick import QUICK, fake


def test_the_command_computes_stores_and_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(ex.PROTOCOLS, "nested", QUICK._replace(name="nested"))
    command = ["reproduce", "table2", "--sets", "seeds", "--results", str(tmp_path)]
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert "seeds" in out and "conformal MCM" in out and "2 folds computed" in err
    assert "as printed (27 rows)" in out and "3.8e-05" in out and "0.73" in out
    assert main([*command, "--markdown"]) == 0
    out, err = capsys.readouterr()
    assert "| seeds |" in out and "0 folds computed, 2 taken" in err
    assert main(["reproduce", "table3", "--sets", "seeds", "--results", str(tmp_path)]) == 0
    assert "SVC / conformal MCM" in capsys.readouterr().out
    assert sorted(json.loads(p.read_text())["fold"] for p in tmp_path.rglob("*.json")) == [0, 1]


def test_a_finished_run_can_be_packed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        ex, "reproduce", lambda protocol, sets, store, *more, work: store.write(protocol, fake("seeds", 0, protocol))
    )
    assert main(["reproduce", "table2", "--sets", "seeds", "--results", str(tmp_path), "--pack"]) == 0
    assert f"1 folds moved into {tmp_path / 'nested.jsonl'}" in capsys.readouterr().err


@pytest.mark.parametrize(("old", "new"), [("honest", "nested"), ("paper", "test-chosen")])
def test_a_protocols_old_name_is_understood_with_a_note(capsys, old, new):
    assert main(["reproduce", "table2", "--stored", "--sets", "seeds", "--protocol", new]) == 0
    expected = capsys.readouterr().out
    assert f"protocol '{new}'" in expected
    assert main(["reproduce", "table2", "--stored", "--sets", "seeds", "--protocol", old]) == 0
    out, err = capsys.readouterr()
    assert out == expected and f"'{old}' is now called '{new}'" in err


def test_an_unknown_set_is_refused_with_the_nearest_names(tmp_path, capsys):
    assert main(["reproduce", "table2", "--sets", "sonnar", "--results", str(tmp_path)]) == 2
    assert "no data set 'sonnar'. The nearest: sonar" in capsys.readouterr().err
    with pytest.raises(InvalidInputError, match="blood-transfusion"):
        ex.choose_sets(["blood"])
    with pytest.raises(InvalidInputError, match=r"magic-gamma has 19020 samples.* reproduce table4"):
        ex.choose_sets(["magic-gamma"])
    sizes = [mt.load_dataset(name).data.shape[0] for name in ex.choose_sets()]
    assert sizes == sorted(sizes) and len(sizes) == 23


def test_without_the_fast_solver_the_command_says_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ex, "reproduce", lambda *a, **k: ex.Summary(0, 0, []))
    command = ["reproduce", "table2", "--sets", "seeds", "--results", str(tmp_path)]
    for solver, said in (("linprog", True), ("highs", False)):
        monkeypatch.setattr(rules, "solver", lambda solver=solver: solver)
        assert main(command) == 0
        assert ('[fast]"' in capsys.readouterr().err) is said


def test_an_interrupted_command_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    def interrupted(*arguments, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(ex, "reproduce", interrupted)
    assert main(["reproduce", "table2", "--results", str(tmp_path)]) == 130
    assert "goes on from there" in capsys.readouterr().err


def test_a_lost_fold_is_an_exit_status(tmp_path, monkeypatch):
    monkeypatch.setattr(ex, "reproduce", lambda *a, **k: ex.Summary(0, 0, [(FoldKey("seeds", 0), "gone")]))
    assert main(["reproduce", "table2", "--sets", "seeds", "--results", str(tmp_path)]) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_every_commands_own_help_says_what_it_does(command, capsys):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    assert re.search(r"\n\n[A-Z].*\w\.?\n", capsys.readouterr().out.partition("options:")[0])


def test_help_names_everything(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["reproduce", "--help"])
    out = capsys.readouterr().out
    assert stop.value.code == 0
    for word in (
        "table2",
        "table3",
        "table4",
        "figure2",
        "--protocol",
        "--jobs",
        "--dask",
        "--results",
        "nested",
        "hours",
    ):
        assert word in out


def test_figure2_prints_its_numbers_and_draws_where_it_is_told(tmp_path, capsys, monkeypatch):
    assert main(["reproduce", "figure2"]) == 0
    out = capsys.readouterr().out
    assert "test accuracy" in out and "--picture figure2.png" in out
    picture = tmp_path / "figure2.png"
    assert main(["reproduce", "figure2", "--picture", str(picture)]) == 0
    assert f"The picture is in {picture}." in capsys.readouterr().out
    height, width, _ = plt.imread(picture).shape
    assert width > height > 900, "two panels side by side, in the resolution of print"
    for bad, message in (
        (["figure2", "--picture", str(tmp_path / "a.what")], "'what' is not supported"),
        (["figure2", "--picture", str(tmp_path / "nowhere" / "a.png")], "No such file"),
        (["figure2", "--sets", "glass", "seeds", "--picture", "a.png"], "takes one data set"),
        (["table2", "--picture", "a.png"], "belongs to figure2"),
    ):
        assert main(["reproduce", *bad]) == 2
        assert message in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert main(["reproduce", "figure2", "--picture", str(picture)]) == 2
    assert "Drawing needs matplotlib" in capsys.readouterr().err
