"""The public contract: names, signatures, kinds of answers; and each function's own words for each kind of bad input.

What the functions compute is tested elsewhere. Here somebody calls them as people do: with lists, whole numbers, data
frames, sparse matrices, labels 0 and 1, NaN, nothing at all.
"""

import inspect
import re
import sys
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mcmteach as mt
from mcmteach.capacity import feature_margin
from mcmteach.errors import InfeasibleError, InvalidInputError, MCMError, MissingExtraError
from mcmteach.large_scale import ConformalLargeScaleMCMClassifier
from mcmteach.solvers.solve import choose_solver, version_numbers
from tools.ledger import ROOT

X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 0.5]])
y = np.array([1, 1, -1, -1, 1, -1])
K = np.exp(-((X[:, None] - X) ** 2).sum(axis=-1))
w, b = [1.0, -1.0], 0.3
INF, NAN = float("inf"), float("nan")

# --- names and signatures ----------------------------------------------------------------------------------------------

SIGNATURES = """
vc_epsilon(h, M, eta)  vc_bound(risk, h, M, eta=0.05, B=1.0)  is_vacuous(bound, B=1.0)
vapnik_bound(error, d, P, delta=0.05)  margin_vc_dim(R, margin, n)  shatters(points)
functional_margins(X, y, w, b)  geometric_margin(X, y, w, b)  radius(X)  h_mcm(X, w, b)
rbf_kernel(X, Z, gamma)  polynomial_kernel(X, Z, degree, coef0)  linear_kernel(X, Z)
Linear()  Polynomial(degree, coef0)  RBF(gamma)
set_kernel(A, B)  spectrum_kernel(s, t, p)  graphlet_kernel(G, H, k=4)
is_mercer(K)  kernel_alignment(K, y)  numerical_rank(K)
solve_mcm(K, y, C=1.0, sparsity=0.1, solver='auto')  MCMSolution(coef, b, h, q, objective, certificate)
mcm_path(K, y)  scatter_matrices(K, y)  kernel_fisher_scalar(K, y)  fisher_scalar(Z, y)
ConformalMap(cores, alpha, gamma)  amari_wu_map(cores, gamma)  xiong_map(K0, y, X, cores, gamma)
optimal_map(K0, y, X, cores, gamma)
pca(X)  kernel_pca(K)  empirical_feature_map(K)
Perceptron()  LinearSVM(C=1.0)  KernelPerceptron(kernel='rbf', lam=0.1, gamma='scale')
KernelSVM(kernel='rbf', C=1.0, gamma='scale')
MCMClassifier(kernel='rbf', C=1.0, gamma='wide', sparsity='auto', solver='auto', class_weight=None, cap=True)
ConformalMCMClassifier(kernel='rbf', C=1.0, gamma='scale', sparsity=0.1, solver='auto', gamma_c='scale', D=0.001)
MCMRegressor(kernel='rbf', C=1.0, epsilon='scale', gamma='scale', sparsity=0.1)
LargeScaleMCMClassifier()  load_dataset(name)  list_datasets()  tune_mcm(X, y)  tune_conformal(X, y)
check(task, answer)  progress()
"""


@pytest.mark.parametrize("promised", re.findall(r"\w+\([^)]*\)", SIGNATURES))
def test_the_promised_names_can_be_imported_and_take_the_promised_arguments(promised):
    name, arguments = re.fullmatch(r"(\w+)\((.*)\)", promised).groups()
    assert name in mt.__all__
    found = list(inspect.signature(getattr(mt, name)).parameters.values())
    wanted = [argument.split("=") for argument in arguments.split(", ") if argument]
    assert [p.name for p in found][: len(wanted)] == [argument[0] for argument in wanted]
    for parameter, (_, *default) in zip(found, wanted, strict=False):
        assert not default or repr(parameter.default) == default[0]
    for parameter in found[len(wanted) :]:  # whatever we added can be left out
        assert parameter.default is not inspect.Parameter.empty


# --- what comes back ---------------------------------------------------------------------------------------------------

CLIQUE = np.ones((5, 5)) - np.eye(5)
SCALARS = {
    "vc_epsilon": (lambda: mt.vc_epsilon(3, 1000, 0.05), float),
    "vc_bound": (lambda: mt.vc_bound(np.float32(0.25), 3, 1000), float),
    "is_vacuous": (lambda: mt.is_vacuous(np.float64(2.0)), bool),
    "vapnik_bound": (lambda: mt.vapnik_bound(0, 3, 1000), float),
    "margin_vc_dim": (lambda: mt.margin_vc_dim(5, 2, 100), float),
    "shatters": (lambda: mt.shatters([[0], [1]]), bool),
    "geometric_margin": (lambda: mt.geometric_margin(X, y, w, b), float),
    "radius": (lambda: mt.radius([[3, 4]]), float),
    "h_mcm": (lambda: mt.h_mcm(X, w, b), float),
    "set_kernel": (lambda: mt.set_kernel({1, 2}, {2}), float),
    "spectrum_kernel": (lambda: mt.spectrum_kernel("abab", "aba", 2), float),
    "graphlet_kernel": (lambda: mt.graphlet_kernel(CLIQUE, CLIQUE), float),
    "is_mercer": (lambda: mt.is_mercer(K), bool),
    "kernel_alignment": (lambda: mt.kernel_alignment(K, y), float),
    "numerical_rank": (lambda: mt.numerical_rank(K), int),
    "kernel_fisher_scalar": (lambda: mt.kernel_fisher_scalar(K, y), float),
    "fisher_scalar": (lambda: mt.fisher_scalar(X, y), float),
    "solution.b": (lambda: mt.solve_mcm(K, y).b, float),
    "solution.h": (lambda: mt.solve_mcm(K, y).h, float),
    "solution.objective": (lambda: mt.solve_mcm(K, y).objective, float),
    "certificate.gap": (lambda: mt.solve_mcm(K, y).certificate.gap, float),
    "score": (lambda: mt.MCMClassifier().fit(X, y).score(X, y), float),
}


@pytest.mark.parametrize("name", SCALARS)
def test_a_scalar_is_a_python_number(name):
    compute, kind = SCALARS[name]
    assert type(compute()) is kind


def test_bounds_of_arrays_are_arrays():
    assert mt.vc_bound([0.0, 0.1], 3, 1000).shape == (2,)
    assert mt.is_vacuous([0.5, 2.0]).tolist() == [False, True]


# --- inputs of every kind ----------------------------------------------------------------------------------------------

OF_DATA = {
    "functional_margins": lambda X, y: mt.functional_margins(X, y, w, b),
    "geometric_margin": lambda X, y: mt.geometric_margin(X, y, w, b),
    "radius": lambda X, y: mt.radius(X),
    "h_mcm": lambda X, y: mt.h_mcm(X, w, b),
    "shatters": lambda X, y: mt.shatters(X),
    "rbf_kernel": lambda X, y: mt.rbf_kernel(X, X, 1.0),
    "polynomial_kernel": lambda X, y: mt.polynomial_kernel(X, X, 2, 1.0),
    "linear_kernel": lambda X, y: mt.linear_kernel(X, X),
    "RBF": lambda X, y: mt.RBF(1.0)(X, X),
    "fisher_scalar": lambda X, y: mt.fisher_scalar(X, y),
    "cores of a ConformalMap": lambda X, y: mt.ConformalMap(X, np.ones(7), 1.0)([[1.0, 2.0]]),
    "ConformalMap": lambda X, y: mt.ConformalMap([[0.0, 0.0]], [1.0, 2.0], 1.0)(X),
    "amari_wu_map": lambda X, y: mt.amari_wu_map(X, 1.0)([[1.0, 2.0]]),
    "xiong_map": lambda X, y: mt.xiong_map(K, y, X, [[0.0, 0.0]], 1.0).alpha,
    "optimal_map": lambda X, y: mt.optimal_map(K, y, X, [[0.0, 0.0]], 1.0).alpha,
    "pca": lambda X, y: mt.pca(X),
    "solve_mcm of data": lambda X, y: mt.solve_mcm(X, y).objective,
    "mcm_path of data": lambda X, y: mt.mcm_path(X, y, C=[1.0, 2.0]).solutions[1].objective,
}
OF_KERNEL_MATRIX = {
    "is_mercer": lambda K, y: mt.is_mercer(K),
    "kernel_alignment": lambda K, y: mt.kernel_alignment(K, y),
    "numerical_rank": lambda K, y: mt.numerical_rank(K),
    "solve_mcm": lambda K, y: mt.solve_mcm(K, y).objective,
    "mcm_path": lambda K, y: mt.mcm_path(K, y, C=[1.0, 2.0]).solutions[1].objective,
    "scatter_matrices": lambda K, y: mt.scatter_matrices(K, y)[0],
    "kernel_fisher_scalar": lambda K, y: mt.kernel_fisher_scalar(K, y),
    "kernel_pca": lambda K, y: mt.kernel_pca(K),
    "empirical_feature_map": lambda K, y: mt.empirical_feature_map(K),
    "xiong_map of K": lambda K, y: mt.xiong_map(K, y, X, [[0.0, 0.0]], 1.0).alpha,
    "optimal_map of K": lambda K, y: mt.optimal_map(K, y, X, [[0.0, 0.0]], 1.0).alpha,
}
FUNCTIONS = {**{name: (f, X) for name, f in OF_DATA.items()}, **{name: (f, K) for name, f in OF_KERNEL_MATRIX.items()}}


TAKES_SPARSE = [
    "rbf_kernel", "polynomial_kernel", "linear_kernel", "RBF", "ConformalMap", "cores of a ConformalMap", "amari_wu_map",
    "xiong_map", "optimal_map", "solve_mcm of data", "mcm_path of data", "solve_mcm", "mcm_path",
]  # fmt: skip


def changed(A, value):
    A = A.copy()
    A[0, 0] = value
    return A


@pytest.mark.parametrize("name", FUNCTIONS)
def test_lists_frames_columns_and_single_precision_give_the_same(name):
    f, A = FUNCTIONS[name]
    wanted = f(A, y)
    labels = pd.Series(y, index=list("uvwxyz"))
    for same in (A.tolist(), A.astype(object), np.asfortranarray(A), pd.DataFrame(A, index=list("uvwxyz"))):
        np.testing.assert_allclose(f(same, labels), wanted, rtol=1e-9)
        np.testing.assert_allclose(f(same, y.tolist()), wanted, rtol=1e-9)
    np.testing.assert_allclose(f(A.astype(np.float32), y.astype(np.float32)), wanted, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_sparse_matrix_gives_the_same_or_is_refused_in_words(name):
    f, A = FUNCTIONS[name]
    if name in TAKES_SPARSE:
        np.testing.assert_allclose(f(sp.csr_matrix(A), y), f(A, y), rtol=1e-6)
        return
    with pytest.raises(InvalidInputError, match="is a sparse matrix and a dense array is needed here"):
        f(sp.csr_matrix(A), y)


BAD_TABLES = {
    "nothing": (lambda A: None, "is None"),
    "words": (lambda A: "words", "not made of numbers"),
    "ragged": (lambda A: [[1.0, 2.0], [3.0]], "not made of numbers"),
    "a dictionary": (lambda A: {}, "not made of numbers"),
    "complex": (lambda A: A + 1j, "complex"),
    "NaN": (lambda A: changed(A, NAN), "contains NaN"),
    "infinity": (lambda A: changed(A, INF), "contains infinity"),
    "beyond all measure": (lambda A: changed(A, 1e200), "beyond 1e\\+100"),
    "masked": (lambda A: np.ma.masked_array(A, A > 0.9), "masked array"),
    "a row": (lambda A: A[0], "1 dimension"),
    "a number": (lambda A: 3.0, "0 dimension"),
    "a cube": (lambda A: A[None], "3 dimension"),
    "no rows": (lambda A: A[:0], "0 samples"),
}


@pytest.mark.parametrize(("name", "kind"), list(product(FUNCTIONS, BAD_TABLES)))
def test_a_bad_table_gets_its_own_words(name, kind):
    (f, A), (spoil, words) = FUNCTIONS[name], BAD_TABLES[kind]
    if (name, kind) == ("cores of a ConformalMap", "no rows"):
        words = "alpha has 7 entries, but 1 are needed"  # a map may do without cores, and then has a constant only
    with pytest.raises(InvalidInputError, match=words):
        f(spoil(A), y)


BAD_LABELS = {
    "nothing": (None, "is None"),
    "0 and 1": ((y + 1) // 2, r"0, 1, and this function needs -1 and \+1. For labels 0 and 1 use 2 \* y - 1"),
    "three classes": ([-1, 0, 1] * 2, r"needs -1 and \+1"),
    "words": (["a", "b"] * 3, "not made of numbers"),
    "NaN": (np.r_[NAN, y[1:]], "contains NaN"),
    "too few": (y[:3], "y has 3 entries, but 6 are needed"),
    "a column": (y[:, None], "one-dimensional"),
}
ASKS_LABELS = [
    "functional_margins", "geometric_margin", "fisher_scalar", "xiong_map", "optimal_map", "solve_mcm of data",
    "mcm_path of data", "kernel_alignment", "solve_mcm", "mcm_path", "scatter_matrices", "kernel_fisher_scalar",
    "xiong_map of K", "optimal_map of K",
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), list(product(ASKS_LABELS, BAD_LABELS)))
def test_bad_labels_get_their_own_words(name, kind):
    (f, A), (labels, words) = FUNCTIONS[name], BAD_LABELS[kind]
    with pytest.raises(InvalidInputError, match=words):
        f(A, labels)


@pytest.mark.parametrize(
    "name", sorted({*ASKS_LABELS} - {"functional_margins", "geometric_margin", "kernel_alignment"})
)
def test_one_class_is_refused(name):
    f, A = FUNCTIONS[name]
    with pytest.raises(InvalidInputError, match=r"one class only \(\+1\)"):
        f(A, np.ones(6))


BAD_NUMBERS = [None, "a", NAN, {}, 1j, [1, [2, 3]], -1]
NUMBERS = {
    "h of vc_epsilon": lambda v: mt.vc_epsilon(v, 1000, 0.05),
    "M of vc_epsilon": lambda v: mt.vc_epsilon(1, v, 0.05),
    "eta of vc_epsilon": lambda v: mt.vc_epsilon(1, 100, v),
    "risk of vc_bound": lambda v: mt.vc_bound(v, 3, 1000),
    "B of vc_bound": lambda v: mt.vc_bound(0.1, 3, 1000, B=v),
    "error of vapnik_bound": lambda v: mt.vapnik_bound(v, 3, 100),
    "d of vapnik_bound": lambda v: mt.vapnik_bound(0.1, v, 100),
    "P of vapnik_bound": lambda v: mt.vapnik_bound(0.1, 1, v),
    "delta of vapnik_bound": lambda v: mt.vapnik_bound(0.1, 2, 100, v),
    "R of margin_vc_dim": lambda v: mt.margin_vc_dim(v, 1, 3),
    "margin of margin_vc_dim": lambda v: mt.margin_vc_dim(2, v, 3),
    "n of margin_vc_dim": lambda v: mt.margin_vc_dim(2, 1, v),
    "B of is_vacuous": lambda v: mt.is_vacuous(0.3, v),
    "gap of sample_size": lambda v: mt.sample_size(v, 3),
    "h of sample_size": lambda v: mt.sample_size(0.1, v),
    "w of h_mcm": lambda v: mt.h_mcm(X, v, b),
    "w of geometric_margin": lambda v: mt.geometric_margin(X, y, v, b),
    "gamma of rbf_kernel": lambda v: mt.rbf_kernel(X, X, v),
    "degree of polynomial_kernel": lambda v: mt.polynomial_kernel(X, X, v, 1.0),
    "coef0 of polynomial_kernel": lambda v: mt.polynomial_kernel(X, X, 2, v),
    "gamma of RBF": mt.RBF,
    "degree of Polynomial": mt.Polynomial,
    "p of spectrum_kernel": lambda v: mt.spectrum_kernel("abc", "abd", v),
    "k of graphlet_kernel": lambda v: mt.graphlet_kernel(CLIQUE, CLIQUE, v),
    "C of solve_mcm": lambda v: mt.solve_mcm(K, y, C=v),
    "sparsity of solve_mcm": lambda v: mt.solve_mcm(K, y, sparsity=v),
    "solver of solve_mcm": lambda v: mt.solve_mcm(K, y, solver=v),
    "time_limit of solve_mcm": lambda v: mt.solve_mcm(K, y, time_limit=v),
    "alpha of ConformalMap": lambda v: mt.ConformalMap(X[:2], v, 1.0),
    "gamma of ConformalMap": lambda v: mt.ConformalMap(X[:2], [1, 1, 1], v),
    "cores of optimal_map": lambda v: mt.optimal_map(K, y, X, v, 1.0),
    "gamma of optimal_map": lambda v: mt.optimal_map(K, y, X, X[:2], v),
    "D of optimal_map": lambda v: mt.optimal_map(K, y, X, X[:2], 1.0, D=v),
    "gamma of xiong_map": lambda v: mt.xiong_map(K, y, X, X[:2], v),
    "n_steps of xiong_map": lambda v: mt.xiong_map(K, y, X, X[:2], 1.0, n_steps=v),
    "gamma of amari_wu_map": lambda v: mt.amari_wu_map(X, v),
    "n_components of pca": lambda v: mt.pca(X, v),
    "n_components of kernel_pca": lambda v: mt.kernel_pca(K, v),
    "name of load_dataset": mt.load_dataset,
    "task of check": lambda v: mt.check(v, 1),
    "task of hint": mt.hint,
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", BAD_NUMBERS, ids=repr)
def test_a_bad_number_is_refused_in_our_words(name, value):
    with pytest.raises(InvalidInputError):
        NUMBERS[name](value)


@pytest.mark.parametrize("value", [None, "a", NAN, {}, 1j, INF])
def test_a_bad_bias_is_refused_in_our_words(value):
    for attempt in (
        lambda: mt.h_mcm(X, w, value),
        lambda: mt.functional_margins(X, y, w, value),
        lambda: feature_margin(K, y, np.ones(6), value),
    ):
        with pytest.raises(InvalidInputError, match=r"^b "):
            attempt()


@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (lambda: mt.is_vacuous(NAN), "NaN"),
        (lambda: mt.is_vacuous(0.5, B=0), "must be > 0"),
        (lambda: mt.vapnik_bound(1.5, 3, 100), "at most 1"),
        (lambda: mt.sample_size([0.1, 0.2], 3), "gap has 2 entries"),
        (lambda: mt.solve_mcm(K, y, C=0), "C must be a number > 0"),
        (lambda: mt.solve_mcm(K, y, solver="nonsense"), "no solver 'nonsense'"),
        (lambda: NAN * mt.RBF(1.0), "factor of a kernel"),
        (lambda: -2 * mt.RBF(1.0), "factor of a kernel"),
        (lambda: mt.load_dataset("sonnar"), "There is no data set 'sonnar'"),
        (lambda: mt.list_datasets(2), "Table 1 and Table 4"),
    ],
)
def test_a_slip_is_named(attempt, words):
    with pytest.raises(InvalidInputError, match=words):
        attempt()


def test_a_kernel_and_a_word_do_not_add_up():
    with pytest.raises(TypeError, match="unsupported operand"):
        mt.RBF(1.0) + 1
    with pytest.raises(TypeError, match="multiply"):
        mt.RBF(1.0) * "a"


def test_a_hard_margin_on_contradictory_or_unseparable_data_is_infeasible_and_slack_helps():
    contradictory = ([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [2.0, 0.0]], [1, -1, 1, -1])
    xor = ([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [1, 1, -1, -1])
    for (points, labels), words in ((contradictory, "identical and have opposite labels"), (xor, "convex hulls")):
        for attempt in (mt.solve_mcm, lambda K, y, C: mt.MCMClassifier(kernel="linear", C=C).fit(K, y)):
            with pytest.raises(InfeasibleError, match=words):
                attempt(points, labels, C=INF)
        assert mt.solve_mcm(points, labels, C=1.0).q.sum() > 0


@pytest.mark.parametrize(
    "attempt", [mt.solve_mcm, mt.mcm_path, lambda K, y, solver: mt.MCMClassifier(solver=solver).fit(X, y)]
)
def test_the_fast_solver_without_highspy_names_the_extra(monkeypatch, attempt):
    monkeypatch.setitem(sys.modules, "highspy", None)
    monkeypatch.delitem(sys.modules, "mcmteach.solvers.fast", raising=False)
    with pytest.raises(MissingExtraError, match=r"\[fast\]"):
        attempt(K, y, solver="highs")


def test_a_highspy_that_is_too_old_is_left_alone(monkeypatch):
    monkeypatch.setattr("mcmteach.solvers.solve._highspy_version", lambda: version_numbers("1.12.0"))
    assert choose_solver("auto", 1000, 0.1) == "linprog"
    with pytest.raises(MissingExtraError, match=r"highspy 1\.13 or newer"):
        mt.solve_mcm(K, y, solver="highs")
    monkeypatch.setattr("mcmteach.solvers.solve._highspy_version", lambda: version_numbers("1.13.0rc1"))
    assert choose_solver("auto", 1000, 0.1) == "highs"


# --- the machines ------------------------------------------------------------------------------------------------------

MACHINES = [
    mt.Perceptron, mt.LinearSVM, mt.KernelPerceptron, mt.KernelSVM, mt.MCMClassifier, mt.ConformalMCMClassifier,
    mt.LargeScaleMCMClassifier, ConformalLargeScaleMCMClassifier,
]  # fmt: skip
fitted = cache(lambda machine: machine().fit(X, y))
quiet = pytest.mark.filterwarnings("ignore::mcmteach.errors.MCMWarning")


@quiet
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kind", BAD_TABLES)
def test_no_machine_learns_from_a_bad_table_or_answers_one(machine, kind):
    spoil, words = BAD_TABLES[kind]
    with pytest.raises(InvalidInputError, match=words):
        machine().fit(spoil(X), y)
    with pytest.raises(InvalidInputError, match=words):
        fitted(machine).predict(spoil(X))


@quiet
@pytest.mark.parametrize("machine", MACHINES)
def test_machines_take_any_two_labels_and_refuse_others(machine):
    for labels in ((y + 1) // 2, y > 0, np.where(y > 0, "yes", "no"), pd.Series(y, index=list("uvwxyz")), y.tolist()):
        fitted = machine().fit(X, labels)
        assert set(fitted.predict(X)) <= set(np.unique(labels)) and len(fitted.classes_) == 2
    for labels, words in (
        (None, "requires y"),
        (np.ones(6), "one class only"),
        *([] if machine.many_classes else [([0, 1, 2] * 2, "Only binary")]),
        (y[:3], "one label per sample"),
        (np.r_[NAN, y[1:]], "NaN"),
        (y / 3, "continuous"),
        ([None, "a", "b"] * 2, "cannot be compared"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            machine().fit(X, labels)


@quiet
@pytest.mark.parametrize("machine", MACHINES)
def test_a_parameter_that_makes_no_sense_is_refused_by_name(machine):
    names = set(inspect.signature(machine).parameters)
    for name in names - {"verbose"}:  # whatever Python calls true will do
        others = {"kernel": "poly"} if name in ("degree", "coef0") else {}  # which only that kernel asks for
        with pytest.raises(MCMError, match=f"{name}|nonsense"):
            machine(**{**others, name: "nonsense"}).fit(X, y)


@quiet
@pytest.mark.parametrize("machine", MACHINES)
def test_columns_of_a_data_frame_are_remembered_and_asked_for(machine):
    frame = pd.DataFrame(X, columns=["width", "height"])
    fitted = machine().fit(frame, y)
    assert fitted.feature_names_in_.tolist() == ["width", "height"]
    assert fitted.predict(frame).tolist() == machine().fit(X, y).predict(X).tolist()
    with pytest.raises(InvalidInputError, match="same order"):
        fitted.predict(frame[["height", "width"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        fitted.predict(X)


# --- the README ----------------------------------------------------------------------------------------------------------


def test_the_engineers_lines_of_the_readme_run_as_they_stand():
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)[1]
    frame = mt.load_dataset("breast-cancer-wdbc")
    world = {"X": frame.data, "y": frame.target}
    exec(code, world)
    assert world["machine"].certificate_.proves_optimal() and world["machine"].n_support_ < len(frame.target) / 5
