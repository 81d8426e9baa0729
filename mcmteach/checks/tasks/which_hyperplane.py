"""Tasks: margins, the perceptron, and radius over margin."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from mcmteach import capacity, perceptron
from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.validation import FloatArray

TITLE = "Which hyperplane?"


def planes(rng: np.random.Generator) -> list[tuple]:
    """(X, y, w, b): the slides' two points, and small data with planes that go through none of it."""
    cases: list[tuple] = [([[1, 1]], [1], [1, 1], -1), ([[1, 1]], [1], [1, 2], 0), ([[2]], [-1], [3], 1)]
    for M, n in [(1, 2), (2, 1), (2, 2), (3, 2), (5, 3), (12, 2)]:
        w = rng.integers(1, 4, n) * rng.choice([-1, 1], n)
        cases.append((rng.integers(-4, 5, (M, n)), rng.choice([-1, 1], M), w, rng.integers(-2, 3) + 0.5))
    return [(np.array(X, float), np.array(y, float), np.array(w, float), float(b)) for X, y, w, b in cases]


# --- functional margins ----------------------------------------------------------------------------------------------


def functional_margins(X: FloatArray, y: FloatArray, w: FloatArray, b: float) -> np.ndarray:
    return capacity.functional_margins(X, y, w, b)


FUNCTIONAL_MARGINS = Task(
    key="which_hyperplane.1",
    title="Functional margins, in one line",
    reference=functional_margins,
    inputs=planes,
    library=(capacity.functional_margins,),
    mistakes={
        "bias forgotten": (
            lambda X, y, w, b: y * (X @ w),
            "The bias is missing: the plane is w·x + b = 0, and without b every plane goes through the origin.",
        ),
        "sign of the bias": (
            lambda X, y, w, b: y * (X @ w - b),
            "A sign slip: the plane is w·x + b = 0, so b is added. (Other books write w·x - b.)",
        ),
        "label forgotten": (
            lambda X, y, w, b: X @ w + b,
            "That is f(x) = w·x + b, which says on which side a point lies. Multiplied by the label it says whether that is "
            "the right side.",
        ),
        "label on one part only": (
            lambda X, y, w, b: y * (X @ w) + b,
            "The label multiplies the whole of w·x + b, b too. A pair of brackets is missing.",
        ),
        "size only": (
            lambda X, y, w, b: np.abs(X @ w + b),
            "You take the size of w·x + b. A margin has a sign: it is negative where the plane is wrong.",
        ),
        "divided by the norm": (
            lambda X, y, w, b: y * (X @ w + b) / np.linalg.norm(w),
            "These are the geometric margins already. The functional ones are not divided by the length of w.",
        ),
    },
    hints=(
        "The plane's answer for all points at once is a matrix times a vector, plus a number.",
        "`X @ w + b` is f for every row of X.",
        "Multiply that by y, entry by entry: y times the whole bracket.",
    ),
)


# --- the geometric margin --------------------------------------------------------------------------------------------


def geometric_margin(X: FloatArray, y: FloatArray, w: FloatArray, b: float) -> float:
    return capacity.geometric_margin(X, y, w, b)


GEOMETRIC_MARGIN = Task(
    key="which_hyperplane.2",
    title="The geometric margin of a data set",
    reference=geometric_margin,
    inputs=planes,
    library=(capacity.geometric_margin, capacity.geometric_margins),
    mistakes={
        "max for min": (
            lambda X, y, w, b: np.max(y * (X @ w + b)) / np.linalg.norm(w),
            "You take the largest. The margin of a data set is that of its worst point, so take the smallest.",
        ),
        "mean for min": (
            lambda X, y, w, b: np.mean(y * (X @ w + b)) / np.linalg.norm(w),
            "You take the mean. One point on the wrong side must not be made good by the others: take the smallest.",
        ),
        "not divided": (
            lambda X, y, w, b: np.min(y * (X @ w + b)),
            "That is the functional margin, which doubles when w and b double though the plane stays where it is. Divide by "
            "the length of w to get a distance.",
        ),
        "augmented norm": (
            lambda X, y, w, b: np.min(y * (X @ w + b)) / np.linalg.norm(np.append(w, b)),
            "You divide by the length of (w, b). Distances in the space of the data need the length of w alone; that of (w, b) "
            "belongs to the augmented space, which comes later.",
        ),
        "squared norm": (
            lambda X, y, w, b: np.min(y * (X @ w + b)) / (w @ w),
            "`w @ w` is the square of the length of w. Take its root, or `np.linalg.norm(w)`.",
        ),
        "sum of the entries": (
            lambda X, y, w, b: np.min(y * (X @ w + b)) / np.sum(np.abs(w)),
            "You divide by the sum of the entries of w. The Euclidean length is the root of the sum of their squares.",
        ),
        "unsigned": (
            lambda X, y, w, b: np.min(np.abs(X @ w + b)) / np.linalg.norm(w),
            "That is the distance of the nearest point, whatever its side. With the label, a point on the wrong side has a "
            "negative margin.",
        ),
        "one for every point": (
            lambda X, y, w, b: y * (X @ w + b) / np.linalg.norm(w),
            "These are the margins of all the points. The margin of the data set is the smallest of them.",
        ),
    },
    hints=(
        "Begin with your `functional_margins`. What makes them distances?",
        "Divide by the length of w, `np.linalg.norm(w)`; then which point decides?",
        "Return the minimum of y * (X @ w + b), divided by the norm of w.",
    ),
)


# --- one step of the perceptron --------------------------------------------------------------------------------------


def perceptron_step(w: FloatArray, b: float, x: FloatArray, y: float) -> tuple[np.ndarray, float]:
    return (w + y * x, b + y) if y * (w @ x + b) <= 0 else (w, b)


def step_inputs(rng: np.random.Generator) -> list[tuple]:
    """Right, wrong, and on the plane, with either label."""
    cases: list[tuple] = [
        ([0], 0, [2], 1),
        ([0], 0, [2], -1),
        ([1], 0, [2], 1),
        ([1], 0, [2], -1),
        ([1, 1], -2, [1, 1], -1),
    ]
    for n, s in product((1, 2, 3, 5), (-1, 1)):
        w, x = rng.integers(-3, 4, n), rng.integers(-3, 4, n)
        cases += [(w, -w @ x + shift, x, s) for shift in (0, rng.integers(1, 5), rng.integers(-5, 0))]
    return [(np.array(w, float), float(b), np.array(x, float), float(y)) for w, b, x, y in cases]


def _step(
    wrong: Callable = lambda f, y: y * f <= 0, by: Callable = lambda y: y, shift: Callable = lambda y: y
) -> Callable[..., tuple[np.ndarray, float]]:
    """A perceptron's step with something changed: when it learns, what it adds, how it moves b."""
    return lambda w, b, x, y: (w + by(y) * x, b + shift(y)) if wrong(w @ x + b, y) else (w, b)


PERCEPTRON_STEP = Task(
    key="which_hyperplane.3",
    title="One step of Rosenblatt's rule",
    reference=perceptron_step,
    inputs=step_inputs,
    mistakes={
        "strictly below zero": (
            _step(wrong=lambda f, y: y * f < 0),
            "A point on the plane itself (y·f = 0) is not right either. With `<` a machine that begins at w = 0, b = 0 never "
            "learns anything: take `<=`.",
        ),
        "subtracted": (
            _step(by=lambda y: -y, shift=lambda y: -y),
            "A sign slip: you move away from the point. Adding y·x turns w towards a +1 that was missed, and away from a -1.",
        ),
        "bias left alone": (
            _step(shift=lambda y: 0),
            "w learns and b does not. The bias is the weight of a constant feature 1, so it gets y·1.",
        ),
        "bias always up": (
            _step(shift=lambda y: 1),
            "b always grows by 1. It moves by y, so down after a mistake on a -1.",
        ),
        "label forgotten in the step": (
            _step(by=lambda y: 1),
            "You add x whatever its label. It is y·x: a missed -1 must push w away.",
        ),
        "learns from every point": (
            _step(wrong=lambda f, y: True),
            "You change w and b at every point. The rule learns from mistakes only: first test whether y·(w·x + b) <= 0.",
        ),
        "label forgotten in the test": (
            _step(wrong=lambda f, y: f <= 0),
            "You ask whether w·x + b <= 0, so every -1 that is right counts as a mistake. Multiply by the label first.",
        ),
    },
    hints=(
        "First: is the point wrong? That is the sign of its functional margin, and zero counts as wrong.",
        "If it is wrong, w becomes w + y·x and b becomes b + y. If not, both stay.",
        "`if y * (w @ x + b) <= 0: return w + y * x, b + y`, and otherwise `return w, b`.",
    ),
)


# --- until nothing is wrong ------------------------------------------------------------------------------------------


def count_mistakes(X: FloatArray, y: FloatArray) -> int:
    w, b, mistakes, before = np.zeros(X.shape[1]), 0.0, 0, -1
    while mistakes > before:
        before = mistakes
        for x_p, y_p in zip(X, y, strict=True):
            if y_p * (w @ x_p + b) <= 0:
                w, b, mistakes = w + y_p * x_p, b + y_p, mistakes + 1
    return mistakes


def _count(
    X: FloatArray, y: FloatArray, bias: float = 1.0, restart: bool = False, rounds: bool = False, once: bool = False
) -> int:
    """The count with something changed. It ends on all our inputs: a plane through the origin separates each of them."""
    X = np.column_stack([X, bias * np.ones(len(X))])
    w, mistakes, passes, at_rest = np.zeros(X.shape[1]), 0, 0, False
    while not at_rest:
        at_rest, passes = True, passes + 1
        for x_p, y_p in zip(X, y, strict=True):
            if y_p * (w @ x_p) <= 0:
                w, mistakes, at_rest = w + y_p * x_p, mistakes + 1, False
                if restart:
                    break
        at_rest = at_rest or once
    return passes if rounds else mistakes


def _batch(X: FloatArray, y: FloatArray) -> int:
    w, b, mistakes = np.zeros(X.shape[1]), 0.0, 0
    while (wrong := y * (X @ w + b) <= 0).any():
        w, b, mistakes = w + y[wrong] @ X[wrong], b + y[wrong].sum(), mistakes + int(wrong.sum())
    return mistakes


def separable_inputs(rng: np.random.Generator) -> list[tuple]:
    """Data close to a plane through the origin: the rule has work to do, and comes to rest even if b is forgotten."""
    cases: list[tuple] = [
        ([[1]], [1]),
        ([[1], [-1]], [1, -1]),
        ([[1], [3]], [-1, -1]),
        ([[2, 1], [1, 2], [-1, 0], [0, -1]], [1, 1, -1, -1]),
    ]
    for M, n in [(3, 2), (4, 2), (6, 2), (10, 2), (15, 3), (25, 2)]:
        X, f = rng.integers(-6, 7, (20 * M, n)), [2.0, -1.0, 1.0][:n]
        X = X[(np.abs(X @ f) > 0) & (np.abs(X @ f) < 4)][:M]
        cases.append((X, np.sign(X @ f)))
    return [(np.array(X, float), np.array(y, float)) for X, y in cases]


COUNT_MISTAKES = Task(
    key="which_hyperplane.4",
    title="How many mistakes until it comes to rest?",
    reference=count_mistakes,
    inputs=separable_inputs,
    library=(perceptron.perceptron_primal, perceptron.perceptron_dual, perceptron.Perceptron.fit),
    mistakes={
        "rounds for mistakes": (
            lambda X, y: _count(X, y, rounds=True),
            "You count the rounds through the data. Novikoff's bound speaks of the mistakes: each change of w and b is one.",
        ),
        "one round only": (
            lambda X, y: _count(X, y, once=True),
            "You go through the data once. A later step can spoil what an earlier one had corrected, so go round again until a "
            "whole round is without a mistake.",
        ),
        "never begins": (
            lambda X, y: 0,
            "You count no mistake at all. At w = 0, b = 0 every point has margin 0, and that must count as a mistake: `<= 0`.",
        ),
        "bias forgotten": (
            lambda X, y: _count(X, y, bias=0.0),
            "Your b never changes, so you look for a plane through the origin. Each mistake also adds y to b.",
        ),
        "all at once": (
            _batch,
            "You judge all points by the same w and then learn from all that are wrong together. Rosenblatt's rule changes w "
            "at once, so that the next point meets the new one.",
        ),
        "back to the start": (
            lambda X, y: _count(X, y, restart=True),
            "After each mistake you begin again with the first point. Carry on with the next one, and come round again.",
        ),
    },
    hints=(
        "Two loops: an outer one that goes round again and again, an inner one over the points, one after the other.",
        "Note in each round whether a mistake was made. When a round had none, you are done.",
        "In the inner loop: where y·(w·x + b) <= 0, add y·x to w, y to b, and 1 to the count. Mind: not `w += ...` if w is an "
        "array that somebody gave you.",
    ),
)


# --- radius over margin ----------------------------------------------------------------------------------------------


def radius_over_margin(X: FloatArray, w: FloatArray, b: float) -> float:
    return capacity.capacity_chain(X, w, b).ratio


def _ratio(
    X: FloatArray, w: FloatArray, b: float, one: float = 1.0, norm_of: Callable = lambda w, b: np.append(w, b)
) -> float:
    """R/Δ with something changed: the constant feature in R, or the vector whose length divides."""
    R = np.linalg.norm(np.column_stack([X, one * np.ones(len(X))]), axis=1).max()
    return R / (np.abs(X @ w + b).min() / np.linalg.norm(norm_of(w, b)))


RADIUS_OVER_MARGIN = Task(
    key="which_hyperplane.5",
    title="Radius over margin, in the augmented space",
    reference=radius_over_margin,
    inputs=lambda rng: [(X, w, b) for X, y, w, b in planes(rng)],
    library=(capacity.capacity_chain,),
    mistakes={
        "unaugmented norm": (
            lambda X, w, b: _ratio(X, w, b, norm_of=lambda w, b: w),
            "You measure the margin with the length of w alone. In the augmented space the plane's vector is (w, b), so divide "
            "by the length of that. (Mixed spaces break N(10).)",
        ),
        "unaugmented radius": (
            lambda X, w, b: _ratio(X, w, b, one=0.0),
            "Your radius is that of the data as they are. In the augmented space every point has one more coordinate, a 1.",
        ),
        "not augmented at all": (
            lambda X, w, b: _ratio(X, w, b, one=0.0, norm_of=lambda w, b: w),
            "That is the ratio in the space of the data. N(8) measures both R and Δ in the augmented space: (x, 1) for x, and "
            "(w, b) for w.",
        ),
        "upside down": (
            lambda X, w, b: 1 / _ratio(X, w, b),
            "That is Δ/R. The capacity grows with the radius and falls with the margin: R/Δ.",
        ),
        "squared": (
            lambda X, w, b: _ratio(X, w, b) ** 2,
            "That is (R/Δ)², the bound on the mistakes. The task asks for R/Δ itself.",
        ),
        "max for min in the margin": (
            lambda X, w, b: _ratio(X, w, b) * np.abs(X @ w + b).min() / np.abs(X @ w + b).max(),
            "You take the farthest point for the margin. Δ is the distance of the nearest one.",
        ),
        "bias forgotten": (
            lambda X, w, b: _ratio(X, w, 0.0) * np.linalg.norm(np.append(w, b)) / np.linalg.norm(w),
            "The bias is missing in w·x + b, so you measure distances from another plane.",
        ),
    },
    hints=(
        "Two numbers: R, the largest length of (x, 1), and Δ, the smallest |w·x + b| over the length of (w, b).",
        "`np.sqrt((X**2).sum(axis=1) + 1)` are the lengths of all (x, 1); `np.sqrt(w @ w + b**2)` is that of (w, b).",
        "R is the maximum of the former. Δ is `np.abs(X @ w + b).min()` divided by the latter. Return R / Δ.",
    ),
)


# --- explain what you see --------------------------------------------------------------------------------------------

EXPLAIN_PLANES = Explanation(
    key="which_hyperplane.6",
    title="Explain what you see",
    points={
        "far plane": (
            "far, distant, outside, same side, one side, does not separate, separates nothing, no label",
            "Why is h_MCM of the far-away plane so near 1, though it tells nothing apart?",
        ),
        "separating only": (
            "separat, compare, negative margin, wrong side, constraint, condition",
            "Which planes may one compare by h_MCM (or by R/Δ, which knows no labels either), then?",
        ),
        "direction": (
            "lower bound, from below, at most r, ≤, <=, less than r, smaller than r, never above, below r, "
            "proves nothing",
            "h_MCM never exceeds R/Δ. Does a small h_MCM therefore prove a small R/Δ?",
        ),
        "choice": (
            "choose, prefer, take, best, largest margin, maximum margin, widest, smallest r",
            "Which of the planes would you take, and by which column?",
        ),
    },
    model="""\
I would choose the plane with the largest geometric margin. The far plane has all points on one
side, so its margin is negative: it separates nothing. Seen from so far away the nearest and the
farthest point are almost equally far, and as h_MCM knows no labels, their ratio is almost 1.
R/Delta as computed here knows no labels either. So only planes that separate the classes may be
compared by these two. And as h_MCM is a lower bound on R/Delta, a small h_MCM alone proves
nothing about R/Delta, nor about the VC dimension.""",
    hints=(
        "Look at the sign of the geometric margin first: which planes separate the classes at all?",
        "h_MCM has no label in it. What are |w·x + b| for the nearest and the farthest point, seen from very far away?",
        "N(10) says h_MCM <= R/Δ. A lower bound that is small leaves room for anything above it.",
    ),
)

TASKS = [FUNCTIONAL_MARGINS, GEOMETRIC_MARGIN, PERCEPTRON_STEP, COUNT_MISTAKES, RADIUS_OVER_MARGIN, EXPLAIN_PLANES]


# --- gaps in the lesson ----------------------------------------------------------------------------------------------


def update(w: FloatArray, b: float, x_i: FloatArray, y_i: float) -> tuple[np.ndarray, float]:
    return w + y_i * x_i, b + y_i


def margin(X: FloatArray, y: FloatArray, w: FloatArray, b: float) -> float:
    return np.min(y * (X @ w + b)) / np.linalg.norm(w)


GAPS = [
    gap(
        "which_hyperplane.update",
        update,
        [
            (np.array(w), b, np.array(x), y)
            for w, b, x, y in [
                ([0.0, 0.0], 0.0, [1.0, 2.0], 1),
                ([1.0, -1.0], 2.0, [3.0, 0.5], -1),
                ([0.5, 1.0], -1.5, [2.0, -1.0], 1),
            ]
        ],
        {
            "label forgotten": (
                lambda w, b, x_i, y_i: (w + x_i, b + 1),
                "A point of class -1 is subtracted: multiply by its label, in w and in b.",
            ),
            "label forgotten in b": (
                lambda w, b, x_i, y_i: (w + y_i * x_i, b + 1),
                "w is right. b moves by the label too: up by 1 for class +1, down by 1 for class -1.",
            ),
            "bias left alone": (
                lambda w, b, x_i, y_i: (w + y_i * x_i, b),
                "The bias moves too: it is the weight of a feature that is always 1.",
            ),
            "wrong way": (
                lambda w, b, x_i, y_i: (w - y_i * x_i, b - y_i),
                "That moves the line away from getting the point right: add, do not subtract.",
            ),
        },
        "Two values, with a comma between them: the new w, and the new b.",
        "`w + y_i * x_i` is the first.",
    ),
    gap(
        "which_hyperplane.margin",
        margin,
        planes(np.random.default_rng(1)),
        {
            "functional margin": (
                lambda X, y, w, b: np.min(y * (X @ w + b)),
                "That is the smallest functional margin. Divide it by the length of w, and it is a distance.",
            ),
            "all of them": (
                lambda X, y, w, b: y * (X @ w + b) / np.linalg.norm(w),
                "These are the geometric margins of all points. The margin of the line is the smallest of them.",
            ),
            "distance without sign": (
                lambda X, y, w, b: np.min(np.abs(X @ w + b)) / np.linalg.norm(w),
                "A line that is wrong about a point should have a negative margin: use the labels.",
            ),
        },
        "First the functional margins, y times f; then the smallest; then divide.",
        "The length of w is `np.linalg.norm(w)`.",
    ),
]
