"""What is proved: bounds from below by any dual vector, rounding included, in exact arithmetic, and what is not proved."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.sparse as sp
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import mcmteach as mt
from mcmteach.certificate import GAP, Certificate, better, capped_hinge, certified, dual_bound, gap_unit, relative_gap
from mcmteach.errors import CertificateWarning, SolverError
from mcmteach.lp import build_lp
from tests.solvers.exact import lower_bound, objective, refuted
from tests.test_lp import costs, data, labels

INF = float("inf")
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def test_dual_solved_by_highspy_meets_the_primal(moons):
    # the dual of certificate.py's docstring, in 2M bounded variables d = y z = d⁺ - d⁻, given to HiGHS directly
    highspy = pytest.importorskip("highspy")
    X, y = moons
    C, price = 0.5, 0.2
    K = mt.rbf_kernel(X, gamma=2.0)
    M = len(y)
    A = sp.csr_array(np.vstack([np.r_[y, -y], np.r_[np.zeros(M), np.ones(M)], np.hstack([K.T * y, -K.T * y])]))
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = 2 * M, M + 2
    model.col_cost_, model.col_lower_, model.col_upper_ = (
        -np.r_[np.ones(M), -np.ones(M)],
        np.zeros(2 * M),
        np.r_[np.full(M, C), np.ones(M)],
    )
    model.row_lower_, model.row_upper_ = np.r_[0, -INF, np.full(M, -price)], np.r_[0, 1, np.full(M, price)]
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = A.indptr, A.indices, A.data
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.passModel(model)
    solver.run()
    s = mt.solve_mcm(K, y, C, price)
    assert 1 - solver.getInfo().objective_function_value == pytest.approx(s.objective, rel=1e-8)
    assert s.certificate.dual == pytest.approx(s.objective, rel=1e-8)


@given(
    data, labels, costs, st.sampled_from([0, 0.1]), arrays(float, 8, elements=st.floats(-2, 2, allow_subnormal=False))
)
def test_any_dual_vector_bounds_the_optimum_from_below(X, y, C, price, z):
    # weak duality, with and without a price, for a kernel of low rank (so that sparsity 0 is not vacuous)
    K = mt.linear_kernel(X)
    bound, repaired, _ = dual_bound(K, y, C, price, z)
    best = scipy.optimize.linprog(**build_lp(K, y, C, price)._asdict()).fun
    assert bound <= best * (1 + 1e-7)
    d = y * repaired
    assert math.fsum(repaired) == 0 and d.max() <= C * (1 + 1e-9) and np.maximum(0, -d).sum() <= 1 + 1e-9
    assert np.abs(K.T @ repaired).max() <= price * (1 + 1e-9) + 1e-9


def test_linear_mcm_without_a_price_is_certified_too(moons):
    X, y = moons
    for features in (X, np.column_stack([X, X[:, 0]])):  # a repeated feature: the null space is still clear
        certificate = mt.solve_mcm(features, y, C=1.0, sparsity=0).certificate
        assert certificate.proves_optimal(1e-9) and certificate.primal > 2


def test_a_wrong_solution_has_a_gap(moons, monkeypatch):
    X, y = moons
    K = mt.rbf_kernel(X, gamma=1.0)

    def liar(*args, **kwargs):
        result = scipy.optimize.linprog(*args, **kwargs)
        result.x = 0.7 * result.x
        return result

    monkeypatch.setattr("mcmteach.lp.linprog", liar)
    with pytest.warns(CertificateWarning, match="not proved optimal"):
        s = mt.solve_mcm(K, y, 1.0, 0.1, "linprog")
    assert s.certificate.gap > 1e-3
    assert s.objective == pytest.approx(float(objective(K, y, 1.0, 0.1, s.coef, s.b)))  # and yet it does not lie


def test_an_ill_conditioned_kernel_without_a_price_is_reported(moons):
    X, y = moons
    K = mt.rbf_kernel(X, gamma=2**-12)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            s = mt.solve_mcm(K, y, C=2.0, sparsity=0, time_limit=10)
        except SolverError as problem:  # some versions of HiGHS break down, others give an answer that is not optimal
            said, s = [problem], None
    assert any("sparsity" in str(getattr(one, "message", one)) for one in said)
    if s is not None:
        assert said[0].category is CertificateWarning
        assert 1e-6 < s.certificate.gap == pytest.approx(1 - s.certificate.dual / s.certificate.primal)
        assert not refuted(K, y, 2.0, 0.0, s)


def test_contradictory_duplicates_lift_the_kernel_mcm_above_one(moons):
    X, y = moons
    X, y = np.vstack([X, X[:1]]), np.append(y, -y[0])
    s = mt.solve_mcm(mt.rbf_kernel(X, gamma=10.0), y, C=1.0, sparsity=0)
    assert s.objective == pytest.approx(3, abs=1e-5)  # the two share 2 of slack
    assert s.certificate.gap < 1e-5


def two_samples_almost_equal():
    """A kernel matrix of full rank that a threshold on its singular values would call singular."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(13, 3)), rng.choice([-1.0, 1.0], 13)
    y[:2] = 1.0, -1.0
    return mt.rbf_kernel(np.vstack([X, X[0] + [2e-7, 0, 0]]), gamma=8.0), np.append(y, -1.0)


def test_without_a_price_what_is_proved_is_proved_up_to_a_limit_that_is_named():
    K, y = two_samples_almost_equal()
    s = mt.solve_mcm(K, y, C=1.0, sparsity=0)
    # in exact arithmetic K is invertible and interpolates with objective 1, by coefficients far beyond the limit
    assert s.objective == pytest.approx(3) and not refuted(K, y, 1.0, 0.0, s)
    assert s.certificate.proves_optimal() and s.certificate.limit < 1e5
    assert f"limit={s.certificate.limit}" in repr(s.certificate)
    assert np.ptp(K, axis=0) / 2 @ np.abs(s.coef) <= s.certificate.limit
    with_a_price = mt.solve_mcm(K, y, C=1.0, sparsity=0.1)
    assert with_a_price.certificate.limit == INF  # then it holds for all machines


@given(data, labels, costs, st.sampled_from([0.0, 1e-6, 0.1, 3.0]), st.sampled_from([1e-6, 1.0, 1e5]))
def test_certificates_hold_in_exact_arithmetic(X, y, C, price, scale):
    K = scale * mt.polynomial_kernel(X, degree=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        assert not refuted(K, y, C, price, mt.solve_mcm(K, y, C, price))


def test_large_coefficients_that_cancel_are_not_called_proved_by_rounding_alone():
    # lambda = (1e8, -1e8) on two columns that differ by 1e-8: t is 1 only up to the rounding of the products
    rng = np.random.default_rng(0)
    f = np.repeat([1.0, -1.0], 20)
    noise = rng.normal(size=40)
    K = np.column_stack([1e8 * noise + f, noise])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        s = mt.solve_mcm(K, f, C=1e6, sparsity=1e-9, solver="linprog")
    assert np.abs(s.coef).max() > 1e7 and not refuted(K, f, 1e6, 1e-9, s)


def test_the_warning_names_the_line_that_asked():
    K, y = mt.rbf_kernel(np.random.default_rng(0).normal(size=(60, 2)), gamma=2.0**-12), np.repeat([1.0, -1.0], 30)
    for ask in (lambda: mt.solve_mcm(K, y, sparsity=0), lambda: mt.mcm_path(K, y, 1.0, [0.0])):
        with pytest.warns(CertificateWarning) as caught:
            ask()
        assert [w.filename for w in caught] == [__file__]
    with pytest.warns(CertificateWarning) as caught:
        mt.MCMClassifier(kernel="precomputed", sparsity=0).fit(K, y)
    assert caught[0].filename == __file__


def test_the_objective_and_the_gap_by_hand():
    t = np.array([3.0, 1.0, 0.5])  # h = 3, one slack of 1/2
    assert capped_hinge(t, 2.0) == 4.0 and capped_hinge(t, np.array([9.0, 9.0, 4.0])) == 5.0
    assert capped_hinge(t, 2.0, cap=False) == 1.0 and capped_hinge(t - 2.5, 1.0) == 1 + 0.5 + 2.5 + 3.0
    assert capped_hinge(t + 1, INF) == 4.0 and capped_hinge(t, INF) == INF
    assert relative_gap(4.0, 3.0) == 0.25 and relative_gap(3.0, 4.0) == 0.0 and relative_gap(0.5, 0.0, unit=1.0) == 0.5


# --- by hand: two samples at 1 and -1, one column, so that lambda = 1 costs 1 + price ---------------------------------

K2, Y2, NOTHING = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), np.zeros(2)


@pytest.mark.parametrize(
    ("z", "bound"),
    [
        ([0.25, -0.25], 1.5),  # K'z = 0.5 is the price, and y'z = 0.5
        ([1.0, -1.0], 1.5),  # too long by four: it is shortened
        ([0.1, -0.1], 1.2),  # too short: it proves what it proves
        ([0.3, -0.2], 1.5),  # its sum is not 0
        ([-1.0, 1.0], 1.0),  # the wrong way: nothing
        ([np.nan, np.inf], 1.0),
    ],
)
def test_what_a_dual_vector_proves_by_hand(z, bound):
    found = dual_bound(K2, Y2, 10.0, 0.5, np.array(z))
    assert found.value == pytest.approx(bound, rel=1e-12) and found.value <= bound and found.limit == INF
    assert dual_bound(K2, Y2, 10.0, 0.5, np.array(z), cap=False).value == pytest.approx(bound - 1, rel=1e-12)
    assert dual_bound(K2, Y2, 0.1, 0.5, np.array(z)).value <= 1.2 + 1e-12, "d is at most C"


@pytest.mark.parametrize(
    ("C", "cap", "unit"),
    [
        (0.1, False, 0.2),  # b = 1 leaves the one sample of class -1 with slack 2
        (np.array([0.1, 0.1, 0.3]), False, 0.4),  # b = -1 is the cheaper constant
        (10.0, False, 1.0),
        (0.1, True, 1.0),
    ],
)
def test_a_gap_without_a_cap_is_relative_to_what_a_constant_machine_costs(C, cap, unit):
    y = np.array([1.0, 1.0, -1.0])
    assert gap_unit(y, C, cap) == pytest.approx(unit)
    if not cap and unit < 1:
        constant = certified(np.zeros((3, 1)), y, C, 0.1, np.zeros(1), 0.0, np.zeros(3), cap=cap)
        assert constant.objective == pytest.approx(unit)


def test_rows_that_a_dual_vector_leaves_out_stay_out():
    K, y = np.array([[1.0], [-1.0], [3.0], [-2.0]]), np.array([1.0, -1.0, 1.0, -1.0])
    assert dual_bound(K, y, 10.0, 9.0, np.array([1.0, -0.5, 0.0, 0.0])).z == pytest.approx([0.75, -0.75, 0, 0])
    z = dual_bound(K, y, 10.0, 9.0, np.array([2.0, 2.0, 0.0, 0.0])).z  # moved, it proves nothing: z = 0 remains
    assert not z.any()


def test_without_a_price_a_vector_beside_the_null_space_is_moved_there(moons):
    X, y = moons
    s = mt.solve_mcm(X, y, C=1.0, sparsity=0)
    off = s.certificate.z + 1e-4 * X[:, 0] - 1e-4
    assert dual_bound(X, y, 1.0, 0.0, off).value == pytest.approx(s.certificate.dual, rel=1e-3)
    assert dual_bound(X, y, 1.0, 0.0, 1.0 - 2.0 * X[:, 0]).value == 1.0, "of a column of K nothing is left"


@pytest.mark.parametrize("offset", [1e3, 1e8, 1e12])
def test_products_with_a_large_offset_are_not_believed_beyond_their_rounding(offset):
    rng = np.random.default_rng(0)
    for _ in range(40):
        K, y = offset + rng.normal(size=(9, 4)), np.where(rng.permutation(9) < 4, 1.0, -1.0)
        z = 1e-3 * (y / np.where(y > 0, 4, 5) + 0.01 * rng.normal(size=9))
        price = float(np.abs((K - offset).T @ (z - z.mean())).max()) * (1 - 1e-10)
        found = dual_bound(K, y, 1.0, price, z)
        assert found.value > 1 and lower_bound(K, y, 1.0, price, found.z, INF) >= Fraction(found.value)
        assert found.value - 1 == pytest.approx(y @ z, rel=0.1), "and what is proved is worth something"


@given(arrays(float, 9, elements=st.floats(1e-9, 0.1)), st.integers(-40, 0), st.integers(0, 2**32 - 1))
def test_a_vector_that_sums_to_zero_but_for_rounding_is_hardly_moved(weights, exponent, seed):
    # entries of very different sizes: what is too much may fit into none of them without rounding
    y = np.where(np.random.default_rng(seed).permutation(9) < 4, 1.0, -1.0)
    weights[:3] *= 2.0**exponent
    z = y * weights
    z = np.where(y > 0, z / z[y > 0].sum(), -z / z[y < 0].sum()) / 9
    found = dual_bound(np.zeros((9, 1)), y, 1.0, 1.0, z)
    assert found.z == pytest.approx(z, abs=1e-14) and math.fsum(found.z) == 0
    assert found.value == pytest.approx(1 + 2 / 9, rel=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_where_the_costs_cut_a_vector_short_on_one_side_the_other_shrinks_by_a_share(sign):
    # d = 1/4 four times and 7/10, 1/10, 1/10, 1/10: at most 1/5 each makes sums of 4/5 and 1/2, and no entry can take 3/10
    y = sign * np.repeat([1.0, -1.0], 4)
    found = dual_bound(np.zeros((8, 1)), y, 0.2, 1.0, y * [0.25, 0.25, 0.25, 0.25, 0.7, 0.1, 0.1, 0.1])
    assert found.z == pytest.approx(y * [0.125, 0.125, 0.125, 0.125, 0.2, 0.1, 0.1, 0.1], rel=1e-12)
    assert math.fsum(found.z) == 0 and found.value == pytest.approx(2.0, rel=1e-12)


def test_a_machine_is_measured_by_hand():
    # lambda = 2, b = 0.5: t = 2.5 and 1.5, or with half of it 1.25 and 0.75
    s = certified(K2, Y2, 10.0, 0.5, np.array([2.0]), 0.5, NOTHING)
    assert (s.h, s.objective, s.certificate.violation) == (2.5, 3.5, 0.0) and not s.q.any()
    s = certified(K2, Y2, 10.0, 0.5, np.array([1.0]), 0.25, NOTHING)
    assert (s.h, s.objective) == (1.25, 1.25 + 2.5 + 0.5) and s.q.tolist() == [0.0, 0.25]
    assert s.certificate.primal == pytest.approx(4.25, rel=1e-13) and s.certificate.dual == 1
    assert s.certificate.gap == pytest.approx(3.25 / 4.25)
    # below a margin of 1 everywhere, the cap is 1 all the same
    s = certified(K2, Y2, 0.1, 0.5, np.zeros(1), 0.0, NOTHING)
    assert s.objective == 1.2 and s.certificate.primal >= 1.2 and s.h == 1 and s.q.tolist() == [1, 1]


def test_a_hard_margin_is_scaled_until_its_smallest_margin_is_one():
    s = certified(K2, Y2, INF, 0.5, np.array([4.0]), 1.0, NOTHING)  # t = 5 and 3
    assert s.coef == pytest.approx([4 / 3]) and s.h == pytest.approx(5 / 3) and s.q.tolist() == [0, 0]
    assert s.objective == pytest.approx(5 / 3 + 2 / 3) and s.certificate.primal >= s.objective
    assert certified(K2, Y2, INF, 0.5, np.array([-4.0]), 1.0, NOTHING) is None, "it separates nothing"


@pytest.mark.parametrize("far", [1e6, 1e7, 1e8])
def test_of_a_hard_margin_with_one_sample_far_out_rounding_costs_next_to_nothing(far):
    # 99 samples at the margin and one so far out that its rounding error would show in the scale of the plane
    y = np.where(np.arange(100) % 2, 1.0, -1.0)
    K = (y * np.r_[far, np.ones(99)])[:, None]
    s = certified(K, y, INF, 0.5, np.ones(1), 0.0, np.zeros(100))
    assert s.objective == far + 0.5 and s.objective <= s.certificate.primal <= s.objective * (1 + 1.1e-9)
    assert not refuted(K, y, INF, 0.5, s)


def test_dust_is_swept_away_and_the_constant_machine_replaces_a_worse_one():
    K = np.column_stack([K2[:, 0], [1.0, 1.0]])
    s = certified(K, Y2, 10.0, 0.5, np.array([1.0, 1e-8]), 0.0, NOTHING)
    assert s.coef.tolist() == [1.0, 0.0]
    assert certified(K, Y2, 10.0, 0.5, np.array([1.0, 1e-4]), 0.0, NOTHING).coef[1] == 1e-4
    for C, price in ((1.0, 0.5), (2.0, 0.0)):  # in the second case 1e-10 lowers the objective, by next to nothing
        assert not certified(K2, Y2, C, price, np.array([1e-10]), 1.0, NOTHING).coef.any(), "beside a margin of 1"
    y = np.array([1.0, 1.0, -1.0])
    s = certified(np.ones((3, 1)), y, 1.0, 0.5, np.array([-5.0]), 0.0, np.zeros(3))
    assert s.coef.tolist() == [0] and s.b == 1 and s.objective == 3
    assert certified(np.ones((3, 1)), -y, 1.0, 0.5, np.array([5.0]), 0.0, np.zeros(3)).b == -1
    weights = np.array([1.0, 1.0, 5.0])  # the one sample of the other class outweighs the two
    s = certified(np.ones((3, 1)), y, weights, 0.5, np.array([5.0]), 0.0, np.zeros(3))
    assert s.b == -1 and s.objective == 1 + 2 * 2


def test_without_a_price_the_limit_is_a_thousand_times_the_solutions_own_reach():
    K, y = np.array([[-30.0], [10.0], [5.0]]), np.array([-1.0, 1.0, 1.0])  # half of its range is 20
    z = np.array([-1.0, -7.0, 8.0]) / 7  # K'z = 0, and y'z = 2/7
    s = certified(K, y, 10.0, 0.0, np.array([0.1]), 0.0, z)
    assert s.objective == pytest.approx(3 + 10 * 0.5) and s.certificate.limit == pytest.approx(1e3 * 2)
    assert s.certificate.dual == pytest.approx(1 + 2 / 7, rel=1e-9) and not refuted(K, y, 10.0, 0.0, s)
    assert certified(K, y, 10.0, 0.0, np.array([0.04]), 0.5, z).certificate.limit == 1e3, "and a thousand at the least"


def test_gap_and_violation_must_both_be_small():
    def proves(gap, violation):
        return Certificate(1.0, 1.0, gap, violation, NOTHING).proves_optimal(1e-6)

    assert proves(1e-6, 1e-6) and not proves(1e-5, 0.0) and not proves(0.0, 1e-5)


def test_of_two_solutions_the_better_machine_keeps_the_better_proof():
    good = certified(K2, Y2, 10.0, 0.5, np.array([1.0]), 0.0, NOTHING)  # 1.5, and nothing proved
    proved = certified(K2, Y2, 10.0, 0.5, np.array([2.0]), 0.0, np.array([0.25, -0.25]))  # 3, and 1.5 proved
    for one, other in ((good, proved), (proved, good)):
        s = better(one, other, 1.0)
        assert s.coef.tolist() == [1.0] and s.certificate.dual == proved.certificate.dual
        assert s.certificate.gap == pytest.approx(0, abs=1e-12) and s.certificate.z.any()
        assert s.certificate.primal == good.certificate.primal
    assert better(None, good, 1.0) is good and better(good, None, 1.0) is good and better(None, None, 1.0) is None
    assert better(good, good, 1.0).certificate == good.certificate


def test_a_proof_up_to_a_limit_serves_machines_of_about_the_same_size_only():
    def made(size, primal, dual):
        proof = Certificate(primal, dual, relative_gap(primal, dual), 0.0, NOTHING, limit=1e3)
        return certified(K2, Y2, 100.0, 0.0, np.array([size]), 0.0, NOTHING)._replace(certificate=proof)

    small = made(2.0, 3.0, 2.0)
    assert better(made(19.0, 2.5, 1.0), small, 1.0).certificate.dual == 2.0
    assert better(made(19.0, 2.5, 1.0), small, 1.0).certificate.gap == pytest.approx(0.2)
    assert better(made(19.0, 2.5, 1.0), small, 1.0).certificate.limit == 1e3  # whoever takes the proof takes its limit
    assert better(made(20.0, 2.5, 1.0), small, 1.0).certificate.dual == 2.0
    assert better(made(21.0, 2.5, 1.0), small, 1.0).certificate.dual == 1.0
    assert better(made(0.5, 2.5, 2.2), small, 1.0).certificate.dual == 2.2


# --- against exact arithmetic, both ways: nothing too much is claimed, and hardly anything is given away -----------------

entries = st.sampled_from([-3.0, -1.5, -1.0, -0.25, 0.0, 0.5, 1.0, 2.0])
#: coefficients among which some are dust beside the others, or beside a margin of 1
coefficients = arrays(float, 3, elements=st.sampled_from([0.0, 1e-12, -2e-8, 1e-7, 3e-7, -0.5, 1.0, 2.0]))
sizes = st.sampled_from([1.0, np.array([1.0, 1e-4, 10.0]), -1.0])
all_costs = st.sampled_from([0.3, 2.0, np.array([0.1, 2.0, 0.5, 1.0, 0.7]), INF, np.full(5, INF)])
five = st.lists(st.sampled_from([-1.0, 1.0]), min_size=5, max_size=5).filter(lambda y: len(set(y)) == 2).map(np.array)


def of_the_right_kind(solution):
    proof = solution.certificate
    return all(type(v) is float for v in (solution.b, solution.h, solution.objective, *list(vars(proof).values())[:4]))


@given(
    arrays(float, (5, 3), elements=entries), five, all_costs, st.sampled_from([0.0, 0.5]), coefficients, entries, sizes
)
@example(np.ones((5, 3)), np.array([1.0, 1, 1, -1, -1]), 1e-3, 0.5, np.zeros(3), 0.0, 1.0)
def test_the_cheapest_of_three_machines_is_taken_and_measured_exactly(K, y, C, price, coef, b, size):
    # the one that was given, the same without its dust unless that costs something, and the constant one
    for cap in (True, False):
        weight = np.abs(coef * size)
        dust = (weight <= 1e-6 * weight.max()) | (weight <= 1e-9)
        cost = objective(K, y, C, price, coef, b, cap)
        swept = objective(K, y, C, price, np.where(dust, 0.0, coef), b, cap)
        assume(cost is None or swept is None or not 0.99e-7 < swept / max(cost, Fraction(1, 10**12)) - 1 < 1.01e-7)
        if cost is None or (swept is not None and swept <= cost * (1 + Fraction(GAP) / 10)):
            cost = swept
        if np.isfinite(C).all():
            sign = 1.0 if np.broadcast_to(C, 5) @ y >= 0 else -1.0
            cost = min(cost, objective(K, y, C, price, np.zeros(3), sign, cap))
        s = certified(K, y, C, price, coef, b, np.zeros(5), size, cap)
        if cost is None:
            assert s is None
            continue
        exact = objective(K, y, C, price, s.coef, s.b, cap)
        assert s.objective == pytest.approx(float(cost), rel=1e-11) == pytest.approx(float(exact), rel=1e-11)
        assert exact <= Fraction(s.certificate.primal) <= exact * (1 + Fraction(3, 10**9)) and of_the_right_kind(s)
        t = y * (K @ s.coef + s.b)
        slack = np.maximum(0, 1 - t)
        np.testing.assert_allclose(s.q, slack, atol=1e-12)
        assert s.h == pytest.approx(max(1.0, (t + slack).max()), rel=1e-12) and 0 <= s.certificate.violation < 1e-12
        assert not cost < 0 and s.certificate.dual == cap and not s.certificate.z.any()
        unit = gap_unit(y, C, cap)
        assert s.certificate.gap == pytest.approx(relative_gap(s.certificate.primal, float(cap), unit), abs=1e-15)


@pytest.mark.parametrize("C", [0.5, np.array([0.1, 2.0, 0.5, 1.0, 0.7, 0.2]), INF])
@pytest.mark.parametrize("offset", [0.0, 1e3, -1e5])
def test_what_rounding_adds_to_the_objective_is_next_to_nothing(C, offset):
    rng = np.random.default_rng(0)
    for _ in range(20):
        noise, coef = rng.normal(size=(6, 4)), rng.normal(size=4)
        f = noise @ coef
        y = np.sign(f - np.median(f))
        s = certified(
            noise + offset * np.arange(4), y, C, 0.1, coef, -np.median(f) - offset * coef @ np.arange(4), 0 * y
        )
        exact = objective(noise + offset * np.arange(4), y, C, 0.1, s.coef, s.b)
        assert exact <= Fraction(s.certificate.primal) <= exact * (1 + Fraction(3, 10**9))


@pytest.mark.parametrize("offset", [1e3, -1e5, 1e7])
def test_nor_where_the_margins_are_equal_or_the_slacks_tiny(offset):
    # lambda = 1 gives t = 1 everywhere, or a millionth less, which is all that the LP-SVM without a price then costs
    y, rng = np.where(np.arange(6) % 2, 1.0, -1.0), np.random.default_rng(0)
    for C, cap, price, t in ((INF, True, 0.5, np.ones(6)), (10.0, False, 0.0, 1 - 1e-6 * rng.uniform(1, 2, 6))):
        K = (y * t)[:, None] + offset
        s = certified(K, y, C, price, np.ones(1), -offset, np.zeros(6), cap=cap)
        exact = objective(K, y, C, price, s.coef, s.b, cap)
        assert s.coef == pytest.approx(1, rel=1e-6) and exact <= Fraction(s.certificate.primal)
        assert s.certificate.primal == pytest.approx(float(exact), rel=max(3e-9, 2e-12 * abs(offset)))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_rounding_of_a_row_is_that_of_its_own_large_entries(sign):
    # one row of entries of a million, all of one sign, which cancel: elsewhere the columns are about 1
    rng = np.random.default_rng(0)
    for _ in range(30):
        K, coef = rng.normal(size=(5, 3)), np.array([1.0, 1.0, -2.0]) * rng.uniform(1, 2)
        K[0] = sign * 1e6 + rng.normal(size=3)
        y = np.where(rng.permutation(5) < 2, 1.0, -1.0)
        s = certified(K, y, 1.0, 0.01, coef, -y[0] / 2 - K[0] @ coef, 0 * y)
        assert not refuted(K, y, 1.0, 0.01, s)


def test_a_hard_margin_that_may_be_rounding_alone_is_none():
    # the third column cancels the others but for its own rounding, and the labels are those that rounding makes
    rng, found = np.random.default_rng(0), 0
    for _ in range(60):
        K = rng.normal(size=(5, 2))
        K = np.column_stack([K, -K.sum(axis=1)])
        coef = 1e17 * np.ones(3)
        f = K @ coef
        if f.all() and len(set(np.sign(f))) == 2:
            s = certified(K, np.sign(f), INF, 0.0, coef, 0.0, np.zeros(5))
            found += s is None
            assert s is None or not refuted(K, np.sign(f), INF, 0.0, s)
    assert found


@given(
    arrays(float, (6, 3), elements=entries),
    arrays(int, 6, elements=st.integers(-4, 12)),
    five.map(lambda y: np.append(y, 1.0)),
    arrays(float, 6, elements=st.sampled_from([1 / 64, 0.5])),
    st.sampled_from([0.25, 1.0, 3.0]),
)
def test_a_dual_vector_that_obeys_everything_proves_all_that_it_can(K, d, y, spare, share):
    d = d / 16
    for sign in (1, -1):  # the class that has less of it gets the rest
        (lacking,) = np.flatnonzero(y == sign)[:1]
        d[lacking] += max(0.0, -sign * float(y @ d))
    assert y @ d == 0
    for cap in (True, False):
        z = y * (d / max(1.0, np.maximum(0, -d).sum()) if cap else np.maximum(d, 0))
        assume(cap or z.sum() == 0)
        C = np.maximum(y * z, 0) + spare
        reach, gain = np.abs(K.T @ z).max(), float(y @ z)
        price = share * (reach or 1.0)
        found = dual_bound(K, y, C, price, z, cap)
        kept = min(1.0, price / reach) if reach else 1.0
        assert found.value == pytest.approx(cap + max(0.0, gain * kept), rel=1e-12, abs=1e-15) and found.limit == INF
        assert type(found.value) is float and lower_bound(K, y, C, price, found.z, INF, cap) >= Fraction(found.value)
        if gain > 0:
            np.testing.assert_allclose(found.z, z * kept, atol=1e-12)


@given(arrays(float, (7, 3), elements=entries), st.floats(1.0, 1e12), st.integers(0, 2**32 - 1))
def test_without_a_price_a_proof_loses_what_rounding_of_the_products_costs_and_no_more(K, limit, seed):
    y = np.where(np.arange(7) < 3, 1.0, -1.0)
    null = scipy.linalg.null_space(np.column_stack([K, np.ones(7)]).T)
    z = null @ (null.T @ (y + np.random.default_rng(seed).normal(size=7)))
    z /= 1e-3 + 2 * np.abs(z).sum()
    found = dual_bound(K, y, 1.0, 0.0, z, limit=limit)
    if found.limit == INF:
        assume(limit < 1e8)
        assert found.value == 1 and not found.z.any() and y @ z < 1e-6
        return
    exact, halves = lower_bound(K, y, 1.0, 0.0, found.z, limit), np.ptp(K, axis=0) / 2
    rounding = 2.5 * (7 + 4) * 2.0**-63 * np.abs(found.z).sum() * limit
    assert Fraction(found.value) <= exact and found.value == pytest.approx(float(exact), rel=1e-14, abs=rounding)
    assert np.abs(found.z - z).max() < 1e-12 and halves.shape == (3,)


@pytest.mark.parametrize("cap", [True, False])
def test_what_any_vector_proves_is_proved_to_the_last_digit(cap):
    # entries of any size, costs that cut off and signs that clip what they please: the rounding of every step counts
    rng, proved = np.random.default_rng(0), 0
    for _ in range(500):
        K, y = rng.normal(size=(5, 2)), np.where(rng.permutation(5) < rng.integers(1, 5), 1.0, -1.0)
        C, z = rng.exponential(size=5), rng.normal(size=5) * 10.0 ** rng.integers(-3, 3) + rng.integers(0, 3) * y
        price = rng.exponential() * np.abs(K.T @ z).max()
        found = dual_bound(K, y, C, price, z, cap)
        proved += found.value > cap
        assert lower_bound(K, y, C, price, found.z, INF, cap) >= Fraction(found.value)
    assert proved > 100


def test_without_a_price_a_proof_does_not_depend_on_the_units_of_the_columns():
    rng, units = np.random.default_rng(0), np.array([1e-8, 1.0, 1e9])
    for _ in range(20):
        K, y = rng.integers(-4, 5, size=(9, 3)) / 2.0, np.where(rng.permutation(9) < 4, 1.0, -1.0)
        K[:3] = [[-2.0, 0.0, 1.0], [0.0, 2.0, -1.0], [2.0, -2.0, 0.0]]  # the middle of a range is an entry
        z = y * rng.uniform(0.01, 0.05, 9)
        plain, scaled = dual_bound(K, y, 1.0, 0.0, z), dual_bound(K * units, y, 1.0, 0.0, z)
        assert plain.value > 1 and scaled.value == pytest.approx(plain.value, rel=1e-9)
        np.testing.assert_allclose(scaled.z, plain.z, atol=1e-9)


def test_the_limit_counts_each_column_by_half_of_its_own_range():
    K, y = np.array([[-30.0, 4.0], [10.0, 4.0], [5.0, 8.0], [5.0, 4.0]]), np.array([-1.0, 1.0, 1.0, -1.0])
    z = np.array([1.0, 7.0, 0.0, -8.0]) / 14  # K'z = 0, and y'z = 1
    s = certified(K, y, 10.0, 0.0, np.array([0.1, 0.5]), -1.0, z)  # t = 2, 2, 3.5 and -1.5
    assert s.objective == pytest.approx(3.5 + 10 * 2.5) and s.certificate.dual == pytest.approx(2, rel=1e-9)
    assert s.certificate.limit == pytest.approx(1e3 * (20 * 0.1 + 2 * 0.5))


def test_of_two_solutions_without_a_cap_the_gap_is_relative_to_the_unit():
    cheap = certified(
        K2, Y2, 0.01, 0.001, np.array([1.0]), 0.0, NOTHING, cap=False
    )  # 0.001, where lambda = 0 costs 0.02
    proved = certified(K2, Y2, 0.01, 0.001, np.array([2.0]), 0.0, np.array([2e-4, -2e-4]), cap=False)
    s = better(proved, cheap, gap_unit(Y2, 0.01, cap=False))
    assert s.objective == pytest.approx(0.001) and s.certificate.dual == pytest.approx(4e-4)
    assert s.certificate.gap == pytest.approx(6e-4 / 0.02)


def test_a_proof_for_all_machines_serves_a_machine_of_any_size():
    small = certified(K2, Y2, 10.0, 0.5, np.array([0.1]), 0.0, np.array([0.25, -0.25]))
    large = certified(K2, Y2, 10.0, 1e-9, np.array([9.0]), 0.0, NOTHING)
    assert small.certificate.limit == INF and large.objective < small.objective
    assert better(large, small, 1.0).certificate.dual == small.certificate.dual > large.certificate.dual
