r"""Whether hyperplanes separate classes, with a proof either way: a plane, or a point where their convex hulls meet."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from mcmteach.errors import InfeasibleError, InvalidInputError, SolverError
from mcmteach.validation import FloatArray, MatrixLike, as_labels, as_matrix, dense


class Separation(NamedTuple):
    """A plane w·x + b = 0 between the classes or, where there is none, weights of a point that both hulls contain."""

    w: FloatArray | None
    b: float
    weights: FloatArray | None


def separate(X: MatrixLike, y: FloatArray, time_limit: float = np.inf) -> Separation:
    r"""A hyperplane between the two classes, or the proof that there is none.

    Solves  \(\min_{a \ge 0} \|\sum_{+} a_i x_i - \sum_{-} a_i x_i\|_1\)  with the weights of each class summing to 1.
    Its dual vector is a direction w: if that separates the data, the proof is complete; if not, the weights are one,
    provided that the two points they name really are the same. Hulls that lie less than about 1e-9 of the data's size
    apart can be neither separated nor joined in floating point: then there is a SolverError.
    """
    X = dense(X)
    middle = X.mean(axis=0)  # separability does not depend on shifts and units, linear programming solvers do
    size = np.abs(X - middle).max(axis=0)
    size[size == 0] = 1.0
    X = (X - middle) / size
    result = _nearest_points(X, y, time_limit)
    if result.x is None:
        raise SolverError(
            f"The separability of the classes could not be decided ({result.message}). Standardise the data."
        )
    w = result.eqlin.marginals[: X.shape[1]]
    f = X @ w
    w, f = (w, f) if f @ y > 0 else (-w, -f)
    lowest, highest = f[y > 0].min(), f[y < 0].max()
    if lowest - highest > 1e-12 * max(np.abs(f).max(), np.finfo(float).tiny):
        w = w / size
        return Separation(w, float(-(lowest + highest) / 2 - middle @ w), None)
    a = _polished(X, y, result.x[: len(y)])
    if np.abs((y * a) @ X).max() > 1e-12:
        raise undecided()
    return Separation(None, 0.0, a)


def _nearest_points(X: FloatArray, y: FloatArray, time_limit: float) -> Any:
    """linprog's answer: weights a and the difference r = r⁺ - r⁻ of the two points that they name."""
    M, n = X.shape
    A = np.zeros((n + 2, M + 2 * n))
    A[:n, :M] = (y[:, None] * X).T  # sum_i y_i a_i x_i + r = 0
    A[:n, M : M + n], A[:n, M + n :] = np.eye(n), -np.eye(n)
    A[n, :M], A[n + 1, :M] = y > 0, y < 0  # each class's weights sum to 1
    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10, "time_limit": time_limit}
    cost, sums = np.r_[np.zeros(M), np.ones(2 * n)], np.r_[np.zeros(n), 1.0, 1.0]
    return linprog(cost, A_eq=A, b_eq=sums, method="highs-ds", options=options)


def _polished(X: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Weights of each class that sum to 1 and name the same point, as exactly as rounding allows if those given nearly do."""
    used = weights > 1e-9  # HiGHS's tolerance
    A = np.vstack([(y[:, None] * X).T, y > 0, y < 0])[:, used]
    a = np.zeros(len(y))
    a[used] = np.maximum(0.0, np.linalg.lstsq(A, np.r_[np.zeros(X.shape[1]), 1.0, 1.0], rcond=None)[0])
    return a / np.where(y > 0, a @ (y > 0), a @ (y < 0))


def meeting_hulls(X: MatrixLike, y: FloatArray) -> FloatArray | None:
    """Weights that show that the convex hulls of two classes meet, or None if a hyperplane separates them."""
    return separate(X, y).weights


def undecided() -> SolverError:
    """The error for classes that floating point can neither separate nor join."""
    return SolverError(
        "The classes lie too close together to say whether a hyperplane separates them. Standardise the data, or, for a "
        "machine, allow slack with a finite C."
    )


def infeasible(K: MatrixLike, y: FloatArray, weights: FloatArray) -> InfeasibleError:
    """The error for a hard margin that does not exist: its proof, and the samples that cause it."""
    pair = _contradiction(K, y)
    if pair is not None:
        cause = f"Samples {pair[0]} and {pair[1]} are identical and have opposite labels"
        weights = np.isin(np.arange(len(y)), pair).astype(float)
    else:
        shown = ", ".join(f"{i} ({weights[i]:.3g})" for i in np.argsort(-weights)[:6] if weights[i] > 0)
        cause = f"The convex hulls of the classes meet, as these samples (and weights) show: {shown}"
    return InfeasibleError(
        f"No hyperplane separates the classes, so there is no hard margin (C = inf). {cause}. "
        "Allow slack with a finite C, or look for a wrong label.",
        weights,
    )


def _contradiction(K: MatrixLike, y: FloatArray) -> tuple[int, int] | None:
    """The first two samples with the same row and opposite labels."""
    _, group = np.unique(dense(K), axis=0, return_inverse=True)
    group = group.ravel()
    for i in range(len(y)):
        others = np.flatnonzero((group == group[i]) & (y != y[i]))
        if len(others):
            return i, int(others[0])
    return None


# --- shattering ------------------------------------------------------------------------------------------------------


def is_separable(points: ArrayLike, y: ArrayLike) -> bool:
    """Whether some hyperplane has all points labelled +1 on one side and all labelled -1 on the other, strictly.

    Decided by a linear programme: the classes are separable unless their convex hulls meet.

    Examples
    --------
    >>> xor = [[0, 0], [1, 1], [0, 1], [1, 0]]
    >>> is_separable(xor, [1, 1, -1, -1]), is_separable(xor, [1, -1, -1, -1])
    (False, True)
    """
    X = as_matrix(points, "points")
    y = as_labels(y, len(X), both=False)
    return bool(np.all(y == y[0])) or meeting_hulls(X, y) is None


def unseparable_labels(points: ArrayLike) -> FloatArray | None:
    """The first labelling of the points that no hyperplane realises, or None where there is none.

    Examples
    --------
    >>> unseparable_labels([[0, 0], [1, 0], [2, 0]])
    array([ 1., -1.,  1.])
    """
    X = as_matrix(points, "points")
    k, n = X.shape
    tested = min(k, n + 2)  # n + 2 points are never shattered (Radon), so a witness lies among the first n + 2
    if tested > 12:
        raise InvalidInputError(
            f"{tested} points have {2 ** (tested - 1)} labellings up to sign, one linear programme each: too many. "
            "(Hyperplanes shatter exactly the affinely independent points: compare np.linalg.matrix_rank of the "
            "differences with the number of points minus one.)"
        )
    for rest in product((1.0, -1.0), repeat=tested - 1):  # y and -y are separable together: fix the first sign
        y = np.array([1.0, *rest])
        if not is_separable(X[:tested], y):
            return np.concatenate([y, np.ones(k - tested)])
    return None


def shatters(points: ArrayLike) -> bool:
    """Whether affine hyperplanes can give these points every possible labelling.

    Parameters
    ----------
    points : array of shape (n_points, n_features)

    Examples
    --------
    >>> shatters([[0, 0], [1, 0], [0, 1]])            # three points in general position
    True
    >>> shatters([[0, 0], [1, 0], [0, 1], [1, 1]])    # four points in the plane: XOR
    False
    """
    return unseparable_labels(points) is None
