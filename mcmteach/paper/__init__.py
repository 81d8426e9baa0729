"""What the lesson on the paper teaches: its printed tables, what they imply, and the tests it uses.

``figure2`` computes P's Figure 2, which :func:`mcmteach.plots.plot_embeddings` draws.
"""

from mcmteach.paper.choosing_on_test import expected_best, peep_at_noise
from mcmteach.paper.printed import TABLE2, TABLE3, TABLE4, MeanSD
from mcmteach.paper.table3_counts import explain_table3, joint_sd, recover_svm_counts
from mcmteach.paper.wilcoxon import PRINTED_P, SignedRank, compare_columns, printed_tests, signed_rank
