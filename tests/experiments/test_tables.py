"""Stored folds as tables."""

import numpy as np
import pytest

from mcmteach import experiments as ex
from mcmteach.errors import InvalidInputError
from mcmteach.experiments import tables
from tests.experiments.quick import QUICK, SETS, fake


def test_tables_show_mean_and_sd_and_what_is_missing(reference):
    store = ex.Store(reference)
    values = [100 * fold["columns"]["mcm"]["accuracy"] for fold in store.folds(QUICK, "seeds")]
    text = ex.table2(QUICK, store, [*SETS, "glass"])
    assert f"{np.mean(values):.2f} ± {np.std(values, ddof=1):.2f}" in text
    assert "not run" in text and "reproduce table2 --protocol quick --sets glass" in text
    assert "MCM - conformal MCM" in text and "inside the training part" in text
    counts = [fold["columns"]["svc"]["n_support"] for fold in store.folds(QUICK, "promoters")]
    assert f"{np.mean(counts):.1f} ± {np.std(counts, ddof=1):.1f}" in ex.table3(QUICK, store, SETS)
    assert "J before" in ex.details(QUICK, store, SETS)


def test_markdown_and_a_set_that_is_half_done(reference, tmp_path):
    store = ex.Store(tmp_path)
    store.write(QUICK, fake("seeds", 0, QUICK))
    text = ex.table2(QUICK, store, ["seeds"], markdown=True)
    head, rule, row = text.split("\n\n")[1].splitlines()
    assert head == "| data set | MCM | conformal MCM | SVC | majority |" and rule == "| --- | --: | --: | --: | --: |"
    assert row.count("50.00 ± 0.00*") == 4 and "Some folds are missing: seeds" in text
    assert "not estimates" in tables.heading(2, "", ex.TEST_CHOSEN) and "TEST FOLD" in tables.heading(
        2, "", ex.TEST_CHOSEN
    )
    with pytest.raises(InvalidInputError, match="no set"):
        tables.command("table2", QUICK, [])
