"""Lesson 9: what is true of J at any data, the sign of the best c, figures by what is in them, and what the panel says."""

import json
import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import mcmteach as mt
from mcmteach import plots
from mcmteach import widgets as panels
from mcmteach.bounds import is_separable
from mcmteach.conformal import induced_metric, magnification, optimal_alpha
from mcmteach.datasets.worlds import clouds, stretched_points
from mcmteach.errors import InvalidInputError
from mcmteach.fisher import feature_scatter
from mcmteach.plots.separability import CELLS, GAMMAS
from mcmteach.widgets.measuring_separability import WIDTHS, X_NEW, Y_NEW, X, Y, best_maps
from tools.ledger import ROOT

seeds = st.integers(0, 10**6)


def labelled(ax):
    """Lines by label."""
    return {line.get_label(): line for line in ax.lines}


# --- what the lesson says of J ---------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(seed=seeds, plus=st.integers(2, 12), minus=st.integers(2, 12))
def test_a_kernel_that_knows_nothing_has_the_same_J_for_any_labels(seed, plus, minus):
    y = np.random.default_rng(seed).permutation([1.0] * plus + [-1.0] * minus)
    assert mt.kernel_fisher_scalar(np.eye(len(y)), y) == pytest.approx(1 / (len(y) - 2))


@settings(deadline=None, max_examples=30)
@given(seed=seeds, M=st.integers(6, 30), scale=st.floats(0.1, 10))
def test_a_narrow_gaussian_has_the_J_of_the_plane_and_a_wide_one_that_of_knowing_nothing(seed, M, scale):
    X, y = clouds(M, seed=seed)
    X = X * scale
    nearest = min(np.linalg.norm(X[i] - X[j]) for i in range(M) for j in range(i))
    assume(nearest > 1e-3 * scale)
    flat = mt.kernel_fisher_scalar(mt.rbf_kernel(X, gamma=1e-6 / np.square(X).max()), y)
    assert flat == pytest.approx(mt.fisher_scalar(X, y), rel=1e-3)
    assert mt.kernel_fisher_scalar(mt.rbf_kernel(X, gamma=50 / nearest**2), y) == pytest.approx(1 / (M - 2), rel=1e-6)
    assert mt.fisher_scalar(7 * X + 3, y) == pytest.approx(mt.fisher_scalar(X, y)), "J has no unit and no origin"


def test_J_falls_when_points_are_pulled_apart_along_the_gap():
    Js = [mt.fisher_scalar(*stretched_points(stretch)) for stretch in (0.5, 1.0, 2.0, 4.0)]
    assert all(is_separable(*stretched_points(stretch)) for stretch in (0.5, 4.0)) and Js == sorted(Js, reverse=True)


def test_the_quadratic_kernel_cannot_tell_a_point_from_its_mirror_image():
    k = mt.Polynomial(degree=2, coef0=0)
    X, y = clouds(100)
    mirrored, y = np.vstack([X[y > 0], -X[y > 0]]), np.repeat([1.0, -1.0], 50)
    assert mt.fisher_scalar(mirrored, y) > 1
    assert mt.kernel_fisher_scalar(k(mirrored), y) == pytest.approx(0, abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(seed=seeds, M=st.integers(5, 30), n=st.integers(1, 5), log_gamma=st.integers(-4, 3))
def test_the_best_free_c_has_the_sign_of_the_label(seed, M, n, log_gamma):
    """The lesson's proof, at any Gaussian kernel and any labels, also such as have nothing to do with the points."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(M, n)), rng.permutation(np.where(np.arange(M) < rng.integers(2, M - 1), 1.0, -1.0))
    K = mt.rbf_kernel(X, gamma=2.0**log_gamma)
    assume(K.min() > 1e-5)  # below that the samples fall into groups, each with a sign of its own
    c, J = optimal_alpha(K, y, np.eye(M))
    c = c * np.sign(c @ y)
    assert (c * y >= -1e-6 * np.abs(c).max()).all()
    free = rng.normal(size=M)
    folded = y * np.abs(free)  # the step of the proof: no c is better than the one that it is folded into
    assert mt.kernel_fisher_scalar(K, y, free) <= mt.kernel_fisher_scalar(K, y, folded) * (1 + 1e-9) <= J * (1 + 1e-6)


def test_the_sign_needs_a_positive_kernel():
    X, y = clouds(40)
    c, _ = optimal_alpha(mt.linear_kernel(X) + 1e-6 * np.eye(40), y, np.eye(40))
    assert 0.05 < np.mean(c * y > 0) < 0.95, "with dot products of either sign the best c is no classifier"


def test_where_c_is_zero_the_space_shrinks_to_nothing_along_the_line():
    c = best_maps(0.25, 10, 0.001).maps[WIDTHS.index(0.5)]
    ax = plots.plot_factor(c, X, Y)
    line = next(part for part in ax.collections if list(getattr(part, "levels", [])) == [0])
    path = line.get_paths()[0]
    ridge = path.vertices[path.codes == 2][::9]
    inside = ridge[np.abs(ridge).max(axis=1) < 1.5]
    assert len(inside) > 3
    everywhere = magnification(X, c, gamma=0.25).mean()
    assert magnification(inside, c, gamma=0.25).max() < 0.1 * everywhere
    slope = np.linalg.norm(c.gradient(inside), axis=1)
    lengths = np.sqrt(np.linalg.eigvalsh(induced_metric(inside, c, gamma=0.25)))
    np.testing.assert_allclose(lengths[:, 1], slope, rtol=0.02)  # what is left is a step across, by the slope of c


# --- figures -----------------------------------------------------------------------------------------------------------


def test_scatter_has_a_spoke_for_each_sample_and_two_arms():
    Z, y = clouds(9)
    ax = plots.plot_class_scatter(Z, y)
    ends = [np.transpose(line.get_data()) for line in ax.lines if len(line.get_xdata()) == 2]
    lengths = np.array([np.sum((a - b) ** 2) for a, b in ends])
    thick = np.array([line.get_linewidth() == 3 for line in ax.lines if len(line.get_xdata()) == 2])
    S_b, S_w = feature_scatter(Z, y)
    assert thick.sum() == 2 and (~thick).sum() == 9
    assert lengths[~thick].sum() / 9 == pytest.approx(np.trace(S_w))
    assert lengths[thick] @ [np.sum(y < 0), np.sum(y > 0)] / 9 == pytest.approx(np.trace(S_b))
    np.testing.assert_allclose(np.ravel(labelled(ax)["centre of all"].get_data()), Z.mean(axis=0))


def test_feature_plane_shows_kernel_pca_by_class():
    X, y = clouds(30, arrangement="cross")
    K = mt.rbf_kernel(X, gamma=1.0)
    ax = plots.plot_feature_plane(K, y, names=["a", "b"])
    Z = mt.kernel_pca(K)
    for part, label, name in zip(ax.collections, (-1, 1), "ab", strict=True):
        np.testing.assert_allclose(part.get_offsets(), Z[y == label])
        assert part.get_label() == name
    assert ax.get_aspect() == 1 and ax.get_xlim() == ax.get_ylim()


def test_curves_over_gamma_are_J():
    pair, cross = clouds(40), clouds(40, arrangement="cross")
    ax = plots.plot_fisher_gamma({"pair": pair, "cross": cross})
    for name, (Z, y) in {"pair": pair, "cross": cross}.items():
        line = labelled(ax)[name]
        assert line.get_ydata()[20] == pytest.approx(mt.kernel_fisher_scalar(mt.rbf_kernel(Z, gamma=GAMMAS[20]), y))
    heights = [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == ":"]
    assert heights == pytest.approx([mt.fisher_scalar(*pair), mt.fisher_scalar(*cross)])


def test_ascent_is_drawn_step_by_step_below_the_top():
    ax = plots.plot_ascent({"a": [0.1, 0.2, 0.3], "b": np.linspace(0, 1, 51)}, top=1.5)
    lines = labelled(ax)
    assert lines["a"].get_xydata().tolist() == [[1, 0.2], [2, 0.3]] and len(lines["b"].get_xdata()) == 50
    assert lines["N(41), in one step"].get_ydata()[0] == 1.5 and ax.get_xlim() == (1, 50)


def test_factor_map_shows_c_its_zero_line_and_the_cores():
    X, y = clouds(20)
    c = mt.ConformalMap(X[:3], [-0.4, 1.0, 0.5, 1.0], gamma=0.5)
    ax = plots.plot_factor(c, X, y, cores=X[:3], names=["a", "b"])
    (image,) = ax.images
    values = image.get_array()
    assert values.shape == (CELLS, CELLS) and image.norm.vmax == -image.norm.vmin == np.abs(c(X)).max()
    assert values[0, -1] == pytest.approx(c([[ax.get_xlim()[1], ax.get_ylim()[0]]])[0])
    (line,) = (part for part in ax.collections if list(getattr(part, "levels", [])) == [0])
    assert np.abs(c(line.get_paths()[0].vertices)).max() < 0.02
    np.testing.assert_allclose(ax.collections[-1].get_offsets(), X[:3])
    assert ax.collections[-1].get_label() == "cores"
    positive = plots.plot_factor(lambda Z: np.ones(len(Z)), X, y)
    assert not [part for part in positive.collections if hasattr(part, "levels")], "no zero, no line"


def test_widths_show_both_curves_what_they_begin_at_and_where_we_are():
    ax = plots.plot_fisher_widths([0.1, 1.0, 10.0], [1.0, 2.0, 3.0], [0.5, 0.6, 0.7], before=(0.3, 0.2), here=2)
    lines = labelled(ax)
    assert lines["training data"].get_ydata().tolist() == [1, 2, 3]
    assert lines["_new data, c = 1"].get_ydata()[0] == 0.2
    marks = [line.get_xydata().tolist() for line in ax.lines if line.get_label() == "_here"]
    assert marks == [[[10.0, 3.0]], [[10.0, 0.7]]]
    assert len(plots.plot_fisher_widths([0.1, 1.0], [1, 2], [1, 2], before=(0, 0)).lines) == 4


def test_figures_draw_into_the_axes_they_are_given_and_refuse_what_they_cannot_draw():
    X, y = clouds(12)
    K = mt.rbf_kernel(X)
    for draw in (
        lambda ax: plots.plot_class_scatter(X, y, ax),
        lambda ax: plots.plot_feature_plane(K, y, ax),
        lambda ax: plots.plot_fisher_gamma({"a": (X, y)}, ax),
        lambda ax: plots.plot_ascent({"a": [1, 2]}, 3.0, ax),
        lambda ax: plots.plot_factor(lambda Z: Z[:, 0], X, y, ax),
        lambda ax: plots.plot_fisher_widths([1, 2], [1, 2], [1, 2], (1, 1), ax=ax),
    ):
        _, ax = plt.subplots()
        assert draw(ax) is ax
    with pytest.raises(InvalidInputError, match="one number per row"):
        plots.plot_factor(lambda Z: np.ones((len(Z), 2))[: len(Z) // 2], X, y)
    with pytest.raises(InvalidInputError, match="2 features"):
        plots.plot_class_scatter(np.ones((4, 3)), [1, 1, -1, -1])
    with pytest.raises(InvalidInputError, match="one class"):
        plots.plot_class_scatter(X, np.ones(12))
    with pytest.raises(InvalidInputError, match="training"):
        plots.plot_fisher_widths([1, 2], [1, 2, 3], [1, 2], (1, 1))


# --- the panel ---------------------------------------------------------------------------------------------------------


def numbers(text):
    return [float(number) for number in re.findall(r"\d+\.\d+", text)]


@pytest.mark.parametrize(("gamma", "gamma_c", "cores", "D"), [(0.25, 0.5, 10, 0.001), (1.0, 8.0, 60, 0.0)])
def test_panel_says_what_the_library_says(gamma, gamma_c, cores, D):
    K, K_new = mt.rbf_kernel(X, gamma=gamma), mt.rbf_kernel(X_NEW, gamma=gamma)
    c = mt.optimal_map(K, Y, X, X[:cores], gamma_c, D)
    expected = [mt.kernel_fisher_scalar(K, Y), mt.kernel_fisher_scalar(K, Y, c(X))]
    expected += [mt.kernel_fisher_scalar(K_new, Y_NEW), mt.kernel_fisher_scalar(K_new, Y_NEW, c(X_NEW))]
    text = panels.draw_separability(gamma, gamma_c, cores, D).text
    assert numbers(text) == pytest.approx(expected, abs=6e-4)
    share = max(np.mean(c(X) * Y > 0), np.mean(c(X) * Y < 0))
    assert f"the class of {share:.0%} of the training data" in text


def test_panel_does_what_the_lesson_asks_to_try():
    few, many = best_maps(0.25, 10, 0.001), best_maps(0.25, 60, 0.001)
    assert np.argmax(few.training) == np.argmax(few.new), "with few cores both curves rise and fall together"
    assert np.corrcoef(few.training, few.new)[0, 1] > 0.95
    assert np.all(np.array(many.training) >= np.array(few.training) - 1e-6)
    valley = np.argmin(many.new)
    assert many.new[valley] < many.before[1], "a map that makes new data worse than no map"
    assert many.training[valley] > 0.99 * max(many.training)
    assert "less than without a map" in panels.draw_separability(0.25, WIDTHS[valley], 60, 0.001).text
    with_D = best_maps(0.25, 60, 100.0)
    np.testing.assert_allclose(with_D.training, many.training, rtol=0.02)  # D hardly holds anything back
    np.testing.assert_allclose(with_D.new, many.new, atol=0.03)


# --- the notebook ------------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads((ROOT / "lessons" / "09_measuring_separability.ipynb").read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    three = [number for number in numbers(printed["theorem-live"]) if number < 1]
    assert len(three) == 3 and len(set(three)) == 1
    start, schedule, searched, longer, top, *_ = numbers(printed["race"])
    assert start < schedule < 1.02 * start and schedule < searched < longer < top < 1.05 * longer
    assert printed["free"].count("100%") == 4
    figures = [numbers(line)[0] for line in printed["figure-7"].splitlines()]
    assert figures[0] > 8 * figures[2] and figures[1] < 0.01
    shares = [re.search(r"(\d+)%, (\d+)%", line) for line in printed["held-out"].splitlines()[1:]]
    assert all(80 < int(share[1]) <= 100 and int(share[2]) < int(share[1]) for share in shares)
    for line in printed["held-out"].splitlines()[1:]:
        before, after, new_before, new_after = numbers(line)
        assert 1 < new_after / new_before < after / before, "it grows on new data too, and never as much"
