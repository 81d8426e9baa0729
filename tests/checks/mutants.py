"""Mutants of a solution: the same function with one slip in it, of every kind that a slip can have.

Each operator, sign, index, axis, norm, comparison and constant is changed; each term, factor, function, keyword and line is
left out once; each argument is taken for another, and each part for 0 or 1.
"""

import ast
from collections.abc import Iterator
from copy import deepcopy

OPERATORS = {
    ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Div, ast.Add, ast.MatMult], ast.Div: [ast.Mult],
    ast.MatMult: [ast.Mult], ast.Pow: [ast.Mult],
}  # fmt: skip
COMPARISONS = [ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq]
FUNCTIONS = {
    "min": ["max", "mean"], "max": ["min", "mean"], "mean": ["sum", "max"], "sum": ["mean", "max"], "argmax": ["argmin"],
    "all": ["any"], "any": ["all"], "maximum": ["minimum"], "minimum": ["maximum"], "log": ["log10", "log2"], "cos": ["sin"],
    "sin": ["cos"], "floor": ["ceil", "round"], "ones": ["zeros"], "zeros": ["ones"], "radians": ["degrees"], "std": ["var"],
    "outer": ["inner", "add.outer"], "eigvalsh": ["diag"], "exp": ["exp2"], "isclose": ["greater_equal"], "len": ["sum"],
}  # fmt: skip
EVEN = ("abs", "norm", "len", "zeros", "isfinite", "isinf", "ndim")  # a sign inside makes no difference
SYMMETRIC = ("min", "max", "maximum", "minimum", "isclose")


def mutants(source: str) -> Iterator[str]:
    """The sources of all mutants of a function, each once, without the original."""
    tree = ast.parse(source)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    if ast.get_docstring(function):
        del function.body[0]
    arguments = [a.arg for a in function.args.args]
    function.args.defaults = []  # the checks give every argument
    yield from changed_once(tree, arguments)


def changed_once(
    tree: ast.Module, arguments: list[str], parts: bool = True, kept: tuple[type, ...] = ()
) -> Iterator[str]:
    """The sources that differ from the tree in one place, each once.

    ``arguments`` are the names that are taken for one another. With ``parts`` each part is taken for 0 and 1. Nodes of the
    kinds that are ``kept`` stay as they are.
    """
    seen = {ast.unparse(tree)}
    left_alone = {id(part) for node in ast.walk(tree) if isinstance(node, kept) for part in ast.walk(node)}
    for place, node in enumerate(ast.walk(tree)):
        if id(node) in left_alone:
            continue
        for changed in (*_changes(node, arguments), *(_constants(node) if parts else ())):
            copy = deepcopy(tree)
            target = list(ast.walk(copy))[place]
            text = ast.unparse(ast.fix_missing_locations(_Replace(target, changed).visit(copy)))
            if text not in seen:
                seen.add(text)
                yield text


class _Replace(ast.NodeTransformer):
    def __init__(self, target: ast.AST, by: ast.AST):
        self.target, self.by = target, by

    def visit(self, node: ast.AST) -> ast.AST:
        return self.by if node is self.target else self.generic_visit(node)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = deepcopy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _changes(node: ast.AST, arguments: list[str]) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(left, op, right):
            yield from (_with(node, op=other()) for other in OPERATORS.get(type(op), []))
            yield from (left, right)
            if not isinstance(op, ast.Add | ast.Mult):
                yield _with(node, left=right, right=left)
            if isinstance(op, ast.Add | ast.Sub):
                yield _with(node, left=_minus(left))
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Compare(ops=[op]):
            yield from (_with(node, ops=[other()]) for other in COMPARISONS if not isinstance(op, other))
        case ast.BoolOp(op, values):
            yield _with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
            yield from values
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield from (ast.Constant(other) for other in (value + 1, value - 1, 2 * value))
        case ast.Subscript(value, index):
            if not (isinstance(value, ast.Attribute) and value.attr == "r_"):  # which has no end
                yield value
            if isinstance(index, ast.Tuple):
                yield _with(node, slice=_with(index, elts=index.elts[::-1]))
        case ast.Call():
            yield from _calls(node)
        case ast.Attribute(value, "T"):
            yield value
        case ast.Tuple(elts=elements, ctx=ast.Load()) | ast.List(elts=elements, ctx=ast.Load()):
            yield _with(node, elts=elements[::-1])
            yield from (_with(node, elts=_one_minus(elements, i)) for i in _signed(elements))
        case ast.Return(ast.expr() as value):
            yield _with(node, value=_minus(value))
        case ast.If():
            yield from (_with(node, test=ast.Constant(value)) for value in (True, False))
        case ast.For() | ast.While():
            yield _with(node, body=[*node.body, ast.Break()])
        case ast.AugAssign(op=op):
            yield from (_with(node, op=other()) for other in OPERATORS.get(type(op), []))
    if isinstance(node, ast.Assign | ast.AugAssign | ast.If):
        yield ast.Pass()
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in arguments:
        yield from (_with(node, id=other) for other in arguments if other != node.id)


def _constants(node: ast.AST) -> Iterator[ast.AST]:
    is_part = isinstance(node, ast.BinOp | ast.Call | ast.Subscript) or (isinstance(node, ast.Name) and node.id != "np")
    if is_part and not isinstance(getattr(node, "ctx", None), ast.Store):
        yield from (ast.Constant(0), ast.Constant(1))


def _minus(node: ast.AST) -> ast.AST:
    return ast.UnaryOp(ast.USub(), node)


def _signed(parts: list[ast.expr]) -> list[int]:
    """The places of the parts that have a sign: not 0, not None, not a slice."""
    return [
        i for i, part in enumerate(parts) if not isinstance(part, ast.Slice | ast.Constant) or getattr(part, "value", 0)
    ]


def _one_minus(parts: list[ast.expr], place: int) -> list[ast.AST]:
    return [_minus(part) if i == place else part for i, part in enumerate(parts)]


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    for other in FUNCTIONS.get(name, []):
        if isinstance(node.func, ast.Attribute):
            yield _with(node, func=_with(node.func, attr=other))
        else:
            yield _with(
                node,
                func=ast.parse(other if other in ("min", "max", "sum", "all", "any") else f"np.{other}").body[0].value,
            )
    if node.args:
        yield from node.args  # the function is left out
        if name not in EVEN:
            yield from (_with(node, args=_one_minus(node.args, i)) for i in _signed(node.args))
    elif isinstance(node.func, ast.Attribute):
        yield node.func.value
    if len(node.args) > 1 and name not in SYMMETRIC:
        yield _with(node, args=[node.args[1], node.args[0], *node.args[2:]])
    if len(node.args) > 1:
        yield from (_with(node, args=[a for a in node.args if a is not left_out]) for left_out in node.args)
    yield from (_with(node, keywords=[k for k in node.keywords if k is not left_out]) for left_out in node.keywords)
    if name == "norm":
        yield _with(node, args=[*node.args, ast.Constant(1)])
        yield ast.BinOp(node, ast.Pow(), ast.Constant(2))
    if name == "range" and len(node.args) == 1:
        yield _with(node, args=[ast.Constant(1), node.args[0]])
        yield from (_with(node, args=[ast.BinOp(node.args[0], op(), ast.Constant(1))]) for op in (ast.Add, ast.Sub))


# --- running them ----------------------------------------------------------------------------------------------------

MOST_ROUNDS = 3000  # of a loop that a slip may have made endless


class Endless(Exception):
    """A loop went round too often."""


class _Counted(ast.NodeTransformer):
    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.parse("_tick()").body[0])
        return node


def compiled(source: str, names: dict) -> object:
    """The function of a source; its while loops end with ``Endless``."""
    tree = ast.fix_missing_locations(_Counted().visit(ast.parse(source)))
    rounds = 0

    def tick() -> None:
        nonlocal rounds
        rounds += 1
        if rounds > MOST_ROUNDS:
            raise Endless

    names = {**names, "_tick": tick}
    exec(compile(tree, "<mutant>", "exec"), names)

    def counted(*arguments: object) -> object:
        nonlocal rounds
        rounds = 0
        return names[tree.body[0].name](*arguments)

    return counted
