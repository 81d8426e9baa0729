"""The lesson 'small devices': its notebook says what its own tables say, and its exercise what the library says."""

import json
import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mcmteach.checks.tasks.small_devices import fold_scale, quantise, worth_having
from mcmteach.export.c_code import rounded
from mcmteach.export.formula import formula_of
from mcmteach.widgets.small_devices import BITS, PRICES, draw_short
from tools.ledger import ROOT


def test_the_exercises_folded_scale_is_scikit_learns_pipeline():
    X, y = make_classification(80, 4, random_state=0)
    X = X * [1, 10, 0.1, 5] + [0, 50, -3, 7]
    pipeline = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    scaler, plane = pipeline
    v, c = fold_scale(plane.coef_[0], plane.intercept_[0], scaler.mean_, scaler.scale_)
    np.testing.assert_allclose(X @ v + c, pipeline.decision_function(X), rtol=1e-9, atol=1e-9)


def test_the_exercises_short_numbers_are_the_exporters():
    X, y = make_classification(80, 4, random_state=0)
    formula = formula_of(LogisticRegression().fit(X, y))
    levels, step = quantise(formula.coef[0], 8)
    np.testing.assert_allclose(levels * step, rounded(formula, "int8").coef[0], rtol=1e-12)
    assert np.abs(levels).max() == 127


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=12))
def test_who_is_not_worth_having_is_beaten_by_one_who_is(machines):
    sizes, errors = np.array(machines, dtype=float).T
    worth = worth_having(sizes, errors)
    assert worth.any()
    for size, error, kept in zip(sizes, errors, worth, strict=True):
        beaten = worth & (sizes <= size) & (errors <= error) & ((sizes < size) | (errors < error))
        assert kept != beaten.any()


def test_the_lesson_says_what_its_tables_say():
    cells = json.loads(next(ROOT.glob("lessons/*_small_devices.ipynb")).read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    rows = re.findall(r"^(.{26}) +(\d+) +([\d,]+) +([\d.]+)%", printed["store-run"], re.M)
    vectors, size, error = ({name.strip(): float(row[i].replace(",", "")) for name, *row in rows} for i in range(3))
    chosen = next(name for name in vectors if "chosen" in name)
    assert vectors[chosen] < 100 and 2000 / 3 < vectors["SVC"] < 1000 and size["SVC"] > 32 * 1024
    assert size["MCM, price 10"] < size["MCM, price 3"] < size["MCM, price 1"] < size[chosen]
    assert error["MCM, price 10"] > error["MCM, price 1"], "in the end it costs accuracy"
    assert "same answer for 100.00% of 5020" in printed["c-check"] and "less than 1e-4: True" in printed["c-check"]
    same = {tuple(row[:2]): float(row[2]) for row in
            re.findall(r"^(MCM, price \d+) +(\w+) .* ([\d.]+)% the same", printed["short-run"], re.M)}  # fmt: skip
    assert min(same.values()) > 98, "eight bits are enough here"
    found = re.findall(r"^(.{16}) +([\d,]+) +([\d.]+)% ± ([\d.]+)%", printed["rivals-run"], re.M)
    rival = {name.strip(): [float(x.replace(",", "")) for x in row] for name, *row in found}
    equal = ["MCM", "LP-SVM", "SVC", "plane, pairs", "4-unit network"]
    assert max(rival[name][1] - rival[name][2] for name in equal) < min(
        rival[name][1] + rival[name][2] for name in equal
    )
    assert all(rival[name][0] < rival["MCM"][0] / 10 for name in equal[3:])
    chip = {}
    for block in printed["chip-run"].split("\n\n")[1:]:
        dataset, *lines = block.strip().splitlines()
        for line in lines:
            name, *values = re.match(r"  (.{14}) +([\d.]+) ± +([\d.]+) +\( *([\d,]+)\)", line).groups()
            chip[dataset, name.strip()] = [float(value.replace(",", "")) for value in values]
    sets = {dataset for dataset, _ in chip}
    names = {name for _, name in chip}
    for dataset in sets:
        right, half, flash = chip[dataset, "MCM"]
        plane, its_half, smaller = chip[dataset, "plane"]
        assert max(chip[dataset, name][2] for name in names) == chip[dataset, "SVC"][2] and smaller < flash
        assert abs(right - plane) < half + its_half, "the intervals overlap"
        assert chip[dataset, "network"][2] > 3000
    assert len(sets) == 5
    for name in ("plane", "tree"):
        assert rival[name][1] - rival[name][2] > max(rival[other][1] + rival[other][2] for other in equal)


def test_the_folded_answer_to_the_panel_of_short_numbers():
    for price in PRICES:
        changed = re.search(r"([\d.]+)% of the answers change", draw_short(price, 6).text)
        assert float(changed[1]) <= 5.5
    as_much = {
        (price, bits): "promised at least as much" in draw_short(price, bits).text for price in PRICES for bits in BITS
    }
    assert all(as_much[1.0, bits] for bits in BITS)
    assert not any(as_much[10.0, bits] for bits in BITS if bits <= 6)
    assert not any(as_much[30.0, bits] for bits in BITS if bits >= 3)
