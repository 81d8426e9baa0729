"""Tasks: random cosines, the capped hinge, a step against its subgradient, and blocks that are put together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.validation import FloatArray

TITLE = "Large scale"


# --- random cosines --------------------------------------------------------------------------------------------------


def random_cosines(X: FloatArray, omega: FloatArray, tau: FloatArray) -> np.ndarray:
    return np.sqrt(2 / len(tau)) * np.cos(X @ omega + tau)


def frequencies_and_phases(rng: np.random.Generator) -> list[tuple]:
    """Samples, frequencies and phases of every size: the origin, one cosine, more cosines than features and fewer."""
    cases: list[tuple] = [([[0]], [[1]], [0]), ([[0]], [[1, 2]], [0, 1]), ([[1]], [[0.5, 1, 2]], [0.1, 0.2, 3])]
    for M, n, D in [(1, 1, 1), (1, 2, 3), (2, 3, 2), (3, 2, 5)]:
        cases.append((rng.integers(-2, 3, (M, n)), rng.normal(size=(n, D)).round(1), rng.uniform(0.1, 6, D).round(1)))
    return [tuple(np.array(part, float) for part in case) for case in cases]


RANDOM_COSINES = Task(
    key="large_scale.1",
    title="Random cosines",
    reference=random_cosines,
    inputs=frequencies_and_phases,
    mistakes={
        "root forgotten": (
            lambda X, omega, tau: 2 / len(tau) * np.cos(X @ omega + tau),
            "The factor in front is √(2/D), and yours is 2/D. Both z and z' bring it along, so in z·z' it is 2/D: as it "
            "should be.",
        ),
        "two forgotten": (
            lambda X, omega, tau: np.cos(X @ omega + tau) / np.sqrt(len(tau)),
            "The factor is √(2/D); the 2 is missing. A squared cosine is a half on average, and z·z should be 1 on "
            "average.",
        ),
        "D forgotten": (
            lambda X, omega, tau: np.sqrt(2) * np.cos(X @ omega + tau),
            "You do not divide by D, so z·z' is a sum over the cosines. It has to be their mean.",
        ),
        "features for cosines": (
            lambda X, omega, tau: np.sqrt(2 / X.shape[1]) * np.cos(X @ omega + tau),
            "You divide by the number n of features of x. D is the number of cosines: the length of tau.",
        ),
        "phase outside": (
            lambda X, omega, tau: np.sqrt(2 / len(tau)) * (np.cos(X @ omega) + tau),
            "The phase is added to the cosine. It belongs inside, beside ω·x.",
        ),
        "phase forgotten": (
            lambda X, omega, tau: np.sqrt(2 / len(tau)) * np.cos(X @ omega),
            "The phases are missing. Without them z·z' depends on where the two points are, and not on their difference only.",
        ),
        "sine": (
            lambda X, omega, tau: np.sqrt(2 / len(tau)) * np.sin(X @ omega + tau),
            "That is the sine. (With phases drawn at random it would do as well! But the task asks for the cosine.)",
        ),
    },
    hints=(
        "A row of Z for each sample, a column for each cosine. Which product of X and omega has that shape?",
        "`X @ omega` holds ω_j·x_i for all i and j. Adding `tau` to it adds each phase to its own column.",
        "Take `np.cos` of that, and multiply by `np.sqrt(2 / len(tau))`.",
    ),
)


# --- the objective ---------------------------------------------------------------------------------------------------


def capped_hinge(Z: FloatArray, y: FloatArray, w: FloatArray, b: float, C: float) -> float:
    return _energy()(Z, y, w, b, C)


def _energy(
    cap: Callable = lambda t: max(1.0, float(t.max())),
    slack: Callable = lambda t: float(np.maximum(0, 1 - t).mean()),
    bias: float = 1.0,
    label: bool = True,
) -> Callable[..., float]:
    """E with something changed: the cap, the slack, the bias, or whether the labels are used."""

    def energy(Z: FloatArray, y: FloatArray, w: FloatArray, b: float, C: float) -> float:
        f = Z @ w + bias * b
        t = y * f if label else f
        return cap(t) + C * slack(t)

    return energy


def planes_on_features(rng: np.random.Generator) -> list[tuple]:
    """A plane and samples: below the cap, above it, far on the wrong side, and mixtures."""
    cases: list[tuple] = [
        ([[0.5]], [1], [1], 0, 2),
        ([[3]], [1], [1], 0, 2),
        ([[3]], [-1], [1], 0, 2),
        ([[0]], [-1], [1], -1.5, 3),
        ([[2], [-4]], [1, -1], [0.5], 0.25, 10),
    ]
    for M, n, scale in [(1, 1, 1), (2, 1, 8), (2, 1, 1), (3, 1, 1), (4, 2, 8), (6, 3, 1), (9, 2, 1)]:
        Z, y = rng.integers(-3, 4, (M, n)) / 2, rng.choice([-1, 1], M)
        w, b = (rng.integers(-3, 4, n) + 0.2) / scale, (rng.integers(-4, 5) + 0.5) / scale
        cases.append((Z, y, w, b, rng.integers(2, 8)))
    return [(*(np.array(part, float) for part in case[:3]), float(case[3]), float(case[4])) for case in cases]


CAPPED_HINGE = Task(
    key="large_scale.2",
    title="A hinge loss with a cap",
    reference=capped_hinge,
    inputs=planes_on_features,
    mistakes={
        "sum for mean": (
            _energy(slack=lambda t: float(np.maximum(0, 1 - t).sum())),
            "You add the slacks. Here C is the price of their mean (C/M times the sum), as a batch can estimate a mean and "
            "not a sum.",
        ),
        "no floor": (
            _energy(cap=lambda t: float(t.max())),
            "The cap is the largest margin even where that is below 1. h is at least 1: `max(1, …)`.",
        ),
        "absolute values": (
            _energy(cap=lambda t: max(1.0, float(np.abs(t).max()))),
            "The cap takes |f|. That belongs to h_MCM of N(6); in N(31) a sample far on the wrong side does not raise h, it "
            "pays slack.",
        ),
        "mean for maximum": (
            _energy(cap=lambda t: max(1.0, float(t.mean()))),
            "The cap is the mean of the margins. It is the largest of them: one sample sets it.",
        ),
        "margin of zero": (
            _energy(slack=lambda t: float(np.maximum(0, -t).mean())),
            "Your slack begins at 0, like the perceptron's. It begins at 1: max(0, 1 - t).",
        ),
        "labels forgotten": (_energy(label=False), "The labels are missing: t_i = y_i (w·z_i + b)."),
        "bias forgotten": (_energy(bias=0.0), "f lacks its b."),
        "C forgotten": (
            lambda Z, y, w, b, C: capped_hinge(Z, y, w, b, 1.0),
            "The slack has no price: multiply its mean by C.",
        ),
    },
    hints=(
        "First t = y * (Z @ w + b), one number for each sample. Everything else is made of t.",
        "The cap is `max(1, t.max())`; the slacks are `np.maximum(0, 1 - t)`.",
        "Return the cap plus C times the mean of the slacks.",
    ),
)


# --- a step ----------------------------------------------------------------------------------------------------------


def batch_step(Z: FloatArray, y: FloatArray, w: FloatArray, b: float, C: float, rho: float) -> tuple[np.ndarray, float]:
    return _step()(Z, y, w, b, C, rho)


def _step(
    pays: Callable = lambda t: t < 1,
    share: Callable = lambda y: 1 / len(y),
    cap: Callable = lambda top: float(top > 1),
    way: float = 1.0,
    bias: float = 1.0,
    length: Callable = lambda rho: rho,
) -> Callable[..., tuple[np.ndarray, float]]:
    """A step with something changed: which samples have slack, the mean, when the cap acts, the direction, b, the length."""

    def step(Z: FloatArray, y: FloatArray, w: FloatArray, b: float, C: float, rho: float) -> tuple[np.ndarray, float]:
        t = y * (Z @ w + b)
        pull = C * share(y) * y * pays(t)
        pull[t.argmax()] -= cap(t.max()) * y[t.argmax()]
        move = way * length(rho)
        return w + move * (pull @ Z), float(b + bias * move * pull.sum())

    return step


def batches(rng: np.random.Generator) -> list[tuple]:
    """Batches where no sample or every sample has slack, the cap is inactive, a sample of either class sets it, one has t = 1.

    No two samples are equally high.
    """
    cases: list[tuple] = [
        ([[2]], [1], [0], 0, 3, 0.5),
        ([[2]], [1], [1], 1, 3, 0.5),
        ([[2]], [-1], [1], 0.5, 3, 0.5),
        ([[-2]], [-1], [1], 0.5, 3, 0.5),
        ([[2], [0.25]], [1, 1], [2], 0.5, 4, 0.25),
        ([[1]], [1], [1], 0, 4, 0.25),
        ([[0.5], [-0.25]], [1, -1], [1], 0.125, 4, 0.25),
    ]
    label, size = rng.choice([-1, 1]), 2.0 ** rng.integers(1, 5)
    cases.append(([[size]], [label], [label / size], 0, rng.integers(2, 8), 0.5))
    for M, n, scale in [(1, 1, 0.5), (2, 1, 0.5), (2, 1, 8), (3, 1, 1), (3, 2, 1), (4, 2, 8), (6, 3, 1), (8, 2, 1)]:
        Z, w = rng.permutation(np.arange(-12, 13))[: M * n].reshape(M, n) / 4, rng.integers(1, 4, n) / scale
        y, b = rng.choice([-1, 1], M), 0.125 / scale
        t = y * (Z @ w + b)
        if np.sum(t == t.max()) == 1:
            prices = rng.integers(2, 8), rng.choice([0.1, 0.25, 0.5])
            cases += [(Z, y, w, b, *prices), (Z, -y, -w, -b, *prices)]  # the same margins, held by the other class
    return [(*(np.array(part, float) for part in case[:3]), *map(float, case[3:])) for case in cases]


BATCH_STEP = Task(
    key="large_scale.3",
    title="One step with a batch",
    reference=batch_step,
    inputs=batches,
    mistakes={
        "uphill": (_step(way=-1.0), "You step along the subgradient, and E grows. A descent steps against it."),
        "cap forgotten": (
            _step(cap=lambda top: 0.0),
            "Only the slack pulls. Where the highest sample lies above 1, the cap pulls too: its subgradient is y_i z_i at "
            "that one sample.",
        ),
        "cap always pulls": (
            _step(cap=lambda top: 1.0),
            "The highest sample pulls even where it lies below 1. There max(1, …) is 1, and flat.",
        ),
        "cap pulls up": (
            _step(cap=lambda top: -float(top > 1)),
            "The highest sample is pushed higher still. The cap should come down: the step has the other sign there.",
        ),
        "sum for mean": (
            _step(share=lambda y: 1.0),
            "You add up the pulls of all samples that pay. C is the price of the mean slack: divide by the size of the batch.",
        ),
        "everybody pays": (
            _step(pays=lambda t: np.ones(len(t))),
            "All samples pull, those beyond the margin too. Only those with t < 1 pay slack.",
        ),
        "only errors pay": (
            _step(pays=lambda t: t < 0),
            "Only samples on the wrong side pull, as in the perceptron. Slack begins at the margin: t < 1.",
        ),
        "bias left alone": (_step(bias=0.0), "w moves and b does not. In b, each z_i is replaced by 1."),
        "step size forgotten": (_step(length=lambda rho: 1.0), "The step size rho is missing."),
    },
    hints=(
        "Give each sample a pull: C y_i / m if t_i < 1 (m is the size of the batch), else 0. Then treat the highest one.",
        "If `t.max() > 1`, the sample `i = t.argmax()` pulls back: `pull[i] -= y[i]`.",
        "Return `w + rho * pull @ Z` and `b + rho * pull.sum()`.",
    ),
)


# --- two workers, one mean -------------------------------------------------------------------------------------------


def merge_blocks(
    n_a: int, mean_a: FloatArray, S_a: FloatArray, n_b: int, mean_b: FloatArray, S_b: FloatArray
) -> tuple[int, np.ndarray, np.ndarray]:
    return _merge()(n_a, mean_a, S_a, n_b, mean_b, S_b)


def _merge(
    share: Callable = lambda n_a, n_b: n_b / (n_a + n_b),
    between: Callable = lambda d, n_a, n_b: d**2 * n_a * n_b / (n_a + n_b),
    within: Callable = lambda S_a, S_b, n_a, n_b: S_a + S_b,
) -> Callable[..., tuple[int, np.ndarray, np.ndarray]]:
    """Two blocks as one, with something changed: the share of the second in the mean, the new term, the old sums."""

    def merge(
        n_a: int, mean_a: FloatArray, S_a: FloatArray, n_b: int, mean_b: FloatArray, S_b: FloatArray
    ) -> tuple[int, np.ndarray, np.ndarray]:
        d = mean_b - mean_a
        mean = mean_a + share(n_a, n_b) * d
        return n_a + n_b, mean, within(S_a, S_b, n_a, n_b) + between(d, n_a, n_b)

    return merge


def pairs_of_blocks(rng: np.random.Generator) -> list[tuple]:
    """Blocks of different sizes, one sample against many, and equal ones; no two means are the same."""
    cases: list[tuple] = [
        (1, [0], [0], 1, [2], [0]),
        (2, [1, 5], [3, 2], 6, [3, 0.5], [7, 1]),
        (9, [0], [4], 1, [-3], [0]),
    ]
    for n_a, n_b, n in [(3, 4, 1), (1, 8, 2), (10, 2, 3), (5, 7, 2)]:
        means, sums = rng.normal(size=(2, n)).round(2), rng.integers(1, 9, (2, n)) / 2
        cases.append((n_a, means[0], sums[0], n_b, means[1] + 0.005, sums[1]))
    return [
        (n_a, np.array(mean_a, float), np.array(S_a, float), n_b, np.array(mean_b, float), np.array(S_b, float))
        for n_a, mean_a, S_a, n_b, mean_b, S_b in cases
    ]


MERGE_BLOCKS = Task(
    key="large_scale.4",
    title="Two blocks as one",
    reference=merge_blocks,
    inputs=pairs_of_blocks,
    mistakes={
        "mean of means": (
            _merge(share=lambda n_a, n_b: 0.5),
            "You take the mean of the two means. A block with ten times the samples counts ten times: weight them by n_a, n_b.",
        ),
        "weights exchanged": (
            _merge(share=lambda n_a, n_b: n_a / (n_a + n_b)),
            "Each mean has the other block's weight. The step from mean_a towards mean_b is the share n_b / n.",
        ),
        "between forgotten": (
            _merge(between=lambda d, n_a, n_b: 0 * d),
            "You add the two sums of squares. Each was taken around its own mean; around the common mean both are larger.",
        ),
        "difference not squared": (
            _merge(between=lambda d, n_a, n_b: d * n_a * n_b / (n_a + n_b)),
            "The difference of the means enters S squared: S is a sum of squares, and cannot grow or shrink with a sign.",
        ),
        "not divided by n": (
            _merge(between=lambda d, n_a, n_b: d**2 * n_a * n_b),
            "The new term is n_a n_b / n times the squared difference; the division by n is missing.",
        ),
        "all samples moved": (
            _merge(between=lambda d, n_a, n_b: d**2 * (n_a + n_b)),
            "You charge every sample the whole distance of the means. The common mean lies between: the factor is n_a n_b / n.",
        ),
        "variances for sums": (
            _merge(within=lambda S_a, S_b, n_a, n_b: (n_a * S_a + n_b * S_b) / (n_a + n_b)),
            "You average S_a and S_b as if they were variances. They are sums, so they add up.",
        ),
    },
    hints=(
        "n is easy. The common mean is (n_a mean_a + n_b mean_b) / n.",
        "Around another point m, a block's sum of squares is S_a + n_a (mean_a - m)². Put the common mean in for m, for both.",
        "S = S_a + S_b + n_a n_b / n times (mean_b - mean_a)². Return n, the mean and S.",
    ),
)


# --- explain what you see --------------------------------------------------------------------------------------------

EXPLAIN_SCALE = Explanation(
    key="large_scale.5",
    title="Explain what you see",
    points={
        "few data": (
            "overfit, by heart, few sample, few data, small sample, little data, memoris, memoriz, capacity",
            "With the fewest samples, why do more features make the error on new points larger, though the training error "
            "falls?",
        ),
        "much data": (
            "many sample, much data, more data, more sample, plenty, large m, big data, enough data",
            "What changes with many samples, and what does it say about the need to control capacity?",
        ),
        "ratio": (
            "ratio, m/h, h/m, n(4), ε, epsilon, vc dim, bound",
            "Which quantity of N(4) brings the two together?",
        ),
        "order": (
            "order, sort, shuffl, one class, first class, last, forget, mixed",
            "In the second table, the same rows were read in two orders. What did the machine see at the end of the bad one?",
        ),
        "remedy": (
            "shuffle, random, mix, permut, interleav",
            "What would you do to a file before a machine reads it once?",
        ),
    },
    model="""\
With few samples the machine with the most features learns them by heart: it overfits, and a
smaller capacity is better. With many samples the same machine is as good or better, so there is less need
to control capacity. N(4) says so: a plane in D features has VC dimension h = D + 1, and epsilon depends
on the ratio M/h. Read in the order of their classes, the same rows teach
nothing: at the end the machine has seen one class only for a long time, and has forgotten the other. So I would
shuffle a file once, at random, before it is read.""",
    hints=(
        "In the first table, compare the rows with the same M: which number of features is best, and does it stay the same?",
        "A plane in D features has VC dimension h = D + 1. What happens to ε when h and M grow together?",
        "In the second table the machine reads every row once. Which samples pull at the plane near the end?",
    ),
)

TASKS = [RANDOM_COSINES, CAPPED_HINGE, BATCH_STEP, MERGE_BLOCKS, EXPLAIN_SCALE]

# --- lines to write inside the lesson ----------------------------------------------------------------------------------


GAP_BYTES = gap(
    "large_scale.kernel_bytes",
    lambda M: 8 * M * M,
    lambda rng: [(10,), (2000,), *((int(M),) for M in rng.integers(3, 10**6, 4))],
    {
        "one row": (lambda M: 8 * M, "That is one row. The matrix has one for each sample."),
        "bytes forgotten": (lambda M: M * M, "That is how many numbers it has. Each takes 8 bytes."),
        "eight times each": (lambda M: (8 * M) ** 2, "M times M numbers of 8 bytes: the 8 counts once."),
    },
    "M rows of M numbers.",
    called="kernel_bytes",
)


def _frequencies(rng: np.random.Generator) -> list[tuple]:
    drawn = [
        (rng.integers(-2, 3, n) / 2, rng.integers(-3, 4, (n, D)) / 2, rng.integers(0, 6, D))
        for n, D in ((1, 2), (2, 3), (3, 2))
    ]
    fixed = ([1.0, 0.5], [[1.0, 0.0], [0.0, 2.0]], [0.0, 1.0])
    return [tuple(np.array(part, float) for part in case) for case in [fixed, *drawn]]


GAP_COSINES = gap(
    "large_scale.cosine_features",
    lambda x, omega, tau: np.sqrt(2 / len(tau)) * np.cos(x @ omega + tau),
    _frequencies,
    {
        "not scaled": (
            lambda x, omega, tau: np.cos(x @ omega + tau),
            "The factor √(2/D) is missing, with D the number of features made.",
        ),
        "root forgotten": (
            lambda x, omega, tau: 2 / len(tau) * np.cos(x @ omega + tau),
            "The factor is the root of 2/D: the dot product squares it.",
        ),
        "phase forgotten": (
            lambda x, omega, tau: np.sqrt(2 / len(tau)) * np.cos(x @ omega),
            "The phases τ are missing.",
        ),
    },
    "`x @ omega` holds ω_j · x for all j. D is `len(tau)`.",
    called="cosine_features",
)

GAPS = [GAP_BYTES, GAP_COSINES]
