"""The panels of the lessons: for each a function that draws a state, and one that builds the panel around it."""

from __future__ import annotations

import numpy as np

from mcmteach import plots
from mcmteach.bounds import is_separable, is_vacuous, vapnik_bound, vc_bound
from mcmteach.capacity import capacity_chain, functional_margins, geometric_margin
from mcmteach.perceptron import Mistake, novikoff_bound, perceptron_steps
from mcmteach.simulate import histogram_risks, separable_points
from mcmteach.svm import hard_margin
from mcmteach.widgets import Panel, Picture, ipywidgets, new_figure, png

# --- lesson 1 --------------------------------------------------------------------------------------------------------

ETAS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
POINTS = {
    "three points": [[0.0, 0.0], [1.0, 0.0], [0.4, 0.9]],
    "three on a line": [[0.0, 0.0], [0.5, 0.45], [1.0, 0.9]],
    "four points (a square)": [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
    "four points (one inside)": [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0], [0.5, 0.35]],
}


def draw_bound(M: float, h: int, eta: float, risk: float) -> Picture:
    """The bounds against M on the left; on the right, what happens to a machine of VC dimension h in a known world."""
    M = max(round(M), h)
    figure, (left, right) = new_figure(830, 450, columns=2, left=0.075, right=0.985, bottom=0.27)
    curve = np.unique(np.logspace(np.log10(max(10, h)), 6, 120).round())
    plots.plot_vc_bound([h], curve, risk, eta, ax=left)
    left.plot(
        curve, vapnik_bound(risk, h, curve, eta), color=plots.VERMILION, linestyle="--", linewidth=2, label="S's bound"
    )
    bound, slides = vc_bound(risk, h, M, eta), vapnik_bound(risk, h, M, eta)
    left.plot([M], [min(bound, 1.55)], marker="o", color=plots.BLACK, markersize=9, label=f"M = {M}")
    left.lines[0].set_label("N's bound")
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.17), "ncols": 2, "frameon": False}
    left.legend(**below)
    left.set_title(f"the bound, h = {h}", y=1.01)
    risks = histogram_risks(h, M, noise=risk)
    plots.plot_risks(risks, bound, ax=right)
    right.legend(**below)
    left.set_xticks([1e2, 1e4, 1e6], ["10²", "10⁴", "10⁶"])
    right.set_xticks([1, 20, 40])
    for ax, ticks in ((left, [0, 0.5, 1, 1.5]), (right, [0, 0.5, 1])):  # few ticks, fixed labels: half the time to draw
        ax.set_yticks(ticks)
        ax.xaxis.set_label_coords(0.5, -0.09)
        ax.yaxis.set_label_coords(-0.11, 0.5)
    right.set_title("40 training sets in a known world", y=1.01)
    gap = risks.true - risks.empirical
    verdict = "vacuous" if is_vacuous(bound) else f"{bound:.3f}"
    text = (
        f"M = {M}, h = {h}, eta = {eta:g}, empirical risk {risk:g}: N's bound is {verdict}, S's is {slides:.3f}.\n"
        f"In the known world: training error {risks.empirical.mean():.3f}, true risk {risks.true.mean():.3f}, "
        f"largest gap {gap.max():.3f}; the bound allows {bound - risk:.3f}."
    )
    return Picture(png(figure), text)


def bound_panel() -> Panel:
    """Lesson 1: the VC bound against M, h, eta and the empirical risk, beside a simulation."""
    controls = {
        "M": ipywidgets.FloatLogSlider(
            1000, base=10, min=1, max=6, step=0.1, description="M (samples)", readout_format=".0f"
        ),
        "h": ipywidgets.IntSlider(10, 1, 200, description="h (VC dimension)"),
        # not a logarithmic slider: the browser would move 0.05 to the nearest step, 0.0501187, before anybody touches it
        "eta": ipywidgets.SelectionSlider(options=ETAS, value=0.05, description="eta (probability)"),
        "risk": ipywidgets.FloatSlider(0.1, min=0, max=0.45, step=0.01, description="R_emp (a share)"),
    }
    alt = (
        "Left: two bounds on the risk falling with the number of samples M, the region above 1 shaded. Right: training error "
        "and true risk of 40 machines, with the bound as a line."
    )
    return Panel(draw_bound, controls, title="How far can we trust a training error?", alt=alt, width=830, height=450)


def draw_shattering(points: str, colouring: int) -> Picture:
    """One colouring of a few points, with the line that separates it or the proof that there is none."""
    X = np.array(POINTS[points])
    colouring %= 2 ** len(X)
    y = np.array([1.0 if colouring >> i & 1 else -1.0 for i in range(len(X))])
    figure, ax = new_figure(480, 400, left=0.03, bottom=0.03)
    plots.plot_colouring(X, y, ax)
    verdict = "a line separates them" if is_separable(X, y) else "no line separates them: the hulls meet at the cross"
    signs = " ".join("+" if label > 0 else "-" for label in y)
    return Picture(
        png(figure), f"Colouring {colouring} of {2 ** len(X)}: {signs}. The linear programme says: {verdict}."
    )


def shattering_panel() -> Panel:
    """Lesson 1: play every colouring of three and of four points."""
    controls = {
        "points": ipywidgets.Dropdown(options=list(POINTS), description="points"),
        "colouring": ipywidgets.IntSlider(1, 0, 15, description="colouring (number)"),
    }
    alt = "A few points in two colours, with a line between the colours, or a cross where their hulls meet."
    return Panel(draw_shattering, controls, title="Can a line give every colouring?", alt=alt, width=480, height=400)


# --- lesson 2 --------------------------------------------------------------------------------------------------------

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
    figure, (left, right) = new_figure(830, 420, columns=2, left=0.055, right=0.985, wspace=0.18)
    left.set(**FRAME)
    plots.plot_perceptron(X, y, steps, k, left)
    left.set_title(f"the line after mistake {k}" if k else "no line yet: w = 0, b = 0", y=1.01)
    plots.plot_novikoff(X, y, steps, k, right)
    right.legend(loc="upper left", framealpha=0.9)
    right.set_title("no room for mistakes beyond the crossing", y=1.01)
    return Picture(png(figure), _perceptron_text(X, y, steps, k, bound))


def _perceptron_text(X: np.ndarray, y: np.ndarray, steps: list[Mistake], k: int, bound: float) -> str:
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
    return Panel(draw_perceptron, controls, title="One mistake after another", alt=alt, width=830, height=420)


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
