"""The paper's tables on its authors' own matrices and folds: ``reproduce table2 --protocol authors --data DIR``.

``data`` reads and checks the files, ``folds`` computes the SVM columns, ``programme`` the MCM's by the steps of the authors'
code, and ``tables`` shows the printed numbers beside ours.
"""

from mcmteach.experiments.authors.data import BY_NAME, RELABELLED, SAME_ROWS, SOURCE, read_files, read_set
from mcmteach.experiments.authors.folds import AUTHORS, WITHOUT_NUMBER, AuthorsPlan, run_fold
from mcmteach.experiments.authors.programme import PROGRAMME, run_programme
from mcmteach.experiments.authors.tables import (
    AuthorsRow,
    as_printed,
    authors_rows,
    authors_table2,
    authors_table3,
    equal_numbers,
    map_gains,
    programme_table,
    two_by_two_table,
)
from mcmteach.experiments.authors.two_by_two import PRICED, UNPRICED, run_two_by_two
