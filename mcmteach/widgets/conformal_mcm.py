"""The MCM before and after its kernel was bent, on two measurements of wheat grains."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

import numpy as np

from mcmteach import plots
from mcmteach.conformal_mcm import ConformalMCMClassifier
from mcmteach.datasets import Part, load_dataset, make_parts
from mcmteach.errors import MCMWarning
from mcmteach.widgets.panel import Panel, ipywidgets
from mcmteach.widgets.picture import Picture, kept_figure, png

MEASUREMENTS = ("asymmetry coefficient", "length of kernel groove")
NAMES = ("Kama", "Rosa")
GAMMAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
CS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0)


@lru_cache(maxsize=1)
def _parts() -> list[Part]:
    """Five folds of the two measurements, each standardised by its training part."""
    seeds = load_dataset("seeds")
    columns = [list(seeds.feature_names).index(name) for name in MEASUREMENTS]
    return make_parts(seeds.data[:, columns], seeds.target, folds=5, seed=0)


@lru_cache(maxsize=256)
def _machine(gamma: float, gamma_c: float, C: float, fold: int) -> ConformalMCMClassifier:
    part = _parts()[fold - 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MCMWarning)  # the readout says it in words
        return ConformalMCMClassifier(gamma=gamma, gamma_c=gamma_c, C=C).fit(part.X, part.y)


def draw_conformal_mcm(gamma: float, gamma_c: float, C: float, fold: int) -> Picture:
    """The basic machine and its support vectors on the left; on the right the factor c and the machine that it leads to."""
    part, machine = _parts()[fold - 1], _machine(gamma, gamma_c, C, fold)
    figure, (left, right) = kept_figure(830, 400, columns=2, left=0.06, right=0.985, bottom=0.125, wspace=0.13)
    plots.plot_decision(machine.basic_, part.X, part.y, left, NAMES, points=60)
    left.set_title(f"before: {_count(machine.basic_.n_support_)}", y=1.01)
    plots.plot_conformal_machine(machine, part.X, part.y, right, NAMES, points=60)
    right.set_title("after: c > 0 green, c < 0 brown", y=1.01)
    for ax in (left, right):
        ax.set(xlabel="asymmetry (standard deviations)")
    left.set_ylabel("groove length (standard deviations)", labelpad=2)
    left.legend(
        left.collections[-3:-1] if machine.basic_.n_support_ else left.collections[-2:], NAMES, loc="lower right"
    )
    return Picture(png(figure), _machine_text(machine, part))


def _count(n: int) -> str:
    return f"{n} support vector{'s' * (n != 1)}"


def _machine_text(machine: ConformalMCMClassifier, part: Part) -> str:
    lines = [
        _scores("Before", machine.basic_, machine.J_before_, part),
        _scores("After", machine, machine.J_after_, part),
    ]
    if not machine.map_used_:
        return "\n".join([*lines, "The first machine has no support vectors, so there are no cores and no map: c = 1."])
    agree = np.mean(np.sign(machine.c_) == part.y)
    return "\n".join([
        *lines,
        f"c runs from {machine.c_.min():z.2f} to {machine.c_.max():z.2f} on the training part. "
        f"Its sign alone tells the classes apart in {max(agree, 1 - agree):.1%} of it.",
    ])  # fmt: skip


def _scores(when: str, machine: Any, J: float, part: Part) -> str:
    return (
        f"{when}: J = {J:.3f}, {_count(machine.n_support_)}; right on {machine.score(part.X, part.y):.1%} of the training "
        f"part and on {machine.score(part.X_test, part.y_test):.1%} of the {len(part.y_test)} held-out grains."
    )


def conformal_mcm_panel() -> Panel:
    """Change the kernels' widths and the price of slack; see both machines, the factor and the accuracies."""
    controls = {
        "gamma": ipywidgets.SelectionSlider(options=GAMMAS, value=1.0, description="gamma (1/distance²)"),
        "gamma_c": ipywidgets.SelectionSlider(options=GAMMAS, value=1.0, description="gamma_c (1/distance²)"),
        "C": ipywidgets.SelectionSlider(options=CS, value=1.0, description="C (price of slack)"),
        "fold": ipywidgets.IntSlider(1, 1, 5, description="held-out fifth (number)"),
    }
    alt = (
        "Left: the training grains by asymmetry and groove length, the basic MCM's boundary, its support vectors ringed. "
        "Right: the factor c(x), green where positive, brown where negative, and the boundary of the MCM on the new kernel."
    )
    return Panel(draw_conformal_mcm, controls, title="Before and after the map", alt=alt, width=830, height=400)
