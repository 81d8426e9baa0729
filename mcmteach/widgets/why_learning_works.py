"""The bound on the risk, and the colourings of a few points."""

from __future__ import annotations

import numpy as np

from mcmteach import plots
from mcmteach.bounds import is_vacuous, vapnik_bound, vc_bound
from mcmteach.datasets.worlds import histogram_risks
from mcmteach.separability import is_separable
from mcmteach.widgets.panel import Panel, ipywidgets
from mcmteach.widgets.picture import Picture, kept_figure, png

PROBABILITIES = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
#: 10 to a million, by two digits: fine enough for the smallest M whose bound is not vacuous
SAMPLE_SIZES = (*(digits * 10**power for power in range(5) for digits in range(10, 100)), 1_000_000)
POINTS = {
    "three points": [[0.0, 0.0], [1.0, 0.0], [0.4, 0.9]],
    "three on a line": [[0.0, 0.0], [0.5, 0.45], [1.0, 0.9]],
    "four points (a square)": [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
    "four points (one inside)": [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0], [0.5, 0.35]],
}


def draw_bound(M: int, h: int, eta: float, risk: float) -> Picture:
    """The bounds against M on the left; on the right, what happens to a machine of VC dimension h in a known world."""
    M = max(M, h)
    figure, (left, right) = kept_figure(830, 450, columns=2, left=0.075, right=0.985, bottom=0.27)
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
    said = [f"{value:.3f}{' (vacuous)' * is_vacuous(value)}" for value in (bound, slides)]
    text = (
        f"M = {M}, h = {h}, eta = {eta:g}, empirical risk {risk:g}: N's bound is {said[0]}, S's is {said[1]}.\n"
        f"In the known world: training error {risks.empirical.mean():.3f}, true risk {risks.true.mean():.3f}, "
        f"largest gap {gap.max():.3f}; the bound allows {bound - risk:.3f}."
    )
    return Picture(png(figure), text)


def bound_panel() -> Panel:
    """The VC bound against M, h, eta and the empirical risk, beside a simulation."""
    controls = {
        "M": ipywidgets.SelectionSlider(options=SAMPLE_SIZES, value=1000, description="M (samples)"),
        "h": ipywidgets.IntSlider(10, 1, 200, description="h (VC dimension)"),
        # not a logarithmic slider: the browser would move 0.05 to the nearest step, 0.0501187, before anybody touches it
        "eta": ipywidgets.SelectionSlider(options=PROBABILITIES, value=0.05, description="eta (probability)"),
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
    count = 2 ** len(X)
    number = (colouring - 1) % count + 1
    y = np.array([1.0 if number - 1 >> i & 1 else -1.0 for i in range(len(X))])
    figure, ax = kept_figure(480, 400, left=0.03, bottom=0.03)
    plots.plot_colouring(X, y, ax)
    verdict = "a line separates them" if is_separable(X, y) else "no line separates them: the hulls meet at the cross"
    signs = " ".join("+" if label > 0 else "-" for label in y)
    again = f" (number {colouring} is the same again)" if colouring > count else ""
    return Picture(png(figure), f"Colouring {number} of {count}{again}: {signs}. The linear programme says: {verdict}.")


def shattering_panel() -> Panel:
    """Play every colouring of three and of four points."""
    controls = {
        "points": ipywidgets.Dropdown(options=list(POINTS), description="points"),
        "colouring": ipywidgets.IntSlider(2, 1, 16, description="colouring (number)"),
    }
    alt = "A few points in two colours, with a line between the colours, or a cross where their hulls meet."
    return Panel(draw_shattering, controls, title="Can a line give every colouring?", alt=alt, width=480, height=400)
