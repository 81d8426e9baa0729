"""A line in its ball, with the slab and the strip that make h_MCM."""

from __future__ import annotations

from functools import cache

import numpy as np

from mcmteach import plots
from mcmteach.bounds import margin_vc_dim
from mcmteach.capacity import CapacityChain, capacity_chain, functional_margins, radius
from mcmteach.datasets.worlds import stretched_points
from mcmteach.solvers.solve import solve_mcm
from mcmteach.widgets.panel import Panel, ipywidgets
from mcmteach.widgets.picture import Picture, kept_figure, png

SIDE = 3.6  # half a side of the frame: it holds the ball of the longest stretch


@cache
def smallest_h_mcm(stretch: float) -> float:
    """The smallest h_MCM of the lines that separate, by the linear programme of the MCM."""
    return solve_mcm(*stretched_points(stretch), C=np.inf, sparsity=0.0).h


def draw_capacity(angle: float, shift: float, stretch: float) -> Picture:
    """A line with its ball, slab and strip on the left; h_MCM and R/Δ of all angles at this shift on the right."""
    X, y = stretched_points(stretch)
    u = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    wrong = int((functional_margins(X, y, u, -shift) <= 0).sum())
    figure, (left, right) = kept_figure(830, 470, columns=2, left=0.045, right=0.985, bottom=0.2, top=0.93, wspace=0.14)
    left.set(xlim=(-SIDE, SIDE), ylim=(-SIDE, SIDE), xticks=[-3, 0, 3], yticks=[-3, 0, 3])
    plots.plot_radius_margin(X, y, u, -shift, left)
    left.set_title("this line separates the classes" if wrong == 0 else f"wrong about {_points(wrong)}", y=1.01)
    plots.plot_capacity_angles(X, y, shift, angle, right)
    right.axhline(smallest_h_mcm(stretch), color=plots.BLACK, linewidth=1, label="least h_MCM (LP)")
    right.set_title(f"all angles at shift {shift:z.2f}", y=1.01)
    for ax, depth in ((left, -0.07), (right, -0.115)):
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, depth), ncols=2, frameon=False)
    return Picture(png(figure), _capacity_text(X, capacity_chain(X, u, -shift), wrong, smallest_h_mcm(stretch)))


def _capacity_text(X: np.ndarray, chain: CapacityChain, wrong: int, least: float) -> str:
    verdict = (
        f"The line is wrong about {_points(wrong)}, so what follows says nothing of it."
        if wrong
        else "The line separates."
    )
    if not np.isfinite(chain.h_mcm):
        return f"{verdict} It goes through a point: Delta = 0, and both R/Delta and h_MCM are infinite."
    bound = margin_vc_dim(chain.R, chain.Delta, 2)
    return (
        f"{verdict} h_MCM = {chain.h_mcm:.2f}; the least of all lines that separate is {least:.2f}.\n"
        f"Augmented: R = {chain.R:.2f} (the ball's {radius(X):.2f} and the constant 1), Delta = {chain.Delta:.3f}; "
        f"R/Delta = {chain.ratio:.2f}, which is {chain.ratio / chain.h_mcm:.2f} times h_MCM.\n"
        f"VC dimension of such planes: at most {chain.vapnik:.1f} by N(12), {bound:.0f} by N(5) with n = 2. "
        f"N(13) needs a beta of {chain.beta:.2f}."
    )


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"


def capacity_panel() -> Panel:
    """Turn and shift a line, stretch the points, and see what becomes of R/Δ and of h_MCM."""
    controls = {
        "angle": ipywidgets.FloatSlider(24, min=-90, max=90, step=0.5, description="angle of u (degrees)"),
        "shift": ipywidgets.FloatSlider(-0.1, min=-3, max=3, step=0.02, description="shift (distance)"),
        "stretch": ipywidgets.FloatSlider(1.0, min=0.5, max=2, step=0.1, description="stretch (times)"),
    }
    alt = (
        "Left: points of two classes in a circle, a line with a shaded slab that holds no point, and a dashed strip that holds "
        "them all; the nearest point is ringed, the farthest in a square. Right: h_MCM and R/Delta over all angles of the line."
    )
    return Panel(draw_capacity, controls, title="The ball, the strip and the slab", alt=alt, width=830, height=470)
