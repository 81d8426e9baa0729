"""Figures of a class, against numpy by hand."""

import numpy as np

from mcmteach.classroom.report import class_page, figures, histogram
from tests.classroom.test_tables import EXERCISES, row


def test_mean_spread_and_discrimination():
    rows = [
        row("a"),
        row("b", **{"1_1": 0.0, "1_3": 0.0}),
        row("c", **{"1_1": 1.0, "1_4": 2.0}),
        row("d", **{"1_3": 0.0}),
    ]
    about = {f.task: f for f in figures(rows)}["1.1"]
    shares, rest = np.array([1, 0, 1, 1]), np.array([3, 1, 5, 1])
    assert about.mean == 0.75 and np.isclose(about.spread, shares.std(ddof=1))
    assert np.isclose(about.discrimination, np.corrcoef(shares, rest)[0, 1])
    unread = {f.task: f for f in figures(rows)}["1.6"]
    assert unread.read == 0 and np.isnan(unread.mean), "what nobody has read does not count"


def test_the_page_has_a_figure_for_each_exercise_and_runs_nothing():
    rows = [row("a"), row("b", **{"1_1": 0.0})]
    rows[1].tasks["1.1"] |= {"kind": "mistake", "mistake": "sum for mean"}
    page = class_page(rows, list(EXERCISES.values()))
    assert page.count("<svg") == 1 + 5 and "divide by the number of samples M" in page and "<script" not in page
    assert histogram(np.array([1.0, 1.0, 3.0]), 4.0).count("<rect") == 5
