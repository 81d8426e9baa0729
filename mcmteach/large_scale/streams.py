"""Data in blocks of rows, for a machine that never needs all of them at once: ``LargeScaleMCMClassifier.fit_stream``.

A stream is anything that gives pairs (X, y) when it is iterated, and the same pairs again when it is iterated again: a list
of blocks, an :class:`ArrayStream`, or a class with an ``__iter__`` that reads a file. The order of the rows matters: a machine
that learns as it reads cannot learn from a file that holds one class first and then the other. Shuffle such a file once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from mmap import mmap
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from mcmteach.errors import InvalidInputError
from mcmteach.validation import MatrixLike, whole

Block: TypeAlias = tuple[Any, NDArray[Any]]  #: rows X, and their labels y


class ArrayStream:
    """Blocks of arrays, which may be memory maps of files that are larger than memory.

    Parameters
    ----------
    X : array, sparse matrix or numpy memmap (``np.load(path, mmap_mode="r")``) of shape (n_samples, n_features)
    y : array or memmap of shape (n_samples,)
    block_size : rows per block
    transform : function that is applied to each block of X, such as the ``transform`` of a scaler

    A memory map is opened anew for each block, and only that block is copied, so that pages that were read do not stay in
    memory.

    Examples
    --------
    >>> [X.shape for X, y in ArrayStream(np.zeros((5, 2)), np.arange(5), block_size=3)]
    [(3, 2), (2, 2)]
    """

    def __init__(
        self, X: MatrixLike, y: ArrayLike, block_size: int = 8192, transform: Callable[[Any], Any] | None = None
    ):
        self.X: Any = X if sp.issparse(X) else np.asanyarray(X)
        self.y = np.asanyarray(y)
        self.block_size, self.transform = whole(block_size, "block_size", 1), transform
        if not self.X.ndim or not self.y.ndim:
            raise InvalidInputError("A stream of arrays needs rows: arrays of shape (n_samples, …) for X and y.")
        if self.X.shape[0] != self.y.shape[0]:
            raise InvalidInputError(
                f"X has {self.X.shape[0]} rows and y has {self.y.shape[0]} entries: one label per row is needed."
            )

    def __iter__(self) -> Iterator[Block]:
        for start in range(0, self.X.shape[0], self.block_size):
            rows = slice(start, start + self.block_size)
            X = _reopened(self.X)[rows]
            X = X if sp.issparse(X) else np.array(X)
            yield (X if self.transform is None else self.transform(X)), np.array(_reopened(self.y)[rows])


def _reopened(part: Any) -> Any:
    """A memory map of the same part of the same file, which has no pages in memory yet; any other array as it is."""
    if isinstance(part, np.memmap) and isinstance(part.base, mmap) and part.flags.c_contiguous:
        return np.memmap(part.filename, part.dtype, "r", part.offset, part.shape)
    return part
