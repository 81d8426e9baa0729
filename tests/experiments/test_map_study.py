"""The study of conformal maps: no test label takes part in a choice, and its results are whole."""

import numpy as np
import pytest

from mcmteach import ConformalMCMClassifier, load_dataset
from mcmteach.datasets.folds import stratified_folds
from mcmteach.errors import InvalidInputError
from mcmteach.experiments import map_study
from mcmteach.experiments.map_variants import (
    DEVELOPMENT,
    HELD_OUT,
    VARIANTS,
    Basic,
    Setting,
    find_variant,
    paper,
)
from mcmteach.paper.wilcoxon import signed_rank
from tests.experiments.candidates import BY_NAME, moons


def test_a_sample_keeps_the_shares_of_the_classes():
    y = np.r_[np.ones(700), -np.ones(300)]
    rows = map_study.sample_rows(y, 200, seed=1)
    assert len(set(rows)) == 200 and np.sum(y[rows] > 0) == 140
    assert map_study.sample_rows(y, 1000, seed=1).tolist() == list(range(1000))


# --- protocol --------------------------------------------------------------------------------------------------------


def test_no_test_label_takes_part_in_any_choice():
    X, y = moons(3, M=60)
    train, test = stratified_folds(y, 5, seed=1)[0]
    flipped = y.copy()
    flipped[test] *= -1
    first, second = (
        map_study.run_fold(X, labels, train, test, [BY_NAME["shrunk"], BY_NAME["held-out J"]], seed=2)
        for labels in (y, flipped)
    )
    assert first["setting"] == second["setting"]
    for name, one in first["variants"].items():
        other = second["variants"][name]
        for key in ("point", "preferred", "support", "J_train"):
            assert one[key] == other[key]
        assert one["right"] + other["right"] == len(test)


def test_scaling_and_gaps_are_learnt_from_the_training_part():
    X, y = moons(1, M=20)
    X[3, 0] = np.nan
    changed = X.copy()
    changed[15:] = 1e3
    first, second = (map_study.Split(data, y, np.arange(15), np.arange(15, 20)) for data in (X, changed))
    np.testing.assert_array_equal(first.A, second.A)
    np.testing.assert_allclose(first.A.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(first.A.std(axis=0), 1)
    assert not np.isnan(first.A).any()


def fold(right, plain, preferred, rows=10):
    one = {"support": 2, "J_train": 8.0, "J_test": 2.0, "point": {}}
    base = {"support": 4, "J_train": 2.0, "J_test": 2.0, "point": {}}
    return {
        "rows": rows,
        "setting": {"gamma": 1.0, "C": 1.0, "sparsity": 0.1},
        "variants": {"plain": {"right": plain, **base}, "a": {"right": right, "preferred": preferred, **one}},
    }


def test_folds_are_added_up_by_hand():
    stage = {"one": [fold(9, 8, True), fold(5, 7, False)], "two": [fold(6, 6, False, rows=12)]}
    always, gated = map_study.outcome(stage, "a", False), map_study.outcome(stage, "a", True)
    assert always.plain.tolist() == gated.plain.tolist() == [75.0, 50.0]
    assert always.gain.tolist() == [-5.0, 0.0] and gated.gain.tolist() == [5.0, 0.0]
    assert (always.used, gated.used) == (1.0, pytest.approx(1 / 3))
    assert always.support == pytest.approx(0.5) and gated.support == pytest.approx(0.5 ** (1 / 3))
    assert always.J_train == pytest.approx(4.0) and always.J_test == pytest.approx(1.0)
    assert map_study.choose({"develop": stage}).gated
    assert "| a | always | -2.50 | 0 / 1 / 1 |" in map_study.outcome_table(stage)


def test_a_run_that_was_interrupted_goes_on(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        map_study,
        "run_set",
        lambda name, variants, rows: asked.append((name, rows, len(variants))) or [fold(9, 8, True)],
    )
    path, a = tmp_path / "new" / "results.jsonl", map_study.Variant("a", paper, {})
    map_study.run("develop", ["one"], [a], path)
    results = map_study.run("develop", ["one", "two"], [a], path)
    assert asked == [("one", 300, 1), ("two", 300, 1)] and map_study.read_results(path) == results


def test_a_candidate_can_be_added_where_the_plain_machine_is_the_same():
    known, new = [fold(9, 8, True)], [fold(9, 8, True)]
    new[0]["variants"]["b"] = new[0]["variants"].pop("a")
    assert list(map_study.merged(known, new)[0]["variants"]) == ["plain", "a", "b"]
    with pytest.raises(InvalidInputError, match="run all of them again"):
        map_study.merged([fold(9, 8, True)], [fold(9, 7, True)])
    assert map_study.merged([], new) is new


@pytest.mark.parametrize("arguments", [[], ["all"], ["develop", "score"]])
def test_the_command_says_what_it_wants(arguments):
    with pytest.raises(InvalidInputError, match="Say"):
        map_study.main(arguments)


# --- the stored results ----------------------------------------------------------------------------------------------


def test_the_stored_results_are_whole_and_the_page_is_made_of_them():
    results = map_study.read_results()
    assert list(results["develop"]) == list(DEVELOPMENT) and list(results["score"]) == list(HELD_OUT)
    stages = (("develop", list(BY_NAME)), ("score", [map_study.choose(results).name]))
    for stage, names in stages:
        folds = [fold for parts in results[stage].values() for fold in parts]
        assert all(list(fold["variants"]) == ["plain", *names] for fold in folds)
        assert len(folds) == 5 * len(results[stage])
    assert map_study.PAGE.read_text(encoding="utf-8") == map_study.report(results)


def test_a_stored_fold_can_be_computed_again():
    """The smallest set's first fold, from the data: the plain MCM and the chosen map."""
    results = map_study.read_results()
    name, variant = "seeds", find_variant(map_study.choose(results).name)
    data = load_dataset(name)
    y = 2.0 * data.target - 1
    fold = map_study.run_fold(
        data.data, y, *stratified_folds(y, map_study.OUTER, map_study.SEED)[0], [variant], map_study.SEED
    )
    stored = results["develop"][name][0]
    assert fold["setting"] == pytest.approx(stored["setting"])
    for key in ("plain", variant.name):
        assert fold["variants"][key]["right"] == stored["variants"][key]["right"]
        assert fold["variants"][key]["J_train"] == pytest.approx(stored["variants"][key]["J_train"], rel=1e-3)


def test_the_estimator_says_what_the_study_found():
    results = map_study.read_results()
    paper_map, chosen = map_study.outcome(results["develop"], "paper", False), map_study.choose(results)
    score = map_study.outcome(results["score"], chosen.name, chosen.gated)
    text = " ".join(ConformalMCMClassifier.__doc__.split())
    assert chosen.name == "beside k_0, ridge" and not chosen.gated
    assert f"lost {-paper_map.gain.mean():.1f} points" in text and 5.5 < paper_map.J_train < 6.5  # "about sixfold"
    assert f"better on {np.sum(paper_map.gain > 0)} set, worse on {np.sum(paper_map.gain < 0)}" in text
    assert f"Of {len(VARIANTS)} maps tried" in text and f"(+{chosen.gain.mean():.1f})" in text
    assert f"gained {score.gain.mean():.2f} points" in text
    test = signed_rank(score.accuracy, score.plain)
    assert f"better on {test.wins}, worse on {test.losses}; Wilcoxon p = {test.p:.2f}" in text


def test_the_estimators_option_is_the_chosen_candidate():
    X, y = moons(4, M=60)
    one = Basic(X, y, Setting(1.0, 1.0, 0.1))
    F, new = find_variant("beside k_0, ridge").build(one, width=0.25, rho=0.1)
    machine = ConformalMCMClassifier(gamma=1.0, gamma_c=0.25, map="beside", ridge=0.1).fit(X, y)
    np.testing.assert_allclose(machine.c_, np.sqrt(2) * F[:, 1], rtol=0.02, atol=0.02)
    np.testing.assert_allclose(machine.conformal_map_(2 * X), np.sqrt(2) * new(2 * X)[:, 1], rtol=0.02, atol=0.02)


@pytest.mark.parametrize(
    "broken",
    ["{", "[]", '{"set": "glass"}', '{"stage": "x", "set": "glass", "rows": 3, "setting": {}, "variants": {}}'],
)
def test_a_broken_file_of_results_is_said_and_moved_aside(tmp_path, capsys, broken):
    path = tmp_path / "map_study.jsonl"
    assert map_study.read_results(path) == {"develop": {}, "score": {}}
    path.write_text(broken)
    assert map_study.read_results(path) == {"develop": {}, "score": {}}
    assert "map_study.jsonl cannot be read" in capsys.readouterr().err and path.with_suffix(".corrupt").exists()
