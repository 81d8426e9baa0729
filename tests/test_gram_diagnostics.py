"""Good, bad and ugly kernel matrices: the two scores, their ranges, and the picture."""

import sys

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import cosine_similarity

from mcmteach import MCMClassifier, is_mercer, rbf_kernel
from mcmteach.errors import InvalidInputError, MissingExtraError
from mcmteach.gram import block_score, cosines, diagonality, good_bad_ugly, is_symmetric, judge_kernel
from mcmteach.plots import plot_gram

matplotlib.use("Agg")
quick = settings(deadline=None, max_examples=40)

GOOD = [[3, 2, 0, 0, 0], [2, 3, 0, 0, 0], [0, 0, 4, 3, 3], [0, 0, 3, 4, 2], [0, 0, 3, 2, 4]]


@st.composite
def features(draw):
    """Feature vectors of 3 to 9 samples, some of them zero, and labels with both classes."""
    M, rng = draw(st.integers(3, 9)), np.random.default_rng(draw(st.integers(0, 10**6)))
    F = rng.normal(size=(M, draw(st.integers(1, 4)))) * rng.integers(0, 2, size=(M, 1))
    return F, rng.permutation(np.where(np.arange(M) < draw(st.integers(1, M - 1)), -1.0, 1.0))


# --- the three examples ----------------------------------------------------------------------------------------------


def test_the_good_the_bad_and_the_ugly():
    examples = good_bad_ugly()
    assert list(examples) == ["good", "bad", "ugly"]
    assert examples["good"][0].tolist() == GOOD
    assert (examples["bad"][0] == np.eye(5)).all()
    for name, (K, y) in examples.items():
        assert K.dtype == float and is_symmetric(K) and is_mercer(K)
        assert y.tolist() == [-1, -1, 1, 1, 1]
        assert judge_kernel(K, y).verdict == name
    spectra = [np.linalg.eigvalsh(examples[name][0]) for name in ("good", "ugly")]
    np.testing.assert_allclose(*spectra)


def test_scores_of_the_slides_good_matrix_by_hand():
    K, y = good_bad_ugly()["good"]
    assert diagonality(K) == pytest.approx(1 - (2 / 3 + 2 / 3 + 3 / 4 + 3 / 4 + 3 / 4) / 5)
    assert block_score(K, y) == 1.0
    K, y = good_bad_ugly()["ugly"]
    # pairs within: 0 in the first class; 0, 0, 1/2 in the second. Pairs across: 2/3, 3/4, 3/4, and three zeros
    s, d = (1 / 2) / 4, (2 / 3 + 3 / 4 + 3 / 4) / 6
    assert block_score(K, y) == pytest.approx((s - d) / (s + d))


def test_the_good_kernel_lets_a_machine_share_and_the_bad_one_does_not():
    # leave each sample out in turn: with the identity nothing is known about it
    right = {}
    for name, (K, y) in good_bad_ugly().items():
        right[name] = 0
        for i in range(5):
            rest = np.delete(np.arange(5), i)
            machine = MCMClassifier(kernel="precomputed").fit(K[np.ix_(rest, rest)], y[rest])
            right[name] += int(machine.predict(K[[i]][:, rest])[0] == y[i])
    assert right["good"] == 5
    assert right["bad"] < 5 and right["ugly"] < 5


# --- the scores ------------------------------------------------------------------------------------------------------


@quick
@given(features())
def test_cosines_are_scikit_learns(sample):
    F, _ = sample
    np.testing.assert_allclose(cosines(F @ F.T), cosine_similarity(F), atol=1e-7)


@quick
@given(features(), st.integers(0, 10**6))
def test_scores_keep_their_ranges_and_ignore_scale_and_order(sample, seed):
    F, y = sample
    K, rng = F @ F.T, np.random.default_rng(seed)
    d, blocks = diagonality(K), block_score(K, y)
    assert isinstance(d, float) and isinstance(blocks, float)
    assert 0 <= d <= 1 and -1 <= blocks <= 1
    scale, order = rng.uniform(0.1, 10, len(y)), rng.permutation(len(y))
    changed = (K * np.outer(scale, scale))[np.ix_(order, order)]
    assert diagonality(changed) == pytest.approx(d)
    assert block_score(changed, y[order]) == pytest.approx(blocks)
    assert block_score(K, -y) == pytest.approx(blocks)


@pytest.mark.parametrize("M", [3, 10])
def test_scores_at_their_extremes(M):
    y = np.where(np.arange(M) % 2, 1.0, -1.0)
    same, ones = np.equal.outer(y, y).astype(float), np.ones((M, M))
    assert (diagonality(np.eye(M)), block_score(np.eye(M), y)) == (1.0, 0.0)
    assert (diagonality(ones), block_score(ones, y)) == (0.0, 0.0)
    assert block_score(same, y) == 1.0
    assert block_score(np.outer(y, y), y) == 1.0  # opposite is not similar
    assert block_score(1.0 - same + np.eye(M), y) == -1.0
    assert diagonality(np.zeros((M, M))) == 1.0 and block_score(np.zeros((M, M)), y) == 0.0


def test_random_labels_have_no_blocks():
    X, y = make_moons(100, noise=0.2, random_state=0)
    K, rng = rbf_kernel(X, gamma=2.0), np.random.default_rng(0)
    scores = [block_score(K, rng.permutation(2.0 * y - 1)) for _ in range(100)]
    assert abs(np.mean(scores)) < 0.01
    assert block_score(K, 2 * y - 1) > 0.4 > 10 * np.std(scores)


def test_a_kernel_of_too_narrow_width_is_bad_and_one_too_wide_is_ugly():
    X, y = make_moons(120, noise=0.2, random_state=0)
    verdicts = {gamma: judge_kernel(rbf_kernel(X, gamma=gamma), 2 * y - 1).verdict for gamma in (1e-3, 5.0, 1e3)}
    assert verdicts == {1e-3: "ugly", 5.0: "good", 1e3: "bad"}


def test_irrelevant_features_make_the_matrix_diagonal():
    X, y = make_moons(120, noise=0.2, random_state=0)
    noise = np.random.default_rng(0).normal(size=(120, 20))
    scores = [diagonality(rbf_kernel(np.hstack([X, noise[:, :n]]), gamma=0.5)) for n in (0, 5, 20)]
    assert scores[0] < 0.05 < 0.5 < scores[1] < 0.99 < scores[2]
    assert judge_kernel(rbf_kernel(np.hstack([X, noise]), gamma=0.5), 2 * y - 1).verdict == "bad"


def test_what_is_not_mercer_still_gets_scores_within_range():
    assert cosines([[1.0, 5.0], [5.0, 1.0]]).tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: diagonality([[1.0]]), "at least two"),
        (lambda: diagonality(np.ones((2, 3))), "square"),
        (lambda: cosines([[-1.0, 0.0], [0.0, 1.0]]), "negative entry on its diagonal"),
        (lambda: block_score(np.eye(2), [1, -1]), "at least three"),
        (lambda: block_score(np.eye(3), [1, 1, 1]), "one class only"),
        (lambda: block_score(np.eye(3), [0, 1, 1]), "needs -1 and"),
        (lambda: judge_kernel(np.eye(3), [1, -1]), "3 are needed"),
        (lambda: judge_kernel([[np.nan, 0], [0, 1]], [1, -1]), "NaN"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()


# --- the picture -----------------------------------------------------------------------------------------------------


@pytest.fixture
def ax():
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    yield ax
    plt.close(fig)


def test_plot_gram_orders_the_samples_by_class(ax):
    K, y = good_bad_ugly()["good"]
    shuffled = [3, 0, 4, 1, 2]
    assert plot_gram(K[np.ix_(shuffled, shuffled)], y[shuffled], ax) is ax
    drawn = np.asarray(ax.images[0].get_array())
    assert (drawn[:2, 2:] == 0).all() and (drawn[:2, :2] > 0).all() and (drawn[2:, 2:] > 0).all()
    assert [t.get_text() for t in ax.get_xticklabels()] == ["-1", "+1"]
    assert ax.get_xticks().tolist() == [0.5, 3.0]  # the middle of samples 0, 1 and of samples 2, 3, 4
    assert [line.get_ydata()[0] for line in ax.lines[:1]] == [1.5]
    assert len(ax.texts) == 25


def test_plot_gram_without_labels_keeps_the_order(ax):
    K = rbf_kernel(np.arange(20.0)[:, None])
    plot_gram(K, ax=ax)
    assert (np.asarray(ax.images[0].get_array()) == K).all()
    assert len(ax.lines) == len(ax.texts) == 0


def test_plot_gram_draws_zero_in_the_middle_of_the_colours_where_k_is_signed(ax):
    plot_gram([[1.0, -2.0], [-2.0, 5.0]], ["no", "yes"], ax)
    assert ax.images[0].get_clim() == (-5.0, 5.0)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["no", "yes"]
    plot_gram(np.zeros((2, 2)), ax=ax)
    assert ax.images[1].get_clim() == (0.0, 1.0)


def test_plot_gram_makes_its_own_axes():
    import matplotlib.pyplot as plt

    ax = plot_gram(np.eye(3))
    assert ax.figure in [plt.figure(n) for n in plt.get_fignums()]
    plt.close(ax.figure)


def test_plot_gram_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingExtraError, match=r"\[lessons\]"):
        plot_gram(np.eye(3))


def test_plot_gram_refuses(ax):
    with pytest.raises(InvalidInputError, match="square"):
        plot_gram(np.ones((2, 3)), ax=ax)
    with pytest.raises(InvalidInputError, match="one label per row"):
        plot_gram(np.eye(3), [1, -1], ax)
