"""The study of conformal maps: its candidates do what they say, its protocol lets no test label in, its results are whole."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_moons

from mcmteach import ConformalMCMClassifier, kernel_fisher_scalar, list_datasets, load_dataset, optimal_map
from mcmteach.conformal import core_matrix
from mcmteach.datasets.folds import stratified_folds, stratified_parts
from mcmteach.errors import InvalidInputError
from mcmteach.experiments import map_study as study
from mcmteach.experiments import map_variants as variants
from mcmteach.experiments.map_variants import (
    DEVELOPMENT,
    HELD_OUT,
    VARIANTS,
    Basic,
    Setting,
    find_variant,
    out_of_fold,
    paper,
    positive_alpha,
    ridge,
    shrunk,
)
from mcmteach.paper.wilcoxon import signed_rank

BY_NAME = {variant.name: variant for variant in VARIANTS}


def moons(seed=0, M=60, noise=0.3):
    X, y = make_moons(M, noise=noise, random_state=seed)
    return (X - X.mean(axis=0)) / X.std(axis=0), 2.0 * y - 1


def basic(seed=0, M=60, C=4.0, sparsity=0.1):
    return Basic(*moons(seed, M), Setting(1.0, C, sparsity))


# --- data ------------------------------------------------------------------------------------------------------------


def test_development_and_held_out_sets_share_nothing():
    assert sorted(DEVELOPMENT + HELD_OUT) == list_datasets(table=1)
    assert {"australian", "credit-approval"} <= set(HELD_OUT)


def test_a_sample_keeps_the_shares_of_the_classes():
    y = np.r_[np.ones(700), -np.ones(300)]
    rows = study.sample_rows(y, 200, seed=1)
    assert len(set(rows)) == 200 and np.sum(y[rows] > 0) == 140
    assert study.sample_rows(y, 1000, seed=1).tolist() == list(range(1000))


# --- candidates ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "point"), [(v.name, point) for v in VARIANTS for point in v.points])
def test_every_candidate_keeps_the_trace_and_is_a_function_of_the_points(name, point):
    one = basic()
    F, new = BY_NAME[name].build(one, **point)
    assert np.mean(np.sum(F**2, axis=1)) == pytest.approx(1.0)
    if name != "out-of-fold c":  # whose training rows get another c on purpose
        np.testing.assert_allclose(new(one.X), F, atol=1e-10)
    assert new(one.X[:7] + 0.1).shape == (7, F.shape[1]) and np.isfinite(new(100 * one.X)).all()
    if name in ("positive alpha", "exponential", "around cores", "around the boundary"):
        assert (F >= 0).all() and (new(3 * one.X) >= 0).all()


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.filterwarnings("ignore::mcmteach.errors.ConstantClassifierWarning")
def test_without_cores_there_is_no_map(name):
    one = basic(C=1e-3, sparsity=10.0)
    assert not len(one.support)
    F, new = BY_NAME[name].build(one, **BY_NAME[name].points[0])
    for values in (F, new(one.X)):
        np.testing.assert_allclose(values @ values.T, 1.0)  # k = k_0


def test_the_papers_map_is_the_librarys():
    one = basic()
    c = optimal_map(one.K0, one.y, one.X, one.X[one.support], gamma=4.0, D=1e-3)
    np.testing.assert_allclose(paper(one, width=4.0)[0][:, 0], c(one.X), rtol=1e-9)


def test_shrinking_leads_from_no_map_to_the_papers():
    one = basic()
    np.testing.assert_allclose(shrunk(one, t=0.0)[0], 1.0)
    np.testing.assert_allclose(shrunk(one, t=1.0)[0], paper(one)[0])


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6))
def test_no_other_positive_alpha_has_a_larger_J(seed):
    one = basic(seed % 1000, M=40)
    best = kernel_fisher_scalar(one.K0, one.y, positive_alpha(one)[0][:, 0])
    assert best >= kernel_fisher_scalar(one.K0, one.y) * (1 - 1e-3)
    K1 = core_matrix(one.X, one.X[one.support], 1.0)
    for alpha in np.random.default_rng(seed).exponential(size=(50, K1.shape[1])) ** 4:
        assert kernel_fisher_scalar(one.K0, one.y, K1 @ alpha) <= best * 1.01


def test_the_ridge_leads_from_no_map_to_nearly_the_largest_J():
    one = basic()
    J = [kernel_fisher_scalar(one.K0, one.y, ridge(one, rho=rho)[0][:, 0]) for rho in (1e6, 1.0, 1e-2, 1e-12)]
    assert J[0] == pytest.approx(kernel_fisher_scalar(one.K0, one.y), rel=1e-3)
    assert sorted(J) == J
    assert J[-1] == pytest.approx(kernel_fisher_scalar(one.K0, one.y, paper(one)[0][:, 0]), rel=0.05)


def test_an_out_of_fold_c_does_not_know_its_own_label(monkeypatch):
    """Flip labels within one fold: the map that serves its rows was fitted without them, so c keeps its shape there."""
    one = basic()
    parts = stratified_parts(one.y, 3, seed=11)
    monkeypatch.setattr(variants, "stratified_parts", lambda y, k, seed: parts)  # the same, whatever the labels are
    rows = parts[0]
    y = one.y.copy()
    y[rows[:5]] *= -1
    own, others = (part_correlation(one, Basic(one.X, y, one.setting), part) for part in (rows, parts[1]))
    assert own == pytest.approx(1.0) and others < 0.999


def part_correlation(one, other, rows):
    before, after = out_of_fold(one)[0][rows, 0], out_of_fold(other)[0][rows, 0]
    return abs(np.corrcoef(before, after)[0, 1])


def test_a_candidate_that_is_not_there():
    with pytest.raises(InvalidInputError, match="Choose one of: paper"):
        find_variant("magic")


# --- protocol --------------------------------------------------------------------------------------------------------


def test_no_test_label_takes_part_in_any_choice():
    X, y = moons(3, M=60)
    train, test = stratified_folds(y, 5, seed=1)[0]
    flipped = y.copy()
    flipped[test] *= -1
    first, second = (
        study.run_fold(X, labels, train, test, [BY_NAME["shrunk"], BY_NAME["held-out J"]], seed=2)
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
    first, second = (study.Split(data, y, np.arange(15), np.arange(15, 20)) for data in (X, changed))
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
    always, gated = study.outcome(stage, "a", False), study.outcome(stage, "a", True)
    assert always.plain.tolist() == gated.plain.tolist() == [75.0, 50.0]
    assert always.gain.tolist() == [-5.0, 0.0] and gated.gain.tolist() == [5.0, 0.0]
    assert (always.used, gated.used) == (1.0, pytest.approx(1 / 3))
    assert always.support == pytest.approx(0.5) and gated.support == pytest.approx(0.5 ** (1 / 3))
    assert always.J_train == pytest.approx(4.0) and always.J_test == pytest.approx(1.0)
    assert study.choose({"develop": stage}).gated
    assert "| a | always | -2.50 | 0 / 1 / 1 |" in study.outcome_table(stage)


def test_a_run_that_was_interrupted_goes_on(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        study, "run_set", lambda name, variants, rows: asked.append((name, rows, len(variants))) or [fold(9, 8, True)]
    )
    path, a = tmp_path / "new" / "results.json", study.Variant("a", paper, {})
    study.run("develop", ["one"], [a], path)
    results = study.run("develop", ["one", "two"], [a], path)
    assert asked == [("one", 300, 1), ("two", 300, 1)] and json.loads(path.read_text()) == results


def test_a_candidate_can_be_added_where_the_plain_machine_is_the_same():
    known, new = [fold(9, 8, True)], [fold(9, 8, True)]
    new[0]["variants"]["b"] = new[0]["variants"].pop("a")
    assert list(study.merged(known, new)[0]["variants"]) == ["plain", "a", "b"]
    with pytest.raises(InvalidInputError, match="run all of them again"):
        study.merged([fold(9, 8, True)], [fold(9, 7, True)])
    assert study.merged([], new) is new


@pytest.mark.parametrize("arguments", [[], ["all"], ["develop", "score"]])
def test_the_command_says_what_it_wants(arguments):
    with pytest.raises(InvalidInputError, match="Say"):
        study.main(arguments)


# --- the stored results ----------------------------------------------------------------------------------------------


def test_the_stored_results_are_whole_and_the_page_is_made_of_them():
    results = study.read_results()
    assert list(results["develop"]) == list(DEVELOPMENT) and list(results["score"]) == list(HELD_OUT)
    stages = (("develop", list(BY_NAME)), ("score", [study.choose(results).name]))
    for stage, names in stages:
        folds = [fold for parts in results[stage].values() for fold in parts]
        assert all(list(fold["variants"]) == ["plain", *names] for fold in folds)
        assert len(folds) == 5 * len(results[stage])
    assert study.PAGE.read_text(encoding="utf-8") == study.report(results)


def test_a_stored_fold_can_be_computed_again():
    """The smallest set's first fold, from the data: the plain MCM and the chosen map."""
    results = study.read_results()
    name, variant = "seeds", find_variant(study.choose(results).name)
    data = load_dataset(name)
    y = 2.0 * data.target - 1
    fold = study.run_fold(data.data, y, *stratified_folds(y, study.OUTER, study.SEED)[0], [variant], study.SEED)
    stored = results["develop"][name][0]
    assert fold["setting"] == pytest.approx(stored["setting"])
    for key in ("plain", variant.name):
        assert fold["variants"][key]["right"] == stored["variants"][key]["right"]
        assert fold["variants"][key]["J_train"] == pytest.approx(stored["variants"][key]["J_train"], rel=1e-3)


def test_the_estimator_says_what_the_study_found():
    results = study.read_results()
    paper_map, chosen = study.outcome(results["develop"], "paper", False), study.choose(results)
    score = study.outcome(results["score"], chosen.name, chosen.gated)
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


@pytest.mark.parametrize("broken", ["{", "[]", '{"develop": {}}', '{"develop": 3, "score": {}}'])
def test_a_broken_file_of_results_is_said_and_moved_aside(tmp_path, capsys, broken):
    path = tmp_path / "variants.json"
    assert study.read_results(path) == {"develop": {}, "score": {}}
    path.write_text(broken)
    assert study.read_results(path) == {"develop": {}, "score": {}}
    assert "variants.json cannot be read" in capsys.readouterr().err and path.with_suffix(".corrupt").exists()
