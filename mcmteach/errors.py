"""The exceptions and warnings of mcmteach: each says what is wrong and what to do about it."""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

PACKAGE = str(Path(__file__).parent)


class MCMError(Exception):
    """Base class of all errors that mcmteach raises on purpose."""


class InvalidInputError(MCMError, ValueError):
    """An argument that cannot be used: a wrong shape, NaN, one class, C <= 0, …"""


class InvalidTypeError(InvalidInputError, TypeError):
    """An argument of a kind that cannot be used, such as a dictionary for a number."""


class InfeasibleError(MCMError, ValueError):
    """A hard margin was asked for, and no hyperplane separates the classes.

    ``weights`` is the proof, one weight per point: they are >= 0, sum to one within each class, and
    the weighted mean of the one class is the weighted mean of the other. So the convex hulls of the
    classes meet, and no hyperplane lies between them.
    """

    def __init__(self, message: str, weights: np.ndarray):
        super().__init__(message)
        self.weights = weights

    def __reduce__(self) -> Any:  # so that it can be pickled, as another process does to send it back
        return type(self), (str(self), self.weights)


class SolverError(MCMError, RuntimeError):
    """The linear programming solver failed. The message names the cause and a remedy."""


class NotFittedError(MCMError, ValueError, AttributeError):
    """A machine was asked for an answer before it was fitted."""


class MissingExtraError(MCMError, ImportError):
    """An optional package is not installed. The message names the extra that brings it."""


def install_command(extra: str = "") -> str:
    """The command that installs what an extra needs: mcmteach is on no registry, so ``pip install mcmteach`` finds nothing.

    In a checkout it names the checkout. Where a wheel was installed, it names the packages themselves, as the wheel does.
    """
    root, pip = Path(PACKAGE).parent, f"{sys.executable} -m pip install"
    options = f"[{extra}]" if extra else ""
    if (root / "pyproject.toml").is_file():
        return f'{pip} -e "{root}{options}"'
    packages = [f'"{name}>={least}"' for name, least in requirements().get(extra, {}).items()]
    return " ".join([pip, *packages]) if packages else f'{pip} -e ".{options}" in the folder of the course'


def requirements() -> dict[str, dict[str, str]]:
    """{extra: {package: least version}} as pyproject.toml says; the core's extra is ''."""
    from importlib import metadata  # takes longer to import than all of this module

    found: dict[str, dict[str, str]] = {}
    try:
        declared = metadata.requires("mcmteach") or []
    except metadata.PackageNotFoundError:
        declared = ["numpy>=0", "scipy>=0"]
    for text in declared:
        requirement, _, marker = text.partition(";")
        extra = re.search(r"extra == ['\"](.+?)['\"]", marker)
        name, _, least = requirement.strip().partition(">=")
        found.setdefault(extra[1] if extra else "", {})[name.strip()] = least.strip(" ()")
    return found


def missing(need: str, extra: str, instead: str = "") -> MissingExtraError:
    """The error for a package that is not installed: what needs it, how to get it, and what works without it."""
    return MissingExtraError(f"{need} Install it with: {install_command(extra)}" + (f" . {instead}" if instead else ""))


class MCMWarning(UserWarning):
    """Base class of all warnings that mcmteach gives."""


class NotMercerWarning(MCMWarning):
    """The kernel matrix is not symmetric positive semi-definite: the LP allows it, Mercer's theory does not."""


class ConstantClassifierWarning(MCMWarning):
    """The price on the coefficients is so high that all of them are zero: the machine answers one class."""


class ManySupportVectorsWarning(MCMWarning):
    """Nearly every sample is a support vector: the machine may have learnt the training samples by heart, and little else."""


class NoCoresWarning(MCMWarning):
    """There is no support vector to centre a conformal map on, so c = 1: the kernel stays as it is."""


class CertificateWarning(MCMWarning):
    """The solution could not be proved optimal; its certificate says how far from optimal it may be."""


class ConvergenceWarning(MCMWarning):
    """An iterative fit reached its limit of iterations before its goal; the message says how far it came."""


class DataConversionWarning(MCMWarning):
    """The shape of y was changed before it was used."""


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line that called this package, whatever function of the package found the reason."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def like_sklearn(ours: type, name: str) -> Any:
    """``ours``, which is also scikit-learn's class ``name`` wherever scikit-learn is already loaded.

    Code that catches ``sklearn.exceptions.NotFittedError`` also catches ours, and yet the core never imports scikit-learn.
    """
    if "sklearn" not in sys.modules:
        return ours
    import sklearn.exceptions

    def to_bytes(self: Any) -> Any:  # by its parts: pickle cannot find a class that is created at run time
        return _restore, (ours, name, self.args)

    return type(
        ours.__name__, (ours, getattr(sklearn.exceptions, name)), {"__doc__": ours.__doc__, "__reduce__": to_bytes}
    )


def _restore(ours: type, name: str, arguments: tuple) -> Any:
    return like_sklearn(ours, name)(*arguments)
