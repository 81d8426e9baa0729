"""P's Figures 1 and 2, by their data."""

import numpy as np
import pytest
from sklearn.decomposition import PCA, KernelPCA
from sklearn.preprocessing import StandardScaler

from mcmteach import ConformalMCMClassifier, fisher_scalar, load_dataset, plots, rbf_kernel
from mcmteach.datasets.folds import stratified_folds
from mcmteach.errors import InvalidInputError
from mcmteach.paper.figure2 import figure2


@pytest.fixture(scope="module")
def figure():
    return figure2()


def parts():
    data = load_dataset("glass")
    train, test = stratified_folds(2.0 * data.target - 1, 5, 0)[0]
    scaler = StandardScaler().fit(data.data[train])
    return scaler.transform(data.data[train]), scaler.transform(data.data[test])


def test_the_first_two_rows_are_scikit_learns_pca_and_kernel_pca():
    X, Z = parts()
    mine = figure2(scaling="variance").embeddings
    for ours, theirs in zip(mine, (PCA(2), KernelPCA(2, kernel="rbf", gamma=0.002)), strict=False):
        train, test = theirs.fit(X).transform(X), theirs.transform(Z)
        sign = np.sign(np.sum(train * ours.train, axis=0))  # the sign of an axis is arbitrary
        np.testing.assert_allclose(ours.train, train * sign, atol=1e-6)
        np.testing.assert_allclose(ours.test, test * sign, atol=1e-6)


def test_the_third_row_is_kernel_pca_of_the_mapped_kernel(figure):
    X, Z = parts()
    machine = ConformalMCMClassifier(C=2.0, gamma=0.002, gamma_c=0.0078).fit(X, figure.y_train)
    c, c_new = machine.conformal_map_(X), machine.conformal_map_(Z)
    K, K_new = np.outer(c, c) * rbf_kernel(X, X, 0.002), np.outer(c_new, c) * rbf_kernel(Z, X, 0.002)
    theirs = KernelPCA(2, kernel="precomputed").fit(K)
    train, test = theirs.transform(K), theirs.transform(K_new)
    ours = figure2(scaling="variance").embeddings[2]
    sign = np.sign(np.sum(train * ours.train, axis=0))
    np.testing.assert_allclose(ours.train, train * sign, atol=1e-6)
    np.testing.assert_allclose(ours.test, test * sign, atol=1e-6)


def test_what_the_picture_shows_in_numbers(figure):
    """The map raises J of the projections many times, in training and in test; the accuracy need not follow."""
    plain, basic, conformal = figure.embeddings
    assert conformal.J_train > 5 * basic.J_train and conformal.J_test > 2 * basic.J_test
    assert basic.J_train == pytest.approx(fisher_scalar(basic.train, figure.y_train))
    assert plain.test.shape == (30, 2) and conformal.J_test == pytest.approx(
        fisher_scalar(conformal.test, figure.y_test)
    )
    assert [round(a, 2) for a in figure.accuracy] == [0.9, 0.8]
    assert "90.0 % without the map, 80.0 % with it" in str(figure)


def test_the_drawing_of_figure_2_holds_the_points(figure):
    picture = plots.plot_embeddings(figure)
    assert len(picture.axes) == 6
    for i, ax in enumerate(picture.axes):
        embedding, test = figure.embeddings[i % 3], i // 3
        Z, y = (embedding.test, figure.y_test) if test else (embedding.train, figure.y_train)
        minus, plus = (np.asarray(c.get_offsets()) for c in ax.collections)
        np.testing.assert_array_equal(minus, Z[y < 0])
        np.testing.assert_array_equal(plus, Z[y > 0])
        assert f"J = {embedding.J_test if test else embedding.J_train:.2f}" in ax.get_title()
        left, right, low, high = ax.axis()
        assert ([left, low] <= Z).all() and ([right, high] >= Z).all()
    assert [ax.get_xlim() for ax in picture.axes[:3]] == [ax.get_xlim() for ax in picture.axes[3:]]


@pytest.mark.parametrize("fold", [5, -1, 0.5])
def test_a_fold_that_is_not_there(fold):
    with pytest.raises(InvalidInputError, match="fold"):
        figure2(fold=fold)
