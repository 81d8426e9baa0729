"""A fitted machine as a file that is safe to receive: JSON with a version and a checksum, no pickle, nothing that can run.

The file holds the machine's formula and nothing of its training: what is needed to answer. Numbers are written so that they
are read back to the last bit.

skops does not read this file, since it holds no estimator. To keep the whole estimator, with its parameters and its
certificate, write it with skops in the first place: ``skops.io.dump(machine, path)``, and to read it
``skops.io.load(path, trusted=types)`` with the types of this package that ``skops.io.get_untrusted_types`` lists.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from mcmteach.errors import InvalidInputError
from mcmteach.export.formula import Bumps, Formula, formula_of

FORMAT, VERSION = "mcmteach-model", 2
READABLE = (1, VERSION)  # version 1 had neither machines beside the map nor votes
LARGEST_FILE = 256 << 20  # bytes: a larger file is not read
KERNELS = ("rbf", "poly", "linear")


def save_model(machine: Any, path: str | Path) -> Path:
    """Write a fitted machine or pipeline to a file, whole or not at all.

    Examples
    --------
    >>> import tempfile
    >>> from mcmteach import MCMClassifier
    >>> machine = MCMClassifier(gamma=2.0).fit([[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "other", "other"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = load_model(save_model(machine, Path(folder) / "xor.json"))
    >>> again.predict([[0, 0], [0, 1]]).tolist()
    ['same', 'other']
    """
    formula = formula_of(machine)
    if not all(isinstance(label, str | int | float | bool) for label in formula.classes):
        raise InvalidInputError(f"Classes must be text or numbers to be saved; got {formula.classes}.")
    body = {name: _plain(value) for name, value in formula._asdict().items()}
    text = json.dumps({"format": FORMAT, "version": VERSION, "sha256": _checksum(body), "formula": body}, indent=1)
    path = Path(path)
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_text(text + "\n", encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return path


def load_model(path: str | Path) -> Formula:
    """The machine in a file of :func:`save_model`: it has ``predict`` and ``decision_function``, and can be exported.

    A file that is damaged, of a newer version or something else raises an InvalidInputError that says so.
    """
    path = Path(path)
    if path.stat().st_size > LARGEST_FILE:
        raise InvalidInputError(f"{path.name} has more than {LARGEST_FILE >> 20} MB: too large for a saved machine.")
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as problem:
        raise InvalidInputError(f"{path.name} is not a saved machine: it cannot be read as JSON ({problem}).") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise InvalidInputError(f"{path.name} is not a saved machine: it does not say format {FORMAT!r}.")
    if record.get("version") not in READABLE:
        raise InvalidInputError(
            f"{path.name} has version {record.get('version')!r}, but this mcmteach reads versions {READABLE}."
        )
    body = record.get("formula")
    if not isinstance(body, dict) or record.get("sha256") != _checksum(body):
        raise InvalidInputError(
            f"{path.name} is damaged: its checksum does not fit its numbers. Save the machine again."
        )
    try:
        return _formula(body)
    except (KeyError, TypeError, ValueError, OverflowError) as problem:  # int(1e400) is an OverflowError
        raise InvalidInputError(f"{path.name} does not describe a machine ({problem!r}).") from None


def _plain(value: Any) -> Any:
    """Arrays as lists, NaN as None: JSON has neither."""
    if isinstance(value, Bumps):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, np.ndarray):
        return [_plain(part) for part in value]
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, float | np.floating):
        return None if np.isnan(value) else float(value)
    return value


def _checksum(body: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _formula(body: dict[str, Any]) -> Formula:
    mean = _array(body["mean"], 1)
    formula = Formula(
        kernel=body["kernel"],
        gamma=float(body["gamma"]),
        degree=int(body["degree"]),
        coef0=float(body["coef0"]),
        vectors=_array(body["vectors"], 2).reshape(-1, len(mean)),
        coef=_array(body["coef"], 2),
        intercept=_array(body["intercept"], 1),
        classes=tuple(body["classes"]),
        mean=mean,
        scale=_array(body["scale"], 1),
        fill=_array(body["fill"], 1),
        bumps=None if body["bumps"] is None else _bumps(body["bumps"], len(mean)),
        votes=bool(body.get("votes", False)),
    )
    if formula.kernel not in KERNELS or not _fits_together(formula):
        raise ValueError("its parts do not fit together")
    return formula


def _bumps(body: dict[str, Any], features: int) -> Bumps:
    cores, alpha, beside = _array(body["cores"], 2).reshape(-1, features), _array(body["alpha"], 1), body.get("beside")
    return Bumps(cores, alpha, float(body["gamma"]), None if beside is None else _array(beside, 1))


def _fits_together(formula: Formula) -> bool:
    """Whether all parts have the sizes that the others ask for."""
    n, outputs, classes, bumps = len(formula.mean), len(formula.coef), len(formula.classes), formula.bumps
    width = n if formula.kernel == "linear" else len(formula.vectors)
    fits = len(formula.scale) == len(formula.fill) == n
    fits &= formula.coef.shape[1] == width and len(formula.intercept) == outputs
    if formula.votes:
        fits &= classes > 2 and outputs == len(formula.pairs)
    else:
        fits &= classes in ((0, 2) if outputs == 1 else (outputs,))
    if bumps is not None:
        fits &= len(bumps.alpha) == len(bumps.cores) + 1 and (bumps.beside is None or len(bumps.beside) == width)
    return fits


def _array(values: Any, dimensions: int) -> Any:
    array = np.array(values, dtype=np.float64)  # None becomes NaN
    if array.ndim != dimensions and array.size:
        raise ValueError(f"an array of {dimensions} dimensions was expected")
    return array.reshape(len(values), array.size // max(1, len(values))) if dimensions == 2 else array
