"""Tasks: empirical risk, the VC bound N(2-4), and shattering."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from mcmteach import bounds, separability
from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.validation import FloatArray

TITLE = "Why should learning work at all?"


# --- the empirical risk ----------------------------------------------------------------------------------------------


def empirical_risk(y: FloatArray, f: FloatArray) -> float:
    return bounds.empirical_risk(y, f)


def risk_inputs(rng: np.random.Generator) -> list[tuple]:
    small = [
        ([1], [2]), ([-1], [2]), ([-1], [-1]), ([1], [0]), ([-1], [0]), ([1, -1], [1, 1]), ([-1, -1, 1], [-2, 3, 0.5]),
    ]  # fmt: skip
    pairs = [(np.array(y, dtype=float), np.array(f, dtype=float)) for y, f in small]
    return pairs + [(rng.choice([-1.0, 1.0], M), rng.integers(-4, 5, M) / 2) for M in (2, 3, 4, 5, 10, 30)]


EMPIRICAL_RISK = Task(
    key="why_learning_works.1",
    title="The empirical risk, in one line",
    reference=empirical_risk,
    inputs=risk_inputs,
    library=(bounds.empirical_risk, bounds.zero_one_loss),
    mistakes={
        "sum for mean": (
            lambda y, f: np.sum(y * f <= 0),
            "You count the errors; the empirical risk is their share, so divide by the number of samples M.",
        ),
        "share of the right ones": (
            lambda y, f: np.mean(y * f > 0),
            "That is the share of points that are right (the accuracy). The risk is the share of those that are wrong.",
        ),
        "0/1 labels": (
            lambda y, f: np.mean((f > 0) != y),
            "`f > 0` is True or False, that is 1 or 0, and the labels are +1 and -1: a right -1 is taken for an error. "
            "Compare signs instead; y·f tells at once whether they agree.",
        ),
        "f compared with y": (
            lambda y, f: np.mean(f != y),
            "You compare f itself with the label. f is any real number, and only its sign is the answer: f = 2.5 is right for "
            "y = +1.",
        ),
        "on the plane counted as right": (
            lambda y, f: np.mean(y * f < 0),
            "A point with f = 0 lies on the plane: no side was taken, so it counts as an error. You count it as right.",
        ),
        "on the plane taken for +1": (
            lambda y, f: np.mean(np.where(f >= 0, 1, -1) != y),
            "Where f = 0 you answer +1. We agreed that no side was taken there, so that it is an error for either label.",
        ),
    },
    hints=(
        "An answer is right where f has the sign of y. What is then the sign of the product y·f?",
        "`y * f <= 0` is an array with True for each error. True counts as 1.",
        "The share of errors is the mean of that array.",
    ),
)


# --- epsilon ---------------------------------------------------------------------------------------------------------


def vc_epsilon(h: float, M: float, eta: float) -> float:
    return bounds.vc_epsilon(h, M, eta)


def machines(rng: np.random.Generator, n: int) -> list[tuple]:
    """(h, M, eta), with h at most M."""
    return [
        (h := int(rng.integers(1, 30)), int(h * rng.integers(1, 60)), float(rng.choice([0.5, 0.2, 0.1, 0.05, 0.02])))
        for _ in range(n)
    ]


def epsilon_inputs(rng: np.random.Generator) -> list[tuple]:
    return [(1, 1, 0.5), (1, 10, 0.05), (2, 10, 0.5), (3, 1000, 0.05), *machines(rng, 12)]


VC_EPSILON = Task(
    key="why_learning_works.2",
    title="The ε of the VC bound",
    reference=vc_epsilon,
    inputs=epsilon_inputs,
    library=(bounds.vc_epsilon,),
    mistakes={
        "log10 for ln": (
            lambda h, M, eta: 4 * (h * (np.log10(2 * M / h) + 1) - np.log10(eta)) / M,
            "`log10` is the logarithm to base 10. The bound has the natural logarithm ln, which numpy calls `np.log`.",
        ),
        "log2 for ln": (
            lambda h, M, eta: 4 * (h * (np.log2(2 * M / h) + 1) - np.log2(eta)) / M,
            "`log2` is the logarithm to base 2. The bound has the natural logarithm ln, which numpy calls `np.log`.",
        ),
        "sign of ln eta": (
            lambda h, M, eta: 4 * (h * (np.log(2 * M / h) + 1) + np.log(eta)) / M,
            "Mind the sign of ln η. η is below 1, so ln η is negative, and minus ln η makes ε larger: certainty has a price.",
        ),
        "factor 4 forgotten": (
            lambda h, M, eta: (h * (np.log(2 * M / h) + 1) - np.log(eta)) / M,
            "Everything is right but for the factor 4 in front of the fraction.",
        ),
        "M/h for 2M/h": (
            lambda h, M, eta: 4 * (h * (np.log(M / h) + 1) - np.log(eta)) / M,
            "Inside the logarithm stands 2M/h: the 2 is missing. (The proof compares two samples of size M.)",
        ),
        "1 inside the logarithm": (
            lambda h, M, eta: 4 * (h * np.log(2 * M / h + 1) - np.log(eta)) / M,
            "The + 1 stands inside your logarithm, ln(2M/h + 1). It is added to the logarithm: ln(2M/h) + 1.",
        ),
        "brackets": (
            lambda h, M, eta: 4 * (h * np.log(2 * M / h) + 1 - np.log(eta)) / M,
            "The + 1 belongs inside the bracket that h multiplies: h (ln(2M/h) + 1). (With h = 1 one cannot tell.)",
        ),
        "division reaches too little": (
            lambda h, M, eta: 4 * (h * (np.log(2 * M / h) + 1)) - np.log(eta) / M,
            "The fraction has the whole difference on top: put brackets round h (ln(2M/h) + 1) - ln η before you divide by M.",
        ),
        "1 - eta for eta": (
            lambda h, M, eta: 4 * (h * (np.log(2 * M / h) + 1) - np.log(1 - eta)) / M,
            "You take the logarithm of 1 - η. η itself is the probability with which the bound may fail.",
        ),
        "the safe form": (
            lambda h, M, eta: 4 * (h * (np.log(2 * M / h) + 1) - np.log(eta / 4)) / M,
            "With ln(η/4) it is the safe form of Vapnik's books, well done; but the task asks for N(4) as it is printed, "
            "with ln η.",
        ),
    },
    hints=(
        "Translate from the inside out: first the logarithm of 2M/h, then what h multiplies, then the fraction.",
        "The natural logarithm is `np.log`. The numerator is `h * (np.log(2 * M / h) + 1) - np.log(eta)`.",
        "Return 4 times that numerator, divided by M. Mind the brackets.",
    ),
)


# --- the bound -------------------------------------------------------------------------------------------------------


def vc_bound(risk: float, h: float, M: float, eta: float, B: float) -> float:
    return bounds.vc_bound(risk, h, M, eta, B)


def _epsilon(h: float, M: float, eta: float) -> float:
    return 4 * (h * (np.log(2 * M / h) + 1) - np.log(eta)) / M


def bound_inputs(rng: np.random.Generator) -> list[tuple]:
    drawn = [
        (rng.integers(0, 20) / 20, *machine, float(B))
        for machine, B in zip(machines(rng, 12), [1, 2, 3, 4] * 3, strict=True)
    ]
    return [(0.0, 1, 10, 0.5, 1.0), (0.5, 1, 10, 0.5, 2.0), (1.0, 1, 1, 0.5, 1.0), *drawn]


VC_BOUND = Task(
    key="why_learning_works.3",
    title="The VC bound",
    reference=vc_bound,
    inputs=bound_inputs,
    library=(bounds.vc_bound, bounds.structural_risk),
    mistakes={
        "empirical risk not added": (
            lambda risk, h, M, eta, B: (e := B * _epsilon(h, M, eta)) / 2 * (1 + np.sqrt(1 + 4 * risk / e)),
            "That is the second term alone. The bound is the empirical risk plus this term.",
        ),
        "B forgotten": (
            lambda risk, h, M, eta, B: risk + (e := _epsilon(h, M, eta)) / 2 * (1 + np.sqrt(1 + 4 * risk / e)),
            "B does not appear in your formula. It stands beside ε twice, in front of the bracket and under the root; with "
            "B = 1 one does not see the difference.",
        ),
        "B under the root forgotten": (
            lambda risk, h, M, eta, B: risk + B * (e := _epsilon(h, M, eta)) / 2 * (1 + np.sqrt(1 + 4 * risk / e)),
            "Under the root the empirical risk is divided by Bε, not by ε alone.",
        ),
        "divided by B, times epsilon": (
            lambda risk, h, M, eta, B: risk + B * (e := _epsilon(h, M, eta)) / 2 * (1 + np.sqrt(1 + 4 * risk / B * e)),
            "Under the root Python reads `4 * risk / B * e` from the left: divided by B, and then times ε. Brackets: "
            "`4 * risk / (B * e)`.",
        ),
        "1 + forgotten": (
            lambda risk, h, M, eta, B: risk + (e := B * _epsilon(h, M, eta)) / 2 * np.sqrt(1 + 4 * risk / e),
            "In the bracket stands 1 plus the root. You multiply by the root alone.",
        ),
        "half forgotten": (
            lambda risk, h, M, eta, B: risk + (e := B * _epsilon(h, M, eta)) * (1 + np.sqrt(1 + 4 * risk / e)),
            "The factor in front of the bracket is Bε/2: the half is missing.",
        ),
        "root forgotten": (
            lambda risk, h, M, eta, B: risk + (e := B * _epsilon(h, M, eta)) / 2 * (2 + 4 * risk / e),
            "There is a square root round 1 + 4 R_emp / (Bε), and yours has none.",
        ),
        "minus the root": (
            lambda risk, h, M, eta, B: risk + (e := B * _epsilon(h, M, eta)) / 2 * (1 - np.sqrt(1 + 4 * risk / e)),
            "A sign slip: 1 plus the root. With minus, the bound would lie below the empirical risk.",
        ),
    },
    hints=(
        "Compute Bε first and give it a name: it stands in the formula twice.",
        "With `Be = B * vc_epsilon(h, M, eta)` the root is `np.sqrt(1 + 4 * risk / Be)`.",
        "Return risk plus `Be / 2` times the bracket, which is 1 plus the root.",
    ),
)


# --- from which M on does the bound say anything? --------------------------------------------------------------------


def first_useful_M(h: int, eta: float) -> int:
    M = h
    while _epsilon(h, M, eta) >= 1:
        M += 1
    return M


def search_inputs(rng: np.random.Generator) -> list[tuple]:
    drawn = [(int(rng.integers(1, 25)), rng.integers(1, 60) / 100) for _ in range(10)]
    return [(1, 0.5), (2, 0.5), (3, 0.05), *drawn]


def _from_one(h: int, eta: float) -> int:
    M = 1
    while _epsilon(h, M, eta) >= 1:
        M += 1
    return M


def _doubling(h: int, eta: float) -> int:
    M = h
    while _epsilon(h, M, eta) >= 1:
        M *= 2
    return M


FIRST_USEFUL_M = Task(
    key="why_learning_works.4",
    title="How many samples until the bound says anything?",
    reference=first_useful_M,
    inputs=search_inputs,
    library=(bounds.sample_size,),
    mistakes={
        "one too few": (
            lambda h, eta: first_useful_M(h, eta) - 1,
            "You stop one step early: that M is the last one for which the bound is vacuous. The next one is the answer.",
        ),
        "one too many": (
            lambda h, eta: first_useful_M(h, eta) + 1,
            "One too many: the M before yours already gives ε < 1. Do you add 1 once more after the test?",
        ),
        "begun below h": (
            _from_one,
            "You begin below h. N(4) is meant for M ≥ h only: below that the formula falls again and even turns negative, "
            "so the search stops at once, at a value that means nothing.",
        ),
        "epsilon for M": (
            lambda h, eta: _epsilon(h, first_useful_M(h, eta), eta),
            "You return ε at the right place. Return the place: M itself.",
        ),
        "doubled and not gone back": (
            _doubling,
            "Doubling M finds a place that will do quickly, but not the first one. From there, go back (halve the interval), "
            "or go up in steps of one in the first place.",
        ),
    },
    hints=(
        "With no error on the sample the bound is ε itself (take B = 1). So look for the first M with ε < 1.",
        "Begin with `M = h`, since the formula is not meant for less, and raise M by one while ε is still at least 1.",
        "`while vc_epsilon(h, M, eta) >= 1: M += 1`, and then return M.",
    ),
)


# --- shattering ------------------------------------------------------------------------------------------------------


def count_labellings(points: FloatArray) -> int:
    return _realised(points, product((-1, 1), repeat=len(points)))


def _realised(points: FloatArray, labellings: Iterable[tuple[int, ...]]) -> int:
    return sum(_separable(tuple(map(tuple, points)), y) for y in labellings)


@cache  # one linear programme each, and the catalogue of mistakes asks for the same ones
def _separable(points: tuple, y: tuple[int, ...]) -> bool:
    return separability.is_separable(points, y)


def point_inputs(rng: np.random.Generator) -> list[tuple]:
    triangle, square = [[0, 0], [1, 0], [0, 1]], [[0, 0], [1, 0], [0, 1], [1, 1]]
    on_a_line, around_a_point = [[0, 0], [1, 1], [2, 2]], [[0, 0], [3, 0], [0, 3], [1, 1]]
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    sets: list[Any] = [[[0]], [[0], [1]], [[0], [1], [2]], triangle, on_a_line, square, around_a_point, corners]
    grid = np.array(list(product(range(3), repeat=2)))  # often three of them are in a row
    row = rng.integers(1, 9, 2) + rng.permutation(6)[:3, None] * rng.integers(1, 4, 2)
    sets += [rng.permutation(12)[: rng.integers(3, 6), None], row, *(rng.permutation(grid)[:M] + 1 for M in (3, 4, 4))]
    return [(np.array(points, dtype=float),) for points in sets]


COUNT_LABELLINGS = Task(
    key="why_learning_works.5",
    title="How many colourings can a line realise?",
    reference=count_labellings,
    inputs=point_inputs,
    library=(separability.shatters, separability.unseparable_labels),
    seconds=15.0,  # a linear programme for each colouring: nearly a second, and far more on a busy machine
    mistakes={
        "half of them": (
            lambda points: count_labellings(points) // 2,
            "You count one half: a colouring and its reverse are two colourings, even if the same line serves for both.",
        ),
        "one colour forgotten": (
            lambda points: count_labellings(points) - 2,
            "All +1 and all -1 count too: a line far away realises them. You leave these two out.",
        ),
        "order ignored": (
            lambda points: _realised(points, combinations_with_replacement((-1, 1), len(points))),
            "You try only how many points are +1, not which ones. Every point chooses its colour freely: that is "
            "`itertools.product`.",
        ),
        "all of them": (
            lambda points: 2 ** len(points),
            "You count every colouring there is, 2 to the power of the number of points. Count only those that "
            "`is_separable` allows.",
        ),
        "yes or no": (
            lambda points: count_labellings(points) == 2 ** len(points),
            "You say whether the points are shattered, True or False. The question is how many colourings can be realised.",
        ),
    },
    hints=(
        "Go through every colouring, and ask the library's `is_separable(points, y)` about each.",
        "`itertools.product((-1, 1), repeat=len(points))` yields every colouring once.",
        "`sum(is_separable(points, y) for y in ...)`: True counts as 1.",
    ),
)


# --- explain what you see --------------------------------------------------------------------------------------------

EXPLAIN_BOUND = Explanation(
    key="why_learning_works.6",
    title="Explain what you see",
    points={
        "above": (
            "above, over, exceed, below, under, upper, never, larger, higher",
            "Where does the bound lie, compared with the true risk, in every row? Must it?",
        ),
        "vacuous": (
            "vacuous, nothing, useless, meaningless, empty, more than 1, above 1, at least 1, trivial",
            "What does the bound say in the first rows, where it is 1 or more?",
        ),
        "samples": (
            "samples, more data, grows, grow, larger m, m grows, increas, shrink, fall, tighten",
            "What happens as M grows, and why?",
        ),
        "worst case": (
            "worst, any distribution, every distribution, all distribution, whatever, any data, no assumption, loose",
            "Why is the bound so far above the truth? For how many distributions and machines must it hold?",
        ),
    },
    model="""\
The bound lies above the true risk in every row, as it must, except with probability 0.05. In
the first rows it is above 1, and as no risk is, it is vacuous there: it says nothing. As the
number of samples M grows it falls roughly like ln(M)/M towards the empirical risk, and the
empirical and the true risk also come together. It stays far above the truth because it is a
promise for the worst case: it knows M, h and eta only, and has to hold for every distribution
and for every line that we might have chosen.""",
    hints=(
        "Read the table row by row: which column is largest, and does that ever change?",
        "A risk is never above 1. What do you learn from being told that it is below 2?",
        "The bound knows M, h and η only. It does not know this distribution, so it must hold for the worst one.",
    ),
)

TASKS = [EMPIRICAL_RISK, VC_EPSILON, VC_BOUND, FIRST_USEFUL_M, COUNT_LABELLINGS, EXPLAIN_BOUND]


# --- gaps in the lesson ----------------------------------------------------------------------------------------------


def paintings(M: int) -> int:
    return 2**M


def chance(k: int, M: int, gap: float) -> float:
    return 2 * k * np.exp(-2 * M * gap**2)


GAPS = [
    gap(
        "why_learning_works.chance",
        chance,
        [(1, 100, 0.1), (10, 200, 0.1), (1000, 500, 0.2), (7, 20, 0.3)],
        {
            "for one function": (
                lambda k, M, gap: 2 * np.exp(-2 * M * gap**2),
                "That is Hoeffding's limit for one function. There are k of them, and their chances may add up.",
            ),
            "k in the exponent": (
                lambda k, M, gap: 2 * np.exp(-2 * k * M * gap**2),
                "In the exponent k would make the promise better with every function. More functions, more risk: multiply.",
            ),
            "gap not squared": (lambda k, M, gap: 2 * k * np.exp(-2 * M * gap), "The gap enters squared."),
            "one direction": (
                lambda k, M, gap: k * np.exp(-2 * M * gap**2),
                "The 2 in front is missing. The two risks may differ in either direction, and Hoeffding counts both.",
            ),
            "half the exponent": (
                lambda k, M, gap: 2 * k * np.exp(-M * gap**2),
                "The exponent is -2 M gap²: its 2 is missing.",
            ),
            "as if independent": (
                lambda k, M, gap: 1 - (1 - 2 * np.exp(-2 * M * gap**2)) ** k,
                "That would be so for independent functions. These are judged on the same sample, so add their chances up: the "
                "sum is a limit in any case.",
            ),
        },
        "The chance that at least one of several things happens is at most the sum of their chances.",
        "So it is k times what Hoeffding says about one.",
    ),
    gap(
        "why_learning_works.paintings",
        paintings,
        [(1,), (2,), (3,), (4,), (10,)],
        {
            "two for each": (
                lambda M: 2 * M,
                "Two colours for the first point, and for each of them two for the second: multiply.",
            ),
            "squared": (lambda M: M**2, "Two colours, M times: the 2 is multiplied by itself, not the M."),
            "up to exchange": (
                lambda M: 2 ** (M - 1),
                "You count a painting and its reverse as one. Here they are two: a machine has to make both.",
            ),
        },
        "One point has two paintings. Each further point doubles their number.",
    ),
]
