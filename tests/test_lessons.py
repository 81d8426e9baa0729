"""What nbval does not see: that lessons are stored executed, and that its sanitizer hides no number."""

import configparser
import json
import re

import pytest

from tests.ledger import ROOT

LESSONS = sorted(ROOT.glob("lessons/*.ipynb"))


def test_there_are_lessons_and_the_first_one_welcomes():
    assert LESSONS[0].name == "00_welcome.ipynb"


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_lessons_are_stored_executed_in_order_and_without_errors(path):
    code = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1)), "run make lessons"
    kinds = {output["output_type"] for cell in code for output in cell["outputs"]}
    assert kinds and "error" not in kinds


def test_the_welcome_lesson_checks_the_installation_and_shows_a_picture():
    cells = json.loads(LESSONS[0].read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert any("Ready." in "".join(output.get("text", "")) for output in outputs)
    assert any("image/png" in output.get("data", {}) for output in outputs)


@pytest.mark.parametrize(
    "output", ["0", "3.14", "-2.5e-07", "1 000", "96.7%", "[1, 2, 3]", "60 support vectors", "h = 4"]
)
def test_no_sanitizer_rule_matches_a_bare_number(output):
    rules = configparser.RawConfigParser()
    assert rules.read(ROOT / "tests" / "nbval_sanitize.cfg")
    for rule in rules.sections():
        assert re.sub(rules[rule]["regex"], rules[rule]["replace"], output) == output, rule
