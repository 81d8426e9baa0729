"""A kernel approximated by a few features, the machine on these features, and the descent that trains it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from mcmteach import plots
from mcmteach.datasets import load_dataset
from mcmteach.datasets.worlds import spiral_points
from mcmteach.kernels import rbf_kernel
from mcmteach.large_scale.descent import Objective, StochasticDescent
from mcmteach.large_scale.feature_maps import Whitening, make_feature_map
from mcmteach.solvers.solve import solve_mcm
from mcmteach.validation import MatrixLike
from mcmteach.widgets.panel import Panel, ipywidgets
from mcmteach.widgets.picture import Picture, kept_figure, png

M, SEED, C = 120, 3, 1.0
SIZES = (2, 4, 8, 16, 32, 64, 128)
GAMMAS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
PRICES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
MAPS = {"random Fourier": "fourier", "Nyström": "nystroem"}
FLASHES, NEW_FLASHES, COSINES, GAMMA, C_MEAN = 500, 3000, 40, 0.1, 100.0  # of the descent
PASSES = (1, 2, 3, 5, 10, 20, 50, 100, 200)
STEP_SIZES = (0.1, 1.0, 10.0, 100.0)
BATCHES = (8, 32, 125, FLASHES)


class SmallMachine(NamedTuple):
    """An MCM on explicit features of two-dimensional points, as :func:`plots.plot_decision` wants it."""

    feature_map: Any
    w: np.ndarray
    b: float

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        """f(x) = w·z(x) + b."""
        return np.asarray(self.feature_map.transform(X) @ self.w + self.b)

    def error(self, X: MatrixLike, y: np.ndarray) -> float:
        """The share of wrong answers. The answer is +1 where f is positive, else -1, as for every machine of the course."""
        return float(np.mean((self.decision_function(X) > 0) != (y > 0)))


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
    figure, (left, right) = kept_figure(
        830, 400, columns=2, left=0.075, right=0.985, bottom=0.13, top=0.92, wspace=0.16
    )
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
    wrong, new = machine.error(X, y), machine.error(*spiral_points(2000, SEED + 1000))
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
    """How many features, how wide a kernel, what price on the weights."""
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


# --- the descent -------------------------------------------------------------------------------------------------------


class Path(NamedTuple):
    """A descent, pass by pass, for the plane as it is and for the average of planes; and the linear programme's goal."""

    E: np.ndarray  #: the objective, shape (passes, 2)
    wrong: np.ndarray  #: share of new samples, shape (passes, 2)
    optimum: float  #: the linear programme's E
    wrong_there: float  #: its share of new samples


@lru_cache(maxsize=64)
def descent_path(step: float, batch: int, feature_map: str) -> Path:
    """The library's descent on flashes of light, beside the optimum of N(30-33) on the same features."""
    Z, y, Z_new, y_new = _flashes(feature_map)
    descent = StochasticDescent(Objective(C_MEAN), Z, eta0=step)
    descent.horizon = PASSES[-1] * FLASHES / batch
    rng, planes = np.random.default_rng(0), []
    for _ in range(PASSES[-1]):
        descent.run(Z, y, batch, rng)
        planes.append([np.append(descent.w, descent.b), np.append(*descent.plane())])
    best = solve_mcm(Z, y, C_MEAN / FLASHES, 0.0)

    def wrong(planes: Any) -> np.ndarray:
        return np.mean(_margins(Z_new, y_new, planes) <= 0, axis=-1)

    margins = _margins(Z, y, planes)
    E = np.maximum(1, margins.max(axis=-1)) + C_MEAN * np.maximum(0, 1 - margins).mean(axis=-1)
    return Path(E, wrong(planes), best.objective, float(wrong(np.append(best.coef, best.b))))


def _margins(Z: np.ndarray, y: np.ndarray, planes: Any) -> np.ndarray:
    """y_i f(z_i) for planes (w, b) that lie along the last axis."""
    return np.asarray(planes) @ np.column_stack([Z, np.ones(len(Z))]).T * y


@lru_cache(maxsize=2)
def _flashes(feature_map: str) -> tuple[np.ndarray, ...]:
    """Whitened features and labels of the lesson's first flashes, and of new ones."""
    data = load_dataset("magic-gamma")
    rows = np.random.default_rng(0).permutation(len(data.target))[: FLASHES + NEW_FLASHES]
    X, y = data.data[rows], 2.0 * data.target[rows] - 1
    X = (X - X[:FLASHES].mean(axis=0)) / X[:FLASHES].std(axis=0)
    made = make_feature_map(MAPS[feature_map], GAMMA, COSINES, FLASHES, 0).fit(X[:FLASHES])
    Z = made.transform(X)
    Z = Whitening().fit(Z[:FLASHES]).transform(Z)
    return Z[:FLASHES], y[:FLASHES], Z[FLASHES:], y[FLASHES:]


def draw_descent(passes: int, step: float, batch: int, feature_map: str) -> Picture:
    """E on its way to the linear programme's on the left; on the right what that is worth on new samples."""
    path = descent_path(step, batch, feature_map)
    figure, (left, right) = kept_figure(
        830, 400, columns=2, left=0.085, right=0.985, bottom=0.24, top=0.92, wspace=0.22
    )
    plots.plot_convergence(_named(path.E[:passes]), path.optimum, left)
    left.set(ylim=(0.9 * path.optimum, 600))
    left.set_yticks([path.optimum, 100, 200, 500], [f"{path.optimum:.0f}", "100", "200", "500"])
    plots.plot_learning(_named(path.wrong[:passes]), path.wrong_there, right)
    right.set(ylim=(0, 0.52), yticks=[0, 0.1, 0.2, 0.3, 0.4, 0.5])
    for ax, title in ((left, "the objective"), (right, "wrong about new flashes")):
        ax.set(xlim=(0.95, PASSES[-1]))
        ax.set_xticks([1, 10, 100], ["1", "10", "100"])
        ax.set_title(title, y=1.01)
        ax.get_legend().remove()
    lines, _ = left.get_legend_handles_labels()
    names = ["the plane as it is", "the average of planes", "the linear programme"]
    figure.legend(lines, names, loc="lower center", ncols=3, frameon=False)
    return Picture(png(figure), _descent_text(path, passes, batch))


def _named(curves: np.ndarray) -> dict[str, np.ndarray]:
    return dict(zip(("as it is", "average"), curves.T, strict=True))


def _descent_text(path: Path, passes: int, batch: int) -> str:
    last, average = path.E[passes - 1] / path.optimum - 1
    steps = passes * -(-FLASHES // batch)
    return (
        f"After about {steps} step{'s' * (steps > 1)} of {batch} samples the plane as it is lies {last:.0%} above the "
        f"linear programme's optimum, {path.optimum:.1f}, and the average of planes {average:.0%}.\n"
        f"The average is wrong about {path.wrong[passes - 1, 1]:.1%} of {NEW_FLASHES} new flashes, the linear programme about "
        f"{path.wrong_there:.1%}."
    )


def descent_panel() -> Panel:
    """How many passes, how long a step, how many samples at a time."""
    controls = {
        "passes": ipywidgets.SelectionSlider(options=PASSES, value=20, description="passes (number)"),
        "step": ipywidgets.SelectionSlider(options=STEP_SIZES, value=10.0, description="first step (eta0)"),
        "batch": ipywidgets.SelectionSlider(options=BATCHES, value=32, description="batch (samples)"),
        "feature_map": ipywidgets.Dropdown(options=list(MAPS), description="feature map"),
    }
    alt = (
        "Left: the objective after each pass over the data, for the plane as it is and for the average of planes, and the "
        "linear programme's optimum as a dashed line. Right: the share of new samples that the average gets wrong, pass by "
        "pass, and the linear programme's as a dashed line."
    )
    return Panel(draw_descent, controls, title="Downhill, batch by batch", alt=alt, width=830, height=400)
