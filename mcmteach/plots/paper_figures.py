"""P's Figures 1 and 2: the way of the algorithm, and the data before and after kernel optimisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcmteach.paper.figure2 import Figure2
from mcmteach.plots.canvas import BLACK, GREY, Ax, axes_or_new, frame, new_figure
from mcmteach.plots.description import described
from mcmteach.plots.planes import plot_points

# (place in its column from the top, text): what both ways share, and what each does in its own way. The numbers are N's steps
SHARED = (
    (0, "1 · standardise: mean 0, variance 1"),
    (4, "3 · scatter matrices $B_0$, $W_0$ of $K_0$"),
    (5, r"4 · largest J:  $K_1^T B_0 K_1\alpha = \mu\,K_1^T(W_0 + DI)K_1\alpha$"),
    (6, r"5, 6 · $c = K_1\alpha$,   $k(x, x') = c(x)\,c(x')\,k_0(x, x')$"),
)
OWN = (
    (
        (1, "take C, γ, $γ_c$ from the grid"),
        (2, "2 · MCM on $k_0$: linear programme"),
        (3, "cores = all support vectors"),
        (7, "7 · MCM on $k$: linear programme"),
    ),
    (
        (1, "tune C, γ: grid search"),
        (2, "2 · large-scale MCM on $k_0$:\nstochastic subgradient"),
        (3, "cores = support vectors,\nas many of each class"),
        (7, "7 · large-scale MCM on $k$:\nstochastic subgradient"),
    ),
)
PREDICT = (8, "8 · predict new points")
ARROW = {"arrowstyle": "-|>", "color": BLACK, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}
COLUMNS, STEP, HALF, TALL = (-2.3, 2.3), 1.3, 2.1, 1.0
SIZE = "large"  # of the text: the chart is tall, and is made small for a slide


@described
def plot_training_flow(ax: Ax = None) -> Any:
    """P's Figure 1 in a picture of our own: how an MCM (left) and a large-scale MCM (right) get a conformal kernel.

    Examples
    --------
    >>> ax = plot_training_flow()
    >>> len([text for text in ax.texts if "cores" in text.get_text()])
    2

    Source: P Figure 1, Algorithm 2, section 4 steps 1 to 6, section 5.
    """
    ax = axes_or_new(ax, figsize=(9.5, 6.4))
    for place, text in (*SHARED, PREDICT):
        _box(ax, 0.0, place, text, half=COLUMNS[1] + HALF)
    for x, steps in zip(COLUMNS, OWN, strict=True):
        for place, text in steps:
            _box(ax, x, place, text, half=HALF)
        for place in range(PREDICT[0]):
            ax.annotate("", (x, -STEP * (place + 1) + TALL / 2), (x, -STEP * place - TALL / 2), arrowprops=ARROW)
    _loop(ax, -COLUMNS[1] - HALF, back_to=1, text="the next C, γ, $γ_c$; keep the best (Algorithm 2)")
    _loop(ax, COLUMNS[1] + HALF, back_to=5, text="the next $γ_c$; keep the best")
    for x, name in zip(COLUMNS, ("MCM", "large-scale MCM"), strict=True):
        ax.text(x, 0.75, name, ha="center", va="center", fontsize=SIZE, fontweight="bold")
    ax.set(xlim=(-5.4, 5.4), ylim=(-STEP * PREDICT[0] - 0.7, 1.1))
    ax.set_axis_off()
    return ax


def _box(ax: Ax, x: float, place: int, text: str, half: float) -> None:
    from matplotlib.patches import FancyBboxPatch

    corner = (x - half, -STEP * place - TALL / 2)
    shape = FancyBboxPatch(
        corner, 2 * half, TALL, boxstyle="round,pad=0,rounding_size=0.15", facecolor="#F2F6FA", edgecolor=GREY
    )
    ax.add_patch(shape)
    ax.text(x, -STEP * place, text, ha="center", va="center", fontsize=SIZE)


def _loop(ax: Ax, edge: float, back_to: int, text: str) -> None:
    """From the second machine back, on the outside, to try the next value."""
    out, low, high = edge + 0.5 * np.sign(edge), -STEP * 7, -STEP * back_to
    ax.plot([edge, out, out], [low, low, high], color=BLACK, linewidth=1.2)
    ax.annotate("", (edge, high), (out, high), arrowprops=ARROW)
    ax.text(out + 0.2 * np.sign(edge), (low + high) / 2, text, rotation=90, ha="center", va="center", fontsize=SIZE)


@described
def plot_embeddings(figure: Figure2) -> Any:
    """P's Figure 2: a column per embedding, training points above, test points below, J over each.

    Parameters
    ----------
    figure : from :func:`mcmteach.paper.figure2.figure2`

    Returns
    -------
    A matplotlib figure. Test points are drawn on the scale of the training points above them

    Examples
    --------
    >>> from mcmteach.paper.figure2 import figure2
    >>> picture = plot_embeddings(figure2())
    >>> [ax.get_title().split(":")[0].split() for ax in picture.axes[::3]]
    [['PCA', 'training'], ['PCA', 'test']]

    Source: P Figure 2.
    """
    picture = new_figure((11, 6.6))
    columns = picture.subplots(2, 3).T
    for column, embedding in zip(columns, figure.embeddings, strict=True):
        parts = (
            (embedding.train, figure.y_train, embedding.J_train),
            (embedding.test, figure.y_test, embedding.J_test),
        )
        for ax, part, (Z, y, J) in zip(column, ("training", "test"), parts, strict=True):
            plot_points(Z, y, ax, names=figure.class_names)
            ax.set(title=f"{embedding.name}\n{part}: J = {J:.2f}", xticks=[], yticks=[])
            frame(np.vstack([embedding.train, embedding.test]), ax)
            ax.set_aspect("auto")
        column[-1].set_xlabel("first axis")
    for ax in columns[0]:
        ax.set_ylabel("second axis")
    columns[0][0].legend(loc="best")
    return picture
