"""Choose the best setting on the test fold, where a coin tossed the labels."""

from __future__ import annotations

import numpy as np

from mcmteach import plots
from mcmteach.paper.choosing_on_test import expected_best, peep_at_noise
from mcmteach.paper.wilcoxon import signed_rank
from mcmteach.widgets.panel import Panel, ipywidgets
from mcmteach.widgets.picture import Picture, kept_figure, png

SETTINGS = (1, 2, 3, 5, 8, 12, 22, 50, 100, 200)
FOLD_SIZES = (10, 20, 30, 50, 100, 200, 500, 1000)


def draw_peeping(settings: int, samples: int, sets: int, seed: int) -> Picture:
    """On the left each set's chosen setting, where it was chosen and on new samples; on the right what to expect."""
    found = peep_at_noise(settings, samples, sets, seed=seed)
    figure, (left, right) = kept_figure(830, 400, columns=2, left=0.075, right=0.985, bottom=0.24, wspace=0.22)
    plots.plot_peeped(found.best, found.fresh, ax=left)
    left.set_title("the chosen setting, set by set", y=1.01)
    left.set_xticks([1, sets] if sets > 1 else [1])
    plots.plot_expected_best(np.array(SETTINGS), [samples], ax=right)
    expected = expected_best(settings, samples)
    right.plot(
        [settings], [expected], "o", color=plots.BLACK, markersize=9, label=f"{settings} setting{'s' * (settings > 1)}"
    )
    right.set_xscale("log")
    right.set_xticks([1, 3, 12, 50, 200], ["1", "3", "12", "50", "200"])
    right.set_xticks([], minor=True)
    right.set_title("what to expect from the best", y=1.01)
    for ax in (left, right):
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False, handletextpad=0.4)
        ax.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0] if ax is left else [0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
    return Picture(png(figure), _text(settings, samples, sets, expected, found))


def _text(settings: int, samples: int, sets: int, expected: float, found: tuple) -> str:
    best, fresh, first = (100 * np.asarray(column) for column in found)
    test = signed_rank(best, first)
    chosen = "the only setting" if settings == 1 else f"the best of {settings} settings"
    over = f"mean over {sets} sets" if sets > 1 else "one set"
    text = (
        f"Every label is a coin toss. On its test fold of {samples} samples {chosen} shows {best.mean():.1f} % "
        f"({over}; to be expected: {100 * expected:.1f} %).\n"
        f"On {samples} new samples the same setting shows {fresh.mean():.1f} %: "
    )
    if settings == 1:
        return text + "nothing was chosen, so both estimate the same, and differ by chance."
    return (
        f"{text}the gain came from choosing.\n"
        f"Best on the test fold against the first setting tried: better on {test.wins} of {sets} set{'s' * (sets > 1)}, never "
        f"worse; Wilcoxon's p = {test.p:.2g}{', significant' if test.p < 0.05 else ''}."
    )


def peeping_panel() -> Panel:
    """How far the accuracy of the best rises where it was chosen, on pure noise, beside that on new samples."""
    controls = {
        "settings": ipywidgets.SelectionSlider(options=SETTINGS, value=22, description="settings tried (number)"),
        "samples": ipywidgets.SelectionSlider(options=FOLD_SIZES, value=30, description="test fold (samples)"),
        "sets": ipywidgets.IntSlider(27, 1, 60, description="data sets (number)"),
        "seed": ipywidgets.IntSlider(0, 0, 20, description="toss again (seed)"),
    }
    alt = (
        "Left: for each data set a triangle, the accuracy of the best setting on its test fold, joined to a circle, its "
        "accuracy on new samples; both means dashed. Right: the accuracy to be expected of the best, rising with the "
        "number of settings from one half."
    )
    return Panel(
        draw_peeping,
        controls,
        title="Choose where there is nothing to learn",
        alt=alt,
        width=830,
        height=400,
    )
