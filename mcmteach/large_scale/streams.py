"""Data that do not fit into memory, block by block: from a CSV file, a file in LIBSVM's format, or numpy's own files.

A stream is anything that gives pairs (X, y) when it is iterated, and the same pairs again when it is iterated again.
``LargeScaleMCMClassifier.fit_stream`` takes one. The order of the rows matters: a machine that learns as it reads cannot
learn from a file that holds one class first and then the other. Shuffle such a file once, on the disk.

>>> from io import StringIO
>>> file = StringIO("height,weight,label\\n1.0,2.0,small\\n3.0,4.0,large\\n5.0,6.0,large\\n")
>>> for X, y in CSVStream(file, block_size=2):
...     print(X.tolist(), y.tolist())
[[1.0, 2.0], [3.0, 4.0]] ['small', 'large']
[[5.0, 6.0]] ['large']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from mmap import mmap
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp

from mcmteach.errors import InvalidInputError
from mcmteach.validation import whole

Block = tuple[Any, np.ndarray]
Lines = list[tuple[int, str]]


class Stream:
    """Blocks (X, y) of rows and their labels, the same ones on each iteration."""

    block_size: int

    def __iter__(self) -> Iterator[Block]:
        raise NotImplementedError

    def map(self, function: Callable[[Any], Any]) -> Stream:
        """The stream with ``function`` applied to each X, such as the ``transform`` of a scaler."""
        return _Mapped(self, function)


class _Mapped(Stream):
    def __init__(self, stream: Stream, function: Callable[[Any], Any]):
        self.stream, self.function, self.block_size = stream, function, stream.block_size

    def __iter__(self) -> Iterator[Block]:
        for X, y in self.stream:
            yield self.function(X), y


class ArrayStream(Stream):
    """Blocks of arrays, or of ``.npy`` files that are larger than memory.

    Parameters
    ----------
    X : array, sparse matrix or numpy memmap of shape (n_samples, n_features), or the path of a ``.npy`` file with one
    y : array of shape (n_samples,), or the path of a ``.npy`` file
    block_size : rows per block

    A file is opened anew for each block, and only that block is copied: pages that were read do not pile up in memory.

    Examples
    --------
    >>> [X.shape for X, y in ArrayStream(np.zeros((5, 2)), np.arange(5), block_size=3)]
    [(3, 2), (2, 2)]
    """

    def __init__(self, X: Any, y: Any, block_size: int = 8192):
        self.X, self.y, self.block_size = X, y, whole(block_size, "block_size", 1)
        rows, labels = (_length(_opened(part)) for part in (X, y))
        if rows != labels:
            raise InvalidInputError(f"X has {rows} rows and y has {labels} entries: one label per row is needed.")
        self.n_samples = rows

    def __iter__(self) -> Iterator[Block]:
        for start in range(0, self.n_samples, self.block_size):
            part = slice(start, start + self.block_size)
            X = _opened(self.X)[part]
            yield (X if sp.issparse(X) else np.array(X)), np.array(_opened(self.y)[part])


def _opened(part: Any) -> Any:
    if isinstance(part, str | Path):
        return _mapped_file(Path(part))
    if isinstance(part, np.memmap) and isinstance(part.base, mmap) and part.flags.c_contiguous:
        # the same window on the same file, opened afresh: what was read through the old one stays in memory with it
        return np.memmap(part.filename, part.dtype, "r", part.offset, part.shape)
    return part if sp.issparse(part) else np.asarray(part)


def _mapped_file(path: Path) -> np.ndarray:
    if not path.is_file():
        raise InvalidInputError(f"There is no file {path}.")
    try:
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as problem:  # text, half a file, Python objects
        raise InvalidInputError(
            f"{path} is not a whole .npy file of numbers ({problem}). Write it with numpy.save."
        ) from None
    if not isinstance(found, np.ndarray):
        raise InvalidInputError(f"{path} holds several arrays (.npz). Write each into a .npy file, with numpy.save.")
    return found


def _length(part: Any) -> int:
    if not np.ndim(part) and not sp.issparse(part):
        raise InvalidInputError("A stream of arrays needs rows: an array of shape (n_samples, …), or a file with one.")
    return int(part.shape[0])


class TextStream(Stream):
    """What the two text formats share: blocks of lines with their numbers, and an error that names the line."""

    def __init__(self, path: Any, block_size: int):
        self.path, self.block_size = path, whole(block_size, "block_size", 1)
        if not hasattr(path, "read") and not Path(path).is_file():
            raise InvalidInputError(f"There is no file {path}.")

    def _parse(self, lines: Lines) -> Block:
        raise NotImplementedError

    def _line_blocks(self, skip: int = 0) -> Iterator[Lines]:
        """Lines that hold something, with their numbers in the file, ``block_size`` at a time."""
        with self._open() as file:
            numbered = ((number, line.strip()) for number, line in enumerate(file, 1))
            full = islice(((number, line) for number, line in numbered if line), skip, None)
            try:
                while block := list(islice(full, self.block_size)):
                    yield block
            except UnicodeDecodeError as problem:
                raise InvalidInputError(
                    f"{self.path} is not UTF-8 text ({problem.reason}). Save it in that coding."
                ) from None

    @contextmanager
    def _open(self) -> Iterator[Any]:
        if hasattr(self.path, "read"):
            self.path.seek(0)
            yield self.path
            return
        with open(self.path, encoding="utf-8-sig") as file:
            try:
                yield file
            except UnicodeDecodeError as problem:
                raise InvalidInputError(
                    f"{self.path} is not UTF-8 text ({problem.reason}). Save it in that coding."
                ) from None

    def _blame(self, lines: Lines) -> NoReturn:
        """Say which line it was, and why, by reading the lines one by one."""
        for number, line in lines:
            try:
                self._parse([(number, line)])
            except ValueError as problem:
                shown = line if len(line) <= 60 else f"{line[:57]}..."
                raise InvalidInputError(
                    f"Line {number} of {self._name()} cannot be read: {problem} The line is {shown!r}."
                ) from None
        raise InvalidInputError(
            f"Lines {lines[0][0]} to {lines[-1][0]} of {self._name()} do not agree in their number of fields."
        )

    def _name(self) -> str:
        return "the file" if hasattr(self.path, "read") else Path(self.path).name


class CSVStream(TextStream):
    """Blocks of a CSV file of numbers, with the label in one of its columns.

    Parameters
    ----------
    path : of the file (or a text file that is open)
    target : the label's column, counted from 0; -1 is the last one. Labels may be numbers or words
    block_size : rows per block
    delimiter : between the fields. Quoted fields are not supported
    header : whether the first line names the columns; None looks whether it holds numbers

    A field that is empty, NaN or no number is an error that names the line: impute before, or with ``map``.
    """

    def __init__(
        self, path: Any, target: int = -1, block_size: int = 8192, delimiter: str = ",", header: bool | None = None
    ):
        super().__init__(path, block_size)
        if not isinstance(target, int | np.integer):
            raise InvalidInputError(f"target is the number of the label's column, counted from 0, and is {target!r}.")
        self.target, self.delimiter, self.header = target, delimiter, header
        self.n_fields, self.numeric = 0, True

    def __iter__(self) -> Iterator[Block]:
        with self._open() as file:
            first = next((line.strip() for line in file if line.strip()), "")
        if not first:
            return  # an empty file is an empty stream
        self.n_fields = first.count(self.delimiter) + 1
        if not -self.n_fields <= self.target < self.n_fields or self.n_fields < 2:
            raise InvalidInputError(
                f"{self._name()} has {self.n_fields} column(s), and features beside a label in column {self.target} are needed."
            )
        header = self.header if self.header is not None else not self._is_data(first)
        for at, lines in enumerate(self._line_blocks(skip=int(header))):
            try:
                if at == 0:
                    self.numeric = all(_is_number(self._fields(line)[1]) for _, line in lines)
                block = self._parse(lines)
            except ValueError:
                self._blame(lines)
            yield block

    def _parse(self, lines: Lines) -> Block:
        split = [self._fields(line) for _, line in lines]
        X = np.loadtxt([rest for rest, _ in split], delimiter=self.delimiter, ndmin=2, comments=None)
        if X.shape[1] != self.n_fields - 1:
            raise ValueError(f"it has {X.shape[1] + 1} fields, and the file starts with {self.n_fields}.")
        if not np.isfinite(X).all():
            raise ValueError("a value is NaN or infinite.")
        labels = [label.strip() for _, label in split]
        if "" in labels:
            raise ValueError("its label is missing.")
        y = np.array(labels, dtype=float if self.numeric else None)
        if self.numeric and not np.isfinite(y).all():
            raise ValueError("its label is NaN or infinite.")
        return X, y

    def _fields(self, line: str) -> tuple[str, str]:
        """The features, still one string, and the label."""
        if self.target == -1:
            rest, _, label = line.rpartition(self.delimiter)
            return rest, label
        fields = line.split(self.delimiter)
        if len(fields) != self.n_fields:
            raise ValueError(f"it has {len(fields)} fields, and the file starts with {self.n_fields}.")
        label = fields.pop(self.target)
        return self.delimiter.join(fields), label

    def _is_data(self, line: str) -> bool:
        return any(_is_number(field) for field in self._fields(line)[0].split(self.delimiter))


class SvmlightStream(TextStream):
    """Blocks of a file in LIBSVM's format, ``label index:value index:value …``, as sparse matrices.

    Parameters
    ----------
    path : of the file (or a text file that is open)
    n_features : how many there are. Where it is left out, the file is read once to see
    block_size : rows per block
    zero_based : whether the first feature has index 0 and not 1, as the format has it

    Examples
    --------
    >>> from io import StringIO
    >>> (X, y), = SvmlightStream(StringIO("+1 1:0.5 3:2\\n-1 2:1  # a remark\\n"))
    >>> X.toarray().tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1.0, -1.0])
    """

    def __init__(self, path: Any, n_features: int | None = None, block_size: int = 8192, zero_based: bool = False):
        super().__init__(path, block_size)
        self.zero_based = zero_based
        self.n_features = None if n_features is None else whole(n_features, "n_features", 1)

    def __iter__(self) -> Iterator[Block]:
        if self.n_features is None:
            self.n_features = max((X.shape[1] for X, _ in self._blocks()), default=1)
        return self._blocks()

    def _blocks(self) -> Iterator[Block]:
        for lines in self._line_blocks():
            lines = [(number, line) for number, text in lines if (line := text.partition("#")[0].strip())]
            if not lines:
                continue
            try:
                block = self._parse(lines)
            except ValueError:
                self._blame(lines)
            yield block

    def _parse(self, lines: Lines) -> Block:
        # all tokens at once: each row is its label, then pairs of an index and a value
        pairs = np.array([line.count(":") for _, line in lines])
        tokens = np.array(" ".join(line.replace(":", " ") for _, line in lines).split(), dtype=float)
        if len(tokens) != len(lines) + 2 * pairs.sum():
            raise ValueError("it is not a label and pairs of the form index:value.")
        label_at = np.r_[0, np.cumsum(1 + 2 * pairs)[:-1]]
        index, value = np.delete(tokens, label_at).reshape(-1, 2).T
        index = index - (0 if self.zero_based else 1)
        if not np.isfinite(tokens).all():
            raise ValueError("a value is NaN or infinite.")
        if (index < 0).any() or (index != np.round(index)).any():
            raise ValueError(f"its indices must be whole numbers from {0 if self.zero_based else 1} on.")
        n = self.n_features or int(index.max(initial=0)) + 1
        if index.max(initial=0) >= n:
            raise ValueError(f"it has an index beyond the {n} features that there are.")
        row_ends = np.r_[0, np.cumsum(pairs)]
        return sp.csr_array((value, index.astype(int), row_ends), shape=(len(lines), n)), tokens[label_at]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
