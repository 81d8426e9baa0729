"""What the folded answers beside a panel say can be found with it: each number in them, computed here as the panel does.

The answers to the panels of other lessons are tested beside what else their lessons claim.
"""

import itertools
import re
import warnings

import numpy as np
import pytest
from scipy.special import comb

from mcmteach.bounds import vapnik_bound, vc_bound
from mcmteach.datasets import karate_club
from mcmteach.datasets.worlds import wave_numbers
from mcmteach.errors import CertificateWarning
from mcmteach.gram import judge_kernel
from mcmteach.guarantee import compression_bound, constant_bound
from mcmteach.guarantee.compress import message_parts
from mcmteach.kernels import RBF
from mcmteach.paper.choosing_on_test import expected_best, peep_at_noise
from mcmteach.paper.wilcoxon import signed_rank
from mcmteach.regression import MCMRegressor, NoAnswerWarning
from mcmteach.structured import diffusion_kernel
from mcmteach.widgets.conformal_mcm import draw_conformal_mcm
from mcmteach.widgets.does_it_work import FOLD_SIZES, SETTINGS
from mcmteach.widgets.kernel_mcm import CS, GAMMAS, draw_kernel_mcm
from mcmteach.widgets.kernels import GAMMAS as WIDTHS
from mcmteach.widgets.kernels import draw_kernel
from mcmteach.widgets.measuring_separability import WIDTHS as BUMPS
from mcmteach.widgets.measuring_separability import best_maps
from mcmteach.widgets.not_vectors import BETAS
from mcmteach.widgets.numbers_instead_of_classes import EPSILONS, GAMMA, PRICES, SAMPLE, SHARES, new_error
from mcmteach.widgets.small_proves_something import RARE
from mcmteach.widgets.soft_margin import METHODS, STEP_SIZES, draw_soft_margin
from mcmteach.widgets.why_learning_works import draw_bound


def test_why_learning_works_a_few_hundred_samples_for_one_bound_and_a_few_dozen_for_the_other():
    least = [next(M for M in range(10, 1000) if bound(0.1, 10, M) < 1) for bound in (vc_bound, vapnik_bound)]
    assert 200 < least[0] < 400 and 30 < least[1] < 60
    vacuous = draw_bound(300, 21, 0.05, 0.1).text
    training, true = map(float, re.search(r"training error ([\d.]+), true risk ([\d.]+)", vacuous).groups())
    assert "N's bound is 1.452 (vacuous)" in vacuous and abs(true - training) < 0.02
    assert vc_bound(0.1, 10, 1000, 0.0005) - vc_bound(0.1, 10, 1000, 0.05) < 0.05, "a hundred times safer"


def test_soft_margin_the_falling_step_from_a_tenth_is_first_and_the_smooth_method_one_step_later():
    def arrives(method, rho, C=1.0):
        found = re.search(r"reached at step (\d+)", draw_soft_margin(C, 0.6, rho, method, 10).text)
        return int(found[1]) if found else np.inf

    steps = {(METHODS[method], rho): arrives(method, rho) for method in METHODS for rho in STEP_SIZES}
    first = min(steps.values())
    assert first == 8 and [way for way, step in steps.items() if step == first] == [("falling", 0.1)]
    assert steps["smooth", 0.1] == first + 1
    _, falling, _ = METHODS
    assert arrives(falling, 0.1, C=100.0) == np.inf > arrives(falling, 0.001, C=100.0), "a hundredth of the step"
    assert steps["constant", 1.0] == steps["constant", 0.3] == np.inf


def test_kernel_mcm_six_support_vectors_make_fewer_than_8_errors_in_100():
    def seen(gamma, C, price):
        text = draw_kernel_mcm(gamma, C, price).text
        return [float(re.search(rf"([\d.]+){after}", text)[1]) for after in (" of 40 points are", "% of 4000 new")]

    tried = [seen(gamma, C, price) for gamma, C, price in itertools.product(GAMMAS[:4], CS[5:10], (0.1, 0.3, 1))]
    assert min(vectors for vectors, error in tried if error < 8) == 6


def test_not_vectors_the_camps_show_at_time_1_and_neither_at_once_nor_in_the_end():
    A, side = karate_club()
    looks = {beta: judge_kernel(diffusion_kernel(A, beta), side).verdict for beta in BETAS}
    assert looks[BETAS[0]] == looks[BETAS[1]] == "bad" and looks[1.0] == "good" and looks[BETAS[-1]] == "ugly"


def test_measuring_separability_sixty_cores_know_the_labels_from_a_half_on():
    curves = best_maps(0.25, 60, 0.001)
    high = [0.999 * max(curves.training) < J for J in curves.training]
    assert high == [width >= 0.5 for width in BUMPS], "as high as it gets from gamma_c = 0.5 on"
    assert curves.new[BUMPS.index(1.0)] == min(curves.new) < curves.before[1] / 4, "far worse than no map"


def test_does_it_work_how_many_settings_pure_noise_needs():
    assert 200 in FOLD_SIZES and max(SETTINGS) == 200 and SETTINGS[SETTINGS.index(5) - 1] == 3
    assert expected_best(3, 30) < 0.6 < expected_best(5, 30)
    assert 0.59 < expected_best(200, 200) < 0.6
    for settings in SETTINGS[1:]:
        found = peep_at_noise(settings, 30, 27, seed=0)
        assert signed_rank(100 * np.asarray(found.best), 100 * np.asarray(found.first)).p < 0.05


def bound(d, errors, M=426, bits=2, delta=0.05):
    """The panel's bound, and the bits of everything that is paid for in it."""
    nats = sum(message_parts(d, bits, 3, RBF(1.0), 17).values())
    return compression_bound(errors, M, d, nats, delta), (nats + np.log(comb(M, d) / delta)) / np.log(2)


def test_small_proves_something_what_a_larger_machine_has_to_win_back():
    assert bound(20, 0)[0] > bound(4, 10)[0]
    one_more, two_bits = bound(5, 10)[1] - bound(4, 10)[1], bound(4, 10, bits=4)[1] - bound(4, 10)[1]
    assert abs(one_more - two_bits) < 2.5
    sixty, more = bound(4, 10)[1], bound(4, 10, delta=0.0001)[1] - bound(4, 10)[1]
    assert 55 < sixty < 65 and round(more) == 9


def test_small_proves_something_which_machines_beat_a_constant_one_on_a_hundred_samples():
    rare = round(100 * RARE)
    rival = constant_bound(np.repeat([0, 1], [100 - rare, rare]), 0.05)
    assert bound(4, 5, M=100)[0] < rival and bound(8, 0, M=100)[0] < rival
    assert all(bound(d, 0, M=100)[0] > rival for d in range(10, 41))


def test_numbers_instead_of_classes_where_the_panel_comes_nearest_to_the_truth():
    X, y = wave_numbers(**SAMPLE)

    def fitted(share, epsilon, price):
        machine = MCMRegressor(C=share / (2 * len(y)), epsilon=epsilon, gamma=GAMMA, sparsity=price, solver="linprog")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CertificateWarning)
            warnings.simplefilter("ignore", NoAnswerWarning)
            return machine.fit(X, y)

    far_right = {(eps, price): new_error(fitted(SHARES[-1], eps, price)) for eps in EPSILONS for price in PRICES}
    assert set(sorted(far_right, key=far_right.get)[:2]) == {(0.2, 0.3), (0.2, 1)}
    assert 1.6 < far_right[0.2, 0] / far_right[0.2, 0.3] < 2.5
    assert fitted(10, 0.01, 0.01).p_ == 0 < fitted(SHARES[-1], 0.2, 1).p_


@pytest.mark.parametrize("data", ["disc and ring", "spirals"])
def test_kernels_where_the_matrix_is_ugly_good_and_bad(data):
    texts = {gamma: draw_kernel(gamma, 2, "RBF", data).text for gamma in WIDTHS}
    looks = {gamma: re.search(r"looks (\w+)", text)[1] for gamma, text in texts.items()}
    wrong = {gamma: [float(share) for share in re.findall(r"([\d.]+)% of", text)] for gamma, text in texts.items()}
    assert looks[0.01] == "ugly" and looks[max(WIDTHS)] == "bad" and max(WIDTHS) == 1000
    assert all(look == "good" for gamma, look in looks.items() if 1 <= gamma <= 30)
    assert wrong[0.01][0] > 20, "too stiff for its own sample"
    assert wrong[1000][0] == 0 and wrong[1000][1] > 30, "learnt by heart"


def test_conformal_mcm_a_larger_J_does_not_go_with_a_higher_accuracy():
    def seen(gamma):
        text = draw_conformal_mcm(gamma, gamma, 1.0, 1).text
        before, after = (float(J) for J in re.findall(r"J = ([\d.]+)", text))
        first, second = (float(share) for share in re.findall(r"on ([\d.]+)% of the 28", text))
        return after / before, first, second, float(re.search(r"c runs from (-?[\d.]+)", text)[1])

    wide, middle, narrow = seen(0.3), seen(3.0), seen(30.0)
    assert 1.9 < wide[0] < 2.1 and wide[1] == wide[2], "J doubles, and the accuracies stay"
    assert middle[0] > 1.3 and middle[2] < middle[1] - 10, "held-out grains suffer"
    assert 1.9 < narrow[0] < 2.1 and narrow[3] >= 0 and 58 < narrow[2] < 62, "wrong about two in five"
