"""Tasks: the puzzle of Table 3, what choosing on the test fold buys, Wilcoxon's ranks, and an interval for a median."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import bdtr

from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.paper import choosing_on_test, intervals, table3_counts, wilcoxon
from mcmteach.validation import FloatArray

TITLE = "Does it work? Reading a paper with your hands"


# --- the count in the wrong list -------------------------------------------------------------------------------------


def recover_count(m: float, a: float, k: int) -> float:
    return (k + 1) * m - k * a


def puzzle_inputs(rng: np.random.Generator) -> list[tuple]:
    """(m, a, k): two rows of P's tables, and lists of other lengths, one accuracy among them."""
    drawn = [
        (rng.integers(200, 2000) / 10 + 0.01, float(rng.integers(50, 100)), int(k))
        for k in (1, 2, *rng.integers(3, 12, 6))
    ]
    return [(144.29, 65.34, 5), (89.62, 89.74, 5), (10.0, 0.0, 1), (75.0, 50.0, 3), *drawn]


RECOVER_COUNT = Task(
    key="does_it_work.1",
    title="The count in the wrong list",
    reference=recover_count,
    inputs=puzzle_inputs,
    library=(table3_counts.recover_svm_counts,),
    mistakes={
        "a mean of k numbers": (
            lambda m, a, k: k * m - k * a,
            "You multiply the mean by k, as if k numbers had been averaged. With the count there are k + 1 of them.",
        ),
        "one accuracy too many": (
            lambda m, a, k: (k + 1) * (m - a),
            "You take away k + 1 accuracies. The list holds k of them, and one count.",
        ),
        "the count took a place": (
            lambda m, a, k: k * m - (k - 1) * a,
            "You treat the count as one of the k numbers. It was appended: k accuracies and one more number, k + 1 in all.",
        ),
        "one accuracy": (
            lambda m, a, k: (k + 1) * m - a,
            "You take away the mean accuracy once. The sum of the list holds it k times.",
        ),
        "turned round": (
            lambda m, a, k: (k + 1) * a - k * m,
            "The two means have changed places: m is the mean of all k + 1 numbers, a that of the k accuracies.",
        ),
        "forwards": (
            lambda m, a, k: (k * a + m) / (k + 1),
            "That is the mean of k accuracies and m. You know the mean, and look for the number that was mixed in.",
        ),
        "five folds for ever": (
            lambda m, a, k: 6 * m - 5 * a,
            "You write 6 and 5, which is right for the paper's five folds. The list here has k accuracies: use k.",
        ),
        "rounded": (
            lambda m, a, k: float(round((k + 1) * m - k * a)),
            "The formula is right, but leave the rounding out. How near the result comes to a whole number is the evidence: "
            "once it is rounded, every row of any table would pass.",
        ),
    },
    hints=(
        "Think of sums. What is the sum of all k + 1 numbers, if m is their mean?",
        "All of them add up to (k + 1) m, and the accuracies alone to k a.",
        "Return the difference of the two sums: (k + 1) * m - k * a.",
    ),
)


# --- the standard deviation that must follow -------------------------------------------------------------------------


def joint_sd(n: float, a: float, s: float, k: int) -> float:
    return _sd(n, a, s, k)


def _sd(
    n: float, a: float, s: float, k: int, within: Callable = lambda k: k - 1, between: Callable = lambda k: k / (k + 1),
    divide: Callable = lambda k: k,
) -> float:  # fmt: skip
    """The standard deviation with something changed: the weight of either part, or the divisor."""
    return float(np.sqrt((within(k) * s**2 + between(k) * (n - a) ** 2) / divide(k)))


def sd_inputs(rng: np.random.Generator) -> list[tuple]:
    """(n, a, s, k): tic-tac-toe, an outsider alone, no outsider, and others."""
    cases: list[tuple] = [(539, 65.34, 0.23, 5), (3, 1.0, 0.0, 2), (2, 2.0, 3.0, 4), (89, 89.74, 2.37, 5)]
    for k in (2, 3, 4, 8):
        cases.append((int(rng.integers(5, 300)), float(rng.integers(50, 100)), float(rng.integers(1, 12)), k))
    return cases


JOINT_SD = Task(
    key="does_it_work.2",
    title="The standard deviation that must follow",
    reference=joint_sd,
    inputs=sd_inputs,
    library=(table3_counts.joint_sd,),
    mistakes={
        "variance": (
            lambda n, a, s, k: _sd(n, a, s, k) ** 2,
            "That is the variance, right to the last digit. Its root is missing.",
        ),
        "divided by all": (
            lambda n, a, s, k: _sd(n, a, s, k, divide=lambda k: k + 1),
            "You divide by the number of values, k + 1. The paper's SD divides by one less, here k.",
        ),
        "k for k - 1": (
            lambda n, a, s, k: _sd(n, a, s, k, within=lambda k: k),
            "s divides by k - 1, so the squares of the accuracies' deviations add up to (k - 1) s², not to k s².",
        ),
        "the mean did not move": (
            lambda n, a, s, k: _sd(n, a, s, k, between=lambda k: 1),
            "You take the deviations from a. With the count in the list the mean moves towards it, which leaves k/(k + 1) of "
            "(n - a)².",
        ),
        "the count alone": (
            lambda n, a, s, k: _sd(n, a, s, k, within=lambda k: 0),
            "The scatter of the accuracies among themselves is missing: the term with s².",
        ),
        "s not squared": (
            lambda n, a, s, k: float(np.sqrt(((k - 1) * s + k / (k + 1) * (n - a) ** 2) / k)),
            "Squares add up, standard deviations do not: it is (k - 1) times s².",
        ),
    },
    hints=(
        "Work with sums of squared deviations, and take the root at the end. What do the k accuracies add up to around a?",
        "(k - 1) s² for the accuracies. One more number n, at a distance n - a from their mean, adds k/(k + 1) (n - a)².",
        "Add the two, divide by k (there are k + 1 numbers), and take `np.sqrt`.",
    ),
)


# --- the best of k, on a coin's labels -------------------------------------------------------------------------------


def best_of_noise(k: int, m: int) -> float:
    return choosing_on_test.expected_best(k, m)


def _best(k: int, m: int, above: Callable = lambda F, k: 1 - F**k, start: int = 0) -> float:
    """The expectation with something changed: what is added up, and where the sum starts."""
    return float(np.sum(above(bdtr(np.arange(start, start + m), m, 0.5), k)) / m)


def noise_inputs(rng: np.random.Generator) -> list[tuple]:
    drawn = [(int(k), int(m)) for k, m in rng.integers([2, 3], [40, 60], (8, 2))]
    return [(1, 1), (2, 1), (1, 7), (2, 2), (5, 10), (22, 30), *drawn]


BEST_OF_NOISE = Task(
    key="does_it_work.3",
    title="The best of k settings, on a coin's labels",
    reference=best_of_noise,
    inputs=noise_inputs,
    library=(choosing_on_test.expected_best,),
    mistakes={
        "off by one": (
            lambda k, m: _best(k, m, start=1),
            'An off-by-one: "at least j right answers" is the opposite of "at most j - 1", so it is F(j - 1) and not F(j).',
        ),
        "the worst": (
            lambda k, m: _best(k, m, above=lambda F, k: (1 - F) ** k),
            "That is the worst of k, and below one half. The best reaches j unless all of them fail, with probability 1 - F^k, "
            "which is neither (1 - F)^k nor F^k.",
        ),
        "a count": (
            lambda k, m: m * _best(k, m),
            "That is the number of right answers. Divide by m to get an accuracy.",
        ),
        "nothing chosen": (
            lambda k, m: 0.5,
            "Half is what each setting has on average. The best of several, on the samples that chose it, has more.",
        ),
        "k times as likely": (
            lambda k, m: _best(k, m, above=lambda F, k: np.minimum(1, k * (1 - F))),
            "k times the probability of one counts the cases twice in which several settings reach j. 1 - F^k is exact.",
        ),
    },
    hints=(
        "When has the best of k settings fewer than j right answers? When all of them have.",
        "`F = scipy.stats.binom.cdf(np.arange(m), m, 0.5)` holds F(0), …, F(m - 1): just the values that the sum needs.",
        "Add up 1 - F**k and divide by m.",
    ),
)


# --- Wilcoxon's W ----------------------------------------------------------------------------------------------------


def signed_rank_W(a: FloatArray, b: FloatArray) -> float:
    d = a - b
    d = d[d != 0]
    ranks = _ranks(np.abs(d))
    return float(min(ranks[d > 0].sum(), ranks[d < 0].sum()))


def _ranks(values: np.ndarray) -> np.ndarray:
    """1 for the smallest; equal values share the mean of their ranks."""
    return np.array([np.sum(values < v) + (np.sum(values == v) + 1) / 2 for v in values])


def _two_sums(d: np.ndarray, ranks: np.ndarray) -> tuple[float, float]:
    return float(ranks[d > 0].sum()), float(ranks[d < 0].sum())


def _in_order(values: np.ndarray) -> np.ndarray:
    return np.argsort(np.argsort(values, kind="stable"), kind="stable") + 1.0


def columns(rng: np.random.Generator) -> list[tuple]:
    """Two columns in half points, so that ties and zeros come about; wins outweigh losses, and the other way round."""
    cases: list[tuple] = [
        ([90], [80]),
        ([90], [90]),
        ([70, 80, 90], [71, 78, 93]),
        ([71, 80, 90, 60], [70, 80.5, 92, 63]),
        ([70, 80, 90], [68, 82, 90]),
        ([93, 88, 71, 60], [90, 89, 73, 60]),
    ]
    sizes, lows, highs = (2, 3, 4, 5, 6, 8, 10, 15), (-3, -3, -2, -6, -3, -6, -4, -12), (4, 4, 3, 3, 7, 4, 5, 20)
    for n, low, high in zip(sizes, lows, highs, strict=True):
        b = rng.integers(50, 90, n)
        cases.append((b + rng.integers(low, high, n) / 2, b))
    return [(np.array(a, float), np.array(b, float)) for a, b in cases]


def _without_zeros(d: np.ndarray) -> np.ndarray:
    return d[d != 0]


SIGNED_RANK = Task(
    key="does_it_work.4",
    title="Wilcoxon's W",
    reference=signed_rank_W,
    inputs=columns,
    library=(wilcoxon.signed_rank,),
    mistakes={
        "zeros kept": (
            lambda a, b: min(_two_sums(a - b, _ranks(np.abs(a - b)))),
            "The zeros take up the lowest ranks. The test leaves them out before it ranks.",
        ),
        "ties in order": (
            lambda a, b: min(_two_sums(d := _without_zeros(a - b), _in_order(np.abs(d)))),
            "Differences of equal size get different ranks, by where they stand in the table. They share the mean of their "
            "ranks, as `scipy.stats.rankdata` has it.",
        ),
        "the larger sum": (
            lambda a, b: max(_two_sums(d := _without_zeros(a - b), _ranks(np.abs(d)))),
            "That is the larger of the two sums. W is the smaller one.",
        ),
        "the wins": (
            lambda a, b: _two_sums(d := _without_zeros(a - b), _ranks(np.abs(d)))[0],
            "That is the sum of the ranks of the wins. W is the smaller of the two sums, so that a and b may change places.",
        ),
        "the losses": (
            lambda a, b: _two_sums(d := _without_zeros(a - b), _ranks(np.abs(d)))[1],
            "That is the sum of the ranks of the losses. W is the smaller of the two sums, whichever it is.",
        ),
        "signs in the ranking": (
            lambda a, b: min(_two_sums(d := _without_zeros(a - b), _ranks(d))),
            "You rank the differences with their signs, so the largest loss gets rank 1. Rank their sizes, `np.abs(d)`.",
        ),
        "differences for ranks": (
            lambda a, b: min(_two_sums(d := _without_zeros(a - b), np.abs(d))),
            "You add up the differences themselves. One huge difference would then decide; the test adds up their ranks.",
        ),
        "the fewer": (
            lambda a, b: float(min(np.sum(a > b), np.sum(a < b))),
            "You count wins and losses: that is the sign test. Wilcoxon's weighs each by the rank of its size.",
        ),
    },
    hints=(
        "First the differences; then those that are not zero; then the ranks of their sizes.",
        "`scipy.stats.rankdata(np.abs(d))` gives 1 to the smallest, and equal ones share.",
        "Add up the ranks where d > 0, and where d < 0, and return the smaller sum.",
    ),
)


# --- an interval for a median ------------------------------------------------------------------------------------------


def median_interval(d: FloatArray) -> tuple[float, float]:
    return _between(d, _rank(len(d)))


def _rank(n: int, tails: int = 2) -> int:
    """The largest k with tails * P(Bin(n, 1/2) < k) <= 5 %."""
    return int(np.sum(tails * bdtr(np.arange(n), n, 0.5) <= 0.05))


def _between(d: FloatArray, k: int, order: Callable = np.sort) -> tuple[float, float]:
    d = order(d)
    return float(d[k - 1]), float(d[-k])


def differences(rng: np.random.Generator) -> list[tuple]:
    """Differences in tenths of a point, no two alike: six (all are needed), and more of them."""
    cases = [np.array([3.0, 1.0, 2.0, 5.0, 4.0, 6.0]), np.array([0.4, -1.0, 2.5, -0.3, 1.1, 0.9, -2.0, 3.0, 0.1])]
    cases += [rng.permutation(np.arange(-n, 60 - n, 2))[:n] / 10 for n in (6, 7, 9, 12, 16, 20, 23, 25, 27)]
    return [(d,) for d in cases]


MEDIAN_INTERVAL = Task(
    key="does_it_work.5",
    title="An interval for a median",
    reference=median_interval,
    inputs=differences,
    library=(intervals.median_interval,),
    mistakes={
        "one side": (
            lambda d: _between(d, _rank(len(d), tails=1)),
            "The interval can miss the median on either side. You count one side only: the probability is twice as large.",
        ),
        "k one too large": (
            lambda d: _between(d, _rank(len(d)) + 1),
            "Your interval is a step too narrow at both ends. It misses the median if *fewer than k* differences lie below it, "
            "k - 1 or fewer, so look at F(k - 1).",
        ),
        "one rank too far out": (
            lambda d: _between(d, max(1, _rank(len(d)) - 1)),
            "Your interval is a step too wide at both ends: a larger k still misses with no more than 5 %. Take the largest.",
        ),
        "counted from 0": (
            lambda d: (float(np.sort(d)[_rank(len(d))]), float(np.sort(d)[-_rank(len(d))])),
            "The k-th smallest is `d[k - 1]` in Python, since places are counted from 0. The k-th largest is `d[-k]`.",
        ),
        "not sorted": (
            lambda d: _between(d, _rank(len(d)), order=np.asarray),
            "You take the k-th from the front and from the back without sorting. Sort the differences first.",
        ),
        "the ends": (
            lambda d: (float(d.min()), float(d.max())),
            "That is the whole range: right with six differences, and far too wide with more of them.",
        ),
        "turned round": (lambda d: _between(d, _rank(len(d)))[::-1], "Both ends are right. Give the lower one first."),
        "for the mean": (
            lambda d: (
                float(d.mean() - 1.96 * d.std(ddof=1) / np.sqrt(len(d))),
                float(d.mean() + 1.96 * d.std(ddof=1) / np.sqrt(len(d))),
            ),
            "That is the usual interval for the mean. This one is for the median, and counts ranks.",
        ),
    },
    hints=(
        "How likely is it that fewer than k of n coins show heads? That is how often the median lies below the k-th smallest.",
        "`F = scipy.stats.binom.cdf(np.arange(n), n, 0.5)` holds F(0), F(1), …; k is how many of them have 2 F <= 0.05.",
        "k = np.sum(2 * F <= 0.05), then d = np.sort(d), and return d[k - 1], d[-k].",
    ),
)


# --- explain it ------------------------------------------------------------------------------------------------------

EXPLAIN = Explanation(
    key="does_it_work.6",
    title="Write the referee's report",
    points={
        "who chose": (
            "test fold, test set, test data, test sample, peep, chosen on, chose, choos, select",
            "On which data was the new method's parameter chosen?",
        ),
        "noise too": (
            "noise, coin, toss, random, nothing to learn, luck",
            "What does the same procedure give where there is nothing to learn?",
        ),
        "what p says": (
            "accident, by chance, systematic, significan, p-value, p value, wilcoxon",
            "What does the small p show, and what does it not show?",
        ),
        "how to repair it": (
            "nested, inner, inside the training, training part, validation, fresh, new sample, new data, held",
            "Which experiment would tell skill from the gain of choosing?",
        ),
    },
    model="""\
Thank you for the care with which the tables were made. The setting of the new method was chosen on the
test folds, as the best of 22, so its accuracy there is too high. Where a coin tosses the labels and there
is nothing to learn, the same procedure reports about two thirds. The small p-value is right, and says that
the difference is no accident: choosing raises the accuracy on these folds systematically. It does not say
that the method is better on new data, where the gain is gone. Please choose the setting by inner folds of
the training part, look at the test fold once, and report the table again with the larger class beside it.""",
    hints=(
        "Compare the three columns: which of them did anybody choose by the samples that it was scored on?",
        "The p-value belongs to the difference between best and first. Is that difference an accident? Is it skill?",
        "Say where the parameter was chosen, what noise gives, what p does and does not say, and how you would choose instead.",
    ),
)

TASKS = [RECOVER_COUNT, JOINT_SD, BEST_OF_NOISE, SIGNED_RANK, MEDIAN_INTERVAL, EXPLAIN]

# --- lines to write inside the lesson ----------------------------------------------------------------------------------


def mean_of_folds(right: FloatArray, size: FloatArray) -> float:
    return float(np.mean(100 * right / size))


def all_fail(F: float, k: int) -> float:
    return F**k


def holm_step(p: FloatArray) -> Any:
    return p * np.arange(len(p), 0, -1)


GAPS = [
    gap(
        "does_it_work.mean_of_folds",
        mean_of_folds,
        [tuple(map(np.array, pair)) for pair in (([3, 1], [4, 4]), ([32, 29], [41, 42]), ([9, 40, 7], [10, 50, 20]))],
        {
            "pooled": (
                lambda right, size: float(100 * right.sum() / size.sum()),
                "You pool the folds, so that a large one counts for more. P takes the accuracy of each fold, then their mean.",
            ),
            "a share": (lambda right, size: float(np.mean(right / size)), "That is a share. The table has per cent."),
            "each fold": (
                lambda right, size: 100 * right / size,
                "Those are the accuracies, one a fold. Take their mean.",
            ),
            "the errors": (
                lambda right, size: float(np.mean(100 * (size - right) / size)),
                "That is the mean error. `right` counts right answers.",
            ),
        },
        "`right / size` divides fold by fold. Then the mean, and per cent.",
    ),
    gap(
        "does_it_work.all_fail",
        all_fail,
        [(0.5, 2), (0.9, 5), (0.3, 3), (0.7, 4), (0.2, 8)],
        {
            "one of them": (
                lambda F, k: 1 - (1 - F) ** k,
                "That is the probability that *one* of them stays below. All must.",
            ),
            "multiplied": (
                lambda F, k: k * F,
                "Probabilities of independent events are multiplied by each other: F · F · … · F.",
            ),
            "the best": (
                lambda F, k: 1 - F**k,
                "That is the probability that the best one is above. The question is the opposite.",
            ),
        },
        "Independent: multiply the probability by itself, k times.",
    ),
    gap(
        "does_it_work.holm_step",
        holm_step,
        [(np.array(p),) for p in ([0.01, 0.04], [0.001, 0.02, 0.03], [0.002, 0.004, 0.03, 0.2])],
        {
            "Bonferroni": (
                lambda p: p * len(p),
                "You multiply each by the number of p-values: that is Bonferroni's correction, valid and stricter. Holm's "
                "factor falls by one from each to the next.",
            ),
            "rising": (
                lambda p: p * np.arange(1, len(p) + 1),
                "Your factors rise. The smallest p gets the largest factor, the number of p-values.",
            ),
            "one short": (
                lambda p: p * np.arange(len(p) - 1, -1, -1),
                "Your factors end with 0. They go from the number of p-values down to 1.",
            ),
        },
        "`np.arange(len(p), 0, -1)` counts down to 1.",
    ),
]
