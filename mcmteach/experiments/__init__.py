"""The paper's experiments: its tables as printed, what they imply, and what our own runs show. P section 6.

``python -m mcmteach reproduce table2`` runs them. ``rules`` and ``protocol`` say what one fold computes (``peeping``: the
paper's way), ``store`` keeps it, ``run`` does many (``parallel``: at the same time), ``tables`` shows them, and ``claims``
compares them with what the sources say. Our results are in ``results``.
"""

from mcmteach.experiments.protocol import run_fold
from mcmteach.experiments.rules import BASELINE, HONEST, PAPER, PROTOCOLS, Protocol
from mcmteach.experiments.run import Summary, choose_sets, reproduce
from mcmteach.experiments.store import STORED, Store
from mcmteach.experiments.tables import details, printed_table, summarise, table2, table3
from mcmteach.paper.printed import TABLE2, TABLE3, TABLE4
from mcmteach.paper.table3_counts import explain_table3, recover_svm_counts
from mcmteach.paper.wilcoxon import compare_columns, printed_tests, signed_rank

__all__ = [
    "BASELINE",
    "HONEST",
    "PAPER",
    "PROTOCOLS",
    "STORED",
    "TABLE2",
    "TABLE3",
    "TABLE4",
    "Protocol",
    "Store",
    "Summary",
    "choose_sets",
    "compare_columns",
    "details",
    "explain_table3",
    "printed_table",
    "printed_tests",
    "recover_svm_counts",
    "reproduce",
    "run_fold",
    "signed_rank",
    "summarise",
    "table2",
    "table3",
]
