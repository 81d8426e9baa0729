"""Data in blocks: arrays, sparse matrices and files that are larger than memory."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler

from mcmteach import LargeScaleMCMClassifier
from mcmteach.errors import InvalidInputError
from mcmteach.large_scale import ArrayStream
from tests.processes import python


def together(stream):
    X, y = zip(*stream, strict=True)
    return (sp.vstack(X).toarray() if sp.issparse(X[0]) else np.vstack(X)), np.concatenate(y)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(25, 3)) * (rng.random((25, 3)) < 0.7)
    return X, rng.choice([-1.0, 1.0], 25)


def test_arrays_and_memmaps_are_alike(tmp_path, table):
    X, y = table
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    raw = np.memmap(tmp_path / "raw", float, "w+", shape=(26, 3))
    raw[1:] = X
    for source, labels in (
        (X, y),
        (mapped, y),
        (mapped, np.load(tmp_path / "y.npy", mmap_mode="r")),
        (X.tolist(), y.tolist()),
        (raw[1:], y),  # a window on a memmap, which does not begin where the file does
        (np.asfortranarray(X), y),
        (sp.csr_array(X), y),
    ):
        read, found = together(ArrayStream(source, labels, block_size=7))
        assert np.array_equal(read, X) and np.array_equal(found, y)


def test_a_transform_is_applied_to_each_block(table):
    X, y = table
    scaler = StandardScaler()
    stream = ArrayStream(X, y, block_size=10)
    for block, _ in stream:
        scaler.partial_fit(block)
    read, _ = together(ArrayStream(X, y, 10, scaler.transform))
    np.testing.assert_allclose(read, StandardScaler().fit_transform(X))


def test_a_machine_learns_from_a_memmap(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4)).round(3)
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    np.save(tmp_path / "X.npy", X)
    machine = LargeScaleMCMClassifier(n_components=150, max_iter=60, batch_size=32)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert machine.fit_stream(ArrayStream(mapped, y, block_size=200)).score(X, y) > 0.9


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read where Linux keeps it")
def test_memory_stays_flat(tmp_path):
    """A file of 200 MB adds far less than that to the memory of a process."""
    np.save(tmp_path / "X.npy", np.ones((200_000, 125)))
    np.save(tmp_path / "y.npy", np.tile([0, 1], 100_000))
    code = (
        "import re, sys, numpy as np, mcmteach.large_scale as ls\n"
        "from pathlib import Path\n"
        "peak = lambda: int(re.search(r'VmHWM:\\s+(\\d+) kB', Path('/proc/self/status').read_text())[1]) / 1024\n"
        "X, y = (np.load(path, mmap_mode='r') for path in sys.argv[1:3])\n"
        "before = peak()\n"
        "assert sum(block.sum() for block, _ in ls.ArrayStream(X, y, 5000)) == 25e6\n"
        "print(peak() - before)\n"
    )
    ran = python("-c", code, tmp_path / "X.npy", tmp_path / "y.npy", check=True, capture_output=True, text=True)
    assert float(ran.stdout) < 60


def test_bad_sources():
    with pytest.raises(InvalidInputError, match="5 rows and y has 4"):
        ArrayStream(np.zeros((5, 2)), np.zeros(4))
    with pytest.raises(InvalidInputError, match="needs rows"):
        ArrayStream(3.0, [1])
    with pytest.raises(InvalidInputError, match="block_size must be"):
        ArrayStream(np.zeros((5, 2)), np.zeros(5), block_size=0)
