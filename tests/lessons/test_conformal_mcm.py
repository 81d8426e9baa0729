"""The lesson 'conformal mcm': what it claims holds at any data, and its notebook says what the library says."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mcmteach as mt
from tools.ledger import ROOT

seeds = st.integers(0, 10**6)


# --- what the lesson claims ------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(seed=seeds, gamma=st.floats(0.01, 3))
def test_turning_the_sign_of_c_in_one_class_raises_J(seed, gamma):
    """Each class keeps its width, and with k_0 > 0 and c > 0 the centres move apart."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(14, 2)), np.append([1.0, -1.0], rng.choice([-1.0, 1.0], 12))
    K0, c = mt.rbf_kernel(X, gamma=gamma), rng.uniform(0.1, 2, 14)
    (B0, W0), turned = mt.scatter_matrices(K0, y), c * y
    assert turned @ W0 @ turned == pytest.approx(c @ W0 @ c)
    assert turned @ B0 @ turned > c @ B0 @ c
    assert mt.kernel_fisher_scalar(K0, y, turned) > mt.kernel_fisher_scalar(K0, y, c)


@settings(deadline=None, max_examples=25)
@given(seed=seeds)
def test_where_c_vanishes_the_machine_answers_b(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 2))
    coef, b = rng.normal(size=20), rng.normal()
    k = mt.ConformalKernel(lambda Z: Z[:, 0], mt.RBF(1.0))  # c = 0 on the second axis
    new = np.column_stack([np.zeros(5), rng.normal(size=5)])
    np.testing.assert_allclose(k(new, X) @ coef + b, b)
    assert np.ptp(k(new + np.array([1.0, 0.0]), X) @ coef + b) > 0


# --- the notebook ----------------------------------------------------------------------------------------------------


def test_the_lesson_says_what_the_library_says():
    cells = json.loads(next(ROOT.glob("lessons/*_conformal_mcm.ipynb")).read_text(encoding="utf-8"))["cells"]
    printed = {cell["id"]: "".join("".join(o.get("text", "")) for o in cell.get("outputs", [])) for cell in cells}
    source = {cell["id"]: "".join(cell["source"]) for cell in cells}
    before, after = (line.split() for line in printed["step-7-8"].splitlines()[1:3])
    assert int(after[1]) < int(before[1]), "fewer support vectors"
    assert float(before[-1][:-1]) - float(after[-1][:-1]) == pytest.approx(200 / 28, abs=0.1), "worse by two grains"
    J, J2 = map(float, re.findall(r"\d\.\d+", printed["step-5"])[:2])
    assert 1.45 < J2 / J < 1.55, "grown by half"
    assert "ours: True" in printed["estimator"] and float(printed["estimator"].split("b = ")[1]) > 0, "Rosa"
    _, basic, conformal = (
        list(map(float, re.findall(r"\d\.\d+", line))) for line in printed["figure-2-run"].splitlines()[:3]
    )
    assert all(c > 8 * b for b, c in zip(basic, conformal, strict=True)), "more than eight times as large"
    promised, held = zip(*re.findall(r"promised ([\d.]+)%, held out ([\d.]+)%", printed["tune-test"]), strict=True)
    assert promised[1] > promised[0] and held[0] == held[1]

    rows = [list(map(float, re.findall(r"[\d.]+(?=%?)", line))) for line in printed["eight-run"].splitlines()[1:-1]]
    table = np.array(rows)
    assert table.shape == (8, 7)
    assert np.sum(table[:, 1] > 8 * table[:, 0]) == 3 and (table[:, 1] > table[:, 0]).all(), "J rises everywhere"
    assert (table[:, 3] < table[:, 2]).all(), "fewer support vectors on all"
    assert printed["eight-run"].endswith("accuracy up on 2 sets, the same on 2, down on 4\n")
    assert "On two. On two others the accuracy is the same, and on four it falls" in source["predict"]
    assert np.sum(table[:, 6] >= 96) == 7, "nearly by heart on most"
