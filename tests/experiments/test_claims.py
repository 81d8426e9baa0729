"""CLAIMS.md says what the stored results say, and each verdict follows them when they change."""

import json

import numpy as np
import pytest

import mcmteach as mt
from mcmteach import experiments as ex
from mcmteach.experiments import claims, table4
from mcmteach.experiments.authors import AUTHORS, WITHOUT_NUMBER
from mcmteach.experiments.claims import __main__ as command
from mcmteach.experiments.claims import rules
from mcmteach.experiments.store import read_lines
from mcmteach.experiments.tables import results_by_fold
from mcmteach.paper import TABLE3
from mcmteach.paper.equivalence import signed_rank_rope
from tools.ledger import ROOT

SETS = ["promoters", "seeds", "glass", "hepatitis", "sonar", "ecoli", "haberman", "bands"]


def make_store(folder, better=None, n_support=None, J_after=2.0, sets=SETS):
    """A store in which every column has accuracy 0.8 and ``better[protocol][column]`` more, the more the larger the set."""
    store, better, n_support = ex.Store(folder), better or {}, n_support or {}
    for protocol in (ex.NESTED, ex.TEST_CHOSEN):
        for i, name in enumerate(sets):
            for fold in range(protocol.n_folds):
                columns = {
                    c: {
                        "accuracy": 0.8 + (i + 1) / 8 * better.get(protocol.name, {}).get(c, 0.0),
                        "n_support": n_support.get(c, 10),
                        "J_before": 1.0, "J_after": J_after, "n_cores": 3, "failed": 1, "programmes": 4, "gap": 0.01,
                    }
                    for c in protocol.columns
                }  # fmt: skip
                head = {"set": name, "fold": fold, "protocol": protocol.name}
                store.write(protocol, head | {"fingerprint": protocol.fingerprint(name), "columns": columns})
    return store


def verdict(claim, store):
    found = claim(claims.gather(store))
    assert found.verdict in claims.VERDICTS and all(found)
    return found.verdict


# --- the page --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page():
    return claims.page()


def test_claims_md_is_what_the_stored_results_say(page):
    assert (ROOT / "docs" / "CLAIMS.md").read_text(encoding="utf-8") == page, (
        "run: python -m mcmteach.experiments.claims"
    )


def test_every_claim_is_there_with_its_verdict(page):
    for i, claim in enumerate(claims.CLAIMS, 1):
        assert f"\n| {i}. " in page and f"\n## {i}. " in page, claim.__name__
    assert page.count("\n- Rule: ") == page.count("\n- Source: ") == len(claims.CLAIMS)
    for word in ("seed of our own folds is 2021", "tolerance"):
        assert word in page


def test_numbers_on_the_page_recomputed_from_the_files(page):
    """With json and numpy alone: the median ratio of support vectors, and how often the map helps."""
    folds = {}
    for line in (ex.STORED / "nested.jsonl").read_text().splitlines():
        record = json.loads(line)
        folds.setdefault(record["set"], []).append(record["columns"])
    assert len(folds) == 23 and all(len(of_set) == 5 for of_set in folds.values())

    def mean(of_set, column, what):
        return np.mean([fold[column][what] for fold in of_set])

    ratios = [mean(f, "svc", "n_support") / mean(f, "mcm", "n_support") for f in folds.values()]
    assert f"MCM: median {np.median(ratios):.1f}x, at least 3x on {sum(r >= 3 for r in ratios)} of 23 sets" in page
    gains = np.round([100 * (mean(f, "conformal", "accuracy") - mean(f, "mcm", "accuracy")) for f in folds.values()], 9)
    assert f"better on {np.sum(gains > 0)}, worse on {np.sum(gains < 0)} of 23" in page
    assert f"median {round(np.median(gains), 2) + 0.0:+.2f} points" in page
    small = [mean(f, "conformal", "n_support") + mean(f, "conformal", "n_cores") for f in folds.values()]
    ratios = [mean(f, "svc", "n_support") / n for f, n in zip(folds.values(), small, strict=True)]
    assert f"with both counted, conformal MCM: median {np.median(ratios):.1f}x" in page


def test_other_numbers_on_the_page_recomputed_from_the_files(page):
    counts = {}
    for line in (ex.STORED / "test-chosen.jsonl").read_text().splitlines():
        record = json.loads(line)
        counts.setdefault(record["set"], []).append(record["columns"]["lp0"]["n_support"])
    printed = {row.dataset: TABLE3[row.row - 1].conformal.mean for row in mt.datasets.PAPER_TABLES if row.table == 1}
    ratios = [np.mean(of_set) / printed[name] for name, of_set in counts.items() if len(of_set) == 5]
    assert f"are {np.median(ratios):.1f} times the printed ones in the median of {len(ratios)} sets" in page
    rows = read_lines(table4.ROWS)
    assert all(f"| {row['dataset']} ({row['name']}) | {row['samples']} |" in page for row in rows)
    worse = [
        f"{row['dataset']} ({row['conformal'] - row['mcm']:+.2f})" for row in rows if row["conformal"] < row["mcm"]
    ]
    assert f"Worse on {', '.join(worse)}." in page
    right, sizes = {}, {}
    for fold in read_lines(ex.STORED / "map_study.jsonl"):
        if fold["stage"] == "score":
            one, plain = (fold["variants"][name]["right"] for name in ("beside k_0, ridge", "plain"))
            right[fold["set"]] = right.get(fold["set"], 0) + one - plain
            sizes[fold["set"]] = sizes.get(fold["set"], 0) + fold["rows"]
    gain = np.array([100 * right[name] / sizes[name] for name in sizes])
    assert f"sets {gain.mean():+.2f} (better on {np.sum(gain > 0)}, worse on {np.sum(gain < 0)} of {len(gain)};" in page


def test_equivalence_on_the_page_is_that_of_the_stored_folds(page):
    rows = ex.summarise(ex.NESTED)
    a, b = ([100 * row.mean(column) for row in rows] for column in ("conformal", "mcm"))
    same = signed_rank_rope(a, b, rope=1.0).equivalent
    assert f"the same within 1 point with probability {same:.3f}" in page and same > 0.99
    assert f"| MCM - conformal MCM | 9 | 12 | 2 | +0.00 | 0.92 | 0.92 | {same:.3f} |" in page


def test_claims_that_are_referred_to_have_that_number(page):
    assert "the SVM's counts recovered (claim 11)" in page and "\n## 11. Table 3 prints the SVM's" in page
    assert (
        "printed has none (claim 2)" in page
        and "\n## 2. MCM models are 3 to 10 times smaller than SVMs (the prog" in page
    )
    assert "can be had again is claim 5" in page and "\n## 5. Kernel optimisation improves" in page


def test_stored_results_are_fresh_complete_and_small():
    store = ex.Store()
    assert all(row.complete for row in ex.summarise(ex.NESTED))
    for protocol in (ex.NESTED, ex.TEST_CHOSEN, ex.BASELINE, AUTHORS):
        for name in store.sets(protocol):
            lines = sum(record["set"] == name for record in read_lines(store.packed_path(protocol)))
            assert len(store.folds(protocol, name)) == lines, f"{name}: stale results under '{protocol.name}'"
    assert {path.suffix for path in ex.STORED.rglob("*")} == {".jsonl", ".md"}
    assert sum(path.stat().st_size for path in ex.STORED.rglob("*")) < 500_000


def test_every_nested_fit_is_certified():
    for column in ("mcm", "conformal"):
        gaps = results_by_fold(ex.NESTED, column, "gap")
        assert len(gaps) == 115 and max(gaps) < 1e-6


# --- verdicts follow the numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("better", "expected"),
    [
        ({"nested": {"conformal": 0.05}}, "reproduced"),
        ({"test-chosen": {"lp0_conformal": 0.05}}, "partly"),
        ({}, "not reproduced"),
        ({"nested": {"conformal": -0.05}}, "not reproduced"),
        ({"nested": {"conformal": 0.05}, "test-chosen": {"lp0_conformal": -0.05}}, "reproduced"),
    ],
)
def test_the_map_helps_nested_or_only_where_the_test_fold_chose(tmp_path, better, expected):
    store = make_store(tmp_path, better)
    assert verdict(rules.claim_conformal_beats_mcm, store) == expected
    assert verdict(rules.claim_conformal_beats_svm, store) == expected


@pytest.mark.parametrize(
    ("svc", "expected"), [(100, "reproduced"), (30, "reproduced"), (20, "partly"), (10, "not reproduced")]
)
def test_sparsity(tmp_path, svc, expected):
    store = make_store(tmp_path, n_support={"svc": svc})
    assert verdict(rules.claim_sparse, store) == verdict(rules.claim_sparse_as_printed, store) == expected


@pytest.mark.parametrize(
    ("points", "expected"),
    [(0.0, "reproduced"), (3.0, "reproduced"), (-1.0, "partly"), (-3.0, "partly"), (-8.0, "not reproduced")],
)
def test_comparable_to_an_svm(tmp_path, points, expected):
    """The median of the eight sets is 4.5/8 of ``points``; all eight on one side is significant."""
    assert verdict(rules.claim_mcm_comparable, make_store(tmp_path, {"nested": {"mcm": points / 100}})) == expected


def test_reasons_follow_the_numbers_too(tmp_path):
    for name, svc, said in (
        ("large", 30, "With a price on the coefficients it holds"),
        ("few", 20, "Even with a price"),
    ):
        assert said in rules.claim_sparse(claims.gather(make_store(tmp_path / name, n_support={"svc": svc}))).reason
    for points, said in (
        (0.0, "within the tolerance of 1 point; it is no more than chance"),
        (-1.0, "within the tolerance of 1 point; it is too regular"),
        (-3.0, "beyond the tolerance of 1 point; it is too regular"),
    ):
        store = make_store(tmp_path / str(points), {"nested": {"mcm": points / 100}})
        assert said in rules.claim_mcm_comparable(claims.gather(store)).reason
    fallen = rules.claim_J(claims.gather(make_store(tmp_path / "J", J_after=0.5))).reason
    assert "at worst by 50.0 %" in fallen


@pytest.mark.parametrize(("J_after", "expected"), [(2.0, "reproduced"), (0.5, "not reproduced")])
def test_J(tmp_path, J_after, expected):
    assert verdict(rules.claim_J, make_store(tmp_path, J_after=J_after)) == expected


def on_authors_folds(folder, change):
    """The stored results on the authors' folds, after a change of every record's columns."""
    store = ex.Store(folder)
    for name in AUTHORS.choose_sets():
        for record in ex.Store().folds(AUTHORS, name):
            change(name, record["columns"])
            store.write(AUTHORS, record)
    return store


def unchanged(name, columns):
    pass


def swap_kernels(name, columns):
    columns["sigmoid"], columns["svc"] = columns["svc"], columns["sigmoid"]


def one_sample_less(name, columns):
    for column in ("sigmoid", "svc"):
        columns[column]["right"] -= name == "sonar"


def one_support_vector_more(name, columns):
    columns["sigmoid"]["n_support"] += name == "sonar"


def glass_without_its_number(name, columns):
    if WITHOUT_NUMBER in columns:
        columns[WITHOUT_NUMBER] = columns["sigmoid"]


@pytest.mark.parametrize(
    ("change", "kernel", "table2", "glass"),
    [
        (unchanged, "not reproduced", "partly", "partly"),
        (swap_kernels, "reproduced", "not reproduced", "not testable here"),
        (one_sample_less, "not testable here", "not reproduced", "partly"),
        (one_support_vector_more, "not reproduced", "partly", "partly"),
        (glass_without_its_number, "not reproduced", "partly", "reproduced"),
    ],
)
def test_verdicts_by_the_last_digit_on_the_authors_folds(tmp_path, change, kernel, table2, glass):
    store = on_authors_folds(tmp_path, change)
    assert verdict(rules.claim_svm_kernel, store) == kernel
    assert verdict(rules.claim_table2, store) == table2
    assert verdict(rules.claim_glass, store) == glass
    assert verdict(rules.claim_table3_svm, store) == "not reproduced"  # by arithmetic on the printed tables
    exact = "give 54 of the 54 numbers" in rules.claim_table3_svm(claims.gather(store)).authors
    assert exact is (change in (unchanged, glass_without_its_number))


def test_nothing_stored_is_not_testable(tmp_path):
    empty, few = ex.Store(tmp_path / "none"), make_store(tmp_path / "few", sets=SETS[:5])
    needing = (
        rules.claim_sparse, rules.claim_sparse_as_printed, rules.claim_mcm_comparable, rules.claim_J,
        rules.claim_conformal_beats_mcm, rules.claim_conformal_beats_svm, rules.claim_table2, rules.claim_svm_kernel,
    )  # fmt: skip
    for claim in needing:
        assert verdict(claim, empty) == verdict(claim, few) == "not testable here"


def test_claims_that_need_no_runs(tmp_path):
    empty = ex.Store(tmp_path)
    assert verdict(rules.claim_wilcoxon, empty) == "reproduced"
    assert verdict(rules.claim_table3_svm, empty) == "not reproduced"
    assert verdict(rules.claim_exact_bound, empty) == "partly"
    assert verdict(rules.claim_controls_vc, empty) == "not reproduced"


def test_the_command_writes_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "page", lambda: "a page\n")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    assert command.main([]) == 0 and (tmp_path / "docs" / "CLAIMS.md").read_text() == "a page\n"
    assert command.main([str(tmp_path / "nowhere" / "x.md")]) == 1
    assert "was not written" in capsys.readouterr().err
