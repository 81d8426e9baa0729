"""The machines that are compared, each tuned in the same way, and each as C source by one of several exporters.

Every machine has a grid of thirty settings and takes the one with the best accuracy of five stratified folds of the training
part. The certified machine is the exception that its proof allows: it takes the setting with the smallest bound.

An earlier run had twelve settings, and the MCM chose ends of its lists in half of the cases and more. So every list was
lengthened by one step at both ends, for all machines alike, before any test accuracy of the new run was seen.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from contextlib import chdir
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from mcmteach import MCMClassifier, to_c
from mcmteach.export.formula import Formula, formula_of
from mcmteach.guarantee import GAMMA_LIST, risk_certificate
from tools.edge.board import Source

FOLDS = 5
SET_ASIDE = (
    0.2  # of the training part: the certified machine's scale is learnt there, so that its proof need not pay for it
)
GAMMAS = (0.03, 0.1, 0.3, 1.0, 3.0)  # times 1 / n_features
PRICES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
SETTINGS = len(GAMMAS) * len(PRICES)  # of every machine
NUMBERS_PER_LEAF = 2  # a threshold and a leaf: so many leaves has a tree for a number of the MCM


class Rival(NamedTuple):
    """A fitted machine with ``predict`` (classes 0 and 1), and who writes it as C."""

    machine: Any
    sources: dict[str, Callable[[], Source]]
    note: dict[str, float]  #: what else is stored: support vectors, the bound


def rivals(X: NDArray[np.float64], y: NDArray[Any], seed: int) -> dict[str, Rival]:
    """Every machine, fitted to the training part."""
    n = X.shape[1]
    gammas = [scale / n for scale in GAMMAS]
    mcm, mcm_note = _tuned(MCMClassifier(), {"gamma": gammas, "sparsity": PRICES}, X, y, seed)
    lp_svm, lp_note = _tuned(MCMClassifier(cap=False), {"gamma": gammas, "sparsity": PRICES}, X, y, seed)
    svc, svc_note = _tuned(SVC(), {"gamma": gammas, "C": [0.1, 0.3, 1.0, 10.0, 100.0, 1000.0]}, X, y, seed)
    penalties = {"C": np.geomspace(1e-4, 1e4, SETTINGS)}
    logistic, logistic_note = _tuned(LogisticRegression(max_iter=2000), penalties, X, y, seed)
    perceptron = MLPClassifier(max_iter=500, solver="lbfgs", random_state=seed)
    mlp, mlp_note = _tuned(
        perceptron, {"hidden_layer_sizes": [(4,), (8,)], "alpha": np.geomspace(1e-3, 300, SETTINGS // 2)}, X, y, seed
    )  # fmt: skip
    most = max(4, formula_of(mcm).vectors.size // NUMBERS_PER_LEAF)
    leaves = sorted({int(k) for k in np.geomspace(2, most, SETTINGS).round()})
    tree, tree_note = _tuned(
        DecisionTreeClassifier(random_state=seed), {"max_leaf_nodes": leaves}, X, y, seed, scale=False
    )
    certified, certified_note = _certified(X, y, seed)
    return {
        "MCM": Rival(mcm, _ours(mcm), mcm_note | _vectors(mcm)),
        "LP-SVM": Rival(lp_svm, _ours(lp_svm), lp_note | _vectors(lp_svm)),
        "certified MCM": Rival(certified, _ours(certified), certified_note | _vectors(certified)),
        "SVC": Rival(
            svc,
            _ours(svc) | {"m2cgen": lambda: _m2cgen(svc), "micromlgen": lambda: _micromlgen(svc)},
            svc_note | _vectors(svc),
        ),
        "logistic regression": Rival(logistic, _ours(logistic), logistic_note),
        "MLP": Rival(mlp, {"emlearn": lambda: _emlearn_net(mlp)}, mlp_note),
        "decision tree": Rival(tree, {"emlearn": lambda: _emlearn_tree(tree)}, tree_note),
    }


def _tuned(
    machine: Any, grid: dict[str, Any], X: NDArray[np.float64], y: NDArray[Any], seed: int, scale: bool = True
) -> tuple[Any, dict[str, float]]:
    """The best pipeline of a grid; how many of its choices are ends of their lists, and whether training came to its end."""
    pipeline = Pipeline([("scale", StandardScaler() if scale else "passthrough"), ("machine", machine)])
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    search = GridSearchCV(pipeline, {f"machine__{name}": values for name, values in grid.items()}, cv=folds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the page counts those that are chosen
        best = search.fit(X, y).best_estimator_
    chosen = {name: search.best_params_[f"machine__{name}"] for name in grid}
    note = {"edges": at_edges(chosen, grid)}
    limit, fitted = machine.get_params().get("max_iter", -1), best.named_steps["machine"]
    if limit > 0:  # an SVC has -1: none
        note["unfinished"] = float(np.max(fitted.n_iter_) >= limit)
    return best, note


def at_edges(chosen: dict[str, Any], grid: dict[str, Any]) -> float:
    """The share of the choices that are the first or last of their list, of lists with more than two entries."""
    return float(np.mean([chosen[name] in (grid[name][0], grid[name][-1]) for name in grid if len(grid[name]) > 2]))


def _certified(X: NDArray[np.float64], y: NDArray[Any], seed: int) -> tuple[Formula, dict[str, float]]:
    """The machine with the smallest bound; its scale comes from samples that the bound does not use."""
    aside = np.random.default_rng(seed).permutation(len(y)) < SET_ASIDE * len(y)
    scaler = StandardScaler().fit(X[aside])
    Z, labels = scaler.transform(X[~aside]), y[~aside]
    targets = [scale / X.shape[1] for scale in GAMMAS]
    grid = {
        "gamma": sorted({min(GAMMA_LIST, key=lambda g, to=target: abs(np.log(g / to))) for target in targets}),
        "sparsity": [3 * price for price in PRICES],
    }
    tried = []
    for gamma, price in product(*grid.values()):
        machine = MCMClassifier(gamma=gamma, sparsity=price).fit(Z, labels)
        tried.append((risk_certificate(machine, Z, labels), {"gamma": gamma, "sparsity": price}))
    best, chosen = min(tried, key=lambda each: each[0].bound)
    note = {"bound": best.bound, "edges": at_edges(chosen, grid)}
    return formula_of(best.machine)._replace(mean=scaler.mean_, scale=scaler.scale_), note


def _vectors(machine: Any) -> dict[str, float]:
    return {"vectors": len(formula_of(machine).vectors)}


# --- as C ------------------------------------------------------------------------------------------------------------

LABEL = "int label(const float *x) { return machine_predict(x); }\n"


def _ours(machine: Any) -> dict[str, Callable[[], Source]]:
    kernel = formula_of(machine).kernel != "linear"
    exp = "polynomial" if kernel else "library"
    made = {"ours": lambda: Source(to_c(machine, exp=exp) + LABEL)}
    if kernel:
        made |= {
            "ours, int8": lambda: Source(to_c(machine, "int8", exp=exp) + LABEL),
            "ours, expf": lambda: Source(to_c(machine) + LABEL),
        }
    return made


def _scaled(pipeline: Any, ctype: str, call: str) -> str:
    """A function ``label`` that scales x as the pipeline does, and then calls."""
    scaler = pipeline.named_steps["scale"]
    mean, rate = (", ".join(f"{value:.9g}f" for value in array) for array in (scaler.mean_, 1 / scaler.scale_))
    n = len(scaler.mean_)
    return (
        f"static const float mean[{n}] = {{{mean}}}, rate[{n}] = {{{rate}}};\n"
        f"int label(const float *x) {{\n    {ctype} z[{n}];\n"
        f"    for (int j = 0; j < {n}; j++) z[j] = (x[j] - mean[j]) * rate[j];\n    return {call};\n}}\n"
    )


def _m2cgen(pipeline: Any) -> Source:
    import m2cgen

    return Source(m2cgen.export_to_c(pipeline.named_steps["machine"]) + _scaled(pipeline, "double", "score(z) > 0"))


def _micromlgen(pipeline: Any) -> Source:
    """C++ as generated, with a header for <cstdarg>, which the cross compiler's package does not contain."""
    from micromlgen import port

    text = (
        port(pipeline.named_steps["machine"])
        .replace("#include <cstdarg>", "#include <stdarg.h>")
        .replace("#pragma once", "")
    )
    head = '#include <stdint.h>\n#include <math.h>\nextern "C" int label(const float *x);\n'
    call = "machine.predict(z)"
    return Source(
        head + text + "static Eloquent::ML::Port::SVM machine;\n" + _scaled(pipeline, "float", call), language="cpp"
    )


@np.errstate()  # emlearn makes every underflow an error: that ends with the call
def _emlearn_net(pipeline: Any) -> Source:
    import emlearn

    with tempfile.TemporaryDirectory() as folder, chdir(folder):  # it leaves what it compiles in the current folder
        path = Path(folder) / "net.h"
        emlearn.convert(pipeline.named_steps["machine"], method="inline").save(file=str(path), name="net")
        text = path.read_text()
    return Source(
        text + _scaled(pipeline, "float", f"net_predict(z, {pipeline.named_steps['machine'].n_features_in_})"),
        include=emlearn.includedir,
    )


@np.errstate()
def _emlearn_tree(pipeline: Any) -> Source:
    """A tree is fitted without a scale."""
    import emlearn

    text = emlearn.convert(pipeline.named_steps["machine"], method="inline", dtype="float").save(
        name="tree", format="c", include_proba=False
    )
    call = (
        f"int label(const float *x) {{ return tree_predict(x, {pipeline.named_steps['machine'].n_features_in_}); }}\n"
    )
    return Source(text + call, include=emlearn.includedir)
