"""Lesson 2: the perceptron from mistake to mistake, and a line to turn by hand."""

from __future__ import annotations

import numpy as np

from mcmteach import plots
from mcmteach.capacity import capacity_chain, functional_margins, geometric_margin
from mcmteach.datasets.worlds import separable_points
from mcmteach.perceptron import Update, novikoff_bound, perceptron_steps
from mcmteach.svm import hard_margin
from mcmteach.widgets.panel import Panel, Picture, ipywidgets, new_figure, png

SAMPLE = {"M": 16, "seed": 26}  # of the world of separable_points: the sample that the lesson looks at
FRAME = {"xlim": (-1.3, 3.6), "ylim": (-1.9, 2.8), "xticks": [-1, 0, 1, 2, 3], "yticks": [-1, 0, 1, 2]}


def draw_perceptron(mistakes: int, gap: float, order: int) -> Picture:
    """Rosenblatt's line after so many mistakes on the left; on the right, why their number is bounded."""
    X, y = separable_points(gap=gap, **SAMPLE)
    if order > 0:
        shuffled = np.random.default_rng(order).permutation(len(y))
        X, y = X[shuffled], y[shuffled]
    steps, bound = perceptron_steps(X, y), novikoff_bound(X, y)
    k = min(mistakes, len(steps))
    figure, (left, right) = new_figure(830, 460, columns=2, left=0.055, right=0.985, bottom=0.215, wspace=0.18)
    left.set(**FRAME)
    plots.plot_perceptron(X, y, steps, k, left)
    left.set_title(f"the line after mistake {k}" if k else "no line yet: w = 0, b = 0", y=1.01)
    plots.plot_novikoff(X, y, steps, k, right)
    right.legend(loc="upper center", bbox_to_anchor=(0.47, -0.15), ncols=2, frameon=False)
    right.set_title("no room for mistakes beyond the crossing", y=1.01)
    return Picture(png(figure), _perceptron_text(X, y, steps, k, bound))


def _perceptron_text(X: np.ndarray, y: np.ndarray, steps: list[Update], k: int, bound: float) -> str:
    w, b = (steps[k - 1].w, steps[k - 1].b) if k else (np.zeros(2), 0.0)
    wrong = int((functional_margins(X, y, w, b) <= 0).sum())
    now = f"Mistakes so far: {k}; Novikoff allows at most {np.floor(bound + 1e-9):.0f}. "
    now += f"w = ({w[0]:z.2f}, {w[1]:z.2f}), b = {b:z.0f}."
    if k:
        p = steps[k - 1].p
        now += f"\nJust corrected (ringed): point {p + 1} of {len(y)}, of class {y[p]:+.0f}."
    end = "The rule is at rest: the line separates the classes." if k == len(steps) else "The rule goes on."
    return f"{now}\nOn the wrong side of the line, or on it: {wrong} of {len(y)} points. {end}"


def perceptron_panel() -> Panel:
    """Lesson 2: follow the perceptron from mistake to mistake."""
    controls = {
        "mistakes": ipywidgets.IntSlider(1, 0, 20, description="mistakes (number)"),
        "gap": ipywidgets.FloatSlider(0.3, min=0.2, max=1, step=0.1, description="gap (half its width)"),
        "order": ipywidgets.IntSlider(0, 0, 9, description="order (number)"),
    }
    alt = (
        "Left: points of two classes, the perceptron's line after some mistakes, the point just corrected ringed. Right: the "
        "length of (w; b) after each mistake, between two lines that cross at Novikoff's bound."
    )
    return Panel(draw_perceptron, controls, title="One mistake after another", alt=alt, width=830, height=460)


def draw_hyperplane(angle: float, shift: float, length: float) -> Picture:
    """A line that one turns and shifts by hand, with its margins, and the capacities that belong to it."""
    X, y = separable_points(**SAMPLE)
    w = length * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    b = -length * shift
    figure, ax = new_figure(560, 480, left=0.09, right=0.98, bottom=0.07, top=0.93)
    ax.set(**FRAME)
    plots.plot_margin(X, y, w, b, ax)
    wrong = int((functional_margins(X, y, w, b) <= 0).sum())
    ax.set_title("this line separates the classes" if wrong == 0 else f"wrong about {wrong} points (crossed)", y=1.01)
    return Picture(png(figure), _hyperplane_text(X, y, w, b, wrong))


def _hyperplane_text(X: np.ndarray, y: np.ndarray, w: np.ndarray, b: float, wrong: int) -> str:
    best = 1 / np.linalg.norm(hard_margin(X, y).w)
    chain = capacity_chain(X, w, b)
    verdict = "" if wrong == 0 else " But the line does not separate, so these two say nothing."
    return (
        f"w = ({w[0]:z.2f}, {w[1]:z.2f}), b = {b:z.2f}: wrong about {wrong} of {len(y)} points.\n"
        f"Functional margin {functional_margins(X, y, w, b).min():z.3f}; divided by ||w|| = {np.linalg.norm(w):.2f}, the "
        f"geometric margin is {geometric_margin(X, y, w, b):z.3f}. The largest of all lines is {best:.3f}.\n"
        f"Augmented: R = {chain.R:.2f}, Delta = {chain.Delta:.3f}; R/Delta = {chain.ratio:.1f}, "
        f"h_MCM = {chain.h_mcm:.2f}.{verdict}"
    )


def hyperplane_panel() -> Panel:
    """Lesson 2: turn w, shift b, and see margins and capacities change."""
    controls = {
        "angle": ipywidgets.FloatSlider(25, min=-180, max=180, step=1, description="angle of w (degrees)"),
        "shift": ipywidgets.FloatSlider(1.1, min=-3, max=3, step=0.02, description="shift (distance)"),
        "length": ipywidgets.FloatSlider(1.0, min=0.2, max=5, step=0.1, description="length of w (number)"),
    }
    alt = (
        "Points of two classes and a line with its two sides tinted; dashed lines where w·x + b is -1 and +1; the point of "
        "smallest margin is ringed and joined to the line."
    )
    return Panel(draw_hyperplane, controls, title="Turn it yourself", alt=alt, width=560, height=480)
