"""Tasks: the kernel MCM's objective, its interpolants, and a certificate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcmteach import certificate
from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.validation import FloatArray

TITLE = "The kernel MCM, and a surprise"


def _samples(M: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A positive definite kernel matrix in whole numbers, and labels of both kinds (for M > 1)."""
    F = rng.integers(-1, 2, (M, 2))
    y = rng.choice([-1.0, 1.0], M)
    y[: min(2, M)] = rng.permutation([1.0, -1.0])[: min(2, M)]
    return (F @ F.T + np.eye(M)).astype(float), y


# --- the objective ---------------------------------------------------------------------------------------------------


def mcm_objective(K: FloatArray, y: FloatArray, lam: FloatArray, b: float, C: float, s: float) -> float:
    return _objective()(K, y, lam, b, C, s)


def _objective(
    f: Callable = lambda K, lam, b: K @ lam + b,
    t: Callable = lambda y, f: y * f,
    cap: Callable = lambda t, f: max(1.0, t.max()),
    slack: Callable = lambda t: np.maximum(0, 1 - t).sum(),
    price: Callable = lambda lam, b: np.abs(lam).sum(),
    coef: Callable = lambda lam, y: lam,
) -> Callable[..., float]:
    """The objective with something changed."""

    def objective(K: FloatArray, y: FloatArray, lam: FloatArray, b: float, C: float, s: float) -> float:
        values = f(K, coef(lam, y), b)
        margins = t(y, values)
        return float(cap(margins, values) + C * slack(margins) + s * price(lam, b))

    return objective


def objective_inputs(rng: np.random.Generator) -> list[tuple]:
    """Every size, with a machine that does nothing, one without a price, and points far on the wrong side."""
    cases: list[tuple] = [
        (np.eye(1), np.array([1.0]), np.array([0.0]), 0.5, 1.0, 0.1),
        (np.eye(1), np.array([-1.0]), np.array([2.0]), 1.0, 0.5, 0.0),
        (np.eye(2), np.array([1.0, -1.0]), np.array([3.0, -2.0]), 0.0, 2.0, 0.1),
    ]
    for M, scale in [(1, 1), (2, 1), (2, 16), (3, 1), (3, 16), (5, 1), (8, 2)]:  # with and without a margin above 1
        lam = rng.integers(-4, 5, M) / scale
        prices = 2.0 ** rng.choice([-2, -1, 1, 2]), 2.0 ** rng.integers(-3, 2)
        cases.append((*_samples(M, rng), lam, (rng.integers(-4, 4) / 2 + 0.25) / scale, *prices))
    return cases


MCM_OBJECTIVE = Task(
    key="kernel_mcm.1",
    title="What the kernel MCM minimises",
    reference=mcm_objective,
    inputs=objective_inputs,
    mistakes={
        "price forgotten": (
            _objective(price=lambda lam, b: 0.0),
            "The price is missing: that is N(30) as printed. Add s times the sum of all |λ|.",
        ),
        "cap below one": (
            _objective(cap=lambda t, f: t.max()),
            "Your h is the largest y·f. But h >= y·f + q >= 1 for every sample, so it is never below 1.",
        ),
        "cap by size": (
            _objective(cap=lambda t, f: max(1.0, np.abs(f).max())),
            "Your h is the largest |f|. The cap N(31) is on y·f: a point far on the wrong side pays slack and lifts no cap.",
        ),
        "perceptron's slack": (
            _objective(slack=lambda t: np.maximum(0, -t).sum()),
            "You charge slack for points on the wrong side only. A sample needs slack wherever y·f is below 1.",
        ),
        "mean slack": (
            _objective(slack=lambda t: np.maximum(0, 1 - t).mean()),
            "You take the mean of the slacks. N(30) has their sum.",
        ),
        "number of slacks": (
            _objective(slack=lambda t: (t < 1).sum()),
            "You count the samples that need slack. It is how much they need that costs: 1 - y·f.",
        ),
        "label forgotten": (
            _objective(t=lambda y, f: f),
            "The labels are missing: all constraints speak of y·f, not of f.",
        ),
        "bias forgotten": (_objective(f=lambda K, lam, b: K @ lam), "The bias is missing: f = Kλ + b."),
        "labels in the coefficients": (
            _objective(coef=lambda lam, y: lam * y),
            "You compute K(λ·y), as in the SVM's dual, where α is never negative and the labels carry the signs. Here λ has "
            "signs of its own: f = Kλ + b.",
        ),
        "bias priced": (
            _objective(price=lambda lam, b: np.abs(lam).sum() + abs(b)),
            "You put a price on b too. Only the λ are paid for: b is no coefficient of a sample.",
        ),
        "squared price": (
            _objective(price=lambda lam, b: (lam**2).sum()),
            "You sum squares. The price is on |λ|, which keeps the programme linear, and sets coefficients exactly to 0.",
        ),
        "signed price": (
            _objective(price=lambda lam, b: lam.sum()),
            "You sum the λ with their signs, so a negative one earns money. Sum their sizes.",
        ),
    },
    hints=(
        "Three terms: the cap h, C times the total slack, and s times the total of |λ|. First compute t = y * (K @ lam + b).",
        "For given λ and b the best slack is max(0, 1 - t), and the best cap is the largest t, but never below 1.",
        "`max(1, t.max()) + C * np.maximum(0, 1 - t).sum() + s * np.abs(lam).sum()`",
    ),
)


# --- interpolation ---------------------------------------------------------------------------------------------------


def interpolate(K: FloatArray, y: FloatArray, b: float) -> np.ndarray:
    return np.linalg.solve(K, y - b)


def interpolation_inputs(rng: np.random.Generator) -> list[tuple]:
    cases: list[tuple] = [(np.array([[2.0]]), np.array([-1.0]), 0.5), (np.eye(2), np.array([1.0, -1.0]), -3.0)]
    return cases + [(*_samples(M, rng), rng.integers(-9, 10) / 2) for M in (1, 2, 2, 3, 4, 7)]


INTERPOLATE = Task(
    key="kernel_mcm.2",
    title="Learn it by heart",
    reference=interpolate,
    inputs=interpolation_inputs,
    mistakes={
        "bias forgotten": (
            lambda K, y, b: np.linalg.solve(K, y),
            "That gives Kλ = y, and then f = y + b. The bias is added afterwards, so take it away first: Kλ = y - b.",
        ),
        "sign of the bias": (
            lambda K, y, b: np.linalg.solve(K, y + b),
            "A sign slip: from Kλ + b = y follows Kλ = y - b.",
        ),
        "bias taken from lambda": (
            lambda K, y, b: np.linalg.solve(K, y) - b,
            "You take b from the coefficients. It belongs to the values: subtract it from y, before you solve.",
        ),
        "margin for value": (
            lambda K, y, b: np.linalg.solve(K, y * (1 - b)),
            "You multiply b by the label. f = Kλ + b is to be y itself, and b is the same for all samples: y - b.",
        ),
        "multiplied": (lambda K, y, b: K @ (y - b), "You multiply by K, and should undo it: solve K λ = y - b for λ."),
        "diagonal only": (
            lambda K, y, b: (y - b) / np.diag(K),
            "You divide by the diagonal, as if no two samples were similar. Solve the whole system.",
        ),
        "reciprocals": (
            lambda K, y, b: (1 / np.where(K == 0, np.inf, K)) @ (y - b),
            "`1 / K` and `K**-1` take the reciprocal of each entry. The inverse matrix is another thing: np.linalg.solve.",
        ),
    },
    hints=(
        "You want f(x_i) = y_i at every sample. What are these M equations in the M unknowns λ, for a given b?",
        "K λ + b = y, so K λ = y - b: a linear system.",
        "`np.linalg.solve(K, y - b)`",
    ),
)


# --- the machine that does nothing -----------------------------------------------------------------------------------


def constant_objective(y: FloatArray, C: float) -> float:
    return float(1 + 2 * C * min(np.sum(y > 0), np.sum(y < 0)))


def label_inputs(rng: np.random.Generator) -> list[tuple]:
    cases: list[tuple] = [([1.0], 2.0), ([1.0, -1.0], 0.5), ([-1.0, -1.0, 1.0], 1.0), ([1.0, 1.0, 1.0, -1.0], 4.0)]
    cases += [
        (rng.choice([-1.0, 1.0], M, p=[p, 1 - p]), rng.integers(1, 17) / 4)
        for M, p in [(2, 0.5), (3, 0.3), (5, 0.7), (7, 0.3), (9, 0.7), (20, 0.4)]
    ]
    return [(np.array(y), C) for y, C in cases]


CONSTANT_OBJECTIVE = Task(
    key="kernel_mcm.3",
    title="The machine that does nothing",
    reference=constant_objective,
    inputs=label_inputs,
    mistakes={
        "the larger class": (
            lambda y, C: 1 + 2 * C * max(np.sum(y > 0), np.sum(y < 0)),
            "You give up the larger class. It is cheaper to be wrong about the smaller one.",
        ),
        "slack of one": (
            lambda y, C: 1 + C * min(np.sum(y > 0), np.sum(y < 0)),
            "You charge 1 for each sample of the smaller class. With f = 1 everywhere (or -1) they have y·f = -1, so they need "
            "slack 2.",
        ),
        "on the fence": (
            lambda y, C: 1 + C * len(y),
            "That is b = 0: every sample needs slack 1. Leaning towards the larger class is never more expensive.",
        ),
        "cap forgotten": (
            lambda y, C: 2 * C * min(np.sum(y > 0), np.sum(y < 0)),
            "That is the slack alone. The cap h belongs to the objective, and is 1 here.",
        ),
        "share for number": (
            lambda y, C: 1 + 2 * C * min(np.mean(y > 0), np.mean(y < 0)),
            "You take the share of the smaller class. The slacks are summed, so it is their number that counts.",
        ),
        "always the negatives": (
            lambda y, C: 1 + 2 * C * np.sum(y < 0),
            "You always give up class -1. The best constant gives up whichever class is smaller.",
        ),
    },
    hints=(
        "With λ = 0, f = b for all points. Which slack does a sample of class +1 need for b = 1, and one of class -1?",
        "b = 1 costs nothing for the +1 and slack 2 for each -1; b = -1 the other way round. The cap is 1 in both cases.",
        "Return 1 + 2 C m, with m the number of samples in the smaller class.",
    ),
)


# --- a certificate ---------------------------------------------------------------------------------------------------


def lower_bound(K: FloatArray, y: FloatArray, C: float, s: float, z: FloatArray) -> float:
    return _bound()(K, y, C, s, z)


def _bound(
    skip: str = "", pick: Callable = min, stretch: bool = True, start: float = 1.0, size: Callable = np.abs
) -> Callable[..., float]:
    """The bound with something changed: a limit that is forgotten, how the factor is picked, what is added to it."""

    def bound(K: FloatArray, y: FloatArray, C: float, s: float, z: FloatArray) -> float:
        d = y * z
        used = {"C": (d.max(), C), "cap": (np.maximum(0, -d).sum(), 1.0), "price": (size(K @ z).max(), s)}
        limits = [limit / value for name, (value, limit) in used.items() if value > 0 and name != skip]
        factor = pick(limits) if limits else 0.0
        return float(start + max(0.0, (factor if stretch else min(1.0, factor)) * d.sum()))

    return bound


def certificate_inputs(rng: np.random.Generator) -> list[tuple]:
    """Rays of every kind: each limit is the tight one somewhere, some are to be stretched, one leads nowhere."""
    two = np.array([1.0, -1.0])
    cases: list[tuple] = [
        (np.eye(2), two, 1.0, 0.5, np.zeros(2)),
        (np.eye(2), two, 1.0, 0.5, two),
        (np.eye(2), two, 0.25, 5.0, two),
        (np.eye(2), two, 1.0, 0.5, -two / 2),
    ]
    for M in (2, 3, 4, 5, 6, 7):
        for C, s in [(0.25, 20.0), (8.0, 0.5), (8.0, 40.0)]:  # C, the price, the cap: each is the tight one
            K, y = _samples(M, rng)
            z = y * rng.integers(1, 5, M) * np.where(np.arange(M) < M // 3, -1, 1)  # two on the wrong side, of six
            z[-1] -= z.sum()
            cases.append((K, y, C * rng.integers(1, 4), s * rng.integers(1, 4), z))
    cases += [(K, y, C, s, 0 * z), (*cases[0][:2], C * rng.integers(2, 9), s, -two / rng.choice([4, 8]))]
    return [(K, y, float(C), float(s), np.array(z, float)) for K, y, C, s, z in cases]


LOWER_BOUND = Task(
    key="kernel_mcm.4",
    title="A certificate of your own",
    reference=lower_bound,
    inputs=certificate_inputs,
    library=(certificate.dual_bound,),
    mistakes={
        "not scaled": (
            lambda K, y, C, s, z: 1 + max(0.0, float(y @ z)),
            "You use z unscaled. It proves nothing unless t·z obeys all the limits: scale it first.",
        ),
        "never stretched": (
            _bound(stretch=False),
            "That is a true bound, but not the best of this ray: where z stays within all its limits, t may be larger than 1.",
        ),
        "C forgotten": (
            _bound(skip="C"),
            "The limit t·y·z <= C is missing, so your z may promise more than the slack costs.",
        ),
        "cap forgotten": (
            _bound(skip="cap"),
            "The limit on the negative part is missing: the sum of max(0, -t·y·z) is at most 1. It belongs to the cap h.",
        ),
        "price forgotten": (
            _bound(skip="price"),
            "The limit |K(t·z)| <= s is missing: that is where the price on λ comes in.",
        ),
        "one side of the price": (
            _bound(size=lambda a: a),
            "You look at the largest entry of K z only. The limit holds for its size: a very negative entry breaks it too.",
        ),
        "loosest limit": (
            _bound(pick=max),
            "You take the largest of the three factors. All limits must hold, so the smallest one decides.",
        ),
        "one forgotten": (_bound(start=0.0), "The bound is 1 + t·Σ y z: z = 0 proves 1 already."),
    },
    hints=(
        "How large may t be? Each limit has the form t · (a quantity ≥ 0) <= (a number), so each gives its own largest t.",
        "The three quantities: max(y z) with the limit C, the sum of max(0, -y z) with 1, and max |K z| with s. A quantity "
        "that is 0 (or below) sets no limit.",
        "t is the smallest of the quotients limit/quantity. Return 1 + max(0, t * (y @ z)); for z = 0 that is 1.",
    ),
)


# --- explain what you see --------------------------------------------------------------------------------------------

EXPLAIN_SURPRISE = Explanation(
    key="kernel_mcm.5",
    title="Explain what you see",
    points={
        "lower bound": (
            "at least 1, never below, not below, lower bound, cannot be below, ≥ 1, >= 1, smallest possible",
            "Which value can the objective never fall below, whatever C is?",
        ),
        "interpolation": (
            "interpolat, invert, inverse, by heart, memor, positive definite, exactly",
            "Why is that value reached, for every C, and what does the machine do at its training samples then?",
        ),
        "price": (
            "price, sparsity, penal, cost, expensive, pay",
            "What is different in the lower half of the table, and why does C work there?",
        ),
        "judged on new samples": (
            "new, unseen, held, test, cross-valid, generalis, generaliz",
            "Which column tells you which machine to take, and how would you choose C and the price?",
        ),
    },
    model="""\
The objective is never below 1, because h >= y f + q >= 1 for every sample. The RBF matrix of
distinct patients is invertible, so some lambda makes f equal to the labels exactly: no slack,
h = 1, objective 1, and C multiplies a slack of zero. The machine has learnt the patients by heart,
almost all of them are support vectors, and it is worse on new patients. With a price on lambda
interpolation costs something, so slack and coefficients compete, and C decides how. The training
column is useless for choosing. I would choose C and the price by cross-validation on the training
part, and look at held-out patients once, at the end.""",
    hints=(
        "Look at the objective in the upper half: which number is it, and have you seen in the lesson that nothing is smaller?",
        "Your `interpolate` makes a machine with that objective. Does C occur in it?",
        "In the lower half, learning by heart has a price. And the training column says nothing about patients not yet seen.",
    ),
)

TASKS = [MCM_OBJECTIVE, INTERPOLATE, CONSTANT_OBJECTIVE, LOWER_BOUND, EXPLAIN_SURPRISE]

# --- lines to write inside the lesson ----------------------------------------------------------------------------------


def _answers(rng: np.random.Generator) -> list[tuple]:
    cases: list[tuple] = [([1, -1], [2, -1]), ([-1, 1], [-3, 1])]
    for M in (2, 3, 4, 5):
        y = rng.choice([-1, 1], M)
        y[:2] = 1, -1
        cases.append((y, y * (1 + rng.permutation(M))))
    return [(np.array(y, float), np.array(f, float)) for y, f in cases]


GAP_CAP = gap(
    "kernel_mcm.cap_of",
    lambda y, f: float(np.max(y * f)),
    _answers,
    {
        "labels forgotten": (lambda y, f: float(np.max(f)), "The constraints speak of y·f: the label is missing."),
        "the smallest": (lambda y, f: float(np.min(y * f)), "h must be above *every* y·f, so look for the largest."),
        "the sum": (
            lambda y, f: float(np.sum(y * f)),
            "Each sample has a constraint of its own: take the largest, not the sum.",
        ),
    },
    "y_i f(x_i) <= h for every sample i: how small may h be?",
    called="cap_of",
)

GAP_BY_HEART = gap(
    "kernel_mcm.by_heart",
    interpolate,
    interpolation_inputs,
    {
        name: INTERPOLATE.mistakes[name]
        for name in ("bias forgotten", "sign of the bias", "bias taken from lambda", "multiplied")
    },
    "K λ + b = y, so K λ = y - b: `np.linalg.solve`.",
    called="by_heart",
)

GAPS = [GAP_CAP, GAP_BY_HEART]
