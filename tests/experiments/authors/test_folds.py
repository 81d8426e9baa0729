"""All 108 numbers that the paper prints for its SVM, to the last digit; and the steps that give them."""

import json
from itertools import product

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from mcmteach import experiments as ex
from mcmteach.__main__ import main
from mcmteach.experiments.authors import AUTHORS, BY_NAME, WITHOUT_NUMBER, run_fold
from mcmteach.experiments.authors.data import SHA256, AuthorsData
from mcmteach.experiments.authors.folds import svm_chosen_on_test, z_scores
from mcmteach.paper import TABLE2, TABLE3
from tests.experiments.authors.test_data import HERE, needs_files


def printed_numbers(folds):
    """Mean and SD of the accuracies, and of the accuracies and the last count: with numpy alone."""
    accuracies = [100 * fold["columns"]["sigmoid"]["right"] / fold["n_test"] for fold in folds]
    mixed = [*accuracies, folds[-1]["columns"]["sigmoid"]["n_support"]]
    return [f"{value:.2f}" for list_ in (accuracies, mixed) for value in (np.mean(list_), np.std(list_, ddof=1))]


def test_all_108_printed_numbers_of_the_svm_come_out_to_the_last_digit():
    records = [json.loads(line) for line in (ex.STORED / "authors.jsonl").read_text().splitlines()]
    equal = 0
    for name, one in BY_NAME.items():
        folds = sorted((record for record in records if record["set"] == name), key=lambda record: record["fold"])
        assert [fold["fold"] for fold in folds] == list(range(5)) and sum(f["n_test"] for f in folds) == one.samples
        theirs = [f"{value:.2f}" for value in (*TABLE2[one.row - 1].svm, *TABLE3[one.row - 1].svm)]
        assert printed_numbers(folds) == theirs, name
        equal += len(theirs)
    assert equal == 108


@needs_files
@pytest.mark.parametrize("name", ["blogger", "glass", "ecg"])
def test_a_fresh_run_gives_the_printed_numbers_too(name):
    folds = [run_fold(name, fold, AUTHORS._replace(folder=HERE)) for fold in range(5)]
    row = BY_NAME[name].row - 1
    assert printed_numbers(folds) == [f"{value:.2f}" for value in (*TABLE2[row].svm, *TABLE3[row].svm)]
    assert folds == ex.Store().folds(AUTHORS, name)


@needs_files
def test_the_command_runs_on_the_files_and_is_resumed(tmp_path, capsys):
    command = [
        "reproduce",
        "table3",
        "--protocol",
        "authors",
        "--data",
        HERE,
        "--sets",
        "blogger",
        "--results",
        str(tmp_path),
    ]
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert "67.37 ± 9.52" in out and "4 come out to the last digit" in out and "5 folds computed" in err
    assert main([*command, "--pack"]) == 0
    out, err = capsys.readouterr()
    assert "0 folds computed, 5 taken" in err and "5 folds moved into" in err


def made_up(seed=0, n=60):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(3, 5, (n, 3)), np.full(n, 7.0)])
    y = np.where(X[:, 0] + rng.normal(0, 4, n) > 3, 1.0, -1.0)
    return AuthorsData(X, y, np.arange(n) % 5)


def test_z_scores_come_from_the_training_part_and_a_constant_column_is_only_centred():
    data = made_up()
    part = z_scores(data, 2)
    train = data.fold != 2
    scaler = StandardScaler().fit(data.X[train])
    shrink = np.sqrt((train.sum() - 1) / train.sum())  # the divisor is n - 1
    np.testing.assert_allclose(
        part.X_test, scaler.transform(data.X[~train]) * [shrink, shrink, shrink, 1.0], atol=1e-12
    )
    assert np.all(part.X[:, 3] == 0) and np.array_equal(part.y_test, data.y[~train])


@pytest.mark.parametrize("kernel", ["rbf", "sigmoid"])
def test_the_last_of_the_best_on_the_test_fold_is_chosen(kernel):
    part, grid = z_scores(made_up(), 0), (0.01, 1.0, 10.0)
    found = svm_chosen_on_test(kernel, part, grid)
    machine = lambda C, gamma: SVC(kernel=kernel, C=C, gamma=gamma, coef0=0.0).fit(part.X, -part.y)  # noqa: E731
    scores = {point: machine(*point).score(part.X_test, -part.y_test) for point in product(grid, grid)}
    last = [point for point, score in scores.items() if score == max(scores.values())][-1]
    assert found["params"] == {"C": last[0], "gamma": last[1]}
    assert found["accuracy"] == pytest.approx(max(scores.values()), abs=1e-6)
    assert found["right"] == round(found["accuracy"] * len(part.y_test))


def test_rows_that_number_their_samples_have_a_column_without_the_number():
    store = ex.Store()
    for name, one in BY_NAME.items():
        assert all((WITHOUT_NUMBER in fold["columns"]) is (one.row in (22, 27)) for fold in store.folds(AUTHORS, name))


def test_other_rules_or_files_have_another_fingerprint(monkeypatch):
    known = AUTHORS.fingerprint("glass")
    assert known == AUTHORS._replace(folder="elsewhere").fingerprint("glass") != AUTHORS.fingerprint("seed")
    assert AUTHORS._replace(version=2).fingerprint("glass") != known
    monkeypatch.setitem(SHA256, "26.mat", "0")
    assert AUTHORS.fingerprint("glass") != known
