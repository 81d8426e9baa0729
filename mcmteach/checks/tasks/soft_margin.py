"""Tasks: slack, the soft margin's objective, and two ways down."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from mcmteach import bounds, svm
from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.validation import FloatArray

TITLE = "The soft margin"


def planes(rng: np.random.Generator, with_C: bool = False, far: bool = False) -> list[tuple]:
    """(X, y, w, b) and perhaps C. No y f is exactly 1, where either answer about the indicator would be right."""
    cases: list[tuple] = [
        ([[2]], [1], [1], 0.5, 2),  # content
        ([[1]], [1], [0.25], 0.125, 0.5),  # right, inside
        ([[1]], [-1], [1], 0.5, 3),  # wrong
        ([[2], [-2]], [1, -1], [1], 0.5, 2),  # nobody is inside
        ([[1, 0], [0, 1]], [1, -1], [0, 0], 0, 4),  # no line yet
    ]
    for M, n in [(1, 1), (2, 1), (3, 1), (3, 2), (5, 3), (8, 2), (15, 2)]:
        X, w = rng.integers(-4, 5, (M, n)), rng.integers(1, 5, n) * rng.choice([-1, 1], n) / 4
        cases.append((X, rng.choice([-1, 1], M), w, rng.integers(-4, 4) / 4 + 0.125, rng.integers(2, 8) / 2))
    if far:  # so far on the wrong side that e^(1 - y f) overflows
        cases += [([[x], [1]], [-1, 1], [1], 0.125, 2) for x in (1000, rng.integers(800, 2000))]
    return [
        (np.array(X, float), np.array(y, float), np.array(w, float), float(b), *([float(C)] if with_C else []))
        for X, y, w, b, C in cases
    ]


# --- slack -----------------------------------------------------------------------------------------------------------


def slack(X: FloatArray, y: FloatArray, w: FloatArray, b: float) -> np.ndarray:
    return svm.slack(X, y, w, b)


SLACK = Task(
    key="soft_margin.1",
    title="Who pays, and how much?",
    reference=slack,
    inputs=planes,
    library=(svm.slack, bounds.hinge_loss),
    mistakes={
        "no maximum": (
            lambda X, y, w, b: 1 - y * (X @ w + b),
            "Points far on the right side get a negative slack: a reward that would pay for the mistakes of others. The "
            "constraint q >= 0 forbids it: take the maximum with 0.",
        ),
        "margin forgotten": (
            lambda X, y, w, b: np.maximum(0, -y * (X @ w + b)),
            "That is the perceptron's loss, which begins to charge on the line itself. The margin begins earlier: 1 - y f.",
        ),
        "sign slip": (
            lambda X, y, w, b: np.maximum(0, 1 + y * (X @ w + b)),
            "A sign slip: you charge those on the right side, and more the farther away they are. It is 1 minus y f.",
        ),
        "label forgotten": (
            lambda X, y, w, b: np.maximum(0, 1 - (X @ w + b)),
            "The label is missing, so the whole class -1 pays for being where it should be. It is 1 - y f.",
        ),
        "bias forgotten": (lambda X, y, w, b: np.maximum(0, 1 - y * (X @ w)), "The bias is missing: f(x) = w·x + b."),
        "counted": (
            lambda X, y, w, b: (y * (X @ w + b) < 1).astype(float),
            "You count who pays. Slack says how much: 1 - y f for those inside.",
        ),
        "size": (
            lambda X, y, w, b: np.abs(1 - y * (X @ w + b)),
            "With the absolute value, points far on the right side pay too. They owe nothing: the maximum of 0 and 1 - y f.",
        ),
        "added up": (
            lambda X, y, w, b: float(np.maximum(0, 1 - y * (X @ w + b)).sum()),
            "You add the slacks up. Here one number for each sample is asked for; the sum comes in the next task.",
        ),
    },
    hints=(
        "A slack is the least number >= 0 that makes y f >= 1 - q true. What is it if y f is 3? And if it is 0.25?",
        "Compute `1 - y * f` for all samples at once, with `f = X @ w + b`. What must not be negative?",
        "`np.maximum(0, ...)` compares entry by entry (`max` does not).",
    ),
)


# --- the objective ---------------------------------------------------------------------------------------------------


def objective(X: FloatArray, y: FloatArray, w: FloatArray, b: float, C: float) -> float:
    return svm.soft_margin_objective(X, y, w, b, C)


def _q(X: FloatArray, y: FloatArray, w: FloatArray, b: float) -> np.ndarray:
    return np.maximum(0.0, 1 - y * (X @ w + b))


OBJECTIVE = Task(
    key="soft_margin.2",
    title="What a line costs",
    reference=objective,
    inputs=lambda rng: planes(rng, with_C=True),
    library=(svm.soft_margin_objective,),
    mistakes={
        "half forgotten": (
            lambda X, y, w, b, C: w @ w + C * _q(X, y, w, b).sum(),
            "That is the slides' first form, without the half. It is a fair choice, but its C means half as much. We keep the "
            "half, as P(1) and SVC do.",
        ),
        "mean for sum": (
            lambda X, y, w, b, C: w @ w / 2 + C * _q(X, y, w, b).mean(),
            "You take the mean of the slacks. P(1) adds them up: every sample pays for itself.",
        ),
        "norm not squared": (
            lambda X, y, w, b, C: np.linalg.norm(w) / 2 + C * _q(X, y, w, b).sum(),
            "The length of w enters squared: `w @ w`.",
        ),
        "price on the wrong part": (
            lambda X, y, w, b, C: C * (w @ w) / 2 + _q(X, y, w, b).sum(),
            "C multiplies ||w||² here, so a high C would mean a wide margin. It is the price of slack.",
        ),
        "price on both": (
            lambda X, y, w, b, C: C * (w @ w / 2 + _q(X, y, w, b).sum()),
            "C multiplies both parts, so it changes nothing about which line is best. It belongs to the slack alone.",
        ),
        "bias in the norm": (
            lambda X, y, w, b, C: (w @ w + b * b) / 2 + C * _q(X, y, w, b).sum(),
            "You also charge for b. That is another machine, whose line depends on where the origin is; here b is free.",
        ),
        "no maximum": (
            lambda X, y, w, b, C: w @ w / 2 + C * (1 - y * (X @ w + b)).sum(),
            "Negative slacks slip into the sum and pay for the others. Use your `slack`.",
        ),
    },
    hints=(
        "Two parts: one that is small where the margin is wide, and the price of the slack.",
        "The first is half the squared length of w. The second is C times the sum of your slacks.",
        "`w @ w / 2 + C * slack(X, y, w, b).sum()`.",
    ),
)


# --- the subgradient -------------------------------------------------------------------------------------------------


def subgradient(X: FloatArray, y: FloatArray, w: FloatArray, b: float, C: float) -> tuple[np.ndarray, float]:
    return svm.soft_margin_subgradient(X, y, w, b, C)


def _pushes(
    inside: Callable = lambda t: t < 1, label: Callable = lambda y: y, spring: float = 1.0, sign: float = 1.0
) -> Callable[..., tuple[np.ndarray, float]]:
    """A subgradient with something changed: who pushes, with which label, how strong the spring is, which way."""

    def wrong(X: FloatArray, y: FloatArray, w: FloatArray, b: float, C: float) -> tuple[np.ndarray, float]:
        push = inside(y * (X @ w + b)) * label(y)
        return spring * w - sign * C * (push @ X), float(-sign * C * push.sum())

    return wrong


SUBGRADIENT = Task(
    key="soft_margin.3",
    title="The subgradient",
    reference=subgradient,
    inputs=lambda rng: planes(rng, with_C=True),
    library=(svm.soft_margin_subgradient,),
    mistakes={
        "indicator outside the sum": (
            _pushes(inside=lambda t: np.full_like(t, np.any(t < 1))),
            "As soon as one sample is inside the margin, all of yours push. That is the slides' rule as printed, with the "
            "indicator outside the sum. Each sample has its own.",
        ),
        "no indicator": (
            _pushes(inside=np.ones_like),
            "All samples push, also those that owe nothing. Multiply each by its indicator: 1 where y f < 1, else 0.",
        ),
        "only the wrong ones": (
            _pushes(inside=lambda t: t < 0),
            "Only misclassified samples push, as in the perceptron. Samples that are right but inside the "
            "margin, y f < 1, push too.",
        ),
        "the content ones": (
            _pushes(inside=lambda t: t > 1),
            "The indicator is the wrong way round: those outside the margin are silent, those with y f < 1 push.",
        ),
        "sign slip": (
            _pushes(sign=-1.0),
            "A sign slip: the hinge has the slope -y x where it is not flat, so the sum is subtracted, in w and in b.",
        ),
        "sign of the bias's part": (
            lambda X, y, w, b, C: (_pushes()(X, y, w, b, C)[0], -_pushes()(X, y, w, b, C)[1]),
            "The part of w is right, and that of b has the wrong sign: the slope is -C Σ I y. (In the update, w - ρ times it, "
            "the two minus signs make a plus.)",
        ),
        "bias pulled back": (
            lambda X, y, w, b, C: (_pushes()(X, y, w, b, C)[0], b + _pushes()(X, y, w, b, C)[1]),
            "The spring pulls w only: ½||w||² does not contain b, so no b is added to its slope.",
        ),
        "twice the spring": (_pushes(spring=2.0), "2w is the derivative of ||w||². With the half, ½||w||², it is w."),
        "spring forgotten": (
            _pushes(spring=0.0),
            "The derivative of ½||w||² is missing: w itself, the spring that keeps the margin wide.",
        ),
        "label forgotten": (
            _pushes(label=np.ones_like),
            "The labels are missing: samples of class -1 push the other way.",
        ),
        "price forgotten": (
            lambda X, y, w, b, C: _pushes()(X, y, w, b, 1.0),
            "C is missing: the sums are multiplied by the price of slack.",
        ),
    },
    hints=(
        "Differentiate the two parts apart. ½||w||² gives w. One hinge gives -y x where y f < 1, and 0 where it is flat.",
        "`I = y * (X @ w + b) < 1` is an array of True and False, and multiplies like 1 and 0.",
        "`w - C * (I * y) @ X` and `-C * np.sum(I * y)`.",
    ),
)


# --- descent ---------------------------------------------------------------------------------------------------------


def descend(X: FloatArray, y: FloatArray, C: float, rho: float, steps: int) -> tuple[np.ndarray, float]:
    way = svm.descent(X, y, C, rho, steps, method="falling")
    return way.w[-1], float(way.b[-1])


def _walk(
    length: Callable = lambda rho, k: rho / (1 + k * rho),
    more: int = 0,
    sign: float = 1.0,
    shift: float = 1.0,
    one_by_one: bool = False,
) -> Callable[..., tuple[np.ndarray, float]]:
    """The descent with something changed."""

    def wrong(X: FloatArray, y: FloatArray, C: float, rho: float, steps: int) -> tuple[np.ndarray, float]:
        w, b = np.zeros(X.shape[1]), 0.0
        for k in range(steps + more):
            step = sign * length(rho, k)
            push = y * (y * (X @ w + b) < 1)
            w = w - step * (w - C * push @ X)
            if one_by_one:
                push = y * (y * (X @ w + b) < 1)
            b = b + shift * step * C * float(push.sum())
        return w, b

    return wrong


def walks(rng: np.random.Generator) -> list[tuple]:
    """Small overlapping samples, unequal classes; the first has one step, the second two."""
    cases: list[tuple] = [([[2.0], [-1.0]], [1, -1], 1.0, 0.5, 1), ([[1.0], [3.0], [-1.0]], [-1, 1, -1], 0.5, 0.3, 2)]
    for M, n, C, rho, steps in [
        (2, 1, 0.5, 0.4, 1),
        (3, 1, 1.0, 0.3, 2),
        (5, 2, 2.0, 0.1, 3),
        (9, 2, 1.0, 0.2, 6),
        (12, 3, 0.5, 0.05, 10),
        (20, 2, 1.0, 0.03, 30),
    ]:
        y = np.where(np.arange(M) % 3, 1.0, -1.0)
        cases.append(((rng.normal(size=(M, n)) + 0.6 * y[:, None]).round(2), y, C, rho, steps))
    return [(np.array(X, float), np.array(y, float), C, rho, steps) for X, y, C, rho, steps in cases]


DESCEND = Task(
    key="soft_margin.4",
    title="Down the valley, with falling steps",
    reference=descend,
    inputs=walks,
    library=(svm.descent,),
    mistakes={
        "constant step": (
            _walk(length=lambda rho, k: rho),
            "Your step keeps its length, so it goes on jumping across the valley. Step k has the length ρ / (1 + k ρ).",
        ),
        "step size lost": (
            _walk(length=lambda rho, k: 1.0),
            "ρ has got lost, as it has on some of the slides: every step has the length 1.",
        ),
        "counted from one": (
            _walk(length=lambda rho, k: rho / (1 + (k + 1) * rho)),
            "You count the steps from 1. The first one is k = 0 and has the full length ρ.",
        ),
        "rho missing below": (
            _walk(length=lambda rho, k: rho / (1 + k)),
            "You divide by 1 + k. The step has the length ρ / (1 + k ρ), with ρ below the line too.",
        ),
        "one step too many": (_walk(more=1), "You take one step too many."),
        "one step too few": (_walk(more=-1), "You take one step too few: `range(steps)` has exactly so many."),
        "uphill": (_walk(sign=-1.0), "A sign slip: you add the subgradient, and climb. Subtract it."),
        "bias left alone": (
            _walk(shift=0.0),
            "w moves and b stays 0, so all your lines go through the origin. Both move, at the same time.",
        ),
        "new w for the bias": (
            _walk(one_by_one=True),
            "You move w first and then look at the samples again before you move b. Both parts belong to the same plane: "
            "compute them, then move.",
        ),
    },
    hints=(
        "Begin at w = 0, b = 0. A loop of `steps` rounds; in each, compute both parts of the subgradient at the present plane.",
        "`g, g_b = subgradient(X, y, w, b, C)`, then subtract the step's length times each. What is that length in round k?",
        "`step = rho / (1 + k * rho)`; `w, b = w - step * g, b - step * g_b`; after the loop `return w, b`.",
    ),
)


# --- the smooth gradient ---------------------------------------------------------------------------------------------


def smooth_gradient(X: FloatArray, y: FloatArray, w: FloatArray, b: float, C: float) -> tuple[np.ndarray, float]:
    return svm.smooth_svm_gradient(X, y, w, b, C)


def _soft(sigma: Callable, spring: float = 1.0) -> Callable[..., tuple[np.ndarray, float]]:
    return _pushes(inside=sigma, spring=spring)


SMOOTH_GRADIENT = Task(
    key="soft_margin.5",
    title="A soft indicator",
    reference=smooth_gradient,
    inputs=lambda rng: planes(rng, with_C=True, far=True),
    library=(svm.smooth_svm_gradient,),
    mistakes={
        "overflow": (
            _soft(lambda t: np.exp(1 - t) / (1 + np.exp(1 - t))),
            "Right on paper, and as the slides print it. But for a sample far on the wrong side e^(1 - y f) is "
            "too large for the machine, and inf/inf is nan. Divide above and below by it: 1 / (1 + e^(y f - 1)).",
        ),
        "sign in the exponent": (
            _soft(lambda t: expit(t - 1)),
            "Your indicator is near 1 for the samples that are far outside the margin, and they should be "
            "silent. Turn the sign in the exponent round: e^(y f - 1) in the denominator.",
        ),
        "margin forgotten": (
            _soft(lambda t: expit(-t)),
            "Your indicator is ½ on the line, as the perceptron's would be. It should be ½ on the margin, y f = 1.",
        ),
        "hard indicator": (
            _soft(lambda t: t < 1),
            "That is your `subgradient`. Here the indicator is σ = 1 / (1 + e^(y f - 1)), between 0 and 1.",
        ),
        "the loss for its slope": (
            _soft(lambda t: np.logaddexp(0, 1 - t)),
            "You multiply by the loss log(1 + e^(1 - y f)). The gradient needs its slope, σ.",
        ),
        "spring forgotten": (
            _soft(lambda t: expit(1 - t), spring=0.0),
            "The derivative of ½||w||² is missing: w itself.",
        ),
        "price forgotten": (
            lambda X, y, w, b, C: _soft(lambda t: expit(1 - t))(X, y, w, b, 1.0),
            "C is missing: the sums are multiplied by the price of slack.",
        ),
    },
    hints=(
        "It is your subgradient, with σ in the place of the indicator.",
        "σ is an array with a number between 0 and 1 for each sample, ½ where y f = 1.",
        "`sigma = 1 / (1 + np.exp(y * (X @ w + b) - 1))`, then as in your `subgradient`.",
    ),
)


# --- explain what you see --------------------------------------------------------------------------------------------

EXPLAIN_PRICE = Explanation(
    key="soft_margin.6",
    title="Explain what you see",
    points={
        "trade": (
            "trade, compromise, balance, wider, narrow, shrink, margin",
            "What does the machine give up when C rises, and what does it get for it?",
        ),
        "slack is not errors": (
            "count, not errors, inside the, how far, distance, amount, hinge",
            "Why can the training errors grow while the sum of slacks falls?",
        ),
        "choosing C": (
            "cross-valid, cross valid, validation, held-out, held out, hold-out, new points, new data, unseen",
            "Which C would you take, and how would you find it if you could not draw new points?",
        ),
        "steps": (
            "kink, edge, corner, overshoot, jump, fall, fade",
            "Why does the walk with a constant step never settle, while the other does?",
        ),
    },
    model="""\
As C rises the machine trades margin for slack: the sum of slacks can only fall, and the margin can
only get narrower. Slack does not count errors, it measures how far a point is inside the margin or
beyond it, so on a single sample a line may make one bad point better at the cost of several that are now
a little wrong. Only the smallest price is worse on new points, and from 0.1 on the others differ by less
than their standard errors; without new points I would choose C by cross-validation. The walk with a constant step
jumps over the edge at the bottom for ever, since the slope does not fade there; with falling steps it arrives.""",
    hints=(
        "Go through the table column by column, from cheap slack to expensive. Which columns can only go one way?",
        "A point with slack 5 and four points with slack 1.1: which pays more, and how many errors are there?",
        "Near the bottom of a smooth bowl the slope fades. Does it near an edge?",
    ),
)

TASKS = [SLACK, OBJECTIVE, SUBGRADIENT, DESCEND, SMOOTH_GRADIENT, EXPLAIN_PRICE]


# --- gaps in the lesson ----------------------------------------------------------------------------------------------


def hinge(y: FloatArray, f: FloatArray) -> np.ndarray:
    return np.maximum(0, 1 - y * f)


def step_of_w(X: FloatArray, y: FloatArray, w: FloatArray, b: float, C: float, rho: float) -> np.ndarray:
    return w - rho * (w - C * ((y * (X @ w + b) < 1) * y) @ X)


def _steps() -> list[tuple]:
    rng = np.random.default_rng(2)
    return [(X, y, w, b, C, 0.1) for X, y, w, b, C in planes(rng, with_C=True)]


GAPS = [
    gap(
        "soft_margin.hinge",
        hinge,
        [(np.array(y), np.array(f)) for y, f in [([1.0, 1.0, -1.0], [2.0, 0.4, 0.4]), ([-1.0, -1.0], [-1.0, -3.0])]],
        {
            "never below zero": (
                lambda y, f: 1 - y * f,
                "A point beyond its margin would be paid for it: slack is never negative.",
            ),
            "perceptron": (
                lambda y, f: np.maximum(0, -y * f),
                "That charges from the line on. Slack begins at the margin, where y f = 1.",
            ),
            "label forgotten": (
                lambda y, f: np.maximum(0, 1 - f),
                "For class -1 the sign of f turns round: y times f.",
            ),
        },
        "How far does y f fall short of 1? And if it does not?",
        "`np.maximum(0, a)` is the larger of 0 and each entry of a.",
    ),
    gap(
        "soft_margin.step",
        step_of_w,
        _steps(),
        {
            "indicator outside the sum": (
                lambda X, y, w, b, C, rho: w - rho * (w - C * np.any(y * (X @ w + b) < 1) * (y @ X)),
                "All points push as soon as one of them is inside. Each point has its own indicator.",
            ),
            "spring forgotten": (
                lambda X, y, w, b, C, rho: w + rho * C * ((y * (X @ w + b) < 1) * y) @ X,
                "The derivative of half of ||w||² is missing: w itself, which pulls w back.",
            ),
            "no indicator": (
                lambda X, y, w, b, C, rho: w - rho * (w - C * y @ X),
                "All points push, also the contented ones. Multiply each by its indicator: 1 where y f < 1, else 0.",
            ),
            "only the wrong ones": (
                lambda X, y, w, b, C, rho: w - rho * (w - C * ((y * (X @ w + b) < 0) * y) @ X),
                "Only wrong points push, as in the perceptron. Points that are right but inside the margin, y f < 1, push too.",
            ),
            "label missing in the indicator": (
                lambda X, y, w, b, C, rho: w - rho * (w - C * ((X @ w + b < 1) * y) @ X),
                "Your indicator asks whether f < 1. It is y f that is compared with 1: for class -1 the sign turns round.",
            ),
            "brackets": (
                lambda X, y, w, b, C, rho: w - rho * w - C * ((y * (X @ w + b) < 1) * y) @ X,
                "The brackets are missing: the step size multiplies the whole of w - C Σ, not only w.",
            ),
            "uphill": (
                lambda X, y, w, b, C, rho: w + rho * (w - C * ((y * (X @ w + b) < 1) * y) @ X),
                "A sign slip: you add the subgradient, and climb.",
            ),
        },
        "`y * (X @ w + b) < 1` says for each point whether it is inside: True counts as 1.",
        "`(inside * y) @ X` is the sum of y_i x_i over those inside.",
    ),
]
