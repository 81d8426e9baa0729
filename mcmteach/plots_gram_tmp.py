"""The picture of a kernel matrix. To be moved into plots.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from mcmteach.errors import InvalidInputError, MissingExtraError
from mcmteach.validation import as_matrix


def plot_gram(K: Any, y: Any = None, ax: Any = None) -> Any:
    """Draw a kernel matrix with the samples ordered by class: dark where two samples are similar.

    A good kernel shows one dark block per class, a bad one a bare diagonal (S, "Kernels: the good, the bad, and the
    ugly"). Where K has negative entries the colours run from brown (unlike) over white (0) to blue-green (alike). Up to
    12 samples get their numbers written in.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
    y : the classes, of shape (n_samples,), any labels; the samples keep their order where it is left out
    ax : matplotlib axes to draw on; a new figure where it is left out

    Returns
    -------
    ax : the axes. Their image holds the matrix in the order drawn
    """
    K = as_matrix(K, "K")
    if K.shape[0] != K.shape[1]:
        raise InvalidInputError(f"A kernel matrix is square, and this one has shape {K.shape}.")
    ax = _new_axes() if ax is None else ax
    classes, sizes = np.array([]), np.array([len(K)])
    if y is not None:
        y = _one_per_row(y, len(K))
        classes, sizes = np.unique(y, return_counts=True)
        order = np.argsort(y, kind="stable")
        K = K[np.ix_(order, order)]
    image = ax.imshow(K, **_colours(K))
    ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.04)
    _mark_classes(ax, classes, sizes)
    if len(K) <= 12:
        _write_numbers(ax, K, image)
    return ax


def _one_per_row(y: Any, size: int) -> np.ndarray:
    y = np.asarray(y)
    if y.shape != (size,):
        raise InvalidInputError(f"y has shape {y.shape}, and ({size},) is needed: one class per row of K.")
    return y


def _colours(K: np.ndarray) -> dict[str, Any]:
    """Zero is white in both maps, and both can be told apart without colour vision."""
    top = float(np.abs(K).max()) or 1.0
    return {"cmap": "BrBG", "vmin": -top, "vmax": top} if (K < 0).any() else {"cmap": "Blues", "vmin": 0.0, "vmax": top}


def _mark_classes(ax: Any, classes: np.ndarray, sizes: np.ndarray) -> None:
    """A line between the classes, and the class in the middle of its samples."""
    ends = np.cumsum(sizes)
    for end in ends[:-1]:
        ax.axhline(end - 0.5, color="black", linewidth=1.2)
        ax.axvline(end - 0.5, color="black", linewidth=1.2)
    middles = (ends - sizes / 2 - 0.5)[: len(classes)]
    names = [f"{c:+g}" if isinstance(c, np.number) and (classes < 0).any() else str(c) for c in classes]
    ax.set_xticks(middles, names)
    ax.set_yticks(middles, names, rotation=90, va="center")
    ax.tick_params(length=0)
    if len(classes):
        ax.set(xlabel="class", ylabel="class")


def _write_numbers(ax: Any, K: np.ndarray, image: Any) -> None:
    for (i, j), value in np.ndenumerate(K):
        dark = abs(value) > 0.6 * image.norm.vmax
        ax.text(j, i, f"{value:.3g}", ha="center", va="center", color="white" if dark else "black")


def _new_axes() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtraError(
            "Drawing needs matplotlib, which is not installed. It comes with the lessons: pip install 'mcmteach[lessons]'"
        ) from None
    return plt.subplots(figsize=(5, 4), layout="constrained")[1]
