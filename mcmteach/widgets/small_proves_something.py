"""The compression bound against bits, samples, errors and confidence."""

from __future__ import annotations

import numpy as np
from scipy.special import comb

from mcmteach import plots
from mcmteach.guarantee import compression_bound, constant_bound, hoeffding_bound
from mcmteach.guarantee.compress import message_parts
from mcmteach.kernels import RBF
from mcmteach.widgets.panel import Panel, ipywidgets
from mcmteach.widgets.picture import Picture, kept_figure, png

DELTAS = (0.0001, 0.001, 0.01, 0.05, 0.1, 0.2, 0.5)
SIZES = (60, 100, 200, 426, 1000, 5000)
LARGEST_D = 40
RARE = 0.37  #: share of the rarer class, as in breast-cancer-wdbc: what a constant machine gets wrong


def draw_guarantee(d: int, bits: int, errors: int, delta: float, M: int) -> Picture:
    """The bound against d on the left, with the chosen machine on it; what had to be said on the right."""
    errors = min(errors, M - LARGEST_D - 2)
    parts = message_parts(d, bits, 3, RBF(1.0), 17)
    nats = sum(parts.values())
    bound = compression_bound(errors, M, d, nats, delta)
    rare = round(RARE * M)
    rival = constant_bound(np.repeat([0, 1], [M - rare, rare]), delta)
    figure, (left, right) = kept_figure(830, 400, columns=2, left=0.075, right=0.985, bottom=0.25, wspace=0.58)
    plots.plot_bound_by_size(M, errors, bits, delta, LARGEST_D, rival, ax=left)
    left.plot([d], [bound], "o", color=plots.BLACK, markersize=9, label=f"d = {d}")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2, frameon=False)
    left.set_title("the bound", y=1.01)
    costs = {"confidence": -float(np.log(delta)), "which samples": float(np.log(comb(M, d))), **parts}
    plots.plot_message({name: cost / float(np.log(2)) for name, cost in costs.items()}, ax=right)
    right.set_title("what is paid for", y=1.01)
    verdict = "better than a constant machine" if bound < rival else "no better than a constant machine"
    simple = hoeffding_bound(errors, M, d, nats, delta)
    text = (
        f"Rebuilt from {d} of {M} samples with coefficients of {bits} bits, {errors} errors on the other {M - d}: with "
        f"{1 - delta:.4g} confidence the risk is at most {bound:.3f} (Hoeffding: {simple:.3f}).\n"
        f"The share of errors is {errors / (M - d):.3f}; a constant machine has {rival:.3f}, so this is {verdict}."
    )
    return Picture(png(figure), text)


def guarantee_panel() -> Panel:
    """The compression bound against d, bits, errors, delta and M."""
    controls = {
        "d": ipywidgets.IntSlider(4, 1, LARGEST_D, description="d (samples held)"),
        "bits": ipywidgets.IntSlider(2, 0, 8, description="bits (coefficient)"),
        "errors": ipywidgets.IntSlider(10, 0, 100, description="errors (on others)"),
        "delta": ipywidgets.SelectionSlider(options=DELTAS, value=0.05, description="delta (failure)"),
        "M": ipywidgets.SelectionSlider(options=SIZES, value=426, description="M (samples)"),
    }
    alt = (
        "Left: the bound on the risk rising with the number of samples that a machine holds, with the bound of a constant "
        "machine as a dotted line. Right: bars that say how many bits each part of the message costs."
    )
    return Panel(draw_guarantee, controls, title="What do few samples prove?", alt=alt, width=830, height=400)
