"""The panel of the topic 'numbers instead of classes': what it says is what the library says."""

import numpy as np
import pytest

import mcmteach as mt
from mcmteach import widgets
from mcmteach.datasets.worlds import wave_numbers
from mcmteach.widgets.numbers_instead_of_classes import EPSILONS, GAMMA, PRICES, SAMPLE, SHARES, new_error


@pytest.mark.parametrize("share", SHARES)
def test_without_a_price_it_has_two_states_and_nothing_between(share):
    text = widgets.draw_regression(share, 0.3, 0).text
    if share < 1:
        assert (
            text.startswith(f"C = {share:g}/(2M), epsilon = 0.3. p = 0: no answer") and f"Objective {share:.3f}" in text
        )
    else:
        assert "p = 3.333" in text and "by heart" in text and "Objective 1.000" in text


def test_with_a_price_it_agrees_with_the_machine():
    X, y = wave_numbers(**SAMPLE)
    machine = mt.MCMRegressor(C=10 / (2 * len(y)), epsilon=0.6, gamma=GAMMA, sparsity=0.1).fit(X, y)
    text = widgets.draw_regression(10, 0.6, 0.1).text
    assert f"{machine.n_support_} support vectors" in text and "(proved optimal)" in text and "by heart" not in text
    assert f"the tube is ±{machine.tube_:.3f}" in text and f"Objective {machine.objective_:.3f}" in text
    assert f"{np.abs(machine.predict(X) - y).max():.3f}" in text and f"{new_error(machine):.3f}" in text


def test_a_small_epsilon_silences_it_unless_slack_is_expensive():
    assert "no answer" in widgets.draw_regression(10, 0.01, 0.1).text
    assert "no answer" not in widgets.draw_regression(48, 0.1, 0.1).text


def test_what_the_lesson_says_one_may_find():
    def error(share, epsilon, price):
        return float(widgets.draw_regression(share, epsilon, price).text.partition("the truth: ")[2][:5])

    near = [(epsilon, price) for epsilon in EPSILONS for price in PRICES if epsilon == 0.2 or price == 0.3]
    found = {pair: error(48, *pair) for pair in near}
    assert {pair for pair, one in found.items() if one == min(found.values())} == {(0.2, 0.3), (0.2, 1)}
    assert min(found.values()) == pytest.approx(found[0.2, 0] / 2, rel=0.1)
    texts = [widgets.draw_regression(share, 0.01, price).text for share in (1.1, 10) for price in (0.01, 0.3)]
    assert all("no answer" in text and "Slack is cheaper than any curve" in text for text in texts)
