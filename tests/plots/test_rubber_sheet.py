"""The figures of mcmteach.plots.rubber_sheet by what is in them: artists, levels, labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcmteach as mt
from mcmteach.errors import InvalidInputError
from mcmteach.plots.rubber_sheet import bent_sheet

GAMMA = 2.0


def flat(times=1.0, n=2):
    return mt.ConformalMap(np.empty((0, n)), [times], gamma=1.0)


HILL = mt.ConformalMap([[0.0, 0.0]], [1.0, 1.5], gamma=8.0)


def test_a_constant_factor_is_shown_truly():
    sheet = bent_sheet(flat(1.7), GAMMA, (0.0, 2.0), (-1.0, 0.0), points=7)
    middle = np.array([1.0, -0.5])
    np.testing.assert_allclose(sheet.after - middle, 1.7 * (sheet.before - middle), atol=1e-6)
    assert sheet.stress < 1e-6


def test_the_stress_never_rises_and_the_hill_gets_the_room():
    stress = [bent_sheet(HILL, GAMMA, points=15, steps=steps).stress for steps in (1, 2, 4, 8, 16, 32, 64)]
    assert (np.diff(stress) <= 1e-12).all() and stress[-1] < stress[0]
    sheet = bent_sheet(HILL, GAMMA, points=21)
    dx, dy = sheet.after[10, 11] - sheet.after[10, 9], sheet.after[11, 10] - sheet.after[9, 10]
    middle = dx[0] * dy[1] - dx[1] * dy[0]
    dx, dy = sheet.after[1, 2] - sheet.after[1, 0], sheet.after[2, 1] - sheet.after[0, 1]
    corner = dx[0] * dy[1] - dx[1] * dy[0]
    assert middle > 2.5 * corner, "by the metric 6.25 times; a flat sheet cannot do it all"


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 8), st.integers(0, 8))
def test_a_point_of_the_grid_is_carried_to_its_place(i, j):
    sheet = bent_sheet(HILL, GAMMA, points=9)
    np.testing.assert_allclose(sheet.carry([sheet.before[i, j]]), [sheet.after[i, j]], atol=1e-12)
    between = (sheet.before[i, 3] + sheet.before[i, 4]) / 2
    np.testing.assert_allclose(sheet.carry([between]), [(sheet.after[i, 3] + sheet.after[i, 4]) / 2], atol=1e-12)
    np.testing.assert_allclose(sheet.carry([[9.0, 9.0]]), [sheet.after[-1, -1]])


def test_a_sheet_refuses_what_it_cannot_lay_out():
    for arguments in ({"xlim": (1.0, 0.0)}, {"points": 1}, {"steps": 0}):
        with pytest.raises(InvalidInputError):
            bent_sheet(HILL, GAMMA, **arguments)
