"""How questions look: a long option of a quiz in a narrow window, and a long guess on a laptop."""

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


PREDICTION = """
from mcmteach.widgets.quiz import Predict
long = "an option of so many words that a drop-down of the usual width cuts it in two"
Predict("Which?", "The long one.", options=["short", long], right=long)
"""
ROOM = """menu => {
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.font = getComputedStyle(menu).font;
    return menu.clientWidth - canvas.measureText(menu.selectedOptions[0].text).width; }"""


def one_cell(browser, server, source, width):
    """A page of this width on a notebook with one cell, which has been run."""
    page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)], metadata=kernel)
    nbformat.write(notebook, server.folder / "question.ipynb")
    lab = Lab(page, server, seconds=60)
    lab.open("question.ipynb")
    lab.run_all()
    return lab


def test_an_option_of_several_lines_keeps_its_place_and_its_button(browser, server):
    lab = one_cell(browser, server, QUIZ, width=850)
    first, long, last = lab.quizzes()[0].locator("label:has(input)").evaluate_all(BOXES)
    assert long["bottom"] - long["top"] > 2 * (first["bottom"] - first["top"]), "it is broken into lines"
    assert first["bottom"] <= long["top"] + 1 and long["bottom"] <= last["top"] + 1
    for option in (first, long, last):
        assert option["button"] <= option["left"] + 1 and abs(option["beside"] - option["top"]) < 10
    lab.page.context.close()
    server.end_kernels()


def test_a_long_guess_can_be_read_where_it_was_chosen(browser, server):
    lab = one_cell(browser, server, PREDICTION, width=1280)
    (box,) = lab.predictions()
    box.locator("select").select_option(index=2)
    assert box.locator("select").evaluate(ROOM) > 20, "room for the words and for the arrow"
    box.get_by_role("button", name="Show").click()
    lab.until(lambda: "✓ Right" in box.locator(".mcm-reason").inner_text(), "the guess is right")
    lab.page.context.close()
    server.end_kernels()
