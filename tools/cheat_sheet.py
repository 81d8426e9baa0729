"""The cheat sheet, two pages of A4:  python -m tools.cheat_sheet  writes build/slides/cheat_sheet.html and .pdf.

Its one source is ``docs/teachers/cheat_sheet.md``. There ``[N(3)]`` names an equation of the ledger, which adds the
function that computes it; a line of dashes divides the pages. The PDF is printed by Chromium, without the hour at which that
happened, so that the same source gives the same bytes on the same machine.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from playwright.sync_api import Browser

from mcmteach.classroom.feedback import typeset
from tests.browser.lab import chromium, find_chromium
from tools.ledger import LEDGER, ROOT, read_ledger
from tools.slides import self_contained

SOURCE = ROOT / "docs" / "teachers" / "cheat_sheet.md"
CITED = re.compile(r"\[([NPS](?:\(\d+\)|-[\w-]+))\]")
TEMPLATE = Path(__file__).with_suffix(".html")


def page() -> str:
    """The sheet as one file of HTML that needs nothing else."""
    functions = {
        entry.id: entry.function.rpartition(".")[2] for entry in read_ledger(LEDGER.read_text(encoding="utf-8"))
    }

    def cited(found: re.Match[str]) -> str:
        return f'<span class="id">{found[1]} <code>{functions[found[1]]}</code></span>'

    parts = re.split(r"^---$", SOURCE.read_text(encoding="utf-8"), flags=re.M)
    pages = [
        f'<div class="page"><header><b>mcmteach: the course on two pages</b><span>{number} / {len(parts)}</span></header>'
        f'<div class="columns">{typeset(CITED.sub(cited, part), trusted=True)}</div></div>'
        for number, part in enumerate(parts, start=1)
    ]
    template = TEMPLATE.read_text(encoding="utf-8")
    return self_contained(template.replace("@pages@", "\n".join(pages)))


def as_pdf(browser: Browser, source: Path) -> bytes:
    """A page of HTML, printed, without the hour."""
    sheet = browser.new_page()
    sheet.goto(source.resolve().as_uri())
    content = sheet.pdf(prefer_css_page_size=True, print_background=True)
    sheet.close()
    return re.sub(rb"(/(?:Creation|Mod)Date \(D:)\d{14}", rb"\g<1>20000101000000", content)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.cheat_sheet", description=__doc__.partition("\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "slides", metavar="DIR")
    folder = parser.parse_args(arguments).output
    folder.mkdir(parents=True, exist_ok=True)
    html = folder / "cheat_sheet.html"
    html.write_text(page(), encoding="utf-8")
    executable = find_chromium()
    if executable is None:
        print(f"{html.name}; no Chromium was found that would print the PDF: print it from any browser")
        return
    with chromium(executable) as browser:
        html.with_suffix(".pdf").write_bytes(as_pdf(browser, html))
    print(f"{html.name} and .pdf")


if __name__ == "__main__":
    main(sys.argv[1:])
