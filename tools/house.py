"""The house: which module imports which, on which floor each room lies, and how large everything is.

    python -m tools.house            the import graph, room by room, and whatever breaks a rule
    python -m tools.house --write    the picture in CONTRIBUTING.md and the table in docs/ARCHITECTURE.md, from ROOMS
    python -m tools.house --table    sizes; ``--root FOLDER`` (again and again) adds a column for another checkout

The graph is read from the source, so that an import inside a function counts like any other. ``tests/test_house.py`` keeps
the rules.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import networkx

ROOT = Path(__file__).parent.parent
PACKAGE = "mcmteach"
MOST_MODULES = 24  # at the top level: what one reads from top to bottom in an evening
MOST_NAMES = 70  # in mcmteach.__all__


class Room(NamedTuple):
    """A room: what it holds, which modules of the top level and which folder, and the packages that it may load."""

    floor: int
    name: str
    says: str
    inside: str
    extras: str = ""


#: The rooms, from the ground up. A room may import from the floors below its own, never from its own floor or above.
ROOMS = (
    Room(0, "ground", "errors that name the remedy; checks of arguments", "errors validation", "sklearn"),
    Room(1, "datasets", "bundled data, made-up worlds, folds, standardising", "datasets/"),
    Room(1, "theory", "risk and VC bounds; margins and h_MCM", "bounds capacity"),
    Room(1, "kernels", "kernels, Gram matrices, scatter, maps", "kernels structured gram embedding fisher conformal"),
    Room(2, "base", "what every estimator has in common", "base", "sklearn"),
    Room(2, "solvers", "the MCM as an LP; engines; proofs", "lp certificate separability solvers/", "highspy threadpoolctl"),
    Room(3, "svm", "the perceptron and the support vector machines", "perceptron svm/"),
    Room(4, "machines", "the MCM, the conformal MCM, regression; tuning", "mcm conformal_mcm regression weights tune", "tqdm"),
    Room(4, "large_scale", "stochastic machines on explicit features; streams", "large_scale/", "sklearn tqdm"),
    Room(5, "guarantee", "a bound on the risk of a given machine", "guarantee/", "sklearn"),
    Room(5, "export", "what a fitted machine needs outside Python", "export/", "onnx"),
    Room(5, "paper", "the paper's printed tables, taken apart", "paper/"),
    Room(6, "checks", "the tasks of the exercises, and the judge", "checks/"),
    Room(6, "experiments", "protocols, runs, results, claims", "experiments/",
         "distributed highspy joblib sklearn threadpoolctl tqdm"),
    Room(6, "plots", "every picture, drawn on any axes", "plots/", "matplotlib"),
    Room(7, "front door", "the names that users import from mcmteach", "__init__"),
    Room(7, "widgets", "the panels and quizzes of the lessons", "widgets/", "PIL ipywidgets matplotlib sklearn traitlets"),
    Room(
        8, "classroom", "grading: submissions in a sandbox, marks, feedback", "classroom/",
        "IPython bleach latex2mathml mistune nbconvert nbformat nbgrader psutil tqdm traitlets",
    ),
    Room(9, "command line", "python -m mcmteach, and its doctor", "__main__ doctor"),
)  # fmt: skip
EAGER = ("widgets", "classroom")  # useless without their extras, and import them at once; the others only when needed


def room_of(module: str) -> Room | None:
    """The room of a module of ours, by its dotted name; None if it has none yet, or is not ours."""
    package, first, *_ = [*module.split("."), "__init__"]
    at_home = (room for room in ROOMS if {first, f"{first}/"} & set(room.inside.split()))
    return next(at_home, None) if package == PACKAGE else None


# --- the import graph ------------------------------------------------------------------------------------------------


class Module:
    """A module of the package: its dotted name, its text and its syntax tree."""

    def __init__(self, root: Path, path: Path):
        parts = path.relative_to(root).with_suffix("").parts
        self.is_package = parts[-1] == "__init__"
        self.name = ".".join(parts[:-1] if self.is_package else parts)
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)
        self.nodes = list(ast.walk(self.tree))  # once: every rule looks at all of them


class Import(NamedTuple):
    """An import in ``source``. ``target`` is a module of ours, or the top-level name of another package."""

    source: str
    target: str
    line: int
    lazy: bool


def read_package(root: Path = ROOT) -> dict[str, Module]:
    """Every module of the package by its dotted name."""
    modules = [Module(root, path) for path in sorted((root / PACKAGE).rglob("*.py"))]
    return {module.name: module for module in modules}


def imports(modules: dict[str, Module]) -> list[Import]:
    """Every import of every module, those inside functions and by ``import_module`` included."""
    return list(dict.fromkeys(found for module in modules.values() for found in _imports_of(module, modules)))


def _imports_of(module: Module, modules: dict[str, Module]) -> Iterator[Import]:
    eager = {id(node) for node in _run_at_import(module.tree)}
    for node in module.nodes:
        targets: list[str] = []
        match node:
            case ast.Import(names=aliases):
                targets = [alias.name for alias in aliases]
            case ast.ImportFrom(names=aliases):
                base = _absolute(node, module)
                targets = [whole if (whole := f"{base}.{alias.name}") in modules else base for alias in aliases]
            case ast.Call(func=ast.Attribute(attr="import_module") | ast.Name(id="import_module"), args=[name, *_]):
                pattern = _pattern(name, module.name)
                targets = [target for target in modules if fnmatchcase(target, pattern)] or [pattern]
        for target in filter(None, targets):
            ours = target.split(".")[0] == PACKAGE
            yield Import(module.name, target if ours else target.split(".")[0], node.lineno, id(node) not in eager)


def _run_at_import(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _run_at_import(child)


def _absolute(node: ast.ImportFrom, module: Module) -> str:
    if not node.level:
        return node.module or ""
    parts = [*module.name.split("."), *([""] if module.is_package else [])][: -node.level]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _pattern(argument: ast.expr, name: str) -> str:
    """The argument of ``import_module``, with a star for the parts known only at run time; '' if nothing else is known."""
    match argument:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_pattern(value, name) or "*" for value in values)
        case ast.FormattedValue(value=ast.Name(id="__name__")):
            return name
    return ""


def graph(found: list[Import]) -> dict[str, set[str]]:
    """Who imports whom, among our own modules."""
    edges: dict[str, set[str]] = {}
    for each in found:
        if each.target.split(".")[0] == PACKAGE:
            edges.setdefault(each.source, set()).add(each.target)
    return edges


# --- the rules: each function lists what breaks one --------------------------------------------------------------------


def cycles(edges: dict[str, set[str]]) -> list[str]:
    """Modules that import each other, at whatever distance, and modules that import themselves."""
    together = networkx.strongly_connected_components(networkx.DiGraph(edges))
    return [" <-> ".join(sorted(part)) for part in together if len(part) > 1 or part <= edges.get(min(part), set())]


def homeless(modules: dict[str, Module]) -> list[str]:
    return [f"{name}: give it a room in tools/house.py" for name in modules if room_of(name) is None]


def unfurnished(modules: dict[str, Module]) -> list[str]:
    """Modules and folders that a room names and that are not there."""
    there = {"__init__", *(name.split(".")[1] for name in modules if "." in name)}
    return [f"{room.name}: {part}" for room in ROOMS for part in room.inside.split() if part.rstrip("/") not in there]


def upward(found: list[Import]) -> list[str]:
    """Imports from another room on the same floor, or from a higher floor."""
    wrong = []
    for each in found:
        here, there = room_of(each.source), room_of(each.target)
        if here and there and here != there and there.floor >= here.floor:
            wrong.append(f"{each.source}:{each.line} ({here.name}) imports {each.target} ({there.name})")
    return wrong


def strangers(found: list[Import]) -> list[str]:
    """Packages beyond numpy and scipy that the room does not name, or that it loads before they are needed."""
    wrong = []
    for each in found:
        room = room_of(each.source)
        if room is None or each.target.split(".")[0] in {PACKAGE, "numpy", "scipy", *sys.stdlib_module_names}:
            continue
        if each.target not in room.extras.split() or not (each.lazy or room.name in EAGER):
            wrong.append(f"{each.source}:{each.line} ({room.name}) imports {each.target}")
    return wrong


def private_uses(modules: dict[str, Module]) -> list[str]:
    """Private names that a module takes from another one: imported, as an attribute, or by ``getattr``.

    What a class inherits it may use through ``self``, ``cls`` and ``super()``.
    """
    wrong = []
    for module in modules.values():
        own, others = _defined(module), _other_packages(module)
        for node in module.nodes:
            names: list[str] = []
            match node:
                case ast.ImportFrom(names=aliases) if _absolute(node, module).split(".")[0] == PACKAGE:
                    names = [alias.name for alias in aliases]
                case ast.Attribute(value=ast.Name(id=receiver), attr=name) if receiver not in others | {"self", "cls"}:
                    names = [name]
                case ast.Attribute(value=ast.Attribute() | ast.Subscript() | ast.Call() as receiver, attr=name):
                    names = [] if ast.unparse(receiver) == "super()" else [name]
                case ast.Call(
                    func=ast.Name(id="getattr" | "hasattr" | "setattr"), args=[_, ast.Constant(str(name)), *_]
                ):
                    names = [name]
            foreign = [name for name in names if _is_private(name) and name not in own]
            wrong += [f"{module.name}:{node.lineno} uses {name}" for name in foreign]
    return wrong


def _is_private(name: str) -> bool:
    tuples = {"_asdict", "_replace", "_fields", "_make"}  # of NamedTuple: public in spite of the underscore
    return name.startswith("_") and not name.endswith("_") and name not in tuples


def _defined(module: Module) -> set[str]:
    """Functions, classes, variables and attributes of ``self`` that a module makes."""
    names: set[str] = set()
    for node in module.nodes:
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.Name(id=name, ctx=ast.Store())
                | ast.arg(arg=name)
                | ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store())
            ):
                names.add(name)
    return names


def _other_packages(module: Module) -> set[str]:
    aliases = [alias for node in module.nodes if isinstance(node, ast.Import) for alias in node.names]
    return {(a.asname or a.name).split(".")[0] for a in aliases if a.name.split(".")[0] != PACKAGE}


def lesson_numbers(modules: dict[str, Module]) -> list[str]:
    """Lines of code, comment or text that name a lesson by its number, which stands in the syllabus only."""
    return [
        f"{module.name}:{number} {line.strip()}"
        for module in modules.values()
        if module.name != f"{PACKAGE}.checks.syllabus"
        for number, line in enumerate(module.text.splitlines(), start=1)
        if re.search(r"lessons?[ _/]?\d|\b\d\d_[a-z_]+\.ipynb", line, re.IGNORECASE)
    ]


def crowding(modules: dict[str, Module]) -> list[str]:
    """Too many modules at the top level, or too many public names."""
    top, names = len(top_modules(modules)), len(public_names(modules))
    return [
        *([f"{top} modules at the top level, and not {MOST_MODULES}"] if top > MOST_MODULES else []),
        *([f"{names} names in __all__, and not {MOST_NAMES}"] if names > MOST_NAMES else []),
    ]


def top_modules(modules: dict[str, Module]) -> list[str]:
    return [name for name, module in modules.items() if module.path.parent.name == PACKAGE]


def public_names(modules: dict[str, Module]) -> list[str]:
    for node in modules[PACKAGE].tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def breaches(modules: dict[str, Module]) -> dict[str, list[str]]:
    """Every rule of the house, with what breaks it."""
    found = imports(modules)
    return {
        "no cycle": cycles(graph(found)),
        "every module has a room": homeless(modules),
        "imports go downstairs": upward(found),
        "the core is numpy and scipy": strangers(found),
        "no private name crosses a module": private_uses(modules),
        "no lesson by number": lesson_numbers(modules),
        "few modules, few names": crowding(modules),
    }


# --- what is printed ---------------------------------------------------------------------------------------------------


def drawing(modules: dict[str, Module]) -> str:
    """The graph as it is: rooms from the top floor down, what each imports, and the same for each of its modules."""
    edges = graph(imports(modules))
    lines = []
    for room in reversed(ROOMS):
        inside = [name for name in modules if room_of(name) == room]
        used = {room_of(target) for name in inside for target in edges.get(name, ())}
        lines += ["", f"{room.name} -> {', '.join(r.name for r in ROOMS if r in used and r != room) or '-'}"]
        for name in inside:
            targets = sorted(target.removeprefix(f"{PACKAGE}.") for target in edges.get(name, ()))
            lines.append(f"    {name.removeprefix(f'{PACKAGE}.'):34} {' '.join(targets)}".rstrip())
    return "\n".join(lines[1:])


def picture() -> str:
    """The house as text, the top floor first: what is in each room, and its sentence."""
    lines = ["```text"]
    for floor in range(ROOMS[-1].floor, -1, -1):
        rooms = [room for room in ROOMS if room.floor == floor]
        lines += [f"{floor}  {room.inside:54}{room.says}" for room in rooms]
    return "\n".join([*lines, "```"])


def rules() -> str:
    """Which room may import which, as a table."""
    lines = ["| floor | room | may import | beside numpy and scipy, where installed |", "|---|---|---|---|"]
    for room in ROOMS:
        below = ("–", "floor 0")[room.floor] if room.floor < 2 else f"floors 0 to {room.floor - 1}"
        lines.append(f"| {room.floor} | {room.name} | {below} | {', '.join(room.extras.split()) or '–'} |")
    return "\n".join(lines)


def lines_of_code(module: Module) -> set[int]:
    """The lines that hold code: no blank ones, no comments, no docstrings."""
    idle = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    tokens = [token for token in tokenize.generate_tokens(StringIO(module.text).readline) if token.type not in idle]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, node.end_lineno + 1))
    return lines


def largest(modules: dict[str, Module], kind: type[ast.FunctionDef] | type[ast.ClassDef]) -> str:
    sizes = []
    for module in modules.values():
        code = lines_of_code(module)
        for node in ast.walk(module.tree):
            if isinstance(node, kind):
                lines = len(code & set(range(node.lineno, node.end_lineno + 1)))
                sizes.append((lines, f"{module.name.removeprefix(f'{PACKAGE}.')}.{node.name}"))
    return "{} ({})".format(*max(sizes))


def import_time(root: Path) -> str:
    """Processor time of ``import mcmteach`` beyond numpy's and scipy's own, the least of five, in milliseconds."""
    code = """
import time, numpy, scipy.linalg, scipy.optimize, scipy.sparse, scipy.spatial.distance, scipy.special
start = time.process_time()
import mcmteach
print(time.process_time() - start)"""
    times = []
    for _ in range(5):
        command = [sys.executable, "-c", code]
        told = subprocess.run(command, env={"PYTHONPATH": str(root)}, capture_output=True, text=True, check=True).stdout
        times.append(float(told))
    return f"{1000 * min(times):.0f} ms"


def sizes(root: Path) -> dict[str, str]:
    """A column of the table: what is counted, and its value."""
    modules = read_package(root)
    tracked = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout
    rooms: Counter[str] = Counter()
    for name, module in modules.items():
        rooms[name.split(".")[1] + "/" if module.path.parent.name != PACKAGE else "top level"] += len(
            lines_of_code(module)
        )
    return {
        "modules at the top level": str(len(top_modules(modules))),
        "modules in all": str(len(modules)),
        "public names": str(len(public_names(modules))),
        "tracked files": str(len(tracked.splitlines())),
        "longest function, lines of code": largest(modules, ast.FunctionDef),
        "largest class, lines of code": largest(modules, ast.ClassDef),
        "import time": import_time(root),
        "lines of code": f"{rooms.total()}",
        "lines of text": f"{sum(len(module.text.splitlines()) for module in modules.values())}",
        **{f"lines of code in {room}": str(lines) for room, lines in sorted(rooms.items())},
    }


def table(roots: list[Path]) -> str:
    columns = [sizes(root.resolve()) for root in roots]
    keys = list(dict.fromkeys(key for column in columns for key in column))
    lines = ["| | " + " | ".join(root.resolve().name for root in roots) + " |", "|---" * (len(roots) + 1) + "|"]
    return "\n".join([*lines, *(f"| {key} | " + " | ".join(c.get(key, "–") for c in columns) + " |" for key in keys)])


#: What is written into which page, between ``<!-- house -->`` and ``<!-- /house -->``.
PAGES = {"CONTRIBUTING.md": picture, "docs/ARCHITECTURE.md": rules}


def with_house(page: str, text: str) -> str:
    """A page with its part drawn anew."""
    marked = re.compile(r"(<!-- house[^>]*-->\n).*?(<!-- /house -->)", re.DOTALL)
    return marked.sub(lambda found: f"{found[1]}{PAGES[page]()}\n{found[2]}", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--root", type=Path, action="append")
    chosen = parser.parse_args()
    roots = chosen.root or [ROOT]
    if chosen.table:
        print(table(roots))
    elif chosen.write:
        for page in PAGES:
            path = ROOT / page
            path.write_text(with_house(page, path.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        modules = read_package(roots[0])
        print(drawing(modules))
        for rule, wrong in breaches(modules).items():
            print(f"\n{rule}: {len(wrong) or 'kept'}", *wrong, sep="\n    ")


if __name__ == "__main__":
    main()
