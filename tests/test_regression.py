"""The MCM for regression: by hand, against an independent programme, and the switch theorem at any data."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import OptimizeResult, minimize
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from mcmteach import MCMRegressor, rbf_kernel
from mcmteach.errors import CertificateWarning, InvalidInputError
from mcmteach.kernels import RBF
from mcmteach.regression import NoAnswerWarning, mcm_regression_path, solve_mcm_regression
from mcmteach.solvers.kernel_columns import KernelColumns
from mcmteach.solvers.regression_columns import RegressionColumns


def loss(K, y, C, epsilon, sparsity, coef, b, p):
    """The objective as a function of the machine, written once more from its definition."""
    f = K @ coef + b
    t = np.concatenate([f + p * (y + epsilon), -f - p * (y - epsilon)])
    return t.max() + C * np.maximum(0, 1 - t).sum() + sparsity * np.abs(coef).sum()


def sines(M=40, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(M, 1))
    return X, np.sin(X[:, 0]) + noise * rng.normal(size=M)


def test_two_points_on_a_line_by_hand():
    # g = w x with w = 1 fits y = x exactly: p = 1/eps, h = 1, and |lambda| = p |w| = 2 costs 0.1 * 2
    solution = solve_mcm_regression([[-1.0], [1.0]], [-1.0, 1.0], C=10.0, epsilon=0.5, sparsity=0.1)
    assert solution.p == pytest.approx(2.0) and solution.h == pytest.approx(1.0)
    assert solution.objective == pytest.approx(1.2) and solution.certificate.proves_optimal()
    np.testing.assert_allclose(solution.answers([[-1.0], [0.0], [3.0]]), [-1.0, 0.0, 3.0], atol=1e-9)


@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.1, 1.0]), st.sampled_from([0.05, 0.3, 2.0]))
@settings(max_examples=25)
def test_no_machine_nearby_is_better_and_the_certificate_says_so(seed, sparsity, epsilon):
    X, y = sines(15, seed)
    K = rbf_kernel(X, X, 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoAnswerWarning)
        found = solve_mcm_regression(K, y, 1.0, epsilon, sparsity)
    at = loss(K, y, 1.0, epsilon, sparsity, found.coef, found.b, found.p)
    assert found.objective == pytest.approx(at, rel=1e-9) and found.certificate.proves_optimal()
    rng = np.random.default_rng(seed)
    x = np.r_[found.coef, found.b, found.p]
    for size in (1e-3, 0.1, 3.0):
        other = x + size * rng.normal(size=len(x))
        other[-1] = abs(other[-1])
        assert loss(K, y, 1.0, epsilon, sparsity, other[:-2], other[-2], other[-1]) >= at * (1 - 1e-9)


def test_descent_from_anywhere_finds_nothing_better():
    X, y = sines(12)
    K = rbf_kernel(X, X, 0.5)
    found = solve_mcm_regression(K, y, 1.0, 0.3, 0.1)

    def objective(x):
        return loss(K, y, 1.0, 0.3, 0.1, x[:-2], x[-2], abs(x[-1]))

    for seed in range(3):
        start = np.random.default_rng(seed).normal(size=14)
        assert minimize(objective, start, method="Powell").fun >= found.objective * (1 - 1e-9)


@given(st.integers(2, 12), st.integers(0, 10**6), st.floats(0.05, 0.95), st.floats(0.01, 10.0))
@settings(max_examples=30)
def test_the_switch_below_there_is_no_answer_above_any_y_is_interpolated(M, seed, share, epsilon):
    rng = np.random.default_rng(seed)
    K = np.eye(M) + 0.1  # strictly positive definite, and well conditioned
    y = rng.normal(size=M) * 10.0 ** rng.integers(-2, 3)
    below, above = share / (2 * M), (1 + share) / (2 * M)
    with pytest.warns(NoAnswerWarning):
        nothing = solve_mcm_regression(K, y, below, epsilon, sparsity=0)
    assert nothing.p == 0 and nothing.objective == pytest.approx(2 * M * below)
    np.testing.assert_allclose(K @ nothing.coef + nothing.b, 0.0, atol=1e-7)
    found = solve_mcm_regression(K, y, above, epsilon, sparsity=0)
    assert found.objective == pytest.approx(1.0) and found.p == pytest.approx(1 / epsilon, rel=1e-5)
    np.testing.assert_allclose(found.answers(K), y, atol=1e-5 * (np.abs(y).max() + epsilon))


@pytest.mark.filterwarnings("ignore::mcmteach.regression.NoAnswerWarning")
@pytest.mark.parametrize("M", [2, 7, 24])
def test_at_the_switch_itself_both_ends_and_their_mixtures_are_optimal(M):
    K, y, C, epsilon = np.eye(M) + 0.1, np.random.default_rng(M).normal(size=M), 1 / (2 * M), 0.3
    found = solve_mcm_regression(K, y, C, epsilon, sparsity=0)
    assert found.objective == pytest.approx(1.0) and found.certificate.proves_optimal()
    through_all = np.linalg.solve(K, -y / epsilon)
    for share in (0.0, 0.3, 1.0):
        assert loss(K, y, C, epsilon, 0.0, share * through_all, 0.0, share / epsilon) == pytest.approx(1.0)
    machine = MCMRegressor("precomputed", C=C, epsilon=epsilon, sparsity=0).fit(K, y)
    assert np.isfinite(machine.predict(K)).all()


@pytest.mark.parametrize("y", [[1.0, 1.0 + 1e-9], [0.0, 1e-12], [1e8, 1e8 + 1e-6]])
def test_two_nearly_equal_targets_are_answered(y):
    answer = MCMRegressor().fit([[0.0], [1.0]], y).predict([[0.0], [0.5], [1.0]])
    np.testing.assert_allclose(answer, y[0], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("sparsity", [0.02, 0.3])
def test_a_weight_of_two_is_the_sample_twice_and_of_zero_the_sample_left_out(sparsity):
    X, y = sines(20)
    K, weights = rbf_kernel(X, X, 0.5), np.tile([1.0, 2.0, 0.0, 1.0], 5)
    rows = np.repeat(np.arange(20), weights.astype(int))
    weighted = solve_mcm_regression(K, y, 0.5, 0.2, sparsity, sample_weight=weights)
    copied = solve_mcm_regression(K[rows], y[rows], 0.5, 0.2, sparsity)
    assert weighted.objective == pytest.approx(copied.objective, rel=1e-9)
    assert weighted.certificate.proves_optimal() and copied.certificate.proves_optimal()


def test_shift_and_unit_of_y_change_nothing_else():
    X, y = sines(30)
    K = rbf_kernel(X, X, 0.5)
    one = solve_mcm_regression(K, y, 1.0, 0.2, 0.1)
    other = solve_mcm_regression(K, 1e4 * y + 1e6, 1.0, 0.2e4, 0.1)
    assert other.objective == pytest.approx(one.objective, rel=1e-6)
    np.testing.assert_allclose(other.answers(K), 1e4 * one.answers(K) + 1e6, rtol=1e-6)


def test_without_an_answer_asking_for_one_says_why():
    with pytest.warns(NoAnswerWarning, match="larger C"):
        nothing = solve_mcm_regression(np.eye(3), [1.0, 2.0, 3.0], C=0.01)
    with pytest.raises(InvalidInputError, match="p = 0"):
        nothing.answers(np.eye(3))


@pytest.mark.parametrize("y", [[1.0, 1.0, 1.0], [1.0, 1.0 + 1e-9, 1.0]])
def test_a_constant_y_is_answered(y):
    found = solve_mcm_regression(np.eye(3), y, C=1.0, epsilon=0.1)
    np.testing.assert_allclose(found.answers(np.zeros((2, 3))), 1.0, atol=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"C": 0.0}, "C"),
        ({"C": float("inf")}, "C"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"sparsity": -1.0}, "sparsity"),
        ({"sample_weight": [1.0, -1.0, 1.0]}, "sample_weight"),
        ({"sample_weight": [0.0, 0.0, 0.0]}, "sample_weight"),
        ({"sample_weight": [1.0]}, "sample_weight"),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        solve_mcm_regression(np.eye(3), [1.0, 2.0, 3.0], **arguments)


# --- when there is an answer -------------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.floats(0.3, 3.0))
@settings(max_examples=15)
def test_a_constant_is_an_answer_once_epsilon_reaches_half_the_range_over_2cm_minus_1(seed, C):
    # a price so high that lambda = 0: p > 0 exactly where (max y - min y) / 2 < (2 C M - 1) epsilon
    y = np.random.default_rng(seed).normal(size=8)
    least = np.ptp(y) / 2 / (2 * C * len(y) - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoAnswerWarning)
        below = solve_mcm_regression(np.eye(8), y, C, 0.99 * least, sparsity=1e4)
        above = solve_mcm_regression(np.eye(8), y, C, 1.01 * least, sparsity=1e4)
    assert below.p == 0 and above.p > 0 and not above.coef.any()


# --- the fast solver and the path ---------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.sampled_from([0.003, 0.05, 0.5]), st.sampled_from([0.01, 1.0]), st.booleans())
@settings(max_examples=15)
def test_the_fast_solver_finds_what_linprog_finds(seed, sparsity, C, weighted):
    X, y = sines(70, seed)
    weights = np.random.default_rng(seed).integers(0, 3, size=70) if weighted else None
    K = rbf_kernel(X, X, 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoAnswerWarning)
        slow, fast, lazy = (
            solve_mcm_regression(matrix, y, C, 0.2, sparsity, solver, sample_weight=weights)
            for matrix, solver in ((K, "linprog"), (K, "highs"), (KernelColumns(RBF(0.5), X), "highs"))
        )
    assert fast.objective == pytest.approx(slow.objective, rel=1e-8) == lazy.objective
    assert fast.certificate.proves_optimal(1e-8) and lazy.certificate.proves_optimal(1e-8)


def test_a_path_gives_the_solutions_one_by_one():
    X, y = sines(80)
    K, prices = rbf_kernel(X, X, 0.5), [3.0, 0.3, 0.03, 0.3]
    path = mcm_regression_path(K, y, 1.0, 0.2, prices)
    alone = [solve_mcm_regression(K, y, 1.0, 0.2, s, "linprog").objective for s in prices]
    np.testing.assert_allclose([s.objective for s in path], alone, rtol=1e-8)
    assert all(s.certificate.proves_optimal() for s in path)


def test_a_certificate_cannot_be_had_for_a_machine_that_is_not_optimal(monkeypatch):
    X, y = sines(60)

    def worse(self, C, sparsity, deadline, solve=RegressionColumns.solve):
        point = solve(self, C, sparsity, deadline)
        return point._replace(coef=point.coef * 1.01)

    monkeypatch.setattr(RegressionColumns, "solve", worse)
    monkeypatch.setattr("mcmteach.regression.linprog", lambda *_, **__: OptimizeResult(x=None, message="gave up"))
    with pytest.warns(CertificateWarning, match="not proved optimal"):
        found = solve_mcm_regression(rbf_kernel(X, X, 0.5), y, 1.0, 0.2, 0.1, "highs")
    assert not found.certificate.proves_optimal()


# --- the estimator -------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::mcmteach.errors.DataConversionWarning")
@pytest.mark.filterwarnings("ignore::mcmteach.regression.NoAnswerWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_scikit_learns_checks(kernel):
    check_estimator(MCMRegressor(kernel))


def test_the_machine_answers_what_its_programme_answers():
    X, y = sines(60)
    machine = MCMRegressor(C=0.5, epsilon=0.3, gamma=0.5, sparsity=0.05).fit(X, y)
    solution = solve_mcm_regression(rbf_kernel(X, X, 0.5), y, 0.5, 0.3, 0.05)
    new = np.linspace(-3, 3, 11)[:, None]
    np.testing.assert_allclose(machine.predict(new), solution.answers(rbf_kernel(new, X, 0.5)), atol=1e-8)
    assert machine.n_support_ == np.count_nonzero(solution.coef) == len(machine.support_vectors_)
    assert machine.certificate_.proves_optimal() and machine.objective_ == pytest.approx(solution.objective)
    inside = np.abs(y - machine.predict(X)) <= machine.tube_ + 1e-9
    assert 0 < inside.sum() < 60  # the tube has samples inside and outside


def test_precomputed_and_linear_kernels_agree_with_their_function():
    X, y = sines(60)
    by_name = MCMRegressor(gamma=0.5).fit(X, y)
    by_matrix = MCMRegressor("precomputed").fit(rbf_kernel(X, X, 0.5), y)
    np.testing.assert_allclose(by_matrix.predict(rbf_kernel(X, X, 0.5)), by_name.predict(X), atol=1e-8)
    line = MCMRegressor("linear", epsilon=0.5).fit(X, 3 * X[:, 0] - 2)
    assert line.coef_[0, 0] == pytest.approx(3.0) and line.intercept_[0] == pytest.approx(-2.0) and line.n_nonzero_ == 1


def test_the_unit_of_y_changes_the_answers_unit_and_nothing_else():
    X, y = sines(60)
    one, other = MCMRegressor().fit(X, y), MCMRegressor().fit(X, 1e6 * y - 1e7)
    np.testing.assert_allclose(other.predict(X), 1e6 * one.predict(X) - 1e7, rtol=1e-6)
    assert other.n_support_ == one.n_support_


def test_without_an_answer_it_warns_and_predicts_the_median():
    X, y = sines(21)
    with pytest.warns(NoAnswerWarning, match="larger epsilon"):
        machine = MCMRegressor(epsilon=1e-3, C=1.0).fit(X, y)
    assert machine.p_ == 0 and machine.n_support_ == 0
    np.testing.assert_array_equal(machine.predict(X), np.full(21, np.median(y)))


@pytest.mark.parametrize("level", [0.0, 1e-9, 1.0, -1e8])
def test_a_constant_y_is_predicted(level):
    X, _ = sines(10)
    np.testing.assert_allclose(MCMRegressor().fit(X, np.full(10, level)).predict(X), level, rtol=1e-9, atol=1e-9)


def test_a_weight_of_zero_leaves_a_sample_out_of_everything():
    X, y = sines(60)
    X[0], y[0] = 1e3, 1e3  # beyond all measure: it would change gamma, epsilon and the answer
    weights = np.ones(60)
    weights[0] = 0
    weighted, without = MCMRegressor().fit(X, y, weights), MCMRegressor().fit(X[1:], y[1:])
    np.testing.assert_allclose(weighted.predict(X[1:]), without.predict(X[1:]), atol=1e-9)
    np.testing.assert_array_equal(weighted.support_, without.support_ + 1)


def test_it_works_in_a_pipeline_and_compact_forgets_the_proof():
    X, y = sines(60)
    machine = make_pipeline(StandardScaler(), MCMRegressor()).fit(X, y)
    before = machine.predict(X)
    assert machine.score(X, y) > 0.9
    assert len(machine[-1].compact().certificate_.z) == 0
    np.testing.assert_array_equal(machine.predict(X), before)


@pytest.mark.parametrize("epsilon", ["auto", 0.0, -1.0, None, float("inf")])
def test_a_bad_epsilon_is_refused(epsilon):
    with pytest.raises(InvalidInputError, match="epsilon must be"):
        MCMRegressor(epsilon=epsilon).fit(*sines(10))
