"""Machines as ONNX, asked by onnxruntime, which we did not write."""

import sys

import numpy as np
import onnxruntime
import pytest
from sklearn.linear_model import LogisticRegression

from mcmteach import MCMClassifier
from mcmteach.errors import InvalidInputError, MissingExtraError
from mcmteach.export.formula import formula_of
from mcmteach.export.onnx_graph import to_onnx
from tests.export.test_c_code import MACHINES, data, new_rows


def asked(model, X):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(["decision", "label"], {"x": np.asarray(X, dtype=np.float32)})


@pytest.mark.parametrize("name", MACHINES)
def test_onnxruntime_answers_as_python_does(name):
    X, rows = data(), new_rows(name)
    machine = MACHINES[name](*X)
    formula = formula_of(machine)
    decision, label = asked(to_onnx(machine), rows)
    wanted, room = formula.decision_function(rows).reshape(len(rows), -1), 1e-5 * formula.sizes(rows)
    assert (np.abs(decision - wanted).max(axis=1) <= room).all()
    if formula.classes:
        # a label may differ where rounding can change a sign, or the larger of two classes
        alone = formula.votes or wanted.shape[1] == 1
        distance = np.abs(wanted).min(axis=1) if alone else np.diff(np.sort(wanted, axis=1)[:, -2:]).ravel() / 2
        clear = distance > room
        assert clear.mean() > 0.99
        np.testing.assert_array_equal(label[clear], machine.predict(rows)[clear])
    else:
        np.testing.assert_array_equal(label, decision[:, 0])


@pytest.mark.parametrize("labels", [["no", "yes"], [-1, 1], [0.0, 2.0], [False, True]])
def test_labels_keep_their_kind(labels):
    X, y = data()
    machine = LogisticRegression().fit(X, np.array(labels)[y])
    label = asked(to_onnx(machine), X)[1].tolist()
    assert label == machine.predict(X).tolist() and type(label[0]) is type(labels[0])


@pytest.mark.filterwarnings("ignore::mcmteach.errors.MCMWarning")
def test_a_constant_machine():
    X, y = data()
    machine = MCMClassifier(gamma=1.0, sparsity=1e4).fit(X, y)
    assert machine.n_support_ == 0
    np.testing.assert_array_equal(asked(to_onnx(machine), X)[1], machine.predict(X))


def test_what_cannot_be_exported_is_refused_and_a_missing_onnx_is_named(monkeypatch):
    with pytest.raises(InvalidInputError, match="not fitted"):
        to_onnx(MCMClassifier())
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match=r"\[onnx\]"):
        to_onnx(LogisticRegression().fit(*data()))
