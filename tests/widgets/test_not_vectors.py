"""The panel of heat in a network: whom its machine gets wrong."""

from mcmteach.datasets import karate_club
from mcmteach.widgets.not_vectors import left_out_errors


def test_without_heat_everybody_left_out_is_guessed_wrong():
    _, side = karate_club()
    assert (side > 0).sum() == (side < 0).sum() == 17, "the majority of the others is on the other side"
    assert left_out_errors(0.0) == tuple(range(34)) and len(left_out_errors(1.0)) == 2 and 8 in left_out_errors(1.0)
