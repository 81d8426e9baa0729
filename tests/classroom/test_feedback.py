"""Pages: a student's text is text, formulas are MathML, and no cell costs a page."""

import re
import time

import pytest

from mcmteach.classroom.feedback import html_page, typeset


def test_formulas_become_mathml_and_html_of_a_student_is_text():
    html = typeset(
        "**bold** $\\frac12$\n\n$$R_{emp} \\le 1$$\n\n<script>alert(1)</script> <b onclick=x>b</b> ![p](http://x.example/p)"
    )
    assert "<strong>bold</strong>" in html and html.count("<math") == 2 and "<mfrac>" in html
    assert "<script" not in html and "<b " not in html and "<img" not in html
    assert "<kbd>" in typeset("<kbd>Shift</kbd>", trusted=True) and "<kbd>" not in typeset("<kbd>Shift</kbd>")


@pytest.mark.parametrize(
    "text",
    ["<b>" * 80_000, "> " * 9_000 + "x", "*a " * 6_000, "[" * 19_000, "$" * 19_999, "$\\text{<script>}$", "`" * 19_999,
     "- " * 9_000, "$" + "{" * 9_000 + "}" * 9_000 + "$"],
    ids=["tags", "quotes", "stars", "brackets", "dollars", "script", "ticks", "lists", "braces"],
)  # fmt: skip
def test_no_text_takes_long_or_gets_through(text):
    begun = time.process_time()
    html = typeset(text)
    assert time.process_time() - begun < 30 and len(html) < 3_000_000
    assert "<script" not in html and "<b>" not in html


def test_a_formula_cannot_hold_anything_else():
    html = typeset(r"$\href{javascript:alert(1)}{x}$ $\text{<img src=x onerror=alert(1)>}$ $\style{x}{y}$")
    assert not re.search(r"<(?!/?(p|code|math|m\w+|semantics|annotation)\b)", html), html
    assert "<img" not in html


def test_a_page_may_fetch_nothing():
    assert "default-src 'none'" in html_page("<t>", "") and "<title>&lt;t&gt;</title>" in html_page("<t>", "")


def test_signs_and_names_of_functions_are_spaced_as_in_print():
    sign, minus = '<mo form="prefix">&#x02212;</mo>', "<mo>&#x02212;</mo>"
    assert typeset("$(-1, -1)$").count(sign) == 2 and typeset("$g = -f$").count(sign) == 1
    assert typeset(r"$\min_z\; -3z_1 - z_2$").count(sign) == 1
    assert minus in typeset("$a - 1$") and minus in typeset("$f(x) - 1$")
    assert "<msub><mi>log</mi><mn>2</mn></msub>" in typeset(r"$\log_2 M$"), "a third child is no index"
    assert "<mo>&#x000B1;</mo>" in typeset(r"$79 \pm 6$")
