"""One name, one meaning: no public name of a module's top level is defined again, as something else, in another room."""

import ast
from collections import defaultdict
from pathlib import Path

import mcmteach
from mcmteach.checks import words
from mcmteach.plots import canvas

PACKAGE = Path(mcmteach.__file__).parent

# Modules of the same pattern: a panel's GAMMAS are its slider's, an exercise's TASKS are its own. They count as one.
PARALLEL = ("widgets", "checks/tasks")

# Defined more than once on purpose.
DELIBERATE = {
    "main": "what `python -m` runs; a script has one",
    **dict.fromkeys(("BLUE", "GREEN", "VERMILION"), "the same three colours; checks run where nothing can be drawn"),
    "TimeUp": "the sandbox's own: what runs beside a submission imports nothing of the package",
    **dict.fromkeys(
        ("add_arguments", "run", "run_fold", "run_set", "compute", "choose", "fingerprint", "heading", "number"),
        "a verb or noun that its module's name completes, and that others call with it: grade.run, table4.run_set",
    ),
    **dict.fromkeys(
        (
            *("empirical_risk", "vc_bound", "vc_epsilon", "functional_margins", "geometric_margin", "slack"),
            *("capped_hinge", "descend", "joint_sd", "median_interval"),
            *(
                "h_mcm",
                "compression_bound",
                "middle_of_gap",
                "quadratic_map",
                "feature_distances",
                "fisher_scalar",
                "scatter_matrices",
            ),
        ),
        "an exercise's reference solution, named like the function of the library that it asks students to write",
    ),
}


def defined(source: str) -> set[str]:
    """The public names that a module's top level defines; those that it imports are another module's."""
    names: set[str] = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return {name for name in names if not name.startswith("_")}


def imported(source: str) -> set[str]:
    """The names that a module takes from others."""
    return {
        alias.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom) for alias in node.names
    }


def clashes(package: Path) -> dict[str, list[str]]:
    """{name: the modules that define it} for names that more than one does."""
    where = defaultdict(set)
    for path in package.rglob("*.py"):
        module = path.relative_to(package).with_suffix("").as_posix()
        folder = path.relative_to(package).parent.as_posix()
        for name in defined(path.read_text(encoding="utf-8")):
            where[name].add(folder if folder in PARALLEL else module)
    crossing = {name for path in package.rglob("*.py") for name in imported(path.read_text(encoding="utf-8"))}
    # a constant that no other module imports is its module's own affair
    return {
        name: sorted(modules)
        for name, modules in where.items()
        if len(modules) > 1 and (not name.isupper() or name in crossing)
    }


def test_no_name_is_defined_twice():
    found = {name: modules for name, modules in clashes(PACKAGE).items() if name not in DELIBERATE}
    assert found == {}, "rename all but one of each, or say in DELIBERATE why they are the same"


def test_the_two_colours_are_the_same():
    assert (words.BLUE, words.GREEN, words.VERMILION) == (canvas.BLUE, canvas.GREEN, canvas.VERMILION)


def test_every_exception_is_still_needed():
    assert set(DELIBERATE) <= set(clashes(PACKAGE))


def test_a_clash_is_found_and_a_parallel_one_is_not(tmp_path):
    files = {
        "mcm.py": "from base import Rounds\nclass Step: pass\n_x = y = 1",
        "svm/hinge.py": "Step: int = 3\nA, B = 1, 2\n_x = 2",
        "widgets/kernels.py": "A = 1",
        "widgets/kernel_mcm.py": "A = 2\nC = 1\ndef f(y): Rounds = 1",
        "tune.py": "from svm.hinge import A\nC = 2",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert clashes(tmp_path) == {"Step": ["mcm", "svm/hinge"], "A": ["svm/hinge", "widgets"]}
