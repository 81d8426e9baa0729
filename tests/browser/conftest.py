"""The browser and the server, once for all tests of this folder."""

import os

import pytest

from tests.browser.lab import Lab, chromium, find_chromium, jupyterlab, picture_of_failure

SECONDS = 60  # without any progress; a lesson takes 10 to 30 on two busy cores


@pytest.fixture(scope="package")
def browser():
    executable = find_chromium()
    if executable is None:
        message = "No Chromium found. Install your system's package (Debian: apt-get install chromium) or name one in CHROMIUM."
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(message)
    # Not longer than this package: while Playwright runs, the thread has an event loop, which others would trip over.
    with chromium(executable) as browser:
        yield browser


@pytest.fixture(scope="package")
def server(browser, tmp_path_factory):
    with jupyterlab(tmp_path_factory.mktemp("jupyterlab")) as server:
        yield server


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


@pytest.fixture
def lab(page, server):
    """A fresh page; afterwards every kernel ends."""
    yield Lab(page, server, SECONDS)
    server.end_kernels()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    lab = getattr(item, "funcargs", {}).get("lab")
    if lab is None:
        return (yield)
    with picture_of_failure(lab.page, item.name):
        return (yield)
