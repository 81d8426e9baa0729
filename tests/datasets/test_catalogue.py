"""The catalogue: files that are what it says, a README that cites every set, and the numbers in its notes."""

from __future__ import annotations

import hashlib
from importlib.resources import files

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from mcmteach import load_dataset
from mcmteach.datasets import disagreement_table, paper_disagreements, raw_text
from mcmteach.datasets.catalogue import CATALOGUE, LICENCE

PACKAGE = files("mcmteach.datasets")


@pytest.mark.parametrize("name", CATALOGUE)
def test_checksums(name: str) -> None:
    assert hashlib.sha256(raw_text(name).encode()).hexdigest() == CATALOGUE[name].sha256


def test_files_are_small_reproducible_and_all_known() -> None:
    bundled = {path.name: path.read_bytes() for path in (PACKAGE / "data").iterdir()}
    assert set(bundled) == {f"{name}.{entry.file_type}.gz" for name, entry in CATALOGUE.items()}
    assert sum(map(len, bundled.values())) < 2_000_000
    for content in bundled.values():
        # no file name, and no time of compression, in the header of a gzip file (RFC 1952)
        assert content[3] == 0 and content[4:8] == bytes(4)


def test_the_readme_cites_every_set_and_shows_the_table() -> None:
    readme = (PACKAGE / "README.md").read_text(encoding="utf-8")
    assert disagreement_table() in readme
    assert len(disagreement_table().splitlines()) == len(paper_disagreements()) + 2
    for name, entry in CATALOGUE.items():
        assert f"### {name}\n\n{entry.title}, {entry.shape[0]} x {entry.shape[1]}.\n{entry.citation}\n" in readme
    assert LICENCE.split("(")[1].rstrip(")") in readme


def test_numbers_in_the_notes() -> None:
    horse = load_dataset("horse-colic")
    none = horse.data[:, horse.feature_names.index("lesion 1")] == 0
    assert np.bincount(horse.target[none]).tolist() == [1, 55]
    heart = load_dataset("echocardiogram")
    survival, alive = heart.data[:, heart.feature_names.index("survival")], heart.data[:, -1]
    assert np.nanmax(survival[alive == 1]) == 10
    blood = load_dataset("blood-transfusion")
    np.testing.assert_array_equal(blood.data[:, 2], 250 * blood.data[:, 1])
    assert not load_dataset("ionosphere").data[:, 1].any()
    assert np.ptp(load_dataset("ecoli").data[:, 3]) == 0
    assert load_dataset("adult-a1a-pool").data.nnz * 12 < 6e6
    assert (load_dataset("mammographic-masses").data[:, 0] == 55).sum() == 1
    assert (np.diff(load_dataset("magic-gamma").target) >= 0).all()


def test_how_hard_each_pair_of_seeds_is() -> None:
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for pair, percent in ((["Kama", "Rosa"], 96), (["Kama", "Canadian"], 95), (["Rosa", "Canadian"], 100)):
        seeds = load_dataset("seeds", classes=pair)
        scores = cross_val_score(make_pipeline(StandardScaler(), SVC()), seeds.data, seeds.target, cv=folds)
        assert round(100 * scores.mean()) == percent


@pytest.mark.parametrize("name", ["blood-transfusion", "haberman", "mammographic-masses"])
def test_sets_with_the_same_point_in_both_classes(name: str) -> None:
    dataset = load_dataset(name)
    first, second = ({tuple(x) for x in dataset.data[dataset.target == i]} for i in (0, 1))
    assert first & second
