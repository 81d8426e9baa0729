"""docs/EDGE.md and its picture, from the stored results alone."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from scipy import stats

ROOT = Path(__file__).parent.parent.parent
RESULTS = Path(__file__).parent / "results.jsonl"
PAGE, PICTURE = ROOT / "docs" / "EDGE.md", ROOT / "docs" / "edge.svg"


def read(path: Path = RESULTS) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def write() -> None: ...
