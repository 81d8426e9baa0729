"""How soon a visitor sees something and can compute:  python -m tools.reliability.site  (after make site OFFLINE=1)

Each visit is a first one: a new browser profile, nothing cached, everything over loopback.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from statistics import median

from playwright.sync_api import Browser

from mcmteach.checks.syllabus import notebook_name
from mcmteach.classroom.serve import server
from tests.browser.lab import Server, chromium, find_chromium
from tests.site.laboratory import Laboratory
from tools.ledger import ROOT
from tools.reliability import store

SITE = ROOT / "build" / "site"
VISITS = 5
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
LESSONS = [f"lessons/{notebook_name(topic)}" for topic in ("welcome", "does_it_work")]


def visit(browser: Browser, address: str) -> dict[str, float]:
    """Seconds from going there to the first paint of a book's page and of the laboratory, and to a kernel that answers."""
    seen: dict[str, float] = {}
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    for name, path in (("front page", "index.html"), ("a lesson of the book", f"{LESSONS[1][:-6]}.html")):
        page = context.new_page()
        page.goto(address + path, wait_until="load")
        seen[f"{name}: first paint"] = page.wait_for_function(PAINT).json_value() / 1000
        page.close()
    page = context.new_page()
    page.set_default_timeout(600_000)
    lab = Laboratory(page, Server(address, "", SITE), 120)
    start = time.perf_counter()
    lab.open(LESSONS[0])
    lab.run("1 + 1")
    seen["laboratory: kernel answers"] = time.perf_counter() - start
    seen["laboratory: first paint"] = page.evaluate(PAINT) / 1000
    context.close()
    return seen


def main() -> int:
    if not (SITE / "laboratory" / "lab" / "index.html").exists():
        sys.exit("There is no built site: make site OFFLINE=1 builds it.")
    executable = find_chromium()
    if executable is None:
        sys.exit("No Chromium found (Debian: apt-get install chromium), or name one in CHROMIUM.")
    load = round(os.getloadavg()[0], 1)
    with server(SITE) as running, chromium(executable) as browser:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        visits = [visit(browser, f"http://127.0.0.1:{running.server_port}/") for _ in range(VISITS)]
        running.shutdown()
    for name in visits[0]:
        seconds = [one[name] for one in visits]
        found = {"median": round(median(seconds), 2), "worst": round(max(seconds), 2), "visits": VISITS, "load": load}
        store("site", name, found)
        print(name, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
