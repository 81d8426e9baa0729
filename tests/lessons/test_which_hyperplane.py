"""The lesson 'which hyperplane': what it claims holds at any data, and its notebook says what the library says."""

import json
import re

import numpy as np

from tools.ledger import ROOT

# --- the notebook ----------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads(next(ROOT.glob("lessons/*_which_hyperplane.ipynb")).read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    assert "functional  1.00,  geometric 0.71" in printed["worked"] and "geometric 1.34" in printed["worked"]
    assert printed["novikoff-wrong"].split()[-1] == "10" and "9.0" in printed["novikoff-wrong"]
    assert re.search(r"bound: +50\n", printed["novikoff-right"])
    error = [float(share) for share in re.findall(r"([\d.]+)%", printed["worth"])]
    assert error[1] < error[0] / 3, "the lesson says: far fewer errors"
    rows = [list(map(float, line.split()[-3:])) for line in printed["table"].splitlines()[1:]]
    margin, ratio, h = np.transpose(rows)
    assert margin.argmax() == 1 and h.argmin() == 2 and (h <= ratio).all()
