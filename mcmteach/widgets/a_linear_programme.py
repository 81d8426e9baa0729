"""Lesson 5: points to move about, and the lines that the MCM and the SVM draw between them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from mcmteach import plots
from mcmteach.capacity import capacity_chain, geometric_margin
from mcmteach.datasets.worlds import separable_points
from mcmteach.errors import InfeasibleError
from mcmteach.lp import MCMSolution, solve_mcm
from mcmteach.plots.canvas import ring
from mcmteach.svm import Plane, hard_margin
from mcmteach.widgets.panel import Panel, Picture, ipywidgets, new_figure, png

_SAMPLE, _LABELS = separable_points(8, gap=0.3, seed=25)
#: Points of class +1 and of class -1
PRESETS = {
    "eight points": (_SAMPLE[_LABELS > 0].round(1).tolist(), _SAMPLE[_LABELS < 0].round(1).tolist()),
    "four on a line": ([[1.0, 0.0], [2.0, 0.0]], [[-1.0, 0.0], [-4.0, 0.0]]),
    "two points": ([[1.0, 0.5]], [[-1.0, -0.5]]),
    "three points": ([[1.0, 0.0], [3.0, 1.0]], [[-1.0, 0.0]]),
    "a fan": ([[1.0, 0.0], [4.0, 0.0], [2.0, 1.0], [2.0, -1.0]], [[-1.0, 0.0], [-2.0, 1.0], [-2.0, -1.0]]),
}
REACH = 2.0  # how far a point can be moved, to each side
SHAPE = 354.6 / 312  # of the axes on the left, width to height in pixels: a unit is as long to the right as upwards


@lru_cache(maxsize=256)
def _machines(points: str, moved: int, right: float, up: float) -> tuple[MCMSolution, Plane]:
    """Both machines after the move. An InfeasibleError if no line separates the classes."""
    X, y = _points(points, moved, right, up)
    return solve_mcm(X, y, C=np.inf, sparsity=0.0), hard_margin(X, y)


def _points(points: str, moved: int, right: float, up: float) -> tuple[np.ndarray, np.ndarray]:
    plus, minus = PRESETS[points]
    X, y = np.array(plus + minus), np.repeat([1.0, -1.0], [len(plus), len(minus)])
    X[moved] += (right, up)
    return X, y


def draw_programme(points: str, point: int, right: float, up: float) -> Picture:
    """Both machines' lines on the left; on the right, each point's distance from them in units of the nearest one's."""
    moved = min(point, sum(map(len, PRESETS[points]))) - 1
    X, y = _points(points, moved, right, up)
    figure, (left, beside) = new_figure(830, 430, columns=2, left=0.045, right=0.985, bottom=0.1844, wspace=0.2)
    try:
        mcm, svm = _machines(points, moved, right, up)
        planes = {"MCM": (mcm.coef, mcm.b), "SVM": (svm.w, svm.b)}
        text = _machines_text(X, y, planes, mcm)
        _draw_machines(X, y, planes, points, left, beside)
    except InfeasibleError as problem:
        held = ", ".join(str(i + 1) for i in np.flatnonzero(problem.weights > 1e-9))
        text = f"Infeasible: no line separates the classes, as points {held} prove: both hulls hold the point of the cross."
        _draw_meeting(X, y, points, left, beside)
    ring(left, X[moved])
    where = f"({X[moved, 0]:z.1f}, {X[moved, 1]:z.1f})"
    return Picture(
        png(figure), f"Moved (ringed): point {moved + 1} of {len(y)}, of class {y[moved]:+.0f}, now at {where}.\n{text}"
    )


def _draw_machines(X: np.ndarray, y: np.ndarray, planes: dict, points: str, left: Any, beside: Any) -> None:
    _frame(points, left)
    plots.plot_rivals(X, y, planes, left)
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.09), "ncols": 2, "frameon": False, "handlelength": 3}
    left.legend(left.lines[:4:3], planes, **below)
    left.set_title("two machines, their lines and margins", y=1.01)
    plots.plot_spread(X, y, planes, beside)
    beside.set_title("how far each point is, the nearest being 1", y=1.01)
    beside.set(xlabel="", xlim=(0, max(6.0, beside.get_xlim()[1])))  # the same scale for most moves


def _draw_meeting(X: np.ndarray, y: np.ndarray, points: str, left: Any, beside: Any) -> None:
    plots.plot_colouring(X, y, left)
    _frame(points, left)
    left.set_title("no line separates these", y=1.01)
    beside.axis("off")
    words = "The programme has no solution:\nsome yᵢ f(xᵢ) is at most 0,\nwhatever the line.\n\nSlack would help."
    beside.text(0.5, 0.5, words, ha="center", va="center", fontsize=12)


def _frame(points: str, ax: Any) -> None:
    """The place of a preset's points and of wherever one of them may be moved: the picture does not jump."""
    X = np.vstack(PRESETS[points])
    low, high = X.min(axis=0) - REACH - 0.3, X.max(axis=0) + REACH + 0.3
    half = max((high - low)[0], SHAPE * (high - low)[1]) / 2
    (x1, x2), (across, upright) = (low + high) / 2, (half, half / SHAPE)
    ticks = np.arange(-8, 9, 2)
    ax.set(xlim=(x1 - across, x1 + across), ylim=(x2 - upright, x2 + upright))
    ax.set_xticks(ticks[np.abs(ticks - x1) < across])
    ax.set_yticks(ticks[np.abs(ticks - x2) < upright])


def _machines_text(X: np.ndarray, y: np.ndarray, planes: dict, mcm: MCMSolution) -> str:
    rows = []
    for name, (w, b) in planes.items():
        chain = capacity_chain(X, w, b)
        rows.append(
            f"{name}: h = {chain.h_mcm:.3f}, margin {geometric_margin(X, y, w, b):.3f}, R/Delta = {chain.ratio:.2f}."
        )
    proof = mcm.certificate
    on = np.count_nonzero(np.abs(proof.z) > 1e-9)
    why = (
        f"the multipliers of {on} points prove h ≥ {proof.dual:.6f} for all separating lines" if on else "h ≥ 1 always"
    )
    verdict = "optimal." if proof.proves_optimal() else f"a gap of {proof.gap:.1e} remains."
    rows.append(f"Certificate: {why}, and the MCM has {proof.primal:.6f}: {verdict}")
    return "\n".join(rows)


def programme_panel() -> Panel:
    """Lesson 5: move a point, and see both machines' lines, their capacities and the certificate."""
    most = max(len(plus) + len(minus) for plus, minus in PRESETS.values())
    controls = {
        "points": ipywidgets.Dropdown(options=list(PRESETS), description="points"),
        "point": ipywidgets.IntSlider(1, 1, most, description="point (number)"),
        "right": ipywidgets.FloatSlider(0, min=-REACH, max=REACH, step=0.1, description="to the right (distance)"),
        "up": ipywidgets.FloatSlider(0, min=-REACH, max=REACH, step=0.1, description="upwards (distance)"),
    }
    alt = (
        "Left: points of two classes, the MCM's line solid and the SVM's dashed, margins thin, the moved point ringed. Right: "
        "for each machine a row with the points' distances from its line, in units of the nearest one's, up to h."
    )
    return Panel(draw_programme, controls, title="Move a point: which line follows?", alt=alt, width=830, height=430)
