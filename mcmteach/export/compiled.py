"""A machine's C code, compiled on this computer and called from Python, to check that it answers as Python does."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.export.c_code import to_c
from mcmteach.export.formula import formula_of
from mcmteach.validation import FloatArray, as_matrix

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")
ASK = """\
#include "m.h"
void ask(const float *x, float *f, int rows);
void ask(const float *x, float *f, int rows) {
    for (int i = 0; i < rows; i++) m_decision(x + i * M_FEATURES, f + i * M_OUTPUTS);
}
"""


def c_compiler() -> str | None:
    """The C compiler of this computer, or None."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def ask_c(machine: Any, X: ArrayLike, dtype: str = "float32", exp: str = "library") -> FloatArray:
    """The decision values that the C code of a machine computes for the rows of X, which are rounded to single precision.

    Parameters
    ----------
    machine, dtype, exp : as :func:`mcmteach.to_c` takes them
    X : array of shape (n_samples, n_features)

    Returns
    -------
    array of shape (n_samples,) for one output, (n_samples, n_outputs) for more. Without a compiler, an InvalidInputError.
    """
    compiler, header = c_compiler(), to_c(machine, dtype, "m", exp)
    if compiler is None:
        raise InvalidInputError("There is no C compiler on this computer. Install gcc or clang.")
    x = np.ascontiguousarray(as_matrix(X, missing=True), dtype=np.float32)
    f = np.empty((len(x), len(formula_of(machine).coef)), dtype=np.float32)
    pointer = ctypes.POINTER(ctypes.c_float)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "m.h").write_text(header, encoding="utf-8")
        (Path(folder) / "ask.c").write_text(ASK, encoding="utf-8")
        command = [compiler, *STRICT, "-O2", "-shared", "-fPIC", "ask.c", "-o", "ask.so", "-lm"]
        subprocess.run(command, cwd=folder, check=True)
        library = ctypes.CDLL(str(Path(folder) / "ask.so"))
        library.ask(x.ctypes.data_as(pointer), f.ctypes.data_as(pointer), len(x))
    return f[:, 0].astype(np.float64) if f.shape[1] == 1 else f.astype(np.float64)
