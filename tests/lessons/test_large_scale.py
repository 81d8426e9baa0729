"""The lesson 'large scale': what it claims holds at any data, and its notebook says what the library says."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach.checks.tasks.large_scale import batch_step, capped_hinge, random_cosines
from mcmteach.datasets.worlds import spiral_points
from mcmteach.errors import ConstantClassifierWarning, InvalidInputError
from mcmteach.experiments import table4
from mcmteach.export.model_size import folded_plane, model_bytes, model_numbers, prediction_seconds
from mcmteach.large_scale import ConformalLargeScaleMCMClassifier, RandomFourierMap
from mcmteach.widgets.large_scale import draw_descent, draw_large_scale
from tools.ledger import ROOT


@pytest.fixture(scope="module")
def spirals():
    return spiral_points(80, seed=0)


def large(X, y, **parameters):
    return mt.LargeScaleMCMClassifier(**{"gamma": 3.0, "n_components": 20, "max_iter": 20, **parameters}).fit(X, y)


# --- what a machine weighs -------------------------------------------------------------------------------------------


def test_a_kernel_machine_answers_from_the_numbers_that_are_counted(spirals):
    X, y = spirals
    for machine in (SVC(gamma=3.0).fit(X, y), mt.MCMClassifier(gamma=3.0, sparsity=0.3).fit(X, y)):
        vectors, weights, b = machine.support_vectors_, np.ravel(machine.dual_coef_), float(machine.intercept_[0])
        f = mt.rbf_kernel(X, vectors, 3.0) @ weights + b
        np.testing.assert_allclose(f, machine.decision_function(X), atol=1e-8)
        assert model_numbers(machine) == vectors.size + weights.size + 1
        assert model_bytes(machine) == 4 * model_numbers(machine) == 2 * model_bytes(machine, 2)


@pytest.mark.parametrize("feature_map", ["fourier", "nystroem", "prototypes"])
@pytest.mark.parametrize("whiten", [0.0, 1e-3])
def test_folding_changes_no_answer_and_needs_no_axes(spirals, feature_map, whiten):
    X, y = spirals
    machine = large(X, y, feature_map=feature_map, whiten=whiten)
    v, b = folded_plane(machine)
    made = machine.feature_map_
    if feature_map == "fourier":
        kept = made.frequencies_.size + made.phases_.size
        u = made.transform(X)
    else:
        points = made.components_ if feature_map == "nystroem" else made.prototypes_
        kept, u = points.size, mt.rbf_kernel(X, points, 3.0)
    np.testing.assert_allclose(u @ v + b, machine.decision_function(X), atol=1e-7)
    assert model_numbers(machine) == kept + len(v) + 1


def test_a_conformal_machine_answers_from_the_numbers_that_are_counted(spirals, monkeypatch):
    X, y = spirals
    machine = mt.ConformalMCMClassifier(gamma=3.0, sparsity=0.3).fit(X, y)
    rows, weights = np.union1d(machine.support_, machine.core_indices_), np.ravel(machine.dual_coef_)
    kept = dict(zip(rows.tolist(), X[rows], strict=True))  # every vector once
    support, cores = (np.array([kept[i] for i in which]) for which in (machine.support_, machine.core_indices_))
    c = lambda Z: machine.alpha_[0] + mt.rbf_kernel(Z, cores, machine.gamma_c_) @ machine.alpha_[1:]  # noqa: E731
    f = np.outer(c(X), c(support)) * mt.rbf_kernel(X, support, 3.0) @ weights + machine.intercept_[0]
    np.testing.assert_allclose(f, machine.decision_function(X), atol=1e-8)
    assert len(set(machine.support_) & set(machine.core_indices_)) > 0
    assert model_numbers(machine) == X[rows].size + len(weights) + 1 + len(machine.alpha_)
    monkeypatch.setattr(mt.ConformalMCMClassifier, "_map_is_preferred", lambda *rows: False)
    plain = mt.ConformalMCMClassifier(gamma=3.0, sparsity=0.3, validate=True).fit(X, y)  # has cores, and no map
    assert model_numbers(plain) == model_numbers(plain.basic_) < model_numbers(machine)


@pytest.mark.parametrize("feature_map", ["fourier", "nystroem", None])
@pytest.mark.parametrize("whiten", [0.0, 1e-3])
def test_a_large_conformal_machine_keeps_its_cores_too(spirals, feature_map, whiten):
    X, y = spirals
    machine = ConformalLargeScaleMCMClassifier(
        gamma=3.0, feature_map=feature_map, whiten=whiten, n_components=20, n_cores=6, max_iter=20
    ).fit(X, y)
    v, b = folded_plane(machine)
    made = machine.basic_.feature_map_
    u = (
        X
        if made is None
        else mt.rbf_kernel(X, made.components_, 3.0)
        if feature_map == "nystroem"
        else made.transform(X)
    )
    np.testing.assert_allclose(machine.conformal_map_(X) * (u @ v) + b, machine.decision_function(X), atol=1e-7)
    feature = {"fourier": 2 + 1, "nystroem": 2, None: 0}[feature_map]
    assert model_numbers(machine) == len(v) * (feature + 1) + 1 + 6 * (2 + 1) + 1


def test_features_without_weight_are_left_out_where_nothing_is_mixed(spirals):
    X, y = spirals
    machine = large(X, y, whiten=0.0, sparsity=3.0, C=100.0)
    kept = machine.n_nonzero_
    assert 0 < kept < 20
    assert model_numbers(machine) == kept * (2 + 2) + 1
    mixed = large(X, y, whiten=1e-3, sparsity=3.0, C=100.0)
    assert mixed.n_nonzero_ < mixed.coef_.size and model_numbers(mixed) == 20 * 4 + 1


def test_linear_and_constant_machines_weigh_little(spirals):
    X, y = spirals
    assert model_numbers(LogisticRegression().fit(X, y)) == 3
    assert model_numbers(large(X, y, feature_map=None)) == 3
    with pytest.warns(ConstantClassifierWarning):
        constant = mt.MCMClassifier(gamma=3.0, C=0.01, sparsity=50.0).fit(X, y)
    assert model_numbers(constant) == 1


def test_what_cannot_be_weighed_is_refused(spirals):
    X, y = spirals
    precomputed = mt.MCMClassifier(kernel="precomputed").fit(mt.rbf_kernel(X, X, 3.0), y)
    for machine in (precomputed, mt.MCMClassifier()):
        with pytest.raises(InvalidInputError, match="Fit it first"):
            model_numbers(machine)
    with pytest.raises(InvalidInputError, match="PolynomialFeatures"):
        model_numbers(large(X, y, feature_map=PolynomialFeatures(2)))
    with pytest.raises(InvalidInputError, match="bytes_per_number"):
        model_bytes(LogisticRegression().fit(X, y), 0)
    with pytest.raises(InvalidInputError, match="repeats"):
        prediction_seconds(LogisticRegression().fit(X, y), X, 0)


def test_time_is_the_best_run_for_each_row(spirals, monkeypatch):
    clock = iter([0.0, 8.0, 10.0, 14.0, 20.0, 26.0])
    monkeypatch.setattr("mcmteach.export.model_size.time.process_time", lambda: next(clock))
    machine = LogisticRegression().fit(*spirals)
    assert prediction_seconds(machine, spirals[0]) == pytest.approx(4.0 / 80)


# --- the lesson's claims ---------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(h=st.integers(1, 500), times=st.integers(2, 1000), eta=st.floats(0.001, 0.5))
def test_doubling_the_samples_and_halving_the_dimension_do_nearly_the_same(h, times, eta):
    h, M = 2 * h, 2 * h * times
    more, less = mt.vc_epsilon(h, 2 * M, eta), mt.vc_epsilon(h // 2, M, eta)
    assert less - more == pytest.approx(-2 * np.log(eta) / M, rel=1e-6, abs=1e-12)


def test_random_cosines_err_by_about_one_over_root_D(spirals):
    X, _ = spirals
    K = mt.rbf_kernel(X, X, 3.0)
    for D in (10, 100, 1000):
        made = [RandomFourierMap(3.0, D, seed).fit(X).transform(X) for seed in range(10)]
        error = np.sqrt(np.mean([(Z @ Z.T - K) ** 2 for Z in made]))
        assert 0.5 < error * np.sqrt(D) < 1.5


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), C=st.floats(0.5, 20))
def test_the_exercises_objective_is_least_at_the_linear_programme(seed, C):
    rng = np.random.default_rng(seed)
    Z, y = rng.normal(size=(12, 3)), np.tile([-1.0, 1.0], 6)
    best = mt.solve_mcm(Z, y, C / 12, sparsity=0.0)
    assert capped_hinge(Z, y, best.coef, best.b, C) == pytest.approx(best.objective, rel=1e-6)
    near = capped_hinge(Z, y, best.coef + 0.3 * rng.normal(size=3), best.b + 0.3 * rng.normal(), C)
    assert near >= best.objective - 1e-7


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), C=st.floats(0.5, 20))
def test_the_exercises_step_goes_against_a_subgradient(seed, C):
    rng = np.random.default_rng(seed)
    Z, y = rng.normal(size=(7, 3)), rng.choice([-1.0, 1.0], 7)
    w, b, v, c = rng.normal(size=3), rng.normal(), rng.normal(size=3), rng.normal()
    new_w, new_b = batch_step(Z, y, w, b, C, 1.0)
    g, g_b = w - new_w, b - new_b
    rise = capped_hinge(Z, y, v, c, C) - capped_hinge(Z, y, w, b, C)
    assert rise >= g @ (v - w) + g_b * (c - b) - 1e-9  # E is convex, and lies above its tangents


def test_the_exercises_features_are_the_librarys(spirals):
    made = RandomFourierMap(3.0, 15, 0).fit(spirals[0])
    Z = random_cosines(spirals[0], made.frequencies_, made.phases_)
    np.testing.assert_allclose(Z, made.transform(spirals[0]), atol=1e-12)


def test_a_membership_of_three_is_a_sample_three_times():
    rng = np.random.default_rng(0)
    Z, y = rng.normal(size=(10, 2)), np.tile([-1.0, 1.0], 5)
    rows = np.repeat(np.arange(10), np.where(y > 0, 3, 1))
    best = mt.solve_mcm(Z[rows], y[rows], 0.2, sparsity=0.0)
    t = y * (Z @ best.coef + best.b)
    weighted = max(1, t.max()) + 0.2 * np.sum(np.where(y > 0, 3, 1) * np.maximum(0, 1 - t))
    assert weighted == pytest.approx(best.objective, rel=1e-7)


# --- the notebook ----------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads(next(ROOT.glob("lessons/*_large_scale.ipynb")).read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    rows = [re.findall(r"-?\d+", line) for line in printed["plenty-run"].splitlines()[1:]]
    few, _, many = np.array(rows, dtype=int).reshape(3, 3, 5)
    assert few[2, 3] > few[:2, 3].max() and few[2, 2] == 0, "with few samples the richest machine is the worst"
    assert many[2, 3] == many[:, 3].min() and many[2, 4] <= 2, "with many it is the best, and its error can be believed"
    gaps = [int(share) for share in re.findall(r"(\d+)% above", printed["convergence"])]
    assert gaps[0] == 0 and gaps[1] <= 9 and gaps[2] <= 1
    few_samples, a_million = (
        line.split()[1:] for line in printed["bound"].splitlines() if line.split()[0] in ("200", "1000000")
    )
    assert min(map(float, few_samples)) > 1 and max(map(float, a_million)) < 0.01, "nothing, and a few thousandths"
    assert f"{mt.vapnik_bound(0.0, 11, 200):.2f}" in printed["bound"] and mt.vapnik_bound(0.0, 11, 200) < 1
    (high, _, wrong), (higher, _, also_wrong) = re.findall(
        r"margin +([\d.]+), mean .f. +([\d.]+), wrong about (\d+)%", printed["caps-run"]
    )
    assert 2.5 < float(higher) / float(high) < 3 and wrong == also_wrong, (
        "almost three times as high, and as many wrong"
    )
    for cell in ("disk-run", "dask-run"):
        assert float(re.search(r"wrong about ([\d.]+)%", printed[cell])[1]) < 1
    J, worse = re.search(r"J ([\d.]+) -> ([\d.]+)", printed["large-map-run"]), printed["large-map-run"].splitlines()[-1]
    assert 4.5 < float(J[2]) / float(J[1]) < 5.5 and worse.startswith("not worse on 8 of 14"), (
        "fivefold, and eight of fourteen"
    )
    large = [row for row in table4.stored_rows() if row.samples > 10_000]
    assert len(large) == 7 and sum(row.conformal > row.mcm for row in large) == 1, "on one of the seven large ones"


def numbers(text, pattern):
    return [float(found) for found in re.search(pattern, text).groups()]


def test_the_folded_answer_to_the_panel_of_features():
    def wrong(features=128, gamma=3.0, price=0.1):
        text = draw_large_scale(features, gamma, price, "random Fourier").text
        return numbers(text, r"Wrong about ([\d.]+)% of the 120 points, and about ([\d.]+)% of new")

    assert wrong(16)[1] < 2 < wrong(8)[1] < 5 < wrong(4)[1]
    kept = re.search(r"not zero: (\d+) of 128", draw_large_scale(128, 3.0, 1.0, "random Fourier").text)
    assert 10 <= int(kept[1]) <= 14 and wrong(price=1.0)[1] < 2 < wrong(price=3.0)[0]
    assert "all weights are zero" in draw_large_scale(128, 3.0, 10.0, "random Fourier").text
    assert wrong(gamma=100.0)[0] == 0 and wrong(gamma=100.0)[1] > 2 * wrong()[1]


def test_the_folded_answer_to_the_panel_of_the_descent():
    def above(passes=20, step=10.0, batch=32):
        text = draw_descent(passes, step, batch, "random Fourier").text
        return numbers(
            text, r"is lies (\d+)% above .* planes (\d+)%\.\nThe .* wrong about ([\d.]+)% .* about ([\d.]+)%"
        )

    _, average, mine, programme = above(passes=5)
    assert mine <= programme + 0.5 and average > 1
    assert min(above(step=100.0)[:2]) > 100 and min(above(step=0.1)[:2]) > 25
    at_last = {batch: above(batch=batch)[0] for batch in (8, 32, 125, 500)}
    assert min(at_last, key=at_last.get) == 125
