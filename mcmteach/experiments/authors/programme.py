"""The MCM columns of Table 2 by the steps of the authors' public code, as far as they do not depend on chance.

What the code does (``MCM_linear_rundata.m`` of skylerbadge/MCM and what it calls), and the paper's text does not say:

- C and gamma are chosen on the last fifth of the training part, the last of equals;
- accuracies below one half are turned round (``acc < 50``: all predictions change their sign), on the test fold too;
- the C of the conformal machine is the one whose basic machine did best *on the test folds so far*, this one included;
- 1e-6 I is added to both matrices of the eigenproblem, and of its de + 1 eigenvalues the last is not looked at;
- the conformal machine predicts with sign(sum_j y_j lambda_j k(x, x_j) + b), where the programme found
  sum_j lambda_j k(x, x_j) + b: the labels y_j are not in the paper, and the column "as written" is without them;
- gamma_c is the one of 22 with the best accuracy on the test fold; a fold in which all of them end with 0 is left out;
- support vectors are the lambda > 1e-6 (not |lambda|) of the basic machine.

What a linear programme with many solutions returns depends on the solver: theirs was MATLAB's dual simplex, ours is HiGHS's. A
programme that is not solved has lambda = 0 there (or random numbers); here lambda = 0.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from scipy.optimize import linprog

from mcmteach.conformal import conformal_matrix, core_matrix
from mcmteach.datasets import Part
from mcmteach.experiments.authors.data import read_set
from mcmteach.experiments.authors.folds import AuthorsPlan, last_fifth, z_scores
from mcmteach.experiments.rules import number, one_thread
from mcmteach.fisher import scatter_matrices
from mcmteach.kernels import rbf_kernel
from mcmteach.lp import build_lp
from mcmteach.tune import PAPER_C, PAPER_GAMMA_C
from mcmteach.validation import FloatArray

GAMMAS = tuple(2.0**k for k in (-10, -11, -12, -8, -9))  # in the code's order
EPSILON = 1e-6  # of support vectors, and on the diagonals of the eigenproblem
MAX_ITER = 10_000  # simplex steps: the code stops after 120 seconds, which would depend on the machine

PROGRAMME = AuthorsPlan(name="authors-mcm", columns=("lp0", "lp0_conformal", "lp0_as_written"))


class ProgrammeFit(NamedTuple):
    lam: FloatArray
    b: float
    solved: bool


class ChosenFit(NamedTuple):
    """The machine before the map, on one fold."""

    machine: ProgrammeFit
    C: float
    gamma: float
    right: int  #: on the test fold, turned round if below one half
    n_test: int

    @property
    def accuracy(self) -> float:
        return self.right / self.n_test


def run_programme(dataset: str, fold: int, plan: AuthorsPlan) -> dict[str, Any]:
    """The numbers of one fold. The folds before it take part, since the code's C does."""
    start = time.process_time()
    with one_thread():
        part = z_scores(read_set(dataset, plan.folder), fold)
        basics = [_basic(dataset, i, plan.folder) for i in range(fold + 1)]
        basic, best = basics[fold], max(reversed(basics), key=lambda one: one.accuracy)  # the last of equals
        with_labels, as_written = _conformal(part, basic, best.C)
    m = basic.n_test
    n_support = int(np.sum(basic.machine.lam > EPSILON))
    params = {"C": basic.C, "gamma": basic.gamma}
    counts = {"n_support": n_support, "both_signs": int(np.sum(np.abs(basic.machine.lam) > EPSILON))}
    return {
        "set": dataset, "fold": fold, "protocol": plan.name, "fingerprint": plan.fingerprint(dataset), "n_test": m,
        "columns": {
            "lp0": {"accuracy": number(basic.right / m), "right": basic.right, **counts, "params": params},
            "lp0_conformal": {"accuracy": number(with_labels / m), "right": with_labels, **counts},
            "lp0_as_written": {"accuracy": number(as_written / m), "right": as_written, **counts},
        },
        "seconds": round(time.process_time() - start, 1),
    }  # fmt: skip


@lru_cache(maxsize=8)
def _basic(dataset: str, fold: int, folder: str) -> ChosenFit:
    """tuneMCM, and the machine on the whole training part."""
    part = z_scores(read_set(dataset, folder), fold)
    valid = last_fifth(part)
    best, chosen = -1, (0.0, 0.0)
    for C in PAPER_C:
        for gamma in GAMMAS:
            right = _basic_right(valid, *_fitted(valid, C, gamma))
            if right >= best:
                best, chosen = right, (C, gamma)
    machine, K_test = _fitted(part, *chosen)
    return ChosenFit(machine, *chosen, _basic_right(part, machine, K_test), len(part.y_test))


def _fitted(part: Part, C: float, gamma: float) -> tuple[ProgrammeFit, FloatArray]:
    return _solve(rbf_kernel(part.X, part.X, gamma), part.y, C), rbf_kernel(part.X_test, part.X, gamma)


def _solve(K: FloatArray, y: FloatArray, C: float) -> ProgrammeFit:
    """The programme as printed: mcm_linear_efs.m."""
    result = linprog(**build_lp(K, y, C)._asdict(), method="highs-ds", options={"maxiter": MAX_ITER})
    if result.x is None or result.status != 0:
        return ProgrammeFit(np.zeros(len(y)), 0.0, False)
    return ProgrammeFit(result.x[: len(y)], float(result.x[len(y)]), True)


def _basic_right(part: Part, machine: ProgrammeFit, K_test: FloatArray) -> int:
    """mcmPredict.m: with lambda = 0 it compares NaN with 0 and answers -1."""
    f = K_test @ machine.lam + machine.b if np.any(machine.lam) else np.full(len(part.y_test), -1.0)
    return _turned(int(np.sum(np.where(f >= 0, 1.0, -1.0) == part.y_test)), len(part.y_test))


def _turned(right: int, m: int) -> int:
    return m - right if 2 * right < m else right


def _conformal(part: Part, basic: ChosenFit, C: float) -> tuple[int, int]:
    """accMcmConformal.m for 22 widths: the best on the test fold, with the code's labels y_j and as the paper writes it."""
    best = [0, 0]
    cores = part.X[np.abs(basic.machine.lam) > EPSILON]
    order = np.argsort(part.y, kind="stable")
    X, y = part.X[order], part.y[order]
    K, K_test = rbf_kernel(X, X, basic.gamma), rbf_kernel(part.X_test, X, basic.gamma)
    for factor in PAPER_GAMMA_C if len(cores) else ():
        alpha = _alpha(K, y, X, cores, factor * basic.gamma)
        if alpha is None:
            continue
        c, c_test = (core_matrix(Z, cores, factor * basic.gamma) @ alpha for Z in (X, part.X_test))
        machine = _solve(conformal_matrix(K, c), y, C)
        Kc = conformal_matrix(K_test, c_test, c)
        for i, lam in enumerate((y * machine.lam, machine.lam)):
            f = np.sign(Kc @ lam + machine.b)
            right = int(np.sum(f == part.y_test))
            if 2 * right < len(f):
                right = int(np.sum(-f == part.y_test))
            best[i] = max(best[i], right)
    return best[0], best[1]


def _alpha(K: FloatArray, y: FloatArray, X: FloatArray, cores: FloatArray, gamma_c: float) -> FloatArray | None:
    """The eigenvector of the largest positive of the first de of de + 1 eigenvalues; None where none is positive."""
    K1 = core_matrix(X, cores, gamma_c)
    B0, W0 = scatter_matrices(K, y)
    ridge = EPSILON * np.eye(K1.shape[1])
    try:
        values, vectors = scipy.linalg.eig(K1.T @ B0 @ K1 + ridge, K1.T @ W0 @ K1 + ridge)
    except scipy.linalg.LinAlgError:
        return None
    values = np.where(np.isfinite(values[:-1]), values[:-1].real, -np.inf)
    if not len(values) or values.max() <= 0:
        return None
    return np.asarray(vectors[:, int(np.argmax(values))].real, dtype=float)
