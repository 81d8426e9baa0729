"""The figures of mcmteach.plots.programme by what is in them: artists, levels, labels."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

import mcmteach as mt
from mcmteach import plots
from mcmteach.errors import InfeasibleError, InvalidInputError
from mcmteach.lp import build_lp
from tests.samples import FOUR, LABELS, hard

INF = np.inf


def numbers(ax):
    """The cells of the picture of a programme, row by row."""
    cells = [(t.get_position(), t.get_text().replace("−", "-")) for t in ax.texts]
    cells = [(round(y, 3), round(x, 3), float(text)) for (x, y), text in cells if re.fullmatch(r"-?[\d.]+", text)]
    rows = sorted({y for y, _, _ in cells})
    return [[value for y, _, value in sorted(cells) if y == row] for row in rows]


@pytest.mark.parametrize("C", [INF, 0.5])
def test_programme_picture_shows_the_programme(C):
    X, y = np.array([[1.0, 0.25], [2.0, 1.0], [-1.0, 0.5]]), np.array([1.0, 1.0, -1.0])
    ax = plots.plot_programme(X, y, C)
    lp = build_lp(X, y, C)
    costs, *rows = numbers(ax)
    assert costs == lp.c.tolist()
    np.testing.assert_array_equal(rows, np.column_stack([lp.A_ub.toarray(), lp.b_ub]))
    words = "\n".join(text.get_text() for text in ax.texts)
    for number in ("N(23)", "N(24)", "N(25)") if C == INF else ("P(4)", "P(6)", "P(5)"):
        assert number in words
    assert ("q₂" in words) == ("qᵢ" in words) == np.isfinite(C)
    # colours: positive and negative numbers on different grounds
    shades = {tuple(patch.get_facecolor()[:3]) for patch in ax.patches}
    assert len(shades) == 3


def test_programme_picture_refuses_what_cannot_be_read():
    with pytest.raises(InvalidInputError, match="cannot be read"):
        plots.plot_programme(np.ones((9, 1)), [1, -1] * 4 + [1])


def test_region_picture_puts_the_optimum_in_a_corner():
    ax = plots.plot_feasible_region(FOUR, LABELS)
    *constraints, star = ax.lines
    for line, x, y in zip(constraints, FOUR[:, 0], LABELS, strict=True):
        w, b = line.get_data()
        np.testing.assert_allclose(y * (w * x + b), 1)
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (pytest.approx(1), pytest.approx(0, abs=1e-9))
    drawn = [c for c in ax.collections if not getattr(c, "filled", True)]
    levels = [(level, path) for c in drawn for level, path in zip(c.levels, c.get_paths(), strict=True)]
    np.testing.assert_allclose([level for level, _ in levels], [4, 6, 8])
    for level, path in levels:
        h = (LABELS * (path.vertices[:, :1] * FOUR.T + path.vertices[:, 1:])).max(axis=1)
        np.testing.assert_allclose(h, level, atol=0.05)
    assert ax.get_xlabel() == "w" and ax.get_ylabel() == "b"
    labels = [text.get_text() for text in ax.texts]
    assert labels == ["h = 6", "h = 8"]
    assert {line.get_linestyle() for line in constraints} == {"-", "--"}


def test_region_picture_when_class_minus_lies_on_the_right():
    ax = plots.plot_feasible_region([5.0, 3.0, -1.0], [-1, -1, 1])
    star = ax.lines[-1]
    mcm = hard([[5.0], [3.0], [-1.0]], [-1, -1, 1])
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (pytest.approx(mcm.coef[0]), pytest.approx(mcm.b))
    low, high = ax.get_xlim()
    assert low < star.get_xdata()[0] < high


def test_rivals_picture_draws_lines_and_margins_whatever_the_scale(eight_points):
    X, y, planes = eight_points
    planes["SVM"] = 7 * planes["SVM"][0], 7 * planes["SVM"][1]
    ax = plots.plot_rivals(X, y, planes)
    assert len(ax.lines) == 6
    for i, (w, b) in enumerate(planes.values()):
        unit = (y * (X @ w + b)).min()
        for line, level in zip(ax.lines[3 * i : 3 * i + 3], (0, -1, 1), strict=True):
            for point in (line.get_xy1(), line.get_xy2()):
                assert (w @ point + b) / unit == pytest.approx(level, abs=1e-9)
    first, second = ax.lines[0], ax.lines[3]
    assert first.get_color() != second.get_color() and first.get_linestyle() != second.get_linestyle()


def test_spread_picture_has_every_distance_and_a_bar_to_h(eight_points):
    X, y, planes = eight_points
    ax = plots.plot_spread(X, y, planes)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["SVM", "MCM"]
    assert [text.get_text() for text in ax.texts] == [f"h = {mt.h_mcm(X, w, b):.2f}" for w, b in planes.values()]
    dots = [np.asarray(c.get_offsets()) for c in ax.collections if len(c.get_offsets()) > 1]
    w, b = planes["MCM"]
    t = y * (X @ w + b)
    np.testing.assert_allclose(np.sort(np.vstack(dots[:2])[:, 0]), np.sort(t / t.min()))
    assert np.vstack(dots)[:, 0].min() == pytest.approx(1)


def test_capped_hinge_picture_charges_the_objective():
    t, y, C = np.array([-0.5, 0.5, 1.0, 3.0]), np.array([1.0, -1.0, 1.0, -1.0]), 2.0
    ax = plots.plot_capped_hinge(t, y, C)
    hinge, cap, largest = ax.lines
    paid = np.vstack([c.get_offsets() for c in ax.collections if len(c.get_offsets())])
    assert paid[:, 1].sum() + largest.get_ydata()[0] == pytest.approx(3 + C * 2)
    np.testing.assert_allclose(np.interp(t, *hinge.get_data()), C * np.maximum(0, 1 - t))
    np.testing.assert_allclose(np.interp(t, *cap.get_data()), np.maximum(1, t))
    assert plots.plot_capped_hinge([0.2, 0.4], [1, -1]).lines[2].get_xdata()[0] == 1  # the cap never falls below 1


def test_figures_draw_into_the_axes_they_are_given(eight_points):
    X, y, planes = eight_points
    _, ax = plt.subplots()
    assert plots.plot_programme(FOUR, LABELS, ax=ax) is ax
    assert plots.plot_feasible_region(FOUR, LABELS, ax=ax) is ax
    assert plots.plot_rivals(X, y, planes, ax=ax) is ax
    assert plots.plot_spread(X, y, planes, ax=ax) is ax
    assert plots.plot_capped_hinge([1.0, 2.0], [1, -1], ax=ax) is ax
    assert len(plt.get_fignums()) == 1


def test_figures_refuse_what_they_cannot_compare(eight_points):
    X, y, _ = eight_points
    for draw in (plots.plot_rivals, plots.plot_spread):
        with pytest.raises(InvalidInputError, match="'wrong' does not separate"):
            draw(X, y, {"wrong": ([1.0, 0.0], 50.0)})
        with pytest.raises(InvalidInputError, match="compares one to 3"):
            draw(X, y, {})
    with pytest.raises(InfeasibleError):
        plots.plot_feasible_region([1.0, 2.0, 3.0], [1, -1, 1])
