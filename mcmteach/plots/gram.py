"""A kernel matrix as a picture, and its eigenvalues."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcmteach.errors import InvalidInputError
from mcmteach.gram import is_symmetric
from mcmteach.plots.canvas import BLACK, BLUE, GREY, SUPERSCRIPT, VERMILION, Ax, axes_or_new, one_label_per_row
from mcmteach.plots.description import described
from mcmteach.validation import as_square


@described
def plot_gram(K: ArrayLike, y: ArrayLike | None = None, ax: Ax = None, colorbar: bool = True) -> Any:
    """A kernel matrix with the samples ordered by class: dark where two samples are similar.

    A good kernel shows one dark block per class, a bad one a bare diagonal (S, "Kernels: the good, the bad, and the
    ugly"). Where K has negative entries the colours run from brown (unlike) over white (0) to blue-green (alike). Up to
    12 samples get their numbers written in.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
    y : the classes, of shape (n_samples,), any labels; the samples keep their order where it is left out
    ax : matplotlib axes to draw on; a new figure where it is left out
    colorbar : whether the meaning of the colours stands beside the matrix

    Returns
    -------
    ax : the axes. Their image holds the matrix in the order drawn
    """
    K = as_square(K)
    ax = axes_or_new(ax, figsize=(5, 4))
    classes, sizes = np.array([]), np.array([len(K)])
    if y is not None:
        y = one_label_per_row(y, len(K))
        classes, sizes = np.unique(y, return_counts=True)
        order = np.argsort(y, kind="stable")
        K = K[np.ix_(order, order)]
    image = ax.imshow(K, **_colours(K))
    if colorbar:
        ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.04)
    _mark_classes(ax, classes, sizes)
    if len(K) <= 12:
        _write_numbers(ax, K, image)
    return ax


def _colours(K: np.ndarray) -> dict[str, Any]:
    """Zero is white in both maps, and both can be told apart without colour vision."""
    top = float(np.abs(K).max()) or 1.0
    return {"cmap": "BrBG", "vmin": -top, "vmax": top} if (K < 0).any() else {"cmap": "Blues", "vmin": 0.0, "vmax": top}


def _mark_classes(ax: Ax, classes: np.ndarray, sizes: np.ndarray) -> None:
    """A line between the classes, and the class in the middle of its samples."""
    ends = np.cumsum(sizes)
    for end in ends[:-1]:
        ax.axhline(end - 0.5, color=BLACK, linewidth=1.2)
        ax.axvline(end - 0.5, color=BLACK, linewidth=1.2)
    middles = (ends - sizes / 2 - 0.5)[: len(classes)]
    names = [f"{c:+g}" if isinstance(c, np.number) and (classes < 0).any() else str(c) for c in classes]
    ax.set_xticks(middles, names)
    ax.set_yticks(middles, names, rotation=90, va="center")
    ax.tick_params(length=0)
    if len(classes):
        ax.set(xlabel="class", ylabel="class")


def _write_numbers(ax: Ax, K: np.ndarray, image: Any) -> None:
    for (i, j), value in np.ndenumerate(K):
        dark = abs(value) > 0.6 * image.norm.vmax
        ax.text(j, i, f"{value:.3g}", ha="center", va="center", color="white" if dark else "black")


def beyond_rounding(values: np.ndarray) -> np.ndarray:
    """Which of a matrix's eigenvalues can be told from zero: those above M times the rounding error of the largest."""
    return np.abs(values) > len(values) * np.finfo(float).eps * np.abs(values).max()


@described
def plot_spectrum(K: ArrayLike, ax: Ax = None) -> Any:
    r"""The eigenvalues of a kernel matrix as shares of the largest, |λᵢ| / max |λⱼ|, on a logarithmic axis.

    Positive ones are blue circles, the largest first; negative ones vermilion triangles, which no kernel has. What lies
    below M times the rounding error of the largest cannot be told from zero: a grey dash at the bottom.

    Parameters
    ----------
    K : symmetric array of shape (n_samples, n_samples)

    Examples
    --------
    >>> ax = plot_spectrum([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    >>> [line.get_label() for line in ax.lines]
    ['2 positive', '1 negative']

    Source: S, "Properties of kernel matrices".
    """
    K = as_square(K)
    if not is_symmetric(K):
        raise InvalidInputError("K is not symmetric, so it is not a kernel matrix, and its eigenvalues may be complex.")
    ax = axes_or_new(ax)
    values = np.linalg.eigvalsh(K)[::-1]
    share = np.abs(values) / (np.abs(values).max() or 1.0)
    zero = ~beyond_rounding(values)
    for name, chosen, style in (
        ("positive", (values > 0) & ~zero, {"color": BLUE, "marker": "o"}),
        ("negative", (values < 0) & ~zero, {"color": VERMILION, "marker": "^"}),
        ("zero (rounding)", zero, {"color": GREY, "marker": "_"}),
    ):
        if chosen.any():
            place, height = np.flatnonzero(chosen) + 1, np.maximum(share[chosen], 1e-16)
            ax.plot(
                place, height, linestyle="none", markersize=5, clip_on=False, label=f"{chosen.sum()} {name}", **style
            )
    exponents = range(-16, 1, 4)
    ax.set(yscale="log", ylim=(1e-16, 2), xlabel="eigenvalue", ylabel="share of the largest")
    ax.set_yticks([10.0**e for e in exponents], ["10" + str(e).translate(SUPERSCRIPT) for e in exponents])
    ax.minorticks_off()
    return ax
