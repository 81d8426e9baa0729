"""The equation ledger is complete, points at things that exist, and its tracer really catches an idle test."""

import ast

import pytest

from mcmteach.checks.syllabus import PLANNED, TOPICS, number_of
from tools.ledger import KINDS, LEDGER, ROOT, Entry, LedgerTracer, codes, lesson_path, read_ledger, resolve

ENTRIES = read_ledger(LEDGER.read_text(encoding="utf-8"))
DONE = [entry for entry in ENTRIES if entry.as_ != "open"]

# What must be there. The numbered equations count themselves; the unnumbered ones of S are named here once, so that a
# row cannot silently go missing.
NUMBERED = [f"N({i})" for i in range(1, 42)] + [f"P({i})" for i in range(1, 19)]
UNNUMBERED = [
    "N-soft",
    "N-span",
    "N-predict",
    "N-conformal",
    "N-steps",
    "P-alg1",
    "P-alg2",
    "P-A1",
    "P-A2",
    "S-plane",
    "S-error",
    "S-bound",
    "S-functional-margin",
    "S-geometric-margin",
    "S-margin",
    "S-distance",
    "S-radius",
    "S-margin-scale",
    "S-hard-margin",
    "S-soft-margin",
    "S-hinge",
    "S-svm-objective",
    "S-subgradient",
    "S-update",
    "S-xor",
    "S-dual-w",
    "S-kernel",
    "S-quadratic",
    "S-perceptron-loss",
    "S-softmax",
    "S-kernel-softmax",
    "S-kernel-softmax-z",
    "S-kernel-softmax-b",
    "S-smooth-hinge",
    "S-kernel-svm",
    "S-kernel-svm-z",
    "S-kernel-svm-b",
    "S-gram",
    "S-mercer",
    "S-sum",
    "S-scale",
    "S-product",
    "S-separable",
    "S-mapped",
    "S-bilinear",
    "S-set",
    "S-multiset",
    "S-spectrum",
    "S-graphlet",
    "S-diffusion",
    "S-diagonal",
    "S-blocks",
]


def test_no_equation_is_unmapped():
    ids = [entry.id for entry in ENTRIES]
    assert not set(NUMBERED + UNNUMBERED) - set(ids)
    assert len(ids) == len(set(ids))


def test_every_equation_is_done_and_taught_by_a_lesson_that_is_there():
    assert {lesson_path(topic) for topic in TOPICS if topic not in PLANNED} == set(ROOT.glob("lessons/*.ipynb")), (
        "the syllabus names every lesson"
    )
    assert [entry.id for entry in ENTRIES if entry.as_ == "open"] == []
    assert [
        entry.id for entry in ENTRIES if not entry.lesson or not set(entry.lesson.split()) <= set(TOPICS) - PLANNED
    ] == []


def test_every_row_is_of_a_known_kind_and_complete():
    for entry in ENTRIES:
        assert entry.as_ in KINDS, entry
        assert bool(entry.function) == bool(entry.test) == (entry.as_ != "open"), entry
        assert entry.says, entry


@pytest.mark.parametrize("function", sorted({entry.function for entry in DONE}))
def test_named_functions_exist(function):
    assert codes(resolve(function)), f"{function} has no code that a test could execute"


@pytest.mark.parametrize("test", sorted({entry.test for entry in DONE}))
def test_named_tests_exist(test):
    path, name = test.split("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_named_lessons_exist_and_cite_the_equation():
    for entry in ENTRIES:
        topics = entry.lesson.split()
        assert topics == sorted(topics, key=number_of), f"{entry.id}: lessons stand in the order of the course"
        for path in map(lesson_path, topics):
            assert entry.id in path.read_text(encoding="utf-8"), f"{path.name} does not cite {entry.id}"


def test_a_broken_row_is_not_skipped():
    with pytest.raises(ValueError, match="3 cells"):
        read_ledger("| N(1) | the risk | open |")
    with pytest.raises((AttributeError, ModuleNotFoundError)):
        resolve("mcmteach.bounds.no_such_function")


def test_the_tracer_fails_a_test_that_does_not_execute_its_function(pytester):
    pytester.makepyfile(
        test_it="""
        import mcmteach as mt
        def test_honest(): assert mt.vc_epsilon(3, 100, 0.1) > 0
        def test_idle(): assert True
        def test_other(): assert mt.radius([[3, 4]]) == 5
        """
    )
    function = "mcmteach.bounds.vc_epsilon"
    entries = [
        Entry("N(4)", "", "function", function, f"test_it.py::{name}", "")
        for name in ("test_honest", "test_idle", "test_other")
    ]
    result = pytester.inline_run("-p", "no:cacheprovider", plugins=[LedgerTracer(entries)])
    passed, _, failed = result.listoutcomes()
    assert [report.nodeid.split("::")[1] for report in passed] == ["test_honest"]
    assert [report.nodeid.split("::")[1] for report in failed] == ["test_idle", "test_other"]
    assert "never executes it" in str(failed[0].longrepr)
