"""The panels of the topic 'kernel mcm': what they say is what the library says."""

import re

import pytest

import mcmteach as mt
from mcmteach import widgets
from mcmteach.datasets.worlds import moons
from mcmteach.errors import SolverError
from mcmteach.widgets import kernel_mcm
from mcmteach.widgets.kernel_mcm import CS, GAVE_UP, NEW, SAMPLE

GAMMA = 4.0


@pytest.fixture(scope="module")
def sample():
    X, y = moons(**SAMPLE)
    return X, y, mt.rbf_kernel(X, gamma=GAMMA)


def test_panel_without_a_price_says_the_same_for_every_C():
    texts = {widgets.draw_kernel_mcm(GAMMA, C, 0.0).text for C in CS}
    assert len(texts) == 1
    (text,) = texts
    assert "Objective 1.000 = h 1.000 + C times slack 0.000" in text and "by heart" in text and "0 of 40" in text


def test_panel_adds_up_and_agrees_with_the_machine(sample):
    X, y, _ = sample
    machine = mt.MCMClassifier(gamma=1.0, C=4.0, sparsity=0.1).fit(X, y)
    text = widgets.draw_kernel_mcm(1.0, 4.0, 0.1).text
    total, h, slack, price = map(float, re.findall(r"(\d+\.\d{3})", text.splitlines()[0]))
    assert total == pytest.approx(h + slack + price, abs=2e-3) and f"{machine.objective_:.3f}" in text
    assert f"{machine.n_support_} of 40 points are support vectors" in text
    X_new, y_new = moons(**NEW)
    assert f"{1 - machine.score(X_new, y_new):.1%} of 4000 new points" in text
    assert "proved optimal" in text


def test_panel_names_the_price_of_a_constant_machine(sample):
    _, y, K = sample
    text = widgets.draw_kernel_mcm(GAMMA, 2.0**-10, 0.1).text
    assert f"from {mt.constant_price(K, y, 2.0**-10):.3g} on" in text and text.startswith("Objective 1.039")
    assert "0 of 40 points are support vectors" in text


def test_panel_does_not_call_proved_what_is_not():
    text = widgets.draw_kernel_mcm(0.25, 1.0, 0.0).text
    assert "NOT proved optimal. The optimum lies between 1.000 and" in text


def test_panel_survives_a_solver_that_gives_up(monkeypatch):
    """As it does, with some versions, at gamma 0.5 and sparsity 0."""
    for C in (0.001, 3, 1000):
        text = widgets.draw_kernel_mcm(0.5, C, 0).text
        assert "NOT proved" in text or text == GAVE_UP

    def gives_up(self, X, y):
        raise SolverError("nothing found")

    monkeypatch.setattr(mt.MCMClassifier, "fit", gives_up)
    kernel_mcm._fit.cache_clear()
    assert widgets.draw_kernel_mcm(4, 1, 0).text == GAVE_UP
    kernel_mcm._fit.cache_clear()


def test_the_lessons_challenge_can_be_met():
    text = widgets.draw_kernel_mcm(1, 30, 1).text
    share = float(re.search(r"([\d.]+)% of 4000", text)[1])
    assert text.splitlines()[1].startswith("6 of 40 points") and share < 8
