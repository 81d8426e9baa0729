"""Tasks: the Fisher scalar, the matrices B and W, J with a factor, a step of the ascent, and the eigenvector."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg

from mcmteach import conformal, fisher
from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.validation import FloatArray

TITLE = "Measuring separability"


def labelled_points(rng: np.random.Generator) -> list[tuple]:
    """(Z, y): a sample or two in a class, classes of different sizes and in any order, clouds away from the origin."""
    cases: list[tuple] = [
        ([[0], [2], [5]], [-1, -1, 1]),
        ([[0], [2], [5], [7]], [-1, -1, 1, 1]),
        ([[7, 1], [0, 1], [5, 3], [2, 0], [9, 1]], [1, -1, 1, -1, 1]),
    ]
    for M, n in [(3, 1), (4, 1), (5, 2), (6, 2), (9, 3)]:
        y = np.where(np.arange(M) % 3 == 1, 1, -1) * rng.choice([-1, 1])
        Z = rng.integers(-3, 4, (M, n)) + 2 * y[:, None] + 1
        Z[0] = Z[2] + rng.integers(1, 4)  # some spread in one class at least
        cases.append((Z, y))
    return [tuple(np.array(part, float) for part in case) for case in cases]


def labelled_kernels(rng: np.random.Generator) -> list[tuple]:
    """(K, y): kernel matrices in small whole numbers, with classes of different sizes and in any order."""
    cases: list[tuple] = [([[2, 1], [1, 3]], [-1, 1]), ([[1, 0, 1], [0, 1, 1], [1, 1, 2]], [1, -1, 1])]
    for M in (3, 3, 4, 5):
        Z, y = rng.integers(-1, 3, (M, 2)), rng.permutation(np.where(np.arange(M) < M // 2, 1, -1))
        cases.append((Z @ Z.T + np.eye(M), y * rng.choice([-1, 1])))
    return [(np.array(K, float), np.array(y, float)) for K, y in cases]


# --- the Fisher scalar -----------------------------------------------------------------------------------------------


def fisher_scalar(Z: FloatArray, y: FloatArray) -> float:
    return fisher.fisher_scalar(Z, y)


def _scatter(Z: FloatArray, y: FloatArray) -> tuple[list, list, list]:
    """For either class: its size, its squared arm, its squared spokes added up."""
    parts = [Z[y < 0], Z[y > 0]]
    arms = [((part.mean(axis=0) - Z.mean(axis=0)) ** 2).sum() for part in parts]
    return [len(part) for part in parts], arms, [((part - part.mean(axis=0)) ** 2).sum() for part in parts]


def _fisher(Z: FloatArray, y: FloatArray, combine: Callable) -> float:
    return float(combine(*(np.array(part) for part in _scatter(Z, y))))


FISHER = Task(
    key="measuring_separability.1",
    title="Arms over spokes",
    reference=fisher_scalar,
    inputs=labelled_points,
    library=(fisher.fisher_scalar, fisher.feature_scatter, fisher.kernel_fisher_scalar),
    mistakes={
        "arms not weighted": (
            lambda Z, y: _fisher(Z, y, lambda size, arms, spokes: arms.sum() / spokes.sum()),
            "Each class has one arm in your sum. N(36) counts it M_i times: once for every sample of the class.",
        ),
        "classes count alike": (
            lambda Z, y: _fisher(
                Z, y, lambda size, arms, spokes: (size * arms).sum() / (size.sum() * (spokes / size).sum())
            ),
            "Below you add up the mean square of either class, as if both had equally many samples. N(37) adds up all spokes "
            "and divides once, by M.",
        ),
        "mean against mean": (
            lambda Z, y: _fisher(Z, y, lambda size, arms, spokes: arms.sum() / (spokes / size).sum()),
            "You average within each class and add up the averages, above and below. In N(36) and N(37) a class weighs as "
            "much as it has samples: M_i arms above, all its spokes below.",
        ),
        "total below": (
            lambda Z, y: _fisher(
                Z, y, lambda size, arms, spokes: (size * arms).sum() / (spokes.sum() + (size * arms).sum())
            ),
            "Below you measure from the centre of all, so you divide by the total scatter S_b + S_w, and never exceed 1. A "
            "spoke goes to the centre of its own class.",
        ),
        "upside down": (
            lambda Z, y: _fisher(Z, y, lambda size, arms, spokes: spokes.sum() / (size * arms).sum()),
            "That is tr S_w over tr S_b. J is large where the classes are far apart.",
        ),
        "not squared": (
            lambda Z, y: _fisher(Z, y, lambda size, arms, spokes: np.sqrt((size * arms).sum() / spokes.sum())),
            "That is the root of J. Traces add up squared lengths, and no root is taken of them.",
        ),
        "distance between the centres": (
            lambda Z, y: _fisher(
                Z, y, lambda size, arms, spokes: size.sum() * (np.sqrt(arms).sum() ** 2) / spokes.sum()
            ),
            "You use the distance between the two class centres. An arm goes from a class centre to the centre of all.",
        ),
    },
    hints=(
        "Three centres: of class -1, of class +1, of all. Which distances are the arms, which are the spokes?",
        "For one class: `own = Z[y < 0]`, `centre = own.mean(axis=0)`. Its arm, squared, counts `len(own)` times.",
        "Add `len(own) * ((centre - Z.mean(axis=0)) ** 2).sum()` above and `((own - centre) ** 2).sum()` below, for both "
        "classes, and divide. The 1/M of both cancels.",
    ),
)


# --- B and W ---------------------------------------------------------------------------------------------------------


def scatter_matrices(K: FloatArray, y: FloatArray) -> tuple[np.ndarray, np.ndarray]:
    return fisher.scatter_matrices(K, y)


def _parts(K: FloatArray, y: FloatArray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The blocks divided by the sizes of their classes, the diagonal, and whether two samples share a class."""
    same = np.equal.outer(y, y)
    return np.where(same, K / same.sum(axis=1, keepdims=True), 0.0), np.diag(np.diag(K)), same


def _pair(K: FloatArray, y: FloatArray, make: Callable) -> tuple[np.ndarray, np.ndarray]:
    return make(np.asarray(K), len(y), *_parts(K, y))


SCATTER = Task(
    key="measuring_separability.2",
    title="B and W",
    reference=scatter_matrices,
    inputs=labelled_kernels,
    library=(fisher.scatter_matrices,),
    mistakes={
        "1/M for 1/M_1": (
            lambda K, y: _pair(
                K, y, lambda K, M, blocks, diagonal, same: ((same * K - K) / M, diagonal - same * K / M)
            ),
            "Your blocks are divided by M, as P(13) and P(14) print it. Then nothing is left of B's diagonal blocks. K_11 is "
            "divided by M_1 and K_22 by M_2.",
        ),
        "sizes exchanged": (
            lambda K, y: _pair(
                K,
                y,
                lambda K, M, blocks, diagonal, same: (
                    same * K / (~same).sum(axis=1, keepdims=True) - K / M,
                    diagonal - same * K / (~same).sum(axis=1, keepdims=True),
                ),
            ),
            "Each block is divided by the size of the other class. K_11 belongs to class 1 and is divided by M_1.",
        ),
        "K not subtracted": (
            lambda K, y: _pair(K, y, lambda K, M, blocks, diagonal, same: (blocks, diagonal - blocks)),
            "Your B holds the blocks only. K/M is to be subtracted: it takes away the centre of all.",
        ),
        "K not divided": (
            lambda K, y: _pair(K, y, lambda K, M, blocks, diagonal, same: (blocks - K, diagonal - blocks)),
            "In B you subtract K itself. It is K divided by M.",
        ),
        "K for its diagonal": (
            lambda K, y: _pair(K, y, lambda K, M, blocks, diagonal, same: (blocks - K / M, K - blocks)),
            "W begins with the diagonal of K, as a matrix with zeros beside it; yours begins with all of K.",
        ),
        "diagonal as a row": (
            lambda K, y: _pair(K, y, lambda K, M, blocks, diagonal, same: (blocks - K / M, np.diag(K) - blocks)),
            "`np.diag(K)` is a vector, and numpy adds it to every row. `np.diag(np.diag(K))` is the matrix.",
        ),
        "W and B": (
            lambda K, y: _pair(K, y, lambda K, M, blocks, diagonal, same: (diagonal - blocks, blocks - K / M)),
            "They are in the wrong order: B first, then W.",
        ),
        "sign of B": (
            lambda K, y: _pair(K, y, lambda K, M, blocks, diagonal, same: (K / M - blocks, diagonal - blocks)),
            "B has the wrong sign: the blocks come first, and K/M is subtracted.",
        ),
    },
    hints=(
        "The samples need not be sorted. Which entries K[i, j] belong to a block on the diagonal?",
        "`same = np.equal.outer(y, y)` is True where i and j share a class; its row i adds up to the size of that class.",
        "`blocks = np.where(same, K / same.sum(axis=1, keepdims=True), 0)`. Then B = blocks - K/M, W = diagonal - blocks.",
    ),
)


# --- J with a factor -------------------------------------------------------------------------------------------------


def conformal_fisher(K0: FloatArray, y: FloatArray, c: FloatArray) -> float:
    return fisher.kernel_fisher_scalar(K0, y, c)


def with_factors(rng: np.random.Generator) -> list[tuple]:
    """(K0, y, c): factors of both signs, a zero among them, one that is constant."""
    _, *cases = labelled_kernels(rng)
    cases = [(K, y, rng.choice([-2.0, -1.0, 0.5, 1.0, 3.0], len(y))) for K, y in cases]
    cases[0][2][:] = 2.0
    cases[-1][2][0] = 0.0
    return cases


def _quotient(K0: FloatArray, y: FloatArray, above: Callable, below: Callable | None = None) -> float:
    B, W = fisher.scatter_matrices(K0, y)
    return float(above(B) / (below or above)(W))


CONFORMAL = Task(
    key="measuring_separability.3",
    title="Theorem 2.3, with a factor",
    reference=conformal_fisher,
    inputs=with_factors,
    library=(fisher.kernel_fisher_scalar, fisher.fisher_scalar),
    mistakes={
        "factor forgotten": (
            lambda K0, y, c: _quotient(K0, y, np.sum),
            "That is J of the basic kernel: c has no effect.",
        ),
        "factor on one side": (
            lambda K0, y, c: _quotient(K0, y, lambda S: (S @ c).sum()),
            "You multiply by c once. The new kernel is c(x) c(x') k0(x, x'), so c stands on both sides: c @ B0 @ c.",
        ),
        "factor squared": (
            lambda K0, y, c: _quotient(K0, y, lambda S: c**2 @ S @ c**2),
            "You take c² on both sides. Once on each side is c(x) c(x').",
        ),
        "absolute values": (
            lambda K0, y, c: _quotient(K0, y, lambda S: np.abs(c) @ S @ np.abs(c)),
            "You take the absolute value of c. It may be negative, and that is just what the best one makes use of.",
        ),
        "basic kernel below": (
            lambda K0, y, c: _quotient(K0, y, lambda S: c @ S @ c, np.sum),
            "Above you have c, below the basic kernel. The factor changes the spokes too.",
        ),
        "upside down": (lambda K0, y, c: 1 / _quotient(K0, y, lambda S: c @ S @ c), "That is W over B."),
        "diagonal terms only": (
            lambda K0, y, c: _quotient(K0, y, lambda S: c**2 @ np.diag(S)),
            "You add up the diagonals only, c_i² B_ii. The mixed terms c_i c_j B_ij belong to the sum as well.",
        ),
    },
    hints=(
        "By N(40) you need not build the new kernel: B_0 and W_0 of the basic one, and c on either side.",
        "`B0, W0 = scatter_matrices(K0, y)`. In numpy, c'B0 c is `c @ B0 @ c`.",
        "Return `(c @ B0 @ c) / (c @ W0 @ c)`.",
    ),
)


# --- one step of the ascent ------------------------------------------------------------------------------------------


def climb(alpha: FloatArray, M0: FloatArray, N0: FloatArray, rho: float) -> np.ndarray:
    return _step(alpha, M0, N0, rho)


def _step(
    alpha: FloatArray, M0: FloatArray, N0: FloatArray, rho: float, sign: float = 1, pull: float = -1, power: int = 2,
    over: int = 1, norm: Callable = np.linalg.norm,
) -> np.ndarray:  # fmt: skip
    """The printed step with something changed: its direction, either term, or what it is divided by at the end."""
    J1, J2 = alpha @ M0 @ alpha, alpha @ N0 @ alpha
    new = alpha + sign * rho * (M0 @ alpha / J2**over + pull * J1 / J2**power * (N0 @ alpha))
    return new / norm(new)


def quotients(rng: np.random.Generator) -> list[tuple]:
    """(P, Q): symmetric pairs whose second is positive definite; the first of rank 1, and of full rank."""
    cases: list[tuple] = [([[1, 0], [0, 3]], [[2, 0], [0, 1]]), ([[4, 2], [2, 1]], [[2, 1], [1, 3]])]
    for n in (2, 2, 3, 3, 4):
        A, B = rng.integers(-2, 3, (n + 1, n)), rng.integers(-1, 2, (n + 2, n))
        cases.append((A.T @ A, B.T @ B + np.eye(n)))
    return [(np.array(P, float), np.array(Q, float)) for P, Q in cases]


def step_inputs(rng: np.random.Generator) -> list[tuple]:
    """(alpha, M0, N0, rho): the start (1, 0, ..., 0) and other directions of length 1, short steps and long ones."""
    cases = []
    for i, (P, Q) in enumerate(quotients(rng)):
        alpha = np.eye(len(P))[0] if i % 2 else rng.permutation([0.6, -0.8, 0.0, 0.0][: len(P)])
        cases.append((alpha, P, Q, float(rng.choice([0.1, 0.5, 2.0]))))
    return cases


CLIMB = Task(
    key="measuring_separability.4",
    title="One step up",
    reference=climb,
    inputs=step_inputs,
    library=(conformal.xiong_ascent,),
    mistakes={
        "not normalised": (
            lambda alpha, M0, N0, rho: _step(alpha, M0, N0, rho, norm=lambda new: 1.0),
            "The step is right, but alpha is not brought back to length 1 afterwards.",
        ),
        "downhill": (
            lambda alpha, M0, N0, rho: _step(alpha, M0, N0, rho, sign=-1),
            'You go down: the step is added, since J is to become large. (P says "minimizes" too.)',
        ),
        "both terms added": (
            lambda alpha, M0, N0, rho: _step(alpha, M0, N0, rho, pull=1),
            "Both terms have a plus. What widens the spokes is bad for J: the N_0 term is subtracted.",
        ),
        "J_2 not squared": (
            lambda alpha, M0, N0, rho: _step(alpha, M0, N0, rho, power=1),
            "The second term is divided by J_2; the derivative of a quotient has the denominator squared there.",
        ),
        "J_2 squared twice": (
            lambda alpha, M0, N0, rho: _step(alpha, M0, N0, rho, over=2),
            "You divide the first term by J_2 squared. Only the second has the square.",
        ),
        "one term only": (
            lambda alpha, M0, N0, rho: _step(alpha, M0, N0, rho, pull=0),
            "Only M_0 enters your step: the arms grow, whatever the spokes do. Subtract (J_1/J_2²) N_0 alpha.",
        ),
        "divided by the sum": (
            lambda alpha, M0, N0, rho: _step(alpha, M0, N0, rho, norm=np.sum),
            "You divide by the sum of the entries. The length is the root of the sum of squares, `np.linalg.norm`.",
        ),
        "divided by the squared length": (
            lambda alpha, M0, N0, rho: _step(alpha, M0, N0, rho, norm=lambda new: new @ new),
            "You divide by the squared length, `alpha @ alpha`. Take its root.",
        ),
    },
    hints=(
        "First the two numbers J_1 and J_2, then the step, then the length.",
        "`J1 = alpha @ M0 @ alpha`, `J2 = alpha @ N0 @ alpha`; the direction is `M0 @ alpha / J2 - J1 / J2**2 * (N0 @ alpha)`.",
        "`new = alpha + rho * direction`, and return `new / np.linalg.norm(new)`.",
    ),
)


# --- the eigenvector -------------------------------------------------------------------------------------------------


def best_alpha(P: FloatArray, Q: FloatArray) -> np.ndarray:
    return _vector(scipy.linalg.eigh(P, Q)[1][:, -1])


def _vector(alpha: FloatArray) -> np.ndarray:
    return alpha / alpha[0]


def eigen_inputs(rng: np.random.Generator) -> list[tuple]:
    """Pairs with one best alpha, which does not begin with 0, so that it can be scaled to begin with 1."""
    return [(P, Q) for P, Q in [*quotients(rng), *quotients(rng)] if _has_a_top(P, Q)]


def _has_a_top(P: np.ndarray, Q: np.ndarray) -> bool:
    values, vectors = scipy.linalg.eigh(P, Q)
    return bool(values[-1] > 1.2 * values[-2] and abs(vectors[0, -1]) > 0.1 * np.linalg.norm(vectors[:, -1]))


EIGEN = Task(
    key="measuring_separability.5",
    title="The top in one step",
    reference=best_alpha,
    inputs=eigen_inputs,
    library=(conformal.optimal_alpha,),
    mistakes={
        "smallest eigenvalue": (
            lambda P, Q: _vector(scipy.linalg.eigh(P, Q)[1][:, 0]),
            "That is the bottom: the eigenvector of the smallest eigenvalue. `eigh` sorts them upwards, so the last "
            "column is the top.",
        ),
        "row for column": (
            lambda P, Q: _vector(scipy.linalg.eigh(P, Q)[1][-1]),
            "You take the last row. The eigenvectors are the columns: `vectors[:, -1]`.",
        ),
        "Q forgotten": (
            lambda P, Q: _vector(np.linalg.eigh(P)[1][:, -1]),
            "That is the top eigenvector of P alone: long arms, whatever the spokes do. `scipy.linalg.eigh(P, Q)` takes both.",
        ),
        "half of Q^-1 P": (
            lambda P, Q: _vector(np.linalg.eigh(np.linalg.solve(Q, P))[1][:, -1]),
            "Q⁻¹P is not symmetric, and `eigh` reads one half of it without an error. Give P and Q to "
            "`scipy.linalg.eigh` as they are.",
        ),
        "not scaled": (
            lambda P, Q: scipy.linalg.eigh(P, Q)[1][:, -1],
            "The direction is right, but not its length: divide by the first entry, so that alpha_0 = 1.",
        ),
        "unit length": (
            lambda P, Q: scipy.linalg.eigh(P, Q)[1][:, -1] / np.linalg.norm(scipy.linalg.eigh(P, Q)[1][:, -1]),
            "You scale to length 1. The task asks for alpha_0 = 1: divide by the first entry.",
        ),
        "difference for quotient": (
            lambda P, Q: _vector(np.linalg.eigh(P - Q)[1][:, -1]),
            "You maximise arms minus spokes. J is their quotient: P alpha = gamma Q alpha.",
        ),
    },
    hints=(
        "No loop and no step length: scipy solves P alpha = gamma Q alpha for symmetric P and Q.",
        "`values, vectors = scipy.linalg.eigh(P, Q)` sorts the eigenvalues upwards; column i belongs to value i.",
        "Take `vectors[:, -1]` and divide it by its first entry.",
    ),
)


# --- a letter to a friend --------------------------------------------------------------------------------------------

EXPLAIN_J = Explanation(
    key="measuring_separability.6",
    title="A letter to a friend",
    points={
        "new data": (
            "new data, new half, other half, held, unseen, overfit, test, training",
            "The table has two columns of J. What does the second one say about the first?",
        ),
        "labels": (
            "sign, label, classif, negative",
            "What does the sign of the best c tell, and why does that make J large?",
        ),
        "boundary": (
            "boundary, zero, 0, magnif, origin",
            "What happens to the space where c is 0, and is that what Amari and Wu wanted?",
        ),
        "not accuracy": (
            "accura, error, direction, gaussian, svm, classifier, right about",
            "Does twenty times the J mean twenty times fewer errors? Think of the Gaussian kernel on the pair of clouds.",
        ),
        "instead": (
            "validat, cross, put aside, fold, did not help, fewer cores, separate, own data",
            "How should your friend choose gamma_c and the cores?",
        ),
    },
    model="""\
On the new half J grows far less than on the training half: the map overfits, as it was fitted to
the training labels. The best c is a classifier itself. Its sign is nearly the label, because a
negative c throws one class to the other side of the origin. At the boundary c is 0, so the space
there shrinks to a point, the opposite of what Amari and Wu want. And J does not count errors:
with the Gaussian kernel it fell to a ninth, and the SVM was as accurate as before. Choose gamma_c
and the cores on data put aside, by cross-validation, and by the error that matters.""",
    hints=(
        "Compare the two columns of J, and then the two columns of the sign.",
        "Which c would have the largest J if it could be chosen freely at every sample? What would it know about a new one?",
        "Name the new data, the sign of c, the place where c is 0, what J does not measure, and how to choose gamma_c.",
    ),
)

TASKS = [FISHER, SCATTER, CONFORMAL, CLIMB, EIGEN, EXPLAIN_J]

# --- lines to write inside the lesson ----------------------------------------------------------------------------------


def _two_matrices(rng: np.random.Generator) -> list[tuple]:
    pairs = [np.array([[[1, 2], [3, 4]], [[2, 0], [1, 2]]]), *(rng.integers(1, 9, (2, n, n)) for n in (2, 3, 3))]
    return [(B.astype(float), W.astype(float)) for B, W in pairs]


GAP_SUMS = gap(
    "measuring_separability.fisher_from_sums",
    lambda B, W: float(B.sum() / W.sum()),
    _two_matrices,
    {
        "traces": (
            lambda B, W: float(np.trace(B) / np.trace(W)),
            "Here *all* entries count: 1ᵀB1 is their sum. The trace belongs to S_b.",
        ),
        "upside down": (lambda B, W: float(W.sum() / B.sum()), "Between over within, so that a large J is good."),
        "entry by entry": (
            lambda B, W: float((B / W).sum()) if (W != 0).all() else 0.0,
            "First the two sums, then the quotient.",
        ),
    },
    "All entries of B together, over all entries of W together.",
    called="fisher_from_sums",
)


def _quotients(rng: np.random.Generator) -> list[tuple]:
    cases: list[tuple] = [([1, 2], [[1, 0], [0, 3]], [[2, 1], [1, 2]])]
    for n in (2, 3, 3):
        F, G = rng.integers(-2, 3, (2, n, n))
        cases.append((rng.integers(1, 4, n), F @ F.T, G @ G.T + np.eye(n)))
    return [tuple(np.array(part, float) for part in case) for case in cases]


GAP_RAYLEIGH = gap(
    "measuring_separability.rayleigh",
    lambda alpha, P, Q: float((alpha @ P @ alpha) / (alpha @ Q @ alpha)),
    _quotients,
    {
        "upside down": (
            lambda alpha, P, Q: float((alpha @ Q @ alpha) / (alpha @ P @ alpha)),
            "P belongs above: it is what lies between the classes.",
        ),
        "alpha once": (
            lambda alpha, P, Q: float((P @ alpha).sum() / (Q @ alpha).sum()),
            "α stands on both sides of the matrix: αᵀPα.",
        ),
        "brackets forgotten": (
            lambda alpha, P, Q: float(alpha @ P @ alpha / alpha.dot(alpha)),
            "Below stands αᵀQα, not αᵀα.",
        ),
    },
    "`alpha @ P @ alpha` is αᵀPα.",
    called="rayleigh",
)

GAPS = [GAP_SUMS, GAP_RAYLEIGH]
