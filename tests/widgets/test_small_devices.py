"""The panel of the topic 'small devices': what it says is what the library says, and its bound is one."""

import re

import numpy as np
import pytest

from mcmteach import widgets
from mcmteach.export.c_code import rounded
from mcmteach.guarantee import GAMMA_LIST, compression_bound, message_nats
from mcmteach.kernels import RBF
from mcmteach.widgets import small_devices


def test_the_panel_says_what_the_library_says():
    _, _, X_new, y_new = small_devices._flashes()
    _, exact = small_devices.fitted(3.0)
    short = rounded(exact, 8)
    # b is rounded by another rule than vectors and weights, so answers may differ where |f| is small
    here = small_devices.shortened(3.0, 8)
    assert here.wrong == pytest.approx(np.mean(short.predict(X_new) != y_new), abs=0.01)
    text = widgets.draw_short(3.0, 8).text
    assert f"{here.vectors} vectors, {here.size} bytes, wrong about {here.wrong:.1%}" in text
    assert f"wrong about {np.mean(exact.predict(X_new) != y_new):.1%} of new flashes" in text


def test_bytes_are_counted_by_hand():
    here = small_devices.shortened(10.0, 4)
    assert here.size == -(-(here.vectors * 11 * 4 + 8) // 8) + 80


def test_the_scale_and_the_new_flashes_are_not_of_the_sample():
    X, _, X_new, _ = small_devices._flashes()
    seen = {tuple(row) for row in X.round(9)}
    assert np.mean([tuple(row) in seen for row in X_new.round(9)]) < 0.01  # the set itself repeats a few flashes
    assert np.abs(X.mean(axis=0)).max() > 1e-6, "the sample's own mean would be 0"


@pytest.mark.parametrize("bits", small_devices.BITS)
def test_the_bound_holds_on_new_flashes_and_pays_for_every_vector(bits):
    _, y, *_ = small_devices._flashes()
    for price in (3.0, 30.0):
        here = small_devices.shortened(price, bits)
        assert here.wrong < here.bound
        nats = message_nats(here.vectors, bits, 8, RBF(small_devices.GAMMA), len(GAMMA_LIST))
        assert here.bound > compression_bound(0, len(y), here.vectors, nats, 0.05), "not less than without any error"


def test_few_vectors_and_bits_are_promised_more_than_many():
    bounds = {price: small_devices.shortened(price, 8).bound for price in (0.3, 3.0, 30.0)}
    assert bounds[0.3] > bounds[3.0] > bounds[30.0]
    assert small_devices.shortened(30.0, 3).bound < small_devices.shortened(30.0, 8).bound
    assert "a constant answer is promised at least as much" in widgets.draw_short(0.3, 8).text
    assert "promised at least as much" not in widgets.draw_short(30.0, 3).text


def test_the_panels_gamma_is_on_the_list_that_the_bound_pays_for():
    assert small_devices.GAMMA in GAMMA_LIST
    assert re.search(r"at most ([\d.]+)%", widgets.draw_short(1.0, 8).text)
