"""A study of one's own: the seal notices every change, nothing of a test fold is used for choosing, noise stays noise."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import mcmteach as mt
from mcmteach.datasets import raw_text, read_dataset
from mcmteach.errors import InvalidInputError
from mcmteach.experiments.own_data import (
    GridEnds,
    PlanChangedError,
    StudyPlan,
    StudyRow,
    StudySummary,
    grid_ends,
    nested_study,
    pareto,
    study_difference,
    study_summary,
    tossed,
)
from mcmteach.paper.intervals import corrected_error

PLAN = StudyPlan(
    "Which is better?",
    "The one with the higher mean.",
    {"svm": (SVC(), {"C": [0.1, 1.0]}), "line": (LogisticRegression(), {})},
    folds=3,
    repeats=1,
)


TABLE = (np.arange(18.0).reshape(9, 2), np.arange(9) % 2)


def study(plan, data, **how):
    return nested_study(plan, plan.seal(data.data, data.target), data.data, data.target, progress=False, **how)


def test_the_seal_changes_with_every_word_and_number_of_the_plan():
    others = [
        replace(PLAN, question="Which is best?"), replace(PLAN, rule="Another."), replace(PLAN, folds=4), replace(PLAN, seed=1),
        replace(PLAN, machines={"svm": (SVC(), {"C": [0.1, 2.0]}), "line": (LogisticRegression(), {})}),
        replace(PLAN, machines={"svm": (SVC(kernel="linear"), {"C": [0.1, 1.0]}), "line": (LogisticRegression(), {})}),
        replace(PLAN, inner=4), replace(PLAN, repeats=2),
    ]  # fmt: skip
    assert len({plan.seal(*TABLE) for plan in (PLAN, *others)}) == 1 + len(others)
    assert replace(PLAN).seal(*TABLE) == PLAN.seal(*TABLE)
    with pytest.raises(InvalidInputError, match="no rule yet"):
        replace(PLAN, rule=" … ").seal(*TABLE)


def changed(X, y, how):
    X, y = X.copy(), y.copy()
    if how == "a value":
        X[3, 1] = np.nextafter(X[3, 1], np.inf)
    elif how == "a value goes missing":
        X[0, 0] = np.nan
    elif how == "a label":
        y[5] = 1 - y[5]
    elif how == "a row is left out":
        X, y = X[1:], y[1:]
    elif how == "a column is left out":
        X = X[:, 1:]
    elif how == "the order of the rows":
        X, y = X[::-1], y[::-1]
    return X, y


CHANGES = [
    "a value",
    "a value goes missing",
    "a label",
    "a row is left out",
    "a column is left out",
    "the order of the rows",
]


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("name", ["seeds", "haberman"])
def test_changed_data_are_refused(name, how):
    data = mt.load_dataset(name)
    with pytest.raises(PlanChangedError, match="was noted: data changed since"):
        nested_study(PLAN, PLAN.seal(data.data, data.target), *changed(data.data, data.target, how))


@pytest.mark.parametrize("name", ["haberman", "hepatitis"])
def test_the_seal_notices_one_field_of_a_file_and_not_that_it_is_read_again(name, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(raw_text(name), encoding="utf-8")
    first, again = read_dataset(path), read_dataset(path)
    sealed = PLAN.seal(first.data, first.target)
    assert PLAN.seal(again.data, again.target) == sealed
    header, line, *rest = raw_text(name).splitlines()
    fields = line.split(",")
    place = next(i for i, field in enumerate(fields) if field.isdigit())
    fields[place] = str(int(fields[place]) + 1)
    path.write_text("\n".join([header, ",".join(fields), *rest]), encoding="utf-8")
    edited = read_dataset(path)
    with pytest.raises(PlanChangedError, match="was noted: data changed since"):
        nested_study(PLAN, sealed, edited.data, edited.target)


def test_the_seal_is_that_of_the_values_and_not_of_how_they_are_stored():
    X, y = TABLE
    for alike in (
        (X.astype(int), y),
        (np.asfortranarray(X), y),
        (X.tolist(), y.tolist()),
        (X * np.where(X, 1, -1.0), y),
    ):
        assert PLAN.seal(*alike) == PLAN.seal(X, y)


def test_a_changed_plan_is_refused_and_both_are_named():
    with pytest.raises(PlanChangedError, match="was noted: plan changed since"):
        nested_study(replace(PLAN, seed=5), PLAN.seal(*TABLE), *TABLE)
    with pytest.raises(PlanChangedError, match="plan and data changed since"):
        nested_study(PLAN, "", *TABLE)


@pytest.mark.parametrize("name", ["seeds", "haberman"])
def test_the_numbers_are_those_of_nested_cross_validation(name):
    data = mt.load_dataset(name)
    rows = study(PLAN, data)
    outer = StratifiedKFold(3, shuffle=True, random_state=0)
    inner = StratifiedKFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": [0.1, 1.0]}, cv=inner)
    expected = cross_val_score(search, data.data, data.target, cv=outer)
    np.testing.assert_allclose([row.accuracy for row in rows if row.machine == "svm"], expected)
    assert all(row.bound > 1 - row.accuracy and row.bytes > 0 for row in rows)
    assert {row.machine: row.chosen for row in rows}["line"] == {}
    svm, line = study_summary(rows, PLAN)
    assert svm.accuracy == pytest.approx(expected.mean()) and line.bytes == 4 * (data.data.shape[1] + 1)


def test_missing_values_are_filled_inside_each_training_part():
    data = mt.load_dataset("hepatitis")
    assert np.isnan(data.data).any()
    rows = study(PLAN, data)
    assert len(rows) == 6 and min(row.accuracy for row in rows) > 0.6


@pytest.mark.parametrize("name", ["seeds", "haberman"])
def test_tossed_labels_keep_their_numbers_and_teach_nothing(name):
    data = mt.load_dataset(name)
    blind = tossed(data.target, seed=1)
    counts = np.bincount(data.target)
    assert np.bincount(blind).tolist() == counts.tolist() and (blind != data.target).any()
    rows = study(PLAN, data, control=1)
    assert rows == nested_study(PLAN, PLAN.seal(data.data, blind), data.data, blind, progress=False)
    assert max(line.accuracy for line in study_summary(rows, PLAN)) < counts.max() / counts.sum() + 0.1


def test_a_control_sees_no_leak_and_no_twins():
    """So the lesson says: it tosses the labels of twins apart, and what knew the outcome does not know the tossed one."""
    data = mt.load_dataset("haberman")
    plan = replace(PLAN, machines={"tree": (DecisionTreeClassifier(random_state=0), {})})
    leaks = np.column_stack([data.data, data.target])
    twins = np.vstack([data.data, data.data])
    for X, y in ((leaks, data.target), (twins, np.tile(data.target, 2))):
        sealed = plan.seal(X, y)
        real, blind = (nested_study(plan, sealed, X, y, control=seed, progress=False) for seed in (None, 1))
        assert study_summary(real, plan)[0].accuracy > 0.85
        assert study_summary(blind, plan)[0].accuracy < np.mean(y == 0)


@pytest.mark.parametrize("name", ["seeds", "haberman"])
def test_choices_at_the_ends_of_a_grid_are_counted(name):
    data = mt.load_dataset(name)
    grid = {"C": [10.0, 1e-3, 1.0], "kernel": ["linear", "rbf"], "gamma": [0.1], "shrinking": [True, False]}
    plan = replace(PLAN, machines={"svm": (SVC(), grid), "line": (LogisticRegression(), {"C": [1e-9, 1e-8]})})
    rows = study(plan, data)
    chosen = [row.chosen["C"] for row in rows if row.machine == "svm"]
    svm, line = grid_ends(rows, plan)  # words, switches and a single number have no ends
    assert svm == GridEnds("svm", "C", sum(c == 1e-3 for c in chosen), sum(c == 10 for c in chosen), 3)
    assert line.lowest + line.highest == 3, "of two values each is an end"


def test_the_difference_is_taken_fold_by_fold():
    plan = replace(PLAN, folds=5)
    accuracies = {"svm": [0.9, 0.8, 0.85, 0.7, 0.95], "line": [0.89, 0.81, 0.83, 0.7, 0.92]}
    rows = [StudyRow(name, 0, i, a, 1, 1, {}) for name, all_of in accuracies.items() for i, a in enumerate(all_of)]
    d = np.array([0.01, -0.01, 0.02, 0, 0.03])
    found = study_difference(rows, plan, "svm", "line")
    half = 2.776445 * d.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)  # Student's t with four degrees of freedom
    assert found == pytest.approx((0.01, 0.01 - half, 0.01 + half), abs=1e-7)


def test_the_corrected_error_by_hand():
    assert corrected_error(np.array([0.8, 0.9, 0.7, 0.8]), n_train=1, n_test=1) == pytest.approx(
        np.sqrt((1 / 4 + 1) * 0.02 / 3)
    )


def test_pareto_by_hand():
    table = [("a", 0.9, 0, 100, 0.2), ("b", 0.9, 0, 200, 0.2), ("c", 0.8, 0, 10, 0.3), ("d", 0.7, 0, 50, 0.1)]
    lines = [StudySummary(*row) for row in table]
    assert pareto(lines) == ["a", "c", "d"]


def test_a_machine_whose_size_is_not_known_does_not_pass_for_the_smallest():
    plan = replace(PLAN, machines={"tree": (DecisionTreeClassifier(max_depth=1, random_state=0), {}), **PLAN.machines})
    data = mt.load_dataset("seeds")
    found = study_summary(study(plan, data), plan)
    assert np.isnan(found[0].bytes) and all(line.bytes > 0 for line in found[1:])
    assert pareto([found[0]._replace(accuracy=1.0, bound=0.0), *found[1:]])[0] == "tree"
    assert set(pareto(found)) >= set(pareto(found[1:])), "and it beats none of the others"


@pytest.mark.parametrize(
    ("rare", "how", "words"),
    [
        (2, {}, r"class 1 has 2 of 18 rows, too few for 3 outer folds and 3 inner ones .* Take fewer folds"),
        (3, {}, "class 1 has 3 of 18 rows"),
        (5, {"folds": 6}, "class 1 has 5 of 18 rows, too few for 6 outer folds"),
        (5, {"inner": 1}, "at least 2 outer folds and 2 inner ones"),
        (0, {}, "two classes, but the labels have 1"),
    ],
)
def test_folds_without_both_classes_are_refused(rare, how, words):
    X, y = np.arange(36.0).reshape(18, 2), (np.arange(18) < rare).astype(int)
    plan = replace(PLAN, **how)
    with pytest.raises(InvalidInputError, match=words):
        nested_study(plan, plan.seal(X, y), X, y, progress=False)


def test_as_many_of_a_class_as_the_folds_need_are_enough():
    X, y = np.arange(36.0).reshape(18, 2), (np.arange(18) < 5).astype(int)
    assert len(nested_study(PLAN, PLAN.seal(X, y), X, y, progress=False)) == 6
