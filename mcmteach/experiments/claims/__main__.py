"""``python -m mcmteach.experiments.claims [FILE]``: write the page to docs/CLAIMS.md, or to the file that is named.

Its tables go into CLAIMS_TABLES.md beside it, its figures into the folder ``claims``.
"""

import sys
from pathlib import Path

from mcmteach.errors import MCMError
from mcmteach.experiments.claims import document
from mcmteach.experiments.claims.page import FIGURES, TABLES


def main(arguments: list[str]) -> int:
    target = Path(arguments[0]) if arguments else Path("docs/CLAIMS.md")
    try:
        text, tables, figures = document()
        target.write_text(text, encoding="utf-8")
        (target.parent / TABLES).write_text(tables, encoding="utf-8")
        (target.parent / FIGURES).mkdir(exist_ok=True)
        for name, svg in figures.items():
            (target.parent / FIGURES / name).write_text(svg, encoding="utf-8")
    except (OSError, MCMError) as problem:
        print(f"{target} was not written: {problem}", file=sys.stderr)
        return 1
    print(f"{target} written, and {len(figures)} figures.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
