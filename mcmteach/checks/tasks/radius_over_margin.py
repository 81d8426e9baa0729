"""Tasks: h_MCM, the middle of the gap, the ball and the strip, Theorem 2.2, and a line to turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mcmteach import bounds, capacity
from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.validation import FloatArray

TITLE = "Radius over margin"


def planes(rng: np.random.Generator) -> list[tuple]:
    """(X, u, v): one sample, ties, and small data with planes that go through none of it, most of them not through 0."""
    cases: list[tuple] = [([[2]], [3], 1), ([[1], [2], [-4]], [1], 0.5), ([[1, 0], [-1, 0]], [1, 1], -3)]
    for M, n in [(1, 1), (2, 1), (2, 2), (3, 2), (4, 1), (5, 3), (12, 2)]:
        u = rng.integers(1, 4, n) * rng.choice([-1, 1], n)
        cases.append((rng.integers(-4, 5, (M, n)), u, rng.integers(-3, 3) + 0.5))
    return [(np.array(X, float), np.array(u, float), float(v)) for X, u, v in cases]


# --- h_MCM -----------------------------------------------------------------------------------------------------------


def h_mcm(X: FloatArray, u: FloatArray, v: float) -> float:
    return capacity.h_mcm(X, u, v)


H_MCM = Task(
    key="radius_over_margin.1",
    title="h_MCM, in one line or two",
    reference=h_mcm,
    inputs=planes,
    library=(capacity.h_mcm,),
    mistakes={
        "no absolute values": (
            lambda X, u, v: (X @ u + v).max() / (X @ u + v).min(),
            "You compare u·x + v with its sign, so a point on the negative side counts as nearest however far away it is. "
            "Take absolute values first.",
        ),
        "absolute value too late": (
            lambda X, u, v: abs((X @ u + v).max() / (X @ u + v).min()),
            "You take the absolute value of the quotient. It belongs to each u·x + v, before the largest and the smallest are "
            "chosen.",
        ),
        "bias forgotten": (
            lambda X, u, v: np.abs(X @ u).max() / np.abs(X @ u).min(),
            "The bias v is missing, so you measure from a parallel plane through the origin.",
        ),
        "sign of the bias": (
            lambda X, u, v: np.abs(X @ u - v).max() / np.abs(X @ u - v).min(),
            "A sign slip: the plane is u·x + v = 0, so v is added.",
        ),
        "upside down": (
            lambda X, u, v: np.abs(X @ u + v).min() / np.abs(X @ u + v).max(),
            "That is nearest over farthest, at most 1. h_MCM is the farthest over the nearest.",
        ),
        "difference for quotient": (
            lambda X, u, v: np.abs(X @ u + v).max() - np.abs(X @ u + v).min(),
            "You subtract. A difference would double with u and v though the plane stays where it is: divide.",
        ),
        "squared": (
            lambda X, u, v: (np.abs(X @ u + v).max() / np.abs(X @ u + v).min()) ** 2,
            "That is the square of h_MCM, which comes in at N(11) only.",
        ),
        "longest point for farthest": (
            lambda X, u, v: np.linalg.norm(X, axis=1).max() * np.linalg.norm(u) / np.abs(X @ u + v).min(),
            "You use the length of the longest point: that is a ball over the slab. h_MCM has the farthest distance from the "
            "plane on top.",
        ),
    },
    hints=(
        "How far every point is from the plane, up to a common factor, is |u·x + v|. Which two points decide?",
        "`np.abs(X @ u + v)` holds one entry per point. The common factor 1/||u|| cancels.",
        "Return the largest of these entries divided by the smallest.",
    ),
)


# --- the middle of the gap -------------------------------------------------------------------------------------------


def middle_of_gap(X: FloatArray, y: FloatArray, u: FloatArray) -> float:
    return capacity.middle_of_gap(X, y, u)


def labelled(rng: np.random.Generator) -> list[tuple]:
    """(X, y, u): two samples, classes of different sizes, gaps on either side of the origin; not all are separated by u."""
    cases: list[tuple] = [
        ([[3], [1]], [1, -1], [1]),
        ([[3], [1]], [1, -1], [2]),
        ([[0], [1], [3], [7]], [-1, -1, 1, 1], [1]),
        ([[0, 0], [1, 0], [0, 1], [1, 1]], [-1, -1, 1, 1], [0, 2]),
    ]
    for M, n in [(2, 1), (3, 1), (5, 2), (7, 3), (12, 2)]:
        y = np.where(np.arange(M) % 3 == 1, 1, -1)
        shift = rng.integers(-9, 10)
        cases.append((rng.integers(-3, 4, (M, n)) + 4 * y[:, None] + shift, y, rng.integers(1, 4, n)))
    return [tuple(np.array(part, float) for part in case) for case in cases]


MIDDLE_OF_GAP = Task(
    key="radius_over_margin.2",
    title="The middle of the gap",
    reference=middle_of_gap,
    inputs=labelled,
    library=(capacity.middle_of_gap,),
    mistakes={
        "sign": (
            lambda X, y, u: ((X @ u)[y > 0].min() + (X @ u)[y < 0].max()) / 2,
            "That is the value of u·x in the middle of the gap. On the plane u·x + v = 0, so v is minus that.",
        ),
        "means of the classes": (
            lambda X, y, u: -((X @ u)[y > 0].mean() + (X @ u)[y < 0].mean()) / 2,
            "You go midway between the means. The margin depends on the nearest points only: the lowest u·x of class +1 and "
            "the highest of class -1.",
        ),
        "outermost points": (
            lambda X, y, u: -((X @ u)[y > 0].max() + (X @ u)[y < 0].min()) / 2,
            "You go midway between the two points that are farthest apart. The gap lies between the lowest of class +1 and the "
            "highest of class -1.",
        ),
        "not halved": (
            lambda X, y, u: -((X @ u)[y > 0].min() + (X @ u)[y < 0].max()),
            "You add the two ends of the gap and do not halve the sum.",
        ),
        "one end of the gap": (
            lambda X, y, u: -(X @ u)[y > 0].min(),
            "Your plane touches the nearest point of class +1. It should be as far from that as from the nearest of class -1.",
        ),
        "the other end of the gap": (
            lambda X, y, u: -(X @ u)[y < 0].max(),
            "Your plane touches the nearest point of class -1. It should be as far from that as from the nearest of class +1.",
        ),
        "divided by the length of u": (
            lambda X, y, u: -((X @ u)[y > 0].min() + (X @ u)[y < 0].max()) / 2 / np.linalg.norm(u),
            "You divide by the length of u. That makes a distance, but v belongs in u·x + v with u as it is.",
        ),
    },
    hints=(
        "Look along u: every point has one number, u·x. Where does class -1 end, and where does class +1 begin?",
        "`(X @ u)[y > 0].min()` is where class +1 begins. Which number is the end of class -1?",
        "The plane is where u·x is the mean of the two, and there u·x + v = 0.",
    ),
)


# --- ball over strip -------------------------------------------------------------------------------------------------


def ball_over_strip(X: FloatArray, u: FloatArray, v: float) -> float:
    chain = capacity.capacity_chain(X, u, v)
    return chain.ratio / chain.h_mcm


def _ball(
    X: FloatArray,
    u: FloatArray,
    v: float,
    one: float = 1.0,
    bias: float = 1.0,
    edge: Callable = np.max,
    longest: Callable = np.max,
) -> float:
    """Ball over strip with something changed: the constant feature, the bias in the length of û, which points decide."""
    R = longest(np.sqrt((X**2).sum(axis=1) + one))
    return R / (edge(np.abs(X @ u + v)) / np.sqrt(u @ u + bias * v**2))


BALL_OVER_STRIP = Task(
    key="radius_over_margin.3",
    title="Ball over strip",
    reference=ball_over_strip,
    inputs=planes,
    library=(capacity.capacity_chain,),
    mistakes={
        "ball over slab": (
            lambda X, u, v: _ball(X, u, v, edge=np.min),
            "You divide by the distance of the nearest point, so this is ball over slab: R/Δ. The strip ends at the farthest.",
        ),
        "unaugmented radius": (
            lambda X, u, v: _ball(X, u, v, one=0.0),
            "Your ball is that of the data as they are. In the augmented space every point has one more coordinate, a 1.",
        ),
        "unaugmented norm": (
            lambda X, u, v: _ball(X, u, v, bias=0.0),
            "You measure the strip with the length of u alone. In the augmented space the plane's vector is (u; v).",
        ),
        "not augmented at all": (
            lambda X, u, v: _ball(X, u, v, one=0.0, bias=0.0),
            "Both lengths are those of the space of the data. There a strip may be wider than the ball, and this quotient fall "
            "below 1. Take (x; 1) for x and (u; v) for u.",
        ),
        "upside down": (
            lambda X, u, v: 1 / _ball(X, u, v),
            "That is strip over ball, which is never above 1. The task asks for ball over strip.",
        ),
        "shortest for longest": (
            lambda X, u, v: _ball(X, u, v, longest=np.min),
            "Your ball holds the shortest point only. R is the length of the longest.",
        ),
        "squared length": (
            lambda X, u, v: _ball(X, u, v) * np.sqrt((X**2).sum(axis=1) + 1).max(),
            "Your R is not a length but its square: take the root of the sum of squares.",
        ),
    },
    hints=(
        "The ball's radius is the largest length of (x; 1). The strip reaches to the point that is farthest from the plane.",
        "Lengths: `np.sqrt((X**2).sum(axis=1) + 1)`. Distances: `np.abs(X @ u + v)` over the length of (u; v).",
        "The length of (u; v) is `np.sqrt(u @ u + v**2)`. Divide the largest length by the largest distance.",
    ),
)


# --- Theorem 2.2 -----------------------------------------------------------------------------------------------------


def vc_dimension_bound(R: float, Delta: float, n: int) -> float:
    return bounds.margin_vc_dim(R, Delta, n)


def theorem_inputs(rng: np.random.Generator) -> list[tuple]:
    """(R, Delta, n): ratios that are whole and that are not, below and above n, a margin as large as the ball."""
    drawn = [
        (rng.integers(1, 40) / 4, 2.0 ** rng.integers(-2, 2), int(rng.choice([2, 5, 20, 300]) + rng.integers(0, 5)))
        for _ in range(16)
    ]
    return [
        *drawn, (1.0, 1.0, 1), (1.0, 2.0, 3), (3.0, 1.0, 2), (3.0, 1.0, 9), (3.0, 1.0, 100), (5.0, 2.0, 6),
        (5.0, 2.0, 100), (3.5, 1.0, 100), (7.5, 0.25, 1000), (1.0, 0.75, 100), (1.0, 0.0625, 20),
    ]  # fmt: skip


def _vc(
    R: float, D: float, n: int, whole: Callable = lambda r: np.floor(r**2), least: Callable = min, plus: float = 1
) -> float:
    return least(whole(R / D), n) + plus


THEOREM = Task(
    key="radius_over_margin.4",
    title="Theorem 2.2, as printed",
    reference=vc_dimension_bound,
    inputs=theorem_inputs,
    library=(bounds.margin_vc_dim,),
    mistakes={
        "rounded before squaring": (
            lambda R, Delta, n: _vc(R, Delta, n, lambda r: np.floor(r) ** 2),
            "You round R/Δ down and square then. That claims more than the theorem: with R/Δ = 2.5 it gives 4 where the "
            "integer part of the square is 6.",
        ),
        "not rounded": (
            lambda R, Delta, n: _vc(R, Delta, n, lambda r: r**2),
            "The brackets are missing: take the integer part of (R/Δ)².",
        ),
        "rounded up": (
            lambda R, Delta, n: _vc(R, Delta, n, lambda r: np.ceil(r**2)),
            "You round up. That is the reading that survives the triangle of the lesson, well done; but the task asks for "
            "N(5) as it is printed, with the integer part.",
        ),
        "rounded to the nearest": (
            lambda R, Delta, n: _vc(R, Delta, n, lambda r: np.round(r**2)),
            "You round to the nearest whole number. The brackets mean the integer part, which is `np.floor` here.",
        ),
        "not squared": (lambda R, Delta, n: _vc(R, Delta, n, np.floor), "The ratio enters squared: [R²/Δ²]."),
        "one forgotten": (
            lambda R, Delta, n: _vc(R, Delta, n, plus=0),
            "The + 1 at the end is missing. (All lines of the plane, n = 2, have VC dimension 3.)",
        ),
        "one inside the minimum": (
            lambda R, Delta, n: min(np.floor((R / Delta) ** 2) + 1, n),
            "The + 1 stands outside the minimum: both [R²/Δ²] and n get it.",
        ),
        "max for min": (
            lambda R, Delta, n: _vc(R, Delta, n, least=max),
            "You take the larger of the two. Both are bounds, so the smaller one says more.",
        ),
        "dimension forgotten": (
            lambda R, Delta, n: _vc(R, Delta, n, least=lambda a, b: a),
            "Your answer lacks n. However narrow the margin, planes in n dimensions have VC dimension n + 1 at most.",
        ),
        "upside down": (
            lambda R, Delta, n: _vc(Delta, R, n),
            "You divide Δ by R. A wide margin must make the bound smaller.",
        ),
    },
    hints=(
        "Square the ratio, take its integer part, compare with n.",
        "`np.floor((R / Delta) ** 2)` is [R²/Δ²]. `min` chooses.",
        "`min(np.floor((R / Delta) ** 2), n)`, and 1 is added at the very end.",
    ),
)


# --- turn the line ---------------------------------------------------------------------------------------------------


def least_h_mcm(X: FloatArray, y: FloatArray) -> float:
    return _sweep(X, y)


def _sweep(
    X: FloatArray,
    y: FloatArray,
    degrees: Any = range(360),
    separating: bool = True,
    choose: Callable = min,
    turn: Callable = np.radians,
    middle: bool = True,
) -> float:
    """The sweep with something changed: the angles, whether lines must separate, what is chosen, where the line runs."""
    found = []
    for degree in degrees:
        f = X @ np.array([np.cos(turn(degree)), np.sin(turn(degree))])
        f = f - (f[y > 0].min() + f[y < 0].max()) / 2 if middle else f
        if not separating or (y * f > 0).all():
            found.append(np.abs(f).max() / np.abs(f).min())
    return choose(found) if found else np.inf


def barely_separated(degree: int, length: float) -> tuple:
    """Two long rows of two points each, so close to one another that no other whole degree separates them."""
    across = np.array([np.cos(np.radians(degree)), np.sin(np.radians(degree))])
    row = length * np.array([across[::-1] * [-1, 1], across[::-1] * [1, -1]])
    return np.vstack([row + 0.1 * across, row - 0.1 * across]).round(3), [1, 1, -1, -1]


def separable_inputs(rng: np.random.Generator) -> list[tuple]:
    """Points that lines at some whole degrees separate, in every direction, some of them barely."""
    cases: list[tuple] = [
        ([[1, 0], [-1, 0]], [1, -1]),
        ([[0, -2], [0, 1], [1, 1]], [1, -1, -1]),
        ([[-2, -1], [-1, 0], [1, 0], [2, 1]], [1, 1, -1, -1]),
        ([[5, 1], [7, 2], [4, 1], [2, 0]], [1, 1, -1, -1]),  # far from the origin
        barely_separated(359, 10),  # the last of all angles, and the only one
    ]
    for M, quarter in [(4, 1), (6, 0), (8, 2), (12, 1), (12, 3)]:
        degree = 90 * quarter + rng.integers(5, 85)
        across = np.array([np.cos(np.radians(degree)), np.sin(np.radians(degree))])
        X = rng.normal(size=(M, 2)).round(1)
        X[:2] = [across, -across]  # one of either class at least
        y = np.where(X @ across >= 0, 1.0, -1.0)
        cases.append(((X + 0.25 * y[:, None] * across + rng.integers(-3, 4, 2)).round(2), y))
    cases += [barely_separated(degree, float(rng.integers(7, 15))) for degree in (0, 359)]
    return [(np.array(X, float), np.array(y, float)) for X, y in cases]


LEAST_H_MCM = Task(
    key="radius_over_margin.5",
    title="Turn the line",
    reference=least_h_mcm,
    inputs=separable_inputs,
    mistakes={
        "lines that do not separate": (
            lambda X, y: _sweep(X, y, separating=False),
            "You let lines compete that do not separate the classes. h_MCM asks for no label, so some of them score well. Keep "
            "an angle only if y·(u·x + v) > 0 for all points.",
        ),
        "half a turn": (
            lambda X, y: _sweep(X, y, range(180)),
            "You try half the angles. u and -u give the same lines, but exchange the sides, and only one of the two puts "
            "class +1 on the positive side: go through all 360 degrees.",
        ),
        "degrees for radians": (
            lambda X, y: _sweep(X, y, turn=float),
            "`np.cos` wants radians. Your angles jump about the circle: take `np.radians` of the degrees.",
        ),
        "largest": (
            lambda X, y: _sweep(X, y, choose=max),
            "You keep the largest h_MCM. The machine wants the smallest.",
        ),
        "no shift": (
            lambda X, y: _sweep(X, y, middle=False),
            "All your lines pass through the origin. For each angle, put the line in the middle of its gap first.",
        ),
        "first that separates": (
            lambda X, y: _sweep(X, y, choose=lambda found: found[0]),
            "You stop at the first angle that separates. Go through all of them, and keep the smallest h_MCM.",
        ),
        "every tenth degree": (
            lambda X, y: _sweep(X, y, range(0, 360, 10)),
            "You go in steps of ten degrees. Every whole degree is asked for.",
        ),
    },
    hints=(
        "A loop over the degrees. For each: u, then v by `middle_of_gap`, then your `h_mcm`. When does a line not count?",
        "u is (cos, sin) of the angle in radians. A line counts if `(y * (X @ u + v) > 0).all()`.",
        "Begin with `least = np.inf`; wherever a line counts, `least = min(least, h_mcm(X, u, v))`; return it after the loop.",
    ),
)


# --- a letter to a friend --------------------------------------------------------------------------------------------

EXPLAIN_BOUND = Explanation(
    key="radius_over_margin.6",
    title="A letter to a friend",
    points={
        "direction": (
            "lower bound, from below, below r, at least h, ≤, <=, at most r, never above, proves nothing",
            "N(10) says h_MCM ≤ R/Δ. Which of the two does a small h_MCM tell something about, and what?",
        ),
        "beta": (
            "beta, β, constant, depend, each data, own factor",
            "Which beta would your friend need, and is it the same for both data sets of the table?",
        ),
        "far away": (
            "far, label, separat, wrong about, one side, absolute",
            "The far-away line has the best h_MCM of the table. What does it do to your friend's argument?",
        ),
        "stretch": (
            "stretch, along, ball, radius, strip, coordinates",
            "Why does the least h_MCM not change when the points are stretched, and what does change?",
        ),
        "instead": (
            "r/δ, r/delta, ratio, new data, new points, test, validat, margin",
            "What should your friend report instead, or measure?",
        ),
    },
    model="""\
N(10) says that h_MCM is at most R/Delta: a lower bound on R/Delta. So a small h_MCM proves nothing
about R/Delta, and nothing about the VC dimension. "There is a beta" is true, but beta depends on
the data and the line: stretched tenfold, the points have the same least h_MCM, because it looks
across the line only, while the ball grows and beta with it. The far-away line has the smallest
h_MCM of all and does not even separate the classes, as h_MCM knows no labels. Report R/Delta of
a line that separates, or better, measure the error on new points.""",
    hints=(
        "Find two rows with the same h_MCM and compare their other columns.",
        "Two numbers below the same ceiling: does knowing that one is small say anything about the other?",
        "Name the direction of N(10), the beta of each row, the far-away line, and what one can measure instead.",
    ),
)

TASKS = [H_MCM, MIDDLE_OF_GAP, BALL_OVER_STRIP, THEOREM, LEAST_H_MCM, EXPLAIN_BOUND]


# --- gaps in the lesson ----------------------------------------------------------------------------------------------


def at_most(R: float, Delta: float, n: int) -> float:
    return min(np.floor((R / Delta) ** 2), n) + 1


def strip_over_slab(f: FloatArray) -> float:
    return np.max(np.abs(f)) / np.min(np.abs(f))


GAPS = [
    gap(
        "radius_over_margin.theorem",
        at_most,
        [(3.0, 1.0, 100), (3.0, 1.0, 2), (1.5, 1.0, 10), (1.3, 1.0, 10), (10.0, 0.9, 1000)],
        {
            "not squared": (
                lambda R, Delta, n: min(np.floor(R / Delta), n) + 1,
                "The ratio enters squared: a margin half as wide costs four times as much.",
            ),
            "one forgotten": (
                lambda R, Delta, n: min(np.floor((R / Delta) ** 2), n),
                "The 1 after the minimum is missing.",
            ),
            "rounded before squaring": (
                lambda R, Delta, n: min(np.floor(R / Delta) ** 2, n) + 1,
                "You round R/Δ down and square then. The integer part is that of the squared ratio.",
            ),
            "one inside the minimum": (
                lambda R, Delta, n: min(np.floor((R / Delta) ** 2) + 1, n),
                "The 1 is added after the minimum is taken: planes in n dimensions have n + 1.",
            ),
            "rounded to the nearest": (
                lambda R, Delta, n: min(np.round((R / Delta) ** 2), n) + 1,
                "You round to the nearest integer. The brackets mean the integer part: always down, `np.floor`.",
            ),
            "maximum": (
                lambda R, Delta, n: max(np.floor((R / Delta) ** 2), n) + 1,
                "That is the larger of the two. Both are bounds, so the smaller one counts: `min`.",
            ),
            "no integer part": (
                lambda R, Delta, n: min((R / Delta) ** 2, n) + 1,
                "The brackets mean the integer part: a VC dimension counts points. `np.floor` gives it.",
            ),
        },
        "`min(a, b)` is the smaller of two numbers; the + 1 comes after it.",
    ),
    gap(
        "radius_over_margin.strip",
        strip_over_slab,
        [(np.array(f),) for f in [[1.0, -2.0], [3.0, 0.5, -4.0], [-1.0, -1.0, -7.0]]],
        {
            "without absolute values": (
                lambda f: np.max(f) / np.min(f),
                "Half of the values are negative: distances are absolute values.",
            ),
            "absolute values too late": (
                lambda f: np.abs(np.max(f)) / np.abs(np.min(f)),
                "You look for the largest and the smallest value first. Take the absolute values before that: -4 "
                "is farther than 3.",
            ),
            "upside down": (
                lambda f: np.min(np.abs(f)) / np.max(np.abs(f)),
                "The nearest over the farthest: turn it round, so that it is never below 1.",
            ),
        },
        "The farthest point's distance over the nearest one's; `np.abs` makes distances of values.",
    ),
]
