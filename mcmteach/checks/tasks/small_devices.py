"""Tasks: the size of a machine, short numbers, a scale that is folded in, and which machines are worth having."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.export import model_size
from mcmteach.validation import FloatArray

TITLE = "Small devices"


# --- its size --------------------------------------------------------------------------------------------------------


def kernel_model_bytes(lam: FloatArray, n: int, size: int) -> int:
    return size * (int(np.count_nonzero(lam)) * (n + 1) + 1)


def fitted_weights(rng: np.random.Generator) -> list[tuple]:
    """Weights with zeros among them, negative ones, none but zeros, and none that is zero."""
    cases: list[tuple] = [
        ([0], 3, 4),
        ([2], 1, 4),
        ([0, -1, 0], 2, 4),
        ([1, 0, -0.5, 0, 0], 10, 2),
        ([0.1, 0.2, -3, 4], 5, 8),
        ([0, 0, 1e-3, -1e-3, 0, 7, 0], 7, 4),
    ]
    for M in (2, 3, 5, 8):
        cases.append(
            (rng.integers(-1, 2, M) * rng.integers(1, 5, M), int(rng.integers(2, 30)), int(rng.choice([2, 4, 8])))
        )
    return [(np.array(lam, float), n, size) for lam, n, size in cases]


def _weighing(count: Callable) -> Callable[[Any, int, int], int]:
    """Bytes, from a function of S, M and n that says how many numbers."""
    return lambda lam, n, size: int(size * count(int(np.count_nonzero(lam)), len(lam), n))


KERNEL_MODEL_BYTES = Task(
    key="small_devices.1",
    title="What does it weigh?",
    reference=kernel_model_bytes,
    inputs=fitted_weights,
    library=(model_size.model_bytes, model_size.model_numbers),
    mistakes={
        "zeros kept": (
            _weighing(lambda S, M, n: M * (n + 1) + 1),
            "You keep samples whose weight is zero. They take no part in f, so the device need not store them.",
        ),
        "bias forgotten": (_weighing(lambda S, M, n: S * (n + 1)), "b is missing: one more number."),
        "weights forgotten": (
            _weighing(lambda S, M, n: S * n + 1),
            "You count the support vectors and b, but not the weights λ_j.",
        ),
        "vectors forgotten": (
            _weighing(lambda S, M, n: S + 1),
            "You count weights and b, but not the support vectors. To compute k(x_j, x) the device needs x_j.",
        ),
        "a bias for each": (
            _weighing(lambda S, M, n: S * (n + 2)),
            "You keep a b for each support vector. There is one for all.",
        ),
        "only positive weights": (
            lambda lam, n, size: int(size * (np.sum(lam > 0) * (n + 1) + 1)),
            "Samples with a negative weight are left out. They count too, for the other class.",
        ),
        "numbers for bytes": (
            lambda lam, n, size: int(np.count_nonzero(lam)) * (n + 1) + 1,
            "That is how many numbers there are. Each takes `size` bytes.",
        ),
    },
    hints=(
        "Count numbers first: which ones appear in f(x) = Σ λ_j k(x_j, x) + b, for those j that matter?",
        "S = `np.count_nonzero(lam)` samples matter. For each: n coordinates and one weight.",
        "S times (n + 1), plus one for b; and all that times `size`.",
    ),
)


# --- short numbers ---------------------------------------------------------------------------------------------------


def quantise(values: FloatArray, bits: int) -> tuple[np.ndarray, float]:
    return _quantise()(values, bits)


def _quantise(
    top: Callable = lambda bits: 2 ** (bits - 1) - 1,
    reach: Callable = lambda values: np.abs(values).max(),
    whole: Callable = np.rint,
    back: Callable = lambda levels, step: (levels, step),
) -> Callable[..., tuple[np.ndarray, float]]:
    """Rounding with something changed: the largest whole number, what it stands for, how it is rounded, what is returned."""

    def round_them(values: FloatArray, bits: int) -> tuple[np.ndarray, float]:
        step = float(reach(values) / top(bits))
        return back(whole(values / step), step)

    return round_them


def numbers_to_store(rng: np.random.Generator) -> list[tuple]:
    """Numbers of both signs, with the largest below zero or above; no value lies half-way between two whole numbers."""
    cases: list[tuple] = [([1.0, -2.0], 8), ([0.3, -1.1, 0.75], 4), ([-5.0, 0.4, 2.2, 3.1], 3), ([0.9, 0.2, -0.35], 16)]
    while len(cases) < 9:
        values, bits = rng.normal(size=rng.integers(2, 6)).round(3) * 3, int(rng.integers(3, 11))
        parts = np.abs(values) / np.abs(values).max() * (2 ** (bits - 1) - 1)
        if np.abs(parts % 1 - 0.5).min() > 0.02 and (values < 0).any() and (values > 0).any():
            cases.append((values, bits))
    return [(np.array(values, float), bits) for values, bits in cases]


QUANTISE = Task(
    key="small_devices.2",
    title="Short numbers",
    reference=quantise,
    inputs=numbers_to_store,
    mistakes={
        "one too many": (
            _quantise(top=lambda bits: 2 ** (bits - 1)),
            "Your largest whole number is 2^(bits-1). A signed number of 8 bits ends at 127, one less than that: 128 would "
            "become -128.",
        ),
        "no room for the sign": (
            _quantise(top=lambda bits: 2**bits - 1),
            "You use all 2^bits - 1 values for the positive numbers. Half of them are needed for the negative ones.",
        ),
        "largest without its size": (
            _quantise(reach=lambda values: values.max()),
            "The step comes from the largest value. A number far below zero may be larger in size: take the largest |v|.",
        ),
        "whole range": (
            _quantise(reach=lambda values: (values.max() - values.min()) / 2),
            "You spread the steps from the smallest to the largest value, but 0 then is no longer at 0. Here zero stays zero: "
            "the largest |v| becomes the largest whole number.",
        ),
        "rounded down": (
            _quantise(whole=np.floor),
            "You round down. The nearest whole number is off by half a step at most, and that in both directions.",
        ),
        "cut off": (
            _quantise(whole=np.trunc),
            "You cut the digits off, which pulls every number towards 0. Round to the nearest whole number.",
        ),
        "numbers for whole numbers": (
            _quantise(back=lambda levels, step: (levels * step, step)),
            "You return the rounded values. What is stored is the whole numbers; the device multiplies by the step.",
        ),
        "step upside down": (
            _quantise(back=lambda levels, step: (levels, 1 / step)),
            "Your step is its reciprocal: value = whole number times step, so the step is the largest |v| divided by the "
            "largest whole number.",
        ),
    },
    hints=(
        "What is the largest whole number that `bits` bits can hold, if one of them is the sign?",
        "top = 2 ** (bits - 1) - 1, and the largest |v| should become top: step = max |v| / top.",
        "Return `np.rint(values / step)` and the step.",
    ),
)


# --- a scale that costs nothing --------------------------------------------------------------------------------------


def fold_scale(w: FloatArray, b: float, mean: FloatArray, scale: FloatArray) -> tuple[np.ndarray, float]:
    return w / scale, float(b - (w / scale) @ mean)


def planes_and_scales(rng: np.random.Generator) -> list[tuple]:
    """A plane on standardised features, and their means and scales; no scale is 1, and no mean is 0."""
    cases: list[tuple] = [([2], 1, [3], [4]), ([1, -1], 0.5, [2, 5], [0.5, 2]), ([3, 0, 1], -2, [1, 1, -1], [2, 3, 4])]
    for n in (1, 2, 3, 5):
        cases.append((
            rng.integers(1, 5, n) * rng.choice([-1, 1], n), rng.integers(1, 9) / 4, rng.integers(1, 6, n) + 0.5,
            rng.integers(2, 6, n),
        ))  # fmt: skip
    return [
        (np.array(w, float), float(b), np.array(mean, float), np.array(scale, float)) for w, b, mean, scale in cases
    ]


FOLD_SCALE = Task(
    key="small_devices.3",
    title="A scale that costs nothing",
    reference=fold_scale,
    inputs=planes_and_scales,
    mistakes={
        "multiplied": (
            lambda w, b, mean, scale: (w * scale, float(b - (w * scale) @ mean)),
            "You multiply by the scale. A feature that was divided by its scale has a weight that is divided as well.",
        ),
        "mean not scaled": (
            lambda w, b, mean, scale: (w / scale, float(b - w @ mean)),
            "The mean is subtracted before the division, so it has to be divided by the scale too: use v, and not w.",
        ),
        "wrong sign": (
            lambda w, b, mean, scale: (w / scale, float(b + (w / scale) @ mean)),
            "The mean is subtracted from x, so v·mean is subtracted from b.",
        ),
        "mean forgotten": (
            lambda w, b, mean, scale: (w / scale, float(b)),
            "b stays as it was. But x - mean is not x: what the mean takes away belongs in the new bias.",
        ),
        "bias forgotten": (
            lambda w, b, mean, scale: (w / scale, float(-(w / scale) @ mean)),
            "The old b is gone. The new bias is b less v·mean.",
        ),
        "scale forgotten": (
            lambda w, b, mean, scale: (w, float(b - w @ mean)),
            "You subtract the mean, and the division by the scale is missing.",
        ),
    },
    hints=(
        "Write w·((x - mean) / scale) + b and sort: what stands before x, and what does not depend on x?",
        "Before x stands w / scale: that is v. Without x there are b and - v·mean.",
        "Return `w / scale` and `b - (w / scale) @ mean`.",
    ),
)


# --- which machines are worth having ---------------------------------------------------------------------------------


def worth_having(sizes: FloatArray, errors: FloatArray) -> np.ndarray:
    return _worth()(sizes, errors)


def _beats(s: FloatArray, e: FloatArray, size: float, error: float) -> np.ndarray:
    return (s <= size) & (e <= error) & ((s < size) | (e < error))


def _worth(beats: Callable = _beats) -> Callable[[Any, Any], np.ndarray]:
    """Those that no other beats, with another idea of beating."""
    return lambda sizes, errors: np.array([
        not beats(sizes, errors, size, error).any() for size, error in zip(sizes, errors, strict=True)
    ])  # fmt: skip


def tables_of_machines(rng: np.random.Generator) -> list[tuple]:
    """Sizes and errors: two twins, one that is as small and worse, one that is as good and larger, and tables at random."""
    cases: list[tuple] = [
        ([1], [0.5]),
        ([1, 2], [0.2, 0.1]),
        ([2, 2, 5], [0.3, 0.3, 0.1]),
        ([2, 2, 5, 9], [0.3, 0.4, 0.1, 0.1]),
        ([1, 3, 4, 9, 9], [0.5, 0.2, 0.3, 0.2, 0.6]),
        ([5, 1, 3], [0.1, 0.5, 0.2]),
    ]
    for m in (3, 4, 6, 9):
        cases.append((rng.integers(1, 7, m), rng.integers(1, 7, m) / 10))
    return [(np.array(sizes, float), np.array(errors, float)) for sizes, errors in cases]


WORTH_HAVING = Task(
    key="small_devices.4",
    title="Which machines are worth having?",
    reference=worth_having,
    inputs=tables_of_machines,
    mistakes={
        "the beaten ones": (
            lambda sizes, errors: ~worth_having(sizes, errors),
            "True and False are exchanged: you mark the machines that another beats.",
        ),
        "better in both": (
            _worth(lambda s, e, size, error: (s < size) & (e < error)),
            "A machine of the same size with fewer errors beats it as well, and so does a smaller one with as many errors.",
        ),
        "beaten by itself": (
            _worth(lambda s, e, size, error: (s <= size) & (e <= error)),
            "Every machine is as small and as good as itself. To beat, one has to be better in one of the two.",
        ),
        "better in one": (
            _worth(lambda s, e, size, error: (s < size) | (e < error)),
            "You drop a machine as soon as another is better in something. It must be no worse in the other thing.",
        ),
        "larger wins": (
            _worth(lambda s, e, size, error: (s >= size) & (e <= error) & ((s > size) | (e < error))),
            "Larger machines beat smaller ones in yours. On a device fewer bytes are better.",
        ),
        "the two ends": (
            lambda sizes, errors: (sizes == sizes.min()) | (errors == errors.min()),
            "You keep the smallest and the most accurate. One in the middle can be worth having too: smaller than the best, "
            "better than the smallest.",
        ),
    },
    hints=(
        "For one machine (size, error): when is another one at least as good in everything, and better in something?",
        "`(sizes <= size) & (errors <= error)`, and one of `sizes < size`, `errors < error`: those beat it.",
        "A machine is worth having if that is true for none (`not … .any()`). Return an array of True and False.",
    ),
)


# --- explain what you see --------------------------------------------------------------------------------------------

EXPLAIN_DEVICE = Explanation(
    key="small_devices.5",
    title="Explain what you see",
    points={
        "price": (
            "price, spars, fewer support, fewer vector, support vector",
            "What does the price on the weights do to the number of bytes, and to the errors?",
        ),
        "bits": (
            "bit, round, int8, short, precision, quanti",
            "What does storing 8 bits in the place of 32 change: the size, the answers, both?",
        ),
        "rival": (
            "logistic, linear, plane, rival, simple",
            "One machine in the table is no kernel machine. How does it compare?",
        ),
        "choice": (
            "choose, would, prefer, take, depends, budget, fit",
            "Which of them would you put on a device with 1 KB, and why that one?",
        ),
        "new data": (
            "new cell, held out, held-out, test, not seen, unseen, took no part, interval, chance, few cells",
            "On which samples were the errors counted, and how sure can one be with so few?",
        ),
    },
    model="""\
A higher price leaves fewer support vectors, so the machine is smaller, and beyond some point it makes more errors.
Rounding to 8 bits makes it four times smaller again and changes hardly any answer. The simple rival, logistic
regression, is a plane: it is far smaller still and here as accurate, so a kernel machine has to earn its bytes. With 1 KB I
would choose the smallest machine whose errors on samples that took no part in training are not clearly worse. With so
few new cells a difference of one or two errors is chance.""",
    hints=(
        "Go down the table of prices: which column falls, and which one rises at the end?",
        "Compare each line with its neighbour in 8 bits, and then with the plane.",
        "Draw a line at 1024 bytes. Of the machines below it, which makes the fewest errors, and by how many cells?",
    ),
)

TASKS = [KERNEL_MODEL_BYTES, QUANTISE, FOLD_SCALE, WORTH_HAVING, EXPLAIN_DEVICE]

# --- lines to write inside the lesson ----------------------------------------------------------------------------------


GAP_STORED = gap(
    "small_devices.numbers_stored",
    lambda S, n: S * (n + 1) + 1,
    lambda rng: [(1, 1), (10, 4), *((int(S), int(n)) for S, n in rng.integers(2, 90, (4, 2)))],
    {
        "weights forgotten": (
            lambda S, n: S * n + 1,
            "Each support vector has a weight of its own beside its n coordinates.",
        ),
        "b forgotten": (lambda S, n: S * (n + 1), "b is a number, too."),
        "vectors forgotten": (lambda S, n: S + 1, "The weights alone are no use: the kernel needs the vectors."),
    },
    "Each of the S vectors brings n coordinates and a weight.",
    called="numbers_stored",
)

GAP_STEP = gap(
    "small_devices.nearest_step",
    lambda v, o, step: float(np.rint((v - o) / step)),
    lambda rng: [
        (1.3, 1.0, 0.125),
        (1.35, 1.0, 0.125),
        (-0.7, 0.0, 0.25),
        *((v / 16 + 0.01, o / 4, 0.125) for v, o in rng.integers(-40, 40, (5, 2)).tolist()),
    ],
    {
        "middle forgotten": (
            lambda v, o, step: float(np.rint(v / step)),
            "Subtract the middle o first: q counts steps away from it.",
        ),
        "not rounded": (lambda v, o, step: (v - o) / step, "q is a whole number: round it."),
        "cut off": (
            lambda v, o, step: float(np.floor((v - o) / step)),
            "You cut off. The *nearest* whole number makes the smaller error.",
        ),
    },
    "How many steps lie between o and v? `np.rint` rounds.",
    called="nearest_step",
)

GAPS = [GAP_STORED, GAP_STEP]
