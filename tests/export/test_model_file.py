"""Saved machines: the same answers to the last bit, and a clear word about every file that is none."""

import hashlib
import json

import numpy as np
import pytest
import skops.io

from mcmteach import MCMClassifier
from mcmteach.errors import InvalidInputError
from mcmteach.export.c_code import to_c
from mcmteach.export.formula import formula_of
from mcmteach.export.model_file import load_model, save_model
from tests.export.test_c_code import MACHINES, data, new_rows


@pytest.mark.parametrize("name", MACHINES)
def test_what_is_read_back_answers_the_same_to_the_last_bit(name, tmp_path):
    X, y = data()
    machine = MACHINES[name](X, y)
    again = load_model(save_model(machine, tmp_path / "machine.json"))
    rows = new_rows(name, 500)
    np.testing.assert_array_equal(again.decision_function(rows), formula_of(machine).decision_function(rows))
    if again.classes:
        np.testing.assert_array_equal(again.predict(rows), machine.predict(rows))
    assert to_c(again) == to_c(machine)
    assert [file.name for file in tmp_path.iterdir()] == ["machine.json"]


@pytest.fixture
def saved(tmp_path):
    X, y = data()
    return save_model(MCMClassifier(gamma=0.01, sparsity=0.5).fit(X, y), tmp_path / "m.json")


def changed(saved, change):
    record = json.loads(saved.read_text())
    change(record)
    saved.write_text(json.dumps(record))
    return saved


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.write_text(path.read_text()[:-200]), "cannot be read as JSON"),
        (lambda path: path.write_text("[" * 100_000), "cannot be read as JSON"),
        (lambda path: path.write_bytes(b"\x80\x04K\x01."), "cannot be read as JSON"),
        (lambda path: path.write_text("[1, 2]"), "does not say format"),
        (lambda path: changed(path, lambda r: r.update(version=9)), "version 9"),
        (lambda path: changed(path, lambda r: r["formula"].update(gamma=9.0)), "checksum"),
        (lambda path: changed(path, lambda r: r.pop("sha256")), "checksum"),
    ],
)
def test_a_file_that_is_no_machine_is_refused(saved, spoil, message):
    spoil(saved)
    with pytest.raises(InvalidInputError, match=message):
        load_model(saved)


@pytest.mark.parametrize(
    "wrong",
    [
        {"kernel": "exec"},
        {"coef": [[1.0]]},
        {"mean": [[0.0]]},
        {"classes": [1]},
        {"gamma": "x"},
        {"votes": True},
        {"bumps": {"cores": [[0.0] * 4], "alpha": [1.0], "gamma": 1.0}},
    ],
)
def test_parts_that_do_not_fit_are_refused_even_with_a_right_checksum(saved, wrong):
    def change(record):
        record["formula"].update(wrong)
        record["sha256"] = hashlib.sha256(json.dumps(record["formula"], sort_keys=True).encode()).hexdigest()

    with pytest.raises(InvalidInputError, match="does not describe a machine"):
        load_model(changed(saved, change))


@pytest.mark.parametrize("name", ["rbf", "linear", "conformal", "beside"])
def test_skops_keeps_the_whole_estimator(name):
    X, y = data()
    machine = MACHINES[name](X, y)
    stored = skops.io.dumps(machine)
    ours = skops.io.get_untrusted_types(data=stored)
    assert ours and all(kind.startswith("mcmteach.") for kind in ours)
    again = skops.io.loads(stored, trusted=ours)
    rows = new_rows(name, 200)
    np.testing.assert_array_equal(again.decision_function(rows), machine.decision_function(rows))
    assert to_c(again) == to_c(machine)
