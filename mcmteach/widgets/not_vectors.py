"""Heat that flows through a network: the diffusion kernel, its matrix, and what a machine makes of it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mcmteach import plots
from mcmteach.datasets import karate_club
from mcmteach.gram import judge_kernel, kernel_alignment
from mcmteach.solvers.solve import solve_mcm
from mcmteach.structured import diffusion_kernel
from mcmteach.widgets.panel import Panel, ipywidgets
from mcmteach.widgets.picture import Picture, kept_figure, png

BETAS = (0.0, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
C, PRICE = 1.0, 0.01


@lru_cache(maxsize=len(BETAS))
def left_out_errors(beta: float) -> tuple[int, ...]:
    """The members whose side the kernel MCM gets wrong when it learns from all the others."""
    A, side = karate_club()
    K, wrong = diffusion_kernel(A, beta), []
    for member in range(len(side)):
        others = np.flatnonzero(np.arange(len(side)) != member)
        machine = solve_mcm(K[np.ix_(others, others)], side[others], C=C, sparsity=PRICE)
        if side[member] * (K[member, others] @ machine.coef + machine.b) <= 0:
            wrong.append(member)
    return tuple(wrong)


def draw_heat(beta: float, member: int) -> Picture:
    """The club with the heat that one member has sent out, and the kernel matrix sorted by side."""
    A, side = karate_club()
    K = diffusion_kernel(A, beta)
    figure, (left, right) = kept_figure(830, 400, columns=2, left=0.01, right=0.97, bottom=0.12, wspace=0.12)
    plots.plot_heat(A, K[member - 1], left, side, member - 1)
    left.set_title(f"heat from member {member} at time {beta:g}", y=1.01)
    plots.plot_gram(K, side, right, colorbar=False)
    right.set(ylabel="")
    right.set_title("who is similar to whom, by side", y=1.01)
    return Picture(png(figure), _text(K, side, beta, member))


def _text(K: np.ndarray, side: np.ndarray, beta: float, member: int) -> str:
    judged, wrong = judge_kernel(K, side), left_out_errors(beta)
    warm = np.argsort(-K[member - 1], kind="stable")
    friends = [str(other + 1) for other in warm if other != member - 1][:3] if beta else []
    alike = (
        f"Most like member {member}: {', '.join(friends)}."
        if friends
        else "No heat has flown: each is like itself only."
    )
    return (
        f"{alike} Heat that is still at home: {K[member - 1, member - 1]:.2f}.\n"
        f"The matrix looks {judged.verdict}: diagonality {judged.diagonality:.2f}, blocks {judged.blocks:+.2f}, alignment with "
        f"the sides {kernel_alignment(K, side):.2f}.\n"
        f"An MCM that must guess one member from the others is wrong about {len(wrong)} of {len(side)}"
        + (f" (member {member} among them)." if member - 1 in wrong else f" (not about member {member}).")
    )


def heat_panel() -> Panel:
    """How long the heat flows, and where it starts."""
    controls = {
        "beta": ipywidgets.SelectionSlider(options=BETAS, value=1.0, description="β (time)"),
        "member": ipywidgets.IntSlider(9, 1, 34, description="member (number)"),
    }
    alt = (
        "Left: the friendships of a karate club, members shaded by the heat that one of them has sent to them. Right: the "
        "diffusion kernel's matrix with the members sorted by the side that they took."
    )
    return Panel(draw_heat, controls, title="Heat in the karate club", alt=alt, width=830, height=400)
