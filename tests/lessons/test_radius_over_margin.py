"""Lesson 4: the theorem at its edge, the chain at any data, figures by what is in them, and what the panel says."""

import json
import re
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import mcmteach as mt
from mcmteach import plots
from mcmteach import widgets as panels
from mcmteach.bounds import is_separable
from mcmteach.capacity import augment, middle_of_gap
from mcmteach.datasets.worlds import separable_points, stretched_points
from mcmteach.errors import InvalidInputError
from mcmteach.plots.capacity import ANGLES, TOP, over_angles
from mcmteach.svm import hard_margin
from tools.ledger import ROOT

numbers = st.floats(-10, 10, allow_subnormal=False).map(lambda value: round(value, 3))
X6, Y6 = np.array([[-3.0], [-2.0], [-1.5], [-0.5], [1.5], [2.5]]), np.array([-1.0, -1, -1, -1, 1, 1])


def unit(degrees):
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


def labelled(ax):
    """Lines by label."""
    return {line.get_label(): line for line in ax.lines}


def offsets(ax, size):
    """Where the markers of a given size sit: rings have 230, squares 170."""
    return np.vstack([np.asarray(c.get_offsets()) for c in ax.collections if list(c.get_sizes()) == [size]])


# --- Theorem 2.2 -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", range(2, 9))
def test_equidistant_points_reach_the_bound_and_the_odd_ones_pass_it(k):
    # by hand: the widest plane between j corners and the rest halves the way between the two centres of gravity, whose
    # distance squared is 1/j + 1/(k-j); it is smallest for j = k/2, or next to it
    corners = np.eye(k) - 1 / k
    margins = [
        1 / np.linalg.norm(hard_margin(corners, np.repeat([1, -1], [j, k - j])).w) for j in range(1, k)
    ]  # every colouring is one of these, up to the names of the corners; those of one colour have any margin
    assert margins == pytest.approx([np.sqrt(1 / j + 1 / (k - j)) / 2 for j in range(1, k)], rel=1e-6)
    square = (mt.radius(corners) / min(margins)) ** 2
    assert square == pytest.approx(k - 1 if k % 2 == 0 else (k - 1) * (1 - 1 / k**2), rel=1e-6)
    allowed = mt.margin_vc_dim(mt.radius(corners), min(margins) * (1 - 1e-9), n=100)
    assert allowed == (k if k % 2 == 0 else k - 1), "the lesson says: one too low in the odd rows"
    assert np.ceil(round(square, 6)) + 1 == k


@settings(deadline=None, max_examples=30)
@given(points=arrays(float, (3, 2), elements=numbers))
def test_rounded_up_the_theorem_holds_for_any_three_points(points):
    sides = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1)
    assume(sides.min() > 0.1)
    colourings = [y for y in product([1, -1], repeat=3) if len(set(y)) == 2]
    assume(all(is_separable(points, y) for y in colourings))
    Delta = min(1 / np.linalg.norm(hard_margin(points, y).w) for y in colourings)
    middle = points.mean(axis=0)  # any ball that holds the points will do
    assert np.ceil((mt.radius(points - middle) / Delta) ** 2 * (1 - 1e-6)) + 1 >= 3


# --- the chain ---------------------------------------------------------------------------------------------------------


def test_n10_is_broken_by_the_lessons_six_points_unless_they_are_augmented():
    v = middle_of_gap(X6, Y6, [1.0])
    assert v == -0.5
    Delta = mt.geometric_margin(X6, Y6, [1.0], v)
    assert mt.h_mcm(X6, [1.0], v) == 3.5 > mt.radius(X6) / Delta == 3.0 > np.ptp(X6) / 2 / Delta == 2.75
    # by hand: R² = 3² + 1, and the nearest |x - 1/2| = 1 is divided by the length of (1, -1/2)
    assert mt.capacity_chain(X6, [1.0], v).ratio == pytest.approx(np.sqrt(10 * 1.25))


@settings(deadline=None, max_examples=30)
@given(M=st.integers(4, 12), seed=st.integers(0, 10**6), matrix=arrays(float, (2, 2), elements=numbers), shift=numbers)
def test_the_least_h_mcm_does_not_notice_a_change_of_coordinates(M, seed, matrix, shift):
    assume(np.linalg.cond(matrix) < 50)
    X, y = separable_points(M, gap=0.3, seed=seed)
    least, changed = (mt.solve_mcm(Z, y, C=np.inf, sparsity=0.0).h for Z in (X, X @ matrix + shift))
    assert changed == pytest.approx(least, rel=1e-4)


def test_moving_everything_changes_the_ratio_and_not_h_mcm():
    X, _ = stretched_points()
    u, v = unit(35), 0.1
    moved = X + np.array([50.0, 0.0])
    assert mt.h_mcm(moved, u, v - 50 * u[0]) == pytest.approx(mt.h_mcm(X, u, v))
    assert mt.capacity_chain(moved, u, v - 50 * u[0]).ratio > 10 * mt.capacity_chain(X, u, v).ratio


# --- figures -----------------------------------------------------------------------------------------------------------


def test_number_line_measures_the_gap_and_the_interval():
    ax = plots.plot_number_line(X6, Y6)
    assert [text.get_text() for text in ax.texts if text.get_text()] == ["Δ = 1", "R = 2.75"]
    ends = [sorted([text.xy[0], text.xyann[0]]) for text in ax.texts if hasattr(text, "xyann")]
    assert ends == [[-0.5, 0.5], [-0.25, 2.5]], "from the threshold to the nearest point; from the middle to the end"
    minus, plus, threshold, middle = ax.collections
    assert plus.get_offsets()[:, 0].tolist() == [1.5, 2.5] and len(minus.get_offsets()) == 4
    assert threshold.get_offsets()[0, 0] == 0.5 and middle.get_offsets()[0, 0] == -0.25
    shifted = plots.plot_number_line(X6.ravel(), Y6, v=-1.0)
    assert shifted.collections[2].get_offsets()[0, 0] == 1.0
    assert "Δ = 0.5" in [text.get_text() for text in shifted.texts]


def test_ball_slab_and_strip_are_the_lengths_of_the_chain():
    x_hat, u_hat = augment(X6), np.array([1.0, -0.5])
    ax = plots.plot_radius_margin(x_hat, Y6, 3 * u_hat, 0.0)  # the scale of u must not matter
    chain, lines = mt.capacity_chain(X6, [1.0], -0.5), labelled(ax)
    ball = np.transpose(lines[f"ball, R = {chain.R:.3g}"].get_data())
    np.testing.assert_allclose(np.linalg.norm(ball, axis=1), chain.R)
    (slab,) = ax.patches
    np.testing.assert_allclose(np.abs(slab.get_xy() @ u_hat) / np.linalg.norm(u_hat), chain.Delta)
    edges = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert len(edges) == 2
    reach = [abs(np.array(line.get_xy1()) @ u_hat) / np.linalg.norm(u_hat) for line in edges]
    assert reach == pytest.approx([chain.h_mcm * chain.Delta] * 2)
    np.testing.assert_allclose(offsets(ax, 230), x_hat[[3, 4]])  # a tie: both nearest points are ringed
    np.testing.assert_allclose(offsets(ax, 170), x_hat[[0]])
    assert ax.get_aspect() == 1


def test_joints_end_on_the_line_at_a_right_angle():
    X, y = stretched_points()
    u, v = unit(48), -0.1
    ax = plots.plot_radius_margin(X, y, u, v)
    joints = [np.transpose(line.get_data()) for line in ax.lines if len(line.get_xdata()) == 2 and line.get_zorder() == 2
              and not hasattr(line, "_slope_set") and line.get_linewidth() == 2]  # fmt: skip
    assert len(joints) == 2
    for point, foot in joints:
        assert u @ foot + v == pytest.approx(0, abs=1e-12)
        assert abs(np.cross([*(point - foot), 0], [*u, 0])[2]) < 1e-9
    distances = np.abs(X @ u + v)
    assert [np.linalg.norm(p - f) for p, f in joints] == pytest.approx([distances.min(), distances.max()])


def test_two_ways_push_the_slab_out_and_pull_the_ball_in():
    X, y = stretched_points()
    plane = hard_margin(X, y)
    ax = plots.plot_two_ways(X, y, plane.w, plane.b)
    arrows = [(np.array(text.xyann), np.array(text.xy)) for text in ax.texts]
    across = [np.abs(np.array(ends) @ plane.w + plane.b) for ends in arrows[:4]]
    assert len(arrows) == 12
    for start, end in across:
        assert start == pytest.approx(1) and end > 1, "from the edge of the slab outwards"
    for start, end in arrows[4:]:
        assert np.linalg.norm(start) == pytest.approx(mt.radius(X)) and np.linalg.norm(end) < np.linalg.norm(start)
    np.testing.assert_allclose(offsets(ax, 230), X[plane.alpha > 1e-6])


def test_curves_over_the_angles_are_those_of_the_chain():
    X, y = stretched_points()
    degrees = np.array([-80.0, -10.0, 25.0, 35.0, 60.0])
    for shift in (None, 0.1, -2.0):
        h, ratio, separates = over_angles(X, y, degrees, shift)
        for i, angle in enumerate(degrees):
            v = middle_of_gap(X, y, unit(angle)) if shift is None else -shift
            chain = mt.capacity_chain(X, unit(angle), v)
            assert (h[i], ratio[i]) == pytest.approx((chain.h_mcm, chain.ratio))
            assert separates[i] == (mt.geometric_margin(X, y, unit(angle), v) > 0)


def test_angles_picture_marks_the_angle_and_shades_what_separates():
    X, y = stretched_points()
    ax = plots.plot_capacity_angles(X, y, shift=0.1, angle=48.0)
    lines, chain = labelled(ax), mt.capacity_chain(X, unit(48), -0.1)
    assert lines["_h_MCM here"].get_xydata().tolist() == [[48.0, pytest.approx(chain.h_mcm)]]
    assert lines["_R/Δ here"].get_ydata()[0] == pytest.approx(chain.ratio)
    h, ratio = lines["h_MCM"].get_ydata(), lines["R/Δ"].get_ydata()
    assert (h <= ratio).all() and len(h) == len(ANGLES) == 361
    (shade,) = ax.collections
    shaded = np.concatenate([path.vertices[:, 0] for path in shade.get_paths()])
    _, _, separates = over_angles(X, y, ANGLES, 0.1)
    assert (shaded.min(), shaded.max()) == (ANGLES[separates].min(), ANGLES[separates].max())
    on_a_point = float(X[0] @ unit(30))
    marked = labelled(plots.plot_capacity_angles(X, y, shift=on_a_point, angle=30.0))["_h_MCM here"]
    assert marked.get_ydata()[0] == TOP, "infinite, and drawn at the upper edge"


def test_best_angles_marks_the_lowest_of_each_curve():
    X, y = stretched_points()
    lines = labelled(plots.plot_best_angles(X, y))
    assert lines["lowest h_MCM, at 32.5°"].get_ydata()[0] == pytest.approx(np.nanmin(lines["h_MCM"].get_ydata()))
    assert lines["lowest R/Δ, at 40°"].get_ydata()[0] == pytest.approx(np.nanmin(lines["R/Δ"].get_ydata()))
    least = mt.solve_mcm(X, y, C=np.inf, sparsity=0.0).h
    assert least <= np.nanmin(lines["h_MCM"].get_ydata()) <= 1.01 * least
    turned = labelled(plots.plot_best_angles(-X, y))  # class +1 on the other side: other angles separate
    assert "lowest h_MCM, at -147.5°" in turned


def test_the_chain_is_drawn_from_the_square_of_h_mcm_up_to_the_ceiling():
    chains = {s: mt.capacity_chain([[s, 1], [s, -1]], u=[0, 1], v=0) for s in [0, 10, 1000]}
    ax = plots.plot_chain(chains)
    lines = labelled(ax)
    np.testing.assert_allclose(lines["h_MCM²"].get_ydata(), 1)
    np.testing.assert_allclose(lines["(R/Δ)²"].get_ydata(), [2, 102, 1_000_002])  # s² + 1 and the constant feature
    np.testing.assert_allclose(lines["1 + (R/Δ)²"].get_ydata(), [3, 103, 1_000_003])
    arrows = [(note.xyann[1], note.xy[1]) for note in ax.texts if not note.get_text()]
    np.testing.assert_allclose([high / low for low, high in arrows], [chain.beta for chain in chains.values()])
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0", "10", "1000"]
    assert ax.get_ylim() == (1, 1e7)
    with pytest.raises(InvalidInputError, match="through a point"):
        plots.plot_chain({"on a point": mt.capacity_chain([[0.0], [1.0]], u=[1.0], v=0.0)})


def test_figures_draw_into_the_axes_they_are_given_and_refuse_what_they_cannot_draw():
    X, y = stretched_points()
    _, ax = plt.subplots()
    ax.set(xlim=(-9, 9), ylim=(-9, 9))
    assert plots.plot_radius_margin(X, y, [1.0, 0.0], 0.0, ax=ax) is ax and ax.get_xlim() == (-9, 9)
    assert plots.plot_two_ways(X, y, [1.0, 0.0], 0.0, ax=ax) is ax
    for draw in (lambda ax: plots.plot_capacity_angles(X, y, 0.0, ax=ax), lambda ax: plots.plot_best_angles(X, y, ax=ax),
                 lambda ax: plots.plot_number_line(X6, Y6, ax=ax)):  # fmt: skip
        _, ax = plt.subplots()
        assert draw(ax) is ax
    with pytest.raises(InvalidInputError, match="u = 0"):
        plots.plot_radius_margin(X, y, [0.0, 0.0], 1.0)
    with pytest.raises(InvalidInputError, match="2 features"):
        plots.plot_radius_margin(X6, Y6, [1.0, 0.0], 0.0)
    with pytest.raises(InvalidInputError, match="separates"):
        plots.plot_best_angles([[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1])
    with pytest.raises(InvalidInputError, match="one class"):
        plots.plot_number_line([1.0, 2.0], [1, 1])


# --- the panel ---------------------------------------------------------------------------------------------------------


def number(text, before):
    return float(re.search(rf"{re.escape(before)} ?(-?[\d.]*\d)", text)[1])


@settings(deadline=None, max_examples=8)
@given(angle=st.integers(-90, 90), shift=st.integers(-150, 150), stretch=st.sampled_from([0.5, 1.0, 2.0]))
def test_panel_says_what_the_chain_says(angle, shift, stretch):
    X, y = stretched_points(stretch)
    chain = mt.capacity_chain(X, unit(angle), -shift / 50)
    text = panels.draw_capacity(float(angle), shift / 50, stretch).text
    assert number(text, "h_MCM =") == pytest.approx(chain.h_mcm, abs=0.006)
    assert number(text, "R/Delta =") == pytest.approx(chain.ratio, abs=0.006)
    assert number(text, "a beta of") == pytest.approx(chain.beta, abs=0.006)
    assert number(text, "h_MCM =") <= number(text, "R/Delta =")
    wrong = int(np.sum(mt.functional_margins(X, y, unit(angle), -shift / 50) <= 0))
    assert ("The line separates." in text) == (wrong == 0)


def test_panel_does_what_the_lesson_asks_to_try():
    least = "the least of all lines that separate is 4.35"
    near = panels.draw_capacity(32.5, -0.04, 1.0).text
    assert least in near and number(near, "h_MCM =") < 4.45
    far = panels.draw_capacity(33.0, 3.0, 1.0).text
    assert number(far, "h_MCM =") < 4.35 and "wrong about 8 points, so what follows says nothing" in far
    texts = [panels.draw_capacity(35.0, 0.0, stretch).text for stretch in (0.5, 1.0, 2.0)]
    assert all(least in text and "The line separates." in text for text in texts)
    assert len({number(text, "h_MCM =") for text in texts}) == 1
    assert number(texts[0], "R/Delta =") < number(texts[1], "R/Delta =") < number(texts[2], "R/Delta =")


def test_panel_survives_a_line_through_a_point():
    X, _ = stretched_points(1.0)
    text = panels.draw_capacity(0.0, float(X[0, 0]), 1.0).text
    assert "goes through a point" in text and "infinite" in text


def test_panel_starts_at_a_line_that_separates_and_is_not_the_best():
    text = panels.capacity_panel().picture.text
    assert text.startswith("The line separates.") and number(text, "h_MCM =") > 6


# --- the notebook ------------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads((ROOT / "lessons" / "04_radius_over_margin.ipynb").read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    table = np.array([line.split() for line in printed["simplex"].splitlines()[1:]], float)
    k, _, down, up = table.T
    assert (down == np.where(k % 2, k - 1, k)).all() and (up == k).all()
    assert re.search(r"augmented 0 times, unaugmented [1-9]", printed["random"])
    beta = np.array([line.split() for line in printed["beta"].splitlines()[1:]], float)
    assert (beta[:, 1] == 1).all() and (np.diff(beta[:, 4]) > 0).all()
    stretch = np.array([line.split() for line in printed["stretch"].splitlines()[1:]], float)
    assert (stretch[:, 1] == 4.35).all() and (np.diff(stretch[:, 2]) > 0).all()
    sweep, programme = (float(line.split()[-1]) for line in printed["sweep"].splitlines())
    assert programme <= sweep <= programme + 0.002
