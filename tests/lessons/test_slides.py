"""The decks: every lesson has one, a file without addresses; questions come before their answers, folded answers never."""

import re
from functools import cache

import nbformat
import pytest

from mcmteach.checks.syllabus import TOPICS
from mcmteach.classroom.questions import questions_of
from mcmteach.errors import InvalidInputError
from tools.ledger import ROOT, lesson_path
from tools.slides import deck, shortened, slides

QUESTIONS = questions_of(ROOT)
every_topic = pytest.mark.parametrize("topic", TOPICS)


@cache
def read(topic):
    return nbformat.read(lesson_path(topic), as_version=4)


@cache
def slides_of(topic):
    return slides(read(topic))


@every_topic
def test_a_deck_has_eight_to_sixteen_slides_from_title_to_the_end(topic):
    made = slides_of(topic)
    assert 8 <= len(made) <= 16, "tag cells with slide or same-slide"
    assert read(topic).cells[0].source.startswith(f"# {made[0].heading}")
    assert all(slide.shown for slide in made) and all(slide.heading for slide in made)


@every_topic
def test_a_deck_needs_nothing_else_and_says_no_answer(topic):
    page = deck(read(topic))
    assert (
        "http:" not in page and "https:" not in page and "src=" not in re.sub(r'src="data:image/png;base64,', "", page)
    )
    assert "<details" not in page and "<summary" not in page
    assert "@pages@" not in page and "<code>\\" not in page, "a formula that could not be set"
    assert not re.findall(r">[^<]*\\[a-zA-Z]+[^<]*</m", page), "a command that stands as it is in a formula"
    shown = re.sub(r"<template>.*?</template>", "", page, flags=re.S)
    for question in QUESTIONS[topic]:
        assert not any(option.reason and option.reason in page for option in question.options)
    assert "your line" not in shown.lower(), "gaps are for the notebook"


@every_topic
def test_what_answers_a_prediction_comes_on_a_later_slide(topic):
    guesses = [slide for slide in slides_of(topic) if any("<b>Predict.</b>" in part for part in slide.shown)]
    asked = [question for question in QUESTIONS[topic] if question.kind == "predict"]
    assert guesses or not asked
    assert not any(part.startswith(("<img", "<pre")) for slide in guesses for part in slide.shown)


def cell(source, *tags, outputs=()):
    if not outputs:
        return nbformat.v4.new_markdown_cell(source, metadata={"tags": list(tags)})
    return nbformat.v4.new_code_cell(source, metadata={"tags": list(tags)}, outputs=list(outputs))


def printed(text):
    return nbformat.v4.new_output("stream", text=text)


def test_tags_begin_and_join_slides_and_the_rest_is_in_the_notes():
    notebook = nbformat.v4.new_notebook(
        cells=[
            cell("# T\n\nFirst.", "slide"),
            cell("Only said.\n\n<details>Folded.</details>"),
            cell("## S\n\n<sub>about 2 minutes to here</sub>\n\nThe [linked](x.md) words. Look:", "slide"),
            cell("print(1)", "same-slide", outputs=[printed("1 < 2\n")]),
            cell("print(2)", outputs=[printed("left out")]),
            cell("Announced. What follows:", "slide"),
        ]
    )
    first, second, third = slides(notebook)
    assert first.heading == "T" and "First." in first.shown[0] and "Only said." in "".join(first.notes)
    assert second.heading == third.heading == "S" and second.shown[1:] == ["<pre>1 &lt; 2</pre>"]
    assert "The linked words. Look:" in second.shown[0] and "minutes" not in second.shown[0]
    assert "Announced." in third.shown[0] and "What follows" not in third.shown[0], "it is not on the slide"
    page = deck(notebook)
    assert "Folded" not in page and "left out" not in page and page.count("<section ") == 3
    notebook.cells[0].metadata.tags = ["same-slide"]
    with pytest.raises(InvalidInputError, match="no slide before it"):
        slides(notebook)


def test_a_long_printed_line_gets_smaller_letters_unless_it_is_a_sentence():
    long = {
        n: deck(nbformat.v4.new_notebook(cells=[cell("x", "slide", outputs=[printed("m" * n)])])) for n in (60, 90, 200)
    }
    assert "<pre>m" in long[60] and '<pre style="font-size: 20px">m' in long[90] and "<pre>m" in long[200]


def test_a_paragraph_in_brackets_keeps_both():
    assert (
        shortened("(One. " + "Many words follow. " * 30 + "It **ends** here.) Last.")
        == "(One. It **ends** here.) Last."
    )


def test_an_initial_ends_no_sentence():
    assert shortened("It begins. " + "Many words. " * 40 + "The **margin** is due to V. N. Vapnik. Last.") == (
        "It begins. The **margin** is due to V. N. Vapnik. Last."
    )


def test_lists_and_formulas_are_never_shortened():
    for block in ("- a point\n- " + "word " * 80, "$$" + "x + " * 80 + "x$$", "| " + "cell | " * 80):
        assert shortened(block) == block
    assert len(shortened("One two. " * 60).split()) < 10


def test_a_slide_is_called_what_it_begins_with_and_a_later_heading_stands_on_it():
    notebook = nbformat.v4.new_notebook(
        cells=[
            cell("# T\n\nFirst.", "slide"),
            cell("Ends the part.\n\n## S\n\nBegins.", "slide"),
            cell("1", "slide", outputs=[printed("x")]),
            cell("## U\n\nOne.\n\n## V\n\nTwo.", "slide"),
        ]
    )
    made = slides(notebook)
    assert [slide.heading for slide in made] == ["T", "T", "S", "U"]
    assert "<strong>S</strong>" in made[1].shown[0] and "<strong>T</strong>" not in made[0].shown[0]
    assert "<strong>V</strong>" in made[3].shown[0] and "U" not in made[3].shown[0]
