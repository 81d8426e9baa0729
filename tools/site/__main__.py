"""Build the site:  python -m tools.site [--offline]  (or ``make site``), into build/site."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tools.site import book, downloads, laboratory
from tools.site.downloads import ROOT

OUTPUT = ROOT / "build" / "site"
FIRST_PAGE = """\
<!doctype html>
<html lang="en">
<head><title>mcmteach</title><meta http-equiv="refresh" content="0; url=docs/index.html">
<link rel="icon" href="_static/favicon.svg"></head>
<body><a href="docs/index.html">mcmteach</a></body>
</html>
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument("--offline", action="store_true", help="everything inside: no file comes from another host")
    parser.add_argument("--book", action="store_true", help="the book only, without the laboratory")
    asked = parser.parse_args()
    try:
        began = time.perf_counter()
        shutil.rmtree(OUTPUT / "laboratory", ignore_errors=True)
        build_book(OUTPUT)
        print(f"The book: {size(OUTPUT)} in {time.perf_counter() - began:.0f} s.")
        if not asked.book:
            began = time.perf_counter()
            laboratory.build(OUTPUT / "laboratory", ROOT / "build" / "laboratory", asked.offline)
            where = "inside" if asked.offline else f"loaded from {laboratory.RELEASE_HOST} when a notebook starts"
            took = time.perf_counter() - began
            print(f"The laboratory: {size(OUTPUT / 'laboratory')} in {took:.0f} s; Pyodide's packages are {where}.")
    except downloads.SiteError as problem:
        print(f"make site: {problem}", file=sys.stderr)
        return 1
    print(f"To look at it: python -m mcmteach serve {OUTPUT.relative_to(ROOT)}")
    return 0


def build_book(output: Path) -> None:
    """The book by Sphinx, in which a warning is an error, and MathJax beside it."""
    options = ["-W", "--keep-going", "-q", "-b", "html", "-c", "docs", "-d", "build/doctrees", "."]
    if subprocess.run([sys.executable, "-m", "sphinx", *options, str(output)], cwd=ROOT, check=False).returncode:
        raise downloads.SiteError("the book has warnings, see above.")
    for page in output.rglob("*.html"):
        page.write_text(book.with_names(page.read_text(encoding="utf-8")), encoding="utf-8")
    (output / "_sources").rmdir()  # empty: Sphinx makes it all the same, and a page that is copied there raises here
    mathjax, fonts = downloads.npm("mathjax") / "es5", Path("output", "chtml", "fonts", "woff-v2")
    target = output / "_static" / "mathjax"
    shutil.copytree(mathjax / fonts, target / fonts, dirs_exist_ok=True)
    shutil.copy2(mathjax / "tex-chtml.js", target)
    (output / "index.html").write_text(FIRST_PAGE, encoding="utf-8")


def size(folder: Path) -> str:
    return f"{sum(path.stat().st_size for path in folder.rglob('*') if path.is_file()) / 1e6:.0f} MB"


if __name__ == "__main__":
    sys.exit(main())
