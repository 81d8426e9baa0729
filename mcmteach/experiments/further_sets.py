"""The sets of Table 4 that do not come with the package: read from a folder that you name, and checked by their numbers.

They are public (UCI and LIBSVM). A file is ``NAME.csv`` with a header and the label last, or ``NAME.svm`` in LIBSVM's format,
each also as ``.gz``. What is checked is the SHA-256 of the numbers (features, then the label as -1 or +1, row by row, as 64-bit
floats), so that it does not matter in which of these formats they come.
"""

from __future__ import annotations

import gzip
import hashlib
import io
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mcmteach.datasets import load_dataset
from mcmteach.datasets.catalogue import CATALOGUE
from mcmteach.errors import InvalidInputError
from mcmteach.experiments.rules import missing_package
from mcmteach.validation import FloatArray, dense


class FurtherSet(NamedTuple):
    """A row of Table 4 that needs a file, or is cut from a bundled pool."""

    row: int
    samples: int
    sha256: str  #: of the numbers; empty for a cut
    pool: str = ""  #: the bundled set that it is cut from


#: By the name of the file.
FURTHER = {
    "w8a-pool-of-w4a": FurtherSet(1, 49749, "34522cfd6818b64854f38586db7bb34cd1b92373e60201dd966dd0d83f1e5aaf"),
    "fourclass": FurtherSet(6, 862, "dddd51aac7fbbae8b6ca9af045825e3b8a05b0870f2fc3aa5c06b4ad78103f0c"),
    "a3a-sized": FurtherSet(7, 3185, "", "adult-a1a-pool"),
    "a4a-sized": FurtherSet(8, 4781, "", "adult-a1a-pool"),
    "eeg-eye-state": FurtherSet(10, 14980, "d9f2d9fe56369d6319ca7afe0ff311630ae7918890426e2875141f360f919009"),
    "htru2": FurtherSet(11, 17898, "8a91d31b77bcb76307c226f70a3bb2ba0d7cafca4bf026f5eb7d61e75670e765"),
    "phishing": FurtherSet(13, 11055, "0708ea795a4cd8ede375fd386eace20a5276ee1087c58108f6e8c5423fb558c5"),
}

#: Rows whose samples are as many as the paper's, or the pool that they were cut from, but not known to be the same ones.
SIZE_MATCHED = (1, 7, 8, 9)
ENDINGS = (".csv", ".csv.gz", ".svm", ".svm.gz")


def samples(name: str) -> int:
    """How many samples a set of Table 4 has."""
    return FURTHER[name].samples if name in FURTHER else CATALOGUE[name].shape[0]


def checksum(name: str) -> str:
    """What a kept row of Table 4 depends on."""
    one = FURTHER.get(name)
    if one is None:
        return CATALOGUE[name].sha256
    return one.sha256 or f"{one.samples} of {CATALOGUE[one.pool].sha256}"


def load_table4_set(name: str, folder: str | Path | None, seed: int) -> tuple[FloatArray, FloatArray]:
    """Features and labels of a set: bundled, cut from a bundled pool by ``seed``, or from the folder."""
    one = FURTHER.get(name)
    if one is None or one.pool:
        bundled = load_dataset(one.pool if one else name)
        X, y = dense(bundled.data), bundled.target
        if one is None:
            return X, y
        rows = np.sort(np.random.default_rng(seed).choice(len(y), one.samples, replace=False))
        return X[rows], y[rows]
    return _checked(name, one, folder)


def _checked(name: str, one: FurtherSet, folder: str | Path | None) -> tuple[FloatArray, FloatArray]:
    path = _find(name, folder)
    try:
        X, y = _read(path)
    except (OSError, EOFError, ValueError) as problem:  # truncated, or in another format
        raise InvalidInputError(f"{path} cannot be read: {problem}") from None
    found = hashlib.sha256(np.ascontiguousarray(np.c_[X, y], dtype="<f8").tobytes()).hexdigest()
    if found != one.sha256:
        raise InvalidInputError(
            f"{path} holds other numbers than the set {name} of Table 4: {X.shape[0]} x {X.shape[1]}, their SHA-256 is "
            f"{found[:12]}…, but {one.sha256[:12]}… is expected ({one.samples} samples)."
        )
    return X, (y + 1) / 2


def _find(name: str, folder: str | Path | None) -> Path:
    if folder is None:
        raise InvalidInputError(
            f"The set {name} does not come with the package. Name a folder that has it: --data DIR."
        )
    paths = [Path(folder) / f"{name}{ending}" for ending in ENDINGS]
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        raise InvalidInputError(f"{folder} has no file {name} (with one of the endings {', '.join(ENDINGS)}).")
    return path


def _read(path: Path) -> tuple[FloatArray, FloatArray]:
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    if ".svm" in path.suffixes:
        try:
            from sklearn.datasets import load_svmlight_file
        except ImportError:
            raise missing_package("scikit-learn") from None
        X, y = load_svmlight_file(io.BytesIO(content))
        X = X.toarray()
    else:
        table = np.loadtxt(io.StringIO(content.decode()), delimiter=",", skiprows=1, ndmin=2)
        X, y = table[:, :-1], table[:, -1]
    return X, np.where(y == y.max(), 1.0, -1.0)
