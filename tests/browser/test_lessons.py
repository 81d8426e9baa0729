"""Every lesson in a real browser: it opens, it runs, its panels answer to the keyboard."""

import pytest

from tests.browser.lab import ROOT

LESSONS = sorted(ROOT.glob("lessons/*.ipynb"))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_runs_and_its_panels_answer(lab, path):
    lab.open(f"lessons/{path.name}")
    lab.run_all()
    for panel in lab.panels():
        lab.play(panel)
