"""The compiler of this computer, asked from Python; what it computes is compared in test_c_code."""

import numpy as np
import pytest

from mcmteach import MCMClassifier
from mcmteach.errors import InvalidInputError
from mcmteach.export import compiled
from mcmteach.export.c_code import to_c
from tests.export.test_c_code import data, needs_compiler


@needs_compiler
def test_the_header_is_what_is_compiled(monkeypatch):
    X, y = data()
    machine = MCMClassifier("linear").fit(X, y)
    monkeypatch.setattr(compiled, "to_c", lambda *given: to_c(*given).replace("f[0] = f[0]", "f[0] = 2.0f * f[0]"))
    f, b = compiled.ask_c(machine, X), machine.intercept_[0]
    np.testing.assert_allclose(f - b, 2 * (machine.decision_function(X) - b), rtol=1e-3, atol=1e-3)


def test_without_a_compiler_it_says_so(monkeypatch):
    X, y = data()
    monkeypatch.setattr(compiled.shutil, "which", lambda name: None)
    with pytest.raises(InvalidInputError, match="no C compiler"):
        compiled.ask_c(MCMClassifier("linear").fit(X, y), X)
