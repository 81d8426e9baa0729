"""Machines as C, compiled by the system's compiler and asked about thousands of rows beside Python."""

import subprocess

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_moons
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, SVR

from mcmteach import ConformalMCMClassifier, MCMClassifier, MCMRegressor
from mcmteach.errors import InvalidInputError
from mcmteach.export.c_code import EXP_ERROR, c_self_test, rounded, to_c
from mcmteach.export.compiled import STRICT, ask_c, c_compiler
from mcmteach.export.formula import formula_of
from mcmteach.guarantee import GAMMA_LIST, risk_certificate

CC = c_compiler()
needs_compiler = pytest.mark.skipif(CC is None, reason="there is no C compiler: install gcc or clang")


def data(M=300, n=4, seed=0):
    X, y = make_classification(M, n, n_informative=3, n_redundant=0, class_sep=0.8, random_state=seed)
    return X * [1.0, 10.0, 0.1, 5.0][:n] + [0.0, 50.0, -3.0, 7.0][:n], y


def with_gaps(X):
    X = X.copy()
    X[::7, 1] = np.nan
    return X


def three(X, y):
    return y + (X[:, 0] > 1)


def different_widths(X, y):
    machine = OneVsRestClassifier(SVC(gamma=0.1)).fit(X, three(X, y))
    machine.estimators_[1] = SVC(gamma=0.2).fit(X, three(X, y) == 1)
    return machine


def certified(X, y):
    units = X / [1.0, 10.0, 0.1, 5.0]  # known beforehand, as a bound needs them
    machine = MCMClassifier(gamma=GAMMA_LIST[6], sparsity=2.0).fit(units, y)
    return risk_certificate(machine, units, y).machine


MACHINES = {
    "rbf": lambda X, y: make_pipeline(StandardScaler(), MCMClassifier(gamma=0.5, sparsity=0.5)).fit(X, y),
    "rbf in raw units": lambda X, y: MCMClassifier(gamma=0.01, sparsity=0.5).fit(X, y),
    "poly": lambda X, y: make_pipeline(StandardScaler(), MCMClassifier("poly", degree=2, sparsity=0.5)).fit(X, y),
    "linear": lambda X, y: make_pipeline(StandardScaler(), MCMClassifier("linear")).fit(X, y),
    "conformal": lambda X, y: make_pipeline(StandardScaler(), ConformalMCMClassifier(gamma=0.3, sparsity=2.0)).fit(X, y),
    "svc": lambda X, y: make_pipeline(StandardScaler(), SVC(gamma=0.3)).fit(X, y),
    "svc poly": lambda X, y: make_pipeline(StandardScaler(), SVC(kernel="poly", gamma=0.3, coef0=1.0)).fit(X, y),
    "logistic": lambda X, y: make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y),
    "three classes": lambda X, y: make_pipeline(StandardScaler(), LogisticRegression()).fit(X, three(X, y)),
    "beside": lambda X, y: make_pipeline(
        StandardScaler(), ConformalMCMClassifier(gamma=0.3, sparsity=2.0, map="beside")
    ).fit(X, y),
    "rest": lambda X, y: make_pipeline(
        StandardScaler(), OneVsRestClassifier(MCMClassifier(gamma=0.5, sparsity=1.0))
    ).fit(X, three(X, y)),
    "three by MCM": lambda X, y: make_pipeline(
        StandardScaler(), MCMClassifier(gamma=0.5, sparsity=1.0)
    ).fit(X, three(X, y)),
    "three by linear MCM": lambda X, y: make_pipeline(StandardScaler(), MCMClassifier("linear")).fit(X, three(X, y)),
    "regression": lambda X, y: make_pipeline(
        StandardScaler(), MCMRegressor(gamma=0.3, sparsity=0.5)
    ).fit(X, 40 + 9 * X[:, 0] + y),
    "linear regression": lambda X, y: make_pipeline(StandardScaler(), MCMRegressor("linear")).fit(X, 40 + 9 * X[:, 0] + y),
    "pairs": lambda X, y: make_pipeline(
        StandardScaler(), SVC(gamma=0.3, decision_function_shape="ovo")
    ).fit(X, three(X, y)),
    "linear pairs": lambda X, y: make_pipeline(
        StandardScaler(), SVC(kernel="linear", decision_function_shape="ovo")
    ).fit(X, three(X, y)),
    "certified": certified,
    "svr": lambda X, y: make_pipeline(StandardScaler(), SVR(gamma=0.3)).fit(X, 40 + 9 * X[:, 0] + y),
    "ridge": lambda X, y: make_pipeline(StandardScaler(), Ridge()).fit(X, 40 + 9 * X[:, 0] + y),
    "gaps": lambda X, y: make_pipeline(
        SimpleImputer(), StandardScaler(), MCMClassifier(gamma=0.5, sparsity=0.5)
    ).fit(with_gaps(X), y),
}  # fmt: skip


@pytest.fixture(params=MACHINES)
def fitted(request):
    X, y = data()
    return request.param, MACHINES[request.param](X, y)


def new_rows(name, M=3000):
    X, _ = data(M, seed=1)
    X = X / [1.0, 10.0, 0.1, 5.0] if name == "certified" else X
    X = X.astype(np.float32).astype(float)
    return with_gaps(X) if name == "gaps" else X


def compiled(folder, header, name, program, *flags):
    (folder / f"{name}.h").write_text(header)
    (folder / "main.c").write_text(program)
    target = folder / "out"
    subprocess.run([CC, *STRICT, *flags, "main.c", "-o", str(target), "-lm"], cwd=folder, check=True)
    return target


def test_the_formula_is_what_the_machine_computes(fitted):
    name, machine = fitted
    X = new_rows(name)
    formula = formula_of(machine)
    if formula.classes:
        np.testing.assert_allclose(formula.decision_function(X), machine.decision_function(X), rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(formula.predict(X), machine.predict(X))
    else:
        np.testing.assert_allclose(formula.predict(X), machine.predict(X), rtol=1e-9)


@needs_compiler
@pytest.mark.parametrize(("dtype", "exp"), [("float32", "library"), ("int8", "polynomial")])
def test_c_answers_as_python_does(fitted, dtype, exp):
    name, machine = fitted
    X = new_rows(name)
    exact, stored = formula_of(machine), rounded(formula_of(machine), dtype)
    off = np.abs(stored.decision_function(X) - ask_c(machine, X, dtype, exp)).reshape(len(X), -1).max(axis=1)
    assert (off <= 1e-5 * exact.sizes(X)).all()
    if exact.classes:
        change = np.mean(exact.predict(X) != stored.predict(X))
        print(f"{name}, {dtype}: {change:.2%} of the labels change")
        assert change <= {"float32": 0.0, "int16": 0.002, "int8": 0.05}[dtype]


@needs_compiler
def test_the_polynomial_keeps_its_stated_error_at_every_argument():
    """c = exp(-|x - core|^2) alone: one vector at the origin, no scaling, b = 0."""
    one = MCMClassifier(gamma=1.0).fit([[0.0], [9.0]], [1, -1])
    formula = formula_of(one)._replace(vectors=np.zeros((1, 1)), coef=np.ones((1, 1)), intercept=np.zeros(1))
    x = np.sqrt(np.r_[np.linspace(0, 86.9, 400_001), np.geomspace(1e-12, 1, 10_000)]).astype(np.float32)
    value = ask_c(formula, x[:, None], "float32", "polynomial")
    wanted = np.exp(-(x * x).astype(float))  # the square rounded as C rounds it: the error is that of exp
    assert np.abs(value / wanted - 1).max() < EXP_ERROR
    assert (ask_c(formula, np.array([[9.5], [1e18]]), "float32", "polynomial") == 0).all()


@needs_compiler
def test_a_certified_machine_keeps_its_whole_coefficients():
    machine = certified(*data())
    assert len(machine.levels) > 1
    np.testing.assert_array_equal(rounded(formula_of(machine), "int8").coef[0], machine.levels)


@needs_compiler
def test_the_self_test_passes_and_fails_where_it_should(fitted, tmp_path):
    name, machine = fitted
    dtype = "int16" if "linear" in name else "float32" if "gaps" in name else "int8"
    X = new_rows(name, 40)
    sanitised = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    header = to_c(machine, dtype, name="m")
    program = compiled(tmp_path, header, "m", c_self_test(machine, X, "m", dtype), *sanitised)
    assert subprocess.run([str(program)], check=False).returncode == 0
    spoilt = header.replace("    f[0] = f[0]", "    f[0] = 1.5f * f[0]")
    program = compiled(tmp_path, spoilt, "m", c_self_test(machine, X, "m", dtype))
    assert subprocess.run([str(program)], check=False).returncode > 0


@needs_compiler
def test_a_constant_machine_and_two_machines_in_one_program(tmp_path):
    X, y = make_moons(60, noise=0.2, random_state=0)
    with pytest.warns(UserWarning, match="coefficients are zero"):
        constant = MCMClassifier(gamma=1.0, sparsity=1e4).fit(X, y)
    other = MCMClassifier(gamma=1.0).fit(X, y)
    (tmp_path / "a.h").write_text(to_c(constant, name="a"))
    program = (
        '#include "a.h"\n#include "b.h"\n'
        "int main(void) { const float x[2] = {0.1f, 0.2f}; return 2 * a_predict(x) + b_predict(x); }\n"
    )
    out = subprocess.run([str(compiled(tmp_path, to_c(other, name="b"), "b", program))], check=False).returncode
    assert out == 2 * constant.predict([[0.1, 0.2]])[0] + other.predict([[0.1, 0.2]])[0]


def test_whole_numbers_take_a_quarter_of_the_room():
    X, y = data()
    machine = MCMClassifier(gamma=0.01, sparsity=0.5).fit(X, y)
    assert "static const int8_t machine_vector" in to_c(machine, "int8")
    assert "static const float machine_vector" in to_c(machine)


def test_a_label_cannot_break_out_of_its_comment():
    X, y = data()
    header = to_c(LogisticRegression().fit(X, np.where(y, "*/ evil(); /*", "plain\n#error")))
    assert header.count("*/") == header.count("/*") and "\n#error" not in header


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda X, y: MCMClassifier(), "not fitted"),
        (lambda X, y: MCMClassifier(kernel=lambda A, B: A @ B.T).fit(X, y), "outside Python"),
        (lambda X, y: MCMClassifier(kernel="precomputed").fit(X @ X.T, y), "outside Python"),
        (lambda X, y: SVC().fit(X, y), "a number for gamma"),
        (lambda X, y: OneVsOneClassifier(SVC(gamma=0.1)).fit(X, three(X, y)), "one estimator per class"),
        (lambda X, y: different_widths(X, y), "each of them"),
        (lambda X, y: RandomForestClassifier(3).fit(X, three(X, y)), "has no intercept_"),
        (lambda X, y: make_pipeline(MinMaxScaler(), MCMClassifier(gamma=0.1)).fit(X, y), "MinMaxScaler"),
    ],
)
@pytest.mark.filterwarnings("ignore::mcmteach.errors.MCMWarning")
def test_what_c_cannot_express_is_refused(make, message):
    X, y = data()
    with pytest.raises(InvalidInputError, match=message):
        to_c(make(X, y))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"dtype": "float16"}, "dtype"), ({"name": "1st"}, "identifier"), ({"exp": "table"}, "exp must be")],
)
def test_bad_arguments_are_refused(arguments, message):
    X, y = data()
    with pytest.raises(InvalidInputError, match=message):
        to_c(LogisticRegression().fit(X, y), **arguments)
