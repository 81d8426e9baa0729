"""Every mutant of every solution, and of every answer folded in a lesson, is rejected by the checks, but for those listed
here, each of which computes the same."""

import ast
from copy import deepcopy

import numpy as np
import pytest

from mcmteach.checks import find_task
from mcmteach.checks.values import plain, same
from tests.checks.catalogue import each_task
from tests.checks.exercises import solutions, sources
from tests.checks.mutants import compiled, mutants
from tests.lessons import gaps

pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::RuntimeWarning")  # mutants write such code

# Why a mutant computes the same:
ARRAY = "numpy multiplies by a list as by an array"
BELOW = "any start below 0 will do: an accuracy is never negative"
BOTH_WAYS = "all labellings are gone through, and a hyperplane that separates y separates -y and the mirrored points"
BROADCAST = "numpy puts the missing axis in front by itself"
COUNT = "a count of mistakes is never negative, and the loop is entered for any number above 0"
EITHER = "at y f = 1 exactly, either choice is a subgradient: such inputs are not tried"
AND_OR = "and, or do not depend on the order of their parts"
LIST = "a list of the same answers"
NOT_MORE = "what is not more and not the same is less"
DOT = "a dot product does not depend on the order of its factors"
EVEN = "cos(-t) is cos(t)"
EXCHANGED = "both classes (both columns) are treated alike, and the result does not depend on their order"
FILLED = "every entry is written afterwards"
INFINITE = "a point on the line makes h infinite, which is never the smallest"
INFINITE_LIMIT = "a limit divided by 0 is infinite, and never the smallest; for z = 0 python's max(0, nan) is 0"
INFINITE_RANGE = "a range above 0 divided by 0 is infinite, as it should be"
LABELS = "labels are -1 and +1: 1/y is y, and every threshold between them splits them alike"
LENGTH = "it has the same length"
INTERSECTION = "A & B is B & A"
MIRRORED = "the same 360 directions in another order"
MIRRORED_PLANE = (
    "with all points, or all labels, turned round, (w, b) becomes (-w, b) or (-w, -b), and nothing else changes"
)
MIRRORED_RANGE = "numbers that are turned round have the same range"
NEVER_ONE = "ε is never exactly 1: then ln η would be rational in logarithms of integers"
NEVER_A_TWENTIETH = "a share of 2^n coin tosses is never exactly 1/20"
NOT_NEGATIVE = "a standard deviation is never negative"
NO_ZEROS = "zeros were left out before"
RATIO = "both traces change their sign, and J is their ratio"
SAME_CLASS = "where two samples share a class, it is equally large seen from either"
SCALAR = "the sum of one number is that number"
SIGN = "y/f has the sign of y f"
SQUARED = "a difference that is squared may be turned round"
SYMMETRIC = "the matrix is symmetric"
TOLERANCE = "no matrix is tried whose smallest eigenvalue lies within rounding of the tolerance"
TRANSPOSED = "K equals its transpose if the transpose equals K"
TWICE = "some directions are tried twice"
ZERO = "-0 is 0, and what is not 0 stays so"
ZERO_EITHER_WAY = "whether a number is 0 does not depend on its sign, nor on a factor"

#: {task: {the line that differs: why it makes no difference}}
EQUIVALENT = {
    "why_learning_works.4": {
        "while vc_epsilon(h, M, eta) > 1:": NEVER_ONE,
    },
    "why_learning_works.5": {
        "return sum((is_separable(-points, y) for y in colourings))": BOTH_WAYS,
        "colourings = product((1, -1), repeat=len(points))": BOTH_WAYS,
    },
    "which_hyperplane.3": {
        "if y * (x @ w + b) <= 0:": DOT,
    },
    "which_hyperplane.4": {
        "w, b = (-np.zeros(X.shape[1]), 0.0)": ZERO,
        "while in_this_round != 0:": COUNT,
        "mistakes, in_this_round = (0, 2)": COUNT,
        "for x_i, y_i in zip(-X, y):": MIRRORED_PLANE,
        "for x_i, y_i in zip(X, -y):": MIRRORED_PLANE,
        "if y_i * (x_i @ w + b) <= 0:": DOT,
    },
    "soft_margin.3": {
        "inside = y * (X @ w + b) <= 1": EITHER,
        "return (w - C * (inside * y) @ X, -C * np.sum(inside / y))": LABELS,
        "return (w - C * (inside * y) @ X, -C * np.sum(inside @ y))": SCALAR,
        "return (w - C * (inside / y) @ X, -C * np.sum(inside * y))": LABELS,
    },
    "soft_margin.step": {
        "return w - rho * (w - C * ((y * (X @ w + b) <= 1) * y) @ X)": EITHER,
        "return w - rho * (w - C * ((y * (X @ w + b) < 1) / y) @ X)": LABELS,
    },
    "soft_margin.4": {
        "w, b = (-np.zeros(X.shape[1]), 0.0)": ZERO,
        "push = y * (y * (X @ w + b) <= 1)": EITHER,
    },
    "soft_margin.5": {
        "return (w - C * (sigma * y) @ X, -C * np.sum(sigma / y))": LABELS,
        "return (w - C * (sigma * y) @ X, -C * np.sum(sigma @ y))": SCALAR,
        "return (w - C * (sigma / y) @ X, -C * np.sum(sigma * y))": LABELS,
    },
    "radius_over_margin.2": {
        "return -(along[y >= 0].min() + along[y < 0].max()) / 2": LABELS,
        "return -(along[y > 0].min() + along[y <= 0].max()) / 2": LABELS,
        "return -(along[y > -1].min() + along[y < 0].max()) / 2": LABELS,
        "return -(along[y > 0].min() + along[y < 1].max()) / 2": LABELS,
    },
    "radius_over_margin.5": {
        "for degree in range(360 + 1):": TWICE,
        "for degree in range(361):": TWICE,
        "for degree in range(720):": TWICE,
        "phi = np.radians(-degree)": MIRRORED,
        "u = [np.cos(phi), np.sin(phi)]": ARRAY,
        "u = np.array([np.sin(phi), np.cos(phi)])": MIRRORED,
        "u = np.array([-np.cos(phi), np.sin(phi)])": MIRRORED,
        "u = np.array([np.cos(phi), -np.sin(phi)])": MIRRORED,
        "u = np.array([np.cos(-phi), np.sin(phi)])": MIRRORED,
        "u = np.array([np.cos(phi), np.sin(-phi)])": MIRRORED,
        "if (y * (X @ u + v) >= 0).all():": INFINITE,
        "if (y / (X @ u + v) > 0).all():": SIGN,
    },
    "a_linear_programme.2": {
        "Y, one, zero = (y[:, None], np.ones((M, 1)), -np.zeros((M, 1)))": ZERO,
        "c = np.append(-np.zeros(n + 1), 1.0)": ZERO,
        "d = np.append(-np.zeros(M), -np.ones(M))": ZERO,
        "A = np.block([[Y * X, Y, -one], [-Y * X, -Y, -zero]])": ZERO,
    },
    "a_linear_programme.3": {
        "c, A, d = programme(-X, y)": MIRRORED_PLANE,
        "c, A, d = programme(X, -y)": MIRRORED_PLANE,
    },
    "a_linear_programme.4": {
        "d = (nu - mu) / y": LABELS,
        "d = (mu - nu) * y": ZERO_EITHER_WAY,
        "balance = np.allclose(-(d @ X), 0) and np.isclose(d.sum(), 0)": ZERO_EITHER_WAY,
        "balance = np.allclose(0, d @ X) and np.isclose(d.sum(), 0)": ZERO_EITHER_WAY,
        "balance = np.allclose(d @ X, 0) and np.isclose(-d.sum(), 0)": ZERO_EITHER_WAY,
        "balance = np.allclose(d @ X, 0) and np.isclose(d.mean(), 0)": ZERO_EITHER_WAY,
    },
    "kernels.2": {
        "differences = Z[None, :, :] - X[:, None, :]": SQUARED,
        "differences = X[:, None, :] - Z": BROADCAST,
    },
    "kernels.4": {
        "return np.linalg.eigvalsh(K).min() > -1e-09": TOLERANCE,
        "if not np.allclose(K.T, K):": TRANSPOSED,
        "return np.linalg.eigvalsh(K).min() >= -2e-09": TOLERANCE,
    },
    "kernels.5": {
        "for p in range(len(K)):": LENGTH,
        "for p in range(len(alpha)):": LENGTH,
        "if y[p] * (K[p] @ (alpha * y) + b) <= 0:": DOT,
        "if y[p] * (alpha / y @ K[p] + b) <= 0:": LABELS,
    },
    "kernels.quadratic_kernel": {
        "return (z @ x) ** 2": DOT,
    },
    "kernels.answer_by_kernel": {
        "return alpha / y @ k + b": LABELS,
        "return k @ (alpha * y) + b": DOT,
    },
    "kernel_mcm.1": {
        "t = y * (lam @ K + b)": SYMMETRIC,
    },
    "kernel_mcm.3": {
        "m = min(np.sum(y >= 0), np.sum(y < 0))": LABELS,
        "m = min(np.sum(y > 0), np.sum(y <= 0))": LABELS,
        "m = min(np.sum(y > -1), np.sum(y < 0))": LABELS,
        "m = min(np.sum(y > 0), np.sum(y < 1))": LABELS,
    },
    "kernel_mcm.4": {
        "factors = [limit / value for value, limit in zip(values, limits) if value >= 0]": INFINITE_LIMIT,
        "values = [d.max(), np.maximum(0, -d).sum(), np.abs(z @ K).max()]": SYMMETRIC,
    },
    "not_vectors.1": {
        "return K / d[:, None] / d": BROADCAST,
    },
    "not_vectors.2": {
        "first, second = ([r[i:i + p] for i in range(len(r) - p + 1)] for r in (t, s))": DOT,
    },
    "not_vectors.3": {
        "L = np.diag(A.sum(axis=1)) - A": SYMMETRIC,
        "L = np.diag(A.sum(axis=-1)) - A": SYMMETRIC,
    },
    "not_vectors.4": {
        "return K @ y @ y / (len(y) * np.linalg.norm(K))": SYMMETRIC,
        "return y @ (y @ K) / (len(y) * np.linalg.norm(K))": SYMMETRIC,
        "return y @ K @ y / (len(K) * np.linalg.norm(K))": LENGTH,
    },
    "not_vectors.subsets_in_common": {
        "return 2 ** len(B & A)": INTERSECTION,
    },
    "not_vectors.cosine_with_labels": {
        "return y @ (y @ K) / (len(y) * np.linalg.norm(K))": SYMMETRIC,
        "return K @ y @ y / (len(y) * np.linalg.norm(K))": SYMMETRIC,
        "return y @ K @ y / (len(K) * np.linalg.norm(K))": LENGTH,
    },
    "bending_space.1": {
        "squares = k[:, None] + k - 2 * K": BROADCAST,
    },
    "bending_space.2": {
        "squares = ((cores[None, :, :] - X[:, None, :]) ** 2).sum(axis=2)": SQUARED,
        "squares = ((X[:, None, :] - cores) ** 2).sum(axis=2)": BROADCAST,
    },
    "bending_space.5": {
        "narrower = support.shape[1] * gamma": LENGTH,
        "squares = ((support[None, :, :] - X[:, None, :]) ** 2).sum(axis=2)": SQUARED,
        "squares = ((X[:, None, :] - support) ** 2).sum(axis=2)": BROADCAST,
    },
    "measuring_separability.1": {
        "for label in (1, -1):": EXCHANGED,
        "own = Z[y != label]": EXCHANGED,
        "within += ((centre - own) ** 2).sum()": SQUARED,
        "between += len(own) * ((Z.mean(axis=0) - centre) ** 2).sum()": SQUARED,
    },
    "measuring_separability.2": {
        "blocks = np.where(same, K / same.sum(axis=1), 0.0)": SAME_CLASS,
        "blocks = np.where(same, K / same.sum(axis=0, keepdims=True), 0.0)": SAME_CLASS,
        "blocks = np.where(same, K / same.sum(axis=1, keepdims=False), 0.0)": SAME_CLASS,
        "return (blocks - K / len(K), np.diag(np.diag(K)) - blocks)": LENGTH,
    },
    "measuring_separability.3": {
        "B0, W0 = scatter_matrices(-K0, y)": RATIO,
        "B0, W0 = scatter_matrices(K0, -y)": EXCHANGED,
        "return c @ (c @ B0) / (c @ W0 @ c)": SYMMETRIC,
        "return c @ B0 @ c / (c @ (c @ W0))": SYMMETRIC,
        "return B0 @ c @ c / (c @ W0 @ c)": SYMMETRIC,
        "return c @ B0 @ c / (W0 @ c @ c)": SYMMETRIC,
    },
    "measuring_separability.4": {
        "J1, J2 = (alpha @ (alpha @ M0), alpha @ N0 @ alpha)": SYMMETRIC,
        "J1, J2 = (alpha @ M0 @ alpha, alpha @ (alpha @ N0))": SYMMETRIC,
        "J1, J2 = (M0 @ alpha @ alpha, alpha @ N0 @ alpha)": SYMMETRIC,
        "J1, J2 = (alpha @ M0 @ alpha, N0 @ alpha @ alpha)": SYMMETRIC,
        "new = alpha + rho * (alpha @ M0 / J2 - J1 / J2 ** 2 * (N0 @ alpha))": SYMMETRIC,
        "new = alpha + rho * (M0 @ alpha / J2 - J1 / J2 ** 2 * (alpha @ N0))": SYMMETRIC,
    },
    "measuring_separability.rayleigh": {
        "return alpha @ (alpha @ P) / (alpha @ Q @ alpha)": SYMMETRIC,
        "return alpha @ P @ alpha / (Q @ alpha @ alpha)": SYMMETRIC,
        "return P @ alpha @ alpha / (alpha @ Q @ alpha)": SYMMETRIC,
        "return alpha @ P @ alpha / (alpha @ (alpha @ Q))": SYMMETRIC,
    },
    "conformal_mcm.1": {
        "sd = np.where(sd != 0, sd, 1.0)": NOT_NEGATIVE,
    },
    "conformal_mcm.2": {
        "minus, plus = (ranked[y[ranked] > 0], ranked[y[ranked] < 0])": EXCHANGED,
        "return np.sort(np.r_[plus[:P], minus[:P]])": EXCHANGED,
        "minus, plus = (ranked[y[ranked] <= 0], ranked[y[ranked] > 0])": LABELS,
        "minus, plus = (ranked[y[ranked] < 0], ranked[y[ranked] >= 0])": LABELS,
        "minus, plus = (ranked[y[ranked] < 1], ranked[y[ranked] > 0])": LABELS,
        "minus, plus = (ranked[y[ranked] < 0], ranked[y[ranked] > -1])": LABELS,
    },
    "conformal_mcm.4": {
        "best, found = (-2.0, None)": BELOW,
        "for i in range(len(accuracy)):": LENGTH,
    },
    "does_it_work.2": {
        "squares_of_all = (k - 1) * s ** 2 + k / (k + 1) * (a - n) ** 2": SQUARED,
    },
    "does_it_work.4": {
        "differences = b - a": EXCHANGED,
        "return min(ranks[differences >= 0].sum(), ranks[differences < 0].sum())": NO_ZEROS,
        "return min(ranks[differences > 0].sum(), ranks[differences <= 0].sum())": NO_ZEROS,
    },
    "does_it_work.5": {
        "k = np.sum(2 * F < 0.05)": NEVER_A_TWENTIETH,
    },
    "large_scale.1": {
        "return np.sqrt(2 / len(tau)) * np.cos(-(X @ omega + tau))": EVEN,
    },
    "large_scale.cosine_features": {
        "return np.sqrt(2 / len(tau)) * np.cos(-(x @ omega + tau))": EVEN,
    },
    "large_scale.3": {
        "pull = C / y * (t < 1) / len(y)": LABELS,
        "pull = C * y * (t < 1) / len(Z)": LENGTH,
    },
    "small_devices.3": {
        "return (v, b - mean @ v)": DOT,
    },
    "small_devices.4": {
        "return worth": LIST,
        "as_good = (errors <= error) & (sizes <= size)": AND_OR,
        "beats = as_good & ((errors < error) | (sizes < size))": AND_OR,
        "beats = ((sizes < size) | (errors < error)) & as_good": AND_OR,
        "beats = as_good & ((sizes != size) | (errors < error))": NOT_MORE,
        "beats = as_good & ((sizes < size) | (errors != error))": NOT_MORE,
    },
    "small_devices.1": {
        "support = np.count_nonzero(-lam)": ZERO,
    },
    "numbers_instead_of_classes.1": {
        "f = lam @ K + b": SYMMETRIC,
        "t = np.concatenate([-f - p * (y - epsilon), f + p * (y + epsilon)])": EXCHANGED,
    },
    "numbers_instead_of_classes.3": {
        "if factor < 0:": INFINITE_RANGE,
    },
    "numbers_instead_of_classes.least_epsilon": {
        "return np.ptp(-y) / 2 / (2 * C * len(y) - 1)": MIRRORED_RANGE,
    },
    "numbers_instead_of_classes.4": {
        "for label in (1, -1):": EXCHANGED,
        "r = np.linalg.norm(own.mean(axis=0) - own, axis=1)": SQUARED,
        "s = np.ones(len(y))": FILLED,
        "s = np.zeros(len(X))": LENGTH,
    },
}


def lines_that_differ(source, mutant):
    before = set(ast.unparse(ast.parse(source)).splitlines())
    return " | ".join(line.strip() for line in mutant.splitlines()[1:] if line not in before)


def agrees(answer, pairs):
    """Whether the answer is right on all inputs, and leaves them as they are."""
    for call, expected in pairs:
        given = deepcopy(call)
        try:
            result = plain(answer(*given))
        except Exception:  # whatever a slip leads to
            return False
        if not same(expected, result) or not all(map(np.array_equal, call, given)):
            return False
    return True


def survivors(task, pairs):
    """{the line that differs: the mutant} for those that agree on all inputs."""
    return _survivors(sources()[task.key], solutions()[task.key].__globals__, pairs)


def _survivors(source, names, pairs):
    with np.errstate(all="ignore"):
        return {
            lines_that_differ(source, mutant): mutant
            for mutant in mutants(source)
            if agrees(compiled(mutant, names), pairs)
        }


def with_answers(task, seed=None):
    return [(call, plain(task.reference(*deepcopy(call)))) for call in task.calls(seed)]


@each_task
def test_every_mutant_is_rejected_or_computes_the_same(task):
    assert set(survivors(task, with_answers(task))) == set(EQUIVALENT.get(task.key, {}))


@pytest.mark.parametrize(("key", "source"), gaps.sources().items(), ids=gaps.sources())
def test_every_mutant_of_a_line_written_in_a_lesson_is_rejected_or_computes_the_same(key, source):
    assert set(_survivors(source, {"np": np}, with_answers(find_task(key)))) == set(EQUIVALENT.get(key, {}))


@each_task
@pytest.mark.parametrize("seed", [11, 12])
@pytest.mark.soak
def test_hidden_inputs_reject_what_the_public_ones_reject(task, seed):
    """Nearly: one that is drawn badly may let a mutant pass that the public ones, which are always tried too, reject."""
    alive = set(survivors(task, with_answers(task, seed)))
    assert alive >= set(EQUIVALENT.get(task.key, {})), "these compute the same"
    assert len(alive - set(EQUIVALENT.get(task.key, {}))) <= 2


@each_task
@pytest.mark.soak
def test_what_is_called_equivalent_agrees_on_hundreds_of_inputs(task):
    source, names = sources()[task.key], solutions()[task.key].__globals__
    listed = [m for m in mutants(source) if lines_that_differ(source, m) in EQUIVALENT.get(task.key, {})]
    seeds = range(100, 125 if listed else 100)
    pairs = [pair for seed in seeds for pair in with_answers(task, seed)]
    assert not listed or len(pairs) >= 200
    with np.errstate(all="ignore"):
        for mutant in listed:
            assert agrees(compiled(mutant, names), pairs), mutant


def test_the_mutants_of_one_line_are_what_one_expects():
    made = list(mutants("def f(X, y, w, b):\n    return np.maximum(0, 1 - y * (X @ w + b))"))
    for line in (
        "1 + y * (X @ w + b)",
        "1 - y * (X @ w - b)",
        "1 - y * (X @ w)",
        "1 - (X @ w + b)",
        "2 - y * (X @ w + b)",
    ):
        assert any(line in mutant for mutant in made)
    assert any("np.minimum(0" in mutant for mutant in made) and any("return 1 - y" in mutant for mutant in made)
    assert len(made) == len(set(made)) > 50
