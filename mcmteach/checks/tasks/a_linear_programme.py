"""Tasks: from the ratio to the programme, a proof by multipliers, and the hinge with a cap."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import linprog

from mcmteach import capacity, lp, mcm, svm
from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.solvers.solve import solve_mcm
from mcmteach.validation import FloatArray

TITLE = "The MCM is a linear programme"


def separated(M: int, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """M points, in half units, that a plane through the origin (with weights 2, 1, …) separates."""
    w = np.array([2.0, 1.0, 1.0])[:n]
    X = rng.integers(-9, 10, (40 * M, n)) / 2
    X = X[np.abs(X @ w) >= 1]
    y = np.sign(X @ w)
    keep = np.concatenate([np.flatnonzero(y > 0)[: (M + 1) // 2], np.flatnonzero(y < 0)[: M // 2]])
    return X[keep], y[keep]


# --- Charnes and Cooper ----------------------------------------------------------------------------------------------


def scale_line(X: FloatArray, y: FloatArray, u: FloatArray, v: float) -> tuple[np.ndarray, float, float]:
    t = y * (X @ u + v)
    return u / t.min(), v / t.min(), t.max() / t.min()


def separating_lines(rng: np.random.Generator) -> list[tuple]:
    """(X, y, u, v) with every margin positive: one sample, the lesson's four, a margin of exactly 1, and others."""
    four = np.array([[1.0], [2.0], [-1.0], [-4.0]])
    labels = np.array([1.0, 1.0, -1.0, -1.0])
    cases = [(np.array([[2.0]]), np.array([-1.0]), np.array([-1.0]), 0.5), (four, labels, np.array([3.0]), 0.6)]
    cases.append((four, labels, np.array([1.0]), 0.0))
    for M, n in [(2, 1), (3, 1), (4, 2), (7, 2), (9, 3)]:
        X, y = separated(M, n, rng)
        scale = float(rng.integers(2, 9))
        cases.append((X, y, scale * np.array([2.0, 1.0, 1.0])[:n], float(rng.choice([-0.5, 0.5, 1.0]))))
    return cases


def _scaled(
    by: Callable, h: Callable = lambda t, s: t.max() / s, b: Callable = lambda v, s: v / s
) -> Callable[..., tuple]:
    """The scaling with something changed: what everything is divided by, what h is, what becomes of v."""

    def wrong(X: FloatArray, y: FloatArray, u: FloatArray, v: float) -> tuple:
        t = y * (X @ u + v)
        s = by(t, X @ u + v, u)
        return u / s, b(v, s), h(t, s)

    return wrong


SCALE_LINE = Task(
    key="a_linear_programme.1",
    title="From the ratio to the scale of the programme",
    reference=scale_line,
    inputs=separating_lines,
    library=(lp.charnes_cooper,),
    mistakes={
        "farthest for nearest": (
            _scaled(by=lambda t, f, u: t.max()),
            "You divide by g, the largest margin, so the farthest point gets margin 1 and h is always 1. The *nearest* "
            "point is to have margin 1: divide by l.",
        ),
        "bias left behind": (
            _scaled(by=lambda t, f, u: t.min(), b=lambda v, s: v),
            "You scale u and leave v as it was, which moves the plane. b = p v, like everything else.",
        ),
        "h left behind": (
            _scaled(by=lambda t, f, u: t.min(), h=lambda t, s: t.max()),
            "That is g, the largest margin before the scaling. h = p g, which is the ratio g/l.",
        ),
        "multiplied": (
            _scaled(by=lambda t, f, u: 1 / t.min()),
            "You multiply by l. p = 1/l, so divide: the smallest margin becomes l·p = 1.",
        ),
        "divided by the length": (
            _scaled(by=lambda t, f, u: np.linalg.norm(u)),
            "You divide by the length of u, which makes the margins distances. Charnes and Cooper divide by the smallest "
            "margin l.",
        ),
        "label forgotten": (
            lambda X, y, u, v: (u / (X @ u + v).min(), v / (X @ u + v).min(), (X @ u + v).max() / (X @ u + v).min()),
            "There is no label in it. The margins are y·(u·x + v), all positive for a plane that separates; without y, half of "
            "them are negative.",
        ),
    },
    hints=(
        "First all margins at once, as in the lesson on the perceptron: one number per point, all positive here.",
        "g is the largest of them, l the smallest, and p = 1/l.",
        "With `t = y * (X @ u + v)`: return u, v and t.max(), each divided by t.min().",
    ),
)


# --- the matrix ------------------------------------------------------------------------------------------------------


def programme(X: FloatArray, y: FloatArray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return _programme()(X, y)


def _programme(
    data: Callable = lambda X, Y: Y * X,
    bias: Callable = lambda Y: Y,
    cap: float = -1.0,
    margin: float = -1.0,
    bound: float = -1.0,
    under: float = 0.0,
    cost: Callable = lambda n: np.r_[np.zeros(n + 1), 1.0],
) -> Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The programme with something changed: a block, a sign, the bounds or the costs."""

    def made(X: FloatArray, y: FloatArray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        M, Y, one = len(y), y[:, None], np.ones((len(y), 1))
        f = np.hstack([data(X, Y), bias(Y)])
        A = np.vstack([np.hstack([f, cap * one]), np.hstack([margin * f, under * one])])
        return cost(X.shape[1]), A, np.r_[np.zeros(M), bound * np.ones(M)]

    return made


def data_sets(rng: np.random.Generator) -> list[tuple]:
    """(X, y): one sample of either class, the lesson's four points, a zero among the data, and others."""
    cases = [(np.array([[2.0]]), np.array([-1.0])), (np.array([[0.0]]), np.array([1.0]))]
    cases.append((np.array([[1.0], [2.0], [-1.0], [-4.0]]), np.array([1.0, 1.0, -1.0, -1.0])))
    return cases + [separated(M, n, rng) for M, n in [(2, 1), (2, 2), (3, 2), (5, 3)]]


PROGRAMME_IN_BLOCKS = Task(
    key="a_linear_programme.2",
    title="The matrix of the programme",
    reference=programme,
    inputs=data_sets,
    library=(lp.build_lp,),
    mistakes={
        "margin rows not turned round": (
            _programme(margin=1.0, bound=1.0),
            "Your second block says y·f <= 1: every margin *at most* 1. The solver knows <= only, so a >= is "
            "multiplied by -1, on both sides.",
        ),
        "bound not turned round": (
            _programme(bound=1.0),
            "You turned the rows of the margins round and left their bound at +1, so they say y·f >= -1. The bound turns "
            "too: -1.",
        ),
        "rows not turned round": (
            _programme(margin=1.0),
            "The bound of the margins is -1, as it should be, but their rows kept their sign: y·f <= -1 asks for a "
            "line that is wrong about every point.",
        ),
        "sign of h": (_programme(cap=1.0), "In the caps h has the wrong sign: h >= y·f means y·f - h <= 0."),
        "h in the margins": (
            _programme(under=-1.0),
            "You subtract h in the margins too. N(25) has no h: its column is 0 there.",
        ),
        "label forgotten on the bias": (
            _programme(bias=np.ones_like),
            "The column of b is all ones. It is y·(w·x + b), so b is multiplied by the label as well.",
        ),
        "label forgotten on the data": (
            _programme(data=lambda X, Y: X),
            "The columns of w hold X as it is. Each row is multiplied by its label: `y[:, None] * X`.",
        ),
        "label forgotten": (
            _programme(data=lambda X, Y: X, bias=np.ones_like),
            "There is no label in your matrix, so it treats both classes alike. Each row of (X, 1) is multiplied by its label.",
        ),
        "everything minimised": (
            _programme(cost=lambda n: np.ones(n + 2)),
            "Your c adds up all variables. Only h is to be small: c is 0 for w and b, and 1 for h.",
        ),
    },
    hints=(
        "Write N(24) and N(25) for one point with all variables on the left and <= in the middle. Those are its two rows.",
        "With `Y = y[:, None]` the blocks are Y * X, Y and a column of -1 for the caps; the same with a minus, and a "
        "column of 0, for the margins.",
        "`np.block([[Y * X, Y, -one], [-Y * X, -Y, zero]])` with columns `one` and `zero`; the bounds are M zeros, "
        "then M times -1; c is n + 1 zeros and a 1.",
    ),
)


# --- solving it ------------------------------------------------------------------------------------------------------


def smallest_h(X: FloatArray, y: FloatArray) -> float:
    return solve_mcm(X, y, C=np.inf, sparsity=0.0).h


def _solved(bias: bool = True, bounds: tuple = (None, None), least: float = 1.0) -> Callable[..., float]:
    """The optimum with something changed."""

    def wrong(X: FloatArray, y: FloatArray) -> float:
        c, A, b = _programme(bound=-least)(X, y)
        A[:, -2] *= bias
        return linprog(c, A_ub=A, b_ub=b, bounds=bounds).fun

    return wrong


def _largest_margin(X: FloatArray, y: FloatArray) -> float:
    plane = svm.hard_margin(X, y)
    return capacity.h_mcm(X, plane.w, plane.b)


def separable_data(rng: np.random.Generator) -> list[tuple]:
    cases = [(np.array([[1.0], [2.0], [-1.0], [-4.0]]), np.array([1.0, 1.0, -1.0, -1.0]))]
    return cases + [separated(M, n, rng) for M, n in [(2, 1), (4, 1), (5, 2), (6, 2), (8, 2), (10, 3)]]


SMALLEST_H = Task(
    key="a_linear_programme.3",
    title="Solve it",
    reference=smallest_h,
    inputs=separable_data,
    library=(solve_mcm, mcm.MCMClassifier.fit),
    mistakes={
        "variables not free": (
            _solved(bounds=(0, None)),
            "linprog assumes that every variable is >= 0 unless you say otherwise, so your w and b cannot be negative. Give it "
            "`bounds=(None, None)`.",
        ),
        "bias forgotten": (_solved(bias=False), "Your planes all go through the origin: b is missing, or fixed at 0."),
        "margin at least 0": (
            _solved(least=0.0),
            "Your margins may be 0, and then w = 0, b = 0, h = 0 is the best of all. N(25) asks for at least 1: that is "
            "the scale.",
        ),
        "the largest margin": (
            _largest_margin,
            "That is h_MCM of the line with the largest margin. There are lines with a smaller one: solve the programme.",
        ),
    },
    hints=(
        "Your `programme` gives all that `scipy.optimize.linprog` needs, but for one thing: are the variables free?",
        "`linprog(c, A_ub=A, b_ub=d, bounds=(None, None))`; the smallest value is the attribute `fun` of what it returns.",
        "`c, A, d = programme(X, y)`, then return `linprog(c, A_ub=A, b_ub=d, bounds=(None, None)).fun`.",
    ),
)


# --- a proof ---------------------------------------------------------------------------------------------------------


def proved_bound(X: FloatArray, y: FloatArray, mu: FloatArray, nu: FloatArray) -> float:
    return _bound()(X, y, mu, nu)


def _bound(
    signs: bool = True,
    total: bool = True,
    of_w: bool = True,
    of_b: bool = True,
    label: bool = True,
    value: Callable = lambda mu, nu: nu.sum(),
) -> Callable[..., float]:
    """The bound with a condition left out, or another value for it."""

    def found(X: FloatArray, y: FloatArray, mu: FloatArray, nu: FloatArray) -> float:
        d = (nu - mu) * (y if label else 1.0)
        asked = [
            not signs or bool((mu >= 0).all() and (nu >= 0).all()),
            not total or np.isclose(mu.sum(), 1),
            not of_w or np.allclose(d @ X, 0),
            not of_b or np.isclose(d.sum(), 0),
        ]
        return float(value(mu, nu)) if all(asked) else 1.0

    return found


def on_a_line(p: float, q: float, r: float, s: float) -> list[tuple]:
    """(X, y, mu, nu) for points at p < q of one class, and at -r > -s of the other: the farthest, -s, holds the cap.

    The first two are proofs; the others break one rule each and keep the rest, and the last proves the trivial bound h >= 1.
    """
    X, y = np.array([[p], [q], [-r], [-s]]), np.array([1.0, 1.0, -1.0, -1.0])
    lift = (s - r) / (p + r)
    mu, nu = np.array([0.0, 0.0, 0.0, 1.0]), np.array([lift, 0.0, 1 + lift, 0.0])
    sideways = np.array([-(q + r), p + r, p - q, 0.0])  # added to nu it disturbs neither balance
    sideways *= (lift + 0.5) / (q + r)  # the first nu becomes -0.5
    exchanged = np.array([0.0, 0.0, -1.0, 1.0])  # added to both it disturbs neither the balances nor the sum of mu
    twice = [0, 1, 2, 3, 3]  # the farthest point comes twice, and its weight is shared
    return [
        (X, y, mu, nu),
        (X[twice], y[twice], np.array([0.0, 0.0, 0.0, 0.5, 0.5]), nu[twice]),
        (X, y, 2 * mu, 2 * nu),  # the weights of the caps sum to 2
        (X, y, mu, nu + sideways),  # a negative nu
        (X, y, mu + exchanged, nu + exchanged),  # a negative mu
        (X, y, mu, nu + np.array([1.0, 0.0, 1.0, 0.0])),  # b balances, w does not
        (X, y, mu, np.array([s / p, 0.0, 0.0, 0.0])),  # w balances, b does not
        (X, y, mu, mu),
    ]


def multipliers(rng: np.random.Generator) -> list[tuple]:
    cases = on_a_line(1.0, 3.0, 1.0, 4.0)
    for width in (2.0, 4.0):  # powers of two, so that no weight is rounded
        p = float(rng.integers(1, int(width) + 1)) / 2
        cases += on_a_line(p, p + width, width - p, width - p + float(rng.integers(1, 12)))
    for M in (5, 8):
        Z, t = separated(M, 2, rng)
        d = t * solve_mcm(Z, t, C=np.inf, sparsity=0.0).certificate.z
        cases.append((Z, t, np.maximum(0.0, -d), np.maximum(0.0, d)))
    return cases


PROVED_BOUND = Task(
    key="a_linear_programme.4",
    title="What do these multipliers prove?",
    reference=proved_bound,
    inputs=multipliers,
    mistakes={
        "negative weights allowed": (
            _bound(signs=False),
            "You allow negative weights. A negative multiple of `y·f >= 1` turns the inequality round, and the chain breaks.",
        ),
        "sum of mu not asked": (
            _bound(total=False),
            "You do not ask that mu sums to 1. With a sum of 2 the chain begins with 2h, so it proves only half as much.",
        ),
        "balance of w not asked": (
            _bound(of_w=False),
            "You do not ask that w balances, Σ (nu - mu) y x = 0. Otherwise the two sums in the middle are not the same.",
        ),
        "balance of b not asked": (
            _bound(of_b=False),
            "You do not ask that b balances, Σ (nu - mu) y = 0. Otherwise the two sums in the middle are not the same.",
        ),
        "always 1": (
            _bound(label=False),  # Σ nu = Σ mu = 1 wherever that balances
            "You always give 1. If you return the sum of mu: what is proved is the sum of nu. If not: are the "
            "labels in the balance? w gets Σ (nu - mu) y x, and b gets Σ (nu - mu) y.",
        ),
        "nothing asked": (
            _bound(signs=False, total=False, of_w=False, of_b=False),
            "You add up nu, whatever it is. Any numbers would be a proof then: ask the four questions first.",
        ),
        "difference added up": (
            _bound(value=lambda mu, nu: (nu - mu).sum()),
            "You subtract the weights of the caps. They sum to 1 and stand on the other side, as 1·h: the bound is the "
            "sum of nu.",
        ),
    },
    hints=(
        "Four questions: are all weights >= 0, does mu sum to 1, does w balance, does b balance?",
        "With `d = (nu - mu) * y`: w balances if `d @ X` is 0, and b if `d.sum()` is 0, up to rounding (`np.allclose`).",
        "If all four hold return `nu.sum()`, and otherwise `1.0`.",
    ),
)


# --- the hinge with a cap --------------------------------------------------------------------------------------------


def soft_objective(X: FloatArray, y: FloatArray, w: FloatArray, b: float, C: float) -> float:
    t = y * (X @ w + b)
    return float(max(1.0, t.max()) + C * np.maximum(0.0, 1 - t).sum())


def soft_cases(rng: np.random.Generator) -> list[tuple]:
    """(X, y, w, b, C): a cap above 1 and at 1, no slack and much, a wrong point far away, w = 0."""
    four, labels = np.array([[1.0], [2.0], [-1.0], [-4.0]]), np.array([1.0, 1.0, -1.0, -1.0])
    cases: list[tuple] = [
        (np.array([[2.0]]), np.array([1.0]), np.array([0.25]), 0.0, 1.0),
        (np.array([[2.0]]), np.array([-1.0]), np.array([3.0]), 0.5, 0.5),
        (four, labels, np.array([1.0]), 0.0, 2.0),
        (four, labels, np.array([1 / 3]), 1 / 3, 0.5),
        (four, labels, np.array([0.0]), 0.25, 2.0),
    ]
    for M, n, scale in [(2, 1, 0.25), (2, 1, 8), (3, 2, 4), (6, 2, 4), (9, 3, 16)]:  # large and small margins
        X, y = separated(M, n, rng)
        y = np.where(np.arange(M) == 1, -y, y)  # a wrong label
        cases.append((X, y, rng.integers(1, 4, n) / scale, float(rng.choice([-0.5, 0.5])), float(rng.integers(2, 6))))
    return cases


def _soft(
    cap: Callable = lambda t: max(1.0, t.max()),
    hinge: Callable = lambda t: np.maximum(0.0, 1 - t).sum(),
    bias: float = 1.0,
) -> Callable[..., float]:
    """The objective with something changed."""

    def wrong(X: FloatArray, y: FloatArray, w: FloatArray, b: float, C: float) -> float:
        t = y * (X @ w + bias * b)
        return float(cap(t) + C * hinge(t))

    return wrong


SOFT_OBJECTIVE = Task(
    key="a_linear_programme.5",
    title="The hinge with a cap",
    reference=soft_objective,
    inputs=soft_cases,
    mistakes={
        "cap without its floor": (
            _soft(cap=lambda t: t.max()),
            "Your cap can fall below 1. A point with slack has y·f + q = 1, and h must be at least that: h = max(1, max y·f).",
        ),
        "cap without labels": (
            lambda X, y, w, b, C: max(1.0, np.abs(X @ w + b).max()) + C * np.maximum(0, 1 - y * (X @ w + b)).sum(),
            "You take the largest |f|. A point that is far away on the *wrong* side pays the hinge and never the cap.",
        ),
        "cap for everyone": (
            _soft(cap=lambda t: np.maximum(1, t).sum()),
            "Every point pays for its margin in your sum. The cap is one number, h: only the largest margin pays it.",
        ),
        "hinge at 0": (
            _soft(hinge=lambda t: np.maximum(0, -t).sum()),
            "Your slack begins at y·f = 0, which is the perceptron's loss. The margin asks for 1: max(0, 1 - y·f).",
        ),
        "mean for sum": (
            _soft(hinge=lambda t: np.maximum(0, 1 - t).mean()),
            "You take the mean of the slacks. P(4) adds them up.",
        ),
        "largest slack only": (
            _soft(hinge=lambda t: np.maximum(0, 1 - t).max()),
            "You charge for the largest slack only. P(4) adds up the slacks of all points; it is the cap that has a maximum.",
        ),
        "C on the cap": (
            lambda X, y, w, b, C: C * max(1.0, (y * (X @ w + b)).max()) + np.maximum(0, 1 - y * (X @ w + b)).sum(),
            "C is the price of slack, and you multiply the cap by it.",
        ),
        "the SVM's objective": (
            lambda X, y, w, b, C: w @ w / 2 + C * np.maximum(0, 1 - y * (X @ w + b)).sum(),
            "That is the soft-margin SVM. The MCM has the cap, max(1, max y·f), in the place of half the square of w.",
        ),
        "bias forgotten": (_soft(bias=0.0), "The bias is missing: f = w·x + b."),
    },
    hints=(
        "All margins t = y·f first. Two terms: one number for the cap, and a sum for the slack.",
        "The slack of a point is `np.maximum(0, 1 - t)`; the cap is the largest margin, but never below 1.",
        "Return `max(1, t.max()) + C * np.maximum(0, 1 - t).sum()`.",
    ),
)


# --- explain what you see --------------------------------------------------------------------------------------------

EXPLAIN_LIFT = Explanation(
    key="a_linear_programme.6",
    title="Explain what you see",
    points={
        "far point": (
            "far, cap, outlier, -4, −4, fourth, lifted",
            "Which point makes the MCM's line turn, and through which of the two blocks of rows?",
        ),
        "margin": (
            "margin, nearest, close, touch, noise, new point",
            "What did the line give away for its smaller h, and what does that mean for new points?",
        ),
        "SVM stays": (
            "svm, support vector, largest margin, stays, does not move, unmoved",
            "Why does the SVM's line stay where it is?",
        ),
        "what is proved": (
            "certificate, optimal, prove, proof, unique",
            "The certificate has no gap in any row. What does it prove, and what not?",
        ),
        "remedy": (
            "slack, price, sparsity, regularis, regulariz, penal, finite c, instead",
            "What would you change, so that so small a shift cannot do this?",
        ),
    },
    model="""\
The far point at -4 holds the cap. As soon as it is lifted, a large second weight brings it
nearer to the line, in units of the nearest distance, and h falls from 4 to 2. The price is the
margin: the line now passes so close to the points at 1 and -1 that noise in a new point would
put it on the wrong side. The SVM is held by the nearest points alone, so its line stays.
The certificate proves that no separating line has a smaller h. It does not prove that the line
is good for new data, nor that it is unique (in the first row it is not). I would put a price on
w (sparsity), allow slack, or take the SVM instead.""",
    hints=(
        "Compare the first two rows: what was moved, by how much, and which numbers changed by a lot?",
        "With all points on one line, w2 multiplies zeros. As soon as one point is lifted, a large w2 changes its "
        "distance alone.",
        "h counts ratios of distances. How large are the distances themselves when w is 20 long?",
    ),
)

TASKS = [SCALE_LINE, PROGRAMME_IN_BLOCKS, SMALLEST_H, PROVED_BOUND, SOFT_OBJECTIVE, EXPLAIN_LIFT]


# --- gaps in the lesson ----------------------------------------------------------------------------------------------


def rescale(u: FloatArray, v: float, g: float, l: float) -> tuple[np.ndarray, float, float]:
    return u / l, v / l, g / l


def cap_row(x_i: float, y_i: int) -> list[float]:
    return [y_i * x_i, y_i, -1]


GAPS = [
    gap(
        "a_linear_programme.scale",
        rescale,
        [(np.array(u), v, g, l) for u, v, g, l in [([3.0], 0.6, 11.4, 2.4), ([1.0, -2.0], 0.5, 3.0, 0.5)]],
        {
            "p for 1/p": (
                lambda u, v, g, l: (u * l, v * l, g * l),
                "You multiply by l. Multiply by p = 1/l: the nearest point then has margin 1.",
            ),
            "divided by g": (
                lambda u, v, g, l: (u / g, v / g, 1.0),
                "You divide by the maximum g. Divide by the minimum l, and the ratio g/l is what remains of g.",
            ),
            "h left behind": (
                lambda u, v, g, l: (u / l, v / l, g),
                "w and b are right. g is scaled as well: h = p g, which is the ratio g/l.",
            ),
            "order": (
                lambda u, v, g, l: (g / l, u / l, v / l),
                "These are the right three in another order: w first, then b, then h.",
            ),
        },
        "Everything is multiplied by the same p = 1/l.",
        "Three values with commas between them: w, b, h.",
    ),
    gap(
        "a_linear_programme.cap",
        cap_row,
        [(1.0, 1), (2.0, 1), (-1.0, -1), (-4.0, -1), (0.5, -1)],
        {
            "label forgotten": (lambda x_i, y_i: [x_i, 1, -1], "The cap is on y f, and y multiplies both w x and b."),
            "h on the wrong side": (
                lambda x_i, y_i: [y_i * x_i, y_i, 1],
                "h comes over from the right side, so it changes its sign: y f - h <= 0.",
            ),
            "the margin's row": (
                lambda x_i, y_i: [-y_i * x_i, -y_i, 0],
                "That is the row of the margin N(25). The cap N(24) says y f <= h.",
            ),
            "turned round": (
                lambda x_i, y_i: [-y_i * x_i, -y_i, 1],
                "That is h - y f, which is >= 0. The solver knows <= only, so turn every sign: y f - h <= 0.",
            ),
            "h forgotten": (
                lambda x_i, y_i: [y_i * x_i, y_i],
                "The third number is missing, the one before h. From y f <= h it comes over to the left.",
            ),
        },
        "Write y (w x + b) <= h, and bring everything to the left.",
        "What stands before w is y x.",
    ),
]
