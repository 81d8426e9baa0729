"""The candidates of the study of conformal maps do what they say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcmteach import kernel_fisher_scalar, list_datasets, optimal_map
from mcmteach.conformal import core_matrix
from mcmteach.datasets.folds import stratified_parts
from mcmteach.errors import InvalidInputError
from mcmteach.experiments import map_variants
from mcmteach.experiments.map_variants import (
    DEVELOPMENT,
    HELD_OUT,
    VARIANTS,
    Basic,
    find_variant,
    out_of_fold,
    paper,
    positive_alpha,
    ridge,
    shrunk,
)
from tests.experiments.candidates import BY_NAME, basic

# --- data ------------------------------------------------------------------------------------------------------------


def test_development_and_held_out_sets_share_nothing():
    assert sorted(DEVELOPMENT + HELD_OUT) == list_datasets(table=1)
    assert {"australian", "credit-approval"} <= set(HELD_OUT)


# --- candidates ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "point"), [(v.name, point) for v in VARIANTS for point in v.points])
def test_every_candidate_keeps_the_trace_and_is_a_function_of_the_points(name, point):
    one = basic()
    F, new = BY_NAME[name].build(one, **point)
    assert np.mean(np.sum(F**2, axis=1)) == pytest.approx(1.0)
    if name != "out-of-fold c":  # whose training rows get another c on purpose
        np.testing.assert_allclose(new(one.X), F, atol=1e-10)
    assert new(one.X[:7] + 0.1).shape == (7, F.shape[1]) and np.isfinite(new(100 * one.X)).all()
    if name in ("positive alpha", "exponential", "around cores", "around the boundary"):
        assert (F >= 0).all() and (new(3 * one.X) >= 0).all()


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.filterwarnings("ignore::mcmteach.errors.ConstantClassifierWarning")
def test_without_cores_there_is_no_map(name):
    one = basic(C=1e-3, sparsity=10.0)
    assert not len(one.support)
    F, new = BY_NAME[name].build(one, **BY_NAME[name].points[0])
    for values in (F, new(one.X)):
        np.testing.assert_allclose(values @ values.T, 1.0)  # k = k_0


def test_the_papers_map_is_the_librarys():
    one = basic()
    c = optimal_map(one.K0, one.y, one.X, one.X[one.support], gamma=4.0, D=1e-3)
    np.testing.assert_allclose(paper(one, width=4.0)[0][:, 0], c(one.X), rtol=1e-9)


def test_shrinking_leads_from_no_map_to_the_papers():
    one = basic()
    np.testing.assert_allclose(shrunk(one, t=0.0)[0], 1.0)
    np.testing.assert_allclose(shrunk(one, t=1.0)[0], paper(one)[0])


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6))
def test_no_other_positive_alpha_has_a_larger_J(seed):
    one = basic(seed % 1000, M=40)
    best = kernel_fisher_scalar(one.K0, one.y, positive_alpha(one)[0][:, 0])
    assert best >= kernel_fisher_scalar(one.K0, one.y) * (1 - 1e-3)
    K1 = core_matrix(one.X, one.X[one.support], 1.0)
    for alpha in np.random.default_rng(seed).exponential(size=(50, K1.shape[1])) ** 4:
        assert kernel_fisher_scalar(one.K0, one.y, K1 @ alpha) <= best * 1.01


def test_the_ridge_leads_from_no_map_to_nearly_the_largest_J():
    one = basic()
    J = [kernel_fisher_scalar(one.K0, one.y, ridge(one, rho=rho)[0][:, 0]) for rho in (1e6, 1.0, 1e-2, 1e-12)]
    assert J[0] == pytest.approx(kernel_fisher_scalar(one.K0, one.y), rel=1e-3)
    assert sorted(J) == J
    assert J[-1] == pytest.approx(kernel_fisher_scalar(one.K0, one.y, paper(one)[0][:, 0]), rel=0.05)


def test_an_out_of_fold_c_does_not_know_its_own_label(monkeypatch):
    """Flip labels within one fold: the map that serves its rows was fitted without them, so c keeps its shape there."""
    one = basic()
    parts = stratified_parts(one.y, 3, seed=11)
    monkeypatch.setattr(map_variants, "stratified_parts", lambda y, k, seed: parts)  # the same, whatever the labels are
    rows = parts[0]
    y = one.y.copy()
    y[rows[:5]] *= -1
    own, others = (part_correlation(one, Basic(one.X, y, one.setting), part) for part in (rows, parts[1]))
    assert own == pytest.approx(1.0) and others < 0.999


def part_correlation(one, other, rows):
    before, after = out_of_fold(one)[0][rows, 0], out_of_fold(other)[0][rows, 0]
    return abs(np.corrcoef(before, after)[0, 1])


def test_a_candidate_that_is_not_there():
    with pytest.raises(InvalidInputError, match="Choose one of: paper"):
        find_variant("magic")
