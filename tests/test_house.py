"""The rules of the house, kept on the import graph (``python -m tools.house`` draws it), and faults that must be found."""

import ast

import pytest

from tools import house


@pytest.fixture(scope="module")
def modules():
    return house.read_package()


def test_the_house_keeps_its_rules(modules):
    print(house.drawing(modules))  # pytest shows it when a rule is broken, and always with -s
    assert {rule: wrong for rule, wrong in house.breaches(modules).items() if wrong} == {}


def test_every_room_is_furnished(modules):
    assert house.unfurnished(modules) == []


@pytest.mark.parametrize("page", house.PAGES)
def test_the_pages_show_the_house_as_it_is(page):
    text = (house.ROOT / page).read_text(encoding="utf-8")
    assert "<!-- house" in text and house.with_house(page, text) == text, "python -m tools.house --write"


# --- tests mirror the package --------------------------------------------------------------------------------------------

#: Modules whose tests bear another name than theirs, and where these are.
TESTED_IN = {
    "checks/tasks/": "checks/tasks/test_every_task.py",  # the same rules for every task; a topic's own in its own file
    "classroom/ledger": "classroom/test_grade.py",
    "classroom/syscalls": "classroom/test_sandbox.py",  # by what hostile submissions cannot do
    "experiments/claims/": "experiments/test_claims.py",
    "export/formula": "export/test_c_code.py",
    **dict.fromkeys(("solvers/column_exchange", "solvers/problem", "solvers/settings"), "solvers/test_fast.py"),
    "solvers/regression_columns": "test_regression.py",
    "svm/smooth_kernel_machine": "svm/test_kernel_svm.py",
}


def test_a_modules_tests_are_found_by_its_name(modules):
    tests, package = house.ROOT / "tests", house.ROOT / house.PACKAGE
    names = [module.path.relative_to(package).with_suffix("") for module in modules.values() if not module.is_package]
    untested = [n.as_posix() for n in names if not (tests / n.with_name(f"test_{n.name.strip('_')}.py")).exists()]
    assert [name for name in untested if not name.startswith(tuple(TESTED_IN))] == [], "say in TESTED_IN where they are"
    assert [key for key in TESTED_IN if not any(name.startswith(key) for name in untested)] == [], "no longer needed"
    assert [file for file in TESTED_IN.values() if not (tests / file).exists()] == []


# --- faults that must be found -----------------------------------------------------------------------------------------


def plant(tmp_path, files):
    """A package with these files, read as the house is."""
    for name, text in {"__init__.py": "__all__ = ['a']", **files}.items():
        path = tmp_path / "mcmteach" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return house.read_package(tmp_path)


FAULTS = {
    "a cycle through a lazy import": (
        "no cycle",
        {"kernels.py": "def f():\n    from mcmteach.gram import g", "gram.py": "import mcmteach.kernels\ng = 1"},
    ),
    "a cycle of three, one of them by name": (
        "no cycle",
        {
            "checks/__init__.py": "from importlib import import_module\nimport_module(f'{__name__}.tasks.{1}')",
            "checks/tasks/one.py": "from mcmteach.checks.task import Task",
            "checks/task.py": "from . import judge\nfrom .judge import Judge",
            "checks/judge.py": "import mcmteach.checks as all_of_it",
        },
    ),
    "a module that imports itself": ("no cycle", {"mcm.py": "def f():\n    from mcmteach.mcm import g"}),
    "a module without a room": ("every module has a room", {"attic.py": ""}),
    "data that know a machine": (
        "imports go downstairs",
        {"datasets/loader.py": "from mcmteach import mcm", "mcm.py": ""},
    ),
    "an experiment that draws": (
        "imports go downstairs",
        {
            "experiments/run.py": "def f():\n    from ..plots import canvas",
            "plots/__init__.py": "",
            "plots/canvas.py": "",
        },
    ),
    "a kernel that needs pandas": (
        "the core is numpy and scipy",
        {"kernels.py": "def f():\n    import pandas.testing"},
    ),
    "a plot that loads matplotlib at once": ("the core is numpy and scipy", {"plots/canvas.py": "import matplotlib"}),
    "a private import": (
        "no private name crosses a module",
        {"mcm.py": "from mcmteach.base import _x", "base.py": "_x = 1"},
    ),
    "a private attribute": ("no private name crosses a module", {"mcm.py": "def f(machine): return machine._fit()"}),
    "a private attribute of what a call gives": ("no private name crosses a module", {"mcm.py": "f().g._fit"}),
    "a private name as a string": ("no private name crosses a module", {"mcm.py": "getattr(f, '_fit')"}),
    "a lesson's number in a docstring": ("no lesson by number", {"mcm.py": '"""As in lesson 7."""'}),
    "a lesson's number in a name": ("no lesson by number", {"mcm.py": "def lesson07(): pass"}),
    "a lesson's number in the name of a file": ("no lesson by number", {"mcm.py": "open('06_kernels.ipynb')"}),
    "too many modules": ("few modules, few names", {f"m{i}.py": "" for i in range(house.MOST_MODULES)}),
    "too many names": ("few modules, few names", {"__init__.py": f"__all__ = {[str(i) for i in range(71)]}"}),
}


@pytest.mark.parametrize(("broken", "files"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_found(tmp_path, broken, files):
    assert len(house.breaches(plant(tmp_path, files))[broken]) == 1


def test_what_is_allowed_passes(tmp_path):
    files = {
        "errors.py": "import numpy.linalg, os\nos._exit",
        "base.py": "import mcmteach.errors\nclass Base:\n    def _check(self): return self.__dict__",
        "mcm.py": "import mcmteach.base\nclass M(Base):\n    def fit(self): self._own = super()._check(); self._check()",
        "plots/canvas.py": "def f(t):\n    import matplotlib\n    return t._replace(a=1), t._repr_html_()",
        "widgets/panel.py": "import ipywidgets",
        "checks/syllabus.py": "# lesson 3",
        "lp.py": "from mcmteach.solvers import fast",
        "solvers/__init__.py": "",
        "solvers/fast.py": "def f():\n    import highspy",
    }
    assert {rule: wrong for rule, wrong in house.breaches(plant(tmp_path, files)).items() if wrong} == {}


def test_lines_of_code_are_counted_without_blanks_comments_and_docstrings(tmp_path):
    lines = [
        '"""What it is."""',
        "",
        "# why",
        "def f(a):",
        '    """One.',
        "",
        '    Two."""',
        "    return (",
        "        a  # so",
        "    )",
    ]
    modules = plant(tmp_path, {"mcm.py": "\n".join([*lines, "", 'x = """', "", '"""', ""])})
    assert house.lines_of_code(modules["mcmteach.mcm"]) == {4, 8, 9, 10, 12, 13, 14}
    assert house.largest(modules, ast.FunctionDef) == "4 (mcm.f)"
