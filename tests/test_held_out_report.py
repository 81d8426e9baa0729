"""What README says about the held-out half of the benchmark is what its stored rows say."""

from tools.bench.cases import EXTRA, HELD_OUT
from tools.bench.held_out_report import (
    BLOCK,
    EARNEST,
    NOT_BUNDLED,
    PAGE,
    PICTURE,
    block,
    comparison,
    front,
    geometric,
    leaders,
    not_bundled,
    ratios,
    stored,
)


def row(case, M=100, **vectors):
    """A case on which the fit took 2 s and SVC's 1 s; machines by (vectors, accuracy)."""
    ours = {"fit": 2.0, "predict": 1.0, "vectors": 0, "accuracy": 0.9, "gap": 1e-9}
    theirs = {"fit": 1.0, "predict": 4.0, "vectors": 50, "accuracy": 0.95}
    chosen = {"mcm": ours, "svc": theirs, "mcm default": ours, "svc default": theirs}
    sweep = [
        {"machine": name, "knob": k, "vectors": v, "accuracy": a} for name, (v, a) in vectors.items() for k in (1,)
    ]
    return {"case": case, "M": M, "chosen": chosen, "sweep": sweep}


def test_the_pages_have_the_figures_of_the_stored_rows():
    for page, text in ((PAGE, block(stored())), (EARNEST, not_bundled(stored(NOT_BUNDLED)))):
        shown = BLOCK.search(page.read_text(encoding="utf-8"))[0].split("\n", 1)[1]
        assert shown == text + "<!-- /held-out -->", "python -m tools.bench.held_out --report --write"
    assert PICTURE.exists()
    assert {r["case"] for r in stored(NOT_BUNDLED)} == set(EXTRA) and not set(EXTRA) & set(HELD_OUT)


def test_rows_are_of_held_out_cases_once_each_with_both_machines():
    cases = [r["case"] for r in stored()]
    assert set(cases) <= set(HELD_OUT) and len(cases) == len(set(cases)) >= 14
    assert all("fit" in r["chosen"][name] and r["chosen"][name]["fit"] > 0 for r in stored() for name in ("svc", "mcm"))


def test_ratios_means_and_what_is_missing():
    rows = [row("checkerboard-1"), row("b", M=5000)]
    del rows[1]["chosen"]["svc"]["fit"]
    assert ratios(rows, "mcm", "svc", "fit") == {"checkerboard-1": 2.0}
    assert ratios(rows, "svc", "mcm", "vectors") == {"checkerboard-1": 50, "b": 50}  # no vectors count as one
    assert geometric([1.0, 4.0]) == 2.0
    text = "\n".join(comparison(rows))
    assert "2.0 (worst 2.0, checkerboard-1)" in text and "4 of 4 fits are proved optimal" in text and "-5.0" in text


def test_the_front_and_who_leads():
    a = row("a", mcm=(5, 0.90), svc=(50, 0.95), rvm=(4, 0.945), kmeans=(20, 0.90), slow=(60, 0.95))
    assert [p["machine"] for p in front(a)] == ["svc", "rvm"]
    tie = row("tie", mcm=(5, 0.9), rvm=(5, 0.9), svc=(9, 0.8), slow=(9, 0.8), last=(9, 0.7))
    assert {p["machine"] for p in front(tie)} == {"mcm", "rvm"}
    assert {line.split(" | ")[1] for line in leaders([tie])[2:]} == {"tie (5)"}
    lines = leaders([a, row("not swept", mcm=(1, 1.0))])
    assert "1 cases" in lines[0] and "| rvm | a (4) | 1 of 2 |" in lines and "| svc | – | 1 of 2 |" in lines
