"""Tasks: the regression machine's objective, its switch, how large epsilon must be, and fuzzy memberships."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcmteach import weights
from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.validation import FloatArray

TITLE = "Numbers instead of classes"


# --- the objective ---------------------------------------------------------------------------------------------------


def regression_objective(
    K: FloatArray, y: FloatArray, lam: FloatArray, b: float, p: float, C: float, epsilon: float, s: float
) -> float:
    return _objective()(K, y, lam, b, p, C, epsilon, s)


def _two_margins(f: FloatArray, y: FloatArray, p: float, epsilon: float) -> np.ndarray:
    return np.concatenate([f + p * (y + epsilon), -f - p * (y - epsilon)])


def _objective(
    margins: Callable = _two_margins,
    cap: Callable = np.max,
    slack: Callable = lambda t: np.maximum(0, 1 - t).sum(),
    price: Callable = lambda lam: np.abs(lam).sum(),
) -> Callable[..., float]:
    """The objective with something changed."""

    def objective(
        K: FloatArray, y: FloatArray, lam: FloatArray, b: float, p: float, C: float, epsilon: float, s: float
    ) -> float:
        t = margins(K @ lam + b, y, p, epsilon)
        return float(cap(t) + C * slack(t) + s * price(lam))

    return objective


def objective_inputs(rng: np.random.Generator) -> list[tuple]:
    """Every size, machines without an answer (p = 0), caps below and above 1."""
    cases: list[tuple] = [
        (np.eye(1), np.array([2.0]), np.array([-1.0]), 0.25, 0.5, 1.0, 0.5, 0.1),
        (np.eye(2), np.array([1.0, -1.0]), np.array([0.25, -0.5]), 0.0, 0.0, 2.0, 0.5, 0.5),
    ]
    for M, scale in [(1, 1), (2, 1), (2, 16), (3, 1), (3, 16), (5, 1), (6, 4)]:
        F = rng.integers(-1, 2, (M, 2))
        y, lam = rng.integers(-4, 5, M) / 2 + 0.25, (rng.integers(-3, 4, M) + 0.5) / scale
        numbers = 2.0 ** rng.choice([-2, -1, 1, 2]), 2.0 ** rng.integers(-2, 1), 2.0 ** rng.integers(-3, 2)
        p = (rng.integers(1, 5) / 2 + 0.25) / scale
        cases.append(((F @ F.T + np.eye(M)).astype(float), y, lam, rng.integers(-3, 4) / 2 + 0.25, p, *numbers))
    return [(*case[:3], *map(float, case[3:])) for case in cases]


REGRESSION_OBJECTIVE = Task(
    key="numbers_instead_of_classes.1",
    title="What the regression machine minimises",
    reference=regression_objective,
    inputs=objective_inputs,
    mistakes={
        "one sample per number": (
            _objective(margins=lambda f, y, p, epsilon: f + p * (y + epsilon)),
            "You have the samples of class +1 only. Each number has a second one, y - epsilon of class -1.",
        ),
        "label forgotten": (
            _objective(margins=lambda f, y, p, epsilon: np.concatenate([f + p * (y + epsilon), f + p * (y - epsilon)])),
            "The samples y - epsilon belong to class -1: their margin is minus (f + p (y - epsilon)).",
        ),
        "epsilon on one side": (
            _objective(
                margins=lambda f, y, p, epsilon: np.concatenate([f + p * (y + epsilon), -f - p * (y + epsilon)])
            ),
            "Both samples of a number lie at y + epsilon in your margins. The one of class -1 lies at y - epsilon.",
        ),
        "epsilon outside p": (
            _objective(margins=lambda f, y, p, epsilon: np.concatenate([f + p * y + epsilon, -f - p * y + epsilon])),
            "Epsilon is a distance along y, so p multiplies it too: p (y + epsilon).",
        ),
        "cap at least one": (
            _objective(cap=lambda t: max(1.0, t.max())),
            "Your cap is never below 1. For classes it is not, because slack counts in it; here h bounds the margins alone.",
        ),
        "slack not clipped": (
            _objective(slack=lambda t: (1 - t).sum()),
            "A margin above 1 needs no slack, and earns none: q = max(0, 1 - margin).",
        ),
        "price forgotten": (
            _objective(price=lambda lam: 0.0),
            "The price is missing: that is the published programme. Add s times the sum of all |λ|.",
        ),
        "signs in the price": (
            _objective(price=np.sum),
            "You add up the coefficients with their signs. The price is on their sizes.",
        ),
    },
    hints=(
        "First f = K λ + b, then the margins of all 2M samples. Which label has the sample at y - epsilon?",
        "The margins are f + p (y + epsilon) and -(f + p (y - epsilon)). h is the largest of them, q = max(0, 1 - margin).",
        "`t = np.concatenate([f + p * (y + epsilon), -f - p * (y - epsilon)])`, then t.max() + C (slacks) + s (sum of |λ|).",
    ),
)


# --- the upper side of the switch --------------------------------------------------------------------------------------


def learn_by_heart(K: FloatArray, y: FloatArray, epsilon: float) -> np.ndarray:
    return -np.linalg.solve(K, y) / epsilon


def by_heart_inputs(rng: np.random.Generator) -> list[tuple]:
    cases: list[tuple] = [(np.array([[2.0]]), np.array([3.0]), 0.5), (np.diag([1.0, 4.0]), np.array([1.0, -2.0]), 0.25)]
    for M in (1, 2, 3, 4, 6):
        F = rng.integers(-2, 3, (M, 2))
        cases.append(
            ((F @ F.T + np.eye(M)).astype(float), rng.integers(1, 9, M) / 2.0, 2.0 ** rng.choice([-3, -2, 1, 2]))
        )
    return [(K, y, float(epsilon)) for K, y, epsilon in cases]


LEARN_BY_HEART = Task(
    key="numbers_instead_of_classes.2",
    title="Above the switch",
    reference=learn_by_heart,
    inputs=by_heart_inputs,
    mistakes={
        "sign": (
            lambda K, y, epsilon: np.linalg.solve(K, y) / epsilon,
            "With your λ the answer -f/p is minus y. Put a minus in front.",
        ),
        "p forgotten": (
            lambda K, y, epsilon: -np.linalg.solve(K, y),
            "That is f = -y. The answer is -f/p, so f must be -p y, and p = 1/epsilon.",
        ),
        "p upside down": (
            lambda K, y, epsilon: -np.linalg.solve(K, y) * epsilon,
            "You take p = epsilon. All margins are p · epsilon, and they are to be 1: p = 1/epsilon.",
        ),
        "not inverted": (
            lambda K, y, epsilon: -(K @ y) / epsilon,
            "You multiply by K. It is K λ that must become -p y: solve for λ.",
        ),
    },
    hints=(
        "The answer -f/p must be y at every sample, and every margin p · epsilon must be 1. What are p and f?",
        "p = 1/epsilon and f = -p y. With b = 0, f is K λ.",
        "`np.linalg.solve(K, -y / epsilon)`.",
    ),
)


# --- how large epsilon must be -----------------------------------------------------------------------------------------


def smallest_epsilon(y: FloatArray, C: float) -> float:
    return _threshold()(y, C)


def _threshold(
    size: Callable = lambda y: (y.max() - y.min()) / 2, count: Callable = lambda y, C: 2 * C * len(y) - 1
) -> Callable[..., float]:
    """The threshold with something changed."""

    def threshold(y: FloatArray, C: float) -> float:
        return float(size(y) / count(y, C)) if count(y, C) > 0 else float("inf")

    return threshold


def _without_the_switch(y: FloatArray, C: float) -> float:
    count = 2 * C * len(y) - 1
    return float((y.max() - y.min()) / 2 / count) if count else float("inf")


def epsilon_inputs(rng: np.random.Generator) -> list[tuple]:
    """On both sides of the switch, with C = 1/(2M) among them; targets all of one sign, and far from zero."""
    cases: list[tuple] = [
        (np.array([1.0, 3.0]), 1.0),
        (np.array([0.0, 8.0]), 0.25),
        (np.array([1.0, 2.0, 4.0]), 0.125),
        (np.array([-9.0, -5.0, -6.0]), 2.0),
    ]
    for M in (2, 3, 4, 5, 7):
        y = rng.integers(-20, 20, M) + rng.choice([0, 100, -100])
        y[:2] = y[0], y[0] + rng.integers(1, 9)
        prices = 2.0 ** rng.choice([-1, 0, 1, 2]), 1 / 32, 0.75 / M  # the last is just above the switch
        cases += [(y.astype(float), C) for C in prices]
    return cases


SMALLEST_EPSILON = Task(
    key="numbers_instead_of_classes.3",
    title="How large epsilon must be",
    reference=smallest_epsilon,
    inputs=epsilon_inputs,
    mistakes={
        "whole range": (
            _threshold(size=lambda y: y.max() - y.min()),
            "The best constant lies in the middle of the range, so its largest residual is half of it.",
        ),
        "about the mean": (
            _threshold(size=lambda y: np.abs(y - y.mean()).max()),
            "You measure from the mean. The constant with the smallest largest residual is the middle between min and max.",
        ),
        "standard deviation": (
            _threshold(size=lambda y: y.std()),
            "That is a typical residual. The cap depends on the largest one.",
        ),
        "one sample per number": (
            _threshold(count=lambda y, C: C * len(y) - 1),
            "Each number is two samples, so slack costs 2CM at p = 0.",
        ),
        "cap forgotten": (
            _threshold(count=lambda y, C: 2 * C * len(y)),
            "You leave out the cap: h grows by p·epsilon too, which is the 1 that 2CM loses.",
        ),
        "below the switch": (
            _without_the_switch,
            "For C < 1/(2M) your threshold is negative. There no epsilon helps: answer infinity.",
        ),
    },
    hints=(
        "Which constant has the smallest largest residual, and how large is that?",
        "Half the range of y must be below (2CM - 1)·epsilon. What if 2CM - 1 is not positive?",
        "`factor = 2 * C * len(y) - 1`; return (y.max() - y.min()) / 2 / factor if factor > 0, else np.inf.",
    ),
)


# --- fuzzy memberships -------------------------------------------------------------------------------------------------


def membership(X: FloatArray, y: FloatArray, delta: float) -> np.ndarray:
    return _membership()(X, y, delta)


def _membership(
    centre: Callable = lambda own, all_of_them: own.mean(axis=0),
    length: Callable = lambda d: np.sqrt((d**2).sum(axis=1)),
    score: Callable = lambda r, delta: 1 - r / (r.max() + delta),
) -> Callable[..., np.ndarray]:
    """The memberships with something changed."""

    def members(X: FloatArray, y: FloatArray, delta: float) -> np.ndarray:
        s = np.zeros(len(y))
        for label in (-1, 1):
            own = X[y == label]
            s[y == label] = score(length(own - centre(own, X)), delta)
        return s

    return members


def _one_radius(X: FloatArray, y: FloatArray, delta: float) -> np.ndarray:
    r = np.zeros(len(y))
    for label in (-1, 1):
        r[y == label] = np.sqrt(((X[y == label] - X[y == label].mean(axis=0)) ** 2).sum(axis=1))
    return 1 - r / (r.max() + delta)


def membership_inputs(rng: np.random.Generator) -> list[tuple]:
    cases: list[tuple] = [
        (np.array([[0.0], [2.0], [5.0]]), np.array([1.0, 1.0, -1.0]), 0.5),
        (np.array([[0.0, 0.0], [6.0, 8.0], [1.0, 1.0], [1.0, 3.0]]), np.array([1.0, 1.0, -1.0, -1.0]), 0.25),
    ]
    for M in (4, 5, 6, 8):
        y = np.where(np.arange(M) < M // 2, 1.0, -1.0)
        X = rng.integers(-6, 7, (M, 2)) * np.where(y > 0, 1, 3)[:, None] + rng.integers(0, 3, (M, 2))
        X[0], X[-1] = X[0] + 20, X[-1] - 40
        cases.append((X.astype(float), rng.permutation(y), 2.0 ** rng.integers(-3, 2)))
    return cases


MEMBERSHIP = Task(
    key="numbers_instead_of_classes.4",
    title="Fuzzy memberships",
    reference=membership,
    inputs=membership_inputs,
    library=(weights.fuzzy_membership,),
    mistakes={
        "mean of all": (
            _membership(centre=lambda own, all_of_them: all_of_them.mean(axis=0)),
            "You measure from the mean of all samples. Each sample belongs to its own class: take the mean of that.",
        ),
        "one radius": (
            _one_radius,
            "You divide by the largest distance of both classes. Each class has its own r_max.",
        ),
        "squared distance": (
            _membership(length=lambda d: (d**2).sum(axis=1)),
            "You take squared distances. r is the distance itself: take the root.",
        ),
        "turned round": (
            _membership(score=lambda r, delta: r / (r.max() + delta)),
            "Your membership grows with the distance. A sample at the mean should have 1: take one minus that.",
        ),
        "delta forgotten": (
            _membership(score=lambda r, delta: 1 - r / r.max() if r.max() > 0 else np.ones(len(r))),
            "Delta is missing, so the farthest sample of each class has weight 0.",
        ),
        "delta outside": (
            _membership(score=lambda r, delta: 1 - r / r.max() + delta if r.max() > 0 else np.ones(len(r)) + delta),
            "Delta belongs in the denominator, beside r_max: with yours a membership exceeds 1.",
        ),
    },
    hints=(
        "Go through the two classes, and measure each sample from the mean of its own class.",
        "r = the distances of the class's samples from their mean; s = 1 - r / (r.max() + delta).",
        "For label in (-1, 1): `own = X[y == label]`, `r = np.linalg.norm(own - own.mean(axis=0), axis=1)`, fill s there.",
    ),
)


# --- explain what you see ------------------------------------------------------------------------------------------------

EXPLAIN_SWITCH = Explanation(
    key="numbers_instead_of_classes.5",
    title="Explain what you see",
    points={
        "no answer": (
            "no answer, p = 0, p is 0, p=0, median, silent, vertical",
            "What do the rows with the warning predict, and what is p there?",
        ),
        "why: slack is cheap": (
            "slack, cheap, 2cm, 2m, threshold, small beside, too small, unit, range",
            "Why is it optimal there to give up every sample? Compare ε with the range of y.",
        ),
        "by heart": (
            "by heart, interpolat, memor, exactly, every number, overfit",
            "What does the machine without a price do where it has an answer?",
        ),
        "price": (
            "price, sparsity, penal, cost, pay",
            "What is different in the rows with a price, and why are there fewer support vectors?",
        ),
        "judged on new samples": (
            "new, unseen, held, test, cross-valid, generalis, generaliz",
            "Which column tells you which machine to take, and how would you choose ε and the price?",
        ),
    },
    model="""\
Where epsilon is small beside the range of the disease score, the constraint is hopeless: giving up
every sample costs 2CM, and any curve costs more, so p = 0, there is no answer, and the estimator
warns and predicts the median. Without a price the machine interpolates wherever it answers: the
training error is zero, nearly all patients are support vectors, and it is worse on new patients.
With a price on lambda, interpolation costs something, a few support vectors are left, and the tube is as wide
as the noise asks for. I would choose epsilon in the unit of y, together with the price, by
cross-validation on the training part, and look at held-out patients once.""",
    hints=(
        "Two rows have the same error on new patients, and it is that of a constant. Which constant?",
        "Compare ε with (2CM - 1): your `smallest_epsilon` says where a constant becomes an answer. Then look at the price.",
        "Without a price the training error is 0: what has it learnt? And which column may you not choose by?",
    ),
)

TASKS = [REGRESSION_OBJECTIVE, LEARN_BY_HEART, SMALLEST_EPSILON, MEMBERSHIP, EXPLAIN_SWITCH]

# --- lines to write inside the lesson ----------------------------------------------------------------------------------


GAP_ANSWER = gap(
    "numbers_instead_of_classes.answer_of",
    lambda f, p: -f / p,
    lambda rng: [(2.0, 4.0), (-3.0, 2.0), *((f / 2, p / 2) for f, p in rng.integers(1, 9, (4, 2)).tolist())],
    {
        "sign forgotten": (lambda f, p: f / p, "From f + p·y = 0 follows y = -f/p: the minus is missing."),
        "multiplied": (lambda f, p: -f * p, "Solve f + p·y = 0 for y: divide by p."),
        "p forgotten": (lambda f, p: -f, "y has the weight p: divide by it."),
    },
    "Solve f + p·y = 0 for y.",
    called="answer_of",
)


def _targets(rng: np.random.Generator) -> list[tuple]:
    return [
        ([0.0, 1.0, 3.0], 1.0),
        *((rng.integers(-9, 10, M).astype(float).tolist(), float(C)) for M, C in ((3, 2), (4, 1), (6, 0.5))),
    ]


GAP_EPSILON = gap(
    "numbers_instead_of_classes.least_epsilon",
    lambda y, C: float(np.ptp(y) / 2 / (2 * C * len(y) - 1)),
    lambda rng: [(np.array(y), C) for y, C in _targets(rng)],
    {
        "whole range": (
            lambda y, C: float(np.ptp(y) / (2 * C * len(y) - 1)),
            "A constant in the middle is off by *half* the range at most.",
        ),
        "one forgotten": (
            lambda y, C: float(np.ptp(y) / 2 / (2 * C * len(y))),
            "The factor is 2CM - 1: the 1 is missing.",
        ),
        "standard deviation": (
            lambda y, C: float(np.std(y) / (2 * C * len(y) - 1)),
            "The condition speaks of the largest residual, not of the typical one.",
        ),
    },
    "max |r| = half the range of y, and it must be below (2CM - 1) ε.",
    called="least_epsilon",
)

GAPS = [GAP_ANSWER, GAP_EPSILON]
