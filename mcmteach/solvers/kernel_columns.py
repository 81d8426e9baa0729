r"""A matrix K that is asked for some of its entries, for \(K\lambda\) and for \(K^Tz\), and need not exist as a whole.

A sparse machine uses few columns of its kernel matrix. :class:`KernelColumns` evaluates those that are asked for, in
blocks, and forgets them; :class:`MatrixColumns` gives a stored matrix the same interface. A kernel matrix that
is one block is evaluated once and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mcmteach.solvers.settings import DEFAULT
from mcmteach.validation import FloatArray, MatrixLike, dense

Indices: TypeAlias = NDArray[np.intp]


class Columns:
    """What both kinds share: ``K @ coef`` and ``K.T @ z``, which touch only what is not multiplied by zero."""

    shape: tuple[int, int]

    def block(self, rows: Indices, columns: Indices) -> FloatArray:
        """K[rows][:, columns] as a dense array."""
        raise NotImplementedError

    def __matmul__(self, coef: FloatArray) -> FloatArray:
        J = np.flatnonzero(coef)
        if not len(J):
            return np.zeros(self.shape[0])
        pieces = [self.block(rows, J) @ coef[J] for rows in _pieces(np.arange(self.shape[0]), len(J))]
        return np.concatenate(pieces)

    def correlate(self, z: FloatArray, columns: Indices) -> FloatArray:
        """K[:, columns]' z."""
        out = np.zeros(len(columns))
        for rows in _pieces(np.flatnonzero(z), len(columns)):
            out += z[rows] @ self.block(rows, columns)
        return out

    def products(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """K' z, and the largest |K_ij| of each column among the rows that z touches: its rounding is relative to these."""
        out, size = np.zeros(self.shape[1]), np.zeros(self.shape[1])
        for rows in _pieces(np.flatnonzero(z), self.shape[1]):
            block = self.block(rows, np.arange(self.shape[1]))
            out += z[rows] @ block
            np.maximum(size, np.maximum(block.max(axis=0), -block.min(axis=0)), out=size)
        return out, size

    def ranges(self, columns: Indices) -> tuple[FloatArray, FloatArray]:
        """The smallest and the largest value of each of some columns."""
        blocks = [(block.min(axis=0), block.max(axis=0)) for block in self.row_blocks(columns)]
        return np.min([low for low, _ in blocks], axis=0), np.max([high for _, high in blocks], axis=0)

    def row_blocks(self, columns: Indices) -> Iterator[FloatArray]:
        """Some columns, in blocks of rows."""
        for rows in _pieces(np.arange(self.shape[0]), len(columns)):
            yield self.block(rows, columns)

    def column_blocks(self, rows: Indices, columns: Indices) -> Iterator[tuple[Indices, FloatArray]]:
        """Some rows of some columns, in blocks of columns."""
        for part in _pieces(columns, len(rows)):
            yield part, self.block(rows, part)

    def all_rows(self, columns: Indices) -> MatrixLike:
        """Some columns, as an array, or sparse where K is sparse enough to be worth it."""
        return self.block(np.arange(self.shape[0]), columns)

    def part(self, rows: Indices, columns: Indices) -> Columns:
        """Some rows and columns of it, as Columns."""
        return MatrixColumns(self.block(rows, columns))

    def cheap(self, entries: int) -> bool:
        """Whether K is stored and has at most so many entries, so that K' z may be computed often."""
        return False

    @property
    def T(self) -> _Transposed:
        return _Transposed(self)


class _Transposed:
    def __init__(self, K: Columns):
        self.K = K

    def __matmul__(self, z: FloatArray) -> FloatArray:
        return self.K.correlate(z, np.arange(self.K.shape[1]))


class KernelColumns(Columns):
    """The matrix of k(x_i, x_j) for the rows of X, evaluated where it is needed.

    Examples
    --------
    >>> from mcmteach.kernels import Linear
    >>> K = KernelColumns(Linear(), np.array([[1.0], [2.0], [3.0]]))
    >>> K @ np.array([0.0, 1.0, 0.0]), K.T @ np.array([1.0, 0.0, 0.0])
    (array([2., 4., 6.]), array([1., 2., 3.]))
    """

    def __init__(self, kernel: Callable[[MatrixLike, MatrixLike], FloatArray], X: MatrixLike):
        self.kernel, self.X = kernel, X
        self.shape = (X.shape[0], X.shape[0])
        self._kept = _Rows(self)

    def block(self, rows: Indices, columns: Indices) -> FloatArray:
        if not len(rows) or not len(columns):
            return np.zeros((len(rows), len(columns)))
        return self.kernel(self.X[rows], self.X[columns])

    def correlate(self, z: FloatArray, columns: Indices) -> FloatArray:
        return self._kept.products(z)[columns]

    def products(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        return self._kept.products(z), self._kept.sizes

    def part(self, rows: Indices, columns: Indices) -> Columns:
        return as_columns(KernelColumns(self.kernel, self.X[rows])) if rows is columns else super().part(rows, columns)


class _Rows:
    """Rows of K as they were evaluated for K'z, kept while there is room: the next z needs most of them again."""

    def __init__(self, K: Columns):
        self.K, self.room = K, DEFAULT.kept
        self.blocks: list[tuple[Indices, FloatArray]] = []  # (which rows, their entries)
        self.known = np.zeros(K.shape[0], dtype=bool)
        self.sizes = np.zeros(K.shape[1])  # the largest |K_ij| of each column among all rows that were evaluated

    def products(self, z: FloatArray) -> FloatArray:
        """K'z."""
        out = sum((_combined(z[rows], block) for rows, block in self.blocks), np.zeros(self.K.shape[1]))
        for rows in _pieces(np.flatnonzero((z != 0) & ~self.known), self.K.shape[1]):
            block = self.K.block(rows, np.arange(self.K.shape[1]))
            np.maximum(self.sizes, np.maximum(block.max(axis=0), -block.min(axis=0)), out=self.sizes)
            out += z[rows] @ block
            if block.size <= self.room:
                self.room -= block.size
                self.blocks.append((rows, block))
                self.known[rows] = True
        return out


def _combined(weights: FloatArray, rows: FloatArray) -> FloatArray:
    """weights @ rows; where most weights are 0, without reading their rows."""
    some = np.flatnonzero(weights)
    return weights[some] @ rows[some] if 4 * len(some) < len(weights) else weights @ rows


class MatrixColumns(Columns):
    """A dense or sparse matrix as Columns."""

    def __init__(self, K: MatrixLike):
        self.K = K.tocsc() if sp.issparse(K) else K
        self.shape = K.shape

    def block(self, rows: Indices, columns: Indices) -> FloatArray:
        if sp.issparse(self.K):
            return self.K[:, columns][rows].toarray()
        return self.K[np.ix_(rows, columns)]

    def all_rows(self, columns: Indices) -> MatrixLike:
        worth = sp.issparse(self.K) and self.K.nnz <= DEFAULT.filled * self.shape[0] * self.shape[1]
        return self.K[:, columns] if worth else dense(self.K[:, columns])

    def __matmul__(self, coef: FloatArray) -> FloatArray:
        return np.asarray(self.K @ coef)

    def correlate(self, z: FloatArray, columns: Indices) -> FloatArray:
        return np.asarray(self.K.T @ z)[columns]

    @cached_property
    def sizes(self) -> FloatArray:
        """The largest |K_ij| of each column."""
        return np.maximum(dense(self.K.max(axis=0)), -dense(self.K.min(axis=0))).ravel()

    def products(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        return np.asarray(self.K.T @ z), self.sizes

    def part(self, rows: Indices, columns: Indices) -> Columns:
        return MatrixColumns(self.K[rows][:, columns] if sp.issparse(self.K) else self.block(rows, columns))

    def cheap(self, entries: int) -> bool:
        return (self.K.nnz if sp.issparse(self.K) else self.K.size) <= entries


class RowsOfColumns(Columns):
    """Some rows of other Columns."""

    def __init__(self, K: Columns, rows: Indices):
        self.K, self.rows = K, rows
        self.shape = (len(rows), K.shape[1])

    def block(self, rows: Indices, columns: Indices) -> FloatArray:
        return self.K.block(self.rows[rows], columns)


def as_columns(K: MatrixLike) -> Columns:
    """K itself if it is lazy, and large enough to stay so; else the whole matrix: one that is a single block is kept."""
    if isinstance(K, KernelColumns) and K.shape[0] * K.shape[1] <= DEFAULT.block:
        return MatrixColumns(K.block(*map(np.arange, K.shape)))
    return K if isinstance(K, Columns) else MatrixColumns(K)


def _pieces(rows: Indices, width: int) -> Iterator[Indices]:
    """The rows in pieces, so that a piece with ``width`` columns is one block."""
    step = max(1, DEFAULT.block // max(1, width))
    for start in range(0, len(rows), step):
        yield rows[start : start + step]
