"""Lesson 12: what a machine weighs, its figures by what is in them, what its panel says, and the lesson's claims."""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach import plots
from mcmteach import widgets as panels
from mcmteach.checks.tasks.large_scale import batch_step, capped_hinge, random_cosines
from mcmteach.datasets.worlds import spiral_points
from mcmteach.errors import ConstantClassifierWarning, InvalidInputError
from mcmteach.experiments import table4
from mcmteach.export.model_size import folded_plane, model_bytes, model_numbers, prediction_seconds
from mcmteach.large_scale import ConformalLargeScaleMCMClassifier, RandomFourierMap
from mcmteach.widgets import large_scale as lesson12
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


# --- figures ---------------------------------------------------------------------------------------------------------


def test_approximation_has_a_dot_for_each_pair_and_the_kernel_as_a_curve(spirals):
    X = spirals[0][:7]
    Z = RandomFourierMap(3.0, 30, 0).fit(X).transform(X)
    dots, curve = plots.plot_approximation(X, Z, 3.0).lines
    r, value = dots.get_data()
    assert len(r) == 7 * 8 / 2
    i, j = 2, 5
    place = np.argmin(np.abs(r - np.linalg.norm(X[i] - X[j])))
    assert value[place] == pytest.approx(Z[i] @ Z[j])
    np.testing.assert_allclose(curve.get_ydata(), np.exp(-3 * curve.get_xdata() ** 2))
    with pytest.raises(InvalidInputError, match="same samples"):
        plots.plot_approximation(X, Z[:3], 3.0)


def test_map_errors_stand_beside_one_over_root_D():
    ax = plots.plot_map_errors([10, 40], {"one": [0.3, 0.2], "two": [0.1, 0.05]})
    guide, one, two = ax.lines
    np.testing.assert_allclose(guide.get_ydata(), [10**-0.5, 40**-0.5])
    assert list(one.get_ydata()) == [0.3, 0.2] and two.get_label() == "two"
    assert one.get_marker() != two.get_marker() and one.get_linestyle() != two.get_linestyle()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["10", "40"]


@pytest.mark.parametrize("top", [12.0, 400.0])
def test_convergence_counts_passes_and_shows_the_optimum(top):
    ax = plots.plot_convergence({"loop": [top, 11.0, 10.5], "other": [11.0]}, 10.0)
    loop, other, optimum = ax.lines
    assert list(loop.get_xdata()) == [1, 2, 3] and list(loop.get_ydata()) == [top, 11.0, 10.5]
    assert len(other.get_xdata()) == 1
    assert set(optimum.get_ydata()) == {10.0} and optimum.get_linestyle() == "--" and "10" in optimum.get_label()
    low, high = ax.get_ylim()
    assert low < 10 and high > top
    assert ax.get_yticks()[0] == pytest.approx(10) and len(ax.get_yticks()) <= 7
    with pytest.raises(InvalidInputError, match="optimum"):
        plots.plot_convergence({"loop": [1.0]}, 0.0)


def test_ticks_above_the_optimum_are_round_numbers():
    ax = plots.plot_convergence({"loop": [92.0, 60.0]}, 48.2)
    optimum, *others = ax.get_yticks()
    assert optimum == 48.2 and others == [70, 100]


def test_learning_shows_the_goal_and_a_single_pass_as_a_point():
    ax = plots.plot_learning({"loop": [0.5, 0.3, 0.25], "one": [0.4]}, 0.2)
    loop, one, goal = ax.lines
    assert list(loop.get_ydata()) == [0.5, 0.3, 0.25] and list(loop.get_xdata()) == [1, 2, 3]
    assert loop.get_marker() == "None" and one.get_marker() == "o", "a line of one point would not be seen"
    assert set(goal.get_ydata()) == {0.2} and "20.0%" in goal.get_label()


def test_sizes_are_joined_where_there_are_several_and_devices_are_marked():
    ax = plots.plot_sizes({"MCM": ([600, 2000], [0.2, 0.15]), "SVC": (35_000, 0.14)}, {"2 KB": 2048})
    mcm, svc, memory = ax.lines
    assert list(mcm.get_xdata()) == [600, 2000] and mcm.get_linestyle() == "-" and svc.get_linestyle() == "None"
    assert mcm.get_marker() != svc.get_marker() and list(memory.get_xdata()) == [2048, 2048]
    assert ax.texts[0].get_text().strip() == "2 KB"
    low, high = ax.get_xlim()
    assert low < 600 and high > 35_000
    assert len(plots.plot_sizes({"one": (100, 0.1)}, {}).lines) == 1


def test_figures_draw_into_the_axes_they_are_given(spirals):
    X = spirals[0][:5]
    for draw in (
        lambda ax: plots.plot_approximation(X, X, 1.0, ax),
        lambda ax: plots.plot_map_errors([1, 2], {"a": [1, 1]}, ax),
        lambda ax: plots.plot_convergence({"a": [2.0]}, 1.0, ax),
        lambda ax: plots.plot_learning({"a": [0.3]}, 0.1, ax),
        lambda ax: plots.plot_sizes({"a": (10, 0.1)}, {}, ax),
    ):
        _, ax = plt.subplots()
        assert draw(ax) is ax


# --- the panel -------------------------------------------------------------------------------------------------------


def read(text):
    """Error of the kernel, share of new points wrong, bytes."""
    found = re.search(r"off by ([\d.]+).*about ([\d.]+)% of new points.* (\d+) bytes", text, re.S)
    return [float(number) for number in found.groups()]


def test_the_panel_says_what_the_linear_programme_says():
    X, y = spiral_points(lesson12.M, lesson12.SEED)
    Z = RandomFourierMap(3.0, 32, 0).fit(X).transform(X)
    best = mt.solve_mcm(Z, y, lesson12.C, 0.1)
    kept = np.count_nonzero(best.coef)
    text = panels.draw_large_scale(32, 3.0, 0.1, "random Fourier").text
    assert f"not zero: {kept} of 32" in text and f"{4 * (4 * kept + 1)} bytes" in text
    error = np.sqrt(np.mean((Z @ Z.T - mt.rbf_kernel(X, X, 3.0)) ** 2))
    assert f"off by {error:.3f} " in text
    X_new, y_new = spiral_points(2000, lesson12.SEED + 1000)
    wrong = np.mean(y_new * (RandomFourierMap(3.0, 32, 0).fit(X).transform(X_new) @ best.coef + best.b) <= 0)
    assert f"about {wrong:.1%} of new points" in text


def test_more_features_rebuild_the_kernel_and_a_price_drops_most_of_them():
    few, many = (read(panels.draw_large_scale(D, 3.0, 0.1, "random Fourier").text) for D in (4, 128))
    assert many[0] < few[0] / 3 and many[1] < few[1] and many[1] < 5
    kept = [read(panels.draw_large_scale(128, 3.0, s, "random Fourier").text)[2] for s in (0.03, 3.0)]
    assert kept[1] < kept[0] < 4 * (4 * 128 + 1) / 2


def test_nystroem_keeps_all_its_landmarks_and_has_at_most_one_per_sample():
    text = panels.draw_large_scale(16, 3.0, 0.1, "Nyström").text
    assert "all 16 must be kept" in text and read(text)[2] == 4 * (16 * 3 + 1)
    assert "Nyström, 120 features" in panels.draw_large_scale(128, 3.0, 0.1, "Nyström").text
    # each feature mixes the kernel values of all landmarks
    turn = lesson12.small_machine(16, 3.0, 0.1, "Nyström").feature_map.normalization_
    assert (np.abs(turn) > 1e-9).all()


def test_too_high_a_price_is_told():
    assert "all weights are zero" in panels.draw_large_scale(8, 3.0, 100.0, "random Fourier").text


@pytest.mark.parametrize("feature_map", list(lesson12.MAPS))
def test_the_descent_comes_down_to_the_linear_programme_and_never_below(feature_map):
    path = lesson12.descent_path(10.0, 32, feature_map)
    assert path.E.min() >= path.optimum - 1e-6 and (path.E[-1] < 1.02 * path.optimum).all()
    assert abs(path.wrong[-1, 1] - path.wrong_there) < 0.01


def test_the_descents_curve_is_the_objective_of_its_planes():
    Z, y, Z_new, y_new = lesson12._flashes("random Fourier")
    best = mt.solve_mcm(Z, y, lesson12.C_MEAN / len(y), sparsity=0.0)
    path = lesson12.descent_path(1.0, 125, "random Fourier")
    assert path.optimum == pytest.approx(best.objective)
    assert path.wrong_there == pytest.approx(np.mean(y_new * (Z_new @ best.coef + best.b) <= 0))
    plane = np.append(best.coef, best.b)
    np.testing.assert_allclose(lesson12._margins(Z, y, [[plane, 2 * plane]])[0, 1], 2 * y * (Z @ best.coef + best.b))


def test_what_the_lesson_asks_of_the_descent_can_be_seen():
    good, long, short = (lesson12.descent_path(step, 32, "random Fourier") for step in (10.0, 100.0, 0.1))
    early = [path.E[9, 1] / path.optimum for path in (good, long, short)]
    assert early[0] < 1.1 and min(early[1:]) > 1.3, "a step too long jumps about, one too short is not there yet"
    assert np.std(good.E[5:50, 0]) > 2 * np.std(good.E[5:50, 1]), "the average shakes less"
    full = lesson12.descent_path(10.0, lesson12.FLASHES, "random Fourier")
    assert full.E[4, 1] > 1.2 * good.E[4, 1], "in as many passes small batches get farther"
    assert abs(good.wrong[9, 1] - good.wrong_there) < 0.02, "for new flashes ten passes are enough"


def test_the_descents_readout_says_what_the_path_says():
    path = lesson12.descent_path(10.0, 500, "random Fourier")
    text = panels.draw_descent(1, 10.0, 500, "random Fourier").text
    assert "After about 1 step of 500 samples" in text and f"{path.E[0, 0] / path.optimum - 1:.0%} above" in text
    assert f"{path.wrong_there:.1%}." in text


# --- the notebook ----------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads((ROOT / "lessons" / "12_large_scale.ipynb").read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    rows = [re.findall(r"-?\d+", line) for line in printed["plenty-run"].splitlines()[1:]]
    few, _, many = np.array(rows, dtype=int).reshape(3, 3, 5)
    assert few[2, 3] > few[:2, 3].max() and few[2, 2] == 0, "with few samples the richest machine is the worst"
    assert many[2, 3] == many[:, 3].min() and many[2, 4] <= 2, "with many it is the best, and its error can be believed"
    gaps = [int(share) for share in re.findall(r"(\d+)% above", printed["convergence"])]
    assert gaps[0] == 0 and gaps[1] <= 9 and gaps[2] <= 1
    table = {line[:16].strip(): line[16:].split() for line in printed["device-run"].splitlines()[1:]}
    size = {name: int(row[1].replace(",", "")) for name, row in table.items()}
    error = {name: float(row[2].rstrip("%")) for name, row in table.items()}
    assert size["SVC"] > 32 * 1024 and size["MCM, price 0.3"] < 3 * 1024 and size["160 cosines"] > 7 * 1024
    assert error["SVC"] == min(error[name] for name in table if "cosines" not in name)
    assert error["MCM, price 0.3"] < error["SVC"] + 1
    assert "fast as SVC: True" in printed["device-time"]
    assert re.findall(r"(\w+) +[\d.]+ µs", printed["device-seconds"])[-1] == "cosines"
    J, worse = re.search(r"J ([\d.]+) -> ([\d.]+)", printed["large-map-run"]), printed["large-map-run"].splitlines()[-1]
    assert 4.5 < float(J[2]) / float(J[1]) < 5.5 and worse.startswith("not worse on 4 of 7"), (
        "fivefold, and four of seven"
    )
    large = [row for row in table4.stored_rows() if row.samples > 10_000]
    assert len(large) == 3 and all(row.conformal < row.mcm for row in large), "on none of the three large ones"
    half = re.search(r"float16: +(\d+) bytes, same answer for ([\d.]+)%", printed["device-time"])
    assert int(half[1]) < 2048 and float(half[2]) > 99
