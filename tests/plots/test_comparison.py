"""The figures of mcmteach.plots.comparison by what is in them: artists, levels, labels."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from mcmteach import plots
from mcmteach.errors import InvalidInputError
from mcmteach.paper import TABLE2, peep_at_noise, signed_rank
from mcmteach.paper.equivalence import MeanRanks


def test_differences_are_sorted_and_marked_by_who_wins():
    ax = plots.plot_differences(["a", "b", "c", "d"], [70, 80, 90, 60], [71, 78, 90, 55], labels=("new", "old"))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["d", "b", "c", "a"]
    wins, losses, ties = (np.asarray(c.get_offsets()) for c in ax.collections[1:])
    np.testing.assert_allclose(wins, [[0, 5], [1, 2]])
    np.testing.assert_allclose(losses, [[3, -1]])
    np.testing.assert_allclose(ties, [[2, 0]])
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["new better: 2", "old better: 1", "equal: 1"]
    assert len({tuple(c.get_facecolor()[0]) for c in ax.collections[1:]}) == 3
    assert len({c.get_paths()[0].vertices.shape for c in ax.collections[1:]}) == 3, "markers differ too"


def test_demsars_diagram_joins_what_is_not_told_apart():
    found = MeanRanks({"c": 3.0, "a": 1.2, "b": 1.8}, 0.9)
    ax = plots.plot_critical_difference(found)
    assert [text.get_text() for text in ax.texts][:3] == ["a 1.20", "b 1.80", "c 3.00"]
    (bar,) = [
        line for line in ax.lines if line.get_linewidth() == 4
    ]  # c is further from b than the critical difference
    assert bar.get_xdata() == pytest.approx([1.16, 1.84])
    (unit,) = [line for line in ax.lines if line.get_marker() == "|"]
    assert np.ptp(unit.get_xdata()) == pytest.approx(0.9)


def test_names_in_demsars_diagram_stand_left_and_right_and_lines_do_not_cross():
    ax = plots.plot_critical_difference(MeanRanks({"a": 1.5, "b": 2.1, "c": 2.2, "d": 3.9}, 1.0))
    lines = {text.get_text()[0]: line for text, line in zip(ax.texts[:4], ax.lines[:4], strict=True)}
    depth = {name: float(line.get_ydata()[-1]) for name, line in lines.items()}
    assert depth["a"] > depth["b"] and depth["d"] > depth["c"], "the outer names hang higher"
    assert [text.get_ha() for text in ax.texts[:4]] == ["right", "right", "left", "left"]


def test_gains_show_every_set_twice_and_both_medians():
    ax = plots.plot_gains({"no price": ([2.0, 5.0, 3.0], [-1.0, 1.0, 0.5]), "price": ([1.0], [0.0])})
    by_test, by_validation = (np.asarray(c.get_offsets())[:, 1] for c in ax.collections[:4:2])
    assert by_test.tolist() == [2, 5, 3] and by_validation.tolist() == [-1, 1, 0.5]
    assert [text.get_text() for text in ax.texts] == ["+3.00", "+0.50", "+1.00", "+0.00"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["no price", "price"]
    joined = [line for line in ax.lines if len(line.get_xdata()) == 2 and line.get_alpha()]
    assert [list(line.get_ydata()) for line in joined] == [[2, -1], [5, 1], [3, 0.5], [1, 0]]


def test_reshuffles_have_a_box_with_its_median_and_a_dot_for_every_score():
    scores = {"best score": [0.9, 0.8, 0.85, 0.8], "nested": [0.8, 0.7, 0.72, 0.75]}
    ax = plots.plot_reshuffles(scores)
    medians = [line.get_ydata()[0] for line in ax.lines if line.get_linewidth() == 2]
    assert medians == pytest.approx([82.5, 73.5])
    dots = [sorted(np.asarray(c.get_offsets())[:, 1]) for c in ax.collections]
    assert dots == [pytest.approx(sorted(100 * np.array(one))) for one in scores.values()]
    assert all(abs(np.asarray(c.get_offsets())[:, 0] - i).max() < 0.2 for i, c in enumerate(ax.collections, 1))


def test_every_difference_needs_a_name():
    with pytest.raises(InvalidInputError, match="one name to each"):
        plots.plot_differences(["a"], [1.0, 5.0], [0.0, 0.0])


def test_signed_ranks_show_the_sums_of_the_test():
    d = np.array([row.conformal.mean - row.mcm.mean for row in TABLE2[6:14]])
    ax = plots.plot_signed_ranks(d)
    test = signed_rank(d, 0 * d)
    assert ax.get_title() == f"ranks of wins: 2 + 3 + 4 + 6 + 7 = 22, of losses: 1 + 5 = {test.W:g}"
    assert [text.get_text() for text in ax.texts] == list("1234567")
    wins, losses = (np.asarray(c.get_offsets()) for c in ax.collections[1:])
    assert sorted([*wins[:, 1], *losses[:, 1]]) == pytest.approx(sorted(d[d != 0]))
    assert [text.get_text() for text in plots.plot_signed_ranks([2.0, -2.0, 5.0]).texts] == ["1.5", "1.5", "3"]
    with pytest.raises(InvalidInputError, match="nothing to rank"):
        plots.plot_signed_ranks([0.0, 0.0])


def test_peeped_shows_both_accuracies_and_their_means():
    found = peep_at_noise(22, 30, 27)
    ax = plots.plot_peeped(found.best, found.fresh)
    best, fresh = (np.asarray(c.get_offsets())[:, 1] for c in ax.collections[1:])
    order = np.argsort(-found.best, kind="stable")
    np.testing.assert_allclose(best, found.best[order])
    np.testing.assert_allclose(fresh, found.fresh[order])
    assert [line.get_ydata()[0] for line in ax.lines] == pytest.approx([found.best.mean(), found.fresh.mean()])


def test_figures_draw_into_the_axes_they_are_given():
    _, ax = plt.subplots()
    assert plots.plot_differences(["a"], [1.0], [0.0], ax=ax) is ax
    assert plots.plot_signed_ranks([1.0, -2.0], ax=ax) is ax
    assert plots.plot_peeped([0.6], [0.5], ax=ax) is ax
    assert plots.plot_expected_best([1, 2], [30], ax=ax) is ax
    assert len(plt.get_fignums()) == 1


def test_pareto_fills_what_none_beats_and_leaves_out_an_unknown_size():
    ax = plots.plot_pareto(["a", "b", "tree"], [0.9, 0.8, 0.7], [100, 200, np.nan], [0.01, 0.02, 0.03], best=["a"])
    marks = [bars.lines[0] for bars in ax.containers]
    assert [line.get_xdata()[0] for line in marks[:2]] == [100, 200] and np.isnan(marks[2].get_xdata()[0])
    assert [line.get_ydata()[0] for line in marks] == [90, 80, 70]
    assert marks[0].get_markerfacecolor() == marks[0].get_color() and marks[1].get_markerfacecolor() == "white"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "tree, size not known"]
