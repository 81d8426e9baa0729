"""Where a conformal map magnifies, how it bends the plane, and what becomes of boundary and margin."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from mcmteach import plots
from mcmteach.capacity import feature_margin, feature_radius
from mcmteach.conformal import ConformalKernel, ConformalMap, amari_wu_map, magnification
from mcmteach.datasets.worlds import wave_points
from mcmteach.errors import missing
from mcmteach.kernels import RBF
from mcmteach.mcm import MCMClassifier
from mcmteach.plots.rubber_sheet import Sheet, bent_sheet
from mcmteach.widgets.panel import Panel, ipywidgets
from mcmteach.widgets.picture import Picture, kept_figure, png

SAMPLE = {"M": 60, "seed": 6}  # of the world of wave_points: the sample that the lesson looks at
NEW = {"M": 2000, "seed": 1000}
GAMMA, C = 2.0, 1000.0
TAUS = (0.1, 0.15, 0.2, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)  # Amari and Wu's rule says 0.35
CORES = ("SVM's support vectors", "MCM's support vectors", "all points alike", "the 5 farthest from the boundary")
FLAT = ConformalMap(np.empty((0, 2)), [1.0], gamma=1.0)


class BentMachine(NamedTuple):
    """A machine, the plane as its kernel stretches it, and what can be said about it in feature space and on new points."""

    machine: Any
    sheet: Sheet
    margin: float
    radius: float
    accuracy: float


def nearly_hard_svc(kernel: Any) -> Any:
    """scikit-learn's support vector machine, nearly with a hard margin."""
    try:
        from sklearn.svm import SVC
    except ImportError:
        raise missing("This needs scikit-learn.", "lessons") from None
    return SVC(kernel=kernel, C=C)


def bend_and_fit(c: ConformalMap) -> BentMachine:
    """Fit the SVM with the kernel c(x) c(x') k_0(x, x') to the lesson's sample, and measure."""
    X, y = wave_points(**SAMPLE)
    kernel = ConformalKernel(c, RBF(GAMMA))
    machine, K = nearly_hard_svc(kernel).fit(X, y), kernel(X)
    coef = np.zeros(len(y))
    coef[machine.support_] = machine.dual_coef_[0]
    margin = feature_margin(K, y, coef, float(machine.intercept_[0]))
    sheet = bent_sheet(c, GAMMA, plots.SQUARE, plots.SQUARE, points=23, steps=40)
    return BentMachine(machine, sheet, margin, feature_radius(K, tol=1e-4), float(machine.score(*wave_points(**NEW))))


@lru_cache(maxsize=1)
def _before() -> BentMachine:
    return bend_and_fit(FLAT)


@lru_cache(maxsize=8)
def cores_and_weights(cores: str) -> tuple[np.ndarray, np.ndarray]:
    """Where the bumps of c sit, and how high each is, for one of ``CORES``."""
    X, y = wave_points(**SAMPLE)
    if cores == "all points alike":
        return X, np.ones(len(X))
    if cores == "the 5 farthest from the boundary":
        return X[np.abs(_before().machine.decision_function(X)).argsort()[-5:]], np.ones(5)
    mcm = cores.startswith("MCM")
    machine = MCMClassifier(gamma=GAMMA, C=10.0, sparsity=0.1).fit(X, y) if mcm else _before().machine
    return X[machine.support_], np.abs(machine.dual_coef_[0])


@lru_cache(maxsize=500)
def _bent(tau: float, floor: float, cores: str) -> tuple[ConformalMap, BentMachine]:
    where, weights = cores_and_weights(cores)
    c = amari_wu_map(where, GAMMA, weights, tau, floor).scaled(wave_points(**SAMPLE)[0])
    return c, bend_and_fit(c)


def draw_magnification(tau: float, floor: float, cores: str) -> Picture:
    """Magnification and both boundaries on the left; on the right, the plane laid out as the map stretches it."""
    X, y = wave_points(**SAMPLE)
    c, after = _bent(tau, floor, cores)
    where, _ = cores_and_weights(cores)
    figure, (left, right) = kept_figure(830, 460, columns=2, left=0.05, right=0.985, bottom=0.14, top=0.93, wspace=0.1)
    plots.plot_magnification(c, GAMMA, left, colorbar=False)
    plots.plot_boundary(_before().machine, left, label="boundary before", linestyle="--", linewidth=1.5)
    plots.plot_boundary(after.machine, left, label="boundary after")
    left.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1])
    sheet = after.sheet
    times = magnification(sheet.before.reshape(-1, 2), c, GAMMA).reshape(sheet.before.shape[:2]) / (2 * GAMMA)
    plots.plot_sheet(sheet, times, right)
    plots.plot_boundary(after.machine, right, sheet=sheet)
    for ax, points, cores_at in ((left, X, where), (right, sheet.carry(X), sheet.carry(where))):
        plots.plot_points(points, y, ax)
        plots.plot_support(cores_at, ax, label="cores")
    left.legend(*_named(left, ("boundary before", "boundary after", "cores")), **BELOW)
    left.set_title(f"magnified up to {times.max():.3g} times (dark)", y=1.01)
    right.set(xlim=(-1.9, 1.9), ylim=(-1.9, 1.9), xticks=[], yticks=[])
    right.set_title("the plane, as the map stretches it", y=1.01)
    return Picture(png(figure), _text(c, _before(), after))


BELOW = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.06), "ncols": 3, "frameon": False, "columnspacing": 1.2}


def _named(ax: Any, names: tuple[str, ...]) -> tuple[list[Any], list[str]]:
    known = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    return [known[name] for name in names], list(names)


def _text(c: ConformalMap, before: BentMachine, after: BentMachine) -> str:
    X, y = wave_points(**SAMPLE)
    lines = [f"Before: {_measures(before)}.", f"After:  {_measures(after)}."]
    where = c(wave_points(**NEW)[0])
    lines.append(
        f"At new points c lies between {where.min():.2g} and {where.max():.2g}. "
        f"The machine is wrong about {round(len(y) * (1 - after.machine.score(X, y)))} of the {len(y)} points it has seen."
    )
    return "\n".join(lines)


def _measures(found: BentMachine) -> str:
    ratio = f"R/margin {found.radius / found.margin:.2f}" if found.margin > 0 else "no separation"
    return f"margin {found.margin:.3f}, R {found.radius:.2f}, {ratio}; right on new points {found.accuracy:.1%}"


def magnification_panel() -> Panel:
    """The width of the bumps, the floor under them, and where they sit."""
    controls = {
        "tau": ipywidgets.SelectionSlider(options=TAUS, value=0.35, description="tau (length)"),
        "floor": ipywidgets.FloatSlider(1.0, min=0, max=2, step=0.1, description="alpha_0 (of largest h)"),
        "cores": ipywidgets.Dropdown(options=CORES, description="cores"),
    }
    alt = (
        "Left: magnification as shades of purple over points of two classes, cores ringed, the boundary before the map dashed "
        "and after it solid. Right: the same plane as a grid that is wide where the map magnifies and narrow elsewhere."
    )
    return Panel(draw_magnification, controls, title="Where to make room", alt=alt, width=830, height=460)
