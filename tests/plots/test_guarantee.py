"""The figures of mcmteach.plots.guarantee by what is in them: bars, curves, marks."""

import numpy as np
import pytest

from mcmteach.errors import InvalidInputError
from mcmteach.plots import plot_bound_by_size, plot_guarantees, plot_message


def test_the_bars_of_a_bill_are_its_parts():
    ax = plot_message({"which samples": 30.0, "coefficients": 8.0, "offset": 0.0})
    assert [bar.get_width() for bar in ax.patches] == [30.0, 8.0, 0.0]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["which samples", "coefficients", "offset"]


def test_the_bound_grows_with_the_samples_held_and_lies_below_hoeffdings():
    ax = plot_bound_by_size(300, errors=5, bits=1, rival=0.4)
    exact, simple, rival = (np.asarray(line.get_ydata()) for line in ax.lines)
    assert (np.diff(exact) > 0).all() and (exact < simple).all() and set(rival) == {0.4}


def test_a_row_has_its_bound_its_error_and_its_rivals():
    rows = [
        {"set": "b", "bound": 0.4, "test error": 0.2, "constant": 0.5, "test set": 0.3},
        {"set": "a", "bound": 0.1, "test error": 0.0, "constant": 0.6, "test set": 0.2},
    ]
    ax = plot_guarantees(rows)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert [list(line.get_xdata()) for line in ax.lines] == [[0.1, 0.4], [0.0, 0.2], [0.6, 0.5], [0.2, 0.3]]
    with pytest.raises(InvalidInputError, match="no rows"):
        plot_guarantees([])
