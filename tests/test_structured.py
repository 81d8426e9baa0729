"""Kernels on sets, strings, documents and graphs: against brute force, scikit-learn and cases solved by hand."""

from collections import Counter
from itertools import chain, combinations, permutations
from math import comb

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

import mcmteach.structured as structured
from mcmteach import MCMClassifier, gram_matrix, graphlet_kernel, is_mercer, set_kernel, spectrum_kernel
from mcmteach.errors import InvalidInputError, InvalidTypeError, NotMercerWarning
from mcmteach.structured import (
    GRAPHLETS,
    diffusion_kernel,
    document_kernel,
    graphlet_counts,
    graphlet_histogram,
    multiset_kernel,
    normalise_histogram,
    spectrum,
    word_counts,
)

quick = settings(deadline=None, max_examples=40)
letters = st.text("abc", max_size=12)
texts = st.text("ab cd,.", max_size=30)
small_sets = st.sets(st.integers(0, 7))
multisets = st.lists(st.sampled_from("abcd"), max_size=8)


@st.composite
def graphs(draw, max_nodes=8):
    """The adjacency matrix of any graph of at most max_nodes nodes."""
    n = draw(st.integers(0, max_nodes))
    A = np.zeros((n, n))
    pairs = comb(n, 2)
    A[np.triu_indices(n, 1)] = draw(st.lists(st.integers(0, 1), min_size=pairs, max_size=pairs))
    return A + A.T


class LikeNetworkx:
    """What of a networkx graph is used, so that the tests need no networkx."""

    def __init__(self, nodes, edges, directed=False):
        self._nodes, self._edges, self._directed = nodes, edges, directed

    def nodes(self):
        return self._nodes

    def edges(self):
        return self._edges

    def is_directed(self):
        return self._directed


def adjacency(n, edges):
    A = np.zeros((n, n))
    for u, v in edges:
        A[u, v] = A[v, u] = 1
    return A


def ring(n):
    return adjacency(n, [(i, (i + 1) % n) for i in range(n)])


def star(leaves):
    return adjacency(leaves + 1, [(0, i + 1) for i in range(leaves)])


def complete(n):
    return np.ones((n, n)) - np.eye(n)


# --- sets and multisets ----------------------------------------------------------------------------------------------


def subsets(A):
    return {frozenset(part) for part in chain.from_iterable(combinations(A, r) for r in range(len(A) + 1))}


def test_set_kernel_on_the_slides_example():
    value = set_kernel({"A", "B", "C", "D"}, {"B", "C", "D", "E"})
    assert value == 8.0 and isinstance(value, float)


@quick
@given(small_sets, small_sets)
def test_set_kernel_counts_the_common_subsets(A, B):
    assert set_kernel(A, B) == len(subsets(A) & subsets(B))


def test_set_kernel_takes_any_collection_and_the_empty_one():
    assert set_kernel("ABCD", ["B", "C", "C", "D", "E"]) == 8.0
    assert set_kernel((), {1}) == set_kernel(set(), set()) == 1.0


@quick
@given(multisets, multisets)
def test_multiset_kernel_is_two_to_the_size_of_the_intersection(A, B):
    # Counter's own & keeps the smaller number of copies
    expected = 2.0 ** sum((Counter(A) & Counter(B)).values())
    assert multiset_kernel(A, B) == multiset_kernel(Counter(A), B) == expected
    assert set_kernel(Counter(A), Counter(B)) == expected  # a Counter says that copies count
    assert multiset_kernel(set(A), set(B)) == set_kernel(A, B)


def test_sets_with_too_much_in_common_are_refused_not_infinite():
    assert set_kernel(range(1023), range(2000)) == 2.0**1023
    with pytest.raises(InvalidInputError, match="share too many elements"):
        set_kernel(range(1024), range(1024))
    with pytest.raises(InvalidInputError, match="share too many elements"):
        multiset_kernel({"a": 10**12}, {"a": 10**12})
    assert multiset_kernel({"a": 10**12}, {"a": 3}) == 8.0


@pytest.mark.parametrize("kernel", [set_kernel, multiset_kernel])
@pytest.mark.parametrize("bad", [3, None, [["a"]], [{1}]])
def test_what_is_no_set_is_refused(kernel, bad):
    with pytest.raises(InvalidTypeError):
        kernel(bad, {"a"})


@pytest.mark.parametrize("bad", [{"a": -1}, {"a": 0.5}, {"a": True}])
def test_copies_are_whole_numbers(bad):
    with pytest.raises(InvalidInputError, match="number of copies of 'a'"):
        multiset_kernel({"a": 1}, bad)


# --- strings and documents -------------------------------------------------------------------------------------------


def test_spectrum_kernel_on_the_slides_example():
    value = spectrum_kernel("statistics", "computation", 3)
    assert value == 2.0 and isinstance(value, float)
    assert set(spectrum("statistics", 3)) & set(spectrum("computation", 3)) == {"tat", "ati"}


@quick
@given(letters, letters, st.integers(1, 5))
def test_spectrum_kernel_agrees_with_scikit_learn(s, t, p):
    if len(s) < p or len(t) < p:
        assert spectrum_kernel(s, t, p) == 0.0
        return
    F = CountVectorizer(analyzer="char", ngram_range=(p, p), lowercase=False).fit_transform([s, t])
    assert spectrum_kernel(s, t, p) == (F @ F.T)[0, 1]


@pytest.mark.parametrize("s", ["", "t", "to"])
def test_a_string_shorter_than_p_has_kernel_zero_with_all(s):
    assert spectrum(s, 3) == {}
    assert spectrum_kernel(s, s, 3) == spectrum_kernel(s, "tot", 3) == 0.0
    assert spectrum_kernel("tot", "tot", 3) == 1.0


def test_spectrum_counts_overlaps_and_takes_tokens():
    assert spectrum_kernel("aaaa", "aaa", 2) == 3 * 2
    assert spectrum_kernel(["do", "re", "mi", "do", "re"], ("do", "re"), 2) == 2.0
    assert spectrum_kernel(b"GATTACA", b"TTA", 2) == 2.0


@pytest.mark.parametrize("p", [0, -1, 1.5, "3", True])
def test_p_must_be_a_whole_number(p):
    with pytest.raises(InvalidInputError, match="p must be a whole number >= 1"):
        spectrum_kernel("ab", "ab", p)


@pytest.mark.parametrize("bad", [3, None, {"a"}, [["a"]]])
def test_what_is_no_string_is_refused(bad):
    with pytest.raises(InvalidTypeError):
        spectrum_kernel("ab", bad, 1)


@quick
@given(texts, texts)
def test_document_kernel_agrees_with_scikit_learn(s, t):
    F = CountVectorizer(token_pattern=r"\w+").fit_transform([s, t, "word"])
    assert document_kernel(s, t) == (F @ F.T)[0, 1]


def test_document_kernel_by_hand():
    assert word_counts("The CAT, the dog!") == {"the": 2, "cat": 1, "dog": 1}
    assert document_kernel("The cat, the dog!", "the the the") == 6.0
    assert document_kernel("", "the cat") == document_kernel("?!", "?!") == 0.0
    with pytest.raises(InvalidTypeError, match="A document is a string"):
        document_kernel("the cat", ["the", "cat"])


# --- the diffusion kernel --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 5])
def test_diffusion_on_a_complete_graph_has_its_closed_form(n):
    # L = nI - 11', so exp(-beta L) = e^{-n beta} I + (1 - e^{-n beta}) 11'/n
    beta = 0.3
    decay = np.exp(-n * beta)
    expected = decay * np.eye(n) + (1 - decay) / n
    np.testing.assert_allclose(diffusion_kernel(complete(n), beta), expected, atol=1e-14)


@quick
@given(graphs().filter(len), st.floats(0, 20))
def test_diffusion_agrees_with_the_eigenvectors_and_keeps_the_heat(A, beta):
    K = diffusion_kernel(A, beta)
    w, V = np.linalg.eigh(np.diag(A.sum(axis=0)) - A)
    np.testing.assert_allclose(K, (V * np.exp(-beta * w)) @ V.T, atol=1e-10)
    np.testing.assert_allclose(K.sum(axis=0), 1, atol=1e-10)
    assert is_mercer(K) and (K == K.T).all()


def test_diffusion_limits_weights_and_components():
    two_edges = adjacency(4, [(0, 1), (2, 3)])
    assert (diffusion_kernel(two_edges, 0) == np.eye(4)).all()
    np.testing.assert_allclose(diffusion_kernel(two_edges, 50), np.kron(np.eye(2), np.full((2, 2), 0.5)), atol=1e-12)
    np.testing.assert_allclose(diffusion_kernel(3 * two_edges, 0.1), diffusion_kernel(two_edges, 0.3), atol=1e-14)


@pytest.mark.parametrize(
    ("G", "beta", "message"),
    [
        (-ring(4), 1.0, "negative weight"),
        (ring(4), -1.0, "beta must be"),
        (np.zeros((0, 0)), 1.0, "no nodes"),
        (np.ones((2, 3)), 1.0, "square"),
        (np.triu(ring(4)), 1.0, "not symmetric"),
        ([[0, np.nan], [np.nan, 0]], 1.0, "NaN"),
    ],
)
def test_diffusion_refuses(G, beta, message):
    with pytest.raises(InvalidInputError, match=message):
        diffusion_kernel(G, beta)


# --- graphlets -------------------------------------------------------------------------------------------------------


def canonical(A):
    """The smallest adjacency matrix over all renamings: equal for two graphs exactly if they are isomorphic."""
    return min(tuple(A[np.ix_(order, order)].ravel()) for order in permutations(range(len(A))))


GRAPHLET_INDEX = {
    k: {canonical(adjacency(k, edges)): i for i, edges in enumerate(GRAPHLETS[k].values())} for k in (3, 4)
}


def brute_force_counts(A, k):
    counts = np.zeros(len(GRAPHLETS[k]), dtype=int)
    for nodes in combinations(range(len(A)), k):
        counts[GRAPHLET_INDEX[k][canonical(A[np.ix_(nodes, nodes)])]] += 1
    return counts


@pytest.mark.parametrize(("k", "number"), [(3, 4), (4, 11)])
def test_graphlets_are_all_graphs_of_k_nodes_each_once(k, number):
    pairs = list(combinations(range(k), 2))
    every = {canonical(adjacency(k, edges)) for r in range(len(pairs) + 1) for edges in combinations(pairs, r)}
    assert set(GRAPHLET_INDEX[k]) == every
    assert len(GRAPHLETS[k]) == len(every) == number


@settings(deadline=None, max_examples=50)
@given(graphs(), st.sampled_from([3, 4]))
def test_graphlet_counts_agree_with_brute_force(A, k):
    counts = graphlet_counts(A, k)
    assert counts.dtype.kind == "i"
    assert counts.tolist() == brute_force_counts(A, k).tolist()


def test_graphlet_counts_agree_with_brute_force_on_graphs_with_everything():
    rng = np.random.default_rng(0)
    seen = np.zeros(11, dtype=int)
    for density in (0.2, 0.5, 0.8):
        A = np.triu(rng.random((13, 13)) < density, 1).astype(float)
        A += A.T
        counts = graphlet_counts(A)
        assert counts.tolist() == brute_force_counts(A, 4).tolist()
        seen += counts
    assert (seen > 0).all()


def test_graphlet_counts_by_hand():
    n = 12
    on_ring = dict(zip(GRAPHLETS[4], graphlet_counts(ring(n)).tolist(), strict=True))
    # n stretches of 4; n stretches of 3 and a node away from it; pairs of edges apart, each with a node between
    assert on_ring["path"] == n and on_ring["wedge"] == n * (n - 5) and on_ring["two edges"] == n * (n - 5) // 2
    assert on_ring["claw"] == on_ring["cycle"] == on_ring["triangle"] == 0
    assert graphlet_counts(ring(4)).tolist() == [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    on_star = dict(zip(GRAPHLETS[4], graphlet_counts(star(9)).tolist(), strict=True))
    assert on_star["claw"] == comb(9, 3) and on_star["empty"] == comb(9, 4)
    assert graphlet_counts(complete(5), 3).tolist() == [0, 0, 0, 10]


@pytest.mark.parametrize(("n", "density"), [(300, 0.05), (150, 0.5)])
def test_large_graphs_are_counted_exactly(n, density):
    A = np.triu(np.random.default_rng(1).random((n, n)) < density, 1).astype(float)
    A += A.T
    counts, of_complement = graphlet_counts(A), graphlet_counts(complete(n) - A)
    assert counts.sum() == comb(n, 4)
    # a set of nodes induces a graphlet in A exactly if it induces the complement of that graphlet in A's complement
    partner = [GRAPHLET_INDEX[4][canonical(complete(4) - adjacency(4, edges))] for edges in GRAPHLETS[4].values()]
    assert counts.tolist() == of_complement[partner].tolist()
    assert counts[GRAPHLET_INDEX[4][canonical(complete(4))]] == _complete_subgraphs(A)


def _complete_subgraphs(A):
    neighbours = [set(np.flatnonzero(row)) for row in A]
    edges = np.argwhere(np.triu(A))
    return sum(
        len({w for w in neighbours[u] & neighbours[v] & neighbours[x] if w > x})
        for u, v in edges.tolist()
        for x in neighbours[u] & neighbours[v]
        if x > v
    )


def test_histogram_is_normalised_as_on_the_slide():
    printed = [0.06, 0.07, 0, 0.34, 0.04, 0.02, 0.01, 0.02, 0.03, 0.01, 0.40]
    assert normalise_histogram([15, 17, 1, 85, 9, 4, 3, 5, 7, 2, 99]).round(2).tolist() == printed
    assert normalise_histogram([0, 0]).tolist() == [0, 0]
    with pytest.raises(InvalidInputError, match="never negative"):
        normalise_histogram([1, -1])


@quick
@given(graphs(), graphs(), st.sampled_from([3, 4]), st.randoms())
def test_graphlet_kernel_is_the_cosine_whatever_the_nodes_are_called(A, B, k, random):
    value = graphlet_kernel(A, B, k)
    assert isinstance(value, float) and 0 <= value <= 1
    if min(len(A), len(B)) < k:
        assert value == 0.0
        return
    D, E = brute_force_counts(A, k), brute_force_counts(B, k)
    assert value == pytest.approx(D @ E / np.sqrt(D @ D) / np.sqrt(E @ E))
    order = random.sample(range(len(A)), len(A))
    assert graphlet_kernel(A[np.ix_(order, order)], B, k) == pytest.approx(value)
    assert graphlet_kernel(A, A, k) == pytest.approx(1.0)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_graphs_with_fewer_than_k_nodes_have_kernel_zero_with_all(n):
    tiny = complete(n)
    assert graphlet_counts(tiny).tolist() == [0] * 11 and graphlet_histogram(tiny).tolist() == [0.0] * 11
    assert graphlet_kernel(tiny, tiny) == graphlet_kernel(tiny, ring(6)) == 0.0


def test_graphs_may_be_networkx_like_sparse_or_lists():
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "c")]
    paw = LikeNetworkx(["d", "a", "b", "c"], edges)
    expected = graphlet_counts(adjacency(4, [(0, 1), (1, 2), (2, 0), (2, 3)])).tolist()
    assert graphlet_counts(paw).tolist() == expected
    assert graphlet_counts(sp.csr_array(ring(6))).tolist() == graphlet_counts(ring(6).tolist()).tolist()
    np.testing.assert_allclose(
        diffusion_kernel(paw), diffusion_kernel([[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 0, 1], [1] * 3 + [0]])
    )
    with pytest.raises(InvalidInputError, match="directed"):
        graphlet_counts(LikeNetworkx([0, 1], [(0, 1)], directed=True))


def test_true_networkx_graphs():
    nx = pytest.importorskip("networkx", reason="the stand-in above is tested in any case")
    club = nx.karate_club_graph()
    assert graphlet_counts(club).tolist() == graphlet_counts(nx.to_numpy_array(club, weight=None)).tolist()
    assert graphlet_counts(club, 3)[3] == sum(nx.triangles(club).values()) // 3
    assert graphlet_counts(nx.MultiGraph([(0, 1), (0, 1), (1, 2)]), 3).tolist() == [0, 0, 1, 0]
    assert graphlet_kernel(nx.Graph(), club) == 0.0


@pytest.mark.parametrize(
    ("G", "k", "message"),
    [
        (2 * ring(4), 4, "0 and 1"),
        (ring(4) + np.eye(4), 4, "loops"),
        (np.triu(ring(4)), 4, "not symmetric"),
        (np.ones((2, 3)), 4, "square"),
        (ring(4), 5, "k = 3 and k = 4"),
        (ring(4), 2, "k must be"),
        (ring(4), 3.5, "k must be"),
        ([[0, 1], [1]], 4, "not made of numbers"),
        ("ab", 4, "not made of numbers"),
        (None, 4, "adjacency matrix"),
    ],
)
def test_graphlets_refuse(G, k, message):
    with pytest.raises(InvalidInputError, match=message):
        graphlet_counts(G, k)


# --- the kernel matrix -----------------------------------------------------------------------------------------------

ANY_DATA = {
    "set": (set_kernel, small_sets, {}),
    "multiset": (multiset_kernel, multisets, {}),
    "spectrum": (spectrum_kernel, letters, {"p": 2}),
    "document": (document_kernel, texts, {}),
    "graphlet, k = 3": (graphlet_kernel, graphs(7), {"k": 3}),
    "graphlet, k = 4": (graphlet_kernel, graphs(7), {"k": 4}),
}


@pytest.mark.parametrize("normalise", [False, True])
@pytest.mark.parametrize("name", ANY_DATA)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_every_kernel_is_mercer_at_any_data(name, normalise, data):
    kernel, things, params = ANY_DATA[name]
    items = data.draw(st.lists(things, min_size=1, max_size=8))
    K = gram_matrix(kernel, items, normalise=normalise, **params)
    assert K.dtype == float and is_mercer(K)
    if normalise:
        own = np.array([kernel(item, item, **params) > 0 for item in items], dtype=float)
        np.testing.assert_allclose(K.diagonal(), own)


@pytest.mark.parametrize("name", ANY_DATA)
@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_gram_matrix_holds_the_kernel_of_each_pair(name, data):
    kernel, things, params = ANY_DATA[name]
    rows, columns = (data.draw(st.lists(things, min_size=1, max_size=4)) for _ in range(2))
    expected = np.array([[kernel(a, b, **params) for b in columns] for a in rows])
    np.testing.assert_allclose(gram_matrix(kernel, rows, columns, **params), expected)
    as_any_function = gram_matrix(lambda a, b: kernel(a, b, **params), rows, columns, normalise=True)
    np.testing.assert_allclose(gram_matrix(kernel, rows, columns, normalise=True, **params), as_any_function)


def test_gram_matrix_counts_each_thing_once(monkeypatch):
    counted = []

    def count(text):
        counted.append(text)
        return word_counts(text)

    monkeypatch.setitem(structured._COUNTED, document_kernel, (count, np.asarray))
    gram_matrix(document_kernel, ["a b", "b", "c"])
    gram_matrix(document_kernel, ["a"], ["b", "c"])
    assert counted == ["a b", "b", "c", "a", "b", "c"]


def test_gram_matrix_normalises_without_overflow():
    K = gram_matrix(set_kernel, [range(300), range(100, 400)], normalise=True)
    np.testing.assert_allclose(K, [[1, 2.0**-100], [2.0**-100, 1]])


@pytest.mark.parametrize(
    ("kernel", "items", "message"),
    [
        ("spectrum", ["a"], "kernel must be a function"),
        (["a"], ["a"], "kernel must be a function"),
        (spectrum_kernel, "banana", "list of things"),
        (spectrum_kernel, 3, "list of things"),
        (spectrum_kernel, [], "empty"),
        (lambda a, b: [a, b], [1, 2], "one number per pair"),
        (lambda a, b: np.nan, [1, 2], "NaN"),
        (lambda a, b: "x", [1, 2], "not made of numbers"),
    ],
)
def test_gram_matrix_refuses(kernel, items, message):
    with pytest.raises(InvalidInputError, match=message):
        gram_matrix(kernel, items)


def test_gram_matrix_refuses_lengths_of_what_is_no_kernel():
    with pytest.raises(InvalidInputError, match="not a kernel"):
        gram_matrix(lambda a, b: -a * b, [1.0, 2.0], normalise=True)


def test_a_function_that_is_no_kernel_is_noticed_by_the_machine():
    K = gram_matrix(lambda a, b: abs(a - b), [0.0, 1.0, 5.0, 6.0])
    with pytest.warns(NotMercerWarning):
        MCMClassifier(kernel="precomputed").fit(K, [1, 1, -1, -1])


# --- from end to end -------------------------------------------------------------------------------------------------


def held_out_accuracy(kernel, train, y_train, test, y_test, **params):
    machine = MCMClassifier(kernel="precomputed").fit(gram_matrix(kernel, train, **params), y_train)
    assert machine.certificate_.proves_optimal()
    return machine.score(gram_matrix(kernel, test, train, **params), y_test)


@pytest.mark.parametrize("kernel", [set_kernel, multiset_kernel])
def test_baskets(kernel):
    bake, build = {"flour", "sugar", "eggs", "butter"}, {"nails", "hammer", "saw", "glue"}
    train = [
        bake - {"eggs"},
        bake - {"sugar"},
        {"flour", "eggs", "glue"},
        build - {"saw"},
        build,
        {"saw", "nails", "eggs"},
    ]
    test = [{"butter", "sugar", "flour"}, {"hammer", "saw"}]
    y = ["baker"] * 3 + ["builder"] * 3
    assert held_out_accuracy(kernel, train, y, test, ["baker", "builder"], normalise=True) == 1.0


def test_strings():
    rng = np.random.default_rng(0)
    # the same letters in both classes: only their order tells them apart
    strings = ["".join(rng.choice(parts, 6)) for parts in (["ab", "cd"], ["ba", "dc"]) for _ in range(20)]
    y = np.repeat([1, -1], 20)
    train, test = strings[::2], strings[1::2]
    assert held_out_accuracy(spectrum_kernel, train, y[::2], test, y[1::2], p=2) == 1.0
    assert np.linalg.matrix_rank(gram_matrix(spectrum_kernel, train, p=1)) <= 4


def test_documents():
    train = [
        "The goalkeeper saved the shot, and the team won the match.",
        "A late goal: the team lost the match.",
        "The striker shot twice and scored a goal.",
        "Melt the butter, add the flour and stir the sauce.",
        "Stir the soup, and add salt.",
        "Bake the bread with flour, butter and salt.",
    ]
    test = ["The team scored, and the match was won by a goal.", "Add butter and salt and stir."]
    y = ["sport"] * 3 + ["kitchen"] * 3
    assert held_out_accuracy(document_kernel, train, y, test, ["sport", "kitchen"], normalise=True) == 1.0


@pytest.mark.parametrize("k", [3, 4])
def test_graphs_with_and_without_triangles(k):
    # rings in which each node also knows its second neighbours, or its third: as many edges, but from 10 nodes on
    # the one has triangles and the other has none
    def lattice(n, step):
        return adjacency(n, [(i, (i + s) % n) for i in range(n) for s in (1, step)])

    things = [lattice(n, step) for step in (2, 3) for n in range(10, 30)]
    y = np.repeat([1, -1], 20)
    for train, test in ((slice(0, None, 2), slice(1, None, 2)), (slice(1, None, 2), slice(0, None, 2))):
        # the cosines lie close together, so the coefficients must be large, and their price low
        machine = MCMClassifier(kernel="precomputed", sparsity=0.01)
        machine.fit(gram_matrix(graphlet_kernel, things[train], k=k), y[train])
        assert machine.score(gram_matrix(graphlet_kernel, things[test], things[train], k=k), y[test]) >= 0.9


def test_nodes_of_one_graph():
    # two cliques of 8 joined by one edge; four nodes of each are labelled
    A = np.kron(np.eye(2), complete(8))
    A[7, 8] = A[8, 7] = 1
    K, y = diffusion_kernel(A, beta=0.2), np.repeat(["left", "right"], 8)
    train, test = np.arange(0, 16, 2), np.arange(1, 16, 2)
    machine = MCMClassifier(kernel="precomputed").fit(K[train][:, train], y[train])
    assert machine.score(K[test][:, train], y[test]) == 1.0
