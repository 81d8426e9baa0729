r"""P's Figure 2: the glass data before and after kernel optimisation, seen along two principal axes. P section 6.2, appendix.

Three embeddings (PCA, kernel PCA of the basic kernel, kernel PCA of the optimised kernel), each fitted to the training part
and shown for the training and for the test part. What a picture seems to show is computed as well: the Fisher scalar J of
every panel's points. ``mcmteach.plots.plot_embeddings`` draws it, and ``python -m mcmteach reproduce figure2 --picture FILE``.
"""

from __future__ import annotations

from typing import NamedTuple

from mcmteach.conformal import conformal_matrix
from mcmteach.conformal_mcm import ConformalMCMClassifier
from mcmteach.datasets import fill_gaps, load_dataset, standardised, stratified_folds
from mcmteach.embedding import kernel_pca, pca
from mcmteach.errors import InvalidInputError
from mcmteach.fisher import fisher_scalar
from mcmteach.kernels import rbf_kernel
from mcmteach.validation import FloatArray, whole

#: The parameters that P names for this figure.
PRINTED_FIGURE2 = {"C": 2.0, "gamma": 0.002, "gamma_c": 0.0078}


class Embedding(NamedTuple):
    """One row of Figure 2: training and test points in the plane, and how well the classes are apart in each."""

    name: str
    train: FloatArray  #: shape (n_train, 2)
    test: FloatArray  #: shape (n_test, 2)
    J_train: float  #: Fisher scalar of ``train``
    J_test: float  #: Fisher scalar of ``test``


class Figure2(NamedTuple):
    """P's Figure 2, as data."""

    dataset: str
    y_train: FloatArray  #: labels -1 and +1
    y_test: FloatArray
    class_names: tuple[str, str]
    embeddings: tuple[Embedding, Embedding, Embedding]
    accuracy: tuple[float, float]  #: on the test part, of the basic and of the conformal machine

    def __str__(self) -> str:
        width = max(len(e.name) for e in self.embeddings)
        lines = [f"{e.name:{width}}  J {e.J_train:8.3f} (training)  {e.J_test:8.3f} (test)" for e in self.embeddings]
        basic, conformal = (100 * a for a in self.accuracy)
        return "\n".join([*lines, f"test accuracy: {basic:.1f} % without the map, {conformal:.1f} % with it"])


def figure2(
    dataset: str = "glass",
    gamma: float = PRINTED_FIGURE2["gamma"],
    gamma_c: float = PRINTED_FIGURE2["gamma_c"],
    C: float = PRINTED_FIGURE2["C"],
    sparsity: float = 0.1,
    fold: int = 0,
    seed: int = 0,
    scaling: str = "paper",
) -> Figure2:
    """The three embeddings of a bundled set, on one of five folds.

    Parameters
    ----------
    dataset : a set with two classes, glass in P
    gamma, gamma_c, C : P's values for this figure
    sparsity : price on the coefficients. P has none, but then the cores are whatever the solver's tolerances leave
    fold, seed : which fifth (0 to 4) of which stratified split is the test part; P does not say
    scaling : "paper" as in P's appendix, or "variance" as scikit-learn has it (see :func:`mcmteach.pca`)

    Examples
    --------
    >>> figure = figure2()
    >>> [e.name for e in figure.embeddings], len(figure.y_train), len(figure.y_test)
    (['PCA', 'kernel PCA', 'kernel PCA, conformal'], 116, 30)

    Source: P Figure 2, section 6.2, A.1 and A.2.
    """
    if whole(fold, "fold", 0) > 4:
        raise InvalidInputError(f"There are five folds, 0 to 4; got fold={fold}.")
    data = load_dataset(dataset)
    y = 2.0 * data.target - 1
    train, test = stratified_folds(y, 5, seed)[fold]
    X, Z = standardised(*fill_gaps(data.data[train], data.data[test]))
    machine = ConformalMCMClassifier(C=C, gamma=gamma, gamma_c=gamma_c, sparsity=sparsity).fit(X, y[train])
    K, K_new = rbf_kernel(X, X, gamma), rbf_kernel(Z, X, gamma)
    c, c_new = machine.c_, machine.conformal_map_(Z)
    Kc, Kc_new = conformal_matrix(K, c), conformal_matrix(K_new, c_new, c)
    pairs = {
        "PCA": (pca(X, scaling=scaling), pca(X, new=Z, scaling=scaling)),
        "kernel PCA": (kernel_pca(K, scaling=scaling), kernel_pca(K, new=K_new, scaling=scaling)),
        "kernel PCA, conformal": (kernel_pca(Kc, scaling=scaling), kernel_pca(Kc, new=Kc_new, scaling=scaling)),
    }
    first, second, third = (
        Embedding(name, A, B, fisher_scalar(A, y[train]), fisher_scalar(B, y[test])) for name, (A, B) in pairs.items()
    )
    scores = machine.basic_.score(Z, y[test]), machine.score(Z, y[test])
    minus, plus = (str(name) for name in data.target_names)
    return Figure2(dataset, y[train], y[test], (minus, plus), (first, second, third), scores)
