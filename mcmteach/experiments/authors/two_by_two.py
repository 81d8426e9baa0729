"""Price or none, gamma_c chosen on the test fold or on a validation part: four arms on the authors' own folds.

P's grids throughout. C and gamma (and the price) are chosen on the last fifth of the training part, as the authors' code does;
what differs between two arms is only what the columns say. The map is N(41)'s, its answers are not turned round, and a machine
predicts with the function that its programme found (for the steps of the code see ``programme``).
"""

from __future__ import annotations

import time
from typing import Any

from mcmteach.experiments.authors.data import read_set
from mcmteach.experiments.authors.folds import AuthorsPlan, last_fifth, with_right, z_scores
from mcmteach.experiments.rules import TEST_CHOSEN, one_thread
from mcmteach.experiments.test_chosen import choose_map

#: With a price: minutes for all 27 rows. Without one: hours for the large ones.
PRICED = AuthorsPlan(name="authors-price", columns=("mcm", "mcm_by_test", "mcm_by_validation"))
UNPRICED = AuthorsPlan(name="authors-no-price", columns=("lp0", "lp0_by_test", "lp0_by_validation"))


#: P's grids. A programme ends by its number of steps, on every machine alike, and not by a clock.
RULES = TEST_CHOSEN._replace(time_limit=3600.0)


def run_two_by_two(dataset: str, fold: int, plan: AuthorsPlan) -> dict[str, Any]:
    """The numbers of one fold: without a map, and with the map that either choice of gamma_c gives."""
    start = time.process_time()
    with one_thread():
        part = z_scores(read_set(dataset, plan.folder), fold)
        choices = choose_map(last_fifth(part), part, RULES, plan.name == PRICED.name, validated=True)
    kept = ("accuracy", "n_support", "params", "solved", "n_cores", "J_before", "J_after")
    found = [{name: one[name] for name in kept if name in one} for one in choices]
    n_test = len(part.y_test)
    return {
        "set": dataset, "fold": fold, "protocol": plan.name, "fingerprint": plan.fingerprint(dataset),
        "n_train": len(part.y), "n_test": n_test,
        "columns": {name: with_right(one, n_test) for name, one in zip(plan.columns, found, strict=True)},
        "seconds": round(time.process_time() - start, 1),
    }  # fmt: skip
