"""A kernel seen three ways, as a matrix, as eigenvalues, and as a boundary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mcmteach import plots
from mcmteach.datasets.worlds import ring_points, spiral_points, xor_points
from mcmteach.gram import is_mercer, judge_kernel, numerical_rank
from mcmteach.kernels import linear_kernel, polynomial_kernel, rbf_kernel
from mcmteach.plots.gram import beyond_rounding
from mcmteach.svm import KernelSVM
from mcmteach.validation import MatrixLike
from mcmteach.widgets.panel import Panel, ipywidgets
from mcmteach.widgets.picture import Picture, kept_figure, png

M, SEED, C = 60, 0, 5.0
WORLDS = {"disc and ring": ring_points, "XOR": xor_points, "spirals": spiral_points}
GAMMAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)

#: name: (which parameters it uses, its matrix, of X, Z, gamma and degree)
KERNELS: dict[str, tuple[str, Callable[[Any, Any, float, int], np.ndarray]]] = {
    "RBF": ("gamma", lambda X, Z, gamma, degree: rbf_kernel(X, Z, gamma)),
    "RBF × polynomial": (
        "gamma degree",
        lambda X, Z, gamma, degree: rbf_kernel(X, Z, gamma) * polynomial_kernel(X, Z, degree),
    ),
    "polynomial": ("degree", lambda X, Z, gamma, degree: polynomial_kernel(X, Z, degree)),
    "linear": ("", lambda X, Z, gamma, degree: linear_kernel(X, Z)),
    "sigmoid": ("gamma", lambda X, Z, gamma, degree: np.tanh(gamma * linear_kernel(X, Z) + 1)),
    "difference": ("gamma", lambda X, Z, gamma, degree: rbf_kernel(X, Z, gamma) - rbf_kernel(X, Z, 4 * gamma) / 2),
}


class KernelOnSample(NamedTuple):
    """A kernel on a sample. ``machine`` is None, and the errors are nan, where the matrix is not positive semi-definite."""

    X: np.ndarray
    y: np.ndarray
    K: np.ndarray
    machine: KernelSVM | None
    error: float  #: the share of the sample that the machine gets wrong
    new_error: float  #: the same on new points


def kernel_on_sample(gamma: float, degree: int, kernel: str, data: str) -> KernelOnSample:
    X, y = WORLDS[data](M, SEED)

    def k(X: MatrixLike, Z: MatrixLike) -> np.ndarray:
        return KERNELS[kernel][1](X, Z, gamma, degree)

    K = k(X, X)
    if not is_mercer(K):
        return KernelOnSample(X, y, K, None, np.nan, np.nan)
    machine = KernelSVM(kernel=k, C=C, tol=1e-4).fit(X, y)
    new = WORLDS[data](2000, SEED + 1000)
    return KernelOnSample(X, y, K, machine, 1 - machine.score(X, y), 1 - machine.score(*new))


def draw_kernel(gamma: float, degree: int, kernel: str, data: str) -> Picture:
    """The kernel matrix sorted by class, its eigenvalues, and the boundary of the kernel SVM."""
    seen = kernel_on_sample(gamma, degree, kernel, data)
    figure, (left, middle, right) = kept_figure(
        830, 330, columns=3, left=0.035, right=0.985, bottom=0.13, top=0.91, wspace=0.22
    )
    plots.plot_gram(seen.K, seen.y, left, colorbar=False)
    left.set(xlabel="class", ylabel="")
    left.set_title("the kernel matrix, by class", y=1.01)
    plots.plot_spectrum(seen.K, middle)
    middle.set(xlim=(0, M + 1), xticks=[1, 20, 40, 60], ylabel="")
    middle.set_title("eigenvalues / the largest", y=1.01)
    if seen.machine is None:
        plots.plot_points(seen.X, seen.y, right)
    else:
        plots.plot_decision(seen.machine, seen.X, seen.y, right, support=False, points=70)
    right.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    right.set_title("no kernel, no machine" if seen.machine is None else f"the kernel SVM, C = {C:g}", y=1.01)
    for ax in (middle, right):
        ax.set_box_aspect(1)  # as square as the matrix, so that the three stand in line
    return Picture(png(figure), "\n".join([_name_text(gamma, degree, kernel), *_matrix_text(seen)]))


def _name_text(gamma: float, degree: int, kernel: str) -> str:
    values = {"gamma": f"{gamma:g}", "degree": f"{degree}"}
    used = [f"{name} = {value}" for name, value in values.items() if name in KERNELS[kernel][0]]
    idle = [f"{name} ({value})" for name, value in values.items() if name not in KERNELS[kernel][0]]
    return ", ".join([kernel, *used]) + "." + (f" It does not use {' and '.join(idle)}." if idle else "")


def _matrix_text(seen: KernelOnSample) -> list[str]:
    K, judged, eigenvalues = seen.K, judge_kernel(seen.K, seen.y), np.linalg.eigvalsh(seen.K)
    matrix = (
        f"The matrix looks {judged.verdict}: diagonality {judged.diagonality:.2f}, blocks {judged.blocks:+.2f}. "
        f"Its largest eigenvalue is {eigenvalues[-1]:.3g}, its numerical rank {numerical_rank(K)} of {len(K)}."
    )
    if seen.machine is None:
        negative = int(((eigenvalues < 0) & beyond_rounding(eigenvalues)).sum())
        return [matrix, f"Not a kernel: {negative} eigenvalues are negative, the smallest is {eigenvalues[0]:.3g}."]
    return [
        matrix,
        "No eigenvalue is negative (beyond rounding). "
        f"The kernel SVM gets {seen.error:.1%} of the sample wrong, and {seen.new_error:.1%} of new points.",
    ]


def kernel_panel() -> Panel:
    """Choose a kernel and its parameters; see its matrix, its eigenvalues and the boundary."""
    controls = {
        "gamma": ipywidgets.SelectionSlider(options=GAMMAS, value=1.0, description="gamma (1/distance²)"),
        "degree": ipywidgets.IntSlider(2, 1, 5, description="degree (number)"),
        "kernel": ipywidgets.Dropdown(options=list(KERNELS), description="kernel"),
        "data": ipywidgets.Dropdown(options=list(WORLDS), description="data"),
    }
    alt = (
        "Left: the kernel matrix of 60 points sorted by class, dark where two points are similar. Middle: its eigenvalues on "
        "a logarithmic axis, negative ones as triangles. Right: the points with the boundary of the kernel SVM."
    )
    return Panel(draw_kernel, controls, title="A kernel, seen three ways", alt=alt, width=830, height=330)
