"""The soft margin, and the ways down to it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mcmteach import plots
from mcmteach.datasets.worlds import noisy_points
from mcmteach.svm import (
    History,
    Plane,
    descent,
    slack,
    smooth_margin,
    smooth_svm_objective,
    soft_margin,
    soft_margin_objective,
)
from mcmteach.widgets.panel import Panel, ipywidgets
from mcmteach.widgets.picture import Picture, kept_figure, png

SAMPLE = {"M": 40, "seed": 26}  # of the world of noisy_points: the sample that the lesson looks at
FRAME = {"xlim": (-2.9, 4.3), "ylim": (-3.1, 4.1), "xticks": [-2, 0, 2, 4], "yticks": [-2, 0, 2, 4]}
STEPS = 300
CS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
STEP_SIZES = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
#: What the panel calls the methods of :func:`mcmteach.svm.descent`
METHODS = {"subgradient, constant step": "constant", "subgradient, falling step": "falling", "smooth": "smooth"}


@lru_cache(maxsize=256)
def _lowest(C: float, noise: float, smooth: bool) -> tuple[Plane, float]:
    """The plane at which a method ends, if it ends, and the objective there."""
    X, y = noisy_points(noise=noise, **SAMPLE)
    plane = smooth_margin(X, y, C, tol=1e-9) if smooth else soft_margin(X, y, C)
    objective = smooth_svm_objective if smooth else soft_margin_objective
    return plane, objective(X, y, plane.w, plane.b, C)


def draw_soft_margin(C: float, noise: float, rho: float, method: str, k: int) -> Picture:
    """The line after k steps, with the slack that it costs, on the left; on the right, the way down."""
    X, y = noisy_points(noise=noise, **SAMPLE)
    way = descent(X, y, C, rho, STEPS, METHODS[method])
    end, minimum = _lowest(C, noise, METHODS[method] == "smooth")
    figure, (left, right) = kept_figure(830, 430, columns=2, left=0.04, right=0.98, bottom=0.12, wspace=0.33)
    left.set(**FRAME)
    plots.plot_slack(X, y, way.w[k], way.b[k], left)
    left.set_title(f"the line after step {k}" if way.w[k].any() else "no line yet: w = 0, b = 0", y=1.01)
    plots.plot_descent({method: way.objective}, minimum, right, at=k)
    right.yaxis.set_label_coords(-0.19, 0.5)
    right.set_title("smooth objective" if METHODS[method] == "smooth" else "objective E", y=1.01)
    return Picture(png(figure), _soft_margin_text(X, y, way, k, end, minimum))


def _soft_margin_text(X: np.ndarray, y: np.ndarray, way: History, k: int, end: Plane, minimum: float) -> str:
    E, q = way.objective, slack(X, y, way.w[k], way.b[k])
    wrong = int((y * (X @ way.w[k] + way.b[k]) <= 0).sum())
    norm = float(np.linalg.norm(way.w[k]))
    margin = f"1/||w|| = {1 / norm:.3f}" if norm > 0 else "infinite, as w = 0"
    near = np.flatnonzero(E / minimum <= 1.01)
    arrived = f"reached at step {near[0]}" if len(near) else f"not reached in {STEPS} steps"
    return (
        f"After step {k}: E = {E[k]:.3f}, {E[k] / minimum - 1:.2%} above its minimum {minimum:.3f}. "
        f"Steps uphill so far: {int((np.diff(E[: k + 1]) > 0).sum())}.\n"
        f"Margin {margin} (in the end {1 / np.linalg.norm(end.w):.3f}); sum of slacks {q.sum():.2f}; "
        f"{int((q > 1e-6).sum())} of {len(y)} points pay slack, {wrong} {'is' if wrong == 1 else 'are'} wrong (crossed).\n"
        f"Within 1 % of the minimum: {arrived}."
    )


def soft_margin_panel() -> Panel:
    """C, noise and step size; the line and its slack beside the objective."""
    controls = {
        "C": ipywidgets.SelectionSlider(options=CS, value=1.0, description="C (price of slack)"),
        "noise": ipywidgets.FloatSlider(0.6, min=0, max=1, step=0.1, description="noise (distance)"),
        "rho": ipywidgets.SelectionSlider(options=STEP_SIZES, value=0.01, description="step size rho (number)"),
        "method": ipywidgets.Dropdown(options=list(METHODS), description="method"),
        "k": ipywidgets.IntSlider(10, 0, STEPS, description="k (steps taken)"),
    }
    alt = (
        "Left: points of two classes, the line after some steps with dashed margins, and a stroke for the slack of each point "
        "inside. Right: how far the objective is above its minimum at each step, on logarithmic axes."
    )
    return Panel(draw_soft_margin, controls, title="Down to the soft margin", alt=alt, width=830, height=430)
