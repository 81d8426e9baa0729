"""What ``make lab`` does, as a student sees it: JupyterLab comes up with the first lesson, blank, and asks nothing."""

import html
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from tests.browser.lab import ROOT


def first_page(process, note, log):
    """The address that JupyterLab hands to the browser, by way of a page of its own."""
    while not note.exists() or not note.read_text().strip():
        assert process.poll() is None, log.read_text()
        time.sleep(0.1)
    page = Path(note.read_text().strip().removeprefix("file://")).read_text()
    return html.unescape(re.search(r'href="([^"]+)"', page)[1])


def test_the_first_lesson_opens_blank_and_nothing_is_asked(page, tmp_path):
    note, browser, log = tmp_path / "address", tmp_path / "browser", tmp_path / "log"
    browser.write_text(f'#!/bin/sh\necho "$1" > {note}\n')
    browser.chmod(0o700)
    environment = {**os.environ, "HOME": str(tmp_path), "BROWSER": f"{browser} %s", "PYTHONPATH": str(ROOT)}
    with log.open("w") as sink:
        process = subprocess.Popen(
            [sys.executable, "-m", "mcmteach", "lab"], cwd=tmp_path, env=environment, stdout=sink, stderr=sink,
            start_new_session=True,
        )  # fmt: skip
    try:
        address = first_page(process, note, log)
        page.goto(address.replace("localhost", "127.0.0.1"))
        page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=600_000)
        page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(timeout=600_000)
        assert "00_welcome.ipynb" in page.url and page.locator(".jp-Notebook h1").first.inner_text().startswith(
            "Welcome"
        )
        assert not page.locator(".jp-OutputArea-output").count()
        assert not page.locator(".jp-Dialog, .Toastify__toast").count()
    finally:
        os.killpg(process.pid, 15)
        process.wait(60)
