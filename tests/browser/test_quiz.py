"""A quiz in a narrow window: an option of several lines stands beside its own button, and above the next option."""

import nbformat

from tests.browser.lab import Lab

QUIZ = """
from mcmteach.widgets.quiz import Quiz
long = "an option that says what it means in so many words that a narrow window has to break it, " * 3
Quiz("Which?", [("short", False, "No."), (long, True, "Yes."), ("short, too", False, "No.")])
"""
BOXES = """labels => labels.map(label => {
    const range = document.createRange(), button = label.querySelector("input").getBoundingClientRect();
    range.selectNode([...label.childNodes].find(node => node.nodeType === 3));
    const words = range.getBoundingClientRect();
    return {top: words.top, bottom: words.bottom, left: words.left, button: button.right, beside: button.top}; })"""


def test_an_option_of_several_lines_keeps_its_place_and_its_button(browser, server):
    page = browser.new_context(viewport={"width": 850, "height": 900}).new_page()
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(QUIZ)], metadata=kernel)
    nbformat.write(notebook, server.folder / "quiz.ipynb")
    lab = Lab(page, server, seconds=60)
    lab.open("quiz.ipynb")
    lab.run_all()
    first, long, last = lab.quizzes()[0].locator("label:has(input)").evaluate_all(BOXES)
    assert long["bottom"] - long["top"] > 2 * (first["bottom"] - first["top"]), "it is broken into lines"
    assert first["bottom"] <= long["top"] + 1 and long["bottom"] <= last["top"] + 1
    for option in (first, long, last):
        assert option["button"] <= option["left"] + 1 and abs(option["beside"] - option["top"]) < 10
    page.context.close()
    server.end_kernels()
