"""``python -m mcmteach export``: a saved machine as a header or as ONNX."""

import onnx
import pytest

from mcmteach import MCMClassifier, load_model, save_model, to_c
from mcmteach.__main__ import main
from tests.export.test_c_code import data


@pytest.fixture
def saved(tmp_path):
    return save_model(MCMClassifier(gamma=0.01, sparsity=0.5).fit(*data()), tmp_path / "model.json")


def test_a_header_is_what_to_c_writes(saved, tmp_path, capsys):
    target = tmp_path / "pump.h"
    assert main(["export", str(saved), "-o", str(target), "--dtype", "int8", "--exp", "polynomial"]) == 0
    assert target.read_text() == to_c(load_model(saved), "int8", "pump", "polynomial")
    assert f"{target.stat().st_size:,} bytes, for 4 features" in capsys.readouterr().out


def test_onnx_by_the_output_s_name(saved, tmp_path):
    target = tmp_path / "pump.onnx"
    assert main(["export", str(saved), "-o", str(target)]) == 0
    assert onnx.load(target).graph.name == "pump"


@pytest.mark.parametrize(("model", "message"), [("none.json", "There is no file"), ("bad.json", "not a saved machine")])
def test_a_file_that_is_no_machine_is_refused(tmp_path, capsys, model, message):
    (tmp_path / "bad.json").write_text("{}")
    assert main(["export", str(tmp_path / model), "-o", str(tmp_path / "m.h")]) == 2
    assert message in capsys.readouterr().err and not (tmp_path / "m.h").exists()
