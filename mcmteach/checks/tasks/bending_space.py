"""Tasks: distances in feature space, the factor c, the bent kernel, its metric, and the map of Amari and Wu."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mcmteach import conformal, gram
from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.validation import FloatArray

TITLE = "Bending space"


def _squares(X: np.ndarray, cores: np.ndarray) -> np.ndarray:
    return ((X[:, None, :] - cores[None, :, :]) ** 2).sum(axis=2)


# --- distances in feature space --------------------------------------------------------------------------------------


def feature_distances(K: FloatArray) -> np.ndarray:
    return gram.feature_distances(K)


def kernel_matrices(rng: np.random.Generator) -> list[tuple]:
    """K = Z Z' of small features: one sample, two of the same place, the origin, and some whose diagonal is not 1.

    The last come out of a computer: twice the same sample, and a rounding error that puts a squared distance just below 0.
    """
    features: list[Any] = [[[2]], [[1], [2]], [[0, 0], [3, 4]], [[1, 1], [1, 1], [2, -1]]]
    features += [rng.integers(-3, 4, (M, n)) for M, n in [(2, 1), (2, 2), (3, 2), (4, 3), (6, 2)]]
    matrices = [np.array(Z, float) @ np.array(Z, float).T for Z in features]
    rounded = [k + 1e-9 * np.eye(2)[::-1] for k in (1, rng.integers(2, 9))]
    return [(K,) for K in [*matrices, *rounded]]


def _difference(K: FloatArray) -> np.ndarray:
    k = np.diag(K)
    return k[:, None] + k[None, :] - 2 * K


FEATURE_DISTANCES = Task(
    key="bending_space.1",
    title="Distances in feature space",
    reference=feature_distances,
    inputs=kernel_matrices,
    library=(gram.feature_distances,),
    mistakes={
        "root forgotten": (_difference, "These are the squares of the distances. Take the root."),
        "not cut off at 0": (
            lambda K: np.sqrt(_difference(K)),
            "Right on paper. But K comes out of a computer: where two samples are the same, rounding may leave "
            "k(x, x) + k(x', x') - 2k(x, x') slightly below 0, and its root is nan. Cut it off first: `np.maximum(..., 0)`.",
        ),
        "one product only": (
            lambda K: np.sqrt(np.maximum(_difference(K) + K, 0)),
            "The product k(x, x') must be subtracted twice: ||a - b||² = a·a + b·b - 2 a·b.",
        ),
        "sum for difference": (
            lambda K: np.sqrt(np.maximum(_difference(K) + 4 * K, 0)),
            "A sign slip: with + 2k(x, x') you get the length of the sum of the two images and not that of their difference.",
        ),
        "as if on the unit sphere": (
            lambda K: np.sqrt(np.maximum(2 - 2 * K, 0)),
            "You take k(x, x) = 1. That is so for the Gaussian kernel, but after a conformal transformation the diagonal is "
            "c(x)²: read it off K.",
        ),
        "one length only": (
            lambda K: np.sqrt(np.maximum(2 * np.diag(K)[:, None] - 2 * K, 0)),
            "You take k(x, x) for both points. Each has a length of its own: k(x, x) + k(x', x').",
        ),
        "columns' lengths only": (
            lambda K: np.sqrt(np.maximum(2 * np.diag(K)[None, :] - 2 * K, 0)),
            "You take k(x', x') for both points. Each has a length of its own: k(x, x) + k(x', x').",
        ),
    },
    hints=(
        "||φ(x) - φ(x')||² is (φ(x) - φ(x'))·(φ(x) - φ(x')). Multiply it out; every product is an entry of K.",
        "`k = np.diag(K)` holds the squared lengths. `k[:, None] + k[None, :]` is the matrix of k_ii + k_jj.",
        "Subtract 2 * K from that matrix, cut off below 0 with `np.maximum(..., 0)` (rounding!), and take `np.sqrt`.",
    ),
)


# --- the factor c ----------------------------------------------------------------------------------------------------


def factor(X: FloatArray, cores: FloatArray, alpha: FloatArray, gamma: float) -> np.ndarray:
    return conformal.core_matrix(X, cores, gamma) @ alpha


def maps(rng: np.random.Generator) -> list[tuple]:
    """(X, cores, alpha, gamma): a point on a core, far from all, several cores, a negative weight, more features."""
    cases: list[tuple] = [
        ([[0]], [[0]], [1, 2], 1.0),
        ([[3]], [[0]], [0, 1], 0.5),
        ([[0], [4]], [[0], [4]], [1, 2, -1], 1.0),
    ]
    for M, P, n in [(1, 1, 1), (1, 2, 1), (2, 2, 2), (3, 2, 2), (4, 3, 3)]:
        X, cores, alpha = rng.integers(-2, 3, (M, n)), rng.integers(-2, 3, (P, n)), rng.integers(1, 6, P + 1)
        cases.append((X, cores, alpha * rng.choice([-1, 1], P + 1), rng.choice([0.25, 0.5, 0.75])))
    return [(np.array(X, float), np.array(a, float), np.array(w, float), float(g)) for X, a, w, g in cases]


def _factor(bump: Callable[[np.ndarray, float], np.ndarray]) -> Callable[..., np.ndarray]:
    """c with another bump than exp(-γ d²)."""
    return lambda X, cores, alpha, gamma: alpha[0] + bump(_squares(X, cores), gamma) @ alpha[1:]


FACTOR = Task(
    key="bending_space.2",
    title="The factor c(x)",
    reference=factor,
    inputs=maps,
    library=(conformal.core_matrix, conformal.ConformalMap.__call__),
    mistakes={
        "constant forgotten": (
            lambda X, cores, alpha, gamma: np.exp(-gamma * _squares(X, cores)) @ alpha[1:],
            "α_0 is missing. Without it c falls to 0 far from the cores, and there the machine is blind.",
        ),
        "constant inside the sum": (
            lambda X, cores, alpha, gamma: np.exp(-gamma * _squares(X, cores)) @ alpha[1:] + len(cores) * alpha[0],
            "You add α_0 once for every core. It stands before the sum: add it once.",
        ),
        "weights shifted": (
            lambda X, cores, alpha, gamma: alpha[-1] + np.exp(-gamma * _squares(X, cores)) @ alpha[:-1],
            "Your weights are shifted by one: alpha[0] is the constant, and the first core has the weight alpha[1].",
        ),
        "distance not squared": (
            _factor(lambda d2, gamma: np.exp(-gamma * np.sqrt(d2))),
            "The exponent has the distance in it and not its square: a cusp where there should be a bump.",
        ),
        "plus in the exponent": (
            _factor(lambda d2, gamma: np.exp(gamma * d2)),
            "A sign slip in the exponent: your bumps grow with the distance. It is exp(-γ ||x - a||²).",
        ),
        "gamma for tau": (
            _factor(lambda d2, gamma: np.exp(-d2 / (2 * gamma**2))),
            "You use γ as a width: exp(-||x - a||² / 2γ²). Here it multiplies the square: exp(-γ ||x - a||²), so γ = 1/(2τ²).",
        ),
    },
    hints=(
        "First all squared distances between rows of X and cores, an array of shape (M, P).",
        "`((X[:, None, :] - cores[None, :, :]) ** 2).sum(axis=2)` are those. `np.exp(-gamma * ...)` are the bumps.",
        "c is `alpha[0]` plus the matrix of bumps times `alpha[1:]`, with `@`.",
    ),
)


# --- the bent kernel matrix ------------------------------------------------------------------------------------------


def bent_matrix(K0: FloatArray, c: FloatArray) -> np.ndarray:
    return conformal.conformal_matrix(K0, c)


def factors(rng: np.random.Generator) -> list[tuple]:
    """(K0, c): one sample, a c of 1, a zero, a negative entry, and more."""
    cases: list[tuple] = [([[2]], [3]), ([[1, 0.5], [0.5, 1]], [2, 3]), ([[1, 0.25], [0.25, 1]], [0, -2])]
    for M in (1, 2, 3, 4):
        Z = rng.integers(-2, 3, (M, 3))
        cases.append((Z @ Z.T + np.eye(M), rng.integers(2, 8, M) * rng.choice([-0.5, 1], M)))
    return [(np.array(K0, float), np.array(c, float)) for K0, c in cases]


BENT_MATRIX = Task(
    key="bending_space.3",
    title="The bent kernel matrix",
    reference=bent_matrix,
    inputs=factors,
    library=(conformal.conformal_matrix,),
    mistakes={
        "columns only": (
            lambda K0, c: K0 * c,
            "Only the columns are multiplied, so the matrix is not symmetric any more. c stands on both sides: c_i k_ij c_j.",
        ),
        "rows only": (
            lambda K0, c: c[:, None] * K0,
            "Only the rows are multiplied, so the matrix is not symmetric any more. c stands on both sides: c_i k_ij c_j.",
        ),
        "squared on one side": (
            lambda K0, c: c[:, None] ** 2 * K0,
            "You multiply by c twice, but by that of the same point. One of the two belongs to the other point: c(x) c(x').",
        ),
        "squared on the columns": (
            lambda K0, c: c * K0 * c,
            "`c * K0 * c` multiplies every column twice, as numpy lays a vector along the rows each time. One of the two is "
            "to be a column: `c[:, None] * K0 * c`.",
        ),
        "diagonal only": (
            lambda K0, c: np.diag(c) * K0 * np.diag(c),
            "`*` multiplies entry by entry, so C's zeros have wiped out all but the diagonal. Matrices multiply with `@`.",
        ),
        "one number": (
            lambda K0, c: (c @ c) * K0,
            "`c @ c` is one number, so all entries are multiplied alike. `np.outer(c, c)` has c_i c_j in row i, column j.",
        ),
        "added": (lambda K0, c: c[:, None] + K0 + c[None, :], "You add c. The factors multiply: c_i k_ij c_j."),
    },
    hints=(
        "Entry (i, j) of K is c_i times entry (i, j) of K0 times c_j.",
        "`np.outer(c, c)` has c_i c_j in row i, column j. Or: C is `np.diag(c)`, and matrices multiply with `@`.",
        "Return `np.outer(c, c) * K0`, or `np.diag(c) @ K0 @ np.diag(c)`.",
    ),
)


# --- the metric ------------------------------------------------------------------------------------------------------


def metric(c: float, slope: FloatArray, gamma: float) -> np.ndarray:
    return np.outer(slope, slope) + 2 * gamma * c**2 * np.eye(len(slope))


def places(rng: np.random.Generator) -> list[tuple]:
    """(c, slope, gamma) at a point: on level ground, on a slope, where c = 0, in one to four dimensions."""
    cases: list[tuple] = [
        (1, [0], 0.5), (2, [3], 1), (1.5, [0, 0], 2), (3, [1, 2], 0.25), (0, [1, -1], 1), (-2, [2, 1], 0.75),
    ]  # fmt: skip
    cases += [
        (rng.choice([-3, -2, 2, 3, 4]), rng.integers(-4, 5, n), rng.choice([0.25, 0.75, 1.5]))
        for n in (1, 2, 2, 3, 3, 4)
    ]
    return [(float(c), np.array(slope, float), float(gamma)) for c, slope, gamma in cases]


METRIC = Task(
    key="bending_space.4",
    title="The metric at a point",
    reference=metric,
    inputs=places,
    library=(conformal.induced_metric,),
    mistakes={
        "climb forgotten": (
            lambda c, slope, gamma: 2 * gamma * c**2 * np.eye(len(slope)),
            "The climb is missing: ∂_i c ∂_j c. With 2γc² alone the map would keep all angles, and it does not.",
        ),
        "inner for outer": (
            lambda c, slope, gamma: (slope @ slope + 2 * gamma * c**2) * np.eye(len(slope)),
            "`slope @ slope` is one number, and you stretch all directions by it. The climb acts along the slope only: "
            "`np.outer(slope, slope)`.",
        ),
        "one number for outer": (
            lambda c, slope, gamma: slope @ slope + 2 * gamma * c**2 * np.eye(len(slope)),
            "`slope @ slope` is one number, and numpy adds it to every entry. ∂_i c ∂_j c differs from entry to entry: "
            "`np.outer(slope, slope)`.",
        ),
        "c not squared": (
            lambda c, slope, gamma: np.outer(slope, slope) + 2 * gamma * c * np.eye(len(slope)),
            "c enters squared, as lengths grow with c and g is about squared lengths.",
        ),
        "two forgotten": (
            lambda c, slope, gamma: np.outer(slope, slope) + gamma * c**2 * np.eye(len(slope)),
            "A factor 2 is missing: without a map the Gaussian kernel's metric is 2γ times the identity.",
        ),
        "everywhere for diagonal": (
            lambda c, slope, gamma: np.outer(slope, slope) + 2 * gamma * c**2,
            "You add 2γc² to every entry. δ_ij is 1 on the diagonal and 0 elsewhere: `np.eye(n)`.",
        ),
        "gamma on both": (
            lambda c, slope, gamma: 2 * gamma * (np.outer(slope, slope) + c**2 * np.eye(len(slope))),
            "2γ belongs to c² only. The climb happens along the ray, where the kernel's width does not matter.",
        ),
        "diagonal of the climb": (
            lambda c, slope, gamma: np.diag(slope**2 + 2 * gamma * c**2),
            "You keep the diagonal of ∂_i c ∂_j c only. The entries beside it are what turns circles into tilted ellipses.",
        ),
    },
    hints=(
        "Two parts: a matrix from the slope alone, and a multiple of the identity.",
        "`np.outer(slope, slope)` has ∂_i c ∂_j c in row i, column j. `np.eye(len(slope))` is δ_ij.",
        "Return the first plus 2 * gamma * c**2 times the second.",
    ),
)


# --- Amari and Wu ----------------------------------------------------------------------------------------------------


def amari_wu(X: FloatArray, support: FloatArray, coef: FloatArray, gamma: float) -> np.ndarray:
    return conformal.amari_wu_map(support, gamma, coef)(X)


def machines(rng: np.random.Generator) -> list[tuple]:
    """(X, support, coef, gamma): coefficients of both signs, one support vector, one to four features."""
    cases: list[tuple] = [
        ([[0.5]], [[0]], [-2], 1.0),
        ([[1, 0]], [[0, 0]], [-3], 0.5),
        ([[0, 1], [1, 1]], [[0, 0], [1, 0]], [2, -1], 0.25),
    ]
    for M, P, n in [(1, 1, 2), (2, 2, 2), (3, 2, 3), (4, 3, 4)]:
        coef = rng.integers(1, 6, P) * np.resize([1, -1], P)
        cases.append((rng.integers(-1, 2, (M, n)), rng.integers(-1, 2, (P, n)), coef, rng.choice([0.125, 0.25, 0.375])))
    return [(np.array(X, float), np.array(S, float), np.array(a, float), float(g)) for X, S, a, g in cases]


def _amari(
    times: Callable[[int], float] = lambda n: float(n), h: Callable[[np.ndarray], Any] = np.abs
) -> Callable[..., np.ndarray]:
    """c with another width (a multiple of gamma) or other weights."""
    return lambda X, support, coef, gamma: np.exp(-times(X.shape[1]) * gamma * _squares(X, support)) @ h(coef)


AMARI_WU = Task(
    key="bending_space.5",
    title="The map of Amari and Wu",
    reference=amari_wu,
    inputs=machines,
    library=(conformal.amari_wu_map,),
    mistakes={
        "signs kept": (
            _amari(h=lambda a: a),
            "You keep the signs of the coefficients, which tell the class and not the importance. Such a c is a classifier, "
            "and is 0 at the very boundary. Take absolute values.",
        ),
        "all alike": (
            _amari(h=np.ones_like),
            "You give all support vectors the same weight. The height of a bump is the size of its coefficient.",
        ),
        "tau = sigma": (
            _amari(times=lambda n: 1.0),
            "You take τ = σ. The rule has the number of features in it: τ = σ/√n.",
        ),
        "wider with n": (
            _amari(times=lambda n: 1 / n),
            "You take τ = σ√n, so the bumps widen with the number of features. The rule divides: τ = σ/√n.",
        ),
        "number of support vectors": (
            lambda X, support, coef, gamma: np.exp(-len(support) * gamma * _squares(X, support)) @ np.abs(coef),
            "Your n is the number of support vectors. In τ = σ/√n it is the number of features, `X.shape[1]`.",
        ),
        "sigma squared for sigma": (
            _amari(times=lambda n: float(n) ** 2),
            "You divide σ by n. The rule divides by its root, so τ² = σ²/n.",
        ),
        "multiplied by tau squared": (
            lambda X, support, coef, gamma: (
                np.exp(-_squares(X, support) / 2 * (1 / (2 * gamma * X.shape[1]))) @ np.abs(coef)
            ),
            "`d2 / 2 * tau**2` divides by 2 and multiplies by τ². To divide by both, put brackets round them: "
            "`d2 / (2 * tau**2)`.",
        ),
        "two forgotten": (
            _amari(times=lambda n: 2.0 * n),
            "Your bumps are exp(-||x - a||²/τ²): the 2 in 2τ² is missing. (Or σ² = 1/γ, where it is 1/(2γ).)",
        ),
    },
    hints=(
        "What is σ, if exp(-γ d²) = exp(-d²/2σ²)? And then τ, by the rule?",
        "σ² = 1/(2γ) and τ² = σ²/n, so 1/(2τ²) = n γ: the bumps are exp(-n γ d²), with n the number of features.",
        "The matrix of bumps between the rows of X and the support vectors, as in your `factor`, times `np.abs(coef)`. No α_0.",
    ),
)


# --- explain what you see --------------------------------------------------------------------------------------------

EXPLAIN_BENDING = Explanation(
    key="bending_space.6",
    title="Explain what you see",
    points={
        "margin and radius": (
            "radius, ruler, ball, ratio, r/, scale, both grow, relative",
            "The margin grows with a floor. What grows with it, and what is the right number to look at?",
        ),
        "blind": (
            "blind, zero, vanish, nothing, bias, collapse, narrow, constant answer, one answer, 0 ",
            "What is c between narrow bumps without a floor, and what is left of f(x) = c(x)(...) + b there?",
        ),
        "wide bumps": (
            "constant, wide, flat, same as before, no map, nothing changes, large tau, large τ",
            "Why does the last row (a very large τ) look like the first?",
        ),
        "new points": (
            "new point, held-out, held out, test, unseen, accuracy, new data, judge",
            "Which column tells whether the map helped, and does it go along with the margin?",
        ),
    },
    model="""\
With a floor the margin grows, but the radius grows too, so the margin alone says little: their ratio
R/margin is what counts, and it moves far less. Without a floor and with narrow bumps c is nearly
zero between the cores. There f(x) = c(x)(...) + b is nothing but the bias b, the machine is blind and
gives most new points the same answer. With a very large tau all bumps are flat, c is constant,
and a constant c that is scaled to 1 is no map at all. The judge is the accuracy on new points: it
hardly changes with the floor, so I would use the map only if held-out data asked for it.""",
    hints=(
        "Compare the rows with and without a floor at the smallest τ: margin, R, new points.",
        "c is scaled: c² is 1 on average. Where is it large when the bumps are narrow? And when they are wide?",
        "Say what the margin has to be compared with, why f is nothing but b where c is 0, and which column you would trust.",
    ),
)

TASKS = [FEATURE_DISTANCES, FACTOR, BENT_MATRIX, METRIC, AMARI_WU, EXPLAIN_BENDING]

# --- lines to write inside the lesson ----------------------------------------------------------------------------------


def _factors_and_slopes(rng: np.random.Generator) -> list[tuple]:
    return [(3.0, 4.0), (1.0, 0.0), (0.0, 2.0), *((float(a), float(b)) for a, b in rng.integers(1, 9, (4, 2)) / 4)]


GAP_STEP = gap(
    "bending_space.step_length",
    lambda c, slope: float(np.hypot(c, slope)),
    _factors_and_slopes,
    {
        "root forgotten": (lambda c, slope: c**2 + slope**2, "That is the square of the length: take the root."),
        "added": (lambda c, slope: c + slope, "Lengths at right angles do not add up; their squares do."),
        "slope forgotten": (
            lambda c, slope: c,
            "That is right where the ground is level. On a slope the climb counts, too.",
        ),
    },
    "length² = c² + slope².",
    called="step_length",
)


def _values_of_kernels(rng: np.random.Generator) -> list[tuple]:
    return [(0.5, 2.0, 3.0), (1.0, -1.0, 2.0), *(tuple(map(float, row)) for row in rng.integers(-6, 7, (5, 3)) / 4)]


GAP_BENT = gap(
    "bending_space.bent_value",
    lambda k, c, c_other: k * c * c_other,
    _values_of_kernels,
    {
        "one factor": (lambda k, c, c_other: c * k, "Both points bring their factor: c(x) and c(x′)."),
        "squared": (lambda k, c, c_other: c**2 * k, "Each point has its own factor: c(x)·c(x′), not c(x)²."),
        "factors added": (
            lambda k, c, c_other: (c + c_other) * k,
            "The factors are multiplied, so that c(x)φ(x) is the new image.",
        ),
    },
    "The images are c(x)φ(x) and c(x′)φ(x′). What is their dot product?",
    called="bent_value",
)

GAPS = [GAP_STEP, GAP_BENT]
