"""Lesson 7: why C has no effect, what a price changes, its figures by what is in them, its panel, and its notebook."""

import json
import re

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse.csgraph import shortest_path

import mcmteach as mt
from mcmteach import plots
from mcmteach import widgets as panels
from mcmteach.checks.tasks import kernel_mcm as lesson07
from mcmteach.datasets import karate_club
from mcmteach.datasets.worlds import moons
from mcmteach.errors import InvalidInputError, NotMercerWarning, SolverError
from mcmteach.plots.network import layout
from mcmteach.widgets import kernel_mcm as lesson07_panel
from mcmteach.widgets.kernel_mcm import CS, GAVE_UP, NEW, SAMPLE
from tools.ledger import ROOT

GAMMA = 4.0


@pytest.fixture(scope="module")
def sample():
    X, y = moons(**SAMPLE)
    return X, y, mt.rbf_kernel(X, gamma=GAMMA)


@st.composite
def problems(draw, most=9):
    """A well-conditioned kernel matrix of distinct points, with labels of both kinds."""
    M = draw(st.integers(2, most))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.permutation(np.arange(2.0 * M))[:M, None] + rng.uniform(-0.2, 0.2, (M, 1))
    y = rng.choice([-1.0, 1.0], M)
    y[:2] = 1.0, -1.0
    return mt.rbf_kernel(X, gamma=1.0), y


# --- the surprise --------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(problem=problems(), log2_C=st.integers(-10, 10), seed=st.integers(0, 10**6))
def test_as_printed_the_optimum_is_one_and_interpolates_any_labels(problem, log2_C, seed):
    K, y = problem
    y = np.random.default_rng(seed).permutation(y)
    solution = mt.solve_mcm(K, y, C=2.0**log2_C, sparsity=0)
    assert solution.objective == pytest.approx(1, abs=1e-6) and solution.certificate.proves_optimal()
    np.testing.assert_allclose(K @ solution.coef + solution.b, y, atol=1e-4)


@settings(deadline=None, max_examples=40)
@given(problem=problems(), b=st.floats(-20, 20), log2_C=st.integers(-10, 10))
def test_there_is_an_optimum_for_every_bias(problem, b, log2_C):
    K, y = problem
    lam = lesson07.interpolate(K, y, b)
    assert lesson07.mcm_objective(K, y, lam, b, 2.0**log2_C, 0.0) == pytest.approx(1, abs=1e-6)


@settings(deadline=None, max_examples=25)
@given(problem=problems(), C=st.floats(0.01, 10))
def test_a_twin_with_the_opposite_label_costs_two_C(problem, C):
    K, y = problem
    twice = np.append(np.arange(len(y)), 0)
    solution = mt.solve_mcm(K[np.ix_(twice, twice)], np.append(y, -y[0]), C, sparsity=0)
    assert solution.objective == pytest.approx(1 + 2 * C, rel=1e-6)
    np.testing.assert_allclose((y * (K @ np.bincount(twice, solution.coef) + solution.b))[1:], 1, atol=1e-4)


# --- the price -----------------------------------------------------------------------------------------------------------


def cheapest_interpolant(K, y):
    """min ||lambda||_1 with K lambda + b = y: a programme of its own."""
    M = len(y)
    A = np.hstack([K, -K, np.ones((M, 1))])
    result = linprog(np.r_[np.ones(2 * M), 0], A_eq=A, b_eq=y, bounds=[(0, None)] * (2 * M) + [(None, None)])
    return result.fun


@settings(deadline=None, max_examples=25)
@given(problem=problems())
def test_a_vanishing_price_leads_to_the_cheapest_interpolant(problem):
    K, y = problem
    solution = mt.solve_mcm(K, y, C=1.0, sparsity=1e-4)
    np.testing.assert_allclose(K @ solution.coef + solution.b, y, atol=1e-5)
    assert np.abs(solution.coef).sum() == pytest.approx(cheapest_interpolant(K, y), rel=1e-5)


def test_with_a_price_C_has_an_effect(sample):
    _, y, K = sample
    slack = [mt.solve_mcm(K, y, C, sparsity=0.1).q.sum() for C in (2**-4, 2**-2, 1, 2**4)]
    assert np.all(np.diff(slack) < -0.5) and slack[-1] < 1e-6


@settings(deadline=None, max_examples=25)
@given(problem=problems(), C=st.floats(0.05, 5))
def test_the_best_constant_machine(problem, C):
    K, y = problem
    tried = [lesson07.mcm_objective(K, y, np.zeros(len(y)), b, C, 1.0) for b in np.linspace(-3, 3, 121)]
    assert lesson07.constant_objective(y, C) == pytest.approx(min(tried))
    price = mt.constant_price(K, y, C)
    dear, fair = (mt.solve_mcm(K, y, C, s) for s in (1.01 * price, 0.99 * price))
    assert not dear.coef.any() and dear.objective == pytest.approx(min(tried))
    assert fair.coef.any() and fair.objective < min(tried)


@settings(deadline=None, max_examples=40)
@given(problem=problems(), C=st.floats(0.05, 5), s=st.floats(0.01, 2), seed=st.integers(0, 10**6))
def test_the_exercises_certificate_is_below_every_machine_and_reaches_the_best(problem, C, s, seed):
    K, y = problem
    rng = np.random.default_rng(seed)
    z, lam, b = rng.normal(size=len(y)) + y, 3 * rng.normal(size=len(y)), rng.normal()
    bound = lesson07.lower_bound(K, y, C, s, z - z.mean())
    assert bound <= lesson07.mcm_objective(K, y, lam, b, C, s) + 1e-9
    solution = mt.solve_mcm(K, y, C, s)
    assert bound <= solution.objective + 1e-9
    assert lesson07.lower_bound(K, y, C, s, 5 * solution.certificate.z) == pytest.approx(solution.objective, rel=1e-5)


# --- sets, and a similarity that is no kernel ------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(M=st.integers(1, 8), V=st.integers(1, 9), seed=st.integers(0, 10**6))
def test_the_cosine_of_sets_is_an_rbf_kernel(M, V, seed):
    A = np.random.default_rng(seed).integers(0, 2, (M, V)).astype(float)
    K = mt.gram_matrix(mt.set_kernel, [set(np.flatnonzero(row)) for row in A], normalise=True)
    np.testing.assert_allclose(K, mt.rbf_kernel(A, gamma=np.log(2) / 2))
    np.testing.assert_allclose(K, lesson07.set_gram(A))


def test_the_sigmoid_is_indefinite_and_can_be_fitted_and_certified(sample):
    X, y, _ = sample
    K = np.tanh(X @ X.T - 1)
    assert np.linalg.eigvalsh(K)[0] < -1
    with pytest.warns(NotMercerWarning):
        machine = mt.MCMClassifier(kernel="precomputed").fit(K, y)
    assert machine.certificate_.proves_optimal()


# --- figures -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def path(sample):
    _, y, K = sample
    return mt.mcm_path(K, y, C=1.0, sparsity=np.logspace(-2, 1, 7))


def test_path_of_coefficients_has_a_line_for_each_that_ever_wakes(path):
    ax = plots.plot_path(path)
    coef = np.array([solution.coef for solution in path.solutions])
    lines = ax.lines[1:]  # the first is the axis
    awake = np.flatnonzero(np.abs(coef).max(axis=0))
    assert len(lines) == len(awake) > 10
    for line, j in zip(lines, awake, strict=True):
        np.testing.assert_allclose(line.get_ydata(), coef[:, j])
    assert ax.get_xscale() == "log" and len({line.get_linestyle() for line in lines}) > 1


def test_path_of_support_vectors_and_of_errors(path):
    (line,) = plots.plot_path(path, "support").lines
    np.testing.assert_array_equal(line.get_ydata(), path.n_support)
    assert line.get_ydata()[-1] == 0, "beyond the constant price nothing is left"
    new = np.linspace(0.1, 0.5, 7)
    ax = plots.plot_path(path, "error", new)
    np.testing.assert_allclose([line.get_ydata() for line in ax.lines], [path.error, new])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["training sample", "new points"]
    assert len(plots.plot_path(path, "error").lines) == 1


def test_cap_shows_every_margin_in_order_and_the_slack_below_one():
    f, y = np.array([2.0, -0.5, 1.0, -3.0]), np.array([1.0, 1.0, -1.0, -1.0])  # y f = 2, -0.5, -1, 3
    ax = plots.plot_cap(f, y, h=3.0)
    cap, one, minus, plus = ax.lines
    assert set(cap.get_ydata()) == {3.0} and set(one.get_ydata()) == {1.0}
    assert minus.get_xdata().tolist() == [1, 4] and plus.get_xdata().tolist() == [2, 3]
    np.testing.assert_allclose(minus.get_ydata(), [-1, 3])
    np.testing.assert_allclose(plus.get_ydata(), [-0.5, 2])
    assert minus.get_marker() != plus.get_marker()
    (slack,) = ax.collections
    lengths = [abs(segment[0, 1] - segment[1, 1]) for segment in slack.get_segments()]
    np.testing.assert_allclose(lengths, [2, 1.5, 0, 0])


def test_layout_keeps_steps_as_distances():
    A = np.zeros((5, 5))
    for i in range(4):
        A[i, i + 1] = A[i + 1, i] = 1.0
    X = layout(A)  # a path fits exactly, on a line
    apart = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.testing.assert_allclose(apart, np.abs(np.subtract.outer(np.arange(5), np.arange(5))), atol=0.02)


def test_layout_of_the_club_parts_twins_and_has_little_stress():
    A, _ = karate_club()
    X, d = layout(A), shortest_path(A, unweighted=True)
    apart = np.linalg.norm(X[:, None] - X[None], axis=2)
    i, j = np.triu_indices(34, 1)

    def stress(places):
        gaps = np.linalg.norm(places[:, None] - places[None], axis=2)
        return np.sum(((gaps - d)[i, j] / d[i, j]) ** 2)

    assert apart[i, j].min() > 0.1, "members with the same friends do not lie on top of each other"
    other = np.array(list(nx.kamada_kawai_layout(nx.from_numpy_array(A), scale=2.5).values()))
    assert stress(X) < 1.1 * stress(other)
    with pytest.raises(InvalidInputError, match="not connected"):
        layout(np.zeros((3, 3)))


def test_network_shows_every_edge_once_and_crosses_the_wrong():
    A, y = karate_club()
    ax = plots.plot_network(A, y, names=["Hi", "officer"], wrong=[8], labels={8: "9"})
    assert len(ax.lines) == 78
    (crosses,) = [c for c in ax.collections if list(c.get_sizes()) == [170]]
    X = layout(A)
    np.testing.assert_allclose(crosses.get_offsets(), X[[8]])
    assert [text.get_text() for text in ax.texts] == ["9"]
    np.testing.assert_allclose(next(c for c in ax.collections if c.get_label() == "Hi").get_offsets(), X[y < 0])


def test_figures_draw_into_the_axes_they_are_given_and_refuse_what_they_cannot(path):
    _, ax = plt.subplots()
    assert plots.plot_path(path, ax=ax) is ax
    assert plots.plot_cap([1.0, -1.0], [1, -1], 1.0, ax=ax) is ax
    assert plots.plot_network(*karate_club(), ax=ax) is ax
    assert len(plt.get_fignums()) == 1
    with pytest.raises(InvalidInputError, match="show must be"):
        plots.plot_path(path, "everything")
    with pytest.raises(InvalidInputError, match="increasing"):
        plots.plot_path(path._replace(sparsity=path.sparsity[::-1]))
    with pytest.raises(InvalidInputError, match="new_error"):
        plots.plot_path(path, "error", [0.1])


# --- the panel -------------------------------------------------------------------------------------------------------------


def test_panel_without_a_price_says_the_same_for_every_C():
    texts = {panels.draw_kernel_mcm(GAMMA, C, 0.0).text for C in CS}
    assert len(texts) == 1
    (text,) = texts
    assert "Objective 1.000 = h 1.000 + C times slack 0.000" in text and "by heart" in text and "0 of 40" in text


def test_panel_adds_up_and_agrees_with_the_machine(sample):
    X, y, _ = sample
    machine = mt.MCMClassifier(gamma=1.0, C=4.0, sparsity=0.1).fit(X, y)
    text = panels.draw_kernel_mcm(1.0, 4.0, 0.1).text
    total, h, slack, price = map(float, re.findall(r"(\d+\.\d{3})", text.splitlines()[0]))
    assert total == pytest.approx(h + slack + price, abs=2e-3) and f"{machine.objective_:.3f}" in text
    assert f"{machine.n_support_} of 40 points are support vectors" in text
    X_new, y_new = moons(**NEW)
    assert f"{1 - machine.score(X_new, y_new):.1%} of 4000 new points" in text
    assert "proved optimal" in text


def test_panel_names_the_price_of_a_constant_machine(sample):
    _, y, K = sample
    text = panels.draw_kernel_mcm(GAMMA, 2.0**-10, 0.1).text
    assert f"from {mt.constant_price(K, y, 2.0**-10):.3g} on" in text and text.startswith("Objective 1.039")
    assert "0 of 40 points are support vectors" in text


def test_panel_does_not_call_proved_what_is_not():
    text = panels.draw_kernel_mcm(0.25, 1.0, 0.0).text
    assert "NOT proved optimal. The optimum lies between 1.000 and" in text


def test_panel_survives_a_solver_that_gives_up(monkeypatch):
    """As it does, with some versions, at gamma 0.5 and sparsity 0."""
    for C in (0.001, 3, 1000):
        text = panels.draw_kernel_mcm(0.5, C, 0).text
        assert "NOT proved" in text or text == GAVE_UP

    def gives_up(self, X, y):
        raise SolverError("nothing found")

    monkeypatch.setattr(mt.MCMClassifier, "fit", gives_up)
    lesson07_panel._fit.cache_clear()
    assert panels.draw_kernel_mcm(4, 1, 0).text == GAVE_UP
    lesson07_panel._fit.cache_clear()


def test_the_lessons_challenge_can_be_met():
    text = panels.draw_kernel_mcm(1, 30, 1).text
    share = float(re.search(r"([\d.]+)% of 4000", text)[1])
    assert text.splitlines()[1].startswith("6 of 40 points") and share < 8


# --- the notebook ----------------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_it_computes():
    cells = json.loads((ROOT / "lessons" / "07_kernel_mcm.ipynb").read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    rows = [line.split()[1:] for line in printed["c-table"].splitlines()[1:]]
    assert len(rows) == 5 and all(row == rows[0] for row in rows), "the same row five times"
    assert rows[0][0] == "1.000" and rows[0][3] == "39"
    assert len({line.split()[-1] for line in printed["cured"].splitlines()[1:]}) >= 4, "with a price C matters"
    free, priced = map(float, re.findall(r"([\d.]+)%", printed["twenty"]))
    assert priced < free / 2
    mcm, svc = printed["wdbc-run"].splitlines()
    accuracy = [float(re.search(r"([\d.]+)% right", line)[1]) for line in (mcm, svc)]
    sizes = [list(map(int, re.search(r"vectors (\d+) to (\d+)", line).groups())) for line in (mcm, svc)]
    assert abs(accuracy[0] - accuracy[1]) < 1, "as accurate as the SVM"
    assert 3.5 < sum(sizes[1]) / sum(sizes[0]) < 5, "a quarter of its support vectors"
    *table, same = printed["strings-run"].splitlines()[1:]
    score = {line[:16].strip(): list(map(float, re.findall(r"([\d.]+)%", line))) for line in table}
    assert all(svc >= mcm for mcm, svc in score.values()), "the SVM is as good or better in every row"
    one_hot, ordinal, counted = (score[name] for name in ("RBF, one-hot", "RBF, ordinal", "letters counted"))
    by_parts = [score[f"spectrum, p = {p}"] for p in (4, 5)]
    for k in (0, 1):
        assert min(part[k] for part in by_parts) > one_hot[k] > ordinal[k] > counted[k], "less well, least, worst"
    assert "looks good" in next(line for line in table if line.startswith("letters")) and same.endswith("True")
    assert printed["karate"].count("member 9: wrong") == 4
    shapes = [int(share) for share in re.findall(r"(\d+)% right", printed["graphlets"])]
    nodes = [int(share) for share in re.findall(r"C = 10: (\d+)% right", printed["karate"])]
    assert min(shapes) > 65 and max(shapes) < min(nodes), "a circle's shape tells something, friendships tell more"


def test_graphs_of_friends_keep_no_names_and_no_labels():
    A, _ = karate_club()
    near = np.linalg.matrix_power(A + np.eye(34), 2) > 0
    np.testing.assert_array_equal(near, shortest_path(A, unweighted=True) <= 2)
    rows = [np.flatnonzero(row) for row in near[:4]]
    mixed = [np.random.default_rng(0).permutation(row) for row in rows]
    K, again = (mt.gram_matrix(mt.graphlet_kernel, [A[np.ix_(r, r)] for r in which], k=4) for which in (rows, mixed))
    np.testing.assert_allclose(K, again)
