"""What one sees: text and HTML say the same, HTML is escaped, progress tells solved tasks from written texts."""

from html.parser import HTMLParser

import mcmteach as mt
from mcmteach.checks.words import Progress, Verdict, Words
from tests.checks.exercises import solutions


class Balanced(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.open = []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def shown():
    yield mt.check("1.2", lambda h, M, eta: 1 / 0)
    yield mt.check("1.2", lambda h, M, eta: h < M)
    yield mt.check("1.1", solutions()["why_learning_works.1"])
    yield mt.check("1.6", solutions()["why_learning_works.6"])
    yield mt.hint("1.2")
    yield mt.progress()


def test_everything_shows_itself_as_text_and_as_html():
    for words in shown():
        html = words._repr_html_()
        Balanced(html)
        assert 'role="status"' in html and words.title in html
        assert str(words).startswith(f"{words.mark} {words.title}\n")


def test_html_is_escaped_and_code_is_set_as_code():
    html = Words("a < b", "see `x < 1`\n    y <b>")._repr_html_()
    assert "a &lt; b" in html and "<code>x &lt; 1</code>" in html and "y &lt;b&gt;</pre>" in html and "<b>" not in html


def test_the_model_answer_is_folded_and_in_the_notebook_only():
    verdict = Verdict("a", "b", model="to < say it")
    assert "<details><summary>One way to answer</summary>" in verdict._repr_html_()
    assert "to &lt; say it" in verdict._repr_html_() and "say it" not in str(verdict)
    assert "<details>" not in Verdict("a", "b")._repr_html_()


def test_a_note_comes_at_the_end():
    verdict = Verdict("a", "b", kind="right", passed=True)
    assert verdict.noting("") is verdict and verdict.noting("c").text == "b\nc" and verdict.noting("c").passed


def test_progress_marks_each_task():
    said = Progress([(1, "One <", [("1.1", "✓"), ("1.2", ""), ("1.3", "✎")])], "1 of 2", "a note")
    assert str(said) == "■ 1 of 2\nLesson 1   1 solved  ✓1.1 ·1.2 ✎1.3   One <\na note"
    assert "One &lt;" in said._repr_html_() and "a note" in said._repr_html_()
