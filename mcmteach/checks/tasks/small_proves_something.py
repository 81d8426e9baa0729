"""Tasks: Occam's bound, the length of a message, errors on the samples that a machine does not hold, the compression bound."""

from __future__ import annotations

from math import comb, log, log2

import numpy as np
from scipy.stats import beta

from mcmteach import guarantee
from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.validation import FloatArray

TITLE = "Small proves something"


# --- Occam's bound -----------------------------------------------------------------------------------------------------


def occam_bound(errors: int, M: int, N: int, delta: float) -> float:
    return float(errors / M + np.sqrt((np.log(N) - np.log(delta)) / (2 * M)))


def occam_inputs(rng: np.random.Generator) -> list[tuple]:
    drawn = [
        (int(rng.integers(0, M)), int(M), int(rng.integers(2, 10_000)), float(rng.choice([0.3, 0.1, 0.05, 0.01])))
        for M in rng.integers(5, 400, 10)
    ]
    return [(0, 1, 1, 0.5), (1, 2, 1, 0.5), (0, 10, 8, 0.1), (3, 100, 1000, 0.05), *drawn]


OCCAM_BOUND = Task(
    key="small_proves_something.1",
    title="Occam's bound for a list of machines",
    reference=occam_bound,
    inputs=occam_inputs,
    library=(guarantee.hoeffding_bound,),
    mistakes={
        "the list not paid for": (
            lambda errors, M, N, delta: errors / M + np.sqrt(-np.log(delta) / (2 * M)),
            "That is the bound for one machine that was there before the data. You chose the best of N: ln N is missing "
            "under the root. (With N = 1 one does not see it.)",
        ),
        "N for ln N": (
            lambda errors, M, N, delta: errors / M + np.sqrt((N - np.log(delta)) / (2 * M)),
            "N itself stands under your root. The union bound divides δ by N, and it is the logarithm of N/δ that counts.",
        ),
        "sign of ln delta": (
            lambda errors, M, N, delta: errors / M + np.sqrt(np.abs(np.log(N) + np.log(delta)) / (2 * M)),
            "Mind the sign of ln δ: δ is below 1, so ln δ is negative, and ln(N/δ) = ln N - ln δ. More certainty costs more.",
        ),
        "2 forgotten": (
            lambda errors, M, N, delta: errors / M + np.sqrt((np.log(N) - np.log(delta)) / M),
            "Under the root one divides by 2M: the 2 is missing.",
        ),
        "root forgotten": (
            lambda errors, M, N, delta: errors / M + (np.log(N) - np.log(delta)) / (2 * M),
            "There is a square root round ln(N/δ) / 2M, and yours has none.",
        ),
        "count for share": (
            lambda errors, M, N, delta: errors + np.sqrt((np.log(N) - np.log(delta)) / (2 * M)),
            "You add the number of errors. The risk is a probability: divide by M first.",
        ),
        "bits for nats": (
            lambda errors, M, N, delta: errors / M + np.sqrt((np.log2(N) - np.log2(delta)) / (2 * M)),
            "You took logarithms to base 2. Hoeffding's inequality has e to some power, so its logarithm is the natural "
            "one, `np.log`.",
        ),
    },
    hints=(
        "One machine has errors/M plus a root. What does the root become if δ is shared among N machines?",
        "Replace δ by δ/N: the root holds ln(N/δ) = ln N - ln δ, divided by 2M.",
        "`errors / M + np.sqrt((np.log(N) - np.log(delta)) / (2 * M))`.",
    ),
)


# --- the length of the message -----------------------------------------------------------------------------------------


def message_length(M: int, d: int, bits: int) -> float:
    return log2(comb(M, d)) + d * bits


def message_inputs(rng: np.random.Generator) -> list[tuple]:
    drawn = [(int(M), int(rng.integers(1, min(M, 30))), int(rng.integers(1, 9))) for M in rng.integers(4, 200, 10)]
    return [(2, 1, 0), (4, 2, 1), (5, 0, 3), (6, 6, 2), (426, 4, 2), *drawn]


MESSAGE_LENGTH = Task(
    key="small_proves_something.2",
    title="How long is the message?",
    reference=message_length,
    inputs=message_inputs,
    mistakes={
        "order counted": (
            lambda M, d, bits: d * np.log2(M) + d * bits,
            "You name the samples one after another, M choices each time. That also tells their order, which nobody needs: "
            "the number of sets of d samples is `comb(M, d)`.",
        ),
        "coefficients forgotten": (
            lambda M, d, bits: log2(comb(M, d)),
            "That says which samples. Their coefficients have to be said too: d of them.",
        ),
        "one coefficient": (
            lambda M, d, bits: log2(comb(M, d)) + bits,
            "You pay for one coefficient. There are d of them, each of so many bits.",
        ),
        "samples forgotten": (
            lambda M, d, bits: d * bits,
            "That says the coefficients. Which d of the M samples they belong to has to be said as well.",
        ),
        "nats for bits": (
            lambda M, d, bits: log(comb(M, d)) + d * bits,
            "You mix units: `log` gives nats and the coefficients are in bits. Take `log2`.",
        ),
        "all samples": (
            lambda M, d, bits: log2(comb(M, d)) + M * bits,
            "You pay for a coefficient of every sample. Those that are not chosen have none: there are d coefficients.",
        ),
    },
    hints=(
        "Two things are said: which d of the M samples, and a coefficient for each of these.",
        "There are `comb(M, d)` sets of d samples. To name one of N things takes log2 N bits.",
        "`log2(comb(M, d)) + d * bits`.",
    ),
)


# --- errors on the others ----------------------------------------------------------------------------------------------


def missed_others(y: FloatArray, f: FloatArray, held: np.ndarray) -> int:
    return int(np.sum(np.delete(np.asarray(y) * np.asarray(f) <= 0, held)))


def other_inputs(rng: np.random.Generator) -> list[tuple]:
    calls = [
        (np.array([1.0, -1.0]), np.array([1.0, 1.0]), np.array([0])),
        (np.array([1.0, -1.0]), np.array([1.0, 1.0]), np.array([1])),
        (np.array([1.0, -1.0, 1.0]), np.array([0.0, -2.0, -1.0]), np.array([1])),
    ]
    for M in (5, 8, 12, 20, 30):
        y, f = rng.choice([-1.0, 1.0], M), rng.integers(-4, 5, M) / 2
        f[: M // 2] = -y[: M // 2] * (1 + np.abs(f[: M // 2]))  # many errors, some of them on samples that are held
        order = rng.permutation(M)
        calls.append((y[order], f[order], np.sort(rng.permutation(M)[: M // 3])))
    return calls


ERRORS_ON_OTHERS = Task(
    key="small_proves_something.3",
    title="Errors on the samples that the machine does not hold",
    reference=missed_others,
    inputs=other_inputs,
    mistakes={
        "all samples": (
            lambda y, f, held: np.sum(y * f <= 0),
            "You count errors on all samples. The machine was made of those in `held`, so they test nothing: leave them out.",
        ),
        "the held ones": (
            lambda y, f, held: np.sum((y * f <= 0)[held]),
            "You count errors on the samples that the machine holds. It is the others that test it.",
        ),
        "the right ones": (
            lambda y, f, held: np.sum(np.delete(y * f > 0, held)),
            "You count the samples that are right. Errors have y·f ≤ 0.",
        ),
        "share for count": (
            lambda y, f, held: np.mean(np.delete(y * f <= 0, held)),
            "You return the share. The binomial tail wants the number of errors.",
        ),
        "on the boundary counted as right": (
            lambda y, f, held: np.sum(np.delete(y * f < 0, held)),
            "A sample with f = 0 got no answer, so it counts as an error; you count it as right.",
        ),
    },
    hints=(
        "First find all errors, then leave out the samples whose index stands in `held`.",
        "`y * f <= 0` marks the errors; `np.delete(array, held)` drops entries by index.",
        "Sum what is left.",
    ),
)


# --- the compression bound ---------------------------------------------------------------------------------------------


def compression_bound(errors: int, n: int, nats: float) -> float:
    return float(beta.ppf(1 - np.exp(-nats), errors + 1, n - errors))


def bound_inputs(rng: np.random.Generator) -> list[tuple]:
    drawn = [(int(rng.integers(0, n // 2)), int(n), float(rng.integers(1, 50)) / 2) for n in rng.integers(4, 400, 10)]
    return [(0, 1, 1.0), (0, 2, 3.0), (1, 2, 3.0), (10, 422, 24.0), *drawn]


COMPRESSION_BOUND = Task(
    key="small_proves_something.4",
    title="The compression bound",
    reference=compression_bound,
    inputs=bound_inputs,
    library=(guarantee.compression_bound, guarantee.test_set_bound),
    mistakes={
        "the lower limit": (
            lambda errors, n, nats: beta.ppf(np.exp(-nats), errors + 1, n - errors),
            "That is the smallest risk that is still likely. A guarantee asks for the largest: the tail on the other side, "
            "1 - e^(-nats).",
        ),
        "one error fewer": (
            lambda errors, n, nats: beta.ppf(1 - np.exp(-nats), max(errors, 1e-12), n - errors + 1),
            "Your beta distribution has the parameters errors and n - errors + 1. That inverts P(Bin < errors); the tail is "
            "P(Bin ≤ errors), with errors + 1 and n - errors.",
        ),
        "the share of errors": (
            lambda errors, n, nats: errors / n,
            "That is the share of errors on the sample. It is only an estimate: the risk may well be larger.",
        ),
        "Hoeffding": (
            lambda errors, n, nats: errors / n + np.sqrt(nats / (2 * n)),
            "That is Hoeffding's form. It holds, but it is larger than need be, most of all for few errors. Invert the "
            "binomial tail itself.",
        ),
        "bits for nats": (
            lambda errors, n, nats: beta.ppf(1 - 0.5**nats, errors + 1, n - errors),
            "You took 2 to the power of -nats. A message of so many nats has the probability e^(-nats).",
        ),
    },
    hints=(
        "You look for the p at which the binomial tail P(Bin(n, p) ≤ errors) has fallen to e^(-nats).",
        "P(Bin(n, p) ≤ k) = 1 - P(Beta(k + 1, n - k) ≤ p), so p is a quantile of a beta distribution; or halve an interval.",
        "`beta.ppf(1 - np.exp(-nats), errors + 1, n - errors)`.",
    ),
)


# --- explain -----------------------------------------------------------------------------------------------------------

EXPLAIN_FREE = Explanation(
    key="small_proves_something.5",
    title="What is free, and what must be paid for?",
    points={
        "union": (
            "union, all machines, every machine, at once, list, each of them, any of them, whichever",
            "For which machines does the bound hold: for one, or for all that the message can describe?",
        ),
        "rebuild": (
            "rebuild, rebuilt, reconstruct, not needed, not need, message, describe",
            "What is needed to rebuild the machine from its samples? Is C among it?",
        ),
        "labels": (
            "label, selection, selected, features",
            "What did the choice of features look at, and is it said in the message?",
        ),
        "before": (
            "before, beforehand, fixed, in advance, set aside, other samples, independent",
            "When would the same choice have been harmless?",
        ),
    },
    hints=(
        "Ask of each choice: must the message name it, so that somebody else can rebuild the machine?",
        "The bound holds for all machines of the list at once. The list must be there before the sample.",
        "C is not needed to rebuild; features chosen by label are, and they were not on any list.",
    ),
    model="""\
With probability 1 - delta the bound holds for all machines that a message can describe at once,
by the union bound. So I may search among them as I like and take the best. C only steers the
search; it is not needed to rebuild the machine. Features selected by their labels are needed, and
no message names them: the list of machines was made after the labels had been seen. Selected on
other samples, which were set aside, they are fixed beforehand, and the proof holds again.""",
)

TASKS = [OCCAM_BOUND, MESSAGE_LENGTH, ERRORS_ON_OTHERS, COMPRESSION_BOUND, EXPLAIN_FREE]


# --- gaps in the lesson ----------------------------------------------------------------------------------------------


def excess(N: int, M: int, delta: float) -> float:
    return float(np.sqrt((np.log(N) + np.log(1 / delta)) / (2 * M)))


def tested(wrong: np.ndarray, held: np.ndarray) -> int:
    return int(np.sum(wrong) - np.sum(wrong[held]))


def flawless(b: float, n: int) -> float:
    return float(1 - 2 ** (-b / n))


GAPS = [
    gap(
        "small_proves_something.excess",
        excess,
        [(1, 100, 0.05), (1000, 200, 0.05), (50, 30, 0.3)],
        {
            "for one machine": (
                lambda N, M, delta: np.sqrt(np.log(1 / delta) / (2 * M)),
                "That is the root for one machine. Each of N has the share delta/N: ln N is missing.",
            ),
            "root forgotten": (
                lambda N, M, delta: (np.log(N) + np.log(1 / delta)) / (2 * M),
                "Solve for epsilon itself, not for its square: a root is missing.",
            ),
            "2 forgotten": (
                lambda N, M, delta: np.sqrt((np.log(N) + np.log(1 / delta)) / M),
                "The exponent is -2 M epsilon squared: divide by 2M.",
            ),
        },
        "Take logarithms on both sides of exp(-2 M epsilon**2) = delta / N.",
        "`np.sqrt((np.log(N) + np.log(1 / delta)) / (2 * M))`.",
    ),
    gap(
        "small_proves_something.tested",
        tested,
        [
            (np.array([True, False, True, True]), np.array([0])),
            (np.array([False, True, True, False, True]), np.array([1, 3])),
            (np.array([True, True]), np.array([0, 1])),
        ],
        {
            "all samples": (
                lambda wrong, held: np.sum(wrong),
                "The samples that the machine holds test nothing: leave them out.",
            ),
            "the held ones": (
                lambda wrong, held: np.sum(wrong[held]),
                "Those are the errors on the samples that it holds. The others test it.",
            ),
            "as many as held": (
                lambda wrong, held: np.sum(wrong) - len(held),
                "Not every sample that it holds is an error: take away only the errors among them.",
            ),
        },
        "Count all errors, and take away those among the samples that are held.",
        "`wrong[held]` picks the held ones; True counts as 1.",
    ),
    gap(
        "small_proves_something.flawless",
        flawless,
        [(10, 100), (57, 366), (1, 1), (300, 20)],
        {
            "the tail itself": (
                lambda b, n: 2 ** (-b / n),
                "That is 1 - p: the probability of being right. The bound is on p.",
            ),
            "bits for nats": (
                lambda b, n: 1 - np.exp(-b / n),
                "The price is in bits: the share of delta is 2 to the power -b, and not e to it.",
            ),
            "n forgotten": (
                lambda b, n: 1 - 2.0 ** (-b),
                "All n samples were answered rightly: (1 - p)**n is the tail, so take the n-th root.",
            ),
            "the approximation": (
                lambda b, n: np.log(2) * b / n,
                "That is the approximation for few bits; with many it goes above 1. Solve (1 - p)**n = 2**(-b) exactly.",
            ),
        },
        "Take the n-th root of (1 - p)**n = 2**(-b).",
        "`1 - 2 ** (-b / n)`.",
    ),
]
