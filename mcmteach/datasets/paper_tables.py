"""P's Tables 1 and 4 as they are printed, and where the data disagree."""

from __future__ import annotations

from typing import NamedTuple

from mcmteach.datasets.catalogue import CATALOGUE


class PaperRow(NamedTuple):
    """A row of P's Table 1 or 4: its number, the name and sizes as printed, and our set (None where it is not bundled)."""

    table: int
    row: int
    name: str
    samples: int
    features: int
    dataset: str | None


class Disagreement(NamedTuple):
    """Where P's table and our data differ. ``paper`` and ``ours`` are (samples, features); ``ours`` is None if missing."""

    table: int
    row: int
    name: str
    dataset: str | None
    paper: tuple[int, int]
    ours: tuple[int, int] | None
    reason: str


PAPER_TABLES: tuple[PaperRow, ...] = (
    PaperRow(1, 1, "Ionosphere", 351, 54, "ionosphere"),
    PaperRow(1, 2, "Promotors", 106, 57, "promoters"),
    PaperRow(1, 3, "Mammographic Masses", 961, 5, "mammographic-masses"),
    PaperRow(1, 4, "Bands", 539, 39, "bands"),
    PaperRow(1, 5, "SONAR", 208, 60, "sonar"),
    PaperRow(1, 6, "Wholesale Customers", 440, 7, None),
    PaperRow(1, 7, "Seed", 140, 7, "seeds"),
    PaperRow(1, 8, "Blogger", 100, 6, None),
    PaperRow(1, 9, "Indian Liver Patient Dataset", 583, 10, "indian-liver-patient"),
    PaperRow(1, 10, "Blood Transfusion", 748, 4, "blood-transfusion"),
    PaperRow(1, 11, "Tic Tac Toe", 958, 9, "tic-tac-toe"),
    PaperRow(1, 12, "Pima Indians", 768, 8, "pima-indians"),
    PaperRow(1, 13, "Heart Statlog", 270, 13, "heart-statlog"),
    PaperRow(1, 14, "Habermann's Survival", 306, 3, "haberman"),
    PaperRow(1, 15, "Hepatitis", 155, 19, "hepatitis"),
    PaperRow(1, 16, "ECG", 132, 12, "echocardiogram"),
    PaperRow(1, 17, "Congressional Voting Records", 435, 16, "congressional-voting"),
    PaperRow(1, 18, "Horsecolic", 300, 27, "horse-colic"),
    PaperRow(1, 19, "Australian", 690, 14, "australian"),
    PaperRow(1, 20, "Australian Credit Approval", 690, 15, "credit-approval"),
    PaperRow(1, 21, "German Credit", 1000, 20, "german-credit"),
    PaperRow(1, 22, "Breast Cancer (W)", 568, 31, "breast-cancer-wdbc"),
    PaperRow(1, 23, "Planning Relax", 182, 12, None),
    PaperRow(1, 24, "Housevotes", 436, 16, "congressional-voting"),
    PaperRow(1, 25, "Balance", 576, 4, "balance-scale"),
    PaperRow(1, 26, "Ecoli", 220, 6, "ecoli"),
    PaperRow(1, 27, "Glass", 146, 10, "glass"),
    PaperRow(4, 1, "w4a", 49749, 300, None),
    PaperRow(4, 2, "diabetes", 768, 8, "pima-indians"),
    PaperRow(4, 3, "breast-cancer", 683, 10, "breast-cancer-wisconsin"),
    PaperRow(4, 4, "australian", 690, 14, "australian"),
    PaperRow(4, 5, "german-numer", 1000, 24, "german-numer"),
    PaperRow(4, 6, "fourclass", 862, 2, None),
    PaperRow(4, 7, "a3a", 5096, 123, "adult-a1a-pool"),
    PaperRow(4, 8, "a4a", 7648, 123, "adult-a1a-pool"),
    PaperRow(4, 9, "a8a", 36312, 123, "adult-a1a-pool"),
    PaperRow(4, 10, "EEG Eye State", 14980, 15, None),
    PaperRow(4, 11, "HTRU2", 17898, 9, None),
    PaperRow(4, 12, "MAGIC Gamma Telescope", 19020, 11, "magic-gamma"),
    PaperRow(4, 13, "phishing", 11055, 68, None),
    PaperRow(4, 14, "Default of Credit Card Clients", 30000, 24, "credit-default"),
)

_MISSING = "We have no copy of it, so it is not bundled."
_LABEL_COUNTED = "The printed number of features is one too many: the label seems to be counted."
_POOL = (
    "LIBSVM's {name} has {size} training rows, and the printed size is twice the whole part of 0.8 x {size}. Which rows "
    "they were is not recorded; ours is the pool that they were cut from."
)

# Why they differ, as far as the numbers show. A row whose sizes agree is here for another reason.
_REASONS: dict[tuple[int, int], str] = {
    (1, 1): "UCI's file has 34 features; 54 looks like a misprint.",
    (1, 3): "Ours are the complete rows of UCI's 961.",
    (1, 4): "Ours are the 19 numeric features and the rows in which they are complete.",
    (1, 9): "Ours are the complete rows of UCI's 583.",
    (1, 16): (
        "We take 'ECG' to be the echocardiogram set: UCI's file has 132 rows of 12 features and a label. Ours drops the "
        "row without a label, and two columns (a name and a group) that measure nothing."
    ),
    (1, 20): "The same 690 applicants as row 19, in another coding: these are not two independent sets.",
    (1, 22): "UCI's file has 569 rows of 30 features and an identity number. One row too few and one column too many.",
    (1, 24): "The same set as row 17, listed twice, here with one row too many.",
    (1, 26): "UCI has 7 features. One of them (chg) is constant among cp and im, and may have been dropped.",
    (1, 27): "UCI has 9 features and an identity number, which seems to be counted.",
    (4, 3): "UCI has 9 features and an identity number, which LIBSVM's copy keeps as a feature.",
    (4, 7): _POOL.format(name="a3a", size=3185),
    (4, 8): _POOL.format(name="a4a", size=4781),
    (4, 9): _POOL.format(name="a8a", size=22696) + " It is also more than the 32561 rows that there are.",
    (4, 12): _LABEL_COUNTED,
    (4, 14): _LABEL_COUNTED,
}


def paper_disagreements() -> list[Disagreement]:
    """Every row of P's Tables 1 and 4 that disagrees with the data: other sizes, a set listed twice, a set we do not have.

    Sizes are (samples, features) of ``load_dataset(name)``, where a category counts as one feature.

    Examples
    --------
    >>> rows = paper_disagreements()
    >>> rows[0].name, rows[0].paper, rows[0].ours
    ('Ionosphere', (351, 54), (351, 34))

    Source: P Tables 1 and 4.
    """
    found = []
    for table, row, name, samples, features, dataset in PAPER_TABLES:
        ours = None if dataset is None else CATALOGUE[dataset].shape
        reason = _MISSING if dataset is None else _REASONS.get((table, row), "")
        if ours != (samples, features) or reason:
            found.append(Disagreement(table, row, name, dataset, (samples, features), ours, reason))
    return found


def disagreement_table() -> str:
    """``paper_disagreements()`` as a Markdown table, for a lesson to show."""
    lines = ["| P | name in P | P says | our set | ours | why |", "|---|---|---|---|---|---|"]
    for d in paper_disagreements():
        ours = "–" if d.ours is None else f"{d.ours[0]} x {d.ours[1]}"
        lines.append(
            f"| {d.table}.{d.row} | {d.name} | {d.paper[0]} x {d.paper[1]} | {d.dataset or '–'} | {ours} | {d.reason} |"
        )
    return "\n".join(lines)
