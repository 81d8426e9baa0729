"""Tasks: kernels on sets, strings and graphs, alignment, and the two halves of a similarity that is not a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from mcmteach import gram, structured
from mcmteach.checks.task import Explanation, Task, gap
from mcmteach.validation import FloatArray

TITLE = "Things that are not vectors"


# --- sets ------------------------------------------------------------------------------------------------------------


def set_gram(A: FloatArray) -> np.ndarray:
    return 2.0 ** (-_differences(A) / 2)


def _differences(A: FloatArray) -> np.ndarray:
    """The number of elements that only one of two sets contains."""
    return np.abs(A[:, None, :] - A[None, :, :]).sum(axis=2)


def set_inputs(rng: np.random.Generator) -> list[tuple]:
    """Sets as rows of 0 and 1, the empty set among them."""
    cases = [np.array([[1.0, 0.0, 1.0]]), np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])]
    cases += [rng.integers(0, 2, (M, V)).astype(float) for M, V in [(1, 3), (2, 3), (3, 4), (4, 6)]]
    return [(A,) for A in [*cases, np.vstack([np.zeros(5), rng.integers(0, 2, (4, 5))])]]


def _over_union(A: FloatArray) -> np.ndarray:
    common = A @ A.T
    return common / (common.diagonal()[:, None] + common.diagonal()[None, :] - common)


def _cosine(A: FloatArray) -> np.ndarray:
    length = np.sqrt(A.sum(axis=1))
    return (A @ A.T) / length[:, None] / length[None, :]


SET_GRAM = Task(
    key="not_vectors.1",
    title="A kernel matrix of sets",
    reference=set_gram,
    inputs=set_inputs,
    library=(structured.gram_matrix, structured.set_kernel),
    mistakes={
        "not normalised": (
            lambda A: 2.0 ** (A @ A.T),
            "That is the set kernel itself. Divide each entry by the root of the two diagonal entries that belong to it.",
        ),
        "no power": (
            _cosine,
            "You count common elements. The set kernel counts common subsets: 2 to the power of that number.",
        ),
        "power last": (
            lambda A: 2.0 ** _cosine(A),
            "You normalise the number of common elements, and then take the power. First the power, then the cosine.",
        ),
        "root forgotten": (
            lambda A: 2.0 ** -_differences(A),
            "You divide by k(A, A) k(B, B) without the root, or count every difference in full. Two sets that differ in one "
            "element have the cosine 1/√2.",
        ),
        "e for 2": (lambda A: np.exp(-_differences(A) / 2), "The base is 2: a set of n elements has 2^n subsets."),
        "common over all": (
            _over_union,
            "That is Jaccard's index, the size of the intersection over that of the union. Here it is 2 to the power of the "
            "former, normalised to a cosine.",
        ),
    },
    hints=(
        "`A @ A.T` holds the sizes of all intersections, and its diagonal the sizes of the sets.",
        "K = 2.0 ** (A @ A.T) is the set kernel. The cosine is K_ij / √(K_ii K_jj).",
        "`d = np.sqrt(np.diag(K))`, and return `K / d[:, None] / d[None, :]`.",
    ),
)


# --- strings ---------------------------------------------------------------------------------------------------------


def common_substrings(s: str, t: str, p: int) -> float:
    return structured.spectrum_kernel(s, t, p)


def string_inputs(rng: np.random.Generator) -> list[tuple]:
    """Strings with repeated, overlapping and missing substrings; one is shorter than p."""
    cases: list[tuple] = [("aba", "ab", 2), ("aaaa", "aa", 2), ("ab", "cd", 1), ("a", "abc", 2), ("abab", "bab", 3)]
    for letters, sizes, p in [
        ("ab", (4, 5), 2),
        ("ab", (6, 4), 1),
        ("abc", (7, 6), 2),
        ("acgt", (12, 9), 2),
        ("ab", (9, 9), 3),
    ]:
        first, second = ("".join(rng.choice(list(letters), n)) for n in sizes)
        cases.append((first, second, p))
    return cases


def _pieces(s: str, p: int) -> list[str]:
    return [s[i : i + p] for i in range(len(s) - p + 1)]


def _dot_of(
    count: Callable[[str, int], list[str]], weigh: Callable = lambda a, b: a * b
) -> Callable[[str, str, int], float]:
    """The substrings that ``count`` finds, weighed for each that both strings have."""

    def kernel(s: str, t: str, p: int) -> float:
        first, second = count(s, p), count(t, p)
        return float(sum(weigh(first.count(u), second.count(u)) for u in set(first) & set(second)))

    return kernel


COMMON_SUBSTRINGS = Task(
    key="not_vectors.2",
    title="The spectrum kernel",
    reference=common_substrings,
    inputs=string_inputs,
    library=(structured.spectrum_kernel, structured.spectrum),
    mistakes={
        "the last one forgotten": (
            _dot_of(lambda s, p: _pieces(s, p)[:-1]),
            "The last substring is missing: a string of n letters has n - p + 1 of them, so `range(len(s) - p + 1)`.",
        ),
        "shorter ones at the end": (
            _dot_of(lambda s, p: [s[i : i + p] for i in range(len(s))]),
            "At its end your string gives substrings with fewer than p letters. Stop at `len(s) - p + 1`.",
        ),
        "each kind once": (
            _dot_of(_pieces, lambda a, b: 1),
            "You count how many kinds of substrings both have. Each is counted as often as it occurs: a dot product of counts.",
        ),
        "the smaller count": (
            _dot_of(_pieces, min),
            "You take the smaller of the two counts, as for multisets. A dot product multiplies them.",
        ),
        "side by side": (
            _dot_of(lambda s, p: [s[i : i + p] for i in range(0, len(s) - p + 1, p)]),
            "You cut the string into pieces that do not overlap. A substring may begin at every letter.",
        ),
        "place by place": (
            lambda s, t, p: float(sum(u == v for u, v in zip(_pieces(s, p), _pieces(t, p), strict=False))),
            "You compare substrings that stand in the same place. The spectrum kernel does not ask where they stand.",
        ),
    },
    hints=(
        "List the substrings of length p of both strings. It may begin at every letter with p - 1 letters after it.",
        "The kernel is a dot product of counts: for each substring, its count in s times its count in t. Or: go through "
        "all pairs, one substring of s and one of t, and count the equal ones.",
        "`sum(u == v for u in pieces(s) for v in pieces(t))`, with `pieces(s) = [s[i:i + p] for i in range(len(s) - p + 1)]`.",
    ),
)


# --- graphs ----------------------------------------------------------------------------------------------------------


def heat(A: FloatArray, beta: float) -> np.ndarray:
    return structured.diffusion_kernel(A, beta)


def graph_inputs(rng: np.random.Generator) -> list[tuple]:
    """A pair, a path, a node alone, and graphs at random."""
    pair, path = [[0, 1], [1, 0]], [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    cases: list[tuple] = [(pair, 1.0), (pair, 0.0), (path, 0.5), ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], 2.0)]
    for n in (3, 4, 4, 5, 6):
        A = np.triu(rng.integers(0, 2, (n, n)), 1)
        A[0, 1] = A[1, 2] = 1  # a node with two friends: not all have the same number
        cases.append((A + A.T, rng.choice([0.25, 0.5, 1.5])))
    return [(np.array(A, float), float(beta)) for A, beta in cases]


def _flow(
    matrix: Callable[[Any], np.ndarray], scale: Callable[[float], float] = lambda beta: -beta
) -> Callable[..., np.ndarray]:
    """The exponential of a matrix made from the graph, with something changed."""
    return lambda A, beta: scipy.linalg.expm(scale(beta) * matrix(A))


def _laplacian(A: FloatArray) -> np.ndarray:
    return np.diag(A.sum(axis=0)) - A


HEAT = Task(
    key="not_vectors.3",
    title="Heat in a network",
    reference=heat,
    inputs=graph_inputs,
    library=(structured.diffusion_kernel,),
    mistakes={
        "minus forgotten": (
            _flow(_laplacian, lambda beta: beta),
            "The minus sign is missing: heat then flows from the cold to the warm, and without end.",
        ),
        "friends only": (
            _flow(lambda A: A, lambda beta: beta),
            "That is exp(βA): no heat leaves the node that sends it. The Laplacian has the number of friends on its diagonal.",
        ),
        "signs exchanged": (
            _flow(lambda A: A + np.diag(A.sum(axis=0))),
            "You add A. The Laplacian is D - A: what a node loses, its friends receive.",
        ),
        "entry by entry": (
            lambda A, beta: np.exp(-beta * _laplacian(A)),
            "`np.exp` takes the exponential of each entry. The exponential of a *matrix* keeps the eigenvectors and takes "
            "that of the eigenvalues.",
        ),
        "first step only": (
            lambda A, beta: np.eye(len(A)) - beta * _laplacian(A),
            "I - βL is the first step of the series: where heat is after a very short time. Take the whole exponential.",
        ),
        "time forgotten": (_flow(_laplacian, lambda beta: -1.0), "β is missing: how long the heat has flowed."),
        "degrees not on the diagonal": (
            _flow(lambda A: A.sum(axis=0) - A),
            "`A.sum(axis=0) - A` takes the degrees from every row. They belong on the diagonal: `np.diag(A.sum(axis=0)) - A`.",
        ),
    },
    hints=(
        "First the Laplacian L = D - A, with the number of friends of each node on the diagonal of D.",
        "L is symmetric: `values, V = np.linalg.eigh(L)` gives L = V diag(values) Vᵀ. What is exp(-βL) in these terms?",
        "`(V * np.exp(-beta * values)) @ V.T`. (`scipy.linalg.expm(-beta * L)` does the same.)",
    ),
)


# --- alignment -------------------------------------------------------------------------------------------------------


def alignment(K: FloatArray, y: FloatArray) -> float:
    return gram.kernel_alignment(K, y)


def labelled_matrices(rng: np.random.Generator) -> list[tuple]:
    """Matrices that know the labels, that know nothing, and in between."""
    two = np.array([1.0, -1.0])
    cases: list[tuple] = [(np.outer(two, two), two), (np.eye(2), two), (np.ones((2, 2)), two)]
    for M in (2, 3, 3, 4, 6):
        F, y = rng.integers(-2, 3, (M, 2)), rng.choice([-1.0, 1.0], M)
        y[:2] = two
        cases.append((F @ F.T + np.diag(rng.integers(1, 4, M)), y))
    return [(np.array(K, float), np.array(y, float)) for K, y in cases]


def _aligned(
    top: Callable = lambda K, y: y @ K @ y, length: Callable = np.linalg.norm, size: Callable = len
) -> Callable[..., float]:
    return lambda K, y: float(top(K, y) / (size(y) * length(K)))


ALIGNMENT = Task(
    key="not_vectors.4",
    title="Alignment: does the matrix know the labels?",
    reference=alignment,
    inputs=labelled_matrices,
    library=(gram.kernel_alignment,),
    mistakes={
        "spectral norm": (
            _aligned(length=lambda K: np.linalg.norm(K, 2)),
            "You divide by the largest eigenvalue. The length of a matrix is that of the list of its numbers, the root of the "
            "sum of all squares: `np.linalg.norm(K)`.",
        ),
        "root of M": (
            _aligned(size=lambda y: np.sqrt(len(y))),
            "The matrix y yᵀ has M² entries of size 1, so its length is M, not √M.",
        ),
        "M squared": (
            _aligned(size=lambda y: len(y) ** 2),
            "The matrix y yᵀ has M² entries of size 1. Its length is the *root* of M².",
        ),
        "M left out": (
            _aligned(size=lambda y: 1.0),
            "You divide by the length of K only. The matrix y yᵀ has a length too: M² entries of size 1, so M.",
        ),
        "not normalised": (
            lambda K, y: float(y @ K @ y),
            "That is the dot product ⟨K, yyᵀ⟩. Divide by both lengths: the alignment is a cosine.",
        ),
        "labels forgotten": (
            _aligned(top=lambda K, y: K.sum()),
            "The labels are missing: entries between classes count against the kernel.",
        ),
        "labels once": (
            _aligned(top=lambda K, y: (K @ y).sum()),
            "Each entry K_ij comes with y_i *and* y_j: `y @ K @ y`.",
        ),
        "trace": (
            _aligned(length=np.trace),
            "You divide by the trace, the sum of the diagonal. The length counts all entries: `np.linalg.norm(K)`.",
        ),
    },
    hints=(
        "A cosine: the dot product of two matrices over the product of their lengths. What is the second matrix here?",
        "⟨K, yyᵀ⟩ = Σ K_ij y_i y_j = `y @ K @ y`. The length of a matrix is the root of the sum of its squared entries.",
        "`y @ K @ y / (len(y) * np.linalg.norm(K))`",
    ),
)


# --- Krein -----------------------------------------------------------------------------------------------------------


def two_kernels(K: FloatArray) -> tuple[np.ndarray, np.ndarray]:
    return _halves()(K)


def similarities(rng: np.random.Generator) -> list[tuple]:
    """Symmetric matrices: kernels, their negatives, and what is neither."""
    cases: list[Any] = [[[2.0]], [[-3.0]], [[0, 1], [1, 0]], [[1, 1, 0], [1, 1, 1], [0, 1, 1]]]
    for M in (2, 3, 4, 5):
        A = rng.integers(-3, 4, (M, M))
        cases.append(A + A.T)
    return [(np.array(K, float),) for K in cases]


def _halves(
    keep: Callable = lambda values: np.maximum(0, values), drop: Callable = lambda values: np.maximum(0, -values)
) -> Callable[[Any], tuple[np.ndarray, np.ndarray]]:
    """The matrices with the eigenvalues that are kept and those that are dropped."""

    def halves(K: FloatArray) -> tuple[np.ndarray, np.ndarray]:
        values, V = np.linalg.eigh(K)
        return (V * keep(values)) @ V.T, (V * drop(values)) @ V.T

    return halves


TWO_KERNELS = Task(
    key="not_vectors.5",
    title="A similarity is a difference of two kernels",
    reference=two_kernels,
    inputs=similarities,
    mistakes={
        "the second half negative": (
            _halves(drop=lambda values: np.minimum(0, values)),
            "Your second matrix has negative eigenvalues, so it is not a kernel. It is *subtracted*: give it positive ones.",
        ),
        "by entries": (
            lambda K: (np.maximum(0, K), np.maximum(0, -K)),
            "You split the entries. A matrix without a negative entry need not be a kernel: split the *eigenvalues*.",
        ),
        "flipped": (
            _halves(keep=np.abs, drop=lambda values: 0 * values),
            "You take the sizes of all eigenvalues: a kernel, and an old repair, but another matrix. K₊ - K₋ must give K back.",
        ),
        "exchanged": (
            _halves(lambda values: np.maximum(0, -values), lambda values: np.maximum(0, values)),
            "The two are exchanged: first what is kept of the positive eigenvalues, then what the negative ones take away.",
        ),
        "rows for columns": (
            lambda K: tuple((V.T * np.maximum(0, s * v)) @ V for v, V in [np.linalg.eigh(K)] for s in (1, -1)),
            "`eigh` puts the eigenvectors into the *columns* of V: `(V * values) @ V.T`, not `(V.T * values) @ V`.",
        ),
    },
    hints=(
        "`values, V = np.linalg.eigh(K)`: eigenvectors stand in the columns of V, and `(V * values) @ V.T` gives K back.",
        "Keep the positive eigenvalues for the first matrix; the negative ones, with their signs turned, for the second.",
        "`np.maximum(0, values)` and `np.maximum(0, -values)`, each put back as `(V * kept) @ V.T`.",
    ),
)


# --- explain what you see --------------------------------------------------------------------------------------------

EXPLAIN_SIMILARITY = Explanation(
    key="not_vectors.6",
    title="Explain what you see",
    points={
        "what is compared": (
            "substring, letter, order, place, count, pieces, spectrum",
            "What does each of the kernels look at, and what does it not see?",
        ),
        "what the scores promise": (
            "good, block, alignment, thermometer, no proof, not a proof, hint, rank",
            "Do the scores that look at the matrix put the kernels in the order of their errors?",
        ),
        "held out": (
            "held, new, test, unseen, cross-valid, left out, fold",
            "Which column decides, and what were the folds for?",
        ),
        "choosing": (
            "choos, chose, pick, peek, select, nested, tun",
            "What has somebody done who reads the best p off this table and reports its error?",
        ),
    },
    model="""\
Single letters say how much a, c, g and t a piece holds, which is little; substrings of four or five
see short words wherever they stand, and these tell promoters. The one-hot kernel compares place by
place, so a word that has moved by one letter is lost. The scores of the matrix are a thermometer, no
proof: the counted letters look good and do worst. What decides is the error on the folds that were held
out. But whoever picks the best p from this very table and reports its error has chosen on the test
data: p belongs into the inner loop of a nested cross-validation.""",
    hints=(
        "What would each kernel say of two strings that are equal except that one has a letter more at the front?",
        "Sort the rows once by the alignment and once by the error. Is it the same order?",
        "Which rows were looked at before p was chosen?",
    ),
)

TASKS = [SET_GRAM, COMMON_SUBSTRINGS, HEAT, ALIGNMENT, TWO_KERNELS, EXPLAIN_SIMILARITY]

# --- lines to write inside the lesson ----------------------------------------------------------------------------------


def _pairs_of_sets(rng: np.random.Generator) -> list[tuple]:
    cases: list[tuple] = [({1, 2}, {2, 3}), ({1}, {2}), ({1, 2, 3}, {1, 2, 3})]
    return cases + [tuple(set(rng.integers(0, 6, n).tolist()) for n in (4, 5)) for _ in range(4)]


GAP_SUBSETS = gap(
    "not_vectors.subsets_in_common",
    lambda A, B: 2 ** len(A & B),
    _pairs_of_sets,
    {
        "elements": (
            lambda A, B: len(A & B),
            "That counts common elements. Each is in a subset or not: 2 to that power.",
        ),
        "empty set left out": (
            lambda A, B: 2 ** len(A & B) - 1,
            "The empty set is a subset of both, so it counts. (Without it, two sets with nothing in common would have 0.)",
        ),
        "union": (lambda A, B: 2 ** len(A | B), "`|` is the union. A common subset lies in both: `&`."),
        "squared": (
            lambda A, B: len(A & B) ** 2,
            "2 to the power of n, not n to the power of 2: each element doubles the number.",
        ),
    },
    "Each of the n shared elements is in a common subset or not. That makes 2·2·…·2 choices.",
    called="subsets_in_common",
)

GAP_ALIGNMENT = gap(
    "not_vectors.cosine_with_labels",
    alignment,
    labelled_matrices,
    {
        name: ALIGNMENT.mistakes[name]
        for name in ("root of M", "M left out", "spectral norm", "not normalised", "labels forgotten")
    },
    "`y @ K @ y` is the dot product. Divide by both lengths, M and that of K.",
    called="cosine_with_labels",
)

GAPS = [GAP_SUBSETS, GAP_ALIGNMENT]
