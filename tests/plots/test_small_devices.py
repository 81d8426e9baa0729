"""The figures of mcmteach.plots.small_devices by what is in them: artists, labels, marks."""

import matplotlib.pyplot as plt
import pytest

from mcmteach import plots


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def test_sizes_are_joined_where_there_are_several_and_devices_are_marked():
    ax = plots.plot_sizes({"MCM": ([600, 2000], [0.2, 0.15]), "SVC": (35_000, 0.14)}, {"2 KB": 2048})
    mcm, svc, memory = ax.lines
    assert list(mcm.get_xdata()) == [600, 2000] and mcm.get_linestyle() == "-" and svc.get_linestyle() == "None"
    assert mcm.get_marker() != svc.get_marker() and list(memory.get_xdata()) == [2048, 2048]
    assert ax.texts[0].get_text().strip() == "2 KB"
    low, high = ax.get_xlim()
    assert low < 600 and high > 35_000
    assert len(plots.plot_sizes({"one": (100, 0.1)}, {}).lines) == 1


def test_intervals_are_drawn_and_no_machine_is_left_out():
    machines = {f"machine {i}": (100 * (i + 1), 0.1, 0.02) for i in range(7)}
    ax = plots.plot_sizes(machines, {})
    assert len(ax.get_legend_handles_labels()[1]) == 7 and len(ax.containers) == 7
    assert len({line.get_marker() for line in ax.lines if line.get_label().startswith("machine")}) == 7


def test_bits_are_marked_and_both_comparisons_are_dashed():
    _, given = plt.subplots()
    ax = plots.plot_bits([2, 4, 8], [0.3, 0.2, 0.2], [0.4, 0.35, 0.5], 0.19, 0.38, 4, given)
    assert ax is given
    bound, constant, wrong, exact, here = ax.lines
    assert list(bound.get_ydata()) == [0.4, 0.35, 0.5] and list(wrong.get_ydata()) == [0.3, 0.2, 0.2]
    assert [line.get_ydata()[0] for line in (constant, exact)] == [0.38, 0.19]
    assert {line.get_linestyle() for line in (constant, exact)} == {"--"}
    assert [tick.get_text() for tick in ax.get_xticklabels()][int(here.get_xdata()[0])] == "4"
