"""The nested protocol with wide grids and more machines: everything is chosen inside the training part of a fold.

All machines see the same kernel matrices. A machine is asked for a path of fits, one for each point of its grid. Of equals a
point inside the grid is chosen, then the one that comes first: an edge is chosen only where nothing inside does as well.

The machines, with f = K lambda + b and q_i = max(0, 1 - y_i f_i):

- ``mcm``: h + C sum q_i + s ||lambda||_1, with h the largest y_i f_i (at least 1); ``conformal`` is the same with a map;
- ``lpsvm``: C sum q_i + s ||lambda||_1, the LP- or 1-norm SVM (Bradley and Mangasarian 1998; Mangasarian 2000; Zhu et al.
  2003): the same programme without h. Only s / C matters;
- ``lp0``: h + C sum q_i, the programme as printed. Its optimum is 1 for every C where the kernel is positive definite;
- ``ml1``: Abe's ML1-SVM, in which the SVM's norm stands in the place of the price (:mod:`~mcmteach.experiments.ml1_svm`);
- ``logistic``: sum log(1 + exp(-y_i f_i)) + ||lambda||_1 / C, logistic regression on the columns of K;
- ``svc``: scikit-learn's SVM.

``mcm`` is Abe's MLP-SVM (2020) as far as its abstract and excerpts tell (we have not seen the printed programme), up to the
names of its weights: divided by s, it reads
||lambda||_1 + (1/s) h + (C/s) sum q_i.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from itertools import groupby, product
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

from mcmteach.conformal_mcm import ConformalMCMClassifier
from mcmteach.datasets import Part, make_parts, stratified_folds
from mcmteach.errors import CertificateWarning, SolverError
from mcmteach.experiments.ml1_svm import solve_ml1
from mcmteach.experiments.rules import Protocol, load_svc, majority, missing_package, number, numbers, solver
from mcmteach.kernels import rbf_kernel
from mcmteach.lp import build_lp
from mcmteach.mcm import MCMClassifier
from mcmteach.solvers.fast import FastSolver
from mcmteach.solvers.solve import Programme
from mcmteach.tune import Trial, Tuning, tune_conformal
from mcmteach.validation import FloatArray

Params = dict[str, float]
#: liblinear charges for the bias as for a coefficient; scaled by 10, a tenth of that
LIBLINEAR = {"solver": "liblinear", "max_iter": 100_000, "intercept_scaling": 10.0, "random_state": 0}
CLOSE = 1e-3  # relative gap of a fit that is only compared on the inner folds; the chosen machine is proved to 1e-6


class Fit(NamedTuple):
    """f = K coef + b, and how many samples that needs."""

    coef: FloatArray
    b: float

    @property
    def n_support(self) -> int:
        return int(np.count_nonzero(self.coef))


FitPath = Callable[[FloatArray, FloatArray, Sequence[Params], Protocol], "list[Fit | None]"]


class GridChoice(NamedTuple):
    """The best point of a grid, its accuracy on the inner folds, and which of its parameters are at an end of their grid."""

    params: Params
    accuracy: float
    edges: list[str]
    points: int


# --- the machines ----------------------------------------------------------------------------------------------------


def _programmes(K: FloatArray, y: FloatArray, points: Sequence[Params], p: Protocol, cap: bool) -> list[Fit | None]:
    """The programme with a price; with the same C each solution starts from the last."""
    return [fit for _, path in groupby(points, _C) for fit in _one_C(K, y, list(path), p, cap)]


def _C(point: Params) -> float:
    return point.get("C", 1.0)


def _one_C(K: FloatArray, y: FloatArray, points: Sequence[Params], p: Protocol, cap: bool) -> list[Fit | None]:
    programme, found = Programme(K, y, solver(), cap=cap), []
    fast = FastSolver(K, y) if solver() == "highs" else None
    for point in points:
        s = fast.solve(_C(point), point["sparsity"], p.time_limit, cap) if fast is not None else None
        if s is None or s.certificate.gap > CLOSE:
            try:
                s = programme.solve(_C(point), point["sparsity"], p.time_limit)
            except SolverError:
                s = None
        found.append(None if s is None else Fit(s.coef, s.b))
    return found


def _mcm(K: FloatArray, y: FloatArray, points: Sequence[Params], p: Protocol) -> list[Fit | None]:
    return _programmes(K, y, points, p, cap=True)


def _lpsvm(K: FloatArray, y: FloatArray, points: Sequence[Params], p: Protocol) -> list[Fit | None]:
    return _programmes(K, y, points, p, cap=False)


def _lp0(K: FloatArray, y: FloatArray, points: Sequence[Params], p: Protocol) -> list[Fit | None]:
    """P's programme by linprog's dual simplex; beyond the limit of steps it counts as failed."""
    found: list[Fit | None] = []
    for point in points:
        result = linprog(**build_lp(K, y, point["C"])._asdict(), method="highs-ds", options={"maxiter": p.max_iter})
        solved = result.x is not None and result.status == 0
        found.append(Fit(result.x[: len(y)], float(result.x[len(y)])) if solved else None)
    return found


def _logistic(K: FloatArray, y: FloatArray, points: Sequence[Params], p: Protocol) -> list[Fit | None]:
    """On centred columns, which the bias makes up for: it is the same problem, and coordinate descent converges.

    A machine on its own is solved to the end: before that it has many coefficients that are small and not yet 0.
    """
    machine, l1 = _load_logistic()
    mean, tol = K.mean(axis=0), 1e-3 if len(points) > 1 else 1e-6
    fits = [machine(**l1, **LIBLINEAR, C=point["C"], tol=tol).fit(K - mean, y) for point in points]
    return [Fit(fit.coef_[0], float(fit.intercept_[0] - mean @ fit.coef_[0])) for fit in fits]


def _load_logistic() -> tuple[Any, dict[str, Any]]:
    """scikit-learn's machine, and how its version is told to use the 1-norm."""
    try:
        import sklearn
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise missing_package("scikit-learn") from None
    new = tuple(int(n) for n in sklearn.__version__.split(".")[:2]) >= (1, 8)
    return LogisticRegression, {"l1_ratio": 1} if new else {"penalty": "l1"}


def _svc(K: FloatArray, y: FloatArray, points: Sequence[Params], p: Protocol) -> list[Fit | None]:
    found: list[Fit | None] = []
    for point in points:
        machine = load_svc()(kernel="precomputed", C=point["C"]).fit(K, y)
        coef = np.zeros(len(y))
        coef[machine.support_] = machine.dual_coef_[0]
        found.append(Fit(coef, float(machine.intercept_[0])))
    return found


def _ml1(K: FloatArray, y: FloatArray, points: Sequence[Params], p: Protocol) -> list[Fit | None]:
    found = [solve_ml1(K, y, point["C"], point["C_h"]) for point in points]
    return [None if one is None else Fit(one.coef, one.b) for one in found]


PATHS: dict[str, FitPath] = {
    "mcm": _mcm,
    "lpsvm": _lpsvm,
    "lp0": _lp0,
    "logistic": _logistic,
    "svc": _svc,
    "ml1": _ml1,
}


def _grid(column: str, p: Protocol) -> list[Params]:
    """The points of a column's grid for one gamma, in the order in which they are solved."""
    if column == "mcm":
        return [{"C": C, "sparsity": C * s} for C, s in product(p.C, p.sparsity)]
    if column == "lpsvm":
        return [{"sparsity": s} for s in p.sparsity]
    if column == "ml1":  # C of the SVM's grid, and h weighed against the errors as in the MCM
        return [{"C": C, "C_h": C / errors} for C, errors in product(p.svc_C, p.C)]
    return [{"C": C} for C in {"svc": p.svc_C, "logistic": p.logistic_C, "lp0": p.C}[column]]


# --- one fold --------------------------------------------------------------------------------------------------------


def wide_columns(X: FloatArray, y: FloatArray, part: Part, p: Protocol, seed: int) -> dict[str, Any]:
    """``X``, ``y`` is the training part as it came, ``part`` the same standardised, with its test part."""
    inner = stratified_folds(y, p.inner_folds, seed)
    chosen, seconds = _choices(make_parts(X, y, inner), p)
    found: dict[str, Any] = {"majority": majority(part)}
    for column, choice in chosen.items():
        start = time.process_time()
        numbers = _tested(column, choice, part, p)
        found[column] = numbers | _said(choice, seconds[column] + time.process_time() - start)
    if "conformal" in p.columns:
        start = time.process_time()
        found["conformal"] = _conformal(X, y, part, chosen["mcm"], inner, p)
        found["conformal"]["seconds"] = round(seconds["mcm"] + time.process_time() - start, 2)
    return found


def _choices(parts: list[Part], p: Protocol) -> tuple[dict[str, GridChoice], dict[str, float]]:
    """For each column the best point of its grid, and the CPU seconds that finding it took."""
    columns = [column for column in p.columns if column in PATHS]
    grids = {column: _grid(column, p) for column in columns}
    unit = parts[0].X.shape[1] if p.relative else 1
    gammas = {c: [g / unit for g in (p.svc_gamma if c == "svc" else p.gamma)] for c in columns}
    points: dict[str, list[Params]] = {
        c: [{**point, "gamma": g} for g in gammas[c] for point in grids[c]] for c in columns
    }
    scores: dict[str, list[float]] = {column: [] for column in columns}
    seconds = dict.fromkeys(columns, 0.0)
    for g in sorted({g for tried in gammas.values() for g in tried}):
        by_part: dict[str, list[list[float]]] = {column: [] for column in columns if g in gammas[column]}
        for part in parts:
            K, K_test = rbf_kernel(part.X, part.X, g), rbf_kernel(part.X_test, part.X, g)
            for column in by_part:
                start = time.process_time()
                fits = PATHS[column](K, part.y, grids[column], p)
                by_part[column].append([_accuracy(fit, K_test, part) for fit in fits])
                seconds[column] += time.process_time() - start
        for column in by_part:
            scores[column] += np.mean(by_part[column], axis=0).tolist()
    return {column: choose(points[column], scores[column]) for column in columns}, seconds


def choose(points: Sequence[Params], accuracies: Sequence[float]) -> GridChoice:
    """The best point; of equals the one with the fewest parameters at an end of their grid, then the first.

    Examples
    --------
    >>> choose([{"C": 100.0}, {"C": 10.0}, {"C": 1.0}], [0.9, 0.9, 0.8])
    GridChoice(params={'C': 10.0}, accuracy=0.9, edges=[], points=3)
    """
    values = {name: _scale(name, points) for name in points[0]}
    edges = [[n for n, v in values.items() if len(set(v)) > 2 and v[i] in (min(v), max(v))] for i in range(len(points))]
    # two means of the same right answers may differ in their last digit, by the order in which they were added up
    best = max(range(len(points)), key=lambda i: (round(accuracies[i], 9), -len(edges[i]), -i))
    return GridChoice(dict(points[best]), float(accuracies[best]), edges[best], len(points))


def _scale(name: str, points: Sequence[Params]) -> list[float]:
    """The values of a parameter as its grid has them: prices and C_h in units of C, widths of the map in units of gamma."""
    unit = {"sparsity": "C", "C_h": "C", "gamma_c": "gamma"}.get(name, "")
    return [number(point[name] / point.get(unit, 1.0)) for point in points]


def _accuracy(fit: Fit | None, K_test: FloatArray, part: Part) -> float:
    """Without a solution the answer is the larger class."""
    f = np.full(len(part.y_test), part.y.sum()) if fit is None else K_test @ fit.coef + fit.b
    return float(np.mean(np.where(f > 0, 1.0, -1.0) == part.y_test))


def _tested(column: str, choice: GridChoice, part: Part, p: Protocol) -> dict[str, Any]:
    """The machine with the chosen parameters, fitted to the whole training part and tested once."""
    if column == "mcm":
        return _fitted(_machine(MCMClassifier, choice.params, p).fit(part.X, part.y), part)
    K, K_test = (rbf_kernel(X, part.X, choice.params["gamma"]) for X in (part.X, part.X_test))
    (fit,) = PATHS[column](K, part.y, [choice.params], p)
    return {"accuracy": number(_accuracy(fit, K_test, part)), "n_support": fit.n_support if fit else 0}


def _conformal(X: FloatArray, y: FloatArray, part: Part, basic: GridChoice, inner: Any, p: Protocol) -> dict[str, Any]:
    """Algorithm 2 for the machine that Algorithm 1 has already found, as the authors' code does."""
    start = Tuning(basic.params, basic.accuracy, [Trial(basic.params, basic.accuracy)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        tuning = tune_conformal(
            X,
            y,
            gamma_c=p.gamma_c,
            D=p.D,
            keep=p.keep,
            folds=inner,
            solver=solver(),
            time_limit=p.time_limit,
            basic=start,
        )
    widths = [{"gamma": basic.params["gamma"], **t.params} for t in tuning.trials]
    choice = choose(widths, [trial.accuracy for trial in tuning.trials])
    machine = _machine(ConformalMCMClassifier, choice.params, p).fit(part.X, part.y)
    J = {
        "J_before": number(machine.J_before_),
        "J_after": number(machine.J_after_),
        "n_cores": len(machine.core_indices_),
    }
    edges = sorted({*choice.edges, *basic.edges})
    return _fitted(machine, part) | J | _said(choice._replace(edges=edges), 0.0)


def _machine(kind: type, params: Params, p: Protocol) -> Any:
    return kind(**params, solver=solver(), time_limit=p.time_limit)


def _fitted(machine: Any, part: Part) -> dict[str, Any]:
    return {
        "accuracy": number(machine.score(part.X_test, part.y_test)),
        "n_support": int(machine.n_support_),
        "h": number(machine.h_),
        "gap": number(machine.certificate_.gap),
    }


def _said(choice: GridChoice, seconds: float) -> dict[str, Any]:
    """What was chosen. A column without "edges" was chosen inside its grid."""
    said: dict[str, Any] = {"params": numbers(choice.params), "validation": number(choice.accuracy)}
    said |= {"points": choice.points, "seconds": round(seconds, 2)}
    return said | ({"edges": choice.edges} if choice.edges else {})
