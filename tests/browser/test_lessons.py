"""Every lesson in a real browser: it opens, it runs, and what it offers to play with answers to the keyboard."""

import re

import pytest

from tests.browser.lab import ROOT

LESSONS = sorted(ROOT.glob("lessons/*.ipynb"))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_runs_and_answers_to_the_keyboard(lab, path):
    lab.open(f"lessons/{path.name}")
    lab.run_all()
    for panel in lab.panels():
        lab.play(panel)
        assert panel.locator("img.mcm-picture").get_attribute("title"), "a picture says in words what it shows"
        for role in ("slider", "combobox", "button"):
            named = panel.get_by_role(role, name=re.compile(r"\w"))
            assert named.count() == panel.get_by_role(role).count(), f"a {role} has no accessible name"
        assert panel.get_by_role("slider").count() == panel.locator(".noUi-handle").count()
    for box in lab.predictions():
        lab.predict(box)
    for quiz in lab.quizzes():
        lab.answer(quiz)
