"""The data sets of P's Tables 1 and 4 that can be had, inside the package: nothing is ever downloaded.

>>> from mcmteach.datasets import load_dataset
>>> load_dataset("glass")
<Dataset glass: 146 samples x 9 features, 'building windows, float' 70, 'building windows, non-float' 76>

What each set is, and who gave it to the world, is in ``load_dataset(name).description`` and in this folder's README.md.
"""

from mcmteach.datasets.graphs import karate_club
from mcmteach.datasets.impute import MedianImputer
from mcmteach.datasets.loader import Dataset, list_datasets, load_dataset, raw_text
from mcmteach.datasets.paper_tables import PAPER_TABLES, Disagreement, PaperRow, disagreement_table, paper_disagreements
from mcmteach.datasets.rule_sets import balance_scale, tic_tac_toe_endgames

__all__ = [
    "PAPER_TABLES",
    "Dataset",
    "Disagreement",
    "MedianImputer",
    "PaperRow",
    "balance_scale",
    "disagreement_table",
    "karate_club",
    "list_datasets",
    "load_dataset",
    "paper_disagreements",
    "raw_text",
    "tic_tac_toe_endgames",
]
