"""Sets of Table 4 from a folder: checked by their numbers, whatever the format."""

import gzip
import hashlib

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from mcmteach import load_dataset
from mcmteach.__main__ import main
from mcmteach.errors import InvalidInputError
from mcmteach.experiments import further_sets, table4
from mcmteach.experiments.further_sets import FURTHER, load_table4_set
from mcmteach.paper.printed import TABLE4

X = np.random.default_rng(5).integers(0, 5, (30, 3)).astype(float)
Y = np.where(np.arange(30) % 3 == 0, 1.0, -1.0)


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """A set named fourclass with numbers of our own, as CSV."""
    digest = hashlib.sha256(np.c_[X, Y].astype("<f8").tobytes()).hexdigest()
    monkeypatch.setitem(further_sets.FURTHER, "fourclass", FURTHER["fourclass"]._replace(samples=30, sha256=digest))
    lines = ["a,b,c,class", *(",".join(map(str, [*row, label])) for row, label in zip(X, Y, strict=True))]
    (tmp_path / "fourclass.csv").write_text("\n".join(lines))
    return tmp_path


def test_any_of_the_formats_gives_the_numbers(made_up):
    as_csv = load_table4_set("fourclass", made_up, 42)
    text = (made_up / "fourclass.csv").read_bytes()
    (made_up / "fourclass.csv").unlink()
    (made_up / "fourclass.csv.gz").write_bytes(gzip.compress(text))
    zipped = load_table4_set("fourclass", made_up, 42)
    (made_up / "fourclass.csv.gz").unlink()
    dump_svmlight_file(X, Y, str(made_up / "fourclass.svm"), zero_based=False)
    as_svm = load_table4_set("fourclass", made_up, 42)
    for found in (as_csv, zipped, as_svm):
        assert np.array_equal(found[0], X) and np.array_equal(found[1], (Y + 1) / 2)


def test_what_is_wrong_with_a_file_is_said(made_up):
    with pytest.raises(InvalidInputError, match="has no file htru2"):
        load_table4_set("htru2", made_up, 42)
    with pytest.raises(InvalidInputError, match="--data DIR"):
        load_table4_set("htru2", None, 42)
    path = made_up / "fourclass.csv"
    whole = path.read_text()
    path.write_text(whole.replace("a,b,c", "0,1,2"))  # the names of columns are no numbers of the set
    assert len(load_table4_set("fourclass", made_up, 42)[1]) == 30
    for content in (whole[: len(whole) // 2], whole.replace("1.0", "2.0"), "x\n1"):
        path.write_text(content)
        with pytest.raises(InvalidInputError, match=r"cannot be read|holds other numbers"):
            load_table4_set("fourclass", made_up, 42)
    path.unlink()
    (made_up / "fourclass.csv.gz").write_bytes(gzip.compress(whole.encode())[:-9])
    with pytest.raises(InvalidInputError, match="cannot be read"):
        load_table4_set("fourclass", made_up, 42)


def test_a_cut_of_the_pool_has_its_size_and_rows_of_the_pool():
    cut, y = load_table4_set("a3a-sized", None, 42)
    pool = {row.tobytes() for row in np.asarray(load_dataset("adult-a1a-pool").data.todense())}
    assert cut.shape == (3185, 123) and len(y) == 3185 and all(row.tobytes() in pool for row in cut[:50])
    assert not np.array_equal(cut, load_table4_set("a3a-sized", None, 43)[0])


def test_with_a_folder_all_fourteen_rows_are_there(made_up, monkeypatch, capsys):
    assert table4.rows_of(None, made_up) == list(range(1, 15)) == [row.row for row in TABLE4]
    grid = {"gamma": (1.0,), "C": (100.0,), "n_components": (8,), "whiten": (1e-3,)}
    monkeypatch.setattr(table4, "GRIDS", {"small": grid, "large": grid})
    monkeypatch.setattr(table4, "GAMMA_C_GRID", (1.0,))
    monkeypatch.setattr("mcmteach.large_scale.descent.AUTO_STEPS", 50)
    command = ["reproduce", "table4", "--data", str(made_up), "--sets", "fourclass", "--results", str(made_up)]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "fourclass (fourclass)" in out and "98.84" in out and "Not here: w8a-pool-of-w4a" in out
    assert main([*command[:4], "--sets", "htru2", "--results", str(made_up)]) == 1
    assert "lost: htru2: InvalidInputError" in capsys.readouterr().err
