"""The lesson 'measuring separability': what it claims holds at any data, and its notebook says what the library says."""

import json
import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import mcmteach as mt
from mcmteach.conformal import optimal_alpha
from mcmteach.datasets.worlds import clouds, stretched_points
from mcmteach.separability import is_separable
from tools.ledger import ROOT

seeds = st.integers(0, 10**6)


# --- what the lesson says of J ---------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(seed=seeds, plus=st.integers(2, 12), minus=st.integers(2, 12))
def test_a_kernel_that_knows_nothing_has_the_same_J_for_any_labels(seed, plus, minus):
    y = np.random.default_rng(seed).permutation([1.0] * plus + [-1.0] * minus)
    assert mt.kernel_fisher_scalar(np.eye(len(y)), y) == pytest.approx(1 / (len(y) - 2))


@settings(deadline=None, max_examples=30)
@given(seed=seeds, M=st.integers(6, 30), scale=st.floats(0.1, 10))
def test_a_narrow_gaussian_has_the_J_of_the_plane_and_a_wide_one_that_of_knowing_nothing(seed, M, scale):
    X, y = clouds(M, seed=seed)
    X = X * scale
    nearest = min(np.linalg.norm(X[i] - X[j]) for i in range(M) for j in range(i))
    assume(nearest > 1e-3 * scale)
    flat = mt.kernel_fisher_scalar(mt.rbf_kernel(X, gamma=1e-6 / np.square(X).max()), y)
    assert flat == pytest.approx(mt.fisher_scalar(X, y), rel=1e-3)
    assert mt.kernel_fisher_scalar(mt.rbf_kernel(X, gamma=50 / nearest**2), y) == pytest.approx(1 / (M - 2), rel=1e-6)
    assert mt.fisher_scalar(7 * X + 3, y) == pytest.approx(mt.fisher_scalar(X, y)), "J has no unit and no origin"


def test_J_falls_when_points_are_pulled_apart_along_the_gap():
    Js = [mt.fisher_scalar(*stretched_points(stretch)) for stretch in (0.5, 1.0, 2.0, 4.0)]
    assert all(is_separable(*stretched_points(stretch)) for stretch in (0.5, 4.0)) and Js == sorted(Js, reverse=True)


def test_the_quadratic_kernel_cannot_tell_a_point_from_its_mirror_image():
    k = mt.Polynomial(degree=2, coef0=0)
    X, y = clouds(100)
    mirrored, y = np.vstack([X[y > 0], -X[y > 0]]), np.repeat([1.0, -1.0], 50)
    assert mt.fisher_scalar(mirrored, y) > 1
    assert mt.kernel_fisher_scalar(k(mirrored), y) == pytest.approx(0, abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(seed=seeds, M=st.integers(5, 30), n=st.integers(1, 5), log_gamma=st.integers(-4, 3))
def test_the_best_free_c_has_the_sign_of_the_label(seed, M, n, log_gamma):
    """The lesson's proof, at any Gaussian kernel and any labels, also such as have nothing to do with the points."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(M, n)), rng.permutation(np.where(np.arange(M) < rng.integers(2, M - 1), 1.0, -1.0))
    K = mt.rbf_kernel(X, gamma=2.0**log_gamma)
    assume(K.min() > 1e-5)  # below that the samples fall into groups, each with a sign of its own
    c, J = optimal_alpha(K, y, np.eye(M))
    c = c * np.sign(c @ y)
    assert (c * y >= -1e-6 * np.abs(c).max()).all()
    free = rng.normal(size=M)
    folded = y * np.abs(free)  # the step of the proof: no c is better than the one that it is folded into
    assert mt.kernel_fisher_scalar(K, y, free) <= mt.kernel_fisher_scalar(K, y, folded) * (1 + 1e-9) <= J * (1 + 1e-6)


def test_the_sign_needs_a_positive_kernel():
    X, y = clouds(40)
    c, _ = optimal_alpha(mt.linear_kernel(X) + 1e-6 * np.eye(40), y, np.eye(40))
    assert 0.05 < np.mean(c * y > 0) < 0.95, "with dot products of either sign the best c is no classifier"


# --- the panel ---------------------------------------------------------------------------------------------------------


def numbers(text):
    return [float(number) for number in re.findall(r"\d+\.\d+", text)]


# --- the notebook ------------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads(next(ROOT.glob("lessons/*_measuring_separability.ipynb")).read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    three = [number for number in numbers(printed["theorem-live"]) if number < 1]
    assert len(three) == 3 and len(set(three)) == 1
    start, schedule, searched, longer, top, *_ = numbers(printed["race"])
    assert start < schedule < 1.02 * start and schedule < searched < longer < top < 1.05 * longer
    assert printed["free"].count("100%") == 4
    figures = [numbers(line)[0] for line in printed["figure-7"].splitlines()]
    assert figures[0] > 8 * figures[2] and figures[1] < 0.01
    shares = [re.search(r"(\d+)%, (\d+)%", line) for line in printed["held-out"].splitlines()[1:]]
    assert all(80 < int(share[1]) <= 100 and int(share[2]) < int(share[1]) for share in shares)
    for line in printed["held-out"].splitlines()[1:]:
        before, after, new_before, new_after = numbers(line)
        assert 1 < new_after / new_before < after / before, "it grows on new data too, and never as much"
