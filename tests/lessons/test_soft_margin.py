"""The lesson 'soft margin': what it claims holds at any data, and its notebook says what the library says."""

import json
import re

import numpy as np

from tools.ledger import ROOT

# --- the notebook ------------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads(next(ROOT.glob("lessons/*_soft_margin.ipynb")).read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    before, after = map(float, re.findall(r"margin ([\d.]+)", printed["ruin-figure"]))
    assert after < before / 10, "the last option of the prediction"
    rows = [line.replace("%", "").replace("±", "").split() for line in printed["price-table"].splitlines()[1:7]]
    _, margin, slacks, pay, _, new, error = np.array(rows, dtype=float).T
    assert (np.diff(margin) <= 0).all() and (np.diff(slacks) <= 0).all() and pay[0] == 40
    assert (new[:2] > new[2:].max() + 1).all() and np.ptp(new[2:]) <= error.max(), "only the cheap end costs accuracy"
    scores = [float(share) for share in re.findall(r"([\d.]+)%", printed["tune-run"])]
    assert np.argmax(scores[:6]) == 2 and scores[6] == max(scores[:6]) > scores[7], "a price in between; flattered"
    hard, *soft = map(float, re.findall(r"margin ([\d.]+)", printed["threshold"]))
    assert soft[0] > soft[1] > soft[2] == soft[3] == hard
    assert len(set(re.findall(r"E = ([\d.]+)", printed["agree"]))) == 1 and printed["agree"].rstrip().endswith("True")
    slow, fast = map(int, re.findall(r"about +(\d+) steps", printed["race-run"]))
    assert slow > 5 * fast and printed["race-run"].rstrip().endswith("True")
