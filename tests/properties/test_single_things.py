"""Functions of numbers, sets, strings, graphs and counts, against exact arithmetic and against counting by hand."""

import hashlib
import itertools
import json
import math
import warnings
from collections import Counter
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import mcmteach as mt
from mcmteach.errors import MCMError

ANY = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0, 1, 2, 3, 0.05, 1e-150, 1e150, np.float32(0.5), np.int8(3)]),
)


def attempt(f, *arguments):
    """A finite answer (inf where it says so), or an error of ours; nothing is said by numpy."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return f(*arguments)
        except MCMError:
            return None


@given(h=ANY, M=ANY, eta=ANY)
def test_vc_epsilon_is_its_formula_to_fifty_digits(h, M, eta):
    found = attempt(mt.vc_epsilon, h, M, eta)
    if found is None:
        return
    with localcontext(prec=50):
        h, M, eta = (Decimal(float(value)) for value in (h, M, eta))
        growth = h * ((2 * M / h).ln() + 1) if h else Decimal(0)
        wanted = 4 * (growth - eta.ln()) / M
    assert math.isclose(found, float(wanted), rel_tol=1e-12)


@given(error=ANY, d=ANY, P=ANY, delta=ANY)
def test_vapnik_bound_is_its_formula_to_fifty_digits(error, d, P, delta):
    found = attempt(mt.vapnik_bound, error, d, P, delta)
    if found is None:
        return
    with localcontext(prec=50):
        error, d, P, delta = (Decimal(float(value)) for value in (error, d, P, delta))
        growth = d * ((2 * P / d).ln() + 1) if d else Decimal(0)
        wanted = error + ((growth - (delta / 4).ln()) / P).sqrt()
    assert math.isclose(found, float(wanted), rel_tol=1e-12)


@given(risk=ANY, h=ANY, M=ANY, eta=ANY, B=ANY)
def test_vc_bound_is_a_number_above_the_risk_or_refused(risk, h, M, eta, B):
    found = attempt(mt.vc_bound, risk, h, M, eta, B)
    assert found is None or found >= risk
    if found is not None:
        assert isinstance(mt.is_vacuous(found, B), bool)


@given(R=ANY, margin=ANY, n=ANY)
def test_margin_vc_dim_lies_between_one_and_n_plus_one(R, margin, n):
    found = attempt(mt.margin_vc_dim, R, margin, n)
    assert found is None or 1 <= found <= n + 1


@given(gap=st.floats(0.01, 0.9), h=st.integers(0, 50))
def test_sample_size_is_the_first_that_is_enough(gap, h):
    M = mt.sample_size(gap, h)
    assert mt.vc_bound(0.0, h, M) <= gap
    assert max(1, h) > M - 1 or mt.vc_bound(0.0, h, M - 1) > gap


@example(gap=2e-286, h=0.0, eta=5e-88, risk=0.0, B=1e19)  # no number in floating point is large enough
@given(gap=ANY, h=ANY, eta=ANY, risk=ANY, B=ANY)
def test_sample_size_of_anything_is_a_whole_number_or_refused(gap, h, eta, risk, B):
    found = attempt(mt.sample_size, gap, h, eta, risk, B)
    assert found is None or isinstance(found, int)


@given(st.lists(st.tuples(st.sampled_from([-1, 1]), st.integers(-4, 4)), max_size=8))
def test_empirical_risk_counts(pairs):
    y, f = [pair[0] for pair in pairs], [pair[1] / 2 for pair in pairs]
    found = attempt(mt.empirical_risk, y, f)
    if pairs:
        assert found == pytest.approx(sum(a * b <= 0 for a, b in zip(y, f, strict=True)) / len(y))
        hinge = sum(max(0, 1 - a * b) for a, b in zip(y, f, strict=True)) / len(y)
        assert mt.empirical_risk(np.array(y, np.int8), np.array(f, np.float32), "hinge") == pytest.approx(hinge)
    else:
        assert found is None


@given(u=st.lists(ANY, max_size=3), v=ANY, l=ANY, g=ANY)
def test_charnes_cooper_divides_by_l_or_refuses(u, v, l, g):
    found = attempt(mt.charnes_cooper, u, v, l, g)
    if found is not None:
        w, b, h = found
        np.testing.assert_allclose(
            np.r_[w, b, h], np.r_[np.asarray(u, float), float(v), float(g)] / float(l), rtol=1e-12
        )


# --- things that are not vectors -----------------------------------------------------------------------------------------

WORDS = st.text("ab", max_size=8)


@given(A=st.frozensets(st.integers(0, 9)), B=st.frozensets(st.integers(0, 9)))
def test_set_kernel_counts_common_subsets(A, B):
    assert mt.set_kernel(A, B) == sum(1 for k in range(11) for _ in itertools.combinations(A & B, k))


@given(s=WORDS, t=WORDS, p=st.integers(1, 4))
def test_spectrum_kernel_counts_common_substrings(s, t, p):
    a, b = (Counter(word[i : i + p] for i in range(len(word) - p + 1)) for word in (s, t))
    found = attempt(mt.spectrum_kernel, s, t, p)
    assert found is None or found == sum(a[u] * b[u] for u in a)


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_gram_matrix_is_the_kernel_of_each_pair(words):
    found = attempt(lambda: mt.gram_matrix(mt.spectrum_kernel, words, p=1))
    if found is not None:
        np.testing.assert_array_equal(found, [[mt.spectrum_kernel(s, t, 1) for t in words] for s in words])
        assert mt.is_mercer(found)


@given(st.integers(0, 2**16), st.integers(3, 7))
def test_graphlet_kernel_does_not_see_the_names_of_vertices(seed, n):
    rng = np.random.default_rng(seed)
    G = np.triu(rng.random((n, n)) < 0.5, 1)
    G = (G | G.T).astype(float)
    order = rng.permutation(n)
    H, before = G[np.ix_(order, order)], G.copy()
    found = attempt(mt.graphlet_kernel, G, H, 3)
    assert found is None or found == pytest.approx(1.0)
    np.testing.assert_array_equal(G, before)


# --- counts --------------------------------------------------------------------------------------------------------------


@given(M=st.integers(1, 400), d=st.integers(0, 20), errors=st.integers(0, 40), nats=st.floats(0, 60))
def test_compression_bound_is_where_the_binomial_tail_is_what_the_message_leaves(M, d, errors, nats):
    found = attempt(mt.compression_bound, errors, M, d, nats)
    if found is None or found > 1 - 1e-6:  # so near to 1 the binomial's own digits are lost
        return
    tail = binom.logcdf(errors, M - d, found)
    left = math.log(0.05) - nats - math.lgamma(M + 1) + math.lgamma(d + 1) + math.lgamma(M - d + 1)
    assert tail == pytest.approx(left, rel=1e-6, abs=1e-6)


@given(errors=ANY, M=ANY, d=ANY, nats=ANY, delta=ANY)
def test_compression_bound_of_anything_is_a_risk_or_refused(errors, M, d, nats, delta):
    found = attempt(mt.compression_bound, errors, M, d, nats, delta)
    assert found is None or 0 <= found <= 1


@given(st.binary(max_size=200))
def test_load_model_of_any_bytes_is_refused_in_our_words(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_bytes(data)
    with pytest.raises(MCMError):
        mt.load_model(path)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model file, and a way to write its formula with other values under a checksum that fits."""
    X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1]
    path = tmp_path_factory.mktemp("model") / "xor.json"
    record = json.loads(mt.save_model(mt.MCMClassifier(gamma=2.0).fit(X, y), path).read_text())

    def with_part(name, value):
        body = record["formula"] | {name: value}
        checksum = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        path.write_text(json.dumps(record | {"formula": body, "sha256": checksum}))
        return path

    return record["formula"], with_part


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers(-(10**400), 10**400) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
)


@settings(max_examples=150)
@given(data=st.data())
def test_a_model_file_with_any_value_in_any_place_is_read_or_refused_in_our_words(saved, data):
    formula, with_part = saved
    path = with_part(data.draw(st.sampled_from(sorted(formula))), data.draw(VALUES))
    try:
        machine = mt.load_model(path)
    except MCMError:
        return
    assert isinstance(machine.classes, tuple)
