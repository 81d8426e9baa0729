"""The paper's experiments, run again: protocols, runs, and results. P section 6.

``python -m mcmteach reproduce table2`` runs them. ``rules`` and ``protocol`` say what one fold computes (``nested_wide``, or
``test_chosen``: the paper's way), ``store`` keeps it, ``run`` does many (``parallel``: at the same time), ``tables`` shows
them, ``comparisons`` tests the difference of two columns, and ``claims`` compares the results with the sources. Our
results are in ``results``. What the paper prints, and what follows from that alone, is :mod:`mcmteach.paper`.
"""

from mcmteach.experiments.protocol import run_fold
from mcmteach.experiments.rules import (
    BASELINE,
    LOGISTIC,
    ML1,
    NESTED,
    NO_PRICE,
    PROTOCOLS,
    TEST_CHOSEN,
    WIDE,
    Protocol,
    choose_sets,
)
from mcmteach.experiments.run import Summary, reproduce
from mcmteach.experiments.store import STORED, Store
from mcmteach.experiments.tables import details, printed_table, summarise, table2, table3
