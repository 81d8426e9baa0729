"""The built site (``make site OFFLINE=1``) behind a server of its own, and a browser that reaches nothing else."""

import threading

import pytest

from mcmteach.classroom.serve import server
from tests.browser.conftest import browser, pytest_runtest_call  # noqa: F401 - fixtures and hooks are found by name
from tests.browser.lab import ROOT, Server
from tests.site.laboratory import Laboratory

SITE = ROOT / "build" / "site"
SECONDS = 120  # without any progress


@pytest.fixture(scope="package")
def site():
    if not (SITE / "laboratory" / "lab" / "index.html").exists():
        pytest.skip("There is no built site: make test-site builds it and runs these tests.")
    with server(SITE) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield Server(f"http://127.0.0.1:{running.server_port}/", "", SITE)
        running.shutdown()


class Page:
    """A browser page that keeps what went wrong in it: console errors, exceptions, failed and foreign requests."""

    def __init__(self, page, site):
        self.page, self.site, self.wrong = page, site, []
        page.set_default_timeout(1000 * 5 * SECONDS)
        page.on("console", lambda message: message.type == "error" and self.wrong.append(message.text))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", self._asked)
        page.on("requestfailed", self._failed)
        page.on("response", lambda answer: answer.status >= 400 and self.wrong.append(f"{answer.status} {answer.url}"))

    def _asked(self, request):
        if not request.url.startswith((self.site.url, "data:", "blob:")):
            self.wrong.append(f"foreign: {request.url}")

    def _failed(self, request):
        if request.failure != "net::ERR_ABORTED":  # the page itself gave it up
            self.wrong.append(f"{request.failure} {request.url}")

    def open(self, path):
        """Go there, and wait until what the page loads is loaded and its formulas are set."""
        self.page.goto(self.site.url + path, wait_until="load")
        self.page.evaluate("() => window.MathJax?.startup?.promise")


@pytest.fixture(scope="module")
def visitor(browser):  # noqa: F811
    """Who comes again and again: what the site keeps in a browser is kept from test to test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context
    context.close()


@pytest.fixture
def page(visitor, site):
    opened = Page(visitor.new_page(), site)
    yield opened
    opened.page.close()


@pytest.fixture
def lab(page, site):
    return Laboratory(page.page, site, SECONDS)
