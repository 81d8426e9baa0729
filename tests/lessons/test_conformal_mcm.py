"""Lesson 10: its figures, what its panel says, what it claims about the map of largest J, and what its cells printed."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import StandardScaler

import mcmteach as mt
from mcmteach import plots
from mcmteach import widgets as panels
from mcmteach.datasets import stratified_folds
from mcmteach.errors import InvalidInputError
from mcmteach.widgets import conformal_mcm as lesson10
from tools.ledger import ROOT

seeds = st.integers(0, 10**6)


@pytest.fixture(scope="module")
def machine():
    part = lesson10._parts()[0]
    return mt.ConformalMCMClassifier(gamma=1.0, gamma_c=1.0).fit(part.X, part.y)


# --- what the lesson claims ------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(seed=seeds, gamma=st.floats(0.01, 3))
def test_turning_the_sign_of_c_in_one_class_raises_J(seed, gamma):
    """Each class keeps its width, and with k_0 > 0 and c > 0 the centres move apart."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(14, 2)), np.append([1.0, -1.0], rng.choice([-1.0, 1.0], 12))
    K0, c = mt.rbf_kernel(X, gamma=gamma), rng.uniform(0.1, 2, 14)
    (B0, W0), turned = mt.scatter_matrices(K0, y), c * y
    assert turned @ W0 @ turned == pytest.approx(c @ W0 @ c)
    assert turned @ B0 @ turned > c @ B0 @ c
    assert mt.kernel_fisher_scalar(K0, y, turned) > mt.kernel_fisher_scalar(K0, y, c)


@settings(deadline=None, max_examples=25)
@given(seed=seeds)
def test_where_c_vanishes_the_machine_answers_b(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 2))
    coef, b = rng.normal(size=20), rng.normal()
    k = mt.ConformalKernel(lambda Z: Z[:, 0], mt.RBF(1.0))  # c = 0 on the second axis
    new = np.column_stack([np.zeros(5), rng.normal(size=5)])
    np.testing.assert_allclose(k(new, X) @ coef + b, b)
    assert np.ptp(k(new + np.array([1.0, 0.0]), X) @ coef + b) > 0


def test_the_sign_of_c_is_a_classifier_on_the_grains(machine):
    part = lesson10._parts()[0]
    assert np.mean(np.sign(machine.c_) == -part.y) > 0.95
    assert np.mean(np.sign(machine.conformal_map_(part.X_test)) == -part.y_test) > 0.8, "on new grains too"


# --- figures ---------------------------------------------------------------------------------------------------------


def test_factor_values_show_every_sample_once_class_by_class(machine):
    y = lesson10._parts()[0].y
    ax = plots.plot_factor_values(machine.c_, y, names=["Kama", "Rosa"])
    minus, plus = ax.collections
    np.testing.assert_array_equal(np.vstack([minus.get_offsets(), plus.get_offsets()])[:, 0], np.arange(1, len(y) + 1))
    np.testing.assert_array_equal(minus.get_offsets()[:, 1], np.sort(machine.c_[y < 0]))
    np.testing.assert_array_equal(plus.get_offsets()[:, 1], np.sort(machine.c_[y > 0]))
    assert (minus.get_label(), plus.get_label()) == ("Kama", "Rosa")
    assert not np.array_equal(minus.get_paths()[0].vertices, plus.get_paths()[0].vertices), "a marker for each class"


def test_factor_values_refuse_what_does_not_fit():
    with pytest.raises(InvalidInputError):
        plots.plot_factor_values([1.0, 2.0], [1, -1, 1])


def test_conformal_machine_shows_c_its_boundary_and_its_support_vectors(machine):
    part = lesson10._parts()[0]
    ax = plots.plot_conformal_machine(machine, part.X, part.y, points=30)
    (image,) = ax.images
    left, right, low, high = image.get_extent()
    corners = [[left, low], [right, low], [left, high], [right, high]]
    c = np.asarray(image.get_array())
    np.testing.assert_allclose(c[[0, 0, -1, -1], [0, -1, 0, -1]], machine.conformal_map_(corners))
    assert image.norm.vmin == -image.norm.vmax <= -2, "0 is white"
    zero, f = ax.collections[:2]
    np.testing.assert_allclose(machine.conformal_map_(np.vstack([p.vertices for p in zero.get_paths()])), 0, atol=0.05)
    boundary = f.get_paths()[list(f.levels).index(0)].vertices
    np.testing.assert_allclose(machine.decision_function(boundary), 0, atol=0.1)
    np.testing.assert_array_equal(ax.collections[-1].get_offsets(), machine.support_vectors_)


def test_conformal_machine_survives_a_map_and_a_machine_without_any_line():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), np.array([1, 1, -1])
    with pytest.warns(mt.errors.MCMWarning):
        flat = mt.ConformalMCMClassifier(sparsity=100.0).fit(X, y)
    ax = plots.plot_conformal_machine(flat, X, y, points=5)
    assert len(ax.collections) == 2, "the points of both classes and no line"
    with pytest.raises(InvalidInputError, match="fit first"):
        plots.plot_conformal_machine(mt.ConformalMCMClassifier(), X, y)


# --- the panel -------------------------------------------------------------------------------------------------------


def test_the_panel_uses_the_lessons_data():
    data = mt.load_dataset("seeds")
    train, test = stratified_folds(data.target, 5)[0]
    scaler = StandardScaler().fit(data.data[train][:, [5, 6]])
    part = lesson10._parts()[0]
    np.testing.assert_allclose(part.X, scaler.transform(data.data[train][:, [5, 6]]))
    np.testing.assert_allclose(part.X_test, scaler.transform(data.data[test][:, [5, 6]]))


def test_the_panel_says_what_a_fit_says():
    part = lesson10._parts()[2]
    machine = mt.ConformalMCMClassifier(gamma=0.3, gamma_c=3.0, C=10.0).fit(part.X, part.y)
    before, after, factor = panels.draw_conformal_mcm(0.3, 3.0, 10.0, 3).text.splitlines()
    for line, J, each in ((before, machine.J_before_, machine.basic_), (after, machine.J_after_, machine)):
        said = [float(n) for n in re.findall(r"\d+(?:\.\d+)?", line)]
        right = [round(100 * each.score(*pair), 1) for pair in ((part.X, part.y), (part.X_test, part.y_test))]
        assert said == [round(J, 3), each.n_support_, *right, len(part.y_test)]
    agree = np.mean(np.sign(machine.c_) == part.y)
    assert f"in {max(agree, 1 - agree):.1%} of it" in factor
    assert f"from {machine.c_.min():.2f} to {machine.c_.max():.2f}" in factor


def test_the_panel_says_so_where_there_are_no_cores():
    text = panels.draw_conformal_mcm(30.0, 1.0, 0.01, 1).text
    assert "no cores and no map: c = 1" in text and text.count("0 support vectors") == 2
    J = re.findall(r"J = ([\d.]+)", text)
    assert J[0] == J[1]


# --- the notebook ----------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads((ROOT / "lessons" / "10_conformal_mcm.ipynb").read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    source = {cell["id"]: "".join(cell["source"]) for cell in cells}
    before, after = (line.split() for line in printed["step-7-8"].splitlines()[1:3])
    assert int(after[1]) < int(before[1]), "fewer support vectors"
    assert float(before[-1][:-1]) - float(after[-1][:-1]) == pytest.approx(200 / 28, abs=0.1), "worse by two grains"
    J, J2 = map(float, re.findall(r"\d\.\d+", printed["step-5"])[:2])
    assert 1.45 < J2 / J < 1.55, "grown by half"
    assert "ours: True" in printed["estimator"] and float(printed["estimator"].split("b = ")[1]) > 0, "Rosa"
    _, basic, conformal = (
        list(map(float, re.findall(r"\d\.\d+", line))) for line in printed["figure-2-run"].splitlines()[:3]
    )
    assert all(c > 8 * b for b, c in zip(basic, conformal, strict=True)), "more than eight times as large"
    promised, held = zip(*re.findall(r"promised ([\d.]+)%, held out ([\d.]+)%", printed["tune-test"]), strict=True)
    assert promised[1] > promised[0] and held[0] == held[1]

    rows = [list(map(float, re.findall(r"[\d.]+(?=%?)", line))) for line in printed["eight-run"].splitlines()[1:-1]]
    table = np.array(rows)
    assert table.shape == (8, 7)
    assert np.sum(table[:, 1] > 8 * table[:, 0]) == 3 and (table[:, 1] > table[:, 0]).all(), "J rises everywhere"
    assert (table[:, 3] < table[:, 2]).all(), "fewer support vectors on all"
    assert printed["eight-run"].endswith("accuracy up on 2 sets, the same on 2, down on 4\n")
    assert "On two. On two others the accuracy is the same, and on four it falls" in source["predict"]
    assert np.sum(table[:, 6] >= 96) == 7, "nearly by heart on most"
