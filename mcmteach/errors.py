"""The exceptions and warnings of mcmteach: each says what is wrong and what to do about it."""

from __future__ import annotations

import inspect
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

PACKAGE = str(Path(__file__).parent)


class MCMError(Exception):
    """The family of every error that mcmteach raises on purpose."""


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
    """The linear programming solver gave up. The message names the cause and a remedy."""


class NotFittedError(MCMError, ValueError, AttributeError):
    """A machine was asked for an answer before it was fitted."""


class MissingExtraError(MCMError, ImportError):
    """An optional package is not installed. The message names the extra that brings it."""


class MCMWarning(UserWarning):
    """The family of every warning that mcmteach gives."""


class NotMercerWarning(MCMWarning):
    """The kernel matrix is not symmetric positive semi-definite: the LP allows it, Mercer's theory does not."""


class ConstantClassifierWarning(MCMWarning):
    """The price on the coefficients is so high that all of them are zero: the machine answers one class."""


class NoCoresWarning(MCMWarning):
    """There is no support vector to centre a conformal map on, so c = 1: the kernel stays as it is."""


class CertificateWarning(MCMWarning):
    """The solution could not be proved optimal; its certificate says how far from optimal it may be."""


class ConvergenceWarning(MCMWarning):
    """An iterative fit reached its limit of iterations before its goal; the message says how far it came."""


class DataConversionWarning(MCMWarning):
    """The shape of y was changed on the way in."""


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
