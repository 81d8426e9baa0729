"""The panel of the topic 'small proves something': what it says is what the library says."""

import re

import numpy as np
import pytest

import mcmteach as mt
from mcmteach import widgets
from mcmteach.guarantee import constant_bound, message_nats


@pytest.mark.parametrize(
    ("d", "bits", "errors", "delta", "M"), [(4, 2, 10, 0.05, 426), (40, 8, 100, 0.0001, 60), (1, 0, 0, 0.5, 5000)]
)
def test_the_panel_says_the_bound_and_whether_a_constant_machine_has_a_smaller_one(d, bits, errors, delta, M):
    text = widgets.draw_guarantee(d, bits, errors, delta, M).text
    errors = int(re.search(r"(\d+) errors on the other", text)[1])
    bound = mt.compression_bound(errors, M, d, message_nats(d, bits, 3, mt.RBF(1.0), 17), delta)
    assert f"the risk is at most {bound:.3f}" in text
    rare = round(0.37 * M)
    rival = constant_bound(np.repeat([0, 1], [M - rare, rare]), delta)
    assert ("no better than a constant machine" in text) == (bound >= rival)
