"""Which printed means and standard deviations can be those of folds of known sizes."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcmteach.errors import InvalidInputError
from mcmteach.experiments import Store
from mcmteach.experiments.authors import AUTHORS, BY_NAME
from mcmteach.paper import TABLE2, MeanSD
from mcmteach.paper.fold_arithmetic import fewest_dropped, right_answers


def printed(right, sizes):
    accuracies = 100 * np.array(right) / np.array(sizes)
    sd = np.std(accuracies, ddof=1) if len(sizes) > 1 else 0.0
    return MeanSD(round(float(np.mean(accuracies)), 2), round(float(sd), 2))


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_what_folds_can_give_is_found(data):
    sizes = data.draw(st.lists(st.integers(5, 60), min_size=1, max_size=5))
    right = [data.draw(st.integers(n // 2, n)) for n in sizes]
    value = printed(right, sizes)
    found = right_answers(value, sizes)
    assert found is not None and printed(found, sizes) == pytest.approx(value, abs=0.0101)
    assert fewest_dropped(value, sizes) == 0


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(2, 7), min_size=2, max_size=3), st.integers(5000, 10000), st.integers(0, 2000))
def test_it_says_no_where_no_combination_at_all_will_do(sizes, mean, sd):
    value = MeanSD(mean / 100, sd / 100)
    accuracies = np.array(list(product(*([100 * r / n for r in range(n + 1)] for n in sizes))))
    off = np.abs([accuracies.mean(axis=1) - value.mean, accuracies.std(axis=1, ddof=1) - value.sd]).max(axis=0)
    assert (right_answers(value, sizes) is not None) == bool(np.any(off <= 0.005 + 1e-9))


def test_four_rows_of_table_2_have_fewer_folds_in_the_conformal_column_than_five():
    store = Store()
    for name, one in BY_NAME.items():
        sizes = [fold["n_test"] for fold in store.folds(AUTHORS, name)]
        row = TABLE2[one.row - 1]
        dropped = [fewest_dropped(value, sizes) for value in (row.mcm, row.conformal, row.svm)]
        assert dropped == [0, {9: 3, 14: 1, 20: 3, 23: 1}.get(one.row, 0), 0], name


def test_the_indian_liver_row_by_hand():
    """71.55 % with no spread: 83 of 116, and no whole number of 117 is within 0.005 of it. Two folds have 116 samples."""
    assert round(100 * 83 / 116, 2) == 71.55 and all(abs(100 * r / 117 - 71.55) > 0.2 for r in range(118))
    assert right_answers(MeanSD(71.55, 0.0), [116, 116]) == (83, 83)
    assert right_answers(MeanSD(71.55, 0.0), [116, 117, 116]) is None


def test_nothing_will_do():
    assert fewest_dropped(MeanSD(33.0, 0.0), [2, 2]) == -1
    with pytest.raises(InvalidInputError, match="no fold"):
        right_answers(MeanSD(50.0, 0.0), [])
