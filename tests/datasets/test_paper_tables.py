"""P's Tables 1 and 4: copied as printed, and where the data disagree."""

from __future__ import annotations

from collections import Counter

from mcmteach import load_dataset
from mcmteach.datasets import PAPER_TABLES, paper_disagreements


def test_the_paper_and_the_data_disagree_where_we_say_and_nowhere_else() -> None:
    said = {(d.table, d.row): d for d in paper_disagreements()}
    for row in PAPER_TABLES:
        found = said.get((row.table, row.row))
        if row.dataset is None:
            assert found is not None and found.ours is None and found.dataset is None
            continue
        actual = load_dataset(row.dataset, encode="ordinal").data.shape
        if found is None:
            assert actual == (row.samples, row.features)
        else:
            assert found.ours == actual and found.paper == (row.samples, row.features) and found.reason


def test_which_rows_disagree() -> None:
    rows = paper_disagreements()
    assert [d.row for d in rows if d.table == 1 and d.ours] == [1, 3, 4, 9, 16, 20, 22, 24, 26, 27]
    assert [d.row for d in rows if d.table == 4 and d.ours] == [3, 7, 8, 9, 12, 14]
    assert {d.name for d in rows if not d.ours} == {
        *("Wholesale Customers", "Blogger", "Planning Relax"),
        *("w4a", "fourclass", "EEG Eye State", "HTRU2", "phishing"),
    }
    assert [(row.table, row.row) for row in PAPER_TABLES] == [(1, i) for i in range(1, 28)] + [
        (4, i) for i in range(1, 15)
    ]
    twice = Counter(row.dataset for row in PAPER_TABLES if row.table == 1 and row.dataset)
    assert [name for name, n in twice.items() if n > 1] == ["congressional-voting"]


def test_the_tables_are_copied_as_printed() -> None:
    # the column sums of P's Tables 1 and 4, added up from the paper's text and not from our copy
    for table, samples, features in ((1, 12008, 484), (4, 195761, 854)):
        rows = [row for row in PAPER_TABLES if row.table == table]
        assert (sum(row.samples for row in rows), sum(row.features for row in rows)) == (samples, features)


def test_the_adult_sizes_are_twice_the_training_share() -> None:
    # LIBSVM's sizes of a3a, a4a and a8a, four fifths of them as train_test_split takes them
    printed = {row.name: row.samples for row in PAPER_TABLES}
    for name, size in {"a3a": 3185, "a4a": 4781, "a8a": 22696}.items():
        assert printed[name] == 2 * (size * 4 // 5)
