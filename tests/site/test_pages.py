"""The book in a real browser: every page is whole, can be read by everybody on any screen, and loads nothing from elsewhere."""

import re

import pytest

from tests.site.conftest import SITE
from tools.site import downloads

PAGES = sorted(
    path.relative_to(SITE).as_posix()
    for path in SITE.rglob("*.html")
    if not {"laboratory", "_static"} & set(path.relative_to(SITE).parts)
)
#: One of each kind: a lesson, an exercise, a table of equations, prose, a page of the reference, the first page, the search.
KINDS = (
    "lessons/03_",
    "exercises/03_",
    "lessons/EQUATIONS",
    "exercises/TEACHING",
    "docs/api/theory",
    "docs/index",
    "search",
)
TYPES = [next((page for page in PAGES if page.startswith(kind)), kind) for kind in KINDS]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]


def test_every_page_is_whole_and_keeps_to_itself(page):
    assert len(PAGES) > 40
    for path in PAGES:
        page.open(path)
        pictures = page.page.evaluate(
            "() => [...document.images].filter(i => !i.complete || !i.naturalWidth || !i.alt).map(i => i.src)"
        )
        assert not page.wrong and not pictures, f"{path}: {page.wrong} {pictures}"


@pytest.mark.parametrize("path", TYPES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barrier_of_level_a_or_aa(page, path, scheme):
    page.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.open(path)
    page.page.add_script_tag(path=downloads.npm("axe-core") / "axe.min.js")
    found = page.page.evaluate("rules => axe.run({runOnly: {type: 'tag', values: rules}})", RULES)["violations"]
    said = [f"{each['id']}: {each['help']}: {[node['target'] for node in each['nodes']][:5]}" for each in found]
    assert not said, "\n".join(said)


@pytest.mark.parametrize("path", TYPES)
@pytest.mark.parametrize("width", [375, 1280])
def test_nothing_sticks_out_at_the_side(page, path, width):
    page.page.set_viewport_size({"width": width, "height": 800})
    page.open(path)
    assert page.page.evaluate("() => document.scrollingElement.scrollWidth") <= width


def test_search_finds_charnes_and_cooper(page):
    page.open("search.html?q=Charnes-Cooper")
    found = page.page.locator("#search-results li a[href*='a_linear_programme']").first
    found.wait_for()
    assert not page.wrong


def test_no_page_holds_the_answer_of_a_question():
    for path in (path for path in PAGES if path.startswith("lessons/")):
        source = (SITE / path).read_text(encoding="utf-8")
        assert "<summary>why?</summary>" not in source and "Quiz(" not in re.sub(r"<[^>]+>", "", source), path
    assert not list(SITE.rglob("_sources"))


def test_what_follows_a_prediction_is_folded_and_a_button_opens_the_laboratory(page):
    page.open(next(path for path in PAGES if path.startswith("lessons/01_")))
    folded = page.page.locator("details.hide").first
    assert not folded.evaluate("box => box.open") and folded.locator("img, pre").count()
    button = page.page.get_by_role("link", name="Run this lesson in your browser")
    assert (SITE / "lessons" / button.get_attribute("href").split("?")[0]).resolve().is_file()
