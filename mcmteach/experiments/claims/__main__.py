"""``python -m mcmteach.experiments.claims [FILE]``: write the page to docs/CLAIMS.md, or to the file that is named."""

import sys
from pathlib import Path

from mcmteach.errors import MCMError
from mcmteach.experiments.claims import page


def main(arguments: list[str]) -> int:
    target = Path(arguments[0]) if arguments else Path("docs/CLAIMS.md")
    try:
        target.write_text(page(), encoding="utf-8")
    except (OSError, MCMError) as problem:
        print(f"{target} was not written: {problem}", file=sys.stderr)
        return 1
    print(f"{target} written.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
