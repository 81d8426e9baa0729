"""What `make soak` runs besides the tests, and the page with its results: docs/RELIABILITY.md."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def stored(name: str) -> dict[str, Any]:
    """What the last runs of a check found, by part; nothing where it has not run yet."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def store(name: str, part: str, found: dict[str, Any]) -> None:
    """Keep what a check found, with the day, in the place of what its last run found."""
    kept = stored(name) | {part: {"day": time.strftime("%Y-%m-%d"), **found}}
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(dict(sorted(kept.items())), indent=1, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
