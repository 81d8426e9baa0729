"""One exercise in a real browser: a wrong answer gets its hint, the right one passes."""

import pytest

from tests.browser.lab import ROOT

EXERCISE = "exercises/01_*.ipynb"
ANSWER_CELL = r"^def empirical_risk\("
CHECK_CELL = r'^check\("1\.1"'
WRONG = "def empirical_risk(y, f):\n    return np.mean(y * f < 0)"
HINT = "A point with f = 0 lies on the plane: no side was taken, so it counts as an error."
RIGHT = "def empirical_risk(y, f):\n    return np.mean(y * f <= 0)"
PASSES = "✓ Task 1.1: right"
PATH = next(ROOT.glob(EXERCISE), None)


@pytest.mark.skipif(PATH is None, reason=f"there is no {EXERCISE} yet")
def test_a_wrong_answer_gets_its_hint_and_the_right_one_passes(lab):
    lab.open(PATH.relative_to(ROOT).as_posix())
    answer, check = lab.cell_with(ANSWER_CELL), lab.cell_with(CHECK_CELL)
    for before in range(answer):
        lab.run_cell(before)

    def reply(source):
        lab.type_into_cell(answer, source)
        lab.run_cell(answer)
        return lab.run_cell(check)

    wrong, right = reply(WRONG), reply(RIGHT)
    assert HINT in wrong and PASSES not in wrong
    assert PASSES in right and HINT not in right
