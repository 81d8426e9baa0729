"""The stand-in for highspy does what highspy does, in the calls that the solvers make."""

import highspy
import numpy as np
import pytest

from tools.site import highspy_stand_in


def solved(module, lower, upper):
    """min -x_0 - 2 x_1, 0 <= x <= 4, with x_0 + x_1 and x_0 - x_1 first free and then between these bounds."""
    h = module.Highs()
    h.setOptionValue("output_flag", False)
    free, none = np.full(2, module.kHighsInf), (np.zeros(2, dtype=np.int32), np.zeros(0, dtype=np.int32), np.zeros(0))
    h.addRows(2, -free, free, 0, *none)
    starts, rows = np.array([0, 2], dtype=np.int32), np.array([0, 1, 0, 1], dtype=np.int32)
    h.addCols(2, np.array([-1.0, -2.0]), np.zeros(2), np.full(2, 4.0), 4, starts, rows, np.array([1.0, 1.0, 1.0, -1.0]))
    h.run()
    before = np.array(h.getSolution().col_value)
    h.changeRowsBounds(2, np.arange(2, dtype=np.int32), np.array(lower), np.array(upper))
    h.run()
    assert h.getModelStatus() == module.HighsModelStatus.kOptimal
    return before, np.array(h.getSolution().col_value), np.array(h.getSolution().row_dual)


@pytest.mark.parametrize("module", [highspy, highspy_stand_in], ids=["highspy", "stand-in"])
def test_bounds_of_many_rows_by_hand(module):
    # free: both at 4. Then x_0 + x_1 <= 5 and x_0 - x_1 >= -2: the corner (1.5, 3.5), where -(1, 2) = -1.5 (1, 1) + 0.5 (1, -1)
    before, after, duals = solved(module, [-module.kHighsInf, -2.0], [5.0, module.kHighsInf])
    assert (
        before == pytest.approx([4, 4]) and after == pytest.approx([1.5, 3.5]) and duals == pytest.approx([-1.5, 0.5])
    )
