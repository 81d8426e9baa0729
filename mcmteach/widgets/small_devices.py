"""Short numbers: a machine's vectors and coefficients rounded to a few bits, what that costs, and what can be promised."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcmteach import guarantee, plots
from mcmteach.datasets import load_dataset
from mcmteach.export.c_code import rounded
from mcmteach.export.formula import Formula, formula_of
from mcmteach.guarantee import CompressedMachine, compression_bound, constant_bound, message_nats
from mcmteach.kernels import RBF
from mcmteach.mcm import MCMClassifier
from mcmteach.validation import FloatArray
from mcmteach.widgets.panel import Panel, ipywidgets
from mcmteach.widgets.picture import Picture, kept_figure, png

FLASHES, ASIDE, GAMMA, DELTA = 2000, 12_000, 2.0**-4, 0.05
PRICES = (0.3, 1.0, 3.0, 10.0, 30.0)
BITS = (2, 3, 4, 5, 6, 8)
OFFSET_BITS = 8  # of b


class Short(NamedTuple):
    """A machine in short numbers."""

    vectors: int  #: those whose coefficient did not become zero
    size: int  #: bytes
    wrong: float  #: share of new flashes
    changed: float  #: share of new flashes that get another answer than before
    bound: float  #: on the risk, with probability 1 - DELTA


@lru_cache(maxsize=1)
def _flashes() -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Samples, labels, new samples, their labels; the scale comes from flashes that are set aside, so no bound pays for it."""
    data = load_dataset("magic-gamma")
    rows = np.random.default_rng(0).permutation(len(data.target))
    X, y = data.data[rows], 2.0 * data.target[rows] - 1
    aside = X[FLASHES:ASIDE]
    X = (X - aside.mean(axis=0)) / aside.std(axis=0)
    return X[:FLASHES], y[:FLASHES], X[ASIDE:], y[ASIDE:]


@lru_cache(maxsize=len(PRICES))
def fitted(price: float) -> tuple[NDArray[np.int64], Formula]:
    """Which samples are support vectors, and the machine as it was fitted."""
    X, y, *_ = _flashes()
    machine = MCMClassifier(gamma=GAMMA, C=1.0, sparsity=price).fit(X, y)
    return machine.support_, formula_of(machine)


@lru_cache(maxsize=len(PRICES) * len(BITS))
def shortened(price: float, bits: int) -> Short:
    """The machine in numbers of this many bits, and what the sample proves about it.

    How the vectors are rounded follows from those that are kept, so it need not be told; the choice among ``BITS`` is paid for.
    """
    X, y, X_new, y_new = _flashes()
    support, exact = fitted(price)
    step = np.abs(exact.coef).max() / ((1 << (bits - 1)) - 1)
    levels = np.rint(exact.coef[0] / step).astype(np.int64)
    kept = levels != 0
    vectors = rounded(exact._replace(vectors=exact.vectors[kept], coef=exact.coef[:, kept]), bits).vectors
    made = CompressedMachine(vectors, levels[kept], bits, False, 0, OFFSET_BITS, RBF(GAMMA), np.array([-1.0, 1.0]))
    last = (1 << OFFSET_BITS) - 1
    low, high = made.intercept, made._replace(offset=last).intercept
    place = np.rint((exact.intercept[0] / step - low) / (high - low) * last)
    made = made._replace(offset=int(np.clip(place, 0, last)))
    others = np.ones(len(y), dtype=bool)
    others[support[kept]] = False
    errors, d = int(np.sum(made.predict(X[others]) != y[others])), int(kept.sum())
    nats = message_nats(d, bits, OFFSET_BITS, RBF(GAMMA), len(guarantee.GAMMA_LIST)) + float(np.log(len(BITS)))
    answers = made.predict(X_new)
    n = X.shape[1]
    return Short(
        vectors=d,
        size=-(-(d * (n + 1) * bits + OFFSET_BITS) // 8) + 2 * n * 4,  # and for each feature its origin and its step
        wrong=float(np.mean(answers != y_new)),
        changed=float(np.mean(answers != exact.predict(X_new))),
        bound=compression_bound(errors, len(y), d, nats, DELTA),
    )


def draw_short(price: float, bits: int) -> Picture:
    """Error against bytes on the left, error and bound against bits on the right."""
    X, y, X_new, y_new = _flashes()
    support, exact = fitted(price)
    here, all_bits = shortened(price, bits), [shortened(price, each) for each in BITS]
    wrong = float(np.mean(exact.predict(X_new) != y_new))
    constant = constant_bound(y, DELTA)
    figure, (left, right) = kept_figure(
        830, 400, columns=2, left=0.085, right=0.985, bottom=0.13, top=0.92, wspace=0.24
    )
    full = 4 * (exact.vectors.size + len(support) + 1 + 2 * X.shape[1])
    plots.plot_sizes(
        {
            "2 to 8 bits": ([each.size for each in all_bits], [each.wrong for each in all_bits]),
            "single precision": (full, wrong),
            "here": (here.size, here.wrong),
        },
        {"2 KB": 2048},
        left,
    )
    left.set(xlim=(50, 20_000), ylim=(0, 1))
    left.set_title("error against size", y=1.01)
    left.legend(loc="upper left")
    plots.plot_bits(BITS, [s.wrong for s in all_bits], [s.bound for s in all_bits], wrong, constant, bits, right)
    right.set_title("error and bound", y=1.01)
    right.legend(loc="upper right", fontsize=8)
    return Picture(png(figure), _text(here, len(support), full, wrong, bits, constant))


def _text(here: Short, vectors: int, full: int, wrong: float, bits: int, constant: float) -> str:
    worth = "" if here.bound < constant else ": a constant answer is promised at least as much"
    return (
        f"In single precision: {vectors} vectors, {full} bytes, wrong about {wrong:.1%} of new flashes.\n"
        f"In {bits} bits: {here.vectors} vectors, {here.size} bytes, wrong about {here.wrong:.1%}; {here.changed:.1%} of the "
        "answers change.\n"
        f"With 95 % confidence the risk is at most {here.bound:.1%} (a constant answer: {constant:.1%}){worth}."
    )


def short_numbers_panel() -> Panel:
    """The price, which says how many vectors there are, and the bits of a number."""
    controls = {
        "price": ipywidgets.SelectionSlider(options=PRICES, value=1.0, description="price s (per weight)"),
        "bits": ipywidgets.SelectionSlider(options=BITS, value=8, description="bits (per number)"),
    }
    alt = (
        "Left: the share of new flashes that the machine gets wrong against its size in bytes, for 2 to 8 bits per number, in "
        "single precision and here. Right: the same share and the bound on the risk, against the number of bits."
    )
    return Panel(draw_short, controls, title="Short numbers", alt=alt, width=830, height=400)
