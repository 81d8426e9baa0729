"""The regression machine: C across its switch, epsilon, and the price that mends it."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

import numpy as np

from mcmteach import plots
from mcmteach.datasets.worlds import wave, wave_numbers
from mcmteach.errors import CertificateWarning
from mcmteach.regression import MCMRegressor, NoAnswerWarning
from mcmteach.widgets.panel import Panel, ipywidgets
from mcmteach.widgets.picture import Picture, kept_figure, png

SAMPLE: dict[str, Any] = {"M": 24, "noise": 0.15, "seed": 3}  # of the world of wave numbers: the lesson's own
GAMMA = 40.0
SHARES = (0.1, 0.3, 0.9, 1.1, 3, 10, 48)  # C in units of 1/(2M)
EPSILONS = (0.01, 0.1, 0.2, 0.3, 0.6, 1.2)
PRICES = (0, 0.01, 0.03, 0.1, 0.3, 1, 3)


@lru_cache(maxsize=1000)
def _fit(share: float, epsilon: float, sparsity: float) -> MCMRegressor:
    X, y = wave_numbers(**SAMPLE)
    with warnings.catch_warnings():  # what they say, the readout says
        warnings.simplefilter("ignore", CertificateWarning)
        warnings.simplefilter("ignore", NoAnswerWarning)
        C = share / (2 * len(y))
        return MCMRegressor(C=C, epsilon=epsilon, gamma=GAMMA, sparsity=sparsity, solver="linprog").fit(X, y)


def new_error(machine: MCMRegressor) -> float:
    """The root mean square distance of the answers from the wave itself, over the places of the world."""
    x = np.linspace(-1, 1, 401)
    return float(np.sqrt(np.mean((machine.predict(x[:, None]) - wave(x)) ** 2)))


def draw_regression(share: float, epsilon: float, sparsity: float) -> Picture:
    """The answer and its tube on the left; on the right p times epsilon for every C of the slider."""
    X, y = wave_numbers(**SAMPLE)
    machine = _fit(share, epsilon, sparsity)
    figure, (left, right) = kept_figure(830, 420, columns=2, left=0.09, right=0.985, wspace=0.22, bottom=0.14)
    plots.plot_tube(machine, X[:, 0], y, left, truth=wave)
    left.set(xlim=(-1.08, 1.08), ylim=(-1.05, 1.25))
    left.legend(loc="upper left", ncols=2, framealpha=0.9)
    n = machine.n_support_
    left.set_title(
        f"{n} support vector{'s' * (n != 1)} (ringed) of {len(y)}" if machine.p_ else "no answer: the median"
    )
    weights = [_fit(other, epsilon, sparsity).p_ * epsilon for other in SHARES]
    plots.plot_switch(SHARES, weights, (share, machine.p_ * epsilon), right)
    right.legend(loc="lower right", framealpha=0.9)
    right.set_title(f"p = {machine.p_:.2f}")
    return Picture(png(figure), f"C = {share:g}/(2M), epsilon = {epsilon:g}. {_text(machine, X, y)}")


def _text(machine: MCMRegressor, X: np.ndarray, y: np.ndarray) -> str:
    proof, worst = machine.certificate_, float(np.abs(machine.predict(X) - y).max())
    proved = "proved optimal" if proof.proves_optimal() else f"at most {proof.gap:.0e} of it above the optimum"
    cost = f"Objective {machine.objective_:.3f} ({proved}), of which h = {abs(machine.h_):.3f}."
    error = f"Root mean square error against the truth: {new_error(machine):.3f}."
    if machine.p_ == 0:
        return (
            f"p = 0: no answer, and the machine predicts the median. Slack is cheaper than any curve.\n{cost} {error}"
        )
    kept = f"p = {machine.p_:.3f}, so the tube is ±{machine.tube_:.3f}. {machine.n_support_} support vectors."
    heart = " Every number is interpolated: it has learnt the sample by heart." if worst < 1e-4 else ""
    return f"{kept} Largest residual {worst:.3f}.\n{cost} {error}{heart}"


def regression_panel() -> Panel:
    """C across the switch, epsilon and the price on the coefficients."""
    controls = {
        "share": ipywidgets.SelectionSlider(options=SHARES, value=1.1, description="C in units of 1/(2M)"),
        "epsilon": ipywidgets.SelectionSlider(options=EPSILONS, value=0.3, description="epsilon (unit of y)"),
        "sparsity": ipywidgets.SelectionSlider(options=PRICES, value=0, description="sparsity (price on λ)"),
    }
    alt = (
        "Left: 24 numbers along a wave, the regression machine's answer with its tube, support vectors ringed. Right: p times "
        "epsilon against C in units of one over twice the number of samples, with the present C marked."
    )
    return Panel(draw_regression, controls, title="The switch, and a price", alt=alt, width=830, height=420)
