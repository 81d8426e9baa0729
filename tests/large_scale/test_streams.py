"""Blocks from files: the same numbers as others read, flat memory, and errors that name the line."""

import subprocess
import sys
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.preprocessing import StandardScaler

from mcmteach import LargeScaleMCMClassifier
from mcmteach.errors import InvalidInputError
from mcmteach.large_scale import ArrayStream, CSVStream, SvmlightStream


def together(stream):
    X, y = zip(*stream, strict=True)
    return (sp.vstack(X).toarray() if sp.issparse(X[0]) else np.vstack(X)), np.concatenate(y)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(25, 3)) * (rng.random((25, 3)) < 0.7)
    return X, rng.choice([-1.0, 1.0], 25)


# --- what is read ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block_size", [1, 10, 25, 100])
@pytest.mark.parametrize("target", [-1, 0, 2])
@pytest.mark.parametrize("header", [True, False])
def test_csv_gives_back_what_was_written(tmp_path, table, block_size, target, header):
    X, y = table
    file = tmp_path / "data.csv"
    rows = np.insert(X, X.shape[1] if target == -1 else target, y, axis=1)
    np.savetxt(file, rows, delimiter=",", header="a,b,c,d" if header else "", comments="", fmt="%.17g")
    stream = CSVStream(file, target=target, block_size=block_size)
    for _ in range(2):  # and again
        read, labels = together(stream)
        assert np.array_equal(read, X) and np.array_equal(labels, y)
    assert max(len(labels) for _, labels in stream) == min(block_size, 25)


def test_csv_labels_may_be_words_and_lines_may_be_empty():
    X, y = together(CSVStream(StringIO("1;2;no\n\n3;4; yes \n\n"), delimiter=";", header=False))
    assert X.tolist() == [[1, 2], [3, 4]] and y.tolist() == ["no", "yes"]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 30), st.booleans())
def test_svmlight_reads_what_scikit_learn_writes(seed, block_size, zero_based):
    rng = np.random.default_rng(seed)
    X = sp.random_array((20, 6), density=0.3, rng=rng, format="csr")
    y = rng.choice([-1.0, 1.0], 20)
    from io import BytesIO

    raw = BytesIO()
    dump_svmlight_file(X, y, raw, zero_based=zero_based, comment="made up")
    read, labels = together(SvmlightStream(StringIO(raw.getvalue().decode()), 6, block_size, zero_based))
    raw.seek(0)
    theirs, their_labels = load_svmlight_file(raw, n_features=6, zero_based=zero_based)
    assert np.array_equal(read, theirs.toarray()) and np.array_equal(labels, their_labels)


def test_svmlight_counts_the_features_where_nobody_says():
    text = "1 1:1\n-1 7:2 # the widest\n+1\n"
    assert [X.shape for X, _ in SvmlightStream(StringIO(text), block_size=1)] == [(1, 7)] * 3


def test_arrays_memmaps_and_files_are_alike(tmp_path, table):
    X, y = table
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    raw = np.memmap(tmp_path / "raw", float, "w+", shape=(26, 3))
    raw[1:] = X
    for source, labels in (
        (X, y),
        (mapped, y),
        (tmp_path / "X.npy", tmp_path / "y.npy"),
        (str(tmp_path / "X.npy"), y.tolist()),
        (raw[1:], y),  # a window on a memmap, which does not begin where the file does
        (np.asfortranarray(X), y),
        (sp.csr_array(X), y),
    ):
        read, found = together(ArrayStream(source, labels, block_size=7))
        assert np.array_equal(read, X) and np.array_equal(found, y)


def test_map_applies_a_function_to_each_block(table):
    X, y = table
    scaler = StandardScaler()
    stream = ArrayStream(X, y, block_size=10)
    for block, _ in stream:
        scaler.partial_fit(block)
    read, _ = together(stream.map(scaler.transform))
    np.testing.assert_allclose(read, StandardScaler().fit_transform(X))


def test_a_machine_learns_from_each_kind_of_file(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4)).round(3)
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    np.savetxt(tmp_path / "a.csv", np.c_[X, y], delimiter=",")
    dump_svmlight_file(X, y, str(tmp_path / "a.svm"), zero_based=False)
    np.save(tmp_path / "a.npy", X)
    machine = LargeScaleMCMClassifier(n_components=150, max_iter=60, batch_size=32)
    for stream in (
        CSVStream(tmp_path / "a.csv", block_size=200),
        SvmlightStream(tmp_path / "a.svm", block_size=200),
        ArrayStream(tmp_path / "a.npy", y, block_size=200),
    ):
        assert machine.fit_stream(stream).score(X, y) > 0.9


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read where Linux keeps it")
def test_memory_stays_flat(tmp_path):
    """A file of 200 MB adds far less than that to what a process needs, whichever way it is opened."""
    np.save(tmp_path / "X.npy", np.ones((200_000, 125)))
    np.save(tmp_path / "y.npy", np.tile([0, 1], 100_000))
    code = (
        "import re, sys, numpy as np, mcmteach.large_scale as ls\n"
        "from pathlib import Path\n"
        "peak = lambda: int(re.search(r'VmHWM:\\s+(\\d+) kB', Path('/proc/self/status').read_text())[1]) / 1024\n"
        "X, y = sys.argv[1:3]\n"
        "before = peak()\n"
        "for source in (X, np.load(X, mmap_mode='r')):\n"
        "    total = sum(block.sum() for block, _ in ls.ArrayStream(source, y, 5000))\n"
        "    assert total == 25e6\n"
        "print(peak() - before)\n"
    )
    arguments = [sys.executable, "-c", code, str(tmp_path / "X.npy"), str(tmp_path / "y.npy")]
    ran = subprocess.run(arguments, check=True, timeout=120, capture_output=True, text=True)
    assert float(ran.stdout) < 60


# --- what cannot be read -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2,0\n3,x,1\n", "Line 2 of the file cannot be read"),
        ("a,b,c\n1,2,0\n\n3,nan,1\n", "Line 4 of the file cannot be read: a value is NaN"),
        ("1,2,0\n3,inf,1\n", "Line 2 .* NaN or infinite"),
        ("1,2,0\n3,,1\n", "Line 2"),
        ("1,2,0\n3,4,5,1\n", "Line 2 .* it has 4 fields, and the file starts with 3"),
        ("1,2,0\n3,1\n", "Line 2 .* it has 2 fields"),
        ("1,2,0\n3,4,\n", "Line 2 .* its label is missing"),
        ("7\n8\n", "1 column"),
    ],
)
def test_bad_csv_names_the_line(text, message):
    with pytest.raises(InvalidInputError, match=message):
        list(CSVStream(StringIO(text)))


def test_a_bad_label_in_a_later_block_names_its_line():
    with pytest.raises(InvalidInputError, match=r"Line 3 .* 'what'"):
        list(CSVStream(StringIO("1,2,0\n3,4,1\n5,6,what\n"), block_size=2))
    with pytest.raises(InvalidInputError, match=r"Line 2 .* it has 2 fields"):
        list(CSVStream(StringIO("1,2,0\n3,1\n"), target=1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:2\n-1 x:3\n", "Line 2"),
        ("1 1:2\n\n-1 2:nan\n", "Line 3 .* NaN"),
        ("1 0:2\n", "Line 1 .* whole numbers from 1 on"),
        ("1 1.5:2\n", "Line 1 .* whole numbers"),
        ("1 1:2\n1 9:1\n", "Line 2 .* beyond the 3 features"),
        ("1 1:2 3\n", "Line 1 .* pairs of the form"),
    ],
)
def test_bad_svmlight_names_the_line(text, message):
    with pytest.raises(InvalidInputError, match=message):
        list(SvmlightStream(StringIO(text), n_features=3))


def test_other_bad_sources(tmp_path):
    with pytest.raises(InvalidInputError, match="There is no file"):
        CSVStream(tmp_path / "nowhere.csv")
    with pytest.raises(InvalidInputError, match="There is no file"):
        SvmlightStream(tmp_path / "nowhere.svm")
    with pytest.raises(InvalidInputError, match="5 rows and y has 4"):
        ArrayStream(np.zeros((5, 2)), np.zeros(4))
    with pytest.raises(InvalidInputError, match="needs rows"):
        ArrayStream(3.0, [1])
    with pytest.raises(InvalidInputError, match="block_size must be"):
        ArrayStream(np.zeros((5, 2)), np.zeros(5), block_size=0)
    with pytest.raises(InvalidInputError, match=r"target|column"):
        list(CSVStream(StringIO("1,2,0\n"), target=7))
    with pytest.raises(InvalidInputError, match="counted from 0, and is 'label'"):
        CSVStream(StringIO("1,2,0\n"), target="label")


def test_npy_files_that_are_none(tmp_path):
    np.save(tmp_path / "whole.npy", np.zeros((100, 3)))
    whole = (tmp_path / "whole.npy").read_bytes()
    (tmp_path / "half.npy").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.npy").write_text("1,2,3\n")
    (tmp_path / "empty.npy").touch()
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    for name in ("half.npy", "text.npy", "empty.npy", "objects.npy"):
        with pytest.raises(InvalidInputError, match=f"{name} is not a whole .npy file"):
            ArrayStream(tmp_path / name, np.zeros(100))
    np.savez(tmp_path / "several.npz", X=np.zeros((100, 3)))
    with pytest.raises(InvalidInputError, match="several arrays"):
        ArrayStream(tmp_path / "several.npz", np.zeros(100))
    for name in ("nowhere.npy", "."):
        with pytest.raises(InvalidInputError, match="There is no file"):
            ArrayStream(tmp_path / name, np.zeros(100))


def test_empty_lines_before_the_header_are_passed_over():
    ((X, y),) = CSVStream(StringIO("\n\na,b,label\n\n1,2,no\n3,4,yes\n"))
    assert X.tolist() == [[1, 2], [3, 4]] and y.tolist() == ["no", "yes"]
    with pytest.raises(InvalidInputError, match="Line 5 of the file"):
        list(CSVStream(StringIO("\n\na,b,label\n1,2,no\n3,x,yes\n")))


@pytest.mark.parametrize("text", ["", "\n\n", "a,b,c\n"])
def test_an_empty_file_is_an_empty_stream(text):
    with pytest.raises(InvalidInputError, match="stream is empty"):
        LargeScaleMCMClassifier().fit_stream(CSVStream(StringIO(text)))
    with pytest.raises(InvalidInputError, match="stream is empty"):
        LargeScaleMCMClassifier().fit_stream(SvmlightStream(StringIO("# nothing\n")))


def test_a_csv_with_a_byte_order_mark_is_read_and_another_coding_is_said(tmp_path):
    (tmp_path / "mark.csv").write_text("1.0,2.0,0\n3.0,4.0,1\n", encoding="utf-8-sig")
    ((X, y),) = CSVStream(tmp_path / "mark.csv")
    assert X.tolist() == [[1.0, 2.0], [3.0, 4.0]] and len(y) == 2
    (tmp_path / "latin.csv").write_bytes("1.0,2.0,m\xfcde\n".encode("latin-1"))
    with pytest.raises(InvalidInputError, match="not UTF-8"):
        list(CSVStream(tmp_path / "latin.csv"))
