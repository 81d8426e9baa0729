"""The authors' files: which rows they are, and what is said when one is missing, cut off or another."""

import hashlib
import os

import numpy as np
import pytest
import scipy.io

from mcmteach.__main__ import main
from mcmteach.datasets import PAPER_TABLES
from mcmteach.errors import InvalidInputError
from mcmteach.experiments.authors import data
from mcmteach.experiments.authors.data import BY_NAME, RELABELLED, SHA256, read_set
from mcmteach.paper import TABLE2

HERE = os.environ.get("MCMTEACH_AUTHORS")
needs_files = pytest.mark.skipif(not HERE, reason="MCMTEACH_AUTHORS names no folder with the authors' files")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with files for the row "blogger", made up."""
    one, rng = BY_NAME["blogger"], np.random.default_rng(0)
    contents = {
        "x": rng.integers(0, 3, (10, 2)).astype("uint8"),
        "y": np.repeat([[-1], [1]], 5, axis=0).astype("int16"),
    }
    scipy.io.savemat(tmp_path / one.files[0], contents)
    scipy.io.savemat(tmp_path / one.files[1], {"indices": np.tile(np.arange(1, 6, dtype="uint8"), 2)[:, None]})
    for file in one.files:
        monkeypatch.setitem(data.SHA256, file, hashlib.sha256((tmp_path / file).read_bytes()).hexdigest())
    return tmp_path


def test_the_rows_are_those_of_the_papers_table_1():
    rows = {row.row: row for row in PAPER_TABLES if row.table == 1}
    assert [one.row for one in BY_NAME.values()] == list(range(1, 28)) == [row.row for row in TABLE2]
    assert {file for one in BY_NAME.values() for file in one.files} == set(SHA256)
    assert set(RELABELLED) <= set(rows)
    shapes = {one.row: (one.samples, one.features) for one in BY_NAME.values()}
    differ = [row for row, shape in shapes.items() if shape != (rows[row].samples, rows[row].features)]
    assert differ == [1, 8] and shapes[1][1] == 34 and shapes[8][1] == 5, "Table 1 has 54 features, and 6"


def test_a_set_is_read_from_the_folder_or_from_a_clone(folder, tmp_path):
    found = read_set("blogger", folder)
    assert found.X.shape == (10, 2) and found.X.dtype == float and found.y.tolist() == [-1.0] * 5 + [1.0] * 5
    assert found.fold.tolist() == [0, 1, 2, 3, 4] * 2
    inside = tmp_path / "clone" / data.INSIDE
    inside.mkdir(parents=True)
    for file in BY_NAME["blogger"].files:
        (folder / file).replace(inside / file)
    assert np.array_equal(read_set("blogger", tmp_path / "clone").X, found.X)


def test_a_folder_or_file_that_is_not_there(folder):
    with pytest.raises(InvalidInputError, match=r"no folder .*nowhere.*macsharma/MCM_LINPROG, commit 53fa95d"):
        read_set("blogger", folder / "nowhere")
    with pytest.raises(InvalidInputError, match=r"26\.mat cannot be read \(No such file"):
        read_set("glass", folder)


@pytest.mark.parametrize(
    "spoil", [lambda b: b[: len(b) // 2], lambda b: b + b"x", lambda b: b"", lambda b: b"version https"]
)
@pytest.mark.parametrize("which", [0, 1])
def test_a_file_that_is_cut_off_or_another_is_refused(folder, spoil, which):
    path = folder / BY_NAME["blogger"].files[which]
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(
        InvalidInputError, match=rf"{path.name} is not the authors' file: its {path.stat().st_size} bytes"
    ):
        read_set("blogger", folder)


def test_the_command_says_what_it_needs_before_it_computes(folder, capsys):
    command = ["reproduce", "table2", "--results", str(folder / "results"), "--protocol"]
    for more, said in (
        (["authors"], "needs --data DIR"),
        (["authors", "--data", str(folder / "nowhere")], "There is no folder"),
        (["authors", "--data", str(folder)], "5.mat cannot be read"),
        (["authors", "--data", str(folder), "--sets", "blogers"], "no row 'blogers'. The nearest: blogger"),
        (["nested", "--data", str(folder)], "--data belongs to --protocol authors"),
    ):
        assert main([*command, *more]) == 2
        assert said in capsys.readouterr().err
    assert not (folder / "results").exists()
    assert main(["reproduce", "table4", "--protocol", "authors"]) == 2


@needs_files
def test_what_the_files_show():
    """RELABELLED, column by column."""
    sets = {one.row: read_set(one.name, HERE) for one in BY_NAME.values()}
    for one in BY_NAME.values():
        X, y, fold = sets[one.row]
        assert X.shape == (one.samples, one.features) and set(y) == {-1, 1} and set(fold) == set(range(5))
    counts = {row: sorted((int(np.sum(sets[row].y < 0)), int(np.sum(sets[row].y > 0)))) for row in (16, 18, 20)}
    assert counts == {16: [24, 108], 18: [120, 180], 20: [210, 480]}
    assert sorted(np.unique(sets[20].X[:, -1], return_counts=True)[1]) == [307, 383], "the credit decision"
    assert sets[22].X[:3, 0].tolist() == [88203002, 844359, 86135502] and len(sets[22].y) == 568
    assert (sets[24].X[315] == 2).all() and len(sets[24].y) == len(sets[17].y) + 1
    assert sets[26].X.shape[1] == 6 and np.ptp(sets[26].X[:, 3]) == 0
    assert (sets[27].X[:, 0] == np.arange(1, 147)).all()
    assert len(set(sets[27].y[:70])) == len(set(sets[27].y[70:])) == 1
