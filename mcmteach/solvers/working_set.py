"""The columns of K that a programme works with, scaled to size 1, and which others it should take in."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mcmteach.solvers.interior_point import Scratch
from mcmteach.solvers.kernel_columns import Columns, Indices
from mcmteach.solvers.problem import Mask, Problem, SolverPoint
from mcmteach.solvers.settings import Settings
from mcmteach.validation import FloatArray, MatrixLike, dense

CANDIDATES = 6  # columns that are compared with each other, for each that may enter
LEAST = 1e-3  # the shortest step that columns outside can force: they may enter after it
SAME = 1e-13  # two z whose entries differ by less than this part of the largest are one
JUDGED = 100  # rows by which their similarity is judged


class WorkingSet:
    """Some columns of K as A = diag(y) K_J / size, so that the largest entry of each is 1. Prices grow as columns shrink.

    In a wide kernel each column is nearly constant. Since b is free, constants make no difference, so the mean of K_j is taken
    off first. Only a sparse K keeps its means, and A is sparse then: the interior point method's matrix A'DA costs
    (entries of a row)² per sample.
    """

    def __init__(self, K: Columns, y: FloatArray, settings: Settings, J: Indices, scratch: Scratch | None = None):
        self.K, self.y, self.settings = K, y, settings
        self.scratch = scratch or Scratch()
        self.J, self.size, self.mean = np.empty(0, dtype=int), np.empty(0), np.empty(0)
        self.A: MatrixLike = np.empty((len(y), 0))
        self.ahead = np.zeros(K.shape[1])  # the ratios after the whole of the last step, had it been possible
        self._z, self._Kz = np.zeros(len(y)), np.zeros(K.shape[1])
        self.take(J)

    def price(self, problem: Problem) -> FloatArray:
        """The price of each scaled coefficient."""
        return problem.sparsity / self.size

    def small(self) -> bool:
        """Whether K'z is so cheap that the interior point method may ask for it again and again."""
        return self.K.cheap(self.settings.block)

    def take(self, J: Indices) -> MatrixLike:
        """Put columns into the working set. Returns the new part of A."""
        M, n = len(self.y), len(self.J)
        new = self.K.all_rows(J)
        mean = np.zeros(len(J))
        if not sp.issparse(new):
            mean = new.mean(axis=0)
            new = new - mean
        size = dense(abs(new).max(axis=0)).ravel() if len(J) else np.empty(0)
        size[size == 0] = 1.0
        if sp.issparse(new):
            new = sp.diags_array(self.y) @ new @ sp.diags_array(1 / size)
            self.A = sp.hstack([self.A, new], format="csc") if n else new.tocsc()
        else:
            self.A = self.scratch.matrix("A", M, n + len(J))
            np.multiply(self.y[:, None], new, out=self.A[:, n:])
            self.A[:, n:] /= size
        self.J, self.size = np.concatenate([self.J, J]), np.concatenate([self.size, size])
        self.mean = np.concatenate([self.mean, mean])
        return self.A[:, n:]

    def keep(self, kept: Mask) -> None:
        """Drop the other columns."""
        A = self.A[:, kept]
        if sp.issparse(A):
            self.A = A
        else:
            self.A = self.scratch.matrix("A", *A.shape)
            self.A[:] = A
        self.J, self.size, self.mean = self.J[kept], self.size[kept], self.mean[kept]

    def only(self, kept: Mask) -> WorkingSet:
        """Another working set with some of the columns."""
        return WorkingSet(self.K, self.y, self.settings, self.J[kept], self.scratch)

    def point(self, lam: FloatArray, b: float, g: float, d: FloatArray) -> SolverPoint:
        """The point whose coefficients, in units of A, are lam."""
        n = len(lam)
        coef = lam / self.size[:n]
        return SolverPoint(self.J[:n], coef, b - float(self.mean[:n] @ coef), g, d, self.A[:, :n] @ lam + self.y * b)

    def ratios(self, problem: Problem, d: FloatArray, negligible: float = 0.0) -> FloatArray:
        """|K_j'z| / s for every column of K: above 1 it objects to z. Only what changed since the last time is computed.

        Entries of d up to ``negligible`` C are left out: each would cost a row of K.
        """
        z = np.where(np.abs(d) > negligible * problem.C, self.y * d, 0.0)
        size = float(self._z @ self._z)
        share = float(z @ self._z) / size if size else 0.0
        if np.abs(z - share * self._z).max() <= SAME * np.abs(z).max():  # as it was, or a multiple of it
            self._z, self._Kz = share * self._z, share * self._Kz
        else:
            change = z - self._z
            few = 2 * np.count_nonzero(change) < np.count_nonzero(z)
            self._Kz = self._Kz + self.K.T @ change if few else self.K.T @ z
            self._z = z
        return np.abs(self._Kz) / problem.sparsity

    def reach(self, problem: Problem, d: FloatArray, step: FloatArray, most: float, tol: float) -> float:
        """How far d may go along a step, at most ``most``, until a column outside has a ratio above 1 + tol."""
        self.ratios(problem, d)
        along = self.K.T @ (self.y * step)
        bound = np.maximum(problem.sparsity * (1 + tol), np.abs(self._Kz))
        bound[self.J] = np.inf
        room = bound - np.sign(along) * self._Kz
        rate = np.abs(along).clip(np.finfo(float).tiny)
        far = min(most, max(LEAST, float((room / rate).min())))
        self.ahead = np.abs(self._Kz + most * along) / problem.sparsity
        self._z, self._Kz = self._z + far * self.y * step, self._Kz + far * along
        return far

    def objecting(self, ratios: FloatArray, tol: float) -> Indices:
        """The columns outside whose ratio is above 1 + tol, the largest first."""
        outside = ratios > 1 + tol
        outside[self.J] = False
        new = np.flatnonzero(outside)
        return new[np.argsort(-ratios[new], kind="stable")]

    def entering(self, new: Indices) -> Indices:
        """Those of the objecting columns that may enter together."""
        most = max(self.settings.least, int(self.settings.growth * len(self.J)))
        return unlike(self.K, new, most, self.settings)


def unlike(K: Columns, J: Indices, count: int, settings: Settings) -> Indices:
    """Up to ``count`` of the columns J, none of them too similar to an earlier one, judged by some rows."""
    J = J[: CANDIDATES * count]
    B = K.block(spread(K.shape[0], JUDGED), J)
    B = B - B.mean(axis=0)  # b is free, so a constant makes no difference
    B = B / np.maximum(np.linalg.norm(B, axis=0), np.finfo(float).tiny)
    alike, free = np.abs(B.T @ B) >= settings.similar, np.ones(len(J), dtype=bool)
    for j in np.flatnonzero(np.triu(alike, 1).any(axis=0)):
        free[j] = not alike[j, :j][free[:j]].any()
    return J[free][:count]


def spread(n: int, k: int) -> Indices:
    """At most k of the numbers below n, evenly spaced."""
    return np.linspace(0, n - 1, min(n, k)).astype(int)
