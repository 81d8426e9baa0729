r"""Kernels on sets, strings, documents and graphs (S, "Kernels for different types of data").

A set has no coordinates, and neither has a word or a molecule. But their parts can be counted: elements, substrings,
words, small subgraphs. The dot product of two such lists of counts is a kernel, and so any machine that needs nothing
but a kernel matrix can learn from them:

>>> words, y = ["banana", "bandana", "cabana", "kiwi", "kiwano", "kiwis"], [1, 1, 1, -1, -1, -1]
>>> from mcmteach import MCMClassifier
>>> machine = MCMClassifier(kernel="precomputed").fit(gram_matrix(spectrum_kernel, words, p=2), y)
>>> machine.predict(gram_matrix(spectrum_kernel, ["ananas", "wiki"], words, p=2)).tolist()
[1, -1]
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations
from math import comb
from typing import Any, TypeAlias

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from mcmteach.errors import InvalidInputError, InvalidTypeError
from mcmteach.validation import FloatArray, as_matrix, as_vector, dense, not_negative, whole

Counts: TypeAlias = Mapping[Hashable, float]  #: how often each feature occurs in a thing
Multiset: TypeAlias = Iterable[Hashable] | Mapping[Any, int]  #: a collection, or the number of copies of each element
Graph: TypeAlias = Any  #: a networkx graph, or an adjacency matrix, dense or sparse

# --- sets and multisets ----------------------------------------------------------------------------------------------


def set_kernel(A: Multiset, B: Multiset) -> float:
    r"""\(K(A, B) = 2^{|A \cap B|}\): the number of subsets that A and B have in common, the empty one included.

    Parameters
    ----------
    A, B : collections of hashable elements; repetitions count once. A mapping (such as a Counter) is read as a multiset,
        see :func:`multiset_kernel`

    Examples
    --------
    >>> set_kernel({"A", "B", "C", "D"}, {"B", "C", "D", "E"})
    8.0
    >>> set_kernel(set(), {"B", "C"})
    1.0

    Notes
    -----
    The feature space has one coordinate per subset of V: 1 if A contains it. The values soon differ by factors of
    thousands; ``gram_matrix(..., normalise=True)`` evens them out. More than 1023 common elements overflow, and are
    refused.

    Source: S, "Kernels on sets and multi-sets".
    """
    return float(_two_to_the(_dot(_elements(A), _elements(B))))


def multiset_kernel(A: Multiset, B: Multiset) -> float:
    r"""\(K(A, B) = 2^{\sum_v \min(a_v, b_v)}\), where v occurs \(a_v\) times in A and \(b_v\) times in B.

    It is the set kernel once the copies of an element are numbered: {a, a} becomes {a1, a2}. So it is a kernel, and on
    multisets without repetition it is :func:`set_kernel`.

    Parameters
    ----------
    A, B : collections whose repetitions count, or mappings from element to its number of copies

    Examples
    --------
    >>> multiset_kernel(["a", "a", "b"], ["a", "a", "a", "c"])
    4.0
    >>> multiset_kernel({"a": 2, "b": 1}, ["b"])
    2.0

    Source: S, "Kernels on sets and multi-sets", its exercise.
    """
    return float(_two_to_the(_dot(_copies(A), _copies(B))))


def _elements(A: Multiset) -> Counts:
    return _copies(A if isinstance(A, Mapping) else _hashable(A, set))


def _copies(A: Multiset) -> Counts:
    """The numbered copies of each element of a multiset."""
    multiset = {v: whole(n, f"the number of copies of {v!r}", 0) for v, n in _hashable(A, Counter).items()}
    # 1024 common copies overflow a float already, so more of them need not be written down
    return {(v, i): 1 for v, n in multiset.items() for i in range(min(n, 1024))}


def _hashable(A: Any, kind: Callable[[Any], Any]) -> Any:
    if not isinstance(A, Iterable):
        raise InvalidTypeError(f"A set, list or other collection of elements is needed, and this is {A!r}.")
    try:
        return kind(A)
    except TypeError as problem:
        raise InvalidTypeError(
            f"The elements of a set must be hashable ({problem}). Use strings, numbers or tuples."
        ) from None


def _two_to_the(n: Any) -> Any:
    if np.max(n) > 1023:
        raise InvalidInputError(
            f"2^{int(np.max(n))} is beyond the largest floating point number: these sets share too many elements. "
            "Split them into parts and multiply or add the kernels of the parts."
        )
    return np.exp2(n)


# --- strings and documents -------------------------------------------------------------------------------------------


def spectrum(s: Sequence[Any], p: int = 3) -> Counter[Hashable]:
    """How often each contiguous substring of length p occurs in s, overlaps included.

    Examples
    --------
    >>> dict(spectrum("banana", 3))
    {'ban': 1, 'ana': 2, 'nan': 1}

    Source: S, "String kernel".
    """
    p = whole(p, "p", 1)
    if not isinstance(s, str | bytes | list | tuple):
        raise InvalidTypeError(f"A string (or a list of tokens) is needed, and this is a {type(s).__name__}.")
    s = tuple(s) if isinstance(s, list) else s
    return _hashable((s[i : i + p] for i in range(len(s) - p + 1)), Counter)


def spectrum_kernel(s: Sequence[Any], t: Sequence[Any], p: int = 3) -> float:
    r"""\(K(s, t) = \sum_{u \in \Sigma^p} \#_u(s)\, \#_u(t)\): the dot product of the p-spectra.

    Parameters
    ----------
    s, t : strings, or lists of tokens (words, notes, codons)
    p : length of the substrings, >= 1. A string shorter than p, the empty one too, has no substrings of length p:
        its spectrum is zero, and so is its kernel with every string, itself included

    Examples
    --------
    >>> spectrum_kernel("statistics", "computation", p=3)
    2.0
    >>> spectrum_kernel("", "computation", p=3), spectrum_kernel("to", "to", p=3)
    (0.0, 0.0)

    Source: S, "String kernel (p-spectrum kernel)"; its example shares tat and ati.
    """
    return _dot(spectrum(s, p), spectrum(t, p))


def word_counts(text: str) -> Counter[Hashable]:
    """The bag of words: how often each word occurs. Case and punctuation do not count.

    Examples
    --------
    >>> dict(word_counts("The cat, the dog."))
    {'the': 2, 'cat': 1, 'dog': 1}
    """
    if not isinstance(text, str):
        raise InvalidTypeError(f"A document is a string, and this is a {type(text).__name__}.")
    return Counter(re.findall(r"\w+", text.casefold()))


def document_kernel(s: str, t: str) -> float:
    r"""\(K(s, t) = \sum_{\text{words } v} \#_v(s)\, \#_v(t)\): the dot product of two bags of words.

    A document without words has kernel 0 with every other. Long documents get large values;
    ``gram_matrix(document_kernel, texts, normalise=True)`` gives the cosine between the bags instead.

    Examples
    --------
    >>> document_kernel("The cat saw the dog.", "The dog slept.")
    3.0

    Source: S, "Kernels for different types of data" (documents).
    """
    return _dot(word_counts(s), word_counts(t))


# --- graphs ----------------------------------------------------------------------------------------------------------

# Every graph of k nodes up to isomorphism, sorted by its number of edges. Their degrees tell them apart.
GRAPHLETS: dict[int, dict[str, tuple[tuple[int, int], ...]]] = {
    3: {
        "empty": (),
        "edge": ((0, 1),),
        "wedge": ((0, 1), (1, 2)),
        "triangle": ((0, 1), (1, 2), (0, 2)),
    },
    4: {
        "empty": (),
        "edge": ((0, 1),),
        "two edges": ((0, 1), (2, 3)),
        "wedge": ((0, 1), (1, 2)),
        "triangle": ((0, 1), (1, 2), (0, 2)),
        "claw": ((0, 1), (0, 2), (0, 3)),
        "path": ((0, 1), (1, 2), (2, 3)),
        "cycle": ((0, 1), (1, 2), (2, 3), (0, 3)),
        "paw": ((0, 1), (1, 2), (0, 2), (0, 3)),
        "diamond": ((0, 1), (1, 2), (2, 3), (0, 3), (0, 2)),
        "complete": ((0, 1), (1, 2), (2, 3), (0, 3), (0, 2), (1, 3)),
    },
}


def diffusion_kernel(G: Graph, beta: float = 1.0) -> FloatArray:
    r"""\(K = e^{-\beta L}\) with the Laplacian \(L = D - A\): heat that starts in node i and is in j at time beta.

    This is a kernel between the nodes of one graph, so it gives the whole matrix at once. To learn from some nodes and
    predict the others, take ``K[train][:, train]`` and ``K[test][:, train]``.

    Parameters
    ----------
    G : a networkx graph (its edges count 1 each) or a symmetric adjacency matrix, whose entries may be weights >= 0
    beta : the time, >= 0. At 0 the matrix is the identity; for long times all nodes of a component become alike

    Returns
    -------
    K : array of shape (n_nodes, n_nodes), rows in the order of the nodes

    Examples
    --------
    >>> diffusion_kernel([[0, 1], [1, 0]], beta=1.0).round(4)
    array([[0.5677, 0.4323],
           [0.4323, 0.5677]])

    Source: named in S, "Kernels for different types of data"; the formula is Kondor and Lafferty's (2002).
    """
    A = _adjacency(G)
    if len(A) == 0:
        raise InvalidInputError("The graph has no nodes, so there is nothing to compare.")
    if (A < 0).any():
        raise InvalidInputError(
            "An edge has a negative weight, for which the heat kernel is not defined. Use weights >= 0."
        )
    K = scipy.linalg.expm(-not_negative(beta, "beta") * (np.diag(A.sum(axis=0)) - A))
    return (K + K.T) / 2  # symmetric to the last bit


def graphlet_counts(G: Graph, k: int = 4) -> NDArray[np.int64]:
    r"""How many of the \(\binom{n}{k}\) sets of k nodes induce each graphlet, exactly.

    Parameters
    ----------
    G : an undirected networkx graph (parallel edges count once) or a symmetric 0/1 adjacency matrix, without loops
    k : 3 or 4

    Returns
    -------
    counts : integer array of shape (4,) or (11,), in the order of ``GRAPHLETS[k]``; zeros if G has fewer than k nodes

    Examples
    --------
    >>> square_with_tail = [[0, 1, 0, 1, 0], [1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [1, 0, 1, 0, 1], [0, 0, 0, 1, 0]]
    >>> {name: int(n) for name, n in zip(GRAPHLETS[4], graphlet_counts(square_with_tail)) if n}
    {'wedge': 1, 'claw': 1, 'path': 2, 'cycle': 1}

    Notes
    -----
    No set of nodes is listed. Degrees, triangles and common neighbours give the number \(N_i\) of copies of graphlet i
    whose other pairs may or may not be edges. A set that induces j holds \(m_{ij}\) copies of i, so
    \(N_i = \sum_j m_{ij} I_j\): a triangular system for the induced counts I. A graph of 300 nodes takes a second or
    so at worst, and far less if it is sparse.

    Source: S, "Graphlet kernel for graphs".
    """
    k, A = _graphlet_size(k), _adjacency(G)
    if not np.isin(A, (0.0, 1.0)).all():
        raise InvalidInputError("Graphlets need an adjacency matrix of 0 and 1. For a weighted graph use A > 0.")
    if A.diagonal().any():
        raise InvalidInputError("The graph has loops, and graphlets have none. Set the diagonal to 0 first.")
    if len(A) < k:
        return np.zeros(len(GRAPHLETS[k]), dtype=np.int64)
    N = _copies_of_3(A) if k == 3 else _copies_of_4(A)
    return _induced_from_copies(k) @ np.array([round(N[name]) for name in GRAPHLETS[k]], dtype=np.int64)


def normalise_histogram(counts: ArrayLike) -> FloatArray:
    """The counts divided by their sum; all zero where nothing was counted.

    Examples
    --------
    >>> normalise_histogram([15, 17, 1, 85, 9, 4, 3, 5, 7, 2, 99]).round(2).tolist()
    [0.06, 0.07, 0.0, 0.34, 0.04, 0.02, 0.01, 0.02, 0.03, 0.01, 0.4]

    Source: S, "Graphlet kernel for graphs": its own numbers.
    """
    counts = as_vector(counts, "counts")
    if (counts < 0).any():
        raise InvalidInputError("A histogram counts, and a count is never negative.")
    return counts / (counts.sum() or 1.0)


def graphlet_histogram(G: Graph, k: int = 4) -> FloatArray:
    """The share of each graphlet among all sets of k nodes, in the order of ``GRAPHLETS[k]``.

    Examples
    --------
    >>> graphlet_histogram([[0, 1, 1], [1, 0, 1], [1, 1, 0]], k=3).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    return normalise_histogram(graphlet_counts(G, k))


def graphlet_kernel(G: Graph, H: Graph, k: int = 4) -> float:
    r"""\(K(G, H) = \cos\theta(D_G, D_H)\), the angle between the graphlet histograms of two graphs: between 0 and 1.

    Parameters
    ----------
    G, H : undirected networkx graphs or symmetric 0/1 adjacency matrices, of any two sizes
    k : 3 or 4. A graph with fewer than k nodes holds no graphlet: its histogram is zero, and so is its kernel with
        every graph, itself included

    Examples
    --------
    >>> triangle, wedge = [[0, 1, 1], [1, 0, 1], [1, 1, 0]], [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    >>> graphlet_kernel(triangle, triangle, k=3), graphlet_kernel(triangle, wedge, k=3)
    (1.0, 0.0)
    >>> graphlet_kernel(triangle, triangle, k=4)
    0.0

    Source: S, "Graphlet kernel for graphs".
    """
    return float(_at_most_one(_dot(_direction(G, k), _direction(H, k))))


def _direction(G: Graph, k: int = 4) -> Counts:
    """The graphlet histogram, scaled to length 1 so that dot products are cosines."""
    D = graphlet_histogram(G, k)
    return dict(enumerate(D / (np.linalg.norm(D) or 1.0)))


def _at_most_one(cosine: Any) -> Any:
    return np.minimum(cosine, 1.0)  # rounding may exceed 1 by a little


def _copies_of_3(A: FloatArray) -> dict[str, float]:
    n, d = len(A), A.sum(axis=0)
    return {
        "empty": comb(n, 3),
        "edge": d.sum() / 2 * (n - 2),
        "wedge": _choose_2(d).sum(),
        "triangle": ((A @ A) * A).sum() / 6,
    }


def _copies_of_4(A: FloatArray) -> dict[str, float]:
    """Copies with at least the graphlet's edges; sums of whole numbers below 2^53, so exact for all that fits in memory."""
    n, d, common = len(A), A.sum(axis=0), A @ A
    on_edge = common * A  # triangles on each edge
    edges, wedges, triangles = d.sum() / 2, _choose_2(d).sum(), on_edge.sum() / 6
    return {
        "empty": comb(n, 4),
        "edge": edges * comb(n - 2, 2),
        "two edges": _choose_2(edges) - wedges,  # any two edges without a common end
        "wedge": wedges * (n - 3),
        "triangle": triangles * (n - 3),
        "claw": (d * (d - 1) * (d - 2)).sum() / 6,
        "path": (d - 1) @ A @ (d - 1) / 2 - 3 * triangles,  # an edge, prolonged at both ends to different nodes
        "cycle": (_choose_2(common).sum() - wedges) / 4,  # two common neighbours; the diagonal of A @ A holds degrees
        "paw": on_edge.sum(axis=0) / 2 @ (d - 2),
        "diamond": _choose_2(on_edge).sum() / 2,
        "complete": _count_complete_4(A),
    }


def _count_complete_4(A: FloatArray) -> float:
    """Each complete graphlet once: a node and a triangle among those of its neighbours that come later."""
    order = np.argsort(A.sum(axis=0), kind="stable")  # small degrees first: few later neighbours for all
    A = A[np.ix_(order, order)]
    total = 0.0
    for u in range(len(A)):
        later = u + 1 + np.flatnonzero(A[u, u + 1 :])
        among = A[np.ix_(later, later)]
        total += ((among @ among) * among).sum() / 6
    return total


def _choose_2(x: Any) -> Any:
    return x * (x - 1) / 2


@cache
def _induced_from_copies(k: int) -> NDArray[np.int64]:
    """The inverse of m, where m[i, j] is the number of copies of graphlet i inside graphlet j."""
    graphs = list(GRAPHLETS[k].values())
    index = {_degrees(edges, k): i for i, edges in enumerate(graphs)}
    m = np.zeros((len(graphs), len(graphs)))
    for j, edges in enumerate(graphs):
        for size in range(len(edges) + 1):
            for part in combinations(edges, size):
                m[index[_degrees(part, k)], j] += 1
    return np.rint(np.linalg.inv(m)).astype(np.int64)  # m is triangular with ones on its diagonal


def _degrees(edges: Iterable[tuple[int, int]], k: int) -> tuple[int, ...]:
    ends = [end for edge in edges for end in edge]
    return tuple(sorted(ends.count(node) for node in range(k)))


def _graphlet_size(k: Any) -> int:
    if whole(k, "k", 3) > 4:
        raise InvalidInputError(f"Graphlets are counted for k = 3 and k = 4, and k is {k}.")
    return int(k)


def _adjacency(G: Graph) -> FloatArray:
    """The symmetric adjacency matrix of a networkx graph or of a matrix, dense or sparse."""
    if all(hasattr(G, name) for name in ("nodes", "edges", "is_directed")):
        return _adjacency_of_networkx(G)
    if getattr(G, "shape", None) == (0, 0):
        return np.zeros((0, 0))
    A = as_matrix(dense(G), "the adjacency matrix")
    if A.shape[0] != A.shape[1]:
        raise InvalidInputError(f"An adjacency matrix is square, and this one has shape {A.shape}.")
    if (A != A.T).any():
        raise InvalidInputError("The adjacency matrix is not symmetric. For a directed graph use np.maximum(A, A.T).")
    return A


def _adjacency_of_networkx(G: Graph) -> FloatArray:
    if G.is_directed():
        raise InvalidInputError("The graph is directed. Use G.to_undirected() first.")
    index = {node: i for i, node in enumerate(G.nodes())}
    A = np.zeros((len(index), len(index)))
    for u, v in G.edges():
        A[index[u], index[v]] = A[index[v], index[u]] = 1.0
    return A


# --- the kernel matrix -----------------------------------------------------------------------------------------------

# Kernel -> what it counts in one item, and the function that turns the dot product of two lists of counts into its value.
_COUNTED: dict[Any, tuple[Callable[..., Counts], Callable[[Any], Any]]] = {
    set_kernel: (_elements, _two_to_the),
    multiset_kernel: (_copies, _two_to_the),
    spectrum_kernel: (spectrum, np.asarray),
    document_kernel: (word_counts, np.asarray),
    graphlet_kernel: (_direction, _at_most_one),
}


def gram_matrix(
    kernel: Callable[..., float],
    items: Iterable[Any],
    others: Iterable[Any] | None = None,
    *,
    normalise: bool = False,
    **params: Any,
) -> FloatArray:
    r"""\(K_{ij} = k(a_i, b_j)\) for things that are not vectors, as ``kernel="precomputed"`` wants it.

    Fit a machine with ``gram_matrix(k, train)`` and ask it about ``gram_matrix(k, test, train)``.

    Parameters
    ----------
    kernel : a kernel of this module, or any function k(a, b) that gives a number. This module's kernels count the
        features of each thing once, not once per pair
    items : list of the things a_i, one per row
    others : list of the things b_j, one per column; the items themselves where it is left out
    normalise : whether to give \(k(a, b) / \sqrt{k(a, a)\, k(b, b)}\), the cosine in feature space, which is 0 where
        k(a, a) = 0. Then long strings and large sets count no more than short and small ones
    params : passed on to the kernel, such as ``p=3``

    Returns
    -------
    K : float array of shape (n_items, n_others)

    Examples
    --------
    >>> gram_matrix(spectrum_kernel, ["banana", "ananas", "kiwi"], p=2)
    array([[9., 8., 0.],
           [8., 9., 0.],
           [0., 0., 3.]])
    >>> gram_matrix(lambda a, b: min(a, b), [1, 2], [3, 4])
    array([[1., 1.],
           [2., 2.]])

    Source: S, "The kernel matrix".
    """
    if not callable(kernel):
        raise InvalidTypeError(f"kernel must be a function k(a, b), such as spectrum_kernel; got {kernel!r}.")
    rows = _as_list(items, "items")
    columns = rows if others is None else _as_list(others, "others")
    K = (_gram_of_counts if kernel in _COUNTED else _gram_of_pairs)(kernel, rows, columns, params)
    if normalise:
        lengths = [_lengths(kernel, things, params) for things in (rows, columns)]
        K = K / lengths[0][:, None] / lengths[1][None, :]
    return as_matrix(K, "the kernel matrix")


def _gram_of_counts(kernel: Any, rows: list, columns: list, params: dict) -> FloatArray:
    count, of_dot = _COUNTED[kernel]
    F = _count_matrix([count(thing, **params) for thing in (rows if columns is rows else rows + columns)])
    return of_dot((F[: len(rows)] @ F[-len(columns) :].T).toarray())


def _gram_of_pairs(kernel: Any, rows: list, columns: list, params: dict) -> FloatArray:
    K = np.array([[kernel(a, b, **params) for b in columns] for a in rows])
    if K.ndim != 2:
        raise InvalidInputError(
            f"The kernel must give one number per pair of things, and it gave arrays of shape {K.shape[2:]}."
        )
    return K


def _lengths(kernel: Any, things: list, params: dict) -> FloatArray:
    """The length of each thing in feature space; inf for the zero vector, which is similar to nothing."""
    squares = np.array([kernel(thing, thing, **params) for thing in things], dtype=float)
    if (squares < 0).any():
        raise InvalidInputError("k(a, a) is negative for one of the things, so k is not a kernel: it has no lengths.")
    return np.sqrt(np.where(squares > 0, squares, np.inf))


def _count_matrix(counts: list[Counts]) -> Any:
    """One row per thing, one column per feature that occurs in any of them."""
    column: dict[Hashable, int] = {}
    j = [column.setdefault(feature, len(column)) for count in counts for feature in count]
    i = np.repeat(np.arange(len(counts)), [len(count) for count in counts])
    values = [float(n) for count in counts for n in count.values()]
    return sp.csr_array((values, (i, j)), shape=(len(counts), max(1, len(column))))


def _as_list(things: Any, name: str) -> list:
    if isinstance(things, str | bytes) or not isinstance(things, Iterable):
        raise InvalidTypeError(f"{name} must be a list of things to compare; got {things!r}.")
    things = list(things)
    if not things:
        raise InvalidInputError(f"{name} is empty, but at least one thing is needed.")
    return things


def _dot(a: Counts, b: Counts) -> float:
    return float(sum(n * b[feature] for feature, n in a.items() if feature in b))
