"""Tasks: scaling by the training part, balanced cores, predicting with a map, and P's Algorithm 2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.validation import FloatArray

TITLE = "The conformal MCM"


# --- step 1 ----------------------------------------------------------------------------------------------------------


def scale_both(X: FloatArray, X_new: FloatArray) -> tuple[np.ndarray, np.ndarray]:
    mean, sd = X.mean(axis=0), X.std(axis=0)
    sd = np.where(sd > 0, sd, 1.0)
    return (X - mean) / sd, (X_new - mean) / sd


def two_parts(rng: np.random.Generator) -> list[tuple]:
    """Training and new samples: one feature and several, columns of different size, a constant column, one new sample."""
    cases: list[tuple] = [
        ([[0], [1]], [[2]]),
        ([[0], [2]], [[4]]),
        ([[1], [5]], [[3], [11]]),
        ([[1, 5], [3, 5]], [[2, 5]]),
        ([[1, 5], [3, 5]], [[2, 7], [4, 5]]),
        ([[0, 0], [2, 40], [4, 20]], [[3, 60]]),
    ]
    for M, N, n in [(2, 1, 1), (2, 2, 2), (5, 3, 2), (8, 2, 3)]:
        X, X_new = rng.integers(-5, 9, (M, n)), rng.integers(-5, 9, (N, n))
        X[:, n // 2] = X[:, n // 2] if n % 2 else rng.integers(1, 9)  # a constant column
        X[0, 0] = X[1, 0] + rng.integers(1, 5)
        cases += [(X, X_new), (X / 8, X_new)]  # spreads above 1 and below
    return [(np.array(X, float), np.array(X_new, float)) for X, X_new in cases]


def _scaled_by(
    mean: Callable = lambda A: A.mean(axis=0), sd: Callable = lambda A: A.std(axis=0), guard: bool = True
) -> Callable[[Any, Any], tuple[np.ndarray, np.ndarray]]:
    """Both parts scaled by the first, with another mean or another standard deviation."""

    def scaled(X: FloatArray, X_new: FloatArray) -> tuple[np.ndarray, np.ndarray]:
        m, s = mean(X), sd(X)
        s = np.where(s > 0, s, 1.0) if guard else s
        return (X - m) / s, (X_new - m) / s

    return scaled


def _each_by_itself(X: FloatArray, X_new: FloatArray) -> tuple[np.ndarray, np.ndarray]:
    return scale_both(X, X)[0], scale_both(X_new, X_new)[0]


def _together(X: FloatArray, X_new: FloatArray) -> tuple[np.ndarray, np.ndarray]:
    everything = np.vstack([X, X_new])
    return scale_both(everything, X)[1], scale_both(everything, X_new)[1]


SCALE_BOTH = Task(
    key="conformal_mcm.1",
    title="Step 1, for both parts",
    reference=scale_both,
    inputs=two_parts,
    mistakes={
        "each by itself": (
            _each_by_itself,
            "You scale the new samples by their own mean and spread. Then the same grain gets other values, "
            "depending on which samples it comes with. Use the training part's mean and spread for both.",
        ),
        "both together": (
            _together,
            "You measure mean and spread on all samples together. So the held-out part has influenced the scaling: a small "
            "leak, but a leak. Measure on X alone.",
        ),
        "variance for its root": (
            _scaled_by(sd=lambda A: A.var(axis=0)),
            "You divide by the variance. To end up with variance 1, divide by its root, the standard deviation.",
        ),
        "one number for all columns": (
            _scaled_by(mean=lambda A: A.mean(), sd=lambda A: A.std()),
            "You take one mean and one spread for the whole matrix. Every measurement has its own: `axis=0`.",
        ),
        "mean forgotten": (
            _scaled_by(mean=lambda A: 0.0),
            "You divide, but the mean is still there: subtract it first.",
        ),
        "divided by M - 1": (
            _scaled_by(sd=lambda A: A.std(axis=0, ddof=1)),
            "Your standard deviation divides by M - 1 (`ddof=1`). N asks for unit variance of the data themselves, and numpy's "
            "`std` divides by M on its own.",
        ),
        "constant column": (
            _scaled_by(guard=False),
            "Right, except for a column that is the same in all training samples: you divide 0 by 0. Divide by 1 there.",
        ),
    },
    hints=(
        "Two numbers for each column, and both come from X only.",
        "`X.mean(axis=0)` and `X.std(axis=0)`. What does a column without any spread do to the division?",
        "`sd = np.where(sd > 0, sd, 1.0)`, and then return `(X - mean) / sd` and the same for `X_new`.",
    ),
)


# --- step 2, and P section 5 -----------------------------------------------------------------------------------------


def balanced_cores(lam: FloatArray, y: FloatArray, eps: float) -> np.ndarray:
    return _cores()(lam, y, eps)


def _cores(
    size: Callable = np.abs,
    above: Callable = lambda size, eps: size > eps,
    strength: Callable = np.abs,
    best_first: bool = True,
    balance: bool = True,
    ordered: bool = True,
) -> Callable[[Any, Any, float], np.ndarray]:
    """Balanced cores with something changed: who counts as a support vector, who stays, in which order."""

    def chosen(lam: FloatArray, y: FloatArray, eps: float) -> np.ndarray:
        support = np.flatnonzero(above(size(lam), eps))
        key = strength(lam[support])
        ranked = support[np.argsort(-key if best_first else key, kind="stable")]
        minus, plus = ranked[y[ranked] < 0], ranked[y[ranked] > 0]
        P = min(len(minus), len(plus)) if balance else len(lam)
        cores = np.r_[minus[:P], plus[:P]]
        return np.sort(cores) if ordered else cores

    return chosen


def machines_with_support(rng: np.random.Generator) -> list[tuple]:
    """Coefficients of both signs, some at the tolerance, more of one class than of the other, a class without any."""
    cases: list[tuple] = [
        ([1, -1], [1, -1], 0.1),
        ([0, 0], [1, -1], 0.1),
        ([2, 0, -3], [1, 1, -1], 0.1),
        ([2, 1, -3], [1, 1, -1], 0.1),
        ([-2, 1, -3], [1, 1, -1], 0.1),
        ([2, 1, 0], [1, 1, -1], 0.5),
        ([3, 0.5, -2, -4], [1, 1, -1, -1], 0.5),
        ([-1, 0.1, -2, 3, 0], [-1, 1, -1, 1, 1], 0.2),
        ([0.4, -5, 2, -1, 3, -0.3], [1, -1, 1, -1, 1, -1], 0.35),
        ([-2.5, -1, 4, 3, 2, 1.5, -0.7], [-1, -1, 1, 1, 1, 1, 1], 0.2),
    ]
    for M, plus in [(3, 1), (4, 2), (5, 3), (6, 2), (7, 5), (9, 4)]:  # sizes 1, 2, ... in any order: no two are equal
        lam, y = rng.permutation(M) + 1, rng.permutation(np.where(np.arange(M) < plus, 1, -1))
        cases += [(lam * rng.choice([-1, 1], M), y, eps) for eps in (0.5, rng.integers(1, 3))]
    return [(np.array(lam, float), np.array(y, float), float(eps)) for lam, y, eps in cases]


BALANCED_CORES = Task(
    key="conformal_mcm.2",
    title="Step 2: as many cores of each class",
    reference=balanced_cores,
    inputs=machines_with_support,
    mistakes={
        "sign of λ": (
            _cores(size=lambda lam: lam),
            "You keep the positive coefficients only. A support vector may pull to either side: compare |λ| with ε.",
        ),
        "not above but at ε": (
            _cores(above=lambda size, eps: size >= eps),
            "A coefficient of exactly ε counts as zero: the condition is |λ| > ε.",
        ),
        "tolerance forgotten": (
            _cores(above=lambda size, eps: size > 0),
            "You keep all that is not exactly zero. A solver leaves tiny values: what is at most ε in size counts as zero.",
        ),
        "not balanced": (
            _cores(balance=False),
            "You keep all support vectors. The class that has more of them should give up its weakest until both have as many.",
        ),
        "the weakest stay": (
            _cores(best_first=False),
            "As many of each class, but of the larger class the weakest have stayed. Keep those with the largest |λ|.",
        ),
        "ranked by λ itself": (
            _cores(strength=lambda lam: lam),
            "You rank by λ and not by its size, so that a strong negative coefficient comes last. Rank by |λ|.",
        ),
        "not sorted": (
            _cores(ordered=False),
            "The right cores in another order. The task wants their numbers sorted, the smallest first.",
        ),
    },
    hints=(
        "First find the support vectors. Then look at each class on its own, the strongest first.",
        "`np.flatnonzero(np.abs(lam) > eps)` are their numbers, and `np.argsort(-np.abs(lam[...]))` ranks them.",
        "Split the ranked numbers by class, let P be the length of the shorter list, take the first P of both, and return "
        "`np.sort(np.r_[...])` of the two.",
    ),
)


# --- step 8 ----------------------------------------------------------------------------------------------------------


def conformal_decision(K_new: FloatArray, c_new: FloatArray, c: FloatArray, lam: FloatArray, b: float) -> np.ndarray:
    return c_new * (K_new @ (c * lam)) + b


def new_points(rng: np.random.Generator) -> list[tuple]:
    """Kernel values of new points with training samples; factors with a zero and of both signs."""
    cases: list[tuple] = [
        ([[1]], [2], [3], [1], 0),
        ([[1]], [0], [3], [1], 5),
        ([[0.5]], [2], [-1], [3], 1),
        ([[1, 0.5]], [-2], [1, 3], [1, -1], 0.5),
    ]
    for N, M in [(1, 1), (1, 2), (2, 2), (3, 2), (2, 4), (5, 5)]:
        values = (rng.integers(-3, 4, N), rng.integers(-3, 4, M), rng.integers(-2, 3, M), rng.integers(1, 4))
        cases.append((rng.integers(1, 9, (N, M)) / 8, *values))
    return [
        (np.array(K, float), np.array(c_new, float), np.array(c, float), np.array(lam, float), float(b))
        for K, c_new, c, lam, b in cases
    ]


CONFORMAL_DECISION = Task(
    key="conformal_mcm.3",
    title="Step 8: what the second machine says",
    reference=conformal_decision,
    inputs=new_points,
    mistakes={
        "c of the new points forgotten": (
            lambda K_new, c_new, c, lam, b: K_new @ (c * lam) + b,
            "The new points lack their own factor: k(xᵢ, x) = c(xᵢ) c(x) k₀(xᵢ, x), and c(x) is `c_new`.",
        ),
        "c of the training samples forgotten": (
            lambda K_new, c_new, c, lam, b: c_new * (K_new @ lam) + b,
            "The training samples lack their factor c(xᵢ). It belongs inside the sum, with λᵢ.",
        ),
        "bias stretched too": (
            lambda K_new, c_new, c, lam, b: c_new * (K_new @ (c * lam) + b),
            "You multiply b by c(x) as well. The factor belongs to the kernel; b stands outside the sum, and is what is left "
            "where c(x) = 0.",
        ),
        "bias forgotten": (lambda K_new, c_new, c, lam, b: c_new * (K_new @ (c * lam)), "b is missing."),
        "without the map": (
            lambda K_new, c_new, c, lam, b: K_new @ lam + b,
            "That is the MCM on the basic kernel. The second machine has learnt its λ on c(x) c(x') k₀(x, x').",
        ),
        "class for f": (
            lambda K_new, c_new, c, lam, b: np.sign(c_new * (K_new @ (c * lam)) + b),
            "You give the class, ±1. The task asks for f(x) itself; its sign is the class.",
        ),
        "size of c": (
            lambda K_new, c_new, c, lam, b: np.abs(c_new) * (K_new @ (np.abs(c) * lam)) + b,
            "You take |c|. But c may be negative, and much of what this map does lies in its sign.",
        ),
    },
    hints=(
        "Write f(x) down as a sum over the training samples. Which of its factors depend on i, and which on x only?",
        "c(x) does not depend on i, so it can stand before the sum. λᵢ c(xᵢ) are one vector.",
        "`K_new @ (c * lam)` is the sum. Multiply it by `c_new`, and only then add `b`.",
    ),
)


# --- Algorithm 2 -----------------------------------------------------------------------------------------------------


def algorithm_2(
    accuracy: FloatArray, C: FloatArray, gamma: FloatArray, factors: FloatArray
) -> tuple[float, float, float]:
    i, j, k = np.unravel_index(np.argmax(accuracy), accuracy.shape)
    return float(C[i]), float(gamma[j]), float(factors[k] * gamma[j])


def grids(rng: np.random.Generator) -> list[tuple]:
    """Accuracies on a grid of C, gamma and factors; grids of different lengths, with ties."""
    cases: list[tuple] = [
        ([[[0]]], [2], [3], [5]),
        ([[[0.8]]], [2], [3], [5]),
        ([[[0.7, 0.9]]], [1], [0.5], [2, 10]),
        ([[[0.6], [0.9]], [[0.9], [0.7]]], [0.25, 1], [0.1, 0.2], [3]),
        ([[[0.5, 0.75], [0.75, 0.5]]], [4], [0.3, 0.6], [2, 4]),
    ]
    for a, b, n in [(1, 2, 2), (2, 1, 2), (2, 2, 1), (4, 1, 1), (5, 1, 2), (2, 3, 2), (4, 3, 1), (3, 2, 4), (3, 3, 3)]:
        grid = rng.integers(10, 18, (a, b, n)) / 20
        values = (rng.permutation(9)[:m] + 1 for m in (a, b, n))
        cases.append((grid, *(v / d for v, d in zip(values, (4, 8, 1), strict=True))))
    cases.append((np.zeros((1, 1, 2)), *(v[:m] for v, m in zip(cases[-1][1:], (1, 1, 2), strict=True))))
    return [tuple(np.array(part, float) for part in case) for case in cases]


def _search(better: Callable = lambda new, best: new > best, width: Callable = lambda f, g: f * g) -> Callable:
    """Algorithm 2 with another idea of better, or of gamma_c."""

    def search(
        accuracy: FloatArray, C: FloatArray, gamma: FloatArray, factors: FloatArray
    ) -> tuple[float, float, float]:
        best, found = accuracy[0, 0, 0], (C[0], gamma[0], width(factors[0], gamma[0]))
        for (i, j, k), value in np.ndenumerate(accuracy):
            if better(value, best):
                best, found = value, (C[i], gamma[j], width(factors[k], gamma[j]))
        return found

    return search


def _basic_first(
    accuracy: FloatArray, C: FloatArray, gamma: FloatArray, factors: FloatArray
) -> tuple[float, float, float]:
    """C and gamma by their mean over the inner loop, and then the factor."""
    i, j = np.unravel_index(np.argmax(accuracy.mean(axis=2)), accuracy.shape[:2])
    return C[i], gamma[j], factors[np.argmax(accuracy[i, j])] * gamma[j]


ALGORITHM_2 = Task(
    key="conformal_mcm.4",
    title="P's Algorithm 2",
    reference=algorithm_2,
    inputs=grids,
    mistakes={
        "factor for gamma_c": (
            _search(width=lambda f, g: f),
            "You return the factor itself. P gives γ_c as a multiple of γ: γ_c is the factor times γ.",
        ),
        "the last of equals": (
            _search(better=lambda new, best: new >= best),
            "On a tie the *first* one stays: P's condition is accuracy > max_accuracy, and yours is ≥.",
        ),
        "the lowest": (
            _search(better=lambda new, best: new < best),
            "You keep the lowest accuracy. We are looking for the highest.",
        ),
        "divided by gamma": (
            _search(width=lambda f, g: f / g),
            "You divide the factor by γ. γ_c is the factor *times* γ.",
        ),
        "mean over the inner loop": (
            _basic_first,
            "You choose C and γ by their mean accuracy over the inner loop. Algorithm 2 compares every single trial with the "
            "best so far.",
        ),
    },
    hints=(
        "Three loops, one inside the other, and a record that is replaced only by something better.",
        "Begin with `best = -1`. In the innermost loop compare `accuracy[i, j, k] > best`.",
        "What to keep is `(C[i], gamma[j], factors[k] * gamma[j])`, together with the new best accuracy. (Or ask "
        "`np.unravel_index(np.argmax(accuracy), accuracy.shape)`: argmax takes the first of equals.)",
    ),
)


# --- explain what you see --------------------------------------------------------------------------------------------

EXPLAIN_MAP = Explanation(
    key="conformal_mcm.5",
    title="Explain what you see",
    points={
        "fitted": (
            "fitted, maximis, maximiz, optimis, optimiz, eigen, largest j, made for, promise",
            "Why is it no surprise that J of the training part grows at every width?",
        ),
        "sign": (
            "sign, classifier, negative, label, by heart, memoris, memoriz, overfit",
            "What does the sign of c say about the training samples, and what about the held-out ones?",
        ),
        "width": (
            "narrow, wide, width, bump, own core, constant",
            "What can very wide bumps not do, and what do very narrow ones say about a new sample?",
        ),
        "held out": (
            "held, new sample, new pane, test, unseen, generalis, generaliz",
            "What happens to the accuracy on the held-out part?",
        ),
        "choice": (
            "choose, choice, chosen, select, tune, tuning, validation, inner, cross",
            "By what would you choose γ_c, and why not by the last column?",
        ),
    },
    model="""\
J of the training part grows at every width, because alpha is fitted to make exactly this number as large
as the cores allow. The sign of c is right much more often about training samples than about held-out ones:
c is a classifier that has learnt the training labels. Very wide bumps are nearly constant and bend little;
very narrow ones know their own core only, so a new sample meets little but the constant. On the held-out
part most widths are worse than no map at all. One is better, but I have looked at five of them there, so
its accuracy is flattering. I would choose the width by cross-validation inside the training part, and look
at the held-out part once, at the end.""",
    hints=(
        "Go down the table column by column: which rise and fall together, and which goes its own way?",
        "Compare the two columns about the sign of c. What does a narrow bump know of a new sample?",
        "If you choose γ_c by the last column, what is that column still good for afterwards?",
    ),
)

TASKS = [SCALE_BOTH, BALANCED_CORES, CONFORMAL_DECISION, ALGORITHM_2, EXPLAIN_MAP]

# --- lines to write inside the lesson ----------------------------------------------------------------------------------


def _columns_of_cores(rng: np.random.Generator) -> list[tuple]:
    drawn = [
        (np.column_stack([np.ones(M), rng.integers(0, 9, (M, P)) / 8]), rng.integers(-3, 4, P + 1) / 2)
        for M, P in ((2, 2), (3, 2), (4, 3))
    ]
    return [(np.array([[1.0, 0.5], [1.0, 0.25]]), np.array([1.0, -2.0])), *drawn]


GAP_FACTOR = gap(
    "conformal_mcm.factor_at",
    lambda K1, alpha: K1 @ alpha,
    _columns_of_cores,
    {
        "entry by entry": (
            lambda K1, alpha: K1 * alpha,
            "`*` multiplies, and does not add up. A matrix times a vector is `@`.",
        ),
        "constant forgotten": (
            lambda K1, alpha: K1[:, 1:] @ alpha[1:],
            "The first column is the constant: it belongs to the sum.",
        ),
        "squared": (
            lambda K1, alpha: (K1 @ alpha) ** 2,
            "c itself, which may be negative; its square comes in with the kernel.",
        ),
    },
    "c = K₁α.",
    called="factor_at",
)


def _new_rows(rng: np.random.Generator) -> list[tuple]:
    drawn = [
        (rng.integers(1, 9, (N, M)) / 8, rng.integers(-3, 4, N) / 2, rng.integers(1, 4, M) / 2)
        for N, M in ((2, 3), (3, 2), (3, 3))
    ]
    return [(np.array([[1.0, 0.5], [0.25, 1.0]]), np.array([1.0, -2.0]), np.array([3.0, 1.0])), *drawn]


GAP_ROWS = gap(
    "conformal_mcm.bent_rows",
    lambda K0_new, c_new, c: c_new[:, None] * K0_new * c,
    _new_rows,
    {
        "new factor forgotten": (
            lambda K0_new, c_new, c: K0_new * c,
            "A new grain brings its own factor, one for each row: `c_new[:, None]`.",
        ),
        "old factor forgotten": (
            lambda K0_new, c_new, c: c_new[:, None] * K0_new,
            "The training grains bring theirs, one for each column: `* c`.",
        ),
        "summed up": (
            lambda K0_new, c_new, c: c_new * (K0_new @ c),
            "You sum over the training grains. A matrix is wanted, with an entry for each pair.",
        ),
    },
    "Row i times c_new[i], column j times c[j]. `c_new[:, None]` is a column.",
    called="bent_rows",
)

GAPS = [GAP_FACTOR, GAP_ROWS]
