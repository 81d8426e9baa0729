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
from mcmteach.errors import InvalidInputError
from mcmteach.experiments.own_data import (
    PlanChangedError,
    StudyPlan,
    StudySummary,
    nested_study,
    pareto,
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


def test_the_seal_changes_with_every_word_and_number():
    others = [
        replace(PLAN, question="Which is best?"), replace(PLAN, rule="Another."), replace(PLAN, folds=4), replace(PLAN, seed=1),
        replace(PLAN, machines={"svm": (SVC(), {"C": [0.1, 2.0]}), "line": (LogisticRegression(), {})}),
        replace(PLAN, machines={"svm": (SVC(kernel="linear"), {"C": [0.1, 1.0]}), "line": (LogisticRegression(), {})}),
        replace(PLAN, inner=4), replace(PLAN, repeats=2),
    ]  # fmt: skip
    assert len({plan.seal() for plan in (PLAN, *others)}) == 1 + len(others)
    assert replace(PLAN).seal() == PLAN.seal()
    with pytest.raises(InvalidInputError, match="no rule yet"):
        replace(PLAN, rule=" … ").seal()


def test_a_changed_plan_is_refused():
    with pytest.raises(PlanChangedError, match="changed since"):
        nested_study(replace(PLAN, seed=5), PLAN.seal(), np.zeros((9, 1)), np.arange(9) % 2)


@pytest.mark.parametrize("name", ["seeds", "haberman"])
def test_the_numbers_are_those_of_nested_cross_validation(name):
    data = mt.load_dataset(name)
    rows = nested_study(PLAN, PLAN.seal(), data.data, data.target, progress=False)
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
    rows = nested_study(PLAN, PLAN.seal(), data.data, data.target, progress=False)
    assert len(rows) == 6 and min(row.accuracy for row in rows) > 0.6


def test_tossed_labels_keep_their_numbers_and_teach_nothing():
    data = mt.load_dataset("seeds")
    blind = tossed(data.target, seed=1)
    assert np.bincount(blind).tolist() == np.bincount(data.target).tolist() and (blind != data.target).any()
    rows = nested_study(PLAN, PLAN.seal(), data.data, blind, progress=False)
    assert max(line.accuracy for line in study_summary(rows, PLAN)) < 0.65


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
    found = study_summary(nested_study(plan, plan.seal(), data.data, data.target, progress=False), plan)
    assert np.isnan(found[0].bytes) and all(line.bytes > 0 for line in found[1:])
    assert pareto([found[0]._replace(accuracy=1.0, bound=0.0), *found[1:]])[0] == "tree"
    assert set(pareto(found)) >= set(pareto(found[1:])), "and it beats none of the others"
