"""Lesson 12: a kernel rebuilt from a few features, and the machine that lives on them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from mcmteach import plots
from mcmteach.feature_maps import make_feature_map
from mcmteach.kernels import rbf_kernel
from mcmteach.lp import solve_mcm
from mcmteach.simulate import spiral_points
from mcmteach.widgets import Panel, Picture, ipywidgets, new_figure, png

M, SEED, C = 120, 3, 1.0
SIZES = (2, 4, 8, 16, 32, 64, 128)
GAMMAS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
PRICES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
MAPS = {"random Fourier": "fourier", "Nyström": "nystroem"}


class SmallMachine(NamedTuple):
    """An MCM on explicit features of two-dimensional points, as :func:`plots.plot_decision` wants it."""

    feature_map: Any
    w: np.ndarray
    b: float

    def decision_function(self, X: Any) -> np.ndarray:
        """f(x) = w·z(x) + b."""
        return np.asarray(self.feature_map.transform(X) @ self.w + self.b)


@lru_cache(maxsize=256)
def small_machine(features: int, gamma: float, price: float, feature_map: str) -> SmallMachine:
    """The linear programme N(30-33) on explicit features, with a price on ||w||_1; solved once for each state."""
    X, y = spiral_points(M, SEED)
    made = make_feature_map(MAPS[feature_map], gamma, features, M, 0).fit(X)
    plane = solve_mcm(made.transform(X), y, C, price)
    return SmallMachine(made, plane.coef, plane.b)


def draw_large_scale(features: int, gamma: float, price: float, feature_map: str) -> Picture:
    """The kernel and what its features make of it on the left; the machine on these features on the right."""
    X, y = spiral_points(M, SEED)
    machine = small_machine(features, gamma, price, feature_map)
    Z = machine.feature_map.transform(X)
    figure, (left, right) = new_figure(830, 400, columns=2, left=0.075, right=0.985, bottom=0.13, top=0.92, wspace=0.16)
    plots.plot_approximation(X[:40], Z[:40], gamma, left)
    left.set(xlim=(0, 2.8), ylim=(-1.05, 2.05), xticks=[0, 1, 2], yticks=[-1, 0, 1, 2])
    left.legend(loc="upper right")
    left.set_title(f"the kernel, from {Z.shape[1]} features", y=1.01)
    plots.plot_decision(machine, X, y, right, support=False, points=70)
    right.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    right.set_title("the MCM on these features", y=1.01)
    return Picture(png(figure), _text(X, y, Z, machine, gamma, feature_map))


def _text(X: np.ndarray, y: np.ndarray, Z: np.ndarray, machine: SmallMachine, gamma: float, feature_map: str) -> str:
    error = float(np.sqrt(np.mean((Z @ Z.T - rbf_kernel(X, X, gamma)) ** 2)))
    wrong = float(np.mean(y * machine.decision_function(X) <= 0))
    X_new, y_new = spiral_points(2000, SEED + 1000)
    new = float(np.mean(y_new * machine.decision_function(X_new) <= 0))
    kept, D = int(np.count_nonzero(machine.w)), Z.shape[1]
    if kept == 0:
        size = "The price is too high: all weights are zero, and the answer is always the same."
    elif feature_map == "Nyström":
        size = f"Weights that are not zero: {kept} of {D}; but each mixes all landmarks, so all {D} must be kept: "
        size += f"{4 * (D * 3 + 1)} bytes."
    else:
        size = f"Weights that are not zero: {kept} of {D}. Two frequencies, a phase and a weight for each, and b: "
        size += f"{4 * (kept * 4 + 1)} bytes."
    return (
        f"{feature_map}, {D} features: kernel values are off by {error:.3f} (root mean square).\n"
        f"Wrong about {wrong:.1%} of the {len(y)} points, and about {new:.1%} of new points.\n{size}"
    )


def large_scale_panel() -> Panel:
    """Lesson 12: how many features, how wide a kernel, what price on the weights."""
    controls = {
        "features": ipywidgets.SelectionSlider(options=SIZES, value=32, description="features D (number)"),
        "gamma": ipywidgets.SelectionSlider(options=GAMMAS, value=3.0, description="gamma (1/distance²)"),
        "price": ipywidgets.SelectionSlider(options=PRICES, value=0.1, description="price s (per weight)"),
        "feature_map": ipywidgets.Dropdown(options=list(MAPS), description="feature map"),
    }
    alt = (
        "Left: the kernel as a curve over the distance, and for each pair of points the product of their features as a dot. "
        "Right: two spirals of points and the boundary of the machine that was learnt on these features."
    )
    return Panel(draw_large_scale, controls, title="A kernel in your hand", alt=alt, width=830, height=400)
