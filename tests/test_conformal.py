"""Conformal maps: the eigenvalue problem N(41) beats every other alpha, also where Q is singular; the induced metric."""

import pickle

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_moons

from mcmteach import (
    RBF,
    ConformalKernel,
    ConformalMap,
    MCMClassifier,
    amari_wu_map,
    is_mercer,
    kernel_fisher_scalar,
    optimal_map,
    rbf_kernel,
    scatter_matrices,
    xiong_map,
)
from mcmteach.conformal import (
    conformal_matrix,
    core_matrix,
    induced_metric,
    largest_ratio,
    magnification,
    optimal_alpha,
    xiong_ascent,
)
from mcmteach.errors import InvalidInputError
from mcmteach.kernels import Separable


def problem(seed, M=24, n=2, P=5, gamma=0.5, gamma_c=1.0):
    """Two noisy classes, a random third or so as cores: K0, y, X, cores, K1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(M, n))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=M) > 0, 1.0, -1.0)
    y[:4] = [1, 1, -1, -1]
    cores = X[rng.choice(M, P, replace=False)]
    return rbf_kernel(X, gamma=gamma), y, X, cores, core_matrix(X, cores, gamma_c)


problems = st.builds(
    problem,
    seed=st.integers(0, 10**6),
    M=st.integers(12, 30),
    n=st.integers(1, 4),
    P=st.integers(1, 6),
    gamma=st.sampled_from([0.05, 0.5, 2.0]),
    gamma_c=st.sampled_from([0.1, 1.0, 5.0]),
)


def Q_of(K0, y, K1):
    return K1.T @ scatter_matrices(K0, y)[1] @ K1


# --- the eigenvalue problem ------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(problems, st.integers(0, 10**6))
def test_no_other_alpha_has_a_larger_J(case, seed):
    K0, y, _, _, K1 = case
    assume(np.linalg.cond(Q_of(K0, y, K1)) < 1e10)
    alpha, eigenvalue = optimal_alpha(K0, y, K1, D=0)
    best = kernel_fisher_scalar(K0, y, K1 @ alpha)
    assert best == pytest.approx(eigenvalue, rel=1e-8)
    assert kernel_fisher_scalar(K0, y) <= best * (1 + 1e-9)
    for other in np.random.default_rng(seed).normal(size=(20, K1.shape[1])):
        assert kernel_fisher_scalar(K0, y, K1 @ other) <= best * (1 + 1e-9)
    for line_search in (False, True):
        reached, _ = xiong_ascent(K0, y, K1, n_steps=30, line_search=line_search)
        assert kernel_fisher_scalar(K0, y, K1 @ reached) <= best * (1 + 1e-9)


@settings(deadline=None, max_examples=30)
@given(problems, st.sampled_from([0.0, 1e-3, 1.0]))
def test_the_printed_problem_has_the_same_eigenvalue(case, D):
    """scipy on N(41) as it is printed, P alpha = gamma Q alpha, where Q is safely invertible."""
    K0, y, _, _, K1 = case
    B0, W0 = scatter_matrices(K0, y)
    P, Q = K1.T @ B0 @ K1, K1.T @ (W0 + D * np.eye(len(W0))) @ K1
    assume(np.linalg.cond(Q) < 1e8)
    alpha, eigenvalue = optimal_alpha(K0, y, K1, D)
    assert eigenvalue == pytest.approx(scipy.linalg.eigh(P, Q)[0][-1], rel=1e-6)
    np.testing.assert_allclose(P @ alpha, eigenvalue * Q @ alpha, atol=1e-6 * np.abs(Q @ alpha).max())


def test_by_hand():
    """Classes {1, 2} and {3, 4} at a right angle, c free: B_0 c = gamma W_0 c decouples into the two."""
    K0, y = np.kron(np.eye(2), [[1.0, 0.5], [0.5, 1.0]]), [1, 1, -1, -1]
    # within a class c = (1, 1): c'B_0c = 3/2 - 3/4 = 3/4, c'W_0c = 2 - 3/2 = 1/2. So J = 3/2; (1, -1) gives 1/4 over 3/2
    c, eigenvalue = optimal_alpha(K0, y, np.eye(4), D=0)
    assert eigenvalue == pytest.approx(1.5)
    assert c[0] == pytest.approx(c[1]) and c[2] == pytest.approx(c[3])
    assert optimal_alpha(K0, y, np.eye(4), D=0.5)[1] == pytest.approx(0.75 / (0.5 + 0.5 * 2))


@settings(deadline=None, max_examples=10)
@given(problems, st.sampled_from([1e-90, 1e-9, 1e9, 1e90]))
def test_the_unit_of_K_1_is_only_that_of_alpha(case, unit):
    """J does not change if c is multiplied by a number, and c = K_1 alpha is the same for unit * K_1 and alpha / unit."""
    K0, y, _, _, K1 = case
    (alpha, eigenvalue), (other, same) = optimal_alpha(K0, y, K1), optimal_alpha(K0, y, unit * K1)
    assert same == pytest.approx(eigenvalue, rel=1e-9)
    c, d = K1 @ alpha, unit * K1 @ other
    assert abs(c @ d) == pytest.approx(np.linalg.norm(c) * np.linalg.norm(d), rel=1e-6)


def test_D_holds_c_back():
    K0, y, _, _, K1 = problem(1)
    found = [optimal_alpha(K0, y, K1, D) for D in (0.0, 0.1, 10.0)]
    J = [kernel_fisher_scalar(K0, y, K1 @ alpha) for alpha, _ in found]
    assert J[0] > J[1] > J[2]
    assert all(j > eigenvalue for j, (_, eigenvalue) in zip(J[1:], found[1:], strict=True))


def test_a_price_on_the_bumps_leads_to_no_map():
    K0, y, X, cores, _ = problem(12)
    maps = [optimal_map(K0, y, X, cores, 1.0, ridge=ridge) for ridge in (0.0, 0.1, 10.0, 1e6)]
    J = [kernel_fisher_scalar(K0, y, c(X)) for c in maps]
    assert J[0] > J[1] > J[2] > J[3]
    np.testing.assert_allclose(maps[-1](X), 1.0, atol=1e-4)  # alpha_0 is free, and c² is 1 on average
    assert J[3] == pytest.approx(kernel_fisher_scalar(K0, y), rel=1e-4)


@pytest.mark.parametrize("D", [0.0, 1e-3])
@pytest.mark.parametrize("trouble", ["as many cores as samples", "the same core twice", "small gamma_c"])
def test_where_Q_is_singular(trouble, D):
    K0, y, X, cores, _ = problem(2, gamma=2.0)
    gamma_c = 1e-9 if trouble == "small gamma_c" else 1.0
    if trouble == "as many cores as samples":
        cores = X
    elif trouble == "the same core twice":
        cores = np.vstack([cores, cores])
    K1 = core_matrix(X, cores, gamma_c)
    assert np.linalg.cond(Q_of(K0, y, K1)) > 1e14
    alpha, eigenvalue = optimal_alpha(K0, y, K1, D)
    J = kernel_fisher_scalar(K0, y, K1 @ alpha)
    assert eigenvalue * (1 - 1e-6) <= J
    assert kernel_fisher_scalar(K0, y) * (1 - 1e-6) <= J
    if D == 0:
        assert pytest.approx(eigenvalue, rel=1e-6) == J


def test_the_same_core_twice_changes_nothing():
    K0, y, X, cores, _ = problem(3)
    once, twice = (optimal_map(K0, y, X, A, 1.0) for A in (cores, np.vstack([cores, cores])))
    new = np.random.default_rng(0).normal(size=(10, 2))
    np.testing.assert_allclose(once(new), twice(new), rtol=1e-6, atol=1e-8)


def test_as_many_cores_as_samples_reach_the_best_c_there_is():
    """K_1 has full row rank, so alpha is no restriction: N(41) becomes B_0 c = gamma W_0 c."""
    K0, y, X, _, _ = problem(4, gamma=2.0)
    _, unrestricted = optimal_alpha(K0, y, np.eye(len(y)), D=0)
    _, with_all_cores = optimal_alpha(K0, y, core_matrix(X, X, 20.0), D=0)
    assert with_all_cores == pytest.approx(unrestricted, rel=1e-6)


def test_c_at_new_points_keeps_its_digits_for_small_gamma_c():
    """With all of K_1's singular values kept, alpha would be so large that c(x) drowned in rounding."""
    K0, y, X, cores, _ = problem(5, P=8)
    c = optimal_map(K0, y, X, cores, gamma=1e-4, D=0)
    exact = c.alpha[0].astype(np.longdouble) + np.exp(
        -c.gamma * ((X[:, None].astype(np.longdouble) - cores) ** 2).sum(axis=2)
    ) @ c.alpha[1:].astype(np.longdouble)
    np.testing.assert_allclose(c(X), exact.astype(float), atol=1e-6)


@settings(deadline=None, max_examples=25)
@given(problems)
def test_the_fitted_maps_keep_the_trace_and_are_positive_on_average(case):
    K0, y, X, cores, _ = case
    for c in (optimal_map(K0, y, X, cores, 1.0), xiong_map(K0, y, X, cores, 1.0, n_steps=5)):
        assert np.trace(conformal_matrix(K0, c(X))) == pytest.approx(np.trace(K0))
        assert c(X).sum() >= 0


def test_the_best_c_is_a_classifier_itself():
    """It takes one sign in each class; a positive factor of the same size, |c|, has a far smaller J."""
    X, labels = make_moons(100, noise=0.2, random_state=0)
    y, K0 = np.where(labels, 1, -1), rbf_kernel(X, gamma=0.5)
    c = optimal_map(K0, y, X, X[::5], gamma=0.5)(X)
    assert max(np.mean(np.sign(c) == y), np.mean(np.sign(c) == -y)) > 0.9
    assert kernel_fisher_scalar(K0, y, np.abs(c)) < 0.5 * kernel_fisher_scalar(K0, y, c)


def test_without_a_largest_J_it_says_so():
    K0, y = np.eye(3), [1, 1, -1]  # c = (0, 0, 1) leaves one point per class
    with pytest.raises(InvalidInputError, match="larger D"):
        optimal_alpha(K0, y, np.eye(3), D=0)
    assert optimal_alpha(K0, y, np.eye(3), D=1e-3)[1] > 100
    with pytest.raises(InvalidInputError, match="larger D"):
        xiong_ascent(np.ones((3, 3)), y, np.ones((3, 1)))
    with pytest.raises(InvalidInputError, match="larger D"):
        largest_ratio(np.eye(2), np.zeros((2, 2)))


# --- Xiong's ascent --------------------------------------------------------------------------------------------------


def test_the_printed_step_by_hand():
    """One step from alpha = (1, 0), for two pairs of points of which the first has k_11 = k_22 = 2, core over that pair."""
    K0 = np.array([[2.0, 0.5, 0, 0], [0.5, 2.0, 0, 0], [0, 0, 1.0, 0.5], [0, 0, 0.5, 1.0]])
    y, K1 = [1, -1, 1, -1], np.array([[1.0, 1], [1, 1], [1, 0], [1, 0]])
    # no two of a class touch, so the class blocks are diag(k)/2:  B_0 = diag(k)/2 - K_0/4,  W_0 = diag(k)/2.
    # with 1 = (1,1,1,1) and e = (1,1,0,0):  1'B_0 1 = 3 - 2 = 1,  e'B_0 1 = 2 - 5/4 = 3/4;  1'W_0 1 = 3,  e'W_0 1 = 2
    # so J = 1/3, and the slope is (1 - 1/3 · 3, 3/4 - 1/3 · 2)/3 = (0, 1/36)
    alpha, J = xiong_ascent(K0, y, K1, n_steps=1, eta0=0.36)
    assert J[0] == pytest.approx(1 / 3)
    np.testing.assert_allclose(alpha, np.array([1, 0.01]) / np.hypot(1, 0.01), rtol=1e-12)


def test_the_schedule_falls_to_zero():
    """eta(t) = eta_0 (1 - t/N): with N = 2 the second step is half as long as it would be with N so large that it is eta_0."""
    K0, y, _, _, K1 = problem(6)
    B0, W0 = scatter_matrices(K0, y)
    M0, N0 = K1.T @ B0 @ K1, K1.T @ W0 @ K1
    alpha = np.eye(len(M0))[0]
    for eta in (0.1, 0.05):
        J1, J2 = alpha @ M0 @ alpha, alpha @ N0 @ alpha
        alpha = alpha + eta * (M0 / J2 - J1 / J2**2 * N0) @ alpha
        alpha = alpha / np.linalg.norm(alpha)
    np.testing.assert_allclose(xiong_ascent(K0, y, K1, n_steps=2, eta0=0.1)[0], alpha, rtol=1e-10)


@pytest.mark.parametrize("line_search", [False, True])
@pytest.mark.parametrize("unit", [1e-60, 1e-12, 1e12, 1e60])
def test_the_ascent_does_not_depend_on_the_unit_of_the_kernel(unit, line_search):
    """B_0 and W_0 are multiplied by it, J and each step by nothing."""
    K0, y, _, _, K1 = problem(11)
    alpha, J = xiong_ascent(K0, y, K1, n_steps=10, line_search=line_search)
    same, again = xiong_ascent(unit * K0, y, K1, n_steps=10, line_search=line_search)
    np.testing.assert_allclose(again, J, rtol=1e-9)
    assert abs(same @ alpha) == pytest.approx(1.0, rel=1e-9)


@settings(deadline=None, max_examples=25)
@given(problems)
def test_with_line_search_J_never_falls(case):
    K0, y, _, _, K1 = case
    _, J = xiong_ascent(K0, y, K1, n_steps=30, line_search=True)
    assert J[0] == pytest.approx(kernel_fisher_scalar(K0, y))
    assert np.all(np.diff(J) >= -1e-9 * J[:-1])


@settings(deadline=None, max_examples=25)
@given(problems)
def test_no_step_along_the_gradient_is_better_than_the_searched_one(case):
    K0, y, _, _, K1 = case
    B0, W0 = scatter_matrices(K0, y)
    alpha = np.eye(K1.shape[1])[0]
    slope = K1.T @ (B0 - kernel_fisher_scalar(K0, y) * W0) @ K1 @ alpha
    tried = [kernel_fisher_scalar(K0, y, K1 @ (alpha + eta * slope)) for eta in np.geomspace(1e-3, 1e3, 200)]
    assert xiong_ascent(K0, y, K1, n_steps=1, line_search=True)[1][1] >= max(tried) * (1 - 1e-9)


def test_line_search_arrives_where_the_printed_schedule_does_not():
    K0, y, X, cores, K1 = problem(7, M=60, P=6, gamma_c=2.0)
    top = optimal_alpha(K0, y, K1)[1]
    printed, searched = (
        kernel_fisher_scalar(K0, y, xiong_map(K0, y, X, cores, 2.0, line_search=line)(X)) for line in (False, True)
    )
    start = kernel_fisher_scalar(K0, y)
    assert start < printed < start + 0.5 * (top - start)  # not half of the way up
    assert searched > 0.99 * top


# --- Amari and Wu ----------------------------------------------------------------------------------------------------


def test_amari_wu_formula():
    cores, X = np.array([[0.0, 0.0], [1.0, 2.0]]), np.array([[0.5, 0.5], [3.0, -1.0]])
    c = amari_wu_map(cores, gamma=0.5, weights=[2.0, -3.0], tau=0.7)
    by_hand = [
        2 * np.exp(-np.sum((x - cores[0]) ** 2) / (2 * 0.49)) + 3 * np.exp(-np.sum((x - cores[1]) ** 2) / (2 * 0.49))
        for x in X
    ]
    np.testing.assert_allclose(c(X), by_hand)
    sigma, n = 1 / np.sqrt(2 * 0.5), 2
    np.testing.assert_allclose(
        amari_wu_map(cores, gamma=0.5)(X), amari_wu_map(cores, gamma=0.5, tau=sigma / np.sqrt(n))(X)
    )


def test_amari_wu_takes_what_a_machine_offers():
    _, y, X, _, _ = problem(8)
    machine = MCMClassifier(gamma=0.5).fit(X, y)
    c = amari_wu_map(machine.support_vectors_, machine.gamma_, machine.dual_coef_[0])
    assert np.all(c(X) > 0)
    stretched = MCMClassifier(kernel=ConformalKernel(c, RBF(0.5))).fit(X, y)
    assert stretched.score(X, y) > 0.7


# --- the map and its kernel ------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=25)
@given(problems, st.integers(0, 10**6))
def test_map_matrix_and_kernel_agree(case, seed):
    """c = K_1 alpha N(34), K = C K_0 C, c(x)c(x')k_0(x, x') and the kernel algebra's Separable(c) * k_0 are one thing."""
    _, _, X, cores, _ = case
    rng = np.random.default_rng(seed)
    c = ConformalMap(cores, rng.normal(size=len(cores) + 1), gamma=0.7)
    by_hand = [
        c.alpha[0] + sum(a * np.exp(-0.7 * np.sum((x - z) ** 2)) for a, z in zip(c.alpha[1:], cores, strict=True))
        for x in X
    ]
    np.testing.assert_allclose(c(X), by_hand, rtol=1e-9, atol=1e-12)
    K = np.diag(c(X)) @ RBF(0.5)(X) @ np.diag(c(X))
    np.testing.assert_allclose(conformal_matrix(RBF(0.5)(X), c(X)), K, atol=1e-12)
    np.testing.assert_allclose(ConformalKernel(c, RBF(0.5))(X), K, atol=1e-12)
    np.testing.assert_allclose((Separable(c) * RBF(0.5))(X), K, atol=1e-12)
    np.testing.assert_allclose(ConformalKernel(c, RBF(0.5))(X[:3], X), K[:3], atol=1e-12)
    assert is_mercer(K)


def test_sparse_points_and_cores():
    _, _, X, cores, _ = problem(9)
    alpha = np.arange(len(cores) + 1.0)
    dense, sparse = ConformalMap(cores, alpha, 0.5), ConformalMap(sp.csr_array(cores), alpha, 0.5)
    np.testing.assert_allclose(sparse(sp.csr_array(X)), dense(X))
    np.testing.assert_allclose(sparse.gradient(X), dense.gradient(X))
    np.testing.assert_allclose(pickle.loads(pickle.dumps(sparse))(X), dense(X))


def test_without_cores_c_is_constant():
    flat = ConformalMap(np.empty((0, 3)), [2.0], gamma=1.0)
    X = np.ones((4, 3))
    assert flat(X).tolist() == [2.0] * 4
    assert not flat.gradient(X).any()


# --- the metric ------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=25)
@given(problems, st.integers(0, 10**6))
def test_metric_and_magnification_against_finite_differences(case, seed):
    """g_ij = d²k(x, x')/dx_i dx'_j at x' = x, differenced on the kernel itself: nothing here knows about gradients of c."""
    _, _, X, cores, _ = case
    rng = np.random.default_rng(seed)
    c = ConformalMap(cores, rng.normal(size=len(cores) + 1), gamma=0.8)
    k, x, n, e = Separable(c) * RBF(0.3), X[:1], X.shape[1], 1e-4
    steps = e * np.eye(n)
    g = np.array(
        [
            [(k(x + i, x + j) - k(x + i, x - j) - k(x - i, x + j) + k(x - i, x - j)).item() / (4 * e**2) for j in steps]
            for i in steps
        ]
    )
    np.testing.assert_allclose(induced_metric(x, c, 0.3)[0], g, atol=1e-5 * max(1.0, np.abs(g).max()))
    det = np.linalg.det(induced_metric(x, c, 0.3)[0])
    assert magnification(x, c, 0.3)[0] == pytest.approx(np.sqrt(max(det, 0.0)), rel=1e-6, abs=1e-9)


def test_gradient_against_finite_differences():
    _, _, X, cores, _ = problem(10, n=3)
    c = ConformalMap(cores, np.arange(-2.0, len(cores) - 1), gamma=0.8)
    e = 1e-6
    numeric = np.column_stack([(c(X + d) - c(X - d)) / (2 * e) for d in e * np.eye(3)])
    np.testing.assert_allclose(c.gradient(X), numeric, atol=1e-7)


def test_a_bump_magnifies_at_its_core():
    c = ConformalMap([[0.0, 0.0]], [1.0, 2.0], gamma=1.0)
    at_core, far_away = magnification([[0.0, 0.0], [9.0, 9.0]], c, gamma=0.5)
    assert at_core == pytest.approx(9.0)  # 2 gamma c² = 9 in both directions, no slope
    assert far_away == pytest.approx(1.0)  # where the map is flat it is the RBF kernel's own (2 gamma)^(n/2)


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ConformalMap([[0.0]], np.ones(5), 1.0), "2 are needed.*M-vector"),
        (lambda: ConformalMap([[0.0]], [1.0, 1.0], 0.0), "gamma must be a finite number > 0"),
        (lambda: ConformalMap([0.0, 1.0], [1.0, 1.0, 1.0], 1.0), "cores has 1 dimension"),
        (lambda: ConformalMap([[0.0]], [1.0, np.nan], 1.0), "alpha contains NaN"),
        (lambda: ConformalMap([[0.0]], [1.0, 1.0], 1.0)([[0.0, 1.0]]), "features"),
        (lambda: ConformalMap([[0.0]], [0.0, 1.0], 1.0).scaled([[99.0]]), "c is 0 at every row"),
        (lambda: core_matrix([[0.0]], [[0.0]], -1), "gamma must be"),
        (lambda: conformal_matrix(np.eye(2), [1.0]), "2 are needed"),
        (lambda: conformal_matrix(np.ones((2, 3)), [1.0, 1.0]), "3 are needed"),
        (lambda: amari_wu_map([[0.0]], 1.0, weights=[1.0, 2.0]), "weights has 2 entries"),
        (lambda: amari_wu_map([[0.0]], 1.0, tau=0), "tau must be"),
        (lambda: xiong_ascent(np.eye(4), [1, 1, -1, -1], np.ones((4, 1)), n_steps=0), "n_steps must be"),
        (lambda: xiong_ascent(np.eye(4), [1, 1, -1, -1], np.ones((4, 1)), eta0="a"), "eta0 must be"),
        (lambda: optimal_alpha(np.eye(4), [1, 1, -1, -1], np.ones((3, 1))), "K_1 has 3 rows and K_0 has 4"),
        (lambda: optimal_alpha(np.eye(4), [1, 1, -1, -1], np.ones((4, 1)), D=-1), "D must be"),
        (lambda: optimal_map(np.eye(4), [1, 1, 1, 1], np.eye(4), np.eye(4), 1.0), "one class"),
        (lambda: induced_metric([[0.0]], ConformalMap([[0.0]], [1.0, 1.0], 1.0), gamma=0), "gamma must be"),
        (lambda: magnification([0.0], ConformalMap([[0.0]], [1.0, 1.0], 1.0), gamma=1), "Reshape"),
    ],
)
def test_bad_input(call, says):
    with pytest.raises(InvalidInputError, match=says):
        call()


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([1e-3, 0.1, 10.0]))
def test_no_other_alpha_is_better_at_this_price(seed, ridge):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, 2)), np.where(np.arange(20) % 2, 1.0, -1.0)
    K0, K1 = rbf_kernel(X, X, 0.5), core_matrix(X, X[:6], 1.0)
    B0, W0 = scatter_matrices(K0, y)

    def priced_J(alpha):
        c = K1 @ alpha
        return (c @ B0 @ c) / (c @ W0 @ c + ridge * 20 * np.sum(alpha[1:] ** 2))

    alpha, J = optimal_alpha(K0, y, K1, ridge=ridge)
    assert pytest.approx(priced_J(alpha)) == J
    for other in (*rng.normal(size=(30, 7)), *(alpha + 0.1 * np.linalg.norm(alpha) * rng.normal(size=(30, 7)))):
        assert priced_J(other) <= J * (1 + 1e-9)
