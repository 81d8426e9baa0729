"""The figures of mcmteach.plots.separability by what is in them: artists, levels, labels."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import mcmteach as mt
from mcmteach import plots
from mcmteach.conformal import induced_metric, magnification
from mcmteach.datasets.worlds import clouds
from mcmteach.errors import InvalidInputError
from mcmteach.fisher import feature_scatter
from mcmteach.plots.separability import CELLS, GAMMAS
from mcmteach.widgets.measuring_separability import WIDTHS, X, Y, best_maps


def labelled(ax):
    """Lines by label."""
    return {line.get_label(): line for line in ax.lines}


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
