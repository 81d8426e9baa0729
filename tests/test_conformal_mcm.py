"""The conformal MCM: the eight steps redone by hand, c = 1 gives back the MCM, and scikit-learn's own checks."""

from functools import partial

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_circles, make_moons
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from mcmteach import (
    ConformalMap,
    ConformalMCMClassifier,
    Linear,
    MCMClassifier,
    Polynomial,
    conformal_mcm,
    kernel_fisher_scalar,
    rbf_kernel,
    scatter_matrices,
    solve_mcm,
)
from mcmteach.datasets.folds import stratified_parts
from mcmteach.errors import ConstantClassifierWarning, InvalidInputError, NoCoresWarning, NotFittedError


def moons(seed, M=40):
    X, y = make_moons(M, noise=0.3, random_state=seed)
    return X, np.where(y == 1, 1.0, -1.0)


@pytest.mark.parametrize(
    "machine", [ConformalMCMClassifier(), ConformalMCMClassifier(map="beside", ridge=0.1, validate=True)]
)
@pytest.mark.filterwarnings(
    "ignore::mcmteach.errors.MCMWarning"
)  # a class weight of nearly 0 leaves a constant machine
def test_check_estimator(machine):
    check_estimator(machine)


# --- the eight steps -------------------------------------------------------------------------------------------------


def test_the_eight_steps_by_hand():
    """N section 3 once more, with scipy's eigh on N(41) as printed and nothing of conformal.py."""
    X, y = moons(0)
    X, new = 7 * X[:30] + 3, 7 * X[30:] + 3
    y = y[:30]
    gamma, gamma_c, D, C, sparsity = 0.5, 1.5, 0.01, 2.0, 0.1
    mean, sd = X.mean(axis=0), X.std(axis=0)
    Z, Z_new = (X - mean) / sd, (new - mean) / sd  # 1
    K0 = rbf_kernel(Z, gamma=gamma)
    cores = Z[solve_mcm(K0, y, C, sparsity).coef != 0]  # 2
    B0, W0 = scatter_matrices(K0, y)  # 3
    K1, K1_new = (np.column_stack([np.ones(len(A)), rbf_kernel(A, cores, gamma_c)]) for A in (Z, Z_new))
    P, Q = K1.T @ B0 @ K1, K1.T @ (W0 + D * np.eye(30)) @ K1
    alpha = scipy.linalg.eigh(P, Q)[1][:, -1]  # 4
    c, c_new = K1 @ alpha, K1_new @ alpha  # 5
    scale = np.sqrt(30 / np.sum(c**2))  # the trace stays 30
    c, c_new = scale * c, scale * c_new
    second = solve_mcm(np.outer(c, c) * K0, y, C, sparsity)  # 6, 7
    f_new = np.outer(c_new, c) * rbf_kernel(Z_new, Z, gamma) @ second.coef + second.b  # 8

    pipeline = make_pipeline(
        StandardScaler(), ConformalMCMClassifier(C=C, gamma=gamma, sparsity=sparsity, gamma_c=gamma_c, D=D)
    ).fit(X, y)
    machine = pipeline[-1]
    np.testing.assert_allclose(machine.cores_, cores)
    np.testing.assert_allclose(np.abs(machine.c_), np.abs(c), rtol=1e-6)
    np.testing.assert_allclose(machine.c_, machine.conformal_map_(Z))
    assert machine.J_before_ == pytest.approx(B0.sum() / W0.sum())
    assert machine.J_after_ == pytest.approx((c @ B0 @ c) / (c @ W0 @ c))
    assert machine.objective_ == pytest.approx(second.objective, rel=1e-6)
    np.testing.assert_allclose(pipeline.decision_function(new), f_new, rtol=1e-4, atol=1e-5)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from(["rbf", "poly", "linear"]))
def test_what_every_fit_leaves_behind(seed, kernel):
    X, y = moons(seed, M=30)
    machine = ConformalMCMClassifier(kernel=kernel, degree=2, C=4.0, sparsity=0.05).fit(X, y)
    assert machine.core_indices_.tolist() == machine.basic_.support_.tolist()
    np.testing.assert_array_equal(machine.cores_, X[machine.core_indices_])
    assert machine.alpha_.shape == (len(machine.cores_) + 1,)
    assert machine.gamma_c_ == pytest.approx(1 / (2 * X.var()))
    assert machine.J_after_ > machine.J_before_ * (1 - 1e-3)
    assert machine.certificate_.proves_optimal()
    k0 = {"rbf": rbf_kernel(X, gamma=machine.gamma_c_), "poly": Polynomial(2)(X), "linear": X @ X.T}[kernel]
    assert machine.J_after_ == pytest.approx(kernel_fisher_scalar(k0, y, machine.c_))
    f = (np.outer(machine.c_, machine.c_) * k0)[:, machine.support_] @ machine.dual_coef_[0] + machine.intercept_[0]
    np.testing.assert_allclose(machine.decision_function(X), f, atol=1e-8)


# --- c = 1 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "poly", Linear()])
def test_with_c_equal_to_one_it_is_the_mcm(monkeypatch, kernel):
    X, y = moons(1)
    monkeypatch.setattr(
        conformal_mcm,
        "optimal_map",
        lambda K0, y, X, cores, gamma, D, ridge: ConformalMap(cores, np.eye(len(cores) + 1)[0], gamma),
    )
    conformal = ConformalMCMClassifier(kernel=kernel, degree=2).fit(X, y)
    plain = MCMClassifier(kernel=kernel, degree=2, gamma="scale", sparsity=0.1).fit(X, y)
    assert conformal.machine_ is not conformal.basic_
    np.testing.assert_array_equal(conformal.c_, 1)
    np.testing.assert_array_equal(conformal.decision_function(X + 0.1), plain.decision_function(X + 0.1))
    assert conformal.J_after_ == conformal.J_before_


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6))
def test_bumps_too_wide_to_be_seen_give_c_equal_to_one(seed):
    """As gamma_c goes to 0 all columns of K_1 become the ones: the fitted c is 1 without anyone forcing it."""
    X, y = moons(seed)
    conformal = ConformalMCMClassifier(gamma_c=1e-300).fit(X, y)
    plain = MCMClassifier(gamma="scale", sparsity=0.1).fit(X, y)
    np.testing.assert_allclose(conformal.c_, 1, rtol=1e-12)
    assert conformal.objective_ == pytest.approx(plain.objective_, rel=1e-6)
    np.testing.assert_allclose(conformal.decision_function(X), plain.decision_function(X), atol=1e-4)


def test_no_cores():
    X, y = moons(2)
    with pytest.warns(NoCoresWarning, match="smaller sparsity"), pytest.warns(ConstantClassifierWarning):
        conformal = ConformalMCMClassifier(C=1e-3, sparsity=10.0).fit(X, y)
    with pytest.warns(ConstantClassifierWarning):
        plain = MCMClassifier(C=1e-3, sparsity=10.0).fit(X, y)
    assert conformal.cores_.shape == (0, 2)
    assert conformal.alpha_.tolist() == [1.0]
    np.testing.assert_array_equal(conformal.c_, 1)
    np.testing.assert_array_equal(conformal.predict(X), plain.predict(X))
    assert conformal.J_after_ == conformal.J_before_


# --- options ---------------------------------------------------------------------------------------------------------


def test_balanced_cores():
    X, y = moons(4, M=80)
    everything = ConformalMCMClassifier(C=4.0).fit(X, y)
    machine = ConformalMCMClassifier(C=4.0, balance=True).fit(X, y)
    signs = y[everything.core_indices_]
    P = min(np.sum(signs < 0), np.sum(signs > 0))
    assert np.sum(signs < 0) != np.sum(signs > 0)  # or there would be nothing to see
    kept = machine.core_indices_
    assert np.sum(y[kept] < 0) == np.sum(y[kept] > 0) == P > 0
    lam = dict(zip(machine.basic_.support_, np.abs(machine.basic_.dual_coef_[0]), strict=True))
    dropped = set(everything.core_indices_) - set(kept)
    larger_class = [lam[i] for i in kept if y[i] == y[next(iter(dropped))]]
    assert max(lam[i] for i in dropped) <= min(larger_class)


def test_balanced_cores_of_one_class_leave_none():
    X, y = np.array([[0.0], [0.1], [5.0], [-5.0]]), np.array([1, 1, -1, -1])
    machine = ConformalMCMClassifier(gamma=1.0, C=4.0, sparsity=0.5, balance=True)
    with pytest.warns(NoCoresWarning, match="balance=False"):
        machine.fit(X, y)
    assert set(y[machine.basic_.support_]) == {1}
    np.testing.assert_array_equal(machine.decision_function(X), machine.basic_.decision_function(X))
    assert machine.set_params(balance=False).fit(X, y).J_after_ > machine.J_before_


def test_a_class_of_one_sample():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [1, -1, 1, 1]
    machine = ConformalMCMClassifier(gamma=2.0, C=10.0, gamma_c=50.0)
    assert machine.fit(X, y).predict(X).tolist() == y
    with pytest.raises(InvalidInputError, match="larger D"):
        ConformalMCMClassifier(gamma=2.0, C=10.0, gamma_c=1e4, D=0.0, sparsity=0.01).fit(X, y)


def test_sparse_data_and_any_labels():
    X, y = moons(5)
    dense = ConformalMCMClassifier(gamma=1.0).fit(X, y)
    sparse = ConformalMCMClassifier(gamma=1.0).fit(sp.csr_array(X), np.where(y > 0, "yes", "no"))
    np.testing.assert_allclose(sparse.decision_function(sp.csr_array(X)), dense.decision_function(X), atol=1e-5)
    assert sparse.score(sp.csr_array(X), np.where(y > 0, "yes", "no")) == dense.score(X, y)


def test_a_function_as_kernel():
    X, y = moons(6)
    k = lambda X, Z: rbf_kernel(X, Z, 0.8)  # noqa: E731
    by_function = ConformalMCMClassifier(kernel=k, gamma_c=1.0).fit(X, y)
    by_name = ConformalMCMClassifier(gamma=0.8, gamma_c=1.0).fit(X, y)
    np.testing.assert_allclose(by_function.decision_function(X), by_name.decision_function(X), atol=1e-8)


def test_gamma_c_can_be_tuned():
    X, y = moons(7, M=60)
    search = GridSearchCV(ConformalMCMClassifier(), {"gamma_c": [0.1, 1.0], "D": [1e-3, 1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.7


def test_the_mapped_kernel_beside_the_basic_one():
    """By hand: the programme on (K_0 + C K_0 C) / 2, with the c that the paper's map has."""
    X, y = moons(10)
    X, new, y = X[:30], X[30:], y[:30]
    paper, beside = (ConformalMCMClassifier(gamma=1.0, map=map).fit(X, y) for map in ("paper", "beside"))
    np.testing.assert_array_equal(beside.c_, paper.c_)
    c, c_new = paper.c_, paper.conformal_map_(new)
    K = rbf_kernel(X, gamma=1.0) * (1 + np.outer(c, c)) / 2
    solution = solve_mcm(K, y)
    f = rbf_kernel(new, X, gamma=1.0) * (1 + np.outer(c_new, c)) / 2 @ solution.coef + solution.b
    np.testing.assert_allclose(beside.decision_function(new), f, atol=1e-6)
    assert beside.objective_ == pytest.approx(solution.objective)
    assert np.trace(K) == pytest.approx(30)
    assert beside.J_after_ == pytest.approx(kernel_fisher_scalar(K, y))
    assert paper.J_before_ < beside.J_after_ < paper.J_after_


def test_a_high_price_on_the_bumps_leads_back_to_the_mcm():
    X, y = moons(11)
    J = [ConformalMCMClassifier(ridge=ridge).fit(X, y).J_after_ for ridge in (0.0, 1e-3, 0.1, 1e3)]
    assert sorted(J, reverse=True) == J
    for map in ("paper", "beside"):
        flat = ConformalMCMClassifier(ridge=1e9, map=map).fit(X, y)
        np.testing.assert_allclose(flat.c_, 1.0, atol=1e-6)
        plain = MCMClassifier(gamma="scale", sparsity=0.1).fit(X, y)
        np.testing.assert_allclose(flat.decision_function(X), plain.decision_function(X), atol=1e-4)


def validated_by_scikit_learn(X, y, **parameters):
    """Rows that the map wins and loses in three-fold cross-validation, by cross_val_predict."""
    place = np.empty(len(y), dtype=int)
    for part, rows in enumerate(stratified_parts(y, 3, seed=0)):
        place[rows] = part
    plain, mapped = (
        cross_val_predict(machine(**parameters), X, y, cv=PredefinedSplit(place)) == y
        for machine in (MCMClassifier, ConformalMCMClassifier)
    )
    return np.sum(mapped & ~plain), np.sum(plain & ~mapped)


@pytest.mark.parametrize(
    ("world", "parameters", "wanted"),
    [
        (make_moons, {"kernel": "rbf", "C": 4.0, "sparsity": 0.1, "gamma": "scale"}, False),
        # no line tells a disc from the ring around it, but a line times c can
        (partial(make_circles, factor=0.3), {"kernel": "poly", "degree": 1, "C": 4.0}, True),
    ],
)
def test_a_map_that_has_to_prove_itself(world, parameters, wanted):
    X, y = world(60, noise=0.1, random_state=0)
    y = 2.0 * y - 1
    wins, losses = validated_by_scikit_learn(X, y, **parameters)
    machine = ConformalMCMClassifier(**parameters, validate=True).fit(X, y)
    assert machine.map_used_ is wanted is bool(wins - losses > np.sqrt(wins + losses))
    other = (ConformalMCMClassifier if wanted else MCMClassifier)(**parameters).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), other.decision_function(X), atol=1e-8)
    if not wanted:
        np.testing.assert_array_equal(machine.c_, 1.0)
        assert machine.machine_ is machine.basic_ and machine.J_after_ == machine.J_before_


def test_nothing_to_validate_with():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [1, -1, 1, 1]
    machine = ConformalMCMClassifier(gamma=2.0, C=10.0, validate=True).fit(X, y)
    assert machine.map_used_ is False and machine.predict(X).tolist() == y


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"kernel": "precomputed"}, "points themselves"),
        ({"kernel": "sigmoid"}, "no kernel 'sigmoid'"),
        ({"gamma_c": "auto"}, "gamma_c must be a number > 0 or 'scale'"),
        ({"gamma_c": 0}, "gamma_c must be"),
        ({"D": -1e-3}, "D must be a finite number >= 0"),
        ({"D": "small"}, "D must be"),
        ({"ridge": -0.5}, "ridge must be a finite number >= 0"),
        ({"map": "under"}, "map must be 'paper' or 'beside'"),
        ({"C": 0}, "C must be"),
        ({"gamma": -1}, "gamma must be"),
    ],
)
def test_bad_parameters(parameters, says):
    X, y = moons(8)
    with pytest.raises(InvalidInputError, match=says):
        ConformalMCMClassifier(**parameters).fit(X, y)


def test_before_fit_and_with_the_wrong_data():
    X, y = moons(9)
    machine = ConformalMCMClassifier()
    with pytest.raises(NotFittedError, match="fit"):
        machine.predict(X)
    with pytest.raises(InvalidInputError, match="one label per sample"):
        machine.fit(X, y[:-1])
    with pytest.raises(InvalidInputError, match="1 features"):
        machine.fit(X, y).predict(X[:, :1])
