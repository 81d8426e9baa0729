"""The bounds against hand calculations, against their own inverse, and against the theorems they state."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcmteach as mt
from mcmteach.bounds import LOSSES, margin_error_scale, rademacher_margin_bound, structural_risk
from mcmteach.errors import InvalidInputError


def test_empirical_risk_by_hand():
    y, f = [1, 1, -1, -1], [2.0, -0.5, -1.0, 0.0]
    assert mt.empirical_risk(y, f) == 0.5  # the second is wrong, the last lies on the plane
    assert mt.empirical_risk(y, [2.0, 0.5, -1.0, -0.5]) == 0.0  # however small the values are
    assert mt.empirical_risk(y, f, "hinge") == (0 + 1.5 + 0 + 1) / 4
    assert mt.empirical_risk(y, f, "squared") == (1 + 2.25 + 0 + 1) / 4
    assert mt.empirical_risk(y, f, "perceptron") == (0 + 0.5 + 0 + 0) / 4


def test_empirical_risk_tends_to_the_risk():
    # x uniform on [-1, 1], y = sign(x) flipped with probability 0.1, f = x - 0.2. Between 0 and 0.2 (a tenth of all x)
    # f is wrong with probability 0.9, elsewhere with 0.1: the integral N(1) is 0.1 * 0.9 + 0.9 * 0.1 = 0.18.
    rng = np.random.default_rng(0)
    M = 200_000
    x = rng.uniform(-1, 1, M)
    y = np.where(x > 0, 1, -1) * np.where(rng.random(M) < 0.1, -1, 1)
    assert mt.empirical_risk(y, x - 0.2) == pytest.approx(0.18, abs=5 * math.sqrt(0.18 * 0.82 / M))


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_agree_with_scikit_learn_where_it_has_them(loss):
    from sklearn import metrics

    rng = np.random.default_rng(1)
    y, f = rng.choice([-1.0, 1.0], 50), rng.normal(size=50)
    theirs = {
        "zero-one": metrics.zero_one_loss(y, np.sign(f)),
        "hinge": metrics.hinge_loss(y, f),
        "squared": metrics.mean_squared_error(y, f),
        "perceptron": np.mean([max(0.0, -a * b) for a, b in zip(y, f, strict=True)]),
    }
    assert mt.empirical_risk(y, f, loss) == pytest.approx(theirs[loss])


def test_vc_epsilon_by_hand():
    # M = h = 10, eta = e^-10:  4 (10 (ln 2 + 1) + 10) / 10 = 4 (ln 2 + 2)
    assert mt.vc_epsilon(10, 10, math.exp(-10)) == pytest.approx(4 * (math.log(2) + 2))
    assert mt.vc_epsilon(0, 100, 0.5) == pytest.approx(4 * math.log(2) / 100)  # the limit h -> 0


def test_vc_bound_by_hand():
    eps = mt.vc_epsilon(3, 1000, 0.05)
    assert mt.vc_bound(0.0, 3, 1000, B=2.0) == pytest.approx(2 * eps)  # the root is 1
    assert mt.vc_bound(2 * eps, 3, 1000) == pytest.approx(2 * eps + 2 * eps)  # the root is 3
    assert mt.vc_bound(0.1, 3, 1000) == pytest.approx(0.1 + structural_risk(0.1, 3, 1000))


def test_vc_bound_holds_for_every_threshold_at_once():
    # Theorem 2.1: with probability 0.95 no ray {x > t} (VC dimension 1) has a risk above its bound
    rng = np.random.default_rng(2)
    t = np.linspace(0, 1, 101)
    risk = 0.1 + 0.8 * np.abs(t - 0.5)  # x uniform on [0, 1], y = sign(x - 1/2), flipped with probability 0.1
    broken = 0
    for _ in range(60):
        x = rng.random(200)
        y = np.where(x > 0.5, 1, -1) * np.where(rng.random(200) < 0.1, -1, 1)
        empirical = np.array([mt.empirical_risk(y, x - s) for s in t])
        broken += np.any(risk > mt.vc_bound(empirical, 1, 200, 0.05))
    assert broken <= 0.05 * 60


def test_vc_bound_takes_arrays_and_gives_floats_for_numbers():
    assert type(mt.vc_bound(0.1, 3, 1000)) is float
    assert type(mt.vc_epsilon(np.float64(3), np.int64(1000), 0.05)) is float
    curve = mt.vc_bound(0.1, 3, [100, 1000, 10_000])
    assert curve.shape == (3,) and np.all(np.diff(curve) < 0)


def test_is_vacuous():
    assert mt.is_vacuous(1.0) is True
    assert mt.is_vacuous(0.99) is False
    assert mt.is_vacuous(1.5, B=2.0) is False
    assert mt.is_vacuous(np.array([0.5, 1.5])).tolist() == [False, True]


@given(
    gap=st.floats(0.01, 3.0), h=st.integers(0, 200), eta=st.floats(0.001, 0.5), risk=st.floats(0, 1), B=st.floats(1, 5)
)
def test_sample_size_inverts_the_bound(gap, h, eta, risk, B):
    M = mt.sample_size(gap, h, eta, risk, B)
    assert structural_risk(risk, h, M, eta, B) <= gap
    assert max(1, h) == M or structural_risk(risk, h, M - 1, eta, B) > gap


@pytest.mark.parametrize(("h", "M"), [(0, 1), (3, 3), (3, 4), (3, 6), (3, 1000), (50, 50)])
def test_a_gap_that_is_reached_exactly_is_reached(h, M):
    assert mt.sample_size(structural_risk(0.1, h, M), h, risk=0.1) == M


def test_margin_vc_dim_reads_the_brackets_as_the_integer_part_of_the_square():
    assert mt.margin_vc_dim(2.5, 1.0, 100) == 7  # [6.25] + 1; neither 7.25 nor [2.5]² + 1 = 5
    assert mt.margin_vc_dim(2.5, 1.0, 3) == 4  # n binds
    assert mt.margin_vc_dim(0.3, 0.1, 100) == 10  # (0.3 / 0.1)² is 8.999… in floating point, and the bound stays valid
    assert type(mt.margin_vc_dim(2, 1, 5)) is float


def test_vapnik_bound_by_hand():
    # d = P = 100, delta = 0.04:  sqrt((100 (ln 2 + 1) + ln 100) / 100)
    assert mt.vapnik_bound(0.1, 100, 100, 0.04) == pytest.approx(0.1 + math.sqrt(math.log(2) + 1 + math.log(100) / 100))


def test_margin_error_scale_by_hand():
    assert margin_error_scale(6.0, 2.0, 90) == pytest.approx(0.1)
    assert margin_error_scale(6.0, 2.0, 180) == pytest.approx(0.05)


def test_rademacher_margin_bound_by_hand():
    # R/Delta = 2, M = 400: 2 * 2 / 20 = 0.2, and ln(1/delta) = 2 gives sqrt(2/800) = 0.05
    assert rademacher_margin_bound(0.1, 4.0, 2.0, 400, math.exp(-2)) == pytest.approx(0.1 + 0.2 + 0.05)
    # measured: 4 * 2 / 20, ln log2(4) = ln 2, and ln(2/delta) = 2 for delta = 2 exp(-2)
    assert rademacher_margin_bound(0.1, 4.0, 2.0, 400, 2 * math.exp(-2), measured=True) == pytest.approx(
        0.1 + 0.4 + math.sqrt(math.log(2)) / 20 + 0.05
    )


@pytest.mark.parametrize("measured", [False, True])
def test_rademacher_margin_bound_holds_for_every_plane_and_every_margin_at_once(measured):
    # Points on a circle, labels sign(x_1) flipped with probability 0.1: a plane through 0 at angle a has risk
    # 0.1 + 0.8 |a| / pi. The sample may choose the plane, and the margin too where that is paid for.
    rng = np.random.default_rng(0)
    M, delta, failures = 300, 0.2, 0
    angles = np.linspace(-np.pi / 2, np.pi / 2, 61)
    margins = np.geomspace(0.01, 1, 25) if measured else np.array([0.4])
    for _ in range(100):
        t = rng.uniform(-np.pi, np.pi, M)
        y = np.where(np.cos(t) > 0, 1, -1) * np.where(rng.random(M) < 0.1, -1, 1)
        f = y * np.cos(t - angles[:, None])
        error = (f[:, :, None] <= margins).mean(axis=1)
        bound = rademacher_margin_bound(error, 1.0, margins, M, delta, measured)
        failures += bool((bound < (0.1 + 0.8 * np.abs(angles) / np.pi)[:, None]).any())
    assert failures <= 100 * delta


ARGUMENTS = {
    mt.vc_epsilon: {"h": 3.0, "M": 50.0, "eta": 0.1},
    structural_risk: {"risk": 0.1, "h": 3.0, "M": 50.0, "eta": 0.1, "B": 2.0},
    mt.vc_bound: {"risk": 0.1, "h": 3.0, "M": 50.0, "eta": 0.1, "B": 2.0},
    mt.is_vacuous: {"bound": 0.5, "B": 1.0},
    mt.vapnik_bound: {"error": 0.1, "d": 3.0, "P": 50.0, "delta": 0.1},
    mt.margin_vc_dim: {"R": 2.5, "margin": 1.0, "n": 5.0},
    margin_error_scale: {"L": 2.0, "margin": 0.5, "P": 50.0},
    rademacher_margin_bound: {"error": 0.1, "R": 2.0, "margin": 0.5, "M": 50.0, "delta": 0.1},
    partial(rademacher_margin_bound, measured=True): {"error": 0.1, "R": 2.0, "margin": 0.5, "M": 50.0, "delta": 0.1},
}
EACH = [(bound, name) for bound, given in ARGUMENTS.items() for name in given]


@pytest.mark.parametrize(("bound", "name"), EACH, ids=lambda part: getattr(part, "__name__", str(part))[:30])
def test_an_array_is_answered_and_refused_entry_by_entry(bound, name):
    usual, tried = ARGUMENTS[bound], [0.0, 1e-9, 0.5, 1.0, 2.0, 3.0, 49.0, 50.0, 51.0, 1e9, -1e-9, -1.0, np.nan, np.inf]
    kinds = (bool, np.bool_) if bound is mt.is_vacuous else (float, np.floating)
    for value in tried:
        try:
            alone = bound(**{**usual, name: value})
        except InvalidInputError:
            for pair in ([usual[name], value], [value, usual[name]], [value, value]):
                with pytest.raises(InvalidInputError):
                    bound(**{**usual, name: pair})
            continue
        assert type(alone) is kinds[0] and (np.isfinite(alone) or np.isinf(value))
        found = bound(**{**usual, name: [[value, usual[name]]]})
        assert found.shape == (1, 2) and issubclass(found.dtype.type, kinds[1])
        np.testing.assert_allclose(found[0], [alone, bound(**usual)], rtol=1e-12)
    for other in set(usual) - {name}:  # a row of one and a column of another make a table
        table = bound(**{**usual, name: [usual[name]] * 3, other: [[usual[other]]] * 2})
        np.testing.assert_allclose(table, np.full((2, 3), bound(**usual)), rtol=1e-12)


TINY, HUGE = 1e-9, 1e9
EDGES = [  # what is allowed, to the edge, and what lies just beyond it
    (mt.vc_epsilon, "h", [0.0, 50.0], [-TINY, 50 + TINY]),
    (mt.vc_epsilon, "M", [3.0, HUGE], [3 - TINY, 0.5]),
    (mt.vc_epsilon, "eta", [TINY, 1 - TINY], [0.0, 1.0, -TINY, 1 + TINY]),
    (structural_risk, "risk", [0.0, 2.0], [-TINY, 2 + TINY]),
    (structural_risk, "B", [0.1, HUGE], [0.1 - TINY, 0.0, -1.0]),
    (partial(mt.vc_bound, h=0.0), "M", [1.0, HUGE], [1 - TINY]),
    (mt.is_vacuous, "B", [TINY, HUGE], [0.0, -TINY]),
    (mt.is_vacuous, "bound", [-HUGE, HUGE, np.inf], [np.nan]),
    (mt.vapnik_bound, "error", [0.0, 1.0], [-TINY, 1 + TINY]),
    (mt.vapnik_bound, "d", [0.0, 50.0], [-TINY, 50 + TINY]),
    (partial(mt.vapnik_bound, d=0.0), "P", [1.0, HUGE], [1 - TINY]),
    (mt.vapnik_bound, "delta", [TINY, 1 - TINY], [0.0, 1.0]),
    (mt.margin_vc_dim, "R", [0.0, HUGE], [-TINY]),
    (mt.margin_vc_dim, "margin", [TINY, HUGE], [0.0, -TINY]),
    (mt.margin_vc_dim, "n", [1.0, HUGE], [1 - TINY]),
    (margin_error_scale, "L", [0.0, HUGE], [-TINY]),
    (margin_error_scale, "margin", [TINY, HUGE], [0.0, -TINY]),
    (margin_error_scale, "P", [1.0, HUGE], [1 - TINY]),
    (rademacher_margin_bound, "error", [0.0, 1.0], [-TINY, 1 + TINY]),
    (rademacher_margin_bound, "R", [0.0, HUGE], [-TINY]),
    (rademacher_margin_bound, "margin", [TINY, HUGE], [0.0, -TINY]),
    (rademacher_margin_bound, "M", [1.0, HUGE], [1 - TINY]),
    (rademacher_margin_bound, "delta", [TINY, 1 - TINY], [0.0, 1.0]),
    (partial(rademacher_margin_bound, measured=True), "margin", [TINY, 2.0], [0.0, 2 + TINY]),
]


@pytest.mark.parametrize(("bound", "name", "allowed", "refused"), EDGES)
def test_an_argument_is_allowed_up_to_its_edge_and_no_further(bound, name, allowed, refused):
    usual = ARGUMENTS[getattr(bound, "func", bound)] | getattr(bound, "keywords", {})
    for value in allowed:
        assert getattr(bound, "func", bound)(**{**usual, name: value}) is not None
    for value in refused:
        with pytest.raises(InvalidInputError):
            getattr(bound, "func", bound)(**{**usual, name: value})


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: mt.vc_epsilon(11, 10, 0.05), "h > M"),
        (lambda: mt.vc_epsilon(-1, 10, 0.05), "h must be"),
        (lambda: mt.vc_epsilon(3, 0, 0.05), "M must be"),
        (lambda: mt.vc_epsilon(3, 10, 0.0), "eta is a probability"),
        (lambda: mt.vc_epsilon(3, 10, 1.0), "eta is a probability"),
        (lambda: mt.vc_epsilon(3, float("nan"), 0.1), "M must be"),
        (lambda: mt.vc_bound(-0.1, 3, 10), "risk must be"),
        (lambda: mt.vc_bound(1.5, 3, 10), "above B"),
        (lambda: mt.vc_bound(0.1, 3, 10, B=0), "B bounds the loss"),
        (lambda: mt.vc_bound([0.1, 0.0], 3, 10, B=[1.0, 0.0]), "B bounds the loss"),
        (lambda: mt.vapnik_bound(0.1, 11, 10), "d > P"),
        (lambda: mt.vapnik_bound(0.1, 3, 10, delta=2), "delta is a probability"),
        (lambda: mt.margin_vc_dim(1, 0, 3), "margin must be > 0"),
        (lambda: margin_error_scale(1, 0, 3), "margin must be > 0"),
        (lambda: margin_error_scale(1, [1.0, 0.0], 3), "margin must be > 0"),
        (lambda: rademacher_margin_bound(1.5, 1, 1, 9), "at most 1"),
        (lambda: rademacher_margin_bound([0.5, 1.5], 1, 1, 9), "at most 1"),
        (lambda: rademacher_margin_bound(0.1, 1, 0, 9), "margin must be > 0"),
        (lambda: rademacher_margin_bound(0.1, 1, 2, 9, measured=True), "at most R"),
        (lambda: mt.sample_size(0, 3), "gap must be > 0"),
        (lambda: mt.empirical_risk([1, -1], [1.0, 2.0, 3.0]), "2 entries, but 3"),
        (lambda: mt.empirical_risk([0, 1], [1.0, 2.0]), "2 \\* y - 1"),
        (lambda: mt.empirical_risk([1, -1], [1.0, 2.0], "cubic"), "no loss 'cubic'"),
        (lambda: mt.empirical_risk([1, -1], [1.0, np.nan]), "f "),
        (lambda: mt.vc_epsilon([3, -1], 100, 0.05), "h must be finite and at least 0"),
    ],
)
def test_bad_input_is_refused_with_a_reason(call, says):
    with pytest.raises(InvalidInputError, match=says):
        call()
