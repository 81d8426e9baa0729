"""One notation, and no term before the lesson that introduces it, unless its first use there is a link."""

import re

import nbformat
import pytest

from tests.lessons.owed import PATHS, each_lesson, owed
from tools.ledger import ROOT

GLOSSARY = (ROOT / "lessons" / "GLOSSARY.md").read_text("utf-8")
NOTATION = (ROOT / "lessons" / "NOTATION.md").read_text("utf-8")
ENTRY = re.compile(r"^### ([^\n]+)\n\n([^\n]+?) \*Introduced in \[[^]]+\]\((\S+)\)\.\*$", re.M)
TERMS = {name: target for name, _, target in ENTRY.findall(GLOSSARY)}


def text_of(path):
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def form(term):
    """A pattern for a term: with a hyphen or a line's end for a space, and in the plural."""
    return re.escape(term).replace("\\ ", "[\\s-]+") + "(?:e?s)?"


def uses(term, text):
    """Whether each use of a term in the prose is (inside) a link, in their order."""
    text = re.sub(r"\$\$.*?\$\$|```.*?```|\$[^$]*\$|`[^`]*`", " ", re.sub(r"\]\([^)]*\)", "]()", text), flags=re.S)
    links = [match.span() for match in re.finditer(r"\[[^]]*\]\(\)", text)]
    found = re.finditer(rf"(?<![\w-]){form(term)}(?!\w)", text, re.I)
    return [any(a < match.start() < b for a, b in links) for match in found]


def test_every_entry_is_read_in_order_and_says_one_thing():
    assert list(TERMS) == sorted(re.findall(r"^### (.+)$", GLOSSARY, re.M), key=str.casefold) and len(TERMS) > 40
    for name, sentence, target in ENTRY.findall(GLOSSARY):
        assert sentence.endswith((".", ".)")) and len(sentence.split()) < 60, name
        assert ROOT / "lessons" / target in PATHS, f"{name} is introduced in {target}, which is not there"


@each_lesson
def test_no_term_comes_before_its_lesson_but_through_a_link(path, request):
    owed(request, path, "words")
    text = text_of(path)
    early = [term for term, target in TERMS.items() if path.name < target and uses(term, text)[:1] == [False]]
    assert early == [], "link the first use to GLOSSARY.md, or use another word"


@pytest.mark.parametrize("term", TERMS)
def test_a_term_is_set_off_where_it_is_introduced(term):
    path = ROOT / "lessons" / TERMS[term]
    assert re.search(rf"\*[^*\n]*\b{form(term)}\b[^*\n]*\*", text_of(path), re.I), f"{path.name} never says *{term}*"


def test_links_to_the_glossary_lead_to_an_entry():
    anchors = {re.sub(r"[^\w -]", "", name.casefold()).replace(" ", "-") for name in TERMS}
    for path in PATHS:
        assert set(re.findall(r"\]\(GLOSSARY\.md#([^)]*)\)", text_of(path))) <= anchors, path.name


def test_uses_are_told_from_links_formulas_and_longer_words():
    text = "A [slack variable](x.md) costs; slacks and `slack`, $slack$, slackness, slack-free. Support\nvectors."
    assert uses("slack", text) == [True, False, False] and uses("support vector", text) == [False]


def test_a_symbol_of_the_notation_has_one_row():
    symbols = re.findall(r"^\| (\$.+?\$|[^|$]+?) \|", NOTATION.partition("## Letters of one lesson")[0], re.M)
    assert len(symbols) == len(set(symbols)) > 15


def test_a_letter_of_one_lesson_stands_in_each_lesson_that_is_named():
    table = NOTATION.partition("## Letters of one lesson")[2].partition("## In the sources")[0]
    rows = re.findall(r"^\| (\$.+?) \| (.+?) \|", table, re.M)
    assert len(rows) > 5
    for symbols, where in rows:
        for number in re.findall(r"(?<![\w/])(\d+)(?=[],; ]|$)", where):
            (path,) = (ROOT / "lessons").glob(f"{int(number):02}_*.ipynb")
            for symbol in re.findall(r"\$(.+?)\$", symbols):
                assert symbol in text_of(path), (number, symbol)
