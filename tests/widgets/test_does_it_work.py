"""The panels of the topic 'does it work': what they say is what the library says."""

from mcmteach import widgets
from mcmteach.experiments import TEST_CHOSEN
from mcmteach.paper import TABLE2, expected_best, peep_at_noise, signed_rank
from mcmteach.widgets.does_it_work import FOLD_SIZES, SETTINGS


def test_peeping_panel_says_what_the_functions_compute():
    found = peep_at_noise(22, 30, 27, seed=4)
    text = widgets.draw_peeping(22, 30, 27, 4).text
    assert f"the best of 22 settings shows {100 * found.best.mean():.1f} %" in text
    assert f"to be expected: {100 * expected_best(22, 30):.1f} %" in text
    assert f"the same setting shows {100 * found.fresh.mean():.1f} %" in text
    test = signed_rank(found.best, found.first)
    assert f"better on {test.wins} of 27 sets" in text and f"p = {test.p:.2g}, significant" in text


def test_peeping_panel_with_nothing_to_choose_gains_nothing():
    text = widgets.draw_peeping(1, 30, 27, 0).text
    assert "the only setting" in text and "expected: 50.0 %" in text
    assert "nothing was chosen" in text and "the gain" not in text
    assert "better on" not in text and "significant" not in text


def test_peeping_panel_starts_where_the_paper_is():
    state = widgets.peeping_panel().state
    assert state == {"settings": len(TEST_CHOSEN.gamma_c), "samples": 30, "sets": len(TABLE2), "seed": 0}
    assert state["settings"] in SETTINGS and state["samples"] in FOLD_SIZES
