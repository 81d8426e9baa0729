"""What the pictures share."""

import pytest

from mcmteach.plots.canvas import log_axis, new_figure


@pytest.mark.parametrize(
    ("low", "high", "names"),
    [
        (1, 1e3, ["1", "10", "100", "1000"]),
        (1, 1e6, ["10⁰", "10¹", "10²", "10³", "10⁴", "10⁵", "10⁶"]),
        (1e-5, 1e-3, ["10⁻⁵", "10⁻⁴", "10⁻³"]),
    ],
)
def test_powers_of_ten_are_written_in_one_form(low, high, names):
    axis = new_figure((4, 3)).subplots().yaxis
    log_axis(axis, low, high)
    assert [tick.get_text() for tick in axis.get_ticklabels()] == names
