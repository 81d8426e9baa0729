"""Lesson 6: its worlds, the eigenvalues as a picture, what its panel says, and what it claims about kernels."""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import sigmoid_kernel
from sklearn.svm import SVC

import mcmteach as mt
from mcmteach import plots
from mcmteach import widgets as panels
from mcmteach.datasets.worlds import ring_points, spiral_points, xor_points
from mcmteach.errors import InvalidInputError
from mcmteach.kernels import Separable, quadratic_map
from mcmteach.perceptron import perceptron_dual, perceptron_primal
from mcmteach.widgets import kernels as lesson06
from tools.ledger import ROOT

NEAR = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
seeds = st.integers(0, 10**6)


# --- what the lesson claims ------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=25)
@given(M=st.integers(4, 40), seed=seeds)
def test_the_kernel_perceptron_makes_the_mistakes_of_the_lifted_one(M, seed):
    X, y = ring_points(M, seed)
    counts = perceptron_dual(mt.polynomial_kernel(X, degree=2, coef0=0), y)
    w, lifted = perceptron_primal(quadratic_map(X), y)
    np.testing.assert_array_equal(counts.alpha, lifted.alpha)
    assert counts.b == lifted.b and counts.errors[-1] == 0
    np.testing.assert_allclose((counts.alpha * y) @ quadratic_map(X), w, atol=1e-9)


def test_three_points_in_a_row_have_no_feature_map():
    np.testing.assert_allclose(np.linalg.eigvalsh(NEAR), [1 - np.sqrt(2), 1, 1 + np.sqrt(2)])
    assert not mt.is_mercer(NEAR)


@settings(deadline=None, max_examples=25)
@given(seed=seeds)
def test_neither_the_sigmoid_nor_a_difference_is_a_kernel_and_the_rbf_is(seed):
    X, _ = ring_points(60, seed)
    assert not mt.is_mercer(sigmoid_kernel(X, gamma=1.0, coef0=1.0))
    assert not mt.is_mercer(mt.rbf_kernel(X, gamma=1.0) - 0.5 * mt.rbf_kernel(X, gamma=4.0))
    assert mt.is_mercer(mt.rbf_kernel(X, gamma=1.0))


@settings(deadline=None, max_examples=25)
@given(gamma=st.floats(0.1, 1.5), seed=seeds)
def test_the_rbf_is_built_of_allowed_bricks(gamma, seed):
    X, _ = xor_points(12, seed)
    one = Separable(lambda X: np.ones(len(X)))
    f = Separable(lambda X: np.exp(-gamma * np.sum(X**2, axis=1)))
    term = series = one
    for n in range(1, 41):
        term = (2 * gamma / n) * (term * mt.Linear())
        series = series + term
        if n < 6:
            assert mt.is_mercer((f * series)(X))
            assert mt.numerical_rank((f * series)(X), tol=1e-12) <= (n + 1) * (n + 2) // 2
    np.testing.assert_allclose((f * series)(X), mt.rbf_kernel(X, gamma=gamma), atol=1e-10)


@settings(deadline=None, max_examples=10)
@given(seed=seeds)
def test_the_rbf_learns_any_labels_by_heart(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(size=(30, 2)), np.append([1.0, -1.0], rng.choice([-1.0, 1.0], 28))
    K = mt.rbf_kernel(X, gamma=1000.0)
    z = np.linalg.solve(K, y)
    np.testing.assert_allclose(K @ z, y, atol=1e-6)


def test_a_smooth_loss_wants_a_larger_C_than_svc():
    X, y = spiral_points(60, seed=0)
    X_new, _ = spiral_points(2000, seed=1000)
    theirs = SVC(gamma=1.0, C=1.0).fit(X, y).predict(X_new)
    agree = {C: np.mean(mt.KernelSVM(gamma=1.0, C=C).fit(X, y).predict(X_new) == theirs) for C in (0.2, 1.0, 5.0, 25.0)}
    assert max(agree, key=agree.get) == 5.0 and agree[5.0] > 0.98


# --- figures ---------------------------------------------------------------------------------------------------------


def test_spectrum_shows_every_eigenvalue_once_with_its_sign():
    ax = plots.plot_spectrum(NEAR)
    positive, negative = ax.lines
    assert positive.get_label() == "2 positive" and negative.get_label() == "1 negative"
    assert positive.get_marker() == "o" and negative.get_marker() == "^"
    largest = 1 + np.sqrt(2)
    np.testing.assert_allclose(positive.get_data(), [[1, 2], [1, 1 / largest]])
    np.testing.assert_allclose(negative.get_data(), [[3], [(np.sqrt(2) - 1) / largest]])
    assert ax.get_yscale() == "log"


def test_spectrum_calls_rounding_zero():
    X, _ = ring_points(20, seed=0)
    ax = plots.plot_spectrum(mt.polynomial_kernel(X, degree=2))
    positive, zero = ax.lines
    assert positive.get_label() == "6 positive" and zero.get_label() == "14 zero (rounding)"
    assert (zero.get_ydata() >= 1e-16).all(), "nothing falls off a logarithmic axis"
    assert [line.get_label() for line in plots.plot_spectrum(np.zeros((2, 2))).lines] == ["2 zero (rounding)"]


def test_spectrum_refuses_what_has_none():
    with pytest.raises(InvalidInputError, match="not symmetric"):
        plots.plot_spectrum([[1.0, 2.0], [0.0, 1.0]])
    with pytest.raises(InvalidInputError, match="square"):
        plots.plot_spectrum(np.ones((2, 3)))


def test_pictures_leave_out_what_they_are_asked_to(moons):
    X, y = moons
    assert len(plots.plot_gram(np.eye(3), colorbar=False).figure.axes) == 1
    assert len(plots.plot_gram(np.eye(3)).figure.axes) == 2
    machine = mt.KernelSVM(gamma=1.0).fit(X, y)
    with_rings, without = (plots.plot_decision(machine, X, y, support=ring, points=30) for ring in (True, False))
    assert any("support" in c.get_label() for c in with_rings.collections)
    assert not any("support" in c.get_label() for c in without.collections)


def test_figures_draw_into_the_axes_they_are_given():
    _, ax = plt.subplots()
    assert plots.plot_spectrum(np.eye(4), ax=ax) is ax
    assert len(plt.get_fignums()) == 1


# --- the panel -------------------------------------------------------------------------------------------------------


def numbers(text):
    """The shares of wrong answers on the sample and on new points."""
    return [float(share) for share in re.findall(r"(\d+\.\d)%", text)]


def test_the_panels_kernels_are_what_they_are_called():
    X, Z = ring_points(7, seed=1)[0], ring_points(5, seed=2)[0]
    K = {name: k(X, Z, 2.0, 3) for name, (_, k) in lesson06.KERNELS.items()}
    np.testing.assert_allclose(K["RBF"], np.exp(-2 * cdist(X, Z) ** 2))
    np.testing.assert_allclose(K["polynomial"], (X @ Z.T + 1) ** 3)
    np.testing.assert_allclose(K["RBF × polynomial"], K["RBF"] * K["polynomial"])
    np.testing.assert_allclose(K["linear"], X @ Z.T)
    np.testing.assert_allclose(K["sigmoid"], sigmoid_kernel(X, Z, gamma=2.0, coef0=1.0))
    np.testing.assert_allclose(K["difference"], np.exp(-2 * cdist(X, Z) ** 2) - 0.5 * np.exp(-8 * cdist(X, Z) ** 2))


@pytest.mark.parametrize("name", lesson06.KERNELS)
def test_a_kernel_uses_the_parameters_it_says(name):
    uses, k = lesson06.KERNELS[name]
    X, _ = ring_points(6, seed=1)
    assert np.array_equal(k(X, X, 1.0, 2), k(X, X, 3.0, 2)) == ("gamma" not in uses)
    assert np.array_equal(k(X, X, 1.0, 2), k(X, X, 1.0, 3)) == ("degree" not in uses)


def test_the_panel_goes_from_ugly_over_good_to_bad():
    texts = [panels.draw_kernel(gamma, 2, "RBF", "spirals").text for gamma in (0.01, 3.0, 1000.0)]
    assert [re.search(r"looks (\w+)", text)[1] for text in texts] == ["ugly", "good", "bad"]
    wide, middle, narrow = map(numbers, texts)
    assert wide[0] > 10 and middle == [0.0, 0.0] and narrow[0] == 0.0 and narrow[1] > 30
    assert "It does not use degree (2)" in texts[0]


def test_the_panel_counts_the_dimensions_of_a_polynomial():
    for degree, rank in ((1, 3), (2, 6), (3, 10)):
        text = panels.draw_kernel(1.0, degree, "polynomial", "disc and ring").text
        assert f"numerical rank {rank} of 60" in text and "It does not use gamma (1)" in text
    linear = panels.draw_kernel(1.0, 1, "linear", "XOR").text
    assert "numerical rank 2 of 60" in linear and "gamma (1) and degree (1)" in linear and numbers(linear)[1] > 30


@pytest.mark.parametrize("kernel", ["sigmoid", "difference"])
def test_the_panel_shows_the_negative_eigenvalues_of_what_is_no_kernel(kernel):
    X, _ = ring_points(60, seed=0)
    eigenvalues = np.linalg.eigvalsh(lesson06.KERNELS[kernel][1](X, X, 1.0, 2))
    text = panels.draw_kernel(1.0, 2, kernel, "disc and ring").text
    count, smallest = re.search(
        r"Not a kernel: (\d+) eigenvalues are negative, the smallest is (\S+)\.$", text
    ).groups()
    assert int(count) == np.sum(eigenvalues < -1e-8 * eigenvalues[-1]) > 20
    assert float(smallest) == pytest.approx(eigenvalues[0], rel=0.01)


def test_the_panel_can_be_set_anywhere():
    for data in lesson06.WORLDS:
        for kernel in lesson06.KERNELS:
            for gamma in (min(lesson06.GAMMAS), max(lesson06.GAMMAS)):
                look = lesson06._look(gamma, 5, kernel, data)  # a warning would be an error here
                assert (look.machine is None) == np.isnan(look.new_error)


# --- the notebook ----------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads((ROOT / "lessons" / "06_kernels.ipynb").read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    assert "12 with the kernel, 12 with lifted" in printed["perceptron-run"] and "True" in printed["perceptron-run"]
    rows = {line.split()[0]: list(map(float, line.split()[1:])) for line in printed["candidates"].splitlines()[1:]}
    assert min(rows["RBF"]) >= 0, "the RBF holds"
    assert rows["sigmoid"][1] > 0 > rows["sigmoid"][2], "passes on three points and fails on ten"
    assert rows["difference"][0] > 0 > rows["difference"][1], "fails on three"
    assert int(re.search(r"(\d+)% of its own", printed["refuse"])[1]) > 50, "worse than a coin"
    assert [int(line.split()[-1]) for line in printed["rbf-run"].splitlines()[1:]] == [3, 6, 15, 45, 60]
    agree = [float(share) for share in re.findall(r"SVC on ([\d.]+)%", printed["svc"])]
    assert agree.index(max(agree)) == 2 and max(agree) == 99.1, "C = 5 agrees best"
    assert "errors at the end 0" in printed["coin-run"] and "new points 50%" in printed["coin-run"]
