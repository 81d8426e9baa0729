"""Tables as text."""

from mcmteach.experiments.text import render, signed


def test_columns_are_aligned_and_markdown_has_its_bars():
    cells = [["a", "1.0"], ["long name", "22.5"]]
    lines = render(["set", "x"], cells).splitlines()
    assert [len(line) for line in lines[1:]] == [15, 15, 15] and lines[3] == "long name  22.5"
    assert render(["set", "x"], cells, markdown=True).splitlines()[1] == "| --- | --: |"


def test_no_negative_zero():
    assert [signed(x) for x in (-0.001, 0.0, 1.234, -2.0)] == ["+0.00", "+0.00", "+1.23", "-2.00"]
