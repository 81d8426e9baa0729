"""Security: what bandit finds is mended or judged, and no pickle is read from a file that one may receive."""

import ast

import pytest

from tools.ledger import ROOT
from tools.reliability import audit

#: modules whose readers run whatever a file tells them to, and functions of others that do so
PICKLES = {
    "pickle",
    "cPickle",
    "_pickle",
    "dill",
    "cloudpickle",
    "shelve",
    "marshal",
    "joblib.load",
    "pandas.read_pickle",
}


@pytest.mark.slow
def test_bandit_finds_nothing_that_is_not_judged():
    found = audit.findings()
    assert audit.not_judged(found) == []
    assert {(f.kind, f.file) for f in found} == set(audit.JUDGED), "a judgement without its finding is out of date"


def unsafe_reads(source):
    """Places that import a pickle of some kind, load arrays with pickles in them, or run yaml's full loader."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names) if PICKLES & {name.name for name in names}:
                yield node.lineno
            case ast.ImportFrom(module=module) if module in PICKLES:
                yield node.lineno
            case ast.keyword(arg="allow_pickle", value=ast.Constant(value=True)):
                yield node.value.lineno
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                full = f"{owner}.{name}".replace("pd.", "pandas.")
                if full in PICKLES or full in ("yaml.load", "yaml.unsafe_load"):
                    yield node.lineno


@pytest.mark.parametrize(
    "bad",
    [
        "import pickle",
        "from pickle import loads",
        "np.load(f, allow_pickle=True)",
        "joblib.load(f)",
        "pd.read_pickle(f)",
    ],
)
def test_a_pickle_would_be_seen(bad):
    assert list(unsafe_reads(bad)) == [1]


def test_nothing_in_the_package_or_the_tools_reads_a_pickle():
    files = [*(ROOT / "mcmteach").rglob("*.py"), *(ROOT / "tools").rglob("*.py")]
    found = {f"{file.relative_to(ROOT)}:{line}" for file in files for line in unsafe_reads(file.read_text("utf-8"))}
    assert found == set()
