"""How each public name is called: functions of a table and labels, of a kernel matrix and labels, and of single things.

A call gives back numbers (an array, or a tuple of them) that are the same for the same data in another dress.
"""

import numpy as np

import mcmteach as mt
from mcmteach import guarantee, large_scale, svm
from mcmteach.regression import mcm_regression_path, solve_mcm_regression
from mcmteach.weights import fuzzy_membership

ONE_CORE = np.array([[0.25, -0.5]])


def columns(X):
    return np.shape(X)[1]


def kernel(X):
    """A kernel matrix of the rows of X, of moderate entries, whatever their scale. Its dress is that of no one."""
    X = np.nan_to_num(np.asarray(X, dtype=float), posinf=0.0, neginf=0.0)  # for others to refuse
    X = X / (np.abs(X).max() or 1.0)
    return np.exp(-((X[:, None] - X) ** 2).sum(axis=-1))


def of_machine(make):
    """Fit, answer, and answer the same rows; a machine that says which it is by its decisions."""

    def call(X, y):
        machine = make().fit(X, y)
        found = machine.decision_function(X) if hasattr(machine, "decision_function") else machine.predict(X)
        assert len(machine.predict(X)) == len(y)
        return found

    return call


#: functions of (X, y): rows of numbers, labels -1 and +1
OF_DATA = {
    "functional_margins": lambda X, y: mt.functional_margins(X, y, np.ones(columns(X)), 0.3),
    "geometric_margin": lambda X, y: mt.geometric_margin(X, y, np.ones(columns(X)), 0.3),
    "radius": lambda X, y: mt.radius(X),
    "h_mcm": lambda X, y: mt.h_mcm(X, np.ones(columns(X)), 0.3),
    "capacity_chain": lambda X, y: tuple(mt.capacity_chain(X, np.ones(columns(X)), 0.3)),
    "shatters": lambda X, y: mt.shatters(X),
    "rbf_kernel": lambda X, y: mt.rbf_kernel(X, X, 0.5),
    "polynomial_kernel": lambda X, y: mt.polynomial_kernel(X, X, 2, 1.0),
    "linear_kernel": lambda X, y: mt.linear_kernel(X),
    "RBF": lambda X, y: mt.RBF(0.5)(X, X),
    "Linear": lambda X, y: mt.Linear()(X, X),
    "Polynomial": lambda X, y: mt.Polynomial(3, 1.0)(X, X),
    "Kernel": lambda X, y: (2 * mt.RBF(0.5) + mt.Linear() * mt.RBF(1.0))(X, X),
    "fisher_scalar": lambda X, y: mt.fisher_scalar(X, y),
    "pca": lambda X, y: np.abs(mt.pca(X, 1)),
    "ConformalMap": lambda X, y: mt.ConformalMap(X, np.ones(len(y) + 1), 0.5)(X),
    "ConformalKernel": lambda X, y: mt.ConformalKernel(mt.amari_wu_map(X, 0.5), mt.RBF(0.5))(X, X),
    "amari_wu_map": lambda X, y: mt.amari_wu_map(X, 0.5)(X),
    "xiong_map": lambda X, y: mt.xiong_map(kernel(dense(X)), y, X, first_row(X), 0.5, n_steps=5).alpha,
    "optimal_map": lambda X, y: kernel_scalar_of(mt.optimal_map(kernel(dense(X)), y, X, first_row(X), 0.5), X, y),
    "solve_mcm": lambda X, y: mt.solve_mcm(X, y).objective,
    "Certificate": lambda X, y: (lambda proof: (proof.primal, proof.dual))(mt.solve_mcm(X, y).certificate),
    "MCMSolution": lambda X, y: (lambda s: (s.h, s.q.sum(), s.b))(mt.solve_mcm(X, y)),
    "mcm_path": lambda X, y: [s.objective for s in mt.mcm_path(X, y, C=[1.0, 2.0]).solutions],
    "constant_price": lambda X, y: mt.constant_price(X, y, 1.0),
    "Perceptron": of_machine(lambda: mt.Perceptron(max_iter=50)),
    "LinearSVM": of_machine(mt.LinearSVM),
    "KernelPerceptron": of_machine(lambda: mt.KernelPerceptron(max_iter=50)),
    "KernelSVM": of_machine(lambda: mt.KernelSVM(max_iter=50)),
    "MCMClassifier": of_machine(mt.MCMClassifier),
    "ConformalMCMClassifier": of_machine(mt.ConformalMCMClassifier),
    "LargeScaleMCMClassifier": of_machine(lambda: mt.LargeScaleMCMClassifier(n_components=10, max_iter=3)),
    "MCMRegressor": of_machine(mt.MCMRegressor),
    "tune_mcm": lambda X, y: mt.tune_mcm(X, y, C=[1.0], gamma=[0.5, 1.0], folds=2).accuracy,
    "tune_conformal": lambda X, y: mt.tune_conformal(X, y, C=[1.0], gamma=[0.5], gamma_c=[2.0], folds=2).accuracy,
    "risk_certificate": lambda X, y: (
        mt.risk_certificate(mt.MCMClassifier(gamma=0.5, sparsity=0.1).fit(X, y), X, y).bound
    ),
    "save_model": lambda X, y: through_a_file(X, y),
    "to_c": lambda X, y: len(mt.to_c(mt.MCMClassifier(gamma=0.5, sparsity=0.1).fit(X, y))),
    "to_onnx": lambda X, y: len(mt.to_onnx(mt.MCMClassifier(gamma=0.5, sparsity=0.1).fit(X, y)).SerializeToString()),
}
#: other ways to use them, and machines and functions that are public in their module
WAYS = {
    "LP-SVM": of_machine(lambda: mt.MCMClassifier(cap=False)),
    "linear MCM": of_machine(lambda: mt.MCMClassifier(kernel="linear")),
    "linear LP-SVM": of_machine(lambda: mt.MCMClassifier(kernel="linear", cap=False, C=2.0)),
    "classes of equal weight": of_machine(lambda: mt.MCMClassifier(class_weight="balanced")),
    "three classes": lambda X, y: of_machine(mt.MCMClassifier)(X, [("a", "b", "c")[i % 3] for i in range(len(y))]),
    "linear regression": of_machine(lambda: mt.MCMRegressor(kernel="linear", epsilon=0.5)),
    "solve_mcm, weights, no cap": lambda X, y: (
        mt.solve_mcm(X, y, sample_weight=np.arange(1.0, len(y) + 1), cap=False).objective
    ),
    "solve_mcm_regression": lambda X, y: solve_mcm_regression(X, y, 1.0, 0.25, 0.1).objective,
    "mcm_regression_path": lambda X, y: [s.objective for s in mcm_regression_path(X, y, 1.0, 0.25, [0.5, 0.1])],
    "KernelLeastSquares": of_machine(svm.KernelLeastSquares),
    "hard_margin": lambda X, y: (lambda plane: np.r_[plane.w, plane.b])(svm.hard_margin(X, y)),
    "soft_margin": lambda X, y: (lambda plane: np.r_[plane.w, plane.b])(svm.soft_margin(X, y, 1.0)),
    "CertifiedMCM": lambda X, y: guarantee.CertifiedMCM(gammas=(0.5, 2.0)).fit(X, y).risk_certificate_.bound,
    "ConformalLargeScaleMCMClassifier": of_machine(
        lambda: large_scale.ConformalLargeScaleMCMClassifier(n_components=10, max_iter=3)
    ),
    "fuzzy_membership": lambda X, y: fuzzy_membership(X, y),
}
#: fits and solutions with weights: functions of (X, y, weights)
WITH_WEIGHTS = {
    "solve_mcm": lambda X, y, w: mt.solve_mcm(X, y, sample_weight=w).objective,
    "mcm_path": lambda X, y, w: [s.objective for s in mt.mcm_path(X, y, C=[1.0, 2.0], sample_weight=w).solutions],
    "LP-SVM": lambda X, y, w: mt.MCMClassifier(cap=False).fit(X, y, w).decision_function(X),
    "MCMClassifier": lambda X, y, w: mt.MCMClassifier().fit(X, y, w).decision_function(X),
    "linear MCM": lambda X, y, w: mt.MCMClassifier(kernel="linear").fit(X, y, w).decision_function(X),
    "three classes": lambda X, y, w: mt.MCMClassifier().fit(X, np.arange(len(y)) % 3, w).decision_function(X),
    "MCMRegressor": lambda X, y, w: mt.MCMRegressor().fit(X, y, w).predict(X),
    "solve_mcm_regression": lambda X, y, w: solve_mcm_regression(X, y, 1.0, 0.25, 0.1, sample_weight=w).objective,
    "LargeScaleMCMClassifier": lambda X, y, w: (
        mt.LargeScaleMCMClassifier(n_components=10, max_iter=3).fit(X, y, w).decision_function(X)
    ),
    "score": lambda X, y, w: mt.MCMClassifier().fit(X, y).score(X, y, w),
    "score of a regression": lambda X, y, w: mt.MCMRegressor().fit(X, y).score(X, y, w),
}
#: functions of (K, y): a square matrix, labels -1 and +1
OF_KERNEL_MATRIX = {
    "is_mercer": lambda K, y: mt.is_mercer(K),
    "kernel_alignment": lambda K, y: mt.kernel_alignment(K, y),
    "numerical_rank": lambda K, y: mt.numerical_rank(K),
    "scatter_matrices": lambda K, y: mt.scatter_matrices(K, y),
    "kernel_fisher_scalar": lambda K, y: mt.kernel_fisher_scalar(K, y),
    "kernel_pca": lambda K, y: np.abs(mt.kernel_pca(K, 1)),
    "empirical_feature_map": lambda K, y: (lambda Z: Z @ Z.T)(mt.empirical_feature_map(K)),
}
#: what takes numbers, sets, strings, graphs or counts, and has a test of its own in test_single_things.py
SINGLE = {
    "vc_epsilon", "vc_bound", "vapnik_bound", "margin_vc_dim", "is_vacuous", "sample_size", "empirical_risk", "charnes_cooper",
    "set_kernel", "spectrum_kernel", "graphlet_kernel", "gram_matrix", "compression_bound", "load_model",
}  # fmt: skip
#: and why the others are not here
ELSEWHERE = {
    "MCMError": "the family of errors: that each error belongs to it is what every test here asks",
    "MCMWarning": "the family of warnings: ignored here, where it is asked that no other warning comes",
    "check": "takes a student's answer of any kind: tests/checks",
    "hint": "takes a task's name: tests/checks",
    "progress": "takes nothing: tests/checks",
    "list_datasets": "takes a table's number: tests/datasets",
    "load_dataset": "takes a name from a list: tests/datasets",
}
#: those that are refused, in words, where the table is sparse
DENSE_ONLY = {
    "functional_margins", "geometric_margin", "radius", "h_mcm", "capacity_chain", "shatters", "fisher_scalar", "pca",
    "tune_mcm", "tune_conformal", "risk_certificate", "hard_margin", "soft_margin", "fuzzy_membership", *OF_KERNEL_MATRIX,
}  # fmt: skip
#: those that take long: a part of the examples
SLOW = {
    "tune_mcm",
    "tune_conformal",
    "risk_certificate",
    "ConformalMCMClassifier",
    "LargeScaleMCMClassifier",
    "ConformalLargeScaleMCMClassifier",
    "CertifiedMCM",
    "to_onnx",
}
#: those that fill a missing value with the median of the training part
FILLS_GAPS = {"tune_mcm", "tune_conformal"}
#: a Fisher scalar of samples that are all the same is 0/0, and documented to be NaN
UNDECIDED = {"fisher_scalar", "kernel_fisher_scalar", "optimal_map"}
#: answers that go with a power of the data's scale
POWER_OF_SCALE = {
    "radius": 1, "linear_kernel": 2, "Linear": 2, "fisher_scalar": 0, "pca": 1, "numerical_rank": 0, "is_mercer": 0,
    "kernel_alignment": 0, "kernel_fisher_scalar": 0, "scatter_matrices": 1, "shatters": 0,
}  # fmt: skip


def dense(X):
    return X.toarray() if hasattr(X, "toarray") else X


def first_row(X):
    """One core, in the dress that X has where rows can be taken."""
    return np.asarray(dense(X), dtype=float)[:1]


def kernel_scalar_of(conformal_map, X, y):
    """The Fisher scalar that a map reaches: two maps with the same one are as good."""
    return mt.kernel_fisher_scalar(kernel(dense(X)), y, conformal_map(X))


def through_a_file(X, y):
    import tempfile
    from pathlib import Path

    machine = mt.MCMClassifier(gamma=0.5, sparsity=0.1).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        again = mt.load_model(mt.save_model(machine, Path(folder) / "machine.json"))
        found = again.decision_function(dense(X))
    np.testing.assert_allclose(found, machine.decision_function(X), rtol=1e-9, atol=1e-9)
    return found
