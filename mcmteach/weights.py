r"""Weights for samples that may be mislabelled: the fuzzy MCM is the MCM with ``sample_weight``."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.validation import FloatArray, as_matrix, flat, not_negative, one_per_row


def fuzzy_membership(X: ArrayLike, y: ArrayLike, delta: float = 0.05) -> FloatArray:
    r"""How much each sample belongs to its class: \(s_i = 1 - r_i / (r_{\max} + \delta)\).

    \(r_i\) is the distance of \(x_i\) to the mean of its class, \(r_{\max}\) the largest of its class. The sample at the mean
    has membership 1, the farthest one \(\delta / (r_{\max} + \delta)\). Given as ``sample_weight`` it makes the slack of
    far samples cheap: a mislabelled sample lies far from the mean of the class that its label names.

    Parameters
    ----------
    X : array of shape (n_samples, n_features), with features in comparable units
    y : array of shape (n_samples,), labels of any kind
    delta : >= 0, in the units of X; 0 gives the farthest sample of each class no weight at all

    Examples
    --------
    >>> fuzzy_membership([[0.0], [1.0], [2.0], [9.0]], [1, 1, 1, 2], delta=0.0)
    array([0., 1., 0., 1.])

    Source: Lin & Wang 2002 (the fuzzy SVM); Jayadeva, Batra & Sabharwal 2015 use such memberships with the MCM.
    """
    X = as_matrix(X)
    delta, y = not_negative(delta, "delta"), one_per_row(flat(y, "classes"), X, "label")
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise InvalidInputError("y contains NaN: every sample needs a class.")
    s = np.ones(len(y))
    for label in np.unique(y):
        of_class = y == label
        r = np.linalg.norm(X[of_class] - X[of_class].mean(axis=0), axis=1)
        if r.max() > 0:
            s[of_class] = 1 - r / (r.max() + delta)
    return s
