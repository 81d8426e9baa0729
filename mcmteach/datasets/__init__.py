"""Data: the sets of P's Tables 1 and 4 that we have, inside the package (nothing is ever downloaded), and what is done to
them before a machine is fitted: folds, gaps filled, features standardised. Made-up data are in ``mcmteach.datasets.worlds``.

>>> from mcmteach.datasets import load_dataset
>>> load_dataset("glass")
<Dataset glass: 146 samples x 9 features, 'building windows, float' 70, 'building windows, non-float' 76>

What each set is, and who donated it, is in ``load_dataset(name).description`` and in this folder's README.md.
"""

from mcmteach.datasets.folds import Part, make_parts, stratified_folds
from mcmteach.datasets.graphs import karate_club
from mcmteach.datasets.loader import Dataset, list_datasets, load_dataset, raw_text
from mcmteach.datasets.own_file import read_dataset
from mcmteach.datasets.paper_tables import PAPER_TABLES, Disagreement, PaperRow, disagreement_table, paper_disagreements
from mcmteach.datasets.rule_sets import balance_scale, tic_tac_toe_endgames
from mcmteach.datasets.standardise import fill_gaps, standardised
