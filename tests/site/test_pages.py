"""The book in a real browser: every page is whole, can be read by everybody on any screen, and loads nothing from elsewhere."""

import json
import re
import zipfile

import pytest

from tests.browser.lab import ROOT
from tests.site.conftest import SITE
from tools.site import downloads, laboratory

PAGES = sorted(
    path.relative_to(SITE).as_posix()
    for path in SITE.rglob("*.html")
    if not {"laboratory", "_static"} & set(path.relative_to(SITE).parts)
    and path != SITE / "index.html"  # it only leads on to docs/index.html
)
#: One of each kind: the first page, a lesson, its exercise and its slides, a table of equations, the claims, prose, pages for
#: teachers, a page of the reference, the index, the search.
KINDS = (
    "docs/index",
    "lessons/03_",
    "exercises/03_",
    "slides/03_",
    "lessons/EQUATIONS",
    "lessons/GLOSSARY",
    "docs/CLAIMS",
    "docs/teachers/NOTES",
    "exercises/TEACHING",
    "docs/api/theory",
    "genindex",
    "search",
)
TYPES = [next((page for page in PAGES if page.startswith(kind)), kind) for kind in KINDS]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
#: Pictures that are not there or have no alternative text, and formulas that MathJax could not read or was not loaded for.
WRONG = """() => [
    ...[...document.querySelectorAll('span.math')].map(e => e.textContent).filter(said => said.includes('\\\\(')),
    ...[...document.images].filter(i => !i.complete || !i.naturalWidth || !i.alt).map(i => i.src),
    ...[...document.querySelectorAll('mjx-merror, [data-mjx-error]')].map(e => e.textContent)]"""
#: The width of the page in a window of this width, once the page has been told: slides lay themselves out anew.
WIDTH = """async width => {
    const frame = () => new Promise(requestAnimationFrame);
    while (innerWidth !== width) await frame();
    await frame(); await frame();
    return document.scrollingElement.scrollWidth; }"""


def test_there_is_a_page_of_every_kind_and_slides_for_every_lesson(site):
    assert not [kind for kind, page in zip(KINDS, TYPES, strict=True) if page == kind]
    named = {
        folder: [page.rpartition("/")[2] for page in PAGES if page.startswith(f"{folder}/0")]
        for folder in ("lessons", "slides")
    }
    assert len(named["lessons"]) > 9 and named["lessons"] == named["slides"]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_whole_keeps_to_itself_and_fits_a_phone_and_a_laptop(page, path):
    page.open(path)
    wrong, wide = page.page.evaluate(WRONG), page.page.evaluate(WIDTH, 1280)
    page.page.set_viewport_size({"width": 375, "height": 800})
    narrow = page.page.evaluate(WIDTH, 375)
    assert not page.wrong and not wrong
    assert wide <= 1280 and narrow <= 375


@pytest.mark.parametrize("path", TYPES)
def test_no_barrier_of_level_a_or_aa(page, path):
    for width, scheme in ((1280, "light"), (375, "dark")):
        page.page.set_viewport_size({"width": width, "height": 900})
        page.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.open(path)
        page.page.add_script_tag(path=downloads.npm("axe-core") / "axe.min.js")
        found = page.page.evaluate("rules => axe.run({runOnly: {type: 'tag', values: rules}})", RULES)["violations"]
        said = [f"{each['id']}: {each['help']}: {[node['target'] for node in each['nodes']][:5]}" for each in found]
        assert (
            path.startswith("slides/") or page.page.evaluate("() => document.documentElement.dataset.theme") == scheme
        )
        assert not said, f"{scheme}, {width} pixels:\n" + "\n".join(said)


def test_search_finds_charnes_and_cooper(page):
    page.open("search.html?q=Charnes-Cooper")
    page.page.locator("#search-results li a[href*='a_linear_programme']").first.wait_for()
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


def test_formulas_of_the_reference_are_formulas(page):
    page.open("docs/api/theory.html")
    formula = page.page.locator("#mcmteach\\.bounds\\.vc_epsilon").locator("xpath=..").locator("mjx-container")
    said = page.page.locator("article").inner_text()
    assert formula.count() and "\\" not in said and "y: ArrayLike" in said and "_SupportsArray" not in said


def test_the_docs_state_the_licence_of_every_file_of_the_laboratory_that_was_carried():
    listed = (SITE / "laboratory" / "LICENCES.md").read_text(encoding="utf-8").splitlines()
    packages = downloads.pyodide_lock()["packages"]
    release = {packages[name]["file_name"] for name in laboratory.release_packages(laboratory.RELEASE)}
    carried = [line for line in listed if line.split(" | ")[0].removeprefix("| ") in release]
    assert len(carried) > 10 and set(carried) <= set(
        (ROOT / "docs" / "DOORS.md").read_text(encoding="utf-8").splitlines()
    )


def test_the_laboratorys_python_and_its_own_wheels_carry_bytecode():
    folder = SITE / "laboratory" / "static" / "pyodide"
    entries = json.loads((folder / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]
    ours = set(entries) - set(laboratory.release_packages(laboratory.RELEASE))
    assert {"mcmteach", "ipython", "pyodide-kernel"} <= ours
    for archive in ("python_stdlib.zip", *(entries[name]["file_name"] for name in ours)):
        with zipfile.ZipFile(folder / archive) as packed:
            names = packed.namelist()
        sources = [name for name in names if name.endswith(".py")]
        assert sources and len(sources) == sum(name.endswith(".pyc") for name in names), archive
