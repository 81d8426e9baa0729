"""The best factor c(x) as a map, and what it does to J on the training data and on new data."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mcmteach import plots
from mcmteach.conformal import ConformalMap, optimal_map
from mcmteach.datasets.worlds import clouds
from mcmteach.fisher import kernel_fisher_scalar
from mcmteach.kernels import rbf_kernel
from mcmteach.widgets.panel import Panel, ipywidgets
from mcmteach.widgets.picture import Picture, kept_figure, png

WORLD = {"spread": 0.6, "arrangement": "cross"}
X, Y = clouds(60, seed=0, **WORLD)  # type: ignore[arg-type]
X_NEW, Y_NEW = clouds(200, seed=1000, **WORLD)  # type: ignore[arg-type]
GAMMAS = (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
WIDTHS = (0.03125, 0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
RIDGES = (0.0, 0.001, 0.1, 1.0, 100.0)


class Curves(NamedTuple):
    """The best map for every width of the bumps, and what becomes of J."""

    maps: list[ConformalMap]
    training: list[float]
    new: list[float]
    before: tuple[float, float]


@lru_cache(maxsize=64)
def best_maps(gamma: float, cores: int, D: float) -> Curves:
    """The maps of N(41) for every gamma_c, with J on the training data and on new data."""
    K, K_new = rbf_kernel(X, gamma=gamma), rbf_kernel(X_NEW, gamma=gamma)
    maps = [optimal_map(K, Y, X, X[:cores], gamma_c, D) for gamma_c in WIDTHS]
    training = [kernel_fisher_scalar(K, Y, c(X)) for c in maps]
    new = [kernel_fisher_scalar(K_new, Y_NEW, c(X_NEW)) for c in maps]
    return Curves(maps, training, new, (kernel_fisher_scalar(K, Y), kernel_fisher_scalar(K_new, Y_NEW)))


def draw_separability(gamma: float, gamma_c: float, cores: int, D: float) -> Picture:
    """c(x) as a map on the left; J with the best maps of all widths, on training and on new data, on the right."""
    curves, here = best_maps(gamma, cores, D), WIDTHS.index(gamma_c)
    figure, (left, right) = kept_figure(830, 430, columns=2, left=0.045, right=0.985, bottom=0.2, top=0.92, wspace=0.17)
    left.set(xlim=(-2.7, 2.7), ylim=(-2.7, 2.7), xticks=[-2, 0, 2], yticks=[-2, 0, 2])
    plots.plot_factor(curves.maps[here], X, Y, left, X[:cores], ["class −1", "class +1"])
    left.set_title("c(x): green +, brown −, 0 on the line", y=1.01)
    plots.plot_fisher_widths(WIDTHS, curves.training, curves.new, curves.before, here, right)
    right.set_title("J with the best c (dotted: c = 1)", y=1.01)
    for ax, depth in ((left, -0.06), (right, -0.13)):
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, depth), ncols=3, frameon=False)
    return Picture(png(figure), _separability_text(curves, here))


def _separability_text(curves: Curves, here: int) -> str:
    c = curves.maps[here]
    seen, unseen = np.mean(np.sign(c(X)) == Y), np.mean(np.sign(c(X_NEW)) == Y_NEW)
    if seen < 0.5:  # c and -c are the same map: turn it the way the training data want it
        seen, unseen = np.mean(np.sign(c(X)) == -Y), np.mean(np.sign(c(X_NEW)) == -Y_NEW)
    verdict = "more than without a map" if curves.new[here] > curves.before[1] else "less than without a map"
    return (
        f"Training data: J {curves.before[0]:.3f} without a map, {curves.training[here]:.3f} with the best c.\n"
        f"New data: J {curves.before[1]:.3f} without a map, {curves.new[here]:.3f} with that c, {verdict}.\n"
        f"The sign of c is the class of {seen:.0%} of the training data, and of {unseen:.0%} of the new data."
    )


def separability_panel() -> Panel:
    """Choose gamma, gamma_c, the cores and D, and watch J rise on the training data; and on new data?"""
    controls = {
        "gamma": ipywidgets.SelectionSlider(options=GAMMAS, value=0.25, description="gamma (1/distance²)"),
        "gamma_c": ipywidgets.SelectionSlider(options=WIDTHS, value=0.5, description="gamma_c (1/distance²)"),
        "cores": ipywidgets.IntSlider(10, 1, 60, description="cores (number)"),
        "D": ipywidgets.SelectionSlider(options=RIDGES, value=0.001, description="D (added to W₀)"),
    }
    alt = (
        "Left: the factor c(x) as a map in green and brown, with points of two classes in four clouds, the cores ringed and a "
        "line where c is 0. Right: J with the best map on training and on new data against the width of the bumps."
    )
    return Panel(draw_separability, controls, title="The best c, and new data", alt=alt, width=830, height=430)
