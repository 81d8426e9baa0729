"""The kernel MCM, with and without a price on its coefficients."""

from __future__ import annotations

import warnings
from functools import lru_cache

import numpy as np

from mcmteach import plots
from mcmteach.datasets.worlds import moons
from mcmteach.errors import CertificateWarning, ConstantClassifierWarning, SolverError
from mcmteach.kernels import rbf_kernel
from mcmteach.mcm import MCMClassifier
from mcmteach.solvers.constant_price import constant_price
from mcmteach.widgets.panel import Panel, ipywidgets
from mcmteach.widgets.picture import Picture, kept_figure, png

SAMPLE = {"M": 40, "seed": 3}  # of the world of moons: the sample that the lesson looks at
NEW = {"M": 4000, "seed": 1000}
GAMMAS = (0.25, 0.5, 1, 2, 4, 8, 16, 32)
CS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000)
PRICES = (0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)

GAVE_UP = (
    "The solver gave up and has no solution to show: the kernel matrix is too nearly singular for it.\n"
    "There is one, with objective 1 (the lesson's proof). Take a larger gamma, or a price."
)


@lru_cache(maxsize=1000)
def _fit(gamma: float, C: float, sparsity: float) -> MCMClassifier | None:
    """The machine, or None where the solver fails (without a price, on a nearly singular matrix)."""
    with warnings.catch_warnings():  # what they say, the readout says
        warnings.simplefilter("ignore", CertificateWarning)
        warnings.simplefilter("ignore", ConstantClassifierWarning)
        try:
            return MCMClassifier(gamma=gamma, C=C, sparsity=sparsity, time_limit=2.0).fit(*moons(**SAMPLE))
        except SolverError:
            return None


def draw_kernel_mcm(gamma: float, C: float, sparsity: float) -> Picture:
    """The machine's boundary and support vectors on the left; on the right each sample's y f, the 1 and the cap."""
    X, y = moons(**SAMPLE)
    machine = _fit(gamma, C, sparsity)
    figure, (left, right) = kept_figure(830, 420, columns=2, left=0.055, right=0.985, wspace=0.2, bottom=0.13)
    if machine is None:
        plots.plot_points(X, y, left)
        right.axis("off")
        return Picture(png(figure), GAVE_UP)
    with warnings.catch_warnings():  # a constant machine has no boundary to draw
        warnings.filterwarnings("ignore", "No contour levels")
        plots.plot_decision(machine, X, y, left)
    n = machine.n_support_
    left.set_title(f"{n} support vector{'s' * (n != 1)} (ringed) of {len(y)} points", y=1.01)
    left.set(xticks=[-1, 0, 1, 2], yticks=[-1, 0, 1])
    f = machine.decision_function(X)
    plots.plot_cap(f, y, machine.h_, right)
    right.set(
        xlim=(0, len(y) + 1), ylim=(min(-2.2, 1.1 * (y * f).min()), max(3.2, 1.35 * machine.h_)), xticks=[1, 20, 40]
    )
    right.legend(loc="upper left", ncols=2, framealpha=0.9)
    right.set_title(f"the cap: h = {machine.h_:.2f}", y=1.01)
    return Picture(png(figure), _text(machine, X, y, f))


def _text(machine: MCMClassifier, X: np.ndarray, y: np.ndarray, f: np.ndarray) -> str:
    C, s = machine.C, machine.sparsity_
    slack, price = float(np.maximum(0, 1 - y * f).sum()), s * float(np.abs(machine.dual_coef_).sum())
    wrong = round(len(y) * (1 - machine.score(X, y)))
    X_new, y_new = moons(**NEW)
    return (
        f"Objective {machine.objective_:.3f} = h {machine.h_:.3f} + C times slack {C * slack:.3f} + price of the "
        f"coefficients {price:.3f}.\n"
        f"{machine.n_support_} of {len(y)} points are support vectors. Errors: {wrong} of {len(y)} in the sample, "
        f"{1 - machine.score(X_new, y_new):.1%} of {len(y_new)} new points.\n{_verdict(machine, X, y)}"
    )


def _verdict(machine: MCMClassifier, X: np.ndarray, y: np.ndarray) -> str:
    """What the certificate says, and what the machine has become."""
    proof = machine.certificate_
    if not proof.proves_optimal():
        return (
            f"Certificate: NOT proved optimal. The optimum lies between {proof.dual:.3f} and {proof.primal:.3f}: the kernel "
            "matrix is too nearly singular for the solver. Take a larger gamma, or a price."
        )
    verdict = f"Certificate: proved optimal, no solution is below {proof.dual:.3f}."
    if machine.n_support_ == 0:
        price = constant_price(rbf_kernel(X, gamma=machine.gamma_), y, machine.C)
        return f"{verdict} All coefficients are 0, as for every price from {price:.3g} on: one answer for all points."
    if machine.objective_ < 1 + 1e-6:
        return f"{verdict} Every y f is 1: it has learnt the sample by heart, and C does not matter."
    return verdict


def kernel_mcm_panel() -> Panel:
    """Gamma, C and the price on the coefficients."""
    controls = {
        "gamma": ipywidgets.SelectionSlider(options=GAMMAS, value=4, description="gamma (1/length²)"),
        "C": ipywidgets.SelectionSlider(options=CS, value=1, description="C (price of slack)"),
        "sparsity": ipywidgets.SelectionSlider(options=PRICES, value=0.1, description="sparsity (price on λ)"),
    }
    alt = (
        "Left: two moons of points, the boundary of a kernel MCM with its dashed margins, support vectors ringed. Right: y f "
        "of every point in rising order, with lines at the margin 1 and at the cap h."
    )
    title = "The kernel MCM, with and without a price"
    return Panel(draw_kernel_mcm, controls, title=title, alt=alt, width=830, height=420)
