"""Decks and cheat sheet in a real browser: nothing is fetched, everything fits and can be read, keys turn the pages."""

import re

import nbformat
import pytest

from mcmteach.checks.syllabus import TOPICS
from tools import cheat_sheet
from tools.ledger import lesson_path
from tools.slides import LEAST, LEAST_PRINTED, deck

SIZES = """() => [...document.querySelectorAll("section.now :is(.words *, h1, h2, footer *)")]
    .filter(e => !e.closest("math") && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
    .map(e => parseFloat(getComputedStyle(e).fontSize) * (e.matches("code") ? 1 / 0.87 : 1))"""

PRINTED = (
    """() => [...document.querySelectorAll("section.now pre")].map(e => parseFloat(getComputedStyle(e).fontSize))"""
)


@pytest.fixture
def show(page, tmp_path):
    """Open a page of HTML in a window, and give what it asked of others."""

    def show(html, width=1280, height=720):
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        page.set_viewport_size({"width": width, "height": height})
        (tmp_path / "page.html").write_text(html, encoding="utf-8")
        page.goto((tmp_path / "page.html").as_uri())
        return [url for url in asked if not url.startswith(("file:", "data:"))]

    return show


@pytest.mark.parametrize("topic", TOPICS)
def test_every_slide_fits_and_can_be_read(show, page, topic):
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    assert show(deck(nbformat.read(lesson_path(topic), as_version=4))) == []
    count = page.locator("section").count()
    for number in range(1, count + 1):
        assert page.locator("section.now footer").inner_text().endswith(f"{number} / {count}")
        assert page.evaluate("fits(all[at])"), f"slide {number} is too full"
        assert min(page.evaluate(SIZES)) >= LEAST - 0.1
        assert min(page.evaluate(PRINTED), default=LEAST) >= LEAST_PRINTED
        page.keyboard.press("ArrowRight")
    assert page.evaluate("at") == count - 1 and errors == []


def test_a_slide_fills_a_larger_screen_and_keys_and_address_lead_to_any(show, page):
    show(deck(nbformat.read(lesson_path("kernels"), as_version=4)), 1920, 1080)
    box = page.locator("section.now").bounding_box()
    assert (box["x"], box["y"], box["width"], box["height"]) == pytest.approx((0, 0, 1920, 1080))
    assert page.evaluate("all.every(fits)")
    for key, place in {"End": "all.length - 1", "PageUp": "all.length - 2", "Home": "0", "Space": "1"}.items():
        page.keyboard.press(key)
        assert page.evaluate(f"at === {place} && all[at].matches('.now')")
    assert page.url.endswith("#2")
    with page.expect_popup() as popup:
        page.keyboard.press("n")
    first = popup.value.locator("body").inner_text()
    page.keyboard.press("ArrowRight")
    assert len(first) > 100 and popup.value.locator("body").inner_text() != first, "the notes follow"


def test_a_slide_that_is_too_full_is_found(show, page):
    text = "# T\n\n" + "\n".join("- one more point that nobody will read" for _ in range(30))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text, metadata={"tags": ["slide"]})])
    show(deck(notebook))
    assert not page.evaluate("fits(all[0])")


def test_the_cheat_sheet_is_two_full_pages_of_a4_and_always_the_same(show, page, browser, tmp_path):
    assert show(cheat_sheet.page(), 900, 1200) == []
    for columns in page.locator(".columns").all():
        inside = """c => { const room = c.getBoundingClientRect(), last = c.lastElementChild.getBoundingClientRect();
            return c.scrollWidth <= c.clientWidth + 1 && c.scrollHeight <= c.clientHeight + 1
                && last.left > room.left + room.width / 2 && last.bottom < room.bottom; }"""
        assert columns.evaluate(inside), "two columns, the second one not overfull"
    pdf = [cheat_sheet.as_pdf(browser, tmp_path / "page.html") for _ in range(2)]
    assert pdf[0] == pdf[1] and len(re.findall(rb"/Type /Page\b", pdf[0])) == 2
    assert {tuple(map(round, map(float, box.split()))) for box in re.findall(rb"/MediaBox \[([^]]*)\]", pdf[0])} == {
        (0, 0, 595, 842)
    }
