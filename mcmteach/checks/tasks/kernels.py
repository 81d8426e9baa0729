"""Tasks: a lift, the RBF kernel, the algebra of kernels, Mercer's condition, and the perceptron with a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mcmteach import gram, kernels, perceptron
from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.validation import FloatArray

TITLE = "Kernels"


# --- the quadratic map -----------------------------------------------------------------------------------------------


def quadratic_map(X: FloatArray) -> np.ndarray:
    return kernels.quadratic_map(X)


def points_in_the_plane(rng: np.random.Generator) -> list[tuple]:
    """Samples with two coordinates: the origin, the corners of XOR, negative ones, one alone and several."""
    cases: list[Any] = [[[0, 0]], [[1, 2]], [[3, 4]], [[-1, 1]], [[0, 0], [0, 1], [1, 0], [1, 1]]]
    cases += [rng.integers(-4, 5, (M, 2)) for M in (1, 2, 3, 5)]
    return [(np.array(X, float),) for X in cases]


def _columns(*columns: Callable[[Any, Any], Any]) -> Callable[[Any], np.ndarray]:
    """A map to the given functions of the two coordinates."""
    return lambda X: np.column_stack([column(X[:, 0], X[:, 1]) for column in columns])


def _first(u: FloatArray, v: FloatArray) -> Any:
    return u**2


def _second(u: FloatArray, v: FloatArray) -> Any:
    return v**2


QUADRATIC_MAP = Task(
    key="kernels.1",
    title="The map behind the quadratic kernel",
    reference=quadratic_map,
    inputs=points_in_the_plane,
    library=(kernels.quadratic_map,),
    mistakes={
        "root forgotten": (
            _columns(_first, _second, lambda u, v: u * v),
            "The mixed product lacks its factor √2. In (x·z)² the mixed term comes twice; as each of the two lifted points "
            "brings its own factor, both need the root of 2.",
        ),
        "two for its root": (
            _columns(_first, _second, lambda u, v: 2 * u * v),
            "The factor 2 of (x·z)² is shared by two lifted points, so each gets √2 and not 2: √2 · √2 = 2.",
        ),
        "the other sign": (
            _columns(_first, _second, lambda u, v: -np.sqrt(2) * u * v),
            "Well found: with -√2 the dot products are right too, as the two minus signs cancel. Only the task (and S) takes "
            "the plus.",
        ),
        "not squared": (
            _columns(lambda u, v: u, lambda u, v: v, lambda u, v: np.sqrt(2) * u * v),
            "The first two coordinates are x₁ and x₂ themselves. They should be squared.",
        ),
        "mixed product first": (
            _columns(lambda u, v: np.sqrt(2) * u * v, _first, _second),
            "The right coordinates in another order. Any order gives the same dot products, but the task (and S) has the "
            "squares first.",
        ),
        "mixed product twice": (
            _columns(_first, _second, lambda u, v: u * v, lambda u, v: v * u),
            "Four coordinates, x₁x₂ among them twice. That has the right dot products too! But one of them with a √2 does "
            "as well, and three is what the task asks for.",
        ),
        "kernel for map": (
            lambda X: (X @ X.T) ** 2,
            "That is the kernel matrix, (x·z)² for all pairs. The task asks for the lifted points themselves: one row for "
            "each.",
        ),
    },
    hints=(
        "Multiply (x₁z₁ + x₂z₂)² out, and split each term into a factor with x only and the same factor with z.",
        "The term 2·x₁z₁·x₂z₂ splits into √2·x₁x₂ and √2·z₁z₂.",
        "`np.column_stack` puts columns side by side: the squares of `X[:, 0]` and `X[:, 1]`, and `np.sqrt(2)` times their "
        "product.",
    ),
)


# --- the RBF kernel --------------------------------------------------------------------------------------------------


def rbf_matrix(X: FloatArray, Z: FloatArray, gamma: float) -> np.ndarray:
    return kernels.rbf_kernel(X, Z, gamma)


def pairs_of_samples(rng: np.random.Generator) -> list[tuple]:
    """X and Z of different sizes, with a point in common; one feature and several."""
    cases: list[tuple] = [([[0]], [[0]], 1), ([[0]], [[1]], 1), ([[0]], [[2]], 0.5), ([[1, 0]], [[0, 1]], 1)]
    for M, N, n in [(1, 2, 1), (2, 1, 2), (2, 3, 2), (3, 3, 3), (5, 4, 2)]:
        X, gamma = rng.integers(-2, 3, (M, n)), rng.choice([0.1, 0.2, 0.25, 0.5])
        cases.append((X, np.vstack([X[:1], rng.integers(-2, 3, (N, n))])[:N], gamma))
    return [(np.array(X, float), np.array(Z, float), float(gamma)) for X, Z, gamma in cases]


def _differences(X: FloatArray, Z: FloatArray) -> np.ndarray:
    return X[:, None, :] - Z[None, :, :]


def _rbf(exponent: Callable[[Any, float], Any]) -> Callable[[Any, Any, float], np.ndarray]:
    """exp of a function of the squared distances and gamma."""
    return lambda X, Z, gamma: np.exp(exponent((_differences(X, Z) ** 2).sum(axis=2), gamma))


RBF_MATRIX = Task(
    key="kernels.2",
    title="The RBF kernel, for all pairs at once",
    reference=rbf_matrix,
    inputs=pairs_of_samples,
    library=(kernels.rbf_kernel, kernels.squared_distances),
    mistakes={
        "minus forgotten": (
            _rbf(lambda d2, gamma: gamma * d2),
            "The minus sign is missing, as on S's slide about XOR: your similarity grows with the distance. Equal points "
            "should have the largest value, 1.",
        ),
        "distance not squared": (
            _rbf(lambda d2, gamma: -gamma * np.sqrt(d2)),
            "You take the distance itself. (That is a kernel too, Laplace's relative.) The RBF has its square: no root.",
        ),
        "divided by gamma": (
            _rbf(lambda d2, gamma: -d2 / gamma),
            "You divide by γ. Here γ multiplies: a large γ makes the bump narrow.",
        ),
        "with a half": (
            _rbf(lambda d2, gamma: -gamma * d2 / 2),
            "There is a half too many. It belongs to the other way of writing it, ||x - z||²/(2σ²), where γ is 1/(2σ²).",
        ),
        "gamma for sigma": (
            _rbf(lambda d2, gamma: -d2 / (2 * gamma**2)),
            "You read γ as the σ of the other way of writing it, ||x - z||²/(2σ²). Here γ simply multiplies ||x - z||².",
        ),
        "squared after the sum": (
            lambda X, Z, gamma: np.exp(-gamma * _differences(X, Z).sum(axis=2) ** 2),
            "You add the differences of the coordinates and square the sum, so that they may cancel. Square each first, "
            "then add.",
        ),
        "transposed": (
            lambda X, Z, gamma: _rbf(lambda d2, g: -g * d2)(Z, X, gamma),
            "Rows and columns are exchanged: a row for each sample of X, a column for each of Z.",
        ),
    },
    hints=(
        "First all the squared distances, as a matrix with a row for each x and a column for each z.",
        "`X[:, None, :] - Z[None, :, :]` holds the difference of every pair, with its coordinates along the last axis. Or "
        "write two loops.",
        "Square these differences, sum them over `axis=2`, and return `np.exp(-gamma * …)`.",
    ),
)


# --- a new kernel out of old ones ------------------------------------------------------------------------------------


def combined_matrix(K1: FloatArray, K2: FloatArray, a: float, f: FloatArray) -> np.ndarray:
    return a * K1 * K2 + np.outer(f, f)


def kernels_to_combine(rng: np.random.Generator) -> list[tuple]:
    """Two kernel matrices, a factor, and f on the samples, with a zero and with negative values."""
    cases: list[tuple] = [
        ([[2]], [[3]], 0.5, [3]),
        ([[2]], [[3]], 2, [0]),
        ([[1, 0], [0, 1]], [[2, 1], [1, 2]], 3, [1, -2]),
    ]
    for M in (1, 2, 2, 3, 5):
        A, B = rng.integers(-2, 3, (M, 2)), rng.integers(-2, 3, (M, 3))
        cases.append((A @ A.T, B @ B.T + 1, rng.choice([0.5, 1.5, 2, 3]), rng.integers(-3, 4, M)))
    return [(np.array(K1, float), np.array(K2, float), float(a), np.array(f, float)) for K1, K2, a, f in cases]


COMBINED_MATRIX = Task(
    key="kernels.3",
    title="A new kernel out of old ones",
    reference=combined_matrix,
    inputs=kernels_to_combine,
    mistakes={
        "matrix product": (
            lambda K1, K2, a, f: a * K1 @ K2 + np.outer(f, f),
            "`@` is the product of matrices. The product of two kernels is k₁(x, z) times k₂(x, z), so entry by entry: `K1 "
            "* K2`. (The matrix product need not even be symmetric.)",
        ),
        "f squared along the rows": (
            lambda K1, K2, a, f: a * K1 * K2 + f * f,
            "`f * f` is a vector, f(x)² for each sample, and numpy adds it to every row. f(x)f(z) is a matrix with an "
            "entry for each pair: `np.outer(f, f)`.",
        ),
        "f dotted": (
            lambda K1, K2, a, f: a * K1 * K2 + f @ f,
            "`f @ f` is one number, the same for all pairs. f(x)f(z) differs from pair to pair: `np.outer(f, f)`.",
        ),
        "sum for product": (
            lambda K1, K2, a, f: a * (K1 + K2) + np.outer(f, f),
            "You add k₁ and k₂. A kernel too, but here they are multiplied.",
        ),
        "factor on everything": (
            lambda K1, K2, a, f: a * (K1 * K2 + np.outer(f, f)),
            "The factor a belongs to the first term only.",
        ),
        "factor forgotten": (lambda K1, K2, a, f: K1 * K2 + np.outer(f, f), "The factor a is missing."),
        "last term forgotten": (
            lambda K1, K2, a, f: a * K1 * K2,
            "The term f(x)f(z) is missing. It is a kernel of rank one, whatever f is.",
        ),
    },
    hints=(
        "Write the formula down for one pair of samples, i and j. Which entries of K1, K2 and f come in?",
        "The entry is a·K1[i, j]·K2[i, j] + f[i]·f[j]. For the first term numpy's `*` is right.",
        "`np.outer(f, f)` has the entries f[i]·f[j]. Add it to `a * K1 * K2`.",
    ),
)


# --- Mercer's condition ----------------------------------------------------------------------------------------------


def is_kernel_matrix(K: FloatArray) -> bool:
    return bool(np.allclose(K, K.T) and np.linalg.eigvalsh(K).min() >= -1e-9)


def square_matrices(rng: np.random.Generator) -> list[tuple]:
    """Kernel matrices and others: not symmetric, a negative eigenvalue or two, eigenvalues zero, negative entries."""
    cases: list[Any] = [
        [[1]], [[-1]], [[0]], [[1, 0], [0, 1]], [[1, 1], [1, 1]], [[1, 2], [2, 1]], [[2, -1], [-1, 2]],
        [[-1, 0], [0, -1]], [[2, 0], [0, -1]], [[2, 9], [0, 1]], [[2, 0], [1, 2]],
        [[1, 1, 0], [1, 1, 1], [0, 1, 1]], [[1, 2, 2], [2, 1, 2], [2, 2, 1]],
    ]  # fmt: skip
    for M in (2, 3, 4):
        F, turn, two = rng.integers(-3, 4, (M, M - 1)), rng.permutation(M), rng.integers(1, 9, 2)
        K = F @ F.T  # of rank M - 1 at most: a zero eigenvalue
        crooked = K + np.triu(np.ones((M, M)), 1) * rng.integers(1, 5)  # its lower half is a kernel matrix
        below = np.diag([-two[0], -two[1], *range(2, M)])[turn][:, turn]  # two negative eigenvalues, a positive product
        chain = 2 * np.eye(M) + 2 * (np.eye(M, k=1) + np.eye(M, k=-1)) * (M > 2)  # no negative entry
        cases += [K, K + 1, K - 0.5 * np.eye(M), -K - np.eye(M), crooked, crooked.T, below, chain * two[0]]
    return [(np.array(K, float),) for K in cases]


def _symmetric_and(condition: Callable[[Any], Any]) -> Callable[[Any], bool]:
    return lambda K: bool(np.allclose(K, K.T) and condition(K))


IS_KERNEL_MATRIX = Task(
    key="kernels.4",
    title="Can this be a kernel matrix?",
    reference=is_kernel_matrix,
    inputs=square_matrices,
    library=(gram.is_mercer,),
    mistakes={
        "entries for eigenvalues": (
            _symmetric_and(lambda K: (K >= 0).all()),
            "You ask whether all entries are positive. Similarities may be negative (the linear kernel's are), and the "
            "three points in a row have no negative entry and yet no φ. Ask for the eigenvalues.",
        ),
        "entries and nothing else": (
            lambda K: bool((K >= 0).all()),
            "You ask whether all entries are positive, and nothing else. Mercer asks two other things: is K symmetric, and is "
            "none of its eigenvalues negative?",
        ),
        "diagonal only": (
            _symmetric_and(lambda K: (K.diagonal() >= 0).all()),
            "You look at the diagonal only, the squared lengths of the samples themselves. A sum of samples needs a length "
            "too: ask for the eigenvalues.",
        ),
        "symmetry only": (
            _symmetric_and(lambda K: True),
            "Symmetry alone is not enough: -1 is a symmetric matrix, and no squared length.",
        ),
        "determinant": (
            _symmetric_and(lambda K: np.linalg.det(K) >= -1e-9),
            "The determinant is the product of the eigenvalues, and two negative ones make it positive. Look at each of "
            "them.",
        ),
        "strictly positive": (
            _symmetric_and(lambda K: np.linalg.eigvalsh(K).min() > 1e-9),
            "You ask for eigenvalues above zero. Zero is allowed: two equal samples have it, and so has every kernel whose "
            "space has fewer dimensions than there are samples.",
        ),
        "symmetry forgotten": (
            lambda K: bool(np.linalg.eigvalsh(K).min() >= -1e-9),
            "You do not ask whether K is symmetric. `eigvalsh` reads one half of the matrix and assumes that the other "
            "mirrors it.",
        ),
        "symmetry forgotten, with eigvals": (
            lambda K: bool(np.all(np.linalg.eigvals(K) >= -1e-9)),
            "You do not ask whether K is symmetric. A matrix that is not may have positive eigenvalues: [[2, 0], [1, 2]] has.",
        ),
        "the largest eigenvalue": (
            _symmetric_and(lambda K: np.linalg.eigvalsh(K).max() >= -1e-9),
            "You look at the largest eigenvalue. One negative eigenvalue is enough to spoil it, so look at the smallest.",
        ),
    },
    hints=(
        "Two conditions, and both must hold: one about K and its transpose, one about its eigenvalues.",
        "`np.allclose(K, K.T)` is the first. `np.linalg.eigvalsh(K)` gives the eigenvalues of a symmetric matrix.",
        "The smallest eigenvalue may be a rounding error below zero: ask whether it is at least -1e-9.",
    ),
)


# --- one round of the perceptron, with a kernel ----------------------------------------------------------------------


def kernel_round(K: FloatArray, y: FloatArray, alpha: FloatArray, b: float) -> tuple[np.ndarray, float]:
    return _round()(K, y, alpha, b)


def _round(
    wrong: Callable = lambda margin: margin <= 0,
    signed: bool = True,
    count: Callable = lambda y: 1.0,
    shift: Callable = lambda y: y,
    bias: float = 1.0,
    at_once: bool = False,
) -> Callable[..., tuple[np.ndarray, float]]:
    """A round of the rule with something changed: when it learns, how it answers, what it counts, how it moves b."""

    def round_(K: FloatArray, y: FloatArray, alpha: FloatArray, b: float) -> tuple[np.ndarray, float]:
        new, new_b = np.array(alpha, dtype=float), b
        for p in range(len(y)):
            known, known_b = (alpha, b) if at_once else (new, new_b)
            f = (known * y if signed else known) @ K[p] + bias * known_b
            if wrong(y[p] * f):
                new[p], new_b = new[p] + count(y[p]), new_b + shift(y[p])
        return new, float(new_b)

    return round_


def rounds_to_go(rng: np.random.Generator) -> list[tuple]:
    """XOR with the quadratic kernel, a point on the plane, rounds from the start and from the middle."""
    xor = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])
    cases: list[tuple] = [
        ([[1]], [1], [0], 0),
        ([[1]], [-1], [0], 0),
        ([[4]], [-1], [1], 4),
        ([[1, 0], [0, 1]], [1, -1], [1, 1], 0),
        ((xor @ xor.T) ** 2, [1, 1, -1, -1], [0, 0, 0, 0], 0),
    ]
    for M in (1, 1, 2, 2, 2, 3, 3, 4, 6, 8):
        F = rng.integers(-2, 3, (M, 2))
        cases.append(((F @ F.T + 1) ** 2, rng.choice([-1, 1], M), rng.integers(0, 3, M), rng.integers(-2, 3)))
    return [(np.array(K, float), np.array(y, float), np.array(alpha, float), float(b)) for K, y, alpha, b in cases]


KERNEL_ROUND = Task(
    key="kernels.5",
    title="One round of the perceptron, with a kernel",
    reference=kernel_round,
    inputs=rounds_to_go,
    library=(perceptron.perceptron_dual,),
    mistakes={
        "strictly below zero": (
            _round(wrong=lambda margin: margin < 0),
            "A point with y·f = 0 is not right either. With `<` a machine that begins with zeros never learns anything: "
            "take `<=`.",
        ),
        "labels forgotten in the sum": (
            _round(signed=False),
            "f(x_i) is the sum of α_j·y_j·k(x_j, x_i). The labels y_j are missing, so a -1 pulls the same way as a +1.",
        ),
        "counts with a sign": (
            _round(count=lambda y: y),
            "α counts mistakes, so it grows by 1, whatever the label. The label comes in when f is computed.",
        ),
        "bias left alone": (_round(shift=lambda y: 0.0), "α learns and b does not: after a mistake, b moves by y."),
        "bias always up": (
            _round(shift=lambda y: 1.0),
            "b always grows by 1. It moves by y, so down after a mistake on a -1.",
        ),
        "bias forgotten in the answer": (_round(bias=0.0), "f lacks its b: the answer is the sum plus b."),
        "all points at once": (
            _round(at_once=True),
            "You judge all points by the machine as it was before the round. The rule learns at once: the next point meets "
            "the machine that the last mistake has changed.",
        ),
    },
    hints=(
        "One loop over the points p. What the machine says about p is a sum over all q, and row p of K has what it needs.",
        "`f = (alpha * y) @ K[p] + b`. Begin with `alpha = alpha.copy()`, so that nobody's array is changed.",
        "Where y[p] * f <= 0: alpha[p] becomes alpha[p] + 1 and b becomes b + y[p]. After the loop return both.",
    ),
)


# --- explain what you see --------------------------------------------------------------------------------------------

EXPLAIN_KERNELS = Explanation(
    key="kernels.6",
    title="Explain what you see",
    points={
        "wide": (
            "wide, small gamma, small γ, all similar, everything, everybody, ones, alike, too smooth, ugly",
            "What does the matrix of the smallest γ say about who is similar to whom, and why is its machine poor?",
        ),
        "diagonal": (
            "diagonal, bad, nobody, no sample is similar, narrow, only itself, large gamma, large γ",
            "What is left of the matrix at the largest γ?",
        ),
        "by heart": (
            "by heart, memoris, memoriz, overfit, any label, coin, rank, invertible, zero training, says nothing",
            "The training error of the largest γ is zero. Why does that not speak for it?",
        ),
        "held out": (
            "new point, held, test, unseen, new data, validation, generalis, generaliz",
            "By which column would you choose γ, and where would it come from if the world were not known?",
        ),
        "labels": (
            "label, class, block",
            "Which of the scores look at the labels, and which would be the same for any labels?",
        ),
    },
    model="""\
With the small gamma the bumps are so wide that everybody is similar to everybody: the matrix is nearly
all ones, the blocks by class are missing, and the boundary is too stiff for two spirals. With the large
gamma only the diagonal is left: no sample is similar to any other. The matrix is invertible, so the
machine can learn any labels by heart, and its training error of zero says nothing; on new points it is
hardly better than a coin. In the middle there are blocks. Diagonality and rank do not look at the labels,
the block score and the errors do. I would choose gamma by its error on points that were held out.""",
    hints=(
        "Go from left to right: what happens to the off-diagonal entries as γ grows?",
        "Compare the columns of the two errors. Where do they part, and what is the rank there?",
        "A machine to which no two samples are similar can still learn each sample by heart. What can it say about a new "
        "one?",
    ),
)

TASKS = [QUADRATIC_MAP, RBF_MATRIX, COMBINED_MATRIX, IS_KERNEL_MATRIX, KERNEL_ROUND, EXPLAIN_KERNELS]


# --- lines to write inside the lesson ----------------------------------------------------------------------------------


def _pairs_of_points(rng: np.random.Generator) -> list[tuple]:
    fixed = [([1, 2], [3, 4]), ([0, 1], [1, 0]), ([2], [3])]
    return [
        (np.array(x, float), np.array(z, float))
        for x, z in fixed + [tuple(rng.integers(-3, 4, (2, 3))) for _ in range(4)]
    ]


GAP_QUADRATIC = gap(
    "kernels.quadratic_kernel",
    lambda x, z: float((x @ z) ** 2),
    _pairs_of_points,
    {
        "squares first": (
            lambda x, z: float(x**2 @ z**2),
            "You square first, and lose the mixed products. First x·z, then the square.",
        ),
        "with a constant": (
            lambda x, z: float((x @ z + 1) ** 2),
            "That is a kernel too, of a larger lift: the 1 brings in the coordinates themselves and a constant. Here it stays "
            "out.",
        ),
        "not squared": (lambda x, z: float(x @ z), "That is the dot product down here. Up there it is its square."),
        "no sum": (
            lambda x, z: (x * z) ** 2,
            "You multiply coordinate by coordinate and never add up: `@` is the dot product.",
        ),
    },
    "Look at the formula above: φ(x)·φ(z) = (x·z)².",
    called="quadratic_kernel",
)


def _machines(rng: np.random.Generator) -> list[tuple]:
    drawn = [
        (
            rng.integers(0, 4, M).astype(float),
            rng.choice([-1.0, 1.0], M),
            rng.integers(-3, 4, M) / 2,
            float(rng.integers(-3, 4)),
        )
        for M in (2, 3, 3, 4)
    ]
    return [(np.array([1.0, 2.0]), np.array([1.0, -1.0]), np.array([3.0, 5.0]), 0.5), *drawn]


GAP_ANSWER = gap(
    "kernels.answer_by_kernel",
    lambda alpha, y, k, b: float((alpha * y) @ k + b),
    _machines,
    {
        "labels forgotten": (
            lambda alpha, y, k, b: float(alpha @ k + b),
            "The labels y_i are missing: a −1 pulls the other way.",
        ),
        "bias forgotten": (lambda alpha, y, k, b: float((alpha * y) @ k), "b is missing."),
        "bias for each sample": (
            lambda alpha, y, k, b: float(np.sum(alpha * y * k + b)),
            "b is inside your sum, so it is added once for each sample. It comes once, after the sum.",
        ),
        "the class": (
            lambda alpha, y, k, b: float(np.sign((alpha * y) @ k + b)),
            "That is the class. f(x) is the number before its sign is taken.",
        ),
        "counts forgotten": (
            lambda alpha, y, k, b: float(y @ k + b),
            "α is missing: a sample counts as often as it was wrong.",
        ),
    },
    "Multiply α, y and k sample by sample, add up, and add b.",
    called="answer_by_kernel",
)

GAPS = [GAP_QUADRATIC, GAP_ANSWER]
