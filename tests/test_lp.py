"""The linear programme against problems solved by hand, against another form of it, and against its own dual."""

import time

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

import mcmteach as mt
from mcmteach.errors import CertificateWarning, InfeasibleError, InvalidInputError, SolverError
from mcmteach.lp import build_lp, charnes_cooper_inverse, solve_by_linprog

INF = float("inf")
# multiples of 1/100: the tests also ask linprog directly, and it takes entries below 1e-9 for zero
data = arrays(float, (8, 2), elements=st.integers(-200, 200).map(lambda i: i / 100))
labels = st.lists(st.sampled_from([-1.0, 1.0]), min_size=8, max_size=8).filter(lambda y: len(set(y)) == 2).map(np.array)
prices = st.sampled_from([0.01, 0.1, 0.5])
costs = st.sampled_from([0.05, 0.5, 2.0, 20.0])


@pytest.fixture(scope="module", autouse=True)
def always_linprog():
    """The reference is what is tested here, whatever "auto" would take (test_lp_fast.py has the other one)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mcmteach.solvers.solve.AUTO", INF)
        yield


def objective(K, y, C, sparsity, coef, b):
    """The MCM's objective by fact 1: a hinge loss with a cap, and a price."""
    t = y * (K @ coef + b)
    return max(1.0, t.max()) + C * np.maximum(0, 1 - t).sum() + sparsity * np.abs(coef).sum()


# --- solved by hand ----------------------------------------------------------------------------------------------------


def test_two_points_by_hand():
    # x = 3 is +1 and x = -1 is -1, no slack. Both constraints can be met with equality, w*3 + b = 1 and w*(-1) + b = -1,
    # so w = 1/2, b = -1/2 and h = 1, which is its least value. The plane is the middle, x = 1.
    s = mt.solve_mcm([[3.0], [-1.0]], [1, -1], C=INF, sparsity=0)
    assert s.coef == pytest.approx([0.5]) and s.b == pytest.approx(-0.5)
    assert s.h == pytest.approx(1) and s.objective == pytest.approx(1)
    assert s.certificate.proves_optimal()


@pytest.mark.parametrize("C", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("price", [0.1, 0.9, 1.1, 3.0, 9.0])
def test_two_points_with_a_price_by_hand(C, price):
    # x = ±1. By symmetry take b = 0 and 0 <= w <= 1: y f = w, q = 1 - w, so the objective is 1 + 2C(1 - w) + price * w.
    # It is linear in w: w = 1 and 1 + price while price < 2C, and w = 0 and 1 + 2C beyond.
    s = mt.solve_mcm([[1.0], [-1.0]], [1, -1], C, sparsity=price)
    assert s.objective == pytest.approx(1 + min(price, 2 * C))
    assert s.certificate.proves_optimal()
    assert mt.constant_price(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), C) == pytest.approx(2 * C)


def test_four_points_by_hand():
    # 1, 2 are +1 and -1, -4 are -1, no slack:  w + b >= 1,  2w + b >= 1,  w - b >= 1,  4w - b >= 1,  h >= each of them.
    # Take h >= 4w - b. As 4w - b = 1.5 (w + b) + 2.5 (w - b) >= 1.5 + 2.5 = 4, no plane has h < 4; w = 1, b = 0 has h = 4.
    s = mt.solve_mcm([[1.0], [2.0], [-1.0], [-4.0]], [1, 1, -1, -1], C=INF, sparsity=0)
    assert s.coef == pytest.approx([1.0]) and s.b == pytest.approx(0, abs=1e-9)
    assert s.h == pytest.approx(4)
    # The multipliers 1.5, 2.5 and 1 are the dual solution: z = y (beta - alpha)
    assert s.certificate.z == pytest.approx([1.5, 0, -2.5, 1.0])
    assert s.certificate.dual == pytest.approx(4)


def test_charnes_cooper_takes_the_ratio_to_the_programme_and_back(blobs):
    X, y = blobs
    u, v = np.array([0.3, 0.4]), 0.1
    t = y * (X @ u + v)
    g, l = t.max(), t.min()  # N(17), N(18)
    assert l > 0
    w, b, h = mt.charnes_cooper(u, v, l, g)
    assert (y * (X @ w + b)).min() == pytest.approx(1)  # N(21), N(22): l p = 1
    assert (y * (X @ w + b)).max() == pytest.approx(h)  # N(20)
    assert h == pytest.approx(g / l) == mt.h_mcm(X, u, v)  # N(15), N(16), N(19)
    back = charnes_cooper_inverse(w, b, h, l)
    assert back[0] == pytest.approx(u) and back[1:] == pytest.approx((v, g))


# --- theorems ----------------------------------------------------------------------------------------------------------


def test_hard_margin_minimises_h_mcm_among_separating_planes(blobs):
    X, y = blobs
    s = mt.solve_mcm(X, y, C=INF, sparsity=0)
    assert s.h == pytest.approx(mt.h_mcm(X, s.coef, s.b))
    assert s.certificate.proves_optimal(1e-9) and not s.q.any()
    rng = np.random.default_rng(1)
    near = s.coef + 0.1 * np.linalg.norm(s.coef) * rng.normal(size=(1500, 2))
    for w in np.vstack([rng.normal(size=(1500, 2)), near]):
        f = X @ w
        for b in np.linspace(-f[y > 0].min(), -f[y < 0].max(), 7)[1:-1]:  # the offsets that separate, if any do
            if (y * (f + b)).min() > 0:
                assert mt.h_mcm(X, w, b) >= s.h * (1 - 1e-9)


@given(data, labels, costs, prices)
def test_soft_mcm_is_a_hinge_loss_with_a_cap(X, y, C, price):
    # the solver's own optimum of N(30-33) is the optimum of fact 1's form, solved as another LP:
    # y f + q - r = 1 with 0 <= r <= g, minimise 1 + g + C sum q + price ||lambda||
    K = mt.rbf_kernel(X, gamma=0.5)
    raw = scipy.optimize.linprog(**build_lp(K, y, C, price)._asdict())
    M, Y = len(y), y[:, None]
    I, zero = np.eye(M), np.zeros((M, 1))
    other = scipy.optimize.linprog(
        np.r_[np.full(2 * M, price), 0, 1, np.full(M, C), np.zeros(M)],
        A_eq=np.hstack([Y * K, -Y * K, Y, zero, I, -I]), b_eq=np.ones(M),
        A_ub=np.hstack([np.zeros((M, 2 * M)), zero, -np.ones((M, 1)), np.zeros((M, M)), I]), b_ub=np.zeros(M),
        bounds=[(0, None)] * (2 * M) + [(None, None)] + [(0, None)] * (2 * M + 1),
    )  # fmt: skip
    s = mt.solve_mcm(K, y, C, price)
    assert raw.fun == pytest.approx(1 + other.fun, rel=1e-7)
    assert s.objective == pytest.approx(raw.fun, rel=1e-7)
    assert s.objective == pytest.approx(objective(K, y, C, price, s.coef, s.b), rel=1e-12)
    assert s.h >= 1 and s.q.min() >= 0


@given(data, labels, costs, prices)
def test_no_other_machine_does_better(X, y, C, price):
    K = mt.rbf_kernel(X, gamma=0.5)
    s = mt.solve_mcm(K, y, C, price)
    rng = np.random.default_rng(0)
    for scale in (1e-3, 0.1, 1.0):
        for _ in range(30):
            coef, b = s.coef + scale * rng.normal(size=8), s.b + scale * rng.normal()
            assert objective(K, y, C, price, coef, b) >= s.objective * (1 - 1e-9)


@given(data, labels, costs)
def test_without_a_price_the_kernel_mcm_is_vacuous(X, y, C):
    # fact 2: K is invertible, so lambda = K^-1 y interpolates: h = 1, q = 0, objective 1, whatever C is
    K = mt.rbf_kernel(X, gamma=1.0)
    assume(np.linalg.cond(K) < 1e6)
    s = mt.solve_mcm(K, y, C, sparsity=0)
    assert s.objective == pytest.approx(1, abs=1e-6)
    assert s.h == pytest.approx(1, abs=1e-6)
    assert objective(K, y, C, 0, np.linalg.solve(K, y), 0.0) == pytest.approx(1, abs=1e-6)


def test_kernel_mcm_is_the_soft_linear_mcm_in_feature_space(moons):
    # N(26-29) with an explicit map phi, N(30-33) with K = phi phi': the same optimum, and w = sum lambda_j phi(x_j)
    X, y = moons
    phi = np.column_stack([X**2, np.sqrt(2) * X[:, 0] * X[:, 1]])
    K = mt.polynomial_kernel(X, degree=2, coef0=0)
    np.testing.assert_allclose(K, phi @ phi.T)
    primal, kernel = mt.solve_mcm(phi, y, 0.3, 0), mt.solve_mcm(K, y, 0.3, 0)
    assert primal.objective > 1.5  # the data are not separable there, so this says something
    assert kernel.objective == pytest.approx(primal.objective, rel=1e-7)
    w = phi.T @ kernel.coef
    np.testing.assert_allclose(phi @ w + kernel.b, K @ kernel.coef + kernel.b, atol=1e-9)
    assert objective(phi, y, 0.3, 0, w, kernel.b) == pytest.approx(primal.objective, rel=1e-7)


# --- hard margins that do not exist ------------------------------------------------------------------------------------


def test_unseparable_data_come_with_the_meeting_point_of_their_hulls():
    X = np.array([[0.0, 0.0], [4.0, 4.0], [1.0, 1.5], [3.0, 2.0], [9.0, 9.0]])
    y = np.array([1.0, 1.0, -1.0, -1.0, -1.0])
    with pytest.raises(InfeasibleError, match="convex hulls") as error:
        mt.solve_mcm(X, y, C=INF)
    a = error.value.weights
    assert a.min() >= 0 and a[y > 0].sum() == pytest.approx(1) and a[y < 0].sum() == pytest.approx(1)
    np.testing.assert_allclose(a[y > 0] @ X[y > 0], a[y < 0] @ X[y < 0], atol=1e-9)


def test_contradictory_duplicates_are_named():
    with pytest.raises(InfeasibleError, match="Samples 1 and 3 are identical and have opposite labels") as error:
        mt.solve_mcm([[0.0, 1.0], [5.0, 5.0], [9.0, 2.0], [5.0, 5.0]], [1, 1, -1, -1], C=INF)
    assert error.value.weights.tolist() == [0, 1, 0, 1]
    s = mt.solve_mcm([[0.0, 1.0], [5.0, 5.0], [9.0, 2.0], [5.0, 5.0]], [1, 1, -1, -1], C=1.0)  # slack allows them
    assert s.objective >= 3


# --- numerical care ------------------------------------------------------------------------------------------------------


def test_units_do_not_matter(blobs):
    X, y = blobs
    reference = mt.solve_mcm(X, y, C=INF, sparsity=0)
    for units in ([1e-9, 1.0], [1e6, 1e-6], [1e-12, 1e12]):
        s = mt.solve_mcm(X * units, y, C=INF, sparsity=0)
        assert s.h == pytest.approx(reference.h, rel=1e-7)
        assert s.coef * units == pytest.approx(reference.coef, rel=1e-5)


def test_sparse_input_gives_the_dense_answer(moons):
    X, y = moons
    K = mt.rbf_kernel(X, gamma=2.0)
    K = np.where(K > 0.05, K, 0.0)
    dense, sparse = mt.solve_mcm(K, y, 0.5, 0.1), mt.solve_mcm(sp.csr_array(K), y, 0.5, 0.1)
    assert sparse.objective == pytest.approx(dense.objective, rel=1e-9)
    assert sparse.certificate.proves_optimal()
    assert mt.solve_mcm(sp.coo_matrix(X), y, 0.5, 0).objective == pytest.approx(mt.solve_mcm(X, y, 0.5, 0).objective)
    with pytest.raises(InfeasibleError):
        mt.solve_mcm(sp.csr_array(X), y, INF)


def test_repeated_solutions_are_identical(moons):
    X, y = moons
    K = mt.rbf_kernel(X, gamma=0.5)
    a, b = mt.solve_mcm(K, y), mt.solve_mcm(K, y)
    assert a.b == b.b and np.array_equal(a.coef, b.coef)


def test_arguments_are_not_changed(moons):
    X, y = moons
    K = mt.rbf_kernel(X, gamma=0.5)
    K0, y0 = K.copy(), y.copy()
    mt.solve_mcm(K, y)
    assert np.array_equal(K, K0) and np.array_equal(y, y0)


# --- a solver that gives up ------------------------------------------------------------------------------------------------


def failing(methods):
    def linprog(*args, method, **kwargs):
        result = scipy.optimize.linprog(*args, method=method, **kwargs)
        if method in methods:
            result.x, result.status, result.message = None, 4, "numerical difficulties"
        return result

    return linprog


def test_the_other_algorithm_is_tried(moons, monkeypatch):
    X, y = moons
    K = mt.rbf_kernel(X, gamma=0.5)
    reference = mt.solve_mcm(K, y)
    monkeypatch.setattr("mcmteach.lp.linprog", failing(["highs-ds"]))
    assert mt.solve_mcm(K, y).objective == pytest.approx(reference.objective)


def halving(asked, wrong):
    """linprog, whose answers are wrong by a factor the first ``wrong`` times. Whom it was asked for is noted."""

    def linprog(*args, method, **kwargs):
        result = scipy.optimize.linprog(*args, method=method, **kwargs)
        asked.append(method)
        if len(asked) <= wrong:
            result.x = result.x / 2
        return result

    return linprog


@pytest.mark.parametrize("wrong", [1, 2])
def test_it_is_asked_again_until_a_solution_is_proved(moons, monkeypatch, wrong):
    X, y = moons
    K, asked = mt.rbf_kernel(X, gamma=0.5), []
    monkeypatch.setattr("mcmteach.lp.linprog", halving(asked, wrong))
    assert mt.solve_mcm(K, y).certificate.proves_optimal()
    assert asked == ["highs-ds", "highs-ds", "highs-ipm"][: wrong + 1]


def test_the_interior_point_method_is_not_asked_about_large_programmes(moons, monkeypatch):
    X, y = moons
    K, asked = mt.rbf_kernel(X, gamma=0.5), []
    monkeypatch.setattr("mcmteach.lp.linprog", halving(asked, 9))
    for largest, methods in ((K.size, 3), (K.size - 1, 2)):
        monkeypatch.setattr("mcmteach.lp.INTERIOR", largest)
        with pytest.warns(CertificateWarning):
            mt.solve_mcm(K, y)
        assert asked == ["highs-ds", "highs-ds", "highs-ipm"][:methods]
        asked.clear()


def test_after_the_deadline_nothing_is_tried_any_more(blobs, monkeypatch):
    X, y = blobs
    monkeypatch.setattr("mcmteach.lp.linprog", None)
    monkeypatch.setattr("mcmteach.lp.separate", None)
    with pytest.raises(SolverError, match="the time was up"):
        solve_by_linprog(X, y, INF, 0.1, time.perf_counter())


def test_a_solver_that_gives_up_says_why_and_what_to_do(moons, monkeypatch):
    X, y = moons
    monkeypatch.setattr("mcmteach.lp.linprog", failing(["highs-ds", "highs-ipm"]))
    with pytest.raises(SolverError, match=r"numerical difficulties.*sparsity > 0"):
        mt.solve_mcm(X, y)
    with pytest.raises(InfeasibleError):  # and a hard margin that does not exist is still called that
        mt.solve_mcm(X, y, C=INF)


def test_the_time_limit_is_kept():
    # the paper's programme on standardised WDBC with a small gamma: more than ten minutes of simplex, unless it is stopped
    X, y = load_breast_cancer(return_X_y=True)
    K = mt.rbf_kernel(StandardScaler().fit_transform(X), gamma=2**-10)
    start = time.process_time()
    with pytest.raises(SolverError, match=r"Time limit.*time_limit"):
        mt.solve_mcm(K, 2 * y - 1, sparsity=0, time_limit=1.0)
    assert time.process_time() - start < 30


# --- bad input -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"C": 0}, "C must be"),
        ({"C": -1.0}, "C must be"),
        ({"C": float("nan")}, "C must be"),
        ({"C": "1"}, "C must be"),
        ({"C": True}, "C must be"),
        ({"sparsity": -0.1}, "sparsity must be"),
        ({"sparsity": INF}, "sparsity must be"),
        ({"solver": "magic"}, "no solver 'magic'"),
        ({"time_limit": 0}, "time_limit must be"),
        ({"y": [1, 1]}, "one class only"),
        ({"y": [0, 1]}, r"2 \* y - 1"),
        ({"y": [1, 2]}, "labels 1, 2"),
        ({"y": [1, -1, 1]}, "3 entries, but 2"),
        ({"y": [1, float("nan")]}, "NaN"),
        ({"y": ["a", "b"]}, "not made of numbers"),
        ({"K": [1.0, 2.0]}, "Reshape"),
        ({"K": np.zeros((2, 2, 2))}, "Reshape"),
        ({"K": np.zeros((0, 2))}, "0 samples"),
        ({"K": np.zeros((2, 0))}, "0 feature"),
        ({"K": [[1.0, 2.0], [3.0, INF]]}, "infinity"),
        ({"K": [[1.0, 2.0], [3.0, float("nan")]]}, "NaN"),
        ({"K": [[1.0, 2.0], [3.0, 1e200]]}, "Standardise"),
        ({"K": [[1.0, 2.0], [3.0, 1j]]}, "omplex"),
        ({"K": [[1.0, 2.0], [3.0]]}, "not made of numbers"),
    ],
)
def test_bad_input_is_refused_with_a_reason(arguments, says):
    with pytest.raises(InvalidInputError, match=says):
        mt.solve_mcm(**{"K": [[1.0, 0.5], [0.5, 1.0]], "y": [1, -1], **arguments})


def test_charnes_cooper_needs_a_separating_plane():
    with pytest.raises(InvalidInputError, match="l must be"):
        mt.charnes_cooper([1.0], 0.0, 0.0, 1.0)
    with pytest.raises(InvalidInputError, match="g "):
        mt.charnes_cooper([1.0], 0.0, 1.0, [1.0, 2.0])


def test_an_offset_does_not_matter(blobs):
    X, y = blobs
    reference = mt.solve_mcm(X, y, C=INF, sparsity=0)
    s = mt.solve_mcm(X + 1e8, y, C=INF, sparsity=0)
    assert s.h == pytest.approx(reference.h, rel=1e-5) and s.certificate.proves_optimal()
    assert (y * ((X + 1e8) @ s.coef + s.b)).min() > 0.99
